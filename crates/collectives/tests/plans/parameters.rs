//! The messages of plans, counted by hand, and what parameters and tables change.

use crate::*;
use weir_collectives::choice::{Allgather, Allreduce, Alltoall, Bcast};
use weir_collectives::{Named, Parameter};

fn parameters(segment: u32, fan_out: u32) -> Parameters {
    Parameters {
        segment: NonZeroU32::new(segment),
        fan_out: NonZeroU32::new(fan_out),
        ..Parameters::default()
    }
}

/// So many trees.
fn trees(count: u32) -> Parameters {
    Parameters { trees: NonZeroU32::new(count), ..Parameters::default() }
}

/// Messages, their bytes, and the most rounds of a rank.
fn counted(size: usize, plan: impl Fn(Place) -> Plan) -> (usize, usize, usize) {
    let plans: Vec<Plan> = (0..size).map(|rank| plan(Place { rank, size })).collect();
    let sends: Vec<Transfer> = plans.iter().flat_map(rounds).flat_map(|round| round.sends).collect();
    let most = plans.iter().map(|plan| plan.schedule.rounds()).max().unwrap_or(0);
    (sends.len(), sends.iter().map(|transfer| transfer.range.len()).sum(), most)
}

fn chosen_with(key: &str, name: &str, parameters: Parameters) -> Choice {
    let mut choice = chosen(key, name);
    *choice.parameters.of(key).expect("it has parameters") = parameters;
    choice
}

/// 11 ranks and a message of 100 bytes: in segments of 30 bytes 4 messages to each of 10 ranks. A rank inside a tree has a
/// round more than there are segments.
#[test]
fn segments_of_broadcasts_and_reductions() {
    let trees = [
        ("bcast", "binomial"),
        ("bcast", "binomial-nearest-first"),
        ("bcast", "ring-pipeline"),
        ("bcast", "pipeline"),
        ("bcast", "chain"),
        ("bcast", "binary"),
        ("bcast", "knomial"),
        ("reduce", "binomial"),
        ("reduce", "pipeline"),
        ("reduce", "chain"),
        ("reduce", "binary"),
    ];
    for (key, name) in trees {
        let count = |segment| {
            let choice = chosen_with(key, name, parameters(segment, 0));
            counted(11, |place| match key {
                "bcast" => Plan::bcast(&choice, place, 4, 100),
                _ => Plan::reduce(&choice, place, 4, 50, 2, OperandOrder::Commute),
            })
        };
        assert_eq!(count(30), (40, 1000, 5), "{key} {name}");
        let whole = count(0);
        assert_eq!((whole.0, whole.1), (10, 1000), "{key} {name}");
    }
    // The last rank of the tree hands its result to the root: one message more.
    let choice = chosen_with("reduce", "in-order-binary", parameters(30, 0));
    assert_eq!(
        counted(11, |place| Plan::reduce(&choice, place, 4, 50, 2, OperandOrder::Ordered)),
        (41, 1100, 6)
    );
}

/// 11 ranks, 100 bytes: each of 10 ranks gets half of the message in 2 segments of 30 bytes, and the other half in 1 message. Of
/// 12 ranks the last gets the other half from the root. A rank with two children receives, sends 2 segments to each of them in turn, and
/// exchanges halves: 6 rounds.
#[test]
fn halves_along_a_split_binary_tree() {
    for size in [11, 12] {
        let choice = chosen_with("bcast", "split-binary", parameters(30, 0));
        let others = size - 1;
        assert_eq!(counted(size, |place| Plan::bcast(&choice, place, 4, 100)), (3 * others, 100 * others, 6));
    }
    // Halves shorter than a segment, or of nothing: a chain.
    for (bytes, segment) in [(59, 30), (1, 0), (0, 0)] {
        let choice = chosen_with("bcast", "split-binary", parameters(segment, 0));
        let messages = 10 * if segment == 0 { 1 } else { 2 };
        assert_eq!(counted(11, |place| Plan::bcast(&choice, place, 4, bytes)).0, messages, "{bytes} bytes");
    }
}

