//! The tools interface: there is nothing to show, and every question is answered as for something that does not exist.

use crate::harness::*;

const NOT_INITIALIZED: i32 = 1003;

/// Calls a function with a page for every pointer.
fn ask(name: &str) -> i32 {
    let page = [0_usize; 64];
    let words = vec![page.as_ptr() as usize; declarations::parameters(name).len()];
    call(name, &words)
}

#[test]
fn there_is_nothing_to_show() {
    run(1, |_| {
        let tools = || declarations::all().keys().filter(|name| name.starts_with("MPI_T_"));
        assert_eq!(tools().count(), 51);
        for name in tools().filter(|name| *name != "MPI_T_init_thread") {
            assert_eq!(ask(name), NOT_INITIALIZED, "{name}");
        }
        let mut number = -1;
        mpi!(T_init_thread, 0, &mut number);
        assert_eq!(number, 0);
        mpi!(T_init_thread, 1025, &mut number);
        assert_eq!(number, 1024);
        assert_eq!(code!(T_init_thread, 0, NULL), MPI_T_ERR_INVALID);
        for name in tools().filter(|name| !name.ends_with("finalize") && !name.ends_with("init_thread")) {
            let of = |parts: &[&str]| parts.iter().any(|part| name.ends_with(part));
            let expected = if of(&["_get_num", "category_changed", "session_create"]) {
                MPI_SUCCESS
            } else if name.contains("pvar_session")
                || of(&["pvar_handle_alloc", "pvar_start", "pvar_stop", "pvar_reset"])
            {
                MPI_T_ERR_INVALID_SESSION
            } else if of(&["pvar_get_index", "cvar_get_index", "category_get_index", "event_get_index"]) {
                MPI_T_ERR_INVALID_NAME
            } else if name.contains("category")
                || name.contains("source_get_")
                || of(&["_get_info", "handle_alloc"])
            {
                MPI_T_ERR_INVALID_INDEX
            } else {
                MPI_T_ERR_INVALID_HANDLE
            };
            let of_handles = ["handle_get_info", "callback_get_info", "enum_get_info"];
            let expected = if of(&of_handles) { MPI_T_ERR_INVALID_HANDLE } else { expected };
            assert_eq!(ask(name), expected, "{name}");
        }
        mpi!(T_pvar_get_num, &mut number);
        assert_eq!(number, 0);
        let mut session = get_handle!(T_pvar_session_create);
        assert_eq!(code!(T_pvar_handle_alloc, session, 0, 0, &mut 0, &mut 0), MPI_T_ERR_INVALID_INDEX);
        for name in ["MPI_T_pvar_start", "MPI_T_pvar_stop", "MPI_T_pvar_reset"] {
            assert_eq!(
                call(name, &[session, 1]),
                MPI_SUCCESS,
                "{name}: all handles, of which there are none"
            );
            assert_eq!(call(name, &[session, 0]), MPI_T_ERR_INVALID_HANDLE);
        }
        mpi!(T_pvar_session_free, &mut session);
        assert_eq!(session, 0);
        // It ends as often as it was begun.
        mpi!(T_finalize);
        mpi!(T_pvar_get_num, &mut number);
        mpi!(T_finalize);
        assert_eq!(code!(T_finalize), NOT_INITIALIZED);
    });
}
