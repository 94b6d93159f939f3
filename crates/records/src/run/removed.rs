//! Decisions -> `removed.jsonl`, a line for each record that is not kept, in the order of the input.

use super::reading::Bad;
use super::{Decision, Decisions, Job, Matched, OnBadRecord, Result, Stop, rounded, weights_json};
use corpus::Target;
use files::{Access, TempFolder};
use serde_json::{Value, json};
use std::io::{BufWriter, Write};

/// Writes the file beside its place and moves it there. Returns its length.
pub(super) fn write(
    job: &Job,
    matched: &Matched,
    decisions: &Decisions,
    (target, aside): (&Target, &TempFolder),
    stop: Stop<'_>,
) -> Result<u64> {
    // What others may do with it is as for all outputs.
    let path = aside.path().join("removed");
    let out = target.files().create(&path, Access::Shared).map_err(corpus::Error::from)?;
    let failed = |cause| {
        corpus::Error::from(files::Error { action: "write", name: path.display().to_string(), cause })
    };
    let mut out = BufWriter::with_capacity(1 << 16, out);
    lines(job, matched, decisions, stop, &mut |line| {
        out.write_all(line.as_bytes()).and_then(|()| out.write_all(b"\n")).map_err(failed)?;
        Ok(())
    })?;
    let out = out.into_inner().map_err(|error| failed(error.into_error()))?;
    let bytes = out.bytes();
    drop(out);
    target.publish(&path, super::write::REMOVED)?;
    Ok(bytes)
}

/// Hands the lines to `visit`, one after the other.
fn lines(
    job: &Job,
    matched: &Matched,
    decisions: &Decisions,
    stop: Stop<'_>,
    visit: &mut dyn FnMut(String) -> Result<()>,
) -> Result<()> {
    let (records, fields) = (&matched.records, matched.linked.field_names());
    let mut bad = records.bad.iter().enumerate().skip(records.against).flat_map(|(at, all)| {
        let all = if job.on_bad_record == OnBadRecord::Skip { all.as_slice() } else { &[] };
        all.iter().map(move |bad| ((at, bad.slot), bad))
    });
    let mut next_bad = bad.next();
    let line_of_bad = |at: usize, bad: &Bad| {
        let source = &records.sources[at].name;
        json!({
            "id": format!("{source}:{}", bad.line), "source": source, "line": bad.line, "kind": "bad",
            "kept_id": null, "kept_source": null, "kept_line": null, "similarity": null, "reason": bad.reason,
        })
    };
    for (record, decision) in decisions.of.iter().enumerate() {
        if record.is_multiple_of(1_024) && stop() {
            return Err(super::Error::Interrupted);
        }
        let Decision::Removed { by, found } = decision else { continue };
        let place = (records.source_of(record), records.slot(record));
        while let Some((at, bad_record)) = next_bad.filter(|(at, _)| *at < place) {
            visit(line_of_bad(at.0, bad_record).to_string())?;
            next_bad = bad.next();
        }
        let (named, kept) = (records.named(record), records.named(*by));
        let found = found.map(|found| &matched.linked.matches[found]);
        let mut line = json!({
            "id": named.id, "source": named.source, "line": named.line, "kind": "match",
            "kept_id": kept.id, "kept_source": kept.source, "kept_line": kept.line,
            "similarity": found.map(|found| found.probability),
        });
        if let Some(found) = found {
            line["probability"] = json!(found.probability);
            line["weight"] = json!(rounded(found.weight));
            line["weights"] = weights_json(&fields, found);
        } else {
            line["reason"] = Value::from("connected with the kept record by other matches");
        }
        visit(line.to_string())?;
    }
    while let Some((at, bad_record)) = next_bad {
        visit(line_of_bad(at.0, bad_record).to_string())?;
        next_bad = bad.next();
    }
    Ok(())
}
