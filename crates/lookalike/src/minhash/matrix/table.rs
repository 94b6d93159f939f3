//! Cells -> aligned text, as the lecture notes print their tables.

use std::fmt;

/// Writes the lines as a table. The first column is aligned left, the others right, with two spaces between them.
pub(super) fn write_table(f: &mut fmt::Formatter<'_>, lines: &[Vec<String>]) -> fmt::Result {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for line in lines {
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            match column {
                0 => write!(f, "{cell:<width$}")?,
                _ => write!(f, "  {cell:>width$}")?,
            }
        }
        writeln!(f)?;
    }
    Ok(())
}
