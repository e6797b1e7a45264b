//! Limits of the packet engine and of patterns.

use super::{PACKET, SHIFT, Sentence, TORUS, load, load_beside, refused, time};
use weir_run::run;

pub(super) const PACKETS: &[Sentence] = &[
    ("Between ranks of one node there are no packets.", || {
        let work =
            "[workload]\nkind = 'collective'\noperation = 'pingpong'\nmessage_size = '1 MB'\nranks = 2\n";
        let report =
            run(&load(&[TORUS, PACKET, work, "[mapping]\nranks_per_node = 2\n"]), &mut |_| {}).unwrap();
        let summary = report.summary.to_json();
        assert_eq!((&summary["packets"], &summary["messages"]), (&0.into(), &2.into()));
    }),
    (
        "Packets have no headers, checksums, acknowledgements or repetition: a packet takes as long as its data.",
        || {
            let of = |mtu: &str| time(&[TORUS, PACKET, SHIFT, &format!("[packet]\nmtu = '{mtu}'\n")]);
            // A thousand packets or a hundred: the same bytes in the same time, but for the last one on each link.
            assert!(of("1000 B").abs_diff(of("10000 B")) < 40_000_000);
        },
    ),
    ("It is what `start_imbalance` and `start_barrier` are for named patterns", || {
        let work = "[workload]\nkind = 'pattern-file'\nfile = 'w.pattern'\nstart_imbalance = '1 us'\n";
        let pattern = "weir-pattern 1\nranks 2\n0 send 1 1 MB\n";
        let problems = load_beside(&[TORUS, work], &[("w.pattern", pattern)]).unwrap_err();
        assert_eq!(problems.list()[0].key, "workload.start_imbalance", "{problems}");
    }),
    ("may wait for credits without a warning.", || {
        // A round trip of some 40 us: 16 packets of the MTU fill the link in that time, and 16 of 64 bytes a small part of it.
        let long = TORUS.replace("100 ns", "20 us");
        let work = "[workload]\nkind = 'permutation'\npermutation = 'shift'\ndistance = 1\nmessage_size = '64 B'\nmessages = 2000\n";
        let report = run(&load(&[&long, PACKET, work]), &mut |_| {}).unwrap();
        assert!(
            report.summary.simulated.as_ps() > 10 * 2000 * 64_000,
            "{}",
            report.summary.simulated.as_ps()
        );
        assert_eq!(report.summary.to_json()["warnings"], serde_json::Value::Null);
    }),
    ("delays before the crossbar, sizes of buffers and the arbiter are those of all routers", || {
        for (key, value) in [("output_buffer", "[1, 2]"), ("route_delay", "['1 ns', '2 ns']")] {
            let several = format!("[packet]\n{key} = {value}\n");
            refused(&[TORUS, PACKET, SHIFT, &several], &format!("packet.{key}"), "must be");
        }
    }),
    (
        "are refused, even if the traffic of the run would never deadlock, unless `packet.allow_deadlock` is set",
        || {
            let work =
                "[workload]\nkind = 'collective'\noperation = 'pingpong'\nmessage_size = '1 B'\nranks = 2\n";
            let channels = "[packet]\nvirtual_channels = 1\n";
            let ring = TORUS.replace("[4]", "[8]");
            let said = "wait for each other in a circle";
            refused(&[&ring, PACKET, work, channels], "packet.virtual_channels", said);
            load(&[&ring, PACKET, work, channels, "allow_deadlock = true\n"]);
        },
    ),
    ("2 bytes each, at most 2^30 of them", || {
        let graph = |nodes: u32| {
            // Nodes of a line of routers, at each of which are 256.
            let node = |node: u32| format!("{node},r{},node,router\n", node / 256);
            let router = |router: u32| format!("r{router},r{},router,router\n", router + 1);
            let cables: String = (0..nodes).map(node).chain((0..nodes / 256).map(router)).collect();
            let file = format!("source,target,source_kind,target_kind\n{cables}");
            let text = "[topology]\nkind = 'graph'\nfile = 'm.csv'\nbandwidth = '1 GB/s'\n";
            load_beside(&[text, PACKET, SHIFT], &[("m.csv", &file)])
        };
        let problems = graph(32_769).unwrap_err().to_string();
        assert!(problems.contains("do not fit into 2 GiB"), "{problems}");
    }),
    ("A buffer has room for 65,535 packets at most", || {
        let buffer = |packets: u32| format!("[packet]\ninput_buffer = {packets}\n");
        load(&[TORUS, PACKET, SHIFT, &buffer(65_535)]);
        refused(&[TORUS, PACKET, SHIFT, &buffer(65_536)], "packet.input_buffer", "65");
    }),
    ("so the root of a flat broadcast runs ahead", || {
        let far = TORUS.replace("100 ns", "100 us");
        let of = |messages: u32| {
            let flat = "[workload]\nkind = 'broadcast'\nalgorithm = 'flat'\nmessage_size = '1 MB'\n";
            time(&[&far, flat, &format!("messages = {messages}\n")]) / 1_000_000
        };
        assert_eq!([of(1), of(2)], [3300, 6300], "microseconds: a second one waits for no latency");
    }),
];
