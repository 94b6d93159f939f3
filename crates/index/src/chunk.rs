//! Many documents at once: sorted, and written as tables.
//!
//! Each keyspace of a chunk is written as a whole, one after the other: bodies, documents, and then what follows from
//! the documents. So after a kill either the documents are there, and the rest is made again from them, or they are
//! not, and nothing of the chunk is. Making it again changes nothing that is there already.
//!
//! Bands are sorted one after the other, so that sorting needs 16 bytes per document and not per key.

use crate::engine::Engine;
use crate::pages::{List, pages_of};
use crate::store::{Entry, Read, Space, Store, Value};
use crate::values::{PAGE_NUMBERS, Page, Record, bucket_key, copies_key, expiry_key, id_value, number_key};
use crate::{Error, Result};

/// Documents that are written together.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    /// Their numbers, ascending; given when the chunk is written.
    numbers: Vec<u64>,
    ids: Vec<String>,
    /// Their records, as they are stored; empty if they are stored already.
    records: Vec<Vec<u8>>,
    /// Their bodies, as they are stored; empty if none is.
    bodies: Vec<Vec<u8>>,
    copy_hashes: Vec<u128>,
    expires: Vec<Option<u64>>,
    /// True for each document that has no keys.
    hash_only: Vec<bool>,
    /// As many keys per document as there are bands.
    keys: Vec<u64>,
    bytes: usize,
}

/// What a document of a chunk takes besides its bytes.
const PER_DOCUMENT: usize = 200;

impl Chunk {
    /// Adds a document: its record, its keys, and the bytes that are stored of it and its body, unless they are stored
    /// already.
    pub(crate) fn push(
        &mut self,
        engine: &Engine,
        record: &Record,
        keys: &[u64],
        stored: Option<(Vec<u8>, Option<Vec<u8>>)>,
    ) {
        let bands = engine.documents.bands();
        self.bytes += PER_DOCUMENT + record.id.len() + 8 * bands;
        if let Some((value, body)) = stored {
            self.bytes += value.len() + body.as_ref().map_or(0, Vec::len);
            self.records.push(value);
            self.bodies.extend(body);
        }
        self.ids.push(record.id.clone());
        self.copy_hashes.push(record.copy_hash());
        self.expires.push(record.expires);
        self.hash_only.push(record.hash_only);
        self.keys.extend_from_slice(keys);
        self.keys.resize(self.ids.len() * bands, 0);
    }

