//! Groups that meet during the run: ports, published names, connections, and what would need new processes. The number of ranks of a
//! run is fixed, so none can be started; groups of the same run can connect.

use crate::calls::output_arguments::{copy_text, text};
use crate::mpi::communicators::end;
use crate::mpi::communicators::intercommunicators::{come_together, receive, send, sent, wait_for_pending};
use crate::mpi::prelude::*;
use std::mem::ManuallyDrop;
use std::net::TcpStream;
use std::os::fd::FromRawFd;
use weir_message::ANY_SOURCE;
use weir_units::Rank;

#[derive(Debug, Default)]
pub(crate) struct Ports {
    open: Vec<u32>,
    next: u32,
    pub(crate) communicator: Option<CommunicatorId>,
}

impl Ports {
    /// A new port of this rank, whose ports they are.
    fn open(&mut self, rank: u32) -> Port {
        let port = Port { rank, number: self.next };
        self.next += 1;
        self.open.push(port.number);
        port
    }

    fn close(&mut self, port: Port) {
        self.open.retain(|&number| number != port.number);
    }
}

/// A port: the rank that has opened it, and its number there.
#[derive(Clone, Copy)]
struct Port {
    rank: u32,
    number: u32,
}

impl Port {
    fn parse(name: *const c_char) -> Result<Self> {
        let name =
            text(name).ok_or_else(|| MpiError::Port("the name of the port is a null pointer".into()))?;
        Self::of_name(&name.to_string_lossy())
    }

