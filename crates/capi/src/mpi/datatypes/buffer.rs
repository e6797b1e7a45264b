//! Buffers of the program: so many elements of a datatype somewhere in its memory, to and from packed data.

use crate::mpi::datatypes::Datatype;
use crate::mpi::datatypes::pieces::{Destination, Section, gather, read, scatter, write};
use crate::mpi::prelude::*;
use crate::process::kept_memory::prefer_huge_pages;
use std::ptr;
use std::rc::Rc;
use weir_message::window::Layout;
use weir_message::{Data, Moved, Packed};

/// Elements of a datatype somewhere in the program's memory.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    pub(crate) address: *mut u8,
    pub(crate) count: usize,
    pub(crate) bytes: usize,
    pub(crate) datatype: Datatype,
    /// The section of an array that it is in, if that has gaps between its elements; the address counts as if it had none.
    pub(crate) section: Option<Rc<Section>>,
}

impl Elements {
    /// The buffer that they are, if they make sense.
    #[inline]
    pub(crate) fn buffer(self, context: &mut Context) -> Result<Buffer> {
        Buffer::displaced(context, self, 0)
    }
}

arguments! { Elements => Buffer: |context, _, given| given.buffer(context); }

pub(crate) fn count(given: impl Into<i64>) -> Result<usize> {
    let given = given.into();
    if given < 0 { Err(MpiError::Count(given)) } else { Ok(given as usize) }
}

pub(crate) fn bytes(count: usize, size: usize) -> Result<usize> {
    match count.checked_mul(size) {
        Some(bytes) => Ok(bytes),
        None => Err(MpiError::Argument(format!("{count} elements of {size} bytes are too many"))),
    }
}

/// Refuses data that are longer than the room for them.
pub(crate) fn fits(message: usize, room: usize) -> Done {
    if message <= room {
        return Ok(());
    }
    Err(MpiError::Truncate { message: message as u64, buffer: room as u64 })
}

impl Buffer {
    /// Elements so many bytes behind the address that they have.
    pub(crate) fn displaced(context: &mut Context, of: Elements, displacement: isize) -> Result<Self> {
        let count = count(of.count)?;
        // Of no elements the datatype does not matter, and programs give none.
        let datatype = match of.datatype as usize {
            MPI_DATATYPE_NULL if count == 0 => Datatype::predefined(MPI_BYTE)?,
            _ => Datatype::committed(context, of.datatype)?,
        };
        let (address, section) = Section::of(of.address, datatype.extent)?;
        let address = address.wrapping_offset(displacement);
        let bytes = bytes(count, datatype.size)?;
        // With a type map that holds addresses, the buffer begins at MPI_BOTTOM, which is null.
        if address.is_null()
            && bytes > 0
            && datatype.map.as_ref().is_none_or(|map| map.true_lower_bound() == 0)
        {
            return Err(MpiError::Buffer(format!("a null pointer for {bytes} bytes")));
        }
        if address as usize == MPI_IN_PLACE && bytes > 0 {
            return Err(MpiError::Buffer("MPI_IN_PLACE is not allowed here".into()));
        }
        let buffer = Self { address, count, bytes, datatype, section };
        if buffer.section.is_some() {
            buffer.check_section()?;
        }
        Ok(buffer)
    }

    /// Refuses more elements than a section of an array has.
    fn check_section(&self) -> Done {
        let Some(section) = self.section.as_ref().filter(|_| self.bytes > 0) else { return Ok(()) };
        let (low, length) = match &self.datatype.map {
            None => (0, self.datatype.size as isize),
            Some(map) => (map.true_lower_bound(), map.true_extent()),
        };
        let begin = (self.address as isize).wrapping_sub(section.address() as isize).wrapping_add(low);
        let last = self.datatype.extent.saturating_mul(self.count as isize - 1);
        let (begin, end) =
            (begin.saturating_add(last.min(0)), begin.saturating_add(last.max(0)).saturating_add(length));
        if begin >= 0 && end as usize <= section.bytes() {
            return Ok(());
        }
        Err(MpiError::Buffer(format!(
            "{} elements of the datatype take bytes {begin} to {end} of a section of an array, which has {}",
            self.count,
            section.bytes()
        )))
    }

    /// Refuses one piece of memory for what is given and for what is got, which would be written while it is read.
    pub(crate) fn apart_from(&self, got: &Self) -> Done {
        let plain = self.datatype.map.is_none() && got.datatype.map.is_none();
        if plain && self.address == got.address && self.bytes > 0 && got.bytes > 0 {
            return Err(MpiError::Buffer(
                "the send buffer is the receive buffer; a program that means it says MPI_IN_PLACE".into(),
            ));
        }
        Ok(())
    }

