//! The rule of a machine as arrays.

use super::network::MOST_AXES;
use super::{Memory, Placing, bytes_of, halves, pairs};
use crate::network::PacketNetwork;
use crate::routing::Routing;
use crate::routing::grid::Grid;
use crate::routing::ruled::Ruled;
use crate::routing::tree::Tree;
use crate::{Dateline, Refusal};
use std::collections::BTreeMap;
use std::iter;
use weir_topology::{Adaptive, Candidates, Decide, FatTreeRouting, Rule, Tie};
use weir_units::RouterId;

/// Numbers of words that the rules have in a structure `Network`.
const GRID_WORDS: usize = 5 + 3 * MOST_AXES + 4 + 1;
const TREE_WORDS: usize = 5;
const RULED_WORDS: usize = 18;

/// The most pairs of routers whose shortest ways are written down.
const MOST_PAIRS: u64 = 1 << 28;

/// No bit of an address.
const NO_BIT: u64 = 64;

impl Routing {
    /// The reason why code that runs arrays cannot follow this rule, if there is one.
    pub(super) fn not_flat(&self, routers: usize) -> Option<Refusal> {
        let refuse = |what: &str| Some(Refusal::new("topology.kind", what, "run it without --gpu"));
        match self {
            Self::Grid(grid) if grid.axes.len() > MOST_AXES => {
                refuse("is a grid of more dimensions than a GPU knows, which are eight")
            }
            Self::Grid(_) | Self::Tree(_) => None,
            Self::Ruled(ruled) => ruled.not_flat(routers),
            Self::Crossbars(_) => refuse("is a hypercrossbar, whose routes a GPU does not know"),
            Self::Rails(_) => refuse("is of several networks, whose routes a GPU does not know"),
            Self::Stored(_) => refuse("has routes that are stored, which a GPU does not know"),
            Self::Detours(_) => {
                refuse("has detours around links that have failed, which a GPU does not know")
            }
        }
    }

    /// Adds the words of the rule to those of a network.
    pub(super) fn put<M: Memory>(
        &self,
        network: &PacketNetwork,
        to: &mut Placing<'_, M>,
    ) -> Result<(), M::Error> {
        let kind = match self {
            Self::Grid(_) => 0,
            Self::Tree(_) => 1,
            _ => 2,
        };
        to.words.push(kind);
        match self {
            Self::Grid(grid) => grid.put(to)?,
            _ => to.words.extend([0; GRID_WORDS]),
        }
        match self {
            Self::Tree(tree) => tree.put(to)?,
            _ => to.words.extend([0; TREE_WORDS]),
        }
        match self {
            Self::Ruled(ruled) => ruled.put(network, to)?,
            _ => to.words.extend([0; RULED_WORDS]),
        }
        Ok(())
    }
}

impl Grid {
    fn put<M: Memory>(&self, to: &mut Placing<'_, M>) -> Result<(), M::Error> {
        let tie = match self.tie {
            Tie::Plus => 0,
            Tie::Direct => 1,
            Tie::Parity => 2,
            Tie::Spread => 3,
        };
        let way_bit = self.way_bit.map_or(NO_BIT, u64::from);
        let keeps_class = u64::from(self.dateline == Dateline::Dimension);
        to.words.extend([self.axes.len() as u64, self.fields.into(), way_bit, tie, keeps_class]);
        let axes = self.axes.iter();
        let axes =
            axes.flat_map(|axis| [axis.size, axis.shift, axis.mask, axis.ring, u32::from(axis.crosses), 0]);
        to.words.extend(pairs(axes.chain(iter::repeat(0)).take(6 * MOST_AXES)));
        to.words.extend(self.axis_of_bit.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)));
        to.put(&halves(self.addresses.iter().copied()))?;
        Ok(())
    }
}

impl Tree {
    fn put<M: Memory>(&self, to: &mut Placing<'_, M>) -> Result<(), M::Error> {
        let levels = self.levels.iter().flat_map(|level| {
            let ports = [level.up, level.down, level.parallel_up, level.parallel_down];
            let places = [level.under_port, level.width, level.first_router, 0];
            ports.into_iter().chain(places)
        });
        to.put(&halves(levels))?;
        to.put(&self.stages)?;
        let by_source = u64::from(self.routing == FatTreeRouting::SourceMod);
        to.words.extend([self.node_bits.into(), self.ways.into(), by_source]);
        Ok(())
    }
}

