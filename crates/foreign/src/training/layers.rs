//! The lines of a training step.

use super::{POLICIES, Policy};
use crate::reading::Reading;
use std::str::FromStr;

/// A file has no more layers, and no computation takes longer in nanoseconds.
const MOST_LAYERS: usize = 1 << 22;
const LONGEST: u64 = u64::MAX / 1000;

/// All-gather by the numbers of Chakra.
pub(super) const ALL_GATHER: u64 = 2;
const COLLECTIVES: [(&str, u64); 5] =
    [("ALLREDUCE", 0), ("ALLGATHER", ALL_GATHER), ("BROADCAST", 5), ("ALLTOALL", 6), ("REDUCESCATTER", 7)];

/// The first line.
pub(super) struct Head {
    pub(super) policy: Policy,
    /// Ranks of a group of model parallelism.
    pub(super) model: Option<u32>,
    /// Groups of experts, and stages of a pipeline.
    pub(super) experts: u32,
    pub(super) stages: u32,
    pub(super) all: Option<u32>,
    /// Layers whose activations are kept, and layers before which those since the last one are computed again.
    pub(super) checkpoints: Vec<usize>,
    pub(super) initiates: Vec<usize>,
    /// The last layer at the bottom of a recommendation model.
    pub(super) bottom: usize,
}

/// The group of ranks that the name of a collective ends in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Among {
    Usual,
    Experts,
    /// The data parallel ranks that have the same experts.
    SameExperts,
}

/// A collective of a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    pub(super) function: u64,
    pub(super) among: Among,
    pub(super) bytes: u64,
}

/// A part of a layer: its computation, and the collective behind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Part {
    pub(super) ns: u64,
    pub(super) exchange: Option<Exchange>,
}

pub(super) struct Layer {
    pub(super) line: usize,
    pub(super) forward: Part,
    pub(super) input: Part,
    pub(super) weights: Part,
    /// Its own way of being divided.
    pub(super) policy: Option<Policy>,
}

pub(super) struct File {
    pub(super) head: Head,
    pub(super) layers: Vec<Layer>,
}

pub(super) fn read(text: &str, reading: &mut Reading) -> Option<File> {
    let mut rows = (1..).zip(text.lines()).filter(|(_, row)| !row.trim().is_empty());
    let (line, first) = rows.next()?;
    let head = head(line, first, reading)?;
    let (line, second) = rows.next()?;
    let count = second.trim().parse::<usize>().ok().filter(|count| (1..=MOST_LAYERS).contains(count));
    let Some(count) = count else {
        reading.wrong(line, second.trim(), format!("expected the number of layers, from 1 to {MOST_LAYERS}"));
        return None;
    };
    let mut layers = Vec::new();
    let mut found = 0;
    for (line, row) in rows {
        found += 1;
        match layer(line, row, &head) {
            Ok(layer) => layers.push(layer),
            Err((value, what)) => reading.wrong(line, &value, what),
        }
    }
    if found != count {
        reading.wrong(line, second.trim(), format!("{found} layers follow: the file is cut off, or damaged"));
    }
    let last = head.checkpoints.iter().chain(&head.initiates).max();
    if let Some(last) = last.filter(|&&last| last >= count) {
        reading.wrong(1, &last.to_string(), "a checkpoint is at a layer that is not there");
    }
    Some(File { head, layers })
}

