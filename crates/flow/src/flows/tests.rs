use super::*;
use crate::crossings::Crossings;
use crate::harness::links;
use crate::max_min::MaxMin;
use crate::progressive_filling::progressive_filling;
use weir_units::Bytes;

/// Links of an n x n torus (per router: x forward, x back, y forward, y back, in, out), and the route in the order of
/// dimensions, the shorter way.
fn torus_route(n: usize, from: usize, to: usize) -> Vec<LinkId> {
    let mut at = [from % n, from / n];
    let end = [to % n, to / n];
    let link = |at: [usize; 2], way: usize| 6 * (at[0] + n * at[1]) + way;
    let mut route = vec![link(at, 4)];
    for axis in 0..2 {
        while at[axis] != end[axis] {
            let forward = (end[axis] + n - at[axis]) % n <= n / 2;
            route.push(link(at, 2 * axis + usize::from(!forward)));
            at[axis] = (at[axis] + if forward { 1 } else { n - 1 }) % n;
        }
    }
    route.push(link(at, 5));
    links(route.iter().copied())
}

fn with_crowds(capacities: &[f64], slots: usize, crowd_from: usize) -> Rule {
    let crossings = Crossings::new(capacities.iter().copied(), slots);
    Rule::MaxMin(MaxMin::with_crowds(crossings, crowd_from))
}

/// A simple generator of small numbers, the same on every machine.
fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Simple spread on an n x n torus, every node on its own, to the end. After every change the rates are those of
/// progressive filling; at the end every link has carried what it was given.
///
/// Once as it is, and once with crowds of three flows on: they change nothing but when the last picosecond is counted.
fn check(n: usize, capacity: impl Fn(u64) -> f64, bytes: impl Fn(u64) -> u64) {
    check_with_crowds(n, usize::MAX, &capacity, &bytes);
    check_with_crowds(n, 3, &capacity, &bytes);
}

fn check_with_crowds(n: usize, crowd_from: usize, capacity: &dyn Fn(u64) -> f64, bytes: &dyn Fn(u64) -> u64) {
    let nodes = n * n;
    let mut state = n as u64;
    let capacities: Vec<f64> = (0..6 * nodes).map(|_| capacity(draw(&mut state))).collect();
    let mut flows = Flows::new(
        with_crowds(&capacities, nodes, crowd_from),
        capacities.len(),
        Compare::No,
        KeepCycles::No,
    );
    let mut step = vec![0; nodes];
    let mut expected = vec![0.0; 6 * nodes];
    let mut idle: Vec<usize> = (0..nodes).collect();
    let mut now = Time::ZERO;
    loop {
        for slot in idle.drain(..) {
            step[slot] += 1;
            if step[slot] < nodes {
                let to = (slot + step[slot]) % nodes;
                let size = Bytes(bytes(draw(&mut state)));
                for link in torus_route(n, slot, to) {
                    expected[link.index()] += size.as_f64();
                }
                flows.start(slot, size.as_f64(), NodeId::new(to), now);
            }
        }
        flows.share(now, |slot, to, route| {
            *route = torus_route(n, slot, to.index());
            ControlFlow::Continue(())
        });
        let filled = progressive_filling(flows.rule.crossings(), |_| true);
        for slot in flows.rule.crossings().active() {
            let (rate, expected) = (flows.rate(slot), filled.rates[slot]);
            assert!(
                (rate - expected).abs() <= 1e-12 * expected,
                "{rate}, not {expected}, for slot {slot} at {now}"
            );
        }
        let Some(next) = flows.next_finish() else { break };
        now = next;
        idle.extend(flows.finished(now).iter().map(|&slot| slot as usize));
        idle.iter().for_each(|&slot| flows.finish(slot, now));
    }
    assert_eq!(step, vec![nodes; nodes]);
    assert_eq!(flows.rule.crossings().link_bytes, expected);
    assert_eq!(flows.active(), 0);
}

#[test]
fn equal_capacities_and_sizes() {
    (2..=9).for_each(|n| check(n, |_| 1.0, |_| 1));
}

#[test]
fn integer_capacities_tie_often() {
    (3..=8).for_each(|n| check(n, |x| (1 + x % 3) as f64, |_| 6));
}

#[test]
fn real_capacities() {
    (3..=7).for_each(|n| check(n, |x| 0.5 + (x % 1000) as f64 / 500.0, |_| 1));
}

#[test]
fn random_sizes() {
    (3..=7).for_each(|n| check(n, |_| 1e9, |x| 1 + x % 100_000));
}

#[test]
fn real_capacities_and_random_sizes() {
    (3..=7).for_each(|n| check(n, |x| 1e9 + x as f64, |x| 1 + x % 100_000));
}

/// All send to slot 0's node, messages of sizes that all differ, some nodes two of them: with crowds every flow finishes
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
                    flows.start(slot, (1 + draw(&mut state) % 1_000_000) as f64, NodeId(0), now);
                }
            }
            flows.share(now, |slot, _, route| {
                *route = links([slot, nodes]);
                ControlFlow::Continue(())
            });
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
