//! The items with their smallest points: every value that is judged is as it should be, or not reproduced for a reason on
//! record; and what every row of every item must say of itself.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use weir_papers::{Comparison, Extent, Item, Options, ReferenceKind, Row, Verdict, items};
use weir_scenario::OwnProcess;

/// All items; each has a test below, which runs it.
const TESTED: [(&str, &[&str]); 5] = [
    ("000", &["figure-2", "figure-3", "figure-4", "table-2", "figure-6"]),
    ("001", &["figure-5", "figure-6"]),
    ("002", &["table-3-1", "random-ring", "barrier", "thread-scaling"]),
    ("003", &["figure-4", "figure-5"]),
    (
        "004",
        &[
            "figure-7",
            "figure-8",
            "figure-9",
            "figure-10",
            "figure-11",
            "figure-12",
            "congestion",
            "size-and-distance",
        ],
    ),
];

fn item(paper: &str, name: &str) -> &'static Item {
    items().find(|item| (item.paper, item.name) == (paper, name)).expect("the item is in the list")
}

fn few(threads: usize) -> Options<'static> {
    let own_process = OwnProcess { arguments: &["serves_a_run", "--exact", "--nocapture"] };
    Options { extent: Extent::Few, threads: NonZeroUsize::new(threads), own_process, sizes: &[] }
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
    let comparison = item(paper, name).run(few(1), &|_| {}).expect("its points run");
    check_rows(&comparison);
    comparison
}

/// What a row is compared with has a kind and names its source; what a paper states has its place in *this* paper; what is
/// not reproduced or not run says why; no two rows have one name.
#[track_caller]
fn check_rows(comparison: &Comparison) {
    let paper = format!("paper {}, ", comparison.paper);
    let mut names = BTreeSet::new();
    for row in &comparison.rows {
        assert!(names.insert((&row.x, &row.what)), "twice: {row:?}");
        assert!(row.own.is_some() || row.why.is_some(), "not run without a reason: {row:?}");
        let needs_reason = row.own.is_none() || row.verdict() == Verdict::NotReproduced;
        // What is shown beside what the paper states and is not judged may have one.
        let may_have_one = row.verdict() == Verdict::NotJudged && row.reference.is_some();
        assert!(row.why.is_some() == needs_reason || may_have_one, "{row:?}");
        let Some(reference) = &row.reference else { continue };
        assert!(!reference.source.is_empty(), "{row:?}");
        if let ReferenceKind::Published | ReferenceKind::Claimed = reference.kind {
            let place = reference.source.strip_prefix(&paper);
            let place = place.unwrap_or_else(|| panic!("{} is no place in {paper}", reference.source));
            let places = ["section ", "sections ", "table ", "abstract"];
            assert!(places.iter().any(|word| place.starts_with(word)), "{place}: {row:?}");
        }
    }
}

#[test]
fn every_item_has_a_test() {
    let all: Vec<(&str, &str)> = items().map(|item| (item.paper, item.name)).collect();
    let tested = TESTED.iter().flat_map(|(paper, names)| names.iter().map(|name| (*paper, *name)));
    assert_eq!(all, tested.collect::<Vec<_>>());
}

fn row<'a>(comparison: &'a Comparison, x: &str, what: &str) -> &'a Row {
    let found = comparison.rows.iter().find(|row| row.x == x && row.what == what);
    found.unwrap_or_else(|| panic!("no {what} at {x} in\n{}", comparison.to_text()))
}

fn own(comparison: &Comparison, x: &str, what: &str) -> f64 {
    row(comparison, x, what).own.unwrap_or_else(|| panic!("{what} at {x} has not been run"))
}

fn kind(row: &Row) -> Option<ReferenceKind> {
    row.reference.as_ref().map(|reference| reference.kind)
}

/// Every plot can be drawn, every judged value is right, and so many are judged.
#[track_caller]
fn check(comparison: &Comparison, judged: usize) {
    check_with(comparison, judged, 0);
}

/// The same where so many published values are not reproduced, for a reason on record.
#[track_caller]
fn check_with(comparison: &Comparison, judged: usize, not_reproduced: usize) {
    let unexplained: Vec<&Row> = comparison.unexplained().collect();
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    let count = |verdict| comparison.rows.iter().filter(|row| row.verdict() == verdict).count();
    let counts = (count(Verdict::Within), count(Verdict::NotReproduced));
    assert_eq!(counts, (judged, not_reproduced), "{}", comparison.to_text());
    assert!(!comparison.plots.is_empty());
    for plot in &comparison.plots {
        assert!(plot.draw().expect("it can be drawn").to_string().starts_with("<svg"));
    }
}

