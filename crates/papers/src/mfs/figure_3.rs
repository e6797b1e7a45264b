//! Figure 3: wall-clock time of the all-to-all on fat trees over the number of nodes.

use super::fat_trees::{BOTH_N, MODES, Mode, Ranks, Runs};
use crate::campaign::{Campaign, Timed};
use crate::numbers::exponent;
use crate::{Axis, Comparison, Item, PapersError, Plot, Row, Series, SeriesKind, Target};
use weir_record::FlowCounts;

/// Section 4.3: Mode N over Mode F, random, at the smallest and the largest size.
const N_OVER_F: [(usize, f64); 2] = [(54, 3.6), (3456, 11.0)];
/// Section 4.3: the same, mean of all sizes.
const MEAN_N_OVER_F: f64 = 7.8;
/// Section 4.3: "about 8 to 13" iterations of Step 5.
const ITERATIONS: Target = Target::Between(8.0, 13.0);
/// Why ours are not, as `iterative` counts them and to the letter.
const FEWER: &str = "Few flows meet on small machines, and a cycle needs fewer iterations; of which machines, and whether in \
                     the mean, the paper does not say.";
const FEWER_LITERAL: &str = "What is left over goes at once to the flows that can use it, so two or three iterations are \
                             enough: the published number speaks for the other reading (decision 5).";
/// Section 4.3: all grow as the square of the number of nodes.
const EXPONENT: f64 = 2.0;
/// Of all sizes.
const SIZES: usize = 9;

const SECTION: &str = "paper 000, section 4.3";

pub(super) fn compare(campaign: &Campaign<'_>, item: &'static Item) -> Result<Comparison, PapersError> {
    let runs = Runs::of(campaign, |points| campaign.run_timed(points))?;
    let wall = |size, ranks, mode| runs.at(size, ranks, mode).wall.as_secs_f64();
    let ratio = |size, ranks| wall(size, ranks, Mode::N) / wall(size, ranks, Mode::F);
    let mut rows = Vec::new();
    for (size, &nodes) in runs.nodes.iter().enumerate() {
        for ranks in [Ranks::Regular, Ranks::Random] {
            rows.extend(MODES.map(|mode| {
                let what = format!("wall-clock time, {}, {}", ranks.name(), mode.name());
                Row::new(nodes, what, "s", wall(size, ranks, mode))
            }));
        }
        let regular = Row::new(nodes, "regular, Mode N / Mode F", "", ratio(size, Ranks::Regular));
        rows.push(regular.published(Target::shown(1.0), SECTION));
        let random = Row::new(nodes, "random, Mode N / Mode F", "", ratio(size, Ranks::Random));
        rows.push(match N_OVER_F.iter().find(|(other, _)| *other == nodes) {
            Some((_, ratio)) => random.published(Target::shown(*ratio), SECTION),
            None => random,
        });
        for mode in BOTH_N {
            let counts =
                runs.at(size, Ranks::Random, mode).summary.counts.flow().cloned().unwrap_or_default();
            rows.extend(iterations(nodes, mode, &counts));
        }
    }
    if runs.nodes.len() == SIZES {
        let sum: f64 = (0..SIZES).map(|size| ratio(size, Ranks::Random)).sum();
        let mean = Row::new("all", "random, Mode N / Mode F, mean", "", sum / SIZES as f64);
        rows.push(mean.published(Target::shown(MEAN_N_OVER_F), SECTION));
    }
    for ranks in [Ranks::Regular, Ranks::Random] {
        rows.extend(MODES.map(|mode| {
            let what = format!("exponent of growth, {}, {}", ranks.name(), mode.name());
            let own = exponent(&runs.series(|size| wall(size, ranks, mode)));
            let row = Row::new("all", what, "", own);
            match mode {
                Mode::MaxMin => row,
                _ => row.published(Target::shown(EXPONENT), SECTION),
            }
        }));
    }
    let mut notes = vec![
        "Run times depend on the computer and on the program: they are shown, not judged. The paper ran on an Intel \
         Xeon of 3 GHz."
            .to_owned(),
        "Wall-clock times are medians of up to five runs, or single runs from a second on.".to_owned(),
        "The paper does not say whether 8 to 13 is a mean. Mode N here also goes on while a link is above its capacity; the \
         literal one hands over to flows with room only (decision 5)."
            .to_owned(),
    ];
    if runs.nodes.len() < SIZES {
        notes.push(
            "Left out without --full: 1458, 2000 and 3456 nodes, and the mean over all sizes.".to_owned(),
        );
    }
    Ok(Comparison {
        rows,
        plots: vec![wall_plot(&runs), ratio_plot(&runs)],
        notes,
        ..item.comparison("nodes")
    })
}

/// How many iterations of Step 5 a cycle needed with random placement.
fn iterations(nodes: usize, mode: Mode, counts: &FlowCounts) -> [Row; 2] {
    let FlowCounts { cycles, solver_iterations, solver_iterations_max, .. } = counts;
    let row =
        |what: &str, own| Row::new(nodes, format!("iterations of Step 5, {what}, {}", mode.name()), "", own);
    let mean = *solver_iterations as f64 / (*cycles).max(1) as f64;
    [
        row("mean of all cycles", mean).published(ITERATIONS, SECTION).explained(match mode {
            Mode::LiteralN => FEWER_LITERAL,
            _ => FEWER,
        }),
        row("most", *solver_iterations_max as f64),
    ]
}

fn wall_plot(runs: &Runs<Timed>) -> Plot<'static> {
    let line = |ranks: Ranks, mode: Mode| {
        let points = runs.series(|size| runs.at(size, ranks, mode).wall.as_secs_f64());
        Series::new(format!("{}, {}", ranks.name(), mode.name()), SeriesKind::Own, points)
    };
    let random = MODES.map(|mode| line(Ranks::Random, mode));
    let regular = MODES.map(|mode| line(Ranks::Regular, mode));
    Plot {
        name: "000-figure-3-time",
        title: "Paper 000, figure 3: what the simulation costs",
        x: Axis::log("nodes"),
        y: Axis::log("wall-clock time [s]"),
        series: random.into_iter().chain(regular).collect(),
    }
}

fn ratio_plot(runs: &Runs<Timed>) -> Plot<'static> {
    let wall = |size, mode| runs.at(size, Ranks::Random, mode).wall.as_secs_f64();
    let own = runs.series(|size| wall(size, Mode::N) / wall(size, Mode::F));
    let published = N_OVER_F.map(|(nodes, ratio)| (nodes as f64, ratio));
    Plot {
        name: "000-figure-3-ratio",
        title: "Paper 000, section 4.3: what Mode N costs",
        x: Axis::log("nodes"),
        y: Axis::linear("wall-clock time, Mode N / Mode F, random"),
        series: vec![
            Series::new("own", SeriesKind::Own, own),
            Series::new("published", SeriesKind::Published, published.into()),
        ],
    }
}
