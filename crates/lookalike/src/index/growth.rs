//! Vectors that waste little: they grow by a sixteenth instead of doubling.
//!
//! A vector that doubles has up to half of its memory unused. The large vectors of an index are a few allocations, and
//! a large allocation is moved by the operating system without a copy.

/// The share of its length by which a vector grows.
const SHARE: usize = 16;
/// The least number of elements by which a vector grows.
const LEAST: usize = 8;

/// Appends an element.
pub(super) fn push<T>(vector: &mut Vec<T>, element: T) {
    reserve(vector, 1);
    vector.push(element);
}

/// Makes space for `more` elements.
pub(super) fn reserve<T>(vector: &mut Vec<T>, more: usize) {
    if vector.capacity() - vector.len() < more {
        vector.reserve_exact(more.max(LEAST).max(vector.len() / SHARE));
    }
}
