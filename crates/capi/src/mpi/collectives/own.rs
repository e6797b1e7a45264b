//! Collectives by algorithms of the program's own: a C function with the collective's arguments, built of messages, that
//! is called in its place. It gets a communicator of its own with the same ranks, so that its messages meet no others.

use crate::mpi::prelude::*;

#[derive(Debug, Default)]
pub(crate) struct OwnAlgorithms {
    set: Vec<(&'static str, *const c_void)>,
    /// One is being carried out: collectives that it calls are the library's.
    running: bool,
    /// Communicators, and those whose messages the algorithms use for them.
    shadows: Vec<(CommunicatorId, CommunicatorId)>,
}

impl OwnAlgorithms {
    /// Number of their communicators that the program has not made.
    pub(crate) fn hidden(&self) -> usize {
        self.shadows.len()
    }

    /// Sets the function for a collective; none, if it is null.
    pub(super) fn set(&mut self, name: &'static str, function: *const c_void) {
        self.set.retain(|(known, _)| *known != name);
        if !function.is_null() {
            self.set.push((name, function));
        }
    }
}

/// The function that the program has set for a collective, if it is to be called now.
pub(super) fn chosen(context: &mut Context, name: &str) -> Option<*const c_void> {
    let own = context.rank().known::<OwnAlgorithms>()?;
    if own.running {
        return None;
    }
    own.set.iter().find(|(known, _)| *known == name).map(|&(_, function)| function)
}

/// Carries out a collective by a function of the program, which gets this communicator.
pub(super) fn run(context: &mut Context, comm: Handle, function: impl FnOnce(Handle) -> c_int) -> Done {
    let comm = abi::communicator_handle(Some(shadow(context, abi::communicator(comm)?)?));
    context.rank().objects().of::<OwnAlgorithms>().running = true;
    let code = context.callback(|| function(comm));
    context.rank().objects().of::<OwnAlgorithms>().running = false;
    if code == abi::MPI_SUCCESS { Ok(()) } else { Err(MpiError::OfProgram(code)) }
}

/// The communicator of the same ranks that algorithms use; made at the first use, which is collective.
fn shadow(context: &mut Context, id: CommunicatorId) -> Result<CommunicatorId, MpiError> {
    let shadows = &context.rank().objects().of::<OwnAlgorithms>().shadows;
    if let Some(&(_, shadow)) = shadows.iter().find(|(of, _)| *of == id) {
        return Ok(shadow);
    }
    let shadow = context.rank().process.duplicate(id)?;
    context.rank().inherit_errors(id, Some(shadow));
    context.rank().objects().of::<OwnAlgorithms>().shadows.push((id, shadow));
    Ok(shadow)
}
