//! `[workload]` with every default filled in.

use super::keys::{KINDS, Kind};
use super::pattern::TREES;
use super::profile::SOURCE_RULES;
use super::{AllToAllAlgorithm, PatternKind, PatternSection, ProgramSection, Workload, WorkloadSection};
use crate::sections::mapping::GENERATORS;
use crate::source::exact;
use crate::{Units, name_of};
use serde_json::{Map, Value, json};
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
            Workload::Program(_) => Kind::Program,
            Workload::Synthetic(_) => Kind::Synthetic,
        };
        let mut object = Map::new();
        object.insert("kind".to_owned(), json!(name_of(&KINDS, kind)));
        object.insert("ranks".to_owned(), json!(self.ranks));
        match &self.kind {
            Workload::Pattern(pattern) => put_pattern(pattern, kind, units, &mut object),
            Workload::File(file) => {
                object.insert("file".to_owned(), json!(file.path.display().to_string()));
            }
            Workload::Profile(profile) => {
                object.insert("file".to_owned(), json!(profile.path.display().to_string()));
                object.insert("sources".to_owned(), json!(name_of(&SOURCE_RULES, profile.sources)));
            }
            Workload::Program(program) => put_program(program, &mut object),
            Workload::Synthetic(synthetic) => synthetic.put(units, &mut object),
        }
        Value::Object(object)
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

fn put_pattern(pattern: &PatternSection, kind: Kind, units: Units, object: &mut Map<String, Value>) {
    put_kind(&pattern.kind, object);
    let mut put = |key: &str, value| object.insert(key.to_owned(), value);
    put("message_size", units.bytes(pattern.message_size));
    put("messages", json!(pattern.messages));
    let bruck = pattern.kind == PatternKind::AllToAll { algorithm: AllToAllAlgorithm::Bruck };
    if super::keys::is_stepped(kind) && !bruck {
        put("synchronised", json!(pattern.steps == Steps::Synchronised));
    }
    if pattern.size_spread > 0.0 {
        put("size_spread", json!(pattern.size_spread));
    }
    let delayed = pattern.start.imbalance > Duration::ZERO;
    if delayed {
        put("start_imbalance", units.duration(pattern.start.imbalance));
    }
    if pattern.start.barrier == Barrier::Dissemination {
        put("start_barrier", json!(true));
    }
    if pattern.size_spread > 0.0 || delayed || pattern.kind.is_random() {
        put("seed", json!(pattern.seed));
    }
}

/// The keys that only this kind has.
fn put_kind(kind: &PatternKind, object: &mut Map<String, Value>) {
    let mut put = |key: &str, value| object.insert(key.to_owned(), value);
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
            put("algorithm", json!(name));
            if let Some(grid) = grid {
                put("grid", json!(grid));
            }
        }
        PatternKind::Ring => {}
        PatternKind::RandomRing { generator } => {
            put("generator", json!(name_of(&GENERATORS, *generator)));
        }
        PatternKind::Broadcast { algorithm, root } => {
            let name = match algorithm {
                BroadcastAlgorithm::Flat => "flat",
                BroadcastAlgorithm::Binomial => "binomial",
                BroadcastAlgorithm::RingPipeline { .. } => "ring-pipeline",
            };
            put("algorithm", json!(name));
            if let BroadcastAlgorithm::RingPipeline { segments } = algorithm {
                put("segments", json!(segments));
            }
            put("root", json!(root.0));
        }
        PatternKind::Gather { algorithm, root } | PatternKind::Scatter { algorithm, root } => {
            put("algorithm", json!(name_of(&TREES, *algorithm)));
            put("root", json!(root.0));
        }
        PatternKind::Halo { grid } => {
            put("grid", json!(grid.iter().map(|side| side.size).collect::<Vec<_>>()));
            let periodic = grid.iter().map(|side| side.closed == Closed::Periodic);
            put("periodic", json!(periodic.collect::<Vec<_>>()));
        }
        PatternKind::Permutation { rule } => {
            let name = match rule {
                PermutationRule::BitReverse => "bit-reverse",
                PermutationRule::Transpose => "transpose",
                PermutationRule::Shift { .. } => "shift",
                PermutationRule::Random { .. } => "random",
            };
            put("permutation", json!(name));
            match rule {
                PermutationRule::Shift { distance } => {
                    put("distance", json!(distance));
                }
                PermutationRule::Random { generator, .. } => {
                    put("generator", json!(name_of(&GENERATORS, *generator)));
                }
                PermutationRule::BitReverse | PermutationRule::Transpose => {}
            }
        }
        PatternKind::Incast { root } => {
            put("root", json!(root.0));
        }
        PatternKind::HotSpot { root, fraction } => {
            put("root", json!(root.0));
            put("fraction", json!(fraction));
        }
        PatternKind::Nicam { grid } => {
            put("rlevel", json!(grid.rlevel()));
            put("processes_per_node", json!(grid.regions_per_node()));
        }
    }
}

fn put_program(program: &ProgramSection, object: &mut Map<String, Value>) {
    let mut put = |key: &str, value| object.insert(key.to_owned(), value);
    put("program", json!(program.path.display().to_string()));
    put("args", json!(program.args));
    put("stack_size", json!(exact::bytes_text(program.stack_size)));
    put("data", json!(program.moved == Moved::Data));
    put(
        "compute",
        match program.compute {
            Compute::None => json!("none"),
            Compute::Measured(1.0) => json!("measured"),
            Compute::Measured(factor) => exact::number(factor),
        },
    );
}
