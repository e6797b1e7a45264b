//! Checks a profile step by step for everything that a replay takes for granted.

use super::Communicators;
use crate::{MistakePlace, Mistakes};
use std::collections::{BTreeMap, BTreeSet};
use weir_operations::{
    ALONE, Collective, Function, Lengths, Operation, RequestId, Root, Side, Step, WORLD, WindowOperation,
};
use weir_units::{Rank, Time};

/// Numbers of requests stay below this.
const MOST_REQUESTS: u32 = 1 << 24;

/// Checks the events of all ranks, those of each rank in their order.
#[derive(Debug)]
pub(crate) struct Checker {
    ranks: Vec<State>,
    bytes: u64,
}

#[derive(Clone, Debug, Default)]
struct State {
    /// The use of each number of a request.
    open: Vec<Use>,
    rare: Option<Box<Rare>>,
    clock: Time,
    any: bool,
    over: bool,
}

/// The use of a number of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Use {
    #[default]
    Nothing,
    /// A request that is started and not waited for.
    Request,
    /// A request of `open` that is not fulfilled.
    Unfulfilled,
    /// A message that is taken out of the queue and not received.
    Message,
}

#[derive(Clone, Debug, Default)]
struct Rare {
    windows: BTreeSet<u32>,
    channels: BTreeMap<u32, Side>,
}

impl Checker {
    pub(crate) fn new(ranks: u32) -> Self {
        Self { ranks: vec![State::default(); ranks as usize], bytes: 0 }
    }

    /// Checks the next step of a rank; `report` gets what is wrong.
    pub(crate) fn check(
        &mut self,
        rank: Rank,
        step: &Step,
        communicators: &Communicators,
        report: &mut dyn FnMut(String),
    ) {
        let (ranks, state) = (self.ranks.len(), &mut self.ranks[rank.index()]);
        Check { rank, ranks, communicators, state, report: &mut *report }.check(step);
        self.bytes = self.bytes.saturating_add(match step.operation {
            Operation::Send { bytes, .. }
            | Operation::File { bytes, .. }
            | Operation::Access { bytes, .. }
            | Operation::Ready { bytes, .. } => bytes,
            _ => 0,
        });
        if self.bytes > u64::MAX / 2 {
            report("sizes that overflow: the messages up to here have 2^63 bytes or more".into());
            self.bytes = 0;
        }
    }

    /// Notes that the file says something of this rank, right or wrong.
    pub(super) fn saw(&mut self, rank: Rank) {
        self.ranks[rank.index()].any = true;
    }

    /// Reports what is missing when all events are there.
    pub(super) fn finish(&self, mistakes: &mut Mistakes) {
        let missing = (0..).zip(&self.ranks).filter(|(_, state)| !state.any);
        for (rank, _) in missing {
            let what = format!("rank {rank} is missing: every rank has events, at least its end");
            mistakes.add(MistakePlace::File, "", what);
        }
    }
}

/// Checks a step by itself, and by what its rank has done before.
struct Check<'a> {
    rank: Rank,
    ranks: usize,
    communicators: &'a Communicators,
    state: &'a mut State,
    report: &'a mut dyn FnMut(String),
}

