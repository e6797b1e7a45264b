//! What a message costs its sender and its receiver, by protocol and by copies, worked out by hand.
//!
//! 100 bytes at 1 ns per byte, latency 1000 ns, overhead 10 ns, copies at 10 bytes per ns: an eager message that is copied
//! costs its sender 20 ns, any other 10 ns, and each its receiver 10 ns.

use super::*;
use crate::{Copying, LocalCosts, Overhead, Protocol, Rendezvous, SendChoices};
use weir_network::WithinNode;
use weir_units::NodeId;

fn clocks(mode: Mode, choices: SendChoices, eager_limit: u64) -> [u64; 3] {
    let costs = Costs {
        memory_bandwidth: Bandwidth::new(10e9),
        eager_limit: Bytes(eager_limit),
        ..Costs::of_overhead(Duration::from_ns(10))
    };
    clocks_at(&costs, mode, choices, 0)
}

/// The clocks in ns: of the sender when it has started the send and when that is complete, of the receiver when it has it. The receiver
/// works for so many ns before it asks for the message.
fn clocks_at(costs: &Costs, mode: Mode, choices: SendChoices, works: u64) -> [u64; 3] {
    let prepare = step(move |process, _, _| {
        process.attach_buffer(BufferOf::Process, Some(1000)).expect("none before");
        process.choose(choices.clone());
        assert_eq!(process.choices(), choices);
    });
    let scripts = vec![
        vec![prepare, send(mode, 1, 7, &[1; 100]), clock(), wait(0), clock()],
        vec![
            step(move |process, _, _| process.compute(Duration::from_ns(works))),
            receive(0, 7, 100),
            wait(0),
            clock(),
        ],
    ];
    let network =
        Ideal { latency: Duration::from_ns(1000), bandwidth: Bandwidth::new(1e9), ..Ideal::default() };
    let (outcome, seen) = run_on(&network, costs.clone(), scripts);
    assert_eq!(outcome, Outcome::Finished);
    [(0, 0), (0, 2), (1, 1)].map(|(rank, index): (usize, usize)| seen[rank][index].parse().expect("a clock"))
}

/// Copied: on the interface from 20 to 120, there at 1120. Not copied: the sender waits until it has left, at 110. By
/// rendezvous: asked at 10 (20 with a copy), cleared at 2010, left at 2110, there at 3110.
#[test]
fn protocols_and_copies() {
    let copied = [20, 20, 1130];
    let from_the_buffer = [10, 110, 1120];
    let by_rendezvous = [10, 2110, 3120];
    let copied_by_rendezvous = [20, 2120, 3130];
    let choices = |protocol, copying| SendChoices { protocol, copying, ..SendChoices::default() };
    use {Copying as C, Mode as M, Protocol as P};
    for (mode, protocol, copying, eager_limit, expected) in [
        (M::Standard, P::Auto, C::Auto, 100, copied),
        (M::Standard, P::Auto, C::Auto, 99, by_rendezvous),
        (M::Standard, P::Auto, C::OneCopy, 100, copied),
        (M::Standard, P::Auto, C::ZeroCopy, 100, from_the_buffer),
        (M::Standard, P::Eager, C::Auto, 99, copied),
        (M::Standard, P::Eager, C::ZeroCopy, 99, from_the_buffer),
        (M::Standard, P::Rendezvous, C::Auto, 100, by_rendezvous),
        (M::Standard, P::Rendezvous, C::ZeroCopy, 100, by_rendezvous),
        (M::Standard, P::Rendezvous, C::OneCopy, 100, copied_by_rendezvous),
        (M::Ready, P::Auto, C::Auto, 100, copied),
        (M::Ready, P::Auto, C::ZeroCopy, 100, from_the_buffer),
        (M::Synchronous, P::Auto, C::Auto, 100, by_rendezvous),
        (M::Synchronous, P::Eager, C::OneCopy, 100, copied_by_rendezvous),
        (M::Buffered, P::Auto, C::Auto, 100, copied),
        (M::Buffered, P::Auto, C::ZeroCopy, 100, copied),
        // The request is of the buffer, not of the program, which goes on.
        (M::Buffered, P::Rendezvous, C::ZeroCopy, 100, [20, 20, 3130]),
    ] {
        let found = clocks(mode, choices(protocol, copying), eager_limit);
        assert_eq!(found, expected, "{mode:?} {protocol:?} {copying:?}, eager up to {eager_limit}");
    }
}

