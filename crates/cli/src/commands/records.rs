//! `--kind records`: tables -> matches, clusters, tables without repeated records, and why two records match.

use super::files::{check_page, write_page};
use super::job::STANDARD;
use crate::arguments::{
    ClustersArguments, CompareArguments, DedupArguments, PairsArguments, Partners, Recording,
};
use crate::failure::{Failure, Result, of_answers};
use crate::interruption;
use crate::output::{Answers, ComparedRecords, Printer};
use crate::settings::{Layers, Resolved};
use corpus::{Discovery, Source, Target, TemporaryCopy};
use pipeline::{Clusters, Keep, Kind, OnBadRecord, Reference};
use records::run::{Claim, Decision, Job, LabelsWritten, Matched, Report};
use records::{ModelFile, OneTo, Options};
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A file that is larger is not a model: one of a hundred fields has about 20 MB.
const MOST_IN_MODEL: u64 = 64 << 20;

/// True if records are compared. A flag for records is refused for other kinds.
pub(super) fn is_asked(recording: &Recording, partners: &Partners, layers: &Layers) -> Result<bool> {
    let is_records = layers.kind() == Kind::Records;
    match recording.flag(partners).filter(|_| !is_records) {
        Some(flag) => Err(Failure::usage(format!("{flag} is for records"))
            .with_advice("add --kind records, or leave it out")),
        None => Ok(is_records),
    }
}

/// A run on records.
pub(super) struct Run {
    pub(super) job: Job,
    threads: usize,
    _copies: Vec<TemporaryCopy>,
    begun: Instant,
}

/// The run that arguments ask for.
pub(super) fn run(
    inputs: &[impl AsRef<OsStr>],
    recording: &Recording,
    partners: &Partners,
    target: Option<&str>,
    layers: &Layers,
) -> Result<Run> {
    let Resolved { settings, resources, discovery, against, ids: _ } = layers.resolve_records()?;
    if let Some(index) = against.iter().find(|input| index::Index::is_at(input)) {
        return Err(Failure::usage(format!("{index} is an index, and an index has no records"))
            .with_advice("name tables with --against: CSV, TSV, JSON Lines or Parquet"));
    }
    let how = Discovery { target: target.map(str::to_owned), ..discovery };
    corpus::refuse_stdin_twice(inputs.iter().map(AsRef::as_ref).chain(against.iter().map(AsRef::as_ref)))?;
    let mut sources = corpus::find(inputs, &how)?.sources;
    let mut against = corpus::find(&against, &how)?.sources;
    let folder = resources.temp_dir.clone().unwrap_or_else(std::env::temp_dir);
    let copied = |source: &mut Source| TemporaryCopy::stdin(source, &folder).transpose();
    let copies = sources.iter_mut().chain(&mut against).filter_map(copied).collect::<Result<_, _>>()?;
    if settings.matching.threshold == 0.0 {
        let threshold = layers.name("threshold", Some("0"));
        return Err(Failure::usage(format!("{threshold} would make every compared pair a match"))
            .with_advice("with --kind records it is a probability above 0; the default is 0.5"));
    }
    if layers.has("recall") && (recording.model.is_some() || !recording.block.is_empty()) {
        let given = if recording.model.is_some() { "--model" } else { "--block" };
        let recall = layers.name("recall", None);
        return Err(Failure::usage(format!("{recall} has no effect with {given}")).with_advice(format!(
            "leave it out: no bands are planned, since {given} says what is compared"
        )));
    }
    let against_only = settings.matching.against_only;
    if against_only && against.is_empty() {
        return Err(Failure::usage("--against-only needs --against")
            .with_advice("name the records to compare with: --against INPUT"));
    }
    if (partners.one_to_one || partners.one_to_many) && !against_only {
        let flag = if partners.one_to_one { "--one-to-one" } else { "--one-to-many" };
        return Err(Failure::usage(format!("{flag} needs two tables"))
            .with_advice("name the second one with --against FILE --against-only"));
    }
    let one_to = match (partners.one_to_one, partners.one_to_many) {
        (true, _) => OneTo::One,
        (_, true) => OneTo::OneToMany,
        _ => OneTo::Many,
    };
    let mut options = Options::default()
        .with_threshold(settings.matching.threshold)
        .with_recall(settings.matching.recall)
        .with_one_to(one_to)
        .with_against_only(against_only)
        .with_threads(resources.threads);
    for rule in &recording.block {
        options = options.with_block(rule.split('+').map(|field| field.trim().to_owned()));
    }
    let mut fields = recording.fields.clone();
    for field in fields.iter().flat_map(|fields| &fields.fields) {
        if let Some(kind) = field.kind {
            options = options.with_kind(field.names[0].clone(), kind);
        }
    }
    if let Some(path) = &recording.model {
        let model = model_in(path)?;
        let all = match &fields {
            Some(told) => model.fields_with(told).map_err(|cause| {
                Failure::usage(format!("the model {} {cause}", path.display()))
                    .with_advice("leave out --fields, or learn another model")
            })?,
            None => model.fields(),
        };
        if !layers.has("threshold") {
            options = options.with_threshold(model.threshold);
        }
        fields = Some(all);
        options = options.with_model(model);
    }
    let labels = match &partners.labels {
        Some(path) => {
            let content =
                std::fs::read_to_string(path).map_err(|cause| Failure::io("read", path.display(), &cause))?;
            Some(LabelsWritten { name: path.display().to_string(), content })
        }
        None => None,
    };
    let keep = match settings.matching.keep {
        Keep::First => records::run::Keep::First,
        Keep::Fullest => records::run::Keep::Fullest,
        Keep::Max(field) => records::run::Keep::Max(field),
        Keep::Min(field) => records::run::Keep::Min(field),
        Keep::Longest => {
            return Err(
                Failure::usage("--keep longest is for texts").with_advice("of records, keep the fullest")
            );
        }
    };
    let job = Job {
        sources,
        against,
        against_only,
        fields,
        id_field: settings.files.id_field,
        on_bad_record: match settings.files.on_bad_record {
            OnBadRecord::Fail => records::run::OnBadRecord::Fail,
            OnBadRecord::Skip => records::run::OnBadRecord::Skip,
            OnBadRecord::Keep => records::run::OnBadRecord::Keep,
        },
        keep,
        components: settings.matching.clusters == Clusters::Components,
        labels,
        options,
        memory: resources.memory,
        temp_dir: resources.temp_dir,
    };
    Ok(Run { job, threads: resources.threads, _copies: copies, begun: Instant::now() })
}

