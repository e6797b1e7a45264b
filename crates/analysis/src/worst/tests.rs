//! Worst permutations by hand, and by trying all permutations of small machines.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write;
use weir_experiment::{MachineDescription, Source};

fn machine(topology: &str) -> std::sync::Arc<Topology> {
    let text = format!("[topology]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n{topology}\n");
    MachineDescription::load(&Source::of_text("machine", text)).unwrap().topology()
}

fn graph(lines: &str, more: &str) -> std::sync::Arc<Topology> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("machine.csv");
    std::fs::write(&file, lines).unwrap();
    let text = format!(
        "[topology]\nkind = 'graph'\nlatency = '100 ns'\nbandwidth = '1 GB/s'\nfile = '{}'\n{more}",
        file.display()
    );
    MachineDescription::load(&Source::of_text("machine", text)).unwrap().topology()
}

fn found_on(machine: &Topology, interfaces: u32) -> Result<Worst, AnalysisError> {
    search(machine, (interfaces, f64::INFINITY), 1, MOST_PAIRS)
}

/// Checks that a permutation is one, and that its busiest link carries what is said of it.
#[track_caller]
fn check(machine: &Topology, messages: u32) -> Worst {
    let worst = found_on(machine, 1).unwrap();
    assert_eq!((worst.messages, worst.search), (messages, WorstSearch::Exact), "{}", worst.at);
    let receivers: BTreeSet<NodeId> = worst.pairs().map(|(_, to)| to).collect();
    assert_eq!(receivers.len(), worst.pairs().count());
    assert!(worst.pairs().all(|(from, to)| from != to));
    let mut route = Vec::new();
    let passes = |(from, to): (NodeId, NodeId)| {
        machine.route(from, to, &mut route);
        route.iter().any(|&link| machine.link_name(link) == worst.at)
    };
    assert_eq!(worst.pairs().map(passes).filter(|&passes| passes).count() as u32, messages);
    worst
}

/// The way of k / 2 is the longest in a ring of k, so k / 2 senders in a row reach over the same link, if k is even and ties go the positive
/// way; of an odd k (k - 1) / 2 do. So it is in two dimensions: senders of a link in the first are in its row, receivers of one in the last
/// are in its column. A link of the second of three dimensions has senders from all places along the first, and receivers at all along the
/// last: k times as many. On a line of k, k / 2 are on either side of the middle. On a square of k x k without wrap links the last link of a row
/// has k - 1 senders before it, and all k receivers of a column behind it.
#[test]
fn grids_with_dimension_order() {
    for (topology, messages) in [
        ("kind = 'torus'\nshape = [8]", 4),
        ("kind = 'torus'\nshape = [7]", 3),
        ("kind = 'torus'\nshape = [6, 6]", 3),
        ("kind = 'torus'\nshape = [4, 8]", 4),
        ("kind = 'torus'\nshape = [4, 4, 4]", 8),
        ("kind = 'mesh'\nshape = [9]", 4),
        ("kind = 'mesh'\nshape = [6, 6]", 5),
    ] {
        let worst = check(&machine(topology), messages);
        assert!((worst.part - 1.0 / f64::from(messages)).abs() < 1e-12, "{topology}");
    }
    assert_eq!(check(&machine("kind = 'mesh'\nshape = [8]"), 4).at, "router (3) -> router (4)");
}

/// The switch of a destination is its number modulo p. Of two stages all p nodes of a leaf may have destinations of one residue, so the
/// link up carries p; by source those of one residue meet on the link down. Of three stages p^2 nodes below a switch of the second stage have
/// 2p - 1 destinations elsewhere with the same two digits. Tapered by half, a link up has two residues and carries p still.
#[test]
fn fat_trees() {
    check(&machine("kind = 'fat-tree'\nradix = 8\nstages = 2"), 4);
    check(&machine("kind = 'fat-tree'\nradix = 8\nstages = 2\nrouting = 'source-mod'"), 4);
    check(&machine("kind = 'fat-tree'\nradix = 4\nstages = 3"), 3);
    check(&machine("kind = 'fat-tree'\nradix = 8\nstages = 3"), 7);
    check(&machine("kind = 'fat-tree'\nradix = 8\nstages = 2\ntaper = 0.5"), 4);
}

/// A dragonfly of groups of a = 4 routers with p = 2 nodes and h = 1 global link, so five groups; a global link is so long that shortest
/// routes take one. All a p nodes of a group send into the next: its link carries 8, and each gets 1 / (a p).
#[test]
fn a_dragonfly_by_its_shortest_routes() {
    let (a, p, groups) = (4, 2, 5);
    let mut lines = "source,target,latency,source_kind,target_kind\n".to_owned();
    for group in 0..groups {
        for router in 0..a {
            for node in 0..p {
                writeln!(lines, "g{group}r{router},n{group}.{router}.{node},100 ns,router,node").unwrap();
            }
            for other in router + 1..a {
                writeln!(lines, "g{group}r{router},g{group}r{other},100 ns,router,router").unwrap();
            }
            // Router r of a group has the link to the group r + 1 further, which has that of its router a - 1 - r.
            let to = (group + router + 1) % groups;
            if group < to {
                writeln!(lines, "g{group}r{router},g{to}r{},10 us,router,router", a - 1 - router).unwrap();
            }
        }
    }
    let worst = check(&graph(&lines, "metric = 'latency'"), 8);
    assert!((worst.part - 0.125).abs() < 1e-12 && worst.at.starts_with('g'), "{}", worst.at);
}

