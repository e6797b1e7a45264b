//! Collectives among the neighbours of a virtual topology (MPI 5.0, section 8.6). Each block has a neighbour: in a grid
//! first the one before and then the one behind, side by side; a block beyond an open end stays as it is.

use crate::abi::{self, Handle};
use crate::buffer::Buffer;
use crate::cartesian::communicator;
use crate::collectives::run;
use crate::context::{Context, call};
use crate::groups::ints;
use std::ffi::{c_int, c_void};
use std::slice;
use weir_message::collective::{Blocks, Plan};
use weir_message::{MpiError, Neighbours};

fn neighbours(context: Context, comm: Handle) -> Result<Neighbours, MpiError> {
    let known = communicator(&context, comm)?;
    let topology = known.topology.as_deref();
    let topology = topology.ok_or_else(|| MpiError::Topology("the communicator has no topology".into()))?;
    Ok(topology.neighbours(known.rank))
}

/// Sends block by block to the destinations, and receives block by block from the sources.
fn exchange(
    context: Context,
    comm: Handle,
    neighbours: Neighbours,
    out: &[Buffer],
    into: &[Buffer],
) -> Result<(), MpiError> {
    let blocks = |buffers: &[Buffer]| Blocks::uneven(buffers.iter().map(|buffer| buffer.bytes));
    let (given, got) = (blocks(out), blocks(into));
    let Neighbours { sources, destinations, .. } = neighbours.clone();
    let plan = Plan::neighbours(neighbours, given.clone(), got.clone());
    let fill = |room: &mut [u8]| {
        for (block, buffer) in out.iter().enumerate().filter(|(block, _)| destinations[*block] >= 0) {
            buffer.read_into(&mut room[given.range(block)]);
        }
    };
    let result = run(context, abi::communicator(comm)?, plan, None, fill)?;
    for (block, buffer) in into.iter().enumerate().filter(|(block, _)| sources[*block] >= 0) {
        buffer.write(&result[got.range(block)]);
    }
    Ok(())
}

/// Blocks of one length, one behind the other.
fn even(
    context: Context,
    address: *const c_void,
    count: c_int,
    datatype: Handle,
    blocks: usize,
) -> Result<Vec<Buffer>, MpiError> {
    let whole = Buffer::new(context, address, if blocks == 0 { 0 } else { count }, datatype)?;
    (0..blocks).map(|block| whole.block(count * block as c_int, count)).collect()
}

/// Blocks of their own lengths, at their own places.
///
/// # Safety
/// Both arrays are valid for `blocks` ints.
unsafe fn uneven(
    context: Context,
    address: *const c_void,
    counts: *const c_int,
    displacements: *const c_int,
    datatype: Handle,
    blocks: usize,
) -> Result<Vec<Buffer>, MpiError> {
    let whole = Buffer::new(context, address, 0, datatype)?;
    // SAFETY: the caller's promise.
    let (counts, displacements) =
        unsafe { (ints(counts, blocks as c_int)?, ints(displacements, blocks as c_int)?) };
    counts.iter().zip(displacements).map(|(&count, &at)| whole.block(at, count)).collect()
}

/// Blocks of their own lengths and datatypes, at distances in bytes.
///
/// # Safety
/// The arrays are valid for `blocks` elements.
unsafe fn mixed(
    context: Context,
    address: *const c_void,
    counts: *const c_int,
    displacements: *const isize,
    datatypes: *const Handle,
    blocks: usize,
) -> Result<Vec<Buffer>, MpiError> {
    if blocks == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the caller's promise.
    let (counts, displacements, datatypes) = unsafe {
        (
            slice::from_raw_parts(counts, blocks),
            slice::from_raw_parts(displacements, blocks),
            slice::from_raw_parts(datatypes, blocks),
        )
    };
    let block = |block: usize| {
        let at = address.wrapping_byte_offset(displacements[block]);
        Buffer::new(context, at, counts[block], datatypes[block])
    };
    (0..blocks).map(block).collect()
}

pub(crate) unsafe extern "C" fn neighbor_allgather(
    send: *const c_void,
    send_count: c_int,
    send_type: Handle,
    recv: *mut c_void,
    recv_count: c_int,
    recv_type: Handle,
    comm: Handle,
) -> c_int {
    call("MPI_Neighbor_allgather", comm, |context| {
        let neighbours = neighbours(context, comm)?;
        let own = Buffer::new(context, send, send_count, send_type)?;
        let out = vec![own; neighbours.destinations.len()];
        let into = even(context, recv, recv_count, recv_type, neighbours.sources.len())?;
        exchange(context, comm, neighbours, &out, &into)
    })
}

pub(crate) unsafe extern "C" fn neighbor_allgatherv(
    send: *const c_void,
    send_count: c_int,
    send_type: Handle,
    recv: *mut c_void,
    recv_counts: *const c_int,
    displacements: *const c_int,
    recv_type: Handle,
    comm: Handle,
) -> c_int {
    call("MPI_Neighbor_allgatherv", comm, |context| {
        let neighbours = neighbours(context, comm)?;
        let own = Buffer::new(context, send, send_count, send_type)?;
        let out = vec![own; neighbours.destinations.len()];
        let count = neighbours.sources.len();
        // SAFETY: the program's arrays.
        let into = unsafe { uneven(context, recv, recv_counts, displacements, recv_type, count)? };
        exchange(context, comm, neighbours, &out, &into)
    })
}

pub(crate) unsafe extern "C" fn neighbor_alltoall(
    send: *const c_void,
    send_count: c_int,
    send_type: Handle,
    recv: *mut c_void,
    recv_count: c_int,
    recv_type: Handle,
    comm: Handle,
) -> c_int {
    call("MPI_Neighbor_alltoall", comm, |context| {
        let neighbours = neighbours(context, comm)?;
        let out = even(context, send, send_count, send_type, neighbours.destinations.len())?;
        let into = even(context, recv, recv_count, recv_type, neighbours.sources.len())?;
        exchange(context, comm, neighbours, &out, &into)
    })
}

pub(crate) unsafe extern "C" fn neighbor_alltoallv(
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
    call("MPI_Neighbor_alltoallv", comm, |context| {
        let neighbours = neighbours(context, comm)?;
        let (given, got) = (neighbours.destinations.len(), neighbours.sources.len());
        // SAFETY: the program's arrays.
        let (out, into) = unsafe {
            (
                uneven(context, send, send_counts, send_displacements, send_type, given)?,
                uneven(context, recv, recv_counts, recv_displacements, recv_type, got)?,
            )
        };
        exchange(context, comm, neighbours, &out, &into)
    })
}

pub(crate) unsafe extern "C" fn neighbor_alltoallw(
    send: *const c_void,
    send_counts: *const c_int,
    send_displacements: *const isize,
    send_types: *const Handle,
    recv: *mut c_void,
    recv_counts: *const c_int,
    recv_displacements: *const isize,
    recv_types: *const Handle,
    comm: Handle,
) -> c_int {
    call("MPI_Neighbor_alltoallw", comm, |context| {
        let neighbours = neighbours(context, comm)?;
        let (given, got) = (neighbours.destinations.len(), neighbours.sources.len());
        // SAFETY: the program's arrays.
        let (out, into) = unsafe {
            (
                mixed(context, send, send_counts, send_displacements, send_types, given)?,
                mixed(context, recv, recv_counts, recv_displacements, recv_types, got)?,
            )
        };
        exchange(context, comm, neighbours, &out, &into)
    })
}
