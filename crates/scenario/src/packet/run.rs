//! Runs on the packet engine, and what they leave.

use crate::building::Building;
use crate::engine::cores;
use crate::results::Carried;
use crate::simulation::{BUSIEST, Ran};
use crate::{EngineSection, Scenario, SyntheticSection};
use weir_network::{Digest, Ended, Outcome, Program, Recorder, Traffic, Watch};
use weir_packet::{Classes, Counts, Dateline, Latencies, LinkCounts, Machine, PacketEnded, StuckChannel};
use weir_record::{LatencyFacts, LinkTraffic, LinkUse, PacketCounts, SyntheticCounts};
use weir_topology::{End, Link, Topology};
use weir_units::{Bandwidth, Bytes, Duration, LinkId, Time};

/// Routers for each thread at least: with fewer, threads wait for each other longer than they work.
const ROUTERS_PER_THREAD: usize = 32;

/// So many of the threads as pay: no more than there are cores, and each with some routers.
fn worthwhile(threads: usize, topology: &Topology) -> usize {
    threads.min(cores()).min((topology.routers() / ROUTERS_PER_THREAD).max(1))
}

/// The first window takes long on a large machine: all nodes begin in it.
const FIRST_MESSAGES: &str = "the first messages are being sent";

impl Scenario {
    /// Runs programs that any thread can run.
    pub(crate) fn run_packets<P: Program + Send>(
        &self,
        topology: &Topology,
        programs: &mut [P],
        watch: Watch<'_>,
        threads: usize,
        recorder: Option<&mut dyn Recorder>,
    ) -> Ran
    where
        P::Body: Send,
    {
        let mut building = Building::begin(self.limits.limits(), watch);
        let machine = match self.packet_machine(topology, recorder.as_deref(), &mut building) {
            Ok(machine) => machine,
            Err(limit) => return not_built(limit),
        };
        building.stage(FIRST_MESSAGES);
        let (limits, watch) = building.end();
        let (placement, threads) = (self.placement(), worthwhile(threads, topology));
        let ended = machine.run_recorded(&placement, programs, limits, watch, threads, recorder);
        self.ran_packets(topology, &machine, ended)
    }

    /// Runs programs that stay on this thread.
    pub(crate) fn run_packets_here<P: Program>(
        &self,
        topology: &Topology,
        programs: &mut [P],
        watch: Watch<'_>,
        threads: usize,
        recorder: Option<&mut dyn Recorder>,
    ) -> Ran {
        let mut building = Building::begin(self.limits.limits(), watch);
        let machine = match self.packet_machine(topology, recorder.as_deref(), &mut building) {
            Ok(machine) => machine,
            Err(limit) => return not_built(limit),
        };
        building.ready();
        let (limits, watch) = building.end();
        let (placement, threads) = (self.placement(), worthwhile(threads, topology));
        let ended = machine.run_here_recorded(&placement, programs, limits, watch, threads, recorder);
        self.ran_packets(topology, &machine, ended)
    }

    /// Runs traffic without programs.
    pub(crate) fn run_synthetic(
        &self,
        topology: &Topology,
        section: &SyntheticSection,
        watch: Watch<'_>,
        recorder: Option<&mut dyn Recorder>,
    ) -> Ran {
        let EngineSection::Packet { threads } = self.engine else {
            unreachable!("the check has made sure that synthetic traffic gets the packet engine")
        };
        let mut building = Building::begin(self.limits.limits(), watch);
        let machine = match self.packet_machine(topology, recorder.as_deref(), &mut building) {
            Ok(machine) => machine,
            Err(limit) => return not_built(limit),
        };
        building.stage(FIRST_MESSAGES);
        let traffic = section.traffic();
        let ((limits, watch), threads) = (building.end(), worthwhile(threads, topology));
        let run = machine.run_synthetic_recorded(&traffic, limits, watch, threads, recorder);
        let synthetic = SyntheticCounts {
            offered_load: run.offered_load,
            accepted_load: run.accepted_load,
            saturated: run.saturated,
            generation_latency_mean_s: mean(&run.generation_latency),
        };
        // A limit may have ended the run before all was measured, or before anything was.
        let measured = run.until.since(Time::ZERO + section.warmup).min(section.duration);
        let messages = run.counts.packets;
        let traffic = Traffic {
            messages,
            bytes: Bytes(messages.saturating_mul(section.packet_size.0)),
            ..Traffic::default()
        };
        let counted = counted(topology, &machine, run.counts, run.stuck, measured);
        let packet = PacketCounts { synthetic: Some(synthetic), ..counted.packet };
        let ended = Ended {
            outcome: run.outcome,
            at: run.until,
            traffic,
            digest: run.digest,
            latency: Latencies::default(),
        };
        Counted { packet, ..counted }.ran(ended, run.until)
    }

