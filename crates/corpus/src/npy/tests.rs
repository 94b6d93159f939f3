use super::*;
use crate::{Block, Discovery, FieldPath, Fields, Limits, ReadMode, Reader, Source, discover};
use std::path::{Path, PathBuf};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("corpus-npy-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn npy(dictionary: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((dictionary.len() as u16).to_le_bytes());
    bytes.extend(dictionary.as_bytes());
    bytes.extend(data);
    bytes
}

fn array(kind: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    npy(&format!("{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n"), data)
}

fn source(path: &Path) -> Result<Source> {
    let how = Discovery { arrays: true, ..Discovery::default() };
    discover(&[path.to_str().unwrap()], &how).map(|mut sources| sources.remove(0))
}

type Read = (Option<String>, Vec<f32>);

fn only_text() -> Fields {
    Fields { text: FieldPath::new("text"), id: None, order: None, within: None, site: None, date: None }
}

/// All rows, read in blocks of `rows` rows.
fn rows_of(source: &Source, rows: usize) -> Result<Vec<Read>> {
    let fields = only_text();
    let limits = Limits { block_bytes: 1 << 20, record_bytes: 1 << 20, records: rows };
    let mut reader = Reader::open(source, ReadMode::Whole, &fields, limits)?;
    let (mut block, mut scratch, mut all, mut positions) =
        (Block::default(), Scratch::default(), Vec::new(), Vec::new());
    let take = |block: &Block, scratch: &mut Scratch, all: &mut Vec<Read>| {
        block.visit(&fields, None, scratch, &mut |_, record| {
            let Record::Document(document) = record else { panic!("{record:?}") };
            let mut numbers = Vec::new();
            assert!(unpack_floats(document.text, &mut numbers), "{}", document.text);
            all.push((document.id.map(|id| id.text.into_owned()), numbers));
            Ok(())
        })
    };
    while reader.next_block(&mut block)? {
        positions.push(block.position);
        take(&block, &mut scratch, &mut all)?;
    }
    // The same blocks are found again by their positions.
    let mut again = Vec::new();
    for position in positions {
        let mut reader = Reader::open(source, ReadMode::Fields, &fields, limits)?;
        reader.advance_to(position)?;
        assert!(reader.next_block(&mut block)?);
        assert_eq!(block.position, position);
        take(&block, &mut scratch, &mut again)?;
    }
    assert_eq!(all, again);
    Ok(all)
}

fn numbers(path: &Path) -> Vec<Vec<f32>> {
    rows_of(&source(path).unwrap(), 2).unwrap().into_iter().map(|(_, numbers)| numbers).collect()
}

