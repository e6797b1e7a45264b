//! Machines of several networks that share the nodes: rails, and domains such as those of NVLink.
//!
//! # Model
//! Each node has one cable, and so one interface, in each network: interface v of every node is attached to network v. What leaves by an
//! interface stays within its network. A network joins all nodes, or it is there once for each *domain*: `domain` nodes that follow each
//! other have a copy of it, and no other node is attached to that. Two nodes that have a domain in common send each other by the network of
//! the smallest domain that they have in common, and not by larger ones, which are for those further away.
//!
//! A node has a *place* in a network, which is its number there. With a `stride` s places that follow each other belong to nodes that are s
//! apart: of N nodes node v has the place `v mod s * N / s + v / s`. So the leaves of a network of GPUs join those with the same number in
//! their servers, as rails do. Domains are of places that follow each other.
//!
//! # Numbers of routers and links
//! With N nodes: `2 v N .. (2 v + 1) N` are the injection links of network v and `(2 v + 1) N .. 2 (v + 1) N` its ejection links, each in the
//! order of the nodes. The links between routers follow, network by network, in each of them domain by domain, and within it in the order of that
//! network. Routers have this order too.

mod check;

use crate::error::Mistake;
use crate::{End, FatTreeRouting, Link, Shares, Topology};
use std::sync::Arc;
use weir_units::{LinkId, NodeId, RouterId};

/// One of the networks of [`Rails`].
#[derive(Clone, Debug)]
pub struct Rail {
    /// The network, or that of one domain.
    pub machine: Topology,
    /// If it is there once for each domain: the number of nodes of one.
    pub domain: Option<u32>,
    /// Nodes at neighboring places are so many apart: 1 unless nodes of one server are to stand far from each other.
    pub stride: u32,
}

/// A machine of several networks. Cheap to clone: copies share it.
#[derive(Clone, Debug)]
pub struct Rails(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    networks: Vec<Network>,
    nodes: u32,
    routers: u32,
    links: u32,
    /// The first network that joins all nodes.
    main: usize,
}

/// A network with its place among the numbers of the machine.
#[derive(Debug)]
struct Network {
    machine: Topology,
    stride: u32,
    /// Nodes, routers, and links between routers of a copy.
    nodes: u32,
    routers: u32,
    between: u32,
    /// Where those between routers begin among the links of a copy.
    first_between: u32,
    copies: u32,
    first_router: u32,
    first_link: u32,
}

/// A copy of a network, and the number of a node, router or link in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Within<I> {
    /// The number of the network.
    pub network: usize,
    /// The number of the domain.
    pub domain: u32,
    /// The number of the node, router or link in that copy.
    pub id: I,
}

impl Rails {
    /// A machine of these networks.
    ///
    /// # Errors
    /// Names the key of a network, by its number: `domain` when it is not the number of nodes of the network, when the domains do not make up the
    /// machine, or when no network joins all nodes; `kind` when networks that join all nodes differ in how many these are, or when the links cannot
    /// be numbered with 32 bits; `stride` when it does not divide the nodes.
    ///
    /// # Panics
    /// When there is no network, or one of them has several itself: a graph whose nodes have several cables, rails, or a machine with faults.
    pub fn new(networks: Vec<Rail>) -> Result<Self, Vec<(usize, Mistake)>> {
        let is_one = |rail: &Rail| {
            let plain = !matches!(rail.machine, Topology::Degraded(_) | Topology::Rails(_));
            plain && rail.machine.most_cables() == 1
        };
        assert!(
            !networks.is_empty() && networks.iter().all(is_one),
            "there are networks of one cable a node"
        );
        let main = check::check(&networks)?;
        let nodes = networks[main].machine.nodes() as u32;
        let (mut first_router, mut first_link) = (0, 2 * nodes * networks.len() as u32);
        let placed = networks.into_iter().map(|Rail { machine, stride, .. }| {
            let [own, routers, links] =
                [machine.nodes(), machine.routers(), machine.links()].map(|n| n as u32);
            let copies = nodes / own;
            let first_between = if let Topology::FatTree(_) = machine { own } else { 2 * own };
            let between = links - 2 * own;
            let begin = (first_router, first_link);
            first_router += routers * copies;
            first_link += between * copies;
            let (first_router, first_link) = begin;
            Network {
                machine,
                stride,
                nodes: own,
                routers,
                between,
                first_between,
                copies,
                first_router,
                first_link,
            }
        });
        let networks = placed.collect();
        Ok(Self(Arc::new(Parts { networks, nodes, routers: first_router, links: first_link, main })))
    }

