//! `labels.tsv` <-> pairs that a person has judged.
//!
//! Each line has the names of two records and `y`, `n` or `u` (undecided), separated by tabs. Empty lines and a first line with
//! the names of the columns are allowed.

use super::{Error, Records, Result};
use std::collections::BTreeMap;

/// The first line of a file of labels.
pub const HEAD: &str = "a\tb\tlabel\n";

/// A file of labels as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelsWritten {
    /// The name of the file, for messages.
    pub name: String,
    /// What is in it.
    pub content: String,
}

/// What was said about two records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// They describe the same thing.
    Match,
    /// They do not.
    Other,
    /// It cannot be told.
    Undecided,
}

impl Label {
    /// The label that is written so.
    #[must_use]
    pub fn of(written: &str) -> Option<Self> {
        match written {
            "y" => Some(Self::Match),
            "n" => Some(Self::Other),
            "u" => Some(Self::Undecided),
            _ => None,
        }
    }

    /// Whether two records match; nothing if that is undecided.
    #[must_use]
    pub fn is_match(self) -> Option<bool> {
        match self {
            Self::Match => Some(true),
            Self::Other => Some(false),
            Self::Undecided => None,
        }
    }

    /// How it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Match => "y",
            Self::Other => "n",
            Self::Undecided => "u",
        }
    }
}

impl LabelsWritten {
    /// The labels by their records, the record that comes first in the input first. The same label may be there twice; a pair that is
    /// labelled in two ways is an error, unless one of them is undecided.
    pub fn read(&self, records: &Records) -> Result<BTreeMap<(usize, usize), Label>> {
        let by_name: BTreeMap<String, usize> =
            (0..records.table.len()).map(|record| (records.named(record).id, record)).collect();
        let mut labels: BTreeMap<(usize, usize), Label> = BTreeMap::new();
        for (at, line) in self.content.lines().enumerate() {
            let wrong = |why: String| Error::Labels(format!("{}, line {}: {why}", self.name, at + 1));
            let line = line.trim_end_matches('\r');
            if line.is_empty() || at == 0 && line == HEAD.trim_end() {
                continue;
            }
            let parts: Vec<&str> = line.split('\t').collect();
            let &[a, b, written] = parts.as_slice() else {
                return Err(wrong(format!(
                    "it has {} columns instead of 3: two ids and a label, separated by tabs",
                    parts.len()
                )));
            };
            let label = Label::of(written.trim())
                .ok_or_else(|| wrong(format!("`{written}` is not a label; write y, n or u")))?;
            let find = |name: &str| {
                let found = by_name.get(name).copied().or_else(|| records.find(name));
                found.ok_or_else(|| wrong(format!("there is no record `{name}`")))
            };
            let (a_record, b_record) = (find(a)?, find(b)?);
            if a_record == b_record {
                return Err(wrong(format!("`{a}` and `{b}` are one record")));
            }
            let pair = (a_record.min(b_record), a_record.max(b_record));
            match labels.get(&pair) {
                Some(before) if *before == label || label == Label::Undecided => {}
                None | Some(Label::Undecided) => {
                    labels.insert(pair, label);
                }
                Some(_) => {
                    return Err(wrong(format!(
                        "`{a}` and `{b}` were labelled in another way in a line before"
                    )));
                }
            }
        }
        Ok(labels)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::job_of;
    use super::*;

    #[test]
    fn labels_name_pairs_and_contradict_nothing() {
        let (job, _folder) = job_of("id,name\n1,anna\n2,carl\n3,dora\n");
        let records = job.read(&|| false).unwrap();
        let read = |content: &str| {
            LabelsWritten { name: "labels.tsv".into(), content: content.into() }.read(&records)
        };
        let labels = read("a\tb\tlabel\n2\t1\ty\n1\t2\ty\r\n\n1\t3\tu\n3\t1\tn\n").unwrap();
        assert_eq!(labels, BTreeMap::from([((0, 1), Label::Match), ((0, 2), Label::Other)]));
        for (content, said) in [
            ("1\t2\ty\n2\t1\tn\n", "line 2: `2` and `1` were labelled in another way"),
            ("1\t9\ty\n", "line 1: there is no record `9`"),
            ("1\t2\tyes\n", "`yes` is not a label"),
            ("1\t2\n", "it has 2 columns instead of 3"),
            ("1\t1\ty\n", "are one record"),
        ] {
            let error = read(content).unwrap_err().to_string();
            assert!(error.contains(said), "{content}: {error}");
        }
    }
}
