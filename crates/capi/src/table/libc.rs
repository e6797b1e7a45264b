//! Functions of the C library that `weir cc` has the linker wrap.

use super::offers;
use crate::libc_calls;

offers! {
    "__wrap_" {
        "exit" libc_calls::exit,
        "_exit" libc_calls::exit_at_once,
        "_Exit" libc_calls::exit_at_once,
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
    }
}
