//! The store in memory, for tests and fuzz targets: a `BTreeMap` per keyspace, and a fault at any call.

use super::{Batch, Entry, Read, Snapshot, Space, Store, Value};
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Spaces = [BTreeMap<Vec<u8>, Value>; Space::ALL.len()];

/// A store in memory. Clones are the same store, so that an index can be opened on it again.
#[derive(Debug, Clone, Default)]
pub(crate) struct MemoryStore {
    spaces: Arc<Mutex<Arc<Spaces>>>,
    faults: Arc<Faults>,
}

/// Which call fails.
#[derive(Debug, Default)]
struct Faults {
    /// Calls until one fails; 0 for none.
    left: AtomicU64,
    /// True if a failing commit has written all the same: nobody knows.
    writes_all_the_same: std::sync::atomic::AtomicBool,
}

impl MemoryStore {
    /// Lets the `call`th call from now on fail, counted from 1; 0 for none. A commit that fails may have written all
    /// the same.
    #[cfg(test)]
    pub(crate) fn fail_at(&self, call: u64, writes_all_the_same: bool) {
        self.faults.left.store(call, Ordering::SeqCst);
        self.faults.writes_all_the_same.store(writes_all_the_same, Ordering::SeqCst);
    }

    fn call(&self, action: &'static str) -> Result<()> {
        let left = self.faults.left.load(Ordering::SeqCst);
        if left == 0 {
            return Ok(());
        }
        self.faults.left.store(left - 1, Ordering::SeqCst);
        if left == 1 {
            return Err(Error::Store { action, cause: "no space is left".into() });
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Spaces>> {
        self.spaces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Arc<Spaces> {
        Arc::clone(&self.lock())
    }

    /// Another store with the same entries.
    #[cfg(feature = "fuzzing")]
    pub(crate) fn copied(&self) -> Self {
        Self { spaces: Arc::new(Mutex::new(self.now())), faults: Arc::default() }
    }

    /// Changes a value behind the back of the index.
    pub(crate) fn set(&self, space: Space, key: &[u8], value: Option<&[u8]>) {
        let mut spaces = self.lock();
        let space = &mut Arc::make_mut(&mut spaces)[space as usize];
        match value {
            Some(value) => space.insert(key.to_vec(), value.into()),
            None => space.remove(key),
        };
    }

    /// A value that is there.
    #[cfg(test)]
    pub(crate) fn snapshot_value(&self, space: Space, key: &[u8]) -> Vec<u8> {
        self.now()[space as usize][key].to_vec()
    }

    /// All keys of a keyspace.
    pub(crate) fn keys(&self, space: Space) -> Vec<Vec<u8>> {
        self.now()[space as usize].keys().cloned().collect()
    }
}

impl Read for MemoryStore {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Value>> {
        self.call("read")?;
        Ok(self.now()[space as usize].get(key).cloned())
    }
}

impl Store for MemoryStore {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>> {
        self.call("take a snapshot")?;
        Ok(Box::new(MemorySnapshot { store: self.clone(), spaces: self.now() }))
    }

    fn commit(&self, batch: &Batch) -> Result<()> {
        let result = self.call("write");
        if result.is_ok() || self.faults.writes_all_the_same.load(Ordering::SeqCst) {
            let mut spaces = self.lock();
            let spaces = Arc::make_mut(&mut spaces);
            for (space, key, value) in batch.iter() {
                match value {
                    Some(value) => spaces[space as usize].insert(key.to_vec(), value.clone()),
                    None => spaces[space as usize].remove(&**key),
                };
            }
        }
        result
    }

    fn ingest(&self, space: Space, entries: &mut dyn Iterator<Item = Result<Entry>>) -> Result<()> {
        let entries = entries.collect::<Result<Vec<_>>>()?;
        assert!(entries.is_sorted_by(|a, b| a.0 < b.0), "keys of {space:?} do not ascend");
        let result = self.call("write tables");
        if result.is_ok() || self.faults.writes_all_the_same.load(Ordering::SeqCst) {
            let mut spaces = self.lock();
            Arc::make_mut(&mut spaces)[space as usize]
                .extend(entries.into_iter().map(|(key, value)| (key.to_vec(), value)));
        }
        result
    }

    fn flush(&self) -> Result<()> {
        self.call("flush")
    }

    fn compact(&self) -> Result<()> {
        self.call("compact")
    }

    fn disk_bytes(&self) -> Result<u64> {
        self.call("measure")?;
        let bytes = |(key, value): (&Vec<u8>, &Value)| (key.len() + value.len()) as u64;
        Ok(self.now().iter().flatten().map(bytes).sum())
    }
}

struct MemorySnapshot {
    store: MemoryStore,
    spaces: Arc<Spaces>,
}

impl Read for MemorySnapshot {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Value>> {
        self.store.call("read")?;
        Ok(self.spaces[space as usize].get(key).cloned())
    }
}

impl Snapshot for MemorySnapshot {
    fn scan<'s>(&'s self, space: Space, from: &[u8]) -> Box<dyn Iterator<Item = Result<Entry>> + Send + 's> {
        let entries = self.spaces[space as usize].range(from.to_vec()..);
        Box::new(entries.map(|(key, value)| {
            self.store.call("read")?;
            Ok((key.as_slice().into(), value.clone()))
        }))
    }
}
