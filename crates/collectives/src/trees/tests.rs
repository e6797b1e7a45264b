//! Trees drawn by hand, and what holds for all shapes, roots and numbers.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The trees, each with the branch of every rank.
fn of_all(size: usize, of_rank: impl Fn(Place) -> Vec<Branch>) -> Vec<Vec<Branch>> {
    let of_ranks: Vec<Vec<Branch>> = (0..size).map(|rank| of_rank(Place { rank, size })).collect();
    (0..of_ranks[0].len())
        .map(|tree| of_ranks.iter().map(|branches| branches[tree].clone()).collect())
        .collect()
}

fn trees(size: usize, root: usize, count: usize) -> Vec<Vec<Branch>> {
    of_all(size, |place| Branch::of_inner_disjoint(place, root, count))
}

fn trees_of_torus(sides: &[u32], root: usize, count: usize) -> Vec<Vec<Branch>> {
    let (grid, size) = (JobGrid::from(sides.to_vec()), sides.iter().product::<u32>() as usize);
    of_all(size, |place| Branch::of_disjoint(&grid, place, root, count))
}

fn children(tree: &[Branch]) -> Vec<Vec<usize>> {
    tree.iter().map(|branch| branch.tree.children.clone()).collect()
}

/// Every rank but the root is the child of its parent, and of no other, and is one step further from the root, which all reach;
/// none is further than the height.
fn check_spanning(tree: &[Branch], root: usize) {
    let mut reached = vec![0; tree.len()];
    for (rank, branch) in tree.iter().enumerate() {
        for &child in &branch.tree.children {
            assert_eq!(tree[child].tree.parent, Some(rank));
            assert_eq!(tree[child].depth, branch.depth + 1);
            reached[child] += 1;
        }
        assert!(branch.depth <= branch.height);
        assert_eq!(branch.height, tree[0].height, "the same at all ranks");
        assert_eq!((branch.depth == 0, branch.tree.parent.is_none()), (rank == root, rank == root));
    }
    for (rank, times) in reached.into_iter().enumerate() {
        assert_eq!(times, usize::from(rank != root), "rank {rank}");
    }
}

/// Seven ranks behind root 0. Ranks 1, 3, 5 are the inner nodes of the first tree, its leaves 2, 4, 6, 7; ranks 2, 4, 6 those of the
/// second, its leaves 1, 3, 5, 7:
/// ```text
///        0                0
///        1                2
///      /   \            /   \
///     3     5          4     6
///    / \   / \        / \   / \
///   2   4 6   7      1   3 5   7
/// ```
#[test]
fn two_trees_of_eight_ranks() {
    let trees = trees(8, 0, 2);
    let none = Vec::new;
    assert_eq!(
        children(&trees[0]),
        [vec![1], vec![3, 5], none(), vec![2, 4], none(), vec![6, 7], none(), none()]
    );
    assert_eq!(
        children(&trees[1]),
        [vec![2], none(), vec![4, 6], none(), vec![1, 3], none(), vec![5, 7], none()]
    );
    assert_eq!(trees.iter().map(|tree| tree[0].height).collect::<Vec<_>>(), [3, 3]);
}

#[test]
fn one_tree_is_a_chain() {
    for (rank, branch) in trees(6, 2, 1)[0].iter().enumerate() {
        let next = (rank + 1) % 6;
        assert_eq!(branch.tree.children, if next == 2 { vec![] } else { vec![next] });
    }
}

#[test]
fn a_rank_is_an_inner_node_of_one_tree_at_most() {
    for size in 2..=40 {
        for count in 1..=9 {
            for root in [0, 1, size / 2, size - 1] {
                let trees = trees(size, root, count);
                assert_eq!(trees.len(), count.min(size - 1));
                let mut inner = vec![0; size];
                for tree in &trees {
                    check_spanning(tree, root);
                    for branch in tree {
                        let ups: Vec<u16> =
                            branch.tree.children.iter().map(|&child| tree[child].up).collect();
                        assert_eq!(branch.down, ups, "as down so up");
                        let first: BTreeSet<u16> = ups.iter().take(trees.len()).copied().collect();
                        assert_eq!(first.len(), ups.len().min(trees.len()), "children by different rails");
                    }
                    for (rank, branch) in tree.iter().enumerate() {
                        let children = branch.tree.children.len();
                        inner[rank] += usize::from(children > 0);
                        // The root serves one rank a tree. What is left over is less than there are trees.
                        let inner_nodes = (size - 1) / trees.len();
                        let most =
                            if rank == root { 1 } else { trees.len() + trees.len().div_ceil(inner_nodes) };
                        assert!(children <= most, "{size} {count} {root}: {children}");
                    }
                }
                let others = inner.iter().enumerate().filter(|&(rank, _)| rank != root);
                assert!(others.clone().all(|(_, &times)| times <= 1), "{size} {count} {root}");
            }
        }
    }
}

