//! JSON -> the bits of a fingerprint; and the method that finds fingerprints at most some bits apart.
//!
//! A fingerprint is written as hexadecimal digits (with or without `0x`), as base64, or as a whole number of up to 64 bits. Digits in a
//! string are hexadecimal, also in CSV, where a whole number is a string too: first documents that have decimal digits only are
//! refused, unless the settings say how many bits there are. Its lanes
//! are the fingerprint itself, so the exact distance is known from them, and nothing is read again. The similarity is the share of
//! equal bits.

use super::Values;
use super::blocks::{Blocks, MOST_BITS};
use crate::Settings;
use crate::method::{FoundBy, Likeness, Screening, Shingled, SketchBuffers, Sketcher, Sketches};
use crate::report::Plan;
use crate::store::columns::Columns;
use lookalike::banding::band_key;
use lookalike::hamming::wide_pairs;
use lookalike::hashing::Key;
use std::ops::Range;

/// The fewest bits of a fingerprint.
pub(crate) const LEAST_BITS: u32 = 16;

/// The bits of a fingerprint if the settings do not say, and there is nothing to look at.
pub(crate) const USUAL_BITS: u32 = 64;

/// How a value becomes a fingerprint.
#[derive(Debug)]
pub(crate) struct Fingerprints {
    field: String,
    bits: u32,
}

impl Fingerprints {
    pub(crate) fn new(field: &str, bits: u32) -> Self {
        Self { field: field.to_owned(), bits }
    }

    fn bytes(&self, json: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
        let begin = bytes.len();
        let bits =
            read(json, self.bits, bytes).map_err(|wrong| format!("the field `{}` {wrong}", self.field))?;
        // Digits stand for whole bytes; the bits that a byte has too many are 0.
        let unused = bits.wrapping_sub(self.bits);
        let is_rounded = unused < 8 && bytes.get(begin).is_some_and(|first| first.leading_zeros() >= unused);
        if bits == self.bits || is_rounded {
            return Ok(());
        }
        let number = if is_whole_number(json) { NUMBER_IN_STRING } else { "" };
        Err(format!(
            "the field `{}` has {bits} bits, not {} as the others (see bits){number}",
            self.field, self.bits
        ))
    }
}

/// What is said of a string that is probably a whole number.
const NUMBER_IN_STRING: &str = "; digits in a string, as in CSV, are hexadecimal: write whole numbers as JSON or Parquet numbers, or in hexadecimal";

/// True if a value is a string that a whole number was probably written to: decimal digits, of which the first is not 0.
fn is_whole_number(json: &str) -> bool {
    let digits = json.trim_ascii().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    digits.is_some_and(|digits| {
        (1..=20).contains(&digits.len())
            && !digits.starts_with('0')
            && digits.bytes().all(|digit| digit.is_ascii_digit())
    })
}

/// Looks at the first documents of a source for whole numbers that were written as strings. Each could be hexadecimal digits
/// too; all of several are not.
#[derive(Debug, Default)]
pub(crate) struct NumbersInStrings {
    first: Option<String>,
    differ: bool,
    others: bool,
}

impl NumbersInStrings {
    /// Takes a value.
    pub(crate) fn look(&mut self, json: &str) {
        self.others |= !is_whole_number(json);
        match &self.first {
            Some(first) => self.differ |= first != json,
            None => self.first = Some(json.to_owned()),
        }
    }

    /// An error if all values are whole numbers, which would be read as hexadecimal digits.
    pub(crate) fn check(&self, source: &str, field: &str) -> crate::Result<()> {
        if self.others || !self.differ {
            return Ok(());
        }
        Err(crate::Error::Invalid(format!(
            "the field `{field}` of {source} has decimal digits only{NUMBER_IN_STRING}; if they are hexadecimal, say how many bits there are (bits)"
        )))
    }
}

/// The number of bits of a value; `None` if it is no fingerprint.
pub(crate) fn bits_of(json: &str) -> Option<u32> {
    let bits = read(json, 0, &mut Vec::new()).ok()?;
    (LEAST_BITS..=MOST_BITS).contains(&bits).then_some(bits)
}

