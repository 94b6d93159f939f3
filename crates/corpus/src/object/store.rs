//! An address -> its store, and its key in the store.
//!
//! Object stores are asynchronous, and the rest of the program is not: one thread of the process drives all requests,
//! and the caller waits. Credentials and endpoints come from the environment (`AWS_ACCESS_KEY_ID`,
//! `AWS_ENDPOINT_URL`, `GOOGLE_SERVICE_ACCOUNT`, `AZURE_STORAGE_ACCOUNT_NAME` and others); the builders of
//! `object_store` read them. It is an error if there are no credentials (see [`credentials`]).

use super::credentials;
use crate::stopping::{Stopped, unless_stopped};
use crate::{Error, Result, Stamp};
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::runtime::{Builder, Handle};

/// The address of an object or of a prefix.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    pub(crate) store: Arc<dyn ObjectStore>,
    /// Scheme and bucket, as in `s3://bucket/`.
    pub(crate) root: String,
    /// The rest of the address, without slashes at its ends.
    pub(crate) key: String,
}

impl Address {
    /// Reads the address `written`: the store and the key.
    pub(crate) fn new(written: &str) -> Result<Self> {
        let (scheme, rest) = written.split_once("://").ok_or_else(|| unknown(written))?;
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(Error::Invalid(format!("{written} names no bucket; write {scheme}://BUCKET/KEY")));
        }
        let store = store(scheme, bucket, written)?;
        Ok(Self { store, root: format!("{scheme}://{bucket}/"), key: key.trim_matches('/').to_owned() })
    }

    /// The object or prefix `name` below this one.
    pub(crate) fn join(&self, name: &str) -> Self {
        let key = if self.key.is_empty() { name.to_owned() } else { format!("{}/{name}", self.key) };
        Self { store: Arc::clone(&self.store), root: self.root.clone(), key }
    }

    /// The address as the user writes it.
    pub(crate) fn written(&self) -> String {
        format!("{}{}", self.root, self.key)
    }

    /// The key as the library's own type.
    pub(crate) fn path(&self) -> Result<Path> {
        Path::parse(&self.key).map_err(|cause| {
            Error::Invalid(format!("{} cannot be the address of an object: {cause}", self.written()))
        })
    }

    /// An error of the store, as an error about this address.
    pub(crate) fn error(&self, action: &'static str, cause: object_store::Error) -> Error {
        Error::Io { action, name: self.written(), cause: io_error(cause) }
    }
}

/// An error of the store, with all its causes.
pub(crate) fn io_error(cause: object_store::Error) -> io::Error {
    use object_store::Error as Cause;
    if let Cause::Generic { source, .. } = &cause
        && source.is::<Stopped>()
    {
        return io::Error::other(Stopped);
    }
    let (kind, advice) = match &cause {
        Cause::NotFound { .. } => (io::ErrorKind::NotFound, ""),
        Cause::PermissionDenied { .. } | Cause::Unauthenticated { .. } => (
            io::ErrorKind::PermissionDenied,
            "; check the credentials in the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, \
             GOOGLE_SERVICE_ACCOUNT, AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY)",
        ),
        Cause::Precondition { .. } => (
            io::ErrorKind::Other,
            "; the object has changed since the run began: run again when nothing writes to it",
        ),
        _ => (io::ErrorKind::Other, ""),
    };
    let mut words = cause.to_string();
    let mut reason = std::error::Error::source(&cause);
    while let Some(next) = reason {
        let text = next.to_string();
        // Many errors of the library already repeat their causes.
        if !words.contains(&text) {
            words = format!("{words}: {text}");
        }
        reason = next.source();
    }
    io::Error::new(kind, format!("{words}{advice}"))
}

fn unknown(written: &str) -> Error {
    Error::Invalid(format!(
        "{written} is not an address of a known object store; write s3://, gs://, az:// or abfs://"
    ))
}

static STORES: Mutex<BTreeMap<String, Arc<dyn ObjectStore>>> = Mutex::new(BTreeMap::new());

/// One client per bucket, so that connections and credentials are shared.
fn store(scheme: &str, bucket: &str, written: &str) -> Result<Arc<dyn ObjectStore>> {
    let name = format!("{scheme}://{bucket}");
    let mut stores = STORES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(store) = stores.get(&name) {
        return Ok(Arc::clone(store));
    }
    let store = connect(scheme, bucket, written)?;
    stores.insert(name, Arc::clone(&store));
    Ok(store)
}

