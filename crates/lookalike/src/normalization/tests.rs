//! Every path gives the same text as the definition, and equivalent texts become equal.

use super::*;
use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

fn all_settings() -> Vec<Normalization> {
    let mut all = Vec::new();
    for case in [Case::Fold, Case::Keep] {
        for form in
            [UnicodeForm::Nfc, UnicodeForm::Nfd, UnicodeForm::Nfkc, UnicodeForm::Nfkd, UnicodeForm::Keep]
        {
            for punctuation in [Punctuation::Keep, Punctuation::Drop] {
                for whitespace in [Whitespace::Collapse, Whitespace::Remove, Whitespace::Keep] {
                    all.push(Normalization { case, form, punctuation, whitespace });
                }
            }
        }
    }
    all
}

#[test]
fn each_option_does_what_it_says() {
    let base = Normalization::default();
    assert_eq!(base.normalize(" It's\r\n\tA  Test. "), "it's a test.");
    assert_eq!(base.normalize("Straße ΣΊΣΥΦΟΣ"), "strasse σίσυφοσ");
    assert_eq!(Normalization { case: Case::Keep, ..base }.normalize("A  b"), "A b");
    assert_eq!(
        Normalization { punctuation: Punctuation::Drop, ..base }.normalize("Don't, stop_it €5!"),
        "dont stopit 5"
    );
    assert_eq!(Normalization { whitespace: Whitespace::Remove, ..base }.normalize(" a b\u{a0}c "), "abc");
    assert_eq!(Normalization { whitespace: Whitespace::Keep, ..base }.normalize(" A\n b "), " a\n b ");
    assert_eq!(Normalization::NONE.normalize(" A\u{301}\n"), " A\u{301}\n");
}

#[test]
fn forms_compose_and_decompose() {
    let with = |form| Normalization { form, ..Normalization::default() };
    assert_eq!(with(UnicodeForm::Nfc).normalize("cafe\u{301}"), "caf\u{e9}");
    assert_eq!(with(UnicodeForm::Nfd).normalize("caf\u{e9}"), "cafe\u{301}");
    assert_eq!(with(UnicodeForm::Nfkc).normalize("\u{fb01}n \u{ff21}"), "fin a");
    assert_eq!(with(UnicodeForm::Nfkd).normalize("\u{fb01}n\u{e9}"), "fine\u{301}");
    assert_eq!(with(UnicodeForm::Keep).normalize("cafe\u{301}"), "cafe\u{301}");
    assert_eq!(with(UnicodeForm::Nfkc).normalize("℡ ㎆ ™ 𝐀"), "tel mb tm a");
}

#[test]
fn invalid_utf8_becomes_the_replacement_character() {
    assert_eq!(Normalization::default().normalize_bytes(b"ab\xffc \xe2\x82 d"), "ab\u{fffd}c \u{fffd} d");
}

#[test]
fn a_far_non_ascii_character_does_not_change_the_ascii_before_it() {
    let text = format!("{} É {}", "Plain Words. ".repeat(50), "MORE words ".repeat(50));
    for settings in all_settings() {
        assert_eq!(settings.normalize(&text), settings.normalize_plainly(&text), "{settings:?}");
    }
}

#[test]
fn whitespace_at_every_position_of_a_block() {
    for len in 0..80 {
        let text: String = (0..len).map(|i| char::from(b"aBcDEfg"[i % 7])).collect();
        for at in 0..=len {
            for spaces in
                [" ", "  ", "\t", "\n\n", " \r", "\u{b}", "\u{c} ", "\u{1c}", "\u{8}", " \u{e}", "\u{a0}"]
            {
                let text = format!("{}{spaces}{}", &text[..at], &text[at..]);
                for settings in
                    [Normalization::default(), Normalization { case: Case::Keep, ..Normalization::default() }]
                {
                    assert_eq!(settings.normalize(&text), settings.normalize_plainly(&text), "{text:?}");
                }
            }
        }
    }
}

