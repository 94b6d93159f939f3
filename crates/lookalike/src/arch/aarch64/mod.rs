//! The sets of instructions of 64-bit Arm: none yet.
//!
//! The portable kernel runs, compiled with NEON, which every such CPU has. A kernel with intrinsics is added as those of
//! `x86_64` are: a file with its list of features, its `Tuning` and its `Simd`; a variant of a `Set` here in place of the
//! empty one, with `ALL`, `name`, `is_available` (`std::arch::is_aarch64_feature_detected!`) and `run`; and its name in the
//! list of all kernels in `arch/mod.rs`. The laws in `arch/tests.rs` then hold it to the portable one.

pub(super) use super::none::Set;
