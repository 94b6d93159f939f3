//! A small corpus on disk, and a sketch file and a finished run of it, for the targets that damage what a run stores.

use corpus::{Discovery, Target, discover};
use pipeline::{Job, OnBadRecord, Resources, Settings, Silent, Stored};
use std::path::{Path, PathBuf};

/// Records of every kind: copies, near-duplicates, an empty text, a bad one, values to keep by.
const RECORDS: &str = r#"{"id": "a", "n": 3, "w": "x", "text": "the quick brown fox jumps over the lazy dog and runs away"}
{"id": "b", "n": 2, "w": "x", "text": "the quick brown fox jumps over the lazy dog and runs home"}

{"id": "c", "n": 1, "w": "y", "text": "The quick brown fox jumps over the lazy dog and runs away"}
{"id": "d", "n": "many", "w": "x", "text": ""}
{"id": "e", "n": "a value that is longer than eight bytes", "w": "x", "text": "we hold these truths to be self evident that all"}
[1]
{"id": 7, "n": 2, "text": "the quick brown fox jumps over the lazy dog and runs away"}
{"id": "h", "n": 2, "w": "x", "text": "the quick brown fox jumps over the lazy dog and runs away"}
"#;

/// A folder of this process and of the target `name`, with the corpus in it.
pub struct Corpus {
    folder: PathBuf,
}

impl Corpus {
    /// Writes it.
    pub fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("lookalike-fuzz-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
        std::fs::write(folder.join("in.jsonl"), RECORDS).expect("the folder was made");
        Self { folder }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What a run may use here.
    pub fn resources(&self) -> Resources {
        Resources { memory: 1 << 28, threads: 1, temp_dir: Some(self.folder.clone()), max_pairs: Some(1_000) }
    }

    fn job(&self, store: Store) -> Job {
        let input = self.folder.join("in.jsonl").display().to_string();
        let settings = Settings::default()
            .with_id_field(Some("id".into()))
            .with_keep("max:n".parse().expect("it is one of the choices"))
            .with_within(Some("w".into()))
            .with_on_bad_record(OnBadRecord::Skip)
            .with_threshold(0.6)
            .with_hashes(16)
            .with_store(store);
        let sources = discover(&[input], &Discovery::default()).expect("the file was written");
        Job { sources, against: Vec::new(), settings, resources: self.resources(), sketch: None }
    }

    /// Makes a sketch file with shingles, and says where.
    pub fn sketch(&self) -> PathBuf {
        let file = self.folder.join("sketch");
        // A run with the same number as one that was killed may find its file.
        let _ = std::fs::remove_file(&file);
        pipeline::sketch(&self.job(Stored::Shingles), &file, &Silent).expect("the corpus can be sketched");
        file
    }

    /// Makes a finished run, and says in which folder.
    pub fn dedup(&self) -> PathBuf {
        let out = self.folder.join("out");
        let _ = std::fs::remove_dir_all(&out);
        let target = Target::new(&out.display().to_string()).expect("it is a folder");
        pipeline::dedup(&self.job(Stored::Signatures), &target, false, &Silent)
            .expect("the corpus can be used");
        out
    }
}

/// What a run from a sketch file comes to, or its error.
pub fn decide_from(sketch: &Path, resources: Resources) -> Result<Vec<String>, String> {
    let mut rows = Vec::new();
    let decide = || {
        let job = pipeline::open_sketch(sketch, resources)?;
        pipeline::decide(&job, &Silent, &mut |row| {
            rows.push(format!("{row:?}"));
            Ok(())
        })?;
        let mut pairs = Vec::new();
        pipeline::pairs(&job, &Silent, &mut |pair| {
            pairs.push(format!("{pair:?}"));
            Ok(std::ops::ControlFlow::Continue(()))
        })?;
        Ok(pairs)
    };
    let pairs = decide().map_err(|error: pipeline::Error| error.to_string())?;
    Ok([rows, pairs].concat())
}
