//! Costs of messages at a rank's processor.

use crate::{Combining, CombiningRow, OperandSizes};
use weir_collectives::{MemoryBlocks, Plan, Step};
use weir_network::WorkFactors;
use weir_units::{Bandwidth, Bytes, Duration, NodeId, Rank, Time};

/// Processor time of messages, and where the protocol changes. One for all ranks of a run. By default nothing costs anything.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Costs {
    /// Processor time of a message at its sender, before it leaves (the o of LogP at the sender; paper 003, tables 2 and 3:
    /// "MPI function overhead"). Asking to send a long message takes as long as sending it would.
    pub send: Overhead,
    /// Processor time of a message at its receiver, once it is there and asked for (the o of LogP at the receiver).
    pub receive: Overhead,
    /// Additional time of a receive whose message came before it: such a message lies in a buffer of the library, and has to be
    /// found there (Underwood, Brightwell: "The impact of MPI queue usage on message latency", 2004).
    pub unexpected: Overhead,
    /// Time that a receiver takes to let a message go whose sender has asked: both are ready then, and memory is registered with the
    /// interface. It keeps no processor busy (the "rendezvous" steps of LogGPS: Ino, Fujimoto, Hagihara, 2001).
    pub rendezvous: Rendezvous,
    /// Time from when a rank has handed over an eager message to another node (see [`Self::nodes`]) to when its first byte leaves: the interface fetches it
    /// meanwhile, one message of a rank after the other comes out, and no processor is busy (the L of LogP, by size).
    pub eager_latency: Overhead,
    /// Speed at which an eager message is copied out of the user's buffer (paper 003, section 3.1: one-copy); `None`:
    /// copying takes no time. Longer messages are not copied (zero-copy).
    pub memory_bandwidth: Option<Bandwidth>,
    /// Speed at which two operands of a reduction become one, in bytes of one of them; `None`: that takes no time (the gamma of Thakur,
    /// Rabenseifner, Gropp 2005, section 3).
    pub combine_bandwidth: Option<Bandwidth>,
    /// The same by operation and element: the first row that fits a reduction decides, where none does the bandwidth above.
    pub combining: Box<[CombiningRow]>,
    /// Speed at which a collective moves bytes within a rank's memory, when Bruck's algorithm turns and packs blocks, by the size of a copy:
    /// what fits into caches is faster.
    pub copy_bandwidths: Bandwidths,
    /// Least time between two messages that a rank hands to its node (the g of LogGP: Alexandrov et al., 1995). It keeps no
    /// processor busy.
    pub gap: Duration,
    /// Among how many interfaces, at least 1, messages of a rank are dealt out in turn: each has a gap of its own, so that the node gets so many
    /// messages of a rank within a gap.
    pub gap_turns: u32,
    /// Time of each such copy before its first byte: each block of several that are packed is one.
    pub copy_overhead: Duration,
    /// Time of a round that copies before its first copy: making the datatype that describes the blocks.
    pub pack_overhead: Duration,
    /// Processor time of entering a collective: arguments are checked, an algorithm is chosen, requests are made.
    pub collective: Duration,
    /// Processor time at the end of a round of a collective in which a rank has waited: until it sees that its messages are through. However
    /// many there are, it is once.
    pub wait: Duration,
    /// Costs of messages with partners for whom a rank has no large buffers; `None`: it has them for all.
    pub far: Option<Far>,
    /// Cost of temporary memory of collectives that comes from the operating system; `None`: nothing.
    pub fresh_memory: Option<FreshMemory>,
    /// Processor time of a rank that enters a collective which the interfaces carry out, and nothing else of it.
    pub hardware: Duration,
    /// Time of an interface for each message that comes to it in one.
    pub hardware_message: Duration,
    /// When a rank that computes sees what the protocols ask of it.
    pub progress: ProgressRule,
    /// Factors by which the work that a rank computes outside of the library takes longer.
    pub work: WorkFactors,
    /// The longest message that is sent without asking the receiver first.
    pub eager_limit: Bytes,
    /// Number of eager messages in a row that a rank sends to one receiver before it waits for it, so that no rank sends without
    /// bound what is not received. The one after half of them asks the receiver first, as if it were longer than
    /// [`Self::eager_limit`], while its sender goes on; once it is cleared, what was sent since then counts. A rank that
    /// sends to several receivers may ask from a quarter on.
    pub eager_messages: u32,
    /// By rank: its node, where messages within a node differ from others by [`Self::local`] or [`Self::eager_latency`]; else empty.
    pub nodes: Box<[NodeId]>,
    /// Costs that differ between ranks of one node; `None`: none.
    pub local: Option<Box<LocalCosts>>,
}

