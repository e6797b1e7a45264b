//! Every algorithm of the catalog, carried out on data that say whose they are, against what its collective means.

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::num::NonZeroU32;
use std::ops::Range;
use weir_collectives::*;

/// A byte: its place in the data that a rank has given, and the ranks whose data are combined in it, in their order.
type Byte = (usize, Vec<usize>);

/// What a rank gets, and the ranks without whose coming it would not end.
type Got = (Vec<Byte>, BTreeSet<usize>);

/// Carries out the plans of all ranks: a message can be taken as soon as it has been sent, in the order of sending.
fn carry_out(plans: &[Plan]) -> Vec<Got> {
    let ranks = 0..plans.len();
    let memory_of = |(rank, plan): (usize, &Plan)| {
        let mut memory = vec![(usize::MAX, Vec::new()); plan.workspace];
        plan.input.clone().enumerate().for_each(|(place, byte)| memory[byte] = (place, vec![rank]));
        memory
    };
    let mut memory: Vec<Vec<Byte>> = plans.iter().enumerate().map(memory_of).collect();
    let mut knows: Vec<BTreeSet<usize>> = ranks.clone().map(|rank| BTreeSet::from([rank])).collect();
    let mut under_way: BTreeMap<(usize, usize), VecDeque<Got>> = BTreeMap::new();
    let mut at: Vec<(usize, Option<Round>)> = ranks.clone().map(|_| (0, None)).collect();
    let mut goes_on = true;
    while std::mem::replace(&mut goes_on, false) {
        for rank in ranks.clone() {
            if at[rank].0 == plans[rank].schedule.rounds() {
                continue;
            }
            let round = at[rank].1.take().unwrap_or_else(|| {
                let mut round = Round::default();
                plans[rank].schedule.round(at[rank].0, &mut round);
                for Transfer { peer, range, .. } in &round.sends {
                    let message = (memory[rank][range.clone()].to_vec(), knows[rank].clone());
                    under_way.entry((rank, *peer as usize)).or_default().push_back(message);
                }
                goes_on = true;
                round
            });
            let from = |peer: u32| round.receives.iter().filter(move |receive| receive.peer == peer).count();
            let has_come =
                |peer: u32| under_way.get(&(peer as usize, rank)).map_or(0, VecDeque::len) >= from(peer);
            if !round.receives.iter().all(|receive| has_come(receive.peer)) {
                at[rank].1 = Some(round);
                continue;
            }
            for Transfer { peer, range, .. } in round.receives {
                let messages = under_way.get_mut(&(peer as usize, rank));
                let (data, known) = messages.and_then(VecDeque::pop_front).expect("it has come");
                memory[rank][range].clone_from_slice(&data);
                knows[rank].extend(known);
            }
            round.then.into_iter().for_each(|step| compute(step, &mut memory[rank]));
            (at[rank].0, goes_on) = (at[rank].0 + 1, true);
        }
    }
    assert!(at.iter().zip(plans).all(|(at, plan)| at.0 == plan.schedule.rounds()), "a rank waits for ever");
    assert!(under_way.values().all(VecDeque::is_empty), "nobody takes a message");
    let results = memory.iter().zip(plans).map(|(memory, plan)| memory[plan.result.clone()].to_vec());
    results.zip(knows).collect()
}

fn compute(step: Step, memory: &mut [Byte]) {
    match step {
        Step::Copy { from, to } => {
            let copied = memory[from].to_vec();
            memory[to..][..copied.len()].clone_from_slice(&copied);
        }
        Step::Reduce { from, into, side } => {
            for (from, into) in from.zip(into..) {
                let ((place, operand), (same, result)) = (memory[from].clone(), &mut memory[into]);
                assert_eq!(place, *same, "bytes of different places are combined");
                result.splice(if side == Side::Left { 0..0 } else { result.len()..result.len() }, operand);
            }
        }
    }
}

/// The bytes of a range of what ranks have given, combined.
fn bytes(range: Range<usize>, ranks: impl IntoIterator<Item = usize>) -> Vec<Byte> {
    let ranks: Vec<usize> = ranks.into_iter().collect();
    range.map(|place| (place, ranks.clone())).collect()
}

