//! One access to a file: its bytes, its time, its request.

use crate::mpi::datatypes::buffer::Buffer;
use crate::mpi::datatypes::type_of;
use crate::mpi::files::host::SharedFile;
use crate::mpi::files::views::Datarep;
use crate::mpi::files::{mistake, not_sequential, open, readable, together, writable};
use crate::mpi::point_to_point::end_receive;
use crate::mpi::prelude::*;
use crate::mpi::requests::delivery::Delivery;
use std::rc::Rc;
use weir_message::datatype::Type;
use weir_message::{Completion, Direction, FileMistake, FileView, Representation, RequestId, Status};
use weir_operations::Operation;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pointer {
    /// Number of elementary types from the beginning of the view.
    Explicit(i64),
    Individual,
    Shared,
    /// At the shared pointer, one rank behind the other.
    Ordered,
}

#[derive(Clone, Copy)]
pub(super) struct Access {
    pub(super) direction: Direction,
    pub(super) pointer: Pointer,
    pub(super) elements: Elements,
}

pub(super) struct Split {
    name: &'static str,
    request: RequestId,
}

struct Prepared {
    buffer: Buffer,
    /// For conversions: the datatype and how many of it; `None`, if data in the file are as in memory.
    external: Option<(Rc<Type>, usize)>,
    bytes: u64,
    /// Elementary types.
    units: i64,
}

fn prepare(context: &mut Context, handle: Handle, access: &Access) -> Result<Prepared> {
    let file = open(context, handle)?;
    match access.direction {
        Direction::Read => readable(file)?,
        Direction::Write => writable(file)?,
    }
    match access.pointer {
        Pointer::Explicit(_) | Pointer::Individual => not_sequential(file)?,
        Pointer::Shared | Pointer::Ordered => {}
    }
    let (unit, datarep) = (file.view.unit(), file.datarep);
    let buffer = access.elements.buffer(context)?;
    let external = match datarep {
        Datarep::Known(Representation::External) => {
            Some((type_of(context, access.elements.datatype)?, buffer.count))
        }
        _ => None,
    };
    let bytes = match &external {
        Some((of, count)) => of.external_size(*count).ok_or(MpiError::Count(access.elements.count))? as u64,
        None => buffer.bytes as u64,
    };
    if !bytes.is_multiple_of(unit) {
        let what = format!("{bytes} bytes are not a whole number of elementary types of {unit} bytes");
        return Err(mistake(FileMistake::Io, what));
    }
    Ok(Prepared { buffer, external, bytes, units: (bytes / unit) as i64 })
}

/// Where accesses of all ranks begin, one behind the other: the offset of this one.
fn in_rank_order(context: &mut Context, handle: Handle, prepared: Result<&Prepared>) -> Result<i64> {
    let file = open(context, handle)?;
    let (shared, comm) = (Rc::clone(&file.shared), file.communicator);
    let rank = context.communicator(comm)?.rank as usize;
    let own = prepared.and_then(|prepared| shared.common(|common| common.requested[rank] = prepared.units));
    together(context, handle, own, &[], |shared| {
        shared.common(|common| {
            let begin = |units: &i64| {
                let begin = common.pointer;
                common.pointer = begin.saturating_add(*units);
                begin
            };
            common.offsets = common.requested.iter().map(begin).collect();
        })
    })?;
    shared.common(|common| common.offsets[rank])
}

