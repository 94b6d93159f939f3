//! Pairs, clusters and matches on standard output, one after the other as they are found.

use super::escaped::escaped;
use pipeline::{Cluster, Error, Match, Pair, Reference, Result};
use serde_json::{Value, json};
use std::io::{self, BufWriter, Stdout, Write};

/// What standard output is called in errors.
pub(crate) const STANDARD_OUTPUT: &str = "standard output";

/// Writes answers.
#[derive(Debug)]
pub(crate) struct Answers<W: Write = BufWriter<Stdout>> {
    out: W,
    json: bool,
    given: u64,
}

impl Answers {
    /// Answers on standard output.
    pub(crate) fn new(json: bool) -> Self {
        Self::to(BufWriter::new(io::stdout()), json)
    }
}

impl<W: Write> Answers<W> {
    /// Answers anywhere.
    pub(crate) fn to(out: W, json: bool) -> Self {
        Self { out, json, given: 0 }
    }

    /// How many answers there were.
    pub(crate) fn given(&self) -> u64 {
        self.given
    }

    /// `a`, `b` and their similarity; with SimHash the distance too.
    pub(crate) fn pair(&mut self, pair: &Pair) -> Result<()> {
        let Pair { a, b, similarity, distance } = pair;
        self.given += 1;
        if self.json {
            let mut object = json!({"a": a.id, "b": b.id, "similarity": similarity});
            if let Some(distance) = distance {
                object["distance"] = (*distance).into();
            }
            return self.line(&object.to_string());
        }
        let mut line = format!("{}\t{}\t{}", escaped(&a.id), escaped(&b.id), written(*similarity));
        if let Some(distance) = distance {
            line.push_str(&format!("\t{distance}"));
        }
        self.line(&line)
    }

    /// The kept document, and below it the others with their similarity.
    pub(crate) fn cluster(&mut self, cluster: &Cluster) -> Result<()> {
        let members: Vec<(&Reference, Option<f64>)> =
            cluster.members.iter().zip(cluster.similarities.iter().copied()).collect();
        let Some(((kept, _), others)) = members.split_first() else { return Ok(()) };
        if self.json {
            let others: Vec<Value> = others
                .iter()
                .map(|(member, similarity)| {
                    let mut object = reference(member);
                    object["similarity"] = json!(similarity);
                    object
                })
                .collect();
            return self.line(&json!({"kept": reference(kept), "members": others}).to_string());
        }
        self.line(&escaped(&kept.id))?;
        for (member, similarity) in others {
            self.line(&format!("  {:<6}  {}", written(*similarity), escaped(&member.id)))?;
        }
        Ok(())
    }

    /// A similarity and the document that has it.
    pub(crate) fn found(&mut self, found: &Match) -> Result<()> {
        if self.json {
            let mut object = reference(&found.document);
            object["similarity"] = found.similarity.into();
            return self.line(&object.to_string());
        }
        self.line(&format!("{}\t{}", written(Some(found.similarity)), escaped(&found.document.id)))
    }

    /// Everything has been written.
    pub(crate) fn end(&mut self) -> Result<()> {
        self.out.flush().map_err(failed)
    }

    fn line(&mut self, line: &str) -> Result<()> {
        writeln!(self.out, "{line}").map_err(failed)
    }
}

fn failed(cause: io::Error) -> Error {
    Error::Io { action: "write to", name: STANDARD_OUTPUT.into(), cause }
}

fn reference(document: &Reference) -> Value {
    let Reference { id, source, line } = document;
    json!({"id": id, "source": source, "line": line})
}

/// Four digits, or a dash where nothing was compared.
fn written(similarity: Option<f64>) -> String {
    similarity.map_or_else(|| "-".into(), |similarity| format!("{similarity:.4}"))
}
