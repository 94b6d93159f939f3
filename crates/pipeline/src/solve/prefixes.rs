//! Many candidates -> those that share a rare shingle.
//!
//! Documents of one template share most of their shingles, and are candidates for each other by the million without
//! being similar enough. Comparing them one by one is quadratic. But put the shingles of every document in one order,
//! the rare ones first: two sets with an overlap of at least o have a common element among the first `|A| - o + 1` of
//! the one and the first `|B| - o + 1` of the other. What documents of a template do not share is rare and comes first,
//! so their beginnings have nothing in common, and they never meet. Nothing is lost: this is exact.
//!
//! How long is a beginning? With Jaccard similarity t, the overlap with a smaller set is at least `t |A|`, that with a
//! set of the same size or a larger one at least `2t / (1 + t) |A|`. So a set shows a *long* beginning to smaller sets
//! and a *short* one to larger sets: at 0.8 a fifth and a ninth of its elements. Of two sets, the long beginning of the
//! larger meets the short one of the smaller.
//!
//! Chaudhuri, Ganti and Kaushik, *A primitive operator for similarity joins in data cleaning* (2006), for the
//! beginnings; Bayardo, Ma and Srikant, *Scaling up all pairs similarity search* (2007), for the order; Xiao, Wang, Lin
//! and Yu, *Efficient similarity joins for near duplicate detection* (2008), for the short ones.

use super::buckets::Lookup;
use super::chunk::Chunk;
use crate::method::Recipe;
use crate::method::short::prefix_length;
use crate::{Observer, Result};

/// Slots of the table in which shingles are counted. Two shingles in one slot count as one more frequent one, which
/// changes the order for all documents alike.
const COUNTED: usize = 1 << 21;

/// What documents without shingles show.
const NO_SHINGLES: u64 = u64::MAX;

/// Which kept documents show which rare shingles.
#[derive(Debug)]
pub(crate) struct RareShingles {
    /// For each document its shingles that others show too, as twice the shingle's place, plus 1 if it is in the short
    /// beginning; and where they begin, one more at the end.
    shown: Vec<u64>,
    shown_starts: Vec<usize>,
    /// Kept documents of each shingle: from the front those that have it in the short beginning, from the back the others.
    listed: Vec<u32>,
    starts: Vec<usize>,
    short: Vec<u32>,
    long: Vec<u32>,
}

impl RareShingles {
    /// For a chunk, if the measure allows it.
    pub(crate) fn new(chunk: &Chunk, recipe: &Recipe, observer: &dyn Observer) -> Result<Option<Self>> {
        if !recipe.has_rare_shingles() {
            return Ok(None);
        }
        let mut items = beginnings(chunk, recipe, observer)?;
        items.sort_unstable();
        let mut made = Self {
            shown: Vec::new(),
            shown_starts: vec![0; chunk.len() + 1],
            listed: Vec::new(),
            starts: vec![0],
            short: Vec::new(),
            long: Vec::new(),
        };
        let common = || items.chunk_by(|a, b| a.0 == b.0).filter(|documents| documents.len() > 1);
        for documents in common() {
            documents.iter().for_each(|&(_, at)| made.shown_starts[(at / 2) as usize + 1] += 1);
            made.starts.push(made.starts[made.starts.len() - 1] + documents.len());
        }
        for at in 0..chunk.len() {
            made.shown_starts[at + 1] += made.shown_starts[at];
        }
        let mut filled = made.shown_starts.clone();
        made.shown = vec![0; filled[chunk.len()]];
        for (place, documents) in common().enumerate() {
            for &(_, at) in documents {
                let next = &mut filled[(at / 2) as usize];
                made.shown[*next] = place as u64 * 2 + u64::from(at % 2);
                *next += 1;
            }
        }
        let shingles = made.starts.len() - 1;
        made.listed = vec![0; made.starts[shingles]];
        made.short = vec![0; shingles];
        made.long = vec![0; shingles];
        Ok(Some(made))
    }

