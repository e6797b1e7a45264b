//! Sampled blocks: which executions are measured and which are charged, by rank or by all, and what is refused. And what is
//! charged for measured work.

use crate::harness::*;
use crate::table;
use crate::world::options::Compute;
use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute;
use weir_message::Costs;
use weir_network::WorkFactors;

const PER_RANK: i32 = 1;
const GLOBAL: i32 = 2;

/// Comes to a block: whether it is to be executed.
fn begin(name: &CStr, scope: i32, first: f64, iterations: f64) -> bool {
    type Begin = extern "C" fn(*const c_char, i32, f64, f64) -> i32;
    // SAFETY: its signature.
    let begin = unsafe { transmute::<*const c_void, Begin>(table::function("weir_sample_begin").unwrap()) };
    begin(name.as_ptr(), scope, first, iterations) == 1
}

fn end() -> i32 {
    call_unchecked("weir_sample_end", &[]) as i32
}

/// Charges so many seconds.
fn compute(seconds: f64) {
    assert_eq!(given("weir_compute", seconds), 0);
}

/// An execution in which so many seconds are charged; whether it was executed, and for how long the clock went on, in us.
fn execution(name: &CStr, scope: i32, first: f64, iterations: f64, seconds: f64) -> (bool, u64) {
    let before = now_ps();
    let is_executed = begin(name, scope, first, iterations);
    if is_executed {
        compute(seconds);
        assert_eq!(end(), 0);
    }
    (is_executed, (now_ps() - before + 500_000) / 1_000_000)
}

/// Blocks of a second and more: beside that the processor time of the test is nothing. The first two executions take 1 s for one
/// iteration and 3 s for three; each iteration that is skipped is charged a second.
#[test]
fn the_first_executions_are_measured() {
    let ran = run(1, |_| {
        let near = |(is_executed, us): (bool, u64), expected: (bool, u64)| {
            assert!(
                is_executed == expected.0 && us.abs_diff(expected.1) < 100_000,
                "{us} us, and not {}",
                expected.1
            );
        };
        let block = |iterations, seconds| execution(c"loop", PER_RANK, 2.0, iterations, seconds);
        near(block(1.0, 1.0), (true, 1_000_000));
        near(block(3.0, 3.0), (true, 3_000_000));
        near(block(1.0, 9.0), (false, 1_000_000));
        near(block(5.0, 9.0), (false, 5_000_000));
        near(block(0.0, 9.0), (false, 0));
        // Always measured; and another rule is another block.
        for _ in 0..3 {
            near(execution(c"always", PER_RANK, -1.0, 1.0, 2.0), (true, 2_000_000));
        }
        near(execution(c"loop", GLOBAL, 2.0, 1.0, 4.0), (true, 4_000_000));
    });
    let blocks = ran.world.skeleton().unwrap().blocks;
    let told: Vec<_> = blocks
        .iter()
        .map(|block| (block.name.as_str(), block.executions, block.measured, block.iterations))
        .collect();
    assert_eq!(told, [("loop", 5, 2, 10.0), ("always", 3, 3, 3.0), ("loop", 1, 1, 1.0)]);
    for (block, charged, mean) in [(0, 10.0, 1.0), (1, 6.0, 2.0), (2, 4.0, 4.0)] {
        assert!((blocks[block].charged_s - charged).abs() < 0.1, "{:?}", blocks[block]);
        assert!((blocks[block].mean_s.unwrap() - mean).abs() < 0.1, "{:?}", blocks[block]);
    }
    assert!(blocks[0].deviation_s.unwrap() < 0.1 && blocks[2].deviation_s.is_none());
    assert_eq!(blocks[0].level, None);
}

