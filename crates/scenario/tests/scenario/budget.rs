//! What a run takes, said before it.

use crate::load;
use std::time::Instant;
use weir_scenario::{Budget, Scenario};

fn budget(scenario: &Scenario) -> Budget {
    scenario.budget(&mut |_| {}).unwrap()
}

const MACHINES: [&str; 3] = [
    "[topology]\nkind = \"torus\"\nshape = [4, 3, 2]\nbandwidth = \"1 GB/s\"\n",
    "[topology]\nkind = \"fat-tree\"\nradix = 6\nbandwidth = \"1 GB/s\"\n",
    "[topology]\nkind = \"hypercrossbar\"\nshape = [5, 6]\nbandwidth = \"1 GB/s\"\n",
];
const WORKLOADS: [&str; 8] = [
    "kind = \"all-to-all\"",
    "kind = \"all-to-all\"\nalgorithm = \"bruck\"",
    "kind = \"ring\"\nmessages = 3",
    "kind = \"random-ring\"\nmessages = 2\nsize_spread = 0.5",
    "kind = \"broadcast\"",
    "kind = \"gather\"",
    "kind = \"halo\"\ngrid = [6, 4]\nmessages = 5",
    "kind = \"hot-spot\"\nfraction = 0.5\nmessages = 20",
];

/// A run sends as many messages, and on the packet engine as many packets over as many hops, as was said before.
#[test]
fn what_is_said_before_a_run_is_what_it_does() {
    let (mut runs, mut whole) = (0, 0);
    for machine in MACHINES {
        for workload in WORKLOADS {
            for (engine, per_node, bytes) in
                [("flow", 1, "1 kB"), ("packet", 1, "1 kB"), ("packet", 2, "3 kB")]
            {
                let text = format!(
                    "{machine}[engine]\nkind = \"{engine}\"\n[mapping]\nkind = \"random\"\nranks_per_node = {per_node}\n\
                     [workload]\nranks = 24\nmessage_size = \"{bytes}\"\n{workload}\n"
                );
                let scenario = load(&text).unwrap_or_else(|problems| panic!("{text}: {problems}"));
                let said = budget(&scenario);
                let summary = scenario.run(&mut |_| {}).unwrap().summary;
                assert_eq!(said.messages, Some((summary.traffic.messages, summary.traffic.bytes)), "{text}");
                let counted =
                    summary.counts.packet().map(|packet| (packet.packets, Some(packet.packet_hops)));
                assert_eq!(said.packets.map(|said| (said.packets, said.hops)), counted, "{text}");
                let done = said.done.unwrap();
                assert!(done > 0.0 && done <= 1.0, "{done}: {text}");
                assert!(said.wall.unwrap() >= said.building && said.memory.0 > 0, "{text}");
                runs += 1;
                whole += usize::from(done == 1.0);
            }
        }
    }
    // They take milliseconds; on a busy computer one may last longer than a beginning.
    assert!(10 * whole > 9 * runs, "{whole} of {runs}");
}

/// Of many messages a sample is looked at, from all of them: neither the first nor every n-th are like the rest.
#[test]
fn hops_of_many_messages_follow_from_a_sample() {
    for workload in ["kind = \"all-to-all\"", "kind = \"halo\"\ngrid = [20, 15]\nmessages = 100"] {
        let text = format!(
            "{}[engine]\nkind = \"packet\"\n[workload]\nmessage_size = \"500 B\"\n{workload}\n",
            MACHINES[0].replace("[4, 3, 2]", "[20, 15]")
        );
        let scenario = load(&text).unwrap();
        let said = budget(&scenario).packets.unwrap();
        let counted = scenario.run(&mut |_| {}).unwrap().summary.counts.packet().cloned().unwrap();
        assert_eq!(said.packets, counted.packets, "{workload}");
        let ratio = said.hops.unwrap() as f64 / counted.packet_hops as f64;
        assert!((0.99..1.01).contains(&ratio), "{workload}: {ratio}");
    }
}

/// More than a second of work is not done before its end, but by a share of it.
#[test]
fn a_long_run_is_begun_only() {
    let text = format!(
        "{}[engine]\nkind = \"flow\"\n[workload]\nkind = \"ring\"\nmessage_size = \"1 kB\"\nmessages = 1000000000\n",
        MACHINES[0]
    );
    let scenario = load(&text).unwrap();
    let start = Instant::now();
    let said = budget(&scenario);
    let most = start.elapsed().as_secs_f64();
    let done = said.done.unwrap();
    assert!(done > 0.0 && done < 0.1, "{done}");
    let wall = said.wall.unwrap().as_secs_f64();
    // A piece of it takes a second at least, however fast the computer is.
    assert!((0.5 / done..most / done + most).contains(&wall), "{wall} s, {done}, {most} s");
    // The scenario is what it was.
    assert_eq!(scenario.limits.wall_time, None);
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
        load(&text).unwrap().run(&mut |_| {}).map_err(|error| error.to_string())
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
