//! Sizes of sets -> ranges of sizes that give the fewest false candidates.
//!
//! A containment index treats every document of a range as if it had the range's largest size `u`. This gives false
//! candidates: about a share `(u - s) / u` of the documents of size `s` (Zhu et al. 2016). The partition with the
//! least expected number of false candidates is found by dynamic programming over the upper ends of the ranges. The
//! cost of a range satisfies the quadrangle inequality, so the best lower end only moves in one direction, and each
//! further range costs `O(n log n)` for `n` different sizes (divide and conquer).
//!
//! [`LshEnsemble`](crate::index::LshEnsemble) uses ranges of equally many documents instead, which cost nothing to
//! find.

use crate::error::{Error, Result, check_length};

/// At most `partitions` ranges (first size, last size) that cover all `sizes` with the least expected number of false
/// candidates. `sizes` must ascend; they may be estimates. `counts` is the number of documents of each size. Of
/// equally good choices it is the one with the smaller lower ranges.
///
/// ```
/// use lookalike::compat::partitions::least_false_positives;
///
/// let sizes = [10.0, 11.0, 12.0, 1000.0, 1001.0];
/// let ranges = least_false_positives(&sizes, &[1; 5], 2)?;
/// assert_eq!(ranges, [(10.0, 12.0), (1000.0, 1001.0)]);
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn least_false_positives(sizes: &[f64], counts: &[u64], partitions: usize) -> Result<Vec<(f64, f64)>> {
    check_length(sizes.len(), counts.len())?;
    if partitions == 0 {
        return Err(Error::invalid("partitions", partitions, "at least 1"));
    }
    if let Some(pair) =
        sizes.windows(2).find(|pair| pair[0] >= pair[1] || pair[0].is_nan() || pair[1].is_nan())
    {
        return Err(Error::invalid("sizes", format_args!("{pair:?}"), "ascending, each once"));
    }
    if let Some(size) = sizes.iter().find(|size| !(size.is_finite() && **size > 0.0)) {
        return Err(Error::invalid("sizes", size, "finite and above 0"));
    }
    if partitions >= sizes.len() {
        return Ok(sizes.iter().map(|&size| (size, size)).collect());
    }
    let ranges = Ranges::new(sizes, counts);
    // best[p][u] is the least cost of p + 1 ranges that end with size u, and the beginning of the last of them.
    let first: Vec<(f64, usize)> = (0..sizes.len()).map(|u| (ranges.cost(0, u), 0)).collect();
    let mut best = vec![first];
    for fewer in 0..partitions - 1 {
        let mut row = vec![(f64::INFINITY, 0); sizes.len()];
        ranges.extend(
            &best[fewer],
            &mut row,
            fewer + 1,
            (fewer + 1, sizes.len() - 1),
            (fewer + 1, sizes.len() - 1),
        );
        best.push(row);
    }
    let mut found = Vec::with_capacity(partitions);
    let mut last = sizes.len() - 1;
    for row in best.iter().rev() {
        let begin = row[last].1;
        found.push((sizes[begin], sizes[last]));
        last = begin.saturating_sub(1);
    }
    found.reverse();
    Ok(found)
}

/// Computes the cost of a range from prefix sums over the sizes.
struct Ranges<'a> {
    sizes: &'a [f64],
    documents: Vec<f64>,
    elements: Vec<f64>,
}

impl<'a> Ranges<'a> {
    fn new(sizes: &'a [f64], counts: &[u64]) -> Self {
        let (mut documents, mut elements) = (vec![0.0], vec![0.0]);
        let (mut all, mut sum) = (0.0, 0.0);
        for (&size, &count) in sizes.iter().zip(counts) {
            all += count as f64;
            sum += count as f64 * size;
            documents.push(all);
            elements.push(sum);
        }
        Self { sizes, documents, elements }
    }

    /// The expected number of false candidates of the range from the size at `begin` to that at `end`, both included.
    fn cost(&self, begin: usize, end: usize) -> f64 {
        let documents = self.documents[end + 1] - self.documents[begin];
        let elements = self.elements[end + 1] - self.elements[begin];
        documents - elements / self.sizes[end]
    }

    /// Fills `row[ends.0..=ends.1]` with the best choices of one more range than `fewer` has. The last range begins
    /// within `begins` and not before `first`.
    fn extend(
        &self,
        fewer: &[(f64, usize)],
        row: &mut [(f64, usize)],
        first: usize,
        ends: (usize, usize),
        begins: (usize, usize),
    ) {
        if ends.0 > ends.1 {
            return;
        }
        let end = usize::midpoint(ends.0, ends.1);
        for begin in begins.0.max(first)..=begins.1.min(end) {
            let cost = fewer[begin - 1].0 + self.cost(begin, end);
            if cost < row[end].0 {
                row[end] = (cost, begin);
            }
        }
        let begin = row[end].1;
        if end > ends.0 {
            self.extend(fewer, row, first, (ends.0, end - 1), (begins.0, begin));
        }
        self.extend(fewer, row, first, (end + 1, ends.1), (begin, begins.1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashing::SplitMix64;

    fn cost(sizes: &[f64], counts: &[u64], ranges: &[(f64, f64)]) -> f64 {
        let false_positives = |&(low, high): &(f64, f64)| {
            let inside = sizes.iter().zip(counts).filter(move |(size, _)| (low..=high).contains(size));
            inside.map(|(&size, &count)| (high - size) / high * count as f64).sum::<f64>()
        };
        ranges.iter().map(false_positives).sum()
    }

    /// The least cost of exactly `parts` ranges, found by trying all choices.
    fn least(sizes: &[f64], counts: &[u64], parts: usize) -> f64 {
        if parts == 1 {
            return cost(sizes, counts, &[(sizes[0], sizes[sizes.len() - 1])]);
        }
        let rest = |end: usize| {
            cost(sizes, counts, &[(sizes[0], sizes[end])])
                + least(&sizes[end + 1..], &counts[end + 1..], parts - 1)
        };
        (0..=sizes.len() - parts).map(rest).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn no_other_partition_costs_less() {
        let mut random = SplitMix64::new(1);
        for round in 0..200 {
            let mut size = 0.0;
            let sizes: Vec<f64> = (0..2 + round % 9)
                .map(|_| {
                    size += (1 + random.below(30)) as f64;
                    size
                })
                .collect();
            let counts: Vec<u64> = sizes.iter().map(|_| 1 + random.below(20)).collect();
            for parts in 1..=sizes.len() + 1 {
                let found = least_false_positives(&sizes, &counts, parts).unwrap();
                assert_eq!(found.len(), parts.min(sizes.len()));
                assert_eq!((found[0].0, found[found.len() - 1].1), (sizes[0], size));
                let expected = if parts < sizes.len() { least(&sizes, &counts, parts) } else { 0.0 };
                let cost = cost(&sizes, &counts, &found);
                assert!(
                    (cost - expected).abs() < 1e-9,
                    "{sizes:?} {counts:?} {found:?}: {cost}, not {expected}"
                );
            }
        }
    }

    #[test]
    fn impossible_sizes_are_errors() {
        assert!(least_false_positives(&[1.0, 2.0], &[1], 1).is_err());
        assert!(least_false_positives(&[1.0, 2.0], &[1, 1], 0).is_err());
        for sizes in [[2.0, 2.0], [0.0, 2.0], [f64::NAN, 2.0], [1.0, f64::NAN], [1.0, f64::INFINITY]] {
            assert!(least_false_positives(&sizes, &[1, 1], 1).is_err());
        }
        assert!(least_false_positives(&[], &[], 3).unwrap().is_empty());
    }
}
