//! What plans need: their workspace, messages under way at a time, and the names of their algorithms.

use super::*;

/// Every algorithm of the catalogue can be chosen for its collective, and nothing else.
#[test]
fn all_that_is_in_the_catalogue_can_be_chosen() {
    let mut choice = Choice::default();
    for (collective, names) in choice::CATALOGUE {
        assert!(names.iter().all(|name| choice.set(collective, name).is_ok()), "{collective}");
        assert!(choice.set(collective, "best").is_err(), "{collective}");
    }
    assert!(choice.set("sendrecv", "auto").is_err());
}

/// Colour and key of each of three ranks, four bytes each.
#[test]
fn a_split_gathers_eight_bytes_of_each() {
    let got = run(3, 100, Commutes::Yes, Plan::split, |rank| data(rank, 8));
    let all: Vec<u8> = (0..3).flat_map(|rank| data(rank, 8)).collect();
    assert!(got.into_iter().all(|got| got == all));
}

/// Scattered all-to-all has up to 32 messages under way in each direction, as many as it can.
#[test]
fn up_to_32_messages_at_once() {
    let mut choice = Choice::default();
    choice.set("alltoall", "scattered").expect("in the catalogue");
    for (size, expected) in [(33, vec![31, 1]), (64, vec![31, 32]), (70, vec![31, 32, 6])] {
        let plan = Plan::alltoall(&choice, Place { rank: 1, size }, 1).expect("allowed");
        let mut round = Round::default();
        let counts = (0..plan.schedule.rounds()).map(|index| {
            round.clear();
            plan.schedule.round(index, &mut round);
            assert_eq!(round.sends.len(), round.receives.len());
            round.sends.len()
        });
        // The rank's own block is copied, in the first round.
        assert_eq!(counts.collect::<Vec<_>>(), expected, "{size} ranks");
    }
}

/// The end of what the messages and steps of a plan use of its workspace.
fn used(plan: &Plan) -> usize {
    let mut end = plan.input.end.max(plan.result.end);
    let mut round = Round::default();
    for index in 0..plan.schedule.rounds() {
        round.clear();
        plan.schedule.round(index, &mut round);
        let transfers = round.sends.iter().chain(&round.receives).map(|transfer| transfer.range.end);
        let steps = round.then.iter().map(|step| match step {
            Step::Reduce { from, into: to, .. } | Step::Copy { from, to } => from.end.max(to + from.len()),
        });
        end = transfers.chain(steps).fold(end, usize::max);
    }
    end
}

/// Whether nobody has anything to do in a round.
fn is_idle(plans: &[Plan], index: usize) -> bool {
    plans.iter().filter(|plan| index < plan.schedule.rounds()).all(|plan| {
        let mut round = Round::default();
        plan.schedule.round(index, &mut round);
        round.sends.is_empty() && round.receives.is_empty() && round.then.is_empty()
    })
}

