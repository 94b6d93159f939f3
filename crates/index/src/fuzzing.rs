//! What the fuzz targets call: stored values that were changed behind the back of an index.

use crate::clock::ManualClock;
use crate::config::{Config, Stored};
use crate::document::{Document, Lifetime, OnMatch};
use crate::operations::{Change, Query, Ticket};
use crate::store::memory::MemoryStore;
use crate::store::{Read, Space};
use crate::values::{
    Body, BulkMarker, Counters, JobProgress, Page, Receipt, Receipts, RecordView, receipt_number_of,
    receipt_number_value,
};
use crate::{Index, Result};
use pipeline::{BandsAndRows, Settings};
use std::sync::Arc;
use std::time::Duration;

/// The key with which shingles are hashed.
const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// The number of hashes of a signature.
const HASHES: usize = 8;

const CAT: &str = "a cat sat on the mat in the hall of the old house and watched the rain";

/// Reads a value as each kind of value. What is read is written as the same bytes.
pub fn read_and_write(value: &[u8]) {
    let same = |written: Option<Vec<u8>>| assert!(written.is_none_or(|written| written == value));
    same(RecordView::new(value, HASHES).and_then(|view| view.record()).map(|record| record.encode()));
    same(Body::decode(value).map(|body| body.encode()));
    same(Page::decode(value).map(|page| page.encode()));
    same(Counters::decode(value).map(|counters| counters.encode()));
    same(BulkMarker::decode(value).map(|marker| marker.encode()));
    same(JobProgress::decode(value).map(|progress| progress.encode()));
    same(Receipts::decode(value).map(|receipts| receipts.encode()));
    same(Receipt::decode(value).map(|receipt| receipt.encode()));
    same(receipt_number_of(value).map(|key| receipt_number_value(&key)));
}

/// An index with entries in every keyspace.
#[derive(Debug)]
pub struct Values {
    store: MemoryStore,
    config: Config,
    /// Where its entries are.
    places: Vec<(Space, Vec<u8>)>,
}

fn ticket(key: u8) -> Ticket {
    Ticket { key: [key; 32], request: [0; 32], most: 3, time: Duration::from_secs(60) }
}

impl Values {
    /// An index of a few documents: alike, equal, with metadata, within a value, some that expire, and enough copies of
    /// one for two pages.
    pub fn new() -> Result<Self> {
        let settings = Settings::default()
            .with_threshold(0.5)
            .with_shingles("words:2".into())
            .with_hashes(HASHES)
            .with_bands(Some(BandsAndRows { bands: 4, rows: 2 }));
        let config = Config::default().with_settings(settings).with_store(Stored::Text);
        let mut this = Self { store: MemoryStore::default(), config, places: Vec::new() };
        let index = this.index(&this.store)?;
        let metadata = [("source".to_owned(), "news".into())].into_iter().collect();
        index.add_batch(&[
            Document::new("a", CAT).with_metadata(Some(metadata)),
            Document::new("b", CAT.replace("rain", "sea"))
                .with_lifetime(Lifetime::For(Duration::from_secs(9))),
            Document::new("c", CAT).with_within(Some("x".into())),
            Document::new("d", ""),
        ])?;
        let copies: Vec<_> =
            (0..260).map(|copy| Document::new(format!("copy-{copy}"), "one two three four")).collect();
        index.add_batch(&copies)?;
        for key in 1..=3 {
            let change = [Change::Update(Document::new("a", CAT))];
            index.apply_once(&change, Some(&ticket(key)), |_| b"answer".to_vec())?;
        }
        let few = |space: Space| this.store.keys(space).into_iter().take(12).map(move |key| (space, key));
        this.places = Space::ALL.into_iter().flat_map(few).collect();
        Ok(this)
    }

    fn index(&self, store: &MemoryStore) -> Result<Index> {
        let clock = Arc::new(ManualClock::at(1_000_000));
        Index::on_store(Box::new(store.clone()), &self.config, KEY, clock)
    }

    /// A value. Places beyond the last one begin anew.
    pub fn value(&self, place: usize) -> Result<Vec<u8>> {
        let (space, key) = &self.places[place % self.places.len()];
        Ok(self.store.get(*space, key)?.map(|value| value.to_vec()).unwrap_or_default())
    }

    /// Puts other bytes in the place of a value, or removes it, and asks and changes everything. Each call has an answer or
    /// an error. Returns true if everything still agrees before anything is changed.
    pub fn ask(&self, place: usize, value: Option<&[u8]>) -> Result<bool> {
        let (space, key) = &self.places[place % self.places.len()];
        let store = self.store.copied();
        store.set(*space, key, value);
        let index = self.index(&store)?;
        let is_clean = index.verify().is_ok_and(|verified| verified.is_clean());
        let _ = index.stats();
        let _ = index.list(0, 1_000);
        let mut visited = 0;
        let _ = index.export(|_| {
            visited += 1;
            Ok::<_, crate::Error>(visited < 1_000)
        });
        for id in ["a", "b", "c", "copy-7", "nobody"] {
            let _ = index.get(id);
            let _ = index.query(&Query::id(id));
            let _ = index.passages(id, CAT);
        }
        for text in [CAT, "one two three four", ""] {
            let _ = index.query(&Query::text(text));
            let _ = index.check(&Document::new("new", text), false, OnMatch::Skip);
            for on_match in [OnMatch::Touch, OnMatch::Replace, OnMatch::Add] {
                let _ = index.check(&Document::new("new", text), true, on_match);
            }
        }
        let change = [Change::Update(Document::new("a", "another text of some words"))];
        for key in 1..=4 {
            let _ = index.apply_once(&change, Some(&ticket(key)), |_| b"answer".to_vec());
        }
        let _ = index.expire(10_000_000, 10);
        let _ = index.remove(&["a", "b", "copy-0", "copy-1", "new"]);
        let _ = index.remove_where(&[("source".to_owned(), "news".into())].into_iter().collect());
        let _ = index.verify();
        Ok(is_clean)
    }
}
