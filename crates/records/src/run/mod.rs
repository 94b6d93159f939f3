//! Files of records -> pairs, clusters, and files without repeated records.
//!
//! ```text
//! sources -> table (reading) -> matches (link) -> what is kept (decide) -> outputs (write)
//! ```

mod claim;
mod decide;
mod details;
mod examples;
mod fields;
mod labelled;
mod matched_file;
mod outputs;
mod reading;
mod removed;
mod write;

pub use claim::Claim;
pub use decide::{Decision, Decisions, Keep};
pub use details::{BandInWords, Details, FieldFigures, FieldLeftOut, LevelFigures};
pub use examples::{Examples, ShownCluster, ShownMember, ShownPair};
pub use fields::{FieldsWritten, WantedField};
pub use labelled::{HEAD, Label, LabelsWritten};
pub use reading::{Named, Records, SourceFigures};
pub use write::{Report, RunFigures, dedup, finished, has_written, report_in, rounded, weights_json, writes};

use crate::link::{Choose, Linked, Match, link_and_show};
use crate::options::Options;
use corpus::Source;
use reading::BASE;
use std::cell::OnceCell;
use std::path::PathBuf;

/// What is asked of a run.
#[derive(Debug, Clone)]
pub struct Job {
    /// The records.
    pub sources: Vec<Source>,
    /// The records that they are also compared with; these are neither removed nor written.
    pub against: Vec<Source>,
    /// True if the records are compared with those of `against` only.
    pub against_only: bool,
    /// The fields, if they were told.
    pub fields: Option<FieldsWritten>,
    /// The field with the id.
    pub id_field: Option<String>,
    /// What becomes of a record that cannot be read.
    pub on_bad_record: OnBadRecord,
    /// Which record of a cluster is kept.
    pub keep: Keep,
    /// True if clusters are whole components.
    pub components: bool,
    /// Pairs that a person has judged.
    pub labels: Option<LabelsWritten>,
    /// How matches are found.
    pub options: Options,
    /// The most memory to use, in bytes.
    pub memory: u64,
    /// The folder for what does not fit into memory; that of the system if none is named.
    pub temp_dir: Option<PathBuf>,
}

/// What becomes of a record that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnBadRecord {
    /// The run ends with an error.
    #[default]
    Fail,
    /// It is listed as removed.
    Skip,
    /// It is written without being compared.
    Keep,
}

impl OnBadRecord {
    /// How it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Skip => "skip",
            Self::Keep => "keep",
        }
    }
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A source cannot be read, or an output cannot be written.
    #[error(transparent)]
    Corpus(#[from] corpus::Error),
    /// The table cannot be linked.
    #[error(transparent)]
    Link(crate::Error),
    /// A record cannot be used.
    #[error("{source_name}, {place}: {reason}")]
    BadRecord {
        /// The name of the source.
        source_name: String,
        /// Where in it.
        place: String,
        /// Its number there, from 1.
        line: u64,
        /// Why, as the end of a sentence.
        reason: String,
    },
    /// A source is no table.
    #[error("{name} was taken for plain text, which has no fields")]
    Plain {
        /// Its name.
        name: String,
    },
    /// What was asked for makes no sense.
    #[error("{0}")]
    Usage(String),
    /// Labels cannot be used.
    #[error("{0}")]
    Labels(String),
    /// The target has something else in it.
    #[error("{0}")]
    Target(String),
    /// It takes more memory than it may.
    #[error("{what} needs {needed} bytes of memory, and the limit is {limit} bytes")]
    Memory {
        /// What needs it.
        what: String,
        /// The bytes that are needed.
        needed: u64,
        /// The limit.
        limit: u64,
    },
    /// A source is not what it was when it was first read.
    #[error("{name} changed while it was being read")]
    Changed {
        /// Its name.
        name: String,
    },
    /// The user asked to stop.
    #[error("stopped")]
    Interrupted,
}

impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Self {
        match error {
            crate::Error::Stopped => Self::Interrupted,
            crate::Error::Memory { needed, limit } => {
                Self::Memory { what: "matching these records".into(), needed, limit }
            }
            crate::Error::Spilled { action, name, kind, cause } => {
                Self::Corpus(corpus::Error::Io { action, name, cause: std::io::Error::new(kind, cause) })
            }
            other => Self::Link(other),
        }
    }
}

/// What the sources of a job are recognised by, those of `against` first: see [`corpus::checksum`]. It is empty for a source that
/// is no local file.
#[derive(Debug)]
pub(crate) struct Checksums(Vec<String>);

impl Checksums {
    fn of(job: &Job) -> Result<Self> {
        let sum = |source| Ok(corpus::checksum(source)?.map_or(String::new(), |(_, sum)| sum));
        Ok(Self(job.against.iter().chain(&job.sources).map(sum).collect::<Result<_>>()?))
    }
}

/// The result of a run.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A run up to its matches.
#[derive(Debug)]
pub struct Matched {
    /// The records.
    pub records: Records,
    /// What was found.
    pub linked: Linked,
}

/// Says whether the user asked to stop; every stage asks it often.
pub type Stop<'s> = &'s (dyn Fn() -> bool + Sync);

/// Which pairs should be explained, once the matches among records are known.
type ChooseOfRecords<'c> = &'c dyn Fn(&Records, &[Match]) -> Vec<(usize, usize)>;

