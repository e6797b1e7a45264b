//! What nodes do with their messages, and what is counted of them, by hand: 8 GB/s and 100 ns everywhere, 6 ns before a
//! crossbar and 140 ns through it, packets of 256 B in 32 ns. Unless a test says otherwise times are nanoseconds.

use crate::flit::Message;
use crate::machines::{bandwidth, grid, plain, with_routers};
use crate::recorder::{Handing, Recorder, play};
use weir_network::{
    Actions, Class, Copying, Event, Limits, Notice, Outcome, Placement, Program, RunContext, Send,
    SendOptions, Serving, Striping, WithinNode,
};
use weir_packet::{Nics, NodeModel, PacketEnded, PacketNetwork, RouterModel};
use weir_topology::{End, Tie, Topology, Wrap};
use weir_units::{Bytes, Duration, LinkId, NodeId, Rank, RouterId, Time};

/// Routers in a line, each with a node.
fn line(routers: u32) -> Topology {
    grid(&[routers], Wrap::Mesh, &[(8, 100)], (8, 100), Tie::Plus)
}

/// Sends messages of these bytes to rank 1 at once, each in its way; notes when they depart, and when others arrive.
#[derive(Default)]
struct Sender {
    sends: Vec<(u64, Option<SendOptions>)>,
    departures: Vec<(u64, u64)>,
    arrivals: Vec<(u32, u64)>,
}

impl Program for Sender {
    type Body = ();

    fn react(&mut self, event: Event<()>, actions: &mut Actions<()>) {
        match event {
            Event::Start => {
                for (bytes, way) in &self.sends {
                    let (class, notice) = (Class::Data, Notice::Departed);
                    let (at, bytes) = (actions.now(), Bytes(*bytes));
                    let send = Send { at, to: Rank(1), bytes, class, notice, body: () };
                    actions.send_by(send, way.clone().map(Box::new));
                }
            }
            Event::Departed { sequence } => self.departures.push((sequence, actions.now().as_ps() / 1000)),
            Event::Arrived(message) => self.arrivals.push((message.from.0, actions.now().as_ps() / 1000)),
            Event::Timer { .. } => {}
        }
    }
}

/// What ranks on nodes of their own have noted when they have sent these messages.
fn sent<const N: usize>(
    network: &PacketNetwork,
    sends: [Vec<(u64, Option<SendOptions>)>; N],
) -> ([Sender; N], PacketEnded) {
    let mut programs = sends.map(|sends| Sender { sends, ..Sender::default() });
    let ended = network.run(&mut programs, RunContext::new(&Placement::one_per_node(N)));
    assert_eq!(ended.ended.outcome, Outcome::Finished);
    programs[0].departures.sort_unstable();
    (programs, ended)
}

/// A line of so many routers with such nodes.
fn network(routers: u32, node: NodeModel) -> PacketNetwork {
    PacketNetwork::new(&RouterModel::default(), &node, &line(routers)).expect("a machine")
}

/// When messages of two packets each have left a node with three interfaces that pause for half a packet.
fn departures(serving: Serving, ways: Vec<Option<SendOptions>>) -> Vec<u64> {
    let node = NodeModel { nics: Nics::Several(3), serving, packet_gap: 0.5, ..NodeModel::default() };
    let sends = ways.into_iter().map(|way| (512, way)).collect();
    let ([sender, _], _) = sent(&network(2, node), [sends, vec![]]);
    sender.departures.into_iter().map(|(_, at)| at).collect()
}

