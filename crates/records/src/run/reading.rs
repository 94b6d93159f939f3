//! Sources -> a table, and where each record stands.

use super::{
    Checksums, Decision, Decisions, Error, FieldsWritten, Job, Keep, OnBadRecord, Result, Stop, WantedField,
};
use crate::strings::{Scratch, edits};
use crate::table::{Side, Table};
use crate::texts::Strings;
use corpus::{
    Block, Cells, Format, Limits, MOST_COLUMNS, Reader, Source, column_names, fields_there_are, place_of,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A field with one of these names is the id of a record, unless another one is named, or one of its values occurs twice.
const ID_NAMES: [&str; 3] = ["id", "rec_id", "record_id"];

/// The memory of the program itself and of what is being read, in bytes.
pub(super) const BASE: u64 = 24 << 20;

/// The sizes of blocks.
pub(super) const LIMITS: Limits = Limits { block_bytes: 1 << 20, record_bytes: 64 << 20, records: 8_192 };

/// A record that was not compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bad {
    pub(super) slot: u64,
    /// Its number in the source, from 1.
    pub(super) line: u64,
    pub(super) reason: String,
}

/// The records of a run.
#[derive(Debug)]
pub struct Records {
    /// Their values.
    pub table: Table,
    /// The fields that are compared.
    pub fields: Vec<WantedField>,
    /// The sources: first those of `--against`.
    pub(super) sources: Vec<Source>,
    /// How many of them are those of `--against`.
    pub(super) against: usize,
    /// By source: its first record.
    firsts: Vec<usize>,
    /// The number of each record in its source, from 1.
    lines: Vec<u64>,
    ids: Option<(Strings, Vec<u32>)>,
    /// The field that the ids were taken from.
    pub id_field: Option<String>,
    /// The ids that occur twice: those records are named by source and line.
    repeated: Vec<bool>,
    /// How many records have the id of another one.
    pub repeated_ids: u64,
    /// By source: what cannot be compared.
    pub(super) bad: Vec<Vec<Bad>>,
    /// By source: how many slots it has.
    pub(super) slots_of: Vec<u64>,
    /// What the sources were recognised by before they were read.
    pub(super) checksums: Checksums,
    /// The values of the field of `--keep max:FIELD`.
    pub(super) order: Option<Vec<String>>,
    /// Bytes of all sources.
    pub bytes: u64,
}

/// A record by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// Its id, or SOURCE:LINE.
    pub id: String,
    /// Its source.
    pub source: String,
    /// Its number there, from 1.
    pub line: u64,
}

/// A source and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SourceFigures {
    /// Its name.
    pub name: String,
    /// Its records.
    pub records: u64,
    /// Those that are removed as matches.
    pub removed: u64,
    /// True for a source of `--against`, of which nothing is removed or written.
    pub against: bool,
}

impl Records {
    pub(super) fn read(job: &Job, stop: Stop<'_>) -> Result<Self> {
        let sources: Vec<Source> = job.against.iter().chain(&job.sources).cloned().collect();
        if let Some(plain) = sources.iter().find(|source| source.format == Format::Text) {
            return Err(Error::Plain { name: plain.name.clone() });
        }
        let checksums = Checksums::of(job)?;
        let names: Vec<Vec<String>> =
            sources.iter().map(|source| column_names(source, LIMITS, stop)).collect::<Result<_, _>>()?;
        if stop() {
            return Err(Error::Interrupted);
        }
        let id_field = id_field(job, &sources, &names, stop)?;
        let fields = wanted(job, &sources, &names, id_field.as_deref())?;
        let mut table = Table::new(fields.iter().map(|field| &field.names[0]));
        let order_field = match &job.keep {
            Keep::Max(field) | Keep::Min(field) => {
                if !names.iter().any(|names| has(names, field)) {
                    return Err(missing_field(field, &names));
                }
                Some(field.clone())
            }
            Keep::First | Keep::Fullest => None,
        };
        let mut records = Self {
            table: Table::default(),
            against: job.against.len(),
            firsts: Vec::new(),
            lines: Vec::new(),
            ids: id_field.is_some().then(Default::default),
            id_field,
            repeated: Vec::new(),
            repeated_ids: 0,
            bad: vec![Vec::new(); sources.len()],
            slots_of: vec![0; sources.len()],
            checksums,
            order: order_field.is_some().then(Vec::new),
            bytes: sources.iter().map(|source| source.size).sum(),
            sources,
            fields,
        };
        for (at, names) in names.iter().enumerate() {
            records.read_source(at, names, order_field.as_deref(), job, &mut table, stop)?;
        }
        table.settle();
        records.table = table;
        if let Some((strings, _)) = &mut records.ids {
            strings.settle();
        }
        records.count_ids();
        // The names of fields and ids were read before the values.
        records.check_unchanged(0..records.sources.len())?;
        Ok(records)
    }

