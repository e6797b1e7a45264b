//! Writes what the ranks of a run do as a profile: the BSIM-Logger of paper 001.

mod rank_log;
mod rare;

use crate::choices;
use crate::collective::{self, Parties};
use rank_log::{Open, RankLog};
use rare::Matched;
use std::collections::BTreeMap;
use std::io::{self, Write};
use weir_formats::profile::{
    ALONE, Act, Asked, Event, Format, From, Look, Mode, Request, WORLD, Writer, WrittenProfile,
};
use weir_message::{
    ANY_SOURCE, ANY_TAG, BufferOf, Communicator, Deed, Meeting, Mode as SendMode, Observer, RequestId,
};
use weir_units::{Duration, Rank, Time};

/// Why there is no profile.
#[derive(Debug)]
#[non_exhaustive]
pub enum LogError {
    /// It cannot be written.
    Write(io::Error),
    /// A program did something that profiles cannot hold; says what.
    Cannot(String),
}

impl std::fmt::Display for LogError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Write(error) => write!(f, "the profile cannot be written: {error}"),
            Self::Cannot(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for LogError {}

/// Watches the ranks of a run and writes what they do.
///
/// # Model
/// A call that does several things becomes several events, one behind the other. One that starts something and waits for
/// its end becomes one event. Looks in vain become time that passes ([`Act::Poll`]); calls that do nothing with messages
/// become part of the rank's own work. What a profile cannot hold ends the run with a word about it.
pub struct Logger<W: Write + Send> {
    writer: Writer<W>,
    ranks: Vec<RankLog>,
    communicators: Known,
    error: Option<LogError>,
}

/// The communicators seen so far.
#[derive(Default)]
struct Known {
    /// By context and first member: communicators of one context have no member in common.
    numbers: BTreeMap<(u64, Option<Rank>), u32>,
    last: u32,
}

/// Calls after which something happens that a profile cannot hold.
const CANNOT: [&str; 6] = [
    "MPI_Buffer_iflush",
    "MPI_Comm_iflush_buffer",
    "MPI_Session_iflush_buffer",
    "MPI_Comm_attach_buffer",
    "MPI_Comm_attach_buffer_c",
    "MPI_Session_attach_buffer",
];

impl<W: Write + Send> Logger<W> {
    /// Begins a profile of so many ranks.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(format: Format, ranks: usize, title: &str, out: W) -> io::Result<Self> {
        let mut logs = Vec::new();
        logs.resize_with(ranks, RankLog::default);
        let writer = Writer::new(format, ranks, title, out)?;
        Ok(Self { writer, ranks: logs, communicators: Known::default(), error: None })
    }

    /// Ends the profile, when all ranks are at their ends.
    ///
    /// # Errors
    /// When it cannot be written, or a rank did something that it cannot hold.
    pub fn finish(mut self) -> Result<WrittenProfile, LogError> {
        for rank in 0..self.ranks.len() {
            self.flush(Rank::new(rank), Keep::Nothing);
        }
        match self.error {
            Some(error) => Err(error),
            None => self.writer.finish().map_err(LogError::Write),
        }
    }

    /// Hands on the events of a rank of which everything is known.
    fn flush(&mut self, rank: Rank, keep: Keep) {
        let log = &mut self.ranks[rank.index()];
        while let Some(event) = log.next_known(keep == Keep::What) {
            if let Err(error) = self.writer.add(rank, event) {
                self.error.get_or_insert(LogError::Write(error));
            }
        }
    }

    /// The number of a communicator in the profile.
    fn number(&mut self, communicator: &Communicator) -> u32 {
        match communicator.context() {
            0 => return WORLD,
            2 => return ALONE,
            _ => {}
        }
        let key = (communicator.context(), communicator.everybody().members().next());
        let known = &mut self.communicators;
        if let Some(&number) = known.numbers.get(&key) {
            return number;
        }
        known.last = known.last.max(ALONE) + 1;
        let number = known.last;
        known.numbers.insert(key, number);
        let own: Vec<Rank> = communicator.group.members().collect();
        let defined = match &communicator.remote {
            None => self.writer.define(number, own),
            Some(remote) => {
                let other: Vec<Rank> = remote.group.members().collect();
                self.writer.define_between(number, own, other)
            }
        };
        if let Err(error) = defined {
            self.error.get_or_insert(LogError::Write(error));
        }
        number
    }

    fn cannot(&mut self, rank: Rank, what: &str) {
        let call = self.ranks[rank.index()].call();
        let why = format!("{call}: {what}, which a profile cannot hold (rank {rank})");
        self.error.get_or_insert(LogError::Cannot(why));
    }

    /// Why the run cannot go on, if it cannot.
    fn verdict(&self) -> Result<(), String> {
        self.error.as_ref().map_or(Ok(()), |error| Err(error.to_string()))
    }

    /// Something that goes on under a request has begun.
    fn start(&mut self, rank: Rank, at: Time, act: Act, request: Option<RequestId>) {
        let log = &mut self.ranks[rank.index()];
        log.push(at, act);
        if let Some(id) = request {
            log.set_open(id);
        }
    }

    fn send(&mut self, rank: Rank, at: Time, deed: Sent<'_>) {
        let Sent { mode, communicator, to, tag, bytes, request } = deed;
        let communicator = self.number(communicator);
        let log = &mut self.ranks[rank.index()];
        let mode = match mode {
            SendMode::Standard => Mode::Standard,
            SendMode::Buffered => Mode::Buffered,
            SendMode::Synchronous => Mode::Synchronous,
            SendMode::Ready => Mode::Ready,
        };
        let number = request.map(|_| numbered(log.take_number()));
        let to = u32::try_from(to).ok();
        self.start(rank, at, Act::Send { mode, to, tag, bytes, communicator, request: number }, request);
    }

    fn receive(&mut self, rank: Rank, at: Time, deed: Received<'_>) {
        let Received { communicator, source, tag, capacity, request } = deed;
        let communicator = self.number(communicator);
        let from = asked(source, tag);
        let log = &mut self.ranks[rank.index()];
        let number = Some(numbered(log.take_number()));
        self.start(rank, at, Act::Receive { from, bytes: capacity, communicator, request: number }, request);
    }
}

