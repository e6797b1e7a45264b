//! Cost of a change: rates would be right with more of it, so these are counts by hand.

use super::*;
use crate::harness::links;

fn rule(capacities: &[f64], slots: usize) -> MaxMin {
    MaxMin::new(Crossings::new(capacities.iter().copied(), slots))
}

/// All changes that settling reports, with the number of relaxations.
fn settled(rule: &mut MaxMin) -> (u64, Vec<RateChange>) {
    let mut changes = Vec::new();
    let relaxations = rule.settle_reporting(|change| changes.push(change));
    (relaxations, changes)
}

/// Five links of two flows each are one relaxation each. With an allowance of fewer the rest is filled from scratch, which
/// counts as one more; either way the rates are right, and nothing remains to look at.
#[test]
fn an_allowance_is_used_up_before_all_is_filled_from_scratch() {
    for (once, per_queued_link, expected) in
        [(0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 0, 4), (5, 0, 5), (0, 1, 5), (7, 1, 5), (1, 1, 5)]
    {
        let mut rule = rule(&[1.0; 5], 10);
        rule.allowance = Allowance { once, per_queued_link };
        for slot in 0..10 {
            rule.attach(slot, &links([slot / 2]), &[]);
        }
        let (relaxations, changes) = settled(&mut rule);
        assert_eq!(relaxations, expected, "{once} and {per_queued_link} for each link");
        assert_eq!(changes.len(), 10);
        assert!((0..10).all(|slot| rule.rate(slot) == 0.5));
        assert_eq!(settled(&mut rule).0, 0, "nothing is left to look at");
    }
}

/// Link 0 has a capacity of 1 for flows x and y, which get 1/2 each, unless `narrow` is less; x passes link 1 before it, and
/// y link 2, which is as narrow. Then z comes to link 1, and leaves it again. Each time: how many links are looked at.
#[track_caller]
fn check_visits(narrow: f64, of_link_1: f64, coming: u64, leaving: u64) {
    let mut rule = rule(&[1.0, of_link_1, narrow, 9.0], 3);
    rule.attach(0, &links([1, 0]), &[]);
    rule.attach(1, &links([2, 0]), &[]);
    assert_eq!(settled(&mut rule).0, 1, "only link 0 has two flows");
    rule.attach(2, &links([1, 3]), &[]);
    assert_eq!(settled(&mut rule).0, coming, "z comes to a link of {of_link_1}");
    rule.detach(2, 0.0);
    assert_eq!(settled(&mut rule).0, leaving, "z leaves a link of {of_link_1}");
    assert!(rule.deviation() < 1e-12);
}

/// A link is looked at again only when its level may move.
///
/// Level of link 0 | z on link 1 leaves x    | link 0 is looked at
/// ----------------|-------------------------|--------------------
/// 1/2             | 3/4, above it           | neither time
/// 1/2             | 1/2, the level itself   | neither time
/// 1/2             | 1/4, below it           | each time
/// none: 1/4, 1/4  | 1/8: it fills no more   | neither time: there is room for what x gets again
/// none: 1/2, 1/2  | 1/4: it fills no more   | when x gets more again, which might just fill it
#[test]
fn a_link_is_looked_at_if_its_level_may_move() {
    check_visits(9.0, 1.25, 1, 1);
    check_visits(9.0, 1.0, 1, 1);
    check_visits(9.0, 0.5, 2, 2);
    check_visits(0.25, 0.25, 1, 1);
    check_visits(0.5, 0.5, 1, 2);
}

/// x and y share link 0 and none fills it; y leaves: nothing was full. Then z comes to x's other link, and leaves it: x
/// has link 0 for itself, which is not looked at.
#[test]
fn a_link_with_one_flow_or_room_for_all_is_not_looked_at() {
    let mut rule = rule(&[1.0, 0.25, 0.25, 9.0], 3);
    rule.attach(0, &links([1, 0]), &[]);
    rule.attach(1, &links([2, 0]), &[]);
    assert_eq!(settled(&mut rule).0, 1);
    rule.detach(1, 0.0);
    assert_eq!(settled(&mut rule).0, 0, "link 0 was not full");
    rule.attach(2, &links([1, 3]), &[]);
    assert_eq!(settled(&mut rule).0, 1);
    rule.detach(2, 0.0);
    assert_eq!(settled(&mut rule).0, 1, "link 1 is looked at, link 0 has one flow");
    assert_eq!(rule.rate(0), 0.25);
}

