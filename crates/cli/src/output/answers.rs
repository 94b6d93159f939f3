//! Pairs, clusters and matches on standard output, one after the other as they are found.

use super::escaped::escaped;
use corpus::PatientStdout;
use pipeline::{Error, Match, Member, Pair, Reference, Result};
use serde_json::{Value, json};
use std::io::{self, BufWriter, Write};

/// What standard output is called in errors.
pub(crate) const STANDARD_OUTPUT: &str = "standard output";

/// Writes answers.
#[derive(Debug)]
pub(crate) struct Answers<W: Write = BufWriter<PatientStdout>> {
    out: W,
    json: bool,
    given: u64,
    /// Members of the cluster that is being written as JSON.
    in_cluster: Option<u64>,
}

impl Answers {
    /// Answers on standard output.
    pub(crate) fn new(json: bool) -> Result<Self> {
        Ok(Self::to(BufWriter::new(PatientStdout::new().map_err(failed)?), json))
    }
}

impl<W: Write> Answers<W> {
    /// Answers anywhere.
    pub(crate) fn to(out: W, json: bool) -> Self {
        Self { out, json, given: 0, in_cluster: None }
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

    /// The kept document, and below it the others with their similarity; as JSON one object for a cluster, of which each
    /// member is written as it comes.
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

    /// Ends the object of a cluster, if one was begun.
    fn end_cluster(&mut self) -> Result<()> {
        match self.in_cluster.take() {
            Some(_) => self.line("]}"),
            None => Ok(()),
        }
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

/// Four digits, or a dash where nothing was compared.
fn written(similarity: Option<f64>) -> String {
    similarity.map_or_else(|| "-".into(), |similarity| format!("{similarity:.4}"))
}
