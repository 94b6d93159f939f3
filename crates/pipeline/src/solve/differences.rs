//! Documents of a crowd -> in what each differs from the crowd.
//!
//! Copies of one text with a few words changed in each share nearly all shingles, so that no combination of *shared* ones is
//! rare. What tells them apart is what they *lack*. So let P be the shingles that more than half of a crowd have, and take the
//! difference D(A) = (A - P) + (P - A) in place of each set A. It is a short list, and its elements are rare: "has this
//! shingle" for one that few have, and "lacks it" for one that most have.
//!
//! **Nothing is lost.** Documents differ as their differences do: what is in A and not in B is in one of D(A) and D(B) alone, and
//! the other way round. Count both sides, where |D(A)| = |A| - |P| + 2 |P - A|:
//!
//! ```text
//! |A| + |B| - 2 |A and B|  =  |D(A)| + |D(B)| - 2 |D(A) and D(B)|
//! |D(A) and D(B)|          =  |A and B| - |P| + |P - A| + |P - B|
//! ```
//!
//! So where A and B must share o shingles, their differences must share o - |P| + |P - A| + |P - B|, and they have a
//! [combination](super::combinations) in common for that reason. It holds for every P. If that number is not above 0, they need not share
//! anything; a document of which this cannot be excluded is met by all.
//!
//! How much a document must share follows from how much others lack, and few documents that lack little would make it little for
//! all. So the documents of a crowd are in *classes* by what they lack, and each shows a prefix for every class: two documents meet
//! in the keys of their pair of classes.
//!
//! A *crowd* is what bands connect in a chunk: documents of two crowds are no candidates. For each pair of classes the number of
//! bundles in a combination is worked out from how many pairs of a sample would meet; it changes the cost only.
//!
//! **Cost.** As for bundles, twice; and at most [`CLASSES`] times the keys of a document.

use super::bundles::{BundleKinds, Bundles};
use super::chunk::Chunk;
use super::combining::{MOST_MET_BY_ALL, Prefix, choose, combinations, least_overlap, prefix};
use crate::candidates::forest::Forest;
use crate::method::Means;
use crate::{Observer, Result};
use lookalike::hashing::mix64;

/// Classes of the documents of a crowd.
const CLASSES: usize = 4;

/// Documents from which the costs are estimated: every two of them are looked at.
const SAMPLED: usize = 400;

/// What a key costs, in pairs that meet.
const KEY_COST: f64 = 0.3;

/// How many bundles are combined, for each pair of classes.
pub(super) type Combined = [[usize; CLASSES]; CLASSES];

/// The differences of the documents of a chunk, as bundles.
#[derive(Debug)]
pub(super) struct Differences<'a> {
    means: &'a Means,
    /// The ranks of each document's bundles, ascending; and where they begin, one more at the end.
    ranks: Vec<u32>,
    starts: Vec<usize>,
    kinds: BundleKinds,
    documents: Vec<Document>,
    crowds: Vec<Crowd>,
}

#[derive(Debug, Clone, Copy)]
struct Document {
    size: usize,
    crowd: usize,
    class: usize,
    /// How many shingles it lacks that most of its crowd have.
    lacked: usize,
}

/// Documents that bands connect.
#[derive(Debug, Default)]
struct Crowd {
    documents: u32,
    /// Bundles that more than half have, ascending; and how many shingles that is.
    common: Vec<u32>,
    shingles: usize,
    classes: [Class; CLASSES],
}

#[derive(Debug, Default)]
struct Class {
    /// What the documents lack at the least.
    lacked: usize,
    /// The different sizes of their sets, ascending.
    sizes: Vec<usize>,
}

