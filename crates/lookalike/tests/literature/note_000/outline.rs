//! Slide "Putting it All Together".

use lookalike::banding::plan;
use lookalike::index::LshIndex;
use lookalike::minhash::{FastSketch, MinHasher};
use lookalike::shingling::{ShingleSet, Shingler};
use lookalike::similarity::jaccard;
use lookalike::verification::{Verifier, verify_pairs};

/// 0 and 3 differ in a word, 1 and 4 in a word and a comma, 5 quotes half of 2.
const DOCUMENTS: [&str; 7] = [
    "The dog which chased the cat through the garden came home in the evening, tired and muddy.",
    "Many data mining tasks can be expressed as finding similar sets in a space of high dimension.",
    "Pages on the Web are copied from site to site, and navigation around them changes everywhere.",
    "The dog that chased the cat through the garden came home in the evening, tired and muddy.",
    "Many data mining tasks can be expressed as finding similar sets, in spaces of high dimension.",
    "Pages on the Web are copied from site to site; a search engine shows only one of them.",
    "The quarterback scored a touchdown in the last minute of the game.",
];

/// The five steps of the outline. (Its b and r put the threshold where the curve rises, so pairs just above t are
/// often missed; those here are far enough above. [`plan::by_recall`] is for those who cannot miss them.)
#[test]
fn the_five_steps_find_the_pairs_that_comparing_all_finds() {
    // 1. Pick a value of k, and construct k-shingles for each document.
    let shingler = Shingler::characters(5).unwrap();
    let sets: Vec<ShingleSet> = DOCUMENTS.iter().map(|text| shingler.set(text)).collect();

    // 2. Pick a length n for the min-hash signatures.
    let n = 100;
    let hasher = FastSketch::new(n, 1).unwrap();
    let signatures = sets.iter().map(|set| hasher.sketch(set.as_slice()));

    // 3. Choose a threshold t, along with b and r such that b r = n and t = (1/b)^(1/r).
    let t = 0.55;
    let banding = plan::by_notes_rule(n, t).unwrap().banding;
    let (b, r) = (banding.bands(), banding.rows());
    assert_eq!((b, r), (20, 5));
    assert_eq!(b * r, n);
    assert!(((1.0 / b as f64).powf(1.0 / r as f64) - t).abs() < 0.001);

    // 4. Construct candidate pairs by applying LSH.
    let mut index = LshIndex::new(banding);
    for (document, signature) in signatures.enumerate() {
        index.insert(document, &signature).unwrap();
    }
    let candidates = index.candidate_pairs();
    assert!(candidates.len() < 7 * 6 / 2);

    // 5. Check each candidate pair in main memory for similarity. (Note 001, "LSH Summary", checks the signatures
    // first, and the documents themselves as an option.)
    let verified = verify_pairs(candidates, &sets, &Verifier::jaccard(t).unwrap()).unwrap();
    let found: Vec<_> = verified.iter().map(|pair| (pair.a, pair.b, pair.similarity)).collect();

    let pairs = (0..7).flat_map(|a| (a + 1..7).map(move |b| (a, b)));
    let compared = pairs.map(|(a, b)| (a, b, jaccard(&sets[a], &sets[b])));
    let expected: Vec<_> = compared.filter(|&(_, _, similarity)| similarity >= t).collect();
    assert_eq!(found, expected);
    assert_eq!(found.iter().map(|&(a, b, _)| (a, b)).collect::<Vec<_>>(), [(0, 3), (1, 4)]);
    let by_signature = index.similar_pairs(t).unwrap();
    assert_eq!(by_signature.iter().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>(), [(0, 3), (1, 4)]);
}
