//! From files, options and the command line to one tree of keys, in which each value knows where it was written; what is
//! wrong with it is collected, and reported all at once.

pub(crate) mod findings;
pub(crate) mod input;
pub(crate) mod inputs;
pub(crate) mod nearest;
pub(crate) mod overrides;
mod part;
pub(crate) mod quantity_text;
pub(crate) mod read_text;
pub(crate) mod reader;
pub(crate) mod resolved;
pub(crate) mod shipped;
pub(crate) mod tree;
