//! Limits of engines and of their methods, of faults, and of what is recorded.

use super::{
    IDEAL, PACKET, SHIFT, SYNTHETIC, Sentence, TORUS, compared, load, load_beside, refused, refuses, ties,
    time,
};
use crate::{Folder, program as program_file};
use weir_analysis::facts;
use weir_experiment::MachineDescription;
use weir_flow::KeepCycles;
use weir_run::{RunOptions, run, run_with};

pub(super) const ENGINES: &[Sentence] = &[
    ("experiment and machine files may have 64 MiB", || {
        let end = format!("{TORUS}{SHIFT}#");
        let of = |bytes: usize| load_beside(&[&end, &"x".repeat(bytes - end.len())], &[]);
        of(64 << 20).unwrap();
        assert!(of((64 << 20) + 1).unwrap_err().to_string().contains("is larger than 64 MiB"));
    }),
    ("the ideal engine, and of the flow engine `method = \"sweep\"` and `\"quotient\"`", || {
        let every = "[output]\ndir = 'out'\ncheckpoint_every = '1 us'\n";
        refused(&[TORUS, IDEAL, SHIFT, every], "output.checkpoint_every", "writes no checkpoints");
        let quotient = "[engine]\nmethod = 'quotient'\n";
        refused(&[TORUS, quotient, SHIFT, every], "output.checkpoint_every", "not for this engine.method");
    }),
    ("Slow links are not avoided.", || {
        let fault = "[[faults]]\ncable = 'router (0) - router (1)'\nspeed = 0.1\n";
        let [plain, slow] = [time(&[TORUS, SHIFT]), time(&[TORUS, SHIFT, fault])];
        assert!(slow > 9 * plain, "the other way round would take no longer than {plain}: {slow}");
    }),
    (
        "cuts and bisection of a fat tree or a hypercrossbar are those of the machine without faults, too, which is an upper bound.",
        || {
            let bisection = |more: &str| {
                let tree = "[topology]\nkind = 'fat-tree'\nradix = 4\nstages = 2\nbandwidth = '1 GB/s'\n";
                let folder = Folder::with(&[("m.toml", &format!("{tree}{more}"))]);
                let machine = MachineDescription::load(&folder.source("m.toml"));
                facts(&machine.unwrap(), weir_analysis::Extent::Full).bisection.unwrap().cut.one_way()
            };
            let cut = "[[faults]]\ncable = 'leaf 0 - top 0'\n";
            assert_eq!(bisection("").to_bits(), bisection(cut).to_bits());
        },
    ),
    ("with the other engines it is checked and kept in the summary, and not used.", || {
        let packet = "[packet]\nmtu = '64 B'\nswitch_delay = '1 us'\n";
        assert_eq!(time(&[TORUS, SHIFT]), time(&[TORUS, SHIFT, packet]));
        assert_ne!(time(&[TORUS, PACKET, SHIFT]), time(&[TORUS, PACKET, SHIFT, packet]));
        assert_eq!(load(&[TORUS, SHIFT, packet]).resolved()["packet"]["mtu"], "64 B");
        refused(&[TORUS, SHIFT, "[packet]\nmtu = '0 B'\n"], "packet.mtu", "greater than zero");
    }),
    ("`--tie-sensitivity` is for the flow engine", || {
        refuses(&[TORUS, PACKET, SHIFT], ties(), "does not perturb ties");
        refuses(&[TORUS, PACKET, SHIFT], compared(), "take turns on a link");
        let cycles = RunOptions { keep: KeepCycles::Yes, ..RunOptions::default() };
        refuses(&[TORUS, PACKET, SHIFT], cycles, "cycles");
    }),
    (
        "It runs patterns in which no node awaits a message (nothing `synchronised`, no broadcast, gather, scatter or Bruck), with one rank on a node.",
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
    (
        "`--compare-sharing` and `--tie-sensitivity` are refused with it, since they take the whole machine.",
        || {
            let quotient = "[engine]\nmethod = 'quotient'\n";
            refuses(&[TORUS, quotient, SHIFT], compared(), "one node stands for all");
            refuses(&[TORUS, quotient, SHIFT], ties(), "one node stands for all");
        },
    ),
    ("and for patterns, profiles and collectives, not MPI programs.", || {
        let collective =
            "[workload]\nkind = 'collective'\noperation = 'allreduce'\nmessage_size = '64 KiB'\n";
        let report =
            run_with(&load(&[TORUS, collective]), &ties(), &mut weir_pdes::OneProcess, &mut |_| ()).unwrap();
        assert!(report.summary.to_json()["tie_sensitivity"].is_object());
        let program = "[workload]\nkind = 'program'\nprogram = 'halo'\nranks = 2\n";
        let folder = Folder::with(&[("halo", &program_file()), ("e.toml", &[TORUS, program].concat())]);
        let scenario = folder.load("e.toml").unwrap();
        let refusal =
            run_with(&scenario, &ties(), &mut weir_pdes::OneProcess, &mut |_| ()).unwrap_err().to_string();
        assert!(refusal.contains("an MPI program runs once"), "{refusal}");
    }),
    ("a sweep or a quotient that is asked for by name is refused with any of them", || {
        let samples = "[output]\ndir = 'out'\nsample_interval = '1 us'\n";
        refused(&[TORUS, IDEAL, SHIFT, samples], "output.sample_interval", "engines with links");
        let quotient = "[engine]\nmethod = 'quotient'\n";
        let said = "does not follow single messages";
        refused(&[TORUS, quotient, SHIFT, samples], "output.sample_interval", said);
    }),
    ("A run on the flow engine has one process and one thread", || {
        let threads =
            |engine: &str| run(&load(&[TORUS, engine, SHIFT]), &mut |_| {}).unwrap().summary.threads;
        assert_eq!(threads("[engine]\nthreads = 2\n"), 1);
        assert_eq!(threads(&format!("{IDEAL}threads = 2\n")), 1);
    }),
    ("Nothing that is on its way is lost or sent again.", || {
        let cut = "[[faults]]\ncable = 'router (0) - router (1)'\nat = '0.5 ms'\n";
        for engine in ["", "[engine]\nkind = 'packet'\nthreads = 1\n[packet]\nvirtual_channels = 3\n"] {
            let traffic =
                |more: &str| run(&load(&[TORUS, engine, SHIFT, more]), &mut |_| {}).unwrap().summary.traffic;
            assert_eq!(traffic(cut), traffic(""), "{engine}");
            assert!(time(&[TORUS, engine, SHIFT, cut]) > time(&[TORUS, engine, SHIFT]));
        }
    }),
    ("utilization of links is counted with the bandwidth that they have then.", || {
        let slow = "[[faults]]\nrouter = 'router (1)'\nspeed = 0.5\n";
        let used = |more: &str| {
            run(&load(&[TORUS, SHIFT, slow, more]), &mut |_| {}).unwrap().summary.link_use.max_utilization
        };
        assert!((used("") - 1.0).abs() < 0.01, "half as fast from the beginning: {}", used(""));
        assert!(
            (used("at = '1 us'\n") - 0.5).abs() < 0.01,
            "half as fast from soon on: {}",
            used("at = '1 us'\n")
        );
    }),
    ("refused for synthetic traffic, which has no messages", || {
        let messages = "[output]\ndir = 'out'\nmessages = true\n";
        refused(&[TORUS, PACKET, SYNTHETIC, messages], "output.messages", "synthetic");
    }),
];
