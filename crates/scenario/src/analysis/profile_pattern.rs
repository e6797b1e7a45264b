//! The pattern of a profile: what its ranks send and await, in an order in which they have done so.
//!
//! # Model
//! The profile runs without a network, with every message on its way for a nanosecond, so that what brings something about
//! stands before it. Each rank posts its messages in the order in which it has sent them, messages of collectives included,
//! awaits each message where it has arrived, and pauses for the time it has computed between. Left out: the time behind the
//! last message, the requests of the protocol, what a rank sends to itself, and that a rank might have gone on without a message that it awaits here.

use crate::engine::Prepared;
use crate::run::context::Context;
use crate::run::options::Variation;
use crate::{
    EngineSection, Experiment, IdealEngine, Mapping, MappingSection, NodeSection, PacketGap, PatternError,
    Scenario,
};
use std::sync::Arc;
use weir_formats::profile::Profile;
use weir_network::record::{
    BufferSample, Keep, LatencyKind, LatencySample, LinkSample, MessageTimes, PacketStay, Pairs, Recorder,
    Requested,
};
use weir_network::{Outcome, RunContext};
use weir_replay::Sources;
use weir_units::{Bytes, Duration, Rank, Time};
use weir_workload::{Entry, Script};

impl Scenario {
    pub(crate) fn pattern_of(
        &self,
        profile: &Arc<Profile>,
        sources: Sources,
    ) -> Result<Script, PatternError> {
        let ideal =
            IdealEngine { latency: Duration::from_ns(1), message_gap: Duration::ZERO, bandwidth: None };
        let engine = Prepared::Ideal(ideal.clone());
        let experiment = Experiment {
            topology: None,
            engine: EngineSection::Ideal(ideal),
            mapping: MappingSection { kind: Mapping::Linear, ranks_per_node: 1 },
            node: NodeSection {
                packet_gap: PacketGap::Fixed(0.0),
                packet_gap_margin: None,
                eager_limit: Bytes(u64::MAX),
                eager_messages: u32::MAX,
                ..self.node.clone()
            },
            ..self.experiment.clone()
        };
        let alone = Self {
            experiment,
            machine: None,
            prepared: Ok(engine.clone()),
            placement: Arc::default(),
            pacing: Arc::default(),
            ..self.clone()
        };
        let mut messages = Messages::default();
        let run = RunContext::new(alone.placement()).limits(alone.limits()).recorder(Some(&mut messages));
        let (run, variation) = (alone.accounting(run), Variation::default());
        let context = Context { scenario: &alone, engine: &engine, variation, run };
        let ran = alone.run_profile((profile, sources), None, context);
        let ran = ran.map_err(|_| PatternError::Unfinished)?;
        if ran.ended.outcome != Outcome::Finished {
            return Err(PatternError::Unfinished);
        }
        Ok(script(self.workload.ranks, &messages.messages))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Deed {
    Await { from: Rank, sequence: u64 },
    Post { sequence: u64, to: Rank, bytes: u64 },
}

fn script(ranks: usize, messages: &[MessageTimes]) -> Script {
    let mut deeds: Vec<Vec<(Time, Deed)>> = vec![Vec::new(); ranks];
    for &MessageTimes { from, to, sequence, bytes, posted, arrived, .. } in messages {
        deeds[from.index()].push((posted, Deed::Post { sequence, to, bytes: bytes.0 }));
        deeds[to.index()].push((arrived, Deed::Await { from, sequence }));
    }
    let entries = deeds.into_iter().map(|mut deeds| {
        deeds.sort_unstable();
        let mut last = Time::ZERO;
        let mut entries = Vec::with_capacity(deeds.len());
        for (at, deed) in deeds {
            match deed {
                Deed::Await { from, .. } => entries.push(Entry::Await { from }),
                Deed::Post { to, bytes, .. } => {
                    if at > last {
                        entries.push(Entry::Pause { time: at.since(last) });
                    }
                    entries.push(Entry::Post { to, bytes: Bytes(bytes), wait: Duration::ZERO });
                }
            }
            last = at;
        }
        entries
    });
    Script::new(entries.collect()).expect("ranks of a run exist")
}

/// Keeps the times of all messages with data, but for those that a rank sends to itself: patterns have none.
struct Messages {
    requested: Requested,
    messages: Vec<MessageTimes>,
}

impl Default for Messages {
    fn default() -> Self {
        Self { requested: Requested { messages: Keep::Yes, ..Requested::default() }, messages: Vec::new() }
    }
}

impl Recorder for Messages {
    fn requested(&self) -> &Requested {
        &self.requested
    }

    fn links(&mut self, _: Time, _: &[LinkSample]) {}

    fn buffers(&mut self, _: Time, _: &[BufferSample]) {}

    fn latencies(&mut self, _: Time, _: LatencyKind, _: LatencySample) {}

    fn messages(&mut self, messages: &[MessageTimes]) {
        let counts = |message: &&MessageTimes| message.class.is_data() && message.from != message.to;
        self.messages.extend(messages.iter().filter(counts));
    }

    fn stays(&mut self, _: &[PacketStay]) {}

    fn pairs(&mut self, _: &Pairs) {}

    fn has_failed(&self) -> bool {
        false
    }
}
