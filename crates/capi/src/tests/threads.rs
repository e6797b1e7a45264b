//! Threads of ranks that call MPI beside each other: functions of this process, made as those of a program are.

use super::apart::{Apart, apart};
use super::processes::everything;
use crate::c_library::own_threads::create;
use crate::harness::*;
use crate::rank::context::Context;
use crate::rank::crew::looks;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::channel;

type Body = Box<dyn FnOnce() -> *mut c_void>;

unsafe extern "C-unwind" fn carry_out(body: *mut c_void) -> *mut c_void {
    // SAFETY: `Thread::begin` has made it for this thread.
    let body = unsafe { Box::from_raw(body.cast::<Body>()) };
    body()
}

/// A thread that the program of a rank has made.
struct Thread<T>(libc::pthread_t, PhantomData<T>);

impl<T: 'static> Thread<T> {
    fn begin(body: impl FnOnce() -> T + 'static) -> Self {
        let body: Box<Body> = Box::new(Box::new(|| Box::into_raw(Box::new(body())).cast()));
        let mut thread = 0;
        let body = Box::into_raw(body).cast();
        // SAFETY: the function takes the body.
        assert_eq!(unsafe { create::<false>(&raw mut thread, ptr::null(), carry_out, body) }, 0);
        Self(thread, PhantomData)
    }

    fn join(self) -> T {
        let mut result = ptr::null_mut();
        // SAFETY: a thread that has not been joined; what it returns is a box.
        unsafe {
            assert_eq!(libc::pthread_join(self.0, &raw mut result), 0);
            *Box::from_raw(result.cast())
        }
    }
}

/// Runs a function on two ranks of the machine of [`timed`], whose threads may all call MPI.
fn threads(main: impl Fn(usize) + 'static) -> Ran {
    Machine::timed(2).run_mpi(move |rank| {
        Context::get().unwrap().open_to_threads();
        main(rank);
    })
}

/// Sends four bytes in 12 ns.
fn send(to: usize, tag: i32) {
    mpi!(Send, &tag, 1, MPI_INT, to, tag, WORLD);
}

fn receive(from: usize, tag: i32) {
    let mut got = -1;
    mpi!(Recv, &mut got, 1, MPI_INT, from, tag, WORLD, NULL);
    assert_eq!(got, tag);
}

/// Works for so long before each of its calls; when they are over.
fn sends(works: Vec<u64>) -> Vec<u64> {
    let sends = |ns| {
        work(ns);
        send(1, 0);
        now()
    };
    works.into_iter().map(sends).collect()
}

/// Ends of calls that one library serves in the order of their beginnings, of equal ones in the order of the threads.
fn ends(works: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let (mut clocks, mut ends, mut library) = (vec![0; works.len()], vec![vec![]; works.len()], 0);
    for _ in 0..works.iter().map(Vec::len).sum() {
        let asks = |thread: usize| Some((clocks[thread] + works[thread].get(ends[thread].len())?, thread));
        let (begin, thread) = (0..works.len()).filter_map(asks).min().unwrap();
        library = library.max(begin) + 12;
        clocks[thread] = library;
        ends[thread].push(library);
    }
    ends
}

/// The second thread is made by the first one, before the others in number and behind them in time.
#[test]
fn calls_come_in_the_order_of_clocks() {
    apart("threads::calls_come_in_the_order_of_clocks", |_| {
        let mut seed = 1_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for _ in 0..8 {
            let mut list = || (0..2 + random(3)).map(|_| 6 * random(5)).collect::<Vec<_>>();
            let works: Vec<Vec<u64>> = (0..4).map(|_| list()).collect();
            let (expected, calls) = (ends(&works), works.iter().map(Vec::len).sum::<usize>());
            threads(move |rank| {
                if rank == 1 {
                    return (0..calls).for_each(|_| receive(0, 0));
                }
                let [first, second, third, fourth] = [0, 1, 2, 3].map(|thread: usize| works[thread].clone());
                let makes = move || {
                    let second = Thread::begin(|| sends(second));
                    (sends(first), second.join())
                };
                let (first, others) =
                    (Thread::begin(makes), [third, fourth].map(|works| Thread::begin(|| sends(works))));
                let ((first, second), [third, fourth]) = (first.join(), others.map(Thread::join));
                assert_eq!([first, second, third, fourth], expected[..], "{works:?}");
            })
            .finished();
        }
    });
}

/// Who waits for another thread goes on when the last call of that one is over; a thread that waits in MPI when its message has
/// come. The messages of 4 bytes are there 1004 ns after 512 and 624 ns, and cost 10 there.
#[test]
fn threads_go_on_when_they_are_let_go() {
    apart("threads::threads_go_on_when_they_are_let_go", |_| {
        threads(|rank| {
            if rank == 1 {
                assert_eq!(get!(Is_thread_main), 1);
                // It asks for a time to which the others come first.
                let working = Thread::begin(|| {
                    work(5000);
                    send(0, 3);
                    now()
                });
                let taking = [2, 1].map(|tag| {
                    Thread::begin(move || {
                        receive(0, tag);
                        now()
                    })
                });
                return assert_eq!((taking.map(Thread::join), working.join()), ([1638, 1526], 5012));
            }
            let (says, hears) = channel();
            let waiting = Thread::begin(move || {
                hears.recv().unwrap();
                let begin = now();
                send(1, 2);
                (begin, now(), get!(Is_thread_main))
            });
            work(500);
            send(1, 1);
            work(100);
            mpi!(Send, &0, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD);
            let end = now();
            says.send(()).unwrap();
            assert_eq!((end, waiting.join()), (612, (612, 624, 0)));
            receive(1, 3);
        })
        .finished();
    });
}

