use super::*;
use crate::Credits;
use crate::harness::{fat_tree, grid};
use weir_topology::{FatTree, FatTreeRouting, NodeLink, Stage, Switches, Wrap};
use weir_units::Bandwidth;

fn new(routers: &RouterModel, topology: &Topology) -> Result<PacketNetwork, Vec<Refusal>> {
    PacketNetwork::new(routers, &NodeModel::default(), topology)
}

/// Two routers with 8 GB/s and 125 ps for a byte, and these latencies in nanoseconds.
fn window(latencies: (u64, u64), change: impl Fn(&mut RouterModel)) -> Result<u64, &'static str> {
    let mut routers = RouterModel { credit_delay: Some(Duration::from_ns(1000)), ..RouterModel::default() };
    change(&mut routers);
    let network = new(&routers, &grid(&[2], Wrap::Mesh, 8e9, latencies));
    network.map(|network| network.window().as_ps()).map_err(|refusals| refusals[0].key)
}

/// With packets of 256 bytes, 32 ns, the place of one is known to be free so much later, and a node takes so much longer to have it; how long it
/// takes from its node to the first router does not matter. Credits for a flit of 16 bytes come back when 2 ns have passed the crossbar.
#[test]
fn windows_for_packets_of_one_size() {
    let of_packets = |latencies, change: &dyn Fn(&mut RouterModel)| {
        let mut routers = RouterModel { flit: Some(Bytes(16)), ..RouterModel::default() };
        change(&mut routers);
        let network = new(&routers, &grid(&[2], Wrap::Mesh, 8e9, latencies)).expect("a machine");
        network.for_packets_of(Bytes(256)).window().as_ps()
    };
    // A credit comes back in 100 ns after the packet, to a node in 3 ns; or it takes 4 ns through the crossbar and 3 ns to the node, and then its
    // own time.
    assert_eq!(of_packets((100, 100), &|_| ()), 132_000);
    assert_eq!(of_packets((500, 3), &|_| ()), 35_000);
    let late_credits = |r: &mut RouterModel| {
        (r.switch_delay, r.credit_delay) = (vec![Duration::from_ns(4)], Some(Duration::from_ns(1000)));
    };
    assert_eq!(of_packets((500, 3), &late_credits), 39_000);
    assert_eq!(of_packets((100, 100), &|r| r.credits = Credits::Flit), 102_000);
}

/// The least of four: a packet is injected, goes on to a router, or to a node, or a credit comes back. Each of them once.
#[test]
fn windows_are_as_wide_as_the_least_delay() {
    let ns = Duration::from_ns;
    // Injection: 10 ns, and 2 + 2 + 2 before the crossbar.
    assert_eq!(window((100, 10), |_| ()), Ok(16_000));
    assert_eq!(window((100, 10), |r| r.route_delay = ns(5)), Ok(19_000));
    assert_eq!(window((100, 10), |r| r.vc_allocation_delay = ns(5)), Ok(19_000));
    assert_eq!(window((100, 10), |r| r.switch_allocation_delay = ns(5)), Ok(19_000));
    // To a router: 4 ns of the crossbar, 1 ns and 6 ns.
    assert_eq!(window((1, 50), |r| r.switch_delay = vec![ns(4)]), Ok(11_000));
    // To a node: 5 ns of the crossbar, 3 ns, and a byte.
    let slow_pipeline = |r: &mut RouterModel| (r.route_delay, r.switch_delay) = (ns(1000), vec![ns(5)]);
    assert_eq!(window((500, 3), slow_pipeline), Ok(8_125));
    // A credit: its delay, or the latency of the link, and a byte through the crossbar.
    assert_eq!(window((100, 100), |r| r.credit_delay = Some(ns(0))), Ok(125));
    assert_eq!(window((100, 100), |r| r.credit_delay = Some(ns(7))), Ok(7_125));
    assert_eq!(window((40, 100), |r| r.credit_delay = None), Ok(40_125));
    let twice_as_fast = |r: &mut RouterModel| {
        (r.credit_delay, r.switch_bandwidth) = (Some(ns(0)), Vec::from_iter(Bandwidth::new(16e9)));
    };
    assert_eq!(window((100, 100), twice_as_fast), Ok(63));
    // Delays may be long.
    let slow = |r: &mut RouterModel| {
        (r.route_delay, r.switch_delay, r.credit_delay) = (ns(9000), vec![ns(9000)], Some(ns(9000)));
    };
    assert_eq!(window((9000, 9000), slow), Ok(9_000_125));
    // What takes no time.
    let no_pipeline = |r: &mut RouterModel| {
        (r.route_delay, r.vc_allocation_delay, r.switch_allocation_delay) = (ns(0), ns(0), ns(0));
    };
    assert_eq!(window((100, 0), no_pipeline), Err("node.link_latency"));
    assert_eq!(window((100, 1), no_pipeline), Ok(1_000));
    let no_delays = |r: &mut RouterModel| {
        no_pipeline(r);
        r.switch_delay = vec![ns(0)];
    };
    assert_eq!(window((0, 100), no_delays), Err("packet.switch_delay"));
    assert_eq!(window((1, 100), no_delays), Ok(1_000));
}

