//! Reduction operations: predefined ones, those of long double, and the program's own.

use crate::abi::{self, Handle, OP_NULL};
use crate::context::{Context, call, copy_out};
use crate::datatypes::{Buffer, Datatype, Element, LongDouble};
use crate::world::World;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;
use weir_message::collective::Commutes;
use weir_message::{Combine, MpiError, Operation, Predefined};
use weir_units::Rank;

/// `MPI_User_function`
type UserFunction = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_int, *mut Handle);

/// An operation that the program has made.
#[derive(Clone, Copy)]
pub(crate) struct UserOperation {
    function: UserFunction,
    commutes: Commutes,
}

/// Value of the standard ABI, and what it means.
fn predefined(value: usize) -> Option<Predefined> {
    Some(match value {
        0x21 => Predefined::Sum,
        0x22 => Predefined::Min,
        0x23 => Predefined::Max,
        0x24 => Predefined::Product,
        0x28 => Predefined::BitAnd,
        0x29 => Predefined::BitOr,
        0x2a => Predefined::BitXor,
        0x30 => Predefined::And,
        0x31 => Predefined::Or,
        0x32 => Predefined::Xor,
        0x38 => Predefined::MinLocation,
        0x39 => Predefined::MaxLocation,
        _ => return None,
    })
}

/// Combines long doubles by a function of the program's runtime: only its compiler knows them.
struct OfLongDouble {
    function: unsafe extern "C" fn(c_int, c_int, isize, *const c_void, *mut c_void) -> c_int,
    op: c_int,
    element: LongDouble,
    extent: usize,
}

impl Combine for OfLongDouble {
    fn combine(&self, from: &[u8], into: &mut [u8]) {
        let count = (into.len() / self.extent) as isize;
        // SAFETY: as many elements as there are bytes for; the function needs no alignment.
        unsafe {
            (self.function)(
                self.op,
                self.element as c_int,
                count,
                from.as_ptr().cast(),
                into.as_mut_ptr().cast(),
            )
        };
    }

    fn commutes(&self) -> bool {
        true
    }
}

/// Combines by a function of the program, with the globals of its rank in place.
struct OfProgram {
    operation: UserOperation,
    datatype: Handle,
    extent: usize,
    world: Rc<World>,
    rank: Rank,
}

impl Combine for OfProgram {
    fn combine(&self, from: &[u8], into: &mut [u8]) {
        self.world.activate(self.rank);
        let mut count = (into.len() / self.extent.max(1)) as c_int;
        let mut datatype = self.datatype;
        // The program's function may rely on its elements being aligned as malloc would align them.
        let (mut left, mut right) = (Aligned::copy(from), Aligned::copy(into));
        // SAFETY: the program's function, for as many elements as there are.
        unsafe {
            (self.operation.function)(left.address(), right.address(), &raw mut count, &raw mut datatype)
        };
        into.copy_from_slice(right.bytes(into.len()));
    }

    fn commutes(&self) -> bool {
        self.operation.commutes == Commutes::Yes
    }
}

/// Bytes at an address aligned for every type of C.
struct Aligned(Vec<u128>);

impl Aligned {
    fn copy(bytes: &[u8]) -> Self {
        let mut words = vec![0u128; bytes.len().div_ceil(16).max(1)];
        // SAFETY: the words are at least as many bytes.
        unsafe { copy_out(words.as_mut_ptr().cast(), bytes) };
        Self(words)
    }

    fn address(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }

    fn bytes(&self, length: usize) -> &[u8] {
        // SAFETY: the words are at least as many bytes.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), length) }
    }
}

/// The operation behind a handle, for elements of this datatype.
pub(crate) fn get(context: Context, op: Handle, datatype: Handle) -> Result<Rc<dyn Combine>, MpiError> {
    let element = Datatype::of(context, datatype)?;
    let rank = context.rank();
    if let Some(index) = abi::own_index(op) {
        let operation = rank.operations.get(index).copied().flatten();
        let operation = operation.ok_or_else(|| MpiError::Operation("not an operation".into()))?;
        let (world, rank) = (Rc::clone(&rank.world), rank.process.rank());
        return Ok(Rc::new(OfProgram { operation, datatype, extent: element.extent, world, rank }));
    }
    let value = op as usize;
    let known =
        predefined(value).ok_or_else(|| MpiError::Operation(format!("not an operation ({value:#x})")))?;
    match element.element {
        Element::Basic(kind) => Ok(Rc::new(Operation::new(known, kind)?)),
        Element::LongDouble(kind) => {
            // SAFETY: the runtime's function, of this signature.
            let function = unsafe {
                std::mem::transmute::<
                    *mut c_void,
                    unsafe extern "C" fn(c_int, c_int, isize, *const c_void, *mut c_void) -> c_int,
                >(rank.world.long_double_combine())
            };
            let op = value as c_int;
            // SAFETY: no elements: it only says whether the operation exists.
            if unsafe { function(op, kind as c_int, 0, ptr::null(), ptr::null_mut()) } != 0 {
                return Err(MpiError::Operation(format!(
                    "{known:?} is not defined for long double ({kind:?})"
                )));
            }
            Ok(Rc::new(OfLongDouble { function, op, element: kind, extent: element.extent }))
        }
        Element::Compound => {
            Err(MpiError::Operation(format!("{known:?} is not defined for datatypes of the program")))
        }
    }
}

/// Whether operands may change places.
pub(crate) fn commutes(combine: &Rc<dyn Combine>) -> Commutes {
    if combine.commutes() { Commutes::Yes } else { Commutes::No }
}

pub(crate) unsafe extern "C" fn op_create(function: UserFunction, commutes: c_int, op: *mut Handle) -> c_int {
    call("MPI_Op_create", ptr::null_mut(), |context| {
        let commutes = if commutes == 0 { Commutes::No } else { Commutes::Yes };
        let operations = &mut context.rank().operations;
        operations.push(Some(UserOperation { function, commutes }));
        // SAFETY: the program's variable.
        unsafe { *op = abi::own_handle(operations.len() - 1) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn op_free(op: *mut Handle) -> c_int {
    call("MPI_Op_free", ptr::null_mut(), |context| {
        // SAFETY: the program's variable.
        let index = abi::own_index(unsafe { *op });
        let place = index.and_then(|index| context.rank().operations.get_mut(index));
        *place.ok_or_else(|| MpiError::Operation("only operations of the program can be freed".into()))? =
            None;
        // SAFETY: as above.
        unsafe { *op = abi::predefined(OP_NULL) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn op_commutative(op: Handle, commutes: *mut c_int) -> c_int {
    call("MPI_Op_commutative", ptr::null_mut(), |context| {
        let own =
            abi::own_index(op).and_then(|index| context.rank().operations.get(index).copied().flatten());
        let answer = match own {
            Some(own) => own.commutes == Commutes::Yes,
            None => predefined(op as usize)
                .map(|_| true)
                .ok_or_else(|| MpiError::Operation("not an operation".into()))?,
        };
        // SAFETY: the program's variable.
        unsafe { *commutes = c_int::from(answer) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn reduce_local(
    from: *const c_void,
    into: *mut c_void,
    count: c_int,
    datatype: Handle,
    op: Handle,
) -> c_int {
    call("MPI_Reduce_local", ptr::null_mut(), |context| {
        let combine = get(context, op, datatype)?;
        let (from, into) =
            (Buffer::new(context, from, count, datatype)?, Buffer::new(context, into, count, datatype)?);
        let mut result = into.read();
        combine.combine(&from.read(), &mut result);
        into.write(&result);
        Ok(())
    })
}
