//! Reductions: predefined operations on every type, operations of the program, and the order of operands.

use super::forms::{Form, Width, carry_out};
use crate::harness::*;
use crate::mpi::operations;
use crate::rank::context::Context;
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_void};
use std::rc::Rc;
use weir_message::{CombiningRow, Costs, ElementName, OperationName};
use weir_units::Bandwidth;

/// `from op into`, for one element; the class of the mistake where that is not defined.
fn local<T: Copy>(op: usize, datatype: usize, from: T, into: T) -> Result<T, i32> {
    let mut result = into;
    let code = code!(Reduce_local, &from, &mut result, 1, datatype, op);
    let (mut again, wide) = (into, code!(Reduce_local_c, &from, &mut { into }, 1, datatype, op));
    assert_eq!(code, wide);
    if code == MPI_SUCCESS {
        mpi!(Allreduce, &from, &mut again, 1, datatype, op, MPI_COMM_SELF);
        Ok(result)
    } else {
        Err(code)
    }
}

macro_rules! integers {
    ($($datatype:ident $kind:ty),* $(,)?) => {$({
        let of = |op, a: $kind, b: $kind| local(op, $datatype, a, b);
        assert_eq!(of(MPI_SUM, 5, 3), Ok(8));
        assert_eq!(of(MPI_SUM, <$kind>::MAX, 1), Ok(<$kind>::MIN), "it wraps");
        assert_eq!(of(MPI_PROD, 5, 3), Ok(15));
        assert_eq!((of(MPI_MIN, 5, 3), of(MPI_MAX, 5, 3)), (Ok(3), Ok(5)));
        assert_eq!(of(MPI_MIN, <$kind>::MIN, 1), Ok(<$kind>::MIN));
        assert_eq!(of(MPI_MAX, <$kind>::MIN, 1), Ok(1));
        assert_eq!((of(MPI_BAND, 6, 3), of(MPI_BOR, 6, 3), of(MPI_BXOR, 6, 3)), (Ok(2), Ok(7), Ok(5)));
        assert_eq!((of(MPI_LAND, 6, 0), of(MPI_LAND, 6, 9)), (Ok(0), Ok(1)));
        assert_eq!((of(MPI_LOR, 6, 0), of(MPI_LOR, 0, 0)), (Ok(1), Ok(0)));
        assert_eq!((of(MPI_LXOR, 6, 0), of(MPI_LXOR, 6, 9)), (Ok(1), Ok(0)));
        assert_eq!((of(MPI_MINLOC, 6, 0), of(MPI_REPLACE, 6, 0)), (Err(MPI_ERR_OP), Err(MPI_ERR_OP)));
    })*};
}

#[test]
fn predefined_operations_on_integers() {
    run(1, |_| {
        integers!(
            MPI_INT i32, MPI_LONG i64, MPI_SHORT i16, MPI_LONG_LONG_INT i64, MPI_SIGNED_CHAR i8,
            MPI_UNSIGNED u32, MPI_UNSIGNED_LONG u64, MPI_UNSIGNED_SHORT u16, MPI_UNSIGNED_CHAR u8,
            MPI_UNSIGNED_LONG_LONG u64, MPI_INT8_T i8, MPI_INT16_T i16, MPI_INT32_T i32, MPI_INT64_T i64,
            MPI_UINT8_T u8, MPI_UINT16_T u16, MPI_UINT32_T u32, MPI_UINT64_T u64, MPI_AINT i64,
            MPI_COUNT i64, MPI_OFFSET i64, MPI_INTEGER i32, MPI_INTEGER1 i8, MPI_INTEGER2 i16,
            MPI_INTEGER4 i32, MPI_INTEGER8 i64,
        );
    });
}

