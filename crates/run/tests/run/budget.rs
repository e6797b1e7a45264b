//! What a run takes, said before it.

use crate::load;
use proptest::prelude::*;
use std::time::Instant;
use weir_experiment::Scenario;
use weir_run::{Budget, Count, Packets, packets_of_pattern, run};

fn budget(scenario: &Scenario) -> Budget {
    weir_run::budget(scenario, None, &mut |_| {}).unwrap()
}

const MACHINES: [&str; 3] = [
    "[topology]\nkind = \"torus\"\nshape = [4, 3, 2]\nbandwidth = \"1 GB/s\"\n",
    "[topology]\nkind = \"fat-tree\"\nradix = 6\nbandwidth = \"1 GB/s\"\n",
    "[topology]\nkind = \"hypercrossbar\"\nshape = [5, 6]\nbandwidth = \"1 GB/s\"\n",
];
const MAPPINGS: [&str; 2] = ["linear", "random"];

/// Workloads of so many ranks, which repeat what they do so often; `root` is one of them, and 24 ranks stand on a grid.
fn workloads(root: u32, messages: u64) -> Vec<String> {
    let repeated = [
        "kind = \"all-to-all\"",
        "kind = \"all-to-all\"\nsynchronised = true",
        "kind = \"all-to-all\"\nalgorithm = \"bruck\"",
        "kind = \"all-to-all\"\nalgorithm = \"simple-spread-2d\"\ngrid = [6, 4]",
        "kind = \"ring\"\nsynchronised = true",
        "kind = \"random-ring\"\nsize_spread = 0.5",
        "kind = \"random-ring\"\nstart_imbalance = \"1 us\"",
        "kind = \"halo\"\ngrid = [6, 4]\nsynchronised = true",
        "kind = \"halo\"\ngrid = [3, 2, 4]\nperiodic = [true, false, true]",
        "kind = \"permutation\"\npermutation = \"random\"\nsynchronised = true\nstart_barrier = true",
    ];
    let rooted = [
        "kind = \"broadcast\"",
        "kind = \"broadcast\"\nalgorithm = \"flat\"",
        "kind = \"broadcast\"\nalgorithm = \"ring-pipeline\"\nsegments = 7",
        "kind = \"gather\"",
        "kind = \"gather\"\nalgorithm = \"flat\"",
        "kind = \"gather\"\nstart_imbalance = \"1 us\"",
        "kind = \"scatter\"",
        "kind = \"scatter\"\nalgorithm = \"flat\"",
        "kind = \"incast\"",
        "kind = \"hot-spot\"\nfraction = 0.5",
    ];
    let rooted = rooted.map(|workload| format!("{workload}\nroot = {root}"));
    let all = repeated.into_iter().map(str::to_owned).chain(rooted);
    all.map(|workload| format!("{workload}\nmessages = {messages}")).collect()
}

/// Runs it: messages, and packets with the routers that they pass, as they were said before are those that were sent. A dry run says
/// the same.
#[track_caller]
fn check_counts(text: &str) {
    let scenario = load(text).unwrap_or_else(|problems| panic!("{text}: {problems}"));
    let (before, said) = (packets_of_pattern(&scenario), budget(&scenario));
    let summary = run(&scenario, &mut |_| {}).unwrap().summary;
    assert_eq!(said.messages, Some((summary.traffic.messages, summary.traffic.bytes)), "{text}");
    let counted = summary.counts.packet().map(|packet| Packets {
        packets: Count::exact(packet.packets),
        hops: Some(Count::exact(packet.packet_hops)),
    });
    assert_eq!([before, said.packets], [counted; 2], "{text}");
    let done = said.done.unwrap();
    assert!(done > 0.0 && done <= 1.0, "{done}: {text}");
    assert!(said.wall.unwrap() >= said.building && said.memory.0 > 0, "{text}");
}

