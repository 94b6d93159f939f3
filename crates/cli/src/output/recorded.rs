//! What a run on records says: fields, plan, model, summary, and why two records match.

use super::escaped::escaped;
use super::{Answers, BOLD, DIM, LogLevel, Printer, numbers};
use crate::failure::Result;
use figures::terminal::Colors;
use records::run::{Job, Matched, Report};
use records::{Explained, Match};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write;

/// The widest value that a comparison shows, in characters.
const WIDEST: usize = 28;

/// So many bands are named; `report.json` and the page have all of them.
const SHOWN_BANDS: usize = 3;

impl Printer {
    /// Prints the fields, the plan and the model.
    pub(crate) fn records_plan(&self, job: &Job, matched: &Matched) {
        let linked = &matched.linked;
        let fields: Vec<String> = linked
            .model
            .fields
            .iter()
            .filter(|field| field.factor > 0.0)
            .map(|field| format!("{} ({})", escaped(&field.name), field.kind.as_str()))
            .collect();
        let shown = if fields.is_empty() { "none".to_owned() } else { fields.join(", ") };
        let mut line = format!("{BOLD}fields{BOLD:#}  {shown}");
        if !linked.fields_left_out.is_empty() {
            let left: Vec<String> = linked
                .fields_left_out
                .iter()
                .map(|(name, why)| format!("{} ({why})", escaped(name)))
                .collect();
            let _ = write!(line, "; left out: {}", left.join(", "));
        }
        self.say(LogLevel::Info, &line);
        let sources = match job.sources.len() + job.against.len() {
            1 => "1 source".to_owned(),
            many => format!("{} sources", numbers::count(many as u64)),
        };
        let input = format!(
            "input: {sources}, {}; memory: up to {}",
            numbers::bytes(matched.records.bytes),
            numbers::bytes(job.memory)
        );
        let plan: String = plan(job, matched).into_iter().map(|line| format!("{line}\n        ")).collect();
        self.say(LogLevel::Info, &format!("{BOLD}plan{BOLD:#}    {plan}{input}"));
        let (no_labels, shifted) = match job.labels {
            Some(_) => ("", format!("; labels shift all weights by {:+.1}", linked.shift)),
            None => (", no labels", String::new()),
        };
        let learnt = match &linked.rule {
            Some(rule) => escaped(rule),
            None if job.options.has_model() => format!("as it was given, nothing is learnt{shifted}"),
            None => format!(
                "learnt from {} compared pairs{no_labels}, {} rounds{shifted}",
                numbers::count(linked.compared as u64),
                linked.model.rounds
            ),
        };
        self.say(LogLevel::Info, &format!("{BOLD}model{BOLD:#}   {learnt}"));
        if linked.proposes_one_to_one {
            self.note("neither table has copies of its own; --one-to-one keeps only the best partner of each record");
        }
    }

    /// Prints the summary of a dedup of records.
    pub(crate) fn records_summary(&self, report: &Report, target: Option<&str>) -> Result<()> {
        let verb = if target.is_some() { "kept" } else { "would keep" };
        let mut text = records_kept(verb, report);
        add_rows(&mut text, report);
        if let Some(target) = target.filter(|target| *target != "-") {
            let model = if report.has_model { "model.json, " } else { "" };
            let _ = write!(
                text,
                "\n  {DIM}{:<16}{DIM:#}   {}: kept records, removed.jsonl, {model}report.json",
                "outputs",
                escaped(target)
            );
        }
        self.say(LogLevel::Info, &text);
        self.records_report(report)
    }

    /// Prints what a finished run on records did.
    pub(crate) fn inspected_records(&self, report: &Report, folder: &str) -> Result<()> {
        if self.json {
            return self.records_report(report);
        }
        let mut text = records_kept("kept", report);
        add_rows(&mut text, report);
        let decided =
            if report.learnt { "weights of a model" } else { "a rule, since no model could be learnt" };
        let _ = write!(text, "\n  {DIM}{:<16}{DIM:#}   {decided}", "decided by");
        let _ = writeln!(text, "\n  {DIM}{:<16}{DIM:#}   {}", "run", escaped(folder));
        self.document(text.as_bytes())
    }

    /// Says that the target already held the finished run.
    pub(crate) fn records_already_finished(&self, report: &Report, target: &str) -> Result<()> {
        self.say(
            LogLevel::Info,
            &format!("{BOLD}{} already holds this finished run: nothing to do{BOLD:#}", escaped(target)),
        );
        self.records_summary(report, Some(target))
    }

    /// Prints the summary of a search for pairs of records.
    pub(crate) fn records_pairs(&self, report: &Report) {
        let pairs = if report.matches == 1 { "pair" } else { "pairs" };
        self.records_found(report, format!("{} {pairs}", numbers::count(report.matches)));
    }

    /// Prints the summary of a search for clusters of records.
    pub(crate) fn records_clusters(&self, report: &Report) {
        let clusters = if report.entities == 1 { "cluster" } else { "clusters" };
        self.records_found(report, format!("{} {clusters}", numbers::count(report.entities)));
    }

