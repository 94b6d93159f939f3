//! Whole tables: generated persons with mistakes, whose truth is known.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use lookalike::hashing::SplitMix64;
use records::{Error, Kind, OneTo, Options, Table, link};
use std::collections::BTreeSet;

const SYLLABLES: [&str; 20] = [
    "an", "ber", "ca", "do", "el", "fri", "gun", "hil", "in", "jo", "kar", "lu", "mar", "nor", "ol", "pe",
    "rag", "si", "tor", "ul",
];

struct Persons {
    random: SplitMix64,
}

impl Persons {
    /// Small numbers are much more frequent than large ones, as names are.
    fn rank(&mut self, most: u64) -> u64 {
        let share = self.random.next_f64();
        (most as f64 * share * share * share) as u64
    }

    fn name(&mut self, most: u64, salt: u64) -> String {
        let mut rank = self.rank(most) * 7 + salt;
        let mut name = String::new();
        for _ in 0..3 {
            name.push_str(SYLLABLES[(rank % 20) as usize]);
            rank /= 20;
        }
        name
    }

    fn person(&mut self) -> Vec<String> {
        let born = format!(
            "{:04}{:02}{:02}",
            1930 + self.random.below(70),
            1 + self.random.below(12),
            1 + self.random.below(28)
        );
        let town = self.rank(60);
        vec![
            self.name(300, 3),
            self.name(3_000, 11),
            format!("{} {}", self.name(800, 5), ["street", "road", "place"][self.random.below(3) as usize]),
            self.name(60, town),
            born,
            format!("{:07}", self.random.below(10_000_000)),
        ]
    }

    /// The same person with some mistakes: letters, missing values, two names swapped.
    fn mistaken(&mut self, person: &[String]) -> Vec<String> {
        let mut copy = person.to_vec();
        for _ in 0..=self.random.below(3) {
            let field = self.random.below(copy.len() as u64) as usize;
            match self.random.below(6) {
                0 => copy[field].clear(),
                1 => copy.swap(0, 1),
                _ => {
                    let at = self.random.below(copy[field].len().max(1) as u64) as usize;
                    if at < copy[field].len() {
                        let letter = (b'a' + self.random.below(26) as u8) as char;
                        copy[field].replace_range(at..=at, &letter.to_string());
                    }
                }
            }
        }
        copy
    }
}

/// A table in which a third of the persons have one to three more records, and its truth.
fn table(persons: usize, seed: u64) -> (Table, BTreeSet<(usize, usize)>) {
    let mut made = Persons { random: SplitMix64::new(seed) };
    let fields = ["given", "surname", "street", "town", "born", "number"].map(str::to_owned).to_vec();
    let (mut table, mut truth) = (Table { fields, ..Table::default() }, BTreeSet::new());
    for _ in 0..persons {
        let first = table.records.len();
        let person = made.person();
        table.records.push(person.clone());
        if made.random.below(3) == 0 {
            for _ in 0..=made.random.below(3) {
                let copy = made.mistaken(&person);
                table.records.push(copy);
            }
        }
        for a in first..table.records.len() {
            truth.extend((a + 1..table.records.len()).map(|b| (a, b)));
        }
    }
    (table, truth)
}

fn f1(found: &BTreeSet<(usize, usize)>, truth: &BTreeSet<(usize, usize)>) -> f64 {
    let right = found.intersection(truth).count() as f64;
    2.0 * right / (found.len() + truth.len()) as f64
}

fn found(table: &Table, options: &Options) -> BTreeSet<(usize, usize)> {
    link(table, options).unwrap().matches.iter().map(|it| (it.a, it.b)).collect()
}

#[test]
fn persons_are_found_without_rules_and_labels() {
    for seed in [1, 2] {
        let (table, truth) = table(1_500, seed);
        let linked = link(&table, &Options::default()).unwrap();
        let found: BTreeSet<_> = linked.matches.iter().map(|it| (it.a, it.b)).collect();
        assert!(f1(&found, &truth) > 0.99, "{}", f1(&found, &truth));
        assert!(linked.compared < 20 * table.records.len(), "{} pairs are compared", linked.compared);
        let kinds: Vec<Kind> = linked.model.fields.iter().map(|field| field.kind).collect();
        assert_eq!(kinds[4..], [Kind::Date, Kind::Code]);
        for field in &linked.model.fields {
            let sum = |shares: &[f64]| shares.iter().sum::<f64>();
            assert!((sum(&field.matches) - 1.0).abs() < 1e-9 && (sum(&field.others) - 1.0).abs() < 1e-9);
            assert!(field.weights.is_sorted_by(|a, b| a >= b), "{}: {:?}", field.name, field.weights);
        }
        // What is said about a pair is the sum of what its fields say.
        for found in &linked.matches {
            let sum = linked.model.prior + found.weights.iter().sum::<f64>();
            assert!((sum - found.weight).abs() < 1e-9);
            assert!((found.probability - 1.0 / (1.0 + (-sum).exp())).abs() < 1e-12);
        }
    }
}

