//! How often values agree by chance, counted on value pairs.
//!
//! Pairs that agree a lot are rare among pairs drawn at random, so chance is counted in two parts:
//!
//! - *Near pairs*, whose three-letter shingles have a Jaccard similarity of at least [`NEAR`], are listed by min-hashes of
//!   the distinct values. A pair of similarity j is listed with a known probability, and counts for one over it (Horvitz and
//!   Thompson).
//! - *Others* are counted on record pairs drawn at random.
//!
//! Each value counts as often as entities have it, and two values of one entity are no chance. Both parts are unbiased, and
//! comparing is done once: only the counts change from pass to pass. If two tables are linked, chance is counted within each of
//! them while matches are unknown: there no two records match, or few.

use crate::bands::{Compared, Pair, Rows, Side};
use crate::column::{Column, MISSING, ValueId};
use crate::compare::{self, NO_LEVEL, jaccard_of};
use crate::model::{Fitted, Levels};
use crate::strings::Scratch;
use crate::threads::{Stopped, Work};
use lookalike::hashing::{SplitMix64, mix64};

/// Pairs drawn at random.
const RANDOM: usize = 60_000;

/// The least Jaccard similarity of near pairs.
const NEAR: f64 = 0.1;

/// Min-hashes of each value.
const HASHES: u64 = 12;

/// Of more values than this, a share of the min-hashes is looked at.
const LISTED: usize = 8_000;

/// Values with one min-hash, at the most; of more, so many are drawn.
const MOST_IN_BLOCK: usize = 40;

/// The same for a field of which a share of the min-hashes is looked at: it has enough blocks.
const MOST_IN_SAMPLED: usize = 16;

/// A field of so few values is counted pair by pair.
const FEW: usize = 300;

/// Pairs of records that share a value, for each field.
const SHARING: usize = 4_000;

/// A pair of values, its level, and for how many it stands.
struct Near {
    a: ValueId,
    b: ValueId,
    level: u8,
    stands_for: f64,
}

/// What does not change from pass to pass.
pub(crate) struct Chance {
    near: Vec<Vec<Near>>,
    /// By field: true if all pairs of values are listed.
    is_whole: Vec<bool>,
    random: Vec<Pair>,
    levels: Levels,
    /// By random pair and field: true if its values differ and are near.
    is_near: Vec<bool>,
    /// By field: pairs of records that share its value, and the levels of all fields.
    sharing: Vec<(Vec<Pair>, Levels)>,
    sides: Vec<Side>,
    compared: Compared,
}

/// On which pairs of linked tables chance is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Where {
    /// Within each table: while it is not known which records match, and where one field is all there is.
    Within,
    /// On pairs of records of different tables, but for matches: values may be written in other ways in the other table.
    Compared,
}

/// What entities say about chance.
pub(crate) struct Counted {
    /// By field and level: how often pairs that do not match are in it.
    pub(crate) others: Vec<Vec<f64>>,
    /// By field and value: how many entities have it.
    pub(crate) entities: Vec<Vec<u32>>,
    /// By field: how many entities have a value.
    pub(crate) known: Vec<f64>,
    /// By field: the part of an entity that stands for those that were not seen to share a value.
    pub(crate) unseen: Vec<f64>,
    /// By field that agrees, other field and level: how much more often the other one is in that level than by chance alone,
    /// as a logarithm. It is negative for levels that are less frequent then.
    pub(crate) overlaps: Vec<Vec<Vec<f64>>>,
}

impl Chance {
    pub(crate) fn new(
        columns: &[Column],
        rows: &Rows<'_>,
        sides: &[Side],
        compared: Compared,
        work: Work<'_>,
    ) -> Result<Self, Stopped> {
        let random = rows.random(RANDOM);
        let levels = Levels::of(columns, &random, work)?;
        let fields = work.each(columns.len(), |at| {
            let (near, is_whole) = near(&columns[at], at as u64, work)?;
            let pairs = sharing(&columns[at], sides, compared, at as u64);
            let levels = Levels::of(columns, &pairs, work.alone())?;
            Ok((near, is_whole, (pairs, levels)))
        })?;
        let mut is_near = vec![false; random.len() * columns.len()];
        let mut scratch = Scratch::default();
        for (at, column) in columns.iter().enumerate().filter(|(at, _)| !fields[*at].1) {
            for (pair, &(a, b)) in random.iter().enumerate() {
                work.go_on_at(pair)?;
                if !matches!(levels.at(pair)[at], 0 | NO_LEVEL) {
                    let (a, b) = (column.of[a as usize], column.of[b as usize]);
                    is_near[pair * columns.len() + at] = jaccard_of(column, a, b, &mut scratch) >= NEAR;
                }
            }
        }
        let (mut near, mut is_whole, mut sharing) = (Vec::new(), Vec::new(), Vec::new());
        for field in fields {
            near.push(field.0);
            is_whole.push(field.1);
            sharing.push(field.2);
        }
        Ok(Self { near, is_whole, random, levels, is_near, sharing, sides: sides.to_vec(), compared })
    }

