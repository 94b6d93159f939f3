use super::recognition::recognise;
use super::{Discovery, FormatChoice, discover};
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
    // A file of that very name comes before the pattern.
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
    for (name, head, expected) in [
        ("a.jsonl", &b"x"[..], (Format::Jsonl, Compression::None)),
        ("a.NDJSON.GZ", &gzip, (Format::Jsonl, Compression::Gzip)),
        ("a.json.zst", &gzip, (Format::Jsonl, Compression::Gzip)),
        ("a.csv", &zstd, (CSV, Compression::Zstd)),
        ("a.tab", &[0x5a, 0x2a, 0x4d, 0x18], (TSV, Compression::Zstd)),
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
        let always = Discovery { format: FormatChoice::Always(CSV) };
        assert_eq!(recognise(name, head, &always), (CSV, expected.1), "{name}");
    }
    let long = format!("{{\"text\": \"{}", "x".repeat(1 << 16));
    let compressed = zstd::encode_all(long.as_bytes(), 1).unwrap();
    assert_eq!(recognise("", &long.as_bytes()[..1 << 16], &Discovery::default()).0, Format::Jsonl);
    assert_eq!(recognise("", &compressed, &Discovery::default()), (Format::Jsonl, Compression::Zstd));
}
