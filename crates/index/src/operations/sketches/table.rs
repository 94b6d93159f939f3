//! Parquet files of sketches, as the stages of other engines write them, as a source of documents.

use super::Take;
use crate::document::{Content, Document, Imported, KnownText};
use crate::engine::check_id;
use crate::operations::sources::bad_record;
use crate::{Error, Index, Result};
use corpus::{Block, FieldPath, Fields, Format, Limits, ReadMode, Reader, Source};
use pipeline::{Observer, Reference, Stage};

/// What such a file does not say.
pub(super) const UNKNOWN: &str = "it does not say with which settings it was made; answers are right only if these are the settings of the index";

/// Records and bytes of a block that is read.
const BLOCK_ROWS: usize = 8_192;
const BLOCK_BYTES: usize = 1 << 20;

/// Parquet files of sketches, in order.
#[derive(Debug)]
pub struct SketchTable {
    sources: Vec<Source>,
    name: String,
}

impl SketchTable {
    /// The sources as files of sketches; `None` if they are something else: not all are Parquet files, or the first one has
    /// a column for the text, or lacks one of a sketch.
    pub fn of(sources: &[Source], text_field: &str) -> Result<Option<Self>> {
        let Some(first) = sources.first() else { return Ok(None) };
        if sources.iter().any(|source| source.format != Format::Parquet) {
            return Ok(None);
        }
        let schema = corpus::parquet_schema(first).map_err(pipeline::Error::from)?;
        if schema.field_with_name(text_field).is_ok() || !stages::are_sketches(&schema) {
            return Ok(None);
        }
        let name = match sources {
            [only] => only.name.clone(),
            many => format!("{} and {} more files", first.name, many.len() - 1),
        };
        Ok(Some(Self { sources: sources.to_vec(), name }))
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What stands for the files; `None` if they cannot be known again.
    pub(super) fn fingerprint(&self) -> Option<String> {
        let is_lasting = |source: &Source| {
            matches!(source.location, corpus::Location::Local(_) | corpus::Location::Object(_))
        };
        let all = format!("sketches {:?}", self.sources);
        self.sources
            .iter()
            .all(is_lasting)
            .then(|| format!("{:032x}", pipeline::content_hash(all.as_bytes())))
    }

    /// Hands out the documents, file after file. Returns how many rows have none.
    pub(super) fn feed(
        &self,
        index: &Index,
        memory: u64,
        observer: &dyn Observer,
        take: &mut Take<'_>,
    ) -> Result<u64> {
        let lanes = index.engine.documents.lanes();
        // Whole rows are read; the signature stands for a text.
        let fields = Fields::text(FieldPath::new("signature"));
        let limits = Limits { block_bytes: BLOCK_BYTES, record_bytes: memory / 4, records: BLOCK_ROWS };
        observer.started(Stage::Sketch, self.sources.iter().map(|source| source.size).sum());
        let mut without = 0;
        for source in &self.sources {
            let failed = |cause: corpus::Error| Error::from(pipeline::Error::from(cause));
            let mut reader = Reader::open(source, ReadMode::Whole, &fields, limits).map_err(failed)?;
            let mut block = Block::default();
            while reader.next_block(&mut block).map_err(failed)? {
                if observer.interrupted() {
                    return Err(pipeline::Error::Interrupted.into());
                }
                let Some(batch) = block.batch() else { continue };
                let rows = stages::sketch_rows(batch, lanes)
                    .map_err(|cause| pipeline::Error::Invalid(format!("{}: {cause}", source.name)))?;
                for (row, found) in rows.into_iter().enumerate() {
                    let Some(found) = found else {
                        without += 1;
                        continue;
                    };
                    if let Err(wrong) = check_id(&found.id) {
                        let line = block.number(row);
                        let record = Reference { id: found.id, source: source.name.clone(), line };
                        return Err(bad_record(&record, wrong.to_string()).into());
                    }
                    take(document(found))?;
                }
            }
            observer.advanced(Stage::Sketch, source.size);
        }
        observer.finished(Stage::Sketch);
        Ok(without)
    }
}

fn document(row: stages::SketchRow) -> Document {
    let imported = Imported {
        text: KnownText::Copy(row.copy_hash),
        shingles: row.shingles,
        within: row.within,
        hash_only: row.hash_only,
        ..Imported::new(row.lanes)
    };
    Document::of(row.id, Content::Imported(Box::new(imported)))
}
