//! Help, version, presets, completions, manual pages, the reference.

use super::lookalike::Folder;
use std::path::Path;

const COMMANDS: [&str; 13] = [
    "dedup",
    "pairs",
    "clusters",
    "query",
    "sketch",
    "compare",
    "plan",
    "inspect",
    "report",
    "label",
    "presets",
    "completions",
    "man",
];

#[test]
fn help_of_every_command() {
    let folder = Folder::new();
    insta::assert_snapshot!("help", folder.run("--help"));
    insta::assert_snapshot!("short_help", folder.run("-h"));
    insta::assert_snapshot!("short_help_dedup", folder.run("dedup -h"));
    for command in COMMANDS {
        insta::assert_snapshot!(format!("help_{command}"), folder.run(&format!("{command} --help")));
    }
}

#[test]
fn every_long_help_has_examples_and_no_short_one() {
    let folder = Folder::new();
    for command in COMMANDS {
        assert!(folder.run(&format!("{command} --help")).stdout.contains("Examples:"), "{command}");
        assert!(!folder.run(&format!("{command} -h")).stdout.contains("Examples:"), "{command}");
    }
}

#[test]
fn nothing_at_all_shows_the_help() {
    let outcome = Folder::new().run("");
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("Usage: lookalike"));
}

#[test]
fn version() {
    let outcome = Folder::new().run("--version");
    assert_eq!((outcome.code, outcome.stdout), (0, format!("lookalike {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn presets() {
    let folder = Folder::new();
    insta::assert_snapshot!(folder.run("presets"));
    let json = folder.run("presets --json").stdout;
    let rows: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let fineweb = rows.iter().find(|row| row["preset"] == "fineweb").unwrap();
    assert_eq!((&fineweb["bands"], &fineweb["rows"]), (&14.into(), &8.into()));
    // 1 - (1 - 0.75^8)^14
    assert!((fineweb["recall_at_threshold"].as_f64().unwrap() - 0.7720).abs() < 1e-3);
}

#[test]
fn completions_of_every_shell() {
    let folder = Folder::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let outcome = folder.run(&format!("completions {shell}"));
        assert_eq!(outcome.code, 0);
        assert!(outcome.stdout.contains("against-only"), "{shell}");
        assert_eq!(outcome.stderr, "");
    }
    assert_eq!(folder.run("completions csh").code, 2);
}

#[test]
fn manual_pages() {
    let folder = Folder::new();
    assert!(folder.run("man").stdout.contains(".TH lookalike 1"));
    assert_eq!(folder.run("man pages/man1").code, 0);
    for command in COMMANDS {
        let page = folder.read(&format!("pages/man1/lookalike-{command}.1"));
        assert!(page.contains(&format!("lookalike {command}")), "{command}");
    }
    assert!(folder.read("pages/man1/lookalike.1").contains("Exit codes"));
}

/// `UPDATE_REFERENCE=1 cargo test -p lookalike-cli reference` writes it again.
#[test]
fn reference_is_up_to_date() {
    let reference = Folder::new().run("reference").stdout;
    let path = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../docs/cli.md");
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(&path, &reference).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written == reference, "docs/cli.md: UPDATE_REFERENCE=1 cargo test -p lookalike-cli reference");
}
