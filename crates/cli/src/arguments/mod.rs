//! The command line, as typed.
//!
//! What the user typed becomes [`Arguments`]. Nothing is decided here: a flag that was not given is `None`. The
//! defaults are in `pipeline::Settings`, and the help texts read them from there.

mod bytes;
mod choices;
mod commands;
mod examples;
mod general;
mod index;
mod records;
#[cfg(feature = "server")]
mod serve;
mod values;

pub(crate) use bytes::Bytes;
pub(crate) use choices::{
    Choices, Keeping, Matching, NormalizeChoices, Reading, Sketching, Storing, Using, Writing,
};
pub(crate) use commands::{
    ClustersArguments, Command, CompareArguments, CompletionsArguments, DedupArguments, EvaluateArguments,
    InspectArguments, LabelArguments, ManArguments, PairsArguments, PlanArguments, QueryArguments,
    ReportArguments, SketchArguments,
};
pub(crate) use general::{Color, General, LogLevel};
pub(crate) use index::{
    AddArguments, BackupArguments, CheckArguments, CreateArguments, Creating, GetArguments, IndexCommand,
    IndexQueryArguments, MergeArguments, PassagesArguments, RemoveArguments, RepairArguments,
    RestoreArguments, Selecting,
};

pub(crate) use records::{Partners, Recording};
#[cfg(feature = "server")]
pub(crate) use serve::{Access, ServeArguments, ServiceLimits};

use crate::exit_code::ExitCode;
use crate::settings::OF_TEXTS;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser};
use serde_json::Value;
use std::ffi::OsString;
use std::fmt::Write as _;

/// Finds near-duplicates in a corpus of any size. Every removal is checked exactly, listed and explained
#[derive(Debug, Parser)]
#[command(name = "lookalike", version, arg_required_else_help = true)]
#[command(after_help = "Examples and details: lookalike COMMAND --help", after_long_help = after_long_help())]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) general: General,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    /// Reads the command line.
    pub(crate) fn from_words(words: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let matches = command().try_get_matches_from(words).map_err(with_helpful_tip)?;
        Self::from_arg_matches(&matches).map_err(|wrong| wrong.format(&mut command()))
    }
}

/// For an unknown flag, clap advises to pass it as a value, which nobody wants. The tip names the commands that have
/// the flag instead.
fn with_helpful_tip(mut wrong: clap::Error) -> clap::Error {
    if wrong.kind() != ErrorKind::UnknownArgument {
        return wrong;
    }
    wrong.remove(ContextKind::Suggested);
    let Some(ContextValue::String(argument)) = wrong.get(ContextKind::InvalidArg) else { return wrong };
    let has = |command: &clap::Command| {
        let mut shown = command.get_arguments().filter(|flag| !flag.is_hide_set());
        shown.any(|flag| flag.get_long() == argument.strip_prefix("--"))
    };
    let command = command();
    let takers: Vec<String> = shown_commands(&command)
        .into_iter()
        .filter_map(|(words, command)| has(&command).then_some(words))
        .collect();
    if argument.starts_with("--") && !takers.is_empty() {
        let tip = format!("'{argument}' is an option of: {}", takers.join(", "));
        wrong.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    wrong
}

/// The commands with their help. Each flag shows its default, which comes from the settings.
pub(crate) fn command() -> clap::Command {
    let mut command = Arguments::command();
    let defaults = pipeline::Settings::default().listed();
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    for name in names {
        command = command.mut_subcommand(name, |sub| with_defaults(sub, &defaults));
    }
    with_negative_values(command)
}

/// A negative number behind a flag is its value. The error then says what is allowed, and not that `-0` is no flag.
fn with_negative_values(mut command: clap::Command) -> clap::Command {
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    for name in names {
        command = command.mut_subcommand(name, with_negative_values);
    }
    command.mut_args(|argument| {
        let takes_value = !argument.is_positional() && argument.get_action().takes_values();
        argument.allow_negative_numbers(takes_value)
    })
}

/// All commands that are shown, each with the words that call it: `dedup`, `index`, `index add`.
pub(crate) fn shown_commands(command: &clap::Command) -> Vec<(String, clap::Command)> {
    let mut all = Vec::new();
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        all.push((sub.get_name().to_owned(), sub.clone()));
        let below = shown_commands(sub).into_iter();
        all.extend(below.map(|(words, below)| (format!("{} {words}", sub.get_name()), below)));
    }
    all
}

/// The flags that only `--help` shows, not `-h`.
const RARE: [&str; 29] = [
    "ids",
    "set-of",
    "weight",
    "weight-step",
    "split",
    "bits",
    "recall",
    "bands",
    "distance",
    "find",
    "against-only",
    "clusters",
    "prefer",
    "removed-format",
    "max-text",
    "within",
    "within-days",
    "site-field",
    "common",
    "case",
    "form",
    "punctuation",
    "whitespace",
    "elements",
    "weights",
    "method",
    "hashes",
    "seed",
    "temp-dir",
];

