//! Cuts: the links between two parts of a machine, and how much they carry.
//!
//! Bytes that have to cross a cut cannot do so faster than its capacity: the bytes that ranks on one side send to ranks on the
//! other, divided by [`Cut::forward`] or [`Cut::backward`], are a lower bound of the time of any traffic.

mod rails;
mod switched;

use crate::fat_tree::FatTree;
use crate::hypercrossbar::Hypercrossbar;
use crate::torus::{Torus, Wrap};
use crate::{Degraded, End, Link, Topology, coordinates, partition};
use weir_units::NodeId;

/// The way in which a number about a machine was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obtained {
    /// By a formula of its kind: exact.
    Formula,
    /// By looking at the routes of all pairs of nodes: exact.
    AllPairs,
    /// By a search that may miss the best: a bisection found so is an upper bound of the least one.
    Search,
}

/// A part of a cut machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The part named first.
    First,
    /// The rest.
    Second,
}

/// Two parts of a machine and what joins them.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// Where it is: `between x = 7 and x = 8, and the wrap`.
    pub name: String,
    /// The capacity of all links from the first side to the second, in bytes per second.
    pub forward: f64,
    /// The capacity of all links from the second side to the first, in bytes per second.
    pub backward: f64,
    /// Number of nodes on the first and on the second side.
    pub nodes: [usize; 2],
    /// The links that are cut.
    pub through: Through,
    sides: Sides,
    is_searched: bool,
}

/// Which links a cut goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Through {
    /// Those between routers.
    Routers,
    /// Those between nodes and routers. Where nodes have several interfaces, there is one for each of them.
    Nodes,
}

#[derive(Clone, Debug, PartialEq)]
enum Sides {
    /// On the first side are nodes whose coordinate `node / stride mod size` is one of `length` from `start`.
    Interval { stride: u32, size: u32, start: u32, length: u32 },
    /// Says whether each node is on the first side.
    Listed(Vec<bool>),
}

impl Cut {
    /// Which side a node is on.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn side(&self, node: NodeId) -> Side {
        assert!(node.index() < self.nodes[0] + self.nodes[1], "there is no node {node}");
        let first = match &self.sides {
            Sides::Interval { stride, size, start, length } => {
                (node.0 / stride % size + size - start) % size < *length
            }
            Sides::Listed(first) => first[node.index()],
        };
        if first { Side::First } else { Side::Second }
    }

    /// The lesser capacity of both ways, in bytes per second.
    pub fn one_way(&self) -> f64 {
        self.forward.min(self.backward)
    }

    /// By how many nodes the sides differ.
    fn imbalance(&self) -> usize {
        self.nodes[0].abs_diff(self.nodes[1])
    }

    /// A part of the nodes by one coordinate, with the same capacity both ways.
    fn interval(name: String, nodes: u32, stride: u32, size: u32, part: (u32, u32), capacity: f64) -> Self {
        let (start, length) = part;
        let first = (nodes / size * length) as usize;
        let sides = Sides::Interval { stride, size, start, length };
        let nodes = [first, nodes as usize - first];
        let through = Through::Routers;
        Self { name, forward: capacity, backward: capacity, nodes, through, sides, is_searched: false }
    }

    /// A part of the nodes one by one.
    pub(crate) fn listed(name: String, first: Vec<bool>, forward: f64, backward: f64) -> Self {
        let count = first.iter().filter(|&&first| first).count();
        let nodes = [count, first.len() - count];
        let (through, sides) = (Through::Routers, Sides::Listed(first));
        Self { name, forward, backward, nodes, through, sides, is_searched: false }
    }

    /// The same cut, found by a search.
    pub(crate) fn searched(self) -> Self {
        Self { is_searched: true, ..self }
    }

    /// The same cut, through the links of nodes.
    pub(crate) fn through_nodes(self) -> Self {
        Self { through: Through::Nodes, ..self }
    }
}

/// The narrowest cut into halves that is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Bisection {
    /// The cut; [`Cut::one_way`] is the bisection bandwidth.
    pub cut: Cut,
    /// [`Obtained::Formula`]: the best of the straight cuts, where a search was made no wider than its halves. [`Obtained::Search`]: an
    /// upper bound.
    pub obtained: Obtained,
}

