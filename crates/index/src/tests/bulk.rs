//! Bulk loads that fail at each of their calls, and go on.

use super::{in_memory, thorough};
use crate::store::memory::MemoryStore;
use crate::{BulkOptions, BulkReport, Config, Document, Error, Index, ManualClock, Stored};
use std::sync::Arc;

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(1))
}

fn config() -> Config {
    Config::default().with_settings(thorough()).with_store(Stored::Shingles)
}

/// Documents of which some are copies of others, and some look alike.
fn documents() -> Vec<Document> {
    let text = |number: usize| {
        let words = (0..12).map(|word| format!("b{}w{word}", number % 5));
        format!("{} x{}", words.collect::<Vec<_>>().join(" "), number % 7)
    };
    (0..60).map(|number| Document::new(format!("id-{number}"), text(number))).collect()
}

/// A load in several chunks that is known by its name.
fn load(index: &Index) -> crate::Result<BulkReport> {
    let options = BulkOptions::default().with_memory(20_000).with_job(Some("crawl".into()));
    index.bulk_load(documents().into_iter().map(Ok::<_, Error>), &options)
}

fn contents(index: &Index) -> Vec<crate::Kept> {
    let mut all = Vec::new();
    let visit = |kept| {
        all.push(kept);
        Ok::<_, Error>(true)
    };
    index.export(visit).unwrap();
    all
}

#[test]
fn a_load_that_fails_at_any_call_goes_on() {
    let whole = in_memory(&MemoryStore::default(), &config(), &clock());
    assert_eq!(load(&whole).unwrap(), BulkReport { added: 60, ..BulkReport::default() });
    assert!(whole.stats().unwrap().batches > 6, "several chunks");
    assert!(whole.verify().unwrap().is_clean());
    let mut resumed = 0;
    for writes_all_the_same in [false, true] {
        for call in 1.. {
            let store = MemoryStore::default();
            let index = in_memory(&store, &config(), &clock());
            store.fail_at(call, writes_all_the_same);
            let failed = load(&index).is_err();
            store.fail_at(0, false);
            drop(index);
            let index = in_memory(&store, &config(), &clock());
            assert!(index.verify().unwrap().is_clean(), "call {call}");
            if !failed {
                break;
            }
            // Whole chunks are there, in order.
            let there = contents(&index);
            assert_eq!(there, contents(&whole)[..there.len()], "call {call}");
            // After the last chunk its name is forgotten, and the ids are there.
            if there.len() < 60 {
                let report = load(&index).unwrap();
                assert_eq!((report.added + report.resumed, report.present), (60, 0), "call {call}");
                resumed += u64::from(report.resumed > 0);
            }
            assert_eq!(contents(&index), contents(&whole), "call {call}");
            assert!(index.verify().unwrap().is_clean(), "call {call}");
        }
    }
    assert!(resumed > 10);
}

#[test]
fn ids_that_are_there_are_refused_or_left_out() {
    let index = in_memory(&MemoryStore::default(), &config(), &clock());
    index.add(&Document::new("id-7", "something else")).unwrap();
    assert!(matches!(load(&index), Err(Error::DuplicateId { id }) if id == "id-7"));
    let again = documents().into_iter().chain(documents().into_iter().take(3)).map(Ok::<_, Error>);
    let report =
        index.bulk_load(again, &BulkOptions::default().with_if_present(crate::IfPresent::Skip)).unwrap();
    assert_eq!((report.added, report.present), (59, 4));
    assert_eq!(index.stats().unwrap().documents, 60);
    assert!(index.verify().unwrap().is_clean());
    // An error of the input ends the load; it is handed through.
    #[derive(Debug)]
    enum Wrong {
        Input,
        Index(#[expect(dead_code, reason = "shown only")] Error),
    }
    impl From<Error> for Wrong {
        fn from(error: Error) -> Self {
            Self::Index(error)
        }
    }
    let broken = [Ok(Document::new("new", "a b c")), Err(Wrong::Input)];
    assert!(matches!(index.bulk_load(broken, &BulkOptions::default()), Err(Wrong::Input)));
    assert!(!index.contains("new").unwrap());
}
