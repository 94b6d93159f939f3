//! Documents of connected sets, batch by batch -> which of them are removed.

use super::elements::Elements;
use super::{AGAINST, ClusterRun, SOURCE};
use crate::columns::{Flags, Texts, ids};
use crate::decisions::{Kind, Removed, removed_schema};
use crate::rows::{text_of, visit_rows};
use crate::{Error, Result};
use arrow_array::RecordBatch;
use lookalike::clustering::connected_components;
use pipeline::{
    Clusters, CopyFate, Decision, DocumentBuffers, Documents, Group, GroupMember, Method, Origin,
    RemovedDocument, Sketch, Tally,
};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::PathBuf;

/// Documents of connected sets, of which nothing is kept but what decides. Of exact copies, one has its set in memory.
#[derive(Debug)]
pub struct Deciding {
    rows: Vec<Row>,
    lanes: Vec<u16>,
    keys: Vec<u64>,
    ranks: Vec<u8>,
    elements: Elements,
    /// Bytes of sets that may be in memory at once.
    limit: usize,
    /// Threads that decide a large set.
    threads: usize,
    /// The set of each text, by its copy hash.
    sets: HashMap<u128, Range<usize>>,
    sources: Vec<String>,
    buffers: DocumentBuffers,
}

/// A document. Ranges are places in what all documents have together.
#[derive(Debug)]
struct Row {
    component: i64,
    number: i64,
    fingerprint: u64,
    copy_hash: u128,
    shingles: u64,
    lanes: Range<usize>,
    keys: Range<usize>,
    rank: Range<usize>,
    within: [u64; 2],
    source: usize,
    is_against: bool,
    is_hash_only: bool,
}

impl Deciding {
    /// No documents yet; of their sets, so many bytes may be in memory at once. What is decided does not depend on it.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            rows: Vec::new(),
            lanes: Vec::new(),
            keys: Vec::new(),
            ranks: Vec::new(),
            elements: Elements::default(),
            limit,
            threads: 1,
            sets: HashMap::new(),
            sources: Vec::new(),
            buffers: DocumentBuffers::default(),
        }
    }

    /// Sets that do not fit into memory are in a file in this folder, and not in that of the system for temporary files.
    #[must_use]
    pub fn in_folder(mut self, folder: Option<PathBuf>) -> Self {
        self.elements = Elements::in_folder(folder);
        self
    }

    /// A large set is decided on so many threads, and not on one. What is decided does not depend on it.
    #[must_use]
    pub fn on_threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// How many documents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if there is no document.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// About how many bytes they take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Row>() * self.rows.len()
            + 2 * self.lanes.len()
            + 8 * (self.keys.len() + self.elements.in_memory())
            + self.ranks.len()
    }

    /// All documents: set by set, each in keep order.
    fn in_order(&self, positions: &[i64]) -> Result<Vec<usize>> {
        if positions.len() != self.rows.len() {
            let (given, needed) = (positions.len(), self.rows.len());
            return Err(Error::Batch(format!("there are {given} positions of {needed} documents")));
        }
        let key = |at: usize| {
            let row = &self.rows[at];
            (row.component, &self.ranks[row.rank.clone()], positions[at])
        };
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_unstable_by(|&a, &b| key(a).cmp(&key(b)));
        Ok(order)
    }

    /// The bytes of the set of a document.
    fn set_bytes(&self, at: usize) -> usize {
        self.sets.get(&self.rows[at].copy_hash).map_or(0, |set| 8 * set.len())
    }

    fn source(&mut self, name: &str) -> usize {
        // Documents of one source mostly follow each other.
        let known = self.sources.iter().rposition(|known| known == name);
        known.unwrap_or_else(|| {
            self.sources.push(name.to_owned());
            self.sources.len() - 1
        })
    }
}