/// With as many leaves as fit, trees of k children have the height of a heap: 1 + 3 + 9 + 27 = 40 ranks below the root in 3 levels
/// behind the first.
#[test]
fn heights() {
    for (others, count, height) in
        [(40, 3, 4), (39, 3, 4), (13, 3, 3), (7, 2, 3), (8, 2, 4), (15, 2, 4), (5, 1, 5)]
    {
        let trees = trees(others + 1, 0, count);
        assert!(trees.iter().all(|tree| tree[0].height == height), "{others} {count}");
    }
}

/// A ring of five, root 1: one tree goes round forwards, the other backwards.
#[test]
fn a_ring_has_two() {
    let trees = trees_of_torus(&[5], 1, 9);
    assert_eq!(trees.len(), 2);
    assert_eq!(children(&trees[0]), [vec![], vec![2], vec![3], vec![4], vec![0]]);
    assert_eq!(children(&trees[1]), [vec![4], vec![0], vec![], vec![2], vec![3]]);
}

/// A square of three by three, root 0, which is rank `x + 3 y`. The tree that leaves forwards along x has its gate at 1, goes round the
/// column there (1, 4, 7) and from each place along its row; the root's column gets it last.
#[test]
fn the_first_of_four_on_a_square() {
    let trees = trees_of_torus(&[3, 3], 0, 4);
    assert_eq!(trees.len(), 4);
    let parents: Vec<Option<usize>> = trees[0].iter().map(|branch| branch.tree.parent).collect();
    // 5 is in the row of the gate of the tree that leaves forwards along y, which goes through this row by the links of the first tree;
    // so 5 has it from 2, in its column.
    let expected = [None, Some(0), Some(1), Some(5), Some(1), Some(2), Some(8), Some(4), Some(7)];
    assert_eq!(parents, expected);
}

/// Two nodes have one way to each other, four in a square two each.
#[test]
fn sides_of_two_and_of_one() {
    assert_eq!(trees_of_torus(&[2], 0, 9).len(), 1);
    assert_eq!(trees_of_torus(&[2, 1, 2], 0, 9).len(), 2);
    assert_eq!(trees_of_torus(&[2, 3], 0, 9).len(), 3);
    assert_eq!(trees_of_torus(&[2, 3], 0, 2).len(), 2);
}

/// What holds for all of them: see the names.
fn check(sides: &[u32], root: usize, count: usize) {
    let trees = trees_of_torus(sides, root, count);
    let ways: usize = sides.iter().map(|&side| side.saturating_sub(1).min(2) as usize).sum();
    assert_eq!(trees.len(), ways.min(count), "{sides:?}");
    // Each rank sends once by a rail, and gets one message by it; downwards and upwards.
    let mut links = BTreeSet::new();
    let [mut sent, mut came, mut up] = [(); 3].map(|()| BTreeSet::new());
    for tree in &trees {
        check_spanning(tree, root);
        assert!(tree[root].tree.children.len() == 1, "a way of its own");
        for (rank, branch) in tree.iter().enumerate() {
            assert_eq!(branch.down.len(), branch.tree.children.len());
            assert!(rank == root || up.insert((rank, branch.up)), "{sides:?} from {root}: {rank} upwards");
            for (&child, &rail) in branch.tree.children.iter().zip(&branch.down) {
                assert!(sent.insert((rank, rail)), "{sides:?} from {root}: {rank} by {rail}");
                assert!(came.insert((child, rail)), "{sides:?} from {root}: to {child} by {rail}");
                assert!(
                    links.insert((rank, child)),
                    "{sides:?} from {root}: {rank} to {child} is in two trees"
                );
                assert!(are_neighbors(sides, rank, child), "{sides:?}: {rank} and {child}");
            }
        }
    }
}

fn are_neighbors(sides: &[u32], mut one: usize, mut other: usize) -> bool {
    let mut steps = 0;
    for &side in sides {
        let side = side as usize;
        let apart = (one % side).abs_diff(other % side);
        steps += apart.min(side - apart);
        (one, other) = (one / side, other / side);
    }
    steps == 1
}

/// All shapes with up to four sides and few nodes.
#[test]
fn all_small_shapes() {
    for (most, dimensions) in [(9_u32, 1), (6, 2), (5, 3), (3, 4)] {
        for number in 0..most.pow(dimensions) {
            let sides: Vec<u32> = (0..dimensions).map(|side| 1 + number / most.pow(side) % most).collect();
            check(&sides, 0, usize::MAX);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn spanning_trees_that_share_no_link(sides in prop::collection::vec(1_u32..=7, 1..=3), root: prop::sample::Index, count in 1_usize..=7) {
        let size = sides.iter().product::<u32>() as usize;
        check(&sides, root.index(size), count);
    }
}

/// The torus of 8 x 8 x 8 of a job on Fugaku: six trees that use every link but those to the root, none longer than 23 steps.
#[test]
fn a_job_of_512_nodes() {
    check(&[8, 8, 8], 77, 6);
    let trees = trees_of_torus(&[8, 8, 8], 77, 6);
    assert_eq!(trees.len(), 6);
    let deepest = trees.iter().flatten().map(|branch| branch.depth).max();
    assert_eq!(deepest, Some(23));
}
