//! Runs on the packet engine, and what they leave.

use crate::engine_result::{LinkTotals, Ran, Saved, ended};
use crate::results::BUSIEST;
use weir_experiment::{PreparationProgress, PreparedPacket, cores};
use weir_network::{Ended, RunContext, Traffic};
use weir_packet::{
    Classes, Counts, Dateline, Latencies, LinkCounts, PacketEnded, StuckChannel, Synthetic, SyntheticEnded,
};
use weir_pdes::Transport;
use weir_record::{EngineCounts, LatencyFacts, LinkTraffic, LinkUse, PacketCounts, SyntheticCounts};
use weir_topology::{End, Link, Topology};
use weir_units::{Bandwidth, Bytes, Duration, LinkId, Rank, Time};

/// Routers for each thread at least: with fewer, threads wait for each other longer than they work.
const ROUTERS_PER_THREAD: usize = 32;

pub(crate) fn run<P: Saved + Send>(
    packets: &PreparedPacket,
    programs: &mut [P],
    context: RunContext<'_>,
) -> Ran
where
    P::Body: Send,
{
    let run = begun(packets, context);
    ran(packets, packets.network.run(programs, run))
}

pub(crate) fn run_here<P: Saved>(packets: &PreparedPacket, own: &mut [P], context: RunContext<'_>) -> Ran {
    let run = begun(packets, context);
    ran(packets, packets.network.run_here(own, run))
}

/// By node: the process that it belongs to, and the thread of that process.
pub(crate) fn homes(packets: &PreparedPacket, processes: &mut dyn Transport) -> Vec<(u32, u32)> {
    packets.network.homes(processes.processes(), useful_threads(packets, processes))
}

/// The ranks of this process by the thread that runs them, if they are on several.
pub(crate) fn ranks_by_thread(packets: &PreparedPacket, context: &mut RunContext<'_>) -> Vec<Vec<Rank>> {
    let homes = homes(packets, context.processes);
    let own = context.processes.process() as u32;
    let threads = homes.iter().map(|(_, thread)| thread + 1).max().unwrap_or(1);
    let mut ranks = vec![Vec::new(); threads as usize];
    for rank in (0..context.placement.ranks()).map(Rank::new) {
        let (process, thread) = homes[context.placement.node(rank).index()];
        if process == own {
            ranks[thread as usize].push(rank);
        }
    }
    ranks
}

pub(crate) fn run_synthetic(packets: &PreparedPacket, traffic: &Synthetic, context: RunContext<'_>) -> Ran {
    let placement = RunContext::without_ranks().placement;
    let context = RunContext { placement, ranks: None, ..begun(packets, context) };
    let run = packets.network.run_synthetic(traffic, context);
    let processes = run.processes.clone();
    Ran { processes, ..of_synthetic(packets, traffic, run) }
}

/// The result of traffic that one process has run.
pub(crate) fn of_synthetic(packets: &PreparedPacket, traffic: &Synthetic, run: SyntheticEnded) -> Ran {
    let synthetic = SyntheticCounts {
        offered_load: run.offered_load,
        accepted_load: run.accepted_load,
        saturated: run.saturated,
        generation_latency_mean_s: mean(&run.generation_latency),
        generation_latency_p99_s: (run.generation_latency.count() > 0)
            .then(|| run.generation_latency.quantile(0.99).as_secs_f64()),
    };
    // A limit may have ended the run before all was measured, or before anything was.
    let measured = run.until.since(Time::ZERO + traffic.warmup).min(traffic.duration);
    let messages = run.counts.packets;
    let traffic =
        Traffic { messages, bytes: Bytes(messages.saturating_mul(traffic.packet.0)), ..Traffic::default() };
    let ended = ended(run.outcome, run.until, traffic, run.digest);
    counted(packets, run.counts, run.stuck, Some(synthetic), measured, ended)
}

/// The context with its threads, once it is said that the first messages are being sent, which takes long on a large machine:
/// all nodes begin.
pub(crate) fn begun<'a>(packets: &PreparedPacket, run: RunContext<'a>) -> RunContext<'a> {
    let mut building = PreparationProgress::begin(run.limits, run.watch);
    building.stage("the first messages are being sent");
    let (limits, watch) = building.end();
    let threads = useful_threads(packets, run.processes);
    RunContext { limits, watch, threads, ..run }
}

/// Number of threads that pays: no more than there are cores for each process of a host, and each with some routers; the same in all
/// processes.
fn useful_threads(packets: &PreparedPacket, processes: &mut dyn Transport) -> usize {
    let count = processes.processes();
    let cores = (cores() / processes.on_this_host()).max(1);
    let threads =
        packets.threads.min(cores).min((packets.machine.routers() / ROUTERS_PER_THREAD / count).max(1));
    if count == 1 {
        return threads;
    }
    let mut least = [threads as u64];
    // A process that is lost here is missed by the run.
    _ = processes.meet(&mut least, &mut vec![Vec::new(); count], &mut |_, _| ());
    least[0] as usize
}

