//! Short documents are found by their rarest shingles: without a signature, and without missing one.
//!
//! Put the elements of all sets into one order, any order. If two sets have a Jaccard similarity of at least t, they
//! share one of their first elements: one of the first n - ceil(t n) + 1 of a set of n elements. This is *prefix
//! filtering* (Chaudhuri, Ganti and Kaushik 2006; Bayardo, Ma and Srikant 2007). A set of 59 shingles has 12 such
//! keys at t = 0.8, whereas its signature has 21 bands, which miss one pair in a hundred at the threshold. For long
//! sets it is the other way round, so only documents whose keys are fewer than the bands are *short*.
//!
//! **The order.** Any order finds the same pairs. An order that puts rare shingles first lets few documents meet that
//! are not similar. [`Rarity`] knows how often shingles occur in a sample of the corpus.
//!
//! **The screen.** Every element of a set flips one of 128 bits. The bits in which two sets differ are at most as many
//! as the elements that only one of them has, since each of these flips one bit. So a pair with too many different
//! bits is not similar, and not a candidate. This tells most dissimilar pairs apart before any text is read again.
//!
//! **The border.** A short document can be similar to a long one, which has bands only. A short document that is large
//! enough for this therefore has a signature too.

use super::rarity::Rarity;
use crate::candidates::grouping::Share;
use lookalike::hashing::mix64;
use lookalike::verification::Verifier;
use std::sync::OnceLock;

/// A document with more elements is not short, however few keys it needs: they are found by sorting.
const MOST_ELEMENTS: usize = if cfg!(test) { 64 } else { 256 };

/// A document with as many keys is not short: the place of a key has 7 bits.
const MOST_KEYS: usize = 128;

/// Keys have this many bits, of which the first ones are the rarity.
const KEY_BITS: u32 = 32;

/// Of a longer document, the first elements are looked at first: a third more than a short one has. Nearly always this
/// shows that the document is not short.
const LOOKED_AT: (usize, usize) = (4, 3);

/// The number of slots in which [`least_distinct`] marks elements.
const MARKS: usize = 1 << 10;

/// The number of marks of [`are_surely_distinct`].
const SURE_MARKS: usize = 1 << 14;

/// As many keys are looked at together as there are bits in a word.
const KEYS_AT_A_TIME: usize = 64;

/// Sets keys of short documents apart from those of bands.
const SALT: u64 = 0x7368_6f72_7420_6b65;

/// Sets of these sizes are never similar.
const NEVER: u16 = u16::MAX;

/// The key that all documents without shingles share.
const NO_SHINGLES: u64 = u64::MAX;

/// What finds short documents.
#[derive(Debug)]
pub(crate) struct Short {
    /// How many keys a set of each size has; sizes that are not here are not short.
    keys: Vec<u16>,
    /// The least size of a set that can be similar to one that is not short.
    least_of_border: usize,
    /// How many elements two sets must have in common to be similar, by both sizes: a row for each.
    needed: Vec<u16>,
    rarity: OnceLock<Rarity>,
}

/// The standing of a key in a document: how many elements the document has, and how many come before the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standing(u16);

/// The number of bits of a standing that are the size.
const SIZE_BITS: u32 = 9;

impl Standing {
    /// The number of bits of a standing.
    pub(crate) const BITS: u32 = u16::BITS;

    fn new(size: usize, place: usize) -> Self {
        Self((size | place << SIZE_BITS) as u16)
    }

    /// The standing that a number is.
    pub(crate) fn of_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// The standing as a number.
    pub(crate) fn to_bits(self) -> u16 {
        self.0
    }

    fn size(self) -> usize {
        usize::from(self.0 & ((1 << SIZE_BITS) - 1))
    }

    fn place(self) -> usize {
        usize::from(self.0 >> SIZE_BITS)
    }
}

/// The sketch of a short document: how many elements it has, the bits that they flip, and its keys in ascending order.
#[derive(Clone, Copy)]
pub(super) struct ShortSketch<'s> {
    /// The number of elements, the bits, and then two lanes for each key.
    lanes: &'s [u16],
}

