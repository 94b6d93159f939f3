//! JSON -> a set of items, or of items with weights.
//!
//! An item is a string or a number. Items are compared as values: `"1"` and `1` differ, `1` and `1.0` do not, and numbers of any
//! length are compared exactly. An item becomes a hash, as a shingle does; so the mathematics of shingles holds for it.
//!
//! Weights are whole numbers of steps. An item of three steps becomes three elements, and so the shared elements of two documents are the
//! sum of the smaller weights, and all elements of both are the sum of the larger ones: their Jaccard similarity is the weighted
//! one, exactly, in any order and on any CPU. A step is 1 unless the settings say something else; then every weight is first rounded
//! to the nearest number of steps.

use super::Values;
use crate::{Measure, Settings};
use lookalike::hashing::{Key, mix64};
use memchr::memchr2;
use std::collections::BTreeMap;

/// A set whose weights add up to more than this is refused: each unit is an element.
pub(crate) const MOST_WEIGHT: u64 = 1 << 22;

/// Tells numbers from strings.
const NUMBER: u64 = 0x6e75_6d62_6572;

/// How a value becomes a set.
#[derive(Debug)]
pub(crate) struct Sets {
    field: String,
    split: Option<String>,
    weights: Option<Weights>,
}

/// How weights are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weights {
    /// Weights are rounded to multiples of this. Without it they are whole numbers.
    step: Option<f64>,
    /// The steps of an item of an array.
    of_one: u64,
}

impl Weights {
    /// How the settings weigh items; `None` if they do not.
    pub(crate) fn of(settings: &Settings) -> Option<Self> {
        if settings.signature.measure != Measure::WeightedJaccard {
            return None;
        }
        let step = settings.signature.weight_step;
        // Of gathered rows, an array has an item once for each step.
        let of_one = if settings.files.set_of.is_some() { 1 } else { steps_of_one(step) };
        Some(Self { step, of_one })
    }

    /// The steps of a row that has no weight.
    pub(crate) fn of_row(self) -> u64 {
        steps_of_one(self.step)
    }

    /// The steps of a weight. The error follows "and".
    pub(crate) fn steps(self, written: &str) -> Result<u64, &'static str> {
        let Some(step) = self.step else { return whole(written) };
        let weight = written.parse::<f64>().map_err(|_| "a weight is a number")?;
        match (weight / step).round() {
            _ if weight < 0.0 => Err("weights are not negative"),
            steps if steps <= MOST_WEIGHT as f64 => Ok(steps as u64),
            steps if steps.is_nan() => Err("a weight is a number"),
            _ => Err("it has too many steps; a larger weight-step makes fewer"),
        }
    }
}

fn steps_of_one(step: Option<f64>) -> u64 {
    step.map_or(1, |step| (1.0 / step).round().min(u32::MAX.into()) as u64)
}

/// An item as it is compared.
#[derive(Clone, Copy)]
enum Item<'a> {
    /// The content of a string.
    Text(&'a str),
    /// Bytes that stand for the value of a number, and the number as it is written.
    Number(&'a [u8], &'a str),
}

impl Item<'_> {
    fn hash(self, key: &Key) -> u64 {
        match self {
            Self::Text(text) => key.shingle(&[key.token(text.as_bytes())]),
            Self::Number(bytes, _) => key.shingle(&[key.token(bytes), NUMBER]),
        }
    }

    /// Bytes that are equal for equal items only, and of which none are the beginning of others.
    fn encoded(self) -> Vec<u8> {
        let (tag, content) = match self {
            Self::Text(text) => (b'"', text.as_bytes()),
            Self::Number(number, _) => (b'0', number),
        };
        let mut encoded = vec![tag];
        encoded.extend_from_slice(&(content.len() as u64).to_le_bytes());
        encoded.extend_from_slice(content);
        encoded
    }
}

impl Sets {
    /// The sets in a field. A string is a set only if there is something to split it at.
    pub(crate) fn new(field: &str, split: Option<&str>, weights: Option<Weights>) -> Self {
        Self { field: field.to_owned(), split: split.map(str::to_owned), weights }
    }

