//! Collectives: the program's buffers to and from the workspaces of [`weir_message::collective`].

use crate::abi::{self, Handle, IN_PLACE};
use crate::buffer::Buffer;
use crate::context::{Context, call};
use crate::datatypes::Datatype;
use crate::operations;
use crate::point_to_point::checked;
use std::ffi::{c_int, c_void};
use std::slice;
use weir_message::collective::{Blocks, Place, Plan, Reduction};
use weir_message::{CommunicatorId, MpiError};

/// The place of the running rank in a communicator.
pub(crate) fn place(context: Context, comm: CommunicatorId) -> Result<Place, MpiError> {
    let comm = context.rank().process.communicator(comm)?;
    Ok(Place { rank: comm.rank as usize, size: comm.group.size() })
}

/// Takes part in a collective and returns its result; `fill` puts in what the rank gives.
pub(crate) fn run(
    context: Context,
    comm: CommunicatorId,
    plan: Plan,
    reduction: Reduction,
    fill: impl FnOnce(&mut [u8]),
) -> Result<Vec<u8>, MpiError> {
    let mut workspace = vec![0; plan.workspace];
    fill(&mut workspace[plan.input]);
    let rank = context.rank();
    let id = rank.process.start_collective(context.actions(), comm, plan.schedule, workspace, reduction)?;
    let completion = context.wait_for(id)?;
    checked(completion.status)?;
    let mut data = completion.data.into_vec();
    data.truncate(plan.result.end);
    data.drain(..plan.result.start);
    Ok(data)
}

fn is_in_place(buffer: *const c_void) -> bool {
    buffer as usize == IN_PLACE
}

fn root(place: Place, root: c_int) -> Result<usize, MpiError> {
    let known = usize::try_from(root).ok().filter(|&root| root < place.size);
    known.ok_or(MpiError::Root { root, size: place.size })
}

/// Counts and displacements of a v-collective, one of each per rank.
struct Layout<'a> {
    counts: &'a [c_int],
    displacements: &'a [c_int],
}

impl Layout<'_> {
    /// # Safety
    /// Both arrays are valid for `size` ints while the result is used.
    unsafe fn new<'a>(counts: *const c_int, displacements: *const c_int, size: usize) -> Layout<'a> {
        // SAFETY: the caller's promise.
        unsafe {
            Layout {
                counts: slice::from_raw_parts(counts, size),
                displacements: slice::from_raw_parts(displacements, size),
            }
        }
    }

    /// The blocks one behind the other, as they stand in a workspace.
    fn blocks(&self, datatype: &Datatype) -> Result<Blocks, MpiError> {
        let length = |&count: &c_int| usize::try_from(count).map_err(|_| MpiError::Count(count.into()));
        let lengths = self.counts.iter().map(length).collect::<Result<Vec<usize>, _>>()?;
        Ok(Blocks::uneven(lengths.into_iter().map(|count| count * datatype.size)))
    }

    /// The block of a rank in the program's memory.
    fn block(&self, whole: &Buffer, rank: usize) -> Result<Buffer, MpiError> {
        whole.block(self.displacements[rank], self.counts[rank])
    }

    fn read(&self, whole: &Buffer, blocks: &Blocks, into: &mut [u8]) -> Result<(), MpiError> {
        (0..self.counts.len()).try_for_each(|rank| {
            self.block(whole, rank)?.read_into(&mut into[blocks.range(rank)]);
            Ok(())
        })
    }

    fn write(&self, whole: &Buffer, blocks: &Blocks, data: &[u8]) -> Result<(), MpiError> {
        (0..self.counts.len()).try_for_each(|rank| {
            self.block(whole, rank)?.write(&data[blocks.range(rank)]);
            Ok(())
        })
    }
}

pub(crate) unsafe extern "C" fn barrier(comm: Handle) -> c_int {
    call("MPI_Barrier", comm, |context| {
        let id = abi::communicator(comm)?;
        let plan = Plan::barrier(context.rank().world.choice(), place(context, id)?);
        run(context, id, plan, None, |_| ()).map(|_| ())
    })
}

