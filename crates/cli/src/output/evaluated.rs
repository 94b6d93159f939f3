//! How good an answer is, as text and as JSON.

use super::answers::STANDARD_OUTPUT;
use super::compared_values::ShownValues;
use super::escaped::escaped;
use super::{BOLD, DIM, Printer, numbers};
use crate::failure::{Failure, Result};
use figures::svg::{Axis, Corner, Curve, CurvePlot, LinePlot, Series};
use figures::terminal::{Colors, LineBreaks, PlotSize, SideBySide, curve_plot, side_by_side};
use lookalike::evaluation::{BCubed, Point, Score};
use lookalike::passages;
use pipeline::{Kind, Settings, compare_values};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, BufWriter, IsTerminal, Write};

/// The evaluation of an answer.
#[derive(Debug)]
pub(crate) struct Evaluated<'a> {
    pub(crate) score: Score,
    /// The threshold with the highest F1, if the answer has similarities.
    pub(crate) best: Option<Point>,
    /// For clusters.
    pub(crate) b_cubed: Option<BCubed>,
    /// The first wrong and the first missed pairs.
    pub(crate) wrong: Vec<Mistake<'a>>,
    pub(crate) missed: Vec<Mistake<'a>>,
    /// The score at every threshold, the highest first.
    pub(crate) curve: Vec<Point>,
    /// The documents of the worst mistakes, if there is a corpus.
    pub(crate) texts: Option<MistakenTexts>,
}

/// Documents of mistakes, by id, and how they are compared.
#[derive(Debug)]
pub(crate) struct MistakenTexts {
    pub(crate) texts: BTreeMap<String, String>,
    pub(crate) settings: Settings,
}

impl MistakenTexts {
    /// A document as people read it: the row of an array has its numbers.
    pub(crate) fn readable(&self, id: &str) -> Cow<'_, str> {
        let text = self.texts.get(id).map_or("", String::as_str);
        let mut numbers = Vec::new();
        if self.settings.signature.kind == Kind::Text || !corpus::unpack_floats(text, &mut numbers) {
            return text.into();
        }
        let written: Vec<String> = numbers.iter().map(f32::to_string).collect();
        format!("[{}]", written.join(", ")).into()
    }

    /// The two documents of a mistake side by side, or what they share.
    fn beside(&self, mistake: &Mistake<'_>, colors: Colors, columns: usize) -> Result<Option<String>> {
        let (Some(a), Some(b)) = (self.texts.get(mistake.a), self.texts.get(mistake.b)) else {
            return Ok(None);
        };
        let names = [mistake.a.to_owned(), mistake.b.to_owned()];
        if self.settings.signature.kind != Kind::Text {
            // What cannot be compared was in no run either.
            let compared = compare_values(&self.settings, [a, b], [&[], &[]]);
            return Ok(compared
                .ok()
                .map(|compared| ShownValues { compared: &compared, names: &names }.text()));
        }
        let shingler = self.settings.shingler()?;
        let comparison = passages::compare(a, b, &shingler).map_err(pipeline::Error::from)?;
        let [of_a, of_b] = names.map(|name| escaped(&name));
        let half = columns.saturating_sub(3) / 2;
        let (unshared_words, shared_words, line_breaks) = (24, 24, LineBreaks::Paragraphs);
        let options = SideBySide { width: columns, colors, unshared_words, shared_words, line_breaks };
        let texts = side_by_side(a, b, &comparison, options);
        Ok(Some(format!("{BOLD}{of_a:<half$}{BOLD:#}   {BOLD}{of_b}{BOLD:#}\n{texts}")))
    }
}

/// A pair that is wrong or was missed.
#[derive(Debug)]
pub(crate) struct Mistake<'a> {
    pub(crate) a: &'a str,
    pub(crate) b: &'a str,
    pub(crate) similarity: Option<f64>,
}

