//! What a terminal shows.
#![allow(clippy::unwrap_used, reason = "tests may")]

use figures::svg::{Bin, Curve, CurvePlot, Histogram};
use figures::terminal::{Colors, LineBreaks, PlotSize, SideBySide, curve_plot, histogram, side_by_side};
use lookalike::banding::{Banding, SCurve};
use lookalike::passages::compare;
use lookalike::shingling::Shingler;
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

fn show(a: &str, b: &str, k: usize, options: SideBySide) -> String {
    let comparison = compare(a, b, &Shingler::words(k).unwrap()).unwrap();
    side_by_side(a, b, &comparison, options)
}

#[test]
fn the_curve() {
    let curve = SCurve::new(Banding::new(16, 8).unwrap());
    let curve = Curve::sample("16 x 8", |s| curve.probability(s));
    let plot = CurvePlot { threshold: Some(0.8), ..CurvePlot::of(curve) };
    insta::assert_snapshot!(curve_plot(&plot, PlotSize { width: 60, height: 14 }, Colors::Off));
    let small = curve_plot(&plot, PlotSize { width: 0, height: 0 }, Colors::On);
    assert!(small.lines().count() == 7 && small.contains("\u{1b}[36m"));
}

#[test]
fn the_histogram() {
    let mut bins = vec![Bin::default(); 21];
    for (at, found, missed) in [(16, 50, 25.0), (17, 3, 0.2), (19, 100, 0.0), (20, 12, 0.0)] {
        bins[at] = Bin { found, missed };
    }
    insta::assert_snapshot!(histogram(&Histogram { bins, threshold: Some(0.8) }, 50, Colors::Off));
    assert_eq!(histogram(&Histogram::default(), 50, Colors::Off), "");
}

#[test]
fn texts_side_by_side() {
    let rest = (0..40).map(|at| format!("only{at}")).collect::<Vec<_>>().join(" ");
    let a = format!("Once there was a king who had three sons. {rest}\nThe end of the tale is not known.");
    let b =
        "The king: Once there was a KING who had three sons.\n\nIn short, the end of the tale is not known!";
    insta::assert_snapshot!(show(
        &a,
        b,
        3,
        SideBySide { width: 80, unshared_words: 4, ..SideBySide::default() }
    ));
}

#[test]
fn a_passage_has_one_colour_on_both_sides_and_a_moved_one_is_underlined() {
    let (one, two) = ("alpha beta gamma delta", "kappa lambda mu nu xi omicron");
    let options = SideBySide { colors: Colors::On, ..SideBySide::default() };
    let shown = show(&format!("{one} . {two}"), &format!("{two} . {one}"), 3, options);
    assert_eq!(shown.matches(&format!("\u{1b}[4;36m{one}\u{1b}[0m")).count(), 2, "{shown}");
    assert_eq!(shown.matches(&format!("\u{1b}[33m{two}\u{1b}[0m")).count(), 2, "{shown}");
}

#[test]
fn long_passages_are_folded_too() {
    let text = (0..100).map(|at| format!("w{at}")).collect::<Vec<_>>().join(" ");
    let shown = show(&text, &text, 3, SideBySide { shared_words: 5, ..SideBySide::default() });
    assert!(shown.contains("w4 … 90 words … w95"), "{shown}");
}

#[test]
fn lines_of_prose_can_be_joined() {
    let text = "one two\nthree four\n\nfive six";
    let lines = |line_breaks| {
        let shown = show(text, "", 2, SideBySide { line_breaks, ..SideBySide::default() });
        shown.lines().map(|line| line.split(" │").next().unwrap().trim().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(lines(LineBreaks::All), ["one two", "three four", "five six"]);
    assert_eq!(lines(LineBreaks::Paragraphs), ["one two three four", "five six"]);
}

#[test]
fn control_characters_of_a_text_do_not_reach_the_terminal() {
    let shown =
        show("red \u{1b}[31m alarm \u{7} \u{9b}2J end", "\u{202e}reversed\r\nline", 1, SideBySide::default());
    assert!(shown.contains("␛[31m") && shown.contains('␇'));
    assert!(!shown.chars().any(|character| character.is_control() && character != '\n'));
    assert!(!shown.contains('\u{202e}'));
}

proptest! {
    #[test]
    fn no_line_is_wider_than_the_terminal(
        a in prop_oneof!["([a-d]{1,9}|東京|é|\n){0,60}", "([a-d東é]{1,30} ?){0,20}", any::<String>()],
        b in prop_oneof!["([a-d]{1,9}|東京|é|\n){0,60}", "([a-d東é]{1,30} ?){0,20}", any::<String>()],
        k in 1usize..4,
        width in 11usize..90,
        words in 0usize..9,
    ) {
        let options = SideBySide { width, colors: Colors::Off, unshared_words: words, shared_words: words, ..SideBySide::default() };
        let shown = show(&a, &b, k, options);
        for line in shown.lines() {
            prop_assert!(line.width() <= width, "{} columns: {line:?}", line.width());
        }
        let colored = show(&a, &b, k, SideBySide { colors: Colors::On, ..options });
        let is_clean = !colored.replace("\u{1b}[", "").contains('\u{1b}');
        prop_assert!(is_clean);
    }
}
