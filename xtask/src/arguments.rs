//! The command line -> a command.

/// The text that `--help` prints.
pub(crate) const HELP: &str = "\
Usage: cargo xtask <command>

  test [--full]             checks formatting, clippy, all tests, doc tests, docs without warnings, every example,
                            that the fuzz targets compile, and the Python package in a fresh environment; on Apache
                            Spark a few of its tests. --full: all of them, with kills in every stage, clusters of
                            real processes, and Spark Connect
  bench [--quick] [--only=PART,...] [NAME...]
                            runs all benchmarks or the named ones (`python`: those of the Python package;
                            `spark`: the job on Apache Spark, which needs Java, and is run only if it is named);
                            --quick: with a tenth of the documents; --only: some parts of `index` or `dedup_peers`
  torture [runs | index | service] [--rounds N] [--seed N]
                            kills programs at random moments, all of these or the named ones. runs: runs of every
                            kind (default 500 rounds), also before each of their calls to the file layer; the
                            target is a folder or a local substitute for S3. index: a process that writes to an
                            index (1000 rounds). service: the service under load (1000 rounds)
  fuzz [--minutes N | --seconds N] [NAME]
                            runs every fuzz target, or the named one, for this long each (default 30 seconds)
  tables                    generates the Unicode tables of the library again, from pinned data
  dist                      builds a release (the program, the wheel, source crates, checksums);
                            each part is installed and tried
  help, --help, -h          prints this text";

/// How long each fuzz target runs by default, in seconds.
const DEFAULT_FUZZ_SECONDS: u32 = 30;

/// What is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Victims {
    /// Runs of every kind.
    Runs,
    /// A process that writes to an index.
    Index,
    /// The service under load.
    Service,
}

impl Victims {
    pub(crate) const ALL: [Self; 3] = [Self::Runs, Self::Index, Self::Service];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Index => "index",
            Self::Service => "service",
        }
    }

    /// The default number of rounds.
    pub(crate) fn rounds(self) -> u32 {
        match self {
            Self::Runs => 500,
            Self::Index | Self::Service => 1_000,
        }
    }
}

/// The command that the user asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Help,
    Test { full: bool },
    Bench { arguments: Vec<String> },
    Fuzz { seconds: u32, target: Option<String> },
    Torture { victims: Option<Victims>, rounds: Option<u32>, seed: u32 },
    Tables,
    Dist,
}

impl Command {
    /// Reads a command from the words of the command line. An error says what is wrong.
    pub(crate) fn parse(words: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut words = words.into_iter();
        let Some(command) = words.next() else { return Ok(Self::Help) };
        let rest: Vec<String> = words.collect();
        let wants_help = rest.iter().any(|word| matches!(word.as_str(), "--help" | "-h"));
        match (command.as_str(), rest.as_slice()) {
            ("help" | "--help" | "-h", _) => Ok(Self::Help),
            ("test" | "bench" | "fuzz" | "torture" | "tables" | "dist", _) if wants_help => Ok(Self::Help),
            ("bench", _) => Self::parse_bench(rest),
            ("test", []) => Ok(Self::Test { full: false }),
            ("test", [word]) if word == "--full" => Ok(Self::Test { full: true }),
            ("test", [word, ..]) => Err(format!("`test` takes no argument but `--full`, and got `{word}`")),
            ("tables", []) => Ok(Self::Tables),
            ("tables", [word, ..]) => Err(format!("`tables` takes no argument, but got `{word}`")),
            ("dist", []) => Ok(Self::Dist),
            ("dist", [word, ..]) => Err(format!("`dist` takes no argument, but got `{word}`")),
            ("fuzz", _) => Self::parse_fuzz(&rest),
            ("torture", _) => Self::parse_torture(&rest),
            (other, _) => Err(format!("unknown command `{other}`")),
        }
    }

