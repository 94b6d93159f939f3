//! Numbers <-> a short text of them.
//!
//! Documents are handed over as text. Written in decimal, a number takes fifteen characters and a hundred nanoseconds;
//! as six characters of six bits each it takes hardly any time, and keeps every bit. The text begins with a tilde, so
//! that it cannot be taken for JSON.

/// The first character of packed numbers.
const MARK: char = '~';

/// The number of characters of a number.
const CHARACTERS: usize = 6;

/// Replaces `text` by these numbers, packed.
///
/// ```
/// let (mut text, mut numbers) = (String::new(), Vec::new());
/// corpus::pack_floats([1.0, -0.5], &mut text);
/// assert!(corpus::unpack_floats(&text, &mut numbers));
/// assert_eq!(numbers, [1.0, -0.5]);
/// assert!(!corpus::unpack_floats("[1.0, -0.5]", &mut numbers));
/// ```
pub fn pack_floats(numbers: impl IntoIterator<Item = f32>, text: &mut String) {
    text.clear();
    text.push(MARK);
    for number in numbers {
        let bits = number.to_bits();
        let packed: [u8; CHARACTERS] = std::array::from_fn(|i| b'0' + (bits >> (6 * i) & 63) as u8);
        text.push_str(std::str::from_utf8(&packed).expect("they are characters of ASCII"));
    }
}

/// Replaces `numbers` by the numbers of a text that [`pack_floats`] wrote. Returns false if it is another text.
pub fn unpack_floats(text: &str, numbers: &mut Vec<f32>) -> bool {
    numbers.clear();
    let Some(packed) = text.strip_prefix(MARK) else { return false };
    let (packed, rest) = packed.as_bytes().as_chunks::<CHARACTERS>();
    numbers.extend(packed.iter().map(|six| {
        let bits =
            six.iter().rev().fold(0u32, |bits, &byte| bits << 6 | u32::from(byte.wrapping_sub(b'0') & 63));
        f32::from_bits(bits)
    }));
    rest.is_empty()
}
