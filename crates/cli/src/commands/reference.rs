//! `lookalike reference`: the commands and their flags in Markdown, from the same source as `--help`.

use crate::arguments::{command, shown_commands};
use crate::exit_code::ExitCode;
use crate::failure::Result;
use crate::output::Printer;
use clap::{Arg, Command};
use std::fmt::Write as _;

const PREFACE: &str = "\
# Commands

This page is written by `lookalike reference`; the test `reference_is_up_to_date` checks it. The [guide](guide.md) explains how
to use the commands.
";

/// Runs the command.
pub(crate) fn run(printer: &Printer) -> Result<()> {
    printer.document(reference().as_bytes())
}

fn reference() -> String {
    let mut command = command();
    command.build();
    let mut text = PREFACE.to_owned();
    let shown = shown_commands(&command);
    text.push('\n');
    for (words, sub) in &shown {
        let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
        let anchor = words.replace(' ', "-");
        let _ = writeln!(text, "- [`lookalike {words}`](#lookalike-{anchor}): {about}");
    }
    text.push_str("\n## Exit codes\n\n| code | meaning |\n|---|---|\n");
    for code in ExitCode::ALL {
        let _ = writeln!(text, "| {} | {} |", code as u8, code.meaning());
    }
    text.push_str("\n## Every command\n");
    flags(&mut text, &command);
    for (words, sub) in &shown {
        section(&mut text, words, sub);
    }
    text
}

/// The section of a command: what it does, how it is called, its flags and examples.
fn section(text: &mut String, words: &str, command: &Command) {
    let mut command = command.clone();
    let _ = write!(text, "\n## lookalike {words}\n");
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string);
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let _ = write!(text, "\n{}\n\n```text\n{usage}\n```\n", markdown(&about.unwrap_or_default()));
    flags(text, &command);
    if let Some(examples) = command.get_after_long_help() {
        let _ = write!(text, "\n```text\n{examples}\n```\n");
    }
}

/// The arguments of a command, by heading. Global flags are listed only once, under "Every command".
fn flags(text: &mut String, command: &Command) {
    let is_top = command.has_subcommands();
    let mut headings: Vec<Option<&str>> = Vec::new();
    let arguments: Vec<&Arg> = command
        .get_arguments()
        .filter(|a| {
            !a.is_hide_set()
                && (is_top || !(a.is_global_set() || ["help", "version"].contains(&a.get_id().as_str())))
        })
        .collect();
    for argument in &arguments {
        if !headings.contains(&argument.get_help_heading()) {
            headings.push(argument.get_help_heading());
        }
    }
    for heading in headings {
        if let Some(heading) = heading.filter(|_| !is_top) {
            let _ = write!(text, "\n**{heading}**\n");
        }
        text.push('\n');
        for argument in arguments.iter().filter(|a| a.get_help_heading() == heading) {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "- `{}`: {}{}", name(argument), markdown(&help), values(argument));
        }
    }
}

/// `-o, --output <TARGET>`
fn name(argument: &Arg) -> String {
    let value = argument.get_value_names().map(|names| format!("<{}>", names.join("> <")));
    let takes_value = argument.get_action().takes_values();
    let value = value.filter(|_| takes_value).unwrap_or_default();
    let optional = argument.get_num_args().is_some_and(|number| number.min_values() == 0);
    match (argument.get_short(), argument.get_long()) {
        (_, None) => value.trim_matches(['<', '>']).to_owned(),
        (_, Some(long)) if takes_value && optional => format!("--{long}[={value}]"),
        (Some(short), Some(long)) => format!("-{short}, --{long} {value}").trim_end().to_owned(),
        (None, Some(long)) => format!("--{long} {value}").trim_end().to_owned(),
    }
}

/// The possible values and the default of an argument.
fn values(argument: &Arg) -> String {
    let mut text = String::new();
    let possible = argument.get_possible_values();
    if argument.get_action().takes_values() && !possible.is_empty() && !argument.is_hide_possible_values_set()
    {
        let names: Vec<&str> = possible.iter().map(clap::builder::PossibleValue::get_name).collect();
        let _ = write!(text, " (`{}`)", names.join("`, `"));
    }
    if let [default] = argument.get_default_values()
        && argument.get_action().takes_values()
    {
        let _ = write!(text, " [default: {}]", default.display());
    }
    text
}

/// Escapes angle brackets, which are tags in Markdown.
fn markdown(text: &str) -> String {
    text.replace('<', "&lt;")
}
