//! Candidates -> connected components of the verified pairs.
//!
//! Two documents that are connected already need not be compared. In each bucket the documents are kept together with
//! those they are connected with, so that a bucket of a million look-alikes costs each of them one comparison here too.

use super::buckets::Buckets;
use super::chunk::{Chunk, Role, Verdict};
use crate::Result;
use crate::forest::Forest;
use crate::method::Means;

/// Documents of a bucket that are connected.
type Connected = Vec<u32>;

/// Joins in `forest` what is connected by verified pairs of this chunk.
pub(crate) fn components(chunk: &Chunk, means: &Means, threads: usize, forest: &mut Forest) -> Result<()> {
    let buckets = Buckets::new(chunk, means, threads);
    let mut members: Vec<Vec<Connected>> = vec![Vec::new(); buckets.len()];
    for at in 0..chunk.len() {
        let number = chunk.numbers[at];
        for &bucket in buckets.of(at) {
            let sets = &mut members[bucket as usize];
            let mut own: Connected = Vec::new();
            let mut place = 0;
            while place < sets.len() {
                let first = chunk.numbers[sets[place][0] as usize];
                let mut connected = forest.root(first) == forest.root(number);
                if !connected && chunk.roles[at] != Role::Listed {
                    for &other in &sets[place] {
                        // How many buckets they share matters only to the samples of containment.
                        let shared = shared_buckets(&buckets, at, other as usize, means);
                        if let Verdict::Similar(_) = chunk.compare(at, other as usize, shared, means)? {
                            forest.join(number, chunk.numbers[other as usize]);
                            connected = true;
                            break;
                        }
                    }
                }
                if connected {
                    let mut joined = sets.swap_remove(place);
                    if own.len() < joined.len() {
                        std::mem::swap(&mut own, &mut joined);
                    }
                    own.extend(joined);
                } else {
                    place += 1;
                }
            }
            if chunk.roles[at] != Role::Asking {
                own.push(at as u32);
            }
            if !own.is_empty() {
                sets.push(own);
            }
        }
    }
    Ok(())
}

fn shared_buckets(buckets: &Buckets, at: usize, other: usize, means: &Means) -> u32 {
    if means.bands() > 0 {
        return 0;
    }
    let (a, b) = (buckets.of(at), buckets.of(other));
    a.iter().filter(|bucket| b.binary_search(bucket).is_ok()).count() as u32
}
