//! Buckets -> candidate pairs, one document at a time.

use super::DocumentId;
use super::bands::LshIndex;
use crate::pair::Pair;

/// An iterator over the candidate pairs of an [`LshIndex`]: each once, the smaller id first, in ascending order.
///
/// For each document in turn it collects the partners with larger ids from all its buckets and marks them, so
/// that a pair that shares several buckets is returned once. It never holds a set of all pairs.
#[derive(Debug, Clone)]
pub struct CandidatePairs<'a, Id: DocumentId = u64> {
    index: &'a LshIndex<Id>,
    /// The positions by ascending id, and (below) for each position its place in that order.
    order: Vec<u32>,
    rank: Vec<u32>,
    /// The place in that order of the document whose partners are being returned.
    place: usize,
    /// Its partners, the next one last.
    partners: Vec<u32>,
    /// For each place, one more than the last `place` of which it was a partner.
    partner_of: Vec<usize>,
}

impl<'a, Id: DocumentId> CandidatePairs<'a, Id> {
    pub(super) fn new(index: &'a LshIndex<Id>) -> Self {
        let order = index.documents.by_id();
        let mut rank = vec![0; index.documents.capacity()];
        for (place, &position) in (0..).zip(&order) {
            rank[position as usize] = place;
        }
        let partner_of = vec![0; order.len()];
        let mut pairs = Self { index, order, rank, place: 0, partners: Vec::new(), partner_of };
        pairs.gather();
        pairs
    }

    /// The pairs whose estimated similarity is at least `threshold`, with their similarities.
    pub(super) fn similar(mut self, threshold: f64) -> impl Iterator<Item = Pair<Id>> + use<'a, Id> {
        std::iter::from_fn(move || {
            loop {
                let (a, b) = self.next_positions()?;
                let documents = &self.index.documents;
                let similarity = documents.similarity(a, b);
                if similarity >= threshold {
                    let (a, b) = (documents.id(a)?.clone(), documents.id(b)?.clone());
                    return Some(Pair { a, b, similarity });
                }
            }
        })
    }

    fn gather(&mut self) {
        let Some(&position) = self.order.get(self.place) else { return };
        for band in 0..self.index.banding().bands() {
            for neighbour in self.index.neighbours(position, band) {
                let partner = self.rank[neighbour as usize];
                let mark = &mut self.partner_of[partner as usize];
                if partner as usize > self.place && *mark != self.place + 1 {
                    *mark = self.place + 1;
                    self.partners.push(partner);
                }
            }
        }
        self.partners.sort_unstable_by(|a, b| b.cmp(a));
    }

    fn next_positions(&mut self) -> Option<(u32, u32)> {
        while self.partners.is_empty() {
            if self.place >= self.order.len() {
                return None;
            }
            self.place += 1;
            self.gather();
        }
        Some((self.order[self.place], self.order[self.partners.pop()? as usize]))
    }
}

impl<'a, Id: DocumentId> Iterator for CandidatePairs<'a, Id> {
    type Item = (&'a Id, &'a Id);

    fn next(&mut self) -> Option<Self::Item> {
        let (a, b) = self.next_positions()?;
        Some((self.index.documents.id(a)?, self.index.documents.id(b)?))
    }
}
