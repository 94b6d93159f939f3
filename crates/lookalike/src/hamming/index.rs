//! Fingerprints -> an index -> the fingerprints within distance k of a query.

use super::groups::FingerprintGroups;
use super::pairs::Pair;
use super::permutation::mask;
use super::plan::{HammingConfig, Plan, TableStorage};
use super::scan::near;
use super::table::Table;
use crate::arch::Kernel;
use crate::error::{Error, Result};
use crate::simhash::FingerprintBits;

/// A fingerprint of the collection that is near a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Match {
    /// The number of bits in which it differs from the query.
    pub distance: u32,
    /// Its position in the collection.
    pub position: u32,
}

/// A group of equal fingerprints of the collection that are near a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupMatch<'a, B> {
    /// The number of bits in which they differ from the query.
    pub distance: u32,
    /// The fingerprint.
    pub fingerprint: B,
    /// Its positions in the collection, ascending.
    pub positions: &'a [u32],
}

/// An immutable index of fingerprints for searches by Hamming distance. To add fingerprints, build it again.
///
/// See the [module](super) for how it works.
#[derive(Debug, Clone)]
pub struct HammingIndex<B = u64> {
    pub(super) groups: FingerprintGroups<B>,
    plan: Plan,
    storage: TableStorage,
    pub(super) tables: Vec<Table<B>>,
    /// For each table the blocks whose bits come first in it.
    choices: Vec<Vec<usize>>,
    /// For each block a mask of its bits.
    block_masks: Vec<B>,
    pub(super) kernel: Kernel,
}

/// A hit before its positions are looked up: the distance and the number of the group.
pub(super) type Hit = (u32, u32);

impl<B: FingerprintBits> HammingIndex<B> {
    /// Builds the index of at most 2^32 - 1 fingerprints. Fingerprints may be equal.
    pub fn build(fingerprints: &[B], config: &HammingConfig) -> Result<Self> {
        let (index, choices) = Self::without_tables(fingerprints, config)?;
        let tables = choices.iter().map(|choice| index.table(choice)).collect::<Result<_>>()?;
        Ok(index.with_tables(tables, choices))
    }

    /// The index without its tables, and the blocks whose bits come first in each table.
    pub(super) fn without_tables(
        fingerprints: &[B],
        config: &HammingConfig,
    ) -> Result<(Self, Vec<Vec<usize>>)> {
        let groups = FingerprintGroups::new(fingerprints)?;
        let plan = Plan::new(groups.values().len() as u64, B::BITS, config)?;
        let choices = plan.choices();
        let mut end = 0;
        let block_masks = plan
            .block_widths()
            .iter()
            .map(|&width| {
                end += width;
                mask(end - width..end)
            })
            .collect();
        let kernel = Kernel::best();
        let storage = config.storage;
        let (tables, none) = (Vec::new(), Vec::new());
        Ok((Self { groups, plan, storage, tables, choices: none, block_masks, kernel }, choices))
    }

    pub(super) fn with_tables(self, tables: Vec<Table<B>>, choices: Vec<Vec<usize>>) -> Self {
        Self { tables, choices, ..self }
    }

    pub(super) fn table(&self, choice: &[usize]) -> Result<Table<B>> {
        Table::new(self.groups.values(), self.plan.block_widths(), choice, self.storage)
    }

    /// The plan by which the index was built. Its number of fingerprints counts equal ones once.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The different fingerprints and the positions where they occur.
    #[must_use]
    pub fn groups(&self) -> &FingerprintGroups<B> {
        &self.groups
    }

    /// The number of fingerprints. Equal ones are counted separately.
    #[must_use]
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// True if the index is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The number of bytes in memory: the tables, and the fingerprints with their positions.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.tables.iter().map(Table::bytes).sum::<u64>() + self.groups.bytes()
    }

    /// All fingerprints at most `k` bits from `query`, sorted by distance, then position. `k` must be at most the
    /// `max_distance` that the index was built for.
    pub fn query(&self, query: B, k: u32) -> Result<Vec<Match>> {
        Ok(self.expand(self.hits(query, k)?))
    }

    /// Like [`query`](Self::query), but with equal fingerprints in groups, sorted by distance, then fingerprint.
    pub fn query_groups(&self, query: B, k: u32) -> Result<Vec<GroupMatch<'_, B>>> {
        let hits = self.hits(query, k)?;
        Ok(hits
            .into_iter()
            .map(|(distance, group)| GroupMatch {
                distance,
                fingerprint: self.groups.values()[group as usize],
                positions: self.groups.positions(group as usize),
            })
            .collect())
    }

    fn hits(&self, query: B, k: u32) -> Result<Vec<Hit>> {
        self.check_distance(k)?;
        let mut hits = Vec::new();
        if self.tables.is_empty() {
            self.scan(query, k, &mut hits);
        }
        for table in &self.tables {
            table.touch(table.permutation().apply(query));
        }
        for table in 0..self.tables.len() {
            self.probe(table, query, k, &mut hits);
        }
        hits.sort_unstable();
        Ok(hits)
    }

    pub(super) fn check_distance(&self, k: u32) -> Result<()> {
        let most = self.plan.max_distance();
        if k > most {
            return Err(Error::invalid("k", k, format!("at most the max_distance of the index, {most}")));
        }
        Ok(())
    }

    /// The positions of the fingerprints of sorted hits.
    pub(super) fn expand(&self, hits: Vec<Hit>) -> Vec<Match> {
        let mut matches = Vec::with_capacity(hits.len());
        for (distance, group) in hits {
            let positions = self.groups.positions(group as usize).iter();
            matches.extend(positions.map(|&position| Match { distance, position }));
        }
        matches.sort_unstable();
        matches
    }

    /// Compares the query with every fingerprint.
    pub(super) fn scan(&self, query: B, k: u32, hits: &mut Vec<Hit>) {
        let values = self.groups.values();
        let mut places = Vec::new();
        near(self.kernel, query, values, k, &mut places);
        hits.extend(places.into_iter().map(|place| (query.hamming_distance(values[place as usize]), place)));
    }

    /// Compares the query with the fingerprints that agree with it in the first blocks of one table.
    pub(super) fn probe(&self, table: usize, query: B, k: u32, hits: &mut Vec<Hit>) {
        let permutation = self.tables[table].permutation();
        let permuted = permutation.apply(query);
        let mut places = Vec::new();
        self.tables[table].visit_candidates(permuted, |candidates| {
            near(self.kernel, permuted, candidates, k, &mut places);
            for place in places.drain(..) {
                let difference = permutation.invert(permuted ^ candidates[place as usize]);
                if self.reports(table, difference) {
                    let group = self.groups.find(query ^ difference).expect("tables hold the groups' values");
                    hits.push((difference.count_ones(), group as u32));
                }
            }
        });
    }

    /// True if this table is the first that finds a fingerprint with this xor: the table's chosen blocks are the
    /// first blocks that agree. So no fingerprint is reported twice.
    fn reports(&self, table: usize, difference: B) -> bool {
        let agrees = |block: &usize| difference & self.block_masks[*block] == B::ZERO;
        let choice = &self.choices[table];
        (0..self.block_masks.len()).filter(agrees).take(choice.len()).eq(choice.iter().copied())
    }

    /// All pairs at most `k` bits apart, each once, sorted by (a, b). `k` may be any number from 0 to f, whatever the
    /// `max_distance` of the index is: see [`FingerprintGroups::all_pairs`].
    pub fn all_pairs(&self, k: u32) -> Result<Vec<Pair>> {
        self.groups.all_pairs(k)
    }
}
