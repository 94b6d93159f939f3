//! An index inside a program, without a server: reads texts from standard input, one per line, and says of each whether
//! something like it came before.
//!
//! ```text
//! printf 'a b c d e f\na b c d e f\n' | cargo run -p lookalike-index --example embed -- /tmp/seen
//! ```

use index::{Config, Document, Index, OnMatch, Options, Stored};
use std::io::{self, BufRead, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: embed FOLDER < TEXTS")?;
    let config = Config::default().with_store(Stored::Text);
    // Settings that were not asked for may differ from those of an index that is there.
    let index = Index::open_or_create(folder, &config, |_| false, &Options::default())?;
    let mut out = io::stdout().lock();
    let mut next = index.stats()?.next_number;
    for line in io::stdin().lock().lines() {
        let document = Document::new(format!("line-{next}"), line?);
        let checked = index.check(&document, true, OnMatch::Skip)?;
        match checked.matched {
            None => writeln!(out, "new, kept as {}", document.id)?,
            Some(it) => writeln!(out, "like {}, similarity {:.3}", it.id, it.similarity)?,
        }
        next += u64::from(checked.number.is_some());
    }
    Ok(())
}
