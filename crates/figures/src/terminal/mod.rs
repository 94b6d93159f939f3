//! Numbers and texts -> output for a terminal.
//!
//! Plots are drawn with Unicode characters: curves with Braille dots (2 x 4 in a character), bars with eighths of a
//! block. Widths are counted in terminal columns, so that wide characters stay aligned. No control character of a
//! document reaches the terminal.

mod canvas;
mod curve;
mod histogram;
mod side_by_side;
mod style;
mod wrapping;

pub use curve::{PlotSize, curve_plot};
pub use histogram::histogram;
pub use side_by_side::{LineBreaks, SideBySide, side_by_side, side_by_side_without};
pub use style::Colors;
pub use wrapping::{harmless, is_obeyed};
