//! Files of pairs or of groups -> who belongs together, by ids.
//!
//! | what | how it is written |
//! |---|---|
//! | pairs | `lookalike pairs` in either form; tables with the columns `id_a` and `id_b`, or without names |
//! | groups | `lookalike clusters --json`; a finished run; tables with the columns `id` and `group` |

use crate::failure::{Failure, Result};
use corpus::{Block, Discovery, FieldPath, Fields, Limits, MoreFields, ReadMode, Reader, Scratch, discover};
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

/// What a file lists. The numbers are those of the lines.
#[derive(Debug, PartialEq)]
pub(super) enum Listed {
    Pairs(Vec<(u64, ListedPair)>),
    Groups(Vec<(u64, ListedMember)>),
}

#[derive(Debug, PartialEq)]
pub(super) struct ListedPair {
    pub(super) a: String,
    pub(super) b: String,
    pub(super) similarity: Option<f64>,
}

#[derive(Debug, PartialEq)]
pub(super) struct ListedMember {
    pub(super) id: String,
    pub(super) group: String,
    pub(super) similarity: Option<f64>,
}

/// Names of the two columns of a table of pairs, and of a table of groups. The first of each is what messages advise.
const PAIR_COLUMNS: [(&str, &str); 4] =
    [("id_a", "id_b"), ("left", "right"), ("id1", "id2"), ("id_1", "id_2")];
/// What `lookalike pairs --json` calls them. In a table these may be ids.
const PAIR_KEYS: (&str, &str) = ("a", "b");
const ID_COLUMNS: [&str; 4] = ["id", "doc_id", "document", "file"];
const GROUP_COLUMNS: [&str; 5] = ["group", "cluster", "cluster_id", "group_id", "entity"];
const SIMILARITY_COLUMNS: [&str; 2] = ["similarity", "score"];

/// The list of removed documents in the folder of a run, in either form.
const REMOVED: [&str; 2] = ["removed.jsonl", "removed.parquet"];

/// What is read of a list of removed documents in Parquet.
const OF_REMOVED: [&str; 6] = ["id", "kind", "kept_id", "kept_source", "kept_line", "similarity"];

/// Reads a file, or the folder of a finished run.
pub(super) fn read(path: &Path) -> Result<Listed> {
    let mut file = path.to_owned();
    if path.is_dir() {
        let lists = REMOVED.map(|name| path.join(name));
        let Some(list) = lists.into_iter().find(|list| list.is_file()) else {
            let path = path.display();
            return Err(Failure::usage(format!("there is no {} in {path}", REMOVED.join(" or ")))
                .with_advice("name the target folder of `lookalike dedup`, or a list of pairs or clusters"));
        };
        file = list;
    }
    let wrong = |(line, wrong)| {
        let place = if line == 0 { String::new() } else { format!(", line {line}") };
        Failure::bad_input(format!("{}{place}: {wrong}", file.display()))
    };
    if file.extension().is_some_and(|extension| extension == "parquet") {
        let rows = removed_rows(&file)?;
        return objects(rows.iter().map(|(number, row)| (*number, row.as_str()))).map_err(wrong);
    }
    let bytes = std::fs::read(&file).map_err(|cause| Failure::io("read", file.display(), &cause))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::bad_input(format!("{} is not UTF-8", file.display())))?;
    // A mark at the beginning says only that it is UTF-8.
    parse(text.trim_start_matches('\u{feff}')).map_err(wrong)
}

/// The rows of a list of removed documents in Parquet, each as a JSON object, with their numbers.
fn removed_rows(file: &Path) -> Result<Vec<(u64, String)>> {
    let more = MoreFields::new(&OF_REMOVED.map(str::to_owned));
    let fields =
        Fields { text: FieldPath::new("id"), id: None, order: None, within: None, site: None, date: None };
    let limits = Limits { block_bytes: 1 << 20, record_bytes: 16 << 20, records: 8_192 };
    let mut rows: Vec<(u64, String)> = Vec::new();
    for source in discover(&[file], &Discovery::default())? {
        let mut reader = Reader::open(&source, ReadMode::Whole, &fields, limits)?;
        let (mut block, mut scratch) = (Block::default(), Scratch::default());
        while reader.next_block(&mut block)? {
            let mut failure = None;
            block.visit(&fields, None, &mut scratch, &mut |slot, _| {
                match more.of(&block, slot) {
                    Ok(row) => rows.push((block.number(slot), Value::Object(row).to_string())),
                    Err(wrong) => failure = Some(wrong),
                }
                Ok(())
            })?;
            if let Some(wrong) = failure {
                return Err(Failure::bad_input(format!("{}: {wrong}", file.display())));
            }
        }
    }
    Ok(rows)
}

/// What is wrong, and in which line; 0 if it is the whole file.
type Wrong = (u64, String);

