//! Note 002, *Detection of similarity between documents with hashing*.

use lookalike::banding::{Banding, plan};
use lookalike::index::LshIndex;
use lookalike::minhash::matrix::{
    CharacteristicMatrix, OnePassTrace, RowOrder, RowType, RowTypeCounts, RowTypeLetters, SignatureMatrix,
};
use lookalike::minhash::{Family, Numbering, PermutationHasher, RowLabel, Signature};
use lookalike::shingling::Shingler;
use lookalike::similarity::{intersection_size, jaccard, union_size};

use crate::{functions, listed, readable_set, s_curve};

/// Example 2.1: words, k = 1. The union is {I, love, chocolate, and, pizza, white}; which set has which of the last
/// three is in the figure only, and does not matter for the answer. (The union of section 6.1.1 adds "the element in
/// S1 [that] is not contained in S1": those of S2 that are not in S1.)
#[test]
fn two_sentences_about_chocolate_share_three_of_six_words() {
    let (s, t) = ("I love chocolate and pizza", "I love white chocolate");
    let words = Shingler::words(1).unwrap();
    let (s_words, t_words) = (readable_set(&words, s), readable_set(&words, t));
    assert_eq!(&s_words & &t_words, listed(["i", "love", "chocolate"]));
    assert_eq!(&s_words | &t_words, listed(["i", "love", "chocolate", "and", "pizza", "white"]));
    assert_eq!((&s_words | &t_words).len(), s_words.len() + (&t_words - &s_words).len());
    let (s, t) = (words.set(s), words.set(t));
    assert_eq!((intersection_size(&s, &t), union_size(&s, &t)), (3, 6));
    assert_eq!(jaccard(&s, &t), 3.0 / 6.0);
}

/// Section 3.1: with k = 1 "all documents would result to be similar", and with a big k "any pair of documents would
/// not share a shingle".
#[test]
fn a_small_k_makes_all_documents_similar_and_a_big_k_none() {
    let similarity = |k| {
        let shingler = Shingler::characters(k).unwrap();
        let poem =
            shingler.set("Shall I compare thee to a summer's day? Thou art more lovely and more temperate.");
        let article =
            shingler.set("The value of k depends on the size of the documents that we have to compare.");
        jaccard(&poem, &article)
    };
    let similarities: Vec<f64> = (1..=12).map(similarity).collect();
    assert!(similarities[0] > 0.7, "{similarities:?}");
    assert!(similarities.is_sorted_by(|a, b| a >= b));
    assert_eq!(similarities[11], 0.0);
}

/// Section 6.1.1. The loop of the note never moves `pos` and would not end; with `pos := pos + 1` it makes the
/// t - k + 1 substrings of size k. So there are never more shingles than characters, where section 6.1.1.1 has
/// "usually the number of shingles is much larger than the size of words".
#[test]
fn a_text_of_t_characters_has_t_minus_k_plus_1_shingles() {
    let text = "the idea is to create two sets, one per document";
    for k in 1..=12 {
        let (mut pos, mut substrings) = (0, Vec::new());
        while pos + k <= text.len() {
            substrings.push(&text[pos..pos + k]);
            pos += 1;
        }
        assert_eq!(substrings.len(), text.len() - k + 1);
        assert_eq!(Shingler::characters(k).unwrap().shingles(text), substrings);
    }
}

/// The 2-shingles of "Nadal" and "Nadia" as the columns of figure 4.1. The figure has them in lower case, so case is
/// folded.
fn nadal_and_nadia() -> CharacteristicMatrix {
    let shingler = Shingler::characters(2).unwrap();
    let sets = [("S1", shingler.shingles("Nadal")), ("S2", shingler.shingles("Nadia"))];
    CharacteristicMatrix::from_named_sets(&sets, RowOrder::FirstAppearance)
}

