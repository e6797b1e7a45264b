use super::*;
use crate::harness::{fat_tree, grid};
use crate::{Credits, PacketNetwork, RouterModel, Throttle};
use crate::{NodeModel, Room};
use weir_topology::{Topology, Wrap};
use weir_units::{Bandwidth, Bytes, Duration, LinkId};

/// Packets of 256 bytes over links of 8 GB/s and 100 ns, as in table 3 of paper 003; a crossbar of twice that.
fn model() -> RouterModel {
    RouterModel { input_buffer: 1, room: Room::RoundTrip, speedup: 2, ..RouterModel::default() }
}

fn network(model: &RouterModel, topology: &Topology) -> PacketNetwork {
    PacketNetwork::new(model, &NodeModel::default(), topology).expect("a machine")
}

/// By link, 0 where there is no buffer.
fn rooms(model: &RouterModel, topology: &Topology) -> Vec<u32> {
    let network = network(model, topology);
    let mut rooms = vec![0; topology.links()];
    for (place, input) in network.inputs.iter().enumerate().filter(|(_, input)| input.link != u32::MAX) {
        rooms[input.link as usize] = network.rooms.of(place);
    }
    rooms
}

/// Two routers, a node each: links of injection, of ejection, and between the routers. A packet takes 32 ns on a link, 16 in the
/// crossbar.
///
/// Between routers: 140 to cross, 100 on the wire, 32 until its tail has come (6 + 16 until it could have crossed are less), 100 for the
/// credit: 372 ns, 11.6 packets. From a node: without the crossbar 232 ns, 7.25 packets.
#[test]
fn the_room_of_a_round_trip() {
    let line = |latencies| grid(&[2], Wrap::Mesh, 8e9, latencies);
    let check = |model: RouterModel, latencies, [injection, between]: [u32; 2]| {
        assert_eq!(rooms(&model, &line(latencies)), [injection, injection, 0, 0, between, between]);
    };
    check(model(), (100, 100), [8, 12]);
    // An injection link of 1 ns: 1 + 32 + 1.
    check(model(), (100, 1), [2, 12]);
    // With 3 times 20 ns before the crossbar: 60 + 16 for 32.
    let slow = Duration::from_ns(20);
    let pipeline = RouterModel {
        route_delay: slow,
        vc_allocation_delay: slow,
        switch_allocation_delay: slow,
        ..model()
    };
    check(pipeline.clone(), (100, 100), [9, 13]);
    // The place is free when the first 32 bytes have crossed, in 2 ns: 6 + 2 for 32, and 60 + 2.
    let by_flit = |model| RouterModel { credits: Credits::Flit, ..model };
    check(by_flit(model()), (100, 100), [7, 11]);
    check(by_flit(pipeline), (100, 100), [9, 13]);
    // A credit that takes 1 us.
    let late = RouterModel { credit_delay: Some(Duration::from_ns(1000)), ..model() };
    check(late, (100, 100), [36, 40]);
    // A crossbar of 4 GB/s: 6 + 64 for 32.
    let narrow = RouterModel { switch_bandwidth: Vec::from_iter(Bandwidth::new(4e9)), ..model() };
    check(narrow, (100, 100), [9, 13]);
    // At least as much as the model says, and just that without round trips.
    check(RouterModel { input_buffer: 10, ..model() }, (100, 100), [10, 12]);
    check(RouterModel { input_buffer: 10, room: Room::Fixed, ..model() }, (100, 100), [10, 10]);
    // No more than can be numbered: 2 times 2 ms are 125,006 packets.
    check(model(), (2_000_000, 100), [8, 65_535]);
}

