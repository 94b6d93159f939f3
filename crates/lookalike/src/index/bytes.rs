//! Index by bands <-> bytes.
//!
//! The bytes hold the documents, not the buckets. Buckets are made again from the signatures, which costs as much as
//! inserting the documents. So the bytes do not depend on the order of insertion, nor on documents that were removed.
//!
//! ```text
//! offset  size
//!      0     4  magic "LKLI"
//!      4     1  version, 2
//!      5     1  family of the signatures, as in theirs; 0 before the first
//!      6     2  0
//!      8     8  seed
//!     16     4  number of hashes; 0 before the first signature
//!     20     4  bands
//!     24     4  rows
//!     28     8  buckets per band; 0 if keys have all 64 bits
//!     36     8  n, the number of documents
//!     44     4  m, the size of the note
//!     48     8  i, the size of all ids
//!     56     m  the note: the caller's own
//!            i  per document, ascending by id: the size of its id in 4 bytes, and the id
//!         2 n K  their lanes
//!            8  checksum: `hash_bytes` of all before it
//! ```
//!
//! Version 1 has the slots instead of the lanes, in 8 n K bytes. It is read, but not written.
//!
//! All numbers are little-endian. The caller decides how an id is written. If there is one way to write each id,
//! there is one encoding of version 2 for each index, and any other bytes are refused.

use super::bands::LshIndex;
use super::{DocumentId, buckets};
use crate::banding::Banding;
use crate::encoding::{Format, Reader, seal};
use crate::error::{Error, Result};
use crate::minhash::lanes::lanes_into;
use crate::minhash::{Family, Kind, MAX_HASHES};
use std::ops::Range;

const FORMAT: Format = Format { what: "LSH index", magic: "LKLI", version: 2 };
/// The format with whole slots.
const WITH_SLOTS: Format = Format { version: 1, ..FORMAT };
const HEADER: usize = 56;

