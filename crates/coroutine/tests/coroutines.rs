//! Stacks, suspension, crashes and globals, with a program compiled by the system's C compiler.
#![allow(unsafe_code)] // calls functions of the loaded program

use std::cell::Cell;
use std::ffi::c_int;
use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use weir_coroutine::{
    Arena, Coroutine, CoroutineEnd, Crash, Globals, Interrupter, LoadedProgram, ProgramOfRanks, StackSize,
    Way, as_loaded, has_crashed, leave, own_threads, suspend,
};

fn compile(name: &str, flags: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let out = dir.path().join(name);
    let source = format!("{}/tests/programs/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-fstack-clash-protection", "-Wl,-Bsymbolic", "-o"])
        .arg(&out)
        .args(flags)
        .arg(source)
        .status();
    assert!(status.expect("a C compiler").success());
    (dir, out)
}

fn arena(count: usize) -> Rc<Arena> {
    Arena::new(count, StackSize(64 * 1024)).expect("address space")
}

#[test]
fn leaving_and_dropping_halfway_are_ends() {
    fn dive(depth: u32) -> i32 {
        if depth == 0 { leave(3) } else { dive(depth - 1) + 1 }
    }
    let arena = arena(2);
    assert_eq!(Coroutine::new(&arena, 0, || dive(20)).resume(), Some(CoroutineEnd::Left(3)));
    let mut half = Coroutine::new(&arena, 1, || {
        suspend();
        0
    });
    assert_eq!(half.resume(), None);
}

#[test]
fn errno_stays_with_the_coroutine() {
    // SAFETY: errno is a variable of this thread.
    let (get, set) =
        (|| unsafe { *libc::__errno_location() }, |value| unsafe { *libc::__errno_location() = value });
    let arena = arena(1);
    let mut coroutine = Coroutine::new(&arena, 0, move || {
        set(5);
        suspend();
        get()
    });
    assert_eq!(coroutine.resume(), None);
    set(11);
    assert_eq!(coroutine.resume(), Some(CoroutineEnd::Returned(5)));
}

#[test]
fn a_program_that_breaks_ends_its_coroutine_only() {
    let (_dir, path) = compile("globals", &[]);
    let program = LoadedProgram::load(&path).expect("it loads");
    let address = |name| program.symbol(name).expect("it is there");
    // SAFETY: the signatures are those of globals.c.
    let (divide, follow, deep) = unsafe {
        (
            std::mem::transmute::<*mut std::ffi::c_void, extern "C" fn(c_int, c_int) -> c_int>(address(
                "divide",
            )),
            std::mem::transmute::<*mut std::ffi::c_void, extern "C" fn(usize) -> c_int>(address("follow")),
            std::mem::transmute::<*mut std::ffi::c_void, extern "C" fn(c_int) -> c_int>(address("deep")),
        )
    };
    let arena = arena(6);
    let run = |stack: usize, body: Box<dyn FnOnce() -> i32>| Coroutine::new(&arena, stack, body).resume();
    let crashed = |crash| Some(CoroutineEnd::Crashed(crash));
    assert_eq!(run(0, Box::new(move || divide(7, 2))), Some(CoroutineEnd::Returned(3)));
    assert_eq!(run(1, Box::new(move || divide(7, 0))), crashed(Crash::Arithmetic));
    assert_eq!(run(2, Box::new(move || follow(0))), crashed(Crash::Memory { address: 0 }));
    assert_eq!(
        run(3, Box::new(move || follow(0x10_0000_0000))),
        crashed(Crash::Memory { address: 0x10_0000_0000 })
    );
    assert_eq!(run(4, Box::new(move || deep(1))), crashed(Crash::StackOverflow));
    assert_eq!(run(5, Box::new(|| std::process::abort())), crashed(Crash::Abort));
    assert_eq!(
        run(0, Box::new(move || divide(9, 3))),
        Some(CoroutineEnd::Returned(3)),
        "and the thread goes on"
    );
}

