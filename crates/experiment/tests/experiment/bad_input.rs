//! Every mistake is found, all at once, and named.

use crate::{Folder, TORUS, check_problems, load, load_with, table};
use weir_experiment::{Scenario, Source};

#[test]
fn all_mistakes_of_an_experiment_are_listed_at_once() {
    let text = r#"
title = "bad"
sed = 3

[topology]
kind = "torus"
shape = [15, 15]
bandwith = "1 GB/s"
bandwidth = "1"
latency = "-100 ns"
radix = 8

[mapping]
kind = "file"
file = "ranks.map"

[engine]
kind = "flow"
threshold = 0.01

[workload]
kind = "all-to-all"
algorithm = "pairwise"
message_size = "-20 kB"

[output]
sample_interval = "1 us"

[nodes]
nics = 1
"#;
    let map = "0 0\n1 1\n1 2\n";
    let folder = Folder::with(&[("bad.toml", text), ("ranks.map", map)]);
    let said = "sed: unknown key did you mean seed? && topology.bandwith: unknown key did you mean bandwidth? && topology.bandwidth: the unit is missing; write one of B/s, kB/s && topology.latency: must not be negative && topology.radix: belongs to kind = \"fat-tree\" && engine.threshold: belongs to sharing = \"iterative\" && workload.algorithm: 225 is not use simple-spread && workload.message_size: must not be negative && output.sample_interval: needs a results folder, and there is none set output.dir && nodes: unknown table did you mean node? && mapping.file: ranks 2 to 224 have no node && mapping.file: rank 1 has a node already, from line 2";
    check_problems(folder.load("bad.toml"), said);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is written");
}

#[test]
fn problems_name_file_line_value_and_hint() {
    let folder = Folder::with(&[("e.toml", &TORUS.replace("shape", "shpae"))]);
    let path = folder.path().join("e.toml");
    let source = Source { experiment: Some(path.clone()), ..Source::default() };
    let problems = Scenario::load(&source).unwrap_err();
    let expected = format!(
        "{0}:2: topology.shape: is missing\n{0}:4: topology.shpae = [4, 4]: unknown key\n\n\
         hint: topology.shape: write one size per dimension: shape = [16, 16]\n\
         hint: topology.shpae: did you mean shape?",
        path.display()
    );
    assert_eq!(problems.to_string(), expected);
}

/// One section of a right experiment is replaced; what is said about it.
#[track_caller]
pub(crate) fn check(section: &str, text: &str, expected: &str) {
    let others = TORUS.split("\n\n").filter(|part| !part.contains(&format!("[{section}]")));
    let without = others.collect::<Vec<_>>().join("\n\n");
    check_problems(load(&format!("{without}\n[{section}]\n{text}\n")), expected);
}

#[test]
fn topology() {
    let rest = "bandwidth = '1 GB/s'\n";
    let cases = r#"
        shape = [4] => topology.kind: is missing
        kind = 'tofo' => topology.kind: did you mean "tofu"?
        kind = 'tours' => topology.kind: did you mean "torus"?
        kind = 3 => topology.kind: must be one of torus, mesh, fat-tree
        kind = 'torus'; shape = 16 => topology.shape: must be a list
        kind = 'torus'; shape = [16, -1] => topology.shape: each a whole number, at least 1
        kind = 'torus'; shape = [16, 0] => topology.shape: at least 1
        kind = 'torus'; shape = [] => topology.shape: not empty
        kind = 'torus'; shape = [2.5] => topology.shape: whole number
        kind = 'torus'; shape = [100000, 100000] => topology.shape: more than
        kind = 'torus'; shape = [4, 4]; latency = ['1 ns'] => topology.latency: 2, one per dimension, not 1
        kind = 'torus'; shape = [4, 4]; latency = 'soon' => topology.latency: not a number
        kind = 'torus'; shape = [4, 4]; latency = true => topology.latency: such as "100 ns"
        kind = 'torus'; shape = [4, 4]; wrap = [true] => topology.wrap: 2 values, one per dimension, not 1
        kind = 'torus'; shape = [4, 4]; wrap = true => topology.wrap: list of true and false
        kind = 'torus'; shape = [4, 4]; tie = 'left' => topology.tie: plus, direct, parity
        kind = 'mesh'; shape = [4, 4]; tie = 'plus' => topology.tie: no dimension wraps
        kind = 'mesh'; shape = [4, 4]; routing = 'x' => topology.routing: belongs to kind = "fat-tree"
        kind = 'fat-tree' => topology.radix: is missing
        kind = 'fat-tree'; radix = 7 => topology.radix: odd
        kind = 'fat-tree'; radix = 100000 => topology.radix: more than
        kind = 'fat-tree'; radix = 4; shape = [4] => topology.shape: belongs to kind = "torus", "mesh", "hypercrossbar" or "tofu"
        kind = 'fat-tree'; radix = 4; routing = 'up' => topology.routing: destination-mod, source-mod
        kind = 'fat-tree'; radix = 4; latency = ['1 ns', '1 ns', '1 ns'] => topology.latency: 2, one per pair of neighboring stages, not 3
    "#;
    for (text, expected) in table(cases) {
        check("topology", &format!("{rest}{text}"), expected);
    }
    check("topology", "kind = 'torus'\nshape = [4]", "topology.bandwidth: is missing");
    check("topology", "kind = 'torus'\nshape = [4]\nbandwidth = 0", "topology.bandwidth: greater than zero");
    let said = "topology.bandwidth: unknown unit \"GB\"; write one of B/s";
    check("topology", "kind = 'torus'\nshape = [4]\nbandwidth = '8 GB'", said);
}

