//! Compares shared passages with their plain definition, and tests inserted, deleted, moved and repeated paragraphs.

use lookalike::hashing::SplitMix64;
use lookalike::normalization::{Normalization, Punctuation, UnicodeForm, Whitespace};
use lookalike::passages::{Comparison, Passage, Place, Run, Side, compare};
use lookalike::shingling::{ShingleBuffer, Shingler, Shingling};
use lookalike::similarity::{containment, intersection_size, jaccard};
use proptest::prelude::*;

/// Tells which shingles are shared, by comparing each with each.
fn shared(one: &[u64], other: &[u64]) -> Vec<bool> {
    one.iter().map(|hash| other.iter().any(|candidate| candidate == hash)).collect()
}

fn runs(comparison: &Comparison) -> impl Iterator<Item = (&Passage, &Run)> {
    comparison.passages.iter().flat_map(|passage| passage.runs.iter().map(move |run| (passage, run)))
}

/// Checks everything that the module promises, in a plain way.
fn check(a: &str, b: &str, shingler: &Shingler) -> Comparison {
    let comparison = compare(a, b, shingler).expect("texts below 4 GiB");
    let (set_a, set_b) = (shingler.set(a), shingler.set(b));
    let counts = comparison.counts;
    assert_eq!(
        (counts.a, counts.b, counts.common),
        (set_a.len(), set_b.len(), intersection_size(&set_a, &set_b))
    );
    assert_eq!(counts.jaccard(), jaccard(&set_a, &set_b));
    assert_eq!(counts.containment_of_a(), containment(&set_a, &set_b));
    assert_eq!(counts.containment_of_b(), containment(&set_b, &set_a));

    let (located_a, located_b) = (shingler.locate(a), shingler.locate(b));
    let mut buffer = ShingleBuffer::default();
    assert_eq!(located_a.hashes(), shingler.hashes(a, &mut buffer));
    assert_eq!(located_b.hashes(), shingler.hashes(b, &mut buffer));

    // Runs pair equal shingles and cover the shared ones, exactly once on the sides that a passage owns.
    let mut covered_a = vec![0; located_a.hashes().len()];
    let mut covered_b = vec![0; located_b.hashes().len()];
    let mut touched_a = vec![false; covered_a.len()];
    let mut touched_b = vec![false; covered_b.len()];
    for (passage, run) in runs(&comparison) {
        let (of_a, of_b) = (run.shingles_of_a.clone(), run.shingles_of_b.clone());
        assert_eq!(located_a.hashes()[of_a.clone()], located_b.hashes()[of_b.clone()]);
        assert!(!of_a.is_empty());
        assert_eq!(
            (Some(run.a.clone()), Some(run.b.clone())),
            (located_a.range(of_a.clone()), located_b.range(of_b.clone()))
        );
        assert!(a.get(run.a.clone()).is_some_and(|text| !text.is_empty()));
        assert!(b.get(run.b.clone()).is_some_and(|text| !text.is_empty()));
        touched_a[of_a.clone()].fill(true);
        touched_b[of_b.clone()].fill(true);
        if passage.is_own(Side::A) {
            covered_a[of_a].iter_mut().for_each(|times| *times += 1);
        }
        if passage.is_own(Side::B) {
            covered_b[of_b].iter_mut().for_each(|times| *times += 1);
        }
    }
    let once = |shared: Vec<bool>| shared.into_iter().map(usize::from).collect::<Vec<_>>();
    assert_eq!(covered_a, once(shared(located_a.hashes(), located_b.hashes())));
    assert_eq!(covered_b, once(shared(located_b.hashes(), located_a.hashes())));
    assert_eq!(touched_a, shared(located_a.hashes(), located_b.hashes()));
    assert_eq!(touched_b, shared(located_b.hashes(), located_a.hashes()));

    // A run of both sides ends where the texts differ, or where another passage begins.
    let free = |of_a: Option<usize>, of_b: Option<usize>| {
        let own = |side| comparison.passages.iter().filter(move |passage| passage.is_own(side));
        let in_both = |passage: &&Passage| passage.is_own(Side::A) && passage.is_own(Side::B);
        let (of_a, of_b) = (of_a?, of_b?);
        let equal = located_a.hashes().get(of_a)? == located_b.hashes().get(of_b)?;
        let taken_a =
            own(Side::A).filter(in_both).any(|p| p.runs.iter().any(|r| r.shingles_of_a.contains(&of_a)));
        let taken_b =
            own(Side::B).filter(in_both).any(|p| p.runs.iter().any(|r| r.shingles_of_b.contains(&of_b)));
        Some(equal && !taken_a && !taken_b)
    };
    for (_, run) in runs(&comparison).filter(|(p, _)| matches!(p.place, Place::InOrder | Place::Moved)) {
        let (of_a, of_b) = (&run.shingles_of_a, &run.shingles_of_b);
        assert_ne!(free(of_a.start.checked_sub(1), of_b.start.checked_sub(1)), Some(true));
        assert_ne!(free(Some(of_a.end), Some(of_b.end)), Some(true));
    }

    // Passages are in the order of A, and those in order are in the order of B as well.
    let starts: Vec<usize> = comparison.passages.iter().map(|passage| passage.a.start).collect();
    assert!(starts.is_sorted());
    let in_order = comparison.passages.iter().filter(|passage| passage.place == Place::InOrder);
    assert!(in_order.map(|passage| passage.runs[0].shingles_of_b.start).is_sorted());
    for (text, side) in [(a, Side::A), (b, Side::B)] {
        check_segments(&comparison, text, side);
    }
    comparison
}

