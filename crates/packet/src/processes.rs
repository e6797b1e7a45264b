//! The processes that run a machine together: how they meet between windows, and what they put together at the end.

use crate::network::PacketNetwork;
use crate::parts::{Endpoints, Worker};
use crate::routers::Routers;
use crate::series::{PartReport, report_rest};
use crate::shared::Shared;
use serde::{Deserialize, Serialize};
use weir_network::record::Pairs;
use weir_network::{Console, Print, Prints, Recorder};
use weir_pdes::{Border, Exchange, Gathering, Letters, Next, Transport};
use weir_units::{LinkId, Time};

/// This process among those of a run, while it goes on.
pub(crate) struct Processes<'s, 't> {
    shared: &'s Shared<'s>,
    /// All boxes with mail for other processes.
    exchange: Exchange<'s>,
    pub(crate) gathering: Gathering<'t>,
    /// If what ranks print goes to the first process.
    pub(crate) console: Option<&'s dyn Console>,
}

/// Progress of the parts of this process.
pub(crate) struct Reached {
    pub(crate) turns: u64,
    /// The limit of the clock on the wall that ended it.
    pub(crate) limit: Option<String>,
    /// Output of ranks that the first process has not shown.
    pub(crate) prints: Prints,
}

/// Results of a run beside its counts; the same in all processes.
#[derive(Clone)]
pub(crate) struct Left {
    /// The limit of the clock on the wall that ended it.
    pub(crate) limit: Option<String>,
    /// In how many windows packets moved.
    pub(crate) windows: u64,
    /// Number of threads that have run it in each process.
    pub(crate) threads: usize,
    /// If packets remain that nothing will move: channels that wait for each other. Empty if it is the nodes that wait.
    pub(crate) stuck: Option<Vec<StuckChannel>>,
    pub(crate) in_buffers: u64,
    /// When the last packet has left an interface or a router.
    pub(crate) last: Time,
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
}

