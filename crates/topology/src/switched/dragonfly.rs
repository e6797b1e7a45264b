//! Dragonflies: groups of routers, each joined to each within its group, and groups joined by global cables (Kim, Dally, Scott,
//! Abts: "Technology-driven, highly-scalable dragonfly topology", ISCA 2008).
//!
//! # Which global cable leads where
//! A group has `routers_per_group * global_links` global ports, number `routers_per_group * router + port`. They are used in
//! rounds of one cable to every other group. The place of the cable to a group in its round is the [`Arrangement`] (Camarero,
//! Vallejo, Beivide: "Topological characterization of Hamming and dragonfly networks and its implications on routing", ACM TACO
//! 11(4), 2014; Hastings et al.: "Comparing global link arrangements for dragonfly networks", CLUSTER 2015). With `G` groups,
//! place `j` of group `g` leads to group `g - j - 1` (palm tree) or `g + j + 1` (relative), modulo `G`, or to `j`, and from `g` on
//! to `j + 1` (absolute).

use super::{Candidates, Wires};
use crate::error::{self, Mistake};
use crate::mapping::{Generator, permutation};

/// Which global port of a group leads to which group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrangement {
    /// The groups before, the nearest one first: the middle of each group meets that of the next.
    #[default]
    PalmTree,
    /// The groups by their numbers.
    Absolute,
    /// The groups behind, the nearest one first.
    Relative,
    /// A drawing, the same for every machine of this size.
    Random,
}

/// The cables of a dragonfly. Router = `routers_per_group * group + r`. Its first ports lead to the other routers of its group, in
/// their order; then come its global ports.
#[derive(Clone, Debug)]
pub struct Dragonfly {
    routers_per_group: u32,
    global_links: u32,
    groups: u32,
    links_per_pair: u32,
    arrangement: Arrangement,
    /// Of a random arrangement, by group: the port of each place, and then the place of each port.
    drawn: Vec<u32>,
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
        let mut refuse = |key, what: String, hint: String| mistakes.push(Mistake { key, what, hint });
        for (key, value) in [("routers_per_group", routers_per_group), ("groups", groups)] {
            if value == 0 {
                refuse(key, "is 0".into(), "take 1 or more".into());
            }
        }
        if links_per_pair == 0 && groups > 1 {
            refuse("links_per_pair", "is 0".into(), "any two groups are joined by one cable at least".into());
        }
        let there_are = u64::from(routers_per_group) * u64::from(global_links);
        let needed = u64::from(groups.saturating_sub(1)) * u64::from(links_per_pair);
        if needed > there_are {
            let what = format!(
                "is {groups}: a group needs {needed} global cables, {links_per_pair} to each other group, and has \
                 {routers_per_group} routers with {global_links} each"
            );
            let most = there_are / u64::from(links_per_pair.max(1)) + 1;
            refuse("groups", what, format!("take at most {most} groups, or more global_links"));
        }
        let ports = u64::from(routers_per_group) + u64::from(global_links);
        let routers = u64::from(routers_per_group) * u64::from(groups);
        if ports > u64::from(u16::MAX) || routers > u64::from(u32::MAX) / ports.max(1) {
            let what = format!("gives {routers} routers with {ports} ports each");
            refuse("routers_per_group", what, "take a smaller machine".into());
        }
        error::unless_empty(mistakes)?;
        let mut dragonfly =
            Self { routers_per_group, global_links, groups, links_per_pair, arrangement, drawn: Vec::new() };
        if arrangement == Arrangement::Random {
            dragonfly.draw();
        }
        Ok(dragonfly)
    }

    /// Number of routers of a group.
    pub fn routers_per_group(&self) -> u32 {
        self.routers_per_group
    }

    /// Number of groups.
    pub fn groups(&self) -> u32 {
        self.groups
    }

    /// Number of global ports of a router.
    pub fn global_links(&self) -> u32 {
        self.global_links
    }

    /// Number of cables between any two groups.
    pub fn links_per_pair(&self) -> u32 {
        self.links_per_pair
    }

    /// Which global port leads where.
    pub fn arrangement(&self) -> Arrangement {
        self.arrangement
    }

    /// Number of global ports of a group that have a cable; they are the first ones.
    fn used(&self) -> u32 {
        self.links_per_pair * (self.groups - 1)
    }

    fn draw(&mut self) {
        let used = self.used();
        for group in 0..self.groups {
            let ports = permutation(used as usize, u64::from(group), Generator::SplitMix);
            let mut places = vec![0; used as usize];
            (0..).zip(&ports).for_each(|(place, &port)| places[port as usize] = place);
            self.drawn.extend(ports);
            self.drawn.extend(places);
        }
    }

    /// The global port of a group that has a place, or the other way round.
    fn drawn(&self, group: u32, number: u32, place_of_port: bool) -> u32 {
        let used = self.used();
        let part = 2 * group + u32::from(place_of_port);
        self.drawn.get((part * used + number) as usize).copied().unwrap_or(number)
    }

    /// The place of the cable to another group, in a round.
    fn place(&self, group: u32, other: u32, round: u32) -> u32 {
        let in_round = match self.arrangement {
            Arrangement::PalmTree => (group + self.groups - other) % self.groups - 1,
            Arrangement::Relative => (other + self.groups - group) % self.groups - 1,
            Arrangement::Absolute | Arrangement::Random => other - u32::from(other > group),
        };
        round * (self.groups - 1) + in_round
    }

    /// The group to which the cable at a place leads.
    fn group_at(&self, group: u32, place: u32) -> u32 {
        let in_round = place % (self.groups - 1);
        match self.arrangement {
            Arrangement::PalmTree => (group + self.groups - in_round - 1) % self.groups,
            Arrangement::Relative => (group + in_round + 1) % self.groups,
            Arrangement::Absolute | Arrangement::Random => in_round + u32::from(in_round >= group),
        }
    }

    /// The global port of a group by which it is joined to another one, in a round.
    fn global_port(&self, group: u32, other: u32, round: u32) -> u32 {
        self.drawn(group, self.place(group, other, round), false)
    }

    fn local_port(here: u32, there: u32) -> u32 {
        there - u32::from(there > here)
    }
}

