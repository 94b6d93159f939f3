//! What is learnt, against tables that are drawn from a known model; and real tables, cut to size, whose truth is known.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use lookalike::hashing::SplitMix64;
use records::{Judgement, Kind, ModelFile, OneTo, Options, Refined, Side, Table, link, next_question};
use std::collections::{BTreeMap, BTreeSet};

/// How often matches agree in each field.
const AGREE: [f64; 6] = [0.95, 0.9, 0.85, 0.8, 0.75, 0.7];

/// Values of each field, all equally frequent.
const VALUES: u64 = 200;

const ENTITIES: usize = 1_500;

/// Two records of each entity. Values are codes of ten letters, so that different ones have nothing in common.
fn drawn(seed: u64) -> Table {
    let mut random = SplitMix64::new(seed);
    let code = |field: u64, value: u64| -> String {
        let mut letters = SplitMix64::new(field * 1_000 + value);
        (0..10).map(|_| char::from(b'a' + letters.below(26) as u8)).collect()
    };
    let mut table = Table::new((0..AGREE.len()).map(|field| format!("field{field}")));
    for _ in 0..ENTITIES {
        let first: Vec<u64> = AGREE.iter().map(|_| random.below(VALUES)).collect();
        let second = AGREE
            .iter()
            .zip(&first)
            .map(|(agree, value)| if random.next_f64() < *agree { *value } else { random.below(VALUES) });
        let second: Vec<u64> = second.collect();
        for record in [first, second] {
            table.push(record.iter().enumerate().map(|(field, value)| code(field as u64, *value)));
        }
    }
    table
}

/// How often matches agree is learnt without bias: over seeds, the mean differs from the truth by at most 0.01, which is what
/// the share of matches that is always spread as assumed makes of it, and three standard errors.
#[test]
fn weights_are_those_of_the_model_that_the_table_was_drawn_from() {
    const SEEDS: u64 = 5;
    let mut sums = [(0.0, 0.0); AGREE.len()];
    for seed in 0..SEEDS {
        let kinds = (0..AGREE.len()).map(|field| (format!("field{field}"), Kind::Code));
        let options = kinds.fold(Options::default(), |options, (field, kind)| options.with_kind(field, kind));
        let linked = link(&drawn(seed), &options).unwrap();
        assert!((linked.model.expected / ENTITIES as f64 - 1.0).abs() < 0.03, "{}", linked.model.expected);
        for (sum, field) in sums.iter_mut().zip(&linked.model.fields) {
            *sum = (sum.0 + field.matches[0] / SEEDS as f64, sum.1 + field.others[0] / SEEDS as f64);
        }
    }
    for ((matches, others), agree) in sums.into_iter().zip(AGREE) {
        let chance = 1.0 / VALUES as f64;
        let truth = agree + (1.0 - agree) * chance;
        let error = (truth * (1.0 - truth) / (SEEDS as f64 * ENTITIES as f64)).sqrt();
        assert!((matches - truth).abs() < 0.01 + 3.0 * error, "{matches} is learnt for {truth}");
        assert!((others / chance - 1.0).abs() < 0.05, "{others} is counted for {chance}");
    }
}

/// A table that is part of the project, and its matches.
fn real(written: &str, is_linked: bool) -> (Table, BTreeSet<(usize, usize)>) {
    let mut lines = written.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let mut table = Table::new(lines.next().unwrap()[2..].iter().copied());
    let (mut entities, mut first) = (BTreeMap::<&str, Vec<usize>>::new(), None);
    for line in lines {
        if !line[0].is_empty() {
            entities.entry(line[0]).or_default().push(table.len());
        }
        let source = *first.get_or_insert(line[1]);
        match (is_linked, source == line[1]) {
            (false, _) => table.push(&line[2..]),
            (true, true) => table.push_to(Side::First, &line[2..]),
            (true, false) => table.push_to(Side::Second, &line[2..]),
        }
    }
    let pairs = entities.values().flat_map(|records| {
        let of_first = |(at, &first): (usize, &usize)| {
            records[at + 1..].iter().map(|&other| (first, other)).collect::<Vec<_>>()
        };
        records.iter().enumerate().flat_map(of_first).collect::<Vec<_>>()
    });
    (table, pairs.collect())
}

fn f1(table: &Table, truth: &BTreeSet<(usize, usize)>, one_to: OneTo) -> f64 {
    let linked = link(table, &Options::default().with_one_to(one_to)).unwrap();
    let right = linked.matches.iter().filter(|found| truth.contains(&(found.a, found.b))).count();
    2.0 * right as f64 / (linked.matches.len() + truth.len()) as f64
}

