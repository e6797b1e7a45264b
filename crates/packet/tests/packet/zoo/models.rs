//! Models of routers for machines, given and random.

use super::classes;
use crate::machines::bandwidth;
use proptest::prelude::*;
use weir_network::{ServiceClass, ServiceClasses};
use weir_packet::{
    Arbiter, DeadlockPolicy, NodeModel, PacketNetwork, Room, RouterModel, VcAllocation, channels_of,
};
use weir_topology::Topology;
use weir_units::{Bytes, Duration, Time};

/// The machine of these routers, with as many virtual channels as it needs and the ones of `routers` beside.
#[track_caller]
pub(crate) fn network(routers: &RouterModel, node: &NodeModel, topology: &Topology) -> PacketNetwork {
    changing(routers, node, topology, &[])
}

/// The same of a machine that becomes others.
#[track_caller]
pub(crate) fn changing(
    routers: &RouterModel,
    node: &NodeModel,
    topology: &Topology,
    changes: &[(Time, Topology)],
) -> PacketNetwork {
    // A lane to escape by needs channels that are taken with the crossbar.
    let vc_allocation = if escapes(topology) { VcAllocation::WithSwitch } else { routers.vc_allocation };
    let routers = &RouterModel { vc_allocation, ..routers.clone() };
    let classes = |machine: &Topology| {
        // A rule that decides says how many it needs; others may do with fewer than they would take.
        let decides = machine.rules().iter().any(|rule| rule.decides());
        let virtual_channels = if decides { channels_of(machine) } else { 1 };
        let deadlock = DeadlockPolicy::Allow;
        let lenient = RouterModel { virtual_channels, services: None, deadlock, ..routers.clone() };
        PacketNetwork::new(&lenient, node, machine).expect("it is allowed").classes()
    };
    let machines = || std::iter::once(topology).chain(changes.iter().map(|(_, machine)| machine));
    let classes = machines().map(classes).max().expect("there is one machine");
    let wider =
        |class: &ServiceClass| ServiceClass { channels: classes + class.channels - 1, ..class.clone() };
    let wider = |services: &ServiceClasses| ServiceClasses::new(services.all().iter().map(wider).collect());
    let services = routers.services.as_ref().and_then(wider);
    let of_services = services.as_ref().map(|all| all.all().iter().map(|class| class.channels).sum());
    let routers = RouterModel {
        virtual_channels: of_services.unwrap_or(classes + routers.virtual_channels - 1),
        services,
        deadlock: DeadlockPolicy::Refuse,
        ..routers.clone()
    };
    let network =
        |machine| PacketNetwork::new(&routers, node, machine).expect("it has enough virtual channels");
    let changes = changes.iter().map(|(at, machine)| (*at, network(machine), machine));
    network(topology).becoming(topology, changes)
}

/// Returns whether packets have a lane to escape by, in the machine or in one of its networks.
pub(crate) fn escapes(machine: &Topology) -> bool {
    match machine.whole() {
        Topology::Torus(torus) => torus.chosen().is_some(),
        Topology::Rails(rails) => rails.networks().any(|(network, _)| escapes(network)),
        _ => false,
    }
}

prop_compose! {
    /// Routers with so many virtual channels beside those that they need, often with service classes.
    pub(crate) fn routers()(
        mtu in prop_oneof![Just(256_u64), 1..=64_u64],
        // With many a router has more lanes than a word has bits.
        virtual_channels in prop_oneof![9 => 1..=3_u32, 1 => 20..=70_u32],
        input_buffer in 1..=3_u32,
        room in prop_oneof![Just(Room::Fixed), Just(Room::RoundTrip)],
        speedup in 1..=2_u32,
        output_buffer in prop_oneof![Just(1_u32), Just(2), Just(3), Just(7)],
        arbiter in prop_oneof![Just(Arbiter::RoundRobin), Just(Arbiter::TransitFirst), Just(Arbiter::OldestFirst), Just(Arbiter::FixedPriority)],
        before_switch: bool,
        services in classes::services(),
        delays in [0..3_000_u64, 0..3_000_u64, 0..3_000_u64, 0..30_000_u64],
        turnaround in prop_oneof![Just(0_u64), 0..40_000_u64],
        switch in prop_oneof![Just(None), (1..20_u64).prop_map(|speed| Some(bandwidth(speed)))],
        credit in prop_oneof![Just(None), (0..20_000_u64).prop_map(|ps| Some(Duration::from_ps(ps)))],
    ) -> RouterModel {
        let [route_delay, vc_allocation_delay, switch_allocation_delay, switch_delay] = delays.map(Duration::from_ps);
        RouterModel {
            mtu: Bytes(mtu), virtual_channels, input_buffer, room, speedup, output_buffer, arbiter,
            vc_allocation: if before_switch && services.is_none() { VcAllocation::BeforeSwitch } else { VcAllocation::WithSwitch },
            route_delay, vc_allocation_delay, switch_allocation_delay, switch_delay: vec![switch_delay],
            turnaround_delay: Duration::from_ps(turnaround),
            switch_bandwidth: Vec::from_iter(switch), credit_delay: credit, deadlock: DeadlockPolicy::Refuse, services,
            ..RouterModel::default()
        }
    }
}

/// Routers of which each kind has a crossbar of its own: later ones take longer, and are as fast in turn, twice and three times as fast.
pub(crate) fn of_kinds(model: RouterModel, topology: &Topology) -> RouterModel {
    let kinds = 0..topology.router_kinds().0.len() as u64;
    let longer = |kind| model.switch_delay[0] + Duration::from_ps(700 * kind);
    let faster = |kind: u64| model.switch_bandwidth.first().map(|speed| speed.times((kind % 3 + 1) as f64));
    RouterModel {
        switch_delay: kinds.clone().map(longer).collect(),
        switch_bandwidth: kinds.filter_map(faster).collect(),
        ..model
    }
}
