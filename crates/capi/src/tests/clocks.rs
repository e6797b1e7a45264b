//! What the clocks of C say at an instant, and the numbers of the generators that every rank has.

use crate::harness::*;

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

/// The date of the beginning: 2001-09-09 01:46:40 UTC.
const EPOCH: i64 = 1_000_000_000;

#[test]
fn clocks_agree() {
    for (at, seconds, nanoseconds) in INSTANTS {
        run(1, move |_| {
            work(at);
            let micro = nanoseconds / 1000;
            let (mut told, mut day) = (-1_i64, libc::timeval { tv_sec: -1, tv_usec: -1 });
            assert_eq!(call_unchecked("__wrap_time", &[(&mut told).word()]) as i64, EPOCH + seconds);
            assert_eq!(
                (told, call_unchecked("__wrap_time", &[0]) as i64),
                (EPOCH + seconds, EPOCH + seconds)
            );
            assert_eq!(call_unchecked("__wrap_gettimeofday", &[(&mut day).word(), 0]) as i32, 0);
            assert_eq!((day.tv_sec, day.tv_usec), (EPOCH + seconds, micro), "{at}");
            let read = |name: &str, words: &[usize], expected: i32| {
                let mut time = libc::timespec { tv_sec: -1, tv_nsec: -1 };
                let words: Vec<usize> = words
                    .iter()
                    .map(|&word| if word == usize::MAX { (&mut time).word() } else { word })
                    .collect();
                assert_eq!(call_unchecked(name, &words) as i32, expected, "{name}");
                (time.tv_sec, time.tv_nsec)
            };
            let (monotonic, real) = (libc::CLOCK_MONOTONIC as usize, libc::CLOCK_REALTIME as usize);
            let gettime = "__wrap_clock_gettime";
            assert_eq!(read(gettime, &[monotonic, usize::MAX], 0), (seconds, nanoseconds), "{at}");
            assert_eq!(read(gettime, &[real, usize::MAX], 0), (EPOCH + seconds, nanoseconds), "{at}");
            let utc = read("__wrap_timespec_get", &[usize::MAX, 1], 1);
            assert_eq!(utc, (EPOCH + seconds, nanoseconds), "{at}");
            assert_eq!(call_unchecked("__wrap_clock", &[]) as u64, at / 1000);
            // Hundredths of a second.
            assert_eq!(
                call_unchecked("__wrap_times", &[0]) as i64,
                100 * seconds + nanoseconds / 10_000_000,
                "{at}"
            );
            // SAFETY: zeroes are a usage.
            let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
            assert_eq!(
                call_unchecked("__wrap_getrusage", &[libc::RUSAGE_SELF as usize, (&mut usage).word()]) as i32,
                0
            );
            let (user, system) = (usage.ru_utime, usage.ru_stime);
            assert_eq!(
                (user.tv_sec, user.tv_usec, system.tv_sec, system.tv_usec),
                (seconds, micro, 0, 0),
                "{at}"
            );
            assert_ne!(
                call_unchecked("__wrap_getrusage", &[12345, (&mut usage).word()]) as i32,
                0,
                "there is no such one"
            );
        });
    }
}

/// Sixteen readings between two calls are free, of whatever clock; each further one takes 100 ns.
#[test]
fn readings_take_time_in_the_end() {
    for (name, words) in [("__wrap_time", vec![0]), ("__wrap_clock", vec![]), ("__wrap_times", vec![0])] {
        let words = std::rc::Rc::new(words);
        run(1, move |_| {
            for _ in 0..2 {
                let begin = now();
                mpi!(Initialized, &mut 0);
                (0..16).for_each(|_| _ = call_unchecked(name, &words));
                assert_eq!(now(), begin, "{name}");
                (0..3).for_each(|_| _ = call_unchecked(name, &words));
                assert_eq!(now(), begin + 300, "{name}");
            }
        });
    }
}

/// SplitMix64 with seed 0 begins with 0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f, 0xf88bb8a8724c81ec,
/// 0x1b39896a51a8749b; rank 0 gets the last byte of each.
#[test]
fn random_bits_are_those_of_splitmix() {
    run(2, |rank| {
        let mut bits = [0_u8; 5];
        assert_eq!(call_unchecked("__wrap_getentropy", &[(&mut bits).word(), 2]) as i32, 0);
        assert_eq!(call_unchecked("__wrap_getentropy", &[bits[2..].as_mut_ptr() as usize, 3]) as i32, 0);
        let of_first = [0xaf, 0xf4, 0x4f, 0xec, 0x9b];
        assert_eq!(bits == of_first, rank == 0, "{bits:x?}");
    });
}

/// The C library's own generators, with the seed that they begin with and with another.
#[test]
fn generators_are_those_of_the_c_library() {
    run(1, |_| {
        let draw = |name: &str| call_unchecked(name, &[]) as i64;
        let own: Vec<i64> = (0..5).map(|_| draw("__wrap_lrand48")).collect();
        call_unchecked("__wrap_srand48", &[0]);
        assert_eq!(draw("__wrap_lrand48"), 366_850_414, "with seed 0, as POSIX defines it");
        assert_eq!(draw("__wrap_lrand48"), 1_610_402_240);
        assert_eq!(own.iter().collect::<std::collections::BTreeSet<_>>().len(), 5);
        call_unchecked("__wrap_srand", &[1]);
        let first: Vec<i64> = (0..3).map(|_| i64::from(draw("__wrap_rand") as i32)).collect();
        assert_eq!(first, [1_804_289_383, 846_930_886, 1_681_692_777]);
        call_unchecked("__wrap_srandom", &[2]);
        assert_eq!(draw("__wrap_random"), 1_505_335_290);
    });
}
