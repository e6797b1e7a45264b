//! Several networks that share the nodes, by hand unless a test says otherwise: times in seconds.

use crate::by_hand::{check_all, delivered};
use crate::common::{UNIT, bandwidth};
use proptest::prelude::*;
use weir_flow::{Flow, NodeModel};
use weir_network::{Choose, Placement, Striping};
use weir_topology::{
    Adaptive, Dimension, FatTree, FatTreeRouting, HyperX, NodeLink, Rail, Rails, Rule, Switched, Switches,
    Tie, Topology, Torus, Wiring, Within, Wrap,
};
use weir_units::{Bytes, Duration, NodeId};

fn link(bytes_per_s: f64) -> NodeLink {
    NodeLink { bandwidth: bandwidth(bytes_per_s), latency: Duration::ZERO }
}

/// One switch.
fn star(nodes: u32, bytes_per_s: f64) -> Topology {
    let stages = [Switches { down: nodes, up: 0 }];
    let tree = FatTree::new(&stages, &[], FatTreeRouting::DestinationMod, link(bytes_per_s));
    Topology::FatTree(tree.expect("a star"))
}

fn ring(nodes: u32, bytes_per_s: f64) -> Topology {
    let NodeLink { bandwidth, latency } = link(bytes_per_s);
    let dimension = Dimension { size: nodes, wrap: Wrap::Torus, bandwidth, latency };
    Topology::Torus(Torus::new(vec![dimension], Tie::Plus, link(bytes_per_s)).expect("a ring"))
}

fn full_mesh(nodes: u32, bytes_per_s: f64, rule: Rule) -> Topology {
    let wiring = Wiring::HyperX(HyperX::new(&[nodes], 1).expect("a line"));
    let cable = link(bytes_per_s);
    Topology::Switched(Switched::new(wiring, 1, vec![cable], cable, rule).expect("a full mesh"))
}

fn everywhere(machine: Topology) -> Rail {
    Rail { machine, domain: None, stride: 1 }
}

fn rails(networks: Vec<Rail>) -> Topology {
    Topology::Rails(Rails::new(networks).expect("networks of as many nodes"))
}

/// Servers of two GPUs with 10 B/s within, and 1 B/s between. From 0 to 1 goes the fast way, from 0 to 2 and to 3 the slow one, which both
/// share: 6 B each are done at 12, but 60 B within at 6.
#[test]
fn domains_and_what_joins_them() {
    let within = Rail { machine: star(2, 10.0), domain: Some(2), stride: 1 };
    let machine = rails(vec![within, everywhere(star(4, 1.0))]);
    let sends: [&[(u64, u32, u64)]; 4] = [&[(0, 1, 60), (0, 2, 6), (0, 3, 6)], &[], &[], &[]];
    let expected: [(usize, &[_]); 3] =
        [(1, &[(6.0, "arrived 0 of 0")]), (2, &[(12.0, "arrived 1 of 0")]), (3, &[(12.0, "arrived 2 of 0")])];
    check_all((&machine, &[0, 1, 2, 3]), NodeModel::default(), &sends, &expected);
    // A message within a server is never striped over the slow network.
    let striped = NodeModel { striping: Striping { over: 2, from: Bytes::ZERO }, ..NodeModel::default() };
    check_all((&machine, &[0, 1, 2, 3]), striped, &sends, &expected);
}

/// Over n equal networks a striped message takes an nth of its time: 12 B at 1 B/s.
#[test]
fn striping_over_equal_networks() {
    for count in [1, 2, 3, 4] {
        let machine = rails(vec![everywhere(ring(5, 1.0)); count as usize]);
        let node =
            NodeModel { striping: Striping { over: count, from: Bytes::ZERO }, ..NodeModel::default() };
        let sends: [&[(u64, u32, u64)]; 5] = [&[(0, 2, 12)], &[], &[], &[], &[]];
        let arrived = [(12.0 / f64::from(count), "arrived 0 of 0")];
        check_all((&machine, &[0, 1, 2, 3, 4]), node, &sends, &[(2, &arrived)]);
    }
}

