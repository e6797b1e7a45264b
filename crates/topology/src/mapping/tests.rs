use super::*;
use crate::Tie;
use crate::harness::grid;
use proptest::prelude::*;

/// A 4 x 2 torus.
fn machine() -> Topology {
    grid(&[(4, true), (2, true)], Tie::Plus)
}

fn nodes(numbers: &[u32]) -> Vec<NodeId> {
    numbers.iter().copied().map(NodeId).collect()
}

/// The expected numbers are those of a separate program in another language with integers of any length. By hand, for
/// the rule `lcg` with n = 2 and seed 1: x = 6364136223846793005 + 1442695040888963407 = 7806831264735756412;
/// x >> 33 = 908834774, which is even, so place 1 swaps with place 0.
#[test]
fn permutations_are_those_of_the_rule() {
    let check = |n, seed, generator, expected: &[u32]| {
        assert_eq!(permutation(n, seed, generator), expected, "{n} {seed} {generator:?}");
    };
    check(0, 1, Generator::Lcg, &[]);
    check(1, 5, Generator::Lcg, &[0]);
    check(2, 1, Generator::Lcg, &[1, 0]);
    check(5, 1, Generator::Lcg, &[3, 2, 0, 1, 4]);
    check(8, 0, Generator::Lcg, &[3, 0, 2, 4, 5, 6, 1, 7]);
    check(8, 1, Generator::Lcg, &[7, 4, 3, 2, 5, 0, 1, 6]);
    check(8, 2024, Generator::Lcg, &[1, 3, 4, 5, 0, 6, 7, 2]);
    check(5, 1, Generator::SplitMix, &[2, 1, 4, 3, 0]);
    check(8, 0, Generator::SplitMix, &[2, 5, 0, 3, 4, 6, 1, 7]);
    check(8, 1, Generator::SplitMix, &[4, 3, 2, 7, 5, 6, 0, 1]);
    check(8, 2024, Generator::SplitMix, &[4, 7, 1, 2, 6, 3, 0, 5]);
}

#[test]
fn ranks_of_a_node_are_consecutive() {
    assert_eq!(linear(5, 1), nodes(&[0, 1, 2, 3, 4]));
    assert_eq!(linear(5, 2), nodes(&[0, 0, 1, 1, 2]));
    assert_eq!(random(4, 1, 8, 1, Generator::Lcg), nodes(&[7, 4, 3, 2]));
    assert_eq!(random(5, 2, 8, 1, Generator::Lcg), nodes(&[7, 7, 4, 4, 3]));
}

/// Five ranks, two on each node, fill three nodes: 0 and 3 meet on node 0, 1 and 4 on node 1.
#[test]
fn ranks_in_turn_take_the_nodes_of_blocks() {
    assert_eq!(cyclic(5, 1), linear(5, 1));
    assert_eq!(cyclic(5, 2), nodes(&[0, 1, 2, 0, 1]));
    assert_eq!(cyclic(8, 2), nodes(&[0, 1, 2, 3, 0, 1, 2, 3]));
    assert_eq!(cyclic(0, 2), nodes(&[]));
}

#[test]
fn a_file_gives_nodes_by_number_or_coordinates() {
    let text = "# three ranks\n2 (1,1)  # (1,1) is node 5\n\n  0 7\r\n1\t( 3, 0 )\n3 0,1\n";
    assert_eq!(from_file(text, 4, &machine(), 1), Ok(nodes(&[7, 3, 5, 4])));
    assert_eq!(from_file("", 0, &machine(), 1), Ok(vec![]));
    assert_eq!(from_file("0 5\n1 5", 2, &machine(), 2), Ok(nodes(&[5, 5])));
}

#[test]
fn all_mistakes_of_a_file_are_reported() {
    let text = "\
0 0
1
2 3 4
x 5
-1 5
10 1
3 8
4 (4,0)
5 (0,0,0)
0 6
7 0
12 99
";
    let found = from_file(text, 10, &machine(), 1).unwrap_err();
    let words = found.iter().map(|MappingError { line, what, .. }| match line {
        Some(line) => format!("line {line}: {what}"),
        None => what.clone(),
    });
    let form = "a node from 0 to 7 or its coordinates from (0,0) to (3,1)";
    let expected = [
        "line 2: \"1\" is not a rank and a node, such as \"0 17\"".to_string(),
        "line 3: \"2 3 4\" is not a rank and a node, such as \"0 17\"".into(),
        "line 4: \"x\" is not a rank; expected one from 0 to 9".into(),
        "line 5: \"-1\" is not a rank; expected one from 0 to 9".into(),
        "line 6: \"10\" is not a rank; expected one from 0 to 9".into(),
        format!("line 7: \"8\" is not {form}"),
        format!("line 8: \"(4,0)\" is not {form}"),
        format!("line 9: \"(0,0,0)\" is not {form}"),
        "line 10: rank 0 has a node already, from line 1; expected each rank once".into(),
        "line 11: node 0 is full; expected at most 1 ranks on a node".into(),
        format!("line 12: \"99\" is not {form}"),
        "line 12: \"12\" is not a rank; expected one from 0 to 9".into(),
        "ranks 1 to 2 have no node; expected a line for each rank".into(),
        "rank 6 has no node; expected a line for each rank".into(),
        "ranks 8 to 9 have no node; expected a line for each rank".into(),
    ];
    assert_eq!(words.collect::<Vec<_>>(), expected);
}

proptest! {
    #[test]
    fn a_permutation_has_every_number_once(n in 0_usize..300, seed: u64) {
        for generator in [Generator::Lcg, Generator::SplitMix] {
            let mut order = permutation(n, seed, generator);
            order.sort_unstable();
            prop_assert!(order.iter().enumerate().all(|(i, &v)| i == v as usize));
        }
    }

    #[test]
    fn a_mapping_written_to_a_file_is_read_back(seed: u64) {
        let machine = machine();
        let mapping = random(16, 2, 8, seed, Generator::SplitMix);
        let lines = mapping.iter().enumerate().map(|(rank, &node)| format!("{rank} {}\n", machine.address(node)));
        let text: String = lines.collect();
        prop_assert_eq!(from_file(&text, 16, &machine, 2), Ok(mapping));
    }
}
