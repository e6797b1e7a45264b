//! Section 2: the effect of pacing grows with the size of messages and with the hops of their routes.
//!
//! The paper takes it from earlier work on collective communication and shows no figure. Here every node of a torus sends
//! one message to one other, at random; larger tori have longer ways.

use crate::campaign::{Campaign, Experiment, Point};
use crate::{Axis, Comparison, Item, PapersError, Plot, Row, Series, SeriesKind, Target};

static EXPERIMENT: Experiment = Experiment {
    name: "papers/004-pacing/distance.toml",
    text: include_str!("../../../../papers/004-pacing/distance.toml"),
};

const SECTION: &str = "paper 004, section 2: grows with the size of messages and with hops";

/// Nodes along both sides of the torus.
const SIDES: [&[u32]; 3] = [&[4, 8], &[4, 8, 16, 32], &[4, 8, 16, 32]];
/// Sizes of messages in KiB.
const SIZES: [&[u32]; 3] = [&[4, 64], &[4, 16, 64, 256], &[4, 16, 64, 256, 1024]];
/// Permutations drawn of each machine.
const DRAWS: [u32; 3] = [2, 3, 10];
/// Shorter messages are over before packets meet: there the way alone counts, and any gap is a loss.
const LONG_KIB: u32 = 16;

/// What pacing does, by machine and size.
struct Effects {
    sides: &'static [u32],
    sizes: &'static [u32],
    /// By side and size: the time with derived gaps over that without, both summed over all draws.
    effects: Vec<f64>,
    /// By side: hops of a packet, in the mean.
    hops: Vec<f64>,
}

pub(super) fn compare(campaign: &Campaign<'_>, item: &'static Item) -> Result<Comparison, PapersError> {
    let effects = Effects::run(campaign)?;
    let mut rows = Vec::new();
    for (side, &nodes) in effects.sides.iter().enumerate() {
        let machine = format!("{nodes} x {nodes}");
        rows.push(Row::new(&machine, "hops of a packet, mean", "", effects.hops[side]));
        for (size, kib) in effects.sizes.iter().enumerate() {
            let what = format!("time with pacing / without, {kib} KiB");
            rows.push(Row::new(&machine, what, "", effects.of(side, size)));
        }
        let steps = (1..effects.sizes.len()).map(|size| effects.of(side, size) / effects.of(side, size - 1));
        let row =
            Row::new(&machine, "effect of a size over that of the size before, at most", "", most(steps));
        rows.push(row.claimed(Target::Below(1.0), SECTION));
    }
    for (size, &kib) in effects.sizes.iter().enumerate() {
        let steps = (1..effects.sides.len()).map(|side| effects.of(side, size) / effects.of(side - 1, size));
        let what = "effect of a machine over that of the machine before, at most";
        let row = Row::new(format!("{kib} KiB"), what, "", most(steps));
        rows.push(match kib >= LONG_KIB {
            true => row.claimed(Target::Below(1.0), SECTION),
            false => row,
        });
    }
    let notes = vec![
        format!(
            "Every node sends one message to one other, at random; sums over {} permutations. Gaps are those of `weir advise \
             pacing`, each message its own. Below 1 the exchange is faster with them.",
            DRAWS[campaign.extent as usize]
        ),
        format!(
            "Messages shorter than {LONG_KIB} KiB are over before much congestion comes about: pacing makes them longer."
        ),
    ];
    Ok(Comparison { rows, plots: vec![effects.plot()], notes, ..item.comparison("torus or size") })
}

fn most(steps: impl Iterator<Item = f64>) -> f64 {
    steps.fold(0.0, f64::max)
}

impl Effects {
    fn run(campaign: &Campaign<'_>) -> Result<Self, PapersError> {
        let extent = campaign.extent as usize;
        let (sides, sizes, draws) = (SIDES[extent], SIZES[extent], DRAWS[extent]);
        let mut points = Vec::new();
        for &side in sides {
            for &kib in sizes {
                for gap in ["0", "max-min"] {
                    points.extend((1..=draws).map(|seed| point(side, kib, gap, seed)));
                }
            }
        }
        let summaries = campaign.run(&points)?;
        let sums: Vec<f64> = summaries
            .chunks(draws as usize)
            .map(|draws| draws.iter().map(|summary| summary.simulated.as_secs_f64()).sum())
            .collect();
        let hops = summaries.chunks(sizes.len() * 2 * draws as usize).map(|of_side| {
            let packets = of_side.iter().filter_map(|summary| summary.counts.packet());
            let (hops, packets) =
                packets.fold((0, 0), |(hops, packets), one| (hops + one.packet_hops, packets + one.packets));
            hops as f64 / packets as f64
        });
        let effects = sums.chunks(2).map(|pair| pair[1] / pair[0]).collect();
        Ok(Self { sides, sizes, effects, hops: hops.collect() })
    }

    fn of(&self, side: usize, size: usize) -> f64 {
        self.effects[side * self.sizes.len() + size]
    }

    fn plot(&self) -> Plot<'static> {
        let line = |side: usize| {
            let points =
                self.sizes.iter().enumerate().map(|(size, &kib)| (f64::from(kib), self.of(side, size)));
            let name = format!("{0} x {0} nodes, {1:.1} hops", self.sides[side], self.hops[side]);
            Series::new(name, SeriesKind::Own, points.collect())
        };
        Plot {
            name: "004-size-and-distance",
            title: "Paper 004, section 2: what pacing gains, by size and distance",
            x: Axis::log("size of messages [KiB]"),
            y: Axis::linear("time with pacing / without"),
            series: (0..self.sides.len()).map(line).collect(),
        }
    }
}

fn point(side: u32, kib: u32, gap: &str, seed: u32) -> Point {
    Point {
        name: format!("{side} x {side}, {kib} KiB, gap {gap}, seed {seed}"),
        experiment: &EXPERIMENT,
        overrides: vec![
            format!("topology.shape=[{side}, {side}]"),
            format!("workload.message_size='{kib} KiB'"),
            format!("workload.seed={seed}"),
            format!("node.packet_gap={gap}"),
        ],
    }
}
