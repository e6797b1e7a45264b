//! Small networks with a choice of ways.

use super::cable;
use crate::{
    Arrangement, Dragonfly, DragonflyPlus, HyperX, PolarFly, Rule, SlimFly, Switched, Topology, Wiring,
};
use proptest::prelude::*;

/// Nodes have cable 9, class i of cables between routers has cable i.
pub(crate) fn made(wiring: Wiring, per_router: u32, rule: Rule) -> Topology {
    let cables = (0..wiring.classes().len()).map(cable).collect();
    Topology::Switched(Switched::new(wiring, per_router, cables, cable(9), rule).expect("a small network"))
}

pub(crate) fn dragonfly(routers: (u32, u32), groups: (u32, u32), arrangement: Arrangement) -> Wiring {
    Wiring::Dragonfly(Dragonfly::new(routers, groups, arrangement).expect("a small dragonfly"))
}

pub(crate) fn dragonfly_plus(
    routers: (u32, u32, u32),
    groups: (u32, u32),
    arrangement: Arrangement,
) -> Wiring {
    Wiring::DragonflyPlus(DragonflyPlus::new(routers, groups, arrangement).expect("a small dragonfly"))
}

pub(crate) fn hyper_x(shape: &[u32], links_per_pair: u32) -> Wiring {
    Wiring::HyperX(HyperX::new(shape, links_per_pair).expect("a small HyperX"))
}

pub(crate) fn slim_fly(q: u32) -> Wiring {
    Wiring::SlimFly(SlimFly::new(q).expect("a prime power"))
}

pub(crate) fn polar_fly(q: u32) -> Wiring {
    Wiring::PolarFly(PolarFly::new(q).expect("a prime power"))
}

/// Small networks of every kind.
pub(crate) fn wirings() -> impl Strategy<Value = Wiring> {
    let arrangements = prop::sample::select(vec![
        Arrangement::PalmTree,
        Arrangement::Absolute,
        Arrangement::Relative,
        Arrangement::Random,
    ]);
    // No more groups than there are global cables for.
    let groups = |cables: u32, per_pair: u32, groups: prop::sample::Index| {
        (1 + groups.index((cables / per_pair + 1).min(7) as usize) as u32, per_pair)
    };
    let numbers = (1..5_u32, 1..4_u32, 1..4_u32, 1..3_u32, any::<prop::sample::Index>());
    let dragonflies = (numbers, arrangements, any::<bool>()).prop_map(
        move |((leaves, routers, global, per_pair, index), arrangement, plus)| {
            let groups = groups(routers * global, per_pair, index);
            match plus {
                true => dragonfly_plus((leaves, routers, global), groups, arrangement),
                false => dragonfly((routers, global), groups, arrangement),
            }
        },
    );
    let grids =
        (prop::collection::vec(1..5_u32, 1..4), 1..3_u32).prop_map(|(shape, links)| hyper_x(&shape, links));
    let slim_flies = prop::sample::select(vec![3, 4, 5]).prop_map(slim_fly);
    let polar_flies = prop::sample::select(vec![2, 3, 4, 5]).prop_map(polar_fly);
    prop_oneof![4 => dragonflies, 2 => grids, 1 => slim_flies, 1 => polar_flies]
}
