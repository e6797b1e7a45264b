//! Random networks with a choice of ways.

use proptest::prelude::*;
use weir_topology::{Arrangement, Dragonfly, DragonflyPlus, HyperX, PolarFly, SlimFly, Wiring};

pub(super) fn wirings() -> impl Strategy<Value = Wiring> {
    let arrangements = [Arrangement::PalmTree, Arrangement::Absolute, Arrangement::Random];
    let dragonflies = (1..=4_u32, 1..=3_u32, 2..=6_u32, prop::sample::select(arrangements.to_vec()))
        .prop_map(|(routers, global, groups, arrangement)| {
            let groups = groups.min(routers * global + 1);
            let per_pair = routers * global / (groups - 1);
            Wiring::Dragonfly(
                Dragonfly::new((routers, global), (groups, per_pair), arrangement).expect("small"),
            )
        });
    let grids = (prop::collection::vec(1..=4_u32, 1..=3), 1..=2_u32)
        .prop_map(|(shape, links)| Wiring::HyperX(HyperX::new(&shape, links).expect("small")));
    let of_leaves =
        (1..=3_u32, 1..=3_u32, 1..=2_u32, 2..=4_u32).prop_map(|(leaves, spines, global, groups)| {
            let groups = groups.min(spines * global + 1);
            let made = DragonflyPlus::new((leaves, spines, global), (groups, 1), Arrangement::Relative);
            Wiring::DragonflyPlus(made.expect("small"))
        });
    let flies = prop_oneof![
        Just(Wiring::SlimFly(SlimFly::new(3).expect("a prime"))),
        Just(Wiring::PolarFly(PolarFly::new(2).expect("a prime"))),
        Just(Wiring::PolarFly(PolarFly::new(3).expect("a prime"))),
    ];
    prop_oneof![3 => dragonflies, 2 => grids, 2 => of_leaves, 1 => flies]
}
