//! `[workload]` with every default filled in.

use super::keys;
use super::kinds::Kind;
use super::{
    AllToAllAlgorithm, CollectiveSection, FurtherProgram, PatternKind, PatternSection, ProgramSection,
    Workload, WorkloadSection,
};
use crate::Units;
use crate::keys::form::{One, OneOrMany};
use crate::keys::resolved::Resolved;
use serde_json::{Value, json};
use weir_capi::Compute;
use weir_message::Moved;
use weir_units::Duration;
use weir_workload::{Algorithm, Barrier, BroadcastAlgorithm, Closed, PermutationRule, Steps};

impl WorkloadSection {
    pub(crate) fn resolved(&self, units: Units) -> Value {
        let kind = match &self.kind {
            Workload::Pattern(pattern) => kind_of(&pattern.kind),
            Workload::File(_) => Kind::PatternFile,
            Workload::Profile(_) => Kind::Profile,
            Workload::Collective(_) => Kind::Collective,
            Workload::Program(_) => Kind::Program,
            Workload::Synthetic(_) => Kind::Synthetic,
        };
        let mut section = Resolved::new(units);
        section.put(&keys::KIND, kind);
        section.put(&keys::RANKS, self.ranks as u64);
        match &self.kind {
            Workload::Pattern(pattern) => put_pattern(pattern, kind, &mut section),
            Workload::File(file) => section.put(&keys::PATTERN_FILE, file.path.clone()),
            Workload::Profile(profile) => {
                section.put(&keys::PROFILE, profile.path.clone());
                section.put(&keys::SOURCES, profile.sources);
            }
            Workload::Collective(collective) => put_collective(collective, &mut section),
            Workload::Program(program) => put_program(program, &mut section),
            Workload::Synthetic(synthetic) => synthetic.put(&mut section),
        }
        section.into_value()
    }
}

fn kind_of(kind: &PatternKind) -> Kind {
    match kind {
        PatternKind::AllToAll { .. } => Kind::AllToAll,
        PatternKind::Ring => Kind::Ring,
        PatternKind::RandomRing { .. } => Kind::RandomRing,
        PatternKind::Broadcast { .. } => Kind::Broadcast,
        PatternKind::Gather { .. } => Kind::Gather,
        PatternKind::Scatter { .. } => Kind::Scatter,
        PatternKind::Halo { .. } => Kind::Halo,
        PatternKind::Permutation { .. } => Kind::Permutation,
        PatternKind::Incast { .. } => Kind::Incast,
        PatternKind::HotSpot { .. } => Kind::HotSpot,
        PatternKind::Nicam { .. } => Kind::Nicam,
    }
}

fn put_pattern(pattern: &PatternSection, kind: Kind, section: &mut Resolved) {
    put_kind(&pattern.kind, section);
    section.put(&keys::MESSAGE_SIZE, pattern.message_size);
    section.put(&keys::MESSAGES, pattern.messages);
    let bruck = pattern.kind == PatternKind::AllToAll { algorithm: AllToAllAlgorithm::Bruck };
    if super::keys::is_stepped(kind) && !bruck {
        section.put(&keys::SYNCHRONISED, pattern.steps == Steps::Synchronised);
    }
    if pattern.size_spread > 0.0 {
        section.put(&keys::SIZE_SPREAD, pattern.size_spread);
    }
    let delayed = pattern.start.imbalance > Duration::ZERO;
    if delayed {
        section.put(&keys::START_IMBALANCE, pattern.start.imbalance);
    }
    if pattern.start.barrier == Barrier::Dissemination {
        section.put(&keys::START_BARRIER, true);
    }
    if pattern.size_spread > 0.0 || delayed || pattern.kind.is_random() {
        section.put(&keys::SEED, pattern.seed);
    }
}

