//! `[engine]`: which model of the network, and its parameters.

use crate::Units;
use crate::exact::number;
use crate::reader::{BANDWIDTH, DURATION, Section};
use serde_json::{Map, Value, json};
use weir_flow::sweep::Sweep;
use weir_flow::{Flow, Sharing, Waiting};
use weir_network::Ideal;
use weir_units::{Bandwidth, Duration};

/// The engine of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum EngineSection {
    /// `kind = "ideal"`: no network, or the parameters of LogGP.
    Ideal {
        /// L: from the last byte leaving to the message being there.
        latency: Duration,
        /// g: least time between the starts of two messages of one node.
        message_gap: Duration,
        /// 1 / G: how fast bytes leave a node; `None` is infinitely fast.
        bandwidth: Option<Bandwidth>,
    },
    /// `kind = "flow"`: messages share links.
    Flow {
        /// How they share them.
        sharing: Sharing,
        /// Least time between two changes of rates; 0 is exact.
        resolution: Duration,
        /// How the rates are found.
        method: Method,
        /// The most threads that may be used; the result does not depend on it.
        threads: usize,
    },
    /// `kind = "packet"`: messages are cut into packets, which wait in buffers.
    Packet {
        /// The most threads that may be used; the result does not depend on it.
        threads: usize,
    },
}

/// How the flow engine finds its rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// No `method`: incremental, or quotient for what would take the other more than some minutes.
    Auto,
    /// What changes is computed, by one thread.
    Incremental,
    /// One node stands for all, where all do the same on a machine that looks the same from all of them.
    Quotient,
    /// `method = "sweep"`: everything is computed anew in every cycle, in parallel, as paper 002 does it. Mode F only.
    Sweep {
        /// `barrier`: how threads wait for each other.
        barrier: Waiting,
    },
}

#[derive(Clone, Copy)]
enum Kind {
    Ideal,
    Flow,
    Packet,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    MaxMin,
    Iterative,
    IterativeLiteral,
    SinglePass,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Incremental,
    Quotient,
    Sweep,
}

const KINDS: [(&str, Kind); 3] = [("flow", Kind::Flow), ("ideal", Kind::Ideal), ("packet", Kind::Packet)];
const RULES: [(&str, Rule); 4] = [
    ("max-min", Rule::MaxMin),
    ("iterative", Rule::Iterative),
    ("iterative-literal", Rule::IterativeLiteral),
    ("single-pass", Rule::SinglePass),
];
const FLOW_KEYS: [&str; 5] = ["sharing", "threshold", "resolution", "method", "barrier"];
const METHODS: [(&str, Way); 3] =
    [("incremental", Way::Incremental), ("quotient", Way::Quotient), ("sweep", Way::Sweep)];
const BARRIERS: [(&str, Waiting); 2] = [("spin", Waiting::Spin), ("park", Waiting::Park)];
/// More threads than any computer is likely to have.
const MOST_THREADS: u64 = 1024;
const IDEAL_KEYS: [&str; 3] = ["latency", "message_gap", "bandwidth"];
const NOT_IDEAL: &str =
    "belongs to kind = \"ideal\"; what links and nodes can do is in [topology] and [node]";

impl EngineSection {
    /// Paper 000, section 3.3: the iteration of Mode N ends when no rate changes by more than 1 %.
    const THRESHOLD: f64 = 0.01;

    /// The default is flow on a machine with a topology, and ideal without one. `None` when the kind is wrong.
    pub(crate) fn read(section: &mut Section<'_>, has_topology: bool) -> Option<Self> {
        let threads = section.integer("threads", 1..=MOST_THREADS);
        let threads = threads.map(|threads| usize::try_from(threads).expect("the reader checks the range"));
        let default = if has_topology { Kind::Flow } else { Kind::Ideal };
        let absent = !section.has("kind");
        let kind = section.choice("kind", &KINDS, &[]).or(absent.then_some(default));
        match kind {
            Some(Kind::Ideal) => {
                section.refuse(&FLOW_KEYS, "belongs to kind = \"flow\"");
                Some(Self::Ideal {
                    latency: section.quantity("latency", &DURATION).unwrap_or_default(),
                    message_gap: section.quantity("message_gap", &DURATION).unwrap_or_default(),
                    bandwidth: section.quantity("bandwidth", &BANDWIDTH),
                })
            }
            Some(Kind::Flow) => {
                section.refuse(&IDEAL_KEYS, NOT_IDEAL);
                let sharing = Self::read_sharing(section);
                let resolution = section.quantity("resolution", &DURATION).unwrap_or_default();
                let method = Self::read_method(section, sharing);
                Some(Self::Flow { sharing, resolution, method, threads: threads.unwrap_or(1) })
            }
            Some(Kind::Packet) => {
                section.refuse(&FLOW_KEYS, "belongs to kind = \"flow\"");
                section.refuse(&IDEAL_KEYS, NOT_IDEAL);
                Some(Self::Packet { threads: threads.unwrap_or_else(cores) })
            }
            None => {
                section.pass(&FLOW_KEYS);
                section.pass(&IDEAL_KEYS);
                None
            }
        }
    }

