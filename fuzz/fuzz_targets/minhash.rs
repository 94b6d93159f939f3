//! Sketches on every kernel, compared with their definition; and the signature of a union, compared with merged
//! signatures.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use lookalike::Kernel;
use lookalike::minhash::{FastSketch, MinHasher, MultiplyShift};

#[derive(Debug, Arbitrary)]
struct Input {
    num_hashes: u16,
    seed: u64,
    elements: Vec<u64>,
    /// More elements, evenly spaced: first value, step, number.
    progression: (u64, u64, u16),
    /// Where the elements are divided into two sets, and how far the two sets overlap.
    cut: (u16, u16),
}

fn check<M: MinHasher>(
    hasher: impl Fn(Kernel) -> M,
    plainly: impl Fn(&M, &[u64]) -> Vec<u64>,
    elements: &[u64],
    (a, b): (&[u64], &[u64]),
) {
    let expected = plainly(&hasher(Kernel::PORTABLE), elements);
    for kernel in Kernel::available() {
        let hasher = hasher(kernel);
        assert_eq!(hasher.sketch(elements).slots(), expected, "{}", kernel.name());
        let mut merged = hasher.sketch(a);
        assert_eq!(merged.merge(&hasher.sketch(b)), Ok(()));
        assert_eq!(merged.slots(), expected, "{}", kernel.name());
        assert_eq!(merged.is_empty_set(), elements.is_empty());
    }
}

fuzz_target!(|input: Input| {
    let (first, step, count) = input.progression;
    let progression = (0..u64::from(count % 1024)).map(|i| first.wrapping_add(i.wrapping_mul(step)));
    let elements: Vec<u64> = input.elements.iter().copied().chain(progression).collect();
    let end = usize::from(input.cut.0) % (elements.len() + 1);
    let begin = end.saturating_sub(input.cut.1.into());
    let parts = (&elements[..end], &elements[begin..]);

    let num_hashes = usize::from(input.num_hashes % 256) + 1;
    let fast = |kernel| FastSketch::new(num_hashes, input.seed).map(|hasher| hasher.with_kernel(kernel));
    let fast = |kernel| fast(kernel).expect("1 to 256 hashes are allowed");
    check(fast, FastSketch::sketch_plainly, &elements, parts);

    let classic =
        |kernel| MultiplyShift::new(num_hashes, input.seed).map(|hasher| hasher.with_kernel(kernel));
    let classic = |kernel| classic(kernel).expect("1 to 256 hashes are allowed");
    check(classic, MultiplyShift::sketch_plainly, &elements, parts);
});
