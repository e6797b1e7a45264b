//! Results of a run: the summary and tables.
//!
//! [`Summary`] is one JSON object with fixed names, printed by `weir run --json` and written as `summary.json` into
//! the results folder. [`LinkUse`] condenses what an engine counted per link. No other crate knows file formats.

mod begun;
mod causes;
mod checkpoint;
mod class_counts;
mod counts;
mod error;
mod explanation;
mod files;
mod job_counts;
mod job_waits;
mod json;
mod link_use;
mod machine;
mod program;
mod recorder;
mod rows;
mod run_folder;
mod summary;
mod table;
mod trace;
mod verdict;

pub use begun::{Assumed, Begun};
pub use causes::{CallSite, WhereTimeWent};
pub use checkpoint::{Checkpoint, NoCheckpoint, fingerprint};
pub use class_counts::ClassCounts;
pub use counts::{
    CheckpointCounts, EngineCounts, Fairness, FlowCounts, GpuUse, LatencyFacts, MailCounts, PacketCounts,
    StuckChannel, SweepStep, SyntheticCounts, TieSensitivity,
};
pub use error::RecordError;
pub use explanation::{outcome_word, waiting_cycle};
pub use files::{CycleRow, write_cycles, write_soon, write_whole};
pub use job_counts::JobCounts;
pub use job_waits::{JobWaited, WaitedAt};
pub use json::SCHEMA_VERSION;
pub use link_use::{BusyLink, BusyRates, LinkCount, LinkTraffic, LinkUse, utilization};
pub use machine::{
    Faults, LinkKind, LinkRow, PlaceKind, PlaceRow, Slow, begin_links, end_links, write_places,
};
pub use program::{ProgramCounts, Remnant};
pub use recorder::{Buffers, CallRecorder, FolderRecorder, KeptCalls};
pub use rows::{CallRow, write_causes, write_latencies};
pub use run_folder::{RunFolder, TABLES};
pub use summary::{Band, OfKey, Summary};
pub use table::{PointColumn, TABLE_VERSION, write_points};
pub use trace::{Arrow, Drawn, DrawnLink};
pub use verdict::{Finding, FindingKind};
