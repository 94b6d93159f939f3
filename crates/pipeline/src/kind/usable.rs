//! Records -> those whose values can be documents of the kind, and why others cannot.

use super::Values;
use crate::method::{Recipe, TextBuffers};
use corpus::{BadRecord, Record};
use lookalike::hashing::Key;
use std::borrow::Cow;

impl Recipe {
    /// The record, or a bad one if its value cannot be a document of this kind.
    pub(crate) fn usable<'r>(&self, record: Record<'r>, buffers: &mut TextBuffers) -> Record<'r> {
        let (Some(_), Record::Document(document)) = (&self.values, &record) else { return record };
        match self.unusable(document.text, buffers) {
            None => record,
            Some(reason) => Record::Bad(BadRecord { reason, id: document.id.clone(), lacks_text: false }),
        }
    }

    /// True if the first document says how the others must be.
    pub(crate) fn learns(&self) -> bool {
        self.values.as_deref().is_some_and(Values::learns)
    }

    /// Takes a value for the first document, and returns what follows from it for the others; `None` if it cannot be used.
    pub(crate) fn learn(&self, text: &str) -> Option<u64> {
        self.values.as_deref()?.learn(text)
    }

    /// A document as it is shown.
    pub(crate) fn shown<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let shown = self.values.as_deref().and_then(|values| values.shown(text));
        shown.map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// Why a value cannot be a document of this kind; `None` if it can.
    pub(crate) fn unusable(&self, text: &str, buffers: &mut TextBuffers) -> Option<String> {
        let values = self.values.as_deref()?;
        buffers.elements.clear();
        values.elements(text, Key::FIXED, &mut buffers.elements).err()
    }
}