impl Ruled {
    fn not_flat(&self, routers: usize) -> Option<Refusal> {
        let rule = self.rule.name();
        let refuse = |what: String| Some(Refusal::new("topology.routing", what, "run it without --gpu"));
        if self.rule_number().is_none() || self.escape.is_some() {
            return refuse(format!("is \"{rule}\", which a GPU does not know on this machine"));
        }
        if self.announces() {
            return refuse(format!("is \"{rule}\" by what routers announce, which a GPU does not know"));
        }
        if self.remaining.is_some() {
            return refuse(format!(
                "is \"{rule}\" on a machine of which links have failed, which a GPU does not know"
            ));
        }
        if routers as u64 * u64::from(self.network.homes()) > MOST_PAIRS {
            return refuse(format!(
                "is \"{rule}\", and there are too many pairs of routers for a table of their ways"
            ));
        }
        None
    }

    /// The number of the rule in `state.h`.
    fn rule_number(&self) -> Option<u64> {
        Some(match self.rule {
            Rule::Minimal => 0,
            Rule::MinimalRandom => 1,
            Rule::Hashed => 2,
            Rule::MinimalAdaptive => 3,
            Rule::Valiant => 4,
            Rule::ValiantGroup => 5,
            Rule::UgalL(_) => 6,
            Rule::Par(_) => 7,
            Rule::RandomUp => 8,
            Rule::AdaptiveUp => 9,
            _ => return None,
        })
    }

    fn put<M: Memory>(&self, network: &PacketNetwork, to: &mut Placing<'_, M>) -> Result<(), M::Error> {
        let (machine, homes) = (&self.network, self.network.homes());
        let routers = network.routers() as u32;
        to.words.extend([self.rule_number().unwrap_or(0), self.to_bits.into(), self.kept_bits.into()]);
        let links_passed = u64::from(self.class_rule == crate::Classes::LinksPassed);
        to.words.extend([self.classes.into(), links_passed, machine.nodes_per_router().into(), homes.into()]);
        // Pairs of routers with the same candidates share their list: its length, how many of them lead, and the ports.
        let (mut lists, mut starts) = (Vec::new(), BTreeMap::new());
        let mut found = Candidates::default();
        let mut table = Vec::with_capacity((routers * homes) as usize);
        for from in 0..routers {
            for home in 0..homes {
                if from == home {
                    table.push(0);
                    continue;
                }
                machine.candidates(RouterId(from), RouterId(home), &mut found);
                let key = (found.leading as u16, found.ports.clone());
                table.push(*starts.entry(key).or_insert_with_key(|(leading, ports)| {
                    let start = lists.len() as u32;
                    lists.extend([ports.len() as u16, *leading]);
                    lists.extend(ports.iter().copied());
                    start
                }));
            }
        }
        to.put(&halves(table))?;
        to.put(&bytes_of(lists.into_iter().map(u16::to_le_bytes)))?;
        let all = || (0..routers).map(RouterId);
        let most_ports = all().map(|router| machine.ports(router)).max().unwrap_or(0);
        to.put(&halves(all().map(|router| machine.ports(router))))?;
        to.put(&halves(all().map(|router| machine.group(router))))?;
        let classes: Vec<u8> = all()
            .flat_map(|router| {
                let ports = machine.ports(router);
                (0..most_ports)
                    .map(move |port| if port < ports { machine.class(router, port as u16) as u8 } else { 0 })
            })
            .collect();
        to.put(&classes)?;
        let weights = match self.rule {
            Rule::UgalL(weights) | Rule::Par(weights) => weights,
            _ => Adaptive::DEFAULT,
        };
        let each_router = u64::from(weights.decide == Decide::EachRouter);
        to.words.extend([most_ports.into(), weights.threshold, weights.minimal_weight.into()]);
        to.words.extend([weights.detour_weight.into(), weights.candidates.into(), each_router]);
        Ok(())
    }
}
