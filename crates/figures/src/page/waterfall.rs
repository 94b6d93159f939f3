//! Why two records match -> a table with a waterfall: what each field says, added up to the sum.

use crate::numbers::shortened;
use crate::svg::coordinate;
use maud::{Markup, html};

/// At most this many characters of a name are shown.
const NAME: usize = 120;

/// At most this many characters of a value are shown.
const VALUE: usize = 300;

/// Two records, and what their fields say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordPair {
    /// The names of the records.
    pub names: [String; 2],
    /// Where they are; may be empty.
    pub places: [String; 2],
    /// What the fields say, in the order in which they are shown.
    pub steps: Vec<Step>,
    /// What is said of two records of which nothing is known.
    pub prior: f64,
    /// The sum.
    pub weight: f64,
    /// The probability that they match.
    pub probability: f64,
    /// The least weight of a match.
    pub threshold: f64,
    /// The bands that find the pair, from 1.
    pub bands: Vec<usize>,
    /// What became of the pair, in a few words; may be empty.
    pub note: String,
}

/// What a field says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Step {
    /// The field.
    pub field: String,
    /// Its values; empty if they are missing.
    pub values: [String; 2],
    /// How similar they are, in words.
    pub similarity: String,
    /// What it says.
    pub weight: f64,
    /// A remark, for example that the value is rare; may be empty.
    pub note: String,
}

/// A probability with enough digits to see that it is not certain: `0.9312`, `0.999 98`.
pub(crate) fn probability(value: f64) -> String {
    match value {
        p if p > 0.999_999 => "> 0.999999".into(),
        p if p < 0.000_001 => "< 0.000001".into(),
        p if !(0.001..=0.999).contains(&p) => format!("{p:.6}"),
        p => format!("{p:.3}"),
    }
}

/// A weight with its sign: `+7.1`, `−2.4`.
pub(crate) fn signed(weight: f64) -> String {
    if weight.abs() < 0.05 { "0.0".into() } else { format!("{weight:+.1}").replace('-', "−") }
}

/// A pair that can be opened.
pub(crate) fn openable(pair: &RecordPair) -> Markup {
    html! {
        details class="example" {
            summary {
                span class="badge" { (probability(pair.probability)) }
                span class="name" { (shortened(&pair.names[0], NAME)) " " span class="muted" { "and" } " " (shortened(&pair.names[1], NAME)) }
                span class="muted" { (signed(pair.weight)) @if !pair.note.is_empty() { " · " (shortened(&pair.note, NAME)) } }
            }
            (waterfall(pair))
        }
    }
}

/// The table of a pair.
pub(crate) fn waterfall(pair: &RecordPair) -> Markup {
    let scale = Scale::of(pair);
    let mut sum = 0.0;
    let mut step = |weight: f64| {
        let before = sum;
        sum += weight;
        (before, sum)
    };
    let names = [0, 1].map(|at| shortened(&pair.names[at], NAME));
    html! {
        div class="scroll" { table class="fall" {
            thead { tr {
                th { "field" }
                @for at in [0, 1] { th { (names[at]) @if !pair.places[at].is_empty() { span class="place" { (shortened(&pair.places[at], NAME)) } } } }
                th { "similarity" } th class="number" { "weight" } th class="bar" { "sum" }
            } }
            tbody {
                @for it in &pair.steps {
                    @let ends = step(it.weight);
                    @let values = marked(&it.values, it.similarity == "equal");
                    tr {
                        th scope="row" { (shortened(&it.field, NAME)) }
                        @for value in values { td class="value" { (value) } }
                        td class="said" { (shortened(&it.similarity, NAME)) @if !it.note.is_empty() { span class="muted" { ", " (shortened(&it.note, NAME)) } } }
                        td class="number" { (signed(it.weight)) }
                        td class="bar" { (scale.bar(ends, it.weight)) }
                    }
                }
                @let ends = step(pair.prior);
                tr class="rest" {
                    th scope="row" { "prior" }
                    td class="about" colspan="3" { "two records of which nothing is known" }
                    td class="number" { (signed(pair.prior)) }
                    td class="bar" { (scale.bar(ends, pair.prior)) }
                }
                tr class="sum" {
                    th scope="row" { "sum" }
                    td class="about" colspan="3" {
                        "probability " (probability(pair.probability)) ", " (found_by(&pair.bands))
                    }
                    td class="number" { (signed(pair.weight)) }
                    td class="bar" { (scale.bar((0.0, pair.weight), pair.weight)) }
                }
            }
        } }
    }
}

fn found_by(bands: &[usize]) -> String {
    let numbers: Vec<String> = bands.iter().map(usize::to_string).collect();
    match numbers.as_slice() {
        [] => "found by no band".into(),
        [one] => format!("found by band {one}"),
        many => format!("found by bands {}", many.join(", ")),
    }
}

/// The scale of all bars of a pair: from the least sum on the way to the highest.
struct Scale {
    least: f64,
    most: f64,
    threshold: f64,
}