pub(crate) unsafe extern "C" fn bcast(
    buf: *mut c_void,
    count: c_int,
    datatype: Handle,
    from: c_int,
    comm: Handle,
) -> c_int {
    call("MPI_Bcast", comm, |context| {
        let id = abi::communicator(comm)?;
        let place = place(context, id)?;
        let root = root(place, from)?;
        let buffer = Buffer::new(context, buf, count, datatype)?;
        let plan = Plan::bcast(context.rank().world.choice(), place, root, buffer.bytes);
        let fill = |into: &mut [u8]| {
            if place.rank == root {
                buffer.read_into(into);
            }
        };
        buffer.write(&run(context, id, plan, None, fill)?);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn reduce(
    send: *const c_void,
    recv: *mut c_void,
    count: c_int,
    datatype: Handle,
    op: Handle,
    to: c_int,
    comm: Handle,
) -> c_int {
    call("MPI_Reduce", comm, |context| {
        let id = abi::communicator(comm)?;
        let place = place(context, id)?;
        let root = root(place, to)?;
        let combine = operations::get(context, op, datatype)?;
        let given = if is_in_place(send) { recv } else { send };
        let out = Buffer::new(context, given, count, datatype)?;
        let commutes = operations::commutes(&combine);
        let (choice, size) = (*context.rank().world.choice(), out.datatype.size);
        let plan = Plan::reduce(&choice, place, root, count as usize, size, commutes);
        let result = run(context, id, plan, Some(combine), |into| out.read_into(into))?;
        if place.rank == root {
            Buffer::new(context, recv, count, datatype)?.write(&result);
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn allreduce(
    send: *const c_void,
    recv: *mut c_void,
    count: c_int,
    datatype: Handle,
    op: Handle,
    comm: Handle,
) -> c_int {
    call("MPI_Allreduce", comm, |context| {
        let id = abi::communicator(comm)?;
        let combine = operations::get(context, op, datatype)?;
        let into = Buffer::new(context, recv, count, datatype)?;
        let out = if is_in_place(send) { into.clone() } else { Buffer::new(context, send, count, datatype)? };
        let (choice, place) = (*context.rank().world.choice(), place(context, id)?);
        let size = out.datatype.size;
        let plan = Plan::allreduce(&choice, place, count as usize, size, operations::commutes(&combine));
        into.write(&run(context, id, plan, Some(combine), |place| out.read_into(place))?);
        Ok(())
    })
}

/// `MPI_Scan` and `MPI_Exscan`.
#[allow(clippy::too_many_arguments)] // theirs, and which of them it is
fn prefix(
    context: Context,
    plan: impl FnOnce(usize, Place) -> Plan,
    send: *const c_void,
    recv: *mut c_void,
    count: c_int,
    datatype: Handle,
    op: Handle,
    comm: Handle,
) -> Result<(), MpiError> {
    let id = abi::communicator(comm)?;
    let combine = operations::get(context, op, datatype)?;
    let into = Buffer::new(context, recv, count, datatype)?;
    let out = if is_in_place(send) { into.clone() } else { Buffer::new(context, send, count, datatype)? };
    let plan = plan(out.bytes, place(context, id)?);
    into.write(&run(context, id, plan, Some(combine), |place| out.read_into(place))?);
    Ok(())
}

pub(crate) unsafe extern "C" fn scan(
    send: *const c_void,
    recv: *mut c_void,
    count: c_int,
    datatype: Handle,
    op: Handle,
    comm: Handle,
) -> c_int {
    call("MPI_Scan", comm, |context| {
        let choice = *context.rank().world.choice();
        let plan = |bytes, place| Plan::scan(&choice, place, bytes);
        prefix(context, plan, send, recv, count, datatype, op, comm)
    })
}

pub(crate) unsafe extern "C" fn exscan(
    send: *const c_void,
    recv: *mut c_void,
    count: c_int,
    datatype: Handle,
    op: Handle,
    comm: Handle,
) -> c_int {
    call("MPI_Exscan", comm, |context| {
        let choice = *context.rank().world.choice();
        let plan = |bytes, place| Plan::exscan(&choice, place, bytes);
        prefix(context, plan, send, recv, count, datatype, op, comm)
    })
}

pub(crate) unsafe extern "C" fn gather(
    send: *const c_void,
    send_count: c_int,
    send_type: Handle,
    recv: *mut c_void,
    recv_count: c_int,
    recv_type: Handle,
    to: c_int,
    comm: Handle,
) -> c_int {
    call("MPI_Gather", comm, |context| {
        let id = abi::communicator(comm)?;
        let place = place(context, id)?;
        let root = root(place, to)?;
        let all =
            if place.rank == root { Some(whole(context, recv, recv_count, recv_type, place)?) } else { None };
        let own = match &all {
            Some(all) if is_in_place(send) => all.block(recv_count * place.rank as c_int, recv_count)?,
            _ => Buffer::new(context, send, send_count, send_type)?,
        };
        let plan = Plan::gather(context.rank().world.choice(), place, root, own.bytes);
        let result = run(context, id, plan, None, |into| own.read_into(into))?;
        if let Some(all) = all {
            all.write(&result);
        }
        Ok(())
    })
}

/// A buffer with a block for every rank.
fn whole(
    context: Context,
    address: *const c_void,
    count: c_int,
    datatype: Handle,
    place: Place,
) -> Result<Buffer, MpiError> {
    Buffer::new(context, address, count, datatype)?.times(place.size)
}

pub(crate) unsafe extern "C" fn scatter(
    send: *const c_void,
    send_count: c_int,
    send_type: Handle,
    recv: *mut c_void,
    recv_count: c_int,
    recv_type: Handle,
    from: c_int,
    comm: Handle,
) -> c_int {
    call("MPI_Scatter", comm, |context| {
        let id = abi::communicator(comm)?;
        let place = place(context, id)?;
        let root = root(place, from)?;
        let all =
            if place.rank == root { Some(whole(context, send, send_count, send_type, place)?) } else { None };
        let own =
            if is_in_place(recv) { None } else { Some(Buffer::new(context, recv, recv_count, recv_type)?) };
        let bytes = match (&all, &own) {
            (Some(all), _) => all.bytes / place.size,
            (None, Some(own)) => own.bytes,
            (None, None) => {
                return Err(MpiError::Buffer("MPI_IN_PLACE at a rank that is not the root".into()));
            }
        };
        let plan = Plan::scatter(context.rank().world.choice(), place, root, bytes);
        let fill = |into: &mut [u8]| {
            if let Some(all) = &all {
                all.read_into(into);
            }
        };
        let result = run(context, id, plan, None, fill)?;
        if let Some(own) = own {
            own.write(&result);
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn gatherv(
    send: *const c_void,
    send_count: c_int,
    send_type: Handle,
    recv: *mut c_void,
    recv_counts: *const c_int,
    displacements: *const c_int,
    recv_type: Handle,
    to: c_int,
    comm: Handle,
) -> c_int {
    call("MPI_Gatherv", comm, |context| {
        let id = abi::communicator(comm)?;
        let place = place(context, id)?;
        if place.rank != root(place, to)? {
            let own = Buffer::new(context, send, send_count, send_type)?;
            // Only the own block matters to a rank that is not the root.
            let blocks =
                Blocks::uneven((0..place.size).map(|rank| if rank == place.rank { own.bytes } else { 0 }));
            let plan = Plan::gatherv(place, to as usize, blocks);
            return run(context, id, plan, None, |into| own.read_into(into)).map(|_| ());
        }
        // SAFETY: the program's arrays, which matter at the root.
        let layout = unsafe { Layout::new(recv_counts, displacements, place.size) };
        let all = Buffer::new(context, recv, 0, recv_type)?;
        let blocks = layout.blocks(&all.datatype)?;
        let own = if is_in_place(send) {
            layout.block(&all, place.rank)?
        } else {
            Buffer::new(context, send, send_count, send_type)?
        };
        let plan = Plan::gatherv(place, place.rank, blocks.clone());
        let fill = |into: &mut [u8]| own.read_into(into);
        if own.bytes > plan.input.len() {
            return Err(MpiError::Truncate { message: own.bytes as u64, buffer: plan.input.len() as u64 });
        }
        layout.write(&all, &blocks, &run(context, id, plan, None, fill)?)
    })
}

pub(crate) unsafe extern "C" fn scatterv(
    send: *const c_void,
    send_counts: *const c_int,
    displacements: *const c_int,
    send_type: Handle,
    recv: *mut c_void,
    recv_count: c_int,
    recv_type: Handle,
    from: c_int,
    comm: Handle,
) -> c_int {
    call("MPI_Scatterv", comm, |context| {
        let id = abi::communicator(comm)?;
        let place = place(context, id)?;
        if place.rank != root(place, from)? {
            let own = Buffer::new(context, recv, recv_count, recv_type)?;
            let blocks =
                Blocks::uneven((0..place.size).map(|rank| if rank == place.rank { own.bytes } else { 0 }));
            let plan = Plan::scatterv(place, from as usize, blocks);
            own.write(&run(context, id, plan, None, |_| ())?);
            return Ok(());
        }
        // SAFETY: the program's arrays, which matter at the root.
        let layout = unsafe { Layout::new(send_counts, displacements, place.size) };
        let all = Buffer::new(context, send, 0, send_type)?;
        let blocks = layout.blocks(&all.datatype)?;
        let plan = Plan::scatterv(place, place.rank, blocks.clone());
        let mut filled = Ok(());
        let result = run(context, id, plan, None, |into| filled = layout.read(&all, &blocks, into))?;
        filled?;
        if !is_in_place(recv) {
            Buffer::new(context, recv, recv_count, recv_type)?.write(&result);
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn allgather(
    send: *const c_void,
    send_count: c_int,
    send_type: Handle,
    recv: *mut c_void,
    recv_count: c_int,
    recv_type: Handle,
    comm: Handle,
) -> c_int {
    call("MPI_Allgather", comm, |context| {
        let id = abi::communicator(comm)?;
        let place = place(context, id)?;
        let all = whole(context, recv, recv_count, recv_type, place)?;
        let own = if is_in_place(send) {
            all.block(recv_count * place.rank as c_int, recv_count)?
        } else {
            Buffer::new(context, send, send_count, send_type)?
        };
        let plan = Plan::allgather(context.rank().world.choice(), place, own.bytes);
        all.write(&run(context, id, plan, None, |into| own.read_into(into))?);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn allgatherv(
    send: *const c_void,
    send_count: c_int,
    send_type: Handle,
    recv: *mut c_void,
    recv_counts: *const c_int,
    displacements: *const c_int,
    recv_type: Handle,
    comm: Handle,
) -> c_int {
    call("MPI_Allgatherv", comm, |context| {
        let id = abi::communicator(comm)?;
        let place = place(context, id)?;
        // SAFETY: the program's arrays.
        let layout = unsafe { Layout::new(recv_counts, displacements, place.size) };
        let all = Buffer::new(context, recv, 0, recv_type)?;
        let blocks = layout.blocks(&all.datatype)?;
        let own = if is_in_place(send) {
            layout.block(&all, place.rank)?
        } else {
            Buffer::new(context, send, send_count, send_type)?
        };
        let plan = Plan::allgatherv(context.rank().world.choice(), place, blocks.clone());
        if own.bytes > plan.input.len() {
            return Err(MpiError::Truncate { message: own.bytes as u64, buffer: plan.input.len() as u64 });
        }
        layout.write(&all, &blocks, &run(context, id, plan, None, |into| own.read_into(into))?)
    })
}

pub(crate) unsafe extern "C" fn alltoall(
    send: *const c_void,
    send_count: c_int,
    send_type: Handle,
    recv: *mut c_void,
    recv_count: c_int,
    recv_type: Handle,
    comm: Handle,
) -> c_int {
    call("MPI_Alltoall", comm, |context| {
        let id = abi::communicator(comm)?;
        let place = place(context, id)?;
        let into = whole(context, recv, recv_count, recv_type, place)?;
        let out = if is_in_place(send) {
            into.clone()
        } else {
            whole(context, send, send_count, send_type, place)?
        };
        let plan = Plan::alltoall(context.rank().world.choice(), place, out.bytes / place.size)?;
        into.write(&run(context, id, plan, None, |room| out.read_into(room))?);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn alltoallv(
    send: *const c_void,
    send_counts: *const c_int,
    send_displacements: *const c_int,
    send_type: Handle,
    recv: *mut c_void,
    recv_counts: *const c_int,
    recv_displacements: *const c_int,
    recv_type: Handle,
    comm: Handle,
) -> c_int {
    call("MPI_Alltoallv", comm, |context| {
        let id = abi::communicator(comm)?;
        let place = place(context, id)?;
        let into = Buffer::new(context, recv, 0, recv_type)?;
        // SAFETY: the program's arrays.
        let into_layout = unsafe { Layout::new(recv_counts, recv_displacements, place.size) };
        let (out, out_layout) = if is_in_place(send) {
            // SAFETY: as above; what is sent is what is received.
            (into.clone(), unsafe { Layout::new(recv_counts, recv_displacements, place.size) })
        } else {
            // SAFETY: as above.
            let layout = unsafe { Layout::new(send_counts, send_displacements, place.size) };
            (Buffer::new(context, send, 0, send_type)?, layout)
        };
        let (out_blocks, into_blocks) =
            (out_layout.blocks(&out.datatype)?, into_layout.blocks(&into.datatype)?);
        let plan =
            Plan::alltoallv(context.rank().world.choice(), place, out_blocks.clone(), into_blocks.clone())?;
        let mut filled = Ok(());
        let result = run(context, id, plan, None, |room| filled = out_layout.read(&out, &out_blocks, room))?;
        filled?;
        into_layout.write(&into, &into_blocks, &result)
    })
}

/// `MPI_Reduce_scatter` and its form with blocks of one length.
fn reduce_blocks(
    context: Context,
    send: *const c_void,
    recv: *mut c_void,
    counts: &[c_int],
    datatype: Handle,
    op: Handle,
    comm: Handle,
) -> Result<(), MpiError> {
    let id = abi::communicator(comm)?;
    let place = place(context, id)?;
    let combine = operations::get(context, op, datatype)?;
    let total: c_int = counts.iter().sum();
    let given = if is_in_place(send) { recv } else { send };
    let out = Buffer::new(context, given, total, datatype)?;
    let layout = Layout { counts, displacements: counts };
    let blocks = layout.blocks(&out.datatype)?;
    let choice = *context.rank().world.choice();
    let plan =
        Plan::reduce_scatter(&choice, place, blocks, out.datatype.size, operations::commutes(&combine));
    let result = run(context, id, plan, Some(combine), |into| out.read_into(into))?;
    Buffer::new(context, recv, counts[place.rank], datatype)?.write(&result);
    Ok(())
}

pub(crate) unsafe extern "C" fn reduce_scatter(
    send: *const c_void,
    recv: *mut c_void,
    counts: *const c_int,
    datatype: Handle,
    op: Handle,
    comm: Handle,
) -> c_int {
    call("MPI_Reduce_scatter", comm, |context| {
        let size = place(context, abi::communicator(comm)?)?.size;
        // SAFETY: the program's array.
        let counts = unsafe { slice::from_raw_parts(counts, size) };
        reduce_blocks(context, send, recv, counts, datatype, op, comm)
    })
}

pub(crate) unsafe extern "C" fn reduce_scatter_block(
    send: *const c_void,
    recv: *mut c_void,
    count: c_int,
    datatype: Handle,
    op: Handle,
    comm: Handle,
) -> c_int {
    call("MPI_Reduce_scatter_block", comm, |context| {
        let size = place(context, abi::communicator(comm)?)?.size;
        reduce_blocks(context, send, recv, &vec![count; size], datatype, op, comm)
    })
}
