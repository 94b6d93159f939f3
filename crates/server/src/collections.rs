//! The collections of the service: open indexes by their names.
//!
//! A collection is either given by its folder when the service starts, and then is never deleted, or it is below the
//! folder of the service, where collections come and go. A collection that is being created or deleted has a
//! placeholder, so that nobody else begins the same.

use crate::error::Error;
use crate::options::Options;
use crate::problem::{Problem, Result, shown};
use axum::http::StatusCode;
use index::{Clock, Config, Index};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};
use std::time::{Duration, Instant};

/// The most bytes of a name.
const MOST_NAME_BYTES: usize = 64;

/// Collections that are being deleted have a name with this prefix, which no collection can have.
const DELETED: &str = ".deleted-";

/// All collections.
#[derive(Debug)]
pub(crate) struct Collections {
    entries: RwLock<BTreeMap<String, Entry>>,
    folder: Option<PathBuf>,
    options: index::Options,
}

#[derive(Debug)]
enum Entry {
    Open {
        index: Arc<Index>,
        is_own: bool,
    },
    /// It is being created or deleted.
    Changing,
}

impl Collections {
    /// Opens all indexes that are given, and those below the folder of the service.
    pub(crate) fn open(options: &Options) -> std::result::Result<Self, Error> {
        let mut entries = BTreeMap::new();
        let mut add = |path: &Path, is_own: bool| {
            let name = name_of(path)?;
            let at_index = |cause| Error::Index { path: path.to_owned(), cause: Box::new(cause) };
            let index = Arc::new(Index::open(path, &options.index).map_err(at_index)?);
            match entries.insert(name.clone(), Entry::Open { index, is_own }) {
                Some(_) => Err(Error::SameName { name }),
                None => Ok(()),
            }
        };
        for path in &options.collections {
            add(path, false)?;
        }
        if let Some(folder) = &options.folder {
            for path in subfolders(folder)? {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                if name.starts_with(DELETED) {
                    // The service was stopped while it deleted.
                    std::fs::remove_dir_all(&path)
                        .map_err(|cause| Error::Folder { path: path.clone(), cause })?;
                } else if path.join("index.json").is_file() {
                    add(&path, true)?;
                }
            }
        }
        Ok(Self {
            entries: RwLock::new(entries),
            folder: options.folder.clone(),
            options: options.index.clone(),
        })
    }

    /// What time it is.
    pub(crate) fn clock(&self) -> &dyn Clock {
        self.options.clock.as_ref()
    }

