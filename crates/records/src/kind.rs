//! What the values of a field are, found by looking at them, and their normal form.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// What the values of a field are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Kind {
    /// A name of a person, a company or a thing, or several.
    Name,
    /// Words: a title, a description.
    Text,
    /// A street and a number.
    Address,
    /// A town, a region: names that occur again and again.
    Place,
    /// Letters and digits that identify something.
    Code,
    /// A number whose size counts.
    Number,
    /// A day.
    Date,
    /// A telephone number.
    Phone,
    /// A mail address.
    Mail,
    /// One of a few values.
    Category,
}

impl Kind {
    /// All kinds, with the names by which they are written.
    pub const ALL: [(&'static str, Self); 10] = [
        ("name", Self::Name),
        ("text", Self::Text),
        ("address", Self::Address),
        ("place", Self::Place),
        ("code", Self::Code),
        ("number", Self::Number),
        ("date", Self::Date),
        ("phone", Self::Phone),
        ("mail", Self::Mail),
        ("category", Self::Category),
    ];

    /// The name by which it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// The kind of most of these values. Few values are enough; those that are missing say nothing.
    #[must_use]
    pub fn of<'v>(values: impl IntoIterator<Item = &'v str>) -> Self {
        let values: Vec<&str> =
            values.into_iter().map(str::trim).filter(|value| !value.is_empty()).take(LOOKED_AT).collect();
        let most = |is: &dyn Fn(&str) -> bool, share: f64| {
            values.iter().filter(|value| is(value)).count() as f64 >= share * values.len() as f64
        };
        if values.is_empty() {
            return Self::Text;
        }
        if most(&is_mail, 0.8) {
            return Self::Mail;
        }
        if most(&is_phone, 0.8) {
            return Self::Phone;
        }
        if most(&is_day, 0.8) {
            return Self::Date;
        }
        if most(&is_decimal, 0.9) && !most(&|value| value.bytes().all(|byte| byte.is_ascii_digit()), 0.9) {
            return Self::Number;
        }
        let distinct: BTreeSet<&str> = values.iter().copied().collect();
        let distinct = distinct.len() as f64;
        let is_code = |value: &str| {
            let is_word = !value.contains(char::is_whitespace);
            is_word && value.chars().any(|letter| letter.is_ascii_digit()) || date(value).is_some()
        };
        if most(&is_code, 0.8) {
            return Self::Code;
        }
        let words = values.iter().map(|value| value.split_whitespace().count()).sum::<usize>() as f64;
        let words = words / values.len() as f64;
        if values.len() >= 50 && distinct <= (values.len() as f64 * 0.02).max(12.0) {
            return Self::Category;
        }
        if most(&|value| value.chars().any(|letter| letter.is_ascii_digit()), 0.5) && words < 8.0 {
            return Self::Address;
        }
        match () {
            () if words >= 5.0 => Self::Text,
            () if distinct < 0.3 * values.len() as f64 => Self::Place,
            () => Self::Name,
        }
    }

    /// The normal form of a value; empty if nothing of it counts.
    #[must_use]
    pub fn normal(self, value: &str) -> String {
        match self {
            Self::Code => folded(value).filter(|letter| letter.is_alphanumeric()).collect(),
            Self::Phone => value.chars().filter(char::is_ascii_digit).collect(),
            Self::Date => date(value).map_or_else(|| words(value), |(y, m, d)| format!("{y:04}{m:02}{d:02}")),
            Self::Number => number(value).map_or_else(|| words(value), |number| number.to_string()),
            Self::Mail => value.trim().to_lowercase(),
            Self::Name | Self::Text | Self::Address | Self::Place | Self::Category => words(value),
        }
    }
}

/// So many values say what the others are.
const LOOKED_AT: usize = 10_000;

/// Small letters without accents.
fn folded(value: &str) -> impl Iterator<Item = char> {
    value.nfkd().filter(|letter| !is_combining_mark(*letter)).flat_map(char::to_lowercase)
}