impl Topology {
    /// Cuts at which this machine may be narrow. Torus and mesh: for each dimension every half of each ring, and every
    /// place of each line. Hypercrossbar: every place of each dimension. Fat tree: the halves, and each subtree below
    /// the top alone. Dragonfly: the halves of the groups, each group alone, the halves of every group, and the halves found by a search, see
    /// [`Self::bisection`]. HyperX: for each dimension the halves and each place alone, half of the routers line by line, and where cables
    /// differ in bandwidth the search. Several networks: those that all of them have, which carry what they do together. Graph, Slim Fly and PolarFly: the search alone. A degraded machine has the cuts of the whole one, without what failed and slow links
    /// between routers that have nodes cannot carry. What a fast link carries more counts, between other routers at every cut: no
    /// cut of a machine with faults carries more than it says. None for a single node.
    pub fn cuts(&self) -> Vec<Cut> {
        match self {
            Self::Torus(torus) => of_torus(torus),
            Self::FatTree(tree) => of_fat_tree(tree),
            Self::Hypercrossbar(machine) => of_hypercrossbar(machine),
            Self::Switched(machine) => switched::cuts(machine, self),
            Self::Rails(machine) => rails::cuts(machine),
            Self::Graph(_) => partition::bisect(self).into_iter().collect(),
            Self::Degraded(degraded) => degraded.cuts(),
        }
    }

    /// The cut into halves with the least capacity, among those of [`Self::cuts`]: of the most balanced ones the
    /// narrowest. The search moves routers with all their nodes (Fiduccia, Mattheyses: "A linear-time
    /// heuristic for improving network partitions", DAC 1982), from several beginnings, always the same ones. `None`
    /// for a single node.
    pub fn bisection(&self) -> Option<Bisection> {
        let narrower =
            |a: &Cut, b: &Cut| a.imbalance().cmp(&b.imbalance()).then(a.one_way().total_cmp(&b.one_way()));
        let cut = self.cuts().into_iter().min_by(narrower)?;
        let obtained = if cut.is_searched { Obtained::Search } else { Obtained::Formula };
        Some(Bisection { cut, obtained })
    }
}

impl Degraded {
    /// The cuts of the whole machine, with what its links carry less or more. Where it is not known on which side a router is, what they
    /// carry less is left out, and what they carry more counts both ways: so nothing crosses a cut faster than it says.
    fn cuts(&self) -> Vec<Cut> {
        let whole = self.whole();
        let mut cuts = whole.cuts();
        // Where a router has nodes, it is on their side.
        let homes = partition::nodes_of_routers(whole);
        let changed = self.failed().map(|link| (link, 0.0)).chain(self.slow()).chain(self.fast());
        for (id, speed) in changed {
            let link = whole.link(id);
            let more = (speed - 1.0) * link.capacity.bytes_per_second();
            for cut in cuts.iter_mut().filter(|cut| link.is_of(cut.through)) {
                let way = if let (End::Router(from), End::Router(to)) = (link.from, link.to)
                    && let (Some(from), Some(to)) = (homes[from.index()], homes[to.index()])
                {
                    Some((cut.side(from), cut.side(to)))
                } else {
                    None
                };
                let add = |capacity: &mut f64| *capacity = (*capacity + more).max(0.0);
                match way {
                    Some((Side::First, Side::Second)) => add(&mut cut.forward),
                    Some((Side::Second, Side::First)) => add(&mut cut.backward),
                    None if more > 0.0 => [&mut cut.forward, &mut cut.backward].into_iter().for_each(add),
                    _ => {}
                }
            }
        }
        cuts
    }
}

impl Link {
    /// Returns whether it is one of those that cuts go through.
    fn is_of(&self, through: Through) -> bool {
        let is_of_node = matches!(self.from, End::Node(_)) || matches!(self.to, End::Node(_));
        is_of_node == (through == Through::Nodes)
    }
}

