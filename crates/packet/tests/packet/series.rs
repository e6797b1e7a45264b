//! What is recorded of a run while it goes on: samples of intervals add up to the counts of the whole run, and depend neither on
//! threads nor on windows.

use crate::agreement::network;
use crate::flit::Message;
use crate::invariance::shown;
use crate::machines::{Case, cases, grid, plain, uniform, with_routers};
use crate::recorder::{Handing, Recorder as Programs};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use weir_network::harness::Recorded;
use weir_network::record::{
    BufferSample, Keep, LatencySample, LinkSample, MessageTimes, PacketStay, Recorder, Requested,
    RequestedSeries, RequestedStays,
};
use weir_network::{LatencyKind, Limits, Outcome, Placement, RunContext};
use weir_packet::{
    Injection, Nics, NodeModel, PacketEnded, PacketNetwork, RouterModel, Synthetic, TrafficPattern,
};
use weir_topology::{End, Tie, Wrap};
use weir_units::{Bytes, Duration, LinkId, NodeId, RouterId, Time};

/// Samples of this interval, and all else.
fn recording(interval: Duration) -> Requested {
    let routers = [0, 1].map(RouterId).to_vec();
    let stays = Some(RequestedStays { routers, from: Time::from_ps(30_000), until: Time::from_ps(150_000) });
    let interval = Some(interval);
    Requested { interval, messages: Keep::Yes, pairs: Keep::Yes, stays, ..Requested::default() }
}

/// Messages between nodes of a machine.
struct Work<'a> {
    network: &'a PacketNetwork,
    nodes: usize,
    messages: &'a [Message],
    limits: Limits,
}

impl<'a> Work<'a> {
    fn new(network: &'a PacketNetwork, nodes: usize, messages: &'a [Message]) -> Self {
        Self { network, nodes, messages, limits: Limits::default() }
    }

    fn run(&self, recorder: Option<&mut dyn Recorder>, threads: usize) -> PacketEnded {
        let mut programs = Programs::all(self.nodes, self.messages, Handing::AtTheStart);
        let placement = Placement::one_per_node(self.nodes);
        let context = RunContext::new(&placement).limits(self.limits).threads(threads);
        self.network.run(&mut programs, context.recorder(recorder.map(|recorder| recorder as _)))
    }

    /// What is requested of it.
    fn recorded(&self, requested: Requested, threads: usize) -> Recorded {
        let mut recorded = Recorded { requested, ..Recorded::default() };
        self.run(Some(&mut recorded), threads);
        recorded
    }
}

/// Runs a case and returns what was recorded.
fn run(
    case: &Case,
    network: &PacketNetwork,
    requested: Requested,
    threads: usize,
) -> (PacketEnded, Recorded) {
    let mut recorded = Recorded { requested, ..Recorded::default() };
    let work = Work::new(network, case.topology.nodes(), &case.messages);
    let ended = work.run(Some(&mut recorded), threads);
    (ended, Recorded { intervals: 0, ..recorded })
}

/// By link: packets, bytes and time held, of all intervals.
fn sums(recorded: &Recorded) -> BTreeMap<LinkId, (u64, f64, Duration)> {
    let mut sums: BTreeMap<_, (u64, f64, Duration)> = BTreeMap::new();
    for (_, LinkSample { link, bytes, packets }) in &recorded.links {
        let packets = packets.expect("the engine has packets");
        let sum = sums.entry(*link).or_default();
        *sum = (sum.0 + packets.packets, sum.1 + bytes, sum.2 + packets.busy);
    }
    sums
}

/// Samples of so many times longer intervals.
fn coarser(recorded: &Recorded, interval: Duration) -> Recorded {
    let start = |at: &Time| Time::from_ps(at.as_ps() / interval.as_ps() * interval.as_ps());
    let mut links: BTreeMap<_, LinkSample> = BTreeMap::new();
    for (at, sample) in &recorded.links {
        let all = links.entry((start(at), sample.link)).or_insert(LinkSample {
            bytes: 0.0,
            packets: Some(Default::default()),
            ..*sample
        });
        all.bytes += sample.bytes;
        let (packets, more) = (all.packets.as_mut().expect("packets"), sample.packets.expect("packets"));
        packets.packets += more.packets;
        packets.busy += more.busy;
    }
    let mut buffers: BTreeMap<_, BufferSample> = BTreeMap::new();
    for (at, sample) in &recorded.buffers {
        let all = buffers.entry((start(at), sample.link, sample.vc)).or_insert(BufferSample {
            held: Duration::ZERO,
            most: 0,
            ..*sample
        });
        all.held += sample.held;
        all.most = all.most.max(sample.most);
    }
    let mut latencies: BTreeMap<_, LatencySample> = BTreeMap::new();
    for (at, kind, sample) in &recorded.latencies {
        latencies.entry((start(at), *kind)).or_default().join(sample);
    }
    Recorded {
        requested: Requested { interval: Some(interval), ..recorded.requested.clone() },
        links: links.into_iter().map(|((at, _), sample)| (at, sample)).collect(),
        buffers: buffers.into_iter().map(|((at, ..), sample)| (at, sample)).collect(),
        latencies: latencies.into_iter().map(|((at, kind), sample)| (at, kind, sample)).collect(),
        ..recorded.clone()
    }
}

