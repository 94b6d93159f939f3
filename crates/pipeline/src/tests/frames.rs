//! Frames and dates against the plain definition: count documents, drop what too many have, compare the rest, go through the
//! documents in order.

use super::{How, job, run, sources_of};
use crate::ask::{pairs_prepared, query};
use crate::frames::{LEAST_REST, SITE_PAGES, days};
use crate::prepared::Prepared;
use crate::{BandsAndRows, Common, Elements, Measure, Method, Settings, Silent, WithinDays};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use testkit::corpora::{Document, Framed, Score};

const WAYS: [How; 3] = [
    How { threads: 2, free: Some(500_000), split: usize::MAX },
    How { threads: 7, free: None, split: 50 },
    How { threads: 1, free: Some(420_000), split: 37 },
];

/// Every pair of some similarity shares a band, so that nothing is missed by chance.
fn settings() -> Settings {
    Settings::default()
        .with_id_field(Some("id".into()))
        .with_threshold(0.3)
        .with_bands(Some(BandsAndRows { bands: 128, rows: 1 }))
}

fn pages(seed: u64) -> Vec<Document> {
    let framed =
        Framed { sites: 5, stories: 25, pages: 90, fixed: 8, changing: 3, cut: 0.1, changed: 0.01, seed };
    let mut documents: Vec<Document> = framed.of_prose(500).into_iter().map(|page| page.document).collect();
    documents[6].score = Some(Score::Text("2024-05-10".into()));
    // Copies on the same site and on another, on the same day and on another; a page that is all frame; pages without a site.
    for (number, (of, site, day)) in [
        (3, None, None),
        (4, Some("site-00"), None),
        (5, None, Some("2024-06-01")),
        (6, None, Some("2024-05-12T23:00:00+01:00")),
    ]
    .into_iter()
    .enumerate()
    {
        let mut copy = Document { id: format!("copy-{number}"), ..documents[of].clone() };
        copy.domain = site.map_or(copy.domain, |site| Some(site.to_owned()));
        copy.score = day.map_or(copy.score, |day| Some(Score::Text(day.to_owned())));
        documents.push(copy);
    }
    for number in 0..3 {
        let frame: String = documents[number].text.lines().take(4).collect::<Vec<_>>().join("\n");
        documents.push(Document { id: format!("frame-{number}"), text: frame, ..documents[number].clone() });
    }
    // The same frame two days later.
    let frame = documents.len() - 3;
    documents[frame].score = Some(Score::Text("2024-05-10".into()));
    let later = Some(Score::Text("2024-05-12".into()));
    documents.push(Document { id: "frame-later".into(), score: later, ..documents[frame].clone() });
    documents[7].domain = None;
    documents[9].text = "two words".into();
    documents[11].text = String::new();
    documents
}

/// The plain definition.
struct Plain {
    rests: Vec<BTreeSet<(String, usize)>>,
    is_little: Vec<bool>,
    normalized: Vec<String>,
    sites: Vec<Option<String>>,
    times: Vec<u64>,
    settings: Settings,
    left_out: u64,
}

impl Plain {
    fn new(documents: &[Document], settings: &Settings) -> Self {
        let shingler = settings.shingler().unwrap();
        let shingles: Vec<Vec<String>> = documents.iter().map(|it| shingler.shingles(&it.text)).collect();
        let (mut everywhere, mut in_site) =
            (BTreeMap::<&str, BTreeSet<usize>>::new(), BTreeMap::<(&str, &str), BTreeSet<usize>>::new());
        for (at, all) in shingles.iter().enumerate() {
            for shingle in all {
                everywhere.entry(shingle).or_default().insert(at);
                if let Some(site) = &documents[at].domain {
                    in_site.entry((site, shingle)).or_default().insert(at);
                }
            }
        }
        let most = match settings.matching.common {
            Some(Common::MoreThan(most)) => most as usize,
            _ => usize::MAX,
        };
        let by_site = settings.matching.site_field.is_some();
        let is_left_out = |at: usize, shingle: &str| {
            everywhere[shingle].len() > most
                || by_site
                    && documents[at]
                        .domain
                        .as_deref()
                        .is_some_and(|site| in_site[&(site, shingle)].len() >= SITE_PAGES as usize)
        };
        let is_bag = settings.signature.elements == Elements::Bag;
        let (mut rests, mut is_little, mut left_out) = (Vec::new(), Vec::new(), 0);
        for (at, all) in shingles.iter().enumerate() {
            let rest: Vec<&String> = all.iter().filter(|shingle| !is_left_out(at, shingle)).collect();
            left_out += (all.len() - rest.len()) as u64;
            is_little.push(rest.len() < all.len() && rest.len() < LEAST_REST);
            let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
            rests.push(
                rest.into_iter()
                    .map(|shingle| {
                        let often = seen.entry(shingle).or_default();
                        *often += 1;
                        (shingle.clone(), if is_bag { *often } else { 1 })
                    })
                    .collect(),
            );
        }
        let normalization = shingler.settings().normalization;
        let date = |document: &Document| match &document.score {
            Some(Score::Text(date)) => days::seconds_of(date).unwrap(),
            _ => 0,
        };
        Self {
            rests,
            is_little,
            normalized: documents.iter().map(|it| normalization.normalize(&it.text)).collect(),
            sites: documents.iter().map(|it| it.domain.clone().filter(|_| by_site)).collect(),
            times: documents.iter().map(date).collect(),
            settings: settings.clone(),
            left_out,
        }
    }

