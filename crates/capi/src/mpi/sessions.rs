//! Sessions: MPI without `MPI_COMM_WORLD` (MPI 5.0, section 11.3). A session offers sets of ranks by name, and
//! communicators are made of groups alone.

use crate::calls::abi::{self, Handle, SESSION_NULL};
use crate::calls::count_argument::{CountArgument, name_of};
use crate::calls::output_arguments::{self, copy_text, give, give_new, out, string};
use crate::mpi::communicators::groups;
use crate::mpi::communicators::intercommunicators::{Leader, come_together, exchange};
use crate::mpi::info::{self, Info};
use crate::mpi::memory_kinds;
use crate::mpi::point_to_point::send_buffers;
use crate::mpi::{environment, error_handlers};
use crate::rank::context::Context;
use crate::rank::errors::{ErrorHandler, HandlerFunction};
use crate::rank::mistakes;
use crate::rank::mpi_call;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use weir_message::{BufferOf, Group, MpiError, UNDEFINED};

/// The sets of ranks of every session.
const SETS: [&CStr; 2] = [c"mpi://WORLD", c"mpi://SELF"];

/// A session of one rank.
pub(crate) struct Session {
    handler: ErrorHandler,
    hints: Info,
    /// What the program may do with threads.
    thread_level: c_int,
}

/// The sessions of one rank, by handle.
#[derive(Default)]
pub(crate) struct Sessions(Vec<Option<Session>>);

/// The session behind a handle, and its number.
fn session(context: &mut Context, handle: Handle) -> Result<(u32, &mut Session), MpiError> {
    let index = abi::own_index(handle).ok_or(MpiError::Session)?;
    let known = context.rank().objects().of::<Sessions>().0.get_mut(index).and_then(Option::as_mut);
    Ok((index as u32, known.ok_or(MpiError::Session)?))
}

/// Calls the error handler of `object` for a mistake; the function that was called returns its code.
fn failed(context: &mut Context, handler: ErrorHandler, object: Handle, error: &MpiError) -> c_int {
    let (code, name) = (abi::error_code(error), context.rank().call);
    mistakes::carry_out(context, handler, object, code, || format!("{name} failed: {error}"))
}

/// Carries out an MPI function with this handler of errors, at any time.
fn handled(
    name: &'static str,
    object: Handle,
    handler: impl FnOnce(&mut Context) -> ErrorHandler,
    body: impl FnOnce(&mut Context) -> Result<(), MpiError>,
) -> c_int {
    let mut code = abi::SUCCESS;
    mpi_call::enter(name, ptr::null_mut(), |context| {
        if let Err(error) = body(context) {
            let handler = handler(context);
            code = failed(context, handler, object, &error);
        }
        Ok(())
    });
    code
}

/// Carries out an MPI function of a session, whose error handler is called for mistakes.
fn call(
    name: &'static str,
    handle: Handle,
    body: impl FnOnce(&mut Context) -> Result<(), MpiError>,
) -> c_int {
    let handler = |context: &mut Context| {
        let known = session(context, handle).map(|(_, session)| session.handler);
        known.unwrap_or_else(|_| {
            let responsible = mistakes::of_no_object(context);
            context.rank().error_handler(responsible)
        })
    };
    handled(name, handle, handler, |context| {
        session(context, handle)?;
        body(context)
    })
}

/// The error handler that a program gives for what it makes; there may be none.
fn given(context: &mut Context, handler: Handle) -> Result<ErrorHandler, MpiError> {
    if handler as usize == abi::ERRHANDLER_NULL {
        return Ok(ErrorHandler::Fatal);
    }
    error_handlers::of_handle(context, handler)
}

/// Carries out an MPI function that makes something with an error handler of its own, which is called for mistakes.
fn make(
    name: &'static str,
    handler: Handle,
    body: impl FnOnce(&mut Context, ErrorHandler) -> Result<(), MpiError>,
) -> c_int {
    let known = |context: &mut Context| given(context, handler).unwrap_or(ErrorHandler::Fatal);
    handled(name, ptr::null_mut(), known, |context| {
        let known = given(context, handler)?;
        body(context, known)
    })
}

