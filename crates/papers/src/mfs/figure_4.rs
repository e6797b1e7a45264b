//! Figure 4: simulated time of the all-to-all on 2-D tori, its theoretical minimum, and that of packets.

use super::packets::{self, Size};
use super::tori;
use crate::campaign::Campaign;
use crate::{Axis, Comparison, Item, PapersError, Plot, Row, Series, SeriesKind, Target};
use weir_record::Summary;

/// Section 5.1: 20 KB over links of 1 GB/s.
const MESSAGE_TIME_S: f64 = 20e-6;
/// Simulated time in Mode F in ms, by nodes, and how far ours may be off: an outside model, simple spread for 100 and 121
/// nodes. Nothing synchronises the nodes there, so what counts as one instant matters: 1 %. Pairwise, for 256, is in
/// lock step.
const OUTSIDE_MODEL: [(usize, f64, f64); 3] = [(100, 9.855, 0.01), (121, 11.612, 0.01), (256, 22.22, 1e-9)];
/// Section 5.2: by how much the flows take less time than the packets, mean of all sizes: "about 40 %".
const SHORTER: Target = Target::Between(0.35, 0.45);
/// Why ours are not.
const NOT_SHORTER: &str = "The paper's packets are those of BigSimulator, whose times hold copies at the nodes as well \
                           (section 5.2 of the paper); our packet engine has none, and its flows and packets agree to \
                           within 20 %.";

const SECTION: &str = "paper 000, section 5.2";
const BOUND: &str = "paper 000, section 5.1: n^3 / 8 message times";

/// All times of one torus, in ms.
struct Times {
    n: usize,
    flow: f64,
    /// With steps that send, then receive.
    synchronised: f64,
    /// Packets, 20 kB.
    whole: f64,
    /// Packets, 1 B.
    one_byte: f64,
}

impl Times {
    fn nodes(&self) -> usize {
        self.n * self.n
    }

    /// The theoretical minimum: half of the nodes send to the other half over 2n links (section 5.1).
    fn minimum(&self) -> f64 {
        minimum_ms(self.n)
    }

    /// The time of the packets without what does not grow with the message size (section 5.1).
    fn packets(&self) -> f64 {
        self.whole - self.one_byte
    }
}

fn minimum_ms(n: usize) -> f64 {
    n.pow(3) as f64 / 8.0 * MESSAGE_TIME_S * 1e3
}

pub(super) fn compare(campaign: &Campaign<'_>, item: &'static Item) -> Result<Comparison, PapersError> {
    let times = run(campaign)?;
    let of_size = |times| flow_rows(times).into_iter().chain(packet_rows(times));
    let mut rows: Vec<Row> = times.iter().flat_map(of_size).collect();
    let at = |n| times.iter().find(|times| times.n == n);
    if let (Some(before), Some(last)) = (at(15), at(16)) {
        let drops = [
            ("simulated time, 256 nodes / 225 nodes", last.flow / before.flow),
            ("packet engine, 256 nodes / 225 nodes", last.packets() / before.packets()),
        ];
        rows.extend(
            drops.map(|(what, ratio)| Row::new("256", what, "", ratio).claimed(Target::Below(1.0), SECTION)),
        );
        let mean = |ratio: fn(&Times) -> f64| times.iter().map(ratio).sum::<f64>() / times.len() as f64;
        let shorter = mean(|times| 1.0 - times.flow / times.packets());
        let row = Row::new("all", "1 - flow / packets, mean", "", shorter);
        rows.push(row.published(SHORTER, SECTION).explained(NOT_SHORTER));
        let synchronised = mean(|times| 1.0 - times.synchronised / times.packets());
        rows.push(Row::new("all", "1 - flow / packets, both synchronised, mean", "", synchronised));
    }
    let notes = vec![
        "Simple spread (all but 256 nodes) is chaotic: differences of a few per cent from other programs mean nothing."
            .to_owned(),
        "The packet engine's time is that with 20 kB less that with 1 B, as in section 5.1. Its ranks run a program: each \
         step sends, then receives. The flow engine's do not wait, as in the paper; in the rows \"synchronised\" they do."
            .to_owned(),
        "The 40 % are those of BigSimulator, which also counts copies at the nodes. Our packets have none, so our engines \
         are nearer to each other."
            .to_owned(),
    ];
    Ok(Comparison { rows, plots: vec![plot(&times)], notes, ..item.comparison("nodes") })
}

