//! Experiment file to checked scenario to simulation.
//!
//! ```text
//!   experiment, machine, preset, --set, command line --> tree --> Scenario --> run --> Report
//!                                                         \-> Problems: all mistakes at once
//! ```
//!
//! [`Scenario::load`] reads a [`Source`] and checks everything in it before anything runs; [`Scenario::run`] builds
//! the machine and the programs, runs the engine and sums up. Each section of the file has a file here; the keys,
//! their defaults and what they are checked for are in its `read`.

mod apart;
mod bound;
mod building;
mod calls;
mod closed_form;
mod collectives;
mod condensed;
mod crossing;
mod engine;
mod exact;
mod export;
mod facts;
mod graph_file;
mod input;
mod inputs;
mod json_keys;
pub mod keys;
mod limits;
mod log;
mod machine;
#[cfg(test)]
mod made;
mod mapping;
mod memory;
mod mpi;
mod nearest;
mod node;
mod output;
mod overrides;
mod pacing;
mod pattern_out;
mod peak_memory;
mod problems;
mod profile_pattern;
mod read_text;
mod reader;
mod results;
mod route;
mod scenario;
mod simulation;
pub mod skeleton;
mod storage;
mod topology;
mod traffic;
mod tree;
mod units_form;
mod workload;

pub use apart::{OwnProcess, Printed, serve};
pub use bound::{Bound, BoundError, BoundKind, Bounds};
pub use closed_form::ClosedForm;
pub use collectives::CollectivesSection;
pub use condensed::Condensed;
pub use crossing::{Crossing, CrossingError, RankPair};
pub use engine::packet::{Buffer, PacketSection};
pub use engine::{EngineSection, FlowEngine, IdealEngine, Method, PacketEngine};
pub use export::ExportError;
pub use facts::{Extent, MachineFacts};
pub use graph_file::{GraphFormat, write_graph, write_routes};
pub use input::{ExperimentText, ProgramCommand, Source};
pub use inputs::{replaces, replaces_in};
pub use limits::LimitsSection;
pub use log::Logged;
pub use machine::Machine;
pub use mapping::{Mapping, MappingSection};
pub use node::{NodeSection, PacketGap};
pub use output::{OutputSection, StaysSection};
pub use pacing::{GapClass, Pacing, PacingError};
pub use pattern_out::{PatternError, WrittenPattern};
pub use problems::{Problem, Problems};
pub use route::{MachineRoute, RouteLink};
pub use scenario::{Experiment, Scenario};
pub use simulation::{Report, RunError, RunOptions};
pub use storage::StorageSection;
pub use topology::{GraphSection, TopologySection};
pub use units_form::Units;
pub use weir_capi::Verify;
pub use weir_flow::{Compare, KeepCycles};
pub use weir_network::record::Keep;
pub use weir_packet::{
    Arbiter, ClassRule, Credits, Dateline, DeadlockPolicy, Injection, Nics, SelfTraffic, TrafficPattern,
    VcAllocation,
};
pub use weir_topology::{Bisection, Cut, Obtained, RouteLengths};
pub use weir_trace::profile;
pub use workload::{
    AllToAllAlgorithm, PatternFileSection, PatternKind, PatternSection, ProfileSection, ProgramSection,
    SyntheticSection, Workload, WorkloadSection,
};

/// The name of a choice in a table of names.
fn name_of<T: Copy + PartialEq>(names: &[(&'static str, T)], choice: T) -> &'static str {
    names.iter().find(|(_, other)| *other == choice).expect("every choice has a name").0
}
