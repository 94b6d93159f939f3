//! Questions of `lookalike label`: two records side by side, and what the answers so far say.

use super::escaped::escaped;
use super::{BOLD, DIM, LogLevel, Printer};
use records::{Quality, Shift};
use std::fmt::Write as _;

/// The widest value that is shown, in characters.
const WIDEST: usize = 44;

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
        self.say(LogLevel::Info, &question(asked));
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
    format!("{precision}, {recall}")
}

/// The two records, a line for each field, with what differs between square brackets.
fn question(asked: &Asked<'_>) -> String {
    let cut = |value: &str| -> String {
        match value.chars().count() > WIDEST {
            true => value.chars().take(WIDEST - 3).chain("...".chars()).collect(),
            false => value.to_owned(),
        }
    };
    let mut lines =
        vec![[String::new(), cut(&escaped(&asked.names[0])), cut(&escaped(&asked.names[1])), String::new()]];
    for (name, [a, b], weight) in asked.rows {
        let [a, b] = marked(&escaped(a), &escaped(b));
        let said = weight.map_or("not compared".to_owned(), |weight| format!("{weight:+.1}"));
        lines.push([escaped(name), cut(&a), cut(&b), said]);
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    let mut text = String::from("\n");
    for (at, line) in lines.iter().enumerate() {
        let row = format!(
            "{:<w0$}   {:<w1$}   {:<w2$}   {}",
            line[0],
            line[1],
            line[2],
            line[3],
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
    let _ = write!(
        text,
        "{DIM}probability {:.2}{DIM:#}  the same? y, n, u (cannot be told), q (stop)",
        asked.probability
    );
    text
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
