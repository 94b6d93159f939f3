//! Several sketch files as the input of one run: the answer is that of one sketch file of all sources.

use super::{job, sources_of};
use crate::prepared::Prepared;
use crate::run::dedup_prepared;
use crate::{Job, Keep, Measure, Method, Outcome, Report, Settings, Silent, Stored};
use corpus::{Source, Target};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use testkit::corpora::{Document, Planted};

fn settings() -> Settings {
    Settings::default().with_id_field(Some("id".into())).with_threshold(0.6)
}

/// Sketches sources into a file.
fn sketched(settings: &Settings, against: &[Source], sources: &[Source], file: PathBuf) -> PathBuf {
    crate::sketch(&job(settings, sources.to_vec(), against.to_vec(), 2), &file, &Silent).unwrap();
    file
}

fn opened(files: &[PathBuf]) -> crate::Result<Job> {
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    crate::open_sketches(&files, job(&settings(), Vec::new(), Vec::new(), 2).resources)
}

/// All outputs of a run with this many bytes for its stages, and its report.
fn outputs(job: &Job, free: Option<u64>, out: &Path) -> (BTreeMap<String, Vec<u8>>, Report) {
    let mut prepared = Prepared::new(job).unwrap();
    if let Some(free) = free {
        prepared.budget = prepared.budget.clone().with_free(free);
    }
    let target = Target::new(&out.display().to_string()).unwrap();
    let Outcome::Finished(mut report) = dedup_prepared(&prepared, &target, &Silent).unwrap() else {
        panic!("it was finished before it began");
    };
    report.run = Default::default();
    let names = job.sources.iter().map(|source| source.output.clone()).chain(["removed.jsonl".into()]);
    (names.map(|name| (name.clone(), std::fs::read(out.join(name)).unwrap())).collect(), report)
}

#[test]
fn several_sketch_files_are_decided_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let documents: Vec<Document> = Planted::short(700, 11).iter().collect();
    let sources = sources_of(&folder.path().join("in"), &documents[100..], 90);
    let against = sources_of(&folder.path().join("against"), &documents[..100], usize::MAX);
    assert!(sources.len() > 5);
    for (at, settings) in [
        settings(),
        settings().with_measure(Measure::Containment),
        settings().with_method(Method::Simhash),
        settings().with_keep(Keep::Longest),
    ]
    .iter()
    .enumerate()
    {
        for against in [&[][..], &against] {
            let name = |name: &str| folder.path().join(format!("{name}-{at}-{}", against.len()));
            let one = sketched(settings, against, &sources, name("all"));
            let parts = [
                sketched(settings, against, &sources[..1], name("a")),
                sketched(settings, &[], &sources[1..4], name("b")),
                sketched(settings, &[], &sources[4..], name("c")),
            ];
            let expected = outputs(&opened(&[one]).unwrap(), None, &name("one"));
            let least = if settings.signature.method == Method::Simhash { 1 } else { 50 };
            assert!(expected.1.counts.near + expected.1.counts.exact >= least, "{settings:?}");
            for free in [None, Some(500_000)] {
                let out = name(&format!("many-{}", free.is_some()));
                assert_eq!(outputs(&opened(&parts).unwrap(), free, &out), expected, "{settings:?} {free:?}");
            }
        }
    }
}

/// Which sketch file has which documents does not change whose run it is, but decisions are those of given sketches.
#[test]
fn a_run_goes_on_from_other_sketch_files_of_the_same_sources() {
    let folder = tempfile::tempdir().unwrap();
    let documents: Vec<Document> = Planted::short(300, 4).iter().collect();
    let sources = sources_of(&folder.path().join("in"), &documents, 100);
    let name = |name: &str| folder.path().join(name);
    let settings = settings();
    let one = sketched(&settings, &[], &sources, name("one"));
    let parts = [
        sketched(&settings, &[], &sources[..2], name("a")),
        sketched(&settings, &[], &sources[2..], name("b")),
    ];
    let expected = outputs(&opened(&[one]).unwrap(), None, &name("out"));
    std::fs::remove_file(name("out").join("report.json")).unwrap();
    assert_eq!(outputs(&opened(&parts).unwrap(), None, &name("out")), expected);
}

#[test]
fn sketch_files_that_do_not_fit_each_other_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let documents: Vec<Document> = Planted::short(40, 4).iter().collect();
    let sources = sources_of(&folder.path().join("in"), &documents, 20);
    let (first, second) = sources.split_at(1);
    let name = |name: &str| folder.path().join(name);
    let stored = settings().with_store(Stored::Shingles);
    let plain = sketched(&settings(), &[], first, name("plain"));
    let hashes = sketched(&settings().with_hashes(64), &[], second, name("hashes"));
    let against = sketched(&settings(), first, second, name("against"));
    let keyed = sketched(&stored, &[], first, name("keyed"));
    let other_key = sketched(&stored, &[], second, name("other-key"));
    let said = |files: [&PathBuf; 2]| {
        let error = opened(&files.map(Clone::clone)).unwrap_err().to_string();
        error.replace(&format!("{}/", folder.path().display()), "")
    };
    assert_eq!(
        said([&plain, &hashes]),
        "hashes is 128 in plain, but 64 in hashes; sketch their sources again with the same settings"
    );
    assert!(
        said([&keyed, &other_key])
            .starts_with("the shingles of keyed and other-key are hashed with different keys")
    );
    assert!(said([&plain, &against]).starts_with("against was sketched with documents to compare with"));
    assert!(opened(&[against, plain]).is_ok());
    assert!(opened(&[]).unwrap_err().to_string().contains("no sketch file"));
}
