//! Inputs and choices -> a job.

use crate::arguments::Choices;
use crate::failure::{Failure, Result};
use crate::settings::{Layers, Purpose, is_sketch};
use corpus::{PutBy, Source};
use pipeline::Job;
use std::path::Path;

/// The argument that means standard input or standard output.
pub(crate) const STANDARD: &str = "-";

/// The job that `inputs` and `choices` describe; and what came from standard input, which must last as long as the job.
pub(crate) fn job(inputs: &[String], choices: Choices, purpose: Purpose) -> Result<(Job, Vec<PutBy>)> {
    let layers = Layers::read(choices, purpose)?;
    if let Some(sketch) = inputs.iter().find(|input| is_sketch(input)) {
        if inputs.len() > 1 {
            return Err(Failure::usage(format!("{sketch} is a sketch file, which must be the only input"))
                .with_advice("sketch all inputs together: lookalike sketch INPUT... -o FILE"));
        }
        return Ok((from_sketch(Path::new(sketch), &layers)?, Vec::new()));
    }
    let resolved = layers.resolve()?;
    let mut sources = corpus::discover(inputs, &resolved.discovery)?;
    let mut against = match resolved.against.as_slice() {
        [] => Vec::new(),
        against => corpus::discover(against, &resolved.discovery)?,
    };
    let folder = resolved.resources.temp_dir.clone().unwrap_or_else(std::env::temp_dir);
    let put_by = |source: &mut Source| PutBy::stdin(source, &folder).transpose();
    let put_by = sources.iter_mut().chain(&mut against).filter_map(put_by).collect::<Result<_, _>>()?;
    let (settings, resources) = (resolved.settings, resolved.resources);
    Ok((Job { sources, against, settings, resources, sketch: None }, put_by))
}

/// The job of a sketch file, with what may be chosen anew.
fn from_sketch(path: &Path, layers: &Layers) -> Result<Job> {
    let job = pipeline::open_sketch(path, layers.resources()?)?;
    let resolved = layers.resolve_sketch(path, &job.settings)?;
    if !resolved.against.is_empty() {
        return Err(Failure::usage("--against cannot be used with a sketch file")
            .with_advice("give the sources themselves as inputs"));
    }
    Ok(Job { settings: resolved.settings, ..job })
}
