//! Pieces of the program's memory that a type map names: packed data are gathered from them, and scattered to them.

use crate::calls::Result;
use crate::calls::output_arguments::copy;
use std::ffi::c_void;
use std::ptr;
use std::rc::Rc;
use weir_message::MpiError;
use weir_message::datatype::{Piece, Type};

/// Where a receive puts its data; it keeps the datatype alive.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    pub(super) address: *mut u8,
    pub(super) count: usize,
    pub(super) map: Option<Rc<Type>>,
    pub(super) section: Option<Rc<Section>>,
}

impl Destination {
    /// Returns true if so many bytes end within a basic element. Not looked at where elements have no gaps: programs receive bytes
    /// as numbers there, and every library lets them.
    #[inline]
    pub(crate) fn is_cut_off(&self, bytes: usize) -> bool {
        self.map.as_ref().is_some_and(|map| {
            !bytes.is_multiple_of(map.size().max(1)) && map.elements_in(bytes as u64).is_none()
        })
    }

    /// Copies received data to it.
    ///
    /// # Safety
    /// The program's memory is there, and the data are no longer than the receive had room for.
    pub(crate) unsafe fn write(&self, data: &[u8]) {
        // SAFETY: the caller's promise.
        unsafe {
            let (place, data) = ((self.section.as_deref(), self.address), (data.as_ptr(), data.len()));
            match &self.map {
                None => write(data, place),
                Some(map) => scatter(map, self.count, place, data),
            }
        }
    }
}

/// An address of the program, in a section of an array or where there are no gaps.
type Place<'a> = (Option<&'a Section>, *mut u8);

/// Copies so many bytes at an address of the program to `packed`, or from there, and puts that behind them.
///
/// # Safety
/// They are there, and so is the room.
unsafe fn move_bytes<const TO_PACKED: bool>(at: Place<'_>, packed: &mut *mut u8, bytes: usize) {
    let mut move_piece = |at: *mut u8, length| {
        // SAFETY: the caller's promise; pieces have `bytes` bytes together.
        unsafe {
            if TO_PACKED {
                copy(at, *packed, length)
            } else {
                copy(*packed, at, length)
            }
            *packed = packed.add(length);
        }
    };
    match at {
        (None, at) => move_piece(at, bytes),
        (Some(section), at) => section.pieces(at, bytes, move_piece),
    }
}

/// Copies so many bytes of the program.
///
/// # Safety
/// They are there, and so is the room.
pub(super) unsafe fn read(from: Place<'_>, (mut to, bytes): (*mut u8, usize)) {
    // SAFETY: the caller's promise.
    unsafe { move_bytes::<true>(from, &mut to, bytes) };
}

/// Copies so many bytes to the program.
///
/// # Safety
/// They are there, and so is the room.
pub(super) unsafe fn write((from, bytes): (*const u8, usize), to: Place<'_>) {
    // SAFETY: the caller's promise.
    unsafe { move_bytes::<false>(to, &mut from.cast_mut(), bytes) };
}

/// Copies the data of a piece at an address of the program to `packed`, or from there, and puts that behind them.
///
/// # Safety
/// The piece is there, and so are the data or the room for them.
unsafe fn move_piece<const TO_PACKED: bool>(piece: Piece, at: Place<'_>, packed: &mut *mut u8) {
    let Piece { offset, length, count, stride } = piece;
    let (section, at) = (at.0, at.1.wrapping_offset(offset));
    // SAFETY: the caller's promise.
    unsafe {
        if section.is_some() {
            for block in 0..count {
                move_bytes::<TO_PACKED>(
                    (section, at.wrapping_offset(block as isize * stride)),
                    packed,
                    length,
                );
            }
        } else {
            let packed_stride = length as isize;
            if TO_PACKED {
                blocks(length, count, (at, stride), (*packed, packed_stride))
            } else {
                blocks(length, count, (*packed, packed_stride), (at, stride))
            }
            *packed = packed.add(length * count);
        }
    }
}

/// Packs the data of `count` elements at an address of the program, as many as there is room for.
///
/// # Safety
/// The elements are there, and so is the room.
pub(crate) unsafe fn gather(map: &Type, count: usize, from: Place<'_>, to: (*mut u8, usize)) {
    let (mut to, limit) = to;
    // SAFETY: the caller's promise; pieces are no longer than the room together.
    map.pieces(count, limit, &mut |piece| unsafe { move_piece::<true>(piece, from, &mut to) });
}

