//! The sketched corpus, with what is needed to read its documents again. Every stage after sketching works with it.

use crate::Observer;
use crate::limits::memory::Ledger;
use crate::method::Means;
use crate::sketch::Sources;
use crate::sketch::order::KeepOrder;
use crate::store::Store;

/// The corpus as the later stages see it.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) store: &'a Store,
    pub(crate) sources: Sources<'a>,
    pub(crate) means: &'a Means,
    pub(crate) order: &'a KeepOrder,
    pub(crate) budget: &'a Ledger,
    pub(crate) threads: usize,
    pub(crate) observer: &'a dyn Observer,
}
