//! Further fields of a record -> JSON, for who keeps them beside the document.

use crate::block::Content;
use crate::csv;
use crate::json::{Found, Kind, Wanted, unique_json};
use crate::raw::{Form, RawRecords, without_mark};
use crate::{Block, FieldPath};
use serde_json::{Map, Value};

/// Fields that are taken from each record as they are, besides those of [`Fields`](crate::Fields).
#[derive(Debug)]
pub struct MoreFields {
    paths: Vec<FieldPath>,
    /// The paths as they were written: the names of the values.
    names: Vec<String>,
    wanted: Wanted,
}

impl MoreFields {
    /// The fields with these paths: `a.b` is the field `b` of the object in the field `a`.
    #[must_use]
    pub fn new(written: &[String]) -> Self {
        let paths: Vec<FieldPath> = written.iter().map(|path| FieldPath::new(path)).collect();
        Self { wanted: Wanted::new(&paths), paths, names: written.to_vec() }
    }

    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// The values of a record that was read whole, each under the path of its field. Fields that the record does not have
    /// are left out, and so are nulls and NaN of tables. A value keeps its type; in CSV all are strings. If a record has a
    /// field twice, the last one counts, as for all fields; within a value, a name that is there twice is an error. The error
    /// is the end of a sentence: "the field `a` is not valid Unicode".
    pub fn of(&self, block: &Block, slot: usize) -> Result<Map<String, Value>, String> {
        match &block.content {
            Content::Raw(records) => match &records.form {
                Form::Jsonl => self.of_json(records, slot),
                Form::Csv(header) => Ok(self.of_csv(records, header, slot)),
                Form::Text | Form::Npy(_) => Ok(Map::new()),
            },
            Content::Rows(rows) => {
                let mut values = Map::new();
                for (path, name) in self.named() {
                    if let Some(odd) = rows.odd(path, slot) {
                        return Err(format!("the field `{name}` cannot be kept: {odd}"));
                    }
                    values.extend(rows.kept(path, slot).map(|value| (name.clone(), value)));
                }
                Ok(values)
            }
            Content::Texts(_) => Ok(Map::new()),
        }
    }

    fn named(&self) -> impl Iterator<Item = (&FieldPath, &String)> {
        self.paths.iter().zip(&self.names)
    }

    fn of_json(&self, records: &RawRecords, slot: usize) -> Result<Map<String, Value>, String> {
        let line = std::str::from_utf8(without_mark(records.slot(slot)))
            .map_err(|error| format!("it is not valid UTF-8 at byte {}", error.valid_up_to() + 1))?;
        let mut found = Found::default();
        self.wanted.find(line, true, &mut found).map_err(|problem| problem.to_string())?;
        let mut values = Map::new();
        let mut unescaped = String::new();
        for (number, name) in self.names.iter().enumerate() {
            let Some(value) = self.wanted.value(number, line, &mut found) else { continue };
            let value = match value.kind {
                Kind::String => found
                    .say(line, value, &mut unescaped)
                    .map(|text| Value::String(text.to_owned()))
                    .map_err(|_| format!("the field `{name}` is not valid Unicode"))?,
                _ => unique_json(&line.as_bytes()[value.begin..value.end])
                    .map_err(|cause| format!("the field `{name}` cannot be kept: {cause}"))?,
            };
            values.insert(name.clone(), value);
        }
        Ok(values)
    }

    fn of_csv(&self, records: &RawRecords, header: &csv::Header, slot: usize) -> Map<String, Value> {
        let values = self.named().filter_map(|(path, name)| {
            let value = csv::value(records.slot(slot), header, header.column(path)?)?;
            Some((name.clone(), Value::String(value)))
        });
        values.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fields, Format, Limits, ReadMode, Reader, Record, discover};
    use serde_json::json;

    /// What is taken from each record of a file.
    fn values(name: &str, content: &[u8], fields: &[&str]) -> Vec<Result<Value, String>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let source = discover(&[&path], &Default::default()).unwrap().pop().unwrap();
        assert!(matches!(source.format, Format::Jsonl | Format::Csv { .. } | Format::Text));
        let text = Fields::text(FieldPath::new("text"));
        let limits = Limits { block_bytes: 1 << 20, record_bytes: 1 << 20, records: 100 };
        let mut reader = Reader::open(&source, ReadMode::Whole, &text, limits).unwrap();
        let fields: Vec<String> = fields.iter().map(|&field| field.to_owned()).collect();
        let more = MoreFields::new(&fields);
        let mut found = Vec::new();
        let mut block = Block::default();
        while reader.next_block(&mut block).unwrap() {
            block
                .visit(&text, None, &mut Default::default(), &mut |slot, record| {
                    assert!(matches!(record, Record::Document(_)));
                    found.push(more.of(&block, slot).map(Value::Object));
                    Ok(())
                })
                .unwrap();
        }
        found
    }

    #[test]
    fn values_of_json_keep_their_types() {
        let lines = concat!(
            "\u{feff}{\"text\": \"a\", \"url\": \"x\\u00e9\\n\", \"n\": -1.5e3, \"o\": {\"in\": [1, {\"b\": null}]}, \"z\": null}\n",
            "\n{\"n\": 12345678901234567890, \"text\": \"b\", \"url\": true, \"o.in\": \"whole\", \"n\": 7}\n",
            "{\"text\": \"c\", \"url\": \"\\ud800\"}\n{\"text\": \"d\", \"n\": 1e999}\n",
            "{\"text\": \"e\", \"o\": [{\"a\": 1, \"b\": 2, \"a\": 1}]}\n",
        );
        let found = values("a.jsonl", lines.as_bytes(), &["url", "n", "o.in", "o", "z", "absent"]);
        assert_eq!(
            found[0].clone().unwrap(),
            json!({"url": "xé\n", "n": -1500.0, "o.in": [1, {"b": null}], "o": {"in": [1, {"b": null}]}, "z": null})
        );
        // Of two members with the same name the last one counts.
        assert_eq!(found[1].clone().unwrap(), json!({"url": true, "n": 7, "o.in": "whole"}));
        assert!(found[2].clone().unwrap_err().contains("`url` is not valid Unicode"));
        assert!(found[3].clone().unwrap_err().contains("`n` cannot be kept"));
        let twice = found[4].clone().unwrap_err();
        assert!(
            twice.contains("`o` cannot be kept") && twice.contains("the name \"a\" is there twice"),
            "{twice}"
        );
    }

    #[test]
    fn values_of_csv_are_strings_and_text_files_have_none() {
        let table = "id,text,o.in\n1,a,\"b \"\"c\"\"\"\n2,d,\n";
        let found = values("a.csv", table.as_bytes(), &["id", "o.in", "absent"]);
        assert_eq!(found[0].clone().unwrap(), json!({"id": "1", "o.in": "b \"c\""}));
        assert_eq!(found[1].clone().unwrap(), json!({"id": "2", "o.in": ""}));
        assert_eq!(values("a.txt", b"some text", &["id"]), [Ok(json!({}))]);
    }
}
