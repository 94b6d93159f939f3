//! Rows of (set, item) -> one source of sets, in a private file.
//!
//! Rows come in any order and from any source. They are brought together by the value of the field that names their set, within the
//! memory limit: what does not fit is divided among files by a hash of that value, and the files are then gathered one after the
//! other. The sets are in the order of that hash and the items of a set in their own order, so the file depends neither on the
//! order of the rows nor on the memory. What comes after is an ordinary run.
//!
//! Rows that cannot be used are written to another private file, in input order ([`bad_rows`](super::bad_rows)); a run
//! lists them as it lists bad records.

use super::bad_rows::BadRowsWriter;
use super::sets::Weights;
use crate::{Error, Job, OnBadRecord, Result};
use corpus::{
    Block, Compression, FieldPath, Fields, Format, Limits, Location, ReadMode, Reader, Record, Scratch,
    Source, Stamp, TemporaryCopy, place_of,
};
use files::{Files, OutFile, TempFolder};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::PathBuf;

/// The number of files among which rows are divided.
const FILES: usize = 64;

/// The name of the source that is made, and of its output.
const NAME: &str = "sets.jsonl";

/// The most bytes of a row: twice in memory, beside what else a run needs.
const ROW_BYTES: u64 = 16 << 20;

/// If the job has rows of (set, item), replaces its sources by one source of sets each. What comes back holds the files of these
/// sources, and must live as long as the job. The number says how many rows could not be used.
pub(crate) fn gather(job: &mut Job) -> Result<(Vec<TemporaryCopy>, u64)> {
    let Some(set_of) = job.settings.files.set_of.clone() else { return Ok((Vec::new(), 0)) };
    job.settings.check_kind()?;
    if job.settings.files.id_field.is_none() {
        job.settings.files.id_field = Some(set_of);
    }
    let (mut held, mut unusable) = (Vec::new(), 0);
    let mut gathered = |sources: &[Source]| -> Result<Vec<Source>> {
        if sources.is_empty() {
            return Ok(Vec::new());
        }
        let (source, copy, bad) = Gathering::new(job)?.gather(sources)?;
        unusable += bad;
        held.push(copy);
        Ok(vec![source])
    };
    let (sources, against) = (gathered(&job.sources)?, gathered(&job.against)?);
    (job.sources, job.against) = (sources, against);
    Ok((held, unusable))
}

/// A row: where its set and its item are in the bytes, and how often the item counts.
#[derive(Clone, Copy)]
struct Row {
    hash: u64,
    begin: usize,
    set: u32,
    item: u32,
    weight: u64,
}

/// Rows in memory.
#[derive(Default)]
struct Rows {
    bytes: Vec<u8>,
    rows: Vec<Row>,
}

impl Rows {
    fn push(&mut self, hash: u64, set: &[u8], item: &[u8], weight: u64) {
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(set);
        self.bytes.extend_from_slice(item);
        self.rows.push(Row { hash, begin, set: set.len() as u32, item: item.len() as u32, weight });
    }

    fn memory(&self) -> u64 {
        (self.bytes.len() + self.rows.len() * size_of::<Row>()) as u64
    }

    fn set(&self, row: Row) -> &[u8] {
        &self.bytes[row.begin..row.begin + row.set as usize]
    }

    fn item(&self, row: Row) -> &[u8] {
        &self.bytes[row.begin + row.set as usize..][..row.item as usize]
    }

    /// Removes all rows. The memory is kept.
    fn clear(&mut self) {
        self.bytes.clear();
        self.rows.clear();
    }
}

/// What brings rows together.
struct Gathering {
    folder: TempFolder,
    fields: Fields,
    names: [String; 2],
    weights: Option<Weights>,
    on_bad_record: OnBadRecord,
    memory: u64,
    files: Vec<(PathBuf, BufWriter<OutFile>)>,
    bad: BadRowsWriter,
}

impl Gathering {
    fn new(job: &Job) -> Result<Self> {
        let files = &job.settings.files;
        let set_of = files.set_of.clone().unwrap_or_default();
        // A path leads to the same value wherever it is written as a whole.
        let names = [files.id_field.clone().unwrap_or_else(|| set_of.clone()), files.text_field.clone()];
        if names[0] == names[1] {
            return Err(Error::Invalid(format!(
                "the field `{}` cannot name both the sets and their items",
                names[0]
            )));
        }
        let folder = Files::default().temp_folder(&job.temp_folder())?;
        Ok(Self {
            bad: BadRowsWriter::new(&folder)?,
            folder,
            fields: Fields {
                text: FieldPath::new(&files.text_field).as_json(),
                id: Some(FieldPath::new(&set_of)),
                order: None,
                within: files.weight.as_ref().map(|weight| FieldPath::new(weight)),
                site: None,
                date: None,
            },
            names,
            weights: Weights::of(&job.settings),
            on_bad_record: files.on_bad_record,
            memory: job.resources.memory / 8,
            files: Vec::new(),
        })
    }

