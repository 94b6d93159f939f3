//! Lines of JSON in blocks of any size, compared with serde_json.
#![no_main]

use corpus::{Format, Record};
use libfuzzer_sys::fuzz_target;
use lookalike_fuzz::{Taken, read, temporary_file};
use serde_json::Value;

fuzz_target!(|input: (Vec<u8>, u8)| {
    let (bytes, block_bytes) = input;
    // Input that may be taken for compressed data is left to the target `reader`.
    if let Some(0x1f | 0x28 | 0x50..=0x5f) = bytes.first() {
        return;
    }
    let file = temporary_file("jsonl", &bytes);
    // Empty lines are not records. A byte order mark at the beginning of the first line does not count.
    let is_blank = |(number, line): &(usize, &[u8])| {
        let line = if *number == 0 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
    };
    let records = || {
        let lines = bytes.split_inclusive(|&byte| byte == b'\n').enumerate();
        lines.filter(|line| !is_blank(line)).map(|(_, line)| line)
    };
    let mut lines = records();
    let taken = read(&file, Format::Jsonl, usize::from(block_bytes) + 1, &mut |record| {
        let line = lines.next().expect("a record for each line that is not blank");
        let parsed: Option<Value> = serde_json::from_slice(line).ok();
        if let (Record::Document(document), Some(parsed)) = (record, &parsed) {
            assert_eq!(parsed.get("text").and_then(Value::as_str), Some(document.text));
        }
    });
    assert_eq!(taken, read(&file, Format::Jsonl, 1 << 14, &mut |_| {}));
    // In the other direction: a line that serde_json accepts must be a document. Only our reader accepts a byte order
    // mark.
    if let Ok(taken) = taken {
        for (line, taken) in records().zip(taken) {
            if let Ok(Value::Object(object)) = serde_json::from_slice(line) {
                let text = object.get("text").and_then(Value::as_str);
                assert_eq!(matches!(taken, Taken::Document { .. }), text.is_some());
            }
        }
    }
});
