//! The process in which all ranks run: its standard output, its memory, signals, and the watch over ranks that compute for ever.

pub(crate) mod after_crash;
pub(crate) mod forked;
pub(crate) mod kept_memory;
pub(crate) mod out_of_memory;
pub(crate) mod process_world;
pub(crate) mod processor_time;
pub mod signals;
pub mod stdio;
pub(crate) mod turns;