/// The number of lanes of the bits that elements flip.
const FLIPPED_LANES: usize = 8;

/// The number of lanes before the keys: the head of a sketch.
pub(crate) const HEAD: usize = 1 + FLIPPED_LANES;

/// True if lanes may be the sketch of a short document with so many shingles, repeated ones included. Tables of sketches do not
/// say with how many hashes they were made: what follows the lanes of an index must be this, or nothing.
pub fn may_be_short_sketch(lanes: &[u16], shingles: i64) -> bool {
    let size = ShortSketch::of(lanes).size();
    let keys = lanes.len().checked_sub(HEAD).filter(|lanes| lanes % 2 == 0).map(|lanes| lanes / 2);
    // Without shingles there is one key, which all such documents share.
    keys.is_some_and(|keys| keys <= size.max(1)) && i64::try_from(size).is_ok_and(|size| size <= shingles)
}

impl Short {
    /// For a plan of so many `bands` and hashes. `None` if not even a set of one element is short.
    pub(super) fn new(verifier: &Verifier, bands: usize, hashes: usize) -> Option<Self> {
        let fits = |keys: usize| keys < bands.min(MOST_KEYS) && lanes_of(keys) < hashes;
        let keys: Vec<u16> = (0..=MOST_ELEMENTS)
            .map(|size| prefix_length(size, verifier))
            .take_while(|&keys| fits(keys))
            .map(|keys| keys as u16)
            .collect();
        let not_short = keys.len();
        let can_be_similar = |size: &usize| verifier.needed_overlap(*size, not_short).is_some();
        let least_of_border = (1..not_short).find(can_be_similar).unwrap_or(not_short);
        let overlap =
            |a: usize, b: usize| verifier.needed_overlap(a, b).map_or(NEVER, |needed| needed as u16);
        let needed = (0..not_short).flat_map(|a| (0..not_short).map(move |b| overlap(a, b))).collect();
        (not_short > 1).then_some(Self { keys, least_of_border, needed, rarity: OnceLock::new() })
    }

    /// The largest number of elements of a short document.
    pub(crate) fn most_elements(&self) -> usize {
        self.keys.len() - 1
    }

    /// The largest number of keys of a short document.
    pub(crate) fn most_keys(&self) -> usize {
        self.keys.iter().copied().max().map_or(0, usize::from)
    }

    /// True if a document with so many elements can be similar to one that is not short.
    pub(super) fn is_at_border(&self, size: usize) -> bool {
        size >= self.least_of_border
    }

    /// Sets the order of the shingles. Until then, and without a sample, they are in the order of their hashes.
    pub(crate) fn learn(&self, rarity: Rarity) {
        // There is one sample for a run.
        let _ = self.rarity.set(rarity);
    }

