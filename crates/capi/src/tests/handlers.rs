//! Functions of the program that are called: error handlers of every kind of object, copies of attributes, extents of data
//! representations. And keys that belong to one kind of object.

use super::forms::objects;
use crate::harness::*;
use std::cell::RefCell;
use std::ffi::CString;

thread_local! {
    static SEEN: RefCell<Vec<(usize, i32)>> = const { RefCell::new(Vec::new()) };
}

unsafe extern "C" fn handler(object: *mut usize, code: *mut i32) {
    // SAFETY: variables of the library.
    let seen = unsafe { (*object, *code) };
    SEEN.with_borrow_mut(|all| all.push(seen));
}

#[test]
fn every_kind_of_object_has_error_handlers() {
    run(1, |_| {
        let session = get_handle!(Session_init, MPI_INFO_NULL, MPI_ERRORS_RETURN);
        let (mut window, mut opened) =
            (get_handle!(Win_create_dynamic, MPI_INFO_NULL, WORLD), file(MPI_COMM_SELF, "handlers"));
        for (kind, object) in [
            ("Comm", WORLD),
            ("Win", window),
            ("File", opened),
            ("File", MPI_FILE_NULL),
            ("Session", session),
        ] {
            let (mut own, mut known) = (0_usize, 0_usize);
            let of = |what: &str, words: &[usize]| call(&format!("MPI_{kind}_{what}_errhandler"), words);
            assert_eq!(
                call(
                    &format!("MPI_{kind}_create_errhandler"),
                    &[handler as *const () as usize, (&mut own).word()]
                ),
                0
            );
            assert_eq!(of("get", &[object, (&mut known).word()]), 0);
            assert_eq!(of("set", &[object, own]), 0);
            assert_eq!(of("set", &[object, MPI_ERRHANDLER_NULL]), MPI_ERR_ERRHANDLER);
            let mut set = 0_usize;
            assert_eq!((of("get", &[object, (&mut set).word()]), set), (0, own));
            SEEN.take();
            assert_eq!(of("call", &[object, 77]), 0, "{kind}");
            assert_eq!(SEEN.take(), [(object, 77)], "{kind}");
            assert_eq!(of("set", &[object, known]), 0);
            mpi!(Errhandler_free, &mut own);
        }
        mpi!(File_close, &mut opened);
        mpi!(Win_free, &mut window);
        mpi!(Session_finalize, &mut { session });
    });
}

/// Two ints for every one.
unsafe extern "C" fn twice(datatype: usize, extent: *mut isize, extra: usize) -> i32 {
    if datatype == MPI_CHAR {
        return MPI_ERR_TYPE;
    }
    // SAFETY: the library's variable.
    unsafe { *extent = 8 };
    SEEN.with_borrow_mut(|all| all.push((datatype, extra as i32)));
    MPI_SUCCESS
}

#[test]
fn representations_of_the_program() {
    run(1, |_| {
        let extents = twice as *const ();
        let register = |name: &CString| code!(Register_datarep, &**name, 0, 0, extents, 5);
        let name = |text: &str| CString::new(text).unwrap();
        assert_eq!(register(&name("own")), MPI_SUCCESS);
        assert_eq!(register(&name("own")), MPI_ERR_DUP_DATAREP);
        assert_eq!(register(&name("native")), MPI_ERR_DUP_DATAREP);
        assert_eq!(register(&name("")), MPI_ERR_ARG);
        assert_eq!(register(&name(&"x".repeat(127))), MPI_SUCCESS);
        assert_eq!(register(&name(&"x".repeat(128))), MPI_ERR_ARG);
        assert_eq!(code!(Register_datarep, NULL, 0, 0, extents, 5), MPI_ERR_ARG);
        assert_eq!(code!(Register_datarep, c"no extents", 0, 0, 0, 5), MPI_ERR_ARG);
        for functions in [[extents as usize, 0], [0, extents as usize]] {
            let [read, write] = functions;
            assert_eq!(code!(Register_datarep, c"converts", read, write, extents, 5), MPI_ERR_CONVERSION);
        }
        let mut opened = file(MPI_COMM_SELF, "representations");
        let view = |representation: &std::ffi::CStr| {
            code!(File_set_view, opened, 0, MPI_INT, MPI_INT, representation, MPI_INFO_NULL)
        };
        let mut extent = 0_isize;
        mpi!(File_get_type_extent, opened, MPI_INT, &mut extent);
        assert_eq!(extent, 4);
        assert_eq!((view(c"unknown"), view(c"own")), (MPI_ERR_UNSUPPORTED_DATAREP, MPI_SUCCESS));
        SEEN.take();
        mpi!(File_get_type_extent, opened, MPI_DOUBLE, &mut extent);
        assert_eq!((extent, SEEN.take()), (8, vec![(MPI_DOUBLE, 5)]));
        assert_ne!(code!(File_get_type_extent, opened, MPI_CHAR, &mut extent), MPI_SUCCESS);
        mpi!(File_close, &mut opened);
    });
}

