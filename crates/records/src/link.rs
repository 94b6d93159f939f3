//! A table -> its matches.

use crate::bands::{Band, Compared, Pair, Rows};
use crate::column::Column;
use crate::kind::Kind;
use crate::model::{Apart, Frequencies, Levels, Model};

/// Pairs drawn at random.
const RANDOM: usize = 200_000;

/// Pairs of the first look for each record, at the most.
const FIRST_LOOK: usize = 12;

/// Pairs that look like matches by which bands are chosen, at the most.
const ALIKE: usize = 20_000;

/// Pairs for each record that bands may cost.
const MOST_COST: f64 = 40.0;

/// How often entities are found and chance is counted anew.
const PASSES: usize = 3;

/// Records, by fields. A value that is empty is missing.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The names of the fields.
    pub fields: Vec<String>,
    /// The values of each record.
    pub records: Vec<Vec<String>>,
    /// The table of each record, 0 or 1, if two tables are linked; empty for one table.
    pub sides: Vec<u8>,
}

/// How many partners a record may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OneTo {
    /// As many as match.
    #[default]
    Many,
    /// One at the most, for the records of both tables: the best.
    One,
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// The least probability of a match.
    pub threshold: f64,
    /// The share of the matches that bands should find.
    pub recall: f64,
    /// How many partners a record may have.
    pub one_to: OneTo,
    /// The kinds of fields, as far as they are known.
    pub kinds: Vec<(String, Kind)>,
}

impl Default for Options {
    fn default() -> Self {
        Self { threshold: 0.5, recall: 0.99, one_to: OneTo::Many, kinds: Vec::new() }
    }
}

impl Options {
    /// The least probability of a match.
    #[must_use]
    pub fn with_threshold(mut self, threshold: f64) -> Self {
        self.threshold = threshold;
        self
    }

    /// The share of the matches that bands should find.
    #[must_use]
    pub fn with_recall(mut self, recall: f64) -> Self {
        self.recall = recall;
        self
    }

    /// The kind of a field, if looking at its values would not tell it.
    #[must_use]
    pub fn with_kind(mut self, field: impl Into<String>, kind: Kind) -> Self {
        self.kinds.push((field.into(), kind));
        self
    }

    /// How many partners a record may have.
    #[must_use]
    pub fn with_one_to(mut self, one_to: OneTo) -> Self {
        self.one_to = one_to;
        self
    }
}

/// Two records that match.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Match {
    /// The record that comes first.
    pub a: usize,
    /// The other one.
    pub b: usize,
    /// The probability that they describe the same entity.
    pub probability: f64,
    /// The log odds: what all fields say, and the prior.
    pub weight: f64,
    /// What each field says, less what other fields have said already.
    pub weights: Vec<f64>,
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
    /// The bands.
    pub bands: Vec<BandFigures>,
    /// How many pairs were compared.
    pub compared: usize,
    /// Records in blocks that are too large to be compared, summed over bands.
    pub left_out: u64,
}

/// Finds the records that describe the same entity.
///
/// ```
/// use records::{Options, Table, link};
///
/// let record = |values: [&str; 3]| values.map(str::to_owned).to_vec();
/// let mut table = Table { fields: ["name", "born", "town"].map(str::to_owned).to_vec(), ..Table::default() };
/// let names = ["anna", "berta", "carla", "dora", "emma", "frieda", "greta", "hanna", "ida", "julia"];
/// for (at, name) in names.iter().cycle().take(60).enumerate() {
///     let (surname, born) = (["berg", "holm", "lund", "dahl", "strand", "vik"][at % 6], 19_400_101 + 10_307 * at as u32);
///     table.records.push(record([&format!("{name} {surname}"), &born.to_string(), ["bergen", "oslo", "moss"][at % 3]]));
/// }
/// // The same person, with a letter too many.
/// table.records.push(record(["anna berrg", "19400101", "bergen"]));
/// let linked = link(&table, &Options::default())?;
/// assert_eq!(linked.matches.iter().map(|found| (found.a, found.b)).collect::<Vec<_>>(), [(0, 60)]);
/// # Ok::<(), records::Error>(())
/// ```
pub fn link(table: &Table, options: &Options) -> Result<Linked, Error> {
    check(table, options)?;
    let columns = columns(table, options);
    let count = table.records.len();
    let is_linking = !table.sides.is_empty();
    let sides = if is_linking { table.sides.clone() } else { vec![0; count] };
    // Of two tables, the records of one are other entities, as far as is known: they say what agrees by chance.
    let rows = Rows::new(&columns, sides, Compared::Within);
    let within = if is_linking { rows.first_look(FIRST_LOOK * count.max(1)) } else { Vec::new() };
    let apart = (Levels::of(&columns, &within), rows.all_pairs());
    let rows = rows.comparing(if is_linking { Compared::Across } else { Compared::All });
    let random = rows.random(RANDOM.min(count * count));
    let chance = Levels::of(&columns, &random);

    // A first look: what agrees in two values or in rare words.
    let looked_at = rows.first_look(FIRST_LOOK * count.max(1));
    let levels = Levels::of(&columns, &looked_at);
    let all = rows.all_pairs();
    let apart = is_linking.then_some(&apart);
    let learnt = learn(&columns, (&looked_at, &levels), (&random, &chance), (all, apart), None);
    let likely = learnt.0.probabilities(&columns, &looked_at, &levels, &learnt.1);
    let alike: Vec<Pair> =
        looked_at.iter().zip(&likely).filter(|(_, p)| **p > 0.9).map(|(pair, _)| *pair).collect();
    let step = alike.len().div_ceil(ALIKE).max(1);
    let alike: Vec<Pair> = alike.into_iter().step_by(step).collect();

    // Bands that find what was found, and more.
    let chosen = rows.choose(&alike, options.recall, MOST_COST);
    let (mut candidates, left_out) = rows.candidates(&chosen);
    candidates.extend(&looked_at);
    candidates.sort_unstable();
    candidates.dedup();
    let levels = Levels::of(&columns, &candidates);
    let (model, frequencies) =
        learn(&columns, (&candidates, &levels), (&random, &chance), (all, apart), Some(learnt));
    let probabilities = model.probabilities(&columns, &candidates, &levels, &frequencies);
    let enough =
        candidates.iter().zip(&probabilities).zip(0..).filter(|((_, p), _)| **p >= options.threshold);
    let mut matches: Vec<Match> = enough
        .map(|((&pair, &probability), at)| {
            let levels = levels.at(at);
            let weights = model.weights(&columns, pair, levels, &frequencies);
            let weight = model.prior + weights.iter().sum::<f64>();
            Match { a: pair.0 as usize, b: pair.1 as usize, probability, weight, weights }
        })
        .collect();
    if options.one_to == OneTo::One {
        matches = best_partners(matches, count);
    }
    let bands =
        chosen.into_iter().map(|it| BandFigures { band: it.band, finds: it.finds, cost: it.cost }).collect();
    Ok(Linked { matches, model, bands, compared: candidates.len(), left_out })
}