fn run(campaign: &Campaign<'_>) -> Result<Vec<Times>, PapersError> {
    let sides = tori::sides(campaign);
    let points = sides.iter().flat_map(|&n| {
        let packets = |size| packets::point(n, "auto", size);
        [tori::point(n), tori::synchronised(n), packets(Size::Whole), packets(Size::OneByte)]
    });
    let all = campaign.run(&points.collect::<Vec<_>>())?;
    let ms = |summary: &Summary| summary.simulated.as_secs_f64() * 1e3;
    let times = sides.iter().zip(all.chunks_exact(4)).map(|(&n, of)| Times {
        n,
        flow: ms(&of[0]),
        synchronised: ms(&of[1]),
        whole: ms(&of[2]),
        one_byte: ms(&of[3]),
    });
    Ok(times.collect())
}

fn flow_rows(times: &Times) -> [Row; 3] {
    let nodes = times.nodes();
    let row = Row::new(nodes, "simulated time, Mode F", "ms", times.flow);
    let row = match OUTSIDE_MODEL.iter().find(|(other, _, _)| *other == nodes) {
        Some(&(_, expected, part)) => {
            row.outside_model(Target::near(expected, part), "an outside model of paper 000")
        }
        None => row,
    };
    let over = Row::new(nodes, "simulated time / minimum", "", times.flow / times.minimum());
    [
        row,
        Row::new(nodes, "theoretical minimum", "ms", times.minimum()),
        over.claimed(Target::Above(1.0), BOUND),
    ]
}

fn packet_rows(times: &Times) -> [Row; 7] {
    let row = |what: &str, unit, own| Row::new(times.nodes(), what, unit, own);
    let packets = times.packets();
    let distance = (times.flow - packets).abs() / (times.minimum() - packets).abs();
    [
        row("simulated time, packet engine, 20 kB", "ms", times.whole),
        row("simulated time, packet engine, 1 B", "ms", times.one_byte),
        row("simulated time, packet engine, 20 kB less 1 B", "ms", packets),
        row("packets / flow", "", packets / times.flow),
        row("simulated time, Mode F, synchronised", "ms", times.synchronised),
        row("packets / flow, both synchronised", "", packets / times.synchronised),
        row("distance to packets, flow / minimum", "", distance)
            .claimed(Target::Below(1.0), "paper 000, section 5.2: always closer than the minimum"),
    ]
}

fn plot(times: &[Times]) -> Plot<'static> {
    let series = |name: &str, kind, value: fn(&Times) -> f64| {
        let points = times.iter().map(|times| (times.nodes() as f64, value(times)));
        Series::new(name, kind, points.collect())
    };
    Plot {
        name: "000-figure-4",
        title: "Paper 000, figure 4: all-to-all on n x n tori, 20 kB, 1 GB/s",
        x: Axis::span("nodes"),
        y: Axis::linear("simulated time [ms]"),
        series: vec![
            series("packet engine", SeriesKind::Own, Times::packets),
            series("flow engine, Mode F", SeriesKind::Own, |times| times.flow),
            series("flow engine, synchronised", SeriesKind::Own, |times| times.synchronised),
            series("minimum, n^3 / 8", SeriesKind::Formula, Times::minimum),
        ],
    }
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

    /// Packets: 11 - 1 = 10 ms. The flow is 1 ms off, the minimum of 2.5 ms is 7.5 off.
    #[test]
    fn packets_are_compared_without_what_does_not_grow() {
        let times = Times { n: 10, flow: 9.0, synchronised: 8.0, whole: 11.0, one_byte: 1.0 };
        let own: Vec<f64> = packet_rows(&times).iter().map(|row| row.own.unwrap_or_default()).collect();
        let expected = [11.0, 1.0, 10.0, 10.0 / 9.0, 8.0, 1.25, 1.0 / 7.5];
        assert!(own.iter().zip(expected).all(|(own, expected)| (own - expected).abs() < 1e-12), "{own:?}");
    }
}
