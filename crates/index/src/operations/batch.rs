//! Changes of several kinds, one after the other, with one commit.

use super::check::{Asking, of_the_document};
use crate::changes::{self, IfThere};
use crate::clock::Millis;
use crate::document::{Checked, Document, OnMatch};
use crate::engine::{Prepared, check_id};
use crate::writer::Transaction;
use crate::{Index, Result};

/// A change to an index.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// Adds a document. An id that is there already is an error.
    Add(Document),
    /// Adds a document, or replaces the one with its id.
    Update(Document),
    /// Looks for the oldest document that is similar enough; adds the document if there is none and `add` is true.
    Check {
        /// The document.
        document: Document,
        /// True if it is added.
        add: bool,
        /// What happens when there is a match.
        on_match: OnMatch,
    },
    /// Removes the document with this id.
    Remove(String),
}

/// What a change has done.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Changed {
    /// A document was added or replaced.
    Put {
        /// Its number.
        number: u64,
        /// True if there was one with its id.
        replaced: bool,
    },
    /// The answer of a check.
    Checked(Checked),
    /// True if there was a document to remove.
    Removed(bool),
}

impl Index {
    /// Makes changes in order, with one commit. Each sees those before it. The answers are those of one call after the
    /// other; a change that cannot be made has an error, and the others are not affected.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// use index::{Change, Changed, Config, Document, Index, Options};
    ///
    /// let index = Index::create(folder.path().join("seen"), &Config::default(), &Options::default())?;
    /// let page = Document::new("a", "the quick brown fox jumps over the lazy dog near the river");
    /// let changes = [Change::Add(page.clone()), Change::Add(page), Change::Remove("a".into())];
    /// let answers = index.apply(&changes)?;
    /// assert!(matches!(answers[0], Ok(Changed::Put { number: 1, .. })));
    /// assert!(matches!(answers[1], Err(index::Error::DuplicateId { .. })));
    /// assert!(matches!(answers[2], Ok(Changed::Removed(true))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply(&self, changes: &[Change]) -> Result<Vec<Result<Changed>>> {
        let now = self.now();
        let prepare = |change| self.prepare_change(change, now);
        let prepared: Vec<Result<Option<Prepared>>> = changes.iter().map(prepare).collect();
        self.writer.write(self.store.as_ref(), |writes| {
            let make = |(change, prepared): (&Change, Result<Option<Prepared>>)| {
                let prepared = prepared?;
                writes.step(|writes| self.make(writes, change, prepared, now))
            };
            changes.iter().zip(prepared).map(make).map(of_the_document).collect()
        })
    }

    /// What is done for a change before it is its turn.
    pub(super) fn prepare_change(&self, change: &Change, now: Millis) -> Result<Option<Prepared>> {
        match change {
            Change::Add(document) | Change::Update(document) | Change::Check { document, .. } => {
                self.engine.prepare(document, now).map(Some)
            }
            Change::Remove(id) => check_id(id).map(|()| None),
        }
    }

    /// Makes one change.
    pub(super) fn make(
        &self,
        writes: &mut Transaction<'_>,
        change: &Change,
        prepared: Option<Prepared>,
        now: Millis,
    ) -> Result<Changed> {
        let engine = &self.engine;
        match (change, prepared) {
            (Change::Add(_), Some(prepared)) => {
                let number = changes::add(engine, writes, &prepared, IfThere::Refuse, now)?;
                Ok(Changed::Put { number, replaced: false })
            }
            (Change::Update(document), Some(prepared)) => {
                let old = changes::find(engine, writes, &document.id)?;
                let replaced = old.is_some_and(|(_, old)| !old.is_expired(now));
                let number = changes::add(engine, writes, &prepared, IfThere::Update, now)?;
                Ok(Changed::Put { number, replaced })
            }
            (Change::Check { document, add, on_match }, Some(prepared)) => {
                let asking = Asking { document, prepared };
                let checked = if *add {
                    self.check_one(writes, &asking, *on_match, now)?
                } else {
                    let end = writes.counters.next;
                    self.look_one(writes, &asking, (now, Some(end)))?
                };
                Ok(Changed::Checked(checked))
            }
            (Change::Remove(id), _) => {
                let Some((number, record)) = changes::find(engine, writes, id)? else {
                    return Ok(Changed::Removed(false));
                };
                changes::remove(engine, writes, number, &record)?;
                Ok(Changed::Removed(!record.is_expired(now)))
            }
            (_, None) => unreachable!("all documents were prepared"),
        }
    }
}