/// Appends the bytes of a fingerprint, and returns how many bits it has. A number has as many as are wanted, and at most 64.
fn read(json: &str, wanted: u32, bytes: &mut Vec<u8>) -> Result<u32, String> {
    let before = bytes.len();
    if corpus::unpack_bytes(json, bytes) {
        return within_most(8 * (bytes.len() - before));
    }
    let json = json.trim_ascii();
    let Some(text) = json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        let number = match (json.parse::<u64>(), json.parse::<i64>()) {
            (Ok(number), _) => number,
            // The same bits, as a number with a sign.
            (_, Ok(number)) => number as u64,
            _ if json.starts_with(['[', '{', 't', 'f', 'n']) => {
                return Err("is no string of digits, and no whole number".into());
            }
            _ => return Err("is no whole number of at most 64 bits".into()),
        };
        let bits = if wanted == 0 { u64::BITS } else { wanted.min(u64::BITS) };
        if bits < u64::BITS && number >> bits != 0 {
            return Err(format!("has more than {bits} bits"));
        }
        bytes.extend_from_slice(&number.to_be_bytes()[8 - bits.div_ceil(8) as usize..]);
        return Ok(bits);
    };
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let is_hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    // What can be both is what has the wanted width.
    if is_hexadecimal && wanted != 0 && 4 * digits.len() != wanted as usize {
        if base64(text, bytes) && 8 * (bytes.len() - before) == wanted as usize {
            return Ok(wanted);
        }
        bytes.truncate(before);
    }
    if is_hexadecimal {
        if digits.len() % 2 != 0 {
            let number = if is_whole_number(json) { NUMBER_IN_STRING } else { "" };
            return Err(format!("has {} hexadecimal digits; two of them make a byte{number}", digits.len()));
        }
        within_most(4 * digits.len())?;
        let value = |digit: u8| (digit as char).to_digit(16).unwrap_or(0) as u8;
        bytes.extend(digits.as_bytes().chunks(2).map(|two| value(two[0]) << 4 | value(two[1])));
        return Ok(4 * digits.len() as u32);
    }
    match base64(text, bytes) {
        true => within_most(8 * (bytes.len() - before)),
        false => Err("is neither hexadecimal nor base64".into()),
    }
}

/// So many bits, if a fingerprint may have them.
fn within_most(bits: usize) -> Result<u32, String> {
    let most = |bits: &u32| *bits <= MOST_BITS;
    u32::try_from(bits).ok().filter(most).ok_or_else(|| format!("has more than {MOST_BITS} bits"))
}

/// Appends what base64 stands for, of either alphabet, with or without padding. Returns false if it is not base64.
fn base64(text: &str, bytes: &mut Vec<u8>) -> bool {
    let digits = text.trim_end_matches('=').as_bytes();
    let value = |digit: u8| match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    if digits.len() % 4 == 1 || digits.len() > 2 * MOST_BITS as usize {
        return false;
    }
    let (mut bits, mut held) = (0u32, 0u32);
    for &digit in digits {
        let Some(value) = value(digit) else { return false };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    // Bits that make no byte are not set.
    bits & ((1 << held) - 1) == 0
}

impl Values for Fingerprints {
    fn elements(&self, json: &str, _key: &Key, elements: &mut Vec<u64>) -> Result<(), String> {
        let mut bytes = Vec::with_capacity(MOST_BITS as usize / 8);
        self.bytes(json, &mut bytes)?;
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        elements.extend(bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)));
        Ok(())
    }

    fn content(&self, json: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
        self.bytes(json, bytes)
    }

    /// A row of an array is no text; its digits are.
    fn shown(&self, json: &str) -> Option<String> {
        let mut bytes = Vec::new();
        let digits = |byte: &u8| format!("{byte:02x}");
        corpus::unpack_bytes(json, &mut bytes)
            .then(|| format!("\"{}\"", bytes.iter().map(digits).collect::<String>()))
    }
}

/// Fingerprints that agree in a mask are candidates.
#[derive(Debug)]
pub(crate) struct Near {
    bits: u32,
    distance: u32,
    blocks: Blocks,
    /// The words of a fingerprint in which each mask has bits.
    masked: Vec<Range<usize>>,
}

impl Near {
    pub(crate) fn new(settings: &Settings) -> Self {
        let bits = settings.signature.bits.unwrap_or(USUAL_BITS);
        let distance = settings.matching.distance;
        let blocks = Blocks::new(bits, distance, settings.matching.recall, settings.signature.seed);
        let masked = |mask: &super::blocks::Mask| {
            let first = mask.iter().position(|word| *word != 0).unwrap_or(0);
            first..mask.iter().rposition(|word| *word != 0).map_or(first, |last| last + 1)
        };
        let masked = blocks.masks.iter().map(masked).collect();
        Self { bits, distance, blocks, masked }
    }

