//! What can be checked of a profile event by event: everything that a replay takes for granted.

use super::communicators::{ALONE, WORLD};
use super::{Act, Asked, Collective, Communicators, Event, From, Function, Lengths, Request, Root};
use super::{Side, WindowAct};
use crate::{MistakePlace, Mistakes};
use std::collections::{BTreeMap, BTreeSet};
use weir_units::{Rank, Time};

/// Numbers of requests stay below this.
pub(super) const MOST_REQUESTS: u32 = 1 << 24;
/// The largest tag.
const LARGEST_TAG: i32 = i32::MAX;

/// Checks the events of all ranks, those of each rank in their order.
#[derive(Debug)]
pub(super) struct Checker {
    ranks: Vec<State>,
    bytes: u64,
}

#[derive(Clone, Debug, Default)]
struct State {
    /// What each number of a request stands for.
    open: Vec<Use>,
    rare: Option<Box<Rare>>,
    clock: Time,
    any: bool,
    over: bool,
}

/// What a number of a request stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Use {
    #[default]
    Nothing,
    /// A request that is started and not waited for.
    Request,
    /// Likewise, one of `open` that is not fulfilled.
    Unfulfilled,
    /// A message that is taken out of the queue and not received.
    Message,
}

/// What few ranks have.
#[derive(Clone, Debug, Default)]
struct Rare {
    windows: BTreeSet<u32>,
    channels: BTreeMap<u32, Side>,
}

/// How many ranks a communicator has, as one of them sees it.
#[derive(Clone, Copy)]
struct Sizes {
    /// Its own group.
    local: usize,
    /// The other group, if there are two.
    remote: Option<usize>,
}

impl Sizes {
    /// Those that messages go to.
    fn peers(self) -> usize {
        self.remote.unwrap_or(self.local)
    }
}

impl Checker {
    pub(super) fn new(ranks: u32) -> Self {
        Self { ranks: vec![State::default(); ranks as usize], bytes: 0 }
    }

    /// The next event of a rank; `report` gets what is wrong.
    pub(super) fn check(
        &mut self,
        rank: Rank,
        event: &Event,
        all: &Communicators,
        report: &mut dyn FnMut(String),
    ) {
        let ranks = self.ranks.len();
        let state = &mut self.ranks[rank.index()];
        if state.over {
            report(format!("rank {rank} does something after its end"));
        }
        state.pass(event, report);
        let sizes =
            |communicator: u32, report: &mut dyn FnMut(String)| sizes(communicator, rank, ranks, all, report);
        let size =
            |communicator: u32, report: &mut dyn FnMut(String)| sizes(communicator, report).map(Sizes::peers);
        match &event.act {
            Act::Send { to, tag, bytes, communicator, request, .. } => {
                let size = size(*communicator, report);
                check_peer(*to, size, *communicator, report);
                check_tag(Some(*tag), report);
                self.bytes = self.bytes.saturating_add(*bytes);
                state.start(*request, report);
            }
            Act::Receive { from, communicator, request, .. } => {
                let size = size(*communicator, report);
                check_from(*from, size, *communicator, report);
                state.start(*request, report);
            }
            Act::Probe { from, communicator, .. } => {
                let size = size(*communicator, report);
                check_from(*from, size, *communicator, report);
            }
            Act::Collective { collective, communicator, request, .. } => {
                if let Some(sizes) = sizes(*communicator, report) {
                    check_collective(collective, sizes, *communicator, report);
                }
                state.start(*request, report);
            }
            Act::Match { from, communicator, message, .. } => {
                let size = size(*communicator, report);
                check_from(*from, size, *communicator, report);
                state.begin(*message, Use::Message, report);
            }
            Act::File { bytes, lasts, request, .. } => {
                self.bytes = self.bytes.saturating_add(*bytes);
                if lasts.as_ps() > u64::MAX / 4 {
                    report("it lasts longer than can be represented".into());
                }
                state.start(*request, report);
            }
            Act::Access { target, bytes, communicator, request, .. } => {
                let size = size(*communicator, report);
                check_peer(Some(*target), size, *communicator, report);
                state.must_have_window(*communicator, report);
                if *bytes == 0 || *bytes > 1 << 58 {
                    report(format!(
                        "{bytes} bytes: an access has at least one, and not more than can be counted"
                    ));
                }
                self.bytes = self.bytes.saturating_add(*bytes);
                state.start(*request, report);
            }
            Act::Window { communicator, act } => {
                let sizes = sizes(*communicator, report);
                state.window(*communicator, act, sizes, report);
            }
            Act::Channel { channel, side, peer, tag, communicator } => {
                let size = size(*communicator, report);
                check_peer(*peer, size, *communicator, report);
                check_tag(Some(*tag), report);
                state.channel(*channel, *side, report);
            }
            Act::Ready { request, bytes, .. } => {
                state.must_be_open(*request, report);
                self.bytes = self.bytes.saturating_add(*bytes);
            }
            act => state.check_requests(act, report),
        }
        if self.bytes > u64::MAX / 2 {
            report("sizes that overflow: the messages up to here have 2^63 bytes or more".into());
            self.bytes = 0;
        }
    }

