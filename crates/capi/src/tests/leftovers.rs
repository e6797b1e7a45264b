//! What a program has made and not freed is counted, and what it has freed leaves nothing behind.

use super::apart::apart;
use super::forms::{DELETED, deletes};
use crate::harness::*;
use crate::rank::program::Remnant;
use crate::world::Observer;
use std::ffi::CStr;
use std::sync::{Arc, Mutex};
use weir_message::{Observation, Watched};
use weir_operations::Operation;
use weir_units::{Rank, Time};

extern "C" fn nothing() -> i32 {
    0
}

/// The objects that a rank has left: kinds and numbers.
fn objects(ran: &Ran, rank: usize) -> Vec<(String, String)> {
    let of = |left: &Remnant| (left.details[0].1.clone(), left.details[1].1.clone());
    ran.remnants(rank).iter().filter(|left| left.kind == "object").map(of).collect()
}

/// One more of each kind than of the one before, and as many again that are freed.
#[test]
fn objects_are_counted() {
    let ran = run(1, |_| {
        let function = nothing as *const ();
        let world = get_handle!(Comm_group, WORLD);
        type Make<'a> = &'a dyn Fn() -> usize;
        let kinds: [(Make<'_>, &str, usize); 8] = [
            (&|| file(MPI_COMM_SELF, "left"), "MPI_File_close", 1),
            (&|| get_handle!(Win_create_dynamic, MPI_INFO_NULL, WORLD), "MPI_Win_free", 2),
            (&|| get_handle!(Comm_dup, WORLD), "MPI_Comm_free", 3),
            (&|| get_handle!(Type_contiguous, 2, MPI_INT), "MPI_Type_free", 4),
            (&|| get_handle!(Group_incl, world, 1, &[0]), "MPI_Group_free", 5 - 1),
            (&|| get_handle!(Op_create, function, 1), "MPI_Op_free", 6),
            (&|| get_handle!(Info_create), "MPI_Info_free", 7),
            (&|| get_handle!(Send_init, NULL, 0, MPI_INT, 0, 0, WORLD), "MPI_Request_free", 8),
        ];
        // Types that are chosen by their precision are predefined, and nobody frees them.
        get_handle!(Type_create_f90_integer, 9);
        get_handle!(Type_create_f90_real, 15, 100);
        for (make, free, count) in kinds {
            for _ in 0..count {
                let mut freed = make();
                make();
                assert_eq!(call(free, &[(&mut freed).word()]), MPI_SUCCESS, "{free}");
            }
        }
    });
    let expected = [
        ("communicators", 3),
        ("datatypes", 4),
        ("groups", 5),
        ("operations", 6),
        ("files", 1),
        ("windows", 2),
        ("info objects", 7),
        ("persistent requests", 8),
    ];
    assert_eq!(objects(&ran, 0), expected.map(|(kind, count)| (kind.to_owned(), count.to_string())));
}

/// There are 32,768 communicators at most; the request that makes one too many fails, and it is not made.
#[test]
fn communicators_have_a_limit() {
    let ran = run(1, |_| {
        let (mut made, mut request, mut key) = (MPI_COMM_NULL, MPI_REQUEST_NULL, -1);
        let mut refused = 0;
        mpi!(Comm_create_keyval, 1, deletes as *const (), &mut key, 0);
        // The world and the rank alone are two of them, and one is freed: at the last try there are 32,768.
        mpi!(Comm_free, &mut get_handle!(Comm_dup, WORLD));
        for number in 2.. {
            if number == 1 << 15 {
                mpi!(Comm_set_attr, WORLD, key, 5);
            }
            mpi!(Comm_idup, WORLD, &mut made, &mut request);
            if code!(Wait, &mut request, NULL) != MPI_SUCCESS {
                refused = number;
                break;
            }
        }
        assert_eq!(refused, 1 << 15);
        assert_eq!(code!(Barrier, made), MPI_ERR_COMM, "it is taken away again");
        assert_eq!(DELETED.take(), 1, "with its attribute");
        let id = crate::calls::abi::communicator(crate::calls::abi::predefined(made)).unwrap();
        let handler = crate::rank::context::Context::get().unwrap().rank().error_handler(id);
        assert_eq!(handler, crate::rank::ErrorHandler::Fatal, "with what happens to its errors");
        mpi!(Comm_delete_attr, WORLD, key);
    });
    assert_eq!(objects(&ran, 0), [("communicators".to_owned(), ((1 << 15) - 2).to_string())]);
}

/// Notes what a rank looks at, and when it has slept; ends the run where this call begins, or any ends.
#[derive(Default)]
struct Notes {
    seen: Vec<String>,
    refused: &'static str,
}

impl Notes {
    fn verdict(&self, what: &str) -> Result<(), String> {
        if what == self.refused { Err(format!("no {what}")) } else { Ok(()) }
    }
}

impl weir_message::Observer for Notes {
    fn begins(&mut self, _: Rank, call: &'static str, _: Time) -> Result<(), String> {
        self.verdict(call)
    }

    fn does(&mut self, _: &dyn Watched, operation: &Operation) {
        self.seen.push(match operation {
            Operation::See { .. } => "saw".into(),
            Operation::Probe { from, .. } => {
                format!("probed {:?}: {:?}", from.asked, (from.source, from.tag))
            }
            Operation::File { direction, bytes, lasts, .. } => {
                format!("{direction:?} of {bytes} for {}", lasts.as_ps() / 1000)
            }
            _ => return,
        });
    }

    fn notices(&mut self, _: &dyn Watched, observation: Observation<'_>) {
        self.seen.push(match observation {
            Observation::Slept { now, woken_by } => {
                let woken = if woken_by.is_some() { ", woken" } else { "" };
                format!("slept until {}{woken}", now.as_ps() / 1000)
            }
            Observation::Looks(_) => "looked".into(),
            Observation::CaughtUp => "caught up".into(),
            _ => return,
        });
    }

    fn ends(&mut self, _: Rank, _: Time) -> Result<(), String> {
        self.verdict("end")
    }

    fn over(&mut self, _: Rank, _: Time) {}
}

#[test]
fn observers_may_end_a_run() {
    for refused in ["MPI_Barrier", "end"] {
        let notes = Arc::new(Mutex::new(Notes { refused, ..Notes::default() }));
        let mut machine = Machine::free(1);
        machine.options.observer = Some(Observer(notes));
        let ran = machine.run_mpi(|_| mpi!(Barrier, WORLD));
        assert!(ran.aborted().1.starts_with(&format!("no {refused}")));
    }
}

/// A rank that looks in vain sleeps for 100 ns, 200 and 400, and then until its message comes at 1022.
#[test]
fn observers_see_what_wakes_a_rank() {
    let notes = Arc::new(Mutex::new(Notes::default()));
    let mut machine = Machine::timed(2);
    machine.options.observer = Some(Observer(notes.clone()));
    machine.finishes(|rank| {
        if rank == 0 {
            return mpi!(Send, &1_i64, 1, MPI_LONG, 1, 0, WORLD);
        }
        let (mut got, mut flag) = (0_i64, 0);
        let mut request = get_handle!(Irecv, &mut got, 1, MPI_LONG, 0, 0, WORLD);
        while flag == 0 {
            mpi!(Test, &mut request, &mut flag, NULL);
        }
    });
    let seen = std::mem::take(&mut notes.lock().unwrap().seen);
    let slept: Vec<&str> = seen.iter().filter_map(|line| line.strip_prefix("slept until ")).collect();
    assert_eq!(slept, ["100", "300", "700", "1022, woken"]);
}

/// What a rank looks at: messages and requests that it leaves where they are, the state of files, and what has come by then.
#[test]
fn observers_see_what_a_rank_looks_at() {
    let notes = Arc::new(Mutex::new(Notes::default()));
    let mut machine = Machine::free(1);
    machine.options.observer = Some(Observer(notes.clone()));
    let taken = notes.clone();
    machine.finishes(move |_| {
        let looks = |expected: &[&str]| {
            let mut seen = std::mem::take(&mut taken.lock().unwrap().seen);
            seen.retain(|line| !line.starts_with("slept"));
            assert_eq!(seen, expected);
        };
        let (mut flag, mut got, mut size) = (0, 0, 0_i64);
        mpi!(Send, &1, 1, MPI_INT, 0, 7, WORLD);
        mpi!(Send, &1, 1, MPI_INT, 0, 8, WORLD);
        looks(&[]);
        mpi!(Probe, MPI_ANY_SOURCE, 7, WORLD, NULL);
        looks(&["probed AnySource: (Some(0), Some(7))"]);
        mpi!(Iprobe, 0, 8, WORLD, &mut flag, NULL);
        looks(&["looked", "probed Both: (Some(0), Some(8))"]);
        let mut request = get_handle!(Irecv, &mut got, 1, MPI_INT, 0, 7, WORLD);
        work(50);
        mpi!(Request_get_status, request, &mut flag, NULL);
        looks(&["looked", "caught up", "saw"]);
        mpi!(Wait, &mut request, NULL);
        mpi!(Recv, &mut got, 1, MPI_INT, 0, 8, WORLD, NULL);
        looks(&[]);
        let mut file = file(MPI_COMM_SELF, "looks");
        mpi!(File_write_at, file, 0, &[0_u8; 8], 8, MPI_BYTE, NULL);
        mpi!(File_read_at, file, 4, &mut [0_u8; 8], 8, MPI_BYTE, NULL);
        looks(&["looked", "Write of 8 for 0", "looked", "Read of 4 for 0"]);
        mpi!(File_get_size, file, &mut size);
        work(50);
        mpi!(File_seek, file, 0, MPI_SEEK_END);
        looks(&["looked", "looked", "caught up"]);
        mpi!(File_close, &mut file);
    });
}

/// A program that asks for the time over and over, while none passes, gets a message about it once, with its rank.
#[test]
fn a_clock_that_stands_still() {
    let ran = apart("leftovers::a_clock_that_stands_still", |_| {
        run(1, |_| {
            let reads = |count: u32| {
                for _ in 0..count {
                    mpi!(Initialized, &mut 0);
                    call_unchecked("__wrap_clock", &[]);
                }
            };
            reads(99_000);
            work(1);
            reads(99_000);
            crate::process::stdio::error_line("not yet");
            reads(2000);
            work(1);
            reads(101_000);
        });
    });
    let Some(ran) = ran else { return };
    let words = "rank 0 has asked for the time 100000 times, and none has passed";
    assert_eq!(ran.errors.matches(words).count(), 1, "{}", ran.errors);
    assert!(ran.errors.find("not yet") < ran.errors.find(words));
}

/// A rank that computes is named after 10, 60 and 360 seconds.
#[test]
fn ranks_that_compute_are_named() {
    let ran = apart("leftovers::ranks_that_compute_are_named", |_| {
        let mut words = crate::process::turns::StuckRankWarnings::default();
        for seconds in [0, 9, 10, 59, 60, 359, 360] {
            words.say(Rank(3), std::time::Duration::from_secs(seconds));
        }
    });
    let Some(ran) = ran else { return };
    let said: Vec<&str> = ran.errors.lines().filter(|line| line.starts_with("rank ")).collect();
    assert_eq!(
        said,
        [10, 60, 360].map(|seconds| format!("rank 3 has computed for {seconds} s without calling MPI"))
    );
}

/// While standard output is kept for data, what programs print goes to standard error.
#[test]
fn what_is_printed_goes_to_standard_error() {
    let ran = apart("leftovers::what_is_printed_goes_to_standard_error", |_| {
        // SAFETY: texts of our own.
        let print = |text: &CStr| unsafe { libc::puts(text.as_ptr()) };
        print(c"first");
        let redirected = crate::process::stdio::ToStandardError::begin().unwrap();
        print(c"second");
        drop(redirected);
        print(c"third");
        crate::process::stdio::flush();
    });
    let Some(ran) = ran else { return };
    let of = |text: &str| ["first", "second", "third"].map(|word| text.contains(word));
    assert_eq!((of(&ran.printed), of(&ran.errors)), ([true, false, true], [false, true, false]));
}

/// What a process does that ends at once; no test otherwise.
#[test]
fn an_end_at_once() {
    let Some(how) = std::env::args().find_map(|argument| argument.strip_prefix("ends=").map(str::to_owned))
    else {
        return;
    };
    crate::process::signals::take();
    if how == "by a signal" {
        // SAFETY: a signal to this process, which is taken.
        unsafe { libc::raise(libc::SIGINT) };
    }
    crate::process::signals::end_at_once("the last line");
}

/// Processes that are asked to end: this one, and those that it has started, also when that was later; the status says why.
#[test]
fn signals_are_passed_on() {
    use super::apart::one_test;
    use crate::process::signals::{Forwarded, take};
    use std::os::unix::process::ExitStatusExt;
    for (how, status) in [("alone", 4), ("by a signal", 128 + libc::SIGINT)] {
        let output = one_test("leftovers::an_end_at_once").arg(format!("ends={how}")).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{how}");
        assert!(String::from_utf8_lossy(&output.stderr).ends_with("the last line\n"));
    }
    apart("leftovers::signals_are_passed_on", |_| {
        let sleeper = || std::process::Command::new("sleep").arg("60").spawn().unwrap();
        take();
        let (mut first, mut second, mut spared) = (sleeper(), sleeper(), sleeper());
        let _first = Forwarded::to(first.id());
        drop(Forwarded::to(spared.id()));
        let _second = Forwarded::to(second.id());
        // SAFETY: as above.
        unsafe { libc::raise(libc::SIGTERM) };
        for child in [&mut first, &mut second] {
            assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGTERM));
        }
        assert!(spared.try_wait().unwrap().is_none(), "it is let alone");
        spared.kill().unwrap();
        assert_eq!(spared.wait().unwrap().signal(), Some(libc::SIGKILL));
        let mut late = sleeper();
        let _late = Forwarded::to(late.id());
        assert_eq!(late.wait().unwrap().signal(), Some(libc::SIGTERM));
    });
}
