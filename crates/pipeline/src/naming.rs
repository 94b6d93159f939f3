//! Numbers -> documents by name: id, source, line.

use crate::sketching::Sources;
use crate::store::{Number, Store};
use crate::{Reference, Result};
use std::collections::HashMap;

/// Documents that are named at a time.
pub(crate) const BATCH: usize = if cfg!(test) { 64 } else { 1 << 14 };

/// Bytes of ids that are held at a time. Of documents with longer ids each is read when it is asked for.
const HELD: u64 = if cfg!(test) { 1 << 10 } else { 4 << 20 };

/// The names of some documents.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    store: &'a Store,
    sources: Sources<'a>,
    /// The ids; `None` if they are too long to be held together.
    ids: Option<HashMap<Number, String>>,
}

impl<'a> Names<'a> {
    /// Looks up the ids of `numbers` (any order).
    pub(crate) fn new(
        mut numbers: Vec<Number>,
        store: &'a Store,
        sources: Sources<'a>,
        has_ids: bool,
    ) -> Result<Self> {
        let mut ids = HashMap::new();
        if has_ids {
            numbers.sort_unstable();
            numbers.dedup();
            if store.id_bytes(&numbers)? > HELD {
                return Ok(Self { store, sources, ids: None });
            }
            store.visit_ids(&numbers, |number, id| {
                if !id.is_empty() {
                    ids.insert(number, id.to_owned());
                }
            })?;
        }
        Ok(Self { store, sources, ids: Some(ids) })
    }

    /// The id of a document, or `source:line`.
    pub(crate) fn id(&self, number: Number) -> Result<String> {
        let known = match &self.ids {
            Some(ids) => ids.get(&number).cloned(),
            None => {
                let mut known = None;
                self.store.visit_ids(&[number], |_, id| known = (!id.is_empty()).then(|| id.to_owned()))?;
                known
            }
        };
        Ok(known.unwrap_or_else(|| {
            let (source, line) = self.store.place(number);
            format!("{}:{line}", self.sources.get(source).name)
        }))
    }

    /// A document by name.
    pub(crate) fn reference(&self, number: Number) -> Result<Reference> {
        let (source, line) = self.store.place(number);
        Ok(Reference { id: self.id(number)?, source: self.sources.get(source).name.clone(), line })
    }
}