#[test]
fn a_missing_topology_is_said_once() {
    let without = &TORUS[TORUS.find("[engine]").unwrap()..];
    check_problems(load(without), "topology: is missing add [topology]");
    let not_a_table = "workload.kind: is missing && topology: must be a table begin it with [topology]";
    check_problems(load("topology = 3"), not_a_table);
}

#[test]
fn engine() {
    let cases = r#"
        kind = 'liquid' => engine.kind: must be one of flow, ideal, packet
        sharing = 'fair' => engine.sharing: max-min, iterative, iterative-literal, single-pass
        sharing = 'iterativ' => engine.sharing: did you mean "iterative"?
        sharing = 'iterative'; threshold = 0 => engine.threshold: between 0 and 1
        sharing = 'single-pass'; threshold = 0.1 => engine.threshold: belongs to sharing = "iterative" and "iterative-literal"
        resolution = '-1 s' => engine.resolution: negative
        threads = 0 => engine.threads: from 1 to 1024
        barrier = 'spin' => engine.barrier: belongs to method = "sweep"
        method = 'sweep' => engine.method: single pass
        method = 'quotient' => engine.method: is the same on the grid [16], not on the machine's [4, 4]
        method = 'sweep'; sharing = 'single-pass'; barrier = 'wait' => engine.barrier: must be one of spin, park
        latency = '1 us' => engine.latency: belongs to kind = "ideal"
        kind = 'ideal'; sharing = 'max-min' => engine.sharing: belongs to kind = "flow"
        kind = 'ideal'; bandwidth = '0 B/s' => engine.bandwidth: greater than zero
        kind = 'ideal'; message_gap = 'x' => engine.message_gap: not a number
    "#;
    for (text, expected) in table(cases) {
        check("engine", &text, expected);
    }
}

#[test]
fn mapping() {
    let cases = r#"
        kind = 'rand' => mapping.kind: linear, cyclic, random, file
        seed = 3 => mapping.seed: belongs to kind = "random"
        kind = 'random'; seed = -3 => mapping.seed: at least 0
        kind = 'random'; file = 'x' => mapping.file: belongs to kind = "file"
        kind = 'random'; generator = 'mt' => mapping.generator: lcg, splitmix
        kind = 'file' => mapping.file: is missing
        kind = 'file'; file = '' => mapping.file: must not be empty
        kind = 'file'; file = 'no.map' => mapping.file: no such file
        ranks_per_node = 0 => mapping.ranks_per_node: at least 1
    "#;
    for (text, expected) in table(cases) {
        check("mapping", &text, expected);
    }
}

#[test]
fn mistakes_in_a_mapping_file_have_their_own_file_and_line() {
    let text =
        TORUS.replace("shape = [4, 4]", "shape = [2, 2]") + "\n[mapping]\nkind = 'file'\nfile = 'r.map'\n";
    let folder =
        Folder::with(&[("e.toml", &text), ("r.map", "# map\n0 (0,0)\n1 (1,0)\n0 (0,1)\n3 (7,7)\n2 1\n")]);
    let problems = folder.load("e.toml").unwrap_err();
    let shown: Vec<_> = problems
        .list()
        .iter()
        .map(|p| (p.file.ends_with("r.map"), p.line, p.value.as_str(), p.hint.is_some()))
        .collect();
    let expected =
        [(true, Some(4), "0 (0,1)", false), (true, Some(5), "3 (7,7)", false), (true, Some(6), "2 1", true)];
    assert_eq!(shown, expected, "{problems}");
}

