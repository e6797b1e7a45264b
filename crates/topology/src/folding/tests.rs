use super::*;
use crate::harness::{self, grid, route};
use crate::{Tie, Wrap};
use proptest::prelude::*;
use std::collections::BTreeSet;
use weir_units::RouterId;

/// So many groups, with no ring but b.
fn part(groups: [u32; 3]) -> Topology {
    let wraps = [Wrap::Mesh, Wrap::Mesh, Wrap::Mesh, Wrap::Mesh, Wrap::Torus, Wrap::Mesh];
    harness::tofu(groups, wraps, Tie::Plus)
}

/// Links between routers on the route of two nodes.
fn hops(machine: &Topology, from: NodeId, to: NodeId) -> usize {
    route(machine, from.0, to.0).len().saturating_sub(2)
}

fn folding(job: &[u32], fold: Fold) -> Folding {
    let sides = (0..job.len()).collect();
    Folding { job: job.to_vec(), order: sides, axes: vec![0, 1, 2], fold, rows: None }
}

/// Whether the ends of a side have to meet: it is even, and the last of its pairs of dimensions, along which it has so many rows, has
/// room for these on a snake, which takes two places of each group.
fn closes(length: u32, rows: usize, fold: Fold, groups: u32) -> bool {
    fold == Fold::Snake && length.is_multiple_of(2) && rows.div_ceil(2) <= groups as usize
}

/// How many places along a pair of dimensions these nodes of a part of so many groups have.
fn rows(nodes: &[NodeId], pair: usize, groups: [u32; 3]) -> usize {
    let sizes = [&groups[..], &tofu::GROUP].concat();
    let at = |node: &NodeId, dimension: usize| {
        node.0 / sizes[..dimension].iter().product::<u32>() % sizes[dimension]
    };
    nodes.iter().map(|node| (at(node, pair), at(node, pair + 3))).collect::<BTreeSet<_>>().len()
}

