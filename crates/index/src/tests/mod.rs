//! Tests of the whole index.

mod basics;
mod bulk;
mod damage;
mod fixtures;
mod histories;
mod kills;
mod model;
mod once;
mod reading;
mod runs;
mod same_answers;
mod sketches;
mod statistics;
mod together;
#[cfg(feature = "fuzzing")]
mod values;

use crate::store::memory::MemoryStore;
use crate::{Config, Index, ManualClock, Options};
use pipeline::Settings;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The key of indexes in memory.
pub(crate) const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// Options with a clock that stands still and small memtables, so that tables are written and merged.
pub(crate) fn options(clock: &Arc<ManualClock>) -> Options {
    Options::default()
        .with_clock(Arc::clone(clock) as Arc<dyn crate::Clock>)
        .with_memtable(16 << 10)
        .with_cache(1 << 20)
}

/// All files below a folder, with their contents. A store removes tables that were replaced whenever it likes; if one goes while
/// the files are read, all are read again.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    loop {
        let mut all = BTreeMap::new();
        match add_files(folder, &mut all) {
            Ok(()) => return all,
            Err(cause) => assert_eq!(cause.kind(), ErrorKind::NotFound, "{cause}"),
        }
    }
}

fn add_files(folder: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            add_files(&path, all)?;
        } else {
            let bytes = std::fs::read(&path)?;
            all.insert(path, bytes);
        }
    }
    Ok(())
}

/// Settings with which every pair at the threshold of 0.6 is found, for all practical purposes: the plan of 64 bands of 2
/// rows misses one with a probability of (1 - 0.36)^64, about 4e-13.
pub(crate) fn thorough() -> Settings {
    Settings::default()
        .with_threshold(0.6)
        .with_shingles("words:2".into())
        .with_bands(Some(pipeline::BandsAndRows { bands: 64, rows: 2 }))
}

/// An index in memory.
pub(crate) fn in_memory(store: &MemoryStore, config: &Config, clock: &Arc<ManualClock>) -> Index {
    let clock = Arc::clone(clock) as Arc<dyn crate::Clock>;
    Index::on_store(Box::new(store.clone()), config, KEY, clock).unwrap()
}
