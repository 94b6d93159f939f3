//! Very many small records, or very few large ones, written as fast as the disk accepts them. They are used to fill
//! memory.
//!
//! Each shape is a function of the number of documents, so that a test of seconds and a test of hours differ only in
//! this number.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Meaningless words, determined by `number`.
fn words(number: u64, count: u64) -> String {
    use lookalike::hashing::mix64;
    let mut text = String::new();
    for at in 0..count {
        let word = mix64(mix64(number) ^ at) % 50_000;
        text.push_str(if at == 0 { "w" } else { " w" });
        text.push_str(&word.to_string());
    }
    text
}

/// `documents` documents of eight words with only `texts` different texts.
pub fn bulk_copies(documents: u64, texts: u64, out: &mut dyn Write) -> io::Result<()> {
    for number in 0..documents {
        let text = words(lookalike::hashing::mix64(number) % texts.max(1), 8);
        writeln!(out, "{{\"id\":\"doc-{number}\",\"text\":\"{text}\"}}")?;
    }
    Ok(())
}

/// `documents` documents of thirty-one words. Every second document is the previous one with another last word.
pub fn bulk_near_copies(documents: u64, out: &mut dyn Write) -> io::Result<()> {
    for number in 0..documents {
        let (text, more) = (words(number / 2, 30), number % 2 * number);
        writeln!(out, "{{\"id\":\"doc-{number}\",\"text\":\"{text} n{more}\"}}")?;
    }
    Ok(())
}

/// `documents` documents with the same text.
pub fn bulk_equal(documents: u64, out: &mut dyn Write) -> io::Result<()> {
    for number in 0..documents {
        writeln!(out, "{{\"id\":\"doc-{number}\",\"text\":\"the same few words again and again\"}}")?;
    }
    Ok(())
}

/// `documents` pages of one template of a hundred words. Each page has three words of its own.
pub fn bulk_template(documents: u64, out: &mut dyn Write) -> io::Result<()> {
    let template = words(u64::MAX, 100);
    for number in 0..documents {
        let own = words(number, 3);
        writeln!(out, "{{\"id\":\"doc-{number}\",\"text\":\"{template} {own}\"}}")?;
    }
    Ok(())
}

/// `records` records. Seven of eight have no text.
pub fn bulk_bad(records: u64, out: &mut dyn Write) -> io::Result<()> {
    for number in 0..records {
        if number % 8 == 0 {
            writeln!(out, "{{\"id\":\"doc-{number}\",\"text\":\"{}\"}}", words(number, 8))?;
        } else {
            writeln!(out, "{{\"id\":\"doc-{number}\",\"title\":\"no text\"}}")?;
        }
    }
    Ok(())
}

/// `files` files with one short document each, a thousand files per folder. Every second file is a copy of the
/// previous one.
pub fn bulk_files(folder: &Path, files: u64) -> io::Result<()> {
    for number in 0..files {
        let below = folder.join(format!("{:03}", number / 1_000));
        if number % 1_000 == 0 {
            fs::create_dir_all(&below)?;
        }
        fs::write(below.join(format!("{number:06}.txt")), words(number / 2, 12))?;
    }
    Ok(())
}

/// About `bytes` bytes of text without a line end.
pub fn bulk_text(bytes: u64, out: &mut dyn Write) -> io::Result<()> {
    let some = words(1, 10_000);
    for _ in 0..bytes / (some.len() as u64 + 1) {
        out.write_all(some.as_bytes())?;
        out.write_all(b" ")?;
    }
    Ok(())
}
