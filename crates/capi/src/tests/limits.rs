//! What is held against a program that makes ever more of something.

use super::apart::{apart, one_test};
use crate::harness::*;
use crate::rank::context::Context;
use crate::rank::errors::ErrorHandler;
use weir_message::CommunicatorId;

const WORLD: usize = MPI_COMM_WORLD;
const MOST: usize = 1 << 15;

fn held() -> usize {
    Context::get().unwrap().rank().process.communicators_held()
}

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
        while rank == 1 && held() < MOST {
            get_handle!(Comm_dup, filled);
        }
        let mut last = if rank == 1 { get_handle!(Comm_dup, MPI_COMM_SELF) } else { MPI_COMM_NULL };
        for (&(name, make), &from) in makers.iter().zip(&from) {
            let (before, mut made) = (held(), MPI_COMM_NULL);
            assert_eq!(make(from, rank, &mut made), MPI_ERR_OTHER, "{name}");
            assert_eq!((held(), made), (before, MPI_COMM_NULL), "{name}");
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
    extern "C" fn objects(_: usize, _: i32, _: usize, _: usize, _: usize, _: usize) -> i32 {
        MPI_ERR_OTHER
    }
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
    apart("limits::memory_is_given_back", |_| {
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
    let output = one_test("limits::an_end_without_memory").arg("without memory").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let bytes = isize::MAX as usize / 2;
    assert!(
        said.contains(&format!("error: no memory for {bytes} bytes\n\nhint: take a smaller machine")),
        "{said}"
    );
    assert!(said.ends_with(" with more memory\n"), "{said}");
}
