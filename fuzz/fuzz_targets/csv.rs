//! CSV in blocks of any size, compared with the csv crate.
#![no_main]

use corpus::Format;
use libfuzzer_sys::fuzz_target;
use lookalike_fuzz::{Taken, read, temporary_file};

fuzz_target!(|input: (Vec<u8>, u8)| {
    let (rows, block_bytes) = input;
    let bytes = [b"text,id\n", rows.as_slice()].concat();
    let file = temporary_file("csv", &bytes);
    let format = Format::Csv { delimiter: b',' };
    let taken = read(&file, format, usize::from(block_bytes) + 1, &mut |_| {});
    assert_eq!(taken, read(&file, format, 1 << 14, &mut |_| {}));
    // The csv crate accepts more kinds of line ends than our reader.
    if bytes.contains(&b'\r') {
        return;
    }
    let mut expected = csv::ReaderBuilder::new()
        .flexible(true)
        .terminator(csv::Terminator::Any(b'\n'))
        .from_reader(bytes.as_slice());
    let records: Vec<csv::ByteRecord> =
        expected.byte_records().map(|record| record.expect("any bytes do")).collect();
    let taken = taken.expect("the header is there");
    // The csv crate ignores an opening quote at the very end.
    assert!(taken.len().abs_diff(records.len()) <= usize::from(bytes.ends_with(b"\"")));
    for (record, taken) in records.iter().zip(&taken) {
        if let Taken::Document { text, .. } = taken {
            assert_eq!(record.get(0), Some(text.as_bytes()));
        }
    }
});
