//! An address -> the objects that it names.
//!
//! The rules are those of files: an address names an object, or all objects below a prefix, or the objects that match
//! a pattern. Objects below a prefix are left out if a name on their path begins with a dot. The objects are always
//! sorted bytewise by key.

use super::read::Object;
use super::store::{Address, answered, runtime, stamp};
use super::target::list;
use crate::discovery::{Container, Found, HEAD, RUN_FILE, WORK_FOLDER, is_own, recognise};
use crate::{Discovery, Error, Location, Result, Source, path_to_name};
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::{ObjectMeta, ObjectStoreExt};
use std::collections::BTreeMap;
use std::path::Path;

/// The number of objects whose first bytes are requested at the same time.
const AT_A_TIME: usize = 16;

/// Adds the sources that the address `argument` names: an object, or all objects below a prefix, bytewise by key.
/// Objects in the target or in the folder of an earlier run are left out.
pub(crate) fn discover(argument: &str, how: &Discovery, found: &mut Found) -> Result<()> {
    let address = Address::new(argument)?;
    let is_prefix = address.key.is_empty() || argument.ends_with('/');
    if !is_prefix && let Some(object) = Object::find(&address)? {
        let output = address.key.rsplit('/').next().unwrap_or_default().to_owned();
        return add_sources(vec![(object, output)], how, found);
    }
    let (folder, pattern) = match address.key.find(['*', '?', '[']) {
        None => (address.clone(), None),
        Some(wild) => {
            let written_out = address.key[..wild].rfind('/').map_or("", |end| &address.key[..end]);
            let folder = Address { key: written_out.to_owned(), ..address.clone() };
            let pattern = glob::Pattern::new(&address.key)
                .map_err(|cause| Error::Invalid(format!("{argument} is not a pattern: {cause}")))?;
            (folder, Some(pattern))
        }
    };
    let mut listed = list(&folder)?;
    listed.sort_unstable_by(|a, b| a.location.as_ref().cmp(b.location.as_ref()));
    let others = Others::new(&listed, &folder, how)?;
    let below = if folder.key.is_empty() { 0 } else { folder.key.len() + 1 };
    let mut objects = Vec::new();
    for (number, meta) in listed.iter().enumerate() {
        let key = meta.location.as_ref();
        let Some(output) = key.get(below..).filter(|output| !output.is_empty()) else { continue };
        let taken = match &pattern {
            Some(pattern) => pattern.matches_with(key, AS_IN_A_SHELL),
            None => !output.split('/').any(|name| name.starts_with('.')),
        };
        if !taken || is_folder(meta, &listed[number + 1..]) {
            continue;
        }
        if others.holds(key, below) {
            continue;
        }
        let address = Address { key: key.to_owned(), ..folder.clone() };
        // The library removes the slash from the end of a key. An empty object `a/`, which some tools create to
        // represent a folder, is therefore listed as `a`, although no object has that name.
        if meta.size == 0 && Object::find(&address)?.is_none() {
            continue;
        }
        objects.push((Object::from_listing(&address, meta)?, output.to_owned()));
    }
    let skipped = others.sentences(&folder);
    if objects.is_empty() {
        let skipped: String = skipped.iter().map(|skipped| format!("; {skipped}")).collect();
        return Err(Error::Invalid(match pattern {
            Some(_) => format!("no object matches {argument}{skipped}"),
            None => format!("there is no object {argument}, and there are no objects below it{skipped}"),
        }));
    }
    found.skipped.extend(skipped);
    add_sources(objects, how, found)
}

/// Prefixes below an input that are not read.
struct Others {
    /// The prefixes of runs, this one or earlier ones, each with the reason.
    prefixes: BTreeMap<String, &'static str>,
    /// True if the input itself is the target of an earlier run.
    is_run: bool,
}

impl Others {
    fn new(listed: &[ObjectMeta], folder: &Address, how: &Discovery) -> Result<Self> {
        let mut prefixes = BTreeMap::new();
        let mut is_run = false;
        let run_file = format!("{WORK_FOLDER}/{RUN_FILE}");
        for meta in listed {
            let Some(prefix) = meta.location.as_ref().strip_suffix(&run_file) else { continue };
            match prefix.strip_suffix('/').unwrap_or(prefix) {
                prefix if prefix == folder.key => is_run = true,
                prefix => drop(
                    prefixes.insert(prefix.to_owned(), "it holds what an earlier run of lookalike wrote"),
                ),
            }
        }
        let target = how.target.as_deref().filter(|target| target.contains("://"));
        if let Some(target) = target.filter(|target| !target.starts_with("file://")) {
            let target = Address::new(target)?;
            if target.root == folder.root && target.key == folder.key {
                return Err(Error::Invalid(format!(
                    "{} is both an input and the target; choose another target with -o",
                    folder.written()
                )));
            }
            if target.root == folder.root && is_below(&target.key, &folder.key) {
                prefixes.insert(target.key, "it is the target of this run");
            }
        }
        // Each skipped prefix is reported once, and only if there are objects below it.
        let is_there = |prefix: &String| listed.iter().any(|meta| is_below(meta.location.as_ref(), prefix));
        prefixes.retain(|prefix, _| is_there(prefix));
        Ok(Self { prefixes, is_run })
    }

