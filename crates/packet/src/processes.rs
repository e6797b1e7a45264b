//! The processes that run a machine together: how they meet between windows, and what they put together at the end.

use crate::counts::Left;
use crate::network::PacketNetwork;
use crate::parts::Halt;
use crate::remote::RemoteRouters;
use crate::reports::PartReport;
use crate::routers::Routers;
use crate::series::report_rest;
use crate::shared::Shared;
use crate::stuck::{WaitingLane, find_circle};
use serde::{Deserialize, Serialize};
use weir_network::record::Pairs;
use weir_network::{Console, Moment, Print, Prints, Recorder};
use weir_pdes::{Border, Exchange, Gathering, Letters, Next, Transport};
use weir_units::Time;

/// This process among those of a run, while it goes on.
pub(crate) struct Processes<'s, 't> {
    shared: &'s Shared<'s>,
    /// All boxes with mail for other processes.
    exchange: Exchange<'s>,
    pub(crate) gathering: Gathering<'t>,
    /// If what ranks print goes to the first process.
    pub(crate) console: Option<&'s dyn Console>,
    /// If another processor runs the routers of the only process.
    remote: Option<&'s mut (dyn RemoteRouters + 's)>,
}

/// Progress of the parts of this process.
pub(crate) struct Reached {
    /// The limit of the clock on the wall that ended it.
    pub(crate) limit: Option<String>,
    /// Output of ranks that the first process has not shown.
    pub(crate) prints: Prints,
}

/// Results of a process.
#[derive(Default, Serialize, Deserialize)]
struct Remains {
    limit: Option<String>,
    /// Packets put into buffers anywhere less those taken from buffers here.
    balance: i64,
    /// True if nodes have packets that have not left.
    at_nodes: bool,
    /// When the last packet has left an interface or a router.
    last: Time,
    waiting: Vec<WaitingLane>,
    report: PartReport,
    pairs: Option<Pairs>,
    prints: Vec<Print>,
    /// The first event at which a program has ended the run.
    stopped_at: Option<Moment>,
}

impl<'s, 't> Processes<'s, 't> {
    /// The processes of a transport; `boxes` are those that programs need beside those of the network. Another processor runs routers where
    /// `shared` has mail for it.
    pub(crate) fn new(
        shared: &'s Shared<'s>,
        boxes: &[&'s dyn Letters],
        console: Option<&'s dyn Console>,
        transport: &'t mut dyn Transport,
        remote: Option<&'s mut (dyn RemoteRouters + 's)>,
    ) -> Self {
        let of_network: [&dyn Letters; 5] =
            [&shared.crossings, &shared.announced, &shared.report, &shared.progress, &shared.prints];
        Self {
            shared,
            exchange: Exchange::new(of_network.iter().chain(boxes).copied().collect(), transport.processes()),
            gathering: Gathering::new(transport),
            console,
            remote,
        }
    }

    /// The border to the other processes, or to another processor; `None` if there are none.
    pub(crate) fn border(&mut self) -> Option<&mut dyn Border> {
        if self.gathering.counts.processes > 1 || self.remote.is_some() { Some(self) } else { None }
    }

    /// Puts together what the parts of all processes leave, and passes the rest of what they report to the recorder.
    pub(crate) fn end(
        self,
        network: &PacketNetwork,
        Halt { mut workers, place, .. }: Halt<'_, '_>,
        Reached { limit, mut prints }: Reached,
        recorder: Option<&mut dyn Recorder>,
    ) -> (Left, Gathering<'t>) {
        let Self { shared, mut gathering, console, .. } = self;
        let mut own = Remains { limit: limit.clone(), ..Remains::default() };
        if workers[0].reporter.is_some() {
            workers.iter_mut().for_each(|worker| own.report.join(worker.rest()));
            own.pairs = Pairs::joined(workers.iter_mut().filter_map(|worker| worker.endpoints.pairs()));
        }
        if let Some(console) = console {
            own.prints = console.rest();
            own.stopped_at = workers.iter().filter_map(|worker| worker.endpoints.stopped_at()).min();
        }
        let routers = || workers.iter().map(|worker| &worker.routers);
        own.balance = routers().map(Routers::balance).sum();
        for (has_packets, last) in workers.iter().map(|worker| worker.endpoints.remains()) {
            own.at_nodes |= has_packets;
            own.last = own.last.max(last);
        }
        let left_routers = routers().map(|routers| Time::from_ps(routers.last()));
        own.last = left_routers.fold(own.last, Time::max);
        if limit.is_none() && (own.balance != 0 || own.at_nodes || gathering.counts.processes > 1) {
            own.waiting = routers().flat_map(Routers::waiting).collect();
        }
        let mut left = Left {
            limit,
            windows: shared.moved.windows(),
            threads: shared.division.threads(),
            stuck: None,
            in_buffers: 0,
            last: own.last,
        };
        let Some(mut all) = gathering.gather(own) else {
            if let Some(of_first) = gathering.spread(None) {
                (left.limit, left.stuck, left.in_buffers, left.last) = of_first;
            }
            return (left, gathering);
        };
        left.last = all.iter().map(|remains| remains.last).max().unwrap_or(left.last);
        left.limit = all.iter().find_map(|remains| remains.limit.clone());
        if let Some(console) = console {
            shared.prints.take(place.turn, 0, |_, print| prints.add([print]));
            all.iter_mut().for_each(|remains| prints.add(std::mem::take(&mut remains.prints)));
            // Other parts have gone on to the end of the window.
            if let Some(moment) = all.iter().filter_map(|remains| remains.stopped_at).min() {
                prints.forget_after(moment);
            }
            prints.show_before(Time::MAX, console);
        }
        if let Some(recorder) = recorder {
            let pairs = Pairs::joined(all.iter_mut().filter_map(|remains| remains.pairs.take()));
            let rest = all.iter_mut().map(|remains| std::mem::take(&mut remains.report));
            report_rest(shared, place.turn, rest, pairs, recorder);
        }
        let in_buffers: i64 = all.iter().map(|remains| remains.balance).sum();
        if in_buffers != 0 || all.iter().any(|remains| remains.at_nodes) {
            left.stuck = Some(find_circle(network, all.into_iter().flat_map(|remains| remains.waiting)));
        }
        left.in_buffers = u64::try_from(in_buffers).unwrap_or(0);
        gathering.spread(Some((left.limit.clone(), left.stuck.clone(), left.in_buffers, left.last)));
        (left, gathering)
    }
}

impl Border for Processes<'_, '_> {
    fn meet(&mut self, turn: u64, next: Next) -> Next {
        let Self { shared, exchange, gathering, remote, .. } = self;
        if let (Some(remote), Some(mail)) = (remote, &shared.remote) {
            let (next, moved) = mail.meet(*remote, next);
            if moved {
                shared.moved.note_before(turn);
            }
            return next;
        }
        let [event, work] = shared.polling.before(turn);
        // The least of what a number lacks is what the largest one lacks.
        let mut words = [next.urgency(), !u64::from(shared.moved.before(turn)), !event, !work];
        if exchange.meet(gathering, &mut words).is_none() {
            return Next::Stop;
        }
        let [urgency, moved, event, work] = words;
        if !moved != 0 {
            shared.moved.note_before(turn);
        }
        shared.polling.note_before(turn, [!event, !work]);
        Next::of_urgency(urgency)
    }
}