    /// Its data as a message: copied, or only their length in a run without data.
    #[inline]
    pub(crate) fn message(&self, context: &mut Context) -> Data {
        match context.rank().world.options.moved {
            Moved::Data if self.bytes <= Packed::MOST_IN_PLACE => {
                let mut data = Packed::zeros(self.bytes);
                self.read_into(&mut data);
                Data::Bytes(data)
            }
            Moved::Data => self.read().into(),
            Moved::LengthsOnly => Data::Length(self.bytes as u64),
        }
    }

    pub(crate) fn read(&self) -> Box<[u8]> {
        match &self.datatype.map {
            None if self.bytes > 0 && self.section.is_none() => {
                let mut copy = Vec::with_capacity(self.bytes);
                prefer_huge_pages(copy.as_mut_ptr(), self.bytes);
                // SAFETY: the program says that so many elements are there; the copy has as much room.
                unsafe {
                    ptr::copy_nonoverlapping(self.address, copy.as_mut_ptr(), self.bytes);
                    copy.set_len(self.bytes);
                }
                copy.into_boxed_slice()
            }
            _ => {
                let mut data = vec![0; self.bytes].into_boxed_slice();
                self.read_into(&mut data);
                data
            }
        }
    }

    /// Copies its data to the beginning of `into`.
    pub(crate) fn read_into(&self, into: &mut [u8]) {
        let into = &mut into[..self.bytes];
        // SAFETY: there is so much room.
        unsafe { self.pack(into.as_mut_ptr()) };
    }

    /// Copies its data, one element behind the other.
    ///
    /// # Safety
    /// There is room for all at `to`.
    pub(crate) unsafe fn pack(&self, to: *mut u8) {
        // SAFETY: the caller's promise, and the program says that so many elements are there.
        unsafe {
            let place = (self.section.as_deref(), self.address);
            match &self.datatype.map {
                None => read(place, (to, self.bytes)),
                Some(map) => gather(map, self.count, place, (to, self.bytes)),
            }
        }
    }

    /// Copies data into it, as far as there is room.
    pub(crate) fn write(&self, data: &[u8]) {
        // SAFETY: the data are there.
        unsafe { self.unpack(data.as_ptr(), data.len().min(self.bytes)) };
    }

    /// Copies packed data into it.
    ///
    /// # Safety
    /// There are so many bytes at `from`, no more than it has room for.
    pub(crate) unsafe fn unpack(&self, from: *const u8, bytes: usize) {
        // SAFETY: the caller's promise, and the program says that so many elements are there.
        unsafe {
            let place = (self.section.as_deref(), self.address);
            match &self.datatype.map {
                None => write((from, bytes), place),
                Some(map) => scatter(map, self.count, place, (from, bytes)),
            }
        }
    }

    /// A block of it: as many elements as the program says, from element `offset` on.
    pub(crate) fn block(&self, offset: impl Into<i64>, given: impl Into<i64>) -> Result<Self> {
        let count = count(given)?;
        bytes(count, self.datatype.size)?;
        let block = self.part(offset.into(), count);
        block.check_section()?;
        Ok(block)
    }

    /// A part of it: `count` elements, no more than it has, from element `offset` on.
    pub(crate) fn part(&self, offset: i64, count: usize) -> Self {
        let address = self.address.wrapping_offset((offset as isize).wrapping_mul(self.datatype.extent));
        let (datatype, section) = (self.datatype.clone(), self.section.clone());
        Self { address, count, bytes: count * self.datatype.size, datatype, section }
    }

    /// A buffer with so many blocks as long as this one.
    pub(crate) fn times(self, blocks: usize) -> Result<Self> {
        let count = self.count.saturating_mul(blocks);
        let buffer = Self { count, bytes: bytes(count, self.datatype.size)?, ..self };
        buffer.check_section()?;
        Ok(buffer)
    }

    /// Where its first `limit` bytes of data are, from its address on.
    pub(crate) fn layout(&self, limit: usize) -> Layout {
        let limit = limit.min(self.bytes);
        match &self.datatype.map {
            None => Layout::contiguous(limit),
            Some(map) => {
                let mut pieces = Vec::new();
                map.pieces(self.count, limit, &mut |piece| pieces.push(piece));
                Layout::new(pieces)
            }
        }
    }

    pub(crate) fn destination(&self) -> Destination {
        let (map, section) = (self.datatype.map.clone(), self.section.clone());
        Destination { address: self.address, count: self.count, map, section }
    }
}
