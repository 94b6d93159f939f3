//! An index in memory, written to a file, as a source of documents: ids and the lanes of signatures.
//!
//! The index itself is not made: a file is read piece by piece, once to check it whole, and once for its documents.

use super::Take;
use super::lsh_bytes::{LshBytes, Section};
use crate::document::{Content, Document, Imported, MOST_ID_BYTES};
use crate::engine::check_id;
use crate::{Config, Error, Result};
use lookalike::hashing::ByteHasher;
use lookalike::index::LshLayout;
use lookalike::minhash::Family;
use pipeline::{Documents, Method, NormalizeSettings, Observer, Settings, Stage};
use std::io::Read;
use std::path::Path;

/// The first bytes of such a file.
pub(super) const MAGIC: &[u8] = b"LKLI";

/// The number of bytes before the shingling in what Python notes: a threshold and a number of hashes.
const NOTED: usize = 12;

/// What Python notes is not longer than this.
const LONGEST_NOTE: u64 = 4 << 10;

/// The size of a piece that is read while a file is checked.
const PIECE: usize = 64 << 10;

/// An index in memory that was written to a file, by Rust (`LshIndex::to_bytes_with`) or by Python (`LSH.save`).
#[derive(Debug)]
pub struct LshFile {
    name: String,
    bytes: LshBytes,
    layout: LshLayout,
    /// True if ids are keys of Python.
    has_keys: bool,
    /// How texts were cut, if Python wrote the file and knew it.
    shingling: Option<String>,
    fingerprint: String,
}

impl LshFile {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let bytes = LshBytes::open(path).map_err(|cause| crate::folder::io_error("read", path, cause))?;
        Self::check(path.display().to_string(), bytes)
    }

    /// Reads the bytes of an index in memory. Ids are those of Python if Python wrote them, and otherwise UTF-8.
    pub fn read(name: &str, bytes: Vec<u8>) -> Result<Self> {
        Self::check(name.to_owned(), LshBytes::Memory(bytes))
    }

    /// Checks all bytes, so that nothing can be wrong with them when their documents are added.
    fn check(name: String, bytes: LshBytes) -> Result<Self> {
        let mut header = Vec::new();
        let size = bytes.size().map_err(|cause| unreadable(&name, cause))?;
        let mut start = bytes.section(0..size.min(LshLayout::HEADER as u64));
        start.read_to_end(&mut header).map_err(|cause| unreadable(&name, cause))?;
        let layout = LshLayout::read(&header).map_err(|cause| damaged(&name, cause.to_string()))?;
        if layout.size() != size {
            let expected = layout.size();
            return Err(damaged(&name, format!("it has {size} bytes, and not the {expected} that it says")));
        }
        let checksum = checksum(&bytes, size).map_err(|cause| unreadable(&name, cause))?;
        let Some(checksum) = checksum else {
            return Err(damaged(&name, "the checksum does not match: the bytes are damaged".into()));
        };
        let mut note = Vec::new();
        let place = layout.note();
        if place.end - place.start <= LONGEST_NOTE {
            bytes.section(place).read_to_end(&mut note).map_err(|cause| unreadable(&name, cause))?;
        }
        let of_python = match layout.documents() {
            0 => None,
            _ => noted_by_python(&note, layout.num_hashes()),
        };
        let shingling = of_python.filter(|shingling| !shingling.is_empty()).map(str::to_owned);
        header.extend(checksum.to_le_bytes());
        let fingerprint = format!("{:032x}", pipeline::content_hash(&header));
        let has_keys = of_python.is_some();
        let file = Self { name, bytes, layout, has_keys, shingling, fingerprint };
        file.ids().check_all()?;
        Ok(file)
    }

    /// The ids, in their order.
    fn ids(&self) -> Ids<'_> {
        let section = self.bytes.section(self.layout.ids());
        Ids { file: self, section, left: self.layout.documents() }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn fingerprint(&self) -> String {
        self.fingerprint.clone()
    }

    pub(super) fn unknown(&self) -> Option<&'static str> {
        match self.shingling {
            Some(_) => None,
            None => Some(
                "it does not say how its texts were cut into shingles; texts find its documents only if these are the \
                 shingles of the index",
            ),
        }
    }

    /// The settings of an index for these documents.
    pub(super) fn settings(&self, settings: &Settings) -> Settings {
        let mut settings = settings.clone();
        if self.layout.documents() > 0 {
            settings.signature.hashes = self.layout.num_hashes();
            settings.signature.seed = self.layout.seed();
        }
        if let Some(shingling) = &self.shingling {
            set_shingling(&mut settings, shingling);
        }
        settings
    }

    /// An error if an index of this configuration has other signatures.
    pub(super) fn check_settings(&self, config: &Config) -> Result<()> {
        let signature = &config.settings.signature;
        if let Some(family) = self.layout.family().filter(|_| self.layout.documents() > 0) {
            let (seed, hashes) = (self.layout.seed(), self.layout.num_hashes());
            let pairs = [
                ("method", signature.method.to_string(), Method::Minhash.to_string()),
                ("family", format!("{:?}", Family::FastSketch), format!("{family:?}")),
                ("seed", signature.seed.to_string(), seed.to_string()),
                ("hashes", signature.hashes.to_string(), hashes.to_string()),
            ];
            for (setting, index, asked) in pairs {
                if index != asked {
                    return Err(Error::Contradiction { setting: setting.into(), index, asked });
                }
            }
        }
        match &self.shingling {
            Some(shingling) => check_shingling(config, shingling),
            None => Ok(()),
        }
    }

    /// Hands out the documents, in the order of the file.
    pub(super) fn feed(&self, observer: &dyn Observer, take: &mut Take<'_>) -> Result<u64> {
        let (mut ids, lanes) = (self.ids(), self.layout.signatures());
        observer.started(Stage::Sketch, lanes.end - lanes.start);
        let mut signatures = self.bytes.section(lanes);
        let mut signature = vec![0; self.layout.signature_bytes()];
        while let Some(id) = ids.next()? {
            if observer.interrupted() {
                return Err(pipeline::Error::Interrupted.into());
            }
            check_id(&id)?;
            signatures.read_exact(&mut signature).map_err(|cause| unreadable(&self.name, cause))?;
            let mut lanes = Vec::new();
            self.layout.lanes_into(&signature, &mut lanes);
            take(Document::of(id, Content::Imported(Box::new(Imported::new(lanes)))))?;
            observer.advanced(Stage::Sketch, signature.len() as u64);
        }
        observer.finished(Stage::Sketch);
        Ok(0)
    }
}

