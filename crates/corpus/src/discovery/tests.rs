use super::recognition::recognise;
use super::{Discovery, FormatChoice, discover, find as find_all};
use crate::{Compression, Error, Format, Location, Source, Stamp};
use std::path::Path;

const CSV: Format = Format::Csv { delimiter: b',' };
const TSV: Format = Format::Csv { delimiter: b'\t' };

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

fn find(folder: &Path, argument: &str) -> Result<Vec<Source>, Error> {
    discover(&[folder.join(argument).display().to_string()], &Discovery::default())
}

fn outputs(sources: &[Source]) -> Vec<&str> {
    sources.iter().map(|source| source.output.as_str()).collect()
}

#[test]
fn a_folder_is_walked_bytewise_without_what_is_hidden() {
    let folder = tempfile::tempdir().unwrap();
    for name in
        ["b.txt", "a/z.jsonl", "a.txt", "B.csv", "a/b/c.tsv.gz", ".hidden", ".git/x.txt", "a-b.txt", "é.txt"]
    {
        write(folder.path(), name, b"x");
    }
    let found = find(folder.path(), "").unwrap();
    assert_eq!(outputs(&found), ["B.csv", "a-b.txt", "a.txt", "a/b/c.tsv.gz", "a/z.jsonl", "b.txt", "é.txt"]);
    let formats: Vec<Format> = found.iter().map(|source| source.format).collect();
    assert_eq!(formats, [CSV, Format::Text, Format::Text, TSV, Format::Jsonl, Format::Text, Format::Text]);
    assert_eq!(found[4].name, folder.path().join("").join("a/z.jsonl").display().to_string());
    assert_eq!(found[4].location, Location::Local(folder.path().join("a/z.jsonl")));
    assert_eq!(found[4].size, 1);
    assert!(matches!(found[4].stamp, Stamp::Modified(when) if when > 0));
}

#[cfg(unix)]
#[test]
fn links_are_followed_but_not_in_circles() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "real/a.txt", b"x");
    std::os::unix::fs::symlink(folder.path(), folder.path().join("real/up")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("real/a.txt"), folder.path().join("linked.txt")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("real"), folder.path().join("same")).unwrap();
    let found = find(folder.path(), "").unwrap();
    assert_eq!(outputs(&found), ["linked.txt", "real/a.txt", "same/a.txt"]);
}

#[test]
fn arguments_keep_their_order_and_patterns_are_bytewise() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["x/b.jsonl", "x/a.jsonl", "x/deep/c.jsonl", "x/.d.jsonl", "[odd].jsonl"] {
        write(folder.path(), name, b"{}\n");
    }
    let all = |arguments: &[&str]| {
        let arguments: Vec<String> =
            arguments.iter().map(|argument| folder.path().join(argument).display().to_string()).collect();
        discover(&arguments, &Discovery::default()).unwrap()
    };
    assert_eq!(outputs(&all(&["x/b.jsonl", "x/*.jsonl"])), ["b.jsonl", "a.jsonl", "b.jsonl"]);
    assert_eq!(outputs(&all(&["x/**/*.jsonl"])), ["a.jsonl", "b.jsonl", "deep/c.jsonl"]);
    assert_eq!(outputs(&all(&["*/[ab].jsonl"])), ["x/a.jsonl", "x/b.jsonl"]);
    assert_eq!(outputs(&all(&["x/?.jsonl"])), ["a.jsonl", "b.jsonl"]);
    // A file with exactly this name is preferred to the pattern.
    assert_eq!(outputs(&all(&["[odd].jsonl"])), ["[odd].jsonl"]);
}

#[test]
fn what_is_not_there_is_said_and_what_was_meant() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "documents.jsonl", b"");
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let said = |argument: &str| find(folder.path(), argument).unwrap_err().to_string();
    let missing = said("document.jsonl");
    assert!(
        missing.starts_with("there is no file or folder") && missing.contains("did you mean"),
        "{missing}"
    );
    assert!(missing.ends_with("documents.jsonl?"), "{missing}");
    assert!(!said("something-else").contains("did you mean"));
    assert!(said("no/such/folder").starts_with("there is no file or folder"));
    assert!(said("*.parquet").starts_with("no file matches"));
    assert!(said("a[").contains("is not a pattern"));
    assert!(said("empty").starts_with("there are no files in"));
}

