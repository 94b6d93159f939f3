//! Numbers -> documents by name: id, source, line.

use crate::sketching::Sources;
use crate::store::{Number, Store};
use crate::{Reference, Result};
use std::collections::HashMap;

/// The names of some documents.
#[derive(Debug)]
pub(crate) struct Names {
    ids: HashMap<Number, String>,
}

impl Names {
    /// Looks up the ids of `numbers` (any order).
    pub(crate) fn new(mut numbers: Vec<Number>, store: &Store, has_ids: bool) -> Result<Self> {
        let mut ids = HashMap::new();
        if has_ids {
            numbers.sort_unstable();
            numbers.dedup();
            store.visit_ids(&numbers, |number, id| {
                if !id.is_empty() {
                    ids.insert(number, id.to_owned());
                }
            })?;
        }
        Ok(Self { ids })
    }

    /// A document by name.
    pub(crate) fn reference(&self, number: Number, store: &Store, sources: Sources<'_>) -> Reference {
        let (source, line) = store.place(number);
        let source = sources.get(source).name.clone();
        let id = self.ids.get(&number).cloned().unwrap_or_else(|| format!("{source}:{line}"));
        Reference { id, source, line }
    }
}
