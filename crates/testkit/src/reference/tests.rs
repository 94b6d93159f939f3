use super::*;
use crate::corpora::{Planted, Prose, Score, edge_documents, edited};

fn decided(items: &[Item], rules: &Rules) -> Vec<Fate> {
    let lanes = Lanes::new(items, rules, lane_of).unwrap();
    decide(items, rules, &|a, b| lanes.are_candidates(a, b)).unwrap()
}

fn items(texts: &[&str]) -> Vec<Item> {
    texts.iter().map(|&text| Item::new(text)).collect()
}

fn removed(kind: Kind, kept: usize) -> impl Fn(&Fate) -> bool {
    move |fate| matches!(fate, Fate::Removed { kind: k, kept: by, .. } if *k == kind && *by == kept)
}

/// A text, a second text with a similarity of about 0.9 to it, and a third with the same similarity to the second.
fn chain() -> [String; 3] {
    let prose = Prose::new(5);
    let a = prose.text(0, 5_000);
    let b = edited(&prose, &a, 0.87, 1);
    let c = edited(&prose, &b, 0.87, 2);
    [a, b, c]
}

#[test]
fn chains_do_not_remove_what_differs() {
    let [a, b, c] = chain();
    let fates = decided(&items(&[&a, &b, &c]), &Rules::default());
    assert_eq!(fates[0], Fate::Kept);
    assert!(removed(Kind::Near, 0)(&fates[1]), "{fates:?}");
    assert_eq!(fates[2], Fate::Kept);
    let all = items(&[&a, &b, &c]);
    assert_eq!(components(&all, &Rules::default(), &|_, _| true).unwrap(), [0, 0, 0]);
}

#[test]
fn a_copy_of_a_removed_document_names_its_keeper() {
    let [a, b, _] = chain();
    let fates = decided(&items(&[&a, &b, &b.to_uppercase(), &a.to_uppercase()]), &Rules::default());
    assert!(removed(Kind::Near, 0)(&fates[1]) && fates[1] == fates[2], "{fates:?}");
    assert_eq!(fates[3], Fate::Removed { kind: Kind::Exact, kept: 0, similarity: 1.0 });
}

#[test]
fn keep_policies_choose() {
    let [a, b, _] = chain();
    let longer = format!("{b} more");
    let mut all = items(&[&a, &b, &longer]);
    all[0].score = Some(Score::Number(1.0));
    all[1].score = Some(Score::Integer(3));
    let kept = |keep| {
        let fates = decided(&all, &Rules { keep, threshold: 0.7, ..Rules::default() });
        (0..3).filter(|&document| fates[document] == Fate::Kept).collect::<Vec<_>>()
    };
    assert_eq!(kept(Keep::First), [0]);
    let longest = if a.len() >= longer.len() { 0 } else { 2 };
    assert_eq!(kept(Keep::Longest), [longest]);
    assert_eq!(kept(Keep::Max), [1]);
    assert_eq!(kept(Keep::Min), [0]);
    all[2].priority = 0;
    all[0].priority = 1;
    all[1].priority = 1;
    let fates = decided(&all, &Rules { keep: Keep::Max, threshold: 0.7, ..Rules::default() });
    assert_eq!(fates[2], Fate::Kept);
    assert!(removed(Kind::Near, 2)(&fates[1]));
}

#[test]
fn protected_documents_stay_and_remove() {
    let [a, b, c] = chain();
    let mut all = items(&[&b, &c, &b, &c.to_uppercase(), &a, &b]);
    all[4].protected = true;
    all[5].protected = true;
    let fates = decided(&all, &Rules::default());
    assert_eq!((fates[4], fates[5]), (Fate::Kept, Fate::Kept));
    assert!(removed(Kind::Exact, 5)(&fates[0]) && removed(Kind::Exact, 5)(&fates[2]), "{fates:?}");
    // c is similar to b, so it is removed, and its copy with it.
    assert!(removed(Kind::Near, 5)(&fates[1]) && fates[1] == fates[3], "{fates:?}");
}

#[test]
fn against_only_leaves_the_rest_alone() {
    let [a, b, c] = chain();
    let mut all = items(&[&b, &c, &c, &a, &a]);
    all[3].protected = true;
    let fates = decided(&all, &Rules { against_only: true, ..Rules::default() });
    assert!(removed(Kind::Near, 3)(&fates[0]), "{fates:?}");
    assert_eq!((fates[1], fates[2]), (Fate::Kept, Fate::Kept));
    assert!(removed(Kind::Exact, 3)(&fates[4]));
}

#[test]
fn within_separates() {
    let [a, b, _] = chain();
    let mut all = items(&[&a, &b, &a, &b]);
    for (number, item) in all.iter_mut().enumerate() {
        item.within = (number > 1).then(|| "x".into());
    }
    let fates = decided(&all, &Rules::default());
    assert_eq!((fates[0], fates[2]), (Fate::Kept, Fate::Kept));
    assert!(removed(Kind::Near, 0)(&fates[1]) && removed(Kind::Near, 2)(&fates[3]));
}

#[test]
fn containment_removes_the_part() {
    let prose = Prose::new(6);
    let (part, rest) = (prose.text(0, 3_000), prose.text(1, 9_000));
    let whole = format!("{part} {rest}");
    let all = items(&[&part, &whole]);
    let rules = Rules { measure: Measure::Containment, ..Rules::default() };
    let fates = decide(&all, &rules, &|_, _| true).unwrap();
    assert_eq!(fates[1], Fate::Kept);
    assert!(removed(Kind::Near, 1)(&fates[0]));
    assert_eq!(decided(&all, &Rules::default()), [Fate::Kept, Fate::Kept]);
    assert_eq!(verified_pairs(&all, &rules, &|_, _| true).unwrap().len(), 1);
}

