//! Collectives between the two groups of an intercommunicator (MPI 5.0, section 6.2.3): what one group gives, the other
//! gets. Data that all of a group get come to its rank 0 and go on inside; data that are combined are combined inside,
//! at rank 0, and go to the other group from there; all other data go straight from rank to rank. Ranks are counted
//! over both groups.

use super::plan::{Arguments, Between, Call, Function, Lengths, Root};
use super::schedule::shifted;
use super::{Blocks, Choice, Commutes, Place, Plan, Round, Schedule};
use std::ops::Range;

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

fn between(arguments: Between) -> Arguments {
    Arguments::new(Lengths::Between(arguments))
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
            Root::Here | Root::Local => self.before + self.local.rank,
            Root::Remote(rank) => self.remote_before + rank,
        };
        Call::with_root(function, rank)
    }

    /// A rank of the group of the root that is not the root.
    fn nothing(&self, function: Function, arguments: Arguments) -> Plan {
        let schedule = Schedule::new(0, |_, _| {});
        Plan::giving(self.call(function, Root::Local), arguments, schedule, 0)
    }

    /// No rank of one group goes on before all of the other have come.
    pub fn barrier(&self, choice: &Choice) -> Plan {
        let rank = self.before + self.local.rank;
        Plan::barrier(choice, Place { rank, size: self.local.size + self.remote })
    }

    /// The root's data go to everybody of the other group.
    pub fn bcast(&self, choice: &Choice, root: Root, bytes: usize) -> Plan {
        let arguments = between(Between::Bcast { root, bytes });
        let call = self.call(Function::Bcast, root);
        let mut round = Round::default();
        match root {
            Root::Local => self.nothing(Function::Bcast, arguments),
            Root::Here => {
                round.send(self.remote_before, 0..bytes);
                Plan::giving(call, arguments, one(round), bytes)
            }
            Root::Remote(rank) => {
                if self.is_first() {
                    round.receive(self.remote_before + rank, 0..bytes);
                }
                let inside = Plan::bcast(choice, self.local, 0, bytes);
                Plan::getting(call, arguments, one(round).then(self.inside(inside.schedule)), bytes)
            }
        }
    }

    /// A block of each of the other group goes to the root; `blocks` are theirs at the root, and elsewhere the own one.
    pub fn gather(&self, root: Root, blocks: &Blocks) -> Plan {
        let arguments = between(Between::Gather { root, blocks: blocks.clone() });
        let call = self.call(Function::Gather, root);
        let (mut round, total) = (Round::default(), blocks.total());
        match root {
            Root::Local => self.nothing(Function::Gather, arguments),
            Root::Here => {
                (0..self.remote)
                    .for_each(|rank| round.receive(self.remote_before + rank, blocks.range(rank)));
                Plan::getting(call, arguments, one(round), total)
            }
            Root::Remote(rank) => {
                round.send(self.remote_before + rank, 0..total);
                Plan::giving(call, arguments, one(round), total)
            }
        }
    }

    /// A block of the root's goes to each of the other group; `blocks` are theirs at the root, and elsewhere the own one.
    pub fn scatter(&self, root: Root, blocks: &Blocks) -> Plan {
        let arguments = between(Between::Scatter { root, blocks: blocks.clone() });
        let gather = self.gather(root, blocks);
        Plan { arguments, ..gather.backwards(self.call(Function::Scatter, root)) }
    }

    /// The own data, `bytes` long, go to everybody of the other group, and theirs come, each of its own length.
    pub fn allgather(&self, bytes: usize, into: &Blocks) -> Plan {
        let arguments = between(Between::Allgather { bytes, into: into.clone() });
        self.exchange(Function::Allgather, arguments, |_| 0..bytes, (bytes, into))
    }

    /// A block of each goes to each of the other group.
    pub fn alltoall(&self, out: &Blocks, into: &Blocks) -> Plan {
        let arguments = between(Between::Alltoall { out: out.clone(), into: into.clone() });
        self.exchange(Function::Alltoall, arguments, |rank| out.range(rank), (out.total(), into))
    }

    fn exchange(
        &self,
        function: Function,
        arguments: Arguments,
        out: impl Fn(usize) -> Range<usize>,
        (given, into): (usize, &Blocks),
    ) -> Plan {
        let mut round = Round::default();
        // Everybody begins with another one, so that no rank gets all messages first.
        for step in 0..self.remote {
            let rank = (self.local.rank + step) % self.remote;
            round.exchange(self.remote_before + rank, out(rank), shifted(into.range(rank), given));
        }
        Plan::exchanging(Call::new(function), arguments, one(round), (given, into.total()))
    }

    /// The data of the other group, `elements` of `extent` bytes each, are combined at the root.
    pub fn reduce(
        &self,
        choice: &Choice,
        root: Root,
        elements: usize,
        extent: usize,
        commutes: Commutes,
    ) -> Plan {
        let arguments = between(Between::Reduce { root, elements, extent, commutes });
        let (call, bytes) = (self.call(Function::Reduce, root), elements * extent);
        let mut round = Round::default();
        match root {
            Root::Local => self.nothing(Function::Reduce, arguments),
            Root::Here => {
                round.receive(self.remote_before, 0..bytes);
                Plan::getting(call, arguments, one(round), bytes)
            }
            Root::Remote(rank) => {
                let inside = Plan::reduce(choice, self.local, 0, elements, extent, commutes);
                if self.is_first() {
                    round.send(self.remote_before + rank, inside.result.clone());
                }
                let schedule = self.inside(inside.schedule).then(one(round));
                Plan { call, arguments, schedule, result: 0..0, ..inside }
            }
        }
    }

    /// The data of each group are combined, and everybody of the other gets them.
    pub fn allreduce(&self, choice: &Choice, elements: usize, extent: usize, commutes: Commutes) -> Plan {
        let arguments = between(Between::Allreduce { elements, extent, commutes });
        let combined = self.combined(choice, elements, extent, commutes);
        let then = Plan::bcast(choice, self.local, 0, elements * extent);
        let result = 0..elements * extent;
        self.then_inside(Call::new(Function::Allreduce), arguments, combined, Plan { result, ..then })
    }

    /// The data of each group are combined, and everybody of the other gets a block. `blocks` are those of the own group;
    /// both groups have as many bytes.
    pub fn reduce_scatter(&self, choice: &Choice, blocks: Blocks, extent: usize, commutes: Commutes) -> Plan {
        let elements = blocks.total().checked_div(extent).unwrap_or(0);
        let arguments = between(Between::ReduceScatter { blocks: blocks.clone(), extent, commutes });
        let combined = self.combined(choice, elements, extent, commutes);
        let then = Plan::scatterv(self.local, 0, blocks);
        self.then_inside(Call::new(Function::ReduceScatter), arguments, combined, then)
    }

    /// Combines inside the group, and exchanges what comes out: at rank 0, the other group's is at the beginning then.
    fn combined(&self, choice: &Choice, elements: usize, extent: usize, commutes: Commutes) -> Plan {
        let inside = Plan::reduce(choice, self.local, 0, elements, extent, commutes);
        let mut round = Round::default();
        if self.is_first() {
            round.exchange(self.remote_before, inside.result.clone(), 0..elements * extent);
        }
        Plan { schedule: self.inside(inside.schedule).then(one(round)), ..inside }
    }

    fn then_inside(&self, call: Call, arguments: Arguments, first: Plan, then: Plan) -> Plan {
        let schedule = first.schedule.then(self.inside(then.schedule));
        let workspace = then.workspace.max(first.workspace);
        Plan { call, arguments, schedule, workspace, input: first.input, result: then.result }
    }
}
