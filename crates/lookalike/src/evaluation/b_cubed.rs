//! B-cubed: the quality of clusters, in which every document counts the same.

use std::collections::HashMap;

/// Precision and recall of clusters, averaged over documents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BCubed {
    /// Of the documents in the cluster of a document (itself included), the share that is in its group; averaged.
    pub precision: f64,
    /// Of the documents in the group of a document (itself included), the share that is in its cluster; averaged.
    pub recall: f64,
}

impl BCubed {
    /// The harmonic mean of the two.
    #[must_use]
    pub fn f1(self) -> f64 {
        2.0 * self.precision * self.recall / (self.precision + self.recall)
    }
}

/// Judges clusters: `documents` has the found cluster and the true group of each document. Documents that are alone have a
/// cluster or a group of their own. `None` if there are no documents.
///
/// All documents in one cluster and in one group have the same share, so the average is a sum over those.
#[must_use]
pub fn b_cubed(documents: impl IntoIterator<Item = (usize, usize)>) -> Option<BCubed> {
    let (mut clusters, mut groups) = (HashMap::<usize, u64>::new(), HashMap::<usize, u64>::new());
    let mut both = HashMap::<(usize, usize), u64>::new();
    let mut count = 0u64;
    for (cluster, group) in documents {
        *clusters.entry(cluster).or_default() += 1;
        *groups.entry(group).or_default() += 1;
        *both.entry((cluster, group)).or_default() += 1;
        count += 1;
    }
    // The order of a hash map must not reach the sum.
    let mut both: Vec<_> = both.into_iter().collect();
    both.sort_unstable();
    let (mut precision, mut recall) = (0.0, 0.0);
    for ((cluster, group), shared) in both {
        let squared = (shared * shared) as f64;
        precision += squared / clusters[&cluster] as f64;
        recall += squared / groups[&group] as f64;
    }
    let count = (count > 0).then_some(count as f64)?;
    Some(BCubed { precision: precision / count, recall: recall / count })
}
