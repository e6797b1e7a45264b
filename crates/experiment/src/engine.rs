//! `[engine]`: which model of the network, and its parameters.
//!
//! Each engine is a file or a folder here, with its rows among the keys and a line in each `match` of this file: the questions of the
//! rest of an experiment to the engine that it names. It is run elsewhere, as it is [`Prepared`].

pub(crate) mod flow;
pub(crate) mod packet;

use crate::keys::form::{Integer, Number, OneOf, RATE, TIME};
use crate::keys::{keys, section};
use crate::sections::workload::Workload;
use crate::source::reader::Section;
use crate::{MappingSection, NodeSection};
pub use flow::{FlowEngine, Method};
pub use packet::PreparedPacket;
use std::ops::Bound;
use std::sync::Arc;
use weir_flow::{BarrierWait, Sharing};
use weir_packet::PacketNetwork;
use weir_record::Buffers;
use weir_topology::{Rule, Topology};
use weir_units::{Bandwidth, Duration};
use weir_workload::Pattern;

/// The engine of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum EngineSection {
    /// `kind = "ideal"`: no network, or the parameters of LogGP.
    Ideal(IdealEngine),
    /// `kind = "flow"`: messages share links.
    Flow(FlowEngine),
    /// `kind = "packet"`: messages are cut into packets, which wait in buffers.
    Packet {
        /// The most threads that may be used; the result does not depend on it.
        threads: usize,
    },
}

pub(crate) struct WorkFacts<'a> {
    pub(crate) workload: &'a Workload,
    pub(crate) pattern: Option<&'a Pattern>,
    pub(crate) mapping: &'a MappingSection,
    pub(crate) node: &'a NodeSection,
    pub(crate) machine: Option<&'a Topology>,
}

/// The engine with what it runs on.
#[derive(Clone, Debug)]
pub enum Prepared {
    /// Nothing.
    Ideal(IdealEngine),
    /// A machine.
    Flow(FlowEngine, Arc<Topology>),
    /// A machine with its routers and buffers.
    Packet(PreparedPacket),
}