    /// The steps of an item that has no weight of its own.
    fn of_one(&self) -> u64 {
        self.weights.map_or(1, |weights| weights.of_one)
    }

    /// Hands out every item with its weight, as often as it occurs.
    fn visit(&self, json: &str, visit: &mut dyn FnMut(Item<'_>, u64)) -> Result<(), String> {
        let field = &self.field;
        let mut scanner =
            Scanner { text: json.trim_ascii(), at: 0, unescaped: String::new(), number: Vec::new() };
        match scanner.peek() {
            Some(b'[') => self.visit_array(&mut scanner, visit),
            Some(b'{') => match self.weights {
                Some(weights) => self.visit_object(&mut scanner, weights, visit),
                None => Err(format!(
                    "the field `{field}` is an object, which has weights; compare with the measure weighted-jaccard, or write an array"
                )),
            },
            Some(b'"') => {
                let Item::Text(text) = scanner.item().map_err(|wrong| self.wrong(&wrong))? else {
                    return Err(self.wrong("it is no string"));
                };
                let Some(split) = &self.split else {
                    // A table without types, as CSV, has JSON in strings.
                    let inner = text.trim_ascii();
                    if inner.starts_with(['[', '{']) {
                        let inner = inner.to_owned();
                        return self.visit(&inner, visit);
                    }
                    return Err(format!(
                        "the field `{field}` is a string, not an array; say what separates its items (split)"
                    ));
                };
                let items = text.split(split.as_str()).map(str::trim).filter(|item| !item.is_empty());
                items.for_each(|item| visit(Item::Text(item), self.of_one()));
                Ok(())
            }
            Some(b'n') => Err(format!("the field `{field}` is null")),
            Some(b't' | b'f') => Err(format!("the field `{field}` is a boolean, not an array")),
            Some(b'-' | b'0'..=b'9') => Err(format!("the field `{field}` is a number, not an array")),
            _ => Err(self.wrong("it is not JSON")),
        }
    }

    fn visit_array(
        &self,
        scanner: &mut Scanner<'_>,
        visit: &mut dyn FnMut(Item<'_>, u64),
    ) -> Result<(), String> {
        scanner.at += 1;
        if scanner.passes(b']') {
            return scanner.end().map_err(|wrong| self.wrong(&wrong));
        }
        for number in 1u64.. {
            let item = scanner
                .item()
                .map_err(|wrong| format!("item {number} of the field `{}` {wrong}", self.field))?;
            visit(item, self.of_one());
            if scanner.passes(b']') {
                break;
            }
            if !scanner.passes(b',') {
                return Err(self.wrong("a comma is missing"));
            }
        }
        scanner.end().map_err(|wrong| self.wrong(&wrong))
    }

    fn visit_object(
        &self,
        scanner: &mut Scanner<'_>,
        weights: Weights,
        visit: &mut dyn FnMut(Item<'_>, u64),
    ) -> Result<(), String> {
        scanner.at += 1;
        if scanner.passes(b'}') {
            return scanner.end().map_err(|wrong| self.wrong(&wrong));
        }
        let mut name = String::new();
        loop {
            scanner.pass_white_space();
            if scanner.peek() != Some(b'"') {
                return Err(self.wrong("a name is missing"));
            }
            if let Item::Text(text) = scanner.item().map_err(|wrong| self.wrong(&wrong))? {
                name.clear();
                name.push_str(text);
            }
            if !scanner.passes(b':') {
                return Err(self.wrong("a colon is missing"));
            }
            let written = scanner.written();
            match weights.steps(written) {
                Ok(weight) => visit(Item::Text(&name), weight),
                Err(why) => {
                    return Err(format!(
                        "the weight of {name:?} in the field `{}` is {}, and {why}",
                        self.field,
                        if written.len() > 40 { "too long" } else { written }
                    ));
                }
            }
            if scanner.passes(b'}') {
                return scanner.end().map_err(|wrong| self.wrong(&wrong));
            }
            if !scanner.passes(b',') {
                return Err(self.wrong("a comma is missing"));
            }
        }
    }

    fn wrong(&self, what: &str) -> String {
        format!("the field `{}` cannot be read: {what}", self.field)
    }

    /// The items with their weights, ascending and each once. An array may repeat an item; an object may not.
    fn weights<T: Ord + Copy>(&self, items: &mut Vec<(T, u64)>, is_object: bool) -> Result<(), String> {
        items.sort_unstable();
        if is_object && let Some(twice) = items.windows(2).position(|two| two[0].0 == two[1].0) {
            let (a, b) = (items[twice].1, items[twice + 1].1);
            let weights = if a == b { String::new() } else { format!(", with the weights {a} and {b}") };
            return Err(format!("the field `{}` has an item twice{weights}", self.field));
        }
        items.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                earlier.1 = earlier.1.saturating_add(later.1);
            }
            is_same
        });
        items.retain(|&(_, weight)| weight > 0);
        let total = items.iter().fold(0u64, |sum, &(_, weight)| sum.saturating_add(weight));
        if total > MOST_WEIGHT {
            return Err(format!(
                "the weights in the field `{}` add up to {total}, and at most {MOST_WEIGHT} are allowed; divide them by a common number",
                self.field
            ));
        }
        Ok(())
    }
}

