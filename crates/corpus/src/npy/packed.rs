//! Numbers <-> a short text of them.
//!
//! Documents are handed over as text. Written in decimal, a number takes fifteen characters and a hundred nanoseconds;
//! as six characters of six bits each it takes hardly any time, and keeps every bit. The text begins with a tilde, so
//! that it cannot be taken for JSON. Unsigned bytes are numbers of a vector, or the bits of a fingerprint: they have a form of
//! their own, two hexadecimal digits each after a grave accent.

/// The first character of packed numbers.
const MARK: char = '~';

/// The first character of packed bytes.
const MARK_OF_BYTES: char = '`';

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
    let Some(packed) = text.strip_prefix(MARK) else {
        let mut bytes = Vec::new();
        let are_bytes = unpack_bytes(text, &mut bytes);
        numbers.extend(bytes.into_iter().map(f32::from));
        return are_bytes;
    };
    let (packed, rest) = packed.as_bytes().as_chunks::<CHARACTERS>();
    numbers.extend(packed.iter().map(|six| {
        let bits =
            six.iter().rev().fold(0u32, |bits, &byte| bits << 6 | u32::from(byte.wrapping_sub(b'0') & 63));
        f32::from_bits(bits)
    }));
    rest.is_empty()
}

/// Replaces `text` by these bytes, packed.
///
/// ```
/// let (mut text, mut bytes, mut numbers) = (String::new(), Vec::new(), Vec::new());
/// corpus::pack_bytes(&[7, 255], &mut text);
/// assert!(corpus::unpack_bytes(&text, &mut bytes) && bytes == [7, 255]);
/// assert!(corpus::unpack_floats(&text, &mut numbers) && numbers == [7.0, 255.0]);
/// assert!(!corpus::unpack_bytes("07ff", &mut bytes));
/// ```
pub fn pack_bytes(bytes: &[u8], text: &mut String) {
    text.clear();
    text.push(MARK_OF_BYTES);
    for byte in bytes {
        text.extend([byte >> 4, byte & 15].map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])));
    }
}

/// Appends the bytes of a text that [`pack_bytes`] wrote. Returns false, and appends nothing, if it is another text.
pub fn unpack_bytes(text: &str, bytes: &mut Vec<u8>) -> bool {
    let Some(packed) = text.strip_prefix(MARK_OF_BYTES) else { return false };
    let (packed, rest) = packed.as_bytes().as_chunks::<2>();
    let digit = |digit: u8| char::from(digit).to_digit(16).unwrap_or(0) as u8;
    bytes.extend(packed.iter().map(|&[high, low]| digit(high) << 4 | digit(low)));
    rest.is_empty()
}
