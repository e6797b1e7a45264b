//! How fast reductions combine, by operation and type: `[[combining]]`.

use crate::harness::*;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use weir_message::{CombiningRow, Costs, ElementName, OperationName};
use weir_units::Bandwidth;

const WORLD: usize = MPI_COMM_WORLD;

extern "C" fn nothing(_: *mut c_void, _: *mut c_void, _: *mut c_int, _: *mut usize) {}

/// The machine of [`timed`](crate::harness::timed), which combines 2 bytes in a ns, sums of doubles at half a byte, what functions of the
/// program do at a quarter of one, and 32-bit integers at 1 byte per ns.
fn machine() -> Machine {
    let row = |operation: &str, element: &str, bandwidth| CombiningRow {
        operations: OperationName::named(operation).into_iter().collect(),
        elements: ElementName::named(element).into_iter().collect(),
        up_to: None,
        bandwidth: Bandwidth::new(bandwidth).unwrap(),
    };
    let rows = [row("sum", "double", 0.5e9), row("user", "", 0.25e9), row("", "int32", 1e9)];
    let mut machine = Machine::timed(2);
    machine.options.costs = Costs {
        combine_bandwidth: Bandwidth::new(2e9),
        combining: rows.into(),
        ..(*machine.options.costs).clone()
    }
    .into();
    machine
}

/// When rank 0 is through.
fn end(main: impl Fn(usize) + 'static) -> u64 {
    let end = Rc::new(Cell::new(0));
    let noted = Rc::clone(&end);
    let main = move |rank: usize| {
        main(rank);
        if rank == 0 {
            noted.set(now());
        }
    };
    machine().run_mpi(main).finished();
    end.get()
}

/// The other's operand of 64 bytes has left its rank's hands at 10 + 32 ns, is there 64 + 1000 ns later and costs 10: at 1116 ns rank 0
/// combines.
#[test]
fn an_operation_takes_its_time() {
    for (operation, datatype, count, takes) in [
        (MPI_SUM, MPI_DOUBLE, 8, 128),
        (MPI_SUM, MPI_DOUBLE_PRECISION, 8, 128),
        (MPI_MAX, MPI_DOUBLE, 8, 32),
        (MPI_SUM, MPI_FLOAT, 16, 32),
        (MPI_SUM, MPI_INT, 16, 64),
        (MPI_BAND, MPI_INT32_T, 16, 64),
        (MPI_BAND, MPI_UNSIGNED, 16, 32),
        (MPI_MINLOC, MPI_2INT, 8, 32),
    ] {
        let data = || ([0_u64; 8], [0_u64; 8]);
        let reduce = end(move |_| {
            let (given, mut got) = data();
            mpi!(Reduce, &given, &mut got, count, datatype, operation, 0, WORLD);
        });
        let allreduce = end(move |_| {
            let (given, mut got) = data();
            mpi!(Allreduce, &given, &mut got, count, datatype, operation, WORLD);
        });
        let started = end(move |_| {
            let (given, mut got) = data();
            let mut request = get_handle!(Iallreduce, &given, &mut got, count, datatype, operation, WORLD);
            mpi!(Wait, &mut request, NULL);
        });
        assert_eq!([reduce, allreduce, started], [1116 + takes; 3], "{operation:#x} {datatype:#x}");
    }
}

/// A function of the program, on a predefined type and on one of its own: 256 ns. A copy of a predefined type is that type.
#[test]
fn functions_and_types_of_the_program() {
    let end = |types: fn() -> usize, own: bool| {
        end(move |_| {
            let op = if own { get_handle!(Op_create, nothing as *const (), 1) } else { MPI_SUM };
            let (given, mut got) = ([0_u64; 8], [0_u64; 8]);
            mpi!(Allreduce, &given, &mut got, 8, types(), op, WORLD);
        })
    };
    let pair = || {
        let mut datatype = get_handle!(Type_contiguous, 2, MPI_INT);
        mpi!(Type_commit, &mut datatype);
        datatype
    };
    assert_eq!([end(|| MPI_DOUBLE, true), end(pair, true)], [1116 + 256; 2]);
    assert_eq!(end(|| get_handle!(Type_dup, MPI_DOUBLE), false), 1116 + 128);
}

/// What a program combines by itself, and what an interface does to a window, takes no time of a processor.
#[test]
fn what_is_not_charged() {
    let end = end(|_| {
        let (given, mut got) = ([0_u64; 8], [0_u64; 8]);
        mpi!(Reduce_local, &given, &mut got, 8, MPI_DOUBLE, MPI_SUM);
    });
    assert_eq!(end, 0);
    let accumulated = |operation: usize| {
        machine()
            .run_mpi(move |_| {
                let memory = [0_u64; 8];
                let window = get_handle!(Win_create, &memory, 64, 8, MPI_INFO_NULL, WORLD);
                mpi!(Win_lock_all, 0, window);
                mpi!(Accumulate, &[0_u64; 8], 8, MPI_DOUBLE, 1, 0, 8, MPI_DOUBLE, operation, window);
                mpi!(Win_unlock_all, window);
                mpi!(Win_free, &mut { window });
            })
            .finished()
            .at()
    };
    assert_eq!(accumulated(MPI_SUM), accumulated(MPI_MAX));
}
