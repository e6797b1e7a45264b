//! Lower bounds of experiments: known values, and that no run is faster.

use crate::{Folder, load, load_with};
use proptest::prelude::*;
use weir_analysis::{BoundKind, Bounds};
use weir_network::Outcome;
use weir_run::run;
use weir_units::{Duration, Time};

fn bounds(text: &str) -> Bounds {
    weir_analysis::bounds(&load(text).unwrap(), &mut |_, _| {}).unwrap()
}

fn time(bounds: &Bounds, kind: BoundKind) -> Duration {
    bounds.bounds.iter().find(|bound| bound.kind == kind).unwrap().time
}

fn square_torus(n: u32) -> String {
    format!(
        "[topology]\nkind = 'torus'\nshape = [{n}, {n}]\nbandwidth = '1 GB/s'\n[workload]\nkind = 'all-to-all'\n\
         message_size = '20 kB'\n"
    )
}

/// Paper 000, section 5.1: n^3/8 messages of 20 us, 2.5 ms for 100 nodes to 10.24 ms for 256. Where n is even this is what
/// the cut into halves says; where it is odd the cut says n (n^2 - 1)/8.
#[test]
fn an_all_to_all_on_square_tori_is_bounded_by_the_closed_form() {
    for (n, us) in
        [(10, 2500.0), (11, 3327.5), (12, 4320.0), (13, 5492.5), (14, 6860.0), (15, 8437.5), (16, 10_240.0)]
    {
        let bounds = bounds(&square_torus(n));
        let form = &bounds.closed_forms[0];
        assert_eq!((form.formula, form.source), ("n^3/8", "the MFS paper, section 5.1"));
        assert_eq!(form.time, Duration::from_secs_f64(us * 1e-6).unwrap(), "n = {n}");
        assert_eq!(form.not_a_bound.is_none(), n % 2 == 0, "n = {n}");
        let n = u64::from(n);
        let cut = if n % 2 == 0 { n * n * n } else { n * (n * n - 1) } * 20_000_000 / 8;
        assert_eq!(time(&bounds, BoundKind::Cut), Duration::from_ps(cut), "n = {n}");
        let one_node = Duration::from_ps((n * n - 1) * 20_000_000);
        assert_eq!(time(&bounds, BoundKind::Injection), one_node);
        assert_eq!(time(&bounds, BoundKind::Ejection), one_node);
        assert_eq!(time(&bounds, BoundKind::Message), Duration::from_ps(20_000_000));
    }
}

/// On a ring of 16 messages half way round all go the positive way: 1 + 2 + .. + 8 of them pass each link, of those that
/// start in the same line as the link; there are 16 destinations in the line of each. 36 x 16 = 576 messages of 20 us.
#[test]
fn the_routes_of_a_torus_bound_more_than_its_cuts() {
    let bounds = bounds(&square_torus(16));
    assert_eq!(time(&bounds, BoundKind::Link), Duration::from_ps(576 * 20_000_000));
    assert_eq!(bounds.best().unwrap().kind, BoundKind::Link);
    assert!(!bounds.best().unwrap().at.contains("cables"), "{bounds:?}");
    assert_eq!(bounds.best_for_any_routes().unwrap().time, Duration::from_ps(10_240_000_000));
}

/// Below a switch two nodes send 4 kB to two others, through two interfaces each: 4 GB/s.
#[test]
fn cuts_through_nodes_count_all_interfaces() {
    let star = "[topology]\nkind = 'fat-tree'\nstages = [4]\nbandwidth = '1 GB/s'\n[node]\nnics = 2\n[workload]\nkind = 'all-to-all'\n\
                message_size = '1 kB'\n";
    assert_eq!(time(&bounds(star), BoundKind::Cut), Duration::from_ps(1_000_000));
}

#[test]
fn closed_forms_are_silent_where_they_do_not_apply() {
    for set in [
        "topology.shape=[4, 5]",
        "topology.shape=[4, 4, 4]",
        "topology.kind=mesh",
        "topology.bandwidth=['1 GB/s', '2 GB/s']",
        "workload.ranks=15",
        "workload.size_spread=0.5",
        "workload.algorithm=bruck",
        "workload.kind=ring",
        "mapping.ranks_per_node=2",
    ] {
        let scenario = load_with(&square_torus(4), &[set]).unwrap();
        assert_eq!(weir_analysis::bounds(&scenario, &mut |_, _| {}).unwrap().closed_forms, [], "{set}");
    }
}

