//! Clusters that were found -> their score at each threshold.

use super::{Point, Score, Truth, last_of_each_threshold};
use std::collections::HashMap;

/// A document of a cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Member {
    /// The document. It must be a member of one cluster only.
    pub document: usize,
    /// The cluster.
    pub cluster: usize,
    /// How similar the document is to the one that the cluster is made around; 1 for that one itself.
    pub similarity: f64,
}

/// What is known of a cluster while documents are put into it.
#[derive(Debug, Default)]
struct Growing {
    documents: u64,
    /// How many of its documents are in which group of the truth.
    groups: HashMap<usize, u64>,
}

/// The score of the clusters at each similarity of a member, the highest first. All pairs within a cluster count as found. The
/// last point is the score of the whole clusters.
///
/// Documents are put into their clusters one after the other, the most similar first. A document makes as many found pairs as
/// its cluster has documents by then, and as many correct ones as it has true partners among them.
#[must_use]
pub fn cluster_curve(members: &[Member], truth: &Truth) -> Vec<Point> {
    let mut sorted: Vec<&Member> = members.iter().collect();
    sorted.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    let mut clusters: HashMap<usize, Growing> = HashMap::new();
    let mut cluster_of: HashMap<usize, usize> = HashMap::new();
    let mut score = Score { truth: truth.len(), ..Score::default() };
    let steps = sorted.into_iter().map(|member| {
        let cluster = clusters.entry(member.cluster).or_default();
        score.found += cluster.documents;
        cluster.documents += 1;
        if let Some(group) = truth.group(member.document) {
            let same = cluster.groups.entry(group).or_default();
            score.correct += *same;
            *same += 1;
        }
        let is_with = |other: &&usize| cluster_of.get(*other) == Some(&member.cluster);
        score.correct += truth.partners(member.document).iter().filter(is_with).count() as u64;
        cluster_of.insert(member.document, member.cluster);
        Point { threshold: member.similarity, score }
    });
    last_of_each_threshold(steps)
}
