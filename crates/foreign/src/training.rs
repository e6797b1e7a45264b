//! Training steps in text: the workloads of ASTRA-sim 1.0, and those that AICB writes for SimAI. A line for each layer: what computing forward, the gradient of its input and that of its
//! weights take, and the collective behind each.
//!
//! Grammar and order: `Workload.cc` of ASTRA-sim 1.0. The first word of a file says what is parallel, which says who takes part in a collective and when a rank waits for it.
//!
//! # Model
//! One step, forward and backward. Times are nanoseconds (cycles of 1 GHz). A rank computes on stream 1, one thing after the other; collectives go on beside it, those of one group begin in
//! their order. The time to update weights belongs to the step after this one.

mod groups;
mod layers;
mod order;

use crate::chakra::collective;
use crate::reading::Reading;
use crate::work::{self, Work};
use groups::{Communicators, Groups};
use order::{Item, Kind};
use std::path::Path;
use weir_formats::graph::GraphFile;
use weir_operations::{Operation, Requires, Task, WORLD};
use weir_units::Duration;

/// The way in which work is divided, by the first word of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    Micro,
    Data,
    Model,
    DataModel,
    ModelData,
    Customized,
    Dlrm,
    Inference,
    Transformer,
    /// Activations between checkpoints are computed again on the way back.
    TransformerAgain,
}

const POLICIES: [(&str, Policy); 11] = [
    ("MICRO", Policy::Micro),
    ("DATA", Policy::Data),
    ("MODEL", Policy::Model),
    ("HYBRID_DATA_MODEL", Policy::DataModel),
    ("HYBRID_MODEL_DATA", Policy::ModelData),
    ("HYBRID_CUSTOMIZED", Policy::Customized),
    ("HYBRID_DLRM", Policy::Dlrm),
    ("HYBRID_DLRM_ENHANCED", Policy::Dlrm),
    ("DISTRIBUTED_INFERENCE", Policy::Inference),
    ("HYBRID_TRANSFORMER", Policy::Transformer),
    ("HYBRID_TRANSFORMER_FWD_IN_BCKWD", Policy::TransformerAgain),
];

/// Returns whether a file begins as a training step: a policy, and a number of layers on the line below.
pub(crate) fn is_training(sample: &crate::sample::Sample<'_>) -> bool {
    let mut rows = sample.rows();
    let first = rows.next().and_then(|row| row.split_whitespace().next());
    first.is_some_and(|word| word.starts_with("HYBRID_") || POLICIES.iter().any(|(name, _)| *name == word))
        && rows.next().is_some_and(crate::sample::is_number)
}

pub(crate) fn read(path: &Path, reading: &mut Reading) -> Option<GraphFile> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| reading.wrong_whole(format!("{} cannot be read: {error}", path.display()), None))
        .ok()?;
    let file = layers::read(&text, reading)?;
    let groups = Groups::of(&file.head, reading)?;
    let items = order::items(&file, &groups, reading);
    if reading.is_wrong() {
        return None;
    }
    let mut work = Work::new(u64::from(groups.ranks), 1, reading)?;
    let used = items.iter().filter_map(|item| match item.kind {
        Kind::Collective { group, .. } => Some(group),
        Kind::Compute(_) => None,
    });
    let communicators = Communicators::define(used, groups.ranks, &mut work);
    let mut operations = Vec::with_capacity(items.len());
    for item in &items {
        operations.push(operation(item, &file.head)?);
    }
    for rank in 0..groups.ranks {
        for (item, operation) in items.iter().zip(&operations) {
            let mut operation = operation.clone();
            if let (Operation::Collective { communicator, .. }, Kind::Collective { group, .. }) =
                (&mut operation, &item.kind)
            {
                *communicator = communicators.number(*group, rank);
            }
            let (ended, begun) = (item.ended.clone().into(), item.begun.clone().into());
            let task = Task { operation, stream: 1, requires: Some(Box::new(Requires { ended, begun })) };
            work.add(rank, task, item.line, "");
        }
    }
    work.finish()
}

/// The operation of an item, still among all ranks.
fn operation(item: &Item, head: &layers::Head) -> Option<Operation> {
    Some(match item.kind {
        Kind::Compute(ns) => Operation::Compute { time: Duration::from_ps(ns.checked_mul(1000)?) },
        Kind::Collective { function, bytes, group } => {
            // Of an all-gather ASTRA-sim says what each rank gives, AICB what each has at the end.
            let is_whole = head.policy == Policy::TransformerAgain && function == layers::ALL_GATHER;
            let ranks = u64::from(group.size);
            let bytes = if is_whole { bytes.div_ceil(ranks) } else { bytes };
            work::collective(collective(function, bytes, 0, ranks).ok()?, WORLD)
        }
    })
}
