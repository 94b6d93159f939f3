//! Whole tables: generated persons with mistakes, whose truth is known.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use lookalike::hashing::SplitMix64;
use records::{Error, Kind, Model, ModelFile, OneTo, Options, Side, Table, link, link_until};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

const SYLLABLES: [&str; 20] = [
    "an", "ber", "ca", "do", "el", "fri", "gun", "hil", "in", "jo", "kar", "lu", "mar", "nor", "ol", "pe",
    "rag", "si", "tor", "ul",
];

const FIELDS: [&str; 6] = ["given", "surname", "street", "town", "born", "number"];

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
    let (mut table, mut truth) = (Table::new(FIELDS), BTreeSet::new());
    for _ in 0..persons {
        let first = table.len();
        let person = made.person();
        table.push(&person);
        if made.random.below(3) == 0 {
            for _ in 0..=made.random.below(3) {
                let copy = made.mistaken(&person);
                table.push(&copy);
            }
        }
        for a in first..table.len() {
            truth.extend((a + 1..table.len()).map(|b| (a, b)));
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
        assert!(linked.compared < 20 * table.len(), "{} pairs are compared", linked.compared);
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

/// The records of a table.
fn records(table: &Table) -> Vec<Vec<String>> {
    let record =
        |at: usize| (0..table.fields().len()).map(|field| table.value(at, field).to_owned()).collect();
    (0..table.len()).map(record).collect()
}

fn of_records(fields: &[String], records: impl IntoIterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new(fields);
    records.into_iter().for_each(|record| table.push(record));
    table
}

#[test]
fn the_order_of_records_and_fields_does_not_count() {
    let (table, _) = table(400, 3);
    let all = found(&table, &Options::default());
    let count = table.len();
    let reversed = of_records(table.fields(), records(&table).into_iter().rev());
    let back: BTreeSet<_> = found(&reversed, &Options::default())
        .into_iter()
        .map(|(a, b)| (count - 1 - b, count - 1 - a))
        .collect();
    assert!(f1(&all, &back) > 0.997, "another order finds other pairs: {}", f1(&all, &back));
    let fields: Vec<String> = table.fields().iter().rev().cloned().collect();
    let turned = records(&table).into_iter().map(|record| record.into_iter().rev().collect());
    let turned = of_records(&fields, turned);
    assert!(f1(&all, &found(&turned, &Options::default())) > 0.997);
}

#[test]
fn a_field_without_values_or_with_one_value_changes_nothing() {
    let (table, _) = table(400, 4);
    let all = found(&table, &Options::default());
    for value in ["", "the same"] {
        let fields: Vec<String> = table.fields().iter().cloned().chain(["more".to_owned()]).collect();
        let more = records(&table).into_iter().map(|mut record| {
            record.push(value.to_owned());
            record
        });
        let more = of_records(&fields, more);
        let linked = link(&more, &Options::default()).unwrap();
        assert_eq!(linked.fields_left_out.len(), 1);
        let same: BTreeSet<_> = linked.matches.iter().map(|it| (it.a, it.b)).collect();
        assert_eq!(all, same, "{value:?}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let (table, _) = table(500, 6);
    let one = link(&table, &Options::default()).unwrap();
    for threads in [2, 7] {
        assert_eq!(one, link(&table, &Options::default().with_threads(threads)).unwrap(), "{threads}");
    }
}

#[test]
fn a_model_that_was_kept_gives_the_same_matches() {
    let (table, _) = table(700, 8);
    let learnt = link(&table, &Options::default()).unwrap();
    let json = ModelFile::new(&learnt, &[]).to_json();
    let file = ModelFile::of_json(&json).unwrap();
    let again = link(&table, &Options::default().with_model(file.clone())).unwrap();
    assert_eq!(learnt.matches, again.matches);
    assert_eq!(learnt.model, again.model);
    // Another table, with the same weights.
    let (other, truth) = self::table(700, 9);
    let found: BTreeSet<_> = link(&other, &Options::default().with_model(file.clone()))
        .unwrap()
        .matches
        .iter()
        .map(|it| (it.a, it.b))
        .collect();
    assert!(f1(&found, &truth) > 0.98, "{}", f1(&found, &truth));
    // What is not a model, is newer, or was changed is refused.
    for (from, to) in [
        ("\"version\": 1", "\"version\": 2"),
        ("lookalike-records-model", "another"),
        ("\"prior\"", "\"prio\""),
        ("\"kind\": \"date\"", "\"kind\": \"text\""),
    ] {
        assert!(json.contains(from), "{from}");
        assert!(ModelFile::of_json(&json.replace(from, to)).is_err(), "{to}");
    }
    assert!(ModelFile::of_json(&json[..json.len() / 2]).is_err());
    let mut of_others = Table::new(["a", "b"]);
    of_others.push(["x", "y"]);
    let refused = link(&of_others, &Options::default().with_model(file));
    assert!(matches!(refused, Err(Error::OtherModel { .. })), "{refused:?}");
}

#[test]
fn rules_of_a_user_decide_what_is_compared() {
    let (table, _) = table(300, 10);
    let rule = || ["surname".to_owned(), "town".to_owned()];
    let linked = link(&table, &Options::default().with_block(rule())).unwrap();
    for found in &linked.matches {
        for field in [1, 3] {
            assert_eq!(table.value(found.a, field), table.value(found.b, field));
        }
    }
    assert_eq!(
        linked.bands.iter().map(|figures| figures.band.to_string()).collect::<Vec<_>>(),
        ["surname and town"]
    );
    let unknown = link(&table, &Options::default().with_block(["nothing".to_owned()]));
    assert_eq!(unknown, Err(Error::Field { field: "nothing".into() }));
    // A field that says nothing cannot choose either, and the rule does not go without it.
    for (value, why) in [("norway", "one value"), ("", "no values")] {
        let mut fields: Vec<String> = table.fields().to_vec();
        fields.push("country".into());
        let more = records(&table).into_iter().map(|mut record| {
            record.push(value.into());
            record
        });
        let more = of_records(&fields, more);
        let refused = link(&more, &Options::default().with_block(["surname".into(), "country".into()]));
        assert_eq!(refused, Err(Error::Block { field: "country".into(), why: why.into() }));
    }
}

/// Whoever asks for less gets fewer bands and comparisons, and what is found stays near what was asked for.
#[test]
fn a_lower_recall_compares_less() {
    let (table, truth) = table(1_500, 1);
    let linked = |recall: f64| link(&table, &Options::default().with_recall(recall)).unwrap();
    let [most, some, least] = [0.99, 0.8, 0.3].map(linked);
    assert!(
        most.compared > some.compared && some.compared > least.compared,
        "{} {} {}",
        most.compared,
        some.compared,
        least.compared
    );
    assert!(most.bands.len() > least.bands.len(), "{} {}", most.bands.len(), least.bands.len());
    for (linked, recall) in [(most, 0.99), (some, 0.8), (least, 0.3)] {
        let right = linked.matches.iter().filter(|it| truth.contains(&(it.a, it.b))).count() as f64;
        assert!(right / truth.len() as f64 > recall - 0.01, "{right} of {} at {recall}", truth.len());
    }
}

/// A block that is too large, and that no other field takes apart, is left out and counted.
#[test]
fn hot_blocks_are_cut_and_counted() {
    let mut table = Table::new(["city", "sex", "number"]);
    for at in 0..2_000 {
        let number = if at % 100 == 0 { at.to_string() } else { String::new() };
        table.push([if at % 50 == 0 { "bergen" } else { "oslo" }, ["f", "m"][at % 2], &number]);
    }
    let linked = link(&table, &Options::default().with_block(["city".to_owned()])).unwrap();
    assert!(linked.left_out > 1_500, "{}", linked.left_out);
    assert!(linked.compared < 100_000, "{} pairs are compared", linked.compared);
}

#[test]
fn candidates_and_scores_are_those_of_all_pairs() {
    // With a model that was learnt, a small table is compared pair by pair; bands find nearly all of its matches.
    let (large, _) = table(700, 11);
    let learnt = link(&large, &Options::default()).unwrap();
    let model: Model = learnt.model.clone();
    let file = ModelFile::of_json(&ModelFile::new(&learnt, &[]).to_json()).unwrap();
    let small = of_records(large.fields(), records(&large).into_iter().take(190));
    let all = link(&small, &Options::default().with_model(file)).unwrap();
    assert_eq!(all.compared, 190 * 189 / 2);
    let by_bands: BTreeSet<_> =
        learnt.matches.iter().filter(|it| it.b < 190).map(|it| (it.a, it.b)).collect();
    let by_all: BTreeSet<_> = all.matches.iter().map(|it| (it.a, it.b)).collect();
    assert!(f1(&by_bands, &by_all) > 0.97, "{} {}", by_bands.len(), by_all.len());
    assert_eq!(model.fields.len(), FIELDS.len());
}

#[test]
fn two_tables_are_linked_one_to_one() {
    let mut made = Persons { random: SplitMix64::new(9) };
    let (mut table, mut truth) = (Table::new(FIELDS), BTreeSet::new());
    let mut sides = Vec::new();
    let persons: Vec<Vec<String>> = (0..1_200).map(|_| made.person()).collect();
    for person in &persons[..800] {
        table.push_to(Side::First, person);
        sides.push(0);
    }
    for (at, person) in persons.iter().enumerate().skip(400) {
        if at < 800 {
            truth.insert((at, table.len()));
        }
        let copy = made.mistaken(person);
        table.push_to(Side::Second, &copy);
        sides.push(1);
    }
    let pairs = found(&table, &Options::default().with_one_to(OneTo::One));
    assert!(f1(&pairs, &truth) > 0.99, "{}", f1(&pairs, &truth));
    assert!(pairs.iter().all(|&(a, b)| sides[a] != sides[b]));
    let partners: BTreeSet<usize> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
    assert_eq!(partners.len(), 2 * pairs.len(), "a record has two partners");
}

/// With one to many, a record of the inputs has one partner at the most, and one of the other table may have several.
#[test]
fn two_tables_are_linked_one_to_many() {
    let mut made = Persons { random: SplitMix64::new(21) };
    let (mut table, mut truth) = (Table::new(FIELDS), BTreeSet::new());
    let persons: Vec<Vec<String>> = (0..600).map(|_| made.person()).collect();
    // Some persons are in the first table twice, so that their copies have two partners there.
    let first: Vec<usize> = (0..600).chain(0..100).collect();
    first.iter().for_each(|&person| table.push_to(Side::First, &persons[person]));
    for person in (0..600).chain(200..400) {
        truth.insert((person, table.len()));
        let copy = made.mistaken(&persons[person]);
        table.push_to(Side::Second, &copy);
    }
    let of = |one_to: OneTo| found(&table, &Options::default().with_one_to(one_to));
    let partners = |pairs: &BTreeSet<(usize, usize)>, of_first: bool| -> usize {
        let mut counts = BTreeMap::<usize, usize>::new();
        pairs.iter().for_each(|&(a, b)| *counts.entry(if of_first { a } else { b }).or_default() += 1);
        counts.into_values().max().unwrap()
    };
    let (many, one_to_many) = (of(OneTo::Many), of(OneTo::OneToMany));
    assert!(partners(&many, false) > 1, "without it, a record of the inputs has two partners");
    assert_eq!((partners(&one_to_many, true), partners(&one_to_many, false)), (2, 1));
    assert!(one_to_many.is_subset(&many));
    // Which of two equal records of the first table is the partner does not count here.
    let of_person: BTreeSet<_> = one_to_many.iter().map(|&(a, b)| (first[a], b)).collect();
    assert!(f1(&of_person, &truth) > 0.99, "{}", f1(&of_person, &truth));
}

#[test]
fn tables_that_teach_nothing_have_no_panic() {
    // Records with commas between values, and semicolons between records.
    let table = |written: &str| {
        let records: Vec<Vec<String>> = written
            .split_terminator(';')
            .map(|record| record.split(',').map(str::to_owned).collect())
            .collect();
        let fields: Vec<String> =
            (0..records.first().map_or(0, Vec::len)).map(|at| format!("f{at}")).collect();
        of_records(&fields, records)
    };
    for written in ["", "a;", "a,b;a,b;", ",;,;,;", "x;x;x;x;", "a,1;b,2;c,3;"] {
        let table = table(written);
        let matches = link(&table, &Options::default()).unwrap().matches;
        assert!(matches.iter().all(|found| found.a < found.b && found.b < table.len()), "{written}");
        assert!(
            matches.iter().all(|found| found.probability >= 0.5 && found.weight.is_finite()),
            "{written}"
        );
    }
    // The rule decides where nothing can be learnt: equal records match, and different ones do not.
    let same = link(&table("a,b;a,b;c,d;"), &Options::default()).unwrap();
    assert_eq!(same.matches.iter().map(|it| (it.a, it.b)).collect::<Vec<_>>(), [(0, 1)]);
    assert!(same.rule.is_some());
    // A side that has no records.
    let mut one = Table::new(["a", "b"]);
    one.push_to(Side::First, ["a", "b"]);
    one.push_to(Side::First, ["a", "b"]);
    assert!(link(&one, &Options::default()).unwrap().matches.is_empty());
    // What contradicts itself is refused.
    one.push(["a", "b"]);
    assert_eq!(link(&one, &Options::default()), Err(Error::Sides { records: 3, sides: 2 }));
    let two = table("a,b;c,d;");
    let options = Options::default().with_kind("nothing", Kind::Name);
    assert_eq!(link(&two, &options), Err(Error::Field { field: "nothing".into() }));
    assert!(link(&two, &Options::default().with_threshold(f64::NAN)).is_err());
}

#[test]
fn a_label_decides_its_pair_even_if_no_band_finds_it() {
    let (table, truth) = table(300, 12);
    let rule = || Options::default().with_block(["surname".to_owned(), "town".to_owned()]);
    let differs = |&&(a, b): &&(usize, usize)| table.value(a, 1) != table.value(b, 1);
    let &(a, b) = truth.iter().find(differs).unwrap();
    let without = found(&table, &rule());
    assert!(!without.contains(&(a, b)));
    let linked = link(&table, &rule().with_label(b, a, true)).unwrap();
    let of_pair = linked.matches.iter().find(|it| (it.a, it.b) == (a, b)).unwrap();
    assert_eq!(of_pair.probability, 1.0);
    assert!(linked.matches.is_sorted_by_key(|it| (it.a, it.b)));
    assert!(!found(&table, &rule().with_label(a, b, false)).contains(&(a, b)));
    let &(a, b) = without.first().unwrap();
    assert!(!found(&table, &rule().with_label(a, b, false)).contains(&(a, b)));
}

#[test]
fn a_labelled_partner_comes_before_a_better_one() {
    let mut made = Persons { random: SplitMix64::new(13) };
    let mut table = Table::new(FIELDS);
    let persons: Vec<Vec<String>> = (0..400).map(|_| made.person()).collect();
    persons.iter().for_each(|person| table.push_to(Side::First, person));
    persons.iter().for_each(|person| table.push_to(Side::Second, person));
    // The person 7 once more, with another name.
    let mut other = persons[7].clone();
    other[0] = "xaver".into();
    table.push_to(Side::Second, &other);
    let one_to_one = || Options::default().with_one_to(OneTo::One);
    let partner = |options: &Options| -> Vec<usize> {
        found(&table, options).into_iter().filter(|it| it.0 == 7).map(|it| it.1).collect()
    };
    assert_eq!(partner(&one_to_one()), [407]);
    assert_eq!(partner(&one_to_one().with_label(7, 800, true)), [800]);
    // Records of one table are not compared, whatever is said of them.
    assert_eq!(partner(&one_to_one().with_label(7, 8, true)), [407]);
}

#[test]
fn the_log_odds_of_any_pair_can_be_asked_for() {
    let (table, _) = table(300, 14);
    let linked = link(&table, &Options::default()).unwrap();
    let known = &linked.matches[0];
    let options = Options::default().with_weighed(known.b, known.a).with_weighed(0, table.len() - 1);
    let asked = link(&table, &options).unwrap();
    assert_eq!((asked.weighed[0].0, asked.matches), (known.weight, linked.matches.clone()));
    assert!(asked.weighed.len() == 2 && asked.weighed[1].0 < 0.0, "{:?}", asked.weighed);
}

/// Wherever it is asked to stop, it stops, and asks hardly again.
#[test]
fn linking_stops_wherever_it_is_asked_to() {
    let table = {
        let persons = testkit::corpora::Persons::new(5);
        let mut table = Table::new(testkit::corpora::Persons::FIELDS);
        (0..3_000).flat_map(|person| persons.of(person)).for_each(|record| table.push(&record));
        table
    };
    for threads in [1, 2] {
        let options = Options::default().with_threads(threads);
        let asked = AtomicUsize::new(0);
        let stop_after = |most: usize| {
            asked.store(0, Ordering::Relaxed);
            link_until(&table, &options, &|| asked.fetch_add(1, Ordering::Relaxed) >= most)
        };
        assert_eq!(stop_after(usize::MAX), link(&table, &options));
        let all = asked.load(Ordering::Relaxed);
        assert!(all > 300, "it asks {all} times");
        for most in (0..all).step_by(all / 12) {
            assert_eq!(stop_after(most), Err(Error::Stopped), "after {most} of {all}");
            assert!(asked.load(Ordering::Relaxed) <= most + threads, "after {most} of {all}");
        }
    }
}
