//! Which of several processes has the ranks of each node.

use proptest::prelude::*;
use weir_network::ideal::homes;
use weir_network::{Ideal, Placement};
use weir_units::NodeId;

/// A process is full with its share of all ranks, and leaves a node for each of those behind it.
#[test]
fn nodes_are_divided_in_their_order() {
    let divided = |nodes: &[u32], processes| {
        homes(&Placement::new(nodes.iter().copied().map(NodeId).collect()), processes)
    };
    assert_eq!(divided(&[0, 1, 2, 3], 3), [0, 0, 1, 2]);
    assert_eq!(divided(&[0, 0, 0, 0, 1, 2], 3), [0, 1, 2]);
    assert_eq!(divided(&[], 3), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Each process has whole nodes in their order, one at least, and no more ranks than its share and one node.
    #[test]
    fn nodes_are_divided(nodes in prop::collection::vec(0_u32..40, 1..60), processes in 1_usize..9) {
        let placement = Placement::new(nodes.iter().copied().map(NodeId).collect());
        let processes = processes.min(Ideal::most_processes(&placement));
        let homes = homes(&placement, processes);
        let on = |node: u32| nodes.iter().filter(|&&other| other == node).count();
        let used: Vec<u32> = (0..homes.len() as u32).filter(|&node| on(node) > 0).collect();
        prop_assert!(used.is_sorted_by_key(|&node| homes[node as usize]));
        let largest = used.iter().map(|&node| on(node)).max().unwrap_or(0);
        for process in 0..processes as u32 {
            let own = || used.iter().filter(|&&node| homes[node as usize] == process);
            prop_assert!(own().count() > 0, "process {} has no node: {:?}", process, homes);
            let ranks: usize = own().map(|&node| on(node)).sum();
            prop_assert!(own().count() == 1 || ranks < nodes.len() / processes + 1 + largest, "{:?}", homes);
        }
    }
}
