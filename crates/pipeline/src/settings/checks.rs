//! Checks of settings that the command line and Python share: values out of range, and settings without effect.

use super::{
    Choice, Elements, Keep, Kind, Measure, Method, SettingName, Settings, SignatureSettings, Verify,
    WrongSetting, not_allowed,
};
use crate::Result;
use crate::kind::blocks::MOST_BITS;
use crate::kind::fingerprints::{LEAST_BITS, USUAL_BITS};
use lookalike::minhash::MAX_HASHES as MOST_HASHES;

impl Settings {
    /// Returns an error if a number is out of its range. A threshold of 0 is allowed here: queries have it.
    pub fn check_ranges(&self) -> Result<()> {
        let (threshold, recall, hashes) =
            (self.matching.threshold, self.matching.recall, self.signature.hashes);
        if !(0.0..=1.0).contains(&threshold) {
            return Err(not_allowed(SettingName::Threshold, threshold, "it is above 0 and at most 1"));
        }
        if !(recall > 0.0 && recall < 1.0) {
            let allowed = "it is above 0 and below 1, because no plan finds every pair";
            return Err(not_allowed(SettingName::Recall, recall, allowed));
        }
        if self.matching.keep == Keep::Fullest {
            let allowed =
                "first, longest, max:FIELD or min:FIELD; only records have fields that can be empty";
            return Err(not_allowed(SettingName::Keep, &self.matching.keep, allowed));
        }
        if !(1..=MOST_HASHES).contains(&hashes) {
            return Err(not_allowed(SettingName::Hashes, hashes, format!("1 to {MOST_HASHES}")));
        }
        Ok(())
    }

    /// Returns an error if a setting has a value that makes no sense for the kind of documents.
    pub fn check_kind(&self) -> Result<()> {
        let SignatureSettings { kind, split, bits, measure, method, .. } = &self.signature;
        if split.as_deref() == Some("") {
            return Err(not_allowed(SettingName::Split, "\"\"", "at least one character"));
        }
        let needs_sets = |choice| {
            let needed = Choice::new(SettingName::Kind, Kind::Sets);
            Err(WrongSetting::Needs { choice, needed, instead: None }.into())
        };
        if *kind != Kind::Sets && self.files.set_of.is_some() {
            return needs_sets(Choice::any(SettingName::SetOf));
        }
        if self.files.set_of.is_some() && split.is_some() {
            // A row is one item, whatever is in it.
            let with = Choice::any(SettingName::SetOf);
            return Err(WrongSetting::NoEffect { setting: SettingName::Split, with }.into());
        }
        if *kind == Kind::Vectors && self.matching.within_days.is_some() {
            let with = Choice::new(SettingName::Kind, kind);
            return Err(WrongSetting::NoEffect { setting: SettingName::WithinDays, with }.into());
        }
        if self.files.weight.is_some() {
            let choice = Choice::any(SettingName::Weight);
            if self.files.set_of.is_none() {
                let needed = Choice::any(SettingName::SetOf);
                return Err(WrongSetting::Needs { choice, needed, instead: None }.into());
            }
            if *measure != Measure::WeightedJaccard {
                let needed = Choice::new(SettingName::Measure, Measure::WeightedJaccard);
                return Err(WrongSetting::Needs { choice, needed, instead: None }.into());
            }
        }
        match kind {
            Kind::Text if split.is_some() => needs_sets(Choice::any(SettingName::Split)),
            Kind::Text if *measure == Measure::WeightedJaccard => {
                let choice = Choice::new(SettingName::Measure, measure);
                let needed = Choice::new(SettingName::Kind, Kind::Sets);
                let bag = Choice::new(SettingName::Elements, Elements::Bag);
                let instead = Some((bag, "for shingles that count as often as they occur"));
                Err(WrongSetting::Needs { choice, needed, instead }.into())
            }
            Kind::Sets if *method == Method::Simhash => {
                let choice = Choice::new(SettingName::Kind, Kind::Sets);
                let needed = Choice::new(SettingName::Method, Method::Minhash);
                Err(WrongSetting::Needs { choice, needed, instead: None }.into())
            }
            Kind::Text | Kind::Sets if matches!(measure, Measure::Cosine | Measure::Euclidean) => {
                let choice = Choice::new(SettingName::Measure, measure);
                let needed = Choice::new(SettingName::Kind, Kind::Vectors);
                Err(WrongSetting::Needs { choice, needed, instead: None }.into())
            }
            Kind::Vectors if !matches!(measure, Measure::Cosine | Measure::Euclidean) => {
                let choice = Choice::new(SettingName::Kind, Kind::Vectors);
                let needed = Choice::new(SettingName::Measure, Measure::Cosine);
                let euclidean = Choice::new(SettingName::Measure, Measure::Euclidean);
                let instead = Some((euclidean, "for distances"));
                Err(WrongSetting::Needs { choice, needed, instead }.into())
            }
            Kind::Vectors if *method == Method::Simhash => {
                let choice = Choice::new(SettingName::Kind, Kind::Vectors);
                let needed = Choice::new(SettingName::Method, Method::Minhash);
                Err(WrongSetting::Needs { choice, needed, instead: None }.into())
            }
            Kind::Vectors if self.matching.verify != Verify::Exact => {
                let choice = Choice::new(SettingName::Kind, Kind::Vectors);
                let (other, meaning) = (SettingName::Verify, "is always verified exactly");
                Err(WrongSetting::Excludes { choice, other, meaning }.into())
            }
            Kind::Vectors if self.matching.keep == Keep::Longest => {
                let choice = Choice::new(SettingName::Kind, Kind::Vectors);
                let (other, meaning) = (SettingName::Keep, "has documents of one length");
                Err(WrongSetting::Excludes { choice, other, meaning }.into())
            }
            Kind::Text | Kind::Sets | Kind::Vectors => Ok(()),
            Kind::Fingerprints => {
                let bits = bits.unwrap_or(USUAL_BITS);
                if !(LEAST_BITS..=MOST_BITS).contains(&bits) {
                    return Err(not_allowed(SettingName::Bits, bits, format!("{LEAST_BITS} to {MOST_BITS}")));
                }
                if self.matching.distance > bits / 2 {
                    let allowed =
                        format!("at most {} of {bits} bits; others are as near by chance", bits / 2);
                    return Err(not_allowed(SettingName::Distance, self.matching.distance, allowed));
                }
                // Other settings than the default can be here only if nobody checked what was chosen.
                let is_plain = *measure == Measure::Jaccard && *method == Method::Minhash;
                match is_plain && self.matching.verify == Verify::Exact {
                    true => Ok(()),
                    false => {
                        let with = Choice::new(SettingName::Kind, kind);
                        let setting = if is_plain { SettingName::Verify } else { SettingName::Measure };
                        Err(WrongSetting::NoEffect { setting, with }.into())
                    }
                }
            }
            Kind::Records => Err(not_allowed(
                SettingName::Kind,
                kind,
                "another kind here; the commands pairs, clusters, dedup and compare take records",
            )),
        }
    }

