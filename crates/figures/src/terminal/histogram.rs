//! Similarities of the pairs found, as bars.

use super::style::{ACCENT, Colors, WARM};
use crate::numbers::count;
use crate::svg::Histogram;

/// The histogram with a row for each bin. A row has the name of the bin, a bar for the found pairs, a lighter bar for
/// the estimated missed pairs, and the numbers.
#[must_use]
pub fn histogram(histogram: &Histogram, width: usize, colors: Colors) -> String {
    let shown = histogram.shown();
    let bins = &histogram.bins[shown.clone()];
    let most = bins.iter().map(|bin| bin.all_pairs()).fold(0.0, f64::max);
    let numbers: Vec<String> = bins
        .iter()
        .map(|bin| match bin.missed_pairs() {
            missed if missed >= 0.05 => format!("{} + {missed:.1}", count(bin.found)),
            _ => count(bin.found),
        })
        .collect();
    let room = numbers.iter().map(String::len).max().unwrap_or(0);
    let columns = width.saturating_sub(room + 8).max(8) as f64;
    let steps = histogram.bins.len().saturating_sub(1).max(1) as f64;
    let mut text = String::new();
    for ((bin, numbers), at) in bins.iter().zip(&numbers).zip(shown) {
        let label = if at + 1 == histogram.bins.len() {
            "= 1".to_owned()
        } else {
            format!("{:.2}", at as f64 / steps)
        };
        let length = |value: f64| if most > 0.0 { value / most * columns } else { 0.0 };
        let found = bar(length(bin.found as f64));
        let whole = length(bin.all_pairs()).round() as usize;
        let missed = "░".repeat(whole.saturating_sub(found.chars().count()));
        let bars = format!("{}{}", colors.paint(&found, ACCENT), colors.paint(&missed, WARM));
        text.push_str(&format!("{label:>5} {bars}{}{numbers}\n", if bars.is_empty() { "" } else { " " }));
    }
    text
}

/// A bar of this many columns, to an eighth of a column.
fn bar(columns: f64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (columns * 8.0).round().max(0.0) as usize;
    // Every value above 0 has a visible bar.
    let eighths = if columns > 0.0 { eighths.max(1) } else { 0 };
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}
