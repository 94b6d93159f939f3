//! Two inputs that were chosen without the key get the same hash no more often than the proof in `key.rs` allows.

use super::*;

/// The number of factors of two in the difference.
fn evenness(a: u64, b: u64) -> u32 {
    a.wrapping_sub(b).trailing_zeros()
}

/// Pairs of words whose numbers differ in ways that break simple hash functions: in the highest bits, in both halves
/// at once, by powers of two, in their length, in early pieces of long words.
fn pairs_of_words() -> Vec<(Vec<u8>, Vec<u8>)> {
    let word = |low: u64, high: u64| [low.to_le_bytes(), high.to_le_bytes()].concat();
    let mut pairs = Vec::new();
    for low in [0, 1, 1 << 16, 1 << 31, 1 << 32, 1 << 47, 1 << 63, 3 << 62, 0xffff_ffff, u64::MAX] {
        for high in [0, 1, 1 << 31, 1 << 32, 1 << 63, 0x0101_0101_0101_0101, u64::MAX << 32, u64::MAX] {
            for base in [0, u64::from_le_bytes(*b"aaaaaaaa"), 1 << 63] {
                let changed = word(base.wrapping_add(low), base.wrapping_add(high));
                pairs.push((word(base, base), changed.clone()));
                pairs.push((word(base, base), word(base ^ low, base ^ high)));
                // The same in the first piece of a long word, and in all of them.
                pairs.push((
                    [&word(base, base)[..], &[b'z'; 40]].concat(),
                    [&changed[..], &[b'z'; 40]].concat(),
                ));
                pairs.push((word(base, base).repeat(20), changed.repeat(20)));
            }
        }
    }
    for len in 0..40 {
        pairs.push((vec![0; len], vec![0; len + 1]));
        pairs.push((vec![0; len], vec![0; len + 16]));
        pairs.push((vec![b'a'; len], vec![b'a'; len + 8]));
    }
    pairs.retain(|(a, b)| a != b);
    pairs
}

#[test]
fn tokens_of_any_two_words_differ_in_their_low_bits_for_most_keys() {
    // The proof says: v-even with probability at most (16 + 12 v) / 2^v. With 4,000 keys, this bound plus 1 % and 6
    // standard deviations is exceeded once in 10^8 cases. Most counts are far below it.
    let keys: Vec<Key> = (0..4_000).map(Key::from_seed).collect();
    for (a, b) in pairs_of_words() {
        let mut counts = [0u32; 65];
        for key in &keys {
            counts[evenness(key.token(&a), key.token(&b)) as usize] += 1;
        }
        for v in 8..=64 {
            let found: u32 = counts[v..].iter().sum();
            let most = f64::from(keys.len() as u32) * (16.0 + 12.0 * v as f64) / 2f64.powi(v as i32);
            assert!(
                f64::from(found) <= 1.01 * most + 6.0 * most.sqrt() + 4.0,
                "{v}-even {found}: {a:?} {b:?}"
            );
        }
        assert_eq!(counts[64], 0, "{a:?} {b:?}");
    }
}

/// The Thue-Morse sequence and its complement. From 1024 tokens on, every polynomial modulo 2^64 maps both to the
/// same value.
fn thue_morse(len: usize, first: u64, second: u64) -> [Vec<u64>; 2] {
    let of = |odd: u64, even: u64| {
        (0..len).map(|at| if at.count_ones() % 2 == 1 { odd } else { even }).collect::<Vec<_>>()
    };
    [of(first, second), of(second, first)]
}

#[test]
fn sequences_with_structure_do_not_collide() {
    for seed in 0..8 {
        let key = Key::from_seed(seed);
        let token = |number: usize| key.token(format!("{number}").as_bytes());
        for len in (2..=70).chain([100, 128, 256, 511, 512, 1000, 1024, 2048, 4096, 8192]) {
            let tokens: Vec<u64> = (0..len).map(token).collect();
            let mut sequences = thue_morse(len, tokens[0], tokens[1]).to_vec();
            // Every rotation by a power of two, two tokens swapped, one doubled, one left out, blocks swapped.
            for step in (0..14).map(|power| 1 << power).filter(|step| *step < len) {
                let mut other = tokens.clone();
                other.rotate_left(step);
                sequences.push(other);
                let mut other = tokens.clone();
                other.swap(0, step);
                sequences.push(other);
                let mut other = tokens.clone();
                other[step] = other[0];
                sequences.push(other);
                let mut other = tokens.clone();
                other.remove(step);
                sequences.push(other);
            }
            for step in (1..20).filter(|step| *step < len) {
                // Arithmetic patterns.
                sequences.push((0..len).map(|at| tokens[at * step % len]).collect());
                sequences.push((0..len).map(|at| tokens[0].wrapping_add((at * step) as u64)).collect());
            }
            sequences.push(tokens.iter().rev().copied().collect());
            sequences.push(vec![0; len]);
            sequences.push(vec![tokens[0]; len]);
            sequences.sort_unstable();
            sequences.dedup();
            let mut hashes: Vec<u64> = sequences.iter().map(|tokens| key.shingle(tokens)).collect();
            hashes.sort_unstable();
            hashes.dedup();
            assert_eq!(hashes.len(), sequences.len(), "{len} tokens");
        }
    }
}

