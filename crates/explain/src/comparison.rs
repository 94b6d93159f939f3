//! Two texts -> how similar they are, what sketches estimate, and which passages they share.

use crate::{Error, Result};
use figures::{CompareData, Estimate, Finding, NamedText, compare_page};
use lookalike::minhash::{BBitSignature, FastSketch, MinHasher};
use lookalike::normalization::Normalization;
use lookalike::passages::{self, Characters, Comparison, Place};
use lookalike::shingling::{ShingleSet, Shingler};
use lookalike::simhash::{SimHasher, probability_within};
use lookalike::similarity::{intersection_size, jaccard};
use pipeline::{Chances, Elements, Measure, Method, Settings};

/// The number of bytes in a shingle, if the files are compared as bytes.
const BYTES_OF_SHINGLE: usize = 8;

/// The number of bits that the b-bit signature keeps of each hash.
const BITS: u32 = 2;

/// Two texts with their names.
#[derive(Debug, Clone)]
pub struct TwoTexts {
    /// The names of the texts.
    pub names: [String; 2],
    /// The texts. If they represent bytes, each character is one byte.
    pub texts: [String; 2],
    /// True if the texts represent bytes.
    pub is_binary: bool,
}

impl TwoTexts {
    /// The contents of two files: as text if both are text, otherwise as bytes.
    #[must_use]
    pub fn of_bytes(names: [String; 2], contents: [Vec<u8>; 2]) -> Self {
        let is_text = |bytes: &Vec<u8>| std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'));
        let is_binary = !contents.iter().all(is_text);
        let texts = contents.map(|bytes| {
            if is_binary {
                bytes.iter().map(|&byte| char::from(byte)).collect()
            } else {
                String::from_utf8_lossy(&bytes).into_owned()
            }
        });
        Self { names, texts, is_binary }
    }
}

/// The result of comparing two texts.
#[derive(Debug, Clone)]
pub struct Compared {
    /// The texts.
    pub of: TwoTexts,
    /// The shared passages, with their positions in bytes.
    pub comparison: Comparison,
    /// The shingles in which the texts were compared: `words:5`.
    pub shingles: String,
    /// The similarity as each kind of sketch estimates it.
    pub estimates: Vec<Estimate>,
    /// The probability that a run would find the pair.
    pub finding: Finding,
    /// The exact similarity that is compared with the threshold.
    pub similarity: f64,
    /// The name of this similarity: `similarity` or `containment`.
    pub measure: &'static str,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// Compares two texts with these settings.
pub fn compare(of: TwoTexts, settings: &Settings) -> Result<Compared> {
    if settings.signature.elements == Elements::Bag {
        return Err(Error::Bags);
    }
    let chances = Chances::new(settings)?;
    let [a, b] = &of.texts;
    let (shingler, shingles, notes) = if of.is_binary {
        let note = format!(
            "at least one file is not text, so both were compared as bytes, in sequences of {BYTES_OF_SHINGLE}; positions are in bytes"
        );
        (byte_shingler()?, format!("{BYTES_OF_SHINGLE} bytes"), vec![note])
    } else {
        (chances.shingler().clone(), settings.signature.shingles.clone(), Vec::new())
    };
    let mut comparison = passages::compare(a, b, &shingler)?;
    if of.is_binary {
        in_characters(&mut comparison, a, b);
    }
    let counts = comparison.counts;
    let (similarity, measure) = match settings.signature.measure {
        Measure::Jaccard | Measure::WeightedJaccard => (counts.jaccard(), "similarity"),
        Measure::Containment if counts.a <= counts.b => (counts.containment_of_a(), "containment"),
        Measure::Containment => (counts.containment_of_b(), "containment"),
    };
    let probability = match settings.signature.method {
        Method::Minhash => chances.of(similarity, counts.a.min(counts.b) as u64),
        Method::Simhash => probability_within(
            settings.matching.distance,
            u64::BITS,
            cosine(counts.a, counts.b, counts.common),
        )?,
    };
    Ok(Compared {
        estimates: estimates(a, b, &shingler, settings)?,
        finding: Finding { plan: chances.label(), threshold: settings.matching.threshold, probability },
        of,
        comparison,
        shingles,
        similarity,
        measure,
        notes,
    })
}

impl Compared {
    /// The length of the first (0) or the second (1) text, in bytes.
    #[must_use]
    pub fn bytes(&self, at: usize) -> usize {
        let text = &self.of.texts[at];
        if self.of.is_binary { text.chars().count() } else { text.len() }
    }

