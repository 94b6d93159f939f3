//! Bundles: shingles that always come together.

use super::super::bundles::Bundles;
use super::chunk;
use crate::Silent;
use lookalike::hashing::SplitMix64;

const LANES: [u16; 4] = [0; 4];

#[test]
fn shingles_of_the_same_documents_are_one_bundle() {
    // 1 and 2 are in all three, 3 in the first and the last, 4 and 5 in one each.
    let chunk = chunk(&[(LANES, &[1, 2, 3]), (LANES, &[1, 2, 4]), (LANES, &[1, 2, 3, 5])]);
    let bundles = Bundles::new(&chunk, 1 << 20, &Silent).unwrap().unwrap();
    assert_eq!([0, 1, 2].map(|at| bundles.of(at).to_vec()), [vec![0, 1], vec![1], vec![0, 1]]);
    assert_eq!(
        (bundles.kinds.size(0), bundles.kinds.documents(0)),
        (1, 2),
        "the one in the fewest documents comes first"
    );
    assert_eq!((bundles.kinds.size(1), bundles.kinds.documents(1)), (2, 3));
    assert!(Bundles::new(&chunk, 100, &Silent).unwrap().is_none(), "three shingles take more than 100 bytes");
}

#[test]
fn overlaps_are_sums_of_bundles() {
    let mut random = SplitMix64::new(4);
    let sets: Vec<Vec<u64>> = (0..40)
        .map(|_| {
            (0..30)
                .filter(|_| random.below(3) == 0)
                .map(|piece| piece * 7)
                .flat_map(|it| [it, it + 1])
                .collect()
        })
        .collect();
    let documents: Vec<([u16; 4], &[u64])> = sets.iter().map(|set| (LANES, set.as_slice())).collect();
    let bundles = Bundles::new(&chunk(&documents), 1 << 20, &Silent).unwrap().unwrap();
    for a in 0..sets.len() {
        assert!(bundles.of(a).is_sorted());
        for b in 0..a {
            let sum = bundles.kinds.overlap(bundles.of(a), bundles.of(b));
            assert_eq!(sum, sets[a].iter().filter(|shingle| sets[b].contains(shingle)).count());
        }
    }
}