    /// How many pairs of documents show a shingle together; a pair counts once for each.
    pub(super) fn pairs(&self) -> u64 {
        self.starts
            .windows(2)
            .map(|ends| (ends[1] - ends[0]) as u64)
            .map(|shown| shown * (shown - 1) / 2)
            .sum()
    }

    fn shown_by(&self, at: usize) -> impl Iterator<Item = (usize, bool)> {
        let shown = &self.shown[self.shown_starts[at]..self.shown_starts[at + 1]];
        shown.iter().map(|&shown| ((shown / 2) as usize, shown % 2 == 1))
    }

    /// Lists a kept document under the shingles it shows.
    pub(crate) fn list(&mut self, at: usize) {
        for place in self.shown_starts[at]..self.shown_starts[at + 1] {
            let (shingle, short) = ((self.shown[place] / 2) as usize, self.shown[place] % 2 == 1);
            if short {
                self.listed[self.starts[shingle] + self.short[shingle] as usize] = at as u32;
                self.short[shingle] += 1;
            } else {
                self.long[shingle] += 1;
                self.listed[self.starts[shingle + 1] - self.long[shingle] as usize] = at as u32;
            }
        }
    }

    /// Finds the listed documents from `from` on that may be similar to `at`.
    pub(crate) fn look_up_listed(&self, at: usize, from: u32, lookup: &mut Lookup) {
        lookup.begin(self.shown_starts.len());
        for (shingle, short) in self.shown_by(at) {
            let start = self.starts[shingle];
            let by_short = &self.listed[start..start + self.short[shingle] as usize];
            lookup.meet(by_short[by_short.partition_point(|&other| other < from)..].iter());
            if short {
                let end = self.starts[shingle + 1];
                let by_long = &self.listed[end - self.long[shingle] as usize..end];
                lookup.meet(by_long.iter().take_while(|&&other| other >= from));
            }
        }
        lookup.end();
    }
}

/// The long beginning of each document: the shingle, and twice the document plus 1 if the shingle is in the short one.
fn beginnings(chunk: &Chunk, recipe: &Recipe, observer: &dyn Observer) -> Result<Vec<(u64, u32)>> {
    let slot = |element: u64| {
        (element.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - COUNTED.trailing_zeros())) as usize
    };
    let mut counts = vec![0u32; COUNTED];
    for at in 0..chunk.len() {
        observer.go_on()?;
        chunk.set(at).as_slice().iter().for_each(|&element| counts[slot(element)] += 1);
    }
    let (mut items, mut ordered) = (Vec::new(), Vec::new());
    for at in 0..chunk.len() {
        observer.go_on()?;
        let set = chunk.set(at).as_slice();
        let document = at as u32 * 2;
        ordered.clear();
        ordered.extend(set.iter().map(|&element| (counts[slot(element)], element)));
        let (long, short) = lengths(set.len(), recipe);
        if long < ordered.len() {
            ordered.select_nth_unstable(long);
        }
        ordered.truncate(long);
        if short < ordered.len() {
            ordered.select_nth_unstable(short);
        }
        items.extend(
            ordered
                .iter()
                .enumerate()
                .map(|(place, &(count, element))| {
                    // What occurs once meets nothing.
                    (if count == 1 { None } else { Some(element) }, document + u32::from(place < short))
                })
                .filter_map(|(element, document)| Some((element?, document))),
        );
        if set.is_empty() {
            items.push((NO_SHINGLES, document + 1));
        }
    }
    Ok(items)
}

/// How many of its rarest elements a set of `size` must show to smaller sets and to larger ones.
fn lengths(size: usize, recipe: &Recipe) -> (usize, usize) {
    let with_equal = recipe.verifier.needed_overlap(size, size).unwrap_or(size);
    (prefix_length(size, &recipe.verifier), (size - with_equal + 1).min(size))
}
