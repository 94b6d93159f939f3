//! A set of row numbers -> for each permutation of the rows, the first row of the set: min-hashing by its definition.
//!
//! Shuffle the rows of the [characteristic matrix](super::matrix::CharacteristicMatrix) and look down a column
//! to the first 1. Every row of the union of two sets is equally likely to come first, and the min-hashes of the two
//! sets are equal exactly if that row is in their intersection. So
//!
//! ```text
//! Pr[h(A) = h(B)] = |A and B| / |A or B| = J(A, B)
//! ```
//!
//! and the fraction of K independent permutations in which two sets agree has mean J and variance J(1-J)/K.
//! With *all* permutations the fraction is J itself ([`PermutationHasher::exhaustive`]).
//!
//! The method is from Broder (1997), *On the resemblance and containment of documents*. It is the definition that the
//! other families are tested against, and not meant for hashing documents. It stores K permutations of the whole
//! universe, each as two tables of 4 bytes per row. A set of n rows costs n K table lookups.
//!
//! # Two notations
//!
//! The lecture notes write a permutation in two ways. A column of *positions* gives for each row its position in the
//! permuted order (`2 3 7 6 1 5 4`: the fifth row comes first). An *order* lists the rows in the permuted order
//! (`di, da, ia, na, ad, al`). Use [`from_positions`](PermutationHasher::from_positions) or
//! [`from_order`](PermutationHasher::from_order). Likewise the min-hash value is either the position or the
//! number of the row at that position ([`RowLabel`]). The choice does not matter for comparing columns and for bands.
//! It matters for merging: the smaller of two positions is the position for the union, but the smaller of two row
//! numbers has no meaning. So a [`Signature`] always holds positions, and row numbers come from
//! [`PermutationHasher::values`].
//!
//! ```
//! use lookalike::minhash::{Numbering, PermutationHasher, RowLabel};
//!
//! let positions = [[2, 3, 7, 6, 1, 5, 4]];
//! let hasher = PermutationHasher::from_positions(Numbering::FromOne, &positions)?;
//! let column = [3, 4, 5];
//! assert_eq!(hasher.values(&column, RowLabel::Position)?, [1]);
//! assert_eq!(hasher.values(&column, RowLabel::RowIndex)?, [5]);
//! # Ok::<(), lookalike::Error>(())
//! ```

use super::{
    EMPTY_SLOT, Family, MinHasher, Numbering, Signature, bag_elements, check_num_hashes, check_slots,
};
use crate::error::{Error, Result};
use crate::hashing::{SplitMix64, mix64};
use crate::shingling::ShingleBag;

/// The largest number of table cells (rows times permutations) of a hasher: 2^26, half a gigabyte.
const MAX_CELLS: usize = 1 << 26;

/// How the first row of a set in the permuted order is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RowLabel {
    /// By its position in the permuted order.
    #[default]
    Position,
    /// By its number in the original order.
    RowIndex,
}

/// One permutation and its inverse, counted from zero.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Permutation {
    /// `position[row]` is the position of the row in the permuted order.
    position: Vec<u32>,
    /// `order[position]` is the row at that position.
    order: Vec<u32>,
}

impl Permutation {
    /// Makes a permutation from one of its two tables. The other one is the inverse.
    fn from_order(order: Vec<u32>) -> Self {
        let position = inverse(&order);
        Self { position, order }
    }

    fn from_positions(position: Vec<u32>) -> Self {
        let order = inverse(&position);
        Self { position, order }
    }
}

fn inverse(table: &[u32]) -> Vec<u32> {
    let mut inverse = vec![0; table.len()];
    for (index, &value) in (0u32..).zip(table) {
        inverse[value as usize] = index;
    }
    inverse
}

/// Min-hashing by true permutations of a finite universe of rows.
///
/// Elements are row numbers. An element outside the universe has no position in any permutation.
/// [`MinHasher::sketch`] cannot fail and ignores such an element; [`try_sketch`](Self::try_sketch) gives an error.
#[derive(Debug, Clone)]
pub struct PermutationHasher {
    rows: usize,
    numbering: Numbering,
    permutations: Vec<Permutation>,
    identity: u64,
}

impl PermutationHasher {
    /// Draws `num_hashes` random permutations of the rows `0..rows` by the Fisher-Yates shuffle. They are determined
    /// by `seed`.
    pub fn random(rows: usize, num_hashes: usize, seed: u64) -> Result<Self> {
        check_size(rows, num_hashes)?;
        let mut random = SplitMix64::new(seed);
        let permutations = (0..num_hashes).map(|_| Permutation::from_order(shuffled(rows, &mut random)));
        Ok(Self::new(rows, Numbering::FromZero, permutations.collect()))
    }

    /// All permutations of the rows `0..rows`, for 1 to 6 rows (6! = 720). The similarity of two signatures is
    /// then the Jaccard similarity of the sets, exactly.
    pub fn exhaustive(rows: usize) -> Result<Self> {
        if !(1..=6).contains(&rows) {
            return Err(Error::invalid("rows", rows, "all permutations can be listed for 1 to 6 rows"));
        }
        let mut orders = vec![Vec::new()];
        for row in 0..rows as u32 {
            orders = orders.iter().flat_map(|order| insert_everywhere(order, row)).collect();
        }
        let permutations = orders.into_iter().map(Permutation::from_order).collect();
        Ok(Self::new(rows, Numbering::FromZero, permutations))
    }

    /// Permutations written as positions: the i-th number is the position of the i-th row in the permuted order.
    pub fn from_positions(numbering: Numbering, columns: &[impl AsRef<[u64]>]) -> Result<Self> {
        Self::from_tables(numbering, columns, Permutation::from_positions)
    }

