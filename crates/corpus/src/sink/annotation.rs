//! A record and its annotation -> the record with additional fields.
//!
//! Every byte of the record is kept. In JSON Lines the new fields are added before the closing brace, in CSV after
//! the last field. It is an error if the record already has a field with one of these names: overwriting it would
//! lose data, and different programs read two fields of the same name differently.

use super::Annotation;
use crate::Id;
use memchr::memmem;

/// The names of the added fields.
pub(crate) const NAMES: [&str; 4] =
    ["lookalike_cluster", "lookalike_duplicate", "lookalike_kept_id", "lookalike_similarity"];

/// Appends the JSON object in `line` with the fields of `annotation` to `out`. An error says why this is not
/// possible.
pub(crate) fn json_line(line: &[u8], annotation: &Annotation, out: &mut Vec<u8>) -> Result<(), String> {
    let object = line.trim_ascii_end();
    let begin = object.strip_prefix(b"\xef\xbb\xbf").unwrap_or(object).trim_ascii_start();
    let (Some(b'{'), Some((b'}', inside))) = (begin.first(), object.split_last()) else {
        return Err("it is not a JSON object, so no fields can be added to it".to_owned());
    };
    if let Some(name) = NAMES.iter().find(|name| has_field(begin, name)) {
        return Err(has_already(name));
    }
    out.extend_from_slice(inside);
    if begin[1..begin.len() - 1].trim_ascii().is_empty() {
        out.extend_from_slice(b"\"");
    } else {
        out.extend_from_slice(b", \"");
    }
    let [cluster, duplicate, kept_id, similarity] = NAMES;
    out.extend_from_slice(cluster.as_bytes());
    out.extend_from_slice(b"\": ");
    json_id(&annotation.cluster, out);
    out.extend_from_slice(format!(", \"{duplicate}\": {}, \"{kept_id}\": ", annotation.duplicate).as_bytes());
    match &annotation.kept_id {
        Some(id) => json_id(id, out),
        None => out.extend_from_slice(b"null"),
    }
    let value = number(annotation.similarity).unwrap_or_else(|| "null".to_owned());
    out.extend_from_slice(format!(", \"{similarity}\": {value}").as_bytes());
    out.extend_from_slice(&line[inside.len()..]);
    Ok(())
}

/// Appends the CSV record in `line` to `out`, with the fields of `annotation`, or with empty fields. A record that is shorter than
/// the header, which has `columns`, gets empty fields first, so that what is added stands in its own columns.
pub(crate) fn csv_record(
    line: &[u8],
    annotation: Option<&Annotation>,
    columns: usize,
    delimiter: u8,
    out: &mut Vec<u8>,
) {
    let none = Annotation::default();
    let said = annotation.unwrap_or(&none);
    let duplicate = annotation.map_or("", |said| if said.duplicate { "true" } else { "false" });
    let kept_id = said.kept_id.as_ref().map_or("", |id| &id.text);
    let similarity = number(said.similarity).unwrap_or_default();
    let missing = columns.saturating_sub(csv_columns(line, delimiter));
    csv_fields(line, missing, [&said.cluster.text, duplicate, kept_id, &similarity], delimiter, out);
}

/// The number of fields of a CSV record.
fn csv_columns(line: &[u8], delimiter: u8) -> usize {
    let (mut columns, mut at) = (1, 0);
    loop {
        // A field in quotes ends with a quote that is not one of two.
        if line.get(at) == Some(&b'"') {
            at += 1;
            loop {
                let Some(quote) = memchr::memchr(b'"', &line[at..]) else { return columns };
                at += quote + 1;
                if line.get(at) != Some(&b'"') {
                    break;
                }
                at += 1;
            }
        }
        let Some(end) = memchr::memchr(delimiter, &line[at..]) else { return columns };
        (columns, at) = (columns + 1, at + end + 1);
    }
}

/// Appends the CSV header in `line` with the names of the fields to `out`. An error says why this is not possible.
pub(crate) fn csv_header(
    line: &[u8],
    names: &[String],
    delimiter: u8,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    if let Some(name) = NAMES.iter().find(|name| names.iter().any(|there| there == *name)) {
        return Err(has_already(name));
    }
    csv_fields(line, 0, NAMES, delimiter, out);
    Ok(())
}

/// Why a record or file cannot be annotated.
pub(crate) fn has_already(name: &str) -> String {
    format!(
        "it already has a field `{name}`, perhaps from an earlier run; remove or rename that field, or use \
         the original file"
    )
}

fn csv_fields(line: &[u8], missing: usize, fields: [&str; 4], delimiter: u8, out: &mut Vec<u8>) {
    let content = line.strip_suffix(b"\n").unwrap_or(line);
    let content = content.strip_suffix(b"\r").unwrap_or(content);
    out.extend_from_slice(content);
    out.resize(out.len() + missing, delimiter);
    for field in fields {
        out.push(delimiter);
        csv_field(field, delimiter, out);
    }
    out.extend_from_slice(&line[content.len()..]);
}

