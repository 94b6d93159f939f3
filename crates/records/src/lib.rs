//! Which records describe the same person, product or paper.
//!
//! ```text
//! table -> kinds of fields -> bands -> pairs -> levels of agreement -> weights, learnt -> probability -> matches
//! ```
//!
//! Nothing has to be said about the table: no rules, no labels. See [`link`].

mod bands;
mod candidates;
mod chance;
mod column;
mod compare;
mod contradiction;
mod equal;
mod explained;
mod fields;
mod kind;
mod labels;
mod learning;
mod link;
mod memory;
mod misplaced;
mod model;
mod model_file;
mod options;
mod order;
mod partners;
mod recall;
mod refined;
mod rivals;
mod rule;
pub mod run;
mod seen;
mod spill;
mod strings;
mod table;
mod texts;
mod threads;
mod together;

pub use bands::{Band, Row};
pub use explained::{Explained, ExplainedField};
pub use kind::Kind;
pub use labels::{Quality, Shift, next_question};
pub use link::{BandFigures, Error, Judged, Linked, Match, link, link_until};
pub use model::{Field, Model, Together};
pub use model_file::{ModelFile, StoredField};
pub use options::{OneTo, Options};
pub use refined::{Judgement, Refined};
pub use seen::{Near, WeightBin};
pub use table::{Side, Table};
