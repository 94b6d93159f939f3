//! The table of edit distances, 64 cells to the word (Myers 1999, in the block form of Hyyrö 2003).
//!
//! Let D(i, j) be the distance between the first i symbols of the pattern and the first j of the text. Neighbours in
//! a column or a row differ by -1, 0 or 1. So 64 cells of a column fit in two words: one marks where the value rises,
//! one where it falls. A column is computed from the one before with a dozen word operations, because the only
//! dependence down the column is a carry, which an addition computes.
//!
//! A path of cost at most `limit` stays within the cells with |i - j| <= limit. Only the words that hold such
//! a cell are computed. Cells outside are replaced by an upper bound (values rise by 1 with each step away). So every
//! computed value is an upper bound too, and it is exact wherever the best path stays inside.

const WORD: usize = 64;

/// The positions of each symbol in the pattern.
pub(super) struct Pattern {
    len: usize,
    /// For each symbol in turn the words in which it occurs, as (word, bits), ascending by word. The list is sparse,
    /// so its size is that of the pattern, however many different symbols there are.
    places: Vec<(usize, u64)>,
    /// The entries of symbol `s` in `places` are `starts[s]..starts[s + 1]`.
    starts: Vec<usize>,
}

impl Pattern {
    /// The pattern of these symbols, each below `num_symbols`.
    pub(super) fn new(symbols: &[usize], num_symbols: usize) -> Self {
        let mut order: Vec<usize> = (0..symbols.len()).collect();
        order.sort_by_key(|&at| symbols[at]);
        let mut places: Vec<(usize, u64)> = Vec::new();
        let mut starts = Vec::with_capacity(num_symbols + 2);
        for at in order {
            let starts_here = starts.len() <= symbols[at];
            if starts_here {
                starts.resize(symbols[at] + 1, places.len());
            }
            let (word, bit) = (at / WORD, 1 << (at % WORD));
            match places.last_mut() {
                Some((last, bits)) if *last == word && !starts_here => *bits |= bit,
                _ => places.push((word, bit)),
            }
        }
        // The end of the last symbol, and one more symbol that has no entries.
        starts.resize(num_symbols + 2, places.len());
        Self { len: symbols.len(), places, starts }
    }

    /// The edit distance from this pattern to `text`, or `None` if it is more than `limit`. Symbols of the
    /// text are those of the pattern, or `num_symbols` for one that the pattern does not have.
    pub(super) fn distance_at_most(&self, text: &[usize], limit: usize) -> Option<usize> {
        if self.len.abs_diff(text.len()) > limit {
            return None;
        }
        if self.len == 0 {
            return Some(text.len());
        }
        let last_row = self.len - 1;
        let mut column = vec![Word::RISING; last_row / WORD + 1];
        // The distance in the lowest computed row.
        let mut score = 0;
        let mut words_so_far = 0;
        // For each symbol, the first entry that is not yet above the diagonal band.
        let mut passed = self.starts.clone();
        for (j, &symbol) in text.iter().enumerate() {
            let first = j.saturating_sub(limit) / WORD;
            let last = j.saturating_add(limit).min(last_row) / WORD;
            // A word that enters at the bottom holds the upper bound: one more for each row.
            for word in words_so_far..=last {
                score += WORD.min(self.len - word * WORD);
            }
            words_so_far = last + 1;

            let places = &self.places[passed[symbol]..self.starts[symbol + 1]];
            let above = places.iter().take_while(|(word, _)| *word < first).count();
            passed[symbol] += above;
            let mut places = places[above..].iter().peekable();
            let mut step = Step::UP;
            for (at, word) in column.iter_mut().enumerate().take(last + 1).skip(first) {
                let equal = places.next_if(|(word, _)| *word == at).map_or(0, |(_, bits)| *bits);
                let lowest = if at == last_row / WORD { last_row % WORD } else { WORD - 1 };
                step = word.next_column(equal, step, lowest);
            }
            // A value that falls was at least 1, so there is no overflow.
            score = score + step.up as usize - step.down as usize;
        }
        (score <= limit).then_some(score)
    }
}

/// How a row's value changes from one column to the next: up by 1, down by 1, or not at all. It is stored as two
/// numbers, each 0 or 1, because a branch on them could not be predicted.
#[derive(Debug, Clone, Copy)]
struct Step {
    up: u64,
    down: u64,
}

impl Step {
    const UP: Self = Self { up: 1, down: 0 };
}

/// 64 cells of a column: bit i tells how cell i differs from the cell above it.
#[derive(Debug, Clone, Copy)]
struct Word {
    rises: u64,
    falls: u64,
}

impl Word {
    /// Each cell is one more than the cell above. This is the column before the first symbol of the text.
    const RISING: Self = Self { rises: u64::MAX, falls: 0 };

    /// Moves to the next column. `equal` marks where the pattern has the text's symbol. `above` tells how the row
    /// above this word changes. Returns how the row of bit `lowest` changes.
    #[inline]
    fn next_column(&mut self, mut equal: u64, above: Step, lowest: usize) -> Step {
        let Self { rises, falls } = *self;
        let vertical = equal | falls;
        equal |= above.down;
        let horizontal = ((equal & rises).wrapping_add(rises) ^ rises) | equal;
        let up = falls | !(horizontal | rises);
        let down = rises & horizontal;
        let below = Step { up: up >> lowest & 1, down: down >> lowest & 1 };
        let up = up << 1 | above.up;
        let down = down << 1 | above.down;
        self.rises = down | !(vertical | up);
        self.falls = up & vertical;
        below
    }
}
