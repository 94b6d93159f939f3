//! Keys -> which documents may have a duplicate, and which of them belong together.
//!
//! Documents with an equal key, of a band or a shingle, are candidates for each other. What comes out is coarser than the pairs: the
//! documents with a candidate, and the connected sets of them. Sets do not influence each other, so each can be decided
//! by itself, with only its own documents in memory.

pub(crate) mod forest;
pub(crate) mod grouping;
mod near_groups;

use crate::candidates::forest::Forest;
use crate::candidates::grouping::{Group, Scan, Share, Visitor, groups, groups_of_parts, on_disk};
use crate::copies::Copies;
use crate::limits::bits::Bits;
use crate::limits::memory::Reservation;
use crate::limits::ordered::each;
use crate::method::short::{HEAD, Standing};
use crate::store::Number;
use crate::store::columns::list;
use crate::store::entries::Entry;
use crate::view::View;
use crate::{Observer, Result, Stage};
use std::ops::Range;

/// Up to so many documents, the signatures of a group are compared with each other before it is said to be connected.
/// A larger group is taken as it is: comparing comes later, and then only with kept documents.
const COMPARED_GROUP: usize = 128;

/// Fingerprints are compared with each other in groups of at most so many. This takes a few seconds at worst; a larger group is
/// taken as it is.
const MOST_NEAR: usize = 1 << 16;

/// In a group of at most so many documents, signatures are compared before asking whether documents are connected
/// already.
const FEW: usize = 4;

/// If the signatures would have to be read more often than this, their keys go to files.
const MOST_PASSES: usize = 3;

/// The first bits of a number are the standing of a listed key, where documents are brought together by these.
const STANDING_SHIFT: u32 = Number::BITS - Standing::BITS;

/// Keys that are handed out at a time.
const SCANNED: usize = 1 << 10;

/// Documents with candidates, in connected sets.
#[derive(Debug)]
pub(crate) struct Candidates {
    /// Documents with a candidate.
    pub involved: Bits,
    /// Which of them are connected.
    pub forest: Forest,
}

/// Brings equal keys together.
pub(crate) fn find(view: View<'_>, copies: &Copies) -> Result<Candidates> {
    let View { store, budget, .. } = view;
    let forest = Forest::new(store.count());
    let keys = count_keys(view)?;
    let (columns_at_a_time, memory) = (budget.key_columns(store.count()), budget.grouping());
    let _reserved = budget.for_grouping();
    // These take what is left.
    let heads = Heads::new(view, &keys)?;
    let finder = Finder { view, copies, forest: &forest, columns_at_a_time, memory, heads };
    if keys.of_documents_with_bands > 0 {
        finder.by_bands(&keys)?;
    }
    if keys.listed > 0 {
        finder.by_listed_keys(&keys)?;
    }
    Ok(Candidates { involved: forest.connected(), forest })
}

/// How many keys there are.
struct KeyCounts {
    /// Keys that are listed with the documents: samples, or those of short documents.
    listed: u64,
    /// Documents that have a key for every band.
    of_documents_with_bands: u64,
}

/// What brings equal keys together.
struct Finder<'f, 'a> {
    view: View<'a>,
    copies: &'f Copies,
    forest: &'f Forest,
    /// How many columns of keys fit in memory at a time.
    columns_at_a_time: usize,
    /// Bytes for each of the threads that look for equal keys.
    memory: u64,
    heads: Option<Heads>,
}

/// The heads of the sketches of all short documents, or all fingerprints, in memory, where the sketches are in files.
struct Heads {
    lanes: Vec<u16>,
    width: usize,
    _reserved: Reservation,
}

