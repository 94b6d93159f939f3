//! Inputs and choices -> a job.

use crate::arguments::Choices;
use crate::failure::{Failure, Result};
use crate::settings::{Layers, Purpose, is_sketch};
use pipeline::Job;
use std::path::Path;

/// The argument that means standard input or standard output.
pub(crate) const STANDARD: &str = "-";

/// The job that `inputs` and `choices` describe.
pub(crate) fn job(inputs: &[String], choices: Choices, purpose: Purpose) -> Result<Job> {
    let layers = Layers::read(choices, purpose)?;
    if let Some(sketch) = inputs.iter().find(|input| is_sketch(input)) {
        if inputs.len() > 1 {
            return Err(Failure::usage(format!("{sketch} is a sketch file, which must be the only input"))
                .with_advice("sketch all inputs together: lookalike sketch INPUT... -o FILE"));
        }
        return from_sketch(Path::new(sketch), &layers);
    }
    let resolved = layers.resolve()?;
    let sources = corpus::discover(inputs, &resolved.discovery)?;
    let against = match resolved.against.as_slice() {
        [] => Vec::new(),
        against => corpus::discover(against, &resolved.discovery)?,
    };
    Ok(Job { sources, against, settings: resolved.settings, resources: resolved.resources, sketch: None })
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
