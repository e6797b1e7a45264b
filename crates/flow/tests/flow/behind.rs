//! Short messages that cross links which long ones fill, by hand: a line of four nodes, links of 1 GB/s, times in nanoseconds.

use crate::common::torus_of;
use weir_flow::{Flow, NodeModel};
use weir_network::{Actions, Class, Event, Notice, Placement, Program, RunContext, Send, WithinNode};
use weir_topology::Wrap;
use weir_units::{Bandwidth, Bytes, Duration, NodeId, Rank, Time};

/// Messages as (sender, when, receiver, bytes); those of an odd instant are of class control.
type Messages<'a> = &'a [(u32, u64, u32, u64)];

struct Sender(Vec<(u64, u32, u64)>);

impl Program for Sender {
    type Body = ();

    fn react(&mut self, event: Event<()>, actions: &mut Actions<()>) {
        for &(at, to, bytes) in self.0.iter().filter(|_| matches!(event, Event::Start)) {
            let class = if at % 2 == 0 { Class::Data } else { Class::Control };
            let (at, to, notice) = (Time::from_ps(1000 * at), Rank(to), Notice::None);
            actions.send(Send { at, to, bytes: Bytes(bytes), class, notice, body: () });
        }
    }
}

/// Ranks 0 to 3 have a node each, and ranks 4 and 5 are on node 0. Expected is how many short messages crossed filled links, the number of all
/// short ones, and how many of them crossed which link, if any did.
#[track_caller]
fn check(node: NodeModel, messages: Messages<'_>, expected: Option<(u64, u64, &str, u64)>) {
    let topology = torus_of(1e9, &[4], Wrap::Mesh, Duration::ZERO);
    let placement = Placement::new([0, 1, 2, 3, 0, 0].map(NodeId).to_vec());
    let own = |rank: u32| {
        let own = messages.iter().filter(move |&&(from, ..)| from == rank);
        Sender(own.map(|&(_, at, to, bytes)| (at, to, bytes)).collect())
    };
    let mut programs = [0, 1, 2, 3, 4, 5].map(own);
    let run = Flow::default().run(&topology, &[], &mut programs, &node, RunContext::new(&placement));
    let found = run.behind.map(|behind| {
        let name = topology.link_name(behind.link);
        (behind.crossed, behind.short, name, behind.there)
    });
    let expected = expected.map(|(crossed, short, link, there)| (crossed, short, link.to_owned(), there));
    assert_eq!(found, expected, "{messages:?}");
}

const LONG: u64 = 65536;

/// A long message from node 0 to node 2 fills the link from router 1 on, and that to node 2; also one that starts later than the short
/// one, if it is there when that is over.
#[test]
fn short_messages_cross_filled_links() {
    let one = |crossed| Some((crossed, crossed, "router (1) -> router (2)", crossed));
    let check = |messages, expected| check(NodeModel::default(), messages, expected);
    check(&[(0, 0, 2, LONG), (1, 10, 3, 4096)], one(1));
    check(&[(0, 100, 2, LONG), (1, 0, 3, 4096)], one(1));
    check(&[(0, 0, 2, LONG), (1, 10, 3, 0), (1, 20, 3, 7), (1, 30, 2, 0)], one(3));
    // Too long for a short one, too short for a long one, of class control, on the way back, when it is over.
    check(&[(0, 0, 2, LONG), (1, 10, 3, 4097)], None);
    check(&[(0, 0, 2, LONG - 1), (1, 10, 3, 4096)], None);
    check(&[(0, 0, 2, LONG - 1), (1, 10, 3, 4096), (3, 0, 2, LONG)], None);
    check(&[(0, 0, 2, LONG), (1, 11, 3, 7), (1, 13, 3, 0)], None);
    check(&[(0, 0, 2, LONG), (2, 10, 1, 7), (2, 20, 0, 0)], None);
    check(&[(0, 0, 2, LONG), (1, 70_000, 3, 7)], None);
    // Others behind it on its interface count from the first router on, as does the same way with one byte and without.
    let first = |crossed, short| Some((crossed, short, "router (0) -> router (1)", crossed));
    check(
        &[(0, 0, 2, LONG), (0, 10, 1, 9), (0, 20, 3, 0), (3, 10, 2, 0)],
        Some((3, 3, "router (0) -> router (1)", 2)),
    );
    check(&[(0, 0, 2, LONG), (0, 10, 1, 9), (3, 0, 1, 0), (2, 10, 3, 1)], first(1, 3));
    // The first of links that as many have crossed.
    check(&[(0, 0, 2, LONG), (1, 10, 3, 9), (0, 20, 1, 0)], Some((2, 2, "router (0) -> router (1)", 1)));
}

/// A long message with less than half of a link fills it if nothing else holds it back than that link, or the one into its receiver.
#[test]
fn a_link_is_filled_by_what_stands_before_it() {
    let check = |messages, expected| check(NodeModel::default(), messages, expected);
    const SHORT: (u32, u64, u32, u64) = (1, 10, 3, 9);
    let one = Some((1, 1, "router (1) -> router (2)", 1));
    // Its own interface gives it a third, and a half.
    check(&[(0, 0, 2, LONG), (0, 0, 1, LONG), (0, 0, 1, LONG), SHORT], None);
    check(&[(0, 0, 2, LONG), (0, 0, 1, LONG), SHORT], one);
    // The link into node 2 gives it a third, with the short one a fourth.
    check(&[(0, 0, 2, LONG), (3, 0, 2, LONG), (3, 0, 2, LONG), SHORT], one);
    // The link itself gives each a third.
    check(&[(0, 0, 2, LONG), (1, 0, 3, LONG), SHORT], one);
}

/// Messages within a node are no short ones, and no link of an interface counts as filled.
#[test]
fn links_of_the_machine_count() {
    let memory = |limit| {
        let within = WithinNode { memory_limit: Bandwidth::new(limit), ..WithinNode::default() };
        NodeModel { within, ..NodeModel::default() }
    };
    check(memory(1e9), &[(0, 0, 4, LONG), (5, 10, 4, 9), (5, 20, 0, 0)], None);
    let two = NodeModel { interfaces: 2, ..NodeModel::default() };
    check(two, &[(0, 0, 1, LONG), (0, 10, 2, 0), (0, 20, 1, 0)], Some((2, 2, "router (0) -> router (1)", 2)));
}