/// Memory of figure 5 of paper 003 is that of the run, in a process of its own: whatever this process holds.
#[test]
fn memory_is_that_of_the_run() {
    let ballast = vec![1_u8; 300_000_000];
    let comparison = run("003", "figure-5");
    let memory: Vec<f64> = comparison
        .rows
        .iter()
        .filter(|row| row.what.starts_with("memory"))
        .filter_map(|row| row.own)
        .collect();
    assert_eq!(memory.len(), 6, "{}", comparison.to_text());
    assert!(memory.iter().all(|megabytes| (1.0..200.0).contains(megabytes)), "{memory:?}");
    assert_eq!(std::hint::black_box(&ballast).len(), 300_000_000);
}

/// Messages and bytes of the skeleton, and that it is logged faster. Errors and times are shown, not judged.
#[test]
fn skeleton_of_integrals() {
    let figure = run("001", "figure-5");
    check(&figure, 3);
    // One per integral, and one per rank for the pairs.
    assert_eq!(own(&figure, "ERI394", "clock calls"), 981_557.0 + 8.0);
    assert!(row(&figure, "ERI394", "error of the predicted time").reference.is_some());
    assert!(figure.notes.iter().any(|note| note.starts_with("Measured on ")), "{:?}", figure.notes);
}

/// Of both skeletons messages and bytes; three orders, of which a busy computer changes none; and clock calls of class C.
#[test]
fn skeletons_of_a_transform() {
    let figure = run("001", "figure-6");
    check(&figure, 2 * 2 + 3 + 1);
    let calls = |level: &str| own(&figure, level, "clock calls");
    assert!(calls("FFT-L1") > 100.0 * calls("FFT-L3"), "{} {}", calls("FFT-L1"), calls("FFT-L3"));
    assert!(own(&figure, "FFT-L1", "CPI x CCT") > 0.0);
}

/// Per size: four times regular = ideal, N against F twice, and the outside model; published at 54 nodes in three modes.
#[test]
fn figure_2() {
    let figure = run("000", "figure-2");
    check(&figure, 2 * (4 + 2 + 1) + 3);
    let published = row(&figure, "54", "random / regular, Mode F");
    assert_eq!(kind(published), Some(ReferenceKind::Published));
    assert!((own(&figure, "54", "random / regular, Mode F") - 2.505).abs() < 0.001, "{published:?}");
    assert_eq!(own(&figure, "128", "regular / ideal (N - 1), Mode N"), 1.0);
}

#[test]
fn results_are_the_same_for_any_number_of_threads() {
    for name in ["figure-2", "figure-4"] {
        let one = run("000", name);
        let three = item("000", name).run(few(3), &|_| {}).expect("its points run");
        assert_eq!(one, three);
    }
}

/// Run times are shown, not judged. Iterations are: two sizes, two readings, all of them fewer than published.
#[test]
fn figure_3() {
    let figure = run("000", "figure-3");
    check_with(&figure, 0, 2 * 2);
    assert_eq!(own(&figure, "54", "iterations of Step 5, most, Mode N"), 10.0);
    assert_eq!(own(&figure, "54", "iterations of Step 5, most, literal Mode N"), 3.0);
    assert!(own(&figure, "54", "wall-clock time, random, Mode N") > 0.0);
}

/// Per size the lower bound, the second model, and that packets are nearer to flows than to the minimum.
#[test]
fn figure_4() {
    let figure = run("000", "figure-4");
    check(&figure, 6);
    assert_eq!(own(&figure, "100", "theoretical minimum"), 2.5);
    let packets = |size| own(&figure, "100", &format!("simulated time, packet engine, {size}"));
    assert_eq!(packets("20 kB less 1 B"), packets("20 kB") - packets("1 B"));
    // 99 steps; the first one, to the neighbour, passes three cables of 100 ns and two routers of 146 ns.
    assert!(packets("1 B") > 99.0 * 592e-6, "{}", packets("1 B"));
}

#[test]
fn table_2() {
    let table = run("000", "table-2");
    check(&table, 0);
    assert!(row(&table, "100", "wall-clock time, Mode F").reference.is_some());
    assert_eq!(own(&table, "100", "packet-hops"), 838_600.0);
    assert!(own(&table, "121", "wall-clock time, packets / flow") > 1.0);
}

/// Two algorithms against the second model, the order of all three on both engines, and that it is the same.
#[test]
fn figure_6() {
    let figure = run("000", "figure-6");
    check(&figure, 7);
    assert_eq!(own(&figure, "all", "algorithms of the same rank on both engines"), 3.0);
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
    assert_eq!(own(&ring, "1024", "most flows on a link, Mode F"), 5.0);
}

