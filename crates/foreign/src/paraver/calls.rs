//! Calls of a rank as they become tasks.

use super::names::{Action, Names};
use super::{COMMUNICATOR, Carried, FIRST, Head, RECEIVED, ROOT, SENT, communicator};
use crate::calls::{Calls, Way};
use crate::roots::Roots;
use crate::work::{self, Work};
use std::collections::{BTreeMap, VecDeque};
use weir_operations::{Collective, Function, Lengths, Mode, OperandOrder, Operation, Root};
use weir_units::Duration;

fn value(events: &[(u64, u64)], kind: u64) -> Option<u64> {
    events.iter().find(|event| event.0 == kind).map(|event| event.1)
}

/// A rank begins a collective, perhaps as its root.
pub(super) fn add_root(roots: &mut Roots, rank: u32, events: &[(u64, u64)], names: &Names, head: &Head) {
    let is_rooted = |&&(kind, value): &&(u64, u64)| matches!(names.action(kind, value), Action::Collective(function) if function.has_root());
    let (Some(_), Some(number)) = (events.iter().find(is_rooted), value(events, COMMUNICATOR)) else {
        return;
    };
    let is_root = value(events, ROOT).is_some_and(|is_root| is_root > 0);
    let members = head.communicators.get(&number).filter(|_| is_root);
    let place = members.and_then(|members| members.iter().position(|&member| member == rank));
    roots.add(number, rank, place.map(|place| place as u32));
}

/// A call that goes on.
pub(super) struct Call {
    action: Action,
    begin: u64,
    end: u64,
    sent: u64,
    received: u64,
    communicator: Option<u64>,
}

/// A message that goes on: its task, and for a receive the instant at which it is there.
struct Open {
    task: u64,
    received: Option<u64>,
}

/// A rank of the trace.
pub(super) struct OfRank {
    rank: u32,
    calls: Calls,
    /// `MPI_Init` is over.
    is_begun: bool,
    ran: u64,
    call: Option<Call>,
    until: u64,
    open: VecDeque<Open>,
    rooted: BTreeMap<u64, usize>,
}

impl OfRank {
    pub(super) fn new(rank: u32) -> Self {
        Self {
            rank,
            calls: Calls::default(),
            is_begun: false,
            ran: 0,
            call: None,
            until: 0,
            open: VecDeque::new(),
            rooted: BTreeMap::new(),
        }
    }

    pub(super) const fn is_in_a_call(&self) -> bool {
        self.call.is_some()
    }

    /// It has done its own work for a time.
    pub(super) const fn run(&mut self, time: u64) {
        self.ran = self.ran.saturating_add(time);
    }

    pub(super) fn begin(&mut self, at: u64, action: Action, events: &[(u64, u64)]) -> Result<(), String> {
        if self.call.is_some() {
            return Err(format!("rank {} begins a call within another one", self.rank));
        }
        let of = |kind| value(events, kind).unwrap_or(0);
        self.call = Some(Call {
            action,
            begin: at,
            end: at,
            sent: of(SENT),
            received: of(RECEIVED),
            communicator: value(events, COMMUNICATOR),
        });
        Ok(())
    }

    /// The call that ends; `None` where none had begun.
    pub(super) fn end(&mut self, at: u64) -> Result<Option<Call>, String> {
        let Some(call) = self.call.take() else { return Ok(None) };
        if call.begin < self.until || at < call.begin {
            return Err(format!(
                "rank {} calls from {} to {at}, and before it until {}: clocks run backwards",
                self.rank, call.begin, self.until
            ));
        }
        self.until = at;
        Ok(Some(Call { end: at, ..call }))
    }

    /// Adds the tasks of a call, and of what the rank did before it.
    pub(super) fn carry_out(
        &mut self,
        call: &Call,
        time: impl Fn(u64) -> Option<Duration>,
        carried: &mut Carried<'_>,
        work: &mut Work<'_>,
    ) -> Result<(), String> {
        if matches!(call.action, Action::Local | Action::Unknown) {
            return Ok(());
        }
        let ran = std::mem::take(&mut self.ran);
        if call.action == Action::Begin {
            self.is_begun = true;
            return Ok(());
        }
        if self.is_begun {
            let time = time(ran).ok_or("it computes for longer than 213 days")?;
            self.calls.compute(self.rank, time, carried.line, work);
        }
        match call.action {
            Action::Send(mode, waits) => _ = self.send(call, mode, way(waits), carried, work),
            Action::Receive(waits) => _ = self.receive(call, way(waits), carried, work),
            Action::Both => {
                let sent = self.send(call, Mode::Standard, Way::GoesOn, carried, work);
                let received = self.receive(call, Way::GoesOn, carried, work);
                let open = sent.into_iter().chain(received);
                open.for_each(|task| self.calls.wait(task));
                self.open.retain(|open| Some(open.task) != sent && Some(open.task) != received);
            }
            Action::WaitAll => self.open.drain(..).for_each(|open| self.calls.wait(open.task)),
            Action::Wait | Action::Look => self.wait(call),
            Action::Collective(function) => self.collective(call, function, carried, work)?,
            Action::Begin | Action::Local | Action::Unknown => {}
        }
        Ok(())
    }

