//! Every algorithm, at every rank and root of small communicators, against what the operation means.

use super::*;
use crate::VirtualTopology;
use crate::cartesian::{Cartesian, Ends, GridSide};
use crate::{Body, Combine, CommunicatorId, Completion, Costs, Meeting, MpiError, Process, RequestId};
use std::ops::Range;
use std::rc::Rc;

mod between;
mod disagreement;
mod hardware;
mod parameters;
mod room;
mod times;

use weir_network::{Actions, Event, Ideal, Outcome, Peer, Placement, Program, RunContext, Waiting};
use weir_units::{Bytes, Rank};

/// A rank that takes part in one collective and keeps its result.
struct OneCollective {
    process: Process,
    communicator: CommunicatorId,
    plan: Option<Plan>,
    input: Vec<u8>,
    reduction: Reduction,
    request: Option<RequestId>,
    result: Range<usize>,
    got: Option<Vec<u8>>,
    error: Option<MpiError>,
}

impl Program for OneCollective {
    type Body = Body;

    fn react(&mut self, event: Event<Body>, actions: &mut Actions<Body>) {
        match event {
            Event::Start => {
                let Some(plan) = self.plan.take() else { return };
                let mut workspace = vec![0xee; plan.workspace];
                workspace[plan.input.clone()].copy_from_slice(&self.input[..plan.input.len()]);
                self.result = plan.result.clone();
                let reduction = self.reduction.clone();
                let started = self.process.start_collective(
                    actions,
                    self.communicator,
                    Meeting::InOrder,
                    &plan,
                    workspace,
                    reduction,
                );
                self.request = Some(started.expect("the world exists"));
            }
            Event::Arrived(message) => self.process.arrived(actions, message),
            Event::Departed { sequence } => self.process.departed(actions, sequence),
            Event::Timer { .. } => {}
        }
        if let Some(request) = self.request
            && self.process.is_complete(request) == Ok(true)
        {
            let Completion { data, status, .. } = self.process.finish(request).expect("it is complete");
            self.error = status.error.map(|error| *error);
            self.got = Some(data.slice(self.result.clone()).to_vec());
            self.request = None;
        }
    }

    fn waiting(&self) -> Option<Waiting> {
        let request = self.request?;
        let (peer, details) = self.process.explain(&[request]);
        Some(Waiting { rank: self.process.rank(), call: "collective".into(), peer, details })
    }
}

/// Composition of maps x -> a x + b modulo 251, two bytes each: associative, and does not commute.
struct Compose(Commutes);

impl Combine for Compose {
    fn combine(&self, from: &[u8], into: &mut [u8]) {
        for (f, g) in from.chunks(2).zip(into.chunks_mut(2)) {
            let [a, b, c, d] = [f[0], f[1], g[0], g[1]].map(u32::from);
            (g[0], g[1]) = match self.0 {
                Commutes::No => ((c * a % 251) as u8, ((c * b + d) % 251) as u8),
                Commutes::Yes => (((a + c) % 251) as u8, ((b + d) % 251) as u8),
            };
        }
    }

    fn commutes(&self) -> bool {
        self.0 == Commutes::Yes
    }
}

/// Different data for every rank, never 0xee.
fn data(rank: usize, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| ((rank * 37 + i * 11 + i / 200 * 7 + 5) % 200) as u8).collect()
}

fn run(
    size: usize,
    eager_limit: u64,
    commutes: Commutes,
    plan: impl Fn(Place) -> Plan,
    input: impl Fn(usize) -> Vec<u8>,
) -> Vec<Vec<u8>> {
    let costs = Costs { eager_limit: Bytes(eager_limit), ..Costs::default() };
    let plans: Vec<Plan> = (0..size).map(|rank| plan(Place { rank, size })).collect();
    fit_together(&plans);
    let mut ranks: Vec<OneCollective> = plans
        .into_iter()
        .enumerate()
        .map(|(rank, plan)| OneCollective {
            process: Process::new(Rank::new(rank), size, costs.clone()),
            communicator: CommunicatorId::WORLD,
            plan: Some(plan),
            input: input(rank),
            reduction: Some(Rc::new(Compose(commutes))),
            request: None,
            result: 0..0,
            got: None,
            error: None,
        })
        .collect();
    let placement = Placement::one_per_node(size);
    let ended = Ideal::default().run(&mut ranks, RunContext::new(&placement));
    assert_eq!(ended.outcome, Outcome::Finished);
    assert!(ranks.iter().all(|rank| rank.process.unexpected() == 0), "a message nobody received");
    ranks.into_iter().map(|rank| rank.got.expect("it has finished")).collect()
}

