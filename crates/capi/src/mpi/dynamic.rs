//! Groups that meet during the run: ports, published names, connections, and what would need new processes. The number of ranks of a
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
use std::mem::ManuallyDrop;
use std::net::TcpStream;
use std::os::fd::FromRawFd;
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
    /// A new port of this rank, whose ports they are.
    fn open(&mut self, rank: u32) -> Port {
        let port = Port { rank, number: self.next };
        self.next += 1;
        self.open.push(port.number);
        port
    }

    /// The port is open no more.
    fn close(&mut self, port: Port) {
        self.open.retain(|&number| number != port.number);
    }

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
        Self::of_name(&string(name, "name")?.to_string_lossy())
    }

    fn of_name(name: &str) -> Result<Self, MpiError> {
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
        let port = ports(context).open(rank);
        copy_text(&port.name(), MAX_PORT_NAME, name).map(|_| ())
    })
}

pub(crate) unsafe extern "C" fn close_port(name: *const c_char) -> c_int {
    call("MPI_Close_port", ptr::null_mut(), |context| {
        // SAFETY: the program's string.
        let port = unsafe { own_port(context, name)? };
        ports(context).close(port);
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
        // SAFETY: the program's string; only the root's matters.
        let port = |context: &mut Context| unsafe { own_port(context, name) };
        let made = accept(context, abi::communicator(comm)?, root, port)?;
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
        // SAFETY: the program's string; only the root's matters.
        let made = connect(context, abi::communicator(comm)?, root, || unsafe { Port::parse(name) })?;
        give(new, "new", abi::communicator_handle(Some(made)))
    })
}

/// Waits until another group connects to a port, which the root knows.
fn accept(
    context: &mut Context,
    comm: CommunicatorId,
    root: c_int,
    port: impl FnOnce(&mut Context) -> Result<Port, MpiError>,
) -> Result<CommunicatorId, MpiError> {
    come_together(context, comm, root, |context, own| {
        let (request, answer) = port(context)?.tags();
        let communicator = communicator(context);
        let from = Leader { communicator, rank: ANY_SOURCE, tag: request };
        let (rank, theirs) = receive(context, from)?;
        let requests = send(context, Leader { communicator, rank, tag: answer }, own)?;
        sent(context, requests)?;
        Ok(theirs)
    })
}

/// Connects to the group that accepts at a port, which the root knows.
fn connect(
    context: &mut Context,
    comm: CommunicatorId,
    root: c_int,
    port: impl FnOnce() -> Result<Port, MpiError>,
) -> Result<CommunicatorId, MpiError> {
    come_together(context, comm, root, |context, own| {
        let port = port()?;
        if port.rank as usize >= context.rank().world.size() {
            return Err(MpiError::Port(format!("{} is a port of a rank that does not exist", port.name())));
        }
        let (communicator, rank, (request, answer)) =
            (communicator(context), port.rank as c_int, port.tags());
        let requests = send(context, Leader { communicator, rank, tag: request }, own)?;
        let (_, theirs) = receive(context, Leader { communicator, rank, tag: answer })?;
        sent(context, requests)?;
        Ok(theirs)
    })
}

/// A name for a connection of the system, the same at both of its ends, which no program publishes.
fn connection(socket: c_int) -> Result<String, MpiError> {
    let refused = |why: &dyn std::fmt::Display| {
        MpiError::Argument(format!(
            "fd: {socket} is not a connected socket of the internet's protocols: {why}"
        ))
    };
    if socket < 0 {
        return Err(refused(&"it is negative"));
    }
    // SAFETY: asked for its addresses only, and not closed; a number that is no socket is an error of the system's.
    let stream = ManuallyDrop::new(unsafe { TcpStream::from_raw_fd(socket) });
    let own = stream.local_addr().map_err(|error| refused(&error))?;
    let peer = stream.peer_addr().map_err(|error| refused(&error))?;
    Ok(format!("\0{} {}", own.min(peer), own.max(peer)))
}

/// The ranks at both ends of a connection meet in simulated time, as at a port that the first one has opened; nothing goes
/// through the socket.
pub(crate) unsafe extern "C" fn comm_join(fd: c_int, intercomm: *mut Handle) -> c_int {
    call("MPI_Comm_join", ptr::null_mut(), |context| {
        give(intercomm, "intercomm", abi::communicator_handle(None))?;
        let connection = connection(fd)?;
        may_meet(context, "a connection")?;
        let first = context.rank().world.names().remove(&connection);
        let made = match first {
            Some(port) => connect(context, CommunicatorId::SELF, 0, || Port::of_name(&port))?,
            None => {
                let rank = context.rank().process.rank().0;
                let port = ports(context).open(rank);
                context.rank().world.names().insert(connection, port.name());
                let made = accept(context, CommunicatorId::SELF, 0, |_| Ok(port));
                ports(context).close(port);
                made?
            }
        };
        give(intercomm, "intercomm", abi::communicator_handle(Some(made)))
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
    may_meet(context, "a published name")
}

/// Refuses a call by which ranks find each other in the world, if they do not share it.
fn may_meet(context: &mut Context, by: &str) -> Result<(), MpiError> {
    context.needs_one_process(by);
    if let Some(who) = context.rank().world.who_is_elsewhere() {
        // Processes do not share the world.
        return Err(MpiError::Unsupported(format!("{who} do not meet by {by}")));
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
