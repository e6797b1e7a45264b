//! Several networks that share the nodes: each has its own rule.
//!
//! A packet stays in the network by whose interface it leaves, so its address is one of that network, and routers know theirs. Virtual channels
//! are divided network by network into the classes that its own rule needs; classes of all networks are numbered one after the other.

use super::ruled::{At, Decision, View};
use super::{Hop, Routing, classes_by_channel};
use crate::Classes;
use crate::network::Channel;
use weir_topology::{Candidates, Rails as Machine, Within};
use weir_units::{NodeId, RouterId};

#[derive(Clone, Debug)]
pub(crate) struct Rails {
    machine: Machine,
    networks: Vec<Network>,
    /// By router, by its number in the machine.
    places: Vec<Place>,
}

#[derive(Clone, Debug)]
struct Network {
    routing: Routing,
    /// The number of its first class.
    first_class: u8,
    /// By virtual channel: its class in this network.
    class_of: Vec<u8>,
}

/// Where a router is.
#[derive(Clone, Copy, Debug)]
struct Place {
    network: u32,
    domain: u32,
    /// The number of the first router of the network in this domain.
    first: u32,
    /// The address by which the rule of the network knows it.
    address: u32,
}

impl Rails {
    /// The rules of these networks, one for each, on links with these virtual channels for each service class, from the first below the
    /// second.
    pub(super) fn new(machine: &Machine, routings: Vec<Routing>, services: &[(u32, u32)]) -> Self {
        let mut first_class = 0;
        let networks: Vec<Network> = routings
            .into_iter()
            .map(|routing| {
                let class_of = classes_by_channel(services, routing.classes());
                let network = Network { class_of, first_class, routing };
                first_class += network.routing.classes() as u8;
                network
            })
            .collect();
        let routers =
            networks.iter().zip(machine.networks()).map(|(_, (own, copies))| own.routers() * copies as usize);
        let places = (0..routers.sum()).map(|router| {
            let Within { network, domain, id } = machine.router_within(RouterId::new(router));
            let address = networks[network].routing.address_of(id.0);
            Place { network: network as u32, domain, first: router as u32 - id.0, address }
        });
        let places = places.collect();
        Self { machine: machine.clone(), networks, places }
    }

    fn at(&self, here: u32) -> (Place, &Network) {
        let place = self.places[here as usize];
        (place, &self.networks[place.network as usize])
    }

    /// Number of classes of all networks.
    pub(super) fn numbered(&self) -> u32 {
        self.networks.iter().map(|network| network.routing.classes()).sum()
    }

    /// The most classes that a network needs.
    pub(super) fn classes(&self) -> u32 {
        self.networks.iter().map(|network| network.routing.classes()).max().unwrap_or(1)
    }

    /// The virtual channels of each class.
    pub(super) fn class_ranges(&self, vcs: u32) -> Vec<(u32, u32)> {
        let of_network = |network: &Network| network.routing.class_ranges(vcs);
        self.networks.iter().flat_map(of_network).collect()
    }

    /// That of the first network that needs several classes.
    pub(super) fn class_rule(&self) -> Classes {
        let several = self.networks.iter().find(|network| network.routing.classes() > 1);
        several.map_or(Classes::One, |network| network.routing.class_rule())
    }

    pub(super) fn address(&self, from: NodeId, nic: u32, to: NodeId) -> u32 {
        let (network, nic) = if self.networks.len() == 1 { (0, nic) } else { (nic as usize, 0) };
        let [from, to] = [from, to].map(|node| self.machine.node_within(network, node).id);
        self.networks[network].routing.address(from, nic, to)
    }

    pub(super) fn hop(&self, here: u32, address: u32, nic: u32, channel: Channel) -> Hop {
        let (place, network) = self.at(here);
        let hop = network.routing.hop(place.address, address, nic, network.own(channel));
        Hop { class: network.first_class + hop.class, ..hop }
    }

    pub(super) fn decides(&self) -> bool {
        self.networks.iter().any(|network| network.routing.decides())
    }

    /// The decision of the rule of the router's network; one that decides nothing has its hop.
    pub(super) fn decide(&self, at: At, found: &mut Candidates, view: Option<View<'_>>) -> Option<Decision> {
        let (place, network) = self.at(at.router);
        let at = At { router: place.address, channel: network.own(at.channel), ..at };
        let decision = match view {
            None => network.routing.decide(at, found, None)?,
            Some(View { draw, queue, far, room }) => {
                let far = |router: u32, output: u16| far(place.first + router, output);
                let mut room = |output: u16, class: u8| room(output, network.first_class + class);
                let view = View { draw, queue, far: &far, room: &mut room };
                network.routing.decide(at, found, Some(view))?
            }
        };
        Some(Decision { class: network.first_class + decision.class, ..decision })
    }

    /// Returns whether routers announce their queues.
    pub(super) fn announces(&self) -> bool {
        self.networks.iter().any(|network| network.routing.announces())
    }

    /// The address with which a packet leaves its interface.
    pub(super) fn injected(&self, at: At, draw: u64, far: &dyn Fn(u32, u16) -> u64) -> u32 {
        let (place, network) = self.at(at.router);
        let at = At { router: place.address, ..at };
        network.routing.injected(at, draw, &|router, output| far(place.first + router, output))
    }

    pub(super) fn destination(&self, here: u32, address: u32) -> Option<NodeId> {
        let (Place { network, domain, address: here, .. }, own) = self.at(here);
        let id = own.routing.destination(here, address)?;
        Some(self.machine.node_at(Within { network: network as usize, domain, id }))
    }
}

impl Network {
    /// A virtual channel with its class in this network.
    fn own(&self, channel: Channel) -> Channel {
        Channel { class: self.class_of.get(usize::from(channel.vc)).copied().unwrap_or(0), ..channel }
    }
}
