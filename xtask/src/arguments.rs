//! The command line -> a command.

/// What `--help` prints.
pub(crate) const HELP: &str = "\
Usage: cargo xtask <command>

  test                      formatting, clippy, all tests, doc tests, docs without warnings, every example,
                            whether the fuzz targets compile, and the Python package in a fresh environment
  bench [--quick] [NAME...] the benchmarks, or those named (`python`: of the package); --quick: a tenth of the documents
  fuzz [--seconds N] [NAME] every fuzz target, or the one named, for N seconds each (default 30)
  help, --help, -h          this text";

/// How long each fuzz target runs unless told otherwise.
const DEFAULT_FUZZ_SECONDS: u32 = 30;

/// What the user asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Help,
    Test,
    Bench { arguments: Vec<String> },
    Fuzz { seconds: u32, target: Option<String> },
}

impl Command {
    /// The command of these words, or what is wrong with them.
    pub(crate) fn parse(words: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut words = words.into_iter();
        let Some(command) = words.next() else { return Ok(Self::Help) };
        let rest: Vec<String> = words.collect();
        let wants_help = rest.iter().any(|word| matches!(word.as_str(), "--help" | "-h"));
        match (command.as_str(), rest.as_slice()) {
            ("help" | "--help" | "-h", _) => Ok(Self::Help),
            ("bench", _) => Ok(Self::Bench { arguments: rest }),
            ("test" | "fuzz", _) if wants_help => Ok(Self::Help),
            ("test", []) => Ok(Self::Test),
            ("test", [word, ..]) => Err(format!("`test` takes no argument, but got `{word}`")),
            ("fuzz", _) => Self::parse_fuzz(&rest),
            (other, _) => Err(format!("there is no command `{other}`")),
        }
    }

    fn parse_fuzz(words: &[String]) -> Result<Self, String> {
        let (mut seconds, mut target) = (DEFAULT_FUZZ_SECONDS, None);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--seconds" => {
                    let value = words.next().ok_or("`--seconds` needs a number")?;
                    // 0 means "for ever" to libFuzzer.
                    seconds = value
                        .parse()
                        .ok()
                        .filter(|&seconds| seconds > 0)
                        .ok_or(format!("`--seconds {value}`: a whole number of at least 1 is needed"))?;
                }
                flag if flag.starts_with('-') => return Err(format!("`fuzz` has no option `{flag}`")),
                name if target.is_none() => target = Some(name.to_owned()),
                name => return Err(format!("`fuzz` takes one target, but also got `{name}`")),
            }
        }
        Ok(Self::Fuzz { seconds, target })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Command, String> {
        Command::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn commands_are_understood() {
        assert_eq!(parse(""), Ok(Command::Help));
        assert_eq!(parse("fuzz --help"), Ok(Command::Help));
        assert_eq!(parse("test"), Ok(Command::Test));
        assert_eq!(parse("bench --quick"), Ok(Command::Bench { arguments: vec!["--quick".into()] }));
        assert_eq!(parse("fuzz"), Ok(Command::Fuzz { seconds: DEFAULT_FUZZ_SECONDS, target: None }));
        assert_eq!(
            parse("fuzz intersection --seconds 5"),
            Ok(Command::Fuzz { seconds: 5, target: Some("intersection".into()) })
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (line, word) in [
            ("tset", "tset"),
            ("test fast", "fast"),
            ("fuzz --seconds", "number"),
            ("fuzz --seconds 0", "0"),
            ("fuzz --seconds soon", "soon"),
            ("fuzz --quick", "--quick"),
            ("fuzz one two", "two"),
        ] {
            assert!(parse(line).is_err_and(|message| message.contains(word)), "{line}");
        }
    }
}