/// What one rank has measured serves the other where all share, and not where each has its own.
#[test]
fn ranks_share_what_they_measure_or_not() {
    for (scope, other_executes) in [(PER_RANK, true), (GLOBAL, false)] {
        let ran = run(2, move |rank| {
            if rank == 1 {
                mpi!(Barrier, WORLD);
            }
            let (is_executed, us) = execution(c"block", scope, 1.0, 2.0, 2.0 + rank as f64);
            assert_eq!(is_executed, rank == 0 || other_executes);
            let expected = if rank == 1 && other_executes { 3_000_000 } else { 2_000_000 };
            assert!(us.abs_diff(expected) < 100_000, "{us} us at rank {rank}");
            if rank == 0 {
                mpi!(Barrier, WORLD);
            }
        });
        let [block] = &ran.world.skeleton().unwrap().blocks[..] else { panic!("one block") };
        assert_eq!((block.executions, block.measured), (2, if other_executes { 2 } else { 1 }));
    }
}

/// Rank 0 takes three times as long for its work, rank 1 half as long: what one measures is charged to the other with the other's
/// factor alone, in its own executions likewise, and blocks have the time that the program says.
#[test]
fn what_is_measured_is_without_the_factors_of_work() {
    let mut machine = Machine::free(2);
    let work = WorkFactors::default().times(&[0..=0], 3.0).times(&[1..=1], 0.5);
    machine.options.costs = Costs { work, ..Costs::default() }.into();
    let ran = machine.run_mpi(|rank| {
        if rank == 1 {
            mpi!(Barrier, WORLD);
        }
        let expected = if rank == 0 { [6_000_000, 6_000_000] } else { [1_000_000, 1_000_000] };
        for (expected, execution_of) in expected.into_iter().zip([rank == 0, false]) {
            let (is_executed, us) = execution(c"block", GLOBAL, 1.0, 1.0, 2.0);
            assert_eq!(is_executed, execution_of);
            assert!(us.abs_diff(expected) < 300_000, "{us} us at rank {rank}");
        }
        if rank == 0 {
            mpi!(Barrier, WORLD);
        }
    });
    let [block] = &ran.world.skeleton().unwrap().blocks[..] else { panic!("one block") };
    assert!((block.charged_s - 8.0).abs() < 0.1 && (block.mean_s.unwrap() - 2.0).abs() < 0.1, "{block:?}");
}

/// Blocks do not nest, have an end each, and call no MPI; what is refused is executed, and not counted.
#[test]
fn blocks_that_are_refused() {
    let why = |body: fn()| {
        let ran = Machine::free(1).run(move |_| {
            mpi!(Init, 0, 0);
            body();
            0
        });
        ran.aborted().1.to_owned()
    };
    let cases: [(fn(), &str); 6] = [
        (
            || {
                begin(c"outer", PER_RANK, 1.0, 1.0);
                begin(c"inner", PER_RANK, 1.0, 1.0);
            },
            "weir_sample_begin failed: MPI_ERR_ARG: the block \"inner\" begins within the block \"outer\"",
        ),
        (|| _ = end(), "weir_sample_end failed: MPI_ERR_ARG: no sampled block has begun"),
        (
            || {
                begin(c"calls", PER_RANK, 1.0, 1.0);
                mpi!(Initialized, &mut 0);
                end();
            },
            "weir_sample_end failed: MPI_ERR_ARG: MPI was called within the sampled block \"calls\"",
        ),
        (
            || _ = begin(c"b", 3, 1.0, 1.0),
            "weir_sample_begin failed: MPI_ERR_ARG: 3 is no scope: WEIR_PER_RANK or WEIR_GLOBAL",
        ),
        (
            || _ = begin(c"b", PER_RANK, 1.5, 1.0),
            "weir_sample_begin failed: MPI_ERR_ARG: 1.5 is no number of executions to measure",
        ),
        (
            || _ = begin(c"b", PER_RANK, 1.0, f64::INFINITY),
            "weir_sample_begin failed: MPI_ERR_ARG: inf is no number of iterations",
        ),
    ];
    for (body, expected) in cases {
        let why = why(body);
        assert!(why.contains(expected), "{why}");
    }
    let ran = run(1, |_| {
        for (scope, first, iterations) in [
            (0, 1.0, 1.0),
            (3, 1.0, 1.0),
            (1, 0.0, 1.0),
            (1, 0.5, 1.0),
            (1, 2e15, 1.0),
            (1, -2.0, 1.0),
            (1, 1.0, -1.0),
        ] {
            assert!(begin(c"b", scope, first, iterations), "{scope} {first} {iterations}");
            assert_eq!(end(), 0, "its end is no mistake of its own");
        }
        // A block that is refused at its end is over: the next begins.
        begin(c"calls", PER_RANK, 1.0, 1.0);
        mpi!(Initialized, &mut 0);
        end();
        assert!(execution(c"good", PER_RANK, 1e15, 0.0, 1.0).0);
    });
    let blocks = ran.world.skeleton().unwrap().blocks;
    let told: Vec<_> = blocks.iter().map(|block| (block.name.as_str(), block.executions)).collect();
    assert_eq!(told, [("calls", 0), ("good", 1)]);
}

