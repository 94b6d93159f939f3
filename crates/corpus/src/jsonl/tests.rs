use crate::raw::RawRecords;
use crate::{FieldPath, Fields, Record, Scratch};

fn fields() -> Fields {
    Fields {
        text: FieldPath::new("text"),
        id: Some(FieldPath::new("meta.id")),
        order: Some(FieldPath::new("score")),
        within: Some(FieldPath::new("domain")),
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

/// What is taken from the slots, in one string each.
fn taken(records: &RawRecords, selected: Option<&[u32]>) -> Vec<(usize, String)> {
    let mut answer = Vec::new();
    let visit = &mut |slot, record: Record<'_>| {
        answer.push((
            slot,
            match record {
                Record::Blank => "blank".to_owned(),
                Record::Bad(reason) => reason,
                Record::Document(found) => {
                    format!("{}|{:?}|{:?}|{:?}", found.text, found.id, found.order, found.within)
                }
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
        "a\nb|Some(\"x\\ty\")|Some(1.5)|Some(\"{\\\"a\\\": [1]}\")"
    );
    assert_eq!(only(br#"{"text": "", "meta": {"id": 7}, "score": -3e2}"#), "|Some(\"7\")|Some(-300.0)|None");
    assert_eq!(only(br#"{"text": "x", "meta": null, "score": "many", "domain": null}"#), "x|None|None|None");
    assert_eq!(only(b"\xef\xbb\xbf{\"text\": \"x\"}\r\n"), "x|None|None|None");
}

#[test]
fn bad_records_say_why() {
    for (line, reason) in [
        (&b"{}"[..], "the field `text` is missing"),
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
        (br#"{"text": "\x"}"#, "it is not valid JSON: no such escape at byte 12"),
        (
            br#"{"text": "\ud800"}"#,
            "the field `text` is not valid Unicode (half of a surrogate pair is escaped without the other)",
        ),
    ] {
        assert_eq!(only(line), reason, "{}", line.escape_ascii());
    }
    for blank in [&b""[..], b"\n", b"\r\n", b" \t \n", b"\xef\xbb\xbf\n"] {
        assert_eq!(only(blank), "blank");
    }
}

#[test]
fn half_a_pair_in_a_field_that_nobody_asked_for_is_no_matter() {
    assert_eq!(only(br#"{"text": "x", "other": "\ud800"}"#), "x|None|None|None");
}

#[test]
fn a_line_that_is_not_utf8_does_not_spoil_its_neighbours() {
    // Its last byte and the next line's first would be a character if lines were not checked one by one.
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