/// A choice of series by the bits of a number.
fn some_series(bits: u32) -> RequestedSeries {
    let keep = |bit: u32| if bits >> bit & 1 == 1 { Keep::Yes } else { Keep::No };
    RequestedSeries { links: keep(0), buffers: keep(1), latencies: keep(2) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// What is left out changes nothing in what is recorded.
    #[test]
    fn series_can_be_left_out(case in cases(), windows in 1..=30_u64, threads in 1..=3_usize, bits in 0..8_u32) {
        let plain = network(&case.topology, &case.settings);
        let interval = plain.window() * windows;
        let cut = plain.for_intervals(interval).expect("windows that fit");
        let (_, all) = run(&case, &cut, recording(interval), 1);
        let series = some_series(bits);
        let (_, recorded) = run(&case, &cut, Requested { series, ..all.requested.clone() }, threads);
        let expected = Recorded {
            links: if series.links == Keep::Yes { all.links } else { Vec::new() },
            buffers: if series.buffers == Keep::Yes { all.buffers } else { Vec::new() },
            latencies: if series.latencies == Keep::Yes { all.latencies } else { Vec::new() },
            requested: recorded.requested.clone(),
            ..all
        };
        prop_assert_eq!(recorded, expected);
    }

    /// Samples are taken beside a run: whole, and up to any limit, at which packets wait, all counts are those without them.
    #[test]
    fn samples_change_nothing(case in cases(), windows in 1..=30_u64, threads in 1..=3_usize, parts in 0..=1200_u64) {
        let plain = network(&case.topology, &case.settings);
        let interval = plain.window() * windows;
        let cut = plain.clone().for_intervals(interval).expect("windows that fit");
        let nodes = case.topology.nodes();
        let whole = Work::new(&plain, nodes, &case.messages).run(None, 1);
        let limit = (u128::from(whole.until.as_ps()) * u128::from(parts) / 1000) as u64;
        let limits = Limits { simulated: Time::from_ps(limit), ..Limits::default() };
        let without = Work { limits, ..Work::new(&plain, nodes, &case.messages) }.run(None, 1);
        let work = Work { limits, ..Work::new(&cut, nodes, &case.messages) };
        let mut recorded = Recorded { requested: recording(interval), ..Recorded::default() };
        let ended = work.run(Some(&mut recorded), threads);
        prop_assert_eq!(shown(&ended), shown(&without));
    }

    #[test]
    fn samples_add_up(case in cases(), parts in 1..=3_u64, windows in 1..=30_u64, threads in 2..=4_usize, times in 2..=5_u64) {
        let plain = network(&case.topology, &case.settings);
        let interval = Duration::from_ps((plain.window().as_ps() / parts).max(1) * windows);
        let cut = plain.clone().for_intervals(interval).expect("windows that fit");
        prop_assert!(cut.window() <= plain.window() && interval.as_ps().is_multiple_of(cut.window().as_ps()));
        let (ended, recorded) = run(&case, &cut, recording(interval), 1);
        let without = Work::new(&plain, case.topology.nodes(), &case.messages).run(None, 1);
        prop_assert_eq!(ended.ended.digest, without.ended.digest, "recording changes nothing");
        prop_assert_eq!(&ended.counts.links, &without.counts.links);

        // Links: in order, nothing empty, as much as the whole run in the end, never held for longer than there is time.
        prop_assert!(recorded.links.is_sorted_by_key(|(at, sample)| (*at, sample.link)));
        let sums = sums(&recorded);
        for (number, link) in ended.counts.links.iter().enumerate() {
            let sum = sums.get(&LinkId::new(number)).copied().unwrap_or_default();
            prop_assert_eq!(sum, (link.packets, link.bytes as f64, link.busy));
        }
        for (at, sample) in &recorded.links {
            let busy = sample.packets.expect("packets").busy;
            prop_assert!(at.as_ps() % interval.as_ps() == 0 && busy <= interval);
            prop_assert!(sample.bytes > 0.0 || busy > Duration::ZERO || sample.packets.expect("packets").packets > 0);
        }

        // Buffers: no more than there is room, and the most of all is that of the link.
        prop_assert!(recorded.buffers.is_sorted_by_key(|(at, sample)| (*at, sample.link, sample.vc)));
        let mut longest: BTreeMap<LinkId, u32> = BTreeMap::new();
        for (_, sample) in &recorded.buffers {
            let most = longest.entry(sample.link).or_default();
            *most = (*most).max(sample.most);
            // With credits per flit the packet that leaves shares its place with the one that comes.
            let shared = usize::from(case.settings.given_back_behind.is_some());
            let room = case.settings.room(&case.topology, sample.link);
            let places = (room + shared) as u64;
            prop_assert!(sample.held.as_ps() <= interval.as_ps() * places);
            prop_assert!(sample.most as usize <= room);
        }
        for (number, link) in ended.counts.links.iter().enumerate() {
            prop_assert_eq!(longest.get(&LinkId::new(number)).copied().unwrap_or(0), link.longest_queue);
        }

        // Latencies and messages.
        for (kind, whole) in [(LatencyKind::Message, &ended.ended.latency), (LatencyKind::Packet, &ended.counts.latency)] {
            let mut sum = LatencySample::default();
            recorded.latencies.iter().filter(|entry| entry.1 == kind).for_each(|(.., sample)| sum.join(sample));
            prop_assert_eq!((sum.count, sum.most), (whole.count(), whole.most()));
            prop_assert_eq!(if sum.count == 0 { 0.0 } else { sum.sum as f64 / sum.count as f64 / 1e12 }, whole.mean());
        }
        prop_assert_eq!(recorded.messages.len(), case.messages.len());
        for message in &recorded.messages {
            prop_assert!(message.posted <= message.started && message.started < message.arrived);
        }
        let pairs = recorded.pairs.as_ref().expect("they were requested");
        let bytes: u64 = pairs.cells().map(|(.., cell)| cell.bytes.0).sum();
        prop_assert_eq!(Bytes(bytes), ended.ended.traffic.bytes);

        // Stays: of these routers, in this time, of packets that there were; a packet is in a buffer once.
        let mut seen = BTreeSet::new();
        for stay in &recorded.stays {
            prop_assert!(stay.router.0 < 2 && stay.left > Time::from_ps(30_000) && stay.entered < Time::from_ps(150_000));
            let link = case.topology.link(stay.link);
            prop_assert_eq!(link.to, End::Router(stay.router));
            prop_assert!((stay.vc as usize) < case.settings.virtual_channels && stay.entered < stay.left);
            let sent = case.messages.iter().any(|m| (NodeId(m.from), NodeId(m.to)) == (stay.source, stay.destination));
            prop_assert!(sent && seen.insert((stay.router, stay.link, stay.source, stay.sequence)));
        }

        // The same for any number of threads, for narrower windows, and for longer intervals.
        prop_assert_eq!(&run(&case, &cut, recording(interval), threads).1, &recorded);
        if let Some(narrow) = (2..=7).find(|part| cut.window().as_ps().is_multiple_of(*part)) {
            let narrow = cut.clone().with_window(Duration::from_ps(cut.window().as_ps() / narrow));
            prop_assert_eq!(&run(&case, &narrow, recording(interval), 1).1, &recorded);
        }
        let longer = interval * times;
        if let Ok(network) = plain.clone().for_intervals(longer) {
            prop_assert_eq!(&run(&case, &network, recording(longer), 1).1, &coarser(&recorded, longer));
        }
    }
}

/// Two routers with a node each, and cables of 8 GB/s and 100 ns, for samples of such intervals.
fn line(interval: Duration, node: &NodeModel) -> PacketNetwork {
    let topology = grid(&[2], Wrap::Mesh, &[(8, 100)], (8, 100), Tie::Plus);
    let network = PacketNetwork::new(&RouterModel::default(), node, &topology).expect("a machine");
    network.for_intervals(interval).expect("windows that fit")
}

/// Of synthetic traffic packets are recorded, and there are no messages; samples end where the run does.
#[test]
fn synthetic_traffic_is_recorded() {
    let topology = grid(&[16], Wrap::Torus, &[(8, 100)], (8, 100), Tie::Plus);
    let interval = Duration::from_ns(1_000);
    let network = plain(&topology).for_intervals(interval).expect("windows that fit");
    let traffic = Synthetic { duration: Duration::from_ns(20_500), ..uniform() };
    let runs = [1, 2, 3].map(|threads| {
        let mut recorded = Recorded { requested: recording(interval), ..Recorded::default() };
        let context = RunContext::without_ranks().threads(threads).recorder(Some(&mut recorded));
        (network.run_synthetic(&traffic, context), recorded)
    });
    let (ended, recorded) = &runs[0];
    assert!(runs.iter().all(|(_, other)| other == recorded));
    let found: Vec<_> = sums(recorded).into_values().collect();
    let links = ended.counts.links.iter();
    assert_eq!(found, links.map(|link| (link.packets, link.bytes as f64, link.busy)).collect::<Vec<_>>());
    let mut latencies = LatencySample::default();
    recorded.latencies.iter().for_each(|(.., sample)| latencies.join(sample));
    assert!(recorded.latencies.iter().all(|(_, kind, _)| *kind == LatencyKind::Packet));
    let whole = &ended.counts.latency;
    assert_eq!((latencies.count, latencies.most), (whole.count(), whole.most()));
    assert!(recorded.buffers.iter().all(|(at, _)| *at < Time::from_ps(21_000_000)));
}

/// Two of three interfaces send two packets each, one sends none: a packet has the number n k + i if it is packet k of
/// interface i of n, so no two of a node have the same.
#[test]
fn packets_of_several_interfaces_are_distinguished() {
    let node = NodeModel { nics: Nics::Several(3), ..NodeModel::default() };
    let interval = Duration::from_ns(100);
    let network = line(interval, &node);
    let messages = [Message { at: 0, from: 0, to: 1, bytes: 2 * 256 }; 2];
    let recorded = Work::new(&network, 2, &messages).recorded(recording(interval), 1);
    let first = recorded.stays.iter().filter(|stay| stay.router == RouterId(0));
    let mut numbers: Vec<_> = first.map(|stay| stay.sequence).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 1, 3, 4]);
}

