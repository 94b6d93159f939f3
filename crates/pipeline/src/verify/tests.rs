//! A small corpus, sketched: how its connected sets are packed, loaded, refined and connected.

use super::loading::{Loaded, Loader};
use super::packing::{self, Connected, Members, NO_SET, Packed};
use super::refining::Way;
use super::{Task, components, refining, similarities, verify};
use crate::candidates::forest::Forest;
use crate::candidates::{self, Candidates};
use crate::copies;
use crate::limits::bits::Bits;
use crate::method::TextBuffers;
use crate::prepared::Prepared;
use crate::progress::timing::Stages;
use crate::report::PairCounts;
use crate::resume::work::Work;
use crate::solve::{Found, NearMisses, Role};
use crate::store::{Number, Store};
use crate::view::View;
use crate::{Job, Keep, Resources, Settings, Silent};
use corpus::{Discovery, discover};
use std::collections::BTreeMap;
use testkit::corpora::{Document, Planted, slotted, templated, with_footer, write_files};

/// A corpus in a folder.
struct Corpus {
    folder: tempfile::TempDir,
    documents: Vec<Document>,
    job: Job,
}

impl Corpus {
    fn new(documents: Vec<Document>, settings: Settings) -> Self {
        let half = documents.len() / 2;
        Self::against(documents, half, false, settings)
    }

    /// The documents in two files, the first of which has `first`; it may be one to compare with.
    fn against(documents: Vec<Document>, first: usize, against: bool, settings: Settings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files = write_files(folder.path(), documents.iter().cloned(), &[first]).unwrap();
        let arguments: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        let mut sources = discover(&arguments, &Discovery::default()).unwrap();
        let against = if against { vec![sources.remove(0)] } else { Vec::new() };
        let resources = Resources { memory: 1 << 30, threads: 1, ..Resources::of_this_machine() };
        let job =
            Job { sources, against, settings, resources, sketch: None, indexes: crate::Indexes::default() };
        Self { folder, documents, job }
    }

