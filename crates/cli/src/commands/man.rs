//! `lookalike man`: manual pages.

use super::files::write_whole;
use crate::arguments::{ManArguments, command};
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
    for sub in command().get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let name = format!("lookalike-{}", sub.get_name());
        write(folder, &name, sub.clone().name(name.clone()).bin_name(name.replacen('-', " ", 1)))?;
    }
    Ok(())
}

fn write(folder: &Path, name: &str, command: clap::Command) -> Result<()> {
    let path = folder.join(format!("{name}.1"));
    write_whole(&path, &page(command)?)
}

fn page(command: clap::Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page).map_err(|cause| Failure::io("write", "the manual page", &cause))?;
    Ok(page)
}
