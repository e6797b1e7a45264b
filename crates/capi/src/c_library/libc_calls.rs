//! Functions of the C library that a rank must not share with other ranks, or that ask what time it is.
//!
//! `weir cc` links programs with `--wrap` for each of these, so that they come here. No name is redefined by a macro,
//! and libraries that were not compiled by `weir cc` keep the real ones.
//!
//! - `sleep` and its kin let simulated time pass; clocks show simulated time. It starts at a fixed date, so that
//!   programs that seed generators with the time of day give the same result in every run.
//! - Generators of random numbers, `strtok` and `getopt` have hidden state; every rank has its own.
//! - Random bits of the kernel are not random: the same in every run, others at every rank.

use crate::c_library::{Drand48, Random};
use crate::rank::context::Context;
use std::ffi::{c_char, c_double, c_int, c_long, c_uint, c_void};
use weir_units::Duration;

/// Simulated time zero as seconds since 1970: 2001-09-09 01:46:40 UTC.
const EPOCH: i64 = 1_000_000_000;

type Text = *const c_char;
type Strings = *const *mut c_char;
/// C's `struct option *`
type Options = *const c_void;

unsafe extern "C" {
    static mut optind: c_int;
    static mut opterr: c_int;
    static mut optopt: c_int;
    static mut optarg: *mut c_char;
    fn getopt(argc: c_int, argv: Strings, options: Text) -> c_int;
    fn getopt_long(argc: c_int, argv: Strings, options: Text, long: Options, index: *mut c_int) -> c_int;
    fn getopt_long_only(argc: c_int, argv: Strings, options: Text, long: Options, index: *mut c_int)
    -> c_int;
    fn srandom_r(seed: c_uint, data: *mut Random) -> c_int;
    fn random_r(data: *mut Random, result: *mut i32) -> c_int;
    fn srand48_r(seed: c_long, data: *mut Drand48) -> c_int;
    fn drand48_r(data: *mut Drand48, result: *mut c_double) -> c_int;
    fn lrand48_r(data: *mut Drand48, result: *mut c_long) -> c_int;
    fn mrand48_r(data: *mut Drand48, result: *mut c_long) -> c_int;
    fn strtok_r(text: *mut c_char, delimiters: *const c_char, save: *mut *mut c_char) -> *mut c_char;
    fn clock() -> c_long;
    fn timespec_get(to: *mut libc::timespec, base: c_int) -> c_int;
    fn random() -> c_long;
    fn srandom(seed: c_uint);
    fn strtok(text: *mut c_char, delimiters: *const c_char) -> *mut c_char;
    fn drand48() -> c_double;
    fn lrand48() -> c_long;
    fn mrand48() -> c_long;
    fn srand48(seed: c_long);
}

/// The variables of `getopt` that programs see: addresses and lengths. Each rank has its own.
pub(crate) fn getopt_variables() -> [(*mut u8, usize); 4] {
    [
        ((&raw mut optind).cast(), size_of::<c_int>()),
        ((&raw mut opterr).cast(), size_of::<c_int>()),
        ((&raw mut optopt).cast(), size_of::<c_int>()),
        ((&raw mut optarg).cast(), size_of::<*mut c_char>()),
    ]
}

/// The value of an option; where there is none, because no rank is running, the caller returns what the real function gives.
macro_rules! or_real {
    ($found:expr, $real:expr) => {
        match $found {
            Some(found) => found,
            // SAFETY: the program's arguments, for the function that it has called.
            None => return unsafe { $real },
        }
    };
}

// Time.

/// Lets time pass, where a rank is running; what C's functions return then.
fn pass(duration: Option<Duration>) -> Option<c_int> {
    Context::get()?.rank().process.compute(duration.unwrap_or(Duration::MAX));
    Some(0)
}

pub(crate) unsafe extern "C" fn sleep(seconds: c_uint) -> c_uint {
    or_real!(pass(Duration::from_secs_f64(seconds.into())), libc::sleep(seconds)) as c_uint
}

pub(crate) unsafe extern "C" fn usleep(microseconds: c_uint) -> c_int {
    or_real!(pass(Some(Duration::from_ns(1000) * microseconds.into())), libc::usleep(microseconds))
}

type TimeSpan = *const libc::timespec;

