//! The page of limitations: each of these sentences is on it, and what it says is so. Who lifts a limit finds the sentence here.

use crate::{Folder, program as program_file};
use std::path::Path;
use weir_scenario::{Compare, KeepCycles, MachineDescription, Problems, RunOptions, Scenario, Source};

const SHIFT: &str =
    "[workload]\nkind = 'permutation'\npermutation = 'shift'\ndistance = 1\nmessage_size = '1 MB'\n";
const TORUS: &str = "[topology]\nkind = 'torus'\nshape = [4]\nbandwidth = '1 GB/s'\nlatency = '100 ns'\n";
const PACKET: &str = "[engine]\nkind = 'packet'\nthreads = 1\n";
const IDEAL: &str = "[engine]\nkind = 'ideal'\nbandwidth = '1 GB/s'\n";
const SYNTHETIC: &str = "[workload]\nkind = 'synthetic'\npattern = 'uniform'\noffered_load = 0.1\nwarmup = '1 us'\nduration = '10 us'\n";

/// An experiment of parts, beside which are these files.
fn load_beside(parts: &[&str], files: &[(&str, &str)]) -> Result<Scenario, Problems> {
    let text = parts.concat();
    let folder = Folder::with(&[files, &[("experiment.toml", text.as_str())]].concat());
    Scenario::load(&Source { experiment: folder.file("experiment.toml"), ..Source::default() })
}

fn load(parts: &[&str]) -> Scenario {
    load_beside(parts, &[]).unwrap_or_else(|problems| panic!("{}\n{problems}", parts.concat()))
}

/// The simulated time in picoseconds.
fn time(parts: &[&str]) -> u64 {
    load(parts).run(&mut |_| {}).unwrap().summary.simulated.as_ps()
}

/// It is refused for this key, with these words.
#[track_caller]
fn refused(parts: &[&str], key: &str, words: &str) {
    let problems = load_beside(parts, &[]).expect_err(&parts.concat());
    let said = |what: &str| what.contains(words);
    assert!(problems.list().iter().any(|one| one.key == key && said(&one.what)), "{words}: {problems}");
}

/// A run of it is refused, with these words.
#[track_caller]
fn refuses(parts: &[&str], options: RunOptions, words: &str) {
    let refusal =
        load(parts).run_with(options, &mut weir_pdes::OneProcess, &mut |_| ()).unwrap_err().to_string();
    assert!(refusal.contains(words), "{refusal}");
}

fn ties() -> RunOptions {
    RunOptions { tie_runs: 2, ..RunOptions::default() }
}

fn compared() -> RunOptions {
    RunOptions { compare: Compare::WithMaxMin, ..RunOptions::default() }
}

/// Two leaves with two nodes each, joined by two cables, or over two spines.
fn graph(middle: &str, keys: &str, work: &str, engine: &str) -> u64 {
    let file = format!(
        "source,target,source_kind,target_kind,latency\na,l0,node,router,100 ns\nb,l0,node,router,100 ns\nc,l1,node,router,100 ns\n\
         d,l1,node,router,100 ns\n{middle}"
    );
    let text = format!(
        "[topology]\nkind = 'graph'\nfile = 'm.csv'\nbandwidth = '1 GB/s'\n{keys}[node]\nnic_bandwidth = '10 GB/s'\n"
    );
    let work = format!("[workload]\nkind = 'pattern-file'\nfile = 'w.pattern'\n{work}");
    let pattern = "weir-pattern 1\nranks 4\n0 send 2 1 MB\n1 send 3 1 MB\n";
    let scenario = load_beside(&[&text, &work, engine], &[("m.csv", &file), ("w.pattern", pattern)]);
    let scenario = scenario.unwrap_or_else(|problems| panic!("{problems}"));
    scenario.run(&mut |_| {}).unwrap().summary.simulated.as_ps()
}