#[test]
fn every_type_and_order_gives_the_same_rows() {
    let folder = Folder::new("types");
    let expected = [[1.0f32, -2.0], [0.5, 100.0], [3.0, 4.0]];
    let flat = expected.as_flattened();
    let columns = [1.0f32, 0.5, 3.0, -2.0, 100.0, 4.0];
    let of = |numbers: &[f32], bytes: fn(f32) -> Vec<u8>| {
        numbers.iter().flat_map(|&x| bytes(x)).collect::<Vec<u8>>()
    };
    let halves: Vec<u8> =
        [0x3c00u16, 0xc000, 0x3800, 0x5640, 0x4200, 0x4400].iter().flat_map(|x| x.to_le_bytes()).collect();
    for (name, bytes) in [
        ("f4", array("<f4", false, "(3, 2)", &of(flat, |x| x.to_le_bytes().into()))),
        ("big", array(">f4", false, "(3, 2)", &of(flat, |x| x.to_be_bytes().into()))),
        ("f8", array("<f8", false, "(3, 2)", &of(flat, |x| f64::from(x).to_le_bytes().into()))),
        ("f8-big", array(">f8", false, "(3,2)", &of(flat, |x| f64::from(x).to_be_bytes().into()))),
        ("f2", array("<f2", false, "(3, 2)", &halves)),
        ("fortran", array("<f4", true, "(3, 2)", &of(&columns, |x| x.to_le_bytes().into()))),
        ("fortran-f8", array("<f8", true, "(3, 2)", &of(&columns, |x| f64::from(x).to_le_bytes().into()))),
    ] {
        assert_eq!(numbers(&folder.file(&format!("{name}.npy"), &bytes)), expected, "{name}");
    }
    let bytes = array("|i1", false, "(2, 2)", &[1, 255, 128, 127]);
    assert_eq!(numbers(&folder.file("i1.npy", &bytes)), [[1.0, -1.0], [-128.0, 127.0]]);
    // The content decides, not the name; and an array may be empty.
    assert_eq!(numbers(&folder.file("data", &bytes)), [[1.0, -1.0], [-128.0, 127.0]]);
    assert!(numbers(&folder.file("none.npy", &array("<f4", false, "(0, 7)", &[]))).is_empty());
    // All halves are what they should be.
    for (bits, value) in [(0x0001u16, 2f32.powi(-24)), (0x03ff, 1023.0 * 2f32.powi(-24)), (0x7bff, 65504.0)] {
        let bytes = array("<f2", false, "(1, 1)", &bits.to_le_bytes());
        assert_eq!(numbers(&folder.file("half.npy", &bytes)), [[value]]);
    }
}

#[test]
fn what_is_not_an_array_of_vectors_is_refused_with_its_cause() {
    let folder = Folder::new("bad");
    let data = [0u8; 24];
    for (bytes, expected) in [
        (array("<f4", false, "(3, 2)", &data[..23]), "but 1 bytes are missing"),
        (array("<f4", false, "(3, 2)", &[0; 28]), "but 4 bytes are too many"),
        (array("<f4", true, "(3, 2)", &data[..20]), "but 4 bytes are missing"),
        (array("<f4", false, "(6,)", &data), "has the shape (6,); an array of vectors has two dimensions"),
        (array("<f4", false, "(1, 2, 3)", &data), "has the shape (1, 2, 3)"),
        (array("<f4", false, "()", &data), "has the shape ()"),
        (array("<f4", false, "(3, 0)", &[]), "no coordinates"),
        (array("<f4", false, "(3, -2)", &data), "its shape is (3, -2)"),
        (array("<f4", false, "(18446744073709551615, 18446744073709551615)", &data), "its shape is"),
        (array("<i8", false, "(1, 3)", &data), "of the type `<i8`"),
        (array("|O", false, "(1, 3)", &data), "of the type `|O`"),
        (
            npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6, 1), }", &data),
            "several values",
        ),
        (npy("{'fortran_order': False, 'shape': (6, 1), }", &data), "lacks 'descr'"),
        (npy("", &data), "lacks"),
        (MAGIC.to_vec(), "ends within its header"),
        ([MAGIC, &[1, 0, 200, 0, b'{']].concat(), "ends within its header"),
        ([MAGIC, &[9, 0, 0, 0, 0, 0, 0, 0]].concat(), "version 9"),
        ([MAGIC, &[2, 0, 0, 0, 0, 255]].concat(), "is said to have"),
    ] {
        let path = folder.file("bad.npy", &bytes);
        let said = source(&path).and_then(|source| rows_of(&source, 2)).unwrap_err().to_string();
        assert!(said.contains(expected) && said.contains("bad.npy"), "{expected}: {said}");
    }
    // Without arrays they are refused as before.
    let path = folder.file("a.npy", &array("<f4", false, "(3, 2)", &data));
    let said = discover(&[path.to_str().unwrap()], &Discovery::default()).unwrap_err().to_string();
    assert!(said.contains("is a NumPy array; convert it to Parquet"), "{said}");
}

