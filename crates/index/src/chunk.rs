//! Many documents at once: sorted, and written as tables.
//!
//! Each keyspace of a chunk is written as a whole, one after the other: bodies, documents, and then what follows from
//! the documents. So after a kill either the documents are there, and the rest is made again from them, or they are
//! not, and nothing of the chunk is. Making it again changes nothing that is there already.
//!
//! Bands are sorted one after the other, so that sorting needs 16 bytes per document and not per key.

use crate::engine::Engine;
use crate::packed::Packed;
use crate::pages::{List, pages_of};
use crate::sorting::{Keyed, sort_spread};
use crate::store::{Entry, Read, Space, Store, Value};
use crate::values::{PAGE_NUMBERS, Page, Record, bucket_key, copies_key, expiry_key, id_value, number_key};
use crate::{Error, Result};

/// Documents that are written together.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    /// Their numbers; given when the chunk is written.
    numbers: Numbers,
    ids: Packed,
    /// Their records, as they are stored; empty if they are stored already.
    records: Packed,
    /// Their bodies, as they are stored; empty if none is.
    bodies: Packed,
    copy_hashes: Vec<u128>,
    expires: Vec<Option<u64>>,
    /// True for each document that has no keys.
    hash_only: Vec<bool>,
    /// For each band, the keys of all documents.
    keys: Vec<Vec<u64>>,
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
            self.records.push(&value);
            body.iter().for_each(|body| self.bodies.push(body));
        }
        self.ids.push(record.id.as_bytes());
        self.copy_hashes.push(record.copy_hash());
        self.expires.push(record.expires);
        self.hash_only.push(record.hash_only);
        self.keys.resize_with(bands, Vec::new);
        // A document that is compared by its content hash only has no keys.
        let keys = keys.iter().copied().chain(std::iter::repeat(0));
        self.keys.iter_mut().zip(keys).for_each(|(band, key)| band.push(key));
    }

    /// The memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The ids of the documents, which are UTF-8.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &[u8]> {
        self.ids.iter()
    }

    /// The copy hashes of the documents.
    pub(crate) fn copy_hashes(&self) -> &[u128] {
        &self.copy_hashes
    }

    /// Gives the documents numbers, which ascend.
    pub(crate) fn number(&mut self, numbers: impl IntoIterator<Item = u64>) {
        self.numbers = Numbers::new(numbers.into_iter().collect());
        debug_assert!(self.numbers.all.len() == self.len());
    }

    /// For each document whether one before it has its id.
    pub(crate) fn repeated(&self) -> Vec<bool> {
        let mut repeated = vec![false; self.len()];
        for pair in self.ids.sorted().windows(2) {
            let (before, at) = (pair[0] as usize, pair[1] as usize);
            repeated[at] = self.ids.get(before) == self.ids.get(at);
        }
        repeated
    }

    /// For each document whether one after it has its id.
    pub(crate) fn repeated_later(&self) -> Vec<bool> {
        let mut repeated = vec![false; self.len()];
        for pair in self.ids.sorted().windows(2) {
            let (at, after) = (pair[0] as usize, pair[1] as usize);
            repeated[at] = self.ids.get(at) == self.ids.get(after);
        }
        repeated
    }

    /// Takes documents away. It must not have numbers yet.
    pub(crate) fn leave_out(&mut self, is_out: &[bool]) {
        fn keep<T>(values: &mut Vec<T>, is_out: &[bool]) {
            let mut is_out = is_out.iter();
            values.retain(|_| is_out.next() == Some(&false));
        }
        self.records.leave_out(is_out);
        self.bodies.leave_out(is_out);
        keep(&mut self.copy_hashes, is_out);
        keep(&mut self.expires, is_out);
        keep(&mut self.hash_only, is_out);
        self.keys.iter_mut().for_each(|band| keep(band, is_out));
        self.ids.leave_out(is_out);
    }

    /// Writes bodies and documents.
    pub(crate) fn write_documents(&mut self, store: &dyn Store) -> Result<()> {
        for (space, values) in [
            (Space::Bodies, std::mem::take(&mut self.bodies)),
            (Space::Documents, std::mem::take(&mut self.records)),
        ] {
            let entries = self.numbers.all.iter().zip(values.iter());
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
            let (id, number) = (self.ids.get(at as usize), self.numbers.get(at));
            Ok((id.into(), id_value(number).into()))
        };
        ingest(store, Space::Ids, self.ids.sorted().into_iter().map(entry))?;
        let mut expiry: Vec<Vec<u8>> = self
            .numbers
            .all
            .iter()
            .zip(&self.expires)
            .filter_map(|(&number, expires)| expires.map(|expires| expiry_key(expires, number)))
            .collect();
        expiry.sort_unstable();
        let value = Value::from(crate::changes::EXPIRY_VALUE);
        ingest(store, Space::Expiry, expiry.into_iter().map(|key| Ok((key.into(), value.clone()))))?;
        let is_first = self.write_copies(store)?;
        let in_buckets: Vec<u32> = (0..self.len() as u32)
            .filter(|&at| is_first[at as usize] && !self.hash_only[at as usize])
            .collect();
        let space = Space::Buckets;
        let read = written(store, space)?;
        let (numbers, mut keys) = (&self.numbers, Vec::new());
        let entries = (0..bands).flat_map(|band| {
            // Without documents there are no keys.
            let of_band = self.keys.get(band).map_or(&[][..], Vec::as_slice);
            keys.clear();
            keys.extend(in_buckets.iter().map(|&at| (of_band[at as usize], at)));
            let mut sorted = Vec::new();
            sort_spread(&keys, |&key| key, &mut sorted);
            let key_of = move |key| Value::from(bucket_key(band, key));
            Lists { space, read, numbers, sorted, at: 0, key_of, pages: Vec::new().into_iter() }
        });
        ingest(store, space, entries)?;
        Ok(is_first.iter().filter(|&&is_first| is_first).count() as u64)
    }

    /// Writes the lists of copies, and says for each document whether it is the oldest with its text.
    fn write_copies(&self, store: &dyn Store) -> Result<Vec<bool>> {
        let hashes: Vec<Keyed<u128>> = self.copy_hashes.iter().copied().zip(0..).collect();
        let mut sorted = Vec::new();
        sort_spread(&hashes, |hash| (hash >> 64) as u64, &mut sorted);
        drop(hashes);
        let mut is_first = vec![false; self.len()];
        let space = Space::Copies;
        let read = written(store, space)?;
        for same in sorted.chunk_by(|(a, _), (b, _)| a == b) {
            let (hash, first) = same[0];
            let oldest = match read {
                Some(read) => List { space, key: &copies_key(hash) }.first(read)?,
                None => None,
            };
            is_first[first as usize] = oldest.is_none_or(|oldest| oldest == self.numbers.get(first));
        }
        let key_of = |hash| Value::from(copies_key(hash));
        let pages = Vec::new().into_iter();
        ingest(store, space, Lists { space, read, numbers: &self.numbers, sorted, at: 0, key_of, pages })?;
        Ok(is_first)
    }
}

