//! `[[work]]`: ranks whose work takes longer, or not as long.

use crate::Workload;
use crate::check::{Check, Parts};
use crate::keys::form::{Number, Ranges};
use crate::keys::keys;
use crate::source::reader::Section;
use std::borrow::Borrow;
use std::ops::{Bound, RangeInclusive};
use std::sync::Arc;
use weir_network::{Placement, WorkFactors};
use weir_topology::Topology;
use weir_units::Rank;
use weir_workload::{Pattern, ScaledWork, Sequence};

/// Factor of the time that the work of some ranks takes.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkRow {
    /// Whose work it is.
    pub of: Workers,
    /// Number of times as long that it takes: 0 or more.
    pub factor: f64,
}

/// Whose work a row is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Workers {
    /// That of all ranks.
    All,
    /// That of these.
    Ranks(Vec<RangeInclusive<u32>>),
    /// That of the ranks on these nodes.
    Nodes(Vec<RangeInclusive<u32>>),
}

/// More than this is a mistake.
const MOST: f64 = 1e6;

keys! {
    "work":
    RANKS: Vec<RangeInclusive<u32>> = "ranks", &[], Ranges, Words("all"),
        "Ranks whose work it is: a rank (`3`), ranks from one to another (`\"4-7\"`), or a list of both (`[0, \"4-7\"]`).";
    NODES: Vec<RangeInclusive<u32>> = "nodes", &[], Ranges, Words("all"),
        "Nodes of the ranks whose work it is, written as `ranks`.";
    FACTOR: f64 = "factor", &[],
        Number { within: (Bound::Included(0.0), Bound::Included(MOST)), words: "a number from 0 to 1,000,000" },
        Required("write factor = 1.5"),
        "Factor for the time of the work, 0 to 1,000,000: 1.5 for a slow node, 0.5 for a processor that is twice as fast. Where several rows name a \
         rank, their factors multiply.";
}

fn read(section: &mut Section<'_>) -> Option<WorkRow> {
    let (ranks, nodes) = (section.get(&RANKS), section.get(&NODES));
    let factor = section.get_required(&FACTOR);
    let of = match (section.has(RANKS.name), section.has(NODES.name)) {
        (true, true) => {
            let hint = "write another [[work]] for the ranks on these nodes";
            section.report(NODES.name, "does not go with ranks: a row is of one or the other", hint);
            return None;
        }
        (true, false) => Workers::Ranks(ranks?),
        (false, true) => Workers::Nodes(nodes?),
        (false, false) => Workers::All,
    };
    Some(WorkRow { of, factor: factor? })
}

impl Check<'_> {
    /// The table of the input. The pattern becomes what it says of it.
    pub(crate) fn work(&mut self, parts: &mut Parts) -> Vec<WorkRow> {
        let nodes = match parts.machine() {
            None if !self.has("topology") => {
                parts.ranks.map(|ranks| ranks.div_ceil(parts.mapping.ranks_per_node))
            }
            machine => machine.map(Topology::nodes),
        };
        let numbered = self.listed("work", "factor=1.5", |number, section| Some((number, read(section)?)));
        let Parts { ranks, workload, pattern, mapping, .. } = parts;
        let none = workload.as_ref().and_then(|workload| has_none(workload, pattern.as_ref()));
        for (number, row) in &numbered {
            let Some(mut section) = self.item("work", *number) else { continue };
            if let Some((why, hint)) = none {
                section.report(FACTOR.name, format!("does not fit: {why}"), hint);
            }
            refuse_others(&mut section, &row.of, (*ranks, nodes));
        }
        let rows: Vec<WorkRow> = numbered.into_iter().map(|(_, row)| row).collect();
        if let (Some(plain), Some(nodes), false) = (&*pattern, nodes, rows.is_empty()) {
            let is_right = !self.findings.touches(&["mapping", "workload", "work"]);
            *pattern = is_right.then(|| {
                let work = factors(&rows, || Placement::new(mapping.place(plain.ranks(), nodes)));
                Pattern(Arc::new(ScaledWork::new(plain.clone(), work)))
            });
        }
        rows
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
        section.report(key, what, "");
    }
}

pub(crate) fn factors<P: Borrow<Placement>>(rows: &[WorkRow], placement: impl FnOnce() -> P) -> WorkFactors {
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
        (Workload::Outside, _) => Some((
            "the program that steps the run says when its ranks send",
            "leave it out, and let the program count what its ranks compute",
        )),
        (Workload::Collective(_), _) => Some((
            "ranks of a collective compute nothing of their own",
            "leave it out; what combining and copying take are node.combine_bandwidth and node.copy_bandwidth",
        )),
        (Workload::Pattern, Some(pattern)) if !pattern.computes() => Some((
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
