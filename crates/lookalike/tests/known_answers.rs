//! The known answers of `docs/signature-format.md`. All of them were computed by `known_answers.py`, a second program
//! that was written from that page. It lists the words of each text.

use lookalike::banding::band_key_of_lanes;
use lookalike::hashing::SplitMix64;
use lookalike::minhash::{FastSketch, MinHasher};
use lookalike::shingling::{ShingleBuffer, Shingler, words};

const PAGE: &str = include_str!("../docs/signature-format.md");

/// Each entry is a text, its words after normalisation, the first two 2-shingles, and the sum of all 2-shingles.
const TEXTS: [(&str, &[&str], [u64; 3]); 5] = [
    (
        "हिन्दी में लिखा हुआ एक छोटा वाक्य।",
        &["हिन्दी", "में", "लिखा", "हुआ", "एक", "छोटा", "वाक्य"],
        [0x7a53_8cc0_488a_8b02, 0x62b6_b431_c6cb_730b, 0xc27a_74c6_4ad5_119a],
    ),
    (
        "ภาษาไทย ที่นี่",
        &["ภ", "า", "ษ", "า", "ไ", "ท", "ย", "ที่", "นี่"],
        [0x2370_b4bd_3f37_f903, 0x6b45_9be4_9e83_1e21, 0xd8f9_f161_d1ec_2d1e],
    ),
    // The last word is an alpha with an iota subscript before its accent, in capitals.
    (
        "ὈΔΥΣΣΕΎΣ τῷ Ὄφις· \u{391}\u{345}\u{301}",
        &["ὀδυσσεύσ", "τῶι", "ὄφισ", "άι"],
        [0x485c_ebcd_57aa_853e, 0x4b69_26b2_3115_afaf, 0x0c5e_261c_2143_7632],
    ),
    (
        "I 💛 love 3 🐈\u{200d}⬛ cats — NAI\u{308}VE 👩🏽\u{200d}🚀!",
        &["i", "love", "3", "cats", "naïve"],
        [0x04eb_711b_2925_d94e, 0x4d50_22f4_d89e_fdbd, 0x04f6_209e_f0fc_af9b],
    ),
    (
        "東京タワーは高い。",
        &["東", "京", "タ", "ワ", "ー", "は", "高", "い"],
        [0xdd1d_b58d_4317_95f2, 0x4076_77dd_5adb_ab70, 0xe978_78cd_ebcb_4ee2],
    ),
];

#[test]
fn texts_of_many_scripts_have_their_words_and_shingles() {
    let shingler = Shingler::words(2).unwrap();
    let mut buffer = ShingleBuffer::default();
    for (text, expected, answers) in TEXTS {
        let normalized = shingler.settings().normalization.normalize(text);
        assert_eq!(words(&normalized).collect::<Vec<_>>(), expected);
        let shingles = shingler.hashes(text, &mut buffer);
        let sum = shingles.iter().copied().fold(0, u64::wrapping_add);
        assert_eq!([shingles[0], shingles[1], sum], answers, "{text}");
        assert_eq!(shingler.locate(text).hashes(), shingler.hashes(text, &mut buffer));
        assert!(PAGE.contains(&format!("{sum:#x}")), "{text}: {sum:#x} is not on the page");
    }
}

#[test]
fn a_text_of_10_mb_has_its_signature() {
    let mut random = SplitMix64::new(10);
    let mut text = String::new();
    while text.len() < 10_000_000 {
        text.push_str(&format!("{} ", random.below(1_000_000)));
    }
    let mut buffer = ShingleBuffer::default();
    let shingles = Shingler::words(5).unwrap().hashes(&text, &mut buffer).to_vec();
    assert_eq!(shingles.len(), 0x1625f3);
    assert_eq!(shingles.iter().copied().fold(0, u64::wrapping_add), 0x608f_2092_b357_7010);
    let signature = FastSketch::new(4, 1).unwrap().sketch(&shingles);
    assert_eq!(signature.slots(), [0xd7d6_83c0, 0x4ba1_85e3, 0x1fef_9da5, 0xb4ae_8238]);
    for slot in signature.slots() {
        assert!(PAGE.contains(&format!("{slot:#x}")), "{slot:#x} is not on the page");
    }
}

#[test]
fn lanes_and_their_band_keys_are_on_the_page() {
    let slots = FastSketch::new(4, 42).unwrap().sketch(&[1, 2, 3]).slots().to_vec();
    let mut lanes = [0; 4];
    lookalike::minhash::lanes::lanes_into(&slots, &mut lanes);
    assert_eq!(lanes, [0xabc9, 0xc500, 0x6ea0, 0xb29d]);
    assert_eq!(band_key_of_lanes(0, &lanes), 0x6365_399c_ef68_d2b1);
    for answer in lanes.iter().map(|&lane| u64::from(lane)).chain([band_key_of_lanes(0, &lanes)]) {
        assert!(PAGE.contains(&format!("{answer:#x}")), "{answer:#x} is not on the page");
    }
}

#[test]
fn the_page_states_the_version_of_unicode() {
    let (major, minor, micro) = lookalike::format::UNICODE_VERSION;
    assert!(PAGE.contains(&format!("Unicode {major}.{minor}.{micro}")));
    assert!(PAGE.contains(&format!("version {}", lookalike::format::VERSION)));
}
