//! Writes a seeded corpus to a file: `generate planted|short|pages|near-copies|templated|slotted|footers COUNT FILE [SEED]`.

use std::fs::File;
use std::io::{BufWriter, Write};
use testkit::corpora::{Document, Pages, Planted, near_copies, slotted, templated, with_footer, write_jsonl};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [kind, count, file, rest @ ..] = words.as_slice() else {
        return Err(
            "usage: generate planted|short|pages|near-copies|templated|slotted|footers COUNT FILE [SEED]"
                .into(),
        );
    };
    let count: usize = count.parse()?;
    let seed = rest.first().map_or(Ok(1), |seed| seed.parse())?;
    let planted = Planted { documents: count, seed, ..Planted::default() };
    let short = Planted::short(count, seed);
    let pages = Pages { pages: count, seed, ..Pages::default() };
    let documents: Box<dyn Iterator<Item = Document>> = match kind.as_str() {
        "planted" => Box::new(planted.iter()),
        "short" => Box::new(short.iter()),
        "pages" => Box::new(pages.iter()),
        "near-copies" => Box::new(near_copies(count, 600, seed)),
        "slotted" => Box::new(slotted(count, 12, 12, 16, seed)),
        "footers" => Box::new(with_footer(count, 100, 60, seed)),
        "templated" => Box::new(templated(count, 2_000, 0.7, seed)),
        other => return Err(format!("unknown corpus `{other}`").into()),
    };
    let mut out = BufWriter::with_capacity(1 << 20, File::create(file)?);
    write_jsonl(documents, &mut out)?;
    Ok(out.flush()?)
}
