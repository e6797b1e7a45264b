//! Sessions: MPI without `MPI_COMM_WORLD` (MPI 5.0, section 11.3). A session offers sets of ranks by name, and
//! communicators are made of groups alone.

use crate::calls::Of;
use crate::calls::output_arguments::{copy_text, text};
use crate::mpi::communicators::groups;
use crate::mpi::communicators::intercommunicators::{come_together, exchange};
use crate::mpi::info::{self, Info};
use crate::mpi::prelude::*;
use crate::mpi::{environment, memory_kinds, point_to_point};
use crate::rank::mpi_call;
use crate::rank::{ErrorHandler, errors};
use std::ffi::CStr;
use std::ptr;
use weir_message::{Group, UNDEFINED};

const SETS: [&CStr; 2] = [c"mpi://WORLD", c"mpi://SELF"];

pub(crate) struct Session {
    handler: ErrorHandler,
    hints: Info,
    /// Level of threads that the program has got.
    thread_level: c_int,
}

#[derive(Default)]
pub(crate) struct Sessions(Vec<Option<Session>>);

/// The session behind a handle; `None`, if it is over.
fn slot(context: &mut Context, handle: Handle) -> Result<&mut Option<Session>> {
    let index = abi::own_index(handle).ok_or(MpiError::Session)?;
    context.of::<Sessions>().0.get_mut(index).ok_or(MpiError::Session)
}

fn session(context: &mut Context, handle: Handle) -> Result<&mut Session> {
    slot(context, handle)?.as_mut().ok_or(MpiError::Session)
}

pub(crate) fn handler_of(context: &mut Context, session: Handle) -> Result<&mut ErrorHandler> {
    Ok(&mut self::session(context, session)?.handler)
}

/// Carries out an MPI function with this handler of errors, at any time.
fn handled(
    name: &'static str,
    object: Handle,
    handler: impl FnOnce(&mut Context) -> ErrorHandler,
    body: impl FnOnce(&mut Context) -> Done,
) -> c_int {
    let mut code = MPI_SUCCESS;
    mpi_call::enter(name, ptr::null_mut(), |context| {
        if let Err(error) = body(context) {
            let (handler, number, name) =
                (handler(context), abi::error_code(&error), context.rank().calling.call);
            code = errors::carry_out(context, handler, object, number, || format!("{name} failed: {error}"));
        }
        Ok(())
    });
    code
}

/// Carries out an MPI function of a session, whose error handler is called for mistakes.
pub(crate) fn call(name: &'static str, handle: Handle, body: impl FnOnce(&mut Context) -> Done) -> c_int {
    let handler = |context: &mut Context| {
        let known = session(context, handle).map(|session| session.handler);
        known.unwrap_or_else(|_| {
            let responsible = errors::of_no_object(context);
            context.rank().error_handler(responsible)
        })
    };
    handled(name, handle, handler, |context| {
        session(context, handle)?;
        body(context)
    })
}

/// The error handler that a program gives for what it makes; there may be none.
fn given(context: &mut Context, handler: Handle) -> Result<ErrorHandler> {
    if handler as usize == MPI_ERRHANDLER_NULL {
        return Ok(ErrorHandler::Fatal);
    }
    errors::of_handle(context, handler)
}

/// Carries out an MPI function that makes something with an error handler of its own, which is called for mistakes.
pub(crate) fn make(
    name: &'static str,
    handler: Handle,
    body: impl FnOnce(&mut Context, ErrorHandler) -> Done,
) -> c_int {
    let known = |context: &mut Context| given(context, handler).unwrap_or(ErrorHandler::Fatal);
    handled(name, ptr::null_mut(), known, |context| {
        let known = given(context, handler)?;
        body(context, known)
    })
}

pub(crate) fn session_init(context: &mut Context, args: SessionInit) -> Done {
    let hints = info::hints(context, args.info)?;
    // Who asks for nothing gets what the rank has.
    let has = context.rank().thread_level.max(MPI_THREAD_FUNNELED);
    let required = hints.get(c"thread_level").and_then(environment::level_of_name);
    let thread_level = environment::provide_threads(context, required.unwrap_or(has));
    let sessions = &mut context.of::<Sessions>().0;
    sessions.push(Some(Session { handler: args.errhandler, hints, thread_level }));
    args.session.set(abi::own_handle(sessions.len() - 1));
    context.rank().open_sessions += 1;
    Ok(())
}

pub(crate) fn session_finalize(context: &mut Context, handle: Out<Handle>) -> Done {
    session(context, handle.get())?;
    // Buffers are detached, as MPI_Finalize does it.
    point_to_point::flush_buffer(context, Of::Session, handle.get())?;
    *slot(context, handle.get())? = None;
    context.rank().open_sessions -= 1;
    handle.give(abi::predefined(MPI_SESSION_NULL))
}

pub(crate) fn session_get_num_psets(_: &mut Context, count: Out<c_int>) -> Done {
    count.give(SETS.len() as c_int)
}

