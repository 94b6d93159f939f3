//! Decisions -> the list of removed documents, and the sample of pairs just below the threshold.

use crate::decide::Removals;
use crate::resume::decisions_file::Findings;
use crate::resume::outputs::List;
use crate::view::View;
use crate::write::naming::Names;
use crate::write::removed;
use crate::{Error, Job, RemovedFormat, Result};
use corpus::{Target, WORK_FOLDER, output_names};
use files::Access;
use std::io::{BufWriter, Write};
use std::path::Path;

/// The file name of the list of removed documents. It is an error if an output would have the name of another file.
pub(crate) fn removed_name(job: &Job) -> Result<&'static str> {
    let name = match job.settings.files.removed_format {
        RemovedFormat::Jsonl => "removed.jsonl",
        RemovedFormat::Parquet => "removed.parquet",
    };
    output_names(&job.sources, &[WORK_FOLDER, "report.json", "report.html", name])?;
    Ok(name)
}

/// Writes the list of removed documents to a temporary file, and then moves it to the target. A finished list is
/// kept.
pub(crate) fn write_removed(
    view: View<'_>,
    removals: &Removals,
    target: &Target,
    aside: &Path,
    list: &List,
) -> Result<()> {
    let View { store, sources, observer, .. } = view;
    let settings = &view.recipe.settings;
    let name = removed_name(view.job)?;
    if list.is_finished(name) {
        return Ok(());
    }
    let file = aside.join(name);
    let io = |cause| Error::Io { action: "write", name: file.display().to_string(), cause };
    let out = target.files().create(&file, Access::Shared)?;
    match settings.files.removed_format {
        RemovedFormat::Jsonl => {
            let mut out = BufWriter::with_capacity(1 << 18, out);
            removed::rows(removals, store, sources, settings, &mut |row| {
                observer.go_on()?;
                out.write_all(&removed::json_line(&row)).map_err(io)
            })?;
            out.into_inner().map_err(|error| io(error.into_error()))?.sync()?;
        }
        RemovedFormat::Parquet => {
            let mut out = corpus::RemovedWriter::new(out)?;
            removed::rows(removals, store, sources, settings, &mut |row| {
                observer.go_on()?;
                Ok(out.push(&row)?)
            })?;
            out.finish()?;
        }
    }
    let bytes = std::fs::metadata(&file).map_err(io)?.len();
    target.publish(&file, name)?;
    list.add(name, Some(bytes))
}

/// The names of all outputs of a job.
pub(crate) fn outputs_of(job: &Job) -> Result<impl Iterator<Item = &str>> {
    let removed = removed_name(job)?;
    Ok(job.sources.iter().map(|source| source.output.as_str()).chain([removed]))
}

/// Writes the sample of pairs just below the threshold, for people to read.
pub(crate) fn write_near_misses(view: View<'_>, findings: &Findings) -> Result<()> {
    let numbers = findings.near_misses.iter().flat_map(|&(a, b, _)| [a, b]).collect();
    let has_ids = view.recipe.settings.files.id_field.is_some();
    let names = Names::new(numbers, view.store, view.sources, has_ids)?;
    let mut lines = Vec::new();
    for &(number, other, similarity) in &findings.near_misses {
        let (a, b) = (names.reference(other)?, names.reference(number)?);
        let line = serde_json::json!({
            "a": a.id, "a_source": a.source, "a_line": a.line,
            "b": b.id, "b_source": b.source, "b_line": b.line,
            "similarity": similarity,
        });
        lines.extend_from_slice(line.to_string().as_bytes());
        lines.push(b'\n');
    }
    view.work.write("near-misses.jsonl", &lines)
}
