//! `lookalike index remove`, `expire`, `verify`, `repair`, `compact`, `backup`, `restore` and `merge`.

use super::open;
use crate::arguments::{BackupArguments, MergeArguments, RemoveArguments, RepairArguments, RestoreArguments};
use crate::commands::job::STANDARD;
use crate::failure::{Failure, Result};
use crate::interruption;
use crate::output::Printer;
use index::{Clock, Filter, Index, Options, SystemClock};
use pipeline::Resources;
use std::path::Path;

/// So many documents are removed with one sync.
const BATCH: usize = 1_000;

/// Removes documents.
pub(crate) fn remove(arguments: &RemoveArguments, printer: &Printer) -> Result<()> {
    let RemoveArguments { folder, id, ids, filter } = arguments;
    let index = open(folder, printer)?;
    if !filter.is_empty() {
        let removed = index.remove_where(&filter.iter().cloned().collect::<Filter>())?;
        return printer.index_changed("removed", removed, &index.stats()?, folder);
    }
    let listed = match ids {
        Some(path) => list_of(path)?,
        None => String::new(),
    };
    let listed = listed.lines().map(|line| line.trim_end_matches('\r')).filter(|line| !line.is_empty());
    let all: Vec<&str> = id.iter().map(String::as_str).chain(listed).collect();
    let mut removed = 0;
    for some in all.chunks(BATCH) {
        if interruption::requested() {
            return Err(Failure::interrupted());
        }
        removed += index.remove(some)?;
    }
    let absent = all.len() as u64 - removed;
    if absent > 0 {
        printer.note(&format!("{absent} of {} ids are not in the index", all.len()));
    }
    printer.index_changed("removed", removed, &index.stats()?, folder)
}

/// The text of a file, or of standard input. Another id must not be removed because a byte is wrong.
fn list_of(path: &Path) -> Result<String> {
    let most = Resources::of_this_machine().memory / 4;
    let bytes = match path == Path::new(STANDARD) {
        true => corpus::read_stdin(most)?,
        false => corpus::read_file(path.as_os_str(), most)?,
    };
    String::from_utf8(bytes).map_err(|wrong| {
        let before = &wrong.as_bytes()[..wrong.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        let path = path.display();
        Failure::usage(format!("{path}, line {line}: an id is not valid UTF-8; nothing was removed"))
    })
}

/// Removes what has expired.
pub(crate) fn expire(folder: &Path, printer: &Printer) -> Result<()> {
    let index = open(folder, printer)?;
    let now = SystemClock.now();
    let mut removed = 0;
    loop {
        if interruption::requested() {
            return Err(Failure::interrupted());
        }
        match index.expire(now, BATCH)? {
            0 => return printer.index_changed("removed", removed, &index.stats()?, folder),
            some => removed += some,
        }
    }
}

/// Checks every entry.
pub(crate) fn verify(folder: &Path, printer: &Printer) -> Result<()> {
    let index = open(folder, printer)?;
    let verified = index.verify()?;
    printer.index_verified(&verified)?;
    match verified.is_clean() {
        true => Ok(()),
        false => Err(Failure::bad_index(format!("the index in {} is damaged", folder.display()))
            .with_advice(format!("lookalike index repair {}", folder.display()))),
    }
}

/// Builds again what follows from the documents.
pub(crate) fn repair(arguments: &RepairArguments, printer: &Printer) -> Result<()> {
    let repaired = Index::repair(&arguments.folder, arguments.accept_loss, &Options::default())?;
    printer.index_repaired(&repaired)
}

/// Merges the tables on disk.
pub(crate) fn compact(folder: &Path, printer: &Printer) -> Result<()> {
    let index = open(folder, printer)?;
    index.compact()?;
    // Tables that were replaced are removed when the index is opened again.
    drop(index);
    let index = open(folder, printer)?;
    printer.index_stats(&index.stats()?, folder)
}

/// Writes a copy.
pub(crate) fn backup(arguments: &BackupArguments, printer: &Printer) -> Result<()> {
    let index = open(&arguments.folder, printer)?;
    index.backup(&arguments.to)?;
    printer.written("the backup", &arguments.to);
    Ok(())
}

/// Makes an index of a backup.
pub(crate) fn restore(arguments: &RestoreArguments, printer: &Printer) -> Result<()> {
    let index = Index::restore(&arguments.backup, &arguments.folder, &Options::default())?;
    printer.index_stats(&index.stats()?, &arguments.folder)
}

fn advised(error: index::Error) -> Failure {
    match error {
        index::Error::DuplicateId { .. } => {
            Failure::from(error).with_advice("use --skip-present to leave out documents that are there")
        }
        index::Error::DifferentKeys => Failure::from(error).with_advice(
            "create an index with `lookalike index create NEW --like INDEX`, and add the documents to that",
        ),
        error => error.into(),
    }
}

/// Adds the documents of other indexes.
pub(crate) fn merge(arguments: &MergeArguments, printer: &Printer) -> Result<()> {
    let index = open(&arguments.folder, printer)?;
    let mut added = 0;
    let is_same = |other: &Path| {
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        real(other).is_some_and(|other| real(&arguments.folder) == Some(other))
    };
    if let Some(other) = arguments.others.iter().find(|other| is_same(other)) {
        return Err(Failure::usage(format!("{} is the index itself", other.display()))
            .with_advice("name other indexes, whose documents are added to the first"));
    }
    for other in &arguments.others {
        added += index.merge(&open(other, printer)?, arguments.skip_present).map_err(advised)?;
    }
    printer.index_changed("added", added, &index.stats()?, &arguments.folder)
}