impl ClusterRun {
    /// Adds documents: what [`pack_keys`](Self::pack_keys) takes, and the `_component` of each.
    pub fn add(&self, deciding: &mut Deciding, batch: &RecordBatch) -> Result<()> {
        let (numbers, components) = (ids(batch, "_number")?, ids(batch, "_component")?);
        let against = Flags::of(batch, "_against")?;
        let sources = batch.column_by_name("_source").map(|_| Texts::of(batch, "_source")).transpose()?;
        let (mut sketch, mut set, mut rank) = (Sketch::default(), Vec::new(), Vec::new());
        visit_rows(batch, &self.fields, |row, record| {
            let number = numbers.value(row);
            text_of(&record, number)?;
            let corpus::Record::Document(document) = record else { return Ok(()) };
            let (documents, is_against) = (&self.documents, against.get(row));
            let within = document.within.as_deref();
            documents.sketch(document.text, within, &mut deciding.buffers, &mut sketch)?;
            let unnamed = if is_against { AGAINST } else { SOURCE };
            let source = sources.as_ref().and_then(|sources| sources.get(row)).unwrap_or(unnamed);
            let origin = if is_against { Origin::Against } else { Origin::Source(source) };
            let order = document.order.map(|order| order.bytes);
            documents.rank(origin, document.text, sketch.shingles, order, &mut rank);
            let is_hash_only = documents.is_hash_only(document.text);
            if documents.compares_sets() && !is_hash_only && !deciding.sets.contains_key(&sketch.copy_hash) {
                documents.set_into(document.text, &mut deciding.buffers, &mut set)?;
                let place = deciding.elements.push(&set, deciding.limit / 8)?;
                deciding.sets.insert(sketch.copy_hash, place);
            }
            let source = deciding.source(source);
            deciding.rows.push(Row {
                component: components.value(row),
                number,
                fingerprint: sketch.fingerprint,
                copy_hash: sketch.copy_hash,
                shingles: sketch.shingles,
                lanes: appended(&mut deciding.lanes, &sketch.lanes),
                keys: appended(&mut deciding.keys, &sketch.keys),
                rank: appended(&mut deciding.ranks, &rank),
                within: within.map_or([0; 2], Documents::within_hash),
                source,
                is_against,
                is_hash_only,
            });
            Ok(())
        })
    }

    /// Which documents are removed, by their places in the order in which they were added; and what was counted.
    ///
    /// `positions` says for each document where it comes in input order, which breaks ties. All documents of a set must have
    /// been added. A set that its keys do not connect has changed since they were packed, and is an error.
    pub fn decide(&self, deciding: &mut Deciding, positions: &[i64]) -> Result<(RecordBatch, Tally)> {
        let order = deciding.in_order(positions)?;
        let (mut removed, mut tally) = (Removed::default(), Tally::default());
        let mut rest = order.as_slice();
        while let Some(&first) = rest.first() {
            let component = deciding.rows[first].component;
            let end = rest.partition_point(|&at| deciding.rows[at].component == component);
            let (set, others) = rest.split_at(end);
            rest = others;
            if !is_connected(deciding, set)? {
                return Err(Error::Changed);
            }
            self.decide_set(deciding, set, &mut removed, &mut tally)?;
        }
        Ok((RecordBatch::try_new(removed_schema(), removed.finish())?, tally))
    }

    /// Decides one connected set, whose documents are in keep order.
    fn decide_set(
        &self,
        deciding: &mut Deciding,
        set: &[usize],
        removed: &mut Removed,
        tally: &mut Tally,
    ) -> Result<()> {
        let mut originals: HashMap<u128, usize> = HashMap::new();
        // Of each document, the first with the same text.
        let original_of: Vec<usize> =
            set.iter().map(|&at| *originals.entry(deciding.rows[at].copy_hash).or_insert(at)).collect();
        let compared = set.iter().zip(&original_of);
        let compared = compared.filter(|&(&at, &original)| at == original && !deciding.rows[at].is_hash_only);
        let compared: Vec<usize> = compared.map(|(&at, _)| at).collect();
        let decisions = self.decisions(deciding, &compared)?;
        Documents::count_pairs(&decisions, tally);
        let (rows, grouped) = (&deciding.rows, &compared);
        let near: HashMap<usize, &Decision> =
            decisions.iter().map(|decision| (grouped[decision.document], decision)).collect();
        let settings = self.settings();
        let is_simhash = settings.signature.method == Method::Simhash;
        let mut counted: Vec<RemovedDocument<'_>> = Vec::new();
        for (&at, original) in set.iter().zip(original_of) {
            let decision = near.get(&original).copied();
            let is_exact = match CopyFate::of(
                rows[at].is_against,
                decision.is_some(),
                rows[original].is_against,
                settings.matching.against_only,
            ) {
                _ if at == original && decision.is_none() => continue,
                CopyFate::Kept => continue,
                CopyFate::Exact => true,
                CopyFate::WithOriginal => false,
            };
            let decision = decision.filter(|_| !is_exact);
            let kept = decision.map_or(original, |decision| grouped[decision.kept]);
            let (id, kept_id) = (at as i64, Some(kept as i64));
            match decision {
                Some(decision) => {
                    let (similarity, reason) = (decision.similarity, decision.reason.as_deref());
                    let distance = decision.distance.map(i64::from);
                    removed.push(id, kept_id, Kind::Near, similarity, distance, reason);
                }
                None => removed.push(id, kept_id, Kind::Exact, Some(1.0), is_simhash.then_some(0), None),
            }
            let source = deciding.sources[rows[at].source].as_str();
            counted.push(RemovedDocument {
                source,
                kept: kept as u64,
                shingles: rows[at].shingles,
                is_copy: at != original,
                decision,
            });
        }
        self.documents.count_removed(counted.into_iter(), tally);
        Ok(())
    }