/// The characters for which numeric references of HTML stand (`&#225;`), and spaces for the named ones of punctuation
/// (`&mdash;`): tables that were taken from web pages often have them.
fn unescaped(value: &str) -> Cow<'_, str> {
    let mut rest = value;
    let mut text = String::new();
    while let Some(at) = rest.find('&') {
        let end = rest[at..].bytes().take(10).position(|byte| byte == b';');
        let letter = end.and_then(|end| reference(&rest[at + 1..at + end]));
        let (Some(letter), Some(end)) = (letter, end) else {
            text.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        };
        text.push_str(&rest[..at]);
        text.push(letter);
        rest = &rest[at + end + 1..];
    }
    if rest.len() == value.len() {
        return Cow::Borrowed(value);
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The character of a reference without its first and last sign.
fn reference(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let number = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        return number.ok().and_then(char::from_u32);
    }
    match name {
        "apos" => Some('\''),
        "amp" | "quot" | "lt" | "gt" | "nbsp" | "mdash" | "ndash" | "hellip" => Some(' '),
        _ => None,
    }
}

/// Words of letters and digits, with one space between them.
pub(crate) fn words(value: &str) -> String {
    let mut words = String::with_capacity(value.len());
    // An apostrophe is no end of a word.
    for letter in folded(&unescaped(value)).filter(|letter| !matches!(letter, '\'' | '’' | '`')) {
        if letter.is_alphanumeric() {
            words.push(letter);
        } else if !words.is_empty() && !words.ends_with(' ') {
            words.push(' ');
        }
    }
    words.truncate(words.trim_end().len());
    words
}

fn is_mail(value: &str) -> bool {
    value.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
}

fn is_phone(value: &str) -> bool {
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let is_other = |letter: char| " +-/().".contains(letter);
    let all = value.chars().all(|letter| letter.is_ascii_digit() || is_other(letter));
    // Without a separator it is a number like others, and with two dots or dashes in the places of a date it is one.
    (7..=15).contains(&digits)
        && all
        && value.chars().any(is_other)
        && date(value).is_none()
        && number(value).is_none()
}

fn is_decimal(value: &str) -> bool {
    number(value).is_some()
}

/// A number, perhaps with a sign of a currency before it and commas between thousands.
pub(crate) fn number(value: &str) -> Option<f64> {
    let written: String =
        value.trim().trim_start_matches(['$', '€', '£']).chars().filter(|c| *c != ',').collect();
    let is_number = written.chars().all(|letter| letter.is_ascii_digit() || letter == '.' || letter == '-');
    written.parse().ok().filter(|_| is_number)
}

/// The year, month and day of a date as it is often written, perhaps with a time. A year has four digits: two do not tell the century.
pub(crate) fn date(value: &str) -> Option<(u32, u32, u32)> {
    let (day, _) = day_and_time(value.trim())?;
    let parts: Vec<&str> = day.split(['-', '/', '.', ',', ' ']).filter(|part| !part.is_empty()).collect();
    let number = |part: &str| part.parse::<u32>().ok().filter(|_| part.bytes().all(|b| b.is_ascii_digit()));
    let (y, m, d) = match parts.as_slice() {
        [all] if all.len() == 8 && all.is_ascii() => {
            (number(&all[..4])?, number(&all[4..6])?, number(&all[6..])?)
        }
        [y, m, d] if y.len() == 4 => (number(y)?, month(m)?, number(d)?),
        [d, m, y] if y.len() == 4 => match (month(d), number(d), month(m), number(m)) {
            // Days come first, unless that cannot be.
            (_, Some(d), Some(m), _) => (number(y)?, m, d),
            (Some(m), _, None, Some(d)) => (number(y)?, m, d),
            // `February 3, 1999`: a name of a month is no day.
            (Some(m), None, Some(d), _) => (number(y)?, m, d),
            _ => return None,
        },
        _ => return None,
    };
    ((1..=12).contains(&m) && (1..=31).contains(&d) && (1000..=2999).contains(&y)).then_some((y, m, d))
}

/// What is written before a time of day, and the time, which may be empty: `1999-02-28T14:30:00Z`, `28 Feb 1999 14:30`. Nothing if
/// what follows the day is no time.
fn day_and_time(value: &str) -> Option<(&str, &str)> {
    let Some(colon) = value.find(':') else { return Some((value, "")) };
    let before = value[..colon].trim_end_matches(|letter: char| letter.is_ascii_digit());
    let day = before.strip_suffix(['T', 't', ' '])?;
    let time = &value[before.len()..];
    let is_of_time = |letter: char| letter.is_ascii_digit() || " :.,+-TZUCGMAPzamp".contains(letter);
    time.chars().all(is_of_time).then(|| (day.trim_end(), time))
}