    /// The collection with this name.
    pub(crate) fn get(&self, name: &str) -> Result<Arc<Index>> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        match entries.get(name) {
            Some(Entry::Open { index, .. }) => Ok(Arc::clone(index)),
            Some(Entry::Changing) => Err(changing(name)),
            None => {
                let problem = unknown(name);
                Err(match crate::json::nearest(name, entries.keys().map(String::as_str)) {
                    Some(nearest) => problem.advise(format!("the nearest name is `{nearest}`")),
                    None => problem.advise("PUT /v1/collections/{name} creates one"),
                })
            }
        }
    }

    /// All collections that are open, by name.
    pub(crate) fn all(&self) -> Vec<(String, Arc<Index>)> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let open = |(name, entry): (&String, &Entry)| match entry {
            Entry::Open { index, .. } => Some((name.clone(), Arc::clone(index))),
            Entry::Changing => None,
        };
        entries.iter().filter_map(open).collect()
    }

    /// Creates a collection below the folder of the service. If there is one, its configuration must not contradict,
    /// in the settings that were asked for. Returns the index, and whether it is new.
    pub(crate) fn create(
        &self,
        name: &str,
        config: &Config,
        is_asked: impl Fn(&str) -> bool,
    ) -> Result<(Arc<Index>, bool)> {
        check_name(name).map_err(Problem::invalid)?;
        let path = {
            let mut entries = self.write();
            match entries.get(name) {
                Some(Entry::Open { index, .. }) => {
                    index.config().check_same(config, is_asked)?;
                    return Ok((Arc::clone(index), false));
                }
                Some(Entry::Changing) => return Err(changing(name)),
                None => {}
            }
            let Some(folder) = &self.folder else {
                let detail = "this service has no folder for new collections";
                return Err(Problem::new(StatusCode::FORBIDDEN, "no-folder", detail)
                    .advise("ask the operator to start the service with a folder for collections"));
            };
            entries.insert(name.to_owned(), Entry::Changing);
            folder.join(name)
        };
        let placeholder = Placeholder { collections: self, name };
        let index = Arc::new(Index::create(path, config, &self.options)?);
        placeholder.becomes(Entry::Open { index: Arc::clone(&index), is_own: true });
        Ok((index, true))
    }

    /// Deletes a collection that is below the folder of the service, after all requests that use it are done. If that
    /// takes longer than `patience`, nothing is deleted.
    pub(crate) fn delete(&self, name: &str, patience: Duration) -> Result<()> {
        let index = {
            let mut entries = self.write();
            match entries.get(name) {
                None => return Err(unknown(name)),
                Some(Entry::Changing) => return Err(changing(name)),
                Some(Entry::Open { is_own: false, .. }) => {
                    let detail = format!("{} was given to the service by its folder", shown(name));
                    return Err(Problem::new(StatusCode::FORBIDDEN, "not-deletable", detail)
                        .advise("stop the service and delete the folder"));
                }
                Some(Entry::Open { .. }) => {}
            }
            match entries.insert(name.to_owned(), Entry::Changing) {
                Some(Entry::Open { index, .. }) => index,
                _ => return Err(changing(name)),
            }
        };
        let placeholder = Placeholder { collections: self, name };
        let path = index.path();
        match alone(index, patience) {
            Ok(index) => drop(index),
            Err(index) => {
                placeholder.becomes(Entry::Open { index, is_own: true });
                return Err(Problem::new(
                    StatusCode::CONFLICT,
                    "in-use",
                    format!("{} is in use", shown(name)),
                )
                .retry());
            }
        }
        // After the renaming it is gone, even if the service is stopped now.
        let gone = path.with_file_name(format!("{DELETED}{name}"));
        let removed = std::fs::rename(&path, &gone).and_then(|()| std::fs::remove_dir_all(&gone));
        removed.map_err(|error| {
            tracing::error!(%error, path = %path.display(), "a collection cannot be deleted");
            Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "collection-unavailable",
                "its folder cannot be deleted",
            )
        })
    }

    /// Closes all collections, after all requests that use them are done, and returns how many were still in use when
    /// the patience was over.
    pub(crate) fn close(&self, patience: Duration) -> usize {
        let entries = std::mem::take(&mut *self.write());
        let end = Instant::now() + patience;
        let mut in_use = 0;
        for (name, entry) in entries {
            let Entry::Open { index, .. } = entry else { continue };
            let is_alone = alone(index, end.saturating_duration_since(Instant::now())).is_ok();
            in_use += usize::from(!is_alone);
            tracing::info!(collection = name, closed = is_alone, "a collection is closed");
        }
        in_use
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<String, Entry>> {
        self.entries.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits until nobody else has the index.
fn alone(mut index: Arc<Index>, patience: Duration) -> std::result::Result<Index, Arc<Index>> {
    let end = Instant::now() + patience;
    loop {
        match Arc::try_unwrap(index) {
            Ok(index) => return Ok(index),
            Err(shared) if Instant::now() >= end => return Err(shared),
            Err(shared) => index = shared,
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Holds a name while its collection is created or deleted. If that fails, the name is free again.
struct Placeholder<'c> {
    collections: &'c Collections,
    name: &'c str,
}

impl Placeholder<'_> {
    fn becomes(self, entry: Entry) {
        self.collections.write().insert(self.name.to_owned(), entry);
    }
}

impl Drop for Placeholder<'_> {
    fn drop(&mut self) {
        let mut entries = self.collections.write();
        if matches!(entries.get(self.name), Some(Entry::Changing)) {
            entries.remove(self.name);
        }
    }
}

fn unknown(name: &str) -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "unknown-collection",
        format!("there is no collection {}", shown(name)),
    )
}

fn changing(name: &str) -> Problem {
    let detail = format!("{} is being created or deleted", shown(name));
    Problem::new(StatusCode::CONFLICT, "changing", detail).retry()
}

/// Refuses what cannot be the name of a collection, with the reason. A name is a folder and a part of an address.
pub(crate) fn check_name(name: &str) -> std::result::Result<(), String> {
    if name.is_empty() || name.len() > MOST_NAME_BYTES {
        return Err(format!("a name has 1 to {MOST_NAME_BYTES} bytes, not {}", name.len()));
    }
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match name.chars().find(|&c| !is_allowed(c)) {
        Some(c) => Err(format!("a name has ASCII letters, digits, `-` and `_`; {c:?} is not one of them")),
        None => Ok(()),
    }
}

/// The name of the collection in a folder.
fn name_of(path: &Path) -> std::result::Result<String, Error> {
    // `.` and `a/..` have names too.
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match check_name(&name) {
        Ok(()) => Ok(name),
        Err(reason) => Err(Error::Name { path: path.to_owned(), reason }),
    }
}

/// The folders below a folder, by name. The folder is created if it does not exist.
fn subfolders(folder: &Path) -> std::result::Result<Vec<PathBuf>, Error> {
    let read = || {
        std::fs::create_dir_all(folder)?;
        let entries = std::fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
        Ok(entries.into_iter().map(|entry| entry.path()).filter(|path| path.is_dir()).collect())
    };
    let mut all: Vec<PathBuf> = read().map_err(|cause| Error::Folder { path: folder.to_owned(), cause })?;
    all.sort();
    Ok(all)
}