fn of_torus(torus: &Torus) -> Vec<Cut> {
    let nodes: u32 = torus.dimensions().map(|d| d.size).product();
    let (mut cuts, mut stride) = (Vec::new(), 1);
    for (i, dimension) in torus.dimensions().enumerate() {
        let (axis, size) = (torus.axis_name(i), dimension.size);
        let per_place = f64::from(nodes / size) * dimension.bandwidth.bytes_per_second();
        let between = |at: u32| format!("between {axis} = {} and {axis} = {at}", at - 1);
        match dimension.wrap {
            Wrap::Mesh => cuts.extend(
                (1..size).map(|at| Cut::interval(between(at), nodes, stride, size, (0, at), per_place)),
            ),
            Wrap::Torus => {
                let half = size / 2;
                // The second half of the places gives the same cuts with the sides exchanged, if both halves are equal.
                let starts = if size % 2 == 0 { half } else { size };
                cuts.extend((0..starts).filter(|_| size > 1).map(|start| {
                    let end = start + half;
                    let name = match (start, end) {
                        (0, end) => format!("{}, and the wrap", between(end)),
                        (start, end) if end == size => format!("{}, and the wrap", between(start)),
                        (start, end) => format!(
                            "{}, and {}",
                            between(start.min(end % size)),
                            between(start.max(end % size))
                        ),
                    };
                    Cut::interval(name, nodes, stride, size, (start, half), 2.0 * per_place)
                }));
            }
        }
        stride *= size;
    }
    cuts
}

fn of_hypercrossbar(machine: &Hypercrossbar) -> Vec<Cut> {
    let nodes: u32 = machine.dimensions().map(|d| d.size).product();
    let (mut cuts, mut stride) = (Vec::new(), 1);
    for (i, dimension) in machine.dimensions().enumerate() {
        let (axis, size) = (coordinates::axis_name(&coordinates::AXES, i), dimension.size);
        cuts.extend((1..size).map(|at| {
            let name = format!("between {axis} = {} and {axis} = {at}", at - 1);
            // The crossbars are on the side with more routers: their links to the other side are cut.
            let cables = f64::from(nodes / size * at.min(size - at));
            let capacity = cables * dimension.bandwidth.bytes_per_second();
            Cut::interval(name, nodes, stride, size, (0, at), capacity)
        }));
        stride *= size;
    }
    cuts
}

/// Subtrees of the highest stage in which switches have more than one; where this is the lowest stage, nodes.
fn of_fat_tree(tree: &FatTree) -> Vec<Cut> {
    let stages: Vec<_> = tree.stages().collect();
    let Some(top) = stages.iter().rposition(|switches| switches.down > 1) else { return Vec::new() };
    let nodes: u32 = stages.iter().map(|switches| switches.down).product();
    let ports = stages[top].down;
    let stride = nodes / ports;
    // What leads up from so many nodes, at the narrowest stage below the top one; between routers, if there are any.
    let narrowest = |nodes: f64| {
        let (mut links, mut least) = (nodes, None);
        let mut parallel_below = 1;
        for ((switches, cable), parallel) in
            stages[..top].iter().zip(tree.cables()).zip(tree.parallel_cables())
        {
            let [up, down] = [switches.up * parallel, switches.down * parallel_below].map(f64::from);
            (links, parallel_below) = (links * (up / down), parallel);
            let capacity = links * cable.bandwidth.bytes_per_second();
            least = Some(least.map_or(capacity, |least: f64| least.min(capacity)));
        }
        least.unwrap_or(nodes * tree.node_link.bandwidth.bytes_per_second())
    };
    let cut = |name: String, start: u32, length: u32| {
        let capacity = narrowest(f64::from(length.min(ports - length) * stride));
        let cut = Cut::interval(name, nodes, stride, ports, (start, length), capacity);
        if top == 0 { cut.through_nodes() } else { cut }
    };
    let part = if top == 0 { "nodes" } else { "subtrees" };
    let half = ports / 2;
    let mut cuts =
        vec![cut(format!("between the first {half} and the other {} {part}", ports - half), 0, half)];
    if ports > 2 && top > 0 {
        cuts.extend((0..ports).map(|subtree| cut(format!("around subtree {subtree}"), subtree, 1)));
    }
    cuts
}

/// Lengths of routes in links between routers; those of the nodes are not counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RouteLengths {
    /// Length of the longest route: the diameter.
    pub longest: u64,
    /// Mean over all ordered pairs of different nodes; 0 for a single node.
    pub mean: f64,
    /// [`Obtained::Formula`], or for graphs, machines with domains and degraded machines [`Obtained::AllPairs`].
    pub obtained: Obtained,
}

