//! Sketches that were made elsewhere -> an index.
//!
//! Signatures are the same lanes everywhere, so they are taken as they are: no text is read. What decides a signature must
//! be the same as in the index, as far as the sketches say what they were made with, and what the index stores must be there.
//!
//! | from | what it says | what is known of a text |
//! |---|---|---|
//! | a sketch file | all settings | its content hash; with `--store shingles` its set |
//! | an index in memory (`LKLI`) | family, seed, hashes; from Python perhaps the shingles | nothing |
//! | a Parquet table, as `crates/stages` makes it | nothing but the number of lanes | a hash that its copies have too |

mod file;
mod lsh;
mod lsh_bytes;
#[cfg(feature = "parquet")]
mod table;

pub use lsh::LshFile;
#[cfg(feature = "parquet")]
pub use table::SketchTable;

use super::feeding::{Documents, Take, in_another_thread};
use super::sources::{Added, IfPresent, name_with};
use crate::{Config, Error, Index, Lifetime, Options, Result, Stored};
use pipeline::{Observer, Settings, SketchFile};
use std::path::Path;

/// Sketches that were made elsewhere.
#[derive(Debug)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "there is one for each file, and it is moved once")]
pub enum Sketches {
    /// A sketch file, as `lookalike sketch` writes it.
    File(SketchFile),
    /// An index in memory, as `LshIndex::to_bytes_with` and Python's `LSH` write it.
    Lsh(LshFile),
    /// Parquet files, as the stages of other engines write them.
    #[cfg(feature = "parquet")]
    Table(SketchTable),
}

impl Sketches {
    /// Opens a file of sketches; `None` if the file is something else. This is decided by its first bytes, not by its name.
    pub fn open(path: &Path) -> Result<Option<Self>> {
        match first_bytes(path).as_slice() {
            first if first == pipeline::SKETCH_MAGIC => Ok(Some(Self::File(SketchFile::open(path)?))),
            first if first.starts_with(lsh::MAGIC) => LshFile::open(path).map(|file| Some(Self::Lsh(file))),
            _ => Ok(None),
        }
    }

    /// True if a file is one of sketches.
    #[must_use]
    pub fn is_file(path: &Path) -> bool {
        let first = first_bytes(path);
        first == pipeline::SKETCH_MAGIC || first.starts_with(lsh::MAGIC)
    }

    /// The name of the file.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::File(file) => file.path().display().to_string(),
            Self::Lsh(file) => file.name().to_owned(),
            #[cfg(feature = "parquet")]
            Self::Table(table) => table.name().to_owned(),
        }
    }

    /// What is not known about the settings that the sketches were made with, as a sentence; `None` if all are known and
    /// compared with those of the index.
    #[must_use]
    pub fn unknown(&self) -> Option<&'static str> {
        match self {
            Self::File(_) => None,
            Self::Lsh(file) => file.unknown(),
            #[cfg(feature = "parquet")]
            Self::Table(_) => Some(table::UNKNOWN),
        }
    }

    /// The settings of an index that is created for these sketches: as far as they say what they were made with, that, and
    /// otherwise `settings`.
    #[must_use]
    pub fn settings(&self, settings: &Settings) -> Settings {
        match self {
            Self::File(file) => file.settings().clone(),
            Self::Lsh(file) => file.settings(settings),
            #[cfg(feature = "parquet")]
            Self::Table(_) => settings.clone(),
        }
    }

    /// What stands for the files; `None` if they cannot be known again.
    fn fingerprint(&self) -> Result<Option<String>> {
        Ok(match self {
            Self::File(file) => Some(file.fingerprint()?),
            Self::Lsh(file) => Some(file.fingerprint()),
            #[cfg(feature = "parquet")]
            Self::Table(table) => table.fingerprint(),
        })
    }

    /// The key with which stored shingles are hashed.
    fn key(&self) -> Option<&str> {
        match self {
            Self::File(file) => file.key(),
            _ => None,
        }
    }

    /// An error if an index of this configuration and key cannot take the sketches.
    fn check(&self, config: &Config, key: Option<&str>) -> Result<()> {
        match self {
            Self::File(file) => file::check_settings(config, file)?,
            Self::Lsh(file) => file.check_settings(config)?,
            #[cfg(feature = "parquet")]
            Self::Table(_) => {}
        }
        let reason = match (config.store, self.key()) {
            (Stored::Signatures, _) => return Ok(()),
            (Stored::Text, _) => "it has no texts",
            (Stored::Shingles, None) => "it has no shingles",
            (Stored::Shingles, own) if own == key => return Ok(()),
            (Stored::Shingles, _) => {
                "its shingles are hashed with another key; only an index that is created from it can take them"
            }
        };
        Err(Error::NotInSketches { name: self.name(), stored: config.store.as_str(), reason })
    }
}

