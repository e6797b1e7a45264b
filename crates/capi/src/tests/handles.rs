//! Handles of all kinds: as integers they come back, whatever their age, and what was freed is recognised.

use crate::harness::*;
use std::ffi::c_int;

/// How often each kind is made anew.
const USES: usize = 100_000;

/// A kind of handles by the name of its conversions, how one is made, what needs it, and how it ends.
struct Kind {
    name: &'static str,
    make: fn() -> usize,
    use_it: fn(usize) -> c_int,
    free: fn(&mut usize),
    /// The error class for one that was freed, where handles are not given again.
    stale: Option<c_int>,
}

extern "C" fn nothing() {}

fn message() -> usize {
    mpi!(Send, &7, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    let mut handle = 0_usize;
    mpi!(Mprobe, 0, 0, MPI_COMM_SELF, &mut handle, NULL);
    handle
}

const KINDS: [Kind; 12] = [
    Kind {
        name: "Type",
        make: || get_handle!(Type_contiguous, 3, MPI_INT),
        use_it: |handle| code!(Type_size, handle, &mut 0),
        free: |handle| mpi!(Type_free, handle),
        stale: Some(3),
    },
    Kind {
        name: "Comm",
        make: || get_handle!(Comm_dup, MPI_COMM_SELF),
        use_it: |handle| code!(Comm_size, handle, &mut 0),
        free: |handle| mpi!(Comm_free, handle),
        stale: Some(5),
    },
    Kind {
        name: "Group",
        make: || get_handle!(Comm_group, MPI_COMM_SELF),
        use_it: |handle| code!(Group_size, handle, &mut 0),
        free: |handle| mpi!(Group_free, handle),
        stale: Some(9),
    },
    Kind {
        name: "Info",
        make: || {
            let mut handle = 0_usize;
            mpi!(Info_create, &mut handle);
            handle
        },
        use_it: |handle| code!(Info_get_nkeys, handle, &mut 0),
        free: |handle| mpi!(Info_free, handle),
        stale: Some(34),
    },
    Kind {
        name: "Op",
        make: || get_handle!(Op_create, nothing as *const () as usize, 1),
        use_it: |handle| code!(Op_commutative, handle, &mut 0),
        free: |handle| mpi!(Op_free, handle),
        stale: Some(10),
    },
    Kind {
        name: "Errhandler",
        make: || get_handle!(Comm_create_errhandler, nothing as *const () as usize),
        use_it: |handle| code!(Win_set_errhandler, MPI_WIN_NULL, handle) - 56,
        free: |handle| mpi!(Errhandler_free, handle),
        stale: None,
    },
    Kind {
        name: "Request",
        make: || get_handle!(Irecv, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF),
        use_it: |handle| code!(Request_get_status, handle, &mut 0, NULL),
        free: |handle| mpi!(Wait, handle, NULL),
        stale: None,
    },
    // A request that is kept.
    Kind {
        name: "Request",
        make: || get_handle!(Recv_init, NULL, 0, MPI_INT, 0, 0, MPI_COMM_SELF),
        use_it: |handle| code!(Request_get_status, handle, &mut 0, NULL),
        free: |handle| mpi!(Request_free, handle),
        stale: None,
    },
    Kind {
        name: "Message",
        make: message,
        use_it: |_| 0,
        free: |handle| mpi!(Mrecv, &mut 0, 1, MPI_INT, handle, NULL),
        stale: None,
    },
    Kind {
        name: "Win",
        make: || get_handle!(Win_create, NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF),
        use_it: |handle| code!(Win_fence, 0, handle),
        free: |handle| mpi!(Win_free, handle),
        stale: Some(56),
    },
    Kind {
        name: "File",
        make: || {
            let path = std::env::temp_dir().join(format!("weir-handles-{}", std::process::id()));
            let name = std::ffi::CString::new(path.into_os_string().into_encoded_bytes()).unwrap();
            let mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
            get_handle!(File_open, MPI_COMM_SELF, name.as_ptr(), mode, MPI_INFO_NULL)
        },
        use_it: |handle| code!(File_get_amode, handle, &mut 0),
        free: |handle| mpi!(File_close, handle),
        stale: Some(30),
    },
    Kind {
        name: "Session",
        make: || get_handle!(Session_init, MPI_INFO_NULL, MPI_ERRORS_RETURN),
        use_it: |handle| code!(Session_get_num_psets, handle, MPI_INFO_NULL, &mut 0),
        free: |handle| mpi!(Session_finalize, handle),
        stale: Some(60),
    },
];

#[test]
fn handles_come_back_from_integers_at_any_age() {
    run(1, |_| {
        errors_return(MPI_COMM_SELF);
        errors_return(MPI_COMM_WORLD);
        for Kind { name, make, use_it, free, stale } in KINDS {
            let [to, from] = ["toint", "fromint"].map(|end| format!("MPI_{name}_{end}"));
            let mut first = None;
            for age in 0..USES {
                let mut handle = make();
                let number = call(&to, &[handle]);
                assert!(number > 0, "{name} {age}: {number}");
                assert_eq!(call_unchecked(&from, &[number as usize]), handle, "{name} {age}");
                assert_eq!(use_it(handle), 0, "{name} {age}");
                let again = *first.get_or_insert(handle);
                free(&mut handle);
                if let Some(class) = stale.filter(|_| age % 1000 == 0) {
                    assert_eq!(use_it(again), class, "{name} {age}");
                }
            }
        }
    })
    .finished();
}

/// Predefined handles are the numbers of the standard's interface, and no other number is one of them or of those made.
#[test]
fn handles_that_were_never_given_are_not_there() {
    run(1, |_| {
        errors_return(MPI_COMM_SELF);
        errors_return(MPI_COMM_WORLD);
        for value in [MPI_COMM_WORLD, MPI_INT, MPI_DATATYPE_NULL, MPI_ERRORS_RETURN] {
            let number = call("MPI_Type_toint", &[value]);
            assert_eq!(
                (number as usize, call_unchecked("MPI_Type_fromint", &[number as usize])),
                (value, value)
            );
        }
        let made = get_handle!(Type_contiguous, 3, MPI_INT);
        let comm = get_handle!(Comm_dup, MPI_COMM_SELF);
        for wrong in [call_unchecked("MPI_Type_fromint", &[-5_i32 as u32 as usize]), 1 << 32 | made, made + 1]
        {
            assert_eq!(code!(Type_size, wrong, &mut 0), 3, "{wrong:#x}");
        }
        for wrong in [call_unchecked("MPI_Comm_fromint", &[-5_i32 as u32 as usize]), 1 << 32 | comm, comm + 1]
        {
            assert_eq!(code!(Comm_size, wrong, &mut 0), 5, "{wrong:#x}");
        }
    });
}
