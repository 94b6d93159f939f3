//! A run on records -> its page, and why two records match -> a page.

use crate::report::Page;
use figures::svg::{ClusterSizes, FieldLevels, Level, Levels, WeightCounts, Weights};
use figures::{
    BandCount, KindCount, Label, RecordCluster, RecordMember, RecordPair, RecordsData, RecordsHeadline,
    SourceCount, Step, compare_records_page, records_page,
};
use records::Explained;
use records::run::{Examples, FieldFigures, Named, Report, ShownCluster, ShownPair};
use std::path::Path;

/// The page of the finished run in a folder.
#[must_use]
pub fn of_run(folder: &Path, report: &Report) -> Page {
    let (examples, note) = match Examples::in_folder(folder) {
        Ok(examples) => (examples, None),
        Err(cause) => (Examples::default(), Some(format!("the report shows no records: {cause}"))),
    };
    Page { html: page(&folder.display().to_string(), report, &examples), note }
}

/// The page of a run with this report.
#[must_use]
pub fn page(title: &str, report: &Report, examples: &Examples) -> String {
    let details = &report.details;
    let threshold = odds(report.threshold);
    let probability = |odds: f64| 1.0 / (1.0 + (-odds).exp());
    let pairs = |pairs: &[ShownPair], note: &str| -> Vec<RecordPair> {
        pairs.iter().map(|pair| shown(pair, threshold, note)).collect()
    };
    let data = RecordsData {
        title: title.to_owned(),
        subtitle: format!(
            "lookalike {}, {} source{}",
            report.lookalike,
            report.sources.len(),
            if report.sources.len() == 1 { "" } else { "s" }
        ),
        headline: RecordsHeadline {
            records: report.records,
            kept: report.kept,
            removed: report.removed,
            matches: report.matches,
            entities: report.entities,
            compared: report.compared,
        },
        fields: Levels { fields: ordered(&details.fields).into_iter().map(field_levels).collect() },
        fields_left_out: details
            .fields_left_out
            .iter()
            .map(|field| (field.name.clone(), field.why.clone()))
            .collect(),
        rule: details.rule.clone(),
        model: model(report),
        weights: Weights {
            bins: details
                .weights
                .iter()
                .map(|bin| WeightCounts {
                    from: bin.from,
                    matches: bin.matches,
                    others: bin.others,
                    missed: bin.missed,
                })
                .collect(),
            threshold,
        },
        facts: facts(report),
        recall: report.recall,
        labels: details
            .labels
            .iter()
            .map(|label| Label {
                before: probability(label.before),
                after: probability(label.after),
                is_match: label.is_match,
            })
            .collect(),
        bands: details
            .bands
            .iter()
            .map(|band| BandCount { band: band.band.clone(), finds: band.finds, cost: band.cost })
            .collect(),
        planned: details.planned,
        cluster_sizes: ClusterSizes {
            sizes: details.cluster_sizes.iter().map(|(&size, &clusters)| (size, clusters)).collect(),
        },
        kinds: kinds(report),
        sources: report
            .sources
            .iter()
            .map(|source| SourceCount {
                name: source.name.clone(),
                records: source.records,
                removed: source.removed,
                against: source.against,
            })
            .collect(),
        configuration: report.settings.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        columns: examples.fields.clone(),
        clusters: examples.clusters.iter().map(|it| cluster(it, threshold)).collect(),
        above: pairs(&examples.above, ""),
        below: pairs(&examples.below, "below the threshold"),
        excluded: pairs(&examples.excluded, "a better partner"),
    };
    records_page(&data)
}

/// The page that says why two records match, or do not, where pairs of this probability do, and which bands find them.
#[must_use]
pub fn comparison(names: &[String; 2], explained: &Explained, threshold: f64, found_by: &[String]) -> String {
    let pair = pair(names.clone(), Default::default(), explained, odds(threshold), "");
    compare_records_page(&pair, found_by)
}

/// The log odds of a probability; those of certainty are more than any.
fn odds(probability: f64) -> f64 {
    (probability / (1.0 - probability)).ln().clamp(-100.0, 100.0)
}