/// Copies packed data to `count` elements at an address of the program, as far as they go.
///
/// # Safety
/// The elements are there.
pub(crate) unsafe fn scatter(map: &Type, count: usize, to: Place<'_>, from: (*const u8, usize)) {
    let (mut from, bytes) = (from.0.cast_mut(), from.1);
    // SAFETY: the caller's promise; pieces are no longer than the data together.
    map.pieces(count, bytes, &mut |piece| unsafe { move_piece::<false>(piece, to, &mut from) });
}

/// Packs the data of these pieces at an address of the program.
///
/// # Safety
/// The pieces are there.
pub(crate) unsafe fn gather_pieces(pieces: &[Piece], from: *mut u8, into: &mut [u8]) {
    assert!(pieces.iter().map(|piece| piece.length * piece.count).sum::<usize>() <= into.len());
    let mut to = into.as_mut_ptr();
    // SAFETY: the caller's promise.
    pieces.iter().for_each(|&piece| unsafe { move_piece::<true>(piece, (None, from), &mut to) });
}

/// Copies packed data to these pieces at an address of the program.
///
/// # Safety
/// The pieces are there.
pub(crate) unsafe fn scatter_pieces(pieces: &[Piece], to: *mut u8, data: &[u8]) {
    assert!(pieces.iter().map(|piece| piece.length * piece.count).sum::<usize>() <= data.len());
    let mut from = data.as_ptr().cast_mut();
    // SAFETY: the caller's promise.
    pieces.iter().for_each(|&piece| unsafe { move_piece::<false>(piece, (None, to), &mut from) });
}

/// Copies blocks from one place to another, each with its stride. Blocks as long as numbers are copied as such.
///
/// # Safety
/// All blocks are valid and do not overlap those at the other place.
unsafe fn blocks(length: usize, count: usize, from: (*mut u8, isize), to: (*mut u8, isize)) {
    // SAFETY: the caller's promise.
    unsafe {
        match length {
            1 => fixed::<1>(count, from, to),
            2 => fixed::<2>(count, from, to),
            4 => fixed::<4>(count, from, to),
            8 => fixed::<8>(count, from, to),
            16 => fixed::<16>(count, from, to),
            _ => {
                for index in 0..count as isize {
                    let (from, to) =
                        (from.0.wrapping_offset(index * from.1), to.0.wrapping_offset(index * to.1));
                    ptr::copy_nonoverlapping(from, to, length);
                }
            }
        }
    }
}

/// # Safety
/// Does the same as [`blocks`].
unsafe fn fixed<const LENGTH: usize>(count: usize, from: (*mut u8, isize), to: (*mut u8, isize)) {
    for index in 0..count as isize {
        let (from, to) = (from.0.wrapping_offset(index * from.1), to.0.wrapping_offset(index * to.1));
        // SAFETY: the caller's promise; arrays of bytes need no alignment.
        unsafe { *to.cast::<[u8; LENGTH]>() = *from.cast::<[u8; LENGTH]>() };
    }
}

/// Highest number of dimensions of an array of Fortran.
const MOST_DIMENSIONS: usize = 15;

/// A number that stands for the address of a section has this bit and not the one above (`runtime/fortran_sections.c` sets it). No address of a
/// program is so, nor a small negative number instead of one.
const MARK: usize = 1 << 62;

/// Memory to attach, which has no gaps.
pub(crate) fn whole(memory: *mut c_void) -> Result<*mut c_void> {
    match Section::of(memory, 1)? {
        (memory, None) => Ok(memory.cast()),
        _ => Err(MpiError::Buffer("a section of an array with gaps between its elements".into())),
    }
}

/// A section as the bindings describe it (`struct weir_section`).
#[repr(C)]
struct Given {
    first: *mut u8,
    /// 0: not known.
    element_bytes: usize,
    dimensions: usize,
    extents: [usize; MOST_DIMENSIONS],
    strides: [isize; MOST_DIMENSIONS],
}

