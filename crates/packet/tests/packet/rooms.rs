//! Buffers that hold a round trip of their link: a message alone is as fast as with buffers that never fill, through one virtual channel,
//! and not with one place less.

use crate::flit::Message;
use crate::machines::{Cable, bandwidth, grid, with_routers};
use crate::recorder::{Handing, play};
use proptest::prelude::*;
use weir_packet::{Credits, Room, RouterModel, VcAllocation};
use weir_topology::{Tie, Topology, Wrap};
use weir_units::{Bytes, Duration};

/// When a message of so many packets arrives, sent by the first node of a line to the last one.
fn arrival(model: &RouterModel, line: &Topology, packets: u64) -> u64 {
    let network = with_routers(model, line);
    let nodes = line.nodes() as u32;
    let message = Message { at: 0, from: 0, to: nodes - 1, bytes: packets * model.mtu.0 };
    let (_, programs) = play(&network, nodes as usize, &[message], Handing::AtTheStart, 1);
    programs[nodes as usize - 1].arrivals[0].2
}

fn line(routers: u32, cable: Cable, node: Cable) -> Topology {
    grid(&[routers], Wrap::Mesh, &[cable], node, Tie::Plus)
}

fn with_room(model: &RouterModel, input_buffer: u32, room: Room) -> RouterModel {
    RouterModel { input_buffer, room, ..model.clone() }
}

prop_compose! {
    /// Routers with one virtual channel.
    fn models()(
        mtu in 1..=300_u64,
        delays in [0..30_000_u64, 0..30_000_u64, 0..200_000_u64],
        switch in prop_oneof![Just(None), (1..20_u64).prop_map(|speed| Some(bandwidth(speed)))],
        credit in prop_oneof![Just(None), (0..300_000_u64).prop_map(|ps| Some(Duration::from_ps(ps)))],
        by_flit: bool,
        before_switch: bool,
        output_buffer in 1..4_u32,
    ) -> RouterModel {
        let [route_delay, switch_allocation_delay, switch_delay] = delays.map(Duration::from_ps);
        RouterModel {
            mtu: Bytes(mtu), virtual_channels: 1, input_buffer: 1, output_buffer,
            route_delay, vc_allocation_delay: Duration::ZERO, switch_allocation_delay, switch_delay,
            switch_bandwidth: switch, speedup: 2, credit_delay: credit,
            credits: if by_flit { Credits::Flit } else { Credits::Packet },
            vc_allocation: if before_switch { VcAllocation::BeforeSwitch } else { VcAllocation::WithSwitch },
            ..RouterModel::default()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// On links of any speed and length, one behind another.
    #[test]
    fn a_round_trip_is_enough(
        model in models(), routers in 1..5_u32, cable in (1..20_u64, 1..400_u64), node in (1..20_u64, 1..400_u64),
    ) {
        let line = line(routers.max(2), cable, node);
        let [enough, endless] = [with_room(&model, 1, Room::RoundTrip), with_room(&model, 3_000, Room::Fixed)];
        let packets = 400;
        prop_assert_eq!(arrival(&enough, &line, packets), arrival(&endless, &line, packets));
    }
}

/// A cable of 8 GB/s and 300 ns between two routers: a packet of 256 B takes 32 ns, its place is taken for 140 to cross, 300, 32 and 300 for
/// the credit, 772 ns, 24.1 packets. With one place less each round of 24 packets takes 772 ns instead of 768, and with half as many twice as
/// long.
#[test]
fn one_place_less_is_too_few() {
    let (model, line) = (
        RouterModel { virtual_channels: 1, speedup: 2, ..RouterModel::default() },
        line(2, (8, 300), (8, 1)),
    );
    let at = |input_buffer, room| arrival(&with_room(&model, input_buffer, room), &line, 2_400);
    let enough = at(1, Room::RoundTrip);
    assert_eq!([25, 26, 1_000].map(|places| at(places, Room::Fixed)), [enough; 3]);
    // Of 100 rounds the last one need not wait.
    assert_eq!(at(24, Room::Fixed) - enough, 99 * 4_000);
    assert!(at(12, Room::Fixed) > 2 * enough - 2_000_000);
}
