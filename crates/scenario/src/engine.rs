//! `[engine]`: which model of the network, and its parameters.

use crate::exact::number;
use crate::keys::Default::{Value as Is, Words};
use crate::keys::form::{Number, OneOf, Quantity, RATE, TIME, Whole};
use crate::keys::keys;
use crate::reader::Section;
use crate::{Units, name_of};
use serde_json::{Map, Value, json};
use std::ops::Bound;
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

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Ideal,
    Flow,
    Packet,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    MaxMin,
    Iterative,
    IterativeLiteral,
    SinglePass,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
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
const METHODS: [(&str, Way); 3] =
    [("incremental", Way::Incremental), ("quotient", Way::Quotient), ("sweep", Way::Sweep)];
const BARRIERS: [(&str, Waiting); 2] = [("spin", Waiting::Spin), ("park", Waiting::Park)];
/// More threads than any computer is likely to have.
const MOST_THREADS: u64 = 1024;

keys! {
    "engine":
    KIND: OneOf<Kind> = "kind", &[], OneOf(&KINDS), Words("`flow` with a topology, else `ideal`"),
        "`flow`, `ideal`, `packet`";
    SHARING: OneOf<Rule> = "sharing", &["flow"], OneOf(&RULES), Is("\"max-min\""),
        "`max-min`, `iterative` (Mode N of paper 000), `iterative-literal` (the same to the letter: \
         [decision 5](../decisions/0005-mode-n.md)), `single-pass` (Mode F)";
    // Paper 000, section 3.3: the iteration of Mode N ends when no rate changes by more than 1 %.
    THRESHOLD: Number = "threshold", &["flow"],
        Number { within: (Bound::Excluded(0.0), Bound::Excluded(1.0)), words: "between 0 and 1" }, Is("0.01"),
        "`sharing = \"iterative\"` and `\"iterative-literal\"`: when the iteration ends, as a part of a rate; between 0 and 1";
    RESOLUTION: Quantity<Duration> = "resolution", &["flow"], TIME, Is("0"),
        "least time between two instants; 0 is exact";
    METHOD: OneOf<Way> = "method", &["flow"], OneOf(&METHODS),
        Words("`quotient` from 100 million messages on, where it fits; else `incremental`"),
        "how rates are found: `incremental` (what changes is computed), `quotient` (one node stands for all), or `sweep` (all is \
         computed anew in every cycle, in parallel; paper 002, with `sharing = \"single-pass\"` only)";
    BARRIER: OneOf<Waiting> = "barrier", &["flow"], OneOf(&BARRIERS), Is("\"park\""),
        "`method = \"sweep\"`: how threads wait for each other: `park` (asleep) or `spin` (busily)";
    THREADS: Whole = "threads", &[], Whole(1, MOST_THREADS), Words("packet: one per core; flow: 1"),
        "the most threads that may be used, 1 to 1024; ideal passes it over";
    LATENCY: Quantity<Duration> = "latency", &["ideal"], TIME, Is("0"), "L of LogGP";
    MESSAGE_GAP: Quantity<Duration> = "message_gap", &["ideal"], TIME, Is("0"), "g of LogGP";
    BANDWIDTH: Quantity<Bandwidth> = "bandwidth", &["ideal"], RATE, Words("infinite"), "1 / G of LogGP";
}

impl EngineSection {
    /// The default is flow on a machine with a topology, and ideal without one. `None` when the kind is wrong.
    pub(crate) fn read(section: &mut Section<'_>, has_topology: bool) -> Option<Self> {
        let threads = section.get(&THREADS);
        let threads = threads.map(|threads| usize::try_from(threads).expect("the row has the range"));
        let default = if has_topology { Kind::Flow } else { Kind::Ideal };
        let absent = !section.has("kind");
        let kind = section.get(&KIND).or(absent.then_some(default));
        let Some(kind) = kind else {
            section.pass_all(&KEYS);
            return None;
        };
        section.only_of(&KEYS, name_of(&KINDS, kind));
        Some(match kind {
            Kind::Ideal => Self::Ideal {
                latency: section.get_or_default(&LATENCY),
                message_gap: section.get_or_default(&MESSAGE_GAP),
                bandwidth: section.get(&BANDWIDTH),
            },
            Kind::Flow => {
                let sharing = Self::read_sharing(section);
                let resolution = section.get_or_default(&RESOLUTION);
                let method = Self::read_method(section, sharing);
                Self::Flow { sharing, resolution, method, threads: threads.unwrap_or(1) }
            }
            Kind::Packet => Self::Packet { threads: threads.unwrap_or_else(cores) },
        })
    }

    fn read_sharing(section: &mut Section<'_>) -> Sharing {
        let absent = !section.has("sharing");
        match section.get(&SHARING) {
            Some(Rule::Iterative) => Sharing::Iterative { threshold: section.get_or_default(&THRESHOLD) },
            Some(Rule::IterativeLiteral) => {
                Sharing::IterativeLiteral { threshold: section.get_or_default(&THRESHOLD) }
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
        let way = section.get(&METHOD);
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
        Method::Sweep { barrier: section.get_or_default(&BARRIER) }
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
                put("sharing", json!(name_of(&RULES, rule)));
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
                    put("method", json!(name_of(&METHODS, way)));
                }
                if let Method::Sweep { barrier } = method {
                    put("barrier", json!(name_of(&BARRIERS, barrier)));
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