    /// The memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn ids(&self) -> &[String] {
        &self.ids
    }

    /// Gives the documents numbers, which ascend.
    pub(crate) fn number(&mut self, numbers: impl IntoIterator<Item = u64>) {
        self.numbers = numbers.into_iter().collect();
        debug_assert!(self.numbers.len() == self.len() && self.numbers.is_sorted_by(|a, b| a < b));
    }

    /// The positions of documents by id, and by position among equal ids.
    fn by_id(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| {
            self.ids[a as usize].as_bytes().cmp(self.ids[b as usize].as_bytes()).then(a.cmp(&b))
        });
        order
    }

    /// For each document whether one before it has its id.
    pub(crate) fn repeated(&self) -> Vec<bool> {
        let mut repeated = vec![false; self.len()];
        for pair in self.by_id().windows(2) {
            repeated[pair[1] as usize] = self.ids[pair[0] as usize] == self.ids[pair[1] as usize];
        }
        repeated
    }

    /// For each document whether one after it has its id.
    pub(crate) fn repeated_later(&self) -> Vec<bool> {
        let mut repeated = vec![false; self.len()];
        for pair in self.by_id().windows(2) {
            repeated[pair[0] as usize] = self.ids[pair[0] as usize] == self.ids[pair[1] as usize];
        }
        repeated
    }

    /// Takes documents away. It must not have numbers yet.
    pub(crate) fn leave_out(&mut self, is_out: &[bool]) {
        fn keep<T>(values: &mut Vec<T>, per_document: usize, is_out: &[bool]) {
            let mut at = 0;
            values.retain(|_| {
                at += 1;
                !is_out[(at - 1) / per_document]
            });
        }
        let bands = self.keys.len() / self.len().max(1);
        keep(&mut self.records, 1, is_out);
        keep(&mut self.bodies, 1, is_out);
        keep(&mut self.copy_hashes, 1, is_out);
        keep(&mut self.expires, 1, is_out);
        keep(&mut self.hash_only, 1, is_out);
        keep(&mut self.keys, bands.max(1), is_out);
        keep(&mut self.ids, 1, is_out);
    }

    /// Writes bodies and documents.
    pub(crate) fn write_documents(&mut self, store: &dyn Store) -> Result<()> {
        for (space, values) in [
            (Space::Bodies, std::mem::take(&mut self.bodies)),
            (Space::Documents, std::mem::take(&mut self.records)),
        ] {
            let entries = self.numbers.iter().zip(values);
            ingest(
                store,
                space,
                entries.map(|(&number, value)| Ok((number_key(number).into(), value.into()))),
            )?;
        }
        Ok(())
    }

    /// Writes what follows from the documents, and returns how many of them are in buckets: all but exact copies.
    pub(crate) fn write_derived(&self, store: &dyn Store, bands: usize) -> Result<u64> {
        let entry = |at: u32| {
            let (id, number) = (&self.ids[at as usize], self.numbers[at as usize]);
            Ok((id.as_bytes().into(), id_value(number).into()))
        };
        ingest(store, Space::Ids, self.by_id().into_iter().map(entry))?;
        let mut expiry: Vec<Vec<u8>> = self
            .numbers
            .iter()
            .zip(&self.expires)
            .filter_map(|(&number, expires)| expires.map(|expires| expiry_key(expires, number)))
            .collect();
        expiry.sort_unstable();
        let value = Value::from(crate::changes::EXPIRY_VALUE);
        ingest(store, Space::Expiry, expiry.into_iter().map(|key| Ok((key.into(), value.clone()))))?;
        let is_first = self.write_copies(store)?;
        // Where nothing is yet, nothing has to be looked up.
        let is_empty = store.snapshot()?.scan(Space::Buckets, &[]).next().is_none();
        let read: Option<&dyn Read> = if is_empty { None } else { Some(store) };
        let in_buckets: Vec<u32> = (0..self.len() as u32)
            .filter(|&at| is_first[at as usize] && !self.hash_only[at as usize])
            .collect();
        let lists = (0..bands).flat_map(|band| {
            let mut keys: Vec<(u64, u32)> =
                in_buckets.iter().map(|&at| (self.keys[at as usize * bands + band], at)).collect();
            keys.sort_unstable();
            Groups { sorted: keys.into_iter().peekable() }
                .map(move |(key, members)| (Value::from(bucket_key(band, key)), members))
        });
        self.write_lists(store, Space::Buckets, read, lists)?;
        Ok(is_first.iter().filter(|&&is_first| is_first).count() as u64)
    }

    /// Writes the lists of copies, and says for each document whether it is the oldest with its text.
    fn write_copies(&self, store: &dyn Store) -> Result<Vec<bool>> {
        let mut sorted: Vec<(u128, u32)> =
            self.copy_hashes.iter().enumerate().map(|(at, &hash)| (hash, at as u32)).collect();
        sorted.sort_unstable();
        let mut is_first = vec![false; self.len()];
        let is_empty = store.snapshot()?.scan(Space::Copies, &[]).next().is_none();
        for (hash, members) in (Groups { sorted: sorted.iter().copied().peekable() }) {
            let key = copies_key(hash);
            let list = List { space: Space::Copies, key: &key };
            let oldest = if is_empty { None } else { list.first(store)? };
            let first = members.0 as usize;
            is_first[first] = oldest.is_none_or(|oldest| oldest == self.numbers[first]);
        }
        let lists = Groups { sorted: sorted.into_iter().peekable() }
            .map(|(hash, members)| (Value::from(copies_key(hash)), members));
        let read: Option<&dyn Read> = if is_empty { None } else { Some(store) };
        self.write_lists(store, Space::Copies, read, lists)?;
        Ok(is_first)
    }

    /// Adds documents to lists, which come in the order of their keys.
    fn write_lists(
        &self,
        store: &dyn Store,
        space: Space,
        read: Option<&dyn Read>,
        lists: impl Iterator<Item = (Value, Members)>,
    ) -> Result<()> {
        let number_of = |at: &u32| self.numbers[*at as usize];
        let pages = |key: &Value, (first, others): &Members| -> Result<Pages> {
            let is_new = match read {
                Some(read) => read.get(space, key)?.is_none(),
                None => true,
            };
            // Almost all lists have one number.
            if is_new && others.is_empty() {
                return Ok(Pages::One(Some((key.clone(), Page::alone(number_of(first))))));
            }
            let numbers: Vec<u64> = std::iter::once(first).chain(others).map(number_of).collect();
            Ok(Pages::Many(appended(List { space, key }, read, &numbers)?.into_iter()))
        };
        let entries = lists.flat_map(|(key, members)| {
            let (pages, error) = match pages(&key, &members) {
                Ok(pages) => (pages, None),
                Err(error) => (Pages::One(None), Some(Err(error))),
            };
            pages.map(Ok).chain(error)
        });
        ingest(store, space, entries)
    }
}

