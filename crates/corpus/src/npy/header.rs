//! The header of a NumPy file.

use super::{pack_bytes, pack_floats};
use crate::{Error, Result};

/// The first bytes of a NumPy file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// A header longer than this is refused; those of plain arrays have 128 bytes.
pub(crate) const LONGEST: usize = 64 << 10;

/// What the header of a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) number: Number,
    pub(crate) is_big_endian: bool,
    pub(crate) is_fortran: bool,
    pub(crate) rows: u64,
    pub(crate) columns: usize,
    /// The number of bytes before the first number.
    pub(crate) length: u64,
    /// The type as it is written: `<f4`.
    pub(crate) written: String,
}

/// The type of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    Float16,
    Float32,
    Float64,
    Int8,
    UInt8,
}

impl Number {
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Int8 | Self::UInt8 => 1,
            Self::Float16 => 2,
            Self::Float32 => 4,
            Self::Float64 => 8,
        }
    }
}

impl Header {
    /// The length of the part before the dictionary and of the dictionary, from the first 12 bytes of a file.
    pub(crate) fn lengths(first: &[u8], name: &str) -> Result<(usize, usize)> {
        let cut_off = || damaged(name, "it ends within its header");
        if !first.starts_with(MAGIC) {
            return Err(Error::Invalid(format!("{name} is not a NumPy file (.npy)")));
        }
        let at = |i: usize| first.get(i).copied().ok_or_else(cut_off);
        let (before, length) = match at(6)? {
            1 => (10, u32::from_le_bytes([at(8)?, at(9)?, 0, 0])),
            2 | 3 => (12, u32::from_le_bytes([at(8)?, at(9)?, at(10)?, at(11)?])),
            version => {
                return Err(damaged(name, &format!("version {version} of the NumPy format is not known")));
            }
        };
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length > LONGEST {
            return Err(damaged(name, &format!("its header is said to have {length} bytes")));
        }
        Ok((before, length))
    }

    /// Reads the dictionary of a file.
    pub(crate) fn parse(dictionary: &[u8], length: u64, name: &str) -> Result<Self> {
        let text = std::str::from_utf8(dictionary).map_err(|_| damaged(name, "its header is not text"))?;
        let value = |key: &str| {
            let after =
                text.split_once(&format!("'{key}':")).or_else(|| text.split_once(&format!("\"{key}\":")));
            after
                .map(|(_, after)| after.trim_start())
                .ok_or_else(|| damaged(name, &format!("its header lacks '{key}'")))
        };
        let described = value("descr")?;
        let written = described
            .strip_prefix(['\'', '"'])
            .and_then(|rest| rest.split_once(['\'', '"']))
            .map(|(written, _)| written.to_owned())
            .ok_or_else(|| refused(name, "it has several values in each cell"))?;
        let (order, kind) = written.split_at_checked(1).unwrap_or(("", &written));
        let number = match kind {
            "f2" => Number::Float16,
            "f4" => Number::Float32,
            "f8" => Number::Float64,
            "i1" => Number::Int8,
            "u1" => Number::UInt8,
            _ => return Err(refused(name, &format!("its numbers are of the type `{written}`"))),
        };
        let is_big_endian = match order {
            "<" | "|" | "=" => false,
            ">" => true,
            _ => return Err(refused(name, &format!("its numbers are of the type `{written}`"))),
        };
        let is_fortran = value("fortran_order")?.starts_with("True");
        let shape = value("shape")?;
        let shape = shape
            .strip_prefix('(')
            .and_then(|shape| shape.split_once(')'))
            .map(|(shape, _)| shape)
            .ok_or_else(|| damaged(name, "its header has no shape"))?;
        let sizes: Option<Vec<u64>> = shape
            .split(',')
            .map(str::trim)
            .filter(|size| !size.is_empty())
            .map(|size| size.parse().ok())
            .collect();
        let sizes = sizes.ok_or_else(|| damaged(name, &format!("its shape is ({shape})")))?;
        let &[rows, columns] = sizes.as_slice() else {
            return Err(Error::Invalid(format!(
                "{name} has the shape ({shape}); an array of vectors has two dimensions: a row for each vector"
            )));
        };
        if columns == 0 && rows > 0 {
            return Err(Error::Invalid(format!(
                "{name} has the shape ({shape}): its vectors have no coordinates"
            )));
        }
        let columns =
            usize::try_from(columns).map_err(|_| damaged(name, &format!("its shape is ({shape})")))?;
        let header = Self { number, is_big_endian, is_fortran, rows, columns, length, written };
        if header.checked_bytes().is_none() {
            return Err(damaged(name, &format!("its shape is ({shape})")));
        }
        Ok(header)
    }

    /// The bytes of a row.
    pub(crate) fn row_bytes(&self) -> usize {
        self.columns * self.number.bytes()
    }

    /// The bytes of all rows.
    pub(crate) fn bytes(&self) -> u64 {
        self.rows * self.row_bytes() as u64
    }

    fn checked_bytes(&self) -> Option<u64> {
        let row = (self.columns as u64).checked_mul(self.number.bytes() as u64)?;
        usize::try_from(row).ok()?;
        row.checked_mul(self.rows)?.checked_add(self.length)
    }

    /// The header of a file with some of the rows, in C order.
    pub(crate) fn of_rows(&self, rows: u64) -> Vec<u8> {
        let Self { written, columns, .. } = self;
        let dictionary =
            format!("{{'descr': '{written}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
        // As NumPy writes it: the numbers begin at a multiple of 64 bytes, after spaces and a line feed.
        let length = (MAGIC.len() + 4 + dictionary.len() + 1).next_multiple_of(64);
        let mut header = MAGIC.to_vec();
        header.extend([1, 0]);
        header.extend(((length - MAGIC.len() - 4) as u16).to_le_bytes());
        header.extend(dictionary.as_bytes());
        header.resize(length - 1, b' ');
        header.push(b'\n');
        header
    }

    /// Replaces `text` by the text of a row.
    pub(crate) fn text_of(&self, row: &[u8], text: &mut String) {
        macro_rules! numbers {
            ($kind:ty, $bytes:literal, $convert:expr) => {{
                let number = |bytes: &[u8; $bytes]| match self.is_big_endian {
                    true => <$kind>::from_be_bytes(*bytes),
                    false => <$kind>::from_le_bytes(*bytes),
                };
                pack_floats(row.as_chunks::<$bytes>().0.iter().map(number).map($convert), text);
            }};
        }
        match self.number {
            Number::Float16 => numbers!(u16, 2, half),
            Number::Float32 => numbers!(f32, 4, |number| number),
            Number::Float64 => numbers!(f64, 8, |number| number as f32),
            Number::Int8 => numbers!(i8, 1, f32::from),
            Number::UInt8 => pack_bytes(row, text),
        }
    }
}

/// A number of 16 bits: a sign, 5 bits of the exponent, and 10 of the fraction.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

pub(super) fn damaged(name: &str, cause: &str) -> Error {
    Error::Damaged { name: name.to_owned(), cause: cause.to_owned() }
}

fn refused(name: &str, what: &str) -> Error {
    Error::Invalid(format!(
        "{name} cannot be read: {what}; floats of 16, 32 and 64 bits and 8-bit integers can be (f2, f4, f8, i1, u1)"
    ))
}
