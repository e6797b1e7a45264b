use super::*;
use crate::harness::{Story, links, literal, max_min, mode_f, mode_n, settle, story, used};
use crate::progressive_filling::progressive_filling;
use proptest::prelude::*;

const THIRD: f64 = 1.0 / 3.0;

/// Rates of flows on `routes`, each rule against what it should give: max-min, Mode N with a tiny threshold (the same),
/// Mode N to the letter with the paper's threshold (the same on these networks), Mode F.
#[track_caller]
fn check(capacities: &[f64], routes: &[&[usize]], fair: &[f64], single_pass: &[f64]) {
    let slots = routes.len();
    for (mut rule, expected, tolerance) in [
        (max_min(capacities, slots), fair, 1e-15),
        (mode_n(capacities, slots, 1e-12), fair, 1e-10),
        (literal(capacities, slots, 0.01), fair, 1e-15),
        (mode_f(capacities, slots), single_pass, 1e-15),
    ] {
        let mut rates = vec![0.0; slots];
        for (slot, route) in routes.iter().enumerate() {
            rule.attach(slot, &links(route.iter().copied()), &[]);
        }
        settle(&mut rule, |slot, rate| rates[slot] = rate);
        for (rate, expected) in rates.iter().zip(expected) {
            assert!((rate - expected).abs() <= tolerance * expected, "{rates:?}, not {expected:?}: {rule:?}");
        }
    }
}

/// Paper 000, section 3.3: link 0 carries f0 and f1, link 1 carries f1 and two more; all capacities 1.
///   Mode F: f0 = 1/2, f1 = 1/3.   Mode N, max-min: link 0 has 1/2 - 1/3 = 1/6 to hand out, f0 = 2/3.
#[test]
fn the_example_of_step_5() {
    check(
        &[1.0, 1.0],
        &[&[0], &[0, 1], &[1], &[1]],
        &[2.0 * THIRD, THIRD, THIRD, THIRD],
        &[0.5, THIRD, THIRD, THIRD],
    );
}

/// The same, word for word: the 1/6 that f1 cannot use goes to f0 in one iteration; the next one finds nothing to hand
/// out. What divides it among all flows of the link is at 0.6615 when no flow changes by more than 1 %.
#[test]
fn the_literal_loop_hands_over_a_sixth_in_one_step() {
    let rate_of_f0 = |mut rule: Rule| {
        let mut rate = 0.0;
        for (slot, route) in [&[0][..], &[0, 1], &[1], &[1]].iter().enumerate() {
            rule.attach(slot, &links(route.iter().copied()), &[]);
        }
        let iterations = settle(&mut rule, |slot, reported| rate = if slot == 0 { reported } else { rate });
        (rate, iterations)
    };
    for scale in [1.0, 1024.0, 1.0 / 1024.0] {
        let (rate, iterations) = rate_of_f0(literal(&[scale; 2], 4, 0.01));
        assert!((rate / scale - 2.0 * THIRD).abs() < 1e-15 && iterations == 2, "{rate} {iterations}");
    }
    let (rate, iterations) = rate_of_f0(mode_n(&[1.0, 1.0], 4, 0.01));
    assert!((rate - 0.6615).abs() < 5e-5 && iterations == 5, "{rate} {iterations}");
}

/// What is left over goes in equal parts to flows that have had unequal ones. Link 0 carries a and b, link 1 carries a, c
/// and d, of which c and d have 0.1 from links of their own.
///   Equal parts: a = 1/3 (link 1), b = 1/2.   Left over: 1/6 of link 0, 7/15 of link 1.
///   Step 5: a and b get 1/12 each, a = 5/12, b = 7/12, and link 0 is full.   Max-min: 1/2 each.
#[test]
fn the_literal_loop_is_not_max_min() {
    let routes: [&[usize]; 4] = [&[0, 1], &[0], &[1, 2], &[1, 3]];
    for (mut rule, expected) in [
        (literal(&[1.0, 1.0, 0.1, 0.1], 4, 0.01), [5.0 / 12.0, 7.0 / 12.0, 0.1, 0.1]),
        (max_min(&[1.0, 1.0, 0.1, 0.1], 4), [0.5, 0.5, 0.1, 0.1]),
    ] {
        let mut rates = [0.0; 4];
        for (slot, route) in routes.iter().enumerate() {
            rule.attach(slot, &links(route.iter().copied()), &[]);
        }
        settle(&mut rule, |slot, rate| rates[slot] = rate);
        assert!(
            rates.iter().zip(expected).all(|(rate, expected)| (rate - expected).abs() < 1e-15),
            "{rates:?}"
        );
    }
}

