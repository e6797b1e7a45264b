//! Figures 11 and 12: the times of all sizes together: theory, without and with pacing, without and with imbalance.

use super::grid::Grid;
use super::model::{Kind, MESSAGES_PER_DIRECTION, Model, Start, message_time_s};
use crate::campaign::{Campaign, Extent};
use crate::{Axis, Comparison, Item, PapersError, Plot, Row, Series, SeriesKind, Target};

const SECTION: &str = "paper 004, section 5.3";
/// Bars beside theory: what they are, and what the small model takes in the paper, in ms.
const BARS: [(&str, f64); 4] =
    [("no pacing", 638.1), ("no pacing, imbalance", 654.2), ("pacing", 385.9), ("pacing, imbalance", 440.9)];
const THEORY_MS: f64 = 281.7;
/// The large model, from the text: about 2.2 times theory, and about 49 % of that.
const LARGE_UNPACED: f64 = 2.2;
const LARGE_PACED_OVER_UNPACED: f64 = 0.49;
/// How far ratios may be off.
const TENTH: f64 = 0.1;
const ARBITRATION: &str = "Ratios hang on arbitration and buffers, which the paper does not state, and its theory counts less than ours; \
     docs/reference/papers.md#arbitration-for-paper-004 shows what comes nearest.";
/// The paper does not say which factor it has taken.
const IMBALANCE: Start = Start::Within("10 us");
/// From this size on messages dominate the sum.
const LONG_KIB: u32 = 288;

pub(super) fn compare(
    campaign: &Campaign<'_>,
    item: &'static Item,
    model: &'static Model,
) -> Result<Comparison, PapersError> {
    let (share, _) = model.advice(campaign)?;
    let gaps: Vec<f64> = [0.0].iter().chain(model.paced_gaps(campaign)).copied().collect();
    let grid = Grid::run(campaign, model, &gaps, &[Start::Together, IMBALANCE])?;
    let theory_of = |kib| share * MESSAGES_PER_DIRECTION * message_time_s(kib);
    let theory: f64 = grid.sizes.iter().map(|&kib| theory_of(kib)).sum();
    let sum = |start: usize, paced: bool| -> f64 {
        let time = |size| grid.time(start, size, if paced { grid.best(start, size) } else { 0 });
        (0..grid.sizes.len()).map(time).sum()
    };
    // The few points of tests have one size, and a smaller model.
    let whole = campaign.extent != Extent::Few;
    let own = [sum(0, false), sum(1, false), sum(0, true), sum(1, true)];
    let mut rows = vec![Row::new("all", "theory", "us", theory * 1e6)];
    for ((name, ms), own) in BARS.iter().zip(own) {
        let row = Row::new("all", format!("{name} / theory"), "", own / theory);
        rows.push(match model.kind {
            Kind::Small if whole => {
                row.published(Target::near(ms / THEORY_MS, TENTH), SECTION).explained(ARBITRATION)
            }
            Kind::Large if whole && name.starts_with("no pacing") => {
                row.published(Target::near(LARGE_UNPACED, TENTH), SECTION).explained(ARBITRATION)
            }
            Kind::Large if whole => {
                let row = row.claimed(Target::Below(1.15), "paper 004, section 5.3: near theory with pacing");
                row.explained(ARBITRATION)
            }
            Kind::Small | Kind::Large => row,
        });
    }
    for (name, paced, plain) in [("no imbalance", 2, 0), ("imbalance", 3, 1)] {
        let published = match model.kind {
            Kind::Small => BARS[paced].1 / BARS[plain].1,
            Kind::Large => LARGE_PACED_OVER_UNPACED,
        };
        let row = Row::new("all", format!("pacing / no pacing, {name}"), "", own[paced] / own[plain]);
        rows.push(if whole {
            row.published(Target::near(published, TENTH), SECTION).explained(ARBITRATION)
        } else {
            row
        });
        let row = Row::new("all", format!("shorter by pacing, {name}"), "", 1.0 - own[paced] / own[plain]);
        rows.push(row.claimed(Target::Above(0.0), SECTION));
    }
    if model.kind == Kind::Small && campaign.extent != Extent::Few {
        let long: f64 = (0..grid.sizes.len())
            .filter(|&size| grid.sizes[size] >= LONG_KIB)
            .map(|size| grid.time(0, size, 0))
            .sum();
        let row = Row::new("all", "part of 288 KiB and more in the sum", "", long / own[0]);
        rows.push(row.claimed(Target::Above(0.5), SECTION));
    }
    let notes = vec![
        "The paper's milliseconds cannot be had: neither the speed of the links nor how often each size is sent is stated. \
         So ratios are judged, within 10 %. Here every size is sent once."
            .to_owned(),
        "Imbalance: 10 us, which the paper does not say. With pacing each size has its best gap of the ones run.".to_owned(),
    ];
    Ok(Comparison { rows, plots: vec![plot(model, &own, theory)], notes, ..item.comparison("KiB") })
}

fn plot(model: &Model, own: &[f64; 4], theory: f64) -> Plot<'static> {
    let names: Vec<&'static str> = ["theory"].into_iter().chain(BARS.iter().map(|(name, _)| *name)).collect();
    let points = |values: &mut dyn Iterator<Item = f64>| -> Vec<(f64, f64)> {
        values.enumerate().map(|(i, value)| (i as f64, value)).collect()
    };
    let ours = points(&mut [1.0].into_iter().chain(own.iter().map(|time| time / theory)));
    let mut series = vec![Series::new("own", SeriesKind::Own, ours)];
    let (name, title) = match model.kind {
        Kind::Small => {
            let paper = points(&mut [1.0].into_iter().chain(BARS.iter().map(|(_, ms)| ms / THEORY_MS)));
            series.push(Series::new("published", SeriesKind::Published, paper));
            ("004-figure-11", "Paper 004, figure 11: all sizes together, small model")
        }
        Kind::Large => ("004-figure-12", "Paper 004, figure 12: all sizes together, large model"),
    };
    let x = Axis::names("what", names);
    Plot { name, title, x, y: Axis::linear("time / theory"), series }
}