    /// An error if one of these sources is not what it was before it was read.
    pub(super) fn check_unchanged(&self, of: std::ops::Range<usize>) -> Result<()> {
        let sources: Vec<&Source> = self.sources[of.clone()].iter().collect();
        let checksums: Vec<&str> = self.checksums.0[of].iter().map(String::as_str).collect();
        match corpus::changed(&sources, &checksums)? {
            Some(source) => Err(Error::Changed { name: source.name.clone() }),
            None => Ok(()),
        }
    }

    fn read_source(
        &mut self,
        at: usize,
        names: &[String],
        order_field: Option<&str>,
        job: &Job,
        table: &mut Table,
        stop: Stop<'_>,
    ) -> Result<()> {
        let source = self.sources[at].clone();
        // Each field, by the name that it has in this source; then the id and the value for `--keep`.
        let mut wanted: Vec<String> = self
            .fields
            .iter()
            .map(|field| field.names.iter().find(|name| has(names, name)).unwrap_or(&field.names[0]).clone())
            .collect();
        let fields = wanted.len();
        wanted.extend(self.id_field.clone());
        wanted.extend(order_field.map(str::to_owned));
        let cells = Cells::new(&wanted);
        let side =
            (!job.against.is_empty()).then_some(if at < self.against { Side::First } else { Side::Second });
        let mut reader = Reader::open_columns(&source, LIMITS)?;
        let mut block = Block::default();
        let (mut failure, mut read) = (None, 0);
        self.firsts.push(table.len());
        while reader.next_block(&mut block)? {
            if stop() {
                return Err(Error::Interrupted);
            }
            let first = self.slots_of[at];
            cells.visit(&block, &mut |slot, read| {
                let values: &[Cow<'_, str>] = match read {
                    Ok(values) => values,
                    Err(reason) => {
                        if job.on_bad_record == OnBadRecord::Fail && failure.is_none() {
                            let place = place_of(&source, &block, slot);
                            let (source_name, line) = (source.name.clone(), block.number(slot));
                            failure = Some(Error::BadRecord { source_name, place, line, reason });
                            return Ok(());
                        }
                        self.bad[at].push(Bad {
                            slot: first + slot as u64,
                            line: block.number(slot),
                            reason,
                        });
                        return Ok(());
                    }
                };
                match side {
                    Some(side) => table.push_to(side, &values[..fields]),
                    None => table.push(&values[..fields]),
                }
                self.lines.push(block.number(slot));
                let mut others = values[fields..].iter();
                if let Some((strings, of)) = &mut self.ids {
                    of.push(strings.number(others.next().map_or("", |id| id)));
                }
                if let Some(order) = &mut self.order {
                    order.push(others.next().map_or(String::new(), |value| value.to_string()));
                }
                Ok(())
            })?;
            if let Some(failure) = failure {
                return Err(failure);
            }
            self.slots_of[at] += block.len() as u64;
            read += block.bytes() as u64;
            let held = table.bytes() as u64 + self.bytes_beside();
            if held + BASE > job.memory {
                // As if the rest were like what was read, and with what matching takes.
                let before: u64 = self.sources[..at].iter().map(|source| source.size).sum();
                let share = (before + read) as f64 / (self.bytes.max(before + read)) as f64;
                let needed = BASE + (6.0 * held as f64 / share.max(1e-3)) as u64;
                return Err(Error::Memory { what: "the table".into(), needed, limit: job.memory });
            }
        }
        Ok(())
    }

