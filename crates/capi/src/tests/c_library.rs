//! Functions of the C library that are the rank's own: clocks, sleeps, generators of random numbers, `strtok`.

use super::apart::apart;
use crate::harness::*;
use std::time::{Duration, Instant};

fn int(name: &str, words: &[usize]) -> i32 {
    long(name, words) as i32
}

fn long(name: &str, words: &[usize]) -> i64 {
    call_unchecked(&format!("__wrap_{name}"), words) as i64
}

/// The date of the beginning: 2001-09-09 01:46:40 UTC.
const EPOCH: i64 = 1_000_000_000;

/// An instant in nanoseconds, and the same as seconds and nanoseconds.
const INSTANTS: [(u64, i64, i64); 9] = [
    (0, 0, 0),
    (1, 0, 1),
    (999, 0, 999),
    (1000, 0, 1000),
    (999_999_999, 0, 999_999_999),
    (1_000_000_000, 1, 0),
    (2_999_999_999, 2, 999_999_999),
    (3_000_000_000, 3, 0),
    (7_010_001_999, 7, 10_001_999),
];

#[test]
fn clocks_agree() {
    for (at, s, ns) in INSTANTS {
        run(1, move |_| {
            work(at);
            let (mut told, mut time, mut ticks, mut usage) = (-1, [-1_i64; 2], [-1_i64; 4], [-1_i64; 18]);
            let (date, us, hundredths) = (EPOCH + s, ns / 1000, 100 * s + ns / 10_000_000);
            assert_eq!(
                (long("time", words![&mut told]), told, long("time", words![NULL])),
                (date, date, date)
            );
            assert_eq!((int("gettimeofday", words![&mut time, NULL]), time), (0, [date, us]));
            for (clock, from) in [(libc::CLOCK_MONOTONIC, 0), (libc::CLOCK_REALTIME, EPOCH)] {
                assert_eq!((int("clock_gettime", words![clock, &mut time]), time), (0, [from + s, ns]));
            }
            assert_eq!((int("timespec_get", words![&mut time, 1]), time), (1, [date, ns]));
            assert_eq!(int("timespec_get", words![&mut time, 77]), 0, "there is no such clock");
            assert_eq!(long("clock", &[]) as u64, at / 1000);
            assert_eq!(
                (long("times", words![NULL]), long("times", words![&mut ticks])),
                (hundredths, hundredths)
            );
            assert_eq!(ticks, [hundredths, 0, 0, 0]);
            assert_eq!((int("getrusage", words![0, &mut usage]), &usage[..4]), (0, &[s, us, 0, 0][..]));
            assert_ne!(int("getrusage", words![12345, &mut usage]), 0, "there is no such one");
            assert!((real("MPI_Wtime") - at as f64 * 1e-9).abs() < 1e-12 && real("MPI_Wtick") == 1e-12);
        });
    }
}

/// Sixteen readings between two calls are free, of whatever clock; each further one takes 100 ns.
#[test]
fn readings_take_time_in_the_end() {
    for name in ["__wrap_time", "__wrap_clock", "__wrap_times", "weir_now", "MPI_Wtime"] {
        run(1, move |_| {
            for _ in 0..2 {
                let begin = now();
                mpi!(Initialized, &mut 0);
                (0..16).for_each(|_| _ = call_unchecked(name, &[0]));
                assert_eq!(now(), begin, "{name}");
                (0..3).for_each(|_| _ = call_unchecked(name, &[0]));
                assert_eq!(now(), begin + 300, "{name}");
            }
        });
    }
}

/// Sleeps for a while, and until an instant, by two clocks: they are over when their time has passed, and nothing of it is left.
#[test]
fn sleeps() {
    run(1, |_| {
        let sleep = |clock: i32, flags: i32, s: i64, ns: i64| {
            assert_eq!(int("clock_nanosleep", words![clock, flags, &[s, ns], NULL]), 0);
            now()
        };
        let (monotonic, real, until) = (libc::CLOCK_MONOTONIC, libc::CLOCK_REALTIME, libc::TIMER_ABSTIME);
        assert_eq!(sleep(monotonic, 0, 2, 3), 2_000_000_003);
        assert_eq!(sleep(real, 0, 0, 7), 2_000_000_010);
        assert_eq!(sleep(monotonic, until, 3, 5), 3_000_000_005);
        assert_eq!(sleep(real, until, EPOCH + 4, 6), 4_000_000_006);
        assert_eq!(sleep(monotonic, until, 1, 0), 4_000_000_006, "it is over");
        assert_eq!((int("sleep", &[3]), now()), (0, 7_000_000_006));
        assert_eq!((int("usleep", &[5]), now()), (0, 7_000_005_006));
        assert_eq!((int("nanosleep", words![&[2_i64, 3], NULL]), now()), (0, 9_000_005_009));
    });
}

