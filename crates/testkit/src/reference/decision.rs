//! Documents and candidate pairs -> the fate of each document.

use super::{Fate, Item, Keep, Kind, Measure, Rules};
use crate::Result;
use lookalike::normalization::Normalization;
use std::cmp::{Ordering, Reverse};

/// The fate of each document. Pairs that `are_candidates` accepts are verified exactly.
pub fn decide(
    items: &[Item],
    rules: &Rules,
    are_candidates: &dyn Fn(usize, usize) -> bool,
) -> Result<Vec<Fate>> {
    let prepared = Prepared::new(items, rules)?;
    prepared.decide(&|earlier, document| prepared.similarity_if_similar(earlier, document, are_candidates))
}

/// The fate of each document, given the similarity of each similar pair (the document that is earlier in keep order
/// first). This is for methods other than min-hashing and for checks other than the exact one. The threshold of the
/// rules is not used.
pub fn decide_with(
    items: &[Item],
    rules: &Rules,
    similarity_if_similar: &dyn Fn(usize, usize) -> Option<f64>,
) -> Result<Vec<Fate>> {
    let prepared = Prepared::new(items, rules)?;
    prepared.decide(&|earlier, document| prepared.if_comparable(earlier, document, similarity_if_similar))
}

/// All pairs `(a, b, similarity)` with `a < b` that are copies, or candidates at or above the threshold, ascending.
/// With containment, the similarity is the share of the smaller document.
pub fn verified_pairs(
    items: &[Item],
    rules: &Rules,
    are_candidates: &dyn Fn(usize, usize) -> bool,
) -> Result<Vec<(usize, usize, f64)>> {
    let prepared = Prepared::new(items, rules)?;
    Ok(prepared.pairs(&|a, b| prepared.similarity_if_similar(a, b, are_candidates)))
}

/// All pairs that are copies, or similar according to another check than the exact one, as in [`decide_with`].
pub fn verified_pairs_with(
    items: &[Item],
    rules: &Rules,
    similarity_if_similar: &dyn Fn(usize, usize) -> Option<f64>,
) -> Result<Vec<(usize, usize, f64)>> {
    let prepared = Prepared::new(items, rules)?;
    Ok(prepared.pairs(&|a, b| prepared.if_comparable(a, b, similarity_if_similar)))
}

/// The fate of each document if all documents that are connected by similar pairs form one cluster. The similarity is
/// the similarity to the kept document, even if it is below the threshold.
pub fn decide_components(
    items: &[Item],
    rules: &Rules,
    are_candidates: &dyn Fn(usize, usize) -> bool,
) -> Result<Vec<Fate>> {
    let prepared = Prepared::new(items, rules)?;
    let similar = |a, b| prepared.similarity_if_similar(a, b, are_candidates);
    Ok(prepared.decide_components(&similar, &|first, document| prepared.similarity(first, document)))
}

/// The same with another check than the exact one, as in [`decide_with`]. Similarities are not computed, and are NaN.
pub fn decide_components_with(
    items: &[Item],
    rules: &Rules,
    similarity_if_similar: &dyn Fn(usize, usize) -> Option<f64>,
) -> Result<Vec<Fate>> {
    let prepared = Prepared::new(items, rules)?;
    let similar = |a, b| prepared.if_comparable(a, b, similarity_if_similar);
    Ok(prepared.decide_components(&similar, &|_, _| f64::NAN))
}

/// For each document, the first document in keep order that verified pairs connect it with.
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
    let pairs: Vec<(usize, usize)> = pairs.into_iter().map(|(a, b, _)| (rank[a], rank[b])).collect();
    let first = handed_on(items.len(), &pairs);
    Ok(rank.iter().map(|&rank| order[first[rank]]).collect())
}

