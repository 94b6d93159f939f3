//! A client's settings -> whether they contain credentials, or ask for the credentials of the machine.
//!
//! A client without credentials requests some from the instance-metadata address of the machine. Outside a cloud
//! nothing answers at that address, and the request takes long to fail. Inside a cloud, a program that uses the
//! rights of the machine without being told to is a surprise. So the request is only made if the environment asks for
//! it: with [`ASKED`], or with the variables that a cloud sets for the programs that it starts.

use crate::{Error, Result};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey as S3};
use object_store::azure::{AzureConfigKey as Azure, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey as Google};
use std::ffi::OsStr;
use std::path::Path;

/// The environment variable that asks for the credentials of the machine.
const ASKED: &str = "LOOKALIKE_INSTANCE_CREDENTIALS";

/// True if the user asks for the credentials of the machine.
pub(super) fn instance_is_asked_for() -> bool {
    std::env::var_os(ASKED).is_some_and(|value| !matches!(value.to_str(), Some("" | "0" | "false" | "no")))
}

/// An error that says what to do if there are no credentials.
pub(super) fn require(there: bool, written: &str, how: &str, public: &str) -> Result<()> {
    if there || instance_is_asked_for() {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "there are no credentials for {written}; set {how}, or {public}=true for public data, or {ASKED}=1 \
         to use the credentials of this cloud machine"
    )))
}

/// The variables that S3 needs.
pub(super) const S3_VARIABLES: &str = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (the files in ~/.aws are not read: \
     eval \"$(aws configure export-credentials --format env)\" brings them into the environment)";

/// The variables that Google Cloud Storage needs.
pub(super) const GOOGLE_VARIABLES: &str = "GOOGLE_SERVICE_ACCOUNT or GOOGLE_APPLICATION_CREDENTIALS to a file, or run gcloud auth application-default login";

/// The variables that Azure needs.
pub(super) const AZURE_VARIABLES: &str = "AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_KEY, AZURE_CLIENT_ID with \
     AZURE_CLIENT_SECRET and AZURE_TENANT_ID, or AZURE_USE_AZURE_CLI=true";

fn is_true(value: Option<String>) -> bool {
    value
        .is_some_and(|value| matches!(value.to_ascii_lowercase().as_str(), "1" | "true" | "on" | "yes" | "y"))
}

/// True if this client has credentials, needs none, or was told where to get them.
pub(super) fn s3(builder: &AmazonS3Builder) -> bool {
    let is_set = |key: S3| builder.get_config_value(&key).is_some();
    is_true(builder.get_config_value(&S3::SkipSignature))
        || is_set(S3::AccessKeyId)
        || is_set(S3::SecretAccessKey)
        || (is_set(S3::WebIdentityTokenFile) && is_set(S3::RoleArn))
        || is_set(S3::ContainerCredentialsRelativeUri)
        || (is_set(S3::ContainerCredentialsFullUri) && is_set(S3::ContainerAuthorizationTokenFile))
        || is_set(S3::MetadataEndpoint)
}

/// The same for Google Cloud Storage; `home` is the folder with the credentials of the user.
pub(super) fn google(builder: &GoogleCloudStorageBuilder, home: Option<&OsStr>) -> bool {
    let is_set = |key: Google| builder.get_config_value(&key).is_some();
    let of_user = if cfg!(windows) { "gcloud" } else { ".config/gcloud" };
    let of_user = home.map(|home| Path::new(home).join(of_user).join("application_default_credentials.json"));
    is_true(builder.get_config_value(&Google::SkipSignature))
        || is_set(Google::ServiceAccount)
        || is_set(Google::ServiceAccountKey)
        || is_set(Google::ApplicationCredentials)
        || is_set(Google::BearerToken)
        || of_user.is_some_and(|path| path.exists())
}

/// The folder with the credentials of the user.
pub(super) fn home() -> Option<std::ffi::OsString> {
    std::env::var_os(if cfg!(windows) { "APPDATA" } else { "HOME" })
}

/// The same for Azure.
pub(super) fn azure(builder: &MicrosoftAzureBuilder) -> bool {
    let value = |key: Azure| builder.get_config_value(&key);
    let is_set = |key: Azure| value(key).is_some();
    let has_secret = is_set(Azure::ClientSecret) || is_set(Azure::FederatedTokenFile);
    is_true(value(Azure::SkipSignature))
        || is_true(value(Azure::UseEmulator))
        || is_true(value(Azure::UseAzureCli))
        || is_set(Azure::AccessKey)
        || is_set(Azure::SasKey)
        || is_set(Azure::Token)
        || (is_set(Azure::ClientId) && is_set(Azure::AuthorityId) && has_secret)
        || is_set(Azure::MsiEndpoint)
        || is_set(Azure::FabricTokenServiceUrl)
        || is_set(Azure::CredentialType)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_seen_in_the_settings() {
        let with = |keys: &[(S3, &str)]| {
            s3(&keys
                .iter()
                .fold(AmazonS3Builder::new(), |builder, (key, value)| builder.with_config(*key, *value)))
        };
        assert!(!with(&[]));
        assert!(!with(&[(S3::Region, "here"), (S3::SkipSignature, "false"), (S3::RoleArn, "role")]));
        assert!(!with(&[(S3::WebIdentityTokenFile, "file")]), "the client would ask the machine");
        assert!(with(&[(S3::WebIdentityTokenFile, "file"), (S3::RoleArn, "role")]));
        assert!(with(&[(S3::ContainerCredentialsRelativeUri, "/x")]));
        assert!(with(&[(S3::AccessKeyId, "id")]), "the client says what is missing");
        assert!(with(&[(S3::SkipSignature, "true")]));

        let with = |keys: &[(Google, &str)], home: Option<&OsStr>| {
            let add = |builder: GoogleCloudStorageBuilder, (key, value): &(Google, &str)| {
                builder.with_config(*key, *value)
            };
            google(&keys.iter().fold(GoogleCloudStorageBuilder::new(), add), home)
        };
        let folder = tempfile::tempdir().unwrap();
        let home = Some(folder.path().as_os_str());
        assert!(!with(&[], None) && !with(&[], home));
        assert!(with(&[(Google::ServiceAccount, "file")], None));
        assert!(with(&[(Google::SkipSignature, "true")], None));
        if cfg!(not(windows)) {
            let gcloud = folder.path().join(".config/gcloud");
            std::fs::create_dir_all(&gcloud).unwrap();
            std::fs::write(gcloud.join("application_default_credentials.json"), "{}").unwrap();
            assert!(with(&[], home));
        }

        let with = |keys: &[(Azure, &str)]| {
            let add = |builder: MicrosoftAzureBuilder, (key, value): &(Azure, &str)| {
                builder.with_config(*key, *value)
            };
            azure(&keys.iter().fold(MicrosoftAzureBuilder::new(), add))
        };
        assert!(!with(&[]) && !with(&[(Azure::AccountName, "a"), (Azure::ClientId, "id")]));
        assert!(with(&[(Azure::AccessKey, "key")]) && with(&[(Azure::UseAzureCli, "true")]));
        assert!(with(&[(Azure::ClientId, "a"), (Azure::ClientSecret, "b"), (Azure::AuthorityId, "c")]));
    }
}
