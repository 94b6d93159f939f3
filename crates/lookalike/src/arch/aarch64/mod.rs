//! The sets of instructions of 64-bit Arm. There are none yet.
//!
//! The portable kernel runs, compiled with NEON, which every such CPU has. To add a kernel with intrinsics, follow
//! those of `x86_64`. It needs a file with its list of features, its `Tuning` and its `Simd`; a variant of a `Set`
//! here in place of the empty one, with `ALL`, `name`, `is_available` (`std::arch::is_aarch64_feature_detected!`) and
//! `run`; and its name in the list of all kernels in `arch/mod.rs`. The laws in `arch/tests.rs` then compare it with
//! the portable kernel.

pub(super) use super::none::Set;
