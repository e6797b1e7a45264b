//! The place of a world among those of the threads of this process.

use std::any::Any;
use std::sync::Arc;

/// Where ranks are on several threads, of which each has a world.
pub(crate) struct OfThread {
    /// Its number among them.
    pub(crate) lane: usize,
    /// True if several processes have the ranks.
    pub(crate) is_divided: bool,
    /// An object that the worlds of all threads have.
    pub(crate) together: Arc<dyn Any + Send + Sync>,
}
