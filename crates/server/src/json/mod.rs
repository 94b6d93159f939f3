//! JSON of a request -> a value of a type, or a problem that names the field that is wrong.

mod body;
mod fields;

pub(crate) use body::{Body, check_type, read};
pub(crate) use fields::nearest;

use crate::problem::{Problem, Result, shown};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A JSON object.
pub(crate) type Object = Map<String, Value>;

/// An object from bytes. A name that is there twice, at any depth, is a problem: one of the values would be lost.
pub(crate) fn object(bytes: &[u8]) -> Result<Object> {
    match corpus::unique_json(bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(other) => Err(Problem::invalid(format!("a JSON object is needed, not {}", kind(&other)))),
        Err(error) => Err(Problem::malformed(format!("the JSON cannot be read: {error}"))),
    }
}

/// A value of a type from an object. All fields must be known.
pub(crate) fn typed<T: DeserializeOwned>(object: Object) -> Result<T> {
    check_names::<T>("field", object.keys().map(String::as_str))?;
    serde_path_to_error::deserialize(Value::Object(object)).map_err(|error| {
        let path = error.path().to_string();
        let reason = error.inner().to_string();
        if path == "." {
            Problem::invalid(reason)
        } else {
            Problem::invalid(format!("{}: {reason}", shown(&path)))
        }
    })
}

/// Refuses a name that is not one of a field of the type.
pub(crate) fn check_names<'n, T: DeserializeOwned>(
    what: &str,
    mut names: impl Iterator<Item = &'n str>,
) -> Result<()> {
    let known = fields::names::<T>();
    match names.find(|name| !known.contains(name)) {
        Some(unknown) => Err(unknown_name(what, unknown, known)),
        None => Ok(()),
    }
}

/// The problem of a name that is not known.
pub(crate) fn unknown_name(what: &str, name: &str, known: &[&str]) -> Problem {
    let problem = Problem::invalid(format!("there is no {what} {}", shown(name)));
    match nearest(name, known.iter().copied()) {
        Some(nearest) => problem.advise(format!("use `{nearest}`")),
        None if known.is_empty() => problem,
        None => problem.advise(format!("known are: {}", known.join(", "))),
    }
}

/// What a JSON value is, in words.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
