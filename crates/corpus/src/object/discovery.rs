//! An address -> the objects that it names.

use crate::{Discovery, Result, Source};

/// The sources that the address `argument` names: an object, or all objects below a prefix, bytewise by key.
pub(crate) fn discover(_argument: &str, _how: &Discovery) -> Result<Vec<Source>> {
    unimplemented!()
}
