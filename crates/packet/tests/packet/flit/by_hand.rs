//! The reference by itself: networks that can be computed with pencil and paper, and laws.

use super::{Journey, Message, Precedence, Settings, simulate};
use crate::machines::{Case, bandwidth, cases, fat_tree, grid};
use proptest::prelude::*;
use weir_packet::Dateline;
use weir_topology::{FatTreeRouting, Tie, Topology, Wrap};

/// Node cables of 7 ns, others of 10 ns.
fn line(routers: u32, wrap: Wrap, gb_per_s: u64, node_gb_per_s: u64) -> Topology {
    grid(&[routers], wrap, &[(gb_per_s, 10)], (node_gb_per_s, 7), Tie::Plus)
}

/// 3 ns from a packet's arrival to the switch, 5 ns through it.
fn settings(switch_gb_per_s: u64) -> Settings {
    Settings {
        flit: 2,
        mtu: 100,
        virtual_channels: 2,
        input_buffer: 4,
        round_trips: false,
        output_buffer: 2,
        precedence: Precedence::RoundRobin,
        pipeline: 3_000,
        turnaround: 0,
        switch_delay: 5_000,
        switch_bandwidth: bandwidth(switch_gb_per_s),
        credit_delay: None,
        packet_gap: 0.0,
        at_once: None,
        given_back_behind: None,
        vc_turnaround: None,
        dateline: Dateline::Crossing,
        injection_channels: 2,
    }
}

fn message(from: u32, to: u32, bytes: u64) -> Message {
    Message { at: 0, from, to, bytes }
}

fn journeys(topology: &Topology, settings: &Settings, messages: &[Message]) -> Vec<Journey> {
    simulate(topology, settings, messages).0
}

/// For each packet: when its head and tail enter each link, and when they arrive, in nanoseconds.
#[track_caller]
fn check(topology: &Topology, settings: &Settings, messages: &[Message], expected: &[&[(u64, u64)]]) {
    let found = journeys(topology, settings, messages);
    let ns = |(head, tail): (u64, u64)| {
        assert_eq!((head % 1000, tail % 1000), (0, 0), "whole nanoseconds");
        (head / 1000, tail / 1000)
    };
    let times = |j: &Journey| -> Vec<_> {
        j.passages.iter().map(|p| ns((p.head, p.tail))).chain([ns(j.arrived)]).collect()
    };
    assert_eq!(found.iter().map(times).collect::<Vec<_>>(), expected);
}

/// Two node cables, four routers, three cables between them, and 100 bytes: 14 + 32 + 30 + 100 ns.
#[test]
fn an_idle_route() {
    let expected: &[_] = &[(0, 100), (15, 115), (33, 133), (51, 151), (69, 169), (76, 176)];
    check(&line(4, Wrap::Mesh, 1, 1), &settings(1), &[message(0, 3, 100)], &[expected]);
}

/// A packet without bytes takes the time of one byte.
#[test]
fn an_empty_message() {
    let expected: &[_] = &[(0, 1), (15, 16), (33, 34), (40, 41)];
    check(&line(2, Wrap::Mesh, 1, 1), &settings(1), &[message(0, 1, 0)], &[expected]);
}

/// 8 bytes at 1, 2, 1 B/ns. The head enters the first router at 7 and the switch at 10, the tail follows it at 15; so it
/// leaves at 20, not at 15 + 4. At the second router the switch takes 28 to 32, the slow link from 33 on 8 ns.
#[test]
fn the_tail_does_not_overtake_the_slowest_link() {
    let expected: &[_] = &[(0, 8), (15, 20), (33, 41), (40, 48)];
    check(&line(2, Wrap::Mesh, 2, 1), &settings(2), &[message(0, 1, 8)], &[expected]);
}

/// A slow switch between fast links: 8 bytes at 4, 1, 4 B/ns. In the first switch from 10 to 18, in the second, where the
/// head is at 25 and the tail at 33, from 28 to 36.
#[test]
fn a_slow_switch() {
    let expected: &[_] = &[(0, 2), (15, 23), (33, 41), (40, 48)];
    check(&line(2, Wrap::Mesh, 4, 4), &settings(1), &[message(0, 1, 8)], &[expected]);
}

