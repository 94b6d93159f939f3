//! Numbers and texts -> what a terminal shows.
//!
//! Plots are Unicode: curves in Braille dots (2 x 4 to a character), bars in eighths of a block. Widths are those of
//! the terminal's columns, so that wide characters stay in line. Nothing of a document reaches the terminal as a
//! control character.

mod canvas;
mod curve;
mod histogram;
mod side_by_side;
mod style;
mod wrapping;

pub use curve::{PlotSize, curve_plot};
pub use histogram::histogram;
pub use side_by_side::{LineBreaks, SideBySide, side_by_side};
pub use style::Colors;
pub use wrapping::{harmless, is_obeyed};