impl<'s, 't> Processes<'s, 't> {
    /// The processes of a transport; `boxes` are those that programs need beside those of the network.
    pub(crate) fn new(
        shared: &'s Shared<'s>,
        boxes: &[&'s dyn Letters],
        console: Option<&'s dyn Console>,
        transport: &'t mut dyn Transport,
    ) -> Self {
        let of_network: [&dyn Letters; 4] =
            [&shared.crossings, &shared.report, &shared.progress, &shared.prints];
        Self {
            shared,
            exchange: Exchange::new(of_network.iter().chain(boxes).copied().collect(), transport.processes()),
            gathering: Gathering::new(transport),
            console,
        }
    }

    /// The border to the other processes; `None` if there are none.
    pub(crate) fn border(&mut self) -> Option<&mut dyn Border> {
        if self.gathering.counts.processes > 1 { Some(self) } else { None }
    }

    /// Puts together what the parts of all processes leave, and passes the rest of what they report to the recorder.
    pub(crate) fn end<E: Endpoints, O: Endpoints>(
        self,
        network: &PacketNetwork,
        here: &mut Worker<'_, E>,
        others: &mut [Worker<'_, O>],
        Reached { turns, limit, mut prints }: Reached,
        recorder: Option<&mut dyn Recorder>,
    ) -> (Left, Gathering<'t>) {
        let Self { shared, mut gathering, console, .. } = self;
        let mut own = Remains { limit: limit.clone(), ..Remains::default() };
        if here.reporter.is_some() {
            own.report = here.rest();
            others.iter_mut().for_each(|other| own.report.join(other.rest()));
            let pairs = here.endpoints.pairs().into_iter();
            let pairs = pairs.chain(others.iter_mut().filter_map(|other| other.endpoints.pairs()));
            own.pairs = Pairs::joined(pairs);
        }
        if let Some(console) = console {
            own.prints = console.rest();
        }
        let routers = || std::iter::once(&here.routers).chain(others.iter().map(|other| &other.routers));
        own.balance = routers().map(Routers::balance).sum();
        let of_others = others.iter().map(|other| other.endpoints.remains());
        for (has_packets, last) in of_others.chain([here.endpoints.remains()]) {
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
            shared.prints.take(turns, 0, |_, print| prints.add([print]));
            all.iter_mut().for_each(|remains| prints.add(std::mem::take(&mut remains.prints)));
            prints.show_before(Time::MAX, console);
        }
        if let Some(recorder) = recorder {
            let pairs = Pairs::joined(all.iter_mut().filter_map(|remains| remains.pairs.take()));
            let rest = all.iter_mut().map(|remains| std::mem::take(&mut remains.report));
            report_rest(shared, turns, rest, pairs, recorder);
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
        let Self { shared, exchange, gathering, .. } = self;
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

/// A virtual channel in a circle of virtual channels that wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct StuckChannel {
    /// The link into the router in whose input buffer packets wait.
    pub link: LinkId,
    /// Their virtual channel.
    pub vc: u32,
    /// Number of packets that wait.
    pub packets: u32,
    /// The link that the first of them needs next.
    pub waits_for: LinkId,
    /// The virtual channel of this link that has no place.
    pub waits_for_vc: u32,
}

/// A lane whose first packet has no credit.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct WaitingLane {
    pub(crate) lane: u32,
    pub(crate) packets: u32,
    /// The output that the first one needs, and the virtual channel that it has or the first one of its class there.
    pub(crate) output: u32,
    pub(crate) vc: u32,
}

/// The circle, from the lane that comes first by the number of its router in the topology, then by its own; empty if there is none.
pub(crate) fn find_circle(
    network: &PacketNetwork,
    waiting: impl Iterator<Item = WaitingLane>,
) -> Vec<StuckChannel> {
    // By lane: if its head packet lacks a credit, what it waits for.
    let mut waits = vec![None; network.lanes()];
    waiting.for_each(|waiting| waits[waiting.lane as usize] = Some(waiting));
    let next = |lane: u32| {
        let WaitingLane { output, vc, .. } = waits[lane as usize]?;
        Some(network.outputs[output as usize].lane + vc)
    };
    let order = lanes_by_number(network);
    let mut rank = vec![0; order.len()];
    (0_u32..).zip(&order).for_each(|(place, &lane)| rank[lane as usize] = place);
    let mut state = vec![0_u32; network.lanes()];
    for (walk, &start) in (1..).zip(&order) {
        let mut lane = start;
        while state[lane as usize] == 0 {
            state[lane as usize] = walk;
            match next(lane) {
                Some(after) => lane = after,
                None => break,
            }
        }
        if state[lane as usize] == walk && next(lane).is_some() {
            let circle = std::iter::successors(Some(lane), |&here| next(here).filter(|&after| after != lane));
            let mut circle: Vec<u32> = circle.collect();
            let places = circle.iter().enumerate();
            let least = places.min_by_key(|&(_, &lane)| rank[lane as usize]).map_or(0, |(place, _)| place);
            circle.rotate_left(least);
            let channel = |&lane: &u32| {
                let WaitingLane { packets, output, vc, .. } = waits[lane as usize]?;
                Some(StuckChannel {
                    link: LinkId(network.inputs[(lane / network.vcs) as usize].link),
                    vc: lane % network.vcs,
                    packets,
                    waits_for: LinkId(network.outputs[output as usize].link),
                    waits_for_vc: vc,
                })
            };
            return circle.iter().filter_map(channel).collect();
        }
    }
    Vec::new()
}

/// All lanes, router by router as these are numbered in the topology.
fn lanes_by_number(network: &PacketNetwork) -> Vec<u32> {
    let ranges =
        network.routers.windows(2).map(|pair| pair[0].input * network.vcs..pair[1].input * network.vcs);
    let mut lanes: Vec<_> = network.numbers.iter().zip(ranges).collect();
    lanes.sort_unstable_by_key(|&(number, _)| number);
    lanes.into_iter().flat_map(|(_, lanes)| lanes).collect()
}
