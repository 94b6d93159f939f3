//! Writes pairs, clusters and matches to standard output, each as soon as it is found.

use super::escaped::escaped;
use corpus::PatientStdout;
use pipeline::{Error, Match, Member, Pair, Reference, Result};
use serde_json::{Value, json};
use std::io::{self, BufWriter, Write};

/// The name of standard output in error messages.
pub(crate) const STANDARD_OUTPUT: &str = "standard output";

/// Writes the answers of a command.
#[derive(Debug)]
pub(crate) struct Answers<W: Write = BufWriter<PatientStdout>> {
    out: W,
    json: bool,
    given: u64,
    /// The number of members written so far of the current cluster, when writing JSON.
    in_cluster: Option<u64>,
}

impl Answers {
    /// Writes answers to standard output.
    pub(crate) fn new(json: bool) -> Result<Self> {
        Ok(Self::to(BufWriter::new(PatientStdout::new().map_err(failed)?), json))
    }
}

impl Answers<BufWriter<io::Stdout>> {
    /// Writes answers to standard output, also after the user asked to stop: of what is on the disk already, for example.
    pub(crate) fn to_the_end(json: bool) -> Self {
        Self::to(BufWriter::new(io::stdout()), json)
    }
}

impl<W: Write> Answers<W> {
    /// Writes answers to `out`.
    pub(crate) fn to(out: W, json: bool) -> Self {
        Self { out, json, given: 0, in_cluster: None }
    }

    /// The number of answers written so far.
    pub(crate) fn given(&self) -> u64 {
        self.given
    }

    /// Writes the ids of a pair and their similarity; with SimHash also the distance.
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

    /// Writes a member of a cluster: the kept document first, then the others with their similarity. As JSON, a
    /// cluster is one object, which is written member by member.
    pub(crate) fn member(&mut self, member: &Member) -> Result<()> {
        let Member { document, similarity, is_kept } = member;
        if !self.json {
            return match is_kept {
                true => self.line(&escaped(&document.id)),
                false => self.line(&format!("  {:<6}  {}", written(*similarity), escaped(&document.id))),
            };
        }
        if *is_kept {
            self.end_cluster()?;
            self.in_cluster = Some(0);
            return write!(self.out, "{{\"kept\":{},\"members\":[", reference(document)).map_err(failed);
        }
        let comma = if self.in_cluster == Some(0) { "" } else { "," };
        self.in_cluster = self.in_cluster.map(|members| members + 1);
        let mut object = reference(document);
        object["similarity"] = json!(similarity);
        write!(self.out, "{comma}{object}").map_err(failed)
    }

    /// Ends the JSON object of the current cluster, if there is one.
    fn end_cluster(&mut self) -> Result<()> {
        match self.in_cluster.take() {
            Some(_) => self.line("]}"),
            None => Ok(()),
        }
    }

    /// Writes a matching document and its similarity.
    pub(crate) fn found(&mut self, found: &Match) -> Result<()> {
        if self.json {
            let mut object = reference(&found.document);
            object["similarity"] = found.similarity.into();
            return self.line(&object.to_string());
        }
        self.line(&format!("{}\t{}", written(Some(found.similarity)), escaped(&found.document.id)))
    }

    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    /// Writes an answer as JSON or as text.
    pub(super) fn either(&mut self, object: impl FnOnce() -> Value, text: &str) -> Result<()> {
        self.given += 1;
        if self.json { self.line(&object().to_string()) } else { self.line(text) }
    }

    /// Ends the last cluster and flushes the output.
    pub(crate) fn end(&mut self) -> Result<()> {
        self.end_cluster()?;
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

/// The similarity with four decimals, or a dash if none was computed.
fn written(similarity: Option<f64>) -> String {
    similarity.map_or_else(|| "-".into(), |similarity| format!("{similarity:.4}"))
}
