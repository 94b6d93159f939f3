//! Code that the targets share.

pub mod damage;
pub mod runs;
pub mod service;

use corpus::{
    Block, Discovery, FieldPath, Fields, FormatChoice, Limits, ReadMode, Reader, Record, Scratch, discover,
};
use std::path::{Path, PathBuf};

/// The content of a slot.
#[derive(Debug, Clone, PartialEq)]
pub enum Taken {
    /// A bad record.
    Bad(String),
    /// A document.
    Document { text: String, id: Option<String>, within: Option<String> },
}

/// Writes `bytes` to a temporary file whose name belongs to this process and to the target `name`.
pub fn temporary_file(name: &str, bytes: &[u8]) -> PathBuf {
    let file = std::env::temp_dir().join(format!("lookalike-fuzz-{name}-{}", std::process::id()));
    std::fs::write(&file, bytes).expect("the folder for temporary files can be written");
    file
}

/// From now on, panics of other crates that the readers turn into errors are not findings.
pub fn tolerate_panics_of_others() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let abort = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if panic.location().is_none_or(|place| !place.file().contains("/registry/")) {
                abort(panic);
            }
        }));
    });
}

/// All records of a file in this format, or the error. `visit` sees the records too.
pub fn read(
    file: &Path,
    format: corpus::Format,
    block_bytes: usize,
    visit: &mut dyn FnMut(&Record<'_>),
) -> Result<Vec<Taken>, String> {
    let fields = Fields {
        text: FieldPath::new("text"),
        id: Some(FieldPath::new("id")),
        order: None,
        within: matches!(format, corpus::Format::Jsonl).then(|| FieldPath::new("a.b")),
        site: None,
        date: None,
    };
    read_fields(file, format, &fields, block_bytes, visit)
}

/// Like [`read`], with these fields.
pub fn read_fields(
    file: &Path,
    format: corpus::Format,
    fields: &Fields,
    block_bytes: usize,
    visit: &mut dyn FnMut(&Record<'_>),
) -> Result<Vec<Taken>, String> {
    let how = Discovery { format: FormatChoice::Known(format), target: None, arrays: true };
    // Some kinds of bytes are refused before they are read.
    let source = discover(&[file.display().to_string()], &how).map_err(|error| error.to_string())?.remove(0);
    let mut taken = Vec::new();
    let limits = Limits { block_bytes, record_bytes: 1 << 26, records: 8_192 };
    let mut all = || {
        let mut reader = Reader::open(&source, ReadMode::Whole, fields, limits)?;
        let (mut block, mut scratch) = (Block::default(), Scratch::default());
        while reader.next_block(&mut block)? {
            let before = taken.len();
            block.visit(fields, None, &mut scratch, &mut |_, record| {
                visit(&record);
                taken.push(match record {
                    Record::Bad(bad) => Taken::Bad(bad.reason),
                    Record::Document(document) => Taken::Document {
                        text: document.text.to_owned(),
                        id: document.id.map(|id| id.text.into()),
                        within: document.within.map(Into::into),
                    },
                });
                Ok(())
            })?;
            assert_eq!(taken.len() - before, block.len());
        }
        Ok(())
    };
    all().map_err(|error: corpus::Error| error.to_string())?;
    Ok(taken)
}
