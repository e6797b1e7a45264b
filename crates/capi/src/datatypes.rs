//! Datatypes: predefined ones, and contiguous ones made of them.

use crate::abi::{self, DATATYPE_NULL, Handle};
use crate::context::{Context, call, copy_in, copy_out};
use std::ffi::{c_int, c_void};
use weir_message::{Kind, MpiError};

/// What a buffer's elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Datatype {
    /// Bytes from one element to the next.
    pub(crate) extent: usize,
    /// Bytes of data in one element.
    pub(crate) size: usize,
    /// Bytes from one of the predefined elements it is made of to the next.
    pub(crate) basic_extent: usize,
    /// What the reductions know of it.
    pub(crate) element: Element,
}

/// Elements as the reductions know them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// One that we know to combine.
    Basic(Kind),
    /// `long double`, its complex, and its pair with an int: the compiled program combines them.
    LongDouble(LongDouble),
    /// Several basic elements: only operations of the program combine them.
    Compound,
}

/// The number tells the program's runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LongDouble {
    Real = 0,
    Complex = 1,
    Located = 2,
}

const fn basic(kind: Kind) -> Datatype {
    Datatype {
        extent: kind.extent(),
        size: kind.size(),
        basic_extent: kind.extent(),
        element: Element::Basic(kind),
    }
}

const fn long_double(extent: usize, size: usize, element: LongDouble) -> Datatype {
    Datatype { extent, size, basic_extent: extent, element: Element::LongDouble(element) }
}

/// The predefined datatype with this value of the standard ABI.
fn predefined(value: usize) -> Option<Datatype> {
    Some(match value {
        0x201..=0x203 | 0x20a | 0x20b | 0x258 => basic(Kind::I64), // AINT COUNT OFFSET LONG LONG_LONG INT64_T
        0x207 | 0x247 => basic(Kind::Byte),                        // PACKED BYTE
        0x208 | 0x248 | 0x2c9 => basic(Kind::I16),                 // SHORT INT16_T INTEGER2
        0x209 | 0x219 | 0x250 | 0x2d1 => basic(Kind::I32),         // INT INTEGER INT32_T INTEGER4
        0x20c | 0x249 => basic(Kind::U16),                         // UNSIGNED_SHORT UINT16_T
        0x20d | 0x251 => basic(Kind::U32),                         // UNSIGNED UINT32_T
        0x20e | 0x20f | 0x259 => basic(Kind::U64),                 // UNSIGNED_LONG(_LONG) UINT64_T
        0x210 | 0x21a | 0x2d2 => basic(Kind::F32),                 // FLOAT REAL REAL4
        0x212 | 0x213 | 0x21b | 0x2db => basic(Kind::ComplexF32), // C_(FLOAT_)COMPLEX CXX_.. COMPLEX COMPLEX8
        0x214 | 0x21c | 0x2da => basic(Kind::F64),                // DOUBLE DOUBLE_PRECISION REAL8
        0x216 | 0x217 | 0x21d | 0x2e3 => basic(Kind::ComplexF64), // C_DOUBLE_COMPLEX CXX_.. DOUBLE_COMPLEX COMPLEX16
        0x218 | 0x2d0 => basic(Kind::Logical32),                  // LOGICAL LOGICAL4
        0x21e | 0x243 => basic(Kind::Character),                  // CHARACTER CHAR
        0x220 => long_double(16, 16, LongDouble::Real),
        0x224 | 0x225 => long_double(32, 32, LongDouble::Complex),
        0x228 => basic(Kind::F32Index),
        0x229 => basic(Kind::F64Index),
        0x22a => basic(Kind::I64Index),
        0x22b | 0x232 => basic(Kind::I32Index), // 2INT 2INTEGER
        0x22c => basic(Kind::I16Index),
        0x22d => long_double(32, 20, LongDouble::Located),
        0x238 | 0x239 => basic(Kind::Bool),       // C_BOOL CXX_BOOL
        0x23c => basic(Kind::I32).compound(),     // WCHAR: an int to the compiler, no operation to MPI
        0x240 | 0x244 | 0x2c1 => basic(Kind::I8), // INT8_T SIGNED_CHAR INTEGER1
        0x241 | 0x245 => basic(Kind::U8),         // UINT8_T UNSIGNED_CHAR
        0x2d9 => basic(Kind::I64),                // INTEGER8
        _ => return None,
    })
}

impl Datatype {
    const fn compound(self) -> Self {
        Self { element: Element::Compound, ..self }
    }

    /// The datatype behind a handle of the running rank.
    pub(crate) fn of(context: Context, handle: Handle) -> Result<Self, MpiError> {
        if let Some(index) = abi::own_index(handle) {
            let made = context.rank().types.get(index).copied().flatten();
            return made.ok_or_else(|| MpiError::Type("not a datatype".into()));
        }
        let value = handle as usize;
        predefined(value).ok_or_else(|| {
            let what = if value == DATATYPE_NULL { "MPI_DATATYPE_NULL" } else { "not a datatype of C" };
            MpiError::Type(format!("{what} ({value:#x})"))
        })
    }
}