impl Evaluated<'_> {
    /// So many mistakes of each sort are in JSON.
    pub(crate) const LISTED: usize = 100;
    /// So many are shown as text.
    const SHOWN: usize = 5;
    /// The curve in JSON has at most so many points.
    const POINTS: usize = 1_000;

    pub(super) fn text(&self) -> String {
        let Self { score, best, b_cubed, .. } = self;
        let counted = |number: u64, noun: &str| {
            format!("{} {noun}{}", numbers::count(number), if number == 1 { "" } else { "s" })
        };
        let mut text =
            format!("{BOLD}{}, {}{BOLD:#}\n", counted(score.found, "pair"), counted(score.truth, "true one"));
        let mut row = |name: &str, value: f64, about: String| {
            let _ = writeln!(text, "  {DIM}{name:<19}{DIM:#}{}{about}", rounded(value));
        };
        let listed = |number: u64, what: &str| match number {
            0 => String::new(),
            number => format!("   ({} {what}: --{what})", numbers::count(number)),
        };
        row("precision", score.precision(), listed(score.wrong(), "wrong"));
        row("recall", score.recall(), listed(score.missed(), "missed"));
        row("F1", score.f1(), String::new());
        if let Some(point) = best {
            row("best threshold", point.threshold, format!("   F1 {}", rounded(point.score.f1())));
        }
        if let Some(b_cubed) = b_cubed {
            row("B-cubed precision", b_cubed.precision, String::new());
            row("B-cubed recall", b_cubed.recall, String::new());
            row("B-cubed F1", b_cubed.f1(), String::new());
        }
        for (what, mistakes) in [("wrong", &self.wrong), ("missed", &self.missed)] {
            if !mistakes.is_empty() {
                let _ = writeln!(text, "  {DIM}{what}{DIM:#}");
            }
            for mistake in mistakes.iter().take(Self::SHOWN) {
                let _ = writeln!(text, "    {}", mistake.line().replace('\t', "  "));
            }
        }
        text
    }

    /// The figures with their names, for the page.
    pub(crate) fn figures(&self) -> Vec<(String, String)> {
        let Self { score, best, b_cubed, .. } = self;
        let mut figures = vec![
            ("pairs".to_owned(), numbers::count(score.found)),
            ("true ones".to_owned(), numbers::count(score.truth)),
            ("precision".to_owned(), rounded(score.precision())),
            ("recall".to_owned(), rounded(score.recall())),
            ("F1".to_owned(), rounded(score.f1())),
        ];
        if let Some(point) = best {
            let at = format!("{}, F1 {}", rounded(point.threshold), rounded(point.score.f1()));
            figures.push(("best threshold".to_owned(), at));
        }
        if let Some(b_cubed) = b_cubed {
            figures.push(("B-cubed F1".to_owned(), rounded(b_cubed.f1())));
        }
        figures
    }

    /// The score at a threshold; nothing is found above the highest similarity.
    fn at(&self, threshold: f64) -> Score {
        let above = self.curve.partition_point(|point| point.threshold >= threshold);
        let nothing = Score { truth: self.score.truth, ..Score::default() };
        above.checked_sub(1).map_or(nothing, |last| self.curve[last].score)
    }

    /// The scores by threshold, as a plot; `None` if the answer has no similarities.
    pub(crate) fn plot(&self) -> Option<LinePlot> {
        let (first, last) = (self.curve.last()?.threshold, self.curve.first()?.threshold);
        let line = |label: &str, of: fn(Score) -> f64| Series::of(label, first, last, |at| of(self.at(at)));
        Some(LinePlot {
            title: "Scores by threshold".into(),
            x: Axis::between("threshold", first, last),
            y: Axis::between("score", 0.0, 1.0),
            series: vec![
                line("F1", Score::f1),
                line("precision", Score::precision),
                line("recall", Score::recall),
            ],
            mark: self.best.as_ref().map(|point| (point.threshold, "best".to_owned())),
            legend: Corner::BottomLeft,
        })
    }

    /// The scores by threshold, drawn for a terminal.
    fn picture(&self) -> Option<String> {
        self.curve.first()?;
        let curve = |label: &str, of: fn(Score) -> f64| Curve::sample(label, |at| of(self.at(at)));
        let plot = CurvePlot {
            curves: vec![
                curve("F1 by threshold", Score::f1),
                curve("precision", Score::precision),
                curve("recall", Score::recall),
            ],
            threshold: self.best.as_ref().map(|point| point.threshold),
            found: Vec::new(),
        };
        let size = PlotSize { width: super::columns().min(80), height: 16 };
        Some(curve_plot(&plot, size, super::colors()))
    }

    /// The worst mistakes side by side.
    fn side_by_side(&self) -> Result<String> {
        let mut text = String::new();
        let Some(known) = &self.texts else { return Ok(text) };
        for (what, mistakes) in [("wrong", &self.wrong), ("missed", &self.missed)] {
            for mistake in mistakes.iter().take(Self::SHOWN) {
                if let Some(beside) = known.beside(mistake, super::colors(), super::columns())? {
                    let _ = write!(text, "\n{DIM}{what}{DIM:#}\n{beside}");
                }
            }
        }
        Ok(text)
    }

    pub(super) fn json(&self) -> String {
        let point = |point: &Point| {
            let Point { threshold, score } = point;
            json!({"threshold": threshold, "precision": score.precision(), "recall": score.recall(), "f1": score.f1()})
        };
        let mistake = |mistake: &Mistake<'_>| {
            let mut value = mistake.json();
            for (side, id) in [("document_a", mistake.a), ("document_b", mistake.b)] {
                if let Some(known) = self.texts.as_ref().filter(|known| known.texts.contains_key(id)) {
                    value[side] = known.readable(id).into();
                }
            }
            value
        };
        let Score { found, truth, correct } = self.score;
        // The last point, which is the whole answer, is always there.
        let step = self.curve.len().div_ceil(Self::POINTS).max(1);
        let curve: Vec<Value> = self.curve.iter().rev().step_by(step).map(point).collect();
        let value = json!({
            "found": found,
            "true": truth,
            "correct": correct,
            "precision": self.score.precision(),
            "recall": self.score.recall(),
            "f1": self.score.f1(),
            "best": self.best.as_ref().map(point),
            "b_cubed": self.b_cubed.map(|it| json!({"precision": it.precision, "recall": it.recall, "f1": it.f1()})),
            "curve": curve,
            "wrong": self.wrong.iter().map(mistake).collect::<Vec<_>>(),
            "missed": self.missed.iter().map(mistake).collect::<Vec<_>>(),
        });
        format!("{}\n", serde_json::to_string_pretty(&value).expect("these are plain values"))
    }
}

