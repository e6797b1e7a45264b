//! A run with programs.

use crate::counts::Left;
use crate::hosts::{Hosts, Mail};
use crate::network::PacketNetwork;
use crate::parts::{NoEndpoints, Worker};
use crate::remote::{RemoteMail, RemoteRouters};
use crate::routers::{MeasuredPeriod, Measurement};
use crate::shared::{Homes, Shared};
use crate::watched::run_all;
use crate::{Counts, StuckChannel};
use serde::Serialize;
use serde::de::DeserializeOwned;
use weir_network::record::Keep;
use weir_network::{
    Ended, Limits, Outcome, Placement, Program, Ranks, Requested, RunContext, ServiceClasses, erased,
    numbered,
};
use weir_pdes::{Gathering, ProcessCounts, make_all};
use weir_units::{Rank, Time};

/// Result of a run.
#[derive(Clone, Debug)]
pub struct PacketEnded {
    /// The end of the run, and the counts of every engine.
    pub ended: Ended,
    /// The last instant the run got to; a limit of simulated time, if that ended it. Not before [`Ended::at`].
    pub until: Time,
    /// Counts of the network.
    pub counts: Counts,
    /// If the network is stuck: virtual channels that wait for each other. Empty if it is the nodes that wait.
    pub stuck: Option<Vec<StuckChannel>>,
    /// The processes that have run it.
    pub processes: ProcessCounts,
}

impl PacketNetwork {
    /// Runs the programs to their end: each is a rank of [`RunContext::ranks`] and runs on the node where that is placed. Routers, interfaces and
    /// programs are divided among the threads of all processes; a process has the ranks of its nodes, as [`Self::homes`] says, and
    /// what it returns is whole on the first one only. For samples of intervals the machine has to be one that [`Self::for_intervals`] has
    /// made.
    ///
    /// # Panics
    /// When `placement` has fewer ranks than there are programs or names a node that the machine does not have, when a
    /// program sends to a rank that does not exist, or when a process is given a rank of another one.
    pub fn run<P: Program + Send>(&self, programs: &mut [P], context: RunContext<'_>) -> PacketEnded
    where
        P::Body: Send + Serialize + DeserializeOwned,
    {
        self.run_with(programs, context, None)
    }

    /// Like [`Self::run`], with routers that another processor runs: those of [`Self::flat_messages`]. Ranks and interfaces are on all threads of
    /// this process. Nothing that routers would keep on the way can be asked for.
    ///
    /// # Panics
    /// The same as for [`Self::run`], when there are several processes, and when something is asked for that routers keep.
    pub fn run_remote<P: Program + Send>(
        &self,
        programs: &mut [P],
        context: RunContext<'_>,
        remote: &mut dyn RemoteRouters,
    ) -> PacketEnded
    where
        P::Body: Send + Serialize + DeserializeOwned,
    {
        let requested = context.requested();
        let keeps =
            requested.is_some_and(|requested| requested.interval.is_some() || requested.stays.is_some());
        assert!(!keeps && context.causes == Keep::No, "other processors keep nothing on the way");
        self.run_with(programs, context, Some(remote))
    }

    fn run_with<P: Program + Send>(
        &self,
        programs: &mut [P],
        context: RunContext<'_>,
        mut remote: Option<&mut dyn RemoteRouters>,
    ) -> PacketEnded
    where
        P::Body: Send + Serialize + DeserializeOwned,
    {
        let requested = context.requested();
        self.check_placement(context.placement);
        let division = self.division_of(&context);
        assert!(remote.is_none() || division.processes() == 1, "one process has another processor");
        let mut memory = Shared::memory(self, division);
        let mut shared = Shared::new(&mut memory, self, division, Homes::WithRouters);
        shared.remote = remote.as_ref().map(|_| RemoteMail::new(division.threads()));
        let shared = shared.ready_for(requested.as_ref(), &context, self.labels());
        let mail = Mail::new(division);
        let parts = Parts::new(self, &shared, &mail, requested.as_ref(), &context);
        let mut groups: Vec<Vec<_>> = division.here().map(|_| Vec::new()).collect();
        let mut programs: Vec<&mut (dyn Program<Body = P::Body> + Send)> =
            programs.iter_mut().map(|program| program as _).collect();
        for (rank, program) in numbered(context.ranks, &mut programs) {
            let home = shared.home(context.placement.node(rank));
            assert!(division.is_here(home), "rank {rank} belongs to another process");
            groups[division.local(home)].push((rank, program));
        }
        let seeds = division.here().zip(groups).collect();
        let mut others =
            make_all(seeds, self.helpers(division), |(part, group)| parts.with_ranks(part, group));
        let mut here = others.remove(0);
        let asked = context.limits;
        let processor = remote.as_mut().map(|remote| &mut **remote as _);
        let (left, gathering) =
            run_all(&mut here, &mut others, parts.limits, &mail.boxes(), processor, context);
        if let Some(remote) = remote {
            let counts = remote.counts();
            std::iter::once(&mut here).chain(&mut others).for_each(|worker| worker.end_remote(&counts));
        }
        let (routers, hosts): (Vec<_>, Vec<_>) = std::iter::once(here)
            .chain(others)
            .map(|worker| (worker.routers.end(), worker.endpoints))
            .unzip();
        let mut counts = Counts::gather(self, &left, routers);
        let ended = hosts.into_iter().map(|hosts| hosts.end(&mut counts)).reduce(Ended::join);
        let ended = ended.expect("there is at least one part");
        PacketEnded::gather(gathering, ended, counts, (asked, parts.limits), left)
    }

    /// Like [`Self::run`], for programs that cannot move to another thread: in each process they all run on the calling thread,
    /// and only routers on the others.
    ///
    /// # Panics
    /// The same as for [`Self::run`].
    pub fn run_here<P: Program>(&self, programs: &mut [P], context: RunContext<'_>) -> PacketEnded
    where
        P::Body: Serialize + DeserializeOwned,
    {
        let requested = context.requested();
        self.check_placement(context.placement);
        let division = self.division_of(&context);
        let mut memory = Shared::memory(self, division);
        let shared = Shared::new(&mut memory, self, division, Homes::First);
        let shared = shared.ready_for(requested.as_ref(), &context, self.labels());
        let mail = Mail::new(division);
        let parts = Parts::new(self, &shared, &mail, requested.as_ref(), &context);
        let first = division.here().start;
        let mut programs = erased(programs);
        let ranks: Vec<_> = numbered(context.ranks, &mut programs).collect();
        for &(rank, _) in &ranks {
            let home = shared.home(context.placement.node(rank));
            assert!(home == first, "rank {rank} belongs to another process");
        }
        let mut here = parts.with_ranks(first, ranks);
        let rest = division.here().skip(1).collect();
        let (shared, kept) = (&shared, parts.kept);
        let router = |part| Worker::new(self, shared, part, NoEndpoints, kept);
        let mut others = make_all(rest, self.helpers(division), router);
        let asked = context.limits;
        let (left, gathering) = run_all(&mut here, &mut others, parts.limits, &mail.boxes(), None, context);
        let routers = others.into_iter().map(|other| other.routers.end());
        let mut counts = Counts::gather(self, &left, std::iter::once(here.routers.end()).chain(routers));
        let ended = here.endpoints.end(&mut counts);
        PacketEnded::gather(gathering, ended, counts, (asked, parts.limits), left)
    }
}

/// Everything that the parts of this process are made of.
struct Parts<'a, B> {
    network: &'a PacketNetwork,
    shared: &'a Shared<'a>,
    mail: &'a Mail<B>,
    placement: &'a Placement,
    kept: Measurement<'a>,
    /// Limits that the engine can hold.
    limits: Limits,
    services: Option<&'a ServiceClasses>,
    causes: Keep,
    path_steps: usize,
}

impl<'a, B> Parts<'a, B> {
    fn new<'c: 'a>(
        network: &'a PacketNetwork,
        shared: &'a Shared<'a>,
        mail: &'a Mail<B>,
        requested: Option<&'a Requested>,
        context: &RunContext<'c>,
    ) -> Self {
        let &RunContext { placement, services, causes, path_steps, .. } = context;
        let limits = PacketNetwork::within(context.limits);
        let kept = Measurement { counted: MeasuredPeriod::until(limits.simulated), requested };
        Self { network, shared, mail, placement, kept, limits, services, causes, path_steps }
    }

