//! Every algorithm, at every rank and root of small communicators, against what the operation means.

use crate::{
    Body, Cartesian, Combine, CommunicatorId, Completion, Costs, Ends, GridSide, Meeting, MpiError, Process,
    Reduction, RequestId, VirtualTopology,
};
use std::ops::Range;
use std::sync::Arc;

mod between;
mod disagreement;
mod hardware;
mod times;

use weir_collectives::*;
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

impl OneCollective {
    /// A rank of the world.
    fn new(place: Place, costs: &Costs, plan: Option<Plan>, input: Vec<u8>, commutes: OperandOrder) -> Self {
        let process = Process::new(Rank::new(place.rank), place.size, costs.clone());
        Self::of(process, CommunicatorId::WORLD, plan, input, commutes)
    }

    fn of(
        process: Process,
        communicator: CommunicatorId,
        plan: Option<Plan>,
        input: Vec<u8>,
        commutes: OperandOrder,
    ) -> Self {
        let reduction: Reduction = Some(Arc::new(Compose(commutes)));
        let (request, got, error) = (None, None, None);
        Self { process, communicator, plan, input, reduction, request, result: 0..0, got, error }
    }
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
struct Compose(OperandOrder);

impl Combine for Compose {
    fn combine(&self, from: &[u8], into: &mut [u8]) {
        for (f, g) in from.chunks(2).zip(into.chunks_mut(2)) {
            let [a, b, c, d] = [f[0], f[1], g[0], g[1]].map(u32::from);
            (g[0], g[1]) = match self.0 {
                OperandOrder::Ordered => ((c * a % 251) as u8, ((c * b + d) % 251) as u8),
                OperandOrder::Commute => (((a + c) % 251) as u8, ((b + d) % 251) as u8),
            };
        }
    }

    fn commutes(&self) -> bool {
        self.0 == OperandOrder::Commute
    }
}

/// Different data for every rank, never 0xee.
fn data(rank: usize, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| ((rank * 37 + i * 11 + i / 200 * 7 + 5) % 200) as u8).collect()
}

/// Runs a collective at all of so many ranks; the result of each.
fn run(
    size: usize,
    eager_limit: u64,
    commutes: OperandOrder,
    plan: impl Fn(Place) -> Plan,
    input: impl Fn(usize) -> Vec<u8>,
) -> Vec<Vec<u8>> {
    let costs = Costs { eager_limit: Bytes(eager_limit), ..Costs::default() };
    let plans: Vec<Plan> = (0..size).map(|rank| plan(Place { rank, size })).collect();
    fit_together(&plans);
    let rank =
        |(rank, plan)| OneCollective::new(Place { rank, size }, &costs, Some(plan), input(rank), commutes);
    let ranks = finish(plans.into_iter().enumerate().map(rank).collect());
    assert!(ranks.iter().all(|rank| rank.process.unexpected() == 0), "a message nobody received");
    ranks.into_iter().map(|rank| rank.got.expect("it has finished")).collect()
}

/// Runs ranks to their ends.
fn finish(mut ranks: Vec<OneCollective>) -> Vec<OneCollective> {
    let placement = Placement::one_per_node(ranks.len());
    let ended = Ideal::default().run(&mut ranks, RunContext::new(&placement));
    assert_eq!(ended.outcome, Outcome::Finished);
    ranks
}

/// The rounds of a rank.
fn rounds(plan: &Plan) -> Vec<Round> {
    let round = |index| {
        let mut round = Round::default();
        plan.schedule.round(index, &mut round);
        round
    };
    (0..plan.schedule.rounds()).map(round).collect()
}