    /// The places of the distinct elements of a document: first those that are its keys, in the common order, then the
    /// others in any order. `None` if there are too many for a short document.
    pub(super) fn keys_first<'b>(&self, elements: &[u64], buffer: &'b mut Vec<u64>) -> Option<&'b [u64]> {
        let most = self.most_elements();
        if elements.len() > most
            && least_distinct(&elements[..elements.len().min(most * LOOKED_AT.0 / LOOKED_AT.1)]) > most
        {
            return None;
        }
        buffer.clear();
        match self.rarity.get() {
            Some(rarity) => buffer.extend(elements.iter().map(|&it| rarity.place(it))),
            None => buffer.extend(elements.iter().map(|&it| Rarity::place_of_unknown(it))),
        }
        // Sorting all of them costs more than everything else here.
        if !are_surely_distinct(buffer) {
            buffer.sort_unstable();
            buffer.dedup();
            return (buffer.len() <= most).then_some(buffer);
        }
        let keys = usize::from(*self.keys.get(buffer.len())?);
        if keys < buffer.len() {
            buffer.select_nth_unstable(keys);
        }
        buffer[..keys].sort_unstable();
        Some(buffer)
    }

    /// Appends the sketch of a short document with these [places](Self::keys_first).
    pub(super) fn sketch(&self, places: &[u64], lanes: &mut Vec<u16>) {
        lanes.push(places.len() as u16);
        let mut flipped = [0u64; 2];
        for place in places {
            flipped[(place >> 14 & 1) as usize] ^= 1 << (place >> 8 & 63);
        }
        lanes.extend((0..FLIPPED_LANES).map(|lane| (flipped[lane / 4] >> (16 * (lane % 4))) as u16));
        for place in &places[..usize::from(self.keys[places.len()])] {
            let key = (place >> (u64::BITS - KEY_BITS)) as u32;
            lanes.extend([key as u16, (key >> 16) as u16]);
        }
    }

    /// Hands out the keys of a document in a share, each with its standing.
    pub(super) fn visit_keys(
        &self,
        sketch: ShortSketch<'_>,
        share: Share,
        visit: &mut dyn FnMut(u64, Standing),
    ) {
        let size = sketch.size();
        if size == 0 {
            if share.has(0) {
                visit(NO_SHINGLES, Standing::new(0, 0));
            }
            return;
        }
        for (first, some) in (0..).step_by(KEYS_AT_A_TIME).zip(sketch.keys().chunks(KEYS_AT_A_TIME)) {
            // Without a branch for each key, which the processor could not predict.
            let mut here = some
                .iter()
                .enumerate()
                .fold(0u64, |here, (at, &key)| here | u64::from(share.has(whole(key))) << at);
            while here != 0 {
                let at = here.trailing_zeros() as usize;
                here &= here - 1;
                visit(mix64(u64::from(whole(some[at])) ^ SALT), Standing::new(size, first + at));
            }
        }
    }

    /// True if a key that has this standing in two documents can be their first common one. Then neither set can have
    /// more in common with the other than from this element on.
    pub(super) fn may_meet(&self, a: Standing, b: Standing) -> bool {
        let needed = usize::from(self.needed[a.size() * self.keys.len() + b.size()]);
        a.size() - a.place() >= needed && b.size() - b.place() >= needed
    }

    /// True if this can be the sketch of a short document.
    pub(super) fn is_sketch(&self, sketch: ShortSketch<'_>) -> bool {
        let keys = self.keys.get(sketch.size()).copied().map(usize::from);
        keys.is_some_and(|keys| sketch.lanes.len() == lanes_of(keys))
    }

    /// True unless the sketches of two short documents show that they are not similar.
    #[inline]
    pub(super) fn may_be_similar(&self, a: ShortSketch<'_>, b: ShortSketch<'_>) -> bool {
        let (size_a, size_b) = (a.size(), b.size());
        let needed = self.needed[size_a * self.keys.len() + size_b];
        // Each of the other elements is in one of the sets only.
        let most_apart = (size_a + size_b).checked_sub(2 * usize::from(needed));
        most_apart.is_some_and(|most| a.differing_bits(b) as usize <= most)
    }

    /// True unless the heads of the sketches of two short documents show that they are not similar.
    pub(crate) fn heads_may_be_similar(&self, a: &[u16], b: &[u16]) -> bool {
        self.may_be_similar(ShortSketch::of(a), ShortSketch::of(b))
    }

    /// How many keys two short documents share; 0 if their sketches show that they are not similar.
    pub(super) fn shared_keys(&self, a: ShortSketch<'_>, b: ShortSketch<'_>) -> u32 {
        if !self.may_be_similar(a, b) {
            return 0;
        }
        if a.size() == 0 { 1 } else { common_keys(a, b) as u32 }
    }
}

/// How many keys are in both, which are ascending. Equal keys of one document count as often as they occur in both.
fn common_keys(a: ShortSketch<'_>, b: ShortSketch<'_>) -> usize {
    let (len_a, len_b) = (a.len(), b.len());
    let (mut at_a, mut at_b, mut common) = (0, 0, 0);
    while at_a < len_a && at_b < len_b {
        let (key_a, key_b) = (a.key(at_a), b.key(at_b));
        common += usize::from(key_a == key_b);
        at_a += usize::from(key_a <= key_b);
        at_b += usize::from(key_b <= key_a);
    }
    common
}