/// The run takes exactly as long as the bound says: a ring on a ring; one message each across the longest way; all-to-all
/// on a full fat tree, where the N - 1 messages of a node follow each other without a pause.
#[test]
fn some_runs_are_as_fast_as_can_be() {
    let ring = "[topology]\nkind = 'torus'\nshape = [8]\nbandwidth = '1 GB/s'\n[workload]\nkind = 'ring'\n\
                message_size = '20 kB'\nmessages = 3\n";
    let shift = "[topology]\nkind = 'torus'\nshape = [8]\nbandwidth = '8 GB/s'\nlatency = '1 us'\n\
                 [node]\nnic_bandwidth = '1 GB/s'\n[workload]\nkind = 'permutation'\npermutation = 'shift'\n\
                 distance = 4\nmessage_size = '20 kB'\n";
    let tree = "[topology]\nkind = 'fat-tree'\nradix = 4\nbandwidth = '1 GB/s'\n[workload]\nkind = 'all-to-all'\n\
                algorithm = 'pairwise'\nmessage_size = '20 kB'\n";
    for (text, us) in [(ring, 60), (shift, 20 + 6), (tree, 15 * 20)] {
        let scenario = load(text).unwrap();
        let bounds = weir_analysis::bounds(&scenario, &mut |_, _| {}).unwrap();
        assert_eq!(bounds.best().unwrap().time, Duration::from_ns(1000 * us), "{text}");
        let report = run(&scenario, &mut |_| {}).unwrap();
        assert_eq!(report.summary.simulated.since(Time::ZERO), Duration::from_ns(1000 * us), "{text}");
    }
}

/// A node sends 15 messages of 20 kB, over two interfaces of 1 GB/s in 150 us, up to a limit of 500 MB/s in 600 us; a limit above
/// what its interfaces carry changes nothing. On packets nothing waits behind the last one of 4,096 B. No run is faster.
#[test]
fn limits_of_nodes_are_bounds() {
    let us = |us: f64| Duration::from_secs_f64(us * 1e-6).unwrap();
    for (engine, limited) in [("engine.kind=flow", 600.0), ("engine.kind=packet", 600.0 - 8.192)] {
        for (limit, expected, named) in [
            ("node.injection_limit='500 MB/s'", [limited, 150.0], "node 0, node.injection_limit"),
            ("node.ejection_limit='500 MB/s'", [150.0, limited], "node 0, node.ejection_limit"),
            ("node.injection_limit='9 GB/s'", [150.0, 150.0], "2 interfaces"),
        ] {
            let scenario = load_with(&square_torus(4), &["node.nics=2", engine, limit]).unwrap();
            let bounds = weir_analysis::bounds(&scenario, &mut |_, _| {}).unwrap();
            let found = [BoundKind::Injection, BoundKind::Ejection].map(|kind| time(&bounds, kind));
            assert_eq!(found, expected.map(us), "{engine} {limit}");
            assert!(bounds.bounds.iter().any(|bound| bound.at.ends_with(named)), "{bounds:?}");
            let simulated = run(&scenario, &mut |_| {}).unwrap().summary.simulated.since(Time::ZERO);
            assert!(simulated >= bounds.best().unwrap().time, "{engine} {limit}: {simulated:?}");
        }
    }
}

#[test]
fn who_has_no_bounds() {
    let ideal = "[engine]\nkind = 'ideal'\n[workload]\nkind = 'ring'\nmessage_size = '1 kB'\nranks = 4\n";
    let why = weir_analysis::bounds(&load(ideal).unwrap(), &mut |_, _| {}).unwrap_err();
    assert!(why.to_string().starts_with("there is no [topology]"), "{why}");
    let both = format!("{}[engine]\nkind = 'ideal'\n", square_torus(4));
    assert!(bounds(&both).notes[0].contains("the ideal engine knows no links"));
    assert!(!bounds(&both).hold && bounds(&square_torus(4)).hold);
    let iterative = format!("{}[engine]\nsharing = 'iterative'\nthreshold = 0.02\n", square_torus(4));
    assert_eq!(bounds(&iterative).notes, [""; 0], "no link carries more than its capacity");
    let alone = "[topology]\nkind = 'torus'\nshape = [1]\nbandwidth = '1 GB/s'\n[mapping]\nranks_per_node = 4\n\
                 [workload]\nkind = 'ring'\nmessage_size = '1 kB'\n";
    let bounds = bounds(alone);
    assert_eq!((bounds.bounds.len(), bounds.messages, bounds.best()), (0, 4, None));
}

