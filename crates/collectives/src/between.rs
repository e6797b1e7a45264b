//! Collectives between the two groups of an intercommunicator (MPI 5.0, section 6.2.3): what one group gives, the other
//! gets. Data that all of a group get come to its rank 0 and go on inside; data that are combined are combined inside,
//! at rank 0, and go to the other group from there; all other data go straight from rank to rank. Ranks are counted
//! over both groups.

use super::plan::{Call, asked, of_combined, of_elements};
use super::schedule::shifted;
use super::{Blocks, Choice, Place, Plan, Round, Schedule};
use std::ops::Range;
use weir_operations::{Collective, Function, Lengths, OperandOrder, Root};

/// The two groups of an intercommunicator, as one rank sees them.
#[derive(Clone, Copy, Debug)]
pub struct Sides {
    /// The rank's place in its own group.
    pub local: Place,
    /// Ranks counted before the own group: none, or the other group.
    pub before: usize,
    /// Number of ranks of the other group.
    pub remote: usize,
    /// Ranks counted before the other group.
    pub remote_before: usize,
}

fn rooted(function: Function, root: Root, lengths: Lengths) -> Collective {
    Collective::new(function, root, lengths)
}

/// The lengths that a rank knows of the blocks of the other group: the root knows all of them, the others of its group none, and a rank of
/// the other group its own.
fn known(root: Root, blocks: &Blocks) -> Lengths {
    match root {
        Root::Here => Lengths::Blocks(blocks.listed()),
        Root::Rank(_) => Lengths::Bytes(blocks.total() as u64),
        Root::None | Root::Elsewhere => Lengths::Bytes(0),
    }
}

fn one(round: Round) -> Schedule {
    Schedule::new(1, move |_, now| now.clone_from(&round))
}

impl Sides {
    fn inside(&self, schedule: Schedule) -> Schedule {
        let before = self.before;
        schedule.renumbered(move |rank| rank + before)
    }

    fn is_first(&self) -> bool {
        self.local.rank == 0
    }

    /// The number of the root, counted over both groups; for the group of a root that is not here it does not matter,
    /// for that group sends nothing.
    fn call(&self, function: Function, root: Root) -> Call {
        let rank = match root {
            Root::Here | Root::Elsewhere | Root::None => self.before + self.local.rank,
            Root::Rank(rank) => self.remote_before + rank as usize,
        };
        Call::with_root(function, rank)
    }

    /// A rank of the group of the root that is not the root.
    fn nothing(&self, function: Function, collective: Collective) -> Plan {
        let schedule = Schedule::new(0, |_, _| {});
        Plan::giving(self.call(function, Root::Elsewhere), collective, schedule, 0)
    }

    /// No rank of one group goes on before all of the other have come.
    pub fn barrier(&self, choice: &Choice) -> Plan {
        let rank = self.before + self.local.rank;
        Plan::barrier(choice, Place { rank, size: self.local.size + self.remote })
    }

    /// The root's data go to everybody of the other group.
    pub fn bcast(&self, choice: &Choice, root: Root, bytes: usize) -> Plan {
        let collective = rooted(Function::Bcast, root, Lengths::Bytes(bytes as u64));
        let call = self.call(Function::Bcast, root);
        let mut round = Round::default();
        match root {
            Root::Elsewhere | Root::None => self.nothing(Function::Bcast, collective),
            Root::Here => {
                round.send(self.remote_before, 0..bytes);
                Plan::giving(call, collective, one(round), bytes)
            }
            Root::Rank(rank) => {
                if self.is_first() {
                    round.receive(self.remote_before + rank as usize, 0..bytes);
                }
                let inside = Plan::bcast(choice, self.local, 0, bytes);
                Plan::getting(call, collective, one(round).then(self.inside(inside.schedule)), bytes)
            }
        }
    }

    /// A block of each of the other group goes to the root; `blocks` are theirs at the root, and elsewhere the own one.
    pub fn gather(&self, root: Root, blocks: &Blocks) -> Plan {
        let collective = rooted(Function::Gatherv, root, known(root, blocks));
        let call = self.call(Function::Gather, root);
        let (mut round, total) = (Round::default(), blocks.total());
        match root {
            Root::Elsewhere | Root::None => self.nothing(Function::Gather, collective),
            Root::Here => {
                (0..self.remote)
                    .for_each(|rank| round.receive(self.remote_before + rank, blocks.range(rank)));
                Plan::getting(call, collective, one(round), total)
            }
            Root::Rank(rank) => {
                round.send(self.remote_before + rank as usize, 0..total);
                Plan::giving(call, collective, one(round), total)
            }
        }
    }

    /// A block of the root's goes to each of the other group; `blocks` are theirs at the root, and elsewhere the own one.
    pub fn scatter(&self, root: Root, blocks: &Blocks) -> Plan {
        let collective = rooted(Function::Scatterv, root, known(root, blocks));
        let gather = self.gather(root, blocks);
        Plan { collective, ..gather.backwards(self.call(Function::Scatter, root)) }
    }

