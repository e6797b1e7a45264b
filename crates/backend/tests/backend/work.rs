//! Work of ranks that can be written as a graph of work, and handed to a backend.

use proptest::prelude::*;
use proptest::sample::Index;
use std::fmt::Write;
use weir_backend::{Backend, Completion, CompletionKind};
use weir_units::{Bytes, Duration, Rank, Time};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Task {
    Send { to: usize, bytes: u64, tag: i32 },
    Receive { from: usize, bytes: u64, tag: i32 },
    Compute(u64),
}

/// By rank and chain: tasks of which each begins when the one before it has ended.
#[derive(Clone, Debug)]
pub(crate) struct Work(Vec<Vec<Vec<Task>>>);

/// A message or a computation, in the order in which chains get them: so none waits for a later one.
type Piece = (Index, Index, Index, Index, u64, u64);

impl Work {
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        let bytes = prop_oneof![Just(0), 1..200_u64, 1_000..300_000_u64];
        let time = prop_oneof![Just(0), 1..5_000_000_u64];
        let place = any::<Index>;
        let piece = (place(), place(), place(), place(), bytes, time);
        (2..7_usize, 1..4_usize, prop::collection::vec(piece, 1..40)).prop_map(Self::of)
    }

    fn of((ranks, chains, pieces): (usize, usize, Vec<Piece>)) -> Self {
        let mut all = vec![vec![Vec::new(); chains]; ranks];
        for (tag, (from, from_chain, to, to_chain, bytes, time)) in (0..).zip(pieces) {
            let (from, to) = (from.index(ranks), to.index(ranks));
            let own = &mut all[from][from_chain.index(chains)];
            if from == to {
                own.push(Task::Compute(time));
            } else {
                own.push(Task::Send { to, bytes, tag });
                all[to][to_chain.index(chains)].push(Task::Receive { from, bytes, tag });
            }
        }
        Self(all)
    }

    pub(crate) fn ranks(&self) -> usize {
        self.0.len()
    }

    /// As a graph in which chains are streams and numbers grow by place in the chain: so of tasks that are ready at once the one that became
    /// so first has the lowest number.
    pub(crate) fn graph(&self) -> String {
        let mut text = format!("weir-graph 1\nranks {}\n", self.ranks());
        for (rank, chains) in self.0.iter().enumerate() {
            let longest = chains.iter().map(Vec::len).max().unwrap_or(0);
            for place in 0..longest {
                for (task, stream) in
                    chains.iter().zip(1..).filter_map(|(chain, stream)| Some((chain.get(place)?, stream)))
                {
                    match task {
                        Task::Send { to, bytes, tag } => write!(text, "{rank} send {to} {bytes} B tag {tag}"),
                        Task::Receive { from, bytes, tag } => {
                            write!(text, "{rank} recv {from} {bytes} B tag {tag}")
                        }
                        Task::Compute(time) => write!(text, "{rank} compute {time} ps"),
                    }
                    .unwrap();
                    writeln!(text, " stream {stream}").unwrap();
                }
            }
        }
        text
    }

    /// Hands all to a backend and steps it to the end; `slice` says how far from now. Returns the completions.
    pub(crate) fn step(
        &self,
        backend: &mut Backend,
        mut slice: impl FnMut() -> Option<Duration>,
    ) -> Vec<Completion> {
        let mut driver = Driver::new(self, backend);
        let mut found = Vec::new();
        while driver.left.iter().any(|&left| left > 0) {
            let until = slice().map(|slice| backend.now() + slice);
            match super::next(backend, until) {
                Some(completion) => {
                    found.push(completion);
                    if completion.token != END {
                        driver.goes_on(backend, &completion);
                    }
                }
                None => assert_eq!(Some(backend.now()), until, "time has passed"),
            }
        }
        while let Some(completion) = super::next(backend, None) {
            assert_eq!(completion.token, END);
        }
        found
    }
}

/// The token of the timer that has a rank end by its own clock, as the run of a graph does.
const END: u64 = u64::MAX;

struct Driver<'a> {
    work: &'a Work,
    /// By rank and chain: the next task; by rank: chains that have not ended, and its clock.
    next: Vec<Vec<usize>>,
    left: Vec<usize>,
    clock: Vec<Time>,
}

impl<'a> Driver<'a> {
    fn new(work: &'a Work, backend: &mut Backend) -> Self {
        let chains = |chains: &Vec<Vec<Task>>| vec![0; chains.len()];
        let left = |chains: &Vec<Vec<Task>>| chains.iter().filter(|chain| !chain.is_empty()).count();
        let mut driver = Self {
            work,
            next: work.0.iter().map(chains).collect(),
            left: work.0.iter().map(left).collect(),
            clock: vec![Time::ZERO; work.ranks()],
        };
        for rank in 0..work.ranks() {
            for chain in 0..work.0[rank].len() {
                driver.begin(backend, rank, chain);
            }
        }
        driver
    }

    /// Begins the next task of a chain; returns whether there is one.
    fn begin(&mut self, backend: &mut Backend, rank: usize, chain: usize) -> bool {
        let place = &mut self.next[rank][chain];
        let Some(task) = self.work.0[rank][chain].get(*place) else { return false };
        *place += 1;
        let token = (rank * 100 + chain) as u64;
        let rank = Rank::new(rank);
        match *task {
            Task::Send { to, bytes, tag } => backend.send(rank, Rank::new(to), tag, Bytes(bytes), token),
            Task::Receive { from, bytes, tag } => {
                backend.receive(rank, Some(Rank::new(from)), Some(tag), Bytes(bytes), token)
            }
            Task::Compute(time) => backend.schedule(rank, Duration::from_ps(time), token),
        }
        .unwrap();
        true
    }

    fn goes_on(&mut self, backend: &mut Backend, completion: &Completion) {
        let (rank, chain) = (completion.token as usize / 100, completion.token as usize % 100);
        assert_eq!(completion.rank.index(), rank);
        assert!(completion.at >= backend.now());
        if completion.kind != CompletionKind::Scheduled {
            self.clock[rank] = completion.at;
        }
        if !self.begin(backend, rank, chain) {
            self.left[rank] -= 1;
            if self.left[rank] == 0 && self.clock[rank] > backend.now() {
                backend.schedule(Rank::new(rank), self.clock[rank].since(backend.now()), END).unwrap();
            }
        }
    }
}
