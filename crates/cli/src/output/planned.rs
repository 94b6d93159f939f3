//! The plan of `lookalike plan`, written as text and as JSON.

use super::numbers::{bytes, count};
use super::plan::found_if;
use super::{BOLD, DIM};
use explain::plan::{MeasuredSample, Planned};
use figures::svg::{Bin, Histogram};
use figures::terminal::{Colors, PlotSize, curve_plot, histogram};
use figures::{area, percent};
use pipeline::{Kind, Method, PLANNED_SHINGLES};
use serde_json::json;
use std::fmt::Write as _;

/// A plan, and what a sample says about it.
#[derive(Debug)]
pub(super) struct ShownPlan<'p> {
    pub(super) planned: &'p Planned,
    pub(super) sample: Option<&'p MeasuredSample>,
}

impl ShownPlan<'_> {
    /// For people.
    pub(super) fn text(&self, colors: Colors, columns: usize) -> String {
        let mut text = String::new();
        let simhash = self.planned.settings.signature.method == Method::Simhash;
        let threshold = self.planned.settings.matching.threshold;
        let (documents, elements) = match self.planned.settings.signature.kind {
            Kind::Sets => ("sets", "items"),
            _ => ("documents", "shingles"),
        };
        if simhash {
            let _ =
                writeln!(text, "{BOLD}{}{BOLD:#}: no pair within the distance is missed", self.planned.label);
            let _ = writeln!(text, "{DIM}the chance to be within it, by the cosine of the documents{DIM:#}");
        } else {
            let recall = percent(self.planned.curve.at(threshold));
            let label = &self.planned.label;
            if self.planned.by_shingles.is_empty() {
                let _ = writeln!(text, "{BOLD}{label}{BOLD:#}: finds {recall} of the pairs at {threshold}");
            } else {
                let _ = writeln!(
                    text,
                    "{BOLD}{label}{BOLD:#}: finds {recall} of the documents of {PLANNED_SHINGLES} shingles at containment {threshold}"
                );
            }
            if let Some(chosen) = self.planned.alternatives.iter().find(|plan| plan.chosen) {
                let _ = writeln!(text, "{DIM}{}{DIM:#}", found_if(chosen.bands, chosen.rows));
            }
            if self.planned.short_up_to > 0 {
                let _ = writeln!(
                    text,
                    "of {documents} of up to {} {elements}, all similar pairs are found, by their rarest {elements}",
                    count(self.planned.short_up_to)
                );
            }
        }
        let size = PlotSize { width: columns.min(100), height: 16 };
        text.push_str(&curve_plot(&self.planned.plot(), size, colors));
        if simhash {
            self.write_tables(&mut text);
        } else if self.planned.by_shingles.is_empty() {
            self.write_alternatives(&mut text);
        } else {
            self.write_by_shingles(&mut text);
        }
        let (documents, disk) = (count(self.planned.documents), bytes(self.planned.disk_bytes));
        let more = if self.planned.by_shingles.is_empty() {
            format!("{} and more if memory is short", bytes(self.planned.disk_bytes_with_keys))
        } else {
            "and 8 bytes for each sampled shingle".to_owned()
        };
        let memory = bytes(self.planned.least_memory);
        let _ = writeln!(
            text,
            "\n{documents} documents: {disk} on disk while it runs, {more}; at least {memory} of memory"
        );
        if let Some(sample) = self.sample {
            self.write_sample(sample, colors, columns, &mut text);
        }
        text
    }

    fn write_alternatives(&self, text: &mut String) {
        if self.planned.alternatives.is_empty() {
            return;
        }
        let threshold = self.planned.settings.matching.threshold;
        let _ = writeln!(
            text,
            "\n{DIM}  {:>5} {:>5} {:>7} {:>12} {:>10} {:>14} {:>14}{DIM:#}",
            "bands",
            "rows",
            "hashes",
            format!("found at {threshold}"),
            "half at",
            "wrong (area)",
            "missed (area)"
        );
        for plan in &self.planned.alternatives {
            let mark = if plan.chosen { "▸" } else { " " };
            let _ = writeln!(
                text,
                "{mark} {:>5} {:>5} {:>7} {:>12} {:>10.3} {:>14} {:>14}",
                plan.bands,
                plan.rows,
                plan.bands * plan.rows,
                percent(plan.recall_at_threshold),
                plan.half_at,
                area(plan.false_positive_area),
                area(plan.false_negative_area)
            );
        }
    }

    fn write_by_shingles(&self, text: &mut String) {
        let threshold = self.planned.settings.matching.threshold;
        let found = format!("found at {threshold}");
        let _ = writeln!(text, "\n{DIM}  {:>8} {found:>14}{DIM:#}", "shingles");
        for (shingles, chance) in &self.planned.by_shingles {
            let _ = writeln!(text, "  {shingles:>8} {:>14}", percent(*chance));
        }
    }

    fn write_tables(&self, text: &mut String) {
        let _ = writeln!(
            text,
            "\n{DIM}  {:>6} {:>7} {:>11} {:>22} {:>12}{DIM:#}",
            "blocks", "tables", "equal bits", "candidates per query", "tables take"
        );
        for table in &self.planned.tables {
            let mark = if table.chosen { "▸" } else { " " };
            let _ = writeln!(
                text,
                "{mark} {:>6} {:>7} {:>11} {:>22} {:>12}",
                table.blocks,
                table.tables,
                table.equal_bits,
                format!("{:.3}", table.candidates_per_query),
                bytes(table.bytes)
            );
        }
    }

    fn write_sample(&self, sample: &MeasuredSample, colors: Colors, columns: usize, text: &mut String) {
        let _ = writeln!(
            text,
            "\n{BOLD}Sample{BOLD:#}: {} of {} documents, similarities of all their pairs",
            count(sample.sampled),
            count(sample.documents)
        );
        let bins = sample.histogram.iter().map(|&found| Bin { found, missed: 0.0 }).collect();
        let plot = Histogram { bins, threshold: Some(self.planned.settings.matching.threshold) };
        text.push_str(&histogram(&plot, columns.min(100), colors));
        let _ = writeln!(
            text,
            "expected candidates of {} documents: {}",
            count(self.planned.documents),
            count(sample.expected_candidates.round() as u64)
        );
        let _ = writeln!(
            text,
            "\n{DIM}   k   share of a document's shingles that another one has (median){DIM:#}"
        );
        for (k, shared) in &sample.shared_by_k {
            let mark = if Some(*k) == sample.suggested_k { "▸" } else { " " };
            let _ = writeln!(text, "{mark} {k:>2}   {}", percent(*shared));
        }
        let _ = match sample.suggested_shingles() {
            Some(shingles) => writeln!(text, "suggested: --shingles {shingles}"),
            None => writeln!(
                text,
                "unrelated documents share shingles at every k: they have a common template, or are duplicates"
            ),
        };
    }

    /// For machines.
    pub(super) fn json(&self) -> String {
        let curve: Vec<_> = (0..=100)
            .map(|at| f64::from(at) / 100.0)
            .map(|similarity| json!([similarity, self.planned.curve.at(similarity)]))
            .collect();
        let value = json!({
            "plan": self.planned.label,
            "threshold": self.planned.settings.matching.threshold,
            "recall": self.planned.settings.matching.recall,
            "short_up_to": self.planned.short_up_to,
            "documents": self.planned.documents,
            "disk_bytes": self.planned.disk_bytes,
            "disk_bytes_with_keys": self.planned.disk_bytes_with_keys,
            "least_memory": self.planned.least_memory,
            "curve": curve,
            "alternatives": self.planned.alternatives,
            "tables": self.planned.tables,
            "by_shingles": self.planned.by_shingles,
            "sample": self.sample,
        });
        let mut text = serde_json::to_string_pretty(&value).expect("plain values");
        text.push('\n');
        text
    }
}
