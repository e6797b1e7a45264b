//! Figure 6: three algorithms of the all-to-all on the 16 x 16 torus.

use crate::campaign::{Campaign, Experiment, Point};
use crate::{Axis, Comparison, Item, PapersError, Plot, Row, Scale, Series, SeriesKind, Target, Tolerance};

static EXPERIMENT: Experiment = Experiment {
    name: "papers/000-mfs/figure-6.toml",
    text: include_str!("../../../../papers/000-mfs/figure-6.toml"),
};

/// Name in the paper, name in the experiment, simulated time in ms of an independent model. Simple spread is chaotic
/// there: no two programs agree to better than per cents.
const ALGORITHMS: [(&str, &str, Option<f64>); 3] = [
    ("A2ASS", "simple-spread", None),
    ("A2ASS2D", "simple-spread-2d", Some(27.36)),
    ("A2APW", "pairwise", Some(22.22)),
];

pub(super) fn compare(campaign: &Campaign<'_>, item: &'static Item) -> Result<Comparison, PapersError> {
    let points = ALGORITHMS.map(|(_, algorithm, _)| Point {
        name: algorithm.to_owned(),
        experiment: &EXPERIMENT,
        overrides: vec![format!("workload.algorithm={algorithm}")],
    });
    let summaries = campaign.run(&points)?;
    let own: Vec<f64> = summaries.iter().map(|summary| summary.simulated.as_secs_f64() * 1e3).collect();
    let mut rows = Vec::new();
    for ((name, _, expected), &own) in ALGORITHMS.iter().zip(&own) {
        let row = Row::new(name, "simulated time, Mode F", "ms", own);
        rows.push(match *expected {
            // Each of 255 cycles is rounded to a picosecond.
            Some(expected) => row.expected(
                Target::Value(expected),
                Tolerance::Relative(1e-6),
                "a second, independent model",
            ),
            None => row,
        });
    }
    for (slower, faster) in [(0, 1), (1, 2)] {
        let what = format!("simulated time, {} / {}", ALGORITHMS[slower].0, ALGORITHMS[faster].0);
        let row = Row::new(ALGORITHMS[faster].0, what, "", own[slower] / own[faster]);
        rows.push(row.published(
            Target::Above(1.0),
            Tolerance::Exact,
            "paper 000, section 6.3: the times fall in this order",
        ));
    }
    let plot = Plot {
        name: "000-figure-6",
        title: "Paper 000, figure 6: all-to-all on the 16 x 16 torus, 20 kB, 1 GB/s",
        x: Axis { label: "algorithm", scale: Scale::Names(ALGORITHMS.map(|(name, _, _)| name).into()) },
        y: Axis::linear("simulated time [ms]"),
        series: vec![Series::new(
            "flow engine, Mode F",
            SeriesKind::Own,
            own.iter().enumerate().map(|(i, &own)| (i as f64, own)).collect(),
        )],
    };
    let notes = vec![
        "The paper finds the same order with a packet-level simulator; that column comes with the packet engine."
            .to_owned(),
        "A2ASS is simple-spread, A2ASS2D is simple-spread-2d, A2APW is pairwise.".to_owned(),
    ];
    Ok(Comparison { rows, plots: vec![plot], notes, ..item.comparison("algorithm") })
}
