//! Every intersection kernel and the overlap table, compared with sets of the standard library; and verification,
//! compared with computing the similarity.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use lookalike::Kernel;
use lookalike::shingling::ShingleSet;
use lookalike::similarity::{SetMeasure, SortedSet, intersection_size_with};
use lookalike::verification::{OverlapTable, Verifier};
use std::collections::BTreeSet;

#[derive(Debug, Arbitrary)]
struct Input {
    /// Gaps between the elements of the two sets. Small gaps make common elements likely.
    gaps_a: Vec<u8>,
    gaps_b: Vec<u8>,
    start_a: u64,
    start_b: u8,
    /// Offsets at which the slices begin, to vary their alignment.
    skip: (u8, u8),
    threshold: f64,
}

/// Ascending elements. They stop at the end of the value range.
fn elements(start: u64, gaps: &[u8]) -> Vec<u64> {
    gaps.iter()
        .scan(Some(start), |next, &gap| {
            let element = (*next)?;
            *next = element.checked_add(u64::from(gap % 16) + 1);
            Some(element)
        })
        .collect()
}

fuzz_target!(|input: Input| {
    let a = elements(input.start_a, &input.gaps_a);
    let b = elements(input.start_a.saturating_add(input.start_b.into()), &input.gaps_b);
    let a = a.get(usize::from(input.skip.0 % 8)..).unwrap_or_default();
    let b = b.get(usize::from(input.skip.1 % 8)..).unwrap_or_default();

    let in_a: BTreeSet<u64> = a.iter().copied().collect();
    let common = b.iter().filter(|element| in_a.contains(element)).count();
    for kernel in Kernel::available() {
        let (a, b) = (SortedSet::new(a).expect("ascending"), SortedSet::new(b).expect("ascending"));
        assert_eq!(intersection_size_with(kernel, a, b), common, "{}", kernel.name());
    }

    // The elements as sequences, with repetitions and unsorted.
    let sequence = |elements: &[u64], gaps: &[u8]| -> Vec<u64> {
        gaps.iter().filter_map(|&gap| elements.get(usize::from(gap))).copied().collect()
    };
    let (of_a, of_b) =
        ([a, &sequence(a, &input.gaps_b)[..]].concat(), [&sequence(b, &input.gaps_a)[..], b].concat());
    let mut table = OverlapTable::default();
    table.build(&of_a);
    for _ in 0..2 {
        assert_eq!(table.overlap(&of_b), (b.len(), common));
    }

    let (a, b) = (ShingleSet::from_hashes(a.to_vec()), ShingleSet::from_hashes(b.to_vec()));
    for measure in [SetMeasure::Jaccard, SetMeasure::Containment, SetMeasure::Overlap, SetMeasure::Dice] {
        let exact = measure.similarity(&a, &b);
        for threshold in [input.threshold, exact, exact.next_up(), exact.next_down()] {
            if let Ok(verifier) = Verifier::new(measure, threshold) {
                assert_eq!(verifier.verify(&a, &b), (exact >= threshold).then_some(exact));
            }
        }
    }
});