/// Sent with 30 ns of overhead beyond 99 bytes, received with 40: the message is on the interface from 30 to 130 and there at 1130.
/// A receiver that has worked until 2000 has it at 2000 + 7 + 40, since it came unexpected. By rendezvous the request is there at
/// 1030, the clearance goes 500 ns later and is back at 2530; the data have left at 2630 and are there at 3630. Asked for at 2000,
/// the clearance goes at 2507, and all is 977 ns later.
#[test]
fn overheads_by_size_and_of_what_is_unexpected() {
    let ns = Duration::from_ns;
    let pieces = |time| Overhead::pieces(ns(1), vec![(Bytes(99), ns(time)), (Bytes(100), ns(5))]).unwrap();
    let costs = |eager_limit| Costs {
        send: pieces(30),
        receive: pieces(40),
        unexpected: Overhead::pieces(ns(3), vec![(Bytes(99), ns(7))]).unwrap(),
        rendezvous: Rendezvous::fixed(ns(500)),
        eager_limit: Bytes(eager_limit),
        ..Costs::default()
    };
    let found =
        |eager_limit, works| clocks_at(&costs(eager_limit), Mode::Standard, SendChoices::default(), works);
    assert_eq!(found(100, 0), [30, 30, 1170]);
    assert_eq!(found(100, 2000), [30, 30, 2047]);
    assert_eq!(found(99, 0), [30, 2630, 3670]);
    assert_eq!(found(99, 2000), [30, 3607, 4647]);
}

/// As above, 100 bytes by rendezvous: beyond 99 bytes 600 ns and 5 ns per byte pass before the clearance goes, 600 ns more
/// than the 500 above; up to 99 bytes it would be 500 ns and 1 ns per byte.
#[test]
fn a_rendezvous_takes_longer_for_a_long_message() {
    let ns = Duration::from_ns;
    let rate = |rate| Bandwidth::new(rate).unwrap();
    let above = |limit: u64| {
        let time = Overhead::pieces(ns(500), vec![(Bytes(limit), ns(600))]).unwrap();
        let bandwidths = [(Bytes(0), rate(1e9)), (Bytes(limit), rate(2e8))].into();
        let rendezvous = Rendezvous { time, bandwidths };
        let costs =
            Costs { send: Overhead::fixed(ns(30)), rendezvous, eager_limit: Bytes(9), ..Costs::default() };
        clocks_at(&costs, Mode::Standard, SendChoices::default(), 0)
    };
    assert_eq!(above(99), [30, 3230, 4230]);
    assert_eq!(above(100), [30, 2730, 3730]);
    let one = Rendezvous { time: Overhead::default(), bandwidths: [(Bytes(0), rate(1e9))].into() };
    assert_eq!([one.of(Bytes(0)), one.of(Bytes(7))], [ns(0), ns(7)]);
    assert_eq!(Rendezvous::default().of(Bytes(1 << 40)), ns(0));
}

