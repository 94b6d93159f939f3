//! `lookalike compare`: two texts -> how similar they are, and what they share.

use super::files::{check_page, write_page};
use super::job::{STANDARD, job};
use crate::arguments::CompareArguments;
use crate::failure::{Failure, Result};
use crate::interruption;
use crate::output::{Compared, Printer, Progress};
use crate::settings::{Layers, Purpose, Resolved};
use figures::{Estimate, Finding};
use lookalike::minhash::{BBitSignature, FastSketch, MinHasher};
use lookalike::normalization::Normalization;
use lookalike::passages;
use lookalike::shingling::{ShingleSet, Shingler};
use lookalike::simhash::SimHasher;
use pipeline::{Chances, Elements, Measure, Settings};
use std::path::Path;

/// Bytes of a shingle where bytes are compared.
const BYTES_OF_SHINGLE: usize = 8;

/// Bytes of memory for each byte of a text: both texts, their shingles with positions, and the page.
const MEMORY_PER_BYTE: u64 = 32;

/// Bits that a b-bit signature keeps of each hash.
const BITS: u32 = 2;

/// A text with its name, and whether it stands for bytes.
struct Input {
    name: String,
    text: String,
    is_binary: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: &CompareArguments, printer: &Printer) -> Result<()> {
    let (settings, [a, b]) = if arguments.corpus.is_empty() {
        let Resolved { settings, resources, .. } =
            Layers::read(arguments.choices(), Purpose::Duplicates)?.resolve()?;
        let most = resources.memory / MEMORY_PER_BYTE;
        if [&arguments.a, &arguments.b].iter().all(|name| *name == STANDARD) {
            return Err(Failure::usage("standard input cannot be both texts").with_advice("name a file"));
        }
        (settings, both_texts(file(&arguments.a, most)?, file(&arguments.b, most)?))
    } else {
        of_corpus(arguments, printer)?
    };
    if let Some(path) = &arguments.html {
        check_page(path)?;
    }
    if settings.signature.elements == Elements::Bag {
        return Err(Failure::usage("compare compares sets of shingles, not bags")
            .with_advice("leave out --elements bag"));
    }
    let chances = Chances::new(&settings)?;
    let is_binary = a.is_binary;
    let bytes_shingler;
    let mut notes = Vec::new();
    let (shingler, shingles) = if is_binary {
        notes.push(format!(
            "not both are text: compared as bytes, in sequences of {BYTES_OF_SHINGLE}; positions are those of bytes"
        ));
        bytes_shingler = byte_shingler()?;
        (&bytes_shingler, format!("{BYTES_OF_SHINGLE} bytes"))
    } else {
        (chances.shingler(), settings.signature.shingles.clone())
    };
    let mut comparison = passages::compare(&a.text, &b.text, shingler).map_err(library)?;
    if is_binary {
        in_bytes(&mut comparison, &a.text, &b.text);
    }
    let counts = comparison.counts;
    let similarity = match settings.matching.measure {
        Measure::Jaccard => (counts.jaccard(), "similarity"),
        Measure::Containment if counts.a <= counts.b => (counts.containment_of_a(), "containment"),
        Measure::Containment => (counts.containment_of_b(), "containment"),
    };
    let compared = Compared {
        similarity,
        estimates: estimates(&a.text, &b.text, shingler, &settings)?,
        finding: Finding {
            plan: chances.label(),
            threshold: settings.matching.threshold,
            probability: match settings.signature.method {
                pipeline::Method::Minhash => chances.of(similarity.0, counts.a.min(counts.b) as u64),
                pipeline::Method::Simhash => {
                    let cosine = cosine(counts.a, counts.b, counts.common);
                    lookalike::simhash::probability_within(settings.matching.distance, u64::BITS, cosine)
                        .map_err(library)?
                }
            },
        },
        names: [a.name, b.name],
        texts: [a.text, b.text],
        is_binary,
        comparison,
        shingles,
        notes,
        whole: arguments.whole,
    };
    if let Some(path) = &arguments.html {
        write_page(path, &compared.page())?;
        printer.written("the comparison", path);
    }
    printer.compared(&compared, arguments.html.is_some())
}