/// Costs of a message between two ranks of one node: MPI libraries pass it through memory that both have, and no interface takes part.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LocalCosts {
    /// In the place of [`Costs::send`].
    pub send: Overhead,
    /// In the place of [`Costs::receive`].
    pub receive: Overhead,
    /// In the place of [`Costs::rendezvous`].
    pub rendezvous: Rendezvous,
    /// In the place of [`Costs::gap`], for these messages among themselves; `None`: they have their turn with all others.
    pub gap: Option<Duration>,
    /// In the place of [`Costs::eager_limit`].
    pub eager_limit: Bytes,
}

/// Processor time of a message by its size: the same from one limit to the next, as measured curves of MPI libraries are cut (the
/// piecewise model of SMPI: Degomme et al., "Simulating MPI applications: the SMPI approach", 2017, section 5.2).
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Overhead {
    first: Duration,
    /// Time of messages longer than each of these limits, up to the next one.
    more: Box<[(Bytes, Duration)]>,
}

impl Overhead {
    /// The same for all messages.
    pub fn fixed(time: Duration) -> Self {
        Self { first: time, more: Box::default() }
    }

    /// That of the shortest messages, and that of messages longer than each limit; `None` unless each limit is larger than
    /// the one before it.
    pub fn pieces(first: Duration, more: Vec<(Bytes, Duration)>) -> Option<Self> {
        let ascends = more.is_sorted_by(|one, next| one.0 < next.0);
        ascends.then(|| Self { first, more: more.into() })
    }

    /// Time of a message of so many bytes.
    #[inline]
    pub fn of(&self, bytes: Bytes) -> Duration {
        let piece = self.more.iter().rev().find(|(above, _)| bytes > *above);
        piece.map_or(self.first, |&(_, time)| time)
    }
}

/// Time that a receiver takes to let a message go, by the size of the message.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Rendezvous {
    /// The part that does not grow with each byte.
    pub time: Overhead,
    /// Speed at which the memory of the message is made ready.
    pub bandwidths: Bandwidths,
}

/// Speeds by size; none: in no time. The first is that of the smallest sizes, each other one that of sizes beyond a limit.
pub type Bandwidths = Box<[(Bytes, Bandwidth)]>;

impl Rendezvous {
    /// The same for all messages.
    pub fn fixed(time: Duration) -> Self {
        Self { time: Overhead::fixed(time), bandwidths: Box::default() }
    }

    /// That of a message of so many bytes.
    pub fn of(&self, bytes: Bytes) -> Duration {
        self.time.of(bytes) + time_by_size(&self.bandwidths, bytes)
    }
}

/// Partners beyond the first ones. Libraries that keep large receive buffers for each partner do so for a limited number of
/// partners, and reach the others by ways that take longer.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Far {
    /// Number of near partners: the first ranks that messages come from or go to.
    pub near: u32,
    /// Processor time more at a sender to whom the receiver is far.
    pub send: Overhead,
    /// By so much later a message is matched by a receiver to whom the sender is far.
    pub receive: Overhead,
}

