//! Outputs below a prefix of an object store. A store shows an object only when it is complete, so that outputs are
//! complete or absent without a rename.

use super::read::Object;
use super::store::{Address, answered, io_error, runtime};
use files::{Place, Result, name_to_path, path_to_name};
use futures_util::TryStreamExt;
use object_store::{ObjectMeta, ObjectStoreExt, PutMode, PutOptions, PutPayload, WriteMultipart};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Files up to this size are sent in one request; larger files are sent in parts of at least this size.
const PART: u64 = 8 << 20;
/// Largest number of parts of an upload. Stores accept 10,000.
const MOST_PARTS: u64 = 9_000;
/// Number of parts that are sent at the same time. This bounds the memory of an upload.
const PARTS_AT_A_TIME: usize = 4;

/// A prefix below which outputs are written.
#[derive(Debug, Clone)]
pub(crate) struct Prefix {
    address: Address,
}

impl Prefix {
    pub(crate) fn new(written: &str) -> crate::Result<Self> {
        Ok(Self { address: Address::new(written)? })
    }

    /// The object of the output `name`.
    fn output(&self, name: &str) -> Result<Address> {
        let key = name_to_path(name).into_os_string().into_string().map_err(|_| {
            let cause = "the name of an object must be UTF-8; rename the source, or write to a folder";
            files::Error { action: "write", name: name.to_owned(), cause: std::io::Error::other(cause) }
        })?;
        Ok(self.address.join(&key))
    }

    fn put(&self, name: &str, bytes: &[u8], mode: PutMode) -> Result<object_store::Result<()>> {
        let address = self.output(name)?;
        let (path, runtime) = (address.path().map_err(plain)?, runtime().map_err(plain)?);
        let options = PutOptions { mode, ..PutOptions::default() };
        files::called();
        let put = runtime.block_on(answered(address.store.put_opts(
            &path,
            PutPayload::from(bytes.to_vec()),
            options,
        )));
        Ok(put.map(|_| ()))
    }

    fn upload(&self, file: &Path, mut source: File, size: u64, address: &Address) -> Result<()> {
        files::called();
        let part = PART.max(size.div_ceil(MOST_PARTS));
        let path = address.path().map_err(plain)?;
        let failed = |cause| failed("write", address, cause);
        runtime().map_err(plain)?.block_on(async {
            let upload = address.store.put_multipart(&path).await.map_err(failed)?;
            let mut writer = WriteMultipart::new_with_chunk_size(upload, part as usize);
            loop {
                let mut bytes = Vec::with_capacity(part as usize);
                let read = source.by_ref().take(part).read_to_end(&mut bytes);
                let wait = match read {
                    // All parts must have arrived before the upload is completed, because completing it cannot be
                    // undone.
                    Ok(0) => answered(writer.wait_for_capacity(0)).await.map_err(failed),
                    Ok(_) => answered(writer.wait_for_capacity(PARTS_AT_A_TIME)).await.map_err(failed),
                    Err(cause) => Err(local("read", file)(cause)),
                };
                if let Err(cause) = wait {
                    // Otherwise the parts that were sent would be stored, and paid for. An error of this clean-up is
                    // not the cause to report.
                    let _ = writer.abort().await;
                    return Err(cause);
                }
                if bytes.is_empty() {
                    break;
                }
                writer.put(bytes.into());
            }
            writer.finish().await.map(|_| ()).map_err(failed)
        })
    }
}

impl Place for Prefix {
    fn check(&self, name: &str) -> Result<()> {
        self.output(name)?.path().map(drop).map_err(plain)
    }

    fn exists(&self, name: &str) -> Result<bool> {
        files::called();
        Ok(Object::find(&self.output(name)?).map_err(plain)?.is_some())
    }

    fn list(&self) -> Result<Vec<String>> {
        files::called();
        let skipped = if self.address.key.is_empty() { 0 } else { self.address.key.len() + 1 };
        let mut names: Vec<String> = list(&self.address)
            .map_err(plain)?
            .iter()
            .filter_map(|meta| meta.location.as_ref().get(skipped..).map(|key| path_to_name(Path::new(key))))
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        files::called();
        let address = self.output(name)?;
        let Some(object) = Object::find(&address).map_err(plain)? else { return Ok(None) };
        let mut bytes = Vec::new();
        object.read_from(0).read_to_end(&mut bytes).map_err(|cause| files::Error {
            action: "read",
            name: address.written(),
            cause,
        })?;
        Ok(Some(bytes))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let put = self.put(name, bytes, PutMode::Overwrite)?;
        let address = self.output(name)?;
        put.map_err(|cause| failed("write", &address, cause))
    }

    fn write_new(&self, name: &str, bytes: &[u8]) -> Result<bool> {
        match self.put(name, bytes, PutMode::Create)? {
            Ok(()) => Ok(true),
            Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) => {
                Ok(false)
            }
            // This store cannot check and write in one step: two runs that do this at the same instant may both
            // succeed.
            Err(object_store::Error::NotImplemented { .. } | object_store::Error::NotSupported { .. }) => {
                if self.exists(name)? {
                    return Ok(false);
                }
                self.write(name, bytes).map(|()| true)
            }
            Err(cause) => Err(failed("write", &self.output(name)?, cause)),
        }
    }

    fn remove(&self, name: &str) -> Result<()> {
        let address = self.output(name)?;
        let (path, runtime) = (address.path().map_err(plain)?, runtime().map_err(plain)?);
        files::called();
        match runtime.block_on(answered(address.store.delete(&path))) {
            Err(object_store::Error::NotFound { .. }) => Ok(()),
            removed => removed.map_err(|cause| failed("remove", &address, cause)),
        }
    }

    fn publish(&self, file: &Path, name: &str) -> Result<()> {
        self.copy(file, name)?;
        files::called();
        std::fs::remove_file(file).map_err(local("remove", file))
    }

    fn copy(&self, file: &Path, name: &str) -> Result<()> {
        let mut source = File::open(file).map_err(local("read", file))?;
        let size = source.metadata().map_err(local("read", file))?.len();
        if size > PART {
            return self.upload(file, source, size, &self.output(name)?);
        }
        let mut bytes = Vec::new();
        source.read_to_end(&mut bytes).map_err(local("read", file))?;
        self.write(name, &bytes)
    }
}

/// An error about a local file.
fn local(action: &'static str, file: &Path) -> impl FnOnce(std::io::Error) -> files::Error {
    let name = file.display().to_string();
    move |cause| files::Error { action, name, cause }
}

/// An error of the store, as an error about this address.
fn failed(action: &'static str, address: &Address, cause: object_store::Error) -> files::Error {
    files::Error { action, name: address.written(), cause: io_error(cause) }
}

/// An error of this crate as an error of the crate `files`.
fn plain(error: crate::Error) -> files::Error {
    match error {
        crate::Error::Io { action, name, cause } => files::Error { action, name, cause },
        other => files::Error {
            action: "use",
            name: "the target".to_owned(),
            cause: std::io::Error::new(std::io::ErrorKind::InvalidInput, other.to_string()),
        },
    }
}

/// All objects below a prefix.
pub(crate) fn list(address: &Address) -> crate::Result<Vec<ObjectMeta>> {
    let path = address.path()?;
    let prefix = (!address.key.is_empty()).then_some(&path);
    runtime()?
        .block_on(answered(address.store.list(prefix).try_collect()))
        .map_err(|cause| address.error("list", cause))
}
