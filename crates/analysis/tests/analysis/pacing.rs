//! NICAM: starts at different instants, and gaps, given and found.

use crate::common::nicam::*;
use crate::{Folder, load_with};
use weir_analysis::{BoundKind, bounds, write_paced};
use weir_experiment::Scenario;
use weir_network::Outcome;
use weir_run::run;
use weir_units::{Bytes, Duration};

fn simulated(scenario: &Scenario) -> Duration {
    let report = run(scenario, &mut |_| {}).unwrap();
    assert_eq!(report.outcome, Outcome::Finished);
    report.summary.simulated.since(weir_units::Time::ZERO)
}

#[test]
fn the_small_model_of_paper_004() {
    let scenario = with(&[]);
    assert_eq!((scenario.workload.ranks, scenario.nodes()), (40, 40));
    let report = run(&scenario, &mut |_| {}).unwrap();
    assert_eq!(report.summary.traffic.messages, 320);
    assert_eq!(report.summary.traffic.bytes, Bytes(320 * 96 * 1024));
    let bounds = bounds(&scenario, &mut |_, _| {}).unwrap();
    let link = bounds.bounds.iter().find(|bound| bound.kind == BoundKind::Link).unwrap();
    // A link between routers, the theory of the paper: the eight messages of a node leave it through four interfaces.
    assert_eq!((link.bytes, link.time.as_ps()), (Bytes(6 * 96 * 1024), THEORY_PS));
}

/// A gap of 1 halves the rate of a flow that is alone, whoever says it.
#[test]
fn a_gap_of_one_halves_the_rate_of_a_lone_flow() {
    let text = "[topology]\nkind = 'torus'\nshape = [4]\n[engine]\nkind = 'packet'\n[packet]\npreset = 'nsim-torus'\n\
                [workload]\nkind = 'pattern-file'\nfile = 'x.pattern'\n";
    let time = |line: &str, set: &[&str]| {
        let pattern = format!("weir-pattern 1\nranks 4\n{line}\n");
        let folder = Folder::with(&[("e.toml", text), ("x.pattern", &pattern)]);
        simulated(&folder.load_with("e.toml", set).unwrap()).as_ps()
    };
    // 4096 packets of 256 B, 32 ns each: 4095 of them are followed by a pause.
    let plain = time("0 send 1 1 MiB", &[]);
    let pauses = 4095 * 32_000;
    for kind in ["send", "post"] {
        assert_eq!(time(&format!("0 {kind} 1 1 MiB gap 1"), &[]), plain + pauses);
        assert_eq!(time(&format!("0 {kind} 1 1 MiB"), &["node.packet_gap=1"]), plain + pauses);
        assert_eq!(time(&format!("0 {kind} 1 1 MiB gap 0"), &["node.packet_gap=1"]), plain);
        assert_eq!(
            time(&format!("0 {kind} 1 1 MiB gap 2.5"), &["node.packet_gap=1"]),
            plain + pauses * 5 / 2
        );
    }
    assert_eq!(time("0 pause 3 us\n0 send 1 1 MiB", &[]), plain + 3_000_000);
}

/// Both messages of a direction, one after the other: 2 (1 + gap) message times.
#[test]
fn beyond_the_best_gap_only_the_gap_counts() {
    for gap in [3.0, 4.0] {
        let found = simulated(&with(&[&format!("node.packet_gap={gap}")])).as_ps() as f64;
        let expected = 2.0 * (1.0 + gap) * THEORY_PS as f64 / 6.0;
        assert!((found / expected - 1.0).abs() < 0.02, "{gap}: {found} {expected}");
    }
}

/// What the flow engine gives is the best gap in steps of an eighth, and costs no more than its margin; the theory is near.
#[test]
fn gaps_that_are_found_are_as_good_as_gaps_that_are_searched() {
    let found = |margin: f64| {
        let margin = format!("node.packet_gap_margin={margin}");
        simulated(&with(&["node.packet_gap=max-min", &margin])).as_ps() as f64
    };
    let gaps = (8..=24).map(|eighths| f64::from(eighths) / 8.0);
    let searched = gaps.map(|gap| simulated(&with(&[&format!("node.packet_gap={gap}")])).as_ps());
    let searched = searched.min().unwrap() as f64;
    assert!(found(0.0) <= searched && searched <= 1.02 * THEORY_PS as f64, "{searched}");
    let advised = simulated(&with(&["node.packet_gap=max-min"])).as_ps() as f64;
    assert!(advised <= 1.08 * searched, "{advised} {searched}");
    assert!(advised <= 1.1 * THEORY_PS as f64, "{advised}");
    assert!(simulated(&with(&[])).as_ps() as f64 > 1.2 * advised);
}

