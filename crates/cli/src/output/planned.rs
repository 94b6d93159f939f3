//! The plan of `lookalike plan`, written as text and as JSON.

use super::numbers::{bytes, count};
use super::{BOLD, DIM};
use figures::svg::{Bin, CurvePlot, Histogram};
use figures::terminal::{Colors, PlotSize, curve_plot, histogram};
use figures::{area, percent};
use lookalike::banding::plan::Plan;
use pipeline::{Method, Settings};
use serde_json::json;
use std::fmt::Write as _;

/// A plan and its alternatives.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) settings: Settings,
    pub(crate) label: String,
    pub(crate) documents: u64,
    pub(crate) plot: CurvePlot,
    pub(crate) alternatives: Vec<Alternative>,
    pub(crate) tables: Vec<Tables>,
    pub(crate) disk_bytes: u64,
    /// Bytes on disk if band keys do not fit in memory. Temporary files of verification are not included.
    pub(crate) disk_bytes_with_keys: u64,
    pub(crate) least_memory: u64,
    pub(crate) sample: Option<MeasuredSample>,
}

/// A choice of bands and rows.
#[derive(Debug)]
pub(crate) struct Alternative {
    pub(crate) is_chosen: bool,
    pub(crate) plan: Plan,
    /// The similarity at which half of the pairs are found.
    pub(crate) half: f64,
}

/// A way to divide fingerprints into blocks.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) is_chosen: bool,
    pub(crate) blocks: u64,
    pub(crate) tables: u64,
    /// The number of bits that must be equal.
    pub(crate) bits: u64,
    /// The number of candidates that a query meets by chance.
    pub(crate) candidates: f64,
    /// The size of all tables in bytes.
    pub(crate) bytes: u64,
}

/// What was measured in a sample.
#[derive(Debug)]
pub(crate) struct MeasuredSample {
    /// The number of documents in the corpus.
    pub(crate) documents: u64,
    pub(crate) sampled: u64,
    /// The number of pairs by similarity.
    pub(crate) bins: Vec<Bin>,
    /// The number of pairs that the plan would compare, for the planned number of documents.
    pub(crate) expected_candidates: f64,
    /// The unit of the shingles: words or characters.
    pub(crate) unit: String,
    /// For each k, the chance that a shingle of a document is also in another document.
    pub(crate) chance: Vec<(usize, f64)>,
    /// The smallest k for which this chance is small.
    pub(crate) suggested: Option<usize>,
}

impl Planned {
    /// The plan as text.
    pub(crate) fn text(&self, colors: Colors, columns: usize) -> String {
        let mut text = String::new();
        let simhash = self.settings.method == Method::Simhash;
        let threshold = self.settings.threshold;
        if simhash {
            let _ = writeln!(text, "{BOLD}{}{BOLD:#}: no pair within the distance is missed", self.label);
            let _ = writeln!(text, "{DIM}the chance to be within it, by the cosine of the documents{DIM:#}");
        } else {
            let recall = self.plot.curves[0].at(threshold);
            let _ = writeln!(
                text,
                "{BOLD}{}{BOLD:#}: finds {} of the pairs at {threshold}",
                self.label,
                percent(recall)
            );
        }
        let size = PlotSize { width: columns.min(100), height: 16 };
        text.push_str(&curve_plot(&self.plot, size, colors));
        if simhash {
            self.write_tables(&mut text);
        } else {
            self.write_alternatives(&mut text);
        }
        let _ = writeln!(
            text,
            "\n{} documents: {} on disk while it runs, {} and more if memory is short; at least {} of memory",
            count(self.documents),
            bytes(self.disk_bytes),
            bytes(self.disk_bytes_with_keys),
            bytes(self.least_memory)
        );
        if let Some(sample) = &self.sample {
            self.write_sample(sample, colors, columns, &mut text);
        }
        text
    }

