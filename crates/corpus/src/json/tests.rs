use super::unescape::unescape;
use super::{Found, Kind, MAX_DEPTH, Problem, Wanted, check};
use crate::FieldPath;
use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::Value as Json;

/// The value of the line at each path: the content of strings, the JSON of other values. An error if the line is not
/// an object.
fn look_up(line: &str, paths: &[&str]) -> Result<Vec<Option<(Kind, String)>>, Problem> {
    let paths: Vec<FieldPath> = paths.iter().map(|path| FieldPath::new(path)).collect();
    let wanted = Wanted::new(&paths);
    let mut found = Found::default();
    wanted.find(line, true, &mut found)?;
    let mut memory = String::new();
    let mut answer = Vec::new();
    for number in 0..paths.len() {
        let value = wanted.value(number, line, &mut found);
        answer.push(value.map(|value| {
            let said = found.say(line, value, &mut memory).map_or("lone surrogate".to_owned(), str::to_owned);
            (value.kind, said)
        }));
    }
    Ok(answer)
}

/// The same lookup in a tree that a parser built.
fn look_up_plainly<'a>(line: &'a Json, path: &str) -> Option<&'a Json> {
    line.get(path).or_else(|| path.split('.').try_fold(line, |value, name| value.as_object()?.get(name)))
}

fn kind(value: &Json) -> Kind {
    match value {
        Json::Null => Kind::Null,
        Json::Bool(_) => Kind::Bool,
        Json::Number(_) => Kind::Number,
        Json::String(_) => Kind::String,
        Json::Array(_) => Kind::Array,
        Json::Object(_) => Kind::Object,
    }
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "a",
            "b",
            "a.b",
            "a.b.c",
            "c",
            "text",
            "te\\u0078t",
            "",
            "é",
            "\\n",
            "\\\"a"
        ])
        .prop_map(str::to_owned),
        "[a-c]{1,20}",
    ]
}

/// JSON as it may occur: white space anywhere, escapes of all kinds, names that occur twice.
fn json() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ -!#-\\[\\]-~]{0,40}",
        Just("\\n".to_owned()),
        Just("\\\\".to_owned()),
        Just("\\\"".to_owned()),
        Just("\\/".to_owned()),
        Just("\\b\\f\\r\\t".to_owned()),
        Just("\\u00e9".to_owned()),
        Just("\\ud83d\\uDE00".to_owned()),
        Just("ü€😀\u{7f}\u{2028}".to_owned()),
    ];
    let string = prop::collection::vec(piece, 0..6).prop_map(|pieces| format!("\"{}\"", pieces.concat()));
    let scalar = prop_oneof![
        4 => string,
        1 => prop::sample::select(vec!["null", "true", "false", "0", "-0", "12", "-1.5", "1e5", "1E+5", "0.5e-3"])
            .prop_map(str::to_owned),
    ];
    let space = prop::sample::select(vec!["", "", "", " ", "\t", "  ", "\r"]);
    let value = scalar.prop_recursive(4, 40, 5, |inner| {
        let space = prop::sample::select(vec!["", "", " ", "\t"]);
        let member = (names(), inner.clone(), space.clone())
            .prop_map(|(name, value, s)| format!("{s}\"{name}\"{s}:{s}{value}{s}"));
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(|values| format!("[{}]", values.join(","))),
            (prop::collection::vec(member, 0..4), space)
                .prop_map(|(members, s)| format!("{{{s}{}}}", members.join(","))),
        ]
    });
    let member = (names(), value).prop_map(|(name, value)| format!("\"{name}\":{value}"));
    (prop::collection::vec(member, 0..6), space)
        .prop_map(|(members, s)| format!("{s}{{{}}}{s}", members.join(", ")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn values_are_those_of_a_parser(line in json()) {
        const PATHS: [&str; 6] = ["text", "a", "a.b", "a.b.c", "c.a", "\n"];
        let tree: Json = serde_json::from_str(&line).unwrap();
        let answer = look_up(&line, &PATHS).unwrap();
        for (path, found) in PATHS.iter().zip(answer) {
            let expected = look_up_plainly(&tree, path);
            prop_assert_eq!(found.as_ref().map(|(kind, _)| *kind), expected.map(kind), "{}", path);
            match (expected, found) {
                (Some(Json::String(expected)), Some((_, found))) => prop_assert_eq!(expected, &found),
                (Some(expected), Some((_, found))) => {
                    prop_assert_eq!(expected, &serde_json::from_str::<Json>(&found).unwrap());
                }
                _ => {}
            }
        }
    }

    #[test]
    fn what_is_json_is_what_a_parser_takes(
        line in json(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3, "[{}\\[\\],:\"\\\\0-9eE+.tfnu \u{1}\u{9}aé-]"), 0..3),
    ) {
        let mut characters: Vec<char> = line.chars().collect();
        for (at, kind, new) in edits {
            let at = at.index(characters.len() + 1);
            match kind {
                0 => characters.splice(at..at, new.chars()).for_each(drop),
                1 if at < characters.len() => drop(characters.remove(at)),
                _ => characters.truncate(at),
            }
        }
        let line: String = characters.into_iter().collect();
        prop_assert_eq!(check(&line).is_ok(), serde_json::from_str::<IgnoredAny>(&line).is_ok(), "{}", line);
    }

    #[test]
    fn knowing_where_escapes_are_changes_nothing(line in json()) {
        let tree: Json = serde_json::from_str(&line).unwrap();
        let written = serde_json::to_string(&tree.to_string()).unwrap();
        let inside = &written[1..written.len() - 1];
        let (mut places, mut at) = (Vec::new(), 0);
        while let Some(found) = inside[at..].find('\\') {
            places.push(at + found);
            at += found + 2;
        }
        let mut unescaped = String::new();
        for known in 0..=places.len() {
            unescape(inside, &places[..known], &mut unescaped).unwrap();
            prop_assert_eq!(&unescaped, &tree.to_string());
        }
    }
}

