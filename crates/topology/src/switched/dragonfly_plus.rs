//! Dragonflies of leaves and spines (Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi: "Dragonfly+: low cost topology for scaling
//! datacenters", HiPINEB 2017): in each group every leaf is joined to every spine, nodes are at leaves, and spines have the global
//! cables. So between nodes of two groups there are ways of three links: up, across, down.
//!
//! Spine `s` of a group has the slots `global_links * s ..` of the group's [global cables](super::global).

use super::global::{Arrangement, GlobalCables};
use super::{Candidates, Wires};
use crate::error::{self, Mistake};

/// The cables of a dragonfly of leaves and spines. Leaf `l` of a group is router `leaves * group + l`; then come the spines of all
/// groups, in the same way. The ports of a leaf lead to the spines of its group in their order, the first ports of a spine to the
/// leaves; then come its global ports.
#[derive(Clone, Debug)]
pub struct DragonflyPlus {
    leaves: u32,
    spines: u32,
    global_links: u32,
    global: GlobalCables,
}

/// A router, in its group.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Leaf(u32),
    Spine(u32),
}

impl DragonflyPlus {
    /// Makes so many groups of so many leaves and spines, with so many global cables at each spine, of which so many join any two groups.
    ///
    /// # Errors
    /// Names the keys `leaves`, `spines`, `groups` and `links_per_pair` when one is 0, the global cables do not suffice, or there are
    /// too many routers or ports.
    pub fn new(
        (leaves, spines, global_links): (u32, u32, u32),
        (groups, links_per_pair): (u32, u32),
        arrangement: Arrangement,
    ) -> Result<Self, Vec<Mistake>> {
        let mut mistakes = Vec::new();
        let mut refuse =
            |key, what: String, hint: &str| mistakes.push(Mistake { key, what, hint: hint.into() });
        for (key, value) in [("leaves", leaves), ("spines", spines)] {
            if value == 0 {
                refuse(key, "is 0".into(), "take 1 or more");
            }
        }
        let ports = (u64::from(leaves) + u64::from(global_links)).max(spines.into());
        let routers = (u64::from(leaves) + u64::from(spines)) * u64::from(groups);
        if ports > u64::from(u16::MAX) || routers > u64::from(u32::MAX) / ports.max(1) {
            let what = format!("gives {routers} routers with up to {ports} ports each");
            refuse("leaves", what, "take a smaller machine");
        }
        let of_group = (spines, "spines", global_links);
        mistakes.extend(GlobalCables::mistakes((groups, links_per_pair), of_group));
        error::unless_empty(mistakes)?;
        let global = GlobalCables::new((groups, links_per_pair), arrangement);
        Ok(Self { leaves, spines, global_links, global })
    }

    /// Number of leaves of a group.
    pub fn leaves(&self) -> u32 {
        self.leaves
    }

    /// Number of spines of a group.
    pub fn spines(&self) -> u32 {
        self.spines
    }

    /// Number of global ports of a spine.
    pub fn global_links(&self) -> u32 {
        self.global_links
    }

    /// Number of groups.
    pub fn groups(&self) -> u32 {
        self.global.groups
    }

    /// Number of cables between any two groups.
    pub fn links_per_pair(&self) -> u32 {
        self.global.links_per_pair
    }

    /// Which global port leads where.
    pub fn arrangement(&self) -> Arrangement {
        self.global.arrangement
    }

    fn place_of(&self, router: u32) -> (u32, Place) {
        match router.checked_sub(self.homes()) {
            None => (router / self.leaves, Place::Leaf(router % self.leaves)),
            Some(spine) => (spine / self.spines, Place::Spine(spine % self.spines)),
        }
    }

    fn spine(&self, group: u32, spine: u32) -> u32 {
        self.homes() + group * self.spines + spine
    }
}

impl Wires for DragonflyPlus {
    fn routers(&self) -> u32 {
        self.groups() * (self.leaves + self.spines)
    }

    fn homes(&self) -> u32 {
        self.groups() * self.leaves
    }