    fn read_sharing(section: &mut Section<'_>) -> Sharing {
        let absent = !section.has("sharing");
        match section.choice("sharing", &RULES, &[]) {
            Some(rule @ (Rule::Iterative | Rule::IterativeLiteral)) => {
                let threshold = section.number("threshold", |t| t > 0.0 && t < 1.0, "between 0 and 1");
                let threshold = threshold.unwrap_or(Self::THRESHOLD);
                if rule == Rule::Iterative {
                    Sharing::Iterative { threshold }
                } else {
                    Sharing::IterativeLiteral { threshold }
                }
            }
            rule => {
                if rule.is_some() || absent {
                    let what = "belongs to sharing = \"iterative\" and \"iterative-literal\"";
                    section.refuse(&["threshold"], what);
                } else {
                    section.pass(&["threshold"]);
                }
                if rule == Some(Rule::SinglePass) { Sharing::SinglePass } else { Sharing::MaxMin }
            }
        }
    }

    fn read_method(section: &mut Section<'_>, sharing: Sharing) -> Method {
        let way = section.choice("method", &METHODS, &[]);
        if way != Some(Way::Sweep) {
            section.refuse(&["barrier"], "belongs to method = \"sweep\"");
        }
        match way {
            None => return Method::Auto,
            Some(Way::Incremental) => return Method::Incremental,
            Some(Way::Quotient) => return Method::Quotient,
            Some(Way::Sweep) => {}
        }
        if sharing != Sharing::SinglePass {
            let what = "sweep shares links in a single pass, as paper 002 does".to_owned();
            section.problem("method", what, Some("write sharing = \"single-pass\"".into()));
        }
        Method::Sweep { barrier: section.choice("barrier", &BARRIERS, &[]).unwrap_or_default() }
    }

    /// The most threads that may be used.
    pub(crate) fn threads(&self) -> usize {
        match *self {
            Self::Ideal { .. } => 1,
            Self::Flow { threads, .. } | Self::Packet { threads } => threads,
        }
    }

    /// The name in `summary.json`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ideal { .. } => "ideal",
            Self::Flow { .. } => "flow",
            Self::Packet { .. } => "packet",
        }
    }

    pub(crate) fn build(&self) -> Engine {
        match *self {
            Self::Ideal { latency, message_gap, bandwidth } => {
                Engine::Ideal(Ideal { latency, message_gap, bandwidth })
            }
            Self::Flow { resolution, method: Method::Sweep { barrier }, threads, .. } => {
                Engine::Sweep(Sweep { threads, waiting: barrier, resolution })
            }
            Self::Flow { sharing, resolution, .. } => {
                Engine::Flow(Flow { sharing, resolution, ..Flow::default() })
            }
            Self::Packet { threads } => Engine::Packet { threads },
        }
    }

    pub(crate) fn resolved(&self, units: Units) -> Value {
        let mut object = Map::new();
        let mut put = |key: &str, value| object.insert(key.to_owned(), value);
        put("kind", json!(self.name()));
        match *self {
            Self::Ideal { latency, message_gap, bandwidth } => {
                put("latency", units.duration(latency));
                put("message_gap", units.duration(message_gap));
                if let Some(bandwidth) = bandwidth {
                    put("bandwidth", units.bandwidth(bandwidth));
                }
            }
            Self::Packet { .. } => {}
            Self::Flow { sharing, resolution, method, .. } => {
                let rule = match sharing {
                    Sharing::MaxMin => Rule::MaxMin,
                    Sharing::Iterative { .. } => Rule::Iterative,
                    Sharing::IterativeLiteral { .. } => Rule::IterativeLiteral,
                    Sharing::SinglePass => Rule::SinglePass,
                };
                put("sharing", json!(crate::name_of(&RULES, rule)));
                if let Sharing::Iterative { threshold } | Sharing::IterativeLiteral { threshold } = sharing {
                    put("threshold", number(threshold));
                }
                put("resolution", units.duration(resolution));
                let way = match method {
                    Method::Auto => None,
                    Method::Incremental => Some(Way::Incremental),
                    Method::Quotient => Some(Way::Quotient),
                    Method::Sweep { .. } => Some(Way::Sweep),
                };
                if let Some(way) = way {
                    put("method", json!(crate::name_of(&METHODS, way)));
                }
                if let Method::Sweep { barrier } = method {
                    put("barrier", json!(crate::name_of(&BARRIERS, barrier)));
                }
            }
        }
        put("threads", json!(self.threads()));
        Value::Object(object)
    }
}

/// An engine ready to run.
pub(crate) enum Engine {
    Ideal(Ideal),
    Flow(Flow),
    Sweep(Sweep),
    Packet { threads: usize },
}

/// The cores of this computer, as far as they may be used.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get).min(MOST_THREADS as usize)
}
