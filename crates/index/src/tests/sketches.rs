//! Sketches that were made elsewhere: an index of them gives the answers of an index of the texts.

use super::{in_memory, options, thorough};
use crate::store::memory::MemoryStore;
use crate::{
    Config, Document, Error, IfPresent, Imported, Index, Kept, Lifetime, LshFile, ManualClock, OnMatch,
    Query, Sketches, Stored,
};
use corpus::{Discovery, discover};
use lookalike::banding::Banding;
use lookalike::index::LshIndex;
use lookalike::minhash::{FastSketch, MinHasher, MultiplyShift};
use pipeline::{Job, Method, Resources, Settings, Silent};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use testkit::corpora::{self, Planted, edge_documents, templated, write_files};

const MEMORY: u64 = 256 << 20;

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(1_000))
}

/// Texts of all kinds: near-duplicates, copies, short ones, empty ones, with NUL, and in namespaces.
fn texts() -> Vec<corpora::Document> {
    let mut all: Vec<corpora::Document> = edge_documents();
    all.extend(templated(60, 400, 0.7, 7));
    all.extend(Planted::short(200, 3).collect());
    let copies: Vec<_> = all.iter().step_by(9).cloned().collect();
    all.extend(copies);
    for (at, document) in all.iter_mut().enumerate() {
        document.id = format!("id-{at}");
        document.domain = (at % 5 == 0).then(|| format!("domain {}", at % 2));
    }
    all
}

fn job(folder: &Path, documents: &[corpora::Document], settings: &Settings) -> Job {
    let files = write_files(folder, documents.iter().cloned(), &[]).unwrap();
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let settings = settings.clone().with_id_field(Some("id".into())).with_within(Some("domain".into()));
    Job {
        sources: discover(&files, &Discovery::default()).unwrap(),
        against: Vec::new(),
        settings,
        resources: Resources { memory: MEMORY, threads: 1, ..Resources::of_this_machine() },
        sketch: None,
        indexes: pipeline::Indexes::default(),
    }
}

/// A sketch file of a job, whose sources are gone.
fn sketched(folder: &Path, mut job: Job, store: pipeline::Stored) -> PathBuf {
    let path = folder.join(format!("corpus-{store}.sketch"));
    job.settings.files.store = store;
    pipeline::sketch(&job, &path, &Silent).unwrap();
    path
}

fn contents(index: &Index) -> Vec<Kept> {
    let mut all = Vec::new();
    let visit = |kept| {
        all.push(kept);
        Ok::<_, Error>(true)
    };
    index.export(visit).unwrap();
    all
}

/// Both answer alike, to every question about these texts.
fn assert_same_answers(a: &Index, b: &Index, documents: &[corpora::Document]) {
    let mut found = 0;
    for it in documents {
        let query = Query::text(&*it.text).with_within(it.domain.clone());
        let (left, right) = (a.query(&query).unwrap(), b.query(&query).unwrap());
        found += left.matches.len();
        assert_eq!(left, right, "{}", it.id);
        let document = Document::new(format!("new {}", it.id), &*it.text).with_within(it.domain.clone());
        let ask = |index: &Index| index.check(&document, false, OnMatch::Skip).unwrap();
        assert_eq!(ask(a), ask(b), "{}", it.id);
        assert_eq!(a.query(&Query::id(&*it.id)).unwrap(), b.query(&Query::id(&*it.id)).unwrap(), "{}", it.id);
    }
    assert!(found > documents.len(), "only {found} matches");
    assert!(a.verify().unwrap().is_clean() && b.verify().unwrap().is_clean());
}