/// What a rank sends to another is as long, message by message, as what that one expects from it, and lies in its workspace.
fn fit_together(plans: &[Plan]) {
    let rounds = plans.iter().map(|plan| plan.schedule.rounds()).max().unwrap_or(0);
    let mut lengths = vec![[Vec::new(), Vec::new()]; plans.len() * plans.len()];
    let mut round = Round::default();
    for index in 0..rounds {
        for (rank, plan) in plans.iter().enumerate().filter(|(_, plan)| index < plan.schedule.rounds()) {
            round.clear();
            plan.schedule.round(index, &mut round);
            let sends = round.sends.iter().map(|to| (rank * plans.len() + to.peer as usize, 0, to));
            let receives =
                round.receives.iter().map(|from| (from.peer as usize * plans.len() + rank, 1, from));
            for (pair, side, transfer) in sends.chain(receives) {
                assert!(transfer.range.end <= plan.workspace, "rank {rank}, round {index}: {transfer:?}");
                lengths[pair][side].push(transfer.range.len());
            }
        }
    }
    for (pair, [sent, received]) in lengths.iter().enumerate() {
        let (from, to) = (pair / plans.len(), pair % plans.len());
        assert_eq!(sent, received, "bytes of the messages from {from} to {to} of {}", plans.len());
    }
}

fn choices(key: &str) -> Vec<Choice> {
    let (_, names) = choice::CATALOGUE.iter().find(|(k, _)| *k == key).expect("in the catalogue");
    let choice = |name| {
        let mut choice = Choice::default();
        choice.set(key, name).expect("in the catalogue");
        choice
    };
    names.iter().map(|name| choice(name)).collect()
}

/// Calls `check(size, root, eager limit)` for small communicators, with eager and with rendezvous messages.
fn everywhere(check: impl Fn(usize, usize, u64)) {
    for size in (1..=9).chain([16, 17]) {
        for root in [0, 1, size / 2, size - 1].into_iter().filter(|&root| root < size) {
            check(size, root, 1 << 20);
            check(size, root, 3);
        }
    }
}

fn combined(ranks: Range<usize>, bytes: usize, commutes: Commutes) -> Vec<u8> {
    let mut ranks = ranks.rev();
    let mut result = data(ranks.next().expect("at least one operand"), bytes);
    for rank in ranks {
        Compose(commutes).combine(&data(rank, bytes), &mut result);
    }
    result
}

#[test]
fn bcast() {
    for choice in choices("bcast") {
        everywhere(|size, root, eager| {
            for bytes in [0, 10, 20_000] {
                let plan = |place| Plan::bcast(&choice, place, root, bytes);
                let got = run(size, eager, Commutes::Yes, plan, |rank| data(rank, bytes));
                for (rank, got) in got.into_iter().enumerate().filter(|&(rank, _)| rank != root) {
                    assert!(got == data(root, bytes), "{choice:?} size {size} root {root} rank {rank}");
                }
            }
        });
    }
}

#[test]
fn reduce() {
    for (choice, commutes) in
        choices("reduce").into_iter().flat_map(|c| [(c.clone(), Commutes::Yes), (c, Commutes::No)])
    {
        everywhere(|size, root, eager| {
            for elements in [0, 5, 40] {
                let bytes = 2 * elements;
                let plan = |place| Plan::reduce(&choice, place, root, elements, 2, commutes);
                let got = run(size, eager, commutes, plan, |rank| data(rank, bytes));
                assert_eq!(
                    got[root],
                    combined(0..size, bytes, commutes),
                    "{choice:?} size {size} root {root}"
                );
            }
        });
    }
}

#[test]
fn allreduce() {
    for (choice, commutes) in
        choices("allreduce").into_iter().flat_map(|c| [(c.clone(), Commutes::Yes), (c, Commutes::No)])
    {
        everywhere(|size, _, eager| {
            for elements in [0, 1, 5, 40] {
                let plan = |place| Plan::allreduce(&choice, place, elements, 2, commutes);
                let got = run(size, eager, commutes, plan, |rank| data(rank, 2 * elements));
                for got in got {
                    assert_eq!(got, combined(0..size, 2 * elements, commutes), "{choice:?} size {size}");
                }
            }
        });
    }
}

