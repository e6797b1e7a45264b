//! Arguments at an edge: the largest words, the shortest elements, nobody, nothing.

use super::apart::{apart, one_test};
use super::forms::{communicators_held, objects};
use super::sampling::spin;
use crate::harness::*;
use crate::rank::ErrorHandler;
use crate::rank::context::Context;
use crate::world::options::Compute;
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use weir_message::CommunicatorId;

/// Colors, keys and weights are whole ints.
#[test]
fn ints_are_whole() {
    run(5, |rank| {
        // Each differs from 0 in another byte.
        let color = [0, 1, 1 << 8, 1 << 16, 1 << 24][rank];
        assert_eq!(size_of(get_handle!(Comm_split, WORLD, color, 0)), 1);
        let key = [1 << 24, 1 << 16, 1 << 8, -1, 0][rank];
        let part = get_handle!(Comm_split, WORLD, 0, key);
        assert_eq!(rank_in(part), [4, 3, 2, 0, 1][rank]);
        let weight = 0x0102_0304 * (rank as i32 + 1);
        let (next, one, info) = ([(rank as i32 + 1) % 5], [1], MPI_INFO_NULL);
        let made = get_handle!(Dist_graph_create, WORLD, 1, &[rank as i32], &one, &next, &[weight], info, 0);
        let (mut from, mut to, mut came, mut goes) = ([-1], [-1], [-1], [-1]);
        mpi!(Dist_graph_neighbors, made, 1, &mut from, &mut came, 1, &mut to, &mut goes);
        let before = (rank + 4) % 5;
        assert_eq!((from, came), ([before as i32], [0x0102_0304 * (before as i32 + 1)]));
        assert_eq!((to, goes), (next, [weight]));
    });
}

/// Ranks in ranges, up and down, alone and with others between; and none where a range ends before it begins.
#[test]
fn ranges_of_ranks() {
    run(6, |_| {
        let world = get_handle!(Comm_group, WORLD);
        let cases: [([i32; 3], &[i32]); 9] = [
            ([1, 3, 1], &[1, 2, 3]),
            ([3, 1, -1], &[3, 2, 1]),
            ([0, 5, 2], &[0, 2, 4]),
            ([5, 0, -2], &[5, 3, 1]),
            ([2, 2, 1], &[2]),
            ([2, 2, -1], &[2]),
            ([2, 2, 7], &[2]),
            ([3, 1, 1], &[]),
            ([1, 3, -1], &[]),
        ];
        for (range, expected) in cases {
            let mut group = get_handle!(Group_range_incl, world, 1, &range);
            assert_eq!(members(group), expected, "{range:?}");
            mpi!(Group_free, &mut group);
            let mut others = get_handle!(Group_range_excl, world, 1, &range);
            assert_eq!(get!(Group_size, others), 6 - expected.len() as i32);
            if others != MPI_GROUP_EMPTY {
                mpi!(Group_free, &mut others);
            }
        }
        for name in ["MPI_Group_range_incl", "MPI_Group_range_excl"] {
            let mut made = 0_usize;
            let range = [1, 3, 0];
            assert_eq!(call(name, &[world, 1, (&range).word(), (&mut made).word()]), MPI_ERR_ARG);
        }
    });
}

/// Who has no neighbors needs no arrays.
#[test]
fn neighbors_of_nobody() {
    run(2, |_| {
        let (n, info) = (NULL, MPI_INFO_NULL);
        let alone = get_handle!(Dist_graph_create_adjacent, WORLD, 0, n, n, 0, n, n, info, 0);
        mpi!(Neighbor_alltoallw, n, n, n, n, n, n, n, n, alone);
        mpi!(Neighbor_alltoallv, n, n, n, MPI_INT, n, n, n, MPI_INT, alone);
        mpi!(Neighbor_alltoall, n, 0, MPI_INT, n, 0, MPI_INT, alone);
        mpi!(Neighbor_allgather, n, 0, MPI_INT, n, 0, MPI_INT, alone);
    });
}

thread_local! {
    static LENGTHS: Cell<(i32, u32)> = const { Cell::new((0, 0)) };
}

extern "C" fn adds_bytes(from: *const u8, into: *mut u8, length: *const i32, _: usize) {
    // SAFETY: the library gives so many bytes.
    unsafe {
        let (elements, calls) = LENGTHS.get();
        LENGTHS.set((elements + *length, calls + 1));
        (0..*length as usize).for_each(|place| *into.add(place) += *from.add(place));
    }
}

