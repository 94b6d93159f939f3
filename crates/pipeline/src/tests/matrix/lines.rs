//! Small corpora with much structure, as lines: documents, records that are none, and blank lines.

use lookalike::hashing::SplitMix64;
use std::path::Path;
use testkit::corpora::{
    Document, Planted, Score, edge_documents, near_copies, slotted, templated, with_footer, write_jsonl,
};

/// A line of a source.
#[derive(Debug, Clone)]
pub(super) enum Line {
    Document(Document),
    Bad(&'static str),
    Blank,
}

/// Records that cannot be used: not JSON, not an object, without a text, with one that is no text, cut off.
const BAD: [&str; 5] =
    ["no json", "[1, 2]", r#"{"id": "lost"}"#, r#"{"id": "x", "text": 7}"#, r#"{"text": "cut"#];

/// The lines of a corpus of this kind.
pub(super) fn lines(kind: &str, seed: u64) -> Vec<Line> {
    let mut documents: Vec<Document> = match kind {
        "planted" => {
            let near = 0.5;
            Planted { documents: 130, bytes: (100, 900), near, copies: 0.15, seed, ..Planted::default() }
                .collect()
        }
        "templates" => templated(70, 500, 0.7, seed)
            .chain(near_copies(40, 400, seed))
            .chain(with_footer(30, 30, 40, seed))
            .collect(),
        "slots" => slotted(140, 6, 3, 9, seed).collect(),
        "edges" => {
            edge_documents().into_iter().chain(edge_documents()).chain(near_copies(40, 300, seed)).collect()
        }
        other => panic!("no corpus is called {other}"),
    };
    let mut random = SplitMix64::new(seed ^ 0x11e5);
    for at in (1..documents.len()).rev() {
        documents.swap(at, random.below(at as u64 + 1) as usize);
    }
    let mut lines = Vec::new();
    for (at, mut document) in documents.into_iter().enumerate() {
        document.id = format!("{kind}-{at}");
        document.score = match random.below(6) {
            0 => None,
            1 => Some(Score::Text(format!("a value of more than eight bytes, {}", random.below(3)))),
            2 => Some(Score::Integer((1 << 53) + i128::from(random.below(3)))),
            _ => Some(Score::Number(random.below(5) as f64 / 2.0)),
        };
        document.domain = (random.below(5) > 0).then(|| format!("domain-{}", random.below(2)));
        lines.push(Line::Document(document));
        match random.below(16) {
            0 => lines.push(Line::Bad(BAD[random.below(BAD.len() as u64) as usize])),
            1 => lines.push(Line::Blank),
            _ => {}
        }
    }
    lines
}

impl Line {
    /// As it stands in the file, with its end.
    pub(super) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Document(document) => {
                let mut bytes = Vec::new();
                write_jsonl([document.clone()], &mut bytes).unwrap();
                bytes
            }
            Self::Bad(line) => format!("{line}\n").into_bytes(),
            Self::Blank => b"\n".to_vec(),
        }
    }
}

/// Writes lines to `part-000.jsonl` and so on, as many files as there are slices.
pub(super) fn write(folder: &Path, files: &[&[Line]]) -> Vec<String> {
    std::fs::create_dir_all(folder).unwrap();
    let write = |(number, lines): (usize, &&[Line])| {
        let file = folder.join(format!("part-{number:03}.jsonl"));
        std::fs::write(&file, lines.iter().flat_map(Line::bytes).collect::<Vec<u8>>()).unwrap();
        file.display().to_string()
    };
    files.iter().enumerate().map(write).collect()
}