/// The numbers of documents, ascending.
#[derive(Debug, Default)]
struct Numbers {
    all: Vec<u64>,
    /// True if there are no gaps, as in a bulk load: then they need not be read in any order.
    is_dense: bool,
}

impl Numbers {
    fn new(all: Vec<u64>) -> Self {
        debug_assert!(all.is_sorted_by(|a, b| a < b));
        let is_dense =
            all.last().zip(all.first()).is_some_and(|(last, first)| last - first + 1 == all.len() as u64);
        Self { all, is_dense }
    }

    /// The number of the document at a position.
    fn get(&self, at: u32) -> u64 {
        if self.is_dense { self.all[0] + u64::from(at) } else { self.all[at as usize] }
    }
}

/// What has to be looked up before a keyspace is written to: nothing where nothing is yet.
fn written(store: &dyn Store, space: Space) -> Result<Option<&dyn Read>> {
    let is_empty = store.snapshot()?.scan(space, &[]).next().is_none();
    Ok(if is_empty { None } else { Some(store) })
}

/// The entries that add documents to lists, in the order of their keys.
struct Lists<'c, K, F> {
    space: Space,
    /// Where the lists are that documents are added to; `None` if there are none.
    read: Option<&'c dyn Read>,
    numbers: &'c Numbers,
    /// The keys of lists with the positions of documents.
    sorted: Vec<Keyed<K>>,
    /// How many of them are done.
    at: usize,
    key_of: F,
    /// The rest of the pages of a list.
    pages: std::vec::IntoIter<Entry>,
}

impl<K: Copy + PartialEq, F: Fn(K) -> Value> Lists<'_, K, F> {
    /// The entry of the next list, if it is a single one; otherwise its pages come next.
    fn next_list(&mut self, key: K, first: u32) -> Result<Option<Entry>> {
        let rest = &self.sorted[self.at..];
        let count = rest.iter().take_while(|(other, _)| *other == key).count();
        self.at += count;
        let key = (self.key_of)(key);
        let is_new = match self.read {
            Some(read) => read.get(self.space, &key)?.is_none(),
            None => true,
        };
        // Almost all lists have one number.
        if is_new && count == 1 {
            return Ok(Some((key, Page::alone(self.numbers.get(first)))));
        }
        let numbers: Vec<u64> = rest[..count].iter().map(|&(_, at)| self.numbers.get(at)).collect();
        let list = List { space: self.space, key: &key };
        self.pages = appended(list, self.read, &numbers)?.into_iter();
        Ok(None)
    }
}

impl<K: Copy + PartialEq, F: Fn(K) -> Value> Iterator for Lists<'_, K, F> {
    type Item = Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(page) = self.pages.next() {
                return Some(Ok(page));
            }
            let &(key, first) = self.sorted.get(self.at)?;
            if let Some(entry) = self.next_list(key, first).transpose() {
                return Some(entry);
            }
        }
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
