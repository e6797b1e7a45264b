//! Reaching into the windows of others: put, get, accumulate and their kin.

use super::memory::Flavor;
use super::{Windows, object};
use crate::mpi::datatypes::buffer::{Buffer, fits};
use crate::mpi::datatypes::predefined_types::Element;
use crate::mpi::datatypes::{Datatype, named_element};
use crate::mpi::operations;
use crate::mpi::prelude::*;
use std::ptr;
use weir_message::window::{Access, Layout, Update, What};
use weir_message::{Data, Ending, Kind, PROC_NULL};

/// Memory of another rank, as the program describes it.
#[derive(Clone, Copy)]
pub(crate) struct TargetBuffer {
    rank: c_int,
    displacement: isize,
    count: i64,
    datatype: Handle,
}

/// An access, and the buffer for what it fetches.
type PreparedAccess = (Access, Option<Buffer>);

impl TargetBuffer {
    pub(crate) fn new(rank: c_int, displacement: isize, count: impl Into<i64>, datatype: Handle) -> Self {
        Self { rank, displacement, count: count.into(), datatype }
    }

    /// The same elements here, as their datatype is the running rank's; what is behind the address is never looked at.
    fn elements(self, context: &mut Context) -> Result<Buffer> {
        Elements::new(ptr::dangling::<u128>().cast(), self.count, self.datatype).buffer(context)
    }

    fn access(self, what: What, elements: &Buffer, limit: usize, data: impl Into<Data>) -> Access {
        let (displacement, layout) = (self.displacement as i64, elements.layout(limit));
        Access { what, update: Update::default(), displacement, layout, data: data.into() }
    }

    /// Returns the operation that combines data with what is there.
    fn update(self, context: &mut Context, op: Handle) -> Result<Update> {
        let element = named_element(context, self.datatype)?;
        let operation = op as usize;
        if self.count == 0 && operations::is_predefined(op) {
            // Nothing is combined, whatever the elements are.
            return Ok(Update { operation: MPI_REPLACE as u32, element: element.unwrap_or(0) as u32 });
        }
        if operation != MPI_REPLACE && operation != MPI_NO_OP {
            let value = element.ok_or_else(|| {
                MpiError::Type("the elements of the datatype are not all of one predefined type".into())
            })?;
            let known = Datatype::predefined(value)?;
            operations::predefined_on(&context.rank().world, operation, known)?;
        }
        Ok(Update { operation: operation as u32, element: element.unwrap_or(0) as u32 })
    }
}

/// Starts an access that `make` makes, with a request if there is a place for one.
fn start(
    context: &mut Context,
    WindowId(window): WindowId,
    target: TargetBuffer,
    request: Option<Out<Handle>>,
    make: impl FnOnce(&mut Context) -> Result<PreparedAccess>,
) -> Done {
    let (access, result) = if target.rank == PROC_NULL {
        let layout = Layout::contiguous(0);
        let (what, update, data) = (What::Put, Update::default(), Data::default());
        (Access { what, update, displacement: 0, layout, data }, None)
    } else {
        context.rank().process.window_rank(window, target.rank)?;
        if target.displacement < 0 && object(context, window)?.flavor != Flavor::Dynamic {
            let what = format!("the displacement {} is negative", target.displacement);
            return Err(MpiError::Displacement(what));
        }
        make(context)?
    };
    let ending = if request.is_some() { Ending::Requested } else { Ending::Synchronised };
    let (rank, actions) = context.both();
    let started = rank.process.access(actions, window, target.rank, access, ending)?;
    if let (Some(operation), Some(result)) = (started.operation, result) {
        context.of::<Windows>().results.insert(operation, result);
    }
    if let (Some(to), Some(made)) = (request, started.request) {
        to.set(abi::request_handle(made));
    }
    Ok(())
}

/// Functions that start an access, and their forms with a request; some have an argument behind the first buffer or the second.
macro_rules! accesses {
    ($($starts:ident $requests:ident ($($more:ident: $kind:ty)?) ($($op:ident)?) => $make:ident;)*) => {$(
        pub(crate) fn $starts(
            context: &mut Context, origin: Elements, $($more: $kind,)? target: TargetBuffer, $($op: Handle,)? win: WindowId,
        ) -> Done {
            start(context, win, target, None, |context| $make(context, origin, $($more,)? target $(, $op)?))
        }

        pub(crate) fn $requests(
            context: &mut Context, origin: Elements, $($more: $kind,)? target: TargetBuffer, $($op: Handle,)? win: WindowId,
            request: Out<Handle>,
        ) -> Done {
            start(context, win, target, Some(request), |context| $make(context, origin, $($more,)? target $(, $op)?))
        }
    )*};
}