    fn words(lanes: &[u16]) -> impl Iterator<Item = u64> + '_ {
        lanes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|&[a, b, c, d]| u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48)
    }

    fn apart(a: &[u16], b: &[u16]) -> u32 {
        Self::words(a).zip(Self::words(b)).map(|(a, b)| (a ^ b).count_ones()).sum()
    }

    /// The masks in which two fingerprints agree.
    fn shared_masks(&self, a: &[u16], b: &[u16]) -> impl Iterator<Item = usize> {
        let agree = move |mask: &super::blocks::Mask| {
            Self::words(a).zip(Self::words(b)).zip(mask).all(|((a, b), mask)| (a ^ b) & mask == 0)
        };
        (0..self.blocks.masks.len()).filter(move |&band| agree(&self.blocks.masks[band]))
    }

    fn similarity(&self, distance: u32) -> f64 {
        1.0 - f64::from(distance) / f64::from(self.bits)
    }
}

impl Sketcher for Near {
    fn plan(&self) -> Plan {
        let share = self.similarity(self.distance);
        Plan {
            bands: self.blocks.masks.len(),
            rows: self.blocks.sampled.unwrap_or(0) as usize,
            recall_at_threshold: self.blocks.probability(self.bits, share, self.blocks.masks.len()),
            ..Plan::default()
        }
    }

    fn label(&self) -> String {
        let masks = self.blocks.masks.len();
        match self.blocks.sampled {
            None => format!("{masks} tables for a distance of {} of {} bits", self.distance, self.bits),
            Some(rows) => format!("{masks} bands of {rows} sampled bits"),
        }
    }

    fn lanes(&self) -> usize {
        // Whole words, of four lanes each.
        4 * self.bits.div_ceil(64) as usize
    }

    fn bands(&self) -> usize {
        self.blocks.masks.len()
    }

    fn sketch(
        &self,
        document: &Shingled<'_>,
        _buffers: &mut SketchBuffers,
        columns: &mut Columns,
    ) -> crate::Result<usize> {
        for word in document.hashes {
            columns.lanes.extend((0..4).map(|lane| (word >> (16 * lane)) as u16));
        }
        Ok(1)
    }

    fn key(&self, band: usize, lanes: &[u16]) -> u64 {
        let (mask, Range { start, end }) = (&self.blocks.masks[band], self.masked[band].clone());
        let end = end.min(lanes.len() / 4);
        let mut words = [0; MOST_BITS as usize / 64];
        let masked = Self::words(&lanes[4 * start.min(end)..4 * end]).zip(&mask[start.min(end)..end]);
        for (masked_word, (word, mask)) in words.iter_mut().zip(masked) {
            *masked_word = word & mask;
        }
        band_key(band, &words[..end - start.min(end)])
    }

    fn shared_keys(&self, a: &[u16], b: &[u16]) -> u32 {
        if Self::apart(a, b) > self.distance {
            return 0;
        }
        self.shared_masks(a, b).count() as u32
    }

    fn found_by(&self, a: &[u16], b: &[u16], shared: u32) -> FoundBy {
        match shared {
            _ if self.blocks.sampled.is_none() => FoundBy::Proof,
            1 => FoundBy::of_band(self.shared_masks(a, b).next()),
            _ => FoundBy::Several,
        }
    }

    fn screen(&self, pair: Sketches<'_>) -> crate::Result<Screening> {
        let distance = Self::apart(pair.a, pair.b);
        Ok(match distance <= self.distance {
            true => Screening::Similar { similarity: self.similarity(distance), distance },
            false => Screening::Unlike,
        })
    }

    fn likeness(&self, a: &[u16], b: &[u16]) -> Likeness {
        let distance = Self::apart(a, b);
        Likeness { similarity: self.similarity(distance), is_compared: distance <= self.distance }
    }

    fn has_distances(&self) -> bool {
        true
    }

    fn distance(&self, a: &[u16], b: &[u16]) -> Option<u32> {
        Some(Self::apart(a, b))
    }

    fn similarity_at(&self, distance: u32) -> Option<f64> {
        Some(self.similarity(distance))
    }

    fn near(&self, lanes: &[u16], pairs: &mut Vec<(u32, u32)>) -> bool {
        let words: Vec<u64> = Self::words(lanes).collect();
        wide_pairs(&words, self.lanes() / 4, self.distance, pairs);
        true
    }

    fn compares_groups(&self) -> bool {
        true
    }

    fn probability(&self, similarity: f64, _size: u64, without_one: bool) -> f64 {
        self.blocks.probability(self.bits, similarity, self.blocks.masks.len() - usize::from(without_one))
    }

    fn misses_pairs(&self) -> bool {
        self.blocks.sampled.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(json: &str, bits: u32) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        Fingerprints::new("hash", bits).content(json, &mut bytes)?;
        Ok(bytes)
    }

