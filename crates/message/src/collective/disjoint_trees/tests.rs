//! Trees of a torus: drawn by hand, and what holds for all shapes, roots and numbers.

use super::*;
use crate::collective::branch::tests::check_spanning;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The trees, each with the branch of every rank.
fn trees(sides: &[u32], root: usize, count: usize) -> Vec<Vec<Branch>> {
    let (grid, size) = (JobGrid::from(sides.to_vec()), sides.iter().product::<u32>() as usize);
    let of_ranks: Vec<Vec<Branch>> =
        (0..size).map(|rank| Branch::of_disjoint(&grid, Place { rank, size }, root, count)).collect();
    (0..of_ranks[0].len())
        .map(|tree| of_ranks.iter().map(|branches| branches[tree].clone()).collect())
        .collect()
}

/// A ring of five, root 1: one tree goes round forwards, the other backwards.
#[test]
fn a_ring_has_two() {
    let children = |tree: &Vec<Branch>| -> Vec<Vec<usize>> {
        tree.iter().map(|branch| branch.tree.children.clone()).collect()
    };
    let trees = trees(&[5], 1, 9);
    assert_eq!(trees.len(), 2);
    assert_eq!(children(&trees[0]), [vec![], vec![2], vec![3], vec![4], vec![0]]);
    assert_eq!(children(&trees[1]), [vec![4], vec![0], vec![], vec![2], vec![3]]);
}

/// A square of three by three, root 0, which is rank `x + 3 y`. The tree that leaves forwards along x has its gate at 1, goes round the
/// column there (1, 4, 7) and from each place along its row; the root's column gets it last.
#[test]
fn the_first_of_four_on_a_square() {
    let trees = trees(&[3, 3], 0, 4);
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
    assert_eq!(trees(&[2], 0, 9).len(), 1);
    assert_eq!(trees(&[2, 1, 2], 0, 9).len(), 2);
    assert_eq!(trees(&[2, 3], 0, 9).len(), 3);
    assert_eq!(trees(&[2, 3], 0, 2).len(), 2);
}

/// What holds for all of them: see the names.
fn check(sides: &[u32], root: usize, count: usize) {
    let trees = trees(sides, root, count);
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
                assert!(are_neighbours(sides, rank, child), "{sides:?}: {rank} and {child}");
            }
        }
    }
}

fn are_neighbours(sides: &[u32], mut one: usize, mut other: usize) -> bool {
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
    let trees = trees(&[8, 8, 8], 77, 6);
    assert_eq!(trees.len(), 6);
    let deepest = trees.iter().flatten().map(|branch| branch.depth).max();
    assert_eq!(deepest, Some(23));
}
