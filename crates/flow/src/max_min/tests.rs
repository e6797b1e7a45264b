use super::*;
use crate::harness::{Story, links, story, used, weighted_story};
use crate::rule::Rule;
use proptest::prelude::*;

fn rule(capacities: &[f64], slots: usize) -> MaxMin {
    MaxMin::new(Crossings::new(capacities.iter().copied(), slots))
}

/// The invariants of the module, and agreement with progressive filling.
#[track_caller]
fn check_state(rule: &MaxMin, rates: &[f64]) {
    let crossings = &rule.crossings;
    let filled = progressive_filling(crossings, |_| true);
    for (slot, (&rate, expected)) in rates.iter().zip(filled.rates).enumerate() {
        assert!((rate - expected).abs() <= 1e-12 * expected, "slot {slot}: {rate}, not {expected}");
        let flow = &rule.flows[slot];
        assert_eq!(rate, flow.lowest);
        for hop in crossings.hops(slot) {
            let place = crossings.hops[hop];
            let link = &crossings.links[place.link as usize];
            assert_eq!(link.watched, flow.hops().contains(&hop), "watched links come first");
            if !link.watched {
                assert_eq!(link.share, f64::INFINITY);
                continue;
            }
            assert_eq!(crossings.levels[hop], link.share);
            let others = flow.hops().filter(|&other| other != hop).map(|other| crossings.levels[other]);
            assert_eq!(crossings.limits[place.seat as usize], others.fold(flow.bound, f64::min));
        }
    }
    assert_eq!((rule.queue.len(), rule.marked.len()), (0, 0), "nothing is left to look at");
    for (number, link) in crossings.links.iter().enumerate() {
        if !link.watched {
            assert!(!rule.can_fill(number), "link {number} is watched");
            continue;
        }
        let limits = &crossings.limits[link.seats()];
        let sum: f64 = limits.iter().map(|limit| limit.min(link.share)).sum();
        let tolerance = 1e-12 * link.capacity;
        if link.share < f64::INFINITY {
            assert!((sum - link.capacity).abs() <= tolerance, "level {} of {limits:?}", link.share);
        } else {
            assert!(link.count() == 1 || sum <= link.capacity + tolerance, "no level of {limits:?}");
        }
    }
}

/// Rates are those of progressive filling, the crowd of a link sits in its first seats, and other links of its flows have
/// room for their ceilings, which are above the level.
#[track_caller]
fn check_crowds(rule: &MaxMin) {
    let crossings = &rule.crossings;
    let filled = progressive_filling(crossings, |_| true);
    for slot in crossings.active() {
        let (rate, expected) = (rule.rate(slot), filled.rates[slot]);
        assert!((rate - expected).abs() <= 1e-12 * expected, "slot {slot}: {rate}, not {expected}");
    }
    let mut crowded = 0;
    for link in &crossings.links {
        for (place, seat) in link.seats().enumerate() {
            let Seat { slot, hop } = crossings.seats[seat];
            let in_crowd = rule.flows[slot as usize].crowded && rule.flows[slot as usize].first == hop;
            assert_eq!(in_crowd, place < link.crowd as usize);
            crowded += usize::from(in_crowd);
            if rule.flows[slot as usize].crowded && !in_crowd && link.watched {
                let own = crossings.hops[rule.flows[slot as usize].first as usize].link;
                let (ceiling, lowest) = (crossings.limits[seat], rule.ceilings[&own]);
                assert_eq!(link.share, f64::INFINITY);
                assert!(crossings.links[own as usize].share <= lowest && lowest <= ceiling);
            }
        }
        if link.watched && link.count() > 1 && link.share == f64::INFINITY {
            assert!(crossings.limits[link.seats()].iter().sum::<f64>() <= link.capacity * (1.0 + 1e-12));
        }
    }
    assert_eq!(crowded, rule.flows.iter().filter(|flow| flow.crowded).count());
}

