//! Runs that end early, in any way and at any call, and are started again: the outputs are those of an undisturbed run.

use super::{job, sources_of};
use crate::resume::work::Work;
use crate::store::part::{self, Link};
use crate::{Error, Job, Observer, OnBadRecord, Outcome, Settings, Silent};
use corpus::{Source, Target, memory_store};
use files::Files;
use files::faulty::{Fault, Faulty, FaultyPlace, Loss};
use lookalike::hashing::SplitMix64;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use testkit::corpora::{Document, Planted};

/// Three parts in two files.
struct Corpus {
    folder: tempfile::TempDir,
    sources: Vec<Source>,
}

fn corpus() -> Corpus {
    let folder = tempfile::tempdir().unwrap();
    let documents: Vec<Document> = Planted { documents: 210, seed: 3, ..Planted::default() }.iter().collect();
    let sources = sources_of(&folder.path().join("in"), &documents, 130);
    Corpus { folder, sources }
}

impl Corpus {
    fn job(&self) -> Job {
        let settings = Settings::default().with_id_field(Some("id".into())).with_threshold(0.6);
        let mut job = job(&settings, self.sources.clone(), Vec::new(), 1);
        job.resources.temp_dir = Some(self.folder.path().to_owned());
        job
    }
}

fn dedup(job: &Job, target: &Target) -> crate::Result<Outcome> {
    crate::dedup(job, target, false, &Silent)
}

fn local(folder: &Path) -> Target {
    Target::new(&folder.display().to_string()).unwrap()
}

/// All outputs, the report without what differs between runs.
fn outputs(target: &Target) -> BTreeMap<String, Vec<u8>> {
    let names = target.list().unwrap().into_iter().filter(|name| !name.starts_with("_lookalike/"));
    names
        .map(|name| {
            let mut bytes = target.read(&name).unwrap().unwrap();
            if name == "report.json" {
                let mut report: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
                report.as_object_mut().unwrap().remove("run");
                bytes = report.to_string().into_bytes();
            }
            (name, bytes)
        })
        .collect()
}

fn undisturbed(job: &Job) -> BTreeMap<String, Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let target = local(&folder.path().join("out"));
    dedup(job, &target).unwrap();
    let wanted = outputs(&target);
    assert_eq!(wanted.len(), 4, "two files, the removed ones, the report");
    assert!(wanted["removed.jsonl"].len() > 1_000);
    wanted
}

fn same(found: &BTreeMap<String, Vec<u8>>, wanted: &BTreeMap<String, Vec<u8>>, what: &str) {
    assert!(found.keys().eq(wanted.keys()), "{what}: {:?}", found.keys());
    for (name, bytes) in wanted {
        assert!(found[name] == *bytes, "{what}: {name} differs");
    }
}

fn is_resumed(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Finished(report) => report.run.resumed,
        Outcome::AlreadyFinished(_) => panic!("it was not finished"),
    }
}

/// Similar documents whose sketches have different orders of shingles would not meet.
#[test]
fn sketches_with_another_order_of_shingles_are_made_again() {
    let corpus = corpus();
    let job = corpus.job();
    let wanted = undisturbed(&job);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let target = local(&out);
    for changed in [false, true] {
        dedup(&job, &target).unwrap();
        let own = out.join("_lookalike");
        let run = std::fs::read(own.join("run.json")).unwrap();
        let path = own.join("sketches").join("part-000000");
        let link = Link { first: 0, after: *blake3::hash(&run).as_bytes() };
        let (_, mut columns, _) = part::read(&mut File::open(&path).unwrap(), &path, link).unwrap();
        assert!(columns.order != 0, "a hash of the order is stored");
        columns.order ^= if changed { 2 } else { 0 };
        part::write(&columns, &mut File::create(&path).unwrap(), &path, 0, link).unwrap();
        // As if the run had been killed before the last part.
        for name in [
            "report.json",
            "_lookalike/sketches/complete",
            "_lookalike/decisions",
            "_lookalike/sketches/part-000002",
        ] {
            std::fs::remove_file(out.join(name)).unwrap();
        }
        assert_eq!(is_resumed(dedup(&job, &target).unwrap()), !changed);
        same(&outputs(&target), &wanted, "after a kill");
    }
}