/// Why a table cannot be linked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not every record has a side.
    #[error("there are {records} records, and sides for {sides}")]
    Sides {
        /// The number of records.
        records: usize,
        /// The number of sides.
        sides: usize,
    },
    /// There are two tables, and a record is in another one.
    #[error("record {record} is in table {side}; there are the tables 0 and 1")]
    Side {
        /// The number of the record, from 0.
        record: usize,
        /// Its side.
        side: u8,
    },
    /// A kind was given for a field that is not there.
    #[error("there is no field {field}")]
    Field {
        /// Its name.
        field: String,
    },
    /// A probability is not one.
    #[error("{what} = {value} is not allowed: a number from 0 to 1")]
    Probability {
        /// Which one.
        what: &'static str,
        /// Its value.
        value: f64,
    },
}

fn check(table: &Table, options: &Options) -> Result<(), Error> {
    let (records, sides) = (table.records.len(), table.sides.len());
    if sides != 0 && sides != records {
        return Err(Error::Sides { records, sides });
    }
    if let Some((record, &side)) = table.sides.iter().enumerate().find(|(_, side)| **side > 1) {
        return Err(Error::Side { record, side });
    }
    if let Some((field, _)) = options.kinds.iter().find(|(field, _)| !table.fields.contains(field)) {
        return Err(Error::Field { field: field.clone() });
    }
    for (what, value) in [("threshold", options.threshold), ("recall", options.recall)] {
        if !(0.0..=1.0).contains(&value) {
            return Err(Error::Probability { what, value });
        }
    }
    Ok(())
}

fn columns(table: &Table, options: &Options) -> Vec<Column> {
    let column = |(at, name): (usize, &String)| {
        let values = || table.records.iter().map(move |record| record.get(at).map_or("", String::as_str));
        let told = options.kinds.iter().find(|(told, _)| told == name).map(|(_, kind)| *kind);
        Column::new(name, told.unwrap_or_else(|| Kind::of(values())), values())
    };
    table.fields.iter().enumerate().map(column).collect()
}

/// Learns in turns: weights, then which records are one entity, then how frequent values are among entities.
fn learn(
    columns: &[Column],
    (pairs, levels): (&[Pair], &Levels),
    random: (&[Pair], &Levels),
    (all_pairs, apart): (f64, Option<&(Levels, f64)>),
    begin: Option<(Model, Frequencies)>,
) -> (Model, Frequencies) {
    let count = columns.first().map_or(0, |column| column.of.len());
    let (mut model, mut frequencies) = match begin {
        Some((model, frequencies)) => (Some(model), frequencies),
        None => (None, Frequencies::unknown(columns, count)),
    };
    let mut certainty = Vec::new();
    for pass in 0..=PASSES {
        let begin = model.as_ref().map(|model| {
            let of_candidates = Apart { levels, certainty: std::mem::take(&mut certainty), all_pairs };
            let known = apart.map(|(levels, all_pairs)| Apart {
                levels,
                certainty: Vec::new(),
                all_pairs: *all_pairs,
            });
            (model, known.unwrap_or(of_candidates))
        });
        let learnt = Model::learn(columns, (pairs, levels), random, &frequencies, all_pairs, begin);
        if pass == PASSES {
            return (learnt, frequencies);
        }
        let probabilities = learnt.probabilities(columns, pairs, levels, &frequencies);
        let linked = pairs.iter().zip(&probabilities).filter(|(_, p)| **p > 0.5).map(|(pair, _)| *pair);
        frequencies = Frequencies::new(columns, entities(count, linked));
        certainty = probabilities.iter().map(|probability| 1.0 - probability).collect();
        model = Some(learnt);
    }
    unreachable!("the last pass returns")
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

/// The best partners: the most probable pair first, and each record once.
fn best_partners(mut matches: Vec<Match>, count: usize) -> Vec<Match> {
    matches.sort_by(|x, y| y.weight.total_cmp(&x.weight).then((x.a, x.b).cmp(&(y.a, y.b))));
    let mut has_one = vec![false; count];
    matches.retain(|found| {
        let is_free = !has_one[found.a] && !has_one[found.b];
        if is_free {
            (has_one[found.a], has_one[found.b]) = (true, true);
        }
        is_free
    });
    matches.sort_by_key(|found| (found.a, found.b));
    matches
}