impl Check<'_> {
    fn report(&mut self, what: impl Into<String>) {
        (self.report)(what.into());
    }

    fn check(&mut self, step: &Step) {
        if self.state.over {
            self.report(format!("rank {} does something after its end", self.rank));
        }
        self.pass(step);
        match &step.operation {
            Operation::Send { to: peer, tag, communicator, .. } => {
                self.peer_and_tag(*peer, *tag, *communicator)
            }
            Operation::Receive { from, communicator, .. }
            | Operation::Probe { from, communicator, .. }
            | Operation::Match { from, communicator, .. } => {
                self.peer_and_tag(from.source, from.tag.unwrap_or(0), *communicator)
            }
            Operation::Collective { collective, communicator, .. } => {
                self.collective(collective, *communicator);
            }
            Operation::File { lasts, .. } if lasts.as_ps() > u64::MAX / 4 => {
                self.report("it lasts longer than can be represented");
            }
            Operation::Access { target, bytes, communicator, .. } => {
                self.access(*target, *bytes, *communicator);
            }
            Operation::Window { communicator, operation } => self.window(*communicator, operation),
            Operation::Channel { channel, side, peer, tag, communicator } => {
                self.peer_and_tag(*peer, *tag, *communicator);
                let channels = &mut self.state.rare.get_or_insert_default().channels;
                if *channel >= MOST_REQUESTS || channels.insert(*channel, *side).is_some() {
                    self.report(format!("channel {channel} is there already, or not below {MOST_REQUESTS}"));
                }
            }
            Operation::Wait { requests, .. } => {
                requests.as_slice().iter().for_each(|&request| self.end(request))
            }
            Operation::See { requests } => {
                requests.as_slice().iter().for_each(|&request| self.must_be_open(request))
            }
            Operation::Release { request } => self.end(*request),
            Operation::Cancel { request } | Operation::Ready { request, .. } => self.must_be_open(*request),
            Operation::Fulfil { request: RequestId(number) } => {
                match self.state.open.get_mut(*number as usize) {
                    Some(open @ Use::Unfulfilled) => *open = Use::Request,
                    _ => self.report(format!(
                        "request {number} is none of open, or it was fulfilled or waited for before"
                    )),
                }
            }
            Operation::ReceiveMatched { message: RequestId(number), request, .. } => {
                match self.state.open.get_mut(*number as usize) {
                    Some(open @ Use::Message) => *open = Use::Nothing,
                    _ => self.report(format!(
                        "{number} is no message that mprobe has found, or it was received before"
                    )),
                }
                if request.is_some_and(|request| request != RequestId(*number)) {
                    self.report(format!("the request has another number than message {number}"));
                }
            }
            Operation::StartSend { channel, .. } => self.must_have_channel(*channel, Side::Send),
            Operation::StartReceive { channel, .. } => self.must_have_channel(*channel, Side::Receive),
            Operation::End => self.state.over = true,
            Operation::Compute { .. }
            | Operation::File { .. }
            | Operation::Open { .. }
            | Operation::Choose(_)
            | Operation::Flush
            | Operation::Poll { .. } => {}
        }
        match &step.operation {
            Operation::Open { request } => self.begin(*request, Use::Unfulfilled),
            Operation::Match { message, .. } => self.begin(*message, Use::Message),
            operation => {
                operation.request().into_iter().for_each(|request| self.begin(request, Use::Request))
            }
        }
    }

    fn access(&mut self, target: u32, bytes: u64, communicator: u32) {
        let size = self.peers(communicator);
        self.peer(Some(target), size, communicator);
        self.must_have_window(communicator);
        if bytes == 0 || bytes > 1 << 58 {
            self.report(format!(
                "{bytes} bytes: an access has at least one, and not more than can be counted"
            ));
        }
    }

    fn begin(&mut self, RequestId(number): RequestId, stands_for: Use) {
        if number >= MOST_REQUESTS {
            return self.report(format!("request {number}: numbers of requests are below {MOST_REQUESTS}"));
        }
        let (place, open) = (number as usize, &mut self.state.open);
        if open.len() <= place {
            open.resize(place + 1, Use::Nothing);
        }
        if std::mem::replace(&mut open[place], stands_for) != Use::Nothing {
            self.report(format!("request {number} is started a second time before it is waited for"));
        }
    }

    fn end(&mut self, request: RequestId) {
        self.must_be_open(request);
        if let Some(open @ (Use::Request | Use::Unfulfilled)) = self.state.open.get_mut(request.0 as usize) {
            *open = Use::Nothing;
        }
    }

    fn must_be_open(&mut self, RequestId(number): RequestId) {
        if !matches!(self.state.open.get(number as usize), Some(Use::Request | Use::Unfulfilled)) {
            self.report(format!("request {number} is not under way: never started, or waited for before"));
        }
    }

    /// Lets the time of a step pass.
    fn pass(&mut self, step: &Step) {
        let took = step.time_in_call();
        let clock = self.state.clock.as_ps().checked_add(step.compute.as_ps());
        match clock.and_then(|clock| clock.checked_add(took.as_ps())).filter(|clock| *clock < u64::MAX / 4) {
            Some(clock) => self.state.clock = Time::from_ps(clock),
            None => self.report("the times of this rank together are longer than can be represented"),
        }
    }

    fn window(&mut self, communicator: u32, operation: &WindowOperation) {
        let sizes = self.sizes(communicator);
        if let Some(Sizes { remote: Some(_), .. }) = sizes {
            self.report("a window is not between two groups");
        }
        let size = sizes.map(|sizes| sizes.local);
        match operation {
            WindowOperation::Open => {
                let windows = &mut self.state.rare.get_or_insert_default().windows;
                if communicator <= ALONE || !windows.insert(communicator) {
                    self.report(format!(
                        "communicator {communicator} is no window to be: a window has a communicator of its own"
                    ));
                }
                return;
            }
            WindowOperation::Flush { rank, .. } => self.peer(*rank, size, communicator),
            WindowOperation::Lock { rank, .. } | WindowOperation::Unlock { rank } => {
                self.peer(Some(*rank), size, communicator);
            }
            WindowOperation::Post { group, .. } | WindowOperation::Start { group, .. } => {
                let mut seen = BTreeSet::new();
                for &rank in group {
                    self.peer(Some(rank), size, communicator);
                    if !seen.insert(rank) {
                        self.report(format!("rank {rank} stands twice in the group"));
                    }
                }
            }
            _ => {}
        }
        self.must_have_window(communicator);
        if let (WindowOperation::Close, Some(rare)) = (operation, &mut self.state.rare) {
            rare.windows.remove(&communicator);
        }
    }

    fn must_have_window(&mut self, communicator: u32) {
        if !self.state.rare.as_ref().is_some_and(|rare| rare.windows.contains(&communicator)) {
            self.report(format!("communicator {communicator} is no open window: win-open is missing"));
        }
    }

    fn must_have_channel(&mut self, channel: u32, side: Side) {
        if self.state.rare.as_ref().and_then(|rare| rare.channels.get(&channel)) != Some(&side) {
            let init = if side == Side::Send { "psend-init" } else { "precv-init" };
            self.report(format!("there is no channel {channel} of {init}"));
        }
    }

    /// The sizes of a communicator; `None` where there is none of this number.
    fn sizes(&mut self, communicator: u32) -> Option<Sizes> {
        let (all, rank) = (self.communicators, self.rank);
        let members = match communicator {
            WORLD => return Some(Sizes { local: self.ranks, remote: None }),
            ALONE => return Some(Sizes { local: 1, remote: None }),
            _ => all.members(communicator),
        };
        let Some(members) = members else {
            self.report(format!("there is no communicator {communicator}"));
            return None;
        };
        if !all.has(communicator, rank) {
            self.report(format!("rank {rank} is not in communicator {communicator}"));
        }
        Some(match all.between(communicator) {
            None => Sizes { local: members.len(), remote: None },
            Some((first, second)) if first.contains(&rank) => {
                Sizes { local: first.len(), remote: Some(second.len()) }
            }
            Some((first, second)) => Sizes { local: second.len(), remote: Some(first.len()) },
        })
    }

    fn peers(&mut self, communicator: u32) -> Option<usize> {
        self.sizes(communicator).map(Sizes::peers)
    }

    fn peer(&mut self, peer: Option<u32>, size: Option<usize>, communicator: u32) {
        if let (Some(peer), Some(size)) = (peer, size)
            && peer as usize >= size
        {
            self.report(format!(
                "there is no rank {peer} in communicator {communicator}, which has {size}, counted from 0"
            ));
        }
    }

    fn peer_and_tag(&mut self, peer: Option<u32>, tag: i32, communicator: u32) {
        let size = self.peers(communicator);
        self.peer(peer, size, communicator);
        if tag < 0 {
            self.report(format!("tag {tag} must be at least 0"));
        }
    }

    fn collective(&mut self, collective: &Collective, communicator: u32) {
        let Some(sizes) = self.sizes(communicator) else { return };
        let Collective { function, root, lengths, .. } = collective;
        let name = function.word();
        match (root, sizes.remote) {
            (Root::Rank(root), _) => self.peer(Some(*root), Some(sizes.peers()), communicator),
            (Root::Here | Root::Elsewhere, None) => {
                self.report(format!("{name} needs its root (in a table: as peer)"));
            }
            _ => {}
        }
        if sizes.remote.is_some() && !between_groups(*function) {
            self.report(format!(
                "{name} is not possible between two groups, or is called by its form with blocks there"
            ));
        }
        if sizes.remote.is_none()
            && (matches!(lengths, Lengths::Given { .. }) || *function == Function::Merge)
        {
            self.report(format!("{name} of this form is for communicators between two groups"));
        }
        let size = if *function == Function::ReduceScatter { sizes.local } else { sizes.peers() };
        let total = match lengths {
            Lengths::None => Some(0),
            Lengths::Bytes(bytes) => bytes.checked_mul(size as u64),
            Lengths::Elements { bytes, element, .. } => {
                self.element(*bytes, *element);
                Some(*bytes)
            }
            Lengths::Given { bytes, into } => self.blocks(into, size).and_then(|sum| sum.checked_add(*bytes)),
            Lengths::Blocks(blocks) => self.blocks(blocks, size),
            Lengths::Combined { blocks, element, .. } => {
                blocks.iter().for_each(|&bytes| self.element(bytes, *element));
                self.blocks(blocks, size)
            }
            Lengths::Exchange { out, into } => match (self.blocks(out, size), self.blocks(into, size)) {
                (Some(out), Some(into)) => out.checked_add(into),
                _ => None,
            },
            Lengths::Neighbors(around) => {
                for &rank in around.destinations.iter().chain(&around.sources) {
                    self.peer(rank, Some(size), communicator);
                }
                around.out.iter().chain(&around.into).try_fold(0u64, |sum, &bytes| sum.checked_add(bytes))
            }
        };
        // Algorithms have workspaces of a few times the data, and count them in 64 bits.
        if total.is_none_or(|total| total > 1 << 58) {
            self.report(format!("{name}: more data than can be counted"));
        }
    }

    /// The bytes of the blocks for so many ranks; `None` where they are too many to be counted.
    fn blocks(&mut self, blocks: &[u64], size: usize) -> Option<u64> {
        let count = blocks.len();
        if count != size && count != 1 {
            self.report(format!(
                "{count} blocks for a communicator of {size}: one for each rank, or one for all that are equal"
            ));
        }
        let times = if count == 1 { size as u64 } else { 1 };
        blocks.iter().try_fold(0u64, |sum, bytes| sum.checked_add(bytes.checked_mul(times)?))
    }

    fn element(&mut self, bytes: u64, element: u32) {
        if element == 0 && bytes > 0 || element > 0 && !bytes.is_multiple_of(element.into()) {
            self.report(format!("{bytes} bytes are no whole number of elements of {element} bytes"));
        }
    }
}

/// The number of ranks in a communicator, as one of them sees it.
#[derive(Clone, Copy)]
struct Sizes {
    /// The rank's own group.
    local: usize,
    /// The other group, if there are two.
    remote: Option<usize>,
}

impl Sizes {
    /// The ranks that messages go to.
    fn peers(self) -> usize {
        self.remote.unwrap_or(self.local)
    }
}

/// Returns whether a collective is possible between two groups; those whose blocks may differ stand for those whose do not.
const fn between_groups(function: Function) -> bool {
    matches!(
        function,
        Function::Barrier
            | Function::Bcast
            | Function::Reduce
            | Function::Allreduce
            | Function::Gatherv
            | Function::Scatterv
            | Function::Allgatherv
            | Function::Alltoallv
            | Function::ReduceScatter
            | Function::Split
            | Function::Merge
    )
}
