//! Functions of the C library that `weir cc` has the linker wrap: a rank is not alone in its process.

pub(crate) mod for_threads;
pub(crate) mod host_names;
pub(crate) mod leaving;
pub(crate) mod libc_calls;
pub(crate) mod own_threads;

use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_int, c_uint};

/// Hidden state of the C library, one for each rank.
#[derive(Default)]
pub(crate) struct PrivateLibc {
    random: Option<Box<Random>>,
    drand48: Option<Box<Drand48>>,
    /// Words of `getentropy` so far.
    entropy: u64,
    strtok: usize,
    getopt: Getopt,
    /// Variables of the environment that launchers set, as far as the rank has asked for them.
    environment: BTreeMap<&'static str, CString>,
}

/// A rank's place among the options of its command line.
#[derive(Default)]
struct Getopt {
    calls: u32,
    index: c_int,
}

/// glibc's `struct random_data` and the 128 bytes that `random` works on unless set otherwise.
#[repr(C)]
struct Random {
    data: [u64; 6],
    state: [u64; 16],
}

/// glibc's `struct drand48_data`.
#[repr(C)]
#[derive(Default)]
struct Drand48 {
    data: [u64; 3],
}

unsafe extern "C" {
    fn initstate_r(seed: c_uint, state: *mut c_char, length: usize, data: *mut Random) -> c_int;
}

impl PrivateLibc {
    fn random(&mut self) -> *mut Random {
        &raw mut **self.random.get_or_insert_with(|| {
            let mut random = Box::new(Random { data: [0; 6], state: [0; 16] });
            let state = random.state.as_mut_ptr().cast();
            // SAFETY: both parts stay where they are, in one box. Seed 1 is what C starts with.
            unsafe { initstate_r(1, state, 128, &raw mut *random) };
            random
        })
    }

    fn drand48(&mut self) -> *mut Drand48 {
        &raw mut **self.drand48.get_or_insert_default()
    }
}