/// Temporary memory that the allocator takes from the operating system, and gives back, in each call: a block that is large by itself, and
/// several at the end of the heap that are large together. The C library of GNU keeps blocks up to 32 MiB in its heap
/// (`DEFAULT_MMAP_THRESHOLD_MAX`), once it has seen one of their size, and gives back what is free at its end where that is twice the
/// largest of them (`M_TRIM_THRESHOLD`): one block of a size stays, two do not.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct FreshMemory {
    /// From so many bytes on a block is fresh by itself.
    pub from: Bytes,
    /// From so many bytes of the longest on, shorter blocks are if all of them have twice its length; `None`: they are not.
    pub several_from: Option<Bytes>,
    /// Time to get and to give back such a block, and to register it with the interface, beside its pages.
    pub overhead: Duration,
    /// Speed at which its pages are made when they are first touched.
    pub bandwidth: Bandwidth,
}

impl FreshMemory {
    /// The time of blocks of these lengths, of each of which so many bytes are touched.
    fn time(self, blocks: MemoryBlocks, touched: MemoryBlocks) -> Duration {
        let short = blocks.iter().filter(|&&bytes| (bytes as u64) < self.from.0);
        let (longest, together) =
            short.fold((0, 0), |(longest, sum), &bytes| (bytes.max(longest), sum + bytes));
        let are_fresh = self.several_from.is_some_and(|from| longest as u64 >= from.0)
            && longest > 0
            && together >= 2 * longest;
        let fresh = |bytes: usize| bytes > 0 && (are_fresh || bytes as u64 >= self.from.0);
        let blocks = blocks.iter().zip(touched).filter(|&(&bytes, _)| fresh(bytes));
        let of = |(_, touched): (&usize, usize)| self.overhead + time_of(Some(self.bandwidth), touched);
        blocks.map(of).fold(Duration::ZERO, |sum, time| sum + time)
    }

    /// From how large a workspace on there may be any.
    fn least(self) -> u64 {
        self.from.0.min(self.several_from.map_or(u64::MAX, |from| from.0))
    }
}

impl Costs {
    /// [`Self::eager_messages`] where nothing else is said.
    pub const EAGER_MESSAGES: u32 = 16_384;

    /// Nothing but this time of each message, once at its sender and once at its receiver.
    pub fn of_overhead(overhead: Duration) -> Self {
        Self { send: Overhead::fixed(overhead), receive: Overhead::fixed(overhead), ..Self::default() }
    }

    /// Returns whether two ranks are of one node, where that makes a difference. A rank is its own neighbor.
    #[inline]
    pub(crate) fn are_neighbors(&self, one: Rank, other: Rank) -> bool {
        !self.nodes.is_empty() && self.nodes[one.index()] == self.nodes[other.index()]
    }

    /// Costs of messages between two ranks, if they are of one node and have costs of their own.
    #[inline]
    pub(crate) fn between(&self, one: Rank, other: Rank) -> Option<&LocalCosts> {
        self.local.as_deref().filter(|_| self.are_neighbors(one, other))
    }

    /// Processor time of copying an eager message.
    #[inline]
    pub(crate) fn eager_copy(&self, bytes: Bytes) -> Duration {
        self.memory_bandwidth.map_or(Duration::ZERO, |bandwidth| bandwidth.serialization_time(bytes))
    }

    /// Returns whether the steps and copies of collectives take no time, so that they need not be looked at.
    pub(crate) fn computes_in_no_time(&self) -> bool {
        let overheads = [self.copy_overhead, self.pack_overhead];
        self.combining.is_empty()
            && self.combine_bandwidth.is_none()
            && self.copy_bandwidths.is_empty()
            && overheads == [Duration::ZERO; 2]
            && self.fresh_memory.is_none()
    }

    /// Processor time of what a rank does before the first round of a collective: it enters it, copies its own data, and touches
    /// temporary memory that is fresh.
    pub(crate) fn of_beginning(&self, plan: &Plan) -> Duration {
        if plan.call.is_of_interfaces() {
            return self.hardware;
        }
        if self.computes_in_no_time() {
            return self.collective;
        }
        // What is temporary is part of the workspace, and asks for the rounds of the schedule.
        let fresh = self.fresh_memory.filter(|fresh| plan.workspace as u64 >= fresh.least());
        let fresh = fresh.map(|fresh| {
            let blocks = plan.temporaries();
            fresh.time(blocks, plan.schedule.touched().unwrap_or(blocks))
        });
        self.collective + self.of_copy(plan.own_copy()) + fresh.unwrap_or(Duration::ZERO)
    }

