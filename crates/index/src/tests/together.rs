//! Many callers at once.

use super::{options, thorough};
use crate::{Config, Document, Index, ManualClock, OnMatch, Query, Stored};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};

fn index(folder: &std::path::Path) -> Index {
    let config = Config::default().with_settings(thorough()).with_store(Stored::Text);
    Index::create(folder.join("index"), &config, &options(&Arc::new(ManualClock::at(1)))).unwrap()
}

#[test]
fn of_equal_texts_checked_at_once_exactly_one_is_new() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path());
    let barrier = Barrier::new(64);
    for round in 0..5 {
        let text = (0..12).map(|word| format!("r{round}w{word}")).collect::<Vec<_>>().join(" ");
        let new = std::thread::scope(|scope| {
            let callers: Vec<_> = (0..64)
                .map(|caller| {
                    let (index, barrier, text) = (&index, &barrier, &text);
                    scope.spawn(move || {
                        // Half of them differ in the last word: they look alike all the same.
                        let text =
                            if caller % 2 == 0 { text.clone() } else { format!("{text} more{caller}") };
                        let document = Document::new(format!("{round}-{caller}"), text);
                        barrier.wait();
                        index.check(&document, true, OnMatch::Skip).unwrap().is_new()
                    })
                })
                .collect();
            callers.into_iter().map(|caller| caller.join().unwrap()).filter(|&is_new| is_new).count()
        });
        assert_eq!(new, 1);
    }
    assert_eq!(index.stats().unwrap().documents, 5);
    // Who is not new writes nothing.
    assert_eq!(index.stats().unwrap().batches, 5);
    assert!(index.verify().unwrap().is_clean());
}

#[test]
fn readers_see_whole_batches_only() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path());
    let text = |word: usize| format!("a b c d e f g h i j k l m n o p q r s t {word}");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let (mut seen, mut asked) = (0, 0);
                    while !is_over.load(Ordering::SeqCst) || asked == 0 {
                        let found = index.query(&Query::text(text(1_000))).unwrap().matches.len();
                        assert!(found.is_multiple_of(10) && found >= seen, "{found} after {seen}");
                        (seen, asked) = (found, asked + 1);
                    }
                })
            })
            .collect();
        for batch in 0..20 {
            let documents: Vec<_> =
                (0..10).map(|at| Document::new(format!("{batch}-{at}"), text(batch * 10 + at))).collect();
            index.add_batch(&documents).unwrap();
            if batch == 10 {
                index.compact().unwrap();
            }
        }
        is_over.store(true, Ordering::SeqCst);
        readers.into_iter().for_each(|reader| reader.join().unwrap());
    });
    assert_eq!(index.query(&Query::text(text(1_000))).unwrap().matches.len(), 200);
}

#[test]
fn writers_and_backups_at_once_leave_a_whole_index() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path());
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let index = &index;
            scope.spawn(move || {
                for number in 0..40 {
                    let text = format!("w{writer} t{} a b c d e f g h", number % 7);
                    index.add(&Document::new(format!("{writer}-{number}"), text)).unwrap();
                    if number % 3 == 0 {
                        index.remove(&[format!("{writer}-{}", number / 2)]).unwrap();
                    }
                }
            });
        }
        scope.spawn(|| {
            for backup in 0..3 {
                index.backup(folder.path().join(format!("backup-{backup}"))).unwrap();
            }
        });
    });
    assert!(index.verify().unwrap().is_clean());
    for backup in 0..3 {
        let copy = Index::open(folder.path().join(format!("backup-{backup}")), &Default::default()).unwrap();
        assert_eq!(copy.lost(), 0);
        assert!(copy.verify().unwrap().is_clean());
    }
}

/// Tables are merged and written while others add, remove and ask: answers are those of an index that is left alone.
#[test]
fn compacting_beside_writers_and_readers_changes_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path());
    let text = |writer: usize, number: usize| {
        (0..12).map(|word| format!("w{writer}n{number}x{word}")).collect::<Vec<_>>().join(" ")
    };
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3)
            .map(|writer| {
                let index = &index;
                scope.spawn(move || {
                    for number in 0..60 {
                        let id = format!("{writer}-{number}");
                        index.add(&Document::new(&id, text(writer, number))).unwrap();
                        // What was acknowledged is seen, whatever is merged meanwhile.
                        let found = index.query(&Query::text(text(writer, number))).unwrap().matches;
                        assert!(found.len() == 1 && found[0].id == id, "{found:?}");
                        if number % 2 == 1 {
                            assert_eq!(index.remove(&[format!("{writer}-{}", number - 1)]).unwrap(), 1);
                        }
                    }
                })
            })
            .collect();
        let compacting = scope.spawn(|| {
            let mut times = 0;
            while !is_over.load(Ordering::SeqCst) || times == 0 {
                index.compact().unwrap();
                times += 1;
            }
        });
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        is_over.store(true, Ordering::SeqCst);
        compacting.join().unwrap();
    });
    for (writer, number) in (0..3).flat_map(|writer| (0..60).map(move |number| (writer, number))) {
        let found = index.query(&Query::text(text(writer, number))).unwrap().matches;
        assert_eq!(found.len(), number % 2, "{writer}-{number}");
    }
    assert_eq!(index.stats().unwrap().documents, 90);
    assert!(index.verify().unwrap().is_clean());
}
