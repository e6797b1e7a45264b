//! The events of one rank, made of its records one after the other.

use crate::clock::Clock;
use crate::file::{Call, Constants, Head, Layout, Record};
use crate::groups::{Group, Numbers};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use weir_operations::{Operation, PollFirst, ReceiveSource, RequestId, Requests, Step, Wildcards};
use weir_units::Duration;

/// Looks in vain that follow each other so closely are one.
const SAME_LOOK_PS: u64 = 1_000_000;

/// Things that are not in the profile, and how often they were.
pub(crate) type Lost = BTreeMap<String, u64>;

/// An operation under way: the number of its request in the profile, and the event that started it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Started {
    pub(crate) number: u32,
    event: u64,
}

/// A persistent request starts one of these.
#[derive(Clone, Debug)]
pub(crate) enum Prepared {
    /// This, under another number each time.
    Operation(Operation),
    /// The send of a channel with so many partitions of so many bytes.
    Sends { channel: u32, partitions: u32, bytes: u64 },
    /// The receive of a channel.
    Receives { channel: u32, bytes: u64 },
}

/// Makes events of the records of one rank.
pub(crate) struct RankReader<'a> {
    layout: &'a Layout,
    pub(crate) constants: Constants,
    clock: Clock,
    /// Recording a call takes so long behind it, in picoseconds.
    cost: u64,
    /// To write what is read next took so much longer.
    pause: u64,
    pub(crate) numbers: &'a mut Numbers,
    pub(crate) lost: &'a mut Lost,
    /// The end of the last event, and the beginning of the next one, in picoseconds.
    now: u64,
    begin: u64,
    /// Events, and how many have been handed on before the first of them.
    events: VecDeque<(Step, u64)>,
    before: u64,
    first_of_call: u64,
    site: u64,
    /// Events that are not known as a whole yet.
    unknown: BTreeSet<u64>,
    pub(crate) requests: BTreeMap<i64, VecDeque<Vec<Started>>>,
    pub(crate) prepared: BTreeMap<i64, Prepared>,
    pub(crate) messages: BTreeMap<i64, VecDeque<u32>>,
    pub(crate) groups: BTreeMap<i64, Option<Group>>,
    pub(crate) windows: BTreeMap<i64, Group>,
    /// Windows of memory that their ranks share.
    pub(crate) shared: BTreeSet<u32>,
    pub(crate) files: BTreeMap<i64, Group>,
    /// Numbers of persistent collectives so far, by communicator.
    pub(crate) persistent: BTreeMap<u32, u32>,
    pub(crate) channels: u32,
    free: Vec<u32>,
    taken: u32,
}

impl<'a> RankReader<'a> {
    pub(crate) fn new(
        layout: &'a Layout,
        head: &Head,
        clock: Clock,
        numbers: &'a mut Numbers,
        lost: &'a mut Lost,
    ) -> Self {
        let constants = head.constants;
        let groups =
            [(constants.world, Some(numbers.world())), (constants.alone, Some(numbers.alone()))].into();
        Self {
            layout,
            constants,
            clock,
            cost: head.cost,
            pause: 0,
            numbers,
            lost,
            now: 0,
            begin: 0,
            events: VecDeque::new(),
            before: 0,
            first_of_call: 0,
            site: 0,
            unknown: BTreeSet::new(),
            requests: BTreeMap::new(),
            prepared: BTreeMap::new(),
            messages: BTreeMap::new(),
            groups,
            windows: BTreeMap::new(),
            shared: BTreeSet::new(),
            files: BTreeMap::new(),
            persistent: BTreeMap::new(),
            channels: 0,
            free: Vec::new(),
            taken: 0,
        }
    }

