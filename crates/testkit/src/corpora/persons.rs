//! Records of persons, several of one person, with mistakes: the number of a person -> the records of that person.
//!
//! Values are drawn as in the Febrl generator (Christen 2005): names, streets and suburbs have natural frequencies, a suburb
//! has its postcode and its state, and every further record of a person has one to five mistakes: letters that are wrong,
//! missing, added or swapped, a value that is missing, given name and surname swapped, another value. Names are made of
//! syllables; none is of a real table.

use lookalike::hashing::{SplitMix64, mix64};

/// Generated persons. The same seed gives the same persons.
#[derive(Debug, Clone, Copy)]
pub struct Persons {
    seed: u64,
    /// One person in this many lives in one suburb and has one surname; none if it is 0.
    crowded: u64,
}

/// A record: a value for each of [`Persons::FIELDS`], empty if it is missing.
pub type Person = [String; 10];

const BEGINNINGS: [&str; 18] =
    ["b", "br", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "st", "t", "w"];
const MIDDLES: [&str; 8] = ["a", "e", "i", "o", "u", "ai", "ee", "ou"];
const ENDS: [&str; 10] = ["", "", "n", "r", "l", "s", "t", "nd", "ck", "m"];

impl Persons {
    /// The names of the fields.
    pub const FIELDS: [&'static str; 10] = [
        "given_name",
        "surname",
        "street_number",
        "address_1",
        "address_2",
        "suburb",
        "postcode",
        "state",
        "date_of_birth",
        "soc_sec_id",
    ];

    /// Persons of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed, crowded: 0 }
    }

    /// One person in so many has the same surname and lives in the same suburb, and all are of one state.
    #[must_use]
    pub fn with_crowd(mut self, one_in: u64) -> Self {
        self.crowded = one_in;
        self
    }

    /// The records of a person, one to four: six persons in ten have one, and each further one is half as frequent.
    #[must_use]
    pub fn of(&self, person: u64) -> Vec<Person> {
        let mut random = SplitMix64::new(mix64(self.seed ^ mix64(person)));
        let count = match random.below(20) {
            0..12 => 1,
            12..17 => 2,
            17..19 => 3,
            _ => 4,
        };
        let mut original = self.drawn(&mut random);
        if self.crowded > 0 {
            original[7] = "nsw".to_owned();
            if person.is_multiple_of(self.crowded) {
                (original[1], original[5], original[6]) = (name(1, 2), name(1, 4), postcode(1));
            }
        }
        let mut records = vec![original];
        while records.len() < count {
            let copy = self.mistaken(&records[0], &mut random);
            records.push(copy);
        }
        records
    }

    fn drawn(&self, random: &mut SplitMix64) -> Person {
        let suburb = rank(random, 2_500);
        let of_building = if random.below(3) == 0 { name(rank(random, 3_000), 5) } else { String::new() };
        let kind = ["street", "place", "crescent", "road", "circuit"][random.below(5) as usize];
        let year = 1915 + (random.below(45) + random.below(45)) as u32;
        [
            name(rank(random, 700), 1),
            name(rank(random, 9_000), 2),
            (1 + rank(random, 300)).to_string(),
            format!("{} {kind}", name(rank(random, 4_000), 3)),
            of_building,
            name(suburb, 4),
            postcode(suburb),
            ["nsw", "vic", "qld", "wa", "sa", "tas", "act", "nt"][(mix64(suburb) % 8) as usize].to_owned(),
            format!("{year:04}{:02}{:02}", 1 + random.below(12), 1 + random.below(28)),
            format!("{:07}", 1_000_000 + random.below(9_000_000)),
        ]
    }

    fn mistaken(&self, original: &Person, random: &mut SplitMix64) -> Person {
        let mut copy = original.clone();
        for _ in 0..=random.below(5) {
            let field = random.below(copy.len() as u64) as usize;
            match random.below(20) {
                0..2 => copy[field].clear(),
                2 => copy.swap(0, 1),
                3..5 => copy[field] = self.drawn(random)[field].clone(),
                _ => copy[field] = mistyped(&copy[field], random),
            }
        }
        copy
    }
}

