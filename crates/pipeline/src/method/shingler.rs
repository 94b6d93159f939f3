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
        let forms = "write words:K, characters:K or stop-words:K, where K is a number";
        not_allowed(SettingName::Shingles, &settings.signature.shingles, forms)
    };
    let (unit, k) = settings.signature.shingles.split_once(':').ok_or_else(wrong)?;
    let unit = match unit {
        "words" => Unit::Words,
        "characters" => Unit::Characters,
        "stop-words" => Unit::StopWordLed(StopWords::english()),
        _ => return Err(wrong()),
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
