//! The stages of a whole job for an engine that pays for rows: keys leave a task packed, and a connected set is decided in one
//! task, with its exact copies.
//!
//! ```text
//! documents                 -> pack_keys -> block, entries, links, numbers: a row for each block
//! packed keys, by block     -> connect   -> links, repeated: one row
//! links                     -> connect, again, and then members -> number, component
//! documents of sets, by component
//!                           -> Deciding  -> removed documents
//! ```
//!
//! **Numbers.** A document is known by a number: 64 bits of a hash of its id, which anyone can compute again. If two ids have the
//! same number, their sets become one, which changes no answer: a set is only what is looked at together. Numbers
//! that come twice are reported (`repeated`), so that an engine can look whether an id does.
//!
//! **Copies.** Documents with the same text have the same fingerprint, which is one of the keys. So copies are in a set with their
//! original, and content hashes are computed of documents in sets only.
//!
//! **Two reads.** Texts are read twice: for keys, and again if their document is in a set. A set that is not connected by the keys
//! of the second read is an error: its texts have changed.
//!
//! **Large sets.** Beyond a limit, sets of shingles are in a temporary file, and a connected set is decided in pieces of keep order,
//! each against what was kept of the earlier ones.
//!
//! **The report.** Both stages count what they see ([`Tally`]); the counts of all tasks, added, are the report.

mod connecting;
mod deciding;
mod elements;
mod packing;

pub use connecting::{connect, connect_schema, edges_of_links, members, members_schema};
pub use deciding::Deciding;
pub use packing::packed_keys_schema;

use crate::Result;
use corpus::Fields;
use pipeline::{Documents, Report, Settings, Tally};

/// The name of the source of documents without one.
const SOURCE: &str = "table";
/// The same of documents of `against`.
const AGAINST: &str = "against";

/// The stages of a whole job that depend on settings.
#[derive(Debug)]
pub struct ClusterRun {
    documents: Documents,
    /// What is read of a document. Ids are the engine's.
    fields: Fields,
}

impl ClusterRun {
    /// Checks the settings. All workers of a run have the same [key](crate::Stages::new_key).
    pub fn new(settings: &Settings, key: &str) -> Result<Self> {
        let documents = Documents::for_run(settings, key)?;
        let fields = Fields { id: None, ..documents.fields().clone() };
        Ok(Self { documents, fields })
    }

    /// An error if a pattern of `--prefer` names none of these sources, of which none is one of `--against`.
    pub fn check_sources<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<()> {
        Ok(self.documents.check_sources(names)?)
    }

    /// The report of a run, from the counts of all its tasks.
    #[must_use]
    pub fn report(&self, tally: &Tally) -> Report {
        self.documents.report(tally)
    }

    /// The settings, with all defaults.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        self.documents.settings()
    }
}
