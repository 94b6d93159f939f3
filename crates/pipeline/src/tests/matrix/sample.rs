//! What is varied: every two values of two options meet in some run.

pub(super) use testkit::pairwise::Row;
use testkit::pairwise::{Choice, Impossible, Options};

/// Everything that is varied. The last three may not change the answer.
const CHOICES: &[Choice] = &[
    ("corpus", &["planted", "templates", "slots", "edges"]),
    ("finds", &["minhash", "containment", "simhash"]),
    ("verify", &["exact", "estimate", "none"]),
    ("keep", &["first", "longest", "max:score", "min:score"]),
    ("prefer", &["", "*part-001.jsonl", "*part-002.jsonl,*part-001.jsonl"]),
    ("within", &["", "domain"]),
    ("elements", &["set", "bag"]),
    ("clusters", &["stars", "components"]),
    ("against", &["none", "some", "only"]),
    ("bad", &["skip", "keep"]),
    ("threshold", &["0.5", "0.8", "1"]),
    ("max-text", &["16777216", "500"]),
    ("asks", &["dedup", "pairs"]),
    ("memory", &["plenty", "tiny"]),
    ("threads", &["1", "2", "3", "4"]),
];

/// Two values that the command refuses together, or that mean nothing together.
const IMPOSSIBLE: &[Impossible] = &[
    [("finds", "containment"), ("verify", "estimate")],
    [("finds", "containment"), ("verify", "none")],
    [("finds", "containment"), ("keep", "longest")],
    [("finds", "containment"), ("keep", "max:score")],
    [("finds", "containment"), ("keep", "min:score")],
    // Pairs are symmetric: nobody is kept.
    [("asks", "pairs"), ("keep", "longest")],
    [("asks", "pairs"), ("keep", "max:score")],
    [("asks", "pairs"), ("keep", "min:score")],
    [("asks", "pairs"), ("prefer", "*part-001.jsonl")],
    [("asks", "pairs"), ("prefer", "*part-002.jsonl,*part-001.jsonl")],
    [("asks", "pairs"), ("clusters", "components")],
    [("asks", "pairs"), ("against", "some")],
    [("asks", "pairs"), ("against", "only")],
];

/// The runs that are made.
pub(super) const OPTIONS: Options = Options { choices: CHOICES, impossible: IMPOSSIBLE };

#[test]
fn every_two_values_of_two_options_meet_in_some_run() {
    for seed in super::SEEDS {
        let rows = OPTIONS.rows(seed);
        assert!(rows.len() < 60, "{} runs are more than a test should take", rows.len());
        OPTIONS.check(&rows);
    }
}