#[test]
fn the_name_says_the_format_and_the_bytes_the_compression() {
    let gzip = [0x1f, 0x8b, 8, 0];
    let zstd = [0x28, 0xb5, 0x2f, 0xfd];
    let recognise = |name: &str, head: &[u8], how: &Discovery| recognise(name, head, how).unwrap();
    for (name, head, expected) in [
        ("a.jsonl", &b"x"[..], (Format::Jsonl, Compression::None)),
        ("a.NDJSON.GZ", &gzip, (Format::Jsonl, Compression::Gzip)),
        ("a.json.zst", &gzip, (Format::Jsonl, Compression::Gzip)),
        ("a.csv", &zstd, (CSV, Compression::Zstd)),
        ("a.tab", &[0x5a, 0x2a, 0x4d, 0x18], (TSV, Compression::Zstd)),
        ("a.csv.bz2", b"BZh91AY&SY", (CSV, Compression::Bzip2)),
        ("a.jsonl.XZ", b"\xfd7zXZ\0", (Format::Jsonl, Compression::Xz)),
        ("BZh9 is a name", b"BZh9 is a name", (Format::Text, Compression::None)),
        ("a.parquet", b"PAR1", (Format::Parquet, Compression::None)),
        ("a.txt", b"{\"a\": 1}\n", (Format::Text, Compression::None)),
        ("part-0000", b"\n{\"a\": 1}\n{", (Format::Jsonl, Compression::None)),
        ("part-0000", b"\xef\xbb\xbf{\"a\": 1}", (Format::Jsonl, Compression::None)),
        ("part-0000", b"PAR1....", (Format::Parquet, Compression::None)),
        ("program.c", b"{ int a; }\n", (Format::Text, Compression::None)),
        ("pretty", b"{\n  \"a\": 1\n}\n", (Format::Text, Compression::None)),
        ("", b"", (Format::Text, Compression::None)),
    ] {
        assert_eq!(recognise(name, head, &Discovery::default()), expected, "{name}");
        let known = Discovery { format: FormatChoice::Known(CSV), target: None, arrays: false };
        assert_eq!(recognise(name, head, &known), (CSV, expected.1), "{name}");
    }
    let long = format!("{{\"text\": \"{}", "x".repeat(1 << 16));
    let compressed = zstd::encode_all(long.as_bytes(), 1).unwrap();
    assert_eq!(recognise("", &long.as_bytes()[..1 << 16], &Discovery::default()).0, Format::Jsonl);
    assert_eq!(recognise("", &compressed, &Discovery::default()), (Format::Jsonl, Compression::Zstd));
}

#[test]
fn a_stated_format_that_does_not_fit_is_refused_with_the_one_that_does() {
    let folder = tempfile::tempdir().unwrap();
    let parquet = b"PAR1\x15\x04\x15\0\xff\0";
    let compressed = zstd::encode_all(&b"{\"text\": \"a\"}\n"[..], 1).unwrap();
    for (name, head, stated, said) in [
        (
            "a.parquet",
            &parquet[..],
            Format::Jsonl,
            "not JSON Lines: it looks like Parquet; choose the format parquet",
        ),
        ("a", parquet, CSV, "not CSV: it looks like Parquet; "),
        (
            "a.csv",
            b"id,text\n1,a\n",
            Format::Jsonl,
            "not JSON Lines: it looks like CSV; choose the format csv",
        ),
        ("a.tsv", b"id\ttext\n1\ta\n", Format::Jsonl, "not JSON Lines: it looks like TSV; "),
        ("a.txt", b"a text\n", Format::Jsonl, "not JSON Lines: it looks like plain text; "),
        ("a.txt", b"a text\n", Format::Parquet, "not Parquet: it looks like plain text; "),
        ("a.jsonl", b"{\"text\": \"a\"}\n", Format::Parquet, "not Parquet: it looks like JSON Lines; "),
        ("a.jsonl", b"{\"text\": \"a\"}\n", TSV, "not TSV: it looks like JSON Lines; "),
        ("a.zst", &compressed, CSV, "not CSV: it looks like JSON Lines; "),
        ("a.zip", b"PK\x03\x04\0\0", Format::Jsonl, "not JSON Lines: it looks like a zip archive"),
        (
            "a.bin",
            b"\0\x01\x02\xff",
            Format::Parquet,
            "not Parquet: it looks like data of an unknown format; ",
        ),
    ] {
        write(folder.path(), name, head);
        let how = Discovery { format: FormatChoice::Always(stated), target: None, arrays: false };
        let error = discover(&[folder.path().join(name)], &how).unwrap_err().to_string();
        assert!(error.contains(&format!("{name} is {said}")), "{error}");
    }
    // Nothing speaks against these.
    for (name, head, stated) in [
        ("bad-first", &b"no JSON\n\n {\"text\": \"a\"}\n"[..], Format::Jsonl),
        ("marked", b"\xef\xbb\xbf{\"text\": \"a\"}", Format::Jsonl),
        ("empty", b"", Format::Parquet),
        ("words", b"PAR1,text\n", CSV),
        ("anything", parquet, Format::Text),
    ] {
        write(folder.path(), name, head);
        let how = Discovery { format: FormatChoice::Always(stated), target: None, arrays: false };
        assert_eq!(discover(&[folder.path().join(name)], &how).unwrap()[0].format, stated, "{name}");
    }
}