/// Those of several ranks, one behind the other.
fn of_each(ranks: Range<usize>, range: impl Fn(usize) -> Range<usize>) -> Vec<Byte> {
    ranks.flat_map(|rank| bytes(range(rank), [rank])).collect()
}

/// A call of a collective.
#[derive(Clone, Debug)]
struct Called {
    size: usize,
    root: usize,
    amount: usize,
    extent: usize,
    commutes: Commutes,
    choice: Choice,
}

impl Called {
    /// Checks what each rank gets. Operands of operations that commute may change places.
    #[track_caller]
    fn check(&self, plan: impl Fn(Place) -> Plan, call: Call, expected: impl Fn(usize) -> Vec<Byte>) {
        let plans: Vec<Plan> = (0..self.size).map(|rank| plan(Place { rank, size: self.size })).collect();
        assert!(plans.iter().all(|plan| plan.call.is_of_interfaces() || plan.call == call), "{self:?}");
        for (rank, (mut got, awaited)) in carry_out(&plans).into_iter().enumerate() {
            if self.commutes == Commutes::Yes {
                got.iter_mut().for_each(|byte| byte.1.sort_unstable());
            }
            assert_eq!(got, expected(rank), "rank {rank} of {self:?}");
            assert!(
                call.function() != Function::Barrier || awaited.len() == self.size,
                "rank {rank} of {self:?}"
            );
        }
    }

    /// Blocks of different lengths, of whole elements: how many bytes one of them has for another.
    fn block(&self, from: usize, to: usize) -> usize {
        (from * 5 + to * 3 + self.amount) % 4 * self.extent
    }

    /// A block of each rank, or for each.
    fn blocks(&self) -> Blocks {
        Blocks::uneven((0..self.size).map(|rank| self.block(rank, 0)))
    }

    fn moves_or_combines(&self, key: &str) {
        match key {
            "reduce" | "allreduce" | "scan" | "reduce_scatter" => self.combines(key),
            _ => self.moves(key),
        }
    }

    /// Collectives in which data move.
    fn moves(&self, key: &str) {
        let Self { size, root, amount, choice, .. } = self;
        let (size, root, amount, all, blocks) = (*size, *root, *amount, 0..*size, self.blocks());
        let at_root = |rank: usize, data: Vec<Byte>| if rank == root { data } else { Vec::new() };
        let (call, rooted) =
            (|function| Call::with_root(function, 0), |function| Call::with_root(function, root));
        match key {
            "barrier" => {
                self.check(|place| Plan::barrier(choice, place), call(Function::Barrier), |_| vec![])
            }
            "bcast" => {
                let expected = |rank| if rank == root { vec![] } else { bytes(0..amount, [root]) };
                self.check(
                    |place| Plan::bcast(choice, place, root, amount),
                    rooted(Function::Bcast),
                    expected,
                );
            }
            "gather" => {
                let (of_each, own) =
                    (of_each(all.clone(), |_| 0..amount), of_each(all, |rank| 0..blocks.length(rank)));
                let (call, blocks) = (rooted(Function::Gather), || blocks.clone());
                self.check(
                    |place| Plan::gather(choice, place, root, amount),
                    call,
                    |rank| at_root(rank, of_each.clone()),
                );
                self.check(
                    |place| Plan::gatherv(place, root, blocks()),
                    call,
                    |rank| at_root(rank, own.clone()),
                );
            }
            "scatter" => {
                let call = rooted(Function::Scatter);
                let even = |rank: usize| bytes(rank * amount..(rank + 1) * amount, [root]);
                self.check(|place| Plan::scatter(choice, place, root, amount), call, even);
                let uneven = |rank| bytes(blocks.range(rank), [root]);
                self.check(|place| Plan::scatterv(place, root, blocks.clone()), call, uneven);
            }
            "allgather" => {
                let call = call(Function::Allgather);
                self.check(
                    |place| Plan::allgather(choice, place, amount),
                    call,
                    |_| of_each(all.clone(), |_| 0..amount),
                );
                self.check(Plan::split, call, |_| of_each(all.clone(), |_| 0..8));
                let own = |_| of_each(all.clone(), |rank| 0..blocks.length(rank));
                self.check(|place| Plan::allgatherv(choice, place, blocks.clone()), call, own);
            }
            _ => {
                let out = |from: usize| Blocks::uneven(all.clone().map(|to| self.block(from, to)));
                let into = |to: usize| Blocks::uneven(all.clone().map(|from| self.block(from, to)));
                let plan = |place| Plan::alltoall(choice, place, amount).unwrap();
                let planv = |place: Place| Plan::alltoallv(choice, place, out(place.rank), into(place.rank));
                let Ok(_) = planv(Place { rank: 0, size }) else {
                    return assert!(choice.alltoall == choice::Alltoall::Pairwise && !size.is_power_of_two());
                };
                let even = |to: usize| of_each(all.clone(), |_| to * amount..(to + 1) * amount);
                self.check(plan, call(Function::Alltoall), even);
                let uneven = |to| of_each(all.clone(), |from| out(from).range(to));
                self.check(|place| planv(place).unwrap(), call(Function::Alltoall), uneven);
            }
        }
    }

