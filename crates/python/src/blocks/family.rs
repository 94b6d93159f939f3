//! Families of hash functions, by name.

use crate::errors::{self, Raise};
use lookalike::minhash::{Family, FastSketch, MinHasher, MultiplyShift, UniversalHasher, UniversalRange};
use pyo3::prelude::*;

/// All families and their names.
const NAMES: [(Family, &str); 5] = [
    (Family::FastSketch, "fast-sketch"),
    (Family::MultiplyShift, "multiply-shift"),
    (Family::Universal, "universal"),
    (Family::Permutation, "permutation"),
    (Family::Weighted, "weighted"),
];

/// The name of a family.
pub(super) fn name(family: Family) -> &'static str {
    NAMES.iter().find(|(known, _)| *known == family).map_or("unknown", |(_, name)| name)
}

/// The family with this name.
pub(super) fn named(written: &str) -> PyResult<Family> {
    let found = NAMES.iter().find(|(_, name)| *name == written);
    found.map(|(family, _)| *family).ok_or_else(|| {
        let names: Vec<_> = NAMES.iter().map(|(_, name)| *name).collect();
        errors::setting(format_args!("family `{written}` is not one of {}", names.join(", ")))
    })
}

/// The hash functions of any family that makes signatures of sets.
pub(super) type AnyHasher = Box<dyn MinHasher + Send + Sync>;

/// The hash functions of a family, for a number of hashes and a seed.
pub(super) fn hasher(family: &str, num_hashes: usize, seed: u64) -> PyResult<AnyHasher> {
    Ok(match family {
        "fast-sketch" => Box::new(FastSketch::new(num_hashes, seed).or_raise()?),
        "multiply-shift" => Box::new(MultiplyShift::new(num_hashes, seed).or_raise()?),
        "universal" => Box::new(UniversalHasher::random(num_hashes, seed, UniversalRange::Prime).or_raise()?),
        other => {
            return Err(errors::setting(format_args!(
                "family `{other}` is not one of fast-sketch, multiply-shift, universal"
            )));
        }
    })
}
