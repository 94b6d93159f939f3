//! Writes that may be sent again, and are done once.
//!
//! A caller that got no answer does not know whether its write was done. It sends the same write with the same
//! [`Ticket`] again. The answer is stored in the same commit as the write, as a *receipt*: after a kill both are there or
//! neither is, and no sync is added. A write that changes nothing leaves no receipt, and is done again.
//!
//! Receipts are bounded in number, size and age, and the oldest are forgotten first. They are entries of `meta`: the
//! receipt by the key of its write, and that key by the number of the receipt, which is how the oldest is found.

use super::batch::{Change, Changed};
use crate::clock::Millis;
use crate::store::{Read, Space};
use crate::values::{
    RECEIPTS_KEY, Receipt, Receipts, damaged, receipt_key, receipt_number_key, receipt_number_of,
    receipt_number_value,
};
use crate::writer::Transaction;
use crate::{Index, Result};
use std::time::Duration;

/// The most bytes of all answers that are kept.
const MOST_BYTES: u64 = 16 << 20;

/// An answer of more bytes than this is not kept.
const MOST_ANSWER_BYTES: usize = 1 << 20;

/// The most receipts that one write forgets because of their age.
const MOST_FORGOTTEN: usize = 16;

/// Names a write, so that it is done once however often it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    /// The key of the write. Two writes with the same key are the same write.
    pub key: [u8; 32],
    /// A hash of what is asked for. Another request with the same key is a mistake that is noticed.
    pub request: [u8; 32],
    /// The most answers that the index keeps, at least 1.
    pub most: u64,
    /// How long the answer is kept.
    pub time: Duration,
}

/// What became of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Applied {
    /// It was done now, with this answer.
    Now(Vec<u8>),
    /// It was done before, and had this answer.
    Before(Vec<u8>),
    /// Another request had this key before. Nothing was done.
    Other,
}

impl Index {
    /// Makes changes in order with one commit, all or none. `answer` turns what they have done into bytes. With a ticket,
    /// the bytes are stored in that commit: the same call again does nothing and returns them, also after a kill.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// use index::{Applied, Change, Config, Document, Index, Options, Ticket};
    ///
    /// let index = Index::create(folder.path().join("seen"), &Config::default(), &Options::default())?;
    /// let page = [Change::Add(Document::new("a", "the quick brown fox jumps over the lazy dog"))];
    /// let time = std::time::Duration::from_secs(3_600);
    /// let ticket = Ticket { key: [1; 32], request: [2; 32], most: 1_000, time };
    /// let answer = |_| b"added".to_vec();
    /// assert_eq!(index.apply_once(&page, Some(&ticket), answer)?, Applied::Now(b"added".to_vec()));
    /// assert_eq!(index.apply_once(&page, Some(&ticket), answer)?, Applied::Before(b"added".to_vec()));
    /// assert!(index.apply_once(&page, None, answer).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply_once(
        &self,
        changes: &[Change],
        ticket: Option<&Ticket>,
        answer: impl FnOnce(Vec<Changed>) -> Vec<u8>,
    ) -> Result<Applied> {
        let now = self.now();
        let prepared = changes.iter().map(|change| self.prepare_change(change, now));
        let prepared = prepared.collect::<Result<Vec<_>>>()?;
        self.writer.write(self.store.as_ref(), |writes| {
            if let Some(ticket) = ticket
                && let Some(receipt) = receipt(writes, &ticket.key)?
                && !is_old(&receipt, ticket, now)
            {
                let is_same = receipt.request == ticket.request;
                return Ok(if is_same { Applied::Before(receipt.answer) } else { Applied::Other });
            }
            let made = changes.iter().zip(prepared);
            let made = made.map(|(change, prepared)| self.make(writes, change, prepared, now));
            let answer = answer(made.collect::<Result<Vec<_>>>()?);
            if let Some(ticket) = ticket
                && !writes.is_empty()
                && answer.len() <= MOST_ANSWER_BYTES
            {
                keep(writes, ticket, &answer, now)?;
            }
            Ok(Applied::Now(answer))
        })
    }
}

fn is_old(receipt: &Receipt, ticket: &Ticket, now: Millis) -> bool {
    u128::from(now.saturating_sub(receipt.time)) > ticket.time.as_millis()
}

fn receipt(read: &dyn Read, key: &[u8; 32]) -> Result<Option<Receipt>> {
    let key = receipt_key(key);
    let Some(value) = read.get(Space::Meta, &key)? else { return Ok(None) };
    Receipt::decode(&value).ok_or_else(|| damaged(Space::Meta, &key, "it is no receipt")).map(Some)
}

fn receipts(read: &dyn Read) -> Result<Receipts> {
    let Some(value) = read.get(Space::Meta, RECEIPTS_KEY)? else { return Ok(Receipts::default()) };
    Receipts::decode(&value).ok_or_else(|| damaged(Space::Meta, RECEIPTS_KEY, "it does not number receipts"))
}

/// Stores the receipt of a write, and forgets older ones.
fn keep(writes: &mut Transaction<'_>, ticket: &Ticket, answer: &[u8], now: Millis) -> Result<()> {
    let mut receipts = receipts(writes)?;
    if let Some(old) = receipt(writes, &ticket.key)? {
        // It is too old, and is replaced. The entry with its number is forgotten in its turn.
        receipts.bytes = receipts.bytes.saturating_sub(old.answer.len() as u64);
    }
    let mut forgotten = 0;
    while receipts.first < receipts.next {
        let is_full = receipts.next - receipts.first >= ticket.most.max(1)
            || receipts.bytes + answer.len() as u64 > MOST_BYTES;
        let number = receipts.first;
        let place = receipt_number_key(number);
        let Some(value) = writes.get(Space::Meta, &place)? else {
            return Err(damaged(Space::Meta, &place, "the receipt with this number is missing"));
        };
        let key = receipt_number_of(&value)
            .ok_or_else(|| damaged(Space::Meta, &place, "it is no key of a write"))?;
        // A receipt that was replaced has another number by now.
        let oldest = receipt(writes, &key)?.filter(|oldest| oldest.number == number && key != ticket.key);
        let must_go = oldest.as_ref().is_none_or(|oldest| is_old(oldest, ticket, now));
        if !is_full && (!must_go || forgotten == MOST_FORGOTTEN) {
            break;
        }
        if let Some(oldest) = oldest {
            receipts.bytes = receipts.bytes.saturating_sub(oldest.answer.len() as u64);
            writes.remove(Space::Meta, receipt_key(&key));
        }
        writes.remove(Space::Meta, place);
        receipts.first += 1;
        forgotten += 1;
    }
    let receipt =
        Receipt { number: receipts.next, time: now, request: ticket.request, answer: answer.to_vec() };
    writes.put(Space::Meta, receipt_number_key(receipts.next), receipt_number_value(&ticket.key));
    writes.put(Space::Meta, receipt_key(&ticket.key), receipt.encode());
    receipts.next += 1;
    receipts.bytes += answer.len() as u64;
    writes.put(Space::Meta, RECEIPTS_KEY.to_vec(), receipts.encode());
    Ok(())
}
