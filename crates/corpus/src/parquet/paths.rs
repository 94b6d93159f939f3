//! The path of a field -> the columns of a Parquet file that hold it.

use crate::{Error, FieldPath, Fields, Result};
use parquet::arrow::ProjectionMask;
use parquet::schema::types::SchemaDescriptor;

/// The columns of `fields`. If one does not exist, an error that lists the existing columns.
pub(crate) fn projection(schema: &SchemaDescriptor, fields: &Fields, source: &str) -> Result<ProjectionMask> {
    let mut leaves = Vec::new();
    for path in fields.paths() {
        let names = resolve(schema, path).ok_or_else(|| missing(schema, path, source))?;
        if schema.root_schema().get_fields().iter().filter(|field| field.name() == names[0]).count() > 1 {
            let name = &names[0];
            return Err(Error::Invalid(format!(
                "{source} has several columns `{name}`; rename all but one of them"
            )));
        }
        leaves.extend((0..schema.num_columns()).filter(|&leaf| below(schema, leaf, &names)));
    }
    Ok(ProjectionMask::leaves(schema, leaves))
}

/// The location of the field: a column whose whole name is the path as written, or a column inside structs.
fn resolve(schema: &SchemaDescriptor, path: &FieldPath) -> Option<Vec<String>> {
    let written = path.written();
    let whole = schema.root_schema().get_fields().iter().any(|field| field.name() == written);
    if whole {
        return Some(vec![written]);
    }
    (0..schema.num_columns()).any(|leaf| below(schema, leaf, &path.names)).then(|| path.names.clone())
}

/// True if a leaf column is the field `names`, or a part of it.
fn below(schema: &SchemaDescriptor, leaf: usize, names: &[String]) -> bool {
    let column = schema.column(leaf);
    let parts = column.path().parts();
    parts.len() >= names.len() && parts.iter().zip(names).all(|(part, name)| part == name)
}

fn missing(schema: &SchemaDescriptor, path: &FieldPath, source: &str) -> Error {
    let columns = schema.columns().iter().map(|column| column.path().parts().join(".")).collect();
    Error::NoSuchColumn { name: source.into(), column: path.written(), columns }
}
