//! A table -> its matches.

use crate::bands::{Band, Chosen, Compared, MOST_RECORDS, Pair, Rows};
use crate::candidates::Candidates;
use crate::chance::{Chance, Where};
use crate::column::Column;
use crate::contradiction;
use crate::equal;
use crate::explained::{self, Explained};
use crate::fields::columns;
use crate::kind::Kind;
use crate::learning::Learning;
use crate::memory;
use crate::misplaced;
use crate::model::{Field, Fitted, LEARNT_FROM, Levels, Model, Partners, Sample, probability, sampled};
use crate::options::{OneTo, Options};
use crate::order::Order;
use crate::partners::{best_partners, has_copies, has_several};
use crate::recall;
use crate::refined::{Judgement, Refined};
use crate::rivals::{self, Said};
use crate::rule::{self, by_rule};
use crate::seen::{self, Near, Seen, WeightBin};
use crate::spill::Room;
use crate::table::Table;
use crate::threads::{Stopped, Work};
use crate::together::FewValues;
use lookalike::hashing::mix64;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

/// Pairs that look like matches by which bands are chosen, at the most.
const ALIKE: usize = 6_000;

/// Pairs for each record that bands may cost.
const MOST_COST: f64 = 30.0;

/// How often entities are found and chance is counted anew.
const PASSES: usize = 3;

/// Tables with so few pairs are compared pair by pair.
const FEW_PAIRS: f64 = 20_000.0;

/// Fewer records than this teach nothing.
const LEAST_RECORDS: usize = 30;

/// If a match says less than this in all, the log of how much likelier it makes a match, it cannot be told from others.
const LEAST_SAID: f64 = 3.0;

/// Two records that match.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Match {
    /// The record that comes first.
    pub a: usize,
    /// The other one.
    pub b: usize,
    /// The probability that they describe the same entity; 1 if they were labelled a match.
    pub probability: f64,
    /// The log odds: what all fields say, and the prior. Of a pair that was labelled, these are the log odds without its
    /// label, and `probability` is not theirs.
    pub weight: f64,
    /// What each field says, less what other fields have said already.
    pub weights: Vec<f64>,
}

/// A pair that a person has judged, and its log odds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Judged {
    /// The record that comes first.
    pub a: usize,
    /// The other one.
    pub b: usize,
    /// Its log odds as they would be without labels.
    pub before: f64,
    /// Its log odds with the labels.
    pub after: f64,
    /// What the person said.
    pub is_match: bool,
}

/// A band, and what it does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BandFigures {
    /// The band.
    pub band: Band,
    /// The share of the likely matches that it finds.
    pub finds: f64,
    /// The pairs that it costs for each record.
    pub cost: f64,
}

/// What was found. Its matches and what was explained are not written with the rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Linked {
    /// The matches, by their records.
    #[serde(skip)]
    pub matches: Vec<Match>,
    /// What was learnt.
    pub model: Model,
    /// The rule that was used where nothing could be learnt.
    pub rule: Option<String>,
    /// Fields that were not compared, and why.
    pub fields_left_out: Vec<(String, String)>,
    /// The bands.
    pub bands: Vec<BandFigures>,
    /// The share of the likely matches that the plan finds.
    pub planned: f64,
    /// How many pairs were compared.
    pub compared: usize,
    /// Records in blocks that are too large to be compared, summed over bands.
    pub left_out: u64,
    /// The estimated share of the matches that was found, and its standard error; none if it cannot be told.
    pub recall: Option<(f64, f64)>,
    /// The least probability of a match.
    pub threshold: f64,
    /// How far labels have shifted all log odds, beside the factors of fields; 0 without labels.
    pub shift: f64,
    /// True if two tables were linked that have no copies of their own, and records may have several partners.
    pub proposes_one_to_one: bool,
    /// The two records that should be explained.
    #[serde(skip)]
    pub explained: Option<Explained>,
    /// The log odds of the pairs for which they were asked, in the order of the questions, and what each field says.
    pub weighed: Vec<(f64, Vec<f64>)>,
    /// The compared pairs by weight.
    pub weights: Vec<WeightBin>,
    /// Pairs next to the threshold.
    pub near: Near,
    /// Why pairs match, or do not: those next to the threshold, and those that hold clusters together; in the order of their records.
    /// Empty if nothing is shown.
    pub shown: Vec<Explained>,
    /// The pairs that a person has judged.
    pub judged: Vec<Judged>,
}