#[test]
fn every_character_is_treated_like_the_definition_says() {
    // Each character is tried beside characters that compose, that join, and that normalisation changes.
    for character in (0..=0x1_ffff).filter_map(char::from_u32) {
        let text = format!(
            "A {character} B{character}\u{301}X x{character}y E\u{301}{character} {character}{character}Z"
        );
        let settings = Normalization::default();
        assert_eq!(settings.normalize(&text), settings.normalize_plainly(&text), "{:x}", character as u32);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn the_ascii_path_equals_the_definition(
        text in "([ -~\\t\\n]{0,40}|[\\u{300}-\\u{345}ÀéßſKİΣςﬁ½ 　\\u{a0}¨´가각각<=>]{0,3}){0,12}"
    ) {
        for settings in all_settings() {
            prop_assert_eq!(settings.normalize(&text), settings.normalize_plainly(&text), "{:?}", settings);
        }
    }

    #[test]
    fn a_second_time_changes_nothing(text in any::<String>()) {
        // When characters between a letter and a mark are removed, the two meet and can compose.
        let keeps = |s: &Normalization| s.punctuation == Punctuation::Keep && s.whitespace != Whitespace::Remove;
        for settings in all_settings().iter().filter(|settings| keeps(settings)) {
            let once = settings.normalize(&text);
            prop_assert_eq!(settings.normalize(&once), once, "{:?}", settings);
        }
    }

    #[test]
    fn any_text_at_all(text in any::<String>()) {
        for settings in all_settings() {
            prop_assert_eq!(settings.normalize(&text), settings.normalize_plainly(&text), "{:?}", settings);
        }
    }

    #[test]
    fn equivalent_texts_normalise_alike(text in combining(), settings in 0..60usize) {
        let settings = all_settings()[settings];
        if settings.form != UnicodeForm::Keep {
            let normalized = settings.normalize(&text);
            prop_assert_eq!(&settings.normalize(&text.nfd().collect::<String>()), &normalized, "{:?}", settings);
            prop_assert_eq!(&settings.normalize(&text.nfc().collect::<String>()), &normalized, "{:?}", settings);
            prop_assert_eq!(&settings.normalize_plainly(&text), &normalized, "{:?}", settings);
        }
    }
}

/// Letters with many forms and marks of every combining class, Greek with all its accents foremost.
fn combining() -> impl Strategy<Value = String> {
    let marks = ('\u{300}'..='\u{10ffff}').filter(|&c| canonical_combining_class(c) != 0).collect::<Vec<_>>();
    let decomposing =
        ('\u{80}'..='\u{10ffff}').filter(|&c| !std::iter::once(c).nfd().eq([c])).collect::<Vec<_>>();
    let character = prop_oneof![
        4 => proptest::sample::select(marks),
        3 => proptest::sample::select("\u{345}\u{345}\u{301}\u{300}\u{342}\u{313}\u{308}\u{323}".chars().collect::<Vec<_>>()),
        3 => proptest::sample::select("αηωΑΗΩυΥιΙρeEoOsSkK ᾳᾼᾷῳΐ\u{3b9}\u{37a}ßẞſİıǰΐΣς.\u{a0}가각क\u{93c}".chars().collect::<Vec<_>>()),
        2 => proptest::sample::select(decomposing),
        1 => any::<char>(),
    ];
    proptest::collection::vec(character, 0..12).prop_map(String::from_iter)
}

#[test]
fn an_iota_subscript_may_stand_before_or_behind_an_accent() {
    let settings = Normalization::default();
    assert_eq!(settings.normalize("\u{3b1}\u{345}\u{301}"), settings.normalize("\u{3b1}\u{301}\u{345}"));
    assert_eq!(settings.normalize("\u{1fb4}"), "\u{3ac}\u{3b9}");
}

#[test]
fn every_character_and_every_pair_with_a_mark_normalises_like_its_decomposition() {
    let forms = [UnicodeForm::Nfc, UnicodeForm::Nfd, UnicodeForm::Nfkc, UnicodeForm::Nfkd];
    let all: Vec<Normalization> = forms
        .into_iter()
        .flat_map(|form| {
            [Case::Fold, Case::Keep].map(|case| Normalization::NONE.with_form(form).with_case(case))
        })
        .collect();
    let mut buffers = [String::new(), String::new()];
    let mut check = |text: &str| {
        let decomposed: String = text.nfd().collect();
        for settings in &all {
            let [a, b] = &mut buffers;
            settings.normalize_into(text, a);
            settings.normalize_into(&decomposed, b);
            assert_eq!(a, b, "{settings:?} {:?}", text.escape_unicode().to_string());
        }
    };
    for character in '\0'..=char::MAX {
        check(character.encode_utf8(&mut [0; 4]));
    }
    // Pairs matter: a character that folding or a form changes, before and after marks that move.
    let changes = |c: &char| {
        crate::unicode::fold_character(*c).next() != Some(*c)
            || !std::iter::once(*c).nfd().eq([*c])
            || canonical_combining_class(*c) != 0
    };
    for character in ('\0'..=char::MAX).filter(changes) {
        for mark in ['\u{301}', '\u{323}', '\u{345}', '\u{338}', '\u{3099}', '\u{1161}'] {
            check(&format!("{character}{mark}"));
            check(&format!("α{character}{mark}"));
            check(&format!("α{mark}{character}"));
            check(&format!("α\u{345}{character}{mark}"));
        }
    }
}