/// A section of an array of Fortran with gaps between its elements: pieces of memory, evenly apart in each dimension.
///
/// It is what it would be as an array of its own: its elements stand one behind the other, and datatypes, counts and
/// displacements are of that array (MPI 5.0, section 19.1.12). Nothing is copied there: bytes are found in the program's memory
/// when they are read or written, be it long after the call.
#[derive(Debug)]
pub(crate) struct Section {
    first: *mut u8,
    /// Bytes of a piece: of one element, or of several that have no gaps.
    piece: usize,
    /// Number of pieces, or of lower dimensions, and their distance in bytes; the first changes fastest.
    dimensions: Vec<(usize, isize)>,
}

impl Section {
    /// The first element that an address of a call stands for, and the section if it stands for one with gaps. Where the
    /// length of its elements is not known, they have to be elements of a datatype, of this extent, without gaps.
    #[inline]
    pub(crate) fn of(address: *const c_void, extent: isize) -> Result<(*mut u8, Option<Rc<Self>>)> {
        if address as usize & (MARK | MARK << 1) != MARK {
            return Ok((address.cast_mut().cast(), None));
        }
        // SAFETY: the bindings set the mark, in the address of a description that lives as long as the call.
        let given = unsafe { &*address.map_addr(|address| address & !MARK).cast::<Given>() };
        let dimensions = given.extents.iter().copied().zip(given.strides).take(given.dimensions);
        let bytes = if given.element_bytes == 0 { extent.max(1) as usize } else { given.element_bytes };
        let section = Self::new(given.first, bytes, dimensions);
        if given.element_bytes > 0 {
            return Ok((given.first, Some(Rc::new(section))));
        }
        if section.dimensions.is_empty() {
            return Ok((given.first, None));
        }
        Err(MpiError::Buffer(
            "an array of class(*) whose elements are not one behind the other, or are none of the datatype: the compiler does not \
             say how long they are; pass it from within select type"
                .into(),
        ))
    }

    /// Elements of more than 0 bytes; the extents are not 0.
    fn new(first: *mut u8, element_bytes: usize, given: impl IntoIterator<Item = (usize, isize)>) -> Self {
        let (mut piece, mut dimensions) = (element_bytes, Vec::<(usize, isize)>::new());
        for (extent, stride) in given.into_iter().filter(|(extent, _)| *extent != 1) {
            match dimensions.last_mut() {
                None if stride == piece as isize => piece *= extent,
                Some((below, apart)) if stride == *below as isize * *apart => *below *= extent,
                _ => dimensions.push((extent, stride)),
            }
        }
        Self { first, piece, dimensions }
    }

    /// Where its first element is. As if it had no gaps, element `i` of `b` bytes is `i * b` bytes behind.
    pub(crate) fn address(&self) -> *mut u8 {
        self.first
    }

    pub(crate) fn bytes(&self) -> usize {
        self.dimensions.iter().fold(self.piece, |bytes, (extent, _)| bytes * extent)
    }

    /// Calls `take` with the address and length of each piece of memory in `bytes` bytes from an address on, which counts as if the
    /// section had no gaps. Beyond its end the last dimension goes on.
    pub(crate) fn pieces(&self, from: *const u8, bytes: usize, mut take: impl FnMut(*mut u8, usize)) {
        let offset = (from as isize).wrapping_sub(self.first as isize);
        let piece = self.piece as isize;
        let (mut number, mut within) = (offset.div_euclid(piece), offset.rem_euclid(piece) as usize);
        let mut left = bytes;
        while left > 0 {
            let (mut place, mut in_line) = self.place(number);
            while left > 0 && in_line > 0 {
                let length = left.min(self.piece - within);
                take(place.wrapping_add(within), length);
                left -= length;
                within = 0;
                number += 1;
                in_line -= 1;
                place = place.wrapping_offset(self.dimensions.first().map_or(piece, |(_, stride)| *stride));
            }
        }
    }

    /// Where a piece is, and how many pieces the first dimension has from it on.
    fn place(&self, number: isize) -> (*mut u8, isize) {
        let (mut place, mut rest, mut in_line) = (self.first, number, isize::MAX);
        for (dimension, &(extent, stride)) in self.dimensions.iter().enumerate() {
            let extent = extent as isize;
            let is_last = dimension + 1 == self.dimensions.len();
            let index = if is_last { rest } else { rest.rem_euclid(extent) };
            if dimension == 0 && !is_last {
                in_line = extent - index;
            }
            place = place.wrapping_offset(index.wrapping_mul(stride));
            rest = rest.div_euclid(extent);
        }
        (place, in_line)
    }
}
