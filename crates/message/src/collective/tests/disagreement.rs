//! Ranks that do not agree on how much there is.

use super::*;

/// What each rank of three gets, and what is wrong, if rank r takes part with `plan(r)`.
fn run_each(plan: impl Fn(Place) -> Plan) -> Vec<(Vec<u8>, Option<MpiError>)> {
    let size = 3;
    let rank = |rank: usize| OneCollective {
        process: Process::new(Rank::new(rank), size, Costs::default()),
        communicator: CommunicatorId::WORLD,
        plan: Some(plan(Place { rank, size })),
        input: data(rank, 16),
        reduction: Some(Rc::new(Compose(Commutes::Yes))),
        request: None,
        result: 0..0,
        got: None,
        error: None,
    };
    let mut ranks: Vec<OneCollective> = (0..size).map(rank).collect();
    let placement = Placement::one_per_node(size);
    let ended = Ideal::default().run(&mut ranks, RunContext::new(&placement));
    assert_eq!(ended.outcome, Outcome::Finished);
    ranks.into_iter().map(|rank| (rank.got.expect("it has finished"), rank.error)).collect()
}

fn flat_bcast() -> Choice {
    let mut choice = Choice::default();
    choice.set("bcast", "flat").expect("in the catalogue");
    choice
}

/// The root sends 4 bytes. Rank 1 has room for 2, which is an error; rank 2 waits for 6, which is one, too, as all give the
/// same count.
#[test]
fn a_broadcast_of_other_lengths_fails() {
    let found = run_each(|place| Plan::bcast(&flat_bcast(), place, 0, [4, 2, 6][place.rank]));
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
    let found = run_each(|place| Plan::allreduce(&choice, place, [2, 2, 1][place.rank], 2, Commutes::Yes));
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
