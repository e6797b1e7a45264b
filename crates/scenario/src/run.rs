//! A checked scenario runs: on its engine, in a process of its own, logged or watched; and leaves a report and a results folder.

mod band;
pub(crate) mod budget;
pub(crate) mod calls;
pub(crate) mod checkpoints;
pub(crate) mod child_process;
pub mod contest;
pub(crate) mod context;
pub(crate) mod engine_result;
pub(crate) mod error;
pub(crate) mod log;
pub(crate) mod memory;
pub(crate) mod mpi;
pub(crate) mod multi_process;
pub(crate) mod options;
pub(crate) mod preparation;
pub(crate) mod results;
pub(crate) mod simulation;
pub mod skeleton;