    /// Whether two documents are copies, and their similarity, if they are similar.
    fn similar(&self, a: usize, b: usize) -> Option<(bool, f64)> {
        if let Some(near) = &self.settings.matching.within_days
            && self.times[a].abs_diff(self.times[b]) > near.seconds()
        {
            return None;
        }
        let same_time = self.settings.matching.within_days.is_none() || self.times[a] == self.times[b];
        if self.normalized[a] == self.normalized[b] && self.sites[a] == self.sites[b] && same_time {
            return Some((true, 1.0));
        }
        if self.is_little[a] || self.is_little[b] {
            let is_equal = self.normalized[a] == self.normalized[b] && self.sites[a] == self.sites[b];
            return is_equal.then_some((false, 1.0));
        }
        let (a, b) = (&self.rests[a], &self.rests[b]);
        let common = a.intersection(b).count() as f64;
        let all = (a.len() + b.len()) as f64 - common;
        let smaller = a.len().min(b.len()) as f64;
        let similarity = match self.settings.signature.measure {
            Measure::Containment => common / smaller.max(1.0),
            _ if all == 0.0 => 1.0,
            _ => common / all,
        };
        (similarity >= self.settings.matching.threshold).then_some((false, similarity))
    }

    /// For each removed document the kept one, whether it is a copy, and the similarity.
    fn decide(&self) -> BTreeMap<usize, (usize, bool, f64)> {
        let mut removed = BTreeMap::new();
        for document in 0..self.rests.len() {
            for kept in (0..document).filter(|it| !removed.contains_key(it)).collect::<Vec<_>>() {
                if let Some((is_copy, similarity)) = self.similar(document, kept) {
                    removed.insert(document, (kept, is_copy, similarity));
                    break;
                }
            }
        }
        removed
    }
}

fn all_settings() -> Vec<Settings> {
    let site = || Some("domain".to_owned());
    let days = || Some("score:3".parse::<WithinDays>().unwrap());
    vec![
        settings().with_common(Some(Common::MoreThan(8))),
        settings().with_common(Some(Common::MoreThan(1))),
        settings().with_site_field(site()),
        settings().with_site_field(site()).with_common(Some(Common::MoreThan(6))).with_within_days(days()),
        settings().with_within_days(days()),
        settings().with_common(Some(Common::MoreThan(8))).with_elements(Elements::Bag),
        // Frames that no document has.
        settings().with_common(Some(Common::MoreThan(1_000_000))),
    ]
}

#[test]
fn what_is_decided_is_the_plain_definition_in_every_way() {
    let documents = pages(3);
    let mut framed = 0;
    for settings in all_settings() {
        let plain = Plain::new(&documents, &settings);
        let expected: BTreeMap<String, (String, bool, f64)> = plain
            .decide()
            .into_iter()
            .map(|(at, (kept, copy, similarity))| {
                (documents[at].id.clone(), (documents[kept].id.clone(), copy, similarity))
            })
            .collect();
        assert!(!expected.is_empty(), "nothing is removed with {settings:?}");
        let first = run(&documents, 0, &settings, How::PLAIN);
        let found: BTreeMap<String, (String, bool, f64)> = first
            .removed
            .iter()
            .map(|(id, row)| {
                let kept = row["kept_id"].as_str().unwrap().to_owned();
                (id.clone(), (kept, row["kind"] == "exact", row["similarity"].as_f64().unwrap()))
            })
            .collect();
        assert_eq!(found, expected, "{settings:?}");
        if let Some(frame) = &first.report.frame {
            assert_eq!(frame.left_out, plain.left_out, "{settings:?}");
            let little = plain.is_little.iter().filter(|&&is| is).count() as u64;
            assert_eq!(frame.little_left, little);
            framed += u64::from(little > 0);
        }
        for how in WAYS {
            let other = run(&documents, 0, &settings, how);
            assert_eq!(
                (&other.removed, &other.kept),
                (&with_files_of(&other, &first), &first.kept),
                "{how:?}"
            );
            if how.split == usize::MAX {
                assert_eq!((&other.bytes, &other.report), (&first.bytes, &first.report), "{how:?}");
            }
        }
    }
    assert!(framed >= 3, "documents of which little is left in {framed} settings only");
}

