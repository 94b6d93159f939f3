//! What `lookalike index` says.

use super::answers::Answers;
use super::escaped::{escaped, escaped_lines};
use super::{BOLD, Printer, numbers};
use crate::arguments::LogLevel;
use crate::failure::Result;
use index::json::{CheckAnswer, DocumentAnswer, QueryAnswer, StatsAnswer, VerifyAnswer};
use index::{Answer, Checked, Kept, Match, Repaired, Stats, Verified, time};
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

impl Printer {
    /// Says where the service is.
    #[cfg(feature = "server")]
    pub(crate) fn serving(&self, address: std::net::SocketAddr) {
        self.say(LogLevel::Info, &format!("listening on {BOLD}http://{address}{BOLD:#}; Ctrl-C stops it"));
    }

    /// Shows the configuration and the size of an index.
    pub(crate) fn index_stats(&self, stats: &Stats, folder: &Path) -> Result<()> {
        let Stats { config, documents, distinct, lost, disk_bytes, .. } = stats;
        if self.json {
            let mut object = value(&StatsAnswer::from(stats));
            object["plan"] = stats.plan.as_str().into();
            object["found_probability"] = stats.found_probability.into();
            object["config"] = value(config);
            return self.document(format!("{object}\n").as_bytes());
        }
        let matching = &config.settings.matching;
        let mut text = format!("{BOLD}{}{BOLD:#}\n", escaped(&folder.display().to_string()));
        let mut line = |name: &str, value: String| {
            let _ = writeln!(text, "  {name:<12}  {value}");
        };
        line("documents", format!("{}, {} different", numbers::count(*documents), numbers::count(*distinct)));
        line("threshold", format!("{} ({})", matching.threshold, config.settings.signature.measure));
        let found = numbers::share(stats.found_probability);
        line(
            "plan",
            format!("{}; a document at the threshold is found with a chance of {found}", stats.plan),
        );
        line(
            "shingles",
            format!("{}, {}", config.settings.signature.shingles, config.settings.signature.method),
        );
        let similarity = if config.store == index::Stored::Signatures { "estimated" } else { "exact" };
        line("store", format!("{}; similarities are {similarity}", config.store));
        if let Some(ttl) = config.ttl {
            line("stay for", format!("{} s", numbers::count(ttl / 1_000)));
        }
        let each =
            disk_bytes.checked_div(*documents).map(|each| format!(", {} per document", numbers::count(each)));
        line("disk", format!("{} bytes{}", numbers::count(*disk_bytes), each.unwrap_or_default()));
        if *lost > 0 {
            line("lost", format!("{} acknowledged changes", numbers::count(*lost)));
        }
        self.document(text.as_bytes())
    }

    /// Says how many documents were added or removed, and how many there are.
    pub(crate) fn index_changed(&self, done: &str, changed: u64, stats: &Stats, folder: &Path) -> Result<()> {
        if self.json {
            let object = json!({done: changed, "documents": stats.documents});
            return self.document(format!("{object}\n").as_bytes());
        }
        let (changed, documents) = (numbers::count(changed), numbers::count(stats.documents));
        let folder = escaped(&folder.display().to_string());
        self.say(LogLevel::Info, &format!("{done} {changed} documents; {folder} has {documents}"));
        Ok(())
    }

    /// Says how many records were new.
    pub(crate) fn index_checked(&self, new: u64, seen: u64, added: bool) {
        let (new, seen) = (numbers::count(new), numbers::count(seen));
        let added = if added { ", and added" } else { "" };
        self.say(LogLevel::Info, &format!("{new} records are new{added}; {seen} were seen before"));
    }

    /// Says what the answer to a query cannot show.
    pub(crate) fn index_answer(&self, answer: &Answer) {
        if answer.matches.is_empty() && answer.truncated {
            self.note("none of the documents that were looked at is similar enough");
        } else if answer.matches.is_empty() {
            let chance = numbers::share(answer.found_probability);
            self.note(&format!(
                "no document is similar enough; one that is exactly at the threshold would have been found with a \
                 chance of {chance}"
            ));
        }
        if answer.truncated {
            self.note("there are more candidates than the index looks at; the oldest were looked at");
        }
    }

