//! Normalisation: original text -> normalised text.
//!
//! Shows note 004, "4.2.1 Define Shingles", on white space: "replace any sequence of one or more white space
//! characters by a single blank; or: eliminate blanks", with the notes' two documents about a touchdown. It also
//! shows the other settings of normalisation.
//!
//! `cargo run -p lookalike --example normalization`

#![allow(clippy::print_stdout, reason = "an example prints")]

use lookalike::normalization::{Case, Normalization, Punctuation, UnicodeForm, Whitespace};
use lookalike::shingling::Shingler;

fn main() -> lookalike::Result<()> {
    let text = " Don't\u{2003}SHOUT:\r\n the Cafe\u{301} in the Hauptstraße  has table ４². ";
    let usual = Normalization::default();
    println!("{:<24} {text:?}", "as it came");
    for (name, normalization) in [
        ("the default", usual),
        ("case kept", usual.with_case(Case::Keep)),
        ("form NFKC", usual.with_form(UnicodeForm::Nfkc)),
        ("punctuation dropped", usual.with_punctuation(Punctuation::Drop)),
        ("white space removed", usual.with_whitespace(Whitespace::Remove)),
        ("nothing done", Normalization::NONE),
    ] {
        println!("{name:<24} {:?}", normalization.normalize(text));
    }
    println!("{:<24} {:?}", "bytes that are no UTF-8", usual.normalize_bytes(b"caf\xe9 au lait"));

    let plane = "The plane was ready for touch down";
    let quarterback = "The quarterback scored a touchdown";
    println!("\n9-shingles of {plane:?}\n         and {quarterback:?}:\n");
    println!("{:<24} {:>5} {:>5}   in both", "white space", "first", "other");
    for whitespace in [Whitespace::Collapse, Whitespace::Remove] {
        let shingler = Shingler::characters(9)?.with_normalization(usual.with_whitespace(whitespace));
        let (first, other) = (shingler.shingles(plane), shingler.shingles(quarterback));
        let both: Vec<&String> = first.iter().filter(|shingle| other.contains(shingle)).collect();
        println!("{:<24} {:>5} {:>5}   {both:?}", format!("{whitespace:?}"), first.len(), other.len());
    }
    Ok(())
}