    /// Collectives in which data are combined.
    fn combines(&self, key: &str) {
        let &Self { size, root, amount, extent, commutes, ref choice } = self;
        let (length, blocks, call) =
            (amount * extent, self.blocks(), |function| Call::with_root(function, 0));
        match key {
            "reduce" => {
                let plan = |place| Plan::reduce(choice, place, root, amount, extent, commutes);
                let expected = |rank| bytes(0..if rank == root { length } else { 0 }, 0..size);
                self.check(plan, Call::with_root(Function::Reduce, root), expected);
            }
            "allreduce" => {
                let plan = |place| Plan::allreduce(choice, place, amount, extent, commutes);
                self.check(plan, call(Function::Allreduce), |_| bytes(0..length, 0..size));
            }
            "scan" => {
                self.check(
                    |place| Plan::scan(choice, place, length),
                    call(Function::Scan),
                    |rank| bytes(0..length, 0..=rank),
                );
                let expected = |rank| if rank == 0 { vec![] } else { bytes(0..length, 0..rank) };
                self.check(|place| Plan::exscan(choice, place, length), call(Function::Exscan), expected);
            }
            _ => {
                let plan = |place| Plan::reduce_scatter(choice, place, blocks.clone(), extent, commutes);
                self.check(plan, call(Function::ReduceScatter), |rank| bytes(blocks.range(rank), 0..size));
            }
        }
    }