/// Between two switches with three nodes each lies a cable of twice the bandwidth, so 3 of 1 GB/s share 2 GB/s; a second cable of a tenth,
/// to a switch with one node, is worse.
#[test]
fn slow_links_count_more() {
    let lines = "source,target,bandwidth,source_kind,target_kind\na,n0,,router,node\na,n1,,router,node\na,n2,,router,node\n\
                 b,n3,,router,node\nb,n4,,router,node\nb,n5,,router,node\na,b,2 GB/s,router,router\n";
    let worst = check(&graph(lines, ""), 3);
    assert!((worst.part - 2.0 / 3.0).abs() < 1e-12 && worst.capacity.bytes_per_second() == 2e9);
    let slow = check(&graph(&format!("{lines}c,n6,,router,node\nb,c,100 MB/s,router,router\n"), ""), 1);
    assert!((slow.part - 0.1).abs() < 1e-12, "{}", slow.at);
}

#[test]
fn what_has_no_worst_permutation_is_refused() {
    for (machine, interfaces, part) in [
        (machine("kind = 'torus'\nshape = [1]"), 1, "a single node"),
        (machine("kind = 'torus'\nshape = [2, 4]"), 2, "the interface by which it leaves"),
    ] {
        let error = found_on(&machine, interfaces).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    assert!(found_on(&machine("kind = 'torus'\nshape = [4, 4]"), 2).is_ok());
}

/// With a part of the pairs the load that is found is never more than with all, and grows to it.
#[test]
fn drawn_pairs_find_no_more() {
    let machine = machine("kind = 'fat-tree'\nradix = 8\nstages = 3");
    let all = found_on(&machine, 1).unwrap();
    let found = |each: usize, seed| {
        let worst = search(&machine, (1, f64::INFINITY), seed, 128 * each).unwrap();
        assert_eq!(worst.search, WorstSearch::Drawn { each });
        worst.messages
    };
    for seed in 0..5 {
        assert!((2..=all.messages).contains(&found(4, seed)), "{seed}");
        assert!((5..=all.messages).contains(&found(64, seed)), "{seed}");
    }
}

/// The largest load of a link, in seconds, of all permutations of nodes that are still free.
fn tried(routes: &[Vec<Vec<usize>>], seconds: &[f64], load: &mut [u32], (from, used): (usize, u32)) -> f64 {
    if from == routes.len() {
        return load.iter().zip(seconds).map(|(&load, second)| f64::from(load) * second).fold(0.0, f64::max);
    }
    let mut most = 0.0_f64;
    for to in (0..routes.len()).filter(|to| used & 1 << to == 0) {
        routes[from][to].iter().for_each(|&link| load[link] += 1);
        most = most.max(tried(routes, seconds, load, (from + 1, used | 1 << to)));
        routes[from][to].iter().for_each(|&link| load[link] -= 1);
    }
    most
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// On graphs of up to six nodes with cables of different bandwidths, no permutation is worse than what is found.
    #[test]
    fn no_permutation_is_worse(
        parents in prop::collection::vec((0_usize..6, 1_u32..4), 2..6),
        more in prop::collection::btree_map((0_usize..6, 0_usize..6), 1_u32..4, 0..4),
    ) {
        let nodes = parents.len() + 1;
        let mut lines = "source,target,bandwidth\n".to_owned();
        for (child, (parent, speed)) in (1..).zip(&parents) {
            writeln!(lines, "n{child},n{},{speed} GB/s", parent % child).unwrap();
        }
        for ((one, other), speed) in more.into_iter().filter(|((one, other), _)| one < other && *other < nodes) {
            writeln!(lines, "n{one},n{other},{speed} GB/s").unwrap();
        }
        let machine = graph(&lines, "");
        let route = |from: usize, to: usize| {
            let mut route = Vec::new();
            machine.find_route(NodeId::new(from), NodeId::new(to), &mut route);
            route.iter().map(|link| link.index()).collect::<Vec<_>>()
        };
        let routes: Vec<Vec<Vec<usize>>> =
            (0..nodes).map(|from| (0..nodes).map(|to| route(from, to)).collect()).collect();
        let links = machine.links();
        let seconds: Vec<f64> = (0..links).map(|link| 1.0 / capacity(&machine, 1, LinkId::new(link))).collect();
        let most = tried(&routes, &seconds, &mut vec![0; links], (0, 0));
        let found = 1.0 / found_on(&machine, 1).unwrap().throughput.bytes_per_second();
        prop_assert!((found - most).abs() < 1e-9 * most, "{} instead of {}", found, most);
    }
}
