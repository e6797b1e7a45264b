use super::*;
use crate::crossings::Crossings;
use crate::detours::Pair;
use crate::harness::links;
use crate::max_min::MaxMin;
use std::ops::ControlFlow;
use weir_units::LinkId;

fn with_crowds(capacities: &[f64], slots: usize, crowd_from: usize) -> Rule {
    let crossings = Crossings::new(capacities.iter().copied(), slots);
    Rule::MaxMin(MaxMin::with_crowds(crossings, crowd_from))
}

/// A simple generator of small numbers, the same on every machine.
fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// The ways of an incast of so many nodes.
struct ToOneNode {
    nodes: usize,
}

impl Ways for ToOneNode {
    fn find(&mut self, slot: usize, _: NodeId, route: &mut Shares, _: &mut Pair) -> ControlFlow<()> {
        route.links = if slot % 5 == 4 { links([slot]) } else { links([slot, self.nodes]) };
        ControlFlow::Continue(())
    }

    fn take(&mut self, _: usize, _: &mut Shares) {}

    fn around(&mut self, _: usize, _: NodeId) -> Vec<Vec<LinkId>> {
        unreachable!("no rule weighs queues here")
    }
}

/// All but a fifth send to slot 0's node, messages of sizes that all differ, a quarter of them by so little that they finish together, some nodes two: with crowds every flow finishes
/// at the picosecond at which it does without. Three nodes send from the beginning, the others from when the first of these
/// is done: then flows join the crowd that have known when they would finish.
#[test]
fn an_incast_with_crowds_is_an_incast() {
    let nodes = 40;
    let capacities = vec![1e9; nodes + 1];
    let finishes = |crowd_from| {
        let mut flows = Flows::new(
            with_crowds(&capacities, nodes, crowd_from),
            capacities.len(),
            Compare::No,
            KeepCycles::No,
        );
        let mut left: Vec<usize> = (0..nodes).map(|slot| 1 + slot % 2).collect();
        let mut idle: Vec<usize> = (0..3).collect();
        let mut late: Vec<usize> = (3..nodes).collect();
        let (mut now, mut seen, mut state) = (Time::ZERO, Vec::new(), 7);
        loop {
            for slot in idle.drain(..) {
                if left[slot] > 0 {
                    left[slot] -= 1;
                    let size = match draw(&mut state) {
                        near if near % 4 == 0 => 1e6 + (near % 100) as f64 * 1e-5,
                        any => (1 + any % 1_000_000) as f64,
                    };
                    flows.start(slot, size, NodeId(0), now);
                }
            }
            flows.share(now, &mut ToOneNode { nodes });
            let Some(next) = flows.next_finish() else { break };
            now = next;
            idle.extend(flows.finished(now).iter().map(|&slot| slot as usize));
            idle.iter().for_each(|&slot| {
                flows.finish(slot, now);
                seen.push((slot, now));
            });
            idle.append(&mut late);
        }
        (seen, flows.iterations)
    };
    let (expected, _) = finishes(usize::MAX);
    assert_eq!(expected.len(), nodes + nodes / 2);
    assert_eq!(finishes(4).0, expected);
}