    fn records_found(&self, report: &Report, found: String) {
        let mut text = format!(
            "{BOLD}{found}{BOLD:#} among {} records in {}",
            numbers::count(report.records),
            numbers::seconds(report.run.seconds)
        );
        add_rows(&mut text, report);
        self.say(LogLevel::Info, &text);
    }

    /// Prints the report of a run as JSON, if that was asked for.
    pub(crate) fn records_report(&self, report: &Report) -> Result<()> {
        if !self.json {
            return Ok(());
        }
        let mut text = serde_json::to_string_pretty(report).expect("a report is plain values");
        text.push('\n');
        self.document(text.as_bytes())
    }

    /// Prints why two records match, or do not.
    pub(crate) fn compared_records(&self, compared: &Compared<'_>) -> Result<()> {
        let text = if self.json { compared.json() } else { compared.text(super::colors()) };
        self.document(text.as_bytes())
    }
}

/// Which records were compared, in words: how many bands there are and what they find, and the first ones.
fn plan(job: &Job, matched: &Matched) -> Vec<String> {
    let (linked, records) = (&matched.linked, &matched.records);
    let count = records.table.len() as u64;
    let first = (0..records.table.len()).filter(|&record| records.is_against(record)).count() as u64;
    let within = |count: u64| count * count.saturating_sub(1) / 2;
    let all = match (first, job.against_only) {
        (0, _) => within(count),
        (_, true) => first * (count - first),
        (_, false) => within(count) - within(first),
    };
    if linked.compared as u64 == all {
        return vec![match all {
            0 => "there are no two records to compare".to_owned(),
            1 => "the only two records are compared".to_owned(),
            all => format!("all {} pairs of records are compared", numbers::count(all)),
        }];
    }
    let is_told = job.options.has_model() || !job.options.blocks.is_empty();
    let bands = match linked.bands.len() {
        0 => "no bands,".to_owned(),
        1 if is_told => "1 band, as it was given,".to_owned(),
        many if is_told => format!("{many} bands, as they were given,"),
        1 => format!("1 band finds an estimated {} of the matches", numbers::share(linked.planned)),
        many => format!("{many} bands find an estimated {} of the matches", numbers::share(linked.planned)),
    };
    let cost = linked.compared as f64 / count.max(1) as f64;
    let mut lines = vec![format!("{bands} at {cost:.1} comparisons per record")];
    lines.extend(linked.bands.iter().take(SHOWN_BANDS).map(|it| match is_told {
        true => escaped(&it.band.to_string()),
        false => format!(
            "{}: finds {}, {:.2} comparisons per record",
            escaped(&it.band.to_string()),
            numbers::share(it.finds),
            it.cost
        ),
    }));
    if linked.bands.len() > SHOWN_BANDS {
        lines.push(format!("and {} more", linked.bands.len() - SHOWN_BANDS));
    }
    lines
}

/// The first line of a summary of a dedup.
fn records_kept(verb: &str, report: &Report) -> String {
    format!(
        "{BOLD}{verb} {} of {} records ({}){BOLD:#} in {}",
        numbers::count(report.kept),
        numbers::count(report.records),
        numbers::percent(report.kept, report.records),
        numbers::seconds(report.run.seconds),
    )
}

fn add_rows(text: &mut String, report: &Report) {
    let mut row = |name: &str, number: String, about: String| {
        let _ = write!(text, "\n  {DIM}{name:<16}{DIM:#}{number:>11}   {about}");
    };
    let uncertain = match report.threshold < 0.9 {
        true => format!("; {} of them below 0.9", numbers::count(report.uncertain)),
        false => String::new(),
    };
    row(
        "matches",
        numbers::count(report.matches),
        format!("probability {} and more{uncertain}", report.threshold),
    );
    row(
        "entities",
        numbers::count(report.entities),
        format!("with two records or more, largest {}", report.largest),
    );
    if report.bad_skipped + report.bad_kept > 0 {
        let bad = format!("{} skipped, {} kept", report.bad_skipped, report.bad_kept);
        row("bad records", numbers::count(report.bad_skipped + report.bad_kept), bad);
    }
    if report.repeated_ids > 0 {
        row("repeated ids", numbers::count(report.repeated_ids), "told apart by source and line".into());
    }
    if report.left_out > 0 {
        row(
            "capped",
            numbers::count(report.left_out),
            "records in blocks that were too large to be compared".into(),
        );
    }
    if let Some((recall, error)) = report.recall {
        row("recall", format!("{recall:.4}"), format!("estimated, standard error {error:.4}"));
    }
}

