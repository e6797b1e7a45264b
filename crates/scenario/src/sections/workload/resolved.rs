//! `[workload]` with every default filled in.

use super::keys;
use super::kinds::Kind;
use super::{
    AllToAllAlgorithm, CollectiveSection, FurtherProgram, PatternKind, PatternSection, ProgramSection,
    Workload, WorkloadSection,
};
use crate::keys::form::OneOrMany;
use crate::keys::resolved::Resolved;
use serde_json::json;
use weir_units::Duration;
use weir_workload::{Algorithm, Barrier, BroadcastAlgorithm, Closed, PermutationRule, Steps};

impl WorkloadSection {
    pub(crate) fn put(&self, section: &mut Resolved) {
        let kind = match &self.kind {
            Workload::Pattern(pattern) => kind_of(&pattern.kind),
            Workload::File(_) => Kind::PatternFile,
            Workload::Profile(_) => Kind::Profile,
            Workload::Collective(_) => Kind::Collective,
            Workload::Program(_) => Kind::Program,
            Workload::Synthetic(_) => Kind::Synthetic,
        };
        section.put(&keys::KIND, kind);
        section.put(&keys::RANKS, self.ranks as u64);
        match &self.kind {
            Workload::Pattern(pattern) => put_pattern(pattern, kind, section),
            Workload::File(file) => section.put(&keys::PATTERN_FILE, &file.path),
            Workload::Profile(profile) => {
                section.put(&keys::PROFILE, &profile.path);
                section.put(&keys::SOURCES, profile.sources);
            }
            Workload::Collective(collective) => put_collective(collective, section),
            Workload::Program(program) => put_program(program, section),
            Workload::Synthetic(synthetic) => synthetic.put(section),
        }
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
        section.put(&keys::START_BARRIER, pattern.start.barrier);
    }
    if pattern.size_spread > 0.0 || delayed || pattern.kind.is_random() {
        section.put(&keys::SEED, pattern.seed);
    }
}

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
                section.put(&keys::GRID, grid.to_vec());
            }
        }
        PatternKind::Ring => {}
        PatternKind::RandomRing { generator } => {
            section.put(&keys::GENERATOR, *generator);
        }
        PatternKind::Broadcast { algorithm, root } => {
            section.put(&keys::CAST, algorithm);
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
            section.put(&keys::GRID, grid.iter().map(|side| side.size).collect::<Vec<u32>>());
            let periodic = grid.iter().map(|side| side.closed == Closed::Periodic);
            section.put(&keys::PERIODIC, OneOrMany::Many(periodic.collect()));
        }
        PatternKind::Permutation { rule } => {
            section.put(&keys::PERMUTATION, rule);
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
            section.put(&keys::PROCESSES_PER_NODE, u64::from(grid.regions_per_node()));
        }
    }
}

fn put_collective(collective: &CollectiveSection, section: &mut Resolved) {
    section.put_written(&keys::OPERATION, json!(collective.operation));
    section.put_some(&keys::COLLECTIVE_ALGORITHM, collective.algorithm.as_ref());
    section.put(&keys::VECTOR, collective.message_size);
    section.put_some(&keys::COLLECTIVE_ROOT, collective.root.map(|root| root.0));
    if let Some((operation, element)) = collective.reduction {
        section.put(&keys::REDUCTION, operation);
        section.put(&keys::DATATYPE, element);
    }
    section.put(&keys::REPETITIONS, collective.repetitions);
}

fn put_program(program: &ProgramSection, section: &mut Resolved) {
    section.put(&keys::EXECUTABLE, &program.path);
    section.put(&keys::ARGS, &program.args);
    if !program.further.is_empty() {
        let table = |FurtherProgram { path, args, ranks }: &FurtherProgram| json!({ "program": path.display().to_string(), "args": args, "ranks": ranks });
        section.put_written(&keys::FURTHER, program.further.iter().map(table).collect());
    }
    section.put(&keys::STACK_SIZE, program.stack_size);
    section.put(&keys::DATA_MOVED, program.moved);
    section.put(&keys::COMPUTE, program.compute);
}