    /// Returns an error if the user chose a setting that has no effect with the kind of documents.
    fn check_effects_of_kind(&self, is_chosen: impl Fn(SettingName) -> bool) -> Result<()> {
        use SettingName::{
            Bands, Bits, Case, Elements, Form, Hashes, Measure, Method, Punctuation, Recall, Shingles, Split,
            Threshold, Verify, Weights, Whitespace,
        };
        let unused: &[SettingName] = match self.signature.kind {
            Kind::Text | Kind::Records => &[Bits],
            Kind::Sets => &[Bits, Shingles, Case, Form, Punctuation, Whitespace, Elements, Weights],
            Kind::Vectors => &[
                Bits,
                Split,
                Shingles,
                Case,
                Form,
                Punctuation,
                Whitespace,
                Elements,
                Weights,
                Hashes,
                Bands,
                Recall,
            ],
            Kind::Fingerprints => &[
                Split,
                Shingles,
                Case,
                Form,
                Punctuation,
                Whitespace,
                Elements,
                Weights,
                Method,
                Measure,
                Hashes,
                Threshold,
                Bands,
                Verify,
            ],
        };
        match unused.iter().find(|&&setting| is_chosen(setting)) {
            Some(&setting) => {
                let with = Choice::new(SettingName::Kind, self.signature.kind);
                Err(WrongSetting::NoEffect { setting, with }.into())
            }
            None => Ok(()),
        }
    }

    /// Returns an error if the user chose a setting that has no effect with the chosen method or measure. `is_chosen`
    /// says whether the user chose a setting.
    pub fn check_effects(&self, is_chosen: impl Fn(SettingName) -> bool) -> Result<()> {
        use SettingName::{Bands, Distance, Hashes, Recall};
        self.check_kind()?;
        self.check_effects_of_kind(&is_chosen)?;
        let (with, unused): (Choice, &[SettingName]) = match (self.signature.method, self.signature.measure) {
            _ if self.signature.kind == Kind::Fingerprints => return Ok(()),
            (_, measure @ Measure::Euclidean) => {
                (Choice::new(SettingName::Measure, measure), &[SettingName::Threshold])
            }
            (_, measure @ Measure::Cosine) => (Choice::new(SettingName::Measure, measure), &[Distance]),
            (method @ Method::Simhash, _) => {
                (Choice::new(SettingName::Method, method), &[Hashes, Bands, Recall])
            }
            (_, measure @ Measure::Containment) => {
                (Choice::new(SettingName::Measure, measure), &[Distance, Bands, Recall, Hashes])
            }
            (method, _) => (Choice::new(SettingName::Method, method), &[Distance]),
        };
        match unused.iter().find(|&&setting| is_chosen(setting)) {
            Some(&setting) => Err(WrongSetting::NoEffect { setting, with }.into()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_ranges() {
        assert!(Settings::default().check_ranges().is_ok());
        for wrong in [
            Settings::default().with_threshold(1.1),
            Settings::default().with_threshold(f64::NAN),
            Settings::default().with_recall(1.0),
            Settings::default().with_hashes(0),
        ] {
            let said = wrong.check_ranges().unwrap_err().to_string();
            assert!(said.contains("is not allowed"), "{said}");
        }
    }

    #[test]
    fn a_setting_without_effect_is_named_with_what_takes_its_effect() {
        let said = |settings: Settings, chosen| {
            settings.check_effects(|setting| setting == chosen).err().map(|error| error.to_string())
        };
        let simhash = || Settings::default().with_method(Method::Simhash);
        let containment = || Settings::default().with_measure(Measure::Containment);
        assert_eq!(said(simhash(), SettingName::Hashes).unwrap(), "hashes has no effect with method simhash");
        assert_eq!(
            said(containment(), SettingName::Bands).unwrap(),
            "bands has no effect with measure containment"
        );
        assert!(said(Settings::default(), SettingName::Distance).is_some());
        assert!(said(Settings::default(), SettingName::Hashes).is_none());
        assert!(said(simhash(), SettingName::Distance).is_none());
    }
}
