//! The beginning and the end of all MPI functions.

use crate::calls::Done;
use crate::calls::abi::{self, Handle};
use crate::calls::call_site::site_of;
use crate::calls::local_calls::is_local;
use crate::process::forked;
use crate::rank::context::{Context, foreign_thread};
use crate::rank::{crew, mistakes};
use std::ffi::c_int;

/// Carries out the MPI function `name`, which needs an initialised library; a mistake goes to the error handler of
/// `comm` (of the world, where that is no communicator).
pub(crate) fn call(name: &'static str, comm: Handle, body: impl FnOnce(&mut Context) -> Done) -> c_int {
    enter(name, comm, |context| {
        context.initialised()?;
        body(context)
    })
}

/// Carries out an MPI function that may be called at any time.
pub(crate) fn enter(name: &'static str, comm: Handle, body: impl FnOnce(&mut Context) -> Done) -> c_int {
    let mut entered = Entered::begin(name);
    let result = body(&mut entered.context);
    entered.end(comm, result)
}

/// A call of an MPI function that is being carried out. What all functions do at their beginning and end is here and
/// not in [`enter`], of which there is a copy for every function.
struct Entered {
    context: Context,
    name: &'static str,
    /// Name of the call whose operation of the program has made this call.
    within: Option<&'static str>,
}

impl Entered {
    #[inline(never)]
    fn begin(name: &'static str) -> Self {
        let Some(mut context) = Context::get() else { foreign_thread(name) };
        if forked::is_forked() {
            forked::end_at(context.rank().process.rank(), name);
        }
        if context.rank().combines {
            return Self::begin_in_operation(context, name);
        }
        context.enter_library();
        let (rank, actions) = context.both();
        rank.call = name;
        rank.clock_reads = 0;
        if rank.world.turns().call() {
            context.interrupt();
        }
        rank.charge_own_work();
        rank.process.wake(actions.now());
        let site = if rank.process.keeps_causes() { site_of(name) } else { "" };
        if crew::is_another_thread() && (rank.process.keeps_causes() || rank.process.is_observed()) {
            context.fail(format!(
                "another thread of the program than that of main called {name}: causes, traces, tables of calls and profiles follow \
                 one thread of each rank; run it without output.causes, output.trace, output.calls and weir log"
            ));
        }
        if let Err(why) = rank.process.begin_call(name, site) {
            context.fail(why);
        }
        Self { context, name, within: None }
    }

    /// The beginning of a call within an operation of the program: of the functions of MPI only those are to be had there
    /// that communicate with nobody (MPI 5.0, section 6.9.5).
    #[cold]
    fn begin_in_operation(mut context: Context, name: &'static str) -> Self {
        let within = context.rank().call;
        if !is_local(name) {
            context.fail(format!(
                "{name} was called in an operation of the program (MPI_Op_create), within {within}: there only functions \
                 may be called that communicate with nobody, as MPI_Type_get_extent"
            ));
        }
        let rank = context.rank();
        rank.call = name;
        rank.world.turns().call();
        Self { context, name, within: Some(within) }
    }

    /// The end of the call: what the function returns.
    #[inline(never)]
    fn end(self, comm: Handle, result: Done) -> c_int {
        let Self { mut context, name, within } = self;
        if within.is_none() {
            let rank = context.rank();
            if let Err(why) = rank.process.end_call() {
                context.fail(why);
            }
            if rank.origins.is_some() {
                rank.note_requests();
            }
        }
        let code = match result {
            Ok(()) => abi::MPI_SUCCESS,
            Err(error) => mistakes::failed(&mut context, name, comm, &error),
        };
        let rank = context.rank();
        if let Some(call) = within {
            rank.call = call;
        } else {
            rank.world.turns().return_from_call();
            rank.own_work_goes_on();
        }
        code
    }
}
