//! Inputs that cannot be used: which exit code, which words.

use super::lookalike::Folder;

/// Runs a dedup of `name` with these contents and the given flags, and compares with the snapshot.
fn refused(snapshot: &str, name: &str, contents: impl AsRef<[u8]>, flags: &str, code: i32) {
    let folder = Folder::new().with(name, contents);
    let outcome = folder.run(&format!("dedup {name} -o out {flags}"));
    assert_eq!(outcome.code, code, "{outcome}");
    assert!(!folder.path("out/report.json").exists(), "a failed run is not marked as complete");
    insta::assert_snapshot!(snapshot.to_owned(), outcome);
}

#[test]
fn missing_file() {
    insta::assert_snapshot!("missing_file", Folder::new().run("dedup nowhere.jsonl -o out"));
    insta::assert_snapshot!("missing_glob", Folder::new().run("dedup nowhere-*.jsonl -o out"));
}

#[cfg(unix)]
#[test]
fn unreadable_file() {
    use std::{fs::Permissions, os::unix::fs::PermissionsExt};
    let folder = Folder::new().with("a.jsonl", "{\"text\":\"a\"}\n");
    std::fs::set_permissions(folder.path("a.jsonl"), Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(folder.path("a.jsonl")).is_ok() {
        eprintln!("skipped: this user can read everything");
        return;
    }
    let outcome = folder.run("dedup a.jsonl -o out");
    assert_eq!(outcome.code, 1);
    insta::assert_snapshot!("unreadable_file", outcome);
}

#[test]
fn no_such_field() {
    refused("no_such_field", "a.jsonl", "{\"body\":\"a\"}\n", "", 3);
    refused("no_such_column", "a.csv", "id,body\n1,a\n", "", 2);
    let folder = Folder::new().with("a.jsonl", "{\"body\":\"a\"}\n");
    assert_eq!(folder.run("query a.jsonl --text a").code, 3);
}

#[test]
fn wrong_type_in_the_field() {
    refused("wrong_type", "a.jsonl", "{\"text\":\"a\"}\n{\"text\":17}\n", "", 3);
    refused("null", "a.jsonl", "{\"text\":null}\n", "", 3);
}

#[test]
fn not_json() {
    refused("not_json", "a.jsonl", "{\"text\":\"a\"}\nnot json\n", "", 3);
}

#[test]
fn invalid_utf8() {
    refused("invalid_utf8", "a.jsonl", b"{\"text\":\"a\"}\n{\"text\":\"\xff\"}\n", "", 3);
    refused("invalid_utf8_csv", "a.csv", b"text\na\n\xff\n", "", 3);
}

#[test]
fn bad_records_can_be_skipped_or_kept() {
    let folder =
        Folder::new().with("a.jsonl", "{\"text\":\"a\"}\nnot json\n{\"text\":17}\n{\"text\":\"b\"}\n");
    insta::assert_snapshot!("bad_skipped", folder.run("dedup a.jsonl -o skipped --on-bad-record skip"));
    assert_eq!(folder.read("skipped/a.jsonl"), "{\"text\":\"a\"}\n{\"text\":\"b\"}\n");
    insta::assert_snapshot!("bad_removed", folder.read("skipped/removed.jsonl"));
    assert_eq!(folder.run("dedup a.jsonl -o kept --on-bad-record keep").code, 0);
    assert_eq!(folder.read("kept/a.jsonl"), folder.read("a.jsonl"));
}

#[test]
fn truncated_gzip() {
    // A header, and a stored block that promises 1000 bytes.
    let mut bytes = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x01\xe8\x03\x17\xfc".to_vec();
    bytes.extend(b"{\"text\":\"a\"}\n{\"text\":\"b");
    refused("truncated_gzip", "a.jsonl.gz", bytes, "", 3);
}

#[test]
fn truncated_zstd() {
    // A frame header with a window of 2 MiB, and a last raw block that promises 1000 bytes.
    let mut bytes = b"\x28\xb5\x2f\xfd\x00\x58\x41\x1f\x00".to_vec();
    bytes.extend(b"{\"text\":\"a\"}\n{\"text\":\"b");
    refused("truncated_zstd", "a.jsonl.zst", bytes, "", 3);
}

#[test]
fn truncated_parquet() {
    // Whatever stands between, a Parquet file ends with its footer, and this one does not.
    let mut bytes = b"PAR1".to_vec();
    bytes.extend([0x15, 0x04, 0x15, 0x10].repeat(100));
    refused("truncated_parquet", "a.parquet", bytes, "", 3);
    refused("empty_parquet", "a.parquet", "", "", 3);
}

#[test]
fn an_empty_file_is_no_mistake() {
    let folder = Folder::new().with("a.jsonl", "").with("b.txt", "");
    let outcome = folder.run("dedup a.jsonl -o out");
    assert_eq!(outcome.code, 0);
    insta::assert_snapshot!("empty_file", outcome);
    assert_eq!(folder.read("out/a.jsonl"), "");
    assert_eq!(folder.run("dedup b.txt -o text").code, 0);
}

#[test]
fn an_existing_target() {
    let folder = Folder::new().with("a.jsonl", "{\"text\":\"a\"}\n").with("out/mine.txt", "precious");
    let outcome = folder.run("dedup a.jsonl -o out");
    assert_eq!(outcome.code, 4, "{outcome}");
    insta::assert_snapshot!("existing_target", outcome);
    assert_eq!(folder.read("out/mine.txt"), "precious");
}

#[test]
fn an_id_that_occurs_twice_is_counted() {
    let lines = "{\"id\":1,\"text\":\"one thing\"}\n{\"id\":1,\"text\":\"another thing altogether\"}\n";
    let folder = Folder::new().with("a.jsonl", lines);
    let outcome = folder.run("dedup a.jsonl -o out --id-field id");
    assert_eq!(outcome.code, 0, "{outcome}");
    insta::assert_snapshot!("repeated_id", outcome);
    assert_eq!(folder.read("out/a.jsonl"), lines);
}

#[test]
fn two_outputs_of_one_name() {
    let folder = Folder::new().with("x/a.jsonl", "{\"text\":\"a\"}\n");
    let outcome = folder.run("dedup x/a.jsonl x/a.jsonl -o out");
    assert_eq!(outcome.code, 2, "{outcome}");
    insta::assert_snapshot!("two_outputs", outcome);
}

#[test]
fn a_damaged_sketch() {
    let folder = Folder::new().with("a.sketch", "LKASKETC and then nothing that makes sense");
    let outcome = folder.run("pairs a.sketch");
    assert_eq!(outcome.code, 3, "{outcome}");
    insta::assert_snapshot!("damaged_sketch", outcome);
}
