//! A list of numbers -> a vector.
//!
//! A value is a JSON array of numbers, a string that holds one, or what [`corpus::pack_floats`] made of the row of an array. Coordinates are kept with
//! 32 bits. All vectors of a run have the dimension of the first. The elements of a vector are its coordinates, in order: the
//! 32 bits of each, with those of 0 for -0. They are no hashes; the stages for vectors take them as they are
//! ([`crate::verify`]).

use super::Values;
use lookalike::hashing::{Key, mix64};
use lookalike::vectors::MAX_DIMENSION;
use std::sync::OnceLock;

/// How a value becomes a vector.
#[derive(Debug)]
pub(crate) struct Vectors {
    field: String,
    dimension: OnceLock<usize>,
}

impl Vectors {
    pub(crate) fn new(field: &str) -> Self {
        Self { field: field.to_owned(), dimension: OnceLock::new() }
    }

    fn read(&self, json: &str, coordinates: &mut Vec<f32>) -> Result<(), String> {
        let field = &self.field;
        if !corpus::unpack_floats(json, coordinates) {
            coordinates.clear();
            read_json(json, coordinates).map_err(|wrong| format!("the field `{field}` {wrong}"))?;
        }
        if let Some(at) = coordinates.iter().position(|x| !x.is_finite()) {
            let what =
                if coordinates[at].is_nan() { "not a number" } else { "infinite, or too large for 32 bits" };
            return Err(format!("coordinate {} of the vector is {what}", at + 1));
        }
        match coordinates.len() {
            0 => return Err("the vector has no coordinates".into()),
            many if many > MAX_DIMENSION => {
                return Err(format!(
                    "the vector has {many} coordinates, and at most {MAX_DIMENSION} are allowed"
                ));
            }
            _ => {}
        }
        match self.dimension.get() {
            Some(&expected) if expected != coordinates.len() => Err(format!(
                "the vector has {} coordinates, and the first vector has {expected}",
                coordinates.len()
            )),
            _ => Ok(()),
        }
    }
}

/// Reads an array of numbers. The error follows the name of the field.
fn read_json(json: &str, coordinates: &mut Vec<f32>) -> Result<(), String> {
    let json = json.trim_ascii();
    let quoted = json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).map(str::trim_ascii);
    let json = quoted.filter(|held| held.starts_with('[')).unwrap_or(json);
    let inner = json.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).ok_or_else(|| {
        let what = match json.bytes().next() {
            Some(b'"') => "is a string",
            Some(b'n') => "is null",
            Some(b't' | b'f') => "is a boolean",
            Some(b'{') => "is an object",
            Some(b'-' | b'0'..=b'9') => "is a number",
            _ => "cannot be read",
        };
        format!("{what}, not an array of numbers")
    })?;
    if inner.trim_ascii().is_empty() {
        return Ok(());
    }
    for (at, written) in inner.split(',').enumerate() {
        let written = written.trim_ascii();
        // JSON has no other numbers; the parser knows more.
        let is_number =
            written.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
        match written.parse::<f64>() {
            Ok(number) if is_number => coordinates.push(number as f32),
            _ => {
                let what = match written.bytes().next() {
                    Some(b'n') => "null",
                    Some(b't' | b'f') => "a boolean",
                    Some(b'[') => "a list",
                    Some(b'{') => "an object",
                    Some(b'"') if written == "\"NaN\"" => "not a number (NaN)",
                    Some(b'"') if written == "\"infinite\"" => "infinite",
                    Some(b'"') => "a string",
                    _ => "not a number",
                };
                return Err(format!("has {what} as coordinate {}", at + 1));
            }
        }
    }
    Ok(())
}

impl Values for Vectors {
    fn elements(&self, json: &str, _key: &Key, elements: &mut Vec<u64>) -> Result<(), String> {
        let mut coordinates = Vec::new();
        self.read(json, &mut coordinates)?;
        // Adding 0 turns -0 into 0, and changes no other number.
        elements.extend(coordinates.iter().map(|x| u64::from((x + 0.0).to_bits())));
        Ok(())
    }

