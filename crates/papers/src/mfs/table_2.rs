//! Table 2: wall-clock time of the simulations of figure 4, on both engines.

use super::packets::{self, Size};
use super::tori;
use crate::campaign::{Campaign, Point, Timed};
use crate::{Axis, Comparison, Item, PapersError, Plot, Row, Series, SeriesKind, Target};

/// Nodes, and seconds of MFS and of BigSimulator on seven cores.
const TABLE: [(usize, f64, f64); 7] = [
    (100, 0.06, 11.79),
    (121, 0.09, 16.25),
    (144, 0.14, 23.10),
    (169, 0.19, 31.48),
    (196, 0.31, 42.43),
    (225, 0.44, 56.17),
    (256, 0.20, 67.27),
];

const SOURCE: &str = "paper 000, table 2";

pub(super) fn compare(campaign: &Campaign<'_>, item: &'static Item) -> Result<Comparison, PapersError> {
    let sides = tori::sides(campaign);
    let flows = sides.iter().map(|&n| tori::point(n));
    let points = flows.chain(sides.iter().map(|&n| packets::point(n, "auto", Size::Whole)));
    let mut runs = campaign.run_timed(&points.collect::<Vec<Point>>())?;
    let packets = runs.split_off(sides.len());
    let cycles: Vec<f64> =
        runs.iter().map(|run| run.summary.counts.flow().map_or(0.0, |flow| flow.cycles as f64)).collect();
    let mut rows = Vec::new();
    for (((&n, run), &cycles), packets) in sides.iter().zip(&runs).zip(&cycles).zip(&packets) {
        let nodes = n * n;
        let row = Row::new(nodes, "wall-clock time, Mode F", "s", run.wall.as_secs_f64());
        rows.push(match published(nodes) {
            Some((mfs, _)) => row.published(Target::shown(mfs), SOURCE),
            None => row,
        });
        rows.push(Row::new(nodes, "cycles", "", cycles));
        rows.extend(packet_rows(nodes, run, packets));
    }
    let place = |n| sides.iter().position(|&side| side == n);
    if let (Some(before), Some(last)) = (place(15), place(16)) {
        let row = Row::new("256", "cycles, 256 nodes / 225 nodes", "", cycles[last] / cycles[before]);
        rows.push(row.claimed(
            Target::Below(1.0),
            "paper 000, section 5.3: cycles are longer where contention is even",
        ));
        let ratio = runs[last].wall.as_secs_f64() / runs[before].wall.as_secs_f64();
        let row = Row::new("256", "wall-clock time, 256 nodes / 225 nodes", "", ratio);
        rows.push(row.published(Target::shown(0.20 / 0.44), SOURCE));
    }
    if sides.len() == TABLE.len() {
        let mean = runs.iter().zip(&packets).map(|(run, packets)| ratio(run, packets)).sum::<f64>();
        let published = TABLE.iter().map(|(_, mfs, packets)| packets / mfs).sum::<f64>();
        let [mean, published] = [mean, published].map(|sum| sum / TABLE.len() as f64);
        let row = Row::new("all", "wall-clock time, packets / flow, mean", "", mean);
        rows.push(row.published(Target::shown(published), SOURCE));
    }
    let own = |runs: &[Timed]| {
        let points = sides.iter().zip(runs).map(|(n, run)| ((n * n) as f64, run.wall.as_secs_f64()));
        points.collect::<Vec<_>>()
    };
    let plot = Plot {
        name: "000-table-2",
        title: "Paper 000, table 2: what the simulation costs",
        x: Axis::span("nodes"),
        y: Axis::log("wall-clock time [s]"),
        series: vec![
            Series::new("packet engine", SeriesKind::Own, own(&packets)),
            Series::new("flow engine, Mode F", SeriesKind::Own, own(&runs)),
            published_series("published, MFS", |&(nodes, mfs, _)| (nodes as f64, mfs)),
            published_series("published, BigSimulator", |&(nodes, _, packets)| (nodes as f64, packets)),
        ],
    };
    let notes = vec![
        "Run times depend on the computer: they are shown, not judged. The paper ran on AMD Opterons 2350."
            .to_owned(),
        "Wall-clock times are medians of up to five runs, or single runs from a second on.".to_owned(),
        "Both of our engines run on one thread. The paper's MFS did, too; its packet simulator, BigSimulator, had seven \
         cores."
            .to_owned(),
    ];
    Ok(Comparison { rows, plots: vec![plot], notes, ..item.comparison("nodes") })
}

/// Seconds of MFS and of BigSimulator.
fn published(nodes: usize) -> Option<(f64, f64)> {
    TABLE.iter().find(|line| line.0 == nodes).map(|&(_, mfs, packets)| (mfs, packets))
}

/// How many times the packets take what the flows take.
fn ratio(flow: &Timed, packets: &Timed) -> f64 {
    packets.wall.as_secs_f64() / flow.wall.as_secs_f64()
}

fn packet_rows(nodes: usize, flow: &Timed, packets: &Timed) -> [Row; 4] {
    let wall = packets.wall.as_secs_f64();
    let hops = packets.summary.counts.packet().map_or(0, |counts| counts.packet_hops) as f64;
    let row = Row::new(nodes, "wall-clock time, packet engine", "s", wall);
    let over = Row::new(nodes, "wall-clock time, packets / flow", "", ratio(flow, packets));
    let [row, over] = match published(nodes) {
        Some((mfs, packets)) => [(row, packets), (over, packets / mfs)]
            .map(|(row, value)| row.published(Target::shown(value), SOURCE)),
        None => [row, over],
    };
    [
        row,
        over,
        Row::new(nodes, "packet-hops", "", hops),
        Row::new(nodes, "packet-hops per second", "", hops / wall),
    ]
}

fn published_series(name: &str, point: impl Fn(&(usize, f64, f64)) -> (f64, f64)) -> Series {
    Series::new(name, SeriesKind::Published, TABLE.iter().map(point).collect())
}
