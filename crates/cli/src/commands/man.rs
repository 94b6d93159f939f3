//! `lookalike man`: manual pages.

use super::files::write_whole;
use crate::arguments::{ManArguments, command, shown_commands};
use crate::failure::{Failure, Result};
use crate::output::Printer;
use clap_mangen::Man;
use std::path::Path;

/// Runs the command.
pub(crate) fn run(arguments: &ManArguments, printer: &Printer) -> Result<()> {
    let Some(folder) = &arguments.folder else {
        return printer.document(&page(command())?);
    };
    std::fs::create_dir_all(folder)
        .map_err(|cause| Failure::io("make the folder", folder.display(), &cause))?;
    write(folder, "lookalike", command())?;
    for (words, sub) in shown_commands(&command()) {
        let name = format!("lookalike-{}", words.replace(' ', "-"));
        write(folder, &name, sub.name(name.clone()).bin_name(format!("lookalike {words}")))?;
    }
    Ok(())
}

fn write(folder: &Path, name: &str, command: clap::Command) -> Result<()> {
    let path = folder.join(format!("{name}.1"));
    write_whole(&path, &page(command)?)
}

fn page(command: clap::Command) -> Result<Vec<u8>> {
    // A manual page has all flags that `--help` shows, also those that `-h` hides.
    let command = command.mut_args(|argument| argument.hide_short_help(false));
    let mut page = Vec::new();
    Man::new(command).render(&mut page).map_err(|cause| Failure::io("write", "the manual page", &cause))?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a page that describe the option `--name`: from its own to the next.
    fn described(page: &str, name: &str) -> Option<String> {
        let option = format!("\\-\\-{}", name.replace('-', "\\-"));
        let mut lines = page.lines().skip_while(|line| {
            let words: Vec<&str> = line.split("\\fB").flat_map(|part| part.split("\\fR")).collect();
            !(line.starts_with("\\fB\\-") && words.contains(&option.as_str()))
        });
        lines.next()?;
        Some(lines.take_while(|line| !line.starts_with(".TP") && !line.starts_with(".SH")).collect())
    }

    #[test]
    fn every_shown_option_of_every_command_has_text_in_its_page_and_in_the_help() {
        let mut seen = 0;
        for (_, sub) in shown_commands(&command()) {
            let page = String::from_utf8(page(sub.clone()).unwrap()).unwrap();
            let help = sub.clone().render_long_help().to_string();
            let is_shown = |option: &&clap::Arg| option.get_long().is_some() && !option.is_hide_set();
            for option in sub.get_arguments().filter(is_shown) {
                let name = option.get_long().unwrap();
                let text = described(&page, name)
                    .unwrap_or_else(|| panic!("--{name} is not in the page of {}:\n{page}", sub.get_name()));
                let about = option.get_help().unwrap().to_string();
                let first: Vec<&str> = about.split_whitespace().take(2).collect();
                let plain = text.replace("\\-", "-");
                assert!(plain.contains(&first.join(" ")), "{} --{name}: {text:?}", sub.get_name());
                let wrapped = help.split_whitespace().collect::<Vec<_>>().join(" ");
                let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(wrapped.contains(&about), "{} --{name} in --help", sub.get_name());
                seen += 1;
            }
        }
        assert!(seen > 100, "only {seen} options were looked at");
    }
}
