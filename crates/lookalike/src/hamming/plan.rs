//! Number of fingerprints, bits and distance -> the numbers of blocks and tables, and their cost.

use std::ops::RangeInclusive;

use super::compressed::BLOCK;
use super::directory::directory_bits;
use super::permutation::even_widths;
use crate::error::{Error, Result};
use crate::math::{exp2, log2};

/// The cost of a probe of a table before its first comparison (reads that miss the cache). The unit is a comparison.
const PROBE_COST: f64 = 200.0;
/// The largest number of tables. More are never useful, because each table is a copy of all fingerprints.
const MOST_TABLES: usize = 4096;

/// How the tables are stored. It changes memory and speed, not the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TableStorage {
    /// Fingerprints are stored uncompressed, which is the fastest to probe.
    #[default]
    Plain,
    /// Fingerprints are delta-coded and take about f - log2(n) + 4 bits each in place of f. A probe decodes at least
    /// one block of 128 fingerprints.
    Compressed,
}

/// The number of blocks into which the bits are cut. It changes memory and speed, not the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Blocks {
    /// The number that makes a query cheapest within the limits. It may be 0, which means a scan without tables.
    #[default]
    Auto,
    /// Exactly this many blocks: more than the distance k and at most f.
    Exactly(usize),
}

/// How to build a [`HammingIndex`](super::HammingIndex).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HammingConfig {
    /// The largest distance k that a query may ask for, 0 to f. It changes the answer.
    pub max_distance: u32,
    /// How the tables are stored. It changes memory and speed only.
    pub storage: TableStorage,
    /// The number of blocks. It changes memory and speed only.
    pub blocks: Blocks,
    /// The largest number of tables a plan may have, at most 4096. It changes memory and speed only.
    pub max_tables: usize,
    /// The largest number of bytes that all tables together may take, by the plan's estimate. It changes memory and
    /// speed only: under a small limit there are fewer tables, and under a very small one there is none.
    pub max_bytes: Option<u64>,
}

impl Default for HammingConfig {
    /// Distance 3 (which the paper found right for 64 bits and 8 billion pages) and at most 64 plain tables.
    fn default() -> Self {
        Self {
            max_distance: 3,
            storage: TableStorage::Plain,
            blocks: Blocks::Auto,
            max_tables: 64,
            max_bytes: None,
        }
    }
}

impl HammingConfig {
    /// The same settings with this largest distance.
    #[must_use]
    pub const fn with_max_distance(self, max_distance: u32) -> Self {
        Self { max_distance, ..self }
    }

    /// The same settings with this storage of the tables.
    #[must_use]
    pub const fn with_storage(self, storage: TableStorage) -> Self {
        Self { storage, ..self }
    }

    /// The same settings with this number of blocks.
    #[must_use]
    pub const fn with_blocks(self, blocks: Blocks) -> Self {
        Self { blocks, ..self }
    }

    /// The same settings with this largest number of tables.
    #[must_use]
    pub const fn with_max_tables(self, max_tables: usize) -> Self {
        Self { max_tables, ..self }
    }

    /// The same settings with this limit on the bytes of all tables, or without a limit.
    #[must_use]
    pub const fn with_max_bytes(self, max_bytes: Option<u64>) -> Self {
        Self { max_bytes, ..self }
    }
}

/// The structure and the cost of an index. Costs are expectations for random fingerprints.
///
/// Cut f bits into m > k blocks. Two fingerprints that differ in at most k bits differ in at most k blocks, so
/// they agree in some m - k blocks. One table for each of the C(m, k) choices of m - k blocks finds every pair.
/// The p bits of the chosen blocks come first in their table, and about n / 2^p random fingerprints agree with
/// a query in them by chance. More blocks give more tables (memory, probes) and a longer prefix (fewer candidates).
///
/// ```
/// use lookalike::hamming::{Blocks, HammingConfig, Plan};
///
/// // The paper's and the notes' example: 8 billion fingerprints, distance 3, ten tables.
/// let config = HammingConfig::default().with_blocks(Blocks::Exactly(5));
/// let plan = Plan::new(1 << 34, 64, &config)?;
/// assert_eq!(plan.block_widths(), [13, 13, 13, 13, 12]);
/// assert_eq!(plan.tables(), 10);
/// assert_eq!(plan.prefix_bits(), 25..=26);
/// assert_eq!(plan.candidates_per_probe(), 512.0);
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    fingerprints: u64,
    bits: u32,
    max_distance: u32,
    widths: Vec<u32>,
    tables: usize,
}

