//! All documents -> which elements too many of them have. Two passes over the sources, within the memory limit.
//!
//! The first pass counts in a table of small counters, where several elements may share one: a counter is at least as large as
//! the number of documents of each of its elements. The second pass collects, of each document, the elements whose counter is
//! large enough, sorts them (in files, if they are many), and counts them exactly. A small table makes more elements
//! suspicious and the sort longer; the answer is the same. Most elements occur in one document only, and never reach the sort.
//! The second pass reads only documents whose elements the first could not [keep in memory](super::retained).

use super::retained::{Door, Retained};
use super::table::{Frame, Keys};
use super::{FrameReport, SITE_PAGES, common, cut, is_wanted, key_in_site};
use crate::ask::scan::{At, scan};
use crate::limits::memory::Reservation;
use crate::limits::ordered::ordered;
use crate::limits::sorted::{Room, Sorted, Sorter};
use crate::method::TextBuffers;
use crate::prepared::Prepared;
use crate::resume::work::Work;
use crate::store::Number;
use crate::{Common, Observer, Result, Stage};
use corpus::Document;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};

/// The file of a work folder that has what is left out, so that a run that goes on need not count again.
pub(crate) const FRAME: &str = "frame";

/// The least slots of a table of counters.
const LEAST_SLOTS: u64 = 1 << 12;

/// The table has one slot for this many bytes of input, while there is memory. Compressed sources have more text than bytes.
const BYTES_PER_SLOT: u64 = 2;

/// A counter is shared by more elements the more documents are many: a table that stays in the cache is faster.
const SLOTS_FOR: u64 = 16;

/// The number of kept documents that a thread looks at, at a time.
const AT_ONCE: usize = 256;

/// The tables take at most one part in so many of the free memory.
const SHARE: u64 = 8;

/// `auto` looks at one element in so many.
const SAMPLED: u64 = 8;

/// Learns what is left out of comparisons, if the settings leave anything out. It is stored in the work folder of a run that
/// can go on.
pub(crate) fn learn(prepared: &Prepared<'_>, work: &Work, observer: &dyn Observer) -> Result<()> {
    let recipe = &prepared.recipe;
    if !is_wanted(&recipe.settings) || recipe.frame().is_some() {
        return Ok(());
    }
    let stored = work.read(FRAME)?;
    let stored = stored.map(|bytes| Frame::of_bytes(&bytes, &prepared.budget)).transpose()?.flatten();
    let frame = match stored {
        Some(stored) => stored,
        None => {
            let frame = count(prepared, work, observer)?;
            if work.is_durable() {
                work.write(FRAME, &frame.to_bytes())?;
            }
            frame
        }
    };
    if common(&recipe.settings) == Some(Common::Auto) {
        observer.note(&match frame.facts.more_than {
            Some(n) => format!("common elements: those of more than {n} documents are left out"),
            None => "common elements: the documents share no frame, and nothing is left out".to_owned(),
        });
    }
    recipe.use_frame(frame);
    Ok(())
}

/// Small counters, each for several elements.
struct Counters {
    slots: Vec<AtomicU8>,
    shift: u32,
    /// Counters need not grow further than this.
    enough: u8,
    /// True if one thread counts.
    is_alone: bool,
    _held: Reservation,
}

impl Counters {
    /// Counters that tell elements of more than some number of documents from others. The number is from `least` to `most`.
    fn new(prepared: &Prepared<'_>, least: u64, most: u64) -> Self {
        let budget = &prepared.budget;
        let shared_by = (least / SLOTS_FOR).max(1);
        let wanted = prepared.sources.bytes() / BYTES_PER_SLOT / shared_by;
        let wanted = wanted.max(LEAST_SLOTS).next_power_of_two();
        let free = (budget.unreserved() / SHARE).max(LEAST_SLOTS);
        let slots = wanted.min(if free.is_power_of_two() { free } else { free.next_power_of_two() / 2 });
        let mut held = budget.reservation();
        held.grow(slots);
        Self {
            slots: (0..slots).map(|_| AtomicU8::new(0)).collect(),
            shift: u64::BITS - slots.trailing_zeros(),
            enough: most.saturating_add(1).min(u64::from(u8::MAX)) as u8,
            is_alone: prepared.threads == 1,
            _held: held,
        }
    }

    fn slot(&self, key: u64) -> &AtomicU8 {
        &self.slots[slot_of(key, self.shift)]
    }

