//! Min-hash signatures in 16-bit lanes, cut into bands; and, if texts are compared exactly, [short documents](super::short).
//!
//! The lanes of a document are its signature, unless it is short, and then its sketch as a short document, if it is.

use super::short::{Short, ShortSketch, Standing};
use super::{FoundBy, Likeness, Screening, Shingled, SketchBuffers, Sketcher, Sketches, UseOfSketches};
use crate::candidates::grouping::Share;
use crate::report::Plan;
use crate::store::columns::Columns;
use crate::{Result, Settings, Verify, WrongSetting};
use lookalike::banding::plan::by_recall;
use lookalike::banding::{Banding, SCurve, band_key_of_lanes};
use lookalike::minhash::bbit::row_probability;
use lookalike::minhash::lanes::{self, estimate_of_lanes, matching_lanes};
use lookalike::minhash::{FastSketch, MinHasher};
use lookalike::similarity::SetMeasure;
use lookalike::verification::Verifier;

/// The probability that the estimate of the signatures rejects a pair whose similarity equals the threshold. It is so
/// small that the recall need not account for it.
const FILTER_MISS: f64 = 1e-6;

/// Documents that agree in all rows of a band are candidates.
#[derive(Debug)]
pub(crate) struct Bands {
    hasher: FastSketch,
    banding: Banding,
    /// A pair is compared only if at least this many of its lanes are equal.
    cutoff: usize,
    verify: Verify,
    threshold: f64,
    /// What finds short documents, if they are found in another way.
    short: Option<Short>,
    /// True if short documents have a signature too.
    signs_all: bool,
}

/// The two sketches in the lanes of a document, of which it has one or both.
struct Layout<'l> {
    signature: Option<&'l [u16]>,
    short: Option<ShortSketch<'l>>,
}

impl Bands {
    /// Works out the bands, the rows and the cutoff from the settings alone.
    pub(super) fn new(settings: &Settings, use_of: UseOfSketches) -> Result<Self> {
        let hasher = FastSketch::new(settings.signature.hashes, settings.signature.seed)?;
        let banding = match settings.matching.bands {
            Some(chosen) => {
                let banding = Banding::new(chosen.bands, chosen.rows)?;
                if banding.num_hashes() > settings.signature.hashes {
                    let (needed, hashes) = (banding.num_hashes(), settings.signature.hashes);
                    return Err(WrongSetting::TooFewHashes { bands: chosen, needed, hashes }.into());
                }
                banding
            }
            None => {
                by_recall(settings.signature.hashes, settings.matching.threshold, settings.matching.recall)?
                    .banding
            }
        };
        // If every candidate counts as similar, none may be rejected.
        let cutoff = match settings.matching.verify {
            Verify::None => 0,
            _ => lanes::estimate_cutoff(settings.signature.hashes, settings.matching.threshold, FILTER_MISS)?,
        };
        // Other ways to verify need a signature.
        let short = match (settings.matching.verify, use_of) {
            (Verify::Exact, UseOfSketches::OneRun | UseOfSketches::Engine) => {
                let verifier = Verifier::new(SetMeasure::Jaccard, settings.matching.threshold)?;
                Short::new(&verifier, banding.bands(), settings.signature.hashes)
            }
            _ => None,
        };
        Ok(Self {
            hasher,
            banding,
            cutoff,
            verify: settings.matching.verify,
            threshold: settings.matching.threshold,
            short,
            signs_all: use_of == UseOfSketches::Engine,
        })
    }

