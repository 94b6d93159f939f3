//! A chunk -> what finds the documents to compare with: whatever is cheapest for it. The answers are the same.
//!
//! | index | who meets | good for |
//! |---|---|---|
//! | bands | documents with an equal band | most chunks |
//! | [neighbours](super::neighbours) | documents that may be similar by what they share with all others | the same, where pairs are wanted between all documents |
//! | [rare shingles](super::prefixes) | documents with a rare shingle in common | pages of a template with text of their own |
//! | [combinations](super::combinations) | documents that share several pieces | pages of a template with values in slots; containment |
//!
//! Whether a pair is a candidate is always asked of its bands (or samples): the others only leave out pairs that
//! cannot be similar enough.

use super::Using;
use super::buckets::{Buckets, Lookup};
use super::chunk::Chunk;
use super::combinations::Combinations;
use super::neighbours::Neighbours;
use super::prefixes::RareShingles;
use crate::Result;
use crate::method::Recipe;

/// A chunk is crowded if more pairs per document meet than this.
const CROWDED: u64 = if cfg!(test) { 3 } else { 64 };

/// So many times more may meet by neighbours before other indexes are made: to meet them costs little.
const CHEAP: u64 = 16;

/// An index that is made although many meet must bring together so many times fewer than the others.
const FEWER: u64 = 4;

/// Which kept documents may be similar to one that asks.
#[derive(Debug)]
pub(super) enum Index {
    Bands(Buckets),
    Rare(RareShingles),
    Combined(Combinations),
}

impl Index {
    /// For a chunk; an index other than that of the bands takes at most about the memory that may be used.
    pub(super) fn new(chunk: &Chunk, recipe: &Recipe, using: Using<'_>) -> Result<Self> {
        let bands = Buckets::by_bands(chunk, recipe, using)?;
        let crowd = CROWDED * chunk.len() as u64;
        let most = bands.pairs();
        if most <= crowd {
            return Ok(Self::Bands(bands));
        }
        let rare = RareShingles::new(chunk, recipe, using.observer)?;
        let met = rare.as_ref().map_or(most, RareShingles::pairs);
        if met > crowd
            && let Some(combined) = Combinations::new(chunk, recipe, using)?
            && combined.pairs() < met
        {
            return Ok(Self::Combined(combined));
        }
        Ok(rare.map_or(Self::Bands(bands), Self::Rare))
    }

    /// Lists a kept document. Documents are listed in ascending order.
    pub(super) fn list(&mut self, at: usize) {
        match self {
            Self::Bands(buckets) => buckets.list(at),
            Self::Rare(shingles) => shingles.list(at),
            Self::Combined(combinations) => combinations.list(at),
        }
    }

    /// Finds the listed documents from `from` on that may be similar to `at`.
    pub(super) fn look_up_listed(&self, at: usize, from: u32, lookup: &mut Lookup) {
        match self {
            Self::Bands(buckets) => buckets.look_up_listed(at, from, lookup),
            Self::Rare(shingles) => shingles.look_up_listed(at, from, lookup),
            Self::Combined(combinations) => combinations.look_up_listed(at, from, lookup),
        }
    }
}

/// Which documents, kept or not, may be similar to each other.
#[derive(Debug)]
pub(super) enum Symmetric {
    Bands(Buckets),
    Neighbours(Neighbours),
    Combined(Combinations),
}

impl Symmetric {
    /// For a chunk; an index other than that of the bands takes at most about the memory that may be used.
    pub(super) fn new(chunk: &Chunk, recipe: &Recipe, using: Using<'_>) -> Result<Self> {
        let bands = Buckets::by_bands(chunk, recipe, using)?;
        let crowd = CROWDED * chunk.len() as u64;
        let most = bands.pairs();
        if most <= crowd {
            return Ok(Self::Bands(bands));
        }
        if let Some(neighbours) = Neighbours::new(chunk, recipe, using, CHEAP * crowd)? {
            return Ok(Self::Neighbours(neighbours));
        }
        let combined = Combinations::new(chunk, recipe, using)?;
        let met = combined.as_ref().map_or(most, Combinations::pairs).min(most);
        if met > crowd
            && let Some(neighbours) = Neighbours::new(chunk, recipe, using, met / FEWER)?
        {
            return Ok(Self::Neighbours(neighbours));
        }
        match combined {
            Some(combined) if met < most => Ok(Self::Combined(combined)),
            _ => Ok(Self::Bands(bands)),
        }
    }

    /// Finds all documents before `at` that may be similar to it.
    pub(super) fn look_up_members(&self, at: usize, lookup: &mut Lookup) {
        match self {
            Self::Bands(buckets) => buckets.look_up_members(at, 0, lookup),
            Self::Neighbours(neighbours) => neighbours.look_up_members(at, lookup),
            Self::Combined(combinations) => combinations.look_up_members(at, lookup),
        }
    }

    /// How many keys two documents share that met in `met` buckets; 0 if they are no candidates.
    pub(super) fn shared_keys(
        &self,
        chunk: &Chunk,
        recipe: &Recipe,
        at: usize,
        other: usize,
        met: u32,
    ) -> u32 {
        match self {
            Self::Bands(_) => met,
            Self::Neighbours(_) | Self::Combined(_) => chunk.shared_keys(at, other, recipe),
        }
    }
}
