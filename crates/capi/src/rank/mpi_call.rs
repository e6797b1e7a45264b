//! The beginning and the end of all MPI functions.

use crate::calls::Done;
use crate::calls::abi::{self, Handle};
use crate::calls::call_site::site_of;
use crate::process;
use crate::rank::context::{Context, foreign_thread};
use crate::rank::{crew, errors};
use std::ffi::c_int;

/// Carries out the MPI function `name`, which needs an initialized library; a mistake goes to the error handler of
/// `comm` (of the world, where that is no communicator).
pub(crate) fn call(name: &'static str, comm: Handle, body: impl FnOnce(&mut Context) -> Done) -> c_int {
    enter(name, comm, |context| {
        context.initialized()?;
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
        if process::is_forked() {
            process::end_forked_at(context.rank().process.rank(), name);
        }
        if context.rank().calling.combines {
            return Self::begin_in_operation(context, name);
        }
        context.enter_library();
        let (rank, actions) = context.both();
        rank.calling.call = name;
        rank.calling.clock_reads = 0;
        if rank.world.turns.call() {
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
        let within = context.rank().calling.call;
        if !is_local(name) {
            context.fail(format!(
                "{name} was called in an operation of the program (MPI_Op_create), within {within}: there only functions \
                 may be called that communicate with nobody, as MPI_Type_get_extent"
            ));
        }
        let rank = context.rank();
        rank.calling.call = name;
        rank.world.turns.call();
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
            if let Some(origins) = &mut rank.origins {
                origins.update(&rank.process.open_request_ids().collect::<Vec<_>>(), rank.calling.call);
            }
        }
        let code = match result {
            Ok(()) => abi::MPI_SUCCESS,
            Err(error) => errors::failed(&mut context, name, comm, &error),
        };
        let rank = context.rank();
        if let Some(call) = within {
            rank.calling.call = call;
        } else {
            rank.world.turns.return_from_call();
            rank.own_work_goes_on();
        }
        code
    }
}

/// Names of local functions without `MPI_`; a star stands for any rest.
const LOCAL: &str = "\
    Abi_get* Add_error_* Aint_* Attr_* Cart_* Dims_* Dist_graph_neighbors* Errhandler_* Error_* \
    File_get_errhandler* Get_* Graph_get* Graph_neighbors* Graphdims_* Group_* Info_* Keyval_* Op_* \
    Pack* Remove_error_* Session_get_* Status_* T_* Type_* Unpack* Win_get_* Abort Address Alloc_mem \
    Cartdim_get Comm_call_errhandler Comm_compare Comm_create_errhandler Comm_create_keyval \
    Comm_delete_attr Comm_free_keyval Comm_get_attr Comm_get_errhandler Comm_get_info Comm_get_name \
    Comm_get_parent Comm_group Comm_rank Comm_remote_group Comm_remote_size Comm_set_attr \
    Comm_set_errhandler Comm_size Comm_test_inter Finalized Free_mem Initialized Is_thread_main Pcontrol \
    Query_thread Reduce_local Reduce_local_c Topo_test";

/// Functions that begin as local ones and are not.
const NOT: [&str; 2] = ["Cart_create", "Cart_sub"];

fn fits(name: &str, local: &str) -> bool {
    local.strip_suffix('*').map_or(name == local, |beginning| name.starts_with(beginning))
}

/// Returns true if a function communicates with no other rank.
pub(crate) fn is_local(name: &str) -> bool {
    let Some(name) = name.strip_prefix("MPI_") else { return false };
    !NOT.contains(&name) && LOCAL.split(' ').any(|local| fits(name, local))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;

    /// Every name stands for a function there is.
    #[test]
    fn names_are_of_functions() {
        let offered: Vec<&str> = table::functions().into_iter().map(|(name, _)| name).collect();
        for local in LOCAL.split(' ') {
            let is_it = |name: &&str| name.strip_prefix("MPI_").is_some_and(|name| fits(name, local));
            assert!(offered.iter().any(is_it), "{local}");
        }
        for name in
            ["MPI_Comm_dup", "MPI_Barrier", "MPI_Finalize", "MPI_Cart_create", "MPI_Isend", "MPI_Win_fence"]
        {
            assert!(offered.contains(&name) && !is_local(name), "{name}");
        }
    }
}