/// Each place has a node of its own; neighbors along a side are neighbors in the machine, all of it without rings but b, and the ends of
/// an even side on snakes as well; the part that the job needs is within the machine, and there it lies as in the machine.
fn check(folding: &Folding, groups: [u32; 3]) {
    let (needs, axes) = folding.part(groups).unwrap();
    assert!(needs.iter().zip(groups).all(|(&needs, there)| needs <= there), "{folding:?}: {needs:?}");
    let machine = part(needs);
    let (nodes, same) = Folding { axes: axes.clone(), ..folding.clone() }.nodes(&machine).unwrap();
    assert_eq!(same, axes, "in its own part the job lies as in the machine");
    assert_eq!(nodes.len() as u64, folding.places());
    assert_eq!(nodes.iter().collect::<BTreeSet<_>>().len(), nodes.len(), "{folding:?}");
    let mut stride = 1;
    for &side in &folding.order {
        let length = folding.job[side] as usize;
        let along: Vec<NodeId> = (0..length).map(|at| nodes[at * stride]).collect();
        for pair in along.windows(2) {
            assert_eq!(hops(&machine, pair[0], pair[1]), 1, "{folding:?} side {side}");
        }
        let pairs: Vec<usize> = (0..axes.len()).filter(|&pair| axes[pair] == side).collect();
        let last = pairs.last().map(|&pair| (rows(&along, pair, needs), groups[pair]));
        if last.is_some_and(|(rows, groups)| closes(folding.job[side], rows, folding.fold, groups)) {
            assert_eq!(hops(&machine, along[0], along[length - 1]), 1, "{folding:?} side {side} is closed");
        }
        stride *= length;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Jobs with short sides and with long ones.
    #[test]
    fn neighbors_stay_neighbors(
        job in prop_oneof![
            3 => proptest::collection::vec(1_u32..=40, 1..=3), 1 => proptest::collection::vec(30_u32..=260, 2),
            1 => proptest::collection::vec(500_u32..=5000, 1),
        ],
        turn in 0_usize..3,
        axes in Just([0_usize, 1, 2]).prop_shuffle(),
        fold in prop_oneof![Just(Fold::Snake), Just(Fold::ZigZag), Just(Fold::Full)],
        rows in proptest::option::of(1_u32..20),
        groups in prop_oneof![Just([24, 23, 24]), [1_u32..=24, 1_u32..=23, 1_u32..=24]],
    ) {
        let sides = job.len();
        let order: Vec<usize> = (0..sides).map(|side| (side + turn) % sides).collect();
        let folding = Folding { job, order, axes: axes.to_vec(), fold, rows };
        if folding.part(groups).is_ok() {
            check(&folding, groups);
        } else {
            // A machine as long as the sides has room for any of them.
            check(&folding, [5000; 3]);
        }
    }
}

/// Along one pair a side on a snake or in zig-zag takes half as many groups as places if it is even, as many if it is odd, and where it has no
/// room so, or is to be full, all places of each.
#[test]
fn groups_of_a_side_along_one_pair() {
    for (pair, inner) in [(0, 2), (1, 3), (2, 2)] {
        for (side, groups) in (1_u32..40).flat_map(|side| (1_u32..24).map(move |groups| (side, groups))) {
            let full = side.div_ceil(inner);
            let folded = if side % 2 == 0 { side / 2 } else { side };
            let folded = if folded <= groups { folded } else { full };
            for (fold, expected) in [(Fold::Snake, folded), (Fold::ZigZag, folded), (Fold::Full, full)] {
                let found = fold.strip(side, pair, groups).map(|path| path.groups[pair]);
                let expected = (full <= groups).then_some(expected);
                assert_eq!(found, expected, "{fold:?}: {side} along pair {pair} of {groups}");
            }
        }
    }
}

/// Side y of four lies along x and a: 0, 1 out at a = 0, and back at a = 1; a side of two along c alone.
#[test]
fn a_job_by_hand() {
    let folding = Folding { order: vec![1, 2, 0], axes: vec![1, 0, 2], ..folding(&[2, 4, 2], Fold::Snake) };
    assert_eq!(folding.part([2; 3]).unwrap().0, [2, 1, 1]);
    let place = |x, a, b, c| format!("({x},0,0,{a},{b},{c})");
    let expected = [
        place(0, 0, 0, 0),
        place(1, 0, 0, 0),
        place(1, 1, 0, 0),
        place(0, 1, 0, 0),
        place(0, 0, 0, 1),
        place(1, 0, 0, 1),
        place(1, 1, 0, 1),
        place(0, 1, 0, 1),
        place(0, 0, 1, 0),
    ];
    lies_at(&folding, [2, 1, 1], &expected);
}

fn lies_at(folding: &Folding, groups: [u32; 3], expected: &[String]) {
    let machine = part(groups);
    let (nodes, _) = folding.nodes(&machine).unwrap();
    let names: Vec<String> = nodes.iter().map(|&node| machine.router_name(RouterId(node.0))).collect();
    assert!(names.iter().zip(expected).all(|(name, place)| name.ends_with(place.as_str())), "{names:?}");
}

/// One side of 12 through x and a, then y and b: four rows (y and b: 0 0, 1 0, 1 1, 0 1), each the first three places of a snake of four (x and a:
/// 0 0, 1 0, 1 1), out and back in turn.
#[test]
fn a_side_through_two_pairs_by_hand() {
    let folding = Folding { axes: vec![0, 0], rows: Some(4), ..folding(&[12], Fold::Snake) };
    assert_eq!(folding.part([24, 23, 24]), Ok(([2, 2, 1], vec![0, 0])));
    let at = |x, y, a, b| format!("({x},{y},0,{a},{b},0)");
    let row = |y, b| [at(0, y, 0, b), at(1, y, 0, b), at(1, y, 1, b)];
    let back = |y, b| [at(1, y, 1, b), at(1, y, 0, b), at(0, y, 0, b)];
    lies_at(&folding, [2, 2, 1], &[row(0, 0), back(1, 0), row(1, 1), back(0, 1)].concat());
}

/// A side of 64 has no room on a snake along x (32 groups), nor along y; three places of b in each of 22 groups along y do. The other side has the
/// two other pairs, eight rows of eight. So 4,096 ranks are on 4 x 22 x 4 groups, 4,224 nodes. One of 32 is a snake of 16 groups; one of 256
/// has 16 rows of 16 places, or eight of 32.
#[test]
fn jobs_of_two_sides_on_fugaku() {
    let fugaku = [24, 23, 24];
    let axes = vec![0, 2, 1];
    let square = Folding { axes: axes.clone(), ..folding(&[64, 64], Fold::Snake) };
    assert_eq!(square.part(fugaku), Ok(([4, 22, 4], vec![1, 0, 1])));
    let long = Folding { axes, ..folding(&[32, 256], Fold::Snake) };
    assert_eq!(long.part(fugaku), Ok(([16, 8, 8], vec![0, 1, 1])));
    assert_eq!(Folding { rows: Some(8), ..long }.part(fugaku), Ok(([16, 16, 4], vec![0, 1, 1])));
    // As it was: each side through one pair, on a machine that has no sides.
    let plain = Folding { axes: vec![0, 1], ..folding(&[64, 64], Fold::Snake) };
    assert_eq!(plain.part([1 << 16; 3]), Ok(([32, 32, 1], vec![0, 1])));
}

#[test]
fn jobs_that_do_not_fit() {
    let of = |job: &[u32], machine: &Topology| folding(job, Fold::Snake).nodes(machine);
    let why = of(&[8, 2, 2], &part([3, 1, 1])).unwrap_err();
    assert_eq!(why, "has a side of 8 that needs 4 along x, and there are 3");
    let why = of(&[70, 8], &part([24, 23, 24])).map(|(_, axes)| axes);
    assert_eq!(why, Ok(vec![0, 0, 1]), "the longer side has the two pairs then");
    let why = of(&[70, 70, 8], &part([24, 23, 24])).unwrap_err();
    assert_eq!(why, "has a side of 70 that needs 35 along x, and there are 24");
    let why = of(&[400, 400], &part([24, 23, 24])).unwrap_err();
    assert_eq!(why, "has 160000 places: too many for 158976 nodes");
    let why = of(&[1, 160], &part([24, 1, 1])).unwrap_err();
    assert_eq!(why, "has a side of 160 for which 1 along y and 1 along z are too few groups");
    let torus = grid(&[(4, true), (4, true)], Tie::Plus);
    let (nodes, axes) = of(&[4, 4], &torus).unwrap();
    assert_eq!((nodes, axes), ((0..16).map(NodeId).collect::<Vec<_>>(), vec![0, 1]));
    let why = of(&[4, 2, 2], &torus).unwrap_err();
    assert_eq!(why, "has 3 sides; on a machine of 2 dimensions it needs as many");
}
