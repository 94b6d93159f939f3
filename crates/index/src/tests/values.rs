//! Stored values that were changed at random: every call of the index ends with an answer or an error.

use crate::fuzzing::{Values, read_and_write};
use lookalike::hashing::SplitMix64;

/// Rounds of a run of the tests; `LOOKALIKE_TORTURE_ROUNDS` says another number.
const ROUNDS: u64 = 300;

/// Changes some bytes: flipped, cut, doubled, inserted, or all of them new.
fn damage(value: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let mut value = value.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(value.len() as u64 + 1) as usize;
        match random.below(6) {
            0 => value.truncate(at),
            1 => value.insert(at, random.next_u64() as u8),
            2 => value.extend_from_within(at..),
            3 => value = (0..random.below(40)).map(|_| random.next_u64() as u8).collect(),
            // Lengths and counts are small numbers, or end in a byte without its highest bit.
            4 if at < value.len() => value[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5) as usize],
            _ if at < value.len() => value[at] ^= 1 << random.below(8),
            _ => {}
        }
    }
    value
}

#[test]
fn values_that_were_damaged_at_random_are_errors() {
    let rounds = std::env::var("LOOKALIKE_TORTURE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    let values = Values::new().unwrap();
    let mut random = SplitMix64::new(14);
    let (mut clean, mut refused) = (0, 0);
    for round in 0..rounds.unwrap_or(ROUNDS) {
        let place = round as usize;
        let good = values.value(place).unwrap();
        let value = damage(&good, &mut random);
        read_and_write(&value);
        let is_clean = values.ask(place, Some(&value));
        if value == good {
            assert!(is_clean.is_ok_and(|is_clean| is_clean), "nothing was changed");
        } else if is_clean.is_ok_and(|is_clean| is_clean) {
            clean += 1;
        } else {
            refused += 1;
        }
        if round % 50 == 0 {
            // An entry that is missing is noticed too, if anything else implies it.
            let _ = values.ask(place, None);
        }
    }
    // Metadata, times and receipts may have other values that nothing contradicts.
    assert!(refused > clean, "{refused} noticed, {clean} not");
}