/// The fields, those that say most of a match first.
fn ordered(fields: &[FieldFigures]) -> Vec<&FieldFigures> {
    let says = |field: &FieldFigures| field.levels.iter().map(|it| it.matches * it.weight).sum::<f64>();
    let mut ordered: Vec<&FieldFigures> = fields.iter().collect();
    ordered.sort_by(|x, y| says(y).total_cmp(&says(x)).then_with(|| x.name.cmp(&y.name)));
    ordered
}

fn field_levels(field: &FieldFigures) -> FieldLevels {
    let last = field.levels.len().saturating_sub(1);
    let level = |(at, level): (usize, &records::run::LevelFigures)| Level {
        name: match at {
            0 => "equal".to_owned(),
            _ if at == last => "other".to_owned(),
            _ => format!("{} and more", level.least),
        },
        weight: level.weight,
        frequent: level.frequent,
        matches: level.matches,
        others: level.others,
    };
    FieldLevels {
        name: field.name.clone(),
        kind: field.kind.clone(),
        levels: field.levels.iter().enumerate().map(level).collect(),
    }
}

fn model(report: &Report) -> Vec<(String, String)> {
    let details = &report.details;
    let mut model = vec![
        ("fields that are compared".to_owned(), details.fields.len().to_string()),
        ("prior: two records of which nothing is known".to_owned(), format!("{:+.1}", details.prior)),
        ("rounds of learning".to_owned(), report.rounds.to_string()),
    ];
    if !details.labels.is_empty() {
        model.push(("labels shift all weights by".to_owned(), format!("{:+.1}", details.shift)));
    }
    // What a field says counts less or more than it would alone.
    let trusted = details.fields.iter().filter(|field| (field.factor - 1.0).abs() >= 0.005);
    model.extend(trusted.map(|field| (format!("trust in {}", field.name), format!("{:.2}", field.factor))));
    model
}

fn facts(report: &Report) -> Vec<(String, String)> {
    let mut facts = vec![
        ("threshold, a probability".to_owned(), report.threshold.to_string()),
        ("matches below 0.9".to_owned(), figures::count(report.uncertain)),
    ];
    if report.left_out > 0 {
        facts.push(("records in blocks that were too large".to_owned(), figures::count(report.left_out)));
    }
    facts.push(("time".to_owned(), figures::seconds(report.run.seconds)));
    facts
}

fn kinds(report: &Report) -> Vec<KindCount> {
    [
        ("kept", report.kept, "kept unchanged"),
        ("match", report.removed, "removed: the same as a kept record"),
        ("bad, skipped", report.bad_skipped, "records that could not be read"),
        ("bad, kept", report.bad_kept, "records that could not be read, but were written"),
        ("repeated ids", report.repeated_ids, "records with the id of another one, named by source and line"),
    ]
    .into_iter()
    .filter(|(name, count, _)| *count > 0 || ["kept", "match"].contains(name))
    .map(|(name, count, meaning)| KindCount { name: name.into(), count, meaning: meaning.into() })
    .collect()
}

fn cluster(cluster: &ShownCluster, threshold: f64) -> RecordCluster {
    RecordCluster {
        size: cluster.size,
        members: cluster
            .members
            .iter()
            .map(|member| RecordMember {
                name: member.named.id.clone(),
                values: member.values.clone(),
                probability: member.probability,
            })
            .collect(),
        held_by: cluster.held_by.as_ref().map(|it| shown(it, threshold, "")),
    }
}

fn shown(it: &ShownPair, threshold: f64, note: &str) -> RecordPair {
    let place = |named: &Named| format!("{}, line {}", named.source, named.line);
    let names = [it.a.id.clone(), it.b.id.clone()];
    pair(names, [place(&it.a), place(&it.b)], &it.explained, threshold, note)
}

fn pair(names: [String; 2], places: [String; 2], it: &Explained, threshold: f64, note: &str) -> RecordPair {
    let step = |field: &records::ExplainedField| Step {
        field: field.name.clone(),
        values: [field.a.clone(), field.b.clone()],
        similarity: field.similarity.clone(),
        weight: field.weight,
        note: field.note.clone(),
    };
    RecordPair {
        names,
        places,
        steps: it.fields.iter().map(step).collect(),
        prior: it.prior,
        weight: it.weight,
        probability: it.probability,
        threshold,
        bands: it.bands.clone(),
        note: note.to_owned(),
    }
}