impl Linked {
    /// The names of the fields of the model, in the order of the weights of a match.
    #[must_use]
    pub fn field_names(&self) -> Vec<String> {
        self.model.fields.iter().map(|field| field.name.clone()).collect()
    }
}

/// Finds the records that describe the same entity. See also [`link_until`].
///
/// ```
/// use records::{Options, Table, link};
///
/// let mut table = Table::new(["name", "born", "town"]);
/// let names = ["anna", "berta", "carla", "dora", "emma", "frieda", "greta", "hanna", "ida", "julia"];
/// for (at, name) in names.iter().cycle().take(60).enumerate() {
///     let (surname, born) = (["berg", "holm", "lund", "dahl", "strand", "vik"][at / 10], 19_400_101 + 10_307 * at as u32);
///     table.push([&format!("{name} {surname}"), &born.to_string(), ["bergen", "oslo", "moss"][at % 3]]);
/// }
/// // A third of them once more, with a letter too many.
/// for at in (0..60).step_by(3) {
///     let (name, surname) = (names[at % 10], ["berg", "holm", "lund", "dahl", "strand", "vik"][at / 10]);
///     let born = (19_400_101 + 10_307 * at as u32).to_string();
///     table.push([&format!("{name} {surname}e"), &born, ["bergen", "oslo", "moss"][at % 3]]);
/// }
/// let linked = link(&table, &Options::default())?;
/// let expected: Vec<_> = (0..20).map(|copy| (3 * copy, 60 + copy)).collect();
/// assert_eq!(linked.matches.iter().map(|found| (found.a, found.b)).collect::<Vec<_>>(), expected);
/// # Ok::<(), records::Error>(())
/// ```
pub fn link(table: &Table, options: &Options) -> Result<Linked, Error> {
    link_until(table, options, &|| false)
}