    /// The networks, each as it is for one domain, with the number of its domains.
    pub fn networks(&self) -> impl ExactSizeIterator<Item = (&Topology, u32)> + '_ {
        self.0.networks.iter().map(|network| (&network.machine, network.copies))
    }

    /// A network, as it is for one domain.
    ///
    /// # Panics
    /// When there is no such network.
    pub fn network(&self, network: usize) -> &Topology {
        &self.0.networks[network].machine
    }

    /// The first network that joins all nodes.
    pub fn main(&self) -> &Topology {
        &self.main_network().machine
    }

    fn main_network(&self) -> &Network {
        &self.0.networks[self.0.main]
    }

    /// Number of networks.
    pub(crate) fn count(&self) -> usize {
        self.0.networks.len()
    }

    pub(crate) fn nodes(&self) -> usize {
        self.0.nodes as usize
    }

    pub(crate) fn routers(&self) -> usize {
        self.0.routers as usize
    }

    pub(crate) fn links(&self) -> usize {
        self.0.links as usize
    }

    /// The domain of a node in a network, and its place there.
    ///
    /// # Panics
    /// When there is no such network or node.
    pub fn node_within(&self, network: usize, node: NodeId) -> Within<NodeId> {
        assert!(node.0 < self.0.nodes, "there is no node {node}");
        let (domain, id) = self.0.networks[network].place(node, self.0.nodes);
        Within { network, domain, id }
    }

    /// The node at a place of a network.
    pub fn node_at(&self, within: Within<NodeId>) -> NodeId {
        self.0.networks[within.network].node(within.domain, within.id, self.0.nodes)
    }

    /// The network of a router, and its number there.
    ///
    /// # Panics
    /// When there is no such router.
    pub fn router_within(&self, router: RouterId) -> Within<RouterId> {
        assert!(router.0 < self.0.routers, "there is no router {router}");
        let network = self.0.networks.partition_point(|network| network.first_router <= router.0) - 1;
        let Network { first_router, routers, .. } = self.0.networks[network];
        let behind = router.0 - first_router;
        Within { network, domain: behind / routers, id: RouterId(behind % routers) }
    }

    fn router(&self, network: usize, domain: u32, router: RouterId) -> RouterId {
        let Network { first_router, routers, .. } = self.0.networks[network];
        RouterId(first_router + domain * routers + router.0)
    }

    /// The network of a link, and its number there.
    ///
    /// # Panics
    /// When there is no such link.
    pub fn link_within(&self, id: LinkId) -> Within<LinkId> {
        assert!(id.0 < self.0.links, "there is no link {id}");
        let (nodes, of_nodes) = (self.0.nodes, 2 * self.0.nodes * self.count() as u32);
        let Some(_) = id.0.checked_sub(of_nodes) else {
            let (network, place) = ((id.0 / (2 * nodes)) as usize, id.0 % (2 * nodes));
            let Within { domain, id, .. } = self.node_within(network, NodeId(place % nodes));
            let link =
                if place < nodes { LinkId(id.0) } else { self.0.networks[network].machine.ejection(id) };
            return Within { network, domain, id: link };
        };
        // Networks without links between routers begin where the next one does.
        let network = self.0.networks.partition_point(|network| network.first_link <= id.0) - 1;
        let Network { first_link, between, first_between, .. } = self.0.networks[network];
        let behind = id.0 - first_link;
        Within { network, domain: behind / between, id: LinkId(first_between + behind % between) }
    }

    /// The link with a number in a network.
    ///
    /// # Panics
    /// When there is no such network, domain or link.
    pub fn link_at(&self, Within { network, domain, id }: Within<LinkId>) -> LinkId {
        let own = &self.0.networks[network];
        assert!(domain < own.copies && id.index() < own.machine.links(), "there is no link {id} there");
        let of_node = |place: u32, out: u32| {
            let node = self.node_at(Within { network, domain, id: NodeId(place) });
            LinkId((2 * network as u32 + out) * self.0.nodes + node.0)
        };
        if id.0 < own.nodes {
            return of_node(id.0, 0);
        }
        match id.0.checked_sub(own.first_between) {
            Some(behind) if behind < own.between => LinkId(own.first_link + domain * own.between + behind),
            // Ejection links are before those between routers, or behind them.
            Some(behind) => of_node(behind - own.between, 1),
            None => of_node(id.0 - own.nodes, 1),
        }
    }

    /// The links of all networks, in each domain by domain in the order of its own numbers.
    pub fn links_by_network(&self) -> impl Iterator<Item = LinkId> + '_ {
        let domains = self.0.networks.iter().enumerate().flat_map(|(network, own)| {
            (0..own.copies).map(move |domain| (network, domain, own.machine.links()))
        });
        domains.flat_map(move |(network, domain, links)| {
            (0..links).map(move |id| self.link_at(Within { network, domain, id: LinkId::new(id) }))
        })
    }

    pub(crate) fn link(&self, id: LinkId) -> Link {
        let Within { network, domain, id } = self.link_within(id);
        let link = self.0.networks[network].machine.link(id);
        let end = |end| match end {
            End::Node(node) => End::Node(self.node_at(Within { network, domain, id: node })),
            End::Router(router) => End::Router(self.router(network, domain, router)),
        };
        Link { from: end(link.from), to: end(link.to), ..link }
    }

    pub(crate) fn injection(&self, node: NodeId, network: u32) -> LinkId {
        LinkId(2 * network * self.0.nodes + node.0)
    }

    pub(crate) fn ejection(&self, node: NodeId, network: u32) -> LinkId {
        LinkId((2 * network + 1) * self.0.nodes + node.0)
    }

    /// The network to which a link of a node belongs; 0 for links between routers.
    pub(crate) fn cable_of(&self, id: LinkId) -> u32 {
        let network = id.0 / (2 * self.0.nodes);
        if (network as usize) < self.count() { network } else { 0 }
    }

    /// Returns whether every network joins all nodes.
    pub(crate) fn reach_all(&self) -> bool {
        self.0.networks.iter().all(|network| network.copies == 1)
    }

    /// Returns whether no two networks have domains of as many nodes.
    pub(crate) fn has_one_way(&self) -> bool {
        let mut sizes: Vec<u32> = self.0.networks.iter().map(|network| network.nodes).collect();
        sizes.sort_unstable();
        sizes.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// Returns whether what leaves a node by a network goes to another node: they are of one domain there, and of no smaller one elsewhere.
    pub(crate) fn leads(&self, from: NodeId, network: u32, to: NodeId) -> bool {
        let Some(own) = self.0.networks.get(network as usize) else { return false };
        let joins = |network: &Network| {
            network.copies == 1 || network.place(from, self.0.nodes).0 == network.place(to, self.0.nodes).0
        };
        from == to
            || joins(own) && !self.0.networks.iter().any(|other| other.nodes < own.nodes && joins(other))
    }

    /// The network of an interface, and the number of the interface in it: several interfaces are those of one network where there is no other.
    fn network_of(&self, interface: u32) -> (u32, u32) {
        if self.count() == 1 { (0, interface) } else { (interface, 0) }
    }

    /// Like [`Topology::find_route_by`].
    pub(crate) fn find_route_by(
        &self,
        from: NodeId,
        interface: u32,
        to: NodeId,
        route: &mut Vec<LinkId>,
    ) -> bool {
        let (network, interface) = self.network_of(interface);
        route.clear();
        if !self.leads(from, network, to) {
            return false;
        }
        let [here, there] = [from, to].map(|node| self.node_within(network as usize, node));
        self.network(network as usize).find_route_by(here.id, interface, there.id, route);
        self.number(here, route);
        true
    }

    /// Like [`Topology::find_shares_by`].
    pub(crate) fn find_shares_by(
        &self,
        from: NodeId,
        interface: u32,
        to: NodeId,
        shares: &mut Shares,
    ) -> bool {
        let (network, interface) = self.network_of(interface);
        if !self.leads(from, network, to) {
            shares.links.clear();
            shares.weights.clear();
            return false;
        }
        let [here, there] = [from, to].map(|node| self.node_within(network as usize, node));
        self.network(network as usize).find_shares_by(here.id, interface, there.id, shares);
        self.number(here, &mut shares.links);
        true
    }

    /// Gives links of a network their numbers in the machine.
    fn number(&self, Within { network, domain, .. }: Within<NodeId>, links: &mut [LinkId]) {
        links.iter_mut().for_each(|id| *id = self.link_at(Within { network, domain, id: *id }));
    }

    /// The ways around of the network of an interface, see [`Topology::detours`].
    pub(crate) fn detours(&self, from: NodeId, interface: u32, to: NodeId) -> Vec<Vec<LinkId>> {
        let (network, interface) = self.network_of(interface);
        if !self.leads(from, network, to) {
            return Vec::new();
        }
        let network = network as usize;
        let [from, to] = [from, to].map(|node| self.node_within(network, node));
        let mut ways = self.network(network).detours(from.id, interface, to.id);
        ways.iter_mut().for_each(|way| self.number(from, way));
        ways
    }

    /// The network of a link, as it is for one domain, and the number of the link there.
    pub(crate) fn machine_of(&self, id: LinkId) -> (&Topology, LinkId) {
        let Within { network, id, .. } = self.link_within(id);
        (self.network(network), id)
    }

    /// Returns whether the source decides among equally short routes of a network.
    pub(crate) fn is_by_source(&self, network: u32) -> bool {
        let network = self.network_of(network).0 as usize;
        matches!(self.network(network), Topology::FatTree(tree) if tree.routing() == FatTreeRouting::SourceMod)
    }

    /// The name that a router has in its network, and behind it which network and domain that is, if there are several.
    pub(crate) fn router_name(&self, router: RouterId) -> String {
        let Within { network, domain, id } = self.router_within(router);
        let Network { machine, copies, .. } = &self.0.networks[network];
        let mut name = machine.router_name(id);
        if *copies > 1 {
            name += &format!(" of domain {domain}");
        }
        if self.count() > 1 {
            name += &format!(" of network {network}");
        }
        name
    }

    /// The place of a node in the first network that joins all nodes.
    pub(crate) fn address(&self, node: NodeId) -> String {
        match self.main() {
            Topology::FatTree(_) => node.to_string(),
            machine => machine.address(self.node_within(self.0.main, node).id),
        }
    }

    /// The node at such a place.
    pub(crate) fn parse_address(&self, text: &str) -> Option<NodeId> {
        let id = self.main().parse_address(text)?;
        Some(self.node_at(Within { network: self.0.main, domain: 0, id }))
    }

    /// The names of the classes of links between routers, network by network.
    pub(crate) fn class_names(&self) -> Vec<String> {
        let named = |(number, network): (usize, &Network)| {
            let names = network.class_names();
            names
                .into_iter()
                .map(move |name| if self.count() > 1 { format!("{name} of network {number}") } else { name })
        };
        self.0.networks.iter().enumerate().flat_map(named).collect()
    }

    /// The class of a link among these, if it is between routers.
    pub(crate) fn class_of(&self, id: LinkId) -> Option<usize> {
        if id.0 < 2 * self.0.nodes * self.count() as u32 {
            return None;
        }
        let Within { network, id, .. } = self.link_within(id);
        let before: usize =
            self.0.networks[..network].iter().map(|network| network.class_names().len()).sum();
        let machine = &self.0.networks[network].machine;
        Some(before + crate::LinkClasses::of(machine).class(machine, id) - 2)
    }

    /// All routers, network by network, those of each in its own order.
    pub(crate) fn compact_order(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.routers());
        for (number, network) in self.0.networks.iter().enumerate() {
            let own = network.machine.compact_order();
            let all = (0..network.copies).flat_map(|domain| own.iter().map(move |&router| (domain, router)));
            order.extend(all.map(|(domain, router)| self.router(number, domain, router).0));
        }
        order
    }
}

impl Network {
    fn place(&self, node: NodeId, all: u32) -> (u32, NodeId) {
        let place = match self.stride {
            1 => node.0,
            stride => node.0 % stride * (all / stride) + node.0 / stride,
        };
        (place / self.nodes, NodeId(place % self.nodes))
    }

    fn node(&self, domain: u32, place: NodeId, all: u32) -> NodeId {
        let place = domain * self.nodes + place.0;
        let row = all / self.stride;
        NodeId(if self.stride == 1 { place } else { place % row * self.stride + place / row })
    }

    fn class_names(&self) -> Vec<String> {
        let all = crate::LinkClasses::of(&self.machine);
        all.names()[2..].to_vec()
    }
}

#[cfg(test)]
mod tests;