/// A message says by which interface it goes, and how long that pauses behind each packet; else interfaces take turns, and
/// pause as they do. Packets start at
///
/// - interface 2: message 0 at 0 and 64, and 32 behind each; message 1 at 128 and 176, 16 behind each;
/// - interface 0: message 2 at 0 and 48; message 4, whose turn it is not, at 96 and 128, without a pause; message 6 at 160;
/// - interface 1: message 3 at 0 and 48;
/// - interface 2 again: message 5 at 224 and 272.
///
/// Where they share interfaces, a gap that a message asks for is between its own packets:
///
/// - interface 2: message 0 at 0, 1 at 32 and 5 at 80, with 16 behind both; 0 at 128, 64 behind its first packet being long over; 1 at 160, 5 at 208;
/// - interface 0: message 2 at 0, 4 at 48, 6 at 80, and 2 at 128, 4 at 176, 6 at 208.
#[test]
fn messages_choose_their_way() {
    let way = |nic, gap| Some(SendOptions::default().with_nic(nic).with_gap(gap));
    let ways = vec![
        way(Some(2), Some(1.0)),
        way(Some(2), None),
        None,
        way(None, None),
        way(Some(0), Some(0.0)),
        None,
        None,
    ];
    assert_eq!(departures(Serving::InOrder, ways.clone()), [96, 208, 80, 80, 160, 304, 240]);
    assert_eq!(departures(Serving::default(), ways), [160, 192, 160, 80, 208, 240, 240]);
}

/// Three packets, each by an interface of its own. They could cross the first router at 106, 138 and 170, and leave the second one at 492, 524
/// and 556; the last is there at 556 + 32 + 100. With a limit of half an interface at either end each is 64 behind the one before; with one of
/// twice an interface the 16 that each takes are over before the next. Two limits do not add up.
#[test]
fn interfaces_share_the_limits_of_their_node() {
    let check = |limits: [Option<u64>; 2], expected: [u64; 3]| {
        let [injection_limit, ejection_limit] = limits.map(|limit| limit.map(bandwidth));
        let node =
            NodeModel { injection_limit, ejection_limit, nics: Nics::Several(3), ..NodeModel::default() };
        let ([_, receiver], _) = sent(&network(2, node), [vec![(256, None); 3], vec![]]);
        let arrivals: Vec<u64> = receiver.arrivals.iter().map(|(_, at)| *at).collect();
        assert_eq!(arrivals, expected, "{limits:?}");
    };
    check([None, None], [624, 656, 688]);
    check([Some(16), Some(16)], [624, 656, 688]);
    for limits in [[Some(4), None], [None, Some(4)], [Some(4), Some(4)]] {
        check(limits, [624, 688, 752]);
    }
}

/// A message alone, and one beside others by other interfaces: as long as the limit says. What waits stands in buffers, and holds back the
/// interfaces: the last packets leave when there is room for them.
#[test]
fn a_limit_holds_for_any_number_of_interfaces() {
    for (messages, nics) in [(1, 1), (1, 3), (3, 3), (7, 3)] {
        for limits in [[Some(4), None], [None, Some(4)]] {
            let [injection_limit, ejection_limit] = limits.map(|limit| limit.map(bandwidth));
            let nics = Nics::Several(nics);
            let node = NodeModel { injection_limit, ejection_limit, nics, ..NodeModel::default() };
            let ([sender, receiver], _) = sent(&network(2, node), [vec![(256_000, None); messages], vec![]]);
            let bytes = 256_000 * messages as u64;
            let last = receiver.arrivals.iter().map(|(_, at)| *at).max().expect("it is there");
            // All but the last packet at 4 B/ns, and the way of that one.
            let expected = (bytes - 256) / 4 + 624;
            assert_eq!(last, expected, "{messages} messages, {limits:?}");
            let left = sender.departures.iter().map(|(_, at)| *at).max().expect("it has left");
            assert!(left < expected && left > (bytes - 256 * 200) / 4, "{left} of {expected}");
        }
    }
}

#[test]
#[should_panic(expected = "programs choose among the interfaces of a node")]
fn interfaces_that_are_not_there() {
    departures(Serving::default(), vec![Some(SendOptions::default().with_nic(Some(3)))]);
}