/// Whether an event at the end of what a rank has done may still change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// It may.
    What,
    /// Everything is over.
    Nothing,
}

/// A send as an observer gets it.
struct Sent<'a> {
    mode: SendMode,
    communicator: &'a Communicator,
    to: i32,
    tag: i32,
    bytes: u64,
    request: Option<RequestId>,
}

/// The same of a receive; without a request of its own it is a part of another.
struct Received<'a> {
    communicator: &'a Communicator,
    source: i32,
    tag: i32,
    capacity: u64,
    request: Option<RequestId>,
}

/// What a receive asks for, as far as it is known from the beginning.
fn asked(source: i32, tag: i32) -> From {
    let asked = match (source, tag) {
        (ANY_SOURCE, ANY_TAG) => Asked::Anything,
        (ANY_SOURCE, _) => Asked::AnySource,
        (source, _) if source < 0 => Asked::Nobody,
        (_, ANY_TAG) => Asked::AnyTag,
        _ => Asked::Both,
    };
    let tag = Some(tag).filter(|&tag| tag >= 0 && asked != Asked::Nobody);
    From { source: u32::try_from(source).ok(), tag, asked }
}

impl<W: Write + Send> Logger<W> {
    fn collective(
        &mut self,
        rank: Rank,
        at: Time,
        communicator: &Communicator,
        meeting: Meeting,
        collective: weir_formats::profile::Collective,
        request: RequestId,
    ) {
        let communicator = self.number(communicator);
        let number = Some(numbered(self.ranks[rank.index()].take_number()));
        let persistent = match meeting {
            Meeting::InOrder => None,
            Meeting::Reserved(number) => Some(number),
        };
        let collective = Box::new(collective);
        let act = Act::Collective { collective, communicator, persistent, request: number };
        self.start(rank, at, act, Some(request));
    }

    /// Does something with the number of a request, if it has one.
    fn with_request(&mut self, rank: Rank, id: RequestId, write: impl FnOnce(&mut RankLog, Request)) {
        let log = &mut self.ranks[rank.index()];
        if let Some(request) = log.number_of(id) {
            write(log, request);
        }
    }
}

impl<W: Write + Send> Observer for Logger<W> {
    fn begins(&mut self, rank: Rank, call: &'static str, at: Time) -> Result<(), String> {
        self.ranks[rank.index()].begin(call, at);
        if CANNOT.contains(&call) {
            self.cannot(rank, "this was called");
        }
        self.verdict()
    }