    fn layout<'l>(&self, lanes: &'l [u16]) -> Layout<'l> {
        let width = self.lanes();
        let (signature, short) =
            if lanes.len() < width { (None, lanes) } else { (Some(&lanes[..width]), &lanes[width..]) };
        Layout { signature, short: if short.is_empty() { None } else { Some(ShortSketch::of(short)) } }
    }

    fn bands_in_common(&self, a: &[u16], b: &[u16]) -> impl Iterator<Item = usize> {
        (0..self.banding.bands()).filter(move |&band| self.rows_of(band, a) == self.rows_of(band, b))
    }

    fn sign(&self, elements: &[u64], slots: &mut Vec<u64>, lanes: &mut Vec<u16>) -> Result<()> {
        slots.resize(self.lanes(), 0);
        self.hasher.sketch_into(elements, slots)?;
        let start = lanes.len();
        lanes.resize(start + slots.len(), 0);
        lanes::lanes_into(slots, &mut lanes[start..]);
        Ok(())
    }

    fn rows_of<'l>(&self, band: usize, lanes: &'l [u16]) -> &'l [u16] {
        let rows = self.banding.rows();
        &lanes[band * rows..(band + 1) * rows]
    }
}

impl Sketcher for Bands {
    fn plan(&self) -> Plan {
        let (bands, rows) = (self.banding.bands(), self.banding.rows());
        Plan {
            bands,
            rows,
            recall_at_threshold: lanes_curve(bands, rows, self.threshold),
            short_up_to: self.short.as_ref().map_or(0, |short| short.most_elements() as u64),
            estimate_cutoff: self.cutoff as f64 / self.lanes() as f64,
            ..Plan::default()
        }
    }

    fn label(&self) -> String {
        let number = super::number;
        format!("{} of {}", number(self.banding.bands(), "band"), number(self.banding.rows(), "row"))
    }

    fn lanes(&self) -> usize {
        self.hasher.num_hashes()
    }

    fn bands(&self) -> usize {
        self.banding.bands()
    }

    fn sketch(
        &self,
        document: &Shingled<'_>,
        buffers: &mut SketchBuffers,
        columns: &mut Columns,
    ) -> Result<usize> {
        let SketchBuffers { slots, set } = buffers;
        let places = self.short.as_ref().and_then(|short| short.keys_first(document.elements, set));
        let is_signed = match (&self.short, places) {
            (Some(short), Some(places)) => self.signs_all || short.is_at_border(places.len()),
            _ => true,
        };
        if is_signed {
            self.sign(document.elements, slots, &mut columns.lanes)?;
        }
        if let (Some(short), Some(places)) = (&self.short, places) {
            short.sketch(places, &mut columns.lanes);
        }
        Ok(document.hashes.len())
    }

    fn short(&self) -> Option<&Short> {
        self.short.as_ref()
    }

    fn is_sketch(&self, lanes: &[u16]) -> bool {
        let Layout { signature, short } = self.layout(lanes);
        match (&self.short, short) {
            (None, _) | (_, None) => lanes.len() == self.lanes(),
            (Some(short), Some(sketch)) => {
                short.is_sketch(sketch) && (signature.is_some() || !short.is_at_border(sketch.size()))
            }
        }
    }