#[test]
fn an_index_of_a_sketch_file_is_the_index_of_its_texts() {
    let simhash = thorough().with_method(Method::Simhash).with_distance(6).with_bands(None);
    for settings in [thorough(), simhash, thorough().with_elements(pipeline::Elements::Bag)] {
        let folder = tempfile::tempdir().unwrap();
        let documents = texts();
        let job = job(folder.path(), &documents, &settings);
        for (stored, store) in [
            (pipeline::Stored::Signatures, Stored::Signatures),
            (pipeline::Stored::Shingles, Stored::Shingles),
        ] {
            let path = sketched(folder.path(), job.clone(), stored);
            let sketches = Sketches::open(&path).unwrap().unwrap();
            assert!(Sketches::is_file(&path) && sketches.unknown().is_none());
            let config = Config::default().with_settings(sketches.settings(&Settings::default()));
            let config = config.with_store(store);
            let place = folder.path().join(format!("index-{store}"));
            let index =
                Index::open_or_create_for(&sketches, &place, &config, |_| true, &options(&clock())).unwrap();
            let added = index.add_sketches(&sketches, IfPresent::Refuse, MEMORY, &Silent).unwrap();
            assert_eq!(added.added, documents.len() as u64);
            let plain = Config::default().with_settings(settings.clone()).with_store(store);
            let plain = in_memory(&MemoryStore::default(), &plain, &clock());
            plain.add_sources(&job, IfPresent::Refuse, &Silent).unwrap();
            assert_eq!(contents(&index), contents(&plain), "{store}");
            assert_same_answers(&index, &plain, &documents);
            // Ids that are there are refused, left out or replaced, as those of texts.
            let again = |if_present| index.add_sketches(&sketches, if_present, MEMORY, &Silent);
            assert!(matches!(again(IfPresent::Refuse), Err(Error::DuplicateId { .. })));
            assert_eq!(again(IfPresent::Skip).unwrap().present, documents.len() as u64);
            assert_eq!(again(IfPresent::Update).unwrap().added, documents.len() as u64);
            assert_eq!(contents(&index), contents(&plain), "{store}");
        }
    }
}

/// Several files are one load: if a later one cannot be added, nothing of the earlier ones is.
#[test]
fn several_files_are_added_all_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let documents = texts();
    let file = |name: &str, documents: &[corpora::Document]| {
        let folder = folder.path().join(name);
        let path = sketched(
            folder.parent().unwrap(),
            job(&folder, documents, &thorough()),
            pipeline::Stored::Signatures,
        );
        std::fs::rename(&path, folder.with_extension("sketch")).unwrap();
        Sketches::open(&folder.with_extension("sketch")).unwrap().unwrap()
    };
    let (first, second) = documents.split_at(documents.len() / 2);
    let mut repeated = second.to_vec();
    repeated.last_mut().unwrap().id.clone_from(&first[3].id);
    let (first, second, repeated) =
        (file("first", first), file("second", second), file("repeated", &repeated));
    let config = Config::default().with_settings(thorough());
    let index = Index::create(folder.path().join("index"), &config, &options(&clock())).unwrap();
    let add = |files: &[Sketches]| {
        index.add_all_sketches(files, Lifetime::Usual, IfPresent::Refuse, MEMORY, &Silent)
    };
    let all = [first, repeated];
    assert!(matches!(add(&all), Err(Error::DuplicateId { id }) if id == documents[3].id));
    assert!(contents(&index).is_empty());
    let [first, _] = all;
    assert_eq!(add(&[first, second]).unwrap().added, documents.len() as u64);
    let ids: Vec<String> = contents(&index).into_iter().map(|kept| kept.id).collect();
    assert_eq!(ids, documents.iter().map(|it| it.id.clone()).collect::<Vec<_>>());
}

/// The sources are not read: they may be gone.
#[test]
fn a_sketch_file_is_enough() {
    let folder = tempfile::tempdir().unwrap();
    let documents = texts();
    let job = job(folder.path(), &documents, &thorough());
    let path = sketched(folder.path(), job.clone(), pipeline::Stored::Signatures);
    job.sources
        .iter()
        .for_each(|source| std::fs::remove_file(folder.path().join(source_file(source))).unwrap());
    let index = in_memory(&MemoryStore::default(), &Config::default().with_settings(thorough()), &clock());
    let sketches = Sketches::open(&path).unwrap().unwrap();
    index.add_sketches(&sketches, IfPresent::Refuse, MEMORY, &Silent).unwrap();
    assert_eq!(index.stats().unwrap().documents, documents.len() as u64);
}