/// A number below `most`; small ones are more frequent, as frequent names are: one in the root of `most` is the first.
fn rank(random: &mut SplitMix64, most: u64) -> u64 {
    let share = random.next_f64();
    (most as f64 * share * share) as u64
}

/// The name of a number: two or three syllables.
fn name(number: u64, of: u64) -> String {
    let mut bits = mix64(number.wrapping_mul(8) + of);
    let mut take = |from: &[&'static str]| {
        let piece = from[(bits % from.len() as u64) as usize];
        bits /= from.len() as u64;
        piece
    };
    let mut name = String::new();
    for _ in 0..2 + number % 2 {
        name.push_str(take(&BEGINNINGS));
        name.push_str(take(&MIDDLES));
        name.push_str(take(&ENDS));
    }
    name
}

fn postcode(suburb: u64) -> String {
    (2_000 + mix64(suburb) % 1_800).to_string()
}

/// A letter is added, left out, replaced or swapped with the next one.
fn mistyped(value: &str, random: &mut SplitMix64) -> String {
    let mut letters: Vec<char> = value.chars().collect();
    if letters.is_empty() {
        return String::new();
    }
    let at = random.below(letters.len() as u64) as usize;
    let new = match letters[at].is_ascii_digit() {
        true => char::from(b'0' + random.below(10) as u8),
        false => char::from(b'a' + random.below(26) as u8),
    };
    match random.below(4) {
        0 => letters.insert(at, new),
        1 if letters.len() > 1 => drop(letters.remove(at)),
        2 if at + 1 < letters.len() => letters.swap(at, at + 1),
        _ => letters[at] = new,
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn persons_are_the_same_for_a_seed_and_have_one_to_four_records() {
        let (one, other) = (Persons::new(1), Persons::new(2));
        assert_eq!(one.of(17), one.of(17));
        assert_ne!(one.of(17), other.of(17));
        let counts: Vec<usize> = (0..2_000).map(|person| one.of(person).len()).collect();
        let share = |wanted: usize| counts.iter().filter(|count| **count == wanted).count() as f64 / 2_000.0;
        // Three standard errors of the shares 0.6, 0.25, 0.1 and 0.05 are at most 0.033.
        for (count, expected) in [(1, 0.6), (2, 0.25), (3, 0.1), (4, 0.05)] {
            assert!((share(count) - expected).abs() < 0.033, "{count} records: {}", share(count));
        }
    }

    #[test]
    fn copies_differ_in_few_fields_and_names_have_natural_frequencies() {
        let persons = Persons::new(3);
        let (mut surnames, mut differing, mut copies) = (BTreeMap::<String, usize>::new(), 0, 0);
        for person in 0..5_000 {
            let records = persons.of(person);
            *surnames.entry(records[0][1].clone()).or_default() += 1;
            for copy in &records[1..] {
                let fields = copy.iter().zip(&records[0]).filter(|(x, y)| x != y).count();
                assert!(fields <= 10);
                differing += fields;
                copies += 1;
            }
        }
        let mean = f64::from(differing as u32) / f64::from(copies);
        assert!((1.5..3.5).contains(&mean), "{mean} fields differ");
        let most = surnames.values().max().copied().unwrap_or(0);
        assert!((25..120).contains(&most), "the most frequent surname: {most} of 5,000");
        assert!(surnames.len() > 1_500, "{}", surnames.len());
    }

    #[test]
    fn a_crowd_shares_surname_suburb_and_state() {
        let persons = Persons::new(4).with_crowd(10);
        let (a, b) = (&persons.of(10)[0], &persons.of(20)[0]);
        assert_eq!((&a[1], &a[5], &a[7]), (&b[1], &b[5], &b[7]));
    }
}
