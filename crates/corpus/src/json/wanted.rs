//! Which members of an object are wanted, and where they are in a line.

use super::Problem;
use super::scan::{Kind, Scanner, Value};
use super::unescape::{Escapes, LoneSurrogate, unescape};
use crate::FieldPath;

/// The paths to look for.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// Names of wanted members of the line's object.
    names: Vec<String>,
    paths: Vec<Path>,
}

/// The two ways to reach a field.
#[derive(Debug)]
struct Path {
    /// The member whose name is the whole path, dots included.
    whole: usize,
    /// The member with the first name of the path, and the remaining names.
    nested: Option<(usize, Vec<String>)>,
}

/// The positions of the wanted members of one line. Use one value for many lines.
#[derive(Debug, Default)]
pub(crate) struct Found {
    values: Vec<Option<Value>>,
    escapes: Escapes,
    name: String,
}

impl Found {
    /// The content of a string, or the JSON of any other value. `unescaped` is memory for a string with escapes.
    pub(crate) fn say<'a>(
        &self,
        line: &'a str,
        value: Value,
        unescaped: &'a mut String,
    ) -> Result<&'a str, LoneSurrogate> {
        let raw = &line[value.begin..value.end];
        if !value.escaped {
            return Ok(raw);
        }
        unescape(raw, self.escapes.of(value.escapes), unescaped)?;
        Ok(unescaped)
    }
}

impl Wanted {
    /// Prepares a search for all `paths`. From then on each path is identified by its number in `paths`.
    pub(crate) fn new<'a>(paths: impl IntoIterator<Item = &'a FieldPath>) -> Self {
        let mut names = Vec::new();
        let mut number = |name: String| {
            names.iter().position(|known| *known == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            })
        };
        let paths = paths
            .into_iter()
            .map(|path| Path {
                whole: number(path.names.join(".")),
                nested: match path.names.as_slice() {
                    [first, below @ ..] if !below.is_empty() => Some((number(first.clone()), below.to_vec())),
                    _ => None,
                },
            })
            .collect();
        Self { names, paths }
    }

    /// Reads a line and notes the positions of the wanted members of its object. `controls` is true if the line may
    /// contain control characters.
    pub(crate) fn find(&self, line: &str, controls: bool, found: &mut Found) -> Result<(), Problem> {
        let Found { values, escapes, name: unescaped } = found;
        values.clear();
        values.resize(self.names.len(), None);
        escapes.forget_from(0);
        let mut scanner = match controls {
            true => Scanner::new(line, escapes),
            false => Scanner::without_controls(line, escapes),
        };
        scanner.members(|name, value| {
            let name = written_name(line, name, unescaped);
            let number = self.names.iter().position(|wanted| wanted == name);
            if let Some(number) = number {
                values[number] = Some(value);
            }
            number.is_some() && value.kind == Kind::String
        })
    }

    /// The value at the path with this number, in the line that was read last.
    pub(crate) fn value(&self, path: usize, line: &str, found: &mut Found) -> Option<Value> {
        let Path { whole, nested } = &self.paths[path];
        if let Some(value) = found.values[*whole] {
            return Some(value);
        }
        let (first, below) = nested.as_ref()?;
        let Found { values, escapes, name: unescaped } = found;
        below.iter().try_fold(values[*first]?, |object, wanted| {
            if object.kind != Kind::Object {
                return None;
            }
            let text = &line[object.begin..object.end];
            let mut last = None;
            Scanner::new(text, escapes)
                .members(|name, value| {
                    let is_wanted = written_name(text, name, unescaped) == wanted;
                    if is_wanted {
                        last = Some(value);
                    }
                    is_wanted && value.kind == Kind::String
                })
                .ok()?;
            let value = last?;
            Some(Value { begin: object.begin + value.begin, end: object.begin + value.end, ..value })
        })
    }
}

/// The names of the members of the line's object. If the path leads into nested objects, also the paths of the
/// members of the innermost object that exists.
pub(crate) fn names_along(line: &str, path: &FieldPath) -> Vec<String> {
    let mut all = Vec::new();
    let (mut text, mut prefix) = (line, String::new());
    for wanted in &path.names {
        let (mut escapes, mut unescaped) = (Escapes::default(), String::new());
        let (mut names, mut inside) = (Vec::new(), None);
        let listed = Scanner::new(text, &mut escapes).members(|name, value| {
            let name = written_name(text, name, &mut unescaped);
            if name == wanted && value.kind == Kind::Object {
                inside = Some(value);
            }
            names.push(format!("{prefix}{name}"));
            false
        });
        if listed.is_err() {
            break;
        }
        all.append(&mut names);
        let Some(object) = inside else { break };
        text = &text[object.begin..object.end];
        prefix = format!("{prefix}{wanted}.");
    }
    // Of several members with the same name, one is enough.
    let mut known = std::collections::HashSet::new();
    all.retain(|name| known.insert(name.clone()));
    all
}

/// Hands the names of the members of the line's object to `visit`, up to where the line stops being JSON. True if all of it is.
pub(crate) fn visit_names(line: &str, visit: &mut dyn FnMut(&str)) -> bool {
    let (mut escapes, mut unescaped) = (Escapes::default(), String::new());
    let listed = Scanner::new(line, &mut escapes).members(|name, _| {
        visit(written_name(line, name, &mut unescaped));
        false
    });
    listed.is_ok()
}

/// A name after unescaping. A name that is not valid Unicode cannot be asked for.
#[inline]
fn written_name<'a>(text: &'a str, name: Value, unescaped: &'a mut String) -> &'a str {
    let raw = &text[name.begin..name.end];
    if !name.escaped {
        return raw;
    }
    match unescape(raw, &[], unescaped) {
        Ok(()) => unescaped,
        Err(_) => raw,
    }
}