/// The checksum of all bytes but the last 8, if these are it.
fn checksum(bytes: &LshBytes, size: u64) -> std::io::Result<Option<u64>> {
    let (mut hasher, mut piece) = (ByteHasher::new(), vec![0; PIECE]);
    let mut sealed = bytes.section(0..size - 8);
    loop {
        match sealed.read(&mut piece)? {
            0 => break,
            read => hasher.update(&piece[..read]),
        }
    }
    let mut said = [0; 8];
    bytes.section(size - 8..size).read_exact(&mut said)?;
    let (own, said) = (hasher.finish(), u64::from_le_bytes(said));
    Ok((own == said).then_some(own))
}

/// The ids of a file, one after the other.
struct Ids<'f> {
    file: &'f LshFile,
    section: Section<'f>,
    left: u64,
}

impl Ids<'_> {
    /// The next id; `None` after the last one.
    fn next(&mut self) -> Result<Option<String>> {
        let name = &self.file.name;
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let mut size = [0; 4];
        self.section.read_exact(&mut size).map_err(|cause| unreadable(name, cause))?;
        let size = u32::from_le_bytes(size) as usize;
        // A key of Python has a byte more.
        if size > MOST_ID_BYTES + 1 {
            return Err(Error::Id { bytes: size, most: MOST_ID_BYTES });
        }
        let mut id = vec![0; size];
        self.section.read_exact(&mut id).map_err(|cause| unreadable(name, cause))?;
        let id = match self.file.has_keys {
            true => python_key(&id).ok_or("it has a key of an unknown kind"),
            false => String::from_utf8(id).map_err(|_| "it has an id that is not UTF-8"),
        };
        id.map(Some).map_err(|cause| damaged(name, cause.into()))
    }

    /// An error if an id cannot be read, or if there are bytes after the last one.
    fn check_all(mut self) -> Result<()> {
        while self.next()?.is_some() {}
        match self.section.left() {
            0 => Ok(()),
            left => Err(damaged(&self.file.name, format!("{left} bytes come after its last id"))),
        }
    }
}

