//! Closed forms of papers, where they apply.

use crate::{Scenario, TopologySection};
use weir_topology::Wrap;
use weir_units::Duration;
use weir_workload::{Counted, Pattern};

/// A time by a formula of a paper.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedForm {
    /// The formula.
    pub formula: &'static str,
    /// Where it is from.
    pub source: &'static str,
    /// Time that the formula gives here.
    pub time: Duration,
    /// Why no run needs to be slower than this, although the paper calls it a minimum; `None` where it is a bound.
    pub not_a_bound: Option<&'static str>,
}

pub(crate) fn closed_forms(scenario: &Scenario) -> Vec<ClosedForm> {
    all_to_all_on_a_square_torus(scenario).into_iter().collect()
}

/// Paper 000, section 5.1: on an n x n torus half of the n^2 nodes send to the other half over 2 n links, (n^2/2 x
/// n^2/2) / (2 n) = n^3/8 messages one after the other. An odd n has no halves: (n^2 - n)/2 x (n^2 + n)/2 messages over 2 n
/// links are n (n^2 - 1)/8, so that the formula is a little more than what the cut says.
fn all_to_all_on_a_square_torus(scenario: &Scenario) -> Option<ClosedForm> {
    let TopologySection::Grid { dimensions, .. } = scenario.topology.as_ref()? else { return None };
    let [x, y] = dimensions.as_slice() else { return None };
    let square = x.size == y.size && x.size > 1 && x.bandwidth == y.bandwidth;
    let wraps = x.wrap == Wrap::Torus && y.wrap == Wrap::Torus;
    let Some(Pattern::AllToAll(pattern)) = scenario.pattern.as_deref() else { return None };
    let ranks = scenario.workload.ranks;
    let full = scenario.mapping.ranks_per_node == 1 && ranks == scenario.nodes();
    if !(square && wraps && full) {
        return None;
    }
    let of_pair = pattern.bytes_total().as_f64() / (ranks * (ranks - 1)) as f64;
    let bytes = f64::from(x.size).powi(3) / 8.0 * of_pair;
    let odd = "n is odd: there are no halves, and the cut says n (n^2 - 1)/8";
    Some(ClosedForm {
        formula: "n^3/8",
        source: "the MFS paper, section 5.1",
        time: Duration::from_secs_f64(bytes / x.bandwidth.bytes_per_second())?,
        not_a_bound: (x.size % 2 == 1).then_some(odd),
    })
}
