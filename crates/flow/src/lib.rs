//! The flow-level engine: who shares which link.
