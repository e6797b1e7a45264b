//! Communicators, groups, intercommunicators, names, errors of their own, and attributes.

use super::forms::{Form, Width, array, carry_out, every_form};
use crate::harness::*;
use std::cell::RefCell;
use std::ffi::{c_char, c_void};

fn group_of(comm: usize) -> usize {
    get_handle!(Comm_group, comm)
}

#[test]
fn sizes_and_ranks() {
    let ran = run(3, |rank| {
        assert_eq!((size_of(WORLD), rank_in(WORLD)), (3, rank as i32));
        assert_eq!((size_of(MPI_COMM_SELF), rank_in(MPI_COMM_SELF)), (1, 0));
        assert_eq!(get!(Comm_test_inter, WORLD), 0);
        assert_eq!(get_handle!(Comm_get_parent), MPI_COMM_NULL);
    });
    assert_eq!(ran.world.without_mpi(), 0);
    assert!(ran.world.mpi_calls() > 0 && ran.world.context_switches() >= 3);
}

#[test]
fn mistakes_in_sets_of_ranks() {
    run(6, |_| {
        let world = group_of(WORLD);
        let low = get_handle!(Group_incl, world, 3, &[3, 0, 1]);
        assert_eq!(get_handle!(Group_incl, world, 0, NULL), MPI_GROUP_EMPTY);
        for wrong in [[0, 9, 1], [-1, 2, 1], [0, 2, 0]] {
            let code = code!(Group_range_incl, world, 1, &wrong, &mut 0_usize);
            assert_ne!(code, MPI_SUCCESS, "{wrong:?}");
        }
        assert_eq!(members(get_handle!(Group_range_incl, world, 1, &[1, 5, i32::MAX])), [1]);
        assert_eq!(members(get_handle!(Group_range_incl, world, 1, &[1, 0, i32::MIN])), [1]);
        assert_eq!(members(get_handle!(Group_excl, world, 2, &[1, 3])), [0, 2, 4, 5]);
        assert_eq!(code!(Group_incl, world, 2, &[1, 1], &mut 0_usize), MPI_ERR_ARG, "twice");
        assert_eq!(code!(Group_range_incl, world, 2, &[0, 4, 2, 2, 2, 1], &mut 0_usize), MPI_ERR_ARG);
        assert_eq!(code!(Group_incl, world, 1, &[6], &mut 0_usize), MPI_ERR_RANK);
        assert_eq!(code!(Group_excl, world, 1, &[-1], &mut 0_usize), MPI_ERR_RANK);
        assert_eq!(code!(Group_translate_ranks, low, 1, &[3], world, &mut 0), MPI_ERR_RANK);
        let own = MPI_COMM_SELF;
        assert_eq!(code!(Comm_create_group, own, world, 3, &mut 0_usize), MPI_ERR_GROUP, "it has others");
        assert_eq!(code!(Comm_create, own, world, &mut 0_usize), MPI_ERR_GROUP);
        mpi!(Group_free, &mut { low });
        assert_eq!(code!(Group_free, &mut { low }), MPI_ERR_GROUP);
        assert_eq!(code!(Group_size, low, &mut 0), MPI_ERR_GROUP);
    });
}

#[test]
fn names_of_objects() {
    run(1, |_| {
        let (mut name, mut length) = ([1 as c_char; 256], -1);
        let mut win = MPI_WIN_NULL;
        mpi!(Win_create_dynamic, MPI_INFO_NULL, WORLD, &mut win);
        let comm = get_handle!(Comm_dup, WORLD);
        let pair = get_handle!(Type_contiguous, 2, MPI_INT);
        for (kind, handle, before) in [
            ("Comm", WORLD, "MPI_COMM_WORLD"),
            ("Comm", MPI_COMM_SELF, "MPI_COMM_SELF"),
            ("Comm", MPI_COMM_NULL, "MPI_COMM_NULL"),
            ("Comm", comm, "dup of MPI_COMM_WORLD"),
            ("Type", MPI_INT, "MPI_INT"),
            ("Type", pair, ""),
            ("Win", win, ""),
        ] {
            let [get, set] = ["get", "set"].map(|verb| format!("MPI_{kind}_{verb}_name"));
            assert_eq!(call(&get, &[handle, (&mut name).word(), (&mut length).word()]), MPI_SUCCESS);
            assert_eq!((text(&name), length), (before.to_owned(), before.len() as i32));
            if handle == MPI_COMM_NULL {
                continue;
            }
            // 127 letters and the end.
            let long = std::ffi::CString::new("x".repeat(200)).unwrap();
            for given in [c"mine", &long] {
                assert_eq!(call(&set, &[handle, given.word()]), MPI_SUCCESS);
                assert_eq!(call(&get, &[handle, (&mut name).word(), (&mut length).word()]), MPI_SUCCESS);
                let kept = given.to_str().unwrap();
                let kept = &kept[..kept.len().min(127)];
                assert_eq!((text(&name), length), (kept.to_owned(), kept.len() as i32));
            }
        }
    });
}

