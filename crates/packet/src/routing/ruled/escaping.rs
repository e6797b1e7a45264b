//! Tori and meshes whose packets choose the dimension, with a lane to escape by.
//!
//! # No circles
//! Packets go any shortest way in the adaptive class, and in dimension order with datelines in the classes below it, the *escape*
//! classes (Duato: "A necessary and sufficient condition for deadlock-free routing in cut-through and store-and-forward
//! networks", IEEE Trans. Parallel and Distributed Systems 7(8), 1996). A packet is decided for the adaptive class only where a place
//! is left for it beside those of all packets that have been decided for the same output before, so it never waits for another
//! packet to go on; else it escapes. So packets wait for places in escape classes alone, where [`super::super::grid`] has no circle: the
//! class in a dimension depends on where a packet is and where it goes, and not on how it came there.

use super::{At, Deciding, Decision, Ruled, View};
use crate::routing::grid::Grid;
use crate::{Dateline, Refusal, RouterModel, VcAllocation};
use weir_topology::{Candidates, Torus};
use weir_units::{NodeId, RouterId};

/// The lane to escape by.
#[derive(Clone, Debug)]
pub(crate) struct Escape {
    grid: Grid,
    /// The class above those of the grid.
    pub(super) adaptive: u8,
}

impl Escape {
    /// # Errors
    /// When an address does not fit 32 bits.
    pub(super) fn new(torus: &Torus) -> Result<Self, String> {
        let grid = Grid::in_order(torus)?;
        Ok(Self { adaptive: grid.classes as u8, grid })
    }
}

/// Checks that routers are such that a lane to escape by does what it is for.
///
/// # Errors
/// Says what they do.
pub(crate) fn check(model: &RouterModel) -> Result<(), Refusal> {
    if model.vc_allocation == VcAllocation::BeforeSwitch {
        let what = "takes a virtual channel before there is room in it, and topology.routing = \"minimal-adaptive\" looks for room";
        let hint = "leave it out, or write routing = \"minimal\"";
        return Err(Refusal::new("packet.vc_allocation", what, hint));
    }
    if model.dateline == Dateline::Dimension {
        let what = "is \"dimension\": under topology.routing = \"minimal-adaptive\" a packet may come into a ring anywhere, after any other";
        let hint = "leave it out, or write routing = \"minimal\"";
        return Err(Refusal::new("packet.dateline", what, hint));
    }
    Ok(())
}

impl Ruled {
    /// The next step of a packet where there is a lane to escape by; `None` if that depends on what is seen, and there is no view.
    pub(super) fn decide_or_escape(
        &self,
        (escape, at): (&Escape, At),
        found: &mut Candidates,
        view: Option<View<'_>>,
    ) -> Option<Decision> {
        let address = at.address;
        let to = self.destination(address);
        let own = escape.grid.place(NodeId(at.router));
        let hop = escape.grid.hop(own, escape.grid.place(to), at.nic, at.channel);
        let decided = |output, class| Decision { output, class, is_made: true, address };
        if at.router == to.0 {
            return Some(decided(self.ejection(at.router, to, at.nic), 0));
        }
        let view = view?;
        self.candidates(RouterId(at.router), self.network.home(to), found);
        found.ports.retain(|port| (view.room)(*port, escape.adaptive));
        if found.ports.is_empty() {
            return Some(decided(hop.output, hop.class));
        }
        let (_, port) = Deciding { ruled: self, at, found, view: Some(view) }.shortest()?;
        Some(decided(port, escape.adaptive))
    }
}