/// The root's first round: chains begin at the root, a k-nomial tree has k - 1 children a digit.
#[test]
fn fan_outs() {
    let of_root = |key: &str, name, fan_out| -> Vec<u32> {
        let choice = chosen_with(key, name, parameters(0, fan_out));
        let place = Place { rank: 0, size: 11 };
        let plan = match key {
            "bcast" => Plan::bcast(&choice, place, 0, 100),
            _ => Plan::reduce(&choice, place, 0, 50, 2, OperandOrder::Commute),
        };
        let round = &rounds(&plan)[0];
        round.sends.iter().chain(&round.receives).map(|transfer| transfer.peer).collect()
    };
    for key in ["bcast", "reduce"] {
        assert_eq!(of_root(key, "pipeline", 0), [1]);
        assert_eq!(of_root(key, "chain", 0), [1, 4, 7, 9], "4 where none is chosen");
        assert_eq!(of_root(key, "chain", 2), [1, 6]);
        assert_eq!(of_root(key, "chain", 99), (1..11).collect::<Vec<_>>());
        assert_eq!(of_root(key, "binary", 0), [1, 2]);
    }
    assert_eq!(of_root("bcast", "knomial", 0), [4, 8, 1, 2, 3], "4 where none is chosen");
    assert_eq!(of_root("bcast", "knomial", 3), [9, 3, 6, 1, 2]);
    assert_eq!(of_root("bcast", "binomial-nearest-first", 0), [1, 2, 4, 8]);
}

/// 8 ranks, a vector of 400 elements of 2 bytes, so parts of 100 bytes. Segments of 30 bytes are 15 elements, those of all
/// ranks 120; 400 are three times as many and 40, which is not more than half: 3 phases of 7 steps, and 7 more. Of 26
/// bytes, 104: three times, and 88 left: 4 phases. Parts of less than a segment are not cut.
#[test]
fn phases_of_a_segmented_ring() {
    for (segment, phases) in [(30, 3), (26, 4), (100, 1), (101, 1), (0, 1)] {
        let choice = chosen_with("allreduce", "segmented-ring", parameters(segment, 0));
        let (messages, bytes, rounds) =
            counted(8, |place| Plan::allreduce(&choice, place, 400, 2, OperandOrder::Commute));
        assert_eq!((messages, bytes), (8 * 7 * (phases + 1), 2 * 5600), "segments of {segment}");
        assert_eq!(rounds, 7 * (phases + 1));
    }
    // The default is 1 MiB: parts of 2 MiB are cut in two.
    let choice = chosen_with("allreduce", "segmented-ring", parameters(0, 0));
    let plan = |place| Plan::allreduce(&choice, place, 2 << 20, 2, OperandOrder::Commute);
    assert_eq!(counted(2, plan).2, 2 + 1);
}

/// The root sends upwards from the next rank on, downwards from the one before: peers of the sends in each round.
#[test]
fn windows_of_a_linear_all_to_all() {
    let peers = |name, fan_out| -> Vec<(Vec<u32>, Vec<u32>)> {
        let choice = chosen_with("alltoall", name, parameters(0, fan_out));
        let plan = Plan::alltoall(&choice, Place { rank: 1, size: 6 }, 10).expect("allowed");
        let peers = |transfers: &[Transfer]| transfers.iter().map(|transfer| transfer.peer).collect();
        rounds(&plan).iter().map(|round| (peers(&round.sends), peers(&round.receives))).collect()
    };
    let all = [(vec![0, 5, 4, 3, 2], vec![2, 3, 4, 5, 0])];
    assert_eq!(peers("linear", 2), all, "it has no window");
    assert_eq!(peers("linear-sync", 0), all);
    assert_eq!(peers("linear-sync", 9), all);
    let two = [(vec![0, 5], vec![2, 3]), (vec![4, 3], vec![4, 5]), (vec![2], vec![0])];
    assert_eq!(peers("linear-sync", 2), two);
}

