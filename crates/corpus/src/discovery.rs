//! Arguments -> sources, in the order of the contract.

use crate::{Format, Result, Source};

/// How sources are looked for.
#[derive(Debug, Clone, Default)]
pub struct Discovery {
    /// The format of every source, instead of what its name and contents say.
    pub format: FormatChoice,
}

/// Which format a source has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FormatChoice {
    /// By name; by content where the name says nothing; a plain text file if that says nothing either.
    #[default]
    Detect,
    /// This one.
    Always(Format),
}

/// The sources that `arguments` name: in the order of the arguments; those of a folder or a glob bytewise by path.
pub fn discover(_arguments: &[String], _how: &Discovery) -> Result<Vec<Source>> {
    unimplemented!()
}