    fn count(&self, key: u64) {
        let slot = self.slot(key);
        let counted = slot.load(Ordering::Relaxed);
        if counted >= self.enough {
            return;
        }
        if self.is_alone {
            slot.store(counted + 1, Ordering::Relaxed);
        } else {
            let more = |counted: u8| (counted < self.enough).then(|| counted + 1);
            let _ = slot.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        }
    }
}

/// The slots of a table whose counters are large, with one bit each: they fit into a nearer cache than the counters.
struct Crowded {
    bits: Vec<u64>,
    shift: u32,
}

impl Crowded {
    /// The slots that more than `most` documents may share.
    fn new(counters: &Counters, most: u64) -> Self {
        let most = most.min(u64::from(counters.enough) - 1);
        let is_large = |slot: &AtomicU8| u64::from(slot.load(Ordering::Relaxed)) > most;
        let word = |slots: &[AtomicU8]| {
            slots.iter().rev().fold(0, |word, slot| word << 1 | u64::from(is_large(slot)))
        };
        Self { bits: counters.slots.chunks(64).map(word).collect(), shift: counters.shift }
    }

    /// True if an element may be common.
    #[inline]
    fn has(&self, key: u64) -> bool {
        let slot = slot_of(key, self.shift);
        self.bits[slot / 64] >> (slot % 64) & 1 != 0
    }
}

/// The slot of an element in a table.
#[inline]
fn slot_of(key: u64, shift: u32) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize
}

/// What one document has that may be common, by kind.
#[derive(Default)]
struct Suspects {
    common: Vec<u64>,
    in_site: Vec<u64>,
}

impl Suspects {
    fn of((site, hashes): (u64, &[u64]), by_document: Option<&Crowded>, by_site: Option<&Crowded>) -> Self {
        let mut found = Self::default();
        if let Some(crowded) = by_document {
            found.common.extend(hashes.iter().copied().filter(|&hash| crowded.has(hash)));
        }
        if let (Some(crowded), true) = (by_site, site != 0) {
            let in_site = hashes.iter().map(|&hash| key_in_site(hash, site));
            found.in_site.extend(in_site.filter(|&key| crowded.has(key)));
        }
        // A document counts once.
        for keys in [&mut found.common, &mut found.in_site] {
            keys.sort_unstable();
            keys.dedup();
        }
        found
    }
}

/// What the first pass hands on of a document.
struct Counted {
    number: Number,
    site: u64,
    /// All elements, if they are kept in memory.
    hashes: Vec<u64>,
    /// Some of the elements, for `auto`.
    sampled: Vec<u64>,
}