#[test]
fn node_packet_collectives_limits_output() {
    let cases = r#"
        node| nics = 0 => node.nics: a whole number from 1 to 16, or "per-direction"
        node| nics = 'all' => node.nics: from 1 to 16, or "per-direction"
        node| injection_limit = '0 B/s' => node.injection_limit: greater than zero
        node| nics = 'per-direction' => node.nics: belongs to engine.kind = "packet"
        node| nics = 2; stripe = 3; gap_of = 'node' => node.stripe: is 3, but a node has nics = 2 && node.gap_of: must be one of rank, interface
        node| stripe = 17 => node.stripe: a whole number from 1 to 16
        node| stripe_from = '1 kB' => node.stripe_from: belongs to stripe = 2 or more
        node| packet_gap = -1 => node.packet_gap: "max-min" or a number from 0 to 1000000
        node| packet_gap = 1.5 => node.packet_gap: with "flow" there are no packets
        node| nic_bandwidth = '0 B/s' => node.nic_bandwidth: greater than zero
        node| eager_messages = 0 => node.eager_messages: a whole number, at least 1
        node| eager_limit = '-1 B' => node.eager_limit: negative
        node| overhead_limits = ['9 B', '9 B'] => node.overhead_limits: must ascend
        node| overhead_limits = '9 B'; send_overhead = ['1 us', '2 us', '3 us']; receive_overhead = ['1 us', '2 us'] => node.send_overhead: must be one value, or 2, one more than overhead_limits has, not 3
        node| near_partners = 3 => node.near_partners: says nothing where no partner costs more
        node| far_overhead = '1 us'; far_limits = ['2 B', '1 B']; fresh_memory_from = '1 MiB' => node.far_overhead: says nothing where all partners are near && node.far_limits: must ascend && node.far_limits: says nothing where all partners are near && node.fresh_memory_from: says nothing alone
        node| near_partners = 0; far_overhead = ['1 us', '2 us']; fresh_memory_bandwidth = '1 GB/s' => node.near_partners: a whole number, at least 1 && node.far_overhead: must be one value, or 1, one more than far_limits has, not 2 && node.fresh_memory_bandwidth: says nothing alone
        node| local_send_overhead = ['1 us', '2 us']; memory_limit = '0 B/s' => node.local_send_overhead: must be one value, or 1, one more than overhead_limits has, not 2 && node.memory_limit: greater than zero
        node| combine_bandwidth = '0 B/s' => node.combine_bandwidth: greater than zero
        node| progress = 'thread' => node.progress: always, calls, polls
        node| progress = 'polls' => node.progress_interval: is missing write progress_interval
        node| progress = 'polls'; progress_interval = '0 s' => node.progress_interval: must be more than no time
        node| progress = 'calls'; progress_interval = '1 us' => node.progress_interval: belongs to progress = "polls"
        packet| preset = 'nsim' => packet.preset: nsim-torus, nsim-infiniband
        packet| mtu = '0 B' => packet.mtu: greater than zero
        packet| virtual_channels = 0 => packet.virtual_channels: from 1 to 256
        packet| input_buffer = 0 => packet.input_buffer: at least 1, or a quantity such as "20 kB"
        packet| output_buffer = '0 B' => packet.output_buffer: greater than zero
        packet| output_buffer = '4095 B' => packet.output_buffer: no room for a packet: packet.mtu is 4 KiB
        packet| input_buffer = '2 kB'; mtu = '2 KiB' => packet.input_buffer: packet.mtu is 2 KiB, and packets are kept whole write input_buffer = "2 KiB"
        packet| mtu = 0; input_buffer = '1 B' => packet.mtu: greater than zero
        packet| allow_deadlock = 1 => packet.allow_deadlock: true or false
        packet| switch_bandwidth = '0 B/s' => packet.switch_bandwidth: greater than zero
        packet| arbiter = 'robin' => packet.arbiter: round-robin, transit-first, injection-first, oldest-first, fixed-priority
        packet| switch_delays = '1 ns' => packet.switch_delays: did you mean switch_delay?
        collectives| bcast = 'tree' => collectives.bcast: auto, binomial, binomial-nearest-first, flat
        collectives| broadcast = 'flat' => collectives.broadcast: known are allgather, allgather_rings
        storage| servers = 0 => storage.servers: a whole number from 1 to 1000000
        storage| stripe = '0 B' => storage.stripe: greater than zero
        storage| bandwidth = '0 B/s' => storage.bandwidth: greater than zero
        storage| bandwith = '1 GB/s'; latency = 'short' => storage.bandwith: did you mean bandwidth? && storage.latency: not a number
        limits| wall_time = 5 => limits.wall_time: the unit is missing
        limits| simulated_time = '9999 h' => limits.simulated_time: too large
        output| dir = 3 => output.dir: text in quotes
    "#;
    for (text, expected) in table(cases) {
        let (section, text) = text.split_once('|').unwrap();
        check(section, text.trim(), expected);
    }
}

