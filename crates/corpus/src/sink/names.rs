//! Names of outputs: no name twice, and no path that leaves the target.

use crate::{Error, Result, Source, name_to_path, path_to_name};
use std::collections::BTreeMap;

/// An error if two sources would be written to the same output, or to a name that the run itself needs (`reserved`).
///
/// Names are compared byte by byte. It is also an error if one output is a folder above another one.
pub fn output_names(sources: &[Source], reserved: &[&str]) -> Result<()> {
    let mut seen: BTreeMap<&str, &Source> = BTreeMap::new();
    for source in sources {
        check_name(&source.output)?;
        if let Some(reserved) = reserved.iter().find(|reserved| overlap(&source.output, reserved)) {
            return Err(Error::Invalid(format!(
                "the output of {} would be {}, but {reserved} in the target is reserved for the run itself; \
                 rename the source, or give the folder above it instead",
                source.name, source.output
            )));
        }
        if let Some(first) = seen.insert(&source.output, source) {
            return Err(collision(first, source));
        }
    }
    for source in sources {
        for (end, _) in source.output.match_indices('/') {
            if let Some(above) = seen.get(&source.output[..end]) {
                return Err(Error::Invalid(format!(
                    "the output of {} would be the file {} and that of {} would be {}, in a folder of the same name; \
                     give their common folder instead, or rename one of them",
                    above.name, above.output, source.name, source.output
                )));
            }
        }
    }
    Ok(())
}

fn collision(first: &Source, second: &Source) -> Error {
    if first.location == second.location {
        return Error::Invalid(format!("{} is given twice; give it once", second.name));
    }
    Error::Invalid(format!(
        "{} and {} would both be written to {}; give their common folder instead, so that their outputs are \
         in separate folders, or process them one at a time with different targets",
        first.name, second.name, first.output
    ))
}

/// True if the names are equal, or one is a folder above the other.
fn overlap(a: &str, b: &str) -> bool {
    let inside = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    inside(a, b) || inside(b, a)
}

/// An error unless `name` is a relative path that stays below its starting folder.
pub(crate) fn check_name(name: &str) -> Result<()> {
    let sound = |part: &str| !matches!(part, "" | "." | "..") && !part.contains('\0');
    // On Windows these characters would leave the folder too.
    let foreign = cfg!(windows) && name.contains(['\\', ':']);
    // A character that is escaped without need could be a slash or a dot.
    let is_plain = path_to_name(&name_to_path(name)) == name;
    if name.split('/').all(sound) && !foreign && is_plain {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "{name:?} cannot be the name of an output: it must be a path below the target, without `.`, `..` and \
         empty parts"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Compression, Format, Location, Stamp};

    fn source(name: &str, output: &str) -> Source {
        Source {
            name: name.into(),
            output: output.into(),
            location: Location::Local(name.into()),
            format: Format::Jsonl,
            compression: Compression::None,
            size: 0,
            stamp: Stamp::Unknown,
            ids: None,
        }
    }

    fn message(sources: &[Source]) -> String {
        output_names(sources, &["report.json", "_lookalike"]).unwrap_err().to_string()
    }

    #[test]
    fn names_that_differ_pass() {
        let sources =
            [source("a/x", "x"), source("b/X", "X"), source("c", "d/x"), source("e", "report.json.gz")];
        output_names(&sources, &["report.json", "_lookalike"]).unwrap();
    }

    #[test]
    fn collisions_name_both() {
        let message =
            message(&[source("a/x.jsonl", "x.jsonl"), source("y", "y"), source("b/x.jsonl", "x.jsonl")]);
        for part in ["a/x.jsonl", "b/x.jsonl", "common folder"] {
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn the_same_file_twice_is_said_so() {
        assert_eq!(message(&[source("a", "a"), source("a", "a")]), "a is given twice; give it once");
    }

    #[test]
    fn reserved_names_and_what_is_inside_or_above() {
        for output in ["report.json", "_lookalike", "_lookalike/x", "report.json/x"] {
            assert!(message(&[source("a", output)]).contains("for the run itself"), "{output}");
        }
        assert!(output_names(&[source("a", "state")], &["state/x"]).is_err());
    }

    #[test]
    fn a_file_cannot_be_a_folder_too() {
        let message = message(&[source("one", "x/y"), source("two", "x")]);
        assert!(message.contains("one") && message.contains("two"), "{message}");
    }

    #[test]
    fn names_stay_below_the_target() {
        for name in ["..", "a/../b", "/a", "a//b", "", ".", "a/", "a\0b", "\\x2e\\x2e", "a\\x2fb"] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
        for name in ["a", "a/b.c", "..a", "a b", ".hidden", "a\\b", "caf\\xe9"] {
            check_name(name).unwrap();
        }
    }
}
