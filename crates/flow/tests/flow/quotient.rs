//! One node stands for all: the same result as with all nodes.

use crate::common::{RULES, bandwidth, run, torus};
use std::sync::Arc;
use weir_flow::Flow;
use weir_flow::quotient::{Quotient, QuotientEnded, Steps};
use weir_network::{Limits, Placement};
use weir_topology::{CrossbarDimension, Dimension, Hypercrossbar, NodeLink, Tie, Topology, Torus, Wrap};
use weir_units::{Bytes, Duration, Time};
use weir_workload::{
    Algorithm, AllToAll, Closed, Halo, Pattern, Permutation, Queue, Side, Steps as Waits, Totals,
};

fn quotient(topology: &Topology, pattern: &Pattern, limits: Limits) -> QuotientEnded {
    let uniform = pattern.uniform().expect("all ranks do the same");
    let steps = Steps {
        steps: uniform.steps,
        bytes: uniform.bytes,
        awaited: uniform.awaited,
        displacement: &|step| uniform.displacement(step),
    };
    let quotient = Quotient::of(topology, &uniform.grid).expect("a machine that is the same from all nodes");
    quotient.run(&steps, limits, &mut |_| ())
}

/// The quotient says what the engine says, under each rule.
#[track_caller]
fn check(topology: &Topology, pattern: Pattern) {
    let found = quotient(topology, &pattern, Limits::default());
    let pattern = Arc::new(pattern);
    for sharing in RULES {
        let flow = Flow { sharing, ..Flow::default() };
        let mut queues = Queue::all(Arc::clone(&pattern));
        let all = run(flow, topology, &Placement::one_per_node(topology.nodes()), &mut queues);
        assert_eq!((found.until, found.cycles), (all.until, all.cycles), "{sharing:?}");
        assert_eq!(found.messages, all.ended.traffic.messages);
        assert_eq!((&found.link_bytes, &found.link_share), (&all.link_bytes, &all.link_share));
    }
}

fn spread(grid: [u32; 2], bytes: u64, waits: Waits) -> Pattern {
    let algorithm = Algorithm::SimpleSpread2d { grid };
    let ranks = (grid[0] * grid[1]) as usize;
    Pattern(Arc::new(AllToAll::new(ranks, Bytes(bytes), algorithm, waits).expect("a grid of that size")))
}

const WAITS: [Waits; 2] = [Waits::FreeRunning, Waits::Synchronised];

#[test]
fn simple_spread_on_tori_of_two_dimensions() {
    for latency in [0, 70_000_000_001] {
        for waits in WAITS {
            for grid in [[4, 3], [5, 4], [2, 6], [1, 7]] {
                check(&torus(&grid, Wrap::Torus, Duration::from_ps(latency)), spread(grid, 20, waits));
            }
        }
    }
}

/// Dimensions that differ in bandwidth and latency, and slow cables to the nodes.
#[test]
fn unequal_dimensions() {
    let dimension = |size, capacity, latency| Dimension {
        size,
        wrap: Wrap::Torus,
        bandwidth: bandwidth(capacity),
        latency: Duration::from_ps(latency),
    };
    let node_link = NodeLink { bandwidth: bandwidth(0.7), latency: Duration::from_ps(3) };
    let dimensions = vec![dimension(4, 1.5, 10_000), dimension(6, 0.4, 700)];
    let topology = Topology::Torus(Torus::new(dimensions, Tie::Spread, node_link).unwrap());
    for waits in WAITS {
        check(&topology, spread([4, 6], 7, waits));
        check(&topology, spread([4, 6], 0, waits));
    }
}

#[test]
fn hypercrossbars_and_halos() {
    let dimension =
        |size| CrossbarDimension { size, bandwidth: bandwidth(1.0), latency: Duration::from_ps(1_000_000) };
    let node_link = NodeLink { bandwidth: bandwidth(1.0), latency: Duration::ZERO };
    let crossbars = Hypercrossbar::new(vec![dimension(4), dimension(3)], node_link).unwrap();
    let crossbars = Topology::Hypercrossbar(crossbars);
    for waits in WAITS {
        check(&crossbars, spread([4, 3], 3, waits));
        let shape = [3, 4, 2];
        let grid = shape.map(|size| Side { size, closed: Closed::default() }).to_vec();
        let halo = Pattern(Arc::new(Halo::new(24, grid, Bytes(5), 3, waits).unwrap()));
        check(&torus(&shape, Wrap::Torus, Duration::from_ps(9)), halo);
    }
}