/// Two levels that differ by rounding are one. Two flows share what x leaves of link 0, 3/8 each; then x leaves, and another
/// one comes whose own link is wider by a part. At any scale of capacities it is reported if their rates change by more
/// than 1e-13 of themselves.
#[test]
fn rounding_moves_no_level() {
    for scale in [1e-9, 1.0, 1e9] {
        for crowd_from in [usize::MAX, 2] {
            for (part, is_reported) in [(1e-14, false), (1e-12, true)] {
                let capacities = [scale, 0.25 * scale, 0.25 * scale * (1.0 + part)];
                let mut rule = MaxMin::with_crowds(Crossings::new(capacities, 4), crowd_from);
                rule.attach(0, &links([1, 0]), &[]);
                rule.attach(1, &links([0]), &[]);
                rule.attach(2, &links([0]), &[]);
                settled(&mut rule);
                rule.detach(0, 0.0);
                rule.attach(3, &links([2, 0]), &[]);
                let (relaxations, changes) = settled(&mut rule);
                assert_eq!(relaxations, 1);
                let is_of_link = |change: &RateChange| match change {
                    RateChange::Rate(slot, _) => *slot != 3,
                    RateChange::Crowd(change) => matches!(change, CrowdChange::Rate(0, _)),
                };
                let what = format!("{part} more at {scale}, crowds from {crowd_from}: {changes:?}");
                assert_eq!(changes.iter().any(is_of_link), is_reported, "{what}");
            }
        }
    }
}

/// Link 0 with so many flows that nothing else holds back, and others that have too narrow a link of their own.
fn gathered(crowd_from: usize, free: usize, held_back: usize) -> MaxMin {
    let slots = free + held_back;
    let mut capacities = vec![1.0];
    capacities.resize(1 + slots, 1e-3);
    let mut rule = MaxMin::with_crowds(Crossings::new(capacities, slots), crowd_from);
    for slot in 0..slots {
        let route = if slot < free { links([0]) } else { links([1 + slot, 0]) };
        rule.attach(slot, &route, &[]);
    }
    rule
}

/// A link has a crowd if it has so many flows and half of them, but two at least, may be in it.
#[test]
fn a_crowd_gathers() {
    for (crowd_from, free, held_back, expected) in [
        (4, 3, 0, 0), // too few flows
        (4, 4, 0, 4),
        (4, 5, 0, 5),
        (4, 1, 3, 0), // too few of them are free
        (4, 2, 2, 2),
        (4, 2, 9, 2),
        (12, 11, 0, 0),
        (12, 12, 0, 12),
        (12, 5, 7, 0),
        (12, 6, 6, 6),
        (13, 6, 7, 0), // half of them, rounded up
        (13, 7, 6, 7),
        (2, 1, 1, 0), // two at least
        (2, 2, 0, 2),
    ] {
        let mut rule = gathered(crowd_from, free, held_back);
        let (_, reported) = settled(&mut rule);
        let crowd = rule.crossings.links[0].crowd;
        assert_eq!(crowd, expected, "{free} and {held_back} flows, crowds from {crowd_from}");
        let crowd_changes = reported.iter().filter(|change| matches!(change, RateChange::Crowd(_))).count();
        // Each joins, and the rate of all is reported once.
        assert_eq!(crowd_changes as u32, if expected > 0 { expected + 1 } else { 0 });
        assert_eq!(
            reported.len() - crowd_changes,
            free + held_back - expected as usize,
            "the others have rates of their own"
        );
        assert!(rule.deviation() < 1e-12);
    }
}

