//! Vectors, stored as they are: two 16-bit lanes for each coordinate of 32 bits. All of them are compared, and none is missed.

use super::{Likeness, Screening, Shingled, SketchBuffers, Sketcher, Sketches};
use crate::report::Plan;
use crate::settings::not_allowed;
use crate::store::columns::Columns;
use crate::{Choice, Measure, Result, SettingName, Settings, WrongSetting};
use lookalike::vectors::Nearness;

/// Every vector is compared with every other one.
#[derive(Debug)]
pub(crate) struct Vectors {
    nearness: Nearness,
}

impl Vectors {
    pub(super) fn new(settings: &Settings) -> Result<Self> {
        Ok(Self { nearness: nearness(settings)? })
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
        Plan { recall_at_threshold: 1.0, ..Plan::default() }
    }

    fn label(&self) -> String {
        "an exact comparison of all vectors".into()
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

    fn probability(&self, _similarity: f64, _size: u64, _without_one: bool) -> f64 {
        1.0
    }

    fn misses_pairs(&self) -> bool {
        false
    }
}
