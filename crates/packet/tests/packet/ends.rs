//! What a machine is refused for, at the bounds; how building it is given up; and how runs end before their time.

use crate::flit::Message;
use crate::machines::{grid, plain, with_routers};
use crate::recorder::{Handing, Recorder, play};
use crate::zoo::{graph, network};
use std::ops::ControlFlow;
use std::time::Duration as WallTime;
use weir_network::{
    Actions, Class, Event, Limits, Notice, Outcome, Peer, Placement, Program, Progress, RunContext, Send,
    Waiting,
};
use weir_packet::{Credits, Nics, NodeModel, PacketEnded, PacketNetwork, RouterModel};
use weir_topology::{Dimension, NodeLink, Tie, Topology, Torus, Wrap};
use weir_units::{Bandwidth, Bytes, Duration, Rank, Time};

fn line() -> Topology {
    grid(&[2], Wrap::Mesh, &[(1, 100)], (1, 100), Tie::Plus)
}

/// The keys for which the machine is refused.
fn refused(routers: &RouterModel, node: &NodeModel) -> Vec<&'static str> {
    let refusals = PacketNetwork::new(routers, node, &line()).err().unwrap_or_default();
    refusals.into_iter().map(|refusal| refusal.key).collect()
}

/// The last value that is taken, and the first that is not.
#[test]
fn refusals_at_their_bounds() {
    let none: [&str; 0] = [];
    let routers = |change: &dyn Fn(&mut RouterModel)| {
        // A small buffer: many virtual channels would need more places than there are.
        let mut routers = RouterModel { input_buffer: 1, ..RouterModel::default() };
        change(&mut routers);
        refused(&routers, &NodeModel::default())
    };
    for bytes in [1, (1 << 20) - 1] {
        assert_eq!(routers(&|r| r.mtu = Bytes(bytes)), none);
        assert_eq!(routers(&|r| r.flit = Some(Bytes(bytes))), none);
    }
    for bytes in [0, 1 << 20] {
        assert_eq!(routers(&|r| (r.mtu, r.flit) = (Bytes(bytes), Some(Bytes(8)))), ["packet.mtu"]);
        assert_eq!(routers(&|r| r.flit = Some(Bytes(bytes))), ["packet.flit_size"]);
    }
    for count in [1, 256] {
        assert_eq!(routers(&|r| r.virtual_channels = count), none);
    }
    for count in [0, 257] {
        assert_eq!(routers(&|r| r.virtual_channels = count), ["packet.virtual_channels"]);
    }
    for count in [1, 65_535] {
        assert_eq!(routers(&|r| r.input_buffer = count), none);
        assert_eq!(routers(&|r| r.output_buffer = count), none);
    }
    for count in [0, 65_536] {
        assert_eq!(routers(&|r| r.input_buffer = count), ["packet.input_buffer"]);
        assert_eq!(routers(&|r| r.output_buffer = count), ["packet.output_buffer"]);
    }

    let node = |change: &dyn Fn(&mut NodeModel)| {
        let mut node = NodeModel::default();
        change(&mut node);
        refused(&RouterModel::default(), &node)
    };
    for gap in [0.0, 1e6] {
        assert_eq!(node(&|n| n.packet_gap = gap), none);
    }
    for gap in [-1e-9, 1e6 + 1.0, f64::NAN] {
        assert_eq!(node(&|n| n.packet_gap = gap), ["node.packet_gap"]);
    }
    // Of two virtual channels.
    for channels in [1, 2] {
        assert_eq!(node(&|n| n.injection_channels = Some(channels)), none);
    }
    for channels in [0, 3] {
        assert_eq!(node(&|n| n.injection_channels = Some(channels)), ["node.injection_channels"]);
    }
    for nics in [1, 16] {
        assert_eq!(node(&|n| n.nics = Nics::Several(nics)), none);
    }
    for nics in [0, 17] {
        assert_eq!(node(&|n| n.nics = Nics::Several(nics)), ["node.nics"]);
    }
    assert_eq!(routers(&|r| (r.mtu, r.credits) = (Bytes(0), Credits::Flit))[0], "packet.mtu");
}

