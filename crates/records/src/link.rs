//! A table -> its matches.

use crate::bands::{Band, Chosen, Compared, Pair, Rows};
use crate::chance::{Chance, Where};
use crate::column::{Column, ValueId};
use crate::compare::{self, NO_LEVEL};
use crate::equal;
use crate::explained::{self, Explained};
use crate::kind::Kind;
use crate::misplaced;
use crate::model::{Field, Fitted, LEARNT_FROM, Levels, Model, Partners, probability, sampled};
use crate::options::{OneTo, Options};
use crate::partners::{best_partners, has_copies, has_several};
use crate::refined::{Judgement, Refined};
use crate::rivals::{self, Said};
use crate::seen::{Near, Seen, WeightBin};
use crate::strings::Scratch;
use crate::table::{RawColumn, Table};
use crate::threads::{Stopped, Work};
use crate::together::FewValues;
use lookalike::hashing::mix64;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

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

/// The rule for tables that teach nothing, in words.
const RULE: &str = "no model: the table is too small, or its fields say too little, to learn one; records match if at least \
    half of the fields are known in both, at least half of these are equal, and the others are words with a similarity of at \
    least 0.9 and the same digits";

/// Words that are at least so similar may be the same, where a rule decides.
const ALIKE_BY_RULE: f64 = 0.9;

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
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BandFigures {
    /// The band.
    pub band: Band,
    /// The share of the likely matches that it finds.
    pub finds: f64,
    /// The pairs that it costs for each record.
    pub cost: f64,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Linked {
    /// The matches, by their records.
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
            return link_and_show(&table.joined(&groups, work)?, &of_model, stop, choose);
        }
    }
    check(table, options)?;
    let (columns, mut fields_left_out) = columns(table, options, work)?;
    let count = table.len();
    let sides = if table.sides.is_empty() { vec![0; count] } else { table.sides.clone() };
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
            let joined = Options {
                kinds: kinds.into_iter().map(|name| (name, Kind::Text)).collect(),
                ..options.clone()
            };
            return link_and_show(&table.joined(&groups, work)?, &joined, stop, choose);
        }
    }
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
    let equal = equal::pairs(&columns, &rows, work)?;
    let (mut planned, mut partners) = (1.0, Partners::Any);
    let chosen: Vec<Chosen> = if !options.blocks.is_empty() {
        options.blocks.iter().filter_map(|fields| rows.by_fields(fields)).collect()
    } else if let Some(file) = &options.model {
        file.bands.iter().filter_map(|band| rows.by_band(band)).collect()
    } else {
        let mut all = rows.first_look(work)?;
        all.extend(&equal);
        all.sort_unstable();
        all.dedup();
        let looked_at: Vec<Pair> = sampled(&all, LEARNT_FROM).map(|at| all[at]).collect();
        let levels = Levels::of(&columns, &looked_at, work)?;
        learning.learn(&mut model, &looked_at, &levels, PASSES - 1, Partners::Any)?;
        let fitted = Fitted::new(&model, &columns);
        let likely = fitted.probabilities(&columns, &looked_at, &levels, work)?;
        if compared == Compared::Across {
            let likely: Vec<(Pair, f64)> = looked_at.iter().copied().zip(likely.iter().copied()).collect();
            if !has_copies((&columns, &sides), &fitted, &model, &likely, work)? {
                partners = Partners::One;
            }
        }
        let mut alike: Vec<Pair> =
            looked_at.iter().zip(&likely).filter(|(_, p)| **p > 0.5).map(|(pair, _)| *pair).collect();
        alike.sort_unstable_by_key(|&(a, b)| mix64(u64::from(a) << 32 | u64::from(b)));
        alike.truncate(ALIKE);
        let (chosen, found) = rows.choose(&alike, options.recall, MOST_COST, work)?;
        planned = found;
        chosen
    };
    let (mut candidates, mut times, left_out) = if is_small && options.blocks.is_empty() {
        let pairs = (0..count as u32).flat_map(|a| (a + 1..count as u32).map(move |b| (a, b)));
        let pairs: Vec<Pair> = pairs.filter(|&(a, b)| rows.compares(a, b)).collect();
        let times = vec![u8::MAX; pairs.len()];
        (pairs, times, 0)
    } else {
        rows.candidates(&chosen, work)?
    };
    let labelled = options.labels.iter().filter(|(_, is_match)| **is_match).map(|(pair, _)| *pair);
    let certain: BTreeSet<Pair> = equal.into_iter().chain(labelled).collect();
    add_certain(&mut candidates, &mut times, certain, &rows);
    let levels = Levels::of(&columns, &candidates, work)?;
    if given.is_none() {
        learning.learn(&mut model, &candidates, &levels, PASSES, partners)?;
    }
    if given.is_none() {
        fields_left_out.extend(model.leave_out(&columns));
    } else {
        let silent = model.fields.iter().filter(|field| field.factor == 0.0);
        fields_left_out.extend(silent.map(|field| (field.name.clone(), "left out by the model".to_owned())));
    }
    if given.is_none() && partners == Partners::One {
        let fitted = Fitted::new(&model, &columns);
        let (sample, scale) = rivals::sampled(&candidates, &sides, rivals::FITTED_ON);
        let (mut weights, mut buffer) = (Vec::with_capacity(sample.len() * columns.len()), Vec::new());
        for &at in &sample {
            fitted.weights(&columns, candidates[at], levels.at(at), &mut buffer);
            weights.extend_from_slice(&buffer);
        }
        let pairs: Vec<Pair> = sample.iter().map(|&at| candidates[at]).collect();
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
    let is_taught = given.is_some() || (count >= LEAST_RECORDS && said >= LEAST_SAID);
    let asked = judged(&model, &columns, alone, &options.labels, work)?;
    let refined = Refined::of(columns.len(), if is_taught { &asked } else { &[] });
    model.fields.iter_mut().zip(&refined.factors).for_each(|(field, factor)| field.factor *= factor);
    let shift = refined.shift.mean;
    model.prior += shift;
    let judged = options.labels.keys().zip(&asked).map(|(&(a, b), it)| Judged {
        a: a as usize,
        b: b as usize,
        before: it.weight,
        after: refined.weight(it.weight, &it.weights) + shift,
        is_match: it.is_match,
    });
    let judged = judged.collect();
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
    let (mut matches, mut buffer) = (Vec::new(), Vec::new());
    let mut seen = Seen::default();
    for (at, &pair) in candidates.iter().enumerate() {
        work.go_on_at(at)?;
        let weight = judge(pair, levels.at(at), &mut buffer);
        let label = options.labels.get(&pair);
        let probability = if label == Some(&true) { 1.0 } else { probability(weight) };
        if probability >= options.threshold && label != Some(&false) {
            let (a, b) = (pair.0 as usize, pair.1 as usize);
            matches.push(Match { a, b, probability, weight, weights: buffer.clone() });
        } else {
            seen.other(pair, weight, label.is_some());
        }
    }
    let proposes_one_to_one = compared == Compared::Across
        && options.one_to == OneTo::Many
        && has_several(&matches, count)
        && is_taught
        && partners == Partners::One;
    let (matches, excluded) = best_partners(matches, &sides, options.one_to, &options.labels);
    let mut has_partner = vec![false; count];
    matches.iter().for_each(|found| (has_partner[found.a], has_partner[found.b]) = (true, true));
    let is_taken = |record: u32| match options.one_to {
        OneTo::Many => false,
        OneTo::One => has_partner[record as usize],
        OneTo::OneToMany => has_partner[record as usize] && sides[record as usize] == 1,
    };
    // How many bands found each match; pairs that were left for better ones are no matches that were found.
    let times_of = |found: &Match| {
        let at = candidates.binary_search(&(found.a as u32, found.b as u32));
        at.map_or(u8::MAX, |at| times[at])
    };
    let times_of_matches: Vec<u8> = matches.iter().map(times_of).collect();
    // One band finds each match once, which says nothing about what it misses.
    let recall = if is_small || chosen.len() > 1 { recall(&times_of_matches) } else { None };
    let not_compared = recall.map_or(0.0, |(share, _)| matches.len() as f64 * (1.0 / share - 1.0));
    let (weights, near) = seen.end(&matches, &times_of_matches, &excluded, not_compared, is_taken);
    let levels_of_weighed = Levels::of(&columns, &options.weighed, work)?;
    let weighed = options.weighed.iter().enumerate();
    let weighed = weighed
        .map(|(at, &pair)| (judge(pair, levels_of_weighed.at(at), &mut buffer), buffer.clone()))
        .collect();
    let mut explain = |(a, b): (usize, usize)| -> Result<Explained, Error> {
        let pair = (a as u32, b as u32);
        let levels = Levels::of(&columns, &[pair], work.alone())?;
        let weight = judge(pair, levels.at(0), &mut buffer);
        let mut explained = explained::explain(table, &columns, (pair, levels.at(0)), &buffer, weight);
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
        rule: (!is_taught).then(|| RULE.to_owned()),
        fields_left_out,
        bands,
        planned,
        compared: candidates.len(),
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
    /// A kind was given for a field that is not there.
    #[error("there is no field {field}")]
    Field {
        /// Its name.
        field: String,
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
    /// It was asked to stop.
    #[error("stopped")]
    Stopped,
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

/// Fields that are not compared, and why.
type LeftOut = Vec<(String, String)>;

/// The fields that are compared, and those that cannot say anything.
fn columns(table: &Table, options: &Options, work: Work<'_>) -> Result<(Vec<Column>, LeftOut), Stopped> {
    let mut left_out = Vec::new();
    let column = |(raw, name): (&RawColumn, &String)| -> Result<Option<Column>, Stopped> {
        let stored =
            options.model.iter().flat_map(|file| &file.model.fields).find(|field| field.name == *name);
        if options.model.is_some() && stored.is_none() {
            left_out.push((name.clone(), "not in the model".into()));
            return Ok(None);
        }
        let told = options.kinds.iter().find(|(told, _)| told == name).map(|(_, kind)| *kind);
        let values = || raw.of.iter().map(|&number| raw.strings.get(number));
        let kind = stored.map(|field| field.kind).or(told).unwrap_or_else(|| Kind::of(values()));
        let column = Column::new(name, kind, raw, work)?;
        let why = match column.values.len() {
            _ if stored.is_some() => None,
            0 => Some("no values"),
            1 => Some("one value"),
            _ => None,
        };
        if let Some(why) = why {
            left_out.push((name.clone(), why.into()));
        }
        Ok(why.is_none().then_some(column))
    };
    let all = table.columns.iter().zip(table.fields()).map(column);
    let mut columns: Vec<Column> = all.filter_map(Result::transpose).collect::<Result<_, Stopped>>()?;
    if let Some(file) = &options.model {
        let place = |column: &Column| file.model.fields.iter().position(|field| field.name == column.name);
        columns.sort_by_key(place);
    }
    if columns.is_empty() {
        // All records say the same, as far as they say anything: the rule decides.
        let all = table.columns.iter().zip(table.fields());
        let all = all.map(|(raw, name)| Column::new(name, Kind::Name, raw, work));
        columns = all.collect::<Result<_, Stopped>>()?;
        columns.retain(|column| !column.values.is_empty());
        left_out.retain(|(name, _)| columns.iter().all(|column| column.name != *name));
    }
    Ok((columns, left_out))
}

/// What learning needs.
struct Learning<'a> {
    columns: &'a [Column],
    chance: &'a Chance,
    few: &'a FewValues,
    all_pairs: f64,
    work: Work<'a>,
}

impl Learning<'_> {
    /// Where chance is counted once matches are known.
    fn place(&self) -> Where {
        if self.columns.len() == 1 { Where::Within } else { Where::Compared }
    }

    /// Learns in turns: weights, then which records are one entity, then how often values agree by chance among entities.
    fn learn(
        &self,
        model: &mut Model,
        pairs: &[Pair],
        levels: &Levels,
        passes: usize,
        partners: Partners,
    ) -> Result<(), Stopped> {
        let count = self.columns.first().map_or(0, |column| column.of.len());
        for pass in 0..passes {
            model.learn(self.columns, (pairs, levels), self.few, self.all_pairs, partners, self.work)?;
            if pass + 1 == passes {
                break;
            }
            let fitted = Fitted::new(model, self.columns);
            let probabilities = fitted.probabilities(self.columns, pairs, levels, self.work)?;
            let linked = pairs.iter().zip(&probabilities).filter(|(_, p)| **p > 0.5).map(|(pair, _)| *pair);
            let entities = entities(count, linked);
            let counted =
                self.chance.count(self.columns, &entities, self.place(), Some(&fitted), self.work)?;
            model.set_chance(self.columns, &counted);
        }
        Ok(())
    }
}

/// Adds the pairs that are compared in any case and that no band finds: those that were labelled a match, and equal records.
fn add_certain(candidates: &mut Vec<Pair>, times: &mut Vec<u8>, certain: BTreeSet<Pair>, rows: &Rows<'_>) {
    let is_missing =
        |&(a, b): &Pair| a != b && rows.compares(a, b) && candidates.binary_search(&(a, b)).is_err();
    let missing: Vec<Pair> = certain.into_iter().filter(is_missing).collect();
    if missing.is_empty() {
        return;
    }
    let known = candidates.drain(..).zip(times.drain(..));
    let mut all: Vec<(Pair, u8)> = known.chain(missing.into_iter().map(|pair| (pair, u8::MAX))).collect();
    all.sort_unstable();
    (*candidates, *times) = all.into_iter().unzip();
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

/// The entity of each record: the least number of a record that is connected with it.
fn entities(count: usize, linked: impl Iterator<Item = Pair>) -> Vec<u32> {
    let mut leads: Vec<u32> = (0..count as u32).collect();
    fn root(leads: &mut [u32], mut at: u32) -> u32 {
        while leads[at as usize] != at {
            leads[at as usize] = leads[leads[at as usize] as usize];
            at = leads[at as usize];
        }
        at
    }
    for (a, b) in linked {
        let (a, b) = (root(&mut leads, a), root(&mut leads, b));
        leads[a.max(b) as usize] = a.min(b);
    }
    (0..count as u32).map(|record| root(&mut leads, record)).collect()
}

/// The rule for tables that teach nothing.
fn by_rule(columns: &[Column], (a, b): Pair, levels: &[u8]) -> bool {
    let mut scratch = Scratch::default();
    let (mut known, mut equal) = (0usize, 0usize);
    for (column, &level) in columns.iter().zip(levels) {
        let (a, b) = (column.of[a as usize], column.of[b as usize]);
        if level == NO_LEVEL {
            continue;
        }
        known += 1;
        if level == 0 {
            equal += 1;
        } else if !has_words(column.kind)
            || digits(column, a).ne(digits(column, b))
            || compare::similarity(column, a, b, &mut scratch) < ALIKE_BY_RULE
        {
            return false;
        }
    }
    known > 0 && 2 * known >= columns.len() && 2 * equal >= known
}

/// True if values of a kind may be written in several ways. Values of other kinds are equal or those of another entity: server 1
/// is not server 2.
fn has_words(kind: Kind) -> bool {
    matches!(kind, Kind::Name | Kind::Text | Kind::Address | Kind::Place)
}

fn digits(column: &Column, value: ValueId) -> impl Iterator<Item = char> + '_ {
    column.values[value as usize].letters.iter().copied().filter(char::is_ascii_digit)
}

/// The estimated share of matches that was found, and its standard error, from how many bands found each (Chao 1987): what
/// was found once and twice says how much was not found at all.
fn recall(times: &[u8]) -> Option<(f64, f64)> {
    if times.is_empty() {
        return None;
    }
    let found = times.len() as f64;
    let exactly = |wanted: u8| times.iter().filter(|&&times| times == wanted).count() as f64;
    let (once, twice) = (exactly(1), exactly(2));
    let missed = once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0));
    let ratio = once / (twice + 1.0);
    let variance = (twice + 1.0) * (ratio.powi(4) / 4.0 + ratio.powi(3) + ratio.powi(2) / 2.0);
    let all = found + missed;
    Some((found / all, found / all * variance.sqrt() / all))
}
