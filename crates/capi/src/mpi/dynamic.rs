//! Groups that meet during the run: ports, published names, and what would need new processes. The number of ranks of a
//! run is fixed, so none can be started; groups of the same run can connect.

use crate::calls::abi::{self, Handle};
use crate::calls::output_arguments::{copy_text, give, given, out, string};
use crate::mpi::attributes;
use crate::mpi::communicators::intercommunicators::{
    Leader, come_together, receive, send, sent, wait_for_pending,
};
use crate::mpi::info;
use crate::rank::context::Context;
use crate::rank::mpi_call::call;
use std::ffi::{c_char, c_int};
use std::ptr;
use weir_message::{ANY_SOURCE, CommunicatorId, MpiError};

const MAX_PORT_NAME: usize = 1024;

/// The ports of one rank.
#[derive(Debug, Default)]
pub(crate) struct Ports {
    open: Vec<u32>,
    next: u32,
    /// The communicator of messages to ports.
    communicator: Option<CommunicatorId>,
}

impl Ports {
    /// How many communicators they have that the program does not know.
    pub(crate) fn hidden(&self) -> usize {
        self.communicator.iter().count()
    }
}

/// A port: the rank that has opened it, and its number there.
#[derive(Clone, Copy)]
struct Port {
    rank: u32,
    number: u32,
}

impl Port {
    /// # Safety
    /// `name` is null or a string.
    unsafe fn parse(name: *const c_char) -> Result<Self, MpiError> {
        if name.is_null() {
            return Err(MpiError::Port("the name of the port is a null pointer".into()));
        }
        // SAFETY: the caller's promise.
        let name = string(name, "name")?.to_string_lossy().into_owned();
        let numbers = name.strip_prefix("weir-port:").and_then(|rest| rest.split_once(':'));
        let port = numbers
            .and_then(|(rank, number)| Some(Self { rank: rank.parse().ok()?, number: number.parse().ok()? }));
        port.ok_or_else(|| {
            MpiError::Port(format!("\"{name}\" is not the name of a port that MPI_Open_port has given"))
        })
    }

    fn name(self) -> String {
        format!("weir-port:{}:{}", self.rank, self.number)
    }

    /// The tag of introductions to it, and of the answers.
    fn tags(self) -> (c_int, c_int) {
        let base = (self.number & 0x3fff_ffff) as c_int;
        (2 * base, 2 * base + 1)
    }
}

fn ports(context: &mut Context) -> &mut Ports {
    context.rank().objects().of::<Ports>()
}

fn communicator(context: &mut Context) -> CommunicatorId {
    if let Some(known) = ports(context).communicator {
        return known;
    }
    let made = context.rank().process.create_for_ports();
    ports(context).communicator = Some(made);
    made
}

/// A port of this rank that is open.
///
/// # Safety
/// `name` is null or a string.
unsafe fn own_port(context: &mut Context, name: *const c_char) -> Result<Port, MpiError> {
    // SAFETY: the caller's promise.
    let port = unsafe { Port::parse(name)? };
    if port.rank != context.rank().process.rank().0 || !ports(context).open.contains(&port.number) {
        return Err(MpiError::Port(format!("{} is not a port that this rank has open", port.name())));
    }
    Ok(port)
}

pub(crate) unsafe extern "C" fn open_port(_info: Handle, name: *mut c_char) -> c_int {
    call("MPI_Open_port", ptr::null_mut(), |context| {
        let rank = context.rank().process.rank().0;
        let ports = ports(context);
        let port = Port { rank, number: ports.next };
        ports.next += 1;
        ports.open.push(port.number);
        copy_text(&port.name(), MAX_PORT_NAME, name).map(|_| ())
    })
}