/// Every rank calls functions of the program in turn, and finds what it has left.
fn every_rank_has_its_own_globals(way: Way, flags: &[&str]) {
    extern "C" fn own() -> c_int {
        4321
    }
    let (_dir, path) = compile("globals", flags);
    let program = LoadedProgram::load(&path).expect("it loads");
    // SAFETY: the program uses it as that function does.
    unsafe { program.replace(&[(c"rand", own as *const std::ffi::c_void)]) }.expect("it can be written");
    let mut outside = [0u8; 4];
    let more = [(outside.as_mut_ptr(), 4)];
    let of = |ranks| ProgramOfRanks { program: &program, ranks, shared: (std::ptr::null_mut(), 0) };
    // It stands there twice: as two programs do, each with some of the ranks.
    // SAFETY: the program stays loaded and runs here only.
    let mut globals = unsafe { Globals::new(&[of(2), of(3)], way, &more) }.expect("memory");
    assert_eq!([0, 1, 2, 4].map(|rank| globals.program_of(rank)), [0, 0, 1, 1]);
    assert_eq!(globals.why_in_place().is_some(), way == Way::InPlace);
    assert!(globals.bytes() > 1 << 20, "{}", globals.bytes());
    let loaded = |name| program.symbol(name).expect("there") as usize;
    let (bump, sum, astray) = (loaded("bump"), loaded("sum"), loaded("astray"));
    let start = outside.as_ptr() as usize;
    let overlaps = [(start, 1), (start + 3, 9), (start - 8, 9), (start - 8, 8), (start + 4, 1), (bump, 8)]
        .map(|(start, length)| globals.overlap(start, length));
    assert_eq!(overlaps, [true, true, true, false, false, false]);
    let mut expected = [100 + 7 + 1 + 2 + 3; 5];
    let mut calls = [0; 5];
    for step in 0..40 {
        let rank = step * 7 % 5;
        let by = 1 + step as i32 % 3;
        globals.activate(rank);
        // SAFETY: the signatures are those of globals.c.
        let (bump, [sum, astray]) = unsafe {
            (
                std::mem::transmute::<usize, extern "C" fn(c_int) -> c_int>(globals.address(rank, bump)),
                [sum, astray].map(|function| {
                    assert_eq!(as_loaded(globals.address(rank, function)), function);
                    std::mem::transmute::<usize, extern "C" fn() -> c_int>(globals.address(rank, function))
                }),
            )
        };
        assert_eq!(astray(), 0, "{way:?}: rank {rank} step {step}");
        // SAFETY: our own array, in place for this rank.
        unsafe { outside.as_mut_ptr().write_volatile(outside.as_ptr().read_volatile() + 1) };
        let place_was = if calls[rank] == 0 { 0 } else { sum() - expected[rank] };
        assert_eq!(place_was, 0, "{way:?}: rank {rank} step {step}");
        calls[rank] += 1;
        assert_eq!(bump(by), calls[rank], "{way:?}: rank {rank} step {step}");
        // SAFETY: as above.
        assert_eq!(i32::from(unsafe { outside.as_ptr().read_volatile() }), calls[rank]);
        expected[rank] = sum();
    }
}

/// In place, in instances, and where they are large: then they have instances.
#[test]
fn globals_are_of_each_rank() {
    every_rank_has_its_own_globals(Way::InPlace, &[]);
    every_rank_has_its_own_globals(Way::Instances, &["-Wl,-z,pack-relative-relocs"]);
    every_rank_has_its_own_globals(Way::Fitting, &[]);
}

/// Who computes for ever ends in the program's code, and is left alone in ours.
#[test]
fn a_program_is_interrupted_in_its_own_code() {
    let (_dir, path) = compile("globals", &[]);
    let program = LoadedProgram::load(&path).expect("it loads");
    // SAFETY: the signature is that of globals.c.
    let spin = unsafe {
        std::mem::transmute::<*mut std::ffi::c_void, extern "C" fn(*const c_int) -> c_int>(
            program.symbol("spin").expect("it is there"),
        )
    };
    // How often it has been asked, or that it is over.
    const OVER: u32 = 1 << 31;
    let (interrupter, times) = (Interrupter::of_this_thread(), Arc::new(AtomicU32::new(0)));
    let asked = Arc::clone(&times);
    let asking = std::thread::spawn(move || {
        while asked.fetch_add(1, Ordering::Relaxed) < OVER {
            interrupter.interrupt();
            std::thread::sleep(Duration::from_millis(2));
        }
    });
    let arena = arena(2);
    let asked = Arc::clone(&times);
    let own = move || {
        while asked.load(Ordering::Relaxed) < 5 {}
        7
    };
    let left_alone = Coroutine::new(&arena, 0, own).resume();
    let ended = Coroutine::new(&arena, 1, move || spin(&1)).resume();
    times.store(OVER, Ordering::Relaxed);
    asking.join().expect("it ends");
    assert_eq!((left_alone, ended), (Some(CoroutineEnd::Returned(7)), Some(CoroutineEnd::Interrupted)));
}

