//! Words -> stems: "connection", "connected" and "connecting" all become "connect".

use std::borrow::Cow;
use std::fmt;

use frostem::{Algorithm, Stemmer};

use crate::error::{Error, Result};

/// The language by whose rules words are cut to stems.
///
/// These are the Snowball stemmers (Snowball is M. F. Porter's language for stemming algorithms). They expect
/// case-folded words. The crate with the stemmers is pinned to one version, because another version may give other
/// stems and so other hashes.
#[derive(Clone, Copy, Default)]
pub struct Stemming(Option<Stemmer>);

impl Stemming {
    /// No stemming: words are not changed.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// English ("Porter2").
    #[must_use]
    pub fn english() -> Self {
        Self(Some(Stemmer::new(Algorithm::English)))
    }

    /// A language by its English name or ISO 639 code: `german` or `de`, `finnish`, `arabic`, ...
    pub fn language(name: &str) -> Result<Self> {
        Stemmer::try_from_name(name).map(|stemmer| Self(Some(stemmer))).map_err(|_| {
            let known: Vec<_> = Algorithm::all().iter().map(|algorithm| algorithm.name()).collect();
            Error::invalid("name", name, format!("a language with a stemmer, one of {}", known.join(", ")))
        })
    }

    /// The language's English name; `None` if words are not changed.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        self.0.map(|stemmer| stemmer.algorithm().name())
    }

    /// The stem of a case-folded word.
    #[must_use]
    pub fn stem<'a>(&self, folded_word: &'a str) -> Cow<'a, str> {
        match self.0 {
            Some(stemmer) => stemmer.stem(folded_word),
            None => Cow::Borrowed(folded_word),
        }
    }
}

impl fmt::Debug for Stemming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stemming({})", self.name().unwrap_or("none"))
    }
}

impl PartialEq for Stemming {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}
