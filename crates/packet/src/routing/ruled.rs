//! Networks with a choice of ways: a rule decides at every router where a packet goes on, once, when it is the first of its lane.
//!
//! # What a decision depends on
//! On the address of the packet, on how much waits at outputs of its own router at this instant, and on a number that is drawn from
//! the router, the lane and the instant. All three are the same for any number of threads and processes and for windows of any
//! width. The decision stays with the lane until the packet goes; nothing evaluates a rule again. Where interfaces decide between a
//! shortest way and one around, that depends on what routers have announced, and on a number that is drawn from the interface and the
//! instant at which the packet begins to leave it.
//!
//! # No circles
//! The class of virtual channels is the number of links between routers that a packet has passed, so it waits only for those that
//! are further on their ways. Some need fewer: shortest ways of a dragonfly of leaves and spines none, which go up, across and down;
//! dimension order in a HyperX none, since its dimensions come one after the
//! other; shortest ways in a dragonfly two, since local links before the global one lead to it, and those behind it end; DimWAR
//! two, since a forced link in class 1 ends its dimension (McDonald, Isaev, Flores, Davis, Kim: "Practical and efficient
//! incremental adaptive routing for HyperX networks", SC 2019). Fat trees, where packets go up and then down, need none; in tori and
//! meshes there is a lane to [escape](escaping) by.

pub(crate) mod escaping;
mod remaining;
mod weighing;

use super::Hop;
use crate::network::Channel;
use crate::{ClassRule, Classes, RouterModel};
use escaping::Escape;
use serde::{Deserialize, Serialize};
use weir_topology::{Adaptive, Candidates, Decide, Remaining, Rule, Switched, Torus, Wiring};
use weir_units::{NodeId, RouterId, mix, pick};

/// The rule of a machine.
///
/// An address has the destination in its lowest bits; above it what the rule keeps; and above that the [phase](Phase).
#[derive(Clone, Debug)]
pub(crate) struct Ruled {
    pub(crate) network: Switched,
    pub(crate) rule: Rule,
    pub(crate) to_bits: u32,
    pub(crate) kept_bits: u32,
    nics: u32,
    pub(crate) classes: u32,
    pub(crate) class_rule: Classes,
    pub(crate) escape: Option<Box<Escape>>,
    /// Where links have failed.
    pub(crate) remaining: Option<Remaining>,
}

/// Where a packet goes on, and its address behind this router.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Decision {
    pub(crate) output: u16,
    pub(crate) class: u8,
    pub(crate) is_made: bool,
    pub(crate) address: u32,
}

/// The way so far, as an address says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing has been decided.
    Open,
    /// It goes to the router that is kept.
    Around(u32),
    /// It goes to its destination, and so many detours are behind it, or the last link was one.
    Straight(u32),
}

/// A packet at a router.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) router: u32,
    pub(crate) channel: Channel,
    pub(crate) address: u32,
    pub(crate) nic: u32,
}

const PHASE_BITS: u32 = 2;

fn bits(count: u32) -> u32 {
    u32::BITS - count.saturating_sub(1).leading_zeros()
}

/// Bits of an address in which a rule keeps something.
fn kept_bits(rule: Rule, network: &Switched) -> u32 {
    match rule {
        Rule::Minimal | Rule::MinimalRandom | Rule::MinimalAdaptive | Rule::RandomUp | Rule::AdaptiveUp => 0,
        Rule::Hashed => Candidates::HASH_BITS,
        Rule::Valiant | Rule::ValiantGroup | Rule::UgalL(_) | Rule::UgalG(_) | Rule::Par(_) => {
            bits(network.homes())
        }
        Rule::DimWar(_) => 1,
        Rule::OmniWar(_) => bits(network.diameter().max(1) + 1),
    }
}

