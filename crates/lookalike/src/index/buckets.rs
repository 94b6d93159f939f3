//! Positions and band keys -> the positions that share a bucket.
//!
//! Each band has a table from keys to buckets. A bucket is a *link*: the position itself, if there is only one, or the
//! number of a node, which has a position and another link. So a bucket of `m` positions has `m - 1` nodes of eight
//! bytes, and most buckets have none. The table does not store keys: the key of a bucket is that of its first
//! position, which the caller computes from the signature.
//!
//! A position takes 6 to 9 bytes in each band, whatever the sizes of the buckets. A position that was removed stays in
//! its buckets, until a new one takes its place at the head of a bucket or all buckets are made again.

use super::growth::push;
use super::positions::Positions;
use crate::hashing::mix64;

/// The bit of a link that says that the rest is the number of a node.
const NODE: u32 = 1 << 31;

/// The number of positions that can be told from nodes.
pub(super) const MAX_POSITIONS: u32 = NODE;

/// The buckets of one band.
#[derive(Debug, Clone)]
struct Band {
    links: Positions,
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    position: u32,
    next: u32,
}

/// The buckets of all bands. `key_of(band, position)` must be the key with which the position was inserted.
#[derive(Debug, Clone)]
pub(super) struct Buckets {
    bands: Vec<Band>,
}

impl Buckets {
    pub(super) fn new(bands: usize) -> Self {
        // From 16 up to 24 slots, which is one growth.
        let first = |band: usize| 16 + band * 8 / bands;
        let empty = |band| Band { links: Positions::new(first(band)), nodes: Vec::new() };
        Self { bands: (0..bands).map(empty).collect() }
    }

    /// Puts `position` in the bucket of each band's key. `was_removed` says which positions are not needed any more.
    pub(super) fn insert(
        &mut self,
        position: u32,
        keys: &[u64],
        key_of: impl Fn(usize, u32) -> u64,
        was_removed: impl Fn(u32) -> bool,
    ) {
        for (number, (band, &key)) in self.bands.iter_mut().zip(keys).enumerate() {
            let Band { links, nodes } = band;
            let key_at = |link: u32| key_of(number, first(nodes, link));
            match links.find(mix64(key), |link| key_at(link) == key) {
                Some(slot) => {
                    let link = links.value(slot);
                    // Otherwise a document that is replaced again and again would leave a long bucket behind.
                    if !was_removed(first(nodes, link)) {
                        links.set(slot, NODE | nodes.len() as u32);
                        push(nodes, Node { position, next: link });
                    } else if link & NODE == 0 {
                        links.set(slot, position);
                    } else {
                        nodes[(link ^ NODE) as usize].position = position;
                    }
                }
                None => links.insert(mix64(key), position, |link| mix64(key_at(link))),
            }
        }
    }

    /// The positions that share a bucket with these keys, ascending, each once.
    pub(super) fn candidates(&self, keys: &[u64], key_of: impl Fn(usize, u32) -> u64) -> Vec<u32> {
        let mut positions = Vec::new();
        let mut shared = Vec::new();
        // All tables are searched first. Each search waits for memory, and a CPU can wait for several at once.
        for (number, (band, &key)) in self.bands.iter().zip(keys).enumerate() {
            match band.find(number, key, &key_of) {
                Some(link) if link & NODE == 0 => positions.push(link),
                Some(link) => shared.push((band, link)),
                None => {}
            }
        }
        for (band, link) in shared {
            positions.extend(band.chain(link));
        }
        positions.sort_unstable();
        positions.dedup();
        positions
    }

    /// The positions in the bucket of a key, the newest first.
    pub(super) fn bucket(
        &self,
        band: usize,
        key: u64,
        key_of: impl Fn(usize, u32) -> u64,
    ) -> impl Iterator<Item = u32> + '_ {
        let band_of = &self.bands[band];
        band_of.find(band, key, &key_of).into_iter().flat_map(|link| band_of.chain(link))
    }

    /// The positions of each bucket of a band. The order of the buckets is not defined.
    pub(super) fn of_band(&self, band: usize) -> impl Iterator<Item = impl Iterator<Item = u32> + '_> + '_ {
        let band = &self.bands[band];
        band.links.values().map(|link| band.chain(link))
    }

    pub(super) fn size_in_bytes(&self) -> usize {
        let of_band = |band: &Band| {
            band.links.size_in_bytes() + band.nodes.capacity() * size_of::<Node>() + size_of::<Band>()
        };
        self.bands.iter().map(of_band).sum()
    }
}

impl Band {
    #[inline]
    fn find(&self, number: usize, key: u64, key_of: impl Fn(usize, u32) -> u64) -> Option<u32> {
        let same = |link| key_of(number, first(&self.nodes, link)) == key;
        self.links.find(mix64(key), same).map(|slot| self.links.value(slot))
    }

    fn chain(&self, link: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = Some(link);
        std::iter::from_fn(move || {
            let link = next?;
            if link & NODE == 0 {
                next = None;
                return Some(link);
            }
            let node = self.nodes[(link ^ NODE) as usize];
            next = Some(node.next);
            Some(node.position)
        })
    }
}

/// The first position of a bucket.
#[inline]
fn first(nodes: &[Node], link: u32) -> u32 {
    if link & NODE == 0 { link } else { nodes[(link ^ NODE) as usize].position }
}
