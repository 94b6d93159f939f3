//! The evaluation as a page, with the documents of the worst mistakes.

use super::super::files::write_page;
use super::texts::SHOWN;
use crate::arguments::EvaluateArguments;
use crate::failure::Result;
use crate::output::{Evaluated, Mistake, Printer};
use figures::{EvaluationData, MistakenPair, Mistakes, NamedText, evaluation_page};
use lookalike::passages;
use lookalike::shingling::Shingler;
use pipeline::Kind;
use std::collections::BTreeMap;

/// Writes the page, if one is asked for.
pub(super) fn write(
    arguments: &EvaluateArguments,
    evaluated: &Evaluated<'_>,
    printer: &Printer,
) -> Result<()> {
    let Some(path) = &arguments.html else { return Ok(()) };
    let mut texts = BTreeMap::new();
    let mut shingler = None;
    if let Some(known) = &evaluated.texts {
        texts.extend(known.texts.keys().map(|id| (id.clone(), known.readable(id).into_owned())));
        // What is no text has no passages.
        if known.settings.signature.kind == Kind::Text {
            shingler = Some(known.settings.shingler()?);
        }
    }
    let data = EvaluationData {
        name: arguments.found.display().to_string(),
        figures: evaluated.figures(),
        curve: evaluated.plot(),
        wrong: Mistakes {
            all: evaluated.score.wrong(),
            shown: pairs(&evaluated.wrong, &texts, shingler.as_ref())?,
        },
        missed: Mistakes {
            all: evaluated.score.missed(),
            shown: pairs(&evaluated.missed, &texts, shingler.as_ref())?,
        },
    };
    write_page(path, &evaluation_page(&data))?;
    printer.written("the evaluation", path);
    Ok(())
}

/// The worst of the mistakes, with their texts as far as these are known, and what the two texts share.
fn pairs<'t>(
    mistakes: &[Mistake<'t>],
    texts: &'t BTreeMap<String, String>,
    shingler: Option<&Shingler>,
) -> Result<Vec<MistakenPair<'t>>> {
    let named = |name: &'t str| NamedText { name, text: texts.get(name).map_or("", String::as_str) };
    let pair = |mistake: &Mistake<'t>| {
        let (a, b) = (named(mistake.a), named(mistake.b));
        let comparison = shingler.map(|shingler| passages::compare(a.text, b.text, shingler)).transpose();
        Ok(MistakenPair {
            a,
            b,
            similarity: mistake.similarity,
            comparison: comparison.map_err(pipeline::Error::from)?,
        })
    };
    mistakes.iter().take(SHOWN).map(pair).collect()
}
