use super::*;
use std::collections::BTreeSet;
use weir_topology::{Dimension, NodeLink, Tie, Topology, Torus, Wrap};
use weir_units::Bandwidth;

fn grid(rlevel: u32, regions: u64) -> NicamGrid {
    NicamGrid::new(rlevel, regions).unwrap()
}

/// 40 x 4^rlevel directed edges; whoever is a neighbor has a neighbor, by one direction each.
#[test]
fn neighbors_are_symmetric() {
    for rlevel in 0..=5 {
        let grid = grid(rlevel, 1);
        let regions = 10 * 4_usize.pow(rlevel);
        assert_eq!(grid.nodes() as usize, regions);
        let ways = |rank: Rank| (0..4).map(move |direction| grid.neighbor(rank, direction));
        let edges: Vec<(Rank, Rank)> =
            (0..regions).map(Rank::new).flat_map(|rank| ways(rank).map(move |to| (rank, to))).collect();
        let all: BTreeSet<(Rank, Rank)> = edges.iter().copied().collect();
        assert_eq!((edges.len(), all.len()), (4 * regions, 4 * regions), "rlevel {rlevel}");
        assert!(all.iter().all(|&(from, to)| from != to && all.contains(&(to, from))), "rlevel {rlevel}");
    }
}

/// The edges of paper 004, figure 4, for rlevel 1: E = 1.
#[test]
fn edges_of_diamonds() {
    let cases = [
        ((0, 1, 0), 0, (5, 0, 0)),
        ((0, 1, 0), 3, (9, 1, 1)),
        ((0, 0, 1), 2, (1, 0, 1)),
        ((0, 0, 1), 1, (4, 0, 1)),
        ((5, 0, 1), 1, (0, 1, 1)),
        ((5, 0, 1), 2, (1, 0, 0)),
        ((5, 1, 0), 0, (6, 1, 0)),
        ((5, 1, 0), 3, (9, 1, 0)),
        ((7, 1, 0), 1, (7, 0, 0)),
    ];
    let place = |(diamond, i, j)| NicamPlace { diamond, i, j };
    for (from, direction, to) in cases {
        assert_eq!(neighbor(2, place(from), direction), place(to), "{from:?} {direction}");
    }
}

/// Messages between nodes and bytes of the two models of the paper.
#[test]
fn totals_of_both_models() {
    for (rlevel, ranks, messages) in [(2, 40, 320), (7, 40_960, 327_680)] {
        let pattern = Nicam::new(grid(rlevel, 4), Bytes(32_768), 1);
        assert_eq!((pattern.ranks(), pattern.messages()), (ranks, messages));
        assert_eq!(pattern.bytes_total(), Bytes(32_768 * messages));
    }
}

#[test]
fn a_rank_posts_in_turn_and_awaits_as_much() {
    let pattern = Nicam::new(grid(2, 4), Bytes(7), 2);
    let entries: Vec<Entry> = (0..).map_while(|index| pattern.entry(Rank(0), index)).collect();
    let peers = [0, 1, 2, 3].map(|direction| pattern.grid.neighbor(Rank(0), direction));
    let post = |to| Entry::Post { to, bytes: Bytes(7), wait: Duration::ZERO };
    let exchange: Vec<Entry> = [peers.map(post), peers.map(post)]
        .concat()
        .into_iter()
        .chain([peers, peers].concat().into_iter().map(|from| Entry::Await { from }))
        .collect();
    assert_eq!(entries, [exchange.clone(), exchange].concat());
}

#[test]
fn what_does_not_fit_is_refused() {
    assert_eq!(NicamGrid::new(13, 4).unwrap_err().key, "rlevel");
    for regions in [0, 2, 3, 5, 8, 16, 64] {
        let error = NicamGrid::new(1, regions).unwrap_err();
        assert_eq!(error.key, "processes_per_node", "{regions}");
    }
    assert_eq!(grid(3, 16).nodes(), 40);
    assert_eq!(
        [0, 9, 10, 20, 40, 40_960].map(NicamFolding::side),
        [None, None, Some(1), None, Some(2), Some(64)]
    );
    assert_eq!(NicamFolding::of(40, &[5, 4, 2]), Some(NicamFolding::Flat));
    assert_eq!(NicamFolding::of(40, &[40, 1, 1]), Some(NicamFolding::Folded));
    assert_eq!(NicamFolding::of(40_960, &[40, 32, 32]), Some(NicamFolding::Folded));
    assert_eq!(NicamFolding::of(40_960, &[32, 40, 32]), None);
    assert_eq!(NicamFolding::of(10, &[40, 1, 1]), None);
}