/// A thread of the rank does to the last event what its main would do, while that waits for it.
#[test]
fn a_thread_is_as_good_as_main() {
    apart("threads::a_thread_is_as_good_as_main", |_| {
        let ran = threads(|rank| Thread::begin(move || everything(rank)).join()).finished();
        let alone = timed(2, everything);
        assert_eq!((ran.ended.at, ran.ended.traffic.clone()), (alone.ended.at, alone.ended.traffic.clone()));
    });
}

/// A lock with what it guards, on a page of its own.
#[repr(C, align(4096))]
struct Guarded {
    lock: libc::pthread_mutex_t,
    is_set: bool,
}

/// How often the threads have looked.
static LOOKED: AtomicU64 = AtomicU64::new(0);

/// A function before a look: it takes the lock, or gives way.
type Step = unsafe extern "C" fn(*mut libc::pthread_mutex_t) -> c_int;

/// Looks until it is set. Nothing of the thread differs from one look to the next.
#[inline(never)]
unsafe fn look(guarded: *mut Guarded, step: Step, takes_lock: bool) {
    // SAFETY: as the caller knows.
    unsafe {
        let (lock, mut is_set) = (&raw mut (*guarded).lock, false);
        while !is_set {
            LOOKED.fetch_add(1, SeqCst);
            while step(lock) != 0 {}
            is_set = (&raw const (*guarded).is_set).read_volatile();
            if takes_lock {
                looks::unlock(lock);
            }
        }
    }
}

/// A thread that looks again and again for what another one does behind a call stops after a few looks, and goes on when that
/// call is over: at 1026 ns.
#[test]
fn loops_that_look_stand_still() {
    apart("threads::loops_that_look_stand_still", |_| {
        for (step, takes_lock) in
            [(looks::lock as Step, true), (looks::try_lock, true), (looks::give_way, false)]
        {
            LOOKED.store(0, SeqCst);
            threads(move |rank| {
                if rank == 0 {
                    return send(1, 1);
                }
                let lock = libc::PTHREAD_MUTEX_INITIALIZER;
                let guarded: *mut Guarded = Box::leak(Box::new(Guarded { lock, is_set: false }));
                let looking = Thread::begin(move || {
                    // SAFETY: it stays.
                    unsafe { look(guarded, step, takes_lock) };
                    now()
                });
                receive(0, 1);
                // SAFETY: as above.
                unsafe {
                    looks::lock(&raw mut (*guarded).lock);
                    (*guarded).is_set = true;
                    looks::unlock(&raw mut (*guarded).lock);
                }
                assert_eq!(looking.join(), 1026);
            })
            .finished();
            assert!(LOOKED.load(SeqCst) < 1000, "{LOOKED:?}");
        }
    });
}

/// How a run ends that a thread ends, or that threads of rank 0 hold up.
#[test]
fn ends_by_threads() {
    let ran = apart("threads::ends_by_threads", |_| {
        let by_thread = |body: fn()| {
            threads(move |rank| match rank {
                0 => Thread::begin(body).join(),
                _ => mpi!(Barrier, WORLD),
            })
        };
        let ran = by_thread(|| _ = code!(Abort, WORLD, 9));
        assert_eq!(ran.aborted(), (0, "it called MPI_Abort with error code 9"));
        let ran = by_thread(|| _ = call_unchecked("__wrap_exit", &[3]));
        assert_eq!(ran.aborted(), (0, "it called exit(3) before MPI_Finalize"));
        let ran = by_thread(|| receive(1, 4));
        let waiting = &ran.deadlock()[0];
        assert_eq!((waiting.rank.index(), waiting.call.as_str()), (0, "MPI_Recv"));
        let words = |text: &str| ("its threads wait", text.to_owned());
        assert!(waiting.details.contains(&words("1 in MPI, 1 for each other")), "{waiting:?}");
        let ran = by_thread(|| {
            let (_says, hears) = channel::<()>();
            _ = hears.recv();
        });
        let waiting = &ran.deadlock()[0];
        assert_eq!(waiting.call, "none, its threads wait for each other");
        assert_eq!(waiting.details, [words("0 in MPI, 2 for each other")]);
        // Where only main may call.
        let ran = Machine::timed(1).run_mpi(|_| Thread::begin(|| mpi!(Barrier, WORLD)).join());
        let (_, why) = ran.aborted();
        assert!(
            why.starts_with("a thread that the program of rank 0 made called MPI_Barrier; only the"),
            "{why}"
        );
    });
    let errors = ran.map_or_else(String::new, |Apart { errors, .. }| errors);
    assert!(!errors.contains("panicked"), "{errors}");
}
