use super::*;
use proptest::prelude::*;
use std::cmp::Ordering;

fn text(written: &str) -> Option<(OrderKind, Vec<u8>)> {
    let mut key = Vec::new();
    of_text(written, &mut key).map(|kind| (kind, key))
}

fn key(written: &str) -> Vec<u8> {
    text(written).unwrap().1
}

fn float(value: f64) -> Vec<u8> {
    let mut key = Vec::new();
    of_float(value, &mut key).unwrap();
    key
}

fn inverted(key: &[u8]) -> Vec<u8> {
    key.iter().map(|byte| !byte).collect()
}

/// In both directions, and neither key is a prefix of the other.
fn check(a: &[u8], b: &[u8], expected: Ordering) {
    assert_eq!(a.cmp(b), expected, "{a:?} {b:?}");
    assert_eq!(inverted(a).cmp(&inverted(b)), expected.reverse(), "{a:?} {b:?}");
    assert!(a == b || !a.starts_with(b) && !b.starts_with(a), "{a:?} {b:?}");
}

#[test]
fn values_are_in_the_order_that_the_module_states() {
    let written = [
        "-1e300",
        "-9007199254740993",
        "-9007199254740992",
        "-10",
        "-9.5",
        "-9",
        "-0.001",
        "-1e-200",
        "-0.001e-99999999999999999999",
        "0",
        "0.001e-99999999999999999999",
        "1e-200",
        "0.001",
        "0.1",
        "0.11",
        "0.2",
        "1",
        "1.5",
        "2",
        "9",
        "10",
        "99.99",
        "100",
        "1234567890",
        "9007199254740992",
        "9007199254740993",
        "18446744073709551615",
        "18446744073709551616",
        "1e100",
        "1e101",
        "1e300",
        "1e999",
        "-",
        "2024-05-01",
        "2024-05-02",
        "2024-05-02T10",
        "2024-05-02\0",
        "Zeta",
        "alpha",
        "é",
    ];
    let mut keys: Vec<Vec<u8>> = Vec::new();
    let mut new = Vec::new();
    of_bool(false, &mut new);
    keys.push(new.clone());
    of_bool(true, &mut new);
    keys.push(new.clone());
    keys.push(float(f64::NEG_INFINITY));
    let numbers = written.iter().position(|written| *written == "-").unwrap();
    keys.extend(written[..numbers].iter().map(|written| key(written)));
    keys.push(float(f64::INFINITY));
    for nanoseconds in [i128::MIN, -1, 0, 1, i128::MAX] {
        of_time(nanoseconds, &mut new);
        keys.push(new.clone());
    }
    let mut texts: Vec<Vec<u8>> = written[numbers..].iter().map(|written| key(written)).collect();
    texts.sort();
    // "2024-05-02\0" comes before "2024-05-02T10" in bytes.
    assert_eq!(texts[3], key("2024-05-02\0"));
    keys.extend(texts);
    for (at, a) in keys.iter().enumerate() {
        for (other, b) in keys.iter().enumerate() {
            check(a, b, at.cmp(&other));
        }
    }
}

#[test]
fn what_is_written_differently_and_means_the_same_is_equal() {
    for (a, b) in
        [("1", "1.0"), ("1", " +01.00e0 "), ("0", "-0.0e5"), ("100", "1e2"), (".5", "5e-1"), ("5.", "5")]
    {
        assert_eq!(key(a), key(b), "{a} {b}");
    }
    assert_eq!(float(0.1), key("0.1"));
    assert_eq!(float(f64::from(0.25f32)), key("0.25"));
    assert_eq!(float(9_007_199_254_740_992.0), key("9007199254740992"));
    assert_eq!(float(2f64.powi(80)), key("1208925819614629174706176"));
    let mut new = Vec::new();
    assert_eq!(of_float(f64::NAN, &mut new), None);
}

#[test]
fn what_is_no_number_is_text_and_what_is_empty_is_nothing() {
    for word in ["nan", "inf", "1e", "--1", "1.2.3", "1_000", "0x10", "٣"] {
        assert_eq!(text(word).unwrap().0, OrderKind::Text, "{word}");
    }
    assert_eq!(text(""), None);
    assert_eq!(text(" \t"), None);
}

#[test]
fn numbers_of_up_to_ten_digits_take_eight_bytes() {
    for short in ["1700000000", "0.12345678", "-9999999999", "1e50"] {
        assert!(key(short).len() <= 8, "{short}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn integers_compare_as_integers(a: i128, b: i128, shift in 0..120u32) {
        let (a, b) = (a >> shift, b >> shift);
        check(&key(&a.to_string()), &key(&b.to_string()), a.cmp(&b));
        check(&key(&a.to_string()), &key(&(a + 1).to_string()), Ordering::Less);
    }

    #[test]
    fn floats_compare_as_floats_and_with_integers(a: f64, b: f64, small in -100_000i64..100_000, whole: i64) {
        prop_assume!(a.is_finite() && b.is_finite());
        let small = small as f64 / 64.0;
        for (a, b) in [(a, b), (a, small), (small, small + 0.015_625)] {
            check(&float(a), &float(b), a.partial_cmp(&b).unwrap());
        }
        // Compared with an integer, without rounding the integer.
        let near = whole as f64;
        let expected = (near as i128).cmp(&i128::from(whole));
        check(&float(near), &key(&whole.to_string()), expected);
    }

    #[test]
    fn texts_compare_as_bytes(a in "[a-c\0é]{1,12}", b in "[a-c\0é]{1,12}") {
        prop_assume!(!a.trim().is_empty() && !b.trim().is_empty());
        check(&key(&a), &key(&b), a.as_bytes().cmp(b.as_bytes()));
    }
}