impl<'s> ShortSketch<'s> {
    /// The sketch that these lanes are.
    pub(super) fn of(lanes: &'s [u16]) -> Self {
        Self { lanes }
    }

    /// The lanes before the keys.
    pub(super) fn head(self) -> &'s [u16] {
        &self.lanes[..HEAD]
    }

    /// The number of elements of the document.
    pub(super) fn size(self) -> usize {
        self.lanes.first().copied().map_or(0, usize::from)
    }

    /// The number of bits that two sets leave different.
    #[inline]
    fn differing_bits(self, other: Self) -> u32 {
        let bits =
            |sketch: Self| bytemuck::pod_read_unaligned::<u128>(bytemuck::cast_slice(&sketch.lanes[1..HEAD]));
        (bits(self) ^ bits(other)).count_ones()
    }

    /// The number of keys.
    pub(super) fn len(self) -> usize {
        (self.lanes.len() - HEAD) / 2
    }

    /// The keys, ascending, low half first.
    #[inline]
    fn keys(self) -> &'s [[u16; 2]] {
        self.lanes[HEAD..].as_chunks().0
    }

    #[inline]
    fn key(self, at: usize) -> u32 {
        whole(self.keys()[at])
    }
}

/// A key as one number.
#[inline]
fn whole([low, high]: [u16; 2]) -> u32 {
    u32::from(low) | u32::from(high) << 16
}

/// A number that is at most the number of distinct elements, and close to it if they are few: the number of marks that
/// the elements leave.
fn least_distinct(elements: &[u64]) -> usize {
    let mut marks = [0u8; MARKS];
    for &element in elements {
        marks[(Rarity::place_of_unknown(element) >> 40) as usize % MARKS] = 1;
    }
    // Sums of bytes are fast, and these do not overflow.
    marks.chunks(128).map(|some| usize::from(some.iter().sum::<u8>())).sum()
}

/// True if no two places are equal. Of places that leave the same mark nothing is known, so this can be false for
/// distinct ones: for one document in ten, if it has 60 elements.
fn are_surely_distinct(places: &[u64]) -> bool {
    let mut marks = [0u64; SURE_MARKS / 64];
    let mut again = 0;
    for place in places {
        let mark = *place as usize % SURE_MARKS;
        again |= marks[mark / 64] >> (mark % 64);
        marks[mark / 64] |= 1 << (mark % 64);
    }
    again & 1 == 0
}

/// The number of lanes of the sketch of a short document with so many keys.
fn lanes_of(keys: usize) -> usize {
    HEAD + 2 * keys
}

/// How many of its first elements a set of `size` must show, so that every similar set shows one of them.
pub(crate) fn prefix_length(size: usize, verifier: &Verifier) -> usize {
    let (measure, threshold) = (verifier.measure(), verifier.threshold());
    // A smaller set is at best a subset: then the overlap is all of it.
    let enough = |overlap: usize| measure.of_counts(size, overlap, overlap) >= threshold;
    let mut least = (size as f64 * threshold).ceil() as usize;
    while least > 0 && enough(least - 1) {
        least -= 1;
    }
    while least < size && !enough(least) {
        least += 1;
    }
    (size - least + 1).min(size)
}

#[cfg(test)]
mod tests {
    use super::super::rarity::Counts;
    use super::*;
    use lookalike::hashing::SplitMix64;
    use lookalike::similarity::{SetMeasure, SortedSet};

    fn short(threshold: f64) -> (Short, Verifier) {
        let verifier = Verifier::new(SetMeasure::Jaccard, threshold).unwrap();
        (Short::new(&verifier, 21, 128).unwrap(), verifier)
    }

    fn sketch(short: &Short, elements: &[u64]) -> Vec<u16> {
        let (mut buffer, mut lanes) = (Vec::new(), Vec::new());
        short.sketch(short.keys_first(elements, &mut buffer).expect("it is short"), &mut lanes);
        lanes
    }

