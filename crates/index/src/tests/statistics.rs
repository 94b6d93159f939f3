//! `found_probability` against what is found.

use super::in_memory;
use crate::store::memory::MemoryStore;
use crate::{Config, Document, ManualClock, Query, Stored};
use pipeline::{BandsAndRows, Settings};
use std::sync::Arc;

/// Pairs of one similarity, with a plan that finds about half of them. Each pair has words of its own, and so is found or
/// missed independently of the others.
///
/// The number of found pairs is binomial. The bound is 4.5 standard errors, so that a correct program fails with one of the
/// three thresholds for about 2 in 100,000 seeds.
#[test]
fn the_stated_probability_is_that_of_being_found() {
    const PAIRS: usize = 3_000;
    let settings = Settings::default()
        .with_shingles("words:1".into())
        .with_hashes(32)
        .with_bands(Some(BandsAndRows { bands: 8, rows: 4 }));
    // Of 60 words each, `shared` are in both: the similarity is shared / (120 - shared).
    for (shared, similarity) in [(40, 0.5), (45, 0.6), (50, 50.0 / 70.0)] {
        let config = Config::default().with_settings(settings.clone()).with_store(Stored::Shingles);
        let index = in_memory(&MemoryStore::default(), &config, &Arc::new(ManualClock::at(1)));
        let word = |pair: usize, side: usize, at: usize| match at < shared {
            true => format!("p{pair}x{at}"),
            false => format!("p{pair}x{at}s{side}"),
        };
        let text = |pair, side| (0..60).map(|at| word(pair, side, at)).collect::<Vec<_>>().join(" ");
        let documents: Vec<_> =
            (0..PAIRS).map(|pair| Document::new(format!("{pair}"), text(pair, 0))).collect();
        index.add_batch(&documents).unwrap();
        let (mut found, mut probability) = (0, 0.0);
        for pair in 0..PAIRS {
            // A little below the similarity, so that rounding does not decide.
            let query = Query::text(text(pair, 1)).with_threshold(Some(similarity - 1e-9));
            let answer = index.query(&query).unwrap();
            probability = answer.found_probability;
            found += answer.matches.len();
        }
        let share = found as f64 / PAIRS as f64;
        let error = (probability * (1.0 - probability) / PAIRS as f64).sqrt();
        assert!((share - probability).abs() < 4.5 * error, "{share} found, {probability} stated");
    }
}
