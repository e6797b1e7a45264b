use super::*;
use crate::harness::networks::{dragonfly, dragonfly_plus, hyper_x, made, polar_fly, slim_fly, wirings};
use crate::harness::{as_graph, cable, fat_tree, grid, hypercrossbar, machines, pairs, route};
use crate::{Arrangement, Degraded, End, FatTreeRouting, Rule, Switched, Tie, Wiring};
use proptest::prelude::*;
use weir_units::LinkId;

#[track_caller]
fn check(machine: &Topology, capacity: f64, name: &str) {
    let Bisection { cut, obtained } = machine.bisection().unwrap();
    assert_eq!((cut.forward, cut.backward, cut.name.as_str()), (capacity, capacity, name));
    assert_eq!(obtained, Obtained::Formula);
}

/// An n x n torus of bandwidth 1 along x has 2 n links between its halves, a mesh n.
#[test]
fn grids() {
    check(&grid(&[(16, true), (16, true)], Tie::Plus), 32.0, "between x = 7 and x = 8, and the wrap");
    check(&grid(&[(16, false), (16, false)], Tie::Plus), 16.0, "between x = 7 and x = 8");
    // Halves along y are equal, along x not; y has bandwidth 2.
    check(
        &grid(&[(15, true), (16, true)], Tie::Plus),
        2.0 * 15.0 * 2.0,
        "between y = 7 and y = 8, and the wrap",
    );
    // Paper 000, section 1.1, Red Storm: a mesh of which only z wraps.
    check(&grid(&[(4, false), (4, false), (8, true)], Tie::Plus), 4.0 * 8.0, "between x = 1 and x = 2");
    check(&grid(&[(2, true)], Tie::Plus), 2.0, "between x = 0 and x = 1, and the wrap");
    let names: Vec<_> = grid(&[(4, true)], Tie::Plus).cuts().into_iter().map(|cut| cut.name).collect();
    assert_eq!(
        names,
        ["between x = 1 and x = 2, and the wrap", "between x = 0 and x = 1, and between x = 2 and x = 3"]
    );
    assert!(grid(&[(1, true)], Tie::Plus).bisection().is_none());
}

/// The crossbars stand on the larger side, wherever the cut is: so only the links of the routers on the smaller side are
/// cut. In an 8 x 4 machine with bandwidth 1 along x and 2 along y: 4 and 8 lines, each with 1, 2, 3, 4 and again fewer.
#[test]
fn off_center_cuts_of_hypercrossbars() {
    let cuts = hypercrossbar(&[8, 4]).cuts();
    let found: Vec<_> =
        cuts.iter().map(|cut| (cut.one_way(), cut.forward - cut.backward, cut.nodes)).collect();
    let along_x = [4.0, 8.0, 12.0, 16.0, 12.0, 8.0, 4.0].into_iter().zip((4..).step_by(4));
    let along_y = [16.0, 32.0, 16.0].into_iter().zip((8..).step_by(8));
    let expected: Vec<_> =
        along_x.chain(along_y).map(|(cut, nodes)| (cut, 0.0, [nodes, 32 - nodes])).collect();
    assert_eq!(found, expected);
}

