//! What a client asks for, and what must be there afterwards.

use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The documents of a client: ids and texts. No two have the same text.
pub(crate) type Documents = BTreeMap<String, String>;

/// A change that a client asks for.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Put { id: String, text: String, update: bool },
    Check { id: String, text: String, replace: bool },
    Delete { id: String },
    Remove { ids: Vec<String> },
}

impl Op {
    /// Does it to the documents, and returns what the service must answer: the status, and a part of the answer.
    pub(crate) fn apply(&self, documents: &mut Documents) -> (u16, Value) {
        match self {
            Self::Put { id, text, .. } => match documents.insert(id.clone(), text.clone()) {
                Some(_) => (200, json!({"replaced": true})),
                None => (201, json!({"replaced": false})),
            },
            Self::Check { id, text, replace } => {
                let same = documents.iter().find(|(_, other)| *other == text).map(|(id, _)| id.clone());
                let Some(same) = same else {
                    documents.insert(id.clone(), text.clone());
                    return (200, json!({"new": true}));
                };
                if *replace {
                    documents.remove(&same);
                    documents.insert(id.clone(), text.clone());
                }
                (200, json!({"new": false, "match": {"id": same}}))
            }
            Self::Delete { id } => match documents.remove(id) {
                Some(_) => (200, json!({"removed": 1})),
                None => (404, json!({})),
            },
            Self::Remove { ids } => {
                let removed = ids.iter().filter(|id| documents.remove(*id).is_some()).count();
                (200, json!({"removed": removed}))
            }
        }
    }

    /// The request: method, end of the address, body.
    pub(crate) fn request(&self, within: &str) -> (&'static str, String, String) {
        match self {
            Self::Put { id, text, update } => {
                let body = json!({"text": text, "within": within, "update": update});
                ("PUT", format!("documents/{id}"), body.to_string())
            }
            Self::Delete { id } => ("DELETE", format!("documents/{id}"), String::new()),
            Self::Check { .. } => ("POST", "check".into(), self.fields(within).to_string()),
            Self::Remove { ids } => ("POST", "remove".into(), json!({"ids": ids}).to_string()),
        }
    }

    /// The line of a stream. A removal of several has none.
    pub(crate) fn line(&self, within: &str) -> String {
        let mut fields = self.fields(within);
        let op = match self {
            Self::Put { .. } => "add",
            Self::Check { .. } => "check",
            Self::Delete { .. } | Self::Remove { .. } => "remove",
        };
        fields["op"] = op.into();
        format!("{fields}\n")
    }

    fn fields(&self, within: &str) -> Value {
        match self {
            Self::Put { id, text, update } => {
                json!({"id": id, "text": text, "within": within, "update": update})
            }
            Self::Check { id, text, replace } => {
                let on_match = if *replace { "replace" } else { "skip" };
                json!({"id": id, "text": text, "within": within, "add": true, "on_match": on_match})
            }
            Self::Delete { id } => json!({"id": id}),
            Self::Remove { ids } => json!({"ids": ids}),
        }
    }
}

/// True if an answer has everything that is expected.
pub(crate) fn has(answer: &Value, expected: &Value) -> bool {
    match expected {
        Value::Object(fields) => fields.iter().all(|(name, value)| has(&answer[name], value)),
        value => answer == value,
    }
}