/// Begins an access. Its data move now; its request is complete when the disks are through with it.
pub(super) fn start(context: &mut Context, handle: Handle, access: Access) -> Result<RequestId> {
    let prepared = prepare(context, handle, &access);
    let ordered = match access.pointer {
        Pointer::Ordered => Some(in_rank_order(context, handle, prepared.as_ref().map_err(MpiError::clone))?),
        _ => None,
    };
    let prepared = prepared?;
    // What the access finds is what others have left by then.
    context.catch_up();
    let file = open(context, handle)?;
    let offset = match access.pointer {
        Pointer::Explicit(offset) => offset,
        Pointer::Individual => file.position,
        Pointer::Shared => file.shared.pointer()?,
        Pointer::Ordered => ordered.unwrap_or_default(),
    };
    let position = file.view.position(offset, prepared.bytes)?;
    match access.pointer {
        Pointer::Individual => file.position = offset + prepared.units,
        Pointer::Shared => file.shared.set_pointer(offset + prepared.units)?,
        Pointer::Explicit(_) | Pointer::Ordered => {}
    }
    let (shared, view) = (Rc::clone(&file.shared), file.view.clone());
    let mut ranges = Vec::new();
    view.ranges(position, prepared.bytes, &mut |at, length| ranges.push((at, length)));
    let mut data = Box::default();
    let moved = match access.direction {
        Direction::Write => prepared.write(&shared, &ranges).map(|()| prepared.buffer.bytes)?,
        Direction::Read => {
            data = prepared.read(&shared, &mut ranges)?;
            data.len()
        }
    };
    let status = Status { bytes: moved as u64, ..Status::empty() };
    let (rank, actions) = context.both();
    let id = rank.process.start_outside(Completion { status, data: data.into(), from: None });
    if access.direction == Direction::Read {
        rank.set_delivery(id, Delivery::Buffer(prepared.buffer.destination()));
    }
    let now = actions.now();
    let end = rank.world.files().access(now, &shared, &ranges);
    let direction = access.direction;
    let (bytes, lasts, request) = (moved as u64, end.since(now), Some(id));
    rank.process.observe(|| Operation::File { direction, bytes, lasts, request });
    rank.end_at(actions, end, id);
    Ok(id)
}

impl Prepared {
    fn write(&self, file: &SharedFile, ranges: &[(u64, u64)]) -> Done {
        let mut data = self.buffer.read();
        if let Some((of, count)) = &self.external {
            let mut converted = vec![0; of.external_size(*count).unwrap_or(0)];
            of.write_external(*count, &data, &mut converted);
            data = converted.into();
        }
        let mut rest = &*data;
        ranges.iter().try_for_each(|&(at, length)| {
            let (now, later) = rest.split_at(length as usize);
            rest = later;
            file.write(at, now)
        })
    }

    /// Reads as far as the file goes; the ranges are cut to what was there.
    fn read(&self, file: &SharedFile, ranges: &mut Vec<(u64, u64)>) -> Result<Box<[u8]>> {
        let mut data = vec![0; self.bytes as usize];
        let (mut done, mut whole) = (0, 0);
        for (at, length) in ranges.iter_mut() {
            let got = file.read(*at, &mut data[done..][..*length as usize])?;
            done += got;
            whole += 1;
            if got < *length as usize {
                *length = got as u64;
                break;
            }
        }
        ranges.truncate(whole);
        if let Some((of, count)) = &self.external {
            let mut packed = vec![0; self.buffer.bytes];
            of.read_external(*count, &data, &mut packed);
            packed.truncate(of.packed_in_external(done));
            return Ok(packed.into());
        }
        data.truncate(done);
        Ok(data.into())
    }
}

pub(super) fn blocking(context: &mut Context, handle: Handle, access: Access, status: *mut CStatus) -> Done {
    let id = start(context, handle, access)?;
    end_receive(context, id, status)
}

pub(super) fn begin(context: &mut Context, handle: Handle, access: Access, name: &'static str) -> Done {
    if let Some(Split { name, .. }) = &open(context, handle)?.split {
        return Err(mistake(FileMistake::Io, format!("{name}_begin was called before, without {name}_end")));
    }
    let request = start(context, handle, access)?;
    open(context, handle)?.split = Some(Split { name, request });
    Ok(())
}

/// Ends the collective access that `begin` has begun under this name.
pub(super) fn end(context: &mut Context, handle: Handle, name: &'static str, status: *mut CStatus) -> Done {
    let file = open(context, handle)?;
    match file.split.take_if(|split| split.name == name) {
        Some(split) => end_receive(context, split.request, status),
        None => Err(mistake(FileMistake::Io, format!("{name}_begin was not called before"))),
    }
}