pub(crate) unsafe extern "C" fn session_init(info: Handle, errors: Handle, new: *mut Handle) -> c_int {
    make("MPI_Session_init", errors, |context, handler| {
        let hints = info::hints(context, info)?;
        // Who asks for nothing gets what the rank has.
        let has = context.rank().thread_level.max(abi::THREAD_FUNNELED);
        let required = hints.get(c"thread_level").and_then(environment::level_of_name);
        let thread_level = environment::provide_threads(context, required.unwrap_or(has));
        give_new(new, "new", || {
            let sessions = &mut context.rank().objects().of::<Sessions>().0;
            sessions.push(Some(Session { handler, hints, thread_level }));
            let handle = abi::own_handle(sessions.len() - 1);
            context.rank().open_sessions += 1;
            handle
        })
    })
}

pub(crate) unsafe extern "C" fn session_finalize(handle: *mut Handle) -> c_int {
    let known = match output_arguments::given(handle, "session") {
        Ok(known) => known,
        Err(null) => return mpi_call::enter("MPI_Session_finalize", ptr::null_mut(), |_| Err(null)),
    };
    call("MPI_Session_finalize", known, |context| {
        let (number, _) = session(context, known)?;
        // Buffers are detached, as MPI_Finalize does it.
        let of = BufferOf::Session(number);
        send_buffers::flush(context, of)?;
        context.rank().objects().of::<Sessions>().0[number as usize] = None;
        context.rank().open_sessions -= 1;
        give(handle, "handle", abi::predefined(SESSION_NULL))
    })
}

pub(crate) unsafe extern "C" fn session_get_num_psets(
    handle: Handle,
    _info: Handle,
    count: *mut c_int,
) -> c_int {
    call("MPI_Session_get_num_psets", handle, |_| give(count, "count", SETS.len() as c_int))
}

pub(crate) unsafe extern "C" fn session_get_nth_pset(
    handle: Handle,
    _info: Handle,
    n: c_int,
    length: *mut c_int,
    name: *mut c_char,
) -> c_int {
    call("MPI_Session_get_nth_pset", handle, |_| {
        let set = usize::try_from(n).ok().and_then(|n| SETS.get(n));
        let set = set.ok_or_else(|| {
            MpiError::Argument(format!(
                "there is no set of ranks number {n}; they are 0 to {}",
                SETS.len() - 1
            ))
        })?;
        let set = set.to_bytes();
        let length = out(length, "pset_len")?;
        // With length 0 it only asks for the length, which counts the closing NUL.
        if let Ok(room @ 1..) = usize::try_from(length.get()) {
            copy_text(&String::from_utf8_lossy(set), room, name)?;
        }
        length.set(set.len() as c_int + 1);
        Ok(())
    })
}

/// The set of ranks of this name.
///
/// # Safety
/// `name` is null or a string.
unsafe fn set(context: &mut Context, name: *const c_char) -> Result<(&'static CStr, Group), MpiError> {
    if name.is_null() {
        return Err(MpiError::Argument("the name of the set of ranks is a null pointer".into()));
    }
    // SAFETY: the caller's promise.
    let name = string(name, "name")?;
    // The names are not sensitive to case (MPI 5.0, section 11.3.2: they are URIs).
    let known = SETS.into_iter().position(|set| set.to_bytes().eq_ignore_ascii_case(name.to_bytes()));
    let process = &context.rank().process;
    match known {
        Some(0) => Ok((SETS[0], Group::world(context.rank().world.size() as u32))),
        Some(_) => Ok((SETS[1], Group::new(&[process.rank()]))),
        None => Err(MpiError::Argument(format!(
            "\"{}\" is no set of ranks; there are mpi://WORLD and mpi://SELF",
            name.to_string_lossy()
        ))),
    }
}

