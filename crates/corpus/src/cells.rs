//! Some fields of each record -> their values as text: for tables, where no field is the text.

use crate::block::Content;
use crate::csv;
use crate::json::{Found, Kind, Wanted, visit_names};
use crate::raw::{Form, RawRecords, without_mark};
use crate::{Block, FieldPath, Fields, Format, Limits, ReadMode, Reader, Result, Source};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;

/// What stands between the values of a list.
const BETWEEN: &str = ", ";

/// Fields whose values are taken from each record as text.
#[derive(Debug)]
pub struct Cells {
    paths: Vec<FieldPath>,
    wanted: Wanted,
}

/// The values of a record, or why it cannot be read, as the end of a sentence.
pub type CellsOfRecord<'a> = std::result::Result<&'a [Cow<'a, str>], String>;

impl Cells {
    /// The fields with these paths: `a.b` is the field `b` of the object in the field `a`.
    #[must_use]
    pub fn new(written: &[String]) -> Self {
        let paths: Vec<FieldPath> = written.iter().map(|path| FieldPath::new(path)).collect();
        Self { wanted: Wanted::new(&paths), paths }
    }

    /// Hands the values of each record of a block to `visit`. A field that a record does not have is empty, and so is null.
    /// The values of a list are joined with commas. The block must be read whole.
    pub fn visit(
        &self,
        block: &Block,
        visit: &mut dyn FnMut(usize, CellsOfRecord<'_>) -> Result<()>,
    ) -> Result<()> {
        match &block.content {
            Content::Raw(records) => match &records.form {
                Form::Jsonl => self.visit_json(records, visit),
                Form::Csv(header) => self.visit_csv(records, header, visit),
                Form::Text => (0..records.len()).try_for_each(|slot| {
                    let text = String::from_utf8_lossy(records.slot(slot));
                    let cells: Vec<Cow<'_, str>> = self.paths.iter().map(|_| text.clone()).collect();
                    visit(slot, Ok(&cells))
                }),
                // An array has no fields; it is a source of vectors only.
                Form::Npy(_) => Ok(()),
            },
            Content::Rows(rows) => (0..rows.len()).try_for_each(|slot| {
                let cell =
                    |path: &FieldPath| rows.json(path, slot).map_or(String::new(), |value| plain(&value));
                let cells: Vec<Cow<'_, str>> = self.paths.iter().map(|path| cell(path).into()).collect();
                visit(slot, Ok(&cells))
            }),
            Content::Texts(_) => Ok(()),
        }
    }

    fn visit_json(
        &self,
        records: &RawRecords,
        visit: &mut dyn FnMut(usize, CellsOfRecord<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut found = Found::default();
        for slot in 0..records.len() {
            let line = match simdutf8::compat::from_utf8(without_mark(records.slot(slot))) {
                Ok(line) => line,
                Err(error) => {
                    let at = error.valid_up_to() + 1;
                    visit(slot, Err(format!("it is not valid UTF-8 at byte {at}")))?;
                    continue;
                }
            };
            if let Err(problem) = self.wanted.find(line, true, &mut found) {
                visit(slot, Err(problem.to_string()))?;
                continue;
            }
            let mut wrong = None;
            let mut cells: Vec<Cow<'_, str>> = Vec::with_capacity(self.paths.len());
            for (number, path) in self.paths.iter().enumerate() {
                let cell = match self.wanted.value(number, line, &mut found) {
                    Some(value) if value.kind == Kind::Null => Cow::Borrowed(""),
                    Some(value) if value.kind == Kind::String => {
                        let mut unescaped = String::new();
                        match found.say(line, value, &mut unescaped) {
                            Ok(said) if !value.escaped => {
                                let _ = said;
                                Cow::Borrowed(&line[value.begin..value.end])
                            }
                            Ok(said) => Cow::Owned(said.to_owned()),
                            Err(_) => {
                                wrong = Some(format!("the field `{}` is not valid Unicode", path.written()));
                                Cow::Borrowed("")
                            }
                        }
                    }
                    Some(value) => {
                        let written = &line[value.begin..value.end];
                        match serde_json::from_str::<Value>(written) {
                            Ok(value @ (Value::Array(_) | Value::Object(_))) => Cow::Owned(plain(&value)),
                            _ => Cow::Borrowed(written),
                        }
                    }
                    None => Cow::Borrowed(""),
                };
                cells.push(cell);
            }
            match wrong {
                Some(reason) => visit(slot, Err(reason))?,
                None => visit(slot, Ok(&cells))?,
            }
        }
        Ok(())
    }

    fn visit_csv(
        &self,
        records: &RawRecords,
        header: &csv::Header,
        visit: &mut dyn FnMut(usize, CellsOfRecord<'_>) -> Result<()>,
    ) -> Result<()> {
        let columns: Vec<Option<usize>> = self.paths.iter().map(|path| header.column(path)).collect();
        let mut spans = Vec::new();
        let mut cells: Vec<Cow<'_, str>> = Vec::new();
        for slot in 0..records.len() {
            match csv::cells(records.slot(slot), header, &columns, &mut spans, &mut cells) {
                Ok(()) => visit(slot, Ok(&cells))?,
                Err(reason) => visit(slot, Err(reason))?,
            }
        }
        Ok(())
    }
}

/// A value as text: the content of a string, the values of a list one after the other, the JSON of anything else.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(plain).filter(|value| !value.is_empty()).collect();
            values.join(BETWEEN)
        }
        Value::Object(members) => {
            let values: Vec<String> = members.values().map(plain).filter(|value| !value.is_empty()).collect();
            values.join(" ")
        }
        other => other.to_string(),
    }
}

/// Of more fields than this the names are not collected: a table has a few, which all of its records share.
pub const MOST_COLUMNS: usize = 10_000;

/// The names of the fields of a source: the columns of a table; of JSON Lines, the fields of all its lines, the first
/// [`MOST_COLUMNS`] of them. A text file has none. If `stop` says so, what is known by then.
pub fn column_names(source: &Source, limits: Limits, stop: &dyn Fn() -> bool) -> Result<Vec<String>> {
    match source.format {
        Format::Jsonl => names_in_lines(source, limits, stop),
        Format::Text | Format::Npy => Ok(Vec::new()),
        Format::Csv { .. } => {
            let mut reader = Reader::open_columns(source, limits)?;
            let mut block = Block::default();
            reader.next_block(&mut block)?;
            Ok(match &block.content {
                Content::Raw(RawRecords { form: Form::Csv(header), .. }) => header.names.clone(),
                _ => Vec::new(),
            })
        }
        Format::Parquet | Format::Table => crate::parquet::names_of_columns(source),
    }
}

/// The names of the fields in the lines of JSON, in the order in which they appear. Lines that cannot be read have none.
fn names_in_lines(source: &Source, limits: Limits, stop: &dyn Fn() -> bool) -> Result<Vec<String>> {
    let (mut names, mut known) = (Vec::new(), HashSet::new());
    let mut reader = Reader::open_columns(source, limits)?;
    let (mut block, mut new) = (Block::default(), Vec::new());
    while names.len() < MOST_COLUMNS && !stop() && reader.next_block(&mut block)? {
        let Content::Raw(records) = &block.content else { break };
        for line in records.slots() {
            let Ok(line) = std::str::from_utf8(without_mark(line)) else { continue };
            let is_whole = visit_names(line, &mut |name| {
                if !known.contains(name) {
                    new.push(name.to_owned());
                }
            });
            for name in new.drain(..) {
                if is_whole && names.len() < MOST_COLUMNS && known.insert(name.clone()) {
                    names.push(name);
                }
            }
        }
    }
    Ok(names)
}

impl Reader {
    /// Opens `source` for [`Cells`]: whole records, of which no field is needed.
    pub fn open_columns(source: &Source, limits: Limits) -> Result<Self> {
        let text = match source.format {
            Format::Parquet | Format::Table => FieldPath::new(&crate::parquet::text_column_of(source)?),
            _ => FieldPath { names: Vec::new(), is_json: false },
        };
        let fields = Fields { text, id: None, order: None, within: None, site: None, date: None };
        Self::open(source, ReadMode::Whole, &fields, limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover;

    const LIMITS: Limits = Limits { block_bytes: 1 << 20, record_bytes: 1 << 20, records: 100 };

    fn read(
        name: &str,
        content: &str,
        fields: &[&str],
    ) -> (Vec<String>, Vec<std::result::Result<Vec<String>, String>>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let source = discover(&[&path], &Default::default()).unwrap().pop().unwrap();
        let names = column_names(&source, LIMITS, &|| false).unwrap();
        let cells = Cells::new(&fields.iter().map(|&field| field.to_owned()).collect::<Vec<_>>());
        let mut reader = Reader::open_columns(&source, LIMITS).unwrap();
        let (mut block, mut found) = (Block::default(), Vec::new());
        while reader.next_block(&mut block).unwrap() {
            cells
                .visit(&block, &mut |_, cells| {
                    found.push(cells.map(|cells| cells.iter().map(|cell| cell.to_string()).collect()));
                    Ok(())
                })
                .unwrap();
        }
        (names, found)
    }

    #[test]
    fn cells_of_csv_are_those_of_its_columns() {
        let (names, found) = read(
            "a.csv",
            "id,name,town\n1,\"Berg, \"\"A\"\"\",oslo\n2,x\n3,a,b,c\n",
            &["town", "name", "none"],
        );
        assert_eq!(names, ["id", "name", "town"]);
        assert_eq!(found[0].clone().unwrap(), ["oslo", "Berg, \"A\"", ""]);
        assert_eq!(found[1].clone().unwrap(), ["", "x", ""], "a record may end before its last fields");
        assert!(found[2].clone().unwrap_err().contains("4 fields, and the header has 3"));
    }

    #[test]
    fn cells_of_json_are_text_lists_and_numbers() {
        let lines = concat!(
            "{\"a\": \"x\\u00e9\", \"b\": [\"one\", \"two\"], \"c\": {\"d\": 7}}\n",
            "{\"b\": null, \"a\": true}\nnot json\n"
        );
        let (names, found) = read("a.jsonl", lines, &["a", "b", "c.d", "none"]);
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(found[0].clone().unwrap(), ["xé", "one, two", "7", ""]);
        assert_eq!(found[1].clone().unwrap(), ["true", "", "", ""]);
        assert!(found[2].is_err());
    }

    /// Also a field that only the last of many lines has is a field; one of a line that cannot be read is none.
    #[test]
    fn the_fields_of_json_are_those_of_all_its_lines() {
        let mut lines = "{\"a\": 1}\n".repeat(5_000);
        lines.push_str("{\"broken\": 1, \"b\"\n{\"b\": {\"c\": 2}, \"a\": 3}\n");
        assert_eq!(read("a.jsonl", &lines, &["b.c"]).0, ["a", "b"]);
        let many: String = (0..MOST_COLUMNS + 5).map(|at| format!("{{\"x{at}\": 1}}\n")).collect();
        assert_eq!(read("a.jsonl", &many, &[]).0.len(), MOST_COLUMNS);
    }
}