impl Ruled {
    /// # Errors
    /// When an address does not fit 32 bits.
    pub(crate) fn new(
        (network, torus): (&Switched, Option<&Torus>),
        model: &RouterModel,
        nics: u32,
        has_detours: bool,
    ) -> Result<Self, String> {
        let (rule, diameter) = (network.rule(), network.diameter().max(1));
        let to_bits = bits(network.homes() * network.nodes_per_router());
        let kept_bits = kept_bits(rule, network);
        let needed = to_bits + kept_bits + PHASE_BITS;
        if needed > u32::BITS {
            return Err(format!(
                "needs addresses of {needed} bits under topology.routing = \"{}\", and an address has 32",
                rule.name()
            ));
        }
        // From a spine, which may have to go down to a leaf and up again, a shortest way may be longer than between leaves.
        let is_of_leaves = matches!(network.wiring(), Wiring::DragonflyPlus(_));
        let from_within = if is_of_leaves { diameter + 2 } else { diameter };
        let by_links = |most| (most, if most > 1 { Classes::LinksPassed } else { Classes::One });
        // Detours around failed links may need more classes than there would be left.
        let enough = model.classes == ClassRule::LinksPassed || model.virtual_channels >= diameter;
        let is_fewest = model.classes == ClassRule::Fewest || has_detours;
        let escape = torus.map(Escape::new).transpose()?.map(Box::new);
        let (classes, class_rule) = match (rule, network.wiring()) {
            (_, Wiring::Torus(_)) => {
                (escape.as_ref().map_or(1, |escape| u32::from(escape.adaptive)) + 1, Classes::Escape)
            }
            // Up and then down.
            (_, Wiring::FatTree(_)) => (1, Classes::One),
            (Rule::DimWar(_), _) => (2, Classes::Fewest),
            (Rule::Minimal, Wiring::HyperX(_)) if model.classes != ClassRule::LinksPassed => {
                (1, Classes::One)
            }
            // A shortest way goes up, across and down.
            (
                Rule::Minimal | Rule::Hashed | Rule::MinimalRandom | Rule::MinimalAdaptive,
                Wiring::DragonflyPlus(_),
            ) if model.classes != ClassRule::LinksPassed => (1, Classes::One),
            (Rule::Minimal | Rule::Hashed | Rule::MinimalRandom, Wiring::Dragonfly(_))
                if (is_fewest || !enough) && diameter > 1 =>
            {
                (2, Classes::Fewest)
            }
            (Rule::Minimal | Rule::Hashed | Rule::MinimalRandom | Rule::MinimalAdaptive, _) => {
                by_links(diameter)
            }
            // Each router of a shortest way but the last may be where a way around begins.
            (Rule::UgalL(Adaptive { decide: Decide::EachRouter, .. }), _)
            | (Rule::UgalG(Adaptive { decide: Decide::EachRouter, .. }), _) => {
                by_links(diameter - 1 + from_within + diameter)
            }
            (
                Rule::Valiant
                | Rule::UgalL(_)
                | Rule::UgalG(_)
                | Rule::OmniWar(_)
                | Rule::RandomUp
                | Rule::AdaptiveUp,
                _,
            ) => by_links(2 * diameter),
            // A local link and a global one lead to the group in between, and one local link to where PAR decides again.
            (Rule::ValiantGroup, _) => by_links(diameter.clamp(1, 2) + from_within),
            (Rule::Par(_), _) => by_links(1 + from_within + diameter),
        };
        let network = network.clone();
        let remaining = None;
        Ok(Self { network, rule, to_bits, kept_bits, nics, classes, class_rule, escape, remaining })
    }

    /// Returns whether all packets to a node take the same routes, around which detours are known.
    pub(super) fn is_fixed(&self) -> bool {
        self.rule.is_fixed()
    }

    /// Returns whether packets of a pair of nodes may go different ways; else the way follows from the address at every router.
    pub(crate) fn decides(&self) -> bool {
        self.rule.decides()
    }

    /// Returns whether it weighs queues of other routers.
    fn looks_far(&self) -> bool {
        matches!(self.rule, Rule::UgalG(_))
    }

    /// The weights by which interfaces decide, if they do.
    fn injects(&self) -> Option<Adaptive> {
        match self.rule {
            Rule::UgalL(weights) | Rule::UgalG(weights) if weights.decide == Decide::Injection => {
                Some(weights)
            }
            _ => None,
        }
    }

    /// Returns whether routers announce their queues, for others or for interfaces.
    pub(crate) fn announces(&self) -> bool {
        self.looks_far() || self.injects().is_some()
    }

    /// See [`super::Routing::injected`].
    pub(super) fn injected(&self, at: At, draw: u64, far: &dyn Fn(u32, u16) -> u64) -> u32 {
        let Some(weights) = self.injects() else { return at.address };
        let to = self.destination(at.address);
        let home = self.network.home(to);
        if home.0 == at.router {
            return at.address;
        }
        let (mut queue, mut room) = (|output| far(at.router, output), |_, _| true);
        let view = View { draw, queue: &mut queue, far, room: &mut room };
        let mut deciding = Deciding { ruled: self, at, found: &mut Candidates::default(), view: Some(view) };
        let (_, phase) = deciding.weigh(home, weights, |_| true).expect("a view suffices");
        self.addressed(to, phase)
    }

    pub(crate) fn address_bits(&self) -> u32 {
        self.to_bits + self.kept_bits + PHASE_BITS
    }

    pub(crate) fn address(&self, from: NodeId, nic: u32, to: NodeId) -> u32 {
        match self.rule {
            Rule::Hashed => to.0 | (Candidates::hash(from, nic, to) << self.to_bits),
            _ => to.0,
        }
    }

