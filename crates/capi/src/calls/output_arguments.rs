//! Memory of the program that its pointers name: variables that functions write their results in, arrays and texts.
//!
//! No reference is made into it. The program may give one variable for two arguments, and while a rank waits other ranks
//! and threads write to what it has named. So results are written through the pointer when they are there, and what is
//! read is copied at once. A null pointer is the program's mistake.

use crate::calls::{Done, Result};
use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr::{self, NonNull};
use weir_message::MpiError;

pub(crate) fn null(name: &str) -> MpiError {
    MpiError::NullPointer(name.into())
}

/// A variable of the program, which need not be aligned. Whoever makes one says that the variable is there as long as the
/// call lasts; the program has said so to us.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Out<T>(NonNull<T>);

impl<T: Copy> Out<T> {
    #[inline]
    pub(crate) fn of(pointer: *mut T) -> Option<Self> {
        NonNull::new(pointer).map(Self)
    }

    #[inline]
    pub(crate) fn get(self) -> T {
        // SAFETY: the program says that such a variable is there.
        unsafe { self.0.as_ptr().read_unaligned() }
    }

    #[inline]
    pub(crate) fn set(self, value: T) {
        // SAFETY: as above.
        unsafe { self.0.as_ptr().write_unaligned(value) }
    }

    /// Writes what a call gives, as its last step.
    #[inline]
    pub(crate) fn give(self, value: T) -> Done {
        self.set(value);
        Ok(())
    }

    #[inline]
    pub(crate) fn change(self, change: impl FnOnce(&mut T)) {
        let mut value = self.get();
        change(&mut value);
        self.set(value);
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Array<T> {
    first: *mut T,
    length: usize,
}

impl<T: Copy> Array<T> {
    /// The array that the program gives.
    ///
    /// # Errors
    /// When the count is negative, or the pointer is null and there are elements.
    pub(crate) fn new(first: *mut T, count: c_int, name: &str) -> Result<Self> {
        let length = usize::try_from(count).map_err(|_| MpiError::Count(count.into()))?;
        if length > 0 && first.is_null() {
            return Err(null(name));
        }
        Ok(Self { first, length })
    }

    #[inline]
    pub(crate) fn len(self) -> usize {
        self.length
    }

    /// One of its elements.
    ///
    /// # Panics
    /// If there is no such element.
    #[inline]
    pub(crate) fn at(self, index: usize) -> Out<T> {
        assert!(index < self.length, "element {index} of {}", self.length);
        Out(NonNull::new(self.first.wrapping_add(index)).expect("an array with elements is somewhere"))
    }

    /// Its elements, each as it is when its turn comes.
    #[inline]
    pub(crate) fn iter(self) -> impl ExactSizeIterator<Item = T> {
        (0..self.length).map(move |index| self.at(index).get())
    }

    pub(crate) fn to_vec(self) -> Vec<T> {
        self.iter().collect()
    }
}

#[inline]
pub(crate) fn out<T: Copy>(pointer: *mut T, name: &str) -> Result<Out<T>> {
    Out::of(pointer).ok_or_else(|| null(name))
}

#[inline]
pub(crate) fn give<T: Copy>(pointer: *mut T, name: &str, result: T) -> Done {
    out(pointer, name)?.set(result);
    Ok(())
}

#[inline]
pub(crate) fn given<T: Copy>(pointer: *const T, name: &str) -> Result<T> {
    out(pointer.cast_mut(), name).map(Out::get)
}

/// A text of the program; none behind a null pointer.
pub(crate) fn text(pointer: *const c_char) -> Option<CString> {
    // SAFETY: the program says that a text is there, with its end; it is copied now.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_owned())
}

pub(crate) fn string(pointer: *const c_char, name: &str) -> Result<CString> {
    text(pointer).ok_or_else(|| null(name))
}

/// Gives the program a text and its length; `room` counts the closing NUL.
pub(crate) fn give_text(text: &str, room: usize, to: *mut c_char, length: Out<c_int>) -> Done {
    length.give(copy_text(text.as_bytes(), room, to)? as c_int)
}

/// Gives the program a text; its length.
pub(crate) fn copy_text(text: &[u8], room: usize, to: *mut c_char) -> Result<usize> {
    let bytes = &text[..text.len().min(room - 1)];
    out(to, "text")?;
    // SAFETY: the program says that there is so much room, as the standard asks.
    unsafe {
        ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), bytes.len());
        *to.add(bytes.len()) = 0;
    }
    Ok(bytes.len())
}

/// Copies data to or from an address of the program. The program may give one address twice.
///
/// # Safety
/// Both are valid for as many bytes, unless there are none.
#[inline]
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    if bytes > 0 {
        // SAFETY: the caller's promise.
        unsafe { ptr::copy(from, to, bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_null_pointer_is_a_mistake() {
        let mut written = 0;
        assert_eq!(give(&raw mut written, "size", 5), Ok(()));
        assert_eq!(written, 5);
        let mistake = give(ptr::null_mut(), "size", 5).unwrap_err();
        assert!(mistake.to_string().contains("MPI_ERR_ARG: a null pointer for the argument size"));
    }

    /// Two arguments may be one variable, which nothing need be aligned for.
    #[test]
    fn variables_are_written_through_their_pointers() {
        let mut memory = [0u8; 9];
        let odd = memory.as_mut_ptr().wrapping_add(1).cast::<u64>();
        let (first, second) = (out(odd, "first").unwrap(), out(odd, "second").unwrap());
        first.set(7);
        assert_eq!(second.get(), 7);
        second.change(|value| *value += 1);
        assert_eq!((first.get(), given(odd, "odd")), (8, Ok(8)));
        assert_eq!(u64::from_ne_bytes(memory[1..].try_into().unwrap()), 8);
        assert!(given(ptr::null::<c_int>(), "nothing").is_err());
    }

    #[test]
    fn arrays_are_copied_or_written_by_element() {
        let mut memory = [1, 2, 3];
        let array = Array::new(memory.as_mut_ptr(), 3, "numbers").unwrap();
        let copied = array.to_vec();
        array.at(1).set(5);
        assert_eq!((copied, array.iter().collect::<Vec<i32>>()), (vec![1, 2, 3], vec![1, 5, 3]));
        assert_eq!(Array::<c_int>::new(ptr::null_mut(), 0, "none").map(Array::len), Ok(0));
        assert!(Array::<c_int>::new(ptr::null_mut(), 1, "some").is_err());
        assert_eq!(Array::new(array.first, -1, "fewer").map(Array::len), Err(MpiError::Count(-1)));
    }

    #[test]
    #[should_panic(expected = "element 2 of 2")]
    fn elements_behind_an_array_are_not_to_be_had() {
        let mut memory = [1, 2];
        Array::new(memory.as_mut_ptr(), 2, "numbers").unwrap().at(2);
    }

    #[test]
    fn texts_are_copied() {
        let mut memory = *b"text\0";
        let copied = string(memory.as_ptr().cast(), "text").unwrap();
        memory = *b"next\0";
        assert_eq!((copied.as_c_str(), memory), (c"text", *b"next\0"));
        let (mut room, mut length) = ([1 as c_char; 4], 0);
        assert_eq!(
            give_text("longer", 4, room.as_mut_ptr(), out(&raw mut length, "length").unwrap()),
            Ok(())
        );
        assert_eq!((room.map(|byte| byte as u8), length), (*b"lon\0", 3));
    }
}