/// Says nothing of its value: then there is no copy.
unsafe extern "C" fn silent(_: usize, _: i32, _: usize, _: usize, _: *mut usize, _: *mut i32) -> i32 {
    MPI_SUCCESS
}

unsafe extern "C" fn keeps(_: usize, _: i32, _: usize, value: usize, to: *mut usize, flag: *mut i32) -> i32 {
    // SAFETY: the library's variables.
    unsafe { (*to, *flag) = (value + 1, 2) };
    MPI_SUCCESS
}

unsafe extern "C" fn deletes(_: usize, key: i32, value: usize, _: usize) -> i32 {
    SEEN.with_borrow_mut(|all| all.push((value, key)));
    MPI_SUCCESS
}

/// What was copied before a function objects is deleted again.
#[test]
fn copies_of_attributes() {
    run(1, |_| {
        let mut dup = MPI_COMM_NULL;
        let key = |copy: usize| {
            let mut key = -1;
            mpi!(Comm_create_keyval, copy, deletes as *const (), &mut key, 0);
            key
        };
        let (first, second) = (key(silent as *const () as usize), key(keeps as *const () as usize));
        let parent = get_handle!(Comm_dup, WORLD);
        mpi!(Comm_set_attr, parent, first, 5);
        mpi!(Comm_set_attr, parent, second, 10);
        let never = key(0);
        mpi!(Comm_set_attr, parent, never, 20);
        mpi!(Comm_set_attr, parent, never, 21);
        assert_eq!(SEEN.take(), [(20, never)], "it is replaced");
        mpi!(Comm_dup, parent, &mut dup);
        let get = |key: i32| {
            let (mut value, mut flag) = (0_usize, 0);
            mpi!(Comm_get_attr, dup, key, &mut value, &mut flag);
            (flag, value)
        };
        assert_eq!((get(first).0, get(second), get(never).0), (0, (1, 11), 0));
        let third = key(objects as *const () as usize);
        mpi!(Comm_set_attr, parent, third, 15);
        SEEN.take();
        let mut failed = 7;
        assert_eq!(code!(Comm_dup, parent, &mut failed), MPI_ERR_OTHER);
        assert_eq!((failed, SEEN.take()), (MPI_COMM_NULL, vec![(11, second)]));
    });
}

