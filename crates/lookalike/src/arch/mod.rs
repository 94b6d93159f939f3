//! All the unsafe code of this crate, and the choice of CPU instructions.
//!
//! A stage with a hot loop writes it as a [`Task`]: safe code beside the stage, which [`dispatch`] compiles once per
//! set of instructions. It runs with the instructions that a [`Kernel`] names. Most tasks are plain loops, which the
//! compiler vectorises by itself once it may use the instructions. Loops that it cannot vectorise are primitives of
//! the trait [`Simd`], written with intrinsics:
//!
//! | file | holds |
//! |---|---|
//! | `task.rs` | the macro `task!`, with which a task is written and which inlines it |
//! | `simd.rs` | the primitives, and the properties by which a task chooses its algorithm (`Tuning`) |
//! | `portable.rs` | the definition of every primitive |
//! | `x86_64/` | the same with wider registers: `avx2.rs`, `avx512.rs`; each begins with the list of its CPU features |
//! | `aarch64/` | the place for NEON and SVE kernels: there is none yet, and the portable one runs |
//! | `masks.rs` | the byte classes that [`Simd::classify`] finds |
//! | `word_hashes.rs`, `x86_64/avx512/edges.rs` | [`Simd::word_hashes`]: the definition, and eight words at a time |
//! | `tests.rs` | the laws that every kernel obeys, in one macro |
//!
//! A `Kernel` value exists only if the CPU can run it. Every `unsafe` block here relies on this. The answers
//! are the same bits for all kernels, even sums of floating-point numbers (their order is fixed in the source, and
//! Rust never fuses a multiplication with an addition by itself). Tests check that every task and primitive gives the
//! same answers as the portable kernel.

#[cfg(target_arch = "aarch64")]
mod aarch64;
pub(crate) mod masks;
#[cfg(not(target_arch = "x86_64"))]
mod none;
mod portable;
mod simd;
mod task;
#[cfg(test)]
mod tests;
pub(crate) mod word_hashes;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64 as native;
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
use none as native;
#[cfg(target_arch = "x86_64")]
use x86_64 as native;

pub(crate) use simd::{
    BIT_WORDS, ByteQueries, ByteRows, CHUNK, LANE_BLOCK, PRODUCT_QUERIES, PRODUCT_ROWS, Products, SET_BLOCK,
    Simd, TOP_WORDS, Tuning,
};
pub(crate) use task::{Task, task};

use std::sync::OnceLock;

/// A set of CPU instructions that the crate may use. It changes the speed, never the answer.
///
/// ```
/// use lookalike::Kernel;
/// // The best kernel is the default everywhere. Choosing another one is for tests and benchmarks.
/// assert!(Kernel::available().contains(&Kernel::best()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kernel(Instructions);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Instructions {
    Portable,
    /// A set of instructions of this architecture, which the CPU has.
    Native(native::Set),
}

impl Kernel {
    /// Plain Rust for any CPU. It is the definition, and the other kernels are compared with it in tests.
    pub const PORTABLE: Self = Self(Instructions::Portable);

    /// The widest kernel that this CPU can run.
    #[must_use]
    pub fn best() -> Self {
        static BEST: OnceLock<Kernel> = OnceLock::new();
        *BEST.get_or_init(|| Self::available().last().copied().unwrap_or(Self::PORTABLE))
    }

    /// Every kernel that this CPU can run, the portable one first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let native = native::Set::ALL.iter().filter(|set| set.is_available());
        std::iter::once(Self::PORTABLE).chain(native.map(|&set| Self(Instructions::Native(set)))).collect()
    }

    /// The names of the kernels that this CPU cannot run, including those of other architectures.
    ///
    /// ```
    /// use lookalike::Kernel;
    ///
    /// let has = |name| Kernel::available().iter().any(|kernel| kernel.name() == name);
    /// assert!(Kernel::missing().iter().all(|name| !has(*name)));
    /// ```
    #[must_use]
    pub fn missing() -> Vec<&'static str> {
        let available: Vec<&str> = Self::available().iter().map(|kernel| kernel.name()).collect();
        NAMES.into_iter().filter(|name| !available.contains(name)).collect()
    }

    /// The name of the kernel: `portable`, `avx2` or `avx512`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            Instructions::Portable => "portable",
            Instructions::Native(set) => set.name(),
        }
    }
}

/// The names of the kernels of all architectures.
const NAMES: [&str; 3] = ["portable", "avx2", "avx512"];

impl Default for Kernel {
    fn default() -> Self {
        Self::best()
    }
}

/// Runs `task` with the primitives of `kernel`, compiled for its instructions.
pub(crate) fn dispatch<T: Task>(kernel: Kernel, task: T) -> T::Output {
    match kernel.0 {
        Instructions::Portable => task.run(portable::Portable),
        // SAFETY: a `Kernel` with these instructions exists only if the CPU has them.
        Instructions::Native(set) => unsafe { set.run(task) },
    }
}
