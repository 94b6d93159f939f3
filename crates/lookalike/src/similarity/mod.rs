//! wip
pub use crate::arch::intersection::Kernel as IntersectionKernel;
