//! Dots -> Braille characters.

use super::style::{Colors, PLAIN, Style};

/// A field of dots, 2 x 4 to a character.
#[derive(Debug)]
pub(super) struct Canvas {
    columns: usize,
    rows: usize,
    /// Dots and style of each character, row by row.
    cells: Vec<(u8, Style)>,
}

impl Canvas {
    pub(super) fn new(columns: usize, rows: usize) -> Self {
        Self { columns, rows, cells: vec![(0, PLAIN); columns * rows] }
    }

    /// The number of dots across and down.
    pub(super) fn dots(&self) -> (usize, usize) {
        (2 * self.columns, 4 * self.rows)
    }

    /// Sets a dot, counted from the upper left.
    pub(super) fn set(&mut self, x: usize, y: usize, style: Style) {
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        let (column, row) = (x / 2, y / 4);
        if column >= self.columns || row >= self.rows {
            return;
        }
        let cell = &mut self.cells[row * self.columns + column];
        cell.0 |= BITS[y % 4][x % 2];
        cell.1 = style;
    }

    /// A row of characters.
    pub(super) fn row(&self, row: usize, colors: Colors) -> String {
        let cells = &self.cells[row * self.columns..(row + 1) * self.columns];
        let mut text = String::new();
        for stretch in cells.chunk_by(|left, right| left.1 == right.1) {
            let dots: String = stretch
                .iter()
                .map(|(dots, _)| match dots {
                    0 => ' ',
                    _ => char::from_u32(0x2800 + u32::from(*dots)).unwrap_or(' '),
                })
                .collect();
            text.push_str(&colors.paint(&dots, stretch[0].1));
        }
        text
    }
}
