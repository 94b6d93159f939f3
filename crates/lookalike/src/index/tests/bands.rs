use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{incompatible, rejected};
use crate::banding::{Banding, SCurve};
use crate::index::{BucketStats, LshIndex, Match, Pair};
use crate::minhash::lanes::lanes_into;
use crate::minhash::{BBitSignature, Family, FastSketch, MinHasher, MultiplyShift, Signature};
use crate::statistics::pair_of_sets;

fn signature(slots: &[u64]) -> Signature {
    Signature::from_slots(Family::MultiplyShift, 1, slots.to_vec()).unwrap()
}

fn index(bands: usize, rows: usize) -> LshIndex {
    LshIndex::new(Banding::new(bands, rows).unwrap())
}

/// What the index keeps of a signature.
fn kept(signature: &Signature) -> BBitSignature {
    BBitSignature::new(signature, 16).unwrap()
}

/// Computes the right answers by trying all pairs of signatures.
struct BruteForce<'a> {
    banding: Banding,
    documents: &'a BTreeMap<u64, Signature>,
}

impl BruteForce<'_> {
    fn band_keys(&self, signature: &Signature) -> Vec<u64> {
        let (mut lanes, mut keys) = (vec![0; signature.num_hashes()], Vec::new());
        lanes_into(signature.slots(), &mut lanes);
        self.banding.band_keys_of_lanes_into(&lanes, &mut keys).unwrap();
        keys
    }

    fn share_a_band(&self, a: &Signature, b: &Signature) -> bool {
        self.band_keys(a).iter().zip(&self.band_keys(b)).any(|(a, b)| a == b)
    }

    fn candidates(&self, query: &Signature) -> Vec<u64> {
        let found = self.documents.iter().filter(|(_, other)| self.share_a_band(query, other));
        found.map(|(&id, _)| id).collect()
    }

    fn pairs(&self) -> Vec<(u64, u64)> {
        let mut pairs = Vec::new();
        for (&first, signature) in self.documents {
            pairs.extend(self.candidates(signature).into_iter().filter(|&b| b > first).map(|b| (first, b)));
        }
        pairs
    }

    fn top(&self, query: &Signature) -> Vec<Match<u64>> {
        let mut matches: Vec<Match<u64>> = self
            .candidates(query)
            .into_iter()
            .map(|id| Match { id, similarity: query.estimate(&self.documents[&id]).unwrap().similarity })
            .collect();
        matches.sort_by(|a, b| b.similarity.partial_cmp(&a.similarity).unwrap().then(a.id.cmp(&b.id)));
        matches
    }

    /// Every bucket with at least two documents, by band and smallest id.
    fn buckets(&self) -> Vec<(usize, Vec<u64>)> {
        let mut buckets = Vec::new();
        for band in 0..self.banding.bands() {
            let mut by_key: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
            for (&id, signature) in self.documents {
                by_key.entry(self.band_keys(signature)[band]).or_default().push(id);
            }
            let mut shared: Vec<_> = by_key.into_values().filter(|ids| ids.len() > 1).collect();
            shared.sort();
            buckets.extend(shared.into_iter().map(|ids| (band, ids)));
        }
        buckets
    }
}

