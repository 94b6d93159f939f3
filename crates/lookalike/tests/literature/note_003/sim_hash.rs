//! Slides "SIMHASH": fingerprints.

use lookalike::hashing::hash_bytes;
use lookalike::shingling::Shingler;
use lookalike::simhash::{BitSums, SimHasher, weighted_vote};
use lookalike::similarity::cosine;
use lookalike::vectors::{Hyperplanes, LshFamily};

/// First slide "SIMHASH": store only the sign of a projection on a random normal vector. Two vectors get the same
/// sign with probability 1 - angle / pi: that is what makes it a hash for the cosine, though not the cosine itself.
/// (The slide calls it the only one known. The estimate below is off by at most 4.5 standard errors, false alarms
/// 7e-6.)
#[test]
fn the_sign_of_a_random_projection_agrees_with_probability_1_minus_angle_over_pi() {
    let (a, b) = ([2.0f32, 0.0], [1.0f32, 3f32.sqrt()]);
    let exact = cosine(&a, &b).unwrap();
    assert!((exact - 0.5).abs() < 1e-6, "60 degrees: 2 / (2 * 2)");

    let planes = Hyperplanes::new(2, 4096, 16).unwrap();
    let agree = planes.collision_probability(0.5).unwrap();
    assert!((agree - 2.0 / 3.0).abs() < 1e-12);
    let differ = planes.sign(&a).unwrap().hamming_distance(&planes.sign(&b).unwrap()).unwrap();
    let standard_error = (agree * (1.0 - agree) / 4096.0).sqrt();
    assert!((f64::from(differ) / 4096.0 - 1.0 / 3.0).abs() < 4.5 * standard_error);
}

/// Second slide "SIMHASH": documents that differ in a single byte get "completely different" hash values from SHA-1
/// or MD5, and should get close ones here. (Of 64 fair bits 32 differ, with a standard deviation of 4.)
#[test]
fn documents_that_differ_in_one_byte_have_close_fingerprints_and_unlike_hashes() {
    let document = "It is a dimensionality reduction technique that maps high-dimensional vectors to f-bit \
                    fingerprints, where f is small (e.g. 32 or 64). The algorithm considers a fingerprint as a hash \
                    of its properties and assumes that similar documents have similar hash values.";
    let edited = document.replacen("maps", "mops", 1);
    assert_eq!(document.len(), edited.len());

    let unlike = (hash_bytes(document.as_bytes()) ^ hash_bytes(edited.as_bytes())).count_ones();
    assert!((16..=48).contains(&unlike), "{unlike}");

    let shingler = Shingler::characters(5).unwrap();
    let hasher = SimHasher::new(1);
    let fingerprint = |text: &str| hasher.fingerprint(shingler.set(text).as_slice());
    let close = fingerprint(document).hamming_distance(fingerprint(&edited)).unwrap();
    assert!(close <= 8, "{close}");
}

/// Slide "SIMHASH: FINGERPRINTS EXAMPLE", f = 16.
///
/// The document is {("ferret", NOUN), ("go", VERB)}, but the slide hashes "hello" in place of "ferret". It prints
/// that hash, the initial V, sign(V) and the fingerprint with 15 places; the two other vectors have all 16 and show
/// which one is missing: a 0 before the last three.
#[test]
fn the_fingerprint_of_ferret_and_go() {
    let (noun, verb) = (1.0, 0.9);
    let printed = "010101010101111";
    assert_eq!(printed.len(), 15);
    let complete = [&printed[..12], "0", &printed[12..]].concat();
    assert_eq!(complete, "0101010101010111");
    let ferret = u16::from_str_radix(&complete, 2).unwrap();
    let go = 0b0111_0111_0010_0111;

    let mut v = BitSums::<u16>::new();
    assert_eq!(v.sums(), [0.0; 16]);
    v.add(ferret, noun).unwrap();
    let after_ferret =
        [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, 1.0];
    assert_eq!(v.sums(), after_ferret);
    v.add(go, verb).unwrap();
    let after_go = [-1.9, 1.9, -0.1, 1.9, -1.9, 1.9, -0.1, 1.9, -1.9, 0.1, -0.1, 0.1, -1.9, 1.9, 1.9, 1.9];
    assert!(v.sums().iter().zip(after_go).all(|(sum, printed)| (sum - printed).abs() < 1e-12));

    let signs: String = v.sums().iter().map(|&sum| if sum > 0.0 { '+' } else { '-' }).collect();
    assert_eq!(signs, "-+-+-+-+-+-+-+++");
    assert_eq!(format!("{:016b}", v.bits()), complete);
    assert_eq!(weighted_vote(&[(go, verb), (ferret, noun)]).unwrap(), ferret);
}

/// The same slide: with two features the heavier one has its way in every bit. The fingerprint is the hash of the
/// noun whatever the verb.
#[test]
fn of_two_features_the_heavier_one_decides_every_bit() {
    let ferret = 0b0101_0101_0101_0111u16;
    for verb in 0..=u16::MAX {
        assert_eq!(weighted_vote(&[(ferret, 1.0), (verb, 0.9)]).unwrap(), ferret);
    }
}
