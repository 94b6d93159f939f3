//! Removed documents -> the clusters and pairs that a page shows as examples, with the texts of their documents.

use figures::{Checked, ClusterExample, ExampleText, Member, PairExample, ValueExample};
use pipeline::{
    Excerpt, FinishedRun, Kind, Limit, Measure, Reference, RunCluster, RunClusters, RunPair, Settings,
    compare_values,
};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// The number of examples of each kind.
const EXAMPLES: usize = 20;

/// The number of members of a cluster that are shown.
const MEMBERS: usize = 8;

/// The largest number of bytes of text that an example shows.
pub const SHOWN: usize = 12_000;

/// The clusters and pairs that are shown. Documents are identified by their numbers, in input order.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Chosen {
    clusters: RunClusters,
    /// Removed near-duplicates, the least similar first.
    least_similar: Vec<RunPair>,
    /// Pairs below the threshold, the most similar first. Empty if the run did not store them.
    near_misses: Vec<RunPair>,
}

impl Chosen {
    /// Chooses examples from a finished run.
    pub fn of_run(run: &FinishedRun) -> pipeline::Result<Self> {
        Ok(Self {
            clusters: run.clusters(EXAMPLES, MEMBERS)?,
            least_similar: run.least_similar(EXAMPLES)?,
            near_misses: run.near_misses().iter().copied().take(EXAMPLES).collect(),
        })
    }

    /// Chooses examples from a run that has no folder, given all its removed documents in input order.
    #[must_use]
    pub fn of_removed(removed: &[RunPair]) -> Self {
        Self {
            clusters: largest_clusters(removed),
            least_similar: least_similar(removed),
            near_misses: Vec::new(),
        }
    }

    /// The same without near misses, which only a folder stores.
    #[cfg(test)]
    pub(crate) fn without_near_misses(self) -> Self {
        Self { near_misses: Vec::new(), ..self }
    }

    /// The numbers of the documents that are shown, ascending, each once.
    #[must_use]
    pub fn documents(&self) -> Vec<u64> {
        let of_cluster = |cluster: &RunCluster| {
            let removed: Vec<u64> = cluster.removed.iter().map(|pair| pair.other).collect();
            std::iter::once(cluster.kept).chain(removed)
        };
        let pairs = self.least_similar.iter().chain(&self.near_misses);
        let clusters = self.clusters.largest.iter().flat_map(of_cluster);
        let mut documents: Vec<u64> =
            clusters.chain(pairs.flat_map(|pair| [pair.kept, pair.other])).collect();
        documents.sort_unstable();
        documents.dedup();
        documents
    }
}

fn largest_clusters(removed: &[RunPair]) -> RunClusters {
    let mut sizes_by_kept: HashMap<u64, u64> = HashMap::new();
    for pair in removed {
        *sizes_by_kept.entry(pair.kept).or_insert(1) += 1;
    }
    let mut by_size: Vec<(Reverse<u64>, u64)> =
        sizes_by_kept.into_iter().map(|(kept, size)| (Reverse(size), kept)).collect();
    by_size.sort_unstable();
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    for (Reverse(size), _) in &by_size {
        *sizes.entry(*size).or_default() += 1;
    }
    by_size.truncate(EXAMPLES);
    let mut members: HashMap<u64, Vec<RunPair>> =
        by_size.iter().map(|(_, kept)| (*kept, Vec::new())).collect();
    for pair in removed {
        if let Some(of_cluster) = members.get_mut(&pair.kept).filter(|members| members.len() < MEMBERS) {
            of_cluster.push(*pair);
        }
    }
    let cluster = |(Reverse(size), kept): (Reverse<u64>, u64)| RunCluster {
        kept,
        removed: members.remove(&kept).unwrap_or_default(),
        size,
    };
    RunClusters { largest: by_size.into_iter().map(cluster).collect(), sizes }
}

fn least_similar(removed: &[RunPair]) -> Vec<RunPair> {
    let mut near: Vec<(f64, RunPair)> = removed
        .iter()
        .filter(|pair| !pair.is_exact)
        .filter_map(|pair| pair.similarity.map(|similarity| (similarity, *pair)))
        .collect();
    near.sort_by(|(similarity, pair), (other, with)| {
        similarity.total_cmp(other).then(pair.other.cmp(&with.other))
    });
    near.truncate(EXAMPLES);
    near.into_iter().map(|(_, pair)| pair).collect()
}

/// A document that is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The id of the document.
    pub id: String,
    /// The source and line of the document; may be empty.
    pub place: String,
    /// The text, or the beginning of it.
    pub text: String,
    /// True if `text` is only the beginning.
    pub is_cut: bool,
}

impl Shown {
    /// A document with the beginning of its text. Without `text`, the text is empty.
    #[must_use]
    pub fn new(id: String, place: String, text: Option<Excerpt>) -> Self {
        let Excerpt { text, is_cut } = text.unwrap_or(Excerpt { text: String::new(), is_cut: true });
        Self { id, place, text, is_cut }
    }
}

/// The examples of a page: plain data, which is small for any corpus.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Examples {
    chosen: Chosen,
    documents: BTreeMap<u64, Shown>,
    /// A note about what is not shown, and why.
    pub note: Option<String>,
}

