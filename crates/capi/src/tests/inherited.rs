//! What new communicators have from those that they are made of, and what goes with old ones.

use super::forms::{DELETED, communicators_held, deletes};
use crate::harness::*;
use std::ffi::CStr;

const HINT: &CStr = c"mpi_assert_no_any_tag";

/// Every function that makes a communicator of others: its errors are handled as theirs (MPI 5.0, section 9.3), and the hints
/// that it was made with are kept.
#[test]
fn errors_and_hints() {
    Machine::free(4).on_nodes(&[0, 0, 1, 1]).finishes(|rank| {
        let parent = get_handle!(Comm_dup, WORLD);
        let hints = get_handle!(Info_create);
        mpi!(Info_set, hints, HINT, c"true");
        mpi!(Comm_set_errhandler, parent, MPI_ERRORS_ABORT);
        let group = get_handle!(Comm_group, parent);
        let (none, side, shared) = (MPI_INFO_NULL, rank % 2, MPI_COMM_TYPE_SHARED);
        let idup = |name: &str, hints: &[usize]| {
            let (mut made, mut request) = (0_usize, MPI_REQUEST_NULL);
            let words = [&[parent][..], hints, &[(&mut made).word(), (&mut request).word()]].concat();
            assert_eq!(call(name, &words), MPI_SUCCESS);
            mpi!(Wait, &mut request, NULL);
            made
        };
        let before = communicators_held();
        let local = get_handle!(Comm_split, parent, side, rank);
        let between = get_handle!(Intercomm_create, local, 0, WORLD, 1 - side, 9);
        let grid = get_handle!(Cart_create, parent, 2, &[2, 2], &[0, 0], 0);
        let of_group = |group: usize, hints: usize| {
            get_handle!(Comm_create_from_group, group, c"tag", hints, MPI_ERRORS_ABORT)
        };
        let sides = [0, 1].map(|side| get_handle!(Group_incl, group, 2, &[side, side + 2]));
        let of_groups = |hints: usize| {
            let (own, other, abort) = (sides[side], sides[1 - side], MPI_ERRORS_ABORT);
            get_handle!(Intercomm_create_from_groups, own, 0, other, 0, c"tag", hints, abort)
        };
        let no_edges = |hints: usize| {
            get_handle!(Dist_graph_create_adjacent, parent, 0, NULL, NULL, 0, NULL, NULL, hints, 0)
        };
        let made = [
            ("dup", get_handle!(Comm_dup, parent), false),
            ("dup_with_info", get_handle!(Comm_dup_with_info, parent, hints), true),
            ("idup", idup("MPI_Comm_idup", &[]), false),
            ("idup_with_info", idup("MPI_Comm_idup_with_info", &[hints]), true),
            ("split", local, false),
            ("split_type", get_handle!(Comm_split_type, parent, shared, 0, hints), true),
            ("split_type without hints", get_handle!(Comm_split_type, parent, shared, 0, none), false),
            ("split_type of two groups", get_handle!(Comm_split_type, between, shared, 0, hints), true),
            ("create", get_handle!(Comm_create, parent, group), false),
            ("create_group", get_handle!(Comm_create_group, parent, group, 3), false),
            ("intercomm_create", between, false),
            ("intercomm_merge", get_handle!(Intercomm_merge, between, side), false),
            ("cart_create", grid, false),
            ("cart_sub", get_handle!(Cart_sub, grid, &[1, 0]), false),
            ("create_from_group", of_group(group, hints), true),
            ("create_from_group without hints", of_group(group, none), false),
            ("intercomm_create_from_groups", of_groups(hints), true),
            ("graph_create", get_handle!(Graph_create, parent, 2, &[1, 2], &[1, 0], 0), false),
            ("dist_graph_create", get_handle!(Dist_graph_create, parent, 0, 0, 0, 0, 0, hints, 0), true),
            ("dist_graph_create_adjacent", no_edges(hints), true),
            ("dist_graph_create_adjacent without hints", no_edges(none), false),
        ];
        let count = made.iter().filter(|(_, comm, _)| *comm != MPI_COMM_NULL).count();
        assert_eq!(communicators_held(), before + count, "those made for the time of a call are gone");
        for (how, comm, is_hinted) in made {
            if comm == MPI_COMM_NULL {
                assert!(how == "graph_create" && rank > 1, "{how}");
                continue;
            }
            assert_eq!(get_handle!(Comm_get_errhandler, comm), MPI_ERRORS_ABORT, "{how}");
            let hint = hint(get_handle!(Comm_get_info, comm), HINT);
            assert_eq!(hint.as_deref() == Some("true"), is_hinted, "{how}");
        }
    });
}

/// Attributes go with the object, whichever function takes it away; what cannot be taken away keeps them.
#[test]
fn attributes_go_with_their_objects() {
    run(1, |_| {
        let function = deletes as *const ();
        let with = |kind: &str, mut object: usize, free: &str| {
            let mut key = -1;
            let words = [0, function as usize, (&mut key).word(), 0];
            assert_eq!(call(&format!("MPI_{kind}_create_keyval"), &words), MPI_SUCCESS);
            assert_eq!(call(&format!("MPI_{kind}_set_attr"), &[object, key.word(), 3]), MPI_SUCCESS);
            assert_eq!((call(free, &[(&mut object).word()]), DELETED.take()), (MPI_SUCCESS, 1), "{free}");
        };
        with("Comm", get_handle!(Comm_dup, WORLD), "MPI_Comm_free");
        with("Comm", get_handle!(Comm_dup, WORLD), "MPI_Comm_disconnect");
        with("Type", get_handle!(Type_dup, MPI_INT), "MPI_Type_free");
        with("Win", get_handle!(Win_create_dynamic, MPI_INFO_NULL, WORLD), "MPI_Win_free");
        let mut key = -1;
        mpi!(Comm_create_keyval, 0, function, &mut key, 0);
        mpi!(Comm_set_attr, WORLD, key, 5);
        assert_ne!(code!(Comm_free, &mut { WORLD }), MPI_SUCCESS);
        assert_ne!(code!(Comm_disconnect, &mut { WORLD }), MPI_SUCCESS);
        assert_eq!(DELETED.take(), 0);
        mpi!(Comm_delete_attr, WORLD, key);
    });
}

/// Mistakes on no object are those of `MPI_COMM_SELF`, unless that ends the run: then of `MPI_COMM_WORLD`.
#[test]
fn mistakes_on_no_object() {
    let codes = |of_self: usize, of_world: usize| {
        let ran = Machine::free(1).run_mpi(move |_| {
            mpi!(Comm_set_errhandler, WORLD, of_world);
            mpi!(Comm_set_errhandler, MPI_COMM_SELF, of_self);
            assert_eq!(code!(Type_contiguous, -1, MPI_INT, &mut 0_usize), MPI_ERR_COUNT);
        });
        ran.ended.outcome == weir_network::Outcome::Finished
    };
    let (fatal, returned, abort) = (MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN, MPI_ERRORS_ABORT);
    assert!(codes(fatal, returned) && codes(returned, fatal) && codes(returned, returned));
    assert!(!codes(fatal, fatal) && !codes(abort, returned) && !codes(fatal, abort));
}