fn source_file(source: &corpus::Source) -> PathBuf {
    match &source.location {
        corpus::Location::Local(path) => path.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn sketches_that_do_not_fit_are_refused_and_nothing_is_added() {
    let folder = tempfile::tempdir().unwrap();
    let documents = texts();
    let job = job(folder.path(), &documents, &thorough());
    let path = sketched(folder.path(), job.clone(), pipeline::Stored::Signatures);
    let with_sets = sketched(folder.path(), job, pipeline::Stored::Shingles);
    let refused = |settings: Settings, store: Stored, path: &Path| {
        let config = Config::default().with_settings(settings).with_store(store);
        let index = in_memory(&MemoryStore::default(), &config, &clock());
        let sketches = Sketches::open(path)?.unwrap();
        let error = index.add_sketches(&sketches, IfPresent::Refuse, MEMORY, &Silent).unwrap_err();
        assert_eq!(index.stats().unwrap().documents, 0);
        Err::<(), _>(error)
    };
    let contradiction = |settings: Settings| match refused(settings, Stored::Signatures, &path).unwrap_err() {
        Error::Contradiction { setting, index, asked } => (setting, index, asked),
        other => panic!("{other}"),
    };
    let of = |setting: &str, index: &str, asked: &str| (setting.into(), index.into(), asked.into());
    let bands = Some(pipeline::BandsAndRows { bands: 16, rows: 4 });
    assert_eq!(contradiction(thorough().with_hashes(64).with_bands(bands)), of("hashes", "64", "128"));
    assert_eq!(contradiction(thorough().with_seed(9)), of("seed", "9", "1"));
    assert_eq!(
        contradiction(thorough().with_shingles("words:3".into())),
        of("shingles", "words:3", "words:2")
    );
    assert_eq!(contradiction(thorough().with_max_text(99)).0, "max-text");
    let reason = |store, path: &Path| match refused(thorough(), store, path).unwrap_err() {
        Error::NotInSketches { reason, .. } => reason,
        other => panic!("{other}"),
    };
    assert_eq!(reason(Stored::Text, &path), "it has no texts");
    assert_eq!(reason(Stored::Shingles, &path), "it has no shingles");
    assert!(reason(Stored::Shingles, &with_sets).contains("another key"));
    // An index that would not fit is not created.
    let config = Config::default().with_settings(thorough()).with_store(Stored::Text);
    let place = folder.path().join("none");
    let sketches = Sketches::open(&path).unwrap().unwrap();
    let created = Index::open_or_create_for(&sketches, &place, &config, |_| true, &options(&clock()));
    assert!(matches!(created, Err(Error::NotInSketches { .. })) && !place.exists());
    // A file that is cut or changed is named.
    let bytes = std::fs::read(&path).unwrap();
    let damaged = folder.path().join("damaged.sketch");
    let mut changed = bytes.clone();
    let at = bytes.len() - 2_000;
    changed[at] ^= 1;
    for wrong in [&bytes[..bytes.len() - 9], &bytes[..40], &changed] {
        std::fs::write(&damaged, wrong).unwrap();
        let error = refused(thorough(), Stored::Signatures, &damaged).unwrap_err();
        assert!(error.to_string().contains("damaged.sketch is damaged"), "{error}");
    }
    assert!(Sketches::open(folder.path()).unwrap().is_none());
}

/// A load of sketches that fails at any call goes on with the same call.
#[test]
fn a_load_that_stops_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut documents: Vec<_> = (0..2_500)
        .map(|at| {
            corpora::Document::new(
                format!("id-{at}"),
                format!("some words and number {at} here {}", at % 900),
            )
        })
        .collect();
    // A field that no record has would be refused.
    documents[0].domain = Some("a".into());
    let path =
        sketched(folder.path(), job(folder.path(), &documents, &thorough()), pipeline::Stored::Signatures);
    let sketches = Sketches::open(&path).unwrap().unwrap();
    let config = Config::default().with_settings(thorough());
    // Several chunks.
    let load = |index: &Index| index.add_sketches(&sketches, IfPresent::Refuse, 2 << 20, &Silent);
    let whole = in_memory(&MemoryStore::default(), &config, &clock());
    assert_eq!(load(&whole).unwrap().added, 2_500);
    assert!(whole.stats().unwrap().batches > 6);
    let mut resumed = 0;
    for call in (1..).step_by(7_001) {
        let store = MemoryStore::default();
        let index = in_memory(&store, &config, &clock());
        store.fail_at(call, false);
        let failed = load(&index).is_err();
        store.fail_at(0, false);
        drop(index);
        let index = in_memory(&store, &config, &clock());
        if !failed {
            break;
        }
        if index.stats().unwrap().documents < 2_500 {
            let added = load(&index).unwrap();
            assert_eq!(added.added + added.resumed, 2_500, "call {call}");
            resumed += u64::from(added.resumed > 0);
        }
        assert_eq!(contents(&index), contents(&whole), "call {call}");
        assert!(index.verify().unwrap().is_clean(), "call {call}");
    }
    assert!(resumed > 2, "{resumed}");
}

/// The bytes of an index in memory of these texts, with ids and a note as somebody writes them.
fn lsh(index: &Index, texts: &[&str], note: &[u8], write: impl Fn(u64) -> Vec<u8>) -> Vec<u8> {
    let hasher = FastSketch::new(128, 1).unwrap();
    let mut lsh = LshIndex::new(Banding::new(32, 4).unwrap());
    for (number, text) in (0..).zip(texts) {
        let set = index.engine.documents.shingler().set(text);
        lsh.insert(number, &hasher.sketch(set.as_slice())).unwrap();
    }
    lsh.to_bytes_with(note, |id, bytes| bytes.extend(write(*id))).unwrap()
}

fn note(shingling: &str) -> Vec<u8> {
    [&0.5f64.to_le_bytes()[..], &128u32.to_le_bytes(), shingling.as_bytes()].concat()
}

const TEXTS: [&str; 4] = [
    "one two three four five six seven eight nine ten eleven twelve",
    "one two three four five six seven eight nine ten eleven thirteen",
    "one two three four five six seven eight nine ten eleven twelve",
    "something else that has nothing to do with any of the others",
];

#[test]
fn an_index_in_memory_is_taken_by_its_lanes() {
    let config = Config::default().with_settings(thorough());
    let index = in_memory(&MemoryStore::default(), &config, &clock());
    let bytes = lsh(&index, &TEXTS, b"mine", |number| format!("doc-{number}").into_bytes());
    let file = LshFile::read("old.lkli", bytes).unwrap();
    let sketches = Sketches::Lsh(file);
    assert!(sketches.unknown().is_some());
    let added = index.add_sketches(&sketches, IfPresent::Refuse, MEMORY, &Silent).unwrap();
    assert_eq!((added.added, index.stats().unwrap().distinct), (4, 3));
    let answer = index.query(&Query::text(TEXTS[0])).unwrap();
    let found: Vec<_> = answer.matches.iter().map(|it| (it.id.as_str(), it.exact)).collect();
    assert_eq!(found, [("doc-0", false), ("doc-2", false), ("doc-1", false)]);
    assert_eq!(answer.matches[0].similarity, 1.0);
    // A text that comes later is not taken for a copy: nobody knows that it is one.
    index.add(&Document::new("text", TEXTS[0])).unwrap();
    assert_eq!(index.stats().unwrap().distinct, 4);
    let answer = index.query(&Query::text(TEXTS[0])).unwrap();
    assert_eq!((answer.matches.len(), answer.matches[2].exact), (4, true));
    assert_eq!(index.remove(&["doc-0"]).unwrap(), 1);
    let found = index.query(&Query::text(TEXTS[0])).unwrap();
    let found: Vec<_> = found.matches.into_iter().map(|it| it.id).collect();
    assert_eq!(found, ["doc-2", "text", "doc-1"]);
    assert!(index.verify().unwrap().is_clean());
}

#[test]
fn keys_and_shingles_of_python_are_understood() {
    let index = in_memory(&MemoryStore::default(), &Config::default().with_settings(thorough()), &clock());
    let keys = [b"sname \xc3\xa9".to_vec(), b"i\x2a".to_vec(), b"i\x00\xff".to_vec(), b"bbytes".to_vec()];
    let key = |number: u64| keys[number as usize].clone();
    let shingling = "words:2 case=fold form=nfc punctuation=keep whitespace=collapse";
    let described = |normalize: &pipeline::NormalizeSettings| {
        let pipeline::NormalizeSettings { case, form, punctuation, whitespace } = normalize;
        format!("words:2 case={case} form={form} punctuation={punctuation} whitespace={whitespace}")
    };
    let own = described(&thorough().signature.normalize);
    let read = |shingling: &str| {
        Sketches::Lsh(LshFile::read("p.lsh", lsh(&index, &TEXTS, &note(shingling), key)).unwrap())
    };
    let sketches = read(&own);
    assert!(sketches.unknown().is_none() && read("").unknown().is_some());
    assert_eq!(index.add_sketches(&sketches, IfPresent::Refuse, MEMORY, &Silent).unwrap().added, 4);
    let ids: Vec<_> = contents(&index).into_iter().map(|it| it.id).collect();
    assert_eq!(ids, ["name é", "42", "-256", "bytes"]);
    // Other shingles do not fit, unless they are not known.
    for wrong in [shingling.replace("words:2", "words:3"), own.replace("fold", "keep"), "nonsense x".into()] {
        let error = index.check_sketches(&read(&wrong)).unwrap_err();
        assert!(matches!(&error, Error::Contradiction { setting, .. } if setting == "shingles"), "{error}");
    }
    assert!(index.check_sketches(&read("")).is_ok());
    // A new index gets the settings of the file.
    let settings = read("words:3 case=keep").settings(&Settings::default().with_hashes(64).with_seed(4));
    assert_eq!((settings.signature.hashes, settings.signature.seed), (128, 1));
    assert_eq!(settings.signature.shingles, "words:3");
    assert_eq!(settings.signature.normalize.case, pipeline::Case::Keep);
}

#[test]
fn signatures_of_other_kinds_are_refused() {
    let index = in_memory(&MemoryStore::default(), &Config::default().with_settings(thorough()), &clock());
    let refused = |bytes: &[u8]| {
        let sketches = Sketches::Lsh(LshFile::read("x", bytes.to_vec())?);
        index.add_sketches(&sketches, IfPresent::Refuse, MEMORY, &Silent).map(|_| ())
    };
    let of = |hasher: &dyn Fn(&[u64]) -> lookalike::minhash::Signature| {
        let mut lsh = LshIndex::new(Banding::new(4, 4).unwrap());
        lsh.insert(1, &hasher(&[1, 2, 3])).unwrap();
        lsh.to_bytes_with(b"", |_, bytes| bytes.push(b'a')).unwrap()
    };
    let setting = |bytes: &[u8]| match refused(bytes).unwrap_err() {
        Error::Contradiction { setting, .. } => setting,
        other => panic!("{other}"),
    };
    assert_eq!(setting(&of(&|set| MultiplyShift::new(128, 1).unwrap().sketch(set))), "family");
    assert_eq!(setting(&of(&|set| FastSketch::new(128, 2).unwrap().sketch(set))), "seed");
    assert_eq!(setting(&of(&|set| FastSketch::new(64, 1).unwrap().sketch(set))), "hashes");
    let bytes = of(&|set| FastSketch::new(128, 1).unwrap().sketch(set));
    let mut changed = bytes.clone();
    changed[70] ^= 1;
    for wrong in [&bytes[..bytes.len() - 1], &changed, b"LKLI"] {
        assert!(refused(wrong).unwrap_err().to_string().contains("x is damaged"));
    }
    assert!(refused(&bytes).is_ok());
    // An empty one adds nothing.
    let empty = LshIndex::<u64>::new(Banding::new(4, 4).unwrap()).to_bytes_with(b"", |_, _| ()).unwrap();
    assert!(refused(&empty).is_ok());
    assert_eq!(index.stats().unwrap().documents, 1);
}

#[test]
fn a_signature_is_added_and_asked_for_by_its_lanes() {
    let index = in_memory(&MemoryStore::default(), &Config::default().with_settings(thorough()), &clock());
    let set = index.engine.documents.shingler().set(TEXTS[0]);
    let signature = FastSketch::new(128, 1).unwrap().sketch(set.as_slice());
    let lanes = index.lanes_of(&signature).unwrap();
    let add = |id: &str| {
        let imported = Box::new(Imported::new(lanes.clone()));
        index.add(&Document::of(id, crate::Content::Imported(imported)))
    };
    add("a").unwrap();
    assert_eq!(index.query(&Query::lanes(lanes.clone())).unwrap().matches[0].id, "a");
    assert_eq!(index.query(&Query::text(TEXTS[1])).unwrap().matches[0].id, "a");
    // Equal lanes are no exact copies.
    let imported = crate::Content::Imported(Box::new(Imported::new(lanes.clone())));
    let checked = index.check(&Document::of("b", imported), true, OnMatch::Skip).unwrap();
    let matched = checked.matched.unwrap();
    assert_eq!((matched.similarity, matched.exact), (1.0, false));
    assert!(matches!(add("a"), Err(Error::DuplicateId { .. })));
}

#[cfg(feature = "parquet")]
mod tables {
    use super::*;
    use crate::SketchTable;
    use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;
    use stages::Stages;

    /// The sketches of texts as another engine has them, in a Parquet file.
    fn written(path: &Path, documents: &[corpora::Document], settings: &Settings) -> RecordBatch {
        let ids = Int64Array::from_iter_values(0..documents.len() as i64);
        let texts = StringArray::from_iter_values(documents.iter().map(|it| &*it.text));
        let domains = StringArray::from_iter(documents.iter().map(|it| it.domain.as_deref()));
        let columns: [(&str, ArrayRef); 3] =
            [("id", Arc::new(ids)), ("text", Arc::new(texts)), ("domain", Arc::new(domains))];
        let batch =
            RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)));
        let settings = settings.clone().with_id_field(Some("id".into())).with_within(Some("domain".into()));
        let sketches = Stages::new(&settings).unwrap().sketch(&batch.unwrap()).unwrap();
        write(path, &sketches);
        sketches
    }

    fn write(path: &Path, batch: &RecordBatch) {
        let file = std::fs::File::create(path).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(batch).unwrap();
        writer.close().unwrap();
    }

    fn table(path: &Path) -> Option<Sketches> {
        let sources = discover(&[path], &Discovery::default()).unwrap();
        SketchTable::of(&sources, "text").unwrap().map(Sketches::Table)
    }

    #[test]
    fn an_index_of_a_table_of_sketches_is_the_index_of_its_texts() {
        let simhash = thorough().with_method(Method::Simhash).with_distance(6).with_bands(None);
        for settings in [thorough(), simhash] {
            let folder = tempfile::tempdir().unwrap();
            let mut documents = texts();
            for (at, document) in documents.iter_mut().enumerate() {
                document.id = at.to_string();
            }
            let path = folder.path().join("sketches.parquet");
            written(&path, &documents, &settings);
            let sketches = table(&path).unwrap();
            assert!(sketches.unknown().is_some());
            let config = Config::default().with_settings(settings.clone());
            let index = in_memory(&MemoryStore::default(), &config, &clock());
            let added = index.add_sketches(&sketches, IfPresent::Refuse, MEMORY, &Silent).unwrap();
            assert_eq!(added.added, documents.len() as u64);
            let plain = in_memory(&MemoryStore::default(), &config, &clock());
            let texts: Vec<_> = documents
                .iter()
                .map(|it| Document::new(&*it.id, &*it.text).with_within(it.domain.clone()))
                .collect();
            plain.add_batch(&texts).unwrap();
            assert_same_answers(&index, &plain, &documents);
        }
    }

    #[test]
    fn tables_that_are_no_sketches_or_do_not_fit_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sketches.parquet");
        let batch = written(&path, &texts(), &thorough());
        let other = folder.path().join("other.parquet");
        let without = |name: &str| {
            let at = batch.schema().index_of(name).unwrap();
            let mut left = batch.clone();
            left.remove_column(at);
            write(&other, &left);
            table(&other).is_none()
        };
        assert!(without("signature") && without("shingles") && !without("rank") && !without("within_hash"));
        // A column for the text makes it a table of texts.
        let schema = RecordBatch::try_from_iter([
            ("text", batch["reason"].clone()),
            ("id", batch["id"].clone()),
            ("content_hash", batch["content_hash"].clone()),
            ("shingles", batch["shingles"].clone()),
            ("signature", batch["signature"].clone()),
            ("keys", batch["keys"].clone()),
        ]);
        write(&other, &schema.unwrap());
        assert!(table(&other).is_none());
        let bands = Some(pipeline::BandsAndRows { bands: 64, rows: 4 });
        let config = Config::default().with_settings(thorough().with_hashes(256).with_bands(bands));
        let index = in_memory(&MemoryStore::default(), &config, &clock());
        let error =
            index.add_sketches(&table(&path).unwrap(), IfPresent::Refuse, MEMORY, &Silent).unwrap_err();
        assert!(error.to_string().contains("a signature of 2"), "{error}");
        assert!(error.to_string().contains("this index has signatures of 512 bytes"), "{error}");
        assert_eq!(index.stats().unwrap().documents, 0);
        let config = Config::default().with_settings(thorough()).with_store(Stored::Text);
        let index = in_memory(&MemoryStore::default(), &config, &clock());
        let error =
            index.add_sketches(&table(&path).unwrap(), IfPresent::Refuse, MEMORY, &Silent).unwrap_err();
        assert!(matches!(error, Error::NotInSketches { .. }), "{error}");
    }
}
