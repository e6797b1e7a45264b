//! Experiment file to checked scenario.
//!
//! ```text
//!   experiment, machine, preset, --set, command line
//!          |  source: one tree of keys          Problems: all mistakes at once
//!          v                                       ^
//!       sections, engine: read and checked --------'
//!          |  scenario: machine, pattern, routers are made
//!          v
//!       Scenario, or the machine alone: MachineDescription
//! ```
//!
//! [`Scenario::load`] reads a [`Source`] and checks everything in it before anything runs. Each table of an experiment has a file in
//! `sections` or `engine`; its keys are rows ([`keys`]). `network_file` reads and writes graphs, and reads those of `weir_foreign`. Nothing here runs.

mod assumed;
mod check;
mod engine;
pub mod foreign;
pub mod keys;
mod launch;
mod machine;
pub mod memory;
mod network_file;
mod pacing;
mod preparation;
mod scenario;
mod sections;
mod source;
#[cfg(test)]
mod tests;

pub use engine::packet::{Buffer, PacketSection};
pub use engine::{EngineSection, FlowEngine, IdealEngine, Method, Prepared, PreparedPacket, cores};
pub use foreign::is_work;
pub use launch::Distribution;
pub use launch::hosts::Hosts;
pub use machine::{ExportError, MachineDescription};
pub use network_file::{GraphFormat, read_foreign, write_graph, write_routes};
pub use pacing::{AnalysisError, GapClass, Pacing};
pub use preparation::PreparationProgress;
pub use scenario::{Experiment, Scenario};
pub use sections::calibrated::Interval;
pub use sections::class_rows::ClassRow;
pub use sections::collectives::CollectivesSection;
pub use sections::faults::{Fault, FaultyPart, Machines};
pub use sections::job_list::JobListSection;
pub use sections::jobs::{Job, JobState, JobsSection, Placing, Repeat, jobs_of};
pub use sections::limits::LimitsSection;
pub use sections::mapping::{FileMapping, Mapping, MappingSection};
pub use sections::node::{ChooseRule, GapOf, NodeSection, PacketGap};
pub use sections::output::OutputSection;
pub use sections::output::stays::StaysSection;
pub use sections::storage::StorageSection;
pub use sections::topology::{
    GraphSection, GridKind, Network, NetworkSection, RailsSection, SwitchedSection, TopologySection,
};
pub use sections::upgrades::Upgrade;
pub use sections::work::{WorkRow, Workers};
pub use sections::workload::{
    CollectiveSection, FurtherProgram, PatternFileSection, ProfileSection, ProgramSection, WorkGraphSection,
    Workload, WorkloadSection, keys_of_pattern, keys_of_some_patterns,
};
pub use source::findings::{Problem, Problems};
pub use source::input::{CommandOnRanks, ExperimentText, ProgramCommand, SiNumbers, Source};
pub use source::inputs::{replaces, replaces_in};
pub use source::nearest::is_name;
pub use source::overrides::{option_of, unset};
pub use source::quantity_text::Units;
pub use source::shipped::{Found, SHIPPED, Shipped, ShippedKind};