/// What a number without a unit probably stands for, in the unit in which people say it.
#[test]
fn a_missing_unit_is_proposed_with_the_value() {
    for (key, numbers) in [
        (
            "topology.bandwidth",
            &[("4e9", "4 GB/s"), ("12_500_000_000", "12.5 GB/s"), ("100", "100 GB/s"), ("2.5", "2.5 GB/s")][..],
        ),
        (
            "workload.message_size",
            &[
                ("100000", "100 kB"),
                ("65536", "64 KiB"),
                ("1500", "1500 B"),
                ("1048576", "1 MiB"),
                ("8", "8 B"),
            ],
        ),
        (
            "topology.latency",
            &[("100", "100 ns"), ("1e-6", "1 us"), ("0.0025", "2.5 ms"), ("2500", "2.5 us")],
        ),
        ("limits.wall_time", &[("60", "60 s"), ("45", "45 s")]),
        ("limits.memory", &[("8", "8 GB"), ("4294967296", "4 GiB")]),
    ] {
        for (number, said) in numbers {
            let problems = load_with(TORUS, &[&format!("{key}={number}")]);
            check_problems(problems, &format!("{key}: such as \"{said}\""));
        }
    }
    let said = "the unit is missing; write one of ps, ns, us, ms, s, min, h write it with its unit, such as \"2.5 ms\"";
    check_problems(load_with(TORUS, &["topology.latency='0.0025'"]), &format!("topology.latency: {said}"));
}

#[test]
fn the_two_forms_of_quantities_are_not_mixed() {
    let mixed = TORUS.replace("\"1 GB/s\"", "1\nlatency = '1 ns'");
    let said = "topology.bandwidth: has no unit, but topology.latency has one write it with its unit, such as \"1 GB/s\"; or no units anywhere";
    check_problems(load(&mixed), said);
    let lists = TORUS.replace("\"1 GB/s\"", "['1 GB/s', 2]");
    let said = "topology.bandwidth: has no unit, but topology.bandwidth has one write it with its unit, such as \"2 GB/s\"";
    check_problems(load(&lists), said);
    let preset = "[packet]\npreset = 'nsim-torus'\n";
    let unitless = TORUS.replace("\"1 GB/s\"", "1").replace("\"20 kB\"", "1");
    let said = "topology.bandwidth: has no unit, but topology.latency has one write it with its unit, such as \"1 GB/s\", workload.message_size as \"1 B\";";
    check_problems(load(&(unitless + preset)), said);
    load(&TORUS.replace("\"1 GB/s\"", "'1 GB/s'\nlatency = 0")).unwrap();
}

#[test]
fn what_is_not_toml_is_reported_with_its_lines() {
    let result = load("[topology]\nkind = torus\nshape = [4, 4]\nbandwidth = 1 GB/s\n");
    let problems = result.unwrap_err();
    assert!(problems.list().iter().all(|p| p.what.starts_with("not TOML: ")), "{problems}");
    let lines: Vec<_> = problems.list().iter().filter_map(|p| p.line).collect();
    assert!(lines.contains(&2) && lines.contains(&4), "{problems}");
}

#[test]
fn a_file_that_is_not_there_is_reported() {
    let source = Source {
        experiment: Some("no/such.toml".into()),
        machine: Some("nor.toml".into()),
        ..Source::default()
    };
    let problems = Scenario::load(&source).unwrap_err();
    let files: Vec<_> = problems.list().iter().map(|p| p.file.as_str()).collect();
    assert_eq!(files, ["no/such.toml", "nor.toml"], "{problems}");
}