accesses! {
    put rput () () => make_put;
    get rget () () => make_get;
    accumulate raccumulate () (op) => make_accumulate;
    get_accumulate rget_accumulate (result: Elements) (op) => make_get_accumulate;
}

fn make_put(context: &mut Context, origin: Elements, target: TargetBuffer) -> Result<PreparedAccess> {
    let (from, to) = (origin.buffer(context)?, target.elements(context)?);
    fits(from.bytes, to.bytes)?;
    Ok((target.access(What::Put, &to, from.bytes, from.read()), None))
}

fn make_get(context: &mut Context, origin: Elements, target: TargetBuffer) -> Result<PreparedAccess> {
    let (into, from) = (origin.buffer(context)?, target.elements(context)?);
    fits(from.bytes, into.bytes)?;
    Ok((target.access(What::Get, &from, from.bytes, Data::default()), Some(into)))
}

fn make_accumulate(
    context: &mut Context,
    origin: Elements,
    target: TargetBuffer,
    op: Handle,
) -> Result<PreparedAccess> {
    let (from, to) = (origin.buffer(context)?, target.elements(context)?);
    fits(from.bytes, to.bytes)?;
    if op as usize == MPI_NO_OP {
        return Err(MpiError::Operation("MPI_NO_OP is for operations that fetch".into()));
    }
    let update = target.update(context, op)?;
    Ok((Access { update, ..target.access(What::Accumulate, &to, from.bytes, from.read()) }, None))
}

fn make_get_accumulate(
    context: &mut Context,
    origin: Elements,
    result: Elements,
    target: TargetBuffer,
    op: Handle,
) -> Result<PreparedAccess> {
    let (into, at) = (result.buffer(context)?, target.elements(context)?);
    fits(at.bytes, into.bytes)?;
    let update = target.update(context, op)?;
    let access = |bytes, data| Access { update, ..target.access(What::GetAccumulate, &at, bytes, data) };
    // Where nothing is combined, the origin's buffer means nothing.
    if op as usize == MPI_NO_OP {
        return Ok((access(at.bytes, Data::default()), Some(into)));
    }
    let from = origin.buffer(context)?;
    fits(from.bytes, at.bytes)?;
    Ok((access(from.bytes, from.read().into()), Some(into)))
}

/// A single element: what it is must be known to the library.
fn single(context: &mut Context, datatype: Handle) -> Result<Element> {
    let known = named_element(context, datatype)?;
    let element = Datatype::of(context, datatype)?;
    let alone = known.map(Datatype::predefined).transpose()?.filter(|known| known.size == element.size);
    alone.map(|known| known.element).ok_or_else(|| MpiError::Type("not a predefined datatype".into()))
}

pub(crate) fn fetch_and_op(context: &mut Context, args: FetchAndOp) -> Done {
    let one = |address| Elements { address, count: 1, datatype: args.datatype };
    let target = TargetBuffer::new(args.target, args.target_disp, 1, args.datatype);
    start(context, args.win, target, None, |context| {
        single(context, args.datatype)?;
        make_get_accumulate(context, one(args.origin), one(args.result), target, args.op)
    })
}

pub(crate) fn compare_and_swap(context: &mut Context, args: CompareAndSwap) -> Done {
    use Kind::{Bool, Byte, Character, I8, I16, I32, I64, Logical32, U8, U16, U32, U64};
    let target = TargetBuffer::new(args.target, args.target_disp, 1, args.datatype);
    start(context, args.win, target, None, |context| {
        // Integers, truth values and bytes (MPI 5.0, section 12.3.4), and characters, as everywhere else.
        let integers = [I8, I16, I32, I64, U8, U16, U32, U64, Bool, Character, Logical32, Byte];
        match single(context, args.datatype)? {
            Element::Basic(kind) if integers.contains(&kind) => {}
            _ => return Err(MpiError::Type("elements of this datatype are not compared".into())),
        }
        let mut one = |address| Elements { address, count: 1, datatype: args.datatype }.buffer(context);
        let data = [one(args.origin)?.read(), one(args.compare)?.read()].concat();
        let result = one(args.result)?;
        let at = target.elements(context)?;
        Ok((target.access(What::CompareAndSwap, &at, at.bytes, data), Some(result)))
    })
}
