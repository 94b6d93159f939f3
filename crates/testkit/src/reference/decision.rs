//! Documents and candidate pairs -> what becomes of each document.

use super::{Fate, Item, Keep, Kind, Measure, Rules};
use crate::Result;
use lookalike::normalization::Normalization;
use std::cmp::{Ordering, Reverse};

/// What becomes of each document, given which pairs are candidates; they are verified exactly.
pub fn decide(
    items: &[Item],
    rules: &Rules,
    are_candidates: &dyn Fn(usize, usize) -> bool,
) -> Result<Vec<Fate>> {
    let prepared = Prepared::new(items, rules)?;
    prepared.decide(&|earlier, document| prepared.similarity_if_similar(earlier, document, are_candidates))
}

/// What becomes of each document, given the similarity of each pair of an earlier and a later document in keep order that is
/// similar: for other methods than min-hashing and other checks than the exact one. Of the rules, the threshold is not asked.
pub fn decide_with(
    items: &[Item],
    rules: &Rules,
    similarity_if_similar: &dyn Fn(usize, usize) -> Option<f64>,
) -> Result<Vec<Fate>> {
    let prepared = Prepared::new(items, rules)?;
    prepared.decide(&|earlier, document| {
        let may = prepared.may_meet(earlier, document) && !prepared.either_by_content_only(earlier, document);
        may.then(|| similarity_if_similar(earlier, document)).flatten()
    })
}

/// All pairs `(a, b, similarity)`, `a < b`, that are copies, or candidates at or above the threshold, ascending. With
/// containment, the part of the smaller document counts.
pub fn verified_pairs(
    items: &[Item],
    rules: &Rules,
    are_candidates: &dyn Fn(usize, usize) -> bool,
) -> Result<Vec<(usize, usize, f64)>> {
    let prepared = Prepared::new(items, rules)?;
    let mut pairs = Vec::new();
    for a in 0..items.len() {
        for b in a + 1..items.len() {
            let smaller_last =
                if prepared.elements[a].len() < prepared.elements[b].len() { (b, a) } else { (a, b) };
            let similarity = if prepared.are_copies(a, b) {
                Some(1.0)
            } else {
                prepared.similarity_if_similar(smaller_last.0, smaller_last.1, are_candidates)
            };
            pairs.extend(similarity.map(|similarity| (a, b, similarity)));
        }
    }
    Ok(pairs)
}

/// For each document the first one in keep order of all that verified pairs connect it with.
pub fn components(
    items: &[Item],
    rules: &Rules,
    are_candidates: &dyn Fn(usize, usize) -> bool,
) -> Result<Vec<usize>> {
    let pairs = verified_pairs(items, rules, are_candidates)?;
    let order = Prepared::new(items, rules)?.keep_order();
    let mut rank = vec![0; items.len()];
    for (place, &document) in order.iter().enumerate() {
        rank[document] = place;
    }
    // The smallest rank that reaches a document over pairs, handed on until nothing changes.
    let mut first = rank;
    loop {
        let before = first.clone();
        for &(a, b, _) in &pairs {
            let smaller = first[a].min(first[b]);
            (first[a], first[b]) = (smaller, smaller);
        }
        if first == before {
            return Ok(first.into_iter().map(|rank| order[rank]).collect());
        }
    }
}

struct Prepared<'a> {
    items: &'a [Item],
    rules: &'a Rules,
    normalized: Vec<String>,
    elements: Vec<Vec<u64>>,
}

impl<'a> Prepared<'a> {
    fn new(items: &'a [Item], rules: &'a Rules) -> Result<Self> {
        let normalized = items.iter().map(|item| Normalization::default().normalize(&item.text)).collect();
        let elements = items.iter().map(|item| rules.shingles.elements(&item.text, rules.bag));
        Ok(Self { items, rules, normalized, elements: elements.collect::<Result<_>>()? })
    }

