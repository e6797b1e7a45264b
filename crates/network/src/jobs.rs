//! Ranks of one of several jobs that share a machine.
//!
//! A job knows its own ranks, counted from 0, and nothing of the others. The engine has the ranks of all jobs, one job behind the
//! other. [`OfJob`] stands between the two: it lets a rank begin when its job does, changes numbers of ranks on the way in and out,
//! and counts what the job has done. No engine knows of it.

use crate::actions::Note;
use crate::causes::Ledger;
use crate::outcome::Chain;
use crate::{Actions, Digest, Event, Peer, Program, Waiting};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use weir_units::{Bytes, Duration, Rank, Time};

/// The token of the timer with which a job begins; programs count theirs from zero.
const BEGIN: u64 = u64::MAX;

/// The place of a job in a run.
#[derive(Clone, Debug)]
pub struct JobPlace {
    /// The rank of the run that its rank 0 is.
    pub first: u32,
    /// The number that its rank 0 has in its own programs: 0, unless programs of several jobs count their ranks together.
    pub own_first: u32,
    /// When it begins.
    pub start: Time,
    /// The part that it has in the ends of other jobs.
    pub ends: Ends,
}

/// The part that the rank of a job has in the ends of other jobs.
#[derive(Clone, Debug)]
pub enum Ends {
    /// Nothing.
    Alone,
    /// Others end when it and all of its kind are over.
    Awaited(Arc<AwaitedRanks>),
    /// It ends when these are over.
    WithOthers(Arc<AwaitedRanks>),
    /// It ends at this instant, whatever it does then.
    At(Time),
}

/// Ranks whose end other jobs wait for.
///
/// A rank that asks may run on another thread than those that it asks about, and either may be ahead of the other by the window of the
/// engine. So it learns of an end only when that lies behind it by the window: then all threads agree on it.
#[derive(Debug)]
pub struct AwaitedRanks {
    left: AtomicUsize,
    last_ps: AtomicU64,
    window: Duration,
}

impl AwaitedRanks {
    /// A number of ranks, of an engine whose threads are apart by less than `window`; zero where there is one thread.
    pub fn new(ranks: usize, window: Duration) -> Arc<Self> {
        Arc::new(Self { left: AtomicUsize::new(ranks), last_ps: AtomicU64::new(0), window })
    }

    fn note_end(&self, at: Time) {
        self.last_ps.fetch_max(at.as_ps(), Ordering::Relaxed);
        self.left.fetch_sub(1, Ordering::Release);
    }

    fn are_over(&self, now: Time) -> bool {
        self.left.load(Ordering::Acquire) == 0
            && Time::from_ps(self.last_ps.load(Ordering::Relaxed)) + self.window <= now
    }
}

/// Counts of a job, or of some of its ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobTraffic {
    /// The last instant at which something happened to one of its ranks.
    pub last: Time,
    /// Messages of data that have come.
    pub messages: u64,
    /// Their bytes.
    pub bytes: Bytes,
    /// Sum of the times from handing them over to their coming, in picoseconds.
    pub latency_ps: u128,
    /// The longest of these times.
    pub latency_most: Duration,
    /// Fingerprint of its events; ranks are numbered as the job numbers them.
    pub digest: Digest,
    /// Ranks that have come to their end.
    pub over: u64,
}

impl JobTraffic {
    /// Counts of both together.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self {
            last: self.last.max(other.last),
            messages: self.messages + other.messages,
            bytes: Bytes(self.bytes.0.saturating_add(other.bytes.0)),
            latency_ps: self.latency_ps + other.latency_ps,
            latency_most: self.latency_most.max(other.latency_most),
            digest: Digest(self.digest.0.wrapping_add(other.digest.0)),
            over: self.over + other.over,
        }
    }
}

/// A rank of a job, as engines see it.
#[derive(Debug)]
pub struct OfJob<P> {
    program: P,
    place: Arc<JobPlace>,
    /// Its number in the job.
    rank: Rank,
    traffic: JobTraffic,
    chain: Chain,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum State {
    Running,
    /// It has come to its end, which is noted.
    Ended,
    /// Its job has ended with others: nothing matters to it any more.
    GivenUp,
}

impl<P: Program> OfJob<P> {
    /// Rank `rank` of the job at this place, before its start.
    pub fn new(program: P, place: Arc<JobPlace>, rank: Rank) -> Self {
        let (traffic, chain) = (JobTraffic::default(), Chain::default());
        Self { program, place, rank, traffic, chain, state: State::Running }
    }

    /// The program.
    pub const fn program(&self) -> &P {
        &self.program
    }