/// The keys that only this kind has.
fn put_kind(kind: &PatternKind, section: &mut Resolved) {
    match kind {
        PatternKind::AllToAll { algorithm } => {
            let (name, grid) = match algorithm {
                AllToAllAlgorithm::Direct(Algorithm::SimpleSpread) => ("simple-spread", None),
                AllToAllAlgorithm::Direct(Algorithm::SimpleSpread2d { grid }) => {
                    ("simple-spread-2d", Some(grid))
                }
                AllToAllAlgorithm::Direct(Algorithm::Pairwise) => ("pairwise", None),
                AllToAllAlgorithm::Bruck => ("bruck", None),
            };
            section.put_written(&keys::EXCHANGE, json!(name));
            if let Some(grid) = grid {
                section.put_written(&keys::GRID, json!(grid));
            }
        }
        PatternKind::Ring => {}
        PatternKind::RandomRing { generator } => {
            section.put(&keys::GENERATOR, *generator);
        }
        PatternKind::Broadcast { algorithm, root } => {
            let name = match algorithm {
                BroadcastAlgorithm::Flat => "flat",
                BroadcastAlgorithm::Binomial => "binomial",
                BroadcastAlgorithm::RingPipeline { .. } => "ring-pipeline",
            };
            section.put_written(&keys::CAST, json!(name));
            if let BroadcastAlgorithm::RingPipeline { segments } = algorithm {
                section.put(&keys::SEGMENTS, *segments);
            }
            section.put(&keys::ROOT, root.0);
        }
        PatternKind::Gather { algorithm, root } | PatternKind::Scatter { algorithm, root } => {
            section.put(&keys::TREE, *algorithm);
            section.put(&keys::ROOT, root.0);
        }
        PatternKind::Halo { grid } => {
            section.put_written(&keys::GRID, grid.iter().map(|side| side.size).collect());
            let periodic = grid.iter().map(|side| side.closed == Closed::Periodic);
            section.put(&keys::PERIODIC, OneOrMany::Many(periodic.collect()));
        }
        PatternKind::Permutation { rule } => {
            let name = match rule {
                PermutationRule::BitReverse => "bit-reverse",
                PermutationRule::Transpose => "transpose",
                PermutationRule::Shift { .. } => "shift",
                PermutationRule::Random { .. } => "random",
            };
            section.put_written(&keys::PERMUTATION, json!(name));
            match rule {
                PermutationRule::Shift { distance } => {
                    section.put(&keys::DISTANCE, *distance);
                }
                PermutationRule::Random { generator, .. } => {
                    section.put(&keys::GENERATOR, *generator);
                }
                PermutationRule::BitReverse | PermutationRule::Transpose => {}
            }
        }
        PatternKind::Incast { root } => {
            section.put(&keys::ROOT, root.0);
        }
        PatternKind::HotSpot { root, fraction } => {
            section.put(&keys::ROOT, root.0);
            section.put(&keys::FRACTION, *fraction);
        }
        PatternKind::Nicam { grid } => {
            section.put(&keys::RLEVEL, grid.rlevel());
            section.put(&keys::PROCESSES_PER_NODE, grid.regions_per_node());
        }
    }
}

fn put_collective(collective: &CollectiveSection, section: &mut Resolved) {
    section.put_written(&keys::OPERATION, json!(collective.operation));
    if let Some(algorithm) = &collective.algorithm {
        section.put(&keys::COLLECTIVE_ALGORITHM, algorithm.clone());
    }
    section.put(&keys::VECTOR, collective.message_size);
    if let Some(root) = collective.root {
        section.put(&keys::COLLECTIVE_ROOT, root.0);
    }
    if let Some((operation, element)) = collective.reduction {
        section.put(&keys::REDUCTION, operation);
        section.put_written(&keys::DATATYPE, json!(element.name()));
    }
    section.put(&keys::REPETITIONS, collective.repetitions as u64);
}

fn put_program(program: &ProgramSection, section: &mut Resolved) {
    section.put(&keys::EXECUTABLE, program.path.clone());
    section.put(&keys::ARGS, program.args.clone());
    if !program.further.is_empty() {
        let table = |FurtherProgram { path, args, ranks }: &FurtherProgram| json!({ "program": path.display().to_string(), "args": args, "ranks": ranks });
        section.put_written(&keys::FURTHER, program.further.iter().map(table).collect());
    }
    section.put(&keys::STACK_SIZE, program.stack_size);
    section.put(&keys::DATA_MOVED, program.moved == Moved::Data);
    let compute = match program.compute {
        Compute::Measured(factor) if factor != 1.0 => One::Of(factor),
        named => One::Or(named),
    };
    section.put(&keys::COMPUTE, compute);
}