#[test]
fn containers_are_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let zip = b"PK\x03\x04\0\0 and so on";
    write(folder.path(), "a.txt", zip);
    write(folder.path(), "one/b.jsonl", zip);
    write(folder.path(), "one/c.txt", b"a text");
    write(folder.path(), "two/d.docx", zip);
    write(folder.path(), "two/e.pdf", b"%PDF-1.4\n");
    write(folder.path(), "three/corpus.sketch", b"LKASKETC");
    write(folder.path(), "three/c.txt", b"a text");
    let said = |argument: &str| find(folder.path(), argument).unwrap_err().to_string();
    assert!(said("a.txt").contains("a.txt is a zip archive") && said("a.txt").ends_with("unpack it first"));
    assert!(said("one").contains("b.jsonl is a zip archive") && said("one").contains("with a pattern"));
    assert!(said("two").contains("d.docx is a zip archive") && said("two").contains("another file"));
    assert!(said("three/corpus.sketch").contains("is a sketch file of lookalike; "));
    // A compressed archive is an archive.
    let mut tar = vec![0; 1024];
    tar[257..262].copy_from_slice(b"ustar");
    write(folder.path(), "f.tar.zst", &zstd::encode_all(&tar[..], 1).unwrap());
    assert!(said("f.tar.zst").contains("f.tar.zst is a tar archive"));
    let twice = zstd::encode_all(&zstd::encode_all(&b"text"[..], 1).unwrap()[..], 1).unwrap();
    write(folder.path(), "g.zst", &twice);
    assert!(said("g.zst").contains("is compressed twice"));
    // A sketch file that is empty or damaged is no text, unless the user says so.
    write(folder.path(), "six/empty.sketch", b"");
    write(folder.path(), "seven/damaged.sketch", b"LKBSKETC and text");
    assert!(said("six/empty.sketch").contains("empty or damaged"));
    assert!(said("seven/damaged.sketch").contains("`lookalike sketch`"));
    // If the user says that it is text, it is read as text. A sketch is refused even then.
    let always = Discovery { format: FormatChoice::Always(Format::Text), target: None, arrays: false };
    let text = |name: &str| discover(&[folder.path().join(name)], &always);
    assert_eq!(text("a.txt").unwrap()[0].format, Format::Text);
    assert!(text("three/corpus.sketch").is_err());
    // A sketch that is found in a folder is skipped, and a sentence says so.
    let found = find_all(&[folder.path().join("three")], &Discovery::default()).unwrap();
    assert_eq!(outputs(&found.sources), ["c.txt"]);
    assert_eq!(found.skipped.len(), 1, "{:?}", found.skipped);
    assert!(found.skipped[0].ends_with("corpus.sketch is skipped: it is a sketch file of lookalike"));
}

