//! Parts of a machine by their names, and the cables that can be cut.

use crate::{End, Link, Topology};
use std::collections::BTreeMap;
use weir_units::{LinkId, RouterId};

/// The part of a machine that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// One way of a cable: `router (1,0) -> router (2,0)`.
    Link(LinkId),
    /// Both ways of a cable: `router (1,0) - router (2,0)`, the names of the ends in any order.
    Cable([LinkId; 2]),
    /// A router: `router (1,0)`.
    Router(RouterId),
}

impl Topology {
    /// Finds the parts of these names; `None` for those that stand for nothing. A cable of which only one way is there has no
    /// name, but its link has. O(links + routers).
    pub fn parts_named(&self, names: &[&str]) -> Vec<Option<Part>> {
        if names.is_empty() {
            return Vec::new();
        }
        let mut found: BTreeMap<&str, Option<Part>> = names.iter().map(|&name| (name, None)).collect();
        for router in (0..self.routers()).map(RouterId::new) {
            if let Some(part) = found.get_mut(self.router_name(router).as_str()) {
                *part = Some(Part::Router(router));
            }
        }
        // Both ways of a cable have one name, if the ends are in one order.
        let mut ways: BTreeMap<String, LinkId> = BTreeMap::new();
        for id in (0..self.links()).map(LinkId::new) {
            let [from, to] = self.end_names(id);
            let suffix = self.link_suffix(id);
            if let Some(part) = found.get_mut(format!("{from} -> {to}{suffix}").as_str()) {
                *part = Some(Part::Link(id));
            }
            let cables = [format!("{from} - {to}{suffix}"), format!("{to} - {from}{suffix}")];
            if cables.iter().all(|name| !found.contains_key(name.as_str())) {
                continue;
            }
            let [name, other] = cables;
            if let Some(&back) = ways.get(&other) {
                for name in [&name, &other] {
                    if let Some(part) = found.get_mut(name.as_str()) {
                        *part = Some(Part::Cable([back, id]));
                    }
                }
            }
            ways.insert(name, id);
        }
        names.iter().map(|&name| found[name]).collect()
    }

    /// All links at a router, those of its nodes as well. O(links).
    pub fn links_at(&self, router: RouterId) -> Vec<LinkId> {
        let ids = (0..self.links()).map(LinkId::new);
        ids.filter(|&id| {
            let Link { from, to, .. } = self.link(id);
            [from, to].contains(&End::Router(router))
        })
        .collect()
    }

    /// The cables between routers, both ways each, in the order of their routers, then of their numbers. Links that lead only
    /// one way are none. O(links log links).
    pub fn router_cables(&self) -> Vec<[LinkId; 2]> {
        let mut ways = Vec::new();
        for id in (0..self.links()).map(LinkId::new) {
            if let Link { from: End::Router(from), to: End::Router(to), .. } = self.link(id) {
                ways.push((from.min(to), from.max(to), self.link_suffix(id), from > to, id));
            }
        }
        ways.sort_unstable();
        let pairs = ways.windows(2).filter(|pair| {
            let [a, b] = [&pair[0], &pair[1]];
            (a.0, a.1, &a.2) == (b.0, b.1, &b.2)
        });
        pairs.map(|pair| [pair[0].4, pair[1].4]).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::harness::{as_graph, grid, hypercrossbar, machines};
    use crate::{End, Part, Tie};
    use proptest::prelude::*;
    use weir_units::{LinkId, RouterId};

    /// A ring of two routers has two cables between them; the one that closes it has `(wrap)` behind its name.
    #[test]
    fn names_of_parts() {
        let ring = grid(&[(2, true)], Tie::Plus);
        let names = [
            "router (0) -> router (1)",
            "router (1) - router (0)",
            "router (0) - router (1) (wrap)",
            "router (1)",
            "node 1 - router (1)",
            "router (2)",
            "router (0) -> router (0)",
        ];
        let ids = |from: &str, to: &str| {
            let id = |name| (0..ring.links()).map(LinkId::new).find(|&id| ring.link_name(id) == name);
            let mut ids = [id(from).unwrap(), id(to).unwrap()];
            ids.sort_unstable();
            ids
        };
        let expected = [
            Some(Part::Link(LinkId(4))),
            Some(Part::Cable(ids("router (0) -> router (1)", "router (1) -> router (0)"))),
            Some(Part::Cable(ids("router (0) -> router (1) (wrap)", "router (1) -> router (0) (wrap)"))),
            Some(Part::Router(RouterId(1))),
            Some(Part::Cable(ids("node 1 -> router (1)", "router (1) -> node 1"))),
            None,
            None,
        ];
        assert_eq!(ring.parts_named(&names), expected);
        assert_eq!(ring.router_cables().len(), 2);
        assert_eq!(ring.links_at(RouterId(0)).len(), 6);
        assert_eq!(as_graph(&hypercrossbar(&[3, 2])).router_cables().len(), 12);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Every link between routers is in one cable, of which the name is found.
        #[test]
        fn cables_have_all_links(machine in machines(), graph: bool) {
            let machine = if graph { as_graph(&machine) } else { machine };
            let cables = machine.router_cables();
            let between = (0..machine.links()).map(LinkId::new).filter(|&id| {
                let link = machine.link(id);
                matches!((link.from, link.to), (End::Router(_), End::Router(_)))
            });
            let mut all: Vec<_> = cables.iter().flatten().copied().collect();
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(between));
            let names: Vec<_> = cables.iter().map(|cable| machine.link_name(cable[0]).replace(" -> ", " - ")).collect();
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            for (part, mut cable) in machine.parts_named(&names).into_iter().zip(cables) {
                cable.sort_unstable();
                prop_assert_eq!(part, Some(Part::Cable(cable)));
            }
        }
    }
}
