//! A checked job, with everything that follows from its settings. Stages after sketching get a `View` of it.

use crate::frames;
use crate::kind;
use crate::limits::machine::has_room_for;
use crate::limits::memory::Ledger;
use crate::limits::ordered::{caught, no_thread};
use crate::method::{Recipe, UseOfSketches};
use crate::progress::timing::Stages;
use crate::resume::begin::temporary_work;
use crate::resume::work::Work;
use crate::settings::not_allowed;
use crate::sketch::order::KeepOrder;
use crate::sketch::{Sources, missing_fields, sketch};
use crate::store::Store;
use crate::view::View;
use crate::{Choice, Error, Job, LARGEST_TEXT, Observer, Result, SettingName, Stage, WrongSetting};

/// A checked job, with everything that follows from its settings.
pub(crate) struct Prepared<'a> {
    pub job: &'a Job,
    pub recipe: Recipe,
    pub budget: Ledger,
    pub order: KeepOrder,
    pub sources: Sources<'a>,
    pub threads: usize,
}

impl<'a> Prepared<'a> {
    /// Checks a job. An error says which setting or resource cannot be used.
    pub(crate) fn new(job: &'a Job) -> Result<Self> {
        // A sketch file has a signature for every document.
        Self::with_use(
            job,
            if job.sketch.is_some() { UseOfSketches::LaterRuns } else { UseOfSketches::OneRun },
        )
    }

    /// Checks a job whose sketches are for later runs.
    pub(crate) fn for_sketch_file(job: &'a Job) -> Result<Self> {
        let mut prepared = Self::with_use(job, UseOfSketches::LaterRuns)?;
        prepared.recipe.stores_content_hashes = true;
        Ok(prepared)
    }

    fn with_use(job: &'a Job, use_of: UseOfSketches) -> Result<Self> {
        let seen = job.indexes.against.as_deref();
        let sources = Sources { against: &job.against, corpus: &job.sources, seen };
        job.resources.check()?;
        if !has_room_for(job.resources.threads) {
            return Err(no_thread(std::io::ErrorKind::OutOfMemory.into()));
        }
        // Sources are numbered with 32 bits.
        if u32::try_from(sources.len()).is_err() {
            return Err(Error::Invalid(format!("{} sources are too many for one run", sources.len())));
        }
        if job.settings.files.max_text > LARGEST_TEXT {
            let most = format!("at most {}", corpus::readable_size(LARGEST_TEXT));
            return Err(not_allowed(SettingName::MaxText, job.settings.files.max_text, most));
        }
        let settings = kind::completed(&job.settings, sources)?;
        let mut recipe = Recipe::with_use(&settings, use_of)?;
        let mut left = job.resources.clone();
        for (what, taken) in
            [("the file of weights", recipe.method.memory()), ("the index", job.indexes.memory)]
        {
            if taken > left.memory / 2 {
                let needed = (job.resources.memory - left.memory) + 2 * taken;
                return Err(Error::Memory { what: what.to_owned(), needed, limit: job.resources.memory });
            }
            left.memory -= taken;
        }
        let taken = job.resources.memory - left.memory;
        let budget = Ledger::new(&left, sources.len()).map_err(|error| match error {
            Error::Memory { what, needed, .. } => {
                Error::Memory { what, needed: needed + taken, limit: job.resources.memory }
            }
            error => error,
        })?;
        if let Some(folder) = &job.resources.temp_dir {
            // Whoever spills nothing would not notice.
            let refused = |why: String| not_allowed(SettingName::TempDir, folder.display(), why);
            let found = std::fs::metadata(folder).map_err(|cause| refused(cause.to_string()))?;
            if !found.is_dir() {
                return Err(refused("it is not a folder".into()));
            }
        }
        if let (Some(files), crate::Stored::Shingles) = (&job.sketch, job.settings.files.store) {
            recipe.use_key(&files.stored_key()?);
        }
        recipe.plan.input_bytes = sources.bytes();
        let order = KeepOrder::new(&job.settings, sources)?;
        Ok(Self { job, recipe, budget, order, sources, threads: job.resources.threads })
    }

    /// An error if documents are to be compared with those of `against` only, and there are none. Commands that compare no documents
    /// with each other do not ask.
    pub(crate) fn check_against(&self) -> Result<()> {
        let has_against = !self.job.against.is_empty() || self.job.indexes.against.is_some();
        if !self.job.settings.matching.against_only || has_against {
            return Ok(());
        }
        let choice = Choice::any(SettingName::AgainstOnly);
        let needed = Choice::any(SettingName::Against);
        Err(WrongSetting::Needs { choice, needed, instead: None }.into())
    }

    /// Runs `work` with as many rayon threads as the job allows.
    pub(crate) fn in_pool<R: Send>(&self, work: impl FnOnce() -> Result<R> + Send) -> Result<R> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()
            .map_err(|error| no_thread(std::io::Error::other(error)))?;
        caught(|| pool.install(work))
    }

    /// Sketches all documents, or reads the sketches that exist already.
    pub(crate) fn sketch(&self, work: &mut Work, stages: &mut Stages<'_>) -> Result<Store> {
        if frames::is_wanted(&self.job.settings) {
            stages.begin_quietly(Stage::Frame);
            frames::learn(self, work, stages.observer())?;
            stages.end(self.sources.bytes());
        }
        stages.begin(Stage::Sketch, self.sources.bytes());
        let store = sketch(self.sources, &self.recipe, &self.budget, self.threads, work, stages.observer())?;
        stages.end(store.counts().text_bytes);
        missing_fields::check(&self.recipe, self.sources, &self.budget, store.counts())?;
        let mut store = store;
        store.hold(self.budget.for_documents(store.count(), store.blocks().len())?);
        Ok(store)
    }

    /// Sketches all documents in a temporary folder, and calls `ask` with the run after sketching. No files are left
    /// behind.
    pub(crate) fn with_view<R: Send>(
        &self,
        observer: &dyn Observer,
        ask: impl for<'c> FnOnce(View<'c>, Stages<'c>) -> Result<R> + Send,
    ) -> Result<R> {
        observer.planned(&self.recipe.plan);
        let mut work = temporary_work(self.job)?;
        self.in_pool(|| {
            let mut stages = Stages::new(observer);
            let store = self.sketch(&mut work, &mut stages)?;
            ask(self.view(&store, &work, observer), stages)
        })
    }

    /// The run after sketching.
    pub(crate) fn view<'c>(
        &'c self,
        store: &'c Store,
        work: &'c Work,
        observer: &'c dyn Observer,
    ) -> View<'c> {
        let counts = store.counts();
        self.recipe.method.settle(store.count() - counts.bad_skipped - counts.bad_kept);
        View {
            job: self.job,
            store,
            sources: self.sources,
            recipe: &self.recipe,
            order: &self.order,
            budget: &self.budget,
            work,
            threads: self.threads,
            observer,
        }
    }
}
