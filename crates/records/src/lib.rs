//! Which records describe the same person, product or paper.
//!
//! ```text
//! table -> kinds of fields -> bands -> pairs -> levels of agreement -> weights, learnt -> probability -> matches
//! ```
//!
//! Nothing has to be said about the table: no rules, no labels. See [`link`].

mod bands;
mod column;
mod compare;
mod kind;
mod link;
mod model;
mod strings;

pub use bands::{Band, Row};
pub use kind::Kind;
pub use link::{BandFigures, Error, Linked, Match, OneTo, Options, Table, link};
pub use model::{Field, Model};
