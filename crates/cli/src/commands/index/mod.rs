//! `lookalike index`: documents that stay, and which of them look like a new one.

mod asking;
mod filling;
mod keeping;
mod sketched;

use crate::arguments::IndexCommand;
use crate::failure::Result;
use crate::output::Printer;
use crate::settings::{Layers, Purpose, with_layers};
use index::{Index, Options};
use pipeline::Resources;
use std::path::Path;

/// Runs the command.
pub(crate) fn run(command: &IndexCommand, printer: &Printer) -> Result<()> {
    // A command that has settings gets their layers.
    macro_rules! layered {
        ($command:path, $arguments:ident) => {
            with_layers($arguments.choices(), Purpose::Duplicates, |layers| {
                $command($arguments, layers, printer)
            })
        };
    }
    match command {
        IndexCommand::Create(arguments) => layered!(filling::create, arguments),
        IndexCommand::Add(arguments) => layered!(filling::add, arguments),
        IndexCommand::Check(arguments) => layered!(filling::check, arguments),
        IndexCommand::Query(arguments) => asking::query(arguments, printer),
        IndexCommand::Passages(arguments) => asking::passages(arguments, printer),
        IndexCommand::Get(arguments) => asking::get(arguments, printer),
        IndexCommand::Stats(arguments) => asking::stats(&arguments.folder, printer),
        IndexCommand::Export(arguments) => asking::export(&arguments.folder, printer),
        IndexCommand::Remove(arguments) => keeping::remove(arguments, printer),
        IndexCommand::Expire(arguments) => keeping::expire(&arguments.folder, printer),
        IndexCommand::Verify(arguments) => keeping::verify(&arguments.folder, printer),
        IndexCommand::Repair(arguments) => keeping::repair(arguments, printer),
        IndexCommand::Compact(arguments) => keeping::compact(&arguments.folder, printer),
        IndexCommand::Backup(arguments) => keeping::backup(arguments, printer),
        IndexCommand::Restore(arguments) => keeping::restore(arguments, printer),
        IndexCommand::Merge(arguments) => keeping::merge(arguments, printer),
    }
}

/// Opens an index. If it has lost something, it can only be read, and a note says so.
fn open(folder: &Path, printer: &Printer) -> Result<Index> {
    open_with(folder, &Options::default(), printer)
}

/// How the commands with settings open an index.
fn options(layers: &Layers) -> Result<Options> {
    // The other half is for what is added. fjall has the filters of tables that it has just been given in the cache, and each is
    // a block of up to some megabytes: without room for them they would be read again for every key.
    let resources = layers.resources()?;
    Ok(options_within(&resources, resources.free() / 2))
}

/// Options with so many bytes of cache at most. What is needed to read an index is in the folder of `--temp-dir`.
pub(super) fn options_within(resources: &Resources, cache: u64) -> Options {
    let options = Options::default();
    let cache = cache.min(options.cache);
    options.with_cache(cache).with_temp_dir(resources.temp_dir.clone())
}

/// Opens an index with options.
pub(super) fn open_with(folder: &Path, options: &Options, printer: &Printer) -> Result<Index> {
    let index = Index::open(folder, options)?;
    if index.lost() > 0 {
        printer.note(&format!(
            "the index has lost {} acknowledged changes and can only be read: restore a backup, or go on without them \
             with `lookalike index repair --accept-loss`",
            index.lost()
        ));
    }
    if index.is_read_only() && index.lost() == 0 {
        printer.note("the files of the index cannot be written to, so it can only be read");
    }
    Ok(index)
}
