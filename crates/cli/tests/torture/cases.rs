//! Kinds of runs: formats, compressions, options, memory, targets.

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use testkit::corpora::{Document, Planted, write_files};

/// Where the outputs of a case go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// A folder.
    Folder,
    /// An object store.
    Store,
}

/// One kind of run.
#[derive(Debug)]
pub(crate) struct Case {
    pub name: &'static str,
    /// What is typed, but for the target.
    pub arguments: &'static str,
    pub place: Place,
    /// Whether it takes more memory than it may.
    pub spills: bool,
}

/// The index of cases that ask one and add to it, and the state that it has before.
pub(crate) const INDEX: &str = "seen";
const INDEX_BEFORE: &str = "seen-before";

impl Case {
    /// True if the run adds to an index.
    pub(crate) fn has_index(&self) -> bool {
        self.arguments.contains("--add-to")
    }

    /// Puts the index into the state that it has before the run.
    pub(crate) fn reset_index(&self, folder: &Path) {
        if self.has_index() {
            let _ = std::fs::remove_dir_all(folder.join(INDEX));
            copy(&folder.join(INDEX_BEFORE), &folder.join(INDEX));
        }
    }

    /// The target, as it is typed.
    pub(crate) fn target(&self) -> String {
        match self.place {
            Place::Folder => format!("out-{}", self.name),
            Place::Store => format!("s3://{}/out-{}", super::store::BUCKET, self.name),
        }
    }
}

/// Writes the inputs of all cases below `folder`.
pub(crate) fn all(folder: &Path, with_store: bool) -> Vec<Case> {
    let documents = Planted { documents: 3_000, seed: 7, ..Planted::default() }.collect();
    mixed(&folder.join("mixed"), &documents);
    csv(&folder.join("table.csv"), &documents);
    parquet(&folder.join("table.parquet"), &documents);
    texts(&folder.join("texts"), &documents[..300]);
    // Enough that 64 MiB do not hold all of it, in many parts.
    write_files(&folder.join("many"), Planted::short(60_000, 3).iter(), &[20_000, 20_001]).unwrap();
    let mut cases = vec![
        case("mixed", "dedup mixed --id-field id --threshold 0.7 --threads 2"),
        case("annotated", "dedup mixed --id-field id --annotate --threads 1"),
        case("csv", "dedup table.csv --id-field id --keep longest"),
        case("parquet", "dedup table.parquet --id-field id --removed-format parquet"),
        case("texts", "dedup texts --threshold 0.5"),
        case("spilled", "dedup many --memory 64MiB --threads 2"),
        case("spilled-annotated", "dedup many --id-field id --memory 64MiB --threads 1 --annotate"),
        case("against", "dedup mixed --against many/part-000.jsonl --id-field id"),
        case("contained", "dedup mixed --measure containment --id-field id"),
        case("components", "dedup mixed --clusters components --id-field id --threshold 0.6"),
        case("simhash", "dedup mixed --method simhash --id-field id"),
        case("index", "dedup mixed --against seen --add-to seen --id-field id --threads 2"),
    ];
    index(folder, "texts");
    if with_store {
        for (name, arguments) in [
            ("store", "dedup mixed --id-field id --threshold 0.7"),
            ("store-spilled", "dedup many --memory 64MiB --threads 2"),
            ("store-parquet", "dedup table.parquet --id-field id --removed-format parquet"),
        ] {
            cases.push(Case { place: Place::Store, ..case(name, arguments) });
        }
    }
    cases
}

/// Makes the index that cases ask, with the documents of `input`.
fn index(folder: &Path, input: &str) {
    let add = ["index", "add", INDEX_BEFORE, input, "--store", "shingles", "--quiet"];
    let added = Command::new(env!("CARGO_BIN_EXE_lookalike")).args(add).current_dir(folder).status().unwrap();
    assert!(added.success());
    copy(&folder.join(INDEX_BEFORE), &folder.join(INDEX));
}

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn case(name: &'static str, arguments: &'static str) -> Case {
    let spills = arguments.contains("--memory 64MiB");
    Case { name, arguments, place: Place::Folder, spills }
}