/// Segments cover the text without overlap, and the shared ones are the bytes of the runs that this side owns.
fn check_segments(comparison: &Comparison, text: &str, side: Side) {
    let segments = comparison.segments(side, text.len());
    let pieces: String = segments.iter().map(|segment| &text[segment.range.clone()]).collect();
    assert_eq!(pieces, text);
    let mut marked = vec![false; text.len()];
    for segment in segments.iter().filter(|segment| segment.mark.is_some_and(|mark| mark.is_shared)) {
        marked[segment.range.clone()].fill(true);
    }
    let mut expected = vec![false; text.len()];
    for (_, run) in runs(comparison).filter(|(passage, _)| passage.is_own(side)) {
        let range = if side == Side::A { run.a.clone() } else { run.b.clone() };
        expected[range].fill(true);
    }
    assert_eq!(marked, expected);
}

fn small_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "([ab] ){0,30}",
        "([a-d] ?){0,40}",
        "([a-z] ){0,60}",
        "([aAéÉ\u{e9}ß]|e\u{301}|[ .,]|ss|東|京){0,40}",
        any::<String>(),
    ]
}

/// A text and an edited version of it.
fn edited() -> impl Strategy<Value = (String, String)> {
    (prop::collection::vec(0u8..40, 0..120), prop::collection::vec((0usize..120, 0usize..120, 0u8..5), 0..5))
        .prop_map(|(words, edits)| {
            let mut other = words.clone();
            for (at, from, what) in edits {
                let at = at.min(other.len());
                let from = from.min(other.len());
                let end = (from + 12).min(other.len());
                match what {
                    0 if at < other.len() => other[at] = 99,
                    1 => drop(other.drain(from..end)),
                    2 => {
                        let moved: Vec<u8> = other.drain(from..end).collect();
                        let at = at.min(other.len());
                        other.splice(at..at, moved);
                    }
                    3 => {
                        let copy = other[from..end].to_vec();
                        other.splice(at..at, copy);
                    }
                    _ => other.insert(at, 98),
                }
            }
            let text = |words: &[u8]| words.iter().map(|word| format!("w{word} ")).collect::<String>();
            (text(&words), text(&other))
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn words_are_as_defined(a in small_text(), b in small_text(), k in 1usize..5, bits in prop_oneof![Just(64u32), Just(8)]) {
        check(&a, &b, &Shingler::new(Shingling::default().with_k(k).with_hash_bits(bits)).unwrap());
    }

    #[test]
    fn characters_are_as_defined(a in small_text(), b in small_text(), k in 1usize..6) {
        check(&a, &b, &Shingler::characters(k).unwrap());
    }

    #[test]
    fn stop_word_led_shingles_are_as_defined(
        a in "((the|a|of|cat|dog|sun) ){0,30}", b in "((the|a|of|cat|dog|sun) ){0,30}",
    ) {
        check(&a, &b, &Shingler::stop_word_led());
    }

    #[test]
    fn every_normalisation_is_located(a in small_text(), b in small_text(), drop in any::<bool>(), remove in any::<bool>()) {
        let normalization = Normalization::default()
            .with_form(UnicodeForm::Nfkd)
            .with_punctuation(if drop { Punctuation::Drop } else { Punctuation::Keep })
            .with_whitespace(if remove { Whitespace::Remove } else { Whitespace::Keep });
        check(&a, &b, &Shingler::words(2).unwrap().with_normalization(normalization));
        check(&a, &b, &Shingler::characters(3).unwrap().with_normalization(normalization));
    }

    #[test]
    fn edits_are_as_defined((a, b) in edited()) {
        check(&a, &b, &Shingler::words(3).unwrap());
    }
}

/// Paragraphs of 40 words that share no two words in a row.
fn paragraphs(count: usize) -> Vec<String> {
    let mut random = SplitMix64::new(7);
    (0..count)
        .map(|_| (0..40).map(|_| format!("word{}", random.below(1 << 40))).collect::<Vec<_>>().join(" "))
        .collect()
}

/// Two texts of these paragraphs, compared by 5 words: which paragraph each passage is, and its place.
fn compare_paragraphs(a: &[usize], b: &[usize]) -> Vec<(usize, usize, Place)> {
    let paragraphs = paragraphs(10);
    let text =
        |order: &[usize]| order.iter().map(|&at| paragraphs[at].as_str()).collect::<Vec<_>>().join("\n\n");
    let (text_a, text_b) = (text(a), text(b));
    let comparison = check(&text_a, &text_b, &Shingler::default());
    let number = |text: &str, at: usize| text[..at].matches("\n\n").count();
    comparison
        .passages
        .iter()
        .map(|passage| (number(&text_a, passage.a.start), number(&text_b, passage.b.start), passage.place))
        .collect()
}

#[test]
fn equal_texts_are_one_passage() {
    assert_eq!(compare_paragraphs(&[0, 1, 2], &[0, 1, 2]), [(0, 0, Place::InOrder)]);
    assert_eq!(compare_paragraphs(&[0, 0, 0], &[0, 0, 0]), [(0, 0, Place::InOrder)]);
}

#[test]
fn different_texts_share_nothing() {
    assert_eq!(compare_paragraphs(&[0, 1], &[2, 3]), []);
}

#[test]
fn inserted_and_deleted_paragraphs_part_passages_that_stay_in_order() {
    assert_eq!(compare_paragraphs(&[0, 1], &[0, 2, 1]), [(0, 0, Place::InOrder), (1, 2, Place::InOrder)]);
    assert_eq!(compare_paragraphs(&[0, 2, 1], &[0, 1]), [(0, 0, Place::InOrder), (2, 1, Place::InOrder)]);
}

#[test]
fn a_moved_paragraph_is_moved() {
    let expected = [(0, 1, Place::InOrder), (3, 0, Place::Moved), (4, 4, Place::InOrder)];
    assert_eq!(compare_paragraphs(&[0, 1, 2, 3, 4], &[3, 0, 1, 2, 4]), expected);
}

#[test]
fn a_repeated_paragraph_is_repeated() {
    let in_a = [(0, 0, Place::InOrder), (2, 0, Place::RepeatedInA)];
    assert_eq!(compare_paragraphs(&[0, 1, 0], &[0, 2]), in_a);
    let in_b = [(0, 0, Place::InOrder), (0, 2, Place::RepeatedInB)];
    assert_eq!(compare_paragraphs(&[0, 2], &[0, 1, 0]), in_b);
    let both = [(0, 0, Place::InOrder), (2, 2, Place::InOrder)];
    assert_eq!(compare_paragraphs(&[0, 1, 0], &[0, 2, 0]), both);
}

#[test]
fn of_repeated_paragraphs_those_in_order_belong_together() {
    let in_b = [(0, 1, Place::InOrder), (2, 0, Place::RepeatedInB), (2, 3, Place::InOrder)];
    assert_eq!(compare_paragraphs(&[0, 1, 2], &[2, 0, 3, 2]), in_b);
    let in_a = [(0, 3, Place::RepeatedInA), (1, 0, Place::InOrder), (3, 3, Place::InOrder)];
    assert_eq!(compare_paragraphs(&[2, 0, 3, 2], &[0, 1, 4, 2]), in_a);
}

#[test]
fn a_book_inside_another_is_one_passage() {
    assert_eq!(compare_paragraphs(&[4, 5], &[0, 1, 4, 5, 2, 3]), [(0, 2, Place::InOrder)]);
}

#[test]
fn a_changed_word_parts_two_runs_of_one_passage() {
    let a = "one two three four five six seven eight nine";
    let b = "one two three four CHANGED six seven eight nine";
    let comparison = check(a, b, &Shingler::words(3).unwrap());
    let [passage] = &comparison.passages[..] else { panic!("{comparison:?}") };
    let texts: Vec<&str> = passage.runs.iter().map(|run| &a[run.a.clone()]).collect();
    assert_eq!(texts, ["one two three four", "six seven eight nine"]);
    assert_eq!((passage.a.clone(), passage.b.clone(), passage.shingles), (0..a.len(), 0..b.len(), 4));
    let marks: Vec<bool> =
        comparison.segments(Side::B, b.len()).iter().map(|segment| segment.mark.unwrap().is_shared).collect();
    assert_eq!(marks, [true, false, true]);
    // With more than k words between them, there are two passages.
    let far = "one two three four x1 x2 x3 x4 six seven eight nine";
    assert_eq!(check(a, far, &Shingler::words(3).unwrap()).passages.len(), 2);
}

#[test]
fn empty_and_short_texts() {
    let shingler = Shingler::words(5).unwrap();
    let comparison = check("", "", &shingler);
    assert_eq!((comparison.counts.jaccard(), comparison.passages.len()), (1.0, 0));
    assert_eq!(check("", "one two three four five six", &shingler).passages, []);
    assert_eq!(check(" ,.", "...", &shingler).segments(Side::A, 3).len(), 1);
    let short = check("Two words.", "  two WORDS", &shingler);
    assert_eq!(
        (short.counts.jaccard(), short.passages[0].a.clone(), short.passages[0].b.clone()),
        (1.0, 0..9, 2..11)
    );
    assert_eq!(check("two words", "two words more", &shingler).passages, []);
}

#[test]
fn ranges_are_those_of_the_text_before_normalisation() {
    let a = "— Die  STRASSE war e\u{301}troite,\u{a0}sehr.";
    let b = "die Straße\nwar Étroite sehr";
    let comparison = check(a, b, &Shingler::words(3).unwrap());
    let [passage] = &comparison.passages[..] else { panic!("{comparison:?}") };
    assert_eq!(&a[passage.a.clone()], "Die  STRASSE war e\u{301}troite,\u{a0}sehr");
    assert_eq!(passage.b, 0..b.len());
    let scripts =
        check("東京タワーはとても高い", "あの東京タワーはとても高い。", &Shingler::words(4).unwrap());
    assert_eq!(scripts.passages[0].b, 6..39);
}

#[test]
fn long_repetitive_texts_are_no_trouble() {
    let shingler = Shingler::default();
    let same = "a ".repeat(200_000);
    assert_eq!(compare(&same, &same, &shingler).unwrap().passages.len(), 1);
    let comparison = compare(&same, &"a ".repeat(20), &shingler).unwrap();
    assert_eq!((comparison.counts.jaccard(), comparison.passages[0].shingles), (1.0, 16));
    let alternating = "a b c a c b ".repeat(30_000);
    let shifted = "b c a b a c a b c ".repeat(20_000);
    for text in [&alternating, &shifted] {
        let comparison = compare(&alternating, text, &shingler).unwrap();
        assert_eq!(
            comparison.counts.common,
            shingler.set(&alternating).iter().filter(|h| shingler.set(text).contains(**h)).count()
        );
    }
}