    /// The comparison as a page of HTML: the numbers, both texts side by side, and the shared passages.
    #[must_use]
    pub fn page(&self) -> String {
        let empty = Comparison { counts: self.comparison.counts, passages: Vec::new() };
        let TwoTexts { names, texts, is_binary } = &self.of;
        let [a, b] =
            [0, 1].map(|at| NamedText { name: &names[at], text: if *is_binary { "" } else { &texts[at] } });
        compare_page(&CompareData {
            a,
            b,
            comparison: if *is_binary { &empty } else { &self.comparison },
            shingles: self.shingles.clone(),
            estimates: self.estimates.clone(),
            finding: Some(self.finding.clone()),
            notes: self.notes.clone(),
        })
    }
}

/// The place of a passage, as it is written in answers: `in-order`.
#[must_use]
pub fn place_name(place: Place) -> &'static str {
    match place {
        Place::InOrder => "in-order",
        Place::Moved => "moved",
        Place::RepeatedInA => "repeated-in-a",
        Place::RepeatedInB => "repeated-in-b",
    }
}

/// Converts positions from bytes to characters of the two texts.
pub fn in_characters(comparison: &mut Comparison, a: &str, b: &str) {
    let [a, b] = [a, b].map(Characters::new);
    for passage in &mut comparison.passages {
        passage.a = a.convert(&passage.a);
        passage.b = b.convert(&passage.b);
        for run in &mut passage.runs {
            run.a = a.convert(&run.a);
            run.b = b.convert(&run.b);
        }
    }
}

/// A shingler that cuts sequences of bytes, without normalisation.
fn byte_shingler() -> Result<Shingler> {
    Ok(Shingler::characters(BYTES_OF_SHINGLE)?.with_normalization(Normalization::NONE))
}

/// The cosine similarity of two sets, as vectors of zeros and ones.
fn cosine(a: usize, b: usize, common: usize) -> f64 {
    if a == 0 || b == 0 {
        return f64::from(u8::from(a == b));
    }
    common as f64 / (a as f64 * b as f64).sqrt()
}

/// The similarity as each kind of sketch estimates it.
fn estimates(a: &str, b: &str, shingler: &Shingler, settings: &Settings) -> Result<Vec<Estimate>> {
    let [a, b]: [ShingleSet; 2] = [shingler.set(a), shingler.set(b)];
    let exact = jaccard(&a, &b);
    let hasher = FastSketch::new(settings.signature.hashes, settings.signature.seed)?;
    let [signature, other] = [&a, &b].map(|set| hasher.sketch(set.as_slice()));
    let whole = signature.estimate(&other)?;
    let cut = |signature| BBitSignature::new(signature, BITS);
    let bits = cut(&signature)?.estimate(&cut(&other)?)?;
    let simhasher: SimHasher<u64> = SimHasher::new(settings.signature.seed);
    let fingerprint = |set: &ShingleSet| simhasher.fingerprint(set.as_slice());
    let angle = fingerprint(&a).estimate(fingerprint(&b))?;
    let jaccard = |sketch: String, estimate: lookalike::minhash::Estimate| Estimate {
        sketch,
        measure: "Jaccard".into(),
        value: estimate.similarity,
        standard_error: estimate.standard_error,
        exact,
    };
    Ok(vec![
        jaccard(format!("MinHash, {} hashes", settings.signature.hashes), whole),
        jaccard(format!("{BITS}-bit MinHash, {} hashes", settings.signature.hashes), bits),
        Estimate {
            sketch: format!("SimHash, 64 bits, {} apart", angle.distance),
            measure: "cosine".into(),
            value: angle.cosine,
            standard_error: angle.cosine_standard_error,
            exact: cosine(a.len(), b.len(), intersection_size(&a, &b)),
        },
    ])
}