    fn kinds_of_routers(&self) -> Vec<(String, u32)> {
        vec![("leaf".into(), 0), ("spine".into(), self.homes())]
    }

    fn ports(&self, router: u32) -> u32 {
        match self.place_of(router).1 {
            Place::Leaf(_) => self.spines,
            Place::Spine(spine) => {
                self.leaves + self.global.used_of(spine * self.global_links, self.global_links)
            }
        }
    }

    fn neighbor(&self, router: u32, port: u32) -> (u32, u32) {
        let (group, place) = self.place_of(router);
        match (place, port.checked_sub(self.leaves)) {
            (Place::Leaf(leaf), _) => (self.spine(group, port), leaf),
            (Place::Spine(spine), None) => (group * self.leaves + port, spine),
            (Place::Spine(spine), Some(global)) => {
                let (other, back) = self.global.other_end(group, spine * self.global_links + global);
                (self.spine(other, back / self.global_links), self.leaves + back % self.global_links)
            }
        }
    }

    fn class(&self, router: u32, port: u32) -> usize {
        usize::from(router >= self.homes() && port >= self.leaves)
    }

    fn classes(&self) -> Vec<String> {
        vec!["local".into(), "global".into()]
    }

    /// A way to another group passes one global cable; of the cables between the two groups those count by which it is shortest. A
    /// spine without such a cable is left by any leaf.
    fn minimal(&self, from: u32, to: u32, found: &mut Candidates) {
        let ((group, here), (other, there)) = (self.place_of(from), self.place_of(to));
        if from == to {
            return;
        }
        if group == other {
            return match (here, there) {
                (Place::Leaf(_), Place::Leaf(_)) => found.lead(0..self.spines),
                (Place::Spine(_), Place::Spine(_)) => found.lead(0..self.leaves),
                (_, Place::Leaf(place) | Place::Spine(place)) => found.lead([place]),
            };
        }
        let to_spine = |place, spine| match place {
            Place::Leaf(_) => 1,
            Place::Spine(own) => 2 * u32::from(own != spine),
        };
        let mut least = u32::MAX;
        for (slot, back) in self.global.between(group, other) {
            let exit = slot / self.global_links;
            let links = to_spine(here, exit) + 1 + to_spine(there, back / self.global_links);
            if links < least {
                least = links;
                found.clear();
            }
            match here {
                _ if links > least => {}
                Place::Leaf(_) => found.lead([exit]),
                Place::Spine(own) if own == exit => {
                    found.lead([self.leaves + slot % self.global_links]);
                }
                Place::Spine(_) => found.lead(0..self.leaves),
            }
        }
    }

    fn diameter(&self) -> u32 {
        match (self.groups(), self.leaves) {
            (1, 1) => 0,
            (1, _) => 2,
            _ => 3,
        }
    }

    fn lengths(&self) -> (u64, u64) {
        let (homes, leaves) = (u64::from(self.homes()), u64::from(self.leaves));
        (self.diameter().into(), homes * (2 * (leaves - 1) + 3 * (homes - leaves)))
    }

    fn group(&self, router: u32) -> u32 {
        self.place_of(router).0
    }

    fn place(&self, router: u32) -> Vec<u32> {
        let (group, Place::Leaf(number) | Place::Spine(number)) = self.place_of(router);
        vec![group, number]
    }

    /// Leaves alone have places here, since nodes are at them.
    fn router_at(&self, place: &[u32]) -> Option<u32> {
        let &[group, leaf] = place else { return None };
        (group < self.groups() && leaf < self.leaves).then(|| group * self.leaves + leaf)
    }

    fn place_form(&self) -> Vec<String> {
        vec!["group".into(), "leaf".into()]
    }

    fn name(&self, router: u32) -> String {
        match self.place_of(router) {
            (group, Place::Leaf(leaf)) => format!("leaf {leaf} of group {group}"),
            (group, Place::Spine(spine)) => format!("spine {spine} of group {group}"),
        }
    }
}
