use super::*;
use crate::harness::{fat_tree, graph, grid};
use crate::{NodeModel, RouterModel};
use weir_topology::{Topology, Wrap};

fn network(topology: &Topology) -> PacketNetwork {
    PacketNetwork::new(&RouterModel::default(), &NodeModel::default(), topology).expect("a machine")
}

/// Each router is in one part, each part has one at least, and none has more ports than its share by more than those of a
/// router. A node is at home with its router, or in the first part.
#[test]
fn a_machine_is_cut_into_parts() {
    for topology in [
        grid(&[4, 4], Wrap::Torus, 8e9, (100, 100)),
        grid(&[9, 11], Wrap::Mesh, 8e9, (100, 100)),
        fat_tree(4),
        grid(&[1], Wrap::Mesh, 8e9, (100, 100)),
        // Most ports are those of router 1, in which cuts of equal shares would all lie.
        graph(5, &[(0, 1), (1, 2), (2, 3), (3, 4)], &[1; 20]),
    ] {
        let network = network(&topology);
        let inputs = |routers: Range<usize>| {
            (network.routers[routers.end].input - network.routers[routers.start].input) as usize
        };
        let most = (0..network.routers()).map(|router| inputs(router..router + 1)).max().expect("a router");
        for threads in [0, 1, 2, 3, 5, 8, 15, 16, 17, 64, 65, 100] {
            let division = network.division(threads, 0, 1);
            let mut memory = Shared::memory(&network, division);
            let shared = Shared::new(&mut memory, &network, division, Homes::WithRouters);
            assert_eq!(shared.parts(), threads.max(1).min(network.routers()).min(64));
            let parts = || (0..shared.parts()).map(|part| shared.routers(part));
            assert!(parts().flatten().eq(0..network.routers()));
            assert!(parts().all(|routers| !routers.is_empty()));
            let share = network.inputs.len() as f64 / shared.parts() as f64;
            let far = |routers: Range<usize>| (inputs(routers) as f64 - share).abs();
            assert!(
                parts().all(|routers| far(routers) <= most as f64),
                "{threads} threads: {:?}",
                shared.bounds
            );
            for (part, routers) in parts().enumerate() {
                assert!(routers.clone().all(|router| shared.part_of(router as u32) == part));
            }
            for node in (0..network.nodes()).map(NodeId::new) {
                assert_eq!(shared.home(node), shared.part_of(network.router_of(node) as u32));
            }
            let mut memory = Shared::memory(&network, division);
            let shared = Shared::new(&mut memory, &network, division, Homes::First);
            assert!((0..network.nodes()).all(|node| shared.home(NodeId::new(node)) == 0));
        }
    }
}

/// Windows in which something moved are counted once, whoever says it how often, the last one too.
#[test]
fn windows_in_which_something_moves() {
    let moved = Moved::default();
    for turn in 0..8 {
        moved.count(turn);
        if [0, 1, 4, 6, 7].contains(&turn) {
            moved.note(turn);
            moved.note(turn);
        }
    }
    assert_eq!(moved.windows(), 5);
}
