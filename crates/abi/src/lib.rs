//! `libmpi_abi.so.1`, which MPICH 5.0.0 and 5.0.1 call `libmpi_abi.so.0`: every function of the standard's binary interface
//! (MPI 5.0, chapter 20), as `MPI_` and `PMPI_`, for programs that were not built by `weir cc`.
//!
//! Each is a jump through a slot. When the library is loaded, its own message layer is behind the slots: a process
//! that loads it is one rank, and the first call of MPI connects it with the simulator that has started the process
//! ([`weir_capi::remote`]). A function that weir does not offer ends the run with its name. Besides them it
//! has the functions of the C library that say where a process is.
#![allow(unsafe_code)] // exports of C functions

mod host_names;

use std::arch::naked_asm;
use std::ffi::{c_int, c_long, c_uint, c_void};
use weir_capi::remote;

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
