//! Service classes: shares of a link by weight, the wait of a class with a higher priority, control before data; and what classes do not
//! change.

use crate::flit::Message;
use crate::invariance::{nodes, shown};
use crate::machines::bandwidth;
use crate::recorder::{Handing, Recorder, play};
use crate::zoo::{graph, messages, network, routers, topologies};
use proptest::prelude::*;
use std::ops::RangeInclusive;
use weir_network::{
    Actions, Class, Event, Fitting, Notice, Placement, Program, RunContext, Selected, Send, ServiceClass,
    ServiceClasses, Serving,
};
use weir_packet::{NodeModel, PacketNetwork, Refusal, RouterModel, VcAllocation};
use weir_topology::{Topology, Wrap};
use weir_units::{Bytes, Rank, Time};

/// A packet of 256 bytes on a link of 8 GB/s, in picoseconds.
const PACKET: u64 = 32_000;
const CABLE: (u64, u64) = (8, 10);

fn class(name: &str, priority: u32, weight: u32, messages: Selected) -> ServiceClass {
    ServiceClass { name: name.into(), channels: 2, priority, weight, messages, control: false }
}

/// The messages of these ranks.
fn of(ranks: RangeInclusive<u32>) -> Selected {
    Selected::Fitting(Fitting { ranks: vec![ranks], from: Bytes(0), below: None })
}

/// Routers with these classes, and crossbars as fast as links.
fn classed(classes: Vec<ServiceClass>) -> RouterModel {
    let services = ServiceClasses::new(classes);
    let virtual_channels = services.as_ref().map_or(2, |all| 2 * all.all().len() as u32);
    RouterModel { services, virtual_channels, output_buffer: 1, ..RouterModel::default() }
}

/// Two routers with a link between them: nodes 0 to 2 at the first one, 3 to 5 at the second one.
fn dumbbell() -> Topology {
    Topology::Graph(graph(2, &[(0, 1)], &[0, 0, 0, 1, 1, 1], &[CABLE], CABLE))
}

fn arrivals(routers: &RouterModel, topology: &Topology, messages: &[Message]) -> Vec<Recorder> {
    let network = network(routers, &NodeModel::default(), topology);
    play(&network, topology.nodes(), messages, Handing::AtTheStart, 1).1
}