/// The model in a file.
fn model_in(path: &Path) -> Result<ModelFile> {
    let failed = |cause| Failure::io("read", path.display(), &cause);
    let mut written = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(MOST_IN_MODEL + 1).read_to_end(&mut written).map_err(failed)?;
    if written.len() as u64 > MOST_IN_MODEL {
        let most = corpus::written_size(MOST_IN_MODEL);
        return Err(Failure::bad_input(format!(
            "{} has more than {most}, and is not a model of records",
            path.display()
        ))
        .with_advice("name the model.json of a run with --kind records"));
    }
    let read = String::from_utf8(written).map_err(|_| "is not a model of records: it is not text".to_owned());
    read.and_then(|written| ModelFile::of_json(&written).map_err(|cause| cause.to_string()))
        .map_err(|cause| Failure::bad_input(format!("{} {cause}", path.display())))
}

impl Run {
    fn matched(&self, printer: &Printer) -> Result<Matched> {
        let records = self.job.read(&interruption::requested)?;
        let matched = self.job.link(records, &interruption::requested)?;
        if interruption::requested() {
            return Err(Failure::interrupted());
        }
        printer.records_plan(&self.job, &matched);
        Ok(matched)
    }

    fn report(&self, matched: &Matched) -> Result<Report> {
        let decisions = matched.decide(&self.job)?;
        Ok(Report::new(&self.job, matched, &decisions, self.begun.elapsed().as_secs_f64()))
    }
}

fn reference(matched: &Matched, record: usize) -> Reference {
    let named = matched.records.named(record);
    Reference { id: named.id, source: named.source, line: named.line }
}

/// `lookalike pairs --kind records`
pub(super) fn pairs(arguments: &PairsArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    let run = run(&arguments.inputs, &arguments.recording, &arguments.partners, None, layers)?;
    interruption::begin_run(false)?;
    let matched = run.matched(printer)?;
    let mut answers = Answers::new(printer.json())?;
    let most = arguments.max_pairs.unwrap_or(u64::MAX);
    let all = matched.linked.matches.len() as u64;
    let fields = matched.linked.field_names();
    let mut write = || -> pipeline::Result<()> {
        for found in matched.linked.matches.iter().take(most.min(all) as usize) {
            let (a, b) = (matched.records.named(found.a), matched.records.named(found.b));
            let weights = records::run::weights_json(&fields, found);
            answers.match_of_records(&a.id, &b.id, found, &weights)?;
        }
        answers.end()
    };
    match write() {
        Ok(()) => {
            printer.records_pairs(&run.report(&matched)?);
            if all > most {
                printer.cut(most, all - most);
            }
            Ok(())
        }
        Err(error) => of_answers(error),
    }
}

