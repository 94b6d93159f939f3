//! Weights, entities and chance, learnt in turns.

use crate::bands::Pair;
use crate::candidates::Candidates;
use crate::chance::{Chance, Where};
use crate::column::Column;
use crate::model::{Fitted, Model, Partners, Sample};
use crate::threads::{Stopped, Work};
use crate::together::FewValues;

/// What learning needs.
pub(crate) struct Learning<'a> {
    pub(crate) columns: &'a [Column],
    pub(crate) chance: &'a Chance,
    pub(crate) few: &'a FewValues,
    pub(crate) all_pairs: f64,
    pub(crate) work: Work<'a>,
}

impl Learning<'_> {
    /// Where chance is counted once matches are known.
    fn place(&self) -> Where {
        if self.columns.len() == 1 { Where::Within } else { Where::Compared }
    }

    /// Learns in turns: weights, from a sample; then which records are one entity, by all pairs; then how often values agree by
    /// chance among entities.
    pub(crate) fn learn(
        &self,
        model: &mut Model,
        all: &Candidates<'_>,
        sample: &Sample,
        passes: usize,
        partners: Partners,
    ) -> Result<(), Stopped> {
        let count = self.columns.first().map_or(0, |column| column.of.len());
        for pass in 0..passes {
            model.learn(self.columns, sample, self.few, self.all_pairs, partners, self.work)?;
            if pass + 1 == passes {
                break;
            }
            let fitted = Fitted::new(model, self.columns);
            let linked = all.each(self.work, |chunk| {
                let mut buffer = Vec::new();
                let mut is_match = |at: usize, pair: Pair| {
                    fitted.probability(self.columns, pair, chunk.levels.at(at), &mut buffer) > 0.5
                };
                let pairs = chunk.pairs.iter().copied().enumerate();
                pairs.filter(|&(at, pair)| is_match(at, pair)).map(|(_, pair)| pair).collect::<Vec<Pair>>()
            })?;
            let entities = entities(count, linked.iter().flatten().copied());
            let counted =
                self.chance.count(self.columns, &entities, self.place(), Some(&fitted), self.work)?;
            model.set_chance(self.columns, &counted);
        }
        Ok(())
    }
}

/// The entity of each record: the least number of a record that is connected with it.
fn entities(count: usize, linked: impl Iterator<Item = Pair>) -> Vec<u32> {
    let mut leads: Vec<u32> = (0..count as u32).collect();
    fn root(leads: &mut [u32], mut at: u32) -> u32 {
        while leads[at as usize] != at {
            leads[at as usize] = leads[leads[at as usize] as usize];
            at = leads[at as usize];
        }
        at
    }
    for (a, b) in linked {
        let (a, b) = (root(&mut leads, a), root(&mut leads, b));
        leads[a.max(b) as usize] = a.min(b);
    }
    (0..count as u32).map(|record| root(&mut leads, record)).collect()
}
