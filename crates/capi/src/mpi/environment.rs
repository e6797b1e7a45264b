//! Starting, ending, and asking about the world.

use crate::calls::output_arguments::{give, give_text};
use crate::mpi::attributes::{self, Holder};
use crate::mpi::info::{self, Info};
use crate::mpi::prelude::*;
use crate::rank::mpi_call::enter;
use crate::rank::{Phase, crew};
use std::ffi::{CStr, c_double};
use std::ptr;

pub(crate) fn most_threads(context: &mut Context) -> c_int {
    if context.rank().world.may_call_from_threads() { MPI_THREAD_MULTIPLE } else { MPI_THREAD_FUNNELED }
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
    let opens = required.min(most) > MPI_THREAD_FUNNELED && context.rank().world.makes_threads();
    let provided = required.clamp(MPI_THREAD_SINGLE, most);
    if opens && !context.rank().is_open_to_threads {
        context.open_to_threads();
    }
    provided
}

/// The standard's names of what threads may do.
const LEVELS: [(c_int, &str); 4] = [
    (MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE"),
    (MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED"),
    (MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"),
    (MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"),
];

/// The name of what threads may do: the highest known that is not above it.
pub(crate) fn name_of_level(level: c_int) -> &'static str {
    LEVELS.iter().rev().find(|(known, _)| *known <= level).map_or(LEVELS[0].1, |(_, name)| name)
}

pub(crate) fn level_of_name(name: &CStr) -> Option<c_int> {
    LEVELS.iter().find(|(_, known)| known.as_bytes() == name.to_bytes()).map(|(level, _)| *level)
}

fn begin(context: &mut Context) -> Done {
    if context.rank().phase != Phase::Before {
        return Err(MpiError::Other("called a second time".into()));
    }
    context.rank().phase = Phase::Initialized;
    Ok(())
}

pub(crate) fn init(context: &mut Context) -> Done {
    begin(context)?;
    provide_threads(context, MPI_THREAD_FUNNELED);
    Ok(())
}

pub(crate) fn init_thread(context: &mut Context, required: c_int, provided: Out<c_int>) -> Done {
    begin(context)?;
    provided.give(provide_threads(context, required))
}

answers! { context;
    query_thread() -> c_int = context.rank().thread_level;
    initialized() -> c_int = (context.rank().phase != Phase::Before).into();
    finalized() -> c_int = (context.rank().phase == Phase::Finalized).into();
    comm_rank(comm: CommunicatorId) -> c_int = context.communicator(comm)?.rank as c_int;
    comm_size(comm: CommunicatorId) -> c_int = context.communicator(comm)?.group.size() as c_int;
    abi_get_info() -> Handle = info::add(context, Info::of_words(SIZES));
    abi_get_fortran_info() -> Handle = info::add(context, Info::of_words(FORTRAN));
    /// No communicator can be split by parts of a node, so there are none to name.
    get_hw_resource_info() -> Handle = info::add(context, Info::default());
}

pub(crate) unsafe extern "C" fn is_thread_main(flag: *mut c_int) -> c_int {
    // Only ranks get further than this, and a rank is its main thread, unless others may call.
    if crew::is_main().is_some_and(|is_main| !is_main) || Context::get().is_none() {
        return if give(flag, "flag", 0).is_ok() { MPI_SUCCESS } else { MPI_ERR_ARG };
    }
    enter("MPI_Is_thread_main", ptr::null_mut(), |_| give(flag, "flag", 1))
}

pub(crate) fn finalize(context: &mut Context) -> Done {
    match context.rank().phase {
        Phase::Initialized => {}
        Phase::Before => return Err(MpiError::Other("called before MPI_Init".into())),
        Phase::Finalized => return Err(MpiError::Other("called a second time".into())),
    }
    // The standard's way for a program to have something done at the end (MPI 5.0, section 11.2.4).
    attributes::delete_all(context, Holder::Communicator(CommunicatorId::SELF))?;
    context.rank().phase = Phase::Finalized;
    Ok(())
}

pub(crate) fn abort(context: &mut Context, _comm: Handle, code: c_int) -> Done {
    context.actions().stop(format!("it called MPI_Abort with error code {code}"));
    context.leave(code)
}

pub(crate) fn get_version(_: &mut Context, version: Out<c_int>, subversion: Out<c_int>) -> Done {
    version.set(5);
    subversion.give(0)
}

pub(crate) fn get_library_version(_: &mut Context, text: *mut c_char, length: Out<c_int>) -> Done {
    const ROOM: usize = 8192;
    give_text(concat!("weir ", env!("CARGO_PKG_VERSION"), ", a simulated MPI"), ROOM, text, length)
}

pub(crate) fn get_processor_name(context: &mut Context, name: *mut c_char, length: Out<c_int>) -> Done {
    let rank = context.rank();
    let text = rank.world.options.processor_names.name(rank.process.rank());
    give_text(&text, MPI_MAX_PROCESSOR_NAME as usize, name, length)
}

pub(crate) unsafe extern "C" fn wtime() -> c_double {
    Context::get().map_or(0.0, |mut context| context.read_clock().as_secs_f64())
}

pub(crate) unsafe extern "C" fn wtick() -> f64 {
    1e-12
}

/// `MPI_Alloc_mem` and `MPI_Free_mem` are the C library's.
pub(crate) fn alloc_mem(_: &mut Context, size: isize, base: Out<*mut c_void>) -> Done {
    let size =
        usize::try_from(size).map_err(|_| MpiError::Argument(format!("the size {size} is negative")))?;
    // SAFETY: C's own function.
    let memory = unsafe { libc::malloc(size.max(1)) };
    if memory.is_null() {
        return Err(MpiError::Other(format!("no memory for {size} bytes")));
    }
    base.give(memory)
}

pub(crate) fn free_mem(_: &mut Context, base: *mut c_void) -> Done {
    // SAFETY: what `alloc_mem` has given.
    unsafe { libc::free(base) };
    Ok(())
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

/// Handles as numbers, as Fortran has them: all are below 2^31 (`rank/objects.rs`). The Fortran bindings do the same
/// (`crates/compiler/runtime/fortran_arguments.c`).
pub(crate) extern "C" fn to_int(handle: Handle) -> c_int {
    handle as usize as c_int
}

pub(crate) extern "C" fn from_int(number: c_int) -> Handle {
    number as usize as Handle
}

const SIZES: &str = "mpi_aint_size 8 mpi_count_size 8 mpi_offset_size 8";

/// Properties of Fortran's types with `weir fort`, which is gfortran.
const FORTRAN: &str = "\
    mpi_logical_size 4 mpi_integer_size 4 mpi_real_size 4 mpi_double_precision_size 8 \
    mpi_logical1_supported true mpi_logical2_supported true mpi_logical4_supported true \
    mpi_logical8_supported true mpi_logical16_supported true mpi_integer1_supported true \
    mpi_integer2_supported true mpi_integer4_supported true mpi_integer8_supported true \
    mpi_integer16_supported true mpi_real2_supported false mpi_real4_supported true \
    mpi_real8_supported true mpi_real16_supported true mpi_complex4_supported false \
    mpi_complex8_supported true mpi_complex16_supported true mpi_complex32_supported true \
    mpi_double_complex_supported true";

/// `MPI_ABI_VERSION` and `MPI_ABI_SUBVERSION` of `mpi.h`.
pub(crate) fn abi_get_version(_: &mut Context, major: Out<c_int>, minor: Out<c_int>) -> Done {
    major.set(1);
    minor.give(0)
}

fn settled(what: &str) -> Done {
    Err(MpiError::Abi(format!("{what} are those of gfortran, and set already")))
}

pub(crate) fn abi_set_fortran_info(_: &mut Context) -> Done {
    settled("the types of Fortran")
}

pub(crate) fn abi_set_fortran_booleans(_: &mut Context) -> Done {
    settled("the values of LOGICAL")
}

pub(crate) fn abi_get_fortran_booleans(_: &mut Context, args: AbiGetFortranBooleans) -> Done {
    match args.logical_size {
        1 => give_booleans::<i8>(args.logical_true, args.logical_false)?,
        2 => give_booleans::<i16>(args.logical_true, args.logical_false)?,
        4 => give_booleans::<i32>(args.logical_true, args.logical_false)?,
        8 => give_booleans::<i64>(args.logical_true, args.logical_false)?,
        16 => give_booleans::<i128>(args.logical_true, args.logical_false)?,
        size => return Err(MpiError::Argument(format!("no LOGICAL has {size} bytes"))),
    }
    args.is_set.give(1)
}

fn give_booleans<T: Copy + From<bool>>(yes: *mut c_void, no: *mut c_void) -> Done {
    give(yes.cast(), "logical_true", T::from(true))?;
    give(no.cast(), "logical_false", T::from(false))
}
