//! The fields of a table -> those that are compared, as columns.

use crate::column::Column;
use crate::kind::Kind;
use crate::options::Options;
use crate::table::{RawColumn, Table};
use crate::threads::{Stopped, Work};

/// Fields that are not compared, and why.
pub(crate) type LeftOut = Vec<(String, String)>;

/// The fields that are compared, and those that cannot say anything.
pub(crate) fn columns(
    table: &Table,
    options: &Options,
    work: Work<'_>,
) -> Result<(Vec<Column>, LeftOut), Stopped> {
    let mut left_out = Vec::new();
    let column = |(raw, name): (&RawColumn, &String)| -> Result<Option<Column>, Stopped> {
        let stored =
            options.model.iter().flat_map(|file| &file.model.fields).find(|field| field.name == *name);
        if options.model.is_some() && stored.is_none() {
            left_out.push((name.clone(), "not in the model".into()));
            return Ok(None);
        }
        let told = options.kinds.iter().find(|(told, _)| told == name).map(|(_, kind)| *kind);
        let values = || raw.of.iter().map(|&number| raw.strings.get(number));
        let kind = stored.map(|field| field.kind).or(told).unwrap_or_else(|| Kind::of(values()));
        let column = Column::new(name, kind, raw, work)?;
        let why = match column.len() {
            _ if stored.is_some() => None,
            0 => Some("no values"),
            1 => Some("one value"),
            _ => None,
        };
        if let Some(why) = why {
            left_out.push((name.clone(), why.into()));
        }
        Ok(why.is_none().then_some(column))
    };
    let all = table.columns.iter().zip(table.fields()).map(column);
    let mut columns: Vec<Column> = all.filter_map(Result::transpose).collect::<Result<_, Stopped>>()?;
    if let Some(file) = &options.model {
        let place = |column: &Column| file.model.fields.iter().position(|field| field.name == column.name);
        columns.sort_by_key(place);
    }
    if columns.is_empty() {
        // All records say the same, as far as they say anything: the rule decides.
        let all = table.columns.iter().zip(table.fields());
        let all = all.map(|(raw, name)| Column::new(name, Kind::Name, raw, work));
        columns = all.collect::<Result<_, Stopped>>()?;
        columns.retain(|column| column.len() > 0);
        left_out.retain(|(name, _)| columns.iter().all(|column| column.name != *name));
    }
    Ok((columns, left_out))
}
