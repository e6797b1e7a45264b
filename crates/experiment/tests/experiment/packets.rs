//! The packet engine: its keys, what does not fit it, and synthetic traffic.

use crate::{TORUS, check_problems, load, table};
use weir_experiment::{Buffer, EngineSection, PacketGap, Scenario, Workload};
use weir_packet::Room;
use weir_packet::{
    Arbiter, ClassRule, Credits, Dateline, Injection, Nics, SelfTraffic, Synthetic, TrafficPattern,
    VcAllocation,
};
use weir_units::{Bandwidth, Bytes, Duration, NodeId};

/// An experiment on the packet engine: the torus of the other tests, with more behind it.
fn packet(rest: &str) -> String {
    TORUS.replace("\"flow\"", "\"packet\"") + rest
}

/// Synthetic traffic on a machine of these nodes.
fn synthetic(topology: &str, keys: &str) -> String {
    format!(
        "seed = 5\n[topology]\nbandwidth = '1 GB/s'\n{topology}\n[engine]\nkind = 'packet'\n\
         [workload]\nkind = 'synthetic'\noffered_load = 0.3\nduration = '100 us'\n{keys}\n"
    )
}

const MESH: &str = "kind = 'mesh'\nshape = [4, 4]";

#[test]
fn defaults_of_routers_and_nodes() {
    let s = load(&packet("")).unwrap();
    let cores = std::thread::available_parallelism().unwrap().get();
    assert_eq!(s.engine, EngineSection::Packet { threads: cores.min(1024) });
    assert_eq!((s.node.nics, s.node.packet_gap), (Nics::Several(1), PacketGap::Fixed(0.0)));
    let routers = s.packet.as_ref().unwrap().model();
    assert_eq!((routers.mtu, routers.virtual_channels), (Bytes(4096), 2));
    assert_eq!((routers.input_buffer, routers.room, routers.output_buffer), (16, Room::RoundTrip, 2));
    assert_eq!((routers.switch_bandwidth, routers.speedup, routers.credit_delay), (None, 2, None));
    assert_eq!(routers.turnaround_delay, Duration::ZERO);
    let resolved = s.resolved();
    assert_eq!(resolved["packet"]["switch_delay"], "140 ns");
    assert_eq!(resolved["packet"]["allow_deadlock"], false);
    assert_eq!((&resolved["engine"]["kind"], &resolved["node"]["nics"]), (&"packet".into(), &1.into()));
    assert!(resolved["engine"]["sharing"].is_null() && resolved["packet"]["input_buffer"].is_null());
}

#[test]
fn buffers_in_bytes_hold_whole_packets() {
    let s =
        load(&packet("[packet]\nmtu = '1000 B'\ninput_buffer = '4 KiB'\noutput_buffer = '1 kB'\n")).unwrap();
    let section = s.packet.as_ref().unwrap();
    assert_eq!(section.input_buffer, Some(Buffer::Bytes(Bytes(4096))));
    assert_eq!((section.model().input_buffer, section.model().output_buffer), (4, 1));
    assert_eq!(section.model().room, Room::Fixed);
    let s =
        load(&packet("[packet]\nswitch_bandwidth = '3 GB/s'\n[node]\nnics = 4\npacket_gap = 1.5\n")).unwrap();
    assert_eq!(s.packet.as_ref().unwrap().model().switch_bandwidth, Bandwidth::new(3e9));
    assert_eq!((s.node.nics, s.node.packet_gap), (Nics::Several(4), PacketGap::Fixed(1.5)));
}

#[test]
fn what_does_not_fit_the_packet_engine() {
    // What the routers refuse has the key it is said by, and is reported with all else.
    let cases = r#"
        [packet]; virtual_channel = 1 => packet.virtual_channel: did you mean virtual_channels?
        [packet]; virtual_channels = 1; [limits]; wall_time = 5 => packet.virtual_channels: virtual && limits.wall_time: the unit is missing
        [packet]; virtual_channels = 1; mtu = '0 B' => packet.mtu: greater than zero
    "#;
    for (rest, expected) in table(cases) {
        check_problems(load(&packet(&rest).replace("[4, 4]", "[8, 8]")), expected);
    }
    load(&packet("[packet]\nvirtual_channels = 1\nallow_deadlock = true").replace("[4, 4]", "[8, 8]"))
        .unwrap();
    let keys = "kind = \"packet\"\nsharing = 'max-min'\nmethod = 'sweep'\nlatency = '1 us'";
    let said = "engine.sharing: belongs to kind = \"flow\" && engine.method: belongs to kind = \"flow\" && engine.latency: belongs to kind = \"ideal\" latency is a key of [topology] and [storage], too";
    check_problems(load(&packet("").replace("kind = \"packet\"", keys)), said);
    let tree = packet("[node]\nnics = 'per-direction'").replace("\"torus\"", "'fat-tree'");
    let said = "node.nics: belongs to kind = \"torus\" or \"mesh\"";
    check_problems(load(&tree.replace("shape = [4, 4]", "radix = 4")), said);
    let without =
        "engine = { kind = 'packet' }\nworkload = { kind = 'ring', message_size = '1 B', ranks = 2 }";
    check_problems(load(without), "topology: is missing add [topology]");
    let ideal = "engine = { kind = 'ideal' }\nnode = { nics = 2, packet_gap = 1 }\n\
                 workload = { kind = 'ring', message_size = '1 B', ranks = 2 }";
    check_problems(load(ideal), "node.packet_gap: with \"ideal\" there are no packets");
}

