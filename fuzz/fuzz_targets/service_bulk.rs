//! Any bytes as a stream of operations. The first byte says into how large pieces it is cut. Each line has one answer, in order,
//! whatever the pieces are.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookalike_fuzz::service::service;

fuzz_target!(|input: &[u8]| {
    let Some((size, stream)) = input.split_first() else { return };
    let lines = stream.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
    let answers = service().bulk(stream, usize::from(*size) + 1);
    assert_eq!(answers.len(), lines);
});
