//! `[[work]]`: ranks whose work takes longer, or not as long.

mod check;

use crate::keys::form::{Number, Ranges};
use crate::keys::keys;
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use std::ops::{Bound, RangeInclusive};

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
        "Nodes on whose ranks the work is, written as `ranks` are.";
    FACTOR: f64 = "factor", &[],
        Number { within: (Bound::Included(0.0), Bound::Included(MOST)), words: "a number from 0 to 1,000,000" },
        Required("write factor = 1.5"),
        "Number of times as long that it takes, 0 to 1,000,000: 1.5 for a slow node, 0.5 for a processor that is twice as fast. Where several rows name a \
         rank, their factors multiply.";
}

fn read(section: &mut Section<'_>) -> Option<WorkRow> {
    let (ranks, nodes) = (section.get(&RANKS), section.get(&NODES));
    let factor = section.get_required(&FACTOR);
    let of = match (section.has(RANKS.name), section.has(NODES.name)) {
        (true, true) => {
            let hint = "write another [[work]] for the ranks on these nodes".to_owned();
            section.problem(NODES.name, "does not go with ranks: a row is of one or the other", Some(hint));
            return None;
        }
        (true, false) => Workers::Ranks(ranks?),
        (false, true) => Workers::Nodes(nodes?),
        (false, false) => Workers::All,
    };
    Some(WorkRow { of, factor: factor? })
}

impl WorkRow {
    pub(crate) fn put(&self, table: &mut Resolved) {
        match &self.of {
            Workers::All => {}
            Workers::Ranks(ranks) => table.put(&RANKS, ranks),
            Workers::Nodes(nodes) => table.put(&NODES, nodes),
        }
        table.put(&FACTOR, self.factor);
    }
}