type Sentence = (&'static str, fn());

const ENGINES: &[Sentence] = &[
    ("Devices such as `/dev/zero` are refused; pipes are read.", || {
        let source = Source { experiment: Some("/dev/zero".into()), ..Source::default() };
        assert!(Scenario::load(&source).is_err());
    }),
    ("not by the ideal engine, nor by `method = \"sweep\"` and `\"quotient\"`", || {
        let every = "[output]\ndir = 'out'\ncheckpoint_every = '1 us'\n";
        refused(&[TORUS, IDEAL, SHIFT, every], "output.checkpoint_every", "writes no checkpoints");
        let quotient = "[engine]\nmethod = 'quotient'\n";
        refused(&[TORUS, quotient, SHIFT, every], "output.checkpoint_every", "not for this engine.method");
    }),
    (
        "Faults that begin or end while a run goes on need the packet engine, or the flow engine without `engine.method`.",
        || {
            let fault = "[[faults]]\ncable = 'router (0) - router (1)'\nspeed = 0.5\nat = '1 us'\n";
            load(&[TORUS, SHIFT, fault]);
            load(&[TORUS, PACKET, SHIFT, fault]);
            let quotient = "[engine]\nmethod = 'quotient'\n";
            let refuse =
                |engine: &str| assert!(load_beside(&[TORUS, engine, SHIFT, fault], &[]).is_err(), "{engine}");
            refuse(quotient);
            refuse(IDEAL);
        },
    ),
    ("Slow links are not avoided.", || {
        let fault = "[[faults]]\ncable = 'router (0) - router (1)'\nspeed = 0.1\n";
        let [plain, slow] = [time(&[TORUS, SHIFT]), time(&[TORUS, SHIFT, fault])];
        assert!(slow > 9 * plain, "the other way round would take no longer than {plain}: {slow}");
    }),
    ("all ranks must reach each other, also those that never send to each other", || {
        let fault = "[[faults]]\nrouter = 'router (2)'\nspeed = 0.0\n";
        assert!(load_beside(&[TORUS, SHIFT, fault], &[]).is_err());
    }),
    (
        "Cuts and bisection of a fat tree or a hypercrossbar are those of the machine without faults, which is an upper bound.",
        || {
            let bisection = |more: &str| {
                let tree = "[topology]\nkind = 'fat-tree'\nradix = 4\nstages = 2\nbandwidth = '1 GB/s'\n";
                let folder = Folder::with(&[("m.toml", &format!("{tree}{more}"))]);
                let machine = MachineDescription::load(&Source {
                    experiment: folder.file("m.toml"),
                    ..Source::default()
                });
                machine.unwrap().facts(weir_scenario::Extent::Full).bisection.unwrap().cut.one_way()
            };
            let cut = "[[faults]]\ncable = 'leaf 0 - top 0'\n";
            assert_eq!(bisection("").to_bits(), bisection(cut).to_bits());
        },
    ),
    (
        "`[packet]` counts on the packet engine only. With the others it is read, checked, kept in the summary, and not used",
        || {
            let packet = "[packet]\nmtu = '64 B'\nswitch_delay = '1 us'\n";
            assert_eq!(time(&[TORUS, SHIFT]), time(&[TORUS, SHIFT, packet]));
            assert_ne!(time(&[TORUS, PACKET, SHIFT]), time(&[TORUS, PACKET, SHIFT, packet]));
            assert_eq!(load(&[TORUS, SHIFT, packet]).resolved()["packet"]["mtu"], "64 B");
            refused(&[TORUS, SHIFT, "[packet]\nmtu = '0 B'\n"], "packet.mtu", "greater than zero");
        },
    ),
    ("`--tie-sensitivity`, `--cycles` and `--compare-sharing` are refused.", || {
        refuses(&[TORUS, PACKET, SHIFT], ties(), "does not perturb ties");
        refuses(&[TORUS, PACKET, SHIFT], compared(), "take turns on a link");
        let cycles = RunOptions { keep: KeepCycles::Yes, ..RunOptions::default() };
        refuses(&[TORUS, PACKET, SHIFT], cycles, "cycles");
    }),
    (
        "The sweep shares in a single pass only, for patterns in which no rank awaits a message, with one rank on a node",
        || {
            let sweep = "[engine]\nmethod = 'sweep'\nsharing = 'single-pass'\n";
            load(&[TORUS, sweep, SHIFT]);
            assert!(load_beside(&[TORUS, "[engine]\nmethod = 'sweep'\n", SHIFT], &[]).is_err());
            refused(
                &[
                    TORUS,
                    sweep,
                    &SHIFT.replace("1 MB'", "1 MB'\nranks = 8"),
                    "[mapping]\nranks_per_node = 2\n",
                ],
                "engine.method",
                "one rank",
            );
            let waits = "[workload]\nkind = 'pattern-file'\nfile = 'w.pattern'\n";
            let pattern = "weir-pattern 1\nranks 2\n0 send 1 1 kB\n1 await 0\n";
            let problems = load_beside(&[TORUS, sweep, waits], &[("w.pattern", pattern)]).unwrap_err();
            assert!(problems.list()[0].what.contains("no rank waits"), "{problems}");
            refuses(&[TORUS, sweep, SHIFT], compared(), "cannot be compared");
            refuses(&[TORUS, sweep, SHIFT], ties(), "does not perturb ties");
        },
    ),
    ("with `method = \"quotient\"` they are refused", || {
        let quotient = "[engine]\nmethod = 'quotient'\n";
        refuses(&[TORUS, quotient, SHIFT], compared(), "one node stands for all");
        refuses(&[TORUS, quotient, SHIFT], ties(), "one node stands for all");
    }),
    (
        "`--tie-sensitivity` is for what can be run again: patterns, profiles and collectives, not MPI programs.",
        || {
            let collective =
                "[workload]\nkind = 'collective'\noperation = 'allreduce'\nmessage_size = '64 KiB'\n";
            let report =
                load(&[TORUS, collective]).run_with(ties(), &mut weir_pdes::OneProcess, &mut |_| ()).unwrap();
            assert!(report.summary.to_json()["tie_sensitivity"].is_object());
            let program = "[workload]\nkind = 'program'\nprogram = 'halo'\nranks = 2\n";
            let folder = Folder::with(&[("halo", &program_file()), ("e.toml", &[TORUS, program].concat())]);
            let scenario =
                Scenario::load(&Source { experiment: folder.file("e.toml"), ..Source::default() }).unwrap();
            let refusal =
                scenario.run_with(ties(), &mut weir_pdes::OneProcess, &mut |_| ()).unwrap_err().to_string();
            assert!(refusal.contains("an MPI program runs once"), "{refusal}");
        },
    ),
    ("A sweep, a quotient and the ideal engine have none", || {
        let samples = "[output]\ndir = 'out'\nsample_interval = '1 us'\n";
        refused(&[TORUS, IDEAL, SHIFT, samples], "output.sample_interval", "engines with links");
        let quotient = "[engine]\nmethod = 'quotient'\n";
        refused(
            &[TORUS, quotient, SHIFT, samples],
            "output.sample_interval",
            "does not follow single messages",
        );
    }),
];

const NETWORK: &[Sentence] = &[
    (
        "A message is on all links of its route for as long as it lasts, and its latency only delays the arrival.",
        || {
            // Two hops: injection, two links between routers, ejection.
            let work = SHIFT.replace("distance = 1", "distance = 2");
            assert_eq!(time(&[TORUS, &work, "[node]\nnic_bandwidth = '10 GB/s'\n"]), 2_000_000_000 + 400_000);
        },
    ),
    ("Each pair of nodes has one route: a single pair uses one of several equal cables of a graph", || {
        let cables = "l0,l1,router,router,100 ns\nl0,l1,router,router,100 ns\n";
        let one = graph(cables, "", "", "");
        assert_eq!(one, 1_000_300_000, "two pairs have a cable each, and neither of them has two");
    }),
    (
        "with `metric = \"time\"` or `\"latency\"` one of two spines whose cables differ by a nanosecond carries everything. `metric = \"hops\"` uses both.",
        || {
            let spines = "l0,s0,router,router,100 ns\nl1,s0,router,router,100 ns\nl0,s1,router,router,101 ns\nl1,s1,router,router,101 ns\n";
            let times = ["time", "latency", "hops"]
                .map(|metric| graph(spines, &format!("metric = '{metric}'\n"), "", "") / 1_000_000_000);
            assert_eq!(times, [2, 2, 1], "milliseconds");
        },
    ),
    ("Pauses between packets are for the packet engine.", || {
        let gap = "[node]\npacket_gap = 1.0\n";
        load(&[TORUS, PACKET, SHIFT, gap]);
        refused(&[TORUS, SHIFT, gap], "node.packet_gap", "there are no packets");
        refused(&[TORUS, IDEAL, SHIFT, gap], "node.packet_gap", "there are no packets");
    }),
    ("count on the packet and the flow engine; the ideal engine passes them over.", || {
        let limits = "[node]\nnics = 2\ninjection_limit = '100 MB/s'\nejection_limit = '100 MB/s'\n";
        for engine in ["", PACKET] {
            assert!(time(&[TORUS, engine, SHIFT, limits]) > 9 * time(&[TORUS, engine, SHIFT]), "{engine}");
        }
        assert_eq!(time(&[TORUS, IDEAL, SHIFT, limits]), time(&[TORUS, IDEAL, SHIFT]));
    }),
    ("On the ideal engine an interface sends one message after the other (LogGP).", || {
        let two = SHIFT.replace("distance = 1", "distance = 2\nranks = 8");
        assert_eq!(time(&[TORUS, IDEAL, &two, "[mapping]\nranks_per_node = 2\n"]), 2_000_000_000);
    }),
    ("With `packet_gap = \"max-min\"` and for `weir advise pacing` it is refused.", || {
        let striped = "[node]\nnics = 2\nstripe = 2\npacket_gap = 'max-min'\n";
        refused(&[TORUS, PACKET, SHIFT, striped], "node.packet_gap", "does not fit node.stripe");
        assert!(load(&[TORUS, PACKET, SHIFT, "[node]\nnics = 2\nstripe = 2\n"]).advise_pacing(0.0).is_err());
    }),
    ("on the packet and the ideal engine neither does what interfaces send and receive.", || {
        let limit = "[node]\nmemory_limit = '100 MB/s'\n";
        for engine in [PACKET, IDEAL] {
            assert_eq!(time(&[TORUS, engine, SHIFT, limit]), time(&[TORUS, engine, SHIFT]));
        }
        assert!(time(&[TORUS, SHIFT, limit]) > 9 * time(&[TORUS, SHIFT]));
    }),
    ("`engine.method = \"sweep\"` and `\"quotient\"` refuse it.", || {
        let limit = "[node]\nmemory_limit = '1 GB/s'\n";
        let sweep = "[engine]\nmethod = 'sweep'\nsharing = 'single-pass'\n";
        refused(&[TORUS, sweep, SHIFT, limit], "engine.method", "memory_limit");
        refused(&[TORUS, "[engine]\nmethod = 'quotient'\n", SHIFT, limit], "engine.method", "memory_limit");
    }),
    (
        "A Tofu is what its six dimensions say: x, y, z and b closed to rings unless `wrap` says otherwise.",
        || {
            let tofu = TORUS.replace("torus", "tofu").replace("[4]", "[2, 2, 2]");
            let resolved = load(&[&tofu, SHIFT]).resolved();
            assert_eq!(
                resolved["topology"]["wrap"],
                serde_json::json!([true, true, true, false, true, false])
            );
        },
    ),
    ("Data of any size move as one message. There is no segmentation inside a message layer.", || {
        let work =
            "[workload]\nkind = 'collective'\noperation = 'pingpong'\nmessage_size = '1 GB'\nranks = 2\n";
        let traffic = load(&[TORUS, work]).run(&mut |_| {}).unwrap().summary.traffic;
        assert_eq!((traffic.messages, traffic.bytes.0), (2, 2_000_000_000));
    }),
];

const PACKETS: &[Sentence] = &[
    ("Between ranks of one node there are no packets.", || {
        let work =
            "[workload]\nkind = 'collective'\noperation = 'pingpong'\nmessage_size = '1 MB'\nranks = 2\n";
        let report =
            load(&[TORUS, PACKET, work, "[mapping]\nranks_per_node = 2\n"]).run(&mut |_| {}).unwrap();
        let summary = report.summary.to_json();
        assert_eq!((&summary["packets"], &summary["messages"]), (&0.into(), &2.into()));
    }),
    (
        "Headers of packets, checksums, acknowledgements, repetition: a packet takes as long as its data.",
        || {
            let of = |mtu: &str| time(&[TORUS, PACKET, SHIFT, &format!("[packet]\nmtu = '{mtu}'\n")]);
            // A thousand packets or a hundred: the same bytes in the same time, but for the last one on each link.
            assert!(of("1000 B").abs_diff(of("10000 B")) < 40_000_000);
        },
    ),
    ("At most 64 threads.", || {
        let many = PACKET.replace("threads = 1", "threads = 1000");
        assert!(load(&[TORUS, &many, SHIFT]).run(&mut |_| {}).unwrap().summary.threads <= 64);
    }),
    (
        "Synthetic traffic is for the packet engine, with one rank and one interface on each node, linearly mapped.",
        || {
            load(&[TORUS, PACKET, SYNTHETIC]);
            refused(&[TORUS, SYNTHETIC], "workload.kind", "needs engine.kind = \"packet\"");
            refused(
                &[TORUS, PACKET, SYNTHETIC, "[mapping]\nkind = 'random'\n"],
                "mapping.kind",
                "linearly mapped",
            );
            refused(
                &[TORUS, PACKET, SYNTHETIC, "[mapping]\nranks_per_node = 2\n"],
                "mapping.ranks_per_node",
                "one rank",
            );
            refused(&[TORUS, PACKET, SYNTHETIC, "[node]\nnics = 2\n"], "node.nics", "one interface");
        },
    ),
    ("there is none for MPI programs and synthetic traffic", || {
        assert!(load(&[TORUS, PACKET, SYNTHETIC]).bounds(&mut |_, _| {}).is_err());
        assert!(load(&[TORUS, PACKET, SHIFT]).bounds(&mut |_, _| {}).is_ok());
    }),
    ("`weir pattern` can write neither the messages of an MPI program nor synthetic traffic.", || {
        assert!(load(&[TORUS, PACKET, SYNTHETIC]).write_pattern_text(Vec::new()).is_err());
        assert!(load(&[TORUS, PACKET, SHIFT]).write_pattern_text(Vec::new()).is_ok());
    }),
    ("Ranks of a pattern file do not send to themselves.", || {
        let work = "[workload]\nkind = 'pattern-file'\nfile = 'w.pattern'\n";
        let pattern = "weir-pattern 1\nranks 2\n0 send 0 1 MB\n";
        assert!(load_beside(&[TORUS, work], &[("w.pattern", pattern)]).is_err());
    }),
    ("Start imbalance and barrier are for named patterns", || {
        let work = "[workload]\nkind = 'pattern-file'\nfile = 'w.pattern'\nstart_imbalance = '1 us'\n";
        let pattern = "weir-pattern 1\nranks 2\n0 send 1 1 MB\n";
        let problems = load_beside(&[TORUS, work], &[("w.pattern", pattern)]).unwrap_err();
        assert_eq!(problems.list()[0].key, "workload.start_imbalance", "{problems}");
    }),
];

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/concepts/limitations.md");
    std::fs::read_to_string(path).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(sentences: &[Sentence]) {
    let page = page();
    let gone: Vec<&str> =
        sentences.iter().map(|(sentence, _)| *sentence).filter(|text| !page.contains(text)).collect();
    assert!(gone.is_empty(), "the page of limitations does not say any more: {gone:#?}");
    let untrue = sentences.iter().filter(|(_, is_so)| std::panic::catch_unwind(is_so).is_err());
    let untrue: Vec<&str> = untrue.map(|(sentence, _)| *sentence).collect();
    assert!(untrue.is_empty(), "no longer so: {untrue:#?}");
}

#[test]
fn of_engines() {
    check(ENGINES);
}

#[test]
fn of_networks() {
    check(NETWORK);
}

#[test]
fn of_packets_and_patterns() {
    check(PACKETS);
}