/// The same, which ends with [`Error::Stopped`] soon after `stop` says so.
pub fn link_until(
    table: &Table,
    options: &Options,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Linked, Error> {
    link_and_show(table, options, stop, None)
}

/// Which pairs should be explained, once the matches are known.
pub(crate) type Choose<'c> = &'c dyn Fn(&[Match]) -> Vec<(usize, usize)>;

/// The same, which also explains the pairs next to the threshold, and those that are chosen.
pub(crate) fn link_and_show(
    table: &Table,
    options: &Options,
    stop: &(dyn Fn() -> bool + Sync),
    choose: Option<Choose<'_>>,
) -> Result<Linked, Error> {
    let work = Work::new(options.threads.0, stop);
    if let Some(file) = &options.model {
        let groups = table.groups_of(file.model.fields.iter().map(|field| field.name.as_str()));
        if !groups.is_empty() {
            // The kinds are those of the model; what was told of a part is not known of the joined field.
            let of_model = Options { kinds: Vec::new(), ..options.clone() };
            let of_model = beside(table, &of_model);
            return link_and_show(&table.joined(&groups, work)?, &of_model, stop, choose)
                .map_err(|error| error.beside(table, options));
        }
    }
    check(table, options)?;
    let mut room = Room::new(u64::MAX, options.memory.folder());
    match linked(table, options, work, &mut room, choose) {
        Err(Error::Stopped) => Err(room.into_failure().map_or(Error::Stopped, Error::from)),
        done => done,
    }
}

fn linked(
    table: &Table,
    options: &Options,
    work: Work<'_>,
    room: &mut Room,
    choose: Option<Choose<'_>>,
) -> Result<Linked, Error> {
    let (mut columns, mut fields_left_out) = columns(table, options, work)?;
    let is_left_out = |field: &&String| columns.iter().all(|column| column.name != **field);
    if let Some(field) = options.blocks.iter().flatten().find(is_left_out) {
        let why = fields_left_out.iter().find(|(name, _)| name == field).map(|(_, why)| why.clone());
        return Err(Error::Block { field: field.clone(), why: why.unwrap_or_else(|| "no values".into()) });
    }
    let count = table.len();
    let limit = options.memory.bytes;
    let resident = memory::resident(table, &columns, work.threads());
    let needed = resident.saturating_add(memory::least_left(count));
    if needed > limit {
        return Err(Error::Memory { needed, limit });
    }
    room.bytes = if limit == u64::MAX { limit } else { limit - resident };
    let order = Order::new(&columns, count, work)?;
    columns.iter_mut().for_each(|column| column.of = order.sorted(&column.of));
    let sides = if table.sides.is_empty() { vec![0; count] } else { order.sorted(&table.sides) };
    let numbers = order.numbers();
    let numbered = |(a, b): Pair| -> Pair {
        let (a, b) = (numbers[a as usize], numbers[b as usize]);
        (a.min(b), a.max(b))
    };
    let labels: BTreeMap<Pair, bool> =
        options.labels.iter().map(|(pair, is_match)| (numbered(*pair), *is_match)).collect();
    let compared = match (table.sides.is_empty(), options.against_only) {
        (true, _) => Compared::All,
        (false, true) => Compared::Across,
        (false, false) => Compared::NotWithinFirst,
    };
    let rows = Rows::new(&columns, sides.clone(), compared, work)?;
    // Values that stand in wrong columns; fields of which something was told stay as they are.
    if options.model.is_none() && options.kinds.is_empty() && options.blocks.is_empty() {
        let place = |at: &usize| table.fields().iter().position(|name| *name == columns[*at].name);
        let mut groups = misplaced::groups(&columns, &rows, work)?;
        groups.iter_mut().for_each(|group| *group = group.iter().filter_map(place).collect());
        if !groups.is_empty() {
            let kinds = groups
                .iter()
                .map(|group| group.iter().map(|&at| table.fields()[at].as_str()).collect::<Vec<_>>());
            let kinds: Vec<String> = kinds.map(|names| names.join(misplaced::BETWEEN)).collect();
            let mut joined = Options {
                kinds: kinds.into_iter().map(|name| (name, Kind::Text)).collect(),
                ..options.clone()
            };
            // Both tables are there.
            joined = beside(table, &joined);
            drop(rows);
            drop(columns);
            return linked(&table.joined(&groups, work)?, &joined, work, room, choose)
                .map_err(|error| error.beside(table, options));
        }
    }
    let room = &*room;
    let all_pairs = rows.all_pairs();
    let chance = Chance::new(&columns, &rows, &sides, compared, work)?;
    let few = FewValues::new(&columns, &sides, compared, work)?;
    let learning = Learning { columns: &columns, chance: &chance, few: &few, all_pairs, work };
    let given = options.model.as_ref().map(|file| &file.model);
    let mut model = match given {
        Some(model) => model.clone(),
        None => {
            let alone: Vec<u32> = (0..count as u32).collect();
            let counted = chance.count(&columns, &alone, Where::Within, None, work)?;
            let mut model = Model::assumed(&columns, &counted, count, all_pairs);
            if compared != Compared::Across {
                // Suburb and postcode agree together: without that, learning may take neighbours for matches.
                let counted = {
                    let fitted = Fitted::new(&model, &columns);
                    chance.count(&columns, &alone, Where::Within, Some(&fitted), work)?
                };
                model.set_chance(&columns, &counted);
            }
            model
        }
    };

    // Which pairs are compared: all of a small table; otherwise those that agree in a band. A first look at records that
    // agree in two values or in rare words says which bands find matches.
    let is_small = all_pairs <= FEW_PAIRS;
    let (mut planned, mut partners) = (1.0, Partners::Any);
    let contradicted = |model: &Model| match given.is_some() || compared == Compared::Across {
        true => None,
        false => contradiction::of(model, &columns),
    };
    let mut contradiction: Option<String> = None;
    let chosen: Vec<Chosen> = if !options.blocks.is_empty() {
        options.blocks.iter().filter_map(|fields| rows.by_fields(fields)).collect()
    } else if let Some(file) = &options.model {
        file.bands.iter().filter_map(|band| rows.by_band(band)).collect()
    } else {
        let mut all = rows.first_look(work)?;
        let share = rows.sampled();
        equal::pairs(&columns, &rows, work, |(a, b)| {
            if mix64(u64::from(a)).is_multiple_of(share) {
                all.push((a, b));
            }
            Ok(())
        })?;
        all.sort_unstable();
        all.dedup();
        let looked_at = Candidates::new(&columns, room, work, |visit| {
            sampled(&all, LEARNT_FROM).try_for_each(|pair| visit(pair, 1))
        })?;
        drop(all);
        let sample = looked_at.sample(usize::MAX, work, |pair| pair.0)?;
        learning.learn(&mut model, &looked_at, &sample, PASSES - 1, Partners::Any)?;
        let fitted = Fitted::new(&model, &columns);
        let likely = fitted.probabilities(&columns, &sample.pairs, &sample.levels, work)?;
        if compared == Compared::Across {
            let likely: Vec<(Pair, f64)> = sample.pairs.iter().copied().zip(likely.iter().copied()).collect();
            if !has_copies((&columns, &sides), &fitted, &model, &likely, work)? {
                partners = Partners::One;
            }
        }
        contradiction = contradicted(&model);
        // Where the rule will decide, bands find what it takes for matches. If the sample has none, those of the model find what is
        // alike in some way at least.
        let by_rule = |at: usize| by_rule(&columns, sample.pairs[at], sample.levels.at(at));
        let is_by_rule = contradiction.is_some() && (0..likely.len()).any(by_rule);
        let is_alike = |at: usize| if is_by_rule { by_rule(at) } else { likely[at] > 0.5 };
        let mut alike: Vec<Pair> =
            (0..likely.len()).filter(|&at| is_alike(at)).map(|at| sample.pairs[at]).collect();
        alike.sort_unstable_by_key(|&(a, b)| mix64(u64::from(a) << 32 | u64::from(b)));
        alike.truncate(ALIKE);
        let (chosen, found) = rows.choose(&alike, options.recall, MOST_COST, work)?;
        planned = found;
        chosen
    };
    let all_of_small = is_small && options.blocks.is_empty();
    let bands: Vec<&[usize]> =
        chosen.iter().map(|band| band.at.as_slice()).filter(|_| !all_of_small).collect();
    let mut found = rows.found(&bands, room, work)?;
    let left_out = found.left_out;
    if all_of_small {
        for a in 0..count as u32 {
            let others = (a + 1..count as u32).filter(|&b| rows.compares(a, b));
            others.map(|b| (a, b)).try_for_each(|pair| found.add(pair))?;
        }
    }
    equal::pairs(&columns, &rows, work, |pair| found.add(pair))?;
    for (&(a, b), _) in labels.iter().filter(|(_, is_match)| **is_match) {
        if a != b && rows.compares(a, b) {
            found.add((a, b))?;
        }
    }
    let candidates = Candidates::new(&columns, room, work, |visit| found.finish(visit))?;
    if given.is_none() {
        let sample = candidates.sample(LEARNT_FROM, work, |pair| pair.0)?;
        learning.learn(&mut model, &candidates, &sample, PASSES, partners)?;
        contradiction = contradiction.or_else(|| contradicted(&model));
        // What says next to nothing is not known where nothing was learnt.
        if contradiction.is_none() {
            fields_left_out.extend(model.leave_out(&columns));
        }
    } else {
        let silent = model.fields.iter().filter(|field| field.factor == 0.0);
        fields_left_out.extend(silent.map(|field| (field.name.clone(), "left out by the model".to_owned())));
    }
    if given.is_none() && partners == Partners::One {
        let fitted = Fitted::new(&model, &columns);
        let of_first = |pair| rivals::of_first(&sides, pair);
        let Sample { pairs, levels, scale } = candidates.sample(rivals::FITTED_ON, work, of_first)?;
        let (mut weights, mut buffer) = (Vec::with_capacity(pairs.len() * columns.len()), Vec::new());
        for (at, &pair) in pairs.iter().enumerate() {
            fitted.weights(&columns, pair, levels.at(at), &mut buffer);
            weights.extend_from_slice(&buffer);
        }
        let said = Said { pairs: &pairs, weights, fields: columns.len() };
        let first = sides.iter().filter(|side| **side == 0).count();
        let trust = rivals::fit(&said, model.prior, count, [first as f64, (count - first) as f64], scale);
        for (field, factor) in model.fields.iter_mut().zip(&trust.factors) {
            field.factor *= factor;
        }
        model.prior = trust.prior;
        model.alone = trust.alone;
    }
    // A record has one partner at the most, so a pair that no other pair excludes is likelier to match.
    let alone = if options.one_to == OneTo::One { model.alone } else { 0.0 };
    let said: f64 = model.fields.iter().map(Field::says).sum();
    let is_taught =
        given.is_some() || (count >= LEAST_RECORDS && said >= LEAST_SAID && contradiction.is_none());
    let asked = judged(&model, &columns, alone, &labels, work)?;
    let refined = Refined::of(columns.len(), if is_taught { &asked } else { &[] });
    model.fields.iter_mut().zip(&refined.factors).for_each(|(field, factor)| field.factor *= factor);
    let shift = refined.shift.mean;
    model.prior += shift;
    let judged = labels.keys().zip(&asked).map(|(&(a, b), it)| Judged {
        a: a as usize,
        b: b as usize,
        before: it.weight,
        after: refined.weight(it.weight, &it.weights) + shift,
        is_match: it.is_match,
    });
    let judged: Vec<Judged> = judged.collect();
    let prior = model.prior + alone;
    let fitted = Fitted::new(&model, &columns);
    let judge = |pair: Pair, levels: &[u8], weights: &mut Vec<f64>| -> f64 {
        if is_taught {
            fitted.weights(&columns, pair, levels, weights);
            let weight = prior + weights.iter().sum::<f64>();
            return if equal::are_equal(&columns, pair) { weight.max(equal::LEAST) } else { weight };
        }
        weights.clear();
        weights.resize(levels.len(), 0.0);
        // The log odds of 0.99 and 0.01.
        if by_rule(&columns, pair, levels) { equal::LEAST } else { -equal::LEAST }
    };
    let (taken, of_match) = (AtomicU64::new(0), memory::of_match(columns.len()));
    let most_taken = room.bytes.saturating_sub(candidates.bytes());
    let takes = |bytes: u64| taken.fetch_add(bytes, Ordering::Relaxed) <= most_taken;
    let looked_at = candidates.len().div_ceil(recall::LOOKED_AT).max(1) as u64;
    let parts = candidates.each(work, |chunk| {
        let (mut matches, mut times, mut buffer) = (Vec::new(), Vec::new(), Vec::new());
        let (mut looked, mut seen) = (Vec::new(), Seen::default());
        for (at, &pair) in chunk.pairs.iter().enumerate() {
            let weight = judge(pair, chunk.levels.at(at), &mut buffer);
            let label = labels.get(&pair);
            let probability = if label == Some(&true) { 1.0 } else { probability(weight) };
            if probability >= options.threshold && label != Some(&false) {
                let (a, b) = (pair.0 as usize, pair.1 as usize);
                if takes(of_match) {
                    times.push((pair, chunk.times[at]));
                    matches.push(Match { a, b, probability, weight, weights: buffer.clone() });
                }
            } else if !Seen::may_match(weight, label.is_some()) || takes(seen::OF_POSSIBLE) {
                seen.other(pair, weight, label.is_some());
            }
            let in_sample = mix64(u64::from(pair.0) << 32 | u64::from(pair.1)).is_multiple_of(looked_at);
            if in_sample && probability >= recall::LEAST {
                looked.push(recall::Seen { pair, probability, times: chunk.times[at] });
            }
        }
        (matches, times, looked, seen)
    })?;
    let taken = taken.into_inner();
    if taken > most_taken {
        let needed = resident.saturating_add(taken / 3 * 4).saturating_add(of_match);
        return Err(Error::Memory { needed, limit });
    }
    let compared_pairs = candidates.len();
    drop(candidates);
    let (mut matches, mut times, mut looked, mut seen) =
        (Vec::new(), Vec::new(), Vec::new(), Seen::default());
    for (of_part, times_of_part, looked_at, others) in parts {
        matches.extend(of_part);
        times.extend(times_of_part);
        looked.extend(looked_at);
        seen.add(others);
    }
    let proposes_one_to_one = compared == Compared::Across
        && options.one_to == OneTo::Many
        && has_several(&matches, count)
        && is_taught
        && partners == Partners::One;
    let (mut matches, excluded) = best_partners(matches, &sides, options.one_to, &labels);
    let mut has_partner = vec![false; count];
    matches.iter().for_each(|found| (has_partner[found.a], has_partner[found.b]) = (true, true));
    let is_taken = |record: u32| match options.one_to {
        OneTo::Many => false,
        OneTo::One => has_partner[record as usize],
        OneTo::OneToMany => has_partner[record as usize] && sides[record as usize] == 1,
    };
    // A pair that was left for a better one is no match that was found.
    let left: BTreeSet<(usize, usize)> = excluded.iter().map(|found| (found.a, found.b)).collect();
    looked.retain(|it: &recall::Seen| {
        let (a, b) = it.pair;
        let is_left = left.contains(&(a as usize, b as usize));
        !is_left && (it.probability >= options.threshold || !is_taken(a) && !is_taken(b))
    });
    drop(left);
    // One band finds each match once, which says nothing about what it misses.
    let says_recall = !matches.is_empty() && (all_of_small || chosen.len() > 1);
    let recall = says_recall.then(|| recall::recall(&columns, &rows, &bands, &looked)).flatten();
    let not_compared = recall.map_or(0.0, |(share, _)| matches.len() as f64 * (1.0 / share - 1.0));
    let times_of = |found: &Match| {
        let pair = (found.a as u32, found.b as u32);
        times.binary_search_by_key(&pair, |it| it.0).map_or(u8::MAX, |at| times[at].1)
    };
    let times_of_matches: Vec<u8> = matches.iter().map(times_of).collect();
    let (weights, mut near) = seen.end(&matches, &times_of_matches, &excluded, not_compared, is_taken);
    drop(excluded);
    let in_table = |(a, b): (usize, usize)| {
        let (a, b) = (order.in_table(a as u32), order.in_table(b as u32));
        (a.min(b), a.max(b))
    };
    matches.iter_mut().for_each(|found| (found.a, found.b) = in_table((found.a, found.b)));
    matches.sort_unstable_by_key(|found| (found.a, found.b));
    near.pairs_mut().for_each(|pair| *pair = in_table(*pair));
    let mut judged: Vec<Judged> = judged
        .into_iter()
        .map(|it| {
            let (a, b) = in_table((it.a, it.b));
            Judged { a, b, ..it }
        })
        .collect();
    judged.sort_unstable_by_key(|it| (it.a, it.b));
    let mut buffer = Vec::new();
    let weighed: Vec<Pair> = options.weighed.iter().copied().map(numbered).collect();
    let levels_of_weighed = Levels::of(&columns, &weighed, work)?;
    let weighed = weighed.iter().enumerate();
    let weighed = weighed
        .map(|(at, &pair)| (judge(pair, levels_of_weighed.at(at), &mut buffer), buffer.clone()))
        .collect();
    let mut explain = |(a, b): (usize, usize)| -> Result<Explained, Error> {
        let pair = (numbers[a], numbers[b]);
        let levels = Levels::of(&columns, &[pair], work.alone())?;
        let weight = judge(pair, levels.at(0), &mut buffer);
        let of_table = |field: usize| (table.value(a, field), table.value(b, field));
        let fields = table.fields();
        let mut explained =
            explained::explain((a, b), (fields, &of_table), &columns, (pair, levels.at(0)), &buffer, weight);
        // What is not said by a field: the prior, the rule, or that the records are equal.
        explained.prior = weight - buffer.iter().sum::<f64>();
        explained.bands = rows.finding(&chosen, pair);
        Ok(explained)
    };
    let explained = options.explained.map(&mut explain).transpose()?;
    let mut wanted: BTreeSet<(usize, usize)> = BTreeSet::new();
    if let Some(choose) = choose {
        wanted.extend(choose(&matches));
        wanted.extend(near.above.iter().chain(&near.below).chain(&near.excluded));
    }
    let shown = wanted.into_iter().map(explain).collect::<Result<_, Error>>()?;
    let bands =
        chosen.into_iter().map(|it| BandFigures { band: it.band, finds: it.finds, cost: it.cost }).collect();
    Ok(Linked {
        matches,
        rule: (!is_taught).then(|| rule::in_words(contradiction.as_deref())),
        fields_left_out,
        bands,
        planned,
        compared: compared_pairs,
        left_out,
        recall,
        threshold: options.threshold,
        shift,
        proposes_one_to_one,
        explained,
        weighed,
        weights,
        near,
        shown,
        judged,
        model,
    })
}

/// Why a table cannot be linked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Some records were added to one of two tables, and others to none.
    #[error("there are {records} records, and sides for {sides}")]
    Sides {
        /// The number of records.
        records: usize,
        /// The number of sides.
        sides: usize,
    },
    /// There are more records than can be linked.
    #[error("there are {records} records, and at most {most} can be linked at once")]
    Records {
        /// The number of records.
        records: usize,
        /// How many are allowed.
        most: usize,
    },
    /// A kind was given for a field that is not there.
    #[error("there is no field {field}")]
    Field {
        /// Its name.
        field: String,
    },
    /// A rule of `--block` names a field that is not compared.
    #[error(
        "the field {field} cannot choose which records are compared: it is left out ({why}); leave it out of the rule"
    )]
    Block {
        /// Its name.
        field: String,
        /// Why it was left out.
        why: String,
    },
    /// A model was learnt from other fields.
    #[error("the model is of other fields: {fields}")]
    OtherModel {
        /// Its fields.
        fields: String,
    },
    /// A probability is not one.
    #[error("{what} = {value} is not allowed: {allowed}")]
    Probability {
        /// Which one.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// What must be in memory does not fit.
    #[error("linking needs {needed} bytes of memory, and the limit is {limit} bytes")]
    Memory {
        /// The bytes that are enough.
        needed: u64,
        /// The limit.
        limit: u64,
    },
    /// A file for what does not fit into memory cannot be written or read.
    #[error("cannot {action} {name}: {cause}")]
    Spilled {
        /// What failed, as in "write".
        action: &'static str,
        /// The file or folder.
        name: String,
        /// The sort of error of the system.
        kind: std::io::ErrorKind,
        /// What the system said.
        cause: String,
    },
    /// It was asked to stop.
    #[error("stopped")]
    Stopped,
}

