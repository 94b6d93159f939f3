//! The keep order: which document comes before which.

use crate::sketch::Sources;
use crate::store::Number;
use crate::store::entries::Entry;
use crate::{Choice, Keep, Measure, Result, SettingName, Settings, WrongSetting};

/// A position in the keep order. Of two duplicates, the document with the smaller rank is kept.
pub(crate) type Rank = (u32, u64, Number);

/// The keep order: documents of `against` come first, then `--prefer` decides, then `--keep`, then input order.
#[derive(Debug)]
pub(crate) struct KeepOrder {
    source_ranks: Vec<u32>,
    /// True if `--keep` does not matter: after `against` and `--prefer`, input order decides.
    first: bool,
}

impl KeepOrder {
    /// Returns an error if a pattern of `--prefer` matches no source.
    pub(crate) fn new(settings: &Settings, sources: Sources<'_>) -> Result<Self> {
        let patterns = &settings.matching.prefer;
        let own = (0..sources.len()).filter(|&at| !sources.is_against(at));
        check_preferred(patterns, own.map(|at| sources.get(at).name.as_str()))?;
        let rank = |at| match sources.is_against(at) {
            true => 0,
            false => 1 + preference(patterns, &sources.get(at).name) as u32,
        };
        Ok(Self { source_ranks: (0..sources.len()).map(rank).collect(), first: is_first(settings) })
    }

    /// The order in which pairs are compared, whichever sources they are from. With containment, the smaller document of a pair is
    /// the later one, also if it is one of `against`.
    pub(crate) fn of_pairs(&self) -> Self {
        Self { source_ranks: vec![0; self.source_ranks.len()], first: self.first }
    }

    /// True if the keep order is the input order.
    pub(crate) fn is_input_order(&self) -> bool {
        self.first && self.source_ranks.is_sorted()
    }

    /// The position of a document in the keep order.
    pub(crate) fn rank(&self, source: usize, entry: &Entry, number: Number) -> Rank {
        (self.source_ranks[source], if self.first { 0 } else { entry.keep }, number)
    }
}

/// Whether documents of one source are in input order, whatever their `keep` is.
pub(crate) fn is_first(settings: &Settings) -> bool {
    settings.matching.keep == Keep::First && settings.signature.measure != Measure::Containment
}

/// Returns an error if a pattern of `--prefer` is not the first that names any of these sources.
pub(crate) fn check_preferred<'n>(
    patterns: &[String],
    names: impl IntoIterator<Item = &'n str>,
) -> Result<()> {
    let mut used = vec![false; patterns.len()];
    for name in names {
        if let Some(used) = used.get_mut(preference(patterns, name)) {
            *used = true;
        }
    }
    match used.iter().position(|used| !used) {
        Some(unused) => {
            Err(WrongSetting::NoSuchSource { choice: Choice::new(SettingName::Prefer, &patterns[unused]) }
                .into())
        }
        None => Ok(()),
    }
}

/// Which pattern of `--prefer` names a source first; as many as there are patterns if none does.
fn preference(patterns: &[String], name: &str) -> usize {
    patterns.iter().position(|pattern| names(pattern, name)).unwrap_or(patterns.len())
}

/// Bytes that compare as ranks do, but for the input order, which breaks ties: of a document of this source, or of
/// `--against` if there is none. `keep` and `rest` are its [value](crate::sketch::keep_value).
pub(crate) fn rank_bytes(
    settings: &Settings,
    source: Option<&str>,
    keep: u64,
    rest: &[u8],
    bytes: &mut Vec<u8>,
) {
    let source = source.map_or(0, |name| 1 + preference(&settings.matching.prefer, name) as u32);
    bytes.clear();
    bytes.extend_from_slice(&source.to_be_bytes());
    if !is_first(settings) {
        bytes.extend_from_slice(&keep.to_be_bytes());
        bytes.extend_from_slice(rest);
    }
}

/// Whether a pattern names a source: its name, a folder above it, or a pattern in which `*` stands for anything.
fn names(pattern: &str, name: &str) -> bool {
    let folder = pattern.trim_end_matches('/');
    name == pattern
        || name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        || pattern.contains('*') && matches(pattern.as_bytes(), name.as_bytes())
}

fn matches(pattern: &[u8], name: &[u8]) -> bool {
    // The position after the last `*`, and the end of the bytes that it matches so far. When the rest of the pattern
    // does not match, the `*` takes one more byte.
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        if p < pattern.len() && pattern[p] == b'*' {
            star = Some((p + 1, n));
            p += 1;
        } else if p < pattern.len() && pattern[p] == name[n] {
            p += 1;
            n += 1;
        } else if let Some((after, taken)) = star {
            star = Some((after, taken + 1));
            p = after;
            n = taken + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_that_names_no_source_first_is_an_error() {
        let check = |patterns: &[&str], names: &[&str]| {
            let patterns: Vec<String> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
            check_preferred(&patterns, names.iter().copied()).map_err(|error| error.to_string())
        };
        assert_eq!(check(&["books", "*web*"], &["a/web/1", "books/1"]), Ok(()));
        assert!(check(&["books", "news"], &["books/1"]).unwrap_err().contains("news"));
        assert!(check(&["books", "books/1"], &["books/1"]).unwrap_err().contains("books/1"));
        assert_eq!(check(&[], &[]), Ok(()));
    }

    #[test]
    fn a_source_is_named_by_its_name_its_folder_or_a_pattern() {
        for (pattern, name, expected) in [
            ("a.jsonl", "a.jsonl", true),
            ("a.jsonl", "b.jsonl", false),
            ("wiki", "wiki/a.jsonl", true),
            ("wiki/", "wiki/a.jsonl", true),
            ("wiki", "wikipedia/a.jsonl", false),
            ("*wiki*", "dump/wiki-2024.jsonl", true),
            ("*.csv", "a.jsonl", false),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("**", "", true),
        ] {
            assert_eq!(names(pattern, name), expected, "{pattern} {name}");
        }
    }
}