#[test]
fn gather_and_scatter() {
    for choice in choices("gather").into_iter().chain(choices("scatter")) {
        everywhere(|size, root, eager| {
            let got = run(
                size,
                eager,
                Commutes::Yes,
                |place| Plan::gather(&choice, place, root, 3),
                |rank| data(rank, 3),
            );
            let all: Vec<u8> = (0..size).flat_map(|rank| data(rank, 3)).collect();
            assert_eq!(got[root], all, "{choice:?} size {size} root {root}");
            let got = run(
                size,
                eager,
                Commutes::Yes,
                |place| Plan::scatter(&choice, place, root, 3),
                |_| data(7, 3 * size),
            );
            assert_eq!(got.concat(), data(7, 3 * size), "{choice:?} size {size} root {root}");
        });
    }
}

#[test]
fn blocks_of_different_lengths() {
    everywhere(|size, root, eager| {
        let length = |rank: usize| (rank * 5 + 2) % 4;
        let blocks = || Blocks::uneven((0..size).map(length));
        let all: Vec<u8> = (0..size).flat_map(|rank| data(rank, length(rank))).collect();
        let own = |rank: usize| data(rank, length(rank));
        let got = run(size, eager, Commutes::Yes, |place| Plan::gatherv(place, root, blocks()), own);
        assert_eq!(got[root], all, "gatherv size {size} root {root}");
        let got =
            run(size, eager, Commutes::Yes, |place| Plan::scatterv(place, root, blocks()), |_| all.clone());
        assert_eq!(got.concat(), all, "scatterv size {size} root {root}");
        for choice in choices("allgather") {
            let plan = |place| Plan::allgatherv(&choice, place, blocks());
            let got = run(size, eager, Commutes::Yes, plan, own);
            assert!(got.iter().all(|got| *got == all), "allgatherv {choice:?} size {size}");
        }
    });
}

#[test]
fn allgather() {
    for choice in choices("allgather") {
        everywhere(|size, _, eager| {
            let got = run(
                size,
                eager,
                Commutes::Yes,
                |place| Plan::allgather(&choice, place, 3),
                |rank| data(rank, 3),
            );
            let all: Vec<u8> = (0..size).flat_map(|rank| data(rank, 3)).collect();
            assert!(got.iter().all(|got| *got == all), "{choice:?} size {size}");
        });
    }
}

#[test]
fn alltoall() {
    for choice in choices("alltoall") {
        everywhere(|size, _, eager| {
            if choice.alltoall == choice::Alltoall::Pairwise && !size.is_power_of_two() {
                let refused =
                    Plan::alltoall(&choice, Place { rank: 0, size }, 3).err().expect("refused").to_string();
                assert!(refused.contains("power of two"), "{refused}");
                return;
            }
            let plan = |place| Plan::alltoall(&choice, place, 3).expect("allowed");
            let got = run(size, eager, Commutes::Yes, plan, |rank| data(rank, 3 * size));
            for (rank, got) in got.into_iter().enumerate() {
                let expected: Vec<u8> =
                    (0..size).flat_map(|from| data(from, 3 * size)[3 * rank..][..3].to_vec()).collect();
                assert_eq!(got, expected, "{choice:?} size {size} rank {rank}");
            }
            let length = |from: usize, to: usize| (from + 2 * to) % 3;
            let plan = |place: Place| {
                let out = Blocks::uneven((0..size).map(|to| length(place.rank, to)));
                let into = Blocks::uneven((0..size).map(|from| length(from, place.rank)));
                Plan::alltoallv(&choice, place, out, into).expect("allowed")
            };
            let block = |from: usize, to: usize| vec![(from * 16 + to) as u8; length(from, to)];
            let input = |rank| (0..size).flat_map(|to| block(rank, to)).collect();
            let got = run(size, eager, Commutes::Yes, plan, input);
            for (rank, got) in got.into_iter().enumerate() {
                let expected: Vec<u8> = (0..size).flat_map(|from| block(from, rank)).collect();
                assert_eq!(got, expected, "v {choice:?} size {size} rank {rank}");
            }
        });
    }
}

#[test]
fn scans() {
    for choice in choices("scan") {
        everywhere(|size, _, eager| {
            let input = |rank| data(rank, 10);
            let got = run(size, eager, Commutes::No, |place| Plan::scan(&choice, place, 10), input);
            let before = run(size, eager, Commutes::No, |place| Plan::exscan(&choice, place, 10), input);
            for rank in 0..size {
                assert_eq!(
                    got[rank],
                    combined(0..rank + 1, 10, Commutes::No),
                    "{choice:?} size {size} rank {rank}"
                );
                if rank > 0 {
                    assert_eq!(
                        before[rank],
                        combined(0..rank, 10, Commutes::No),
                        "{choice:?} size {size} rank {rank}"
                    );
                }
            }
        });
    }
}

