//! What cut the texts that signatures are of, which goes with them everywhere.
//!
//! Signatures of texts that were normalised or cut in different ways say nothing about each other, so comparing them is an
//! error. Of hashes and other elements that the caller gives nobody knows what they stand for: their shingling is unknown,
//! and whether they are comparable with a text's is the caller's to say. So an unknown shingling goes with any.

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
    /// That of texts.
    pub(super) fn of_texts(shingler: &Shingler) -> Self {
        Self(Some(shingler.description().into()))
    }

    /// As an argument: a `Shingler`, what one is written as, what `shingling` of a signature says, or none.
    pub(super) fn from_argument(value: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(value) = value else { return Ok(Self::default()) };
        if let Ok(shingler) = value.cast::<Shingler>() {
            return Ok(Self::of_texts(shingler.get()));
        }
        match value.extract::<String>() {
            Ok(written) => Ok(Self::of_texts(&Shingler::described(&written)?)),
            Err(_) => Err(PyTypeError::new_err(format!(
                "a shingling is a Shingler or a str, not {}",
                type_name(value)
            ))),
        }
    }

    /// In words.
    pub(super) fn written(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// An error if both are known and differ.
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

    /// That of a union: the one that is known.
    pub(super) fn or(&self, other: &Self) -> Self {
        if self.0.is_some() { self.clone() } else { other.clone() }
    }

    /// The bytes of a signature with what cut its text, if that is known.
    pub(super) fn around(&self, signature: Vec<u8>) -> PyResult<Vec<u8>> {
        match self.written() {
            Some(shingling) => to_bytes_of_text(shingling, &signature).or_raise(),
            None => Ok(signature),
        }
    }

    /// The shingling that is around the bytes of a signature, and these.
    pub(super) fn taken_off(bytes: &[u8]) -> PyResult<(Self, &[u8])> {
        Ok(match of_text(bytes).or_raise()? {
            Some((shingling, signature)) => (Self(Some(shingling.into())), signature),
            None => (Self::default(), bytes),
        })
    }

    /// From text that was stored; empty if it is not known.
    pub(super) fn stored(written: &str) -> Self {
        Self((!written.is_empty()).then(|| written.into()))
    }
}
