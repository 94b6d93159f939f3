//! The counts against plain definitions over all pairs of documents.

use super::*;
use proptest::prelude::*;

/// The score of `is_found` and `is_true` over all pairs of so many documents.
fn plain(
    documents: usize,
    is_found: impl Fn(usize, usize) -> bool,
    is_true: impl Fn(usize, usize) -> bool,
) -> Score {
    let mut score = Score::default();
    for a in 0..documents {
        for b in 0..a {
            let (found, truth) = (is_found(a, b), is_true(a, b));
            score.found += u64::from(found);
            score.truth += u64::from(truth);
            score.correct += u64::from(found && truth);
        }
    }
    score
}

/// For so many documents: distinct pairs with one of few similarities.
fn found_pairs(documents: usize) -> impl Strategy<Value = Vec<Pair>> {
    proptest::collection::btree_map((0..documents, 0..documents), 0u8..5, 0..30).prop_map(|pairs| {
        let mut all: Vec<Pair> = Vec::new();
        for ((a, b), similarity) in pairs {
            let is_new = all.iter().all(|other| (other.a, other.b) != (b, a));
            if a != b && is_new {
                all.push(Pair { a, b, similarity: f64::from(similarity) / 4.0 });
            }
        }
        all
    })
}

const DOCUMENTS: usize = 12;

fn truths() -> impl Strategy<Value = Truth> {
    let pairs = proptest::collection::vec((0..DOCUMENTS, 0..DOCUMENTS), 0..20).prop_map(Truth::pairs);
    let groups =
        proptest::collection::vec(proptest::option::of(0usize..4), DOCUMENTS).prop_map(Truth::groups);
    prop_oneof![pairs, groups]
}

proptest! {
    #[test]
    fn a_point_is_the_score_of_all_pairs_at_its_threshold(found in found_pairs(DOCUMENTS), truth in truths()) {
        let points = curve(&found, &truth);
        prop_assert!(points.is_sorted_by(|a, b| a.threshold > b.threshold));
        for point in points {
            let is_found = |a, b| {
                found.iter().any(|pair| {
                    pair.similarity >= point.threshold && [(a, b), (b, a)].contains(&(pair.a, pair.b))
                })
            };
            let expected = plain(DOCUMENTS, is_found, |a, b| truth.has(a, b));
            prop_assert_eq!(point.score, expected);
        }
    }

    #[test]
    fn clusters_are_all_their_pairs(
        clusters in proptest::collection::vec((0usize..5, 0u8..4), DOCUMENTS),
        truth in truths(),
    ) {
        let members: Vec<Member> = clusters
            .iter()
            .enumerate()
            .map(|(document, &(cluster, similarity))| {
                Member { document, cluster, similarity: f64::from(similarity) / 3.0 }
            })
            .collect();
        for point in cluster_curve(&members, &truth) {
            let is_in = |document: usize| members[document].similarity >= point.threshold;
            let is_found = |a: usize, b: usize| is_in(a) && is_in(b) && clusters[a].0 == clusters[b].0;
            prop_assert_eq!(point.score, plain(DOCUMENTS, is_found, |a, b| truth.has(a, b)));
        }
    }

    #[test]
    fn b_cubed_is_the_average_over_documents(
        documents in proptest::collection::vec((0usize..5, 0usize..4), 1..20),
    ) {
        let found = b_cubed(documents.iter().copied()).unwrap();
        let mut expected = BCubed { precision: 0.0, recall: 0.0 };
        for (cluster, group) in &documents {
            let count = |is: &dyn Fn(&(usize, usize)) -> bool| documents.iter().filter(|it| is(it)).count() as f64;
            let both = count(&|it| it.0 == *cluster && it.1 == *group);
            expected.precision += both / count(&|it| it.0 == *cluster) / documents.len() as f64;
            expected.recall += both / count(&|it| it.1 == *group) / documents.len() as f64;
        }
        prop_assert!((found.precision - expected.precision).abs() < 1e-12);
        prop_assert!((found.recall - expected.recall).abs() < 1e-12);
    }
}

/// The example of Bagga and Baldwin: chains of 5, 2 and 5 entities; one answer joins the two large ones, another a large
/// and the small one. By pairs both look alike bad; B-cubed prefers the second.
#[test]
fn b_cubed_of_its_paper() {
    let truth = [0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 2];
    let small_and_large = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1];
    let two_large = [0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0];
    let judge = |found: [usize; 12]| b_cubed(found.into_iter().zip(truth)).unwrap();
    let (first, second) = (judge(small_and_large), judge(two_large));
    assert!((first.precision - (5.0 + 4.0 / 7.0 + 25.0 / 7.0) / 12.0).abs() < 1e-12);
    assert!((second.precision - (25.0 / 10.0 * 2.0 + 2.0) / 12.0).abs() < 1e-12);
    assert_eq!((first.recall, second.recall), (1.0, 1.0));
    assert!(first.precision > second.precision);
}

#[test]
fn nothing_found_is_no_mistake_and_no_answer() {
    let truth = Truth::pairs([(0, 1), (1, 0), (2, 2)]);
    assert_eq!((truth.len(), truth.is_empty()), (1, false));
    assert!(curve(&[], &truth).is_empty());
    let nothing = Score { truth: 1, ..Score::default() };
    assert_eq!((nothing.precision(), nothing.recall(), nothing.f1()), (1.0, 0.0, 0.0));
    assert_eq!((nothing.wrong(), nothing.missed()), (0, 1));
    assert_eq!(b_cubed([]), None);
    assert!(Truth::groups(vec![None, Some(3), Some(4)]).is_empty());
}

/// A group of a million documents is counted, not written out.
#[test]
fn a_large_group_is_cheap() {
    let documents = 1_000_000;
    let truth = Truth::groups(vec![Some(7); documents]);
    assert_eq!(truth.len(), 499_999_500_000);
    let members: Vec<Member> =
        (0..documents).map(|document| Member { document, cluster: document % 2, similarity: 1.0 }).collect();
    let all = cluster_curve(&members, &truth).pop().unwrap().score;
    assert_eq!((all.found, all.wrong()), (2 * 124_999_750_000, 0));
}