/// Where all ports have the same room it is kept once; ports without a link do not count.
#[test]
fn rooms_of_ports() {
    let new = |rooms: &[Option<u32>]| Rooms::new(rooms.iter().copied(), 7);
    assert_eq!(new(&[]), Rooms::Same(7));
    assert_eq!(new(&[None]), Rooms::Same(7));
    assert_eq!(new(&[Some(3), None, Some(3)]), Rooms::Same(3));
    let mixed = new(&[Some(3), None, Some(4)]);
    assert_eq!(mixed, Rooms::ByInput(vec![3, 0, 4]));
    assert_eq!([0, 1, 2].map(|input| mixed.of(input)), [3, 0, 4]);
    assert_eq!((mixed.places(3, 2), Rooms::Same(3).places(3, 2)), (14, 18));
    assert_eq!(mixed.starts(2), [0, 3, 6, 6, 6, 10, 14]);
    assert_eq!(mixed.larger(&Rooms::Same(4)), Rooms::ByInput(vec![4, 0, 4]));
    assert_eq!(Rooms::Same(2).larger(&mixed), mixed);
    assert_eq!(Rooms::Same(2).larger(&Rooms::Same(5)), Rooms::Same(5));
    assert_eq!(mixed.larger(&Rooms::ByInput(vec![1, 0, 9])), Rooms::ByInput(vec![3, 0, 9]));
}

/// Sixteen packets of 256 bytes in each of two virtual channels are 8 KiB. At 25 GB/s a packet takes 10.24 ns; a round trip takes
/// 140 + 500 + 6 + 10.24 (the crossbar is as fast as the link) + 500 ns = 1156.24 ns, in which the link carries 28,906 bytes: 28.3 %.
/// An injection link of 1 ns has 1 + 6 + 10.24 + 1 = 18.24 ns. So 57 packets would do: 112.9 in two channels.
#[test]
fn links_that_buffers_hold_up() {
    let fixed = RouterModel { input_buffer: 16, room: Room::Fixed, speedup: 1, ..model() };
    let line = grid(&[3], Wrap::Mesh, 25e9, (500, 1));
    let throttle = |model: &RouterModel, topology| network(model, topology).throttle();
    let found = throttle(&fixed, &line).expect("it is held up");
    let Throttle { link, holds, needs, share, links, room } = found;
    assert_eq!((link, holds, needs, links, room), (LinkId(6), Bytes(8192), Bytes(28_906), (4, 7), 57));
    assert!((share - 8192.0 / 28_906.0).abs() < 1e-9, "{share}");
    // What is asked for is enough, and no less is.
    assert_eq!(throttle(&RouterModel { input_buffer: 57, ..fixed.clone() }, &line), None);
    // At 95 % nothing is said: 107.3 packets in both channels.
    assert_eq!(throttle(&RouterModel { input_buffer: 54, ..fixed.clone() }, &line), None);
    assert!(throttle(&RouterModel { input_buffer: 53, ..fixed.clone() }, &line).is_some());
    // A ring has two classes: a message has one channel on a link.
    let ring = grid(&[4], Wrap::Torus, 25e9, (500, 1));
    let found = throttle(&fixed, &ring).expect("it is held up");
    assert_eq!((found.holds, found.links, found.room), (Bytes(4096), (8, 12), 113));
    // An interface may use fewer channels than there are.
    let one = NodeModel { injection_channels: Some(1), ..NodeModel::default() };
    let tree = fat_tree(4);
    let narrow = RouterModel { input_buffer: 6, ..fixed };
    let of_one = PacketNetwork::new(&narrow, &one, &tree).expect("a machine").throttle();
    let of_all = PacketNetwork::new(&narrow, &NodeModel::default(), &tree).expect("a machine").throttle();
    assert_eq!(of_all, None);
    assert_eq!(of_one.expect("injection links are held up").links.0, tree.nodes());
    // Nothing is held up where there is room for a round trip, but by what can be numbered.
    for topology in [&line, &ring, &tree] {
        assert_eq!(throttle(&model(), topology), None);
    }
    let far = grid(&[2], Wrap::Mesh, 8e9, (10_000_000, 1));
    let share = throttle(&model(), &far).expect("20 ms are too long").share;
    assert!((share - 2.0 * 65_535.0 * 32.0 / 20_000_172.0).abs() < 1e-9, "{share}");
}
