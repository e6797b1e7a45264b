//! Writes what the ranks of a run do as a profile: the BSIM-Logger of paper 001.

mod rank_log;

use rank_log::{Open, RankLog};
use std::collections::BTreeMap;
use std::io::{self, Write};
use weir_formats::profile::{Format, Writer};
use weir_message::{BufferOf, Communicator, Observation, Observer, RequestId, Watched};
use weir_operations::{ALONE, Operation, Step, WORLD, WindowOperation};
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
/// its end becomes one event. Looks in vain become time that passes ([`Operation::Poll`]); calls that do nothing with messages
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

    fn log(&mut self, rank: Rank) -> &mut RankLog {
        &mut self.ranks[rank.index()]
    }

    /// Gives an operation the numbers of the profile, and says when a call looked first. `None`: it is of no request that the profile
    /// knows, or part of a step before.
    fn renumbered(
        &mut self,
        process: &dyn Watched,
        operation: &Operation,
    ) -> Option<(Operation, Option<RequestId>)> {
        let (rank, at) = (process.rank(), process.clock());
        let mut operation = operation.clone();
        if let Some(number) = operation.communicator_mut()
            && let Some(communicator) = process.communicator(*number)
        {
            *number = self.number(communicator);
        }
        let log = self.log(rank);
        match &mut operation {
            Operation::Probe { look, .. } => *look = log.look(),
            Operation::Window { operation, .. } => {
                if let WindowOperation::Wait { look } = &mut **operation {
                    *look = log.look();
                }
            }
            Operation::Match { look, message, .. } => {
                *look = log.look();
                *message = log.finds(*message);
            }
            Operation::ReceiveMatched { message, request, .. } => {
                *message = log.takes(*message)?;
                let id = request.replace(*message);
                return Some((operation, id));
            }
            Operation::Release { request } => {
                log.release(at, *request);
                return None;
            }
            Operation::See { requests } => {
                for id in requests.as_slice() {
                    if let Some(number) = log.number_of(*id) {
                        log.sees(at, number);
                    }
                }
                return None;
            }
            Operation::Cancel { request }
            | Operation::Fulfil { request }
            | Operation::Ready { request, .. } => {
                *request = log.number_of(*request)?;
            }
            _ => {}
        }
        let started = operation.request_mut();
        let id = started.map(|request| std::mem::replace(request, RequestId(log.take_number())));
        Some((operation, id))
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

impl<W: Write + Send> Observer for Logger<W> {
    fn begins(&mut self, rank: Rank, call: &'static str, at: Time) -> Result<(), String> {
        self.log(rank).begin(call, at);
        if CANNOT.contains(&call) {
            self.cannot(rank, "this was called");
        }
        self.result()
    }

    fn does(&mut self, process: &dyn Watched, operation: &Operation) {
        let (rank, at) = (process.rank(), process.clock());
        let Some((operation, id)) = self.renumbered(process, operation) else { return };
        let log = self.log(rank);
        log.push(at, operation);
        if let Some(id) = id {
            log.set_open(id);
        }
    }

    fn notices(&mut self, process: &dyn Watched, observation: Observation<'_>) {
        let (rank, at) = (process.rank(), process.clock());
        let log = self.log(rank);
        match observation {
            Observation::Completed(request) => log.completed(at, request),
            Observation::Looks(changes) => log.looks(changes),
            Observation::CaughtUp => log.caught_up(at),
            Observation::Slept { now, woken_by } => log.slept(now, woken_by),
            Observation::Finished(request, status) => {
                if !log.finish(at, request, status) {
                    self.cannot(rank, "the end of something other than a message or a collective");
                }
            }
            Observation::Flushes(BufferOf::Process, request) => {
                log.push(at, Operation::Flush);
                log.open(request, Open::Flush);
            }
            Observation::Flushes(..) => self.cannot(rank, "a send buffer of a communicator or a session"),
        }
    }

    fn ends(&mut self, rank: Rank, at: Time) -> Result<(), String> {
        self.log(rank).end(at);
        self.flush(rank, Keep::What);
        self.result()
    }

    fn over(&mut self, rank: Rank, at: Time) {
        let log = self.log(rank);
        log.over(Step { compute: log.since(at), took: Some(Duration::ZERO), operation: Operation::End });
        self.flush(rank, Keep::What);
    }
}
