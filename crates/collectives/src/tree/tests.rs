//! Shapes drawn by hand, and what holds for every tree.

use super::*;

/// The children of each rank, counted from the root; all have them as their parent, and all ranks are reached once.
fn drawn(size: usize, root: usize, tree: impl Fn(Place) -> Tree) -> Vec<Vec<usize>> {
    let trees: Vec<Tree> = (0..size).map(|rank| tree(Place { rank, size })).collect();
    let mut reached = vec![0; size];
    for (rank, tree) in trees.iter().enumerate() {
        for &child in &tree.children {
            assert_eq!(trees[child].parent, Some(rank), "rank {child} of {size}, root {root}");
            reached[child] += 1;
        }
    }
    for (rank, times) in reached.iter().enumerate() {
        assert_eq!(*times, usize::from(trees[rank].parent.is_some()), "rank {rank} of {size}, root {root}");
    }
    let relative = |rank: &usize| (rank + size - root) % size;
    (0..size).map(|rank| trees[(rank + root) % size].children.iter().map(relative).collect()).collect()
}

/// The most steps from a rank to the root of its tree.
fn depth(size: usize, tree: impl Fn(Place) -> Tree) -> usize {
    let steps = |mut rank: usize| {
        let mut steps = 0;
        while let Some(parent) = tree(Place { rank, size }).parent {
            (rank, steps) = (parent, steps + 1);
            assert!(steps < size, "a circle");
        }
        steps
    };
    (0..size).map(steps).max().unwrap_or(0)
}

/// ```text
/// 10 others in 4 chains: 1-2-3  4-5-6  7-8  9-10
/// ```
#[test]
fn four_chains() {
    let shape = drawn(11, 5, |place| Tree::chains(place, 5, 4));
    let expected: [&[usize]; 11] = [&[1, 4, 7, 9], &[2], &[3], &[], &[5], &[6], &[], &[8], &[], &[10], &[]];
    assert_eq!(shape, expected);
    let depths = [1, 2, 4, 10, 11].map(|fan_out| depth(11, |place| Tree::chains(place, 0, fan_out)));
    assert_eq!(depths, [10, 5, 3, 1, 1]);
}

/// ```text
///         0
///      1     2
///    3   5  4  6
///   7 11 9 8 ...
/// ```
#[test]
fn a_binary_tree() {
    let shape = drawn(12, 2, |place| Tree::binary(place, 2));
    let expected: [&[usize]; 12] =
        [&[1, 2], &[3, 5], &[4, 6], &[7, 11], &[8], &[9], &[10], &[], &[], &[], &[], &[]];
    assert_eq!(shape, expected);
    let depths = [1, 2, 3, 4, 7, 8, 15, 16].map(|size| depth(size, |place| Tree::binary(place, 0)));
    assert_eq!(depths, [0, 1, 1, 2, 2, 3, 3, 4]);
}

#[test]
fn binomial_trees() {
    let shape = drawn(10, 3, |place| Tree::binomial_by_highest_bit(place, 3));
    let expected: [&[usize]; 10] = [&[1, 2, 4, 8], &[3, 5, 9], &[6], &[7], &[], &[], &[], &[], &[], &[]];
    assert_eq!(shape, expected);
    let shape = drawn(10, 3, |place| BinomialTree::new(place, 3).tree().reversed());
    let expected: [&[usize]; 10] = [&[1, 2, 4, 8], &[], &[3], &[], &[5, 6], &[], &[7], &[], &[9], &[]];
    assert_eq!(shape, expected);
    let depths =
        [1, 2, 8, 9, 16].map(|size| depth(size, |place| BinomialTree::new(place, 0).tree().reversed()));
    assert_eq!(depths, [0, 1, 3, 3, 4]);
    let depths = [1, 2, 8, 9, 16].map(|size| depth(size, |place| Tree::binomial_by_highest_bit(place, 0)));
    assert_eq!(depths, [0, 1, 3, 3, 4]);
}

/// In digits to base 3, 0 to 10 are 0, 1, 2, 10, 11, 12, 20, 21, 22, 100, 101.
#[test]
fn a_tree_of_radix_three() {
    let shape = drawn(11, 4, |place| Tree::knomial(place, 4, 3));
    let expected: [&[usize]; 11] =
        [&[9, 3, 6, 1, 2], &[], &[], &[4, 5], &[], &[], &[7, 8], &[], &[], &[10], &[]];
    assert_eq!(shape, expected);
    // As deep as a rank has digits other than 0, at most: 4 is 11, 26 is 222.
    let depths = [1, 4, 5, 9, 10, 27].map(|size| depth(size, |place| Tree::knomial(place, 0, 3)));
    assert_eq!(depths, [0, 1, 2, 2, 2, 3]);
    // Radix 2: the binomial tree, the farthest first.
    let mut farthest_first = drawn(10, 0, |place| Tree::knomial(place, 0, 2));
    farthest_first.iter_mut().for_each(|children| children.reverse());
    assert_eq!(farthest_first, drawn(10, 0, |place| BinomialTree::new(place, 0).tree().reversed()));
}

/// ```text
/// 1      2        3          8
/// |     / \      / \      7     3
/// 0    1   0    2   1    6 5   2 1
///                   |      |     |
///                   0      4     0
/// ```
#[test]
fn binary_trees_in_order() {
    let shape = |size| drawn(size, 0, Tree::binary_in_order);
    assert_eq!(shape(2), [vec![], vec![0]]);
    assert_eq!(shape(3), [vec![], vec![], vec![1, 0]]);
    assert_eq!(shape(4), [vec![], vec![0], vec![], vec![2, 1]]);
    let expected: [&[usize]; 9] = [&[], &[0], &[], &[2, 1], &[], &[4], &[], &[6, 5], &[7, 3]];
    assert_eq!(shape(9), expected);
    assert_eq!([1, 2, 3, 4, 9].map(|size| depth(size, Tree::binary_in_order)), [0, 1, 1, 2, 3]);
}
