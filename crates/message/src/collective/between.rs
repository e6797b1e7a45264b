//! Collectives between the two groups of an intercommunicator (MPI 5.0, section 6.2.3): what one group gives, the other
//! gets. Data that all of a group get come to its rank 0 and go on inside; data that are combined are combined inside,
//! at rank 0, and go to the other group from there; all other data go straight from rank to rank. Ranks are counted
//! over both groups ([`crate::Communicator::everybody`]).

use super::arguments::{Arguments, Between, Lengths, Root};
use super::call::{Call, Function};
use super::sequence::Sequence;
use super::{Blocks, Choice, Commutes, Place, Plan, Round, Schedule};
use std::rc::Rc;

/// The two groups of an intercommunicator, as one rank sees them.
#[derive(Clone, Copy, Debug)]
pub struct Sides {
    /// The rank's place in its own group.
    pub local: Place,
    /// Ranks counted before the own group: none, or the other group.
    pub before: usize,
    /// How many ranks the other group has.
    pub remote: usize,
    /// Ranks counted before the other group.
    pub remote_before: usize,
}

/// Rounds as they are.
struct Rounds(Vec<Round>);

impl Schedule for Rounds {
    fn rounds(&self) -> usize {
        self.0.len()
    }

    fn round(&self, index: usize, round: &mut Round) {
        round.clone_from(&self.0[index]);
    }
}

/// A schedule inside one group.
struct Inside {
    schedule: Rc<dyn Schedule>,
    before: usize,
}

impl Schedule for Inside {
    fn rounds(&self) -> usize {
        self.schedule.rounds()
    }

    fn round(&self, index: usize, round: &mut Round) {
        self.schedule.round(index, round);
        for transfer in round.sends.iter_mut().chain(&mut round.receives) {
            transfer.peer += self.before as u32;
        }
    }
}

fn between(arguments: Between) -> Arguments {
    Arguments::new(Lengths::Between(arguments))
}

fn one(round: Round) -> Rc<dyn Schedule> {
    Rc::new(Rounds(vec![round]))
}

impl Sides {
    fn inside(&self, schedule: Rc<dyn Schedule>) -> Rc<dyn Schedule> {
        Rc::new(Inside { schedule, before: self.before })
    }

    fn is_first(&self) -> bool {
        self.local.rank == 0
    }

    /// The number of the root, counted over both groups; for the group of a root that is not here it does not matter,
    /// for that group sends nothing.
    fn call(&self, function: Function, root: Root) -> Call {
        Call::with_root(
            function,
            match root {
                Root::Here | Root::Local => self.before + self.local.rank,
                Root::Remote(rank) => self.remote_before + rank,
            },
        )
    }

    /// A rank of the group of the root that is not the root.
    fn nothing(&self, function: Function, arguments: Arguments) -> Plan {
        let call = self.call(function, Root::Local);
        Plan {
            call,
            arguments,
            schedule: Rc::new(Rounds(Vec::new())),
            workspace: 0,
            input: 0..0,
            result: 0..0,
        }
    }

    /// No rank of one group goes on before all of the other have come.
    #[must_use]
    pub fn barrier(&self, choice: &Choice) -> Plan {
        let rank = self.before + self.local.rank;
        Plan::barrier(choice, Place { rank, size: self.local.size + self.remote })
    }

    /// The root's data go to everybody of the other group.
    #[must_use]
    pub fn bcast(&self, choice: &Choice, root: Root, bytes: usize) -> Plan {
        let arguments = between(Between::Bcast { root, bytes });
        let call = self.call(Function::Bcast, root);
        let mut round = Round::default();
        match root {
            Root::Local => self.nothing(Function::Bcast, arguments),
            Root::Here => {
                round.send(self.remote_before, 0..bytes);
                Plan {
                    call,
                    arguments,
                    schedule: one(round),
                    workspace: bytes,
                    input: 0..bytes,
                    result: 0..0,
                }
            }
            Root::Remote(rank) => {
                if self.is_first() {
                    round.receive(self.remote_before + rank, 0..bytes);
                }
                let inside = Plan::bcast(choice, self.local, 0, bytes);
                let schedule = Rc::new(Sequence(one(round), self.inside(inside.schedule)));
                Plan { call, arguments, schedule, workspace: inside.workspace, input: 0..0, result: 0..bytes }
            }
        }
    }

    /// A block of each of the other group goes to the root; `blocks` are theirs at the root, and elsewhere the own one.
    #[must_use]
    pub fn gather(&self, root: Root, blocks: &Blocks) -> Plan {
        let arguments = between(Between::Gather { root, blocks: blocks.clone() });
        let call = self.call(Function::Gather, root);
        let (mut round, total) = (Round::default(), blocks.total());
        match root {
            Root::Local => self.nothing(Function::Gather, arguments),
            Root::Here => {
                (0..self.remote)
                    .for_each(|rank| round.receive(self.remote_before + rank, blocks.range(rank)));
                Plan {
                    call,
                    arguments,
                    schedule: one(round),
                    workspace: total,
                    input: 0..0,
                    result: 0..total,
                }
            }
            Root::Remote(rank) => {
                round.send(self.remote_before + rank, 0..total);
                Plan {
                    call,
                    arguments,
                    schedule: one(round),
                    workspace: total,
                    input: 0..total,
                    result: 0..0,
                }
            }
        }
    }