impl<W: Write> Answers<W> {
    /// Writes two records that match.
    pub(crate) fn match_of_records(
        &mut self,
        a: &str,
        b: &str,
        found: &Match,
        weights: &Value,
    ) -> pipeline::Result<()> {
        let probability = found.probability;
        let object = || {
            json!({
                "a": a, "b": b, "similarity": probability, "probability": probability,
                "weight": records::run::rounded(found.weight), "weights": weights,
            })
        };
        let text = format!("{}\t{}\t{}", escaped(a), escaped(b), decimals(probability));
        self.either(object, &text)
    }
}

/// Four decimals; more where they are needed to see that it is not certain.
fn decimals(probability: f64) -> String {
    match probability {
        p if p > 0.999_999_5 => "1.0000".into(),
        p if p >= 0.99995 => format!("{p:.6}"),
        p => format!("{p:.4}"),
    }
}

/// Two records, field by field.
#[derive(Debug)]
pub(crate) struct Compared<'a> {
    /// Their names.
    pub(crate) names: [String; 2],
    /// What their fields say.
    pub(crate) explained: &'a Explained,
    /// The bands, in words, in their order.
    pub(crate) bands: &'a [String],
}

impl Compared<'_> {
    /// The bands that find the two records, by number and in words.
    pub(crate) fn found_by(&self) -> Vec<(usize, &str)> {
        let of_number = |&number: &usize| Some((number, self.bands.get(number.checked_sub(1)?)?.as_str()));
        self.explained.bands.iter().filter_map(of_number).collect()
    }

    fn json(&self) -> String {
        let Self { names, explained, bands: _ } = self;
        let fields: Vec<Value> = explained
            .fields
            .iter()
            .map(|field| {
                json!({"field": field.name, "a": field.a, "b": field.b, "similarity": field.similarity,
                       "weight": records::run::rounded(field.weight), "note": field.note})
            })
            .collect();
        let object = json!({
            "a": names[0], "b": names[1], "fields": fields, "prior": records::run::rounded(explained.prior),
            "weight": records::run::rounded(explained.weight), "probability": explained.probability,
            "bands": explained.bands, "found_by": self.found_by().iter().map(|it| it.1).collect::<Vec<_>>(),
        });
        format!("{object:#}\n")
    }

    /// A table: a line for each field, those that say most first; then the prior and the sum, and the bands that find the two.
    fn text(&self, colors: Colors) -> String {
        let Self { names, explained, bands: _ } = self;
        let cut = |value: &str| -> String {
            let value = if value.is_empty() { "-".to_owned() } else { escaped(value) };
            match value.chars().count() > WIDEST {
                true => value.chars().take(WIDEST - 3).chain("...".chars()).collect(),
                false => value,
            }
        };
        let mut rows: Vec<[String; 6]> = vec![[
            String::new(),
            cut(&names[0]),
            cut(&names[1]),
            "similarity".into(),
            "weight".into(),
            String::new(),
        ]];
        for field in &explained.fields {
            rows.push([
                cut(&field.name),
                cut(&field.a),
                cut(&field.b),
                field.similarity.clone(),
                signed(field.weight),
                field.note.clone(),
            ]);
        }
        let empty = String::new;
        rows.push(["prior".into(), empty(), empty(), empty(), signed(explained.prior), empty()]);
        let bands: Vec<String> = explained.bands.iter().map(usize::to_string).collect();
        let found = match bands.as_slice() {
            [] => "found by no band".to_owned(),
            [one] => format!("found by band {one}"),
            _ => format!("found by bands {}", bands.join(", ")),
        };
        let sum = format!("probability {}; {found}", probability(explained.probability));
        rows.push(["sum".into(), empty(), empty(), empty(), signed(explained.weight), sum]);
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths = [width(0), width(1), width(2), width(3), width(4)];
        let mut text = String::new();
        for (at, row) in rows.iter().enumerate() {
            let mut line = format!(
                "{:<w0$}   {:<w1$}   {:<w2$}   {:<w3$}   {:>w4$}   {}",
                row[0],
                row[1],
                row[2],
                row[3],
                row[4],
                row[5],
                w0 = widths[0],
                w1 = widths[1],
                w2 = widths[2],
                w3 = widths[3],
                w4 = widths[4],
            );
            line.truncate(line.trim_end().len());
            let is_bold = colors == Colors::On && (at == 0 || at + 1 == rows.len());
            match is_bold {
                true => {
                    let _ = writeln!(text, "{BOLD}{line}{BOLD:#}");
                }
                false => {
                    let _ = writeln!(text, "{line}");
                }
            }
        }
        for (number, band) in self.found_by() {
            let _ = writeln!(text, "band {number}: {}", escaped(band));
        }
        text
    }
}

/// `+7.1`, `-2.4`, ` 0.0`.
fn signed(weight: f64) -> String {
    if weight.abs() < 0.05 { "0.0".into() } else { format!("{weight:+.1}") }
}

fn probability(probability: f64) -> String {
    match probability {
        p if p > 0.999_999_5 => ">0.999999".into(),
        p if p < 0.000_000_5 => "<0.000001".into(),
        p => format!("{p:.6}"),
    }
}
