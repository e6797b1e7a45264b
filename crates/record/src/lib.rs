//! What a run leaves: the summary.
//!
//! [`Summary`] is one JSON object with fixed names, printed by `weir run --json` and written as `summary.json` into
//! the results folder. [`LinkUse`] condenses what an engine counted per link. No other crate knows file formats.

mod cycle;
mod cycles;
mod error;
mod explanation;
mod flow_counts;
mod link_use;
mod packet_counts;
mod remnant;
mod summary;
mod whole_file;

pub use cycle::waiting_cycle;
pub use cycles::{CycleRow, write_cycles};
pub use error::RecordError;
pub use flow_counts::{Fairness, FlowCounts, Step, TieSensitivity};
pub use link_use::{BusyLink, BusyRates, LinkPackets, LinkTraffic, LinkUse};
pub use packet_counts::{LatencyFacts, PacketCounts, StuckChannel, SyntheticCounts};
pub use remnant::Remnant;
pub use summary::{ProgramCounts, SCHEMA_VERSION, Summary};
pub use whole_file::write_whole;
