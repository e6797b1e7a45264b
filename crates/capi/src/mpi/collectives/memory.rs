//! The program's memory that goes into the workspace of a collective, or comes out of it.

use crate::calls::abi::MPI_IN_PLACE;
use crate::mpi::datatypes::Datatype;
use crate::mpi::datatypes::buffer::{self, Buffer, Elements};
use crate::mpi::prelude::*;
use weir_message::collective::Blocks;

/// Returns true if the program says that it gives what is in the other buffer.
pub(super) fn is_in_place(address: *const c_void) -> bool {
    address as usize == MPI_IN_PLACE
}

impl Elements {
    pub(super) fn is_in_place(&self) -> bool {
        is_in_place(self.address)
    }

    /// These, or `other` if they are given as `MPI_IN_PLACE`.
    pub(super) fn or(self, other: Self) -> Self {
        if self.is_in_place() { other } else { self }
    }
}

/// An array of the program, of numbers of one of two widths.
#[derive(Clone, Copy)]
pub(crate) enum Numbers {
    Short(*const c_int),
    Long(*const i64),
}

impl Argument<*const c_int> for Numbers {
    fn of(_: &mut Context, _: &str, given: *const c_int) -> Result<Self, MpiError> {
        Ok(given.into())
    }
}

impl Argument<*const i64> for Numbers {
    fn of(_: &mut Context, _: &str, given: *const i64) -> Result<Self, MpiError> {
        Ok(given.into())
    }
}

impl From<*const c_int> for Numbers {
    fn from(array: *const c_int) -> Self {
        Self::Short(array)
    }
}

impl From<*const i64> for Numbers {
    fn from(array: *const i64) -> Self {
        Self::Long(array)
    }
}

impl From<*const isize> for Numbers {
    fn from(array: *const isize) -> Self {
        Self::Long(array.cast())
    }
}

impl Numbers {
    /// # Safety
    /// The array has so many numbers.
    unsafe fn read(self, count: usize) -> Result<Vec<i64>, MpiError> {
        let null = match self {
            Self::Short(array) => array.is_null(),
            Self::Long(array) => array.is_null(),
        };
        if count == 0 {
            return Ok(Vec::new());
        }
        if null {
            return Err(MpiError::Argument(format!("a null pointer for an array of {count}")));
        }
        let number = |index| match self {
            // SAFETY: the caller's promise.
            Self::Short(array) => unsafe { array.add(index).read_unaligned() }.into(),
            // SAFETY: as above.
            Self::Long(array) => unsafe { array.add(index).read_unaligned() },
        };
        Ok((0..count).map(number).collect())
    }

    /// # Safety
    /// The array has so many counts.
    pub(super) unsafe fn counts(self, count: usize) -> Result<Vec<usize>, MpiError> {
        // SAFETY: the caller's promise.
        unsafe { self.read(count)? }.into_iter().map(buffer::count).collect()
    }
}

/// Blocks of their own lengths at their own places, as the program gives them; displacements count elements.
#[derive(Clone, Copy)]
pub(crate) struct Uneven {
    pub(super) address: *const c_void,
    pub(super) counts: Numbers,
    pub(super) displacements: Numbers,
    pub(super) datatype: Handle,
}

/// Blocks of their own lengths and datatypes, as the program gives them; displacements count bytes.
#[derive(Clone, Copy)]
pub(crate) struct Mixed {
    pub(super) address: *const c_void,
    pub(super) counts: Numbers,
    pub(super) displacements: Numbers,
    pub(super) datatypes: *const Handle,
}

impl Uneven {
    pub(crate) fn new(
        address: *const c_void,
        counts: impl Into<Numbers>,
        displacements: impl Into<Numbers>,
        datatype: Handle,
    ) -> Self {
        Self { address, counts: counts.into(), displacements: displacements.into(), datatype }
    }
}

impl Mixed {
    pub(crate) fn new(
        address: *const c_void,
        counts: impl Into<Numbers>,
        displacements: impl Into<Numbers>,
        datatypes: *const Handle,
    ) -> Self {
        Self { address, counts: counts.into(), displacements: displacements.into(), datatypes }
    }
}

/// Memory of the program. Arrays are copied, so that it may be read and written long after the call.
#[derive(Clone)]
pub(super) enum Memory {
    None,
    One(Buffer),
    Uneven {
        /// Where element 0 is, and of which datatype.
        origin: Buffer,
        displacements: Box<[i64]>,
        lengths: Blocks,
    },
    Mixed {
        buffers: Box<[Buffer]>,
        lengths: Blocks,
    },
}

