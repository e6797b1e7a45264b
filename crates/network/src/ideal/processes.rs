//! The processes that run the ranks together: which has which, how they meet, and what they put together at the end.

use super::Ideal;
use super::share::{Mail, Remains, Share, Unshown, report};
use crate::record::Pairs;
use crate::{Console, Ended, Outcome, Placement, Program, Ranks, RunContext, erased, numbered};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::convert::Infallible;
use weir_pdes::{Border, Division, Exchange, Gathering, Next, ProcessCounts, RunPosition, Width, run};
use weir_units::{Duration, NodeId, Time};

/// Which of so many processes has the ranks of each node: nodes in ascending order, and about as many ranks in each process. Each
/// has a node at least, if there are as many nodes with ranks.
pub fn homes(placement: &Placement, processes: usize) -> Vec<u32> {
    let mut ranks_of: BTreeMap<NodeId, usize> = BTreeMap::new();
    placement.nodes().iter().for_each(|&node| *ranks_of.entry(node).or_default() += 1);
    let mut homes = vec![0; ranks_of.last_key_value().map_or(0, |(node, _)| node.index() + 1)];
    let (all, nodes) = (placement.ranks(), ranks_of.len());
    let (mut process, mut before) = (0, 0);
    for (place, (node, ranks)) in ranks_of.into_iter().enumerate() {
        let is_full = before * processes >= all * (process + 1);
        // The nodes that are left are just enough for the processes that have none.
        let is_needed = nodes - place < processes - process;
        if place > 0 && process + 1 < processes && (is_full || is_needed) {
            process += 1;
        }
        homes[node.index()] = process as u32;
        before += ranks;
    }
    homes
}

impl Ideal {
    /// More processes than this cannot run ranks that are placed like this together: each has a node.
    pub fn most_processes(placement: &Placement) -> usize {
        let mut nodes = placement.nodes().to_vec();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.len()
    }

    /// Like [`Self::run`], on the processes of [`RunContext::processes`], of which each has the ranks of its nodes, as [`homes`] says.
    /// The result is whole on the first one only, but for how the run ended. All that is reported of it is that of one process,
    /// unless a rank ends the run: then the ranks of other processes have gone on to the end of the window.
    ///
    /// # Panics
    /// When there are several processes and the latency is zero, and when a process is given a rank of another one.
    pub fn run_together<P: Program>(
        &self,
        programs: &mut [P],
        context: RunContext<'_>,
    ) -> (Ended, ProcessCounts)
    where
        P::Body: Serialize + DeserializeOwned,
    {
        if context.processes.processes() == 1 {
            let counts = ProcessCounts { processes: 1, ..ProcessCounts::default() };
            return (self.run(programs, context), counts);
        }
        self.run_divided(&mut erased(programs), context)
    }

    /// The ranks of one of several processes. Apart from the loop of one process, which is the faster the less is around it.
    #[inline(never)]
    fn run_divided<P: Program>(&self, programs: &mut [P], context: RunContext<'_>) -> (Ended, ProcessCounts)
    where
        P::Body: Serialize + DeserializeOwned,
    {
        assert!(self.latency > Duration::ZERO, "ranks of different processes do not meet at one instant");
        let (ranks, causes, path_steps) = (context.ranks, context.causes, context.path_steps);
        let RunContext { placement, limits, watch, recorder, processes, console, services, .. } = context;
        let (process, count) = (processes.process(), processes.processes());
        let homes = homes(placement, count);
        let programs: Vec<_> = numbered(ranks, programs).collect();
        for &(rank, _) in &programs {
            let home = homes[placement.node(rank).index()] as usize;
            assert!(home == process, "rank {rank} belongs to process {home}");
        }
        let mail = Mail::new(Division::new(process, count, 1));
        let mut border = Meeting {
            mail: &mail,
            exchange: Exchange::new(mail.boxes(), count),
            gathering: Gathering::new(processes),
        };
        let ranks = Ranks::some(programs, limits).counting(services).accounting(causes, path_steps);
        let mut share = Share::new(
            self,
            &mail,
            (placement, &homes),
            process,
            ranks,
            (limits, watch),
            (recorder, console),
        );
        let (width, from) = (Width::new(self.latency), RunPosition::default());
        let place = run(width, from, &mut share, &mut [] as &mut [Infallible], Some(&mut border));
        let Meeting { mut gathering, .. } = border;
        let (remains, unshown) = share.end();
        let own = remains.ended.clone();
        let all = gathering.gather(remains);
        let ended = all.map(|all| end(&mail, place.turn, all, unshown, console));
        (Ended::spread(ended, &mut gathering).unwrap_or(own), gathering.counts)
    }
}

struct Meeting<'s, 't, B> {
    mail: &'s Mail<B>,
    exchange: Exchange<'s>,
    gathering: Gathering<'t>,
}

impl<B> Border for Meeting<'_, '_, B> {
    fn meet(&mut self, turn: u64, next: Next) -> Next {
        let Self { mail, exchange, gathering } = self;
        let [event, work] = mail.polling.before(turn);
        // The least of what a number lacks is what the largest one lacks.
        let mut words = [next.urgency(), !event, !work];
        if exchange.meet(gathering, &mut words).is_none() {
            return Next::Stop;
        }
        let [urgency, event, work] = words;
        mail.polling.note_before(turn, [!event, !work]);
        Next::of_urgency(urgency)
    }
}

/// In the first process: shows and records what is left, and puts together what all have counted.
fn end<B>(
    mail: &Mail<B>,
    turns: u64,
    mut all: Vec<Remains>,
    Unshown { recorder, mut prints }: Unshown<'_>,
    console: Option<&dyn Console>,
) -> Ended {
    let stopped_at = all.iter().filter_map(|remains| remains.stopped_at).min();
    if let Some(console) = console {
        mail.prints.take(turns, 0, |_, print| prints.add([print]));
        if let Some(stopped_at) = stopped_at {
            prints.forget_after(stopped_at);
        }
        all.iter_mut().for_each(|remains| prints.add(std::mem::take(&mut remains.prints)));
        prints.show_before(Time::MAX, console);
    }
    if let Some(recorder) = recorder {
        report(mail, turns, recorder);
        let mut kept: Vec<_> = all.iter_mut().flat_map(|remains| std::mem::take(&mut remains.kept)).collect();
        kept.sort_by_key(|message| (message.to, message.from, message.sequence));
        recorder.messages(&kept);
        if let Some(pairs) = Pairs::joined(all.iter_mut().filter_map(|remains| remains.pairs.take())) {
            recorder.pairs(&pairs);
        }
    }
    let limit = all.iter().find_map(|remains| remains.limit.clone());
    let parts = all.into_iter().map(|Remains { ended, stopped_at: own, .. }| {
        // Of several ranks that have ended it the first one counts.
        let is_first = own == stopped_at || !matches!(ended.outcome, Outcome::Aborted { .. });
        if is_first { ended } else { Ended { outcome: Outcome::Finished, ..ended } }
    });
    let mut ended = parts.reduce(Ended::join).expect("there is a process");
    if let Some(limit) = limit.filter(|_| stopped_at.is_none()) {
        ended.outcome = Outcome::Limit(limit);
    }
    ended
}
