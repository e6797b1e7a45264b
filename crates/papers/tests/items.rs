//! The items with their smallest points: every value that is judged lies within its tolerance.

use std::num::NonZeroUsize;
use weir_papers::{Comparison, Extent, Item, Options, Origin, Row, Verdict, items};
use weir_scenario::OwnProcess;

fn item(paper: &str, name: &str) -> &'static Item {
    items().find(|item| (item.paper, item.name) == (paper, name)).expect("the item is in the list")
}

fn few(threads: usize) -> Options {
    let own_process = OwnProcess { arguments: &["serves_a_run", "--exact", "--nocapture"] };
    Options { extent: Extent::Few, threads: NonZeroUsize::new(threads), own_process }
}

/// Not a test by itself: this executable is started once more for each run of an MPI program, and comes here.
#[test]
fn serves_a_run() {
    if std::env::var_os(OwnProcess::VARIABLE).is_some() {
        assert!(weir_scenario::serve(|_| {}, &mut |_| {}));
        std::process::exit(0);
    }
}

fn run(paper: &str, name: &str) -> Comparison {
    item(paper, name).run(few(1), &|_| {}).expect("its points run")
}

fn row<'a>(comparison: &'a Comparison, x: &str, what: &str) -> &'a Row {
    let found = comparison.rows.iter().find(|row| row.x == x && row.what == what);
    found.unwrap_or_else(|| panic!("no {what} at {x} in\n{}", comparison.to_text()))
}

/// Every plot can be drawn, every judged value is right, and so many are judged.
#[track_caller]
fn check(comparison: &Comparison, judged: usize) {
    let outside: Vec<&Row> = comparison.outside().collect();
    assert!(outside.is_empty(), "{outside:#?}");
    let count = comparison.rows.iter().filter(|row| row.verdict() == Verdict::Within).count();
    assert_eq!(count, judged, "{}", comparison.to_text());
    assert!(!comparison.plots.is_empty());
    for plot in &comparison.plots {
        assert!(plot.to_svg().expect("it can be drawn").starts_with("<svg"));
    }
}

/// Messages and bytes of the skeleton, and that it is logged faster. Errors and times are shown, not judged.
#[test]
fn skeleton_of_integrals() {
    let figure = run("001", "figure-5");
    check(&figure, 3);
    // One per integral, and one per rank for the pairs.
    assert_eq!(row(&figure, "ERI394", "clock calls").own, 981_557.0 + 8.0);
    assert!(row(&figure, "ERI394", "error of the predicted time").reference.is_some());
    assert!(figure.notes.iter().any(|note| note.starts_with("Measured on ")), "{:?}", figure.notes);
}

/// Of both skeletons messages and bytes; and three orders, of which a busy computer changes none.
#[test]
fn skeletons_of_a_transform() {
    let figure = run("001", "figure-6");
    check(&figure, 2 * 2 + 3);
    let calls = |level: &str| row(&figure, level, "clock calls").own;
    assert!(calls("FFT-L1") > 100.0 * calls("FFT-L3"), "{} {}", calls("FFT-L1"), calls("FFT-L3"));
    assert!(row(&figure, "FFT-L1", "CPI x CCT").own > 0.0);
}

/// Per size: three times regular = ideal, N against F, and the second model; published at 54 nodes in two modes.
#[test]
fn figure_2() {
    let figure = run("000", "figure-2");
    check(&figure, 2 * 5 + 2);
    let published = row(&figure, "54", "random / regular, Mode F");
    assert_eq!(published.reference.as_ref().map(|reference| reference.origin), Some(Origin::Published));
    assert!((published.own - 2.505).abs() < 0.001, "{}", published.own);
    assert_eq!(row(&figure, "128", "regular / ideal (N - 1), Mode N").own, 1.0);
}

#[test]
fn results_are_the_same_for_any_number_of_threads() {
    for name in ["figure-2", "figure-4"] {
        let one = run("000", name);
        let three = item("000", name).run(few(3), &|_| {}).expect("its points run");
        assert_eq!(one, three);
    }
}

/// Run times are shown, not judged.
#[test]
fn figure_3() {
    let figure = run("000", "figure-3");
    check(&figure, 0);
    assert_eq!(row(&figure, "54", "iterations of Step 5, most").own, 10.0);
    assert!(row(&figure, "54", "wall-clock time, random, Mode N").own > 0.0);
}

/// Per size the lower bound, the second model, and that packets are nearer to flows than to the minimum.
#[test]
fn figure_4() {
    let figure = run("000", "figure-4");
    check(&figure, 6);
    assert_eq!(row(&figure, "100", "theoretical minimum").own, 2.5);
    let packets = |size| row(&figure, "100", &format!("simulated time, packet engine, {size}")).own;
    assert_eq!(packets("20 kB less 1 B"), packets("20 kB") - packets("1 B"));
    // 99 steps; the first one, to the neighbour, passes three cables of 100 ns and two routers of 146 ns.
    assert!(packets("1 B") > 99.0 * 592e-6, "{}", packets("1 B"));
}

#[test]
fn table_2() {
    let table = run("000", "table-2");
    check(&table, 0);
    assert!(row(&table, "100", "wall-clock time, Mode F").reference.is_some());
    assert_eq!(row(&table, "100", "packet-hops").own, 838_600.0);
    assert!(row(&table, "121", "wall-clock time, packets / flow").own > 1.0);
}