impl Memory {
    /// # Safety
    /// The arrays have `blocks` elements.
    pub(super) unsafe fn uneven(
        context: &mut Context,
        given: Uneven,
        blocks: usize,
        is_used: impl Fn(usize) -> bool,
    ) -> Result<Self, MpiError> {
        let origin = Buffer::new(context, given.address, 0, given.datatype)?;
        // SAFETY: the caller's promise.
        let (counts, displacements) =
            unsafe { (given.counts.counts(blocks)?, given.displacements.read(blocks)?) };
        let bytes = |(block, &count): (usize, &usize)| {
            if is_used(block) { buffer::bytes(count, origin.datatype.size) } else { Ok(0) }
        };
        let lengths = counts.iter().enumerate().map(bytes).collect::<Result<Vec<usize>, _>>()?;
        let total = lengths.iter().try_fold(0usize, |sum, &length| sum.checked_add(length));
        if total.is_none() {
            return Err(MpiError::Argument("the blocks are too long together".into()));
        }
        // The null datatype and the null pointer will do for no elements only; `new` knows with which datatypes the pointer
        // is an address.
        if counts.iter().enumerate().any(|(block, &count)| count > 0 && is_used(block)) {
            match &origin.section {
                // Element 0 need not lie in the section.
                Some(_) => drop(Datatype::committed(context, given.datatype)?),
                None => drop(Buffer::new(context, given.address, 1, given.datatype)?),
            }
        }
        if origin.section.is_some() {
            let used = (0..blocks).filter(|&block| is_used(block));
            used.map(|block| origin.block(displacements[block], counts[block] as i64))
                .try_for_each(|block| block.map(drop))?;
        }
        Ok(Self::Uneven { origin, displacements: displacements.into(), lengths: Blocks::uneven(lengths) })
    }

    /// # Safety
    /// The arrays have `blocks` elements.
    pub(super) unsafe fn mixed(
        context: &mut Context,
        given: Mixed,
        blocks: usize,
        is_used: impl Fn(usize) -> bool,
    ) -> Result<Self, MpiError> {
        // SAFETY: the caller's promise.
        let (counts, displacements) =
            unsafe { (given.counts.counts(blocks)?, given.displacements.read(blocks)?) };
        if blocks > 0 && given.datatypes.is_null() {
            return Err(MpiError::Argument("a null pointer for an array of datatypes".into()));
        }
        let block = |block: usize| {
            let place = (given.address, displacements[block] as isize);
            let count = if is_used(block) { counts[block] as i64 } else { 0 };
            // SAFETY: as above.
            let datatype = unsafe { given.datatypes.add(block).read_unaligned() };
            Buffer::displaced(context, place, count, datatype)
        };
        let buffers = (0..blocks).map(block).collect::<Result<Vec<Buffer>, _>>()?;
        Ok(Self::parts(blocks, |block| buffers[block].clone()))
    }

    pub(super) fn parts(blocks: usize, part: impl FnMut(usize) -> Buffer) -> Self {
        let buffers: Box<[Buffer]> = (0..blocks).map(part).collect();
        let lengths = Blocks::uneven(buffers.iter().map(|buffer| buffer.bytes));
        Self::Mixed { buffers, lengths }
    }

    pub(super) fn lengths(&self) -> Blocks {
        match self {
            Self::None => Blocks::uneven([]),
            Self::One(buffer) => Blocks::uneven([buffer.bytes]),
            Self::Uneven { lengths, .. } | Self::Mixed { lengths, .. } => lengths.clone(),
        }
    }

    pub(super) fn block(&self, block: usize) -> Buffer {
        match self {
            Self::None => unreachable!("nothing has no blocks"),
            Self::One(buffer) => buffer.clone(),
            Self::Uneven { origin, displacements, lengths } => {
                let count = lengths.length(block).checked_div(origin.datatype.size).unwrap_or(0);
                origin.part(displacements[block], count)
            }
            Self::Mixed { buffers, .. } => buffers[block].clone(),
        }
    }

    /// Copies the data of all blocks to the beginning of `into`, one behind the other.
    pub(super) fn read(&self, into: &mut [u8]) {
        match self {
            Self::None => {}
            Self::One(buffer) => buffer.read_into(into),
            Self::Uneven { displacements, lengths, .. } => {
                for block in 0..displacements.len() {
                    self.block(block).read_into(&mut into[lengths.range(block)]);
                }
            }
            Self::Mixed { buffers, lengths } => {
                for (block, buffer) in buffers.iter().enumerate() {
                    buffer.read_into(&mut into[lengths.range(block)]);
                }
            }
        }
    }

    /// Copies data to all blocks, as far as they go.
    pub(super) fn write(&self, data: &[u8]) {
        match self {
            Self::None => {}
            Self::One(buffer) => buffer.write(data),
            Self::Uneven { displacements, lengths, .. } => {
                for block in 0..displacements.len() {
                    self.block(block).write(&data[lengths.range(block)]);
                }
            }
            Self::Mixed { buffers, lengths } => {
                for (block, buffer) in buffers.iter().enumerate() {
                    buffer.write(&data[lengths.range(block)]);
                }
            }
        }
    }
}
