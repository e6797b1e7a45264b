//! Writes what the ranks of a run do as a profile: the BSIM-Logger of paper 001.

mod rank_log;
mod rare;

use crate::collective::{self, Parties};
use crate::twins::{Twin, choices_of_program};
use rank_log::{Open, RankLog};
use std::collections::BTreeMap;
use std::io::{self, Write};
use weir_formats::profile::{ALONE, Act, Event, Format, ReceiveSource, Request, WORLD, Wildcards, Writer};
use weir_message::{
    ANY_SOURCE, ANY_TAG, BufferOf, Communicator, Deed, Meeting, Mode, Observer, RequestId, Status,
};
use weir_units::{Duration, Rank, Time};

/// Why there is no profile.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// It cannot be written.
    #[error("the profile cannot be written: {0}")]
    Write(io::Error),
    /// A program did something that profiles cannot hold; says what.
    #[error("{0}")]
    Cannot(String),
}

/// Watches the ranks of a run and writes what they do.
///
/// # Model
/// A call that does several things becomes several events, one behind the other. One that starts something and waits for
/// its end becomes one event. Looks in vain become time that passes ([`Act::Poll`]); calls that do nothing with messages
/// become part of the rank's own work. What a profile cannot hold ends the run with a word about it.
pub struct Logger<W: Write + Send> {
    writer: Writer<W>,
    ranks: Vec<RankLog>,
    /// The numbers of communicators seen so far, by context and first member: those of one context have no member in common.
    communicators: BTreeMap<(u64, Option<Rank>), u32>,
    error: Option<LogError>,
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
        Ok(Self { writer, ranks: logs, communicators: BTreeMap::new(), error: None })
    }

    /// Ends the profile, when all ranks are at their ends; returns the number of its events.
    ///
    /// # Errors
    /// When it cannot be written, or a rank did something that it cannot hold.
    pub fn finish(mut self) -> Result<u64, LogError> {
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
        while let Some(event) = self.log(rank).next_known(keep == Keep::What) {
            if let Err(error) = self.writer.add(rank, event) {
                self.error.get_or_insert(LogError::Write(error));
            }
        }
    }

    /// The number of a communicator in the profile.
    fn number(&mut self, communicator: &Communicator) -> u32 {
        match communicator.context {
            0 => return WORLD,
            2 => return ALONE,
            _ => {}
        }
        let key = (communicator.context, communicator.everybody().members().next());
        if let Some(&number) = self.communicators.get(&key) {
            return number;
        }
        let number = ALONE + 1 + self.communicators.len() as u32;
        self.communicators.insert(key, number);
        let other = communicator.remote.iter().flat_map(|remote| remote.group.members());
        let groups = (communicator.group.members().collect(), other.collect());
        if let Err(error) = self.writer.define(number, groups) {
            self.error.get_or_insert(LogError::Write(error));
        }
        number
    }

    fn cannot(&mut self, rank: Rank, what: &str) {
        let call = self.log(rank).call();
        let why = format!("{call}: {what}, which a profile cannot hold (rank {rank})");
        self.error.get_or_insert(LogError::Cannot(why));
    }

    /// Why the run cannot go on, if it cannot.
    fn result(&self) -> Result<(), String> {
        self.error.as_ref().map_or(Ok(()), |error| Err(error.to_string()))
    }

    /// Something that goes on under a request has begun.
    fn start(&mut self, rank: Rank, at: Time, act: Act, request: Option<RequestId>) {
        let log = self.log(rank);
        log.push(at, act);
        if let Some(id) = request {
            log.set_open(id);
        }
    }

    fn log(&mut self, rank: Rank) -> &mut RankLog {
        &mut self.ranks[rank.index()]
    }

    fn new_request(&mut self, rank: Rank) -> Request {
        Request(self.log(rank).take_number())
    }

    /// Does something with the number of a request, if it has one.
    fn with_request(&mut self, rank: Rank, id: RequestId, write: impl FnOnce(&mut RankLog, Request)) {
        let log = self.log(rank);
        if let Some(request) = log.number_of(id) {
            write(log, request);
        }
    }
}

/// Says whether an event at the end of what a rank has done may still change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// It may.
    What,
    /// Everything is over.
    Nothing,
}

fn sent(mode: Mode, communicator: u32, (to, tag): (i32, i32), bytes: u64, request: Option<Request>) -> Act {
    Act::Send { mode: mode.twin(), to: u32::try_from(to).ok(), tag, bytes, communicator, request }
}

fn received(communicator: u32, (source, tag): (i32, i32), bytes: u64, request: Request) -> Act {
    Act::Receive { from: asked(source, tag), bytes, communicator, request: Some(request) }
}

/// Source and tag of a receive, as far as they are known from the beginning.
fn asked(source: i32, tag: i32) -> ReceiveSource {
    let asked = match (source, tag) {
        (ANY_SOURCE, ANY_TAG) => Wildcards::Anything,
        (ANY_SOURCE, _) => Wildcards::AnySource,
        (source, _) if source < 0 => Wildcards::Nobody,
        (_, ANY_TAG) => Wildcards::AnyTag,
        _ => Wildcards::Both,
    };
    let tag = Some(tag).filter(|&tag| tag >= 0 && asked != Wildcards::Nobody);
    ReceiveSource { source: u32::try_from(source).ok(), tag, asked }
}