/// Example 4.1, and equation (2): J = Q(d) / (Q(b) + Q(c) + Q(d)), with d the rows 1 1. (Notes 001 and 004 name the
/// types the other way round. Two figures have the number 4.1.)
#[test]
fn nadal_and_nadia_share_two_rows_of_six() {
    let matrix = nadal_and_nadia();
    let printed =
        "row  S1  S2\nna    1   1\nad    1   1\nda    1   0\nal    1   0\ndi    0   1\nia    0   1\n";
    assert_eq!(matrix.to_string(), printed);

    let letters = |left, right| RowType::of(left, right).letter(RowTypeLetters::FromZeros);
    assert_eq!([letters(false, false), letters(false, true)], ['a', 'b']);
    assert_eq!([letters(true, false), letters(true, true)], ['c', 'd']);

    let RowTypeCounts { both: d, left_only: c, right_only: b, neither: a } =
        matrix.row_type_counts(0, 1).unwrap();
    assert_eq!((a, b, c, d), (0, 2, 2, 2));
    assert_eq!(matrix.similarity(0, 1).unwrap(), d as f64 / (b + c + d) as f64);
}

/// Example 4.3: the permutation is given as an order of the rows, the value is the row.
#[test]
fn the_min_hash_values_of_nadal_and_nadia_are_da_and_di() {
    let matrix = nadal_and_nadia();
    let row_of = |name: &str| (0..6).find(|&row| matrix.row_name(row as usize) == name).unwrap();
    let order = ["di", "da", "ia", "na", "ad", "al"].map(row_of);
    let printed =
        "row  S1  S2\ndi    0   1\nda    1   0\nia    0   1\nna    1   1\nad    1   1\nal    1   0\n";
    assert_eq!(matrix.permute_rows(&order).unwrap().to_string(), printed);

    let hasher = PermutationHasher::from_order(Numbering::FromZero, &[order]).unwrap();
    let signatures = SignatureMatrix::from_permutations(&matrix, &hasher, RowLabel::RowIndex).unwrap();
    let first_rows = [0, 1].map(|column| matrix.row_name(signatures.column(column).unwrap()[0] as usize));
    assert_eq!(first_rows, ["da", "di"]);
}

/// Section 4.2.1: the similarity is preserved, here over all 720 permutations.
#[test]
fn the_signatures_preserve_the_similarity() {
    let matrix = nadal_and_nadia();
    let all = PermutationHasher::exhaustive(6).unwrap();
    let signatures = SignatureMatrix::from_hasher(&matrix, &all).unwrap();
    assert_eq!(signatures.similarity(0, 1).unwrap(), matrix.similarity(0, 1).unwrap());
}

/// Section 4.1.1 writes the number of pairs of a million documents as 499.999,5 * 10^6: its arithmetic, which tests
/// no code.
#[test]
fn a_million_documents_have_499_999_500_000_pairs() {
    assert_eq!(1_000_000u64 * 999_999 / 2, 499_999_500_000);
}

/// Figure 5.1, with the four values of each column that the text names: "0143" twice, "2130" and "1204".
#[test]
fn only_the_two_equal_columns_of_the_band_are_a_candidate_pair() {
    let columns = ["0143", "2130", "0143", "1204"].map(|column| column.bytes().map(|c| u64::from(c - b'0')));
    let columns = columns.map(Iterator::collect::<Vec<u64>>);
    let rows: Vec<Vec<u64>> = (0..4).map(|row| columns.iter().map(|column| column[row]).collect()).collect();
    let signatures = SignatureMatrix::from_rows(&rows).unwrap();
    let band = signatures.bands(1, 4).unwrap()[0];
    assert_eq!(band.column(3).unwrap(), [1, 2, 0, 4]);
    assert_eq!(band.buckets().len(), 3);
    assert_eq!(band.candidate_pairs(), [(0, 2)]);

    let banding = Banding::new(1, 4).unwrap();
    let signature = |slots: &Vec<u64>| Signature::from_slots(Family::Universal, 1, slots.clone()).unwrap();
    let keys: Vec<u64> =
        columns.iter().flat_map(|slots| banding.band_keys(&signature(slots)).unwrap()).collect();
    assert_eq!(keys[0], keys[2]);
    assert!(keys[0] != keys[1] && keys[0] != keys[3] && keys[1] != keys[3]);
}

