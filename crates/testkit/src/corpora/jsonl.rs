//! Documents -> JSON Lines.

use super::{Document, Score};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes one document per line: `id`, `score` and `domain` if they exist, `text`.
pub fn write_jsonl(documents: impl IntoIterator<Item = Document>, out: &mut dyn Write) -> io::Result<()> {
    let mut line = Vec::new();
    for document in documents {
        line.clear();
        line.extend_from_slice(b"{\"id\": ");
        push_string(&document.id, &mut line);
        if let Some(score) = &document.score {
            line.extend_from_slice(b", \"score\": ");
            match score {
                Score::Boolean(value) => write!(line, "{value}")?,
                Score::Number(value) => write!(line, "{value}")?,
                Score::Integer(value) => write!(line, "{value}")?,
                Score::Text(value) => push_string(value, &mut line),
            }
        }
        if let Some(domain) = &document.domain {
            line.extend_from_slice(b", \"domain\": ");
            push_string(domain, &mut line);
        }
        line.extend_from_slice(b", \"text\": ");
        push_string(&document.text, &mut line);
        line.extend_from_slice(b"}\n");
        out.write_all(&line)?;
    }
    Ok(())
}

/// Writes the documents to `part-000.jsonl`, `part-001.jsonl` and so on in `folder`. A new file begins at each number
/// in `splits` (ascending). The order of the documents is kept.
pub fn write_files(
    folder: &Path,
    documents: impl IntoIterator<Item = Document>,
    splits: &[usize],
) -> io::Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder)?;
    let mut documents = documents.into_iter();
    let mut files = Vec::new();
    let mut start = 0;
    for end in splits.iter().copied().chain([usize::MAX]) {
        let path = folder.join(format!("part-{:03}.jsonl", files.len()));
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&path)?);
        write_jsonl(documents.by_ref().take(end.saturating_sub(start)), &mut out)?;
        out.flush()?;
        files.push(path);
        start = end;
    }
    Ok(files)
}

fn push_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|&byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        out.extend_from_slice(&rest[..at]);
        match rest[at] {
            b'\n' => out.extend_from_slice(b"\\n"),
            byte @ (b'"' | b'\\') => out.extend_from_slice(&[b'\\', byte]),
            byte => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
        }
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_json_wants_them() {
        let mut out = Vec::new();
        let document = Document {
            score: Some(Score::Number(2.5)),
            domain: Some("a.b".into()),
            ..Document::new("x", "a\"b\\c\nd\0é")
        };
        write_jsonl([document, Document::new("y", "")], &mut out).unwrap();
        let lines = String::from_utf8(out).unwrap();
        let wanted = "{\"id\": \"x\", \"score\": 2.5, \"domain\": \"a.b\", \"text\": \"a\\\"b\\\\c\\nd\\u0000é\"}\n{\"id\": \"y\", \"text\": \"\"}\n";
        assert_eq!(lines, wanted);
    }

    #[test]
    fn splits_keep_the_order() {
        let documents = || (0..10).map(|n| Document::new(format!("{n}"), format!("text {n}")));
        let folder = std::env::temp_dir().join(format!("testkit-splits-{}", std::process::id()));
        let files = write_files(&folder, documents(), &[3, 3, 8]).unwrap();
        let parts: Vec<String> = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
        assert_eq!(parts.iter().map(|part| part.lines().count()).collect::<Vec<_>>(), [3, 0, 5, 2]);
        let mut whole = Vec::new();
        write_jsonl(documents(), &mut whole).unwrap();
        assert_eq!(parts.concat().into_bytes(), whole);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