fn csv_field(field: &str, delimiter: u8, out: &mut Vec<u8>) {
    if !field.bytes().any(|byte| byte == delimiter || matches!(byte, b'"' | b'\n' | b'\r')) {
        return out.extend_from_slice(field.as_bytes());
    }
    out.push(b'"');
    out.extend_from_slice(field.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

/// An id as it was written in its record: a number is written as a number.
fn json_id(id: &Id<'_>, out: &mut Vec<u8>) {
    if id.is_bare { out.extend_from_slice(id.text.as_bytes()) } else { json_string(&id.text, out) }
}

fn json_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

/// A number as in JSON: the shortest decimal that is read back as the same number.
fn number(value: Option<f64>) -> Option<String> {
    value.filter(|value| value.is_finite()).map(|value| format!("{value:?}"))
}

/// True if the object at the beginning of `json` has the field `name` itself, not in a nested object.
fn has_field(json: &[u8], name: &str) -> bool {
    // The search for the plain name can only miss a name that contains escapes.
    if memmem::find(json, name.as_bytes()).is_none() && memmem::find(json, b"\\u").is_none() {
        return false;
    }
    let (mut depth, mut at, mut is_name) = (0_usize, 0, false);
    while at < json.len() {
        match json[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let Some(length) = string_length(&json[at + 1..]) else { return false };
                let string = &json[at + 1..at + 1 + length];
                at += length + 1;
                if is_name && is_string(string, name) {
                    return true;
                }
                is_name = false;
            }
            _ => {}
        }
        match json.get(at) {
            Some(b'{' | b',') => is_name = depth == 1,
            Some(b':' | b'[') => is_name = false,
            _ => {}
        }
        at += 1;
    }
    false
}

/// The number of bytes before the quote that ends a string.
fn string_length(json: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', &json[at..])?;
        if json[at] == b'"' {
            return Some(at);
        }
        at = at.saturating_add(2);
        if at > json.len() {
            return None;
        }
    }
}