    fn does(&mut self, rank: Rank, at: Time, deed: Deed<'_>) {
        match deed {
            Deed::Send { mode, communicator, to, tag, bytes, request } => {
                self.send(rank, at, Sent { mode, communicator, to, tag, bytes, request });
            }
            Deed::Completed(request) => self.ranks[rank.index()].completed(at, request),
            Deed::Receive { communicator, source, tag, capacity, request } => {
                let request = Some(request);
                self.receive(rank, at, Received { communicator, source, tag, capacity, request });
            }
            Deed::Exchange { communicator, to, send_tag, bytes, source, receive_tag, capacity, request } => {
                // The order in which the process does it; to post a receive takes no time.
                let began = self.ranks[rank.index()].began();
                self.receive(
                    rank,
                    began,
                    Received { communicator, source, tag: receive_tag, capacity, request: None },
                );
                let receive = self.ranks[rank.index()].last_started();
                let mode = SendMode::Standard;
                self.send(
                    rank,
                    at,
                    Sent { mode, communicator, to, tag: send_tag, bytes, request: Some(request) },
                );
                self.ranks[rank.index()].join_to(request, receive);
            }
            Deed::Collective { communicator, meeting, plan, combining, request } => {
                match collective::of_plan(plan, combining, Parties::of(communicator)) {
                    Some(collective) => self.collective(rank, at, communicator, meeting, collective, request),
                    None => self.cannot(rank, "a collective of another form"),
                }
            }
            Deed::Look(changes) => self.ranks[rank.index()].looks(changes),
            Deed::CaughtUp => self.ranks[rank.index()].caught_up(at),
            Deed::Slept { now, woken_by } => self.ranks[rank.index()].slept(now, woken_by),
            Deed::Probe { communicator, source, tag, status } => {
                let communicator = self.number(communicator);
                let found = asked(source, tag).found(status.source, status.tag);
                let log = &mut self.ranks[rank.index()];
                let look = log.look();
                log.push(at, Act::Probe { from: found, communicator, look });
            }
            Deed::Match { source, tag, message, status, communicator } => {
                self.matches(rank, at, Matched { source, tag, message, status, communicator });
            }
            Deed::ReceiveMatched { message, capacity, request } => {
                self.receives_matched(rank, at, message, (capacity, request));
            }
            Deed::Finish { request, status } => {
                if !self.ranks[rank.index()].finish(at, request, status) {
                    self.cannot(rank, "the end of something other than a message or a collective");
                }
            }
            Deed::Flush { of: BufferOf::Process, request } => {
                let log = &mut self.ranks[rank.index()];
                log.push(at, Act::Flush);
                log.open(request, Open::Flush);
            }
            Deed::Flush { .. } => self.cannot(rank, "a send buffer of a communicator or a session"),
            Deed::Release(request) => self.ranks[rank.index()].release(at, request),
            Deed::Cancel(id) => {
                self.with_request(rank, id, |log, request| log.push(at, Act::Cancel { request }))
            }
            Deed::Choose(choices) => {
                self.ranks[rank.index()].push(at, Act::Choose(Box::new(choices::of_program(choices))));
            }
            Deed::See(id) => self.with_request(rank, id, |log, request| log.sees(at, request)),
            Deed::Open(request) => self.opens(rank, at, request),
            Deed::Fulfil(id) => {
                self.with_request(rank, id, |log, request| log.push(at, Act::Fulfil { request }))
            }
            Deed::File { direction, bytes, lasts, request } => {
                self.uses_file(rank, at, (direction, bytes, lasts), request);
            }
            Deed::Window { communicator, deed } => self.uses_window(rank, at, communicator, deed),
            Deed::Partitioned { channel, deed } => self.uses_partitions(rank, at, channel, deed),
        }
    }

    fn ends(&mut self, rank: Rank, at: Time) -> Result<(), String> {
        self.ranks[rank.index()].end(at);
        self.flush(rank, Keep::What);
        self.verdict()
    }

    fn over(&mut self, rank: Rank, at: Time) {
        let log = &mut self.ranks[rank.index()];
        log.over(Event { compute: log.since(at), took: Some(Duration::ZERO), act: Act::End });
        self.flush(rank, Keep::What);
    }
}

/// What a message turned out to be.
trait Found {
    fn found(self, source: i32, tag: i32) -> Self;
}

impl Found for From {
    fn found(self, source: i32, tag: i32) -> Self {
        match self.asked {
            Asked::Nobody => self,
            _ => Self { source: u32::try_from(source).ok(), tag: Some(tag), ..self },
        }
    }
}

/// The answer to whether a call looks first.
const fn look(looks: bool) -> Look {
    if looks { Look::Yes } else { Look::No }
}

/// A request of a profile.
const fn numbered(number: u32) -> Request {
    Request(number)
}