/// Two messages of 1,200 packets over one link of which one has three times the weight: it has three packets of four, so it is there after
/// 1,600 packets, and the other one after 2,400. Without classes both take turns to the end.
#[test]
fn a_link_is_shared_by_weight() {
    let bytes = 1200 * 256;
    let both = [Message { at: 0, from: 0, to: 3, bytes }, Message { at: 0, from: 1, to: 4, bytes }];
    let when = |routers: &RouterModel| {
        let ranks = arrivals(routers, &dumbbell(), &both);
        [3, 4].map(|rank: usize| (ranks[rank].arrivals[0].2 as f64 / PACKET as f64).round() as i64)
    };
    for (heavy, first) in [(3, 1600), (1, 2400), (7, 1371)] {
        let classes = vec![class("heavy", 0, heavy, of(0..=0)), class("light", 0, 1, Selected::Others)];
        let [early, late] = when(&classed(classes));
        // And half a microsecond through both routers.
        assert!((first..first + 18).contains(&early), "{heavy} to 1: {early}");
        assert!((2400..2418).contains(&late), "{heavy} to 1: {late}");
    }
    let plain = when(&classed(vec![]));
    assert!(plain.iter().all(|at| (2398..2418).contains(at)), "{plain:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Bulk from the node of the victim itself and from its neighbors, to its receiver and to others: a packet of the higher priority waits
    /// for one packet at the interface and at each of the two routers.
    #[test]
    fn a_higher_priority_waits_for_one_packet_a_hop(
        at in 0..40 * PACKET,
        bulk in prop::collection::vec((0..3_u32, 3..6_u32, 1..40_u64), 1..12),
        bytes in 1..=256_u64,
    ) {
        let victim = Message { at, from: 0, to: 3, bytes };
        // The victim's own bulk is of another size, and in the class of the others by that.
        let bulk = bulk.into_iter().map(|(from, to, packets)| Message { at: 0, from, to, bytes: 256 * packets + 300 });
        let all: Vec<Message> = bulk.chain([victim]).collect();
        let small = Selected::Fitting(Fitting { ranks: vec![0..=0], from: Bytes(0), below: Some(Bytes(257)) });
        let classes = vec![class("victim", 1, 1, small), class("bulk", 0, 1, Selected::Others)];
        let routers = classed(classes);
        // Messages of a pair stay in order, so that to its receiver others send.
        let all: Vec<Message> = all.into_iter().map(|m| if m.bytes > 256 && (m.from, m.to) == (0, 3) { Message { to: 4, ..m } } else { m }).collect();
        let when = |messages: &[Message], routers: &RouterModel| {
            let ranks = arrivals(routers, &dumbbell(), messages);
            ranks[3].arrivals.iter().find(|arrival| arrival.0 == 0).map(|arrival| arrival.2 - at)
        };
        let alone = when(&[victim], &routers).expect("it arrives");
        let beside = when(&all, &routers).expect("it arrives");
        prop_assert!(beside <= alone + 3 * PACKET, "{beside} beside others, {alone} alone");
    }

    /// With all messages in one of two classes, of any priority, everything is as without classes.
    #[test]
    fn a_class_without_messages_changes_nothing(
        (topology, messages) in topologies().prop_flat_map(|topology| {
            let messages = messages(topology.nodes());
            (Just(topology), messages)
        }),
        routers in routers(),
        node in nodes(),
        priority in 0..=2_u32,
        channels in 1..=3_u32,
    ) {
        let vc_allocation = VcAllocation::WithSwitch;
        let plain = RouterModel { services: None, virtual_channels: channels, vc_allocation, ..routers };
        let empty = ServiceClass { channels, ..class("empty", priority, 3, of(1000..=1000)) };
        let others = ServiceClass { channels, ..class("others", 1, 1, Selected::Others) };
        let classes = RouterModel { services: ServiceClasses::new(vec![empty, others]), ..plain.clone() };
        let run = |routers: &RouterModel| {
            let network = network(routers, &node, &topology);
            play(&network, topology.nodes(), &messages, Handing::ByTimers, 1)
        };
        let ((one, ranks), (other, others)) = (run(&plain), run(&classes));
        prop_assert_eq!(shown(&one), shown(&other));
        for (one, other) in ranks.iter().zip(&others) {
            prop_assert_eq!((&one.arrivals, &one.departures), (&other.arrivals, &other.departures));
        }
    }
}

/// Sends 100 packets to one rank, and then what a protocol needs to another one.
#[derive(Clone, Default)]
struct Protocol(Vec<(u32, u64)>);

impl Program for Protocol {
    type Body = ();

    fn react(&mut self, event: Event<()>, actions: &mut Actions<()>) {
        match event {
            Event::Start if actions.rank() == Rank(0) => {
                let sends = [(3, 25_600, Class::Data, 0), (4, 0, Class::UnorderedControl, 10 * PACKET)];
                for (to, bytes, class, at) in sends {
                    let (at, to, bytes) = (Time::from_ps(at), Rank(to), Bytes(bytes));
                    actions.send(Send { at, to, bytes, class, notice: Notice::None, body: () });
                }
            }
            Event::Arrived(message) => self.0.push((message.to.0, actions.now().as_ps())),
            _ => {}
        }
    }
}

/// Alone it takes ten packet times. At an interface that serves its messages in order it waits for the 90 packets before it, in a class of
/// its own for none.
#[test]
fn control_goes_before_data() {
    let control = ServiceClass { control: true, ..class("control", 1, 1, Selected::None) };
    let classes = vec![control, class("data", 0, 1, Selected::Others)];
    let taken = |routers: &RouterModel| {
        let node = NodeModel { serving: Serving::InOrder, ..NodeModel::default() };
        let network = network(routers, &node, &dumbbell());
        let mut ranks = vec![Protocol::default(); 6];
        let placement = Placement::one_per_node(6);
        let ended = network.run(&mut ranks, RunContext::new(&placement).services(routers.services.as_ref()));
        let counts = ended.ended.services.iter().map(|counts| (counts.messages, counts.control_messages));
        ((ranks[4].0[0].1 - 10 * PACKET) / PACKET, counts.collect::<Vec<_>>())
    };
    assert_eq!(taken(&classed(vec![])), (100, vec![]));
    assert_eq!(taken(&classed(classes)), (10, vec![(0, 1), (1, 0)]));
}

fn refused(routers: &RouterModel, topology: &Topology) -> Vec<Refusal> {
    PacketNetwork::new(routers, &NodeModel::default(), topology).expect_err("it is refused")
}

#[test]
fn what_does_not_fit_is_refused() {
    let two = || vec![class("a", 0, 999, of(0..=0)), class("b", 0, 1000, Selected::Others)];
    let ring = crate::machines::grid(&[8], Wrap::Torus, &[CABLE], CABLE, weir_topology::Tie::Plus);
    let keys = |routers: &RouterModel, topology: &Topology| -> Vec<(&str, String)> {
        refused(routers, topology).into_iter().map(|refusal| (refusal.key, refusal.what)).collect()
    };
    let one = |channels| {
        let classes = two().into_iter().map(|class| ServiceClass { channels, ..class }).collect();
        RouterModel { virtual_channels: 2 * channels, ..classed(classes) }
    };
    let too_few = keys(&one(1), &ring);
    assert_eq!(too_few[0].0, "classes.channels");
    assert!(too_few[0].1.starts_with("are 1 in the class with the fewest"), "{too_few:?}");
    let too_many = keys(&one(129), &ring);
    assert_eq!(too_many[0], ("classes.channels", "are 258 in all classes together".to_owned()));
    let before = RouterModel { vc_allocation: VcAllocation::BeforeSwitch, ..one(2) };
    assert_eq!(keys(&before, &ring)[0].0, "packet.vc_allocation");
    let odd = [997, 991, 983, 977].into_iter().zip(["p", "q", "r", "s"]);
    let mut many: Vec<_> = odd.map(|(weight, name)| class(name, 0, weight, of(weight..=weight))).collect();
    many.push(class("others", 0, 1, Selected::Others));
    assert_eq!(keys(&classed(many), &ring)[0].0, "classes.weight");
    assert_eq!(bandwidth(8).serialization_time(Bytes(256)).as_ps(), PACKET);
}