/// What two ranks do: rank 0 sends so many messages to rank 1, and looks once a second for something that never comes, if
/// it is to; rank 1 computes for so many seconds.
#[derive(Clone, Copy)]
struct Work {
    messages: u64,
    computes: u64,
    looks: bool,
}

impl Work {
    fn of_messages(messages: u64) -> Self {
        Self { messages, computes: 0, looks: false }
    }
}

const SECOND: u64 = 1_000_000_000_000;
/// Bytes of a message.
const BYTES: u64 = 100;

impl Program for Work {
    type Body = ();

    fn react(&mut self, event: Event<()>, actions: &mut Actions<()>) {
        let now = actions.now();
        let begins = event == Event::Start;
        if actions.rank() == Rank(1) {
            if begins && self.computes > 0 {
                actions.set_timer(now + Duration::from_ps(self.computes * SECOND), 0);
            }
            return;
        }
        for _ in 0..if begins { self.messages } else { 0 } {
            let (to, class, notice) = (Rank(1), Class::Data, Notice::None);
            actions.send(Send { at: now, to, bytes: Bytes(BYTES), class, notice, body: () });
        }
        if self.looks {
            actions.set_poll_timer(now + Duration::from_ps(SECOND), 0);
        }
    }

    fn waiting(&self) -> Option<Waiting> {
        self.looks.then(|| Waiting { rank: Rank(0), call: "look".into(), peer: Peer::Any, details: vec![] })
    }
}

/// Two nodes with cables of so many bytes per second.
fn run(bytes_per_s: f64, work: Work, limits: Limits, threads: usize) -> (PacketEnded, Vec<Progress>) {
    let bandwidth = Bandwidth::new(bytes_per_s).expect("positive");
    let (wrap, latency) = (Wrap::Mesh, Duration::from_ns(100));
    let dimension = Dimension { size: 2, wrap, bandwidth, latency };
    let topology = Torus::new(vec![dimension], Tie::Plus, NodeLink { bandwidth, latency }).expect("a line");
    let network =
        PacketNetwork::new(&RouterModel::default(), &NodeModel::default(), &Topology::Torus(topology));
    let mut programs = [work; 2];
    let mut seen = Vec::new();
    let network = network.expect("a machine that can be run");
    let placement = Placement::one_per_node(2);
    let ended = network.run(
        &mut programs,
        RunContext::new(&placement)
            .limits(limits)
            .watch(&mut |progress| seen.push(progress))
            .threads(threads),
    );
    (ended, seen)
}

/// A run in which nothing but looks happens is stuck after 60 s of them, for all ranks together: not while a message of
/// 100 B at 1 B/s is on its way for more than 100 s, nor while the other rank computes for 120 s, in whichever part of the
/// machine these are. The last look is the one that makes it more than 60 s.
#[test]
fn looking_in_vain_is_a_deadlock() {
    for (messages, computes, end) in [(0, 0, 61), (1, 0, 161), (0, 120, 181)] {
        let runs = [1, 2, 64].map(|threads| {
            let work = Work { messages, computes, looks: true };
            let (ended, _) = run(1.0, work, Limits::default(), threads);
            assert!(matches!(ended.ended.outcome, Outcome::Deadlock(_)), "{:?}", ended.ended.outcome);
            let at = Time::from_ps(end * SECOND);
            assert_eq!(
                (ended.until, ended.ended.at, ended.ended.traffic.messages),
                (at, at, messages),
                "{threads}"
            );
            ended.ended.digest
        });
        assert_eq!(runs, [runs[0]; 3]);
    }
}

/// The clock on the wall is looked at after the first window: a limit of nothing ends the run there, before anything has
/// arrived.
#[test]
fn a_limit_of_wall_time_ends_the_run() {
    for threads in [1, 2] {
        let limits = Limits { wall: WallTime::ZERO, ..Limits::default() };
        let (ended, seen) = run(1e9, Work::of_messages(1000), limits, threads);
        assert_eq!(ended.ended.outcome, Outcome::Limit("limits.wall_time = 0 s is over".into()));
        assert_eq!((ended.ended.traffic.messages, seen.len()), (0, 1));
        assert_eq!(ended.until, ended.ended.at);
        // Time that building the machine has taken counts.
        let spent = WallTime::from_secs(1001);
        let limits = Limits { wall: WallTime::from_secs(1000), spent, ..Limits::default() };
        let (ended, _) = run(1e9, Work::of_messages(1000), limits, threads);
        assert_eq!(ended.ended.outcome, Outcome::Limit("limits.wall_time = 1000 s is over".into()));
    }
}