/// The colour of the running rank in a split by the set of ranks that an info object names, if it names one: all of a set
/// have the same, those that are in none of this name have none.
pub(crate) fn set_named_by(context: &mut Context, hints: Handle) -> Result<Option<c_int>, MpiError> {
    let Some(name) = info::value(context, hints, c"mpi_pset_name")? else { return Ok(None) };
    // SAFETY: a string.
    let known = unsafe { set(context, name.as_ptr()) };
    let first = known.ok().and_then(|(_, group)| group.member(0));
    Ok(Some(first.map_or(UNDEFINED, |first| first.0 as c_int)))
}

pub(crate) unsafe extern "C" fn session_get_pset_info(
    handle: Handle,
    name: *const c_char,
    info: *mut Handle,
) -> c_int {
    call("MPI_Session_get_pset_info", handle, |context| {
        // SAFETY: the program's string.
        let (_, group) = unsafe { set(context, name)? };
        let made = info::of_pairs(&[(c"mpi_size", &group.size().to_string())]);
        give_new(info, "info", || info::add(context, made))
    })
}

pub(crate) unsafe extern "C" fn session_get_info(handle: Handle, info: *mut Handle) -> c_int {
    call("MPI_Session_get_info", handle, |context| {
        let Session { hints, thread_level, .. } = session(context, handle)?.1;
        let (mut known, hints, level) =
            (hints.clone(), hints.clone(), environment::name_of_level(*thread_level));
        known.merge(&info::of_pairs(&[(c"thread_level", level)]));
        let requested = hints.get(memory_kinds::KINDS).unwrap_or(memory_kinds::ALWAYS);
        give_new(info, "info", || info::add(context, known.with_memory_kinds(requested)))
    })
}

pub(crate) unsafe extern "C" fn session_create_errhandler(
    function: Option<HandlerFunction>,
    new: *mut Handle,
) -> c_int {
    mpi_call::enter("MPI_Session_create_errhandler", ptr::null_mut(), |context| {
        give(new, "new", error_handlers::create(context, function)?)
    })
}