impl<Id: DocumentId> LshIndex<Id> {
    /// The index as bytes. They are the same on every machine and have a version number and a checksum.
    ///
    /// `write_id` appends the bytes of an id. `note` is stored with the index and returned when it is read. It is an
    /// error if the note or an id has 4 GiB or more.
    ///
    /// ```
    /// use lookalike::banding::Banding;
    /// use lookalike::index::LshIndex;
    /// use lookalike::minhash::{FastSketch, MinHasher};
    ///
    /// let mut index = LshIndex::new(Banding::new(16, 8)?);
    /// index.insert("a".to_owned(), &FastSketch::new(128, 1)?.sketch(&[1, 2, 3]))?;
    /// let bytes = index.to_bytes_with(b"first version", |id, bytes| bytes.extend_from_slice(id.as_bytes()))?;
    /// let read = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(|error| error.to_string());
    /// let (again, note) = LshIndex::from_bytes_with(&bytes, read)?;
    /// assert_eq!((again.get(&"a".to_owned()), note), (index.get(&"a".to_owned()), &b"first version"[..]));
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn to_bytes_with(&self, note: &[u8], mut write_id: impl FnMut(&Id, &mut Vec<u8>)) -> Result<Vec<u8>> {
        let order = self.documents.by_id();
        let (mut ids, mut written) = (Vec::new(), Vec::new());
        for id in order.iter().filter_map(|&position| self.documents.id(position)) {
            written.clear();
            write_id(id, &mut written);
            ids.extend_from_slice(&size_of_field("id", &written)?.to_le_bytes());
            ids.extend_from_slice(&written);
        }
        let (kind, banding) = (self.documents.kind(), self.banding());
        let num_hashes = kind.map_or(0, |kind| kind.num_hashes);
        let mut bytes = FORMAT.begin(HEADER + note.len() + ids.len() + 2 * num_hashes * order.len() + 8);
        bytes.extend_from_slice(&[kind.map_or(0, |kind| kind.family.code()), 0, 0]);
        bytes.extend_from_slice(&kind.map_or(0, |kind| kind.seed).to_le_bytes());
        for number in [num_hashes, banding.bands(), banding.rows()] {
            bytes.extend_from_slice(&(number as u32).to_le_bytes());
        }
        bytes.extend_from_slice(&banding.buckets().unwrap_or(0).to_le_bytes());
        bytes.extend_from_slice(&(order.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&size_of_field("note", note)?.to_le_bytes());
        bytes.extend_from_slice(&(ids.len() as u64).to_le_bytes());
        bytes.extend_from_slice(note);
        bytes.extend_from_slice(&ids);
        for &position in &order {
            bytes.extend(self.documents.lanes(position).iter().flat_map(|lane| lane.to_le_bytes()));
        }
        seal(&mut bytes);
        Ok(bytes)
    }

    /// Reads the bytes that [`to_bytes_with`](Self::to_bytes_with) wrote, now or in version 1, and returns the index and
    /// the note. Every other input gives an error.
    ///
    /// `read_id` turns bytes into an id, or returns a message that says what is wrong with them. It is called for the
    /// ids in the order in which they are stored.
    pub fn from_bytes_with(
        bytes: &[u8],
        mut read_id: impl FnMut(&[u8]) -> std::result::Result<Id, String>,
    ) -> Result<(Self, &[u8])> {
        let (format, has_slots) = format_of(bytes);
        let mut reader = format.read_sealed(bytes)?;
        let layout = LshLayout::read_rest(&mut reader, has_slots)?;
        let (kind, documents) = (layout.kind, layout.documents);
        let mut index = Self::new(layout.banding);
        index.documents.set_kind(kind);
        let note = reader.slice(layout.note_size.into())?;
        let mut ids = reader.part(layout.ids_size)?;
        let size_of_signature = layout.signature_bytes();
        let mut signatures = reader.part(documents * size_of_signature as u64)?;
        reader.rest(0)?;
        let mut lanes = Vec::new();
        let mut last = None;
        for _ in 0..documents {
            let size = ids.u32()?;
            let id = read_id(ids.slice(u64::from(size))?).map_err(|cause| ids.refuse(cause))?;
            if last.as_ref().is_some_and(|last| *last >= id) {
                return Err(ids.refuse(format!("id {id:?} is not above the one before it")));
            }
            last = Some(id.clone());
            if let Some(kind) = kind {
                layout.lanes_into(signatures.slice(size_of_signature as u64)?, &mut lanes);
                let inserted = index.insert_lanes(id, kind, &lanes);
                inserted.map_err(|error| ids.refuse(error.to_string()))?;
            }
        }
        ids.rest(0)?;
        Ok((index, note))
    }
}

/// Where everything is in the bytes of an index: for those who read them piece by piece, and want the documents and no
/// index. The checksum, which is that of [`ByteHasher`](crate::hashing::ByteHasher), is theirs to compare.
///
/// ```
/// # use lookalike::banding::Banding;
/// # use lookalike::minhash::{FastSketch, MinHasher};
/// use lookalike::index::{LshIndex, LshLayout};
///
/// # let mut index = LshIndex::new(Banding::new(16, 8)?);
/// # index.insert(7u64, &FastSketch::new(128, 1)?.sketch(&[1, 2, 3]))?;
/// let bytes = index.to_bytes_with(b"", |id, bytes| bytes.extend(id.to_le_bytes()))?;
/// let layout = LshLayout::read(&bytes[..LshLayout::HEADER])?;
/// assert_eq!((layout.documents(), layout.num_hashes(), layout.size()), (1, 128, bytes.len() as u64));
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LshLayout {
    kind: Option<Kind>,
    banding: Banding,
    documents: u64,
    note_size: u32,
    ids_size: u64,
    has_slots: bool,
}

impl LshLayout {
    /// The number of bytes before the note.
    pub const HEADER: usize = HEADER;

    /// Reads the first [`HEADER`](Self::HEADER) bytes.
    pub fn read(header: &[u8]) -> Result<Self> {
        let (format, has_slots) = format_of(header);
        let mut reader = format.read(header)?;
        let layout = Self::read_rest(&mut reader, has_slots)?;
        reader.rest(0)?;
        // The places of all parts are numbers of 64 bits. Signatures have less than 2^47 bytes.
        if layout.ids_size > 1 << 62 {
            return Err(reader.refuse(format!("ids of {} bytes", layout.ids_size)));
        }
        Ok(layout)
    }

    fn read_rest(reader: &mut Reader<'_>, has_slots: bool) -> Result<Self> {
        let kind = read_kind(reader)?;
        let banding = read_banding(reader, kind)?;
        let documents = reader.u64()?;
        if documents > 0 && kind.is_none() {
            return Err(reader.refuse(format!("{documents} documents without a family")));
        }
        if documents > u64::from(buckets::MAX_POSITIONS) {
            return Err(reader.refuse(format!("{documents} documents, expected at most 2^31")));
        }
        Ok(Self { kind, banding, documents, note_size: reader.u32()?, ids_size: reader.u64()?, has_slots })
    }