    /// Finds ids that occur twice.
    fn count_ids(&mut self) {
        let Some((strings, of)) = &self.ids else { return };
        let mut counts = vec![0u32; strings.len()];
        of.iter().for_each(|&id| counts[id as usize] += 1);
        self.repeated = of.iter().map(|&id| counts[id as usize] > 1 || strings.get(id).is_empty()).collect();
        self.repeated_ids =
            of.iter().filter(|&&id| counts[id as usize] > 1 && !strings.get(id).is_empty()).count() as u64;
        // A field that was only guessed to hold ids, and does not, is a field like others; it is too late to compare it.
    }

    /// A record by its name.
    #[must_use]
    pub fn named(&self, record: usize) -> Named {
        let line = self.lines[record];
        let source = self.sources[self.source_of(record)].name.clone();
        let id = match &self.ids {
            Some((strings, of)) if !self.repeated[record] => strings.get(of[record]).to_owned(),
            _ => format!("{source}:{line}"),
        };
        Named { id, source, line }
    }

    /// The number of the record with a name: its id, or SOURCE:LINE.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        (0..self.table.len()).find(|&record| self.named(record).id == name).or_else(|| {
            let (source, line) = name.rsplit_once(':')?;
            let line: u64 = line.parse().ok()?;
            (0..self.table.len()).find(|&record| {
                self.lines[record] == line && self.sources[self.source_of(record)].name == source
            })
        })
    }

    /// The sources by name, with their records and those of them that a run removes; those of `--against` first.
    #[must_use]
    pub fn by_source(&self, decisions: &Decisions) -> Vec<SourceFigures> {
        let mut removed = vec![0; self.sources.len()];
        for (record, decision) in decisions.of.iter().enumerate() {
            removed[self.source_of(record)] += u64::from(*decision != Decision::Kept);
        }
        let figures = |(at, source): (usize, &Source)| SourceFigures {
            name: source.name.clone(),
            records: self.slots_of[at],
            removed: removed[at],
            against: at < self.against,
        };
        self.sources.iter().enumerate().map(figures).collect()
    }

    /// True if a record comes from `--against`.
    #[must_use]
    pub fn is_against(&self, record: usize) -> bool {
        self.source_of(record) < self.against
    }

    /// The records that were left out because they cannot be read: line, name and reason, in input order.
    #[must_use]
    pub fn skipped(&self, job: &Job) -> Vec<(u64, String, String)> {
        let sources = self.sources.iter().zip(&self.bad).skip(self.against);
        let of_source = |(source, bad): (&Source, &Vec<Bad>)| {
            let name = |bad: &Bad| (bad.line, format!("{}:{}", source.name, bad.line), bad.reason.clone());
            bad.iter().map(name).collect::<Vec<_>>()
        };
        match job.on_bad_record {
            OnBadRecord::Skip => sources.flat_map(of_source).collect(),
            OnBadRecord::Fail | OnBadRecord::Keep => Vec::new(),
        }
    }

    pub(super) fn source_of(&self, record: usize) -> usize {
        self.firsts.partition_point(|first| *first <= record) - 1
    }

    /// The slot of a record among all slots of its source, from 0.
    pub(super) fn slot(&self, record: usize) -> u64 {
        let source = self.source_of(record);
        let number = (record - self.firsts[source]) as u64;
        // A record that could not be read has a slot too.
        number + Self::bad_before(&self.bad[source], number)
    }

    /// How many records that cannot be read come before the one with this number, without them.
    fn bad_before(bad: &[Bad], number: u64) -> u64 {
        let (mut low, mut high) = (0, bad.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if bad[middle].slot - middle as u64 <= number {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low as u64
    }

    /// The bytes of memory of everything but the table.
    pub(super) fn bytes_beside(&self) -> u64 {
        let ids = self.ids.as_ref().map_or(0, |(strings, of)| strings.bytes() + 4 * of.capacity());
        let order = self.order.as_ref().map_or(0, |order| 48 * order.capacity());
        (ids + order + 8 * self.lines.capacity() + self.lines.len()) as u64
    }

    /// How many records of the inputs there are, with those that cannot be compared.
    #[must_use]
    pub fn inputs(&self) -> u64 {
        self.slots_of[self.against..].iter().sum()
    }
}

/// True if a source has a field; of `a.b`, if it has `a.b` or `a`.
fn has(names: &[String], field: &str) -> bool {
    names.iter().any(|name| name == field || field.split('.').next() == Some(name))
}

fn missing_field(field: &str, names: &[Vec<String>]) -> Error {
    let mut known: Vec<String> = Vec::new();
    for name in names.iter().flatten() {
        if !known.contains(name) {
            known.push(name.clone());
        }
    }
    let meant = match nearest(field, &known) {
        Some(nearest) => format!("; did you mean `{nearest}`?"),
        None => String::new(),
    };
    Error::Usage(format!("no source has the field `{field}`; {}{meant}", fields_there_are(&known)))
}

/// The name that is most similar to one that is missing, if at most a third of its letters differ.
fn nearest<'n>(missing: &str, known: &'n [String]) -> Option<&'n String> {
    let (wanted, mut scratch) = (missing.to_lowercase(), Scratch::default());
    let edits = known.iter().map(|name| (edits(&wanted, &name.to_lowercase(), &mut scratch), name));
    edits.min().filter(|(edits, _)| *edits <= wanted.chars().count().div_ceil(3)).map(|(_, name)| name)
}