/// The workspace of a collective has no byte that none of its ranks uses, and all that each of them uses. Where vectors are
/// halved, there is room for a second one, as ranks that fold need it; powers of two need half of it. And there is no round without
/// anything to do, but those for ranks that fold, in collectives with a root that have parts.
#[test]
fn a_workspace_is_as_large_as_it_has_to_be() {
    let check = |name: &str, choice: &Choice, size: usize, plan: &dyn Fn(Place) -> Plan| {
        let plans: Vec<Plan> = (0..size).map(|rank| plan(Place { rank, size })).collect();
        // Without operands each rank has just what it uses itself.
        let combines = name.contains("reduce") || name.contains("scan");
        let fits =
            |plan: &Plan| if combines { used(plan) <= plan.workspace } else { used(plan) == plan.workspace };
        assert!(plans.iter().all(fits), "{name} {choice:?} of {size}");
        let rounds = plans.iter().map(|plan| plan.schedule.rounds()).max().unwrap_or(0);
        let has_parts = name == "bcast" || name == "reduce";
        assert!(has_parts || (0..rounds).all(|index| !is_idle(&plans, index)), "{name} {choice:?} of {size}");
        let most = |of: &dyn Fn(&Plan) -> usize| plans.iter().map(of).max().unwrap_or(0);
        let (used, room) = (most(&used), most(&|plan| plan.workspace));
        let is_half = name.contains("reduce") && size.is_power_of_two() && 4 * used == 3 * room;
        assert!(used == room || is_half, "{name} {choice:?} of {size}: {used} of {room} bytes");
    };
    for size in [2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17] {
        for root in [0, size - 1] {
            for choice in choices("bcast") {
                check("bcast", &choice, size, &|place| Plan::bcast(&choice, place, root, 50));
            }
            for choice in choices("gather").into_iter().chain(choices("scatter")) {
                check("gather", &choice, size, &|place| Plan::gather(&choice, place, root, 3));
                check("scatter", &choice, size, &|place| Plan::scatter(&choice, place, root, 3));
            }
            for choice in choices("reduce") {
                for commutes in [Commutes::Yes, Commutes::No] {
                    check("reduce", &choice, size, &|place| {
                        Plan::reduce(&choice, place, root, 50, 2, commutes)
                    });
                }
            }
        }
        for choice in choices("allgather") {
            check("allgather", &choice, size, &|place| Plan::allgather(&choice, place, 3));
        }
        for choice in choices("allreduce") {
            for commutes in [Commutes::Yes, Commutes::No] {
                check("allreduce", &choice, size, &|place| Plan::allreduce(&choice, place, 50, 2, commutes));
            }
        }
        for choice in choices("alltoall") {
            if choice.alltoall != choice::Alltoall::Pairwise || size.is_power_of_two() {
                check("alltoall", &choice, size, &|place| {
                    Plan::alltoall(&choice, place, 3).expect("allowed")
                });
            }
        }
        for choice in choices("scan") {
            check("scan", &choice, size, &|place| Plan::scan(&choice, place, 6));
            check("exscan", &choice, size, &|place| Plan::exscan(&choice, place, 6));
        }
        for choice in choices("reduce_scatter") {
            for commutes in [Commutes::Yes, Commutes::No] {
                let blocks = || Blocks::uneven((0..size).map(|_| 4));
                check("reduce-scatter", &choice, size, &|place| {
                    Plan::reduce_scatter(&choice, place, blocks(), 2, commutes)
                });
            }
        }
    }
}

/// Ranks that give or get nothing have a range of nothing.
#[test]
fn who_gives_and_who_gets() {
    let check = |plan: Plan, gives: usize, gets: usize| {
        assert!(plan.input.start <= plan.input.end && plan.result.start <= plan.result.end);
        assert_eq!((plan.input.len(), plan.result.len()), (gives, gets), "{:?}", plan.call);
    };
    let (size, root) = (5, 3);
    for rank in 0..size {
        let place = Place { rank, size };
        let at_root = |bytes: usize| if rank == root { bytes } else { 0 };
        check(Plan::barrier(&Choice::default(), place), 0, 0);
        for choice in choices("bcast") {
            check(Plan::bcast(&choice, place, root, 8), at_root(8), 8 - at_root(8));
        }
        for choice in choices("reduce") {
            check(Plan::reduce(&choice, place, root, 4, 2, Commutes::Yes), 8, at_root(8));
        }
        for choice in choices("gather").into_iter().chain(choices("scatter")) {
            check(Plan::gather(&choice, place, root, 8), 8, at_root(5 * 8));
            check(Plan::scatter(&choice, place, root, 8), at_root(5 * 8), 8);
        }
        for choice in choices("scan") {
            check(Plan::scan(&choice, place, 8), 8, 8);
            check(Plan::exscan(&choice, place, 8), 8, if rank == 0 { 0 } else { 8 });
        }
    }
}