    #[test]
    fn fingerprints_are_read_in_every_form() {
        let expected = vec![0xff, 0x00, 0x12, 0x34];
        for json in
            ["`ff001234", "\"ff001234\"", "\"0xFF001234\"", "4278194740", "\"/wASNA==\"", "\"_wASNA\""]
        {
            assert_eq!(bytes(json, 32).unwrap(), expected, "{json}");
        }
        assert_eq!(bytes("-1", 64).unwrap(), [0xff; 8]);
        assert_eq!(bytes("\"0fffff\"", 20).unwrap(), bytes("1048575", 20).unwrap());
        assert_eq!(bits_of("\"ff001234\""), Some(32));
        assert_eq!(Fingerprints::new("hash", 32).shown("`ff001234").unwrap(), "\"ff001234\"");
        assert_eq!(bits_of("7"), Some(64));
        // Digits of base64 that could be hexadecimal are what has the wanted width.
        assert_eq!(bytes("\"AbCdEf01\"", 48).unwrap(), [0x01, 0xb0, 0x9d, 0x11, 0xfd, 0x35]);
        assert_eq!(bytes("\"AbCdEf01\"", 32).unwrap(), [0xab, 0xcd, 0xef, 0x01]);
        assert!(bytes("\"AbCdEf01\"", 64).unwrap_err().contains("32 bits"));
        assert_eq!(bits_of("\"ff\""), None);
    }

    #[test]
    fn a_pair_of_one_band_is_named_with_it() {
        let settings = Settings::default()
            .with_kind(crate::Kind::Fingerprints)
            .with_bits(Some(256))
            .with_distance(90)
            .with_recall(0.9);
        let near = Near::new(&settings);
        let band = near.blocks.masks[3];
        // They differ in one bit of every mask but one.
        let mut other = [0u16; 16];
        for mask in near.blocks.masks.iter().filter(|mask| **mask != band) {
            let own = (0..256).find(|bit| mask[bit / 64] & !band[bit / 64] & 1 << (bit % 64) != 0).unwrap();
            other[own / 16] |= 1 << (own % 16);
        }
        let alone = Near { distance: 256, ..near };
        assert_eq!(alone.shared_keys(&[0; 16], &other), 1);
        assert_eq!(alone.found_by(&[0; 16], &other, 1), FoundBy::Band(3));
        assert_eq!(alone.found_by(&[0; 16], &[0; 16], 7), FoundBy::Several);
    }

    #[test]
    fn whole_numbers_in_strings_are_recognised_if_there_are_several() {
        let is_refused = |all: &[&str]| {
            let mut numbers = NumbersInStrings::default();
            all.iter().for_each(|json| numbers.look(json));
            numbers.check("a.csv", "hash").is_err()
        };
        assert!(is_refused(&["\"1234567812345678\"", "\"17\""]));
        assert!(is_refused(&["\"1234567812345678\"", "\"1234567812345679\""]));
        // Leading zeros and letters are those of hexadecimal digits, and one value may be either.
        assert!(!is_refused(&["\"1234567812345678\"", "\"0234567812345679\""]));
        assert!(!is_refused(&["\"1234567812345678\"", "\"a234567812345679\""]));
        assert!(!is_refused(&["\"1234567812345678\"", "\"1234567812345678\""]));
        assert!(!is_refused(&["12345678", "17"]));
    }

    #[test]
    fn what_is_no_fingerprint_is_named_with_its_cause() {
        let cases = [
            ("\"ff0\"", 64, "3 hexadecimal digits"),
            ("\"ff00\"", 64, "has 16 bits, not 64"),
            ("\"xyz!\"", 64, "neither hexadecimal nor base64"),
            ("[1]", 64, "no string of digits"),
            ("null", 64, "no string of digits"),
            ("1.5", 64, "no whole number"),
            ("99999999999999999999", 64, "no whole number"),
            ("65536", 16, "more than 16 bits"),
            ("-1", 32, "more than 32 bits"),
            ("7", 256, "has 64 bits, not 256"),
            ("\"18446744073709551615\"", 64, "80 bits, not 64 as the others (see bits); digits in a string"),
            ("\"1844674407370955161\"", 64, "make a byte; digits in a string"),
            ("\"8f\"", 7, "has 8 bits, not 7"),
        ];
        for (json, bits, expected) in cases {
            let said = bytes(json, bits).unwrap_err();
            assert!(said.contains(expected), "{json}: {said}");
        }
        let long = format!("\"{}\"", "0".repeat(130));
        assert!(bytes(&long, 512).unwrap_err().contains("more than 512 bits"));
    }
}
