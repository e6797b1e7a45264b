//! What a run leaves: the summary.
//!
//! [`Summary`] is one JSON object with fixed names, printed by `weir run --json` and written as `summary.json` into
//! the results folder. [`LinkUse`] condenses what an engine counted per link. No other crate knows file formats.

mod assumed;
mod band;
mod begun;
mod call_recorder;
mod calls;
mod causes;
mod checkpoint;
mod checkpoint_counts;
mod cycle;
mod cycles;
mod engine_counts;
mod error;
mod explanation;
mod faults;
mod flow_counts;
mod folder;
mod folder_recorder;
mod link_series;
mod link_use;
mod links;
mod mail_counts;
mod packet_counts;
mod places;
mod points;
mod remnant;
mod rows;
mod run_folder;
mod skeleton;
mod summary;
mod table;
mod totals;
mod trace;
mod whole_file;

pub use assumed::Assumed;
pub use band::{Band, OfKey};
pub use begun::Begun;
pub use call_recorder::{CallRecorder, KeptCalls};
pub use calls::CallRow;
pub use causes::{CallSite, WhereTimeWent};
pub use checkpoint::{Checkpoint, NoCheckpoint, fingerprint};
pub use checkpoint_counts::CheckpointCounts;
pub use cycle::waiting_cycle;
pub use cycles::{CycleRow, write_cycles};
pub use engine_counts::EngineCounts;
pub use error::RecordError;
pub use faults::Faults;
pub use flow_counts::{Fairness, FlowCounts, SweepStep, TieSensitivity};
pub use folder::{Folder, FolderError};
pub use folder_recorder::{Buffers, FolderRecorder};
pub use link_use::{BusyLink, BusyRates, LinkPackets, LinkTraffic, LinkUse};
pub use links::{LinkCarried, LinkKind, LinkRow, begin_links, end_links};
pub use mail_counts::MailCounts;
pub use packet_counts::{LatencyFacts, PacketCounts, StuckChannel, SyntheticCounts};
pub use places::{PlaceKind, PlaceRow, write_places};
pub use points::{PointColumn, write_points};
pub use remnant::Remnant;
pub use run_folder::RunFolder;
pub use skeleton::{SkeletonBlock, SkeletonCounts};
pub use summary::{ProgramCounts, SCHEMA_VERSION, Summary};
pub use table::TABLE_VERSION;
pub use totals::{write_causes, write_latencies};
pub use trace::{Arrow, Drawn, DrawnLink};
pub use whole_file::{write_soon, write_whole};