    fn worker<E>(&self, part: usize, endpoints: E) -> Worker<'a, E> {
        Worker::new(self.network, self.shared, part, endpoints, self.kept)
    }

    /// A part with these ranks, in ascending order.
    fn with_ranks<P: Program<Body = B>>(
        &self,
        part: usize,
        ranks: Vec<(Rank, &'a mut P)>,
    ) -> Worker<'a, Hosts<'a, P>> {
        let &Self { network, shared, mail, placement, kept, .. } = self;
        let ranks = Ranks::some(ranks, self.limits).counting(self.services);
        let ranks = ranks.accounting(self.causes, self.path_steps);
        self.worker(part, Hosts::new(network, shared, part, placement, mail, ranks, kept))
    }
}

impl PacketEnded {
    /// Puts together what all processes have counted.
    fn gather(
        mut gathering: Gathering<'_>,
        ended: Ended,
        mut counts: Counts,
        limits: (Limits, Limits),
        left: Left,
    ) -> Self {
        let own = ended.clone();
        let links = counts.links_to_send(gathering.is_first());
        let joined = gathering.join((ended, counts, links), |(ended, mut counts, links), other| {
            counts.join(&other.1);
            counts.add_links(&other.2);
            (ended.join(other.0), counts, links)
        });
        let (ended, counts) = joined.map(|(ended, counts, _)| (ended, counts)).unzip();
        let ended = Ended::spread(ended, &mut gathering).unwrap_or(own);
        Self::new(ended, counts.unwrap_or_default(), gathering.counts, limits, left)
    }

    fn new(
        mut ended: Ended,
        mut counts: Counts,
        processes: ProcessCounts,
        (asked, limits): (Limits, Limits),
        Left { limit, stuck, in_buffers, last, .. }: Left,
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
        if stuck.is_some() {
            // Packets have gone on when programs had nothing to do any more.
            ended.at = ended.at.max(last);
            counts.remaining = in_buffers;
        }
        let by_time = matches!(ended.outcome, Outcome::Limit(_)) && ended.at == limits.simulated;
        let until = if by_time { limits.simulated } else { ended.at };
        Self { ended, until, counts, stuck, processes }
    }
}