fn assert_equals_brute_force(index: &LshIndex, documents: &BTreeMap<u64, Signature>, query: &Signature) {
    let brute = BruteForce { banding: index.banding(), documents };
    assert_eq!(index.len(), documents.len());
    assert_eq!(index.candidates(query).unwrap(), brute.candidates(query));
    assert_eq!(index.candidate_pairs(), brute.pairs());
    let top = brute.top(query);
    assert_eq!(index.top_k(query, 3).unwrap(), top[..top.len().min(3)]);
    let similar: Vec<Match<u64>> = top.into_iter().filter(|found| found.similarity >= 0.5).collect();
    assert_eq!(index.query(query, 0.5).unwrap(), similar);
    let estimate = |a: u64, b: u64| documents[&a].estimate(&documents[&b]).unwrap().similarity;
    let pairs = brute.pairs().into_iter();
    let pairs = pairs.map(|(a, b)| Pair { a, b, similarity: estimate(a, b) });
    let similar: Vec<Pair<u64>> = pairs.filter(|pair| pair.similarity >= 0.5).collect();
    assert_eq!(index.similar_pairs(0.5).unwrap(), similar);

    let mut visited = Vec::new();
    index.for_each_bucket(|band, ids| visited.push((band, ids.iter().map(|&&id| id).collect::<Vec<_>>())));
    assert_eq!(visited, brute.buckets());
    let sizes = || visited.iter().map(|(_, ids)| ids.len());
    let alone = documents.len() * index.banding().bands() - sizes().sum::<usize>();
    let expected = BucketStats {
        documents: documents.len(),
        buckets: visited.len() + alone,
        largest_bucket: sizes().max().unwrap_or(usize::from(alone > 0)),
        bucket_pairs: sizes().map(|m| (m * (m - 1) / 2) as u64).sum(),
    };
    assert_eq!(index.stats(), expected);
}

#[derive(Debug, Clone)]
enum Step {
    Insert(u64, Vec<u64>),
    Remove(u64),
}