pub(crate) unsafe extern "C" fn nanosleep(requested: TimeSpan, left: *mut libc::timespec) -> c_int {
    // SAFETY: the program's variable.
    let (seconds, nanoseconds) = unsafe { ((*requested).tv_sec, (*requested).tv_nsec) };
    let span = Duration::from_secs_f64(seconds as f64);
    let span = span.map(|whole| whole + Duration::from_ns(nanoseconds as u64));
    or_real!(pass(span), libc::nanosleep(requested, left))
}

/// Nanoseconds of simulated time at the running rank.
fn nanoseconds() -> Option<i64> {
    Some((Context::get()?.read_clock().as_ps() / 1000) as i64)
}

pub(crate) unsafe extern "C" fn time(to: *mut i64) -> i64 {
    let now = or_real!(nanoseconds(), libc::time(to));
    let seconds = EPOCH + now / 1_000_000_000;
    if !to.is_null() {
        // SAFETY: the program's variable.
        unsafe { *to = seconds };
    }
    seconds
}

pub(crate) unsafe extern "C" fn gettimeofday(to: *mut libc::timeval, zone: *mut libc::c_void) -> c_int {
    let now = or_real!(nanoseconds(), libc::gettimeofday(to, zone.cast()));
    // SAFETY: the program's variable.
    unsafe {
        (*to).tv_sec = EPOCH + now / 1_000_000_000;
        (*to).tv_usec = now % 1_000_000_000 / 1000;
    }
    0
}

pub(crate) unsafe extern "C" fn clock_gettime(clock: c_int, to: *mut libc::timespec) -> c_int {
    let now = or_real!(nanoseconds(), libc::clock_gettime(clock, to));
    let start = if clock == libc::CLOCK_REALTIME { EPOCH } else { 0 };
    // SAFETY: the program's variable.
    unsafe {
        (*to).tv_sec = start + now / 1_000_000_000;
        (*to).tv_nsec = now % 1_000_000_000;
    }
    0
}

pub(crate) unsafe extern "C" fn clock_() -> c_long {
    or_real!(nanoseconds(), clock()) / 1000
}

/// Nanoseconds in a tick of `times`: `sysconf(_SC_CLK_TCK)` returns 100 per second on Linux.
const TICK: i64 = 10_000_000;

/// All time of a rank is its own: nothing else runs on its processor.
pub(crate) unsafe extern "C" fn times(to: *mut libc::tms) -> c_long {
    let now = or_real!(nanoseconds(), libc::times(to));
    let ticks = now / TICK;
    if !to.is_null() {
        // SAFETY: the program's variable.
        unsafe { *to = libc::tms { tms_utime: ticks, tms_stime: 0, tms_cutime: 0, tms_cstime: 0 } };
    }
    ticks
}

const TIME_UTC: c_int = 1;

pub(crate) unsafe extern "C" fn timespec_get_(to: *mut libc::timespec, base: c_int) -> c_int {
    if Context::get().is_none() || base != TIME_UTC {
        // SAFETY: the real one.
        return unsafe { timespec_get(to, base) };
    }
    // SAFETY: the program's variable.
    unsafe { clock_gettime(libc::CLOCK_REALTIME, to) };
    base
}

/// Processor time is simulated time; the rest is the simulator's.
pub(crate) unsafe extern "C" fn getrusage(who: c_int, to: *mut libc::rusage) -> c_int {
    // SAFETY: the real one, with the program's variable.
    let code = unsafe { libc::getrusage(who as _, to) };
    if code == 0
        && let Some(now) = nanoseconds()
    {
        // SAFETY: the program's variable.
        unsafe {
            (*to).ru_utime =
                libc::timeval { tv_sec: now / 1_000_000_000, tv_usec: now % 1_000_000_000 / 1000 };
            (*to).ru_stime = libc::timeval { tv_sec: 0, tv_usec: 0 };
        }
    }
    code
}

pub(crate) unsafe extern "C" fn clock_nanosleep(
    clock: c_int,
    flags: c_int,
    requested: TimeSpan,
    left: *mut libc::timespec,
) -> c_int {
    let now = or_real!(nanoseconds(), libc::clock_nanosleep(clock, flags, requested, left));
    if flags & libc::TIMER_ABSTIME == 0 {
        // SAFETY: the program's variables.
        return unsafe { nanosleep(requested, left) };
    }
    // SAFETY: the program's variable.
    let until = unsafe { (*requested).tv_sec * 1_000_000_000 + (*requested).tv_nsec };
    let start = if clock == libc::CLOCK_REALTIME { EPOCH * 1_000_000_000 } else { 0 };
    pass(Some(Duration::from_ns(u64::try_from(until - start - now).unwrap_or(0))));
    0
}