/// Adds the default to the help of each flag that is a setting.
fn with_defaults(mut command: clap::Command, defaults: &Value) -> clap::Command {
    let below: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let is_index = !below.is_empty();
    for name in below {
        command = command.mut_subcommand(name, |sub| match sub.get_name() {
            "query" => sub,
            _ => with_defaults(sub, defaults),
        });
    }
    if is_index {
        return command;
    }
    let command_name = command.get_name().to_owned();
    let is_query = command.get_name() == "query";
    let is_inspect = command.get_name() == "inspect";
    let is_label = command.get_name() == "label";
    command.mut_args(|argument| {
        let default = match argument.get_long() {
            Some("threshold") if is_query => Some("0".to_owned()),
            Some("threshold") if is_inspect => None,
            Some("threshold") if is_label => Some(::records::Options::default().threshold.to_string()),
            Some(name) => shown(name, defaults),
            None => None,
        };
        let argument = match (command_name.as_str(), argument.get_long()) {
            ("pairs", Some("against")) => argument.help(
                "Also list pairs of an input document with a document of these files; pairs within these files are not listed",
            ),
            ("clusters", Some("against")) => argument
                .help("Also compare with the documents of these files, which come first in keep order"),
            ("label", Some("threshold")) => argument.help(
                "Pairs of at least this probability are matches: a number above 0 and at most 1. Precision and recall are \
                 those at this threshold",
            ),
            ("label", Some("recall")) => {
                argument.help("The share of the matches that bands should find. Bands are chosen to reach it; fewer for less")
            }
            ("label", Some("against")) => argument.help("Also compare with the records of these files"),
            ("dedup", _) => argument,
            (_, Some("on-bad-record")) => argument.help(
                "What to do with a record that cannot be used: stop with an error (fail), or leave it out (skip, keep)",
            ),
            _ => argument,
        };
        let is_rare = argument.get_long().is_some_and(|name| RARE.contains(&name));
        // Flags that `label` would refuse.
        let is_refused = |name: &str| OF_TEXTS.contains(&name) || ["labels", "kind"].contains(&name);
        let is_refused = is_label && argument.get_long().is_some_and(is_refused);
        let argument = argument.hide_short_help(is_rare).hide(is_refused);
        match (default, argument.get_help().cloned()) {
            (Some(default), Some(help)) => argument.help(format!("{help} [default: {default}]")),
            _ => argument,
        }
    })
}

/// The default of a setting, as a user would type it; `None` if the setting has no default.
fn shown(name: &str, defaults: &Value) -> Option<String> {
    let value = defaults.get(name).or_else(|| defaults.get("normalize")?.get(name))?;
    match value {
        Value::String(written) => Some(written.clone()),
        Value::Number(bytes) if name == "max-text" => bytes.as_u64().map(|bytes| Bytes(bytes).to_string()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The end of `lookalike --help`.
fn after_long_help() -> String {
    let mut help = examples::OVERVIEW.to_owned();
    help.push_str("\n\nExit codes:\n");
    for code in ExitCode::ALL {
        let _ = writeln!(help, "  {:>3}  {}", code as u8, code.meaning());
    }
    help
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
    }

    #[test]
    fn every_setting_is_a_flag_of_dedup_or_sketch() {
        let command = command();
        let flags: Vec<&str> = ["dedup", "sketch"]
            .iter()
            .flat_map(|name| command.find_subcommand(name).unwrap().get_arguments())
            .filter_map(clap::Arg::get_long)
            .collect();
        let settings = pipeline::Settings::default().listed();
        let normalize = settings["normalize"].as_object().unwrap().keys();
        // A radius is given by `--distance`, which is a number of bits or a length.
        let others = settings
            .as_object()
            .unwrap()
            .keys()
            .filter(|key| !["normalize", "radius"].contains(&key.as_str()));
        for key in others.chain(normalize) {
            assert!(flags.contains(&key.as_str()), "--{key}");
        }
    }

    #[test]
    fn a_negative_number_is_the_value_of_a_flag() {
        let words = ["lookalike", "dedup", "in.jsonl", "-o", "out", "--threshold", "-0.5"];
        let Command::Dedup(dedup) = Arguments::from_words(words.map(OsString::from)).unwrap().command else {
            panic!("not dedup");
        };
        assert_eq!(dedup.matching.threshold, Some(-0.5));
        for (flag, value) in [("--memory", "-1"), ("--threads", "-3"), ("--hashes", "-128")] {
            let words = ["lookalike", "dedup", "in.jsonl", "-o", "out", flag, value];
            let wrong = Arguments::from_words(words.map(OsString::from)).unwrap_err().to_string();
            assert!(wrong.contains(&format!("invalid value '{value}' for '{flag}")), "{wrong}");
        }
    }

    #[test]
    fn what_short_help_leaves_out_exists() {
        let dedup = command().find_subcommand("dedup").unwrap().clone();
        for name in RARE {
            assert!(dedup.get_arguments().any(|argument| argument.get_long() == Some(name)), "--{name}");
        }
    }

    #[test]
    fn help_shows_the_defaults_of_the_settings() {
        let help = command().find_subcommand_mut("dedup").unwrap().render_long_help().to_string();
        // Lines may end anywhere.
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for default in ["[default: words:5]", "[default: 0.8]", "[default: 0.99]", "[default: 16MiB]"] {
            assert!(help.contains(default), "{default} in\n{help}");
        }
    }
}
