//! Events of a rank as tasks.
//!
//! Who sends a message that a rank has asked for is known when it has come: what follows the call that asks is held back until then.

use super::definitions::{Definitions, Mappings};
use super::records::{ENTER, LEAVE, Numbers, Records};
use crate::calls::{Calls, Clock, Way};
use crate::work::Work;
use std::collections::{BTreeMap, VecDeque};
use weir_operations::{
    Collective, Function, Lengths, Mode, OperandOrder, Operation, ReceiveSource, Root, Wildcards,
};
use weir_units::Duration;

const SEND: u8 = 14;
const ISEND: u8 = 15;
const ISEND_COMPLETE: u8 = 16;
const IRECV_REQUEST: u8 = 17;
const RECV: u8 = 18;
const IRECV: u8 = 19;
const REQUEST_TEST: u8 = 20;
const REQUEST_CANCELLED: u8 = 21;
const COLLECTIVE_END: u8 = 23;
const COLLECTIVE_REQUEST: u8 = 85;
const COLLECTIVE_COMPLETE: u8 = 86;

/// A thing that a rank does next.
enum Item {
    Compute(Duration),
    Call(Operation),
    /// Goes on under a request; `None` until it is known what it is.
    Begin(u64, Option<Operation>),
    /// Begin together, and are waited for.
    Both(Vec<Operation>),
    Wait(u64),
}

pub(super) struct OfRank<'a> {
    pub(super) rank: u32,
    pub(super) file: &'a str,
    pub(super) all: &'a Definitions,
    pub(super) own: Mappings,
    pub(super) calls: Calls,
    pub(super) clock: Clock,
    /// The call that the rank is in, and when it began; whether it has communicated.
    call: Option<(&'a str, u64, bool)>,
    /// Messages of a call that sends and receives.
    both: Vec<Operation>,
    items: VecDeque<Item>,
    /// The number of items that went before those.
    gone: usize,
    /// Places of items that begin a request.
    begun: BTreeMap<u64, usize>,
    tasks: BTreeMap<u64, u64>,
    /// Looks at requests in vain, and other events that are passed over.
    pub(super) looked: u64,
    pub(super) passed: u64,
    pub(super) totals: u64,
    pub(super) is_over: bool,
}

impl<'a> OfRank<'a> {
    pub(super) fn new(rank: u32, file: &'a str, all: &'a Definitions, own: Mappings) -> Self {
        Self {
            rank,
            file,
            all,
            own,
            calls: Calls::default(),
            clock: Clock::default(),
            call: None,
            both: Vec::new(),
            items: VecDeque::new(),
            gone: 0,
            begun: BTreeMap::new(),
            tasks: BTreeMap::new(),
            looked: 0,
            passed: 0,
            totals: 0,
            is_over: false,
        }
    }

    pub(super) fn event(&mut self, kind: u8, records: &Records, work: &mut Work<'_>) -> Result<(), String> {
        let mut of = records.numbers();
        match kind {
            ENTER => self.enter(self.own.of(Mappings::REGION, of.number()?), records.time, work)?,
            LEAVE => self.leave(self.own.of(Mappings::REGION, of.number()?), records.time)?,
            SEND | ISEND => {
                self.communicates()?;
                let message = self.send(&mut of)?;
                let is_both = self.call.is_some_and(|(name, ..)| name.starts_with("Sendrecv"));
                match kind {
                    ISEND => self.begin(of.number()?, Some(message)),
                    _ if is_both => self.both.push(message),
                    _ => self.items.push_back(Item::Call(message)),
                }
            }
            RECV => {
                self.communicates()?;
                let message = self.receive(&mut of)?;
                if self.call.is_some_and(|(name, ..)| name.starts_with("Sendrecv")) {
                    self.both.push(message);
                } else {
                    self.items.push_back(Item::Call(message));
                }
            }
            IRECV_REQUEST | COLLECTIVE_REQUEST => {
                self.communicates()?;
                self.begin(of.number()?, None);
            }
            ISEND_COMPLETE => {
                self.communicates()?;
                self.items.push_back(Item::Wait(of.number()?));
            }
            IRECV => {
                self.communicates()?;
                let message = self.receive(&mut of)?;
                self.complete(of.number()?, message)?;
            }
            COLLECTIVE_END | COLLECTIVE_COMPLETE => {
                self.communicates()?;
                if let Some(collective) = self.collective(&mut of, work)? {
                    match kind {
                        COLLECTIVE_END => self.items.push_back(Item::Call(collective)),
                        _ => self.complete(of.number()?, collective)?,
                    }
                }
            }
            REQUEST_TEST => self.looked += 1,
            REQUEST_CANCELLED => {
                work.reading.cannot(0, self.file, "requests that are canceled are no tasks");
                if let Some(Item::Begin(_, at)) = self.place(of.number()?) {
                    *at = Some(Operation::Compute { time: Duration::ZERO });
                }
            }
            // Attributes, the beginnings of collectives, of the program and of communicators say nothing else.
            6 | 22 | 83 | 84 | 87 | 88 => {}
            _ => self.passed += 1,
        }
        self.flush(work);
        Ok(())
    }