impl Mistake<'_> {
    /// The two ids, and the similarity if it is known, between tabs.
    fn line(&self) -> String {
        let mut line = format!("{}\t{}", escaped(self.a), escaped(self.b));
        if let Some(similarity) = self.similarity {
            let _ = write!(line, "\t{}", rounded(similarity));
        }
        line
    }

    fn json(&self) -> Value {
        json!({"a": self.a, "b": self.b, "similarity": self.similarity})
    }
}

/// Four digits, of which none is rounded up to 1 or down to 0.
fn rounded(number: f64) -> String {
    match number {
        n if n < 1.0 && n > 0.99995 => "0.9999".into(),
        n if n > 0.0 && n < 0.00005 => "0.0001".into(),
        n => format!("{n:.4}"),
    }
}

impl Printer {
    /// Prints how good an answer is, and `beside` the figures the documents of the worst mistakes.
    pub(crate) fn evaluated(&self, evaluated: &Evaluated<'_>, beside: bool) -> Result<()> {
        let mut text = if self.json { evaluated.json() } else { evaluated.text() };
        // A file or a program gets the figures only.
        if !self.json && io::stdout().is_terminal() {
            text.push_str(&evaluated.picture().unwrap_or_default());
        }
        if !self.json && beside {
            text.push_str(&evaluated.side_by_side()?);
        }
        self.document(text.as_bytes())
    }

    /// Lists mistakes, one in a line.
    pub(crate) fn mistakes<'m>(&self, mistakes: impl Iterator<Item = Mistake<'m>>) -> Result<()> {
        let mut out = BufWriter::new(io::stdout().lock());
        let write = || {
            for mistake in mistakes {
                let line = if self.json { mistake.json().to_string() } else { mistake.line() };
                writeln!(out, "{line}")?;
            }
            out.flush()
        };
        match write() {
            Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::io("write to", STANDARD_OUTPUT, &cause))
            }
            _ => Ok(()),
        }
    }
}