/// Operations of the program get as many elements as there are in one call, of the shortest type, too.
#[test]
fn operations_on_bytes() {
    run(1, |_| {
        let op = get_handle!(Op_create, adds_bytes as *const (), 1);
        let mut into = [10_u8, 20, 30, 40, 50];
        mpi!(Reduce_local, &[1_u8, 2, 3, 4, 5], &mut into, 5, MPI_BYTE, op);
        assert_eq!((into, LENGTHS.take()), ([11, 22, 33, 44, 55], (5, 1)));
    });
}

/// Pairs end behind their second element, which lies where a C compiler puts it.
#[test]
fn pairs_end_behind_their_second_element() {
    run(1, |_| {
        for (datatype, expected) in [
            (MPI_FLOAT_INT, 8),
            (MPI_DOUBLE_INT, 12),
            (MPI_LONG_INT, 12),
            (MPI_2INT, 8),
            (MPI_SHORT_INT, 8),
            (MPI_LONG_DOUBLE_INT, 20),
            (MPI_2REAL, 8),
            (MPI_2DOUBLE_PRECISION, 16),
            (MPI_2INTEGER, 8),
        ] {
            let (mut lower, mut extent) = (-1_i64, -1_i64);
            mpi!(Type_get_true_extent, datatype, &mut lower, &mut extent);
            assert_eq!((lower, extent), (0, expected), "{datatype:#x}");
        }
    });
}

/// Values as long as they may be, and one byte longer: the room is for 1024 with the closing zero.
#[test]
fn values_that_are_too_long_are_not_returned() {
    for (length, is_told) in [(1022, true), (1023, true), (1024, false)] {
        let mut machine = Machine::free(1);
        machine.options.programs[0].args = vec!["x".repeat(length).into()];
        machine.finishes(move |_| {
            let (mut value, mut flag) = ([0 as c_char; 1024], 0);
            mpi!(Info_get, MPI_INFO_ENV, c"argv", 1023, &mut value, &mut flag);
            assert_eq!((flag != 0, text(&value).len()), (is_told, if is_told { length } else { 0 }));
        });
    }
}

/// Of the kinds of memory that a program promises to use alone it gets the ones that are there (MPI 5.0, section 12.4.3).
#[test]
fn kinds_of_memory_that_are_promised() {
    run(1, |_| {
        let key = c"mpi_assert_memory_alloc_kinds";
        for (promised, expected) in
            [(Some(c"system,cuda"), Some("system")), (Some(c"cuda"), None), (None, None)]
                as [(Option<&CStr>, _); 3]
        {
            let info = get_handle!(Info_create);
            if let Some(promised) = promised {
                mpi!(Info_set, info, key, promised);
            }
            let comm = get_handle!(Comm_dup_with_info, WORLD, info);
            let told = get_handle!(Comm_get_info, comm);
            assert_eq!(hint(told, key).as_deref(), expected, "{promised:?}");
            assert_eq!(hint(told, c"mpi_memory_alloc_kinds").as_deref(), Some("mpi,system"));
        }
    });
}

/// A communicator of nobody is none (MPI 5.0, section 7.4.2).
#[test]
fn communicators_of_nobody() {
    run(1, |_| {
        let (mut made, none, nobody) = (7_usize, MPI_INFO_NULL, MPI_GROUP_EMPTY);
        mpi!(Comm_create_from_group, nobody, c"tag", none, MPI_ERRORS_RETURN, &mut made);
        assert_eq!(made, MPI_COMM_NULL);
        made = 7;
        mpi!(Comm_create_group, WORLD, nobody, 3, &mut made);
        assert_eq!(made, MPI_COMM_NULL);
    });
}

const MOST: usize = 1 << 15;

/// A communicator from which so many have been made that its ranks compare notes before the next one.
fn nearly_due(from: usize) -> usize {
    for _ in 0..1023 {
        mpi!(Comm_free, &mut get_handle!(Comm_dup, from));
    }
    from
}

