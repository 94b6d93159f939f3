//! Records, compressed in every way, must be read back unchanged. Damaged ones must give an error or records, never a
//! panic.
#![no_main]

use arbitrary::Arbitrary;
use corpus::Format;
use libfuzzer_sys::fuzz_target;
use lookalike_fuzz::damage::Damage;
use lookalike_fuzz::{read, temporary_file};
use std::io::Write;

#[derive(Debug, Arbitrary)]
enum Codec {
    Gzip,
    Zstandard,
    Bzip2,
    Xz,
}

#[derive(Debug, Arbitrary)]
struct Input {
    codec: Codec,
    text: String,
    /// Number of repetitions, so that there is something to compress.
    times: u8,
    /// Number of compressed members in the file. All of them must be read.
    members: u8,
    damage: Damage,
    is_damaged: bool,
}

impl Codec {
    fn pack(&self, bytes: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Gzip => {
                let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                out.write_all(bytes)?;
                out.finish()
            }
            Self::Zstandard => zstd::encode_all(bytes, 1),
            Self::Bzip2 => {
                let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
                out.write_all(bytes)?;
                out.finish()
            }
            Self::Xz => {
                let mut out = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(0))?;
                out.write_all(bytes)?;
                out.finish()
            }
        }
    }
}

fuzz_target!(|input: Input| {
    let line = format!("{}\n", serde_json::json!({ "id": 1, "text": input.text }));
    let bytes = line.repeat(1 + usize::from(input.times)).into_bytes();
    let members = 1 + usize::from(input.members) % 3;
    let packed = input.codec.pack(&bytes).expect("memory is written to").repeat(members);
    let damaged = if input.is_damaged { input.damage.apply(&packed) } else { packed.clone() };
    let file = temporary_file("compressed", &damaged);
    let taken = read(&file, Format::Jsonl, 1 << 10, &mut |_| {});
    let again = read(&file, Format::Jsonl, 1 << 14, &mut |_| {});
    // An error tells how far the data could be read, in steps of whole pieces, and the two readers use different
    // sizes.
    assert!(taken == again || taken.is_err() && again.is_err(), "{taken:?} {again:?}");
    if damaged == packed {
        let plain = temporary_file("compressed-plain", &bytes.repeat(members));
        assert_eq!(taken, read(&plain, Format::Jsonl, 1 << 14, &mut |_| {}));
    }
});