#[test]
fn reduce_scatter() {
    for (choice, commutes) in
        choices("reduce_scatter").into_iter().flat_map(|c| [(c.clone(), Commutes::Yes), (c, Commutes::No)])
    {
        everywhere(|size, _, eager| {
            for longest in [3, 100] {
                let blocks = || Blocks::uneven((0..size).map(|rank| 2 * (rank * 7 % longest)));
                let total = blocks().total();
                let plan = |place| Plan::reduce_scatter(&choice, place, blocks(), 2, commutes);
                let got = run(size, eager, commutes, plan, |rank| data(rank, total));
                assert_eq!(got.concat(), combined(0..size, total, commutes), "{choice:?} size {size}");
            }
        });
    }
}

/// Lengths on both sides of the limits of `auto`, with each number of ranks that is treated on its own.
#[test]
fn auto_at_its_limits() {
    let choice = Choice::default();
    for size in [4, 7, 8, 9] {
        let eager = 1 << 14;
        for bytes in [12_286, 12_288, 524_286, 524_288] {
            let plan = |place| Plan::bcast(&choice, place, 1, bytes);
            let got = run(size, eager, Commutes::Yes, plan, |rank| data(rank, bytes));
            assert!(got[size - 1] == data(1, bytes), "bcast size {size} bytes {bytes}");
        }
        for (bytes, commutes) in [(2048, Commutes::Yes), (2050, Commutes::Yes), (2050, Commutes::No)] {
            let expected = combined(0..size, bytes, commutes);
            let plan = |place| Plan::reduce(&choice, place, 1, bytes / 2, 2, commutes);
            let got = run(size, eager, commutes, plan, |rank| data(rank, bytes));
            assert!(got[1] == expected, "reduce size {size} bytes {bytes} {commutes:?}");
            let plan = |place| Plan::allreduce(&choice, place, bytes / 2, 2, commutes);
            let got = run(size, eager, commutes, plan, |rank| data(rank, bytes));
            assert!(
                got.iter().all(|got| *got == expected),
                "allreduce size {size} bytes {bytes} {commutes:?}"
            );
        }
        for bytes in [256, 257, 32_768, 32_769] {
            let plan = |place| Plan::alltoall(&choice, place, bytes).expect("auto fits every size");
            let got = run(size, eager, Commutes::Yes, plan, |rank| data(rank, bytes * size));
            let expected: Vec<u8> =
                (0..size).flat_map(|from| data(from, bytes * size)[2 * bytes..3 * bytes].to_vec()).collect();
            assert!(got[2] == expected, "alltoall size {size} bytes {bytes}");
        }
        for total in [80 << 10, 512 << 10] {
            for bytes in [total / size - 1, total.div_ceil(size)] {
                let plan = |place| Plan::allgather(&choice, place, bytes);
                let got = run(size, eager, Commutes::Yes, plan, |rank| data(rank, bytes));
                let all: Vec<u8> = (0..size).flat_map(|rank| data(rank, bytes)).collect();
                assert!(got.iter().all(|got| *got == all), "allgather size {size} bytes {bytes}");
            }
        }
    }
}

/// A scattered all-to-all of more ranks than it has messages under way, and Bruck's with ragged runs of distances.
#[test]
fn alltoall_of_many_ranks() {
    for choice in choices("alltoall").into_iter().filter(|c| c.alltoall != choice::Alltoall::Pairwise) {
        let size = 45;
        let plan = |place| Plan::alltoall(&choice, place, 2).expect("allowed");
        let got = run(size, 1 << 20, Commutes::Yes, plan, |rank| data(rank, 2 * size));
        for (rank, got) in got.into_iter().enumerate() {
            let expected: Vec<u8> =
                (0..size).flat_map(|from| data(from, 2 * size)[2 * rank..][..2].to_vec()).collect();
            assert_eq!(got, expected, "{choice:?} rank {rank}");
        }
    }
}

