//! Ranks that take part in collectives of a training step together.

use super::Policy;
use super::layers::{Among, Head};
use crate::reading::Reading;
use crate::work::Work;
use std::collections::BTreeMap;
use weir_operations::WORLD;
use weir_units::Rank;

/// Groups of `size` ranks, each `stride` from the next: all ranks are in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Group {
    pub(super) size: u32,
    pub(super) stride: u32,
}

/// The ranks of a step, and how they are divided.
pub(super) struct Groups {
    pub(super) ranks: u32,
    /// Ranks of the first dimension.
    first: u32,
    experts: u32,
}

/// The collective of which part of a layer it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// Activations and their gradients.
    Model,
    /// Gradients of weights.
    Data,
}

impl Groups {
    pub(super) fn of(head: &Head, reading: &mut Reading) -> Option<Self> {
        if head.stages > 1 {
            reading.cannot(1, &format!("pp: {}", head.stages), "stages of a pipeline: the file has no layers of each; left out, there are only the ranks of one stage");
        }
        let given = reading.given.ranks;
        let stage = |all: u32| all / head.stages;
        let ranks = match (head.all.map(stage), given) {
            (Some(own), Some(given)) if own != given => {
                reading.wrong(1, "all_gpus:", format!("the file has {own} ranks, not {given}"));
                return None;
            }
            (Some(own), _) => own,
            (None, Some(given)) => given,
            (None, None) => {
                let hint = "workload.ranks in an experiment, --ranks N with weir convert";
                reading.wrong_whole("it does not say on how many ranks it runs", Some(hint));
                return None;
            }
        };
        let first = match head.policy {
            Policy::DataModel | Policy::ModelData | Policy::Customized => {
                let Some(first) = reading.given.group else {
                    let hint = "workload.group in an experiment, --group N with weir convert";
                    reading.wrong_whole("data and model parallelism divide the ranks by the first dimension of ASTRA-sim's network: say how many ranks it has", Some(hint));
                    return None;
                };
                first
            }
            _ if reading.given.group.is_some() => {
                reading.wrong_whole(
                    "nothing in this file is divided by the first dimension of a network",
                    Some("leave group away"),
                );
                return None;
            }
            Policy::Transformer | Policy::TransformerAgain => head.model.unwrap_or(1),
            _ => 1,
        };
        let parts = u64::from(first) * u64::from(head.experts);
        if ranks == 0 || first == 0 || !u64::from(ranks).is_multiple_of(parts) {
            let what = format!(
                "{ranks} ranks cannot be divided into groups of {first} with {} groups of experts",
                head.experts
            );
            reading.wrong(1, "", what);
            return None;
        }
        Some(Self { ranks, first, experts: head.experts })
    }

    /// The group of a collective.
    pub(super) fn group(&self, policy: Policy, of: Of, among: Among) -> Group {
        let (ranks, first) = (self.ranks, self.first);
        let (near, far) = (Group { size: first, stride: 1 }, Group { size: ranks / first, stride: first });
        let all = Group { size: ranks, stride: 1 };
        match (policy, of, among) {
            (_, _, Among::Experts) => Group { size: self.experts, stride: first },
            (_, _, Among::SameExperts) => {
                Group { size: ranks / first / self.experts, stride: first * self.experts }
            }
            (Policy::DataModel, Of::Model, _) | (Policy::ModelData, Of::Data, _) => near,
            (Policy::DataModel, Of::Data, _) | (Policy::ModelData, Of::Model, _) => far,
            (Policy::Transformer | Policy::TransformerAgain, Of::Model, _) => near,
            (Policy::Transformer | Policy::TransformerAgain, Of::Data, _) => far,
            _ => all,
        }
    }
}

/// Numbers of communicators.
pub(super) struct Communicators {
    ranks: u32,
    first: BTreeMap<Group, u32>,
}

impl Communicators {
    /// Defines those of all groups that something is done in.
    pub(super) fn define(used: impl Iterator<Item = Group>, ranks: u32, work: &mut Work<'_>) -> Self {
        let mut made = Self { ranks, first: BTreeMap::new() };
        let mut next = 2;
        for group in used {
            if group.size == ranks || made.first.contains_key(&group) {
                continue;
            }
            made.first.insert(group, next);
            let Group { size, stride } = group;
            for number in 0..ranks / size {
                let begin = number / stride * stride * size + number % stride;
                let members = (0..size).map(|member| Rank(begin + member * stride)).collect();
                work.builder.define(next, (members, Vec::new()));
                next += 1;
            }
        }
        made
    }

    /// The communicator of a rank in these groups.
    pub(super) fn number(&self, group: Group, rank: u32) -> u32 {
        let Group { size, stride } = group;
        match self.first.get(&group) {
            Some(first) if size < self.ranks => first + rank / (stride * size) * stride + rank % stride,
            _ => WORLD,
        }
    }
}