    /// All collectives between two groups, of which the first has so many ranks. The root is in the first.
    fn between(&self, first: usize) {
        let &Self { size, amount, extent, commutes, ref choice, .. } = self;
        let (root, length) = (self.root % first, amount * extent);
        let groups = [0..first, first..size];
        let (own, other) = (
            |rank| groups[usize::from(rank >= first)].clone(),
            |rank| groups[usize::from(rank < first)].clone(),
        );
        let sides = |rank: usize| {
            let (own, other) = (own(rank), other(rank));
            let local = Place { rank: rank - own.start, size: own.len() };
            Sides { local, before: own.start, remote: other.len(), remote_before: other.start }
        };
        let root_of = |rank: usize| match rank {
            _ if rank == root => Root::Here,
            _ if rank < first => Root::Local,
            _ => Root::Remote(root),
        };
        let check = |plan: &dyn Fn(Sides, usize) -> Plan, function, expected: &dyn Fn(usize) -> Vec<Byte>| {
            let plans: Vec<Plan> = (0..size).map(|rank| plan(sides(rank), rank)).collect();
            assert!(plans.iter().all(|plan| plan.call.function() == function));
            for (rank, (mut got, awaited)) in carry_out(&plans).into_iter().enumerate() {
                if commutes == Commutes::Yes {
                    got.iter_mut().for_each(|byte| byte.1.sort_unstable());
                }
                assert_eq!(
                    got,
                    expected(rank),
                    "{function:?}: rank {rank}, of {first} and the rest of {self:?}"
                );
                assert!(function != Function::Barrier || awaited.len() == size);
            }
        };
        let second = |rank: usize, data: Vec<Byte>| if rank < first { vec![] } else { data };
        let at_root = |rank: usize, data: Vec<Byte>| if rank == root { data } else { vec![] };
        let blocks = |rank: usize| match root_of(rank) {
            Root::Here => Blocks::uneven((first..size).map(|rank| self.block(rank, 0))),
            _ => Blocks::uneven([self.block(rank, 0)]),
        };
        let out = |rank: usize| Blocks::uneven(other(rank).map(|to| self.block(rank, to)));
        let into = |rank: usize| Blocks::uneven(other(rank).map(|from| self.block(from, rank)));
        let shares = |rank: usize| Blocks::Shares { count: own(rank).len(), elements: amount, extent };
        check(&|sides, _| sides.barrier(choice), Function::Barrier, &|_| vec![]);
        check(&|sides, rank| sides.bcast(choice, root_of(rank), amount), Function::Bcast, &|rank| {
            second(rank, bytes(0..amount, [root]))
        });
        check(&|sides, rank| sides.gather(root_of(rank), &blocks(rank)), Function::Gather, &|rank| {
            at_root(rank, of_each(first..size, |from| 0..self.block(from, 0)))
        });
        check(&|sides, rank| sides.scatter(root_of(rank), &blocks(rank)), Function::Scatter, &|rank| {
            second(rank, if rank < first { vec![] } else { bytes(blocks(root).range(rank - first), [root]) })
        });
        let gathered = |rank: usize| Blocks::uneven(other(rank).map(|from| self.block(from, 0)));
        check(
            &|sides, rank| sides.allgather(self.block(rank, 0), &gathered(rank)),
            Function::Allgather,
            &|rank| of_each(other(rank), |from| 0..self.block(from, 0)),
        );
        check(&|sides, rank| sides.alltoall(&out(rank), &into(rank)), Function::Alltoall, &|rank| {
            of_each(other(rank), |from| out(from).range(rank - own(rank).start))
        });
        check(
            &|sides, rank| sides.reduce(choice, root_of(rank), amount, extent, commutes),
            Function::Reduce,
            &|rank| at_root(rank, bytes(0..length, first..size)),
        );
        check(&|sides, _| sides.allreduce(choice, amount, extent, commutes), Function::Allreduce, &|rank| {
            bytes(0..length, other(rank))
        });
        check(
            &|sides, rank| sides.reduce_scatter(choice, shares(rank), extent, commutes),
            Function::ReduceScatter,
            &|rank| bytes(shares(rank).range(rank - own(rank).start), other(rank)),
        );
    }
}

/// A call, with parameters, and on a grid of two sides that the ranks lie on; if the first does not divide them, on one that has no place for
/// them.
fn calls() -> impl Strategy<Value = (Called, Parameters)> {
    let root = (1..=13_usize).prop_flat_map(|size| (Just(size), 0..size));
    let numbers = (0..=30_u32, 0..=9_u32, 0..=9_u32, 1..=4_u32, 1..=4_usize);
    let commutes = prop_oneof![Just(Commutes::Yes), Just(Commutes::No)];
    (root, 0..=30_usize, 1..=3_usize, numbers, commutes).prop_map(
        |((size, root), amount, extent, numbers, commutes)| {
            let (segment, fan_out, trees, rings, side) = numbers;
            let [segment, fan_out, trees, rings] = [segment, fan_out, trees, rings].map(NonZeroU32::new);
            let choice = Choice { grid: vec![side as u32, (size / side) as u32].into(), ..Choice::default() };
            (
                Called { size, root, amount, extent, commutes, choice },
                Parameters { segment, fan_out, trees, rings },
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_algorithm_does_what_its_collective_means((called, parameters) in calls()) {
        for &(key, names) in choice::CATALOG {
            for name in names {
                let mut called = called.clone();
                called.choice.set(key, name).unwrap();
                // Algorithms that are made of a broadcast and a reduction use theirs.
                for key in [key, "bcast", "reduce"] {
                    called.choice.parameters.of(key).into_iter().for_each(|place| *place = parameters);
                }
                called.moves_or_combines(key);
            }
        }
    }

    #[test]
    fn what_one_group_gives_the_other_gets((called, _) in calls(), first: prop::sample::Index) {
        if called.size > 1 {
            called.between(1 + first.index(called.size - 1));
        }
    }
}
