//! The functions that read and write: each way of saying where, blocking, nonblocking and in two calls.

use super::access::{Access, Pointer, begin, blocking, end, start};
use crate::mpi::datatypes::buffer::Elements;
use crate::mpi::prelude::*;
use weir_message::Direction;

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
