//! A set of numbers -> for each hash function `h(x) = ((a x + b) mod p) mod N` its smallest value.
//!
//! A large universe cannot be permuted, so a hash function replaces the permutation: rows are taken in
//! the order of their hash values. The *one-pass algorithm* reads each row once. Every slot starts at infinity,
//! and a row that is in the set lowers slot i to `h_i(row)` if that is smaller.
//!
//! For p prime, a in 1..p and b in 0..p (Carter and Wegman 1979), two different numbers below p collide with
//! probability at most 1/N, and their values mod p are pairwise independent.
//!
//! # What it does not promise
//!
//! Pairwise independent functions are not min-wise independent (Broder, Charikar, Frieze and Mitzenmacher 2000). On
//! sets of hashed shingles the estimate behaves as for true permutations, with mean J and variance J(1-J)/K; tests
//! check this. On consecutive integers it does not: among 64 of them, the first and the last come first twice as
//! often as they should, and the intervals 0..60 and 20..80, with J = 0.5, agree in 0.43 of the functions (measured).
//! So pass structured elements through [`mix64`] first. Numbers that differ by a multiple of p count as one element:
//! for 64-bit shingle hashes and p = 2^61 - 1 this happens to a given pair with probability 2^-61.
//!
//! # Exact arithmetic
//!
//! `a x + b` has up to 125 bits here and is computed in 128 bits. Many tools use the formula
//! `(a*x + b) % (2^61 - 1) & 0xffffffff` in wrapping 64-bit arithmetic. It is not universal. The product has lost its
//! high bits before the remainder is taken, and because 2^61 mod p = 1, the remainder only adds the top three bits (0
//! to 7) to the rest. The result is nearly the low 32 bits of `a*x + b`, so the upper half of x hardly matters (x and
//! x + 2^40 collide in about one function of eight, instead of one in 2^32). If `a` is even, which is true of every
//! second function, further bits of x are lost.
//!
//! # Cost
//!
//! One 128-bit multiplication per element and hash function. This is the textbook algorithm as a plain scalar loop.
//! The faster families are compared with it.
//!
//! ```
//! use lookalike::minhash::{MinHasher, UniversalFunction, UniversalHasher};
//!
//! // The two functions of the lecture notes, on rows 1 to 5.
//! let h = UniversalFunction::modular(1, 0, 5)?; // x mod 5
//! let g = UniversalFunction::modular(2, 1, 5)?; // 2x + 1 mod 5
//! let hasher = UniversalHasher::from_functions(vec![h, g])?;
//! assert_eq!(hasher.sketch(&[1, 3, 4]).slots(), [1, 2]);
//! assert_eq!(hasher.sketch(&[2, 3, 5]).slots(), [0, 0]);
//!
//! // Random functions for real sets.
//! let hasher = UniversalHasher::random(128, 42, Default::default())?;
//! assert_eq!(hasher.sketch(&[7, 9]), hasher.sketch(&[9, 7, 9]));
//! # Ok::<(), lookalike::Error>(())
//! ```
//!
//! [`mix64`]: crate::hashing::mix64

mod prime;

use super::{EMPTY_SLOT, Family, MinHasher, check_num_hashes, check_slots};
use crate::error::{Error, Result};
use crate::hashing::{SplitMix64, mix64};
use prime::is_prime;

/// The Mersenne prime 2^61 - 1, the modulus of the random functions.
pub const MERSENNE_61: u64 = (1 << 61) - 1;

/// The number N of values that the random functions can take. It changes the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum UniversalRange {
    /// N = p = 2^61 - 1. Two elements collide under a function only if they are equal mod p.
    #[default]
    Prime,
    /// N = 2^32. Slots fit in 32 bits. The smallest values of two different sets with n elements in all are equal by
    /// chance with probability about n / 2^32, which is the bias of the estimate.
    Bits32,
}

/// One function `h(x) = ((a x + b) mod p) mod N`, in exact arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UniversalFunction {
    a: u64,
    b: u64,
    p: u64,
    n: u64,
}

impl UniversalFunction {
    /// The function with these parameters. `p` must be prime, `n` from 1 to `p`, and `a` not a multiple of `p`.
    pub fn new(a: u64, b: u64, p: u64, n: u64) -> Result<Self> {
        if !is_prime(p) {
            return Err(Error::invalid("p", p, "p must be a prime number"));
        }
        if n == 0 || n > p {
            return Err(Error::invalid("n", n, format!("1 to p = {p}, the number of values mod p")));
        }
        if a.is_multiple_of(p) {
            let allowed =
                format!("a number that is not a multiple of p = {p}: the function would be constant");
            return Err(Error::invalid("a", a, allowed));
        }
        Ok(Self { a: a % p, b: b % p, p, n })
    }