    pub(crate) fn read(&mut self, record: Record) {
        match record {
            Record::Pause { begin, end } => {
                self.pause += self.clock.time(end).saturating_sub(self.clock.time(begin));
                return;
            }
            Record::Define { handle, members, others } => {
                let group = self.numbers.define(&members, &others);
                self.groups.insert(handle, group);
            }
            Record::InVain { begin, end, .. } => {
                let (begin, end) = (self.clock.time(begin), self.clock.time(end));
                self.looked_in_vain(begin, end);
            }
            Record::Call { function, begin, end, site, words } => {
                let begin = self.clock.time(begin);
                if begin + self.cost < self.now {
                    self.lose("overlaps of calls of several threads, which follow each other there");
                }
                self.begin = begin.max(self.now);
                self.first_of_call = self.next();
                self.site = site;
                match self.layout.call(function, &words) {
                    Some(call) => self.call(&call),
                    None => self.lose("records that are damaged"),
                }
                self.end_call(self.clock.time(end) + self.cost);
            }
        }
        // Recording is none of the rank's own work.
        self.now += std::mem::take(&mut self.pause);
    }

    fn call(&mut self, call: &Call<'_>) {
        if !(self.point_to_point(call) || self.completion(call) || self.collective(call) || self.rare(call)) {
            self.lose(&format!("calls of MPI_{}", call.name));
        }
    }

    /// The rank is at its end, or its recording is.
    pub(crate) fn finish(&mut self, end: Option<i64>) {
        self.begin = end.map_or(self.now, |end| self.clock.time(end)).max(self.now);
        self.site = 0;
        self.push(Operation::End);
        self.unknown.clear();
    }

    /// Takes out the events of which everything is known, each with the address that its call returned to.
    pub(crate) fn take_known(&mut self) -> impl Iterator<Item = (Step, u64)> {
        let known = self.unknown.first().map_or(self.events.len(), |first| (first - self.before) as usize);
        // A look in vain may become longer.
        let known = match self.events.back() {
            Some((Step { operation: Operation::Poll { .. }, .. }, _)) if known == self.events.len() => {
                known - 1
            }
            _ => known,
        };
        self.before += known as u64;
        self.events.drain(..known)
    }

    pub(crate) fn lose(&mut self, what: &str) {
        *self.lost.entry(what.to_owned()).or_default() += 1;
    }

    fn next(&self) -> u64 {
        self.before + self.events.len() as u64
    }

    /// The rank does something at the beginning of what is left of the call.
    pub(crate) fn push(&mut self, operation: Operation) {
        let compute = Duration::from_ps(self.begin - self.now);
        self.now = self.begin;
        self.events.push_back((Step { compute, took: Some(Duration::ZERO), operation }, self.site));
    }

    fn end_call(&mut self, end: u64) {
        if self.next() > self.first_of_call
            && let Some((Step { took: Some(took), operation, .. }, _)) = self.events.back_mut()
        {
            *took = Duration::from_ps(end.saturating_sub(self.begin));
            if let Operation::File { lasts, request: None, .. } = operation {
                *lasts = *took;
            }
            self.now = self.now.max(end);
        }
    }

    fn looked_in_vain(&mut self, begin: u64, end: u64) {
        let begin = begin.max(self.now);
        let (gap, time) = (begin - self.now, end.saturating_sub(begin));
        self.now = begin + time;
        if let Some((Step { operation: Operation::Poll { time: before, .. }, took, .. }, _)) =
            self.events.back_mut()
            && gap < SAME_LOOK_PS
        {
            *before += Duration::from_ps(gap + time);
            *took = Some(*before);
            return;
        }
        let time = Duration::from_ps(time);
        let operation = Operation::Poll { time, after: None };
        self.events.push_back((Step { compute: Duration::from_ps(gap), took: Some(time), operation }, 0));
    }

