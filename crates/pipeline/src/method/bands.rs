//! Min-hash signatures in 16-bit lanes, cut into bands.

use super::{Likeness, Screening, Shingled, SketchBuffers, Sketcher, Sketches};
use crate::report::Plan;
use crate::store::columns::Columns;
use crate::{Result, Settings, Verify, WrongSetting};
use lookalike::banding::plan::by_recall;
use lookalike::banding::{Banding, SCurve, band_key_of_lanes};
use lookalike::minhash::bbit::row_probability;
use lookalike::minhash::lanes::{self, estimate_of_lanes, matching_lanes};
use lookalike::minhash::{FastSketch, MinHasher};

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
}

impl Bands {
    /// Works out the bands, the rows and the cutoff from the settings alone.
    pub(super) fn new(settings: &Settings) -> Result<Self> {
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
        Ok(Self {
            hasher,
            banding,
            cutoff,
            verify: settings.matching.verify,
            threshold: settings.matching.threshold,
        })
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
        let (slots, lanes) = (&mut buffers.slots, &mut columns.lanes);
        slots.resize(self.lanes(), 0);
        self.hasher.sketch_into(document.elements, slots)?;
        let start = lanes.len();
        lanes.resize(start + slots.len(), 0);
        lanes::lanes_into(slots, &mut lanes[start..]);
        Ok(document.hashes.len())
    }

    fn key(&self, band: usize, lanes: &[u16]) -> u64 {
        band_key_of_lanes(band, self.rows_of(band, lanes))
    }

    fn agree_in(&self, band: usize, a: &[u16], b: &[u16]) -> bool {
        self.rows_of(band, a) == self.rows_of(band, b)
    }

    fn screen(&self, pair: Sketches<'_>) -> Result<Screening> {
        let matching = matching_lanes(pair.a, pair.b);
        Ok(match self.verify {
            Verify::None => Screening::Similar { similarity: f64::NAN, distance: 0 },
            Verify::Estimate => {
                let similarity = estimate_of_lanes(matching, pair.a.len())?.similarity;
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
        let matching = matching_lanes(a, b);
        let similarity = estimate_of_lanes(matching, self.lanes()).map_or(0.0, |it| it.similarity);
        Likeness { similarity, is_compared: matching >= self.cutoff }
    }

    fn least_matching(&self) -> Option<usize> {
        Some(self.cutoff)
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