    /// The node to which a packet goes.
    pub(crate) fn destination(&self, address: u32) -> NodeId {
        let on_detour = self.escape.as_ref().and_then(|escape| escape.destination(address));
        on_detour.unwrap_or(NodeId(address & ((1 << self.to_bits) - 1)))
    }

    /// The place of a channel in an order in which every packet goes up.
    pub(super) fn order(&self, router: u32, output: u16, class: u8) -> u32 {
        let of_link = self.network.class(RouterId(router), output) as u32;
        match (self.class_rule, self.network.wiring()) {
            (Classes::LinksPassed, _) => class.into(),
            (_, Wiring::DragonflyPlus(_)) if router >= self.network.homes() => 2 - of_link,
            _ => 2 * u32::from(class) + of_link,
        }
    }

    fn kept(&self, address: u32) -> u32 {
        address >> self.to_bits & ((1 << self.kept_bits) - 1)
    }

    fn phase(&self, address: u32) -> Phase {
        let kept = self.kept(address);
        match address >> (self.to_bits + self.kept_bits) & ((1 << PHASE_BITS) - 1) {
            0 => Phase::Open,
            1 => Phase::Around(kept),
            _ => Phase::Straight(kept),
        }
    }

    fn addressed(&self, to: NodeId, phase: Phase) -> u32 {
        let (number, kept) = match phase {
            Phase::Open => (0, 0),
            Phase::Around(router) => (1, router),
            Phase::Straight(detours) => (2, detours),
        };
        to.0 | kept << self.to_bits | number << (self.to_bits + self.kept_bits)
    }

    /// The output to a node of its router.
    fn ejection(&self, router: u32, to: NodeId, nic: u32) -> u16 {
        let place = to.0 % self.network.nodes_per_router();
        (self.network.ports(RouterId(router)) + place * self.nics + nic) as u16
    }

    fn is_from_node(&self, at: &At) -> bool {
        u32::from(at.channel.input) >= self.network.ports(RouterId(at.router))
    }

    /// The class of a packet on the link behind a port.
    fn class(&self, at: &At, port: u16) -> u8 {
        if self.class_rule == Classes::LinksPassed {
            let passed = if self.is_from_node(at) { 0 } else { u32::from(at.channel.class) + 1 };
            return passed.min(self.classes - 1) as u8;
        }
        let home = self.network.home(self.destination(at.address));
        // Local links of a dragonfly in the group of the destination end there.
        let ends = self.classes > 1
            && self.network.group(RouterId(at.router)) == self.network.group(home)
            && self.network.class(RouterId(at.router), port) == 0;
        u8::from(ends)
    }

    /// The next step of a way that is always the same: a shortest one, or where none is left the shortest one around.
    pub(crate) fn hop(&self, at: At) -> Hop {
        let (here, to) = (RouterId(at.router), self.destination(at.address));
        let home = self.network.home(to);
        if here == home {
            return Hop { output: self.ejection(at.router, to, at.nic), class: 0 };
        }
        let mut found = Candidates::default();
        self.candidates(here, home, &mut found);
        if found.ports.is_empty() {
            if let Some(escape) = &self.escape {
                return escape.hop(at, to).0;
            }
            let output = self.port_around(here, home);
            return Hop { output, class: self.class(&at, output) };
        }
        let output = match self.rule {
            Rule::Hashed => found.hashed(self.kept(at.address), here),
            _ => found.fixed(to),
        };
        Hop { output, class: self.class(&at, output) }
    }

    /// The next step of a packet; `None` if that depends on what is seen at an instant, and there is no view.
    pub(crate) fn decide(&self, at: At, found: &mut Candidates, view: Option<View<'_>>) -> Option<Decision> {
        if let Some(escape) = &self.escape {
            return self.decide_or_escape((escape, at), found, view);
        }
        let mut deciding = Deciding { ruled: self, at, found, view };
        let to = self.destination(at.address);
        Some(match deciding.step(to)? {
            Some((output, phase)) => {
                let class = match (self.rule, phase) {
                    // A detour and a first link are in class 0, the forced link behind a detour in class 1.
                    (Rule::DimWar(_), _) => u8::from(self.phase(at.address) == Phase::Straight(1)),
                    _ => self.class(&at, output),
                };
                Decision { output, class, is_made: true, address: self.addressed(to, phase) }
            }
            None => {
                let output = self.ejection(at.router, to, at.nic);
                Decision { output, class: 0, is_made: true, address: at.address }
            }
        })
    }
}

/// A packet sees this when it is the first of its lane.
pub(crate) struct View<'v> {
    /// A number that is drawn for it.
    pub(crate) draw: u64,
    /// The bytes that wait for an output of its router.
    pub(crate) queue: &'v mut dyn FnMut(u16) -> u64,
    /// The bytes that wait for an output of a router, as far as that has been announced.
    pub(crate) far: &'v dyn Fn(u32, u16) -> u64,
    /// Returns whether there is room for it in a class behind an output.
    pub(crate) room: &'v mut dyn FnMut(u16, u8) -> bool,
}

