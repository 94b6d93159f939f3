//! The evaluation as a page, with the texts of the worst mistakes.

use super::super::files::{check_page, write_page};
use super::super::job::documents_job;
use crate::arguments::EvaluateArguments;
use crate::failure::Result;
use crate::interruption;
use crate::output::{Evaluated, Mistake, Printer, Progress};
use crate::settings::Layers;
use figures::{EvaluationData, MistakenPair, Mistakes, NamedText, evaluation_page};
use lookalike::passages;
use lookalike::shingling::Shingler;
use std::collections::BTreeMap;

/// So many mistakes of each sort are on the page.
const SHOWN: usize = 20;

/// Writes the page, if one is asked for.
pub(super) fn write(
    arguments: &EvaluateArguments,
    evaluated: &Evaluated<'_>,
    layers: &Layers,
    printer: &Printer,
) -> Result<()> {
    let Some(path) = &arguments.html else { return Ok(()) };
    check_page(path)?;
    let shown = || evaluated.wrong.iter().take(SHOWN).chain(evaluated.missed.iter().take(SHOWN));
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut shingler = None;
    if !arguments.corpus.is_empty() {
        let (job, copies) = documents_job(&arguments.corpus, layers, printer)?;
        interruption::begin_run(false)?;
        let mut ids: Vec<&str> = shown().flat_map(|mistake| [mistake.a, mistake.b]).collect();
        ids.sort_unstable();
        ids.dedup();
        let progress = Progress::new(printer, &job).without_plan();
        let found = pipeline::texts(&job, &ids, &progress);
        progress.end();
        texts.extend(ids.iter().map(|id| (*id).to_owned()).zip(found?.into_iter().map(|found| found.text)));
        drop(copies);
        interruption::end_run();
        shingler = Some(job.settings.shingler()?);
    }
    let (wrong, missed) = (
        pairs(&evaluated.wrong, &texts, shingler.as_ref())?,
        pairs(&evaluated.missed, &texts, shingler.as_ref())?,
    );
    let data = EvaluationData {
        name: arguments.found.display().to_string(),
        figures: evaluated.figures(),
        curve: evaluated.plot(),
        wrong: Mistakes { all: evaluated.score.wrong(), shown: wrong },
        missed: Mistakes { all: evaluated.score.missed(), shown: missed },
    };
    write_page(path, &evaluation_page(&data))?;
    printer.written("the evaluation", path);
    Ok(())
}

/// The first of some mistakes, with their texts.
fn pairs<'t>(
    mistakes: &[Mistake<'t>],
    texts: &'t BTreeMap<String, String>,
    shingler: Option<&Shingler>,
) -> Result<Vec<MistakenPair<'t>>> {
    let text_of = |id: &str| texts.get(id).map_or("", String::as_str);
    let pair = |mistake: &Mistake<'t>| {
        let (a, b) = (text_of(mistake.a), text_of(mistake.b));
        let comparison = shingler.map(|shingler| passages::compare(a, b, shingler)).transpose();
        Ok(MistakenPair {
            a: NamedText { name: mistake.a, text: a },
            b: NamedText { name: mistake.b, text: b },
            similarity: mistake.similarity,
            comparison: comparison.map_err(pipeline::Error::from)?,
        })
    };
    mistakes.iter().take(SHOWN).map(pair).collect()
}