impl Plan {
    /// The plan for `fingerprints` fingerprints of `bits` bits (16, 32, 64 or 128) and this configuration.
    pub fn new(fingerprints: u64, bits: u32, config: &HammingConfig) -> Result<Self> {
        let k = config.max_distance;
        if ![16, 32, 64, 128].contains(&bits) {
            return Err(Error::invalid("bits", bits, "a fingerprint has 16, 32, 64 or 128 bits"));
        }
        if k > bits {
            return Err(Error::invalid("max_distance", k, format!("0 to the number of bits, {bits}")));
        }
        if config.max_tables > MOST_TABLES {
            return Err(Error::invalid("max_tables", config.max_tables, format!("at most {MOST_TABLES}")));
        }
        match config.blocks {
            Blocks::Exactly(blocks) => Self::with_blocks(fingerprints, bits, k, blocks, config),
            Blocks::Auto => Ok(Self::cheapest(fingerprints, bits, k, config)),
        }
    }

    fn with_blocks(n: u64, bits: u32, k: u32, blocks: usize, config: &HammingConfig) -> Result<Self> {
        if blocks <= k as usize || blocks > bits as usize {
            let allowed = format!("more than the distance {k} and at most the number of bits, {bits}");
            return Err(Error::invalid("blocks", blocks, allowed));
        }
        let plan = Self::of_blocks(n, bits, k, blocks).filter(|plan| plan.tables <= config.max_tables);
        let Some(plan) = plan else {
            let allowed =
                format!("few enough for max_tables = {} tables of C(blocks, {k})", config.max_tables);
            return Err(Error::invalid("blocks", blocks, allowed));
        };
        if !plan.fits(config) {
            let allowed = format!("at least the {} bytes of the tables", plan.bytes(config.storage));
            return Err(Error::invalid("max_bytes", config.max_bytes.unwrap_or(0), allowed));
        }
        Ok(plan)
    }

    fn cheapest(n: u64, bits: u32, k: u32, config: &HammingConfig) -> Self {
        let scan = Self { fingerprints: n, bits, max_distance: k, widths: Vec::new(), tables: 0 };
        (k as usize + 1..=bits as usize)
            .map_while(|blocks| Self::of_blocks(n, bits, k, blocks).filter(|p| p.tables <= config.max_tables))
            .filter(|plan| plan.fits(config))
            .fold(scan, |best, plan| if plan.cost() < best.cost() { plan } else { best })
    }

    /// The plan with this number of blocks; `None` if there would be too many tables to count.
    fn of_blocks(n: u64, bits: u32, k: u32, blocks: usize) -> Option<Self> {
        let tables = usize::try_from(binomial(blocks as u32, k)?).ok()?;
        let widths = even_widths(bits, blocks);
        Some(Self { fingerprints: n, bits, max_distance: k, widths, tables })
    }

    fn fits(&self, config: &HammingConfig) -> bool {
        config.max_bytes.is_none_or(|limit| self.bytes(config.storage) <= limit)
    }

    /// The cost of a query, in comparisons.
    fn cost(&self) -> f64 {
        self.tables as f64 * PROBE_COST + self.candidates_per_query()
    }

    /// The number of fingerprints, n.
    #[must_use]
    pub fn fingerprints(&self) -> u64 {
        self.fingerprints
    }

    /// The largest distance, k.
    #[must_use]
    pub fn max_distance(&self) -> u32 {
        self.max_distance
    }

    /// The widths of the blocks, the most significant block first; empty for a scan without tables.
    #[must_use]
    pub fn block_widths(&self) -> &[u32] {
        &self.widths
    }

    /// The number of chosen blocks, which come first in each table: all blocks except k.
    #[must_use]
    pub fn blocks_per_table(&self) -> usize {
        self.widths.len().saturating_sub(self.max_distance as usize)
    }

    /// The number of tables, t, which is also the number of probes of a query. 0 means a scan of all fingerprints.
    #[must_use]
    pub fn tables(&self) -> usize {
        self.tables
    }

