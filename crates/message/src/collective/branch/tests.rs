//! Two trees drawn by hand, and what holds for any number of them.

use super::*;
use std::collections::BTreeSet;

/// The trees, each with the branch of every rank.
fn trees(size: usize, root: usize, count: usize) -> Vec<Vec<Branch>> {
    let of_ranks: Vec<Vec<Branch>> =
        (0..size).map(|rank| Branch::of_inner_disjoint(Place { rank, size }, root, count)).collect();
    (0..of_ranks[0].len())
        .map(|tree| of_ranks.iter().map(|branches| branches[tree].clone()).collect())
        .collect()
}

/// Every rank but the root is the child of its parent, and of no other, and is one step further from the root, which all reach;
/// none is further than the height.
pub(in crate::collective) fn check_spanning(tree: &[Branch], root: usize) {
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
    let children = |tree: &Vec<Branch>| -> Vec<Vec<usize>> {
        tree.iter().map(|branch| branch.tree.children.clone()).collect()
    };
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