/// The first bytes of a file, as many as there are; none if it is no file.
fn first_bytes(path: &Path) -> Vec<u8> {
    use std::io::Read;
    let mut first = Vec::new();
    if path.is_file()
        && let Ok(file) = std::fs::File::open(path)
    {
        let _ = file.take(8).read_to_end(&mut first);
    }
    first
}

impl Index {
    /// Opens an index, or creates it for sketches that were made elsewhere. `config` must not contradict that of an existing
    /// one in the settings for which `is_asked` is true. An index that stores shingles gets the key of a sketch file when it is
    /// created: an index with another key cannot take shingles that were hashed already.
    pub fn open_or_create_for(
        sketches: &Sketches,
        path: impl AsRef<Path>,
        config: &Config,
        is_asked: impl Fn(&str) -> bool,
        options: &Options,
    ) -> Result<Self> {
        match Self::open(path.as_ref(), options) {
            Err(Error::NoIndex { .. }) => {
                sketches.check(config, sketches.key())?;
                let key = sketches.key().filter(|_| config.store == Stored::Shingles);
                Self::create_with(path.as_ref(), config, options, key.map(str::to_owned))
            }
            Ok(index) => {
                index.engine.config.check_same(config, is_asked)?;
                Ok(index)
            }
            Err(error) => Err(error),
        }
    }

    /// An error if the index cannot take sketches, as far as they say what they are.
    pub fn check_sketches(&self, sketches: &Sketches) -> Result<()> {
        sketches.check(self.config(), Some(&self.head.key))
    }

    /// An error if texts that were cut as `written` says, as Python writes it
    /// (`words:5 case=fold form=nfkc punctuation=remove whitespace=collapse`), have other signatures than in this index.
    pub fn check_shingling(&self, written: &str) -> Result<()> {
        lsh::check_shingling(self.config(), written)
    }

    /// Adds documents whose sketches were made elsewhere. No text is read. They must have been made with the settings that
    /// decide a signature in the index, and have what the index stores. Few documents are added all or none; of many, chunk
    /// after chunk is added within so many bytes of memory, and after a kill the same call goes on.
    pub fn add_sketches(
        &self,
        sketches: &Sketches,
        if_present: IfPresent,
        memory: u64,
        observer: &dyn Observer,
    ) -> Result<Added> {
        let all = std::slice::from_ref(sketches);
        self.add_all_sketches(all, Lifetime::Usual, if_present, memory, observer)
    }

    /// The same for several files, in order, as one load: if all of them have few documents, all or none are added. Each
    /// document stays for this long.
    pub fn add_all_sketches(
        &self,
        all: &[Sketches],
        lifetime: Lifetime,
        if_present: IfPresent,
        memory: u64,
        observer: &dyn Observer,
    ) -> Result<Added> {
        all.iter().try_for_each(|sketches| self.check_sketches(sketches))?;
        let names = all.iter().map(Sketches::fingerprint).collect::<Result<Option<Vec<_>>>>()?;
        let name = names.map(|names| match names.as_slice() {
            [only] => only.clone(),
            several => format!("{:032x}", pipeline::content_hash(several.join(" ").as_bytes())),
        });
        let name = name.map(|name| name_with(name, lifetime));
        let feed = |take: &mut Take<'_>| {
            let take: &mut Take<'_> = &mut |document| take(document.with_lifetime(lifetime));
            let feed = |sketches: &Sketches| self.feed(sketches, memory, observer, take);
            all.iter().map(feed).sum::<Result<u64>>()
        };
        let add = |documents: &mut Documents<'_>| self.add_documents(documents, if_present, memory, name);
        let (added, bad) = in_another_thread(feed, add)?;
        Ok(Added { bad, ..added })
    }

    /// Hands out the documents of a file. Returns how many records it left out.
    fn feed(
        &self,
        sketches: &Sketches,
        memory: u64,
        observer: &dyn Observer,
        take: &mut Take<'_>,
    ) -> Result<u64> {
        // Only tables are read within a limit of their own.
        #[cfg(not(feature = "parquet"))]
        let _ = memory;
        match sketches {
            Sketches::File(file) => file::feed(file, self.config().store == Stored::Shingles, observer, take),
            Sketches::Lsh(file) => file.feed(observer, take),
            #[cfg(feature = "parquet")]
            Sketches::Table(table) => table.feed(self, memory, observer, take),
        }
    }
}