    fn gather(mut self, sources: &[Source]) -> Result<(Source, TemporaryCopy, u64)> {
        let mut rows = Rows::default();
        for source in sources {
            self.read(source, &mut rows)?;
        }
        let mut sets = BufWriter::new(self.folder.create(NAME)?);
        let path = sets.get_ref().path().to_owned();
        let mut written = Written { hasher: blake3::Hasher::new(), bytes: 0 };
        if self.files.is_empty() {
            self.write(&mut rows, &mut sets, &mut written)?;
        } else {
            self.spill(&mut rows)?;
            for (path, file) in std::mem::take(&mut self.files) {
                drop(file.into_inner().map_err(|error| io("write", &path)(error.into_error()))?);
                read_rows(&path, &mut rows)?;
                std::fs::remove_file(&path).map_err(io("remove", &path))?;
                if rows.memory() > 6 * self.memory {
                    let needed = 2 * rows.memory();
                    return Err(Error::Memory {
                        what: "bringing the rows of sets together".into(),
                        needed,
                        limit: 8 * self.memory,
                    });
                }
                self.write(&mut rows, &mut sets, &mut written)?;
                rows.clear();
            }
        }
        drop(sets.into_inner().map_err(|error| io("write", &path)(error.into_error()))?);
        let bad = self.bad.finish(&mut written.hasher)?;
        let source = Source {
            name: NAME.into(),
            output: NAME.into(),
            location: Location::Copy(path),
            format: Format::Jsonl,
            compression: Compression::None,
            ids: None,
            size: written.bytes,
            stamp: Stamp::Tag(written.hasher.finalize().to_hex().to_string()),
        };
        Ok((source, TemporaryCopy::of(self.folder), bad))
    }

    fn read(&mut self, source: &Source, rows: &mut Rows) -> Result<()> {
        let limits = Limits { block_bytes: 1 << 20, record_bytes: ROW_BYTES, records: 8_192 };
        let mut reader = Reader::open(source, ReadMode::Fields, &self.fields, limits)?;
        let (mut block, mut scratch) = (Block::default(), Scratch::default());
        let mut set = String::new();
        while reader.next_block(&mut block)? {
            corpus::go_on().map_err(|cause| Error::Io {
                action: "read",
                name: source.name.clone(),
                cause,
            })?;
            let mut failure = None;
            block.visit(&self.fields, None, &mut scratch, &mut |slot, record| {
                if failure.is_some() {
                    return Ok(());
                }
                match row(record, self.weights, &self.names, &mut set) {
                    Ok((item, weight)) => {
                        rows.push(hash(set.as_bytes()), set.as_bytes(), item.as_bytes(), weight);
                    }
                    Err((id, reason)) if self.on_bad_record != OnBadRecord::Fail => {
                        failure = self.bad.push(&source.name, block.number(slot), id, reason).err();
                    }
                    Err((_, reason)) => {
                        failure = Some(Error::BadRecord {
                            source_name: source.name.clone(),
                            line: block.number(slot),
                            place: place_of(source, &block, slot),
                            reason,
                            lacks_text: false,
                        });
                    }
                }
                Ok(())
            })?;
            if let Some(failure) = failure {
                return Err(failure);
            }
            if rows.memory() > self.memory {
                self.spill(rows)?;
            }
        }
        Ok(())
    }

    /// Divides the rows among files.
    fn spill(&mut self, rows: &mut Rows) -> Result<()> {
        if self.files.is_empty() {
            for at in 0..FILES {
                let file = self.folder.create(&format!("rows-{at}"))?;
                self.files.push((file.path().to_owned(), BufWriter::new(file)));
            }
        }
        for &row in &rows.rows {
            let (path, file) = &mut self.files[(row.hash >> (u64::BITS - FILES.ilog2())) as usize];
            let mut head = [0; 24];
            head[..8].copy_from_slice(&row.hash.to_le_bytes());
            head[8..16].copy_from_slice(&row.weight.to_le_bytes());
            head[16..20].copy_from_slice(&row.set.to_le_bytes());
            head[20..].copy_from_slice(&row.item.to_le_bytes());
            let both = &rows.bytes[row.begin..][..(row.set + row.item) as usize];
            file.write_all(&head).and_then(|()| file.write_all(both)).map_err(io("write", path))?;
        }
        rows.clear();
        Ok(())
    }