fn parse(text: &str) -> std::result::Result<Listed, Wrong> {
    let lines = || (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let Some((_, first)) = lines().next() else { return Ok(Listed::Pairs(Vec::new())) };
    if first.trim_start().starts_with('{') {
        return objects(lines());
    }
    let separator = if first.contains('\t') { '\t' } else { ',' };
    let columns = |line: &'_ str| -> Vec<String> { fields(line, separator) };
    let names: Vec<String> = columns(first).iter().map(|name| name.trim().to_lowercase()).collect();
    let at = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.as_str()));
    let similarity = at(&SIMILARITY_COLUMNS);
    let pair = PAIR_COLUMNS.iter().find_map(|(a, b)| Some((at(&[a])?, at(&[b])?)));
    let group = at(&ID_COLUMNS).zip(at(&GROUP_COLUMNS));
    let rows = |skipped: usize| lines().skip(skipped).map(|(number, line)| (number, columns(line)));
    let field = |row: &(u64, Vec<String>), at: usize| -> std::result::Result<String, Wrong> {
        let value = row.1.get(at).map(|value| value.trim()).filter(|value| !value.is_empty());
        value.map(str::to_owned).ok_or_else(|| (row.0, format!("there is no value in column {}", at + 1)))
    };
    let number = |row: &(u64, Vec<String>), at: Option<usize>| -> std::result::Result<Option<f64>, Wrong> {
        let Some(written) = at.and_then(|at| row.1.get(at)).map(|value| value.trim()) else {
            return Ok(None);
        };
        match written.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            _ if written == "-" || written.is_empty() => Ok(None),
            _ => Err((row.0, format!("`{written}` is not a similarity"))),
        }
    };
    let pairs = |skipped: usize, (a, b): (usize, usize), similarity: Option<usize>| {
        let pair = |row: (u64, Vec<String>)| {
            let similarity = number(&row, similarity)?;
            Ok((row.0, ListedPair { a: field(&row, a)?, b: field(&row, b)?, similarity }))
        };
        rows(skipped).map(pair).collect::<std::result::Result<_, Wrong>>().map(Listed::Pairs)
    };
    match (pair, group) {
        (Some(columns), _) => pairs(1, columns, similarity),
        (None, Some((id, group))) => {
            let member = |row: (u64, Vec<String>)| {
                let similarity = number(&row, similarity)?;
                Ok((row.0, ListedMember { id: field(&row, id)?, group: field(&row, group)?, similarity }))
            };
            rows(1).map(member).collect::<std::result::Result<_, Wrong>>().map(Listed::Groups)
        }
        // Without names there are two ids, and what `lookalike pairs` writes after them.
        (None, None) => {
            let is_number =
                |at: usize| names.get(at).is_none_or(|field| field == "-" || field.parse::<f64>().is_ok());
            match names.len() {
                2..=4 if is_number(2) && is_number(3) => pairs(0, (0, 1), (names.len() > 2).then_some(2)),
                _ => Err((
                    1,
                    "the columns are not known; call them id_a and id_b for pairs, or id and group".into(),
                )),
            }
        }
    }
}

/// The fields of a line. In a line with commas, a field in double quotes may contain commas, and a doubled quote is one.
fn fields(line: &str, separator: char) -> Vec<String> {
    if separator == '\t' {
        return line.split('\t').map(str::to_owned).collect();
    }
    let (mut all, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut rest = line.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '"' if quoted && rest.peek() == Some(&'"') => {
                rest.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            character if character == separator && !quoted => all.push(std::mem::take(&mut field)),
            character => field.push(character),
        }
    }
    all.push(field);
    all
}