/// Breaks outside of coroutines when one has run, and in a thread that a rank has made; no test otherwise.
#[test]
fn breaks_outside() {
    let stack = std::env::args().find_map(|argument| argument.strip_prefix("behind=")?.parse().ok());
    if let Some(stack) = stack {
        Coroutine::new(&arena(8), stack, || 0).resume();
        std::process::abort();
    }
    if std::env::args().any(|argument| argument == "in a thread") {
        let mut coroutine = Coroutine::new(&arena(1), 0, || {
            let thread = std::thread::spawn(|| {
                own_threads::adopt(3);
                // SAFETY: breaks the thread.
                unsafe { std::ptr::null::<u8>().wrapping_add(5).read_volatile() };
            });
            while !thread.is_finished() {
                suspend();
            }
            0
        });
        let ended = std::iter::from_fn(|| Some(coroutine.resume())).flatten().next();
        assert_eq!(ended, Some(CoroutineEnd::ByThread));
        let end = own_threads::take().expect("it is there").to_string();
        assert_eq!(
            end,
            "a thread that the program of rank 3 made crashed: segmentation fault: it used a null pointer"
        );
        assert!(own_threads::take().is_none() && has_crashed());
        std::process::exit(7);
    }
}

#[test]
fn what_breaks_beside_ranks_is_named() {
    for (how, code, words) in [
        (
            "behind=5",
            1,
            "most likely by the program, which shares it: by what it wrote out of bounds, or unmapped (rank 5 ran last)",
        ),
        ("in a thread", 7, ""),
    ] {
        let mut own = Command::new(std::env::current_exe().expect("a test program knows its file"));
        let output = own.args(["breaks_outside", "--exact", "--nocapture", how]).output().expect("it starts");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(output.status.code() == Some(code) && said.contains(words), "{:?}: {said}", output.status);
    }
}

/// Each instance takes as many mappings as is said where there are too many ranks for instances.
#[test]
fn instances_take_the_mappings_that_are_said() {
    let (_dir, path) = compile("globals", &[]);
    let program = LoadedProgram::load(&path).expect("it loads");
    let globals = |ranks| {
        let of_ranks = ProgramOfRanks { program: &program, ranks, shared: (std::ptr::null_mut(), 0) };
        // SAFETY: the program stays loaded, and nothing of it runs.
        unsafe { Globals::new(&[of_ranks], Way::Instances, &[]) }.expect("memory")
    };
    let why = globals(40_000).why_in_place().expect("there are too many").to_owned();
    let needed = why.strip_prefix("instances for 40000 ranks take ").and_then(|rest| rest.split(' ').next());
    let needed: usize = needed.and_then(|needed| needed.parse().ok()).expect("a number");
    let made = globals(9);
    let bump = program.symbol("bump").expect("it is there") as usize;
    let between = made.address(0, bump)..made.address(8, bump);
    let maps = std::fs::read_to_string("/proc/self/maps").expect("it is there");
    let starts = maps.lines().filter_map(|line| usize::from_str_radix(line.split('-').next()?, 16).ok());
    assert_eq!(starts.filter(|start| between.contains(start)).count(), needed / 40_000 * 8);
}

/// Uses so many times 16 KiB of its stack, and waits there.
#[inline(never)]
fn wait_deep_down(blocks: u32, has_come: &Cell<bool>) {
    let block = std::hint::black_box([1_u8; 16 << 10]);
    if blocks > 1 {
        wait_deep_down(blocks - 1, has_come);
    } else {
        has_come.set(true);
        suspend();
    }
    std::hint::black_box(&block);
}

/// With guards a rank ends where its stack does. Without them it goes on in the stack of another, until it waits.
#[test]
fn an_overflow_without_guards_is_found_when_the_rank_waits() {
    for (stacks, goes_on) in [(20_000, false), (20_001, true)] {
        let arena = arena(stacks);
        for (blocks, overflows) in [(2, false), (6, true)] {
            let has_come = Rc::new(Cell::new(false));
            let seen = Rc::clone(&has_come);
            let mut coroutine = Coroutine::new(&arena, stacks / 2, move || {
                wait_deep_down(blocks, &seen);
                0
            });
            let expected = overflows.then_some(CoroutineEnd::Crashed(Crash::StackOverflow));
            assert_eq!(coroutine.resume(), expected, "{stacks} stacks, {blocks} blocks");
            assert_eq!(has_come.get(), goes_on || !overflows, "{stacks} stacks, {blocks} blocks");
        }
    }
}

#[test]
fn what_is_no_program_is_refused() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let text = dir.path().join("text");
    std::fs::write(&text, "no program").expect("written");
    assert!(LoadedProgram::load(&text).is_err());
    assert!(LoadedProgram::load(&dir.path().join("nothing")).is_err());
    let (_dir, path) = compile("globals", &[]);
    let error =
        LoadedProgram::load(&path).expect("it loads").symbol("main").expect_err("it has none").to_string();
    assert!(error.contains("weir cc"), "{error}");
}