    /// Permutations written as orders: the i-th number is the row at the i-th position.
    pub fn from_order(numbering: Numbering, orders: &[impl AsRef<[u64]>]) -> Result<Self> {
        Self::from_tables(numbering, orders, Permutation::from_order)
    }

    fn from_tables(
        numbering: Numbering,
        tables: &[impl AsRef<[u64]>],
        build: fn(Vec<u32>) -> Permutation,
    ) -> Result<Self> {
        let rows = tables.first().map_or(0, |table| table.as_ref().len());
        check_size(rows, tables.len())?;
        let permutations = tables
            .iter()
            .map(|table| checked_table(numbering, table.as_ref(), rows).map(build))
            .collect::<Result<_>>()?;
        Ok(Self::new(rows, numbering, permutations))
    }

    fn new(rows: usize, numbering: Numbering, permutations: Vec<Permutation>) -> Self {
        let mut identity = mix64(rows as u64 ^ (numbering.first() << 63));
        for &row in permutations.iter().flat_map(|permutation| &permutation.order) {
            identity = mix64(identity ^ u64::from(row)).wrapping_add(identity);
        }
        Self { rows, numbering, permutations, identity }
    }

    /// The number of rows of the universe.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How rows and positions are counted.
    #[must_use]
    pub fn numbering(&self) -> Numbering {
        self.numbering
    }

    /// The signature of a set of row numbers. It is an error if one of them is outside the universe.
    pub fn try_sketch(&self, elements: &[u64]) -> Result<Signature> {
        self.check_elements(elements)?;
        Ok(self.sketch(elements))
    }

    /// The min-hash values of a set of row numbers, one per permutation, as positions or row numbers. They are
    /// [`EMPTY_SLOT`] for the empty set. It is an error if an element is outside the universe.
    pub fn values(&self, elements: &[u64], label: RowLabel) -> Result<Vec<u64>> {
        self.check_elements(elements)?;
        let mut values = vec![EMPTY_SLOT; self.permutations.len()];
        self.sketch_into(elements, &mut values)?;
        if label == RowLabel::RowIndex {
            for (value, permutation) in values.iter_mut().zip(&self.permutations) {
                if let Some(place) = self.numbering.index(*value, self.rows) {
                    *value = self.numbering.number(permutation.order[place] as usize);
                }
            }
        }
        Ok(values)
    }

    fn check_elements(&self, elements: &[u64]) -> Result<()> {
        match elements.iter().find(|&&element| self.numbering.index(element, self.rows).is_none()) {
            None => Ok(()),
            Some(element) => Err(Error::invalid("element", element, self.allowed_numbers())),
        }
    }

    fn allowed_numbers(&self) -> String {
        allowed_numbers(self.numbering, self.rows)
    }
}

impl MinHasher for PermutationHasher {
    fn family(&self) -> Family {
        Family::Permutation
    }

    /// A hash of the permutations and their numbering. It does not depend on how they were made.
    fn seed(&self) -> u64 {
        self.identity
    }

    fn num_hashes(&self) -> usize {
        self.permutations.len()
    }

    fn sketch_into(&self, elements: &[u64], slots: &mut [u64]) -> Result<()> {
        check_slots(slots, self.permutations.len())?;
        slots.fill(EMPTY_SLOT);
        for row in elements.iter().filter_map(|&element| self.numbering.index(element, self.rows)) {
            for (slot, permutation) in slots.iter_mut().zip(&self.permutations) {
                *slot = (*slot).min(self.numbering.number(permutation.position[row] as usize));
            }
        }
        Ok(())
    }

    /// Gives an error for a bag with repeats, because later occurrences are elements outside the universe.
    fn sketch_bag(&self, bag: &ShingleBag) -> Result<Signature> {
        self.try_sketch(&bag_elements(bag)?)
    }
}

fn check_size(rows: usize, num_hashes: usize) -> Result<()> {
    check_num_hashes(num_hashes)?;
    if rows == 0 || rows > MAX_CELLS / num_hashes {
        let allowed = format!("1 to {} rows for {num_hashes} permutations", MAX_CELLS / num_hashes);
        return Err(Error::invalid("rows", rows, allowed));
    }
    Ok(())
}

/// The table, counted from zero. It is an error unless it holds each of the `rows` numbers once.
fn checked_table(numbering: Numbering, table: &[u64], rows: usize) -> Result<Vec<u32>> {
    if table.len() != rows {
        return Err(Error::LengthMismatch { left: rows, right: table.len() });
    }
    let mut seen = vec![false; rows];
    let mut checked = Vec::with_capacity(rows);
    for &number in table {
        match numbering.index(number, rows) {
            Some(index) if !seen[index] => {
                seen[index] = true;
                checked.push(index as u32);
            }
            _ => {
                let allowed = format!("each of {}, once", allowed_numbers(numbering, rows));
                return Err(Error::invalid("permutation entry", number, allowed));
            }
        }
    }
    Ok(checked)
}

fn allowed_numbers(numbering: Numbering, rows: usize) -> String {
    format!("the rows {} to {}", numbering.first(), numbering.number(rows - 1))
}

fn shuffled(rows: usize, random: &mut SplitMix64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..rows as u32).collect();
    for last in (1..rows).rev() {
        order.swap(last, random.below(last as u64 + 1) as usize);
    }
    order
}

fn insert_everywhere(order: &[u32], row: u32) -> impl Iterator<Item = Vec<u32>> {
    (0..=order.len()).map(move |place| {
        let mut longer = order.to_vec();
        longer.insert(place, row);
        longer
    })
}

#[cfg(test)]
mod tests;