/// Two messages that meet on a link need one packet time each; one that is alone is not faster than they are, in vain. In the
/// next turn it is alone, and needs no gap.
#[test]
fn no_node_is_faster_than_the_slowest_of_the_turn() {
    let text = "[topology]\nkind = 'mesh'\nshape = [4]\n[engine]\nkind = 'packet'\n[packet]\npreset = 'nsim-torus'\n\
                [workload]\nkind = 'pattern-file'\nfile = 'x.pattern'\n";
    let pattern = "weir-pattern 1\nranks 4\n0 send 3 9000\n1 send 2 9000\n2 await 1\n2 send 1 5 kB\n2 send 1 5 kB\n3 send 2 0\n";
    let folder = Folder::with(&[("e.toml", text), ("x.pattern", pattern)]);
    let scenario = folder.load("e.toml").unwrap();
    let pacing = scenario.advise_pacing(0.05).unwrap();
    let classes: Vec<(f64, f64, u64)> =
        pacing.classes.iter().map(|class| (class.share, class.exact, class.messages)).collect();
    assert_eq!(classes, [(2.0, 1.0, 2), (1.0, 1.0, 1), (1.0, 0.0, 1)]);
    assert_eq!(pacing.turns, 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("paced.pattern");
    write_paced(&scenario, pacing, &path).unwrap();
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(
        written.contains(
            "0 send 3 9000 gap 1.1\n1 send 2 9000 gap 1.1\n2 await 1\n2 send 1 5000 gap 1.1\n2 send 1 5000 gap 0\n3 send 2 0\n"
        ),
        "{written}"
    );
}

/// Delays make the run longer by at most the largest of them, where no messages meet.
#[test]
fn ranks_start_when_their_delay_is_over() {
    let set = ["node.packet_gap=4", "workload.start_imbalance=10 us"];
    let (even, uneven) = (simulated(&with(&set[..1])), simulated(&with(&set)));
    let later = uneven.as_ps() - even.as_ps();
    assert!((5_000_000..=10_000_000).contains(&later), "{later}");
    let seed = |seed| simulated(&with(&[set[0], set[1], &format!("workload.seed={seed}")]));
    assert_ne!(seed(1), seed(2));
    // Six steps for forty ranks, 0.6 us at least each; and they do not leave at the same instant.
    let barrier = simulated(&with(&["node.packet_gap=4", "workload.start_barrier=true"]));
    assert!((3_600_000..10_000_000).contains(&(barrier.as_ps() - even.as_ps())), "{barrier}");
    let flow = with(&["engine.kind=flow", "node.nics=1", "workload.start_imbalance=10 us"]);
    assert!(simulated(&flow) > simulated(&with(&["engine.kind=flow", "node.nics=1"])));
}

/// What a profile sends gets the gaps that the same messages of a pattern get.
#[test]
fn messages_of_a_profile_have_gaps_too() {
    let two = "weir-profile 1\nranks 4\n0 send 2 100 kB\n0 end\n1 isend 2 100 kB request 0\n1 wait 0\n1 end\n\
               2 recv 0 100 kB\n2 recv 1 100 kB\n2 end\n3 end\n";
    let same = "weir-pattern 1\nranks 4\n0 send 2 100 kB\n1 send 2 100 kB\n";
    let sum = "weir-profile 1\nranks 4\n0 alltoall 10 kB\n0 end\n1 alltoall 10 kB\n1 end\n2 alltoall 10 kB\n2 end\n\
               3 alltoall 10 kB\n3 end\n";
    let folder = Folder::with(&[("two.profile", two), ("same.pattern", same), ("sum.profile", sum)]);
    let experiment = |kind: &str, file: &str, set: &[&str]| {
        let file = folder.path().join(file);
        let text = format!(
            "[topology]\nkind = 'torus'\nshape = [4]\n[engine]\nkind = 'packet'\nthreads = 1\n[node]\neager_limit = '1 MB'\n\
             [packet]\npreset = 'nsim-torus'\n[workload]\nkind = '{kind}'\nfile = '{}'\n",
            file.display()
        );
        load_with(&text, set).unwrap()
    };
    let found = experiment("profile", "two.profile", &[]).advise_pacing(0.0).unwrap();
    // Two messages share the way into node 2.
    assert_eq!(found.classes.iter().map(|class| (class.gap, class.messages)).collect::<Vec<_>>(), [(1.0, 2)]);
    let expected = found.classes;
    assert_eq!(experiment("pattern-file", "same.pattern", &[]).advise_pacing(0.0).unwrap().classes, expected);
    let time = |set: &[&str]| simulated(&experiment("profile", "two.profile", set));
    let paced = time(&["node.packet_gap=max-min", "node.packet_gap_margin=0"]);
    assert_eq!(paced, time(&["node.packet_gap=1"]));
    assert_ne!(paced, time(&[]));
    // Of a collective, each round.
    let rounds = experiment("profile", "sum.profile", &[]).advise_pacing(0.0).unwrap();
    assert_eq!(rounds.classes.iter().map(|class| class.messages).sum::<u64>(), 12);
    simulated(&experiment("profile", "sum.profile", &["node.packet_gap=max-min"]));
}
