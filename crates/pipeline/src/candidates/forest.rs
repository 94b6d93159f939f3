//! Which documents are connected: a union-find forest over document numbers.
//!
//! Several threads can connect numbers at the same time, without a lock. A parent is always smaller than its child, and
//! only a root gets another parent, by compare-and-swap. So whatever the order, the root of a set is its smallest number.

use crate::limits::bits::Bits;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The parents: 4 bytes each while numbers fit.
#[derive(Debug)]
enum Parents {
    Narrow(Vec<AtomicU32>),
    Wide(Vec<AtomicU64>),
}

/// Sets of connected numbers. The root of a set is its smallest number.
#[derive(Debug)]
pub(crate) struct Forest {
    parents: Parents,
}

impl Forest {
    /// Every number below `count` alone.
    pub(crate) fn new(count: u64) -> Self {
        let parents = match u32::try_from(count) {
            Ok(count) => Parents::Narrow((0..count).map(AtomicU32::new).collect()),
            Err(_) => Parents::Wide((0..count).map(AtomicU64::new).collect()),
        };
        Self { parents }
    }

    // The parents are all the data there are, so no access needs an order with others.
    fn parent(&self, number: u64) -> u64 {
        match &self.parents {
            Parents::Narrow(parents) => u64::from(parents[number as usize].load(Ordering::Relaxed)),
            Parents::Wide(parents) => parents[number as usize].load(Ordering::Relaxed),
        }
    }

    /// Gives a number another parent, unless another thread was faster.
    fn replace_parent(&self, number: u64, parent: u64, new: u64) -> bool {
        let (success, failure) = (Ordering::Relaxed, Ordering::Relaxed);
        match &self.parents {
            Parents::Narrow(parents) => {
                parents[number as usize].compare_exchange(parent as u32, new as u32, success, failure).is_ok()
            }
            Parents::Wide(parents) => {
                parents[number as usize].compare_exchange(parent, new, success, failure).is_ok()
            }
        }
    }

    fn set_parent(&self, number: u64, parent: u64) {
        match &self.parents {
            Parents::Narrow(parents) => parents[number as usize].store(parent as u32, Ordering::Relaxed),
            Parents::Wide(parents) => parents[number as usize].store(parent, Ordering::Relaxed),
        }
    }

    /// The smallest number that is connected with this one.
    pub(crate) fn root(&self, mut number: u64) -> u64 {
        loop {
            let parent = self.parent(number);
            if parent == number {
                return number;
            }
            // Every other node is hung one higher, which keeps the paths short. Another thread may have hung it higher
            // still, which this undoes: the path is longer then, and leads to the same root. No number becomes a root
            // again.
            let grandparent = self.parent(parent);
            if grandparent != parent {
                self.set_parent(number, grandparent);
            }
            number = grandparent;
        }
    }

    /// Takes a number out of its set. All others of that set must be taken out too before any of them is asked for.
    pub(crate) fn isolate(&mut self, number: u64) {
        self.set_parent(number, number);
    }

    /// Connects two numbers; whether they were not connected before.
    pub(crate) fn join(&self, a: u64, b: u64) -> bool {
        loop {
            let (a, b) = (self.root(a), self.root(b));
            if a == b {
                return false;
            }
            // If the larger one is no longer a root, another thread has connected it meanwhile.
            if self.replace_parent(a.max(b), a.max(b), a.min(b)) {
                return true;
            }
        }
    }

    /// The numbers that are connected with others.
    pub(crate) fn connected(&self) -> Bits {
        let count = match &self.parents {
            Parents::Narrow(parents) => parents.len(),
            Parents::Wide(parents) => parents.len(),
        } as u64;
        let mut connected = Bits::new(count);
        for number in 0..count {
            let parent = self.parent(number);
            if parent != number {
                connected.insert(number);
                connected.insert(parent);
            }
        }
        connected
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike::hashing::SplitMix64;
    use std::sync::Barrier;

    #[test]
    fn roots_are_the_smallest_numbers() {
        for wide in [false, true] {
            let mut forest = Forest::new(100);
            if wide {
                forest.parents = Parents::Wide((0..100).map(AtomicU64::new).collect());
            }
            for number in 0..97 {
                assert!(forest.join(number + 3, number));
            }
            assert!(!forest.join(0, 99));
            for number in 0..100 {
                assert_eq!(forest.root(number), number % 3);
            }
            (0..100).filter(|number| number % 3 == 1).for_each(|number| forest.isolate(number));
            for number in 0..100 {
                assert_eq!(forest.root(number), if number % 3 == 1 { number } else { number % 3 });
            }
        }
    }

    #[test]
    fn many_threads_connect_what_one_does() {
        let count = 100_000;
        let mut random = SplitMix64::new(7);
        let pairs: Vec<(u64, u64)> =
            (0..80_000).map(|_| (random.below(count), random.below(count))).collect();
        let alone = Forest::new(count);
        let joined = pairs.iter().filter(|&&(a, b)| alone.join(a, b)).count();
        for _ in 0..5 {
            let (forest, start) = (Forest::new(count), Barrier::new(4));
            let join = |thread: usize| {
                start.wait();
                let of_thread = pairs.iter().cycle().skip(thread * 20_000).take(pairs.len());
                of_thread.filter(|&&(a, b)| forest.join(a, b)).count()
            };
            let together: usize = std::thread::scope(|scope| {
                let join = &join;
                let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || join(thread))).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).sum()
            });
            assert_eq!(together, joined, "each connection is made once");
            assert!((0..count).all(|number| forest.root(number) == alone.root(number)));
            assert!(forest.connected().iter().eq(alone.connected().iter()));
        }
        let mut sizes = vec![0; count as usize];
        (0..count).for_each(|number| sizes[alone.root(number) as usize] += 1);
        let is_connected = |number: &u64| sizes[alone.root(*number) as usize] > 1;
        assert!((0..count).filter(is_connected).eq(alone.connected().iter()));
    }
}
