//! (being written)
/// x
pub fn intersection_size(a: &[u64], b: &[u64]) -> usize {
    a.iter().filter(|x| b.binary_search(x).is_ok()).count()
}
