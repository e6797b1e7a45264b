//! Section 5.2: congestion starts at a link that many messages pass, and pacing keeps it away.

use super::model::{LARGE, Start, bytes};
use crate::campaign::Campaign;
use crate::{Axis, Comparison, Item, PapersError, Plot, Row, Series, SeriesKind, Target};
use weir_record::Summary;

const SECTION: &str =
    "paper 004, sections 5.1 and 5.2: corners of diamonds, Y = 31 and Z = 0 or Y = 0 and Z = 0";
const SUPPRESSED: &str = "paper 004, abstract: pacing suppresses congestion almost completely";

pub(super) fn compare(campaign: &Campaign<'_>, item: &'static Item) -> Result<Comparison, PapersError> {
    let model = &LARGE;
    let gaps = model.congestion_gaps(campaign);
    let kib = model.sizes(campaign)[0];
    let points: Vec<_> =
        gaps.iter().map(|&gap| model.point(campaign, bytes(kib), gap, Start::Together, 1)).collect();
    let summaries = campaign.run(&points)?;
    let mut rows = Vec::new();
    if let Some(place) = contended_place(&summaries[0]) {
        let what = "hops from a corner of a diamond, of the link that packets wait for longest";
        let row = Row::new("gap 0", what, "", f64::from(corner_hops(place, model.side(campaign))));
        rows.push(row.claimed(Target::exactly(0.0), SECTION));
        rows.push(Row::new("gap 0", "time its packets wait, all together", "ms", waited_ms(&summaries[0])));
    }
    for (gap, summary) in gaps.iter().zip(&summaries) {
        rows.push(Row::new(format!("gap {gap}"), "mean packet latency", "us", latency_us(summary)));
        let queue = summary.link_use.busy.map_or(0, |busy| busy.max_queue);
        rows.push(Row::new(format!("gap {gap}"), "most packets in a channel", "", f64::from(queue)));
    }
    let last = format!("gap {}", gaps[gaps.len() - 1]);
    let part = waited_ms(&summaries[gaps.len() - 1]) / waited_ms(&summaries[0]);
    let row = Row::new(last, "longest wait for a link / without pacing", "", part);
    rows.push(row.claimed(Target::Below(0.1), SUPPRESSED));
    let notes = vec![format!(
        "Large model, messages of {kib} KiB. `weir report` on the results of a run with `output.sample_interval` shows which \
         buffers fill when."
    )];
    Ok(Comparison { rows, plots: vec![plot(gaps, &summaries)], notes, ..item.comparison("packets") })
}

/// How long packets waited for the link that they waited for longest, whichever that is, all of them together.
fn waited_ms(summary: &Summary) -> f64 {
    let packets = summary.link_use.most_contended.as_ref().and_then(|link| link.packets);
    packets.map_or(0.0, |packets| packets.waited.as_ps() as f64 / 1e9)
}

/// Coordinates of the router at which that link begins; `None` if it begins at a node.
fn contended_place(summary: &Summary) -> Option<[u32; 3]> {
    // `router (39,31,0) -> router (0,31,0)`
    let name = &summary.link_use.most_contended.as_ref()?.name;
    let (coordinates, _) = name.strip_prefix("router (")?.split_once(')')?;
    let mut numbers = coordinates.split(',').map_while(|number| number.parse().ok());
    Some([numbers.next()?, numbers.next()?, numbers.next()?])
}

/// Hops in y and z to the nearer one of the corners at which a link has most routes.
fn corner_hops([_, y, z]: [u32; 3], side: u32) -> u32 {
    y.min(side - 1 - y) + z
}

fn latency_us(summary: &Summary) -> f64 {
    let latency = summary.counts.packet().and_then(|packet| packet.latency);
    latency.map_or(0.0, |latency| latency.mean_s * 1e6)
}

fn plot(gaps: &[f64], summaries: &[Summary]) -> Plot<'static> {
    let points = gaps.iter().zip(summaries).map(|(&gap, summary)| (gap, latency_us(summary)));
    Plot {
        name: "004-congestion",
        title: "Paper 004, section 5.2: packets in the large model",
        x: Axis::linear("gap behind each packet [packet times]"),
        y: Axis::linear("mean packet latency [us]"),
        series: vec![Series::new("own", SeriesKind::Own, points.collect())],
    }
}