#[test]
fn generated_persons_of_febrl_are_all_found() {
    let (table, truth) = real(include_str!("data/febrl1.tsv"), false);
    assert_eq!(f1(&table, &truth, OneTo::Many), 1.0);
}

#[test]
fn persons_of_febrl_with_several_copies_are_found() {
    let (table, truth) = real(include_str!("data/febrl3.tsv"), false);
    let found = f1(&table, &truth, OneTo::Many);
    assert!(truth.len() > 1_000 && found >= 0.998, "{found} of {} pairs", truth.len());
}

/// Where neither of two tables has copies, and records have several partners all the same, one to one is proposed; not where copies
/// are there, or where it was chosen.
#[test]
fn one_to_one_is_proposed_where_tables_have_no_copies() {
    let (table, _) = real(include_str!("data/restaurants.tsv"), true);
    assert!(link(&table, &Options::default()).unwrap().proposes_one_to_one);
    assert!(!link(&table, &Options::default().with_one_to(OneTo::One)).unwrap().proposes_one_to_one);
    let (mut copied, fields) = (Table::new(table.fields()), table.fields().len());
    let first =
        include_str!("data/restaurants.tsv").lines().nth(1).unwrap().split('\t').nth(1).unwrap().to_owned();
    for (at, line) in include_str!("data/restaurants.tsv").lines().skip(1).enumerate() {
        let side = if line.split('\t').nth(1) == Some(&first) { Side::First } else { Side::Second };
        let values: Vec<&str> = (0..fields).map(|field| table.value(at, field)).collect();
        for _ in 0..2 {
            copied.push_to(side, &values);
        }
    }
    assert!(!link(&copied, &Options::default()).unwrap().proposes_one_to_one, "each record is there twice");
}

#[test]
fn restaurants_are_linked() {
    let (table, truth) = real(include_str!("data/restaurants.tsv"), true);
    let (one, many) = (f1(&table, &truth, OneTo::One), f1(&table, &truth, OneTo::Many));
    assert!(one >= 0.985 && many >= 0.95, "{one} one to one, {many} otherwise");
}

#[test]
fn papers_are_linked() {
    let (table, truth) = real(include_str!("data/dblp-acm.tsv"), true);
    let (one, many) = (f1(&table, &truth, OneTo::One), f1(&table, &truth, OneTo::Many));
    assert!(one >= 0.985 && many >= 0.93, "{one} one to one, {many} otherwise");
}

/// A table without copies has hardly any matches, and says so: its restaurants of one street are not one restaurant. With copies, a
/// model is learnt from the same table.
#[test]
fn a_table_without_copies_has_no_model_and_hardly_any_matches() {
    let (all, _) = real(include_str!("data/restaurants.tsv"), true);
    let of_first = include_str!("data/restaurants.tsv").lines().skip(1);
    let source = |line: &str| line.split('\t').nth(1).unwrap().to_owned();
    let sources: Vec<String> = of_first.map(source).collect();
    for name in sources.iter().collect::<BTreeSet<_>>() {
        let values = |at: usize| (0..all.fields().len()).map(move |field| (at, field));
        let rows: Vec<Vec<&str>> = (0..sources.len())
            .filter(|&at| sources[at] == *name)
            .map(|at| values(at).map(|(at, field)| all.value(at, field)).collect())
            .collect();
        let mut alone = Table::new(all.fields());
        rows.iter().for_each(|row| alone.push(row));
        let linked = link(&alone, &Options::default()).unwrap();
        if name == "zagats" {
            // Its names are compared together with addresses, so nothing contradicts; few match all the same.
            assert!(linked.matches.len() <= 10, "{} of {} match", linked.matches.len(), rows.len());
            continue;
        }
        assert!(
            linked.rule.as_ref().is_some_and(|rule| rule.contains("its own value in name, phone")),
            "{:?}",
            linked.rule
        );
        assert!(linked.matches.len() <= 3, "{} of {} match", linked.matches.len(), rows.len());
        // A third of them once more, with a letter too many in the name and without a telephone number.
        let mut with_copies = alone.clone();
        for row in rows.iter().step_by(3) {
            let mut copy: Vec<String> = row.iter().map(|value| (*value).to_owned()).collect();
            let at = |field: &str| all.fields().iter().position(|name| name == field).unwrap();
            copy[at("name")].push('e');
            copy[at("phone")].clear();
            with_copies.push(copy);
        }
        let linked = link(&with_copies, &Options::default()).unwrap();
        let truth: BTreeSet<_> =
            (0..rows.len().div_ceil(3)).map(|copy| (3 * copy, rows.len() + copy)).collect();
        let right = linked.matches.iter().filter(|found| truth.contains(&(found.a, found.b))).count();
        let f1 = 2.0 * right as f64 / (linked.matches.len() + truth.len()) as f64;
        assert!(linked.rule.is_none() && f1 > 0.95, "{f1}, {:?}", linked.rule);
    }
}