impl Values for Sets {
    fn elements(&self, json: &str, key: &Key, elements: &mut Vec<u64>) -> Result<(), String> {
        self.rest(json, key, &|_| false, elements)
    }

    fn items(&self, json: &str, items: &mut Vec<u64>) -> Result<(), String> {
        self.visit(json, &mut |item, weight| {
            if weight > 0 {
                items.push(item.hash(Key::FIXED));
            }
        })?;
        items.sort_unstable();
        items.dedup();
        Ok(())
    }

    fn rest(
        &self,
        json: &str,
        key: &Key,
        is_left_out: &dyn Fn(u64) -> bool,
        elements: &mut Vec<u64>,
    ) -> Result<(), String> {
        let is_wanted = |item: &Item<'_>| !is_left_out(item.hash(Key::FIXED));
        if self.weights.is_none() {
            self.visit(json, &mut |item, _| {
                if is_wanted(&item) {
                    elements.push(item.hash(key));
                }
            })?;
            elements.sort_unstable();
            elements.dedup();
            return Ok(());
        }
        let mut weights: Vec<(u64, u64)> = Vec::new();
        self.visit(json, &mut |item, weight| {
            if is_wanted(&item) {
                weights.push((item.hash(key), weight));
            }
        })?;
        self.weights(&mut weights, is_object(json))?;
        for (hash, weight) in weights {
            elements.push(hash);
            elements.extend((1..weight).map(|unit| mix64(mix64(hash) ^ mix64(!unit))));
        }
        Ok(())
    }

    fn content(&self, json: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
        // What is equal here is removed as a copy, and so no hash stands for an item.
        let mut items: Vec<(Vec<u8>, u64)> = Vec::new();
        self.visit(json, &mut |item, weight| items.push((item.encoded(), weight)))?;
        let mut by_item: Vec<(&[u8], u64)> =
            items.iter().map(|(item, weight)| (item.as_slice(), *weight)).collect();
        if self.weights.is_some() {
            self.weights(&mut by_item, is_object(json))?;
        } else {
            by_item.sort_unstable();
            by_item.dedup();
        }
        for (item, weight) in by_item {
            bytes.extend_from_slice(item);
            bytes.extend_from_slice(&weight.to_le_bytes());
        }
        Ok(())
    }
}

/// True if a set is an object, or a string that holds one.
fn is_object(json: &str) -> bool {
    json.trim_start_matches([' ', '\t', '\n', '\r', '"']).starts_with('{')
}

