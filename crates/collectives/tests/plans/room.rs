//! The needs of plans: their workspace, and messages under way at a time.

use crate::data::{carry_out, of_each};
use crate::*;

/// Color and key of each of three ranks, four bytes each.
#[test]
fn a_split_gathers_eight_bytes_of_each() {
    let plans: Vec<Plan> = (0..3).map(|rank| Plan::split(Place { rank, size: 3 })).collect();
    assert!(carry_out(&plans).into_iter().all(|(got, _)| got == of_each(0..3, |_| 0..8)));
}

/// Six ranks, blocks of 10 bytes, rank 1: at distance 4 its own block goes to rank 5, and that of rank 3 comes. At distance 2 it has those of
/// ranks 1 and 3, of which rank 3 has one; at distance 1 those of ranks 1, 5 and 3, none of which rank 2 has.
#[test]
fn blocks_go_one_by_one_from_far_to_near() {
    let plan = Plan::allgather(&chosen("allgather", "sparbit"), Place { rank: 1, size: 6 }, 10);
    let of = |transfers: &[Transfer]| -> Vec<(u32, usize)> {
        transfers.iter().map(|transfer| (transfer.peer, transfer.range.start / 10)).collect()
    };
    let found: Vec<_> = rounds(&plan).iter().map(|round| (of(&round.sends), of(&round.receives))).collect();
    let expected = [
        (vec![(5, 1)], vec![(3, 3)]),
        (vec![(3, 1)], vec![(5, 5)]),
        (vec![(2, 1), (2, 5), (2, 3)], vec![(0, 0), (0, 4), (0, 2)]),
    ];
    assert_eq!(found, expected);
}

/// Rank 3 of five with blocks of 10 bytes: its two last blocks come before the three others, from a buffer of 50 bytes; rank 0 has none, and
/// its blocks lie where they belong.
#[test]
fn bruck_of_mpich_copies_once_from_a_buffer_of_all_blocks() {
    let plan = |rank| Plan::allgather(&chosen("allgather", "k-bruck"), Place { rank, size: 5 }, 10);
    let last = rounds(&plan(3)).pop().unwrap();
    let copies = [Step::Copy { from: 0..20, to: 80 }, Step::Copy { from: 20..50, to: 50 }];
    assert_eq!((last.then, plan(3).result), (copies.into(), 50..100));
    assert_eq!((plan(3).temporaries(), plan(0).temporaries()), ([50, 0, 0], [0; 3]));
    assert!(rounds(&plan(0)).iter().all(|round| round.then.is_empty()));
}

/// Any number of ranks, also of blocks of unequal lengths: as many rounds as the logarithm, and each block comes once.
#[test]
fn sparbit_of_any_number_of_ranks() {
    for size in 1..=40_usize {
        let blocks = Blocks::uneven((0..size).map(|rank| rank % 3 * 7));
        for rank in 0..size {
            let place = Place { rank, size };
            let plan = Plan::allgatherv(&chosen("allgather", "sparbit"), place, blocks.clone());
            let rounds = rounds(&plan);
            let mut got: Vec<_> =
                rounds.iter().flat_map(|round| &round.receives).map(|one| one.range.clone()).collect();
            got.push(blocks.range(rank));
            got.sort_by_key(|range| (range.start, range.end));
            let all: Vec<_> = (0..size).map(|rank| blocks.range(rank)).collect();
            assert_eq!((got, 1 << rounds.len()), (all, size.next_power_of_two()), "rank {rank} of {size}");
        }
    }
}

/// Scattered all-to-all has up to 32 messages under way in each direction, as many as it can.
#[test]
fn up_to_32_messages_at_once() {
    for (size, expected) in [(33, vec![31, 1]), (64, vec![31, 32]), (70, vec![31, 32, 6])] {
        let plan =
            Plan::alltoall(&chosen("alltoall", "scattered"), Place { rank: 1, size }, 1).expect("allowed");
        let rounds = rounds(&plan);
        // The rank's own block is copied, in the first round.
        assert_eq!(
            rounds.iter().map(|round| round.sends.len()).collect::<Vec<_>>(),
            expected,
            "{size} ranks"
        );
        assert_eq!(rounds.iter().map(|round| round.receives.len()).collect::<Vec<_>>(), expected);
    }
}