/// Spins until the thread has had so many milliseconds of a processor.
pub(super) fn spin(milliseconds: u64) {
    let begin = crate::process::processor_time();
    while crate::process::processor_time().as_ps() - begin.as_ps() < milliseconds * 1_000_000_000 {}
}

/// Work is charged times the factor; time within MPI, where other ranks work, is not, nor is it charged twice.
#[test]
fn measured_work_is_charged_once() {
    for factor in [0.0, 1.0, 100.0] {
        let mut machine = Machine::free(2);
        machine.options.compute = Compute::Measured(factor);
        machine.finishes(move |rank| {
            let ms = |ps: u64| ps as f64 / 1e9;
            mpi!(Barrier, WORLD);
            if rank == 1 {
                // The other has come to its receive when this one goes on.
                mpi!(Recv, &mut 0, 1, MPI_INT, 0, 0, WORLD, NULL);
            }
            let begin = now_ps();
            if rank == 0 {
                mpi!(Send, &1, 1, MPI_INT, 1, 0, WORLD);
                // While this rank waits the other spins.
                mpi!(Recv, &mut 0, 1, MPI_INT, 1, 0, WORLD, NULL);
                let waited = ms(now_ps() - begin);
                assert!(
                    (10.0 * factor..60.0 * factor + 0.001).contains(&waited),
                    "{waited} ms, times {factor}"
                );
                let begin = now_ps();
                (0..100).for_each(|_| mpi!(Initialized, &mut 0));
                assert!(ms(now_ps() - begin) < 5.0 * factor + 0.001, "calls are no work");
            } else {
                spin(10);
                mpi!(Initialized, &mut 0);
                let worked = ms(now_ps() - begin);
                assert!(
                    (10.0 * factor..30.0 * factor + 0.001).contains(&worked),
                    "{worked} ms, times {factor}"
                );
                mpi!(Send, &1, 1, MPI_INT, 0, 0, WORLD);
            }
        });
    }
}

/// A measured execution takes the processor time that it takes here, and its own clock calls.
#[test]
fn executions_take_their_own_time() {
    run(1, |_| {
        for (spun, charged) in [(5, 0.0), (10, 0.5)] {
            let before = now_ps();
            assert!(begin(c"work", PER_RANK, -1.0, 1.0));
            spin(spun);
            compute(charged);
            end();
            let took = (now_ps() - before) as f64 / 1e12 - charged;
            assert!((spun as f64 * 1e-3..0.1).contains(&took), "{took} s for {spun} ms");
        }
        // Time outside of blocks is not.
        let before = now_ps();
        spin(5);
        assert!(begin(c"work", PER_RANK, -1.0, 1.0));
        end();
        assert!(now_ps() - before < 4_000_000_000, "{} ps", now_ps() - before);
    });
}

/// What the thread has done before a rank begins is not the rank's work.
#[test]
fn work_begins_with_the_rank() {
    std::thread::spawn(|| {
        spin(60);
        let mut machine = Machine::free(1);
        machine.options.compute = Compute::Measured(1.0);
        let ran = machine.run(|_| {
            mpi!(Init, 0, 0);
            assert!(now_ps() < 40_000_000_000, "{} ps", now_ps());
            mpi!(Finalize);
            0
        });
        ran.finished();
    })
    .join()
    .unwrap();
}
