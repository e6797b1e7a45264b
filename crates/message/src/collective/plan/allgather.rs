//! All-gathers.

use super::Plan;
use crate::collective::arguments::{Arguments, Lengths};
use crate::collective::blocks::Blocks;
use crate::collective::call::{Call, Function};
use crate::collective::choice::{Allgather, Choice};
use crate::collective::selection::Situation;
use crate::collective::sequence::Sequence;
use crate::collective::{
    Place, Schedule, allgather_bruck, allgather_neighbor_exchange, allgather_recursive_doubling,
    allgather_ring,
};
use std::rc::Rc;

impl Plan {
    /// A block of each goes to everybody.
    #[must_use]
    pub fn allgather(choice: &Choice, place: Place, bytes: usize) -> Self {
        let all = place.size * bytes;
        let blocks = Blocks::Even { count: place.size, bytes };
        match choice.allgather {
            Allgather::Auto => {
                let call = Situation::moving(place.size, all);
                Self::allgather(&choice.decided::<Allgather>(&call), place, bytes)
            }
            Allgather::Bruck => {
                let schedule = Rc::new(allgather_bruck::Bruck { place, bytes });
                let workspace = schedule.workspace();
                Self {
                    call: Call::new(Function::Allgather),
                    arguments: Arguments::new(Lengths::Bytes(bytes)),
                    schedule,
                    workspace,
                    input: 0..bytes,
                    result: 0..all,
                }
            }
            Allgather::Linear => {
                let gather = Self::gather(choice, place, 0, bytes);
                let arguments = Arguments::new(Lengths::Bytes(bytes));
                Self { arguments, ..Self::gathered_then_sent(choice, place, gather, all) }
            }
            Allgather::Ring | Allgather::RecursiveDoubling | Allgather::NeighborExchange => {
                let arguments = Arguments::new(Lengths::Bytes(bytes));
                Self { arguments, ..Self::allgatherv(choice, place, blocks) }
            }
        }
    }

    /// Colour and key of each, two numbers of 32 bits, go to everybody: for [`crate::Process::split`].
    #[must_use]
    pub fn split(place: Place) -> Self {
        let choice = Choice { allgather: Allgather::Bruck, ..Choice::default() };
        Self { arguments: Arguments::new(Lengths::Split), ..Self::allgather(&choice, place, 8) }
    }

    /// A block of each, of its own length, goes to everybody. Bruck's algorithm knows blocks of one length only;
    /// recursive doubling takes its place. Neighbor exchange needs an even number of ranks, else a ring takes its
    /// place.
    #[must_use]
    pub fn allgatherv(choice: &Choice, place: Place, blocks: Blocks) -> Self {
        let (all, own) = (blocks.total(), blocks.range(place.rank));
        let arguments = Arguments::new(Lengths::Blocks(blocks.clone()));
        let schedule: Rc<dyn Schedule> = match choice.allgather {
            Allgather::Linear => {
                let gather = Self::gatherv(place, 0, blocks);
                return Self { arguments, ..Self::gathered_then_sent(choice, place, gather, all) };
            }
            Allgather::Auto => {
                let call = Situation::moving(place.size, all);
                return Self::allgatherv(&choice.decided::<Allgather>(&call), place, blocks);
            }
            Allgather::Bruck | Allgather::RecursiveDoubling => {
                Rc::new(allgather_recursive_doubling::RecursiveDoubling { place, blocks })
            }
            Allgather::NeighborExchange if place.size.is_multiple_of(2) => {
                Rc::new(allgather_neighbor_exchange::NeighborExchange { place, blocks })
            }
            Allgather::NeighborExchange => Rc::new(allgather_ring::Ring { place, blocks, rings: 1 }),
            Allgather::Ring => {
                let rings = choice.parameters.allgather.rings();
                Rc::new(allgather_ring::Ring { place, blocks, rings })
            }
        };
        let call = Call::new(Function::Allgather);
        Self { call, arguments, schedule, workspace: all, input: own, result: 0..all }
    }

    /// A gather to rank 0, then a broadcast of the blocks of all.
    fn gathered_then_sent(choice: &Choice, place: Place, gather: Self, all: usize) -> Self {
        let bcast = Self::bcast(choice, place, 0, all);
        Self {
            call: Call::new(Function::Allgather),
            schedule: Rc::new(Sequence(gather.schedule, bcast.schedule)),
            workspace: gather.workspace.max(bcast.workspace),
            result: 0..all,
            ..gather
        }
    }
}