/// Where the rank's view is, with the file it is of.
pub(super) fn view_of(context: &mut Context, handle: Handle) -> Result<(Rc<SharedFile>, FileView)> {
    let file = open(context, handle)?;
    Ok((Rc::clone(&file.shared), file.view.clone()))
}

/// Functions with an access at a pointer, or at an offset, which is an argument more: `Explicit(offset)`. What they have
/// behind it says how it ends: a status or a request is given back, or another function ends it.
macro_rules! accesses {
    ($($function:ident $direction:ident $pointer:ident $(($offset:ident))? $(, $last:ident: $kind:ty)? => $end:expr;)*) => {$(
        pub(crate) fn $function(
            context: &mut Context, file: Handle $(, $offset: i64)?, elements: Elements $(, $last: $kind)?
        ) -> Done {
            let pointer = Pointer::$pointer $(($offset))?;
            let access = Access { direction: Direction::$direction, pointer, elements };
            $end(context, file, access $(, $last)?)
        }
    )*};
}

/// Functions that end what another one has begun.
macro_rules! ends {
    ($($function:ident $stem:literal;)*) => {$(
        pub(crate) fn $function(context: &mut Context, file: Handle, _buf: *const c_void, status: *mut CStatus) -> Done {
            end(context, file, $stem, status)
        }
    )*};
}

fn starting(context: &mut Context, file: Handle, access: Access, request: Out<Handle>) -> Done {
    request.give(abi::request_handle(start(context, file, access)?))
}

/// Begins an access under the functions' name without `_begin`.
fn beginning(name: &'static str) -> impl FnOnce(&mut Context, Handle, Access) -> Done {
    move |context, file, access| begin(context, file, access, name)
}

accesses! {
    file_read Read Individual, status: *mut CStatus => blocking;
    file_read_all Read Individual, status: *mut CStatus => blocking;
    file_read_shared Read Shared, status: *mut CStatus => blocking;
    file_read_ordered Read Ordered, status: *mut CStatus => blocking;
    file_read_at Read Explicit(offset), status: *mut CStatus => blocking;
    file_read_at_all Read Explicit(offset), status: *mut CStatus => blocking;
    file_write Write Individual, status: *mut CStatus => blocking;
    file_write_all Write Individual, status: *mut CStatus => blocking;
    file_write_shared Write Shared, status: *mut CStatus => blocking;
    file_write_ordered Write Ordered, status: *mut CStatus => blocking;
    file_write_at Write Explicit(offset), status: *mut CStatus => blocking;
    file_write_at_all Write Explicit(offset), status: *mut CStatus => blocking;
    file_iread Read Individual, request: Out<Handle> => starting;
    file_iread_all Read Individual, request: Out<Handle> => starting;
    file_iread_shared Read Shared, request: Out<Handle> => starting;
    file_iread_at Read Explicit(offset), request: Out<Handle> => starting;
    file_iread_at_all Read Explicit(offset), request: Out<Handle> => starting;
    file_iwrite Write Individual, request: Out<Handle> => starting;
    file_iwrite_all Write Individual, request: Out<Handle> => starting;
    file_iwrite_shared Write Shared, request: Out<Handle> => starting;
    file_iwrite_at Write Explicit(offset), request: Out<Handle> => starting;
    file_iwrite_at_all Write Explicit(offset), request: Out<Handle> => starting;
    file_read_all_begin Read Individual => beginning("MPI_File_read_all");
    file_read_ordered_begin Read Ordered => beginning("MPI_File_read_ordered");
    file_read_at_all_begin Read Explicit(offset) => beginning("MPI_File_read_at_all");
    file_write_all_begin Write Individual => beginning("MPI_File_write_all");
    file_write_ordered_begin Write Ordered => beginning("MPI_File_write_ordered");
    file_write_at_all_begin Write Explicit(offset) => beginning("MPI_File_write_at_all");
}

ends! {
    file_read_all_end "MPI_File_read_all";
    file_read_at_all_end "MPI_File_read_at_all";
    file_read_ordered_end "MPI_File_read_ordered";
    file_write_all_end "MPI_File_write_all";
    file_write_at_all_end "MPI_File_write_at_all";
    file_write_ordered_end "MPI_File_write_ordered";
}