fn connect(scheme: &str, bucket: &str, written: &str) -> Result<Arc<dyn ObjectStore>> {
    // This fails only if a provider is already installed; that provider is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let made = match scheme {
        "s3" | "s3a" => {
            let builder = AmazonS3Builder::from_env();
            credentials::require(
                credentials::s3(&builder),
                written,
                credentials::S3_VARIABLES,
                "AWS_SKIP_SIGNATURE",
            )?;
            builder.with_bucket_name(bucket).build().map(|store| Arc::new(store) as _)
        }
        "gs" => {
            let builder = GoogleCloudStorageBuilder::from_env();
            let there = credentials::google(&builder, credentials::home().as_deref());
            credentials::require(there, written, credentials::GOOGLE_VARIABLES, "GOOGLE_SKIP_SIGNATURE")?;
            builder.with_bucket_name(bucket).build().map(|store| Arc::new(store) as _)
        }
        "az" | "azure" | "adl" | "abfs" | "abfss" => {
            // Either `container`, with the account in the environment, or `container@account.dfs.core.windows.net`.
            let (container, host) = bucket.split_once('@').unwrap_or((bucket, ""));
            let mut builder = MicrosoftAzureBuilder::from_env().with_container_name(container);
            if let Some(account) = host.split('.').next().filter(|account| !account.is_empty()) {
                builder = builder.with_account(account);
            }
            credentials::require(
                credentials::azure(&builder),
                written,
                credentials::AZURE_VARIABLES,
                "AZURE_SKIP_SIGNATURE",
            )?;
            builder.build().map(|store| Arc::new(store) as _)
        }
        _ => return Err(unknown(written)),
    };
    made.map_err(|cause| Error::Io {
        action: "open the store of",
        name: written.to_owned(),
        cause: io_error(cause),
    })
}

/// The answer to a request. If the program is asked to stop, an error that [`io_error`] recognises.
pub(crate) async fn answered<T>(
    answer: impl Future<Output = object_store::Result<T>>,
) -> object_store::Result<T> {
    unless_stopped(answer).await.unwrap_or_else(|stopped| {
        Err(object_store::Error::Generic { store: "any", source: Box::new(stopped) })
    })
}

/// The runtime of the one thread that drives all requests.
pub(crate) fn runtime() -> Result<&'static Handle> {
    static RUNTIME: OnceLock<io::Result<Handle>> = OnceLock::new();
    RUNTIME.get_or_init(start).as_ref().map_err(|cause| Error::Io {
        action: "start the thread for",
        name: "object stores".to_owned(),
        cause: io::Error::new(cause.kind(), cause.to_string()),
    })
}

/// A runtime opens fewer files than this.
#[cfg(unix)]
const FILES: usize = 10;

fn start() -> io::Result<Handle> {
    // A runtime that cannot open its files panics. So there must be room for them first.
    #[cfg(unix)]
    drop((0..FILES).map(|_| std::fs::File::open("/dev/null")).collect::<io::Result<Vec<_>>>()?);
    let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
    let handle = runtime.handle().clone();
    std::thread::Builder::new()
        .name("object-store".to_owned())
        .spawn(move || runtime.block_on(std::future::pending::<()>()))?;
    Ok(handle)
}

/// What shows that an object has changed: its tag, or its time if the store gives no tag.
pub(crate) fn stamp(meta: &ObjectMeta) -> Stamp {
    match &meta.e_tag {
        Some(tag) => Stamp::Tag(tag.clone()),
        None => meta
            .last_modified
            .timestamp_nanos_opt()
            .map_or(Stamp::Unknown, |time| Stamp::Modified(time.into())),
    }
}

/// The time of a stamp as the library's own type. The library counts in seconds, so this is the end of the second.
pub(crate) fn unmodified_since(stamp: &Stamp) -> Option<chrono::DateTime<chrono::Utc>> {
    let Stamp::Modified(nanoseconds) = stamp else { return None };
    let seconds = i64::try_from(nanoseconds.div_euclid(1_000_000_000)).ok()?;
    chrono::DateTime::from_timestamp(seconds + 1, 0)
}

/// Creates an empty store in memory that `memory://NAME` leads to from now on, and returns that address. For tests
/// only: no program calls it.
#[cfg(any(test, feature = "memory-store"))]
pub fn memory_store(name: &str) -> String {
    let address = format!("memory://{name}");
    let mut stores = STORES.lock().unwrap_or_else(PoisonError::into_inner);
    stores.entry(address.clone()).or_insert_with(|| Arc::new(object_store::memory::InMemory::new()));
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_back() {
        memory_store("b");
        for (written, key, back) in [
            ("memory://b/a/c", "a/c", "memory://b/a/c"),
            ("memory://b/a/", "a", "memory://b/a"),
            ("memory://b", "", "memory://b/"),
            ("memory://b/x y", "x y", "memory://b/x y"),
        ] {
            let address = Address::new(written).unwrap();
            assert_eq!((address.key.as_str(), address.written().as_str()), (key, back));
        }
        assert_eq!(Address::new("memory://b/a").unwrap().join("c/d").written(), "memory://b/a/c/d");
        assert_eq!(Address::new("memory://b").unwrap().join("c").key, "c");
    }

    #[test]
    fn what_is_no_address_is_said_so() {
        for (written, part) in [
            ("ftp://x/y", "not an address"),
            ("s3:///key", "names no bucket"),
            ("x", "not an address"),
            ("memory://x/y", "not an address"),
        ] {
            let message = Address::new(written).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
        memory_store("b");
        assert!(Address::new("memory://b/a//c").unwrap().path().is_err());
    }
}