/// Every function that makes one communicator from another refuses to, at all its ranks, when one of them holds as many as
/// there may be; and makes it when that rank has freed one.
#[test]
fn every_maker_of_communicators_has_the_limit() {
    run(2, |rank| {
        type Make = fn(usize, usize, &mut usize) -> i32;
        let makers: [(&str, Make); 9] = [
            ("dup", |from, _, made| code!(Comm_dup, from, made)),
            ("dup_with_info", |from, _, made| code!(Comm_dup_with_info, from, MPI_INFO_NULL, made)),
            ("split", |from, _, made| code!(Comm_split, from, 0, 0, made)),
            ("split_type", |from, _, made| {
                code!(Comm_split_type, from, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, MPI_INFO_NULL, made)
            }),
            ("create", |from, _, made| code!(Comm_create, from, get_handle!(Comm_group, from), made)),
            ("merge", |from, rank, made| code!(Intercomm_merge, from, rank, made)),
            ("cart_create", |from, _, made| code!(Cart_create, from, 1, &[2], &[0], 0, made)),
            ("graph_create", |from, _, made| code!(Graph_create, from, 2, &[1, 2], &[1, 0], 0, made)),
            ("dist_graph", |from, _, made| {
                let none = MPI_INFO_NULL;
                code!(Dist_graph_create_adjacent, from, 0, NULL, NULL, 0, NULL, NULL, none, 0, made)
            }),
        ];
        let from = makers.map(|(name, _)| {
            let from = match name {
                "merge" => get_handle!(Intercomm_create, MPI_COMM_SELF, 0, WORLD, 1 - rank, 3),
                _ => get_handle!(Comm_dup, WORLD),
            };
            errors_return(from);
            nearly_due(from)
        });
        let filled = get_handle!(Comm_dup, MPI_COMM_SELF);
        while rank == 1 && communicators_held() < MOST {
            get_handle!(Comm_dup, filled);
        }
        let mut last = if rank == 1 { get_handle!(Comm_dup, MPI_COMM_SELF) } else { MPI_COMM_NULL };
        for (&(name, make), &from) in makers.iter().zip(&from) {
            let (before, mut made) = (communicators_held(), MPI_COMM_NULL);
            assert_eq!(make(from, rank, &mut made), MPI_ERR_OTHER, "{name}");
            assert_eq!((communicators_held(), made), (before, MPI_COMM_NULL), "{name}");
        }
        if rank == 1 {
            mpi!(Comm_free, &mut last);
            mpi!(Comm_free, &mut { filled });
        }
        for (&(name, make), &from) in makers.iter().zip(&from) {
            let mut made = MPI_COMM_NULL;
            assert_eq!(make(from, rank, &mut made), MPI_SUCCESS, "{name}");
            if made != MPI_COMM_NULL {
                mpi!(Comm_free, &mut made);
            }
        }
    });
}

/// Of a communicator that is gone nothing is kept: whatever was set for it, and however it has ended.
#[test]
fn nothing_is_kept_of_communicators_that_are_gone() {
    run(1, |_| {
        let mut win = get_handle!(Win_create_dynamic, MPI_INFO_NULL, WORLD);
        mpi!(Win_set_errhandler, win, MPI_ERRORS_RETURN);
        mpi!(Win_free, &mut win);
        let mut file = 0;
        assert_ne!(code!(File_open, WORLD, c"/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &mut file), 0);
        mpi!(Comm_free, &mut get_handle!(Comm_dup, WORLD));
        mpi!(Comm_disconnect, &mut get_handle!(Comm_dup, WORLD));
        let mut key = 0;
        mpi!(Comm_create_keyval, objects as *const (), 0, &mut key, 0);
        mpi!(Comm_set_attr, WORLD, key, 5);
        assert_eq!(code!(Comm_dup, WORLD, &mut 0_usize), MPI_ERR_OTHER);
        let hints = get_handle!(Info_create);
        assert_eq!(code!(Comm_dup_with_info, WORLD, hints, &mut 0_usize), MPI_ERR_OTHER);
        mpi!(Comm_delete_attr, WORLD, key);
        let last = get_handle!(Comm_dup, WORLD);
        let mut context = Context::get().unwrap();
        let process = &context.rank().process;
        let is_gone = |id: &CommunicatorId| process.communicator(*id).is_err();
        let last = crate::calls::abi::communicator(crate::calls::abi::predefined(last)).unwrap();
        let gone: Vec<CommunicatorId> = (0..last.0).map(CommunicatorId).filter(is_gone).collect();
        assert_eq!(gone.len(), 6);
        for id in gone {
            assert_eq!(context.rank().error_handler(id), ErrorHandler::Fatal, "{id:?}");
        }
        assert_eq!(context.rank().error_handler(last), ErrorHandler::Return);
    });
}

/// Memory that is given back can be had again: in all it is more than the process may have.
#[test]
fn memory_is_given_back() {
    apart("edges::memory_is_given_back", |_| {
        run(1, |_| {
            let limit = libc::rlimit { rlim_cur: 4 << 30, rlim_max: 4 << 30 };
            // SAFETY: the test has this process to itself.
            assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) }, 0);
            for _ in 0..16 {
                let mut memory = std::ptr::null_mut::<u8>();
                mpi!(Alloc_mem, 1_isize << 30, MPI_INFO_NULL, &mut memory);
                mpi!(Free_mem, memory);
            }
        });
    });
}

/// What a process does that gets no memory; no test otherwise.
#[test]
fn an_end_without_memory() {
    if std::env::args().any(|argument| argument == "without memory") {
        let layout = std::alloc::Layout::from_size_align(isize::MAX as usize / 2, 8).unwrap();
        // SAFETY: the layout is not empty.
        unsafe { std::alloc::GlobalAlloc::alloc(&crate::MemoryOrEnd, layout) };
    }
}

