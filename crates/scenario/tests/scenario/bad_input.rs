//! Every mistake is found, all at once, and named.

use crate::{Expected, Folder, TORUS, check_problems, load, program};
use weir_scenario::{Scenario, Source};

#[test]
fn a_right_experiment_is_accepted() {
    load(TORUS).unwrap();
}

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
    let source = Source { experiment: folder.file("bad.toml"), ..Source::default() };
    check_problems(
        Scenario::load(&source),
        &[
            ("sed", "unknown key did you mean seed?"),
            ("topology.bandwith", "unknown key did you mean bandwidth?"),
            ("topology.bandwidth", "the unit is missing; write one of B/s, kB/s"),
            ("topology.latency", "must not be negative"),
            ("topology.radix", "belongs to kind = \"fat-tree\""),
            ("engine.threshold", "belongs to sharing = \"iterative\""),
            ("workload.algorithm", "225 is not use simple-spread"),
            ("workload.message_size", "must not be negative"),
            ("output.sample_interval", "needs a results folder, and there is none set output.dir"),
            ("nodes", "unknown table did you mean node?"),
            ("mapping.file", "ranks 2 to 224 have no node"),
            ("mapping.file", "rank 1 has a node already, from line 2"),
        ],
    );
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
fn check(section: &str, text: &str, expected: Expected<'_>) {
    let without: String = TORUS
        .split("\n\n")
        .filter(|part| !part.contains(&format!("[{section}]")))
        .collect::<Vec<_>>()
        .join("\n\n");
    check_problems(load(&format!("{without}\n[{section}]\n{text}\n")), expected);
}

