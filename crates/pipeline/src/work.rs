//! The work folder: what a run writes down so that it can go on after a kill, and what later questions need.
//!
//! ```text
//! run.json       what the run is: settings and sources; a folder whose run.json differs belongs to another run
//! began-in       the folder that relative paths of sources are relative to
//! lock           held while a run works
//! sketches/      the parts, in order, and `complete` with their number once all are there
//! decisions      what becomes of the removed documents (made once, after verification)
//! near-misses.jsonl
//! unfinished/    outputs on their way
//! ```
//!
//! Every file is written aside, synced and renamed: it is whole or absent.

use crate::store::Store;
use crate::store::columns::Columns;
use crate::store::part;
use crate::{Error, Observer, Result};
use corpus::Target;
use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder that the run began in.
pub(crate) const BEGAN_IN: &str = "began-in";

/// The number of parts, once all are there.
const COMPLETE: &str = "sketches/complete";

/// A work folder, or none: then everything stays in memory, or goes to a folder for as long as the run lasts.
#[derive(Debug)]
pub(crate) struct Work {
    folder: PathBuf,
    /// Whether the folder goes when the run ends.
    temporary: bool,
    /// Whether parts are written even if they fit in memory.
    durable: bool,
    /// A sketch file that has the parts.
    sketch_file: Option<(PathBuf, u64)>,
    /// A sketch file that parts are added to.
    appending: Option<(File, PathBuf)>,
    /// Where sets of shingles go that do not fit in memory.
    spill: PathBuf,
    parts: usize,
    sketched: bool,
    resumed: bool,
    lock: Option<File>,
}

fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let name = path.display().to_string();
    move |cause| Error::Io { action, name, cause }
}

/// Writes a file whole or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    write_pieces(path, |write| write(bytes))
}

/// The same for bytes that come in pieces: `pieces` hands them to what it is given.
fn write_pieces(
    path: &Path,
    pieces: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>,
) -> Result<()> {
    let aside = path.with_extension("unfinished");
    let mut file = File::create(&aside).map_err(io("write", &aside))?;
    pieces(&mut |bytes| file.write_all(bytes).map_err(io("write", &aside)))?;
    file.sync_all().map_err(io("write", &aside))?;
    fs::rename(&aside, path).map_err(io("write", path))?;
    sync_folder(path)
}

/// Makes a rename in the folder of `path` last.
pub(crate) fn sync_folder(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(io("write", folder))
}