/// Pairs of sequences of `len` words, given as word numbers, with structure that breaks simple combinations.
fn structured_pairs(len: usize) -> Vec<[Vec<usize>; 2]> {
    let identity: Vec<usize> = (0..len).collect();
    let mut pairs = vec![
        [
            (0..len).map(|at| at.count_ones() as usize % 2).collect(),
            (0..len).map(|at| 1 - at.count_ones() as usize % 2).collect(),
        ],
        [identity.clone(), (0..len).map(|at| at * 5 % len.max(1)).collect()],
        [identity.clone(), identity.iter().rev().copied().collect()],
        [identity.clone(), (0..len).map(|at| at + 1).collect()],
        [vec![0; len], vec![0; len + 1]],
    ];
    for (i, j) in [(0, 1), (0, len / 2), (0, len - 1), (len / 2, len - 1)] {
        let mut swapped = identity.clone();
        if j < len {
            swapped.swap(i, j);
            pairs.push([identity.clone(), swapped]);
        }
    }
    pairs.retain(|[a, b]| a != b);
    pairs
}

#[test]
fn for_every_k_structured_shingles_agree_in_8_bits_as_seldom_as_chance() {
    // Of 1,000 keys, 3.9 are expected to make the lowest (or the highest) 8 bits agree. A Poisson number of this mean
    // is 30 or more with probability 10^-16, and there are about 1,000 such numbers here.
    let keys: Vec<Key> = (0..1_000).map(Key::from_seed).collect();
    let words: Vec<Vec<u64>> = keys
        .iter()
        .map(|key| (0..=crate::shingling::MAX_K).map(|n| key.token(n.to_string().as_bytes())).collect())
        .collect();
    for k in 1..=crate::shingling::MAX_K {
        for pair in structured_pairs(k) {
            let (mut low, mut high) = (0, 0);
            for (key, words) in keys.iter().zip(&words) {
                let [a, b] = pair.each_ref().map(|numbers| {
                    key.shingle(&numbers.iter().map(|&number| words[number]).collect::<Vec<_>>())
                });
                assert_ne!(a, b, "{pair:?}");
                low += u32::from(a as u8 == b as u8);
                high += u32::from(a >> 56 == b >> 56);
            }
            assert!(low < 30 && high < 30, "{k} words, {low} and {high}: {pair:?}");
        }
    }
}

#[test]
fn thue_morse_order_is_told_apart_also_when_tokens_differ_in_high_bits_only() {
    // Differences of 2^40 are 40-even from the start. A polynomial adds another 26 within 64 tokens.
    for len in [2, 4, 8, 16, 32, 64, 1024] {
        let mut even = 0;
        for seed in 0..2_000 {
            let key = Key::from_seed(seed);
            let [a, b] = thue_morse(len, 5 << 40, 6 << 40).map(|tokens| key.shingle(&tokens));
            assert_ne!(a, b, "{len} tokens");
            even += u32::from(evenness(a, b) >= 8);
        }
        // The expected number is 7.8.
        assert!(even < 30, "{len} tokens: {even}");
    }
}

/// A hash of a word without a key: two products with fixed factors.
fn without_key(low: u64, high: u64) -> u64 {
    low.wrapping_mul(0x243f_6a88_85a3_08d3)
        .rotate_left(32)
        .wrapping_add(high.wrapping_mul(0x1319_8a2e_0370_7345))
}

#[test]
fn a_collision_that_is_worked_out_for_fixed_factors_fails_with_a_key() {
    // With fixed factors, every low half has a high half that gives a chosen hash. It takes one modular inverse.
    let mut inverse = 1u64;
    for _ in 0..6 {
        let product = 0x1319_8a2e_0370_7345_u64.wrapping_mul(inverse);
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(product));
    }
    let wanted = without_key(u64::from_le_bytes(*b"innocent"), u64::from_le_bytes(*b"victims!"));
    for number in 0..1_000u64 {
        let low = mix64(number);
        let high = wanted.wrapping_sub(without_key(low, 0)).wrapping_mul(inverse);
        assert_eq!(without_key(low, high), wanted);
        let forged = [low.to_le_bytes(), high.to_le_bytes()].concat();
        assert_ne!(Key::from_seed(number).token(&forged), Key::from_seed(number).token(b"innocentvictims!"));
    }
}

#[test]
fn a_key_does_not_show_itself() {
    assert_eq!(format!("{:?}", Key::from_seed(3)), "Key");
    let shingler = crate::shingling::Shingler::default().with_key(Key::from_seed(3));
    let factor = Key::from_seed(3).word.factor;
    assert!(!format!("{shingler:?}").contains(&factor.to_string()));
}

#[test]
fn a_key_of_bytes_is_that_of_its_words() {
    let mut random = SplitMix64::new(5);
    let bytes: Vec<u8> = (0..Key::BYTES / 8).flat_map(|_| random.next_u64().to_le_bytes()).collect();
    let key = Key::from_bytes(bytes.as_slice().try_into().unwrap());
    let tokens: Vec<u64> = (0..100).collect();
    assert_eq!(key.shingle(&tokens), Key::from_seed(5).shingle(&tokens));
    assert_eq!(key.token(&[b'x'; 100]), Key::from_seed(5).token(&[b'x'; 100]));
}
