//! Vectors as bytes -> the pairs that their bytes do not rule out.
//!
//! The [module above](super) has the bound. Bytes of 16 vectors are stored side by side ([`Rows`]), and those of 8 queries
//! ([`Asked`]), so that one instruction multiplies four coordinates of 16 vectors.

use std::ops::Range;

use super::super::Nearness;
use crate::arch::{ByteQueries, ByteRows, Kernel, PRODUCT_QUERIES, PRODUCT_ROWS, dispatch, task};

/// The number of bytes of queries that are compared with a group of vectors before the next group: they stay in the
/// first cache.
const QUERY_BYTES: usize = 16 << 10;

/// What rounding to `f32` can change, as a share of the numbers that are added up.
const ROUNDING: f64 = 2e-6;

/// A vector as whole numbers from -127 to 127, times a scale of its own.
#[derive(Debug, Clone, Copy)]
pub(in crate::vectors) struct Rounded {
    pub(in crate::vectors) scale: f32,
    /// The length of what rounding to bytes took away.
    pub(in crate::vectors) error: f64,
    /// The norm of the vector that was rounded.
    pub(in crate::vectors) norm: f64,
}

impl Rounded {
    /// Rounds a vector times `by`, and appends its bytes.
    pub(in crate::vectors) fn new(vector: &[f32], norm: f64, by: f64, bytes: &mut Vec<i8>) -> Self {
        let largest = vector.iter().fold(0f32, |largest, x| largest.max(x.abs()));
        let scale = (f64::from(largest) * by / 127.0) as f32;
        if !scale.is_normal() {
            let norm = norm * by;
            bytes.resize(bytes.len() + vector.len(), 0);
            return Self { scale: 0.0, error: norm, norm };
        }
        let step = f64::from(scale);
        let mut squares = 0.0;
        bytes.extend(vector.iter().map(|&x| {
            let x = f64::from(x) * by;
            let byte = (x / step).round().clamp(-127.0, 127.0);
            let rest = x - byte * step;
            squares += rest * rest;
            byte as i8
        }));
        Self { scale, error: squares.sqrt() * (1.0 + 1e-9), norm: norm * by }
    }
}

/// What a vector of a norm is multiplied with before it is rounded: by the cosine, only directions count.
pub(in crate::vectors) fn factor(nearness: Nearness, norm: f64) -> f64 {
    if nearness.is_cosine() && norm > 0.0 { 1.0 / norm } else { 1.0 }
}

/// What is known of 16 vectors besides their bytes.
#[derive(Debug, Clone)]
struct Group {
    scales: [f32; PRODUCT_ROWS],
    /// What is added to the product; NaN if the bytes say nothing, and negative infinity if there is no vector.
    offsets: [f32; PRODUCT_ROWS],
    /// The largest norm and the largest error of the vectors.
    norm: f64,
    error: f64,
}

/// Vectors that are compared with queries.
#[derive(Debug, Clone, Default)]
pub(in crate::vectors) struct Rows {
    /// For each group of 16 vectors, four coordinates of all of them after four others.
    bytes: Vec<ByteRows>,
    groups: Vec<Group>,
    len: usize,
}

/// The number of groups of four coordinates.
pub(in crate::vectors) fn quads(dimension: usize) -> usize {
    dimension.div_ceil(4)
}

impl Rows {
    pub(in crate::vectors) fn len(&self) -> usize {
        self.len
    }

    pub(in crate::vectors) fn clear(&mut self) {
        self.bytes.clear();
        self.groups.clear();
        self.len = 0;
    }

    /// Adds a vector with the norm of the vector itself.
    pub(in crate::vectors) fn push(&mut self, nearness: Nearness, bytes: &[i8], rounded: Rounded, norm: f64) {
        let quads = quads(bytes.len());
        let lane = self.len % PRODUCT_ROWS;
        if lane == 0 {
            self.bytes.resize(self.bytes.len() + quads, [128; 4 * PRODUCT_ROWS]);
            self.groups.push(Group {
                scales: [0.0; PRODUCT_ROWS],
                offsets: [f32::NEG_INFINITY; PRODUCT_ROWS],
                norm: 0.0,
                error: 0.0,
            });
        }
        let group = self.groups.last_mut().expect("a group was added for the first of its vectors");
        group.scales[lane] = rounded.scale;
        let offset = if nearness.is_cosine() { 0.0 } else { -(norm * norm / 2.0) as f32 };
        // A zero vector is near another one; its bytes do not say so.
        let is_known = norm > 0.0 && offset.is_finite() && rounded.scale.is_normal();
        group.offsets[lane] = if is_known { offset } else { f32::NAN };
        group.norm = group.norm.max(rounded.norm);
        group.error = group.error.max(rounded.error);
        let start = self.bytes.len() - quads;
        for (rows, four) in self.bytes[start..].iter_mut().zip(bytes.chunks(4)) {
            for (place, byte) in rows[4 * lane..].iter_mut().zip(four) {
                *place = byte.cast_unsigned() ^ 128;
            }
        }
        self.len += 1;
    }
}

