use super::*;
use crate::hashing::SplitMix64;
use crate::vectors::Nearness;

/// Vectors around centres, at all angles to them, with some zero vectors.
fn some_vectors(count: usize, dimension: usize, seed: u64) -> Vec<Vec<f32>> {
    let mut random = SplitMix64::new(seed);
    let mut normal = move || random.next_normal_pair().0 as f32;
    let centres: Vec<Vec<f32>> = (0..9).map(|_| (0..dimension).map(|_| normal()).collect()).collect();
    (0..count)
        .map(|i| {
            if i % 43 == 42 {
                return vec![0.0; dimension];
            }
            let spread = [0.0, 0.1, 0.3, 0.7, 1.5][i % 5];
            let length = [1.0, 1.0, 1.1, 0.9][i % 4];
            centres[i % 9].iter().map(|x| (x + spread * normal()) * length).collect()
        })
        .collect()
}

fn banded(vectors: &[Vec<f32>], bands: NearBands, seed: u64) -> BandedVectors {
    let mut all = BandedVectors::new(bands, vectors[0].len()).unwrap();
    for (i, vector) in vectors.iter().enumerate() {
        assert_eq!(all.push(vector), Ok(i));
    }
    all.add_keys(&BandFunctions::new(bands, vectors[0].len(), seed));
    all
}

fn nearnesses() -> Vec<Nearness> {
    vec![
        Nearness::cosine(0.6).unwrap(),
        Nearness::cosine(0.9).unwrap(),
        Nearness::cosine(0.97).unwrap(),
        Nearness::euclidean(1.0).unwrap(),
        Nearness::euclidean(4.0).unwrap(),
    ]
}

/// By the plain definition: near pairs, which share a band.
fn linked(vectors: &[Vec<f32>], all: &BandedVectors) -> Vec<Pair> {
    let nearness = all.bands().nearness();
    let mut pairs = Vec::new();
    for a in 0..vectors.len() {
        for b in a + 1..vectors.len() {
            let similarity = nearness.value(&vectors[a], &vectors[b]);
            let shares = all.keys_at(a as u32).iter().zip(all.keys_at(b as u32)).any(|(a, b)| a == b);
            if nearness.is_near(similarity) && shares {
                pairs.push(Pair { a, b, similarity });
            }
        }
    }
    pairs
}

#[test]
fn pairs_are_the_near_ones_that_share_a_band_however_they_are_found() {
    let vectors = some_vectors(700, 21, 1);
    for nearness in nearnesses() {
        let all = banded(&vectors, NearBands::new(nearness, 12, 7).unwrap(), 3);
        let expected = linked(&vectors, &all);
        assert!(expected.len() > 100, "{nearness:?}");
        let positions: Vec<u32> = (0..700).collect();
        let (early, late) = positions.split_at(260);
        for is_of_all in [false, true] {
            let mut found = Vec::new();
            let mut buffers = JoinBuffers::default();
            for join in [
                Join::within(&all, early),
                Join::between((&all, early), (&all, late)),
                Join::within(&all, late),
            ] {
                let join = join.of_all(is_of_all);
                for part in (0..join.parts()).rev() {
                    join.visit(
                        part,
                        &mut buffers,
                        |_, _| true,
                        |pair| {
                            assert_eq!(join.pair(pair.a, pair.b), Some(pair));
                            found.push(pair);
                        },
                    );
                }
            }
            found.sort_unstable_by_key(|pair| (pair.a, pair.b));
            let pairs: Vec<Pair> = found
                .iter()
                .map(|pair| Pair { a: pair.a as usize, b: pair.b as usize, similarity: pair.value })
                .collect();
            assert_eq!(pairs, expected, "{nearness:?} {is_of_all}");
            for pair in found {
                let keys = all.keys_at(pair.a).iter().zip(all.keys_at(pair.b));
                let shared: Vec<u32> =
                    (0..).zip(keys).filter(|(_, (a, b))| a == b).map(|(band, _)| band).collect();
                assert_eq!(pair.only_band, if shared.len() == 1 { Some(shared[0]) } else { None });
            }
        }
        assert_eq!(all.pairs(), expected);
    }
}

#[test]
fn pairs_that_are_not_considered_are_left_out() {
    let vectors = some_vectors(100, 8, 2);
    let all = banded(&vectors, NearBands::new(Nearness::cosine(0.7).unwrap(), 20, 4).unwrap(), 1);
    let positions: Vec<u32> = (0..100).collect();
    let join = Join::within(&all, &positions).of_all(false);
    let (mut odd, mut buffers) = (0, JoinBuffers::default());
    for part in 0..join.parts() {
        join.visit(
            part,
            &mut buffers,
            |a, b| (a + b) % 2 == 1,
            |pair| {
                assert_eq!((pair.a + pair.b) % 2, 1);
                odd += 1;
            },
        );
    }
    assert_eq!(odd, linked(&vectors, &all).iter().filter(|pair| (pair.a + pair.b) % 2 == 1).count());
}