impl Prepared {
    pub(crate) fn warning(&self) -> Option<String> {
        match self {
            Self::Packet(packets) => packet::warning(&packets.network, &packets.machine),
            Self::Ideal(_) | Self::Flow(..) => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Ideal,
    Flow,
    Packet,
}

/// More threads than any computer is likely to have.
const MOST_THREADS: u64 = 1024;

keys! {
    "engine":
    KIND: Kind = "kind", &[], OneOf(&[("flow", Kind::Flow), ("ideal", Kind::Ideal), ("packet", Kind::Packet)]), Words("`flow` with a topology, else `ideal`"),
        "Model of the network: `flow`, `ideal`, `packet`.";
    SHARING: Sharing = "sharing", &["flow"],
        OneOf(&[
            ("max-min", Sharing::MaxMin), ("iterative", Sharing::Iterative { threshold: 0.0 }),
            ("iterative-literal", Sharing::IterativeLiteral { threshold: 0.0 }),
            ("single-pass", Sharing::SinglePass),
        ]), Is("\"max-min\""),
        "Rule by which messages share links: `max-min`, `iterative` (Mode N of the MFS paper), `iterative-literal` (the same to the letter: \
         [decision 5](../decisions/0005-mode-n.md)), `single-pass` (Mode F).";
    // Paper 000, section 3.3: the iteration of Mode N ends when no rate changes by more than 1 %.
    THRESHOLD: f64 = "threshold", &["flow"],
        Number { within: (Bound::Excluded(0.0), Bound::Excluded(1.0)), words: "between 0 and 1" }, Is("0.01"),
        "Change of rates, as a part of a rate, at which the iteration of `sharing = \"iterative\"` and `\"iterative-literal\"` ends; between 0 and 1.";
    RESOLUTION: Duration = "resolution", &["flow"], TIME, Is("0"),
        "Least time between two instants; 0 is exact.";
    METHOD: Method = "method", &["flow"],
        OneOf(&[
            ("incremental", Method::Incremental), ("quotient", Method::Quotient),
            ("sweep", Method::Sweep { barrier: BarrierWait::Park }),
        ]),
        Words("`quotient` from 100 million messages on, where it fits; else `incremental`"),
        "Method by which rates are found: `incremental` (what changes is computed), `quotient` (one node stands for all), or `sweep` (all is \
         computed anew in every cycle, in parallel; the parallel MFS paper, with `sharing = \"single-pass\"` only).";
    BARRIER: BarrierWait = "barrier", &["flow"],
        OneOf(&[("spin", BarrierWait::Spin), ("park", BarrierWait::Park)]), Is("\"park\""),
        "With `method = \"sweep\"`: how threads wait for each other: `park` (asleep) or `spin` (busily).";
    THREADS: usize = "threads", &[], Integer(1, MOST_THREADS), Words("packet: one per core; flow: 1"),
        "Most threads that may be used, 1 to 1024; the ideal engine ignores it.";
    + IdealEngine::KEYS;
}

section! {
    /// The ideal engine: no network, or the parameters of LogGP.
    #[derive(Clone, Debug, PartialEq)]
    pub struct IdealEngine of kinds &["ideal"];
    latency: Duration = TIME, Is("0"), "Time from the last byte leaving to the message being there (L of LogGP).", Less(Latency);
    message_gap: Duration = TIME, Is("0"), "Least time between the starts of two messages of one node (g of LogGP).", Less(StartUp);
    bandwidth: Bandwidth = RATE, Words("infinite"), "Rate at which bytes leave a node (1 / G of LogGP).", More(Serialization);
}

impl EngineSection {
    /// The default is flow on a machine with a topology, and ideal without one. `None` when the kind is wrong.
    pub(crate) fn read(section: &mut Section<'_>, has_topology: bool) -> Option<Self> {
        let threads = section.get(&THREADS);
        let default = if has_topology { Kind::Flow } else { Kind::Ideal };
        let kind = section.kind(&KIND, &KEYS, Some(default))?;
        let read = match kind {
            Kind::Ideal => Self::Ideal(IdealEngine::read_keys(section).expect("no key is required")),
            Kind::Flow => Self::Flow(FlowEngine::read(section, threads.unwrap_or(1))),
            Kind::Packet => Self::Packet { threads: threads.unwrap_or_else(cores) },
        };
        section.settle(&THREADS, read.threads());
        section.put_last("threads");
        Some(read)
    }

    /// With the machine it runs on, and for the packet engine its network; `None` without.
    pub(crate) fn prepared(
        &self,
        machine: Option<&Arc<Topology>>,
        network: Option<Arc<PacketNetwork>>,
    ) -> Option<Prepared> {
        Some(match self {
            Self::Ideal(engine) => Prepared::Ideal(engine.clone()),
            Self::Flow(engine) => Prepared::Flow(engine.clone(), machine?.clone()),
            Self::Packet { threads } => Prepared::Packet(PreparedPacket {
                threads: *threads,
                machine: machine?.clone(),
                network: network?,
            }),
        })
    }

    /// The name in `summary.json`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ideal(_) => "ideal",
            Self::Flow(_) => "flow",
            Self::Packet { .. } => "packet",
        }
    }

    /// Returns whether it cannot run without a topology.
    pub fn has_links(&self) -> bool {
        !matches!(self, Self::Ideal(_))
    }

    /// Returns whether it cuts messages into packets.
    pub fn has_packets(&self) -> bool {
        matches!(self, Self::Packet { .. })
    }

    /// The most threads that may be used.
    pub fn threads(&self) -> usize {
        match self {
            Self::Ideal(_) => 1,
            Self::Flow(flow) => flow.threads,
            Self::Packet { threads } => *threads,
        }
    }

