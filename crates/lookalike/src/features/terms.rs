//! Text -> the bag of its terms and phrases.

use super::{Namespace, Stemming};
use crate::error::{Error, Result};
use crate::normalization::Normalization;
use crate::shingling::{ShingleBag, StopWords, words};

/// The largest number of terms in a phrase.
pub const MAX_PHRASE_LENGTH: usize = 16;

/// How text becomes terms. Every field changes the answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TermConfig {
    /// The words that are left out, before stemming (default: English stop words).
    pub stop_words: StopWords,
    /// How words are cut to stems (default: English).
    pub stemming: Stemming,
    /// Runs of 2 up to this many consecutive terms are features too (default 1: no phrases). Terms are
    /// consecutive if only stop words are between them: "state of the art" has the phrase "state art".
    pub phrase_length: usize,
}

impl Default for TermConfig {
    fn default() -> Self {
        Self { stop_words: StopWords::english(), stemming: Stemming::english(), phrase_length: 1 }
    }
}

impl TermConfig {
    /// The same settings with these stop words.
    #[must_use]
    pub fn with_stop_words(self, stop_words: StopWords) -> Self {
        Self { stop_words, ..self }
    }

    /// The same settings with this stemming.
    #[must_use]
    pub fn with_stemming(self, stemming: Stemming) -> Self {
        Self { stemming, ..self }
    }

    /// The same settings with phrases of up to this many terms.
    #[must_use]
    pub fn with_phrase_length(self, phrase_length: usize) -> Self {
        Self { phrase_length, ..self }
    }
}

/// Turns text into terms. Terms are the [`words`] of the text after default normalisation, without stop words,
/// stemmed.
#[derive(Debug, Clone)]
pub struct TermExtractor {
    config: TermConfig,
}

impl TermExtractor {
    /// An extractor that follows `config`.
    pub fn new(config: TermConfig) -> Result<Self> {
        if config.phrase_length == 0 || config.phrase_length > MAX_PHRASE_LENGTH {
            let allowed = format!("1 (single terms only) to {MAX_PHRASE_LENGTH}");
            return Err(Error::invalid("phrase_length", config.phrase_length, allowed));
        }
        Ok(Self { config })
    }

    /// The terms of `text`, in order.
    #[must_use]
    pub fn terms(&self, text: &str) -> Vec<String> {
        // Stop words and stemmers use the plain apostrophe, while prose mostly has the typographic one.
        let text = Normalization::default().normalize(text).replace('\u{2019}', "'");
        words(&text)
            .filter(|word| !self.config.stop_words.contains(word))
            .map(|word| self.config.stemming.stem(word).into_owned())
            .collect()
    }

    /// The term frequencies: every term and every phrase as a feature, with the number of times it occurs.
    #[must_use]
    pub fn extract(&self, text: &str) -> ShingleBag {
        self.extract_as(text, Namespace::Term)
    }

    /// The same, with the single terms in this namespace, for example for anchor text.
    #[must_use]
    pub fn extract_as(&self, text: &str, namespace: Namespace<'_>) -> ShingleBag {
        let terms = self.terms(text);
        let mut features: Vec<u64> = terms.iter().map(|term| namespace.feature(term)).collect();
        for length in 2..=self.config.phrase_length {
            features.extend(terms.windows(length).map(|phrase| Namespace::Phrase.feature(&phrase.join(" "))));
        }
        ShingleBag::from_hashes(features)
    }
}
