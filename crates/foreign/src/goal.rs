//! Schedules in GOAL, as text and as LogGOPSim compiles them: operations of ranks, each with those that must have ended (`requires`) or begun (`irequires`) before it.

mod binary;
pub(crate) mod section;
mod text;
mod write;

pub(crate) use binary::read as read_binary;
pub(crate) use text::read;
pub(crate) use write::write;

/// The mistake of operations that are no tasks.
const OF_INTERFACES: &str = "put, tput, append and test, which LogGOPSim2 has for network interfaces, cannot be tasks; left out, they are computations of no time";
