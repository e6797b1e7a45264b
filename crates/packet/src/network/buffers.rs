//! Sizes of the input buffers of a machine.

use super::ports::Ports;
use super::{Sender, Wire, counted, flit_time, pipeline};
use crate::rooms::{Rooms, RoundTrips, Stretch};
use crate::speed::Speed;
use crate::{Credits, RouterModel};
use weir_topology::Topology;
use weir_units::LinkId;

impl Ports {
    /// Makes buffers as large as their links need them: as they were before they slowed down, or as they are if they are faster.
    pub(super) fn make_room(&mut self, topology: &Topology, model: &RouterModel) {
        let (trips, switch_delay) = (round_trips(model, &self.switch), counted(model.switch_delay));
        let rooms = self.inputs.iter().map(|input| {
            (input.link != u32::MAX).then(|| {
                let (now, before) =
                    [topology, topology.whole()].map(|machine| machine.link(LinkId(input.link))).into();
                let credit = self.credits[input.credit as usize];
                let room =
                    |link| trips.room(Wire::new(&link, model).stretch(credit, input.from, switch_delay));
                room(now).max(room(before)).max(model.input_buffer)
            })
        });
        self.rooms = Rooms::new(rooms, model.input_buffer);
    }
}

impl Wire {
    /// Its part of a round trip, behind a crossbar that takes so long.
    pub(crate) fn stretch(&self, credit: u64, from: Sender, switch_delay: u64) -> Stretch {
        let crossing = if let Sender::Router(..) = from { switch_delay } else { 0 };
        Stretch { crossing, latency: self.latency, sends: self.speed.range().1, credit }
    }
}

/// The part of a round trip that all links have in common.
pub(super) fn round_trips(routers: &RouterModel, switch: &Speed) -> RoundTrips {
    let flit_passes = (routers.credits == Credits::Flit).then(|| flit_time(switch, routers));
    RoundTrips { pipeline: pipeline(routers), passes: switch.range().1, flit_passes }
}
