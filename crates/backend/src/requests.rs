//! Requests of the program outside, on their way to the ranks, and what both sides know of the time.

use corosensei::Yielder;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use weir_network::Stepper;
use weir_units::{Bytes, Rank, Time};

/// A request that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The kind of request.
    pub kind: CompletionKind,
    /// The rank that made it.
    pub rank: Rank,
    /// The number that came with it.
    pub token: u64,
    /// When it is complete by the clock of the rank, which may be ahead of [`Backend::now`](crate::Backend::now) by the processor time of its calls
    /// (`node.mpi_overhead` and the like), and never behind it.
    pub at: Time,
}

/// Kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A send: its buffer is free.
    Sent,
    /// A receive: the message is there.
    Received {
        /// The rank that has sent it.
        from: Rank,
        /// Its tag.
        tag: u32,
        /// Its bytes.
        bytes: Bytes,
    },
    /// The time of a timer has come.
    Scheduled,
}

/// A request on its way to its rank.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Request {
    Send {
        to: Rank,
        tag: i32,
        bytes: Bytes,
        token: u64,
    },
    /// From a rank, or any; with a tag, or any.
    Receive {
        from: Option<Rank>,
        tag: Option<i32>,
        bytes: Bytes,
        token: u64,
    },
    Timer {
        at: Time,
        token: u64,
    },
}

impl Request {
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Send { .. } => "send",
            Self::Receive { .. } => "receive",
            Self::Timer { .. } => "schedule",
        }
    }

    pub(crate) const fn token(&self) -> u64 {
        match *self {
            Self::Send { token, .. } | Self::Receive { token, .. } | Self::Timer { token, .. } => token,
        }
    }
}

impl fmt::Display for Request {
    /// A sentence about what the rank waits for that goes on from its name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Send { to, tag, bytes, .. } => {
                write!(
                    f,
                    "waits for rank {to} to receive its {bytes} with tag {tag}, which no receive there takes"
                )
            }
            Self::Receive { from, tag, bytes, .. } => {
                let tag = tag.map_or_else(|| "any tag".to_owned(), |tag| format!("tag {tag}"));
                match from {
                    Some(from) => write!(
                        f,
                        "waits for a message of up to {bytes} from rank {from} with {tag}, which no send there meets"
                    ),
                    None => write!(f, "waits for a message of up to {bytes} from any rank with {tag}"),
                }
            }
            Self::Timer { at, .. } => write!(f, "waits for {at}"),
        }
    }
}

/// Why the engine stands still.
pub(crate) enum Stop {
    Completed(Completion),
    /// All up to the instant that was asked for has happened; or nothing is left at all.
    Paused {
        is_idle: bool,
    },
    /// The caller may look whether it has been asked to end.
    Looks,
}

/// Requests of a rank.
#[derive(Default)]
struct OfRank {
    made: VecDeque<Request>,
    is_woken: bool,
    /// Those that have begun and are not complete, by the number that their rank gave them.
    open: Vec<Option<Request>>,
}

/// State that the program outside and the ranks share.
pub(crate) struct Shared {
    pub(crate) now: Cell<Time>,
    pub(crate) until: Cell<Time>,
    pub(crate) is_over: Cell<bool>,
    /// True once the first event may have happened: before it no rank has to be woken.
    pub(crate) has_begun: Cell<bool>,
    /// The rank in whose reaction the engine stands still.
    pub(crate) reacts: Cell<Option<Rank>>,
    open: Cell<usize>,
    ranks: RefCell<Vec<OfRank>>,
    woken: RefCell<VecDeque<(Rank, Time)>>,
}

impl Shared {
    pub(crate) fn new(ranks: usize) -> Self {
        let mut of_ranks = Vec::new();
        of_ranks.resize_with(ranks, OfRank::default);
        Self {
            now: Cell::new(Time::ZERO),
            until: Cell::new(Time::ZERO),
            is_over: Cell::new(false),
            has_begun: Cell::new(false),
            reacts: Cell::new(None),
            open: Cell::new(0),
            ranks: RefCell::new(of_ranks),
            woken: RefCell::default(),
        }
    }

    /// Number of ranks.
    pub(crate) fn ranks(&self) -> usize {
        self.ranks.borrow().len()
    }