// Hidden state.

pub(crate) unsafe extern "C" fn srand(seed: c_uint) {
    match Context::get() {
        // SAFETY: the rank's own state.
        Some(mut context) => unsafe { _ = srandom_r(seed, context.rank().libc.random()) },
        // SAFETY: the real one.
        None => unsafe { srandom(seed) },
    }
}

pub(crate) unsafe extern "C" fn srand48_(seed: c_long) {
    match Context::get() {
        // SAFETY: the rank's own state.
        Some(mut context) => unsafe { _ = srand48_r(seed, context.rank().libc.drand48()) },
        // SAFETY: the real one.
        None => unsafe { srand48(seed) },
    }
}

/// The next number of a generator, from the rank's own state, by a function that takes that.
macro_rules! generators {
    ($($name:ident: $real:path, $reentrant:ident $state:ident $given:ty => $result:ty;)*) => {$(
        pub(crate) unsafe extern "C" fn $name() -> $result {
            let mut context = or_real!(Context::get(), $real());
            let mut result: $given = Default::default();
            // SAFETY: the rank's own state.
            unsafe { $reentrant(context.rank().libc.$state(), &raw mut result) };
            result.into()
        }
    )*};
}

generators! {
    rand: libc::rand, random_r random i32 => c_int;
    random_: random, random_r random i32 => c_long;
    drand48_: drand48, drand48_r drand48 c_double => c_double;
    lrand48_: lrand48, lrand48_r drand48 c_long => c_long;
    mrand48_: mrand48, mrand48_r drand48 c_long => c_long;
}

pub(crate) unsafe extern "C" fn getentropy(to: *mut c_void, length: usize) -> c_int {
    let mut context = or_real!(Context::get(), libc::getentropy(to, length));
    let rank = context.rank();
    let seed = rank.process.rank().index() as u64;
    for at in 0..length {
        // SplitMix64 (Steele, Lea, Flood 2014), a byte of each number; ranks are far apart in its sequence.
        rank.libc.entropy += 1;
        let place = (seed << 32) + rank.libc.entropy;
        let mixed = place.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        // SAFETY: the program's memory.
        unsafe { *to.cast::<u8>().add(at) = (mixed ^ mixed >> 31) as u8 };
    }
    0
}

pub(crate) unsafe extern "C" fn strtok_(text: *mut c_char, delimiters: *const c_char) -> *mut c_char {
    let mut context = or_real!(Context::get(), strtok(text, delimiters));
    let place = &raw mut context.rank().libc.strtok;
    // SAFETY: the program's texts, and the rank's own state, which is a pointer into them.
    unsafe { strtok_r(text, delimiters, place.cast()) }
}

// The options of a command line.

/// Calls one of the `getopt` family. Where it stands within a word like `-xvf` the C library remembers in a variable
/// that no pointer reaches. So when another rank has called it since, the rank's calls are repeated from the beginning.
fn next_option(call: impl Fn() -> c_int) -> c_int {
    let Some(mut context) = Context::get() else { return call() };
    let rank = context.rank();
    let state = &mut rank.libc.getopt;
    // SAFETY: the C library's variables, with the rank's values in place.
    unsafe {
        if optind != state.index {
            // The program begins anew.
            state.calls = 0;
        }
        if rank.world.getopt.replace(Some(rank.process.rank())) != Some(rank.process.rank()) {
            let errors = opterr;
            opterr = 0;
            optind = 0;
            for _ in 0..state.calls {
                call();
            }
            opterr = errors;
        }
        let option = call();
        state.calls += 1;
        state.index = optind;
        option
    }
}

pub(crate) unsafe extern "C" fn getopt_(argc: c_int, argv: Strings, options: Text) -> c_int {
    // SAFETY: the program's arguments.
    next_option(|| unsafe { getopt(argc, argv, options) })
}

macro_rules! long_options {
    ($($name:ident: $real:ident;)*) => {$(
        pub(crate) unsafe extern "C" fn $name(
            argc: c_int, argv: Strings, options: Text, long: Options, index: *mut c_int,
        ) -> c_int {
            // SAFETY: the program's arguments.
            next_option(|| unsafe { $real(argc, argv, options, long, index) })
        }
    )*};
}

long_options! {
    getopt_long_: getopt_long;
    getopt_long_only_: getopt_long_only;
}
