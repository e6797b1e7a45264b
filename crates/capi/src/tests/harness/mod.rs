//! Tests of the functions of MPI without a C compiler: a function of the test stands where a program's `main` stands.
//!
//! ```text
//!   run(2, |rank| {                              // two ranks on an ideal network where nothing takes time
//!       let mut got = 0;
//!       match rank {
//!           0 => mpi!(Send, &42, 1, MPI_INT, 1, 7, MPI_COMM_WORLD),
//!           _ => mpi!(Recv, &mut got, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &mut status()),
//!       }
//!   });
//! ```
//!
//! The feature `harness` has this module for tests of other crates.
//!
//! Each rank is a coroutine in a world of its own ([`World::within`]); any number of tests run at once. [`run`] and [`timed`]
//! call `MPI_Init`, have errors returned, and call `MPI_Finalize` after the test's function; [`Machine`] leaves all that to
//! the test. [`mpi!`] calls a function by its name, through the table that a program's jump table is filled from, and
//! asks for success; [`code!`] gives what it returns. The number of arguments must be that of `mpi.h` ([`declarations`]);
//! integers, handles and pointers may stand for each other, as for a C compiler without prototypes, so that one test
//! serves both `MPI_Send` and `MPI_Send_c`. The constants of `mpi.h` are there under its names.
//!
//! On the machine of [`timed`] times come out in whole nanoseconds ([`now`]): a message costs 10 ns at its sender and at its
//! receiver, and up to 64 bytes are sent eagerly, copied at 2 bytes per ns. An interface sends 1 byte per ns, and 1000 ns
//! later it is there.

pub mod apart;
pub mod declarations;
mod machine;

pub use crate::headers::constants::*;
pub use crate::{code, get, get_handle, mpi, words};
pub use machine::{Machine, Ran, run, timed};

#[cfg(test)]
use crate::calls::abi::CStatus;
use crate::rank::context::Context;
use crate::table;
use std::ffi::{c_char, c_int};
use std::mem::transmute;
#[cfg(test)]
use weir_message::Status;

/// The communicator of all ranks.
pub const WORLD: usize = MPI_COMM_WORLD;

/// `MPI_STATUS_IGNORE`, and any other null pointer.
pub const NULL: usize = 0;

/// Something that a C function takes in a register for whole numbers and pointers.
pub trait Word {
    /// What is in the register.
    fn word(self) -> usize;
}

macro_rules! whole_numbers {
    ($($kind:ty)*) => {$(
        impl Word for $kind {
            fn word(self) -> usize {
                self as usize
            }
        }
    )*};
}

whole_numbers! { i32 u32 i64 isize usize }

impl<T: ?Sized> Word for &T {
    fn word(self) -> usize {
        std::ptr::from_ref(self).cast::<u8>() as usize
    }
}

impl<T: ?Sized> Word for &mut T {
    fn word(self) -> usize {
        std::ptr::from_mut(self).cast::<u8>() as usize
    }
}

impl<T> Word for *const T {
    fn word(self) -> usize {
        self as usize
    }
}

impl<T> Word for *mut T {
    fn word(self) -> usize {
        self as usize
    }
}

/// Calls the function of this name with these words, as many as it declares.
pub fn call(name: &str, words: &[usize]) -> c_int {
    let declared = declarations::parameters(name).len();
    assert_eq!(words.len(), declared, "{name} has {declared} parameters");
    call_unchecked(name, words) as c_int
}

/// Calls the function of this name, whatever it declares; the whole word that it gives back.
pub fn call_unchecked(name: &str, words: &[usize]) -> usize {
    let function = table::function(name).unwrap_or_else(|| panic!("{name} is not offered"));
    macro_rules! with {
        ($($count:literal: $($place:literal)*;)*) => {
            match words.len() {
                // SAFETY: the function takes so many words, which the test has made for it.
                $($count => unsafe {
                    transmute::<*const std::ffi::c_void, extern "C" fn($(with!(@ $place)),*) -> usize>(function)($(words[$place]),*)
                },)*
                more => panic!("{name} with {more} arguments"),
            }
        };
        (@ $place:literal) => { usize };
    }
    with! {
        0: ;
        1: 0;
        2: 0 1;
        3: 0 1 2;
        4: 0 1 2 3;
        5: 0 1 2 3 4;
        6: 0 1 2 3 4 5;
        7: 0 1 2 3 4 5 6;
        8: 0 1 2 3 4 5 6 7;
        9: 0 1 2 3 4 5 6 7 8;
        10: 0 1 2 3 4 5 6 7 8 9;
        11: 0 1 2 3 4 5 6 7 8 9 10;
        12: 0 1 2 3 4 5 6 7 8 9 10 11;
        13: 0 1 2 3 4 5 6 7 8 9 10 11 12;
    }
}

/// Calls the function of this name, which takes nothing and gives a double.
pub fn real(name: &str) -> f64 {
    let function = table::function(name).unwrap_or_else(|| panic!("{name} is not offered"));
    // SAFETY: as the test knows.
    unsafe { transmute::<*const std::ffi::c_void, extern "C" fn() -> f64>(function)() }
}

/// Calls the function of this name, which takes a double.
pub fn given(name: &str, number: f64) -> c_int {
    let function = table::function(name).unwrap_or_else(|| panic!("{name} is not offered"));
    // SAFETY: as the test knows.
    unsafe { transmute::<*const std::ffi::c_void, extern "C" fn(f64) -> c_int>(function)(number) }
}

