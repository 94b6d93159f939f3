//! Has something like this been seen? Looks and adds in one step.

use crate::changes::{self, IfThere};
use crate::clock::Millis;
use crate::document::{Checked, Content, Document, OnMatch};
use crate::engine::Prepared;
use crate::search::{Asked, Exact, Search, Similar, match_of, record};
use crate::store::Read;
use crate::writer::Transaction;
use crate::{Index, Result};

/// A document that is checked, and what it is checked by.
pub(super) struct Asking<'d> {
    pub(super) document: &'d Document,
    pub(super) prepared: Prepared,
}

impl Index {
    /// Looks for the oldest document that is similar enough; adds the document if there is none and `add` is true.
    /// Nothing comes between the looking and the adding: of equal texts that are checked at the same time, exactly one
    /// is new.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// use index::{Config, Document, Index, OnMatch, Options};
    ///
    /// let index = Index::create(folder.path().join("seen"), &Config::default(), &Options::default())?;
    /// let page = |id: &str| Document::new(id, "the quick brown fox jumps over the lazy dog near the river");
    /// assert!(index.check(&page("a"), true, OnMatch::Skip)?.is_new());
    /// let again = index.check(&page("b"), true, OnMatch::Skip)?;
    /// assert_eq!(again.matched.unwrap().id, "a");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check(&self, document: &Document, add: bool, on_match: OnMatch) -> Result<Checked> {
        let mut answers = self.check_batch(std::slice::from_ref(document), add, on_match)?;
        answers.pop().expect("one document has one answer")
    }

    /// Checks documents in order, each against those before it too, with one commit. The answers are those of one check
    /// after the other; a document that cannot be checked or added has an error, and the others are not affected.
    pub fn check_batch(
        &self,
        documents: &[Document],
        add: bool,
        on_match: OnMatch,
    ) -> Result<Vec<Result<Checked>>> {
        let now = self.now();
        let prepared: Vec<Result<Asking<'_>>> = documents
            .iter()
            .map(|document| self.engine.prepare(document, now).map(|prepared| Asking { document, prepared }))
            .collect();
        if !add {
            return self.look(prepared, now);
        }
        self.writer.write(self.store.as_ref(), |writes| {
            let check = |asking: Result<Asking<'_>>| match asking {
                Ok(asking) => writes.step(|writes| self.check_one(writes, &asking, on_match, now)),
                Err(error) => Err(error),
            };
            prepared.into_iter().map(check).map(of_the_document).collect()
        })
    }

    /// Checks without adding: a reader does that.
    fn look(&self, prepared: Vec<Result<Asking<'_>>>, now: Millis) -> Result<Vec<Result<Checked>>> {
        let snapshot = self.snapshot()?;
        let read = snapshot.as_ref();
        let check = |asking: Result<Asking<'_>>| self.look_one(read, &asking?, (now, None));
        prepared.into_iter().map(check).map(of_the_document).collect()
    }

    /// Checks one document without adding it.
    pub(super) fn look_one(
        &self,
        read: &dyn Read,
        asking: &Asking<'_>,
        (now, end): (Millis, Option<u64>),
    ) -> Result<Checked> {
        let search = Search::new(&self.engine, read, (now, end), asked(asking), None)?;
        let (found, truncated) = self.oldest(&search)?;
        let matched = found
            .map(|(number, similar)| match_of(number, record(&self.engine, read, number)?, similar))
            .transpose()?;
        Ok(self.checked(matched, None, truncated))
    }

    pub(super) fn check_one(
        &self,
        writes: &mut Transaction<'_>,
        asking: &Asking<'_>,
        on_match: OnMatch,
        now: Millis,
    ) -> Result<Checked> {
        let end = writes.counters.next;
        let (found, truncated) = {
            let search = Search::new(&self.engine, writes, (now, Some(end)), asked(asking), None)?;
            self.oldest(&search)?
        };
        let add = |writes: &mut Transaction<'_>| {
            changes::add(&self.engine, writes, &asking.prepared, IfThere::Refuse, now)
        };
        let Some((number, similar)) = found else {
            let number = add(writes)?;
            return Ok(self.checked(None, Some(number), truncated));
        };
        let matched = record(&self.engine, writes, number)?;
        let added = match on_match {
            OnMatch::Skip => None,
            OnMatch::Touch => {
                changes::prolong(writes, number, matched.clone(), asking.prepared.record.expires);
                None
            }
            OnMatch::Replace => {
                changes::remove(&self.engine, writes, number, &matched)?;
                Some(add(writes)?)
            }
            OnMatch::Add => Some(add(writes)?),
        };
        Ok(self.checked(Some(match_of(number, matched, similar)?), added, truncated))
    }

    /// The oldest document that is similar enough, and whether there were more candidates than are looked at.
    pub(super) fn oldest(&self, search: &Search<'_>) -> Result<(Option<(u64, Similar)>, bool)> {
        let candidates = search.candidates()?;
        let mut truncated = candidates.truncated;
        let mut oldest: Option<(u64, Similar)> = None;
        for number in candidates.numbers {
            // Copies are younger than the one that is in the buckets.
            if oldest.is_some_and(|(oldest, _)| oldest < number) {
                break;
            }
            let is_whole = search.visit_similar(number, &mut |number, _, similar| {
                if oldest.is_none_or(|(oldest, _)| number < oldest) {
                    oldest = Some((number, similar));
                }
                Ok(false)
            })?;
            truncated |= !is_whole;
        }
        Ok((oldest, truncated))
    }

    fn checked(&self, matched: Option<crate::Match>, number: Option<u64>, truncated: bool) -> Checked {
        Checked { matched, number, found_probability: self.found_probability(None), truncated }
    }
}

/// Tells an error of one document, which is its answer, from one of the index, with which the whole batch fails.
pub(super) fn of_the_document<T>(answer: Result<T>) -> Result<Result<T>> {
    match answer {
        Err(error) if !error.is_about_input() => Err(error),
        answer => Ok(answer),
    }
}

/// What a document is compared by.
fn asked<'d>(asking: &'d Asking<'_>) -> Asked<'d> {
    let exact = match &asking.document.content {
        Content::Text(text) => Exact::Text(text),
        Content::Imported(imported) => imported.set.clone().map_or(Exact::Unknown, Exact::Set),
        Content::Sketch { .. } => Exact::Unknown,
    };
    Asked::of(&asking.prepared, exact)
}
