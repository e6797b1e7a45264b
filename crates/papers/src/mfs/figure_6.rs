//! Figure 6: three algorithms of the all-to-all on the 16 x 16 torus, on both engines.

use super::packets::{self, Size};
use crate::campaign::{Campaign, Experiment, Point};
use crate::{Axis, Comparison, Extent, Item, PapersError, Plot, Row, Series, SeriesKind, Target};
use weir_record::Summary;

static EXPERIMENT: Experiment = Experiment {
    name: "papers/000-mfs/figure-6.toml",
    text: include_str!("../../../../papers/000-mfs/figure-6.toml"),
};

/// Name in the paper, name in the experiment, simulated time in ms of an outside model. Simple spread is chaotic
/// there: no two programs agree to better than per cents.
const ALGORITHMS: [(&str, &str, Option<f64>); 3] = [
    ("A2ASS", "simple-spread", None),
    ("A2ASS2D", "simple-spread-2d", Some(27.36)),
    ("A2APW", "pairwise", Some(22.22)),
];
/// Nodes along a dimension.
const SIDE: usize = 16;

const ORDER: &str = "paper 000, section 6.3: the times fall in this order";

/// Milliseconds of simulated time, by algorithm.
type Times = [f64; 3];

/// What the engines say.
struct Engines {
    flow: Times,
    /// Packets, 20 kB.
    whole: Times,
    /// Packets, 1 B.
    one_byte: Times,
    /// Packets, 20 kB, where no node waits for messages.
    unsynchronised: Option<Times>,
}

impl Engines {
    /// Section 5.1: without what does not grow with the message size.
    fn packets(&self) -> Times {
        std::array::from_fn(|k| self.whole[k] - self.one_byte[k])
    }
}

pub(super) fn compare(campaign: &Campaign<'_>, item: &'static Item) -> Result<Comparison, PapersError> {
    let engines = run(campaign)?;
    let (flow, packets) = (engines.flow, engines.packets());
    let mut rows = Vec::new();
    for (k, (name, _, expected)) in ALGORITHMS.iter().enumerate() {
        rows.push(flow_row(name, *expected, flow[k]));
        let row = |what: &str, unit, own| Row::new(name, what, unit, own);
        rows.push(row("simulated time, packet engine, 20 kB", "ms", engines.whole[k]));
        rows.push(row("simulated time, packet engine, 1 B", "ms", engines.one_byte[k]));
        rows.push(row("simulated time, packet engine, 20 kB less 1 B", "ms", packets[k]));
        rows.push(row("packets / flow", "", packets[k] / flow[k]));
    }
    rows.extend(order_rows("simulated time", flow));
    rows.extend(order_rows("packet engine", packets));
    let same =
        ranking(flow).iter().zip(ranking(packets)).filter(|(flow, packets)| **flow == *packets).count();
    rows.push(
        Row::new("all", "algorithms of the same rank on both engines", "", same as f64).claimed(
            Target::exactly(ALGORITHMS.len() as f64),
            "paper 000, section 6.3: the order is the same",
        ),
    );
    for (times, (k, (name, _, _))) in
        engines.unsynchronised.iter().flat_map(|times| times.iter().zip(ALGORITHMS.iter().enumerate()))
    {
        rows.push(Row::new(name, "packet engine, nobody waits, 20 kB", "ms", *times));
        rows.push(Row::new(name, "packet engine, nobody waits / synchronised", "", times / engines.whole[k]));
    }
    let notes = vec![
        "A2ASS is simple-spread, A2ASS2D is simple-spread-2d, A2APW is pairwise.".to_owned(),
        "The packet engine's time is that with 20 kB less that with 1 B, as in section 5.1. Its ranks run a program: each \
         step sends, then receives. The flow engine's do not wait, as in the paper."
            .to_owned(),
        match engines.unsynchronised {
            None => "Left out without --full: packets of ranks that do not wait for messages either.",
            Some(_) => {
                "Where nobody waits for messages either, packets of many steps are in the network at once, and all \
                 algorithms take about the same time."
            }
        }
        .to_owned(),
    ];
    Ok(Comparison { rows, plots: vec![plot(flow, packets)], notes, ..item.comparison("algorithm") })
}

fn run(campaign: &Campaign<'_>) -> Result<Engines, PapersError> {
    let flow = |algorithm: &str| Point {
        name: algorithm.to_owned(),
        experiment: &EXPERIMENT,
        overrides: vec![format!("workload.algorithm={algorithm}")],
    };
    let unsynchronised = |algorithm: &str| {
        let mut point = packets::point(SIDE, algorithm, Size::Whole);
        point.name += ", nobody waits";
        point.overrides.push("workload.synchronised=false".into());
        point
    };
    let mut points: Vec<Point> = Vec::new();
    points.extend(ALGORITHMS.map(|(_, algorithm, _)| flow(algorithm)));
    for size in [Size::Whole, Size::OneByte] {
        points.extend(ALGORITHMS.map(|(_, algorithm, _)| packets::point(SIDE, algorithm, size)));
    }
    if campaign.extent == Extent::Full {
        points.extend(ALGORITHMS.map(|(_, algorithm, _)| unsynchronised(algorithm)));
    }
    let summaries = campaign.run(&points)?;
    let ms = |summary: &Summary| summary.simulated.as_secs_f64() * 1e3;
    let mut engines = summaries.chunks_exact(ALGORITHMS.len()).map(|of| [ms(&of[0]), ms(&of[1]), ms(&of[2])]);
    let mut next = || engines.next().expect("there are points of every algorithm");
    Ok(Engines { flow: next(), whole: next(), one_byte: next(), unsynchronised: engines.next() })
}

fn flow_row(name: &str, expected: Option<f64>, own: f64) -> Row {
    let row = Row::new(name, "simulated time, Mode F", "ms", own);
    match expected {
        // Each of 255 cycles is rounded to a picosecond.
        Some(expected) => row.outside_model(Target::near(expected, 1e-6), "an outside model of paper 000"),
        None => row,
    }
}

/// Each algorithm over the next one.
fn order_rows(what: &str, own: Times) -> [Row; 2] {
    [(0, 1), (1, 2)].map(|(slower, faster)| {
        let what = format!("{what}, {} / {}", ALGORITHMS[slower].0, ALGORITHMS[faster].0);
        let row = Row::new(ALGORITHMS[faster].0, what, "", own[slower] / own[faster]);
        row.claimed(Target::Above(1.0), ORDER)
    })
}

/// How many algorithms take less time, for each.
fn ranking(own: Times) -> [usize; 3] {
    own.map(|time| own.iter().filter(|&&other| other < time).count())
}

fn plot(flow: Times, packets: Times) -> Plot<'static> {
    let series = |name: &str, own: Times| {
        let points = own.iter().enumerate().map(|(i, &own)| (i as f64, own));
        Series::new(name, SeriesKind::Own, points.collect())
    };
    Plot {
        name: "000-figure-6",
        title: "Paper 000, figure 6: all-to-all on the 16 x 16 torus, 20 kB, 1 GB/s",
        x: Axis::names("algorithm", ALGORITHMS.map(|(name, _, _)| name).into()),
        y: Axis::linear("simulated time [ms]"),
        series: vec![series("packet engine", packets), series("flow engine, Mode F", flow)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ranking_counts_who_is_faster() {
        assert_eq!(ranking([38.9, 27.4, 22.2]), [2, 1, 0]);
        assert_eq!(ranking([22.2, 38.9, 22.2]), [0, 2, 0]);
    }
}
