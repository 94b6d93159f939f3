//! Any bytes as stored values of an index, and values of a good index that were damaged. Every call of the index ends with
//! an answer or an error.
#![no_main]

use index::fuzzing::{Values, read_and_write};
use libfuzzer_sys::fuzz_target;
use lookalike_fuzz::damage::Damage;
use std::sync::OnceLock;

fn values() -> &'static Values {
    static VALUES: OnceLock<Values> = OnceLock::new();
    VALUES.get_or_init(|| Values::new().expect("an index in memory can be made"))
}

fuzz_target!(|input: (u16, Option<Vec<u8>>, Damage)| {
    let (place, value, damage) = input;
    let place = usize::from(place);
    let good = values().value(place).expect("the store is in memory");
    let value = value.map_or_else(|| damage.apply(&good), |value| damage.apply(&value));
    read_and_write(&value);
    let is_clean = values().ask(place, Some(&value));
    if value == good {
        assert!(is_clean.is_ok_and(|is_clean| is_clean));
    }
    if value.is_empty() {
        let _ = values().ask(place, None);
    }
});