/// Each compared pair is counted once by its weight, also those that are left for better partners.
#[test]
fn the_bins_of_weights_hold_all_compared_pairs() {
    let (table, _) = real(include_str!("data/restaurants.tsv"), true);
    let linked = link(&table, &Options::default().with_one_to(OneTo::One)).unwrap();
    let sum = |of: fn(&records::WeightBin) -> u64| linked.weights.iter().map(of).sum::<u64>();
    assert_eq!(sum(|bin| bin.matches), linked.matches.len() as u64);
    assert_eq!(sum(|bin| bin.matches + bin.others), linked.compared as u64);
}

/// Thirty labels of the pairs that are least certain, answered from the truth, do not make it worse, and neither do ten.
#[test]
fn labels_make_nothing_worse() {
    let (table, truth) = real(include_str!("data/restaurants.tsv"), true);
    let options = || Options::default().with_one_to(OneTo::One);
    let without = f1(&table, &truth, OneTo::One);
    let pool = link(&table, &options().with_threshold(0.001)).unwrap();
    let (mut judged, mut asked, mut labelled) = (Vec::new(), BTreeSet::new(), options());
    for count in 1..=30 {
        let refined = Refined::of(pool.model.fields.len(), &judged);
        let weights: Vec<f64> =
            pool.matches.iter().map(|it| refined.weight(it.weight, &it.weights)).collect();
        let next = next_question(&refined.shift, &weights, |at| asked.contains(&at)).unwrap();
        let it = &pool.matches[next];
        let is_match = truth.contains(&(it.a, it.b));
        asked.insert(next);
        judged.push(Judgement { weight: it.weight, weights: it.weights.clone(), is_match });
        labelled = labelled.with_label(it.a, it.b, is_match);
        if count == 10 || count == 30 {
            let linked = link(&table, &labelled).unwrap();
            let right = linked.matches.iter().filter(|it| truth.contains(&(it.a, it.b))).count();
            let f1 = 2.0 * right as f64 / (linked.matches.len() + truth.len()) as f64;
            assert!(f1 >= without - 0.002 && f1 >= 0.988, "{f1} with {count} labels, {without} without");
            assert_eq!(linked.judged.len(), count);
        }
    }
}

/// All values in one column, and values in wrong columns.
#[test]
fn columns_need_not_be_right() {
    for (written, least_joined, least_moved) in
        [(include_str!("data/dblp-acm.tsv"), 0.98, 0.97), (include_str!("data/restaurants.tsv"), 0.965, 0.95)]
    {
        let (table, truth) = real(written, true);
        let sides: Vec<Side> = {
            let first = written.lines().nth(1).unwrap().split('\t').nth(1);
            let is_first = |line: &str| line.split('\t').nth(1) == first;
            written
                .lines()
                .skip(1)
                .map(|line| if is_first(line) { Side::First } else { Side::Second })
                .collect()
        };
        let (mut joined, mut moved) = (Table::new(["text"]), Table::new(table.fields()));
        let (mut random, fields) = (SplitMix64::new(17), table.fields().len());
        for (record, side) in sides.into_iter().enumerate() {
            let mut values: Vec<String> = (0..fields).map(|at| table.value(record, at).to_owned()).collect();
            joined.push_to(side, [values.join(" ")]);
            for at in 1..fields {
                if random.below(2) == 0 {
                    let to = (at + 1 + random.below(fields as u64 - 1) as usize) % fields;
                    let value = std::mem::take(&mut values[at]);
                    values[to] = format!("{} {value}", values[to]);
                }
            }
            moved.push_to(side, values);
        }
        let (of_joined, of_moved) = (f1(&joined, &truth, OneTo::One), f1(&moved, &truth, OneTo::One));
        assert!(of_joined >= least_joined && of_moved >= least_moved, "{of_joined} joined, {of_moved} moved");
        // A model with joined fields says the same of the same table.
        let options = Options::default().with_one_to(OneTo::One);
        let learnt = link(&moved, &options).unwrap();
        assert!(learnt.field_names().iter().any(|name| name.contains(" + ")), "{:?}", learnt.field_names());
        let file = ModelFile::of_json(&ModelFile::new(&learnt, &[]).to_json()).unwrap();
        let again = link(&moved, &options.with_model(file)).unwrap();
        assert_eq!((again.field_names(), again.matches), (learnt.field_names(), learnt.matches));
    }
}
