//! A system with injected faults, for tests: a chosen call fails, is cut short, or is the last one before a power
//! cut.
//!
//! The files are real, in a folder of the test. In addition, the state that a power cut would leave is recorded, as
//! on a disk:
//!
//! - *contents* survive if the file was synced;
//! - *names* that were created, renamed or removed survive if their folder was synced.
//!
//! After a power cut every call fails until [`Faulty::restart`], which puts the folder into the state of the disk. In
//! the worst case, everything that was not synced is lost. Or the names exist without their contents, as some file
//! systems leave them.

use crate::system::{Access, Entry, Local, System};
use crate::{Place, Result};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What happens at the chosen call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The call fails and has no effect.
    Fails,
    /// A write writes half of its bytes, and the next write to the file fails. Any other call fails.
    CutShort,
    /// The call succeeds, and every later call fails.
    PowerCut,
}

/// What a power cut destroys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Everything that was not synced.
    Unsynced,
    /// Contents that were not synced. All names survive.
    Contents,
    /// Nothing. This is a killed process, not a power cut.
    Nothing,
}

/// A system that fails at a chosen call.
#[derive(Debug)]
pub struct Faulty {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    root: PathBuf,
    calls: u64,
    fault: Option<(u64, Fault)>,
    /// True after the power cut.
    off: bool,
    /// A file whose next write fails.
    full: Option<PathBuf>,
    /// The current state: folders, and files by the number that the system gave them.
    live: BTreeMap<PathBuf, Node>,
    /// The state after a power cut.
    lasting: BTreeMap<PathBuf, Node>,
    /// The contents of files after a power cut, by number.
    contents: BTreeMap<u64, Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    Folder,
    File(u64),
}

impl Faulty {
    /// Everything below `root` survives a power cut. From now on, changes survive only if they are synced.
    pub fn new(root: &Path, fault: Option<(u64, Fault)>) -> io::Result<Arc<Self>> {
        let mut state = State {
            root: root.to_owned(),
            calls: 0,
            fault,
            off: false,
            full: None,
            live: BTreeMap::new(),
            lasting: BTreeMap::new(),
            contents: BTreeMap::new(),
        };
        state.look(root)?;
        state.lasting = state.live.clone();
        Ok(Arc::new(Self { state: Mutex::new(state) }))
    }

    /// The number of calls so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.state().calls
    }

    /// True after the power cut.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.state().off
    }

    /// Puts the folder into the state after a power cut that destroys `loss`.
    pub fn restart(&self, loss: Loss) -> io::Result<()> {
        let state = self.state();
        let names = match loss {
            Loss::Nothing => return Ok(()),
            Loss::Unsynced => &state.lasting,
            Loss::Contents => &state.live,
        };
        for entry in fs::read_dir(&state.root)? {
            let path = entry?.path();
            if path.is_dir() { fs::remove_dir_all(&path)? } else { fs::remove_file(&path)? }
        }
        for (path, node) in names {
            // A file in a folder whose name was lost cannot be found.
            let found = path.parent().is_some_and(Path::is_dir);
            match node {
                _ if !found => {}
                Node::Folder => fs::create_dir(path)?,
                Node::File(number) => {
                    fs::write(path, state.contents.get(number).map_or(&[][..], Vec::as_slice))?;
                }
            }
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a call, unless it is the one that fails.
    fn call<R>(
        &self,
        done: impl FnOnce() -> io::Result<R>,
        note: impl FnOnce(&mut State, &R) -> io::Result<()>,
    ) -> io::Result<R> {
        let mut state = self.state();
        match state.count()? {
            Some(Fault::Fails | Fault::CutShort) => Err(chosen()),
            last => {
                let answer = done()?;
                note(&mut state, &answer)?;
                state.off = last.is_some();
                Ok(answer)
            }
        }
    }
}

fn chosen() -> io::Error {
    io::Error::new(io::ErrorKind::StorageFull, "a fault injected by the test")
}

#[cfg(unix)]
fn number(file: &File) -> io::Result<u64> {
    file.metadata().map(|metadata| std::os::unix::fs::MetadataExt::ino(&metadata))
}

impl State {
    /// Counts a call. An error if the power was cut.
    fn count(&mut self) -> io::Result<Option<Fault>> {
        if self.off {
            return Err(io::Error::other("the power is cut"));
        }
        self.calls += 1;
        Ok(self.fault.filter(|(at, _)| *at == self.calls).map(|(_, fault)| fault))
    }

    fn look(&mut self, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                self.live.insert(path.clone(), Node::Folder);
                self.look(&path)?;
            } else {
                let number = number(&File::open(&path)?)?;
                self.contents.insert(number, fs::read(&path)?);
                self.live.insert(path, Node::File(number));
            }
        }
        Ok(())
    }
}

impl System for Faulty {
    fn create(&self, path: &Path, access: Access) -> io::Result<File> {
        self.call(
            || Local.create(path, access),
            |state, file| {
                let number = number(file)?;
                state.contents.insert(number, Vec::new());
                state.live.insert(path.to_owned(), Node::File(number));
                Ok(())
            },
        )
    }

