use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{BandTable, MAX_BANDS};
use crate::Error;

const BANDS: usize = 3;

fn rejected(result: crate::Result<impl std::fmt::Debug>) -> String {
    result.unwrap_err().to_string()
}

#[derive(Debug, Clone)]
enum Step {
    Insert([u64; BANDS]),
    Remove(prop::sample::Index),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => prop::array::uniform3(0..6_u64).prop_map(Step::Insert),
        1 => any::<prop::sample::Index>().prop_map(Step::Remove),
    ]
}

/// Checks the answers of the table, given the keys at every position.
fn check(table: &BandTable, expected: &BTreeMap<u32, [u64; BANDS]>) {
    assert_eq!(table.len(), expected.len());
    assert!(table.positions().eq(expected.keys().copied()));
    for (&position, keys) in expected {
        assert_eq!(table.keys_at(position), Some(&keys[..]));
        for bands in 0..=BANDS {
            let shares = |other: &[u64; BANDS]| (0..bands).any(|band| other[band] == keys[band]);
            let candidates =
                expected.iter().filter(|(_, other)| shares(other)).map(|(&position, _)| position);
            assert_eq!(table.candidates(&keys[..bands]).unwrap(), candidates.collect::<Vec<_>>());
        }
    }
    for band in 0..BANDS {
        let mut buckets = BTreeMap::<u64, Vec<u32>>::new();
        for (&position, keys) in expected {
            buckets.entry(keys[band]).or_default().push(position);
        }
        let mut sizes = table.bucket_sizes(band);
        sizes.sort_unstable();
        assert!(sizes.into_iter().eq(buckets.iter().map(|(&key, positions)| (key, positions.len()))));
        assert_eq!(table.bucket_count(band), buckets.len());
        for (key, positions) in buckets {
            assert_eq!(table.bucket(band, key), positions);
        }
        assert!(table.bucket(band, 99).is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn equals_brute_force_after_any_steps(
        steps in prop::collection::vec(step(), 0..60),
        others in prop::collection::vec(prop::array::uniform3(0..6_u64), 0..10),
    ) {
        let (mut table, mut expected) = (BandTable::new(BANDS).unwrap(), BTreeMap::new());
        for step in steps {
            match step {
                Step::Insert(keys) => {
                    let position = table.insert(&keys).unwrap();
                    prop_assert!(expected.insert(position, keys).is_none(), "the position was in use");
                }
                Step::Remove(index) => {
                    let position = index.index(expected.len() + 3) as u32;
                    prop_assert_eq!(table.remove(position), expected.remove(&position).is_some());
                }
            }
        }
        check(&table, &expected);
        let bytes = table.to_bytes();
        check(&BandTable::from_bytes(&bytes).unwrap(), &(0..).zip(expected.values().copied()).collect());
        prop_assert!(BandTable::from_bytes(&bytes[..bytes.len() - 1]).is_err());
        let mut other = BandTable::new(BANDS).unwrap();
        for keys in &others {
            other.insert(keys).unwrap();
        }
        let merged = table.merge(&other).unwrap();
        expected.extend(merged.into_iter().zip(others));
        check(&table, &expected);
    }
}

#[test]
fn what_does_not_fit_is_rejected() {
    rejected(BandTable::new(0));
    rejected(BandTable::new(MAX_BANDS + 1));
    let mut table = BandTable::new(2).unwrap();
    assert!(matches!(table.insert(&[1]), Err(Error::LengthMismatch { .. })));
    assert!(matches!(table.candidates(&[1, 2, 3]), Err(Error::LengthMismatch { .. })));
    assert!(matches!(table.merge(&BandTable::new(3).unwrap()), Err(Error::LengthMismatch { .. })));
    assert!(table.bucket_sizes(2).is_empty() && table.bucket(2, 1).is_empty());
    // A header that announces more data than there is.
    let mut bytes = table.to_bytes();
    bytes[8..16].fill(0xff);
    assert!(matches!(BandTable::from_bytes(&bytes), Err(Error::Decode { .. })));
    let mut bytes = table.to_bytes();
    bytes[16..24].fill(0xff);
    assert!(matches!(BandTable::from_bytes(&bytes), Err(Error::Decode { .. })));
}
