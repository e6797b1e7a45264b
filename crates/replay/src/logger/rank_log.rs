//! Events of one rank, kept until everything is known of them.

use crate::replay::looks;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use weir_message::{RequestId, Status, found};
use weir_operations::{Operation, PollFirst, Requests, Step, Wildcards, WindowOperation};
use weir_units::{Duration, Time};

/// The events of a rank that are not written yet.
#[derive(Default)]
pub(super) struct RankLog {
    call: &'static str,
    /// The end of the last event.
    clock: Time,
    /// The beginning of the next event of the call under way.
    begin: Time,
    looks: bool,
    /// The last look in vain.
    in_vain: InVain,
    /// The clock when time had come up to it, in the call under way, if no event says so yet.
    caught_up: Option<Time>,
    /// Says whether a request that the program had given up has ended in the call under way.
    ends_released: bool,
    /// Events, and how many have been written before the first of them.
    queue: VecDeque<Step>,
    written: u64,
    /// The first event of the call under way.
    first_of_call: u64,
    /// Receives of which it is not known who will send.
    unknown: BTreeSet<u64>,
    /// Operations under way, by the message layer's number.
    pub(super) requests: Vec<Option<Open>>,
    /// Numbers of messages that are taken out of the queue.
    messages: BTreeMap<RequestId, u32>,
    free: Vec<u32>,
    numbers: u32,
}

/// Something under way: its number in the profile, and the event that started it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Open {
    /// A send, a receive or a collective.
    One(Started),
    /// A receive and a send under one request.
    Both { receive: Started, send: Started },
    /// A wait for buffered messages.
    Flush,
    /// Given up by the program.
    Released(Started),
}

/// A look in vain, and those before it that are the same event.
#[derive(Clone, Copy, Debug, Default)]
struct InVain {
    /// Number of things that had happened to the rank when the first of them began, and when the last did.
    first: u64,
    last: u64,
    /// When the rank went on after the last, if it slept, and how much had happened to it, if the last of that woke it.
    end: Option<Time>,
    woken_by: Option<u64>,
    /// Says whether the next may become the same event.
    goes_on: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Started {
    pub(super) number: u32,
    event: u64,
}

impl RankLog {
    pub(super) fn call(&self) -> &'static str {
        self.call
    }

    pub(super) fn begin(&mut self, call: &'static str, at: Time) {
        (self.call, self.looks, self.ends_released) = (call, false, false);
        (self.caught_up, self.in_vain.end, self.in_vain.woken_by) = (None, None, None);
        self.begin = at;
        self.first_of_call = self.next();
    }

    /// The number of the next event.
    fn next(&self) -> u64 {
        self.written + self.queue.len() as u64
    }

    fn event(&mut self, number: u64) -> Option<&mut Step> {
        self.queue.get_mut(usize::try_from(number.checked_sub(self.written)?).ok()?)
    }

    /// The last event, if it is of the call under way.
    fn last(&mut self) -> Option<&mut Step> {
        let next = self.next();
        if next > self.first_of_call { self.queue.back_mut() } else { None }
    }

    /// The time since the last event ended.
    pub(super) fn since(&self, at: Time) -> Duration {
        at.since(self.clock)
    }

    /// Something was done from the end of what was done before in this call until now.
    pub(super) fn push(&mut self, at: Time, operation: Operation) {
        if let Some(then) = self.caught_up.filter(|_| !looks(&operation)) {
            // It has looked at something else before: at a file, at memory.
            self.looked_in_vain(then);
            (self.looks, self.begin) = (false, then);
        }
        self.caught_up = None;
        let (compute, took) = (self.begin.since(self.clock), at.since(self.begin));
        if let Operation::Receive { from, .. } = &operation
            && from.asked != Wildcards::Nobody
            && (from.source.is_none() || from.tag.is_none())
        {
            let number = self.next();
            self.unknown.insert(number);
        }
        self.queue.push_back(Step { compute, took: Some(took), operation });
        (self.clock, self.begin) = (at, at);
    }

    /// The last event goes on until now.
    fn extend(&mut self, at: Time) {
        let more = at.since(self.clock);
        if let Some(Step { took: Some(took), .. }) = self.queue.back_mut() {
            *took += more;
        }
        (self.clock, self.begin) = (at, at);
    }

