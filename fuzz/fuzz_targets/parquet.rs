//! Any bytes as a Parquet file, with columns of any depth. The result must be an error or records, the same in blocks
//! of any size. Our guard must turn damage that the Parquet crate does not check into an error.
#![no_main]

use corpus::{FieldPath, Fields, Format};
use libfuzzer_sys::fuzz_target;
use lookalike_fuzz::{read_fields, temporary_file, tolerate_panics_of_others};

fuzz_target!(|bytes: &[u8]| {
    tolerate_panics_of_others();
    let file = temporary_file("parquet", bytes);
    let path = |name: &str| Some(FieldPath::new(name));
    for (text, id, other) in [("text", path("id"), None), ("a.b", path("list"), path("n"))] {
        let fields = Fields {
            text: FieldPath::new(text),
            id,
            order: other.clone(),
            within: other.clone(),
            site: other.clone(),
            date: other,
        };
        let taken = read_fields(&file, Format::Parquet, &fields, 1, &mut |_| {});
        let again = read_fields(&file, Format::Parquet, &fields, 1 << 14, &mut |_| {});
        // A file that is damaged in the middle may give different errors at different positions.
        if let (Ok(taken), Ok(again)) = (taken, again) {
            assert_eq!(taken, again);
        }
    }
});