impl Wires for Dragonfly {
    fn routers(&self) -> u32 {
        self.groups * self.routers_per_group
    }

    fn ports(&self, router: u32) -> u32 {
        let before = router % self.routers_per_group * self.global_links;
        self.routers_per_group - 1 + self.used().saturating_sub(before).min(self.global_links)
    }

    fn neighbor(&self, router: u32, port: u32) -> (u32, u32) {
        let (size, locals) = (self.routers_per_group, self.routers_per_group - 1);
        let (group, here) = (router / size, router % size);
        let Some(global) = port.checked_sub(locals) else {
            let there = port + u32::from(port >= here);
            return (group * size + there, Self::local_port(there, here));
        };
        let place = self.drawn(group, here * self.global_links + global, true);
        let (other, round) = (self.group_at(group, place), place / (self.groups - 1));
        let back = self.global_port(other, group, round);
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
            found.ports.push(Self::local_port(here, there) as u16);
            found.leading = 1;
            return;
        }
        let mut least = u32::MAX;
        for round in 0..self.links_per_pair {
            let port = self.global_port(group, other, round);
            let back = self.global_port(other, group, round);
            let (exit, entry) = (port / self.global_links, back / self.global_links);
            let links = u32::from(exit != here) + 1 + u32::from(entry != there);
            if links < least {
                (least, found.leading) = (links, 0);
                found.ports.clear();
            }
            if links == least {
                let global = locals + port % self.global_links;
                found.ports.push(if exit == here { global } else { Self::local_port(here, exit) } as u16);
                found.leading += 1;
            }
        }
    }

    fn diameter(&self) -> u32 {
        let local = u32::from(self.routers_per_group > 1);
        if self.groups > 1 { 2 * local + 1 } else { local }
    }

    fn group(&self, router: u32) -> u32 {
        router / self.routers_per_group
    }

    fn name(&self, router: u32) -> String {
        format!("router {} of group {}", router % self.routers_per_group, router / self.routers_per_group)
    }
}