    /// Counts chance, where `entity` says of each record which entity it describes. A model says which of the pairs that
    /// share a value look like matches, so that these do not count as overlaps; without one there are no overlaps.
    pub(crate) fn count(
        &self,
        columns: &[Column],
        entity: &[u32],
        where_: Where,
        fitted: Option<&Fitted<'_>>,
        work: Work<'_>,
    ) -> Result<Counted, Stopped> {
        let mut counted = Counted {
            others: Vec::new(),
            entities: Vec::new(),
            known: Vec::new(),
            unseen: Vec::new(),
            overlaps: Vec::new(),
        };
        let mut order: Vec<u32> = (0..entity.len() as u32).collect();
        order.sort_by_key(|&record| (entity[record as usize], record));
        for (at, column) in columns.iter().enumerate() {
            work.go_on()?;
            self.count_field(at, column, columns.len(), (entity, &order, where_), &mut counted);
        }
        for at in 0..columns.len() {
            work.go_on()?;
            let overlaps = match fitted {
                Some(fitted) => self.overlaps(columns, at, entity, &counted, fitted),
                None => counted.others.iter().map(|levels| vec![0.0; levels.len()]).collect(),
            };
            counted.overlaps.push(overlaps);
        }
        Ok(counted)
    }

    fn count_field(
        &self,
        at: usize,
        column: &Column,
        fields: usize,
        (entity, order, where_): (&[u32], &[u32], Where),
        counted: &mut Counted,
    ) {
        const NOBODY: u32 = u32::MAX;
        let within = self.compared == Compared::Across && where_ == Where::Within;
        let across = self.compared == Compared::Across && where_ == Where::Compared;
        let values = column.len();
        // By value: how many entities have it, on either side and in all, and the only one that does.
        let (mut of_sides, mut all) = ([vec![0u32; values], vec![0u32; values]], vec![0u32; values]);
        let (mut owner, mut both) = (vec![NOBODY; values], 0.0);
        let (mut known, mut known_of) = (0.0, [0.0f64; 2]);
        let mut here: Vec<(ValueId, Side)> = Vec::new();
        for group in order.chunk_by(|&a, &b| entity[a as usize] == entity[b as usize]) {
            here.clear();
            here.extend(
                group.iter().map(|&record| (column.of[record as usize], self.sides[record as usize])),
            );
            here.retain(|(value, _)| *value != MISSING);
            here.sort_unstable();
            here.dedup();
            known += f64::from(u8::from(!here.is_empty()));
            for (side, known) in known_of.iter_mut().enumerate() {
                *known += f64::from(u8::from(here.iter().any(|(_, of)| usize::from(*of) == side)));
            }
            for same in here.chunk_by(|a, b| a.0 == b.0) {
                let value = same[0].0 as usize;
                all[value] += 1;
                owner[value] = if all[value] == 1 { entity[group[0] as usize] } else { NOBODY };
                both += f64::from(u8::from(same.len() > 1));
                same.iter().for_each(|(_, side)| of_sides[usize::from(*side)][value] += 1);
            }
        }
        let pairs_of = |count: f64| count * (count - 1.0) / 2.0;
        let total = match () {
            () if within => pairs_of(known_of[0]) + pairs_of(known_of[1]),
            () if across => known_of[0] * known_of[1],
            () => pairs_of(known),
        };
        let total = total.max(1.0);
        let levels = compare::thresholds(column.kind).len() + 2;
        let mut counts = vec![0.0; levels];
        let product = |a: usize, b: usize, one: usize, other: usize| {
            f64::from(of_sides[one][a]) * f64::from(of_sides[other][b])
        };
        counts[0] = match () {
            () if within => of_sides.iter().flatten().map(|&e| pairs_of(f64::from(e))).sum::<f64>(),
            () if across => (0..values).map(|x| product(x, x, 0, 1)).sum::<f64>() - both,
            () => all.iter().map(|&e| pairs_of(f64::from(e))).sum::<f64>(),
        };
        for near in &self.near[at] {
            let (a, b) = (near.a as usize, near.b as usize);
            let is_one = owner[a] != NOBODY && owner[a] == owner[b];
            let pairs = match () {
                () if within => product(a, b, 0, 0) + product(a, b, 1, 1),
                () if across => product(a, b, 0, 1) + product(a, b, 1, 0),
                () => f64::from(all[a]) * f64::from(all[b]),
            };
            if within || !is_one {
                counts[usize::from(near.level)] += pairs * near.stands_for;
            }
        }
        if !self.is_whole[at] {
            let (mut others, mut drawn) = (vec![0.0; levels], 0.0f64);
            for (pair, &(a, b)) in self.random.iter().enumerate() {
                let level = self.levels.at(pair)[at];
                if level == NO_LEVEL || entity[a as usize] == entity[b as usize] {
                    continue;
                }
                drawn += 1.0;
                if level > 0 && !self.is_near[pair * fields + at] {
                    others[usize::from(level)] += 1.0;
                }
            }
            for (count, other) in counts.iter_mut().zip(others) {
                *count += other * total / drawn.max(1.0);
            }
        }
        // Half a pair stands for what was not seen.
        let sum: f64 = counts.iter().map(|count| count.max(0.0) + 0.5).sum();
        counted.others.push(counts.iter().map(|count| (count.max(0.0) + 0.5) / sum).collect());
        let shared: f64 = all.iter().filter(|&&e| e > 1).map(|&e| f64::from(e)).sum();
        counted.unseen.push((shared + 0.5) / (known + 1.0));
        counted.known.push(known.max(2.0));
        if self.compared == Compared::Across {
            // What both tables have may be one entity that was not recognised.
            for (value, all) in all.iter_mut().enumerate() {
                *all = (*all).min(of_sides[0][value].max(of_sides[1][value]));
            }
        }
        counted.entities.push(all);
    }

