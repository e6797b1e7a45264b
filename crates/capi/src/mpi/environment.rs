//! Starting, ending, and asking about the world.

use crate::calls::abi::{self, Handle};
use crate::calls::output_arguments::{give, give_text, out};
use crate::mpi::attributes;
use crate::rank::context::Context;
use crate::rank::mpi_call::{call, enter};
use crate::rank::{Phase, crew};
use std::ffi::{CStr, c_char, c_double, c_int, c_void};
use std::ptr;
use weir_message::{CommunicatorId, MpiError};

/// The most that a program gets.
pub(crate) fn most_threads(context: &mut Context) -> c_int {
    if context.rank().world.may_call_from_threads() { abi::THREAD_MULTIPLE } else { abi::THREAD_FUNNELED }
}

/// Gives the level that a program gets which asks for this one; `MPI_Query_thread` returns it from now on.
pub(crate) fn provide_threads(context: &mut Context, required: c_int) -> c_int {
    let provided = let_threads_call(context, required);
    context.rank().thread_level = context.rank().thread_level.max(provided);
    provided
}

/// Gives the level that a program gets which asks for this one: that level, where all of its threads can have the rank's globals. From the first call on that gets more than one thread, all threads may call.
pub(crate) fn let_threads_call(context: &mut Context, required: c_int) -> c_int {
    let most = most_threads(context);
    let opens = required.min(most) > abi::THREAD_FUNNELED && context.rank().world.makes_threads();
    let provided = required.clamp(abi::THREAD_SINGLE, most);
    if opens && !context.rank().is_open_to_threads {
        context.open_to_threads();
    }
    provided
}