/// The first segment of a block is 1024 bytes where none is chosen; an empty message asks for it, and the rest follows,
/// also where it is empty.
#[test]
fn a_gather_that_asks() {
    for (segment, bytes, expected) in
        [(0, 1500, [1024, 476]), (100, 1500, [100, 1400]), (100, 50, [50, 0]), (100, 0, [0, 0])]
    {
        let choice = chosen_with("gather", "linear-sync", parameters(segment, 0));
        let plan = Plan::gather(&choice, Place { rank: 1, size: 3 }, 0, bytes);
        let sent = [1, 2].map(|index| rounds(&plan)[index].sends[0].range.len());
        assert_eq!(sent, expected);
        assert_eq!(counted(3, |place| Plan::gather(&choice, place, 0, bytes)).0, 2 * 3);
    }
}

/// Rank 2 is the root of 5: blocks go out in rank order, in a round each, or all in one.
#[test]
fn linear_scatters() {
    let peers = |name| -> Vec<Vec<u32>> {
        let plan = Plan::scatter(&chosen("scatter", name), Place { rank: 2, size: 5 }, 2, 10);
        let peers = |round: &Round| round.sends.iter().map(|transfer| transfer.peer).collect();
        rounds(&plan).iter().map(peers).collect()
    };
    assert_eq!(peers("linear"), [[0], [1], [3], [4]]);
    assert_eq!(peers("linear-nb"), [[0, 1, 3, 4]]);
}

/// The algorithms that use a parameter do, and no others: their schedules change with it.
#[test]
fn who_uses_a_parameter_says_so() {
    let shape = |key: &str, choice: &Choice| -> Vec<String> {
        let amount = if key == "reduce" || key == "allreduce" { 50 } else { 100 };
        let plans = called(choice.clone(), key, (8, 1, amount)).plans(function_of(key)).unwrap();
        plans.iter().flat_map(|plan| [rounds(plan)]).map(|rounds| format!("{rounds:?}")).collect()
    };
    for &(key, names) in choice::CATALOG {
        for name in names {
            let algorithm = Named::new(key, name).expect("in the catalog").algorithm();
            if Choice::default().parameters.of(key).is_none() {
                assert!(algorithm.parameters.is_empty(), "{key} {name}");
                continue;
            }
            let with = |parameters| shape(key, &chosen_with(key, name, parameters));
            let of = |segment, fan_out| with(parameters(segment, fan_out));
            let uses = |parameter| algorithm.parameters.contains(&parameter);
            // What `auto` chooses may use it, and what `hardware` leaves to the preset where there is no grid.
            if !["auto", "hardware"].contains(name) {
                assert_eq!(of(6, 0) != of(0, 0), uses(Parameter::Segment), "{key} {name}");
                assert_eq!(of(0, 3) != of(0, 0), uses(Parameter::FanOut), "{key} {name}");
                assert_eq!(with(trees(3)) != of(0, 0), uses(Parameter::Trees), "{key} {name}");
                let rings = Parameters { rings: NonZeroU32::new(3), ..Parameters::default() };
                assert_eq!(with(rings) != of(0, 0), uses(Parameter::Rings), "{key} {name}");
            }
        }
    }
}

/// Names that algorithms have elsewhere, also with underscores.
#[test]
fn other_names() {
    for &(key, elsewhere, here) in choice::ALIASES {
        for name in [elsewhere.to_owned(), elsewhere.replace('-', "_")] {
            assert_eq!(Named::new(key, &name).map(|named| named.algorithm().name), Some(here));
        }
    }
    assert_eq!(Named::new("bcast", "best"), None);
}