/// So many elements of a datatype somewhere in the program's memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    pub(crate) address: *mut u8,
    pub(crate) bytes: usize,
    pub(crate) datatype: Datatype,
}

impl Buffer {
    /// A buffer as the program describes it.
    pub(crate) fn new(
        context: Context,
        address: *const c_void,
        count: c_int,
        datatype: Handle,
    ) -> Result<Self, MpiError> {
        let datatype = Datatype::of(context, datatype)?;
        let count = usize::try_from(count).map_err(|_| MpiError::Count(count.into()))?;
        let bytes = count * datatype.extent;
        if address.is_null() && bytes > 0 {
            return Err(MpiError::Buffer(format!("a null pointer for {bytes} bytes")));
        }
        Ok(Self { address: address.cast_mut().cast(), bytes, datatype })
    }

    /// Its data, copied.
    pub(crate) fn read(self) -> Box<[u8]> {
        let mut data = vec![0; self.bytes].into_boxed_slice();
        self.read_into(&mut data);
        data
    }

    /// Copies its data to the beginning of `into`.
    pub(crate) fn read_into(self, into: &mut [u8]) {
        // SAFETY: the program says that so many bytes are there.
        unsafe { copy_in(self.address, &mut into[..self.bytes]) };
    }

    /// Copies data into it, as far as there is room.
    pub(crate) fn write(self, data: &[u8]) {
        // SAFETY: the program says that so many bytes are there.
        unsafe { copy_out(self.address, &data[..data.len().min(self.bytes)]) };
    }

    /// A block of it: `count` elements from element `offset` on.
    pub(crate) fn block(self, offset: c_int, count: c_int) -> Result<Self, MpiError> {
        let count = usize::try_from(count).map_err(|_| MpiError::Count(count.into()))?;
        let address = self.address.wrapping_offset(offset as isize * self.datatype.extent as isize);
        Ok(Self { address, bytes: count * self.datatype.extent, ..self })
    }
}

pub(crate) unsafe extern "C" fn type_size(datatype: Handle, size: *mut c_int) -> c_int {
    call("MPI_Type_size", std::ptr::null_mut(), |context| {
        // SAFETY: the program's variable.
        unsafe { *size = Datatype::of(context, datatype)?.size as c_int };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn type_get_extent(
    datatype: Handle,
    lower: *mut isize,
    extent: *mut isize,
) -> c_int {
    call("MPI_Type_get_extent", std::ptr::null_mut(), |context| {
        let found = Datatype::of(context, datatype)?;
        // SAFETY: the program's variables.
        unsafe { (*lower, *extent) = (0, found.extent as isize) };
        Ok(())
    })
}

fn add(context: Context, datatype: Datatype) -> Handle {
    let types = &mut context.rank().types;
    types.push(Some(datatype));
    abi::own_handle(types.len() - 1)
}

pub(crate) unsafe extern "C" fn type_contiguous(count: c_int, old: Handle, new: *mut Handle) -> c_int {
    call("MPI_Type_contiguous", std::ptr::null_mut(), |context| {
        let base = Datatype::of(context, old)?;
        let count = usize::try_from(count).map_err(|_| MpiError::Count(count.into()))?;
        let made = Datatype { extent: base.extent * count, size: base.size * count, ..base }.compound();
        // SAFETY: the program's variable.
        unsafe { *new = add(context, made) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn type_dup(old: Handle, new: *mut Handle) -> c_int {
    call("MPI_Type_dup", std::ptr::null_mut(), |context| {
        let copy = Datatype::of(context, old)?;
        // SAFETY: the program's variable.
        unsafe { *new = add(context, copy) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn type_commit(datatype: *mut Handle) -> c_int {
    // SAFETY: the program's variable.
    call("MPI_Type_commit", std::ptr::null_mut(), |context| {
        Datatype::of(context, unsafe { *datatype }).map(|_| ())
    })
}

pub(crate) unsafe extern "C" fn type_free(datatype: *mut Handle) -> c_int {
    call("MPI_Type_free", std::ptr::null_mut(), |context| {
        // SAFETY: the program's variable.
        let handle = unsafe { *datatype };
        Datatype::of(context, handle)?;
        let Some(index) = abi::own_index(handle) else {
            return Err(MpiError::Type("a predefined datatype cannot be freed".into()));
        };
        context.rank().types[index] = None;
        // SAFETY: as above.
        unsafe { *datatype = abi::predefined(DATATYPE_NULL) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn get_address(location: *const c_void, address: *mut isize) -> c_int {
    call("MPI_Get_address", std::ptr::null_mut(), |_| {
        // SAFETY: the program's variable.
        unsafe { *address = location as isize };
        Ok(())
    })
}