/// The field with the id: the one that was named, or one of the usual name whose values are all different.
fn id_field(job: &Job, sources: &[Source], names: &[Vec<String>], stop: Stop<'_>) -> Result<Option<String>> {
    if let Some(field) = &job.id_field {
        return match names.iter().any(|names| has(names, field)) {
            true => Ok(Some(field.clone())),
            false => Err(missing_field(field, names)),
        };
    }
    let is_told = |name: &str| {
        let told = job.fields.iter().flat_map(|fields| &fields.fields).flat_map(|field| &field.names);
        told.into_iter().any(|told| told == name)
    };
    for usual in ID_NAMES {
        let found =
            names.first().and_then(|names| names.iter().find(|name| name.eq_ignore_ascii_case(usual)));
        let Some(name) = found else { continue };
        if is_told(name) || !names.iter().all(|names| names.contains(name)) {
            continue;
        }
        if sources
            .iter()
            .map(|source| are_different(source, name, stop))
            .collect::<Result<Vec<_>>>()?
            .iter()
            .all(|it| *it)
        {
            return Ok(Some(name.clone()));
        }
    }
    Ok(None)
}

/// True if no two records of a source have the same value in a field.
fn are_different(source: &Source, field: &str, stop: Stop<'_>) -> Result<bool> {
    let cells = Cells::new(&[field.to_owned()]);
    let mut reader = Reader::open_columns(source, LIMITS)?;
    let (mut block, mut seen, mut twice) = (Block::default(), Strings::default(), false);
    let mut count = 0;
    while !twice && reader.next_block(&mut block)? {
        if stop() {
            return Err(Error::Interrupted);
        }
        cells.visit(&block, &mut |_, values| {
            if let Ok([value, ..]) = values {
                seen.number(value);
                count += 1;
                twice |= seen.len() < count;
            }
            Ok(())
        })?;
    }
    Ok(!twice)
}