    /// Writes the sets of these rows.
    fn write(&self, rows: &mut Rows, to: &mut impl Write, written: &mut Written) -> Result<()> {
        let mut order = std::mem::take(&mut rows.rows);
        let all: &Rows = rows;
        order.sort_unstable_by(|&a, &b| {
            (a.hash, all.set(a), all.item(a), a.weight).cmp(&(b.hash, all.set(b), all.item(b), b.weight))
        });
        let [set_name, items_name] = self.names.clone().map(serde_json::Value::String);
        let mut line = Vec::new();
        for set in order.chunk_by(|&a, &b| all.set(a) == all.set(b)) {
            line.clear();
            // Names are plain JSON strings.
            let _ = write!(line, "{{{set_name}:");
            line.extend_from_slice(all.set(set[0]));
            let _ = write!(line, ",{items_name}:[");
            let (mut is_first, mut total) = (true, 0u64);
            for item in set.chunk_by(|&a, &b| all.item(a) == all.item(b)) {
                let weight = item.iter().fold(0u64, |sum, row| sum.saturating_add(row.weight));
                let repeats = if self.weights.is_some() { weight } else { weight.min(1) };
                total = total.saturating_add(repeats);
                if self.weights.is_some() && total > super::sets::MOST_WEIGHT {
                    let most = super::sets::MOST_WEIGHT;
                    return Err(Error::Invalid(format!(
                        "the weights of the set {} add up to more than {most} steps, with the item {}; divide them by a common number, or round them to larger steps (weight-step)",
                        String::from_utf8_lossy(all.set(set[0])),
                        String::from_utf8_lossy(all.item(item[0])),
                    )));
                }
                for _ in 0..repeats {
                    line.extend_from_slice(if is_first { b"" } else { b"," });
                    line.extend_from_slice(all.item(item[0]));
                    is_first = false;
                }
            }
            line.extend_from_slice(b"]}\n");
            written.hasher.update(&line);
            written.bytes += line.len() as u64;
            to.write_all(&line).map_err(|cause| Error::Io { action: "write", name: NAME.into(), cause })?;
        }
        Ok(())
    }
}

/// What was written of the sets.
struct Written {
    hasher: blake3::Hasher,
    bytes: u64,
}

pub(super) fn io(action: &'static str, path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Error {
    let name = path.display().to_string();
    move |cause| Error::Io { action, name, cause }
}

fn hash(bytes: &[u8]) -> u64 {
    crate::content_hash(bytes) as u64
}

/// The item and the weight of a row; its set is written to `set` as JSON. An error is the id of the set, if there is one, and
/// the end of a sentence.
fn row<'r>(
    record: Record<'r>,
    weights: Option<Weights>,
    [set_name, items_name]: &[String; 2],
    set: &mut String,
) -> std::result::Result<(&'r str, u64), (Option<String>, String)> {
    let document = match record {
        Record::Bad(bad) => return Err((bad.id.map(|id| id.text.into_owned()), bad.reason)),
        Record::Document(document) => document,
    };
    let Some(id) = document.id else {
        return Err((None, format!("the field `{set_name}` is missing or null")));
    };
    set.clear();
    match id.is_bare {
        true => set.push_str(&id.text),
        false => set.push_str(&serde_json::Value::String(id.text.to_string()).to_string()),
    }
    let wrong = |reason: String| Err((Some(id.text.to_string()), reason));
    if document.text.starts_with(['[', '{', 't', 'f']) {
        return wrong(format!("the field `{items_name}` is not one item: a string or a number"));
    }
    match (document.within, weights) {
        (_, None) => Ok((document.text, 1)),
        (None, Some(weights)) => Ok((document.text, weights.of_row())),
        (Some(weight), Some(weights)) => match weights.steps(weight.trim()) {
            Ok(steps) => Ok((document.text, steps)),
            Err(why) => wrong(format!("the weight {weight} cannot be used: {why}")),
        },
    }
}

/// Reads the rows of a file that `spill` wrote.
fn read_rows(path: &std::path::Path, rows: &mut Rows) -> Result<()> {
    let mut file = BufReader::new(File::open(path).map_err(io("read", path))?);
    let mut both = Vec::new();
    loop {
        let mut head = [0; 24];
        match file.read_exact(&mut head) {
            Ok(()) => {}
            Err(cause) if cause.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(cause) => return Err(io("read", path)(cause)),
        }
        let number = |from: usize| u64::from_le_bytes(head[from..from + 8].try_into().expect("8 bytes"));
        let length = |from: usize| u32::from_le_bytes(head[from..from + 4].try_into().expect("4 bytes"));
        both.resize((length(16) + length(20)) as usize, 0);
        file.read_exact(&mut both).map_err(io("read", path))?;
        let (set, item) = both.split_at(length(16) as usize);
        rows.push(number(0), set, item, number(8));
    }
}