fn library(error: lookalike::Error) -> Failure {
    Failure::usage(error.to_string())
}

/// The bytes of a file, or of standard input, at most so many.
fn file(name: &str, most: u64) -> Result<(String, Vec<u8>)> {
    let bytes = if name == STANDARD {
        return Ok((name.to_owned(), corpus::read_stdin(most)?));
    } else if Path::new(name).exists() {
        return Ok((name.to_owned(), corpus::read_file(name.as_ref(), most)?));
    } else {
        std::fs::read(name)
    };
    let failure = |cause: &std::io::Error| {
        let failure = Failure::io("read", name, cause);
        if Path::new(name).exists() {
            return failure;
        }
        failure.with_advice("for documents of a corpus: lookalike compare ID ID --corpus INPUT")
    };
    Ok((name.to_owned(), bytes.map_err(|cause| failure(&cause))?))
}

/// Both as texts, or both as bytes: a character for each.
fn both_texts(a: (String, Vec<u8>), b: (String, Vec<u8>)) -> [Input; 2] {
    let is_text = |bytes: &[u8]| std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'));
    let is_binary = !is_text(&a.1) || !is_text(&b.1);
    [a, b].map(|(name, bytes)| {
        let text = if is_binary {
            bytes.iter().map(|&byte| char::from(byte)).collect()
        } else {
            String::from_utf8_lossy(&bytes).into_owned()
        };
        Input { name, text, is_binary }
    })
}

/// Sequences of bytes, as they are.
fn byte_shingler() -> Result<Shingler> {
    Shingler::characters(BYTES_OF_SHINGLE)
        .map(|shingler| shingler.with_normalization(Normalization::NONE))
        .map_err(library)
}

/// Positions in texts that stand for bytes -> positions of bytes.
fn in_bytes(comparison: &mut passages::Comparison, a: &str, b: &str) {
    let [a, b] = [a, b].map(passages::Characters::new);
    for passage in &mut comparison.passages {
        passage.a = a.convert(&passage.a);
        passage.b = b.convert(&passage.b);
        for run in &mut passage.runs {
            run.a = a.convert(&run.a);
            run.b = b.convert(&run.b);
        }
    }
}

/// The two documents of a corpus.
fn of_corpus(arguments: &CompareArguments, printer: &Printer) -> Result<(Settings, [Input; 2])> {
    let (job, put_by) = job(&arguments.corpus, None, arguments.choices(), Purpose::Duplicates, printer)?;
    interruption::begin_run(false)?;
    let progress = Progress::new(printer, &job).without_plan();
    let found = pipeline::texts(&job, &[&arguments.a, &arguments.b], &progress);
    progress.end();
    let input =
        |found: pipeline::TextOf| Input { name: found.document.id, text: found.text, is_binary: false };
    let mut found = found?.into_iter().map(input);
    drop(put_by);
    interruption::end_run();
    let (Some(a), Some(b)) = (found.next(), found.next()) else {
        return Err(Failure::usage("two documents are needed"));
    };
    Ok((job.settings, [a, b]))
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
    let common = lookalike::similarity::intersection_size(&a, &b);
    let exact = lookalike::similarity::jaccard(&a, &b);
    let hasher = FastSketch::new(settings.signature.hashes, settings.signature.seed).map_err(library)?;
    let [signature, other] = [&a, &b].map(|set| hasher.sketch(set.as_slice()));
    let whole = signature.estimate(&other).map_err(library)?;
    let cut = |signature| BBitSignature::new(signature, BITS).map_err(library);
    let bits = cut(&signature)?.estimate(&cut(&other)?).map_err(library)?;
    let simhasher: SimHasher<u64> = SimHasher::new(settings.signature.seed);
    let fingerprint = |set: &ShingleSet| simhasher.fingerprint(set.as_slice());
    let angle = fingerprint(&a).estimate(fingerprint(&b)).map_err(library)?;
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
            exact: cosine(a.len(), b.len(), common),
        },
    ])
}