fn section(s: &Scenario) -> Synthetic {
    match s.workload.kind.clone() {
        Workload::Synthetic(section) => section,
        other => panic!("{other:?}"),
    }
}

#[test]
fn synthetic_traffic_and_its_defaults() {
    let s = load(&synthetic(MESH, "")).unwrap();
    let expected = Synthetic {
        pattern: TrafficPattern::Uniform,
        offered_load: 0.3,
        injection: Injection::Bernoulli { slot: None },
        self_traffic: SelfTraffic::Skipped,
        packet: Bytes(4096),
        warmup: Duration::from_ns(20_000),
        duration: Duration::from_ns(100_000),
        seed: 5,
    };
    assert_eq!((section(&s), s.workload.ranks), (expected.clone(), 16));
    let said = "pattern = 'hot-spot'\nroot = 3\nfraction = 0.25\ninjection = 'exponential'\nself_traffic = true\n\
                packet_size = '64 B'\nwarmup = 0\nseed = 7\n[packet]\nmtu = '128 B'";
    let expected = Synthetic {
        pattern: TrafficPattern::HotSpot { node: NodeId(3), part: 0.25 },
        injection: Injection::Exponential,
        self_traffic: SelfTraffic::Allowed,
        packet: Bytes(64),
        warmup: Duration::ZERO,
        seed: 7,
        ..expected
    };
    assert_eq!(section(&load(&synthetic(MESH, said)).unwrap()), expected);
    let default = load(&synthetic(MESH, "[packet]\nmtu = '1 kB'")).unwrap();
    assert_eq!(section(&default).packet, Bytes(1000));
}

#[test]
fn mistakes_in_synthetic_traffic() {
    let cases = r#"
        pattern = 'tornados' => workload.pattern: did you mean "tornado"?
        injection = 'poisson' => workload.injection: bernoulli, exponential
        self_traffic = 1 => workload.self_traffic: true or false
        packet_size = '0 B' => workload.packet_size: greater than zero
        packet_size = '5 kB' => workload.packet_size: packet.mtu is 4 KiB make packet.mtu larger
        fraction = 0.5 => workload.fraction: belongs to pattern = "hot-spot"
        pattern = 'hot-spot'; fraction = 2 => workload.fraction: a number from 0 to 1
        pattern = 'hot-spot'; root = 16 => workload.root: there is no rank 16 among 16 ranks
        pattern = 'hot-spot'; fraction = 1 => workload.fraction: rank 0 would have no rank to send to write self_traffic = true
        [node]; nics = 2 => node.nics: one interface leave it out
        message_size = '1 kB' => workload.message_size: belongs to the patterns
        messages = 3 => workload.messages: belongs to the patterns
        ranks = 8 => workload.ranks: must be 16: synthetic traffic has one rank on each node
        ranks = 17 => workload.ranks: 17 ranks do not fit 16 nodes
        offerd_load = 1 => workload.offerd_load: did you mean offered_load?
        [mapping]; kind = 'random'; ranks_per_node = 2 => mapping.kind: one rank on each node, linearly mapped && mapping.ranks_per_node: leave [mapping] out
    "#;
    for (keys, expected) in table(cases) {
        check_problems(load(&synthetic(MESH, &keys)), expected);
    }
    for load_wrong in ["0", "1.5", "-0.1", "'a'"] {
        let text = synthetic(MESH, "").replace("0.3", load_wrong);
        check_problems(load(&text), "workload.offered_load: a number above 0, at most 1");
    }
    let none = synthetic(MESH, "").replace("offered_load = 0.3", "").replace("duration = '100 us'", "");
    let said = "workload.offered_load: is missing say how much && workload.duration: is missing say how long";
    check_problems(load(&none), said);
    let zero = synthetic(MESH, "").replace("100 us", "0 s");
    check_problems(load(&zero), "workload.duration: greater than zero");
}

