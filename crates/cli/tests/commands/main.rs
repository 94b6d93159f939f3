//! Whole commands: exit code, standard output, standard error.
//!
//! `INSTA_UPDATE=always cargo test -p lookalike-cli` writes the snapshots again.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests are tests")]

mod bad_input;
mod browser;
mod choices;
mod demo;
mod evaluate;
mod exit_codes;
mod frames;
mod help;
mod hostile;
mod index;
mod index_answers;
mod index_inputs;
mod kind_records;
mod kinds;
mod limits;
mod lookalike;
mod memory;
mod records;
mod records_pages;
mod records_runs;
mod records_scale;
mod resume;
mod seeing;
mod serve;
mod signals;
mod sketch_files;
mod sources;
mod success;
mod terminal;
mod usage;
mod vectors;
