//! Table 2: wall-clock time of the simulations of figure 4.

use super::tori;
use crate::campaign::Campaign;
use crate::{Axis, Comparison, Item, PapersError, Plot, Row, Series, SeriesKind, Target, Tolerance};

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
    let runs = campaign.run_timed(&tori::points(sides))?;
    let published = |nodes| TABLE.iter().find(|(other, _, _)| *other == nodes).map(|(_, mfs, _)| *mfs);
    let cycles: Vec<f64> =
        runs.iter().map(|run| run.summary.flow.clone().unwrap_or_default().cycles as f64).collect();
    let mut rows = Vec::new();
    for ((&n, run), &cycles) in sides.iter().zip(&runs).zip(&cycles) {
        let nodes = n * n;
        let row = Row::new(nodes, "wall-clock time, Mode F", "s", run.wall.as_secs_f64());
        rows.push(match published(nodes) {
            Some(mfs) => row.published(Target::Value(mfs), Tolerance::NotStated, SOURCE),
            None => row,
        });
        rows.push(Row::new(nodes, "cycles", "", cycles));
    }
    let place = |n| sides.iter().position(|&side| side == n);
    if let (Some(before), Some(last)) = (place(15), place(16)) {
        let row = Row::new("256", "cycles, 256 nodes / 225 nodes", "", cycles[last] / cycles[before]);
        rows.push(row.published(
            Target::Below(1.0),
            Tolerance::Exact,
            "paper 000, section 5.3: cycles are longer where contention is even",
        ));
        let ratio = runs[last].wall.as_secs_f64() / runs[before].wall.as_secs_f64();
        let row = Row::new("256", "wall-clock time, 256 nodes / 225 nodes", "", ratio);
        rows.push(row.published(Target::Value(0.20 / 0.44), Tolerance::NotStated, SOURCE));
    }
    let own = sides.iter().zip(&runs).map(|(n, run)| ((n * n) as f64, run.wall.as_secs_f64()));
    let plot = Plot {
        name: "000-table-2",
        title: "Paper 000, table 2: what the simulation costs",
        x: Axis::span("nodes"),
        y: Axis::log("wall-clock time [s]"),
        series: vec![
            Series::new("flow engine, Mode F", SeriesKind::Own, own.collect()),
            published_series("published, MFS", |&(nodes, mfs, _)| (nodes as f64, mfs)),
            published_series("published, BigSimulator", |&(nodes, _, packets)| (nodes as f64, packets)),
        ],
    };
    let notes = vec![
        "Run times depend on the computer: they are shown, not judged. The paper ran on AMD Opterons 2350."
            .to_owned(),
        "Wall-clock times are medians of up to five runs.".to_owned(),
        "Published for BigSimulator on seven cores: 11.79, 16.25, 23.10, 31.48, 42.43, 56.17 and 67.27 s; the ratio to \
         our packet side comes with the packet engine."
            .to_owned(),
    ];
    Ok(Comparison { rows, plots: vec![plot], notes, ..item.comparison("nodes") })
}

fn published_series(name: &str, point: impl Fn(&(usize, f64, f64)) -> (f64, f64)) -> Series {
    Series::new(name, SeriesKind::Published, TABLE.iter().map(point).collect())
}
