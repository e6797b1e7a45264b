use super::*;
use crate::Costs;
use crate::process::MergeOrder;

const WORLD: CommunicatorId = CommunicatorId::WORLD;

fn world(size: usize) -> Vec<Process> {
    (0..size).map(|rank| Process::new(Rank::new(rank), size, Costs::default())).collect()
}

fn group(ranks: &[u32]) -> Group {
    Group::new(&ranks.iter().copied().map(Rank).collect::<Vec<_>>())
}

/// Members of a communicator, as ranks of the world, and the context of its messages.
fn known(process: &Process, id: CommunicatorId) -> (Vec<u32>, u64) {
    let comm = process.communicator(id).expect("it has just been made");
    let members: Vec<u32> = comm.peers().members().map(|rank| rank.0).collect();
    assert_eq!(members[comm.place().rank], process.rank().0, "a member knows its place");
    (members, comm.context)
}

/// All ranks still make communicators of the world alike.
fn agree(ranks: &mut [Process]) {
    let copies: Vec<_> =
        ranks.iter_mut().map(|rank| rank.duplicate(WORLD).expect("there is a world")).collect();
    let contexts: Vec<u64> = ranks.iter().zip(copies).map(|(rank, id)| known(rank, id).1).collect();
    assert!(contexts.windows(2).all(|pair| pair[0] == pair[1]), "{contexts:?}");
}

/// Ranks 0, 2 and 3 have color 1, by key 2, 0, 3 (0 and 3 have the same key: by rank); rank 1 has color 0; rank 4 none.
#[test]
fn a_split_goes_by_color_key_and_rank() {
    let table = [(1, 5), (0, 0), (1, -1), (1, 5), (UNDEFINED, 0)];
    let mut ranks = world(5);
    let made: Vec<_> =
        ranks.iter_mut().map(|rank| rank.split(WORLD, &table).expect("there is a world")).collect();
    let known: Vec<_> = ranks.iter().zip(&made).map(|(rank, id)| id.map(|id| known(rank, id))).collect();
    let members = |rank: usize| known[rank].as_ref().map(|(members, _)| members.as_slice());
    let three: Option<&[u32]> = Some(&[2, 0, 3]);
    assert_eq!([0, 1, 2, 3, 4].map(members), [three, Some(&[1]), three, three, None]);
    let context = |rank: usize| known[rank].as_ref().map(|(_, context)| *context);
    assert!(context(0) == context(2) && context(0) == context(3) && context(0) != context(1));
    agree(&mut ranks);
}

/// Two groups, 0 to 2 and 3 to 5; colors as in the table, in the order of everybody. Color 7 is only in the first group.
#[test]
fn a_split_between_two_groups_needs_both() {
    let table = [(1, 2), (1, 1), (7, 0), (1, 0), (2, 0), (1, -1)];
    let mut ranks = world(6);
    let groups = [group(&[0, 1, 2]), group(&[3, 4, 5])];
    let made: Vec<Option<(Vec<u32>, Vec<u32>)>> = ranks
        .iter_mut()
        .map(|rank| {
            let own = usize::from(rank.rank().0 >= 3);
            let both = rank.join_between(2, groups[own].clone(), groups[1 - own].clone()).expect("a member");
            let id = rank.split(both, &table).expect("it is known")?;
            let comm = rank.communicator(id).expect("just made");
            let numbers = |group: &Group| group.members().map(|rank| rank.0).collect::<Vec<_>>();
            Some((numbers(&comm.group), numbers(comm.peers())))
        })
        .collect();
    let (first, second) = (vec![1, 0], vec![5, 3]);
    let seen = Some((first.clone(), second.clone()));
    let back = Some((second, first));
    assert_eq!(made, [seen.clone(), seen, None, back.clone(), None, back]);
}

/// Only members get the communicator of a group, in its order; the others know that it has been made.
#[test]
fn a_communicator_of_some() {
    let mut ranks = world(4);
    let made: Vec<_> =
        ranks.iter_mut().map(|rank| rank.create(WORLD, &group(&[3, 1])).expect("there is a world")).collect();
    let known: Vec<_> = ranks.iter().zip(&made).map(|(rank, id)| id.map(|id| known(rank, id))).collect();
    assert_eq!((known[0].is_none(), known[2].is_none()), (true, true));
    assert_eq!((known[1].as_ref().map(|known| known.0.clone()), &known[1]), (Some(vec![3, 1]), &known[3]));
    agree(&mut ranks);
}

/// The numbers 0 and 1 are those of the world and of each rank alone; others are new, and only for members.
#[test]
fn communicators_known_by_number() {
    let mut ranks = world(3);
    let rank = &mut ranks[1];
    for id in [WORLD, CommunicatorId::SELF] {
        assert_eq!(rank.join(id.0, group(&[0])), Ok(id));
    }
    assert_eq!(rank.join(2, group(&[0, 2])), Err(MpiError::Group));
    let contexts: Vec<u64> = (2..5)
        .map(|number| {
            let id = rank.join(number, group(&[2, 1])).expect("a member");
            known(rank, id).1
        })
        .collect();
    let mut different = contexts.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), 3);
    assert!(contexts.iter().all(|context| context & 1 == 0), "odd ones are those of collectives");
}

