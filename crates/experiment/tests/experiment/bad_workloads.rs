//! What is said of a workload that is wrong, and of its files.

use crate::bad_input::check;
use crate::{Folder, TORUS, check_problems, load, load_with, program, table};
use weir_experiment::Scenario;
use weir_experiment::keys::pages;
use weir_network::Copying;

#[test]
fn workload() {
    let size = "message_size = '1 kB'\n";
    let cases = r#"
        => workload.kind: is missing
        kind = 'profile' => workload.file: is missing name a profile && workload.message_size: belongs to the patterns
        kind = 'all-2-all' => workload.kind: did you mean "all-to-all"?
        kind = 'all-to-all'; algorithm = 'pairs' => workload.algorithm: simple-spread, simple-spread-2d, pairwise, bruck, auto
        kind = 'all-to-all'; seed = 3 => workload.seed: belongs to kind = "random-ring"
        kind = 'all-to-all'; program = 'x' => workload.program: belongs to kind = "program"
        kind = 'all-to-all'; synchronised = 1 => workload.synchronised: true or false
        kind = 'ring'; algorithm = 'pairwise' => workload.algorithm: belongs to kind = "all-to-all", "broadcast", "gather", "scatter" or "collective"
        kind = 'ring'; messages = 0 => workload.messages: at least 1
        kind = 'random-ring'; generator = 'dice' => workload.generator: lcg, splitmix
        kind = 'ring'; offered_load = 0.3 => workload.offered_load: belongs to kind = "synthetic"
        kind = 'ring'; ranks = 0 => workload.ranks: at least 1
        kind = 'collective'; operation = 'bcast'; root = 16 => workload.root: there is no rank 16: there are 16, counted from 0
        kind = 'collective'; operation = 'pingpong'; ranks = 1 => workload.operation: needs two ranks write ranks = 2
        kind = 'ring'; ranks = 17 => workload.ranks: 17 ranks do not fit 16 nodes with 1 on each (16 ranks) mapping.ranks_per_node = 2 would do, or topology.shape = [4, 5]
    "#;
    for (text, expected) in table(cases) {
        check("workload", &format!("{size}{text}"), expected);
    }
    check("workload", "kind = 'ring'", "workload.message_size: is missing");
    let said = "workload.message_size: whole number of bytes";
    check("workload", "kind = 'ring'\nmessage_size = '1.5 B'", said);
    check("workload", "kind = 'ring'\nmessage_size = [1]", "workload.message_size: such as \"20 kB\"");
}