/// A limit ends a run in which packets wait in buffers and others hold links for longer than an interval. Those that wait are
/// there until the limit, also if windows are run behind it, and are not seen in later intervals, in which links are busy still.
#[test]
fn packets_that_wait_at_a_limit_are_there_until_then() {
    let interval = Duration::from_ns(10);
    let network = line(interval, &NodeModel::default());
    let messages: Vec<_> = (0..2).map(|from| Message { at: 0, from, to: 1 - from, bytes: 4000 }).collect();
    for at in (300..700).step_by(7) {
        let limits = Limits { simulated: Time::from_ps(at * 1000), ..Limits::default() };
        let work = Work { limits, ..Work::new(&network, 2, &messages) };
        let recorded = work.recorded(recording(interval), 1);
        for (start, sample) in &recorded.buffers {
            assert!(sample.held > Duration::ZERO, "there for no time until {at} ns: {start} {sample:?}");
            assert!(
                sample.most == 0 || *start <= limits.simulated,
                "waits behind {at} ns: {start} {sample:?}"
            );
        }
        let last = recorded.links.iter().map(|(start, _)| *start).max().expect("links are busy");
        assert!(last > limits.simulated, "{last} until {at} ns");
        assert_eq!(work.recorded(recording(interval), 2), recorded, "until {at} ns");
    }
}

