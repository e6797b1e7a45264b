//! What MPI lacks: `weir.h`, `mgen-mpi.h`, runs without data, and time charged for the program's own work.

use crate::command::{Ended, check_all, compile, compile_text, mpirun, root, run, scratch, weir};
use std::path::Path;

/// Sends BYTES from rank 0 to rank 1, and with a sixth argument to rank 3 too, by PROTOCOL, COPY, GAP, NIC; prints in ns when the
/// first send is complete and when the messages are received.
const WAYS: &str = include_str!("../programs/extensions_ways.c");

/// A ring of four nodes; 1 GB/s and 100 ns everywhere.
const MACHINE: &str = r#"
[topology]
kind = "torus"
shape = [4]
bandwidth = "1 GB/s"
latency = "100 ns"
[node]
mpi_overhead = "1 us"
memory_bandwidth = "2 GB/s"
eager_limit = "1000 B"
"#;

/// The options for a message in 1 us and a byte per ns on the ideal engine, with the nodes of [`MACHINE`].
const IDEAL: [&str; 10] = [
    "--set",
    "engine.latency=1 us",
    "--set",
    "engine.bandwidth=1 GB/s",
    "--set",
    "node.mpi_overhead=1 us",
    "--set",
    "node.memory_bandwidth=2 GB/s",
    "--set",
    "node.eager_limit=1000 B",
];

