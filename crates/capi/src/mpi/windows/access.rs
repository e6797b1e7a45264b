//! Reaching into the windows of others: put, get, accumulate and their kin.

use super::memory::Flavour;
use super::{id, object, windows};
use crate::calls::abi::{self, Handle, OP_NO_OP, OP_REPLACE};
use crate::calls::count_argument::{CountArgument, name_of};
use crate::calls::output_arguments::out;
use crate::mpi::datatypes::buffer::Buffer;
use crate::mpi::datatypes::predefined_types::Element;
use crate::mpi::datatypes::{Datatype, named_element};
use crate::mpi::operations;
use crate::rank::context::Context;
use crate::rank::mpi_call::call;
use std::ffi::{c_int, c_void};
use std::ptr;
use weir_message::window::{Access, Layout, Update, What};
use weir_message::{Data, Ending, Kind, MpiError, PROC_NULL};

/// Memory of the running rank, as the program describes it.
#[derive(Clone, Copy)]
struct Own {
    address: *const c_void,
    count: i64,
    datatype: Handle,
}

impl Own {
    fn buffer(self, context: &mut Context) -> Result<Buffer, MpiError> {
        Buffer::new(context, self.address, self.count, self.datatype)
    }
}

/// Memory of another rank, as the program describes it.
#[derive(Clone, Copy)]
struct Target {
    rank: c_int,
    displacement: isize,
    count: i64,
    datatype: Handle,
    win: Handle,
}

/// An access, and where what it fetches is put.
type Made = (Access, Option<Buffer>);

impl Target {
    /// The datatype behind the handle belongs to the running rank, and so does this buffer; what is behind its address
    /// is never looked at.
    fn elements(self, context: &mut Context) -> Result<Buffer, MpiError> {
        Buffer::new(context, ptr::dangling::<u128>().cast(), self.count, self.datatype)
    }

    /// An access to the first `limit` bytes.
    fn access(self, what: What, elements: &Buffer, limit: usize, data: impl Into<Data>) -> Access {
        let (displacement, layout) = (self.displacement as i64, elements.layout(limit));
        Access { what, displacement, layout, data: data.into() }
    }

    /// How data are combined with what is there.
    fn update(self, context: &mut Context, op: Handle) -> Result<Update, MpiError> {
        let element = named_element(context, self.datatype)?;
        let operation = op as usize;
        if self.count == 0 && operations::is_predefined(op) {
            // Nothing is combined, whatever the elements are.
            return Ok(Update { operation: OP_REPLACE, element: element.unwrap_or(0) as u32 });
        }
        if operation != OP_REPLACE as usize && operation != OP_NO_OP as usize {
            let value = element.ok_or_else(|| {
                MpiError::Type("the elements of the datatype are not all of one predefined type".into())
            })?;
            let known = Datatype::predefined(value)?;
            operations::predefined_on(&context.rank().world, operation, known)?;
        }
        Ok(Update { operation: operation as u32, element: element.unwrap_or(0) as u32 })
    }
}

/// More data than there is room for.
fn fits(message: usize, room: usize) -> Result<(), MpiError> {
    if message <= room {
        return Ok(());
    }
    Err(MpiError::Truncate { message: message as u64, buffer: room as u64 })
}

/// Carries out a function that makes an access, with a request if there is a place for one.
fn start(
    name: &'static str,
    target: Target,
    request: Option<*mut Handle>,
    make: impl FnOnce(&mut Context) -> Result<Made, MpiError>,
) -> c_int {
    call(name, target.win, |context| {
        let window = id(context, target.win)?;
        let request = request.map(|to| out(to, "request")).transpose()?;
        let (access, result) = if target.rank == PROC_NULL {
            let layout = Layout::contiguous(0);
            (Access { what: What::Put, displacement: 0, layout, data: Data::default() }, None)
        } else {
            context.rank().process.window_rank(window, target.rank)?;
            if target.displacement < 0 && object(context, window)?.flavour != Flavour::Dynamic {
                let what = format!("the displacement {} is negative", target.displacement);
                return Err(MpiError::Displacement(what));
            }
            make(context)?
        };
        let ending = if request.is_some() { Ending::Requested } else { Ending::Synchronised };
        let (rank, actions) = context.both();
        let started = rank.process.access(actions, window, target.rank, access, ending)?;
        if let (Some(operation), Some(result)) = (started.operation, result) {
            windows(context).keep_result(operation, result);
        }
        if let (Some(to), Some(made)) = (request, started.request) {
            to.set(abi::request_handle(made));
        }
        Ok(())
    })
}