/// All cuts of trees with fewer cables at the middle than at the leaves, of three subtrees, of two, of one switch, and below a top that has one
/// port down: above the leaves bandwidth 1, above the middle switches 2, at the nodes 10.
#[test]
fn cuts_of_fat_trees() {
    let check =
        |ports: &[(u32, u32)], through: Through, half: (&str, f64, usize), around: Option<(f64, usize)>| {
            let tree = fat_tree(ports, FatTreeRouting::DestinationMod);
            let subtrees = around.map_or(0, |(_, nodes)| tree.nodes() / nodes);
            let around = (0..subtrees)
                .filter_map(|subtree| Some((format!("around subtree {subtree}"), around?.0, around?.1)));
            let half = (format!("between the first {}", half.0), half.1, half.2);
            let cuts = tree
                .cuts()
                .into_iter()
                .inspect(|cut| assert_eq!((cut.through, cut.forward), (through, cut.backward)));
            let found: Vec<_> = cuts.map(|cut| (cut.name, cut.forward, cut.nodes[0])).collect();
            assert_eq!(found, std::iter::once(half).chain(around).collect::<Vec<_>>());
        };
    let (routers, nodes) = (Through::Routers, Through::Nodes);
    check(&[(4, 2), (4, 1), (8, 0)], routers, ("4 and the other 4 subtrees", 16.0, 64), Some((4.0, 16)));
    check(&[(4, 4), (3, 0)], routers, ("1 and the other 2 subtrees", 4.0, 4), Some((4.0, 4)));
    check(&[(4, 2), (2, 0)], routers, ("1 and the other 1 subtrees", 2.0, 4), None);
    check(&[(4, 2), (3, 3), (1, 0)], routers, ("1 and the other 2 subtrees", 2.0, 4), Some((2.0, 4)));
    let one = fat_tree(&[(1, 0)], FatTreeRouting::DestinationMod);
    assert_eq!((one.cuts(), one.route_lengths().longest), (vec![], 0));
    check(&[(7, 0)], nodes, ("3 and the other 4 nodes", 30.0, 3), None);
}

/// The search finds the formulas' halves of small machines.
#[test]
fn graphs() {
    let check = |machine: &Topology| {
        let (formula, search) = (machine.bisection().unwrap(), as_graph(machine).bisection().unwrap());
        assert_eq!(search.obtained, Obtained::Search);
        assert_eq!((search.cut.nodes, search.cut.one_way()), (formula.cut.nodes, formula.cut.one_way()));
    };
    check(&grid(&[(8, true), (4, true)], Tie::Plus));
    check(&grid(&[(16, true), (16, true)], Tie::Plus));
    check(&grid(&[(6, false), (4, false)], Tie::Plus));
    check(&hypercrossbar(&[8, 8]));
    check(&fat_tree(&[(8, 4), (8, 8), (16, 0)], FatTreeRouting::DestinationMod));
    check(&fat_tree(&[(2, 2), (2, 2), (4, 0)], FatTreeRouting::DestinationMod));
    check(&fat_tree(&[(4, 2), (4, 0)], FatTreeRouting::DestinationMod));
    check(&fat_tree(&[(6, 0)], FatTreeRouting::DestinationMod));
    let cut = as_graph(&grid(&[(8, true), (4, true)], Tie::Plus)).bisection().unwrap().cut;
    assert_eq!((0..32).filter(|&v| cut.side(NodeId(v)) == Side::First).count(), 16);
}

/// By hand, with bandwidth 1 in groups and 2 between them, or by dimension: four groups of four routers, halves of 2 x 2 cables; two
/// groups of two, joined by 8 cables, have one cable each within. Leaves and spines: halves of 2 x 2 x 2 cables. A full mesh of 5: 2 x 3
/// cables. A HyperX of 4 x 3 with bandwidths 1 and 2, halves along x: 2 x 2 cables in each of 3 lines. Of 3 x 3 routers four, three
/// of a line along y and one beside it, have two cables in each line along x, and two along y.
#[test]
fn networks_with_a_choice_of_ways() {
    let palm_tree = Arrangement::PalmTree;
    let check = |wiring, capacity: f64, name: &str| {
        let Bisection { cut, obtained } = made(wiring, 2, Rule::Minimal).bisection().unwrap();
        assert_eq!((cut.forward, cut.backward, cut.name.as_str()), (capacity, capacity, name));
        assert_eq!(obtained == Obtained::Search, name.ends_with("by a search"));
    };
    check(dragonfly((4, 2), (4, 1), palm_tree), 8.0, "between the first 2 and the other 2 groups");
    check(dragonfly((2, 4), (2, 8), palm_tree), 2.0, "between halves of every group");
    check(dragonfly_plus((4, 4, 2), (4, 2), palm_tree), 16.0, "between the first 2 and the other 2 groups");
    check(hyper_x(&[5], 1), 6.0, "between x = 0 to 1 and x = 2 to 4");
    check(hyper_x(&[4, 3], 1), 12.0, "between x = 0 to 1 and x = 2 to 3");
    check(hyper_x(&[3, 3], 1), 6.0 + 2.0 * 2.0, "between the first 4 routers and the others");
    check(dragonfly((4, 2), (9, 1), palm_tree), 28.0, "the halves found by a search");
    let one_router = made(hyper_x(&[1], 1), 5, Rule::Minimal).bisection().unwrap().cut;
    assert_eq!((one_router.through, one_router.forward), (Through::Nodes, 20.0));
    let around = made(dragonfly((4, 2), (4, 1), palm_tree), 2, Rule::Minimal).cuts();
    let around: Vec<_> = around.into_iter().filter(|cut| cut.name == "around group 3").collect();
    assert_eq!(
        (around[0].one_way(), around[0].nodes, around[0].side(NodeId(31))),
        (6.0, [8, 24], Side::First)
    );
}

