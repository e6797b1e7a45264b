//! Table 3.1: how many nodes and cables the machines have.

use super::fat_trees::machines;
use crate::campaign::Campaign;
use crate::{Axis, Comparison, Item, PapersError, Plot, Row, Series, SeriesKind, Target};

const SOURCE: &str = "paper 002, table 3.1";

pub(super) fn compare(campaign: &Campaign<'_>, item: &'static Item) -> Result<Comparison, PapersError> {
    let (mut rows, mut own, mut published) = (Vec::new(), Vec::new(), Vec::new());
    for machine in machines(campaign) {
        let scenario = machine.random_ring("single-pass").scenario()?;
        let topology = scenario.topology().expect("the experiment has a topology");
        // A cable is two links, one each way.
        let cables = topology.links() / 2;
        let counts = [("nodes", topology.nodes(), machine.nodes), ("cables", cables, machine.cables)];
        rows.extend(counts.map(|(what, own, published)| {
            let row = Row::new(machine.name(), what, "", own as f64);
            row.published(Target::exactly(published as f64), SOURCE)
        }));
        own.push((topology.nodes() as f64, cables as f64));
        published.push((machine.nodes as f64, machine.cables as f64));
    }
    let plot = Plot {
        name: "002-table-3-1",
        title: "Paper 002, table 3.1: nodes and cables of the fat trees",
        x: Axis::log("nodes"),
        y: Axis::log("cables"),
        series: vec![
            Series::new("own", SeriesKind::Own, own),
            Series::new("published", SeriesKind::Published, published),
        ],
    };
    let notes =
        vec!["The \"links\" of the paper are cables, those between nodes and switches included.".to_owned()];
    Ok(Comparison { rows, plots: vec![plot], notes, ..item.comparison("machine") })
}