    /// A rank makes a request now; it is woken for it if it does not react to an event anyway.
    pub(crate) fn make(&self, rank: Rank, request: Request) {
        let of_rank = &mut self.ranks.borrow_mut()[rank.index()];
        of_rank.made.push_back(request);
        if self.has_begun.get() && self.reacts.get() != Some(rank) && !of_rank.is_woken {
            of_rank.is_woken = true;
            self.woken.borrow_mut().push_back((rank, self.now.get()));
        }
    }

    /// The next request that the rank has not seen.
    pub(crate) fn take(&self, rank: Rank) -> Option<Request> {
        self.ranks.borrow_mut()[rank.index()].made.pop_front()
    }

    /// The rank has been woken, and can be again.
    pub(crate) fn is_awake(&self, rank: Rank) {
        self.ranks.borrow_mut()[rank.index()].is_woken = false;
    }

    /// A request has begun under a number of its rank.
    pub(crate) fn begin(&self, rank: Rank, number: u32, request: Request) {
        let open = &mut self.ranks.borrow_mut()[rank.index()].open;
        let place = number as usize;
        if open.len() <= place {
            open.resize(place + 1, None);
        }
        open[place] = Some(request);
        self.open.set(self.open.get() + 1);
    }

    /// A request that has begun is complete.
    pub(crate) fn end(&self, rank: Rank, number: u32) -> Option<Request> {
        let request = self.ranks.borrow_mut()[rank.index()].open.get_mut(number as usize)?.take()?;
        self.open.set(self.open.get() - 1);
        Some(request)
    }

    /// The requests of a rank that have begun and are not complete, with their numbers.
    pub(crate) fn open_of(&self, rank: Rank) -> impl Iterator<Item = (u32, Request)> + use<> {
        let open = self.ranks.borrow()[rank.index()].open.clone();
        (0..).zip(open).filter_map(|(number, request)| Some((number, request?)))
    }

    /// If requests are open: who waits for what, in a sentence. O(ranks).
    pub(crate) fn deadlock(&self) -> Option<String> {
        const SHOWN: usize = 4;
        let all = self.open.get();
        if all == 0 {
            return None;
        }
        let ranks = self.ranks.borrow();
        let of_rank = |(rank, of_rank): (u32, &OfRank)| {
            let open: Vec<Request> = of_rank.open.iter().flatten().copied().collect();
            open.into_iter().map(move |request| format!("rank {rank} {request}"))
        };
        let shown: Vec<String> = (0..).zip(&*ranks).flat_map(of_rank).take(SHOWN).collect();
        let more = if all > SHOWN { format!("; and {} more requests", all - SHOWN) } else { String::new() };
        Some(format!("nothing is left to happen, but {}{more}", shown.join("; ")))
    }
}

/// The program outside, as the engine sees it.
pub(crate) struct Outside<'y> {
    pub(crate) shared: &'y Shared,
    yielder: &'y Yielder<(), Stop>,
    /// Number of events since the caller last looked.
    events: Cell<u32>,
}

impl<'y> Outside<'y> {
    /// The caller looks whether it is to end once in so many events.
    const LOOK_EVERY: u32 = 1 << 14;

    pub(crate) fn new(shared: &'y Shared, yielder: &'y Yielder<(), Stop>) -> Self {
        Self { shared, yielder, events: Cell::new(0) }
    }

    /// A request is complete: the program outside comes to know it, and goes on before the rank does.
    pub(crate) fn complete(&self, now: Time, completion: Completion) {
        if !self.shared.is_over.get() {
            self.shared.now.set(now);
            self.shared.reacts.set(Some(completion.rank));
            self.yielder.suspend(Stop::Completed(completion));
            self.shared.reacts.set(None);
        }
    }
}

impl Stepper for Outside<'_> {
    fn until(&self) -> Time {
        self.shared.until.get()
    }

    fn pause(&self, last: Time, is_idle: bool) {
        self.shared.now.set(self.shared.now.get().max(last));
        self.yielder.suspend(Stop::Paused { is_idle });
    }

    fn next_woken(&self) -> Option<(Rank, Time)> {
        self.events.set(self.events.get() + 1);
        if self.events.get() == Self::LOOK_EVERY {
            self.events.set(0);
            self.yielder.suspend(Stop::Looks);
        }
        self.shared.woken.borrow_mut().pop_front()
    }

    fn is_over(&self) -> bool {
        self.shared.is_over.get()
    }
}
