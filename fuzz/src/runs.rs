//! A small corpus on disk, with a sketch file and a finished run, for the targets that damage the files of a run.

use corpus::{Discovery, Target, discover};
use pipeline::{Job, OnBadRecord, Resources, Settings, Silent, Stored};
use std::path::{Path, PathBuf};

/// Records of every kind: copies, near-duplicates, an empty text, a bad record, values for `--keep`.
const RECORDS: &str = r#"{"id": "a", "n": 3, "w": "x", "text": "the quick brown fox jumps over the lazy dog and runs away"}
{"id": "b", "n": 2, "w": "x", "text": "the quick brown fox jumps over the lazy dog and runs home"}

{"id": "c", "n": 1, "w": "y", "text": "The quick brown fox jumps over the lazy dog and runs away"}
{"id": "d", "n": "many", "w": "x", "text": ""}
{"id": "e", "n": "a value that is longer than eight bytes", "w": "x", "text": "we hold these truths to be self evident that all"}
[1]
{"id": 7, "n": 2, "text": "the quick brown fox jumps over the lazy dog and runs away"}
{"id": "h", "n": 2, "w": "x", "text": "the quick brown fox jumps over the lazy dog and runs away"}
"#;

/// A folder for this process and the target `name`, with the corpus in it.
pub struct Corpus {
    folder: PathBuf,
}

impl Corpus {
    /// Creates the folder and writes the corpus.
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

    /// The resources that a run may use here.
    pub fn resources(&self) -> Resources {
        Resources { memory: 1 << 28, threads: 1, temp_dir: Some(self.folder.clone()), max_pairs: Some(1_000) }
    }

    fn job(&self, store: Stored) -> Job {
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
        Job {
            sources,
            against: Vec::new(),
            settings,
            resources: self.resources(),
            sketch: None,
            indexes: pipeline::Indexes::default(),
        }
    }

    /// Writes a sketch file with shingles, and returns its path.
    pub fn sketch(&self) -> PathBuf {
        let file = self.folder.join("sketch");
        // A process with the same number may have been killed and have left this file.
        let _ = std::fs::remove_file(&file);
        pipeline::sketch(&self.job(Stored::Shingles), &file, &Silent).expect("the corpus can be sketched");
        file
    }

    /// Makes a finished run, and returns its folder.
    pub fn dedup(&self) -> PathBuf {
        let out = self.folder.join("out");
        let _ = std::fs::remove_dir_all(&out);
        let target = Target::new(&out.display().to_string()).expect("it is a folder");
        pipeline::dedup(&self.job(Stored::Signatures), &target, false, &Silent)
            .expect("the corpus can be used");
        out
    }
}

/// The result of a run from a sketch file, or its error.
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
