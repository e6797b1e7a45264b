//! Collectives between two groups, against what they mean: what one group gives, the other gets.

use super::*;
use crate::Group;

/// A rank's place between two groups: the first has the lower ranks of the world.
#[derive(Clone, Copy)]
struct Member {
    sides: Sides,
    /// Which group, 0 or 1.
    group: usize,
    /// Rank in its group.
    rank: usize,
}

/// Runs a collective between groups of these sizes; what each rank of each group has got.
fn run_between(
    sizes: [usize; 2],
    plan: impl Fn(Member) -> Plan,
    input: impl Fn(Member) -> Vec<u8>,
) -> [Vec<Vec<u8>>; 2] {
    let size = sizes[0] + sizes[1];
    let ranks = |range: Range<usize>| Group::new(&range.map(Rank::new).collect::<Vec<_>>());
    let groups = [ranks(0..sizes[0]), ranks(sizes[0]..size)];
    let rank = |world: usize| {
        let group = usize::from(world >= sizes[0]);
        let mut process = Process::new(Rank::new(world), size, Costs::default());
        let communicator = process.join_between(2, groups[group].clone(), groups[1 - group].clone());
        let communicator = communicator.expect("a member of its group");
        let sides = process.communicator(communicator).expect("just made").sides().expect("two groups");
        let member = Member { sides, group, rank: world - group * sizes[0] };
        assert_eq!((sides.local.rank, sides.local.size), (member.rank, sizes[group]));
        OneCollective::of(process, communicator, Some(plan(member)), input(member), OperandOrder::Ordered)
    };
    let ranks = finish((0..size).map(rank).collect());
    assert!(ranks.iter().all(|rank| rank.process.unexpected() == 0), "a message nobody received");
    let mut got = ranks.into_iter().map(|rank| rank.got.expect("it has finished"));
    let first = got.by_ref().take(sizes[0]).collect();
    [first, got.collect()]
}

/// Different data for every rank of either group.
fn given(group: usize, rank: usize, bytes: usize) -> Vec<u8> {
    data(10 * group + rank, bytes)
}

/// Each rank gives so many bytes of its data, and gets the expected ones: of its group, by its rank.
fn check(
    sizes: [usize; 2],
    plan: impl Fn(Member) -> Plan,
    bytes: impl Fn(Member) -> usize,
    expected: impl Fn(usize, usize) -> Vec<u8>,
) {
    let got = run_between(sizes, plan, |member| given(member.group, member.rank, bytes(member)));
    for (group, got) in got.into_iter().enumerate() {
        let expected: Vec<_> = (0..sizes[group]).map(|rank| expected(group, rank)).collect();
        assert_eq!(got, expected, "{sizes:?} group {group}");
    }
}

#[test]
fn from_each_to_each_of_the_other_group() {
    let choice = Choice::default();
    for sizes in [[1, 1], [2, 3], [4, 1], [3, 5]] {
        // Ranks of the first group give 2 bytes, those of the second 3.
        let plan = |member: Member| {
            let into = Blocks::Even { count: sizes[1 - member.group], bytes: 3 - member.group };
            member.sides.allgather(2 + member.group, &into)
        };
        let all = |other: usize| (0..sizes[other]).flat_map(move |rank| given(other, rank, 2 + other));
        check(sizes, plan, |member| 2 + member.group, |group, _| all(1 - group).collect());
        check(sizes, |member| member.sides.barrier(&choice), |_| 0, |_, _| vec![]);
    }
}