impl Topology {
    /// The lengths of the routes. O(dimensions) or O(stages), in a dragonfly O(global cables); for a graph or a machine with failed links O(nodes^2 hops).
    /// Pairs without a way do not count.
    pub fn route_lengths(&self) -> RouteLengths {
        let nodes = self.nodes() as f64;
        // The sum over all ordered pairs, in each kind: independent of the rule that breaks ties.
        let (longest, sum, obtained) = match self {
            Self::Torus(torus) => {
                let (mut longest, mut sum) = (0, 0.0);
                for dimension in torus.dimensions() {
                    let (size, n) = (u64::from(dimension.size), f64::from(dimension.size));
                    // Over all ordered pairs of coordinates, equal ones as well, the distances of a ring sum up to n
                    // floor(n^2 / 4), those of a line to n (n^2 - 1) / 3.
                    let (most, mean) = match dimension.wrap {
                        Wrap::Torus => (size / 2, (size * size / 4) as f64 / n),
                        Wrap::Mesh => (size - 1, (n * n - 1.0) / (3.0 * n)),
                    };
                    longest += most;
                    sum += nodes * nodes * mean;
                }
                (longest, sum, Obtained::Formula)
            }
            Self::Hypercrossbar(machine) => {
                let sizes = machine.dimensions().map(|d| d.size);
                let mean: f64 = sizes.clone().map(|size| 2.0 * (1.0 - 1.0 / f64::from(size))).sum();
                let longest = 2 * sizes.filter(|&size| size > 1).count() as u64;
                (longest, nodes * nodes * mean, Obtained::Formula)
            }
            Self::FatTree(tree) => {
                // Nodes that meet in stage i, from 0, and not below it, are 2 i links apart.
                let (mut longest, mut sum, mut under) = (0, 0.0, 1.0);
                for (stage, switches) in (0_u32..).zip(tree.stages()) {
                    let meeting = under * (f64::from(switches.down) - 1.0);
                    under *= f64::from(switches.down);
                    sum += nodes * meeting * 2.0 * f64::from(stage);
                    longest = if meeting > 0.0 { 2 * u64::from(stage) } else { longest };
                }
                (longest, sum, Obtained::Formula)
            }
            Self::Switched(machine) => {
                let (longest, sum) = machine.route_lengths();
                (longest, sum, Obtained::Formula)
            }
            Self::Degraded(degraded) if degraded.failed().next().is_none() => {
                return degraded.whole().route_lengths();
            }
            Self::Rails(machine) if machine.reach_all() => {
                let lengths = machine.networks().map(|(network, _)| network.route_lengths());
                let (mut longest, mut sum, count) = (0, 0.0, machine.count() as f64);
                for lengths in lengths {
                    (longest, sum) = (lengths.longest.max(longest), sum + lengths.mean);
                }
                (longest, sum / count * nodes * (nodes - 1.0), Obtained::Formula)
            }
            Self::Rails(_) | Self::Graph(_) | Self::Degraded(_) => {
                let (longest, sum, pairs) = self.all_pairs();
                let mean = if pairs > 0 { sum as f64 / pairs as f64 } else { 0.0 };
                return RouteLengths { longest, mean, obtained: Obtained::AllPairs };
            }
        };
        let pairs = nodes * (nodes - 1.0);
        RouteLengths { longest, mean: if pairs > 0.0 { sum / pairs } else { 0.0 }, obtained }
    }

    /// The longest route, the sum of all, and how many there are between different nodes.
    fn all_pairs(&self) -> (u64, u64, u64) {
        let mut route = Vec::new();
        let (mut longest, mut sum, mut pairs) = (0, 0, 0);
        // Destination by destination, because distances are kept for some of them only.
        for (to, from) in (0..self.nodes()).flat_map(|a| (0..self.nodes()).map(move |b| (a, b))) {
            if from == to || !self.find_route(NodeId::new(from), NodeId::new(to), &mut route) {
                continue;
            }
            let length = route.len().saturating_sub(2) as u64;
            longest = longest.max(length);
            sum += length;
            pairs += 1;
        }
        (longest, sum, pairs)
    }
}

#[cfg(test)]
mod tests;