    fn content(&self, json: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
        let mut coordinates = Vec::new();
        self.read(json, &mut coordinates)?;
        bytes.extend(coordinates.iter().flat_map(|x| (x + 0.0).to_bits().to_le_bytes()));
        Ok(())
    }

    /// A row of an array is no text; its coordinates are.
    fn shown(&self, json: &str) -> Option<String> {
        let mut coordinates = Vec::new();
        if !corpus::unpack_floats(json, &mut coordinates) {
            return None;
        }
        let written: Vec<String> = coordinates.iter().map(f32::to_string).collect();
        Some(format!("[{}]", written.join(", ")))
    }

    fn sum(&self, elements: &[u64]) -> u64 {
        elements.iter().fold(0, |sum, &bits| mix64(sum ^ bits))
    }

    fn learn(&self, json: &str) -> Option<u64> {
        let mut coordinates = Vec::new();
        self.read(json, &mut coordinates).ok()?;
        Some(*self.dimension.get_or_init(|| coordinates.len()) as u64)
    }

    fn learns(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coordinates(json: &str) -> Result<Vec<f32>, String> {
        let mut elements = Vec::new();
        Vectors::new("v").elements(json, Key::FIXED, &mut elements)?;
        Ok(elements.iter().map(|&bits| f32::from_bits(bits as u32)).collect())
    }

    #[test]
    fn arrays_of_numbers_are_vectors() {
        assert_eq!(coordinates("[1, -2.5e1 , 0]").unwrap(), [1.0, -25.0, 0.0]);
        assert_eq!(coordinates("[-0.0]").unwrap()[0].to_bits(), 0);
        assert_eq!(coordinates("\" [1, 2]\"").unwrap(), [1.0, 2.0]);
        let mut packed = String::new();
        corpus::pack_floats([1.5, f32::MIN_POSITIVE, -3e38], &mut packed);
        assert_eq!(coordinates(&packed).unwrap(), [1.5, f32::MIN_POSITIVE, -3e38]);
        corpus::pack_floats([1.5, -0.25], &mut packed);
        let vectors = Vectors::new("v");
        assert_eq!(vectors.shown(&packed).unwrap(), "[1.5, -0.25]");
        assert_eq!(vectors.shown("[1.50, -0.25]"), None);
    }

    #[test]
    fn what_is_no_vector_is_named_with_its_cause() {
        for (json, expected) in [
            ("[1, null]", "the field `v` has null as coordinate 2"),
            ("[1, [2]]", "a list as coordinate 2"),
            ("[true]", "a boolean as coordinate 1"),
            (r#"["1"]"#, "a string as coordinate 1"),
            (r#"[0, "NaN"]"#, "not a number (NaN) as coordinate 2"),
            ("[1e39]", "coordinate 1 of the vector is infinite, or too large"),
            ("[inf]", "not a number as coordinate 1"),
            ("[1,]", "not a number as coordinate 2"),
            ("[]", "the vector has no coordinates"),
            (r#""abcd""#, "the field `v` is a string, not an array"),
            ("3", "is a number, not an array"),
            ("", "cannot be read"),
        ] {
            let said = coordinates(json).unwrap_err();
            assert!(said.contains(expected), "{json}: {said}");
        }
        let vectors = Vectors::new("v");
        assert_eq!(vectors.learn("[1]x"), None);
        assert_eq!(vectors.learn("[1, 2, 3]"), Some(3));
        assert_eq!(vectors.learn("[1, 2]"), None);
        let said = vectors.elements("[1, 2]", Key::FIXED, &mut Vec::new()).unwrap_err();
        assert_eq!(said, "the vector has 2 coordinates, and the first vector has 3");
    }
}