fn play(story: &Story, rule: MaxMin) {
    story.play(&mut Rule::MaxMin(rule), |rule, rates| match rule {
        Rule::MaxMin(rule) => check_state(rule, rates),
        _ => unreachable!("the story is played on max-min"),
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn equals_progressive_filling_after_every_change(story in story(1..40, 1..60)) {
        play(&story, rule(&story.capacities, story.slots));
    }

    /// With crowds of few flows, which come, go and change all the time, and where all is filled from scratch in between.
    #[test]
    fn crowds_change_nothing(
        story in story(1..40, 1..60), crowd_from in 1usize..6, once in prop::option::of(0u64..4),
    ) {
        let crossings = Crossings::new(story.capacities.iter().copied(), story.slots);
        let mut max_min = MaxMin::with_crowds(crossings, crowd_from);
        if let Some(once) = once {
            max_min.allowance = Allowance { once, per_queued_link: 0 };
        }
        let mut rule = Rule::MaxMin(max_min);
        story.play(&mut rule, |rule, _| match rule {
            Rule::MaxMin(rule) => check_crowds(rule),
            _ => unreachable!("the story is played on max-min"),
        });
    }

    /// Whatever the incremental search does not finish is filled from scratch: here everything, or all but a little.
    #[test]
    fn falls_back_to_filling_from_scratch(story in story(1..20, 1..20), once in 0u64..4) {
        let mut rule = rule(&story.capacities, story.slots);
        rule.allowance = Allowance { once, per_queued_link: 0 };
        play(&story, rule);
    }
}

/// No link carries more than its capacity, and every flow has a link that is full and where no flow is faster, or one that it would fill
/// alone. This is what max-min means, whoever computes it.
#[track_caller]
fn check_fairness(rule: &Rule, rates: &[f64]) {
    let crossings = rule.crossings();
    let used = used(rule, rates);
    for (link, used) in crossings.links.iter().zip(&used) {
        assert!(*used <= link.capacity * (1.0 + 1e-9), "{used} on {}", link.capacity);
    }
    for slot in crossings.active() {
        let holds_back = |number: usize| {
            let link = &crossings.links[number];
            let fastest = crossings.seats[link.seats()].iter().map(|seat| rates[seat.slot as usize]);
            let fastest = fastest.fold(0.0, f64::max);
            used[number] >= link.capacity * (1.0 - 1e-9) && rates[slot] >= fastest * (1.0 - 1e-9)
        };
        assert!(crossings.route(slot).any(holds_back), "flow {slot} could be faster: {rates:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Parts of rates: max-min by its definition, and by progressive filling, whether a change is followed link by link, or all is
    /// filled from scratch.
    #[test]
    fn parts_of_rates_are_shared_fairly(
        story in weighted_story(1..30, 1..40), crowd_from in 1usize..6, once in prop::option::of(0u64..4),
    ) {
        let crossings = Crossings::new(story.capacities.iter().copied(), story.slots).weighted();
        let mut max_min = MaxMin::with_crowds(crossings, crowd_from);
        if let Some(once) = once {
            max_min.allowance = Allowance { once, per_queued_link: 0 };
        }
        story.play(&mut Rule::MaxMin(max_min), |rule, rates| {
            check_fairness(rule, rates);
            let filled = progressive_filling(rule.crossings(), |_| true);
            for (rate, expected) in rates.iter().zip(filled.rates) {
                assert!((rate - expected).abs() <= 1e-9 * expected, "{rate}, not {expected}");
            }
        });
    }

    /// Weights of 1 are no weights: the same rates to the last bit.
    #[test]
    fn whole_flows_are_shared_as_without_weights(story in story(1..30, 1..30)) {
        let crossings = || Crossings::new(story.capacities.iter().copied(), story.slots);
        let mut plain = Vec::new();
        story.play(&mut Rule::MaxMin(MaxMin::new(crossings())), |_, rates| plain.push(rates.to_vec()));
        let mut plain = plain.into_iter();
        let story = Story { weights: vec![1.0], ..story.clone() };
        story.play(&mut Rule::MaxMin(MaxMin::new(crossings().weighted())), |_, rates| {
            assert_eq!(Some(rates.to_vec()), plain.next());
        });
    }
}

/// Link 0 has 12 bytes per second for half of a, a quarter of b and all of c; link 1 has 2 for all of a, link 2 has 100 for b,
/// link 3 for c. a has 2 from link 1 and takes 1 of link 0; b and c share 11: 8.8 each. Without c, b is alone with what a leaves, 11, and takes 44.
#[test]
fn parts_of_rates_by_hand() {
    let mut rule = MaxMin::new(Crossings::new([12.0, 2.0, 100.0, 100.0], 3).weighted());
    rule.attach(0, &links([0, 1]), &[0.5, 1.0]);
    rule.attach(1, &links([0, 2]), &[0.25, 1.0]);
    rule.attach(2, &links([0, 3]), &[1.0, 1.0]);
    let mut rates = [0.0; 3];
    rule.settle(|slot, rate| rates[slot] = rate);
    assert_eq!(rates, [2.0, 8.8, 8.8]);
    rule.detach(2, 10.0);
    rule.settle(|slot, rate| rates[slot] = rate);
    assert_eq!(rates[..2], [2.0, 44.0]);
    rule.detach(1, 8.0);
    assert_eq!(rule.crossings.link_bytes, [12.0, 0.0, 8.0, 10.0]);
}

/// A change costs what changes: flows far away are not looked at.
#[test]
fn a_change_is_local() {
    let pairs = 1000;
    let mut rule = rule(&vec![1.0; pairs], 2 * pairs);
    for slot in 0..2 * pairs {
        rule.attach(slot, &links([slot / 2]), &[]);
    }
    assert_eq!(rule.settle(|_, _| ()), pairs as u64);
    rule.detach(77, 0.0);
    let mut reported = Vec::new();
    assert_eq!(rule.settle(|slot, rate| reported.push((slot, rate))), 1);
    assert_eq!(reported, [(76, 1.0)]);
}

/// Ties over and over: the torus in lock step, where many links tie to the last digit, once ended in a search without
/// end. Here a ring on which every flow goes half way round, changed in turn, with capacities that tie but for
/// rounding.
#[test]
fn tied_links_come_to_rest() {
    for nodes in [10, 16, 33, 64] {
        for wobble in [0.0, f64::EPSILON, 1e-15] {
            let capacities: Vec<f64> =
                (0..nodes).map(|link| 1.0 / 3.0 + wobble * f64::from(link as u8 % 3)).collect();
            let mut rule = rule(&capacities, nodes);
            let mut rates = vec![0.0; nodes];
            for round in 0..20 {
                for slot in (0..nodes).filter(|slot| round == 0 || slot % (round + 1) == 0) {
                    if round > 0 {
                        rule.detach(slot, 0.0);
                    }
                    let length = nodes / 2 - round % 3;
                    rule.attach(slot, &links((0..length).map(|hop| (slot + hop) % nodes)), &[]);
                }
                let relaxations = rule.settle(|slot, rate| rates[slot] = rate);
                assert!(relaxations < 5000, "{relaxations} relaxations");
                let filled = progressive_filling(&rule.crossings, |_| true);
                for (rate, expected) in rates.iter().zip(filled.rates) {
                    assert!((rate - expected).abs() <= 1e-12 * expected);
                }
            }
        }
    }
}
