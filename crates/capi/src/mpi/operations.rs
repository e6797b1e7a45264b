//! Reduction operations: predefined ones, those of long double, and the program's own.

use crate::calls::abi::UserFunction;
use crate::calls::output_arguments::null;
use crate::mpi::datatypes::Datatype;
use crate::mpi::datatypes::pieces::{gather, scatter};
use crate::mpi::datatypes::predefined_types::{Element, LongDouble};
use crate::mpi::prelude::*;
use crate::rank::objects::Numbered;
use crate::world::World;
use std::ptr;
use std::rc::Rc;
use std::sync::Arc;
use weir_message::datatype::Type;
use weir_message::{Combine, Combining, ElementName, OperationName, Predefined, PredefinedOperation};
use weir_operations::OperandOrder;

/// A function of the program that combines elements.
#[derive(Clone, Copy)]
pub(crate) enum Function {
    Int(UserFunction<c_int>),
    Large(UserFunction<i64>),
}

impl Function {
    fn most(self) -> usize {
        match self {
            Self::Int(_) => c_int::MAX as usize,
            Self::Large(_) => isize::MAX as usize,
        }
    }

    /// # Safety
    /// There are so many elements of the datatype at both addresses, no more than it takes at once.
    unsafe fn call(self, from: *mut c_void, into: *mut c_void, count: usize, mut datatype: Handle) {
        let (mut short, mut long) = (count as c_int, count as i64);
        // SAFETY: the caller's promise.
        unsafe {
            match self {
                Self::Int(function) => function(from, into, &raw mut short, &raw mut datatype),
                Self::Large(function) => function(from, into, &raw mut long, &raw mut datatype),
            }
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct UserOperation {
    function: Function,
    commutes: OperandOrder,
}

#[derive(Default)]
pub(crate) struct UserOperations(pub(crate) Numbered<UserOperation>);

/// The predefined operations for reductions: their values of the standard ABI, their names in `mpi.h`, and what they do.
const PREDEFINED: [(usize, &str, Predefined); 12] = [
    (MPI_SUM, "MPI_SUM", Predefined::Sum),
    (MPI_MIN, "MPI_MIN", Predefined::Min),
    (MPI_MAX, "MPI_MAX", Predefined::Max),
    (MPI_PROD, "MPI_PROD", Predefined::Product),
    (MPI_BAND, "MPI_BAND", Predefined::BitAnd),
    (MPI_BOR, "MPI_BOR", Predefined::BitOr),
    (MPI_BXOR, "MPI_BXOR", Predefined::BitXor),
    (MPI_LAND, "MPI_LAND", Predefined::And),
    (MPI_LOR, "MPI_LOR", Predefined::Or),
    (MPI_LXOR, "MPI_LXOR", Predefined::Xor),
    (MPI_MINLOC, "MPI_MINLOC", Predefined::MinLocation),
    (MPI_MAXLOC, "MPI_MAXLOC", Predefined::MaxLocation),
];

fn predefined(value: usize) -> Option<Predefined> {
    PREDEFINED.iter().find(|(known, ..)| *known == value).map(|&(.., operation)| operation)
}

/// The name of an operation in `mpi.h`; 0 is one of the program.
pub(crate) fn name(value: usize) -> &'static str {
    let known = PREDEFINED.iter().find(|(known, ..)| *known == value);
    known.map_or("an operation of its own", |(_, name, _)| name)
}

/// An operation with the elements that it combines.
pub(crate) type Shared = Arc<dyn Combine + Send + Sync>;

/// Combines long doubles by a function of the program's runtime: only its compiler knows them.
struct OfLongDouble {
    function: unsafe extern "C" fn(c_int, c_int, isize, *const c_void, *mut c_void) -> c_int,
    op: c_int,
    element: LongDouble,
    extent: usize,
    combining: Combining,
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

    fn combining(&self) -> Combining {
        self.combining
    }
}

/// Combines by a function of the program, which the running rank calls by [`Context::operation`].
struct OfProgram {
    operation: UserOperation,
    datatype: Handle,
    /// The one element that the datatype consists of, if it is one.
    element: Option<ElementName>,
    /// Bytes of data in an element.
    size: usize,
    /// Where they are, if not one behind the other.
    map: Option<Rc<Type>>,
}

impl Combine for OfProgram {
    fn combine(&self, from: &[u8], into: &mut [u8]) {
        let UserOperation { function, .. } = self.operation;
        let size = self.size.max(1);
        let map = self.map.as_deref();
        let longest = function.most().saturating_mul(size);
        for (from, into) in from.chunks(longest).zip(into.chunks_mut(longest)) {
            let elements = into.len() / size;
            // The program's function may rely on its elements being aligned as malloc would align them.
            let (mut left, mut right) = (Spread::new(map, elements, from), Spread::new(map, elements, into));
            // SAFETY: the program's function, for as many elements as there are.
            unsafe { function.call(left.address(), right.address(), elements, self.datatype) };
            right.pack(into);
        }
    }

    fn commutes(&self) -> bool {
        self.operation.commutes == OperandOrder::Commute
    }

    fn is_of_program(&self) -> bool {
        true
    }

    fn combining(&self) -> Combining {
        Combining { operation: Some(OperationName::Program), element: self.element }
    }
}

// SAFETY: an operation stays with the requests of the rank that has made it, which is on one thread at a time, with all that the
// datatype refers to.
unsafe impl Send for OfProgram {}
// SAFETY: as above.
unsafe impl Sync for OfProgram {}

/// Combines predefined elements with padding, which does not travel.
struct OfPadded {
    combine: Shared,
    /// Bytes of data in an element.
    size: usize,
    map: Rc<Type>,
}

// SAFETY: as for `OfProgram`.
unsafe impl Send for OfPadded {}
// SAFETY: as above.
unsafe impl Sync for OfPadded {}

impl Combine for OfPadded {
    fn combine(&self, from: &[u8], into: &mut [u8]) {
        let elements = into.len() / self.size;
        let left = Spread::new(Some(&self.map), elements, from);
        let mut right = Spread::new(Some(&self.map), elements, into);
        let bytes = elements * self.map.extent() as usize;
        self.combine.combine(left.bytes(bytes), right.bytes_mut(bytes));
        right.pack(into);
    }

    fn commutes(&self) -> bool {
        self.combine.commutes()
    }

    fn combining(&self) -> Combining {
        self.combine.combining()
    }
}

/// The farthest that the data of an element may reach for an operation of the program: they are copied.
const FARTHEST: isize = 1 << 32;

/// Elements laid out in memory as their datatype says, aligned for every type of C.
struct Spread<'a> {
    map: Option<&'a Type>,
    elements: usize,
    words: Vec<u128>,
    /// Displacement of the first word from the address of the elements.
    start: isize,
}

impl<'a> Spread<'a> {
    const ALIGNMENT: isize = size_of::<u128>() as isize;

