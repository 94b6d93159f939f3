//! The one-pass algorithm: characteristic matrix -> signature matrix, row by row.
//!
//! Shows the slides "MINHASH: EXAMPLE" of note 003 (four sets of words, x + 1 and 3x + 1 mod 7), "Min-Hash in
//! Practice" of note 000 (D1 to D4) and the example of "Implementation of Minhashing" of note 001, whose matrix note
//! 004 has again with rows counted from 0.
//!
//! `cargo run -p lookalike --example one_pass`

#![allow(clippy::print_stdout, reason = "an example prints")]

use lookalike::Result;
use lookalike::minhash::matrix::{CharacteristicMatrix, OnePassTrace, RowOrder};
use lookalike::minhash::{Numbering, UniversalFunction, UniversalHasher};

/// The functions `a x + b mod p`.
fn functions(parameters: [(u64, u64); 2], p: u64) -> Result<UniversalHasher> {
    let functions = parameters.map(|(a, b)| UniversalFunction::modular(a, b, p));
    UniversalHasher::from_functions(functions.into_iter().collect::<Result<_>>()?)
}

fn main() -> Result<()> {
    println!("Note 003: h1(x) = x + 1 mod 7, h2(x) = 3x + 1 mod 7\n");
    let words = CharacteristicMatrix::from_named_sets(
        &[
            ("S1", &["python", "is", "a", "programming", "language"][..]),
            ("S2", &["java", "is", "a", "programming", "language"]),
            ("S3", &["a", "programming", "language"]),
            ("S4", &["python", "is", "a", "snake"]),
        ],
        RowOrder::Sorted,
    );
    let trace = OnePassTrace::new(&words, &functions([(1, 1), (3, 1)], 7)?)?;
    println!("{words}\n{trace}");
    println!("pair   columns  signatures");
    for (left, right) in [(0, 2), (1, 3), (0, 1)] {
        let (true_one, estimate) = (words.similarity(left, right)?, trace.result().similarity(left, right)?);
        println!("S{} S{} {true_one:>9.2} {estimate:>11.2}", left + 1, right + 1);
    }
    println!("(The slide has 0.75 for S1 and S3: three shared words of five are 0.6.)\n");

    println!("Note 000: h1(x) = 2x + 1 mod 5, h2(x) = 3x + 2 mod 5, rows 1 to 5\n");
    let documents = CharacteristicMatrix::from_named_sets(
        &[("D1", &["a", "d"][..]), ("D2", &["c"]), ("D3", &["b", "d", "e"]), ("D4", &["a", "c", "d"])],
        RowOrder::Sorted,
    )
    .with_numbering(Numbering::FromOne);
    let trace = OnePassTrace::new(&documents, &functions([(2, 1), (3, 2)], 5)?)?;
    println!("{documents}\n{}", trace.result());
    println!("(The slide has 0 for D3 under h2: the least of 3, 4 and 2 is 2.)\n");

    println!(
        "Notes 001 and 004: x mod 5 and 2x + 1 mod 5, the same matrix with its rows counted from 1 and from 0\n"
    );
    for numbering in [Numbering::FromOne, Numbering::FromZero] {
        let matrix = CharacteristicMatrix::from_rows(&[[1, 0], [0, 1], [1, 1], [1, 0], [0, 1]])?;
        let trace = OnePassTrace::new(&matrix.with_numbering(numbering), &functions([(1, 0), (2, 1)], 5)?)?;
        println!("{}", trace.result());
    }
    Ok(())
}