/// 10,000 nodes and 10^8 messages.
#[test]
fn a_large_all_to_all_needs_no_list_of_messages() {
    let bounds = bounds(&square_torus(100));
    assert_eq!((bounds.messages, bounds.counted), (99_990_000, 99_990_000));
    assert_eq!(time(&bounds, BoundKind::Cut), Duration::from_ps(125_000 * 20_000_000));
    // 1 + 2 + .. + 50 of each line, 100 lines.
    assert_eq!(time(&bounds, BoundKind::Link), Duration::from_ps(1275 * 100 * 20_000_000));
    assert!(bounds.notes.is_empty(), "{:?}", bounds.notes);
}

/// Patterns for 16 ranks.
const PATTERNS: [&str; 18] = [
    "kind = 'all-to-all'",
    "kind = 'all-to-all'\nalgorithm = 'simple-spread-2d'\ngrid = [4, 4]\nsynchronised = true",
    "kind = 'all-to-all'\nalgorithm = 'pairwise'\nmessages = 2",
    "kind = 'all-to-all'\nalgorithm = 'bruck'",
    "kind = 'ring'\nmessages = 3",
    "kind = 'ring'\nsynchronised = true\nsize_spread = 0.5",
    "kind = 'random-ring'\nmessages = 2",
    "kind = 'broadcast'\nroot = 5",
    "kind = 'broadcast'\nalgorithm = 'flat'",
    "kind = 'broadcast'\nalgorithm = 'ring-pipeline'\nsegments = 4",
    "kind = 'gather'",
    "kind = 'scatter'\nmessages = 2",
    "kind = 'halo'\ngrid = [4, 4]\nsynchronised = true\nmessages = 2",
    "kind = 'permutation'\npermutation = 'bit-reverse'",
    "kind = 'permutation'\npermutation = 'random'\nsynchronised = true\nmessages = 3",
    "kind = 'permutation'\npermutation = 'transpose'",
    "kind = 'incast'\nroot = 7\nmessages = 2",
    "kind = 'hot-spot'\nmessages = 20\nsize_spread = 0.2",
];

/// Machines of 16 nodes, and one of 24. The last three have no links but those of their nodes, a cable slower than the
/// others, and two routers.
const MACHINES: [&str; 11] = [
    "kind = 'torus'\nshape = [4, 4]\nbandwidth = '1 GB/s'",
    "kind = 'torus'\nshape = [16]\ntie = 'parity'\nbandwidth = '3 GB/s'",
    "kind = 'mesh'\nshape = [8, 2]\nbandwidth = ['1 GB/s', '7 GB/s']",
    "kind = 'torus'\nshape = [2, 2, 4]\nwrap = [true, false, true]\nbandwidth = '1 GB/s'",
    "kind = 'hypercrossbar'\nshape = [4, 4]\nbandwidth = '1 GB/s'",
    "kind = 'tofu'\nshape = [2, 1, 1]\nbandwidth = '1 GB/s'",
    "kind = 'fat-tree'\nradix = 4\nbandwidth = '1 GB/s'",
    "kind = 'fat-tree'\nstages = [{down = 8, up = 1}, {down = 2}]\nbandwidth = '1 GB/s'",
    "kind = 'fat-tree'\nstages = [{down = 16}]\nbandwidth = '1 GB/s'",
    "kind = 'graph'\nfile = 'star.csv'\nbandwidth = '1 GB/s'",
    "kind = 'graph'\nfile = 'pair.csv'\nbandwidth = '1 GB/s'",
];

