//! The kernels that use SIMD: all `unsafe` code of the crate is here.
//!
//! Every kernel has a scalar version that defines its answer, is chosen once at run time, and can be named in
//! tests so that each is compared with the definition.

pub(crate) mod intersection;
