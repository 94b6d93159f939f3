//! The laws that every family of min-hash functions obeys, as a macro that makes the tests.

/// Makes tests for a family. It takes a constructor for `num_hashes` functions, a strategy for elements, and a known
/// sketch. The laws are: merging gives the signature of the union; order and repetition do not matter; the empty set
/// equals only itself; the signature knows its family and seed; bytes that were written can be read; and the known
/// sketch is reproduced.
macro_rules! laws {
    ($module:ident: $hasher:expr, elements: $elements:expr, known: $known:expr => $set:expr => $slots:expr) => {
        mod $module {
            use super::*;

            fn hasher(num_hashes: usize) -> impl MinHasher {
                let hasher: fn(usize) -> _ = $hasher;
                hasher(num_hashes)
            }

            fn set() -> impl Strategy<Value = Vec<u64>> {
                prop::collection::vec($elements, 0..120)
            }

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(64))]

                #[test]
                fn merging_gives_the_signature_of_the_union(a in set(), b in set(), num_hashes in 1usize..150) {
                    let hasher = hasher(num_hashes);
                    let union: Vec<u64> = a.iter().chain(&b).copied().collect();
                    let mut merged = hasher.sketch(&a);
                    merged.merge(&hasher.sketch(&b)).unwrap();
                    prop_assert_eq!(&merged, &hasher.sketch(&union));
                    let mut other_way = hasher.sketch(&b);
                    other_way.merge(&hasher.sketch(&a)).unwrap();
                    prop_assert_eq!(other_way, merged);
                }

                #[test]
                fn order_and_repetition_do_not_matter(mut elements in set(), num_hashes in 1usize..150) {
                    let hasher = hasher(num_hashes);
                    let signature = hasher.sketch(&elements);
                    elements.reverse();
                    elements.extend_from_within(..);
                    prop_assert_eq!(hasher.sketch(&elements), signature);
                }

                #[test]
                fn the_signature_says_what_made_it(elements in set(), num_hashes in 1usize..150) {
                    let hasher = hasher(num_hashes);
                    let signature = hasher.sketch(&elements);
                    prop_assert_eq!(signature.family(), hasher.family());
                    prop_assert_eq!(signature.seed(), hasher.seed());
                    prop_assert_eq!(signature.num_hashes(), num_hashes);
                    prop_assert_eq!(signature.is_empty_set(), elements.is_empty());
                    prop_assert_eq!(Signature::from_bytes(&signature.to_bytes()).unwrap(), signature);
                }
            }

            #[test]
            fn the_empty_set_is_equal_to_itself_only() {
                let hasher = hasher(16);
                let (empty, one) = (hasher.sketch(&[]), hasher.sketch(&[5]));
                assert_eq!(empty.estimate(&empty).unwrap().similarity, 1.0);
                assert_eq!(empty.estimate(&one).unwrap().similarity, 0.0);
                let mut merged = empty;
                merged.merge(&one).unwrap();
                assert_eq!(merged, one);
            }

            #[test]
            fn the_answer_is_the_known_one() {
                assert_eq!($known.sketch(&$set).slots(), $slots);
            }
        }
    };
}
pub(super) use laws;
