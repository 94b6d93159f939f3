//! Any bytes as a source of any format, compressed or not. There must be no panic, and the same records in blocks of
//! any size.
#![no_main]

use arbitrary::Arbitrary;
use corpus::Format;
use libfuzzer_sys::fuzz_target;
use lookalike_fuzz::{read, temporary_file};

#[derive(Debug, Arbitrary)]
struct Input {
    bytes: Vec<u8>,
    format: u8,
    /// Number of repetitions, so that reads end in the middle of a record.
    times: u16,
    block_bytes: u16,
}

fuzz_target!(|input: Input| {
    let bytes = input.bytes.repeat(1 + usize::from(input.times) % 500);
    let file = temporary_file("reader", &bytes);
    let format = match input.format % 4 {
        0 => Format::Jsonl,
        1 => Format::Csv { delimiter: b',' },
        2 => Format::Csv { delimiter: b'\t' },
        _ => Format::Text,
    };
    let taken = read(&file, format, usize::from(input.block_bytes) + 1, &mut |_| {});
    let again = read(&file, format, 1 << 14, &mut |_| {});
    assert_eq!(taken, again);
});
