//! An index in memory, written to a file, as a source of documents: ids and the lanes of signatures.

use super::Take;
use crate::document::{Content, Document, Imported};
use crate::engine::check_id;
use crate::{Config, Error, Result};
use lookalike::index::LshIndex;
use lookalike::minhash::{BBitSignature, Family};
use pipeline::{Documents, Method, NormalizeSettings, Observer, Settings, Stage};
use std::path::Path;

/// The first bytes of such a file.
pub(super) const MAGIC: &[u8] = b"LKLI";

/// The number of bytes before the shingling in what Python notes: a threshold and a number of hashes.
const NOTED: usize = 12;

/// An index in memory that was written to a file, by Rust (`LshIndex::to_bytes_with`) or by Python (`LSH.save`).
#[derive(Debug)]
pub struct LshFile {
    name: String,
    ids: Vec<String>,
    index: LshIndex<u64>,
    /// The signature of any document: all have its family, seed and number of hashes.
    any: Option<BBitSignature>,
    /// How texts were cut, if Python wrote the file and knew it.
    shingling: Option<String>,
    fingerprint: String,
}

impl LshFile {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|cause| crate::folder::io_error("read", path, cause))?;
        Self::read(&path.display().to_string(), &bytes)
    }

    /// Reads the bytes of an index in memory. Ids are those of Python if Python wrote them, and otherwise UTF-8.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self> {
        let damaged =
            |cause: String| -> Error { pipeline::Error::Damaged { name: name.into(), cause }.into() };
        let mut ids: Vec<Vec<u8>> = Vec::new();
        let number = |id: &[u8]| {
            ids.push(id.to_vec());
            Ok(ids.len() as u64 - 1)
        };
        let (index, note) =
            LshIndex::from_bytes_with(bytes, number).map_err(|cause| damaged(cause.to_string()))?;
        let any = index.get(&0);
        let of_python = any.as_ref().and_then(|any| noted_by_python(note, any.num_hashes()));
        let shingling = of_python.filter(|shingling| !shingling.is_empty()).map(str::to_owned);
        let text = |id: Vec<u8>| match of_python {
            Some(_) => python_key(&id).ok_or_else(|| damaged("it has a key of an unknown kind".into())),
            None => String::from_utf8(id).map_err(|_| damaged("it has an id that is not UTF-8".into())),
        };
        let ids = ids.into_iter().map(text).collect::<Result<_>>()?;
        let fingerprint = format!("{:032x}", pipeline::content_hash(bytes));
        Ok(Self { name: name.into(), ids, index, any, shingling, fingerprint })
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
        if let Some(any) = &self.any {
            settings.signature.hashes = any.num_hashes();
            settings.signature.seed = any.seed();
        }
        if let Some(shingling) = &self.shingling {
            set_shingling(&mut settings, shingling);
        }
        settings
    }

    /// An error if an index of this configuration has other signatures.
    pub(super) fn check_settings(&self, config: &Config) -> Result<()> {
        let signature = &config.settings.signature;
        if let Some(any) = &self.any {
            let pairs = [
                ("method", signature.method.to_string(), Method::Minhash.to_string()),
                ("family", format!("{:?}", Family::FastSketch), format!("{:?}", any.family())),
                ("seed", signature.seed.to_string(), any.seed().to_string()),
                ("hashes", signature.hashes.to_string(), any.num_hashes().to_string()),
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
        observer.started(Stage::Sketch, 0);
        for (number, id) in (0..).zip(&self.ids) {
            if observer.interrupted() {
                return Err(pipeline::Error::Interrupted.into());
            }
            check_id(id)?;
            let Some(lanes) = self.index.get(&number).and_then(|signature| signature.lanes()) else {
                continue;
            };
            let imported = Imported::new(lanes);
            take(Document::of(id.clone(), Content::Imported(Box::new(imported))))?;
        }
        observer.finished(Stage::Sketch);
        Ok(0)
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
