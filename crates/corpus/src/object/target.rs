//! Outputs below a prefix of an object store. A store shows an object when all of it is there, so that outputs are
//! whole or absent without a rename.

use super::read::Object;
use super::store::{Address, runtime};
use crate::sink::check_name;
use crate::{Error, Result, name_to_path, path_to_name};
use futures_util::TryStreamExt;
use object_store::{ObjectMeta, ObjectStoreExt, PutPayload, WriteMultipart};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Files up to this size are sent in one request, larger ones in parts of at least this size.
const PART: u64 = 8 << 20;
/// Stores take 10,000 parts.
const MOST_PARTS: u64 = 9_000;
/// Parts under way at a time: what bounds the memory of an upload.
const PARTS_AT_A_TIME: usize = 4;

/// A prefix that outputs are put below.
#[derive(Debug, Clone)]
pub(crate) struct Prefix {
    address: Address,
}

impl Prefix {
    pub(crate) fn new(written: &str) -> Result<Self> {
        Ok(Self { address: Address::new(written)? })
    }

    fn output(&self, name: &str) -> Result<Address> {
        check_name(name)?;
        let key = name_to_path(name).into_os_string().into_string().map_err(|_| {
            Error::Invalid(format!(
                "{name} cannot be an object: its name is not UTF-8; rename the source, or write to a folder"
            ))
        })?;
        Ok(self.address.join(&key))
    }

    /// An error if there can be no output `name`.
    pub(crate) fn check(&self, name: &str) -> Result<()> {
        self.output(name)?.path().map(drop)
    }

    /// Whether there is an output `name`.
    pub(crate) fn exists(&self, name: &str) -> Result<bool> {
        Ok(Object::find(&self.output(name)?)?.is_some())
    }

    /// All outputs, by name, bytewise.
    pub(crate) fn list(&self) -> Result<Vec<String>> {
        let skipped = if self.address.key.is_empty() { 0 } else { self.address.key.len() + 1 };
        let mut names: Vec<String> = list(&self.address)?
            .iter()
            .filter_map(|meta| meta.location.as_ref().get(skipped..).map(|key| path_to_name(Path::new(key))))
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    /// The bytes of the output `name`; `None` if there is none.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let address = self.output(name)?;
        let Some(object) = Object::find(&address)? else { return Ok(None) };
        let mut bytes = Vec::new();
        object.read_from(0).read_to_end(&mut bytes).map_err(|cause| Error::Io {
            action: "read",
            name: address.written(),
            cause,
        })?;
        Ok(Some(bytes))
    }

    /// Puts the output `name`.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let address = self.output(name)?;
        let (path, runtime) = (address.path()?, runtime()?);
        runtime
            .block_on(address.store.put(&path, PutPayload::from(bytes.to_vec())))
            .map(|_| ())
            .map_err(|cause| address.error("write", cause))
    }

    /// Uploads `file` as the output `name`, and removes it here.
    pub(crate) fn publish(&self, file: &Path, name: &str) -> Result<()> {
        let local = |cause| Error::Io { action: "read", name: file.display().to_string(), cause };
        let mut source = File::open(file).map_err(local)?;
        let size = source.metadata().map_err(local)?.len();
        if size <= PART {
            let mut bytes = Vec::new();
            source.read_to_end(&mut bytes).map_err(local)?;
            self.write(name, &bytes)?;
        } else {
            self.upload(file, source, size, &self.output(name)?)?;
        }
        std::fs::remove_file(file).map_err(|cause| Error::Io {
            action: "remove",
            name: file.display().to_string(),
            cause,
        })
    }

    fn upload(&self, file: &Path, mut source: File, size: u64, address: &Address) -> Result<()> {
        let part = PART.max(size.div_ceil(MOST_PARTS));
        let path = address.path()?;
        let failed = |cause| address.error("write", cause);
        runtime()?.block_on(async {
            let upload = address.store.put_multipart(&path).await.map_err(failed)?;
            let mut writer = WriteMultipart::new_with_chunk_size(upload, part as usize);
            loop {
                let mut bytes = Vec::with_capacity(part as usize);
                let read = source.by_ref().take(part).read_to_end(&mut bytes);
                let wait = match read {
                    Ok(0) => break,
                    Ok(_) => writer.wait_for_capacity(PARTS_AT_A_TIME).await.map_err(failed),
                    Err(cause) => Err(Error::Io { action: "read", name: file.display().to_string(), cause }),
                };
                if let Err(cause) = wait {
                    // Parts that were sent would be kept, and paid for; that they cannot be removed is not the cause.
                    let _ = writer.abort().await;
                    return Err(cause);
                }
                writer.put(bytes.into());
            }
            writer.finish().await.map(|_| ()).map_err(failed)
        })
    }
}

/// All objects below a prefix.
pub(crate) fn list(address: &Address) -> Result<Vec<ObjectMeta>> {
    let path = address.path()?;
    let prefix = (!address.key.is_empty()).then_some(&path);
    runtime()?
        .block_on(address.store.list(prefix).try_collect())
        .map_err(|cause| address.error("list", cause))
}