    /// Sketches it, with so much memory, and hands what there is to `look`.
    fn with(&self, free: u64, look: impl FnOnce(View<'_>, Candidates) + Send) {
        let mut prepared = Prepared::new(&self.job).unwrap();
        prepared.budget = prepared.budget.clone().with_free(free);
        let mut work = Work::temporary(self.folder.path()).unwrap();
        prepared
            .in_pool(|| {
                let mut stages = Stages::new(&Silent);
                let store: Store = prepared.sketch(&mut work, &mut stages)?;
                let view = prepared.view(&store, &work, &Silent);
                let copies = copies::find(view)?;
                look(view, candidates::find(view, &copies)?);
                Ok(())
            })
            .unwrap();
    }

    /// The exact similarity of two documents.
    fn similarity(&self, a: Number, b: Number) -> f64 {
        let set = |at: Number| self.job.settings.shingler().unwrap().set(&self.documents[at as usize].text);
        lookalike::similarity::jaccard(&set(a), &set(b))
    }
}

fn planted(keep: Keep) -> Corpus {
    let documents = Planted { documents: 300, near: 0.5, seed: 2, ..Planted::default() }.collect();
    Corpus::new(documents, Settings::default().with_keep(keep).with_threshold(0.6))
}

/// Connected sets, by root.
fn sets(candidates: &mut Candidates) -> BTreeMap<Number, Vec<Number>> {
    let mut sets: BTreeMap<Number, Vec<Number>> = BTreeMap::new();
    for number in candidates.involved.iter().collect::<Vec<_>>() {
        sets.entry(candidates.forest.root(number)).or_default().push(number);
    }
    sets
}

fn again(view: View<'_>) -> Candidates {
    candidates::find(view, &copies::find(view).unwrap()).unwrap()
}

#[test]
fn every_document_is_in_one_chunk_with_those_it_is_connected_with() {
    for (free, several) in [(1 << 28, false), (500_000, true)] {
        planted(Keep::First).with(free, |view, candidates| {
            let mut candidates = candidates;
            let sets = sets(&mut candidates);
            assert!(sets.len() > 20);
            let packed = packing::pack(view, candidates, true).unwrap();
            assert_eq!(packed.series.len() > 1, several, "{} series", packed.series.len());
            let mut place: BTreeMap<Number, (usize, u32)> = BTreeMap::new();
            for (at, series) in packed.series.iter().enumerate() {
                for members in series.chunks.clone().map(|chunk| packed.members(chunk).unwrap()) {
                    assert!(members.numbers.is_sorted() && members.numbers.len() == members.sets.len());
                    for (&number, &set) in members.numbers.iter().zip(&members.sets) {
                        assert!(place.insert(number, (at, set)).is_none(), "{number} is there twice");
                    }
                }
            }
            let mut small: BTreeMap<u32, &Vec<Number>> = BTreeMap::new();
            for set in sets.values() {
                let (series, name) = place[&set[0]];
                assert!(
                    set.iter().all(|number| place.remove(number) == Some((series, name))),
                    "{set:?} was torn apart"
                );
                if name != NO_SET {
                    assert!(small.insert(name, set).is_none(), "two sets are called {name}");
                }
            }
            assert!(place.is_empty() && !small.is_empty());
        });
    }
}

#[test]
fn a_set_that_does_not_fit_is_a_series_in_keep_order() {
    let corpus = Corpus::new(
        templated(120, 2_000, 0.9, 5).collect(),
        Settings::default().with_keep(Keep::Longest).with_threshold(0.7),
    );
    corpus.with(500_000, |view, candidates| {
        let packed = packing::pack(view, candidates, false).unwrap();
        let series = packed.series.iter().max_by_key(|series| series.chunks.len()).unwrap();
        assert!(series.chunks.len() > 1, "it must not fit for this to be a test");
        let length = |number: &Number| corpus.documents[*number as usize].text.len();
        let chunks: Vec<Members> =
            series.chunks.clone().map(|chunk| packed.members(chunk).unwrap()).collect();
        for pair in chunks.windows(2) {
            let (shortest, longest) =
                (pair[0].numbers.iter().map(length).min(), pair[1].numbers.iter().map(length).max());
            assert!(shortest >= longest, "{shortest:?} comes before {longest:?}");
        }
    });
}

/// Removed documents, with what removed them.
fn survivors(view: View<'_>, candidates: Candidates) -> BTreeMap<Number, Number> {
    let mut removed = BTreeMap::new();
    let near_misses = NearMisses::default();
    let visit = &mut |found: Found| assert!(removed.insert(found.number, found.other).is_none());
    verify(view, candidates, Task::Survivors { near_misses: &near_misses, visit }).unwrap();
    removed
}

/// Kept documents of an earlier chunk used to remove those of a later one, protected or not.
#[test]
fn in_a_series_too_only_what_is_protected_removes() {
    // The second half is alike, and like nothing of the first, which is what it is compared with.
    let documents: Vec<Document> =
        templated(120, 2_000, 0.9, 6).chain(templated(120, 2_000, 0.9, 5)).collect();
    for against_only in [false, true] {
        let settings = Settings::default().with_against_only(against_only).with_threshold(0.7);
        let corpus = Corpus::against(documents.clone(), 120, against_only, settings);
        let mut answers = Vec::new();
        for free in [1 << 28, 500_000] {
            corpus.with(free, |view, candidates| {
                let packed = packing::pack(view, again(view), false).unwrap();
                let longest = packed.series.iter().map(|series| series.chunks.len()).max().unwrap();
                assert_eq!(longest > 1, free < 1 << 28, "{longest} chunks");
                answers.push(survivors(view, candidates));
            });
        }
        assert_eq!(answers[0], answers[1], "against only: {against_only}");
        assert_eq!(answers[0].values().any(|&kept| kept >= 120), !against_only);
    }
}

/// Protected documents of a chunk used to be asked before those that an earlier chunk had kept, and pairs with them were found again for each
/// earlier chunk.
#[test]
fn a_series_names_the_first_in_keep_order_and_each_pair_once() {
    // About half of the pairs are similar enough.
    let documents: Vec<Document> = templated(200, 2_000, 0.7, 5).collect();
    let settings =
        Settings::default().with_threshold(0.7).with_bands("42x3".parse().ok()).with_keep(Keep::Longest);
    let corpus = Corpus::against(documents, 120, true, settings);
    let (mut answers, mut pairs) = (Vec::new(), Vec::new());
    for free in [1 << 28, 300_000] {
        corpus.with(free, |view, candidates| {
            let packed = packing::pack(view, again(view), false).unwrap();
            let longest = packed.series.iter().map(|series| series.chunks.len()).max().unwrap();
            assert!((longest > 3) == (free < 1 << 28), "{longest} chunks");
            answers.push(survivors(view, candidates));
            let mut found = Vec::new();
            let visit = &mut |pair: Found| found.push((pair.number, pair.other));
            let shared = &Bits::new(view.store.count());
            verify(view, again(view), Task::Pairs { shared, visit }).unwrap();
            found.sort_unstable();
            pairs.push(found);
        });
    }
    assert!(answers[0].len() > 30, "{}", answers[0].len());
    assert_eq!(answers[0], answers[1]);
    assert_eq!(pairs[0], pairs[1]);
}

#[test]
fn documents_are_loaded_in_keep_order_with_their_sets() {
    let corpus = planted(Keep::Longest);
    corpus.with(1 << 28, |view, candidates| {
        let numbers: Vec<Number> = candidates.involved.iter().collect();
        let (first, second) = numbers.split_at(numbers.len() / 2);
        let whole = Packed::of(view.room(), &[&numbers]);
        let halves = Packed::of(view.room(), &[first, second]);
        let near_misses = NearMisses::default();
        let load = |packed: &Packed, chunk: usize, members: Vec<Number>| {
            let mut loaded = Loaded::default();
            let mut loader = Loader::new(view, packed, false, &near_misses).unwrap();
            loader.append(&mut loaded, chunk, &Members::of(members), false, |_| Role::Both).unwrap();
            loaded.chunk
        };
        // From the sources; from files that a pass over them made; and a part of what such a file has.
        let some: Vec<Number> = second.iter().copied().step_by(3).collect();
        for (chunk, wanted) in [
            (load(&whole, 0, numbers.clone()), numbers.clone()),
            (load(&halves, 1, second.to_vec()), second.to_vec()),
            (load(&halves, 1, some.clone()), some),
        ] {
            let mut order = wanted;
            order.sort_by_key(|&number| std::cmp::Reverse(corpus.documents[number as usize].text.len()));
            assert_eq!(chunk.numbers, order);
            for (at, &number) in chunk.numbers.iter().enumerate() {
                let mut buffers = TextBuffers::default();
                let text = &corpus.documents[number as usize].text;
                assert_eq!(chunk.set(at).as_slice(), view.recipe.set(text, &mut buffers).unwrap());
                assert_eq!(chunk.lanes(at), view.store.lanes_of(&[number]).unwrap().of(0));
            }
        }
    });
}

/// The set of each document after all were taken apart in one way: those that are alone have none.
fn refined(view: View<'_>, way: Way) -> BTreeMap<Number, Number> {
    let count = view.store.count();
    let entries = view.store.entries_of(&(0..count).collect::<Vec<Number>>()).unwrap();
    let all = || {
        let sizes = (0..).zip(entries.iter().map(|entry| u64::from(entry.size)));
        sizes.map(|(number, size)| Ok(Connected { root: 0, number, size }))
    };
    let mut forest = Forest::new(count);
    // What was connected before does not matter.
    (1..count).for_each(|number| assert!(forest.join(0, number)));
    let refined = refining::refine(view, view.room(), way, all, &mut forest).unwrap().unwrap();
    let mut sets: BTreeMap<Number, Vec<Number>> = BTreeMap::new();
    for Connected { root, number, .. } in refined.iter().map(|document| document.unwrap()) {
        sets.entry(root).or_default().push(number);
    }
    sets.retain(|_, numbers| numbers.len() > 1);
    let mut set_of: BTreeMap<Number, Number> = BTreeMap::new();
    for (&set, numbers) in &sets {
        assert!(numbers.is_sorted());
        numbers.iter().for_each(|&number| assert!(set_of.insert(number, set).is_none()));
    }
    set_of
}

/// The connected components of all pairs that are similar enough, by comparing all of them; how many pairs these are.
fn components_of_similar(corpus: &Corpus) -> (BTreeMap<Number, Number>, usize) {
    let count = corpus.documents.len() as Number;
    let threshold = corpus.job.settings.matching.threshold;
    let (forest, mut similar) = (Forest::new(count), 0);
    for a in 0..count {
        for b in (0..a).filter(|&b| corpus.similarity(a, b) >= threshold) {
            similar += 1;
            forest.join(a, b);
        }
    }
    let roots: Vec<Number> = (0..count).map(|number| forest.root(number)).collect();
    let alone = |number: &Number| roots.iter().filter(|&root| *root == roots[*number as usize]).count() == 1;
    let together = (0..count).filter(|number| !alone(number));
    (together.map(|number| (number, roots[number as usize])).collect(), similar)
}

#[test]
fn refined_sets_are_smaller_and_lose_no_similar_pair() {
    let documents: Vec<Document> = with_footer(60, 30, 40, 1).chain(templated(40, 900, 0.85, 1)).collect();
    let corpus = Corpus::new(documents, Settings::default().with_threshold(0.7));
    let (expected, similar) = components_of_similar(&corpus);
    assert!(similar > 50, "{similar}");
    corpus.with(1 << 28, |view, _| {
        let set_of = refined(view, Way::RareShingles);
        for (a, b) in expected.keys().flat_map(|a| expected.keys().map(move |b| (a, b))) {
            let together = set_of.contains_key(a) && set_of.get(a) == set_of.get(b);
            assert!(together || expected[a] != expected[b], "{a} {b}");
        }
        assert!(set_of.len() < 60, "documents with a footer only are alone: {}", set_of.len());
    });
}

/// Pages of a template with slots: as many of the values are shared by similar pages as the threshold says.
#[test]
fn sets_refined_by_combinations_are_what_is_similar() {
    let documents: Vec<Document> = slotted(150, 9, 4, 8, 1).chain(slotted(150, 5, 7, 9, 2)).collect();
    for threshold in [0.6, 0.75, 0.8, 0.9, 1.0] {
        let corpus = Corpus::new(documents.clone(), Settings::default().with_threshold(threshold));
        let (expected, similar) = components_of_similar(&corpus);
        assert!(threshold > 0.8 || similar > 5, "{similar} similar at {threshold}");
        // With little memory keys are in many lists.
        for free in [1 << 28, 1 << 20] {
            corpus.with(free, |view, _| {
                let set_of = refined(view, Way::Combinations);
                assert_eq!(set_of, expected, "{threshold}, {free} bytes");
            });
        }
    }
}

#[test]
fn components_in_pieces_are_those_of_the_whole() {
    planted(Keep::First).with(1 << 28, |view, candidates| {
        let numbers: Vec<Number> = candidates.involved.iter().collect();
        let mut roots = Vec::new();
        for pieces in [1, 2, 5] {
            let chunks: Vec<&[Number]> = numbers.chunks(numbers.len().div_ceil(pieces)).collect();
            let packed = Packed::of(view.room(), &chunks);
            let (near_misses, mut forest) = (NearMisses::default(), Forest::new(view.store.count()));
            let mut loader = Loader::new(view, &packed, false, &near_misses).unwrap();
            let (series, mut counts) = (&packed.series[0], PairCounts::default());
            components::run(view, &packed, series, &mut loader, &mut counts, &mut forest).unwrap();
            roots.push(numbers.iter().map(|&number| forest.root(number)).collect::<Vec<_>>());
        }
        assert_eq!((&roots[0], &roots[0]), (&roots[1], &roots[2]));
        let connected = numbers.iter().zip(&roots[0]).filter(|(number, root)| number != root).count();
        assert!(connected > 30 && connected < numbers.len() * 9 / 10, "{connected} of {}", numbers.len());
    });
}

#[test]
fn similarities_are_exact_in_the_order_asked_for() {
    let corpus = planted(Keep::First);
    for free in [1 << 28, 450_000] {
        corpus.with(free, |view, candidates| {
            let mut candidates = candidates;
            let mut pairs: Vec<(Number, Number)> =
                sets(&mut candidates).values().map(|set| (set[set.len() - 1], set[0])).collect();
            pairs.reverse();
            let expected: Vec<f64> = pairs.iter().map(|&(a, b)| corpus.similarity(a, b)).collect();
            assert_eq!(similarities(view, &pairs).unwrap(), expected);
            assert_eq!(packing::pairs_that_fit(view, &pairs, 0).unwrap(), 1, "one pair always does");
            assert_eq!(packing::pairs_that_fit(view, &pairs, u64::MAX).unwrap(), pairs.len());
            let numbers: Vec<Number> = again(view).involved.iter().collect();
            assert_eq!(packing::fits(view, &numbers).unwrap(), free == 1 << 28);
        });
    }
}