/// Messages of all of 8 ranks, with a vector of 800 bytes or blocks of 100: counted by hand. Halving and doubling send 7
/// eighths of the vector in 3 messages a rank, a ring in 7; a binomial tree carries 12 blocks in 7 messages.
#[test]
fn messages_and_bytes() {
    let check = |key: &str, name: &str, messages: usize, bytes: usize| {
        let amount = match key {
            "bcast" => 800,
            "reduce" | "allreduce" | "reduce_scatter" => 400,
            _ => 100,
        };
        let plans = called(chosen(key, name), key, (8, 3, amount)).plans(function_of(key)).unwrap();
        let sends: Vec<Transfer> = plans.iter().flat_map(rounds).flat_map(|round| round.sends).collect();
        let sent = (sends.len(), sends.iter().map(|transfer| transfer.range.len()).sum::<usize>());
        assert_eq!(sent, (messages, bytes), "{key} {name}");
    };
    check("bcast", "binomial", 7, 5600);
    check("bcast", "flat", 7, 5600);
    check("bcast", "scatter-ring", 7 + 56, 1200 + 5600);
    check("bcast", "scatter-recursive-doubling", 7 + 24, 1200 + 5600);
    check("bcast", "ring-pipeline", 7, 5600);
    check("reduce", "binomial", 7, 5600);
    check("reduce", "rabenseifner", 24 + 7, 5600 + 1200);
    check("allreduce", "recursive-doubling", 24, 24 * 800);
    check("allreduce", "rabenseifner", 48, 2 * 5600);
    check("allreduce", "ring", 112, 2 * 5600);
    check("allreduce", "bucket-2d", 8 * (6 + 2), 8 * 2 * (3 * 200 + 100));
    check("allgather", "recursive-doubling", 24, 5600);
    check("allgather", "neighbor-exchange", 32, 5600);
    check("allgather", "ring", 56, 5600);
    check("allgather", "bruck", 24, 5600);
    check("allgather", "k-bruck", 24, 5600);
    check("allgather", "sparbit", 56, 5600);
    check("allgather", "linear", 7 + 7, 1200 + 5600);
    check("alltoall", "bruck", 24, 24 * 400);
    check("alltoall", "scattered", 56, 5600);
    check("reduce_scatter", "recursive-halving", 24, 5600);
    check("reduce_scatter", "pairwise", 56, 5600);
    check("reduce_scatter", "recursive-doubling", 24, 24 * 800);
    check("reduce_scatter", "reduce-scatterv", 7 + 7, 5600 + 700);
    check("reduce_scatter", "ring", 56, 5600);
    // Of the members 0 to 7 those are not at their place that are not the same backwards: 1, 3, 4 and 6.
    check("reduce_scatter", "butterfly", 24 + 4, 5600 + 400);
    check("allreduce", "basic-linear", 7 + 7, 2 * 5600);
    // Each of two halves in 7 messages, up and down.
    check("bcast", "multi-tree", 14, 5600);
    check("reduce", "multi-tree", 14, 5600);
    check("allreduce", "multi-tree", 28, 2 * 5600);
}

/// A parent hands its children their messages one after the other, a round each, the farthest and its large subtree first:
/// all of them in one round, by rendezvous, would leave in the order in which they are cleared.
#[test]
fn down_a_binomial_tree_one_child_after_the_other() {
    let place = Place { rank: 3, size: 12 };
    let bcast = |name| Plan::bcast(&chosen("bcast", name), place, 3, 1200);
    let plans = [
        bcast("binomial"),
        bcast("scatter-ring"),
        bcast("scatter-recursive-doubling"),
        Plan::scatter(&chosen("scatter", "binomial"), place, 3, 100),
    ];
    for (number, plan) in plans.iter().enumerate() {
        // Rank 3 is the root; its children are those 8, 4, 2 and 1 behind it.
        for (index, child) in [(1, 11), (2, 7), (3, 5), (4, 4)] {
            let peers: Vec<u32> = rounds(plan)[index].sends.iter().map(|transfer| transfer.peer).collect();
            assert_eq!(peers, [child], "plan {number} round {index}");
        }
    }
}

