//! Ranks that compute, and who answers requests to send and clearances meanwhile: `node.progress`.
//!
//! On the machine of [`timed`](crate::harness::timed) a send and a receive cost 10 ns each, a byte 1 ns, and 1000 ns later it is
//! there. 1 MiB goes by rendezvous.

use crate::harness::*;
use std::cell::Cell;
use std::rc::Rc;
use weir_message::{Costs, ProgressRule};
use weir_units::Duration;

const WORLD: usize = MPI_COMM_WORLD;
const MIB: usize = 1 << 20;
const MS: u64 = 1_000_000;
const RULES: [ProgressRule; 3] =
    [ProgressRule::Always, ProgressRule::Calls, ProgressRule::Polls(Duration::from_ns(70_000))];

/// When both of two ranks are through.
fn ends(rule: ProgressRule, main: impl Fn(usize) + 'static) -> [u64; 2] {
    let mut machine = Machine::timed(2);
    machine.options.costs = Costs { progress: rule, ..(*machine.options.costs).clone() }.into();
    let ends: Rc<[Cell<u64>; 2]> = Rc::default();
    let noted = Rc::clone(&ends);
    let main = move |rank: usize| {
        main(rank);
        noted[rank].set(now());
    };
    machine.run_mpi(main).finished();
    [ends[0].get(), ends[1].get()]
}

fn all(main: impl Fn(usize) + Clone + 'static) -> [[u64; 2]; 3] {
    RULES.map(|rule| ends(rule, main.clone()))
}

/// The request to send comes at 1010. Seen then, the clearance is back at 2010, the data have left at 1,050,586 (2010 and a byte
/// each ns) and are there at 1,051,586: the receiver, which has computed for 1 ms, has them at 1,051,596. Seen in its `MPI_Wait` at
/// 1,000,000: the clearance is back at 1,001,000, the data have left at 2,049,576 and are there at 2,050,576. Seen at the poll at
/// 70,000: back at 71,000, left at 1,119,576, there at 1,120,576.
#[test]
fn a_receive_is_overlapped_if_somebody_answers() {
    let main = |rank| {
        let mut data = vec![0_u8; MIB];
        if rank == 0 {
            mpi!(Send, data.as_ptr(), MIB, MPI_BYTE, 1, 0, WORLD);
        } else {
            let mut request = get_handle!(Irecv, data.as_mut_ptr(), MIB, MPI_BYTE, 0, 0, WORLD);
            work(MS);
            mpi!(Wait, &mut request, NULL);
        }
    };
    assert_eq!(all(main), [[1_050_586, 1_051_596], [2_049_576, 2_050_586], [1_119_576, 1_120_586]]);
}

/// The clearance comes at 2010. Seen then, the data have left at 1,050,586; the sender, which computes from 10 to 1,000,010, waits
/// for that. Seen in its `MPI_Wait`: they have left at 2,048,586. Seen at the poll at 70,010: at 1,118,586. They are there 1000 ns
/// later.
#[test]
fn a_send_is_overlapped_if_somebody_answers() {
    let main = |rank| {
        let mut data = vec![0_u8; MIB];
        if rank == 0 {
            let mut request = get_handle!(Isend, data.as_ptr(), MIB, MPI_BYTE, 1, 0, WORLD);
            work(MS);
            mpi!(Wait, &mut request, NULL);
        } else {
            mpi!(Recv, data.as_mut_ptr(), MIB, MPI_BYTE, 0, 0, WORLD, NULL);
        }
    };
    assert_eq!(all(main), [[1_050_586, 1_051_596], [2_048_586, 2_049_596], [1_118_586, 1_119_596]]);
}

/// The receiver looks after a quarter of its work: at 250,000 in vain, for 100 ns. So the clearance goes at 250,000, is back at
/// 251,000, and the data, which have left at 1,299,576, are there at 1,300,576: it waits for them, not long. Calls that make no
/// progress are as work, and so are looks at the clock.
#[test]
fn a_test_in_between_helps() {
    let main = |tests: bool| {
        move |rank| {
            let mut data = vec![0_u8; MIB];
            if rank == 0 {
                mpi!(Send, data.as_ptr(), MIB, MPI_BYTE, 1, 0, WORLD);
            } else {
                let mut request = get_handle!(Irecv, data.as_mut_ptr(), MIB, MPI_BYTE, 0, 0, WORLD);
                work(MS / 4);
                if tests {
                    let mut flag = 7;
                    mpi!(Test, &mut request, &mut flag, NULL);
                    assert_eq!((flag, now()), (0, 250_100));
                } else {
                    get!(Comm_rank, WORLD);
                }
                work(MS * 3 / 4);
                mpi!(Wait, &mut request, NULL);
            }
        }
    };
    assert_eq!(ends(ProgressRule::Calls, main(true)), [1_299_576, 1_300_586]);
    assert_eq!(ends(ProgressRule::Calls, main(false)), [2_049_576, 2_050_586]);
}

/// Rank 1 gets two numbers by two broadcasts, of which the first goes on while it computes for 1 ms; the numbers are short, so the
/// message is there at 1010 + 2 + 2, and all rules agree. 1 MiB is asked for at 1010 by the root, and goes as any message does.
#[test]
fn a_broadcast_is_messages() {
    let main = |bytes: usize| {
        move |rank| {
            let mut data = vec![0_u8; bytes];
            let mut request = get_handle!(Ibcast, data.as_mut_ptr(), bytes, MPI_BYTE, 0, WORLD);
            if rank == 1 {
                work(MS);
            }
            mpi!(Wait, &mut request, NULL);
        }
    };
    let [always, calls, polls] = all(main(4));
    assert_eq!((always[1], calls, polls), (1_000_010, always, always));
    let [always, calls, polls] = all(main(MIB));
    let [one, other, third] = [[1_050_586, 1_051_596], [2_049_576, 2_050_586], [1_119_576, 1_120_586]];
    assert_eq!([always, calls, polls], [one, other, third]);
}

/// What reaches into a window waits for nobody: 100 bytes put from 10 to 110 are there at 1110, and the answer is back at 2110, while
/// the target computes.
#[test]
fn windows_are_reached_while_their_owners_compute() {
    let main = |rank| {
        let memory = [0_u8; 100];
        let window = get_handle!(Win_create, memory.as_ptr(), 100, 1, MPI_INFO_NULL, WORLD);
        let start = now();
        mpi!(Win_lock_all, 0, window);
        if rank == 0 {
            mpi!(Put, memory.as_ptr(), 100, MPI_BYTE, 1, 0, 100, MPI_BYTE, window);
            mpi!(Win_flush, 1, window);
            assert!(now() - start < 5000, "{}", now() - start);
        } else {
            work(MS);
        }
        mpi!(Win_unlock_all, window);
        let mut window = window;
        mpi!(Win_free, &mut window);
    };
    let [always, calls, polls] = all(main);
    assert_eq!((calls, polls), (always, always));
}
