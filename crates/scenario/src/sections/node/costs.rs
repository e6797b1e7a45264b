//! What messages of MPI programs, and collectives, cost a node beside the network.

use super::far::FarCosts;
use super::fresh_memory;
use super::{
    COLLECTIVE_OVERHEAD, COMBINE_BANDWIDTH, COPY_BANDWIDTH, COPY_OVERHEAD, GapOf, HARDWARE_MESSAGE_TIME,
    HARDWARE_OVERHEAD, MESSAGE_GAP, NodeSection, OVERHEAD_LIMITS, PACK_OVERHEAD, PROGRESS, PROGRESS_INTERVAL,
    RECEIVE_OVERHEAD, RENDEZVOUS_OVERHEAD, SEND_OVERHEAD, UNEXPECTED_OVERHEAD,
};
use crate::keys::Key;
use crate::keys::form::{OneOrMany, PerItem, Quantity};
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use weir_message::{Costs, FreshMemory, Overhead, ProgressRule};
use weir_network::{Placement, WorkFactors};
use weir_units::{Bandwidth, Bytes, Duration};

/// What a message, and what a collective computes, cost beside [`NodeSection::mpi_overhead`]: nothing by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeCosts {
    /// Processor time at the sender, for each piece of sizes, or one for all; empty: [`NodeSection::mpi_overhead`].
    pub send_overhead: Vec<Duration>,
    /// Likewise at the receiver.
    pub receive_overhead: Vec<Duration>,
    /// The longest message of each piece but the last, ascending.
    pub overhead_limits: Vec<Bytes>,
    /// More at the receiver of a message that came before it was asked for.
    pub unexpected_overhead: Duration,
    /// From when both sides are ready to when a message beyond the eager limit is let go.
    pub rendezvous_overhead: Duration,
    /// Least time between two messages of a rank.
    pub message_gap: Duration,
    /// How fast a reduction combines; `None`: in no time.
    pub combine_bandwidth: Option<Bandwidth>,
    /// How fast a collective copies; `None`: in no time.
    pub copy_bandwidth: Option<Bandwidth>,
    /// How long each copy takes before its first byte.
    pub copy_overhead: Duration,
    /// How long a round that copies takes before its first copy.
    pub pack_overhead: Duration,
    /// Processor time of entering a collective.
    pub collective_overhead: Duration,
    /// What messages cost more with partners beyond the first ones.
    pub far: Option<FarCosts>,
    /// What large temporary memory costs.
    pub fresh_memory: Option<FreshMemory>,
    /// Of a rank in a collective that the interfaces carry out, and of an interface for a message; `None`: they cannot.
    pub hardware: Option<(Duration, Duration)>,
    /// Who answers while a rank computes.
    pub progress: ProgressRule,
}

/// Who answers requests to send and clearances while a rank computes, by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::sections) enum Answers {
    Always,
    Calls,
    Polls,
}

impl Answers {
    pub(super) const NAMES: [(&str, Self); 3] =
        [("always", Self::Always), ("calls", Self::Calls), ("polls", Self::Polls)];
}

impl NodeCosts {
    pub(super) fn read(section: &mut Section<'_>) -> Self {
        let limits = read_limits(section, &OVERHEAD_LIMITS);
        let pieces = limits.len() + 1;
        Self {
            send_overhead: read_overheads(section, &SEND_OVERHEAD, pieces),
            receive_overhead: read_overheads(section, &RECEIVE_OVERHEAD, pieces),
            overhead_limits: limits,
            unexpected_overhead: section.get_or_default(&UNEXPECTED_OVERHEAD),
            rendezvous_overhead: section.get_or_default(&RENDEZVOUS_OVERHEAD),
            message_gap: section.get_or_default(&MESSAGE_GAP),
            combine_bandwidth: section.get(&COMBINE_BANDWIDTH),
            copy_bandwidth: section.get(&COPY_BANDWIDTH),
            copy_overhead: section.get_or_default(&COPY_OVERHEAD),
            pack_overhead: section.get_or_default(&PACK_OVERHEAD),
            collective_overhead: section.get_or_default(&COLLECTIVE_OVERHEAD),
            far: FarCosts::read(section),
            fresh_memory: fresh_memory::read(section),
            hardware: read_hardware(section),
            progress: read_progress(section),
        }
    }