/// Two algorithms against the second model, the order of all three on both engines, and that it is the same.
#[test]
fn figure_6() {
    let figure = run("000", "figure-6");
    check(&figure, 7);
    assert_eq!(row(&figure, "all", "algorithms of the same rank on both engines").own, 3.0);
}

/// Counts of nodes and cables of two machines.
#[test]
fn table_3_1() {
    check(&run("002", "table-3-1"), 4);
}

/// Per machine two sharing rules against the closed form, and against each other.
#[test]
fn random_ring() {
    let ring = run("002", "random-ring");
    check(&ring, 6);
    assert_eq!(row(&ring, "1024", "most flows on a link, Mode F").own, 5.0);
}

/// Within a switch the closed form; throughput falls.
#[test]
fn random_ring_of_packets() {
    let ring = run("003", "figure-4");
    check(&ring, 3);
    let falls = row(&ring, "all", "throughput, most nodes / fewest");
    assert_eq!(falls.reference.as_ref().map(|reference| reference.origin), Some(Origin::Published));
    assert_eq!(row(&ring, "8", "throughput, over that with 2 nodes").own, 1.0);
}

/// Per run packets and packet-hops.
#[test]
fn bruck() {
    let figure = run("003", "figure-5");
    check(&figure, 6 * 2);
    assert_eq!(row(&figure, "8", "packets, 4 B").own, 24.0);
    // 544 links between routers, and 384 to nodes.
    assert_eq!(row(&figure, "8", "packet-hops, 1024 B").own, 928.0);
    assert!(row(&figure, "64", "packet-hops per second, 4 B").own > 0.0);
    if cfg!(target_os = "linux") {
        assert!(row(&figure, "64", "memory, 4 B").own > 1.0);
    }
}

/// The share, and per size the best gap, that pacing helps, that derived gaps are as good, and one time beyond.
#[test]
fn best_gaps_of_nicam() {
    let figure = run("004", "figure-7");
    check(&figure, 1 + 4);
    assert_eq!(row(&figure, "all", "routes on the busiest link").own, 3.0);
    assert!(row(&figure, "96", "time without pacing / theory").own > 1.25);
    // A smaller machine stands for the large model.
    let figure = run("004", "figure-8");
    check(&figure, 3);
    assert_eq!(row(&figure, "all", "routes on the busiest link").own, 6.0);
}

/// Starts that are far apart leave nothing of it.
#[test]
fn nicam_with_imbalance() {
    check(&run("004", "figure-10"), 0);
    let figure = run("004", "figure-9");
    assert_eq!(figure.plots.len(), 2);
}

#[test]
fn sums_over_sizes_of_nicam() {
    for (name, judged) in [("figure-11", 2), ("figure-12", 2)] {
        let figure = run("004", name);
        check(&figure, judged);
        assert!(row(&figure, "all", "no pacing / theory").own >= 1.0);
    }
}

/// Congestion begins at a corner, and pacing suppresses it; a smaller machine stands for the large model.
#[test]
fn congestion_of_nicam() {
    let figure = run("004", "congestion");
    check(&figure, 2);
    assert_eq!(row(&figure, "gap 0", "most packets in a channel").own, 16.0);
}

/// Per machine the effect grows with size, and for 64 KiB with distance.
#[test]
fn pacing_by_size_and_distance() {
    let figure = run("004", "size-and-distance");
    check(&figure, 2 + 1);
    assert!(row(&figure, "8 x 8", "time with pacing / without, 64 KiB").own < 0.8);
}

#[test]
fn barrier() {
    check(&run("002", "barrier"), 0);
}

/// Per machine, barrier and number of threads the simulated time; each step of the sweep shows its time.
#[test]
fn thread_scaling() {
    let scaling = run("002", "thread-scaling");
    check(&scaling, 2 * 2 * 2);
    assert_eq!(row(&scaling, "8x8x16", "speed-up, park, threads: 1").own, 1.0);
    assert!(row(&scaling, "12x12x24", "step 3 count flows, work, threads: 1").own > 0.0);
    assert!(row(&scaling, "8x8x16", "fastest sweep / without barriers").own > 0.0);
}

#[test]
fn every_point_is_told_of() {
    let steps = std::sync::Mutex::new(Vec::new());
    let watch = |step: &weir_papers::Step<'_>| steps.lock().unwrap().push((step.done, step.of));
    item("000", "figure-4").run(few(1), &watch).expect("its points run");
    let expected: Vec<(usize, usize)> = (1..=8).map(|done| (done, 8)).collect();
    assert_eq!(steps.into_inner().unwrap(), expected);
}

#[test]
fn a_folder_gets_a_page_with_its_plots_and_tables() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("results/papers");
    let page =
        weir_papers::write(&[run("002", "table-3-1"), run("000", "figure-4")], Some("abc1234"), &results)
            .unwrap();
    let text = std::fs::read_to_string(page).unwrap();
    assert!(text.contains("built from abc1234.") && text.contains("| paper | item | at |"), "{text}");
    for name in ["002-table-3-1", "000-figure-4"] {
        assert!(text.contains(&format!("]({name}.svg)")), "{text}");
        for ending in ["svg", "csv"] {
            assert!(results.join(format!("{name}.{ending}")).is_file(), "{name}.{ending}");
        }
    }
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = weir_papers::write(&[], None, &file.join("results")).unwrap_err();
    assert!(error.to_string().starts_with("cannot write "), "{error}");
}