#[test]
fn edges_come_out_as_stated() {
    let documents = edge_documents();
    let all: Vec<Item> = documents.iter().map(|document| Item::new(document.text.clone())).collect();
    let fates = decided(&all, &Rules::default());
    let number = |id: &str| documents.iter().position(|document| document.id == id).unwrap();
    let fate = |id: &str| fates[number(id)];
    for (id, kind, kept) in [
        ("empty-again", Kind::Exact, "empty"),
        ("blanks", Kind::Exact, "empty"),
        ("punctuation", Kind::Near, "empty"),
        ("one-word-capital", Kind::Exact, "one-word"),
        ("one-word-stop", Kind::Near, "one-word"),
        ("four-words-again", Kind::Exact, "four-words"),
        ("nul-again", Kind::Exact, "nul"),
        ("chinese-similar", Kind::Near, "chinese"),
        ("thai-similar", Kind::Near, "thai"),
        ("repeated-more", Kind::Near, "repeated"),
        ("composed", Kind::Exact, "combining"),
        ("plain-capitals", Kind::Exact, "plain"),
        ("plain-longer", Kind::Near, "plain"),
    ] {
        assert!(removed(kind, number(kept))(&fate(id)), "{id}: {:?}", fate(id));
    }
    for id in ["empty", "one-word", "five-words", "nul-similar", "chinese-other", "long-word-similar"] {
        assert_eq!(fate(id), Fate::Kept, "{id}");
    }
}

#[test]
fn what_is_removed_is_similar_to_something_kept_and_kept_ones_are_not_similar() {
    let documents = Planted { documents: 300, bytes: (50, 1_500), ..Planted::default() }.collect();
    let all: Vec<Item> = documents.into_iter().map(|document| Item::new(document.text)).collect();
    for bag in [false, true] {
        let rules = Rules { bag, threshold: 0.6, bands: 32, rows: 4, ..Rules::default() };
        let lanes = Lanes::new(&all, &rules, lane_of).unwrap();
        let candidates = |a: usize, b: usize| lanes.are_candidates(a, b);
        let fates = decide(&all, &rules, &candidates).unwrap();
        let pairs = verified_pairs(&all, &rules, &candidates).unwrap();
        let mut gone = 0;
        for (document, fate) in fates.iter().enumerate() {
            if let Fate::Removed { kept, similarity, .. } = *fate {
                gone += 1;
                assert_eq!(fates[kept], Fate::Kept);
                assert!(pairs.contains(&(kept.min(document), kept.max(document), similarity)));
            }
        }
        assert!(gone > 30);
        assert!(pairs.iter().all(|&(a, b, _)| fates[a] != Fate::Kept || fates[b] != Fate::Kept));
    }
}

#[test]
fn other_checks_decide_by_the_same_rule() {
    let all = items(&["a b c d e f", "g h i j k l", "m n o p q r", "A B C D E F", "nul\0 in it"]);
    // 0 and 1 are similar, 1 and 2 are similar, and every document is similar to 4.
    let similar = |a: usize, b: usize| (a.abs_diff(b) == 1 || a.max(b) == 4).then_some(0.5);
    let fates = decide_with(&all, &Rules::default(), &similar).unwrap();
    assert!(removed(Kind::Near, 0)(&fates[1]), "{fates:?}");
    assert!(removed(Kind::Exact, 0)(&fates[3]), "{fates:?}");
    assert_eq!((fates[0], fates[2], fates[4]), (Fate::Kept, Fate::Kept, Fate::Kept));
}

#[test]
fn the_rule_equals_that_of_the_library() {
    use lookalike::clustering::{self, KeepOrder};
    use lookalike::verification::Pair;
    for seed in 0..5 {
        let corpus =
            Planted { documents: 150, bytes: (100, 900), copies: 0.0, near: 0.6, seed, ..Planted::default() };
        let mut texts: Vec<String> = corpus.iter().map(|document| document.text).collect();
        texts.sort();
        texts.dedup();
        let all: Vec<Item> = texts.into_iter().map(Item::new).collect();
        let rules = Rules { threshold: 0.5, keep: Keep::Longest, ..Rules::default() };
        let fates = decide(&all, &rules, &|_, _| true).unwrap();
        let pairs = verified_pairs(&all, &rules, &|_, _| true).unwrap();
        let verified: Vec<Pair> = pairs.iter().map(|&(a, b, similarity)| Pair { a, b, similarity }).collect();
        let order =
            KeepOrder::by_key(all.len(), |document| std::cmp::Reverse(all[document].text.len())).unwrap();
        let survivors = clustering::survivors(&order, &verified).unwrap();
        for (document, fate) in survivors.fates().iter().enumerate() {
            match (fate, fates[document]) {
                (clustering::Fate::Kept, Fate::Kept) => {}
                (
                    clustering::Fate::Removed { by, similarity },
                    Fate::Removed { kept, similarity: own, .. },
                ) => {
                    assert_eq!((*by, *similarity), (kept, own));
                }
                other => panic!("document {document}: {other:?}"),
            }
        }
    }
}
