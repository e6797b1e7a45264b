//! Numbers of a machine.

use weir_experiment::MachineDescription;
use weir_record::Faults;
use weir_topology::{Bisection, Cut, Obtained, RouteLengths, Topology};
use weir_units::{Bandwidth, NodeId};

/// In a graph of more pairs of nodes all routes take too long to wait for unasked.
const MOST_PAIRS: u64 = 2_000_000;
/// In a graph of more links the search of a bisection takes too long to wait for unasked.
const MOST_SEARCHED_LINKS: usize = 200_000;

/// Effort for a graph. Other machines have formulas, which take no time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// Leave out what takes long.
    #[default]
    Short,
    /// Take the time.
    Full,
}

/// Numbers of a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineFacts {
    /// The value of `topology.kind`.
    pub kind: &'static str,
    /// Kind and size in a few words.
    pub in_words: String,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of routers.
    pub routers: usize,
    /// The kinds of routers by name, each with its number of routers, in the order of [`Topology::router_kinds`].
    pub router_kinds: Vec<(String, usize)>,
    /// Number of links, one-way, those of the nodes included: of each interface two.
    pub links: usize,
    /// Number of interfaces of a node, each with a cable of its own.
    pub interfaces: u32,
    /// Parts that have failed or are slow.
    pub faults: Option<Faults>,
    /// Number of cables, two links each, those of the nodes included.
    pub cables: usize,
    /// The slowest and the fastest injection link.
    pub injection: [Bandwidth; 2],
    /// Highest total rate at which the interfaces of a node send, of the slowest node and of the fastest.
    pub node_injection: [Bandwidth; 2],
    /// Diameter and mean distance in links between routers; `None` if that would take long, see [`Extent`].
    pub route_lengths: Option<RouteLengths>,
    /// The narrowest cut into halves that is known; `None` for a single node, and if the search would take long.
    pub bisection: Option<Bisection>,
    /// Cuts at which the machine may be narrow; for a graph only the bisection.
    pub cuts: Vec<Cut>,
}

/// Facts about this machine: by formulas, in constant time but for one look at every node; a graph, and a
/// machine with failed links, takes O(nodes^2 hops).
pub fn facts(machine: &MachineDescription, extent: Extent) -> MachineFacts {
    let topology = machine.topology();
    let nodes = topology.nodes();
    let is_graph = matches!(topology.whole(), Topology::Graph(_) | Topology::Rails(_));
    let has_failed = topology.degraded().is_some_and(|degraded| degraded.failed().next().is_some());
    let pairs = (nodes as u64).saturating_mul(nodes as u64);
    let short = |quick: bool, fits: bool| quick || extent == Extent::Full || fits;
    let route_lengths =
        short(!is_graph && !has_failed, pairs <= MOST_PAIRS).then(|| topology.route_lengths());
    let bisection =
        short(!is_graph, topology.links() <= MOST_SEARCHED_LINKS).then(|| topology.bisection()).flatten();
    let cuts = match &bisection {
        // The search has found this one and knows no other.
        Some(Bisection { cut, obtained: Obtained::Search }) => vec![cut.clone()],
        Some(_) => topology.cuts(),
        None => Vec::new(),
    };
    let nics = machine.node.nics.count(&topology).unwrap_or(1).max(1);
    let of_cables = |node| {
        let cables = 0..topology.cables_of(node);
        let links = cables.map(move |cable| (node, cable));
        links.map(|(node, cable)| topology.link(topology.injection_by(node, cable)).capacity)
    };
    let of_node = |node| {
        let one_of_each = of_cables(node).map(Bandwidth::bytes_per_second).sum();
        let all = Bandwidth::new(one_of_each).map(|all| all.times(f64::from(nics)))?;
        Some(machine.node.injection_limit.map_or(all, |limit| limit.min(all)))
    };
    let range = |all: &mut dyn Iterator<Item = Bandwidth>| {
        let range = all.map(|one| [one; 2]).reduce(|[least, most], [one, _]| [least.min(one), most.max(one)]);
        range.expect("a machine has nodes")
    };
    let all = || (0..nodes).map(NodeId::new);
    let injection = range(&mut all().flat_map(of_cables));
    let node_injection = range(&mut all().filter_map(of_node));
    let interfaces = nics * topology.most_cables();
    let more = nics as usize - 1;
    MachineFacts {
        kind: machine.topology.kind(),
        in_words: machine.topology.in_words(),
        nodes,
        routers: topology.routers(),
        router_kinds: router_kinds(&topology),
        links: topology.links() + 2 * nodes * more,
        interfaces,
        cables: topology.cables() + nodes * more,
        faults: machine.machines.facts(),
        injection,
        node_injection,
        route_lengths,
        bisection,
        cuts,
    }
}