    /// How many pieces of sizes overheads may have.
    pub(super) fn pieces(&self) -> usize {
        self.overhead_limits.len() + 1
    }

    /// What is not as it is by default.
    pub(super) fn put(&self, node: &mut Resolved) {
        node.put_some(&SEND_OVERHEAD, given_overheads(&self.send_overhead));
        node.put_some(&RECEIVE_OVERHEAD, given_overheads(&self.receive_overhead));
        node.put_some(&OVERHEAD_LIMITS, given_limits(&self.overhead_limits));
        let some = |time: Duration| (time > Duration::ZERO).then_some(time);
        node.put_some(&UNEXPECTED_OVERHEAD, some(self.unexpected_overhead));
        node.put_some(&RENDEZVOUS_OVERHEAD, some(self.rendezvous_overhead));
        node.put_some(&MESSAGE_GAP, some(self.message_gap));
        node.put_some(&COMBINE_BANDWIDTH, self.combine_bandwidth);
        node.put_some(&COPY_BANDWIDTH, self.copy_bandwidth);
        node.put_some(&COPY_OVERHEAD, some(self.copy_overhead));
        node.put_some(&PACK_OVERHEAD, some(self.pack_overhead));
        node.put_some(&COLLECTIVE_OVERHEAD, some(self.collective_overhead));
        self.far.iter().for_each(|far| far.put(node));
        self.fresh_memory.iter().for_each(|fresh| fresh_memory::put(*fresh, node));
        if let Some((overhead, message)) = self.hardware {
            node.put(&HARDWARE_OVERHEAD, overhead);
            node.put(&HARDWARE_MESSAGE_TIME, message);
        }
        match self.progress {
            ProgressRule::Always => {}
            ProgressRule::Calls => node.put(&PROGRESS, Answers::Calls),
            ProgressRule::Polls(interval) => {
                node.put(&PROGRESS, Answers::Polls);
                node.put(&PROGRESS_INTERVAL, interval);
            }
        }
    }
}

impl NodeSection {
    /// For the message layer, with ranks on these nodes, of so many interfaces; without what `[[combining]]` and `[[work]]` say.
    pub(crate) fn message_costs(&self, placement: &Placement, interfaces: u32) -> Costs {
        let costs = &self.costs;
        Costs {
            send: self.overhead(&costs.send_overhead),
            receive: self.overhead(&costs.receive_overhead),
            local: self.local_costs(placement).map(Box::new),
            unexpected: costs.unexpected_overhead,
            rendezvous: costs.rendezvous_overhead,
            memory_bandwidth: self.memory_bandwidth,
            gap: costs.message_gap,
            gap_turns: if self.gap_of == GapOf::Interface { interfaces } else { 1 },
            combine_bandwidth: costs.combine_bandwidth,
            combining: Box::default(),
            copy_bandwidth: costs.copy_bandwidth,
            copy_overhead: costs.copy_overhead,
            pack_overhead: costs.pack_overhead,
            collective: costs.collective_overhead,
            far: costs.far.as_ref().map(FarCosts::of_messages),
            fresh_memory: costs.fresh_memory,
            hardware: costs.hardware.unwrap_or_default().0,
            hardware_message: costs.hardware.unwrap_or_default().1,
            progress: costs.progress,
            work: WorkFactors::default(),
            eager_limit: self.eager_limit,
            eager_messages: self.eager_messages,
        }
    }
}

impl NodeSection {
    /// Processor times of a message, as they are written.
    pub(super) fn overhead(&self, times: &[Duration]) -> Overhead {
        if times.is_empty() {
            return Overhead::fixed(self.mpi_overhead);
        }
        in_pieces(times, &self.costs.overhead_limits)
    }
}