pub(crate) unsafe extern "C" fn session_set_errhandler(handle: Handle, new: Handle) -> c_int {
    call("MPI_Session_set_errhandler", handle, |context| {
        let known = error_handlers::of_handle(context, new)?;
        session(context, handle)?.1.handler = known;
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn session_get_errhandler(handle: Handle, errhandler: *mut Handle) -> c_int {
    call("MPI_Session_get_errhandler", handle, |context| {
        let known = session(context, handle)?.1.handler;
        give(errhandler, "errhandler", error_handlers::handle_of(context, known))
    })
}

pub(crate) unsafe extern "C" fn session_call_errhandler(handle: Handle, code: c_int) -> c_int {
    call("MPI_Session_call_errhandler", handle, |context| {
        let known = session(context, handle)?.1.handler;
        mistakes::carry_out(context, known, handle, code, || {
            format!("it called MPI_Session_call_errhandler with error code {code}")
        });
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn group_from_session_pset(
    handle: Handle,
    name: *const c_char,
    new: *mut Handle,
) -> c_int {
    call("MPI_Group_from_session_pset", handle, |context| {
        // SAFETY: the program's string.
        let (_, group) = unsafe { set(context, name)? };
        give_new(new, "new", || groups::add(context, group))
    })
}

/// The name under which the members of a group come together.
///
/// # Safety
/// `text` is null or a string.
unsafe fn string_tag(text: *const c_char) -> Result<Vec<u8>, MpiError> {
    if text.is_null() {
        return Err(MpiError::Argument("the string tag is a null pointer".into()));
    }
    // SAFETY: the caller's promise.
    Ok(string(text, "text")?.to_bytes().to_vec())
}

fn may_call(context: &mut Context) -> Result<(), MpiError> {
    if context.rank().may_call() {
        return Ok(());
    }
    Err(MpiError::Other("called outside MPI_Init to MPI_Finalize, and with no session open".into()))
}

pub(crate) unsafe extern "C" fn comm_create_from_group(
    group: Handle,
    tag: *const c_char,
    info: Handle,
    errors: Handle,
    new: *mut Handle,
) -> c_int {
    make("MPI_Comm_create_from_group", errors, |context, handler| {
        may_call(context)?;
        info::hints(context, info)?;
        // SAFETY: the program's string.
        let (group, tag) = (groups::get(context, group)?, unsafe { string_tag(tag)? });
        let made = match group.size() {
            0 => None,
            _ => Some(context.rank().process.create_of_group(&group, &tag)?),
        };
        if let Some(made) = made {
            context.rank().set_error_handler(made, handler);
        }
        info::keep_hints(context, made, info)?;
        give(new, "new", abi::communicator_handle(made))
    })
}

pub(crate) unsafe extern "C" fn intercomm_create_from_groups(
    local: Handle,
    local_leader: c_int,
    remote: Handle,
    remote_leader: c_int,
    tag: *const c_char,
    info: Handle,
    errors: Handle,
    new: *mut Handle,
) -> c_int {
    make("MPI_Intercomm_create_from_groups", errors, |context, handler| {
        may_call(context)?;
        info::hints(context, info)?;
        // SAFETY: the program's string.
        let (local, tag) = (groups::get(context, local)?, unsafe { string_tag(tag)? });
        // Communicators of the local group and of the two leaders, for the introductions alone.
        let inside =
            context.rank().process.create_of_group(&local, &[&tag[..], b" (local group)"].concat())?;
        let made = come_together(context, inside, local_leader, |context, own| {
            let remote = groups::get(context, remote)?;
            let (size, own_rank) = (remote.size(), context.rank().process.rank());
            let other = u32::try_from(remote_leader).ok().and_then(|rank| remote.member(rank));
            let other = other.ok_or(MpiError::Rank { rank: remote_leader, size })?;
            let leaders = Group::new(&[own_rank.min(other), own_rank.max(other)]);
            let name = [&tag[..], b" (leaders)"].concat();
            let communicator = context.rank().process.create_of_group(&leaders, &name)?;
            let rank = c_int::from(other > own_rank);
            let theirs = exchange(context, Leader { communicator, rank, tag: 0 }, own);
            context.rank().process.free(communicator)?;
            theirs
        });
        context.rank().process.free(inside)?;
        let made = made?;
        context.rank().set_error_handler(made, handler);
        info::keep_hints(context, Some(made), info)?;
        give(new, "new", abi::communicator_handle(Some(made)))
    })
}

/// The buffer of a session.
fn buffer_of(context: &mut Context, handle: Handle) -> Result<BufferOf, MpiError> {
    Ok(BufferOf::Session(session(context, handle)?.0))
}

pub(crate) unsafe extern "C" fn session_attach_buffer<C: CountArgument>(
    handle: Handle,
    buffer: *mut c_void,
    size: C,
) -> c_int {
    call(name_of!(C, "MPI_Session_attach_buffer"), handle, |context| {
        let of = buffer_of(context, handle)?;
        send_buffers::attach(context, of, buffer, size.into())
    })
}

pub(crate) unsafe extern "C" fn session_detach_buffer<C: CountArgument>(
    handle: Handle,
    address: *mut c_void,
    size: *mut C,
) -> c_int {
    call(name_of!(C, "MPI_Session_detach_buffer"), handle, |context| {
        let of = buffer_of(context, handle)?;
        send_buffers::detach(context, of, address, size)
    })
}

pub(crate) unsafe extern "C" fn session_flush_buffer(handle: Handle) -> c_int {
    call("MPI_Session_flush_buffer", handle, |context| {
        let of = buffer_of(context, handle)?;
        send_buffers::flush(context, of)
    })
}

pub(crate) unsafe extern "C" fn session_iflush_buffer(handle: Handle, request: *mut Handle) -> c_int {
    call("MPI_Session_iflush_buffer", handle, |context| {
        let of = buffer_of(context, handle)?;
        send_buffers::start_flush(context, of, request)
    })
}