/// A crowd of twelve stays while a quarter of them is there, and while nothing changes but the level only that is reported. The
/// last two are flows like others.
#[test]
fn a_crowd_dissolves() {
    let mut rule = gathered(12, 12, 0);
    settled(&mut rule);
    for left in (0..12).rev() {
        rule.detach(left, 0.0);
        let (relaxations, changes) = settled(&mut rule);
        let shown = format!("{left} are left: {changes:?}");
        assert_eq!(relaxations, u64::from(left > 0), "{shown}");
        let level = 1.0 / left as f64;
        match left {
            3.. => assert!(
                matches!(changes[..], [RateChange::Crowd(CrowdChange::Rate(0, rate))] if rate == level),
                "{shown}"
            ),
            2 => assert!(
                matches!(
                    changes[..],
                    [RateChange::Crowd(CrowdChange::Leave(_)), RateChange::Crowd(CrowdChange::Leave(_)), RateChange::Rate(_, a), RateChange::Rate(_, b)]
                        if (a, b) == (0.5, 0.5)
                ),
                "{shown}"
            ),
            1 => assert!(matches!(changes[..], [RateChange::Rate(0, 1.0)]), "{shown}"),
            _ => assert!(changes.is_empty(), "{shown}"),
        }
        assert_eq!(rule.crossings.links[0].crowd, if left >= 3 { left as u32 } else { 0 });
    }
}

/// Another flow for one that has left a crowd: it joins at the level that there is, and the rate is reported again for it.
#[test]
fn a_flow_joins_a_crowd_at_its_level() {
    let mut rule = gathered(4, 5, 0);
    settled(&mut rule);
    rule.detach(2, 0.0);
    rule.attach(2, &links([0]), &[]);
    let (relaxations, changes) = settled(&mut rule);
    assert_eq!(relaxations, 1);
    assert!(
        matches!(
            changes[..],
            [RateChange::Crowd(CrowdChange::Join(2, 0)), RateChange::Crowd(CrowdChange::Rate(0, rate))] if rate == 0.2
        ),
        "{changes:?}"
    );
    // Nothing comes or goes, and nothing is reported.
    rule.queue.add(0, &mut rule.crossings.links[0].queued);
    let (relaxations, changes) = settled(&mut rule);
    assert!(relaxations == 1 && changes.is_empty(), "{changes:?}");
}

/// Forty clients each have a flow to both servers. A flow that comes or goes changes the rates of forty, but only the link of its
/// server is looked at, and only its crowd reported: the links of clients have room. When few flows are left at a server they
/// fill the links of their clients, which are looked at then.
#[test]
fn links_with_room_are_left_alone() {
    let clients = 40;
    let mut rule = MaxMin::with_crowds(Crossings::new(vec![1.0; 2 + clients], 2 * clients), 8);
    let route = |slot: usize| links([2 + slot / 2, slot % 2]);
    (0..2 * clients).for_each(|slot| rule.attach(slot, &route(slot), &[]));
    settled(&mut rule);
    // When the links of clients have been looked at, flows find room there.
    for slot in [0, 1] {
        rule.detach(slot, 0.0);
        settled(&mut rule);
        rule.attach(slot, &route(slot), &[]);
        settled(&mut rule);
    }
    let crowds = |rule: &MaxMin| [0, 1].map(|server: usize| rule.crossings.links[server].crowd);
    assert_eq!(crowds(&rule), [40, 40]);
    let mut looked_at = 0;
    for left in (1..clients).rev() {
        rule.detach(2 * left, 0.0);
        let (relaxations, changes) = settled(&mut rule);
        assert!(rule.deviation() < 1e-12);
        if left > 10 {
            let level = 1.0 / left as f64;
            let only =
                matches!(changes[..], [RateChange::Crowd(CrowdChange::Rate(0, rate))] if rate == level);
            assert!(relaxations == 1 && only, "{left} are left: {changes:?}");
        }
        looked_at += relaxations;
    }
    assert_eq!(crowds(&rule), [0, 39], "the flow that is left fills the link of its client");
    assert!(looked_at < 60, "{looked_at} links");
}

/// Links whose flows all end on one link are watched only if they have less capacity than that one: else it is full first.
#[test]
fn links_before_a_narrower_one_are_not_watched() {
    for (capacity, watched) in [(0.5, true), (1.0, false), (2.0, false)] {
        let mut rule = rule(&[capacity, 1.0, 3.0], 3);
        (0..3).for_each(|slot| rule.attach(slot, &links([0, 1]), &[]));
        assert_eq!(rule.crossings.links[0].watched, watched, "{capacity} before 1");
        // The last link; and if the first may be full, that one, and then the last again, which is full no more.
        assert_eq!(settled(&mut rule).0, if watched { 3 } else { 1 });
        assert!(rule.deviation() < 1e-12);
        // A flow that ends elsewhere: now both may be.
        rule.detach(2, 0.0);
        rule.attach(2, &links([0, 2]), &[]);
        assert!(rule.crossings.links[0].watched);
    }
}