impl<'a> Differences<'a> {
    /// For a chunk with sets, and what its bands connect; nothing if `memory` bytes are not enough.
    pub(super) fn new(
        chunk: &Chunk,
        means: &'a Means,
        connected: &mut Forest,
        memory: u64,
        observer: &dyn Observer,
    ) -> Result<Option<Self>> {
        let roots: Vec<u64> = (0..chunk.len() as u64).map(|at| connected.root(at)).collect();
        let Some(bundles) = Bundles::apart(chunk, |at| roots[at], memory, observer)? else { return Ok(None) };
        // A root is the first of its crowd.
        let mut crowds: Vec<Crowd> = Vec::new();
        let mut crowd_of: Vec<usize> = Vec::with_capacity(chunk.len());
        for at in 0..chunk.len() {
            let root = roots[at] as usize;
            let crowd = if root == at { crowds.len() } else { crowd_of[root] };
            crowd_of.push(crowd);
            crowds.resize_with(crowds.len().max(crowd + 1), Crowd::default);
            crowds[crowd].documents += 1;
        }
        let turned = Turned::new(&bundles, &crowd_of, &mut crowds);
        let mut made = Self {
            means,
            ranks: Vec::new(),
            starts: vec![0],
            kinds: turned.kinds,
            documents: Vec::with_capacity(chunk.len()),
            crowds,
        };
        for (at, &crowd) in crowd_of.iter().enumerate() {
            observer.go_on()?;
            let mut lacked = 0;
            let start = made.ranks.len();
            either(bundles.of(at), &made.crowds[crowd].common, |rank, is_lacked| {
                lacked += if is_lacked { bundles.kinds.size(rank) } else { 0 };
                // What one document alone has or lacks is in no overlap.
                made.ranks.extend(turned.ranks[rank as usize]);
            });
            made.ranks[start..].sort_unstable();
            made.starts.push(made.ranks.len());
            made.documents.push(Document { size: chunk.set(at).len(), crowd, class: 0, lacked });
        }
        made.divide();
        Ok(Some(made))
    }

    fn of(&self, at: usize) -> &[u32] {
        &self.ranks[self.starts[at]..self.starts[at + 1]]
    }

    /// Divides each crowd into classes of documents that lack about as much.
    fn divide(&mut self) {
        let mut lacked: Vec<(usize, usize)> = vec![(usize::MAX, 0); self.crowds.len()];
        for document in &self.documents {
            let (least, most) = &mut lacked[document.crowd];
            (*least, *most) = ((*least).min(document.lacked), (*most).max(document.lacked));
        }
        for document in &mut self.documents {
            let (least, most) = lacked[document.crowd];
            document.class = (document.lacked - least) * CLASSES / (most - least + 1);
            let class = &mut self.crowds[document.crowd].classes[document.class];
            class.lacked =
                if class.sizes.is_empty() { document.lacked } else { class.lacked.min(document.lacked) };
            class.sizes.push(document.size);
        }
        for class in self.crowds.iter_mut().flat_map(|crowd| &mut crowd.classes) {
            class.sizes.sort_unstable();
            class.sizes.dedup();
        }
    }

    /// What a document shows to those of a class.
    fn prefix(&self, at: usize, class: usize, combined: usize) -> Prefix {
        let Document { size, crowd, lacked, .. } = self.documents[at];
        let crowd = &self.crowds[crowd];
        let other = &crowd.classes[class];
        let Some(overlap) = least_overlap(&self.means.verifier, &other.sizes, size) else {
            return Prefix::Alone;
        };
        match (overlap + lacked + other.lacked).checked_sub(crowd.shingles) {
            None | Some(0) => Prefix::TooMany,
            Some(needed) => prefix(&self.kinds, self.of(at), needed, combined),
        }
    }

    /// What a document shows to each class.
    pub(super) fn prefixes(&self, at: usize, combined: &Combined) -> [Prefix; CLASSES] {
        let class = self.documents[at].class;
        std::array::from_fn(|other| self.prefix(at, other, combined[class][other]))
    }

    /// Hands out the keys of a document that shows these prefixes.
    pub(super) fn visit_keys(
        &self,
        at: usize,
        prefixes: &[Prefix; CLASSES],
        combined: &Combined,
        visit: &mut dyn FnMut(u64),
    ) {
        let Document { class, crowd, .. } = self.documents[at];
        for (other, prefix) in prefixes.iter().enumerate() {
            if let Prefix::Bundles(count) = *prefix {
                let classes = class.min(other) * CLASSES + class.max(other);
                let apart = mix64(mix64(crowd as u64) ^ classes as u64);
                combinations(&self.of(at)[..count], combined[class][other], apart, visit);
            }
        }
    }