pub(crate) unsafe extern "C" fn close_port(name: *const c_char) -> c_int {
    call("MPI_Close_port", ptr::null_mut(), |context| {
        // SAFETY: the program's string.
        let port = unsafe { own_port(context, name)? };
        ports(context).open.retain(|&number| number != port.number);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn comm_accept(
    name: *const c_char,
    _info: Handle,
    root: c_int,
    comm: Handle,
    new: *mut Handle,
) -> c_int {
    call("MPI_Comm_accept", comm, |context| {
        out(new, "newcomm")?;
        let made = come_together(context, abi::communicator(comm)?, root, |context, own| {
            // SAFETY: the program's string; only the root's matters.
            let (request, answer) = unsafe { own_port(context, name)? }.tags();
            let communicator = communicator(context);
            let from = Leader { communicator, rank: ANY_SOURCE, tag: request };
            let (rank, theirs) = receive(context, from)?;
            let requests = send(context, Leader { communicator, rank, tag: answer }, own)?;
            sent(context, requests)?;
            Ok(theirs)
        })?;
        give(new, "new", abi::communicator_handle(Some(made)))
    })
}

pub(crate) unsafe extern "C" fn comm_connect(
    name: *const c_char,
    _info: Handle,
    root: c_int,
    comm: Handle,
    new: *mut Handle,
) -> c_int {
    call("MPI_Comm_connect", comm, |context| {
        out(new, "newcomm")?;
        let made = come_together(context, abi::communicator(comm)?, root, |context, own| {
            // SAFETY: the program's string; only the root's matters.
            let port = unsafe { Port::parse(name)? };
            if port.rank as usize >= context.rank().world.size() {
                return Err(MpiError::Port(format!(
                    "{} is a port of a rank that does not exist",
                    port.name()
                )));
            }
            let (communicator, rank, (request, answer)) =
                (communicator(context), port.rank as c_int, port.tags());
            let requests = send(context, Leader { communicator, rank, tag: request }, own)?;
            let (_, theirs) = receive(context, Leader { communicator, rank, tag: answer })?;
            sent(context, requests)?;
            Ok(theirs)
        })?;
        give(new, "new", abi::communicator_handle(Some(made)))
    })
}

pub(crate) unsafe extern "C" fn comm_join(_fd: c_int, intercomm: *mut Handle) -> c_int {
    call("MPI_Comm_join", ptr::null_mut(), |_| {
        give(intercomm, "intercomm", abi::communicator_handle(None))?;
        Err(MpiError::Unsupported(
            "weir joins no processes over a socket: the ranks of a run are those it begins with".into(),
        ))
    })
}

/// No further processes can be started.
fn no_spawn(name: &'static str, comm: Handle, intercomm: *mut Handle) -> c_int {
    call(name, comm, |context| {
        context.rank().process.communicator(abi::communicator(comm)?)?;
        give(intercomm, "intercomm", abi::communicator_handle(None))?;
        let size = context.rank().world.size();
        Err(MpiError::Spawn(format!(
            "weir's number of ranks is fixed for a run, here {size}, and no process can be started during it; start \
             the run with all ranks it needs (weir mpirun -n), and connect groups of them by MPI_Intercomm_create, or \
             by MPI_Comm_accept and MPI_Comm_connect"
        )))
    })
}

pub(crate) unsafe extern "C" fn comm_spawn(
    _command: *const c_char,
    _argv: *mut *mut c_char,
    _maxprocs: c_int,
    _info: Handle,
    _root: c_int,
    comm: Handle,
    intercomm: *mut Handle,
    _codes: *mut c_int,
) -> c_int {
    no_spawn("MPI_Comm_spawn", comm, intercomm)
}

pub(crate) unsafe extern "C" fn comm_spawn_multiple(
    _count: c_int,
    _commands: *mut *mut c_char,
    _argvs: *mut *mut *mut c_char,
    _maxprocs: *const c_int,
    _infos: *const Handle,
    _root: c_int,
    comm: Handle,
    intercomm: *mut Handle,
    _codes: *mut c_int,
) -> c_int {
    no_spawn("MPI_Comm_spawn_multiple", comm, intercomm)
}

pub(crate) unsafe extern "C" fn comm_get_parent(parent: *mut Handle) -> c_int {
    call("MPI_Comm_get_parent", ptr::null_mut(), |_| give(parent, "parent", abi::communicator_handle(None)))
}

pub(crate) unsafe extern "C" fn comm_disconnect(comm: *mut Handle) -> c_int {
    let handle = given(comm, "comm");
    call("MPI_Comm_disconnect", handle.clone().unwrap_or_default(), |context| {
        let handle = handle?;
        let id = abi::communicator(handle)?;
        context.rank().process.may_free(id)?;
        wait_for_pending(context, id);
        attributes::delete_all(context, id)?;
        context.rank().process.free(id)?;
        info::forget(context, id);
        give(comm, "comm", abi::communicator_handle(None))
    })
}

/// A text of the program.
///
/// # Safety
/// `text` is null or a string.
unsafe fn text(text: *const c_char) -> Result<String, MpiError> {
    Ok(string(text, "name")?.to_string_lossy().into_owned())
}

/// Names are known to all ranks at once, at the instant at which they are published; that costs no time.
fn may_name(context: &mut Context) -> Result<(), MpiError> {
    context.needs_one_process("a published name");
    if let Some(who) = context.rank().world.who_is_elsewhere() {
        // Names are in the world, which processes do not share.
        return Err(MpiError::Unsupported(format!("{who} publish no names")));
    }
    context.catch_up();
    Ok(())
}

pub(crate) unsafe extern "C" fn publish_name(
    service: *const c_char,
    _info: Handle,
    port: *const c_char,
) -> c_int {
    call("MPI_Publish_name", ptr::null_mut(), |context| {
        // SAFETY: the program's strings.
        let (service, port) = unsafe { (text(service)?, text(port)?) };
        may_name(context)?;
        let mut names = context.rank().world.names();
        if names.contains_key(&service) {
            return Err(MpiError::Service(format!("\"{service}\" is published already")));
        }
        names.insert(service, port);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn lookup_name(
    service: *const c_char,
    _info: Handle,
    port: *mut c_char,
) -> c_int {
    call("MPI_Lookup_name", ptr::null_mut(), |context| {
        // SAFETY: the program's string.
        let service = unsafe { text(service)? };
        may_name(context)?;
        let found = context.rank().world.names().get(&service).cloned();
        let found = found.ok_or_else(|| MpiError::Name(format!("\"{service}\" is not published")))?;
        copy_text(&found, MAX_PORT_NAME, port).map(|_| ())
    })
}

pub(crate) unsafe extern "C" fn unpublish_name(
    service: *const c_char,
    _info: Handle,
    port: *const c_char,
) -> c_int {
    call("MPI_Unpublish_name", ptr::null_mut(), |context| {
        // SAFETY: the program's strings.
        let (service, _) = unsafe { (text(service)?, text(port)?) };
        may_name(context)?;
        match context.rank().world.names().remove(&service) {
            Some(_) => Ok(()),
            None => Err(MpiError::Service(format!("\"{service}\" is not published"))),
        }
    })
}
