//! Rates of flows that are all there at once.

use crate::crossings::Crossings;
use crate::progressive_filling::progressive_filling;
use weir_units::LinkId;

/// A set of flows on links of given capacities, of which nothing moves: the rates of one instant.
#[derive(Clone, Debug)]
pub struct Snapshot {
    crossings: Crossings,
}

impl Snapshot {
    /// Links of these capacities, in bytes per second, and room for so many flows.
    #[must_use]
    pub fn new(capacities: impl IntoIterator<Item = f64>, flows: usize) -> Self {
        Self { crossings: Crossings::new(capacities, flows) }
    }

    /// Puts a flow on the links of its route, which are all different.
    ///
    /// # Panics
    /// When this flow has a route already, or the route is empty.
    pub fn add(&mut self, flow: usize, route: &[LinkId]) {
        self.crossings.attach(flow, route);
    }

    /// Number of flows that cross a link.
    #[must_use]
    pub fn share(&self, link: LinkId) -> usize {
        self.crossings.links[link.index()].count()
    }

    /// The max-min fair rate of each flow in bytes per second, by progressive filling; 0 of those without a route. O(hops
    /// log links).
    #[must_use]
    pub fn max_min_rates(&self) -> Vec<f64> {
        progressive_filling(&self.crossings, |_| true).rates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Link 0 has 12 bytes per second for three flows; one of them crosses link 1 as well, which has 2, so the others
    /// share 10. A fourth one is alone on link 2.
    #[test]
    fn what_one_flow_cannot_use_others_get() {
        let mut snapshot = Snapshot::new([12.0, 2.0, 7.0], 5);
        for (flow, route) in [(0, vec![0]), (1, vec![0, 1]), (2, vec![0]), (4, vec![2])] {
            snapshot.add(flow, &route.into_iter().map(LinkId).collect::<Vec<_>>());
        }
        assert_eq!(snapshot.max_min_rates(), [5.0, 2.0, 5.0, 0.0, 7.0]);
        assert_eq!([0, 1, 2].map(|link| snapshot.share(LinkId(link))), [3, 1, 1]);
    }
}