/// Of v virtual channels class i of n has those from i v / n on. With less than one for each they have all the same.
#[test]
fn virtual_channels_of_classes() {
    let ring = grid(&[5], Wrap::Torus, 8e9, (100, 100));
    for (virtual_channels, expected) in
        [(2, [(0, 1), (1, 2)]), (3, [(0, 1), (1, 3)]), (4, [(0, 2), (2, 4)]), (5, [(0, 2), (2, 5)])]
    {
        let network = new(&RouterModel { virtual_channels, ..RouterModel::default() }, &ring);
        let network = network.expect("two are enough");
        assert_eq!([0, 1].map(|class| network.class_range(class)), expected);
        // Three input ports at each router.
        assert_eq!(network.channels.len() as u32, 3 * virtual_channels);
        for (lane, channel) in (0..).zip(&network.channels) {
            let (input, vc) = (lane / virtual_channels, lane % virtual_channels);
            let class = u32::from(vc >= expected[1].0);
            assert_eq!(
                (u32::from(channel.input), u32::from(channel.vc), u32::from(channel.class)),
                (input, vc, class)
            );
        }
    }
    let one = RouterModel { virtual_channels: 1, ..RouterModel::default() };
    assert_eq!(new(&one, &ring).expect_err("two are needed")[0].key, "packet.virtual_channels");
    let allowed = RouterModel { deadlock: DeadlockPolicy::Allow, ..one };
    let network = new(&allowed, &ring).expect("it is allowed");
    assert_eq!([0, 1].map(|class| network.class_range(class)), [(0, 1); 2]);
}

/// A packet of 256 B takes 256 s at 1 B/s. With two more of them than there are places in an output buffer a quarter of what
/// the engine counts is not exceeded: 2^59 ps are 2251.8 of them. Links as well as the crossbar can be slow.
#[test]
fn packets_that_take_too_long() {
    for (links, crossbar, output_buffer, fits) in [
        (1.0, 8e9, 2249, true),
        (1.0, 8e9, 2250, false),
        (8e9, 1.0, 2249, true),
        (8e9, 1.0, 2250, false),
        (2.0, 2.0, 2250, true),
    ] {
        let routers = RouterModel {
            output_buffer,
            switch_bandwidth: Vec::from_iter(Bandwidth::new(crossbar)),
            ..RouterModel::default()
        };
        let network = new(&routers, &grid(&[2], Wrap::Mesh, links, (100, 100)));
        let refused = network.err().map(|refusals| refusals[0].key);
        assert_eq!(refused, (!fits).then_some("packet.mtu"), "{links} {crossbar} {output_buffer}");
    }
}

/// Ports are counted before a machine is made, and are as many then; also where a dimension has one router only, and with
/// several interfaces.
#[test]
fn ports_are_as_many_as_counted() {
    let topologies = [
        (grid(&[4, 1, 3], Wrap::Torus, 8e9, (100, 100)), 12, 4 * 12),
        (grid(&[4, 3], Wrap::Mesh, 8e9, (100, 100)), 12, 4 * 12),
        // Radix 4: 16 nodes, and 16 cables between each two of three stages.
        (fat_tree(4), 16, 2 * 2 * 16),
    ];
    for (topology, nodes, between) in topologies {
        for nics in [1, 3] {
            let node = NodeModel { nics: Nics::Several(nics), ..NodeModel::default() };
            let network = PacketNetwork::new(&RouterModel::default(), &node, &topology).expect("a machine");
            let expected = between + nodes * nics as usize;
            assert_eq!(ports(&topology, nics), expected as u64);
            assert_eq!((network.inputs.len(), network.outputs.len()), (expected, expected));
            assert_eq!((network.lanes(), network.labels()), (2 * expected, 2 * 2 * expected * 16));
            assert_eq!((network.nodes(), network.nics.len()), (nodes, nodes * nics as usize));
            let of_port = size_of::<Input>() + size_of::<Output>() + crate::network::check::BYTES_PER_OUTPUT;
            let memory = expected * of_port + nodes * nics as usize * size_of::<Nic>();
            assert_eq!(PacketNetwork::least_memory(&node, &topology), memory as u64);
            assert_eq!(network.routers(), topology.routers());
            // Where there are no directions one interface is counted; whether that can be is said later.
            let by_direction = NodeModel { nics: Nics::PerDirection, ..node };
            if nics == 1 && !matches!(topology, Topology::Torus(_)) {
                assert_eq!(PacketNetwork::least_memory(&by_direction, &topology), memory as u64);
            }
            // Every word of a mask is for up to 64 lanes of one router.
            for pair in network.routers.windows(2) {
                let lanes = (pair[1].input - pair[0].input) * network.vcs;
                assert_eq!(pair[1].mask - pair[0].mask, lanes.div_ceil(64));
            }
        }
    }
}

