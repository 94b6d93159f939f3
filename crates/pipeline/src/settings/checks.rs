//! Checks of settings that the command line and Python share: values out of range, and settings without effect.

use super::{
    Choice, Elements, Find, Keep, Kind, Measure, Method, OnBadRecord, SettingName, Settings,
    SignatureSettings, Verify, WrongSetting, not_allowed,
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
        let SignatureSettings { kind, split, measure, method, .. } = &self.signature;
        if split.as_deref() == Some("") {
            return Err(not_allowed(SettingName::Split, "\"\"", "at least one character"));
        }
        self.check_rows()?;
        if let Some(step) = self.signature.weight_step {
            let choice = Choice::new(SettingName::WeightStep, step);
            if *measure != Measure::WeightedJaccard {
                return needs(choice, Choice::new(SettingName::Measure, Measure::WeightedJaccard));
            }
            // An item of weight 1 may have a million steps, and one of a million one step.
            if !(1e-6..=1e300).contains(&step) {
                return Err(not_allowed(SettingName::WeightStep, step, "from 0.000001 on"));
            }
        }
        let (of_kind, of_measure) =
            (Choice::new(SettingName::Kind, kind), Choice::new(SettingName::Measure, measure));
        let a_kind = |kind: Kind| Choice::new(SettingName::Kind, kind);
        let minhash = Choice::new(SettingName::Method, Method::Minhash);
        let of_vectors = matches!(measure, Measure::Cosine | Measure::Euclidean);
        if *kind != Kind::Vectors && self.matching.find != Find::Auto {
            return needs(Choice::new(SettingName::Find, self.matching.find), a_kind(Kind::Vectors));
        }
        match kind {
            Kind::Text if split.is_some() => needs(Choice::any(SettingName::Split), a_kind(Kind::Sets)),
            Kind::Text if *measure == Measure::WeightedJaccard => {
                let bag = Choice::new(SettingName::Elements, Elements::Bag);
                let instead = (bag, "for shingles that count as often as they occur");
                needs_or(of_measure, a_kind(Kind::Sets), Some(instead))
            }
            Kind::Sets if *method == Method::Simhash => needs(of_kind, minhash),
            Kind::Text | Kind::Sets if of_vectors => needs(of_measure, a_kind(Kind::Vectors)),
            Kind::Text | Kind::Sets => Ok(()),
            Kind::Vectors if self.matching.within_days.is_some() => {
                no_effect(SettingName::WithinDays, of_kind)
            }
            Kind::Vectors if !of_vectors => {
                let euclidean = Choice::new(SettingName::Measure, Measure::Euclidean);
                let cosine = Choice::new(SettingName::Measure, Measure::Cosine);
                needs_or(of_kind, cosine, Some((euclidean, "for distances")))
            }
            Kind::Vectors if *method == Method::Simhash => needs(of_kind, minhash),
            Kind::Vectors if self.matching.verify != Verify::Exact => {
                excludes(of_kind, SettingName::Verify, "is always verified exactly")
            }
            Kind::Vectors if self.matching.find == Find::All && self.matching.bands.is_some() => {
                no_effect(SettingName::Bands, Choice::new(SettingName::Find, Find::All))
            }
            Kind::Vectors if self.matching.keep == Keep::Longest => {
                excludes(of_kind, SettingName::Keep, "has documents of one length")
            }
            Kind::Vectors => Ok(()),
            Kind::Fingerprints => self.check_fingerprints(),
            Kind::Records => Err(not_allowed(
                SettingName::Kind,
                kind,
                "another kind here; the commands pairs, clusters, dedup, compare and label take records",
            )),
        }
    }

    /// Returns an error if rows of (set, item) make no sense with the other settings.
    fn check_rows(&self) -> Result<()> {
        let (rows, weight) = (Choice::any(SettingName::SetOf), Choice::any(SettingName::Weight));
        let has_rows = self.files.set_of.is_some();
        if has_rows && self.signature.kind != Kind::Sets {
            return needs(rows, Choice::new(SettingName::Kind, Kind::Sets));
        }
        if has_rows && self.signature.split.is_some() {
            // A row is one item, whatever is in it.
            return no_effect(SettingName::Split, rows);
        }
        if has_rows && self.files.on_bad_record == OnBadRecord::Keep {
            let allowed = "fail, or skip; a row that is in no set cannot be written among sets";
            return Err(not_allowed(SettingName::OnBadRecord, OnBadRecord::Keep, allowed));
        }
        if self.files.weight.is_some() && !has_rows {
            return needs(weight, rows);
        }
        if self.files.weight.is_some() && self.signature.measure != Measure::WeightedJaccard {
            return needs(weight, Choice::new(SettingName::Measure, Measure::WeightedJaccard));
        }
        Ok(())
    }

    fn check_fingerprints(&self) -> Result<()> {
        let SignatureSettings { kind, bits, measure, method, .. } = &self.signature;
        let is_told = bits.is_some();
        let bits = bits.unwrap_or(USUAL_BITS);
        if !(LEAST_BITS..=MOST_BITS).contains(&bits) {
            return Err(not_allowed(SettingName::Bits, bits, format!("{LEAST_BITS} to {MOST_BITS}")));
        }
        if self.matching.distance > bits / 2 {
            let wider = if is_told { "" } else { "; wider fingerprints must be told with the setting bits" };
            let allowed = format!("at most {} of {bits} bits; others are as near by chance{wider}", bits / 2);
            return Err(not_allowed(SettingName::Distance, self.matching.distance, allowed));
        }
        // Other settings than the default can be here only if nobody checked what was chosen.
        let is_plain = *measure == Measure::Jaccard && *method == Method::Minhash;
        if is_plain && self.matching.verify == Verify::Exact {
            return Ok(());
        }
        let setting = if is_plain { SettingName::Verify } else { SettingName::Measure };
        no_effect(setting, Choice::new(SettingName::Kind, kind))
    }

    /// Returns an error if the user chose a setting that has no effect with the kind of documents.
    fn check_effects_of_kind(&self, is_chosen: impl Fn(SettingName) -> bool) -> Result<()> {
        use SettingName::{
            Bands, Bits, Case, Elements, Form, Hashes, MaxText, Measure, Method, Punctuation, Shingles,
            Split, Threshold, Verify, Weights, Whitespace,
        };
        const OF_TEXT: [SettingName; 7] = [Shingles, Case, Form, Punctuation, Whitespace, Elements, Weights];
        let (of_text, others): (&[SettingName], &[SettingName]) = match self.signature.kind {
            Kind::Text | Kind::Records => (&[], &[Bits]),
            Kind::Sets => (&OF_TEXT, &[Bits]),
            Kind::Vectors => (&OF_TEXT, &[Bits, Split, Hashes, MaxText]),
            Kind::Fingerprints => {
                (&OF_TEXT, &[Split, Method, Measure, Hashes, Threshold, Bands, Verify, MaxText])
            }
        };
        match of_text.iter().chain(others).find(|&&setting| is_chosen(setting)) {
            Some(&setting) => no_effect(setting, Choice::new(SettingName::Kind, self.signature.kind)),
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
            _ if self.matching.find == Find::All && is_chosen(Recall) => {
                (Choice::new(SettingName::Find, Find::All), &[Recall])
            }
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
            Some(&setting) => no_effect(setting, with),
            None => Ok(()),
        }
    }
}

fn needs(choice: Choice, needed: Choice) -> Result<()> {
    needs_or(choice, needed, None)
}

fn needs_or(choice: Choice, needed: Choice, instead: Option<(Choice, &'static str)>) -> Result<()> {
    Err(WrongSetting::Needs { choice, needed, instead }.into())
}

fn no_effect(setting: SettingName, with: Choice) -> Result<()> {
    Err(WrongSetting::NoEffect { setting, with }.into())
}

fn excludes(choice: Choice, other: SettingName, meaning: &'static str) -> Result<()> {
    Err(WrongSetting::Excludes { choice, other, meaning }.into())
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