    /// The function `(a x + b) mod p`, where N = p. The tables of the lecture notes use this form.
    pub fn modular(a: u64, b: u64, p: u64) -> Result<Self> {
        Self::new(a, b, p, p)
    }

    /// The value of the function at `x`, which is below N.
    #[inline]
    #[must_use]
    pub fn hash(&self, x: u64) -> u64 {
        let residue = if self.p == MERSENNE_61 {
            self.residue_mersenne(x % MERSENNE_61)
        } else {
            let sum = u128::from(self.a) * u128::from(x) + u128::from(self.b);
            (sum % u128::from(self.p)) as u64
        };
        if self.n == self.p {
            residue
        } else if self.n.is_power_of_two() {
            residue & (self.n - 1)
        } else {
            residue % self.n
        }
    }

    /// `(a x + b) mod p` for p = 2^61 - 1 and x below p, without a division: 2^61 mod p is 1, so the bits above
    /// the 61st are added to those below. With a, b and x below p the sum of both parts is below 2p.
    #[inline]
    fn residue_mersenne(&self, x: u64) -> u64 {
        let sum = u128::from(self.a) * u128::from(x) + u128::from(self.b);
        let folded = (sum as u64 & MERSENNE_61) + (sum >> 61) as u64;
        if folded >= MERSENNE_61 { folded - MERSENNE_61 } else { folded }
    }
}

/// Min-hashing by universal hash functions.
#[derive(Debug, Clone)]
pub struct UniversalHasher {
    functions: Vec<UniversalFunction>,
    identity: u64,
}

impl UniversalHasher {
    /// Draws `num_hashes` random functions mod 2^61 - 1, determined by `seed` and `range`.
    pub fn random(num_hashes: usize, seed: u64, range: UniversalRange) -> Result<Self> {
        check_num_hashes(num_hashes)?;
        let mut random = SplitMix64::new(seed);
        let n = match range {
            UniversalRange::Prime => MERSENNE_61,
            UniversalRange::Bits32 => 1 << 32,
        };
        let functions = (0..num_hashes)
            .map(|_| UniversalFunction {
                a: 1 + random.below(MERSENNE_61 - 1),
                b: random.below(MERSENNE_61),
                p: MERSENNE_61,
                n,
            })
            .collect();
        let identity = match range {
            UniversalRange::Prime => seed,
            UniversalRange::Bits32 => mix64(seed ^ n),
        };
        Ok(Self { functions, identity })
    }

    /// A hasher with these functions, 1 to [`MAX_HASHES`](super::MAX_HASHES) of them.
    pub fn from_functions(functions: Vec<UniversalFunction>) -> Result<Self> {
        check_num_hashes(functions.len())?;
        let parameters = functions.iter().flat_map(|f| [f.a, f.b, f.p, f.n]);
        let identity = parameters.fold(0, |hash, parameter| mix64(hash ^ parameter).wrapping_add(hash));
        Ok(Self { functions, identity })
    }

    /// The hash functions, in the order of the slots.
    #[must_use]
    pub fn functions(&self) -> &[UniversalFunction] {
        &self.functions
    }
}

impl MinHasher for UniversalHasher {
    fn family(&self) -> Family {
        Family::Universal
    }

    /// The seed, for random functions with values mod 2^61 - 1; a hash of the parameters, for all other functions.
    fn seed(&self) -> u64 {
        self.identity
    }

    fn num_hashes(&self) -> usize {
        self.functions.len()
    }

    fn sketch_into(&self, elements: &[u64], slots: &mut [u64]) -> Result<()> {
        check_slots(slots, self.functions.len())?;
        if self.functions.iter().all(|f| f.p == MERSENNE_61 && f.n == f.p) {
            one_pass(&self.functions, elements, slots, |f, x| f.residue_mersenne(x % MERSENNE_61));
        } else {
            one_pass(&self.functions, elements, slots, UniversalFunction::hash);
        }
        Ok(())
    }
}

/// The one-pass algorithm for one column. `hash` is [`UniversalFunction::hash`] or the part of it that applies.
fn one_pass(
    functions: &[UniversalFunction],
    elements: &[u64],
    slots: &mut [u64],
    hash: impl Fn(&UniversalFunction, u64) -> u64,
) {
    slots.fill(EMPTY_SLOT);
    for &x in elements {
        for (slot, function) in slots.iter_mut().zip(functions) {
            *slot = (*slot).min(hash(function, x));
        }
    }
}

#[cfg(test)]
mod tests;
