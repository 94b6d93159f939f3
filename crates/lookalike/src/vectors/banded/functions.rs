//! Vectors -> the keys of their bands.
//!
//! A function multiplies a vector with a vector of normal random numbers, in whole numbers: the random numbers are rounded to
//! 1/32, and the vector to bytes, what is left of it to bytes again, and so on as often as the measure needs. Sums of whole numbers are
//! exact, so keys have the same bits on every CPU. For the cosine a key has a bit for the side of each hyperplane. For the
//! Euclidean distance it is a hash of the cells on the lines.
//!
//! Rounding a vector once turns it by about a hundredth of a radian. That hardly matters for vectors that are further apart; nearer
//! ones are rounded twice. Cells can be small beside the vectors, so these are rounded three times, which leaves about what
//! 32 bits hold.

use super::super::dense::rounded::{Rounded, factor, quads};
use super::NearBands;
use crate::arch::{ByteQueries, ByteRows, Kernel, PRODUCT_QUERIES, PRODUCT_ROWS, dispatch, task};
use crate::hashing::{SplitMix64, mix64};

/// The steps in which 1 is divided where random numbers are rounded.
const STEPS: f64 = 32.0;

/// From this cosine on, vectors are rounded twice.
const CLOSE: f64 = 0.95;

/// Random functions in bands, for vectors of one dimension.
#[derive(Debug, Clone)]
pub struct BandFunctions {
    bands: NearBands,
    dimension: usize,
    /// For each block of 8 functions, four coordinates of all of them after four others.
    bytes: Vec<ByteQueries>,
    /// Vectors are multiplied with 128 added to each byte; this is what the product has too much.
    biases: Vec<i32>,
    /// Where the cells of each line begin, as a share of their width.
    shifts: Vec<f64>,
}

impl BandFunctions {
    /// Draws the functions of the bands. The seed changes the answer.
    #[must_use]
    pub fn new(bands: NearBands, dimension: usize, seed: u64) -> Self {
        let count = bands.bands * bands.rows;
        let mut bytes = vec![[[0; 4]; PRODUCT_QUERIES]; count.div_ceil(PRODUCT_QUERIES) * quads(dimension)];
        let mut biases = vec![0; count.next_multiple_of(PRODUCT_QUERIES)];
        let mut shifts = vec![0.0; biases.len()];
        for function in 0..count {
            let mut random = SplitMix64::new(mix64(function as u64 ^ mix64(seed ^ 0x6261_6e64_7631_6e66)));
            let block = &mut bytes[function / PRODUCT_QUERIES * quads(dimension)..][..quads(dimension)];
            let mut at = 0;
            while at < dimension {
                let (first, second) = random.next_normal_pair();
                for number in [first, second] {
                    if at < dimension {
                        let byte = (number * STEPS).round().clamp(-127.0, 127.0) as i8;
                        block[at / 4][function % PRODUCT_QUERIES][at % 4] = byte;
                        biases[function] += 128 * i32::from(byte);
                    }
                    at += 1;
                }
            }
            shifts[function] = random.next_f64();
        }
        Self { bands, dimension, bytes, biases, shifts }
    }

    /// The bytes of memory that functions of this dimension take.
    #[must_use]
    pub fn bytes(bands: NearBands, dimension: usize) -> u64 {
        let functions = (bands.bands * bands.rows).next_multiple_of(PRODUCT_QUERIES);
        functions as u64 * (4 * quads(dimension) as u64 + 12)
    }

    /// The bands.
    #[must_use]
    pub fn bands(&self) -> NearBands {
        self.bands
    }