fn router_kinds(topology: &Topology) -> Vec<(String, usize)> {
    let (names, kinds) = topology.router_kinds();
    let mut counts = vec![0; names.len()];
    kinds.into_iter().for_each(|kind| counts[usize::from(kind)] += 1);
    names.into_iter().zip(counts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_experiment::Source;

    #[track_caller]
    fn check(text: &str, in_words: &str, counts: [usize; 4], lengths: (u64, f64), bisection: f64) {
        let source = Source::of_text("m", format!("[topology]\nbandwidth = '1 GB/s'\n{text}"));
        let facts = facts(&MachineDescription::load(&source).unwrap(), Extent::Short);
        assert_eq!(facts.in_words, in_words);
        assert_eq!([facts.nodes, facts.routers, facts.links, facts.cables], counts);
        let found = facts.route_lengths.unwrap();
        assert_eq!((found.longest, found.obtained), (lengths.0, Obtained::Formula));
        assert!((found.mean - lengths.1).abs() < 1e-9, "{}", found.mean);
        assert_eq!(facts.bisection.unwrap().cut.one_way(), bisection);
    }

    /// Torus 4 x 4: distances 0, 1, 2, 1 on a ring, mean 1, so 2 16 / 15 per pair; two cuts of 4 cables each.
    /// Tofu of 288 nodes: a ring or line of n has mean 1 (4), 2/3 (3) and 1/2 (2); half of x are 2 x 72 cables.
    /// Mesh 4 x 2: on a line of 4 the mean is 1.25, of 2 it is 0.5; 8 / 7. Fat tree of 4-port switches: 16 nodes, of which 1
    /// other is at distance 0, 2 at 2, 12 at 4. One million nodes: 250 + 250, sum 500 x 10^6 / (10^6 - 1).
    #[test]
    fn of_small_machines_and_a_large_one() {
        let cases = [
            ("kind = 'torus'\nshape = [4, 4]", "torus, 4 x 4", [16, 16, 96, 48], (4, 32.0 / 15.0), 8e9),
            ("kind = 'mesh'\nshape = [4, 2]", "mesh, 4 x 2", [8, 8, 36, 18], (4, 2.0), 2e9),
            (
                "kind = 'torus'\nshape = [4, 2]\nwrap = [true, false]",
                "torus and mesh, 4 x 2: ring x line",
                [8, 8, 40, 20],
                (3, 1.5 * 8.0 / 7.0),
                4e9,
            ),
            (
                "kind = 'fat-tree'\nradix = 4",
                "fat tree, 3 stages of switches: 2 down 2 up, 2 down 2 up, 4 down; up by destination",
                [16, 20, 96, 48],
                (4, 52.0 / 15.0),
                8e9,
            ),
            (
                "kind = 'tofu'\nshape = [4, 3, 2]",
                "tofu, 4 x 3 x 2 groups of 2 x 3 x 2; rings: x, y, z, b",
                [288, 288, 3456, 1728],
                (2 + 1 + 1 + 1 + 1 + 1, (1.0 + 2.0 / 3.0 + 0.5 + 0.5 + 2.0 / 3.0 + 0.5) * 288.0 / 287.0),
                144e9,
            ),
            ("kind = 'hypercrossbar'\nshape = [3]", "hypercrossbar, 3", [3, 4, 12, 6], (2, 2.0), 1e9),
            (
                "kind = 'torus'\nshape = [1000, 1000]",
                "torus, 1000 x 1000",
                [1_000_000, 1_000_000, 6_000_000, 3_000_000],
                (1000, 500e6 / (1e6 - 1.0)),
                2e12,
            ),
        ];
        for (text, in_words, counts, lengths, bisection) in cases {
            check(text, in_words, counts, lengths, bisection);
        }
    }

    /// Four nodes of a line with six links between routers, and four interfaces each: 8 links a node, 4 cables. A node sends what its
    /// interfaces do, up to its limit.
    #[test]
    fn interfaces_have_cables_of_their_own() {
        for (keys, interfaces, counts, node) in [
            ("", 1, [14, 7], 1e9),
            ("nics = 4", 4, [38, 19], 4e9),
            ("nics = 4\ninjection_limit = '3 GB/s'", 4, [38, 19], 3e9),
            ("nics = 'per-direction'", 2, [22, 11], 2e9),
            ("injection_limit = '500 MB/s'", 1, [14, 7], 5e8),
        ] {
            let text = format!(
                "[topology]\nkind = 'mesh'\nshape = [4]\nbandwidth = '2 GB/s'\n[node]\nnic_bandwidth = '1 GB/s'\n{keys}"
            );
            let source = Source::of_text("m", text);
            let facts = facts(&MachineDescription::load(&source).unwrap(), Extent::Short);
            assert_eq!((facts.interfaces, [facts.links, facts.cables]), (interfaces, counts), "{keys}");
            let [one, all] = [facts.injection, facts.node_injection].map(|[least, most]| {
                assert_eq!(least, most);
                least.bytes_per_second()
            });
            assert_eq!((one, all), (1e9, node), "{keys}");
        }
    }
}