impl Scale {
    fn of(pair: &RecordPair) -> Self {
        let threshold = if pair.threshold.is_finite() { pair.threshold } else { 0.0 };
        let (mut sum, mut least, mut most) = (0.0, threshold.min(0.0), threshold.max(0.0));
        for weight in pair.steps.iter().map(|it| it.weight).chain([pair.prior]).filter(|it| it.is_finite()) {
            sum += weight;
            (least, most) = (least.min(sum), most.max(sum));
        }
        // The sum of equal records is higher than what their fields say.
        if pair.weight.is_finite() {
            (least, most) = (least.min(pair.weight), most.max(pair.weight));
        }
        let margin = 0.02 * (most - least).max(1.0);
        Self { least: least - margin, most: most + margin, threshold }
    }

    fn percent(&self, value: f64) -> f64 {
        (100.0 * (value - self.least) / (self.most - self.least)).clamp(0.0, 100.0)
    }

    /// A bar from one sum to the next, with lines at 0 and at the threshold.
    fn bar(&self, (before, after): (f64, f64), weight: f64) -> Markup {
        let (from, to) = (self.percent(before.min(after)), self.percent(before.max(after)));
        let class = if weight < 0.0 { "missed" } else { "found" };
        let line = |class: &str, at: f64| {
            html! { line class=(class) x1=(coordinate(at)) x2=(coordinate(at)) y1="0" y2="20" {} }
        };
        html! {
            svg class="plot step" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true" {
                (line("axis", self.percent(0.0)))
                @if weight.abs() >= 0.05 { rect class=(class) x=(coordinate(from)) y="4" width=(coordinate((to - from).max(0.6))) height="12" {} }
                (line("threshold", self.percent(self.threshold)))
            }
        }
    }
}

/// Two values, with the part in which they differ marked: from the first other character to the last. Nothing is marked if one is
/// missing, or if the two are equal but for capital letters and the like.
fn marked(values: &[String; 2], are_equal: bool) -> [Markup; 2] {
    let [a, b] = values;
    if are_equal || a == b || a.is_empty() || b.is_empty() {
        return [a, b].map(|value| match value.is_empty() {
            true => html! { span class="muted" { "–" } },
            false => html! { (shortened(value, VALUE)) },
        });
    }
    let (left, right): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let begin = left.iter().zip(&right).take_while(|(x, y)| x == y).count();
    let shorter = left.len().min(right.len()) - begin;
    let end = left.iter().rev().zip(right.iter().rev()).take(shorter).take_while(|(x, y)| x == y).count();
    [&left, &right].map(|value| {
        let text = |range: std::ops::Range<usize>| value[range].iter().collect::<String>();
        let last = value.len() - end;
        // Of a long value, the part around the difference is shown.
        let from = begin.saturating_sub(VALUE / 2);
        let until = (last + VALUE / 2).min(value.len());
        html! {
            @if from > 0 { "…" }
            (text(from..begin))
            @if begin < last { mark class="differs" { (shortened(&text(begin..last), VALUE)) } }
            (text(last..until))
            @if until < value.len() { "…" }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_marked_and_what_is_equal_is_not() {
        let marks =
            |a: &str, b: &str| marked(&[a.to_owned(), b.to_owned()], false).map(|it| it.into_string());
        assert_eq!(
            marks("walch", "walsh"),
            ["wal<mark class=\"differs\">c</mark>h", "wal<mark class=\"differs\">s</mark>h"]
        );
        assert_eq!(marks("<b>", "<b>"), ["&lt;b&gt;", "&lt;b&gt;"]);
        assert_eq!(marks("aa", "aaa"), ["aa", "aa<mark class=\"differs\">a</mark>"]);
        assert_eq!(marks("", "x"), ["<span class=\"muted\">–</span>", "x"]);
    }

    /// The bars of all steps stay on the scale, and end where the next one begins.
    #[test]
    fn bars_add_up() {
        let step = |weight| Step { weight, ..Step::default() };
        let pair = RecordPair {
            steps: vec![step(8.0), step(4.0), step(-2.0)],
            prior: -9.0,
            weight: 1.0,
            ..RecordPair::default()
        };
        let scale = Scale::of(&pair);
        assert!(scale.least < 0.0 && scale.most > 12.0 && scale.most < 13.0);
        let page = waterfall(&pair).into_string();
        let bars: Vec<(f64, f64)> = page
            .split("<rect ")
            .skip(1)
            .map(|rest| {
                let number = |name: &str| -> f64 {
                    rest.split_once(&format!("{name}=\""))
                        .unwrap()
                        .1
                        .split_once('"')
                        .unwrap()
                        .0
                        .parse()
                        .unwrap()
                };
                (number("x"), number("x") + number("width"))
            })
            .collect();
        let is_near = |x: f64, y: f64| (x - y).abs() < 0.03;
        assert_eq!(bars.len(), 5);
        assert!(is_near(bars[0].1, bars[1].0) && is_near(bars[1].1, bars[2].1), "{bars:?}");
        assert!(is_near(bars[2].0, bars[3].1) && is_near(bars[3].0, bars[4].1), "{bars:?}");
    }
}