/// A packet comes to its node by the interface that has the number of the one it left from: packets of nodes 0 and 2 for node 1
/// arrive together by two of them, and one after the other, 32 ns later, by one.
#[test]
fn packets_arrive_by_the_interface_of_the_same_number() {
    let node = NodeModel { nics: Nics::Several(3), ..NodeModel::default() };
    let network = network(3, node);
    for nics in [[0, 1], [1, 2], [0, 2], [0, 0], [1, 1], [2, 2]] {
        let by = |nic| vec![(256, Some(SendOptions::default().with_nic(Some(nic))))];
        let ([_, receiver, _], _) = sent(&network, [by(nics[0]), vec![], by(nics[1])]);
        let times: Vec<_> = receiver.arrivals.iter().map(|&(_, at)| at).collect();
        assert_eq!(times, if nics[0] == nics[1] { [624, 656] } else { [624, 624] }, "interfaces {nics:?}");
    }
}

/// Ranks 0 and 1 share node 0, whose memory moves 1 B/ns: 4000 B take 4000 ns, and 2000 B behind them arrive no sooner, though
/// they have left; in the other direction, and to another node, nothing is in their way. Memory that is not limited takes no
/// time.
#[test]
fn ranks_of_one_node_do_not_need_the_network() {
    let message = |from, to, bytes| Message { at: 0, from, to, bytes };
    let messages = [
        message(0, 1, 4000),
        message(0, 1, 2000),
        message(0, 2, 256),
        message(1, 0, 1000),
        message(1, 0, 1500),
    ];
    let placement = Placement::new(vec![NodeId(0), NodeId(0), NodeId(1)]);
    let run = |memory_bandwidth| {
        let node = NodeModel { within: WithinNode::apart(memory_bandwidth), ..NodeModel::default() };
        let network = network(2, node);
        let mut programs = Recorder::all(3, &messages, Handing::AtTheStart);
        let ended = network.run(&mut programs, RunContext::new(&placement));
        assert_eq!((ended.counts.packets, ended.ended.traffic.messages), (1, 5));
        let noted = |program: Recorder| {
            let ns = |at: u64| at / 1000;
            let arrivals: Vec<_> =
                program.arrivals.iter().map(|&(from, number, at)| (from, number, ns(at))).collect();
            (arrivals, program.departures.into_iter().map(ns).collect::<Vec<_>>())
        };
        programs.into_iter().map(noted).collect::<Vec<_>>()
    };
    let through_the_network = (vec![(0, 2, 624)], vec![]);
    assert_eq!(
        run(Some(bandwidth(1))),
        [
            (vec![(1, 0, 1000), (1, 1, 1500)], vec![4000, 2000, 32]),
            (vec![(0, 0, 4000), (0, 1, 4000)], vec![1000, 1500]),
            through_the_network.clone(),
        ]
    );
    assert_eq!(
        run(None),
        [
            (vec![(1, 0, 0), (1, 1, 0)], vec![0, 0, 32]),
            (vec![(0, 0, 0), (0, 1, 0)], vec![0, 0]),
            through_the_network,
        ]
    );
}

/// Ranks 0, 1 and 2 share node 0. Rank 1 copies 1 B/ns: 4000 B until 4000, then 2000 B of rank 2 until 6000, each there 30 ns later. Memory of
/// 1 B/ns, which a byte passes twice, has carried them at 8000 and 12000. A packet to node 1 does not need it.
#[test]
fn neighbors_copy_in_turn() {
    let message = |from, to, bytes| Message { at: 0, from, to, bytes };
    let messages = [message(0, 1, 4000), message(0, 3, 256), message(2, 1, 2000)];
    let placement = Placement::new(vec![NodeId(0), NodeId(0), NodeId(0), NodeId(1)]);
    for (memory_limit, first, second) in [(None, 4000, 6000), (Some(bandwidth(1)), 8000, 12_000)] {
        let (latency, copying) = (Duration::from_ns(30), Copying::InTurn);
        let within = WithinNode { bandwidth: Some(bandwidth(1)), copying, latency, memory_limit };
        let node = NodeModel { within, ..NodeModel::default() };
        let network = network(2, node);
        let mut programs = Recorder::all(4, &messages, Handing::AtTheStart);
        network.run(&mut programs, RunContext::new(&placement));
        let ns = |at: &u64| at / 1000;
        let arrivals: Vec<_> = programs[1].arrivals.iter().map(|(from, _, at)| (*from, ns(at))).collect();
        assert_eq!(arrivals, [(0, first + 30), (2, second + 30)]);
        assert_eq!(programs[0].departures.iter().map(ns).collect::<Vec<_>>(), [first, 32]);
        assert_eq!(programs[2].departures.iter().map(ns).collect::<Vec<_>>(), [second]);
        assert_eq!(programs[3].arrivals.iter().map(|(_, _, at)| ns(at)).collect::<Vec<_>>(), [624]);
    }
}

