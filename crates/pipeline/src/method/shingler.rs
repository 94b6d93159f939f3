//! Settings -> the shingler, which cuts texts into shingles.

use crate::settings::not_allowed;
use crate::{Result, SettingName, Settings};
use lookalike::normalization::{self, Normalization};
use lookalike::shingling::{Shingler, Shingling, StopWords, Unit};

impl Settings {
    /// The shingler that the settings `shingles` and `normalize` describe.
    pub fn shingler(&self) -> Result<Shingler> {
        let shingling = shingling(self)?;
        Shingler::new(shingling).map_err(|error| match error {
            lookalike::Error::OutOfRange { allowed, .. } => {
                not_allowed(SettingName::Shingles, &self.signature.shingles, allowed)
            }
            other => other.into(),
        })
    }
}

/// Parses the setting `shingles`, for example `words:5`, and adds the normalisation.
fn shingling(settings: &Settings) -> Result<Shingling> {
    let wrong = || {
        let languages: Vec<&str> = StopWords::languages().collect();
        let forms = format!(
            "write words:K, characters:K, stop-words:K or stop-words-LANGUAGE:K, where K is a number; the languages are {}",
            languages.join(", ")
        );
        not_allowed(SettingName::Shingles, &settings.signature.shingles, forms)
    };
    let (unit, k) = settings.signature.shingles.split_once(':').ok_or_else(wrong)?;
    let unit = match unit {
        "words" => Unit::Words,
        "characters" => Unit::Characters,
        "stop-words" => Unit::StopWordLed(StopWords::english()),
        other => {
            let language = other.strip_prefix("stop-words-").ok_or_else(wrong)?;
            Unit::StopWordLed(StopWords::language(language).map_err(|_| wrong())?)
        }
    };
    let k = k.parse().map_err(|_| wrong())?;
    Ok(Shingling::default().with_unit(unit).with_k(k).with_normalization(normalization_of(settings)))
}

fn normalization_of(settings: &Settings) -> Normalization {
    let chosen = &settings.signature.normalize;
    let case = match chosen.case {
        crate::Case::Fold => normalization::Case::Fold,
        crate::Case::Keep => normalization::Case::Keep,
    };
    let form = match chosen.form {
        crate::Form::Nfc => normalization::UnicodeForm::Nfc,
        crate::Form::Nfd => normalization::UnicodeForm::Nfd,
        crate::Form::Nfkc => normalization::UnicodeForm::Nfkc,
        crate::Form::Nfkd => normalization::UnicodeForm::Nfkd,
        crate::Form::Keep => normalization::UnicodeForm::Keep,
    };
    let punctuation = match chosen.punctuation {
        crate::Punctuation::Keep => normalization::Punctuation::Keep,
        crate::Punctuation::Drop => normalization::Punctuation::Drop,
    };
    let whitespace = match chosen.whitespace {
        crate::Whitespace::Collapse => normalization::Whitespace::Collapse,
        crate::Whitespace::Remove => normalization::Whitespace::Remove,
        crate::Whitespace::Keep => normalization::Whitespace::Keep,
    };
    Normalization::default()
        .with_case(case)
        .with_form(form)
        .with_punctuation(punctuation)
        .with_whitespace(whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_those_of_a_language() {
        let shingles = |written: &str, text: &str| {
            Settings::default()
                .with_shingles(written.into())
                .shingler()
                .map(|shingler| shingler.set(text).len())
        };
        let text = "Heute sagte der Minister im Fernsehen nichts von Bedeutung dazu";
        // der, im, von
        assert_eq!(shingles("stop-words-german:2", text).unwrap(), 3);
        let english = "the cat of a dog";
        assert_eq!(
            shingles("stop-words:2", english).unwrap(),
            shingles("stop-words-english:2", english).unwrap()
        );
        for wrong in ["stop-words-klingon:2", "stop-words-:2", "words-german:2"] {
            let said = shingles(wrong, text).unwrap_err().to_string();
            assert!(said.contains("stop-words-LANGUAGE:K") && said.contains("german"), "{said}");
        }
    }
}