#[test]
fn patterns_that_need_a_power_of_two_or_of_four() {
    let mesh = |shape: &str| MESH.replace("[4, 4]", shape);
    let hint = "use uniform, tornado or neighbour";
    for pattern in ["bit-reverse", "bit-complement"] {
        let keys = format!("pattern = '{pattern}'");
        let expected =
            format!("{pattern} needs a number of ranks that is a power of two, and 12 is not {hint}");
        check_problems(load(&synthetic(&mesh("[4, 3]"), &keys)), &format!("workload.pattern: {expected}"));
        load(&synthetic(&mesh("[4, 2]"), &keys)).unwrap();
    }
    let expected = format!("transpose needs a number of ranks that is a power of four, and 8 is not {hint}");
    check_problems(
        load(&synthetic(&mesh("[4, 2]"), "pattern = 'transpose'")),
        &format!("workload.pattern: {expected}"),
    );
    load(&synthetic(MESH, "pattern = 'transpose'")).unwrap();
    check_problems(load(&synthetic(&mesh("[1]"), "")), "workload.kind: a single node");
}

#[test]
fn keys_of_routers_and_interfaces() {
    let keys = "[packet]\nvirtual_channels = 4\ncredits = 'flit'\nflit_size = '16 B'\ndateline = 'dimension'\n\
                classes = 'fewest'\nvc_allocation = 'before-switch'\narbiter = 'transit-first'\n[node]\ninjection_channels = 1";
    let s = load(&packet(keys)).unwrap();
    let model = s.packet.as_ref().unwrap().model();
    assert_eq!((model.credits, model.flit()), (Credits::Flit, Bytes(16)));
    assert_eq!((model.dateline, model.classes), (Dateline::Dimension, ClassRule::Fewest));
    assert_eq!((model.vc_allocation, model.arbiter), (VcAllocation::BeforeSwitch, Arbiter::TransitFirst));
    assert_eq!(s.node.injection_channels, Some(1));
    let resolved = s.resolved();
    assert_eq!(resolved["packet"]["flit_size"], "16 B");
    assert_eq!(resolved["packet"]["dateline"], "dimension");
    assert_eq!(load(&packet("")).unwrap().packet.as_ref().unwrap().model().flit(), Bytes(512));
    let cases = r#"
        [packet]; flit_size = '4097 B' => packet.flit_size: larger than a packet: packet.mtu is 4 KiB
        [packet]; flit_size = '0 B' => packet.flit_size: greater than zero
        [packet]; credits = 'flits' => packet.credits: did you mean "flit"?
        [node]; injection_channels = 3 => node.injection_channels: packet.virtual_channels is 2
    "#;
    for (keys, expected) in table(cases) {
        check_problems(load(&packet(&keys)), expected);
    }
    let flow = packet("[node]\ninjection_channels = 1")
        .replace("'packet'", "'flow'")
        .replace("\"packet\"", "\"flow\"");
    check_problems(load(&flow), "node.injection_channels: no virtual channels");
    // A value that is written is not said twice.
    let text =
        load(&packet("[packet]\nvirtual_channels = 1").replace("[4, 4]", "[8, 8]")).unwrap_err().to_string();
    assert!(text.contains("virtual_channels = 1: packets could wait"), "{text}");
}

#[test]
fn more_patterns_of_synthetic_traffic() {
    let pattern = |keys: &str| section(&load(&synthetic(MESH, keys)).unwrap()).pattern;
    assert_eq!(pattern("pattern = 'shift'\nshift = 3"), TrafficPattern::Shift { shift: 3 });
    assert_eq!(
        pattern("pattern = 'group-shift'\ngroup = 4\nshift = 1"),
        TrafficPattern::GroupShift { group: 4, shift: 1 }
    );
    assert_eq!(pattern("pattern = 'digit-reversal'\nbase = 4"), TrafficPattern::DigitReversal { base: 4 });
    assert_eq!(pattern("pattern = 'complement'"), TrafficPattern::Complement);
    // A packet of 4096 B takes 4.096 us.
    let cases = r#"
        pattern = 'shift' => workload.shift: is missing say how far
        pattern = 'group-shift'; shift = 1 => workload.group: is missing
        pattern = 'group-shift'; shift = 1; group = 5 => workload.pattern: a multiple of group, and 16 is not
        pattern = 'digit-reversal'; base = 3 => workload.pattern: a power of base, and 16 is not
        pattern = 'uniform'; shift = 1 => workload.shift: belongs to pattern = "shift"
        injection = 'exponential'; slot = '1 ns' => workload.slot: belongs to injection
        slot = '0 ns' => workload.slot: greater than zero
        slot = '20 us' => workload.slot: at this load one every 13.65 us
    "#;
    for (keys, expected) in table(cases) {
        check_problems(load(&synthetic(MESH, &keys)), expected);
    }
    let s = load(&synthetic(MESH, "slot = '2 ns'\npattern = 'group-shift'\ngroup = 4\nshift = 1")).unwrap();
    let again = s.resolved()["workload"].clone();
    assert_eq!((&again["slot"], &again["group"], &again["shift"]), (&"2 ns".into(), &4.into(), &1.into()));
}