#[test]
fn probabilities_say_how_often_pairs_are_right() {
    let (table, truth) = table(2_000, 5);
    let options = Options::default().with_threshold(0.001);
    let linked = link(&table, &options).unwrap();
    let expected: f64 = linked.matches.iter().map(|found| found.probability).sum();
    let right = linked.matches.iter().filter(|found| truth.contains(&(found.a, found.b))).count() as f64;
    assert!((expected - right).abs() < 0.03 * right, "{expected} are expected, and {right} are right");
}

#[test]
fn the_order_of_records_and_fields_does_not_count() {
    let (table, _) = table(400, 3);
    let all = found(&table, &Options::default());
    let count = table.records.len();
    let reversed = Table { records: table.records.iter().rev().cloned().collect(), ..table.clone() };
    let back: BTreeSet<_> = found(&reversed, &Options::default())
        .into_iter()
        .map(|(a, b)| (count - 1 - b, count - 1 - a))
        .collect();
    assert!(f1(&all, &back) > 0.997, "another order finds other pairs: {}", f1(&all, &back));
    let turned = |values: &Vec<String>| values.iter().rev().cloned().collect();
    let turned = Table {
        fields: table.fields.iter().rev().cloned().collect(),
        records: table.records.iter().map(turned).collect(),
        sides: Vec::new(),
    };
    assert!(f1(&all, &found(&turned, &Options::default())) > 0.997);
}

#[test]
fn a_field_without_values_or_with_one_value_changes_nothing() {
    let (table, _) = table(400, 4);
    let all = found(&table, &Options::default());
    for value in ["", "the same"] {
        let mut more = table.clone();
        more.fields.push("more".into());
        more.records.iter_mut().for_each(|record| record.push(value.into()));
        assert!(f1(&all, &found(&more, &Options::default())) > 0.997, "{value:?}");
    }
}

#[test]
fn two_tables_are_linked_one_to_one() {
    let mut made = Persons { random: SplitMix64::new(9) };
    let fields = ["given", "surname", "street", "town", "born", "number"].map(str::to_owned).to_vec();
    let (mut table, mut truth) = (Table { fields, ..Table::default() }, BTreeSet::new());
    let persons: Vec<Vec<String>> = (0..1_200).map(|_| made.person()).collect();
    for person in &persons[..800] {
        table.records.push(person.clone());
        table.sides.push(0);
    }
    for (at, person) in persons.iter().enumerate().skip(400) {
        if at < 800 {
            truth.insert((at, table.records.len()));
        }
        let copy = made.mistaken(person);
        table.records.push(copy);
        table.sides.push(1);
    }
    let pairs = found(&table, &Options::default().with_one_to(OneTo::One));
    assert!(f1(&pairs, &truth) > 0.99, "{}", f1(&pairs, &truth));
    assert!(pairs.iter().all(|&(a, b)| table.sides[a] != table.sides[b]));
    let partners: BTreeSet<usize> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
    assert_eq!(partners.len(), 2 * pairs.len(), "a record has two partners");
}

#[test]
fn tables_that_teach_nothing_have_no_panic() {
    // Records with commas between values, and semicolons between records.
    let table = |written: &str| {
        let records: Vec<Vec<String>> = written
            .split_terminator(';')
            .map(|record| record.split(',').map(str::to_owned).collect())
            .collect();
        let fields = (0..records.first().map_or(0, Vec::len)).map(|at| format!("f{at}")).collect();
        Table { fields, records, sides: Vec::new() }
    };
    for written in ["", "a;", "a,b;a,b;", ",;,;,;", "x;x;x;x;", "a,1;b,2;c,3;"] {
        let table = table(written);
        let matches = link(&table, &Options::default()).unwrap().matches;
        assert!(matches.iter().all(|found| found.a < found.b && found.b < table.records.len()), "{written}");
        assert!(
            matches.iter().all(|found| found.probability >= 0.5 && found.weight.is_finite()),
            "{written}"
        );
    }
    // A side that has no records.
    let mut one = table("a,b;a,b;");
    one.sides = vec![0, 0];
    assert!(link(&one, &Options::default()).unwrap().matches.is_empty());
    // What contradicts itself is refused.
    one.sides = vec![0];
    assert_eq!(link(&one, &Options::default()), Err(Error::Sides { records: 2, sides: 1 }));
    one.sides = vec![0, 2];
    assert_eq!(link(&one, &Options::default()), Err(Error::Side { record: 1, side: 2 }));
    one.sides = vec![0, 1];
    let options = Options::default().with_kind("nothing", Kind::Name);
    assert_eq!(link(&one, &options), Err(Error::Field { field: "nothing".into() }));
    assert!(link(&one, &Options::default().with_threshold(f64::NAN)).is_err());
}