/// Section 5.2: "the bigger r, the less probable is to hash two sets of rows into the same bucket", exponentially.
#[test]
fn each_row_more_multiplies_the_probability_by_the_similarity() {
    for rows in 1..50 {
        let ratio = s_curve(1, rows + 1).probability(0.7) / s_curve(1, rows).probability(0.7);
        assert!((ratio - 0.7).abs() < 1e-9);
    }
}

/// Section 5.2, equation (5), and the algorithm of section 6.2, line by line: b divides the number of hash functions
/// and makes |(1/b)^(b/n) - t| least.
#[test]
fn the_b_for_a_threshold_has_the_least_error() {
    for hashes in [1, 12, 50, 97, 100, 128, 200] {
        for percent in 0..=100 {
            let threshold = f64::from(percent) / 100.0;
            let (mut b, mut min_error) = (1, 1.0);
            for h in 1..=hashes {
                if hashes % h == 0 {
                    let aux = (1.0 / h as f64).powf(h as f64 / hashes as f64);
                    let absolute = (aux - threshold).abs();
                    if absolute < min_error {
                        min_error = absolute;
                        b = h;
                    }
                }
            }
            let plan = plan::by_notes_rule(hashes, threshold).unwrap();
            assert_eq!((plan.banding.bands(), plan.banding.rows()), (b, hashes / b));
        }
    }
}

/// The same rule gives back the bands and rows of the other notes: 100 hashes as 20 x 5 for t = 0.55, and 50 as 10 x
/// 5 for 0.63. With the 200 hash functions that section 6.1.2.1 calls usual, t = 0.8 is 20 x 10.
#[test]
fn the_b_for_the_thresholds_of_the_other_notes() {
    let shape = |hashes, threshold| {
        let banding = plan::by_notes_rule(hashes, threshold).unwrap().banding;
        (banding.bands(), banding.rows())
    };
    assert_eq!(shape(100, 0.55), (20, 5));
    assert_eq!(shape(50, 0.63), (10, 5));
    assert_eq!(shape(200, 0.8), (20, 10));
}

/// Section 6.2.1: "documents 3 and 4 will only have one candidate pair (3, 4), and not two (3, 4) and (4, 3)", and in
/// the worst case a band makes c (c - 1) / 2 pairs. With b bands that is O(b c^2), where the note has O(c b^2). (In
/// its algorithm `j` never grows, and `absolute < minError` is left over from the choice of b: the test should be
/// which of d and elem comes first.)
#[test]
fn in_the_worst_case_every_band_makes_all_pairs_and_each_is_a_candidate_once() {
    let (documents, bands, rows) = (8, 20, 5);
    let mut index = LshIndex::new(Banding::new(bands, rows).unwrap());
    let copy = Signature::from_slots(Family::Universal, 1, (0..100).collect()).unwrap();
    for document in 0..documents {
        index.insert(document, &copy).unwrap();
    }
    let pairs = documents * (documents - 1) / 2;
    assert_eq!(index.stats().bucket_pairs, bands as u64 * pairs);
    let candidates = index.candidate_pairs();
    assert_eq!(candidates.len() as u64, pairs);
    assert!(candidates.contains(&(3, 4)) && !candidates.contains(&(4, 3)));
}

/// Section 6.1.2 does not count two infinite slots as agreement, so two empty sets have similarity 0 there. Here they
/// are equal, as two equal sets should be.
#[test]
fn empty_sets_are_equal() {
    let matrix = CharacteristicMatrix::from_rows(&[[0, 0, 1]]).unwrap();
    let trace = OnePassTrace::new(&matrix, &functions(&[(1, 0)], 5)).unwrap();
    assert_eq!(trace.result().similarity(0, 1).unwrap(), 1.0);
    assert_eq!(trace.result().similarity(0, 2).unwrap(), 0.0);
}
