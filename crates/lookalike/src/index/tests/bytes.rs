use crate::Error;
use crate::banding::Banding;
use crate::hashing::hash_bytes;
use crate::index::LshIndex;
use crate::minhash::lanes::lane;
use crate::minhash::{Family, FastSketch, MinHasher, Signature};

fn sketch(document: u64) -> Signature {
    let elements: Vec<u64> = (document / 2..document / 2 + 20).collect();
    FastSketch::new(9, 7).unwrap().sketch(&elements)
}

fn sample(documents: u64) -> LshIndex {
    let mut index = LshIndex::new(Banding::new(4, 2).unwrap());
    for document in 0..documents {
        index.insert(document, &sketch(document)).unwrap();
    }
    index
}

fn write(index: &LshIndex) -> Vec<u8> {
    index.to_bytes_with(b"note", |id, bytes| bytes.extend_from_slice(&id.to_le_bytes())).unwrap()
}

fn read(bytes: &[u8]) -> crate::Result<(LshIndex, &[u8])> {
    LshIndex::from_bytes_with(bytes, |id| {
        id.try_into().map(u64::from_le_bytes).map_err(|_| format!("an id of {} bytes", id.len()))
    })
}

fn refused(bytes: &[u8]) -> (usize, String) {
    match read(bytes) {
        Err(Error::Decode { what: "LSH index", offset, cause }) => (offset, cause),
        other => panic!("{other:?}"),
    }
}

/// The bytes with a checksum that matches. Only a faulty program would write them.
fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 8;
    let checksum = hash_bytes(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

#[test]
fn what_was_written_is_read() {
    for documents in [0, 1, 50] {
        let index = sample(documents);
        let bytes = write(&index);
        let (again, note) = read(&bytes).unwrap();
        assert_eq!((again.len(), note), (documents as usize, &b"note"[..]));
        assert_eq!(again.candidate_pairs(), index.candidate_pairs());
        assert_eq!(again.stats(), index.stats());
        for document in 0..documents {
            assert_eq!(again.get(&document), index.get(&document));
            let query = sketch(document);
            assert_eq!(again.query(&query, 0.5), index.query(&query, 0.5));
        }
        assert_eq!(write(&again), bytes);
    }
}

#[test]
fn the_past_of_an_index_is_not_stored() {
    let mut index = sample(20);
    let taken: Vec<u64> = (0..20).step_by(3).collect();
    for id in &taken {
        index.remove(id);
    }
    for id in taken.into_iter().rev() {
        index.insert(id, &sketch(id)).unwrap();
    }
    assert_eq!(write(&index), write(&sample(20)));
}

#[test]
fn the_kind_of_signature_outlives_the_documents() {
    let mut index = sample(1);
    index.remove(&0);
    let bytes = write(&index);
    let (mut again, _) = read(&bytes).unwrap();
    let other = Signature::from_slots(Family::FastSketch, 8, vec![1; 9]).unwrap();
    super::incompatible(again.insert(1, &other));
    let buckets = LshIndex::<u64>::new(Banding::new(3, 5).unwrap().with_buckets(1000).unwrap());
    assert_eq!(read(&write(&buckets)).unwrap().0.banding(), buckets.banding());
}

#[test]
fn every_cut_and_every_changed_byte_is_refused() {
    let bytes = write(&sample(3));
    for cut in 0..bytes.len() {
        refused(&bytes[..cut]);
    }
    for at in 0..bytes.len() {
        for flip in [1, 0x80] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            let (offset, cause) = refused(&damaged);
            assert!(offset <= at || cause.contains("checksum"), "{at}: {offset} {cause}");
        }
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(refused(&longer).1.contains("checksum"));
}

/// Even with a checksum that matches, numbers that make no sense are refused. They must not cause a panic or a huge
/// allocation.
#[test]
fn senseless_fields_are_refused_even_with_a_matching_checksum() {
    let bytes = write(&sample(3));
    for (at, name) in
        [(5, "family"), (6, "zeros"), (16, "expected"), (20, "bands"), (24, "rows"), (36, "expected")]
    {
        for value in [0xff, 0x77] {
            let mut wrong = bytes.clone();
            wrong[at] = value;
            let (offset, cause) = refused(&resealed(wrong));
            assert!(cause.contains(name), "{at}: {offset} {cause}");
        }
    }
    for at in 5..bytes.len() - 8 {
        for value in [0, 1, 0x7f, 0xff] {
            let mut wrong = bytes.clone();
            wrong[at] = value;
            let wrong = resealed(wrong);
            // Slots, seed and note may have any value. Then the values that are read are those that were written.
            if let Ok((index, note)) = read(&wrong) {
                let again = index.to_bytes_with(note, |id, bytes| bytes.extend_from_slice(&id.to_le_bytes()));
                assert_eq!(again, Ok(wrong), "{at}: {value}");
            }
        }
    }
    let mut twice = bytes.clone();
    let ids = 56 + 4;
    twice.copy_within(ids..ids + 12, ids + 12);
    assert!(refused(&resealed(twice)).1.contains("not above the one before it"));
    let mut short_id = bytes;
    short_id[ids] = 7;
    assert!(refused(&resealed(short_id)).1.contains("an id of 7 bytes"));
}

#[test]
fn bytes_are_fixed() {
    let mut index = LshIndex::<u64>::new(Banding::new(1, 2).unwrap());
    index.insert(5, &Signature::from_slots(Family::FastSketch, 3, vec![1, 2]).unwrap()).unwrap();
    let bytes = write(&index);
    let expected = [
        &b"LKLI\x02\x04\0\0\x03\0\0\0\0\0\0\0\x02\0\0\0\x01\0\0\0\x02\0\0\0"[..],
        b"\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x04\0\0\0\x0c\0\0\0\0\0\0\0note",
        b"\x08\0\0\0\x05\0\0\0\0\0\0\0",
        &lane(1, 0).to_le_bytes(),
        &lane(2, 1).to_le_bytes(),
    ]
    .concat();
    assert_eq!(bytes[..bytes.len() - 8], expected);
    assert_eq!(bytes[bytes.len() - 8..], hash_bytes(&expected).to_le_bytes());
    assert_eq!(write(&read(&version_1()).unwrap().0), bytes);
}

/// The same index in the first version, which had whole slots.
fn version_1() -> Vec<u8> {
    let bytes = [
        &b"LKLI\x01\x04\0\0\x03\0\0\0\0\0\0\0\x02\0\0\0\x01\0\0\0\x02\0\0\0"[..],
        b"\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x04\0\0\0\x0c\0\0\0\0\0\0\0note",
        b"\x08\0\0\0\x05\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0",
        &[0; 8],
    ];
    resealed(bytes.concat())
}

#[test]
fn damaged_bytes_of_the_first_version_are_refused() {
    let bytes = version_1();
    for cut in 0..bytes.len() {
        refused(&bytes[..cut]);
    }
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x11;
        refused(&damaged);
    }
    let longer = [&bytes[..bytes.len() - 8], &[0; 16]].concat();
    assert!(refused(&resealed(longer)).1.contains("expected 0"));
}
