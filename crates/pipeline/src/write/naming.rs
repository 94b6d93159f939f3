//! Document numbers -> the names of documents (id, source, line). A cluster is named after its kept document.

use crate::copies::repeats::{Keys, repeats};
use crate::decide::Removals;
use crate::limits::bits::Bits;
use crate::seen::{asked_for, seen_by};
use crate::sketch::Sources;
use crate::store::{Number, Store};
use crate::view::View;
use crate::{Reference, Result};
use corpus::Id;
use lookalike::hashing::{hash_bytes, mix64};
use std::collections::HashMap;

/// How many documents are named at a time.
pub(crate) const BATCH: usize = if cfg!(test) { 64 } else { 1 << 14 };

/// Ids are kept in memory if they have at most this many bytes together. Otherwise each id is read when it is needed.
const HELD: u64 = if cfg!(test) { 1 << 10 } else { 4 << 20 };

/// The names of some documents.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    store: &'a Store,
    sources: Sources<'a>,
    known: HashMap<Number, Name>,
    /// True if each id is read when it is needed, because all ids together are too long to be kept in memory.
    reads_ids: bool,
}

#[derive(Debug, Default)]
struct Name {
    line: u64,
    /// The id; empty if the document has none.
    id: String,
    has_bare_id: bool,
}

impl<'a> Names<'a> {
    /// Looks up the names of `numbers`, which may be in any order.
    pub(crate) fn new(
        mut numbers: Vec<Number>,
        store: &'a Store,
        sources: Sources<'a>,
        has_ids: bool,
    ) -> Result<Self> {
        numbers.sort_unstable();
        numbers.dedup();
        // Numbers that stand for documents of an index come last.
        let of_index = numbers.partition_point(|&number| asked_for(number).is_none());
        let of_index: Vec<Number> = numbers.split_off(of_index).into_iter().filter_map(asked_for).collect();
        let lines = store.lines_of(&numbers)?;
        let mut known: HashMap<Number, Name> = numbers
            .iter()
            .zip(lines)
            .map(|(&number, line)| (number, Name { line, ..Name::default() }))
            .collect();
        let reads_ids = has_ids && store.id_bytes(&numbers)? > HELD;
        if has_ids && !reads_ids {
            store.visit_ids(&numbers, |number, id| {
                if let Some(name) = known.get_mut(&number) {
                    name.id.push_str(id);
                }
            })?;
        }
        store.visit_seen_ids(&of_index, |number, id| {
            known.insert(seen_by(number), Name { id: id.to_owned(), ..Name::default() });
        })?;
        Ok(Self { store, sources, known, reads_ids })
    }

    /// Like [`new`](Self::new), but also looks up the types of the ids.
    pub(crate) fn with_types(
        numbers: Vec<Number>,
        store: &'a Store,
        sources: Sources<'a>,
        has_ids: bool,
    ) -> Result<Self> {
        let mut names = Self::new(numbers, store, sources, has_ids)?;
        if has_ids {
            let of_run = |number: &Number| asked_for(*number).is_none();
            let mut numbers: Vec<Number> = names.known.keys().copied().filter(of_run).collect();
            numbers.sort_unstable();
            for (number, entry) in numbers.iter().zip(store.entries_of(&numbers)?) {
                if let Some(name) = names.known.get_mut(number) {
                    name.has_bare_id = entry.has_bare_id();
                }
            }
        }
        Ok(names)
    }

    /// The name of a document. It must be one of those that were looked up. A document of an index has no line.
    pub(crate) fn reference(&self, number: Number) -> Result<Reference> {
        let line = self.known[&number].line;
        let source = match asked_for(number) {
            Some(_) => self.sources.seen.map(|seen| seen.name().to_owned()).unwrap_or_default(),
            None => self.sources.get(self.store.source_of(number)).name.clone(),
        };
        let id = self.own_id(number)?;
        let id = if id.is_empty() { format!("{source}:{line}") } else { id };
        Ok(Reference { id, source, line })
    }