    fn new(map: Option<&'a Type>, elements: usize, packed: &[u8]) -> Self {
        let (lower, upper) = match map {
            None => (0, packed.len() as isize),
            Some(map) => {
                let last = map.extent() * (elements as isize - 1).max(0);
                let lower = map.true_lower_bound();
                (lower + last.min(0), lower + map.true_extent() + last.max(0))
            }
        };
        // The extent of a padded element goes on behind its data.
        let upper = map.map_or(upper, |map| upper.max(map.extent().saturating_mul(elements as isize)));
        let start = lower.div_euclid(Self::ALIGNMENT) * Self::ALIGNMENT;
        let words = vec![0u128; ((upper - start) as usize).div_ceil(size_of::<u128>()).max(1)];
        let mut spread = Self { map, elements, words, start };
        match map {
            None => spread.bytes_mut(packed.len()).copy_from_slice(packed),
            // SAFETY: the words reach from the first to behind the last byte of the elements.
            Some(map) => unsafe {
                scatter(map, elements, (None, spread.address().cast()), (packed.as_ptr(), packed.len()))
            },
        }
        spread
    }

    /// The address of the elements, which may be before the first word.
    fn address(&mut self) -> *mut c_void {
        self.words.as_mut_ptr().cast::<u8>().wrapping_offset(-self.start).cast()
    }

    /// The first bytes, of elements that begin where the words do.
    fn bytes(&self, length: usize) -> &[u8] {
        assert!(length <= size_of_val(&self.words[..]), "words for all elements");
        // SAFETY: the words are at least as many bytes.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), length) }
    }

    fn bytes_mut(&mut self, length: usize) -> &mut [u8] {
        assert!(length <= size_of_val(&self.words[..]), "words for all elements");
        // SAFETY: the words are at least as many bytes.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), length) }
    }

