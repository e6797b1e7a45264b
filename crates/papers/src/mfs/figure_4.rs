//! Figure 4: simulated time of the all-to-all on 2-D tori, and its theoretical minimum.

use super::tori;
use crate::campaign::Campaign;
use crate::{Axis, Comparison, Item, PapersError, Plot, Row, Series, SeriesKind, Target, Tolerance};

/// Section 5.1: 20 KB over links of 1 GB/s.
const MESSAGE_TIME_S: f64 = 20e-6;
/// Simulated time in Mode F in units of 1 us, by nodes: an independent model, simple spread for 100 and 121 nodes.
/// Nothing synchronises the nodes there, so what counts as one instant matters: 1 %. Pairwise, for 256, is in lock step.
const SECOND_MODEL: [(usize, f64, Tolerance); 3] = [
    (100, 9.855, Tolerance::Relative(0.01)),
    (121, 11.612, Tolerance::Relative(0.01)),
    (256, 22.22, Tolerance::Exact),
];

const SECTION: &str = "paper 000, section 5.2";
const BOUND: &str = "paper 000, section 5.1: n^3 / 8 message times";

/// The theoretical minimum in ms: half of the nodes send to the other half over 2n links (section 5.1).
fn minimum_ms(n: usize) -> f64 {
    n.pow(3) as f64 / 8.0 * MESSAGE_TIME_S * 1e3
}

pub(super) fn compare(campaign: &Campaign<'_>, item: &'static Item) -> Result<Comparison, PapersError> {
    let sides = tori::sides(campaign);
    let summaries = campaign.run(&tori::points(sides))?;
    let own: Vec<f64> = summaries.iter().map(|summary| summary.simulated.as_secs_f64() * 1e3).collect();
    let mut rows = Vec::new();
    for (&n, &own_ms) in sides.iter().zip(&own) {
        let nodes = n * n;
        let row = Row::new(nodes, "simulated time, Mode F", "ms", own_ms);
        rows.push(match SECOND_MODEL.iter().find(|(other, _, _)| *other == nodes) {
            Some(&(_, expected, tolerance)) => {
                row.expected(Target::Value(expected), tolerance, "a second, independent model")
            }
            None => row,
        });
        rows.push(Row::new(nodes, "theoretical minimum", "ms", minimum_ms(n)));
        let over = Row::new(nodes, "simulated time / minimum", "", own_ms / minimum_ms(n));
        rows.push(over.published(Target::Above(1.0), Tolerance::Exact, BOUND));
    }
    let at = |n| sides.iter().position(|&side| side == n).map(|place| own[place]);
    if let (Some(simple_spread), Some(pairwise)) = (at(15), at(16)) {
        let row = Row::new("256", "simulated time, 256 nodes / 225 nodes", "", pairwise / simple_spread);
        rows.push(row.published(Target::Below(1.0), Tolerance::Exact, SECTION));
    }
    let series = |values: Vec<f64>| sides.iter().map(|n| (n * n) as f64).zip(values).collect();
    let plot = Plot {
        name: "000-figure-4",
        title: "Paper 000, figure 4: all-to-all on n x n tori, 20 kB, 1 GB/s",
        x: Axis::span("nodes"),
        y: Axis::linear("simulated time [ms]"),
        series: vec![
            Series::new("flow engine, Mode F", SeriesKind::Own, series(own.clone())),
            Series::new(
                "minimum, n^3 / 8",
                SeriesKind::Formula,
                series(sides.iter().map(|&n| minimum_ms(n)).collect()),
            ),
        ],
    };
    let notes = vec![
        "The paper compares with a packet-level simulator; that column comes with the packet engine.".to_owned(),
        "Simple spread (all but 256 nodes) is chaotic: differences of a few per cent from other programs mean nothing."
            .to_owned(),
    ];
    Ok(Comparison { rows, plots: vec![plot], notes, ..item.comparison("nodes") })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hand-computed: 10^3 / 8 = 125 messages of 20 us; 16^3 / 8 = 512.
    #[test]
    fn minimum() {
        assert!((minimum_ms(10) - 2.5).abs() < 1e-12);
        assert!((minimum_ms(16) - 10.24).abs() < 1e-12);
    }
}