/// Rings and lines of two, as in a Tofu. Along a line both neighbors of a rank in a halo are the same one.
#[test]
fn lines_of_two() {
    let dimension = |(size, wrap)| Dimension {
        size,
        wrap,
        bandwidth: bandwidth(f64::from(size) * 0.5),
        latency: Duration::from_ps(700),
    };
    let shape = [(4, Wrap::Torus), (2, Wrap::Mesh), (3, Wrap::Torus), (2, Wrap::Mesh)];
    let node_link = NodeLink { bandwidth: bandwidth(2.0), latency: Duration::from_ps(3) };
    let dimensions = shape.map(dimension).to_vec();
    let topology = Topology::Torus(Torus::new(dimensions, Tie::Spread, node_link).unwrap());
    for waits in WAITS {
        let grid = shape.map(|(size, _)| Side { size, closed: Closed::default() }).to_vec();
        check(&topology, Pattern(Arc::new(Halo::new(48, grid, Bytes(5), 3, waits).unwrap())));
    }
    let pair = vec![dimension((5, Wrap::Torus)), dimension((2, Wrap::Mesh))];
    let pair = Topology::Torus(Torus::new(pair, Tie::Spread, node_link).unwrap());
    for waits in WAITS {
        check(&pair, spread([5, 2], 20, waits));
    }
}

#[test]
fn rings_and_shifts_on_a_ring() {
    let topology = torus(&[9], Wrap::Torus, Duration::from_ps(500));
    for waits in WAITS {
        check(&topology, Pattern(Arc::new(Permutation::ring(9, Bytes(4), 5, waits))));
        let algorithm = Algorithm::SimpleSpread;
        check(&topology, Pattern(Arc::new(AllToAll::new(9, Bytes(4), algorithm, waits).unwrap())));
    }
}

#[test]
fn machines_and_grids_that_are_not_the_same() {
    let is_some = |topology: &Topology, grid: &[u32]| Quotient::of(topology, grid).is_some();
    let torus_of = |wrap| torus(&[4, 3], wrap, Duration::ZERO);
    assert!(is_some(&torus_of(Wrap::Torus), &[4, 3]));
    assert!(is_some(&torus(&[4, 1, 3], Wrap::Torus, Duration::ZERO), &[4, 3]));
    assert!(!is_some(&torus_of(Wrap::Torus), &[3, 4]));
    assert!(!is_some(&torus_of(Wrap::Torus), &[12]));
    assert!(!is_some(&torus_of(Wrap::Mesh), &[4, 3]));
    assert!(!is_some(&crate::common::fat_tree(2), &[16]));
}

#[test]
fn a_limit_of_simulated_time_ends_the_run() {
    let topology = torus(&[4, 4], Wrap::Torus, Duration::ZERO);
    let limits = Limits { simulated: Time::from_ps(7_500_000_000_000), ..Limits::default() };
    let ended = quotient(&topology, &spread([4, 4], 1, Waits::FreeRunning), limits);
    assert_eq!(ended.limit.as_deref(), Some("limits.simulated_time = 7.5 s is over"));
    assert_eq!(ended.until, limits.simulated);
    assert!(ended.messages > 0 && ended.messages < 16 * 15);
}

/// The clock on the wall is looked at before the first step, so nothing has happened yet.
#[test]
fn a_limit_of_wall_time_ends_the_run() {
    let topology = torus(&[4, 4], Wrap::Torus, Duration::ZERO);
    let limits = Limits { wall: std::time::Duration::ZERO, ..Limits::default() };
    let ended = quotient(&topology, &spread([4, 4], 1, Waits::FreeRunning), limits);
    assert_eq!(ended.limit.as_deref(), Some("limits.wall_time = 0 s is over"));
    assert_eq!((ended.until, ended.messages, ended.cycles), (Time::ZERO, 0, 0));
}
