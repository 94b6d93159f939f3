//! What stands in for object stores in a build without them: errors that say so.

use crate::{Discovery, Error, Found, Result};
use std::io::Read;
use std::path::Path;

fn absent<T>(address: &str) -> Result<T> {
    Err(Error::Invalid(format!(
        "{address} is in an object store, and this is built without them; build with the feature `object-store`"
    )))
}

pub(crate) fn discover(argument: &str, _how: &Discovery, _found: &mut Found) -> Result<()> {
    absent(argument)
}

pub(crate) fn open(address: &str, _offset: u64) -> Result<Box<dyn Read + Send>> {
    absent(address)
}

/// A prefix that outputs are put below: there is none.
#[derive(Debug, Clone)]
pub(crate) enum Prefix {}

impl Prefix {
    pub(crate) fn new(written: &str) -> Result<Self> {
        absent(written)
    }

    pub(crate) fn check(&self, _name: &str) -> Result<()> {
        match *self {}
    }

    pub(crate) fn exists(&self, _name: &str) -> Result<bool> {
        match *self {}
    }

    pub(crate) fn list(&self) -> Result<Vec<String>> {
        match *self {}
    }

    pub(crate) fn read(&self, _name: &str) -> Result<Option<Vec<u8>>> {
        match *self {}
    }

    pub(crate) fn write(&self, _name: &str, _bytes: &[u8]) -> Result<()> {
        match *self {}
    }

    pub(crate) fn publish(&self, _file: &Path, _name: &str) -> Result<()> {
        match *self {}
    }
}