/// The rows of `first`, with the sources and lines that they have in `other`.
fn with_files_of(other: &super::Result, first: &super::Result) -> BTreeMap<String, serde_json::Value> {
    let mut rows = first.removed.clone();
    for (id, row) in &mut rows {
        for field in ["source", "line", "kept_source", "kept_line"] {
            row[field] = other.removed[id][field].clone();
        }
    }
    rows
}

#[test]
fn pairs_are_those_of_the_plain_definition() {
    let documents = pages(4);
    for settings in all_settings() {
        let plain = Plain::new(&documents, &settings);
        let mut expected = BTreeMap::new();
        for b in 0..documents.len() {
            for a in 0..b {
                if let Some((_, similarity)) = plain.similar(a, b) {
                    expected.insert((documents[a].id.clone(), documents[b].id.clone()), similarity);
                }
            }
        }
        for how in [How::PLAIN, WAYS[0]] {
            let folder = tempfile::tempdir().unwrap();
            let sources = sources_of(folder.path(), &documents, how.split);
            let job = job(&settings, sources, Vec::new(), how.threads);
            let mut prepared = Prepared::new(&job).unwrap();
            if let Some(free) = how.free {
                prepared.budget = prepared.budget.clone().with_free(free);
            }
            let mut found = BTreeMap::new();
            pairs_prepared(&prepared, &Silent, &mut |pair| {
                found.insert((pair.a.id, pair.b.id), pair.similarity.unwrap());
                Ok(ControlFlow::Continue(()))
            })
            .unwrap();
            assert_eq!(found, expected, "{settings:?} {how:?}");
        }
    }
}

#[test]
fn a_query_is_compared_without_the_frame() {
    let documents = pages(5);
    let settings = settings().with_site_field(Some("domain".into())).with_common(Some(Common::MoreThan(8)));
    let plain = Plain::new(&documents, &settings);
    let folder = tempfile::tempdir().unwrap();
    let sources = sources_of(folder.path(), &documents, usize::MAX);
    let job = job(&settings.clone().with_threshold(0.0), sources, Vec::new(), 2);
    // The frame alone is found nowhere; a story is.
    let frame = &documents.iter().find(|it| it.id == "frame-0").unwrap().text;
    let found = query(&job, frame, 5, &Silent).unwrap();
    assert!(found.iter().all(|it| it.document.id.starts_with("frame") && it.similarity == 1.0), "{found:?}");
    let asked = (0..documents.len())
        .find(|&a| (a + 1..documents.len()).any(|b| plain.similar(a, b).is_some_and(|(copy, _)| !copy)))
        .unwrap();
    let found = query(&job, &documents[asked].text, 5, &Silent).unwrap();
    assert!(found.iter().any(|it| it.document.id == documents[asked].id), "{found:?}");
}

#[test]
fn the_number_follows_from_the_documents_and_prose_has_no_frame() {
    let framed = Framed { sites: 4, stories: 30, pages: 160, fixed: 12, changing: 4, ..Framed::default() };
    let pages: Vec<Document> = framed.of_prose(700).into_iter().map(|page| page.document).collect();
    let auto = settings().with_common(Some(Common::Auto));
    let first = run(&pages, 0, &auto, How::PLAIN);
    let found = first.report.frame.clone().unwrap();
    let most = found.more_than.unwrap();
    assert!((8..=32).contains(&most), "{found:?}");
    let same = run(&pages, 0, &settings().with_common(Some(Common::MoreThan(most))), How::PLAIN);
    assert_eq!((same.bytes, same.report.frame), (first.bytes, Some(found)));
    let bare: Vec<Document> = Framed { fixed: 0, changing: 0, ..framed }
        .of_prose(700)
        .into_iter()
        .map(|page| page.document)
        .collect();
    let prose = run(&bare, 0, &auto, How::PLAIN);
    assert_eq!(prose.report.frame.unwrap().more_than, None);
    assert_eq!(prose.kept, run(&bare, 0, &settings(), How::PLAIN).kept);
}