    pub(crate) fn take_number(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.taken += 1;
            self.taken - 1
        })
    }

    pub(crate) fn free_number(&mut self, number: u32) {
        self.free.push(number);
    }

    /// Something has begun under a request of the program; the operation has the number.
    pub(crate) fn start(&mut self, handle: i64, acts: impl IntoIterator<Item = Operation>) {
        let mut started = Vec::new();
        for operation in acts {
            started.extend(self.start_one(operation));
        }
        self.requests.entry(handle).or_default().push_back(started);
    }

    fn start_one(&mut self, operation: Operation) -> Option<Started> {
        let number = operation.request().map(|RequestId(number)| number);
        let event = self.next();
        let is_unknown = match &operation {
            Operation::Receive { from, .. } => {
                from.asked != Wildcards::Nobody && (from.source.is_none() || from.tag.is_none())
            }
            Operation::File { .. } => true,
            _ => false,
        };
        if is_unknown {
            self.unknown.insert(event);
        }
        self.push(operation);
        number.map(|number| Started { number, event })
    }

    /// Operations under a request of the program are over; none where it is not active.
    pub(crate) fn end_request(&mut self, handle: i64, status: Option<i64>) -> Vec<Started> {
        let c = self.constants;
        if handle == c.no_request {
            return Vec::new();
        }
        let queue = self.requests.get_mut(&handle);
        let Some(started) = queue.and_then(VecDeque::pop_front) else {
            if !self.prepared.contains_key(&handle) {
                self.lose("requests of calls that are not recorded");
            }
            return Vec::new();
        };
        if self.requests.get(&handle).is_some_and(VecDeque::is_empty) {
            self.requests.remove(&handle);
        }
        for one in &started {
            self.resolve(*one, status);
        }
        started
    }

    /// It is known now who has sent what a receive asked for, or how long a file took.
    fn resolve(&mut self, Started { event, .. }: Started, status: Option<i64>) {
        if !self.unknown.remove(&event) {
            return;
        }
        let begin = self.begin;
        let place = (event - self.before) as usize;
        // From the end of that event to now; what came between is time of the rank that the file took, too.
        let between: u64 = self
            .events
            .range(place + 1..)
            .map(|(event, _)| (event.compute + event.time_in_call()).as_ps())
            .sum();
        let (now, constants) = (self.now, self.constants);
        let Some((Step { operation, .. }, _)) = self.events.get_mut(place) else { return };
        match operation {
            Operation::Receive { from, .. } => *from = found(*from, status.unwrap_or(-1), &constants),
            Operation::File { lasts, .. } => *lasts = Duration::from_ps(between + (begin - now)),
            _ => {}
        }
    }

    /// The rank waits for these, in this order.
    pub(crate) fn wait(&mut self, started: &[Started], look: PollFirst) {
        if started.is_empty() {
            return;
        }
        let requests: Vec<RequestId> = started.iter().map(|one| RequestId(one.number)).collect();
        self.free.extend(started.iter().map(|one| one.number));
        self.push(Operation::Wait { requests: Requests::new(&requests), look });
    }

    /// A communicator of the program; `None`, which is counted, if it has members beyond the world, or was made by a call
    /// that is not recorded.
    pub(crate) fn group(&mut self, handle: i64) -> Option<Group> {
        let group = self.groups.get(&handle).cloned().flatten();
        if group.is_none() {
            self.lose(
                "calls on communicators with processes of other jobs, or made by calls that are not recorded",
            );
        }
        group
    }

    /// Source and tag of a receive, as the program asked.
    pub(crate) fn asked(&self, source: i64, tag: i64) -> ReceiveSource {
        let c = &self.constants;
        if source == c.nobody {
            return ReceiveSource::NOBODY;
        }
        let source = Some(source).filter(|&source| source != c.any_source);
        let tag = Some(tag).filter(|&tag| tag != c.any_tag);
        ReceiveSource {
            source: source.and_then(|source| u32::try_from(source).ok()),
            tag: tag.and_then(|tag| i32::try_from(tag).ok()),
            asked: Wildcards::of(source.is_none(), tag.is_none()),
        }
    }

    /// The same, with what a status says.
    pub(crate) fn found(&self, source: i64, tag: i64, status: i64) -> ReceiveSource {
        found(self.asked(source, tag), status, &self.constants)
    }
}

/// Fills in what a message turned out to be; a status of a cancelled receive says nothing.
fn found(from: ReceiveSource, status: i64, constants: &Constants) -> ReceiveSource {
    let (source, tag) = (status >> 32, i64::from(status as i32));
    if from.asked == Wildcards::Nobody || source < 0 || tag < 0 || source == constants.any_source {
        return from;
    }
    ReceiveSource { source: u32::try_from(source).ok(), tag: i32::try_from(tag).ok(), ..from }
}