/// A network with cables of one bandwidth.
fn with_equal_cables(wiring: Wiring, per_router: u32) -> Topology {
    let cables = vec![cable(0); wiring.classes().len()];
    Topology::Switched(Switched::new(wiring, per_router, cables, cable(9), Rule::Minimal).unwrap())
}

/// The search finds the narrowest of all ways to divide 7 and 13 routers.
#[test]
fn the_halves_of_polar_flies() {
    for q in [2, 3] {
        let machine = made(polar_fly(q), 1, Rule::Minimal);
        let routers = machine.routers() as u32;
        let joined: Vec<(usize, usize)> = (2 * machine.nodes()..machine.links())
            .map(|id| machine.link(LinkId::new(id)))
            .map(|link| (link.from.router() as usize, link.to.router() as usize))
            .collect();
        let halves = (0..1_u32 << routers).filter(|half| half.count_ones() == routers / 2);
        let cut = |half: u32| joined.iter().filter(|&&(a, b)| half >> a & 1 > half >> b & 1).count();
        let narrowest = halves.map(cut).min().unwrap() as f64;
        assert_eq!(machine.bisection().unwrap().cut.one_way(), narrowest);
    }
}

/// Halves of n routers of degree k cut n (k - e) / 4 cables or more, where e is the second eigenvalue of who is joined to whom (Fiedler): 2 in
/// the graph of Hoffman and Singleton, so 63 of its 175 cables.
#[test]
fn the_halves_of_a_slim_fly() {
    let found = with_equal_cables(slim_fly(5), 1).bisection().unwrap();
    assert_eq!((found.cut.one_way(), found.obtained), (65.0, Obtained::Search));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// No search finds narrower halves than are said, also with cables of one bandwidth, where a HyperX has none of its own.
    #[test]
    fn nothing_narrower_is_found(wiring in wirings(), per_router in 1..3_u32, equal: bool) {
        let machine = if equal { with_equal_cables(wiring, per_router) } else { made(wiring, per_router, Rule::Minimal) };
        let (said, found) = (machine.bisection(), partition::bisect(&machine));
        prop_assert_eq!(said.is_some(), machine.nodes() > 1);
        if let (Some(Bisection { cut, .. }), Some(found)) = (said, found) {
            prop_assert!(cut.imbalance() <= found.imbalance(), "{} of {:?}", cut.name, cut.nodes);
            prop_assert!(cut.imbalance() < found.imbalance() || cut.one_way() <= found.one_way(), "{}", cut.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Sides have as many nodes as the cut says. Where all routers have the side of their nodes, in tori, meshes, networks without
    /// spines, and the graphs of these, the capacity is that of the links between the sides, slow and fast and failed ones; in other
    /// machines every fast link counts both ways.
    #[test]
    fn capacities_are_those_of_the_links(
        machine in machines(),
        graph: bool,
        changed in proptest::collection::vec((any::<prop::sample::Index>(), prop::sample::select(vec![0.0, 0.5, 1.0, 3.0])), 0..6),
    ) {
        let has_spines = |wiring: &Wiring| matches!(wiring, Wiring::DragonflyPlus(_));
        let are_homes = match &machine {
            Topology::Torus(_) => true,
            Topology::Switched(machine) => machine.homes() > 1 && !has_spines(machine.wiring()),
            _ => false,
        };
        let nodes_of = partition::nodes_of_routers(&machine);
        let whole = if are_homes && graph { as_graph(&machine) } else { machine };
        let speeds = changed.iter().map(|(index, speed)| (LinkId::new(index.index(whole.links())), *speed)).collect();
        let degraded = Degraded::new(whole.clone(), speeds);
        let machine = Topology::Degraded(degraded.clone());
        for (cut, before) in machine.cuts().into_iter().zip(whole.cuts()) {
            let count = (0..machine.nodes()).filter(|&v| cut.side(NodeId::new(v)) == Side::First).count();
            prop_assert_eq!([count, machine.nodes() - count], cut.nodes);
            let side = |end| match end {
                End::Router(router) => cut.side(nodes_of[router.index()].expect("all have nodes")),
                End::Node(node) => cut.side(node),
            };
            let (mut forward, mut backward) = if are_homes { (0.0, 0.0) } else { (before.forward, before.backward) };
            for id in (0..machine.links()).map(LinkId::new) {
                let link = machine.link(id);
                let of_node = matches!((link.from, link.to), (End::Node(_), _) | (_, End::Node(_)));
                let more = (link.capacity.bytes_per_second() - whole.link(id).capacity.bytes_per_second()).max(0.0);
                let capacity = if degraded.has_failed(id) { 0.0 } else { link.capacity.bytes_per_second() };
                match are_homes.then(|| (side(link.from), side(link.to))) {
                    Some((Side::First, Side::Second)) => forward += capacity,
                    Some((Side::Second, Side::First)) => backward += capacity,
                    None if of_node == (cut.through == Through::Nodes) => (forward, backward) = (forward + more, backward + more),
                    _ => {}
                }
            }
            prop_assert_eq!((forward, backward), (cut.forward, cut.backward), "{}", cut.name);
        }
    }

    /// A lower bound by a cut is one: where all pairs send one byte, the busiest link needs at least as long as the
    /// bytes across the cut over its capacity.
    #[test]
    fn cuts_bound_the_busiest_link(machine in machines()) {
        let mut load = vec![0.0; machine.links()];
        for (from, to) in pairs(&machine) {
            route(&machine, from, to).iter().for_each(|id| load[id.index()] += 1.0);
        }
        let time = |(id, load): (usize, &f64)| load / machine.link(LinkId::new(id)).capacity.bytes_per_second();
        let busiest = load.iter().enumerate().map(time).fold(0.0, f64::max);
        for cut in machine.cuts() {
            let bytes = (cut.nodes[0] * cut.nodes[1]) as f64;
            prop_assert!(bytes / cut.forward <= busiest * (1.0 + 1e-12), "{}: {bytes} / {} > {busiest}", cut.name, cut.forward);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn formulas_agree_with_all_pairs(machine in machines()) {
        let found = machine.route_lengths();
        let (longest, sum, pairs) = machine.all_pairs();
        let nodes = machine.nodes() as u64;
        prop_assert_eq!((found.longest, pairs), (longest, nodes * (nodes - 1)));
        let mean = if pairs > 0 { sum as f64 / pairs as f64 } else { 0.0 };
        prop_assert!((found.mean - mean).abs() < 1e-9, "{} instead of {mean}", found.mean);
        prop_assert_eq!(found.obtained, Obtained::Formula);
        let slow = Topology::Degraded(Degraded::new(machine, [(LinkId(0), 0.5)].into()));
        prop_assert_eq!(slow.route_lengths(), found);
    }
}