    fn enter(&mut self, region: u64, time: u64, work: &mut Work<'_>) -> Result<(), String> {
        let all = self.all;
        if let (None, Some(name)) = (self.call, all.regions.get(&region)) {
            self.call = Some((name, time, false));
            if let Some(what) = left_out(name) {
                work.reading.cannot(0, &format!("{}: MPI_{name}", self.file), what);
                self.communicates()?;
            } else if name == "Finalize" {
                self.communicates()?;
            }
        }
        Ok(())
    }

    fn leave(&mut self, region: u64, time: u64) -> Result<(), String> {
        let Some((name, begin, has_communicated)) = self.call else { return Ok(()) };
        if self.all.regions.get(&region).is_none_or(|left| left != name) {
            return Ok(());
        }
        self.call = None;
        self.is_over |= name == "Finalize";
        if !self.both.is_empty() {
            self.items.push_back(Item::Both(std::mem::take(&mut self.both)));
        }
        // Waiting is no work of the rank, even if there was nothing to wait for.
        let waits = name.starts_with("Init")
            || name.starts_with("Wait")
            || name.contains("robe") && !name.starts_with('I');
        if waits && !has_communicated {
            self.gap(begin)?;
        }
        if waits || has_communicated {
            self.clock.pass(time, time)?;
        }
        Ok(())
    }

    /// The call that the rank is in sends, receives or waits: until its beginning the rank computed.
    fn communicates(&mut self) -> Result<(), String> {
        let Some((_, begin, has_communicated)) = &mut self.call else {
            return Err("it sends, receives or waits outside of a call of MPI".into());
        };
        if !std::mem::replace(has_communicated, true) {
            let begin = *begin;
            self.gap(begin)?;
        }
        Ok(())
    }

    fn gap(&mut self, begin: u64) -> Result<(), String> {
        let gap = self.clock.pass(begin, begin)?;
        let ps = u128::from(gap) * 1_000_000_000_000 / u128::from(self.all.ticks);
        let ps = u64::try_from(ps).map_err(|_| "the time before the call is too long")?;
        if ps > 0 {
            self.items.push_back(Item::Compute(Duration::from_ps(ps)));
        }
        Ok(())
    }