impl Heads {
    /// `None` if they are not needed, or do not fit. Then documents that meet are connected, and compared later.
    fn new(view: View<'_>, keys: &KeyCounts) -> Result<Option<Self>> {
        let View { store, recipe, budget, observer, .. } = view;
        let mut reserved = budget.reservation();
        let is_whole = recipe.method.compares_groups();
        let width = if is_whole { recipe.lanes() } else { HEAD };
        let bytes = 2 * width as u64 * store.count();
        let is_needed = is_whole || recipe.has_uneven_lanes() && keys.listed > 0;
        if !store.is_spilled() || !is_needed || !reserved.try_grow(bytes) {
            return Ok(None);
        }
        let mut lanes = vec![0; width * store.count() as usize];
        for part in 0..store.parts() {
            observer.go_on()?;
            let sketches = store.lanes_of_part(part)?;
            for (slot, number) in store.numbers_of_part(part).enumerate() {
                let sketch = sketches.of(slot);
                let head = if is_whole { Some(sketch) } else { recipe.method.head(sketch) };
                if let Some(head) = head {
                    lanes[number as usize * width..][..width].copy_from_slice(head);
                }
            }
        }
        Ok(Some(Self { lanes, width, _reserved: reserved }))
    }

    fn of(&self, number: Number) -> &[u16] {
        &self.lanes[number as usize * self.width..][..self.width]
    }
}

impl Finder<'_, '_> {
    fn connect(&self, group: Group<'_>, by: By) -> Result<()> {
        if let Group::Whole(members) = group
            && self.view.recipe.method.compares_groups()
            && self.connect_near(members)
        {
            return Ok(());
        }
        group.visit(|piece| {
            connect(piece, by, self);
            Ok(())
        })
    }

    /// Connects the documents of a group that are similar, and no others. Returns false if that cannot be known: then all of them
    /// are connected, and compared later.
    fn connect_near(&self, group: &[(Number, u64)]) -> bool {
        if group.len() > MOST_NEAR {
            return false;
        }
        let View { store, recipe, .. } = self.view;
        let mut lanes = Vec::with_capacity(group.len() * recipe.lanes());
        for &(number, _) in group {
            match (store.lanes_in_memory(number), &self.heads) {
                (Some(of_document), _) => lanes.extend_from_slice(of_document),
                (None, Some(heads)) => lanes.extend_from_slice(heads.of(number)),
                (None, None) => return false,
            }
        }
        let mut near = Vec::new();
        let is_known = recipe.method.near(&lanes, &mut near);
        for (a, b) in near {
            let (a, b) = (group[a as usize].0, group[b as usize].0);
            if a != b {
                self.forest.join(a, b);
            }
        }
        is_known
    }

    /// True unless the heads of the sketches of two short documents are known and show that they are not similar.
    fn may_be_similar_by_heads(&self, a: Number, b: Number) -> bool {
        let (Some(heads), Some(short)) = (&self.heads, self.view.recipe.method.short()) else { return true };
        short.heads_may_be_similar(heads.of(a), heads.of(b))
    }