pub(crate) fn ran(packets: &PreparedPacket, run: PacketEnded) -> Ran {
    let time = run.until.since(Time::ZERO);
    let ran = counted(packets, run.counts, run.stuck, None, time, run.ended);
    Ran { until: run.until, processes: run.processes, ..ran }
}

/// Condenses what the engine counted in so much time.
fn counted(
    packets: &PreparedPacket,
    counts: Counts,
    stuck: Option<Vec<StuckChannel>>,
    synthetic: Option<SyntheticCounts>,
    measured: Duration,
    ended: Ended,
) -> Ran {
    let (topology, network) = (&*packets.machine, &*packets.network);
    let interfaces = network.interfaces();
    let width = |id| width(topology, interfaces, id);
    let of = |(number, link)| traffic_of(link, width(LinkId::new(number)));
    let links: Vec<LinkTraffic> = counts.links.iter().enumerate().map(of).collect();
    let capacity = |id| {
        let one = topology.link(id).capacity;
        Bandwidth::new(one.bytes_per_second() * f64::from(width(id))).unwrap_or(one)
    };
    let (load, name) = (|k: usize| links[k].into(), |id| topology.link_name(id));
    let link_use = LinkUse::measure(links.len(), load, measured, capacity, name, BUSIEST);
    let channel = |channel: StuckChannel| weir_record::StuckChannel {
        link: topology.link_name(channel.link),
        vc: channel.vc,
        packets: channel.packets,
        waits_for: topology.link_name(channel.waits_for),
        waits_for_vc: channel.waits_for_vc,
    };
    let latency = mean(&counts.latency).map(|mean_s| LatencyFacts {
        mean_s,
        p99: counts.latency.quantile(0.99),
        least: counts.latency.least(),
        most: counts.latency.most(),
    });
    // Of machines that the machine becomes, that which needs most.
    let most = network.stages().max_by_key(|network| network.classes()).unwrap_or(network);
    let packet = PacketCounts {
        packets: counts.packets,
        remaining: counts.remaining,
        packet_hops: counts.packet_hops,
        windows: counts.windows,
        window: counts.window,
        latency,
        synthetic,
        classes: most.classes(),
        class_rule: class_rule(most.class_rule()),
        stuck: stuck.into_iter().flatten().map(channel).collect(),
    };
    // What the wires of a link have carried is here all together, where the summary has the mean of a wire.
    let carried =
        LinkTotals::Packets(counts.links.iter().map(|link| traffic_of(link, 1)).collect(), interfaces);
    Ran {
        link_use,
        counts: EngineCounts::Packet(packet),
        threads: counts.threads,
        measured,
        carried,
        packet_latency: Some(counts.latency),
        waits: counts.waits,
        ..Ran::without_links(ended)
    }
}

fn class_rule(rule: Classes) -> &'static str {
    match rule {
        Classes::One => "none needed",
        Classes::Dateline(Dateline::Crossing) => "dateline, up to the crossing",
        Classes::Dateline(Dateline::Dimension) => "dateline, for the whole dimension",
        Classes::LinksPassed => "links passed",
        Classes::Fewest => "fewest, by search",
        Classes::Given => "routes file",
        Classes::Escape => "one for any shortest way, and dimension order to escape by",
    }
}

/// In seconds; `None` of nothing.
fn mean(latencies: &Latencies) -> Option<f64> {
    (latencies.count() > 0).then(|| latencies.mean())
}

/// Traffic of a link that stands for `width` links: its busy time is their mean.
fn traffic_of(link: &LinkCounts, width: u32) -> LinkTraffic {
    LinkTraffic {
        packets: link.packets,
        bytes: Bytes(link.bytes),
        busy: Duration::from_ps(link.busy.as_ps() / u64::from(width)),
        waited: link.waited,
        stalled: link.stalled,
        max_queue: link.longest_queue,
    }
}

/// Number of links that a link stands for: those of a node's interfaces are counted as one.
fn width(topology: &Topology, interfaces: u32, id: LinkId) -> u32 {
    if interfaces == 1 {
        return 1;
    }
    match topology.link(id) {
        Link { from: End::Router(_), to: End::Router(_), .. } => 1,
        _ => interfaces,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_experiment::{Scenario, Source};

    #[test]
    fn links_of_nodes_stand_for_one_per_interface() {
        let text = "engine = { kind = 'packet' }\ntopology = { kind = 'mesh', shape = [3], bandwidth = '1 GB/s' }\n\
                    workload = { kind = 'ring', message_size = '1 B' }\n";
        let scenario = Scenario::load(&Source::of_text("e", text)).unwrap();
        let topology = scenario.machine().unwrap();
        let widths = |interfaces| {
            let mut all: Vec<u32> = (0..topology.links())
                .map(|number| width(topology, interfaces, LinkId::new(number)))
                .collect();
            all.sort_unstable();
            all
        };
        assert_eq!(widths(1), [1; 10]);
        // Three links of injection, three of ejection, four between routers.
        assert_eq!(widths(4), [1, 1, 1, 1, 4, 4, 4, 4, 4, 4]);
    }
}