#[test]
fn ids_are_lines_one_for_each_row_of_all_arrays() {
    let folder = Folder::new("ids");
    let sources: Vec<Source> = [1u8, 2]
        .map(|rows| {
            let bytes = array("|i1", false, &format!("({rows}, 1)"), &vec![7; usize::from(rows)]);
            source(&folder.file(&format!("{rows}.npy"), &bytes)).unwrap()
        })
        .into();
    let ids = |text: &[u8]| -> Result<Vec<String>> {
        let mut sources = sources.clone();
        with_ids(&mut sources, &folder.file("ids.txt", text), 1 << 20)?;
        let of = |source| rows_of(source, 1).unwrap().into_iter().map(|(id, _)| id.unwrap());
        Ok(sources.iter().flat_map(of).collect())
    };
    assert_eq!(ids(b"a\nb c\r\nd").unwrap(), ["a", "b c", "d"]);
    assert_eq!(ids(b"a\n\nd\n").unwrap(), ["a", "", "d"]);
    for (text, expected) in [
        (&b"a\nb\n"[..], "too few ids: 2 lines for 3 rows"),
        (b"a\nb\nc\nd\n", "too many ids: 4 lines for 3 rows"),
        (b"a\n\xff\nc\n", "ids.txt, line 2: it is not valid UTF-8"),
        (b"", "too few"),
    ] {
        let said = ids(text).unwrap_err().to_string();
        assert!(said.contains(expected), "{said}");
    }
    let mut other = vec![source(&folder.file("a.jsonl", b"{\"text\": \"a\"}\n")).unwrap()];
    let said = with_ids(&mut other, &folder.file("ids.txt", b"a\n"), 1 << 20).unwrap_err().to_string();
    assert!(said.contains("a.jsonl is none"), "{said}");
}

#[test]
fn kept_rows_are_written_as_an_array_that_can_be_read() {
    use crate::{Disposition, SinkOptions, SinkWriter, Target};
    let folder = Folder::new("sink");
    let data: Vec<u8> = [1.0f32, 4.0, 2.0, 5.0, 3.0, 6.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let source = source(&folder.file("v.npy", &array("<f4", true, "(2, 3)", &data))).unwrap();
    let target = Target::new(folder.0.join("out").to_str().unwrap()).unwrap();
    let fields = only_text();
    let limits = Limits { block_bytes: 1 << 20, record_bytes: 1 << 20, records: 1 };
    let aside = folder.0.join("aside");
    let mut writer = SinkWriter::create(&target, &source, &aside, SinkOptions::default()).unwrap();
    let mut reader = Reader::open(&source, ReadMode::Whole, &fields, limits).unwrap();
    let mut block = Block::default();
    while reader.next_block(&mut block).unwrap() {
        let keeps = block.position.record == 1;
        writer.write(&block, &mut |_| if keeps { Disposition::Keep } else { Disposition::Drop }).unwrap();
    }
    assert_eq!(writer.finish().unwrap().records, 1);
    let written = std::fs::read(folder.0.join("out/v.npy")).unwrap();
    assert_eq!(written.len(), 128 + 12);
    assert_eq!(numbers(&folder.0.join("out/v.npy")), [[4.0, 5.0, 6.0]]);
    let options = SinkOptions { annotate: true, ..SinkOptions::default() };
    let said = SinkWriter::create(&target, &source, &aside, options).unwrap_err().to_string();
    assert!(said.contains("cannot be annotated"), "{said}");
}

#[test]
fn unsigned_bytes_are_numbers_and_bits() {
    let folder = Folder::new("bytes");
    let path = folder.file("bytes.npy", &array("|u1", false, "(2, 3)", &[0, 7, 255, 16, 1, 128]));
    assert_eq!(array_shape(&source(&path).unwrap()), Some((2, 3)));
    let rows = rows_of(&source(&path).unwrap(), 1).unwrap();
    let rows: Vec<Vec<f32>> = rows.into_iter().map(|(_, numbers)| numbers).collect();
    assert_eq!(rows, [[0.0, 7.0, 255.0], [16.0, 1.0, 128.0]]);
}