/// Three interfaces of 8 GB/s, over two of which messages are striped: packets of 256 B take 32 ns. A message of 7 packets has 4 at interface
/// 0 and 3 at interface 1: left at 128, not 224. The next one, of 2 packets, has interfaces 2 and 0: left at 32 and, behind the 4 of the
/// first one, 160. One packet goes through the one whose turn it is, 1: behind its 3, at 128. 300 bytes ask for interface 2, which is free
/// from 32: packets at 64 and 69.5. Where messages share interfaces, those behind the first one have a packet there behind its first, and
/// it leaves at 160.
#[test]
fn packets_of_a_message_take_interfaces_in_turn() {
    for (serving, expected) in [
        (Serving::InOrder, [(0, 128), (1, 160), (2, 128), (3, 69)]),
        (Serving::default(), [(0, 160), (1, 64), (2, 64), (3, 69)]),
    ] {
        check_stripes(serving, &expected);
    }
}

fn check_stripes(serving: Serving, expected: &[(u64, u64)]) {
    let topology = grid(&[2], Wrap::Mesh, &[(24, 100)], (8, 100), Tie::Plus);
    let striping = Striping { over: 2, from: Bytes::ZERO };
    let node = NodeModel { nics: Nics::Several(3), serving, striping, ..NodeModel::default() };
    let network = PacketNetwork::new(&RouterModel::default(), &node, &topology).expect("a machine");
    let asked = Some(SendOptions::default().with_nic(Some(2)));
    let sends = vec![(7 * 256, None), (512, None), (256, None), (300, asked)];
    let ([sender, receiver], ended) = sent(&network, [sends, vec![]]);
    assert_eq!(sender.departures, expected);
    assert_eq!(receiver.arrivals.len(), 4);
    let bytes = 7 * 256 + 512 + 256 + 300;
    for link in [LinkId(0), link_between(&topology, 0, 1)] {
        assert_eq!(ended.counts.links[link.index()].bytes, bytes, "all of it passes link {link:?}");
    }
}

/// A message of ten packets, one without data, which takes the time of a byte, 0.125 ns, and one of two packets, at once: what has no data
/// leaves first, the others in turn, so that the second of two packets leaves as the fourth. One at a time, or in order, they wait for
/// the first.
#[test]
fn messages_share_an_interface() {
    for (serving, expected) in [
        (Serving::default(), [(0, 384), (1, 0), (2, 128)]),
        (Serving::Shared { at_once: 2 }, [(0, 384), (1, 0), (2, 128)]),
        (Serving::Shared { at_once: 1 }, [(0, 320), (1, 0), (2, 384)]),
        (Serving::InOrder, [(0, 320), (1, 320), (2, 384)]),
    ] {
        let node = NodeModel { serving, ..NodeModel::default() };
        let sends = vec![(2560, None), (0, None), (512, None)];
        let ([sender, _], _) = sent(&network(2, node), [sends, vec![]]);
        assert_eq!(sender.departures, expected, "{serving:?}");
    }
}

fn link_between(topology: &Topology, from: u32, to: u32) -> LinkId {
    let is_it = |&link: &LinkId| {
        let link = topology.link(link);
        (link.from, link.to) == (End::Router(RouterId(from)), End::Router(RouterId(to)))
    };
    (0..topology.links()).map(LinkId::new).find(is_it).expect("they are neighbors")
}

