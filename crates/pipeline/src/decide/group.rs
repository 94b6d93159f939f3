//! One connected set of documents in memory -> which of them are removed: for engines that bring such a set to one place
//! themselves.
//!
//! Sets do not influence each other, so an engine that decides each of them here has decided the corpus. The rule is that
//! of a whole run, because the same solvers apply it ([`crate::solve`]).

use crate::candidates::forest::Forest;
use crate::decide::Removal;
use crate::limits::ordered::no_thread;
use crate::method::{FoundBy, Recipe};
use crate::report::PairCounts;
use crate::solve::{self, Chunk, Evidence, Found, NearMisses, Role, Span, Using};
use crate::write::removed::{reported, said_of};
use crate::{Clusters, Documents, Result, Silent, Verify};

/// Bytes for finding candidates, at the least. What is decided does not depend on it.
const LEAST_INDEX: u64 = 256 << 20;

/// Sets of fewer documents are decided on one thread, since starting more would take longer.
const LEAST_ON_THREADS: usize = 1_000;

/// Documents of one connected set, in keep order.
#[derive(Debug, Default)]
pub struct Group {
    chunk: Chunk,
}

/// A document of a [`Group`].
#[derive(Debug, Clone, Copy, Default)]
pub struct GroupMember<'a> {
    /// Whether it is one of `--against`.
    pub is_against: bool,
    /// Whether it is known to be kept, since all documents that come before it were looked at.
    pub is_kept: bool,
    /// Whether it is compared with those that are known to be kept, and with nobody else.
    pub only_asks: bool,
    /// The [hash](Documents::within_hash) of its value of `--within`; zeros without.
    pub within: [u64; 2],
    /// The lanes of its sketch.
    pub lanes: &'a [u16],
    /// The keys of its sketch. Only containment needs them; others follow from the lanes.
    pub keys: &'a [u64],
    /// Its sorted set, if [sets are compared](Documents::compares_sets).
    pub set: &'a [u64],
}

/// A removed document of a [`Group`].
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Which, from 0 in keep order.
    pub document: usize,
    /// The kept one that it is removed for.
    pub kept: usize,
    /// Their similarity as it is reported: exact, or none.
    pub similarity: Option<f64>,
    /// Their Hamming distance, with SimHash.
    pub distance: Option<u32>,
    /// What is said of a pair that was not verified.
    pub reason: Option<String>,
    /// What the pair was found and verified by.
    pub(crate) evidence: Evidence,
}

impl Group {
    /// How many documents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chunk.len()
    }

    /// True if there is no document.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Documents {
    /// Adds the next document in keep order to a connected set.
    pub fn add_to(&self, group: &mut Group, member: &GroupMember<'_>) {
        let settings = self.settings();
        let chunk = &mut group.chunk;
        let role = match Role::of(member.is_against, settings.matching.against_only) {
            Role::Both if member.is_kept => Role::Listed,
            Role::Both if member.only_asks => Role::Asking,
            role => role,
        };
        let at = chunk.len();
        chunk.numbers.push(at as u64);
        chunk.roles.push(role);
        chunk.within.push(member.within);
        chunk.push_lanes(member.lanes);
        if self.has_samples() {
            let start = chunk.samples.len();
            chunk.samples.extend_from_slice(member.keys);
            chunk.samples[start..].sort_unstable();
            chunk.sample_ends.push(chunk.samples.len());
        }
        if self.compares_sets() {
            chunk.spans.push(Span { segment: at as u32, start: 0, end: member.set.len() as u32 });
            chunk.segments.push(member.set.to_vec());
        }
    }

    /// Which documents of a connected set are removed, and for which one each, in any order. Only documents of the set
    /// are looked at, so it must be whole. A large set is decided on so many threads, which change nothing.
    pub fn decide(&self, group: &Group, threads: usize) -> Result<Vec<Decision>> {
        if threads <= 1 || group.len() < LEAST_ON_THREADS {
            return self.decided(group, 1);
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| no_thread(std::io::Error::other(error)))?;
        pool.install(|| self.decided(group, threads))
    }

    fn decided(&self, group: &Group, threads: usize) -> Result<Vec<Decision>> {
        let (chunk, recipe) = (&group.chunk, self.recipe());
        let memory = chunk.bytes().max(LEAST_INDEX);
        let using = Using { threads, memory, observer: &Silent };
        let mut counts = PairCounts::default();
        let mut found = Vec::new();
        match recipe.settings.matching.clusters {
            Clusters::Stars => {
                let mut visit = |it: Found| found.push(it);
                solve::greedy(chunk, recipe, using, &NearMisses::default(), &mut counts, &mut visit)?;
            }
            Clusters::Components => {
                let mut forest = Forest::new(chunk.len() as u64);
                solve::components(chunk, recipe, using, &mut counts, &mut forest)?;
                found.extend(others_of_components(chunk, recipe, &mut forest));
            }
        }
        Ok(found.iter().map(|found| decision(found, recipe)).collect())
    }
}

/// Of each component all but the first in keep order, each with its similarity to that one. Documents are numbered in keep
/// order, so the first is the root.
fn others_of_components(chunk: &Chunk, recipe: &Recipe, forest: &mut Forest) -> Vec<Found> {
    let removed = (0..chunk.len()).filter(|&at| chunk.roles[at] != Role::Listed);
    let pairs = removed.filter_map(|at| {
        let first = forest.root(at as u64) as usize;
        (first != at).then_some((at, first))
    });
    pairs
        .map(|(at, first)| {
            let exact = recipe.settings.matching.verify == Verify::Exact;
            let (a, b) = (chunk.lanes(at), chunk.lanes(first));
            let distance = recipe.method.distance(a, b).unwrap_or(0);
            let similarity = match recipe.method.similarity_at(distance) {
                Some(similarity) => similarity,
                None if exact => chunk.similarity(at, first, recipe),
                None => f64::NAN,
            };
            let evidence = Evidence { similarity, distance, found_by: FoundBy::Several };
            Found { number: at as u64, other: first as u64, evidence }
        })
        .collect()
}

fn decision(found: &Found, recipe: &Recipe) -> Decision {
    let removal = Removal::near(found);
    Decision {
        document: removal.number as usize,
        kept: removal.kept as usize,
        similarity: reported(&removal, &recipe.settings),
        distance: recipe.method.has_distances().then_some(removal.distance),
        reason: said_of(&removal, &recipe.settings),
        evidence: found.evidence,
    }
}