fn count(prepared: &Prepared<'_>, work: &Work, observer: &dyn Observer) -> Result<Frame> {
    let Prepared { recipe, budget, .. } = prepared;
    let room = Room { ledger: budget, work, observer };
    let wanted = common(&recipe.settings);
    let sites = recipe.settings.matching.site_field.is_some();
    let bounds = match wanted {
        Some(Common::MoreThan(most)) => Some((most, most)),
        // It is not known yet.
        Some(Common::Auto) => Some((cut::LEAST, u64::from(u8::MAX) - 1)),
        None => None,
    };
    let by_document = bounds.map(|(least, most)| Counters::new(prepared, least, most));
    let by_site = sites.then(|| Counters::new(prepared, SITE_PAGES - 1, SITE_PAGES - 1));
    let mut sampled = room.sorter(budget.sorting(), |key: &u64| *key);
    let (door, mut retained) = (Door::open(), Retained::new(budget));
    let first = |document: &Document<'_>, at: At, buffers: &mut TextBuffers| {
        let Some((site, hashes)) = recipe.counted_hashes(document, budget, buffers)? else { return Ok(None) };
        if let Some(counters) = &by_document {
            hashes.iter().for_each(|&hash| counters.count(hash));
        }
        if let (Some(counters), true) = (&by_site, site != 0) {
            hashes.iter().for_each(|&hash| counters.count(key_in_site(hash, site)));
        }
        let mut sampled = Vec::new();
        if wanted == Some(Common::Auto) {
            sampled.extend(hashes.iter().copied().filter(|hash| hash % SAMPLED == 0));
            sampled.sort_unstable();
            sampled.dedup();
        }
        let hashes = if door.is_open() { hashes.to_vec() } else { Vec::new() };
        Ok(Some(Counted { number: at.number, site, hashes, sampled }))
    };
    scan(prepared, Stage::Frame, observer, first, |counted| {
        counted.sampled.iter().for_each(|&key| sampled.push(key));
        // A thread that found the door shut comes after the document that shut it.
        retained.push(&door, counted.number, counted.site, &counted.hashes);
        Ok(())
    })?;
    let sampled = sampled.finish()?;
    let more_than = match wanted {
        Some(Common::MoreThan(most)) => Some(most),
        Some(Common::Auto) => cut::find(&frequencies(&sampled, observer)?),
        None => None,
    };
    drop(sampled);
    let mut facts = FrameReport { more_than, ..FrameReport::default() };
    let mut keys = Keys::new(budget);
    if more_than.is_none() && !sites {
        return Ok(Frame::new(keys, facts));
    }
    let crowded = |counters: &Option<Counters>, most: Option<u64>| {
        counters.as_ref().zip(most).map(|(counters, most)| Crowded::new(counters, most))
    };
    let crowded_of = (crowded(&by_document, more_than), crowded(&by_site, Some(SITE_PAGES - 1)));
    let suspects_of = |site: u64, hashes: &[u64]| {
        Suspects::of((site, hashes), crowded_of.0.as_ref(), crowded_of.1.as_ref())
    };
    let mut suspects = [0; 2].map(|_| room.sorter(budget.sorting() / 2, |key: &u64| *key));
    let mut push = |found: Suspects| {
        let push = |sorter: &mut Sorter<'_, u64, _>, keys: Vec<u64>| {
            keys.into_iter().for_each(|key| sorter.push(key));
        };
        let [common, in_site] = &mut suspects;
        push(common, found.common);
        push(in_site, found.in_site);
    };
    let mut begin = 0;
    let next = |_: &mut ()| {
        observer.go_on()?;
        let some = begin..(begin + AT_ONCE).min(retained.len());
        begin = some.end;
        Ok((!some.is_empty()).then_some(some))
    };
    let look = |_: &mut (), some: Range<usize>| {
        let found = some.map(|at| retained.get(at)).map(|(site, hashes)| suspects_of(site, hashes));
        Ok(found.collect::<Vec<Suspects>>())
    };
    ordered(prepared.threads, next, Default::default, look, |found| {
        found.into_iter().for_each(&mut push);
        Ok(())
    })?;
    let end = retained.end();
    drop(retained);
    if let Some(end) = end {
        let second = |document: &Document<'_>, at: At, buffers: &mut TextBuffers| {
            if at.number < end {
                return Ok(None);
            }
            let elements = recipe.counted_hashes(document, budget, buffers)?;
            Ok(elements.map(|(site, hashes)| suspects_of(site, hashes)))
        };
        scan(prepared, Stage::Frame, observer, second, |found| {
            push(found);
            Ok(())
        })?;
    }
    drop((by_document, by_site));
    let [common, in_site] = suspects;
    facts.common_elements = collect(&common.finish()?, more_than.unwrap_or(u64::MAX), &mut keys, observer)?;
    facts.site_elements = collect(&in_site.finish()?, SITE_PAGES - 1, &mut keys, observer)?;
    Ok(Frame::new(keys, facts))
}

/// Adds what occurs more than `most` times to `keys`, and returns how many these are.
fn collect(sorted: &Sorted<u64>, most: u64, keys: &mut Keys, observer: &dyn Observer) -> Result<u64> {
    let mut found = 0;
    runs(sorted, observer, &mut |key, count| {
        if count > most {
            found += 1;
            keys.push(key)?;
        }
        Ok(())
    })?;
    Ok(found)
}

/// How many elements each number of documents has: pairs of documents and elements.
fn frequencies(
    sorted: &Sorted<u64>,
    observer: &dyn Observer,
) -> Result<std::collections::BTreeMap<u64, u64>> {
    let mut frequencies = std::collections::BTreeMap::new();
    runs(sorted, observer, &mut |_, count| {
        *frequencies.entry(count).or_default() += 1;
        Ok(())
    })?;
    Ok(frequencies)
}

/// Hands out every key with how often it occurs.
fn runs(
    sorted: &Sorted<u64>,
    observer: &dyn Observer,
    visit: &mut dyn FnMut(u64, u64) -> Result<()>,
) -> Result<()> {
    let mut last: Option<(u64, u64)> = None;
    for (step, key) in sorted.iter().enumerate() {
        observer.go_on_at(step)?;
        let key = key?;
        match &mut last {
            Some((of, count)) if *of == key => *count += 1,
            _ => {
                if let Some((of, count)) = last.replace((key, 1)) {
                    visit(of, count)?;
                }
            }
        }
    }
    last.map_or(Ok(()), |(of, count)| visit(of, count))
}