/// The pages of a list that are written.
enum Pages {
    One(Option<Entry>),
    Many(std::vec::IntoIter<Entry>),
}

impl Iterator for Pages {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        match self {
            Self::One(entry) => entry.take(),
            Self::Many(entries) => entries.next(),
        }
    }
}

/// The positions of documents with equal keys, ascending: the first, and the others.
type Members = (u32, Vec<u32>);

/// Groups of positions with equal keys.
struct Groups<K, I: Iterator<Item = (K, u32)>> {
    sorted: std::iter::Peekable<I>,
}

impl<K: PartialEq, I: Iterator<Item = (K, u32)>> Iterator for Groups<K, I> {
    type Item = (K, Members);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, first) = self.sorted.next()?;
        let mut others = Vec::new();
        while let Some((_, next)) = self.sorted.next_if(|(other, _)| *other == key) {
            others.push(next);
        }
        Some((key, (first, others)))
    }
}

/// The pages of a list that change when numbers are added that are larger than all in it. Without `read`, the list is
/// empty.
fn appended(list: List<'_>, read: Option<&dyn Read>, numbers: &[u64]) -> Result<Vec<Entry>> {
    let head = read.map(|read| list.head(read)).transpose()?.flatten();
    let page_key = |page: Option<u32>| match page {
        None => Value::from(list.key),
        Some(page) => [list.key, &page.to_be_bytes()].concat().into(),
    };
    let entry = |page: Option<u32>, value: &Page| (page_key(page), Value::from(value.encode()));
    let Some((mut head, read)) = head.zip(read) else {
        return Ok(pages_of(numbers).map(|(page, value)| entry(page, &value)).collect());
    };
    let last = head.further.end.checked_sub(1).filter(|_| !head.further.is_empty());
    let mut tail = match last {
        None => std::mem::take(&mut head.numbers),
        Some(last) => list.page(read, last)?.numbers,
    };
    // A chunk that is written again after a kill is there already.
    let largest = tail.last().copied();
    let new: Vec<u64> =
        numbers.iter().copied().filter(|&number| largest.is_none_or(|l| l < number)).collect();
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let room = PAGE_NUMBERS.saturating_sub(tail.len()).min(new.len());
    tail.extend_from_slice(&new[..room]);
    let mut pages = Vec::new();
    let mut next = head.further.end;
    let rest: Vec<Page> =
        new[room..].chunks(PAGE_NUMBERS).map(|numbers| Page::further(numbers.to_vec())).collect();
    for page in rest {
        pages.push((next, page));
        next = next.checked_add(1).ok_or_else(|| Error::Store {
            action: "add a page",
            cause: "the list has 4,294,967,295 pages".into(),
        })?;
    }
    head.further.end = next;
    match last {
        None => head.numbers = tail,
        Some(last) => pages.insert(0, (last, Page::further(tail))),
    }
    let further = pages.iter().map(|(page, value)| entry(Some(*page), value));
    Ok(std::iter::once(entry(None, &head)).chain(further).collect())
}

fn ingest(store: &dyn Store, space: Space, entries: impl Iterator<Item = Result<Entry>>) -> Result<()> {
    let mut entries = entries.peekable();
    match entries.peek() {
        None => Ok(()),
        Some(_) => store.ingest(space, &mut entries),
    }
}
