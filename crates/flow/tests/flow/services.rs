//! Service classes on flows, by hand: links of 1 B/s without latency, times in seconds.

use crate::common::{UNIT, torus};
use std::ops::RangeInclusive;
use std::sync::Arc;
use weir_flow::{Flow, FlowEnded, NodeModel};
use weir_network::{Fitting, Placement, RunContext, Selected, ServiceClass, ServiceClasses, Serving};
use weir_topology::{Topology, Wrap};
use weir_units::{Bytes, Duration, Rank};
use weir_workload::{Entry, Queue, Script};

fn class(name: &str, priority: u32, weight: u32, messages: Selected) -> ServiceClass {
    ServiceClass { name: name.into(), channels: 1, priority, weight, messages, control: false }
}

/// The messages of these ranks, from a size on.
fn of(ranks: RangeInclusive<u32>, from: u64) -> Selected {
    Selected::Fitting(Fitting { ranks: vec![ranks], from: Bytes(from), below: None })
}

/// Runs what each rank of a line of four sends: to whom, how much, how long it waits before. Returns when the last message has come.
fn play(classes: Vec<ServiceClass>, node: NodeModel, sends: &[&[(u32, u64, u64)]]) -> FlowEnded {
    let entry = |&(to, bytes, wait): &(u32, u64, u64)| Entry::Post {
        to: Rank(to),
        bytes: Bytes(bytes),
        wait: Duration::from_ps(wait * UNIT),
    };
    let entries = sends.iter().map(|sends| sends.iter().map(entry).collect()).collect();
    let mut programs = Queue::all(Arc::new(Script::new(entries).expect("all ranks exist")));
    let topology: Topology = torus(&[4], Wrap::Mesh, Duration::ZERO);
    let (placement, services) = (Placement::one_per_node(4), ServiceClasses::new(classes));
    let context = RunContext::new(&placement).services(services.as_ref());
    Flow::default().run(&topology, &[], &mut programs, &node, context)
}

/// How long the message of each class took, in seconds, where each has one.
fn taken(ended: &FlowEnded) -> Vec<f64> {
    ended.ended.services.iter().map(|counts| counts.latency.most().as_ps() as f64 / UNIT as f64).collect()
}

/// Ranks 0 and 1 send over the link from 1 to 2, 12 B each, with three times the weight for one: it has 3/4 B/s and takes 16 s, in which
/// the other one has sent 4 B; that has 1 B/s then.
#[test]
fn weights_divide_a_link() {
    let sends: [&[(u32, u64, u64)]; 4] = [&[(2, 12, 0)], &[(3, 12, 0)], &[], &[]];
    let node = NodeModel::default();
    let ended = play(vec![class("a", 0, 3, of(0..=0, 0)), class("b", 0, 1, Selected::Others)], node, &sends);
    assert_eq!(taken(&ended), [16.0, 24.0]);
    // Links have carried what they were given, whatever the weights.
    let carried: f64 = ended.link_bytes.iter().sum();
    assert!((carried - (12.0 * 4.0 + 12.0 * 4.0)).abs() < 1e-6, "{carried}");
    let alike = play(vec![class("a", 0, 5, of(0..=0, 0)), class("b", 0, 5, Selected::Others)], node, &sends);
    assert_eq!(taken(&alike), [24.0, 24.0]);
}

/// The higher priority has all of the link from 1 to 2 while it sends, from 4 s on for 6 s. The other one from 1 to 2 stands still meanwhile,
/// and one that leaves at 2 has what the first one leaves of the link from 2 to 3, which is all.
#[test]
fn a_higher_priority_shares_first() {
    let classes = || {
        vec![
            class("high", 7, 1, of(0..=0, 0)),
            class("low", 1, 1, of(1..=1, 0)),
            class("rest", 0, 1, Selected::Others),
        ]
    };
    let sends: [&[(u32, u64, u64)]; 4] = [&[(2, 6, 4)], &[(2, 12, 0)], &[(3, 12, 0)], &[]];
    let ended = play(classes(), NodeModel::default(), &sends);
    assert_eq!(taken(&ended), [6.0, 18.0, 12.0]);
    assert_eq!(ended.ended.at.as_ps(), 18 * UNIT);
    // The links back are others.
    let backwards: [&[(u32, u64, u64)]; 4] = [&[(2, 6, 4)], &[(0, 12, 0)], &[(1, 12, 0)], &[]];
    assert_eq!(taken(&play(classes(), NodeModel::default(), &backwards)), [6.0, 12.0, 12.0]);
}

/// Behind a message of 100 B a short one waits at an interface that serves in order; in another class it has half of the interface.
#[test]
fn classes_have_queues_of_their_own_at_interfaces() {
    let node = NodeModel { serving: Serving::InOrder, ..NodeModel::default() };
    let sends: [&[(u32, u64, u64)]; 4] = [&[(3, 100, 0), (2, 1, 0)], &[], &[], &[]];
    let ended =
        play(vec![class("bulk", 0, 1, of(0..=3, 50)), class("short", 0, 1, Selected::Others)], node, &sends);
    assert_eq!(taken(&ended), [101.0, 2.0]);
    let one = play(vec![class("all", 0, 1, Selected::Others)], node, &sends);
    assert!(one.ended.services.is_empty());
    assert_eq!(one.ended.at.as_ps(), 101 * UNIT);
}
