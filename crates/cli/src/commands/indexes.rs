//! The indexes of a dedup: the one of `--against`, whose documents are not kept again, and the one of `--add-to`.

use super::index::options_within;
use crate::failure::{Failure, Result};
use crate::output::Printer;
use crate::settings::{Layers, flag};
use index::{Config, Index, Options, Stored};
use pipeline::{Indexes, Resources, Settings};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The part of the memory limit that the cache of an index may take.
const CACHE_SHARE: u64 = 8;

/// The part of the memory limit that adding documents may take, when the rest of the run is over.
const ADDING_SHARE: u64 = 4;

/// The indexes that were named. Folders that do not exist yet are not there.
#[derive(Debug, Default)]
pub(crate) struct Named {
    against: Option<Open>,
    add_to: Option<Open>,
    /// The index that is created when everything else about the run is known to be right.
    created: Option<PathBuf>,
    /// How `--against` writes the index that is created, if it is asked too.
    created_as: Option<PathBuf>,
}

#[derive(Debug)]
struct Open {
    folder: PathBuf,
    index: Arc<Index>,
}

impl Open {
    fn new(folder: &Path, options: &Options, printer: &Printer) -> Result<Self> {
        let index = super::index::open_with(folder, options, printer)?;
        Ok(Self { folder: folder.to_owned(), index: Arc::new(index) })
    }

    /// The same index by another name.
    fn named(&self, folder: &Path) -> Self {
        Self { folder: folder.to_owned(), index: Arc::clone(&self.index) }
    }

    fn name(&self) -> String {
        self.folder.display().to_string()
    }

    /// Why this index cannot take part in the run, and what to do next.
    fn refuses(&self, error: index::Error, layers: &Layers) -> Failure {
        let name = self.name();
        match error {
            index::Error::NotForRuns { setting, value, reason } => {
                let setting = layers.name(setting, Some(&value));
                Failure::usage(format!("{setting} cannot be used with the index {name}: {reason}"))
                    .with_advice("leave it out, or compare with files")
            }
            index::Error::NotStored { .. } => Failure::usage(format!(
                "{name} stores signatures only, so similarities to its documents cannot be exact"
            ))
            .with_advice("use --verify estimate, or create the index with --store shingles"),
            index::Error::Contradiction { setting, index, asked } => {
                let (asked, made) = (layers.name(&setting, Some(&asked)), flag(&setting, Some(&index)));
                Failure::usage(format!("{asked} does not fit {name}, which was created with {made}"))
                    .with_advice("name an index with the settings of the run")
            }
            error => error.into(),
        }
    }
}

/// An error if the index of `--add-to` and the target or an input are in each other, or if a target has a run whose index is
/// gone.
pub(crate) fn check_place(
    add_to: Option<&Path>,
    target: Option<&Path>,
    inputs: &[impl AsRef<OsStr>],
) -> Result<()> {
    let Some(add_to) = add_to else { return Ok(()) };
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (index, shown) = (whole(add_to), add_to.display());
    if let Some(target) = target {
        let folder = whole(target);
        if index.starts_with(&folder) || folder.starts_with(&index) {
            return Err(Failure::usage(format!(
                "the index {shown} and the target {} are in each other",
                target.display()
            ))
            .with_advice("choose a folder elsewhere for one of them"));
        }
        if is_absent(add_to) && folder.join(corpus::WORK_FOLDER).exists() {
            let target = target.display();
            return Err(Failure::usage(format!(
                "there is no index at {shown}, but {target} already holds a run"
            ))
            .with_advice("check the path of --add-to, or choose another target"));
        }
    }
    match inputs.iter().map(|input| Path::new(input.as_ref())).find(|input| index.starts_with(whole(input))) {
        Some(input) => Err(Failure::usage(format!("the index {shown} is in the input {}", input.display()))
            .with_advice("choose a folder elsewhere for the index: its files would be read as documents")),
        None => Ok(()),
    }
}

