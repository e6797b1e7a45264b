//! Functions that are not MPI's: those of `weir.h` and `collectives.h`, and those of the C library that `weir cc` has the
//! linker wrap.

use crate::c_library::{host_names, leaving, libc_calls, standard_streams};
use crate::calls::Function;
use crate::mpi::{collectives, extensions};
use crate::skeleton::{self, phases, sampling};
use std::ffi::c_void;

/// Defines `list`: names and functions, in the order in which they stand.
macro_rules! offers {
    ($($prefix:literal { $($name:literal $function:path,)* })*) => {
        pub(super) fn list() -> Vec<Function> {
            vec![$($((concat!($prefix, $name), $function as *const c_void),)*)*]
        }
    };
}

offers! {
    "weir_" {
        "compute" skeleton::compute,
        "compute_at_once" skeleton::compute,
        "compute_instructions_at_once" skeleton::compute_instructions,
        "compute_block" skeleton::compute_block,
        "sample_begin" sampling::begin,
        "sample_end" sampling::end,
        "phase" phases::phase,
        "now" extensions::now,
        "nics" extensions::nics,
        "has_send_gap" extensions::has_send_gap,
        "send_protocol" extensions::send_protocol,
        "send_copy" extensions::send_copy,
        "send_nic" extensions::send_nic,
        "send_gap" extensions::send_gap,
        "collective_set" collectives::weir_collective_set,
        "quick_exit" leaving::quick_exit,
    }
    "__wrap_" {
        "exit" leaving::exit,
        "_exit" leaving::exit_at_once,
        "_Exit" leaving::exit_at_once,
        "pthread_exit" leaving::pthread_exit,
        "thrd_exit" leaving::thrd_exit,
        "daemon" leaving::daemon,
        "execv" leaving::execv,
        "execve" leaving::execve,
        "execvp" leaving::execvp,
        "execvpe" leaving::execvpe,
        "fexecve" leaving::fexecve,
        "fclose" standard_streams::fclose,
        "freopen" standard_streams::freopen,
        "freopen64" standard_streams::freopen,
        "sleep" libc_calls::sleep,
        "usleep" libc_calls::usleep,
        "nanosleep" libc_calls::nanosleep,
        "time" libc_calls::time,
        "gettimeofday" libc_calls::gettimeofday,
        "clock_gettime" libc_calls::clock_gettime,
        "clock" libc_calls::clock_,
        "clock_nanosleep" libc_calls::clock_nanosleep,
        "times" libc_calls::times,
        "timespec_get" libc_calls::timespec_get_,
        "getrusage" libc_calls::getrusage,
        "rand" libc_calls::rand,
        "srand" libc_calls::srand,
        "random" libc_calls::random_,
        "srandom" libc_calls::srand,
        "srand48" libc_calls::srand48_,
        "drand48" libc_calls::drand48_,
        "lrand48" libc_calls::lrand48_,
        "mrand48" libc_calls::mrand48_,
        "getentropy" libc_calls::getentropy,
        "strtok" libc_calls::strtok_,
        "getopt" libc_calls::getopt_,
        "getopt_long" libc_calls::getopt_long_,
        "getopt_long_only" libc_calls::getopt_long_only_,
        "gethostname" host_names::get_host_name,
        "uname" host_names::uname,
        "gethostid" host_names::get_host_id,
        "getaddrinfo" host_names::get_address_info,
        "gethostbyname" host_names::get_host_by_name,
        "getenv" host_names::get_env,
        "secure_getenv" host_names::secure_get_env,
    }
}