#[test]
fn whatever_call_fails_the_next_run_ends_with_the_same_bytes() {
    let corpus = corpus();
    let job = corpus.job();
    let wanted = undisturbed(&job);
    for (fault, loss) in [
        (Fault::Fails, Loss::Nothing),
        (Fault::Fails, Loss::Unsynced),
        (Fault::CutShort, Loss::Nothing),
        (Fault::PowerCut, Loss::Nothing),
        (Fault::PowerCut, Loss::Unsynced),
        (Fault::PowerCut, Loss::Contents),
    ] {
        let mut call = 0;
        loop {
            call += 1;
            let folder = tempfile::tempdir().unwrap();
            let faulty = Faulty::new(folder.path(), Some((call, fault))).unwrap();
            let out = folder.path().join("out");
            let name = out.display().to_string();
            let first = dedup(&job, &Target::on(&name, Files::on(faulty.clone())).unwrap());
            faulty.restart(loss).unwrap();
            let what = format!("{fault:?}, {loss:?} at call {call}");
            let target = local(&out);
            match first {
                Ok(_) => same(&outputs(&target), &wanted, &format!("{what}: said to be finished")),
                Err(error) => {
                    assert!(matches!(error, Error::Io { .. } | Error::Corpus(_)), "{what}: {error}");
                }
            }
            let second = dedup(&job, &target).unwrap_or_else(|error| panic!("{what}: {error}"));
            same(&outputs(&target), &wanted, &what);
            let left = std::fs::read_dir(out.join("_lookalike")).unwrap();
            let names: Vec<String> =
                left.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            let left = names.iter().any(|name| name.contains("unfinished") || name.contains("tmp"));
            // A power cut may bring back what a finished run had removed.
            assert!(!left || matches!(second, Outcome::AlreadyFinished(_)), "{what}: {names:?}");
            if faulty.calls() < call {
                break;
            }
        }
        assert!(call > 80, "only {call} calls");
    }
}

/// An output that was finished before a kill, and damaged after it, is not kept.
#[test]
fn outputs_that_were_cut_off_are_written_again() {
    let corpus = corpus();
    let job = corpus.job();
    let wanted = undisturbed(&job);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let target = local(&out);
    let list = out.join("_lookalike/outputs.jsonl");
    let cut = |path: &Path| {
        let bytes = std::fs::read(path).unwrap();
        std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    };
    let names: Vec<&String> = wanted.keys().filter(|name| *name != "report.json").collect();
    for is_finished in [false, true] {
        for damage in
            ["cut", "cut, no list", "cut, list cut", "cut, list damaged", "missing", "missing, no list"]
        {
            for name in &names {
                dedup(&job, &target).unwrap();
                if !is_finished {
                    std::fs::remove_file(out.join("report.json")).unwrap();
                }
                match damage.split(", ").next() {
                    Some("cut") => cut(&out.join(name)),
                    _ => std::fs::remove_file(out.join(name)).unwrap(),
                }
                match damage.split(", ").nth(1) {
                    Some("no list") => std::fs::remove_file(&list).unwrap(),
                    Some("list cut") => cut(&list),
                    Some(_) => std::fs::write(&list, b"\xff{\n\n").unwrap(),
                    None => {}
                }
                dedup(&job, &target).unwrap();
                same(&outputs(&target), &wanted, &format!("{name}, {damage}, finished {is_finished}"));
                assert!(matches!(dedup(&job, &target).unwrap(), Outcome::AlreadyFinished(_)));
            }
        }
    }
}

/// What somebody appended to a finished output is not lost when the run goes on.
#[test]
fn outputs_that_were_appended_to_are_kept() {
    let corpus = corpus();
    let job = corpus.job();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let target = local(&out);
    for is_finished in [true, false] {
        dedup(&job, &target).unwrap();
        let name = job.sources[0].output.clone();
        let longer = [std::fs::read(out.join(&name)).unwrap(), b"more\n".to_vec()].concat();
        std::fs::write(out.join(&name), &longer).unwrap();
        std::fs::remove_file(out.join(&job.sources[1].output)).unwrap();
        if !is_finished {
            std::fs::remove_file(out.join("report.json")).unwrap();
        }
        dedup(&job, &target).unwrap();
        assert!(std::fs::read(out.join(&name)).unwrap() == longer, "finished {is_finished}");
        assert!(out.join(&job.sources[1].output).exists());
        assert!(matches!(dedup(&job, &target).unwrap(), Outcome::AlreadyFinished(_)));
    }
}