#[test]
fn documents_of_against_count_and_are_never_removed() {
    let documents = pages(6);
    let settings = settings().with_common(Some(Common::MoreThan(8)));
    let plain = Plain::new(&documents, &settings);
    let result = run(&documents, 30, &settings, How::PLAIN);
    assert_eq!(result.report.frame.as_ref().unwrap().left_out, plain.left_out);
    assert!(documents[..30].iter().all(|it| !result.removed.contains_key(&it.id)));
    assert!(result.removed.len() > 10);
    assert_eq!(run(&documents, 30, &settings, WAYS[0]).kept, result.kept);
}

#[test]
fn a_date_that_is_none_makes_a_bad_record() {
    let mut documents = pages(8);
    documents[2].score = Some(Score::Text("soon".into()));
    documents[5].score = None;
    let settings = settings()
        .with_within_days(Some("score:3".parse().unwrap()))
        .with_on_bad_record(crate::OnBadRecord::Skip);
    let result = run(&documents, 0, &settings, How::PLAIN);
    assert_eq!(result.report.counts.bad_skipped, 2);
    let reason = |at: usize| result.removed[&documents[at].id]["reason"].as_str().unwrap().to_owned();
    assert!(reason(2).contains("not a date"), "{}", reason(2));
    assert!(reason(5).contains("missing"), "{}", reason(5));
}

#[test]
fn equal_contents_of_other_days_are_near() {
    let of = |number: usize, text: &str, day: &str| Document {
        score: Some(Score::Text(day.into())),
        ..Document::new(number.to_string(), text)
    };
    let words = "one two three four five six seven eight nine ten eleven twelve";
    let documents: Vec<Document> = ["2024-02-01", "2024-02-02", "2024-02-04", "2024-02-06", "2024-02-02"]
        .into_iter()
        .flat_map(|day| {
            [words.to_owned(), format!("{words}\0"), format!("{words} thirteen")].map(|text| (day, text))
        })
        .enumerate()
        .map(|(number, (day, text))| of(number, &text, day))
        .collect();
    for settings in [
        Settings::default(),
        Settings::default().with_elements(Elements::Bag),
        Settings::default().with_measure(Measure::Containment),
        Settings::default().with_method(Method::Simhash),
        Settings::default().with_bands(Some(BandsAndRows { bands: 20, rows: 1 })),
    ] {
        let settings = settings
            .with_id_field(Some("id".into()))
            .with_max_text(words.len() as u64 - 1)
            .with_within_days(Some("score:2".parse().unwrap()));
        for how in [How::PLAIN, WAYS[0]] {
            let result = run(&documents, 0, &settings, how);
            let removed: Vec<(usize, usize, String, f64)> = {
                let of = |row: &serde_json::Value| row["kept_id"].as_str().unwrap().parse().unwrap();
                let kind = |row: &serde_json::Value| row["kind"].as_str().unwrap().to_owned();
                let all = result.removed.iter();
                let mut all: Vec<_> = all
                    .map(|(id, row)| {
                        (id.parse().unwrap(), of(row), kind(row), row["similarity"].as_f64().unwrap())
                    })
                    .collect();
                all.sort_by_key(|row| row.0);
                all
            };
            // The third day is three days after the first, so it stays; the others are near to one that is kept.
            let expected: Vec<(usize, usize, String, f64)> = (0..15)
                .filter_map(|at| match at / 3 {
                    1 => Some((at, at % 3, "near".into(), 1.0)),
                    3 => Some((at, 6 + at % 3, "near".into(), 1.0)),
                    4 => Some((at, at % 3, "near".into(), 1.0)),
                    _ => None,
                })
                .collect();
            assert_eq!(removed, expected, "{settings:?} {how:?}");
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let said =
        |settings: &Settings| crate::method::Recipe::new(settings).err().map(|error| error.to_string());
    let common = Settings::default().with_common(Some(Common::MoreThan(5)));
    assert_eq!(said(&common), None);
    let simhash = common.clone().with_method(Method::Simhash);
    assert!(said(&simhash).unwrap().contains("common 5 needs method minhash"), "{:?}", said(&simhash));
    for settings in [
        common,
        Settings::default().with_site_field(Some("site".into())),
        Settings::default().with_within_days(Some("date:3".parse().unwrap())),
    ] {
        let said = crate::Documents::new(&settings).err().unwrap().to_string();
        assert!(said.contains("all documents of one run"), "{said}");
        let key = crate::Documents::new_key().unwrap();
        assert!(crate::Documents::for_run(&settings, &key).is_err());
    }
}
