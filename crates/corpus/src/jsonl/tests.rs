use crate::raw::RawRecords;
use crate::{BadRecord, Document, FieldPath, Fields, Record, Scratch};

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

fn fields() -> Fields {
    Fields {
        text: FieldPath::new("text"),
        id: Some(FieldPath::new("meta.id")),
        order: Some(FieldPath::new("score")),
        within: Some(FieldPath::new("domain")),
        ..Fields::text(FieldPath::new("text"))
    }
}

fn block(lines: &[&[u8]]) -> RawRecords {
    let mut records = RawRecords::default();
    for line in lines {
        records.buffer.extend_from_slice(line);
        records.filled = records.buffer.len();
        records.ends.push(records.filled);
    }
    records
}

/// The records in the given slots, as one string each.
fn taken(records: &RawRecords, selected: Option<&[u32]>) -> Vec<(usize, String)> {
    let mut answer = Vec::new();
    let visit = &mut |slot, record: Record<'_>| {
        answer.push((
            slot,
            match record {
                Record::Bad(bad) => shown_bad(&bad),
                Record::Document(found) => shown(&found),
            },
        ));
        Ok(())
    };
    super::visit(records, true, &fields(), selected, &mut Scratch::default(), visit).unwrap();
    answer
}

fn only(line: &[u8]) -> String {
    taken(&block(&[line]), None).remove(0).1
}