    fn pack(&mut self, into: &mut [u8]) {
        match self.map {
            None => into.copy_from_slice(self.bytes(into.len())),
            // SAFETY: the words reach from the first to behind the last byte of the elements.
            Some(map) => unsafe {
                gather(map, self.elements, (None, self.address().cast()), (into.as_mut_ptr(), into.len()));
            },
        }
    }
}

/// The operation behind a handle, for elements of this datatype.
pub(crate) fn get(context: &mut Context, op: Handle, datatype: Handle) -> Result<Shared> {
    let element = Datatype::committed(context, datatype)?;
    let rank = context.rank();
    if abi::own_index(op).is_some() {
        let operation = rank.known::<UserOperations>().and_then(|made| made.0.get(op).copied());
        let operation = operation.ok_or_else(|| MpiError::Operation("not an operation".into()))?;
        let (name, size, map) = (element.element.name(), element.size, element.map);
        if map.as_ref().is_some_and(|map| map.true_extent() > FARTHEST) {
            return Err(MpiError::Operation("elements that are scattered over all of memory".into()));
        }
        return Ok(Arc::new(OfProgram { operation, datatype, element: name, size, map }));
    }
    predefined_on(&rank.world, op as usize, element)
}

/// True for the operations of the standard for reductions.
pub(crate) fn is_predefined(op: Handle) -> bool {
    predefined(op as usize).is_some()
}

/// A predefined operation, for elements of a predefined datatype or a copy of one.
pub(crate) fn predefined_on(world: &World, value: usize, element: Datatype) -> Result<Shared> {
    let known =
        predefined(value).ok_or_else(|| MpiError::Operation(format!("not an operation ({value:#x})")))?;
    let combine: Shared = match element.element {
        Element::Basic(kind) => Arc::new(PredefinedOperation::new(known, kind)?),
        Element::LongDouble(kind) => {
            // SAFETY: the runtime's function, of this signature.
            let function = unsafe {
                std::mem::transmute::<
                    *mut c_void,
                    unsafe extern "C" fn(c_int, c_int, isize, *const c_void, *mut c_void) -> c_int,
                >(world.long_double)
            };
            let op = value as c_int;
            // SAFETY: no elements: it only says whether the operation exists.
            if unsafe { function(op, kind as c_int, 0, ptr::null(), ptr::null_mut()) } != 0 {
                return Err(MpiError::Operation(format!(
                    "{known:?} is not defined for long double ({kind:?})"
                )));
            }
            let combining = Combining {
                operation: Some(OperationName::Predefined(known)),
                element: element.element.name(),
            };
            let extent = element.extent as usize;
            Arc::new(OfLongDouble { function, op, element: kind, extent, combining })
        }
        Element::Compound => {
            return Err(MpiError::Operation(format!(
                "{known:?} is not defined for datatypes of the program"
            )));
        }
    };
    Ok(match element.map {
        None => combine,
        Some(map) => Arc::new(OfPadded { combine, size: element.size, map }),
    })
}

pub(crate) fn commutes(combine: &Shared) -> OperandOrder {
    if combine.commutes() { OperandOrder::Commute } else { OperandOrder::Ordered }
}

arguments! {
    Option<UserFunction<c_int>> => Function: |_, name, given| given.map(Self::Int).ok_or_else(|| null(name));
    Option<UserFunction<i64>> => Function: |_, name, given| given.map(Self::Large).ok_or_else(|| null(name));
}

pub(crate) fn op_create(context: &mut Context, function: Function, commutes: c_int, op: Out<Handle>) -> Done {
    let commutes = if commutes == 0 { OperandOrder::Ordered } else { OperandOrder::Commute };
    let made = UserOperation { function, commutes };
    op.give(context.of::<UserOperations>().0.add(made))
}

pub(crate) fn op_free(context: &mut Context, op: Out<Handle>) -> Done {
    let handle = op.get();
    let freed = context.of::<UserOperations>().0.remove(handle);
    freed.ok_or_else(|| MpiError::Operation("only operations of the program can be freed".into()))?;
    op.give(abi::predefined(MPI_OP_NULL))
}

pub(crate) fn op_commutative(context: &mut Context, op: Handle, commutes: Out<c_int>) -> Done {
    let own = context.rank().known::<UserOperations>().and_then(|made| made.0.get(op));
    let answer = match own {
        Some(own) => own.commutes == OperandOrder::Commute,
        // Those of windows alone: who comes last has the last word.
        None if [MPI_REPLACE, MPI_NO_OP].contains(&(op as usize)) => false,
        None if is_predefined(op) => true,
        None => return Err(MpiError::Operation("not an operation".into())),
    };
    commutes.give(c_int::from(answer))
}

pub(crate) fn reduce_local(context: &mut Context, Operands { send, recv, op }: Operands) -> Done {
    let combine = get(context, op, recv.datatype)?;
    let (from, into) = (send.buffer(context)?, recv.buffer(context)?);
    from.apart_from(&into)?;
    let mut result = into.read();
    let given = from.read();
    context.operation(|| combine.combine(&given, &mut result));
    into.write(&result);
    Ok(())
}
