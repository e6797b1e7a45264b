//! Figures 9 and 10: what remains of it when ranks start at different instants.

use super::grid::Grid;
use super::model::{Kind, Model, Start, message_time_s};
use crate::campaign::Campaign;
use crate::{Axis, Comparison, Item, PapersError, Plot, Row, Series, SeriesKind, Target};

const SECTION: &str = "paper 004, section 5.3";
/// The size that holds its best gap up to 100 us.
const LONG_KIB: u32 = 1152;
/// From this part of the time without it on, pacing has no effect.
const NO_EFFECT: f64 = 0.95;
/// The imbalance at which the best gaps of short messages are compared with those without any.
const APART: Start = Start::Within("100 us");
const SHRINKS: &str = "With our routers imbalance spreads short messages so far that they hardly meet: they need less of a gap, not more, \
     and gain less by it.";
const TOO_SHORT: &str = "Starts within 1 ms spread short messages (4 us each of 32 KiB) so far that nothing is left to pace. The paper's sizes are \
     not stated; --sizes runs others.";

/// Names and titles of the plots of both figures, by panel.
const PANELS: [[(&str, &str); 7]; 2] = [
    [
        ("004-figure-10-a", "Paper 004, figure 10 (a): small model, no imbalance"),
        ("004-figure-10-b", "Paper 004, figure 10 (b): small model, imbalance 100 ns"),
        ("004-figure-10-c", "Paper 004, figure 10 (c): small model, imbalance 1 us"),
        ("004-figure-10-d", "Paper 004, figure 10 (d): small model, imbalance 10 us"),
        ("004-figure-10-e", "Paper 004, figure 10 (e): small model, imbalance 100 us"),
        ("004-figure-10-f", "Paper 004, figure 10 (f): small model, imbalance 1 ms"),
        ("004-figure-10-g", "Paper 004, figure 10 (g): small model, behind a barrier"),
    ],
    [
        ("004-figure-9-a", "Paper 004, figure 9 (a): large model, no imbalance"),
        ("004-figure-9-b", "Paper 004, figure 9 (b): large model, imbalance 100 ns"),
        ("004-figure-9-c", "Paper 004, figure 9 (c): large model, imbalance 1 us"),
        ("004-figure-9-d", "Paper 004, figure 9 (d): large model, imbalance 10 us"),
        ("004-figure-9-e", "Paper 004, figure 9 (e): large model, imbalance 100 us"),
        ("004-figure-9-f", "Paper 004, figure 9 (f): large model, imbalance 1 ms"),
        ("004-figure-9-g", "Paper 004, figure 9 (g): large model, behind a barrier"),
    ],
];

/// The panel of a start.
fn panel(start: Start) -> usize {
    match start {
        Start::Together => 0,
        Start::Within("100 ns") => 1,
        Start::Within("1 us") => 2,
        Start::Within("10 us") => 3,
        Start::Within("100 us") => 4,
        Start::Within(_) => 5,
        Start::Barrier => 6,
    }
}

pub(super) fn compare(
    campaign: &Campaign<'_>,
    item: &'static Item,
    model: &'static Model,
) -> Result<Comparison, PapersError> {
    let starts = model.starts(campaign);
    let grid = Grid::run(campaign, model, model.imbalance_gaps(campaign), starts)?;
    let mut rows = Vec::new();
    for (start, &kind) in starts.iter().enumerate() {
        for size in 0..grid.sizes.len() {
            rows.extend(rows_of(model, &grid, start, kind, size));
        }
    }
    rows.extend(trend(model, &grid, starts));
    let plots = starts.iter().enumerate().map(|(start, &kind)| plot(model, &grid, start, kind)).collect();
    let notes = vec![
        "Each rank pauses first for a time drawn uniformly from 0 to the factor. Times are means over the draws and \
         include the pauses and the barrier; the paper does not say whether its times do."
            .to_owned(),
        format!(
            "Draws of each factor: {}. The spread over them is that at the best gap.",
            model.seeds(campaign, Start::Within("1 us"))
        ),
        "What 1 ms is depends on the speed of the links, which the paper does not state: here a message of 1,152 KiB \
         takes 147 us."
            .to_owned(),
    ];
    Ok(Comparison { rows, plots, notes, ..item.comparison("KiB") })
}

fn rows_of(model: &Model, grid: &Grid, start: usize, kind: Start, size: usize) -> Vec<Row> {
    let kib = grid.sizes[size];
    let best = grid.best(start, size);
    let name = kind.name();
    let unpaced = grid.time(start, size, 0);
    let effect = grid.time(start, size, best) / unpaced;
    let millisecond = kind == Start::Within("1 ms");
    let mut rows = vec![Row::new(kib, format!("best gap, {name}"), "packet times", grid.gaps[best])];
    if model.kind == Kind::Small && kib == LONG_KIB && !millisecond {
        rows[0] = rows[0].clone().published(
            Target::Between(1.75, 2.5),
            "paper 004, section 5.3: 1,152 KiB stays near 2.0 up to 100 us",
        );
    }
    let row = Row::new(kib, format!("time at the best gap / without pacing, {name}"), "", effect);
    rows.push(match model.kind {
        Kind::Small if millisecond => {
            row.claimed(Target::Above(NO_EFFECT), "paper 004, section 5.3: no effect at 1 ms")
        }
        Kind::Small if kib == LONG_KIB => row.claimed(Target::Below(NO_EFFECT), SECTION),
        Kind::Small => row,
        Kind::Large => {
            let row = row.claimed(
                Target::Below(1.0),
                "paper 004, section 5.3: pacing works for every size, whatever the imbalance",
            );
            if millisecond { row.explained(TOO_SHORT) } else { row }
        }
    });
    let (least, most) = grid.spread(start, size, best);
    rows.push(Row::new(kib, format!("longest draw / shortest, {name}"), "", most / least));
    rows
}

/// Whether short messages need larger gaps when starts differ, as the paper has it for the small model.
fn trend(model: &Model, grid: &Grid, starts: &[Start]) -> Vec<Row> {
    let place = |start: Start| starts.iter().position(|&other| other == start);
    let (Kind::Small, Some(together), Some(apart)) = (model.kind, place(Start::Together), place(APART))
    else {
        return Vec::new();
    };
    let short = (0..grid.sizes.len()).filter(|&size| grid.sizes[size] < LONG_KIB);
    let row = |size: usize| {
        let gap = |start| grid.gaps[grid.best(start, size)];
        let what = format!("best gap, {} less no imbalance", APART.name());
        let row = Row::new(grid.sizes[size], what, "packet times", gap(apart) - gap(together));
        let place =
            "paper 004, section 5.3: the smaller the messages, the more the best gap grows with imbalance";
        row.claimed(Target::Above(0.0), place).explained(SHRINKS)
    };
    short.map(row).collect()
}

fn plot(model: &Model, grid: &Grid, start: usize, kind: Start) -> Plot<'static> {
    let (name, title) = PANELS[usize::from(model.kind == Kind::Large)][panel(kind)];
    let line = |size: usize| {
        let message = message_time_s(grid.sizes[size]);
        let points = (0..grid.gaps.len()).map(|gap| (grid.gaps[gap], grid.time(start, size, gap) / message));
        Series::new(format!("{} KiB", grid.sizes[size]), SeriesKind::Own, points.collect())
    };
    Plot {
        name,
        title,
        x: Axis::linear("gap behind each packet [packet times]"),
        y: Axis::linear("simulated time [message times]"),
        series: (0..grid.sizes.len()).map(line).collect(),
    }
}