/// Arguments, and when the send is complete and the message received, in ns, on the ideal and on the flow engine.
struct Case(&'static str, [u32; 2], [u32; 2]);

/// By hand: overhead o = 1,000 at each end, latency L = 1,000 (ideal) or 3 cables of 100 (flow), k bytes take k, and their
/// copy k / 2. Clearances take no time of the processor.
///
/// ```text
///   eager       handed over h = o [+ copy];  complete at h, or without a copy at h + k;  received h + k + L + o
///   rendezvous  asked a = o [+ copy];  cleared a + 2 L;  complete a + 2 L + k;  received a + 3 L + k + o
/// ```
const WAYS_BY_HAND: [Case; 7] = [
    Case("500 0 0", [1_250, 3_750], [1_250, 3_050]),
    Case("500 0 11", [1_500, 3_500], [1_500, 2_800]),
    Case("500 2 0", [3_500, 5_500], [2_100, 3_400]),
    Case("500 2 12", [3_750, 5_750], [2_350, 3_650]),
    Case("2000 0 0", [5_000, 7_000], [3_600, 4_900]),
    Case("2000 1 0", [2_000, 6_000], [2_000, 5_300]),
    Case("2000 1 11", [3_000, 5_000], [3_000, 4_300]),
];

fn machine(folder: &Path) -> String {
    let path = folder.join("machine.toml");
    std::fs::write(&path, MACHINE).unwrap();
    path.to_string_lossy().into_owned()
}

fn ways(ranks: usize, options: &[&str], program: &Path, args: &str) -> Ended {
    run(mpirun(ranks).args(options).arg(program).args(args.split(' ')))
}

#[test]
fn protocols_and_copies_take_what_they_take_by_hand() {
    let folder = scratch();
    let (program, machine) = (compile_text(WAYS, "ways", folder.path()), machine(folder.path()));
    let flow = ["--machine", &machine, "--engine", "flow"];
    check_all(&WAYS_BY_HAND, |Case(args, ideal, by_flow)| {
        for (options, [sent, received]) in [(&IDEAL[..], ideal), (&flow[..], by_flow)] {
            let found = ways(2, options, &program, &format!("{args} -1 -1")).expect(0).sorted_lines();
            if found != [format!("1 has it {received}"), format!("sent {sent}")] {
                return Err(format!("{args}: {found:?}"));
            }
        }
        Ok(())
    });
}

/// Four packets of 256 bytes, 256 ns each: behind three of them the interface pauses for the gap.
#[test]
fn a_gap_delays_the_packets_behind() {
    let folder = scratch();
    let (program, machine) = (compile_text(WAYS, "ways", folder.path()), machine(folder.path()));
    let received = |gap: &str, set: &str| -> u32 {
        let options =
            ["--machine", &machine, "--engine", "packet", "--set", "packet.mtu=256 B", "--set", set];
        let ended = ways(2, &options, &program, &format!("1024 1 0 {gap} -1")).expect(0);
        ended.sorted_lines()[0].strip_prefix("1 has it ").unwrap().parse().unwrap()
    };
    let without = received("-1", "node.packet_gap=0");
    assert_eq!(received("0.5", "node.packet_gap=0"), without + 3 * 128);
    assert_eq!(received("1", "node.packet_gap=0"), without + 3 * 256);
    // The machine's gap, unless the program chooses.
    assert_eq!(received("-1", "node.packet_gap=1"), without + 3 * 256);
    assert_eq!(received("0", "node.packet_gap=1"), without);
}

/// Two messages that are there at once, in opposite directions. Two interfaces send them at once, one sends one behind the
/// other.
#[test]
fn messages_leave_by_the_chosen_interface() {
    let folder = scratch();
    let (program, machine) = (compile_text(WAYS, "ways", folder.path()), machine(folder.path()));
    let received = |nic: &str| -> Vec<u32> {
        let set = ["node.nics=2", "node.mpi_overhead=0 s", "node.memory_bandwidth=1000 TB/s"];
        let options = ["--machine", &machine, "--engine", "packet"].into_iter();
        let options: Vec<&str> = options.chain(set.into_iter().flat_map(|key| ["--set", key])).collect();
        let lines = ways(4, &options, &program, &format!("1024 1 0 -1 {nic} both")).expect(0).sorted_lines();
        let time = |line: &String| line.split_once(" has it ").map(|(_, time)| time.parse().unwrap());
        lines.iter().filter_map(time).collect()
    };
    let [first, second] = received("-1")[..] else { panic!("two receives") };
    assert_eq!(second, first);
    for nic in ["0", "1"] {
        assert_eq!(received(nic), [first, first + 1024]);
    }
}

#[test]
fn what_cannot_be_done_is_refused() {
    let folder = scratch();
    let (program, machine) = (compile_text(WAYS, "ways", folder.path()), machine(folder.path()));
    let cases = [
        (
            "flow",
            "10 1 0 0.5 -1",
            "weir_send_gap failed: MPI_ERR_ARG: inter-packet gaps belong to the packet engine",
        ),
        (
            "flow",
            "10 1 0 -1 1",
            "weir_send_nic failed: MPI_ERR_ARG: there is no interface 1: nodes of this machine have 1",
        ),
        ("packet", "10 1 0 -1 1", "weir_send_nic failed: MPI_ERR_ARG: there is no interface 1"),
        ("packet", "10 1 0 2e6 0", "weir_send_gap failed: MPI_ERR_ARG: 2000000 is no inter-packet gap"),
        ("flow", "10 5 0 -1 0", "weir_send_protocol failed: MPI_ERR_ARG: 5 is no protocol"),
        ("flow", "10 0 5 -1 0", "weir_send_copy failed: MPI_ERR_ARG: 5 is no way of copying"),
    ];
    check_all(&cases, |(engine, args, says)| {
        let ended = ways(2, &["--machine", &machine, "--engine", engine], &program, args);
        if ended.code == 1 && ended.stderr.contains(says) { Ok(()) } else { Err(ended.stderr) }
    });
}

/// Messages of all kinds whose lengths hang on nothing but the ranks.
const TRAFFIC: &str = include_str!("../programs/extensions_traffic.c");

#[test]
fn without_data_everything_takes_as_long() {
    let folder = scratch();
    let program = compile_text(TRAFFIC, "traffic", folder.path());
    let engines: [&[&str]; 3] = [
        &["--set", "engine.latency=1 us", "--set", "engine.bandwidth=1 GB/s"],
        &["--machine", "examples/torus.toml"],
        &["--machine", "examples/torus.toml", "--engine", "packet"],
    ];
    check_all(&engines, |options| {
        let start = |more: &[&str]| -> Ended {
            run(weir(["mpirun", "-n", "8", "--json"]).args(*options).args(more).arg(&program)).expect(0)
        };
        let (with, without) = (start(&[]), start(&["--no-data"]));
        let (one, other) = (with.summary(), without.summary());
        for key in ["simulated_ps", "digest", "messages", "bytes", "control_messages"] {
            if one[key] != other[key] {
                return Err(format!("{options:?}: {key} is {} and {}", one[key], other[key]));
            }
        }
        // Under --json the program prints to standard error.
        let lines =
            |ended: &Ended, end: &str| ended.stderr.lines().filter(|line| line.ends_with(end)).count();
        let facts = ["100 of 0", "20000 of 7", "half 4"];
        let same =
            facts.iter().all(|fact| lines(&with, fact) > 0 && lines(&with, fact) == lines(&without, fact));
        if !same || lines(&with, "into o sum 56") != 8 || lines(&without, "into i sum -1") != 8 {
            return Err(format!("{options:?}:\n{}\n{}", with.stderr, without.stderr));
        }
        Ok(())
    });
}

#[test]
fn time_passes_for_computation_where_it_shall() {
    let text = include_str!("../programs/extensions_work.c");
    let folder = scratch();
    let program = compile_text(text, "work", folder.path());
    let simulated = |more: &[&str]| -> f64 {
        let ended = run(weir(["mpirun", "-n", "2", "--json"]).args(more).arg(&program)).expect(0);
        ended.summary()["simulated_s"].as_f64().unwrap()
    };
    assert!((simulated(&[]) - 2e-6).abs() < 1e-12);
    assert!((simulated(&["--compute", "none"]) - 2e-6).abs() < 1e-12);
    let measured = simulated(&["--compute", "measured"]);
    assert!(measured > 1e-3, "20 million rounds do not take {measured} s");
    let scaled = simulated(&["--compute", "100"]);
    assert!(scaled > 10.0 * measured, "{scaled} s are not about a hundred times {measured} s");
    for wrong in ["-1", "0", "fast"] {
        run(weir(["mpirun", "-n", "2", "--compute", wrong]).arg(&program))
            .expect(2)
            .says(&["must be \"none\" or \"measured\" or a number above 0"]);
    }
}

/// All clocks of the C library show simulated time.
#[test]
fn every_clock_shows_simulated_time() {
    let text = include_str!("../programs/extensions_clocks.c");
    let folder = scratch();
    let ended = run(mpirun(1).arg(compile_text(text, "clocks", folder.path()))).expect(0);
    assert_eq!(ended.stdout, "1000000003 300 300 3 0 3\n4 4\n");
}

/// The program of paper 003, figure 3, is the same under both headers, and so is one that uses the names of MGEN.
#[test]
fn programs_for_nsim_run() {
    let folder = scratch();
    let source = root().join("examples/mgen-ring.c");
    let text = std::fs::read_to_string(&source).unwrap();
    let of_mpi = compile_text(&format!("#define USE_MPI_H\n{text}"), "of_mpi", folder.path());
    let renamed =
        text.replace("MPI_", "MGEN_").replace("MGEN_Finalize", "MGEN_Key(1, 2);\n    MGEN_Finalize");
    let renamed = compile_text(&renamed, "renamed", folder.path());
    let digest = |program: &Path| {
        let start = ["mpirun", "-n", "8", "--json", "--no-data", "--machine", "examples/torus.toml"];
        let ended = run(weir(start).arg(program)).expect(0);
        // Each rank sends 2 messages, and passes 8 on.
        assert_eq!(ended.summary()["messages"], 80);
        ended.summary()["digest"].clone()
    };
    let of_mgen = digest(&compile(&source, folder.path()));
    assert_eq!(digest(&of_mpi), of_mgen);
    assert_eq!(digest(&renamed), of_mgen);
}

/// One source is for weir and for another MPI library, and for C++.
#[test]
fn other_libraries_need_nothing_of_weir() {
    let folder = scratch();
    let source = folder.path().join("absent.c");
    std::fs::write(&source, WAYS).unwrap();
    // The header alone, so that mpi.h is the other library's.
    std::fs::copy(root().join("include/weir.h"), folder.path().join("weir.h")).unwrap();
    let program = folder.path().join("absent");
    let mut compiler = crate::command::of_open_mpi("mpicc");
    compiler.args(["-DWEIR_ABSENT", "-Wall", "-Werror", "-I"]).arg(folder.path());
    run(compiler.arg(&source).arg("-o").arg(&program)).expect(0);
    let ended = run(crate::command::open_mpi(2).arg(&program).args(["10", "0", "0", "-1", "-1"])).expect(0);
    assert_eq!(ended.stdout.lines().count(), 2, "{}", ended.stdout);
}
