mod bands;
mod bytes;
mod cardinality;
mod ensemble;
mod forest;

use crate::Error;

fn rejected(result: crate::Result<impl std::fmt::Debug>) -> String {
    let error = result.unwrap_err();
    assert!(
        matches!(
            error,
            Error::OutOfRange { .. } | Error::DuplicateId { .. } | Error::UnreachableRecall { .. }
        ),
        "{error:?}"
    );
    error.to_string()
}

fn incompatible(result: crate::Result<impl std::fmt::Debug>) {
    let error = result.unwrap_err();
    assert!(matches!(error, Error::Incompatible { .. }), "{error:?}");
}
