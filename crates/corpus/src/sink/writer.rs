//! The kept records of one source -> its output.

use super::annotation;
use super::output::Output;
use super::target::TargetKind;
use super::{Annotation, Disposition, SinkOptions, Target, Written};
use crate::block::Content;
use crate::npy::NpySink;
use crate::parquet::ParquetSink;
use crate::place::place_of;
use crate::raw::{Form, MARK, RawRecords};
use crate::{Block, Error, Format, Result, Source};
use std::path::{Path, PathBuf};

/// Writes the kept records of one source.
#[derive(Debug)]
pub struct SinkWriter {
    target: Target,
    source: Source,
    aside: PathBuf,
    options: SinkOptions,
    content: ContentWriter,
    records: u64,
    /// An annotated record, before it is written.
    record: Vec<u8>,
    /// True if the first record follows those of other sources in one stream.
    is_continued: bool,
}

#[derive(Debug)]
enum ContentWriter {
    /// JSON Lines and CSV.
    Records {
        output: Output,
        /// True if everything before the first record was written.
        begun: bool,
        /// True if the last byte that was written ended a line.
        ended: bool,
    },
    /// A text file; `None` if it is not kept.
    Text(Option<Output>),
    Parquet(Box<ParquetSink>),
    Npy(Box<NpySink>),
}

impl SinkWriter {
    /// Creates the output of `source` below `target`. `aside` is a local folder for unfinished files. It must be on
    /// the same file system as a local target.
    pub fn create(target: &Target, source: &Source, aside: &Path, options: SinkOptions) -> Result<Self> {
        let content = match source.format {
            Format::Text if options.annotate => return Err(text_annotated(source)),
            Format::Text => ContentWriter::Text(None),
            Format::Jsonl | Format::Csv { .. } => ContentWriter::Records {
                output: Output::create(target, source, aside, source.compression, options)?,
                begun: false,
                ended: true,
            },
            Format::Npy => {
                begin_stdout(target, source, &[])?;
                ContentWriter::Npy(Box::new(NpySink::create(target, source, aside, options)?))
            }
            Format::Table => {
                return Err(Error::Invalid(format!(
                    "{} is a table in memory and has no output file; use the decisions to select its kept rows",
                    source.name
                )));
            }
            Format::Parquet => {
                begin_stdout(target, source, &[])?;
                ContentWriter::Parquet(Box::new(ParquetSink::create(target, source, aside, options)?))
            }
        };
        let (target, source, aside) = (target.clone(), source.clone(), aside.to_owned());
        Ok(Self {
            target,
            source,
            aside,
            options,
            content,
            records: 0,
            record: Vec::new(),
            is_continued: false,
        })
    }

    /// Writes the records of a block, in order. `fate` is called for each slot.
    ///
    /// Blocks must be read with [`ReadMode::Whole`](crate::ReadMode::Whole), and all blocks must be passed, even a
    /// block without records: it brings the header of a CSV source that has no records.
    pub fn write(&mut self, block: &Block, fate: &mut dyn FnMut(usize) -> Disposition) -> Result<()> {
        match (&block.content, &mut self.content) {
            (Content::Raw(records), ContentWriter::Records { .. }) => {
                self.begin(&records.form)?;
                let source = self.source.clone();
                self.write_records(records, &|slot| place_of(&source, block, slot), fate)
            }
            (Content::Raw(records), ContentWriter::Text(_)) => self.write_text(records, fate),
            (Content::Rows(rows), ContentWriter::Parquet(sink)) => {
                self.records += sink.write(rows, fate)?;
                Ok(())
            }
            (Content::Raw(records), ContentWriter::Npy(sink)) => {
                self.records += sink.write(records, fate)?;
                Ok(())
            }
            _ => Err(Error::Invalid(format!(
                "the output of {} was given a block of another format",
                self.source.name
            ))),
        }
    }

    /// Writes everything before the first record: the header of CSV.
    fn begin(&mut self, form: &Form) -> Result<()> {
        let ContentWriter::Records { output, begun, ended } = &mut self.content else { return Ok(()) };
        if std::mem::replace(begun, true) {
            return Ok(());
        }
        let header = match form {
            Form::Csv(header) => Some(header),
            Form::Jsonl | Form::Text | Form::Npy(_) => None,
        };
        let bytes = header.map_or(&[][..], |header| &header.bytes);
        if !begin_stdout(&self.target, &self.source, bytes)? {
            // In the middle of a stream there is no byte order mark.
            self.is_continued = true;
            return Ok(());
        }
        let Some(header) = header.filter(|header| !header.bytes.is_empty()) else { return Ok(()) };
        if !self.options.annotate {
            *ended = header.bytes.ends_with(b"\n");
            return output.put(&header.bytes);
        }
        self.record.clear();
        annotation::csv_header(&header.bytes, &header.names, header.delimiter, &mut self.record)
            .map_err(|why| Error::Invalid(format!("{} cannot be annotated: {why}", self.source.name)))?;
        *ended = self.record.ends_with(b"\n");
        output.put(&self.record)
    }