    /// Two sets of up to `most` elements that share many: elements are drawn from few, so that counts matter.
    fn two_sets(random: &mut SplitMix64, most: u64) -> [Vec<u64>; 2] {
        let shared = random.below(most);
        let apart = most - shared;
        let mut common: Vec<u64> = (0..shared).map(|_| mix64(random.below(300))).collect();
        let mut draw = |common: &[u64]| {
            let own = random.below(apart.min(8) + 1);
            let mut set = common.to_vec();
            set.extend((0..own).map(|_| mix64(random.below(300))));
            set.sort_unstable();
            set.dedup();
            set
        };
        let a = draw(&common);
        common.reverse();
        let b = draw(&common);
        [a, b]
    }

    #[test]
    fn no_similar_pair_is_lost() {
        let mut random = SplitMix64::new(7);
        for threshold in [0.3, 0.5, 0.8, 0.95, 1.0] {
            let (known, verifier) = short(threshold);
            let (unknown, _) = short(threshold);
            let mut counts = Counts::new();
            (0..200).for_each(|element: u64| (0..element % 9).for_each(|_| counts.count(&[mix64(element)])));
            known.learn(counts.finish());
            let mut similar = 0;
            for _ in 0..20_000 {
                let [a, b] = two_sets(&mut random, known.most_elements() as u64);
                let likeness =
                    SetMeasure::Jaccard.similarity(SortedSet::new(&a).unwrap(), SortedSet::new(&b).unwrap());
                if likeness < verifier.threshold() {
                    continue;
                }
                similar += 1;
                for short in [&known, &unknown] {
                    let (of_a, of_b) = (sketch(short, &a), sketch(short, &b));
                    let (of_a, of_b) = (ShortSketch::of(&of_a), ShortSketch::of(&of_b));
                    assert!(short.is_sketch(of_a) && short.is_sketch(of_b));
                    assert!(short.may_be_similar(of_a, of_b), "{likeness}: {a:?} {b:?}");
                    let mut met = false;
                    short.visit_keys(of_a, Share::ALL, &mut |key, standing| {
                        short.visit_keys(of_b, Share::ALL, &mut |other_key, other| {
                            met |= key == other_key && short.may_meet(standing, other);
                        });
                    });
                    assert!(met, "{likeness}: {a:?} {b:?}");
                }
            }
            assert!(similar > 500, "only {similar} similar pairs at {threshold}");
        }
    }

    #[test]
    fn most_dissimilar_pairs_are_told_apart() {
        let (short, _) = short(0.8);
        let mut random = SplitMix64::new(9);
        let mut wrong = 0;
        for _ in 0..10_000 {
            let mut draw = |shared: &[u64]| -> Vec<u64> {
                shared.iter().copied().chain((0..20).map(|_| random.next_u64())).collect()
            };
            let shared: Vec<u64> = draw(&[]).into_iter().chain(draw(&[])).collect();
            // 40 of 80 are common, which is a similarity of 0.5.
            let (a, b) = (sketch(&short, &draw(&shared)), sketch(&short, &draw(&shared)));
            wrong += usize::from(short.may_be_similar(ShortSketch::of(&a), ShortSketch::of(&b)));
        }
        assert!(wrong < 100, "{wrong} of 10,000");
    }

    #[test]
    fn documents_of_any_size_are_short_or_not_by_their_distinct_elements() {
        let (short, _) = short(0.8);
        let most = short.most_elements() as u64;
        let mut buffer = Vec::new();
        for distinct in [0, 1, 2, most - 1, most, most + 1, 3 * most] {
            for repeats in [1, 2, 50] {
                let elements: Vec<u64> =
                    (0..distinct * repeats).map(|at| mix64(at % distinct.max(1))).collect();
                let found = short.keys_first(&elements, &mut buffer).map(<[u64]>::len);
                let expected = (distinct <= most).then_some(distinct as usize);
                assert_eq!(found, expected, "{distinct} distinct elements, {repeats} times");
            }
        }
    }