fn head(line: usize, text: &str, reading: &mut Reading) -> Option<Head> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [first, ref rest @ ..] = words[..] else { return None };
    let Some(&(_, policy)) = POLICIES.iter().find(|(name, _)| *name == first) else {
        let known = POLICIES.map(|(name, _)| name).join(", ");
        reading.wrong(line, first, format!("this way to divide a step is not known; known are {known}"));
        return None;
    };
    let mut head = Head {
        policy,
        model: None,
        experts: 1,
        stages: 1,
        all: None,
        checkpoints: Vec::new(),
        initiates: Vec::new(),
        bottom: 0,
    };
    let mut words = rest.iter().copied();
    while let Some(word) = words.next() {
        let read = match word {
            "model_parallel_NPU_group:" => positive(&mut words).map(|number| head.model = Some(number)),
            "ep:" => positive(&mut words).map(|number| head.experts = number),
            "pp:" => positive(&mut words).map(|number| head.stages = number),
            "all_gpus:" => positive(&mut words).map(|number| head.all = Some(number)),
            "checkpoints:" => list(&mut words).map(|numbers| head.checkpoints = numbers),
            "checkpoint_initiates:" => list(&mut words).map(|numbers| head.initiates = numbers),
            // They say how often stages of a pipeline take turns, and what they send.
            "vpp:" | "ga:" | "pp_comm" | "pp_comm:" => number::<u64>(&mut words).map(|_| ()),
            "DLRM_LAST_BOTTOM_LAYER:" => number(&mut words).map(|layer| head.bottom = layer),
            _ if policy == Policy::Dlrm => word.parse().ok().map(|layer| head.bottom = layer),
            _ => {
                reading.wrong(line, word, "this word of the first line is not known");
                Some(())
            }
        };
        if read.is_none() {
            reading.wrong(line, word, "expected a number, at least 1 where it is one of ranks");
        }
    }
    Some(head)
}

fn number<'a, T: FromStr>(words: &mut impl Iterator<Item = &'a str>) -> Option<T> {
    words.next()?.parse().ok()
}

fn positive<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<u32> {
    number(words).filter(|&number| number > 0)
}

/// Reads a count, and as many numbers as it says.
fn list<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<Vec<usize>> {
    let count: usize = number(words).filter(|&count| count <= MOST_LAYERS)?;
    (0..count).map(|_| number(words)).collect()
}

fn layer(line: usize, text: &str, head: &Head) -> Result<Layer, (String, String)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_own = head.policy == Policy::Customized;
    let expected = if is_own { 13 } else { 12 };
    if words.len() != expected {
        let what = format!(
            "expected {expected} words: a name, -1, a time, a collective and its bytes each of forward, input gradient and weight gradient, the time to update weights{}",
            if is_own { ", and how the layer is divided" } else { "" }
        );
        return Err((text.trim().to_owned(), what));
    }
    let wrong = |place: usize, what: &str| (words[place].to_owned(), what.to_owned());
    if words[1] != "-1" {
        return Err(wrong(1, "expected -1: a layer depends on the one before it"));
    }
    let part = |place: usize| -> Result<Part, (String, String)> {
        let ns = words[place].parse().ok().filter(|&ns| ns <= LONGEST);
        let ns = ns.ok_or_else(|| wrong(place, "expected a time in whole nanoseconds, of up to 213 days"))?;
        let bytes = words[place + 2].parse().map_err(|_| wrong(place + 2, "expected a number of bytes"))?;
        let exchange = match words[place + 1] {
            "NONE" => None,
            name => {
                let (function, among) = collective(name).ok_or_else(|| {
                    wrong(place + 1, "expected NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL or BROADCAST, which _EP or _DP_EP may follow")
                })?;
                Some(Exchange { function, among, bytes })
            }
        };
        Ok(Part { ns, exchange: exchange.filter(|exchange| exchange.bytes > 0) })
    };
    let policy = if is_own {
        let known = POLICIES.iter().find(|(name, _)| *name == words[12]).map(|&(_, policy)| policy);
        let divides = |policy: &Policy| {
            matches!(policy, Policy::Data | Policy::Model | Policy::DataModel | Policy::ModelData)
        };
        Some(
            known
                .filter(divides)
                .ok_or_else(|| wrong(12, "expected DATA, MODEL, HYBRID_DATA_MODEL or HYBRID_MODEL_DATA"))?,
        )
    } else {
        None
    };
    if words[11].parse::<u64>().is_err() {
        return Err(wrong(11, "expected a time in whole nanoseconds"));
    }
    Ok(Layer { line, forward: part(2)?, input: part(5)?, weights: part(8)?, policy })
}

/// A collective by its name.
fn collective(name: &str) -> Option<(u64, Among)> {
    let (name, among) = match (name.strip_suffix("_DP_EP"), name.strip_suffix("_EP")) {
        (Some(name), _) => (name, Among::SameExperts),
        (None, Some(name)) => (name, Among::Experts),
        (None, None) => (name, Among::Usual),
    };
    COLLECTIVES.iter().find(|(known, _)| *known == name).map(|&(_, function)| (function, among))
}