    /// The own data, `bytes` long, go to everybody of the other group, and theirs come, each of its own length.
    pub fn allgather(&self, bytes: usize, into: &Blocks) -> Plan {
        let lengths = match bytes as u64 {
            0 => Lengths::Blocks(into.listed()),
            bytes => Lengths::Given { bytes, into: into.listed() },
        };
        let collective = asked(Function::Allgatherv, lengths);
        self.exchange(Function::Allgather, collective, |_| 0..bytes, (bytes, into))
    }

    /// A block of each goes to each of the other group.
    pub fn alltoall(&self, out: &Blocks, into: &Blocks) -> Plan {
        let all = |blocks: &Blocks| blocks.each(blocks.count()).collect();
        let collective = asked(Function::Alltoallv, Lengths::Exchange { out: all(out), into: all(into) });
        self.exchange(Function::Alltoall, collective, |rank| out.range(rank), (out.total(), into))
    }

    fn exchange(
        &self,
        function: Function,
        collective: Collective,
        out: impl Fn(usize) -> Range<usize>,
        (given, into): (usize, &Blocks),
    ) -> Plan {
        let mut round = Round::default();
        // Everybody begins with another one, so that no rank gets all messages first.
        for step in 0..self.remote {
            let rank = (self.local.rank + step) % self.remote;
            round.exchange(self.remote_before + rank, out(rank), shifted(into.range(rank), given));
        }
        Plan::exchanging(Call::new(function), collective, one(round), (given, into.total()))
    }

    /// The data of the other group, `elements` of `extent` bytes each, are combined at the root.
    pub fn reduce(
        &self,
        choice: &Choice,
        root: Root,
        elements: usize,
        extent: usize,
        commutes: OperandOrder,
    ) -> Plan {
        let collective = rooted(Function::Reduce, root, of_elements(elements, extent, commutes));
        let (call, bytes) = (self.call(Function::Reduce, root), elements * extent);
        let mut round = Round::default();
        match root {
            Root::Elsewhere | Root::None => self.nothing(Function::Reduce, collective),
            Root::Here => {
                round.receive(self.remote_before, 0..bytes);
                Plan::getting(call, collective, one(round), bytes)
            }
            Root::Rank(rank) => {
                let inside = Plan::reduce(choice, self.local, 0, elements, extent, commutes);
                if self.is_first() {
                    round.send(self.remote_before + rank as usize, inside.result.clone());
                }
                let schedule = self.inside(inside.schedule).then(one(round));
                Plan { call, collective, schedule, result: 0..0, ..inside }
            }
        }
    }

    /// The data of each group are combined, and everybody of the other gets them.
    pub fn allreduce(&self, choice: &Choice, elements: usize, extent: usize, commutes: OperandOrder) -> Plan {
        let collective = asked(Function::Allreduce, of_elements(elements, extent, commutes));
        let combined = self.combined(choice, elements, extent, commutes);
        let then = Plan::bcast(choice, self.local, 0, elements * extent);
        let result = 0..elements * extent;
        self.then_inside(Call::new(Function::Allreduce), collective, combined, Plan { result, ..then })
    }

    /// The data of each group are combined, and everybody of the other gets a block. `blocks` are those of the own group;
    /// both groups have as many bytes.
    pub fn reduce_scatter(
        &self,
        choice: &Choice,
        blocks: Blocks,
        extent: usize,
        commutes: OperandOrder,
    ) -> Plan {
        let elements = blocks.total().checked_div(extent).unwrap_or(0);
        let collective = asked(Function::ReduceScatter, of_combined(&blocks, extent, commutes));
        let combined = self.combined(choice, elements, extent, commutes);
        let then = Plan::scatterv(self.local, 0, blocks);
        self.then_inside(Call::new(Function::ReduceScatter), collective, combined, then)
    }

    /// Combines inside the group, and exchanges what comes out: at rank 0, the other group's is at the beginning then.
    fn combined(&self, choice: &Choice, elements: usize, extent: usize, commutes: OperandOrder) -> Plan {
        let inside = Plan::reduce(choice, self.local, 0, elements, extent, commutes);
        let mut round = Round::default();
        if self.is_first() {
            round.exchange(self.remote_before, inside.result.clone(), 0..elements * extent);
        }
        Plan { schedule: self.inside(inside.schedule).then(one(round)), ..inside }
    }

    fn then_inside(&self, call: Call, collective: Collective, first: Plan, then: Plan) -> Plan {
        let schedule = first.schedule.then(self.inside(then.schedule));
        let workspace = then.workspace.max(first.workspace);
        Plan { call, collective, schedule, workspace, input: first.input, result: then.result }
    }
}