/// `lookalike clusters --kind records`
pub(super) fn clusters(arguments: &ClustersArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    let run = run(&arguments.inputs, &arguments.recording, &arguments.partners, None, layers)?;
    interruption::begin_run(false)?;
    let matched = run.matched(printer)?;
    let decisions = matched.decide(&run.job)?;
    let mut answers = Answers::new(printer.json())?;
    let mut write = || -> pipeline::Result<()> {
        for cluster in &decisions.clusters {
            for (at, &record) in cluster.iter().enumerate() {
                let found = match decisions.of[record] {
                    Decision::Removed { found, .. } => found,
                    Decision::Kept => None,
                };
                let similarity = found.map(|found| matched.linked.matches[found].probability);
                let document = reference(&matched, record);
                answers.member(&pipeline::Member { document, similarity, is_kept: at == 0 })?;
            }
        }
        answers.end()
    };
    match write() {
        Ok(()) => {
            printer.records_clusters(&Report::new(
                &run.job,
                &matched,
                &decisions,
                run.begun.elapsed().as_secs_f64(),
            ));
            Ok(())
        }
        Err(error) => of_answers(error),
    }
}

/// `lookalike dedup --kind records`
pub(super) fn dedup(arguments: &DedupArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    let argument = arguments.output.as_deref().unwrap_or(STANDARD);
    let to_stdout = argument == STANDARD && !arguments.dry_run;
    if to_stdout && printer.json() {
        return Err(Failure::usage("the records and the report cannot both be written to standard output")
            .with_advice("leave out --json, or name a folder with -o"));
    }
    if arguments.add_to.is_some() {
        return Err(Failure::usage("--add-to has no effect with --kind records").with_advice("leave it out"));
    }
    let target = Target::new(argument)?;
    if let Some(file) = target.folder().filter(|folder| folder.exists() && !folder.is_dir()) {
        return Err(Failure::usage(format!("{} is a file, but the target must be a folder", file.display()))
            .with_advice("name a folder with -o; it is created if it does not exist"));
    }
    let run = run(
        &arguments.inputs,
        &arguments.recording,
        &arguments.partners,
        arguments.output.as_deref(),
        layers,
    )?;
    check_report(arguments.report.as_ref(), &run.job, &target)?;
    let with_page = |report: &Report| match (&arguments.report, target.folder()) {
        (Some(page), Some(folder)) => super::report::write_records(folder, report, page.as_deref(), printer),
        _ => Ok(()),
    };
    if !arguments.dry_run
        && !to_stdout
        && let Some(report) = records::run::finished(&run.job, &target, &mut |note| printer.note(&note))?
    {
        printer.records_already_finished(&report, argument)?;
        return with_page(&report);
    }
    interruption::begin_run(!to_stdout && !arguments.dry_run)?;
    if arguments.dry_run {
        let matched = run.matched(printer)?;
        let decisions = matched.decide(&run.job)?;
        let seconds = run.begun.elapsed().as_secs_f64();
        return printer.records_summary(&Report::new(&run.job, &matched, &decisions, seconds), None);
    }
    let claim = Claim::new(&run.job, &target)?;
    let written = match written(&run, &claim, &target, printer) {
        Ok(written) => written,
        Err(failure) => {
            claim.fail();
            return Err(failure);
        }
    };
    let report = match written {
        Err(records::run::Error::Corpus(error)) if to_stdout => return of_answers(error.into()),
        Err(error) => {
            claim.fail();
            return Err(error.into());
        }
        Ok(report) => report,
    };
    interruption::end_run();
    printer.records_summary(&report, Some(argument))?;
    with_page(&report)
}

