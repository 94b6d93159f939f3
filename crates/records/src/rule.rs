//! Whether two records match, for tables that teach nothing.

use crate::bands::Pair;
use crate::column::{Column, ValueId};
use crate::compare::{self, NO_LEVEL};
use crate::kind::Kind;
use crate::strings::Scratch;

/// Words that are at least so similar may be the same.
const ALIKE_BY_RULE: f64 = 0.9;

/// The rule for tables that teach nothing, in words.
const RULE: &str = "records match if at least half of the fields are known in both, at least half of these are equal, and the others are \
    words with a similarity of at least 0.9 and the same digits";

/// Why the rule decides, and the rule. Fields may have contradicted what was learnt.
pub(crate) fn in_words(contradiction: Option<&str>) -> String {
    match contradiction {
        None => {
            format!("no model: the table is too small, or its fields say too little, to learn one; {RULE}")
        }
        Some(fields) => format!(
            "no model: nearly every record has its own value in {fields}, and records that agree otherwise differ there, so there is \
             hardly a match to learn from (a field that may differ can be left out with --fields); {RULE}"
        ),
    }
}

/// The rule for tables that teach nothing.
pub(crate) fn by_rule(columns: &[Column], (a, b): Pair, levels: &[u8]) -> bool {
    let mut scratch = Scratch::default();
    let (mut known, mut equal) = (0usize, 0usize);
    for (column, &level) in columns.iter().zip(levels) {
        let (a, b) = (column.of[a as usize], column.of[b as usize]);
        if level == NO_LEVEL {
            continue;
        }
        known += 1;
        if level == 0 {
            equal += 1;
        } else if !has_words(column.kind)
            || digits(column, a).ne(digits(column, b))
            || compare::similarity(column, a, b, &mut scratch) < ALIKE_BY_RULE
        {
            return false;
        }
    }
    known > 0 && 2 * known >= columns.len() && 2 * equal >= known
}

/// True if values of a kind may be written in several ways. Values of other kinds are equal or those of another entity: server 1
/// is not server 2.
fn has_words(kind: Kind) -> bool {
    matches!(kind, Kind::Name | Kind::Text | Kind::Address | Kind::Place)
}

fn digits(column: &Column, value: ValueId) -> impl Iterator<Item = char> + '_ {
    column.text(value).chars().filter(char::is_ascii_digit)
}