    /// Writes the keys of vectors that stand one after the other, with their norms: those of all bands of the first vector,
    /// then those of the next.
    pub(super) fn keys_into(&self, kernel: Kernel, vectors: &[f32], norms: &[f64], keys: &mut [u16]) {
        let per_vector = self.bands.bands;
        let parts = vectors
            .chunks(PRODUCT_ROWS * self.dimension)
            .zip(norms.chunks(PRODUCT_ROWS))
            .zip(keys.chunks_mut(PRODUCT_ROWS * per_vector));
        let mut levels = vec![Level::new(self.dimension); self.levels()];
        let last = levels.len() - 1;
        let mut bytes = Vec::new();
        for ((vectors, norms), keys) in parts {
            levels.iter_mut().for_each(Level::clear);
            for (lane, (vector, &norm)) in vectors.chunks(self.dimension).zip(norms).enumerate() {
                let by = factor(self.bands.nearness, norm);
                let mut rest: Vec<f32> = vector.to_vec();
                for (at, level) in levels.iter_mut().enumerate() {
                    bytes.clear();
                    // What is left after the first rounding has the size of the first already.
                    let rounded = Rounded::new(&rest, norm, if at == 0 { by } else { 1.0 }, &mut bytes);
                    level.set(lane, &bytes, rounded.scale);
                    if at == last {
                        continue;
                    }
                    let step = f64::from(rounded.scale);
                    for (x, &byte) in rest.iter_mut().zip(&bytes) {
                        let whole = if at == 0 { f64::from(*x) * by } else { f64::from(*x) };
                        *x = (whole - f64::from(byte) * step) as f32;
                    }
                }
            }
            dispatch(kernel, Keys { functions: self, levels: &levels, keys });
        }
    }

    fn levels(&self) -> usize {
        match (self.bands.nearness.is_cosine(), self.bands.nearness.threshold() < CLOSE) {
            (true, true) => 1,
            (true, false) => 2,
            (false, _) => 3,
        }
    }
}

/// Bytes of 16 vectors.
#[derive(Debug, Clone)]
struct Level {
    rows: Vec<ByteRows>,
    scales: [f32; PRODUCT_ROWS],
}

impl Level {
    fn new(dimension: usize) -> Self {
        Self { rows: vec![[128; 4 * PRODUCT_ROWS]; quads(dimension)], scales: [0.0; PRODUCT_ROWS] }
    }

    fn clear(&mut self) {
        self.rows.fill([128; 4 * PRODUCT_ROWS]);
        self.scales = [0.0; PRODUCT_ROWS];
    }

    fn set(&mut self, lane: usize, bytes: &[i8], scale: f32) {
        self.scales[lane] = scale;
        for (rows, four) in self.rows.iter_mut().zip(bytes.chunks(4)) {
            for (place, byte) in rows[4 * lane..].iter_mut().zip(four) {
                *place = byte.cast_unsigned() ^ 128;
            }
        }
    }
}

struct Keys<'a> {
    functions: &'a BandFunctions,
    levels: &'a [Level],
    keys: &'a mut [u16],
}

task! {
    impl['a] Keys<'a> => (), |task, simd: S| {
        let BandFunctions { bands, dimension, bytes, biases, shifts } = task.functions;
        let NearBands { bands: per_vector, rows, nearness } = *bands;
        let width = bands.width();
        let mut sides = [0u16; PRODUCT_ROWS];
        let mut hashes = [0u64; PRODUCT_ROWS];
        let (mut band, mut row) = (0, 0);
        for (block, bytes) in bytes.chunks(quads(*dimension)).enumerate() {
            let mut values = [[0f64; PRODUCT_ROWS]; PRODUCT_QUERIES];
            let biases = &biases[block * PRODUCT_QUERIES..][..PRODUCT_QUERIES];
            for level in task.levels {
                let products = simd.byte_products(&level.rows, bytes);
                for ((values, products), bias) in values.iter_mut().zip(&products).zip(biases) {
                    for lane in 0..PRODUCT_ROWS {
                        values[lane] += f64::from(products[lane].wrapping_sub(*bias))
                            * f64::from(level.scales[lane]);
                    }
                }
            }
            for (query, values) in values.iter().enumerate() {
                if band == per_vector {
                    break;
                }
                if nearness.is_cosine() {
                    for lane in 0..PRODUCT_ROWS {
                        sides[lane] |= u16::from(values[lane] >= 0.0) << row;
                    }
                } else {
                    let shift = shifts[block * PRODUCT_QUERIES + query];
                    for lane in 0..PRODUCT_ROWS {
                        let cell = (values[lane] / STEPS / width + shift).floor() as i64;
                        hashes[lane] = mix64(hashes[lane] ^ cell.cast_unsigned()).wrapping_add(1);
                    }
                }
                row += 1;
                if row == rows {
                    for (lane, keys) in task.keys.chunks_mut(per_vector).enumerate() {
                        keys[band] = if nearness.is_cosine() { sides[lane] } else { (hashes[lane] >> 48) as u16 };
                    }
                    (sides, hashes) = Default::default();
                    (band, row) = (band + 1, 0);
                }
            }
        }
    }
}