    fn write_alternatives(&self, text: &mut String) {
        let threshold = self.settings.threshold;
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
        for Alternative { is_chosen, plan, half } in &self.alternatives {
            let mark = if *is_chosen { "▸" } else { " " };
            let _ = writeln!(
                text,
                "{mark} {:>5} {:>5} {:>7} {:>12} {:>10.3} {:>14} {:>14}",
                plan.banding.bands(),
                plan.banding.rows(),
                plan.banding.num_hashes(),
                percent(plan.recall),
                half,
                area(plan.false_positive_area),
                area(plan.false_negative_area)
            );
        }
    }

    fn write_tables(&self, text: &mut String) {
        let _ = writeln!(
            text,
            "\n{DIM}  {:>6} {:>7} {:>11} {:>22} {:>12}{DIM:#}",
            "blocks", "tables", "equal bits", "candidates per query", "tables take"
        );
        for table in &self.tables {
            let mark = if table.is_chosen { "▸" } else { " " };
            let _ = writeln!(
                text,
                "{mark} {:>6} {:>7} {:>11} {:>22} {:>12}",
                table.blocks,
                table.tables,
                table.bits,
                format!("{:.3}", table.candidates),
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
        let plot = Histogram { bins: sample.bins.clone(), threshold: Some(self.settings.threshold) };
        text.push_str(&histogram(&plot, columns.min(100), colors));
        let _ = writeln!(
            text,
            "expected candidates of {} documents: {}",
            count(self.documents),
            count(sample.expected_candidates.round() as u64)
        );
        let _ = writeln!(
            text,
            "\n{DIM}   k   share of a document's shingles that another one has (median){DIM:#}"
        );
        for (k, chance) in &sample.chance {
            let mark = if Some(*k) == sample.suggested { "▸" } else { " " };
            let _ = writeln!(text, "{mark} {k:>2}   {}", percent(*chance));
        }
        let _ = match sample.suggested {
            Some(k) => writeln!(text, "suggested: --shingles {}:{k}", sample.unit),
            None => writeln!(
                text,
                "unrelated documents share shingles at every k: they have a common template, or are duplicates"
            ),
        };
    }

    /// The plan as JSON.
    pub(crate) fn json(&self) -> String {
        let curve: Vec<_> = (0..=100)
            .map(|at| f64::from(at) / 100.0)
            .map(|similarity| json!([similarity, self.plot.curves[0].at(similarity)]))
            .collect();
        let alternatives: Vec<_> = self
            .alternatives
            .iter()
            .map(|Alternative { is_chosen, plan, half }| {
                json!({
                    "bands": plan.banding.bands(),
                    "rows": plan.banding.rows(),
                    "chosen": is_chosen,
                    "recall_at_threshold": plan.recall,
                    "half_at": half,
                    "false_positive_area": plan.false_positive_area,
                    "false_negative_area": plan.false_negative_area,
                })
            })
            .collect();
        let tables: Vec<_> = self
            .tables
            .iter()
            .map(|table| {
                json!({
                    "blocks": table.blocks,
                    "tables": table.tables,
                    "equal_bits": table.bits,
                    "chosen": table.is_chosen,
                    "candidates_per_query": table.candidates,
                    "bytes": table.bytes,
                })
            })
            .collect();
        let sample = self.sample.as_ref().map(|sample| {
            json!({
                "documents": sample.documents,
                "sampled": sample.sampled,
                "histogram": sample.bins.iter().map(|bin| bin.found).collect::<Vec<_>>(),
                "expected_candidates": sample.expected_candidates,
                "shared_by_k": sample.chance,
                "suggested_k": sample.suggested,
            })
        });
        let value = json!({
            "plan": self.label,
            "threshold": self.settings.threshold,
            "recall": self.settings.recall,
            "documents": self.documents,
            "disk_bytes": self.disk_bytes,
            "disk_bytes_with_keys": self.disk_bytes_with_keys,
            "least_memory": self.least_memory,
            "curve": curve,
            "alternatives": alternatives,
            "tables": tables,
            "sample": sample,
        });
        let mut text = serde_json::to_string_pretty(&value).expect("plain values");
        text.push('\n');
        text
    }
}
