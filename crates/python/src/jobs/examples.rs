//! The removed documents of a run in memory -> the examples that its page shows, with the texts of rows.
//!
//! The examples are made when the run ends, because the table may have changed when the page is requested. There are
//! a few hundred documents at most, so they need little time and memory.

use corpus::{
    Block, FieldPath, Fields, Limits, Location, Position, ReadMode, Reader, Record, RemovedRow, Source,
};
use explain::examples::{Chosen, Examples, SHOWN, Shown};
use pipeline::{Excerpt, Job, Kind, RunPair};
use std::collections::{BTreeMap, HashMap};

/// The lowest bits of a document's number are its line. The bits above them are its source.
const LINE_BITS: u32 = 40;

/// Limits that read one row at a time.
const ONE_ROW: Limits = Limits { block_bytes: 1, record_bytes: u64::MAX, records: 1 };

/// The examples of a run that removed these rows.
pub(super) fn examples(job: &Job, removed: &[RemovedRow]) -> corpus::Result<Examples> {
    let numbering = Numbering::new(job);
    let pairs: Vec<RunPair> = removed.iter().filter_map(|row| numbering.pair(row)).collect();
    let chosen = Chosen::of_removed(&pairs);
    let ids = numbering.ids(&chosen.documents(), removed);
    let mut readers: Vec<Option<Reader>> = numbering.sources.iter().map(|_| None).collect();
    let mut shown = Vec::new();
    let mut is_in_files = false;
    for (number, id) in ids {
        let (source, line) = place_of(number);
        let text = match numbering.sources[source].location {
            Location::Memory(_) => text(&mut readers[source], numbering.sources[source], job, line)?,
            _ => None,
        };
        is_in_files |= text.is_none();
        shown.push(numbering.shown(source, line, id, text));
    }
    Ok(Examples::new(chosen, shown, is_in_files.then(|| note(job))))
}

fn note(job: &Job) -> String {
    let is_in_memory = job.sources.iter().all(|source| matches!(source.location, Location::Memory(_)));
    let advice = if is_in_memory { "" } else { "; pass output= to see them" };
    format!("the report shows no texts: a run without an output folder does not read files again{advice}")
}

/// The sources of a job, and the numbers of their documents. Numbers are in input order.
struct Numbering<'j> {
    /// All sources; those of `against` come first.
    sources: Vec<&'j Source>,
    by_name: HashMap<&'j str, u64>,
    against: usize,
}

impl<'j> Numbering<'j> {
    fn new(job: &'j Job) -> Self {
        let sources: Vec<&Source> = job.against.iter().chain(&job.sources).collect();
        // If a source of `against` and a source of the corpus have the same name, the source of the corpus is meant.
        let by_name = (0..).zip(&sources).map(|(at, source)| (source.name.as_str(), at)).collect();
        Self { sources, by_name, against: job.against.len() }
    }

    fn number(&self, source: &str, line: u64) -> Option<u64> {
        Some(self.by_name.get(source)? << LINE_BITS | line)
    }

    /// A removed document and its kept document; `None` for a bad record.
    fn pair(&self, row: &RemovedRow) -> Option<RunPair> {
        Some(RunPair {
            kept: self.number(row.kept_source.as_deref()?, row.kept_line?)?,
            other: self.number(&row.source, row.line)?,
            similarity: row.similarity,
            is_exact: row.kind == "exact",
        })
    }

    /// The ids of these documents.
    fn ids<'r>(&self, documents: &[u64], removed: &'r [RemovedRow]) -> BTreeMap<u64, &'r str> {
        let mut ids: BTreeMap<u64, &str> = documents.iter().map(|&number| (number, "")).collect();
        for row in removed {
            let Some(pair) = self.pair(row) else { continue };
            for (number, id) in [(pair.other, Some(row.id.as_str())), (pair.kept, row.kept_id.as_deref())] {
                if let (Some(known), Some(id)) = (ids.get_mut(&number), id) {
                    *known = id;
                }
            }
        }
        ids
    }

    /// A document with the name that it has in Python. A row without an id is named by its number, counted from 0.
    fn shown(&self, source: usize, line: u64, id: &str, text: Option<Excerpt>) -> Shown {
        let name = &self.sources[source].name;
        if text.is_none() {
            return Shown::new(id.to_owned(), format!("{name}, line {line}"), None);
        }
        let of = if source < self.against { " of against" } else { "" };
        let row = format!("row {}{of}", line - 1);
        if id == format!("{name}:{line}") {
            Shown::new(row, String::new(), text)
        } else {
            Shown::new(id.to_owned(), row, text)
        }
    }
}

/// The source and the line of a document.
fn place_of(number: u64) -> (usize, u64) {
    ((number >> LINE_BITS) as usize, number & ((1 << LINE_BITS) - 1))
}

/// The beginning of the text in a row of a table.
fn text(
    reader: &mut Option<Reader>,
    source: &Source,
    job: &Job,
    line: u64,
) -> corpus::Result<Option<Excerpt>> {
    let path = FieldPath::new(&job.settings.files.text_field);
    // A list, a map or bytes are read as JSON, as the run read them.
    let fields = Fields::text(if job.settings.signature.kind == Kind::Text { path } else { path.as_json() });
    let reader = match reader {
        Some(reader) => reader,
        closed => closed.insert(Reader::open(source, ReadMode::Fields, &fields, ONE_ROW)?),
    };
    reader.advance_to(Position { offset: line - 1, record: line - 1 })?;
    let mut block = Block::default();
    reader.next_block(&mut block)?;
    let mut text = None;
    block.visit(&fields, Some(&[0]), &mut Default::default(), &mut |_, record| {
        if let Record::Document(document) = record {
            text = Some(Excerpt::of(document.text, SHOWN));
        }
        Ok(())
    })?;
    Ok(text)
}