/// A packet is injected at 0, granted at 106 and at 352, and there at 624. With windows of 100.125 ns these are windows 0, 1
/// and 3; in the others nothing moves.
#[test]
fn counts_of_one_packet() {
    for threads in [1, 2, 5] {
        let network = plain(&line(2));
        let message = Message { at: 0, from: 0, to: 1, bytes: 256 };
        let (ended, programs) = play(&network, 2, &[message], Handing::AtTheStart, threads);
        assert_eq!(
            (&programs[0].departures[..], &programs[1].arrivals[..]),
            (&[32_000][..], &[(0, 0, 624_000)][..])
        );
        let counts = &ended.counts;
        assert_eq!((counts.packets, counts.packet_hops, counts.windows), (1, 2, 3));
        assert_eq!((counts.threads, counts.window), (threads.min(2), Duration::from_ps(100_125)));
        assert_eq!((ended.until, ended.ended.at), (Time::from_ps(624_000), Time::from_ps(624_000)));
        let links: Vec<_> =
            counts.links.iter().map(|link| (link.packets, link.bytes, link.busy.as_ps())).collect();
        let (used, unused) = ((1, 256, 32_000), (0, 0, 0));
        // Injection and ejection links of both nodes, and the links between the routers.
        assert_eq!(links, [used, unused, unused, used, used, unused]);
    }
}

/// Nodes 0 and 2 send four packets each to node 1, which come to its router together, T being the instant of the first two,
/// and every 32 ns. The ejection link takes one in 32 ns, in turn, that of node 0 first: of ports that have waited equally long that with
/// the lowest number.
///
/// | granted | T | T+32 | T+64 | T+96 | T+128 | T+160 | T+192 | T+224 | together |
/// |---|---|---|---|---|---|---|---|---|---|
/// | from node 0: there then | 1 | | 2 | | 2 | | 1 | | 2 at most |
/// | it has waited | 0 | | 32 | | 64 | | 96 | | 192 |
/// | from node 2: there then | | 2 | | 3 | | 2 | | 1 | 3 at most |
/// | it has waited | | 32 | | 64 | | 96 | | 128 | 320 |
#[test]
fn queues_and_waits_at_an_ejection_link() {
    let topology = line(3);
    let routers = RouterModel { virtual_channels: 1, ..RouterModel::default() };
    let network = with_routers(&routers, &topology);
    let message = |from| Message { at: 0, from, to: 1, bytes: 4 * 256 };
    for threads in [1, 3] {
        let (ended, _) = play(&network, 3, &[message(0), message(2)], Handing::AtTheStart, threads);
        let of = |link: LinkId| ended.counts.links[link.index()];
        let [left, right] = [0, 2].map(|router| of(link_between(&topology, router, 1)));
        assert_eq!((left.longest_queue, right.longest_queue), (2, 3));
        assert_eq!((left.waited, right.waited), (Duration::ZERO, Duration::ZERO));
        let ejection = of(LinkId(3 + 1));
        assert_eq!((ejection.packets, ejection.busy, ejection.longest_queue), (8, Duration::from_ns(256), 0));
        assert_eq!(ejection.waited, Duration::from_ns(192 + 320));
        assert_eq!(of(LinkId(0)).longest_queue, 1);
    }
}

/// A rank on a node that the machine does not have.
#[test]
fn placements_that_do_not_fit() {
    let network = plain(&line(2));
    let run = |last: u32, here: bool| {
        let placement = Placement::new(vec![NodeId(0), NodeId(last)]);
        let mut programs = [Sender::default(), Sender::default()];
        let (limits, watch) = (Limits::default(), &mut |_: weir_network::Progress| ());
        let run = std::panic::AssertUnwindSafe(|| match here {
            true => network.run_here(&mut programs, RunContext::new(&placement).limits(limits).watch(watch)),
            false => network.run(&mut programs, RunContext::new(&placement).limits(limits).watch(watch)),
        });
        std::panic::catch_unwind(run).map(|ended| ended.ended.outcome).map_err(|panic| {
            panic.downcast_ref::<&str>().map(|message| (*message).to_owned()).unwrap_or_default()
        })
    };
    for here in [true, false] {
        assert_eq!(run(1, here), Ok(Outcome::Finished));
        assert_eq!(run(2, here), Err("a rank is on a node that the machine does not have".into()));
    }
}