/// An item of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WeighedItem {
    /// The item as JSON.
    pub(crate) written: String,
    /// Its weight, in steps.
    pub(crate) weight: u64,
    /// Its hash with the fixed key.
    hash: u64,
}

/// The items of a set by what is compared of them. The error is the end of a sentence.
pub(crate) fn items(settings: &Settings, json: &str) -> Result<BTreeMap<Vec<u8>, WeighedItem>, String> {
    let weights = Weights::of(settings);
    let sets = Sets::new(&settings.files.text_field, settings.signature.split.as_deref(), weights);
    let mut items: BTreeMap<Vec<u8>, WeighedItem> = BTreeMap::new();
    sets.visit(json, &mut |item, weight| {
        let all = items.entry(item.encoded()).or_insert_with(|| {
            let written = match item {
                Item::Text(text) => serde_json::Value::String(text.to_owned()).to_string(),
                Item::Number(_, written) => written.to_owned(),
            };
            WeighedItem { written, weight: 0, hash: item.hash(Key::FIXED) }
        });
        all.weight = if weights.is_some() { all.weight.saturating_add(weight) } else { 1 };
    })?;
    items.retain(|_, item| item.weight > 0);
    Ok(items)
}

/// Which items of a set are left out, in the order of [`items`]: those of whose hash with the fixed key `is_left_out` says so.
pub(crate) fn left_out(
    settings: &Settings,
    json: &str,
    is_left_out: &dyn Fn(u64) -> bool,
) -> Result<Vec<bool>, String> {
    Ok(items(settings, json)?.values().map(|item| is_left_out(item.hash)).collect())
}

/// A position in a JSON text.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
    unescaped: String,
    number: Vec<u8>,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn pass_white_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Passes this byte, and white space around it. Returns false if another one is here.
    fn passes(&mut self, byte: u8) -> bool {
        self.pass_white_space();
        let is_here = self.peek() == Some(byte);
        if is_here {
            self.at += 1;
            self.pass_white_space();
        }
        is_here
    }

    fn end(&self) -> Result<(), String> {
        if self.at == self.text.len() { Ok(()) } else { Err("something follows its end".into()) }
    }

    /// What is written up to the next bracket, comma or white space.
    fn written(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// The next item. The error follows the name of the item.
    fn item(&mut self) -> Result<Item<'_>, String> {
        match self.peek() {
            Some(b'"') => {
                let (whole, rest) = (self.text, &self.text.as_bytes()[self.at + 1..]);
                let begin = self.at + 1;
                let mut length = memchr2(b'"', b'\\', rest).ok_or("does not end")?;
                if rest[length] == b'"' {
                    self.at = begin + length + 1;
                    return Ok(Item::Text(&whole[begin..begin + length]));
                }
                while rest[length] != b'"' {
                    length += 2;
                    length += rest
                        .get(length..)
                        .and_then(|rest| memchr2(b'"', b'\\', rest))
                        .ok_or("does not end")?;
                }
                self.at = begin + length + 1;
                let written = &whole[begin - 1..self.at];
                self.unescaped = serde_json::from_str(written).map_err(|_| "is not valid Unicode")?;
                Ok(Item::Text(&self.unescaped))
            }
            Some(b'-' | b'0'..=b'9') => {
                let written = self.written();
                match corpus::number_key(written, &mut self.number) {
                    true => Ok(Item::Number(&self.number, written)),
                    false => Err("is not a number".into()),
                }
            }
            Some(b'[' | b'{') => Err("is a list or an object; an item is a string or a number".into()),
            Some(b'n') => Err("is null; an item is a string or a number".into()),
            Some(b't' | b'f') => Err("is a boolean; an item is a string or a number".into()),
            _ => Err("cannot be read".into()),
        }
    }
}

