//! Tables in memory -> documents.

use super::*;

fn table(texts: &[Option<&str>]) -> RecordBatch {
    let numbers = Arc::new(Int64Array::from_iter_values(0..texts.len() as i64)) as ArrayRef;
    RecordBatch::try_from_iter_with_nullable([("text", strings(texts), true), ("n", numbers, true)]).unwrap()
}

#[test]
fn a_table_in_memory_is_read_block_by_block_and_again_from_the_middle() {
    let texts: Vec<String> = (0..1000).map(|n| format!("text number {n}")).collect();
    let all = table(&texts.iter().map(|text| Some(text.as_str())).collect::<Vec<_>>());
    let source =
        table_source(vec![all.slice(0, 10), all.slice(10, 0), all.slice(10, 690), all.slice(700, 300)]);
    assert_eq!(source.size, texts.iter().map(|text| text.len() as u64).sum::<u64>());
    let fields = Fields { id: Some(FieldPath::new("n")), ..fields("text") };
    for block_bytes in [1, 100, 4_000, 1 << 20] {
        let mut reader = Reader::open(&source, ReadMode::Fields, &fields, limits(block_bytes)).unwrap();
        let (mut block, mut seen, mut positions) = (Block::default(), 0, Vec::new());
        while reader.next_block(&mut block).unwrap() {
            assert_eq!(block.position.record, seen as u64);
            positions.push(block.position);
            let expected = &texts[seen..seen + block.len()];
            assert_eq!(block.bytes(), expected.iter().map(String::len).sum::<usize>());
            let visit = &mut |slot: usize, record: Record<'_>| {
                let Record::Document(document) = record else { panic!("it is a document") };
                assert_eq!(document.text, expected[slot]);
                assert_eq!(document.id.unwrap().text, (seen + slot).to_string());
                Ok(())
            };
            block.visit(&fields, None, &mut Scratch::default(), visit).unwrap();
            seen += block.len();
        }
        assert_eq!(seen, 1000);
        for &position in [positions[0], positions[positions.len() / 2], positions[positions.len() - 1]].iter()
        {
            reader.advance_to(position).unwrap();
            assert!(reader.next_block(&mut block).unwrap());
            assert_eq!(block.position, position);
        }
    }
}

#[test]
fn nulls_of_a_table_are_bad_records_and_missing_columns_are_named() {
    let source = table_source(vec![table(&[Some("a"), None])]);
    let read = rows(&source, &fields("text"), ReadMode::Fields, 100).unwrap();
    assert_eq!(read.len(), 2);
    assert!(read[1].contains("null"), "{read:?}");
    let message = rows(&source, &fields("body"), ReadMode::Fields, 100).unwrap_err().to_string();
    assert!(message.contains("no column `body`") && message.contains("`text`, `n`"), "{message}");
    let message = rows(&source, &fields("n"), ReadMode::Fields, 100).unwrap_err().to_string();
    assert!(message.contains("cannot be the text"), "{message}");
    let nothing: ArrayRef = Arc::new(arrow_array::NullArray::new(3));
    let source = table_source(vec![RecordBatch::try_from_iter([("text", nothing)]).unwrap()]);
    let read = rows(&source, &fields("text"), ReadMode::Fields, 100).unwrap();
    assert!(read.len() == 3 && read.iter().all(|row| row.contains("null")), "{read:?}");
}
