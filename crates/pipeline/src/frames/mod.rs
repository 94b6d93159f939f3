//! Documents -> the elements that very many of them share, which are left out of every comparison.
//!
//! Pages of one site share a frame: navigation, teasers, notices. Two pages of a site then resemble each other more than two
//! prints of one story on two sites do. What counts is not how a frame is worded but that many documents share it. So the
//! documents that have each element are counted before anything is sketched (`counting.rs`), and the elements of too many are
//! left out:
//!
//! - with `common`, an element that more than N documents have. `auto` finds N itself (`cut.rs`);
//! - with `site-field`, in the documents of a site, an element that [`SITE_PAGES`] or more documents of that site have.
//!
//! Which elements these are follows from the input alone. Sketches, candidates and the exact similarity are those of the rest.
//! Elements are known here by their hashes with the fixed key. The exact comparison hashes with the random key of the run:
//! both shinglers give the shingles of a text in the same order, so what is left out is known by its place
//! (`Recipe::elements`). Two elements with the same 64 bits are left out together; this can make a document lose an element
//! and never invents a similarity.
//!
//! A document of which fewer than [`LEAST_REST`] elements remain, although it had more, is compared by its content only.
//! Exact copies are documents with equal normalised texts, frame included, of the same site.
//!
//! The elements of a set are its items; a common item is left out with its whole weight. Most sets are small, so a set is compared by its content only if
//! fewer than [`LEAST_ITEMS`] items remain: what one item leaves would make strangers equal.

mod counting;
mod cut;
pub(crate) mod days;
mod recipe;
mod retained;
mod table;

pub(crate) use counting::{FRAME, learn};
pub(crate) use recipe::{check_frames, few_items};
pub(crate) use table::Frame;

use crate::method::content_hash;
use crate::{Common, Settings};
use lookalike::hashing::mix64;
use serde::{Deserialize, Serialize};

/// An element that this many documents of one site have is part of the frame of that site.
pub const SITE_PAGES: u64 = 3;

/// If elements of a document are left out and fewer than this remain, it is compared by its content only.
pub const LEAST_REST: usize = 8;

/// The same for sets: fewer items than this.
pub const LEAST_ITEMS: usize = 2;

/// What was left out of the comparisons of a run: `frame` in `report.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameReport {
    /// Elements that more than this many documents have were left out. `None` if sites alone decide, or if `auto` found no
    /// frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_than: Option<u64>,
    /// How many different elements too many documents have.
    pub common_elements: u64,
    /// How many different elements are in the frames of sites; an element of two frames counts twice.
    pub site_elements: u64,
    /// The elements that were left out of all documents, repeats included.
    #[serde(default)]
    pub left_out: u64,
    /// The elements of all documents, repeats included.
    #[serde(default)]
    pub elements: u64,
    /// Documents of which too little remained. They are compared by their content only.
    #[serde(default)]
    pub little_left: u64,
}

/// True if the settings leave elements out.
pub(crate) fn is_wanted(settings: &Settings) -> bool {
    settings.matching.common.is_some() || settings.matching.site_field.is_some()
}

/// How the elements that many documents share are found.
pub(crate) fn common(settings: &Settings) -> Option<Common> {
    match settings.matching.common {
        // The sites say what a frame is.
        Some(Common::Auto) if settings.matching.site_field.is_some() => None,
        other => other,
    }
}

/// What stands for a site; never 0, which means that a document has none.
pub(crate) fn site_hash(site: &str) -> u64 {
    content_hash(site.as_bytes()) as u64 | 1
}

/// True if too little of a text remains: of `all` elements only `rest`.
pub(crate) fn is_too_little(all: usize, rest: usize) -> bool {
    rest < all && rest < LEAST_REST
}

/// What stands for an element in the documents of a site.
fn key_in_site(element: u64, site: u64) -> u64 {
    mix64(element ^ mix64(site))
}