/// The standard's names of what threads may do.
const LEVELS: [(c_int, &str); 4] = [
    (abi::THREAD_SINGLE, "MPI_THREAD_SINGLE"),
    (abi::THREAD_FUNNELED, "MPI_THREAD_FUNNELED"),
    (abi::THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"),
    (abi::THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"),
];

/// The name of what threads may do: the highest known that is not above it.
pub(crate) fn name_of_level(level: c_int) -> &'static str {
    LEVELS.iter().rev().find(|(known, _)| *known <= level).map_or(LEVELS[0].1, |(_, name)| name)
}

/// What threads may do, by its name.
pub(crate) fn level_of_name(name: &CStr) -> Option<c_int> {
    LEVELS.iter().find(|(_, known)| known.as_bytes() == name.to_bytes()).map(|(level, _)| *level)
}

fn start(name: &'static str, outputs: impl FnOnce(&mut Context) -> Result<(), MpiError>) -> c_int {
    enter(name, ptr::null_mut(), |context| match context.rank().phase {
        Phase::Before => {
            context.rank().phase = Phase::Initialised;
            outputs(context)
        }
        _ => Err(MpiError::Other("called a second time".into())),
    })
}

pub(crate) unsafe extern "C" fn init(_argc: *mut c_int, _argv: *mut *mut *mut c_char) -> c_int {
    start("MPI_Init", |context| {
        provide_threads(context, abi::THREAD_FUNNELED);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn init_thread(
    _argc: *mut c_int,
    _argv: *mut *mut *mut c_char,
    required: c_int,
    provided: *mut c_int,
) -> c_int {
    start("MPI_Init_thread", |context| give(provided, "provided", provide_threads(context, required)))
}

pub(crate) unsafe extern "C" fn query_thread(provided: *mut c_int) -> c_int {
    call("MPI_Query_thread", ptr::null_mut(), |context| {
        give(provided, "provided", context.rank().thread_level)
    })
}

pub(crate) unsafe extern "C" fn is_thread_main(flag: *mut c_int) -> c_int {
    // Only ranks get further than this, and a rank is its main thread, unless others may call.
    if crew::is_main().is_some_and(|is_main| !is_main) || Context::get().is_none() {
        return if give(flag, "flag", 0).is_ok() { abi::SUCCESS } else { abi::ERR_ARG };
    }
    enter("MPI_Is_thread_main", ptr::null_mut(), |_| give(flag, "flag", 1))
}

pub(crate) unsafe extern "C" fn initialized(flag: *mut c_int) -> c_int {
    enter("MPI_Initialized", ptr::null_mut(), |context| {
        give(flag, "flag", c_int::from(context.rank().phase != Phase::Before))
    })
}

pub(crate) unsafe extern "C" fn finalized(flag: *mut c_int) -> c_int {
    enter("MPI_Finalized", ptr::null_mut(), |context| {
        give(flag, "flag", c_int::from(context.rank().phase == Phase::Finalised))
    })
}

pub(crate) unsafe extern "C" fn finalize() -> c_int {
    call("MPI_Finalize", ptr::null_mut(), |context| {
        match context.rank().phase {
            Phase::Initialised => {}
            Phase::Before => return Err(MpiError::Other("called before MPI_Init".into())),
            Phase::Finalised => return Err(MpiError::Other("called a second time".into())),
        }
        // The standard's way for a program to have something done at the end (MPI 5.0, section 11.2.4).
        attributes::delete_all(context, CommunicatorId::SELF)?;
        context.rank().phase = Phase::Finalised;
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn abort(comm: Handle, code: c_int) -> c_int {
    enter("MPI_Abort", comm, |context| {
        context.actions().stop(format!("it called MPI_Abort with error code {code}"));
        context.leave(code)
    })
}

pub(crate) unsafe extern "C" fn get_version(version: *mut c_int, subversion: *mut c_int) -> c_int {
    enter("MPI_Get_version", ptr::null_mut(), |_| {
        give(version, "version", 5)?;
        give(subversion, "subversion", 0)
    })
}

pub(crate) unsafe extern "C" fn get_library_version(text: *mut c_char, length: *mut c_int) -> c_int {
    const ROOM: usize = 8192;
    enter("MPI_Get_library_version", ptr::null_mut(), |_| {
        give_text(concat!("weir ", env!("CARGO_PKG_VERSION"), ", a simulated MPI"), ROOM, text, length)
    })
}

pub(crate) unsafe extern "C" fn get_processor_name(name: *mut c_char, length: *mut c_int) -> c_int {
    call("MPI_Get_processor_name", ptr::null_mut(), |context| {
        let rank = context.rank();
        let text = rank.world.processor_name(rank.process.rank());
        give_text(&text, abi::MAX_PROCESSOR_NAME, name, length)
    })
}

pub(crate) unsafe extern "C" fn wtime() -> c_double {
    Context::get().map_or(0.0, |mut context| context.read_clock().as_secs_f64())
}

pub(crate) unsafe extern "C" fn comm_rank(comm: Handle, rank: *mut c_int) -> c_int {
    call("MPI_Comm_rank", comm, |context| {
        let found = context.rank().process.communicator(abi::communicator(comm)?)?.rank;
        give(rank, "rank", found as c_int)
    })
}

pub(crate) unsafe extern "C" fn comm_size(comm: Handle, size: *mut c_int) -> c_int {
    call("MPI_Comm_size", comm, |context| {
        let found = context.rank().process.communicator(abi::communicator(comm)?)?.group.size();
        give(size, "size", found as c_int)
    })
}

pub(crate) unsafe extern "C" fn wtick() -> f64 {
    1e-12
}

/// `MPI_Alloc_mem` and `MPI_Free_mem` are the C library's.
pub(crate) unsafe extern "C" fn alloc_mem(size: isize, _info: Handle, base: *mut c_void) -> c_int {
    call("MPI_Alloc_mem", ptr::null_mut(), |_| {
        let size =
            usize::try_from(size).map_err(|_| MpiError::Argument(format!("the size {size} is negative")))?;
        let base = out(base.cast::<*mut c_void>(), "baseptr")?;
        // SAFETY: C's own function.
        let memory = unsafe { libc::malloc(size.max(1)) };
        if memory.is_null() {
            return Err(MpiError::Other(format!("no memory for {size} bytes")));
        }
        base.set(memory);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn free_mem(base: *mut c_void) -> c_int {
    call("MPI_Free_mem", ptr::null_mut(), |_| {
        // SAFETY: what `alloc_mem` has given.
        unsafe { libc::free(base) };
        Ok(())
    })
}

pub(crate) extern "C" fn aint_add(base: isize, displacement: isize) -> isize {
    base.wrapping_add(displacement)
}

pub(crate) extern "C" fn aint_diff(address: isize, base: isize) -> isize {
    address.wrapping_sub(base)
}

/// For profiling libraries, which put their own function before this one. It takes more arguments, of any type.
pub(crate) extern "C" fn pcontrol(_level: c_int) -> c_int {
    enter("MPI_Pcontrol", ptr::null_mut(), |_| Ok(()))
}