/// Communicators, datatypes and windows have keys of their own; a freed one lives as long as its attributes.
#[test]
fn keys_are_for_one_kind() {
    run(1, |_| {
        let window = get_handle!(Win_create_dynamic, MPI_INFO_NULL, WORLD);
        mpi!(Win_set_errhandler, window, MPI_ERRORS_RETURN);
        let kinds = [
            ("Comm", get_handle!(Comm_dup, WORLD)),
            ("Type", get_handle!(Type_dup, MPI_INT)),
            ("Win", window),
        ];
        let keys = kinds.map(|(kind, _)| {
            let mut key = -1;
            let words = [0, deletes as *const () as usize, (&mut key).word(), 0];
            assert_eq!(call(&format!("MPI_{kind}_create_keyval"), &words), MPI_SUCCESS);
            key
        });
        // No key of another kind will do, while all of them are in use.
        for (at, (kind, object)) in kinds.into_iter().enumerate() {
            let of = |what: &str, words: &[usize]| call(&format!("MPI_{kind}_{what}"), words);
            let (mut value, mut flag) = (0_usize, 0);
            for (other, key) in keys.into_iter().enumerate() {
                let expected = if other == at { MPI_SUCCESS } else { MPI_ERR_KEYVAL };
                assert_eq!(of("set_attr", words![object, key, 3]), expected, "{kind}, key {other}");
                assert_eq!(of("get_attr", words![object, key, &mut value, &mut flag]), expected);
                if other != at {
                    assert_eq!(of("delete_attr", words![object, key]), MPI_ERR_KEYVAL, "{kind}, key {other}");
                    assert_eq!(of("free_keyval", words![&mut { key }]), MPI_ERR_KEYVAL);
                }
            }
            assert_eq!((value, flag), (3, 1));
        }
        for ((kind, object), key) in kinds.into_iter().zip(keys) {
            let of = |what: &str, words: &[usize]| call(&format!("MPI_{kind}_{what}"), words);
            let (mut value, mut flag, mut freed) = (0_usize, 0, key);
            assert_eq!((of("free_keyval", words![&mut freed]), freed), (MPI_SUCCESS, MPI_KEYVAL_INVALID));
            let get = words![object, key, &mut value, &mut flag];
            assert_eq!(of("get_attr", get), MPI_SUCCESS, "its attribute is there");
            assert_eq!(of("set_attr", words![object, key, 4]), MPI_ERR_KEYVAL);
            assert_eq!(of("delete_attr", words![object, key]), MPI_SUCCESS);
            assert_eq!(of("get_attr", get), MPI_ERR_KEYVAL, "nothing has it any more");
            assert_eq!(of("free_keyval", words![&mut { key }]), MPI_ERR_KEYVAL, "twice");
        }
    });
}

/// Promises of the standard's own calls (MPI 5.0, section 12.5.5); of other calls they are mistakes.
#[test]
fn promises_to_windows() {
    const NOCHECK: i32 = MPI_MODE_NOCHECK;
    const OF_FENCES: [i32; 4] = [MPI_MODE_NOSTORE, MPI_MODE_NOPUT, MPI_MODE_NOPRECEDE, MPI_MODE_NOSUCCEED];
    run(1, |_| {
        let mut window = get_handle!(Win_create_dynamic, MPI_INFO_NULL, WORLD);
        mpi!(Win_set_errhandler, window, MPI_ERRORS_RETURN);
        let group = get_handle!(Comm_group, WORLD);
        for promise in OF_FENCES.into_iter().chain([NOCHECK, 1, 1 << 20]) {
            let check = |name: &str, code: i32, allowed: &[i32]| {
                let is_allowed = allowed.contains(&promise);
                assert_eq!(code, if is_allowed { MPI_SUCCESS } else { MPI_ERR_ASSERT }, "{name} {promise}");
                is_allowed
            };
            check("fence", code!(Win_fence, promise, window), &OF_FENCES);
            mpi!(Win_fence, MPI_MODE_NOSUCCEED, window);
            let of_posts = [NOCHECK, MPI_MODE_NOSTORE, MPI_MODE_NOPUT];
            if !check("post", code!(Win_post, group, promise, window), &of_posts) {
                mpi!(Win_post, group, 0, window);
            }
            if !check("start", code!(Win_start, group, promise, window), &[NOCHECK]) {
                mpi!(Win_start, group, 0, window);
            }
            mpi!(Win_complete, window);
            mpi!(Win_wait, window);
            if check("lock", code!(Win_lock, MPI_LOCK_SHARED, 0, promise, window), &[NOCHECK]) {
                mpi!(Win_unlock, 0, window);
            }
            if check("lock_all", code!(Win_lock_all, promise, window), &[NOCHECK]) {
                mpi!(Win_unlock_all, window);
            }
        }
        mpi!(Win_fence, OF_FENCES.into_iter().sum::<i32>(), window);
        mpi!(Win_free, &mut window);
    });
}

/// Ranks compare how many communicators they hold at the 1,024th that is made from one, and at no other.
#[test]
fn notes_on_communicators_are_compared() {
    let messages = |count: usize| {
        let ran = run(2, move |_| {
            (0..count).for_each(|_| mpi!(Comm_free, &mut get_handle!(Comm_dup, WORLD)));
        });
        ran.ended.traffic.messages
    };
    let (before, after, later) = (messages(1023), messages(1024), messages(2047));
    assert_eq!((before, after - before, later), (messages(0), 2, after), "one to each");
}
