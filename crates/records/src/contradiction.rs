//! A table that is compared with itself -> whether what was learnt from it can be matches.
//!
//! Where a table has no copies, or hardly any, expectation maximisation finds the groups that agree most, such as restaurants of
//! one street, and takes them for matches: they agree in many fields. But they have other names. A name, a title, a mail address and a
//! telephone number belong to one thing, and where nearly every record has one of its own, matches are known by it. If most matches
//! differ in all such fields, they are no matches. Two tables say the same by their rivals ([`crate::rivals`]).
//!
//! A code, a number or a date of which every record has its own may belong to the record and not to the thing, as the number of a row
//! does, so it contradicts nothing; and there may be several things at one address.

use crate::column::{Column, MISSING};
use crate::kind::Kind;
use crate::model::{Field, Model};

/// A field is of one thing if at least this share of its values is different.
const OWN: f64 = 0.8;

/// Values that are at least so similar may be of the same thing.
const ALIKE: f64 = 0.7;

/// If fewer than this share of the matches are alike in a field, it contradicts them.
const LEAST_ALIKE: f64 = 0.5;

/// The fields that contradict the matches of a model, if all that could do so do.
pub(crate) fn of(model: &Model, columns: &[Column]) -> Option<String> {
    let are_alike = |field: &Field| -> f64 {
        let levels = field.levels.iter().zip(&field.matches);
        levels.filter(|(least, _)| **least >= ALIKE).map(|(_, share)| share).sum()
    };
    let telling = model.fields.iter().zip(columns).filter(|(_, column)| is_of_one_thing(column));
    let telling: Vec<&Field> = telling.map(|(field, _)| field).collect();
    let all_contradict = telling.iter().all(|field| are_alike(field) < LEAST_ALIKE);
    let names = || telling.iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(", ");
    (!telling.is_empty() && all_contradict).then(names)
}

/// True if nearly every record has its own value in a field that belongs to one thing, and at least half of the records have one.
fn is_of_one_thing(column: &Column) -> bool {
    let known = column.of.iter().filter(|value| **value != MISSING).count();
    matches!(column.kind, Kind::Name | Kind::Text | Kind::Mail | Kind::Phone)
        && 2 * known >= column.of.len()
        && column.len() as f64 >= OWN * known as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_of_one_thing_if_its_values_are_different() {
        let is = |kind: Kind, values: &[&str]| {
            is_of_one_thing(&Column::of_values("field", kind, values.iter().copied()))
        };
        let names = ["anna berg", "carl holm", "dora lund", "emma dahl", "ida vik"];
        assert!(is(Kind::Name, &names) && is(Kind::Name, &[&names[..], &["anna berg", "", "", ""]].concat()));
        assert!(
            !is(Kind::Code, &names) && !is(Kind::Address, &names),
            "they may be of the record, or of a place"
        );
        assert!(!is(Kind::Name, &[&names[..], &names[..2]].concat()), "two of seven are not their own");
        assert!(!is(Kind::Name, &[&names[..], &[""; 6]].concat()), "most records have none");
    }
}
