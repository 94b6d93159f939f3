//! Families -> more selective families, by AND and OR.
//!
//! If one function collides with probability p, then r independent functions all collide with probability `p^r`, and
//! at least one of b functions collides with probability `1 - (1 - p)^b`. AND moves small probabilities towards 0,
//! and OR moves large ones towards 1. AND followed by OR is the banding of signatures (rows, then bands), with the
//! S-curve `1 - (1 - p^r)^b`. OR followed by AND has the mirrored curve. Both can be repeated.
//!
//! A function made by AND still has one key, so it can be looked up in a table. A function made by OR has several
//! keys, and two items collide if any key agrees, so it needs one table per key.
//!
//! ```
//! use lookalike::vectors::{BitSampling, LshFamily};
//!
//! let bands = BitSampling::new(64, 100, 1)?.and(5)?.or(20)?;
//! let s: f64 = 0.75; // 16 of 64 bits differ
//! assert!((bands.collision_probability(16.0)? - (1.0 - (1.0 - s.powi(5)).powi(20))).abs() < 1e-12);
//! let (a, b) = (bands.keys(&[0b1011])?, bands.keys(&[0b1010])?);
//! assert_eq!(a.len(), 20); // one key per band
//! assert!(bands.collides(&a, &b)); // some band agrees
//! # Ok::<(), lookalike::Error>(())
//! ```

use super::{LshFamily, Measure};
use crate::banding::{all_of, any_of, band_key};
use crate::error::{Error, Result, check_length};

/// Functions that collide if all of `rows` functions of a family collide. Made by [`LshFamily::and`].
#[derive(Debug, Clone, PartialEq)]
pub struct And<F> {
    family: F,
    rows: usize,
}

/// Functions that collide if any of `bands` functions of a family collides. Made by [`LshFamily::or`].
#[derive(Debug, Clone, PartialEq)]
pub struct Or<F> {
    family: F,
    bands: usize,
}

impl<F: LshFamily> And<F> {
    pub(super) fn new(family: F, rows: usize) -> Result<Self> {
        check_group("rows", rows, family.num_functions())?;
        Ok(Self { family, rows })
    }

    /// The number of functions that are combined into one.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }
}

impl<F: LshFamily> Or<F> {
    pub(super) fn new(family: F, bands: usize) -> Result<Self> {
        check_group("bands", bands, family.num_functions())?;
        Ok(Self { family, bands })
    }

    /// The number of functions that are combined into one.
    #[must_use]
    pub fn bands(&self) -> usize {
        self.bands
    }
}

impl<F: LshFamily> LshFamily for And<F> {
    type Item = F::Item;

    fn measure(&self) -> Measure {
        self.family.measure()
    }

    fn num_functions(&self) -> usize {
        self.family.num_functions() / self.rows
    }

    fn keys_per_function(&self) -> usize {
        match self.family.keys_per_function() {
            1 => 1,
            several => several * self.rows,
        }
    }

    fn keys_into(&self, item: &Self::Item, keys: &mut [u64]) -> Result<()> {
        check_length(keys.len(), self.num_functions() * self.keys_per_function())?;
        let inner = self.family.keys(item)?;
        if self.family.keys_per_function() == 1 {
            for (key, row_keys) in keys.iter_mut().zip(inner.chunks_exact(self.rows)) {
                *key = band_key(0, row_keys);
            }
        } else {
            keys.copy_from_slice(&inner[..keys.len()]);
        }
        Ok(())
    }

    fn collides(&self, left: &[u64], right: &[u64]) -> bool {
        match self.family.keys_per_function() {
            1 => left == right,
            n => {
                left.len() == right.len()
                    && left.chunks(n).zip(right.chunks(n)).all(|(a, b)| self.family.collides(a, b))
            }
        }
    }

    fn collision_probability(&self, value: f64) -> Result<f64> {
        Ok(all_of(self.family.collision_probability(value)?, self.rows))
    }
}

impl<F: LshFamily> LshFamily for Or<F> {
    type Item = F::Item;

    fn measure(&self) -> Measure {
        self.family.measure()
    }

    fn num_functions(&self) -> usize {
        self.family.num_functions() / self.bands
    }

    fn keys_per_function(&self) -> usize {
        self.family.keys_per_function() * self.bands
    }

    fn keys_into(&self, item: &Self::Item, keys: &mut [u64]) -> Result<()> {
        check_length(keys.len(), self.num_functions() * self.keys_per_function())?;
        let inner = self.family.keys(item)?;
        keys.copy_from_slice(&inner[..keys.len()]);
        Ok(())
    }

    fn collides(&self, left: &[u64], right: &[u64]) -> bool {
        let n = self.family.keys_per_function();
        left.len() == right.len()
            && left.chunks(n).zip(right.chunks(n)).any(|(a, b)| self.family.collides(a, b))
    }

    fn collision_probability(&self, value: f64) -> Result<f64> {
        Ok(any_of(self.family.collision_probability(value)?, self.bands as f64))
    }
}

fn check_group(name: &'static str, size: usize, functions: usize) -> Result<()> {
    if size == 0 || size > functions {
        return Err(Error::invalid(name, size, format!("1 to the {functions} functions of the family")));
    }
    Ok(())
}
