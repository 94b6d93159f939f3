//! The stages of a whole run, in order: sketch, decide, write, report.

use crate::decide::Removals;
use crate::prepared::Prepared;
use crate::progress::timing::Stages;
use crate::report::{Plan, Report};
use crate::resume::begin::begin;
use crate::resume::claim::{self, Claim};
use crate::resume::decisions_file::Findings;
use crate::resume::identity::{Identity, check_unchanged};
use crate::resume::outputs::{List, Listed};
use crate::resume::work::{RUN, Work};
use crate::view::View;
use crate::write::Outputs;
use crate::write::adding::add_kept;
use crate::write::lists::{outputs_of, removed_name, write_near_misses, write_removed};
use crate::write::removed;
use crate::{Job, Observer, Outcome, Result, Stage};
use corpus::{RemovedRow, Target};

/// See [`crate::plan`].
pub(crate) fn plan(job: &Job) -> Result<Plan> {
    Ok(Prepared::new(job)?.recipe.plan)
}

/// See [`crate::dedup`].
pub(crate) fn dedup(job: &Job, target: &Target, dry_run: bool, observer: &dyn Observer) -> Result<Outcome> {
    let prepared = Prepared::new(job)?;
    prepared.check_against()?;
    if dry_run {
        removed_name(job)?;
        return decide_prepared(&prepared, observer, &mut |_| Ok(())).map(Outcome::Finished);
    }
    dedup_prepared(&prepared, target, observer)
}

/// See [`crate::decide`].
pub(crate) fn decide(
    job: &Job,
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(RemovedRow) -> Result<()> + Send),
) -> Result<Report> {
    let prepared = Prepared::new(job)?;
    prepared.check_against()?;
    decide_prepared(&prepared, observer, visit)
}

fn decide_prepared(
    prepared: &Prepared<'_>,
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(RemovedRow) -> Result<()> + Send),
) -> Result<Report> {
    prepared.with_view(observer, |view, mut stages| {
        let copies = view.copies(&mut stages)?;
        let (removals, pairs, _) = view.decide(&copies, &mut stages)?;
        removed::rows(&removals, view.store, prepared.sources, &prepared.job.settings, &mut |row| {
            observer.go_on()?;
            visit(row)
        })?;
        view.report(&removals, pairs, stages)
    })
}

/// Runs a job that is already checked.
pub(crate) fn dedup_prepared(
    prepared: &Prepared<'_>,
    target: &Target,
    observer: &dyn Observer,
) -> Result<Outcome> {
    let job = prepared.job;
    removed_name(job)?;
    job.sources.iter().try_for_each(|source| target.check(&source.output))?;
    let lasting = !target.is_stdout();
    let identity = Identity::new(&prepared.recipe, prepared.sources, &job.indexes)?;
    let identity = match lasting {
        true => identity.named_as_in(target.read(&claim::own(RUN))?.as_deref()),
        false => identity,
    };
    let json = identity.to_json();
    if lasting && let Some(report) = claim::finished(target, &json, observer)? {
        if Listed::in_target(target)?.has_all(outputs_of(job)?, target, observer)? {
            claim::say_touched(job, target, observer)?;
            claim::clear_after(job, target);
            return Ok(Outcome::AlreadyFinished(report));
        }
        observer.note(&format!(
            "the run in {} has finished, but not all its outputs are as it wrote them",
            target.name()
        ));
    }
    observer.planned(&prepared.recipe.plan);
    if !lasting {
        let work = Work::temporary_on(target.files().clone(), &job.temp_folder())?;
        return dedup_in(prepared, target, &identity, work.with_spill(job), observer).0;
    }
    let (claim, work) = Claim::new(job, target, &json, observer)?;
    let (outcome, mut work) = dedup_in(prepared, target, &identity, work.with_spill(job), observer);
    match &outcome {
        Ok(_) => claim.finish(&mut work, observer),
        Err(error) => claim.fail(&mut work, error),
    }
    outcome
}

/// Runs a job in a work folder, and returns the folder with the outcome.
fn dedup_in(
    prepared: &Prepared<'_>,
    target: &Target,
    identity: &Identity,
    mut work: Work,
    observer: &dyn Observer,
) -> (Result<Outcome>, Work) {
    let outcome = prepared.in_pool(|| dedup_stages(prepared, target, identity, &mut work, observer));
    (outcome, work)
}

/// Runs all stages, and writes the report last.
fn dedup_stages(
    prepared: &Prepared<'_>,
    target: &Target,
    identity: &Identity,
    work: &mut Work,
    observer: &dyn Observer,
) -> Result<Outcome> {
    let lasting = !target.is_stdout();
    begin(prepared, work, lasting)?;
    let mut stages = Stages::new(observer);
    let store = prepared.sketch(work, &mut stages)?;
    let stored = work.stored_decisions()?;
    if stored.is_some() {
        work.reuse();
    }
    let view = prepared.view(&store, work, observer);
    let (removals, findings) = match stored {
        Some(stored) => stored.into_removals(&prepared.budget)?,
        None => {
            let (removals, findings) = decide_stages(view, &mut stages)?;
            if lasting {
                work.write_decisions(&removals, &findings, observer)?;
            }
            (removals, findings)
        }
    };
    view.check_kept(&removals)?;
    write_stage(view, &removals, &findings, target, &mut stages)?;
    check_unchanged(prepared.sources, identity)?;
    let added_to = add_kept(prepared, view, &removals, &mut stages)?;
    let report = Report { added_to, ..view.report(&removals, findings.pairs, stages)? };
    if lasting {
        work.tidy()?;
        work.publish(target)?;
        let mut json = serde_json::to_vec_pretty(&report).expect("a report is plain data");
        json.push(b'\n');
        target.write("report.json", &json)?;
    }
    Ok(Outcome::Finished(report))
}

/// Exact copies, candidates, verified pairs: what becomes of every document.
fn decide_stages(view: View<'_>, stages: &mut Stages<'_>) -> Result<(Removals, Findings)> {
    let copies = view.copies(stages)?;
    let (removals, pairs, near) = view.decide(&copies, stages)?;
    let near_misses = near.iter().map(|miss| (miss.number, miss.other, miss.similarity)).collect();
    Ok((removals, Findings { pairs, near_misses }))
}

/// Writes kept records, and the lists of the others.
fn write_stage(
    view: View<'_>,
    removals: &Removals,
    findings: &Findings,
    target: &Target,
    stages: &mut Stages<'_>,
) -> Result<()> {
    stages.begin(Stage::Write, view.job.sources.iter().map(|source| source.size).sum());
    let aside = view.work.unfinished()?;
    let list = List::begin(target, view.work, outputs_of(view.job)?, view.observer)?;
    Outputs { view, removals, list: &list }.write(target, &aside)?;
    if !target.is_stdout() {
        write_removed(view, removals, target, &aside, &list)?;
        write_near_misses(view, findings)?;
    }
    list.finish(view.work)?;
    stages.end(view.store.counts().text_bytes);
    Ok(())
}