/// A scattered all-to-all of more ranks than it has messages under way, and Bruck's with ragged runs of distances.
#[test]
fn alltoall_of_many_ranks() {
    for name in algorithms("alltoall") {
        called(chosen("alltoall", name), "alltoall", (45, 0, 2)).check(name, Function::Alltoall);
    }
}

/// The end of the bytes of its workspace that the messages and steps of a plan use.
fn used(plan: &Plan) -> usize {
    let mut end = plan.input.end.max(plan.result.end);
    for round in rounds(plan) {
        let transfers = round.sends.iter().chain(&round.receives).map(|transfer| transfer.range.end);
        let steps = round.then.iter().map(|step| match step {
            Step::Reduce { from, into: to, .. } | Step::Copy { from, to } => from.end.max(to + from.len()),
        });
        end = transfers.chain(steps).fold(end, usize::max);
    }
    end
}

/// The workspace of a collective has no byte that none of its ranks uses, and all that each of them uses. Where vectors are
/// halved, there is room for a second one, as ranks that fold need it; powers of two need half of it. And there is no round without
/// anything to do, but those for ranks that fold, in collectives with a root that have parts.
#[test]
fn a_workspace_is_as_large_as_it_has_to_be() {
    let check = |key: &str, function: Function, call: Called| {
        let Ok(plans) = call.plans(function) else { return };
        let (choice, size) = (&call.choice, call.size);
        // Without operands each rank has just what it uses itself.
        let combines = key.contains("reduce") || key.contains("scan");
        let fits =
            |plan: &Plan| if combines { used(plan) <= plan.workspace } else { used(plan) == plan.workspace };
        assert!(plans.iter().all(fits), "{key} {choice:?} of {size}");
        let of_ranks: Vec<Vec<Round>> = plans.iter().map(rounds).collect();
        let count = of_ranks.iter().map(Vec::len).max().unwrap_or(0);
        let has_work =
            |round: &Round| !(round.sends.is_empty() && round.receives.is_empty() && round.then.is_empty());
        let is_idle = |index: usize| !of_ranks.iter().filter_map(|rounds| rounds.get(index)).any(has_work);
        let has_parts = key == "bcast" || key == "reduce";
        assert!(has_parts || !(0..count).any(is_idle), "{key} {choice:?} of {size}");
        let most = |of: &dyn Fn(&Plan) -> usize| plans.iter().map(of).max().unwrap_or(0);
        let (used, room) = (most(&used), most(&|plan| plan.workspace));
        let is_half = key.contains("reduce") && size.is_power_of_two() && 4 * used == 3 * room;
        assert!(used == room || is_half, "{key} {choice:?} of {size}: {used} of {room} bytes");
    };
    for size in [2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17] {
        for (root, commutes) in [0, size - 1]
            .into_iter()
            .flat_map(|root| [(root, OperandOrder::Commute), (root, OperandOrder::Ordered)])
        {
            for (key, function) in FUNCTIONS {
                let amount = match key {
                    "bcast" | "reduce" | "allreduce" => 50,
                    "reduce_scatter" => 2 * size,
                    _ => 3,
                };
                for name in algorithms(key) {
                    let call = called(chosen(key, name), key, (size, root, amount));
                    check(key, function, Called { commutes, ..call });
                }
            }
        }
    }
}

/// Ranks that give or get nothing have a range of nothing.
#[test]
fn who_gives_and_who_gets() {
    // Bytes given and got: of the root, of rank 0, and of another rank.
    for (function, expected) in [
        (Function::Barrier, [(0, 0); 3]),
        (Function::Bcast, [(8, 0), (0, 8), (0, 8)]),
        (Function::Reduce, [(16, 16), (16, 0), (16, 0)]),
        (Function::Gather, [(8, 40), (8, 0), (8, 0)]),
        (Function::Scatter, [(40, 8), (0, 8), (0, 8)]),
        (Function::Scan, [(16, 16); 3]),
        (Function::Exscan, [(16, 16), (16, 0), (16, 16)]),
    ] {
        let key = FUNCTIONS.iter().find(|(_, known)| *known == function).expect("all are there").0;
        for name in algorithms(key) {
            let plans = called(chosen(key, name), key, (5, 3, 8)).plans(function).unwrap();
            for (rank, expected) in [3, 0, 1].into_iter().zip(expected) {
                let Plan { input, result, .. } = &plans[rank];
                assert!(input.start <= input.end && result.start <= result.end);
                assert_eq!((input.len(), result.len()), expected, "{key} {name} rank {rank}");
            }
        }
    }
}