impl Examples {
    /// The examples of a finished run. Texts are read from its sources again. If the sources have changed, the
    /// examples have no texts.
    pub fn of_run(run: &FinishedRun) -> pipeline::Result<Self> {
        let chosen = Chosen::of_run(run)?;
        let numbers = chosen.documents();
        let references = run.references(&numbers)?;
        let (texts, note) = match run.texts(&numbers, SHOWN) {
            Ok(texts) => (texts.into_iter().map(Some).collect(), None),
            Err(error) => (vec![None; numbers.len()], Some(format!("the report shows no texts: {error}"))),
        };
        let shown = references.into_iter().zip(texts).map(|(Reference { id, source, line }, text)| {
            Shown::new(id, format!("{source}, line {line}"), text)
        });
        Ok(Self::new(chosen, shown.collect(), note))
    }

    /// The chosen examples with their documents, which are in the order of [`Chosen::documents`].
    #[must_use]
    pub fn new(chosen: Chosen, documents: Vec<Shown>, note: Option<String>) -> Self {
        let documents = chosen.documents().into_iter().zip(documents).collect();
        Self { chosen, documents, note }
    }

    /// How many clusters there are of each size.
    pub(crate) fn sizes(&self) -> &BTreeMap<u64, u64> {
        &self.chosen.clusters.sizes
    }

    /// The least similar pairs of which one document was removed.
    pub(crate) fn near_threshold(&self, settings: &Settings) -> Vec<PairExample> {
        self.pairs(&self.chosen.least_similar, "removed", settings)
    }

    /// The most similar pairs of which both documents were kept.
    pub(crate) fn nearest_misses(&self, settings: &Settings) -> Vec<PairExample> {
        let note = if settings.limit().is_distance() { "beyond the distance" } else { "below the threshold" };
        self.pairs(&self.chosen.near_misses, note, settings)
    }

    /// The largest clusters.
    pub(crate) fn clusters(&self, checked: Checked, settings: &Settings) -> Vec<ClusterExample> {
        let near = if checked == Checked::Exactly { "near" } else { "unverified" };
        let member = |pair: &RunPair| {
            Some(Member {
                values: self.values(pair, settings),
                document: self.text(pair.other)?,
                similarity: pair.similarity.unwrap_or(f64::NAN),
                kind: if pair.is_exact { "exact" } else { near }.into(),
            })
        };
        let example = |cluster: &RunCluster| {
            Some(ClusterExample {
                size: cluster.size,
                kept: self.text(cluster.kept)?,
                members: cluster.removed.iter().filter_map(member).collect(),
            })
        };
        self.chosen.clusters.largest.iter().filter_map(example).collect()
    }

    fn text(&self, number: u64) -> Option<ExampleText> {
        let Shown { id, place, text, is_cut } = self.documents.get(&number)?.clone();
        Some(ExampleText { id, place, text, is_cut })
    }

    /// What is shown of two documents that are no texts; `None` if their texts are shown.
    fn values(&self, pair: &RunPair, settings: &Settings) -> Option<ValueExample> {
        let (a, b) = (self.documents.get(&pair.kept)?, self.documents.get(&pair.other)?);
        let limit = settings.limit();
        let mut values = ValueExample::default();
        match (settings.signature.kind, pair.similarity) {
            (Kind::Fingerprints | Kind::Vectors, Some(similarity)) => {
                let fact = match (limit, limit.distance_at(similarity)) {
                    (Limit::Bits { bits, .. }, Some(distance)) => {
                        values.badge = format!("distance {distance}");
                        ("Hamming distance", format!("{distance} of {bits} bits"))
                    }
                    (_, Some(distance)) => {
                        values.badge = format!("distance {distance:.4}");
                        ("distance", format!("{distance:.4}"))
                    }
                    (_, None) => {
                        let degrees = similarity.clamp(-1.0, 1.0).acos().to_degrees();
                        ("cosine", format!("{similarity:.4}, an angle of {degrees:.2} degrees"))
                    }
                };
                values.facts.push((fact.0.to_owned(), fact.1));
            }
            (Kind::Sets, _) if !a.is_cut && !b.is_cut => {
                let compared = compare_values(settings, [&a.text, &b.text], [&[], &[]]).ok()?;
                let named = |item: String, weights: &[u64]| match weights {
                    _ if settings.signature.measure != Measure::WeightedJaccard => item,
                    weights => {
                        let weights: Vec<String> =
                            weights.iter().map(|&steps| compared.weight(steps)).collect();
                        format!("{item} ({})", weights.join(" and "))
                    }
                };
                let own = |at: usize| {
                    compared.only[at].iter().map(|(item, weight)| named(item.clone(), &[*weight])).collect()
                };
                values.shared =
                    compared.shared.iter().map(|(item, weights)| named(item.clone(), weights)).collect();
                values.only = [own(0), own(1)];
                if settings.matching.common.is_some() || settings.matching.site_field.is_some() {
                    let said = "that of the items that are not left out; those are listed too";
                    values.facts.push(("similarity".to_owned(), said.to_owned()));
                }
            }
            _ => return None,
        }
        Some(values)
    }

    fn pairs(&self, pairs: &[RunPair], note: &str, settings: &Settings) -> Vec<PairExample> {
        let example = |pair: &RunPair| {
            Some(PairExample {
                a: self.text(pair.kept)?,
                b: self.text(pair.other)?,
                similarity: pair.similarity?,
                note: note.to_owned(),
                values: self.values(pair, settings),
            })
        };
        pairs.iter().filter_map(example).collect()
    }
}
