//! Limits of networks and of the nodes at them.

use super::{IDEAL, PACKET, SHIFT, SYNTHETIC, Sentence, TORUS, load, load_beside, refused, time};
use weir_run::run;

/// Two leaves with two nodes each, joined by two cables, or over two spines.
fn graph(middle: &str, keys: &str) -> u64 {
    let file = format!(
        "source,target,source_kind,target_kind,latency\na,l0,node,router,100 ns\nb,l0,node,router,100 ns\nc,l1,node,router,100 ns\n\
         d,l1,node,router,100 ns\n{middle}"
    );
    let text = format!(
        "[topology]\nkind = 'graph'\nfile = 'm.csv'\nbandwidth = '1 GB/s'\n{keys}[node]\nnic_bandwidth = '10 GB/s'\n"
    );
    let work = "[workload]\nkind = 'pattern-file'\nfile = 'w.pattern'\n";
    let pattern = "weir-pattern 1\nranks 4\n0 send 2 1 MB\n1 send 3 1 MB\n";
    let scenario = load_beside(&[&text, work], &[("m.csv", &file), ("w.pattern", pattern)]);
    let scenario = scenario.unwrap_or_else(|problems| panic!("{problems}"));
    run(&scenario, &mut |_| {}).unwrap().summary.simulated.as_ps()
}

