//! Dense vector -> its inner products with random vectors.
//!
//! The random vectors are stored side by side in blocks of 64. One pass over the vector's coordinates computes as
//! many sums as the registers hold. Each sum is added in the order of the coordinates, one after the other, whatever
//! the width of the machine's registers. The compiler works on several sums at once, but never on several parts of
//! one sum. So the result has the same bits on every CPU.

use std::marker::PhantomData;
use std::ops::{AddAssign, Mul};

use crate::arch::{Kernel, dispatch, task};
use crate::error::{Error, Result};
use crate::hashing::{SplitMix64, mix64};

/// The largest number of functions (hyperplanes, projections, sampled bits) of one family.
pub const MAX_FUNCTIONS: usize = 1 << 16;
/// The largest number of random numbers stored for dense vectors, which is dimension times functions (1 GiB).
pub const MAX_MATRIX_CELLS: usize = 1 << 28;

/// The number of random vectors in a block. Their signs fit in one word.
const LANES: usize = 64;

/// One coordinate of the random vectors of a block. It is aligned, so that no load of a register crosses a cache
/// line.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
struct Row([f32; LANES]);

/// Random vectors, one per function, stored as a row of numbers per coordinate and block.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RandomMatrix {
    dimension: usize,
    functions: usize,
    rows: Vec<Row>,
}

impl RandomMatrix {
    /// The number of functions is given with its name in the API, for errors. `coordinate(i, &mut [..])` writes
    /// coordinate `i` of all vectors.
    pub(super) fn new(
        dimension: usize,
        (name, functions): (&'static str, usize),
        mut coordinate: impl FnMut(u64, &mut [f64]),
    ) -> Result<Self> {
        check_functions(name, functions)?;
        let allowed = || format!("1 or more, and dimension times {name} at most {MAX_MATRIX_CELLS}");
        let blocks = functions.div_ceil(LANES);
        let cells = dimension.checked_mul(blocks * LANES).filter(|&cells| cells <= MAX_MATRIX_CELLS);
        if dimension == 0 || cells.is_none() {
            return Err(Error::invalid("dimension", dimension, allowed()));
        }
        let mut rows = vec![Row([0.0; LANES]); dimension * blocks];
        let mut values = vec![0.0; functions];
        for i in 0..dimension {
            coordinate(i as u64, &mut values);
            for (block, values) in values.chunks(LANES).enumerate() {
                for (cell, &value) in rows[block * dimension + i].0.iter_mut().zip(values) {
                    *cell = value as f32;
                }
            }
        }
        Ok(Self { dimension, functions, rows })
    }

    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    pub(super) fn functions(&self) -> usize {
        self.functions
    }

    /// Returns an error unless `vector` has the right length and only finite coordinates.
    pub(super) fn check(&self, vector: &[f32]) -> Result<()> {
        if vector.len() != self.dimension {
            return Err(Error::LengthMismatch { left: vector.len(), right: self.dimension });
        }
        match vector.iter().find(|x| !x.is_finite()) {
            Some(bad) => Err(Error::invalid("coordinate", bad, "a finite number")),
            None => Ok(()),
        }
    }

    /// Calls `each` with the inner products of `scale * vector` with up to 64 functions at a time, in order. The
    /// vector must have been checked before. Sums are computed in `T`, which is `f32` for speed, or `f64`. The kernel
    /// changes only the speed.
    pub(super) fn project<T: Sum>(&self, kernel: Kernel, vector: &[f32], scale: f32, each: impl FnMut(&[T])) {
        dispatch(kernel, Project { matrix: self, vector, scale, each, sum: PhantomData });
    }
}

/// A type of number in which products are added up.
pub(super) trait Sum: Copy + Default + From<f32> + AddAssign + Mul<Output = Self> {}

impl Sum for f32 {}
impl Sum for f64 {}

struct Project<'a, T, F> {
    matrix: &'a RandomMatrix,
    vector: &'a [f32],
    scale: f32,
    each: F,
    sum: PhantomData<T>,
}

task! {
    impl['a, T: Sum, F: FnMut(&[T])] Project<'a, T, F> => (), |mut task, _: S| {
        let mut sums = [T::default(); LANES];
        for (block, rows) in task.matrix.rows.chunks_exact(task.matrix.dimension).enumerate() {
            // Eight registers of sums hide the latency of an addition and leave room for the operands.
            match 8 * S::REGISTER_BYTES / size_of::<T>() {
                16 => task.add_up::<16>(rows, &mut sums),
                32 => task.add_up::<32>(rows, &mut sums),
                _ => task.add_up::<64>(rows, &mut sums),
            }
            let left = task.matrix.functions - block * LANES;
            (task.each)(&sums[..left.min(LANES)]);
        }
    }
}

impl<T: Sum, F> Project<'_, T, F> {
    /// The products with a block of functions, `WIDTH` at a time.
    #[inline(always)]
    fn add_up<const WIDTH: usize>(&self, rows: &[Row], products: &mut [T; LANES]) {
        for (part, products) in products.as_chunks_mut::<WIDTH>().0.iter_mut().enumerate() {
            let mut sums = [T::default(); WIDTH];
            for (row, &x) in rows.iter().zip(self.vector) {
                let x = T::from(x * self.scale);
                for (sum, &cell) in sums.iter_mut().zip(&row.0.as_chunks::<WIDTH>().0[part]) {
                    *sum += T::from(cell) * x;
                }
            }
            *products = sums;
        }
    }
}

pub(super) fn check_functions(name: &'static str, functions: usize) -> Result<()> {
    if functions == 0 || functions > MAX_FUNCTIONS {
        return Err(Error::invalid(name, functions, format!("1 to {MAX_FUNCTIONS}")));
    }
    Ok(())
}

/// Writes the coordinates for `feature` of a sequence of standard normal vectors. The sequence is fixed for each seed
/// and feature, and a shorter slice gets a prefix of it.
pub(super) fn normal_coordinates(seed: u64, feature: u64, values: &mut [f64]) {
    let mut random = SplitMix64::new(mix64(feature ^ mix64(seed ^ 0x6e6f_726d_616c_7631)));
    for pair in values.chunks_mut(2) {
        let (first, second) = random.next_normal_pair();
        pair[0] = first;
        if let Some(place) = pair.get_mut(1) {
            *place = second;
        }
    }
}
