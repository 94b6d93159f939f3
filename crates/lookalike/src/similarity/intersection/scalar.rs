//! Compares one element at a time: the branchless merge, which is the definition, and the exponential search for sets
//! of very different size.

use super::{Progress, Reachable, STEPS_BETWEEN_CHECKS};

/// Moves the finger on the smaller element, or both if they are equal. Ends when one set is finished or when it is
/// certain that too few elements are shared.
pub(super) fn merge(progress: &mut Progress<'_>) {
    loop {
        // So many steps that neither set can run out of elements.
        let steps = progress.shorter_rest().min(4 * STEPS_BETWEEN_CHECKS);
        if steps == 0 || progress.reachable() == Reachable::No {
            return;
        }
        for _ in 0..steps {
            let (x, y) = (progress.a[progress.i], progress.b[progress.j]);
            progress.common += usize::from(x == y);
            progress.i += usize::from(x <= y);
            progress.j += usize::from(y <= x);
        }
    }
}

/// Looks up each element of the shorter rest in the longer one.
pub(super) fn gallop(progress: &mut Progress<'_>) {
    let (rest_a, rest_b) = (&progress.a[progress.i..], &progress.b[progress.j..]);
    let (small, mut large) = if rest_a.len() <= rest_b.len() { (rest_a, rest_b) } else { (rest_b, rest_a) };
    for (done, element) in small.iter().enumerate() {
        if progress.common + (small.len() - done).min(large.len()) < progress.needed {
            break;
        }
        large = &large[count_below(large, *element)..];
        progress.common += usize::from(large.first() == Some(element));
    }
    (progress.i, progress.j) = (progress.a.len(), progress.b.len());
}

/// The number of elements of the ascending `set` that are smaller than `element`, by doubling steps, then bisection.
fn count_below(set: &[u64], element: u64) -> usize {
    let mut bound = 1;
    while bound < set.len() && set[bound] < element {
        bound *= 2;
    }
    let from = bound / 2;
    let to = set.len().min(bound + 1);
    from.min(to) + set[from.min(to)..to].partition_point(|&x| x < element)
}