/// The watch is called after the first window, and then at least once in 256: what has arrived so far, more each time.
#[test]
fn the_watch_is_shown_how_far_the_run_is() {
    for threads in [1, 2] {
        let (ended, seen) = run(1e9, Work::of_messages(2000), Limits::default(), threads);
        assert_eq!((ended.ended.outcome, ended.ended.traffic.messages), (Outcome::Finished, 2000));
        assert_eq!((seen[0].now, seen[0].messages), (Time::ZERO, 0));
        assert!(
            seen.len() as u64 >= ended.counts.windows / 256,
            "{} of {}",
            seen.len(),
            ended.counts.windows
        );
        assert!(seen.is_sorted_by_key(|progress| (progress.now, progress.messages)));
        assert!(seen.iter().all(|progress| progress.bytes == Bytes(BYTES * progress.messages)));
        let last = seen.last().expect("there is one");
        assert!(last.messages > 500 && last.messages <= 2000, "{last:?}");
        // Two starts, and an arrival for each message.
        assert!(seen[1..].iter().all(|progress| progress.events == 2 + progress.messages), "{seen:?}");
    }
}

/// Three nodes at one router, buffers of one packet in two virtual channels, and credits that need 10 us. Node 1 sends 16 KiB to node
/// 2, 2048 ns. Behind that node 0 sends a byte to node 1, one to node 2 and another one to node 1, which finds both channels taken.
/// It has a credit when the first one has left its place, at about 10.2 us, and has arrived at about 10.5 us; then all is over. A
/// credit for the second one, which has waited for 2 us, comes at 12.2 us to an interface that has nothing to send. So a limit at
/// 11 us ends nothing, although a window is run behind it.
#[test]
fn a_credit_behind_a_limit_is_no_event() {
    let topology = Topology::Graph(graph(1, &[], &[0; 3], &[(8, 100)], (8, 100)));
    let routers = RouterModel {
        mtu: Bytes(1 << 14),
        input_buffer: 1,
        credit_delay: Some(Duration::from_ns(10_000)),
        ..RouterModel::default()
    };
    let network = with_routers(&routers, &topology);
    let first = Message { at: 0, from: 1, to: 2, bytes: 1 << 14 };
    let others = [1, 2, 1].map(|to| Message { at: 50_000, from: 0, to, bytes: 1 });
    let messages: Vec<_> = [first].into_iter().chain(others).collect();
    for (until, arrived) in [(10_300, 3), (11_000, 4), (20_000, 4)] {
        for (parts, threads) in [(1, 1), (1, 2), (5, 1)] {
            let narrow = network.clone().with_window(Duration::from_ps(network.window().as_ps() / parts));
            let mut programs = Recorder::all(3, &messages, Handing::AtTheStart);
            let limits = Limits { simulated: Time::from_ps(until * 1000), ..Limits::default() };
            let placement = Placement::one_per_node(3);
            let ended =
                narrow.run(&mut programs, RunContext::new(&placement).limits(limits).threads(threads)).ended;
            assert_eq!(ended.traffic.messages, arrived);
            let is_over = matches!(ended.outcome, Outcome::Limit(_));
            assert_eq!(is_over, arrived < 4, "until {until} ns: {:?}", ended.outcome);
            assert!(is_over || ended.outcome == Outcome::Finished);
        }
    }
}