    #[test]
    fn the_keys_are_the_first_places_and_all_others_follow() {
        let (short, verifier) = short(0.8);
        let (mut random, mut buffer, mut sure) = (SplitMix64::new(4), Vec::new(), 0);
        for round in 0..2_000 {
            let size = random.below(short.most_elements() as u64 + 1);
            // In every other round some elements occur twice.
            let drawn = if round % 2 == 0 { 1 << 40 } else { 2 * size + 1 };
            let elements: Vec<u64> = (0..size).map(|_| mix64(random.below(drawn))).collect();
            let mut places: Vec<u64> = elements.iter().map(|&it| Rarity::place_of_unknown(it)).collect();
            sure += usize::from(are_surely_distinct(&places));
            places.sort_unstable();
            places.dedup();
            let keys = prefix_length(places.len(), &verifier);
            let found = short.keys_first(&elements, &mut buffer).expect("it is short");
            assert_eq!(found[..keys], places[..keys]);
            let mut all = found.to_vec();
            all.sort_unstable();
            assert_eq!(all, places);
        }
        assert!((900..1_500).contains(&sure), "{sure} of 2,000 are surely distinct");
    }

    #[test]
    fn every_key_is_in_one_share_and_equal_keys_are_in_the_same() {
        let (short, _) = short(0.5);
        let mut random = SplitMix64::new(6);
        let mut share_of: std::collections::HashMap<u64, usize> = std::collections::HashMap::new();
        for size in (0..=39).cycle().take(400) {
            let elements: Vec<u64> = (0..size).map(|_| mix64(random.below(300))).collect();
            let lanes = sketch(&short, &elements);
            let keys_in = |share: Share| {
                let mut keys = Vec::new();
                short.visit_keys(ShortSketch::of(&lanes), share, &mut |key, standing| {
                    keys.push((key, standing.to_bits()));
                });
                keys
            };
            let mut in_shares = Vec::new();
            for (number, share) in Share::all(4).enumerate() {
                for (key, standing) in keys_in(share) {
                    assert_eq!(*share_of.entry(key).or_insert(number), number);
                    in_shares.push((key, standing));
                }
            }
            let mut all = keys_in(Share::ALL);
            all.sort_unstable();
            in_shares.sort_unstable();
            assert_eq!(in_shares, all);
        }
        assert_eq!(
            share_of.values().collect::<std::collections::BTreeSet<_>>().len(),
            4,
            "no share is empty"
        );
    }

    #[test]
    fn a_short_document_has_fewer_keys_than_bands() {
        // The definition: n - ceil(t n) + 1 keys, fewer than 21 bands.
        for (threshold, most) in [(0.5, 39), (0.8, 64), (1.0, 64)] {
            let (short, verifier) = short(threshold);
            assert_eq!(short.most_elements(), most);
            let keys = |size: usize| (size as f64 - (threshold * size as f64 - 1e-9).ceil()) as usize + 1;
            assert!((1..=most).all(|size| prefix_length(size, &verifier) == keys(size).min(size)));
            assert!((1..=most).all(|size| keys(size) < 21));
            // A set at the border can be similar to the smallest set that is not short, and no smaller one can.
            let least =
                (0..=most + 1).find(|&size| verifier.needed_overlap(size, most + 1).is_some()).unwrap();
            assert!(short.is_at_border(least) && !short.is_at_border(least - 1));
        }
        // With one band no document is short.
        let verifier = Verifier::new(SetMeasure::Jaccard, 0.8).unwrap();
        assert!(Short::new(&verifier, 1, 128).is_none());
    }

    #[test]
    fn what_is_not_a_sketch_is_recognised() {
        let (short, _) = short(0.8);
        let mut lanes = sketch(&short, &(0..50).map(mix64).collect::<Vec<u64>>());
        assert!(short.is_sketch(ShortSketch::of(&lanes)));
        lanes[0] = 51;
        assert!(short.is_sketch(ShortSketch::of(&lanes)) == (short.keys[51] == short.keys[50]));
        lanes[0] = u16::MAX;
        assert!(!short.is_sketch(ShortSketch::of(&lanes)));
        lanes[0] = 50;
        lanes.pop();
        assert!(!short.is_sketch(ShortSketch::of(&lanes)));
    }
}
