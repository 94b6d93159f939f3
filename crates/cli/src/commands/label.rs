//! `lookalike label`: a table -> what a person says about the pairs that teach most, in `labels.tsv`.
//!
//! ```text
//! table -> matches and near misses -> the least certain pair -> a question -> an answer -> labels.tsv -> the next pair
//! ```
//!
//! The folder of a finished run stands for its tables and its settings.

use super::job::STANDARD;
use super::records;
use crate::arguments::LabelArguments;
use crate::failure::{Failure, Result};
use crate::interruption;
use crate::output::{Asked, LabelsSoFar, Printer};
use crate::settings::Layers;
use ::records::run::{HEAD, Label, LabelsWritten, Named, Records, report_in};
use ::records::{Judgement, Match, Refined, Shift, next_question};
use corpus::name_to_path;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Pairs that are less probable than this are not asked about.
const LEAST: f64 = 0.001;

/// The same arguments; if the input is the folder of a finished run, with the tables and the settings of that run where no flag says
/// otherwise.
pub(crate) fn of_run(arguments: &LabelArguments) -> Result<LabelArguments> {
    let mut told = arguments.clone();
    let [input] = arguments.inputs.as_slice() else { return Ok(told) };
    let folder = Path::new(input);
    let Some(report) = report_in(folder) else { return Ok(told) };
    let shown = folder.display();
    let named = |against: bool| report.sources.iter().filter(move |source| source.against == against);
    for source in &report.sources {
        if !source.name.contains("://") && !name_to_path(&source.name).exists() {
            return Err(Failure::usage(format!(
                "the run in {shown} has read {}, which is not here",
                source.name
            ))
            .with_advice("give the command where the run was made, or name the tables"));
        }
    }
    let setting = |name: &str| report.settings.get(name).map(String::as_str);
    let wrong = |name: &str| {
        Failure::bad_input(format!("{shown}/report.json is damaged: {name} cannot be read"))
            .with_advice("name the tables and the settings")
    };
    let number = |name: &str| -> Result<Option<f64>> {
        setting(name).map(|written| written.parse().map_err(|_| wrong(name))).transpose()
    };
    told.inputs = named(false).map(|source| name_to_path(&source.name).into()).collect();
    if told.matching.against.is_empty() {
        told.matching.against = named(true).map(|source| source.name.clone()).collect();
    }
    let is_linked = setting("against-only") == Some("true");
    told.matching.against_only = told.matching.against_only.or(Some(is_linked));
    if !(told.partners.one_to_one || told.partners.one_to_many) {
        told.partners.one_to_one = setting("partners") == Some("one-to-one");
        told.partners.one_to_many = setting("partners") == Some("one-to-many");
    }
    let given = &mut told.recording;
    if given.model.is_none() && given.block.is_empty() {
        given.block =
            setting("block").map_or(Vec::new(), |rules| rules.split(", ").map(Into::into).collect());
        if setting("model") == Some("given") {
            if setting("labels").is_some() {
                return Err(Failure::usage(format!(
                    "the run in {shown} refined a model by labels, and its labels would count twice"
                ))
                .with_advice("name the tables, and the model with --model"));
            }
            given.model = Some(folder.join("model.json"));
        } else if told.matching.recall.is_none() {
            told.matching.recall = number("recall")?;
        }
    }
    if given.fields.is_none() && given.model.is_none() {
        let fields = setting("fields").map(|written| written.parse().map_err(|_| wrong("fields")));
        given.fields = fields.transpose()?;
    }
    if told.matching.threshold.is_none() {
        told.matching.threshold = number("threshold")?;
    }
    if told.reading.id_field.is_none() {
        told.reading.id_field = setting("id-field").map(str::to_owned);
    }
    if told.reading.on_bad_record.is_none() {
        let written = setting("on-bad-record");
        told.reading.on_bad_record =
            written.map(|it| it.parse().map_err(|_| wrong("on-bad-record"))).transpose()?;
    }
    told.keep = setting("keep").map(|written| written.parse().map_err(|_| wrong("keep"))).transpose()?;
    Ok(told)
}