pub(super) const NETWORKS: &[Sentence] = &[
    (
        "a message is on all links of its route for as long as it lasts, and its latency only delays the arrival.",
        || {
            // Two hops: injection, two links between routers, ejection.
            let work = SHIFT.replace("distance = 1", "distance = 2");
            assert_eq!(time(&[TORUS, &work, "[node]\nnic_bandwidth = '10 GB/s'\n"]), 2_000_000_000 + 400_000);
        },
    ),
    (
        "on flows those that weigh queues go around only where a link is full, and `topology.adaptive` changes nothing.",
        || {
            let mesh =
                "[topology]\nkind = 'full-mesh'\nrouters = 4\nnodes_per_router = 2\nbandwidth = '1 GB/s'\n";
            // Both nodes of a router send to the next one, whose cable has half of what they need: the rest goes by two other routers.
            let weighs = |rule: &str, keys: &str| {
                let work = SHIFT.replace("distance = 1", "distance = 2");
                time(&[mesh, &format!("routing = '{rule}'\n{keys}"), &work])
            };
            assert!(weighs("ugal-l", "") < weighs("minimal", ""));
            assert_eq!(weighs("ugal-l", ""), weighs("ugal-l", "adaptive = { threshold = '1 MB' }\n"));
            let rule = "routing = 'valiant'\n";
            load(&[mesh, rule, SHIFT]);
            let crossbars = "[topology]\nkind = 'hypercrossbar'\nshape = [4, 4]\nbandwidth = '1 GB/s'\n";
            refused(
                &[crossbars, rule, SHIFT],
                "topology.routing",
                "belongs to kind = \"fat-tree\", \"torus\"",
            );
        },
    ),
    (
        "Where routes are fixed each pair of nodes has one, so a single pair uses one of several equal cables of a graph",
        || {
            let cables = "l0,l1,router,router,100 ns\nl0,l1,router,router,100 ns\n";
            let one = graph(cables, "");
            assert_eq!(one, 1_000_300_000, "two pairs have a cable each, and neither of them has two");
        },
    ),
    (
        "with `metric = \"time\"` or `\"latency\"` one of two spines whose cables differ by a nanosecond carries everything. `metric = \"hops\"` uses both.",
        || {
            let spines = "l0,s0,router,router,100 ns\nl1,s0,router,router,100 ns\nl0,s1,router,router,101 ns\nl1,s1,router,router,101 ns\n";
            let times = ["time", "latency", "hops"]
                .map(|metric| graph(spines, &format!("metric = '{metric}'\n")) / 1_000_000_000);
            assert_eq!(times, [2, 2, 1], "milliseconds");
        },
    ),
    (
        "The ideal engine passes over all interfaces of a node but one, and limits of what a node sends and receives.",
        || {
            let limits = "[node]\nnics = 2\ninjection_limit = '100 MB/s'\nejection_limit = '100 MB/s'\n";
            for engine in ["", PACKET] {
                assert!(
                    time(&[TORUS, engine, SHIFT, limits]) > 9 * time(&[TORUS, engine, SHIFT]),
                    "{engine}"
                );
            }
            assert_eq!(time(&[TORUS, IDEAL, SHIFT, limits]), time(&[TORUS, IDEAL, SHIFT]));
        },
    ),
    ("`stripe` with `packet_gap = \"max-min\"` is refused", || {
        let striped = "[node]\nnics = 2\nstripe = 2\npacket_gap = 'max-min'\n";
        refused(&[TORUS, PACKET, SHIFT, striped], "node.packet_gap", "does not fit node.stripe");
        assert!(load(&[TORUS, PACKET, SHIFT, "[node]\nnics = 2\nstripe = 2\n"]).advise_pacing(0.0).is_err());
    }),
    ("Interfaces do not wait for memory there.", || {
        let limit = "[node]\nmemory_limit = '100 MB/s'\n";
        for engine in [PACKET, IDEAL] {
            assert_eq!(time(&[TORUS, engine, SHIFT, limit]), time(&[TORUS, engine, SHIFT]));
        }
        assert!(time(&[TORUS, SHIFT, limit]) > 9 * time(&[TORUS, SHIFT]));
    }),
    ("and so is `memory_limit` with the engine methods `sweep` and `quotient`.", || {
        let limit = "[node]\nmemory_limit = '1 GB/s'\n";
        let sweep = "[engine]\nmethod = 'sweep'\nsharing = 'single-pass'\n";
        refused(&[TORUS, sweep, SHIFT, limit], "engine.method", "memory_limit");
        refused(&[TORUS, "[engine]\nmethod = 'quotient'\n", SHIFT, limit], "engine.method", "memory_limit");
    }),
    ("Data of any size move as one message: no message layer cuts them into segments.", || {
        let work =
            "[workload]\nkind = 'collective'\noperation = 'pingpong'\nmessage_size = '1 GB'\nranks = 2\n";
        let traffic = run(&load(&[TORUS, work]), &mut |_| {}).unwrap().summary.traffic;
        assert_eq!((traffic.messages, traffic.bytes.0), (2, 2_000_000_000));
    }),
    ("Nodes with several cables, of a graph or of several networks, go with [most but not all]", || {
        let cables = "source,target,source_kind,target_kind\na,r,node,router\na,s,node,router\nb,r,node,router\nb,s,node,router\n";
        let graph = "[topology]\nkind = 'graph'\nfile = 'm.csv'\nbandwidth = '1 GB/s'\n";
        let ring = "[[topology.networks]]\nkind = 'torus'\nshape = [4]\nbandwidth = '1 GB/s'\n".repeat(2);
        let rails = format!("[topology]\nkind = 'rails'\n{ring}");
        let load =
            |machine: &str, parts: &[&str]| load_beside(&[&[machine], parts].concat(), &[("m.csv", cables)]);
        for machine in [graph, &rails] {
            load(machine, &[SHIFT]).unwrap();
            load(machine, &[PACKET, SHIFT]).unwrap();
        }
        let routes = format!("{graph}routes = 'm.csv'\n");
        assert!(load_beside(&[&routes, SHIFT], &[("m.csv", cables)]).is_err());
        let sweep = "[engine]\nmethod = 'sweep'\nsharing = 'single-pass'\n";
        for parts in [
            &["[node]\nnics = 2\n", SHIFT][..],
            &["[node]\ninjection_limit = '1 GB/s'\n", SHIFT],
            &["[node]\nejection_limit = '1 GB/s'\n", SHIFT],
            &[PACKET, SYNTHETIC],
            &[sweep, SHIFT],
        ] {
            for machine in [graph, &rails] {
                let problems = load(machine, parts).expect_err(&parts.concat()).to_string();
                let says = ["have several cables", "nodes with one interface", "nodes of one interface"];
                assert!(says.iter().any(|words| problems.contains(words)), "{problems}");
            }
        }
    }),
    ("Ranks of one node do not wait for each other's.", || {
        let profile = |senders: u32| {
            let sends = |rank: u32| format!("{rank} send {} 8\n", rank + 2).repeat(3);
            let receives = |rank: u32| format!("{rank} recv {} 8\n", rank - 2).repeat(3);
            let lines = |rank: u32| match rank {
                _ if rank % 2 >= senders => format!("{rank} end\n"),
                0 | 1 => sends(rank),
                _ => receives(rank),
            };
            format!("weir-profile 1\nranks 4\n{}", (0..4).map(lines).collect::<String>())
        };
        for gap in ["message_gap = '1 us'\n", "message_gap = '1 us'\ngap_of = 'interface'\n"] {
            let time = |senders: u32| {
                let work = "[workload]\nkind = 'profile'\nfile = 'w.profile'\n[mapping]\nranks_per_node = 2\n[node]\n";
                let scenario = load_beside(&[TORUS, work, gap], &[("w.profile", &profile(senders))]);
                run(&scenario.unwrap(), &mut |_| {}).unwrap().summary.simulated.as_ps()
            };
            let [one, both] = [time(1), time(2)];
            assert!(one > 2_000_000 && both - one < 500_000, "{gap}: {one} and {both} ps");
        }
    }),
    ("All ranks of a node are equally near", || {
        let between = |to: u32| {
            let work =
                "[workload]\nkind = 'pattern-file'\nfile = 'w.pattern'\n[mapping]\nranks_per_node = 8\n";
            let pattern = format!("weir-pattern 1\nranks 8\n0 send {to} 1 MB\n");
            let scenario = load_beside(
                &[TORUS, work, "[node]\nmemory_bandwidth = '10 GB/s'\n"],
                &[("w.pattern", &pattern)],
            );
            run(&scenario.unwrap(), &mut |_| {}).unwrap().summary.simulated.as_ps()
        };
        assert!((1..8).all(|to| between(to) == 100_000_000));
    }),
];
