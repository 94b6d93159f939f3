//! Bit-parallel edit distance, with and without a limit, compared with the textbook table.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use lookalike::similarity::{
    edit_distance, edit_distance_at_most, token_edit_distance_at_most, token_edit_distance_plainly,
};

#[derive(Debug, Arbitrary)]
struct Input {
    text: Vec<u8>,
    /// The number of different symbols in the text.
    alphabet: u8,
    /// The edits that turn the text into the other one: positions and symbols.
    edits: Vec<(u16, Edit)>,
    limit: u16,
    strings: (String, String),
}

#[derive(Debug, Clone, Copy, Arbitrary)]
enum Edit {
    Insert(u8),
    Delete,
    Substitute(u8),
}

fuzz_target!(|input: Input| {
    let alphabet = input.alphabet.max(1);
    let a: Vec<u8> = input.text.iter().take(700).map(|symbol| symbol % alphabet).collect();
    let mut b = a.clone();
    for &(at, edit) in input.edits.iter().take(300) {
        let at = usize::from(at) % (b.len() + 1);
        match edit {
            Edit::Insert(symbol) => b.insert(at, symbol % alphabet),
            Edit::Delete if at < b.len() => drop(b.remove(at)),
            Edit::Substitute(symbol) if at < b.len() => b[at] = symbol % alphabet,
            Edit::Delete | Edit::Substitute(_) => {}
        }
    }
    let exact = token_edit_distance_plainly(&a, &b);
    for limit in [usize::MAX, exact, exact.saturating_sub(1), input.limit.into()] {
        assert_eq!(token_edit_distance_at_most(&a, &b, limit), (exact <= limit).then_some(exact));
        assert_eq!(token_edit_distance_at_most(&b, &a, limit), (exact <= limit).then_some(exact));
    }

    let (x, y) = input.strings;
    let (chars_x, chars_y): (Vec<char>, Vec<char>) =
        (x.chars().take(200).collect(), y.chars().take(200).collect());
    let (x, y): (String, String) = (chars_x.iter().collect(), chars_y.iter().collect());
    let exact = token_edit_distance_plainly(&chars_x, &chars_y);
    assert_eq!(edit_distance(&x, &y), exact);
    let limit = usize::from(input.limit);
    assert_eq!(edit_distance_at_most(&x, &y, limit), (exact <= limit).then_some(exact));
});
