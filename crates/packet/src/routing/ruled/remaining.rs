//! Rules on machines of which links have failed: packets take the shortest ways of which all links are left, and where there is none, a way
//! around that the rule has. So no way is longer than in the whole machine, and the classes of its channels are enough.
//!
//! ```text
//!   valiant, ugal-l, ugal-g, par   by a router to which a shortest way is left, and one on from there
//!   valiant-group                  the same, and on from each router by which its group may be entered
//!   dimwar                         in each line by a router of that line
//!   omniwar                        by a router of one of the lines along dimensions that differ, from which a shortest way is left
//!   minimal-adaptive on a torus    in the lane to escape by, which has detours
//! ```

use super::Ruled;
use crate::Refusal;
use crate::network::Poll;
use weir_topology::{Candidates, Degraded, Rule};
use weir_units::RouterId;

impl Ruled {
    /// The same on a machine of which links have failed, if its rule has a way between any two routers with nodes all the same.
    ///
    /// # Errors
    /// Says what it lacks. When `poll` stops it, with anything.
    pub(in crate::routing) fn without(
        mut self,
        degraded: &Degraded,
        (nics, outputs): (u32, &[u16]),
        poll: Poll<'_>,
    ) -> Result<Self, Refusal> {
        self.remaining = degraded.remaining_candidates().cloned();
        if let Some(escape) = self.escape.take() {
            let escape = escape.without(degraded, (nics, outputs), poll)?;
            self.classes = u32::from(escape.adaptive) + 1;
            self.escape = Some(Box::new(escape));
            return Ok(self);
        }
        let lost = self.remaining.iter().flat_map(|remaining| remaining.lost());
        let between_nodes = |(from, _): &(RouterId, RouterId)| from.0 < self.network.homes();
        let without_way = lost.filter(between_nodes).find(|&(from, to)| !self.has_way_around(from, to));
        let Some((from, to)) = without_way else { return Ok(self) };
        let [from, to] = [from, to].map(|router| degraded.whole().router_name(router));
        let name = self.rule.name();
        let what =
            format!("is \"{name}\", which has no way from {from} to {to} without the links that have failed");
        Err(Refusal::new("topology.routing", what, "a rule of fixed routes takes detours: leave it out"))
    }

    /// Returns whether the rule has a way between two routers of which no shortest way is left.
    fn has_way_around(&self, from: RouterId, to: RouterId) -> bool {
        match self.rule {
            Rule::Valiant | Rule::ValiantGroup | Rule::UgalL(_) | Rule::UgalG(_) | Rule::Par(_) => {
                (0..self.network.homes()).any(|via| self.fits(from, RouterId(via), to))
            }
            Rule::DimWar(_) | Rule::OmniWar(_) => {
                let mut found = Candidates::default();
                let (shortest, target) = self.along_lines((from, to), &mut found);
                self.leads(from, target) || self.beside(from, &shortest.ports, target).next().is_some()
            }
            _ => false,
        }
    }

    /// The port that begins the shortest way around between two routers of which no shortest way is left.
    pub(super) fn port_around(&self, here: RouterId, home: RouterId) -> u16 {
        let mut found = Candidates::default();
        if let Rule::DimWar(_) | Rule::OmniWar(_) = self.rule {
            let (shortest, target) = self.along_lines((here, home), &mut found);
            let beside = || self.beside(here, &shortest.ports, target).next();
            return found.ports.first().copied().or_else(beside).expect("the rule has a way");
        }
        let via = (0..self.network.homes()).map(RouterId);
        let via = via.filter(|&via| self.leads(here, via) && self.leads(via, home));
        // One step further the same router is nearest, so the way comes to its end.
        let nearest = via.min_by_key(|&via| self.steps(here, via) + self.steps(via, home));
        self.candidates(here, nearest.expect("the rule has a way"), &mut found);
        found.ports[0]
    }

    /// The number of links of a shortest way that is left.
    fn steps(&self, mut from: RouterId, to: RouterId) -> u32 {
        let (mut steps, mut found) = (0, Candidates::default());
        while from != to {
            self.candidates(from, to, &mut found);
            from = self.network.neighbor(from, found.ports[0]);
            steps += 1;
        }
        steps
    }

    pub(super) fn candidates(&self, from: RouterId, to: RouterId, found: &mut Candidates) {
        self.network.candidates_left(self.remaining.as_ref(), (from, to), found);
    }

    /// Returns whether a shortest way is left.
    pub(super) fn leads(&self, from: RouterId, to: RouterId) -> bool {
        self.remaining.as_ref().is_none_or(|remaining| remaining.leads(from, to))
    }

    /// Returns whether there is a way to a router and on from there; by `valiant-group` on from where it enters the router's group.
    pub(super) fn fits(&self, from: RouterId, via: RouterId, to: RouterId) -> bool {
        let turns_before = self.remaining.is_some() && self.rule == Rule::ValiantGroup;
        self.leads(from, via)
            && if turns_before {
                self.entries(from, via).iter().all(|&entry| self.leads(entry, to))
            } else {
                self.leads(via, to)
            }
    }

    /// The routers by which shortest ways to a router enter its group.
    fn entries(&self, from: RouterId, to: RouterId) -> Vec<RouterId> {
        let (mut open, mut entries, mut found) = (vec![from], Vec::new(), Candidates::default());
        while let Some(here) = open.pop() {
            if self.network.group(here) == self.network.group(to) {
                entries.push(here);
                continue;
            }
            self.candidates(here, to, &mut found);
            open.extend(found.ports.iter().map(|&port| self.network.neighbor(here, port)));
        }
        entries
    }

    /// The ports that begin a shortest way within lines, to the router that the second one says: under `dimwar` those of the first dimension
    /// that differs, to the router of that line; else all, to the end of the way. In `found` are those that are left.
    pub(super) fn along_lines(
        &self,
        (here, home): (RouterId, RouterId),
        found: &mut Candidates,
    ) -> (Candidates, RouterId) {
        self.network.candidates(here, home, found);
        let mut target = home;
        if let Rule::DimWar(_) = self.rule {
            found.ports.truncate(found.leading);
            target = self.network.neighbor(here, found.ports[0]);
        }
        let shortest = found.clone();
        if self.remaining.is_some() {
            self.candidates(here, target, found);
        }
        (shortest, target)
    }

    /// The ports of a router that begin a detour of one link along the dimensions of these ports: others, behind which a shortest way to a
    /// router is left.
    pub(super) fn beside<'r>(
        &'r self,
        here: RouterId,
        shortest: &'r [u16],
        target: RouterId,
    ) -> impl Iterator<Item = u16> + 'r {
        let network = &self.network;
        let class = move |port: u16| network.class(here, port);
        let is_in_line = move |port: &u16| {
            !shortest.contains(port) && shortest.iter().any(|&other| class(other) == class(*port))
        };
        let leads =
            move |port: &u16| self.is_left(here, *port) && self.leads(network.neighbor(here, *port), target);
        (0..network.ports(here) as u16).filter(is_in_line).filter(leads)
    }

    /// Returns whether the cable at a port has not failed, behind which is another router with nodes.
    fn is_left(&self, here: RouterId, port: u16) -> bool {
        if self.remaining.is_none() {
            return true;
        }
        let mut found = Candidates::default();
        self.candidates(here, self.network.neighbor(here, port), &mut found);
        found.ports.contains(&port)
    }
}
