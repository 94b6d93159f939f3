//! A sketch file as the input, or an index beside it: the settings that their signatures depend on cannot be changed.

use super::{Layers, flag};
use crate::failure::{Failure, Result};
use pipeline::{Method, SKETCH_MAGIC, Settings};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The settings that cannot differ from those that the index was created with.
const FIXED_BY_INDEX: [&str; 9] =
    ["kind", "shingles", "normalize", "elements", "method", "measure", "hashes", "seed", "max-text"];

/// The settings that cannot differ from those that the sketch was made with.
const FIXED: [&str; 20] = [
    "kind",
    "set-of",
    "weight",
    "weight-step",
    "split",
    "bits",
    "text-field",
    "id-field",
    "shingles",
    "normalize",
    "elements",
    "weights",
    "method",
    "measure",
    "hashes",
    "seed",
    "within",
    "on-bad-record",
    "max-text",
    "store",
];

/// True if `argument` names a sketch file. This is decided by its first bytes, not by its name.
pub(crate) fn is_sketch(argument: impl AsRef<OsStr>) -> bool {
    let mut start = [0; SKETCH_MAGIC.len()];
    let path = Path::new(argument.as_ref());
    path.is_file()
        && File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == *SKETCH_MAGIC
}

/// An error if `wanted`, which `layers` lead to, differs from `made_with` in a setting that the index fixes.
pub(crate) fn check_index(
    path: &Path,
    made_with: &Settings,
    wanted: &Settings,
    layers: &Layers,
) -> Result<()> {
    let simhash = (made_with.signature.method == Method::Simhash).then_some("distance");
    let (made_with, wanted) = (written(made_with), written(wanted));
    match difference(&made_with, &wanted, FIXED_BY_INDEX.into_iter().chain(simhash)) {
        Some(found) => Err(found
            .contradiction(path, layers, "created")
            .with_advice("leave it out, or create another index: it is fixed for good")),
        None => Ok(()),
    }
}

/// An error if `wanted`, which `layers` lead to, differs from `made_with` in a setting that the sketch fixes.
pub(crate) fn check_sketch(
    path: &Path,
    made_with: &Settings,
    wanted: &Settings,
    layers: &Layers,
) -> Result<()> {
    let (made_with, wanted) = (written(made_with), written(wanted));
    if let Some(found) = difference(&made_with, &wanted, FIXED) {
        let left_out = layers.name(&found.name, None);
        return Err(found.contradiction(path, layers, "made").with_advice(format!(
            "leave out {left_out} to use the setting of the sketch, or sketch the corpus again"
        )));
    }
    // A sketch always has the input order. Beside it, a sketch has the values of the `keep` that it was made with;
    // with `first` it has the lengths.
    let (made, want) = (text_of(&made_with["keep"]), text_of(&wanted["keep"]));
    if want == "first" || want == made || (want == "longest" && made == "first") {
        return Ok(());
    }
    let keep = layers.name("keep", Some(&want));
    Err(Failure::usage(format!("{} has no values for {keep}", path.display()))
        .with_advice("give the source files as inputs instead of the sketch"))
}

fn written(settings: &Settings) -> Value {
    settings.listed()
}

/// A setting that has one value and should have another.
struct Difference {
    name: String,
    made: Value,
    wanted: Value,
}

/// The first of the named settings that differs. Of a group of settings, the one in it that differs is named.
fn difference<'n>(
    made_with: &Value,
    wanted: &Value,
    names: impl IntoIterator<Item = &'n str>,
) -> Option<Difference> {
    names.into_iter().find_map(|name| {
        let (made, want) = (&made_with[name], &wanted[name]);
        let nested = made.as_object().into_iter().flatten().find(|(key, made)| want.get(key) != Some(made));
        let differs = |name: &str, made: &Value, wanted: &Value| {
            Some(Difference { name: name.to_owned(), made: made.clone(), wanted: wanted.clone() })
        };
        match nested {
            Some((key, made)) => differs(key, made, &want[key]),
            None if made != want => differs(name, made, want),
            None => None,
        }
    })
}