/// Two packets of 256 B at 8 B/ns, 32 ns each. The first one is at its router after 100 ns and waits 6 ns for its route;
/// then it crosses for 32 ns. The second one comes 32 ns later, in the other virtual channel, and finds the crossbar free
/// just when its route is known.
#[test]
fn stays_of_two_packets() {
    let interval = Duration::from_ns(100);
    let network = line(interval, &NodeModel::default());
    let message = Message { at: 0, from: 0, to: 1, bytes: 512 };
    let recorded = Work::new(&network, 2, &[message]).recorded(recording(interval), 1);
    let stay = |sequence, vc, entered, left| PacketStay {
        router: RouterId(0),
        link: LinkId(0),
        vc,
        source: NodeId(0),
        destination: NodeId(1),
        sequence,
        bytes: Bytes(256),
        entered: Time::from_ps(entered),
        left: Time::from_ps(left),
    };
    assert_eq!(recorded.stays[..2], [stay(0, 1, 100_000, 138_000), stay(1, 0, 132_000, 170_000)]);
}

#[test]
fn an_interval_needs_windows_that_fit() {
    let topology = grid(&[4], Wrap::Torus, &[(8, 100)], (8, 100), Tie::Plus);
    let network = plain(&topology);
    // 100 ns for a credit, and an eighth of one for a byte through the crossbar.
    assert_eq!(network.window(), Duration::from_ps(100_125));
    let window = |ps| Some(network.clone().for_intervals(Duration::from_ps(ps)).ok()?.window().as_ps());
    assert_eq!(window(1_000_000), Some(100_000));
    assert_eq!(window(70_000), Some(70_000));
    assert_eq!(window(1), Some(1));
    assert_eq!(window(1_000_003), None);
    let near = network.nearest_interval(Duration::from_ps(1_000_003));
    assert_eq!(near, Duration::from_ps(1_001_250));
    assert_eq!(window(near.as_ps()), Some(100_125));
    // Three windows at least, and twelve at most, which are a quarter as wide: eleven will do, thirteen will not.
    assert_eq!((window(11 * 20_011), window(13 * 17_011)), (Some(20_011), None));
    // To the nearest number of windows, but to one at least.
    for (interval, windows) in [(1, 1), (150_000, 1), (150_200, 2), (250_300, 2), (250_400, 3)] {
        let near = network.nearest_interval(Duration::from_ps(interval));
        assert_eq!(near, network.window() * windows, "{interval} ps");
    }
}