/// Two packets of 256 B at 8 B/ns: the interface begins with them at 0 and at 32 ns, the router has the link free for them at 106 ns
/// and at 138 ns, and the next one at 352 ns and 384 ns. Each begins if the limit is not before that instant, to the picosecond.
#[test]
fn what_begins_at_a_limit_has_begun() {
    let topology = grid(&[2], Wrap::Mesh, &[(8, 100)], (8, 100), Tie::Plus);
    let network = plain(&topology);
    let begun = |link: usize, until: u64| {
        let message = Message { at: 0, from: 0, to: 1, bytes: 512 };
        let mut programs = Recorder::all(2, &[message], Handing::AtTheStart);
        let limits = Limits { simulated: Time::from_ps(until), ..Limits::default() };
        let ended = network.run(&mut programs, RunContext::new(&Placement::one_per_node(2)).limits(limits));
        ended.counts.links[link].packets
    };
    // Links: of injection 0 and 1, of ejection 2 and 3, from router 0 to router 1 link 4.
    assert_eq!(begun(0, 0), 1);
    for (link, second) in [(0, 32_000), (4, 138_000), (3, 384_000)] {
        assert_eq!(
            [second - 1, second, second + 1].map(|until| begun(link, until)),
            [1, 2, 2],
            "link {link}"
        );
    }
    for (link, first) in [(4, 106_000), (3, 352_000)] {
        assert_eq!([first - 1, first].map(|until| begun(link, until)), [0, 1], "link {link}");
    }
}

const HUBS: u32 = 300;
const LEAVES: u32 = 68_000;

/// A machine can be given up at any time while it is built, and is the same if it is not.
#[test]
fn building_is_interrupted_at_every_look() {
    let joined: Vec<_> = (0..6).map(|router| (router, (router + 1) % 6)).collect();
    let topology = Topology::Graph(graph(6, &joined, &[0, 1, 2, 3, 4, 5], &[(8, 10)], (8, 1)));
    let (routers, node) =
        (RouterModel { virtual_channels: 4, ..RouterModel::default() }, NodeModel::default());
    let build = |most: u32| {
        let mut looks = 0;
        let built = PacketNetwork::build(&routers, &node, &topology, &mut || {
            looks += 1;
            if looks > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        (built.expect("nothing is wrong with it").is_some(), looks)
    };
    let (whole, looks) = build(u32::MAX);
    // Links twice, pairs of nodes twice, and dependencies at least once.
    assert!(whole && looks >= 5, "{looks}");
    for most in 0..looks {
        assert_eq!(build(most), (false, most + 1));
    }
}

/// A root, hubs around it, and leaves around these; cable `i` takes `i + 1` ns. Nodes at two leaves of different hubs, whose
/// cables are far behind number 65,536. A packet of 256 B at 8 GB/s passes five routers of 6 + 140 ns, cables of 1 ns at
/// both nodes, the cables of both leaves and those of their hubs.
#[test]
fn every_cable_has_its_own_latency() {
    let to_hubs = (1..=HUBS).map(|hub| (0, hub));
    let to_leaves = (0..LEAVES).map(|leaf| (1 + leaf % HUBS, 1 + HUBS + leaf));
    let joined: Vec<_> = to_hubs.chain(to_leaves).collect();
    let cables: Vec<_> = (1..=joined.len() as u64).map(|ns| (8, ns)).collect();
    let [first, last] = [LEAVES - 500, LEAVES - 1];
    let homes = [first, last].map(|leaf| 1 + HUBS + leaf);
    let topology = Topology::Graph(graph(1 + HUBS + LEAVES, &joined, &homes, &cables, (8, 1)));
    let delay = Duration::from_ns(2);
    let routers = RouterModel {
        mtu: Bytes(256),
        route_delay: delay,
        vc_allocation_delay: delay,
        switch_allocation_delay: delay,
        switch_delay: vec![Duration::from_ns(140)],
        ..RouterModel::default()
    };
    let network = network(&routers, &NodeModel::default(), &topology);
    let message = Message { at: 0, from: 0, to: 1, bytes: 256 };
    let (_, programs) = play(&network, 2, &[message], Handing::AtTheStart, 1);
    let of_hub = |leaf: u32| u64::from(leaf % HUBS) + 1;
    let of_leaf = |leaf: u32| u64::from(HUBS + leaf) + 1;
    let cables = 2 + of_leaf(first) + of_hub(first) + of_hub(last) + of_leaf(last);
    assert_eq!(programs[1].arrivals, [(0, 0, 1000 * (cables + 5 * 146 + 32))]);
}