    /// There is something of this rank, right or wrong.
    pub(super) fn saw(&mut self, rank: Rank) {
        self.ranks[rank.index()].any = true;
    }

    /// What is missing when all events are there.
    pub(super) fn finish(&self, mistakes: &mut Mistakes) {
        let missing = (0..).zip(&self.ranks).filter(|(_, state)| !state.any);
        for (rank, _) in missing {
            let what = format!("rank {rank} is missing: every rank has events, at least its end");
            mistakes.add(MistakePlace::File, "", what);
        }
    }
}

impl State {
    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    fn start(&mut self, request: Option<Request>, report: &mut dyn FnMut(String)) {
        if let Some(request) = request {
            self.begin(request, Use::Request, report);
        }
    }

    fn begin(&mut self, Request(number): Request, stands_for: Use, report: &mut dyn FnMut(String)) {
        if number >= MOST_REQUESTS {
            return report(format!("request {number}: numbers of requests are below {MOST_REQUESTS}"));
        }
        let place = number as usize;
        if self.open.len() <= place {
            self.open.resize(place + 1, Use::Nothing);
        }
        if std::mem::replace(&mut self.open[place], stands_for) != Use::Nothing {
            report(format!("request {number} is started a second time before it is waited for"));
        }
    }

    fn end(&mut self, request: Request, report: &mut dyn FnMut(String)) {
        self.end_of(request, Use::Request, report);
    }

    fn end_of(&mut self, Request(number): Request, stands_for: Use, report: &mut dyn FnMut(String)) {
        match self.open.get_mut(number as usize) {
            Some(open) if *open == stands_for => *open = Use::Nothing,
            Some(open @ Use::Unfulfilled) if stands_for == Use::Request => *open = Use::Nothing,
            _ if stands_for == Use::Message => {
                report(format!("{number} is no message that mprobe has found, or it was received before"));
            }
            _ => report(format!("request {number} is not under way: never started, or waited for before")),
        }
    }
}

impl State {
    /// What an event does to requests, where it has nothing else that can be wrong.
    fn check_requests(&mut self, act: &Act, report: &mut dyn FnMut(String)) {
        match act {
            Act::Wait { requests, .. } => {
                requests.as_slice().iter().for_each(|&request| self.end(request, report))
            }
            Act::Release { request } => self.end(*request, report),
            Act::End => self.over = true,
            Act::ReceiveMatched { message, request, .. } => {
                self.end_of(*message, Use::Message, report);
                self.start(*request, report);
                if request.is_some_and(|request| request != *message) {
                    report(format!("the request has another number than message {}", message.0));
                }
            }
            Act::See { requests } => {
                requests.as_slice().iter().for_each(|&request| self.must_be_open(request, report));
            }
            Act::Cancel { request } => self.must_be_open(*request, report),
            Act::Open { request } => self.begin(*request, Use::Unfulfilled, report),
            Act::Fulfil { request } => self.fulfil(*request, report),
            Act::StartSend { channel, request, .. } => {
                self.must_have_channel(*channel, Side::Send, report);
                self.start(Some(*request), report);
            }
            Act::StartReceive { channel, request, .. } => {
                self.must_have_channel(*channel, Side::Receive, report);
                self.start(Some(*request), report);
            }
            _ => {}
        }
    }

