//! The program's memory that goes into the workspace of a collective, or comes out of it.

use crate::mpi::datatypes::Datatype;
use crate::mpi::datatypes::buffer::{self, Buffer};
use crate::mpi::prelude::*;
use weir_collectives::Blocks;

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

macro_rules! numbers {
    ($($kind:ty: $width:ident)*) => {$(
        impl From<*const $kind> for Numbers {
            fn from(array: *const $kind) -> Self {
                Self::$width(array.cast())
            }
        }

        arguments! { *const $kind => Numbers: |_, _, given| Ok(given.into()); }
    )*};
}

numbers! { c_int: Short i64: Long isize: Long }

impl Numbers {
    fn read(self, count: usize) -> Result<Vec<i64>> {
        let null = match self {
            Self::Short(array) => array.is_null(),
            Self::Long(array) => array.is_null(),
        };
        if null && count > 0 {
            return Err(MpiError::Argument(format!("a null pointer for an array of {count}")));
        }
        let number = |index| match self {
            // SAFETY: the program says that there are so many.
            Self::Short(array) => unsafe { array.add(index).read_unaligned() }.into(),
            // SAFETY: as above.
            Self::Long(array) => unsafe { array.add(index).read_unaligned() },
        };
        Ok((0..count).map(number).collect())
    }

    pub(super) fn counts(self, count: usize) -> Result<Vec<usize>> {
        self.read(count)?.into_iter().map(buffer::count).collect()
    }
}

/// Blocks of their own lengths at their own places, as the program gives them.
#[derive(Clone, Copy)]
pub(crate) struct Uneven {
    pub(super) address: *const c_void,
    counts: Numbers,
    displacements: Numbers,
    datatypes: Datatypes,
}

#[derive(Clone, Copy)]
enum Datatypes {
    /// All have this one; displacements count elements.
    One(Handle),
    /// Each has its own; displacements count bytes.
    Each(*const Handle),
}

impl Uneven {
    pub(crate) fn new(
        address: *const c_void,
        counts: impl Into<Numbers>,
        displacements: impl Into<Numbers>,
        datatype: Handle,
    ) -> Self {
        let (counts, displacements) = (counts.into(), displacements.into());
        Self { address, counts, displacements, datatypes: Datatypes::One(datatype) }
    }

    /// Blocks with datatypes of their own.
    pub(crate) fn each(
        address: *const c_void,
        counts: impl Into<Numbers>,
        displacements: impl Into<Numbers>,
        datatypes: *const Handle,
    ) -> Self {
        let (counts, displacements) = (counts.into(), displacements.into());
        Self { address, counts, displacements, datatypes: Datatypes::Each(datatypes) }
    }

    /// The memory of as many blocks; those that are not used count as empty.
    pub(super) fn memory(self, context: &mut Context, is_used: &[bool]) -> Result<Memory> {
        match self.datatypes {
            Datatypes::One(datatype) => self.of_one_datatype(context, datatype, is_used),
            Datatypes::Each(datatypes) => self.of_datatypes(context, datatypes, is_used),
        }
    }

    fn of_one_datatype(self, context: &mut Context, datatype: Handle, is_used: &[bool]) -> Result<Memory> {
        let blocks = is_used.len();
        let origin = Elements::new(self.address, 0, datatype).buffer(context)?;
        let (counts, displacements) = (self.counts.counts(blocks)?, self.displacements.read(blocks)?);
        let bytes = |(block, &count): (usize, &usize)| {
            if is_used[block] { buffer::bytes(count, origin.datatype.size) } else { Ok(0) }
        };
        let lengths = counts.iter().enumerate().map(bytes).collect::<Result<Vec<usize>, _>>()?;
        let total = lengths.iter().try_fold(0usize, |sum, &length| sum.checked_add(length));
        if total.is_none() {
            return Err(MpiError::Argument("the blocks are too long together".into()));
        }
        // The null datatype and the null pointer will do for no elements only.
        if counts.iter().enumerate().any(|(block, &count)| count > 0 && is_used[block]) {
            match &origin.section {
                // Element 0 need not lie in the section.
                Some(_) => drop(Datatype::committed(context, datatype)?),
                None => drop(Elements::new(self.address, 1, datatype).buffer(context)?),
            }
        }
        if origin.section.is_some() {
            let used = (0..blocks).filter(|&block| is_used[block]);
            used.map(|block| origin.block(displacements[block], counts[block] as i64))
                .try_for_each(|block| block.map(drop))?;
        }
        let (displacements, lengths) = (displacements.into(), Blocks::uneven(lengths));
        Ok(Memory::Uneven { origin, displacements, lengths })
    }

    fn of_datatypes(self, context: &mut Context, each: *const Handle, is_used: &[bool]) -> Result<Memory> {
        let blocks = is_used.len();
        let (counts, displacements) = (self.counts.counts(blocks)?, self.displacements.read(blocks)?);
        if blocks > 0 && each.is_null() {
            return Err(MpiError::Argument("a null pointer for an array of datatypes".into()));
        }
        let block = |block: usize| {
            let count = if is_used[block] { counts[block] as i64 } else { 0 };
            // SAFETY: the program says that there is one for each block.
            let datatype = unsafe { each.add(block).read_unaligned() };
            Buffer::displaced(
                context,
                Elements::new(self.address, count, datatype),
                displacements[block] as isize,
            )
        };
        let buffers = (0..blocks).map(block).collect::<Result<Vec<Buffer>, _>>()?;
        Ok(Memory::parts(blocks, |block| buffers[block].clone()))
    }
}

/// Blocks as the program gives them: of one length, or each of its own.
#[derive(Clone, Copy)]
pub(crate) enum Given {
    Even(Elements),
    Uneven(Uneven),
}

arguments! {
    Elements => Given: |_, _, given| Ok(Self::Even(given));
    Uneven => Given: |_, _, given| Ok(Self::Uneven(given));
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

    fn blocks(&self) -> usize {
        match self {
            Self::None => 0,
            Self::One(_) => 1,
            Self::Uneven { displacements, .. } => displacements.len(),
            Self::Mixed { buffers, .. } => buffers.len(),
        }
    }

    /// Copies the data of all blocks to the beginning of `into`, one behind the other.
    pub(super) fn read(&self, into: &mut [u8]) {
        match self {
            Self::None => {}
            Self::One(buffer) => buffer.read_into(into),
            Self::Uneven { lengths, .. } | Self::Mixed { lengths, .. } => {
                for block in 0..self.blocks() {
                    self.block(block).read_into(&mut into[lengths.range(block)]);
                }
            }
        }
    }

    /// Copies data to all blocks, as far as they go.
    pub(super) fn write(&self, data: &[u8]) {
        match self {
            Self::None => {}
            Self::One(buffer) => buffer.write(data),
            Self::Uneven { lengths, .. } | Self::Mixed { lengths, .. } => {
                for block in 0..self.blocks() {
                    self.block(block).write(&data[lengths.range(block)]);
                }
            }
        }
    }
}