    pub(super) fn take_number(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.numbers += 1;
            self.numbers - 1
        })
    }

    /// The operation that the last event has started.
    pub(super) fn last_started(&self) -> Started {
        let request = self.queue.back().and_then(|event| event.operation.request());
        let RequestId(number) = request.expect("the event just pushed has started something");
        Started { number, event: self.next() - 1 }
    }

    /// The last event goes on under this request of the message layer, perhaps together with a receive that this call has started.
    pub(super) fn set_open(&mut self, id: RequestId) {
        let started = self.last_started();
        let open = match self.requests.get(id.0 as usize) {
            Some(Some(Open::One(receive))) if receive.event >= self.first_of_call => {
                Open::Both { receive: *receive, send: started }
            }
            _ => Open::One(started),
        };
        self.open(id, open);
    }

    /// A message is taken out of the queue: its number.
    pub(super) fn finds(&mut self, message: RequestId) -> RequestId {
        let number = self.take_number();
        self.messages.insert(message, number);
        RequestId(number)
    }

    /// A message that was taken out of the queue is received.
    pub(super) fn takes(&mut self, message: RequestId) -> Option<RequestId> {
        self.messages.remove(&message).map(RequestId)
    }

    /// The profile's number of a request under way, if it has one of its own.
    pub(super) fn number_of(&self, id: RequestId) -> Option<RequestId> {
        match self.requests.get(id.0 as usize)? {
            Some(Open::One(started)) => Some(RequestId(started.number)),
            _ => None,
        }
    }

    pub(super) fn open(&mut self, id: RequestId, open: Open) {
        let place = id.0 as usize;
        if self.requests.len() <= place {
            self.requests.resize(place + 1, None);
        }
        self.requests[place] = Some(open);
    }

    /// A request that is complete from the beginning: of the send before, or of nothing.
    pub(super) fn completed(&mut self, at: Time, id: RequestId) {
        let free = matches!(self.last(), Some(Step { operation: Operation::Send { request: None, .. }, .. }));
        let number = self.take_number();
        if free && let Some(Step { operation: Operation::Send { request, .. }, .. }) = self.last() {
            *request = Some(RequestId(number));
        } else {
            let mode = weir_operations::Mode::Standard;
            let request = Some(RequestId(number));
            self.push(at, Operation::Send { mode, to: None, tag: 0, bytes: 0, communicator: 0, request });
        }
        self.set_open(id);
    }

    /// The rank looks; so much has happened to it so far.
    pub(super) fn looks(&mut self, changes: u64) {
        self.looks = true;
        self.in_vain.last = changes;
    }

    /// The rank has slept after a look until now, and perhaps something woke it.
    pub(super) fn slept(&mut self, now: Time, woken_by: Option<u64>) {
        (self.in_vain.end, self.in_vain.woken_by) = (Some(now), woken_by);
    }

    /// Time has come up to the rank's clock.
    pub(super) fn caught_up(&mut self, at: Time) {
        self.caught_up = Some(at);
    }

    /// Returns whether a look in vain would be one event with the one before. A replay sees in a single long look what happened,
    /// but not what the rank did meanwhile: its own work, or ending requests that it had given up.
    fn goes_on_looking(&self) -> bool {
        let is_poll = matches!(self.queue.back(), Some(Step { operation: Operation::Poll { .. }, .. }));
        is_poll && self.in_vain.goes_on && !self.ends_released && self.begin == self.clock
    }

    pub(super) fn look(&self) -> PollFirst {
        if self.looks { PollFirst::Yes } else { PollFirst::No }
    }

    /// A request was ended; `false` if it is none of those that are known.
    pub(super) fn finish(&mut self, at: Time, id: RequestId, status: &Status) -> bool {
        match self.requests.get_mut(id.0 as usize).and_then(Option::take) {
            None => return false,
            Some(Open::Flush) => self.extend(at),
            Some(Open::Released(started)) => {
                self.ends_released = true;
                self.resolve(started, status);
            }
            Some(Open::One(started)) => {
                self.resolve(started, status);
                self.free.push(started.number);
                let waited = started.event >= self.first_of_call && started.event + 1 == self.next();
                if waited && self.last().is_some_and(|last| wait_for_end(&mut last.operation)) {
                    self.extend(at);
                } else {
                    self.wait(at, &[started]);
                }
            }
            Some(Open::Both { receive, send }) => {
                self.resolve(receive, status);
                self.free.extend([send.number, receive.number]);
                self.wait(at, &[send, receive]);
            }
        }
        true
    }

    /// The call waits for these, and perhaps for more.
    fn wait(&mut self, at: Time, ended: &[Started]) {
        let ended: Vec<RequestId> = ended.iter().map(|started| RequestId(started.number)).collect();
        if let Some(Step { operation: Operation::Wait { requests, .. }, .. }) = self.last() {
            *requests = Requests::new(&[requests.as_slice(), &ended].concat());
            self.extend(at);
        } else {
            let look = self.look();
            self.push(at, Operation::Wait { requests: Requests::new(&ended), look });
        }
    }

    /// The call sees that this one is complete, and perhaps more.
    pub(super) fn sees(&mut self, at: Time, request: RequestId) {
        if let Some(Step { operation: Operation::See { requests }, .. }) = self.last() {
            // The event goes on until the end of the call.
            *requests = Requests::new(&[requests.as_slice(), &[request]].concat());
        } else {
            self.push(at, Operation::See { requests: Requests::One(request) });
        }
    }

    /// It is known now who has sent what a receive asked for.
    fn resolve(&mut self, started: Started, status: &Status) {
        if self.unknown.remove(&started.event)
            && !status.cancelled
            && let Some(Step { operation: Operation::Receive { from, .. }, .. }) = self.event(started.event)
        {
            *from = found(*from, status);
        }
    }

    pub(super) fn release(&mut self, at: Time, id: RequestId) {
        let Some(Open::One(started)) = self.requests.get(id.0 as usize).copied().flatten() else { return };
        self.free.push(started.number);
        self.open(id, Open::Released(started));
        self.push(at, Operation::Release { request: RequestId(started.number) });
    }

    /// The call is over.
    pub(super) fn end(&mut self, at: Time) {
        let is_flush = |event: &mut Step| matches!(&event.operation, Operation::Window { operation, .. } if matches!(**operation, WindowOperation::Flush { .. }));
        let flushed = self.last().is_some_and(is_flush);
        if flushed && self.looks && at > self.clock {
            // The program looks at its memory over and over, and synchronizes for nothing.
            self.looked_in_vain(at);
        } else if self.last().is_some() {
            self.extend(at);
        } else if self.looks {
            self.looked_in_vain(at);
        }
        // A call around this one goes on from here.
        self.begin = at;
        self.first_of_call = self.next();
        self.looks = false;
    }

    fn looked_in_vain(&mut self, at: Time) {
        let (before, passed) = (self.begin.since(self.clock), at.since(self.begin));
        let slept = self.in_vain.end.map_or(Duration::ZERO, |end| end.since(self.begin));
        let goes_on = self.goes_on_looking();
        if !goes_on {
            self.in_vain.first = self.in_vain.last;
        }
        let seen = self.in_vain.woken_by.map(|changes| changes - self.in_vain.first);
        match self.queue.back_mut() {
            Some(Step { operation: Operation::Poll { time, after }, took, .. }) if goes_on => {
                let so_far = took.unwrap_or_default();
                if self.in_vain.end.is_some() || self.caught_up.is_some() {
                    (*time, *after) = (so_far + slept, seen);
                }
                *took = Some(so_far + passed);
            }
            _ => {
                let operation = Operation::Poll { time: slept, after: seen };
                self.queue.push_back(Step { compute: before, took: Some(passed), operation });
            }
        }
        self.in_vain.goes_on = !self.ends_released;
        self.clock = at;
    }

    pub(super) fn over(&mut self, end: Step) {
        self.queue.push_back(end);
    }

    /// The next event, if everything is known of it; a look in vain may yet become longer if another follows.
    pub(super) fn next_known(&mut self, may_change: bool) -> Option<Step> {
        if may_change {
            if self.unknown.first().is_some_and(|&first| first == self.written) {
                return None;
            }
            if self.queue.len() == 1 && matches!(self.queue[0].operation, Operation::Poll { .. }) {
                return None;
            }
        }
        let next = self.queue.pop_front()?;
        self.unknown.remove(&self.written);
        self.written += 1;
        Some(next)
    }
}

/// Has the call of an event wait for the end of what it starts; `false` if it starts nothing that goes on.
fn wait_for_end(operation: &mut Operation) -> bool {
    match operation {
        Operation::Send { request, .. }
        | Operation::Receive { request, .. }
        | Operation::Collective { request, .. }
        | Operation::ReceiveMatched { request, .. }
        | Operation::File { request, .. } => request.take().is_some(),
        _ => false,
    }
}