    fn open(&self, path: &Path) -> io::Result<File> {
        self.call(|| Local.open(path), |_, _| Ok(()))
    }

    fn write(&self, path: &Path, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.state();
        let fault = state.count()?;
        if state.full.as_deref() == Some(path) || fault == Some(Fault::Fails) {
            return Err(chosen());
        }
        let some = if fault.is_some() { bytes.len() / 2 } else { bytes.len() };
        let written = Local.write(path, file, &bytes[..some])?;
        match fault {
            Some(Fault::PowerCut) => state.off = true,
            Some(_) => state.full = Some(path.to_owned()),
            None => {}
        }
        Ok(written)
    }

    fn sync(&self, _path: &Path, file: &File) -> io::Result<()> {
        self.call(
            || Ok(()),
            |state, ()| {
                let mut bytes = vec![0; file.metadata()?.len() as usize];
                std::os::unix::fs::FileExt::read_exact_at(file, &mut bytes, 0)?;
                state.contents.insert(number(file)?, bytes);
                Ok(())
            },
        )
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call(
            || Local.rename(from, to),
            |state, ()| {
                if let Some(node) = state.live.remove(from) {
                    state.live.insert(to.to_owned(), node);
                }
                Ok(())
            },
        )
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call(
            || Local.rename_new(from, to),
            |state, ()| {
                if let Some(node) = state.live.remove(from) {
                    state.live.insert(to.to_owned(), node);
                }
                Ok(())
            },
        )
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.call(
            || Ok(()),
            |state, ()| {
                let State { live, lasting, .. } = state;
                let inside = |path: &Path| path.parent() == Some(folder);
                let gone: Vec<PathBuf> = lasting
                    .keys()
                    .filter(|path| inside(path) && !live.contains_key(*path))
                    .cloned()
                    .collect();
                lasting.retain(|path, _| !gone.iter().any(|gone| path.starts_with(gone)));
                lasting.extend(
                    live.iter().filter(|(path, _)| inside(path)).map(|(path, node)| (path.clone(), *node)),
                );
                Ok(())
            },
        )
    }

    fn make_folder(&self, folder: &Path, access: Access) -> io::Result<()> {
        self.call(
            || Local.make_folder(folder, access),
            |state, ()| {
                state.live.insert(folder.to_owned(), Node::Folder);
                Ok(())
            },
        )
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.call(
            || Local.remove_file(path),
            |state, ()| {
                state.live.remove(path);
                Ok(())
            },
        )
    }

    fn remove_folder(&self, folder: &Path) -> io::Result<()> {
        self.call(
            || Local.remove_folder(folder),
            |state, ()| {
                state.live.remove(folder);
                Ok(())
            },
        )
    }

    fn remove_tree(&self, folder: &Path) -> io::Result<()> {
        self.call(
            || Local.remove_tree(folder),
            |state, ()| {
                state.live.retain(|path, _| !path.starts_with(folder));
                Ok(())
            },
        )
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        self.call(|| Local.list(folder), |_, _| Ok(()))
    }
}

/// A place where a chosen call and all later calls fail, as if the network were gone. The chosen call may still have
/// its effect.
#[derive(Debug)]
pub struct FaultyPlace {
    place: Arc<dyn Place>,
    calls: Mutex<u64>,
    at: u64,
    done_first: bool,
}

impl FaultyPlace {
    /// Fails at call `at` (counted from 1). If `done_first` is true, that call still has its effect, and only its
    /// answer is lost.
    #[must_use]
    pub fn new(place: Arc<dyn Place>, at: u64, done_first: bool) -> Self {
        Self { place, calls: Mutex::new(0), at, done_first }
    }

    /// The number of calls so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        *self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call<R>(&self, call: impl FnOnce(&dyn Place) -> Result<R>) -> Result<R> {
        let now = {
            let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
            *calls += 1;
            *calls
        };
        if now < self.at {
            return call(&*self.place);
        }
        if now == self.at && self.done_first {
            call(&*self.place)?;
        }
        Err(crate::Error {
            action: "reach",
            name: "the place".into(),
            cause: io::Error::other("the network is gone"),
        })
    }
}

impl Place for FaultyPlace {
    fn folder(&self) -> Option<&Path> {
        self.place.folder()
    }

    fn exists(&self, name: &str) -> Result<bool> {
        self.call(|place| place.exists(name))
    }

    fn list(&self) -> Result<Vec<String>> {
        self.call(|place| place.list())
    }

    fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.call(|place| place.read(name))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        self.call(|place| place.write(name, bytes))
    }

    fn write_new(&self, name: &str, bytes: &[u8]) -> Result<bool> {
        self.call(|place| place.write_new(name, bytes))
    }

    fn remove(&self, name: &str) -> Result<()> {
        self.call(|place| place.remove(name))
    }

    fn publish(&self, file: &Path, name: &str) -> Result<()> {
        self.call(|place| place.publish(file, name))
    }

    fn copy(&self, file: &Path, name: &str) -> Result<()> {
        self.call(|place| place.copy(file, name))
    }
}