impl<W: Write + Send> Observer for Logger<W> {
    fn begins(&mut self, rank: Rank, call: &'static str, at: Time) -> Result<(), String> {
        self.log(rank).begin(call, at);
        if CANNOT.contains(&call) {
            self.cannot(rank, "this was called");
        }
        self.result()
    }

    fn does(&mut self, rank: Rank, at: Time, deed: Deed<'_>) {
        match deed {
            Deed::Send { mode, communicator, to, tag, bytes, request } => {
                let communicator = self.number(communicator);
                let number = request.map(|_| self.new_request(rank));
                self.start(rank, at, sent(mode, communicator, (to, tag), bytes, number), request);
            }
            Deed::Completed(request) => self.log(rank).completed(at, request),
            Deed::Receive { communicator, source, tag, capacity, request } => {
                let (communicator, number) = (self.number(communicator), self.new_request(rank));
                let act = received(communicator, (source, tag), capacity, number);
                self.start(rank, at, act, Some(request));
            }
            Deed::Exchange { communicator, to, send_tag, bytes, source, receive_tag, capacity, request } => {
                // The order in which the process does it; to post a receive takes no time.
                let communicator = self.number(communicator);
                let (began, number) = (self.log(rank).began(), self.new_request(rank));
                let act = received(communicator, (source, receive_tag), capacity, number);
                self.start(rank, began, act, None);
                let receive = self.log(rank).last_started();
                let number = Some(self.new_request(rank));
                let act = sent(Mode::Standard, communicator, (to, send_tag), bytes, number);
                self.start(rank, at, act, Some(request));
                self.log(rank).join_to(request, receive);
            }
            Deed::Collective { communicator, meeting, plan, combining, request } => {
                let Some(collective) = collective::of_plan(plan, combining, Parties::of(communicator)) else {
                    return self.cannot(rank, "a collective of another form");
                };
                let (communicator, number) = (self.number(communicator), Some(self.new_request(rank)));
                let persistent = if let Meeting::Reserved(number) = meeting { Some(number) } else { None };
                let collective = Box::new(collective);
                let act = Act::Collective { collective, communicator, persistent, request: number };
                self.start(rank, at, act, Some(request));
            }
            Deed::Look(changes) => self.log(rank).looks(changes),
            Deed::CaughtUp => self.log(rank).caught_up(at),
            Deed::Slept { now, woken_by } => self.log(rank).slept(now, woken_by),
            Deed::Probe { communicator, source, tag, status } => {
                let communicator = self.number(communicator);
                let found = found(asked(source, tag), status);
                let log = self.log(rank);
                let look = log.look();
                log.push(at, Act::Probe { from: found, communicator, look });
            }
            Deed::Finish { request, status } => {
                if !self.log(rank).finish(at, request, status) {
                    self.cannot(rank, "the end of something other than a message or a collective");
                }
            }
            Deed::Flush { of: BufferOf::Process, request } => {
                let log = self.log(rank);
                log.push(at, Act::Flush);
                log.open(request, Open::Flush);
            }
            Deed::Flush { .. } => self.cannot(rank, "a send buffer of a communicator or a session"),
            Deed::Release(request) => self.log(rank).release(at, request),
            Deed::Cancel(id) => {
                self.with_request(rank, id, |log, request| log.push(at, Act::Cancel { request }))
            }
            Deed::Choose(choices) => {
                self.log(rank).push(at, Act::Choose(Box::new(choices_of_program(choices))));
            }
            Deed::See(id) => self.with_request(rank, id, |log, request| log.sees(at, request)),
            Deed::Fulfil(id) => {
                self.with_request(rank, id, |log, request| log.push(at, Act::Fulfil { request }))
            }
            // By their names, so that a new deed is missing here and not at run time.
            rare @ (Deed::Match { .. }
            | Deed::ReceiveMatched { .. }
            | Deed::Open(_)
            | Deed::File { .. }
            | Deed::Window { .. }
            | Deed::Partitioned { .. }) => self.does_rarely(rank, at, rare),
        }
    }

    fn ends(&mut self, rank: Rank, at: Time) -> Result<(), String> {
        self.log(rank).end(at);
        self.flush(rank, Keep::What);
        self.result()
    }

    fn over(&mut self, rank: Rank, at: Time) {
        let log = self.log(rank);
        log.over(Event { compute: log.since(at), took: Some(Duration::ZERO), act: Act::End });
        self.flush(rank, Keep::What);
    }
}

/// Fills in what a message turned out to be.
fn found(from: ReceiveSource, status: &Status) -> ReceiveSource {
    match from.asked {
        Wildcards::Nobody => from,
        _ => ReceiveSource { source: u32::try_from(status.source).ok(), tag: Some(status.tag), ..from },
    }
}