/// True if a value is a date without a time of day, or with midnight, as tables of timestamps write days. Two times on one day are
/// not the same, so a field with other times is no field of dates unless that is told.
fn is_day(value: &str) -> bool {
    let is_midnight = |(_, time): (&str, &str)| {
        // Behind the seconds there may be a zone.
        let time = time.split(['+', '-', 'Z']).next().unwrap_or_default();
        time.chars().all(|letter| matches!(letter, '0' | ':' | '.' | ' '))
    };
    date(value).is_some() && day_and_time(value.trim()).is_some_and(is_midnight)
}

/// A month by its number or its English name.
fn month(part: &str) -> Option<u32> {
    const NAMES: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    if let Ok(number) = part.parse::<u32>() {
        return (1..=12).contains(&number).then_some(number);
    }
    let part = part.trim_end_matches(',').to_lowercase();
    let named = NAMES.iter().position(|name| part.len() >= 3 && part.starts_with(name));
    named.map(|at| at as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_by_looking() {
        let of = |values: &[&str]| Kind::of(values.iter().copied());
        assert_eq!(of(&["19560409", "19080419", "", "19001115"]), Kind::Date);
        assert_eq!(of(&["1999-02-28", "2001-12-03"]), Kind::Date);
        assert_eq!(of(&["1999-02-28T00:00:00", "2001-12-03 00:00:00.000Z"]), Kind::Date);
        assert_eq!(of(&["1999-02-28T14:30:00", "2001-12-03 09:01:17"]), Kind::Code, "a time counts");
        assert_eq!(of(&["28.2.99", "3.12.01"]), Kind::Code);
        assert_eq!(of(&["310/246-1501", "818-762-1221", "+44 20 7946 0958"]), Kind::Phone);
        assert_eq!(of(&["a@b.org", "c.d@example.com"]), Kind::Mail);
        assert_eq!(of(&["12.50", "$3,200", "7"]), Kind::Number);
        assert_eq!(of(&["6988048", "7364009", "12"]), Kind::Code);
        assert_eq!(of(&["A-17/3", "B-9/22"]), Kind::Code);
        assert_eq!(of(&["435 s. la cienega blv.", "12224 ventura blvd."]), Kind::Address);
        assert_eq!(of(&["waller", "berry", "mc veigh"]), Kind::Name);
        assert_eq!(
            of(&["A survey of the many ways to join two tables", "On the use of bands and rows"]),
            Kind::Text
        );
        assert_eq!(of(&[["wa", "nsw", "qld"]; 40].concat()), Kind::Category);
        assert_eq!(of(&["", " "]), Kind::Text);
    }

    #[test]
    fn normal_forms_leave_out_what_does_not_count() {
        assert_eq!(Kind::Name.normal("  Müller-Lüdenscheidt, O'Brien "), "muller ludenscheidt obrien");
        assert_eq!(Kind::Phone.normal("310/246-1501"), "3102461501");
        assert_eq!(Kind::Code.normal("ab-12 C"), "ab12c");
        assert_eq!(Kind::Number.normal("$3,200.50"), "3200.5");
        assert_eq!(Kind::Name.normal(" .,- "), "");
        assert_eq!(Kind::Name.normal("Barbar&#225; &mdash; K&#xE4;fer &amp; Co"), "barbara kafer co");
        assert_eq!(Kind::Name.normal("a&b; &#x; &; &"), "a b x");
        for written in [
            "1999-02-28",
            "28.2.1999",
            "28/02/1999",
            "February 28 1999",
            "28 feb 1999",
            "19990228",
            "February 28, 1999",
            "Feb. 28, 1999",
            "28 Feb 1999",
            "1999-02-28T00:00:00",
            "1999-02-28T23:59:59.123+01:00",
            "1999-02-28 14:30:00",
            "28.2.1999 14:30",
            "2/28/1999 2:30 PM",
        ] {
            assert_eq!(Kind::Date.normal(written), "19990228", "{written}");
        }
        assert_eq!(date("March 4, 1999"), Some((1999, 3, 4)));
        assert_eq!(date("28.2.99"), None, "two digits do not tell the century");
        assert_eq!((date("1999-02-28 at 14:30"), date("chapter 1999:2"), date("14:30")), (None, None, None));
        assert_eq!(date("2/28/1999"), Some((1999, 2, 28)), "no month is 28");
        assert_eq!(date("19991399"), None);
        assert_eq!(date("Jiménez"), None, "eight bytes, and not eight letters");
    }
}
