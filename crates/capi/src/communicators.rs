//! Making, comparing and naming communicators.

use crate::abi::{self, Handle};
use crate::collectives;
use crate::context::call;
use crate::environment::tell_text;
use crate::groups;
use std::ffi::{CStr, c_char, c_int};
use weir_message::collective::choice::Allgather;
use weir_message::collective::{Choice, Plan};
use weir_message::{Group, MpiError};

pub(crate) unsafe extern "C" fn comm_dup(comm: Handle, new: *mut Handle) -> c_int {
    call("MPI_Comm_dup", comm, |context| {
        let id = abi::communicator(comm)?;
        let made = context.rank().process.duplicate(id)?;
        context.rank().inherit_errors(id, Some(made));
        // SAFETY: the program's variable.
        unsafe { *new = abi::communicator_handle(Some(made)) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn comm_split(
    comm: Handle,
    colour: c_int,
    key: c_int,
    new: *mut Handle,
) -> c_int {
    call("MPI_Comm_split", comm, |context| {
        if colour < 0 && colour != weir_message::UNDEFINED {
            return Err(MpiError::Argument(format!("the colour {colour} is negative")));
        }
        let id = abi::communicator(comm)?;
        let place = collectives::place(context, id)?;
        // Everybody has to know everybody's colour and key; few rounds matter, for the data are short.
        let plan = Plan::allgather(&Choice { allgather: Allgather::Bruck, ..Choice::default() }, place, 8);
        let own = [colour.to_ne_bytes(), key.to_ne_bytes()].concat();
        let data = collectives::run(context, id, plan, None, |into| into.copy_from_slice(&own))?;
        let word = |bytes: &[u8]| i32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let table: Vec<(i32, i32)> =
            data.chunks_exact(8).map(|entry| (word(entry), word(&entry[4..]))).collect();
        let made = context.rank().process.split(id, &table)?;
        context.rank().inherit_errors(id, made);
        // SAFETY: the program's variable.
        unsafe { *new = abi::communicator_handle(made) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn comm_create(comm: Handle, group: Handle, new: *mut Handle) -> c_int {
    call("MPI_Comm_create", comm, |context| {
        let id = abi::communicator(comm)?;
        let group = groups::get(context, group)?;
        let made = context.rank().process.create(id, &group)?;
        context.rank().inherit_errors(id, made);
        // SAFETY: the program's variable.
        unsafe { *new = abi::communicator_handle(made) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn comm_free(comm: *mut Handle) -> c_int {
    // SAFETY: the program's variable.
    let handle = unsafe { *comm };
    call("MPI_Comm_free", handle, |context| {
        context.rank().process.free(abi::communicator(handle)?)?;
        // SAFETY: as above.
        unsafe { *comm = abi::communicator_handle(None) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn comm_compare(a: Handle, b: Handle, result: *mut c_int) -> c_int {
    call("MPI_Comm_compare", a, |context| {
        let (one, other) = (abi::communicator(a)?, abi::communicator(b)?);
        let process = &context.rank().process;
        let (first, second) = (&process.communicator(one)?.group, &process.communicator(other)?.group);
        let found = match groups::compare(first, second) {
            abi::IDENT if one != other => abi::CONGRUENT,
            compared => compared,
        };
        // SAFETY: the program's variable.
        unsafe { *result = found };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn comm_group(comm: Handle, group: *mut Handle) -> c_int {
    call("MPI_Comm_group", comm, |context| {
        let members: Group = context.rank().process.communicator(abi::communicator(comm)?)?.group.clone();
        // SAFETY: the program's variable.
        unsafe { *group = groups::add(context, members) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn comm_test_inter(comm: Handle, flag: *mut c_int) -> c_int {
    call("MPI_Comm_test_inter", comm, |context| {
        context.rank().process.communicator(abi::communicator(comm)?)?;
        // SAFETY: the program's variable. There are no intercommunicators.
        unsafe { *flag = 0 };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn comm_set_name(comm: Handle, name: *const c_char) -> c_int {
    call("MPI_Comm_set_name", comm, |context| {
        // SAFETY: the program's string.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        context.rank().process.communicator_mut(abi::communicator(comm)?)?.name = name;
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn comm_get_name(comm: Handle, name: *mut c_char, length: *mut c_int) -> c_int {
    call("MPI_Comm_get_name", comm, |context| {
        let known = &context.rank().process.communicator(abi::communicator(comm)?)?.name;
        // SAFETY: the program's variables, with the room that the standard asks for.
        unsafe { tell_text(known, abi::MAX_OBJECT_NAME, name, length) };
        Ok(())
    })
}