/// The report of a finished run can be written again: nothing else depends on it.
#[test]
fn a_damaged_report_is_written_again() {
    let corpus = corpus();
    let job = corpus.job();
    let wanted = undisturbed(&job);
    let folder = tempfile::tempdir().unwrap();
    let target = local(&folder.path().join("out"));
    for damaged in ["", "{", "[]", "{\"version\": 1}"] {
        dedup(&job, &target).unwrap();
        target.write("report.json", damaged.as_bytes()).unwrap();
        assert!(is_resumed(dedup(&job, &target).unwrap()), "`{damaged}`");
        same(&outputs(&target), &wanted, damaged);
    }
}

/// A text file that is removed has no output, and is not missing.
#[test]
fn a_finished_run_over_text_files_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    let texts = folder.path().join("in");
    std::fs::create_dir(&texts).unwrap();
    let text: String = (0..400).map(|number| format!("{number} ")).collect();
    for name in ["a.txt", "b.txt", "c.txt"] {
        std::fs::write(texts.join(name), &text).unwrap();
    }
    let sources = corpus::discover(&[&texts], &corpus::Discovery::default()).unwrap();
    let job = job(&Settings::default(), sources, Vec::new(), 1);
    let target = local(&folder.path().join("out"));
    assert!(matches!(dedup(&job, &target).unwrap(), Outcome::Finished(_)));
    assert_eq!(outputs(&target).len(), 3, "one text, the removed ones, the report");
    assert!(matches!(dedup(&job, &target).unwrap(), Outcome::AlreadyFinished(_)));
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let there = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &there);
        } else {
            std::fs::copy(&path, &there).unwrap();
        }
    }
}

