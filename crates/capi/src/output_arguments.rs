//! Variables of the program that functions tell their results in. A null pointer for one is the program's mistake.

use crate::abi::Handle;
use std::ffi::{CStr, c_char, c_int};
use std::{ptr, slice};
use weir_message::MpiError;

fn null(name: &str) -> MpiError {
    MpiError::NullPointer(name.into())
}

/// A variable of the program.
///
/// # Errors
/// When the pointer is null.
pub(crate) fn out<'a, T>(pointer: *mut T, name: &str) -> Result<&'a mut T, MpiError> {
    // SAFETY: the program says that such a variable is there; the reference lives no longer than the call.
    unsafe { pointer.as_mut() }.ok_or_else(|| null(name))
}

/// Gives the program a result.
///
/// # Errors
/// When the pointer is null.
pub(crate) fn give<T>(pointer: *mut T, name: &str, result: T) -> Result<(), MpiError> {
    *out(pointer, name)? = result;
    Ok(())
}

/// Gives the program a handle of something that is made when it is known that there is a place for it.
///
/// # Errors
/// When the pointer is null; then nothing is made.
pub(crate) fn give_new(
    pointer: *mut Handle,
    name: &str,
    make: impl FnOnce() -> Handle,
) -> Result<(), MpiError> {
    let place = out(pointer, name)?;
    *place = make();
    Ok(())
}

/// A variable of the program that is only read.
///
/// # Errors
/// When the pointer is null.
pub(crate) fn given<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, MpiError> {
    // SAFETY: as in `out`.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(name))
}

/// A text of the program.
///
/// # Errors
/// When the pointer is null.
pub(crate) fn string<'a>(pointer: *const c_char, name: &str) -> Result<&'a CStr, MpiError> {
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: the program says that a text is there, with its end; it is read during the call only.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

/// An array of the program that is only read.
///
/// # Errors
/// When the count is negative, or the pointer is null and there are elements.
pub(crate) fn elements<'a, T>(pointer: *const T, count: c_int, name: &str) -> Result<&'a [T], MpiError> {
    let length = usize::try_from(count).map_err(|_| MpiError::Count(count.into()))?;
    match length {
        0 => Ok(&[]),
        _ if pointer.is_null() => Err(null(name)),
        // SAFETY: the program says that so many elements are there; they are read during the call only.
        _ => Ok(unsafe { slice::from_raw_parts(pointer, length) }),
    }
}

/// Gives the program a text and its length; `room` counts the closing NUL.
///
/// # Errors
/// When a pointer is null.
pub(crate) fn give_text(
    text: &str,
    room: usize,
    to: *mut c_char,
    length: *mut c_int,
) -> Result<(), MpiError> {
    let length = out(length, "length")?;
    *length = copy_text(text, room, to)? as c_int;
    Ok(())
}

/// Gives the program a text; its length.
///
/// # Errors
/// When the pointer is null.
pub(crate) fn copy_text(text: &str, room: usize, to: *mut c_char) -> Result<usize, MpiError> {
    let bytes = &text.as_bytes()[..text.len().min(room - 1)];
    let first = out(to, "text")?;
    // SAFETY: the program says that there is so much room, as the standard asks.
    unsafe {
        ptr::copy_nonoverlapping(bytes.as_ptr(), ptr::from_mut(first).cast(), bytes.len());
        *to.add(bytes.len()) = 0;
    }
    Ok(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_null_pointer_is_a_mistake() {
        let mut told = 0;
        assert_eq!(give(&raw mut told, "size", 5), Ok(()));
        assert_eq!(told, 5);
        let mistake = give(ptr::null_mut(), "size", 5).unwrap_err();
        assert!(mistake.to_string().contains("MPI_ERR_ARG: a null pointer for the argument size"));
    }
}
