//! Two texts -> how similar they are, what sketches make of it, and what the texts share.

use crate::{Error, Result};
use figures::{CompareData, Estimate, Finding, NamedText, compare_page};
use lookalike::minhash::{BBitSignature, FastSketch, MinHasher};
use lookalike::normalization::Normalization;
use lookalike::passages::{self, Characters, Comparison, Place};
use lookalike::shingling::{ShingleSet, Shingler};
use lookalike::simhash::{SimHasher, probability_within};
use lookalike::similarity::{intersection_size, jaccard};
use pipeline::{Chances, Elements, Measure, Method, Settings};

/// Bytes of a shingle where bytes are compared.
const BYTES_OF_SHINGLE: usize = 8;

/// Bits that a b-bit signature keeps of each hash.
const BITS: u32 = 2;

/// Two texts with their names.
#[derive(Debug, Clone)]
pub struct TwoTexts {
    /// What they are called.
    pub names: [String; 2],
    /// The texts: a character for each byte if they stand for bytes.
    pub texts: [String; 2],
    /// Whether they stand for bytes.
    pub is_binary: bool,
}

impl TwoTexts {
    /// Two files: as texts if both are, else as bytes.
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

/// Two texts and what they have in common.
#[derive(Debug, Clone)]
pub struct Compared {
    /// The texts.
    pub of: TwoTexts,
    /// The shared passages, with their places in bytes.
    pub comparison: Comparison,
    /// In what they were compared: `words:5`.
    pub shingles: String,
    /// What sketches make of the pair.
    pub estimates: Vec<Estimate>,
    /// Whether a run would find it.
    pub finding: Finding,
    /// The similarity that the threshold is for, exactly.
    pub similarity: f64,
    /// What it is called.
    pub measure: &'static str,
    /// What else there is to say.
    pub notes: Vec<String>,
}

/// Compares two texts.
pub fn compare(of: TwoTexts, settings: &Settings) -> Result<Compared> {
    if settings.signature.elements == Elements::Bag {
        return Err(Error::Bags);
    }
    let chances = Chances::new(settings)?;
    let [a, b] = &of.texts;
    let (shingler, shingles, notes) = if of.is_binary {
        let note = format!(
            "not both are text: compared as bytes, in sequences of {BYTES_OF_SHINGLE}; positions are those of bytes"
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
    let (similarity, measure) = match settings.matching.measure {
        Measure::Jaccard => (counts.jaccard(), "similarity"),
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
    /// Bytes of the first or the second text.
    #[must_use]
    pub fn bytes(&self, at: usize) -> usize {
        let text = &self.of.texts[at];
        if self.of.is_binary { text.chars().count() } else { text.len() }
    }

    /// The page: numbers, both texts side by side, and the passages.
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

/// The place of a passage as it is written: `in-order`.
#[must_use]
pub fn place_name(place: Place) -> &'static str {
    match place {
        Place::InOrder => "in-order",
        Place::Moved => "moved",
        Place::RepeatedInA => "repeated-in-a",
        Place::RepeatedInB => "repeated-in-b",
    }
}

/// Positions in bytes of the two texts -> positions in their characters.
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

/// Sequences of bytes, as they are.
fn byte_shingler() -> Result<Shingler> {
    Ok(Shingler::characters(BYTES_OF_SHINGLE)?.with_normalization(Normalization::NONE))
}

/// The cosine of two sets as vectors of zeros and ones.
fn cosine(a: usize, b: usize, common: usize) -> f64 {
    if a == 0 || b == 0 {
        return f64::from(u8::from(a == b));
    }
    common as f64 / (a as f64 * b as f64).sqrt()
}

/// What sketches make of the pair.
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
