//! Records that are too large, disks that are too small.

use super::lookalike::Folder;
use std::fs::File;
use std::io::{BufWriter, Write};
use testkit::faults::SmallDisk;

#[test]
fn a_line_of_200_megabytes() {
    let folder = Folder::new();
    let mut file = BufWriter::new(File::create(folder.path("in.jsonl")).unwrap());
    file.write_all(b"{\"text\":\"short\"}\n{\"text\":\"").unwrap();
    let words = b"lorem ipsum dolor sit amet ".repeat(40_000);
    for _ in 0..200 {
        file.write_all(&words).unwrap();
    }
    file.write_all(b"\"}\n{\"text\":\"short\"}\n").unwrap();
    file.into_inner().unwrap().sync_all().unwrap();

    let little = folder.run("dedup in.jsonl -o little --memory 64MiB --threads 2");
    assert_eq!(little.code, 5, "{little}");
    insta::assert_snapshot!("long_line_little_memory", little);
    assert!(!folder.path("little/in.jsonl").exists());
    assert!(little.stderr.contains("206.0 MiB needs 967 MiB of memory"), "{little}");
    let enough = folder.run("dedup in.jsonl -o enough --memory 967MiB --threads 2");
    assert_eq!(enough.code, 0, "{enough}");
    insta::assert_snapshot!("long_line", enough);
    let size = |name: &str| std::fs::metadata(folder.path(name)).unwrap().len();
    assert_eq!(
        size("enough/in.jsonl"),
        size("in.jsonl") - 17,
        "the second short one is gone, the long one is there"
    );
}

#[test]
fn a_full_disk() {
    let folder = Folder::new();
    let disk = match SmallDisk::mount(&folder.path("disk"), 256 << 10) {
        Ok(disk) => disk,
        Err(reason) => {
            eprintln!("skipped: {reason}");
            return;
        }
    };
    let planted = testkit::corpora::Planted { documents: 400, ..Default::default() };
    testkit::corpora::write_files(&folder.path("corpus"), planted.iter(), &[100, 200, 300]).unwrap();
    let run = |target: &str| folder.run(&format!("dedup corpus -o {target} --id-field id --threads 2"));
    let outcome = run("disk/out");
    assert_eq!(outcome.code, 1, "{outcome}");
    assert!(outcome.stderr.contains("No space left on device"), "{outcome}");
    assert!(outcome.stderr.contains("free some space"), "{outcome}");
    assert!(!folder.path("disk/out/report.json").exists());
    assert_eq!(run("elsewhere").code, 0);
    for file in std::fs::read_dir(folder.path("disk/out")).unwrap().map(|entry| entry.unwrap().path()) {
        if file.is_file() {
            let name = file.file_name().unwrap().to_str().unwrap().to_owned();
            let whole = std::fs::read(folder.path(&format!("elsewhere/{name}"))).unwrap();
            assert!(std::fs::read(&file).unwrap() == whole, "{name} is half an output");
        }
    }
    let status = std::process::Command::new("mount")
        .args(["-o", "remount,size=64m"])
        .arg(disk.folder())
        .status()
        .unwrap();
    assert!(status.success());
    let outcome = run("disk/out");
    assert_eq!(outcome.code, 0, "{outcome}");
    for name in ["part-000.jsonl", "part-001.jsonl", "part-002.jsonl", "part-003.jsonl", "removed.jsonl"] {
        assert_eq!(folder.read(&format!("disk/out/{name}")), folder.read(&format!("elsewhere/{name}")));
    }
}
