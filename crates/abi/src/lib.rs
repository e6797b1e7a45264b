//! `libmpi_abi.so.1`, which MPICH 5.0.0 and 5.0.1 call `libmpi_abi.so.0`: every function of the standard's binary interface
//! (MPI 5.0, chapter 20), as `MPI_` and `PMPI_`, for programs that were not built by `weir cc`.
//!
//! Each is a jump through a slot. When the library is loaded, its own message layer is behind the slots: a process
//! that loads it is one rank, and the first call of MPI connects it with the simulator that has started the process
//! ([`weir_capi::remote`]). A function that weir does not offer ends the run with its name. Besides them it
//! has the functions of the C library that say where a process is: with the name of the rank's node in place of that of this
//! computer. Programs linked to this library find them here first; an interpreter, which loads it later, keeps those of the C
//! library.
#![allow(unsafe_code)] // exports of C functions

use std::arch::naked_asm;
use std::ffi::{c_char, c_int, c_long, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use weir_capi::remote::{self, HOST_NAME};

/// Defines a function under its two names: the number of its name, and a jump through its slot.
macro_rules! export {
    ($name:ident $profiling:ident $number:literal) => {
        export!($name $number);
        export!($profiling $number);
    };
    ($name:ident $number:literal) => {
        #[allow(non_snake_case)]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn $name() {
            naked_asm!(
                "mov r11d, {number}",
                "jmp qword ptr [rip + {slots} + 8 * {number}]",
                number = const $number,
                slots = sym SLOTS,
            )
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/exports.rs"));

/// Where the functions jump, in the order of their names. Written once, before anything else of the program runs.
static mut SLOTS: [*const c_void; COUNT] = [std::ptr::null(); COUNT];

/// By this symbol `weir-transport`, which looks for a real library of MPI, knows that this is none.
#[used]
#[unsafe(export_name = "weir_simulated_mpi")]
static SIMULATED: u8 = 1;

/// Run by the loader.
#[used]
#[unsafe(link_section = ".init_array")]
static CONNECT: extern "C" fn() = connect;

extern "C" fn connect() {
    for (number, name) in NAMES.iter().enumerate() {
        let function = weir_capi::function(name).unwrap_or(not_offered as *const c_void);
        // SAFETY: the loader runs this on one thread, before any function of the library can be called.
        unsafe { SLOTS[number] = function };
    }
    remote::enable(weir_long_double_combine as *mut c_void);
}

unsafe extern "C" {
    fn weir_long_double_combine(
        op: c_int,
        element: c_int,
        n: c_long,
        from: *const c_void,
        into: *mut c_void,
    ) -> c_int;
}

/// Behind the slots of functions that are not offered: the number of the name becomes an argument.
#[unsafe(naked)]
extern "C" fn not_offered() {
    naked_asm!("mov edi, r11d", "jmp {end}", end = sym end)
}

extern "C" fn end(number: c_uint) -> c_int {
    weir_capi::not_offered(NAMES[number as usize])
}

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
