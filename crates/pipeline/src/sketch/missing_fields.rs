//! Refuses settings that name a field that no record has.
//!
//! CSV and Parquet files and tables name their columns, so the error is reported when they are opened. JSON Lines
//! files do not: only after all records have been read is it known that none has the field.

use crate::limits::memory::Ledger;
use crate::method::Recipe;
use crate::report::Counts;
use crate::sketch::{Sources, limits};
use crate::{Choice, Error, Keep, Result, SettingName, WrongSetting};
use corpus::{FieldPath, Format, Limits, field_names};
use lookalike::similarity::edit_distance_at_most;

/// Returns an error if a setting names a field that no record has.
pub(crate) fn check(recipe: &Recipe, sources: Sources<'_>, budget: &Ledger, counts: &Counts) -> Result<()> {
    let bad = counts.bad_skipped + counts.bad_kept;
    let documents = counts.documents - bad + counts.against;
    let fields = &recipe.fields;
    let asked = [
        (&fields.id, counts.absent_id),
        (&fields.order, counts.absent_order),
        (&fields.within, counts.absent_within),
        (&fields.site, counts.absent_site),
    ];
    // With `on-bad-record` other than `fail`, a mistyped field would make every record a bad one.
    if counts.documents > 0 && counts.absent_text == counts.documents {
        let choice = Choice::new(SettingName::TextField, fields.text.written());
        return Err(refusal(choice, &fields.text, sources, limits(budget, recipe)));
    }
    if let (Some(path), Some(near)) = (&fields.date, &recipe.settings.matching.within_days)
        && counts.documents > 0
        && counts.absent_date == counts.documents
    {
        let choice = Choice::new(SettingName::WithinDays, near);
        return Err(refusal(choice, path, sources, limits(budget, recipe)));
    }
    for (number, (path, absent)) in asked.into_iter().enumerate() {
        if let Some(path) = path
            && documents > 0
            && absent == documents
        {
            let name = path.written();
            let choice = match number {
                0 => Choice::new(SettingName::IdField, name),
                1 if matches!(recipe.settings.matching.keep, Keep::Max(_)) => {
                    Choice::new(SettingName::Keep, format_args!("max:{name}"))
                }
                1 => Choice::new(SettingName::Keep, format_args!("min:{name}")),
                2 => Choice::new(SettingName::Within, name),
                _ => Choice::new(SettingName::SiteField, name),
            };
            return Err(refusal(choice, path, sources, limits(budget, recipe)));
        }
    }
    Ok(())
}

fn refusal(choice: Choice, path: &FieldPath, sources: Sources<'_>, limits: Limits) -> Error {
    let name = path.written();
    // The names are taken from the first records of the first source that has fields.
    let mut names = Vec::new();
    for at in (0..sources.len()).filter(|&at| sources.get(at).format == Format::Jsonl) {
        // Errors of a source were already reported when it was read.
        names = field_names(sources.get(at), path, limits).unwrap_or_default();
        if !names.is_empty() {
            break;
        }
    }
    let nearest = names
        .iter()
        .filter_map(|other| {
            let most = name.chars().count().div_ceil(3).min(4);
            edit_distance_at_most(&name, other, most).map(|distance| (distance, other))
        })
        .min();
    let nearest = nearest.map(|(_, nearest)| nearest.clone());
    WrongSetting::NoSuchField { choice, field: name, fields: names, nearest }.into()
}