fn torus(shape: [u32; 3], tie: Tie) -> Topology {
    let bandwidth = Bandwidth::new(1e9).unwrap();
    let dimension = |size| Dimension { size, wrap: Wrap::Torus, bandwidth, latency: Duration::from_ns(100) };
    let node = NodeLink { bandwidth, latency: Duration::from_ns(100) };
    Topology::Torus(Torus::new(shape.map(dimension).to_vec(), tie, node).unwrap())
}

/// Routes on each link, and links between routers of all routes together.
fn shares(rlevel: u32, folding: NicamFolding, tie: Tie) -> (Vec<u32>, u64, u64) {
    let grid = grid(rlevel, 4);
    let machine = torus(folding.shape(grid.nodes_per_side()).unwrap(), tie);
    let nodes = folding.nodes(grid.nodes() as usize);
    let mut hosts = nodes.clone();
    hosts.sort_unstable();
    hosts.dedup();
    assert_eq!(hosts.len(), machine.nodes(), "each node has one rank");
    let (mut share, mut hops, mut single) = (vec![0; machine.links()], 0, 0);
    let mut route = Vec::new();
    for rank in (0..grid.nodes()).map(Rank) {
        for direction in 0..4 {
            let to = grid.neighbor(rank, direction);
            machine.route(nodes[rank.index()], nodes[to.index()], &mut route);
            // Without injection and ejection.
            let between = &route[1..route.len() - 1];
            between.iter().for_each(|link| share[link.index()] += 1);
            hops += between.len() as u64;
            single += u64::from(between.len() == 1);
        }
    }
    (share, hops, single)
}

const TIES: [Tie; 3] = [Tie::Plus, Tie::Direct, Tie::Parity];

#[test]
fn three_routes_share_a_link_of_the_small_model() {
    for tie in TIES {
        let (share, hops, single) = shares(2, NicamFolding::Flat, tie);
        assert_eq!((share.into_iter().max(), hops, single), (Some(3), 260, 120), "{tie:?}");
    }
}

#[test]
fn seventeen_routes_share_a_link_of_the_large_model() {
    for tie in TIES {
        let (share, hops, single) = shares(7, NicamFolding::Folded, tie);
        let most = *share.iter().max().unwrap();
        assert_eq!((most, hops, single), (17, 196_480, 160_000), "{tie:?}");
        if tie == Tie::Direct {
            check_where_the_busiest_links_are(&share);
        }
    }
}

/// At Y = 31 or Y = 0, Z = 0; and no node moves in X within the faces.
fn check_where_the_busiest_links_are(share: &[u32]) {
    let machine = torus([40, 32, 32], Tie::Direct);
    let place = |node: u32| [node % 40, node / 40 % 32, node / 40 / 32];
    for (number, &share) in share.iter().enumerate().filter(|(_, share)| **share > 0) {
        let link = machine.link(weir_units::LinkId::new(number));
        let (weir_topology::End::Router(from), weir_topology::End::Router(to)) = (link.from, link.to) else {
            panic!("only links between routers are counted");
        };
        let (start, end) = (place(from.0), place(to.0));
        let [x, y, z] = start;
        let on_a_face = y == 0 || y == 31 || z == 0 || z == 31;
        assert!(x == end[0] || on_a_face, "{start:?} {end:?}");
        let is_corner = |place: [u32; 3]| place[2] == 0 && (place[1] == 0 || place[1] == 31);
        assert!(share < 17 || is_corner(start) || is_corner(end), "{start:?} {end:?}");
    }
}

/// The published placement of the small model.
#[test]
fn the_small_model_lies_as_published() {
    let nodes = NicamFolding::Flat.nodes(40);
    // x, i, j and X, Y, Z of some lines of the table.
    let lines =
        [[0, 0, 0, 0, 0, 0], [0, 1, 1, 0, 1, 1], [1, 0, 1, 0, 2, 1], [3, 1, 0, 1, 3, 0], [9, 1, 1, 4, 3, 1]];
    for [x, i, j, to_x, to_y, to_z] in lines {
        let rank = Rank((x * 2 + i) * 2 + j);
        assert_eq!(nodes[rank.index()], NodeId(to_x + 5 * (to_y + 4 * to_z)), "{x} {i} {j}");
    }
}