impl Difference {
    /// What contradicts what was `made` (as a verb) with the other value.
    fn contradiction(&self, path: &Path, layers: &Layers, verb: &str) -> Failure {
        let Self { name, made, wanted } = self;
        let made = match made {
            Value::Null => format!("without {}", flag(name, None)),
            made => format!("with {}", flag(name, Some(&text_of(made)))),
        };
        let wanted = layers.name(name, Some(&text_of(wanted)));
        Failure::usage(format!("{wanted} does not fit {}, which was {verb} {made}", path.display()))
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(written) => written.clone(),
        Value::Null => "none".into(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Choices;
    use crate::settings::Purpose;
    use pipeline::{Case, Keep};

    #[test]
    fn fixed_settings_exist() {
        let settings = written(&Settings::default());
        for name in FIXED.into_iter().chain(FIXED_BY_INDEX) {
            assert!(settings.get(name).is_some(), "{name}");
        }
    }

    #[test]
    fn what_a_sketch_fixes_cannot_be_contradicted() {
        let made = Settings::default();
        let path = Path::new("corpus.sketch");
        let layers = Layers::read(Choices::default(), Purpose::Duplicates).unwrap();
        let check =
            |path: &Path, made: &Settings, wanted: &Settings| check_sketch(path, made, wanted, &layers);
        let mut wanted = made.clone().with_threshold(0.5).with_keep(Keep::Longest);
        check(path, &made, &wanted).unwrap();
        check(path, &wanted, &made).unwrap();
        wanted.matching.keep = Keep::Max("stars".into());
        assert!(check(path, &made, &wanted).unwrap_err().to_string().contains("has no values for"));
        wanted.matching.keep = Keep::First;
        wanted.signature.measure = pipeline::Measure::Containment;
        assert!(check(path, &made, &wanted).is_err());
        wanted.signature.measure = made.signature.measure;
        wanted.signature.hashes = 64;
        let failure = check(path, &made, &wanted).unwrap_err().to_string();
        let expected = "--hashes 64 does not fit corpus.sketch, which was made with --hashes 128";
        assert!(failure.contains(expected), "{failure}");
        wanted.signature.hashes = 128;
        wanted.signature.normalize.case = Case::Keep;
        let failure = check(path, &made, &wanted).unwrap_err().to_string();
        let expected = "--case keep does not fit corpus.sketch, which was made with --case fold";
        assert!(failure.contains(expected), "{failure}");
        wanted = made.clone().with_id_field(Some("id".into()));
        let failure = check(path, &made, &wanted).unwrap_err().to_string();
        assert!(failure.contains("which was made without --id-field"), "{failure}");
    }

    #[test]
    fn weights_of_a_sketch_are_rounded_to_its_own_steps() {
        let layers = Layers::read(Choices::default(), Purpose::Duplicates).unwrap();
        let weighted = Settings::default()
            .with_kind(pipeline::Kind::Sets)
            .with_measure(pipeline::Measure::WeightedJaccard)
            .with_weight_step(Some(0.1));
        let wanted = weighted.clone().with_weight_step(Some(0.5));
        let failure =
            check_sketch(Path::new("a.sketch"), &weighted, &wanted, &layers).unwrap_err().to_string();
        let expected = "--weight-step 0.5 does not fit a.sketch, which was made with --weight-step 0.1";
        assert!(failure.contains(expected), "{failure}");
    }

    #[test]
    fn a_sketch_is_known_by_its_first_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("any.name");
        let name = path.to_str().unwrap();
        assert!(!is_sketch(name));
        std::fs::write(&path, "LKAS").unwrap();
        assert!(!is_sketch(name));
        std::fs::write(&path, "LKASKETC and more").unwrap();
        assert!(is_sketch(name));
        assert!(!is_sketch(folder.path().to_str().unwrap()));
    }
}
