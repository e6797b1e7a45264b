//! The packet engine: its keys, and synthetic traffic.

use crate::{Folder, TORUS, load};
use weir_experiment::{Buffer, EngineSection, MachineDescription, PacketGap, Scenario, Workload};
use weir_packet::{
    Arbiter, ClassRule, Credits, Dateline, Injection, Nics, SelfTraffic, Synthetic, TrafficPattern,
    VcAllocation,
};
use weir_packet::{Room, RouterModel};
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

fn routers(s: &Scenario) -> RouterModel {
    s.packet.as_ref().unwrap().model(s.machine(), &s.classes)
}

#[test]
fn defaults_of_routers_and_nodes() {
    let s = load(&packet("")).unwrap();
    let cores = std::thread::available_parallelism().unwrap().get();
    assert_eq!(s.engine, EngineSection::Packet { threads: cores.min(1024) });
    assert_eq!((s.node.nics, s.node.packet_gap), (Nics::Several(1), PacketGap::Fixed(0.0)));
    let routers = routers(&s);
    assert_eq!((routers.mtu, routers.virtual_channels), (Bytes(4096), 2));
    assert_eq!((routers.input_buffer, routers.room, routers.output_buffer), (16, Room::RoundTrip, 2));
    assert_eq!((routers.switch_bandwidth, routers.speedup, routers.credit_delay), (Vec::new(), 2, None));
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
    assert_eq!((routers(&s).input_buffer, routers(&s).output_buffer), (4, 1));
    assert_eq!(routers(&s).room, Room::Fixed);
    let s =
        load(&packet("[packet]\nswitch_bandwidth = '3 GB/s'\n[node]\nnics = 4\npacket_gap = 1.5\n")).unwrap();
    assert_eq!(routers(&s).switch_bandwidth, Vec::from_iter(Bandwidth::new(3e9)));
    assert_eq!((s.node.nics, s.node.packet_gap), (Nics::Several(4), PacketGap::Fixed(1.5)));
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
fn keys_of_routers_and_interfaces() {
    let keys = "[packet]\nvirtual_channels = 4\ncredits = 'flit'\nflit_size = '16 B'\ndateline = 'dimension'\n\
                classes = 'fewest'\nvc_allocation = 'before-switch'\narbiter = 'transit-first'\n[node]\ninjection_channels = 1";
    let s = load(&packet(keys)).unwrap();
    let model = routers(&s);
    assert_eq!((model.credits, model.flit()), (Credits::Flit, Bytes(16)));
    assert_eq!((model.dateline, model.classes), (Dateline::Dimension, ClassRule::Fewest));
    assert_eq!((model.vc_allocation, model.arbiter), (VcAllocation::BeforeSwitch, Arbiter::TransitFirst));
    assert_eq!(s.node.injection_channels, Some(1));
    let resolved = s.resolved();
    assert_eq!(resolved["packet"]["flit_size"], "16 B");
    assert_eq!(resolved["packet"]["dateline"], "dimension");
    assert_eq!(routers(&load(&packet("")).unwrap()).flit(), Bytes(512));
    // A value that is written is not said twice.
    let text =
        load(&packet("[packet]\nvirtual_channels = 1").replace("[4, 4]", "[8, 8]")).unwrap_err().to_string();
    assert!(text.contains("virtual_channels = 1: packets could wait"), "{text}");
}

/// What is said of routers on each engine and of the machine alone, which has to be the same.
fn said_of(machine: &str, packet: &str) -> Option<String> {
    let text = format!(
        "[topology]\nbandwidth = '1 GB/s'\nlatency = '1 ns'\n{machine}\n{packet}\n[workload]\nkind = 'ring'\nmessage_size = '1 B'\n"
    );
    let folder = Folder::with(&[("experiment.toml", &text)]);
    let on = |engine: &str| folder.load_with("experiment.toml", &[&format!("engine.kind={engine}")]).err();
    let said = ["packet", "flow", "ideal"].map(|engine| on(engine).map(|problems| problems.to_string()));
    let alone = MachineDescription::load(&folder.source("experiment.toml")).err();
    for other in [&said[1], &said[2], &alone.map(|problems| problems.to_string())] {
        assert_eq!(&said[0], other, "{machine} {packet}");
    }
    said[0].clone()
}

/// A list by kind of router has one value, or as many as there are kinds, whatever engine the machine runs on.
#[test]
fn lists_by_kind_of_router_are_checked_on_every_engine() {
    let machines = [
        ("kind = 'torus'\nshape = [4, 4]", 1),
        ("kind = 'fat-tree'\nstages = [4, 4, 2]", 3),
        (
            "kind = 'dragonfly-plus'\nleaves = 2\nspines = 2\nnodes_per_leaf = 2\ngroups = 3\nglobal_links = 1",
            2,
        ),
        ("kind = 'hypercrossbar'\nshape = [3, 3]", 3),
    ];
    for (machine, kinds) in machines {
        for [delays, speeds] in (1..=4).flat_map(|delays| (1..=4).map(move |speeds| [delays, speeds])) {
            let lists = format!(
                "[packet]\nswitch_delay = {:?}\nswitch_bandwidth = {:?}",
                vec!["9 ns"; delays],
                vec!["2 GB/s"; speeds]
            );
            let said = said_of(machine, &lists).unwrap_or_default();
            for (key, values) in [("switch_delay", delays), ("switch_bandwidth", speeds)] {
                let is_refused = said.contains(&format!("{key} = "));
                assert_eq!(is_refused, values != 1 && values != kinds, "{machine} {lists}: {said}");
            }
        }
    }
}

/// Routers that there are nowhere.
#[test]
fn routers_are_checked_on_every_engine() {
    const CLASSES: &str =
        "[[classes]]\nname = 'small'\nmessages_below = '1 kB'\n[[classes]]\nname = 'bulk'\nchannels = 200\n";
    for (packet, key, part) in [
        ("mtu = '2 MB'", "mtu", "a packet has 1 to 1,048,575 bytes"),
        ("input_buffer = 70000", "input_buffer", "room for 1 to 65,535 whole packets"),
        ("mtu = '1 B'\noutput_buffer = '70 kB'", "output_buffer", "room for 70000 packets"),
        (&format!("virtual_channels = 99\n{CLASSES}"), "channels", "are 299 in all classes together"),
    ] {
        let said = said_of(MESH, &format!("[packet]\n{packet}")).unwrap_or_default();
        assert!(said.contains(key) && said.contains(part), "{packet}: {said}");
    }
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
    assert_eq!(pattern("pattern = 'router-shift'\nshift = 5"), TrafficPattern::RouterShift { shift: 5 });
    assert_eq!(pattern("pattern = 'random-permutation'"), TrafficPattern::RandomPermutation);
    let s = load(&synthetic(MESH, "slot = '2 ns'\npattern = 'group-shift'\ngroup = 4\nshift = 1")).unwrap();
    let again = s.resolved()["workload"].clone();
    assert_eq!((&again["slot"], &again["group"], &again["shift"]), (&"2 ns".into(), &4.into(), &1.into()));
}

/// Switches a and b with one and two nodes, and one between them without any: a shift by routers needs as many nodes at each that has some.
#[test]
fn a_shift_by_routers_needs_routers_alike() {
    let folder = tempfile::tempdir().unwrap();
    let machine = |last: &str| {
        let text = format!(
            "source,target,source_kind,target_kind\na,n0,router,node\na,c,,router\nc,b,,router\nb,n1,,node\n{last}"
        );
        let file = folder.path().join("machine.csv");
        std::fs::write(&file, text).unwrap();
        let machine = format!("kind = 'graph'\nfile = '{}'\nlatency = '1 us'", file.display());
        load(&synthetic(&machine, "pattern = 'router-shift'\nshift = 1"))
    };
    assert_eq!(machine("").map_err(|problems| problems.to_string()).err(), None);
    let error = machine("b,n2,,node\n").unwrap_err().to_string();
    for part in
        ["workload.pattern", "same number of nodes each, and here they have 1 to 2", "which counts nodes"]
    {
        assert!(error.contains(part), "{error}");
    }
}