/// SplitMix64 with seed 0 begins with 0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f, 0xf88bb8a8724c81ec,
/// 0x1b39896a51a8749b; rank 0 gets the last byte of each.
#[test]
fn random_bits_are_those_of_splitmix() {
    run(2, |rank| {
        let mut bits = [0_u8; 5];
        assert_eq!(int("getentropy", words![&mut bits, 2]), 0);
        assert_eq!(int("getentropy", words![&mut bits[2..], 3]), 0);
        assert_eq!(bits == [0xaf, 0xf4, 0x4f, 0xec, 0x9b], rank == 0, "{bits:x?}");
    });
}

/// Generators of random numbers are each rank's own, and the C library's: with the seed that they begin with, and with others.
#[test]
fn hidden_state_is_the_ranks_own() {
    run(2, |rank| {
        let draw = |name: &str| int(name, &[]);
        assert_eq!(["rand", "random", "rand"].map(draw), [1_804_289_383, 846_930_886, 1_681_692_777]);
        int("srand", &[42 + rank]);
        let first = draw("rand");
        mpi!(Barrier, WORLD);
        int("srandom", &[42 + rank]);
        assert_eq!(draw("random"), first);
        int("srandom", &[2]);
        assert_eq!(draw("random"), 1_505_335_290);
        let own = ["lrand48", "mrand48", "lrand48", "mrand48"].map(draw);
        assert!((0..4).all(|at| !own[at + 1..].contains(&own[at])), "{own:?}");
        int("srand48", &[0]);
        assert_eq!(["lrand48"; 2].map(draw), [366_850_414, 1_610_402_240], "as POSIX defines it");
        let mut text = *b"a b\0";
        let (begin, blank) = ((&mut text).word(), c" ".as_ptr() as usize);
        assert_eq!(long("strtok", &[begin, blank]) as usize, begin);
        mpi!(Barrier, WORLD);
        assert_eq!([(); 2].map(|()| long("strtok", &[0, blank]) as usize), [begin + 2, 0]);
    });
}

/// Where no rank is running the functions of C are the C library's own.
#[test]
fn functions_of_c_without_a_rank() {
    apart("c_library::functions_of_c_without_a_rank", |_| {
        // SAFETY: functions of the C library.
        unsafe {
            let (mut told, mut time, before) = (0_i64, [0_i64; 2], libc::time(std::ptr::null_mut()));
            assert!((before..before + 60).contains(&long("time", words![&mut told])) && told >= before);
            for (name, words, result) in [
                ("gettimeofday", words![&mut time, NULL], 0),
                ("clock_gettime", words![libc::CLOCK_REALTIME, &mut time], 0),
                ("timespec_get", words![&mut time, 1], 1),
            ] {
                time = [0; 2];
                assert!(int(name, words) == result && time[0] >= before, "{name}: {time:?}");
            }
            let (mut ticks, mut usage) = ([0_i64; 4], [0_i64; 18]);
            assert!(long("times", words![&mut ticks]) > 0 && long("clock", &[]) > 0);
            assert_eq!(int("getrusage", words![libc::RUSAGE_SELF, &mut usage]), 0);
            assert!(usage[0] > 0 || usage[1] > 0 || usage[3] > 0);
            // These take their time.
            let (begin, short) = (Instant::now(), [0_i64, 2_000_000]);
            assert_eq!((int("sleep", &[0]), int("usleep", &[2000])), (0, 0));
            assert_eq!(int("nanosleep", words![&short, NULL]), 0);
            assert_eq!(int("clock_nanosleep", words![libc::CLOCK_MONOTONIC, 0, &short, NULL]), 0);
            assert!(begin.elapsed() >= Duration::from_millis(6));
            // These are generators that the process has alone.
            for (seed, name) in [("srand", "rand"), ("srandom", "random")] {
                int(seed, &[1]);
                assert_eq!((int(name, &[]), libc::rand()), (1_804_289_383, 846_930_886));
            }
            int("srand48", &[0]);
            assert_eq!((long("lrand48", &[]), libc::lrand48()), (366_850_414, 1_610_402_240));
            let next = libc::mrand48();
            int("srand48", &[0]);
            (0..2).for_each(|_| _ = long("lrand48", &[]));
            assert_eq!(long("mrand48", &[]), next);
            let mut bits = [0_u8; 64];
            assert_eq!(int("getentropy", words![&mut bits, 64]), 0);
            assert_ne!(bits, [0; 64]);
            let mut text = *b"one two\0";
            let begin = (&mut text).word();
            assert_eq!(call_unchecked("__wrap_strtok", words![begin, c" ".as_ptr()]), begin);
            assert_eq!(libc::strtok(std::ptr::null_mut(), c" ".as_ptr()) as usize, begin + 4);
        }
    });
}
