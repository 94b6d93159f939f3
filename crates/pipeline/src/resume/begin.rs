//! What a run begins from, written down in its work folder: a sketch file, and the key of stored shingles.

use super::work::{KEY, Work};
use crate::method::key::KeySeed;
use crate::prepared::Prepared;
use crate::{Error, Job, Result, Stored};
use corpus::WORK_FOLDER;

/// Which sketch file the run began from, if any, and where its parts begin.
pub(crate) const SKETCH_FILE: &str = "sketch-file";

/// A work folder for a job that leaves nothing behind.
pub(crate) fn temporary_work(job: &Job) -> Result<Work> {
    let mut work = Work::temporary(&job.temp_folder())?;
    if let Some((file, offset)) = &job.sketch {
        work.use_sketch_file(file.clone(), *offset);
    }
    Ok(work)
}

/// Makes a work folder ready for the stages. A run that lasts can go on from there: what it begins from is written down.
pub(crate) fn begin(prepared: &Prepared<'_>, work: &mut Work, lasting: bool) -> Result<()> {
    let job = prepared.job;
    let Some((file, offset)) = &job.sketch else {
        // A run that was killed may have begun from one.
        work.remove_file(SKETCH_FILE)?;
        if lasting && job.settings.files.store == Stored::Shingles {
            prepared.means.use_key(&key_of(work)?);
        }
        return Ok(());
    };
    if lasting {
        let path = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        work.write(SKETCH_FILE, format!("{offset} {}", corpus::path_to_name(&path)).as_bytes())?;
    }
    work.use_sketch_file(file.clone(), *offset);
    Ok(())
}

/// The key of the shingles that are stored in a work folder: a run that goes on must have the one it began with.
fn key_of(work: &Work) -> Result<KeySeed> {
    if let Some(written) = work.read(KEY)? {
        let seed = std::str::from_utf8(&written).ok().and_then(KeySeed::from_hex);
        return seed.ok_or_else(|| Error::Damaged {
            name: format!("{WORK_FOLDER}/{KEY}"),
            cause: "it is no key; begin again in another target folder".into(),
        });
    }
    let seed = KeySeed::random()?;
    work.write(KEY, seed.to_hex().as_bytes())?;
    Ok(seed)
}
