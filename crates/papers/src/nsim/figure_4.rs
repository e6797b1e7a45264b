//! Figure 4: throughput of the random ring of HPC Challenge over the number of nodes, on the machine of table 2.
//!
//! HPC Challenge sends messages of 2 MB to both neighbours in a ring of random order, takes the time per message of the
//! slowest process, and the geometric mean of that over several rings; its result is the size over this time. Here
//! messages go one way round: the ring the other way round is as random.

use crate::campaign::{Campaign, Experiment, Point};
use crate::{Axis, Comparison, Item, PapersError, Plot, Row, Series, SeriesKind, Target};

static EXPERIMENT: Experiment = Experiment {
    name: "papers/003-nsim/figure-4.toml",
    text: include_str!("../../../../papers/003-nsim/figure-4.toml"),
};

const MESSAGE_BYTES: f64 = 2e6;
/// Nodes at a switch: half of its 36 ports.
const AT_ONE_SWITCH: usize = 18;
/// Within a switch: 1 ms for 2 MB at 2 GB/s, two cables of 200 ns, routing, allocations and switch of 170 ns.
const WITHIN_SWITCH_S: f64 = 1e-3 + 570e-9;

const FEW: [usize; 3] = [2, 8, 36];
const SHORT: [usize; 8] = [2, 4, 8, 16, 32, 64, 128, 256];
const FULL: [usize; 10] = [2, 4, 8, 16, 32, 64, 128, 256, 512, 648];
/// Rings of a size: seeds 1, 2, ... Full is what HPC Challenge takes.
const RINGS: [usize; 3] = [2, 5, 30];

const SECTION: &str = "paper 003, section 6.2: throughput falls with the number of nodes";

/// What the rings of a size achieve.
struct Throughput {
    nodes: usize,
    /// Geometric mean of the rings, GB/s per process.
    mean: f64,
    slowest: f64,
    fastest: f64,
}

pub(super) fn compare(campaign: &Campaign<'_>, item: &'static Item) -> Result<Comparison, PapersError> {
    let sizes = campaign.choose(&FEW, &SHORT, &FULL);
    let rings = campaign.choose(&RINGS[..1], &RINGS[1..2], &RINGS[2..])[0];
    let throughputs = run(campaign, sizes, rings)?;
    let mut rows = Vec::new();
    for Throughput { nodes, mean, slowest, fastest } in &throughputs {
        let row = Row::new(nodes, "throughput per process, geometric mean", "GB/s", *mean);
        rows.push(if *nodes <= AT_ONE_SWITCH {
            row.formula(
                Target::exactly(MESSAGE_BYTES / WITHIN_SWITCH_S / 1e9),
                "within a switch no link is shared: 1 ms and 570 ns",
            )
        } else {
            row
        });
        rows.push(Row::new(nodes, "throughput per process, slowest ring", "GB/s", *slowest));
        rows.push(Row::new(nodes, "throughput per process, fastest ring", "GB/s", *fastest));
    }
    for pair in throughputs.windows(2) {
        let what = format!("throughput, over that with {} nodes", pair[0].nodes);
        // Not judged: the rings of two sizes are different ones.
        rows.push(Row::new(pair[1].nodes, what, "", pair[1].mean / pair[0].mean));
    }
    if let [first, .., last] = &throughputs[..] {
        let row = Row::new("all", "throughput, most nodes / fewest", "", last.mean / first.mean);
        rows.push(row.claimed(Target::Below(1.0), SECTION));
    }
    let mut notes = vec![
        "The paper has no numbers in its text: the throughput falls as on the machine, and is always above it.".to_owned(),
        "Two stages of 36-port switches, 18 nodes at each, one process on each of the first nodes. How many nodes and \
         processes the machine had is not stated."
            .to_owned(),
        format!("{rings} rings of each size, one message of 2 MB each; HPC Challenge has 30 rings. No MPI overhead."),
    ];
    if sizes.len() < FULL.len() {
        notes.push(format!(
            "Left out without --full: 512 and 648 nodes, and all but {rings} rings of each size."
        ));
    }
    Ok(Comparison { rows, plots: vec![plot(&throughputs)], notes, ..item.comparison("nodes") })
}

fn run(campaign: &Campaign<'_>, sizes: &[usize], rings: usize) -> Result<Vec<Throughput>, PapersError> {
    let point = |nodes: usize, seed: usize| Point {
        name: format!("{nodes} nodes, ring {seed}"),
        experiment: &EXPERIMENT,
        overrides: vec![format!("workload.ranks={nodes}"), format!("workload.seed={seed}")],
    };
    let points = sizes.iter().flat_map(|&nodes| (1..=rings).map(move |seed| point(nodes, seed)));
    let summaries = campaign.run(&points.collect::<Vec<_>>())?;
    let of_size = |(&nodes, summaries): (&usize, &[weir_record::Summary])| {
        let all: Vec<f64> =
            summaries.iter().map(|summary| MESSAGE_BYTES / summary.simulated.as_secs_f64() / 1e9).collect();
        Throughput {
            nodes,
            mean: geometric_mean(&all),
            slowest: all.iter().copied().fold(f64::INFINITY, f64::min),
            fastest: all.iter().copied().fold(0.0, f64::max),
        }
    };
    Ok(sizes.iter().zip(summaries.chunks_exact(rings)).map(of_size).collect())
}

/// Of one number at least.
fn geometric_mean(all: &[f64]) -> f64 {
    (all.iter().map(|value| value.ln()).sum::<f64>() / all.len() as f64).exp()
}

fn plot(throughputs: &[Throughput]) -> Plot<'static> {
    let series = |name: &str, kind, value: fn(&Throughput) -> f64| {
        let points = throughputs.iter().map(|of| (of.nodes as f64, value(of)));
        Series::new(name, kind, points.collect())
    };
    Plot {
        name: "003-figure-4",
        title: "Paper 003, figure 4: random ring of HPC Challenge, 2 MB, InfiniBand",
        x: Axis::log("nodes"),
        y: Axis::linear("throughput per process [GB/s]"),
        series: vec![
            series("packet engine", SeriesKind::Own, |of| of.mean),
            series("slowest ring", SeriesKind::Formula, |of| of.slowest),
            series("fastest ring", SeriesKind::Formula, |of| of.fastest),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_of_rings() {
        assert!((geometric_mean(&[1.0, 4.0]) - 2.0).abs() < 1e-12);
        assert!((geometric_mean(&[3.0]) - 3.0).abs() < 1e-12);
    }
}