    pub(crate) fn refuses_workload(&self, work: &WorkFacts<'_>) -> Option<String> {
        if let Self::Flow(flow) = self { flow.refuses_workload(work) } else { None }
    }

    /// Why it cannot follow the rule of the routes, and what would do.
    pub(crate) fn refuses_rule(&self, rule: Rule) -> Option<(&'static str, &'static str)> {
        if let Self::Flow(flow) = self { flow.refuses_rule(rule) } else { None }
    }

    pub(crate) fn refuses_changes(&self) -> Option<&'static str> {
        match self {
            Self::Ideal(_) => {
                Some("belongs to engine.kind = \"flow\"; with \"ideal\" no message meets a link")
            }
            Self::Flow(FlowEngine { method: Method::Sweep { .. } | Method::Quotient, .. }) => Some(
                "does not fit engine.method: only \"incremental\" follows a machine that changes while it runs",
            ),
            Self::Flow(_) | Self::Packet { .. } => None,
        }
    }

    pub(crate) fn refuses_output(&self, key: &str) -> Option<(String, &'static str)> {
        let text = match (self, key) {
            (Self::Packet { .. }, _) => return None,
            (_, "packets") => {
                let what =
                    format!("is for engine.kind = \"packet\"; with {:?} there are no packets", self.name());
                return Some((what, "write engine.kind = \"packet\", or leave [output.packets] out"));
            }
            (Self::Flow(flow), _) => flow.refuses_output(key)?,
            (Self::Ideal(_), "sample_interval") => (
                "is for engines with links; with \"ideal\" there are none",
                "write engine.kind = \"flow\" or \"packet\"",
            ),
            (Self::Ideal(_), "checkpoint_every") => (
                "is for the packet and the flow engine; \"ideal\" writes no checkpoints",
                "write engine.kind = \"packet\" or \"flow\", or leave it out",
            ),
            (Self::Ideal(_), _) => return None,
        };
        Some((text.0.to_owned(), text.1))
    }

    /// Why its rates cannot be compared with max-min; `None` if they can.
    pub fn refuses_comparison(&self) -> Option<&'static str> {
        match self {
            Self::Ideal(_) => Some("engine.kind = \"ideal\" shares no links"),
            Self::Flow(flow) => flow.refuses_comparison(),
            Self::Packet { .. } => Some("on engine.kind = \"packet\" packets take turns on a link"),
        }
    }

    /// Why its ties cannot be perturbed; `None` if they can.
    pub fn refuses_perturbed_ties(&self) -> Option<&'static str> {
        match self {
            Self::Ideal(_) => Some("on the ideal engine messages do not meet"),
            Self::Flow(flow) => flow.refuses_perturbed_ties(),
            Self::Packet { .. } => Some("the packet engine does not perturb ties"),
        }
    }

    /// Returns whether it can keep a list of its cycles.
    pub fn lists_cycles(&self) -> bool {
        matches!(self, Self::Flow(FlowEngine { method: Method::Auto | Method::Incremental, .. }))
    }

    /// The bytes it takes at least, beside those of ranks, and whether it holds each rank.
    pub(crate) fn least_memory(&self, work: &WorkFacts<'_>) -> (u64, bool) {
        match self {
            Self::Ideal(_) => (0, true),
            Self::Flow(flow) => flow.least_memory(work),
            Self::Packet { .. } => {
                let of_machine = |machine| PacketNetwork::least_memory(&work.node.model(), machine);
                (work.machine.map_or(0, of_machine), !matches!(work.workload, Workload::Synthetic(_)))
            }
        }
    }

    /// Records of buffers.
    pub fn buffers(&self) -> Buffers {
        if self.has_packets() { Buffers::Sampled } else { Buffers::None }
    }
}

/// Number of cores of this computer, up to the most threads that an engine may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get).min(MOST_THREADS as usize)
}