impl Work {
    /// A folder that outlives the run and belongs to `identity`; one of another run is refused.
    pub(crate) fn durable(folder: PathBuf, identity: &str) -> Result<Self> {
        let sketches = folder.join("sketches");
        fs::create_dir_all(&sketches).map_err(io("make the folder", &sketches))?;
        let lock_path = folder.join("lock");
        let lock = File::create(&lock_path).map_err(io("write", &lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Target(format!(
                    "another run is working in {}; wait for it to end",
                    folder.display()
                )));
            }
            Err(TryLockError::Error(cause)) => return Err(io("lock", &lock_path)(cause)),
        }
        let run = folder.join("run.json");
        let resumed = match fs::read_to_string(&run) {
            Ok(found) if found == identity => true,
            Ok(found) => return Err(Error::Target(crate::identity::difference(&found, identity, &folder))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                // Whoever asks about the run later may be elsewhere.
                if let Ok(here) = std::env::current_dir() {
                    write_whole(&folder.join(BEGAN_IN), here.as_os_str().as_encoded_bytes())?;
                }
                write_whole(&run, identity.as_bytes())?;
                false
            }
            Err(cause) => return Err(io("read", &run)(cause)),
        };
        let sketched = folder.join(COMPLETE).exists();
        Ok(Self {
            spill: folder.join("spill"),
            folder,
            temporary: false,
            durable: true,
            sketch_file: None,
            appending: None,
            parts: 0,
            sketched,
            resumed,
            lock: Some(lock),
        })
    }

    /// The folder of a finished run, only to be read.
    pub(crate) fn existing(folder: PathBuf) -> Self {
        Self {
            spill: folder.join("spill"),
            sketched: folder.join(COMPLETE).exists(),
            folder,
            temporary: false,
            durable: false,
            sketch_file: None,
            appending: None,
            parts: 0,
            resumed: false,
            lock: None,
        }
    }

    /// A folder of its own below `parent` that goes when the run ends.
    pub(crate) fn temporary(parent: &Path) -> Result<Self> {
        for attempt in 0..1_000 {
            let folder = parent.join(format!("lookalike-{}-{attempt}", std::process::id()));
            match fs::create_dir(&folder) {
                Ok(()) => {
                    let sketches = folder.join("sketches");
                    fs::create_dir_all(&sketches).map_err(io("make the folder", &sketches))?;
                    return Ok(Self {
                        spill: folder.join("spill"),
                        folder,
                        temporary: true,
                        durable: false,
                        sketch_file: None,
                        appending: None,
                        parts: 0,
                        sketched: false,
                        resumed: false,
                        lock: None,
                    });
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(cause) => return Err(io("make the folder", &folder)(cause)),
            }
        }
        Err(Error::Invalid(format!("cannot make a folder of its own in {}", parent.display())))
    }

    /// The parts come from a sketch file, where they begin at `offset`.
    pub(crate) fn with_sketch_file(mut self, file: PathBuf, offset: u64) -> Self {
        self.sketch_file = Some((file, offset));
        self.sketched = true;
        self
    }

    /// Parts are added to this file.
    pub(crate) fn appending_to(mut self, file: File, path: PathBuf) -> Self {
        self.appending = Some((file, path));
        self
    }

    /// Whether parts are added to a file.
    pub(crate) fn is_appending(&self) -> bool {
        self.appending.is_some()
    }

    /// What is spilled goes to a folder of its own below this one.
    pub(crate) fn with_spill_folder(mut self, parent: &Path) -> Result<Self> {
        let name = blake3::hash(self.folder.as_os_str().as_encoded_bytes()).to_hex();
        self.spill = parent.join(format!("lookalike-spill-{}", &name[..16]));
        Ok(self)
    }

    /// The folder for what is spilled, made if it is not there.
    pub(crate) fn spill_folder(&self) -> Result<&Path> {
        fs::create_dir_all(&self.spill).map_err(io("make the folder", &self.spill))?;
        Ok(&self.spill)
    }

    /// A folder in it, made if it is not there.
    pub(crate) fn subfolder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder).map_err(io("make the folder", &folder))?;
        Ok(folder)
    }

    /// Whether an earlier run of the same kind has been here.
    pub(crate) fn is_resumed(&self) -> bool {
        self.resumed
    }

    /// Whether all parts are there.
    pub(crate) fn is_sketched(&self) -> bool {
        self.sketched
    }

    fn part_path(&self, part: usize) -> PathBuf {
        self.folder.join("sketches").join(format!("part-{part:06}"))
    }

    /// The parts that an earlier run left. A damaged last one is sketched again.
    pub(crate) fn stored_parts(
        &mut self,
        lanes: usize,
        memory: u64,
        observer: &dyn Observer,
    ) -> Result<Store> {
        let mut store = Store::new(lanes);
        if let Some((path, offset)) = &self.sketch_file {
            let mut file = File::open(path).map_err(io("read", path))?;
            std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(*offset)).map_err(io("read", path))?;
            while !part::at_end(&mut file, path, store.parts())? {
                let (stored, columns) = part::read(&mut file, path)?;
                store.push(columns, Some(stored), memory);
            }
            return Ok(store);
        }
        loop {
            let path = self.part_path(self.parts);
            let mut file = match File::open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => break,
                Err(cause) => return Err(io("read", &path)(cause)),
            };
            match part::read(&mut file, &path) {
                Ok((stored, columns)) => store.push(columns, Some(stored), memory),
                Err(Error::Damaged { .. }) => {
                    observer.note(&format!("{} is damaged; sketching goes on from there", path.display()));
                    self.sketched = false;
                    break;
                }
                Err(error) => return Err(error),
            }
            self.parts += 1;
        }
        if self.sketched && self.read(COMPLETE)? != Some(self.parts.to_string().into_bytes()) {
            observer.note(&format!("{} lacks a part; sketching goes on from there", self.folder.display()));
            self.sketched = false;
        }
        Ok(store)
    }

    /// Takes a finished part: into the store, and into a file if it must outlive the run or does not fit.
    pub(crate) fn push_part(&mut self, columns: Columns, store: &mut Store, memory: u64) -> Result<()> {
        let fits = store.bytes_in_memory() + columns.bytes() <= memory;
        let file = if let Some((file, path)) = &mut self.appending {
            Some(part::write(&columns, file, path)?)
        } else if self.durable || !fits {
            let path = self.part_path(self.parts);
            let aside = path.with_extension("unfinished");
            let mut file = File::create(&aside).map_err(io("write", &aside))?;
            let stored = part::write(&columns, &mut file, &path)?;
            if self.durable {
                file.sync_data().map_err(io("write", &aside))?;
            }
            fs::rename(&aside, &path).map_err(io("write", &path))?;
            Some(stored)
        } else {
            None
        };
        self.parts += 1;
        store.push(columns, file, memory);
        Ok(())
    }

    /// All parts are there.
    pub(crate) fn sketched(&mut self) -> Result<()> {
        self.sketched = true;
        if let Some((file, path)) = &mut self.appending {
            part::write_end(file, path, self.parts)?;
            file.sync_all().map_err(io("write", path))?;
        }
        if self.durable {
            self.write(COMPLETE, self.parts.to_string().as_bytes())?;
        }
        Ok(())
    }

    /// A file of the folder, if it is there.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let path = self.folder.join(name);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(io("read", &path)(cause)),
        }
    }

    /// A file of the folder, if it is there, and its name.
    pub(crate) fn open(&self, name: &str) -> Result<Option<(File, String)>> {
        let path = self.folder.join(name);
        match File::open(&path) {
            Ok(file) => Ok(Some((file, path.display().to_string()))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(io("read", &path)(cause)),
        }
    }

    /// Writes a file of the folder, whose bytes come in pieces.
    pub(crate) fn write_pieces(
        &self,
        name: &str,
        pieces: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        write_pieces(&self.folder.join(name), pieces)
    }

    /// Writes a file of the folder.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        write_whole(&self.folder.join(name), bytes)
    }

    /// Takes away what only an unfinished run needs.
    pub(crate) fn tidy(&self) -> Result<()> {
        for folder in [&self.folder.join("unfinished"), &self.spill] {
            match fs::remove_dir_all(folder) {
                Ok(()) => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(cause) => return Err(io("remove", folder)(cause)),
            }
        }
        Ok(())
    }

    /// Brings what later questions need to a target that does not hold this folder, and takes the folder away.
    pub(crate) fn publish(&self, target: &Target) -> Result<()> {
        if target.folder().is_some() {
            return Ok(());
        }
        let mut names: Vec<String> =
            [BEGAN_IN, "decided.json", "decisions", "near-misses.jsonl", COMPLETE].map(String::from).to_vec();
        names.extend((0..self.parts).map(|part| format!("sketches/part-{part:06}")));
        names.push("run.json".into());
        for name in names.iter().filter(|name| self.folder.join(name).exists()) {
            target.publish(&self.folder.join(name), &format!("{}/{name}", crate::run::WORK_FOLDER))?;
        }
        fs::remove_dir_all(&self.folder).map_err(io("remove", &self.folder))
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        if self.temporary {
            // Nothing can be done about a folder that does not go, and nothing depends on it.
            let _ = fs::remove_dir_all(&self.folder);
            let _ = fs::remove_dir_all(&self.spill);
        }
        self.lock = None;
    }
}
