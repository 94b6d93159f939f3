//! Vectors, stored as they are: two 16-bit lanes for each coordinate of 32 bits.
//!
//! Either all of them are compared, and none is missed, or bands of random functions find near ones
//! ([`lookalike::vectors::banded`]). The bands follow from the settings alone. If the settings leave it open whether they are used, the number
//! of documents decides: from so many on, bands take at most a third of the time.

use super::{Likeness, Screening, Shingled, SketchBuffers, Sketcher, Sketches, number};
use crate::report::Plan;
use crate::settings::{BandsAndRows, not_allowed};
use crate::store::columns::Columns;
use crate::{Choice, Find, Measure, Result, SettingName, Settings, WrongSetting};
use lookalike::vectors::{NearBands, Nearness};
use std::sync::OnceLock;

/// Bands are worth it from so many times the number of vectors on that [`NearBands::worth_it_from`] says: copying a vector to its
/// buckets was measured to take about a microsecond, a thousand comparisons and not fifty.
const MEASURED: u64 = 20;

/// How near vectors are found.
#[derive(Debug)]
pub(crate) struct Vectors {
    nearness: Nearness,
    bands: NearBands,
    /// From so many documents on, bands are used.
    from: Option<u64>,
    /// Whether they are used, once the number of documents is known.
    uses_bands: OnceLock<bool>,
}

impl Vectors {
    pub(super) fn new(settings: &Settings) -> Result<Self> {
        let nearness = nearness(settings)?;
        let matching = &settings.matching;
        let bands = match matching.bands {
            Some(BandsAndRows { bands, rows }) => NearBands::new(nearness, bands, rows).map_err(|error| {
                not_allowed(SettingName::Bands, BandsAndRows { bands, rows }, error.to_string())
            })?,
            None => NearBands::planned(nearness, matching.recall)?,
        };
        let (from, uses_bands) = match matching.find {
            Find::All => (None, Some(false)),
            Find::Bands => (Some(0), Some(true)),
            // Whoever gives bands wants them.
            Find::Auto if matching.bands.is_some() => (Some(0), Some(true)),
            Find::Auto => (bands.worth_it_from().map(|from| from.saturating_mul(MEASURED)), None),
        };
        let uses_bands = match (uses_bands, from) {
            (None, None) => OnceLock::from(false),
            (None, Some(_)) => OnceLock::new(),
            (Some(uses), _) => OnceLock::from(uses),
        };
        Ok(Self { nearness, bands, from, uses_bands })
    }

    /// Whether bands are used, or will be if there are enough vectors.
    fn may_use_bands(&self) -> bool {
        *self.uses_bands.get().unwrap_or(&true)
    }

    /// The cosine or the distance of a similarity.
    fn value_of(&self, similarity: f64) -> f64 {
        if self.nearness.is_cosine() { similarity } else { 1.0 / similarity - 1.0 }
    }
}

/// When vectors are near, by the settings.
pub(crate) fn nearness(settings: &Settings) -> Result<Nearness> {
    if settings.signature.measure != Measure::Euclidean {
        return Ok(Nearness::cosine(settings.matching.threshold)?);
    }
    let Some(radius) = settings.matching.radius else {
        let choice = Choice::new(SettingName::Measure, Measure::Euclidean);
        let needed = Choice::any(SettingName::Distance);
        return Err(WrongSetting::Needs { choice, needed, instead: None }.into());
    };
    Nearness::euclidean(radius)
        .map_err(|_| not_allowed(SettingName::Distance, radius, "a finite number of at least 0"))
}

/// A cosine as it is; a distance as a similarity from 0 to 1.
pub(crate) fn similarity_of(nearness: Nearness, value: f64) -> f64 {
    if nearness.is_cosine() { value } else { 1.0 / (1.0 + value) }
}

/// The coordinates of a vector, from its lanes.
pub(crate) fn coordinates(lanes: &[u16]) -> impl Iterator<Item = f32> {
    lanes.as_chunks::<2>().0.iter().map(|&[low, high]| f32::from_bits(u32::from(low) | u32::from(high) << 16))
}

impl Sketcher for Vectors {
    fn plan(&self) -> Plan {
        if !self.may_use_bands() {
            return Plan { recall_at_threshold: 1.0, ..Plan::default() };
        }
        let is_open = self.uses_bands.get().is_none();
        Plan {
            bands: self.bands.bands(),
            rows: self.bands.rows(),
            recall_at_threshold: self.bands.chance(self.nearness.threshold()),
            all_up_to: self.from.filter(|_| is_open).map(|from| from.saturating_sub(1)),
            ..Plan::default()
        }
    }

    fn label(&self) -> String {
        if !self.may_use_bands() {
            return "an exact comparison of all vectors".into();
        }
        let of = if self.nearness.is_cosine() { "hyperplane" } else { "projection" };
        let bands = format!("{} of {}", number(self.bands.bands(), "band"), number(self.bands.rows(), of));
        match self.plan().all_up_to {
            Some(most) => format!("an exact comparison of up to {most} vectors, and {bands} for more"),
            None => bands,
        }
    }

    fn lanes(&self) -> usize {
        2
    }

    fn has_uneven_lanes(&self) -> bool {
        true
    }

    fn bands(&self) -> usize {
        0
    }

    fn sketch(
        &self,
        document: &Shingled<'_>,
        _buffers: &mut SketchBuffers,
        columns: &mut Columns,
    ) -> Result<usize> {
        columns.lanes.extend(document.hashes.iter().flat_map(|&bits| [bits as u16, (bits >> 16) as u16]));
        Ok(document.hashes.len())
    }

    fn is_sketch(&self, lanes: &[u16]) -> bool {
        lanes.len().is_multiple_of(2)
    }

    fn key(&self, _band: usize, _lanes: &[u16]) -> u64 {
        0
    }

    fn shared_keys(&self, _a: &[u16], _b: &[u16]) -> u32 {
        0
    }

    fn screen(&self, _pair: Sketches<'_>) -> Result<Screening> {
        Ok(Screening::Open { distance: 0 })
    }

    fn likeness(&self, a: &[u16], b: &[u16]) -> Likeness {
        let (a, b): (Vec<f32>, Vec<f32>) = (coordinates(a).collect(), coordinates(b).collect());
        let similarity = similarity_of(self.nearness, self.nearness.value(&a, &b));
        Likeness { similarity, is_compared: true }
    }

    fn nearness(&self) -> Option<Nearness> {
        Some(self.nearness)
    }

    fn settle(&self, documents: u64) {
        let _ = self.uses_bands.get_or_init(|| self.from.is_some_and(|from| documents >= from));
    }

    fn near_bands(&self) -> Option<NearBands> {
        self.may_use_bands().then_some(self.bands)
    }

    fn independent_bands(&self) -> usize {
        if self.may_use_bands() { self.bands.bands() } else { 0 }
    }

    fn probability(&self, similarity: f64, _size: u64, without_one: bool) -> f64 {
        let value = self.value_of(similarity);
        match (self.may_use_bands(), without_one) {
            (false, _) => 1.0,
            (true, false) => self.bands.chance(value),
            (true, true) => self.bands.chance_without_one(value),
        }
    }

    fn misses_pairs(&self) -> bool {
        self.may_use_bands()
    }
}