    /// The smallest and the largest number of prefix bits, p, over all tables.
    #[must_use]
    pub fn prefix_bits(&self) -> RangeInclusive<u32> {
        let chosen = self.blocks_per_table();
        // Wide blocks come first.
        let most = self.widths.iter().take(chosen).sum();
        let least = self.widths.iter().rev().take(chosen).sum();
        least..=most
    }

    /// The number of fingerprints that a probe of the worst table retrieves: n / 2^p.
    #[must_use]
    pub fn candidates_per_probe(&self) -> f64 {
        self.fingerprints as f64 / exp2(*self.prefix_bits().start())
    }

    /// The number of fingerprints that a query compares: the sum of n / 2^p over all tables, or n for a scan.
    #[must_use]
    pub fn candidates_per_query(&self) -> f64 {
        if self.tables == 0 {
            return self.fingerprints as f64;
        }
        // Blocks come in two widths: count the tables by how many wide blocks they choose.
        let wide = self.bits % self.widths.len() as u32;
        let narrow = self.widths.len() as u32 - wide;
        let chosen = self.blocks_per_table() as u32;
        let narrow_bits = self.bits / self.widths.len() as u32;
        (0..=wide.min(chosen))
            .filter_map(|of_wide| {
                let tables = binomial(wide, of_wide)? as f64 * binomial(narrow, chosen - of_wide)? as f64;
                let prefix = chosen * narrow_bits + of_wide;
                Some(tables * self.fingerprints as f64 / exp2(prefix))
            })
            .sum()
    }

    /// The number of bytes of all tables in this storage, directories included. It is exact for plain tables.
    #[must_use]
    pub fn bytes(&self, storage: TableStorage) -> u64 {
        let n = self.fingerprints as f64;
        let f = f64::from(self.bits);
        let slots = |entries: u64, bits: u32| {
            let entries = usize::try_from(entries).unwrap_or(usize::MAX);
            4.0 * (exp2(directory_bits(entries, bits)) + 1.0)
        };
        let table = match storage {
            TableStorage::Plain => n * f / 8.0 + slots(self.fingerprints, *self.prefix_bits().end()),
            TableStorage::Compressed => {
                let each = (f - log2(n.max(2.0)) + 3.0).max(3.0);
                let blocks = self.fingerprints.div_ceil(BLOCK as u64);
                let key_and_start = f / 8.0 + 8.0;
                n * each / 8.0 + blocks as f64 * key_and_start + slots(blocks, self.bits)
            }
        };
        (self.tables as f64 * table) as u64
    }

    /// The chosen blocks of each table, in the order of the tables: all choices, ascending.
    pub(super) fn choices(&self) -> Vec<Vec<usize>> {
        let (blocks, chosen) = (self.widths.len(), self.blocks_per_table());
        if self.tables == 0 {
            return Vec::new();
        }
        let mut choices = Vec::with_capacity(self.tables);
        let mut choice: Vec<usize> = (0..chosen).collect();
        loop {
            choices.push(choice.clone());
            // The last block that can still move up moves up by one, and the blocks after it follow directly.
            let Some(moving) = (0..chosen).rev().find(|&i| choice[i] < blocks - chosen + i) else {
                return choices;
            };
            let next = choice[moving] + 1;
            for (place, block) in (moving..chosen).zip(next..) {
                choice[place] = block;
            }
        }
    }
}

/// The number of fingerprints of `bits` bits at exactly this distance from a given one, C(f, d). A single sorted
/// table would need this many probes to look up every one of them. `None` beyond 2^128.
///
/// ```
/// assert_eq!(lookalike::hamming::neighbours_at(64, 3), Some(41_664));
/// ```
#[must_use]
pub fn neighbours_at(bits: u32, distance: u32) -> Option<u128> {
    binomial(bits, distance)
}