    /// True if the object `key` is skipped. The first `below` bytes of `key` are the input.
    fn holds(&self, key: &str, below: usize) -> bool {
        self.prefixes.keys().any(|prefix| is_below(key, prefix))
            || (self.is_run && key.get(below..).is_some_and(is_own))
    }

    fn sentences(&self, folder: &Address) -> Vec<String> {
        let written = |prefix: &str| format!("{}{prefix}", folder.root);
        let mut all: Vec<String> = (self.prefixes.iter())
            .map(|(prefix, reason)| format!("{} is skipped: {reason}", written(prefix)))
            .collect();
        if self.is_run {
            all.push(format!(
                "{} holds an earlier run of lookalike: its outputs are read as inputs, its reports and \
                 internal files are skipped",
                folder.written()
            ));
        }
        all
    }
}

/// True if `key` is in the folder `prefix`.
fn is_below(key: &str, prefix: &str) -> bool {
    prefix.is_empty() || key.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'))
}

/// The first of these objects that has changed since it was found, if there is one.
pub(crate) fn changed<'s>(objects: &[&'s Source]) -> Result<Option<&'s Source>> {
    let asked = stream::iter(objects.iter().copied()).map(|source| async move {
        let Location::Object(address) = &source.location else { return Ok(None) };
        let address = Address::new(address)?;
        let path = address.path()?;
        match answered(address.store.head(&path)).await {
            Ok(meta) => Ok((meta.size != source.size || stamp(&meta) != source.stamp).then_some(source)),
            Err(object_store::Error::NotFound { .. }) => Ok(Some(source)),
            Err(cause) => Err(address.error("read", cause)),
        }
    });
    let answers: Vec<Option<&Source>> = runtime()?.block_on(asked.buffered(AT_A_TIME).try_collect())?;
    Ok(answers.into_iter().flatten().next())
}

/// A wildcard matches neither a slash nor a dot at the beginning of a name.
const AS_IN_A_SHELL: glob::MatchOptions = glob::MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// True if the object represents a folder: it is empty, and other objects are inside it. `after` are the objects that
/// follow it in bytewise order.
fn is_folder(meta: &ObjectMeta, after: &[ObjectMeta]) -> bool {
    let key = meta.location.as_ref();
    let inside = |other: &ObjectMeta| {
        other.location.as_ref().strip_prefix(key).is_some_and(|rest| rest.starts_with('/'))
    };
    meta.size == 0 && after.iter().take_while(|other| other.location.as_ref().starts_with(key)).any(inside)
}

/// Adds a source for each object, after reading its first bytes.
fn add_sources(objects: Vec<(Object, String)>, how: &Discovery, found: &mut Found) -> Result<()> {
    let is_one = objects.len() == 1;
    let heads = stream::iter(objects).map(|(object, output)| async move {
        let end = object.size.min(HEAD);
        let head = if end == 0 { Ok(bytes::Bytes::new()) } else { object.fetch(0..end).await };
        let head = head.map_err(|cause| object.error(cause))?;
        let (format, compression) = match recognise(&output, &head, how) {
            Ok(recognised) => recognised,
            Err(container) => return Ok::<_, Error>(Err((object.name, container))),
        };
        Ok(Ok(Source {
            name: object.name.clone(),
            output: path_to_name(Path::new(&output)),
            location: Location::Object(object.name),
            format,
            compression,
            size: object.size,
            stamp: object.stamp,
            ids: None,
        }))
    });
    let looked: Vec<_> = runtime()?.block_on(heads.buffered(AT_A_TIME).try_collect())?;
    for source in looked {
        match source {
            Ok(source) => found.sources.push(source),
            Err((name, Container { what, is_own: true, .. })) if !is_one => {
                found.skipped.push(format!("{name} is skipped: it is {what}"));
            }
            Err((name, Container { what, advice, .. })) => {
                return Err(Error::Invalid(format!("{name} is {what}; {advice}")));
            }
        }
    }
    Ok(())
}
