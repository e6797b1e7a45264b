//! Calls of the ranks of a program, for the table of calls and the trace.
//!
//! # Model
//! A call is what a function of MPI does between its beginning and its end; what it calls in turn, by a function of the
//! program, is part of it. A rank waits in it while its clock stands still: what the rank's processor does (overheads,
//! copies, reductions) makes its clock go on, and what remains of the call is the time until something has happened at
//! which it could go on. So a call lasts as long as its processor time and its waiting together.

use crate::Follower;
use crate::engine::Run;
use crate::followed::TeeRecorder;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use weir_capi::Observer;
use weir_experiment::{OutputSection, Scenario};
use weir_message::{Observation, Observers, Posted, RequestId, SharedObserver, Status, Taken, Watched};
use weir_network::causes::DrawnPath;
use weir_network::record::{Keep, MessageTimes};
use weir_network::{Recorder, RunContext};
use weir_operations::Operation;
use weir_record::{Arrow, CallRecorder, CallRow, Drawn, DrawnLink, RecordError, RunFolder};
use weir_units::{Bytes, Duration, Rank, Time};

pub(crate) type SharedLog = Arc<Mutex<CallLog>>;

pub(crate) struct CallLog {
    recorder: CallRecorder,
    ranks: Vec<Calls>,
}

#[derive(Default)]
struct Calls {
    open: Option<Open>,
    inner: usize,
    requests: BTreeMap<RequestId, Under>,
    /// The last send, if it was complete at once and has no request yet.
    sent: Option<(Rank, i32)>,
    last: Time,
}

#[derive(Default)]
struct Open {
    name: &'static str,
    start: Time,
    waited: Duration,
    peer: Only<Rank>,
    tag: Only<i32>,
    sent: u64,
    received: u64,
}

#[derive(Default)]
struct Under {
    peer: Only<Rank>,
    tag: Only<i32>,
    received: u64,
    is_collective: bool,
}

#[derive(Clone, Copy, Default)]
enum Only<T> {
    #[default]
    None,
    One(T),
    Several,
}

impl<T: Copy + PartialEq> Only<T> {
    fn add(&mut self, value: T) {
        *self = match *self {
            Self::None => Self::One(value),
            Self::One(known) if known == value => Self::One(known),
            _ => Self::Several,
        };
    }

    fn merge(&mut self, other: Self) {
        match other {
            Self::None => {}
            Self::One(value) => self.add(value),
            Self::Several => *self = Self::Several,
        }
    }

    fn one(self) -> Option<T> {
        match self {
            Self::One(value) => Some(value),
            Self::None | Self::Several => None,
        }
    }
}

impl Open {
    fn row(&self, rank: Rank, end: Option<(Time, Duration)>) -> CallRow {
        CallRow {
            rank,
            name: self.name,
            start: self.start,
            end,
            peer: self.peer.one(),
            tag: self.tag.one(),
            sent: Bytes(self.sent),
            received: Bytes(self.received),
        }
    }

    /// A rank of a communicator on the other side: the same in the world.
    fn meets(
        &mut self,
        process: &dyn Watched,
        communicator: u32,
        peer: u32,
        tag: Option<i32>,
    ) -> Option<Rank> {
        let communicator = process.communicator(communicator);
        let peer = communicator.and_then(|communicator| communicator.peers().member(peer));
        peer.into_iter().for_each(|peer| self.peer.add(peer));
        tag.into_iter().for_each(|tag| self.tag.add(tag));
        peer
    }
}

impl Calls {
    /// The instant, or the last one that was recorded if that is later: a rank whose clock is ahead takes messages from before.
    fn come_up_to(&mut self, at: Time) -> Time {
        self.last = self.last.max(at);
        self.last
    }

    fn finish(&mut self, request: RequestId, status: &Status) {
        let under = self.requests.remove(&request).unwrap_or_default();
        let Some(open) = &mut self.open else { return };
        open.received += under.received;
        if under.is_collective {
            return;
        }
        open.peer.merge(under.peer);
        if status.source >= 0 && !status.cancelled {
            open.tag.add(status.tag);
        } else {
            open.tag.merge(under.tag);
        }
    }

    fn does(&mut self, process: &dyn Watched, operation: &Operation) {
        let Some(open) = &mut self.open else { return };
        match operation {
            Operation::Send { to: Some(to), tag, communicator, request, .. } => {
                let Some(to) = open.meets(process, *communicator, *to, Some(*tag)) else { return };
                match request {
                    Some(request) => self.requests.entry(*request).or_default().sends(to, *tag),
                    None => self.sent = Some((to, *tag)),
                }
            }
            Operation::Send { to: None, tag, .. } => open.tag.add(*tag),
            Operation::Receive { from, communicator, .. }
            | Operation::Probe { from, communicator, .. }
            | Operation::Match { from, communicator, .. } => match from.source {
                Some(source) => _ = open.meets(process, *communicator, source, from.tag),
                None => from.tag.into_iter().for_each(|tag| open.tag.add(tag)),
            },
            Operation::Collective { request: Some(request), .. } => {
                self.requests.entry(*request).or_default().is_collective = true;
            }
            _ => {}
        }
    }

    fn notices(&mut self, observation: Observation<'_>) {
        match observation {
            Observation::Completed(request) => {
                if let Some((to, tag)) = self.sent.take() {
                    self.requests.entry(request).or_default().sends(to, tag);
                }
            }
            Observation::Finished(request, status) => self.finish(request, status),
            _ => {}
        }
    }
}

impl Under {
    fn sends(&mut self, to: Rank, tag: i32) {
        self.peer.add(to);
        self.tag.add(tag);
    }
}