fn step() -> impl Strategy<Value = Step> {
    // Few values per slot, so that bands agree often; few ids, so that removals hit and ids come again.
    let slots = prop::collection::vec(0_u64..3, 8);
    prop_oneof![
        3 => (0_u64..12, slots).prop_map(|(id, slots)| Step::Insert(id, slots)),
        1 => (0_u64..12).prop_map(Step::Remove),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn equals_brute_force_after_any_steps(
        steps in prop::collection::vec(step(), 0..40),
        query in prop::collection::vec(0_u64..3, 8),
        (bands, rows) in prop_oneof![Just((4, 2)), Just((2, 3)), Just((8, 1)), Just((1, 8))],
        buckets in prop::option::of(1_u64..6),
    ) {
        let mut banding = Banding::new(bands, rows).unwrap();
        if let Some(buckets) = buckets {
            banding = banding.with_buckets(buckets).unwrap();
        }
        let mut index = LshIndex::new(banding);
        let mut documents = BTreeMap::new();
        for step in steps {
            match step {
                Step::Insert(id, slots) => {
                    let signature = signature(&slots);
                    let known = documents.contains_key(&id);
                    prop_assert_eq!(index.insert(id, &signature).is_err(), known);
                    documents.entry(id).or_insert(signature);
                }
                Step::Remove(id) => {
                    prop_assert_eq!(index.remove(&id), documents.remove(&id).is_some());
                }
            }
        }
        for id in 0..12 {
            prop_assert_eq!(index.get(&id), documents.get(&id).map(kept));
            prop_assert_eq!(index.contains(&id), documents.contains_key(&id));
        }
        assert_equals_brute_force(&index, &documents, &signature(&query));
    }
}

#[test]
fn equals_brute_force_on_real_signatures() {
    // 150 pairs of similarity 1/3 to 0.9. Different pairs are disjoint.
    let hasher = FastSketch::new(130, 5).unwrap();
    let mut index = LshIndex::with_guarantee(130, 0.8, 0.01).unwrap();
    let mut documents = BTreeMap::new();
    for number in 0..150_u64 {
        let (a, b) = pair_of_sets(number, 20 + number % 17 * 4, 10);
        for (id, set) in [(2 * number, a), (1000 - number, b)] {
            let signature = hasher.sketch(&set);
            index.insert(id, &signature).unwrap();
            documents.insert(id, signature);
        }
    }
    let query = documents[&4].clone();
    assert_equals_brute_force(&index, &documents, &query);
    assert!(index.candidate_pairs().len() > 50);
}

/// 400 pairs of similarity 0.8, to be found with probability 0.9: the value of the curve, the share that was found
/// and its standard error.
fn share_found(hasher: &impl MinHasher) -> (f64, f64, f64) {
    let mut index = LshIndex::with_guarantee(64, 0.8, 0.1).unwrap();
    let promised = SCurve::new(index.banding()).probability(0.8);
    assert!((0.9..0.99).contains(&promised), "{promised}");
    let mut found = 0;
    for number in 0..400 {
        let (a, b) = pair_of_sets(number, 80, 10);
        index.insert(number, &hasher.sketch(&a)).unwrap();
        let candidates = index.candidates(&hasher.sketch(&b)).unwrap();
        found += u32::from(candidates.contains(&number));
    }
    (promised, f64::from(found) / 400.0, (promised * (1.0 - promised) / 400.0).sqrt())
}

/// Independent slots find as many pairs as the curve says, and the slots of the fast sketch find no fewer. The
/// tolerance is 4.5 standard errors (false alarms 1e-5).
#[test]
fn the_guarantee_holds() {
    let (promised, observed, error) = share_found(&MultiplyShift::new(64, 11).unwrap());
    assert!((observed - promised).abs() < 4.5 * error, "{observed} against {promised}");
    let (promised, observed, error) = share_found(&FastSketch::new(64, 11).unwrap());
    assert!(observed > promised - 4.5 * error, "{observed} against {promised}");
}

#[test]
fn a_hot_bucket_is_linear_by_buckets_and_lazy_by_pairs() {
    let mut index = index(4, 2);
    let n = 20_000_u64;
    for id in 0..n {
        // Three bands are the same for all documents. The last one is different for each.
        index.insert(id, &signature(&[1, 2, 3, 4, 5, 6, id, id + n])).unwrap();
    }
    let stats = index.stats();
    assert_eq!(stats.largest_bucket, n as usize);
    assert_eq!(stats.buckets, 3 + n as usize);
    assert_eq!(stats.bucket_pairs, 3 * n * (n - 1) / 2);
    let mut visits = Vec::new();
    index.for_each_bucket(|band, ids| visits.push((band, ids.len())));
    assert_eq!(visits, [(0, n as usize), (1, n as usize), (2, n as usize)]);
    // The 2 * 10^8 pairs are never all in memory: three are asked for, and three are made.
    let first: Vec<_> = index.iter_candidate_pairs().take(3).map(|(a, b)| (*a, *b)).collect();
    assert_eq!(first, [(0, 1), (0, 2), (0, 3)]);
    // Removing documents from a very large bucket does not walk through it each time.
    for id in (0..n).rev().step_by(2) {
        assert!(index.remove(&id));
    }
    assert_eq!(index.stats().largest_bucket, n as usize / 2);
}

#[test]
fn empty_sets_are_equal_to_each_other_and_to_nothing_else() {
    let hasher = FastSketch::new(8, 1).unwrap();
    let mut index = index(4, 2);
    index.insert(1, &hasher.sketch(&[])).unwrap();
    index.insert(2, &hasher.sketch(&[])).unwrap();
    index.insert(3, &hasher.sketch(&[5])).unwrap();
    assert_eq!(index.candidate_pairs(), [(1, 2)]);
    assert_eq!(index.query(&hasher.sketch(&[]), 1.0).unwrap().len(), 2);
    assert!(index.get(&1).unwrap().is_empty_set() && !index.get(&3).unwrap().is_empty_set());
    assert_eq!(index.get(&3), Some(kept(&hasher.sketch(&[5]))));
}

#[test]
fn ids_can_be_names() {
    let mut index: LshIndex<String> = LshIndex::new(Banding::new(1, 2).unwrap());
    for name in ["dog", "cat", "ant"] {
        index.insert(name.to_owned(), &signature(&[1, 2])).unwrap();
    }
    let pairs = index.candidate_pairs();
    assert_eq!(pairs[0], ("ant".to_owned(), "cat".to_owned()));
    assert_eq!(pairs.len(), 3);
}

#[test]
fn what_does_not_fit_is_rejected_and_changes_nothing() {
    let mut index = index(4, 2);
    assert!(index.is_empty());
    assert!(!index.remove(&1));
    assert!(index.candidates(&signature(&[0; 8])).unwrap().is_empty());
    rejected(index.candidates(&signature(&[0; 7])));
    rejected(index.insert(1, &signature(&[0; 7])));
    index.insert(1, &signature(&[0; 8])).unwrap();
    let message = rejected(index.insert(1, &signature(&[1; 8])));
    assert!(message.contains("the id 1 is in the index already"), "{message}");
    incompatible(index.insert(2, &signature(&[0; 9])));
    incompatible(index.insert(2, &Signature::from_slots(Family::MultiplyShift, 2, vec![0; 8]).unwrap()));
    incompatible(index.insert(2, &Signature::from_slots(Family::FastSketch, 1, vec![0; 8]).unwrap()));
    incompatible(index.query(&Signature::from_slots(Family::FastSketch, 1, vec![0; 8]).unwrap(), 0.5));
    incompatible(index.top_k(&signature(&[0; 9]), 5));
    for threshold in [f64::NAN, -0.1, 1.5] {
        rejected(index.query(&signature(&[0; 8]), threshold));
        rejected(index.similar_pairs(threshold));
    }
    assert_eq!((index.len(), index.get(&1)), (1, Some(kept(&signature(&[0; 8])))));
    assert_eq!(index.top_k(&signature(&[0; 8]), 0).unwrap(), []);
    for delta in [f64::NAN, 0.0, 1.0, -1.0] {
        rejected(LshIndex::<u64>::with_guarantee(128, 0.8, delta));
    }
    rejected(LshIndex::<u64>::with_guarantee(0, 0.8, 0.1));
    rejected(LshIndex::<u64>::with_guarantee(8, 0.1, 0.001));
}

/// More removals than an index leaves lying, in every order, with insertions between them.
#[test]
fn removed_documents_are_swept_out() {
    let hasher = FastSketch::new(24, 3).unwrap();
    let sketch = |document: u64| hasher.sketch(&(document / 3..document / 3 + 20).collect::<Vec<_>>());
    for order in [|id: u64| id, |id| 999 - id, |id| id * 7 % 1000] {
        let (mut index, mut documents) = (index(6, 4), BTreeMap::new());
        for id in 0..1000 {
            index.insert(id, &sketch(id)).unwrap();
            documents.insert(id, sketch(id));
        }
        let full = index.size_in_bytes();
        for id in (0..950).map(order) {
            assert!(index.remove(&id) && !index.remove(&id));
            documents.remove(&id);
            if id % 50 == 0 {
                index.insert(id + 2000, &sketch(id)).unwrap();
                documents.insert(id + 2000, sketch(id));
            }
        }
        assert_equals_brute_force(&index, &documents, &sketch(500));
        assert!(index.size_in_bytes() < full / 4, "{} of {full}", index.size_in_bytes());
    }
}

/// A document that is replaced again and again does not make its buckets longer.
#[test]
fn replacing_a_document_leaves_nothing_in_its_buckets() {
    let mut index = index(4, 2);
    for id in 0..4000 {
        index.insert(id, &signature(&[id; 8])).unwrap();
    }
    for _ in 0..900 {
        assert!(index.remove(&7));
        index.insert(7, &signature(&[7; 8])).unwrap();
    }
    assert_eq!(index.candidates(&signature(&[7; 8])).unwrap(), [7]);
    assert_eq!(index.stats().buckets, 4 * 4000);
    assert_eq!(index.stats().largest_bucket, 1);
}

/// What is promised of the memory: at most 470 bytes a document for 128 hashes and 21 bands, and the number of bytes that
/// an index gives is the memory that it takes, at any number of documents.
#[test]
fn a_document_takes_few_bytes() {
    let mut index = index(21, 6);
    let hasher = FastSketch::new(128, 1).unwrap();
    for document in 0..6_000_u64 {
        // One document in three looks like the one before.
        let first = (document - u64::from(document % 3 == 1)) * 1000;
        index.insert(document, &hasher.sketch(&(first..first + 50).collect::<Vec<_>>())).unwrap();
        let bytes = index.size_in_bytes() as u64;
        assert!(
            document < 500 || bytes < (document + 1) * 470,
            "{bytes} bytes for {} documents",
            document + 1
        );
    }
}