    /// Brings together the documents with an equal key in some band.
    fn by_bands(&self, keys: &KeyCounts) -> Result<()> {
        let View { recipe, threads, observer, .. } = self.view;
        if recipe.method.compares_groups() && self.by_near_groups()? {
            return Ok(());
        }
        let bands = recipe.bands();
        let (at_a_time, memory) = (self.columns_at_a_time, self.memory);
        // The signatures are read once for each batch of bands.
        if at_a_time * MOST_PASSES < bands {
            // From files it is done in one go.
            observer.started(Stage::Candidates, 0);
            let scan = |take: &mut Visitor<'_>| scan_bands(self.view, self.copies, take);
            return self.in_files(keys.of_documents_with_bands * bands as u64, &scan, By::Band);
        }
        observer.started(Stage::Candidates, bands as u64);
        // The keys of several bands are worked out in one pass over the signatures, which are much larger.
        for first in (0..bands).step_by(at_a_time) {
            let columns = KeyColumns::new(self.view, self.copies, keys, first..bands.min(first + at_a_time))?;
            each(threads, columns.keys.len(), |column| {
                let scan = |take: &mut Visitor<'_>| columns.scan(column, observer, take);
                let count = columns.numbers.len() as u64;
                groups(count, memory, self.view.room(), &scan, &mut |group| self.connect(group, By::Band))?;
                observer.advanced(Stage::Candidates, 1);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Brings together the documents with an equal key among those that are listed.
    fn by_listed_keys(&self, keys: &KeyCounts) -> Result<()> {
        let View { store, threads, observer, .. } = self.view;
        if keys.of_documents_with_bands == 0 {
            observer.started(Stage::Candidates, 0);
        }
        let of_a_thread = keys.listed.div_ceil(threads as u64);
        // Keys that are in files are read once.
        if store.is_spilled() || of_a_thread * 48 + keys.listed * 4 > self.memory {
            let scan = |take: &mut Visitor<'_>| {
                (0..store.parts())
                    .try_for_each(|part| scan_listed(self.view, self.copies, part, Share::ALL, take))
            };
            return self.in_files(keys.listed, &scan, By::ListedKey);
        }
        let scan = |part: usize, share: Share, take: &mut Visitor<'_>| {
            scan_listed(self.view, self.copies, part, share, take)
        };
        let connect = |group: Group<'_>| self.connect(group, By::ListedKey);
        groups_of_parts(keys.listed, store.parts(), threads, self.view.room(), &scan, &connect)
    }

    /// Brings together the documents with an equal key, of so many that `scan` hands out, in files.
    fn in_files(&self, count: u64, scan: &Scan<'_>, by: By) -> Result<()> {
        let threads = self.view.threads;
        on_disk(count, self.memory, self.view.room(), scan, &mut |ranges| {
            each(threads, ranges.len(), |range| ranges.groups(range, &mut |group| self.connect(group, by)))
        })
    }
}

/// The keys of some bands, band by band.
struct KeyColumns {
    numbers: Vec<Number>,
    keys: Vec<Vec<u64>>,
}

impl KeyColumns {
    fn new(view: View<'_>, copies: &Copies, counts: &KeyCounts, bands: Range<usize>) -> Result<Self> {
        let View { store, recipe, observer, .. } = view;
        let documents = counts.of_documents_with_bands as usize;
        let mut made = Self { numbers: Vec::new(), keys: vec![Vec::new(); bands.len()] };
        made.numbers.reserve_exact(documents);
        made.keys.iter_mut().for_each(|keys| keys.reserve_exact(documents));
        for part in 0..store.parts() {
            observer.go_on()?;
            let (first, entries) = store.entries(part)?;
            let lanes = store.lanes_of_part(part)?;
            for (slot, (number, entry)) in (first..).zip(entries.iter()).enumerate() {
                let lanes = lanes.of(slot);
                let is_compared = entry.is_sketched() && !copies.contains(number);
                if is_compared && recipe.method.has_bands(lanes) {
                    made.numbers.push(number);
                    for (keys, band) in made.keys.iter_mut().zip(bands.clone()) {
                        keys.push(recipe.key(band, lanes, entry.within));
                    }
                }
            }
        }
        Ok(made)
    }

    fn scan(&self, column: usize, observer: &dyn Observer, take: &mut Visitor<'_>) -> Result<()> {
        let mut items = Vec::with_capacity(SCANNED);
        for (numbers, keys) in self.numbers.chunks(SCANNED).zip(self.keys[column].chunks(SCANNED)) {
            observer.go_on()?;
            items.clear();
            items.extend(numbers.iter().copied().zip(keys.iter().copied()));
            take(&items);
        }
        Ok(())
    }
}

fn count_keys(View { store, recipe, observer, .. }: View<'_>) -> Result<KeyCounts> {
    let mut counts = KeyCounts { listed: 0, of_documents_with_bands: 0 };
    if !recipe.method.stores_keys() && !recipe.has_uneven_lanes() {
        counts.of_documents_with_bands = store.count();
        return Ok(counts);
    }
    for part in 0..store.parts() {
        observer.go_on()?;
        if recipe.method.stores_keys() {
            counts.listed += store.samples_of_part(part)?.0.len() as u64;
            continue;
        }
        let (_, entries) = store.entries(part)?;
        let lanes = store.lanes_of_part(part)?;
        for (slot, _) in entries.iter().enumerate().filter(|(_, entry)| entry.is_sketched()) {
            let lanes = lanes.of(slot);
            counts.of_documents_with_bands += u64::from(recipe.method.has_bands(lanes));
            counts.listed += recipe.method.listed_keys(lanes) as u64;
        }
    }
    Ok(counts)
}

/// Hands out the keys of all bands.
fn scan_bands(view: View<'_>, copies: &Copies, visit: &mut Visitor<'_>) -> Result<()> {
    let View { store, recipe, .. } = view;
    let mut keys = Vec::with_capacity(recipe.bands());
    let mut visit = |number: Number, entry: Entry, lanes: &[u16]| {
        if recipe.method.has_bands(lanes) {
            keys.clear();
            keys.extend((0..recipe.bands()).map(|band| (number, recipe.key(band, lanes, entry.within))));
            visit(&keys);
        }
    };
    (0..store.parts()).try_for_each(|part| scan_compared(view, copies, part, &mut visit))
}

/// Hands out the keys in a share that are listed with the documents of a part.
fn scan_listed(
    view: View<'_>,
    copies: &Copies,
    part: usize,
    share: Share,
    visit: &mut Visitor<'_>,
) -> Result<()> {
    let View { store, recipe, observer, .. } = view;
    let mut keys = Vec::new();
    if !recipe.method.stores_keys() {
        scan_compared(view, copies, part, &mut |number, entry, lanes| {
            recipe.visit_listed_keys(lanes, entry.within, share, |key, standing| {
                keys.push((number | Number::from(standing.to_bits()) << STANDING_SHIFT, key));
            });
            if keys.len() >= SCANNED {
                visit(&keys);
                keys.clear();
            }
        })?;
        visit(&keys);
        return Ok(());
    }
    observer.go_on()?;
    let (first, entries) = store.entries(part)?;
    let (samples, ends) = store.samples_of_part(part)?;
    for (slot, number) in (0..entries.len()).zip(first..) {
        if entries.get(slot).is_sketched() && !copies.contains(number) {
            let samples = list(&samples, &ends, slot).iter().copied();
            keys.extend(samples.filter(|&key| share.has(key as u32)).map(|key| (number, key)));
        }
    }
    visit(&keys);
    Ok(())
}

/// Hands out the documents of a part that are compared, with their lanes.
fn scan_compared(
    View { store, observer, .. }: View<'_>,
    copies: &Copies,
    part: usize,
    visit: &mut dyn FnMut(Number, Entry, &[u16]),
) -> Result<()> {
    observer.go_on()?;
    let (first, entries) = store.entries(part)?;
    let lanes = store.lanes_of_part(part)?;
    for (slot, (number, entry)) in (first..).zip(entries.iter()).enumerate() {
        if entry.is_sketched() && !copies.contains(number) {
            visit(number, entry, lanes.of(slot));
        }
    }
    Ok(())
}

/// What brought a group together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Band,
    ListedKey,
}

/// Connects the documents of a group, those of a small one only where their signatures allow it.
fn connect(group: &[(Number, u64)], by: By, finder: &Finder<'_, '_>) {
    let View { store, recipe, .. } = finder.view;
    let number = |at: usize| match by {
        By::Band => group[at].0,
        By::ListedKey => group[at].0 & !(Number::MAX << STANDING_SHIFT),
    };
    let standing = |at: usize| Standing::of_bits((group[at].0 >> STANDING_SHIFT) as u16);
    let method = &recipe.method;
    let forest = finder.forest;
    if method.compares_signatures() && group.len() <= COMPARED_GROUP {
        for later in 1..group.len() {
            for earlier in 0..later {
                if by == By::ListedKey && !method.may_meet(standing(earlier), standing(later)) {
                    continue;
                }
                let (a, b) = (number(earlier), number(later));
                // Two keys of one document are equal only if hashes collide.
                if a == b {
                    continue;
                }
                // In larger groups many were connected by an earlier key.
                if group.len() > FEW && forest.root(a) == forest.root(b) {
                    continue;
                }
                let may_be_similar = match (store.lanes_in_memory(a), store.lanes_in_memory(b)) {
                    (Some(a), Some(b)) => method.may_be_similar(a, b),
                    _ => by == By::Band || finder.may_be_similar_by_heads(a, b),
                };
                if may_be_similar {
                    forest.join(a, b);
                }
            }
        }
        return;
    }
    for at in 1..group.len() {
        // A sampled shingle can come twice from one document only if hashes collide.
        if number(at - 1) != number(at) {
            forest.join(number(at - 1), number(at));
        }
    }
}
