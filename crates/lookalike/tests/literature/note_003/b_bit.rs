//! Slides "B-BIT MINHASH".

use lookalike::hashing::SplitMix64;
use lookalike::minhash::bbit::{
    BBitSignature, BITS_PER_SLOT, LowestBits, equal_accuracy_storage_ratio, variance, variance_ratio,
};
use lookalike::minhash::{FastSketch, MinHasher};

use crate::assert_rounds_to;

/// "For b = 1 and R = 0.5, the estimation variance will increase at most by factor of 3." Exactly 3, and less for
/// larger R. "At most" is for sets that fill part of a finite universe, in which the lowest bits of the values are
/// not quite fair: the factor then is below 3 and reaches it as the universe grows.
#[test]
fn one_bit_at_one_half_has_three_times_the_variance() {
    assert_eq!(variance_ratio(0.5, 1).unwrap(), 3.0);
    let full = |hashes: usize| 0.5 * 0.5 / hashes as f64;
    assert!((variance(0.5, 1, 500).unwrap() / full(500) - 3.0).abs() < 1e-12);
    assert!((50..100).all(|percent| variance_ratio(f64::from(percent) / 100.0, 1).unwrap() <= 3.0));

    let mut last = 0.0;
    for universe in [150, 1_000, 100_000, 1 << 40] {
        let lowest = LowestBits::new(100, 100, universe, 1).unwrap();
        let factor = lowest.variance(0.5, 500).unwrap() / full(500);
        assert!(factor > last && factor < 3.0 + 1e-9, "{factor}");
        last = factor;
    }
    assert_rounds_to(last, 3.0, 6);
}

/// "Increase the sample size k by factor 3": then the variance is that of the full signature, in 64 / 3 = 21.3 times
/// less space.
#[test]
fn three_times_as_many_one_bit_slots_take_21_3_times_less_space() {
    assert!((variance(0.5, 1, 3 * 128).unwrap() - 0.25 / 128.0).abs() < 1e-12);
    let improvement = equal_accuracy_storage_ratio(0.5, 1, 64).unwrap();
    assert_eq!(improvement, 64.0 / 3.0);
    assert_rounds_to(improvement, 21.3, 1);

    let set: Vec<u64> = (0..1_000).collect();
    let full = FastSketch::new(128, 1).unwrap().sketch(&set);
    let one_bit = BBitSignature::new(&FastSketch::new(3 * 128, 1).unwrap().sketch(&set), 1).unwrap();
    assert_eq!((full.slots().len() * 8, one_bit.size_in_bytes()), (1024, 48));
    assert_rounds_to(1024.0 / 48.0, 21.3, 1);
}

/// "Storing only the lowest b bits [reduces] the dimensionality of the (expanded) hashed data matrix to just 2^b k":
/// each slot becomes 2^b places with a single 1, and the inner product counts the slots that agree. (The library
/// takes the b bits from a mix of the whole slot; the expansion is the same.)
#[test]
fn expanded_to_2_to_the_b_places_per_slot_the_inner_product_counts_agreement() {
    let mut random = SplitMix64::new(21);
    let elements: Vec<u64> = (0..300).map(|_| random.next_u64()).collect();
    let hasher = FastSketch::new(64, 1).unwrap();
    let (left, right) = (hasher.sketch(&elements[..200]), hasher.sketch(&elements[100..]));
    for bits in BITS_PER_SLOT {
        let (left, right) =
            (BBitSignature::new(&left, bits).unwrap(), BBitSignature::new(&right, bits).unwrap());
        let expand = |signature: &BBitSignature| {
            let mut places = vec![0u8; (1 << bits) * 64];
            for slot in 0..64 {
                let at = slot * bits as usize;
                let value = signature.words()[at / 64] >> (at % 64) & ((1 << bits) - 1);
                places[(slot << bits) + value as usize] = 1;
            }
            places
        };
        let (x, y) = (expand(&left), expand(&right));
        assert_eq!(x.len(), 2usize.pow(bits) * 64);
        let inner_product = x.iter().zip(&y).filter(|&(&a, &b)| a & b == 1).count();
        assert_eq!(inner_product, left.agreeing_slots(&right).unwrap());
    }
}
