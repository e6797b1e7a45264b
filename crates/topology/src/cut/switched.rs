//! Cuts of networks with a choice of ways.

use super::Cut;
use crate::coordinates::{AXES, axis_name};
use crate::{HyperX, Switched, Topology, Wiring, partition};
use weir_units::NodeId;

/// The cuts of a network, which the second argument is as well.
pub(super) fn cuts(machine: &Switched, topology: &Topology) -> Vec<Cut> {
    let mut cuts = match machine.wiring() {
        _ if machine.homes() < 2 => Vec::new(),
        Wiring::Dragonfly(dragonfly) => of_groups(machine, dragonfly.groups(), dragonfly.links_per_pair()),
        Wiring::DragonflyPlus(dragonfly) => {
            of_groups(machine, dragonfly.groups(), dragonfly.links_per_pair())
        }
        Wiring::HyperX(hyper_x) => of_hyper_x(machine, hyper_x),
        _ => Vec::new(),
    };
    if !is_known(machine) {
        cuts.extend(partition::bisect(topology));
    }
    cuts
}

/// Returns whether a formula has the narrowest halves: in a HyperX of equal cables.
fn is_known(machine: &Switched) -> bool {
    let Wiring::HyperX(hyper_x) = machine.wiring() else { return false };
    let longer = hyper_x.shape().zip(machine.cables()).filter(|&(size, _)| size > 1);
    let mut speeds = longer.map(|(_, cable)| cable.bandwidth);
    speeds.next().is_some_and(|first| speeds.all(|speed| speed == first))
}

/// A machine of groups of which any two are joined by so many cables of the second class.
fn of_groups(machine: &Switched, groups: u32, links_per_pair: u32) -> Vec<Cut> {
    let (homes, nodes) = (machine.homes() / groups, machine.nodes() as u32);
    let per_pair = f64::from(links_per_pair) * machine.cables()[1].bandwidth.bytes_per_second();
    let stride = homes * machine.nodes_per_router();
    let between = |name: String, start: u32, length: u32| {
        let capacity = f64::from(length) * f64::from(groups - length) * per_pair;
        Cut::interval(name, nodes, stride, groups, (start, length), capacity)
    };
    let mut cuts = Vec::new();
    let half = groups / 2;
    if groups > 1 {
        cuts.push(between(
            format!("between the first {half} and the other {} groups", groups - half),
            0,
            half,
        ));
    }
    if groups > 2 {
        cuts.extend((0..groups).map(|group| between(format!("around group {group}"), group, 1)));
    }
    if homes > 1 {
        cuts.push(through_all(machine, groups));
    }
    cuts
}

/// Half of the routers of each kind in every group.
fn through_all(machine: &Switched, groups: u32) -> Cut {
    let (homes, all) = (machine.homes(), machine.routers() as u32);
    let is_first = |router: u32| match router.checked_sub(homes) {
        None => router % (homes / groups) < homes / groups / 2,
        Some(further) => {
            let further_in_group = (all - homes) / groups;
            further % further_in_group < further_in_group / 2
        }
    };
    listed(machine, "between halves of every group".into(), is_first)
}

/// The sizes and the speeds of its dimensions give the capacity (Ahn et al., see [`HyperX`]).
fn of_hyper_x(machine: &Switched, hyper_x: &HyperX) -> Vec<Cut> {
    let (routers, nodes) = (machine.homes(), machine.nodes() as u32);
    let sizes: Vec<u32> = hyper_x.shape().collect();
    let per_pair = |dimension: usize| {
        f64::from(hyper_x.links_per_pair()) * machine.cables()[dimension].bandwidth.bytes_per_second()
    };
    let (mut cuts, mut stride) = (Vec::new(), machine.nodes_per_router());
    for (dimension, &size) in sizes.iter().enumerate() {
        let lines = f64::from(routers / size);
        let between = |name: String, start: u32, length: u32| {
            let capacity = f64::from(length) * f64::from(size - length) * lines * per_pair(dimension);
            Cut::interval(name, nodes, stride, size, (start, length), capacity)
        };
        let axis = axis_name(&AXES, dimension);
        let half = size / 2;
        if size > 1 {
            let places = |first: u32, last: u32| match first == last {
                true => format!("{axis} = {first}"),
                false => format!("{axis} = {first} to {last}"),
            };
            let name = format!("between {} and {}", places(0, half - 1), places(half, size - 1));
            cuts.push(between(name, 0, half));
        }
        if size > 2 {
            cuts.extend((0..size).map(|place| between(format!("around {axis} = {place}"), place, 1)));
        }
        stride *= size;
    }
    // Halves along one dimension are as narrow where all sizes are even.
    if sizes.iter().filter(|&&size| size > 1).count() > 1
        && sizes.iter().any(|&size| size > 1 && size % 2 == 1)
    {
        cuts.push(first_half(machine, hyper_x, |dimension| {
            f64::from(sizes[dimension]) * per_pair(dimension)
        }));
    }
    cuts
}

/// The first half of the routers in an order that goes along the dimensions with most cables first, which is the narrowest where all
/// cables are equal (Lindsey: "Assignment of numbers to vertices", American Mathematical Monthly 71, 1964).
fn first_half(machine: &Switched, hyper_x: &HyperX, cables: impl Fn(usize) -> f64) -> Cut {
    let mut dimensions: Vec<usize> = (0..hyper_x.shape().len()).collect();
    dimensions.sort_by(|&a, &b| cables(a).total_cmp(&cables(b)));
    let place = |&router: &u32| -> Vec<u32> {
        dimensions.iter().map(|&dimension| hyper_x.coordinate(router, dimension)).collect()
    };
    let mut order: Vec<u32> = (0..machine.homes()).collect();
    order.sort_by_cached_key(place);
    let mut first = vec![false; order.len()];
    order[..order.len() / 2].iter().for_each(|&router| first[router as usize] = true);
    let name = format!("between the first {} routers and the others", order.len() / 2);
    listed(machine, name, |router| first[router as usize])
}

/// The cut between routers that are on the first side with their nodes, and others.
fn listed(machine: &Switched, name: String, is_first: impl Fn(u32) -> bool) -> Cut {
    let crossing = machine.between_routers().filter(|&(from, to, _)| is_first(from) && !is_first(to));
    let capacity = crossing.map(|(.., capacity)| capacity).sum();
    let first = (0..machine.nodes()).map(|node| is_first(machine.home(NodeId::new(node)).0)).collect();
    Cut::listed(name, first, capacity, capacity)
}
