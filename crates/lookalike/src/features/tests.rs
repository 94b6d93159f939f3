use proptest::prelude::*;

use super::*;
use crate::error::Error;
use crate::shingling::ShingleBag;

fn extractor(phrase_length: usize) -> TermExtractor {
    TermExtractor::new(TermConfig { phrase_length, ..TermConfig::default() }).unwrap()
}

#[test]
fn terms_are_folded_filtered_and_stemmed() {
    let terms = extractor(1)
        .terms("The RUNNING of the Bulls: they don’t run, they’re the dog’s ponies! STRASSE straße");
    assert_eq!(terms, ["run", "bull", "run", "dog", "poni", "strass", "strass"]);
}

#[test]
fn stop_words_and_stemming_can_be_the_callers_or_left_out() {
    let plain = TermConfig { stop_words: StopWords::none(), stemming: Stemming::none(), phrase_length: 1 };
    assert_eq!(TermExtractor::new(plain).unwrap().terms("The Cats"), ["the", "cats"]);
    let german = TermConfig {
        stop_words: StopWords::new(["die", "und"]),
        stemming: Stemming::language("de").unwrap(),
        phrase_length: 1,
    };
    assert_eq!(TermExtractor::new(german).unwrap().terms("Die Katzen UND Häuser"), ["katz", "haus"]);
    assert!(StopWords::english().len() > 120);
    assert!(StopWords::english().contains("which") && !StopWords::english().contains("ferret"));
}

#[test]
fn scripts_without_spaces_and_empty_text_have_terms_or_none() {
    assert_eq!(extractor(1).terms("東京"), ["東", "京"]);
    assert!(extractor(3).extract("").is_empty());
    assert!(extractor(3).extract(" ... the of !?").is_empty());
}

#[test]
fn phrases_are_features_that_a_caller_can_name() {
    let bag = extractor(2).extract("State of the Art");
    let mut expected = vec![
        Namespace::Term.feature("state"),
        Namespace::Term.feature("art"),
        Namespace::Phrase.feature("state art"),
    ];
    expected.sort_unstable();
    assert_eq!(bag.to_set().as_slice(), expected);
    let anchor = extractor(1).extract_as("art", Namespace::AnchorText);
    assert_eq!(anchor.as_slice(), [(Namespace::AnchorText.feature("art"), 1)]);
}

#[test]
fn snowball_stemmers_never_panic() {
    // Words with many suffixes, in a script whose stemmer indexes by bytes. Another stemming crate is known to panic
    // here.
    let greek = Stemming::language("greek").unwrap();
    for word in ["ισα", "ισαισα", "ισαισατε", "αντιθετος", "αντιθετικα", "ς", "", "ψηφισατε", "\u{301}ισατε"]
    {
        assert!(greek.stem(word).len() <= word.len());
    }
    assert!(matches!(Stemming::language("klingon"), Err(Error::OutOfRange { .. })));
}

#[test]
fn weights_follow_their_formulas() {
    let weight = |tf, idf, count, df, n| TfIdf { tf, idf }.weight(count, df, n);
    use InverseDocumentFrequency::{Ignored, Plain, Smooth};
    use TermFrequency::{Binary, Logarithmic, Raw};
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} {b}");
    close(weight(Raw, Smooth, 2, 4, 9), 2.0 * ((10.0f64 / 5.0).ln() + 1.0));
    close(weight(Raw, Smooth, 1, 0, 9), 10f64.ln() + 1.0);
    close(weight(Logarithmic, Plain, 8, 5, 20), (1.0 + 8f64.ln()) * 4f64.ln());
    close(weight(Binary, Plain, 8, 0, 20), 20f64.ln());
    assert_eq!(weight(Binary, Ignored, 8, 0, 20), 1.0);
    // No weight is negative or infinite, not even for a collection with contradictory counts.
    assert_eq!(weight(Raw, Plain, 1, 50, 20), 0.0);
    assert_eq!(weight(Raw, Plain, 1, 0, 0), 0.0);
    assert_eq!(weight(Logarithmic, Smooth, 0, 0, 0), 0.0);
    assert!(weight(Raw, Smooth, u32::MAX, u64::MAX, u64::MAX).is_finite());
}

#[test]
fn a_rare_term_outweighs_a_common_one() {
    let texts = ["red apple", "green apple", "blue apple", "red plum"];
    let bags = texts.map(|text| extractor(1).extract(text));
    let mut frequencies = DocumentFrequencies::new();
    bags.iter().for_each(|bag| frequencies.add(bag));
    assert_eq!(frequencies.get(Namespace::Term.feature("appl")), 3);
    let vector = |bag: &ShingleBag| {
        let mut builder = DocumentVectorBuilder::new();
        builder.add_bag(bag, |term, count| frequencies.weight(TfIdf::default(), term, count)).unwrap();
        builder.build().unwrap()
    };
    let [red_apple, green_apple, _, red_plum] = bags.each_ref().map(vector);
    assert!(red_apple.cosine(&red_plum) > red_apple.cosine(&green_apple), "red is rarer than apple");
}