impl Error {
    /// The same of a run beside which another table is in memory: see [`beside`].
    fn beside(self, table: &Table, options: &Options) -> Self {
        match self {
            Self::Memory { needed, .. } => {
                let needed = needed.saturating_add(table.bytes() as u64);
                Self::Memory { needed, limit: options.memory.bytes }
            }
            other => other,
        }
    }
}

/// The same options, while another table is in memory.
fn beside(table: &Table, options: &Options) -> Options {
    let mut left = options.clone();
    if left.memory.bytes != u64::MAX {
        left.memory.bytes = left.memory.bytes.saturating_sub(table.bytes() as u64);
    }
    left
}

impl From<files::Error> for Error {
    fn from(files::Error { action, name, cause }: files::Error) -> Self {
        Self::Spilled { action, name, kind: cause.kind(), cause: cause.to_string() }
    }
}

impl From<Stopped> for Error {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

fn check(table: &Table, options: &Options) -> Result<(), Error> {
    let (records, sides) = (table.len(), table.sides.len());
    if sides != 0 && sides != records {
        return Err(Error::Sides { records, sides });
    }
    if records > MOST_RECORDS {
        return Err(Error::Records { records, most: MOST_RECORDS });
    }
    if let Some(field) = options.blocks.iter().flatten().find(|field| !table.fields().contains(field)) {
        return Err(Error::Field { field: field.clone() });
    }
    if let Some(file) = &options.model {
        let known: Vec<&String> = file.model.fields.iter().map(|field| &field.name).collect();
        if !known.iter().all(|name| table.fields().contains(name)) {
            let fields = known.into_iter().cloned().collect::<Vec<_>>().join(", ");
            return Err(Error::OtherModel { fields });
        }
    }
    if let Some((field, _)) = options.kinds.iter().find(|(field, _)| !table.fields().contains(field)) {
        return Err(Error::Field { field: field.clone() });
    }
    let (threshold, recall) = (options.threshold, options.recall);
    if !(threshold > 0.0 && threshold <= 1.0) {
        let allowed = "it is above 0 and at most 1";
        return Err(Error::Probability { what: "threshold", value: threshold, allowed });
    }
    if !(recall > 0.0 && recall < 1.0) {
        let allowed = "it is above 0 and below 1, because no bands find every pair";
        return Err(Error::Probability { what: "recall", value: recall, allowed });
    }
    Ok(())
}

/// What the fields of judged pairs say without labels.
fn judged(
    model: &Model,
    columns: &[Column],
    alone: f64,
    labels: &BTreeMap<Pair, bool>,
    work: Work<'_>,
) -> Result<Vec<Judgement>, Stopped> {
    let pairs: Vec<Pair> = labels.keys().copied().collect();
    let (fitted, levels) = (Fitted::new(model, columns), Levels::of(columns, &pairs, work.alone())?);
    let judged = labels.iter().enumerate().map(|(at, (&pair, &is_match))| {
        let mut weights = Vec::new();
        fitted.weights(columns, pair, levels.at(at), &mut weights);
        Judgement { weight: model.prior + alone + weights.iter().sum::<f64>(), weights, is_match }
    });
    Ok(judged.collect())
}