/// Times for pieces of sizes between limits, or one for all.
pub(super) fn in_pieces(times: &[Duration], limits: &[Bytes]) -> Overhead {
    let (first, more) = times.split_first().map_or((Duration::ZERO, times), |(first, more)| (*first, more));
    let pieces = limits.iter().copied().zip(more.iter().copied()).collect();
    Overhead::pieces(first, pieces).expect("the limits have been checked")
}

/// The limits between pieces of sizes; empty where there is one.
pub(super) fn read_limits(
    section: &mut Section<'_>,
    key: &'static Key<PerItem<Quantity<Bytes>>>,
) -> Vec<Bytes> {
    let limits = section.get(key).map_or(Vec::new(), listed);
    if !limits.is_sorted_by(|one, next| one < next) {
        section.problem(key.name, "must ascend: each limit is larger than the one before it", None);
    }
    limits
}

/// The times of a row, one for each piece between the limits of another row, or one for all; empty where it is not said.
pub(super) fn read_pieces(
    section: &mut Section<'_>,
    key: &'static Key<PerItem<Quantity<Duration>>>,
    limits: &Key<PerItem<Quantity<Bytes>>>,
    pieces: usize,
) -> Vec<Duration> {
    let list = section.get(key).map_or(Vec::new(), listed);
    if list.len() > 1 && list.len() != pieces {
        let (limits, found) = (limits.name, list.len());
        let what = format!("must be one value, or {pieces}, one more than {limits} has, not {found}");
        section.problem(key.name, what, None);
    }
    list
}

/// The times of a row, of so many pieces between [`OVERHEAD_LIMITS`].
pub(super) fn read_overheads(
    section: &mut Section<'_>,
    key: &'static Key<PerItem<Quantity<Duration>>>,
    pieces: usize,
) -> Vec<Duration> {
    read_pieces(section, key, &OVERHEAD_LIMITS, pieces)
}

/// Times as they are written; `None` if there are none.
pub(super) fn given_overheads(list: &[Duration]) -> Option<OneOrMany<Duration>> {
    (!list.is_empty()).then(|| OneOrMany::of(list.to_vec()))
}

/// Limits as they are written; `None` if there are none.
pub(super) fn given_limits(list: &[Bytes]) -> Option<OneOrMany<Bytes>> {
    (!list.is_empty()).then(|| OneOrMany::Many(list.to_vec()))
}

fn read_hardware(section: &mut Section<'_>) -> Option<(Duration, Duration)> {
    let message = section.get_or_default(&HARDWARE_MESSAGE_TIME);
    if !section.has(HARDWARE_OVERHEAD.name) {
        section.refuse(&[HARDWARE_MESSAGE_TIME.name], "belongs to hardware_overhead");
    }
    section.get(&HARDWARE_OVERHEAD).map(|overhead| (overhead, message))
}

fn read_progress(section: &mut Section<'_>) -> ProgressRule {
    let answers = section.get_or_default(&PROGRESS);
    if answers != Answers::Polls {
        section.refuse(&[PROGRESS_INTERVAL.name], "belongs to progress = \"polls\"");
        return if answers == Answers::Calls { ProgressRule::Calls } else { ProgressRule::Always };
    }
    let interval = section.get(&PROGRESS_INTERVAL);
    let interval = section.required(interval, PROGRESS_INTERVAL.name, "write progress_interval = \"20 us\"");
    if interval == Some(Duration::ZERO) {
        let hint = "a thread that looks all the time is progress = \"always\"".to_owned();
        section.problem(PROGRESS_INTERVAL.name, "must be more than no time", Some(hint));
    }
    interval.map_or(ProgressRule::Calls, ProgressRule::Polls)
}

fn listed<T>(written: OneOrMany<T>) -> Vec<T> {
    match written {
        OneOrMany::One(value) => vec![value],
        OneOrMany::Many(values) => values,
    }
}