/// Runs the command.
pub(crate) fn run(arguments: &LabelArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    if !records::is_asked(&arguments.recording, &arguments.partners, layers)? {
        return Err(Failure::usage("only records are labelled").with_advice("leave out --kind"));
    }
    if arguments.partners.labels.is_some() {
        return Err(Failure::usage("--labels has no effect here")
            .with_advice("labels that are in the file of -o are read, and further ones are added to it"));
    }
    let against = layers.resolve_records()?.against;
    let mut tables =
        arguments.inputs.iter().map(OsString::as_os_str).chain(against.iter().map(AsRef::as_ref));
    if tables.any(|table| table == STANDARD) {
        return Err(Failure::usage("the table and the answers cannot both be read from standard input")
            .with_advice("name a file as the table"));
    }
    let prepared = records::run(&arguments.inputs, &arguments.recording, &arguments.partners, None, layers)?;
    let mut job = prepared.job.clone();
    let threshold = job.options.threshold;
    job.options = job.options.with_threshold(LEAST.min(threshold));
    interruption::begin_run(false)?;
    let records = job.read(&interruption::requested)?;
    let mut labels = labels_in(&arguments.output, &records)?;
    for &(a, b) in labels.keys() {
        job.options = job.options.with_weighed(a, b);
    }
    let matched = job.link(records, &interruption::requested)?;
    if interruption::requested() {
        return Err(Failure::interrupted());
    }
    interruption::end_run();
    if matched.linked.rule.is_some() {
        return Err(Failure::usage("this table cannot teach a model, and labels could not refine it")
            .with_advice("a rule decides it: fewer than 30 records teach nothing, and neither do records without copies; a field that may differ between copies can be left out with --fields"));
    }
    let (records, pool) = (&matched.records, &matched.linked.matches);
    // As with --labels, all labels count, also of pairs that are not asked about.
    let told = labels.values().zip(&matched.linked.weighed);
    let mut judged: Vec<Judgement> = told
        .filter_map(|(label, (weight, weights))| {
            Some(Judgement { weight: *weight, weights: weights.clone(), is_match: label.is_match()? })
        })
        .collect();
    let fields = matched.linked.field_names();
    let mut answers = std::io::stdin().lock().lines();
    loop {
        // What was learnt anew changes also the weights of pairs that were not judged.
        let refined = Refined::of(fields.len(), &judged);
        let weights: Vec<f64> =
            pool.iter().map(|found| refined.weight(found.weight, &found.weights)).collect();
        let so_far = so_far(&labels, refined.shift, &weights, threshold);
        printer.labels_so_far(&so_far);
        let is_judged = |at: usize| labels.contains_key(&(pool[at].a, pool[at].b));
        let Some(next) = next_question(&so_far.shift, &weights, is_judged) else {
            printer.note("there is no other pair to ask about");
            return Ok(());
        };
        let found = &pool[next];
        let names = [names(records.named(found.a)), names(records.named(found.b))];
        let rows = rows(records, &fields, found);
        let probability = so_far.shift.probability(weights[next]);
        printer.asked(&Asked { names: &names, rows: &rows, probability });
        let label = loop {
            let answer = match answers.next() {
                None => return Ok(()),
                Some(Err(cause)) => return Err(Failure::io("read", "standard input", &cause)),
                Some(Ok(answer)) => answer,
            };
            match (answer.trim(), Label::of(answer.trim())) {
                ("q", _) => return Ok(()),
                (_, Some(label)) => break label,
                _ => printer.answer_again(),
            }
        };
        append(&arguments.output, &names, label)?;
        labels.insert((found.a, found.b), label);
        judged.extend(label.is_match().map(|is_match| Judgement {
            weight: found.weight,
            weights: found.weights.clone(),
            is_match,
        }));
    }
}

/// What is known from the labels, and what they make of all weights.
fn so_far(
    labels: &BTreeMap<(usize, usize), Label>,
    shift: Shift,
    weights: &[f64],
    threshold: f64,
) -> LabelsSoFar {
    let count = |wanted: Label| labels.values().filter(|label| **label == wanted).count() as u64;
    LabelsSoFar {
        counts: [count(Label::Match), count(Label::Other), count(Label::Undecided)],
        quality: shift.quality(weights, threshold),
        shift,
        threshold,
    }
}

/// The labels that a file has already; none if there is no file.
fn labels_in(path: &Path, records: &Records) -> Result<BTreeMap<(usize, usize), Label>> {
    match std::fs::read_to_string(path) {
        Ok(content) => {
            let name = path.display().to_string();
            Ok(LabelsWritten { name, content }.read(records)?)
        }
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(cause) => Err(Failure::io("read", path.display(), &cause)),
    }
}

/// The name of a record in a file with tabs between columns.
fn names(named: Named) -> String {
    match named.id.chars().any(char::is_control) {
        true => format!("{}:{}", named.source, named.line),
        false => named.id,
    }
}

/// The values of both records, by field of the model, with what each says; then the fields that were not compared.
fn rows(records: &Records, fields: &[String], found: &Match) -> Vec<(String, [String; 2], Option<f64>)> {
    let table = &records.table;
    let values = |record: usize, parts: &[usize]| -> String {
        let values = parts.iter().map(|&at| table.value(record, at)).filter(|value| !value.is_empty());
        values.collect::<Vec<_>>().join(" ")
    };
    let parts: Vec<Vec<usize>> = fields.iter().map(|name| table.parts(name)).collect();
    let compared = fields.iter().zip(&parts).zip(&found.weights);
    let mut rows: Vec<_> = compared
        .map(|((name, parts), weight)| {
            (name.clone(), [values(found.a, parts), values(found.b, parts)], Some(*weight))
        })
        .collect();
    for (at, name) in
        table.fields().iter().enumerate().filter(|(at, _)| parts.iter().all(|it| !it.contains(at)))
    {
        rows.push((name.clone(), [values(found.a, &[at]), values(found.b, &[at])], None));
    }
    rows
}

/// Adds a label to the file, so that nothing is lost if the command is stopped.
fn append(path: &Path, names: &[String; 2], label: Label) -> Result<()> {
    let failed = |cause| Failure::io("write", path.display(), &cause);
    let mut file =
        std::fs::OpenOptions::new().create(true).read(true).append(true).open(path).map_err(failed)?;
    let head = match file.metadata().map_err(failed)?.len() {
        0 => HEAD,
        _ => {
            // An editor may have left the last line without its end.
            let mut last = [0];
            file.seek(SeekFrom::End(-1)).and_then(|_| file.read_exact(&mut last)).map_err(failed)?;
            if last == *b"\n" { "" } else { "\n" }
        }
    };
    let line = format!("{head}{}\t{}\t{}\n", names[0], names[1], label.as_str());
    file.write_all(line.as_bytes()).and_then(|()| file.flush()).map_err(failed)
}