/// Queries that are compared with vectors.
#[derive(Debug, Clone, Default)]
pub(in crate::vectors) struct Asked {
    /// For each block of 8 queries, four coordinates of all of them after four others.
    bytes: Vec<ByteQueries>,
    bounds: Vec<QueryBound>,
}

#[derive(Debug, Clone, Copy, Default)]
struct QueryBound {
    scale: f32,
    /// The vectors of a collection are stored with 128 added to each byte; this is what the product has too much.
    bias: i32,
    error: f64,
    norm: f64,
    least: f64,
}

impl Asked {
    pub(in crate::vectors) fn clear(&mut self) {
        self.bytes.clear();
        self.bounds.clear();
    }

    /// Adds a vector with the norm of the vector itself.
    pub(in crate::vectors) fn push(&mut self, nearness: Nearness, bytes: &[i8], rounded: Rounded, norm: f64) {
        let (quads, lane) = (quads(bytes.len()), self.bounds.len() % PRODUCT_QUERIES);
        if lane == 0 {
            self.bytes.resize(self.bytes.len() + quads, [[0; 4]; PRODUCT_QUERIES]);
        }
        let start = self.bytes.len() - quads;
        for (block, four) in self.bytes[start..].iter_mut().zip(bytes.chunks(4)) {
            block[lane][..four.len()].copy_from_slice(four);
        }
        let threshold = nearness.threshold();
        let least = match nearness.is_cosine() {
            true => threshold,
            false => (norm * norm - threshold * threshold) / 2.0,
        };
        self.bounds.push(QueryBound {
            scale: rounded.scale,
            bias: 128 * bytes.iter().map(|&byte| i32::from(byte)).sum::<i32>(),
            error: rounded.error,
            norm: rounded.norm,
            least,
        });
    }
}

/// Calls `hit` with the query and the position of every pair that the bytes do not rule out.
pub(in crate::vectors) fn screen(
    kernel: Kernel,
    rows: &Rows,
    asked: &Asked,
    positions: Range<usize>,
    mut hit: impl FnMut(usize, usize),
) {
    if rows.groups.is_empty() || asked.bounds.is_empty() {
        return;
    }
    let quads = rows.bytes.len() / rows.groups.len();
    let at_once = (QUERY_BYTES / (quads * 4 * PRODUCT_QUERIES)).max(1);
    let groups = positions.start / PRODUCT_ROWS..positions.end.div_ceil(PRODUCT_ROWS);
    let blocks: Vec<_> = asked.bytes.chunks(quads).zip(asked.bounds.chunks(PRODUCT_QUERIES)).collect();
    for (part, blocks) in blocks.chunks(at_once).enumerate() {
        let first = part * at_once * PRODUCT_QUERIES;
        let hit = |query: usize, position: usize| {
            if positions.contains(&position) {
                hit(first + query, position);
            }
        };
        dispatch(kernel, Screen { rows, quads, groups: groups.clone(), blocks, hit });
    }
}

struct Screen<'a, F> {
    rows: &'a Rows,
    quads: usize,
    groups: Range<usize>,
    blocks: &'a [(&'a [ByteQueries], &'a [QueryBound])],
    hit: F,
}

task! {
    impl['a, F: FnMut(usize, usize)] Screen<'a, F> => (), |mut task, simd: S| {
        let quads = task.quads;
        for at in task.groups {
            let rows = &task.rows.bytes[at * quads..][..quads];
            let group = &task.rows.groups[at];
            for (block, &(bytes, bounds)) in task.blocks.iter().enumerate() {
                let products = simd.byte_products(rows, bytes);
                for (query, (products, bound)) in products.iter().zip(bounds).enumerate() {
                    let least = bound.against(group);
                    let value = |lane: usize| {
                        (products[lane].wrapping_sub(bound.bias)) as f32 * group.scales[lane] * bound.scale
                            + group.offsets[lane]
                    };
                    // NaN is not ruled out.
                    let is_ruled_out = |lane: usize| value(lane) < least;
                    let mut any = false;
                    for lane in 0..PRODUCT_ROWS {
                        any |= !is_ruled_out(lane);
                    }
                    if any {
                        for lane in (0..PRODUCT_ROWS).filter(|&lane| !is_ruled_out(lane)) {
                            (task.hit)(block * PRODUCT_QUERIES + query, at * PRODUCT_ROWS + lane);
                        }
                    }
                }
            }
        }
    }
}

impl QueryBound {
    /// No pair of near vectors has a value below this.
    #[inline(always)]
    fn against(&self, group: &Group) -> f32 {
        let error = self.error * group.norm + (self.norm + self.error) * group.error;
        let size = self.norm * group.norm + group.norm * group.norm + self.norm * self.norm;
        (self.least - error - ROUNDING * size) as f32
    }
}