#[test]
fn predefined_operations_on_other_types() {
    run(1, |_| {
        for datatype in [MPI_DOUBLE, MPI_DOUBLE_PRECISION, MPI_REAL8] {
            let of = |op| local(op, datatype, 1.5_f64, 2.0);
            assert_eq!([MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX].map(of), [3.5, 3.0, 1.5, 2.0].map(Ok));
            assert_eq!(
                (of(MPI_BAND), of(MPI_BOR), of(MPI_MAXLOC)),
                (Err(MPI_ERR_OP), Err(MPI_ERR_OP), Err(MPI_ERR_OP))
            );
        }
        for datatype in [MPI_FLOAT, MPI_REAL, MPI_REAL4] {
            let of = |op| local(op, datatype, 1.5_f32, 2.0);
            assert_eq!([MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX].map(of), [3.5, 3.0, 1.5, 2.0].map(Ok));
        }
        // (1 + 2i) and (3 - i).
        for datatype in [MPI_C_DOUBLE_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX16] {
            let of = |op| local(op, datatype, [1.0_f64, 2.0], [3.0, -1.0]);
            assert_eq!((of(MPI_SUM), of(MPI_PROD)), (Ok([4.0, 1.0]), Ok([5.0, 5.0])));
            assert_eq!(of(MPI_MAX), Err(MPI_ERR_OP));
        }
        for datatype in [MPI_C_COMPLEX, MPI_CXX_FLOAT_COMPLEX, MPI_COMPLEX, MPI_COMPLEX8] {
            let of = |op| local(op, datatype, [1.0_f32, 2.0], [3.0, -1.0]);
            assert_eq!((of(MPI_SUM), of(MPI_PROD)), (Ok([4.0, 1.0]), Ok([5.0, 5.0])));
        }
        for datatype in [MPI_C_BOOL, MPI_CXX_BOOL] {
            let of = |op| local(op, datatype, 1_u8, 0);
            assert_eq!((of(MPI_LAND), of(MPI_LOR), of(MPI_LXOR)), (Ok(0), Ok(1), Ok(1)));
            assert_eq!(of(MPI_SUM), Err(MPI_ERR_OP));
        }
        let of = |op| local(op, MPI_BYTE, 6_u8, 3);
        assert_eq!(
            (of(MPI_BAND), of(MPI_BOR), of(MPI_BXOR), of(MPI_SUM)),
            (Ok(2), Ok(7), Ok(5), Err(MPI_ERR_OP))
        );
        // Values with places: of equal ones the first place.
        let of = |op, a, b| local(op, MPI_2INT, a, b);
        assert_eq!(of(MPI_MINLOC, [3, 9], [5, 1]), Ok([3, 9]));
        assert_eq!(of(MPI_MAXLOC, [3, 9], [5, 1]), Ok([5, 1]));
        assert_eq!(
            (of(MPI_MINLOC, [5, 9], [5, 1]), of(MPI_MAXLOC, [5, 0], [5, 1])),
            (Ok([5, 1]), Ok([5, 0]))
        );
        assert_eq!(of(MPI_SUM, [5, 9], [5, 1]), Err(MPI_ERR_OP));
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq)]
        struct At<T>(T, i32);
        assert_eq!(local(MPI_MINLOC, MPI_DOUBLE_INT, At(2.5, 4), At(1.5, 6)), Ok(At(1.5, 6)));
        assert_eq!(local(MPI_MAXLOC, MPI_FLOAT_INT, At(2.5_f32, 4), At(1.5, 6)), Ok(At(2.5, 4)));
        assert_eq!(local(MPI_MINLOC, MPI_LONG_INT, At(2_i64, 4), At(1, 6)), Ok(At(1, 6)));
        assert_eq!(local(MPI_MAXLOC, MPI_SHORT_INT, At(2_i16, 4), At(1, 6)), Ok(At(2, 4)));
        let pair = committed(get_handle!(Type_contiguous, 2, MPI_INT));
        assert_eq!(local(MPI_SUM, pair, [1, 2], [3, 4]), Err(MPI_ERR_OP));
        let copy = get_handle!(Type_dup, MPI_INT);
        assert_eq!(local(MPI_SUM, copy, 1, 2), Ok(3), "a copy of a predefined type is as good");
        let into = (&raw const pair) as usize;
        assert_eq!(code!(Reduce_local, into, into, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    });
}