/// For each of `0..count`, the smallest number that is connected with it over pairs: passed on until nothing changes.
fn handed_on(count: usize, pairs: &[(usize, usize)]) -> Vec<usize> {
    let mut first: Vec<usize> = (0..count).collect();
    loop {
        let before = first.clone();
        for &(a, b) in pairs {
            let smaller = first[a].min(first[b]);
            (first[a], first[b]) = (smaller, smaller);
        }
        if first == before {
            return first;
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

    /// The rule of the module documentation. `similar` gives the similarity of an earlier and a later document if
    /// they are similar.
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
                // The first document of its class was decided before. Its copies have the same fate.
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

    /// All copies and similar pairs.
    fn pairs(&self, similar: &dyn Fn(usize, usize) -> Option<f64>) -> Vec<(usize, usize, f64)> {
        let mut pairs = Vec::new();
        for a in 0..self.items.len() {
            for b in a + 1..self.items.len() {
                let smaller_last = self.elements[a].len() < self.elements[b].len();
                let (larger, smaller) = if smaller_last { (b, a) } else { (a, b) };
                let similarity = if self.are_copies(a, b) { Some(1.0) } else { similar(larger, smaller) };
                pairs.extend(similarity.map(|similarity| (a, b, similarity)));
            }
        }
        pairs
    }

    /// The rule of the module documentation for connected sets.
    fn decide_components(
        &self,
        similar: &dyn Fn(usize, usize) -> Option<f64>,
        similarity: &dyn Fn(usize, usize) -> f64,
    ) -> Vec<Fate> {
        let order = self.keep_order();
        let is_protected = |place: usize| self.items[order[place]].protected;
        // Documents by their position in keep order: the first of each class, and the first one that is connected
        // with it over similar pairs.
        let copied = |place: usize| (0..place).find(|&other| self.are_copies(order[other], order[place]));
        let class: Vec<usize> = (0..order.len()).map(|place| copied(place).unwrap_or(place)).collect();
        let mut pairs = Vec::new();
        for later in (0..order.len()).filter(|&place| class[place] == place && !is_protected(place)) {
            for earlier in (0..later).filter(|&place| class[place] == place) {
                let may = !self.rules.against_only || is_protected(earlier);
                if may && similar(order[earlier], order[later]).is_some() {
                    pairs.push((earlier, later));
                }
            }
        }
        let first = handed_on(order.len(), &pairs);
        let mut fates = vec![Fate::Kept; order.len()];
        for place in (0..order.len()).filter(|&place| !is_protected(place)) {
            let (document, original) = (order[place], class[place]);
            let kept = order[first[original]];
            let goes_with = first[original] != original && !is_protected(original);
            if goes_with {
                let similarity = similarity(kept, order[original]);
                fates[document] = Fate::Removed { kind: Kind::Near, kept, similarity };
            } else if original != place && (!self.rules.against_only || is_protected(original)) {
                fates[document] = Fate::Removed { kind: Kind::Exact, kept: order[original], similarity: 1.0 };
            }
        }
        fates
    }

    fn keep_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.items.len()).collect();
        // The sort is stable, so input order breaks ties.
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
        self.if_comparable(earlier, document, &|earlier, document| {
            let (a, b) = (&self.elements[earlier], &self.elements[document]);
            if a.is_empty() || b.is_empty() {
                return (a.is_empty() && b.is_empty()).then_some(1.0);
            }
            let similarity = self.similarity(earlier, document);
            (similarity >= self.rules.threshold && are_candidates(earlier, document)).then_some(similarity)
        })
    }

    /// The result of `similar` for two documents, if they are compared at all.
    fn if_comparable(
        &self,
        earlier: usize,
        document: usize,
        similar: &dyn Fn(usize, usize) -> Option<f64>,
    ) -> Option<f64> {
        let may = self.may_meet(earlier, document) && !self.either_by_content_only(earlier, document);
        may.then(|| similar(earlier, document)).flatten()
    }

    /// The similarity of a document to an earlier one, even if it is below the threshold.
    fn similarity(&self, earlier: usize, document: usize) -> f64 {
        let (a, b) = (&self.elements[earlier], &self.elements[document]);
        let common = b.iter().filter(|element| a.binary_search(element).is_ok()).count();
        let whole = match self.rules.measure {
            Measure::Jaccard => a.len() + b.len() - common,
            Measure::Containment => b.len(),
        };
        if whole == 0 { 1.0 } else { common as f64 / whole as f64 }
    }
}
