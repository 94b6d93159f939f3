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
        ("unknown_choice", "dedup a.jsonl -o out --verify perhaps"),
        ("unknown_keep", "dedup a.jsonl -o out --keep shortest"),
        ("bad_bands", "dedup a.jsonl -o out --bands 21-6"),
        ("bands_and_recall", "dedup a.jsonl -o out --bands 21x6 --recall 0.9"),
        ("bad_threshold", "dedup a.jsonl -o out --threshold 1.5"),
        ("bad_size", "dedup a.jsonl -o out --memory lots"),
        ("too_little_memory", "dedup a.jsonl -o out --memory 1MiB"),
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
        .with("memory.toml", "memory = \"1MiB\"\n");
    for name in ["key", "nested", "value", "syntax", "range", "memory", "missing"] {
        let outcome = folder.run(&format!("dedup a.jsonl -o out --config {name}.toml"));
        insta::assert_snapshot!(format!("config_{name}"), outcome);
    }
}

#[test]
fn sketches_stand_alone() {
    let folder =
        Folder::new().with("a.jsonl", "{\"text\":\"a\"}\n").with("a.sketch", "LKASKETC, or so it seems");
    insta::assert_snapshot!("sketch_among_others", folder.run("dedup a.sketch a.jsonl -o out"));
    insta::assert_snapshot!("sketch_of_a_sketch", folder.run("sketch a.sketch -o b.sketch"));
}