    fn communicator(&self, of: &mut Numbers<'_>) -> Result<&'a (u32, Vec<u32>), String> {
        let (all, name) = (self.all, self.own.of(Mappings::COMMUNICATOR, of.number()?));
        all.communicators.get(&name).ok_or_else(|| format!("communicator {name} is not defined"))
    }

    fn send(&self, of: &mut Numbers<'_>) -> Result<Operation, String> {
        let (to, &(communicator, _)) = (of.rank()?, self.communicator(of)?);
        let (tag, bytes) = (tag_of(of)?, of.number()?);
        let mode = match self.call.map_or("", |(name, ..)| name) {
            "Ssend" | "Issend" => Mode::Synchronous,
            "Bsend" | "Ibsend" => Mode::Buffered,
            "Rsend" | "Irsend" => Mode::Ready,
            _ => Mode::Standard,
        };
        Ok(Operation::Send { mode, to: Some(to), tag, bytes, communicator, request: None })
    }

    fn receive(&self, of: &mut Numbers<'_>) -> Result<Operation, String> {
        let (source, &(communicator, _)) = (of.rank()?, self.communicator(of)?);
        let (tag, bytes) = (tag_of(of)?, of.number()?);
        let from = ReceiveSource { source: Some(source), tag: Some(tag), asked: Wildcards::Both };
        Ok(Operation::Receive { from, bytes, communicator, request: None })
    }

    /// A collective; `None` for what is none of MPI's, or left out.
    fn collective(&mut self, of: &mut Numbers<'_>, work: &mut Work<'_>) -> Result<Option<Operation>, String> {
        let number = of.byte()?;
        let (communicator, members) = self.communicator(of)?;
        let (root, sent, received) = (of.number()?, of.number()?, of.number()?);
        let ranks = members.len() as u64;
        let is_root =
            u32::try_from(root).ok().and_then(|root| members.get(root as usize)) == Some(&self.rank);
        let root =
            || u32::try_from(root).map(Root::Rank).map_err(|_| "the collective has no root".to_owned());
        let all = |bytes| Lengths::Elements { bytes, element: 1, operands: OperandOrder::Commute };
        let least = if sent.min(received) > 0 { sent.min(received) } else { sent.max(received) };
        let (function, root, lengths) = match number {
            0 => (Function::Barrier, Root::None, Lengths::None),
            1 => (Function::Bcast, root()?, Lengths::Bytes(if is_root { sent / ranks } else { received })),
            2 => (Function::Gather, root()?, Lengths::Bytes(if is_root { received / ranks } else { sent })),
            4 => (Function::Scatter, root()?, Lengths::Bytes(if is_root { sent / ranks } else { received })),
            6 | 7 => (Function::Allgather, Root::None, Lengths::Bytes(received / ranks)),
            8 => (Function::Alltoall, Root::None, Lengths::Bytes(received / ranks)),
            11 => (Function::Allreduce, Root::None, all(least)),
            12 => (Function::Reduce, root()?, all(if is_root { received / ranks } else { sent })),
            14 => (Function::Scan, Root::None, Lengths::Bytes(least)),
            15 => (Function::Exscan, Root::None, Lengths::Bytes(least)),
            17..=20 => return Ok(None),
            _ => {
                let what = "of collectives with a length for each rank, and of scatters of a reduction, the trace has sums only";
                work.reading.cannot(0, self.file, what);
                return Ok(None);
            }
        };
        self.totals += u64::from(number == 7);
        let collective = Box::new(Collective::new(function, root, lengths));
        let communicator = *communicator;
        Ok(Some(Operation::Collective { collective, communicator, persistent: None, request: None }))
    }

    fn begin(&mut self, request: u64, operation: Option<Operation>) {
        self.begun.insert(request, self.gone + self.items.len());
        self.items.push_back(Item::Begin(request, operation));
    }

    fn place(&mut self, request: u64) -> Option<&mut Item> {
        let place = self.begun.get(&request)?.checked_sub(self.gone)?;
        self.items.get_mut(place)
    }

    /// It has become known what a request was.
    fn complete(&mut self, request: u64, operation: Operation) -> Result<(), String> {
        match self.place(request) {
            Some(Item::Begin(_, known @ None)) => *known = Some(operation),
            _ => return Err(format!("request {request} ends, and no event has begun it")),
        }
        self.items.push_back(Item::Wait(request));
        Ok(())
    }

    /// Adds what is known up to the first request of which it is not known what it is.
    fn flush(&mut self, work: &mut Work<'_>) {
        while !matches!(self.items.front(), None | Some(Item::Begin(_, None))) {
            let Some(item) = self.items.pop_front() else { return };
            self.gone += 1;
            match item {
                Item::Compute(time) => self.calls.compute(self.rank, time, 0, work),
                Item::Call(operation) => _ = self.calls.add(self.rank, operation, Way::Waits, 0, work),
                Item::Begin(request, Some(operation)) => {
                    self.begun.remove(&request);
                    let task = self.calls.add(self.rank, operation, Way::GoesOn, 0, work);
                    self.tasks.insert(request, task);
                }
                Item::Begin(_, None) => {}
                Item::Both(messages) => {
                    let begin = |message| self.calls.add(self.rank, message, Way::GoesOn, 0, work);
                    let begun: Vec<u64> = messages.into_iter().map(begin).collect();
                    begun.into_iter().for_each(|task| self.calls.wait(task));
                }
                Item::Wait(request) => {
                    self.tasks.remove(&request).into_iter().for_each(|task| self.calls.wait(task));
                }
            }
        }
    }

    /// Adds what is left at the end: requests that never ended are left out.
    pub(super) fn finish(&mut self, work: &mut Work<'_>) {
        for item in &mut self.items {
            if let Item::Begin(_, known @ None) = item {
                let what = "a receive, or a collective, is begun and never ends: it is not known what it was";
                work.reading.cannot(0, self.file, what);
                *known = Some(Operation::Compute { time: Duration::ZERO });
            }
        }
        self.flush(work);
    }
}

/// Why a call is left out, whose time is not that of the rank's own work.
fn left_out(name: &str) -> Option<&'static str> {
    const MEMORY: [&str; 8] =
        ["Win_", "Put", "Get_accumulate", "Accumulate", "Rput", "Rget", "Raccumulate", "Fetch_and_op"];
    if name == "Get" || MEMORY.iter().any(|begin| name.starts_with(begin)) {
        return Some("accesses to the memory of others, and their windows, are no tasks");
    }
    name.starts_with("File_").then_some("reading and writing files are no tasks: they take no time here")
}

fn tag_of(of: &mut Numbers<'_>) -> Result<i32, String> {
    let tag = of.number()?;
    i32::try_from(tag).map_err(|_| format!("{tag} is no tag"))
}