fn binomial(n: u32, k: u32) -> Option<u128> {
    if k > n {
        return Some(0);
    }
    (0..k.min(n - k)).try_fold(1u128, |c, i| Some(c.checked_mul(u128::from(n - i))? / u128::from(i + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exactly(blocks: usize, k: u32) -> HammingConfig {
        HammingConfig {
            max_distance: k,
            blocks: Blocks::Exactly(blocks),
            max_tables: 4096,
            ..HammingConfig::default()
        }
    }

    /// The designs of the paper for 2^34 fingerprints of 64 bits at distance 3. (Its nested design with 16 tables is
    /// not offered.) The second one is also in the lecture notes (003).
    #[test]
    fn the_designs_of_the_paper() {
        for (blocks, tables, prefix, candidates) in
            [(6, 20, 31..=33, 8.0), (5, 10, 25..=26, 512.0), (4, 4, 16..=16, 262_144.0)]
        {
            let plan = Plan::new(1 << 34, 64, &exactly(blocks, 3)).unwrap();
            assert_eq!(plan.tables(), tables);
            assert_eq!(plan.prefix_bits(), prefix);
            assert_eq!(plan.candidates_per_probe(), candidates);
            assert_eq!(plan.choices().len(), tables);
        }
        assert_eq!(neighbours_at(64, 3), Some(41_664));
    }

    #[test]
    fn limits_choose_the_design() {
        let with = |max_tables, max_bytes| {
            let config = HammingConfig { max_tables, max_bytes, ..HammingConfig::default() };
            Plan::new(1 << 34, 64, &config).unwrap().tables()
        };
        assert_eq!(with(64, None), 20);
        assert_eq!(with(19, None), 10);
        assert_eq!(with(9, None), 4);
        assert_eq!(with(3, None), 0);
        assert_eq!(with(64, Some(1 << 40)), 4);
        assert_eq!(with(64, Some(1 << 41)), 10);
        assert_eq!(with(64, Some(0)), 0);
    }

    #[test]
    fn few_fingerprints_or_a_large_distance_are_scanned() {
        let tables = |n, k| {
            let config = HammingConfig { max_distance: k, ..HammingConfig::default() };
            Plan::new(n, 64, &config).unwrap().tables()
        };
        assert_eq!(tables(0, 3), 0);
        assert_eq!(tables(500, 3), 0);
        assert_eq!(tables(10_000_000, 3), 4);
        assert_eq!(tables(10_000_000, 0), 1);
        assert_eq!(tables(10_000_000, 30), 0);
        assert_eq!(tables(10_000_000, 64), 0);
    }

    #[test]
    fn candidates_per_query_is_the_sum_over_the_choices() {
        for (bits, blocks, k) in [(64, 5, 3), (64, 7, 2), (16, 5, 4), (128, 6, 3), (32, 1, 0)] {
            let plan = Plan::new(1_000_000, bits, &exactly(blocks, k)).unwrap();
            let choices = plan.choices();
            assert_eq!(choices.len(), plan.tables());
            assert!(choices.is_sorted() && choices.windows(2).all(|w| w[0] != w[1]));
            let sum: f64 = choices
                .iter()
                .map(|c| 1e6 / f64::from(c.iter().map(|&b| plan.block_widths()[b]).sum::<u32>()).exp2())
                .sum();
            assert!((sum - plan.candidates_per_query()).abs() < 1e-6 * sum);
        }
    }

    #[test]
    fn impossible_plans_are_errors() {
        let plan = |n, bits, config: HammingConfig| Plan::new(n, bits, &config);
        assert!(plan(10, 63, HammingConfig::default()).is_err());
        assert!(plan(10, 16, HammingConfig { max_distance: 17, ..Default::default() }).is_err());
        assert!(plan(10, 64, exactly(3, 3)).is_err());
        assert!(plan(10, 64, exactly(65, 3)).is_err());
        assert!(plan(10, 128, exactly(128, 64)).is_err());
        assert!(plan(10, 64, HammingConfig { max_tables: 9, ..exactly(5, 3) }).is_err());
        assert!(plan(10, 64, HammingConfig { max_tables: 5000, ..Default::default() }).is_err());
        assert!(plan(1 << 20, 64, HammingConfig { max_bytes: Some(1000), ..exactly(5, 3) }).is_err());
    }

    #[test]
    fn binomials() {
        assert_eq!(binomial(5, 2), Some(10));
        assert_eq!(binomial(5, 6), Some(0));
        assert_eq!(binomial(0, 0), Some(1));
        assert_eq!(binomial(120, 60), Some(96_614_908_840_363_322_603_893_139_521_372_656));
    }
}
