//! Numbers -> documents by name: id, source, line; and clusters by the name of their kept document.

use crate::bits::Bits;
use crate::grouping::{Taker, groups};
use crate::sketching::Sources;
use crate::store::{Number, Store};
use crate::{Observer, Reference, Result};
use corpus::Id;
use lookalike::hashing::{hash_bytes, mix64};
use std::collections::HashMap;

/// The names of some documents.
#[derive(Debug)]
pub(crate) struct Names {
    known: HashMap<Number, Name>,
}

#[derive(Debug, Default)]
struct Name {
    line: u64,
    /// Empty if there is none.
    id: String,
    has_bare_id: bool,
}

impl Names {
    /// Looks up the names of `numbers` (any order).
    pub(crate) fn new(mut numbers: Vec<Number>, store: &Store, has_ids: bool) -> Result<Self> {
        numbers.sort_unstable();
        numbers.dedup();
        let lines = store.lines_of(&numbers)?;
        let mut known: HashMap<Number, Name> = numbers
            .iter()
            .zip(lines)
            .map(|(&number, line)| (number, Name { line, ..Name::default() }))
            .collect();
        if has_ids {
            store.visit_ids(&numbers, |number, id| {
                if let Some(name) = known.get_mut(&number) {
                    name.id.push_str(id);
                }
            })?;
        }
        Ok(Self { known })
    }

    /// As [`new`](Self::new), with the types of the ids.
    pub(crate) fn with_types(numbers: Vec<Number>, store: &Store, has_ids: bool) -> Result<Self> {
        let mut names = Self::new(numbers, store, has_ids)?;
        if has_ids {
            let mut numbers: Vec<Number> = names.known.keys().copied().collect();
            numbers.sort_unstable();
            for (number, entry) in numbers.iter().zip(store.entries_of(&numbers)?) {
                if let Some(name) = names.known.get_mut(number) {
                    name.has_bare_id = entry.has_bare_id();
                }
            }
        }
        Ok(names)
    }

    /// A document by name. It must be one that was looked up.
    pub(crate) fn reference(&self, number: Number, store: &Store, sources: Sources<'_>) -> Reference {
        let Name { line, id, .. } = &self.known[&number];
        let source = sources.get(store.source_of(number)).name.clone();
        let id = if id.is_empty() { format!("{source}:{line}") } else { id.clone() };
        Reference { id, source, line: *line }
    }

    /// The id of a document, or `source:line`, with its type.
    pub(crate) fn id(&self, number: Number, store: &Store, sources: Sources<'_>) -> Id<'static> {
        let name = &self.known[&number];
        let is_bare = name.has_bare_id && !name.id.is_empty();
        Id { text: self.reference(number, store, sources).id.into(), is_bare }
    }
}

/// Names of clusters: no two clusters share one.
///
/// A cluster is called by the id of its kept document, with the type of the id. If another document has that id, the
/// number of the kept document is added: `a#17` is the 17th record of the run, records of `--against` counted first. An id
/// that ends so itself gets a number too; so whatever ends in a number names one document, and whatever does not is an id
/// that one document has.
#[derive(Debug)]
pub(crate) struct ClusterNames {
    repeated: Bits,
}

impl ClusterNames {
    /// Finds the ids that several documents have. Uses about `memory` bytes.
    pub(crate) fn new(
        store: &Store,
        sources: Sources<'_>,
        has_ids: bool,
        memory: u64,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let mut repeated = Bits::new(store.count());
        visit_repeated(store, sources, has_ids, memory, observer, &mut |group| {
            group.iter().for_each(|&(number, _)| repeated.insert(number));
        })?;
        Ok(Self { repeated })
    }

    /// The name of the cluster of a kept document.
    pub(crate) fn name(
        &self,
        kept: Number,
        names: &Names,
        store: &Store,
        sources: Sources<'_>,
    ) -> Id<'static> {
        let id = names.id(kept, store, sources);
        if self.repeated.contains(kept) || ends_in_number(&id.text) {
            return Id::string(format!("{}#{}", id.text, kept + 1));
        }
        id
    }
}

/// Whether a name ends as one with a number does.
fn ends_in_number(name: &str) -> bool {
    name.rsplit_once('#')
        .is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Hands each group of records with equal names (ids, or `source:line`) to `visit`. Records whose names have equal hashes
/// are taken for one group, which does no harm.
fn visit_repeated(
    store: &Store,
    sources: Sources<'_>,
    has_ids: bool,
    memory: u64,
    observer: &dyn Observer,
    visit: &mut Taker<'_>,
) -> Result<()> {
    let hash = |name: &str| mix64(hash_bytes(name.as_bytes()));
    let scan = |take: &mut Taker<'_>| {
        let mut keys: Vec<(Number, u64)> = Vec::new();
        for part in 0..store.parts() {
            let (first, entries) = store.entries(part)?;
            let numbers: Vec<Number> = (first..first + entries.len() as Number).collect();
            drop(entries);
            let lines = store.lines_of(&numbers)?;
            keys.clear();
            keys.extend(numbers.iter().zip(lines).map(|(&number, line)| {
                (number, hash(&format!("{}:{line}", sources.get(store.source_of(number)).name)))
            }));
            if has_ids {
                store.visit_ids(&numbers, |number, id| {
                    if !id.is_empty() {
                        keys[(number - first) as usize].1 = hash(id);
                    }
                })?;
            }
            take(&keys);
        }
        Ok(())
    };
    groups(store.count(), memory, observer, &scan, visit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_end_in_a_number_are_known() {
        for (name, expected) in
            [("a#1", true), ("#0", true), ("a#", false), ("a#1b", false), ("a1", false), ("a#b#22", true)]
        {
            assert_eq!(ends_in_number(name), expected, "{name}");
        }
    }
}