thread_local! {
    /// What the functions of attributes and error handlers have seen.
    static SEEN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

fn note(what: String) {
    SEEN.with_borrow_mut(|seen| seen.push(what));
}

fn seen() -> Vec<String> {
    SEEN.take()
}

unsafe extern "C" fn delete(_: usize, _: i32, value: *mut c_void, extra: *mut c_void) -> i32 {
    note(format!("delete {} {}", value as usize, extra as usize));
    if value as usize == 13 { 123 } else { 0 }
}

#[test]
fn attributes_of_the_standard() {
    run(2, |_| {
        let value = |key: i32| {
            let (mut at, mut flag) = (std::ptr::null::<i32>(), -1);
            mpi!(Comm_get_attr, WORLD, key, &mut at, &mut flag);
            // SAFETY: the library's variable.
            (flag == 1).then(|| unsafe { *at })
        };
        assert_eq!(value(MPI_TAG_UB), Some(i32::MAX));
        assert_eq!(value(MPI_WTIME_IS_GLOBAL), Some(1));
        assert_eq!(value(MPI_UNIVERSE_SIZE), Some(2));
        assert_eq!(value(MPI_LASTUSEDCODE), Some(16383));
        get!(Add_error_class);
        assert_eq!(value(MPI_LASTUSEDCODE), Some(16384));
        assert_eq!(code!(Comm_set_attr, WORLD, MPI_TAG_UB, 0), MPI_ERR_KEYVAL);
        assert_eq!(code!(Comm_delete_attr, WORLD, MPI_TAG_UB), MPI_ERR_KEYVAL);
        let mut key = MPI_TAG_UB;
        assert_eq!(code!(Comm_free_keyval, &mut key), MPI_ERR_KEYVAL);
        // What is set on self is deleted by MPI_Finalize.
        let mut own = -1;
        mpi!(Comm_create_keyval, 0, delete as *const (), &mut own, 1);
        mpi!(Comm_set_attr, MPI_COMM_SELF, own, 44);
        mpi!(Comm_set_attr, WORLD, own, 13);
        assert_eq!(code!(Comm_delete_attr, WORLD, own), 123);
    });
    let mut seen = seen();
    seen.sort();
    assert_eq!(seen, [["delete 13 1"; 2], ["delete 44 1"; 2]].concat());
}

unsafe extern "C" fn handler(comm: *mut usize, code: *mut i32) {
    // SAFETY: variables of the library.
    unsafe {
        note(format!("{:#x} {}", *comm, *code));
        if *code == MPI_ERR_TAG {
            *code = MPI_ERR_OTHER;
        }
    }
}

#[test]
fn error_handlers_of_the_program() {
    run(1, |_| {
        let comm = get_handle!(Comm_dup, WORLD);
        let own = get_handle!(Comm_create_errhandler, handler as *const ());
        assert_eq!(get_handle!(Comm_get_errhandler, comm), MPI_ERRORS_RETURN);
        mpi!(Comm_set_errhandler, comm, own);
        assert_eq!(get_handle!(Comm_get_errhandler, comm), own);
        assert_eq!(code!(Send, &0, 1, MPI_INT, 5, 0, comm), MPI_ERR_RANK);
        assert_eq!(code!(Send, &0, 1, MPI_INT, 0, -5, comm), MPI_ERR_OTHER, "the handler changes it");
        mpi!(Comm_call_errhandler, comm, 99);
        assert_eq!(seen(), [6, 4, 99].map(|code| format!("{comm:#x} {code}")));
        // Freed as often as it was given; it stays where it is set.
        let mut handle = own;
        mpi!(Errhandler_free, &mut handle);
        assert_eq!(handle, MPI_ERRHANDLER_NULL);
        handle = own;
        mpi!(Errhandler_free, &mut handle);
        assert_eq!(code!(Errhandler_free, &mut { own }), MPI_ERR_ERRHANDLER);
        assert_eq!(code!(Comm_set_errhandler, WORLD, own), MPI_ERR_ERRHANDLER);
        assert_eq!(code!(Send, &0, 1, MPI_INT, 5, 0, comm), MPI_ERR_RANK);
        assert_eq!(seen().len(), 1);
        for predefined in [MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, MPI_ERRORS_RETURN] {
            mpi!(Comm_set_errhandler, comm, predefined);
            assert_eq!(get_handle!(Comm_get_errhandler, comm), predefined);
            mpi!(Errhandler_free, &mut { predefined });
        }
    });
}

#[test]
fn codes_of_the_program() {
    run(1, |_| {
        let (mut words, mut length) = ([0 as c_char; 512], -1);
        let class = get!(Add_error_class);
        let code = get!(Add_error_code, class);
        assert_eq!((class, code), (16384, 16385));
        assert_eq!(code!(Add_error_code, code, &mut 0), MPI_ERR_ARG, "it is no class");
        assert_eq!(code!(Remove_error_class, code), MPI_ERR_ARG, "it is none");
        assert_eq!(code!(Remove_error_code, class), MPI_ERR_ARG);
        mpi!(Remove_error_code, code);
        mpi!(Remove_error_class, class);
        // Places are used again, the last one first.
        assert_eq!((get!(Add_error_class), get!(Add_error_class)), (16384, 16385));
        for class in 0..63 {
            let known = code!(Error_string, class, &mut words, &mut length) == MPI_SUCCESS;
            assert_eq!(known, !matches!(class, 63), "{class}");
            assert!(text(&words).starts_with(if class == 0 { "MPI_SUCCESS" } else { "MPI_ERR_" }));
            assert_eq!(length as usize, text(&words).len());
        }
    });
}

fn grid(sides: &[i32], periods: &[i32]) -> usize {
    let made = get_handle!(Cart_create, WORLD, sides.len(), sides, periods, 0);
    if made != MPI_COMM_NULL {
        errors_return(made);
    }
    made
}

#[test]
fn grids() {
    run(7, |rank| {
        let made = grid(&[2, 3], &[0, 1]);
        assert_eq!(made == MPI_COMM_NULL, rank == 6);
        if rank == 6 {
            return;
        }
        // Room for one only.
        let (mut sides, mut periods, mut at) = ([0; 2], [9; 2], [-1; 2]);
        mpi!(Cart_get, made, 1, &mut sides, &mut periods, &mut at);
        assert_eq!((sides, periods, at), ([2, 0], [0, 9], [rank as i32 / 3, -1]));
        mpi!(Cart_get, made, -1, NULL, NULL, NULL);
        mpi!(Cart_coords, made, 0, -1, NULL);
        assert_eq!(get!(Cart_rank, made, &[1, -1]), 5);
        assert_eq!(get!(Cart_rank, made, &[0, 4]), 1);
        assert_eq!(code!(Cart_rank, made, &[2, 0], &mut 0), MPI_ERR_ARG);
        assert_eq!(code!(Cart_shift, made, 2, 1, &mut 0, &mut 0), MPI_ERR_DIMS);
        assert_eq!(code!(Graphdims_get, made, &mut 0, &mut 0), MPI_ERR_TOPOLOGY);
        assert_eq!(code!(Cart_get, WORLD, 0, NULL, NULL, NULL), MPI_ERR_TOPOLOGY);
    });
    run(4, |rank| {
        assert_eq!(code!(Cart_create, WORLD, 1, &[5], &[0], 0, &mut 0_usize), MPI_ERR_ARG);
        assert_ne!(code!(Cart_create, WORLD, 1, &[-1], &[0], 0, &mut 0_usize), MPI_SUCCESS);
        assert_eq!(get!(Cart_map, WORLD, 1, &[3], &[0]), if rank == 3 { MPI_UNDEFINED } else { rank as i32 });
        let point = get_handle!(Cart_create, WORLD, 0, NULL, NULL, 0);
        assert_eq!(point == MPI_COMM_NULL, rank > 0);
    });
}

#[test]
fn sides_of_grids() {
    run(1, |_| {
        let sides = |ranks: i32, given: &[i32]| {
            let mut sides = given.to_vec();
            let code = code!(Dims_create, ranks, sides.len(), &mut sides[..]);
            if code == MPI_SUCCESS { Ok(sides) } else { Err(code) }
        };
        assert_eq!(sides(12, &[0, 0]), Ok(vec![4, 3]));
        assert_eq!(sides(12, &[0, 2]), Ok(vec![6, 2]));
        assert_eq!(sides(12, &[3, 4]), Ok(vec![3, 4]));
        assert_eq!(sides(12, &[5, 0]), Err(MPI_ERR_DIMS));
        assert_eq!(sides(12, &[-1, 0]), Err(MPI_ERR_DIMS));
        // A grid without sides asks for nothing.
        assert_eq!(code!(Dims_create, 1, 0, NULL), MPI_SUCCESS);
        assert_eq!(code!(Dims_create, 1, 1, NULL), MPI_ERR_ARG);
        assert_eq!(code!(Dims_create, 1, -1, NULL), MPI_ERR_DIMS);
    });
}

#[test]
fn mistakes_in_graphs() {
    run(2, |rank| {
        let made = get_handle!(Graph_create, WORLD, 1, &[0], NULL, 0);
        assert_eq!(made == MPI_COMM_NULL, rank == 1);
        assert_eq!(get!(Graph_map, WORLD, 1, &[0], NULL), if rank == 1 { MPI_UNDEFINED } else { 0 });
        if rank == 0 {
            errors_return(made);
            assert_eq!(code!(Cart_get, made, 0, NULL, NULL, NULL), MPI_ERR_TOPOLOGY);
        }
        assert_eq!(code!(Graph_create, WORLD, 5, &[0; 5], NULL, 0, &mut 0_usize), MPI_ERR_ARG);
        assert_ne!(code!(Graph_create, WORLD, 2, &[1, 0], &[0], 0, &mut 0_usize), MPI_SUCCESS);
        assert_ne!(code!(Graph_create, WORLD, 2, &[1, 2], &[0, 7], 0, &mut 0_usize), MPI_SUCCESS);
        let (made, info) = (&mut 0_usize, MPI_INFO_NULL);
        let code = code!(Dist_graph_create_adjacent, WORLD, 1, &[0], &[-1], 0, NULL, NULL, info, 0, made);
        assert_eq!(code, MPI_ERR_ARG);
    });
}

/// Ranks may name edges of others, and none; no rank has fewer than none.
#[test]
fn degrees_of_ranks() {
    run(2, |rank| {
        let (others, targets, info) = ([0, 1], [1, 0, 0], MPI_INFO_NULL);
        let make = |degrees: &[i32; 2], made: &mut usize| {
            code!(Dist_graph_create, MPI_COMM_SELF, 2, &[0, 0], degrees, &[0; 3], 10, info, 0, made)
        };
        let mut made = MPI_COMM_NULL;
        assert_eq!((make(&[-1, 1], &mut made), make(&[2, -1], &mut made)), (MPI_ERR_ARG, MPI_ERR_ARG));
        assert_eq!(make(&[i32::MAX, 1], &mut made), MPI_ERR_ARG, "too many");
        assert_eq!(made, MPI_COMM_NULL);
        let count = if rank == 0 { 2 } else { 0 };
        mpi!(Dist_graph_create, WORLD, count, &others, &[0, 2], &targets[1..], 10, info, 0, &mut made);
        let mut facts = [-1; 3];
        let [into, out, weights] = &mut facts;
        mpi!(Dist_graph_neighbors_count, made, into, out, weights);
        assert_eq!(facts, [[2, 0, 0], [0, 2, 0]][rank]);
    });
}

/// On a ring of ranks: what goes left comes from the right. At open ends nothing comes, and nothing is written.
#[test]
fn collectives_among_neighbors() {
    for (size, closed) in [(4, true), (4, false), (1, false)] {
        run(size, move |rank| {
            let made = grid(&[size as i32], &[i32::from(closed)]);
            for (form, width) in every_form() {
                ring(made, (size, rank, closed), form, width);
            }
        });
    }
    run(1, |_| {
        assert_eq!(code!(Neighbor_allgather, &1, 1, MPI_INT, &mut 0, 1, MPI_INT, WORLD), MPI_ERR_TOPOLOGY)
    });
}

fn ring(made: usize, (size, rank, closed): (usize, usize, bool), form: Form, width: Width) {
    let near = |by: i32| {
        let other = rank as i32 + by;
        let there = (0..size as i32).contains(&other);
        (closed || there).then(|| other.rem_euclid(size as i32))
    };
    // Rank r gives 10 r + 1 to the left and 10 r + 2 to the right; from each neighbor come these of its numbers.
    let given = [10 * rank as i32 + 1, 10 * rank as i32 + 2];
    let from = |left: i32, right: i32| {
        [(-1, left), (1, right)].map(|(by, of)| near(by).map_or(-1, |at| 10 * at + of))
    };
    let (given, mut got, int) = ((&given).word(), [-1; 2], MPI_INT);
    let into = (&mut got).word();
    let (ones, places) = (array(&[1, 1], width), array(&[0, 1], width));
    let (n, p, b, t) = (ones.word(), places.word(), &[0_i64, 4], &[MPI_INT; 2]);
    let calls: [(&str, &[usize], [i32; 2]); 5] = [
        ("allgather", words![given, 1, int, into, 1, int, made], from(1, 1)),
        ("allgatherv", words![given, 1, int, into, n, p, int, made], from(1, 1)),
        ("alltoall", words![given, 1, int, into, 1, int, made], from(2, 1)),
        ("alltoallv", words![given, n, p, int, into, n, p, int, made], from(2, 1)),
        ("alltoallw", words![given, n, b, t, into, n, b, t, made], from(2, 1)),
    ];
    for (name, words, expected) in calls {
        got = [-1; 2];
        carry_out(&format!("Neighbor_{name}"), form, width, words);
        assert_eq!(got, expected, "{name}");
    }
}
