//! The service as a whole, without a socket, and over one.

mod bulk;
mod collections;
mod documents;
mod hostile;
mod load;
mod maintain;
mod questions;
mod service;
mod sockets;
mod tokens;