/// The only place of the first router is free when the tail has entered the switch, at 15, for the NIC 2 ns later; that of
/// the second router is free at 32, for the first one at 34 instead of 27.
///
/// With places given back behind the first flit of 2 bytes, which is in the switch for 1 ns, that of the first router is free
/// at 11, for the NIC at 13, that of the second at 29, for the first one at 31. The switch there was free at 23 already,
/// when the second packet was ready.
#[test]
fn a_packet_waits_for_its_credit() {
    let first: &[_] = &[(0, 8), (15, 20), (33, 41), (40, 48)];
    let packet: &[_] = &[(17, 25), (39, 43), (57, 65), (64, 72)];
    let flit: &[_] = &[(13, 21), (36, 40), (54, 62), (61, 69)];
    for (given_back_behind, second) in [(None, packet), (Some(2), flit)] {
        let settings = Settings { mtu: 8, virtual_channels: 1, input_buffer: 1, ..settings(2) };
        let settings = Settings { credit_delay: Some(2_000), given_back_behind, ..settings };
        check(&line(2, Wrap::Mesh, 2, 1), &settings, &[message(0, 1, 16)], &[first, second]);
    }
}

/// The tail of the first packet leaves the first input buffer at 15. The second one could go at 18, but not from the same
/// virtual channel before 20. At the second router it is at 35, and the first has left at 32.
#[test]
fn a_packet_waits_for_the_one_before_it_to_turn_away() {
    let topology = line(2, Wrap::Mesh, 2, 1);
    let settings = |virtual_channels| Settings { mtu: 8, virtual_channels, turnaround: 5_000, ..settings(2) };
    let first: &[_] = &[(0, 8), (15, 20), (33, 41), (40, 48)];
    let behind: &[_] = &[(8, 16), (25, 29), (43, 51), (50, 58)];
    check(&topology, &settings(1), &[message(0, 1, 16)], &[first, behind]);
    let beside: &[_] = &[(8, 16), (23, 28), (41, 49), (48, 56)];
    check(&topology, &settings(2), &[message(0, 1, 16)], &[first, beside]);
}

/// A fast NIC and switch before a slow link: 100 bytes in 10 ns and in 100 ns. The first packet leaves the output buffer
/// at 115. With one place there, the second is granted so that its head gets there just then, at 110, although it could
/// have been at 20. It keeps the only place of its virtual channel until 120 or 30, and the fourth packet waits for that.
#[test]
fn a_packet_waits_for_room_in_the_output_buffer() {
    let topology = line(2, Wrap::Mesh, 1, 10);
    let fourth_starts = |output_buffer| {
        let settings = Settings { input_buffer: 1, credit_delay: Some(0), output_buffer, ..settings(10) };
        journeys(&topology, &settings, &[message(0, 1, 400)])[3].passages[0].head
    };
    assert_eq!([1, 2].map(fourth_starts), [120_000, 30_000]);
}

/// Gaps of half a packet and of two packets at the NIC.
#[test]
fn gaps_between_packets() {
    let topology = line(2, Wrap::Mesh, 10, 1);
    let starts = |packet_gap| {
        let settings = Settings { packet_gap, ..settings(10) };
        let found = journeys(&topology, &settings, &[message(0, 1, 250)]);
        found.iter().map(|j| j.passages[0].head / 1000).collect::<Vec<_>>()
    };
    assert_eq!(starts(0.5), [0, 150, 300]);
    assert_eq!(starts(2.0), [0, 300, 600]);
}

/// Two packets for node 1 reach its router at the same instant, one from node 0 and one from node 2. A second one of node
/// 0 is there when the first has passed.
fn meeting(precedence: Precedence) -> Vec<usize> {
    let topology = grid(&[3], Wrap::Mesh, &[(1, 10)], (1, 7), Tie::Plus);
    let messages = [message(2, 1, 100), message(0, 1, 200), message(1, 0, 100)];
    let settings = Settings { precedence, virtual_channels: 1, ..settings(1) };
    simulate(&topology, &settings, &messages).1.arrivals
}

/// Packets 0 (of node 2), 1 and 2 (of node 0), 3 (of node 1, which meets no other). With round robin lane 0, the one of node
/// 0, counts as the last winner at first, so it is the turn of node 2. Of two packets equally old, or with a fixed
/// priority, that in lane 0 goes first; then the older one, or again the one in lane 0.
#[test]
fn who_goes_first() {
    assert_eq!(meeting(Precedence::RoundRobin), [3, 0, 1, 2]);
    assert_eq!(meeting(Precedence::OldestFirst), [3, 1, 0, 2]);
    assert_eq!(meeting(Precedence::FixedPriority), [3, 1, 2, 0]);
}