/// The words of a call.
#[macro_export]
macro_rules! words {
    ($($argument:expr),* $(,)?) => { &[$($crate::harness::Word::word($argument)),*] };
}

/// Calls `MPI_` and the name; the code it returns.
#[macro_export]
macro_rules! code {
    ($name:ident $(, $argument:expr)* $(,)?) => {
        $crate::harness::call(concat!("MPI_", stringify!($name)), $crate::words![$($argument),*])
    };
}

/// Calls `MPI_` and the name, which must succeed.
#[macro_export]
macro_rules! mpi {
    ($name:ident $(, $argument:expr)* $(,)?) => {{
        let code = $crate::code!($name $(, $argument)*);
        assert_eq!(code, 0, "MPI_{} returned {}", stringify!($name), $crate::harness::why(code));
    }};
}

/// Calls `MPI_` and the name with the address of one more variable, whose value it is.
#[macro_export]
macro_rules! get {
    ($name:ident $(, $argument:expr)* $(,)?) => {{
        let mut value = 0;
        $crate::mpi!($name $(, $argument)*, &mut value);
        value
    }};
}

/// The same for a handle.
#[macro_export]
macro_rules! get_handle {
    ($name:ident $(, $argument:expr)* $(,)?) => {{
        let mut handle = 0_usize;
        $crate::mpi!($name $(, $argument)*, &mut handle);
        handle
    }};
}

/// What an error code says.
pub fn why(code: c_int) -> String {
    let known = crate::calls::abi::error_text(code).map(str::to_owned);
    known.unwrap_or_else(|| format!("the error code {code}"))
}

/// A status in which nothing has been written.
#[cfg(test)]
pub(crate) fn status() -> CStatus {
    let mut status =
        CStatus::new(&Status { source: -77, tag: -78, bytes: 79, cancelled: false, error: None });
    status.error = -80;
    status
}

/// What a status says: source, tag, error, bytes, and whether it was cancelled.
#[cfg(test)]
pub(crate) fn says(status: &CStatus) -> (c_int, c_int, c_int, u64, bool) {
    (status.source, status.tag, status.error, status.bytes(), status.cancelled())
}

/// What [`status`] says as long as it is not written.
#[cfg(test)]
pub(crate) const UNTOUCHED: (c_int, c_int, c_int, u64, bool) = (-77, -78, -80, 79, false);

/// The simulated time at the running rank, in nanoseconds.
pub fn now() -> u64 {
    let ps = now_ps();
    assert_eq!(ps % 1000, 0, "{ps} ps are no whole nanoseconds");
    ps / 1000
}

/// The simulated time at the running rank, in picoseconds.
pub fn now_ps() -> u64 {
    let mut context = Context::get().expect("a rank is running");
    context.rank().process.clock().as_ps()
}

/// The running rank's own work: so many nanoseconds.
pub fn work(ns: u64) {
    let mut context = Context::get().expect("a rank is running");
    context.rank().process.compute(weir_units::Duration::from_ns(ns));
}

/// A string that a function of C has written.
pub fn text(buffer: &[c_char]) -> String {
    let bytes = buffer.iter().take_while(|&&byte| byte != 0);
    String::from_utf8(bytes.map(|&byte| byte as u8).collect()).expect("text")
}

/// The errors of a communicator, window, file or session are returned by its functions.
pub fn errors_return(comm: usize) {
    mpi!(Comm_set_errhandler, comm, MPI_ERRORS_RETURN);
}

/// A window of so many bytes on every rank, whose errors are returned, and its memory.
pub fn allocated<T>(bytes: usize, unit: usize) -> (usize, *mut T) {
    let (mut base, mut win) = (std::ptr::null_mut::<T>(), MPI_WIN_NULL);
    mpi!(Win_allocate, bytes, unit, MPI_INFO_NULL, WORLD, &mut base, &mut win);
    mpi!(Win_set_errhandler, win, MPI_ERRORS_RETURN);
    (win, base)
}

/// A datatype that is committed.
pub fn committed(mut datatype: usize) -> usize {
    mpi!(Type_commit, &mut datatype);
    datatype
}

/// A group of one rank of the world.
pub fn group_of(rank: usize) -> usize {
    get_handle!(Group_incl, get_handle!(Comm_group, WORLD), 1, &[rank as i32])
}

/// The value of a key, if the info object has it.
pub fn hint(info: usize, key: &std::ffi::CStr) -> Option<String> {
    let (mut value, mut flag) = ([0 as c_char; 1024], 0);
    mpi!(Info_get, info, key, 1023, &mut value, &mut flag);
    (flag != 0).then(|| text(&value))
}

/// The number of ranks of a communicator.
pub fn size_of(comm: usize) -> i32 {
    get!(Comm_size, comm)
}

/// The rank in a communicator.
pub fn rank_in(comm: usize) -> i32 {
    get!(Comm_rank, comm)
}

/// The ranks of the world that are in a group.
pub fn members(group: usize) -> Vec<i32> {
    let world = get_handle!(Comm_group, WORLD);
    let own: Vec<i32> = (0..get!(Group_size, group)).collect();
    let mut there = vec![-1; own.len()];
    mpi!(Group_translate_ranks, group, own.len(), &own[..], world, &mut there[..]);
    there
}

/// A file that all ranks of a communicator have open, and that goes when they close it.
#[cfg(test)]
pub(crate) fn file(comm: usize, name: &str) -> usize {
    let path = std::env::temp_dir().join(format!("weir-capi-{}-{name}", std::process::id()));
    let path = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    let mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    get_handle!(File_open, comm, &*path, mode, MPI_INFO_NULL)
}
