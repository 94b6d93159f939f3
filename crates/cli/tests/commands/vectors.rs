//! `--kind vectors`: whole commands on arrays and lists of numbers.

use super::lookalike::{Folder, Outcome};

/// A NumPy array in C order.
fn npy(rows: &[[f32; 3]]) -> Vec<u8> {
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, 3), }}\n", rows.len());
    let mut bytes = b"\x93NUMPY\x01\0".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(rows.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
    bytes
}

/// a and b point nearly the same way, c is b, d is twice a, and z is zero.
const ROWS: [[f32; 3]; 6] =
    [[1.0, 2.0, 3.0], [1.1, 2.0, 2.9], [1.1, 2.0, 2.9], [2.0, 4.0, 6.0], [-1.0, 0.5, 0.2], [0.0; 3]];

fn folder() -> Folder {
    let line = |(id, row): (&str, &[f32; 3])| format!("{{\"id\":\"{id}\",\"v\":{row:?}}}\n");
    Folder::new()
        .with("v.npy", npy(&ROWS))
        .with("ids.txt", "a\nb\nc\nd\ne\nz\n")
        .with("v.jsonl", ["a", "b", "c", "d", "e", "z"].into_iter().zip(&ROWS).map(line).collect::<String>())
}

fn ok(folder: &Folder, arguments: &str) -> Outcome {
    let outcome = folder.run(arguments);
    assert_eq!(outcome.code, 0, "{arguments}: {outcome}");
    outcome
}

#[test]
fn arrays_and_lists_give_the_same_pairs() {
    let folder = folder();
    let of_array = ok(&folder, "pairs v.npy --kind vectors --ids ids.txt --threshold 0.99").stdout;
    let of_lists =
        ok(&folder, "pairs v.jsonl --kind vectors --field v --id-field id --threshold 0.99").stdout;
    assert_eq!(of_array, of_lists);
    let pairs: Vec<&str> = of_array.lines().filter_map(|line| line.get(..3)).collect();
    assert_eq!(pairs, ["a\tb", "a\tc", "a\td", "b\tc", "b\td", "c\td"], "{of_array}");
    // By distance, the longer vector is far away.
    let near = "pairs v.npy --kind vectors --ids ids.txt --measure euclidean --distance 0.2";
    let near = ok(&folder, near).stdout;
    let pairs: Vec<&str> = near.lines().filter_map(|line| line.get(..3)).collect();
    assert_eq!(pairs, ["a\tb", "a\tc", "b\tc"], "{near}");
}

