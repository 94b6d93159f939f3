//! An address -> the objects that it names.
//!
//! The rules are those of files: an object; or all objects below a prefix, but for those with a name that begins with a
//! dot on the way; or those that match a pattern. Bytewise by key, always.

use super::read::Object;
use super::store::{Address, runtime, stamp};
use super::target::list;
use crate::discovery::{HEAD, recognise};
use crate::{Discovery, Error, Location, Result, Source};
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::{ObjectMeta, ObjectStoreExt};

/// Objects whose first bytes are asked for at a time.
const AT_A_TIME: usize = 16;

/// The sources that the address `argument` names: an object, or all objects below a prefix, bytewise by key.
pub(crate) fn discover(argument: &str, how: &Discovery) -> Result<Vec<Source>> {
    if let Some(path) = argument.strip_prefix("file://") {
        return crate::discover(&[path.to_owned()], how);
    }
    let address = Address::new(argument)?;
    let is_prefix = address.key.is_empty() || argument.ends_with('/');
    if !is_prefix && let Some(object) = Object::find(&address)? {
        let output = address.key.rsplit('/').next().unwrap_or_default().to_owned();
        return sources(vec![(object, output)], how);
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
    let mut found = list(&folder)?;
    found.sort_unstable_by(|a, b| a.location.as_ref().cmp(b.location.as_ref()));
    let below = if folder.key.is_empty() { 0 } else { folder.key.len() + 1 };
    let mut objects = Vec::new();
    for (number, meta) in found.iter().enumerate() {
        let key = meta.location.as_ref();
        let Some(output) = key.get(below..).filter(|output| !output.is_empty()) else { continue };
        let taken = match &pattern {
            Some(pattern) => pattern.matches_with(key, AS_IN_A_SHELL),
            None => !output.split('/').any(|name| name.starts_with('.')),
        };
        if !taken || is_folder(meta, &found[number + 1..]) {
            continue;
        }
        let address = Address { key: key.to_owned(), ..folder.clone() };
        // The library takes the slash from the end of a key, so that an empty object `a/`, which some tools make to
        // stand for a folder, is listed as `a`. There is no such object.
        if meta.size == 0 && Object::find(&address)?.is_none() {
            continue;
        }
        objects.push((Object::from_listing(&address, meta)?, output.to_owned()));
    }
    if objects.is_empty() {
        return Err(Error::Invalid(match pattern {
            Some(_) => format!("no object matches {argument}"),
            None => format!("there is no object {argument}, and there are none below it"),
        }));
    }
    sources(objects, how)
}

/// The first of these objects, if any, that is not what it was when it was found.
pub(crate) fn changed<'s>(objects: &[&'s Source]) -> Result<Option<&'s Source>> {
    let asked = stream::iter(objects.iter().copied()).map(|source| async move {
        let Location::Object(address) = &source.location else { return Ok(None) };
        let address = Address::new(address)?;
        let path = address.path()?;
        match address.store.head(&path).await {
            Ok(meta) => Ok((meta.size != source.size || stamp(&meta) != source.stamp).then_some(source)),
            Err(object_store::Error::NotFound { .. }) => Ok(Some(source)),
            Err(cause) => Err(address.error("read", cause)),
        }
    });
    let answers: Vec<Option<&Source>> = runtime()?.block_on(asked.buffered(AT_A_TIME).try_collect())?;
    Ok(answers.into_iter().flatten().next())
}

/// A wildcard does not match a slash, nor a dot at the beginning of a name.
const AS_IN_A_SHELL: glob::MatchOptions = glob::MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// Whether it is empty and others, of which those `after` it follow it bytewise, are inside it: a folder.
fn is_folder(meta: &ObjectMeta, after: &[ObjectMeta]) -> bool {
    let key = meta.location.as_ref();
    let inside = |other: &ObjectMeta| {
        other.location.as_ref().strip_prefix(key).is_some_and(|rest| rest.starts_with('/'))
    };
    meta.size == 0 && after.iter().take_while(|other| other.location.as_ref().starts_with(key)).any(inside)
}

/// Looks at the first bytes of each object.
fn sources(objects: Vec<(Object, String)>, how: &Discovery) -> Result<Vec<Source>> {
    let heads = stream::iter(objects).map(|(object, output)| async move {
        let end = object.size.min(HEAD);
        let head = if end == 0 { Ok(bytes::Bytes::new()) } else { object.fetch(0..end).await };
        let head = head.map_err(|cause| object.error(cause))?;
        let (format, compression) = recognise(&output, &head, how);
        Ok(Source {
            name: object.name.clone(),
            output,
            location: Location::Object(object.name),
            format,
            compression,
            size: object.size,
            stamp: object.stamp,
        })
    });
    runtime()?.block_on(heads.buffered(AT_A_TIME).try_collect())
}