/// Maps `x -> a x + b`, one after the other: `(a, b) then (c, d)` is `(a c, b c + d)`. The order matters.
unsafe extern "C" fn then(from: *mut c_void, into: *mut c_void, count: *mut i32, _: *mut usize) {
    // SAFETY: so many pairs are there.
    unsafe {
        for place in 0..*count as usize {
            let (first, second) = (from.cast::<[i64; 2]>().add(place), into.cast::<[i64; 2]>().add(place));
            let ([a, b], [c, d]) = (*first, *second);
            *second = [(a * c) % 1009, (b * c + d) % 1009];
        }
    }
}

/// The same with a large count.
unsafe extern "C" fn then_large(from: *mut c_void, into: *mut c_void, count: *mut i64, datatype: *mut usize) {
    // SAFETY: as above.
    unsafe { then(from, into, &mut (*count as i32), datatype) }
}

fn map(rank: usize) -> [i64; 2] {
    [rank as i64 + 2, 3 * rank as i64 + 1]
}

fn composed(ranks: std::ops::Range<usize>) -> [i64; 2] {
    ranks.map(map).reduce(|[a, b], [c, d]| [(a * c) % 1009, (b * c + d) % 1009]).unwrap()
}

#[test]
fn operations_of_the_program_keep_the_order() {
    for size in 1..8 {
        for wide in [false, true] {
            run(size, move |rank| {
                let mut op = match wide {
                    false => get_handle!(Op_create, then as *const (), 0),
                    true => get_handle!(Op_create_c, then_large as *const (), 0),
                };
                assert_eq!(get!(Op_commutative, op), 0);
                let pair = committed(get_handle!(Type_contiguous, 2, MPI_INT64_T));
                let (mine, mut got) = (map(rank), [0; 2]);
                mpi!(Allreduce, &mine, &mut got, 1, pair, op, WORLD);
                assert_eq!(got, composed(0..size));
                mpi!(Scan, &mine, &mut got, 1, pair, op, WORLD);
                assert_eq!(got, composed(0..rank + 1));
                got = [0; 2];
                mpi!(Exscan, &mine, &mut got, 1, pair, op, WORLD);
                assert_eq!(got, if rank == 0 { [0; 2] } else { composed(0..rank) });
                for root in 0..size {
                    got = [0; 2];
                    mpi!(Reduce, &mine, &mut got, 1, pair, op, root, WORLD);
                    assert_eq!(got, if rank == root { composed(0..size) } else { [0; 2] });
                }
                let all: Vec<[i64; 2]> = vec![mine; size];
                mpi!(Reduce_scatter_block, &all[..], &mut got, 1, pair, op, WORLD);
                assert_eq!(got, composed(0..size));
                let mut request = get_handle!(Iallreduce, &mine, &mut got, 1, pair, op, WORLD);
                mpi!(Wait, &mut request, NULL);
                assert_eq!(got, composed(0..size));
                let stale = op;
                mpi!(Op_free, &mut op);
                assert_eq!(op, MPI_OP_NULL);
                assert_eq!(code!(Op_free, &mut { stale }), MPI_ERR_OP);
                assert_eq!(code!(Allreduce, &mine, &mut got, 1, pair, stale, WORLD), MPI_ERR_OP);
                assert_eq!(code!(Op_commutative, stale, &mut 0), MPI_ERR_OP);
            });
        }
    }
    run(1, |_| {
        assert_eq!(get!(Op_commutative, get_handle!(Op_create, then as *const (), 1)), 1);
        assert_eq!(get!(Op_commutative, MPI_SUM), 1);
        // Also where elements have gaps.
        let mut context = Context::get().unwrap();
        for (op, kind) in [
            (MPI_SUM, MPI_INT),
            (MPI_MINLOC, MPI_DOUBLE_INT),
            (MPI_MAXLOC, MPI_SHORT_INT),
            (MPI_MINLOC, MPI_2INT),
        ] {
            let found = operations::get(&mut context, op as *mut c_void, kind as *mut c_void);
            assert!(found.unwrap().commutes(), "{op:#x} {kind:#x}");
        }
        drop(context);
        assert_eq!(code!(Op_free, &mut MPI_SUM.clone()), MPI_ERR_OP);
    });
}