/// JSON Lines: pairs, members of groups, whole clusters, or removed documents.
fn objects<'t>(lines: impl Iterator<Item = (u64, &'t str)>) -> std::result::Result<Listed, Wrong> {
    let (mut pairs, mut members) = (Vec::new(), Vec::new());
    // A list of removed documents names kept documents only beside others: each is a member too.
    let mut kept_ids = HashSet::new();
    for (number, line) in lines {
        let value: Value = serde_json::from_str(line).map_err(|wrong| (number, wrong.to_string()))?;
        let id = |value: &Value| match value {
            Value::String(id) => Some(id.clone()),
            Value::Number(id) => Some(id.to_string()),
            _ => None,
        };
        let any = |names: &[&str]| names.iter().find_map(|name| value.get(name).and_then(id));
        let similarity = value.get("similarity").and_then(Value::as_f64);
        let mut names = PAIR_COLUMNS.iter().chain([&PAIR_KEYS]);
        let pair = names.find_map(|(a, b)| Some((any(&[a])?, any(&[b])?)));
        if let Some((a, b)) = pair {
            pairs.push((number, ListedPair { a, b, similarity }));
        } else if let (Some(kept), Some(others)) =
            (value.get("kept"), value.get("members").and_then(Value::as_array))
        {
            let group = kept
                .get("id")
                .and_then(id)
                .ok_or_else(|| (number, "the cluster has no kept id".to_owned()))?;
            members.push((
                number,
                ListedMember { id: group.clone(), group: group.clone(), similarity: Some(1.0) },
            ));
            for member in others {
                let own =
                    member.get("id").and_then(id).ok_or_else(|| (number, "a member has no id".to_owned()))?;
                let similarity = member.get("similarity").and_then(Value::as_f64);
                members.push((number, ListedMember { id: own, group: group.clone(), similarity }));
            }
        } else if let (Some(own), Some(kept)) = (any(&["id"]), any(&["kept_id"])) {
            let is_in_index = value.get("kept_source").is_some() && value["kept_line"].is_null();
            if own == kept && is_in_index {
                // The index has it by the same id: one document, as far as ids say.
                continue;
            }
            if own == kept {
                return Err((
                    number,
                    format!("two documents have the id {own}, so they cannot be told apart"),
                ));
            }
            if kept_ids.insert(kept.clone()) {
                members.push((
                    number,
                    ListedMember { id: kept.clone(), group: kept.clone(), similarity: Some(1.0) },
                ));
            }
            members.push((number, ListedMember { id: own, group: kept, similarity }));
        } else if value.get("kind").and_then(Value::as_str) == Some("bad") {
            // A record that cannot be used is in no cluster.
        } else if let (Some(own), Some(group)) = (any(&ID_COLUMNS), any(&GROUP_COLUMNS)) {
            members.push((number, ListedMember { id: own, group, similarity }));
        } else {
            return Err((
                number,
                "there is neither a pair (id_a, id_b) nor a member of a group (id, group)".into(),
            ));
        }
        if !pairs.is_empty() && !members.is_empty() {
            return Err((number, "the file lists both pairs and groups".into()));
        }
    }
    Ok(if members.is_empty() { Listed::Pairs(pairs) } else { Listed::Groups(members) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(a: &str, b: &str, similarity: Option<f64>) -> ListedPair {
        ListedPair { a: a.into(), b: b.into(), similarity }
    }

    fn member(id: &str, group: &str, similarity: Option<f64>) -> ListedMember {
        ListedMember { id: id.into(), group: group.into(), similarity }
    }

    #[test]
    fn tables_are_read_with_and_without_names() {
        let plain = Listed::Pairs(vec![(1, pair("a", "b", None))]);
        assert_eq!(parse("a\tb\n").unwrap(), plain);
        assert_eq!(parse("a,b\n\n").unwrap(), plain);
        let named = Listed::Pairs(vec![(2, pair("x", "y", Some(0.5)))]);
        assert_eq!(parse("ID_A\tid_b\tother\tsimilarity\nx\ty\tz\t0.5\n").unwrap(), named);
        assert_eq!(parse("left,right,score,more\nx,y,0.5,z\n").unwrap(), named);
        let found = Listed::Pairs(vec![(1, pair("a", "b", Some(0.75))), (2, pair("c", "d", None))]);
        assert_eq!(parse("a\tb\t0.75\t3\nc\td\t-\t0\n").unwrap(), found, "as `lookalike pairs` writes them");
        let groups = Listed::Groups(vec![(2, member("a, b", "1", None)), (4, member("c\"", "1", None))]);
        assert_eq!(parse("id,group\n\"a, b\",1\n\n\"c\"\"\",1\n").unwrap(), groups);
        assert_eq!(parse("").unwrap(), Listed::Pairs(Vec::new()));
    }

    #[test]
    fn objects_are_pairs_members_clusters_or_removed_documents() {
        let pairs = Listed::Pairs(vec![(1, pair("a", "7", Some(0.5)))]);
        assert_eq!(parse(r#"{"a":"a","b":7,"similarity":0.5}"#).unwrap(), pairs);
        let clusters =
            Listed::Groups(vec![(1, member("a", "a", Some(1.0))), (1, member("b", "a", Some(0.9)))]);
        assert_eq!(
            parse(r#"{"kept":{"id":"a"},"members":[{"id":"b","similarity":0.9}]}"#).unwrap(),
            clusters
        );
        let removed = r#"{"id":"b","kind":"near","kept_id":"a","similarity":0.9}"#;
        let bad = r#"{"id":"c","kind":"bad","kept_id":null,"reason":"no text"}"#;
        assert_eq!(parse(&format!("{removed}\n{bad}\n")).unwrap(), clusters);
        let groups = Listed::Groups(vec![(1, member("a", "g", None))]);
        assert_eq!(parse(r#"{"doc_id":"a","cluster":"g"}"#).unwrap(), groups);
    }

    #[test]
    fn what_cannot_be_understood_is_named_with_its_line() {
        for (text, line, message) in [
            ("id\tcase\tkind\nx\ty\tz\n", 1, "the columns are not known"),
            ("id_a\tid_b\na\n", 2, "no value in column 2"),
            ("a\tb\t0.5\nc\td\tmuch\n", 2, "`much` is not a similarity"),
            ("{\"a\":\"x\"}\n", 1, "neither a pair"),
            ("{\"a\":\"x\",\"b\":\"y\"}\n{\"id\":\"x\",\"group\":\"y\"}\n", 2, "both pairs and groups"),
            ("{\"id\":\"x\",\"kept_id\":\"x\"}\n", 1, "two documents have the id x"),
            ("{\"a\":", 1, "EOF"),
        ] {
            let (at, wrong) = parse(text).unwrap_err();
            assert_eq!(at, line, "{text}");
            assert!(wrong.contains(message), "{wrong}");
        }
    }
}