/// True if `written`, the inside of a JSON string, means `name` (letters and `_`).
fn is_string(written: &[u8], name: &str) -> bool {
    let mut rest = written;
    for wanted in name.bytes() {
        let byte = if let Some(escape) = rest.strip_prefix(b"\\u") {
            let code = escape.get(..4).and_then(|code| std::str::from_utf8(code).ok());
            rest = escape.get(4..).unwrap_or_default();
            code.and_then(|code| u8::try_from(u32::from_str_radix(code, 16).ok()?).ok())
        } else {
            let (first, others) = rest.split_first().map_or((None, rest), |(byte, rest)| (Some(*byte), rest));
            rest = others;
            first
        };
        if byte != Some(wanted) {
            return false;
        }
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn said() -> Annotation {
        Annotation {
            cluster: Id::string("a\"b\\\n\u{1}é"),
            duplicate: true,
            kept_id: Some(Id::string("x,\"y\"")),
            similarity: Some(1.0 / 3.0),
        }
    }

    fn annotated(line: &str) -> Result<String, String> {
        let mut out = Vec::new();
        json_line(line.as_bytes(), &said(), &mut out).map(|()| String::from_utf8(out).unwrap())
    }

    #[test]
    fn ends_of_lines_and_empty_objects() {
        for (line, begin, end) in [
            ("{}\n", "{\"lookalike_cluster\": ", "}\n"),
            ("{ }", "{ \"lookalike_cluster\": ", "}"),
            ("{\"a\": 1 } \r\n", "{\"a\": 1 , \"lookalike_cluster\": ", "} \r\n"),
            ("\u{feff}{\"a\":1}\n", "\u{feff}{\"a\":1, \"lookalike_cluster\": ", "}\n"),
        ] {
            let out = annotated(line).unwrap();
            assert!(out.starts_with(begin) && out.ends_with(end), "{out}");
            let value: Value = serde_json::from_str(out.trim_start_matches('\u{feff}')).unwrap();
            assert_eq!(value["lookalike_kept_id"], json!("x,\"y\""));
        }
        for line in ["", "\n", "[1]", "{", "}", "\"{}\"", "{\"a\":1"] {
            assert!(annotated(line).unwrap_err().contains("not a JSON object"), "{line}");
        }
    }

    #[test]
    fn ids_keep_their_type() {
        let bare = |text: &'static str| Id { text: text.into(), is_bare: true };
        let said =
            Annotation { cluster: bare("12345678901234567890"), kept_id: Some(bare("-1.50")), ..said() };
        let mut out = Vec::new();
        json_line(b"{}", &said, &mut out).unwrap();
        let line = String::from_utf8(out).unwrap();
        assert!(line.contains("\"lookalike_cluster\": 12345678901234567890,"), "{line}");
        assert!(line.contains("\"lookalike_kept_id\": -1.50,"), "{line}");
    }

    #[test]
    fn without_values_there_is_null() {
        let mut out = Vec::new();
        let said = Annotation { similarity: Some(f64::NAN), ..Annotation::default() };
        json_line(b"{}", &said, &mut out).unwrap();
        let value: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(
            value,
            json!({"lookalike_cluster": "", "lookalike_duplicate": false, "lookalike_kept_id": null, "lookalike_similarity": null})
        );
    }

    #[test]
    fn fields_that_are_there_already() {
        for line in [
            r#"{"lookalike_cluster": 1}"#,
            r#"{"a": {"x": [1, {}]}, "lookalike_similarity" : 1}"#,
            r#"{"a": "\\", "\u006cookalike\u005Fduplicate": 1}"#,
        ] {
            assert!(annotated(line).unwrap_err().contains("already"), "{line}");
        }
        for line in [
            r#"{"a": "lookalike_cluster"}"#,
            r#"{"a": {"lookalike_cluster": 1}}"#,
            r#"{"a": [{"lookalike_cluster": 1}, "lookalike_cluster"]}"#,
            r#"{"a": ["x", "lookalike_cluster", 1], "lookalike_clusters": "\u0000"}"#,
            r#"{"a": ", \"lookalike_cluster\": 1"}"#,
        ] {
            assert!(annotated(line).is_ok(), "{line}");
        }
    }

    #[test]
    fn csv_reads_back() {
        for (line, end) in [("1,\"a\nb\"\r\n", "\r\n"), ("1,x\n", "\n"), ("1,x", "")] {
            let mut out = Vec::new();
            csv_record(line.as_bytes(), Some(&said()), 2, b',', &mut out);
            assert!(out.ends_with(end.as_bytes()));
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&out[..]);
            let record = reader.records().next().unwrap().unwrap();
            let fields: Vec<_> = record.iter().skip(2).collect();
            assert_eq!(fields, [&*said().cluster.text, "true", "x,\"y\"", "0.3333333333333333"]);
        }
        let mut out = Vec::new();
        csv_record(b"1\t2\n", None, 2, b'\t', &mut out);
        assert_eq!(out, b"1\t2\t\t\t\t\n");
        out.clear();
        csv_header(b"a,b\n", &["a".into(), "b".into()], b',', &mut out).unwrap();
        assert_eq!(out, format!("a,b,{}\n", NAMES.join(",")).as_bytes());
        assert!(csv_header(b"", &["lookalike_kept_id".into()], b',', &mut out).is_err());
    }

    #[test]
    fn short_csv_records_are_filled_up() {
        for (line, fields) in [
            ("1", 1),
            ("1,", 2),
            ("\"a,\"\"b,\",x\r\n", 2),
            ("\"a\nb\"\n", 1),
            ("a\"b,c\"\n", 2),
            ("\n", 1),
            ("\"open, ended", 1),
        ] {
            assert_eq!(csv_columns(line.as_bytes(), b','), fields, "{line:?}");
        }
        let mut out = Vec::new();
        csv_record(b"2,aa\n", Some(&said()), 4, b',', &mut out);
        assert!(out.starts_with(b"2,aa,,,"), "{}", String::from_utf8_lossy(&out));
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&out[..]);
        assert_eq!(reader.records().next().unwrap().unwrap().len(), 8);
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            Just(Value::from("lookalike_cluster")),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(key(), inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    fn key() -> impl Strategy<Value = String> {
        prop_oneof![4 => any::<String>(), 1 => prop::sample::select(&NAMES[..]).prop_map(str::to_owned)]
    }

    proptest! {
        /// The result is the original plus four fields. It is refused exactly if one of these fields already exists.
        #[test]
        fn equals_the_object_with_four_more_fields(
            fields in prop::collection::btree_map(key(), value(), 0..5),
            cluster: String, duplicate: bool, kept_id: Option<String>,
            // `serde_json` only reads back numbers exactly that are exact in binary.
            similarity in prop::option::of((0..=64_u8).prop_map(|n| f64::from(n) / 64.0)),
        ) {
            let original: serde_json::Map<String, Value> = fields.into_iter().collect();
            let line = Value::Object(original.clone()).to_string();
            let said = Annotation {
                cluster: Id::string(cluster.clone()),
                duplicate,
                kept_id: kept_id.clone().map(Id::string),
                similarity,
            };
            let mut out = Vec::new();
            let result = json_line(line.as_bytes(), &said, &mut out);
            prop_assert_eq!(result.is_err(), NAMES.iter().any(|name| original.contains_key(*name)));
            if result.is_ok() {
                let mut expected = original;
                for (name, value) in NAMES.iter().zip([json!(cluster), json!(duplicate), json!(kept_id), json!(similarity)]) {
                    expected.insert((*name).to_owned(), value);
                }
                prop_assert_eq!(serde_json::from_slice::<Value>(&out).unwrap(), Value::Object(expected));
            }
        }
    }
}