    /// The rule of the module docs; `similar` gives the similarity of an earlier and a later document that are similar.
    fn decide(&self, similar: &dyn Fn(usize, usize) -> Option<f64>) -> Result<Vec<Fate>> {
        let order = self.keep_order();
        let mut fates: Vec<Option<Fate>> = vec![None; self.items.len()];
        let mut kept = Vec::new();
        for (at, &document) in order.iter().enumerate() {
            if self.items[document].protected {
                fates[document] = Some(Fate::Kept);
                kept.push(document);
                continue;
            }
            let may_remove = |other: &&usize| !self.rules.against_only || self.items[**other].protected;
            let copied =
                order[..at].iter().filter(may_remove).find(|&&other| self.are_copies(other, document));
            fates[document] = Some(match copied.map(|&other| (other, fates[other])) {
                // The first of its class was decided before; what became of it becomes of its copies.
                Some((_, Some(Fate::Removed { kept, similarity, .. }))) => {
                    Fate::Removed { kind: Kind::Near, kept, similarity }
                }
                Some((first, _)) => Fate::Removed { kind: Kind::Exact, kept: first, similarity: 1.0 },
                None => {
                    let mut similar = kept.iter().filter(may_remove).filter_map(|&other| {
                        let similarity = similar(other, document)?;
                        Some(Fate::Removed { kind: Kind::Near, kept: other, similarity })
                    });
                    similar.next().unwrap_or(Fate::Kept)
                }
            });
            if fates[document] == Some(Fate::Kept) {
                kept.push(document);
            }
        }
        Ok(fates.into_iter().map(|fate| fate.expect("every document is in the keep order")).collect())
    }

    fn keep_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.items.len()).collect();
        // The sort is stable: input order breaks ties.
        order.sort_by(|&a, &b| {
            let first = |document: usize| {
                let by_size = match self.rules.measure {
                    Measure::Jaccard => 0,
                    Measure::Containment => self.elements[document].len(),
                };
                (!self.items[document].protected, self.items[document].priority, Reverse(by_size))
            };
            first(a).cmp(&first(b)).then_with(|| self.by_policy(&self.items[a], &self.items[b]))
        });
        order
    }

    fn by_policy(&self, a: &Item, b: &Item) -> Ordering {
        let scores = |ascending: bool| match (&a.score, &b.score) {
            (Some(a), Some(b)) if ascending => a.compare(b),
            (Some(a), Some(b)) => b.compare(a),
            (a, b) => b.is_some().cmp(&a.is_some()),
        };
        match self.rules.keep {
            Keep::First => Ordering::Equal,
            Keep::Longest => b.text.len().cmp(&a.text.len()),
            Keep::Max => scores(false),
            Keep::Min => scores(true),
        }
    }

    fn may_meet(&self, a: usize, b: usize) -> bool {
        self.items[a].within == self.items[b].within
    }

    fn either_by_content_only(&self, a: usize, b: usize) -> bool {
        [a, b].into_iter().any(|document| {
            let text = &self.items[document].text;
            text.len() > self.rules.max_text || text.contains('\0')
        })
    }

    fn are_copies(&self, a: usize, b: usize) -> bool {
        self.may_meet(a, b) && self.normalized[a] == self.normalized[b]
    }

    /// The similarity of a document to an earlier one, if that makes it a duplicate.
    fn similarity_if_similar(
        &self,
        earlier: usize,
        document: usize,
        are_candidates: &dyn Fn(usize, usize) -> bool,
    ) -> Option<f64> {
        if !self.may_meet(earlier, document) || self.either_by_content_only(earlier, document) {
            return None;
        }
        let (a, b) = (&self.elements[earlier], &self.elements[document]);
        if a.is_empty() || b.is_empty() {
            return (a.is_empty() && b.is_empty()).then_some(1.0);
        }
        let common = b.iter().filter(|element| a.binary_search(element).is_ok()).count();
        let whole = match self.rules.measure {
            Measure::Jaccard => a.len() + b.len() - common,
            Measure::Containment => b.len(),
        };
        let similarity = common as f64 / whole as f64;
        (similarity >= self.rules.threshold && are_candidates(earlier, document)).then_some(similarity)
    }
}