/// Messages from one rank to another are as long, one by one, as those that the other expects, and lie in its workspace.
fn fit_together(plans: &[Plan]) {
    let mut lengths = vec![[Vec::new(), Vec::new()]; plans.len() * plans.len()];
    for (rank, plan) in plans.iter().enumerate() {
        for (index, round) in rounds(plan).iter().enumerate() {
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

/// The choice of one algorithm of the catalog.
fn chosen(key: &str, name: &str) -> Choice {
    let mut choice = Choice::default();
    choice.set(key, name).expect("in the catalog");
    choice
}

fn choices(key: &str) -> Vec<Choice> {
    let (_, names) = choice::CATALOG.iter().find(|(k, _)| *k == key).expect("in the catalog");
    names.iter().map(|name| chosen(key, name)).collect()
}

fn combined(ranks: Range<usize>, bytes: usize, commutes: OperandOrder) -> Vec<u8> {
    let mut ranks = ranks.rev();
    let mut result = data(ranks.next().expect("at least one operand"), bytes);
    for rank in ranks {
        Compose(commutes).combine(&data(rank, bytes), &mut result);
    }
    result
}

/// A call of a collective.
#[derive(Clone, Copy, Debug)]
struct Called {
    size: usize,
    root: usize,
    /// Elements of two bytes where they are combined, else bytes of the message or of a block.
    amount: usize,
    eager: u64,
    commutes: OperandOrder,
}

impl Called {
    /// The plan of a rank; `exscan` has the algorithms of `scan`.
    fn plan(&self, key: &str, choice: &Choice, place: Place) -> Plan {
        let Self { root, amount, commutes, .. } = *self;
        match key {
            "barrier" => Plan::barrier(choice, place),
            "bcast" => Plan::bcast(choice, place, root, amount),
            "reduce" => Plan::reduce(choice, place, root, amount, 2, commutes),
            "allreduce" => Plan::allreduce(choice, place, amount, 2, commutes),
            "gather" => Plan::gather(choice, place, root, amount),
            "scatter" => Plan::scatter(choice, place, root, amount),
            "allgather" => Plan::allgather(choice, place, amount),
            "alltoall" => Plan::alltoall(choice, place, amount).expect("allowed"),
            "scan" => Plan::scan(choice, place, 2 * amount),
            "exscan" => Plan::exscan(choice, place, 2 * amount),
            _ => Plan::reduce_scatter(choice, place, self.shares(), 2, commutes),
        }
    }

    fn plans(&self, key: &str, choice: &Choice) -> Vec<Plan> {
        let place = |rank| Place { rank, size: self.size };
        (0..self.size).map(|rank| self.plan(key, choice, place(rank))).collect()
    }

    fn shares(&self) -> Blocks {
        Blocks::Shares { count: self.size, elements: self.amount, extent: 2 }
    }

    /// The meaning of the collective: the result of a rank; `None` if it has none.
    fn expected(&self, key: &str, rank: usize) -> Option<Vec<u8>> {
        let Self { size, root, amount, commutes, .. } = *self;
        let block =
            |from: usize, number: usize| data(from, size * amount)[number * amount..][..amount].to_vec();
        let sum = |ranks| combined(ranks, 2 * amount, commutes);
        match key {
            "bcast" => (rank != root).then(|| data(root, amount)),
            "reduce" => (rank == root).then(|| sum(0..size)),
            "allreduce" => Some(sum(0..size)),
            "gather" if rank != root => None,
            "gather" | "allgather" => Some((0..size).flat_map(|rank| data(rank, amount)).collect()),
            "scatter" => Some(block(root, rank)),
            "alltoall" => Some((0..size).flat_map(|from| block(from, rank)).collect()),
            "scan" => Some(sum(0..rank + 1)),
            "exscan" => (rank > 0).then(|| sum(0..rank)),
            "reduce_scatter" => Some(sum(0..size)[self.shares().range(rank)].to_vec()),
            _ => None,
        }
    }

    /// Whether the algorithm is for such a number of ranks; that it refuses others is checked.
    fn allows(&self, choice: &Choice) -> bool {
        let allows = choice.alltoall != choice::Alltoall::Pairwise || self.size.is_power_of_two();
        if !allows {
            let refused = Plan::alltoall(choice, Place { rank: 0, size: self.size }, 3).err();
            assert!(refused.expect("refused").to_string().contains("power of two"));
        }
        allows
    }

    /// Every rank gets the meaning of the collective.
    fn check(&self, key: &str, choice: &Choice) {
        if !self.allows(choice) {
            return;
        }
        // No rank gives more: a broadcast one message, a reduction two bytes for each element, others a block for each rank.
        let length = self.amount * if key == "bcast" { 1 } else { self.size.max(2) };
        let plan = |place| self.plan(key, choice, place);
        let got = run(self.size, self.eager, self.commutes, plan, |rank| data(rank, length));
        for (rank, got) in got.into_iter().enumerate() {
            let is_right = self.expected(key, rank).is_none_or(|expected| got == expected);
            assert!(is_right, "{key} {choice:?} {self:?} at rank {rank}: {got:?}");
        }
    }
}

/// Calls `check` for small communicators, with eager and with rendezvous messages, and both kinds of operations.
fn everywhere(check: impl Fn(Called)) {
    for size in (1..=9).chain([16, 17]) {
        for root in [0, 1, size / 2, size - 1].into_iter().filter(|&root| root < size) {
            for (eager, commutes) in [(1 << 20, OperandOrder::Commute), (3, OperandOrder::Ordered)] {
                check(Called { size, root, amount: 3, eager, commutes });
                check(Called { size, root, amount: 3, eager: eager ^ 1 << 20, commutes });
            }
        }
    }
}

/// Checks every algorithm of a collective with these amounts; where nothing is combined, once for both kinds of operations.
fn check_all(key: &str, amounts: &[usize]) {
    let combines = key.contains("reduce") || key.contains("scan");
    for choice in choices(if key == "exscan" { "scan" } else { key }) {
        everywhere(|call| {
            if combines || call.commutes == OperandOrder::Commute {
                amounts.iter().for_each(|&amount| Called { amount, ..call }.check(key, &choice));
            }
        });
    }
}

#[test]
fn bcast() {
    check_all("bcast", &[0, 10]);
    // Several segments of those that are as long as they are by default.
    for (choice, size) in choices("bcast").iter().flat_map(|choice| [2, 5, 8, 17].map(|size| (choice, size)))
    {
        let call = Called { size, root: 1, amount: 20_000, eager: 1 << 14, commutes: OperandOrder::Commute };
        call.check("bcast", choice);
    }
}

#[test]
fn reduce() {
    check_all("reduce", &[0, 5, 40]);
}

#[test]
fn allreduce() {
    check_all("allreduce", &[0, 1, 5, 40]);
}

#[test]
fn reduce_scatter() {
    check_all("reduce_scatter", &[0, 1, 5, 40]);
}

#[test]
fn blocks_and_prefixes() {
    ["barrier", "gather", "scatter", "allgather", "alltoall"]
        .into_iter()
        .for_each(|key| check_all(key, &[3]));
    ["scan", "exscan"].into_iter().for_each(|key| check_all(key, &[5]));
}

/// Around a ring: data that go forward arrive from behind, and the other way round, also where both neighbors are one
/// rank (2 ranks) or the rank itself (1 rank).
#[test]
fn neighbors_of_a_ring() {
    everywhere(|Called { size, eager, .. }| {
        let ring = Cartesian::new(&[GridSide { length: size as u32, ends: Ends::Joined }], size).unwrap();
        let ring = VirtualTopology::Cartesian(ring);
        let blocks = || Blocks::Even { count: 2, bytes: 2 };
        let plan = |place: Place| Plan::neighbors(ring.neighbors(place.rank as u32), blocks(), blocks());
        let got = run(size, eager, OperandOrder::Commute, plan, |rank| vec![rank as u8, 0, rank as u8, 1]);
        for (rank, got) in got.iter().enumerate() {
            let (before, behind) = ((rank + size - 1) % size, (rank + 1) % size);
            assert_eq!(*got, [before as u8, 1, behind as u8, 0], "size {size} rank {rank}");
        }
    });
}