/// The same with as little in them as makes each kind of run do all that it does, and every compression: these are run hundreds of times.
pub(crate) fn small(folder: &Path, with_store: bool) -> Vec<Case> {
    let documents = Planted { documents: 120, seed: 7, ..Planted::default() }.collect();
    write_files(&folder.join("lines"), documents.iter().cloned(), &[50]).unwrap();
    write_files(&folder.join("old"), documents[..40].iter().cloned(), &[]).unwrap();
    packed(&folder.join("packed"), &documents);
    csv(&folder.join("table.csv"), &documents);
    parquet(&folder.join("table.parquet"), &documents);
    texts(&folder.join("texts"), &documents[..30]);
    write_files(&folder.join("many"), Planted::short(60_000, 3).iter(), &[20_000]).unwrap();
    let mut cases = vec![
        case("lines", "dedup lines --id-field id --threshold 0.7 --threads 1"),
        case("annotated", "dedup lines --id-field id --annotate --threads 2"),
        case("against", "dedup lines --against old --id-field id --threads 1"),
        case("packed", "dedup packed --id-field id --threads 2"),
        case("packed-annotated", "dedup packed --id-field id --annotate --threads 1"),
        case("csv", "dedup table.csv --id-field id --keep longest --threads 1"),
        case("parquet", "dedup table.parquet --id-field id --removed-format parquet --threads 1"),
        case("parquet-annotated", "dedup table.parquet --id-field id --annotate --threads 1"),
        case("texts", "dedup texts --threshold 0.5 --threads 1"),
        case("components", "dedup lines --id-field id --clusters components --threads 1"),
        case("index", "dedup lines --against seen --add-to seen --id-field id --threads 1"),
        case("spilled", "dedup many --memory 64MiB --threads 2"),
        case("spilled-annotated", "dedup many --id-field id --memory 64MiB --threads 1 --annotate"),
    ];
    index(folder, "texts");
    if with_store {
        for (name, arguments) in [
            ("calls-store", "dedup lines --id-field id --threshold 0.7 --threads 1"),
            ("calls-store-annotated", "dedup packed --id-field id --annotate --threads 1"),
            ("calls-store-against", "dedup lines --against old --id-field id --threads 1"),
            ("calls-store-parquet", "dedup table.parquet --id-field id --removed-format parquet --threads 1"),
            ("calls-store-spilled", "dedup many --memory 64MiB --threads 2"),
        ] {
            cases.push(Case { place: Place::Store, ..case(name, arguments) });
        }
    }
    cases
}

/// JSON Lines in four files, each compressed in another way.
fn packed(folder: &Path, documents: &[Document]) {
    let files = write_files(folder, documents.iter().cloned(), &[30, 60, 90]).unwrap();
    let pack = |bytes: &[u8], end: &str| -> std::io::Result<Vec<u8>> {
        match end {
            "gz" => {
                let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                out.write_all(bytes)?;
                out.finish()
            }
            "zst" => zstd::encode_all(bytes, 1),
            "bz2" => {
                let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
                out.write_all(bytes)?;
                out.finish()
            }
            _ => {
                let mut out = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(0))?;
                out.write_all(bytes)?;
                out.finish()
            }
        }
    };
    for (file, end) in files.iter().zip(["gz", "zst", "bz2", "xz"]) {
        let bytes = pack(&std::fs::read(file).unwrap(), end).unwrap();
        std::fs::write(file.with_extension(format!("jsonl.{end}")), bytes).unwrap();
        std::fs::remove_file(file).unwrap();
    }
}

/// JSON Lines in five files: plain, gzip, Zstandard.
fn mixed(folder: &Path, documents: &[Document]) {
    let files = write_files(folder, documents.iter().cloned(), &[300, 1_200, 1_201, 2_000]).unwrap();
    for file in [&files[1], &files[3]] {
        let packed = zstd::encode_all(std::fs::File::open(file).unwrap(), 1).unwrap();
        std::fs::write(file.with_extension("jsonl.zst"), packed).unwrap();
        std::fs::remove_file(file).unwrap();
    }
}

fn csv(file: &Path, documents: &[Document]) {
    let mut out = std::io::BufWriter::new(std::fs::File::create(file).unwrap());
    writeln!(out, "id,text,score").unwrap();
    for document in documents {
        let text = document.text.replace('"', "\"\"");
        writeln!(out, "{},\"{text}\",{}", document.id, document.text.len()).unwrap();
    }
}

fn parquet(file: &Path, documents: &[Document]) {
    let column = |of: fn(&Document) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(documents.iter().map(of)))
    };
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..documents.len() as i64));
    let batch = RecordBatch::try_from_iter([
        ("id", column(|document| &document.id)),
        ("text", column(|document| &document.text)),
        ("number", numbers),
    ])
    .unwrap();
    let mut writer =
        ArrowWriter::try_new(std::fs::File::create(file).unwrap(), batch.schema(), None).unwrap();
    for start in (0..documents.len()).step_by(500) {
        writer.write(&batch.slice(start, 500.min(documents.len() - start))).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap();
}

fn texts(folder: &Path, documents: &[Document]) {
    for (number, document) in documents.iter().enumerate() {
        let below = folder.join(format!("{}", number % 7));
        std::fs::create_dir_all(&below).unwrap();
        std::fs::write(below.join(format!("{number}.txt")), &document.text).unwrap();
    }
}
