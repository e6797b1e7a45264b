//! Ranks that do not agree on how much there is, or on what they call.

use super::*;

/// The result of each of three ranks, and its error, if rank r takes part with `plan(r)`.
fn run_each(plan: impl Fn(Place) -> Plan) -> Vec<(Vec<u8>, Option<MpiError>)> {
    let rank = |rank| {
        let place = Place { rank, size: 3 };
        OneCollective::new(place, &Costs::default(), Some(plan(place)), data(rank, 16), OperandOrder::Commute)
    };
    let ranks = finish((0..3).map(rank).collect());
    ranks.into_iter().map(|rank| (rank.got.expect("it has finished"), rank.error)).collect()
}

/// The root sends 4 bytes. Rank 1 has room for 2, which is an error; rank 2 waits for 6, which is one, too, as all give the
/// same count.
#[test]
fn a_broadcast_of_other_lengths_fails() {
    let found = run_each(|place| Plan::bcast(&chosen("bcast", "flat"), place, 0, [4, 2, 6][place.rank]));
    let errors: Vec<_> = found.iter().map(|(_, error)| error.clone()).collect();
    let short = "a message of 4 bytes came where 6 were due: the ranks give different counts";
    let long = MpiError::Truncate { message: 4, buffer: 2 };
    assert_eq!(errors, [None, Some(long), Some(MpiError::Other(short.into()))]);
    assert_eq!(found[1].0, data(0, 16)[..2], "what there is room for");
}

/// Rank 2 gives one element of an all-reduce, the others two: all of them fail, not only those who meet it.
#[test]
fn what_fails_at_one_fails_behind_it() {
    let choice = Choice::default();
    let found =
        run_each(|place| Plan::allreduce(&choice, place, [2, 2, 1][place.rank], 2, OperandOrder::Commute));
    assert!(found.iter().all(|(_, error)| error.is_some()), "{found:?}");
}

/// Where each block has a length of its own, there may be room for more than comes, but not for less.
#[test]
fn blocks_may_have_more_room_than_they_need() {
    let gather = |room: usize| {
        run_each(|place| {
            let lengths = if place.rank == 0 { [1, room, room] } else { [1, 4, 4] };
            Plan::gatherv(place, 0, Blocks::uneven(lengths))
        })
    };
    assert!(gather(6).iter().all(|(_, error)| error.is_none()));
    let errors: Vec<_> = gather(3).into_iter().map(|(_, error)| error).collect();
    assert_eq!(errors, [Some(MpiError::Truncate { message: 4, buffer: 3 }), None, None]);
}

/// Ranks that come to a barrier, but for rank 1, which has this plan.
fn barrier_without_rank_1(plan: Option<Plan>) -> Outcome {
    let size = 4;
    let mut plan = Some(plan);
    let rank = |rank| {
        let barrier = || Some(Plan::barrier(&Choice::default(), Place { rank, size }));
        let plan = if rank == 1 { plan.take().flatten() } else { barrier() };
        OneCollective::new(Place { rank, size }, &Costs::default(), plan, vec![], OperandOrder::Commute)
    };
    let mut ranks: Vec<OneCollective> = (0..size).map(rank).collect();
    Ideal::default().run(&mut ranks, RunContext::new(&Placement::one_per_node(size))).outcome
}

/// Rank 1 never comes to the barrier: the others say that they wait, and in which round.
#[test]
fn a_barrier_that_not_all_reach_is_a_deadlock() {
    let outcome = barrier_without_rank_1(None);
    let Outcome::Deadlock(waiting) = outcome else { panic!("{outcome:?}") };
    assert_eq!(waiting.iter().map(|w| w.rank.0).collect::<Vec<_>>(), [0, 2, 3]);
    assert_eq!(waiting[1].peer, Peer::Rank(Rank(1)));
    assert_eq!(waiting[1].details[0], ("round", "1 of 2".into()));
}

/// Rank 1 calls a broadcast that needs no message where the others call a barrier.
#[test]
fn another_collective_in_the_place_of_a_barrier_stops_the_run() {
    let bcast = Plan::bcast(&Choice::default(), Place { rank: 0, size: 1 }, 0, 0);
    let outcome = barrier_without_rank_1(Some(bcast));
    let Outcome::Aborted { why, .. } = outcome else { panic!("{outcome:?}") };
    assert!(why.contains("a message of MPI_Barrier came"), "{why}");
}