#[test]
fn the_kept_rows_of_an_array_are_an_array() {
    let folder = folder();
    let outcome = ok(&folder, "dedup v.npy --kind vectors --ids ids.txt --threshold 0.99 -o out");
    assert!(
        outcome.stderr.contains("vectors are all compared with one another: no pair at cosine 0.99"),
        "{outcome}"
    );
    assert!(outcome.stderr.contains("input: 1 source, 6 vectors of 3 dimensions, "), "{outcome}");
    let written = std::fs::read(folder.path("out/v.npy")).unwrap();
    assert!(written.starts_with(b"\x93NUMPY\x01\0"));
    let numbers: Vec<f32> =
        written[128..].as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    assert_eq!(numbers, [ROWS[0], ROWS[4], ROWS[5]].as_flattened());
    let removed = folder.read("out/removed.jsonl");
    assert_eq!(removed.lines().count(), 3);
    assert!(removed.lines().all(|line| line.contains(r#""kept_id":"a""#)), "{removed}");
}

#[test]
fn another_file_of_ids_is_what_has_changed() {
    let folder = folder();
    let run = "dedup v.npy --kind vectors --ids ids.txt --threshold 0.99 -o out";
    ok(&folder, run);
    std::fs::write(folder.path("ids.txt"), "a\nb\nc\nd\ne\ny\n").unwrap();
    let outcome = folder.run(run);
    assert_eq!(outcome.code, 4, "{outcome}");
    assert!(outcome.stderr.contains("the file of ids of v.npy has changed since"), "{outcome}");
}

#[test]
fn a_query_gives_the_nearest() {
    let folder = folder();
    let found = ok(&folder, "query v.npy --kind vectors --ids ids.txt --like [1,2,3.1] --top 2").stdout;
    let ids: Vec<&str> = found.lines().filter_map(|line| line.split('\t').next_back()).collect();
    assert_eq!(ids, ["a", "d"], "{found}");
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let folder = folder()
        .with("few.txt", "a\nb\n")
        .with("cut.npy", &npy(&ROWS)[..100])
        .with("bad.jsonl", "{\"v\":[1,2]}\n{\"v\":[1,2,3]}\n");
    for (arguments, expected) in [
        ("pairs v.npy", "is a NumPy array; convert it"),
        ("pairs v.npy --kind vectors --ids few.txt", "few.txt has too few ids: 2 lines for 6 rows"),
        ("pairs v.jsonl --kind vectors --field v --ids ids.txt", "v.jsonl is none"),
        ("pairs v.npy --kind vectors --ids ids.txt --id-field id", "cannot be used together"),
        ("pairs cut.npy --kind vectors", "bytes are missing"),
        (
            "pairs bad.jsonl --kind vectors --field v",
            "the vector has 3 coordinates, and the first vector has 2",
        ),
        ("pairs v.npy --kind vectors --measure jaccard", "--measure cosine"),
        ("pairs v.npy --kind vectors --measure euclidean", "--distance"),
        ("pairs v.npy --kind vectors --shingles words:3", "--shingles has no effect with --kind vectors"),
        ("pairs v.npy --kind vectors --distance 0.5", "--distance 0.5 is not allowed"),
        (
            "pairs v.npy --kind vectors --measure euclidean --distance 1 --threshold 0.5",
            "--threshold has no effect",
        ),
        ("pairs v.jsonl --text-field v --measure cosine", "--kind vectors"),
        ("sketch v.npy --kind vectors -o s.sketch", "vectors have no sketches"),
        ("query v.npy --kind vectors --like [1,2]", "coordinates"),
    ] {
        let outcome = folder.run(arguments);
        assert_ne!(outcome.code, 0, "{arguments}: {outcome}");
        assert!(outcome.stderr.contains(expected), "{arguments}: {outcome}");
    }
}

#[test]
fn unsigned_bytes_are_coordinates_or_bits() {
    let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), }\n";
    let mut bytes = b"\x93NUMPY\x01\0".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend([3, 4, 4, 3, 255, 0]);
    let folder = Folder::new().with("u.npy", bytes).with("ids.txt", "a\nb\nc\n");
    let pairs = ok(&folder, "pairs u.npy --kind vectors --ids ids.txt --threshold 0.95").stdout;
    assert_eq!(pairs, "a\tb\t0.9600\n");
    // 3 and 4 differ in three bits.
    let pairs = ok(&folder, "pairs u.npy --kind fingerprints --ids ids.txt --distance 6").stdout;
    assert!(pairs.starts_with("a\tb\t") && pairs.lines().count() == 1, "{pairs}");
}

#[test]
fn two_vectors_are_compared_and_asked_for() {
    let folder = folder().with("like.json", "[1.0, 2.0, 3.0]");
    let corpus = "v.jsonl --kind vectors --field v --id-field id";
    let compared = ok(&folder, &format!("compare a d --corpus {corpus}")).stdout;
    assert!(compared.contains("cosine      1.0000, an angle of 0.00 degrees"), "{compared}");
    assert!(
        compared.contains("distance    3.7417") && compared.contains("This is a duplicate"),
        "{compared}"
    );
    let near = ok(&folder, &format!("query {corpus} --file like.json --top 2")).stdout;
    let ids: Vec<&str> = near.lines().filter_map(|line| line.split('\t').nth(1)).collect();
    assert_eq!(ids, ["a", "d"], "{near}");
    let plan = ok(&folder, "plan --kind vectors --threshold 0.8").stdout;
    assert!(plan.contains("hyperplanes") || plan.contains("compared with"), "{plan}");
}

#[test]
fn runs_that_compared_distances_say_so() {
    let folder = folder();
    let near = "v.npy --kind vectors --ids ids.txt --measure euclidean --distance 0.2";
    ok(&folder, &format!("dedup {near} -o out"));
    let shown = ok(&folder, "inspect out").stdout;
    assert!(shown.contains("(distance 0.2)") && !shown.contains("threshold"), "{shown}");
    assert!(shown.contains("0.1414"), "{shown}");
    let refused = folder.run("inspect out --threshold 0.9");
    assert_eq!(refused.code, 2, "{refused}");
    assert!(refused.stderr.contains("--threshold has no effect on out"), "{refused}");
    ok(&folder, "report out -o page.html");
    let page = std::fs::read_to_string(folder.path("page.html")).unwrap();
    assert!(page.contains("within distance 0.2") && page.contains("distance 0.1414"), "no distances");
    assert!(!page.contains("just above 0.8"));
}