#[test]
fn fields_are_taken() {
    assert_eq!(
        only(br#"{"meta": {"id": "x\ty"}, "text": "a\nb", "score": "1.5", "domain": {"a": [1]}}"#),
        "a\nb|Some((\"x\\ty\", \"string\"))|Some(Number)|Some(\"{\\\"a\\\": [1]}\")"
    );
    assert_eq!(
        only(br#"{"text": "", "meta": {"id": 7}, "score": -3e2}"#),
        "|Some((\"7\", \"bare\"))|Some(Number)|None"
    );
    assert_eq!(
        only(br#"{"text": "x", "meta": null, "score": "many", "domain": null}"#),
        "x|None|Some(Text)|None"
    );
    for (value, kind) in
        [("true", "Some(Boolean)"), ("null", "None"), ("\"\"", "None"), ("[1]", "None"), ("{}", "None")]
    {
        let line = format!(r#"{{"text": "x", "score": {value}}}"#);
        assert_eq!(only(line.as_bytes()), format!("x|None|{kind}|None"));
    }
    assert_eq!(only(b"\xef\xbb\xbf{\"text\": \"x\"}\r\n"), "x|None|None|None");
}

#[test]
fn bad_records_say_why() {
    for (line, reason) in [
        (&b"{}"[..], "the field `text` is missing; it has no fields"),
        (
            br#"{"body": 1, "meta": {"id": 7}, "a\u001bb": {"text": 1}}"#,
            "the field `text` is missing; its fields are: `body`, `meta`, `a\\u{1b}b` [7]",
        ),
        (br#"{"text": null, "meta": {"id": "x"}}"#, "the field `text` is null [x]"),
        (
            br#"{"text": "x", "meta": {"id": "\ud800"}}"#,
            "the field `meta.id` is not valid Unicode (half of a surrogate pair is escaped without the other)",
        ),
        (
            br#"{"text": "x", "meta": {"id": 3}, "domain": "\ud800"}"#,
            "the field `domain` is not valid Unicode (half of a surrogate pair is escaped without the other) [3]",
        ),
        (br#"{"text": null}"#, "the field `text` is null"),
        (br#"{"text": 1}"#, "the field `text` is a number, not a string"),
        (br#"{"text": {"a": 1}}"#, "the field `text` is an object, not a string"),
        (br#"{"text": [1]}"#, "the field `text` is an array, not a string"),
        (br#"{"text": true}"#, "the field `text` is a boolean, not a string"),
        (br#"["text"]"#, "it is an array, not an object"),
        (b"7", "it is a number, not an object"),
        (b"{\"text\": \"a\xff\"}", "it is not valid UTF-8 at byte 12"),
        (br#"{"text": "a"#, "it is not valid JSON: it ends too early at byte 12"),
        (br#"{"text": "a",}"#, "it is not valid JSON: expected a name in quotes at byte 14"),
        (br#"{"text": "a"} x"#, "it is not valid JSON: expected the end at byte 15"),
        (b"{\"text\": \"a\tb\"}", "it is not valid JSON: a control character without an escape at byte 12"),
        (br#"{"text": "\x"}"#, "it is not valid JSON: unknown escape at byte 12"),
        (
            br#"{"text": "\ud800"}"#,
            "the field `text` is not valid Unicode (half of a surrogate pair is escaped without the other)",
        ),
    ] {
        assert_eq!(only(line), reason, "{}", line.escape_ascii());
    }
}

#[test]
fn a_path_into_an_object_that_is_there_is_answered_with_what_is_in_it() {
    let path = FieldPath::new("meta.inner.text");
    let line = r#"{"a": 1, "meta": {"b": 1, "inner": {"c": 2, "c": 3}}}"#;
    let names = crate::json::names_along(line, &path);
    assert_eq!(names, ["a", "meta", "meta.b", "meta.inner", "meta.inner.c"]);
}

#[test]
fn a_hundred_thousand_levels_are_a_bad_record_wherever_they_are() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
    for value in [deep("[", "]"), deep("{\"text\":", "}"), "[".repeat(100_000), "{\"a\":[".repeat(50_000)] {
        for line in [
            value.clone(),
            format!(r#"{{"skipped": {value}, "text": "x"}}"#),
            format!(r#"{{"text": {value}}}"#),
            format!(r#"{{"text": "x", "meta": {value}, "domain": {value}}}"#),
        ] {
            let reason = only(line.as_bytes());
            assert!(reason.starts_with("it is not valid JSON: nested too deep at byte "), "{reason}");
        }
    }
}

#[test]
fn of_two_members_of_one_name_the_last_counts() {
    let line = br#"{"text": "a", "score": 1, "text": "b", "meta": {"id": 1}, "score": "x", "meta": {"id": 2, "id": "3"}}"#;
    assert_eq!(only(line), "b|Some((\"3\", \"string\"))|Some(Text)|None");
}

#[test]
fn which_fields_are_absent() {
    for (line, id, order, within) in [
        (&br#"{"text": "x"}"#[..], true, true, true),
        (br#"{"text": "x", "meta": {"id": null}, "score": null, "domain": ""}"#, false, false, false),
        (br#"{"text": "x", "meta": {"i": 1}, "score": []}"#, true, false, true),
    ] {
        let visit = &mut |_, record: Record<'_>| {
            let Record::Document(document) = record else { panic!("{record:?}") };
            assert_eq!(document.absent, crate::Absent { id, order, within, ..Default::default() });
            Ok(())
        };
        super::visit(&block(&[line]), true, &fields(), None, &mut Scratch::default(), visit).unwrap();
    }
}

#[test]
fn half_a_pair_in_a_field_that_nobody_asked_for_is_no_matter() {
    assert_eq!(only(br#"{"text": "x", "other": "\ud800"}"#), "x|None|None|None");
}

#[test]
fn a_line_that_is_not_utf8_does_not_spoil_its_neighbours() {
    // If lines were not checked one by one, the last byte of one line and the first byte of the next would form a
    // character.
    let records = block(&[b"{\"text\": \"a\"}\n", b"\xc3\n", b"{\"text\": \"\xc3\xa9\"}\n"]);
    let answer: Vec<String> = taken(&records, None).into_iter().map(|(_, taken)| taken).collect();
    assert_eq!(answer, ["a|None|None|None", "it is not valid UTF-8 at byte 1", "é|None|None|None"]);
}

#[test]
fn selected_slots_are_the_same_as_all() {
    let lines: Vec<String> = (0..500).map(|n| format!("{{\"text\": \"{}\"}}\n", "é".repeat(n))).collect();
    let mut lines: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
    lines[77] = b"\xff\n";
    let records = block(&lines);
    let all = taken(&records, None);
    assert_eq!(all.len(), 500);
    let selected: Vec<u32> = (0..500).step_by(7).collect();
    let expected: Vec<_> = all.iter().filter(|(slot, _)| slot % 7 == 0).cloned().collect();
    assert_eq!(taken(&records, Some(&selected)), expected);
    assert_eq!(taken(&records, Some(&[])), []);
}