    /// Lets the time of an event pass.
    fn pass(&mut self, event: &Event, report: &mut dyn FnMut(String)) {
        let took = event.time_in_call();
        let clock = self.clock.as_ps().checked_add(event.compute.as_ps());
        match clock.and_then(|clock| clock.checked_add(took.as_ps())).filter(|clock| *clock < u64::MAX / 4) {
            Some(clock) => self.clock = Time::from_ps(clock),
            None => report("the times of this rank together are longer than can be represented".into()),
        }
    }

    fn channel(&mut self, channel: u32, side: Side, report: &mut dyn FnMut(String)) {
        if channel >= MOST_REQUESTS || self.rare().channels.insert(channel, side).is_some() {
            report(format!("channel {channel} is there already, or not below {MOST_REQUESTS}"));
        }
    }

    fn window(
        &mut self,
        communicator: u32,
        act: &WindowAct,
        sizes: Option<Sizes>,
        report: &mut dyn FnMut(String),
    ) {
        if let Some(Sizes { remote: Some(_), .. }) = sizes {
            report("a window is not between two groups".into());
        }
        let size = sizes.map(|sizes| sizes.local);
        match act {
            WindowAct::Open => {
                if communicator <= ALONE || !self.rare().windows.insert(communicator) {
                    report(format!(
                        "communicator {communicator} is no window to be: a window has a communicator of its own"
                    ));
                }
                return;
            }
            WindowAct::Flush { rank, .. } => check_peer(*rank, size, communicator, report),
            WindowAct::Lock { rank, .. } | WindowAct::Unlock { rank } => {
                check_peer(Some(*rank), size, communicator, report);
            }
            WindowAct::Post { group, .. } | WindowAct::Start { group, .. } => {
                let mut seen = BTreeSet::new();
                for &rank in group {
                    check_peer(Some(rank), size, communicator, report);
                    if !seen.insert(rank) {
                        report(format!("rank {rank} stands twice in the group"));
                    }
                }
            }
            _ => {}
        }
        self.must_have_window(communicator, report);
        if *act == WindowAct::Close {
            self.rare().windows.remove(&communicator);
        }
    }

    fn must_be_open(&self, Request(number): Request, report: &mut dyn FnMut(String)) {
        if !matches!(self.open.get(number as usize), Some(Use::Request | Use::Unfulfilled)) {
            report(format!("request {number} is not under way: never started, or waited for before"));
        }
    }

    fn fulfil(&mut self, Request(number): Request, report: &mut dyn FnMut(String)) {
        match self.open.get_mut(number as usize) {
            Some(open @ Use::Unfulfilled) => *open = Use::Request,
            _ => {
                report(format!("request {number} is none of open, or it was fulfilled or waited for before"))
            }
        }
    }

    fn must_have_window(&self, communicator: u32, report: &mut dyn FnMut(String)) {
        if !self.rare.as_ref().is_some_and(|rare| rare.windows.contains(&communicator)) {
            report(format!("communicator {communicator} is no open window: win-open is missing"));
        }
    }

    fn must_have_channel(&self, channel: u32, side: Side, report: &mut dyn FnMut(String)) {
        if self.rare.as_ref().and_then(|rare| rare.channels.get(&channel)) != Some(&side) {
            let init = if side == Side::Send { "psend-init" } else { "precv-init" };
            report(format!("there is no channel {channel} of {init}"));
        }
    }
}

/// How many ranks a communicator has, as `rank` sees it; `None` where there is none of this number.
fn sizes(
    communicator: u32,
    rank: Rank,
    ranks: usize,
    all: &Communicators,
    report: &mut dyn FnMut(String),
) -> Option<Sizes> {
    let members = match communicator {
        WORLD => return Some(Sizes { local: ranks, remote: None }),
        ALONE => return Some(Sizes { local: 1, remote: None }),
        _ => all.members(communicator),
    };
    let Some(members) = members else {
        report(format!("there is no communicator {communicator}"));
        return None;
    };
    if !all.has(communicator, rank) {
        report(format!("rank {rank} is not in communicator {communicator}"));
    }
    Some(match all.between(communicator) {
        None => Sizes { local: members.len(), remote: None },
        Some((first, second)) if first.contains(&rank) => {
            Sizes { local: first.len(), remote: Some(second.len()) }
        }
        Some((first, second)) => Sizes { local: second.len(), remote: Some(first.len()) },
    })
}

