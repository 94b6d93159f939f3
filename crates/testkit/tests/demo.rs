//! The demo corpus contains the cases that it is meant to show.

use testkit::oracle::{Shingles, jaccard_pairs};
use testkit::reference::{Fate, Item, Kind, Lanes, Rules, decide, lane_of};

const DEMO: &str = include_str!("../../../demo/articles.jsonl");

fn texts() -> Vec<String> {
    let text = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("the demo is JSON Lines");
        value["text"].as_str().expect("every article has a text").to_owned()
    };
    DEMO.lines().map(text).collect()
}

#[test]
fn it_has_near_duplicates_of_all_degrees() {
    let texts = texts();
    assert_eq!(texts.len(), 202);
    let pairs = jaccard_pairs(&texts, Shingles::Words(5), 0.2).unwrap();
    for (least, greatest) in [(0.2, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 1.0)] {
        let count = pairs.iter().filter(|pair| (least..greatest).contains(&pair.jaccard())).count();
        assert!(count >= 6, "{count} pairs from {least} to {greatest}");
    }
    // No pair is so close to the threshold that another definition of a word would change the decision.
    assert!(pairs.iter().all(|pair| (pair.jaccard() - 0.8).abs() > 0.001));
}

#[test]
fn the_defaults_remove_a_quarter() {
    let items: Vec<Item> = texts().into_iter().map(Item::new).collect();
    let rules = Rules::default();
    let lanes = Lanes::new(&items, &rules, lane_of).unwrap();
    let fates = decide(&items, &rules, &|a, b| lanes.are_candidates(a, b)).unwrap();
    let count = |wanted: Option<Kind>| {
        let kind = |fate: &Fate| match fate {
            Fate::Kept => None,
            Fate::Removed { kind, .. } => Some(*kind),
        };
        fates.iter().filter(|fate| kind(fate) == wanted).count()
    };
    assert_eq!((count(None), count(Some(Kind::Exact)), count(Some(Kind::Near))), (148, 8, 46));
}
