//! What can be checked of a profile event by event: everything that a replay takes for granted.

use super::communicators::{ALONE, WORLD};
use super::{Act, Asked, Collective, Communicators, Event, From, Lengths, Request};
use crate::{Mistakes, Place};
use weir_units::{Duration, Rank, Time};

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
    /// Whether the request of each number is started and not waited for.
    open: Vec<bool>,
    clock: Time,
    any: bool,
    over: bool,
}

impl Checker {
    pub(super) fn new(ranks: u32) -> Self {
        Self { ranks: vec![State::default(); ranks as usize], bytes: 0 }
    }

    /// The next event of a rank; `tell` is told what is wrong.
    pub(super) fn check(
        &mut self,
        rank: Rank,
        event: &Event,
        all: &Communicators,
        tell: &mut dyn FnMut(String),
    ) {
        let ranks = self.ranks.len();
        let state = &mut self.ranks[rank.index()];
        if state.over {
            tell(format!("rank {rank} does something after its end"));
        }
        let took = match event.act {
            Act::Poll { time } => time,
            _ => event.took.unwrap_or(Duration::ZERO),
        };
        let clock = state.clock.as_ps().checked_add(event.compute.as_ps());
        match clock.and_then(|clock| clock.checked_add(took.as_ps())).filter(|clock| *clock < u64::MAX / 4) {
            Some(clock) => state.clock = Time::from_ps(clock),
            None => tell("the times of this rank together are longer than can be represented".into()),
        }
        let size = |communicator: u32, tell: &mut dyn FnMut(String)| -> Option<usize> {
            let members = match communicator {
                WORLD => return Some(ranks),
                ALONE => return Some(1),
                _ => all.members(communicator),
            };
            match members {
                None => tell(format!("there is no communicator {communicator}")),
                Some(members) if !all.has(communicator, rank) => {
                    tell(format!("rank {rank} is not in communicator {communicator}"));
                    return Some(members.len());
                }
                Some(members) => return Some(members.len()),
            }
            None
        };
        match &event.act {
            Act::Send { to, tag, bytes, communicator, request, .. } => {
                let size = size(*communicator, tell);
                check_peer(*to, size, *communicator, tell);
                check_tag(Some(*tag), tell);
                self.bytes = self.bytes.saturating_add(*bytes);
                state.start(*request, tell);
            }
            Act::Receive { from, communicator, request, .. } => {
                let size = size(*communicator, tell);
                check_from(*from, size, *communicator, tell);
                state.start(*request, tell);
            }
            Act::Probe { from, communicator, .. } => {
                let size = size(*communicator, tell);
                check_from(*from, size, *communicator, tell);
            }
            Act::Wait { requests, .. } => {
                requests.as_slice().iter().for_each(|&request| state.end(request, tell))
            }
            Act::Release { request } => state.end(*request, tell),
            Act::Collective { collective, communicator, request } => {
                if let Some(size) = size(*communicator, tell) {
                    check_collective(collective, size, *communicator, tell);
                }
                state.start(*request, tell);
            }
            Act::Poll { .. } | Act::Flush => {}
            Act::End => state.over = true,
        }
        if self.bytes > u64::MAX / 2 {
            tell("sizes that overflow: the messages up to here have 2^63 bytes or more".into());
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
            mistakes.add(Place::File, "", what);
        }
    }
}

impl State {
    fn start(&mut self, request: Option<Request>, tell: &mut dyn FnMut(String)) {
        let Some(Request(number)) = request else { return };
        if number >= MOST_REQUESTS {
            return tell(format!("request {number}: numbers of requests are below {MOST_REQUESTS}"));
        }
        let place = number as usize;
        if self.open.len() <= place {
            self.open.resize(place + 1, false);
        }
        if std::mem::replace(&mut self.open[place], true) {
            tell(format!("request {number} is started a second time before it is waited for"));
        }
    }

    fn end(&mut self, Request(number): Request, tell: &mut dyn FnMut(String)) {
        match self.open.get_mut(number as usize) {
            Some(open) if *open => *open = false,
            _ => tell(format!("request {number} is not under way: never started, or waited for before")),
        }
    }
}

fn check_peer(peer: Option<u32>, size: Option<usize>, communicator: u32, tell: &mut dyn FnMut(String)) {
    if let (Some(peer), Some(size)) = (peer, size)
        && peer as usize >= size
    {
        tell(format!(
            "there is no rank {peer} in communicator {communicator}, which has {size}, counted from 0"
        ));
    }
}

fn check_tag(tag: Option<i32>, tell: &mut dyn FnMut(String)) {
    if let Some(tag) = tag.filter(|tag| !(0..=LARGEST_TAG).contains(tag)) {
        tell(format!("tag {tag} must be at least 0"));
    }
}

fn check_from(from: From, size: Option<usize>, communicator: u32, tell: &mut dyn FnMut(String)) {
    if from.asked != Asked::Nobody {
        check_peer(from.source, size, communicator, tell);
        check_tag(from.tag, tell);
    }
}

fn check_collective(collective: &Collective, size: usize, communicator: u32, tell: &mut dyn FnMut(String)) {
    let Collective { function, root, lengths } = collective;
    if function.has_root() {
        check_peer(Some(*root), Some(size), communicator, tell);
    }
    let mut blocks = |blocks: &[u64]| {
        let count = blocks.len();
        if count != size && count != 1 {
            tell(format!(
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
            check_element(*bytes, *element, tell);
            Some(*bytes)
        }
        Lengths::Blocks(of_each) => blocks(of_each),
        Lengths::Combined { blocks: of_each, element, .. } => {
            let total = blocks(of_each);
            of_each.iter().for_each(|&bytes| check_element(bytes, *element, tell));
            total
        }
        Lengths::Exchange { out, into } => match (blocks(out), blocks(into)) {
            (Some(out), Some(into)) => out.checked_add(into),
            _ => None,
        },
        Lengths::Neighbours(around) => {
            for &rank in around.destinations.iter().chain(&around.sources) {
                check_peer(rank, Some(size), communicator, tell);
            }
            around.out.iter().chain(&around.into).try_fold(0u64, |sum, &bytes| sum.checked_add(bytes))
        }
    };
    // Algorithms have workspaces of a few times the data, and count them in 64 bits.
    if total.is_none_or(|total| total > 1 << 58) {
        tell(format!("{}: more data than can be counted", super::event::FUNCTIONS[*function as usize].0));
    }
}

fn check_element(bytes: u64, element: u32, tell: &mut dyn FnMut(String)) {
    if element == 0 && bytes > 0 || element > 0 && !bytes.is_multiple_of(element.into()) {
        tell(format!("{bytes} bytes are no whole number of elements of {element} bytes"));
    }
}