pub(crate) fn session_get_nth_pset(_: &mut Context, n: c_int, length: Out<c_int>, name: *mut c_char) -> Done {
    let set = usize::try_from(n).ok().and_then(|n| SETS.get(n));
    let set = set.ok_or_else(|| {
        MpiError::Argument(format!("there is no set of ranks number {n}; they are 0 to {}", SETS.len() - 1))
    })?;
    let set = set.to_bytes();
    // With length 0 it only asks for the length, which counts the closing NUL.
    if let Ok(room @ 1..) = usize::try_from(length.get()) {
        copy_text(set, room, name)?;
    }
    length.give(set.len() as c_int + 1)
}

fn set(context: &mut Context, name: *const c_char) -> Result<(&'static CStr, Group)> {
    let name = text(name);
    let name =
        name.ok_or_else(|| MpiError::Argument("the name of the set of ranks is a null pointer".into()))?;
    // The names are not sensitive to case (MPI 5.0, section 11.3.2: they are URIs).
    let known = SETS.into_iter().position(|set| set.to_bytes().eq_ignore_ascii_case(name.to_bytes()));
    let rank = context.rank();
    match known {
        Some(0) => Ok((SETS[0], rank.job())),
        Some(_) => Ok((SETS[1], Group::new(&[rank.process.rank()]))),
        None => Err(MpiError::Argument(format!(
            "\"{}\" is no set of ranks; there are mpi://WORLD and mpi://SELF",
            name.to_string_lossy()
        ))),
    }
}

/// The color of the running rank in a split by the set of ranks that an info object names, if it names one: all of a set
/// have the same, those that are in none of this name have none.
pub(crate) fn set_named_by(context: &mut Context, hints: Handle) -> Result<Option<c_int>> {
    let Some(name) = info::value(context, hints, c"mpi_pset_name")? else { return Ok(None) };
    let first = set(context, name.as_ptr()).ok().and_then(|(_, group)| group.member(0));
    Ok(Some(first.map_or(UNDEFINED, |first| first.0 as c_int)))
}

pub(crate) fn session_get_pset_info(context: &mut Context, name: *const c_char, info: Out<Handle>) -> Done {
    let (_, group) = set(context, name)?;
    let made = Info::of_words(&format!("mpi_size {}", group.size()));
    info.give(info::add(context, made))
}

pub(crate) fn session_get_info(context: &mut Context, handle: Handle, info: Out<Handle>) -> Done {
    let Session { hints, thread_level, .. } = session(context, handle)?;
    let (mut known, hints, level) = (hints.clone(), hints.clone(), environment::name_of_level(*thread_level));
    known.merge(&Info::of_words(&format!("thread_level {level}")));
    let requested = hints.get(memory_kinds::KINDS).unwrap_or(memory_kinds::ALWAYS);
    info.give(info::add(context, known.with_memory_kinds(requested)))
}

pub(crate) fn group_from_session_pset(context: &mut Context, name: *const c_char, new: Out<Handle>) -> Done {
    let (_, group) = set(context, name)?;
    new.give(groups::add(context, group))
}

/// The name under which the members of a group come together.
fn string_tag(tag: *const c_char) -> Result<Vec<u8>> {
    let tag = text(tag).ok_or_else(|| MpiError::Argument("the string tag is a null pointer".into()))?;
    Ok(tag.into_bytes())
}

fn may_call(context: &mut Context) -> Done {
    if context.rank().may_call() {
        return Ok(());
    }
    Err(MpiError::Other("called outside MPI_Init to MPI_Finalize, and with no session open".into()))
}

pub(crate) fn comm_create_from_group(context: &mut Context, args: CommCreateFromGroup) -> Done {
    may_call(context)?;
    info::hints(context, args.info)?;
    let tag = string_tag(args.stringtag)?;
    let made = match args.group.size() {
        0 => None,
        _ => Some(context.rank().process.create_of_group(&args.group, &tag)?),
    };
    if let Some(made) = made {
        context.rank().set_error_handler(made, args.errhandler);
    }
    info::keep_hints(context, made, args.info)?;
    args.newcomm.give(abi::communicator_handle(made))
}

pub(crate) fn intercomm_create_from_groups(context: &mut Context, args: IntercommCreateFromGroups) -> Done {
    may_call(context)?;
    info::hints(context, args.info)?;
    let tag = string_tag(args.stringtag)?;
    // Communicators of the local group and of the two leaders, for the introductions alone.
    let inside =
        context.rank().process.create_of_group(&args.local_group, &[&tag[..], b" (local group)"].concat())?;
    let made = come_together(context, inside, args.local_leader, |context, own| {
        let remote = groups::get(context, args.remote_group)?;
        let (size, own_rank) = (remote.size(), context.rank().process.rank());
        let other = u32::try_from(args.remote_leader).ok().and_then(|rank| remote.member(rank));
        let other = other.ok_or(MpiError::Rank { rank: args.remote_leader, size })?;
        let leaders = Group::new(&[own_rank.min(other), own_rank.max(other)]);
        let name = [&tag[..], b" (leaders)"].concat();
        let comm = context.rank().process.create_of_group(&leaders, &name)?;
        let rank = c_int::from(other > own_rank);
        let theirs = exchange(context, Peer { comm, rank, tag: 0 }, own);
        context.rank().process.free(comm)?;
        theirs
    });
    context.rank().process.free(inside)?;
    let made = made?;
    context.rank().set_error_handler(made, args.errhandler);
    info::keep_hints(context, Some(made), args.info)?;
    args.newintercomm.give(abi::communicator_handle(Some(made)))
}