fn make_put(context: &mut Context, origin: Own, target: Target) -> Result<Made, MpiError> {
    let (from, to) = (origin.buffer(context)?, target.elements(context)?);
    fits(from.bytes, to.bytes)?;
    Ok((target.access(What::Put, &to, from.bytes, from.read()), None))
}

fn make_get(context: &mut Context, origin: Own, target: Target) -> Result<Made, MpiError> {
    let (into, from) = (origin.buffer(context)?, target.elements(context)?);
    fits(from.bytes, into.bytes)?;
    Ok((target.access(What::Get, &from, from.bytes, Data::default()), Some(into)))
}

fn make_accumulate(context: &mut Context, origin: Own, target: Target, op: Handle) -> Result<Made, MpiError> {
    let (from, to) = (origin.buffer(context)?, target.elements(context)?);
    fits(from.bytes, to.bytes)?;
    if op as usize == OP_NO_OP as usize {
        return Err(MpiError::Operation("MPI_NO_OP is for operations that fetch".into()));
    }
    let what = What::Accumulate(target.update(context, op)?);
    Ok((target.access(what, &to, from.bytes, from.read()), None))
}

fn make_get_accumulate(
    context: &mut Context,
    origin: Own,
    result: Own,
    target: Target,
    op: Handle,
) -> Result<Made, MpiError> {
    let (into, at) = (result.buffer(context)?, target.elements(context)?);
    fits(at.bytes, into.bytes)?;
    let what = What::GetAccumulate(target.update(context, op)?);
    // Where nothing is combined, the origin's buffer means nothing.
    if op as usize == OP_NO_OP as usize {
        return Ok((target.access(what, &at, at.bytes, Data::default()), Some(into)));
    }
    let from = origin.buffer(context)?;
    fits(from.bytes, at.bytes)?;
    Ok((target.access(what, &at, from.bytes, from.read()), Some(into)))
}

pub(crate) unsafe extern "C" fn put<C: CountArgument>(
    address: *const c_void,
    count: C,
    datatype: Handle,
    rank: c_int,
    displacement: isize,
    target_count: C,
    target_type: Handle,
    win: Handle,
) -> c_int {
    let origin = Own { address, count: count.into(), datatype };
    let target = Target { rank, displacement, count: target_count.into(), datatype: target_type, win };
    start(name_of!(C, "MPI_Put"), target, None, |context| make_put(context, origin, target))
}

pub(crate) unsafe extern "C" fn rput<C: CountArgument>(
    address: *const c_void,
    count: C,
    datatype: Handle,
    rank: c_int,
    displacement: isize,
    target_count: C,
    target_type: Handle,
    win: Handle,
    request: *mut Handle,
) -> c_int {
    let origin = Own { address, count: count.into(), datatype };
    let target = Target { rank, displacement, count: target_count.into(), datatype: target_type, win };
    start(name_of!(C, "MPI_Rput"), target, Some(request), |context| make_put(context, origin, target))
}

pub(crate) unsafe extern "C" fn get<C: CountArgument>(
    address: *const c_void,
    count: C,
    datatype: Handle,
    rank: c_int,
    displacement: isize,
    target_count: C,
    target_type: Handle,
    win: Handle,
) -> c_int {
    let origin = Own { address, count: count.into(), datatype };
    let target = Target { rank, displacement, count: target_count.into(), datatype: target_type, win };
    start(name_of!(C, "MPI_Get"), target, None, |context| make_get(context, origin, target))
}

pub(crate) unsafe extern "C" fn rget<C: CountArgument>(
    address: *const c_void,
    count: C,
    datatype: Handle,
    rank: c_int,
    displacement: isize,
    target_count: C,
    target_type: Handle,
    win: Handle,
    request: *mut Handle,
) -> c_int {
    let origin = Own { address, count: count.into(), datatype };
    let target = Target { rank, displacement, count: target_count.into(), datatype: target_type, win };
    start(name_of!(C, "MPI_Rget"), target, Some(request), |context| make_get(context, origin, target))
}

pub(crate) unsafe extern "C" fn accumulate<C: CountArgument>(
    address: *const c_void,
    count: C,
    datatype: Handle,
    rank: c_int,
    displacement: isize,
    target_count: C,
    target_type: Handle,
    op: Handle,
    win: Handle,
) -> c_int {
    let origin = Own { address, count: count.into(), datatype };
    let target = Target { rank, displacement, count: target_count.into(), datatype: target_type, win };
    start(name_of!(C, "MPI_Accumulate"), target, None, |context| make_accumulate(context, origin, target, op))
}