/// A decision while it is made. Its steps return `None` where they would need a view and have none.
struct Deciding<'d, 'v> {
    ruled: &'d Ruled,
    at: At,
    found: &'d mut Candidates,
    view: Option<View<'v>>,
}

impl Deciding<'_, '_> {
    /// The port and the phase behind it, or that this is the end of the way.
    fn step(&mut self, to: NodeId) -> Option<Option<(u16, Phase)>> {
        let Ruled { network, rule, .. } = self.ruled;
        let (here, home) = (RouterId(self.at.router), network.home(to));
        let mut phase = self.ruled.phase(self.at.address);
        if let (Phase::Open, Rule::Valiant | Rule::ValiantGroup) = (phase, rule) {
            phase = if here == home { Phase::Straight(0) } else { Phase::Around(self.drawn_for(home)?.0) };
        }
        if let Phase::Around(via) = phase {
            let is_there = here.0 == via
                || *rule == Rule::ValiantGroup && network.group(here) == network.group(RouterId(via));
            if is_there {
                phase = Phase::Straight(0);
            } else {
                return Some(Some((self.toward(RouterId(via), to)?, phase)));
            }
        }
        if here == home {
            return Some(None);
        }
        Some(Some(match (rule, phase) {
            (&Rule::UgalL(weights) | &Rule::UgalG(weights), Phase::Open) => {
                let (port, phase) = self.weigh(home, weights, |_| true)?;
                let again = phase == Phase::Straight(0) && weights.decide == Decide::EachRouter;
                (port, if again { Phase::Open } else { phase })
            }
            (&Rule::Par(weights), Phase::Open) => {
                let groups = [here, home].map(|router| network.group(router));
                let (port, phase) = self.weigh(home, weights, |via| !groups.contains(&network.group(via)))?;
                let stays =
                    groups[0] != groups[1] && network.group(network.neighbor(here, port)) == groups[0];
                let again = phase == Phase::Straight(0) && stays && self.ruled.is_from_node(&self.at);
                (port, if again { Phase::Open } else { phase })
            }
            (&Rule::DimWar(weights), phase) => self.detour(home, weights, phase != Phase::Straight(1))?,
            (&Rule::OmniWar(weights), phase) => {
                let behind = if let Phase::Straight(detours) = phase { detours } else { 0 };
                let (port, phase) = self.detour(home, weights, behind < network.diameter())?;
                let Phase::Straight(is_detour) = phase else { unreachable!("detours go straight on") };
                (port, Phase::Straight(behind + is_detour))
            }
            _ => (self.toward(home, to)?, Phase::Straight(0)),
        }))
    }

    /// A router that is drawn, the first, second, ... one.
    fn drawn(&self, number: u64) -> Option<RouterId> {
        let (homes, draw) = (self.ruled.network.homes() as usize, self.view.as_ref()?.draw);
        Some(RouterId(pick(mix(draw.wrapping_add(number)), homes) as u32))
    }

    /// The first router that is drawn, or one behind it, by which there is a way.
    fn drawn_for(&self, home: RouterId) -> Option<RouterId> {
        let (ruled, here, first) = (self.ruled, RouterId(self.at.router), self.drawn(0)?);
        let homes = ruled.network.homes();
        let behind = (0..homes).map(|step| RouterId((first.0 + step) % homes));
        let fits = |via: &RouterId| ruled.fits(here, *via, home);
        behind.into_iter().find(fits)
    }

    /// The port that begins a shortest way to another router.
    fn toward(&mut self, router: RouterId, to: NodeId) -> Option<u16> {
        let Ruled { rule, .. } = self.ruled;
        self.ruled.candidates(RouterId(self.at.router), router, self.found);
        match (rule, &*self.found.ports) {
            (_, &[only]) => Some(only),
            (Rule::MinimalRandom | Rule::RandomUp, ports) => {
                Some(ports[pick(self.view.as_ref()?.draw, ports.len())])
            }
            (Rule::Minimal | Rule::Hashed | Rule::Valiant | Rule::ValiantGroup, _) => {
                Some(self.found.fixed(to))
            }
            _ => Some(self.shortest()?.1),
        }
    }

    /// The port with the shortest queue among the candidates, and what waits there; of equal ones the first behind one that is drawn.
    fn shortest(&mut self) -> Option<(u64, u16)> {
        let (ports, View { draw, queue, .. }) = (&self.found.ports, self.view.as_mut()?);
        let (before, behind) = ports.split_at(pick(*draw, ports.len()));
        let queues = behind.iter().chain(before).map(|&port| (queue(port), port));
        queues.min_by_key(|&(queue, _)| queue)
    }
}

#[cfg(test)]
mod tests;