/// An error if the page of `--report` cannot be written.
fn check_report(page: Option<&Option<PathBuf>>, job: &Job, target: &Target) -> Result<()> {
    let Some(page) = page else { return Ok(()) };
    let Some(folder) = target.folder() else {
        return Err(Failure::usage("--report needs a local target folder")
            .with_advice("name one with -o, or leave out --report"));
    };
    let Some(page) = page else { return Ok(()) };
    if records::run::writes(job, folder, page) {
        return Err(Failure::usage(format!("{} is an output of the run", page.display()))
            .with_advice("name another file with --report"));
    }
    if let Some(parent) = page.parent().filter(|it| !it.as_os_str().is_empty() && !it.is_dir()) {
        return Err(Failure::usage(format!("there is no folder {} for the page", parent.display()))
            .with_advice("create it first"));
    }
    check_page(page)
}

/// Finds matches, or takes those of a run that was killed, and writes the outputs. The inner result is that of writing.
fn written(
    run: &Run,
    claim: &Claim,
    target: &Target,
    printer: &Printer,
) -> Result<records::run::Result<Report>> {
    let stop = &interruption::requested;
    let (matched, decisions, is_known) = claim.link_and_decide(&run.job, run.job.read(stop)?, stop)?;
    if interruption::requested() {
        return Err(Failure::interrupted());
    }
    if is_known {
        printer.note(&format!("goes on from the matches that an earlier run kept in {}", target.name()));
    }
    printer.records_plan(&run.job, &matched);
    let how = (run.begun.elapsed().as_secs_f64(), run.threads);
    Ok(records::run::dedup(&run.job, &matched, &decisions, target, how, stop))
}

/// `lookalike compare --corpus FILE --kind records -- ID ID`
pub(super) fn compare(arguments: &CompareArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    if arguments.corpus.is_empty() {
        return Err(Failure::usage("two records are compared within their table")
            .with_advice("name the table: lookalike compare --corpus FILE --kind records -- ID ID"));
    }
    if arguments.whole {
        return Err(Failure::usage("--whole has no effect with --kind records").with_advice("leave it out"));
    }
    if let Some(path) = &arguments.html {
        check_page(path)?;
    }
    let run = run(&arguments.corpus, &arguments.recording, &arguments.partners, None, layers)?;
    interruption::begin_run(false)?;
    let records = run.job.read(&interruption::requested)?;
    let find = |name: &str| {
        records.find(name).ok_or_else(|| {
            Failure::usage(format!("there is no record {name:?}"))
                .with_advice("an id is a value of --id-field, or SOURCE:LINE")
        })
    };
    let (a, b) = (find(&arguments.a)?, find(&arguments.b)?);
    if a == b {
        return Err(Failure::usage("a record is not compared with itself"));
    }
    let names = [records.named(a).id, records.named(b).id];
    let options = run.job.options.clone().with_explained(a, b);
    let job = Job { options, ..run.job };
    let matched = job.link(records, &interruption::requested)?;
    interruption::end_run();
    let Some(explained) = &matched.linked.explained else {
        return Err(Failure::usage("the two records were not compared"));
    };
    let bands: Vec<String> = matched.linked.bands.iter().map(|it| it.band.to_string()).collect();
    let compared = ComparedRecords { names, explained, bands: &bands };
    if let Some(path) = &arguments.html {
        let found_by: Vec<String> = compared.found_by().into_iter().map(|it| it.1.to_owned()).collect();
        let page = explain::records::comparison(&compared.names, explained, job.options.threshold, &found_by);
        write_page(path, &page)?;
        printer.written("the comparison", path);
    }
    printer.compared_records(&compared)
}

impl From<records::run::Error> for Failure {
    fn from(error: records::run::Error) -> Self {
        use records::run::Error;
        match error {
            Error::Corpus(error) => error.into(),
            Error::BadRecord { .. } => Self::bad_input(error.to_string()).with_advice(
                "--on-bad-record skip lists such records as removed, keep writes them without comparing them",
            ),
            Error::Memory { what, needed, limit } => pipeline::Error::Memory { what, needed, limit }.into(),
            Error::Plain { .. } => Self::usage(error.to_string()).with_advice(
                "if it is a table, say which: --format csv, --format tsv, --format jsonl or --format parquet",
            ),
            Error::Labels(message) => Self::bad_input(message),
            Error::Target(message) => pipeline::Error::Target(message).into(),
            Error::Changed { .. } => Self::from(pipeline::Error::Target(error.to_string())).with_advice(
                "run the command again when nobody writes to it, with another target folder if this one was begun",
            ),
            Error::Interrupted => Self::interrupted(),
            other => Self::usage(other.to_string()),
        }
    }
}