/// A process that gets no memory says for how much there is none, what to do, and ends with 2.
#[test]
fn processes_without_memory_end_in_words() {
    let output = one_test("edges::an_end_without_memory").arg("without memory").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let bytes = isize::MAX as usize / 2;
    assert!(
        said.contains(&format!("error: no memory for {bytes} bytes\n\nhint: take a smaller machine")),
        "{said}"
    );
    assert!(said.ends_with(" with more memory\n"), "{said}");
}

/// Without MPI_Init, a group of one session beside a group of another one, and a communicator of both.
#[test]
fn sessions_may_be_mixed() {
    let ran = Machine::free(2).run(|_| {
        let session = || get_handle!(Session_init, MPI_INFO_NULL, MPI_ERRORS_RETURN);
        let (mut one, mut other) = (session(), session());
        let all = get_handle!(Group_from_session_pset, one, c"mpi://WORLD");
        let own = get_handle!(Group_from_session_pset, other, c"mpi://SELF");
        let both = get_handle!(Group_union, all, own);
        let mut comm = MPI_COMM_NULL;
        mpi!(Comm_create_from_group, both, c"mixed", MPI_INFO_NULL, MPI_ERRORS_RETURN, &mut comm);
        let mut sum = 0;
        mpi!(Allreduce, &1, &mut sum, 1, MPI_INT, MPI_SUM, comm);
        assert_eq!(sum, 2);
        mpi!(Comm_free, &mut comm);
        mpi!(Session_finalize, &mut one);
        mpi!(Session_finalize, &mut other);
        0
    });
    ran.finished();
}

#[test]
fn types_of_both_sides_may_differ() {
    run(2, |rank| {
        let (sent, mut got) = (1.5_f64, [0_u32; 2]);
        match rank {
            0 => mpi!(Send, &sent, 1, MPI_DOUBLE, 1, 0, WORLD),
            _ => {
                mpi!(Recv, &mut got, 2, MPI_INT, 0, 0, WORLD, NULL);
                assert_eq!(u64::from(got[0]) | u64::from(got[1]) << 32, sent.to_bits());
            }
        }
    });
}

/// Two ranks, an array of 60 elements in blocks of 19 and of 20: 19 stands for the default, blocks of one.
#[test]
fn blocks_of_nineteen_are_blocks_of_one() {
    run(1, |_| {
        let extent_of_data = |block: i32| {
            let (how, order) = (&[MPI_DISTRIBUTE_CYCLIC], MPI_ORDER_C);
            let made = get_handle!(Type_create_darray, 2, 0, 1, &[60], how, &[block], &[2], order, MPI_CHAR);
            let (mut lower, mut extent) = (-1_isize, -1_isize);
            mpi!(Type_get_true_extent, made, &mut lower, &mut extent);
            (lower, extent)
        };
        assert_eq!(MPI_DISTRIBUTE_DFLT_DARG, 19);
        assert_eq!(extent_of_data(20), (0, 60), "0 to 19 and 40 to 59");
        assert_eq!(extent_of_data(18), (0, 54), "0 to 17 and 36 to 53");
        assert_eq!(extent_of_data(1), (0, 59), "every second one");
        assert_eq!(extent_of_data(19), extent_of_data(1));
    });
}

#[test]
fn a_grid_keeps_the_order_of_ranks() {
    run(6, |rank| {
        for reorder in [0, 1] {
            let made = get_handle!(Cart_create, WORLD, 2, &[3, 2], &[1, 1], reorder);
            assert_eq!(rank_in(made), rank as i32, "reorder = {reorder}");
        }
    });
}

extern "C" fn works_for_long(_: *mut c_void, _: *mut c_void, _: *mut c_int, _: *mut usize) {
    spin(20);
}

/// The same work costs time between two calls, and none within a reduction.
#[test]
fn work_of_operations_is_not_measured() {
    let mut machine = Machine::free(2);
    machine.options.compute = Compute::Measured(1000.0);
    machine.finishes(|_| {
        let operation = get_handle!(Op_create, works_for_long as *const (), 1);
        let second = 1_000_000_000_000;
        let begin = now_ps();
        mpi!(Allreduce, &1, &mut 0, 1, MPI_INT, operation, WORLD);
        let reduced = now_ps() - begin;
        assert!(reduced < 10 * second, "{reduced} ps of 20 s");
        spin(20);
        mpi!(Initialized, &mut 0);
        let worked = now_ps() - begin - reduced;
        assert!(worked >= 19 * second, "{worked} ps of 20 s");
    });
}