/// Adds the longs at the bytes that the datatype has its data at: 8 before its address, and 16 behind it.
unsafe extern "C" fn add_around(from: *mut c_void, into: *mut c_void, count: *mut i32, datatype: *mut usize) {
    let mut extent = [0_i64; 2];
    let [lower, bytes] = &mut extent;
    // SAFETY: the datatype is a variable of the library, and so many elements are there.
    unsafe {
        mpi!(Type_get_extent, *datatype, lower, bytes);
        for element in 0..*count as isize {
            for place in [-8, 16] {
                let at = element * extent[1] as isize + place;
                *into.byte_offset(at).cast::<i64>() += *from.byte_offset(at).cast::<i64>();
            }
        }
    }
}

/// Elements may begin before their address, and lie one behind the other, apart, or backwards.
#[test]
fn operations_of_the_program_see_bounds() {
    for (extent, count) in [(48_isize, 3_usize), (32, 2), (48, 1), (-48, 3), (64, 5)] {
        run(2, move |rank| {
            let op = get_handle!(Op_create, add_around as *const (), 1);
            let (mut around, mut sized) = (0_usize, 0_usize);
            mpi!(Type_create_hindexed, 2, &[1, 1], &[-8_isize, 16], MPI_LONG, &mut around);
            mpi!(Type_create_resized, around, 0, extent, &mut sized);
            mpi!(Type_commit, &mut sized);
            // In the middle of memory that is long enough for all.
            let (mut mine, mut got) = ([0_i64; 101], [0_i64; 101]);
            let places = |element: usize| {
                let at = 50 + element as isize * extent / 8;
                [at - 1, at + 2].map(|place| place as usize)
            };
            for element in 0..count {
                let [one, other] = places(element);
                (mine[one], mine[other]) = (10 * element as i64 + 1, rank as i64);
            }
            mpi!(Allreduce, &mine[50], &mut got[50], count, sized, op, WORLD);
            for element in 0..count {
                let [one, other] = places(element);
                assert_eq!((got[one], got[other]), (20 * element as i64 + 2, 1), "{extent}, {element}");
                (got[one], got[other]) = (0, 0);
            }
            assert_eq!(got, [0; 101], "nothing else is written");
        });
    }
    run(1, |_| {
        let op = get_handle!(Op_create, add_around as *const (), 1);
        let mut far = 0_usize;
        mpi!(Type_create_hindexed, 2, &[1, 1], &[0_isize, 1 << 33], MPI_LONG, &mut far);
        mpi!(Type_commit, &mut far);
        assert_eq!(code!(Allreduce, 0, 0, 0, far, op, WORLD), MPI_ERR_OP, "scattered over all of memory");
    });
}

/// In an operation only functions may be called that communicate with nobody.
unsafe extern "C" fn sends(_: *mut c_void, _: *mut c_void, _: *mut i32, _: *mut usize) {
    code!(Barrier, WORLD);
}

#[test]
fn operations_may_not_communicate() {
    let ran = Machine::free(2).run_mpi(|_| {
        let op = get_handle!(Op_create, sends as *const (), 1);
        mpi!(Allreduce, &1, &mut 0, 1, MPI_INT, op, WORLD);
    });
    let (_, why) = ran.aborted();
    assert!(
        why.starts_with(
            "MPI_Barrier was called in an operation of the program (MPI_Op_create), within MPI_Allreduce"
        ),
        "{why}"
    );
}

extern "C" fn nothing(_: usize, _: usize, _: usize, _: usize) {}