/// Three routers in a line with 40 virtual channels, so 120 lanes in the middle, in two words. The nodes of the first two send to
/// the last one, and packets wait in the middle for the link that they share. What the samples of its buffers say is what the stays
/// of single packets do: a packet is there from when its route is known, 6 ns after it has come, until its tail has crossed.
#[test]
fn samples_of_buffers_are_stays_of_packets() {
    let topology = grid(&[3], Wrap::Mesh, &[(8, 100)], (8, 100), Tie::Plus);
    let model = RouterModel { virtual_channels: 40, ..RouterModel::default() };
    let network = with_routers(&model, &topology);
    let interval = Duration::from_ns(300);
    let network = network.for_intervals(interval).expect("windows that fit");
    let messages: Vec<_> = [0, 1].map(|from| Message { at: 0, from, to: 2, bytes: 100 * 256 }).to_vec();
    let routers = [0, 1, 2].map(RouterId).to_vec();
    let stays = Some(RequestedStays { routers, from: Time::ZERO, until: Time::MAX });
    let requested = Requested { interval: Some(interval), stays, ..Requested::default() };
    let work = Work::new(&network, 3, &messages);
    let recorded = work.recorded(requested.clone(), 1);
    let (length, mut expected) = (interval.as_ps(), BTreeMap::new());
    for stay in &recorded.stays {
        let (from, to) = (stay.entered.as_ps() + 6000, stay.left.as_ps());
        for start in (from / length..=(to - 1) / length).map(|number| number * length) {
            let held: &mut u64 = expected.entry((start, stay.link, stay.vc)).or_default();
            *held += to.min(start + length) - from.max(start);
        }
    }
    let found: BTreeMap<_, _> = recorded
        .buffers
        .iter()
        .map(|(start, sample)| ((start.as_ps(), sample.link, sample.vc), sample.held.as_ps()))
        .collect();
    assert_eq!((found.len(), &found), (recorded.buffers.len(), &expected), "one sample of each");
    // Packets of both nodes have waited in the middle, in lanes of both words, for longer than an interval.
    let long = |stay: &&PacketStay| stay.router == RouterId(1) && stay.left > stay.entered + interval;
    assert_eq!(recorded.stays.iter().filter(long).map(|stay| stay.link).collect::<BTreeSet<_>>().len(), 2);
    assert_eq!(work.recorded(requested, 2), recorded);
}

/// How late things are reported: how far the samples of links were then.
struct Late {
    requested: Requested,
    reached: Time,
    /// Of messages, stays and latencies: the longest time from when it happened, or its interval began, and how many were reported.
    late: [(Duration, usize); 3],
}

