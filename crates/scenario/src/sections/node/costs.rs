//! What messages of MPI programs, and collectives, cost a node beside the network.

use super::{
    COMBINE_BANDWIDTH, COPY_BANDWIDTH, COPY_OVERHEAD, FAR_LIMITS, FAR_OVERHEAD, FRESH_MEMORY_BANDWIDTH,
    FRESH_MEMORY_FROM, MESSAGE_GAP, NEAR_PARTNERS, NodeSection, OVERHEAD_LIMITS, PACK_OVERHEAD,
    RECEIVE_OVERHEAD, RENDEZVOUS_OVERHEAD, SEND_OVERHEAD, UNEXPECTED_OVERHEAD,
};
use crate::keys::Key;
use crate::keys::form::{OneOrMany, PerItem, Quantity};
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use weir_message::{Costs, Far, FreshMemory, Overhead};
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
    /// What messages cost with partners beyond the first ones.
    pub far: Option<FarCosts>,
    /// What large temporary memory costs.
    pub fresh_memory: Option<FreshMemory>,
}

/// What messages cost more with partners beyond the first ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FarCosts {
    /// How many are near, at least 1.
    pub near: u32,
    /// For each piece of sizes, or one for all.
    pub overhead: Vec<Duration>,
    /// The longest message of each piece but the last, ascending.
    pub limits: Vec<Bytes>,
}

impl NodeCosts {
    pub(super) fn read(section: &mut Section<'_>) -> Self {
        let limits = read_limits(section, &OVERHEAD_LIMITS);
        let [send, receive] = [&SEND_OVERHEAD, &RECEIVE_OVERHEAD]
            .map(|key| read_pieces(section, key, &OVERHEAD_LIMITS, &limits));
        Self {
            send_overhead: send,
            receive_overhead: receive,
            overhead_limits: limits,
            unexpected_overhead: section.get_or_default(&UNEXPECTED_OVERHEAD),
            rendezvous_overhead: section.get_or_default(&RENDEZVOUS_OVERHEAD),
            message_gap: section.get_or_default(&MESSAGE_GAP),
            combine_bandwidth: section.get(&COMBINE_BANDWIDTH),
            copy_bandwidth: section.get(&COPY_BANDWIDTH),
            copy_overhead: section.get_or_default(&COPY_OVERHEAD),
            pack_overhead: section.get_or_default(&PACK_OVERHEAD),
            far: read_far(section),
            fresh_memory: read_fresh_memory(section),
        }
    }

    /// What is not as it is by default.
    pub(super) fn put(&self, node: &mut Resolved) {
        let given = |list: &[Duration]| (!list.is_empty()).then(|| OneOrMany::of(list.to_vec()));
        node.put_some(&SEND_OVERHEAD, given(&self.send_overhead));
        node.put_some(&RECEIVE_OVERHEAD, given(&self.receive_overhead));
        let many = |limits: &[Bytes]| (!limits.is_empty()).then(|| OneOrMany::Many(limits.to_vec()));
        node.put_some(&OVERHEAD_LIMITS, many(&self.overhead_limits));
        let some = |time: Duration| (time > Duration::ZERO).then_some(time);
        node.put_some(&UNEXPECTED_OVERHEAD, some(self.unexpected_overhead));
        node.put_some(&RENDEZVOUS_OVERHEAD, some(self.rendezvous_overhead));
        node.put_some(&MESSAGE_GAP, some(self.message_gap));
        node.put_some(&COMBINE_BANDWIDTH, self.combine_bandwidth);
        node.put_some(&COPY_BANDWIDTH, self.copy_bandwidth);
        node.put_some(&COPY_OVERHEAD, some(self.copy_overhead));
        node.put_some(&PACK_OVERHEAD, some(self.pack_overhead));
        let far = self.far.as_ref();
        node.put_some(&NEAR_PARTNERS, far.map(|far| u64::from(far.near)));
        node.put_some(&FAR_OVERHEAD, far.and_then(|far| given(&far.overhead)));
        node.put_some(&FAR_LIMITS, far.and_then(|far| many(&far.limits)));
        node.put_some(&FRESH_MEMORY_FROM, self.fresh_memory.map(|fresh| fresh.from));
        node.put_some(&FRESH_MEMORY_BANDWIDTH, self.fresh_memory.map(|fresh| fresh.bandwidth));
    }
}