    /// Shows a document.
    pub(crate) fn index_document(&self, kept: &Kept) -> Result<()> {
        if self.json {
            let object = value(&DocumentAnswer::from(kept.clone()));
            return self.document(format!("{object}\n").as_bytes());
        }
        let mut text = format!("{BOLD}{}{BOLD:#}\n", escaped(&kept.id));
        let _ = writeln!(text, "  number    {}", kept.number);
        let _ = writeln!(text, "  added     {}", time::written(kept.added));
        if let Some(expires) = kept.expires {
            let _ = writeln!(text, "  expires   {}", time::written(expires));
        }
        let _ = writeln!(text, "  shingles  {}", numbers::count(kept.shingles));
        if let Some(metadata) = &kept.metadata {
            let _ = writeln!(text, "  metadata  {}", escaped(&Value::Object(metadata.clone()).to_string()));
        }
        if let Some(stored) = &kept.text {
            let _ = writeln!(text, "\n{}", escaped_lines(stored));
        }
        self.document(text.as_bytes())
    }

    /// Says what a check of every entry has found.
    pub(crate) fn index_verified(&self, verified: &Verified) -> Result<()> {
        let Verified { documents, unreadable, entries, missing, extra, largest_bucket, .. } = verified;
        if self.json {
            let object = value(&VerifyAnswer::from(*verified));
            return self.document(format!("{object}\n").as_bytes());
        }
        let [documents, entries, largest] =
            [documents, entries, largest_bucket].map(|it| numbers::count(*it));
        let mut text =
            format!("{documents} documents, {entries} entries, {largest} documents in the largest bucket\n");
        if verified.is_clean() {
            text.push_str("nothing is wrong\n");
        } else {
            let [unreadable, missing, extra] = [unreadable, missing, extra].map(|it| numbers::count(*it));
            let _ = writeln!(
                text,
                "{unreadable} documents cannot be read; {missing} entries are missing, {extra} should not be there"
            );
            if verified.lost > 0 {
                let _ = writeln!(text, "{} acknowledged changes are lost", numbers::count(verified.lost));
            }
            if !verified.counters_agree {
                text.push_str("the counters are not those of the documents\n");
            }
        }
        self.document(text.as_bytes())
    }

    /// Says what a repair has done.
    pub(crate) fn index_repaired(&self, repaired: &Repaired) -> Result<()> {
        let Repaired { documents, lost_documents, lost_batches, .. } = repaired;
        if self.json {
            return self.document(format!("{}\n", value(repaired)).as_bytes());
        }
        let [documents, lost] = [documents, lost_documents].map(|it| numbers::count(*it));
        self.say(
            LogLevel::Info,
            &format!("built again from {documents} documents; {lost} could not be read"),
        );
        if *lost_batches > 0 {
            self.note(&format!("{} acknowledged changes are lost", numbers::count(*lost_batches)));
        }
        Ok(())
    }
}

impl<W: Write> Answers<W> {
    /// Writes the answer to a question: one object as JSON, a line per document as text.
    pub(crate) fn answer(&mut self, answer: &Answer) -> pipeline::Result<()> {
        if self.is_json() {
            return self.either(|| value(&QueryAnswer::from(answer.clone())), "");
        }
        answer.matches.iter().try_for_each(|found| {
            let text =
                format!("{}\t{}\t{}", similarity(found), escaped(&found.id), time::written(found.added));
            self.either(|| Value::Null, &text)
        })
    }

    /// Writes whether a record is new.
    pub(crate) fn checked(&mut self, id: &str, checked: &Checked) -> pipeline::Result<()> {
        let object = || {
            let mut object = value(&CheckAnswer::from(checked.clone()));
            object["id"] = id.into();
            object
        };
        let text = match &checked.matched {
            None => format!("new\t{}", escaped(id)),
            Some(found) => format!("seen\t{}\t{}\t{}", escaped(id), similarity(found), escaped(&found.id)),
        };
        let text = if checked.truncated { format!("{text}\t(not all candidates)") } else { text };
        self.either(object, &text)
    }

    /// Writes that a record could not be checked or added.
    pub(crate) fn not_checked(&mut self, id: &str, error: &index::Error) -> pipeline::Result<()> {
        let text = format!("error\t{}\t{}", escaped(id), escaped(&error.to_string()));
        self.either(|| json!({"id": id, "error": error.to_string()}), &text)
    }

    /// Writes a document of an index.
    pub(crate) fn exported(&mut self, kept: Kept) -> pipeline::Result<()> {
        self.either(|| value(&DocumentAnswer::from(kept)), "")
    }
}

/// A similarity, with its standard error if it is estimated, and its distance if there is one.
fn similarity(found: &Match) -> String {
    match (found.distance, found.standard_error) {
        (Some(distance), _) => format!("{:.4} ({distance} bits)", found.similarity),
        (None, Some(error)) => format!("{:.4} ±{error:.4}", found.similarity),
        (None, None) => format!("{:.4}", found.similarity),
    }
}

/// An answer as JSON.
fn value(answer: &impl Serialize) -> Value {
    serde_json::to_value(answer).expect("answers are plain data")
}
