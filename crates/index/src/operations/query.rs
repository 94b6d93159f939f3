//! Who looks like this?

use crate::document::{Answer, Metadata};
use crate::engine::Prepared;
use crate::search::{Asked, Exact, Search, Similar, match_of, metadata, record, wrong_record};
use crate::values::{Body, Record};
use crate::{Error, Index, Result};
use pipeline::Documents;

/// The records of so many matches are held while others are looked for; those of more are read again.
const HELD: usize = 64;

/// Fields of the metadata and the values that they must have.
pub type Filter = Metadata;

/// What is asked about.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// A text.
    Text(String),
    /// A document of the index, by its id. It is not in the answer.
    Id(String),
    /// The lanes of a signature with the settings of the index. Similarities are estimated.
    Lanes(Vec<u16>),
}

/// A question to an index.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Query {
    /// What is asked about.
    pub ask: Ask,
    /// The least similarity of an answer; that of the index, unless said otherwise.
    pub threshold: Option<f64>,
    /// The most documents of an answer; all, unless said otherwise.
    pub top: Option<usize>,
    /// Only documents with this `within` value are looked at. If an id is asked for, its own value counts.
    pub within: Option<String>,
    /// Only documents with these metadata are in the answer.
    pub filter: Filter,
}

impl Query {
    /// Asks for the documents that are similar to a text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::of(Ask::Text(text.into()))
    }

    /// Asks for the documents that are similar to one of the index.
    #[must_use]
    pub fn id(id: impl Into<String>) -> Self {
        Self::of(Ask::Id(id.into()))
    }

    /// Asks for the documents with similar lanes.
    #[must_use]
    pub fn lanes(lanes: Vec<u16>) -> Self {
        Self::of(Ask::Lanes(lanes))
    }

    fn of(ask: Ask) -> Self {
        Self { ask, threshold: None, top: None, within: None, filter: Filter::new() }
    }

    /// The least similarity of an answer.
    #[must_use]
    pub fn with_threshold(mut self, threshold: Option<f64>) -> Self {
        self.threshold = threshold;
        self
    }

    /// The most documents of an answer.
    #[must_use]
    pub fn with_top(mut self, top: Option<usize>) -> Self {
        self.top = top;
        self
    }

    /// Only documents with this `within` value are looked at.
    #[must_use]
    pub fn with_within(mut self, within: Option<String>) -> Self {
        self.within = within;
        self
    }

    /// Only documents with these metadata are in the answer.
    #[must_use]
    pub fn with_filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }
}

impl Index {
    /// The documents that are similar to a text, to a document of the index or to a signature: most similar first,
    /// older first among equals.
    pub fn query(&self, query: &Query) -> Result<Answer> {
        let Query { ask, threshold, top, within, filter } = query;
        if *top == Some(0) {
            return Err(Error::Zero { what: "the number of documents in an answer" });
        }
        let within = within.as_deref();
        // What can be done before is done before: the snapshot keeps old tables alive.
        let sketched = match ask {
            Ask::Text(text) => Some(self.engine.sketch_text(text, within)?),
            Ask::Lanes(lanes) => {
                self.engine.check_lanes(lanes)?;
                let within = within.map_or([0; 2], Documents::within_hash);
                Some(self.engine.prepared(lanes_only(lanes, within), None))
            }
            Ask::Id(_) => None,
        };
        let snapshot = self.snapshot()?;
        let read = snapshot.as_ref();
        let (prepared, own): (Prepared, Option<u64>) = match (sketched, ask) {
            (Some(sketched), _) => (sketched, None),
            (None, Ask::Id(id)) => {
                let Some((number, record)) = self.find_live(read, id)? else {
                    return Err(Error::NoDocument { id: id.clone() });
                };
                (self.engine.prepared(record, None), Some(number))
            }
            (None, _) => unreachable!("texts and lanes were sketched above"),
        };
        let body = own.map(|number| self.body(read, number)).transpose()?.flatten();
        let exact = match (&body, ask) {
            (Some(Body::Text(text)), _) => Exact::Text(text),
            (Some(Body::Set(set)), _) => Exact::Set(set.clone()),
            (None, Ask::Text(text)) => Exact::Text(text),
            (None, _) => Exact::Unknown,
        };
        let mut asked = Asked::of(&prepared, exact);
        if matches!(ask, Ask::Lanes(_)) {
            asked.copy_hash = None;
        }
        let search = Search::new(&self.engine, read, (self.now(), None), asked, *threshold)?;
        let candidates = search.candidates()?;
        let mut truncated = candidates.truncated;
        let mut found: Vec<(Similar, u64, Option<Record>)> = Vec::new();
        for number in candidates.numbers {
            let is_whole = search.visit_similar(number, &mut |number, view, similar| {
                if Some(number) != own && (filter.is_empty() || fits(number, view.record(), filter)?) {
                    let record = if found.len() < HELD { view.record() } else { None };
                    found.push((similar, number, record));
                }
                Ok(true)
            })?;
            truncated |= !is_whole;
        }
        found.sort_by(|(a, a_number, _), (b, b_number, _)| {
            b.similarity.total_cmp(&a.similarity).then(a_number.cmp(b_number))
        });
        found.truncate(top.unwrap_or(usize::MAX));
        let matches = found
            .into_iter()
            .map(|(similar, number, held)| {
                let record = held.map_or_else(|| record(&self.engine, read, number), Ok)?;
                match_of(number, record, similar)
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Answer { matches, found_probability: self.found_probability(*threshold), truncated })
    }

    /// The probability that a document at a threshold is among the candidates.
    pub(crate) fn found_probability(&self, threshold: Option<f64>) -> f64 {
        match threshold {
            Some(threshold) => self.engine.documents.probability(threshold),
            None => self.engine.found_probability,
        }
    }
}

/// True if the metadata of a document have the values of a filter.
pub(crate) fn fits(number: u64, record: Option<Record>, filter: &Filter) -> Result<bool> {
    let record = record.ok_or_else(|| wrong_record(number))?;
    let metadata = metadata(number, &record)?.unwrap_or_default();
    Ok(filter.iter().all(|(field, value)| metadata.get(field) == Some(value)))
}

/// The record of a document of which only the lanes are known.
fn lanes_only(lanes: &[u16], within: [u64; 2]) -> Record {
    Record {
        id: String::new(),
        content_hash: 0,
        by_copy_hash: false,
        shingles: 0,
        lanes: lanes.to_vec(),
        within,
        added: 0,
        expires: None,
        hash_only: false,
        metadata: String::new(),
    }
}