/// The clocks in ns of ranks 0 and 1 of one node and rank 2 of another, when each has done all: rank 0 sends, the others receive what comes
/// for them. Between nodes 10 ns to send and 20 to receive, 150 between two messages, 500 before a clearance, eager up to 200 bytes, 1 B/ns
/// and 1000 ns of latency; within the node 3, 4, `gap`, 20, 50 bytes, 2 B/ns one message after the other, and 5 ns.
fn clocks_of_neighbors(gap: Option<u64>, sends: &[(i32, &'static [u8])]) -> Vec<u64> {
    let ns = Duration::from_ns;
    let local = LocalCosts {
        send: Overhead::fixed(ns(3)),
        receive: Overhead::fixed(ns(4)),
        rendezvous: Rendezvous::fixed(ns(20)),
        gap: gap.map(ns),
        eager_limit: Bytes(50),
    };
    let costs = Costs {
        send: Overhead::fixed(ns(10)),
        receive: Overhead::fixed(ns(20)),
        rendezvous: Rendezvous::fixed(ns(500)),
        gap: ns(150),
        eager_limit: Bytes(200),
        nodes: [0, 0, 1].map(NodeId).into(),
        local: Some(Box::new(local)),
        ..Costs::default()
    };
    let within = WithinNode {
        bandwidth: Bandwidth::new(2e9),
        copying: weir_network::Copying::InTurn,
        latency: ns(5),
        ..WithinNode::default()
    };
    let network = Ideal { latency: ns(1000), bandwidth: Bandwidth::new(1e9), within, ..Ideal::default() };
    let receiver = |rank: i32| {
        let own = sends.iter().filter(|(to, _)| *to == rank).count();
        let each = (0..own).flat_map(|number| [receive(0, 7, 200), wait(number)]);
        each.chain([clock()]).collect::<Vec<_>>()
    };
    let sender = sends.iter().map(|&(to, data)| send(Mode::Standard, to, 7, data));
    let sender = sender.chain((0..sends.len()).map(wait)).chain([clock()]).collect();
    let placement = Placement::new([0, 0, 1].map(NodeId).into());
    let scripts = vec![sender, receiver(1), receiver(2)];
    let (outcome, seen) = run_placed(&network, &placement, costs, scripts);
    assert_eq!(outcome, Outcome::Finished);
    seen.iter().map(|seen| seen.last().expect("a clock").parse().expect("a number")).collect()
}

/// 40 bytes to the neighbor, 100 to the other node, 40 to the neighbor: handed over at 3, 13 and 16. The copies take from 3 to 23 and from
/// there to 43, and the second is there at 48, where it costs 4; the 100 bytes leave at 113, are there at 1113 and cost 20.
#[test]
fn neighbors_have_costs_of_their_own() {
    assert_eq!(clocks_of_neighbors(Some(0), &[(1, &[1; 40]), (2, &[2; 100]), (1, &[3; 40])]), [16, 52, 1133]);
}

/// 51 bytes to the neighbor go by rendezvous: asked at 3, there at 8, cleared 20 ns later and that there at 33; 51 bytes are copied in 25.5,
/// and there at 63.5, where they cost 4. 200 to the other node are eager: they leave at 10.
#[test]
fn neighbors_have_a_rendezvous_of_their_own() {
    assert_eq!(clocks_of_neighbors(Some(0), &[(1, &[1; 51])]), [58, 67, 0]);
    assert_eq!(clocks_of_neighbors(Some(0), &[(2, &[1; 200])]), [10, 0, 1230]);
}

/// 40 bytes to the other node at 10, 40 to the neighbor ready at 13: at once with a gap of their own, and at 160 where they have their
/// turn among all. Then 20 ns of copying, 5 to be there, 4 to receive. A gap of 70 between two to the neighbor: the second at 73.
#[test]
fn neighbors_have_a_gap_of_their_own() {
    let both: [(i32, &[u8]); 2] = [(2, &[1; 40]), (1, &[2; 40])];
    assert_eq!(clocks_of_neighbors(Some(0), &both), [13, 42, 1070]);
    assert_eq!(clocks_of_neighbors(None, &both), [13, 189, 1070]);
    let twice: [(i32, &[u8]); 2] = [(1, &[1; 40]), (1, &[2; 40])];
    assert_eq!(clocks_of_neighbors(Some(70), &twice), [6, 102, 0]);
}

/// 40 bytes to the neighbor, handed over at 10, pass through memory in 5 ns and are received at 35; where nodes are not known the interface has
/// them at 510, and they are received at 535. 40 bytes to the other node, handed over at 20: the interface has them at 520, and they are there
/// at 1520 and received at 1540.
#[test]
fn no_interface_fetches_what_stays_in_a_node() {
    let ns = Duration::from_ns;
    for (nodes, received) in [(Box::from([0, 0, 1].map(NodeId)), "35"), (Box::default(), "535")] {
        let costs = Costs {
            send: Overhead::fixed(ns(10)),
            receive: Overhead::fixed(ns(20)),
            eager_latency: Overhead::fixed(ns(500)),
            nodes,
            ..Costs::default()
        };
        let within = WithinNode { latency: ns(5), ..WithinNode::default() };
        let network = Ideal { latency: ns(1000), within, ..Ideal::default() };
        let sends = [1, 2].map(|to| send(Mode::Standard, to, 7, &[1; 40]));
        let sender = sends.into_iter().chain([wait(0), wait(1), clock()]).collect();
        let receiver = || vec![receive(0, 7, 40), wait(0), clock()];
        let placement = Placement::new([0, 0, 1].map(NodeId).into());
        let (outcome, seen) = run_placed(&network, &placement, costs, vec![sender, receiver(), receiver()]);
        assert_eq!(outcome, Outcome::Finished);
        let clocks: Vec<&str> = seen.iter().filter_map(|seen| seen.last()).map(String::as_str).collect();
        assert_eq!(clocks, ["20", received, "1540"]);
    }
}

/// Five messages of 100 bytes are ready at 10, 20, 30, 40 and 50, and the network takes any number. With a gap of 150 ns the node gets them at
/// 10, 160, 310, 460 and 610, the last one is there at 1710. Where three interfaces take turns: at 10, 20 and 30, and then each 150 ns later, so the
/// last one at 170, there at 1270. Each costs its receiver 10 ns.
#[test]
fn each_interface_has_a_gap_of_its_own() {
    let ns = Duration::from_ns;
    for (gap_turns, expected) in [(1, 610), (3, 170), (5, 50), (7, 50)] {
        let sender = (0..5).map(|_| send(Mode::Standard, 1, 7, &[1; 100])).chain([clock()]).collect();
        let receiver = (0..5).map(|_| receive(0, 7, 100)).chain((0..5).map(wait)).chain([clock()]).collect();
        let network = Ideal { latency: ns(1000), ..Ideal::default() };
        let costs = Costs { gap: ns(150), gap_turns, ..Costs::of_overhead(ns(10)) };
        let (outcome, seen) = run_on(&network, costs, vec![sender, receiver]);
        assert_eq!(outcome, Outcome::Finished);
        let last = (expected + 1000 + 10).to_string();
        assert_eq!(
            [seen[0].last().unwrap(), seen[1].last().unwrap()],
            ["50", &last],
            "{gap_turns} interfaces"
        );
    }
}
