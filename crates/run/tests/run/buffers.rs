//! Buffers and their links: without a value they carry them, and a value that does not is named.

use crate::load;
use weir_run::run;
use weir_units::Duration;

/// Each node of the first leaf of a tree sends to one of the second leaf, or to its neighbor below a single switch; no message meets another.
fn alone(stages: &str, distance: u32, link: (u64, u64), size: u64) -> String {
    let (gbit, ns) = link;
    format!(
        "[topology]\nkind = 'fat-tree'\nstages = {stages}\nbandwidth = '{gbit} Gb/s'\nlatency = '{ns} ns'\n[workload]\n\
         kind = 'permutation'\npermutation = 'shift'\ndistance = {distance}\nmessage_size = '{size} B'\n"
    )
}

/// From 10 Gb/s x 100 ns to 800 Gb/s x 20 us, messages of 10 MB or ten times what a link carries in the time there and back: the packet
/// engine takes at most 5 % longer than the flow engine. Through one virtual channel, too.
#[test]
fn messages_that_meet_no_other_take_as_long_as_by_flow() {
    for gbit in [10, 25, 100, 200, 400, 800] {
        for ns in [100, 300, 1_000, 5_000, 20_000] {
            let size = 10_000_000.max(10 * gbit * 2 * ns / 8);
            let text = alone("[2]", 1, (gbit, ns), size);
            let run = |more: &str| {
                let scenario = load(&format!("{text}{more}")).unwrap();
                assert_eq!(scenario.warnings(), Vec::<String>::new());
                run(&scenario, &mut |_| {}).unwrap().summary.simulated.as_ps() as f64
            };
            let packet = "[engine]\nkind = 'packet'\nthreads = 1\n";
            let flow = run("");
            for packets in [run(packet), run(&format!("{packet}[packet]\nvirtual_channels = 1\n"))] {
                let ratio = packets / flow;
                assert!((1.0..1.05).contains(&ratio), "{gbit} Gb/s, {ns} ns: {ratio}");
            }
        }
    }
}

/// Sixteen packets of 256 B in two virtual channels: a round trip is 140 + 500 + 6 + 5.12 (in a crossbar of twice the link) + 500 =
/// 1,151.12 ns between switches, in which 200 Gb/s carry 28.778 kB, 112.4 packets; and 140 ns less from nodes.
#[test]
fn buffers_that_are_too_small_are_named() {
    let tree = alone("[4, 2]", 2, (200, 500), 1_000_000);
    let packet = "[engine]\nkind = 'packet'\n[packet]\nmtu = '256 B'\n";
    let said = |more: &str| load(&format!("{tree}{packet}{more}")).unwrap().warnings();
    let expected = "the buffers of leaf 0 -> top 0 hold 8.192 kB, a round trip of a credit carries 28.78 kB: at most 28 % of its bandwidth; \
                    11 others of 12 links are held up as well; packet.input_buffer = 57 would carry all";
    assert_eq!(said("input_buffer = 16\n"), [expected]);
    assert_eq!(said("input_buffer = '4 KiB'\n"), [expected]);
    // From 95 % on nothing is said.
    assert_eq!(said("input_buffer = 54\n"), Vec::<String>::new());
    assert!(
        said("input_buffer = 53\n")[0].contains("at most 94 % of its bandwidth; 7 others of 12 links"),
        "{:?}",
        said("input_buffer = 53\n")
    );
    // As large as their links need them, unless said.
    assert_eq!(said(""), Vec::<String>::new());
    // It is in the summary; what would do does, and the run is as much faster.
    let run = |more: &str| {
        let summary = run(&load(&format!("{tree}{packet}{more}")).unwrap(), &mut |_| {}).unwrap().summary;
        (summary.simulated.as_ps() as f64, summary)
    };
    let ((slow, summary), (fast, right)) = (run("input_buffer = 16\n"), run("input_buffer = 57\n"));
    assert_eq!(summary.warnings, [expected]);
    assert_eq!(right.warnings, Vec::<String>::new());
    assert!((2.9..3.52).contains(&(slow / fast)), "{}", slow / fast);
    let stall =
        |summary: &weir_record::Summary| summary.link_use.busiest[0].count.traffic.unwrap().mean_stall();
    assert_eq!(stall(&right), Duration::ZERO);
}

/// Below one switch 32 packets have room, and take 327.68 ns; their places are taken for 500 + 6 + 5.12 + 500 = 1,011.12 ns. So each round
/// of them waits 683.44 ns for credits, 21.36 ns for each packet, at the interface, where the summary says so.
#[test]
fn waiting_for_credits_at_interfaces_is_counted() {
    let text = alone("[2]", 1, (200, 500), 1_000_000)
        + "[engine]\nkind = 'packet'\n[packet]\nmtu = '256 B'\ninput_buffer = 16\n";
    let links = run(&load(&text).unwrap(), &mut |_| {}).unwrap().summary.link_use;
    let injection = links.busiest.iter().find(|link| link.name == "node 0 -> leaf 0").unwrap();
    let packets = injection.count.traffic.unwrap();
    assert_eq!(packets.waited, Duration::ZERO);
    let stall = packets.mean_stall().as_ps() as f64;
    assert!((stall / 21_357.5 - 1.0).abs() < 0.01, "{stall}");
    // That is no link which others wait for.
    assert_eq!(links.most_contended, None);
}

/// Links of 10 and of 800 Gb/s, 20 us and 100 ns on one machine: each buffer is as large as its own link needs it, so that nothing is held
/// up, and the number of threads makes no difference.
#[test]
fn each_link_has_the_buffer_that_it_needs() {
    let text = "[topology]\nkind = 'torus'\nshape = [12, 8]\nbandwidth = ['10 Gb/s', '800 Gb/s']\nlatency = ['100 ns', '20 us']\n\
                [node]\nnic_bandwidth = '100 Gb/s'\nlink_latency = '300 ns'\n[engine]\nkind = 'packet'\n[workload]\n\
                kind = 'all-to-all'\nalgorithm = 'simple-spread'\nmessage_size = '20 kB'\n";
    let digest = |threads: u32| {
        let scenario =
            load(&text.replace("'packet'\n", &format!("'packet'\nthreads = {threads}\n"))).unwrap();
        assert_eq!(scenario.warnings(), Vec::<String>::new());
        run(&scenario, &mut |_| {}).unwrap().summary.digest
    };
    assert_eq!(digest(1), digest(2));
}
