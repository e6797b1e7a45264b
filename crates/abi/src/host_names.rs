//! The name of a rank's node, in place of that of this computer: functions of the C library that programs linked to this
//! library find here first. An interpreter, which loads it later, keeps those of the C library.

use std::ffi::{c_char, c_int, c_long};
use std::os::unix::ffi::OsStrExt;
use weir_capi::remote::HOST_NAME;

/// The kernel's `struct utsname`: six texts of 65 bytes, of which the second is the name.
const TEXT: usize = 65;

/// The kernel's answer, with the name of the rank's node where a simulator has given one.
fn names() -> [u8; 6 * TEXT] {
    let mut names = [0; 6 * TEXT];
    // SAFETY: the kernel writes as much as there is.
    unsafe { libc::syscall(libc::SYS_uname, names.as_mut_ptr()) };
    if let Some(name) = std::env::var_os(HOST_NAME) {
        let field = &mut names[TEXT..2 * TEXT];
        field.fill(0);
        field[..TEXT - 1].iter_mut().zip(name.as_bytes()).for_each(|(place, byte)| *place = *byte);
    }
    names
}

#[unsafe(no_mangle)]
unsafe extern "C" fn uname(to: *mut [u8; 6 * TEXT]) -> c_int {
    // SAFETY: the program's variable.
    unsafe { to.write(names()) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn gethostname(to: *mut c_char, length: usize) -> c_int {
    let names = names();
    let name = names[TEXT..2 * TEXT].split_inclusive(|byte| *byte == 0).next().unwrap_or_default();
    // SAFETY: the program's memory, as long as it says.
    unsafe { std::ptr::copy_nonoverlapping(name.as_ptr().cast(), to, name.len().min(length)) };
    if name.len() <= length {
        return 0;
    }
    // SAFETY: this thread's variable.
    unsafe { *libc::__errno_location() = libc::ENAMETOOLONG };
    -1
}

/// The same for all ranks of a node, and another for others: FNV-1a of the name.
#[unsafe(no_mangle)]
extern "C" fn gethostid() -> c_long {
    let names = names();
    let name = names[TEXT..2 * TEXT].iter().take_while(|byte| **byte != 0);
    let hash = name.fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    hash.into()
}
