//! Matches -> how many partners records have, and the best of them.

use crate::bands::{Compared, Pair, Rows};
use crate::column::Column;
use crate::link::Match;
use crate::model::{Field, Fitted, Levels, Model};
use crate::options::OneTo;
use crate::threads::{Stopped, Work};
use std::collections::BTreeMap;

/// True if some records have several partners.
pub(crate) fn has_several(matches: &[Match], count: usize) -> bool {
    let mut partners = vec![0u8; count];
    matches.iter().flat_map(|found| [found.a, found.b]).any(|record| {
        partners[record] += 1;
        partners[record] > 1
    })
}

/// True if the records of two tables have copies in their own table: if pairs within a table that agree as much as half of
/// the matches do are at least a twentieth as many as matches (so, with the other half, a tenth). Fields that the two tables write in different ways are left
/// out, since they cannot differ within a table.
pub(crate) fn has_copies(
    (columns, sides): (&[Column], &[u8]),
    fitted: &Fitted<'_>,
    model: &Model,
    likely: &[(Pair, f64)],
    work: Work<'_>,
) -> Result<bool, Stopped> {
    let is_alike = |field: &Field| {
        let levels = field.matches.iter().zip(&field.weights);
        levels.filter(|(_, weight)| **weight > 0.0).map(|(share, _)| share).sum::<f64>() >= 0.5
    };
    let sum = |pairs: &[Pair]| -> Result<Vec<f64>, Stopped> {
        let levels = Levels::of(columns, pairs, work)?;
        let mut buffer = Vec::new();
        let of_pair = |(at, &pair): (usize, &Pair)| {
            fitted.weights(columns, pair, levels.at(at), &mut buffer);
            buffer.iter().zip(&model.fields).filter(|(_, field)| is_alike(field)).map(|(w, _)| w).sum()
        };
        Ok(pairs.iter().enumerate().map(of_pair).collect())
    };
    let matches: Vec<Pair> = likely.iter().filter(|(_, p)| *p > 0.5).map(|(pair, _)| *pair).collect();
    let mut sums = sum(&matches)?;
    sums.sort_by(f64::total_cmp);
    let Some(&median) = sums.get(sums.len() / 2) else { return Ok(true) };
    let mut within = Rows::new(columns, sides.to_vec(), Compared::All, work)?.first_look(work)?;
    within.retain(|&(a, b)| sides[a as usize] == sides[b as usize]);
    let copies = sum(&within)?.into_iter().filter(|sum| *sum >= median).count();
    let as_much = sums.iter().filter(|sum| **sum >= median).count();
    Ok(copies * 10 > as_much)
}

/// The best partners, and the other pairs: pairs that were labelled a match first, then the most probable one, and each record
/// once, or each of the second table.
pub(crate) fn best_partners(
    mut matches: Vec<Match>,
    sides: &[u8],
    one_to: OneTo,
    labels: &BTreeMap<Pair, bool>,
) -> (Vec<Match>, Vec<Match>) {
    if one_to == OneTo::Many {
        return (matches, Vec::new());
    }
    let is_labelled = |found: &Match| labels.contains_key(&(found.a as u32, found.b as u32));
    matches.sort_by(|x, y| {
        let by_weight = || y.weight.total_cmp(&x.weight).then((x.a, x.b).cmp(&(y.a, y.b)));
        is_labelled(y).cmp(&is_labelled(x)).then_with(by_weight)
    });
    let mut has_one = vec![false; sides.len()];
    let (mut best, others): (Vec<Match>, Vec<Match>) = matches.into_iter().partition(|found| {
        let counts = |record: &&usize| one_to == OneTo::One || sides[**record] == 1;
        let is_free = [found.a, found.b].iter().filter(counts).all(|&record| !has_one[record]);
        if is_free {
            (has_one[found.a], has_one[found.b]) = (true, true);
        }
        is_free
    });
    best.sort_by_key(|found| (found.a, found.b));
    (best, others)
}