#[test]
fn patterns() {
    let size = "message_size = '1 kB'\n";
    let spread_2d = "kind = 'all-to-all'\nalgorithm = 'simple-spread-2d'\n";
    let cases = r#"
        kind = 'ring'; grid = [4, 4] => workload.grid: belongs to kind = "all-to-all" or "halo"
        kind = 'all-to-all'; grid = [4, 4] => workload.grid: algorithm = "simple-spread-2d"
        kind = 'all-to-all'; algorithm = 'bruck'; synchronised = false => workload.synchronised: must be true: bruck passes on
        kind = 'broadcast'; algorithm = 'binary' => workload.algorithm: flat, binomial, ring-pipeline
        kind = 'broadcast'; root = 16 => workload.root: there is no rank 16 among 16 ranks ranks are counted from 0
        kind = 'broadcast'; synchronised = true => workload.synchronised: belongs to kind =
        kind = 'broadcast'; segments = 3 => workload.segments: algorithm = "ring-pipeline"
        kind = 'broadcast'; algorithm = 'ring-pipeline'; segments = 0 => workload.segments: at least 1
        kind = 'gather'; algorithm = 'ring-pipeline' => workload.algorithm: one of flat, binomial
        kind = 'scatter'; size_spread = 0.5 => workload.size_spread: makes no sense where ranks pass on
        kind = 'halo'; grid = [4, 3] => workload.grid: has 12 places, but there are 16 ranks
        kind = 'halo'; grid = [4, 4]; periodic = [true] => workload.periodic: 2 values, one per dimension
        kind = 'halo'; grid = [0]; periodic = 1 => workload.grid: at least 1 && workload.periodic: list of true and false
        kind = 'permutation' => workload.permutation: is missing write permutation =
        kind = 'permutation'; permutation = 'transposed' => workload.permutation: mean "transpose"?
        kind = 'permutation'; permutation = 'shift' => workload.distance: is missing
        kind = 'permutation'; permutation = 'transpose'; distance = 2; seed = 1; generator = 'lcg' => workload.distance: permutation = "shift" && workload.seed: belongs to kind = "random-ring" && workload.generator: permutation = "random"
        kind = 'permutation'; permutation = 'transpose'; ranks = 12 => workload.permutation: transpose needs a number of ranks that is a square, and 12 is not use shift or random
        kind = 'permutation'; permutation = 'bit-reverse'; ranks = 12 => workload.permutation: power of two, and 12 is not
        kind = 'hot-spot'; fraction = 1.5 => workload.fraction: a number from 0 to 1
        kind = 'hot-spot'; size_spread = 1 => workload.size_spread: a number from 0 on, below 1
        kind = 'incast'; fractoin = 1 => workload.fractoin: unknown key known are
        kind = 'hot-spot'; fractoin = 1 => workload.fractoin: did you mean fraction?
        kind = 'incast'; messages = 18446744073709551615 => workload.messages: too many messages all ranks together
    "#;
    for (text, expected) in table(cases) {
        check("workload", &format!("{size}{text}"), expected);
    }
    let cases = "
        grid = [16] => workload.grid: must have two sizes
        grid = [3, 5] => workload.grid: a grid of [3, 5] has 15 places, but there are 16 ranks
        ranks = 15 => workload.grid: 15 ranks are not a square, and the machine has no two dimensions write
        gird = [4, 4] => workload.gird: did you mean grid?
    ";
    for (text, expected) in table(cases) {
        check("workload", &format!("{size}{spread_2d}{text}"), expected);
    }
    let huge = "kind = 'all-to-all'\nalgorithm = 'bruck'\nmessage_size = '1e18 B'";
    check("workload", huge, "workload.message_size: sizes that overflow");
}

#[test]
fn a_halo_needs_a_grid() {
    let text = "[engine]\nkind = 'ideal'\n[workload]\nkind = 'halo'\nranks = 8\nmessage_size = '1 B'\n";
    check_problems(load(text), "workload.grid: is missing write one size per dimension: grid = [8, 8, 8]");
    load(&format!("{text}grid = [2, 2, 2]\n")).unwrap();
    let said = "workload.grid: a grid of [4, 4] has 16 places, but there are 12 ranks";
    check_problems(load(&TORUS.replace("kind = \"all-to-all\"", "kind = 'halo'\nranks = 12")), said);
}

#[test]
fn mistakes_in_a_pattern_file_have_their_own_file_and_line() {
    let pattern = "weir-pattern 1\nranks 3\n0 send 1 1\n0 send 3 1 kB # far\n1 send 1 1\n2 sent 0 1\n";
    let text = TORUS.replace(
        "kind = \"all-to-all\"\nmessage_size = \"20 kB\"",
        "kind = 'pattern-file'\nfile = 'x.pattern'",
    );
    let folder = Folder::with(&[("e.toml", &text), ("x.pattern", pattern)]);
    let problems = folder.load("e.toml").unwrap_err();
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
    let source = folder.source("e.toml");
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
    check("workload", "kind = 'pattern-file'", "workload.file: is missing name a pattern file");
    // A pattern is a closed loop.
    let open = file("x.pattern") + "offered_load = 0.5\nduration = '1 us'";
    let belongs = "belongs to kind = \"synthetic\"";
    check("workload", &open, &format!("workload.offered_load: {belongs} && workload.duration: {belongs}"));
    check("workload", &file("gone.pattern"), "workload.file: cannot be read: No such file");
    check("workload", &file("x.txt"), "workload.file: ends in .pattern or .parquet");
    let more = file("x.pattern") + "ranks = 4\nmessage_size = '1 B'\nmessages = 2\nprogram = 'x'\n";
    let said = "workload.ranks: the file has 3 ranks leave ranks away && workload.message_size: belongs to the patterns && workload.messages: belongs to the patterns && workload.program: belongs to kind = \"program\"";
    check("workload", &more, said);
    check("workload", &file("large.pattern"), "workload.ranks: 17 ranks do not fit 16 nodes");
    check("workload", "kind = 'ring'\nmessage_size = '1 B'\nfile = 'x'", "workload.file: \"pattern-file\"");
}