/// Longer data, and ranks that are not those of the grid, go as the preset has it.
#[test]
fn what_interfaces_cannot_do_the_preset_decides() {
    let place = Place { rank: 1, size: 8 };
    let chosen =
        |key: &str, sides: &[u32]| Choice { grid: JobGrid::from(sides.to_vec()), ..chosen(key, "hardware") };
    let is_theirs = |plan: Plan| plan.call.is_of_interfaces();
    let (all, one) = (chosen("allreduce", &[4, 2]), chosen("bcast", &[4, 2]));
    let allreduce = |elements, place| Plan::allreduce(&all, place, elements, 4, OperandOrder::Commute);
    assert!(is_theirs(allreduce(3, place)) && !is_theirs(allreduce(4, place)));
    assert!(!is_theirs(allreduce(3, Place { rank: 1, size: 4 })));
    assert!(is_theirs(Plan::bcast(&one, place, 0, 32)) && !is_theirs(Plan::bcast(&one, place, 0, 33)));
    let barrier = |sides| Plan::barrier(&chosen("barrier", sides), place);
    assert!(is_theirs(barrier(&[4, 2])) && !is_theirs(barrier(&[])));
    let preset = Plan::barrier(&Choice::default(), place).schedule.rounds();
    assert_eq!(Plan::barrier(&chosen("barrier", &[]), place).schedule.rounds(), preset);
}

/// Between groups of 3 and 5 ranks one message goes from each to each of the other group, or to its root: none is handed on.
#[test]
fn blocks_go_straight_to_the_other_group() {
    let called = Called { first: Some(3), ..called(Choice::default(), "gather", (8, 1, 2)) };
    let sent = |function| {
        let plans = called.plans(function).unwrap();
        plans.iter().flat_map(rounds).map(|round| round.sends.len()).sum::<usize>()
    };
    assert_eq!([Function::Allgather, Function::Alltoall].map(sent), [2 * 3 * 5; 2]);
    assert_eq!([Function::Gather, Function::Scatter].map(sent), [5; 2]);
}

/// Plans are those of the algorithm that the table names for their bytes; a collective that is named takes no notice.
#[test]
fn plans_follow_the_table() {
    let (place, default) = (Place { rank: 1, size: 8 }, Choice::default());
    let range = |from, to| Some(FromTo { from, to });
    let row = |bytes, algorithm: Named| {
        let when = Condition { bytes, ..Condition::default() };
        Row { when, algorithm, parameters: Parameters::default() }
    };
    let ten = Condition { bytes_per_rank: range(10, 10), ..Condition::default() };
    let rows = vec![
        row(range(100, 200), Allgather::Ring.into()),
        row(range(400, u64::MAX), Allreduce::Ring.into()),
        Row { parameters: parameters(256, 0), ..row(range(1024, u64::MAX), Bcast::Pipeline.into()) },
        Row { when: ten, ..row(None, Alltoall::Linear.into()) },
        row(None, Alltoall::SimpleSpread.into()),
    ];
    let table = Choice { selection: rows.into(), ..Choice::default() };
    let check = |expected: &Choice, plan: &dyn Fn(&Choice) -> Plan| {
        let [found, expected] = [&table, expected].map(|choice| format!("{:?}", rounds(&plan(choice))));
        assert_eq!(found, expected);
    };
    // The whole vector counts: 13 bytes of each are 104.
    let ring = chosen("allgather", "ring");
    for (bytes, expected) in [(12, &default), (13, &ring), (25, &ring), (26, &default)] {
        check(expected, &|choice| Plan::allgather(choice, place, bytes));
    }
    for (elements, expected) in [(99, &default), (100, &chosen("allreduce", "ring"))] {
        check(expected, &|choice| Plan::allreduce(choice, place, elements, 4, OperandOrder::Commute));
    }
    let pipeline = chosen_with("bcast", "pipeline", parameters(256, 0));
    check(&pipeline, &|choice| Plan::bcast(choice, place, 0, 2048));
    let flat = |choice: &Choice| Choice { bcast: Bcast::Flat, ..choice.clone() };
    check(&default, &|choice| Plan::bcast(&flat(choice), place, 0, 2048));
    for (bytes, name) in [(10, "linear"), (11, "simple-spread")] {
        check(&chosen("alltoall", name), &|choice| Plan::alltoall(choice, place, bytes).expect("allowed"));
    }
    let blocks = || Blocks::Even { count: 8, bytes: 10 };
    check(&chosen("alltoall", "simple-spread"), &|choice| {
        Plan::alltoallv(choice, place, blocks(), blocks()).expect("allowed")
    });
}
