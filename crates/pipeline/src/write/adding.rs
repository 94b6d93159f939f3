//! Kept documents -> an index.
//!
//! They are added when all outputs are complete, in input order. A file in the work folder says that adding has begun:
//! if the run is stopped then, the next one leaves out what is there already.

use crate::ask::scan::{At, scan};
use crate::copies::repeats::{Keys, repeats};
use crate::decide::Removals;
use crate::limits::bits::Bits;
use crate::method::TextBuffers;
use crate::prepared::Prepared;
use crate::progress::timing::Stages;
use crate::report::AddedTo;
use crate::resume::work::ADDING;
use crate::store::Number;
use crate::view::View;
use crate::write::naming::{BATCH, Names};
use crate::{Error, ReadDocument, Result, Stage, TakesKept};
use corpus::Document;
use lookalike::hashing::{hash_bytes, mix64};

impl View<'_> {
    /// An error if a kept document cannot be added to the index of the job. Nothing has been written by then.
    pub(crate) fn check_kept(self, removals: &Removals) -> Result<()> {
        let Some(index) = self.job.indexes.add_to.as_deref() else { return Ok(()) };
        if self.work.is_adding()? {
            return Ok(());
        }
        let left_out = self.left_out(removals)?;
        self.visit_kept(&left_out, &mut |_, id| index.check_id(id))?;
        if index.refuses_repeated_ids() {
            self.check_distinct(&left_out, index)?;
        }
        Ok(())
    }

    /// An error if two kept documents have the same id.
    fn check_distinct(self, left_out: &Bits, index: &dyn TakesKept) -> Result<()> {
        let scan = |take: &mut Keys<'_>| {
            self.visit_kept(left_out, &mut |number, id| {
                take(&[(mix64(hash_bytes(id.as_bytes())), number)]);
                Ok(())
            })
        };
        let mut first = None;
        repeats(self.store.count(), self.room(), scan, &mut |number, is_first| {
            if !is_first {
                first = Some(first.map_or(number, |first: Number| first.min(number)));
            }
        })?;
        let Some(second) = first else { return Ok(()) };
        let has_ids = self.recipe.settings.files.id_field.is_some();
        let id = Names::new(vec![second], self.store, self.sources, has_ids)?.reference(second)?.id;
        Err(Error::Invalid(format!(
            "two kept documents have the id {id}, so they cannot both be added to {}",
            index.name()
        )))
    }

    /// Hands the number and the id of every kept document to `visit`, in input order.
    fn visit_kept(self, left_out: &Bits, visit: &mut dyn FnMut(Number, &str) -> Result<()>) -> Result<()> {
        let has_ids = self.recipe.settings.files.id_field.is_some();
        for part in 0..self.store.parts() {
            let numbers = self.store.numbers_of_part(part).filter(|&number| !left_out.contains(number));
            for some in numbers.collect::<Vec<_>>().chunks(BATCH) {
                self.observer.go_on()?;
                let names = Names::new(some.to_vec(), self.store, self.sources, has_ids)?;
                some.iter().try_for_each(|&number| visit(number, &names.reference(number)?.id))?;
            }
        }
        Ok(())
    }

    /// The documents that are not added: those that are removed, bad records, and those of `against`.
    fn left_out(self, removals: &Removals) -> Result<Bits> {
        let mut left_out = Bits::new(self.store.count());
        for part in 0..self.store.parts() {
            self.observer.go_on()?;
            let (first, entries) = self.store.entries(part)?;
            let others = (first..).zip(entries.iter()).filter(|(_, entry)| !entry.is_document());
            others.for_each(|(number, _)| left_out.insert(number));
        }
        for (first, block) in self.store.blocks() {
            if self.sources.is_against(block.source as usize) {
                (*first..*first + Number::from(block.slots)).for_each(|number| left_out.insert(number));
            }
        }
        for (step, removal) in removals.iter().enumerate() {
            self.observer.go_on_at(step)?;
            left_out.insert(removal?.number);
        }
        Ok(left_out)
    }
}

/// Adds the kept documents to the index of the job, if it has one. Returns what the report says about it.
pub(crate) fn add_kept(
    prepared: &Prepared<'_>,
    view: View<'_>,
    removals: &Removals,
    stages: &mut Stages<'_>,
) -> Result<Option<AddedTo>> {
    let Some(index) = view.job.indexes.add_to.as_deref() else { return Ok(None) };
    let left_out = view.left_out(removals)?;
    let again = view.work.is_adding()?;
    view.work.write(ADDING, index.name().as_bytes())?;
    stages.begin_quietly(Stage::Add);
    let look = |document: &Document<'_>, at: At, _: &mut TextBuffers| {
        Ok((!left_out.contains(at.number)).then(|| at.read(document, view.sources)))
    };
    let read = |visit: &mut (dyn FnMut(ReadDocument) -> Result<()> + Send)| {
        scan(prepared, Stage::Add, view.observer, look, visit).map(|_| ())
    };
    let documents = index.add(&read, again)?;
    stages.end(view.store.counts().text_bytes);
    Ok(Some(AddedTo { name: index.name().to_owned(), documents }))
}
