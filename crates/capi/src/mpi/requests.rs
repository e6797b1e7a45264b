//! Requests: waiting for them, keeping them, and what is done when they are complete.

pub(crate) mod completion;
pub(crate) mod delivery;
pub(crate) mod persistent;
