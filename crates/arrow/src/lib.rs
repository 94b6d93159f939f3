//! The stages as functions from Arrow record batches to Arrow record batches.