#[test]
fn a_vector_of_terms_alone_needs_no_builder() {
    let bags = ["red apple red", "green apple", "apple"].map(|text| extractor(1).extract(text));
    let mut frequencies = DocumentFrequencies::new();
    bags.iter().for_each(|bag| frequencies.add(bag));
    // `Plain` gives a term that is in every document the weight 0, so it is not in the vector.
    for idf in [InverseDocumentFrequency::Smooth, InverseDocumentFrequency::Plain] {
        let weighting = TfIdf { idf, ..TfIdf::default() };
        for bag in &bags {
            let mut builder = DocumentVectorBuilder::new();
            builder.add_bag(bag, |term, count| frequencies.weight(weighting, term, count)).unwrap();
            assert_eq!(frequencies.vector(weighting, bag), builder.build().unwrap());
        }
    }
    let counts = DocumentVector::from(&bags[0]);
    assert_eq!(counts.dot(&DocumentVector::from(&bags[1])), 1.0);
    assert_eq!(counts.norm(), 5f64.sqrt(), "red twice, apple once");
}

#[test]
fn builder_adds_features_of_one_name_and_refuses_bad_weights() {
    let mut builder = DocumentVectorBuilder::new();
    builder.add_feature(Namespace::InLink, "a", 1.0).unwrap();
    builder.add_feature(Namespace::InLink, "a", 0.5).unwrap();
    builder.add_feature(Namespace::Term, "a", 0.0).unwrap();
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(builder.add_hashed(1, bad), Err(Error::OutOfRange { .. })));
        assert!(DocumentVector::from_weights([(1, bad)]).is_err());
    }
    let vector = builder.build().unwrap();
    assert_eq!(vector.entries(), [(Namespace::InLink.feature("a"), 1.5)]);
    assert!(DocumentVector::from_weights([(1, f64::MAX), (1, f64::MAX)]).is_err(), "the sum overflows");
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::MAX] {
        assert!(vector.scale(bad).is_err(), "{bad}");
    }
}

#[test]
fn zero_vectors_are_equal_to_each_other_only() {
    let (zero, one) = (DocumentVector::default(), DocumentVector::from_weights([(1, 2.0)]).unwrap());
    assert_eq!((zero.cosine(&zero), zero.cosine(&one), one.cosine(&one)), (1.0, 0.0, 1.0));
    assert_eq!((zero.weighted_jaccard(&zero), zero.weighted_jaccard(&one)), (1.0, 0.0));
    // -0.0 would compare equal but print as -0.
    let other = DocumentVector::from_weights([(2, 1.0)]).unwrap();
    for nothing in [one.dot(&other), one.cosine(&other), one.weighted_jaccard(&other), zero.norm()] {
        assert!(nothing == 0.0 && nothing.is_sign_positive());
    }
    assert_eq!((zero.norm(), zero.normalized()), (0.0, zero));
}

#[test]
fn huge_and_tiny_weights_do_not_overflow_the_cosine() {
    let vector = |a: f64, b: f64| DocumentVector::from_weights([(1, a), (2, b)]).unwrap();
    let (huge, tiny) = (vector(3e300, 4e300), vector(4e-300, 3e-300));
    assert!((huge.cosine(&tiny) - 0.96).abs() < 1e-15);
    assert!((huge.norm() / 5e300 - 1.0).abs() < 1e-15);
    assert!((huge.normalized().norm() - 1.0).abs() < 1e-15);
}