/// Within a switch the closed form; throughput falls.
#[test]
fn random_ring_of_packets() {
    let ring = run("003", "figure-4");
    check(&ring, 3);
    let falls = row(&ring, "all", "throughput, most nodes / fewest");
    assert_eq!(kind(falls), Some(ReferenceKind::Claimed));
    assert_eq!(own(&ring, "8", "throughput, over that with 2 nodes"), 1.0);
}

/// Per run packets and packet-hops.
#[test]
fn bruck() {
    let figure = run("003", "figure-5");
    check(&figure, 6 * 2);
    assert_eq!(own(&figure, "8", "packets, 4 B"), 24.0);
    // 544 links between routers, and 384 to nodes.
    assert_eq!(own(&figure, "8", "packet-hops, 1024 B"), 928.0);
    assert!(own(&figure, "64", "packet-hops per second, 4 B") > 0.0);
    if cfg!(target_os = "linux") {
        assert!(own(&figure, "64", "memory, 4 B") > 1.0);
    }
}

/// The share, and per size the best gap twice, that pacing helps, that derived gaps are as good, and one time beyond; the best
/// gap of the sum. What is published of how much it helps is not reproduced.
#[test]
fn best_gaps_of_nicam() {
    let figure = run("004", "figure-7");
    check_with(&figure, 1 + 5 + 1, 1);
    assert_eq!(own(&figure, "all", "routes on the busiest link"), 3.0);
    assert!(own(&figure, "96", "time without pacing / theory") > 1.25);
    // A smaller machine stands for the large model.
    let figure = run("004", "figure-8");
    check(&figure, 3);
    assert_eq!(own(&figure, "all", "routes on the busiest link"), 6.0);
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
        assert!(own(&figure, "all", "no pacing / theory") >= 1.0);
    }
}

/// Congestion begins at a corner, and pacing suppresses it; a smaller machine stands for the large model.
#[test]
fn congestion_of_nicam() {
    let figure = run("004", "congestion");
    check(&figure, 2);
    assert_eq!(own(&figure, "gap 0", "most packets in a channel"), 16.0);
}

/// Per machine the effect grows with size, and for 64 KiB with distance.
#[test]
fn pacing_by_size_and_distance() {
    let figure = run("004", "size-and-distance");
    check(&figure, 2 + 1);
    assert!(own(&figure, "8 x 8", "time with pacing / without, 64 KiB") < 0.9);
}

#[test]
fn barrier() {
    check(&run("002", "barrier"), 0);
}

/// Per machine, barrier and number of threads that were used the simulated time: one with the parking barrier, for both
/// machines are too small for more, and as many as there are cores, up to two, with the spinning one. Each step of the
/// sweep shows its time.
#[test]
fn thread_scaling() {
    let scaling = run("002", "thread-scaling");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    check(&scaling, 2 + 2 * cores.min(2));
    let speed_ups = |name: &str| scaling.rows.iter().filter(|row| row.what.starts_with(name)).count();
    assert_eq!((speed_ups("speed-up, park"), speed_ups("speed-up, spin")), (2, 2 * cores.min(2)));
    assert_eq!(own(&scaling, "8x8x16", "speed-up, park, threads: 1"), 1.0);
    assert!(own(&scaling, "12x12x24", "step 3 count flows, work, threads: 1") > 0.0);
    assert!(own(&scaling, "8x8x16", "fastest sweep / without barriers") > 0.0);
}

#[test]
fn every_point_is_watched() {
    let steps = std::sync::Mutex::new(Vec::new());
    let watch = |step: &weir_papers::PointDone<'_>| steps.lock().unwrap().push((step.done, step.of));
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
    // Another item, run on another day, adds to the page.
    let page = weir_papers::write(&[run("000", "figure-3")], Some("def5678"), &results).unwrap();
    let text = std::fs::read_to_string(page).unwrap();
    let places = ["## Paper 000, figure-3", "## Paper 000, figure-4", "## Paper 002, table-3-1"];
    let places = places.map(|heading| text.find(heading).unwrap_or_else(|| panic!("{heading}: {text}")));
    assert!(places.is_sorted(), "in the order of the catalogue");
    assert!(text.contains("Built from def5678.") && text.contains("Built from abc1234."), "{text}");
    std::fs::write(results.join("items/000-figure-3.json"), "{}").unwrap();
    let error = weir_papers::write(&[], None, &results).unwrap_err().to_string();
    assert!(error.contains("000-figure-3.json") && error.contains("run the item again"), "{error}");
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = weir_papers::write(&[], None, &file.join("results")).unwrap_err();
    assert!(error.to_string().starts_with("cannot write "), "{error}");
}