/// What the program has made and not freed is counted; what is freed is gone, and predefined ones cannot be.
#[test]
fn ending_communicators() {
    let mut ranks = world(1);
    let rank = &mut ranks[0];
    let (one, two) = (rank.duplicate(WORLD).expect("a copy"), rank.duplicate(WORLD).expect("a copy"));
    assert_eq!((rank.communicators_held(), rank.communicators_left()), (4, 2));
    assert_eq!(rank.free(one), Ok(()));
    assert_eq!((rank.communicators_held(), rank.communicators_left()), (3, 1));
    assert_eq!(
        (rank.may_free(one), rank.free(one)),
        (Err(MpiError::Communicator), Err(MpiError::Communicator))
    );
    for predefined in [WORLD, CommunicatorId::SELF] {
        assert!(matches!(rank.free(predefined), Err(MpiError::Argument(_))));
        assert!(rank.communicator(predefined).is_ok());
    }
    assert_eq!((rank.may_free(two), rank.communicators_left()), (Ok(()), 1));
}

/// Ranks 0 and 1 on one side, 3 and 2 on the other, each with a communicator of its group.
fn two_groups() -> (Vec<Process>, [Group; 2], Vec<CommunicatorId>) {
    let groups = [group(&[0, 1]), group(&[3, 2])];
    let mut ranks = world(4);
    let of_group = |rank: usize| &groups[usize::from(rank >= 2)];
    let local = ranks
        .iter_mut()
        .enumerate()
        .map(|(rank, process)| process.create(WORLD, of_group(rank)).expect("the world").expect("a member"));
    let local = local.collect();
    (ranks, groups, local)
}

/// The number of a new intercommunicator that each rank's group brings.
fn halves(ranks: &mut [Process], local: &[CommunicatorId]) -> Vec<u64> {
    ranks.iter_mut().zip(local).map(|(rank, &id)| rank.half_context(id).expect("a group")).collect()
}

/// The intercommunicator of each rank, by such numbers.
fn between(
    ranks: &mut [Process],
    groups: &[Group; 2],
    local: &[CommunicatorId],
    halves: &[u64],
) -> Vec<CommunicatorId> {
    let make = |(rank, process): (usize, &mut Process)| {
        let remote = groups[usize::from(rank < 2)].clone();
        process.create_between(local[rank], [halves[rank], halves[3 - rank]], remote).expect("apart")
    };
    ranks.iter_mut().enumerate().map(make).collect()
}

/// Both sides bring a number that their members agree on, another one each time, and know their intercommunicator by the same
/// context. No rank may be on both sides.
#[test]
fn two_groups_meet() {
    let (mut ranks, groups, local) = two_groups();
    let [first, second] = [(); 2].map(|()| halves(&mut ranks, &local));
    for numbers in [&first, &second] {
        assert!(numbers[0] == numbers[1] && numbers[2] == numbers[3] && numbers[0] != numbers[2]);
    }
    assert!(first[0] != second[0] && first[2] != second[2]);
    let mut contexts = Vec::new();
    for numbers in [&first, &second] {
        let made = between(&mut ranks, &groups, &local, numbers);
        let context = |(rank, id): (usize, CommunicatorId)| {
            let comm = ranks[rank].communicator(id).expect("just made");
            assert!(comm.peers().members().eq(groups[usize::from(rank < 2)].members()));
            comm.context
        };
        let made: Vec<u64> = made.into_iter().enumerate().map(context).collect();
        assert!(made.iter().all(|&context| context == made[0]), "{made:?}");
        contexts.push(made[0]);
    }
    assert_ne!(contexts[0], contexts[1]);
    let twice = ranks[0].create_between(local[0], [first[0], first[2]], group(&[2, 1]));
    assert!(matches!(twice, Err(MpiError::Argument(_))), "{twice:?}");
}

/// The group comes first whose members say that they are not high. Where both say the same, it is the group with the lowest
/// rank: both sides decide alike, and get the same communicator.
#[test]
fn two_groups_become_one() {
    let (mut ranks, groups, local) = two_groups();
    let numbers = halves(&mut ranks, &local);
    let both = between(&mut ranks, &groups, &local, &numbers);
    assert_eq!(ranks[0].order(WORLD, true, false), Err(MpiError::Communicator));
    assert_eq!(ranks[0].merge(WORLD, MergeOrder::LocalFirst), Err(MpiError::Communicator));
    let expected = [
        ([false, true], [0, 1, 3, 2]),
        ([true, false], [3, 2, 0, 1]),
        ([false, false], [0, 1, 3, 2]),
        ([true, true], [0, 1, 3, 2]),
    ];
    let mut contexts = Vec::new();
    for (high, members) in expected {
        let merged: Vec<_> = (0..4)
            .map(|rank| {
                let own = usize::from(rank >= 2);
                let order = ranks[rank].order(both[rank], high[own], high[1 - own]).expect("two groups");
                let id = ranks[rank].merge(both[rank], order).expect("two groups");
                known(&ranks[rank], id)
            })
            .collect();
        assert!(merged.iter().all(|known| known.0 == members && known.1 == merged[0].1), "{merged:?}");
        contexts.push(merged[0].1);
    }
    contexts.sort_unstable();
    contexts.dedup();
    assert_eq!(contexts.len(), 4);
}