fn check_peer(peer: Option<u32>, size: Option<usize>, communicator: u32, report: &mut dyn FnMut(String)) {
    if let (Some(peer), Some(size)) = (peer, size)
        && peer as usize >= size
    {
        report(format!(
            "there is no rank {peer} in communicator {communicator}, which has {size}, counted from 0"
        ));
    }
}

fn check_tag(tag: Option<i32>, report: &mut dyn FnMut(String)) {
    if let Some(tag) = tag.filter(|tag| !(0..=LARGEST_TAG).contains(tag)) {
        report(format!("tag {tag} must be at least 0"));
    }
}

fn check_from(from: From, size: Option<usize>, communicator: u32, report: &mut dyn FnMut(String)) {
    if from.asked != Asked::Nobody {
        check_peer(from.source, size, communicator, report);
        check_tag(from.tag, report);
    }
}

fn check_collective(
    collective: &Collective,
    sizes: Sizes,
    communicator: u32,
    report: &mut dyn FnMut(String),
) {
    let Collective { function, root, lengths, .. } = collective;
    let name = function.kind().name;
    match (root, sizes.remote) {
        (Root::Rank(root), _) => check_peer(Some(*root), Some(sizes.peers()), communicator, report),
        (Root::Here | Root::Elsewhere, None) => {
            report(format!("{name} needs its root (in a table: as peer)"));
        }
        _ => {}
    }
    if sizes.remote.is_some() && !between_groups(*function) {
        report(format!(
            "{name} is not possible between two groups, or is called by its form with blocks there"
        ));
    }
    if sizes.remote.is_none() && (matches!(lengths, Lengths::Given { .. }) || *function == Function::Merge) {
        report(format!("{name} of this form is for communicators between two groups"));
    }
    let size = if *function == Function::ReduceScatter { sizes.local } else { sizes.peers() };
    let mut blocks = |blocks: &[u64]| {
        let count = blocks.len();
        if count != size && count != 1 {
            report(format!(
                "{count} blocks for a communicator of {size}: one for each rank, or one for all that are equal"
            ));
        }
        let times = if count == 1 { size as u64 } else { 1 };
        blocks.iter().try_fold(0u64, |sum, bytes| sum.checked_add(bytes.checked_mul(times)?))
    };
    let total = match lengths {
        Lengths::None => Some(0),
        Lengths::Bytes(bytes) => bytes.checked_mul(size as u64),
        Lengths::Elements { bytes, element, .. } => {
            check_element(*bytes, *element, report);
            Some(*bytes)
        }
        Lengths::Given { bytes, into } => blocks(into).and_then(|sum| sum.checked_add(*bytes)),
        Lengths::Blocks(of_each) => blocks(of_each),
        Lengths::Combined { blocks: of_each, element, .. } => {
            let total = blocks(of_each);
            of_each.iter().for_each(|&bytes| check_element(bytes, *element, report));
            total
        }
        Lengths::Exchange { out, into } => match (blocks(out), blocks(into)) {
            (Some(out), Some(into)) => out.checked_add(into),
            _ => None,
        },
        Lengths::Neighbours(around) => {
            for &rank in around.destinations.iter().chain(&around.sources) {
                check_peer(rank, Some(size), communicator, report);
            }
            around.out.iter().chain(&around.into).try_fold(0u64, |sum, &bytes| sum.checked_add(bytes))
        }
    };
    // Algorithms have workspaces of a few times the data, and count them in 64 bits.
    if total.is_none_or(|total| total > 1 << 58) {
        report(format!("{name}: more data than can be counted"));
    }
}

/// Whether a collective is possible between two groups; those whose blocks may differ stand for those whose do not.
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

fn check_element(bytes: u64, element: u32, report: &mut dyn FnMut(String)) {
    if element == 0 && bytes > 0 || element > 0 && !bytes.is_multiple_of(element.into()) {
        report(format!("{bytes} bytes are no whole number of elements of {element} bytes"));
    }
}