#[test]
fn topology() {
    let rest = "bandwidth = '1 GB/s'\n";
    let cases: &[(&str, Expected<'_>)] = &[
        ("shape = [4]", &[("topology.kind", "is missing")]),
        ("kind = 'tofo'", &[("topology.kind", "did you mean \"tofu\"?")]),
        ("kind = 'tours'", &[("topology.kind", "did you mean \"torus\"?")]),
        ("kind = 3", &[("topology.kind", "must be one of torus, mesh, fat-tree")]),
        ("kind = 'torus'\nshape = 16", &[("topology.shape", "must be a list")]),
        ("kind = 'torus'\nshape = [16, -1]", &[("topology.shape", "each a whole number, at least 1")]),
        ("kind = 'torus'\nshape = [16, 0]", &[("topology.shape", "at least 1")]),
        ("kind = 'torus'\nshape = []", &[("topology.shape", "not empty")]),
        ("kind = 'torus'\nshape = [2.5]", &[("topology.shape", "whole number")]),
        ("kind = 'torus'\nshape = [100000, 100000]", &[("topology.shape", "more than")]),
        (
            "kind = 'torus'\nshape = [4, 4]\nlatency = ['1 ns']",
            &[("topology.latency", "2, one per dimension, not 1")],
        ),
        ("kind = 'torus'\nshape = [4, 4]\nlatency = 'soon'", &[("topology.latency", "not a number")]),
        ("kind = 'torus'\nshape = [4, 4]\nlatency = true", &[("topology.latency", "such as \"100 ns\"")]),
        (
            "kind = 'torus'\nshape = [4, 4]\nwrap = [true]",
            &[("topology.wrap", "2 values, one per dimension, not 1")],
        ),
        ("kind = 'torus'\nshape = [4, 4]\nwrap = true", &[("topology.wrap", "list of true and false")]),
        ("kind = 'torus'\nshape = [4, 4]\ntie = 'left'", &[("topology.tie", "plus, direct, parity")]),
        ("kind = 'mesh'\nshape = [4, 4]\ntie = 'plus'", &[("topology.tie", "no dimension wraps")]),
        (
            "kind = 'mesh'\nshape = [4, 4]\nrouting = 'x'",
            &[("topology.routing", "belongs to kind = \"fat-tree\"")],
        ),
        ("kind = 'fat-tree'", &[("topology.radix", "is missing")]),
        ("kind = 'fat-tree'\nradix = 7", &[("topology.radix", "odd")]),
        ("kind = 'fat-tree'\nradix = 100000", &[("topology.radix", "more than")]),
        (
            "kind = 'fat-tree'\nradix = 4\nshape = [4]",
            &[("topology.shape", "belongs to kind = \"torus\", \"mesh\", \"hypercrossbar\" or \"tofu\"")],
        ),
        (
            "kind = 'fat-tree'\nradix = 4\nrouting = 'up'",
            &[("topology.routing", "destination-mod, source-mod")],
        ),
        (
            "kind = 'fat-tree'\nradix = 4\nlatency = ['1 ns', '1 ns', '1 ns']",
            &[("topology.latency", "2, one per pair of neighbouring stages, not 3")],
        ),
    ];
    for (text, expected) in cases {
        check("topology", &format!("{rest}{text}"), expected);
    }
    check("topology", "kind = 'torus'\nshape = [4]", &[("topology.bandwidth", "is missing")]);
    check(
        "topology",
        "kind = 'torus'\nshape = [4]\nbandwidth = 0",
        &[("topology.bandwidth", "greater than zero")],
    );
    check(
        "topology",
        "kind = 'torus'\nshape = [4]\nbandwidth = '8 GB'",
        &[("topology.bandwidth", "unknown unit \"GB\"; write one of B/s")],
    );
}

#[test]
fn a_missing_topology_is_said_once() {
    let without = &TORUS[TORUS.find("[engine]").unwrap()..];
    check_problems(load(without), &[("topology", "is missing add [topology]")]);
    let not_a_table =
        [("workload.kind", "is missing"), ("topology", "must be a table begin it with [topology]")];
    check_problems(load("topology = 3"), &not_a_table);
}

#[test]
fn engine() {
    let cases: &[(&str, Expected<'_>)] = &[
        ("kind = 'fluid'", &[("engine.kind", "must be one of flow, ideal, packet")]),
        ("sharing = 'fair'", &[("engine.sharing", "max-min, iterative, iterative-literal, single-pass")]),
        ("sharing = 'iterativ'", &[("engine.sharing", "did you mean \"iterative\"?")]),
        ("sharing = 'iterative'\nthreshold = 0", &[("engine.threshold", "between 0 and 1")]),
        (
            "sharing = 'single-pass'\nthreshold = 0.1",
            &[("engine.threshold", "belongs to sharing = \"iterative\" and \"iterative-literal\"")],
        ),
        ("resolution = '-1 s'", &[("engine.resolution", "negative")]),
        ("threads = 0", &[("engine.threads", "from 1 to 1024")]),
        ("barrier = 'spin'", &[("engine.barrier", "belongs to method = \"sweep\"")]),
        ("method = 'sweep'", &[("engine.method", "single pass")]),
        (
            "method = 'quotient'",
            &[("engine.method", "is the same on the grid [16], not on the machine's [4, 4]")],
        ),
        (
            "method = 'sweep'\nsharing = 'single-pass'\nbarrier = 'wait'",
            &[("engine.barrier", "must be one of spin, park")],
        ),
        ("latency = '1 us'", &[("engine.latency", "belongs to kind = \"ideal\"")]),
        ("kind = 'ideal'\nsharing = 'max-min'", &[("engine.sharing", "belongs to kind = \"flow\"")]),
        ("kind = 'ideal'\nbandwidth = '0 B/s'", &[("engine.bandwidth", "greater than zero")]),
        ("kind = 'ideal'\nmessage_gap = 'x'", &[("engine.message_gap", "not a number")]),
    ];
    for (text, expected) in cases {
        check("engine", text, expected);
    }
}

#[test]
fn workload() {
    let size = "message_size = '1 kB'\n";
    let cases: &[(&str, Expected<'_>)] = &[
        ("", &[("workload.kind", "is missing")]),
        (
            "kind = 'profile'",
            &[
                ("workload.file", "is missing name a profile"),
                ("workload.message_size", "belongs to the patterns"),
            ],
        ),
        ("kind = 'all-2-all'", &[("workload.kind", "did you mean \"all-to-all\"?")]),
        (
            "kind = 'all-to-all'\nalgorithm = 'pairs'",
            &[("workload.algorithm", "simple-spread, simple-spread-2d, pairwise, bruck, auto")],
        ),
        ("kind = 'all-to-all'\nseed = 3", &[("workload.seed", "belongs to kind = \"random-ring\"")]),
        ("kind = 'all-to-all'\nprogram = 'x'", &[("workload.program", "belongs to kind = \"program\"")]),
        ("kind = 'all-to-all'\nsynchronised = 1", &[("workload.synchronised", "true or false")]),
        (
            "kind = 'ring'\nalgorithm = 'pairwise'",
            &[(
                "workload.algorithm",
                "belongs to kind = \"all-to-all\", \"broadcast\", \"gather\" or \"scatter\"",
            )],
        ),
        ("kind = 'ring'\nmessages = 0", &[("workload.messages", "at least 1")]),
        ("kind = 'random-ring'\ngenerator = 'dice'", &[("workload.generator", "lcg, splitmix")]),
        (
            "kind = 'ring'\noffered_load = 0.3",
            &[("workload.offered_load", "belongs to kind = \"synthetic\"")],
        ),
        ("kind = 'ring'\nranks = 0", &[("workload.ranks", "at least 1")]),
        (
            "kind = 'ring'\nranks = 17",
            &[(
                "workload.ranks",
                "17 ranks do not fit 16 nodes with 1 on each (16 ranks) \
                mapping.ranks_per_node = 2 would do, or topology.shape = [4, 5]",
            )],
        ),
    ];
    for (text, expected) in cases {
        check("workload", &format!("{size}{text}"), expected);
    }
    check("workload", "kind = 'ring'", &[("workload.message_size", "is missing")]);
    check(
        "workload",
        "kind = 'ring'\nmessage_size = '1.5 B'",
        &[("workload.message_size", "whole number of bytes")],
    );
    check("workload", "kind = 'ring'\nmessage_size = [1]", &[("workload.message_size", "such as \"20 kB\"")]);
}

#[test]
fn patterns() {
    let size = "message_size = '1 kB'\n";
    let spread_2d = "kind = 'all-to-all'\nalgorithm = 'simple-spread-2d'\n";
    let cases: &[(&str, Expected<'_>)] = &[
        (
            "kind = 'ring'\ngrid = [4, 4]",
            &[("workload.grid", "belongs to kind = \"all-to-all\" or \"halo\"")],
        ),
        ("kind = 'all-to-all'\ngrid = [4, 4]", &[("workload.grid", "algorithm = \"simple-spread-2d\"")]),
        (
            "kind = 'all-to-all'\nalgorithm = 'bruck'\nsynchronised = false",
            &[("workload.synchronised", "must be true: bruck passes on")],
        ),
        (
            "kind = 'broadcast'\nalgorithm = 'binary'",
            &[("workload.algorithm", "flat, binomial, ring-pipeline")],
        ),
        (
            "kind = 'broadcast'\nroot = 16",
            &[("workload.root", "there is no rank 16 among 16 ranks ranks are counted from 0")],
        ),
        ("kind = 'broadcast'\nsynchronised = true", &[("workload.synchronised", "belongs to kind = ")]),
        ("kind = 'broadcast'\nsegments = 3", &[("workload.segments", "algorithm = \"ring-pipeline\"")]),
        (
            "kind = 'broadcast'\nalgorithm = 'ring-pipeline'\nsegments = 0",
            &[("workload.segments", "at least 1")],
        ),
        ("kind = 'gather'\nalgorithm = 'ring-pipeline'", &[("workload.algorithm", "one of flat, binomial")]),
        (
            "kind = 'scatter'\nsize_spread = 0.5",
            &[("workload.size_spread", "makes no sense where ranks pass on")],
        ),
        ("kind = 'halo'\ngrid = [4, 3]", &[("workload.grid", "has 12 places, but there are 16 ranks")]),
        (
            "kind = 'halo'\ngrid = [4, 4]\nperiodic = [true]",
            &[("workload.periodic", "2 values, one per dimension")],
        ),
        (
            "kind = 'halo'\ngrid = [0]\nperiodic = 1",
            &[("workload.grid", "at least 1"), ("workload.periodic", "list of true and false")],
        ),
        ("kind = 'permutation'", &[("workload.permutation", "is missing write permutation = ")]),
        (
            "kind = 'permutation'\npermutation = 'transposed'",
            &[("workload.permutation", "mean \"transpose\"?")],
        ),
        ("kind = 'permutation'\npermutation = 'shift'", &[("workload.distance", "is missing")]),
        (
            "kind = 'permutation'\npermutation = 'transpose'\ndistance = 2\nseed = 1\ngenerator = 'lcg'",
            &[
                ("workload.distance", "permutation = \"shift\""),
                ("workload.seed", "belongs to kind = \"random-ring\""),
                ("workload.generator", "permutation = \"random\""),
            ],
        ),
        (
            "kind = 'permutation'\npermutation = 'transpose'\nranks = 12",
            &[(
                "workload.permutation",
                "transpose needs a number of ranks that is a square, and 12 is not use shift or random",
            )],
        ),
        (
            "kind = 'permutation'\npermutation = 'bit-reverse'\nranks = 12",
            &[("workload.permutation", "power of two, and 12 is not")],
        ),
        ("kind = 'hot-spot'\nfraction = 1.5", &[("workload.fraction", "a number from 0 to 1")]),
        ("kind = 'hot-spot'\nsize_spread = 1", &[("workload.size_spread", "a number from 0 on, below 1")]),
        ("kind = 'incast'\nfractoin = 1", &[("workload.fractoin", "unknown key known are ")]),
        ("kind = 'hot-spot'\nfractoin = 1", &[("workload.fractoin", "did you mean fraction?")]),
        (
            "kind = 'incast'\nmessages = 18446744073709551615",
            &[("workload.messages", "too many messages all ranks together")],
        ),
    ];
    for (text, expected) in cases {
        check("workload", &format!("{size}{text}"), expected);
    }
    let cases: &[(&str, Expected<'_>)] = &[
        ("grid = [16]", &[("workload.grid", "must have two sizes")]),
        ("grid = [3, 5]", &[("workload.grid", "a grid of [3, 5] has 15 places, but there are 16 ranks")]),
        (
            "ranks = 15",
            &[("workload.grid", "15 ranks are not a square, and the machine has no two dimensions write")],
        ),
        ("gird = [4, 4]", &[("workload.gird", "did you mean grid?")]),
    ];
    for (text, expected) in cases {
        check("workload", &format!("{size}{spread_2d}{text}"), expected);
    }
    let huge = "kind = 'all-to-all'\nalgorithm = 'bruck'\nmessage_size = '1e18 B'";
    check("workload", huge, &[("workload.message_size", "sizes that overflow")]);
}

#[test]
fn a_halo_needs_a_grid() {
    let text = "[engine]\nkind = 'ideal'\n[workload]\nkind = 'halo'\nranks = 8\nmessage_size = '1 B'\n";
    check_problems(
        load(text),
        &[("workload.grid", "is missing write one size per dimension: grid = [8, 8, 8]")],
    );
    load(&format!("{text}grid = [2, 2, 2]\n")).unwrap();
    check_problems(
        load(&TORUS.replace("kind = \"all-to-all\"", "kind = 'halo'\nranks = 12")),
        &[("workload.grid", "a grid of [4, 4] has 16 places, but there are 12 ranks")],
    );
}

#[test]
fn mistakes_in_a_pattern_file_have_their_own_file_and_line() {
    let pattern = "weir-pattern 1\nranks 3\n0 send 1 1\n0 send 3 1 kB # far\n1 send 1 1\n2 sent 0 1\n";
    let text = TORUS.replace(
        "kind = \"all-to-all\"\nmessage_size = \"20 kB\"",
        "kind = 'pattern-file'\nfile = 'x.pattern'",
    );
    let folder = Folder::with(&[("e.toml", &text), ("x.pattern", pattern)]);
    let source = Source { experiment: folder.file("e.toml"), ..Source::default() };
    let problems = Scenario::load(&source).unwrap_err();
    let shown: Vec<_> = problems
        .list()
        .iter()
        .map(|p| (p.file.ends_with("x.pattern"), p.line, p.key.as_str(), p.value.as_str()))
        .collect();
    let key = "workload.file";
    let expected = [
        (true, Some(4), key, "0 send 3 1 kB"),
        (true, Some(5), key, "1 send 1 1"),
        (true, Some(6), key, "2 sent 0 1"),
    ];
    assert_eq!(shown, expected, "{problems}");

    let many = format!("weir-pattern 1\nranks 2\n{}", "0 send 0 1\n".repeat(25));
    let folder = Folder::with(&[("e.toml", &text), ("x.pattern", &many)]);
    let source = Source { experiment: folder.file("e.toml"), ..Source::default() };
    let problems = Scenario::load(&source).unwrap_err();
    assert_eq!(problems.list().len(), 21);
    assert_eq!(problems.list()[20].what, "and 5 more mistakes in this file");
}

#[test]
fn pattern_files() {
    let folder = Folder::with(&[
        ("x.pattern", "weir-pattern 1\nranks 3\n0 send 1 1\n"),
        ("large.pattern", "weir-pattern 1\nranks 17\n"),
        ("x.txt", ""),
    ]);
    let file =
        |name: &str| format!("kind = 'pattern-file'\nfile = '{}'\n", folder.path().join(name).display());
    check("workload", "kind = 'pattern-file'", &[("workload.file", "is missing name a pattern file")]);
    // A pattern is a closed loop.
    let open = file("x.pattern") + "offered_load = 0.5\nduration = '1 us'";
    let belongs = "belongs to kind = \"synthetic\"";
    check("workload", &open, &[("workload.offered_load", belongs), ("workload.duration", belongs)]);
    check("workload", &file("gone.pattern"), &[("workload.file", "cannot be read: No such file")]);
    check("workload", &file("x.txt"), &[("workload.file", "ends in .pattern or .parquet")]);
    let more = file("x.pattern") + "ranks = 4\nmessage_size = '1 B'\nmessages = 2\nprogram = 'x'\n";
    check(
        "workload",
        &more,
        &[
            ("workload.ranks", "the file has 3 ranks leave ranks away"),
            ("workload.message_size", "belongs to the patterns"),
            ("workload.messages", "belongs to the patterns"),
            ("workload.program", "belongs to kind = \"program\""),
        ],
    );
    check("workload", &file("large.pattern"), &[("workload.ranks", "17 ranks do not fit 16 nodes")]);
    check(
        "workload",
        "kind = 'ring'\nmessage_size = '1 B'\nfile = 'x'",
        &[("workload.file", "\"pattern-file\"")],
    );
}

#[test]
fn programs() {
    let folder = Folder::with(&[("halo", &program()), ("text", "")]);
    let here = folder.path().display().to_string();
    let there = format!("kind = 'program'\nprogram = '{here}/halo'\nranks = 4\n");
    let gone = format!("kind = 'program'\nprogram = '{here}/gone'\nranks = 4\n");
    check("workload", &gone, &[("workload.program", "gone compile it first: weir cc")]);
    check(
        "workload",
        &there.replace("halo", "text"),
        &[("workload.program", "neither built by weir cc nor executable")],
    );
    check("workload", &there.replace("/halo", ""), &[("workload.program", "is not a file")]);
    check("workload", "kind = 'program'\nranks = 4", &[("workload.program", "is missing")]);
    check("workload", &there.replace("ranks = 4", ""), &[("workload.ranks", "is missing")]);
    check(
        "workload",
        &format!("{there}message_size = '1 B'"),
        &[("workload.message_size", "belongs to the patterns")],
    );
    check("workload", &format!("{there}args = 'x'"), &[("workload.args", "list of texts")]);
    check("workload", &format!("{there}args = [1]"), &[("workload.args", "text in quotes")]);
    check(
        "workload",
        &format!("{there}stack_size = 65536"),
        &[("workload.stack_size", "the unit is missing")],
    );
    check("workload", &format!("{there}data = 'no'"), &[("workload.data", "true or false")]);
    let compute = [("workload.compute", "\"none\" or \"measured\" or a number above 0")];
    for wrong in ["'fast'", "0", "-1.5", "inf"] {
        check("workload", &format!("{there}compute = {wrong}"), &compute);
    }
    check(
        "workload",
        "kind = 'ring'\nmessage_size = '1 B'\ndata = false",
        &[("workload.data", "belongs to kind")],
    );
}

#[test]
fn mapping() {
    let cases: &[(&str, Expected<'_>)] = &[
        ("kind = 'rand'", &[("mapping.kind", "linear, random, file")]),
        ("seed = 3", &[("mapping.seed", "belongs to kind = \"random\"")]),
        ("kind = 'random'\nseed = -3", &[("mapping.seed", "at least 0")]),
        ("kind = 'random'\nfile = 'x'", &[("mapping.file", "belongs to kind = \"file\"")]),
        ("kind = 'random'\ngenerator = 'mt'", &[("mapping.generator", "lcg, splitmix")]),
        ("kind = 'file'", &[("mapping.file", "is missing")]),
        ("kind = 'file'\nfile = ''", &[("mapping.file", "must not be empty")]),
        ("kind = 'file'\nfile = 'no.map'", &[("mapping.file", "no such file")]),
        ("ranks_per_node = 0", &[("mapping.ranks_per_node", "at least 1")]),
    ];
    for (text, expected) in cases {
        check("mapping", text, expected);
    }
}

#[test]
fn mistakes_in_a_mapping_file_have_their_own_file_and_line() {
    let text =
        TORUS.replace("shape = [4, 4]", "shape = [2, 2]") + "\n[mapping]\nkind = 'file'\nfile = 'r.map'\n";
    let folder =
        Folder::with(&[("e.toml", &text), ("r.map", "# map\n0 (0,0)\n1 (1,0)\n0 (0,1)\n3 (7,7)\n2 1\n")]);
    let problems =
        Scenario::load(&Source { experiment: folder.file("e.toml"), ..Source::default() }).unwrap_err();
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
    let cases: &[(&str, &str, Expected<'_>)] = &[
        ("node", "nics = 0", &[("node.nics", "a whole number from 1 to 16, or \"per-direction\"")]),
        ("node", "nics = 'all'", &[("node.nics", "from 1 to 16, or \"per-direction\"")]),
        ("node", "nics = 2", &[("node.nics", "with \"flow\" every node has one interface leave it out")]),
        ("node", "nics = 'per-direction'", &[("node.nics", "belongs to engine.kind = \"packet\"")]),
        ("node", "packet_gap = -1", &[("node.packet_gap", "\"max-min\" or a number from 0 to 1000000")]),
        ("node", "packet_gap = 1.5", &[("node.packet_gap", "with \"flow\" there are no packets")]),
        ("node", "nic_bandwidth = '0 B/s'", &[("node.nic_bandwidth", "greater than zero")]),
        ("node", "eager_messages = 0", &[("node.eager_messages", "a whole number, at least 1")]),
        ("node", "eager_limit = '-1 B'", &[("node.eager_limit", "negative")]),
        ("packet", "preset = 'nsim'", &[("packet.preset", "nsim-torus, nsim-infiniband")]),
        ("packet", "mtu = '0 B'", &[("packet.mtu", "greater than zero")]),
        ("packet", "virtual_channels = 0", &[("packet.virtual_channels", "from 1 to 256")]),
        (
            "packet",
            "input_buffer = 0",
            &[("packet.input_buffer", "at least 1, or a quantity such as \"20 kB\"")],
        ),
        ("packet", "output_buffer = '0 B'", &[("packet.output_buffer", "greater than zero")]),
        (
            "packet",
            "output_buffer = '255 B'",
            &[("packet.output_buffer", "no room for a packet: packet.mtu is 256 B")],
        ),
        (
            "packet",
            "input_buffer = '2 kB'\nmtu = '2 KiB'",
            &[(
                "packet.input_buffer",
                "packet.mtu is 2 KiB, and packets are kept whole write input_buffer = \"2 KiB\"",
            )],
        ),
        ("packet", "mtu = 0\ninput_buffer = '1 B'", &[("packet.mtu", "greater than zero")]),
        ("packet", "allow_deadlock = 1", &[("packet.allow_deadlock", "true or false")]),
        ("packet", "switch_bandwidth = '0 B/s'", &[("packet.switch_bandwidth", "greater than zero")]),
        (
            "packet",
            "arbiter = 'robin'",
            &[(
                "packet.arbiter",
                "round-robin, transit-first, injection-first, oldest-first, fixed-priority",
            )],
        ),
        ("packet", "switch_delays = '1 ns'", &[("packet.switch_delays", "did you mean switch_delay?")]),
        ("collectives", "bcast = 'tree'", &[("collectives.bcast", "binomial, flat")]),
        ("collectives", "broadcast = 'flat'", &[("collectives.broadcast", "known are allgather, allreduce")]),
        ("storage", "servers = 0", &[("storage.servers", "a whole number from 1 to 1000000")]),
        ("storage", "stripe = '0 B'", &[("storage.stripe", "greater than zero")]),
        ("storage", "bandwidth = '0 B/s'", &[("storage.bandwidth", "greater than zero")]),
        (
            "storage",
            "bandwith = '1 GB/s'\nlatency = 'short'",
            &[("storage.bandwith", "did you mean bandwidth?"), ("storage.latency", "not a number")],
        ),
        ("limits", "wall_time = 5", &[("limits.wall_time", "the unit is missing")]),
        ("limits", "simulated_time = '9999 h'", &[("limits.simulated_time", "too large")]),
        ("output", "dir = 3", &[("output.dir", "text in quotes")]),
    ];
    for (section, text, expected) in cases {
        check(section, text, expected);
    }
}

#[test]
fn the_two_forms_of_quantities_are_not_mixed() {
    let mixed = TORUS.replace("\"1 GB/s\"", "1\nlatency = '1 ns'");
    check_problems(
        load(&mixed),
        &[(
            "topology.bandwidth",
            "has no unit, but topology.latency has one write it with its unit, such as \"1 GB/s\"; or no units anywhere",
        )],
    );
    let lists = TORUS.replace("\"1 GB/s\"", "['1 GB/s', 2]");
    check_problems(
        load(&lists),
        &[(
            "topology.bandwidth",
            "has no unit, but topology.bandwidth has one write it with its unit, such as \"2 GB/s\"",
        )],
    );
    let preset = "[packet]\npreset = 'nsim-torus'\n";
    let unitless = TORUS.replace("\"1 GB/s\"", "1").replace("\"20 kB\"", "1");
    check_problems(
        load(&(unitless + preset)),
        &[(
            "topology.bandwidth",
            "has no unit, but topology.latency has one write it with its unit, such as \"1 GB/s\", workload.message_size as \"1 kB\";",
        )],
    );
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