#[test]
fn what_runs_wrote_is_not_an_input() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "data/a.txt",
        "data/out/a.txt",
        "data/out/removed.jsonl",
        "data/old/report.json",
        "data/old/b.txt",
        "data/old/removed.jsonl",
        "data/old/_lookalike/run.json",
        "data/x/stopped/b.txt",
        "data/x/stopped/_lookalike/run.json",
    ] {
        write(folder.path(), name, b"{}");
    }
    let look = |argument: &str, target: &str| {
        let how = Discovery {
            target: Some(folder.path().join(target).display().to_string()),
            ..Discovery::default()
        };
        find_all(&[folder.path().join(argument)], &how)
    };
    for (argument, expected) in
        [("data", &["a.txt"][..]), ("data/**/*.txt", &["a.txt"]), ("data/*/*.jsonl", &[])]
    {
        let found = look(argument, "data/out");
        if expected.is_empty() {
            let said = found.unwrap_err().to_string();
            assert!(said.contains("no file matches") && said.contains("is skipped"), "{said}");
            continue;
        }
        let found = found.unwrap();
        assert_eq!(outputs(&found.sources), expected);
        assert_eq!(found.skipped.len(), 3, "{:?}", found.skipped);
        let said = |end: &str| found.skipped.iter().any(|said| said.contains(end));
        assert!(said("data/out is skipped: it is the target of this run"), "{:?}", found.skipped);
        assert!(said("data/old is skipped: it holds what an earlier run"), "{:?}", found.skipped);
        assert!(said("data/x/stopped is skipped: "), "{:?}", found.skipped);
    }
    // If another folder is the target, this folder is an ordinary input.
    assert!(outputs(&look("data", "elsewhere").unwrap().sources).contains(&"out/a.txt"));
    // An input that is also the target, and runs that the user named directly.
    let said = look("data", "data/x/..").unwrap_err().to_string();
    assert!(said.contains("is both an input and the target"), "{said}");
    assert!(look("data/x/stopped", "new").unwrap_err().to_string().contains("not finished"));
    assert_eq!(outputs(&look("data/old", "new").unwrap().sources), ["b.txt"]);
    assert_eq!(outputs(&look("data/old/*", "new").unwrap().sources), ["b.txt"]);
}

/// The model of a finished run on records is no table; an output of another run may have its name.
#[test]
fn the_model_of_a_run_on_records_is_not_an_input() {
    for (run, expected) in [
        (r#"{"kind": "records"}"#, &["a.jsonl"][..]),
        ("{}", &["a.jsonl", "model.json"]),
        ("", &["a.jsonl", "model.json"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        for name in ["out/a.jsonl", "out/model.json", "out/report.json"] {
            write(folder.path(), name, b"{}");
        }
        write(folder.path(), "out/_lookalike/run.json", run.as_bytes());
        for argument in ["out", "out/*"] {
            assert_eq!(outputs(&find(folder.path(), argument).unwrap()), expected, "{argument} {run}");
        }
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8_are_told_apart() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    for name in [&b"caf\xe9.txt"[..], b"caf\xe8.txt", b"caf\\xe9.txt"] {
        std::fs::write(folder.path().join(OsStr::from_bytes(name)), "x").unwrap();
    }
    let found = find(folder.path(), "").unwrap();
    assert_eq!(outputs(&found), ["caf\\x5cxe9.txt", "caf\\xe8.txt", "caf\\xe9.txt"]);
    let named =
        discover(&[folder.path().join(OsStr::from_bytes(b"caf\xe9.txt"))], &Discovery::default()).unwrap();
    assert_eq!((outputs(&named), named[0].format), (vec!["caf\\xe9.txt"], Format::Text));
    assert_eq!(named[0].location, found[2].location);
}

#[cfg(unix)]
#[test]
fn devices_end_or_are_refused() {
    let look = |path: &str| discover(&[path], &Discovery::default());
    let said = look("/dev/zero").unwrap_err().to_string();
    assert!(said.starts_with("/dev/zero is a device, which may never end"), "{said}");
    assert_eq!(look("/dev/null").unwrap()[0].output, "null.jsonl");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let said = discover(&[&path], &Discovery::default()).unwrap_err().to_string();
    assert!(said.contains("is a socket"), "{said}");
    let found = find_all(&[folder.path()], &Discovery::default());
    assert!(found.unwrap_err().to_string().contains("neither a file nor a folder"));
}