    /// The numbers of bundles to combine that cost least, by a sample, and how many keys a document has then, about. At most
    /// `most` are combined. Nothing if too many documents would be met by all.
    pub(super) fn cheapest(&self, most: usize) -> Option<(Combined, f64)> {
        let documents = self.documents.len();
        let step = documents.div_ceil(SAMPLED).max(1);
        let of_class = |class: usize| -> Vec<usize> {
            (0..documents).step_by(step).filter(|&at| self.documents[at].class == class).collect()
        };
        let mut combined = [[1; CLASSES]; CLASSES];
        let mut keys = 0.0;
        for class in 0..CLASSES {
            for other in class..CLASSES {
                let (some, others) = (of_class(class), of_class(other));
                let costs = (1..=most).filter_map(|size| {
                    let cost = self.cost(&some, &others, (class, other), size, step as f64)?;
                    Some((cost.keys * KEY_COST + cost.met, size, cost.keys))
                });
                let (_, size, more) = costs.min_by(|a, b| a.0.total_cmp(&b.0))?;
                (combined[class][other], combined[other][class]) = (size, size);
                keys += more;
            }
        }
        Some((combined, keys / documents as f64))
    }

    /// What it costs to combine so many bundles for a pair of classes, of which these are samples: one in `step`.
    fn cost(
        &self,
        some: &[usize],
        others: &[usize],
        (class, other): (usize, usize),
        combined: usize,
        step: f64,
    ) -> Option<Cost> {
        let (mut keys, mut too_many) = (0.0, 0.0);
        let mut shown = |sample: &[usize], to: usize| -> Vec<&[u32]> {
            let prefixes = sample.iter().map(|&at| match self.prefix(at, to, combined) {
                Prefix::Bundles(count) => {
                    keys += choose(count, combined);
                    &self.of(at)[..count]
                }
                Prefix::Alone => &[],
                Prefix::TooMany => {
                    too_many += 1.0;
                    &[]
                }
            });
            prefixes.collect()
        };
        let first = shown(some, other);
        let second = if class == other { first.clone() } else { shown(others, class) };
        if too_many * step > MOST_MET_BY_ALL as f64 {
            return None;
        }
        let mut met = 0.0;
        for (place, a) in first.iter().enumerate() {
            let before = if class == other { place } else { second.len() };
            // Documents of two crowds have no bundle in common.
            met += second[..before].iter().filter(|b| shared(a, b) >= combined).count() as f64;
        }
        Some(Cost { keys: keys * step, met: met * step * step })
    }
}

/// Keys of all documents, and pairs that meet.
struct Cost {
    keys: f64,
    met: f64,
}

/// Bundles in the order of differences.
struct Turned {
    /// The rank of each bundle; nothing if fewer than two documents would list it.
    ranks: Vec<Option<u32>>,
    kinds: BundleKinds,
}

impl Turned {
    /// Finds what is common in each crowd, and ranks all bundles by how many documents list them: those that lack what is common,
    /// and those that have what is not.
    fn new(bundles: &Bundles, crowd_of: &[usize], crowds: &mut [Crowd]) -> Self {
        let kinds = &bundles.kinds;
        let mut crowd_of_bundle = vec![0; kinds.len()];
        for (at, &crowd) in crowd_of.iter().enumerate() {
            bundles.of(at).iter().for_each(|&rank| crowd_of_bundle[rank as usize] = crowd);
        }
        let mut order: Vec<(u32, u32)> = Vec::new();
        for rank in 0..kinds.len() as u32 {
            let (crowd, having) = (&mut crowds[crowd_of_bundle[rank as usize]], kinds.documents(rank));
            let lacking = crowd.documents - having;
            let listing = if having > lacking {
                crowd.common.push(rank);
                crowd.shingles += kinds.size(rank);
                lacking
            } else {
                having
            };
            if listing > 1 {
                order.push((listing, rank));
            }
        }
        order.sort_unstable();
        let mut ranks = vec![None; kinds.len()];
        order.iter().zip(0..).for_each(|(&(_, rank), turned)| ranks[rank as usize] = Some(turned));
        let kinds = order.iter().map(|&(listing, rank)| (kinds.size(rank) as u32, listing));
        Self { ranks, kinds: BundleKinds::of(kinds) }
    }
}

/// Hands out what is in one of two ascending lists alone, and whether it is the second.
fn either(a: &[u32], b: &[u32], mut visit: impl FnMut(u32, bool)) {
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) if x == y => (i, j) = (i + 1, j + 1),
            (Some(&x), y) if y.is_none_or(|&y| x < y) => {
                visit(x, false);
                i += 1;
            }
            _ => {
                visit(b[j], true);
                j += 1;
            }
        }
    }
}

/// How many elements two ascending lists share.
fn shared(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        common += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    common
}