type Times = Key<PerItem<Quantity<Duration>>>;
type Limits = Key<PerItem<Quantity<Bytes>>>;

/// The limits between pieces of sizes.
fn read_limits(section: &mut Section<'_>, key: &'static Limits) -> Vec<Bytes> {
    let limits = section.get(key).map_or(Vec::new(), listed);
    if !limits.is_sorted_by(|one, next| one < next) {
        section.problem(key.name, "must ascend: each limit is larger than the one before it", None);
    }
    limits
}

/// Times that are one for all sizes, or one for each piece between limits.
fn read_pieces(
    section: &mut Section<'_>,
    key: &'static Times,
    limits_key: &Limits,
    limits: &[Bytes],
) -> Vec<Duration> {
    let list = section.get(key).map_or(Vec::new(), listed);
    let pieces = limits.len() + 1;
    if list.len() > 1 && list.len() != pieces {
        let (limits, found) = (limits_key.name, list.len());
        let what = format!("must be one value, or {pieces}, one more than {limits} has, not {found}");
        section.problem(key.name, what, None);
    }
    list
}

fn read_far(section: &mut Section<'_>) -> Option<FarCosts> {
    let near = section.get(&NEAR_PARTNERS);
    let limits = read_limits(section, &FAR_LIMITS);
    let overhead = read_pieces(section, &FAR_OVERHEAD, &FAR_LIMITS, &limits);
    let Some(near) = near else {
        let wrong = section.has("near_partners");
        for (key, given) in [("far_overhead", !overhead.is_empty()), ("far_limits", !limits.is_empty())] {
            let hint = "write node.near_partners too: how many partners a rank has large buffers for";
            if given && !wrong {
                section.problem(key, "says nothing where all partners are near", Some(hint.to_owned()));
            }
        }
        return None;
    };
    if overhead.is_empty() {
        let hint = "write node.far_overhead too: how much longer a message of another partner takes";
        section.problem("near_partners", "says nothing where no partner costs more", Some(hint.to_owned()));
    }
    let near = u32::try_from(near).expect("the row has the range");
    Some(FarCosts { near, overhead, limits })
}

fn read_fresh_memory(section: &mut Section<'_>) -> Option<FreshMemory> {
    let (from, bandwidth) = (section.get(&FRESH_MEMORY_FROM), section.get(&FRESH_MEMORY_BANDWIDTH));
    let alone = match (from, bandwidth) {
        (Some(from), Some(bandwidth)) => return Some(FreshMemory { from, bandwidth }),
        (None, None) => return None,
        (Some(_), None) => ("fresh_memory_from", "fresh_memory_bandwidth"),
        (None, Some(_)) => ("fresh_memory_bandwidth", "fresh_memory_from"),
    };
    let hint = format!("write node.{} too, or neither", alone.1);
    section.problem(alone.0, "says nothing alone", Some(hint));
    None
}

impl NodeSection {
    /// For the message layer.
    pub(crate) fn message_costs(&self) -> Costs {
        let costs = &self.costs;
        let overhead = |times: &[Duration], limits: &[Bytes]| match times {
            [] => Overhead::fixed(self.mpi_overhead),
            [all] => Overhead::fixed(*all),
            [first, more @ ..] => {
                let pieces = limits.iter().copied().zip(more.iter().copied()).collect();
                Overhead::pieces(*first, pieces).expect("the limits have been checked")
            }
        };
        let far = |far: &FarCosts| Far { near: far.near, time: overhead(&far.overhead, &far.limits) };
        Costs {
            send: overhead(&costs.send_overhead, &costs.overhead_limits),
            receive: overhead(&costs.receive_overhead, &costs.overhead_limits),
            unexpected: costs.unexpected_overhead,
            rendezvous: costs.rendezvous_overhead,
            memory_bandwidth: self.memory_bandwidth,
            gap: costs.message_gap,
            combine_bandwidth: costs.combine_bandwidth,
            copy_bandwidth: costs.copy_bandwidth,
            copy_overhead: costs.copy_overhead,
            pack_overhead: costs.pack_overhead,
            far: costs.far.as_ref().map(far),
            fresh_memory: costs.fresh_memory,
            eager_limit: self.eager_limit,
            eager_messages: self.eager_messages,
        }
    }
}

fn listed<T>(written: OneOrMany<T>) -> Vec<T> {
    match written {
        OneOrMany::One(value) => vec![value],
        OneOrMany::Many(values) => values,
    }
}
