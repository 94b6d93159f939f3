//! Prepares the work folder of a run, and records in it what the run began from: a sketch file, and the key of stored
//! shingles.

use super::work::{KEY, Work};
use crate::method::key::KeySeed;
use crate::prepared::Prepared;
use crate::{Error, Job, Result, Stored};
use corpus::WORK_FOLDER;

/// The file that names the sketch files from which the run began, if any, and the offset of the parts in each.
pub(crate) const SKETCH_FILE: &str = "sketch-file";

/// A work folder for a job that leaves no files behind.
pub(crate) fn temporary_work(job: &Job) -> Result<Work> {
    let mut work = Work::temporary(&job.temp_folder())?;
    if let Some(files) = &job.sketch {
        work.use_sketch_files(files.clone());
    }
    Ok(work)
}

/// Prepares a work folder for the stages. With `lasting`, it is recorded what the run begins from, so that a killed
/// run can continue.
pub(crate) fn begin(prepared: &Prepared<'_>, work: &mut Work, lasting: bool) -> Result<()> {
    let job = prepared.job;
    let Some(files) = &job.sketch else {
        // A killed run may have begun from a sketch file.
        work.remove_file(SKETCH_FILE)?;
        if lasting && job.settings.files.store == Stored::Shingles {
            prepared.recipe.use_key(&key_of(work)?);
        }
        return Ok(());
    };
    if lasting {
        work.write(SKETCH_FILE, &files.to_bytes())?;
    }
    work.use_sketch_files(files.clone());
    Ok(())
}

/// The key of the shingles that are stored in a work folder. A run that continues must use the key with which it
/// began.
fn key_of(work: &Work) -> Result<KeySeed> {
    if let Some(written) = work.read(KEY)? {
        let seed = std::str::from_utf8(&written).ok().and_then(KeySeed::from_hex);
        return seed.ok_or_else(|| Error::Damaged {
            name: format!("{WORK_FOLDER}/{KEY}"),
            cause: "it does not contain a key; run again with another target folder".into(),
        });
    }
    let seed = KeySeed::random()?;
    work.write(KEY, seed.to_hex().as_bytes())?;
    Ok(seed)
}