    /// The place of its job, which all ranks of it share.
    pub const fn shared_place(&self) -> &Arc<JobPlace> {
        &self.place
    }

    /// Counts of this rank.
    pub fn traffic(&self) -> JobTraffic {
        let is_over = self.state == State::GivenUp || self.program.is_over();
        JobTraffic { digest: Digest(self.chain.seal(self.rank)), over: u64::from(is_over), ..self.traffic }
    }

    /// From numbers of the run to those of the programs.
    fn own(&self, rank: Rank) -> Rank {
        Rank(rank.0 - self.place.first + self.place.own_first)
    }

    /// From numbers of the programs to those of the run.
    fn global(&self, rank: Rank) -> Rank {
        Rank(rank.0 - self.place.own_first + self.place.first)
    }

    fn count(&mut self, now: Time, event: &Event<P::Body>) {
        self.traffic.last = now;
        let words = match event {
            Event::Start => [0, 0, 0],
            Event::Arrived(message) => {
                if message.class.is_data() {
                    let latency = now.since(message.posted);
                    self.traffic.messages += 1;
                    self.traffic.bytes += message.bytes;
                    self.traffic.latency_ps += u128::from(latency.as_ps());
                    self.traffic.latency_most = self.traffic.latency_most.max(latency);
                }
                [1 | u64::from(message.from.0 - self.place.own_first) << 8, message.bytes.0, message.sequence]
            }
            Event::Departed { sequence } => [2, *sequence, 0],
            Event::Timer { token } => [3, *token, 0],
        };
        self.chain.append(Time::ZERO + now.since(self.place.start), words);
    }

    fn note_end(&mut self, now: Time) {
        if self.state == State::Running
            && let Ends::Awaited(awaited) = &self.place.ends
            && self.program.is_over()
        {
            self.state = State::Ended;
            awaited.note_end(now);
        }
    }
}

impl<P: Program> Program for OfJob<P> {
    type Body = P::Body;

    fn react(&mut self, event: Event<P::Body>, actions: &mut Actions<P::Body>) {
        let now = actions.now();
        let is_end = match &self.place.ends {
            Ends::WithOthers(others) => others.are_over(now),
            Ends::At(end) => *end <= now,
            Ends::Alone | Ends::Awaited(_) => false,
        };
        if self.state == State::Running && is_end {
            self.state = State::GivenUp;
        }
        if self.state == State::GivenUp {
            return actions.ignore();
        }
        let event = match event {
            Event::Start if self.place.start > now => return actions.set_timer(self.place.start, BEGIN),
            Event::Timer { token: BEGIN } => Event::Start,
            Event::Arrived(mut message) => {
                (message.from, message.to) = (self.own(message.from), self.own(message.to));
                Event::Arrived(message)
            }
            other => other,
        };
        let before = (self.traffic, self.chain);
        self.count(now, &event);
        self.program.react(event, actions);
        if actions.ignored {
            (self.traffic, self.chain) = before;
        }
        let (first, own_first) = (self.place.first, self.place.own_first);
        let global = |rank: &mut Rank| rank.0 = rank.0 - own_first + first;
        actions.sends.iter_mut().for_each(|sent| global(&mut sent.send.to));
        for note in actions.notes.iter_mut().flatten() {
            match note {
                Note::Kept { from, .. } | Note::Taken { from, .. } => global(from),
                Note::Waited(_) => {}
            }
        }
        self.note_end(now);
    }

    fn is_over(&self) -> bool {
        self.state != State::Running || self.program.is_over()
    }

    fn waiting(&self) -> Option<Waiting> {
        // Whoever waits for a rank that has given up is not stuck: its own end comes as well.
        if self.state == State::GivenUp || matches!(self.place.ends, Ends::WithOthers(_) | Ends::At(_)) {
            return None;
        }
        let waiting = self.program.waiting()?;
        let peer = match waiting.peer {
            Peer::Rank(rank) => Peer::Rank(self.global(rank)),
            other => other,
        };
        Some(Waiting { rank: self.global(waiting.rank), peer, ..waiting })
    }

    fn ledger(&mut self) -> Option<&mut Option<Box<Ledger>>> {
        self.program.ledger()
    }

    fn save(&self) -> Option<Vec<u8>> {
        let saved = (self.traffic, self.chain, self.state, self.program.save()?);
        Some(postcard::to_stdvec(&saved).expect("memory takes all that is written"))
    }

    fn restore(&mut self, saved: &[u8]) -> Option<()> {
        let program: Vec<u8>;
        (self.traffic, self.chain, self.state, program) = postcard::from_bytes(saved).ok()?;
        self.program.restore(&program)
    }
}