fn damaged(name: &str, cause: String) -> Error {
    pipeline::Error::Damaged { name: name.into(), cause }.into()
}

/// The error of a read. All positions are within the file, so a file that ends early has been changed.
fn unreadable(name: &str, cause: std::io::Error) -> Error {
    match cause.kind() {
        std::io::ErrorKind::UnexpectedEof => damaged(name, "it is cut short".into()),
        _ => crate::folder::io_error("read", Path::new(name), cause),
    }
}

/// The shingling in a note of Python, which is empty if it is not known; `None` for a note of somebody else.
fn noted_by_python(note: &[u8], num_hashes: usize) -> Option<&str> {
    let (numbers, shingling) = note.split_at_checked(NOTED)?;
    let threshold = f64::from_le_bytes(numbers[..8].try_into().ok()?);
    let hashes = u32::from_le_bytes(numbers[8..].try_into().ok()?) as usize;
    let is_python = (0.0..=1.0).contains(&threshold) && hashes == num_hashes;
    std::str::from_utf8(shingling).ok().filter(|_| is_python)
}

/// A key of Python as text: a str as it is, an int in decimal digits, bytes as text if they are UTF-8.
fn python_key(key: &[u8]) -> Option<String> {
    match key.split_first()? {
        (b's' | b'b', text) => String::from_utf8(text.to_vec()).ok(),
        (b'i', bytes) if bytes.len() <= 16 => {
            let is_negative = bytes.last()? & 0x80 != 0;
            let mut wide = [if is_negative { 0xff } else { 0 }; 16];
            wide[..bytes.len()].copy_from_slice(bytes);
            Some(i128::from_le_bytes(wide).to_string())
        }
        _ => None,
    }
}

/// An error if texts were cut in another way than those of an index of this configuration. A shingling is written as in
/// Python: `words:5 case=fold form=nfkc punctuation=remove whitespace=collapse`.
pub(crate) fn check_shingling(config: &Config, written: &str) -> Result<()> {
    let mut settings = config.settings.clone();
    let is_read = set_shingling(&mut settings, written);
    // A shingling can be written in more than one way.
    let cut = |settings: &Settings| -> Result<lookalike::shingling::Shingling> {
        let documents = Documents::for_index(settings, &Documents::new_key()?)?;
        Ok(documents.shingler().settings().clone())
    };
    if is_read && cut(&settings)? == cut(&config.settings)? {
        return Ok(());
    }
    let signature = &config.settings.signature;
    let NormalizeSettings { case, form, punctuation, whitespace } = &signature.normalize;
    let index = format!(
        "{} case={case} form={form} punctuation={punctuation} whitespace={whitespace}",
        signature.shingles
    );
    Err(Error::Contradiction { setting: "shingles".into(), index, asked: written.to_owned() })
}

/// Sets what a shingling says; false if it cannot be read.
fn set_shingling(settings: &mut Settings, written: &str) -> bool {
    let read = read_shingling(written);
    let is_read = read.is_some();
    if let Some((shingles, normalize)) = read {
        settings.signature.shingles = shingles;
        settings.signature.normalize = normalize;
    }
    is_read
}

/// What a shingling of Python says: `words:5 case=fold form=nfkc punctuation=remove whitespace=collapse`.
fn read_shingling(written: &str) -> Option<(String, NormalizeSettings)> {
    let mut words = written.split(' ');
    let shingles = words.next()?.to_owned();
    let mut normalize = NormalizeSettings::default();
    for word in words {
        match word.split_once('=')? {
            ("case", choice) => normalize.case = choice.parse().ok()?,
            ("form", choice) => normalize.form = choice.parse().ok()?,
            ("punctuation", choice) => normalize.punctuation = choice.parse().ok()?,
            ("whitespace", choice) => normalize.whitespace = choice.parse().ok()?,
            _ => return None,
        }
    }
    Some((shingles, normalize))
}
