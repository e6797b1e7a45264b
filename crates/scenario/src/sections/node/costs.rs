//! What messages of MPI programs, and collectives, cost a node beside the network.

use super::{
    COMBINE_BANDWIDTH, COPY_BANDWIDTH, COPY_OVERHEAD, MESSAGE_GAP, NodeSection, OVERHEAD_LIMITS,
    PACK_OVERHEAD, PROGRESS, PROGRESS_INTERVAL, RECEIVE_OVERHEAD, RENDEZVOUS_OVERHEAD, SEND_OVERHEAD,
    UNEXPECTED_OVERHEAD,
};
use crate::keys::form::OneOrMany;
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use weir_message::{Costs, Overhead, ProgressRule};
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
        let limits = section.get(&OVERHEAD_LIMITS).map_or(Vec::new(), listed);
        if !limits.is_sorted_by(|one, next| one < next) {
            section.problem(
                "overhead_limits",
                "must ascend: each limit is larger than the one before it",
                None,
            );
        }
        let pieces = limits.len() + 1;
        let (send, receive) = (section.get(&SEND_OVERHEAD), section.get(&RECEIVE_OVERHEAD));
        let overheads = |(key, of): (&'static str, Option<OneOrMany<Duration>>)| {
            let list = of.map_or(Vec::new(), listed);
            if list.len() > 1 && list.len() != pieces {
                let what = format!(
                    "must be one value, or {pieces}, one more than overhead_limits has, not {}",
                    list.len()
                );
                section.problem(key, what, None);
            }
            list
        };
        let [send, receive] = [("send_overhead", send), ("receive_overhead", receive)].map(overheads);
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
            progress: read_progress(section),
        }
    }

    /// What is not as it is by default.
    pub(super) fn put(&self, node: &mut Resolved) {
        let given = |list: &[Duration]| (!list.is_empty()).then(|| OneOrMany::of(list.to_vec()));
        node.put_some(&SEND_OVERHEAD, given(&self.send_overhead));
        node.put_some(&RECEIVE_OVERHEAD, given(&self.receive_overhead));
        let limits =
            (!self.overhead_limits.is_empty()).then(|| OneOrMany::Many(self.overhead_limits.clone()));
        node.put_some(&OVERHEAD_LIMITS, limits);
        let some = |time: Duration| (time > Duration::ZERO).then_some(time);
        node.put_some(&UNEXPECTED_OVERHEAD, some(self.unexpected_overhead));
        node.put_some(&RENDEZVOUS_OVERHEAD, some(self.rendezvous_overhead));
        node.put_some(&MESSAGE_GAP, some(self.message_gap));
        node.put_some(&COMBINE_BANDWIDTH, self.combine_bandwidth);
        node.put_some(&COPY_BANDWIDTH, self.copy_bandwidth);
        node.put_some(&COPY_OVERHEAD, some(self.copy_overhead));
        node.put_some(&PACK_OVERHEAD, some(self.pack_overhead));
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
    /// For the message layer, without what `[[combining]]` says.
    pub(crate) fn message_costs(&self) -> Costs {
        let costs = &self.costs;
        let overhead = |times: &[Duration]| match times {
            [] => Overhead::fixed(self.mpi_overhead),
            [all] => Overhead::fixed(*all),
            [first, more @ ..] => {
                let pieces = costs.overhead_limits.iter().copied().zip(more.iter().copied()).collect();
                Overhead::pieces(*first, pieces).expect("the limits have been checked")
            }
        };
        Costs {
            send: overhead(&costs.send_overhead),
            receive: overhead(&costs.receive_overhead),
            unexpected: costs.unexpected_overhead,
            rendezvous: costs.rendezvous_overhead,
            memory_bandwidth: self.memory_bandwidth,
            gap: costs.message_gap,
            combine_bandwidth: costs.combine_bandwidth,
            combining: Box::default(),
            copy_bandwidth: costs.copy_bandwidth,
            copy_overhead: costs.copy_overhead,
            pack_overhead: costs.pack_overhead,
            progress: costs.progress,
            eager_limit: self.eager_limit,
            eager_messages: self.eager_messages,
        }
    }
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
