//! Survivors of any pairs, valid or not, compared with the rule as it is written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookalike::clustering::{Fate, KeepOrder, connected_components, survivors, survivors_among_candidates};
use lookalike::verification::Pair;

fuzz_target!(|input: (Vec<u8>, Vec<(u8, u8)>)| {
    let (keys, pairs) = input;
    let n = keys.len();
    let pairs: Vec<(usize, usize)> = pairs.iter().map(|&(a, b)| (a.into(), b.into())).collect();
    let verified: Vec<Pair> = pairs.iter().map(|&(a, b)| Pair { a, b, similarity: 1.0 }).collect();
    let order = KeepOrder::by_key(n, |document| keys[document]).expect("few documents");

    let found = survivors(&order, &verified);
    let found_among = survivors_among_candidates(&order, pairs.iter().copied(), |_, _| Some(1.0));
    let components = connected_components(n, pairs.iter().copied());
    if pairs.iter().any(|&(a, b)| a >= n || b >= n) {
        assert!(found.is_err() && found_among.is_err() && components.is_err());
        return;
    }

    let similar = |a, b| pairs.contains(&(a, b)) || pairs.contains(&(b, a));
    let mut fates = vec![Fate::Kept; n];
    let mut kept: Vec<usize> = Vec::new();
    for &document in order.documents() {
        match kept.iter().find(|&&by| similar(document, by)) {
            Some(&by) => fates[document] = Fate::Removed { by, similarity: 1.0 },
            None => kept.push(document),
        }
    }
    assert!(found.is_ok_and(|found| found.fates() == fates));
    assert!(found_among.is_ok_and(|found| found.fates() == fates));
    assert!(components.is_ok_and(|components| {
        pairs.iter().all(|&(a, b)| components.representatives()[a] == components.representatives()[b])
    }));
});
