//! Experiment file to checked scenario to simulation.
//!
//! ```text
//!   experiment, machine, preset, --set, command line
//!          |  source: one tree of keys          Problems: all mistakes at once
//!          v                                       ^
//!       sections, engine: read and checked --------'
//!          |  scenario: machine, pattern, engine on the machine are made
//!          v
//!       Scenario --- analysis: bounds, gaps, facts, routes
//!          |  run: programs, engine, what is counted
//!          v
//!       Report, results folder
//! ```
//!
//! [`Scenario::load`] reads a [`Source`] and checks everything in it before anything runs; [`Scenario::run`] makes the programs,
//! runs the engine and sums up. Each table of an experiment has a file in `sections` or `engine`; its keys are rows
//! ([`keys`]). `network_file` reads and writes graphs.

mod analysis;
mod check;
mod engine;
pub mod foreign;
pub mod keys;
mod launch;
mod network_file;
mod run;
mod scenario;
mod sections;
mod source;
#[cfg(test)]
mod tests;

pub use analysis::AnalysisError;
pub use analysis::bound::{Bound, BoundKind, Bounds, ClosedForm};
pub use analysis::crossing::{Crossing, MachineRoute, RankPair, RankRoute, RouteLink};
pub use analysis::gaps::{GapClass, Pacing};
pub use analysis::machine::{ExportError, Extent, MachineDescription, MachineFacts};
pub use analysis::pattern_out::{PatternError, WrittenPattern};
pub use analysis::placing::{Placing, PlacingRequest, RatedPlacement};
pub use analysis::what_if;
pub use engine::packet::{Buffer, PacketSection};
pub use engine::{EngineSection, FlowEngine, IdealEngine, Method};
pub use launch::Distribution;
pub use launch::hosts::Hosts;
pub use network_file::{GraphFormat, write_graph, write_routes};
pub use run::RunError;
pub use run::budget::{Budget, Count, Packets};
pub use run::checkpoints::{build, checkpoint_of};
pub use run::child_process::{Printed, RunDigest, serve};
pub use run::contest;
pub use run::followed::Follower;
pub use run::log::Logged;
pub use run::options::{Resume, RunOptions};
pub use run::simulation::Report;
pub use run::skeleton;
pub use scenario::{Experiment, Scenario};
pub use sections::calibrated::Interval;
pub use sections::collectives::CollectivesSection;
pub use sections::faults::{Fault, FaultyPart};
pub use sections::limits::LimitsSection;
pub use sections::mapping::{FileMapping, Mapping, MappingSection};
pub use sections::node::{ChooseRule, GapOf, NodeSection, PacketGap};
pub use sections::output::OutputSection;
pub use sections::output::stays::StaysSection;
pub use sections::storage::StorageSection;
pub use sections::topology::{GraphSection, GridKind, TopologySection};
pub use sections::upgrades::Upgrade;
pub use sections::work::{WorkRow, Workers};
pub use sections::workload::{
    CollectiveSection, FurtherProgram, PatternFileSection, ProfileSection, ProgramSection, Workload,
    WorkloadSection,
};
pub use source::findings::{Problem, Problems};
pub use source::input::{CommandOnRanks, ExperimentText, ProgramCommand, Source};
pub use source::inputs::{replaces, replaces_in};
pub use source::nearest::is_name;
pub use source::overrides::{option_of, unset};
pub use source::quantity_text::Units;
pub use source::shipped::{Found, SHIPPED, Shipped, ShippedKind};
pub use weir_capi::Verify;
pub use weir_flow::{Compare, KeepCycles};
pub use weir_formats::profile;
pub use weir_network::record::Keep;
pub use weir_packet::{
    Arbiter, ClassRule, Credits, Dateline, DeadlockPolicy, Injection, Nics, SelfTraffic, Synthetic,
    TrafficPattern, VcAllocation,
};
pub use weir_record::Assumed;
pub use weir_topology::{Bisection, Cut, End, Obtained, RouteLengths, Topology};

fn name_of<T: Copy + PartialEq>(names: &[(&'static str, T)], choice: T) -> &'static str {
    names.iter().find(|(_, other)| *other == choice).expect("every choice has a name").0
}
