//! A connected set -> those that are similar, by combinations of pieces.
//!
//! Where no shingle is rare, [rare shingles](super::rare) take nothing apart. But similar documents have a combination of
//! several [bundles](crate::solve::Tally) in common, and these are rare (see `solve/combinations.rs`, which does the same with a set
//! that fits). Here the documents are a file of lists of bundles, and their combinations are brought together in files.
//!
//! **Nothing is lost.** For every l, two documents whose sets share as much as the threshold asks for have an equal combination
//! of l among the bundles that each shows, or one of them has too many to show; the latter is compared with all. So each similar
//! pair is in some group of equal keys. In a small group every pair is asked for its overlap: the sum of the sizes of the bundles
//! that both have, since whoever has a shingle of a bundle has all of them. It is exact, so what is similar is connected.
//! A large group is connected as it is, which leaves more together than must be.
//!
//! **Cost.** Three passes over the texts of the set, unless its first documents tell that it is no use; a table of the shingles that occur more than once, which is reserved; in files, the
//! lists of bundles and up to [`MOST_KEYS`] keys per document; and the memory of [`grouping`](crate::candidates::grouping).

use super::bundled_file::{BundledDocument, BundledFile, BundledWriter};
use crate::Result;
use crate::candidates::forest::Forest;
use crate::candidates::grouping::{Visitor, on_disk};
use crate::limits::memory::Reservation;
use crate::limits::sorted::Room;
use crate::solve::{
    BundleKinds, Bundled, MOST_MET_BY_ALL, Plan, Planner, Prefix, SAMPLED, Tally, combinations,
};
use crate::store::Number;
use crate::verify::loading::stream_elements;
use crate::verify::packing::Connected;
use crate::view::View;
use std::collections::BTreeSet;

/// Keys of a document in files, on average.
const MOST_KEYS: f64 = 256.0;

/// What a key costs, in documents met.
const KEY_COST: f64 = 0.2;

/// A document may meet so many others, on average; if it is more, the set is better compared piece by piece.
const MOST_MET: f64 = 64.0;

/// Up to so many documents, those of a group are compared with each other.
const COMPARED_GROUP: usize = if cfg!(test) { 16 } else { 128 };

/// Documents with which it is tried first.
const TRIED: usize = if cfg!(test) { 100 } else { 1 << 10 };

/// Bytes of documents that are kept from one group to the next.
const KEPT_BYTES: u64 = 1 << 20;

/// Bundles of the sample, which is cut short beyond them.
const SAMPLED_BUNDLES: usize = 1 << 18;

/// The key of documents without shingles.
const NO_SHINGLES: u64 = u64::MAX;

/// Connects in `forest` what is similar in a set, which `documents` hands out ascending. False if it cannot be told so: there
/// are too many bundles, or documents share too many of them.
pub(super) fn connect<S>(
    view: View<'_>,
    room: Room<'_>,
    documents: &impl Fn() -> S,
    forest: &mut Forest,
) -> Result<bool>
where
    S: Iterator<Item = Result<Connected>> + Send,
{
    let numbers = || documents().map(|document| document.map(|document| document.number));
    // Most sets for which this is no way are told by their first documents.
    let Some(first) = BundledSet::new(view, room, &|| numbers().take(TRIED))? else { return Ok(false) };
    let count = documents().count();
    if first.plan(&first.planner(view), count).is_none() {
        return Ok(false);
    }
    drop(first);
    let Some(set) = BundledSet::new(view, room, &numbers)? else { return Ok(false) };
    let planner = set.planner(view);
    let Some(plan) = set.plan(&planner, count) else { return Ok(false) };
    let mut connector = Connector { view, kinds: &set.kinds, file: &set.file, forest, documents: Vec::new() };
    let combined = connector.connect_met_by_all(&planner, plan)?;
    let scan = |take: &mut Visitor<'_>| {
        let mut keys = Vec::new();
        set.file.visit(|offset, document| {
            view.observer.go_on()?;
            let bundled = document.bundled();
            keys.clear();
            match planner.prefix(bundled, combined) {
                Prefix::Bundles(count) => {
                    let mut push = |key| keys.push((offset, key));
                    combinations(&bundled.ranks[..count], combined, document.within(), &mut push);
                }
                Prefix::Alone if bundled.size == 0 => keys.push((offset, NO_SHINGLES)),
                Prefix::Alone | Prefix::TooMany => {}
            }
            take(&keys);
            Ok(())
        })
    };
    let count = (plan.keys * set.documents as f64) as u64;
    on_disk(count.max(1), view.budget.grouping(), room, &scan, &mut |ranges| {
        (0..ranges.len()).try_for_each(|range| {
            ranges.groups(range, &mut |group| group.visit(|piece| connector.connect_group(piece)))
        })
    })?;
    Ok(true)
}

