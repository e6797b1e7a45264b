//! The turns of service classes at outputs.

use crate::network::PacketNetwork;
use serde::{Deserialize, Serialize};

/// The turns of service classes at the outputs of a part, by output and class.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Turns {
    #[serde(skip)]
    pub(super) services: usize,
    /// See [`Services`].
    pub(super) tags: Vec<u64>,
    /// The virtual channel used last; in the beginning the first one.
    pub(super) last: Vec<u16>,
}

impl Turns {
    pub(super) fn new(network: &PacketNetwork, outputs: usize) -> Option<Box<Self>> {
        let all = &network.services.as_ref()?.all;
        let (services, places) = (all.len(), outputs * all.len());
        let first = all.iter().map(|service| service.channels.0 as u16);
        let last = first.cycle().take(places).collect();
        Some(Box::new(Self { services, tags: vec![0; places], last }))
    }
}

impl Turns {
    /// A packet from a virtual channel has been granted an output, and has taken a channel behind it.
    pub(super) fn note(&mut self, network: &PacketNetwork, output: usize, vc: u8, taken: u16) {
        let Some(services) = &network.services else { return };
        self.last[output * self.services + services.of_channel(vc)] = taken;
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