pub(crate) unsafe extern "C" fn raccumulate<C: CountArgument>(
    address: *const c_void,
    count: C,
    datatype: Handle,
    rank: c_int,
    displacement: isize,
    target_count: C,
    target_type: Handle,
    op: Handle,
    win: Handle,
    request: *mut Handle,
) -> c_int {
    let origin = Own { address, count: count.into(), datatype };
    let target = Target { rank, displacement, count: target_count.into(), datatype: target_type, win };
    start(name_of!(C, "MPI_Raccumulate"), target, Some(request), |context| {
        make_accumulate(context, origin, target, op)
    })
}

pub(crate) unsafe extern "C" fn get_accumulate<C: CountArgument>(
    address: *const c_void,
    count: C,
    datatype: Handle,
    result: *mut c_void,
    result_count: C,
    result_type: Handle,
    rank: c_int,
    displacement: isize,
    target_count: C,
    target_type: Handle,
    op: Handle,
    win: Handle,
) -> c_int {
    let origin = Own { address, count: count.into(), datatype };
    let result = Own { address: result, count: result_count.into(), datatype: result_type };
    let target = Target { rank, displacement, count: target_count.into(), datatype: target_type, win };
    start(name_of!(C, "MPI_Get_accumulate"), target, None, |context| {
        make_get_accumulate(context, origin, result, target, op)
    })
}

pub(crate) unsafe extern "C" fn rget_accumulate<C: CountArgument>(
    address: *const c_void,
    count: C,
    datatype: Handle,
    result: *mut c_void,
    result_count: C,
    result_type: Handle,
    rank: c_int,
    displacement: isize,
    target_count: C,
    target_type: Handle,
    op: Handle,
    win: Handle,
    request: *mut Handle,
) -> c_int {
    let origin = Own { address, count: count.into(), datatype };
    let result = Own { address: result, count: result_count.into(), datatype: result_type };
    let target = Target { rank, displacement, count: target_count.into(), datatype: target_type, win };
    start(name_of!(C, "MPI_Rget_accumulate"), target, Some(request), |context| {
        make_get_accumulate(context, origin, result, target, op)
    })
}

/// A single element: what it is must be known to the library.
fn single(context: &mut Context, datatype: Handle) -> Result<Element, MpiError> {
    let known = named_element(context, datatype)?;
    let element = Datatype::of(context, datatype)?;
    let alone = known.map(Datatype::predefined).transpose()?.filter(|known| known.size == element.size);
    alone.map(|known| known.element).ok_or_else(|| MpiError::Type("not a predefined datatype".into()))
}

pub(crate) unsafe extern "C" fn fetch_and_op(
    address: *const c_void,
    result: *mut c_void,
    datatype: Handle,
    rank: c_int,
    displacement: isize,
    op: Handle,
    win: Handle,
) -> c_int {
    let origin = Own { address, count: 1, datatype };
    let result = Own { address: result, count: 1, datatype };
    let target = Target { rank, displacement, count: 1, datatype, win };
    start("MPI_Fetch_and_op", target, None, |context| {
        single(context, datatype)?;
        make_get_accumulate(context, origin, result, target, op)
    })
}

pub(crate) unsafe extern "C" fn compare_and_swap(
    address: *const c_void,
    compared: *const c_void,
    result: *mut c_void,
    datatype: Handle,
    rank: c_int,
    displacement: isize,
    win: Handle,
) -> c_int {
    let target = Target { rank, displacement, count: 1, datatype, win };
    start("MPI_Compare_and_swap", target, None, |context| {
        let kind = match single(context, datatype)? {
            Element::Basic(kind) => Some(kind),
            _ => None,
        };
        // Integers, truth values and bytes (MPI 5.0, section 12.3.4), and characters, as everywhere else.
        let comparable = matches!(
            kind,
            Some(
                Kind::I8
                    | Kind::I16
                    | Kind::I32
                    | Kind::I64
                    | Kind::U8
                    | Kind::U16
                    | Kind::U32
                    | Kind::U64
                    | Kind::Bool
                    | Kind::Character
                    | Kind::Logical32
                    | Kind::Byte
            )
        );
        if !comparable {
            return Err(MpiError::Type("elements of this datatype are not compared".into()));
        }
        let mut own = |address| Own { address, count: 1, datatype }.buffer(context);
        let data = [own(address)?.read(), own(compared)?.read()].concat();
        let result = own(result.cast_const())?;
        let at = target.elements(context)?;
        Ok((target.access(What::CompareAndSwap, &at, at.bytes, data), Some(result)))
    })
}
