//! A run with programs.

use crate::hosts::{Hosts, Mail};
use crate::network::PacketNetwork;
use crate::no_endpoints::NoEndpoints;
use crate::parts::{Homes, Left, Shared, Worker, run_all};
use crate::routers::{Counted, Kept, Routers};
use crate::series::Reporter;
use crate::{Counts, StuckChannel};
use weir_network::{Ended, Limits, Outcome, Program, Ranks, RunContext};
use weir_units::{Rank, Time};

/// What a run leaves.
#[derive(Clone, Debug)]
pub struct PacketEnded {
    /// How it ended, and what every engine counts.
    pub ended: Ended,
    /// The last instant the run got to; a limit of simulated time, if that ended it. Not before [`Ended::at`].
    pub until: Time,
    /// What the network has counted.
    pub counts: Counts,
    /// If the network is stuck: virtual channels that wait for each other. Empty if it is the nodes that wait.
    pub stuck: Option<Vec<StuckChannel>>,
}

impl PacketNetwork {
    /// Runs the programs to their end: rank `r` is `programs[r]` and runs on `placement.node(r)`. Routers, interfaces and
    /// programs are divided among the threads. For samples of intervals the machine has to be one that [`Self::for_intervals`] has
    /// made.
    ///
    /// # Panics
    /// When `placement` has fewer ranks than there are programs or names a node that the machine does not have, or when a
    /// program sends to a rank that does not exist.
    pub fn run<P: Program + Send>(&self, programs: &mut [P], context: RunContext<'_>) -> PacketEnded
    where
        P::Body: Send,
    {
        let RunContext { placement, limits, watch, recorder, threads } = context;
        let requested = recorder.as_ref().map(|recorder| recorder.requested().clone());
        let requested = requested.as_ref();
        self.check_placement(placement);
        let (asked, limits) = (limits, Self::within(limits));
        let mut memory = Shared::memory(self, threads);
        let shared = Shared::new(&mut memory, self, threads, Homes::WithRouters).ready_for(requested, self);
        let mail = Mail::new(shared.parts());
        let kept = Kept { counted: Counted::until(limits.simulated), requested };
        let mut groups: Vec<Vec<_>> = (0..shared.parts()).map(|_| Vec::new()).collect();
        for (rank, program) in programs.iter_mut().enumerate() {
            let rank = Rank::new(rank);
            groups[shared.home(placement.node(rank))].push((rank, program));
        }
        let workers = groups.into_iter().enumerate().map(|(part, group)| {
            let ranks = Ranks::some(group, limits);
            let endpoints = Hosts::new(self, &shared, part, placement, &mail, ranks, kept);
            let routers = Routers::new(self, &shared, part, kept);
            Worker { part, routers, endpoints, reporter: Reporter::new(requested) }
        });
        let mut others: Vec<_> = workers.collect();
        let mut here = others.remove(0);
        let left = run_all(self, &shared, &mut here, &mut others, limits, watch, recorder);
        let (routers, hosts): (Vec<_>, Vec<_>) = std::iter::once(here)
            .chain(others)
            .map(|worker| (worker.routers.end(), worker.endpoints))
            .unzip();
        let mut counts = Counts::gather(self, &left, routers);
        let ended = hosts.into_iter().map(|hosts| hosts.end(&mut counts)).reduce(Ended::join);
        let ended = ended.expect("there is at least one part");
        PacketEnded::new(ended, counts, (asked, limits), left)
    }

    /// Like [`Self::run`], for programs that cannot move to another thread: they all run on the calling thread, and only
    /// routers on the others.
    ///
    /// # Panics
    /// As [`Self::run`].
    pub fn run_here<P: Program>(&self, programs: &mut [P], context: RunContext<'_>) -> PacketEnded {
        let RunContext { placement, limits, watch, recorder, threads } = context;
        let requested = recorder.as_ref().map(|recorder| recorder.requested().clone());
        let requested = requested.as_ref();
        self.check_placement(placement);
        let (asked, limits) = (limits, Self::within(limits));
        let mut memory = Shared::memory(self, threads);
        let shared = Shared::new(&mut memory, self, threads, Homes::First).ready_for(requested, self);
        let mail = Mail::new(shared.parts());
        let kept = Kept { counted: Counted::until(limits.simulated), requested };
        let ranks = (0..).map(Rank).zip(programs).collect();
        let ranks = Ranks::some(ranks, limits);
        let endpoints = Hosts::new(self, &shared, 0, placement, &mail, ranks, kept);
        let routers = Routers::new(self, &shared, 0, kept);
        let mut here = Worker { part: 0, routers, endpoints, reporter: Reporter::new(requested) };
        let others = (1..shared.parts()).map(|part| {
            let routers = Routers::new(self, &shared, part, kept);
            Worker { part, routers, endpoints: NoEndpoints, reporter: Reporter::new(requested) }
        });
        let mut others: Vec<_> = others.collect();
        let left = run_all(self, &shared, &mut here, &mut others, limits, watch, recorder);
        let routers = others.into_iter().map(|other| other.routers.end());
        let mut counts = Counts::gather(self, &left, std::iter::once(here.routers.end()).chain(routers));
        let ended = here.endpoints.end(&mut counts);
        PacketEnded::new(ended, counts, (asked, limits), left)
    }
}

impl PacketEnded {
    fn new(
        mut ended: Ended,
        counts: Counts,
        (asked, limits): (Limits, Limits),
        Left { limit, stuck, .. }: Left,
    ) -> Self {
        if let Some(limit) = limit
            && !matches!(ended.outcome, Outcome::Aborted { .. })
        {
            ended.outcome = Outcome::Limit(limit);
        }
        if let Outcome::Limit(limit) = ended.outcome {
            ended.outcome = Outcome::Limit(PacketNetwork::limit_in_words(limit, asked, ended.at));
        }
        // Packets that are left over say nothing where something else has ended the run.
        let ran_out = matches!(ended.outcome, Outcome::Finished | Outcome::Deadlock(_));
        let stuck = stuck.filter(|_| ran_out);
        if stuck.is_some() && ended.outcome == Outcome::Finished {
            ended.outcome = Outcome::Deadlock(Vec::new());
        }
        let by_time = matches!(ended.outcome, Outcome::Limit(_)) && ended.at == limits.simulated;
        let until = if by_time { limits.simulated } else { ended.at };
        Self { ended, until, counts, stuck }
    }
}
