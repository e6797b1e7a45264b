//! Collectives by functions of the program.

use crate::harness::*;
use std::cell::RefCell;
use std::ffi::CStr;

const WORLD: usize = MPI_COMM_WORLD;

thread_local! {
    /// The communicators that [`own_bcast`] was called with on rank 0.
    static CALLS: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
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
