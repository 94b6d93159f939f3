//! Checks of settings that the command line and Python share: values out of range, and settings without effect.

use super::{Choice, Measure, Method, SettingName, Settings, WrongSetting, not_allowed};
use crate::Result;

impl Settings {
    /// Returns an error if the threshold or the recall is not between 0 and 1.
    pub fn check_shares(&self) -> Result<()> {
        let shares =
            [(SettingName::Threshold, self.matching.threshold), (SettingName::Recall, self.matching.recall)];
        match shares.into_iter().find(|(_, share)| !(0.0..=1.0).contains(share)) {
            Some((setting, share)) => Err(not_allowed(setting, share, "it is a number from 0 to 1")),
            None => Ok(()),
        }
    }

    /// Returns an error if the user chose a setting that has no effect with the chosen method or measure. `is_chosen`
    /// says whether the user chose a setting.
    pub fn check_effects(&self, is_chosen: impl Fn(SettingName) -> bool) -> Result<()> {
        use SettingName::{Bands, Distance, Hashes, Recall};
        let (with, unused): (Choice, &[SettingName]) = match (self.signature.method, self.signature.measure) {
            (method @ Method::Simhash, _) => {
                (Choice::new(SettingName::Method, method), &[Hashes, Bands, Recall])
            }
            (_, measure @ Measure::Containment) => {
                (Choice::new(SettingName::Measure, measure), &[Distance, Bands, Recall])
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
    fn shares_are_from_0_to_1() {
        assert!(Settings::default().check_shares().is_ok());
        for wrong in [
            Settings::default().with_threshold(1.1),
            Settings::default().with_threshold(f64::NAN),
            Settings::default().with_recall(-0.1),
        ] {
            let said = wrong.check_shares().unwrap_err().to_string();
            assert!(said.contains("from 0 to 1"), "{said}");
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