/// A weight: a whole number. The error follows "and".
fn whole(written: &str) -> Result<u64, &'static str> {
    const WHOLE: &str = "weights are whole numbers, 0 or more; with a weight-step, as 0.1, they are rounded to multiples of it";
    if let Ok(weight) = written.parse::<u64>() {
        return Ok(weight);
    }
    match written.parse::<f64>() {
        Ok(weight) if weight < 0.0 => Err("weights are not negative"),
        Ok(weight) if weight.fract() == 0.0 && weight <= MOST_WEIGHT as f64 => Ok(weight as u64),
        Ok(weight) if weight.is_finite() && weight.fract() != 0.0 => Err(WHOLE),
        Ok(_) => Err("it is too large"),
        Err(_) => Err("a weight is a number"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sets(split: Option<&str>, is_weighted: bool) -> Sets {
        Sets::new("items", split, is_weighted.then_some(Weights { step: None, of_one: 1 }))
    }

    fn elements(json: &str, is_weighted: bool) -> Result<Vec<u64>, String> {
        let mut elements = Vec::new();
        sets(Some(","), is_weighted).elements(json, Key::FIXED, &mut elements)?;
        elements.sort_unstable();
        Ok(elements)
    }

    fn content(json: &str, is_weighted: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        sets(Some(","), is_weighted).content(json, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn items_are_values_not_texts() {
        let same = |a: &str, b: &str| {
            assert_eq!(content(a, false) == content(b, false), elements(a, false) == elements(b, false));
            elements(a, false).unwrap() == elements(b, false).unwrap()
        };
        assert!(same(r#"["a","b"]"#, r#" [ "b" , "a","a" ] "#));
        assert!(same("[1, 20]", "[1.0, 2e1]"));
        assert!(same(r#"["\u0061\"\\"]"#, r#"["a\"\\"]"#));
        assert!(same(r#""a, b,,""#, r#"["a","b"]"#));
        assert!(same("[]", r#"" , ""#));
        let in_a_string = |json: &str| {
            let mut elements = Vec::new();
            sets(None, false).elements(json, Key::FIXED, &mut elements).map(|()| elements)
        };
        assert_eq!(in_a_string(r#""[\"a\", 1]""#), elements(r#"["a", 1]"#, false));
        assert!(in_a_string(r#""[\"a\", null]""#).unwrap_err().contains("item 2"));
        assert!(!same("[1]", r#"["1"]"#));
        assert!(!same(r#"["a,b"]"#, r#"["a","b"]"#));
        assert!(!same("[18446744073709551617]", "[18446744073709551616]"));
        assert!(!same(r#"["ab","c"]"#, r#"["a","bc"]"#));
    }

    #[test]
    fn weights_are_counts() {
        assert_eq!(elements(r#"{"a": 2, "b": 1, "c": 0}"#, true), elements(r#"["a","b","a"]"#, true));
        assert_eq!(elements(r#"{"a": 2.0}"#, true), elements(r#"{"a": 2}"#, true));
        assert_eq!(content(r#"{"a": 2, "b": 1, "c": 0}"#, true), content(r#"["a","b","a"]"#, true));
        assert_eq!(elements(r#"{"a": 3, "b": 4}"#, true).unwrap().len(), 7);
    }

    #[test]
    fn weights_are_rounded_to_steps() {
        let of = |json: &str, step: f64| {
            let settings = Settings::default()
                .with_kind(crate::Kind::Sets)
                .with_text_field("items".into())
                .with_measure(Measure::WeightedJaccard)
                .with_weight_step(Some(step));
            let (mut elements, mut bytes) = (Vec::new(), Vec::new());
            let sets = Sets::new("items", None, Weights::of(&settings));
            sets.content(json, &mut bytes).and_then(|()| sets.elements(json, Key::FIXED, &mut elements)).map(
                |()| {
                    elements.sort_unstable();
                    (elements, bytes)
                },
            )
        };
        assert_eq!(of(r#"{"a": 2.5, "b": 0.04, "c": 1e-1}"#, 0.1), of(r#"{"c": 0.14, "a": 2.46}"#, 0.1));
        assert_eq!(of(r#"{"a": 2.5}"#, 0.5).unwrap().0.len(), 5);
        assert_eq!(of(r#"{"a": 2500, "b": 499}"#, 1000.0).unwrap().0.len(), 3);
        assert_eq!(of(r#"["a", "b", "a"]"#, 0.25), of(r#"{"a": 2, "b": 1}"#, 0.25));
        for (json, expected) in [
            (r#"{"a": -0.2}"#, "weights are not negative"),
            (r#"{"a": 1e9}"#, "too many steps"),
            (r#"{"a": "x"}"#, "a weight is a number"),
            (r#"{"a": NaN}"#, "a weight is a number"),
            (r#"{"a": 1.5, "a": 2}"#, "an item twice"),
        ] {
            let said = of(json, 0.1).unwrap_err();
            assert!(said.contains(expected), "{json}: {said}");
        }
    }

    #[test]
    fn items_that_are_left_out_leave_the_elements_of_the_others() {
        for is_weighted in [false, true] {
            let sets = sets(None, is_weighted);
            let (mut all, mut rest, mut expected) = (Vec::new(), Vec::new(), Vec::new());
            sets.items(r#"["b"]"#, &mut all).unwrap();
            let is_left_out = |hash: u64| hash == all[0];
            sets.rest(r#"["a", "b", "c", "b", "a"]"#, Key::FIXED, &is_left_out, &mut rest).unwrap();
            sets.elements(r#"["a", "a", "c"]"#, Key::FIXED, &mut expected).unwrap();
            assert_eq!(rest, expected);
        }
    }

    #[test]
    fn what_is_no_set_is_named_with_its_cause() {
        let cases = [
            (r#"["a", null]"#, "item 2 of the field `items` is null"),
            (r#"["a", ["b"]]"#, "item 2 of the field `items` is a list or an object"),
            ("[true]", "is a boolean"),
            ("null", "is null"),
            ("3", "is a number, not an array"),
            ("true", "is a boolean, not an array"),
            (r#"{"a": -1}"#, "weights are not negative"),
            (r#"{"a": 2.5}"#, "weights are whole numbers"),
            (r#"{"a": "NaN"}"#, "a weight is a number"),
            (r#"{"a": 1e300}"#, "too large"),
            (r#"{"a": 1, "a": 2}"#, "an item twice, with the weights 1 and 2"),
            (r#"{"a": 3000000, "b": 3000000}"#, "add up to 6000000"),
            ("[1", "a comma is missing"),
            ("[1] 2", "something follows"),
            (r#"["\ud800"]"#, "not valid Unicode"),
            (r#"["a"#, "does not end"),
            ("[1x]", "is not a number"),
            ("", "not JSON"),
        ];
        for (json, expected) in cases {
            let said = elements(json, true).unwrap_err();
            assert!(said.contains(expected), "{json}: {said}");
        }
        assert!(elements(r#"{"a": 1}"#, false).unwrap_err().contains("weighted-jaccard"));
        let whole = sets(None, false).elements(r#""a,b""#, Key::FIXED, &mut Vec::new());
        assert!(whole.unwrap_err().contains("say what separates its items"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(json in "[\\[\\]{}\",:\\\\a-c0-9 .eun-]{0,40}", is_weighted: bool) {
            let _ = elements(&json, is_weighted);
            let _ = sets(None, is_weighted).content(&json, &mut Vec::new());
        }

        #[test]
        fn the_order_of_items_does_not_matter(mut items in prop::collection::vec(0u8..20, 0..30), seed: u64) {
            let written = |items: &[u8]| serde_json::to_string(items).unwrap();
            let before = written(&items);
            let mut random = lookalike::hashing::SplitMix64::new(seed);
            for at in (1..items.len()).rev() {
                items.swap(at, random.below(at as u64 + 1) as usize);
            }
            for is_weighted in [false, true] {
                prop_assert_eq!(elements(&before, is_weighted), elements(&written(&items), is_weighted));
                prop_assert_eq!(content(&before, is_weighted), content(&written(&items), is_weighted));
            }
        }
    }
}
