//! Questions of `lookalike label`: two records side by side, and what the answers so far say.

use super::escaped::escaped;
use super::{BOLD, DIM, LogLevel, Printer};
use records::{Quality, Shift};
use std::fmt::Write as _;

/// The narrowest column of values, in characters, however narrow the terminal is.
const NARROWEST: usize = 12;

/// A name of a field that is longer is cut.
const LONGEST_NAME: usize = 20;

/// The lines that a value may have.
const MOST_LINES: usize = 8;

/// Two records about which a question is asked.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    /// Their names.
    pub(crate) names: &'a [String; 2],
    /// The fields with both values, and what the field says if it was compared.
    pub(crate) rows: &'a [(String, [String; 2], Option<f64>)],
    /// The probability that they match, after the labels so far.
    pub(crate) probability: f64,
}

/// What labels say until now.
#[derive(Debug)]
pub(crate) struct LabelsSoFar {
    /// How many there are: yes, no, undecided.
    pub(crate) counts: [u64; 3],
    pub(crate) shift: Shift,
    pub(crate) quality: Quality,
    pub(crate) threshold: f64,
}

impl Printer {
    /// Shows two records, and asks whether they describe the same thing.
    pub(crate) fn asked(&self, asked: &Asked<'_>) {
        self.say(LogLevel::Info, &question(asked, super::columns()));
    }

    /// Says which answers there are.
    pub(crate) fn answer_again(&self) {
        self.say(LogLevel::Info, "answer y (the same), n (not), u (cannot be told) or q (stop)");
    }

    /// Says what the labels make of precision and recall.
    pub(crate) fn labels_so_far(&self, so_far: &LabelsSoFar) {
        let [yes, no, undecided] = so_far.counts;
        let quality = quality(so_far);
        let labels = match yes + no + undecided {
            0 => "no labels yet".to_owned(),
            _ => format!(
                "{yes} yes, {no} no, {undecided} undecided; weights are shifted by {:+.1}",
                so_far.shift.mean
            ),
        };
        self.say(
            LogLevel::Info,
            &format!(
                "{BOLD}labels{BOLD:#}  {labels}\n        at a probability of {}: {quality}",
                so_far.threshold
            ),
        );
    }
}

/// What precision and recall are, or why that cannot be told.
fn quality(so_far: &LabelsSoFar) -> String {
    if so_far.shift.is_beyond() {
        return "precision and recall cannot be told: the answers contradict the weights".to_owned();
    }
    let Quality { precision, recall, .. } = so_far.quality;
    let precision = match precision {
        Some((share, error)) => format!("precision {share:.3} (standard error {error:.3})"),
        None => "precision cannot be told, because no pair is found".to_owned(),
    };
    let recall = match recall {
        Some((share, error)) => format!("recall among compared pairs {share:.3} ({error:.3})"),
        None => "recall cannot be told, because no match is expected".to_owned(),
    };
    format!("{precision},\n        {recall}")
}