#[test]
fn what_is_said_before_a_run_is_what_it_does() {
    for machine in MACHINES {
        for workload in workloads(0, 3) {
            for (engine, per_node, bytes) in
                [("flow", 1, "1 kB"), ("packet", 1, "1 kB"), ("packet", 2, "3 kB")]
            {
                check_counts(&format!(
                    "{machine}[engine]\nkind = \"{engine}\"\n[mapping]\nkind = \"random\"\nranks_per_node = {per_node}\n\
                     [workload]\nranks = 24\nmessage_size = \"{bytes}\"\n{workload}\n"
                ));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Any machine, mapping, root, size and number of repetitions, with nodes of several interfaces and links that have failed.
    #[test]
    fn packets_and_hops_are_counted_before_a_run(
        machine in prop::sample::select(&MACHINES[..]),
        mapping in prop::sample::select(&MAPPINGS[..]),
        (per_node, nics) in (1..5_u32, 1..4_u32),
        (root, messages, workload) in (0..24_u32, 1..60_u64, 0..20_usize),
        (bytes, mtu) in (0..5000_u64, 64..600_u64),
        fails: bool,
    ) {
        // The torus keeps ways around one cable.
        let fault = if fails && machine.contains("torus") {
            "[[faults]]\nlink = \"router (0,0,0) -> router (1,0,0)\"\nspeed = 0\n"
        } else {
            ""
        };
        // So that no case lasts long.
        let messages = if workload < 4 { messages % 4 + 1 } else { messages };
        let workload = &workloads(root, messages)[workload];
        check_counts(&format!(
            "{machine}{fault}[engine]\nkind = \"packet\"\n[node]\nnics = {nics}\nstripe = {nics}\n[packet]\nvirtual_channels = 6\nmtu = \"{mtu} B\"\n\
             [mapping]\nkind = \"{mapping}\"\nranks_per_node = {per_node}\n\
             [workload]\nranks = 24\nmessage_size = \"{bytes} B\"\n{workload}\n"
        ));
    }
}

/// As many gathers as nobody could run, or look at one by one: of 5 blocks of 1,000 bytes along a binomial tree to rank 0 of a line of 5
/// routers, in packets of 256 bytes. Ranks 1, 3 and 4 send one block (4 packets; to 0, 2 and 0) over 1, 1 and 4 links between routers and
/// one to the node, rank 2 two of them (8 packets) over 2.
#[test]
fn the_packets_of_many_gathers_by_hand() {
    let text = "[topology]\nkind = \"mesh\"\nshape = [5]\nbandwidth = \"1 GB/s\"\n[engine]\nkind = \"packet\"\n[packet]\nmtu = \"256 B\"\n\
                [workload]\nkind = \"gather\"\nmessage_size = \"1000 B\"\nmessages = 1000000000\n";
    let expected = Packets {
        packets: Count::exact(1_000_000_000 * (3 * 4 + 8)),
        hops: Some(Count::exact(1_000_000_000 * (4 * 2 + 4 * 2 + 4 * 5 + 8 * 3))),
    };
    assert_eq!(packets_of_pattern(&load(text).unwrap()), Some(expected));
}

/// Of very many messages that do not repeat a sample is looked at, and that is said: the numbers are near, and the bounds hold. Sends and
/// awaits that take turns do not deceive it.
#[test]
fn of_too_many_messages_a_sample_is_looked_at() {
    let machine = MACHINES[0].replace("[4, 3, 2]", "[20, 15]");
    let ring = format!(
        "{machine}[engine]\nkind = \"packet\"\n[workload]\nkind = \"ring\"\nmessage_size = \"500 B\"\nmessages = 7500\nsynchronised = true\n"
    );
    // 499 to 501 bytes are two packets, as 500 are.
    let said = packets_of_pattern(&load(&format!("{ring}size_spread = 0.002\n")).unwrap()).unwrap();
    let exact = packets_of_pattern(&load(&ring).unwrap()).unwrap();
    assert!(exact.packets.is_exact && !said.packets.is_exact);
    assert_eq!(said.packets.likely, exact.packets.likely);
    let ratio = said.hops.unwrap().likely as f64 / exact.hops.unwrap().likely as f64;
    assert!((0.99..1.01).contains(&ratio), "{ratio}");
    assert!(said.packets.at_most >= exact.packets.likely);
    assert!(said.hops.unwrap().at_most >= exact.hops.unwrap().likely);
}

/// More than a second of work is not done before its end, but by a share of it. The estimate is that of a short run that many times; both
/// are times of a computer that may be busy with something else for a while, hence the factor.
#[test]
fn a_long_run_is_begun_only() {
    let ring = |messages: u64| {
        let text = format!(
            "{}[engine]\nkind = \"flow\"\n[workload]\nkind = \"ring\"\nmessage_size = \"1 kB\"\nmessages = {messages}\n",
            MACHINES[0]
        );
        load(&text).unwrap()
    };
    let long = ring(1_000_000_000);
    let said = budget(&long);
    let done = said.done.unwrap();
    assert!(done > 0.0 && done < 0.1, "{done}");
    let start = Instant::now();
    run(&ring(10_000), &mut |_| {}).unwrap();
    let expected = start.elapsed().as_secs_f64() * 1e5;
    let wall = said.wall.unwrap().as_secs_f64();
    assert!((expected / 8.0..expected * 8.0).contains(&wall), "{wall} s, {expected} s");
    // The scenario is what it was.
    assert_eq!(long.limits.wall_time, None);
}

/// A piece of a run is run as the run is: where one node stands for all, so it does there.
#[test]
fn a_run_in_which_one_node_stands_for_all_is_measured_as_such() {
    let text = "[topology]\nkind = \"torus\"\nshape = [128, 128]\ntie = \"plus\"\nbandwidth = \"1 GB/s\"\nlatency = 0\n\
                [engine]\nkind = \"flow\"\n[workload]\nkind = \"all-to-all\"\nalgorithm = \"simple-spread-2d\"\n\
                message_size = \"1 kB\"\n";
    let said = budget(&load(text).unwrap());
    assert_eq!(said.messages.unwrap().0, 16_384 * 16_383);
    // All of it in less than 8 s; message by message that takes hours.
    assert!(said.wall.unwrap().as_secs() < 600, "{said:?}");
}

#[test]
fn a_run_that_takes_too_much_is_refused_before_it_begins() {
    let limited = |limit: &str, messages: u64| {
        let text = format!(
            "{}[engine]\nkind = \"flow\"\n[limits]\n{limit}\n[workload]\nkind = \"ring\"\nmessage_size = \"1 kB\"\n\
             messages = {messages}\n",
            MACHINES[0]
        );
        run(&load(&text).unwrap(), &mut |_| {}).map_err(|error| error.to_string())
    };
    assert!(limited("expected_wall_time = \"1 min\"", 10).is_ok());
    assert!(limited("memory = \"1 TB\"", 10).is_ok());
    let late = limited("expected_wall_time = \"1 min\"", 1_000_000_000).unwrap_err();
    assert!(late.starts_with("the run is expected to take "), "{late}");
    assert!(late.contains("limits.expected_wall_time = 60 s\n\nhint: take a smaller workload"), "{late}");
    let large = limited("memory = \"1 kB\"", 10).unwrap_err();
    assert!(large.contains("of memory; limits.memory = 1 kB"), "{large}");
}

/// The routers of a machine that is too large are not made to find that out.
#[test]
fn memory_of_a_machine_is_asked_for_before_it_is_made() {
    let text = "[topology]\nkind = \"torus\"\nshape = [64, 64, 64]\nbandwidth = \"1 GB/s\"\n[engine]\nkind = \"packet\"\n\
                [limits]\nmemory = \"100 MB\"\n[workload]\nkind = \"ring\"\nmessage_size = \"1 kB\"\n";
    let problems = load(text).unwrap_err().to_string();
    assert!(problems.contains("topology.kind"), "{problems}");
    assert!(problems.contains("of memory; limits.memory = 100 MB"), "{problems}");
}

#[test]
fn a_program_has_no_expected_time() {
    let text = "[limits]\nexpected_wall_time = \"1 min\"\n[workload]\nkind = \"program\"\nprogram = \"x\"\nranks = 2\n";
    let problems = load(text).unwrap_err().to_string();
    assert!(problems.contains("limits.expected_wall_time = \"1 min\": does not fit"), "{problems}");
}
