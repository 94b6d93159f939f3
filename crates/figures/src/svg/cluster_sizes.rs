//! How many clusters there are of each size, on two log scales.

use super::frame::{Frame, Scale, tick};
use super::{Svg, coordinate};
use crate::numbers::count;
use maud::html;

/// Clusters by size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClusterSizes {
    /// Each size of a cluster in documents, and the number of clusters of that size.
    pub sizes: Vec<(u64, u64)>,
}

impl ClusterSizes {
    /// The drawing.
    #[must_use]
    pub fn svg(&self) -> Svg {
        self.svg_of("documents")
    }

    /// The drawing of clusters of something else than documents.
    pub(crate) fn svg_of(&self, what: &str) -> Svg {
        let largest = self.sizes.iter().map(|size| size.0).max().unwrap_or(0);
        let most = self.sizes.iter().map(|size| size.1).max().unwrap_or(0);
        let clusters = self.sizes.iter().fold(0u64, |sum, size| sum.saturating_add(size.1));
        let frame = Frame {
            left: 52.0,
            top: 34.0,
            right: 624.0,
            bottom: 264.0,
            x: Scale::log(largest),
            y: Scale::log(most),
        };
        let ticks = |scale: Scale| -> Vec<_> {
            scale.ticks().into_iter().map(|value| (value, tick(value))).collect()
        };
        let body = html! {
            (frame.axes(&ticks(frame.x), &ticks(frame.y), &format!("{what} in the cluster"), "clusters"))
            @for &(size, clusters) in self.merged().iter() {
                @let (x, y) = frame.at(size as f64, clusters as f64);
                circle class="found" cx=(coordinate(x)) cy=(coordinate(y)) r="3.5" {
                    title { (count(clusters)) " of " (count(size)) " " (what) }
                }
            }
            @if largest > 0 {
                text class="strong end" x="624" y="22" { "largest: " (count(largest)) " " (what) }
            }
        };
        let description = format!("{} clusters; the largest has {} {what}.", count(clusters), count(largest));
        Svg { width: 640.0, height: 310.0, title: "Cluster sizes".into(), description, body }
    }

    /// The sizes to draw. Sizes that fall on the same spot are drawn once, so there are at most a few hundred points.
    fn merged(&self) -> Vec<(u64, u64)> {
        let mut sizes: Vec<(u64, u64)> =
            self.sizes.iter().copied().filter(|size| size.0 > 0 && size.1 > 0).collect();
        sizes.sort_unstable();
        let spot = |size: &(u64, u64)| {
            let place = |value: u64| ((value as f64).log10() * 100.0) as u64;
            (place(size.0), place(size.1))
        };
        sizes.dedup_by_key(|size| spot(size));
        sizes
    }
}