/// The fields that are compared.
fn wanted(
    job: &Job,
    sources: &[Source],
    names: &[Vec<String>],
    id: Option<&str>,
) -> Result<Vec<WantedField>> {
    if let Some(FieldsWritten { fields }) = &job.fields {
        for field in fields {
            let is_there = |name: &&String| names.iter().any(|names| has(names, name));
            // A model may have been learnt from two tables with other names, and one of them is enough.
            let missing = match job.options.has_model() && field.names.iter().any(|name| is_there(&name)) {
                true => None,
                false => field.names.iter().find(|name| !is_there(name)),
            };
            if let Some(missing) = missing {
                return Err(missing_field(missing, names));
            }
        }
        return Ok(fields.clone());
    }
    let is_cut_off = |at: usize| names[at].len() >= MOST_COLUMNS && sources[at].format == Format::Jsonl;
    if let Some(at) = (0..names.len()).find(|&at| is_cut_off(at)) {
        return Err(Error::Usage(format!(
            "{} has {MOST_COLUMNS} fields or more; name those that are compared with --fields",
            sources[at].name
        )));
    }
    // What all sources have; of two tables, what both have.
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    names.iter().flatten().for_each(|name| *counts.entry(name).or_default() += 1);
    let first = names.first().map_or(&[][..], Vec::as_slice);
    let everywhere = first.iter().filter(|name| counts.get(name.as_str()) == Some(&names.len()));
    let order = match &job.keep {
        Keep::Max(field) | Keep::Min(field) => Some(field.as_str()),
        Keep::First | Keep::Fullest => None,
    };
    let fields: Vec<WantedField> = everywhere
        .filter(|name| Some(name.as_str()) != id && Some(name.as_str()) != order)
        .map(|name| WantedField { names: vec![name.clone()], kind: None })
        .collect();
    if fields.is_empty() && !sources.is_empty() {
        let listed: Vec<String> = sources
            .iter()
            .zip(names)
            .take(2)
            .map(|(source, names)| format!("{}: {}", source.name, fields_there_are(names)))
            .collect();
        let what = if sources.len() > 1 {
            "the sources have no field in common"
        } else {
            "there is no field to compare"
        };
        return Err(Error::Usage(format!("{what}; {}", listed.join("; "))));
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::super::tests::job_of;
    use super::*;

    /// Records that cannot be read are named by the line that others are named by, also after empty lines.
    #[test]
    fn bad_records_have_the_line_of_their_source() {
        let (mut job, folder) = job_of("");
        let path = folder.path().join("table.jsonl");
        std::fs::write(&path, "{\"name\": \"anna\"}\n\n{broken\n\n{\"name\": \"carl\"}\n").unwrap();
        job.sources = corpus::discover(&[&path], &Default::default()).unwrap();
        job.on_bad_record = OnBadRecord::Skip;
        let records = job.read(&|| false).unwrap();
        let skipped: Vec<u64> = records.skipped(&job).iter().map(|it| it.0).collect();
        assert_eq!((records.named(0).line, skipped, records.named(1).line), (1, vec![3], 5));
        assert_eq!([records.slot(0), records.slot(1)], [0, 2]);
    }

    /// A field is compared, or can be named, whichever line it appears in first.
    #[test]
    fn a_field_that_only_later_lines_have_is_a_field() {
        let (mut job, folder) = job_of("");
        let path = folder.path().join("table.jsonl");
        let lines: Vec<String> = (0..300)
            .map(|at| match at {
                ..250 => format!("{{\"name\": \"anna{at}\"}}\n"),
                _ => format!("{{\"name\": \"anna{at}\", \"mail\": \"a{at}@example.org\"}}\n"),
            })
            .collect();
        std::fs::write(&path, lines.concat()).unwrap();
        job.sources = corpus::discover(&[&path], &Default::default()).unwrap();
        let records = job.read(&|| false).unwrap();
        assert_eq!(records.table.fields(), ["name", "mail"]);
        assert_eq!([records.table.value(0, 1), records.table.value(299, 1)], ["", "a299@example.org"]);
        job.fields = Some("mail".parse().unwrap());
        assert_eq!(job.read(&|| false).unwrap().table.fields(), ["mail"]);
        assert!(matches!(job.read(&|| true), Err(Error::Interrupted)));
    }
}