    /// The family of the signatures; `None` before the first one.
    #[must_use]
    pub fn family(&self) -> Option<Family> {
        self.kind.map(|kind| kind.family)
    }

    /// The seed of the signatures.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.kind.map_or(0, |kind| kind.seed)
    }

    /// The number of hashes of a signature.
    #[must_use]
    pub fn num_hashes(&self) -> usize {
        self.kind.map_or(0, |kind| kind.num_hashes)
    }

    /// The number of documents.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// The place of the note.
    #[must_use]
    pub fn note(&self) -> Range<u64> {
        let begin = HEADER as u64;
        begin..begin + u64::from(self.note_size)
    }

    /// The place of the ids: of each document the size of its id in 4 bytes, and the id.
    #[must_use]
    pub fn ids(&self) -> Range<u64> {
        let begin = self.note().end;
        begin..begin + self.ids_size
    }

    /// The place of the signatures, in the order of the ids.
    #[must_use]
    pub fn signatures(&self) -> Range<u64> {
        let begin = self.ids().end;
        begin..begin + self.documents * self.signature_bytes() as u64
    }

    /// The size of a signature.
    #[must_use]
    pub fn signature_bytes(&self) -> usize {
        self.num_hashes() * if self.has_slots { 8 } else { 2 }
    }

    /// The size of all bytes. The last 8 are the checksum of all before.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.signatures().end + 8
    }

    /// Replaces `lanes` by those of a signature, of which these are the [bytes](Self::signature_bytes).
    pub fn lanes_into(&self, signature: &[u8], lanes: &mut Vec<u16>) {
        lanes.clear();
        lanes.resize(self.num_hashes(), 0);
        read_lanes(signature, self.has_slots, lanes);
    }
}

/// The format of bytes, and whether it has whole slots.
fn format_of(bytes: &[u8]) -> (Format, bool) {
    match bytes.get(4) == Some(&WITH_SLOTS.version) {
        true => (WITH_SLOTS, true),
        false => (FORMAT, false),
    }
}

fn read_lanes(signature: &[u8], has_slots: bool, lanes: &mut [u16]) {
    if has_slots {
        let slots: Vec<u64> = signature.as_chunks().0.iter().map(|slot| u64::from_le_bytes(*slot)).collect();
        lanes_into(&slots, lanes);
    } else {
        for (lane, stored) in lanes.iter_mut().zip(signature.as_chunks().0) {
            *lane = u16::from_le_bytes(*stored);
        }
    }
}

fn read_kind(reader: &mut Reader<'_>) -> Result<Option<Kind>> {
    let code = reader.u8()?;
    let family = Family::of_code(code);
    if family.is_none() && code != 0 {
        return Err(reader.refuse(format!("family {code}, which does not exist")));
    }
    reader.zeros::<2>()?;
    let seed = reader.u64()?;
    if family.is_none() && seed != 0 {
        return Err(reader.refuse(format!("seed {seed} without a family")));
    }
    let num_hashes = reader.u32()? as usize;
    if (num_hashes == 0) != family.is_none() || num_hashes > MAX_HASHES {
        return Err(
            reader.refuse(format!("{num_hashes} hashes, expected 1 to {MAX_HASHES}, or 0 without a family"))
        );
    }
    Ok(family.map(|family| Kind { family, seed, num_hashes }))
}

fn read_banding(reader: &mut Reader<'_>, kind: Option<Kind>) -> Result<Banding> {
    let (bands, rows) = (reader.u32()? as usize, reader.u32()? as usize);
    let banding = Banding::new(bands, rows).map_err(|error| reader.refuse(error.to_string()))?;
    if let Some(kind) = kind {
        banding.check_hashes(kind.num_hashes).map_err(|error| reader.refuse(error.to_string()))?;
    }
    match reader.u64()? {
        0 => Ok(banding),
        buckets => banding.with_buckets(buckets),
    }
}

fn size_of_field(name: &'static str, field: &[u8]) -> Result<u32> {
    u32::try_from(field.len()).map_err(|_| {
        Error::invalid(name, format_args!("{} bytes", field.len()), "less than 4 GiB when it is stored")
    })
}