#[test]
fn programs() {
    let folder = Folder::with(&[("halo", &program()), ("text", "")]);
    let here = folder.path().display().to_string();
    let cases = r#"
        P gone; ranks = 4 => workload.program: gone compile it first: weir cc
        P text; ranks = 4 => workload.program: neither built by weir cc nor executable
        P .; ranks = 4 => workload.program: is not a file
        kind = 'program'; ranks = 4 => workload.program: is missing
        P halo => workload.ranks: is missing
        P halo; ranks = 4; message_size = '1 B' => workload.message_size: belongs to the patterns
        P halo; ranks = 4; args = 'x' => workload.args: list of texts
        P halo; ranks = 4; args = [1] => workload.args: text in quotes
        P halo; ranks = 4; stack_size = 65536 => workload.stack_size: the unit is missing
        P halo; ranks = 4; data = 'no' => workload.data: true or false
        P halo; ranks = 4; compute = 'fast' => workload.compute: "none" or "measured" or a number above 0
        P halo; ranks = 4; compute = 0 => workload.compute: "none" or "measured" or a number above 0
        P halo; ranks = 4; compute = -1.5 => workload.compute: "none" or "measured" or a number above 0
        P halo; ranks = 4; compute = inf => workload.compute: "none" or "measured" or a number above 0
        kind = 'ring'; message_size = '1 B'; data = false => workload.data: belongs to kind
    "#;
    for (text, expected) in table(cases) {
        let line = |line: &str| match line.strip_prefix("P ") {
            Some(name) => format!("kind = 'program'\nprogram = '{here}/{name}'\n"),
            None => format!("{line}\n"),
        };
        check("workload", &text.lines().map(line).collect::<String>(), expected);
    }
}

/// Items by number from 0 on, a key that makes no sense, with a wrong value, and checkpoints of programs.
#[test]
fn each_mistake_is_said_once() {
    let said = "faults: has no item 0: they are numbered from 0";
    check_problems(load_with(TORUS, &["faults.1.speed=0.5"]), said);
    let many = load_with(TORUS, &["mapping.ranks_per_node=300000000"]);
    check_problems(many, "workload.ranks: there can be at most 4294967295 ranks");
    let mesh = ["topology.kind=mesh", "topology.tie=77"];
    check_problems(load_with(TORUS, &mesh), "topology.tie: makes no sense where no dimension wraps");
    let text = "[workload]\nkind = 'program'\nprogram = 'p'\nranks = 2\n[output]\ndir = 'd'\ncheckpoint_every = '10 min'\n";
    let folder = Folder::with(&[("p", &program()), ("e.toml", text)]);
    check_problems(folder.load("e.toml"), "output.checkpoint_every: is not for MPI programs");
}

/// An engine keeps a list of cycles where it goes on by steps of its own; messages within a node wait for each other where that is limited.
#[test]
fn what_engines_and_nodes_can_do() {
    let quotient = ["engine.method=quotient", "workload.algorithm=simple-spread-2d"];
    for (sets, lists, in_turn) in [
        (&["engine.kind=ideal"][..], false, false),
        (&["engine.kind=packet"], false, false),
        (&[], true, false),
        (&["engine.method=incremental", "node.local_bandwidth=1 GB/s"], true, true),
        (&["node.memory_limit=1 GB/s"], true, true),
        (&quotient, false, false),
    ] {
        let scenario = load_with(TORUS, sets).unwrap();
        let copying = scenario.node.within(None).copying;
        assert_eq!(
            (scenario.engine.lists_cycles(), copying == Copying::InTurn),
            (lists, in_turn),
            "{sets:?}"
        );
    }
    assert_eq!(pages::schema()["properties"]["calibrated"]["additionalProperties"]["minItems"], 2);
}