#[test]
fn numbers_follow_the_grammar() {
    for good in ["0", "-0", "10", "1.0", "1e1", "1E-1", "-12.5e+10", "1e999"] {
        assert_eq!(check(good).map(|value| value.kind), Ok(Kind::Number), "{good}");
    }
    for bad in ["01", "-", "+1", ".5", "1.", "1e", "1e+", "0x1", "--1", "1.e1", "NaN", "Infinity", "1 2"] {
        assert!(check(bad).is_err(), "{bad}");
    }
}

#[test]
fn the_last_of_two_members_counts_on_every_level() {
    let found = |line| look_up(line, &["a.b"]).unwrap().remove(0).map(|(_, said)| said);
    assert_eq!(found(r#"{"a": {"b": "1", "b": "2"}}"#).as_deref(), Some("2"));
    assert_eq!(found(r#"{"a": {"b": "1"}, "a": {"b": "2"}}"#).as_deref(), Some("2"));
    assert_eq!(found(r#"{"a": {"b": "1"}, "a": {"c": "2"}}"#), None);
    assert_eq!(found(r#"{"a": {"b": "1"}, "a": 5}"#), None);
    assert_eq!(found(r#"{"a.b": "whole", "a": {"b": "1"}}"#).as_deref(), Some("whole"));
    assert_eq!(found(r#"{"\u0061": {"b": "x\ty"}}"#).as_deref(), Some("x\ty"));
}

#[test]
fn half_a_surrogate_pair_is_no_character() {
    for lone in [r"\ud800", r"\udc00", r"\ud800\ud800", r"\ud800x", r"\ud800\n", r"\udc00\ud800"] {
        assert!(unescape(lone, &[], &mut String::new()).is_err(), "{lone}");
        assert!(check(&format!("\"{lone}\"")).is_ok(), "the grammar allows {lone}");
    }
    let mut pair = String::new();
    assert_eq!(unescape(r"\ud83d\ude00", &[0, 6], &mut pair), Ok(()));
    assert_eq!(pair, "😀");
}

#[test]
fn nesting_is_limited_and_never_overflows_the_stack() {
    let nested = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    assert!(check(&nested(MAX_DEPTH - 2)).is_ok());
    assert!(matches!(check(&nested(MAX_DEPTH)), Err(Problem::Syntax("nested too deep", _))));
    assert!(check(&"[".repeat(1_000_000)).is_err());
    assert!(check(&"{\"a\":".repeat(1_000_000)).is_err());
}

#[test]
fn a_string_of_more_escapes_than_are_noted() {
    let long = "\\n\\u00e9x".repeat(10_000);
    let line = format!("{{\"text\": \"{long}\", \"id\": \"a\\tb\"}}");
    let answer = look_up(&line, &["text", "id"]).unwrap();
    assert_eq!(answer[0].as_ref().unwrap().1, "\néx".repeat(10_000));
    assert_eq!(answer[1].as_ref().unwrap().1, "a\tb");
}

#[test]
fn control_characters_need_an_escape_wherever_they_stand() {
    for length in 0..200 {
        let before = "x".repeat(length);
        for control in ['\u{0}', '\t', '\r', '\u{1f}'] {
            let line = format!("{{\"{before}\": 1, \"a\": \"{before}{control}{before}\"}}");
            assert!(check(&line).is_err());
            assert!(check(&line.replace(control, " ")).is_ok());
        }
    }
    assert!(check("{\t\"a\":\r\t1}").is_ok());
}