/// A work folder as a kill before the first output leaves it.
fn killed_before_outputs(job: &Job, out: &Path) {
    dedup(job, &local(out)).unwrap();
    for entry in std::fs::read_dir(out).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn a_damaged_work_folder_never_leads_to_a_wrong_output() {
    let corpus = corpus();
    let job = corpus.job();
    let wanted = undisturbed(&job);
    let folder = tempfile::tempdir().unwrap();
    let pristine = folder.path().join("pristine");
    killed_before_outputs(&job, &pristine);
    let names: Vec<PathBuf> =
        Files::default().list(&pristine).unwrap().into_iter().map(PathBuf::from).collect();
    assert!(names.len() >= 8, "{names:?}");
    let mut random = SplitMix64::new(5);
    let mut refused = 0;
    for round in 0..300 {
        let out = folder.path().join(format!("out-{round}"));
        copy(&pristine, &out);
        let path = out.join(&names[random.below(names.len() as u64) as usize]);
        let bytes = std::fs::read(&path).unwrap();
        let at = random.below(bytes.len().max(1) as u64) as usize;
        let damage = random.below(4);
        match damage {
            0 if !bytes.is_empty() => {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << random.below(8);
                std::fs::write(&path, flipped).unwrap();
            }
            1 => std::fs::write(&path, &bytes[..at]).unwrap(),
            2 => std::fs::remove_file(&path).unwrap(),
            _ => {
                let parts = ["part-000000", "part-000001", "part-000002"]
                    .map(|part| out.join("_lookalike/sketches").join(part));
                let (a, b) = (random.below(3) as usize, random.below(3) as usize);
                let (of_a, of_b) = (std::fs::read(&parts[a]).unwrap(), std::fs::read(&parts[b]).unwrap());
                std::fs::write(&parts[a], of_b).unwrap();
                std::fs::write(&parts[b], of_a).unwrap();
            }
        }
        let what = format!("round {round}: damage {damage} at {at} of {}", path.display());
        match dedup(&job, &local(&out)) {
            Ok(_) => same(&outputs(&local(&out)), &wanted, &what),
            Err(Error::Target(message)) => {
                refused += 1;
                // Only what says what the run is can be so damaged that it is another run.
                assert!(path.ends_with("run.json"), "{what}: {message}");
                assert!(message.contains("choose another target folder"), "{what}: {message}");
            }
            Err(error) => panic!("{what}: {error}"),
        }
        std::fs::remove_dir_all(&out).unwrap();
    }
    assert!(refused < 60, "{refused} were refused");
}

#[test]
fn to_an_object_store_a_run_goes_on_from_any_call() {
    let corpus = corpus();
    let job = corpus.job();
    let wanted = undisturbed(&job);
    for done_first in [false, true] {
        let mut call = 0;
        loop {
            call += 1;
            let address = format!("{}/out", memory_store(&format!("going-on-{done_first}-{call}")));
            let mut faulty: Option<Arc<FaultyPlace>> = None;
            let target = Target::new(&address).unwrap().with_place(|place| {
                let place = Arc::new(FaultyPlace::new(place, call, done_first));
                faulty = Some(place.clone());
                place
            });
            let first = dedup(&job, &target);
            let what = format!("call {call}, done first: {done_first}");
            let target = Target::new(&address).unwrap();
            let outcome = dedup(&job, &target).unwrap_or_else(|error| panic!("{what}: {error}"));
            same(&outputs(&target), &wanted, &what);
            let already = matches!(outcome, Outcome::AlreadyFinished(_));
            assert_eq!(already, target.read("report.json").unwrap().is_some() && already, "{what}");
            // The report is the last thing that is needed; after it only what is temporary is left.
            if !already {
                assert!(!target.exists("_lookalike/lock").unwrap(), "{what}");
            }
            if faulty.is_some_and(|faulty| faulty.calls() < call) {
                assert!(first.is_ok());
                break;
            }
        }
        assert!(call > 15, "only {call} calls");
    }
}

#[test]
fn a_prefix_where_another_computer_works_or_another_run_is_refused() {
    let corpus = corpus();
    let job = corpus.job();
    let address = format!("{}/out", memory_store("prefix-lock"));
    let target = Target::new(&address).unwrap();
    target.write("_lookalike/lock", br#"{"computer":"elsewhere","process":7,"folder":"/x"}"#).unwrap();
    let message = dedup(&job, &target).unwrap_err().to_string();
    assert!(message.contains("process 7 on elsewhere") && message.contains("_lookalike/lock"), "{message}");
    target.remove("_lookalike/lock").unwrap();
    dedup(&job, &target).unwrap();
    let mut other = corpus.job();
    other.settings.matching.threshold = 0.9;
    let message = dedup(&other, &target).unwrap_err().to_string();
    assert!(message.contains("threshold is 0.6, but now it is 0.9"), "{message}");
    // Outputs that nobody can say what they are of.
    target.remove("report.json").unwrap();
    target.remove("_lookalike/run.json").unwrap();
    let message = dedup(&job, &target).unwrap_err().to_string();
    assert!(message.contains("run.json, which describes the run, is missing"), "{message}");
    // The local work folder of a finished run is gone.
    let left = std::fs::read_dir(corpus.folder.path()).unwrap();
    assert_eq!(left.count(), 1, "only the inputs");
}

/// Stops a run after so many questions.
struct Stop(AtomicU64);

impl Observer for Stop {
    fn interrupted(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

#[test]
fn resumed_is_said_if_something_was_used_again() {
    let corpus = corpus();
    let job = corpus.job();
    let folder = tempfile::tempdir().unwrap();
    let target = local(&folder.path().join("out"));
    // Before the first part there is nothing to go on from, and nothing remains.
    let stopped = crate::dedup(&job, &target, false, &Stop(AtomicU64::new(0)));
    assert!(matches!(stopped, Err(Error::Interrupted)));
    assert!(!folder.path().join("out").exists());
    assert!(!is_resumed(dedup(&job, &target).unwrap()));
    std::fs::remove_file(folder.path().join("out/report.json")).unwrap();
    assert!(is_resumed(dedup(&job, &target).unwrap()));
}

#[test]
fn a_touched_source_is_the_same_and_a_changed_one_is_not() {
    let corpus = corpus();
    let out = corpus.folder.path().join("out");
    killed_before_outputs(&corpus.job(), &out);
    let argument = corpus.folder.path().join("in").display().to_string();
    let again = || {
        let sources = corpus::discover(std::slice::from_ref(&argument), &Default::default()).unwrap();
        // As they were named before.
        let sources = sources.into_iter().zip(&corpus.sources).map(|(found, before)| Source {
            name: before.name.clone(),
            output: before.output.clone(),
            location: before.location.clone(),
            ..found
        });
        Job { sources: sources.collect(), ..corpus.job() }
    };
    let path = PathBuf::from(&corpus.sources[0].name);
    let file = File::options().append(true).open(&path).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    assert!(is_resumed(dedup(&again(), &local(&out)).unwrap()));
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen('a', "b", 1)).unwrap();
    let message = dedup(&again(), &local(&out)).unwrap_err().to_string();
    assert!(message.contains("has changed since the run in"), "{message}");
}

#[test]
fn a_run_that_failed_makes_way_for_the_corrected_one_and_a_stopped_one_does_not() {
    let corpus = corpus();
    let path = PathBuf::from(&corpus.sources[1].name);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text + "{\"no text\n").unwrap();
    let sources = corpus::discover(
        &corpus.sources.iter().map(|s| s.name.clone()).collect::<Vec<_>>(),
        &Default::default(),
    )
    .unwrap();
    let with = |change: &dyn Fn(&mut Settings)| {
        let mut job = Job { sources: sources.clone(), ..corpus.job() };
        change(&mut job.settings);
        job
    };
    let out = corpus.folder.path().join("out");
    // Before anything was sketched nothing remains.
    let typo = with(&|settings| settings.files.text_field = "typo".into());
    assert!(dedup(&typo, &local(&out)).is_err());
    assert!(!out.exists());
    // Later the sketches remain, and make way.
    let failed = with(&|_| {});
    assert!(matches!(dedup(&failed, &local(&out)), Err(Error::BadRecord { .. })));
    assert!(Work::has_parts(&Files::default(), &out.join("_lookalike")).unwrap());
    let corrected = with(&|settings| settings.files.on_bad_record = OnBadRecord::Skip);
    // Stopped after some parts: worth going on from, so no other run takes its place.
    let mut questions = 1;
    while !Work::has_parts(&Files::default(), &out.join("_lookalike")).unwrap() || questions == 1 {
        let stopped = crate::dedup(&corrected, &local(&out), false, &Stop(AtomicU64::new(questions)));
        assert!(matches!(stopped, Err(Error::Interrupted)));
        questions += 1;
    }
    let other = with(&|settings| settings.matching.threshold = 0.9);
    let message = dedup(&other, &local(&out)).unwrap_err().to_string();
    assert!(message.contains("on-bad-record is") || message.contains("threshold is"), "{message}");
    dedup(&corrected, &local(&out)).unwrap();
}

#[test]
fn a_folder_that_cannot_be_synced_is_no_obstacle() {
    #[derive(Debug)]
    struct NoFolderSync;
    impl files::System for NoFolderSync {
        fn create(&self, path: &Path, access: files::Access) -> std::io::Result<File> {
            files::Local.create(path, access)
        }
        fn open(&self, path: &Path) -> std::io::Result<File> {
            files::Local.open(path)
        }
        fn write(&self, path: &Path, file: &mut File, bytes: &[u8]) -> std::io::Result<usize> {
            files::Local.write(path, file, bytes)
        }
        fn sync(&self, path: &Path, file: &File) -> std::io::Result<()> {
            files::Local.sync(path, file)
        }
        fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()> {
            files::Local.rename(from, to)
        }
        fn rename_new(&self, from: &Path, to: &Path) -> std::io::Result<()> {
            files::Local.rename_new(from, to)
        }
        fn sync_folder(&self, _folder: &Path) -> std::io::Result<()> {
            Err(std::io::ErrorKind::InvalidInput.into())
        }
        fn make_folder(&self, folder: &Path, access: files::Access) -> std::io::Result<()> {
            files::Local.make_folder(folder, access)
        }
        fn remove_file(&self, path: &Path) -> std::io::Result<()> {
            files::Local.remove_file(path)
        }
        fn remove_folder(&self, folder: &Path) -> std::io::Result<()> {
            files::Local.remove_folder(folder)
        }
        fn remove_tree(&self, folder: &Path) -> std::io::Result<()> {
            files::Local.remove_tree(folder)
        }
        fn list(&self, folder: &Path) -> std::io::Result<Vec<files::Entry>> {
            files::Local.list(folder)
        }
    }
    let corpus = corpus();
    let out = corpus.folder.path().join("out");
    let target = Target::on(&out.display().to_string(), Files::on(Arc::new(NoFolderSync))).unwrap();
    dedup(&corpus.job(), &target).unwrap();
    same(&outputs(&target), &undisturbed(&corpus.job()), "without folder syncs");
}
