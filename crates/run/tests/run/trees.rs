//! Collectives along several trees: how long they take, by hand.

use crate::load;
use weir_run::run;

/// One collective on a machine.
fn of(operation: &str, machine: &str, keys: &str) -> String {
    format!("{machine}[workload]\nkind = 'collective'\noperation = '{operation}'\n{keys}\n")
}

fn torus(shape: &str, rest: &str) -> String {
    format!("[topology]\nkind = 'torus'\nshape = {shape}\nbandwidth = '1 GB/s'\n{rest}\n")
}

fn picoseconds(text: &str) -> u64 {
    run(&load(text).unwrap(), &mut |_| ()).unwrap().summary.simulated.as_ps()
}

/// Two parts of 1 MB go round a ring of five at 1 GB/s, one each way, in 100 segments of 10 us, down four links: 103 steps. One tree is
/// the same chain with all of it. Up to the root it takes as long. Segments leave one after the other.
#[test]
fn two_ways_round_a_ring() {
    let machine = torus("[5]", "[node]\nnics = 2\ninterface = 'in-order'");
    let of_trees = |operation: &str, trees: u32| {
        let keys = format!(
            "algorithm = 'disjoint-trees'\nmessage_size = '2 MB'\n[collectives]\n{operation}_trees = {trees}\n\
             {operation}_segment_size = '10 kB'"
        );
        picoseconds(&of(operation, &machine, &keys))
    };
    assert_eq!(of_trees("bcast", 2), 103 * 10_000_000);
    assert_eq!(of_trees("bcast", 1), 203 * 10_000_000);
    assert_eq!(of_trees("reduce", 2), 103 * 10_000_000);
    assert_eq!(of_trees("reduce", 1), 203 * 10_000_000);
}

/// On a torus of 4 x 4 x 4 with six interfaces, six parts of 2 MB in 200 segments of 10 us: no tree has more than 12 levels, so that all of
/// it, 12 MB, is there in 211 steps at most, at 5.7 GB/s of six, where segments leave one after the other. One interface takes 12 ms at least.
#[test]
fn six_interfaces_are_nearly_six_times_as_fast() {
    let keys =
        "algorithm = 'disjoint-trees'\nmessage_size = '12 MB'\n[collectives]\nbcast_segment_size = '10 kB'";
    let node = |nics| format!("[node]\nnics = {nics}\ninterface = 'in-order'");
    let time = |nics| picoseconds(&of("bcast", &torus("[4, 4, 4]", &node(nics)), keys));
    let six = time(6);
    assert!((200 * 10_000_000..=211 * 10_000_000).contains(&six), "{six}");
    assert!(time(1) >= 12_000_000_000);
}

/// An all-reduce uses each link upwards and downwards at a time, for different parts: twice 100 steps, and twice those of the levels.
#[test]
fn an_all_reduce_goes_up_and_down() {
    let keys = "algorithm = 'disjoint-trees'\nmessage_size = '2 MB'\n[collectives]\nallreduce_segment_size = '10 kB'";
    let time = picoseconds(&of("allreduce", &torus("[5]", "[node]\nnics = 2"), keys));
    assert!((2000..=2 * 1100).contains(&(time / 1_000_000)), "{time}");
}

/// Packets: the same ring, a message of many packets in each step. Two interfaces take little more than half as long as one.
#[test]
fn two_ways_round_a_ring_on_packets() {
    let of_nics = |nics: u32| {
        let machine = torus("[5]", &format!("[node]\nnics = {nics}\n[engine]\nkind = 'packet'"));
        let keys = "algorithm = 'disjoint-trees'\nmessage_size = '200 kB'\n[collectives]\nbcast_segment_size = '10 kB'";
        picoseconds(&of("bcast", &machine, keys)) as f64
    };
    let ratio = of_nics(2) / of_nics(1);
    assert!((0.45..0.65).contains(&ratio), "{ratio}");
}

/// Without a network nothing but the interface counts, of which a node has one: the root sends all parts once, 2 MB at 1 GB/s.
#[test]
fn on_the_ideal_engine() {
    let machine = "[engine]\nkind = 'ideal'\nbandwidth = '1 GB/s'\n";
    let keys = "ranks = 6\nalgorithm = 'disjoint-trees'\nmessage_size = '2 MB'\n[collectives]\ngrid = [3, 2]\n\
                bcast_segment_size = '1 kB'";
    let time = picoseconds(&of("bcast", machine, keys)) / 1_000_000;
    // No tree has more than five levels.
    assert!((2000..=2020).contains(&time), "{time}");
}