    /// Which of these documents, which are in keep order and have different texts, are removed.
    fn decisions(&self, deciding: &mut Deciding, documents: &[usize]) -> Result<Vec<Decision>> {
        let bytes: usize = documents.iter().map(|&at| deciding.set_bytes(at)).sum();
        if documents.len() < 2 {
            return Ok(Vec::new());
        }
        let all: Vec<usize> = (0..documents.len()).collect();
        if bytes <= deciding.limit {
            return self.decide_piece(deciding, documents, &[], &all);
        }
        if self.settings().matching.clusters == Clusters::Components {
            return Err(Error::TooLarge { documents: documents.len(), bytes, limit: deciding.limit });
        }
        let (mut decisions, mut kept) = (Vec::new(), Vec::new());
        for piece in pieces(deciding, documents, &all) {
            let mut left = piece;
            // The kept ones in keep order, so that the first that removes a document is the first there is.
            let earlier = pieces(deciding, documents, &kept);
            for listed in earlier.iter().map(Vec::as_slice).chain([&[][..]]) {
                let found = self.decide_piece(deciding, documents, listed, &left)?;
                let removed: HashSet<usize> = found.iter().map(|decision| decision.document).collect();
                left.retain(|place| !removed.contains(place));
                decisions.extend(found);
            }
            kept.extend(left);
        }
        Ok(decisions)
    }

    /// Which documents of a piece are removed: for those that are listed as kept, or, if none are, for each other. Both are places
    /// in `documents`, in keep order.
    fn decide_piece(
        &self,
        deciding: &mut Deciding,
        documents: &[usize],
        kept: &[usize],
        piece: &[usize],
    ) -> Result<Vec<Decision>> {
        let (mut group, mut set) = (Group::default(), Vec::new());
        let places: Vec<usize> = kept.iter().chain(piece).copied().collect();
        for (member, &place) in places.iter().enumerate() {
            let row = &deciding.rows[documents[place]];
            set.clear();
            if let Some(range) = deciding.sets.get(&row.copy_hash) {
                deciding.elements.read(range, &mut set)?;
            }
            self.documents.add_to(
                &mut group,
                &GroupMember {
                    is_against: row.is_against,
                    is_kept: member < kept.len(),
                    only_asks: !kept.is_empty(),
                    within: row.within,
                    lanes: &deciding.lanes[row.lanes.clone()],
                    keys: &deciding.keys[row.keys.clone()],
                    set: &set,
                },
            );
        }
        let mut decisions = self.documents.decide(&group, deciding.threads)?;
        for decision in &mut decisions {
            decision.document = places[decision.document];
            decision.kept = places[decision.kept];
        }
        Ok(decisions)
    }
}

/// Some of these documents at a time, so that their sets take half of what may be in memory: the other half is for those that
/// they are compared with.
fn pieces(deciding: &Deciding, documents: &[usize], places: &[usize]) -> Vec<Vec<usize>> {
    let mut pieces: Vec<Vec<usize>> = Vec::new();
    let mut bytes = usize::MAX;
    for &place in places {
        let more = deciding.set_bytes(documents[place]);
        if bytes.saturating_add(more) > deciding.limit / 2 {
            pieces.push(Vec::new());
            bytes = 0;
        }
        bytes += more;
        if let Some(piece) = pieces.last_mut() {
            piece.push(place);
        }
    }
    pieces
}

/// True if the keys of these documents connect all of them.
fn is_connected(deciding: &Deciding, set: &[usize]) -> Result<bool> {
    let mut entries: Vec<(u64, usize)> = Vec::new();
    for (place, &at) in set.iter().enumerate() {
        let row = &deciding.rows[at];
        entries.push((row.fingerprint, place));
        entries.extend(deciding.keys[row.keys.clone()].iter().map(|&key| (key, place)));
    }
    entries.sort_unstable();
    let same_key = entries.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    let mut numbers: Vec<(i64, usize)> =
        set.iter().enumerate().map(|(place, &at)| (deciding.rows[at].number, place)).collect();
    numbers.sort_unstable();
    let same_number = numbers.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    let pairs = same_key
        .map(|pair| (pair[0].1, pair[1].1))
        .chain(same_number.map(|pair| (pair[0].1, pair[1].1)))
        .collect::<Vec<_>>();
    let components = connected_components(set.len(), pairs)?;
    Ok(components.representatives().iter().all(|&first| first == 0))
}

/// Appends some items; where they are now.
fn appended<T: Clone>(all: &mut Vec<T>, some: &[T]) -> Range<usize> {
    let start = all.len();
    all.extend_from_slice(some);
    start..all.len()
}