    /// What the agreement of a field says about the levels of the others, beyond chance.
    fn overlaps(
        &self,
        columns: &[Column],
        at: usize,
        entity: &[u32],
        counted: &Counted,
        fitted: &Fitted<'_>,
    ) -> Vec<Vec<f64>> {
        let (pairs, levels) = &self.sharing[at];
        let mut buffer = Vec::new();
        let others = &counted.others;
        let mut counts: Vec<Vec<f64>> = others.iter().map(|levels| vec![0.0; levels.len()]).collect();
        for (pair, &(a, b)) in pairs.iter().enumerate() {
            if entity[a as usize] == entity[b as usize] {
                continue;
            }
            // Of linked tables, the pairs are of one table, where there are no matches, or few.
            let is_other = match self.compared {
                Compared::Across => 1.0,
                _ => 1.0 - fitted.probability(columns, (a, b), levels.at(pair), &mut buffer),
            };
            for (counts, &level) in counts.iter_mut().zip(levels.at(pair)) {
                if level != NO_LEVEL {
                    counts[usize::from(level)] += is_other;
                }
            }
        }
        let overlap = |(other, counts): (usize, &Vec<f64>)| -> Vec<f64> {
            if other == at {
                return vec![0.0; counts.len()];
            }
            let seen: f64 = counts.iter().sum();
            let (mut together, mut chance, mut before) = (0.0, 0.0, 0.0f64);
            let of_level = |level: usize| {
                // Up to this level. A few pairs say nothing: they may be matches that were not seen.
                together += counts[level];
                chance += others[other][level];
                let least = (together - 2.0 * together.sqrt() - 2.0) / (seen + 1.0);
                let up_to = least.max(chance).max(before).min(1.0);
                let here = (up_to - before).max(1e-9);
                before = up_to;
                (here / others[other][level]).ln()
            };
            (0..counts.len()).map(of_level).collect()
        };
        counts.iter().enumerate().map(overlap).collect()
    }
}