    fn parse_bench(words: Vec<String>) -> Result<Self, String> {
        let is_known = |word: &String| {
            !word.starts_with('-') || word == "--quick" || word == "--" || word.starts_with("--only=")
        };
        match words.iter().find(|word| !is_known(word)) {
            // A benchmark would run for hours without the option that was meant.
            Some(word) => Err(format!("`bench` has no option `{word}`")),
            None => Ok(Self::Bench { arguments: words }),
        }
    }

    fn parse_fuzz(words: &[String]) -> Result<Self, String> {
        let (mut seconds, mut target) = (DEFAULT_FUZZ_SECONDS, None);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                // For libFuzzer, 0 means without a limit.
                "--seconds" => seconds = number(word, words.next())?,
                "--minutes" => seconds = number(word, words.next())?.saturating_mul(60),
                flag if flag.starts_with('-') => return Err(format!("`fuzz` has no option `{flag}`")),
                name if target.is_none() => target = Some(name.to_owned()),
                name => return Err(format!("`fuzz` takes one target, but also got `{name}`")),
            }
        }
        Ok(Self::Fuzz { seconds, target })
    }

    fn parse_torture(words: &[String]) -> Result<Self, String> {
        let (mut victims, mut rounds, mut seed) = (None, None, 1);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let named = Victims::ALL.into_iter().find(|victims| victims.name() == word);
            match word.as_str() {
                "--rounds" => rounds = Some(number(word, words.next())?),
                "--seed" => seed = number(word, words.next())?,
                _ if named.is_some() && victims.is_none() => victims = named,
                other => return Err(format!("`torture` has no argument `{other}`")),
            }
        }
        Ok(Self::Torture { victims, rounds, seed })
    }
}

/// The number that follows a flag.
fn number(flag: &str, value: Option<&String>) -> Result<u32, String> {
    let value = value.ok_or(format!("`{flag}` needs a number"))?;
    let number = value.parse().ok().filter(|&number| number > 0);
    number.ok_or(format!("`{flag} {value}`: a whole number of at least 1 is needed"))
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
        assert_eq!(parse("dist"), Ok(Command::Dist));
        assert_eq!(parse("test"), Ok(Command::Test { full: false }));
        assert_eq!(parse("test --full"), Ok(Command::Test { full: true }));
        assert_eq!(parse("tables"), Ok(Command::Tables));
        assert_eq!(parse("bench --quick"), Ok(Command::Bench { arguments: vec!["--quick".into()] }));
        assert_eq!(parse("bench --help"), Ok(Command::Help));
        assert_eq!(
            parse("bench index --only=size"),
            Ok(Command::Bench { arguments: vec!["index".into(), "--only=size".into()] })
        );
        assert_eq!(parse("fuzz"), Ok(Command::Fuzz { seconds: DEFAULT_FUZZ_SECONDS, target: None }));
        assert_eq!(
            parse("fuzz intersection --seconds 5"),
            Ok(Command::Fuzz { seconds: 5, target: Some("intersection".into()) })
        );
        assert_eq!(parse("fuzz --minutes 2"), Ok(Command::Fuzz { seconds: 120, target: None }));
        assert_eq!(parse("torture"), Ok(Command::Torture { victims: None, rounds: None, seed: 1 }));
        assert_eq!(
            parse("torture service --rounds 7 --seed 3"),
            Ok(Command::Torture { victims: Some(Victims::Service), rounds: Some(7), seed: 3 })
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (line, word) in [
            ("tset", "tset"),
            ("test fast", "fast"),
            ("test --ful", "--ful"),
            ("test --full --full", "--full"),
            ("dist quickly", "quickly"),
            ("bench --quik", "--quik"),
            ("fuzz --seconds", "number"),
            ("fuzz --seconds 0", "0"),
            ("fuzz --seconds soon", "soon"),
            ("fuzz --quick", "--quick"),
            ("fuzz one two", "two"),
            ("torture --rounds", "number"),
            ("torture me", "me"),
            ("torture index service", "service"),
        ] {
            assert!(parse(line).is_err_and(|message| message.contains(word)), "{line}");
        }
    }
}
