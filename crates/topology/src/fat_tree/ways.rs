//! A fat tree as a network with a choice of ways: up any cable, until the destination is below; down any of those to the one switch that
//! leads there.

use super::FatTree;
use crate::switched::Wires;
use crate::{Candidates, Switches};
use weir_units::{LinkId, NodeId};

impl FatTree {
    /// The stage of a switch, and its number there.
    fn stage_of(&self, router: u32) -> (usize, u32) {
        let stage = self.levels.iter().rposition(|level| level.first_router <= router).unwrap_or_default();
        (stage, router - self.levels[stage].first_router)
    }
}

/// The ports of a switch are those up, cable by cable, and those down, but for those of nodes. Cables of all stages are of one class: how
/// fast each is, the tree itself says.
impl Wires for FatTree {
    fn routers(&self) -> u32 {
        self.routers() as u32
    }

    fn homes(&self) -> u32 {
        self.nodes / self.levels[0].switches.down
    }

    fn kinds_of_routers(&self) -> Vec<(String, u32)> {
        self.kinds_of_switches()
    }

    fn ports(&self, router: u32) -> u32 {
        let (stage, _) = self.stage_of(router);
        let Switches { down, up } = self.levels[stage].switches;
        let below = if stage == 0 { 0 } else { down * Self::parallel_below(&self.levels, stage) };
        up * self.levels[stage].parallel + below
    }

    fn neighbor(&self, router: u32, port: u32) -> (u32, u32) {
        let (stage, switch) = self.stage_of(router);
        let level = &self.levels[stage];
        let (subtree, ports_taken) = (switch / level.width, switch % level.width);
        let ups = level.switches.up * level.parallel;
        if port < ups {
            let (up, cable) = (port / level.parallel, port % level.parallel);
            let above = &self.levels[stage + 1];
            let there = subtree / above.switches.down * above.width + ports_taken * level.switches.up + up;
            let down = subtree % above.switches.down * level.parallel + cable;
            return (above.first_router + there, above.switches.up * above.parallel + down);
        }
        let lower = &self.levels[stage - 1];
        let (down, cable) = ((port - ups) / lower.parallel, (port - ups) % lower.parallel);
        let below = subtree * level.switches.down + down;
        let there = below * lower.width + ports_taken / lower.switches.up;
        (lower.first_router + there, ports_taken % lower.switches.up * lower.parallel + cable)
    }

    fn minimal(&self, from: u32, to: u32, found: &mut Candidates) {
        if from == to {
            return;
        }
        let (stage, switch) = self.stage_of(from);
        let level = &self.levels[stage];
        let ups = level.switches.up * level.parallel;
        // Leaves are numbered in the order of their nodes.
        let below = to * self.levels[0].switches.down / level.under_port;
        if below / level.switches.down == switch / level.width {
            let parallel = Self::parallel_below(&self.levels, stage);
            let first = ups + below % level.switches.down * parallel;
            found.lead(first..first + parallel);
        } else {
            found.lead(0..ups);
        }
    }

    fn diameter(&self) -> u32 {
        2 * (self.levels.len() as u32 - 1)
    }

    fn lengths(&self) -> (u64, u64) {
        unreachable!("a tree has a formula of its own")
    }

    fn link_at(&self, router: u32, port: u32) -> Option<LinkId> {
        let (stage, switch) = self.stage_of(router);
        let level = &self.levels[stage];
        let ups = level.switches.up * level.parallel;
        Some(match port.checked_sub(ups) {
            None => level.link_up(switch, port / level.parallel, port % level.parallel),
            Some(down) => {
                let all = level.switches.down * Self::parallel_below(&self.levels, stage);
                LinkId(level.first_down + switch * all + down)
            }
        })
    }

    fn ejection(&self, node: NodeId) -> Option<LinkId> {
        Some(self.ejection(node))
    }
}
