//! A replacement for object stores in a build without them: every call is an error that says so.

use crate::{Discovery, Error, Found, Result, Source, Stamp};
use std::convert::Infallible;
use std::io::Read;
use std::path::Path;

fn absent<T>(address: &str) -> Result<T> {
    Err(Error::Invalid(format!(
        "{address} is in an object store, but this program was built without object stores; build it with \
         the feature `object-store`"
    )))
}

pub(crate) fn discover(argument: &str, _how: &Discovery, _found: &mut Found) -> Result<()> {
    absent(argument)
}

/// An object that is open for reading. No value of this type can exist.
#[derive(Debug, Clone)]
pub(crate) struct Object(Box<Infallible>);

impl Object {
    pub(crate) fn of(address: &str, _size: u64, _stamp: &Stamp) -> Result<Self> {
        absent(address)
    }

    pub(crate) fn read_from(self, _offset: u64) -> Box<dyn Read + Send> {
        match *self.0 {}
    }
}

pub(crate) fn changed<'s>(_objects: &[&'s Source]) -> Result<Option<&'s Source>> {
    Ok(None)
}

/// A prefix below which outputs are written. No value of this type can exist.
#[derive(Debug, Clone)]
pub(crate) enum Prefix {}

impl Prefix {
    pub(crate) fn new(written: &str) -> Result<Self> {
        absent(written)
    }
}

impl files::Place for Prefix {
    fn exists(&self, _name: &str) -> files::Result<bool> {
        match *self {}
    }

    fn list(&self) -> files::Result<Vec<String>> {
        match *self {}
    }

    fn read(&self, _name: &str) -> files::Result<Option<Vec<u8>>> {
        match *self {}
    }

    fn write(&self, _name: &str, _bytes: &[u8]) -> files::Result<()> {
        match *self {}
    }

    fn write_new(&self, _name: &str, _bytes: &[u8]) -> files::Result<bool> {
        match *self {}
    }

    fn remove(&self, _name: &str) -> files::Result<()> {
        match *self {}
    }

    fn publish(&self, _file: &Path, _name: &str) -> files::Result<()> {
        match *self {}
    }

    fn copy(&self, _file: &Path, _name: &str) -> files::Result<()> {
        match *self {}
    }
}
