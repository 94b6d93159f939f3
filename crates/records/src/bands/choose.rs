//! Pairs that look like matches -> the bands that find them at the fewest comparisons.

use super::pairs::{MOST_IN_BLOCK, MOST_IN_REFINED, Share};
use super::{Chosen, Pair, Row, Rows};
use crate::table::ByHash;
use crate::threads::{Stopped, Work};

/// A pair should be found by so many bands, so that those that differ in what was not seen are found too: the wanted share of the
/// pairs by all of them, and by one of them a share whose distance to 1 is the square of that.
const DEPTH: u8 = 3;

/// A value that costs at most so many pairs for each record is always a band.
const CHEAP: f64 = 0.5;

/// Of how many likely matches a band must find one to be looked at.
const LEAST_FOUND: usize = 100;

/// A band that may be chosen.
struct Offer {
    band: Vec<usize>,
    cost: f64,
    /// True if the cost was counted.
    is_exact: bool,
    /// The pairs that it finds, a bit for each.
    found: Vec<u64>,
    number: u32,
}

impl Rows<'_> {
    /// Chooses bands that find these pairs, each with its share of them and its cost in pairs for each record. Returns also
    /// the share of the pairs that is found by a band.
    pub(crate) fn choose(
        &self,
        alike: &[Pair],
        wanted: f64,
        most_cost: f64,
        work: Work<'_>,
    ) -> Result<(Vec<Chosen>, f64), Stopped> {
        let count = self.sides.len().max(1);
        let of = self.sampled();
        let survey = |band: &[usize]| -> Result<f64, Stopped> {
            let (blocks, bits) = (self.blocks(band, Share::Part { part: 0, of }, work)?, self.bits());
            let sizes = blocks.chunk_by(|a, b| a >> bits == b >> bits).map(<[u64]>::len);
            let pairs: f64 = sizes
                .map(|size| match size {
                    ..=MOST_IN_BLOCK => size as f64 * (size as f64 - 1.0) / 2.0,
                    size => size as f64 * MOST_IN_REFINED as f64 / 2.0,
                })
                .sum();
            Ok(pairs * of as f64 / count as f64)
        };
        // Which rows agree in which pairs, a bit for each pair.
        let words = alike.len().div_ceil(64);
        let mut buffers = (Vec::new(), Vec::new());
        let agreeing: Vec<Vec<u64>> = (0..self.rows.len())
            .map(|row| {
                work.go_on()?;
                let mut bits = vec![0u64; words];
                for (at, &pair) in alike.iter().enumerate() {
                    bits[at / 64] |= u64::from(self.agrees(row, pair, &mut buffers)) << (at % 64);
                }
                Ok(bits)
            })
            .collect::<Result<_, Stopped>>()?;
        // The chance that two records have the same key, as far as rows are independent.
        let chance: Vec<f64> = (0..self.rows.len())
            .map(|row| work.go_on().map(|()| self.chance(row)))
            .collect::<Result<_, Stopped>>()?;
        let mut offered: Vec<Offer> = Vec::new();
        for one in 0..self.rows.len() {
            let others =
                (one + 1..self.rows.len()).filter(|&other| self.of_column[other] != self.of_column[one]);
            for band in std::iter::once(vec![one]).chain(others.map(|other| vec![one, other])) {
                let found: Vec<u64> = (0..words)
                    .map(|word| band.iter().fold(u64::MAX, |bits, &row| bits & agreeing[row][word]))
                    .collect();
                let number: u32 = found.iter().map(|bits| bits.count_ones()).sum();
                if number as usize * LEAST_FOUND > alike.len() {
                    let cost = band.iter().map(|&row| chance[row]).product::<f64>() * count as f64 / 2.0;
                    offered.push(Offer { band, cost, is_exact: false, found, number });
                }
            }
        }
        let (mut chosen, mut spent, mut times) = (Vec::<Chosen>::new(), 0.0, vec![0u8; alike.len()]);
        let share = |times: &[u8], least: u8| {
            times.iter().filter(|&&times| times >= least).count() as f64 / alike.len().max(1) as f64
        };
        // A value that few records share is a band of its own: matches that were not seen may have nothing else in common.
        for row in (0..self.rows.len()).filter(|&row| matches!(self.rows[row], Row::Value(_))) {
            let cost = survey(&[row])?;
            if alike.is_empty() || cost > CHEAP {
                continue;
            }
            if let Some(at) = offered.iter().position(|offer| offer.band == [row]) {
                let offer = offered.swap_remove(at);
                for (at, times) in times.iter_mut().enumerate() {
                    *times = times.saturating_add((offer.found[at / 64] >> (at % 64) & 1) as u8);
                }
                spent += cost;
                chosen.push(self.chosen(offer.band, f64::from(offer.number) / alike.len() as f64, cost));
            }
        }
        let (once, often) = (1.0 - (1.0 - wanted).powi(2), wanted);
        while !alike.is_empty() && (share(&times, 1) < once || share(&times, DEPTH) < often) {
            work.go_on()?;
            let worth = |offer: &Offer| {
                let mut gain = 0.0;
                for (word, bits) in offer.found.iter().enumerate() {
                    let mut bits = *bits;
                    while bits != 0 {
                        let at = word * 64 + bits.trailing_zeros() as usize;
                        // To be found for the first time counts most.
                        gain += [1.0, 0.3, 0.1].get(usize::from(times[at])).copied().unwrap_or(0.0);
                        bits &= bits - 1;
                    }
                }
                gain / alike.len() as f64 / (offer.cost + 0.05)
            };
            let mut worths: Vec<(f64, usize)> =
                offered.iter().enumerate().map(|(at, offer)| (worth(offer), at)).collect();
            worths.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            // Costs are guessed until a band is about to be chosen.
            let mut best: Option<(f64, usize)> = None;
            for &(guessed, at) in &worths {
                if guessed <= 0.0 || best.is_some_and(|(known, _)| known >= guessed) {
                    break;
                }
                if !offered[at].is_exact {
                    offered[at].cost = survey(&offered[at].band)?;
                    offered[at].is_exact = true;
                }
                let exact = worth(&offered[at]);
                if spent + offered[at].cost <= most_cost && best.is_none_or(|(known, _)| exact > known) {
                    best = Some((exact, at));
                }
            }
            let Some((_, at)) = best else { break };
            let offer = offered.swap_remove(at);
            for (at, times) in times.iter_mut().enumerate() {
                *times = times.saturating_add((offer.found[at / 64] >> (at % 64) & 1) as u8);
            }
            spent += offer.cost;
            chosen.push(self.chosen(offer.band, f64::from(offer.number) / alike.len() as f64, offer.cost));
        }
        Ok((chosen, share(&times, 1)))
    }

    /// The chance that two records have the same key in a row.
    fn chance(&self, row: usize) -> f64 {
        let count = self.sides.len().max(1) as f64;
        let mut counts: ByHash<f64> = ByHash::default();
        match self.of_column[row] {
            Some(column) => {
                let values = self.keys[row].iter().zip(&self.columns[column].counts);
                values.filter(|(key, _)| **key != 0).for_each(|(key, times)| {
                    *counts.entry(u64::from(*key)).or_default() += f64::from(*times);
                });
            }
            None => {
                let mut buffer = Vec::new();
                for record in 0..self.sides.len() {
                    self.of_words(row, record, &mut buffer);
                    buffer.iter().for_each(|key| *counts.entry(*key).or_default() += 1.0);
                }
            }
        }
        let mut squares: Vec<f64> = counts.into_values().map(|times| times * (times - 1.0)).collect();
        squares.sort_by(f64::total_cmp);
        squares.iter().sum::<f64>() / (count * count)
    }
}
