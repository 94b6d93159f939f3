//! How the texts of signatures were cut into shingles. Every signature carries this information.
//!
//! Signatures of texts that were normalised or cut in different ways cannot be compared, so comparing them is an
//! error. If the caller gives hashes or other elements directly, their shingling is unknown. Only the caller knows
//! whether they can be compared with texts, so an unknown shingling is compatible with any other.

use super::arguments::type_name;
use super::shingler::Shingler;
use crate::errors::Raise;
use lookalike::minhash::{of_text, to_bytes_of_text};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::sync::Arc;

/// A shingling, if it is known.
#[derive(Debug, Clone, Default)]
pub(super) struct Shingling(Option<Arc<str>>);

impl Shingling {
    /// The shingling of texts that this shingler cuts.
    pub(super) fn of_texts(shingler: &Shingler) -> Self {
        Self(Some(shingler.description().into()))
    }

    /// The shingling for an argument: a `Shingler`, a str such as `"words:5"`, the `shingling` of a signature, or
    /// `None`.
    pub(super) fn from_argument(value: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(value) = value else { return Ok(Self::default()) };
        if let Ok(shingler) = value.cast::<Shingler>() {
            return Ok(Self::of_texts(shingler.get()));
        }
        match value.extract::<String>() {
            Ok(written) => Ok(Self::of_texts(&Shingler::described(&written)?)),
            Err(_) => Err(PyTypeError::new_err(format!(
                "a shingling must be a Shingler or a str, not {}",
                type_name(value)
            ))),
        }
    }

    /// The description of the shingling, if it is known.
    pub(super) fn written(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Returns an error if both shinglings are known and differ.
    pub(super) fn check(&self, other: &Self) -> PyResult<()> {
        match (self.written(), other.written()) {
            (Some(left), Some(right)) if left != right => Err(lookalike::Error::Incompatible {
                what: "shingling",
                left: left.into(),
                right: right.into(),
            })
            .or_raise(),
            _ => Ok(()),
        }
    }

    /// The shingling of a union: the one of the two that is known.
    pub(super) fn or(&self, other: &Self) -> Self {
        if self.0.is_some() { self.clone() } else { other.clone() }
    }

    /// Adds the shingling, if it is known, to the bytes of a signature.
    pub(super) fn around(&self, signature: Vec<u8>) -> PyResult<Vec<u8>> {
        match self.written() {
            Some(shingling) => to_bytes_of_text(shingling, &signature).or_raise(),
            None => Ok(signature),
        }
    }

    /// Separates the shingling from the bytes of a signature, and returns both.
    pub(super) fn taken_off(bytes: &[u8]) -> PyResult<(Self, &[u8])> {
        Ok(match of_text(bytes).or_raise()? {
            Some((shingling, signature)) => (Self(Some(shingling.into())), signature),
            None => (Self::default(), bytes),
        })
    }

    /// The shingling from its stored description. An empty description means that it is unknown.
    pub(super) fn stored(written: &str) -> Self {
        Self((!written.is_empty()).then(|| written.into()))
    }
}
