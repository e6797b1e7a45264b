//! Every algorithm of the catalog, carried out on data that say whose they are, against what its collective means.

use crate::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use weir_operations::Root;

/// A byte: its place in the data that a rank has given, and the ranks whose data are combined in it, in their order.
pub(crate) type Byte = (usize, Vec<usize>);

/// What a rank gets, and the ranks without whose coming it would not end.
pub(crate) type Got = (Vec<Byte>, BTreeSet<usize>);

/// Carries out the plans of all ranks: a message can be taken as soon as it has been sent, in the order of sending.
pub(crate) fn carry_out(plans: &[Plan]) -> Vec<Got> {
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
pub(crate) fn of_each(ranks: Range<usize>, range: impl Fn(usize) -> Range<usize>) -> Vec<Byte> {
    ranks.flat_map(|rank| bytes(range(rank), [rank])).collect()
}

/// A call of a collective, within a group or between two.
#[derive(Clone, Debug)]
pub(crate) struct Called {
    pub(crate) size: usize,
    /// Ranks of the first of two groups; in it is the root.
    pub(crate) first: Option<usize>,
    pub(crate) root: usize,
    pub(crate) amount: usize,
    /// Blocks may have lengths of their own, or all the same one.
    pub(crate) is_even: bool,
    pub(crate) extent: usize,
    pub(crate) commutes: OperandOrder,
    pub(crate) choice: Choice,
}

pub(crate) const FUNCTIONS: [(&str, Function); 11] = [
    ("barrier", Function::Barrier),
    ("bcast", Function::Bcast),
    ("reduce", Function::Reduce),
    ("allreduce", Function::Allreduce),
    ("gather", Function::Gather),
    ("scatter", Function::Scatter),
    ("allgather", Function::Allgather),
    ("alltoall", Function::Alltoall),
    ("scan", Function::Scan),
    ("scan", Function::Exscan),
    ("reduce_scatter", Function::ReduceScatter),
];

impl Called {
    /// The group of a rank, and the one whose data it gets, which is the same where there is one only.
    fn groups(&self, rank: usize) -> [Range<usize>; 2] {
        match self.first {
            None => [0..self.size, 0..self.size],
            Some(first) if rank < first => [0..first, first..self.size],
            Some(first) => [first..self.size, 0..first],
        }
    }

    /// Bytes that a rank has for another one, of whole elements.
    fn block(&self, from: usize, to: usize) -> usize {
        self.extent * if self.is_even { self.amount } else { (from * 5 + to * 3 + self.amount) % 4 }
    }

    /// A block from each of these ranks.
    fn blocks(&self, ranks: Range<usize>) -> Blocks {
        Blocks::uneven(ranks.map(|rank| self.block(rank, 0)))
    }

    /// The blocks that a rank has for each.
    fn out(&self, from: usize) -> Blocks {
        Blocks::uneven(self.groups(from)[1].clone().map(|to| self.block(from, to)))
    }

    /// The blocks in which elements are left to the ranks of a group.
    fn shares(&self, rank: usize) -> Blocks {
        let &Self { amount: elements, extent, .. } = self;
        Blocks::Shares { count: self.groups(rank)[0].len(), elements, extent }
    }

    /// What a rank gets.
    fn meant(&self, function: Function, rank: usize) -> Vec<Byte> {
        let [group, givers] = self.groups(rank);
        let (all, place) = (0..self.amount * self.extent, rank - group.start);
        let gets =
            self.first.map_or(rank != self.root || function == Function::Scatter, |first| rank >= first);
        match function {
            Function::Bcast if gets => bytes(all, [self.root]),
            Function::Scatter if gets => {
                bytes(self.blocks(self.groups(self.root)[1].clone()).range(place), [self.root])
            }
            Function::Gather if rank == self.root => of_each(givers, |from| 0..self.block(from, 0)),
            Function::Reduce if rank == self.root => bytes(all, givers),
            Function::Allgather => of_each(givers, |from| 0..self.block(from, 0)),
            Function::Alltoall => of_each(givers, |from| self.out(from).range(place)),
            Function::Allreduce => bytes(all, givers),
            Function::ReduceScatter => bytes(self.shares(rank).range(place), givers),
            Function::Scan => bytes(all, 0..=rank),
            Function::Exscan if rank > 0 => bytes(all, 0..rank),
            _ => Vec::new(),
        }
    }

    /// The plan of a rank; an error where an algorithm is not for so many ranks.
    fn plan(&self, function: Function, rank: usize) -> Result<Plan, String> {
        let &Self { size, first, root, amount, extent, commutes, is_even, ref choice } = self;
        let ([group, others], bytes, place) = (self.groups(rank), amount * extent, Place { rank, size });
        let into = Blocks::uneven(others.clone().map(|from| self.block(from, rank)));
        if let Some(first) = first {
            let local = Place { rank: rank - group.start, size: group.len() };
            let sides =
                Sides { local, before: group.start, remote: others.len(), remote_before: others.start };
            let root = if rank >= first {
                Root::Rank(root as u32)
            } else if rank == root {
                Root::Here
            } else {
                Root::Elsewhere
            };
            let blocks = self.blocks(if root == Root::Here { others.clone() } else { rank..rank + 1 });
            return Ok(match function {
                Function::Barrier => sides.barrier(choice),
                Function::Bcast => sides.bcast(choice, root, bytes),
                Function::Gather => sides.gather(root, &blocks),
                Function::Scatter => sides.scatter(root, &blocks),
                Function::Allgather => sides.allgather(self.block(rank, 0), &self.blocks(others)),
                Function::Alltoall => sides.alltoall(&self.out(rank), &into),
                Function::Reduce => sides.reduce(choice, root, amount, extent, commutes),
                Function::Allreduce => sides.allreduce(choice, amount, extent, commutes),
                _ => sides.reduce_scatter(choice, self.shares(rank), extent, commutes),
            });
        }
        let blocks = self.blocks(0..size);
        Ok(match function {
            Function::Barrier => Plan::barrier(choice, place),
            Function::Bcast => Plan::bcast(choice, place, root, bytes),
            Function::Gather if is_even => Plan::gather(choice, place, root, bytes),
            Function::Gather => Plan::gatherv(place, root, blocks),
            Function::Scatter if is_even => Plan::scatter(choice, place, root, bytes),
            Function::Scatter => Plan::scatterv(place, root, blocks),
            Function::Allgather if is_even => Plan::allgather(choice, place, bytes),
            Function::Allgather => Plan::allgatherv(choice, place, blocks),
            Function::Alltoall if is_even => Plan::alltoall(choice, place, bytes)?,
            Function::Alltoall => Plan::alltoallv(choice, place, self.out(rank), into)?,
            Function::Reduce => Plan::reduce(choice, place, root, amount, extent, commutes),
            Function::Allreduce => Plan::allreduce(choice, place, amount, extent, commutes),
            Function::Scan => Plan::scan(choice, place, bytes),
            Function::Exscan => Plan::exscan(choice, place, bytes),
            _ => Plan::reduce_scatter(choice, place, self.shares(rank), extent, commutes),
        })
    }

    /// The plans of all ranks.
    pub(crate) fn plans(&self, function: Function) -> Result<Vec<Plan>, String> {
        (0..self.size).map(|rank| self.plan(function, rank)).collect()
    }

    /// Checks what each rank gets. Operands of operations that commute may change places.
    pub(crate) fn check(&self, key: &str, function: Function) {
        let plans: Result<Vec<Plan>, _> = (0..self.size).map(|rank| self.plan(function, rank)).collect();
        let Ok(plans) = plans else {
            return assert!(
                self.choice.alltoall == choice::Alltoall::Pairwise && !self.size.is_power_of_two()
            );
        };
        for (rank, (mut got, awaited)) in carry_out(&plans).into_iter().enumerate() {
            if self.commutes == OperandOrder::Commute {
                got.iter_mut().for_each(|byte| byte.1.sort_unstable());
            }
            assert_eq!(got, self.meant(function, rank), "{key}: rank {rank} of {self:?}");
            assert!(function != Function::Barrier || awaited.len() == self.size, "rank {rank} of {self:?}");
            assert_eq!(plans[rank].call.function(), function);
        }
    }
}

/// A call, and parameters, on a grid of two sides that the ranks lie on; if the first does not divide them, on one that has no place for them.
fn calls() -> impl Strategy<Value = (Called, Parameters)> {
    let root = (1..=13_usize).prop_flat_map(|size| (Just(size), 0..size));
    let numbers = (0..=30_u32, 0..=9_u32, 0..=9_u32, 1..=4_u32, 1..=4_usize);
    let data = (0..=20_usize, any::<bool>(), 1..=3_usize, any::<bool>());
    (root, data, numbers).prop_map(|((size, root), (amount, is_even, extent, commutes), numbers)| {
        let (segment, fan_out, trees, rings, side) = numbers;
        let [segment, fan_out, trees, rings] = [segment, fan_out, trees, rings].map(NonZeroU32::new);
        let choice = Choice { grid: vec![side as u32, (size / side) as u32].into(), ..Choice::default() };
        let commutes = if commutes { OperandOrder::Commute } else { OperandOrder::Ordered };
        let called = Called { size, first: None, root, amount, is_even, extent, commutes, choice };
        (called, Parameters { segment, fan_out, trees, rings })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_algorithm_does_what_its_collective_means((called, parameters) in calls()) {
        for (key, function) in FUNCTIONS {
            for name in algorithms(key) {
                let mut called = called.clone();
                called.choice.set(key, name).unwrap();
                // Algorithms that are made of a broadcast and a reduction use theirs.
                for key in [key, "bcast", "reduce"] {
                    called.choice.parameters.of(key).into_iter().for_each(|place| *place = parameters);
                }
                called.check(name, function);
            }
        }
    }

    #[test]
    fn what_one_group_gives_the_other_gets((called, _) in calls(), first: prop::sample::Index) {
        let first = 1 + first.index(called.size.max(2) - 1);
        for (key, function) in FUNCTIONS.into_iter().filter(|(key, _)| called.size > 1 && *key != "scan") {
            Called { first: Some(first), root: called.root % first, ..called.clone() }.check(key, function);
        }
    }
}