/// The two records side by side, as wide as the terminal at the most, with what differs between square brackets. A long value takes
/// several lines.
fn question(asked: &Asked<'_>, columns: usize) -> String {
    let mut rows = vec![[String::new(), escaped(&asked.names[0]), escaped(&asked.names[1]), String::new()]];
    for (name, [a, b], weight) in asked.rows {
        let [a, b] = marked(&escaped(a), &escaped(b));
        let said = weight.map_or("not compared".to_owned(), |weight| format!("{weight:+.1}"));
        let mut name = escaped(name);
        if let Some((end, _)) = name.char_indices().nth(LONGEST_NAME) {
            name.truncate(end);
        }
        rows.push([name, a, b, said]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    // Three spaces between columns.
    let room = columns.saturating_sub(width(0) + width(3) + 9) / 2;
    let widths = [width(0), width(1).min(room.max(NARROWEST)), width(2).min(room.max(NARROWEST))];
    let mut text = String::from("\n");
    for (at, [name, a, b, said]) in rows.iter().enumerate() {
        let (left, right) = (wrapped(a, widths[1]), wrapped(b, widths[2]));
        for line in 0..left.len().max(right.len()) {
            let of = |lines: &[String]| lines.get(line).cloned().unwrap_or_default();
            let (name, said) = if line == 0 { (name.as_str(), said.as_str()) } else { ("", "") };
            let row = format!(
                "{name:<w0$}   {:<w1$}   {:<w2$}   {said}",
                of(&left),
                of(&right),
                w0 = widths[0],
                w1 = widths[1],
                w2 = widths[2],
            );
            let row = row.trim_end();
            let _ = match at {
                0 => writeln!(text, "{BOLD}{row}{BOLD:#}"),
                _ => writeln!(text, "{row}"),
            };
        }
    }
    let _ = write!(
        text,
        "{DIM}probability {:.2}{DIM:#}  the same? y, n, u (cannot be told), q (stop)",
        asked.probability
    );
    text
}

/// A value in lines of a width: they end at a space if there is one in their second half.
fn wrapped(value: &str, width: usize) -> Vec<String> {
    let letters: Vec<char> = value.chars().collect();
    let (mut lines, mut at) = (Vec::new(), 0);
    while at < letters.len() || lines.is_empty() {
        if lines.len() == MOST_LINES {
            lines.push("...".to_owned());
            break;
        }
        let mut end = (at + width.max(1)).min(letters.len());
        if end < letters.len() {
            let space = (at + width / 2..=end).rev().find(|&space| letters[space] == ' ');
            end = space.unwrap_or(end);
        }
        lines.push(letters[at..end].iter().collect());
        at = end + usize::from(letters.get(end) == Some(&' '));
    }
    lines
}

/// Two values, with the part in which they differ between square brackets: from the first other character to the last. A missing value
/// is `-`, and nothing is marked then.
fn marked(a: &str, b: &str) -> [String; 2] {
    if a == b || a.is_empty() || b.is_empty() {
        return [a, b].map(|value| if value.is_empty() { "-".to_owned() } else { value.to_owned() });
    }
    let (left, right): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let begin = left.iter().zip(&right).take_while(|(x, y)| x == y).count();
    let shorter = left.len().min(right.len()) - begin;
    let end = left.iter().rev().zip(right.iter().rev()).take(shorter).take_while(|(x, y)| x == y).count();
    [&left, &right].map(|value| {
        let part = |range: std::ops::Range<usize>| value[range].iter().collect::<String>();
        let last = value.len() - end;
        format!("{}[{}]{}", part(0..begin), part(begin..last), part(last..value.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_take_several_lines_and_none_is_wider_than_the_terminal() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!((wrapped("", 4), wrapped("ab", 2)), (vec![String::new()], vec!["ab".to_owned()]));
        assert_eq!(wrapped(&"x".repeat(100), 4).len(), MOST_LINES + 1);
        let title =
            "Semantic integration of environmental models for application to global information systems";
        let rows = [
            ("title".to_owned(), [title.to_owned(), format!("{title}, revised")], Some(21.5)),
            ("year".to_owned(), ["1999".to_owned(), String::new()], None),
        ];
        let names = ["dblp:1".to_owned(), "acm:2".to_owned()];
        let text = question(&Asked { names: &names, rows: &rows, probability: 0.5 }, 80);
        assert!(text.contains("[, revised]") || text.contains("revised]"), "the difference is shown: {text}");
        let is_row = |line: &&str| !line.contains("the same?") && !line.contains('\x1b');
        assert!(text.lines().filter(is_row).all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn what_differs_is_marked() {
        for (a, b, wanted) in [
            ("walch", "walsh", ["wal[c]h", "wal[s]h"]),
            ("anna", "anna", ["anna", "anna"]),
            ("anna", "", ["anna", "-"]),
            ("", "", ["-", "-"]),
            ("anna", "annae", ["anna[]", "anna[e]"]),
            ("aa", "aaa", ["aa[]", "aa[a]"]),
            ("été", "etc", ["[été]", "[etc]"]),
        ] {
            assert_eq!(marked(a, b), wanted, "{a} {b}");
        }
    }
}