/// Four packets of node 0 (0 to 3) pass the router of node 1, which sends four itself (4 to 7), to node 2.
fn own_and_passing(precedence: Precedence) -> Vec<usize> {
    let topology = grid(&[3], Wrap::Mesh, &[(1, 10)], (1, 10), Tie::Plus);
    let messages = [message(0, 2, 400), message(1, 2, 400)];
    let settings = Settings { precedence, virtual_channels: 1, input_buffer: 4, ..settings(10) };
    let found = journeys(&topology, &settings, &messages);
    let mut order: Vec<_> = (0..found.len()).collect();
    order.sort_by_key(|&packet| found[packet].passages.last().expect("it arrived").head);
    order
}

/// The router has packets of both from its third grant on: those of the other kind then wait until no more are there.
#[test]
fn a_router_prefers_those_that_pass_or_its_own() {
    assert_eq!(own_and_passing(Precedence::RoundRobin), [4, 0, 5, 1, 6, 2, 7, 3]);
    assert_eq!(own_and_passing(Precedence::TransitFirst), [4, 0, 5, 1, 2, 3, 6, 7]);
    assert_eq!(own_and_passing(Precedence::InjectionFirst), [4, 0, 5, 6, 7, 1, 2, 3]);
}

/// In a ring of four with two virtual channels: class 1 until the wrap-around link is passed, or on all links of a route that passes
/// it. Injection (any channel), links between routers, ejection (none).
#[test]
fn virtual_channels_change_where_the_ring_closes() {
    let topology = line(4, Wrap::Torus, 1, 1);
    let check = |dateline, (from, to), expected: &[usize]| {
        let settings = Settings { dateline, ..settings(1) };
        let found = journeys(&topology, &settings, &[message(from, to, 100)]);
        let channels: Vec<_> = found[0].passages.iter().map(|p| p.channel).collect();
        assert_eq!(channels, expected, "{dateline:?}, {from} to {to}");
    };
    for dateline in [Dateline::Crossing, Dateline::Dimension] {
        check(dateline, (1, 3), &[1, 0, 0, 0]);
        check(dateline, (2, 0), &[1, 1, 1, 0]);
        check(dateline, (0, 3), &[1, 1, 0]);
        check(dateline, (1, 0), &[1, 0, 0]);
    }
    check(Dateline::Crossing, (3, 1), &[1, 1, 0, 0]);
    check(Dateline::Dimension, (3, 1), &[1, 1, 1, 0]);
}

/// Five routers: leaf, middle, top, middle, leaf.
#[test]
fn over_the_top_of_a_fat_tree() {
    let topology = fat_tree(4, &[(1, 10)], (1, 7), FatTreeRouting::DestinationMod);
    let arrived = journeys(&topology, &settings(1), &[message(0, 15, 100)])[0].arrived;
    assert_eq!(arrived, (94_000, 194_000));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Everything arrives, credits come back and no buffer overflows (both are asserted), heads before tails, and no
    /// link carries more than it can.
    #[test]
    fn everything_arrives(Case { topology, settings, messages } in cases()) {
        let (found, order) = simulate(&topology, &settings, &messages);
        let packets: u64 = messages.iter().map(|m| m.bytes.div_ceil(settings.mtu).max(1)).sum();
        prop_assert_eq!(found.len() as u64, packets);
        prop_assert_eq!(order.arrivals.len() as u64, packets);
        // One packet may be on its way out, with its place given back.
        let shared = usize::from(settings.given_back_behind.is_some());
        let room = |link| settings.room(&topology, weir_units::LinkId::new(link));
        let places = shared + (0..topology.links()).map(room).max().unwrap_or(0);
        prop_assert!(order.fullest.0 <= places && order.fullest.1 <= settings.output_buffer);
        for journey in &found {
            prop_assert!(journey.passages.iter().all(|p| p.head < p.tail));
            prop_assert!(journey.passages.windows(2).all(|p| p[0].head < p[1].head && p[0].tail < p[1].tail));
            prop_assert!(journey.passages[0].head >= messages[journey.message].at);
        }
    }

    /// The size of flits changes nothing: packets of one flit obey the same rule.
    #[test]
    fn flits_of_any_size(Case { topology, settings, messages } in cases(), flit in 1..=8_u64) {
        let whole = Settings { flit: settings.mtu, ..settings.clone() };
        let small = Settings { flit, ..settings };
        prop_assert_eq!(journeys(&topology, &whole, &messages), journeys(&topology, &small, &messages));
    }
}