/// A set of documents as bundles.
struct BundledSet {
    file: BundledFile,
    kinds: BundleKinds,
    documents: usize,
    /// Different sizes of sets.
    sizes: BTreeSet<usize>,
    /// Some of the documents: the size of the set, and the ranks of the bundles.
    sample: Vec<(usize, Vec<u32>)>,
    /// For the kinds and the sample.
    _reserved: Reservation,
}

impl BundledSet {
    /// Nothing if there are too many shingles that occur more than once.
    fn new<N>(view: View<'_>, room: Room<'_>, numbers: &impl Fn() -> N) -> Result<Option<Self>>
    where
        N: Iterator<Item = Result<Number>> + Send,
    {
        let mut reservation = view.budget.reservation();
        reservation.grow(Tally::LEAST_BYTES);
        let mut tally = Tally::new(0);
        let each = |_: Number, set: &[u64]| {
            tally.meet(set);
            Ok(())
        };
        stream_elements(view, numbers(), |_| true, each)?;
        let (mut documents, mut is_too_much) = (0, false);
        let each = |_: Number, set: &[u64]| {
            documents += 1;
            if !is_too_much {
                tally.count(set);
                let more = (Tally::LEAST_BYTES + tally.bytes()).saturating_sub(reservation.bytes());
                is_too_much = !reservation.try_grow(more);
            }
            Ok(())
        };
        stream_elements(view, numbers(), |_| true, each)?;
        if is_too_much {
            return Ok(None);
        }
        let names = tally.finish();
        let step = usize::div_ceil(documents, SAMPLED).max(1);
        let (mut sizes, mut sample, mut sampled) = (BTreeSet::new(), Vec::new(), 0);
        let mut writer = BundledWriter::new(room.work)?;
        let (mut ranks, mut at) = (Vec::new(), 0);
        let each = |number: Number, set: &[u64]| {
            names.of(set, &mut ranks);
            let within = view.store.entries_of(&[number])?[0].within[0];
            writer.push(number, within, Bundled { size: set.len(), ranks: &ranks })?;
            sizes.insert(set.len());
            if at % step == 0 && sampled + ranks.len() <= SAMPLED_BUNDLES {
                sampled += ranks.len();
                sample.push((set.len(), ranks.clone()));
            }
            at += 1;
            Ok(())
        };
        stream_elements(view, numbers(), |_| true, each)?;
        let (file, kinds) = (writer.finish()?, names.into_kinds());
        reservation.release();
        reservation.grow(kinds.bytes() + 4 * sampled as u64);
        Ok(Some(Self { file, kinds, documents, sizes, sample, _reserved: reservation }))
    }
}

impl BundledSet {
    fn planner<'s>(&'s self, view: View<'s>) -> Planner<'s> {
        Planner::new(view.recipe, &self.kinds, self.documents, self.sizes.iter().copied().collect())
    }