/// The share of bands in which pairs collide is the formula, at every cosine and every distance. There are 4,096 bands of two functions:
/// the standard error of a share p is below `sqrt(p (1 - p) / 4096) <= 0.0079`, and each of 36 comparisons may be off by 5 of them, which happens to a correct program
/// once in 50,000 runs.
#[test]
fn bands_collide_as_often_as_their_formula_says() {
    let dimension = 24;
    let mut random = SplitMix64::new(7);
    let mut normal = || random.next_normal_pair().0;
    let unit = |random: &mut dyn FnMut() -> f64| -> Vec<f64> {
        let vector: Vec<f64> = (0..dimension).map(|_| random()).collect();
        let norm = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        vector.iter().map(|x| x / norm).collect()
    };
    for nearness in [
        Nearness::cosine(0.8).unwrap(),
        Nearness::cosine(0.99).unwrap(),
        Nearness::euclidean(0.5).unwrap(),
        // Cells that are small beside the vectors.
        Nearness::euclidean(0.002).unwrap(),
    ] {
        let bands = NearBands::new(nearness, 4096, 2).unwrap();
        let functions = BandFunctions::new(bands, dimension, 11);
        for part in 0..9 {
            let (a, other) = (unit(&mut normal), unit(&mut normal));
            let along: f64 = a.iter().zip(&other).map(|(a, b)| a * b).sum();
            let across: Vec<f64> = a.iter().zip(&other).map(|(a, b)| b - along * a).collect();
            let norm = across.iter().map(|x| x * x).sum::<f64>().sqrt();
            let b: Vec<f64> = if nearness.is_cosine() {
                let angle = f64::from(part) * 0.3 + 0.02;
                a.iter().zip(&across).map(|(a, b)| a * angle.cos() + b / norm * angle.sin()).collect()
            } else {
                let distance = nearness.threshold() * (f64::from(part) * 0.5 + 0.1);
                a.iter().zip(&other).map(|(a, b)| a + distance * b).collect()
            };
            let to_f32 = |vector: &[f64]| vector.iter().map(|&x| x as f32).collect::<Vec<f32>>();
            let (a, b) = (to_f32(&a), to_f32(&b));
            let mut all = BandedVectors::new(bands, dimension).unwrap();
            all.push(&a).unwrap();
            all.push(&b).unwrap();
            all.add_keys(&functions);
            let shared = all.keys_at(0).iter().zip(all.keys_at(1)).filter(|(a, b)| a == b).count();
            let share = shared as f64 / 4096.0;
            let expected = NearBands::new(nearness, 1, 2).unwrap().chance(nearness.value(&a, &b));
            let error = (expected * (1.0 - expected) / 4096.0).sqrt().max(1e-4);
            assert!((share - expected).abs() < 5.0 * error, "{nearness:?} {part}: {share} {expected}");
        }
    }
}

#[test]
fn keys_are_the_same_on_every_kernel_and_in_every_part() {
    let vectors = some_vectors(50, 13, 4);
    for nearness in nearnesses() {
        let bands = NearBands::new(nearness, 9, 5).unwrap();
        let functions = BandFunctions::new(bands, 13, 5);
        let all = banded(&vectors, bands, 5);
        for kernel in Kernel::available() {
            for first in [0, 1, 17, 49] {
                let mut keys = vec![0; (50 - first) * 9];
                functions.keys_into(kernel, &all.vectors[first * 13..], &all.norms[first..], &mut keys);
                assert_eq!(keys, all.keys[first * 9..], "{} {first}", kernel.name());
            }
        }
        let other = banded(&vectors, bands, 6);
        assert_ne!(other.keys, all.keys);
    }
}

#[test]
fn the_length_of_a_vector_does_not_change_its_sides() {
    let vectors = some_vectors(60, 10, 8);
    let bands = NearBands::planned(Nearness::cosine(0.9).unwrap(), 0.99).unwrap();
    let longer: Vec<Vec<f32>> =
        vectors.iter().map(|vector| vector.iter().map(|x| x * 1024.0).collect()).collect();
    assert_eq!(banded(&vectors, bands, 1).keys, banded(&longer, bands, 1).keys);
}

#[test]
fn equal_vectors_share_every_band_and_extreme_ones_are_found() {
    for nearness in [Nearness::cosine(0.9).unwrap(), Nearness::euclidean(0.0).unwrap()] {
        let bands = NearBands::planned(nearness, 0.99).unwrap();
        for size in [0.0, 1e-44f32, 1e-30, 1.0, 1e30, 3e38] {
            let vectors = vec![vec![size, -size], vec![size, -size], vec![1.0, 0.5]];
            let pairs = banded(&vectors, bands, 1).pairs();
            assert!(pairs.iter().any(|pair| pair.ids() == (0, 1)), "{size} {nearness:?}");
        }
    }
}
