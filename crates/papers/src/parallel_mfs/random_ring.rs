//! Section 3.1: the random ring, ten messages per node, on the machines of table 3.1.

use super::fat_trees::machines;
use crate::campaign::{Campaign, Timed};
use crate::{Axis, Comparison, Item, PapersError, Plot, Row, Series, SeriesKind, Target};

/// Section 3.1.
const MESSAGES: f64 = 10.0;
/// Names of sharing rules in an experiment and for people.
const RULES: [(&str, &str); 2] = [("single-pass", "Mode F"), ("max-min", "max-min")];

pub(super) fn compare(campaign: &Campaign<'_>, item: &'static Item) -> Result<Comparison, PapersError> {
    let machines = machines(campaign);
    let points = machines.iter().flat_map(|machine| RULES.map(|(rule, _)| machine.random_ring(rule)));
    let runs = campaign.run_timed(&points.collect::<Vec<_>>())?;
    let mut rows = Vec::new();
    for (machine, runs) in machines.iter().zip(runs.chunks_exact(RULES.len())) {
        for ((_, rule), Timed { summary, wall }) in RULES.iter().zip(runs) {
            let row = |what: &str, unit, own| Row::new(machine.nodes, format!("{what}, {rule}"), unit, own);
            let share = f64::from(summary.link_use.max_share);
            rows.push(row("simulated time", "message times", summary.simulated.as_secs_f64()).second_way(
                Target::exactly(MESSAGES * share),
                "ten messages of as many flows as weir counts on the busiest link",
            ));
            rows.push(row("most flows on a link", "", share));
            rows.push(row("wall-clock time", "s", wall.as_secs_f64()));
        }
        let peaks = runs.iter().filter_map(|run| run.summary.peak_memory_bytes);
        if let Some(peak) = peaks.max() {
            rows.push(Row::new(machine.nodes, "memory of the process so far", "MB", peak as f64 / 1e6));
        }
        let simulated = |run: &Timed| run.summary.simulated.as_secs_f64();
        let row = Row::new(
            machine.nodes,
            "simulated time, Mode F / max-min",
            "",
            simulated(&runs[0]) / simulated(&runs[1]),
        );
        rows.push(row.second_way(
            Target::exactly(1.0),
            "the other rule: the busiest link is busy to the end in every mode",
        ));
    }
    let series = |k: usize| {
        let points = machines.iter().zip(runs.chunks_exact(RULES.len()));
        let points = points.map(|(machine, runs)| (machine.nodes as f64, runs[k].wall.as_secs_f64()));
        Series::new(RULES[k].1, SeriesKind::Own, points.collect())
    };
    let plot = Plot {
        name: "002-random-ring",
        title: "Paper 002, section 3.1: random ring, ten messages per node",
        x: Axis::log("nodes"),
        y: Axis::log("wall-clock time [s]"),
        series: vec![series(0), series(1)],
    };
    let notes = vec![
        "The paper states no simulated times and no absolute run times.".to_owned(),
        "Wall-clock times are medians of up to five runs, or single runs from a second on.".to_owned(),
    ];
    Ok(Comparison { rows, plots: vec![plot], notes, ..item.comparison("nodes") })
}