    fn has_bands(&self, lanes: &[u16]) -> bool {
        let Layout { signature, short } = self.layout(lanes);
        // A short document that is not at the border has a signature only for those who estimate.
        let is_compared_by_bands = |sketch: ShortSketch<'_>| {
            self.short.as_ref().is_none_or(|short| short.is_at_border(sketch.size()))
        };
        signature.is_some() && short.is_none_or(is_compared_by_bands)
    }

    fn key(&self, band: usize, lanes: &[u16]) -> u64 {
        band_key_of_lanes(band, self.rows_of(band, lanes))
    }

    fn visit_listed_keys(&self, lanes: &[u16], share: Share, visit: &mut dyn FnMut(u64, Standing)) {
        if let (Some(short), Some(sketch)) = (&self.short, self.layout(lanes).short) {
            short.visit_keys(sketch, share, visit);
        }
    }

    fn may_meet(&self, a: Standing, b: Standing) -> bool {
        self.short.as_ref().is_none_or(|short| short.may_meet(a, b))
    }

    fn head<'l>(&self, lanes: &'l [u16]) -> Option<&'l [u16]> {
        self.layout(lanes).short.map(ShortSketch::head)
    }

    fn listed_keys(&self, lanes: &[u16]) -> usize {
        self.layout(lanes).short.map_or(0, |sketch| sketch.len().max(1))
    }

    fn shared_keys(&self, a: &[u16], b: &[u16]) -> u32 {
        let (of_a, of_b) = (self.layout(a), self.layout(b));
        if let (Some(short), Some(a), Some(b)) = (&self.short, of_a.short, of_b.short) {
            return short.shared_keys(a, b);
        }
        match (of_a.signature, of_b.signature) {
            (Some(a), Some(b)) => self.bands_in_common(a, b).count() as u32,
            _ => 0,
        }
    }

    fn found_by(&self, a: &[u16], b: &[u16], shared: u32) -> FoundBy {
        let (of_a, of_b) = (self.layout(a), self.layout(b));
        match (of_a.short, of_b.short) {
            (Some(_), Some(_)) => FoundBy::Proof,
            _ if shared == 1 => FoundBy::of_band(self.bands_in_common(a, b).next()),
            _ => FoundBy::Several,
        }
    }

    fn screen(&self, pair: Sketches<'_>) -> Result<Screening> {
        let (of_a, of_b) = (self.layout(pair.a), self.layout(pair.b));
        if let (Some(short), Some(a), Some(b)) = (&self.short, of_a.short, of_b.short) {
            // They may have met in a band. What counts is whether they share a key.
            let are_candidates = short.shared_keys(a, b) > 0;
            return Ok(if are_candidates { Screening::Open { distance: 0 } } else { Screening::Unlike });
        }
        let (Some(a), Some(b)) = (of_a.signature, of_b.signature) else { return Ok(Screening::Unlike) };
        let matching = matching_lanes(a, b);
        Ok(match self.verify {
            Verify::None => Screening::Similar { similarity: f64::NAN, distance: 0 },
            Verify::Estimate => {
                let similarity = estimate_of_lanes(matching, a.len())?.similarity;
                if similarity >= self.threshold {
                    Screening::Similar { similarity, distance: 0 }
                } else {
                    Screening::Below
                }
            }
            Verify::Exact if matching < self.cutoff => Screening::Unlike,
            Verify::Exact => Screening::Open { distance: 0 },
        })
    }

    fn likeness(&self, a: &[u16], b: &[u16]) -> Likeness {
        let (of_a, of_b) = (self.layout(a), self.layout(b));
        let (Some(a), Some(b)) = (of_a.signature, of_b.signature) else {
            return Likeness { similarity: f64::NAN, is_compared: true };
        };
        let matching = matching_lanes(a, b);
        let similarity = estimate_of_lanes(matching, self.lanes()).map_or(0.0, |it| it.similarity);
        let is_compared = match (&self.short, of_a.short, of_b.short) {
            (Some(short), Some(a), Some(b)) => short.shared_keys(a, b) > 0,
            _ => matching >= self.cutoff,
        };
        Likeness { similarity, is_compared }
    }

    fn compares_signatures(&self) -> bool {
        true
    }

    fn may_be_similar(&self, a: &[u16], b: &[u16]) -> bool {
        let (of_a, of_b) = (self.layout(a), self.layout(b));
        if let (Some(short), Some(a), Some(b)) = (&self.short, of_a.short, of_b.short) {
            return short.may_be_similar(a, b);
        }
        match (of_a.signature, of_b.signature) {
            (Some(a), Some(b)) => matching_lanes(a, b) >= self.cutoff,
            _ => false,
        }
    }

    fn probability(&self, similarity: f64, _size: u64, without_one: bool) -> f64 {
        lanes_curve(self.banding.bands() - usize::from(without_one), self.banding.rows(), similarity)
    }
}

/// The probability that a pair of this similarity agrees in at least one band of 16-bit lanes. It is 0 without bands.
fn lanes_curve(bands: usize, rows: usize, similarity: f64) -> f64 {
    let curve =
        |banding| Some(SCurve::with_row_probability(banding, row_probability(lanes::LANE_BITS).ok()?));
    Banding::new(bands, rows).ok().and_then(curve).map_or(0.0, |curve| curve.probability(similarity))
}
