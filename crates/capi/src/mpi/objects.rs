//! Functions that objects of several kinds have: names, groups, hints and error handlers. The kind is their first argument.

use crate::calls::Of;
use crate::calls::output_arguments::give_text;
use crate::mpi::communicators::groups;
use crate::mpi::info::{self, Info};
use crate::mpi::prelude::*;
use crate::mpi::{files, sessions, windows};
use crate::rank::{ErrorHandler, errors};

/// The communicator behind a handle, or that of a window or a file.
fn communicator(context: &mut Context, of: Of, object: Handle) -> Result<CommunicatorId> {
    match of {
        Of::Win => windows::id(context, object),
        Of::File => files::communicator(context, object),
        _ => {
            let id = abi::communicator(object)?;
            context.communicator(id).map(|_| id)
        }
    }
}

pub(crate) fn get_group(context: &mut Context, of: Of, object: Handle, group: Out<Handle>) -> Done {
    let id = communicator(context, of, object)?;
    let members = context.communicator(id)?.group.clone();
    group.give(groups::add(context, members))
}

pub(crate) fn set_name(context: &mut Context, of: Of, object: Handle, name: String) -> Done {
    if of == Of::Type {
        return context.rank().types.set_name(object, name);
    }
    let id = communicator(context, of, object)?;
    if of == Of::Win {
        windows::object(context, id)?.name.clone_from(&name);
    }
    context.rank().process.communicator_mut(id)?.name = name.into();
    Ok(())
}

pub(crate) fn get_name(context: &mut Context, of: Of, args: GetName) -> Done {
    let known = match (of, args.object as usize) {
        (Of::Comm, MPI_COMM_NULL) => "MPI_COMM_NULL",
        (Of::Win, MPI_WIN_NULL) => "MPI_WIN_NULL",
        (Of::Type, _) => context.rank().types.name(args.object)?,
        _ => {
            let id = communicator(context, of, args.object)?;
            match of {
                Of::Win => &windows::object(context, id)?.name,
                _ => &*context.communicator(id)?.name,
            }
        }
    };
    give_text(known, MPI_MAX_OBJECT_NAME as usize, args.name, args.length)
}

pub(crate) fn set_info(context: &mut Context, of: Of, object: Handle, hints: Info) -> Done {
    let id = communicator(context, of, object)?;
    info::add_hints(context, id, &hints);
    Ok(())
}

pub(crate) fn get_info(context: &mut Context, of: Of, object: Handle, hints: Out<Handle>) -> Done {
    let id = communicator(context, of, object)?;
    hints.give(info::handle_of_hints(context, of, id))
}

fn error_handler(context: &mut Context, of: Of, object: Handle) -> Result<ErrorHandler> {
    match of {
        Of::File => files::handler_of(context, object).copied(),
        Of::Session => sessions::handler_of(context, object).copied(),
        _ => {
            let id = communicator(context, of, object)?;
            Ok(context.rank().error_handler(id))
        }
    }
}

pub(crate) fn set_errhandler(context: &mut Context, of: Of, object: Handle, new: ErrorHandler) -> Done {
    match of {
        Of::File => *files::handler_of(context, object)? = new,
        Of::Session => *sessions::handler_of(context, object)? = new,
        _ => {
            let id = communicator(context, of, object)?;
            context.rank().set_error_handler(id, new);
        }
    }
    Ok(())
}

pub(crate) fn get_errhandler(context: &mut Context, of: Of, object: Handle, handler: Out<Handle>) -> Done {
    let known = error_handler(context, of, object)?;
    handler.give(errors::handle_of(context, known))
}

pub(crate) fn call_errhandler(context: &mut Context, of: Of, object: Handle, code: c_int) -> Done {
    let (known, name) = (error_handler(context, of, object)?, context.rank().calling.call);
    errors::carry_out(context, known, object, code, || format!("it called {name} with error code {code}"));
    Ok(())
}
