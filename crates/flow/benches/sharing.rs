//! Whole runs: what a message costs where sharing matters. `cargo bench -p weir-flow [-- WORD]` runs the cases whose
//! name contains the word; as a test (`cargo test --benches`) the cases are tiny. This is for work on the engine: `make
//! bench` measures whole processes.
#![allow(missing_docs, dead_code, clippy::print_stdout)]

#[path = "../tests/flow/common.rs"]
mod common;

use common::{fat_tree, play_placed, torus};
use std::time::Instant;
use weir_flow::Sharing;
use weir_network::Placement;
use weir_topology::{Generator, Topology, Wrap, mapping};
use weir_units::{Bytes, Duration};
use weir_workload::{Algorithm, AllToAll, Permutation, Steps};

const MODE_N: Sharing = Sharing::Iterative { threshold: 0.01 };

struct Case {
    name: &'static str,
    topology: Topology,
    placement: Placement,
    pattern: Pattern,
    sharing: Sharing,
}

enum Pattern {
    AllToAll(Algorithm),
    RandomRing,
}

fn regular(topology: &Topology) -> Placement {
    Placement::one_per_node(topology.nodes())
}

fn random(topology: &Topology) -> Placement {
    Placement::new(mapping::random(topology.nodes(), 1, topology.nodes(), 1, Generator::Lcg))
}

fn cases(tiny: Tiny) -> Vec<Case> {
    use Algorithm::{Pairwise, SimpleSpread};
    use Pattern::{AllToAll, RandomRing};
    let size = |real, small| if tiny == Tiny::Yes { small } else { real };
    let square = |n| torus(&[n, n], Wrap::Torus, Duration::ZERO);
    let big = || fat_tree(size(8, 2));
    let bigger = || fat_tree(size(12, 2));
    let t16 = || square(size(16, 4));
    let case = |name, topology: Topology, place: fn(&Topology) -> Placement, pattern, sharing| {
        let placement = place(&topology);
        Case { name, topology, placement, pattern, sharing }
    };
    vec![
        case("ft:8 random simple-spread max-min", big(), random, AllToAll(SimpleSpread), Sharing::MaxMin),
        case("ft:8 random pairwise max-min", big(), random, AllToAll(Pairwise), Sharing::MaxMin),
        case("ft:8 random simple-spread F", big(), random, AllToAll(SimpleSpread), Sharing::SinglePass),
        case("ft:8 regular simple-spread max-min", big(), regular, AllToAll(SimpleSpread), Sharing::MaxMin),
        case(
            "ft:3 random simple-spread max-min",
            fat_tree(size(3, 2)),
            random,
            AllToAll(SimpleSpread),
            Sharing::MaxMin,
        ),
        case("ft:3 random simple-spread N", fat_tree(size(3, 2)), random, AllToAll(SimpleSpread), MODE_N),
        case("torus:16 simple-spread max-min", t16(), regular, AllToAll(SimpleSpread), Sharing::MaxMin),
        case("torus:16 simple-spread N", t16(), regular, AllToAll(SimpleSpread), MODE_N),
        case("torus:16 simple-spread F", t16(), regular, AllToAll(SimpleSpread), Sharing::SinglePass),
        case("torus:16 pairwise max-min", t16(), regular, AllToAll(Pairwise), Sharing::MaxMin),
        case(
            "torus:15 simple-spread max-min",
            square(size(15, 3)),
            regular,
            AllToAll(SimpleSpread),
            Sharing::MaxMin,
        ),
        case("ft:32 random ring max-min", fat_tree(size(32, 2)), regular, RandomRing, Sharing::MaxMin),
        case("ft:32 random ring F", fat_tree(size(32, 2)), regular, RandomRing, Sharing::SinglePass),
        case("ft:12 random simple-spread max-min", bigger(), random, AllToAll(SimpleSpread), Sharing::MaxMin),
        case("ft:12 random simple-spread F", bigger(), random, AllToAll(SimpleSpread), Sharing::SinglePass),
    ]
}

/// Whether a case is one for which a word asks. Those of half a minute and more wait until they are asked for.
fn is_requested(case: &Case, word: &str, tiny: Tiny) -> bool {
    let long = case.name.starts_with("ft:12 ") && tiny == Tiny::No;
    case.name.contains(word) && !(long && word.is_empty())
}

#[derive(Clone, Copy, PartialEq)]
enum Tiny {
    No,
    Yes,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let tiny = if arguments.iter().any(|a| a == "--bench") { Tiny::No } else { Tiny::Yes };
    let word = arguments.iter().find(|a| !a.starts_with('-')).cloned().unwrap_or_default();
    println!(
        "{:<38} {:>9} {:>8} {:>8} {:>9} {:>9} {:>7} {:>14}",
        "case", "messages", "wall s", "ns/msg", "cycles", "iter/msg", "most", "simulated s"
    );
    for case in cases(tiny).into_iter().filter(|case| is_requested(case, &word, tiny)) {
        let Case { name, topology, placement, pattern, sharing } = case;
        let (ranks, one) = (topology.nodes(), Bytes(1));
        let started = Instant::now();
        let ended = match pattern {
            Pattern::AllToAll(algorithm) => {
                let order = AllToAll::new(ranks, one, algorithm, Steps::FreeRunning).expect("a pattern");
                play_placed(sharing, &topology, &placement, order)
            }
            Pattern::RandomRing => {
                let order = Permutation::random_ring(ranks, one, 10, Steps::FreeRunning, 1, Generator::Lcg);
                play_placed(sharing, &topology, &placement, order)
            }
        };
        let wall = started.elapsed().as_secs_f64();
        let messages = ended.ended.traffic.messages;
        println!(
            "{name:<38} {messages:>9} {wall:>8.3} {:>8.0} {:>9} {:>9.2} {:>7} {:>14.6}",
            wall * 1e9 / messages as f64,
            ended.cycles,
            ended.solver_iterations as f64 / messages as f64,
            ended.solver_iterations_max,
            ended.ended.at.as_secs_f64()
        );
    }
}
