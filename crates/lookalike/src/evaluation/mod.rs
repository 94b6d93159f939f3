//! Pairs or clusters that were found, and the truth -> how good the answer is.
//!
//! Every pair of documents is one of four kinds: found or not, true or not. With *c* pairs that are both, *f* that were
//! found and *t* that are true:
//!
//! ```text
//! precision = c / f      recall = c / t      F1 = 2 c / (f + t), their harmonic mean
//! ```
//!
//! Clusters are judged by their pairs too, which favours large clusters: one of 100 documents has 4,950 pairs. So there is
//! [B-cubed](b_cubed) as well, in which every document counts the same.
//!
//! A truth is a list of [pairs](Truth::pairs), or a [group](Truth::groups) for each document. Groups are never written out
//! as pairs: counting takes time and memory proportional to the number of documents, however large a group is.
//!
//! Bagga and Baldwin, "Entity-Based Cross-Document Coreferencing Using the Vector Space Model" (1998), define B-cubed.
//!
//! ```
//! use lookalike::{Pair, evaluation::{Truth, best, curve}};
//!
//! let truth = Truth::pairs([(0, 1), (2, 3)]);
//! let pair = |a, b, similarity| Pair { a, b, similarity };
//! let points = curve(&[pair(0, 1, 0.9), pair(1, 2, 0.6), pair(3, 2, 0.7)], &truth);
//! let best = best(&points).unwrap();
//! assert_eq!((best.threshold, best.score.f1()), (0.7, 1.0));
//! assert_eq!(points.last().unwrap().score.precision(), 2.0 / 3.0);
//! ```

mod b_cubed;
mod clusters;
#[cfg(test)]
mod tests;
mod truth;

pub use b_cubed::{BCubed, b_cubed};
pub use clusters::{Member, cluster_curve};
pub use truth::Truth;

use crate::Pair;

/// How many pairs were found, how many are true, and how many are both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Score {
    /// Pairs that were found.
    pub found: u64,
    /// Pairs that are true.
    pub truth: u64,
    /// Pairs that were found and are true.
    pub correct: u64,
}

impl Score {
    /// The share of the found pairs that is true; 1 if none was found.
    #[must_use]
    pub fn precision(self) -> f64 {
        share(self.correct, self.found)
    }

    /// The share of the true pairs that was found; 1 if none is true.
    #[must_use]
    pub fn recall(self) -> f64 {
        share(self.correct, self.truth)
    }

    /// The harmonic mean of precision and recall.
    #[must_use]
    pub fn f1(self) -> f64 {
        share(2 * self.correct, self.found + self.truth)
    }

    /// Found pairs that are not true.
    #[must_use]
    pub fn wrong(self) -> u64 {
        self.found - self.correct
    }

    /// True pairs that were not found.
    #[must_use]
    pub fn missed(self) -> u64 {
        self.truth - self.correct
    }
}

fn share(part: u64, all: u64) -> f64 {
    if all == 0 { 1.0 } else { part as f64 / all as f64 }
}

/// The score of an answer that is cut at a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Only what is at least this similar counts as found.
    pub threshold: f64,
    /// The score of that.
    pub score: Score,
}

/// The score of the found pairs at each of their similarities, the highest first. The last point is the score of all of them.
/// Each pair must be listed once, in either order of its documents.
#[must_use]
pub fn curve(found: &[Pair], truth: &Truth) -> Vec<Point> {
    let mut pairs: Vec<&Pair> = found.iter().collect();
    pairs.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    let mut score = Score { truth: truth.len(), ..Score::default() };
    let steps = pairs.into_iter().map(|pair| {
        score.found += 1;
        score.correct += u64::from(truth.has(pair.a, pair.b));
        Point { threshold: pair.similarity, score }
    });
    last_of_each_threshold(steps)
}

/// The point with the highest F1; of equal ones that with the highest threshold.
#[must_use]
pub fn best(points: &[Point]) -> Option<Point> {
    points.iter().copied().reduce(|best, point| if point.score.f1() > best.score.f1() { point } else { best })
}

/// Documents that are equally similar are cut off together.
fn last_of_each_threshold(steps: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for point in steps {
        match points.last_mut().filter(|last| last.threshold == point.threshold) {
            Some(last) => *last = point,
            None => points.push(point),
        }
    }
    points
}
