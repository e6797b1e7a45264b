//! Checks that there are such ranks, and that they work.

use super::{FACTOR, NODES, RANKS, WorkRow, Workers, read};
use crate::scenario::Check;
use crate::source::reader::Section;
use crate::{MappingSection, Scenario, Workload};
use std::borrow::Borrow;
use std::ops::RangeInclusive;
use std::sync::Arc;
use weir_network::{Placement, WorkFactors};
use weir_topology::Topology;
use weir_units::Rank;
use weir_workload::{Order, Pattern, ScaledWork};

impl Check<'_> {
    /// The table of the input, and the pattern with what it says of it.
    pub(crate) fn work(
        &mut self,
        (workload, pattern): (Option<&Workload>, Option<Pattern>),
        (ranks, machine): (Option<usize>, Option<&Topology>),
        mapping: &MappingSection,
    ) -> (Vec<WorkRow>, Option<Pattern>) {
        let nodes = match machine {
            None if !self.has("topology") => ranks.map(|ranks| ranks.div_ceil(mapping.ranks_per_node)),
            machine => machine.map(Topology::nodes),
        };
        let numbered = self.listed("work", "factor=1.5", |number, section| Some((number, read(section)?)));
        let none = workload.and_then(|workload| has_none(workload, pattern.as_ref()));
        for (number, row) in &numbered {
            let Some(mut section) = self.item("work", *number) else { continue };
            if let Some((why, hint)) = none {
                section.problem(FACTOR.name, format!("does not fit: {why}"), Some(hint.to_owned()));
            }
            refuse_others(&mut section, &row.of, (ranks, nodes));
        }
        let rows: Vec<WorkRow> = numbered.into_iter().map(|(_, row)| row).collect();
        let (Some(pattern), Some(nodes), false) = (&pattern, nodes, rows.is_empty()) else {
            return (rows, pattern);
        };
        if self.findings.touches(&["mapping", "workload", "work"]) {
            return (rows, None);
        }
        let work = factors(&rows, || Placement::new(mapping.place(pattern.ranks(), nodes)));
        let worked = Pattern(Arc::new(ScaledWork::new(pattern.clone(), work)));
        (rows, Some(worked))
    }
}

fn refuse_others(section: &mut Section<'_>, of: &Workers, (ranks, nodes): (Option<usize>, Option<usize>)) {
    let (key, named, there_are) = match of {
        Workers::All => return,
        Workers::Ranks(named) => (RANKS.name, named, ranks),
        Workers::Nodes(named) => (NODES.name, named, nodes),
    };
    let (Some(&last), Some(there_are)) = (named.iter().map(RangeInclusive::end).max(), there_are) else {
        return;
    };
    if last as usize >= there_are {
        let what = match of {
            Workers::Nodes(_) => format!("there is no node {last}: there are {there_are}, counted from 0"),
            _ => format!("there is no rank {last}: there are {there_are}, counted from 0"),
        };
        section.problem(key, what, None);
    }
}

impl Scenario {
    pub(crate) fn work_factors(&self) -> WorkFactors {
        factors(&self.work, || self.placement())
    }
}

fn factors<P: Borrow<Placement>>(rows: &[WorkRow], placement: impl FnOnce() -> P) -> WorkFactors {
    let of_nodes = rows.iter().any(|row| matches!(row.of, Workers::Nodes(_)));
    let placement = of_nodes.then(placement);
    let times = |work: WorkFactors, WorkRow { of, factor }: &WorkRow| match (of, &placement) {
        (Workers::Ranks(ranks), _) => work.times(ranks, *factor),
        (Workers::Nodes(nodes), Some(placement)) => work.times(&on_nodes(nodes, placement.borrow()), *factor),
        (Workers::All | Workers::Nodes(_), _) => work.times(&[0..=u32::MAX], *factor),
    };
    rows.iter().fold(WorkFactors::default(), times)
}

/// The ranks on these nodes; those in a row as one range.
fn on_nodes(nodes: &[RangeInclusive<u32>], placement: &Placement) -> Vec<RangeInclusive<u32>> {
    let mut found: Vec<RangeInclusive<u32>> = Vec::new();
    for rank in (0..placement.ranks()).map(Rank::new) {
        if !nodes.iter().any(|nodes| nodes.contains(&placement.node(rank).0)) {
            continue;
        }
        match found.last_mut() {
            Some(last) if last.end() + 1 == rank.0 => *last = *last.start()..=rank.0,
            _ => found.push(rank.0..=rank.0),
        }
    }
    found
}

fn has_none(workload: &Workload, pattern: Option<&Pattern>) -> Option<(&'static str, &'static str)> {
    match (workload, pattern) {
        (Workload::Synthetic(_), _) => Some((
            "nodes of synthetic traffic send at a given rate and compute nothing",
            "leave it out; workload.offered_load says how much they send",
        )),
        (Workload::Collective(_), _) => Some((
            "ranks of a collective compute nothing of their own",
            "leave it out; what combining and copying take are node.combine_bandwidth and node.copy_bandwidth",
        )),
        (Workload::Pattern(_), Some(pattern)) if !pattern.computes() => Some((
            "ranks of this pattern compute nothing",
            "leave it out, or let them begin with workload.start_imbalance = \"10 us\"",
        )),
        (Workload::File(_), Some(pattern)) if !pattern.computes() => Some((
            "no rank of this pattern file pauses, or waits before it sends",
            "leave it out, or write pauses into the file",
        )),
        _ => None,
    }
}
