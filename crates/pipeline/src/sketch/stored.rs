//! The sketches of a sketch file, one after the other, for who keeps them elsewhere: an index.
//!
//! The sources of the file are not read, and need not be there any more.

use super::sketch_file::{FIRST, read_head};
use crate::limits::ordered::caught;
use crate::method::{Recipe, UseOfSketches, content_hash};
use crate::resume::identity::Identity;
use crate::store::columns::{Columns, list};
use crate::store::entries::Class;
use crate::store::part::{self, Link};
use crate::{Error, Observer, Reference, Result, Settings, Stage};
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

/// A sketch file, open for reading.
#[derive(Debug)]
pub struct SketchFile {
    path: PathBuf,
    identity: Identity,
    /// The byte offset at which its parts begin.
    offset: u64,
}

/// A document of a sketch file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredSketch {
    /// Its name, and where it was read.
    pub document: Reference,
    /// 128 bits of a cryptographic hash of its normalised text.
    pub content_hash: u128,
    /// The number of its shingles.
    pub shingles: u64,
    /// The lanes of its signature. They are zeros if it is compared by its content hash only.
    pub lanes: Vec<u16>,
    /// The hash of its `within` value; zeros without.
    pub within: [u64; 2],
    /// True if it is compared by its content hash only.
    pub hash_only: bool,
    /// Its set, sorted and hashed with the [key](SketchFile::key) of the file, if the file stores shingles.
    pub set: Option<Vec<u64>>,
}

impl SketchFile {
    /// Reads the head of a sketch file.
    pub fn open(path: &Path) -> Result<Self> {
        let (identity, offset) = read_head(path)?;
        Ok(Self { path: path.to_owned(), identity, offset })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The settings that the sketches were made with.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.identity.settings
    }

    /// The key with which stored shingles are hashed; `None` if none are stored.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.identity.key.as_deref()
    }

    /// What stands for the content of the file: the same for a copy of it.
    pub fn fingerprint(&self) -> Result<String> {
        let bytes = std::fs::metadata(&self.path).map_err(|cause| self.io(cause))?.len();
        let all = format!("{bytes} {}", self.identity.to_json());
        Ok(format!("{:032x}", content_hash(all.as_bytes())))
    }

    /// Hands all documents to `visit`, in input order. Returns how many records are bad and have no sketch.
    pub fn visit(
        &self,
        observer: &dyn Observer,
        visit: &mut (dyn FnMut(StoredSketch) -> Result<()> + Send),
    ) -> Result<u64> {
        caught(|| self.visit_parts(observer, visit))
    }

    fn visit_parts(
        &self,
        observer: &dyn Observer,
        visit: &mut (dyn FnMut(StoredSketch) -> Result<()> + Send),
    ) -> Result<u64> {
        let recipe = Recipe::with_use(self.settings(), UseOfSketches::LaterRuns)?;
        let mut file = File::open(&self.path).map_err(|cause| self.io(cause))?;
        let mut first = vec![0; usize::try_from(self.offset).unwrap_or(usize::MAX)];
        file.read_exact(&mut first).map_err(|cause| self.io(cause))?;
        let mut link = Link { first: 0, after: *blake3::hash(&first[FIRST..]).as_bytes() };
        observer.started(Stage::Sketch, file.metadata().map_err(|cause| self.io(cause))?.len());
        let Identity { against, sources, .. } = &self.identity;
        let names: Vec<&str> = against.iter().chain(sources).map(|source| source.name.as_str()).collect();
        let (mut parts, mut bad) = (0, 0);
        while !part::at_end(&mut file, &self.path, parts)? {
            observer.go_on()?;
            let start = file.stream_position().map_err(|cause| self.io(cause))?;
            let (_, columns, checksum) = part::read(&mut file, &self.path, link)?;
            self.check(&columns, &recipe, names.len())?;
            bad += visit_part(&columns, recipe.lanes(), &names, visit)?;
            link = Link { first: link.first + columns.slots.len() as u64, after: checksum };
            parts += 1;
            let end = file.stream_position().map_err(|cause| self.io(cause))?;
            observer.advanced(Stage::Sketch, end - start);
        }
        observer.finished(Stage::Sketch);
        Ok(bad)
    }

    /// An error if a part lacks something.
    fn check(&self, columns: &Columns, recipe: &Recipe, sources: usize) -> Result<()> {
        let name = || self.path.display().to_string();
        if !columns.has_all_of(recipe) || columns.blocks.iter().any(|block| block.source as usize >= sources)
        {
            let cause = "a part does not fit the settings or sources in its head".into();
            return Err(Error::Damaged { name: name(), cause });
        }
        if columns.content_hashes.is_empty() && !columns.slots.is_empty() {
            let cause = "a part has no content hashes".into();
            return Err(Error::Damaged { name: name(), cause });
        }
        Ok(())
    }

    fn io(&self, cause: std::io::Error) -> Error {
        Error::Io { action: "read", name: self.path.display().to_string(), cause }
    }
}

/// Hands out the documents of a part whose sketches have `width` lanes. Returns how many records are bad.
fn visit_part(
    columns: &Columns,
    width: usize,
    sources: &[&str],
    visit: &mut (dyn FnMut(StoredSketch) -> Result<()> + Send),
) -> Result<u64> {
    let entries = columns.entries();
    let mut bad = 0;
    let mut first = 0;
    for block in &columns.blocks {
        let source = sources[block.source as usize];
        for (in_block, slot) in (first..first + block.slots as usize).enumerate() {
            let entry = entries.get(slot);
            if !entry.is_document() {
                bad += 1;
                continue;
            }
            let line = block.record + in_block as u64 + 1 + entry.blank_lines_before();
            let [low, high] = columns.content_hashes[slot];
            visit(StoredSketch {
                document: Reference { id: id_of(columns, slot, source, line), source: source.into(), line },
                content_hash: u128::from(high) << 64 | u128::from(low),
                shingles: u64::from(entry.size),
                lanes: columns.lanes[slot * width..(slot + 1) * width].to_vec(),
                within: entry.within,
                hash_only: entry.class() == Class::HashOnly,
                set: set_of(columns, slot),
            })?;
        }
        first += block.slots as usize;
    }
    Ok(bad)
}

/// The id of a document; `source:line` if it has none.
fn id_of(columns: &Columns, slot: usize, source: &str, line: u64) -> String {
    let id = match columns.id_ends.is_empty() {
        true => &[][..],
        false => list(&columns.ids, &columns.id_ends, slot),
    };
    match std::str::from_utf8(id) {
        Ok(id) if !id.is_empty() => id.to_owned(),
        _ => format!("{source}:{line}"),
    }
}

/// The set of a document, if shingles are stored.
fn set_of(columns: &Columns, slot: usize) -> Option<Vec<u64>> {
    if columns.shingle_ends.is_empty() {
        return None;
    }
    let mut set = list(&columns.shingles, &columns.shingle_ends, slot).to_vec();
    set.sort_unstable();
    set.dedup();
    Some(set)
}