/// Another flow takes over the very links of one that leaves: their shares do not change, but the flow is new.
#[test]
fn the_rate_of_a_new_flow_on_the_same_links_is_reported() {
    let (capacities, slots) = ([1.0; 2], 3);
    for mut rule in [
        max_min(&capacities, slots),
        mode_n(&capacities, slots, 0.01),
        literal(&capacities, slots, 0.01),
        mode_f(&capacities, slots),
    ] {
        let mut reported = Vec::new();
        rule.attach(0, &links([0, 1]), &[]);
        rule.attach(1, &links([0, 1]), &[]);
        settle(&mut rule, |_, _| ());
        rule.detach(0, 0.0);
        rule.attach(2, &links([0, 1]), &[]);
        settle(&mut rule, |slot, rate| reported.push((slot, rate)));
        assert_eq!(reported, [(2, 0.5)]);
    }
}

fn each_rule(story: &Story) -> [Rule; 3] {
    let Story { capacities, slots, .. } = story;
    [max_min(capacities, *slots), mode_n(capacities, *slots, 1e-9), mode_f(capacities, *slots)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// No link carries more than its capacity, whatever the rule and the threshold.
    #[test]
    fn no_link_above_capacity(story in story(1..30, 1..30)) {
        let Story { capacities, slots, .. } = &story;
        let more = [
            mode_n(capacities, *slots, 0.01),
            literal(capacities, *slots, 0.01),
            literal(capacities, *slots, 1e-12),
        ];
        for mut rule in each_rule(&story).into_iter().chain(more) {
            story.play(&mut rule, |rule, rates| {
                for (link, used) in rule.crossings().links.iter().zip(used(rule, rates)) {
                    assert!(used <= link.capacity * (1.0 + 1e-12), "{used} on {}", link.capacity);
                }
            });
        }
    }

    /// In max-min every flow has a bottleneck link: full, and no flow on it is faster.
    #[test]
    fn every_flow_has_a_bottleneck(story in story(1..30, 1..30)) {
        story.play(&mut max_min(&story.capacities, story.slots), |rule, rates| {
            let crossings = rule.crossings();
            let used = used(rule, rates);
            for slot in crossings.active() {
                let is_bottleneck = |number: usize| {
                    let link = &crossings.links[number];
                    let fastest =
                        crossings.seats[link.seats()].iter().map(|s| rates[s.slot as usize]).fold(0.0, f64::max);
                    used[number] >= link.capacity * (1.0 - 1e-12) && rates[slot] >= fastest * (1.0 - 1e-12)
                };
                assert!(crossings.route(slot).any(is_bottleneck), "flow {slot} could be faster: {rates:?}");
            }
        });
    }

    /// Mode F gives no flow more than max-min, and every flow what the emptiest division of its route gives.
    #[test]
    fn single_pass_is_never_faster(story in story(1..20, 1..20)) {
        story.play(&mut mode_f(&story.capacities, story.slots), |rule, rates| {
            let crossings = rule.crossings();
            let fair = progressive_filling(crossings, |_| true).rates;
            for slot in crossings.active() {
                let part = |link: usize| crossings.links[link].capacity / crossings.links[link].count() as f64;
                let lowest = crossings.route(slot).map(part).fold(f64::INFINITY, f64::min);
                assert_eq!(rates[slot], lowest);
                assert!(rates[slot] <= fair[slot] * (1.0 + 1e-12));
            }
        });
    }

    /// The literal loop leaves nothing over that a flow could use, gives no flow less than the equal parts it begins
    /// with, and ends: every iteration but the last fills a link.
    #[test]
    fn the_literal_loop_leaves_nothing_over(story in story(1..30, 1..30)) {
        let mut single_pass = mode_f(&story.capacities, story.slots);
        let mut equal_parts = Vec::new();
        story.play(&mut single_pass, |_, rates| equal_parts.push(rates.to_vec()));
        let mut equal_parts = equal_parts.iter();
        story.play(&mut literal(&story.capacities, story.slots, 1e-12), |rule, rates| {
            let crossings = rule.crossings();
            let used = used(rule, rates);
            let least = equal_parts.next().expect("both see every change");
            for slot in crossings.active() {
                assert!(rates[slot] >= least[slot]);
                let is_full = |link: usize| used[link] >= crossings.links[link].capacity * (1.0 - 1e-9);
                assert!(crossings.route(slot).any(is_full), "flow {slot} could be faster: {rates:?}");
            }
            let again = settle(&mut rule.clone(), |_, _| ());
            assert!(again <= crossings.links.len() as u64 + 1, "{again} iterations");
        });
    }

    /// The fixed point of Mode N is max-min.
    #[test]
    fn iterations_end_at_max_min(story in story(1..12, 1..12)) {
        story.play(&mut mode_n(&story.capacities, story.slots, 1e-13), |rule, rates| {
            let fair = progressive_filling(rule.crossings(), |_| true).rates;
            for slot in rule.crossings().active() {
                assert!((rates[slot] / fair[slot] - 1.0).abs() < 1e-6, "{rates:?} {fair:?}");
            }
        });
    }
}
