//! Two sparse vectors of (index, value), ascending by index -> their join and their cosine.

use super::vectors::cosine_of_sums;
use crate::error::{Error, Result};

/// Cosine of the angle between two sparse vectors. Each is a list of (index, value), strictly ascending by index,
/// with finite values. The cosine is 1 if both vectors are zero, and 0 if one is.
///
/// ```
/// use lookalike::similarity::sparse_cosine;
///
/// let a = [(3, 3.0), (8, 4.0)];
/// let b = [(1, 2.0), (8, 1.5)];
/// assert_eq!(sparse_cosine(&a, &b)?, 4.0 * 1.5 / (5.0 * 2.5));
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn sparse_cosine(a: &[(u64, f64)], b: &[(u64, f64)]) -> Result<f64> {
    check_ascending(a)?;
    check_ascending(b)?;
    let values = |vector: &[(u64, f64)]| vector.iter().map(|&(_, value)| value).collect::<Vec<_>>();
    cosine_of_sums(&values(a), &values(b), |scale_a, scale_b| {
        common(a, b).fold(0.0, |dot, (x, y)| dot + (x * scale_a) * (y * scale_b))
    })
}

/// The inner product of two vectors that are ascending by index.
pub(crate) fn sparse_dot(a: &[(u64, f64)], b: &[(u64, f64)]) -> f64 {
    // Start from 0.0, because the sum of an empty iterator is -0.0.
    common(a, b).fold(0.0, |dot, (x, y)| dot + x * y)
}

/// One index of the join of two sparse vectors: its value on the left, on the right, or on both sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Joined<T> {
    Left(T),
    Right(T),
    Both(T, T),
}

/// Full outer join of two vectors that are ascending by index.
pub(super) fn join<'a, T: Copy>(
    mut a: &'a [(u64, T)],
    mut b: &'a [(u64, T)],
) -> impl Iterator<Item = Joined<T>> + 'a {
    std::iter::from_fn(move || match (a.split_first(), b.split_first()) {
        (None, None) => None,
        (Some((&(i, x), rest_a)), Some((&(j, y), rest_b))) if i == j => {
            (a, b) = (rest_a, rest_b);
            Some(Joined::Both(x, y))
        }
        (Some((&(i, x), rest)), other) if other.is_none_or(|(&(j, _), _)| i < j) => {
            a = rest;
            Some(Joined::Left(x))
        }
        (_, Some((&(_, y), rest))) => {
            b = rest;
            Some(Joined::Right(y))
        }
        (Some(_), None) => None,
    })
}

/// The values at the indices that both vectors have.
pub(super) fn common<'a, T: Copy>(a: &'a [(u64, T)], b: &'a [(u64, T)]) -> impl Iterator<Item = (T, T)> + 'a {
    join(a, b).filter_map(|joined| match joined {
        Joined::Both(x, y) => Some((x, y)),
        Joined::Left(_) | Joined::Right(_) => None,
    })
}

/// Returns an error unless the indices are strictly ascending.
pub(super) fn check_ascending<T>(vector: &[(u64, T)]) -> Result<()> {
    match vector.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
        None => Ok(()),
        Some(pair) => Err(Error::invalid(
            "elements",
            format_args!("[.., {}, {}, ..]", pair[0].0, pair[1].0),
            "elements must be strictly ascending (sort them and add up repeats)",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similarity::cosine;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_zero_vector_is_defined() {
        assert_eq!(sparse_cosine(&[], &[]), Ok(1.0));
        assert_eq!(sparse_cosine(&[(1, 0.0)], &[]), Ok(1.0));
        assert_eq!(sparse_cosine(&[(1, 2.0)], &[]), Ok(0.0));
    }

    #[test]
    fn impossible_vectors_are_refused() {
        assert!(sparse_cosine(&[(1, f64::NAN)], &[(1, 1.0)]).is_err());
        assert!(sparse_cosine(&[(1, 1.0)], &[(2, f64::INFINITY)]).is_err());
        assert!(sparse_cosine(&[(1, 1.0), (1, 1.0)], &[]).is_err());
    }

    #[test]
    fn join_shows_every_index_once() {
        let joined: Vec<_> = join(&[(1, 'a'), (4, 'b'), (9, 'c')], &[(2, 'x'), (4, 'y')]).collect();
        assert_eq!(
            joined,
            [Joined::Left('a'), Joined::Right('x'), Joined::Both('b', 'y'), Joined::Left('c')]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn equals_the_dense_cosine(
            a in prop::collection::btree_map(0u64..20, -9i8..9, 0..20),
            b in prop::collection::btree_map(0u64..20, -9i8..9, 0..20),
        ) {
            let dense = |of: &BTreeMap<u64, i8>| (0..20).map(|i| f64::from(of.get(&i).copied().unwrap_or(0))).collect::<Vec<_>>();
            let sparse = |of: &BTreeMap<u64, i8>| of.iter().map(|(&i, &x)| (i, f64::from(x))).collect::<Vec<_>>();
            let expected = cosine(&dense(&a), &dense(&b)).unwrap();
            let found = sparse_cosine(&sparse(&a), &sparse(&b)).unwrap();
            prop_assert!((found - expected).abs() < 1e-12, "{} against {}", found, expected);
        }
    }
}
