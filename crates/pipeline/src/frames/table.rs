//! Hashes of elements -> a table that says which are left out.

use super::{FrameReport, key_in_site};
use crate::limits::memory::{Ledger, Reservation};
use crate::method::content_hash;
use crate::{Error, Result};

/// Spreads keys over the slots.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The slots of a key that is in the table, at most: half of them are empty.
const BYTES_PER_KEY: u64 = 32;

/// The elements that are left out.
#[derive(Debug)]
pub(crate) struct Frame {
    /// Keys by open addressing; 0 is an empty slot.
    slots: Vec<u64>,
    shift: u32,
    has_common: bool,
    has_sites: bool,
    /// What is known of them.
    pub(crate) facts: FrameReport,
    _held: Reservation,
}

/// Collects the keys of elements that are left out.
pub(super) struct Keys {
    pub(super) all: Vec<u64>,
    held: Reservation,
    limit: u64,
}

impl Keys {
    pub(super) fn new(ledger: &Ledger) -> Self {
        Self { all: Vec::new(), held: ledger.reservation(), limit: ledger.limit() }
    }

    /// Adds the key of an element. An error if there is no memory for so many.
    pub(super) fn push(&mut self, key: u64) -> Result<()> {
        if self.all.len() == self.all.capacity() {
            let more = self.all.len().max(1 << 12);
            let bytes = BYTES_PER_KEY * more as u64;
            if !self.held.try_grow(bytes) {
                return Err(Error::Memory {
                    what: format!("leaving out more than {} common elements", self.all.len()),
                    needed: self.limit + bytes,
                    limit: self.limit,
                });
            }
            self.all.reserve_exact(more);
        }
        self.all.push(key);
        Ok(())
    }
}

impl Frame {
    /// The table of some keys.
    pub(super) fn new(keys: Keys, facts: FrameReport) -> Self {
        let Keys { all, held, .. } = keys;
        let slots = (2 * all.len()).next_power_of_two().max(64);
        let mut frame = Self {
            slots: vec![0; slots],
            shift: u64::BITS - slots.trailing_zeros(),
            has_common: facts.common_elements > 0,
            has_sites: facts.site_elements > 0,
            facts,
            _held: held,
        };
        for key in all {
            let at = frame.slot(key);
            frame.slots[at] = key.max(1);
        }
        frame
    }

    /// The slot of a key, or the empty one where it belongs.
    #[inline]
    fn slot(&self, key: u64) -> usize {
        let key = key.max(1);
        let mut at = (key.wrapping_mul(SPREAD) >> self.shift) as usize;
        while self.slots[at] != 0 && self.slots[at] != key {
            at = (at + 1) & (self.slots.len() - 1);
        }
        at
    }

    /// True if an element of a document of this site is left out. A document without a site has the site 0.
    #[inline]
    pub(crate) fn has(&self, element: u64, site: u64) -> bool {
        (self.has_common && self.slots[self.slot(element)] != 0)
            || (self.has_sites && site != 0 && self.slots[self.slot(key_in_site(element, site))] != 0)
    }

    /// The bytes from which [`of_bytes`](Self::of_bytes) makes the same table.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let facts = serde_json::to_vec(&self.facts).expect("facts are plain data");
        let keys: Vec<u64> = self.slots.iter().copied().filter(|&key| key != 0).collect();
        let mut bytes = Vec::with_capacity(32 + facts.len() + 8 * keys.len());
        bytes.extend((facts.len() as u64).to_le_bytes());
        bytes.extend(facts);
        bytes.extend(keys.iter().flat_map(|key| key.to_le_bytes()));
        let check = content_hash(&bytes);
        bytes.extend(check.to_le_bytes());
        bytes
    }

    /// The table that was written; `None` if the bytes are not whole. An error if it does not fit in memory.
    pub(super) fn of_bytes(bytes: &[u8], ledger: &Ledger) -> Result<Option<Self>> {
        let Some((content, check)) = bytes.split_last_chunk::<16>() else { return Ok(None) };
        if content_hash(content).to_le_bytes() != *check {
            return Ok(None);
        }
        let Some((len, rest)) = content.split_first_chunk::<8>() else { return Ok(None) };
        let Some((facts, keys)) = rest.split_at_checked(u64::from_le_bytes(*len) as usize) else {
            return Ok(None);
        };
        let Ok(facts) = serde_json::from_slice::<FrameReport>(facts) else { return Ok(None) };
        let mut all = Keys::new(ledger);
        for key in keys.as_chunks::<8>().0 {
            all.push(u64::from_le_bytes(*key))?;
        }
        Ok(Some(Self::new(all, facts)))
    }
}