    fn send(
        &mut self,
        call: &Call,
        mode: Mode,
        way: Way,
        carried: &mut Carried<'_>,
        work: &mut Work<'_>,
    ) -> Option<u64> {
        let Some(message) = carried.messages.take_sent(self.rank, call.begin, call.end) else {
            *carried.unmatched += 1;
            return None;
        };
        let mut operation = work::send(message.to, message.tag, message.bytes);
        if let Operation::Send { mode: own, .. } = &mut operation {
            *own = mode;
        }
        let task = self.calls.add(self.rank, operation, way, carried.line, work);
        if way == Way::GoesOn {
            self.open.push_back(Open { task, received: None });
        }
        Some(task)
    }

    fn receive(
        &mut self,
        call: &Call,
        way: Way,
        carried: &mut Carried<'_>,
        work: &mut Work<'_>,
    ) -> Option<u64> {
        let Some(message) = carried.messages.take_posted(self.rank, call.begin, call.end) else {
            *carried.unmatched += 1;
            return None;
        };
        let operation = work::receive(Some(message.from), Some(message.tag), message.bytes);
        let task = self.calls.add(self.rank, operation, way, carried.line, work);
        if way == Way::GoesOn {
            self.open.push_back(Open { task, received: Some(message.received) });
        }
        Some(task)
    }

    /// A call that waits for one or some: for the receives whose message came in it, else for the oldest send.
    fn wait(&mut self, call: &Call) {
        let came = |open: &Open| open.received.is_some_and(|received| received <= call.end);
        if self.open.iter().any(came) {
            let open = std::mem::take(&mut self.open);
            for open in open {
                if came(&open) {
                    self.calls.wait(open.task);
                } else {
                    self.open.push_back(open);
                }
            }
        } else if call.action == Action::Wait
            && let Some(place) = self.open.iter().position(|open| open.received.is_none())
        {
            self.open.remove(place).into_iter().for_each(|open| self.calls.wait(open.task));
        }
    }

    fn collective(
        &mut self,
        call: &Call,
        function: Function,
        carried: &mut Carried<'_>,
        work: &mut Work<'_>,
    ) -> Result<(), String> {
        let number = call.communicator.ok_or_else(|| {
            format!("a collective of rank {} names no communicator (event {COMMUNICATOR})", self.rank)
        })?;
        if !carried.head.communicators.contains_key(&number) {
            return Err(format!("communicator {number} is not defined by a line c:1:{number}"));
        }
        let root = if function.has_root() {
            let place = self.rooted.entry(number).or_default();
            *place += 1;
            let root = carried.roots.root(number, *place - 1);
            Root::Rank(root.ok_or_else(|| {
                format!(
                    "nobody is the root of {} {} of communicator {number}: the trace is cut off",
                    function.word(),
                    *place - 1
                )
            })?)
        } else {
            Root::None
        };
        let most = call.sent.max(call.received);
        let all = Lengths::Elements { bytes: most, element: 1, operands: OperandOrder::Commute };
        let lengths = match function {
            Function::Barrier => Lengths::None,
            Function::Reduce | Function::Allreduce => all,
            Function::Scatter => Lengths::Bytes(call.received),
            Function::Gather | Function::Allgather | Function::Alltoall => Lengths::Bytes(call.sent),
            _ => Lengths::Bytes(most),
        };
        let communicator = communicator(number).unwrap_or(FIRST);
        let operation = work::collective(Collective::new(function, root, lengths), communicator);
        self.calls.add(self.rank, operation, Way::Waits, carried.line, work);
        Ok(())
    }
}

const fn way(waits: bool) -> Way {
    if waits { Way::Waits } else { Way::GoesOn }
}