    /// Speed at which a reduction makes one operand of two of this size; `None`: in no time.
    pub(crate) fn bandwidth_of(&self, combining: Combining, sizes: OperandSizes) -> Option<Bandwidth> {
        let row = self.combining.iter().find(|row| row.fits(combining, sizes));
        row.map(|row| row.bandwidth).or(self.combine_bandwidth)
    }

    /// Processor time of a copy within a collective.
    pub(crate) fn of_copy(&self, bytes: usize) -> Duration {
        let time = || self.copy_overhead + time_by_size(&self.copy_bandwidths, Bytes(bytes as u64));
        if bytes == 0 { Duration::ZERO } else { time() }
    }

    /// Processor time of what a round of a collective computes that reduces a vector of so many bytes.
    pub(crate) fn of_steps(&self, steps: &[Step], combining: Combining, vector: Bytes) -> Duration {
        if self.computes_in_no_time() {
            return Duration::ZERO;
        }
        let of = |step: &Step| match step {
            Step::Reduce { from, .. } => {
                let sizes = OperandSizes { operand: Bytes(from.len() as u64), vector };
                time_of(self.bandwidth_of(combining, sizes), from.len())
            }
            Step::Copy { from, .. } => self.of_copy(from.len()),
        };
        let packs = steps.iter().any(|step| matches!(step, Step::Copy { .. }));
        let first = if packs { self.pack_overhead } else { Duration::ZERO };
        steps.iter().map(of).fold(first, |sum, time| sum + time)
    }
}

fn time_by_size(bandwidths: &[(Bytes, Bandwidth)], bytes: Bytes) -> Duration {
    let longer = bandwidths.iter().skip(1).rev().find(|(above, _)| bytes > *above);
    let bandwidth = longer.or(bandwidths.first()).map(|&(_, bandwidth)| bandwidth);
    time_of(bandwidth, bytes.0 as usize)
}

fn time_of(bandwidth: Option<Bandwidth>, bytes: usize) -> Duration {
    bandwidth.map_or(Duration::ZERO, |bandwidth| bandwidth.serialization_time(Bytes(bytes as u64)))
}

impl Default for Costs {
    /// Nothing costs anything; the eager limit is 16 KiB, and 16,384 eager messages in a row go
    /// to one receiver.
    fn default() -> Self {
        Self {
            send: Overhead::default(),
            receive: Overhead::default(),
            unexpected: Overhead::default(),
            rendezvous: Rendezvous::default(),
            eager_latency: Overhead::default(),
            memory_bandwidth: None,
            combine_bandwidth: None,
            combining: Box::default(),
            copy_bandwidths: Box::default(),
            gap: Duration::ZERO,
            gap_turns: 1,
            copy_overhead: Duration::ZERO,
            pack_overhead: Duration::ZERO,
            collective: Duration::ZERO,
            wait: Duration::ZERO,
            far: None,
            fresh_memory: None,
            hardware: Duration::ZERO,
            hardware_message: Duration::ZERO,
            progress: ProgressRule::Always,
            work: WorkFactors::default(),
            eager_limit: Bytes(16 * 1024),
            eager_messages: Self::EAGER_MESSAGES,
            nodes: Box::default(),
            local: None,
        }
    }
}

/// When the library of a rank that computes sees what has come for it: a request to send that a posted receive fits, a clearance.
/// "Independent progress" of Brightwell, Riesen and Underwood: "Analyzing the impact of overlap, offload, and independent
/// progress for Message Passing Interface applications", 2005.
///
/// # Model
/// Whoever answers in place of the rank costs it no processor time. Accesses to windows are never held up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ProgressRule {
    /// At once: the interface answers, or a processor of its own does.
    #[default]
    Always,
    /// At the rank's next call that makes progress: the library has no thread and no interface that matches.
    Calls,
    /// At the next poll of a thread that looks when the rank begins to compute and so often from then on, or at the rank's
    /// next call, whichever is sooner. More than no time.
    Polls(Duration),
}

