//! Pieces of the program's memory that a type map names: packed data are gathered from them, and scattered to them.

use crate::calls::output_arguments::copy;
use crate::mpi::datatypes::sections::Section;
use std::ptr;
use std::rc::Rc;
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
            let (section, data) = (self.section.as_deref(), (data.as_ptr(), data.len()));
            match &self.map {
                None => write(data, section, self.address),
                Some(map) => scatter(map, self.count, (section, self.address), data),
            }
        }
    }
}

/// An address of the program, in a section of an array or where there are no gaps.
type Place<'a, T> = (Option<&'a Section>, T);

/// Copies so many bytes of the program.
///
/// # Safety
/// They are there, and so is the room.
pub(super) unsafe fn read(section: Option<&Section>, from: *const u8, (mut to, bytes): (*mut u8, usize)) {
    match section {
        // SAFETY: the caller's promise.
        None => unsafe { copy(from, to, bytes) },
        Some(section) => section.pieces(from, bytes, |from, length| {
            // SAFETY: as above; the pieces have `bytes` bytes together.
            unsafe {
                copy(from, to, length);
                to = to.add(length);
            }
        }),
    }
}

/// Copies so many bytes to the program.
///
/// # Safety
/// They are there, and so is the room.
pub(super) unsafe fn write((mut from, bytes): (*const u8, usize), section: Option<&Section>, to: *mut u8) {
    match section {
        // SAFETY: the caller's promise.
        None => unsafe { copy(from, to, bytes) },
        Some(section) => section.pieces(to, bytes, |to, length| {
            // SAFETY: as above; the pieces have `bytes` bytes together.
            unsafe {
                copy(from, to, length);
                from = from.add(length);
            }
        }),
    }
}

/// Packs the data of a piece at an address of the program, and puts `to` behind them.
///
/// # Safety
/// The piece is there, and so is the room.
unsafe fn gather_piece(piece: Piece, (section, from): Place<'_, *const u8>, to: &mut *mut u8) {
    let Piece { offset, length, count, stride } = piece;
    let from = from.wrapping_offset(offset);
    // SAFETY: the caller's promise.
    unsafe {
        if section.is_some() {
            for block in 0..count {
                let from = from.wrapping_offset(block as isize * stride);
                read(section, from, (to.add(block * length), length));
            }
        } else {
            blocks(length, count, (from, stride), (*to, length as isize));
        }
        *to = to.add(length * count);
    }
}

/// Copies packed data to a piece at an address of the program, and puts `from` behind them.
///
/// # Safety
/// The piece is there, and so are the data.
unsafe fn scatter_piece(piece: Piece, (section, to): Place<'_, *mut u8>, from: &mut *const u8) {
    let Piece { offset, length, count, stride } = piece;
    let to = to.wrapping_offset(offset);
    // SAFETY: the caller's promise.
    unsafe {
        if section.is_some() {
            for block in 0..count {
                let to = to.wrapping_offset(block as isize * stride);
                write((from.add(block * length), length), section, to);
            }
        } else {
            blocks(length, count, (*from, length as isize), (to, stride));
        }
        *from = from.add(length * count);
    }
}

/// Packs the data of `count` elements at an address of the program, as many as there is room for.
///
/// # Safety
/// The elements are there, and so is the room.
pub(crate) unsafe fn gather(
    map: &Type,
    count: usize,
    from: Place<'_, *const u8>,
    (mut to, limit): (*mut u8, usize),
) {
    // SAFETY: the caller's promise; pieces are no longer than the room together.
    map.pieces(count, limit, &mut |piece| unsafe { gather_piece(piece, from, &mut to) });
}

/// Copies packed data to `count` elements at an address of the program, as far as they go.
///
/// # Safety
/// The elements are there.
pub(crate) unsafe fn scatter(
    map: &Type,
    count: usize,
    to: Place<'_, *mut u8>,
    (mut from, bytes): (*const u8, usize),
) {
    // SAFETY: the caller's promise; pieces are no longer than the data together.
    map.pieces(count, bytes, &mut |piece| unsafe { scatter_piece(piece, to, &mut from) });
}

/// Packs the data of these pieces at an address of the program.
///
/// # Safety
/// The pieces are there.
pub(crate) unsafe fn gather_pieces(pieces: &[Piece], from: *const u8, into: &mut [u8]) {
    assert!(pieces.iter().map(|piece| piece.length * piece.count).sum::<usize>() <= into.len());
    let mut to = into.as_mut_ptr();
    // SAFETY: the caller's promise.
    pieces.iter().for_each(|&piece| unsafe { gather_piece(piece, (None, from), &mut to) });
}

/// Copies packed data to these pieces at an address of the program.
///
/// # Safety
/// The pieces are there.
pub(crate) unsafe fn scatter_pieces(pieces: &[Piece], to: *mut u8, data: &[u8]) {
    assert!(pieces.iter().map(|piece| piece.length * piece.count).sum::<usize>() <= data.len());
    let mut from = data.as_ptr();
    // SAFETY: the caller's promise.
    pieces.iter().for_each(|&piece| unsafe { scatter_piece(piece, (None, to), &mut from) });
}

/// Copies blocks from one place to another, each with its stride. Blocks as long as numbers are copied as such.
///
/// # Safety
/// All blocks are valid and do not overlap those at the other place.
unsafe fn blocks(length: usize, count: usize, from: (*const u8, isize), to: (*mut u8, isize)) {
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
unsafe fn fixed<const LENGTH: usize>(count: usize, from: (*const u8, isize), to: (*mut u8, isize)) {
    for index in 0..count as isize {
        let (from, to) = (from.0.wrapping_offset(index * from.1), to.0.wrapping_offset(index * to.1));
        // SAFETY: the caller's promise; arrays of bytes need no alignment.
        unsafe { *to.cast::<[u8; LENGTH]>() = *from.cast::<[u8; LENGTH]>() };
    }
}