impl Named {
    /// Opens the indexes of `--against` and `--add-to`. The inputs of `--against` that are no index are left alone.
    pub(crate) fn open(add_to: Option<&Path>, layers: &Layers, printer: &Printer) -> Result<Self> {
        let creates = add_to.filter(|folder| is_absent(folder));
        let is_created = |input: &str| creates.is_some_and(|folder| is_same(Path::new(input), folder));
        let mut asked = layers.against().iter().filter(|input| Index::is_at(input) || is_created(input));
        let (first, second) = (asked.next(), asked.next());
        if let (Some(first), Some(second)) = (first, second) {
            return Err(Failure::usage(format!("{first} and {second} are both indexes; a run can ask one"))
                .with_advice("merge them first: lookalike index merge"));
        }
        let resources = layers.resources()?;
        let options = options_within(&resources, resources.memory / CACHE_SHARE);
        let created_as = first.filter(|input| is_created(input)).map(PathBuf::from);
        let against = first.filter(|_| created_as.is_none()).map(Path::new);
        let against = against.map(|folder| Open::new(folder, &options, printer)).transpose()?;
        let add_to = add_to.filter(|_| creates.is_none());
        let add_to = match (add_to, &against) {
            // Reports have the names as they were written.
            (Some(folder), Some(open)) if is_same(folder, &open.folder) => Some(open.named(folder)),
            (Some(folder), _) => Some(Open::new(folder, &options, printer)?),
            (None, _) => None,
        };
        Ok(Self { against, add_to, created: creates.map(Path::to_owned), created_as })
    }

    /// True if no index was named.
    pub(crate) fn is_empty(&self) -> bool {
        self.against.is_none() && self.add_to.is_none() && self.created.is_none()
    }

    /// The folder and the settings of the index whose settings are those of the run.
    pub(crate) fn settings(&self) -> Option<(&Path, &Settings)> {
        let open = self.against.as_ref().or(self.add_to.as_ref())?;
        Some((&open.folder, &open.index.config().settings))
    }

    /// True if this input of `--against` is an index.
    pub(crate) fn has(&self, input: &str) -> bool {
        let asked = self.against.as_ref().map(|open| open.folder.as_path()).or(self.created_as.as_deref());
        asked.is_some_and(|folder| is_same(Path::new(input), folder))
    }

    /// The indexes as a run with these settings takes them. An index of `--add-to` that does not exist is created now.
    pub(crate) fn for_run(
        mut self,
        (settings, resources): (&Settings, &Resources),
        layers: &Layers,
        printer: &Printer,
    ) -> Result<Indexes> {
        let against = |open: &Open| {
            open.index.against(open.name(), settings).map_err(|error| open.refuses(error, layers))
        };
        let adding = resources.memory / ADDING_SHARE;
        if let Some(open) = &self.add_to {
            // Settings in which the two differ would give other answers the next time.
            against(open).map(drop)?;
        }
        if let Some(folder) = &self.created {
            // Similarities to what is added now are exact in later runs.
            let config = Config::default().with_settings(settings.clone()).with_store(Stored::Shingles);
            let index =
                Index::create(folder, &config, &options_within(resources, resources.memory / CACHE_SHARE))?;
            printer.note(&format!("created the index {}, which stores shingles", folder.display()));
            let open = Open { folder: folder.clone(), index: Arc::new(index) };
            self.against = self.created_as.as_deref().map(|written| open.named(written)).or(self.against);
            self.add_to = Some(open);
        }
        let mut memory = 0;
        let opened = [&self.against, &self.add_to].into_iter().flatten();
        let mut counted: Vec<&Arc<Index>> = Vec::new();
        for Open { index, .. } in opened {
            if !counted.iter().any(|other| Arc::ptr_eq(other, index)) {
                memory += index.memory()?;
                counted.push(index);
            }
        }
        let against = match &self.against {
            Some(open) => Some(Arc::new(against(open)?) as Arc<_>),
            None => None,
        };
        let add_to = self.add_to.as_ref();
        let add_to = add_to.map(|open| Arc::new(open.index.add_to(open.name(), adding)) as Arc<_>);
        Ok(Indexes { against, add_to, memory })
    }
}

/// True if nothing is at a path, or an empty folder.
fn is_absent(folder: &Path) -> bool {
    !folder.exists() || std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// True if two paths lead to the same folder, however they are written.
fn is_same(a: &Path, b: &Path) -> bool {
    a == b || (a.canonicalize().ok()).is_some_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}