    /// A block of the root's goes to each of the other group; `blocks` are theirs at the root, and elsewhere the own one.
    #[must_use]
    pub fn scatter(&self, root: Root, blocks: &Blocks) -> Plan {
        let arguments = between(Between::Scatter { root, blocks: blocks.clone() });
        let call = self.call(Function::Scatter, root);
        let (mut round, total) = (Round::default(), blocks.total());
        match root {
            Root::Local => self.nothing(Function::Scatter, arguments),
            Root::Here => {
                (0..self.remote).for_each(|rank| round.send(self.remote_before + rank, blocks.range(rank)));
                Plan {
                    call,
                    arguments,
                    schedule: one(round),
                    workspace: total,
                    input: 0..total,
                    result: 0..0,
                }
            }
            Root::Remote(rank) => {
                round.receive(self.remote_before + rank, 0..total);
                Plan {
                    call,
                    arguments,
                    schedule: one(round),
                    workspace: total,
                    input: 0..0,
                    result: 0..total,
                }
            }
        }
    }

    /// The own data, `bytes` long, go to everybody of the other group, and theirs come, each of its own length.
    #[must_use]
    pub fn allgather(&self, bytes: usize, into: &Blocks) -> Plan {
        let arguments = between(Between::Allgather { bytes, into: into.clone() });
        self.exchange(Function::Allgather, arguments, |_| 0..bytes, (bytes, into))
    }

    /// A block of each goes to each of the other group.
    #[must_use]
    pub fn alltoall(&self, out: &Blocks, into: &Blocks) -> Plan {
        let arguments = between(Between::Alltoall { out: out.clone(), into: into.clone() });
        self.exchange(Function::Alltoall, arguments, |rank| out.range(rank), (out.total(), into))
    }

    fn exchange(
        &self,
        function: Function,
        arguments: Arguments,
        out: impl Fn(usize) -> std::ops::Range<usize>,
        (given, into): (usize, &Blocks),
    ) -> Plan {
        let (mut round, got) = (Round::default(), into.total());
        // Everybody begins with another one, so that no rank gets all messages first.
        for step in 0..self.remote {
            let rank = (self.local.rank + step) % self.remote;
            let range = into.range(rank);
            round.send(self.remote_before + rank, out(rank));
            round.receive(self.remote_before + rank, given + range.start..given + range.end);
        }
        let (call, workspace) = (Call::new(function), given + got);
        Plan { call, arguments, schedule: one(round), workspace, input: 0..given, result: given..given + got }
    }

    /// The data of the other group, `elements` of `extent` bytes each, are combined at the root.
    #[must_use]
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
                Plan {
                    call,
                    arguments,
                    schedule: one(round),
                    workspace: bytes,
                    input: 0..0,
                    result: 0..bytes,
                }
            }
            Root::Remote(rank) => {
                let inside = Plan::reduce(choice, self.local, 0, elements, extent, commutes);
                if self.is_first() {
                    round.send(self.remote_before + rank, inside.result.clone());
                }
                let schedule = Rc::new(Sequence(self.inside(inside.schedule), one(round)));
                Plan {
                    call,
                    arguments,
                    schedule,
                    workspace: inside.workspace,
                    input: inside.input,
                    result: 0..0,
                }
            }
        }
    }

    /// The data of each group are combined, and everybody of the other gets them.
    #[must_use]
    pub fn allreduce(&self, choice: &Choice, elements: usize, extent: usize, commutes: Commutes) -> Plan {
        let bytes = elements * extent;
        let combined = self.combined(choice, elements, extent, commutes);
        let inside = Plan::bcast(choice, self.local, 0, bytes);
        let arguments = between(Between::Allreduce { elements, extent, commutes });
        let plan =
            self.then_inside(Function::Allreduce, combined, inside.workspace, inside.schedule, 0..bytes);
        Plan { arguments, ..plan }
    }

    /// The data of each group are combined, and everybody of the other gets a block. `blocks` are those of the own group;
    /// both groups have as many bytes.
    #[must_use]
    pub fn reduce_scatter(&self, choice: &Choice, blocks: Blocks, extent: usize, commutes: Commutes) -> Plan {
        let elements = blocks.total().checked_div(extent).unwrap_or(0);
        let arguments = between(Between::ReduceScatter { blocks: blocks.clone(), extent, commutes });
        let combined = self.combined(choice, elements, extent, commutes);
        let Plan { workspace, schedule, result, .. } = Plan::scatterv(self.local, 0, blocks);
        let plan = self.then_inside(Function::ReduceScatter, combined, workspace, schedule, result);
        Plan { arguments, ..plan }
    }

    /// Combines inside the group, and exchanges what comes out: at rank 0, the other group's is at the beginning then.
    fn combined(&self, choice: &Choice, elements: usize, extent: usize, commutes: Commutes) -> Plan {
        let inside = Plan::reduce(choice, self.local, 0, elements, extent, commutes);
        let mut round = Round::default();
        if self.is_first() {
            round.send(self.remote_before, inside.result.clone());
            round.receive(self.remote_before, 0..elements * extent);
        }
        Plan { schedule: Rc::new(Sequence(self.inside(inside.schedule), one(round))), ..inside }
    }

    fn then_inside(
        &self,
        function: Function,
        first: Plan,
        workspace: usize,
        then: Rc<dyn Schedule>,
        result: std::ops::Range<usize>,
    ) -> Plan {
        let schedule = Rc::new(Sequence(first.schedule, self.inside(then)));
        let workspace = workspace.max(first.workspace);
        let call = Call::new(function);
        Plan { call, arguments: first.arguments, schedule, workspace, input: first.input, result }
    }
}
