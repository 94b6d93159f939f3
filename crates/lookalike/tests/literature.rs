//! Every worked example of the lecture notes, as a test that names the note and the slide.
//!
//! There is a module per note, in the order of its slides. An example that several notes share is in one module and
//! names the other notes. If a slide is wrong or garbled, the test states what it should say, and why.
//!
//! - note 000: Maniu and Paris, *Algorithms for Data Science: Finding Similar Items*
//! - note 001: Leskovec, Rajaraman and Ullman, *Finding Similar Items: Locality Sensitive Hashing*
//! - note 002: Vilaseca, Lacasa and Martín, *Detection of similarity between documents with hashing*
//! - note 003: Gakhov, *Probabilistic data structures. Part 4. Similarity*
//! - note 004: sections 4.2 and 4.3 of a course that follows note 001

#![allow(
    clippy::disallowed_methods,
    reason = "what is hashed or planned is elsewhere; here is what the notes compute"
)]
#![allow(clippy::unwrap_used, reason = "clippy does not take the helpers of an integration test for tests")]

#[path = "literature/note_000/mod.rs"]
mod note_000;
#[path = "literature/note_001/mod.rs"]
mod note_001;
#[path = "literature/note_002.rs"]
mod note_002;
#[path = "literature/note_003/mod.rs"]
mod note_003;
#[path = "literature/note_004.rs"]
mod note_004;

use std::collections::BTreeSet;

use lookalike::banding::{Banding, SCurve};
use lookalike::minhash::matrix::{CharacteristicMatrix, OnePassTrace};
use lookalike::minhash::{EMPTY_SLOT, UniversalFunction, UniversalHasher};
use lookalike::shingling::Shingler;

/// A slot that no row has reached.
const INFINITY: u64 = EMPTY_SLOT;

/// The functions `(a x + b) mod p`.
fn functions(parameters: &[(u64, u64)], p: u64) -> UniversalHasher {
    let function = |&(a, b): &(u64, u64)| UniversalFunction::modular(a, b, p).unwrap();
    UniversalHasher::from_functions(parameters.iter().map(function).collect()).unwrap()
}

/// The hash values of the rows, function after function.
fn hash_columns(trace: &OnePassTrace) -> Vec<Vec<u64>> {
    let functions = trace.start().num_hashes();
    (0..functions).map(|i| trace.steps().iter().map(|step| step.hash_values[i]).collect()).collect()
}

/// The rows of the signature matrix after the row with this number.
fn after_row(trace: &OnePassTrace, row: u64) -> Vec<Vec<u64>> {
    let step = trace.steps().iter().find(|step| step.row == row).unwrap();
    step.signatures.to_rows()
}

/// The similarities of the given pairs of columns, to be compared with a slide's list.
fn column_similarities(matrix: &CharacteristicMatrix, pairs: &[(usize, usize)]) -> Vec<f64> {
    pairs.iter().map(|&(left, right)| matrix.similarity(left, right).unwrap()).collect()
}

/// The different shingles of a text, as readable strings.
fn readable_set(shingler: &Shingler, text: &str) -> BTreeSet<String> {
    shingler.shingles(text).into_iter().collect()
}

/// The same for shingles that a slide lists.
fn listed<const N: usize>(shingles: [&str; N]) -> BTreeSet<String> {
    shingles.map(String::from).into()
}

/// The S-curve of `bands` bands of `rows` rows.
fn s_curve(bands: usize, rows: usize) -> SCurve {
    SCurve::new(Banding::new(bands, rows).unwrap())
}

#[track_caller]
fn assert_rounds_to(value: f64, printed: f64, decimals: i32) {
    let half_a_digit = 0.5 * 10f64.powi(-decimals);
    assert!((value - printed).abs() <= half_a_digit, "{value} does not round to {printed}");
}
