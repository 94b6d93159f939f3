//! Lines of JSON against serde_json, in blocks of any size.
#![no_main]

use corpus::{Format, Record};
use libfuzzer_sys::fuzz_target;
use lookalike_fuzz::{Taken, read, temporary_file};
use serde_json::Value;

fuzz_target!(|input: (Vec<u8>, u8)| {
    let (bytes, block_bytes) = input;
    // What may be taken for compressed is left to the target `reader`.
    if let Some(0x1f | 0x28 | 0x50..=0x5f) = bytes.first() {
        return;
    }
    let file = temporary_file("jsonl", &bytes);
    let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let taken = read(&file, Format::Jsonl, usize::from(block_bytes) + 1, &mut |record| {
        let line = lines.next().expect("a slot for each line");
        let parsed: Option<Value> = serde_json::from_slice(line).ok();
        if let (Record::Document(document), Some(parsed)) = (record, &parsed) {
            assert_eq!(parsed.get("text").and_then(Value::as_str), Some(document.text));
        }
    });
    assert_eq!(taken, read(&file, Format::Jsonl, 1 << 14, &mut |_| {}));
    // The other way round: what serde_json takes is a document. (A byte order mark is ours alone.)
    if let Ok(taken) = taken {
        for (line, taken) in bytes.split_inclusive(|&byte| byte == b'\n').zip(taken) {
            if let Ok(Value::Object(object)) = serde_json::from_slice(line) {
                let text = object.get("text").and_then(Value::as_str);
                assert_eq!(matches!(taken, Taken::Document { .. }), text.is_some());
            }
        }
    }
});
