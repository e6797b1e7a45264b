//! The functions that read and write: each way of saying where, blocking, nonblocking and in two calls.

use super::access::{Access, Pointer, begin, blocking, end, start};
use super::call;
use crate::calls::abi::{self, CStatus, Handle};
use crate::calls::count_argument::{CountArgument, name_of};
use crate::calls::output_arguments::out;
use std::ffi::{c_int, c_void};
use weir_message::Direction;

/// At a pointer, or at an offset that is an argument more: `Explicit`.
macro_rules! accesses {
    ($($function:ident $name:literal $direction:ident $pointer:ident;)*) => {$(
        pub(crate) unsafe extern "C" fn $function<C: CountArgument>(
            file: Handle, buf: *mut c_void, count: C, datatype: Handle, status: *mut CStatus,
        ) -> c_int {
            call(name_of!(C, $name), file, |context| {
                let (direction, pointer) = (Direction::$direction, Pointer::$pointer);
                let access = Access { direction, pointer, address: buf, count: count.into(), datatype };
                // SAFETY: the program's status.
                unsafe { blocking(context, file, access, status) }
            })
        }
    )*};
}

macro_rules! accesses_at {
    ($($function:ident $name:literal $direction:ident;)*) => {$(
        pub(crate) unsafe extern "C" fn $function<C: CountArgument>(
            file: Handle, offset: i64, buf: *mut c_void, count: C, datatype: Handle, status: *mut CStatus,
        ) -> c_int {
            call(name_of!(C, $name), file, |context| {
                let (direction, pointer) = (Direction::$direction, Pointer::Explicit(offset));
                let access = Access { direction, pointer, address: buf, count: count.into(), datatype };
                // SAFETY: the program's status.
                unsafe { blocking(context, file, access, status) }
            })
        }
    )*};
}

macro_rules! starts {
    ($($function:ident $name:literal $direction:ident $pointer:ident;)*) => {$(
        pub(crate) unsafe extern "C" fn $function<C: CountArgument>(
            file: Handle, buf: *mut c_void, count: C, datatype: Handle, request: *mut Handle,
        ) -> c_int {
            call(name_of!(C, $name), file, |context| {
                let request = out(request, "request")?;
                let (direction, pointer) = (Direction::$direction, Pointer::$pointer);
                let access = Access { direction, pointer, address: buf, count: count.into(), datatype };
                let id = start(context, file, access)?;
                request.set(abi::request_handle(id));
                Ok(())
            })
        }
    )*};
}

macro_rules! starts_at {
    ($($function:ident $name:literal $direction:ident;)*) => {$(
        pub(crate) unsafe extern "C" fn $function<C: CountArgument>(
            file: Handle, offset: i64, buf: *mut c_void, count: C, datatype: Handle, request: *mut Handle,
        ) -> c_int {
            call(name_of!(C, $name), file, |context| {
                let request = out(request, "request")?;
                let (direction, pointer) = (Direction::$direction, Pointer::Explicit(offset));
                let access = Access { direction, pointer, address: buf, count: count.into(), datatype };
                let id = start(context, file, access)?;
                request.set(abi::request_handle(id));
                Ok(())
            })
        }
    )*};
}

macro_rules! begins {
    ($($function:ident $name:literal $direction:ident $pointer:ident $stem:literal;)*) => {$(
        pub(crate) unsafe extern "C" fn $function<C: CountArgument>(
            file: Handle, buf: *mut c_void, count: C, datatype: Handle,
        ) -> c_int {
            call(name_of!(C, $name), file, |context| {
                let (direction, pointer) = (Direction::$direction, Pointer::$pointer);
                let access = Access { direction, pointer, address: buf, count: count.into(), datatype };
                begin(context, file, access, $stem)
            })
        }
    )*};
}

macro_rules! begins_at {
    ($($function:ident $name:literal $direction:ident $stem:literal;)*) => {$(
        pub(crate) unsafe extern "C" fn $function<C: CountArgument>(
            file: Handle, offset: i64, buf: *mut c_void, count: C, datatype: Handle,
        ) -> c_int {
            call(name_of!(C, $name), file, |context| {
                let (direction, pointer) = (Direction::$direction, Pointer::Explicit(offset));
                let access = Access { direction, pointer, address: buf, count: count.into(), datatype };
                begin(context, file, access, $stem)
            })
        }
    )*};
}

macro_rules! ends {
    ($($function:ident $name:literal $stem:literal;)*) => {$(
        pub(crate) unsafe extern "C" fn $function(
            file: Handle, _buf: *mut c_void, status: *mut CStatus,
        ) -> c_int {
            // SAFETY: the program's status.
            call($name, file, |context| unsafe { end(context, file, $stem, status) })
        }
    )*};
}

accesses! {
    read "MPI_File_read" Read Individual;
    read_all "MPI_File_read_all" Read Individual;
    read_shared "MPI_File_read_shared" Read Shared;
    read_ordered "MPI_File_read_ordered" Read Ordered;
    write "MPI_File_write" Write Individual;
    write_all "MPI_File_write_all" Write Individual;
    write_shared "MPI_File_write_shared" Write Shared;
    write_ordered "MPI_File_write_ordered" Write Ordered;
}

accesses_at! {
    read_at "MPI_File_read_at" Read;
    read_at_all "MPI_File_read_at_all" Read;
    write_at "MPI_File_write_at" Write;
    write_at_all "MPI_File_write_at_all" Write;
}

starts! {
    iread "MPI_File_iread" Read Individual;
    iread_all "MPI_File_iread_all" Read Individual;
    iread_shared "MPI_File_iread_shared" Read Shared;
    iwrite "MPI_File_iwrite" Write Individual;
    iwrite_all "MPI_File_iwrite_all" Write Individual;
    iwrite_shared "MPI_File_iwrite_shared" Write Shared;
}

starts_at! {
    iread_at "MPI_File_iread_at" Read;
    iread_at_all "MPI_File_iread_at_all" Read;
    iwrite_at "MPI_File_iwrite_at" Write;
    iwrite_at_all "MPI_File_iwrite_at_all" Write;
}

begins! {
    read_all_begin "MPI_File_read_all_begin" Read Individual "MPI_File_read_all";
    read_ordered_begin "MPI_File_read_ordered_begin" Read Ordered "MPI_File_read_ordered";
    write_all_begin "MPI_File_write_all_begin" Write Individual "MPI_File_write_all";
    write_ordered_begin "MPI_File_write_ordered_begin" Write Ordered "MPI_File_write_ordered";
}

begins_at! {
    read_at_all_begin "MPI_File_read_at_all_begin" Read "MPI_File_read_at_all";
    write_at_all_begin "MPI_File_write_at_all_begin" Write "MPI_File_write_at_all";
}

ends! {
    read_all_end "MPI_File_read_all_end" "MPI_File_read_all";
    read_at_all_end "MPI_File_read_at_all_end" "MPI_File_read_at_all";
    read_ordered_end "MPI_File_read_ordered_end" "MPI_File_read_ordered";
    write_all_end "MPI_File_write_all_end" "MPI_File_write_all";
    write_at_all_end "MPI_File_write_at_all_end" "MPI_File_write_at_all";
    write_ordered_end "MPI_File_write_ordered_end" "MPI_File_write_ordered";
}
