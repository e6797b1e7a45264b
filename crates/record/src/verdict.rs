//! The verdict of a run: sentences that say why it took as long as it did.

use serde::Serialize;
use weir_units::Duration;

/// The kind of a finding; its name is part of `summary.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// The run did not come to its end.
    Unfinished,
    /// Some ranks compute longer than the mean.
    Imbalance,
    /// Ranks wait for the work of others, one after another.
    LateSender,
    /// All ranks compute, and alike.
    Compute,
    /// The work of the program takes no time, so the run is its communication alone.
    NoCompute,
    /// Latency of messages that follow one another.
    Latency,
    /// Overheads of sending, receiving, copying and combining.
    StartUp,
    /// The link to one node is full.
    Incast,
    /// The link from one node is full.
    Outcast,
    /// A link is full that is slower than its kind.
    SlowLink,
    /// A link between routers is full.
    HotLink,
    /// Bytes take their time on many links alike.
    Bandwidth,
    /// Bytes take their time within nodes.
    Memory,
    /// Packets wait for room in the next buffer.
    Credits,
    /// Packets wait for long, and no link is used much.
    Jam,
    /// The order of equal instants decides how long the run takes.
    Ties,
    /// The network accepts less than it is offered.
    Saturated,
    /// Ranks are not placed in order, and the network holds them up.
    Mapping,
    /// A collective whose algorithm can be chosen is most of the run.
    Algorithm,
    /// Files, sleep, and looks in vain.
    Other,
    /// No link is used much.
    Uncongested,
}

/// One sentence of a verdict, and the facts in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The kind of thing that held the run up.
    pub kind: FindingKind,
    /// Ranks, a link, a class of links or a call; `None` where it is the whole run.
    pub place: Option<String>,
    /// One whole sentence.
    pub sentence: String,
    /// Changes that would help, as `--set` takes them; none where no key is behind it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// Estimate of the simulated time with these, where there is one.
    #[serde(rename = "estimate_ps", skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Duration>,
}