fn vector() -> impl Strategy<Value = DocumentVector> {
    prop::collection::vec((0u64..20, 0.0f64..10.0), 0..20)
        .prop_map(|weights| DocumentVector::from_weights(weights).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn sparse_operations_equal_the_dense_ones(a in vector(), b in vector()) {
        let dense = |v: &DocumentVector| {
            let mut dense = [0.0; 20];
            v.entries().iter().for_each(|&(feature, weight)| dense[feature as usize] = weight);
            dense
        };
        let (x, y) = (dense(&a), dense(&b));
        let dot: f64 = x.iter().zip(&y).map(|(a, b)| a * b).sum();
        let norm = |v: &[f64; 20]| v.iter().map(|w| w * w).sum::<f64>().sqrt();
        prop_assert!((a.dot(&b) - dot).abs() < 1e-9);
        prop_assert!((a.norm() - norm(&x)).abs() < 1e-9);
        if !a.is_empty() && !b.is_empty() {
            prop_assert!((a.cosine(&b) - dot / (norm(&x) * norm(&y))).abs() < 1e-9);
            let minima: f64 = x.iter().zip(&y).map(|(a, b)| a.min(*b)).sum();
            let maxima: f64 = x.iter().zip(&y).map(|(a, b)| a.max(*b)).sum();
            prop_assert!((a.weighted_jaccard(&b) - minima / maxima).abs() < 1e-9);
        }
        prop_assert_eq!(a.cosine(&b), b.cosine(&a));
        prop_assert!(a.entries().is_sorted_by(|p, q| p.0 < q.0));
    }

    #[test]
    fn frequencies_counted_in_parts_and_stored_are_the_same(
        documents in prop::collection::vec(prop::collection::vec(0u64..30, 0..10), 0..12), cut in 0usize..12,
    ) {
        let bags: Vec<_> = documents.into_iter().map(ShingleBag::from_hashes).collect();
        let count = |bags: &[ShingleBag]| {
            let mut frequencies = DocumentFrequencies::new();
            bags.iter().for_each(|bag| frequencies.add(bag));
            frequencies
        };
        let whole = count(&bags);
        let (left, right) = bags.split_at(cut.min(bags.len()));
        let mut merged = count(left);
        merged.merge(&count(right));
        prop_assert_eq!(&merged, &whole);
        for term in 0..30 {
            let holders = bags.iter().filter(|bag| bag.to_set().as_slice().contains(&term)).count();
            prop_assert_eq!(whole.get(term), holders as u64);
        }
        let bytes = whole.to_bytes();
        prop_assert_eq!(DocumentFrequencies::from_bytes(&bytes).unwrap(), whole);
        for cut in 0..bytes.len() {
            let cut = DocumentFrequencies::from_bytes(&bytes[..cut]);
            let is_decode_error = matches!(cut, Err(Error::Decode { .. }));
            prop_assert!(is_decode_error);
        }
    }

    #[test]
    fn decoding_frequencies_never_panics_and_accepts_only_its_own_encoding(
        mut bytes in prop::collection::vec(0u8..4, 0..80), valid_start: bool,
    ) {
        if valid_start && bytes.len() >= 24 {
            let terms = (bytes.len() - 24) as u64 / 16;
            bytes[..8].copy_from_slice(b"LKDF\x01\0\0\0");
            bytes[16..24].copy_from_slice(&terms.to_le_bytes());
        }
        if let Ok(frequencies) = DocumentFrequencies::from_bytes(&bytes) {
            prop_assert_eq!(frequencies.to_bytes(), bytes);
        }
    }

    #[test]
    fn any_text_has_a_bag(text in any::<String>(), phrase_length in 1usize..4) {
        let terms = extractor(phrase_length);
        let words = terms.terms(&text).len();
        let expected: usize = (1..=phrase_length).map(|n| (words + 1).saturating_sub(n)).sum();
        prop_assert_eq!(terms.extract(&text).total(), expected as u64);
    }
}

#[test]
fn impossible_phrase_lengths_are_refused() {
    for phrase_length in [0, MAX_PHRASE_LENGTH + 1] {
        let config = TermConfig { phrase_length, ..TermConfig::default() };
        assert!(matches!(TermExtractor::new(config), Err(Error::OutOfRange { .. })));
    }
}

#[test]
fn the_bytes_of_document_frequencies_are_fixed() {
    let mut frequencies = DocumentFrequencies::new();
    frequencies.add(&[0x0102, 7, 7].into_iter().collect());
    frequencies.add(&[7].into_iter().collect());
    let bytes: Vec<u8> = [
        *b"LKDF\x01\0\0\0",       // magic, version 1, zeros
        [2, 0, 0, 0, 0, 0, 0, 0], // documents
        [2, 0, 0, 0, 0, 0, 0, 0], // terms
        [7, 0, 0, 0, 0, 0, 0, 0],
        [2, 0, 0, 0, 0, 0, 0, 0],
        [2, 1, 0, 0, 0, 0, 0, 0],
        [1, 0, 0, 0, 0, 0, 0, 0],
    ]
    .concat();
    assert_eq!(frequencies.to_bytes(), bytes);
    assert_eq!(DocumentFrequencies::from_bytes(&bytes), Ok(frequencies));
    let mut next_version = bytes;
    next_version[4] = 2;
    let error = DocumentFrequencies::from_bytes(&next_version).unwrap_err().to_string();
    assert!(error.contains("at byte 4: version 2"), "{error}");
}