impl CallLog {
    fn go_on(&self) -> Result<(), String> {
        // The run ends with what the recorder says; this is only to end it.
        if self.recorder.has_failed() { Err("its calls cannot be written".into()) } else { Ok(()) }
    }
}

impl weir_message::Observer for CallLog {
    fn begins(&mut self, rank: Rank, call: &'static str, at: Time) -> Result<(), String> {
        let calls = &mut self.ranks[rank.index()];
        let start = calls.come_up_to(at);
        if calls.open.is_some() {
            calls.inner += 1;
        } else {
            calls.open = Some(Open { name: call, start, ..Open::default() });
            self.recorder.begin(rank, call, start);
        }
        self.go_on()
    }

    fn does(&mut self, process: &dyn Watched, operation: &Operation) {
        self.ranks[process.rank().index()].does(process, operation);
    }

    fn notices(&mut self, process: &dyn Watched, observation: Observation<'_>) {
        self.ranks[process.rank().index()].notices(observation);
    }

    fn ends(&mut self, rank: Rank, at: Time) -> Result<(), String> {
        let calls = &mut self.ranks[rank.index()];
        let end = calls.come_up_to(at);
        if calls.inner > 0 {
            calls.inner -= 1;
        } else if let Some(open) = calls.open.take() {
            calls.sent = None;
            self.recorder.end_call(&open.row(rank, Some((end, open.waited))));
        }
        self.go_on()
    }

    fn over(&mut self, _: Rank, _: Time) {}

    fn waits(&mut self, rank: Rank, from: Time, until: Time) {
        if let Some(open) = &mut self.ranks[rank.index()].open {
            open.waited += until.since(from);
        }
    }

    fn posts(&mut self, rank: Rank, at: Time, Posted { to, sequence, bytes }: Posted) {
        let calls = &mut self.ranks[rank.index()];
        if let Some(open) = &mut calls.open {
            open.sent += bytes;
        }
        let at = calls.come_up_to(at);
        self.recorder.sent(&Arrow { from: rank, to, sequence, bytes: Bytes(bytes) }, at);
    }

    fn takes(&mut self, rank: Rank, at: Time, Taken { from, sequence, bytes, request }: Taken) {
        let calls = &mut self.ranks[rank.index()];
        let under = calls.requests.entry(request).or_default();
        under.received += bytes;
        under.peer.add(from);
        let at = calls.come_up_to(at);
        self.recorder.taken(&Arrow { from, to: rank, sequence, bytes: Bytes(bytes) }, at);
    }
}

fn lock(calls: &SharedLog) -> MutexGuard<'_, CallLog> {
    calls.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn call_log(scenario: &Scenario, folder: &RunFolder) -> Option<Result<SharedLog, RecordError>> {
    let ranks = scenario.workload.ranks;
    let log = |recorder| {
        let ranks = std::iter::repeat_with(Calls::default).take(ranks).collect();
        Arc::new(Mutex::new(CallLog { recorder, ranks }))
    };
    let kept = scenario.output.kept_calls()?;
    let most = scenario.output.most_of_trace();
    let nodes = (0..ranks).map(|rank| scenario.placement().node(Rank::new(rank))).collect();
    Some(CallRecorder::new(folder, kept, Drawn { most, nodes }).map(log))
}

/// Sets what ranks keep account of: steps of paths for the critical path in the trace, too, and shown to whoever follows.
pub(crate) fn accounting<'a>(run: Run<'_>, context: RunContext<'a>) -> RunContext<'a> {
    let Run { scenario, options, .. } = run;
    let shows = if options.follow.is_some() { Keep::Yes } else { Keep::No };
    let steps = scenario.output.path_steps(scenario.workload.ranks);
    context.causes(scenario.output.causes).path_steps(steps).showing_causes(shows)
}

pub(crate) fn followed<'a>(
    scenario: &'a Scenario,
    recorder: &'a mut dyn Recorder,
    (follower, calls): (Option<&'a Follower>, Option<&SharedLog>),
) -> TeeRecorder<'a> {
    TeeRecorder {
        reported: scenario.output.reported(scenario.machine()),
        recorder,
        follower,
        arrived: calls.map(|calls| {
            let calls = Arc::clone(calls);
            Box::new(move |messages: &[MessageTimes]| lock(&calls).recorder.arrived(messages)) as _
        }),
    }
}

pub(crate) fn watched(observer: Option<Observer>, calls: Option<&SharedLog>) -> Option<Observer> {
    let Some(calls) = calls else { return observer };
    let calls = Arc::clone(calls) as SharedObserver;
    let Some(Observer(first)) = observer else { return Some(Observer(calls)) };
    Some(Observer(Arc::new(Mutex::new(Observers(vec![first, calls])))))
}

/// Writes what remains when the run is over, calls that are not over too; returns the names of the tables, and a warning of what
/// has been left out of the trace.
pub(crate) fn end(
    calls: SharedLog,
    links: &[DrawnLink],
    path: Option<&DrawnPath>,
    output: &OutputSection,
) -> Result<(Vec<&'static str>, Option<String>), RecordError> {
    let calls = Arc::into_inner(calls).expect("the run is over and has let go of its observer");
    let CallLog { mut recorder, ranks } = calls.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (rank, calls) in ranks.into_iter().enumerate() {
        if let Some(open) = calls.open {
            recorder.end_call(&open.row(Rank::new(rank), None));
        }
    }
    path.into_iter().for_each(|path| recorder.path(path));
    let (tables, left_out) = recorder.end(links, output.sample_interval)?;
    let most = output.most_of_trace();
    let warning = left_out
        .map(|what| format!("trace.perfetto: {what} (output.trace_limit = {}: raise it for more)", most));
    Ok((tables, warning))
}
