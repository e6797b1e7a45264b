//! The ways around of a pair of routers, in little room.

use serde::{Deserialize, Serialize};
use weir_units::LinkId;

/// Ways, each as its links.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Ways {
    /// The links of all ways, ascending.
    links: Vec<LinkId>,
    /// By way: where its places end.
    ends: Vec<u16>,
    /// The places of the ways' links in `links`, way by way.
    places: Vec<u16>,
}

impl Ways {
    pub(super) fn new(ways: &[Vec<LinkId>]) -> Self {
        let mut links = ways.concat();
        links.sort_unstable();
        links.dedup();
        let place = |link| links.binary_search(link).expect("each link is among all") as u16;
        let places: Vec<u16> = ways.iter().flatten().map(place).collect();
        let ends = ways.iter().scan(0, |end, way| {
            *end += way.len() as u16;
            Some(*end)
        });
        Self { ends: ends.collect(), places, links }
    }

    pub(super) fn number(&self) -> usize {
        self.ends.len()
    }

    /// The links of all ways, ascending.
    pub(super) fn links(&self) -> &[LinkId] {
        &self.links
    }

    /// Where a link is among those of all ways.
    pub(super) fn place(&self, link: LinkId) -> Option<usize> {
        self.links.binary_search(&link).ok()
    }

    /// The links of each way.
    pub(super) fn each(&self) -> impl Iterator<Item = impl Iterator<Item = LinkId>> {
        (0..self.ends.len()).map(|way| self.places_of(way).iter().map(|&place| self.links[place as usize]))
    }

    /// By link: the sum of the parts that pass it, of which each way has one.
    pub(super) fn parts(&self, by_way: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut parts = vec![0.0; self.links.len()];
        for (way, part) in by_way.enumerate() {
            self.places_of(way).iter().for_each(|&place| parts[place as usize] += part);
        }
        parts
    }

    fn places_of(&self, way: usize) -> &[u16] {
        let begin = way.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.places[begin as usize..self.ends[way] as usize]
    }
}
