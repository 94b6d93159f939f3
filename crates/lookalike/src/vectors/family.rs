//! The trait of locality-sensitive families.

use super::{And, Measure, Or};
use crate::error::Result;

/// Hash functions under which similar items collide more often than others: a number of functions drawn at
/// random from one family.
pub trait LshFamily {
    /// What is hashed.
    type Item: ?Sized;

    /// The measure that governs the collision probability.
    fn measure(&self) -> Measure;

    /// How many functions were drawn.
    fn num_functions(&self) -> usize;

    /// How many 64-bit keys the value of one function has: 1, except for functions made by [`or`](Self::or).
    fn keys_per_function(&self) -> usize {
        1
    }

    /// Writes the keys of all functions, function by function, over `keys`, which has
    /// `num_functions() * keys_per_function()` positions ([`Error::LengthMismatch`](crate::Error::LengthMismatch) otherwise).
    fn keys_into(&self, item: &Self::Item, keys: &mut [u64]) -> Result<()>;

    /// The keys of all functions, function by function.
    fn keys(&self, item: &Self::Item) -> Result<Vec<u64>> {
        let mut keys = vec![0; self.num_functions() * self.keys_per_function()];
        self.keys_into(item, &mut keys)?;
        Ok(keys)
    }

    /// True if one function takes two items for similar, given its keys for each.
    fn collides(&self, left: &[u64], right: &[u64]) -> bool {
        left == right
    }

    /// The probability that a random function collides for two items at this value of the
    /// [measure](Self::measure) (a similarity or a distance, as the measure is).
    fn collision_probability(&self, value: f64) -> Result<f64>;

    /// Functions that collide when `rows` of these do: probability `p^rows`. Functions that are left over are
    /// unused.
    fn and(self, rows: usize) -> Result<And<Self>>
    where
        Self: Sized,
    {
        And::new(self, rows)
    }

    /// Functions that collide when any of `bands` of these does: probability `1 - (1 - p)^bands`. Functions
    /// that are left over are unused.
    fn or(self, bands: usize) -> Result<Or<Self>>
    where
        Self: Sized,
    {
        Or::new(self, bands)
    }
}