/// A router and 16 nodes, of which one has a slow cable; two routers with 8 nodes each.
fn graphs() -> [(&'static str, String); 2] {
    let mut star = "source,target,bandwidth,source_kind,target_kind\n".to_owned();
    (0..16).for_each(|v| {
        star += &format!("n{v},r,{},node,router\n", if v == 5 { "250 MB/s" } else { "1 GB/s" })
    });
    let mut pair = "source,target,source_kind,target_kind\nr0,r1,router,router\n".to_owned();
    (0..16).for_each(|v| pair += &format!("n{v},r{},node,router\n", v % 2));
    [("star.csv", star), ("pair.csv", pair)]
}

/// With the flow engine a node has one interface.
const ENGINES: [&str; 10] = [
    "[engine]\nkind = 'flow'\n",
    "[engine]\nkind = 'flow'\nsharing = 'single-pass'\n",
    "[engine]\nkind = 'flow'\nsharing = 'iterative'\n",
    "[engine]\nkind = 'flow'\nsharing = 'iterative'\nthreshold = 0.2\n",
    "[engine]\nkind = 'flow'\nsharing = 'iterative-literal'\n",
    "node.nics = 1\n[engine]\nkind = 'packet'\nthreads = 1\n",
    "node.nics = 2\n[engine]\nkind = 'packet'\nthreads = 1\n",
    "node.nics = 3\n[engine]\nkind = 'packet'\nthreads = 1\n",
    "node.nics = 16\n[engine]\nkind = 'packet'\nthreads = 2\n",
    "node.nics = 'per-direction'\n[engine]\nkind = 'packet'\nthreads = 1\n",
];

const LIMITS: [&str; 5] = [
    "",
    "nic_bandwidth = '500 MB/s'\n",
    "nic_bandwidth = '5 GB/s'\n",
    "dma_bandwidth = '300 MB/s'\n",
    "memory_bandwidth = '100 MB/s'\nmpi_overhead = '1 us'\n",
];

fn experiments() -> impl Strategy<Value = String> {
    let ranks_per_node = prop::sample::select(&[1, 2, 3]);
    let mapping = prop_oneof![
        ranks_per_node.clone().prop_map(|many| format!("[mapping]\nranks_per_node = {many}\n")),
        (ranks_per_node, any::<u32>()).prop_map(|(many, seed)| {
            format!("[mapping]\nkind = 'random'\nranks_per_node = {many}\nseed = {seed}\n")
        }),
    ];
    let machine = prop::sample::select(&MACHINES).prop_flat_map(|machine| {
        let directions = ["'torus'", "'mesh'", "'tofu'"].iter().any(|kind| machine.contains(kind));
        (Just(machine), prop::sample::select(&ENGINES[..if directions { 10 } else { 9 }]))
    });
    let rest = (prop::sample::select(&LIMITS), 0..2000_u64, prop::sample::select(&PATTERNS), 0..30_000_u64);
    (machine, mapping, rest).prop_map(|((machine, engine), mapping, (limits, latency, pattern, size))| {
        let (nics, engine) = engine.split_at(engine.find('[').unwrap());
        let nics = nics.trim_start_matches("node.");
        format!(
            "[topology]\n{machine}\nlatency = '{latency} ns'\n[node]\n{nics}{limits}{mapping}{engine}[packet]\n\
             mtu = '2 kB'\n[workload]\n{pattern}\nranks = 16\nmessage_size = '{size} B'\n"
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// No run is faster than any of its bounds: machine, interfaces, mapping, ranks of one node, pattern, engine and sharing
    /// rule, all drawn.
    #[test]
    fn no_run_is_faster(text in experiments()) {
        let [star, pair] = graphs();
        let folder = Folder::with(&[(star.0, &star.1), (pair.0, &pair.1), ("experiment.toml", &text)]);
        let scenario = folder.load("experiment.toml").map_err(|problems| TestCaseError::fail(problems.to_string()))?;
        let bounds = weir_analysis::bounds(&scenario, &mut |_, _| {}).unwrap();
        let report = run(&scenario, &mut |_| {}).unwrap();
        prop_assert_eq!(&report.outcome, &Outcome::Finished);
        prop_assert!(bounds.hold);
        prop_assert_eq!(bounds.counted, report.summary.traffic.messages);
        let simulated = report.summary.simulated.as_ps();
        // A flow may end a picosecond early, or with 1e-9 of its message left (the flow engine's ties).
        let slack = bounds.messages + (simulated as f64 * 2e-9) as u64;
        let slack = if text.contains("'flow'") { slack } else { 0 };
        for bound in &bounds.bounds {
            prop_assert!(
                bound.time.as_ps() <= simulated + slack,
                "{:?} in a run of {}", bound, report.summary.simulated
            );
        }
    }
}

/// Two nodes at each of four routers send to the next router, over one cable by shortest ways; where a rule may take other ways only nodes
/// and cuts bound the run.
#[test]
fn other_ways_than_those_of_the_machine() {
    for rule in ["minimal", "hashed", "valiant", "ugal-l", "dimwar"] {
        let text = format!(
            "[topology]\nkind = 'full-mesh'\nrouters = 4\nnodes_per_router = 2\nbandwidth = '1 GB/s'\nrouting = '{rule}'\n\
             [workload]\nkind = 'permutation'\npermutation = 'shift'\ndistance = 2\nmessage_size = '1 MB'\n"
        );
        let bounds = bounds(&text);
        let taken = run(&load(&text).unwrap(), &mut |_| {}).unwrap().summary.simulated.as_ps();
        let best = bounds.bounds.iter().map(|bound| bound.time.as_ps()).max().unwrap();
        assert!(best <= taken, "{rule}: {best} ps, and it took {taken}");
        let any = bounds.bounds.iter().all(|bound| bound.kind.holds_for_any_routes());
        assert_eq!(any, rule != "minimal", "{rule}");
        assert_eq!(bounds.notes.iter().any(|note| note.contains(rule)), rule != "minimal");
    }
}
