//! The trait of locality-sensitive families.

use super::{And, Measure, Or};
use crate::error::Result;

/// Hash functions under which similar items collide more often than others. A value of this trait is a number of
/// functions drawn at random from one family.
pub trait LshFamily {
    /// The type of item that is hashed.
    type Item: ?Sized;

    /// The measure that determines the collision probability.
    fn measure(&self) -> Measure;

    /// The number of functions that were drawn.
    fn num_functions(&self) -> usize;

    /// The number of 64-bit keys of one function: 1, except for functions made by [`or`](Self::or).
    fn keys_per_function(&self) -> usize {
        1
    }

    /// Writes the keys of all functions to `keys`, function by function. The length of `keys` must be
    /// `num_functions() * keys_per_function()`; any other length gives
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch).
    fn keys_into(&self, item: &Self::Item, keys: &mut [u64]) -> Result<()>;

    /// The keys of all functions, function by function.
    fn keys(&self, item: &Self::Item) -> Result<Vec<u64>> {
        let mut keys = vec![0; self.num_functions() * self.keys_per_function()];
        self.keys_into(item, &mut keys)?;
        Ok(keys)
    }

    /// True if two items collide under one function, given the function's keys for each item.
    fn collides(&self, left: &[u64], right: &[u64]) -> bool {
        left == right
    }

    /// The probability that two items collide under a random function, if the [measure](Self::measure) of the two has
    /// this value. The value is a similarity or a distance, depending on the measure.
    fn collision_probability(&self, value: f64) -> Result<f64>;

    /// Combines `rows` functions into one that collides if all of them collide, with probability `p^rows`. Functions
    /// that are left over are not used.
    fn and(self, rows: usize) -> Result<And<Self>>
    where
        Self: Sized,
    {
        And::new(self, rows)
    }

    /// Combines `bands` functions into one that collides if any of them collides, with probability
    /// `1 - (1 - p)^bands`. Functions that are left over are not used.
    fn or(self, bands: usize) -> Result<Or<Self>>
    where
        Self: Sized,
    {
        Or::new(self, bands)
    }
}
