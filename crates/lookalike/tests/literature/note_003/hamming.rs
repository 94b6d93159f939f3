//! Slides "SIMHASH": fingerprints within k bits of each other.

use lookalike::hamming::{
    BlockPermutation, Blocks, HammingConfig, HammingIndex, Match, Plan, TableStorage, neighbours_at,
};

use crate::assert_rounds_to;

/// D_F of slide "SIMHASH: DATA STRUCTURE": four bits each, here the top four of 16.
const FINGERPRINTS: [u16; 5] = [0b0110 << 12, 0b0010 << 12, 0b0010 << 12, 0b1001 << 12, 0b1110 << 12];

/// The permutation {1 -> 2, 2 -> 4, 3 -> 3, 4 -> 1}: bit 4 comes first, then bits 1, 3 and 2.
fn permutation() -> BlockPermutation<u16> {
    BlockPermutation::new(&[1, 1, 1, 1, 12], &[3, 0, 2, 1, 4]).unwrap()
}

fn four_bits(fingerprint: u16) -> String {
    format!("{:04b}", fingerprint >> 12)
}

fn plan(fingerprints: u64, blocks: usize) -> Plan {
    let config = HammingConfig::default().with_blocks(Blocks::Exactly(blocks));
    Plan::new(fingerprints, 64, &config).unwrap()
}

/// Slide "SIMHASH: DATA STRUCTURE". 0010 is in the set twice and is mapped to 0010, so the table has 0010 twice and
/// 0011 once; the slide's table has it the other way round.
#[test]
fn the_permuted_table_holds_0010_twice() {
    let mut table = FINGERPRINTS.map(|fingerprint| permutation().apply(fingerprint));
    assert_eq!(table.map(four_bits), ["0011", "0010", "0010", "1100", "0111"]);
    table.sort_unstable();
    assert_eq!(table.map(four_bits), ["0010", "0010", "0011", "0111", "1100"]);
    assert!(FINGERPRINTS.iter().all(|&f| permutation().invert(permutation().apply(f)) == f));
}

/// Slide "SIMHASH: ALGORITHM" on that table: F = 0110, k = 1, the top p = 2 bits. Step 1 finds three fingerprints,
/// step 2 keeps all. 1110 is within k as well, but its permuted form 0111 begins with other bits: one table is not
/// enough, and the index has one for each choice of blocks.
#[test]
fn one_table_may_miss_what_all_tables_find() {
    let (query, k) = (0b0110u16 << 12, 1);
    let permuted_query = permutation().apply(query);
    let step_1 =
        FINGERPRINTS.map(|f| permutation().apply(f)).into_iter().filter(|f| f >> 14 == permuted_query >> 14);
    let step_2: Vec<u16> = step_1.filter(|f| (f ^ permuted_query).count_ones() <= k).collect();
    let found: Vec<String> = step_2.into_iter().map(|f| four_bits(permutation().invert(f))).collect();
    assert_eq!(found, ["0110", "0010", "0010"]);

    let config = HammingConfig::default().with_max_distance(k).with_blocks(Blocks::Exactly(16));
    let index = HammingIndex::build(&FINGERPRINTS, &config).unwrap();
    assert_eq!(index.plan().tables(), 16);
    let distances = [(0, 0), (1, 1), (1, 2), (1, 4)];
    assert_eq!(
        index.query(query, k).unwrap(),
        distances.map(|(distance, position)| Match { distance, position })
    );
}

/// Slide "SIMHASH: DATA STRUCTURE": compressing a table "can decrease its size by half approximately".
#[test]
fn a_compressed_table_has_about_half_the_size() {
    let plan = plan(1 << 34, 5);
    let ratio = plan.bytes(TableStorage::Compressed) as f64 / plan.bytes(TableStorage::Plain) as f64;
    assert!((0.45..0.6).contains(&ratio), "{ratio}");
}

/// Second slide "SIMHASH: PARAMETERS": 64 bits, k = 3, 2^34 fingerprints, ten tables.
#[test]
fn ten_tables_of_2_to_the_34_fingerprints_retrieve_at_most_512_per_probe() {
    let plan = plan(1 << 34, 5);
    assert_eq!(plan.tables(), 10, "5 choose 2");
    assert_eq!(plan.blocks_per_table(), 2);
    assert_eq!(plan.block_widths(), [13, 13, 13, 13, 12]);
    assert_eq!(plan.prefix_bits(), 25..=26);
    assert_eq!(plan.candidates_per_probe(), 512.0);
    assert_eq!(1u64 << (34 - 25), 512);
    // Six tables choose two blocks of 13 and four choose the one of 12: 6 * 256 + 4 * 512.
    assert_eq!(plan.candidates_per_query(), 3584.0);
}

/// The same slide has "8B = 2^34". 2^34 is 17.2 billion; 8 billion is nearer to 2^33, and a probe retrieves 238.
#[test]
fn eight_billion_is_nearer_to_2_to_the_33() {
    let distance = |power: u32| (8e9 - f64::from(power).exp2()).abs();
    assert!(distance(33) < distance(34));
    assert_rounds_to(34f64.exp2() / 1e9, 17.2, 1);
    assert_rounds_to(plan(8_000_000_000, 5).candidates_per_probe(), 238.0, 0);
}

/// The same slide: C(64, 3) = 41,664 is called "the total number of probes". It is the number of fingerprints at
/// distance exactly 3, so of the probes of a single sorted table if each of them were looked up; those at distance 0
/// to 2 must be looked up too, 43,745 in all. With the ten tables a query makes ten probes.
#[test]
fn without_tables_a_query_would_take_41_664_probes_for_distance_3_and_43_745_up_to_3() {
    assert_eq!(neighbours_at(64, 3), Some(41_664));
    let up_to_3: u128 = (0..=3).map(|distance| neighbours_at(64, distance).unwrap()).sum();
    assert_eq!(up_to_3, 1 + 64 + 2_016 + 41_664);
    assert_eq!(up_to_3, 43_745);
    assert_eq!(plan(1 << 34, 5).tables(), 10);
}

/// First slide "SIMHASH: PARAMETERS": more tables have larger p and retrieve fewer fingerprints, but take more
/// storage.
#[test]
fn more_tables_mean_longer_prefixes_fewer_candidates_and_more_storage() {
    let plans = [4, 5, 6, 7].map(|blocks| plan(1 << 34, blocks));
    assert_eq!(plans.each_ref().map(Plan::tables), [4, 10, 20, 35]);
    assert_eq!(plans.each_ref().map(|plan| *plan.prefix_bits().start()), [16, 25, 31, 36]);
    assert!(plans.is_sorted_by(|few, many| few.candidates_per_query() > many.candidates_per_query()));
    assert!(plans.is_sorted_by(|few, many| few.bytes(TableStorage::Plain) < many.bytes(TableStorage::Plain)));
}
