//! Wrong usage: exit code 2 (memory: 5), and what to do.

use super::lookalike::Folder;

#[test]
fn wrong_flags_and_values() {
    let folder = Folder::new().with("a.jsonl", "{\"text\":\"a\"}\n");
    for (name, arguments) in [
        ("no_target", "dedup a.jsonl"),
        ("no_input", "dedup -o out"),
        ("unknown_command", "dedupe a.jsonl"),
        ("unknown_flag", "dedup a.jsonl -o out --treshold 0.5"),
        ("flag_of_another_command", "pairs a.jsonl --keep longest"),
        ("unlike_any_flag", "dedup a.jsonl -o out --zzz"),
        ("unknown_choice", "dedup a.jsonl -o out --verify perhaps"),
        ("unknown_keep", "dedup a.jsonl -o out --keep shortest"),
        ("bad_bands", "dedup a.jsonl -o out --bands 21-6"),
        ("bands_and_recall", "dedup a.jsonl -o out --bands 21x6 --recall 0.9"),
        ("bad_threshold", "dedup a.jsonl -o out --threshold 1.5"),
        ("bad_size", "dedup a.jsonl -o out --memory lots"),
        ("too_little_memory", "dedup a.jsonl -o out --memory 1MiB"),
        ("memory_without_unit", "dedup a.jsonl -o out --memory 64"),
        ("no_threads", "dedup a.jsonl -o out --threads 0"),
        ("unknown_preset", "dedup a.jsonl -o out --preset fine-web"),
        ("quiet_and_level", "dedup a.jsonl -o out --quiet --log-level debug"),
        ("records_and_report", "dedup a.jsonl -o - --json"),
        ("against_only", "dedup a.jsonl -o out --against-only"),
        ("query_without_text", "query a.jsonl"),
        ("query_with_two_texts", "query a.jsonl --text a --text-file b"),
        ("query_all_from_stdin", "query - --text-file -"),
        ("query_no_such_text", "query a.jsonl --text-file nowhere.txt"),
        ("sketch_to_stdout", "sketch a.jsonl -o -"),
        ("sketch_of_stdin", "sketch - -o a.sketch"),
    ] {
        insta::assert_snapshot!(format!("usage_{name}"), folder.run(arguments));
    }
}

#[test]
fn wrong_settings_files() {
    let folder = Folder::new()
        .with("a.jsonl", "{\"text\":\"a\"}\n")
        .with("key.toml", "treshold = 0.5\n")
        .with("nested.toml", "case = \"keep\"\n")
        .with("value.toml", "seed = 1\nverify = \"perhaps\"\n")
        .with("syntax.toml", "seed 1\n")
        .with("range.toml", "recall = 2.0\n")
        .with("memory.toml", "memory = \"1MiB\"\n")
        .with("type.toml", "# comment\n\nhashes = \"many\"\n")
        .with("needs.toml", "seed = 1\nmethod = \"minhash\"\nweights = \"w.tsv\"\n")
        .with("field.toml", "text-field = \"body\"\n");
    for name in ["key", "nested", "value", "syntax", "range", "memory", "type", "needs", "field", "missing"] {
        let outcome = folder.run(&format!("dedup a.jsonl -o out --config {name}.toml"));
        insta::assert_snapshot!(format!("config_{name}"), outcome);
    }
    // A flag over the file is what the message names.
    let outcome = folder.run("dedup a.jsonl -o out --config range.toml --recall 3");
    assert!(outcome.stderr.contains("--recall 3 is not allowed"), "{}", outcome.stderr);
}

#[test]
fn wrong_settings_of_a_preset() {
    let folder = Folder::new().with("a.jsonl", "{\"text\":\"a\"}\n").with("p.toml", "preset = \"fineweb\"\n");
    let expected = "bands 14x8 (of the preset fineweb) needs 112 hashes, but --hashes is 64";
    for how in ["--preset fineweb", "--config p.toml"] {
        let outcome = folder.run(&format!("dedup a.jsonl -o out {how} --hashes 64"));
        assert_eq!(outcome.code, 2);
        assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    }
}

#[test]
fn a_format_that_does_not_fit() {
    let folder = Folder::new().with("a.csv", "text\na\n").with("f.toml", "format = \"jsonl\"\n");
    for (arguments, expected) in [
        ("--format jsonl", "a.csv is not JSON Lines: it looks like CSV; choose the format csv"),
        ("--config f.toml", "a.csv is not JSON Lines: it looks like CSV; choose the format csv"),
        ("--format parquet", "a.csv is not Parquet: it looks like CSV"),
    ] {
        let outcome = folder.run(&format!("dedup a.csv -o out {arguments}"));
        assert_eq!(outcome.code, 2, "{}", outcome.stderr);
        assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    }
    assert_eq!(folder.run("dedup a.csv -o out --format csv").code, 0);
}

#[test]
fn sketches_stand_alone() {
    let folder =
        Folder::new().with("a.jsonl", "{\"text\":\"a\"}\n").with("a.sketch", "LKASKETC, or so it seems");
    insta::assert_snapshot!("sketch_among_others", folder.run("dedup a.sketch a.jsonl -o out"));
    insta::assert_snapshot!("sketch_of_a_sketch", folder.run("sketch a.sketch -o b.sketch"));
}