impl Job {
    /// Reads the records.
    pub fn read(&self, stop: Stop<'_>) -> Result<Records> {
        Records::read(self, stop)
    }

    fn temp_folder(&self) -> PathBuf {
        self.temp_dir.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// Finds the matches among records that were read.
    pub fn link(&self, records: Records, stop: Stop<'_>) -> Result<Matched> {
        self.link_and_show(records, stop, None)
    }

    /// Finds the matches and decides what becomes of each record; also explains the pairs that a page shows.
    pub fn link_and_decide(&self, records: Records, stop: Stop<'_>) -> Result<(Matched, Decisions)> {
        let decided = OnceCell::new();
        let choose = |records: &Records, matches: &[Match]| {
            let decisions = decided.get_or_init(|| Decisions::new(self, records, matches));
            decisions.as_ref().map_or(Vec::new(), |decisions| examples::wanted(decisions, matches))
        };
        let matched = self.link_and_show(records, stop, Some(&choose))?;
        let decisions = decided.into_inner().unwrap_or_else(|| matched.decide(self))?;
        Ok((matched, decisions))
    }

    fn link_and_show(
        &self,
        records: Records,
        stop: Stop<'_>,
        choose: Option<ChooseOfRecords<'_>>,
    ) -> Result<Matched> {
        let beside = BASE + records.bytes_beside();
        let (memory, folder) = (self.memory.saturating_sub(beside), self.temp_folder());
        let mut options = self.options.clone().with_memory(memory, folder);
        if let Some(labels) = &self.labels {
            for ((a, b), label) in labels.read(&records)? {
                if let Some(is_match) = label.is_match() {
                    options = options.with_label(a, b, is_match);
                }
            }
        }
        let of_matches = |matches: &[Match]| choose.map_or(Vec::new(), |choose| choose(&records, matches));
        let choose: Option<Choose<'_>> = choose.is_some().then_some(&of_matches);
        let linked = link_and_show(&records.table, &options, stop, choose).map_err(|error| match error {
            crate::Error::Memory { needed, .. } => {
                Error::from(crate::Error::Memory { needed: needed + beside, limit: self.memory })
            }
            error => error.into(),
        })?;
        Ok(Matched { records, linked })
    }
}

impl Matched {
    /// What becomes of each record.
    pub fn decide(&self, job: &Job) -> Result<Decisions> {
        Decisions::new(job, &self.records, &self.linked.matches)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A run on one CSV file, and the folder with the file.
    pub(crate) fn job_of(table: &str) -> (Job, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        std::fs::write(&path, table).unwrap();
        let job = Job {
            sources: corpus::discover(&[&path], &Default::default()).unwrap(),
            against: Vec::new(),
            against_only: false,
            fields: None,
            id_field: None,
            on_bad_record: OnBadRecord::Fail,
            keep: Keep::First,
            components: false,
            labels: None,
            options: Options::default(),
            memory: 1 << 30,
            temp_dir: None,
        };
        (job, folder)
    }

    const TABLE: &str = "id,name,town\n1,anna,oslo\n2,anna,oslo\n3,carl,moss\n";

    /// A source that changes while it is read, with the same length and the same ids, is an error that names it.
    #[test]
    fn a_source_that_changes_while_it_is_read_is_an_error() {
        let (job, folder) = job_of(TABLE);
        let error = job
            .read(&|| {
                std::fs::write(folder.path().join("table.csv"), TABLE.replace("carl", "dora")).unwrap();
                false
            })
            .unwrap_err();
        assert!(matches!(&error, Error::Changed { name } if name.ends_with("table.csv")), "{error}");
    }

    /// The same between reading and writing: no output appears.
    #[test]
    fn a_source_that_changes_before_it_is_written_has_no_output() {
        let (job, folder) = job_of(TABLE);
        let (matched, decisions) = job.link_and_decide(job.read(&|| false).unwrap(), &|| false).unwrap();
        std::fs::write(folder.path().join("table.csv"), TABLE.replace("carl", "dora")).unwrap();
        let out = folder.path().join("out");
        let target = corpus::Target::new(&out.display().to_string()).unwrap();
        let error = dedup(&job, &matched, &decisions, &target, (0.0, 1), &|| false).unwrap_err();
        assert!(matches!(&error, Error::Changed { name } if name.ends_with("table.csv")), "{error}");
        assert!(!out.exists());
    }

    /// The same in a claimed target: what it has kept goes, so that the command can be given again.
    #[test]
    fn a_source_that_changes_after_matches_were_kept_does_not_block_the_target() {
        let (job, folder) = job_of(TABLE);
        let out = folder.path().join("out");
        let target = corpus::Target::new(&out.display().to_string()).unwrap();
        let claim = Claim::new(&job, &target).unwrap();
        let (matched, decisions, _) =
            claim.link_and_decide(&job, job.read(&|| false).unwrap(), &|| false).unwrap();
        std::fs::write(folder.path().join("table.csv"), TABLE.replace("carl", "dora")).unwrap();
        let error = dedup(&job, &matched, &decisions, &target, (0.0, 1), &|| false).unwrap_err();
        assert!(matches!(error, Error::Changed { .. }), "{error}");
        claim.fail();
        drop(claim);
        assert!(!out.exists());
        Claim::new(&job, &target).unwrap();
    }
}
