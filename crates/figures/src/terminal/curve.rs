//! The S-curve in Braille.

use super::canvas::Canvas;
use super::style::{Colors, DIM, PASSAGES};
use super::wrapping::harmless;
use crate::numbers::percent;
use crate::svg::CurvePlot;

/// How large a plot is, axes and labels included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlotSize {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// The numbers on the left and the axis take this many columns.
const MARGIN: usize = 6;
/// The axis and the numbers below it take this many rows.
const ROWS_BELOW: usize = 2;
/// The curves have at least this many rows.
const LEAST_ROWS: usize = 4;

/// The curves of a plot with its threshold, below a heading line for each curve. The found pairs are not drawn here
/// but in the histogram. The plot is at least 16 columns wide. It is higher than asked for if there is no room for
/// four rows of curves.
#[must_use]
pub fn curve_plot(plot: &CurvePlot, size: PlotSize, colors: Colors) -> String {
    let columns = size.width.max(16) - MARGIN;
    let rows = size.height.saturating_sub(ROWS_BELOW + plot.curves.len()).max(LEAST_ROWS);
    let mut canvas = Canvas::new(columns, rows);
    let (across, down) = canvas.dots();
    if let Some(threshold) = plot.threshold {
        let x = place(threshold, across);
        for y in (0..down).step_by(2) {
            canvas.set(x, y, DIM);
        }
    }
    for (at, curve) in plot.curves.iter().enumerate().rev() {
        let style = PASSAGES[at % PASSAGES.len()];
        let height = |x: usize| down - 1 - place(curve.at(x as f64 / (across - 1) as f64), down);
        let mut last = height(0);
        for x in 0..across {
            let y = height(x);
            // Where the curve is steep, the dots between two columns are set too.
            for dot in y.min(last)..=y.max(last).max(y.min(last) + 1) - 1 {
                canvas.set(x, dot, style);
            }
            canvas.set(x, y, style);
            last = y;
        }
    }
    let mut text = String::new();
    text.push_str(&heading(plot, colors));
    for row in 0..rows {
        let label = match row {
            0 => "1.0",
            _ if row + 1 == rows => "0.0",
            _ if row == rows / 2 => "0.5",
            _ => "",
        };
        text.push_str(&format!("{label:>4} │{}\n", canvas.row(row, colors).trim_end_matches(' ')));
    }
    text.push_str(&format!("     └{}\n", "─".repeat(columns)));
    text.push_str(&x_labels(columns));
    text
}

fn place(value: f64, dots: usize) -> usize {
    (value.clamp(0.0, 1.0) * dots.saturating_sub(1) as f64).round() as usize
}

/// A line for each curve, with its colour and its name.
fn heading(plot: &CurvePlot, colors: Colors) -> String {
    let mut text = String::new();
    for (at, curve) in plot.curves.iter().enumerate() {
        let found = plot.threshold.map_or(String::new(), |threshold| {
            format!(": {} found at {threshold}", percent(curve.at(threshold)))
        });
        let line = colors.paint("──", PASSAGES[at % PASSAGES.len()]);
        text.push_str(&format!("{:MARGIN$}{line} {}{found}\n", "", harmless(&curve.name())));
    }
    text
}

/// The labels `0`, `0.2`, ... below their positions on the axis.
fn x_labels(columns: usize) -> String {
    let mut line = vec![' '; MARGIN + columns + 3];
    for fifth in 0..=5 {
        let value = f64::from(fifth) / 5.0;
        let label = format!("{value}");
        let at = MARGIN + place(value, columns);
        let at = if fifth == 0 { at } else { at - label.len() / 2 };
        for (offset, character) in label.chars().enumerate() {
            line[at + offset] = character;
        }
    }
    let line: String = line.into_iter().collect();
    format!("{}\n", line.trim_end())
}
