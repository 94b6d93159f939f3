//! Ids, names and texts that a terminal would obey: nothing of them reaches it.

use super::lookalike::Folder;
use std::ffi::{OsStr, OsString};
use std::process::{Command, Stdio};

/// A title, a colour, a cleared screen, C1 controls, turned text, ends of lines and columns.
const EVIL: &str = "\u{1b}]0;owned\u{7}\u{1b}[38;5;123m\u{1b}[2J\u{9b}31m\u{9d}8;;x\u{9c}\u{202e}\u{2066}\u{200f}\u{61c}\u{2028}\t\r\nend\u{8}\u{7f}";

/// What a terminal would obey.
fn is_obeyed(character: char) -> bool {
    character.is_control()
        || "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}"
            .contains(character)
        || ('\u{2066}'..='\u{2069}').contains(&character)
}

/// What is printed, without our own colours.
fn without_colors(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        let end = after.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(after.len());
        let ours = &after[..end];
        assert!(after[end..].starts_with('m') && ours != "38;5;123", "an escape sequence in {text:?}");
        rest = &after[end + 1..];
    }
    plain + rest
}

/// Runs a command in colour, and looks at all that it prints; answers in columns may have tabs.
fn check(folder: &Folder, arguments: &[&OsStr], code: i32) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
    let child = command.args(arguments).args(["--color", "always"]).current_dir(folder.path(""));
    let output = child.stdin(Stdio::null()).output().unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stdout}\n{stderr}");
    for (name, text, allowed) in [("stdout", &stdout, "\n\t"), ("stderr", &stderr, "\n")] {
        let found = without_colors(text).chars().find(|&c| is_obeyed(c) && !allowed.contains(c));
        assert_eq!(found, None, "{arguments:?}, {name}: {text:?}");
    }
    stdout
}

fn os(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

#[test]
fn no_id_no_name_and_no_text_is_obeyed() {
    let file = format!("{EVIL}.jsonl").replace(['\n', '\r'], "");
    let record = |id: &str, more: &str| {
        let text = format!("{EVIL} one two three four five six seven eight nine ten {EVIL} {more}");
        serde_json::json!({"id": id, "text": text}).to_string() + "\n"
    };
    let records = [record(&format!("{EVIL}1"), ""), record(&format!("{EVIL}2"), ""), record("3", "eleven")];
    let folder = Folder::new()
        .with(&file, records.concat())
        .with(&format!("a{EVIL}.txt"), format!("{EVIL} one two three four five six"))
        .with("bad.jsonl", format!("{{\"text\": {EVIL}\n"));
    let ran = |words: &[&str], code: i32| {
        let arguments = os(words);
        check(&folder, &arguments.iter().map(OsString::as_os_str).collect::<Vec<_>>(), code)
    };
    let id = &["--id-field", "id", "--threshold", "0.5"];
    let out = &format!("out{EVIL}");
    let with = |words: &[&str], more: &[&str]| ran(&[words, more].concat(), 0);

    with(&["dedup", &file, "-o", out, "--log-level", "debug"], id);
    with(&["dedup", &file, "-o", out], id);
    let pairs = with(&["pairs", &file], id);
    assert_eq!(pairs.lines().count(), 3, "{pairs:?}");
    assert!(pairs.lines().all(|line| line.matches('\t').count() == 2), "{pairs:?}");
    assert!(pairs.contains("\\u{1b}]0;owned\\u{7}") && pairs.contains("\\t\\r\\nend"), "{pairs:?}");
    ran(&["pairs", &file], 0);
    let clusters = with(&["clusters", &file], id);
    assert_eq!(clusters.lines().count(), 3, "{clusters:?}");
    let found = with(&["query", &file, "--text", "one two three four five six"], &id[..2]);
    assert_eq!(found.lines().count(), 3, "{found:?}");
    let sketch = &format!("{EVIL}.sketch");
    with(&["sketch", &file, "-o", sketch], &id[..2]);
    ran(&["pairs", sketch, "--threshold", "0.5"], 0);
    ran(&["sketch", &file, "-o", sketch], 4);

    ran(&["inspect", out], 0);
    ran(&["inspect", out, "--id", &format!("{EVIL}2")], 0);
    ran(&["inspect", out, "--id", &format!("{EVIL}9")], 2);
    ran(&["inspect", out, "--threshold", "0.9"], 0);
    ran(&["report", out, "-o", &format!("{EVIL}.html")], 0);
    with(&["compare", &format!("{EVIL}1"), &format!("{EVIL}2"), "--corpus", &file], id);
    let text = &format!("a{EVIL}.txt");
    ran(&["compare", text, text, "--shingles", "words:2"], 0);
    ran(&["plan", "--sample", &file], 0);

    ran(&["dedup", "bad.jsonl", "-o", "bad"], 3);
    ran(&["dedup", "bad.jsonl", "-o", "bad-skipped", "--on-bad-record", "skip"], 0);
    ran(&["inspect", "bad-skipped", "--id", "bad.jsonl:1"], 0);
    ran(&["dedup", EVIL, "-o", "nowhere"], 2);
    ran(&["dedup", &file, "-o", "nowhere", "--config", EVIL], 2);
    ran(&["dedup", &file, "-o", "nowhere", "--text-field", EVIL], 3);
    ran(&["dedup", &file, "-o", "nowhere2", &format!("--{EVIL}")], 2);
    ran(&[EVIL], 2);
    ran(&["dedup", &file, "-o", out, "--threshold", "0.7", "--keep", EVIL], 2);
    ran(&["dedup", &file, "-o", out, "--within", EVIL, "--threshold", "0.7"], 4);
}