impl Late {
    fn note(&mut self, kind: usize, at: Time) {
        let (late, count) = &mut self.late[kind];
        *late = (*late).max(Duration::from_ps(self.reached.as_ps().saturating_sub(at.as_ps())));
        *count += 1;
    }
}

impl Recorder for Late {
    fn requested(&self) -> &Requested {
        &self.requested
    }

    fn links(&mut self, start: Time, _: &[LinkSample]) {
        self.reached = self.reached.max(start);
    }

    fn latencies(&mut self, start: Time, _: LatencyKind, _: LatencySample) {
        self.note(2, start);
    }

    fn messages(&mut self, messages: &[MessageTimes]) {
        messages.iter().for_each(|message| self.note(0, message.arrived));
    }

    fn stays(&mut self, stays: &[PacketStay]) {
        stays.iter().for_each(|stay| self.note(1, stay.left));
    }
}

/// A run of 4 us, of which one is recorded in intervals of 100 ns: nothing that has happened is reported later than samples of links of the
/// third interval behind it, as nothing is kept until the end.
#[test]
fn what_has_happened_is_reported_soon() {
    let interval = Duration::from_ns(100);
    let network = line(interval, &NodeModel::default());
    let messages = vec![Message { at: 0, from: 0, to: 1, bytes: 256 }; 120];
    for threads in [1, 2] {
        let requested = Requested {
            interval: Some(interval),
            messages: Keep::Yes,
            stays: Some(RequestedStays { routers: vec![RouterId(1)], from: Time::ZERO, until: Time::MAX }),
            ..Requested::default()
        };
        let mut recorded = Late { requested, reached: Time::ZERO, late: Default::default() };
        Work::new(&network, 2, &messages).run(Some(&mut recorded), threads);
        assert!(recorded.reached > Time::from_ps(4_000_000), "until {}", recorded.reached);
        for (late, count) in recorded.late {
            assert!(count > 40 && late <= interval * 3, "{count} are reported up to {late} later");
        }
    }
}

/// A limit of 500 ns while a packet of 64 KiB is on an injection link of 1 B/ns, 65,536 ns long, and its head is on a cable of 10 us:
/// nothing else happens, and the samples of its link go on to the end of the packet, in 66 intervals of 1 us.
#[test]
fn samples_go_on_behind_a_limit() {
    let topology = grid(&[2], Wrap::Mesh, &[(1, 10_000)], (1, 10_000), Tie::Plus);
    let model = RouterModel { mtu: Bytes(1 << 16), ..RouterModel::default() };
    let network = with_routers(&model, &topology);
    let interval = Duration::from_ns(1000);
    let network = network.for_intervals(interval).expect("windows that fit");
    let limits = Limits { simulated: Time::from_ps(500_000), ..Limits::default() };
    for threads in [1, 2] {
        let messages = [Message { at: 0, from: 0, to: 1, bytes: 1 << 16 }];
        let work = Work { limits, ..Work::new(&network, 2, &messages) };
        let recorded = work.recorded(recording(interval), threads);
        check_one_packet(&recorded, &[LinkId(0)]);
        // Likewise where both nodes begin with a packet, and time is up then.
        let traffic = Synthetic {
            pattern: TrafficPattern::Neighbor,
            offered_load: 1.0,
            injection: Injection::Bernoulli { slot: Some(Duration::from_ns(1 << 16)) },
            packet: Bytes(1 << 16),
            duration: Duration::from_ns(500),
            ..uniform()
        };
        let mut both = Recorded { requested: recorded.requested.clone(), ..Recorded::default() };
        let context = RunContext::without_ranks().threads(threads).recorder(Some(&mut both));
        let ended = network.run_synthetic(&traffic, context);
        assert_eq!((ended.outcome, ended.until), (Outcome::Finished, Time::from_ps(500_000)));
        check_one_packet(&both, &[LinkId(0), LinkId(1)]);
    }
}

/// A packet of 65,536 ns from 0 on is in 66 intervals of 1 us of each of these links.
#[track_caller]
fn check_one_packet(recorded: &Recorded, links: &[LinkId]) {
    let starts = recorded.links.iter().map(|(start, sample)| (start.as_ps(), sample.link));
    let intervals = (0..66).map(|number| number * 1_000_000);
    assert!(starts.eq(intervals.flat_map(|start| links.iter().map(move |&link| (start, link)))));
    let sums = sums(recorded);
    assert!(links.iter().all(|link| sums[link] == (1, 65_536.0, Duration::from_ns(65_536))), "{sums:?}");
}