/// All buffers together have at most 2^30 places.
#[test]
fn places_are_numbered() {
    for (ports, virtual_channels, input_buffer) in
        [(1 << 30, 1, 1), (1 << 27, 2, 4), (1 << 10, 1 << 8, 1 << 12)]
    {
        let model = RouterModel { virtual_channels, input_buffer, ..RouterModel::default() };
        assert_eq!(check_places_of(ports, &model), Ok(()));
        let refusal = check_places_of(ports + 1, &model).expect_err("one port too many");
        let places = (ports + 1) * u64::from(virtual_channels) * u64::from(input_buffer);
        assert_eq!(refusal.key, "packet.input_buffer");
        assert_eq!(refusal.what, format!("is {input_buffer}: all buffers together have {places} places"));
    }
}

/// A run that comes to the end of what the engine counts says so, unless the user has asked for that very end.
#[test]
fn the_end_of_what_is_counted() {
    let last = Time::from_ps(LAST_INSTANT);
    let limits = |simulated| Limits { simulated, ..Limits::default() };
    let before = Time::from_ps(LAST_INSTANT - 1);
    assert_eq!(PacketNetwork::within(limits(Time::MAX)).simulated, last);
    assert_eq!(PacketNetwork::within(limits(before)).simulated, before);
    let words = |asked, reached| PacketNetwork::limit_in_words("limited".into(), limits(asked), reached);
    assert_eq!(words(last, last), "limited");
    assert_eq!(words(Time::MAX, before), "limited");
    assert!(words(Time::MAX, last).contains("2^61 ps"));
}

/// A link so slow that the time of a packet on it is the longest that can be written: it is refused before anything is added
/// to that time.
#[test]
fn packets_that_take_longer_than_can_be_counted() {
    let topology = grid(&[4, 4], Wrap::Torus, 1e-12, (1, 1));
    let refusals =
        PacketNetwork::new(&RouterModel::default(), &NodeModel::default(), &topology).expect_err("too slow");
    assert_eq!(refusals.iter().map(|refusal| refusal.key).collect::<Vec<_>>(), ["packet.mtu"]);
}

/// Where nothing is said, each kind of router is as fast as its own fastest link; a list has a value for each kind.
#[test]
fn crossbars_of_kinds() {
    let (ns, gb) = (Duration::from_ns, |bandwidth: f64| Bandwidth::new(bandwidth * 1e9).unwrap());
    let stage = |bandwidth| Stage { bandwidth, latency: ns(10) };
    let ports = [Switches { down: 2, up: 1 }, Switches { down: 2, up: 1 }, Switches { down: 2, up: 0 }];
    let node = NodeLink { bandwidth: gb(1.0), latency: ns(10) };
    let cables = [stage(gb(4.0)), stage(gb(2.0))];
    let tree = FatTree::new(&ports, &cables, FatTreeRouting::DestinationMod, node).unwrap();
    let tree = Topology::FatTree(tree);
    let crossbars = |routers: &RouterModel| {
        let network = PacketNetwork::new(routers, &NodeModel::default(), &tree)?;
        let of = |crossbar: &Crossbar| (crossbar.delay, crossbar.speed.bandwidth());
        Ok(network.crossbars.iter().map(of).collect::<Vec<_>>())
    };
    let by_default = RouterModel { speedup: 2, ..RouterModel::default() };
    assert_eq!(crossbars(&by_default), Ok([8.0, 8.0, 4.0].map(|speed| (140_000, gb(speed))).to_vec()));
    let said = RouterModel {
        switch_delay: vec![ns(1), ns(2), ns(3)],
        switch_bandwidth: vec![gb(5.0)],
        ..RouterModel::default()
    };
    assert_eq!(crossbars(&said), Ok([1_000, 2_000, 3_000].map(|delay| (delay, gb(5.0))).to_vec()));
    let two = RouterModel { switch_delay: vec![ns(1), ns(2)], ..RouterModel::default() };
    let refusals: Vec<Refusal> = crossbars(&two).unwrap_err();
    assert_eq!(refusals[0].key, "packet.switch_delay");
    assert_eq!(refusals[0].what, "has 2 values, and the machine has 3 kinds of routers");
    assert_eq!(refusals[0].hint, "write one value, or one for each kind: stage 1, stage 2, stage 3");
}