/// The machine of [`timed`](crate::harness::timed), which combines 2 bytes in a ns, sums of doubles at half a byte, what functions of the
/// program do at a quarter of one, and 32-bit integers at 1 byte per ns.
fn machine() -> Machine {
    let row = |operation: &str, element: &str, bandwidth| CombiningRow {
        operations: OperationName::named(operation).into_iter().collect(),
        elements: ElementName::named(element).into_iter().collect(),
        up_to: None,
        vector_up_to: None,
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
    machine().finishes(main);
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
        let took = [Form::Waiting, Form::Started].map(|form| {
            end(move |_| {
                let (given, mut got) = ([0_u64; 8], [0_u64; 8]);
                let words = words![&given, &mut got, count, datatype, operation, WORLD];
                carry_out("Allreduce", form, Width::Int, words);
            })
        });
        assert_eq!(took, [1116 + takes; 2], "{operation:#x} {datatype:#x}");
    }
    let of_program = end(|_| {
        let op = get_handle!(Op_create, nothing as *const (), 1);
        mpi!(Allreduce, &[0_u64; 8], &mut [0_u64; 8], 8, MPI_DOUBLE, op, WORLD);
    });
    assert_eq!(of_program, 1116 + 256);
}

thread_local! {
    /// The communicators that [`own_bcast`] was called with on rank 0.
    static CALLS: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
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

/// A broadcast by the library's own; none of no elements.
extern "C" fn own_bcast(buffer: usize, count: i32, datatype: usize, root: i32, comm: usize) -> i32 {
    if rank_in(comm) == 0 {
        CALLS.with_borrow_mut(|calls| calls.push(comm));
    }
    if count == 0 {
        return MPI_ERR_COUNT;
    }
    code!(Bcast, buffer, count, datatype, root, comm)
}

fn set(name: &CStr, function: usize) -> i32 {
    call_unchecked("weir_collective_set", &[name.as_ptr() as usize, function]) as i32
}

/// A function stands for the library's collective until it is taken back; what it calls is the library's.
#[test]
fn a_function_of_the_program_is_called() {
    CALLS.take();
    let mut machine = Machine::free(2);
    machine.options.verify = crate::world::Verify::Yes;
    let ran = machine.run_mpi(move |rank| {
        let function = own_bcast as *const () as usize;
        assert_eq!(set(c"MPI_Bcast", function), 0);
        assert_eq!(set(c"MPI_Bcast", function), 0);
        for _ in 0..2 {
            let mut data = [rank as i32 + 5; 3];
            mpi!(Bcast, &mut data, 3, MPI_INT, 1, WORLD);
            assert_eq!(data, [6; 3]);
        }
        assert_eq!(code!(Bcast, NULL, 0, MPI_INT, 1, WORLD), MPI_ERR_COUNT, "what it returns");
        // On another communicator it gets another.
        let mut part = get_handle!(Comm_dup, WORLD);
        mpi!(Bcast, &mut [0; 3], 3, MPI_INT, 1, part);
        assert_eq!(set(c"MPI_Bcast", 0), 0);
        mpi!(Bcast, &mut [0; 3], 3, MPI_INT, 1, WORLD);
        if rank == 0 {
            let calls = CALLS.take();
            let [first, second, third, other] = calls[..] else { panic!("four calls: {calls:?}") };
            assert!(first == second && second == third && other != first, "{calls:?}");
            assert!(![WORLD, part].contains(&first) && ![WORLD, part].contains(&other), "{calls:?}");
        }
        for name in [c"MPI_Ibcast", c"MPI_Bcast_init", c"MPI_Send", c"Bcast"] {
            assert_eq!(set(name, function), MPI_ERR_ARG, "{name:?}");
        }
        assert_eq!(call_unchecked("weir_collective_set", &[0, function]) as i32, MPI_ERR_ARG);
        mpi!(Comm_free, &mut part);
    });
    // Those communicators are not the program's to free.
    assert_eq!(ran.finished().remnants(0), []);
}
