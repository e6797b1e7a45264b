//! Starting, ending, and asking about the world.

use crate::abi::{self, Handle};
use crate::attributes;
use crate::context::{Context, call, enter};
use crate::rank::Phase;
use std::ffi::{c_char, c_double, c_int, c_void};
use std::ptr;
use weir_message::{CommunicatorId, MpiError};

/// Copies a text and its length to the program; `room` counts the closing NUL.
///
/// # Safety
/// `to` is valid for `room` bytes and `length` for one int.
pub(crate) unsafe fn tell_text(text: &str, room: usize, to: *mut c_char, length: *mut c_int) {
    let bytes = &text.as_bytes()[..text.len().min(room - 1)];
    // SAFETY: the caller's promise.
    unsafe {
        ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), bytes.len());
        *to.add(bytes.len()) = 0;
        *length = bytes.len() as c_int;
    }
}

fn start(name: &'static str) -> c_int {
    enter(name, ptr::null_mut(), |context| match context.rank().phase {
        Phase::Before => {
            context.rank().phase = Phase::Initialised;
            Ok(())
        }
        _ => Err(MpiError::Other("called a second time".into())),
    })
}

pub(crate) unsafe extern "C" fn init(_argc: *mut c_int, _argv: *mut *mut *mut c_char) -> c_int {
    start("MPI_Init")
}

pub(crate) unsafe extern "C" fn init_thread(
    _argc: *mut c_int,
    _argv: *mut *mut *mut c_char,
    required: c_int,
    provided: *mut c_int,
) -> c_int {
    let code = start("MPI_Init_thread");
    // SAFETY: the program's variable.
    unsafe { *provided = if required == abi::THREAD_SINGLE { required } else { abi::THREAD_FUNNELED } };
    code
}

pub(crate) unsafe extern "C" fn query_thread(provided: *mut c_int) -> c_int {
    call("MPI_Query_thread", ptr::null_mut(), |_| {
        // SAFETY: the program's variable.
        unsafe { *provided = abi::THREAD_FUNNELED };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn is_thread_main(flag: *mut c_int) -> c_int {
    // SAFETY: the program's variable. Only ranks get here, and a rank is its main thread.
    unsafe { *flag = c_int::from(Context::get().is_some()) };
    abi::SUCCESS
}

pub(crate) unsafe extern "C" fn initialized(flag: *mut c_int) -> c_int {
    enter("MPI_Initialized", ptr::null_mut(), |context| {
        // SAFETY: the program's variable.
        unsafe { *flag = c_int::from(context.rank().phase != Phase::Before) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn finalized(flag: *mut c_int) -> c_int {
    enter("MPI_Finalized", ptr::null_mut(), |context| {
        // SAFETY: the program's variable.
        unsafe { *flag = c_int::from(context.rank().phase == Phase::Finalised) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn finalize() -> c_int {
    call("MPI_Finalize", ptr::null_mut(), |context| {
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
    // SAFETY: the program's variables.
    unsafe { (*version, *subversion) = (5, 0) };
    abi::SUCCESS
}

pub(crate) unsafe extern "C" fn get_library_version(text: *mut c_char, length: *mut c_int) -> c_int {
    // SAFETY: the program's variables; the standard gives room for 8192 bytes.
    unsafe {
        tell_text(concat!("weir ", env!("CARGO_PKG_VERSION"), ", a simulated MPI"), 8192, text, length)
    };
    abi::SUCCESS
}

pub(crate) unsafe extern "C" fn get_processor_name(name: *mut c_char, length: *mut c_int) -> c_int {
    call("MPI_Get_processor_name", ptr::null_mut(), |context| {
        let rank = context.rank();
        let text = rank.world.processor_name(rank.process.rank());
        // SAFETY: the program's variables, with the room that the standard asks for.
        unsafe { tell_text(&text, abi::MAX_PROCESSOR_NAME, name, length) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn wtime() -> c_double {
    Context::get().map_or(0.0, |context| context.read_clock().as_secs_f64())
}

pub(crate) unsafe extern "C" fn comm_rank(comm: Handle, rank: *mut c_int) -> c_int {
    call("MPI_Comm_rank", comm, |context| {
        let found = context.rank().process.communicator(abi::communicator(comm)?)?.rank;
        // SAFETY: the program's variable.
        unsafe { *rank = found as c_int };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn comm_size(comm: Handle, size: *mut c_int) -> c_int {
    call("MPI_Comm_size", comm, |context| {
        let found = context.rank().process.communicator(abi::communicator(comm)?)?.group.size();
        // SAFETY: the program's variable.
        unsafe { *size = found as c_int };
        Ok(())
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
        // SAFETY: the program's variable, of any pointer type.
        let memory = unsafe { libc::malloc(size.max(1)) };
        if memory.is_null() {
            return Err(MpiError::Other(format!("no memory for {size} bytes")));
        }
        // SAFETY: as above.
        unsafe { *base.cast::<*mut c_void>() = memory };
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
