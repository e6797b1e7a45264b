//! Tori and meshes whose packets choose the dimension, with a lane to escape by.
//!
//! # No circles
//! Packets go any shortest way in the adaptive class, and in dimension order with datelines in the classes below it, the *escape*
//! classes (Duato: "A necessary and sufficient condition for deadlock-free routing in cut-through and store-and-forward
//! networks", IEEE Trans. Parallel and Distributed Systems 7(8), 1996). A packet is decided for the adaptive class only where a place
//! is left for it beside those of all packets that have been decided for the same output before, so it never waits for another
//! packet to go on; else it escapes. So packets wait for places in escape classes alone, where [`super::super::grid`] has no circle: the
//! class in a dimension depends on where a packet is and where it goes, and not on how it came there.
//!
//! Where links have failed, a packet that escapes at a router between which and its destination dimension order passes one takes the
//! [detour](super::super::detours) of that pair, in the classes that these have, to its end: it does not come back to the adaptive class.
//! Others never come onto a detour in the lane, since the rest of a whole way is whole. So what waits for what there is what the routes of
//! such a machine in dimension order make it, which have no circle. And no packet goes on for ever, since in the adaptive class it
//! comes nearer with each link.

use super::{At, Deciding, Decision, Ruled, View};
use crate::network::Poll;
use crate::routing::detours::Detours;
use crate::routing::grid::{Grid, way_of};
use crate::routing::{Hop, Routing};
use crate::{Dateline, Refusal, RouterModel, VcAllocation};
use std::ops::ControlFlow;
use weir_topology::{Candidates, Degraded, Topology, Torus};
use weir_units::{LinkId, NodeId, RouterId};

/// The lane to escape by.
#[derive(Clone, Debug)]
pub(crate) struct Escape {
    grid: Grid,
    /// Where links have failed.
    detours: Option<Detours>,
    /// The class above those of the lane.
    pub(super) adaptive: u8,
}

impl Escape {
    /// # Errors
    /// When an address does not fit 32 bits.
    pub(super) fn new(torus: &Torus) -> Result<Self, String> {
        let grid = Grid::in_order(torus)?;
        Ok(Self { adaptive: grid.classes as u8, grid, detours: None })
    }

    /// The same on a machine of which links have failed; `outputs` are the ports of links, with so many interfaces of nodes.
    ///
    /// # Errors
    /// When there are too many detours or classes. When `poll` stops it, with anything.
    pub(super) fn without(
        mut self,
        degraded: &Degraded,
        (nics, outputs): (u32, &[u16]),
        poll: Poll<'_>,
    ) -> Result<Self, Refusal> {
        let Topology::Torus(torus) = degraded.whole() else { return Ok(self) };
        // A packet may also escape at a router whose own node has lost its cable, so nodes are whole here.
        let between_routers = |link: &LinkId| way_of(torus, degraded.whole(), *link).is_some();
        let failed = degraded.failed().filter(between_routers).map(|link| (link, 0.0)).collect();
        let in_order = Degraded::new(Topology::Torus(torus.in_order()), failed);
        let detours = Detours::new(Routing::Grid(self.grid.clone()), &in_order, nics, outputs, poll)?;
        self.adaptive = detours.classes as u8;
        self.detours = Some(detours);
        Ok(self)
    }

    /// The node to which a packet goes that is on a detour.
    pub(super) fn destination(&self, address: u32) -> Option<NodeId> {
        self.detours.as_ref()?.destination(address)
    }

    /// The next step of a packet in the lane, and its address behind it.
    pub(super) fn hop(&self, At { router, channel, address, nic }: At, to: NodeId) -> (Hop, u32) {
        let own = self.grid.place(NodeId(router));
        let detour = self.detours.as_ref().and_then(|detours| {
            let on_it = detours.destination(address).map(|_| address);
            Some((detours, on_it.or_else(|| detours.detour(NodeId(router), to))?))
        });
        match detour {
            Some((detours, place)) => (detours.hop(own, place, nic, channel), detours.onward(place)),
            None => (self.grid.hop(own, self.grid.place(to), nic, channel), address),
        }
    }
}

/// The classes of a torus or mesh of which links have failed, with the one for any shortest way.
///
/// # Errors
/// The same as [`Escape::without`] says.
pub(crate) fn classes_without(torus: &Torus, degraded: &Degraded) -> Result<u32, Refusal> {
    let whole = degraded.whole();
    let ports = 2 * torus.dimensions().filter(|dimension| dimension.size > 1).count() as u16;
    let port = |link| way_of(torus, whole, LinkId::new(link)).unwrap_or(ports);
    let outputs: Vec<u16> = (0..whole.links()).map(port).collect();
    let escape = Escape::new(torus).map_err(crate::routing::too_large)?;
    let escape = escape.without(degraded, (1, &outputs), &mut || ControlFlow::Continue(()))?;
    Ok(u32::from(escape.adaptive) + 1)
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
        let decided = |output, class| Decision { output, class, is_made: true, address };
        if at.router == to.0 {
            return Some(decided(self.ejection(at.router, to, at.nic), 0));
        }
        let escapes = || {
            let (Hop { output, class }, address) = escape.hop(at, to);
            Decision { address, ..decided(output, class) }
        };
        if escape.destination(address).is_some() {
            return Some(escapes());
        }
        let view = view?;
        self.candidates(RouterId(at.router), self.network.home(to), found);
        found.ports.retain(|port| (view.room)(*port, escape.adaptive));
        if found.ports.is_empty() {
            return Some(escapes());
        }
        let (_, port) = Deciding { ruled: self, at, found, view: Some(view) }.shortest()?;
        Some(decided(port, escape.adaptive))
    }
}