    fn of_name(name: &str) -> Result<Self> {
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

fn communicator(context: &mut Context) -> CommunicatorId {
    if let Some(known) = context.of::<Ports>().communicator {
        return known;
    }
    let made = context.rank().process.create_for_ports();
    context.of::<Ports>().communicator = Some(made);
    made
}

/// A port of this rank that is open.
fn own_port(context: &mut Context, name: *const c_char) -> Result<Port> {
    let port = Port::parse(name)?;
    if port.rank != context.rank().process.rank().0 || !context.of::<Ports>().open.contains(&port.number) {
        return Err(MpiError::Port(format!("{} is not a port that this rank has open", port.name())));
    }
    Ok(port)
}

pub(crate) fn open_port(context: &mut Context, name: *mut c_char) -> Done {
    let rank = context.rank().process.rank().0;
    let port = context.of::<Ports>().open(rank);
    copy_text(port.name().as_bytes(), MPI_MAX_PORT_NAME as usize, name).map(|_| ())
}

pub(crate) fn close_port(context: &mut Context, name: *const c_char) -> Done {
    let port = own_port(context, name)?;
    context.of::<Ports>().close(port);
    Ok(())
}

pub(crate) fn comm_accept(context: &mut Context, args: CommAccept) -> Done {
    // Only the root's name matters.
    let made = accept(context, args.comm, args.root, |context| own_port(context, args.port_name))?;
    args.newcomm.give(abi::communicator_handle(Some(made)))
}

pub(crate) fn comm_connect(context: &mut Context, args: CommConnect) -> Done {
    // Only the root's name matters.
    let made = connect(context, args.comm, args.root, || Port::parse(args.port_name))?;
    args.newcomm.give(abi::communicator_handle(Some(made)))
}

/// Waits until another group connects to a port, which the root knows.
fn accept(
    context: &mut Context,
    comm: CommunicatorId,
    root: c_int,
    port: impl FnOnce(&mut Context) -> Result<Port>,
) -> Result<CommunicatorId> {
    come_together(context, comm, root, |context, own| {
        let (request, answer) = port(context)?.tags();
        let comm = communicator(context);
        let (rank, theirs) = receive(context, Peer { comm, rank: ANY_SOURCE, tag: request })?;
        let requests = send(context, Peer { comm, rank, tag: answer }, own)?;
        sent(context, requests)?;
        Ok(theirs)
    })
}

/// Connects to the group that accepts at a port, which the root knows.
fn connect(
    context: &mut Context,
    comm: CommunicatorId,
    root: c_int,
    port: impl FnOnce() -> Result<Port>,
) -> Result<CommunicatorId> {
    come_together(context, comm, root, |context, own| {
        let port = port()?;
        if context.rank().job().rank_of(Rank(port.rank)).is_none() {
            return Err(MpiError::Port(format!(
                "{} is a port of a rank that does not exist in this job",
                port.name()
            )));
        }
        let (comm, rank, (request, answer)) = (communicator(context), port.rank as c_int, port.tags());
        let requests = send(context, Peer { comm, rank, tag: request }, own)?;
        let (_, theirs) = receive(context, Peer { comm, rank, tag: answer })?;
        sent(context, requests)?;
        Ok(theirs)
    })
}

/// A name for a connection of the system, the same at both of its ends, which no program publishes.
fn connection(socket: c_int) -> Result<String> {
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

/// The ranks at both ends of a connection meet as at a port that the first one has opened; nothing goes through the socket.
pub(crate) fn comm_join(context: &mut Context, fd: c_int, intercomm: Out<Handle>) -> Done {
    intercomm.set(abi::communicator_handle(None));
    let connection = connection(fd)?;
    may_meet(context, "a connection")?;
    let first = context.rank().world.names.borrow_mut().remove(&connection);
    let made = match first {
        Some(port) => connect(context, CommunicatorId::SELF, 0, || Port::of_name(&port))?,
        None => {
            let rank = context.rank().process.rank().0;
            let port = context.of::<Ports>().open(rank);
            context.rank().world.names.borrow_mut().insert(connection, port.name());
            let made = accept(context, CommunicatorId::SELF, 0, |_| Ok(port));
            context.of::<Ports>().close(port);
            made?
        }
    };
    intercomm.give(abi::communicator_handle(Some(made)))
}

pub(crate) fn no_spawn(context: &mut Context, comm: CommunicatorId, intercomm: Out<Handle>) -> Done {
    context.communicator(comm)?;
    intercomm.set(abi::communicator_handle(None));
    let size = context.rank().job().size();
    Err(MpiError::Spawn(format!(
        "weir's number of ranks is fixed for a run, here {size}, and no process can be started during it; start \
         the run with all ranks it needs (weir mpirun -n), and connect groups of them by MPI_Intercomm_create, or \
         by MPI_Comm_accept and MPI_Comm_connect"
    )))
}

pub(crate) fn comm_get_parent(_: &mut Context, parent: Out<Handle>) -> Done {
    parent.give(abi::communicator_handle(None))
}

pub(crate) fn comm_disconnect(context: &mut Context, comm: Out<Handle>) -> Done {
    let id = abi::communicator(comm.get())?;
    context.rank().process.may_free(id)?;
    wait_for_pending(context, id);
    end(context, id)?;
    comm.give(abi::communicator_handle(None))
}

/// They are known to all ranks at once, at the instant at which they are published; that costs no time.
const NAMES: &str = "a published name";

/// Refuses a call by which ranks find each other in the world, if they do not share it.
fn may_meet(context: &mut Context, by: &str) -> Done {
    context.needs_one_process(by);
    if let Some(who) = context.rank().world.who_is_elsewhere() {
        // Processes do not share the world.
        return Err(MpiError::Unsupported(format!("{who} do not meet by {by}")));
    }
    context.catch_up();
    Ok(())
}

pub(crate) fn publish_name(context: &mut Context, service: String, port: String) -> Done {
    may_meet(context, NAMES)?;
    let mut names = context.rank().world.names.borrow_mut();
    if names.contains_key(&service) {
        return Err(MpiError::Service(format!("\"{service}\" is published already")));
    }
    names.insert(service, port);
    Ok(())
}

pub(crate) fn lookup_name(context: &mut Context, service: String, port: *mut c_char) -> Done {
    may_meet(context, NAMES)?;
    let found = context.rank().world.names.borrow_mut().get(&service).cloned();
    let found = found.ok_or_else(|| MpiError::Name(format!("\"{service}\" is not published")))?;
    copy_text(found.as_bytes(), MPI_MAX_PORT_NAME as usize, port).map(|_| ())
}

pub(crate) fn unpublish_name(context: &mut Context, service: String, _port: String) -> Done {
    may_meet(context, NAMES)?;
    match context.rank().world.names.borrow_mut().remove(&service) {
        Some(_) => Ok(()),
        None => Err(MpiError::Service(format!("\"{service}\" is not published"))),
    }
}
