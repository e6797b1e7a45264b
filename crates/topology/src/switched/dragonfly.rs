//! Dragonflies: groups of routers, each joined to each within its group, and groups joined by global cables (Kim, Dally, Scott,
//! Abts: "Technology-driven, highly-scalable dragonfly topology", ISCA 2008).
//!
//! Router `r` of a group has the slots `global_links * r ..` of the group's [global cables](super::global).

use super::global::{Arrangement, GlobalCables};
use super::{Candidates, Wires};
use crate::error::{self, Mistake};
use std::collections::BTreeSet;

/// The cables of a dragonfly. Router = `routers_per_group * group + r`. Its first ports lead to the other routers of its group, in
/// their order; then come its global ports.
#[derive(Clone, Debug)]
pub struct Dragonfly {
    routers_per_group: u32,
    global_links: u32,
    global: GlobalCables,
}

impl Dragonfly {
    /// A dragonfly of so many groups of so many routers with so many global cables each, of which so many join any two groups.
    ///
    /// # Errors
    /// Names the keys `routers_per_group`, `groups` and `links_per_pair` when one is 0, the global cables do not suffice, or there are too
    /// many routers or ports.
    pub fn new(
        (routers_per_group, global_links): (u32, u32),
        (groups, links_per_pair): (u32, u32),
        arrangement: Arrangement,
    ) -> Result<Self, Vec<Mistake>> {
        let mut mistakes = Vec::new();
        let mut refuse = |what: String, hint: &str| {
            mistakes.push(Mistake { key: "routers_per_group", what, hint: hint.into() });
        };
        if routers_per_group == 0 {
            refuse("is 0".into(), "take 1 or more");
        }
        let ports = u64::from(routers_per_group) + u64::from(global_links);
        let routers = u64::from(routers_per_group) * u64::from(groups);
        if ports > u64::from(u16::MAX) || routers > u64::from(u32::MAX) / ports.max(1) {
            refuse(format!("gives {routers} routers with {ports} ports each"), "take a smaller machine");
        }
        let of_group = (routers_per_group, "routers", global_links);
        mistakes.extend(GlobalCables::mistakes((groups, links_per_pair), of_group));
        error::unless_empty(mistakes)?;
        let global = GlobalCables::new((groups, links_per_pair), arrangement);
        Ok(Self { routers_per_group, global_links, global })
    }

    /// Number of routers of a group.
    pub fn routers_per_group(&self) -> u32 {
        self.routers_per_group
    }

    /// Number of groups.
    pub fn groups(&self) -> u32 {
        self.global.groups
    }

    /// Number of global ports of a router.
    pub fn global_links(&self) -> u32 {
        self.global_links
    }

    /// Number of cables between any two groups.
    pub fn links_per_pair(&self) -> u32 {
        self.global.links_per_pair
    }

    /// Which global port leads where.
    pub fn arrangement(&self) -> Arrangement {
        self.global.arrangement
    }

    fn local_port(here: u32, there: u32) -> u32 {
        there - u32::from(there > here)
    }
}

impl Wires for Dragonfly {
    fn routers(&self) -> u32 {
        self.groups() * self.routers_per_group
    }

    fn ports(&self, router: u32) -> u32 {
        let before = router % self.routers_per_group * self.global_links;
        self.routers_per_group - 1 + self.global.used_of(before, self.global_links)
    }

    fn neighbor(&self, router: u32, port: u32) -> (u32, u32) {
        let (size, locals) = (self.routers_per_group, self.routers_per_group - 1);
        let (group, here) = (router / size, router % size);
        let Some(global) = port.checked_sub(locals) else {
            let there = port + u32::from(port >= here);
            return (group * size + there, Self::local_port(there, here));
        };
        let (other, back) = self.global.other_end(group, here * self.global_links + global);
        (other * size + back / self.global_links, locals + back % self.global_links)
    }

    fn class(&self, _router: u32, port: u32) -> usize {
        usize::from(port + 1 >= self.routers_per_group)
    }

    fn classes(&self) -> Vec<String> {
        vec!["local".into(), "global".into()]
    }

    /// A way to another group passes one global cable; of the cables between the two groups those count by which it is shortest.
    fn minimal(&self, from: u32, to: u32, found: &mut Candidates) {
        let (size, locals) = (self.routers_per_group, self.routers_per_group - 1);
        let ((group, here), (other, there)) = ((from / size, from % size), (to / size, to % size));
        if from == to {
            return;
        }
        if group == other {
            return found.lead([Self::local_port(here, there)]);
        }
        let mut least = u32::MAX;
        for (slot, back) in self.global.between(group, other) {
            let (exit, entry) = (slot / self.global_links, back / self.global_links);
            let links = u32::from(exit != here) + 1 + u32::from(entry != there);
            if links < least {
                least = links;
                found.clear();
            }
            if links == least {
                let global = locals + slot % self.global_links;
                found.lead([if exit == here { global } else { Self::local_port(here, exit) }]);
            }
        }
    }

    fn diameter(&self) -> u32 {
        let local = u32::from(self.routers_per_group > 1);
        if self.groups() > 1 { 2 * local + 1 } else { local }
    }

    /// Between two groups all ways have three links, but those that begin where a cable does, end where one does, or are one.
    fn lengths(&self) -> (u64, u64) {
        let (groups, size) = (self.groups(), u64::from(self.routers_per_group));
        let (mut longest, mut sum) = (u64::from(size > 1), u64::from(groups) * size * (size - 1));
        let others =
            |group| (0..groups).filter(move |&other| other != group).map(move |other| (group, other));
        for (group, other) in (0..groups).flat_map(others) {
            let ends = self.global.between(group, other);
            let cables: BTreeSet<(u32, u32)> =
                ends.map(|(slot, back)| (slot / self.global_links, back / self.global_links)).collect();
            let exits = cables.iter().map(|cable| cable.0).collect::<BTreeSet<_>>().len() as u64;
            let entries = cables.iter().map(|cable| cable.1).collect::<BTreeSet<_>>().len() as u64;
            let of_three = (size - exits) * (size - entries);
            let of_one = cables.len() as u64;
            sum += 2 * size * size + of_three - of_one;
            longest = longest.max(if of_three > 0 { 3 } else { 1 + u64::from(of_one < size * size) });
        }
        (longest, sum)
    }

    fn group(&self, router: u32) -> u32 {
        router / self.routers_per_group
    }

    fn place(&self, router: u32) -> Vec<u32> {
        vec![router / self.routers_per_group, router % self.routers_per_group]
    }

    fn router_at(&self, place: &[u32]) -> Option<u32> {
        let &[group, router] = place else { return None };
        let is_there = group < self.groups() && router < self.routers_per_group;
        is_there.then(|| group * self.routers_per_group + router)
    }

    fn place_form(&self) -> Vec<String> {
        vec!["group".into(), "router".into()]
    }

    fn name(&self, router: u32) -> String {
        format!("router {} of group {}", router % self.routers_per_group, router / self.routers_per_group)
    }
}
