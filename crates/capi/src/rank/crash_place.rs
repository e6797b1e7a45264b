//! Where a program has broken: the function of its own, and the line if it was compiled with `-g`.
//!
//! The instruction that broke it may be in a library. Then the stack shows who has called it: words on it that are addresses
//! behind a call. They are read as they are, since what broke the program may have broken what a debugger goes by.

use crate::calls::call_site::{CalledIn, offset_in_file};
use std::mem::MaybeUninit;
use weir_coroutine::{CrashPlace, as_loaded};

/// So much of the stack is looked at.
const WORDS: usize = 8192;
/// Number of places that are looked up.
const PLACES: usize = 12;

/// In words, as far as it is known: `solve+0x52 of program (solve.c:12)`. It makes no thread and asks nothing of the C
/// library's memory: the program may have broken in the midst of that.
pub(crate) fn in_words(place: CrashPlace) -> Option<String> {
    let own = offset_in_file(in_words as *const () as usize)?.0;
    // An address that a call returns to is behind the call; what is looked up lies before it.
    let first = std::iter::once(place.instruction + 1);
    let callers = words(place.stack).filter(|&word| is_behind_a_call(word));
    let places = first.chain(callers).filter_map(|address| {
        let (file, offset) = offset_in_file(as_loaded(address))?;
        (file != own && !is_of_system(&file)).then_some((file, offset))
    });
    let found: Vec<CalledIn> =
        places.take(PLACES).map(|(file, offset)| CalledIn::read(&file, offset)).collect();
    let with_line = found.iter().find(|found| found.line.is_some());
    with_line.or_else(|| found.iter().find(|found| is_of_program(found))).map(ToString::to_string)
}

fn is_of_system(file: &str) -> bool {
    ["/lib", "/usr/lib"].iter().any(|folder| file.starts_with(folder))
}

/// Libraries of languages are linked into programs.
fn is_of_program(found: &CalledIn) -> bool {
    const OF_LANGUAGES: [&str; 8] =
        ["std::", "__gnu_cxx::", "__cxxabiv1::", "__cxa_", "_Unwind_", "_gfortran", "_init", "weir_"];
    let name = found.function.as_ref().map(|(name, _)| name.as_str());
    name.is_some_and(|name| !OF_LANGUAGES.iter().any(|start| name.starts_with(start)))
}

/// The words of a stack, from its end on.
fn words(stack: std::ops::Range<usize>) -> impl Iterator<Item = usize> {
    let start = stack.start.next_multiple_of(8);
    let addresses = (0..WORDS).map(move |word| start + 8 * word).take_while(move |at| at + 8 <= stack.end);
    addresses.filter_map(|at| bytes(at).map(usize::from_ne_bytes))
}

/// Memory that may not be there.
fn bytes<const N: usize>(address: usize) -> Option<[u8; N]> {
    let mut to = MaybeUninit::<[u8; N]>::uninit();
    let local = libc::iovec { iov_base: to.as_mut_ptr().cast(), iov_len: N };
    let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: N };
    // SAFETY: the kernel copies what is there; all of it has come where it says so.
    unsafe {
        let read = libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0);
        (read == N as isize).then(|| to.assume_init())
    }
}

/// True where the instruction before an address is a call (Intel 64 and IA-32 manual, volume 2, CALL).
fn is_behind_a_call(address: usize) -> bool {
    let Some(before) = address.checked_sub(7).and_then(bytes::<7>) else { return false };
    // Of a call through memory or a register the second byte has 2 in bits 3 to 5.
    let through = |length: usize| before[7 - length] == 0xff && before[8 - length] >> 3 & 7 == 2;
    before[2] == 0xe8 || [2, 3, 4, 6, 7].into_iter().any(through)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory is read where something is there.
    #[test]
    fn memory_that_is_not_there_is_not_read() {
        let numbers = [1_usize, 2, 3];
        let range = numbers.as_ptr_range();
        let found: Vec<usize> = words(range.start as usize..range.end as usize).collect();
        assert_eq!(found, numbers);
        assert_eq!((bytes::<8>(16), words(4096..8192).count()), (None, 0));
    }

    #[test]
    fn calls_are_known_by_their_bytes() {
        let cases: [(&[u8], bool); 6] = [
            (&[0, 0, 0xe8, 1, 2, 3, 4], true),
            (&[0, 0, 0, 0, 0, 0xff, 0xd0], true),
            (&[0, 0xff, 0x15, 1, 2, 3, 4], true),
            (&[0, 0, 0, 0, 0xff, 0x50, 8], true),
            (&[0, 0, 0, 0, 0, 0xff, 0xc0], false),
            (&[0, 0, 0, 0, 0, 0, 0], false),
        ];
        for (code, expected) in cases {
            assert_eq!(is_behind_a_call(code.as_ptr() as usize + 7), expected, "{code:?}");
        }
    }
}