    /// The machine; if samples are wanted, with windows that fit their interval.
    ///
    /// # Errors
    /// If there is no time for it: the limit in words.
    fn packet_machine(
        &self,
        topology: &Topology,
        recorder: Option<&dyn Recorder>,
        building: &mut Building<'_>,
    ) -> Result<Machine, String> {
        if let Some(limit) = &self.out_of_time {
            return Err(limit.clone());
        }
        let packet = self.packet.as_ref().expect("the check gives the packet engine its routers");
        let built = building.build(&packet.model(), &self.node.model(), topology);
        let machine = built.expect("the routers have been built once, to check them");
        let machine = machine.ok_or_else(|| building.interrupted().unwrap_or_default())?;
        Ok(match recorder.and_then(|recorder| recorder.wanted().interval) {
            Some(interval) => {
                machine.for_intervals(interval).expect("the check has looked for windows that fit")
            }
            None => machine,
        })
    }

    fn ran_packets(&self, topology: &Topology, machine: &Machine, run: PacketEnded) -> Ran {
        let time = run.until.since(Time::ZERO);
        counted(topology, machine, run.counts, run.stuck, time).ran(run.ended, run.until)
    }
}

/// What a run leaves whose machine could not be built in time.
fn not_built(limit: String) -> Ran {
    Ran::without_links(Ended {
        outcome: Outcome::Limit(format!("{limit}: the machine was not built to its end")),
        at: Time::ZERO,
        traffic: Traffic::default(),
        digest: Digest(0),
        latency: Latencies::default(),
    })
}

/// Condenses what the engine counted in so much time.
fn counted(
    topology: &Topology,
    machine: &Machine,
    counts: Counts,
    stuck: Option<Vec<StuckChannel>>,
    time: Duration,
) -> Counted {
    let interfaces = machine.interfaces();
    let width = |id| width(topology, interfaces, id);
    let links: Vec<LinkTraffic> = counts
        .links
        .iter()
        .enumerate()
        .map(|(number, link)| traffic_of(link, width(LinkId::new(number))))
        .collect();
    let capacity = |id| {
        let one = topology.link(id).capacity;
        Bandwidth::new(one.bytes_per_second() * f64::from(width(id))).unwrap_or(one)
    };
    let link_use = LinkUse::of_packets(&links, time, capacity, |id| topology.link_name(id), BUSIEST);
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
    let packet = PacketCounts {
        packets: counts.packets,
        packet_hops: counts.packet_hops,
        windows: counts.windows,
        window: counts.window,
        latency,
        synthetic: None,
        classes: machine.classes(),
        class_rule: class_rule(machine.class_rule()),
        stuck: stuck.into_iter().flatten().map(channel).collect(),
    };
    // What the wires of a link have carried is here all together, where the summary has the mean of a wire.
    let carried = Carried::Packets(counts.links.iter().map(|link| traffic_of(link, 1)).collect(), interfaces);
    Counted { packet, link_use, threads: counts.threads, measured: time, carried, latency: counts.latency }
}

/// Which classes packets have, in words.
fn class_rule(rule: Classes) -> &'static str {
    match rule {
        Classes::One => "none needed",
        Classes::Dateline(Dateline::Crossing) => "dateline, up to the crossing",
        Classes::Dateline(Dateline::Dimension) => "dateline, for the whole dimension",
        Classes::LinksPassed => "links passed",
        Classes::Fewest => "fewest, by search",
        Classes::Given => "routes file",
    }
}

/// What the engine has counted, condensed.
struct Counted {
    packet: PacketCounts,
    link_use: LinkUse,
    threads: usize,
    measured: Duration,
    carried: Carried,
    latency: Latencies,
}

impl Counted {
    fn ran(self, ended: Ended, until: Time) -> Ran {
        let Self { packet, link_use, threads, measured, carried, latency } = self;
        Ran {
            ended,
            until,
            link_use,
            flow: None,
            packet: Some(packet),
            threads,
            cycles: Vec::new(),
            measured,
            carried,
            packet_latency: Some(latency),
        }
    }
}

/// In seconds; `None` of nothing.
fn mean(latencies: &Latencies) -> Option<f64> {
    (latencies.count() > 0).then(|| latencies.mean())
}

/// What a link carried, which stands for so many: their busy time is the mean.
fn traffic_of(link: &LinkCounts, width: u32) -> LinkTraffic {
    LinkTraffic {
        packets: link.packets,
        bytes: Bytes(link.bytes),
        busy: Duration::from_ps(link.busy.as_ps() / u64::from(width)),
        waited: link.waited,
        max_queue: link.longest_queue,
    }
}

/// How many links a link stands for: those of a node's interfaces are counted as one.
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
    use crate::{ExperimentText, Source};

    #[test]
    fn links_of_nodes_stand_for_one_per_interface() {
        let text = "engine = { kind = 'packet' }\ntopology = { kind = 'mesh', shape = [3], bandwidth = '1 GB/s' }\n\
                    workload = { kind = 'ring', message_size = '1 B' }\n";
        let text = ExperimentText { name: "e".into(), text: text.into() };
        let scenario = Scenario::load(&Source { experiment_text: Some(text), ..Source::default() }).unwrap();
        let topology = scenario.topology().unwrap();
        let widths = |interfaces| {
            let mut all: Vec<u32> = (0..topology.links())
                .map(|number| width(&topology, interfaces, LinkId::new(number)))
                .collect();
            all.sort_unstable();
            all
        };
        assert_eq!(widths(1), [1; 10]);
        // Three links of injection, three of ejection, four between routers.
        assert_eq!(widths(4), [1, 1, 1, 1, 4, 4, 4, 4, 4, 4]);
    }
}
