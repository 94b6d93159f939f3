//! Which documents are connected: a union-find forest over document numbers.

/// The parents: 4 bytes each while numbers fit.
#[derive(Debug)]
enum Parents {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
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
            Ok(count) => Parents::Narrow((0..count).collect()),
            Err(_) => Parents::Wide((0..count).collect()),
        };
        Self { parents }
    }

    fn parent(&self, number: u64) -> u64 {
        match &self.parents {
            Parents::Narrow(parents) => u64::from(parents[number as usize]),
            Parents::Wide(parents) => parents[number as usize],
        }
    }

    fn set_parent(&mut self, number: u64, parent: u64) {
        match &mut self.parents {
            Parents::Narrow(parents) => parents[number as usize] = parent as u32,
            Parents::Wide(parents) => parents[number as usize] = parent,
        }
    }

    /// The smallest number that is connected with this one.
    pub(crate) fn root(&mut self, mut number: u64) -> u64 {
        loop {
            let parent = self.parent(number);
            if parent == number {
                return number;
            }
            // Every other node is hung one higher, which keeps the paths short.
            let grandparent = self.parent(parent);
            self.set_parent(number, grandparent);
            number = grandparent;
        }
    }

    /// Takes a number out of its set. All others of that set must be taken out too before any of them is asked for.
    pub(crate) fn isolate(&mut self, number: u64) {
        self.set_parent(number, number);
    }

    /// Connects two numbers; whether they were not connected before.
    pub(crate) fn join(&mut self, a: u64, b: u64) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.set_parent(a.max(b), a.min(b));
        a != b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_the_smallest_numbers() {
        for wide in [false, true] {
            let mut forest = Forest::new(100);
            if wide {
                forest.parents = Parents::Wide((0..100).collect());
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
}