    fn write_records(
        &mut self,
        records: &RawRecords,
        place: &dyn Fn(usize) -> String,
        fate: &mut dyn FnMut(usize) -> Disposition,
    ) -> Result<()> {
        let ContentWriter::Records { output, ended, .. } = &mut self.content else { return Ok(()) };
        let csv = match &records.form {
            Form::Csv(header) => Some((header.delimiter, header.names.len())),
            Form::Jsonl | Form::Text | Form::Npy(_) => None,
        };
        // Every CSV record needs all columns of the header.
        let pad = csv.filter(|_| self.options.annotate);
        let bytes = records.bytes();
        // Consecutive kept records are written in one piece.
        let mark = if self.is_continued && csv.is_none() && bytes.starts_with(MARK) { MARK.len() } else { 0 };
        self.is_continued = false;
        let (mut kept_from, mut begin) = (mark, mark);
        let mut put = |piece: &[u8]| {
            if let Some(last) = piece.last() {
                *ended = *last == b'\n';
                output.put(piece)?;
            }
            Ok(())
        };
        for (slot, &end) in records.ends.iter().enumerate() {
            let slot_begin = records.begin(slot).max(mark);
            if slot_begin != begin {
                // Empty lines are not written.
                put(&bytes[kept_from..begin])?;
                (kept_from, begin) = (slot_begin, slot_begin);
            }
            let fate = fate(slot);
            if matches!(fate, Disposition::Keep) && pad.is_none() {
                self.records += 1;
                begin = end;
                continue;
            }
            put(&bytes[kept_from..begin])?;
            let line = &bytes[begin..end];
            (kept_from, begin) = (end, end);
            let said = match fate {
                Disposition::Drop => continue,
                Disposition::Keep => None,
                Disposition::Annotate(said) => Some(said),
            };
            self.record.clear();
            annotate(line, said.as_ref(), csv, self.options, &mut self.record).map_err(|why| {
                Error::Invalid(format!("{}, {} cannot be annotated: {why}", self.source.name, place(slot)))
            })?;
            put(&self.record)?;
            self.records += 1;
        }
        put(&bytes[kept_from..begin])
    }

    fn write_text(&mut self, records: &RawRecords, fate: &mut dyn FnMut(usize) -> Disposition) -> Result<()> {
        let ContentWriter::Text(output) = &mut self.content else { return Ok(()) };
        for (slot, bytes) in records.slots().enumerate() {
            match fate(slot) {
                Disposition::Drop => {}
                Disposition::Annotate(_) => return Err(text_annotated(&self.source)),
                Disposition::Keep => {
                    begin_stdout(&self.target, &self.source, &[])?;
                    let created = match output.take() {
                        Some(output) => output,
                        None => Output::create(
                            &self.target,
                            &self.source,
                            &self.aside,
                            self.source.compression,
                            self.options,
                        )?,
                    };
                    output.insert(created).put(bytes)?;
                    self.records += 1;
                }
            }
        }
        Ok(())
    }

    /// Completes the output: syncs it and moves it to its place. A text file that is removed is not written.
    pub fn finish(self) -> Result<Written> {
        let bytes = match self.content {
            ContentWriter::Records { mut output, ended, .. } => {
                // The next source must begin on a new line.
                if self.target.is_stdout() && !ended {
                    output.put(b"\n")?;
                }
                Some(output.finish()?)
            }
            ContentWriter::Text(output) => output.map(Output::finish).transpose()?,
            ContentWriter::Parquet(sink) => Some(sink.finish()?),
            ContentWriter::Npy(sink) => sink.finish()?,
        };
        Ok(Written { records: self.records, bytes })
    }
}

fn annotate(
    line: &[u8],
    said: Option<&Annotation>,
    csv: Option<(u8, usize)>,
    options: SinkOptions,
    record: &mut Vec<u8>,
) -> std::result::Result<(), String> {
    match (csv, said) {
        (None, Some(said)) => annotation::json_line(line, said, record),
        (None, None) => {
            record.extend_from_slice(line);
            Ok(())
        }
        (Some((delimiter, columns)), said) if options.annotate => {
            annotation::csv_record(line, said, columns, delimiter, record);
            Ok(())
        }
        (Some(_), _) => Err("its header was written without the fields for annotations".to_owned()),
    }
}

/// Tells standard output which source comes next. Returns true if its header must be written first.
fn begin_stdout(target: &Target, source: &Source, header: &[u8]) -> Result<bool> {
    match &target.kind {
        TargetKind::Stdout(stdout) => stdout.begin(&source.name, source.format, header),
        TargetKind::Named(_) => Ok(true),
    }
}

fn text_annotated(source: &Source) -> Error {
    Error::Invalid(format!(
        "{}: plain text files cannot be annotated; run `lookalike clusters` to see which documents belong \
         together, or give the texts as JSON Lines",
        source.name
    ))
}
