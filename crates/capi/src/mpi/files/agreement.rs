//! Actions of all ranks of a file together. They meet in a reduction: so all have come before anybody goes on, and all learn
//! whether they said the same, and whether it failed anywhere.

use super::host::SharedFile;
use super::{mistake, open};
use crate::mpi::collectives;
use crate::mpi::prelude::*;
use std::rc::Rc;
use weir_message::collective::{Commutes, Plan};
use weir_message::{FileMistake, Kind, Operation, Predefined};

const WORD: usize = size_of::<i64>();

/// Waits for all members of a communicator. `own` is what is wrong with the call here, `same` what all have to say
/// alike.
///
/// # Errors
/// When the call is wrong anywhere, or something is not the same on all ranks.
pub(super) fn agree(context: &mut Context, comm: CommunicatorId, own: Done, same: &[i64]) -> Done {
    // The largest of a number and of its complement, which is the smallest of the number.
    let code = own.as_ref().err().map_or(0, |error| i64::from(abi::error_code(error)));
    let words: Vec<i64> = std::iter::once(code).chain(same.iter().flat_map(|&word| [word, !word])).collect();
    let choice = context.rank().world.choice().clone();
    let plan = Plan::allreduce(&choice, collectives::place(context, comm)?, words.len(), WORD, Commutes::Yes);
    let largest = Operation::new(Predefined::Max, Kind::I64)?;
    let result = collectives::run(context, comm, &plan, Some(Rc::new(largest)), |into| {
        into.chunks_exact_mut(WORD)
            .zip(&words)
            .for_each(|(to, word)| to.copy_from_slice(&word.to_ne_bytes()));
    })?;
    own?;
    let word = |bytes: &[u8]| i64::from_ne_bytes(bytes.try_into().expect("a word has its length"));
    let largest: Vec<i64> = result.chunks_exact(WORD).map(word).collect();
    if largest[0] != 0 {
        return Err(mistake(FileMistake::NotSame, "the call has failed on another rank"));
    }
    if largest[1..].chunks_exact(2).any(|pair| pair[0] != !pair[1]) {
        return Err(mistake(FileMistake::NotSame, "an argument is not the same on all ranks"));
    }
    Ok(())
}

/// The same for all ranks of a file; then the first of them that goes on does `action`, for all.
pub(super) fn together(
    context: &mut Context,
    handle: Handle,
    own: Done,
    same: &[i64],
    action: impl FnOnce(&SharedFile) -> Done,
) -> Done {
    let file = open(context, handle)?;
    file.turns += 1;
    let (shared, comm, turn) = (Rc::clone(&file.shared), file.communicator, file.turns);
    agree(context, comm, own, same)?;
    shared.once(turn, action)
}