    /// How many bundles to combine, if this is the beginning of a set of `count` documents; nothing if a document would meet too
    /// many others.
    fn plan(&self, planner: &Planner<'_>, count: usize) -> Option<Plan> {
        let sample = self.sample.iter().map(|(size, ranks)| Bundled { size: *size, ranks });
        // Among some of the documents one meets fewer, in proportion.
        let part = self.documents as f64 / count as f64;
        planner.cheapest(sample, KEY_COST * part, MOST_KEYS).filter(|plan| plan.met <= MOST_MET * part)
    }
}

struct Connector<'c, 'a> {
    view: View<'a>,
    kinds: &'c BundleKinds,
    file: &'c BundledFile,
    forest: &'c mut Forest,
    /// The documents of a group.
    documents: Vec<BundledDocument>,
}

impl Connector<'_, '_> {
    /// Compares documents that have too many combinations with all others. If there are many of these, or they do not fit in memory,
    /// fewer bundles are combined: the answer is how many.
    fn connect_met_by_all(&mut self, planner: &Planner<'_>, plan: Plan) -> Result<usize> {
        let mut combined = plan.combined;
        let mut reservation = self.view.budget.reservation();
        let met_by_all = loop {
            let (mut met_by_all, mut fits) = (Vec::new(), true);
            self.file.visit(|_, document| {
                self.view.observer.go_on()?;
                if fits && planner.prefix(document.bundled(), combined) == Prefix::TooMany {
                    fits = met_by_all.len() < MOST_MET_BY_ALL && reservation.try_grow(document.bytes());
                    met_by_all.push(document.clone());
                }
                Ok(())
            })?;
            if fits {
                break met_by_all;
            }
            reservation.release();
            // One by one there are never too many.
            combined -= 1;
        };
        if !met_by_all.is_empty() {
            let file = self.file;
            file.visit(|_, document| {
                self.view.observer.go_on()?;
                met_by_all.iter().for_each(|other| self.join_if_similar(other, document));
                Ok(())
            })?;
        }
        Ok(combined)
    }

    /// Connects documents with an equal key, at these offsets: those of a small group only where they are similar.
    fn connect_group(&mut self, group: &[(u64, u64)]) -> Result<()> {
        self.view.observer.go_on()?;
        if group.len() > COMPARED_GROUP || !self.compare_group(group)? {
            self.connect_all(group)?;
        }
        Ok(())
    }

    /// Connects the documents of a group that are similar. False if they do not fit in memory.
    fn compare_group(&mut self, group: &[(u64, u64)]) -> Result<bool> {
        let mut reservation = self.view.budget.reservation();
        let mut documents = std::mem::take(&mut self.documents);
        documents.resize(documents.len().max(group.len()), BundledDocument::default());
        let mut fits = true;
        for (place, &(offset, _)) in group.iter().enumerate() {
            self.file.read(offset, &mut documents[place])?;
            fits = reservation.try_grow(documents[place].bytes());
            if !fits {
                break;
            }
            let (before, rest) = documents.split_at(place);
            before.iter().for_each(|other| self.join_if_similar(other, &rest[0]));
        }
        // What is kept for the next group is not reserved.
        if reservation.bytes() <= KEPT_BYTES {
            self.documents = documents;
        }
        Ok(fits)
    }

    /// Connects all documents of a group.
    fn connect_all(&mut self, group: &[(u64, u64)]) -> Result<()> {
        let (mut first, mut other) = (BundledDocument::default(), BundledDocument::default());
        self.file.read(group[0].0, &mut first)?;
        for &(offset, _) in &group[1..] {
            self.file.read(offset, &mut other)?;
            self.forest.join(first.number(), other.number());
        }
        Ok(())
    }

    fn join_if_similar(&mut self, a: &BundledDocument, b: &BundledDocument) {
        let (first, second) = (a.bundled(), b.bundled());
        if a.within() != b.within() || self.forest.root(a.number()) == self.forest.root(b.number()) {
            return;
        }
        let needed = self.view.recipe.verifier.needed_overlap(first.size, second.size);
        if needed.is_some_and(|needed| self.kinds.overlap(first.ranks, second.ranks) >= needed) {
            self.forest.join(a.number(), b.number());
        }
    }
}
