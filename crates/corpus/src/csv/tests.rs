use super::split::{split, unquote, without_line_end};
use super::{Boundaries, Header, visit};
use crate::raw::RawRecords;
use crate::{BadRecord, Document, FieldPath, Fields, Record, Scratch};
use proptest::prelude::*;

fn fields_of(record: &[u8], delimiter: u8) -> Option<Vec<String>> {
    let record = std::str::from_utf8(without_line_end(record)).unwrap();
    let mut spans = Vec::new();
    split(record.as_bytes(), delimiter, &mut spans).ok()?;
    let mut said = String::new();
    Some(
        spans
            .iter()
            .map(|span| {
                let written = &record[span.begin..span.end];
                if span.plain {
                    return written.to_owned();
                }
                unquote(written, &mut said);
                said.clone()
            })
            .collect(),
    )
}

/// The records that are found if the bytes arrive in pieces of these sizes.
fn records(bytes: &[u8], pieces: &[usize], delimiter: u8) -> Vec<Vec<u8>> {
    let mut records = Vec::new();
    let (mut begin, mut looked, mut arrived) = (0, 0, 0);
    let mut boundaries = Boundaries::new(delimiter);
    let mut pieces = pieces.iter().cycle();
    loop {
        let complete = arrived == bytes.len();
        loop {
            match boundaries.end(&bytes[begin..arrived], looked, complete) {
                Ok(length) => {
                    records.push(bytes[begin..begin + length].to_vec());
                    (begin, looked) = (begin + length, 0);
                }
                Err(until) => {
                    looked = until;
                    break;
                }
            }
        }
        if complete {
            if begin < bytes.len() {
                records.push(bytes[begin..].to_vec());
            }
            return records;
        }
        arrived = bytes.len().min(arrived + pieces.next().unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn records_and_fields_are_those_of_the_csv_crate(
        text in "[a-cé,\"\n]{0,60}",
        pieces in prop::collection::vec(1..9usize, 1..5),
    ) {
        let mut expected = Vec::new();
        let mut reader = ::csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .terminator(::csv::Terminator::Any(b'\n'))
            .from_reader(text.as_bytes());
        for record in reader.records() {
            expected.push(record.unwrap().iter().map(str::to_owned).collect::<Vec<_>>());
        }
        let records = records(text.as_bytes(), &pieces, b',');
        prop_assert_eq!(records.concat(), text.as_bytes());
        let mut found = Vec::new();
        for record in &records {
            match fields_of(record, b',') {
                Some(fields) if without_line_end(record).is_empty() => prop_assert_eq!(fields, [""]),
                Some(fields) => found.push(fields),
                // The crate `csv` closes the last quote by itself.
                None => {
                    prop_assert_eq!(record, records.last().unwrap());
                    expected.pop();
                }
            }
        }
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn what_is_written_is_read(rows in prop::collection::vec(prop::collection::vec("[a-z\"\t\r\n é]{0,8}", 2..5), 1..6)) {
        let mut writer = ::csv::WriterBuilder::new().flexible(true).delimiter(b'\t').from_writer(Vec::new());
        for row in &rows {
            writer.write_record(row).unwrap();
        }
        let bytes = writer.into_inner().unwrap();
        let read: Vec<Vec<String>> =
            records(&bytes, &[3], b'\t').iter().map(|record| fields_of(record, b'\t').unwrap()).collect();
        prop_assert_eq!(read, rows);
    }
}

fn taken(header: &str, lines: &[&[u8]], fields: &Fields) -> Vec<String> {
    let header = Header::parse(header.as_bytes().to_vec(), b',', "a.csv").unwrap();
    let mut raw = RawRecords::default();
    for line in lines {
        raw.buffer.extend_from_slice(line);
        raw.filled = raw.buffer.len();
        raw.ends.push(raw.filled);
    }
    let mut answer = Vec::new();
    visit(&raw, &header, fields, None, &mut Scratch::default(), &mut |slot, record| {
        assert_eq!(slot, answer.len());
        answer.push(match record {
            Record::Bad(bad) => shown_bad(&bad),
            Record::Document(found) => shown(&found),
        });
        Ok(())
    })
    .unwrap();
    answer
}

fn shown_bad(bad: &BadRecord<'_>) -> String {
    match &bad.id {
        Some(id) => format!("{} [{}]", bad.reason, id.text),
        None => bad.reason.clone(),
    }
}

/// Text, id, kind of the value for `--keep`, value for `--within`.
fn shown(found: &Document<'_>) -> String {
    let id = found.id.as_ref().map(|id| (&*id.text, if id.is_bare { "bare" } else { "string" }));
    format!("{}|{:?}|{:?}|{:?}", found.text, id, found.order.map(|order| order.kind), found.within)
}

fn fields(text: &str) -> Fields {
    Fields::text(FieldPath::new(text))
}

#[test]
fn fields_are_taken() {
    let all = Fields {
        text: FieldPath::new("text"),
        id: Some(FieldPath::new("meta.id")),
        order: Some(FieldPath::new("score")),
        within: Some(FieldPath::new("domain")),
        ..fields("text")
    };
    let lines: [&[u8]; 2] = [b"1,\"a \"\"b\"\",\nc\",x.org, 2.5\r\n", b"\"1\"\"2\",plain,,many\n"];
    assert_eq!(
        taken("\u{feff}meta.id,\"text\",domain,score\r\n", &lines, &all),
        [
            "a \"b\",\nc|Some((\"1\", \"string\"))|Some(Number)|Some(\"x.org\")",
            "plain|Some((\"1\\\"2\", \"string\"))|Some(Text)|Some(\"\")",
        ]
    );
}

#[test]
fn bad_records_say_why() {
    assert_eq!(
        taken("id,text\n", &[b"1\n", b"1,\xff\n", b"1,\"open\n", b"1,Hello, cats\n"], &fields("text")),
        [
            "it has 1 of 2 fields, and the field `text` is not among them",
            "it is not valid UTF-8 at byte 3",
            "a quote is opened and not closed before the end of the file",
            "it has 3 fields, and the header has 2; a field with ',' in it must be in quotes",
        ]
    );
}

#[test]
fn bad_records_keep_an_id_that_can_be_read() {
    let fields = Fields { id: Some(FieldPath::new("id")), ..fields("text") };
    assert_eq!(
        taken("id,text\n", &[b"\"1\"\"2\"\n", b"1,\xff\n", b"\xff,x\n", b"1,\"open\n"], &fields),
        [
            "it has 1 of 2 fields, and the field `text` is not among them [1\"2]",
            "it is not valid UTF-8 at byte 3 [1]",
            "it is not valid UTF-8 at byte 1",
            "a quote is opened and not closed before the end of the file",
        ]
    );
}

#[test]
fn several_columns_of_the_name_that_is_asked_for_are_refused() {
    let header = Header::parse(b"text,other,text,other\n".to_vec(), b',', "a.csv").unwrap();
    let error = header.require(&fields("text"), "a.csv").unwrap_err().to_string();
    assert_eq!(error, "a.csv has several columns `text`; rename all but one of them");
    let header = Header::parse(b"text,other,other\n".to_vec(), b',', "a.csv").unwrap();
    header.require(&fields("text"), "a.csv").unwrap();
}

#[test]
fn a_missing_column_is_named_with_those_there_are() {
    let header = Header::parse(b"id,body\n".to_vec(), b',', "a.csv").unwrap();
    let error = header.require(&fields("text"), "a.csv").unwrap_err().to_string();
    assert_eq!(error, "a.csv has no column `text`; its columns are: `id`, `body`");
}
