//! Checks that the ranks of a collective give the same number of bytes and the same operation.
//!
//! Messages do not show all of that. A rank of a reduction that only sends never learns of another operation, and a message
//! that is shorter than the room for it may be meant so. But all ranks are simulated in one place: the first rank that comes
//! to a collective writes down its terms, and those that come later compare theirs. It costs no message and no simulated
//! time. Where each block has a count of its own (`MPI_Gatherv` and its kind), ranks do not know the same counts, and
//! nothing is compared; nor where ranks are processes of their own, or several processes run them together.

use crate::mpi::operations;
use crate::mpi::prelude::*;
use crate::rank::errors::ErrorHandler;
use crate::world::World;
use std::cell::RefMut;
use std::collections::BTreeMap;
use weir_message::Meeting;
use weir_message::collective::{Call, Lengths, Plan};
use weir_units::Rank;

/// Arguments that all ranks of a collective have to give alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Terms {
    call: Call,
    /// Bytes of all, or of each block.
    bytes: usize,
    /// Value of a predefined operation; 0 where there is none, and for those of the program, which each rank numbers.
    operation: usize,
}

impl Terms {
    fn of(plan: &Plan, operation: usize) -> Option<Self> {
        let bytes = match &plan.arguments.lengths {
            Lengths::Bytes(bytes) => *bytes,
            Lengths::Elements { elements, extent, .. } => elements * extent,
            Lengths::Combined { blocks, .. } => blocks.total(),
            _ => return None,
        };
        Some(Self { call: plan.call, bytes, operation })
    }

    /// Returns the mistake if another rank has other terms.
    fn differ(&self, rank: Rank, other: &Self, of: Rank) -> Option<MpiError> {
        let (call, rank, of) = (self.call, rank.0, of.0);
        // Whether they call the same at all, their messages show.
        if call != other.call || self == other {
            return None;
        }
        if self.operation != other.operation {
            let [one, two] = [self, other].map(|terms| operations::name(terms.operation));
            return Some(MpiError::Operation(format!(
                "the ranks do not agree: rank {rank} calls {call} with {one}, and rank {of} with {two}"
            )));
        }
        let (one, two) = (self.bytes, other.bytes);
        Some(MpiError::Other(format!(
            "the ranks give different counts: rank {rank} calls {call} with {one} bytes, and rank {of} with {two}"
        )))
    }
}

/// A collective: the context of its communicator, and its number there.
pub(super) type Number = (u64, u64);

/// The collectives to which some ranks have come, and others have not.
#[derive(Debug, Default)]
struct Agreements {
    /// One of them: most programs have no more at a time, and need no search.
    only: Option<(Number, Open)>,
    others: BTreeMap<Number, Open>,
    /// Those whose ranks do not agree.
    broken: BTreeMap<Number, MpiError>,
}

#[derive(Debug)]
struct Open {
    terms: Terms,
    first: Rank,
    /// Number of ranks that have come.
    came: usize,
}

impl Agreements {
    /// A rank comes, to a collective of so many; what is wrong with its terms.
    fn come(&mut self, number: Number, terms: Terms, rank: Rank, size: usize) -> Done {
        let new = Open { terms, first: rank, came: 0 };
        let is_only = match &self.only {
            Some((only, _)) => *only == number,
            None => !self.others.contains_key(&number),
        };
        let open = match is_only {
            true => &mut self.only.get_or_insert((number, new)).1,
            false => self.others.entry(number).or_insert(new),
        };
        open.came += 1;
        let mistake = terms.differ(rank, &open.terms, open.first);
        match open.came == size {
            true if is_only => self.only = None,
            true => _ = self.others.remove(&number),
            false => {}
        }
        match mistake {
            None => Ok(()),
            Some(mistake) => {
                self.broken.insert(number, mistake.clone());
                Err(mistake)
            }
        }
    }
}

impl World {
    fn agreements(&self) -> RefMut<'_, Agreements> {
        self.shared(|_| Agreements::default())
    }
}

/// Numbers of collectives that are started later are apart from those of others.
const RESERVED: u64 = 1 << 63;

/// The running rank comes to a collective. Its number, if anything is to be asked at the end.
///
/// # Errors
/// When the ranks do not agree, and the program does not go on from there. A program that does gets the error at the end of
/// the collective: other ranks wait for the messages of this one.
pub(super) fn come(
    context: &mut Context,
    communicator: CommunicatorId,
    meeting: Meeting,
    plan: &Plan,
    operation: usize,
) -> Result<Option<Number>> {
    let Some(terms) = Terms::of(plan, operation) else { return Ok(None) };
    let rank = context.rank();
    let known = rank.process.communicator(communicator)?;
    let size = known.everybody().size();
    if size == 1 || rank.world.who_is_elsewhere().is_some() {
        return Ok(None);
    }
    let number = match meeting {
        Meeting::InOrder => (known.context(), known.collectives() + 1),
        Meeting::Reserved(number) => (known.context(), u64::from(number) | RESERVED),
    };
    let verdict = rank.world.agreements().come(number, terms, rank.process.rank(), size);
    match verdict {
        Err(mistake) if ends_the_run(context, communicator) => Err(mistake),
        _ => Ok(Some(number)),
    }
}

/// Returns true if mistakes on a communicator end the run.
pub(super) fn ends_the_run(context: &mut Context, communicator: CommunicatorId) -> bool {
    matches!(context.rank().error_handler(communicator), ErrorHandler::Fatal | ErrorHandler::Abort)
}

/// Returns the mistake that was found in a collective that has ended at the running rank.
pub(super) fn verdict(context: &mut Context, number: Option<Number>) -> Done {
    let agreements = context.rank().world.agreements();
    match number.and_then(|number| agreements.broken.get(&number)) {
        None => Ok(()),
        Some(mistake) => Err(mistake.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_message::collective::{Choice, Place};

    fn terms(bytes: usize) -> Terms {
        Terms::of(&Plan::bcast(&Choice::default(), Place { rank: 0, size: 2 }, 0, bytes), 0).unwrap()
    }

    /// Collectives on several communicators at a time, in any order, and none is left over.
    #[test]
    fn each_collective_meets_its_own() {
        let mut agreements = Agreements::default();
        for (number, bytes, rank) in [(1, 8, 0), (2, 4, 0), (2, 4, 1), (3, 2, 5), (1, 8, 1), (3, 2, 6)] {
            agreements.come((number, 1), terms(bytes), Rank(rank), 2).unwrap();
        }
        assert!(agreements.only.is_none() && agreements.others.is_empty() && agreements.broken.is_empty());
        agreements.come((1, 2), terms(8), Rank(0), 2).unwrap();
        agreements.come((2, 2), terms(8), Rank(0), 2).unwrap();
        let mistake = agreements.come((2, 2), terms(4), Rank(1), 2).unwrap_err().to_string();
        assert!(
            mistake.contains("rank 1 calls MPI_Bcast from root 0 with 4 bytes, and rank 0 with 8"),
            "{mistake}"
        );
        agreements.come((1, 2), terms(8), Rank(1), 2).unwrap();
        assert!(agreements.only.is_none() && agreements.others.is_empty());
        assert_eq!(agreements.broken.keys().collect::<Vec<_>>(), [&(2, 2)]);
    }
}
