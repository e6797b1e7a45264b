//! The turns of service classes at outputs.

use crate::network::PacketNetwork;
use crate::services::Services;
use serde::{Deserialize, Serialize};

/// The turns of service classes at the outputs of a part, by output and class.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Turns {
    #[serde(skip)]
    pub(super) services: usize,
    /// See [`Services`].
    pub(super) tags: Vec<u64>,
    /// The input port where priorities start.
    pub(super) starts: Vec<u16>,
    /// The virtual channel used last; in the beginning the first one.
    pub(super) last: Vec<u16>,
}

impl Turns {
    pub(super) fn new(network: &PacketNetwork, outputs: usize, start: u16) -> Option<Box<Self>> {
        let all = &network.services.as_ref()?.all;
        let (services, places) = (all.len(), outputs * all.len());
        let first = all.iter().map(|service| service.channels.0 as u16);
        let last = first.cycle().take(places).collect();
        Some(Box::new(Self { services, tags: vec![0; places], starts: vec![start; places], last }))
    }
}

impl Turns {
    /// A packet from a virtual channel has been granted an output: where priorities start for its class now, and the channel that it has taken.
    pub(super) fn note(
        &mut self,
        network: &PacketNetwork,
        output: usize,
        vc: u8,
        (start, taken): (u16, u16),
    ) {
        let Some(services) = &network.services else { return };
        let place = output * self.services + services.of_channel(vc);
        (self.starts[place], self.last[place]) = (start, taken);
    }
}

/// The virtual channel that a packet of the service class of another one has taken last at an output.
pub(super) fn last_of_service(
    network: &PacketNetwork,
    turns: &Option<Box<Turns>>,
    output: usize,
    vc: u8,
) -> u16 {
    let (Some(services), Some(turns)) = (&network.services, turns) else { return 0 };
    turns.last[output * turns.services + services.of_channel(vc)]
}

/// The first virtual channel of the service class of another one.
pub(super) fn first_of_service(network: &PacketNetwork, vc: u8) -> usize {
    let first = |services: &Services| services.all[services.of_channel(vc)].channels.0;
    network.services.as_deref().map_or(0, first) as usize
}