/// The near pairs of different values, and whether these are all pairs.
fn near(column: &Column, salt: u64, work: Work<'_>) -> Result<(Vec<Near>, bool), Stopped> {
    let mut scratch = Scratch::default();
    let count = column.len();
    let mut found = Vec::new();
    if count <= FEW {
        for a in 0..count as u32 {
            for b in a + 1..count as u32 {
                let level = compare::level(column, a, b, &mut scratch);
                found.push(Near { a, b, level, stands_for: 1.0 });
            }
        }
        return Ok((found, true));
    }
    let of = count.div_ceil(LISTED) as u64;
    let seeds: Vec<u64> = (0..HASHES).map(|hash| mix64(salt << 32 | hash)).collect();
    let mut by_hash: Vec<Vec<(u64, u32)>> = vec![Vec::new(); seeds.len()];
    let mut buffer = Vec::new();
    for value in 0..count as u32 {
        work.go_on_at(value as usize)?;
        let grams = column.grams(value, &mut buffer);
        for (seed, keys) in seeds.iter().zip(&mut by_hash) {
            let least = grams.iter().map(|&gram| mix64(u64::from(gram) ^ seed)).min();
            keys.extend(least.filter(|key| mix64(*key).is_multiple_of(of)).map(|key| (key, value)));
        }
    }
    let mut listed: Vec<(u64, u64)> = Vec::new();
    for mut keys in by_hash {
        work.go_on()?;
        keys.sort_unstable();
        for block in keys.chunk_by(|a, b| a.0 == b.0) {
            // Of a large block, some values are drawn.
            let step = block.len().div_ceil(if of == 1 { MOST_IN_BLOCK } else { MOST_IN_SAMPLED });
            let first = (mix64(block[0].0) % step as u64) as usize;
            let drawn: Vec<u32> = block.iter().skip(first).step_by(step).map(|(_, value)| *value).collect();
            for (at, &a) in drawn.iter().enumerate() {
                for &b in &drawn[at + 1..] {
                    listed.push((u64::from(a) << 32 | u64::from(b), (step * step) as u64));
                }
            }
        }
    }
    listed.sort_unstable();
    for (step, same) in listed.chunk_by(|a, b| a.0 == b.0).enumerate() {
        work.go_on_at(step)?;
        let (a, b) = ((same[0].0 >> 32) as u32, same[0].0 as u32);
        let similar = jaccard_of(column, a, b, &mut scratch);
        if similar < NEAR {
            continue;
        }
        // It is expected in so many blocks, if none is large; a large one of which every nth value was drawn stands for n times n.
        let expected = HASHES as f64 * similar / of as f64;
        let seen: f64 = same.iter().map(|(_, step)| *step as f64).sum();
        let level = compare::level(column, a, b, &mut scratch);
        found.push(Near { a, b, level, stands_for: seen / expected });
    }
    Ok((found, false))
}

/// Pairs of records that share the value of a field; of linked tables, those within one table.
fn sharing(column: &Column, sides: &[Side], compared: Compared, salt: u64) -> Vec<Pair> {
    let mut by_value: Vec<(ValueId, u32)> = column
        .of
        .iter()
        .zip(0u32..)
        .filter(|(value, _)| **value != MISSING)
        .map(|(value, record)| (*value, record))
        .collect();
    by_value.sort_unstable();
    let blocks: Vec<&[(ValueId, u32)]> =
        by_value.chunk_by(|a, b| a.0 == b.0).filter(|block| block.len() > 1).collect();
    let mut ends: Vec<f64> = Vec::with_capacity(blocks.len());
    let mut all = 0.0;
    for block in &blocks {
        all += block.len() as f64 * (block.len() as f64 - 1.0) / 2.0;
        ends.push(all);
    }
    let mut pairs: Vec<Pair> = Vec::new();
    if all <= SHARING as f64 {
        for block in &blocks {
            for (at, &(_, a)) in block.iter().enumerate() {
                pairs.extend(block[at + 1..].iter().map(|&(_, b)| (a, b)));
            }
        }
    } else {
        let mut random = SplitMix64::new(mix64(salt ^ 0x5eed));
        while pairs.len() < SHARING {
            let at = ends.partition_point(|end| *end <= random.next_f64() * all).min(blocks.len() - 1);
            let block = blocks[at];
            let mut of = || block[random.below(block.len() as u64) as usize].1;
            let (a, b) = (of(), of());
            if a != b {
                pairs.push((a.min(b), a.max(b)));
            }
        }
    }
    if compared == Compared::Across {
        pairs.retain(|&(a, b)| sides[a as usize] == sides[b as usize]);
    }
    pairs
}