fn networks() -> impl Strategy<Value = Vec<Rail>> {
    let one = (0..5_u8, 1..4_u32, any::<bool>(), any::<prop::sample::Index>(), any::<prop::sample::Index>());
    let nodes = prop::sample::select(vec![4_u32, 6, 8]);
    (nodes, prop::collection::vec(one, 1..4)).prop_map(|(nodes, all)| {
        let divisors: Vec<u32> = (1..=nodes).filter(|divisor| nodes.is_multiple_of(*divisor)).collect();
        let made = all.into_iter().enumerate().map(|(number, (kind, speed, has_domains, domain, stride))| {
            let domain = (number > 0 && has_domains).then(|| divisors[domain.index(divisors.len())]);
            let (own, speed) = (domain.unwrap_or(nodes), f64::from(speed));
            let machine = match kind {
                0 => star(own, speed),
                1 => ring(own, speed),
                2 => full_mesh(own, speed, Rule::Valiant),
                3 => full_mesh(own, speed, Rule::MinimalRandom),
                _ => full_mesh(own, speed, Rule::Minimal),
            };
            Rail { machine, domain, stride: divisors[stride.index(divisors.len())] }
        });
        made.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// What goes by a network arrives when it does where there is no other network, in each domain.
    #[test]
    fn networks_do_not_know_of_each_other(
        networks in networks(),
        sends in prop::collection::vec((0..8_u32, 1..8_u32, 1..20_u64), 1..12),
    ) {
        let rails = Rails::new(networks.clone()).expect("networks of as many nodes");
        let machine = Topology::Rails(rails.clone());
        let nodes = machine.nodes() as u32;
        let mut lists = vec![Vec::new(); nodes as usize];
        for (from, step, amount) in sends {
            let (from, step) = (from % nodes, 1 + step % (nodes - 1));
            lists[from as usize].push((0, (from + step) % nodes, amount));
        }
        let node = NodeModel { choose: Choose::ByDestination, ..NodeModel::default() };
        let arrivals = |machine: &Topology, lists: &[Vec<(u64, u32, u64)>]| {
            let lists: Vec<_> = lists.iter().map(Vec::as_slice).collect();
            let placement = Placement::one_per_node(machine.nodes());
            let found = delivered(Flow::default(), machine, &placement, node, &lists);
            let arrived = |events: Vec<(u64, String)>| -> Vec<u64> {
                let mut all: Vec<_> = events.into_iter().filter(|(_, what)| what.starts_with("arrived")).map(|(at, _)| at).collect();
                all.sort_unstable();
                all
            };
            found.into_iter().map(arrived).collect::<Vec<_>>()
        };
        let together = arrivals(&machine, &lists);
        let mut alone = vec![Vec::new(); nodes as usize];
        for (number, (own, domains)) in rails.networks().enumerate() {
            let by = |from: u32, to: u32| {
                let cables = machine.cables_to(NodeId(from), NodeId(to));
                cables[to as usize % cables.len()] as usize
            };
            for domain in 0..domains {
                let node = |id| rails.node_at(Within { network: number, domain, id: NodeId(id) }).0;
                let place = |node| rails.node_within(number, NodeId(node)).id.0;
                let of = |id| -> Vec<(u64, u32, u64)> {
                    let here = lists[node(id) as usize].iter().filter(|&&(_, to, _)| by(node(id), to) == number);
                    here.map(|&(at, to, bytes)| (at, place(to), bytes)).collect()
                };
                let lists: Vec<_> = (0..own.nodes() as u32).map(of).collect();
                for (id, times) in (0..).zip(arrivals(own, &lists)) {
                    alone[node(id) as usize].extend(times);
                }
            }
        }
        alone.iter_mut().for_each(|times: &mut Vec<u64>| times.sort_unstable());
        for (together, alone) in together.iter().zip(&alone) {
            prop_assert_eq!(together.len(), alone.len());
            for (a, b) in together.iter().zip(alone) {
                prop_assert!(a.abs_diff(*b) <= UNIT / 1_000_000, "{} and {}", a, b);
            }
        }
    }
}

/// A machine of one network is that network, to the picosecond.
#[test]
fn one_network_is_itself() {
    let sends: [&[(u64, u32, u64)]; 6] = [
        &[(0, 2, 12), (3, 5, 7)],
        &[(0, 2, 5)],
        &[(1, 0, 9)],
        &[(0, 4, 11), (0, 5, 2)],
        &[(0, 2, 8)],
        &[(2, 1, 6)],
    ];
    let placement = Placement::one_per_node(6);
    let around = full_mesh(6, 1.0, Rule::UgalL(Adaptive::default()));
    let others =
        [star(6, 2.0), ring(6, 1.0), full_mesh(6, 1.0, Rule::Valiant), full_mesh(6, 3.0, Rule::Minimal)];
    for alone in others.into_iter().chain([around]) {
        let seen = |machine: &Topology| {
            delivered(Flow::default(), machine, &placement, NodeModel::default(), &sends)
        };
        assert_eq!(seen(&rails(vec![everywhere(alone.clone())])), seen(&alone));
    }
}
