//! The header of a zstd frame -> its window: how far back a match may reach, and therefore how many bytes a
//! decompressor must keep (RFC 8878, 3.1.1.1).

/// The window of the first frame in `head`. `None` if the frame is skippable or cut off.
pub(super) fn window_of_first_frame(head: &[u8]) -> Option<u64> {
    let rest = head.strip_prefix(&[0x28, 0xb5, 0x2f, 0xfd])?;
    let (&descriptor, rest) = rest.split_first()?;
    let is_single_segment = descriptor & 0x20 != 0;
    if !is_single_segment {
        let &window = rest.first()?;
        let base = 1_u64 << (10 + (window >> 3));
        return Some(base + base / 8 * u64::from(window & 7));
    }
    // A frame with a single segment is kept as a whole. Its length follows the id of its dictionary.
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let rest = rest.get(dictionary..)?;
    let field = |bytes: usize| {
        let mut number = [0; 8];
        number[..bytes].copy_from_slice(rest.get(..bytes)?);
        Some(u64::from_le_bytes(number))
    };
    match descriptor >> 6 {
        0 => field(1),
        1 => field(2).map(|size| size + 256),
        2 => field(4),
        _ => field(8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn windows_are_read_from_the_header() {
        for log in [10, 20, 23, 27] {
            let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
            encoder.window_log(log).unwrap();
            encoder.write_all(b"some text").unwrap();
            let frame = encoder.finish().unwrap();
            assert_eq!(window_of_first_frame(&frame), Some(1 << log));
        }
        for length in [0_usize, 255, 256, 1000, 70_000, 5 << 20] {
            let frame = zstd::bulk::compress(&vec![b'x'; length], 1).unwrap();
            let window = window_of_first_frame(&frame).unwrap();
            assert!(window >= length.min(512 << 10) as u64, "{length}: {window}");
        }
        // 2^26 plus seven eighths of it.
        assert_eq!(window_of_first_frame(&[0x28, 0xb5, 0x2f, 0xfd, 0, 16 << 3 | 7]), Some(15 << 23));
        assert_eq!(window_of_first_frame(&[0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]), None);
        assert_eq!(window_of_first_frame(&[0x28, 0xb5, 0x2f, 0xfd]), None);
    }
}