    /// The id of a document with its type, or `source:line` if it has none.
    pub(crate) fn id(&self, number: Number) -> Result<Id<'static>> {
        let id = self.own_id(number)?;
        if id.is_empty() {
            return Ok(Id::string(self.reference(number)?.id));
        }
        Ok(Id { text: id.into(), is_bare: self.known[&number].has_bare_id })
    }

    /// The id of a document; empty if it has none.
    fn own_id(&self, number: Number) -> Result<String> {
        if !self.reads_ids || asked_for(number).is_some() {
            return Ok(self.known[&number].id.clone());
        }
        let mut own = String::new();
        self.store.visit_ids(&[number], |_, id| own.push_str(id))?;
        Ok(own)
    }
}

/// The names of clusters. Each name belongs to one cluster only.
///
/// A cluster is named by the id of its kept document, with the type of the id. If another document has that id too,
/// the number of the kept document is added: `a#17` is the 17th record of the run, where records of `--against` are
/// counted first. An id that already ends in `#` and a number gets a number too. Therefore a name that ends in such a
/// number belongs to one document, and any other name is an id that only one document has. A document of an index has
/// the number of the first record that was removed because of it, which names no cluster itself.
#[derive(Debug)]
pub(crate) struct ClusterNames {
    repeated: Bits,
    /// The documents of an index come after so many records of the run.
    count: u64,
}

impl ClusterNames {
    /// Finds the ids that several documents have, among them those of an index because of which records are removed.
    pub(crate) fn new(view: View<'_>, removals: &Removals) -> Result<Self> {
        let count = view.store.count();
        let mut seen = None;
        if view.store.has_seen() {
            let mut firsts = Bits::new(count);
            for (step, removal) in removals.iter().enumerate() {
                view.observer.go_on_at(step)?;
                let removal = removal?;
                if asked_for(removal.kept) == Some(removal.number) {
                    firsts.insert(removal.number);
                }
            }
            seen = Some(firsts);
        }
        let mut repeated = Bits::new(if seen.is_some() { 2 * count } else { count });
        visit_repeated(view, seen.as_ref(), &mut |number, _| repeated.insert(number))?;
        Ok(Self { repeated, count })
    }

    /// The name of the cluster of a kept document.
    pub(crate) fn name(&self, kept: Number, names: &Names<'_>) -> Result<Id<'static>> {
        let id = names.id(kept)?;
        let (number, place) = match asked_for(kept) {
            Some(first) => (first, self.count + first),
            None => (kept, kept),
        };
        if self.repeated.contains(place) || ends_in_number(&id.text) {
            return Ok(Id::string(format!("{}#{}", id.text, number + 1)));
        }
        Ok(id)
    }
}

/// True if a name ends in `#` and a number.
fn ends_in_number(name: &str) -> bool {
    name.rsplit_once('#')
        .is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Hands each record that shares its name (id, or `source:line`) with another record to `visit`. Names with equal
/// hashes are treated as equal, which does no harm. The documents of an index that these records were removed because of
/// first take part, and come after all records.
fn visit_repeated(view: View<'_>, seen: Option<&Bits>, visit: &mut dyn FnMut(Number, bool)) -> Result<()> {
    let (store, sources, room) = (view.store, view.sources, view.room());
    let has_ids = view.recipe.settings.files.id_field.is_some();
    let hash = |name: &str| mix64(hash_bytes(name.as_bytes()));
    let mut keys: Vec<(u64, Number)> = Vec::new();
    let scan = |take: &mut Keys<'_>| {
        for part in 0..store.parts() {
            room.observer.go_on()?;
            let numbers: Vec<Number> = store.numbers_of_part(part).collect();
            let lines = store.lines_of(&numbers)?;
            keys.clear();
            keys.extend(numbers.iter().zip(lines).map(|(&number, line)| {
                (hash(&format!("{}:{line}", sources.get(store.source_of(number)).name)), number)
            }));
            if has_ids {
                let first = store.numbers_of_part(part).start;
                store.visit_ids(&numbers, |number, id| {
                    if !id.is_empty() {
                        keys[(number - first) as usize].0 = hash(id);
                    }
                })?;
            }
            if let Some(seen) = seen {
                let numbers: Vec<Number> =
                    numbers.into_iter().filter(|&number| seen.contains(number)).collect();
                store.visit_seen_ids(&numbers, |number, id| keys.push((hash(id), store.count() + number)))?;
            }
            take(&keys);
        }
        Ok(())
    };
    repeats(store.count() * if seen.is_some() { 2 } else { 1 }, room, scan, visit)
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