/// What all of 8 ranks send, with a vector of 800 bytes or blocks of 100: counted by hand. Halving and doubling send 7
/// eighths of the vector in 3 messages a rank, a ring in 7; a binomial tree carries 12 blocks in 7 messages.
#[test]
fn messages_and_bytes() {
    let check = |key: &str, name: &str, messages: usize, bytes: usize| {
        let mut choice = Choice::default();
        choice.set(key, name).expect("in the catalogue");
        let mut sent = (0, 0);
        for rank in 0..8 {
            let place = Place { rank, size: 8 };
            let plan = match key {
                "bcast" => Plan::bcast(&choice, place, 3, 800),
                "reduce" => Plan::reduce(&choice, place, 3, 400, 2, Commutes::Yes),
                "allreduce" => Plan::allreduce(&choice, place, 400, 2, Commutes::Yes),
                "allgather" => Plan::allgather(&choice, place, 100),
                "alltoall" => Plan::alltoall(&choice, place, 100).expect("a power of two"),
                _ => {
                    let blocks = Blocks::Even { count: 8, bytes: 100 };
                    Plan::reduce_scatter(&choice, place, blocks, 2, Commutes::Yes)
                }
            };
            for index in 0..plan.schedule.rounds() {
                let mut round = Round::default();
                plan.schedule.round(index, &mut round);
                sent.0 += round.sends.len();
                sent.1 += round.sends.iter().map(|transfer| transfer.range.len()).sum::<usize>();
            }
        }
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
    let chosen = |key: &str, name: &str| {
        let mut choice = Choice::default();
        choice.set(key, name).expect("in the catalogue");
        choice
    };
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
            let mut round = Round::default();
            plan.schedule.round(index, &mut round);
            let peers: Vec<u32> = round.sends.iter().map(|transfer| transfer.peer).collect();
            assert_eq!(peers, [child], "plan {number} round {index}");
        }
    }
}

/// Round a ring: what goes forward arrives from behind, and the other way round, also where both neighbours are one
/// rank (2 ranks) or the rank itself (1 rank).
#[test]
fn neighbours_of_a_ring() {
    everywhere(|size, _, eager| {
        let ring = Cartesian::new(&[GridSide { length: size as u32, ends: Ends::Joined }], size).unwrap();
        let ring = VirtualTopology::Cartesian(ring);
        let blocks = || Blocks::Even { count: 2, bytes: 2 };
        let plan = |place: Place| Plan::neighbours(ring.neighbours(place.rank as u32), blocks(), blocks());
        let got = run(size, eager, Commutes::Yes, plan, |rank| vec![rank as u8, 0, rank as u8, 1]);
        for (rank, got) in got.iter().enumerate() {
            let (before, behind) = ((rank + size - 1) % size, (rank + 1) % size);
            assert_eq!(*got, [before as u8, 1, behind as u8, 0], "size {size} rank {rank}");
        }
    });
}

/// Ranks that come to a barrier, but for rank 1, which does what `plan` says.
fn barrier_without_rank_1(plan: impl Fn() -> Option<Plan>) -> Outcome {
    let size = 4;
    let mut ranks: Vec<OneCollective> = (0..size)
        .map(|rank| OneCollective {
            process: Process::new(Rank::new(rank), size, Costs::default()),
            communicator: CommunicatorId::WORLD,
            plan: if rank == 1 {
                plan()
            } else {
                Some(Plan::barrier(&Choice::default(), Place { rank, size }))
            },
            input: vec![],
            reduction: None,
            request: None,
            result: 0..0,
            got: None,
            error: None,
        })
        .collect();
    Ideal::default().run(&mut ranks, RunContext::new(&Placement::one_per_node(size))).outcome
}

/// Rank 1 never comes to the barrier: the others say that they wait, and in which round.
#[test]
fn a_barrier_that_not_all_reach_is_a_deadlock() {
    let outcome = barrier_without_rank_1(|| None);
    let Outcome::Deadlock(waiting) = outcome else { panic!("{outcome:?}") };
    assert_eq!(waiting.iter().map(|w| w.rank.0).collect::<Vec<_>>(), [0, 2, 3]);
    assert_eq!(waiting[1].peer, Peer::Rank(Rank(1)));
    assert_eq!(waiting[1].details[0], ("round", "1 of 2".into()));
}

/// Rank 1 calls a broadcast that needs no message where the others call a barrier.
#[test]
fn another_collective_in_the_place_of_a_barrier_stops_the_run() {
    let outcome =
        barrier_without_rank_1(|| Some(Plan::bcast(&Choice::default(), Place { rank: 0, size: 1 }, 0, 0)));
    let Outcome::Aborted { why, .. } = outcome else { panic!("{outcome:?}") };
    assert!(why.contains("a message of MPI_Barrier came"), "{why}");
}
