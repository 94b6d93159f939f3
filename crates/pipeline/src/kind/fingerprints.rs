//! JSON -> the bits of a fingerprint; and the method that finds fingerprints at most some bits apart.
//!
//! A fingerprint is written as hexadecimal digits (with or without `0x`), as base64, or as a whole number of up to 64 bits. Its lanes
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
        let bits =
            read(json, self.bits, bytes).map_err(|wrong| format!("the field `{}` {wrong}", self.field))?;
        if bits == self.bits {
            return Ok(());
        }
        Err(format!("the field `{}` has {bits} bits, not {} as the others (see bits)", self.field, self.bits))
    }
}

/// The number of bits of a value; `None` if it is no fingerprint.
pub(crate) fn bits_of(json: &str) -> Option<u32> {
    let bits = read(json, 0, &mut Vec::new()).ok()?;
    (LEAST_BITS..=MOST_BITS).contains(&bits).then_some(bits)
}

/// Appends the bytes of a fingerprint, and returns how many bits it has. A number has as many as are wanted, and at most 64.
fn read(json: &str, wanted: u32, bytes: &mut Vec<u8>) -> Result<u32, String> {
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
    if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        if digits.len() % 2 != 0 {
            return Err(format!("has {} hexadecimal digits; two of them make a byte", digits.len()));
        }
        if digits.len() > 2 * MOST_BITS as usize / 8 {
            return Err(format!("has more than {MOST_BITS} bits"));
        }
        let value = |digit: u8| (digit as char).to_digit(16).unwrap_or(0) as u8;
        bytes.extend(digits.as_bytes().chunks(2).map(|two| value(two[0]) << 4 | value(two[1])));
        return Ok(4 * digits.len() as u32);
    }
    let before = bytes.len();
    match base64(text, bytes) {
        true if bytes.len() - before <= MOST_BITS as usize / 8 => Ok(8 * (bytes.len() - before) as u32),
        true => Err(format!("has more than {MOST_BITS} bits")),
        false => Err("is neither hexadecimal nor base64".into()),
    }
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
        let agree = |mask: &&super::blocks::Mask| {
            Self::words(a).zip(Self::words(b)).zip(mask.iter()).all(|((a, b), mask)| (a ^ b) & mask == 0)
        };
        self.blocks.masks.iter().filter(agree).count() as u32
    }

    fn found_by(&self, _a: &[u16], _b: &[u16], _shared: u32) -> FoundBy {
        if self.blocks.sampled.is_none() { FoundBy::Proof } else { FoundBy::Several }
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
        for json in ["\"ff001234\"", "\"0xFF001234\"", "4278194740", "\"/wASNA==\"", "\"_wASNA\""] {
            assert_eq!(bytes(json, 32).unwrap(), expected, "{json}");
        }
        assert_eq!(bytes("-1", 64).unwrap(), [0xff; 8]);
        assert_eq!(bits_of("\"ff001234\""), Some(32));
        assert_eq!(bits_of("7"), Some(64));
        assert_eq!(bits_of("\"ff\""), None);
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
        ];
        for (json, bits, expected) in cases {
            let said = bytes(json, bits).unwrap_err();
            assert!(said.contains(expected), "{json}: {said}");
        }
        let long = format!("\"{}\"", "0".repeat(130));
        assert!(bytes(&long, 512).unwrap_err().contains("more than 512 bits"));
    }
}