impl ProgressRule {
    /// When what comes at an instant is seen by a rank that computes from one instant, not after it, until a later one.
    pub fn sees(self, at: Time, (from, until): (Time, Time)) -> Time {
        match self {
            Self::Always => at,
            Self::Calls => until,
            Self::Polls(interval) => {
                let since = at.since(from).as_ps().checked_next_multiple_of(interval.as_ps().max(1));
                since.map_or(until, |since| until.min(from + Duration::from_ps(since)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ElementName, OperationName};
    use weir_collectives::Side;

    #[test]
    fn overheads_change_behind_their_limits() {
        let ns = Duration::from_ns;
        let overhead =
            Overhead::pieces(ns(1), vec![(Bytes(0), ns(2)), (Bytes(16), ns(30)), (Bytes(1000), ns(7))])
                .unwrap();
        let found = [0, 1, 16, 17, 1000, 1001].map(|bytes| overhead.of(Bytes(bytes)));
        assert_eq!(found, [1, 2, 2, 30, 30, 7].map(ns));
        assert_eq!(Overhead::pieces(ns(1), vec![(Bytes(5), ns(2)), (Bytes(5), ns(3))]), None);
    }

    /// 3,000 bytes combined at 1 GB/s, and copies of 400 and 600 bytes at 2 GB/s, beyond 400 bytes at 1 GB/s, that take 10 ns each before, and
    /// 100 ns both: 3 us, and 100 + 20 + 200 + 600 ns.
    #[test]
    fn what_a_round_computes_takes_time() {
        let rate = |rate| Bandwidth::new(rate).unwrap();
        let costs = Costs {
            combine_bandwidth: Some(rate(1e9)),
            copy_bandwidths: [(Bytes(0), rate(2e9)), (Bytes(400), rate(1e9))].into(),
            copy_overhead: Duration::from_ns(10),
            pack_overhead: Duration::from_ns(100),
            ..Costs::default()
        };
        let steps = [
            Step::Reduce { from: 0..3000, into: 3000, side: Side::Left },
            Step::Copy { from: 0..400, to: 1000 },
            Step::Copy { from: 400..1000, to: 2000 },
        ];
        let time = |steps: &[Step]| costs.of_steps(steps, Combining::default(), Bytes(3000));
        assert_eq!([time(&steps), time(&steps[..1])], [Duration::from_ns(3920), Duration::from_ns(3000)]);
    }

    /// 3,000 bytes: of doubles that are added 3 us, at 1 GB/s; of others that are added 6 us, at 500 MB/s; else 1.5 us, at 2 GB/s.
    #[test]
    fn the_first_row_that_fits_decides() {
        let rate = |rate| Bandwidth::new(rate).unwrap();
        let row = |elements: &[&str], bandwidth| CombiningRow {
            operations: vec![OperationName::named("sum").unwrap()],
            elements: elements.iter().map(|name| ElementName::named(name).unwrap()).collect(),
            up_to: None,
            vector_up_to: None,
            bandwidth: rate(bandwidth),
        };
        let costs = Costs {
            combine_bandwidth: Some(rate(2e9)),
            combining: [row(&["double"], 1e9), row(&[], 0.5e9)].into(),
            ..Costs::default()
        };
        let steps = [Step::Reduce { from: 0..3000, into: 3000, side: Side::Left }];
        let time = |operation: &str, element: &str| {
            let (operation, element) = (OperationName::named(operation), ElementName::named(element));
            costs.of_steps(&steps, Combining { operation, element }, Bytes(3000)).as_ps() / 1000
        };
        assert_eq!(time("sum", "double"), 3000);
        assert_eq!([time("sum", "int"), time("sum", "a structure")], [6000; 2]);
        assert_eq!([time("max", "double"), time("not known", "double")], [1500; 2]);
        let only_rows = Costs { combine_bandwidth: None, ..costs.clone() };
        assert!(!only_rows.computes_in_no_time());
        assert_eq!(only_rows.bandwidth_of(Combining::default(), OperandSizes::default()), None);
    }
}
