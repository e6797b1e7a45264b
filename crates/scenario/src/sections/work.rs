//! `[[work]]`: ranks whose work takes longer, or not as long.

mod check;

use crate::Units;
use crate::keys::Default::{Required, Words};
use crate::keys::form::{Number, Ranges};
use crate::keys::keys;
use crate::keys::resolved::Resolved;
use crate::source::reader::Section;
use serde_json::Value;
use std::ops::{Bound, RangeInclusive};

/// How many times as long the work of some ranks takes.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkRow {
    /// Whose work it is.
    pub of: Workers,
    /// How many times as long it takes: 0 or more.
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
    RANKS: Ranges = "ranks", &[], Ranges, Words("all"),
        "whose work it is: a rank (`3`), ranks from one to another (`\"4-7\"`), or a list of both (`[0, \"4-7\"]`)";
    NODES: Ranges = "nodes", &[], Ranges, Words("all"),
        "likewise: the ranks on these nodes";
    FACTOR: Number = "factor", &[],
        Number { within: (Bound::Included(0.0), Bound::Included(MOST)), words: "a number from 0 to 1,000,000" },
        Required("write factor = 1.5"),
        "how many times as long it takes, 0 to 1,000,000: 1.5 for a slow node, 0.5 for a processor that is twice as fast. Where several rows name a \
         rank, their factors multiply";
}

/// A row of the table; `None` when something is missing or wrong.
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

/// A row as it would be written.
pub(crate) fn resolved(row: &WorkRow, units: Units) -> Value {
    let mut resolved = Resolved::new(units);
    match &row.of {
        Workers::All => {}
        Workers::Ranks(ranks) => resolved.put(&RANKS, ranks.clone()),
        Workers::Nodes(nodes) => resolved.put(&NODES, nodes.clone()),
    }
    resolved.put(&FACTOR, row.factor);
    resolved.into_value()
}
