//! What a profile says of each call: the lines of its text form, worked out from the call. Times are left out: the program is
//! replayed to the picosecond, which shows that they are right.

use crate::logged::{check_replay, log};
use weir_capi::harness::*;

const WORLD: usize = MPI_COMM_WORLD;

/// All communicators, and the lines of a rank.
fn lines(text: &str, rank: usize) -> String {
    let without_times = |line: &str| line.split(" took ").next().unwrap_or_default().to_string();
    let communicators = text.lines().filter(|line| line.starts_with("communicator")).map(str::to_string);
    let own = text.lines().filter_map(|line| line.strip_prefix(&format!("{rank} "))).map(without_times);
    let events = own.filter(|line| !line.starts_with("compute ") && line != "end");
    communicators.chain(events).collect::<Vec<_>>().join("\n")
}

/// Logs and replays a program; each text is a rank and what it does, behind the communicators that there are; `;` ends a line.
#[track_caller]
pub(crate) fn check(machine: fn() -> Machine, body: fn(usize), says: &[&str]) {
    let logged = log(machine(), body);
    for said in says {
        let (rank, expected) = said.split_once(": ").unwrap();
        let expected: Vec<&str> = expected.split(';').map(str::trim).collect();
        assert_eq!(lines(&logged.text, rank.parse().unwrap()), expected.join("\n"), "rank {rank}");
    }
    check_replay(machine, &logged);
}

pub(crate) fn two() -> Machine {
    Machine::timed(2)
}

fn three() -> Machine {
    Machine::timed(3)
}

pub(crate) fn four() -> Machine {
    Machine::timed(4)
}

#[test]
fn messages() {
    let sends = |rank: usize| {
        let data = [0; 100];
        if rank == 1 {
            let mut got = [0; 100];
            let mut requests = [1, 2, 3].map(|tag| get_handle!(Irecv, &mut got, 3, MPI_INT, 0, tag, WORLD));
            mpi!(Barrier, WORLD);
            mpi!(Waitall, 3, &mut requests, NULL);
            mpi!(Recv, &mut got, 100, MPI_INT, 0, 4, WORLD, NULL);
            mpi!(Recv, &mut got, 4, MPI_INT, MPI_ANY_SOURCE, 5, WORLD, NULL);
            mpi!(Recv, &mut got, 100, MPI_INT, 0, MPI_ANY_TAG, WORLD, NULL);
            mpi!(Recv, &mut got, 7, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, NULL);
            return mpi!(Recv, &mut got, 7, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, WORLD, NULL);
        }
        mpi!(Buffer_attach, 2, 0);
        mpi!(Barrier, WORLD);
        mpi!(Send, &data, 3, MPI_INT, 1, 1, WORLD);
        mpi!(Rsend, &data, 3, MPI_INT, 1, 2, WORLD);
        mpi!(Ssend, &data, 2, MPI_INT, 1, 3, WORLD);
        mpi!(Bsend, &data, 100, MPI_INT, 1, 4, WORLD);
        mpi!(Buffer_flush);
        // Eager ones are complete at once, and waited for all the same.
        let mut going = [
            get_handle!(Isend, &data, 4, MPI_INT, 1, 5, WORLD),
            get_handle!(Isend, &data, 100, MPI_INT, 1, 6, WORLD),
        ];
        mpi!(Waitall, 2, &mut going, NULL);
        mpi!(Send, &data, 7, MPI_INT, 1, 7, WORLD);
        mpi!(Send, &data, 7, MPI_INT, MPI_PROC_NULL, 8, WORLD);
        let mut nobody = get_handle!(Irsend, &data, 7, MPI_INT, MPI_PROC_NULL, 8, WORLD);
        mpi!(Wait, &mut nobody, NULL);
    };
    let exchange = |rank: usize| {
        let (mine, mut got, other) = ([0; 4], [0; 8], 1 - rank);
        mpi!(Sendrecv, &mine, 4, MPI_INT, other, 3, &mut got, 8, MPI_INT, MPI_ANY_SOURCE, 3, WORLD, NULL);
        let nobody = MPI_PROC_NULL;
        mpi!(Sendrecv, &mine, 4, MPI_INT, nobody, 3, &mut got, 8, MPI_INT, nobody, 3, WORLD, NULL);
        mpi!(Sendrecv_replace, &mut got, 2, MPI_INT, other, 0, other, MPI_ANY_TAG, WORLD, NULL);
    };
    check(
        two,
        sends,
        &[
            "0: barrier; send 1 12 tag 1; rsend 1 12 tag 2; ssend 1 8 tag 3; bsend 1 400 tag 4; flush;
            isend 1 16 tag 5 request 0; isend 1 400 tag 6 request 1; wait 0 1; send 1 28 tag 7;
            send nobody 28 tag 8; irsend nobody 28 tag 8 request 1; wait 1",
            "1: irecv 0 12 tag 1 request 0; irecv 0 12 tag 2 request 1; irecv 0 12 tag 3 request 2; barrier;
            wait 0 1 2; recv 0 400 tag 4; recv any 16 tag 5 from 0; recv 0 400 tag any tagged 6;
            recv any 28 tag any from 0 tagged 7; recv nobody 28",
        ],
    );
    check(two, exchange, &[
        "0: irecv any 32 tag 3 from 1 request 0; isend 1 16 tag 3 request 1; wait 1 0; irecv nobody 32 request 0;
            isend nobody 16 tag 3 request 1; wait 1 0; irecv 1 8 tag any tagged 0 request 0; isend 1 8 request 1;
            wait 1 0",
    ]);
}

#[test]
fn requests() {
    let body = |rank: usize| {
        let (data, mut got, mut flag) = ([0; 100], [0; 100], 0);
        if rank == 0 {
            work(5000);
            (0..4).for_each(|tag| mpi!(Send, &data, 1, MPI_INT, 1, tag, WORLD));
            let mut lost = get_handle!(Irecv, &mut got, 1, MPI_INT, 1, 99, WORLD);
            mpi!(Cancel, &mut lost);
            mpi!(Wait, &mut lost, NULL);
            let mut taken_back = get_handle!(Issend, &data, 1, MPI_INT, 1, 5, WORLD);
            work(1500);
            mpi!(Cancel, &mut taken_back);
            mpi!(Wait, &mut taken_back, NULL);
            let function = nothing as *const ();
            let mut own = get_handle!(Grequest_start, function, function, function, 0);
            mpi!(Grequest_complete, own);
            return mpi!(Wait, &mut own, NULL);
        }
        let mut some = [0, 1].map(|tag| get_handle!(Irecv, &mut got, 1, MPI_INT, MPI_ANY_SOURCE, tag, WORLD));
        mpi!(Waitall, 2, &mut some, NULL);
        // The numbers of those that are over are given again.
        let mut third = get_handle!(Irecv, &mut got, 1, MPI_INT, 0, MPI_ANY_TAG, WORLD);
        mpi!(Wait, &mut third, NULL);
        let mut freed = get_handle!(Irecv, &mut got, 1, MPI_INT, 0, 3, WORLD);
        mpi!(Request_free, &mut freed);
        let mut going = get_handle!(Isend, &data, 1, MPI_INT, MPI_PROC_NULL, 3, WORLD);
        mpi!(Request_get_status, going, &mut flag, NULL);
        mpi!(Test, &mut going, &mut flag, NULL);
        work(9000);
    };
    let probes = |rank: usize| {
        let (mut got, mut message, mut flag) = (0, MPI_MESSAGE_NULL, 0);
        if rank == 0 {
            return (1..3).for_each(|tag| mpi!(Send, &1, 1, MPI_INT, 1, tag, WORLD));
        }
        work(9000);
        mpi!(Probe, 0, 1, WORLD, NULL);
        mpi!(Probe, MPI_PROC_NULL, 1, WORLD, NULL);
        mpi!(Iprobe, MPI_ANY_SOURCE, 2, WORLD, &mut flag, NULL);
        mpi!(Mprobe, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &mut message, NULL);
        mpi!(Mrecv, &mut got, 1, MPI_INT, &mut message, NULL);
        mpi!(Improbe, 0, MPI_ANY_TAG, WORLD, &mut flag, &mut message, NULL);
        let mut request = MPI_REQUEST_NULL;
        mpi!(Imrecv, &mut got, 1, MPI_INT, &mut message, &mut request);
        mpi!(Mprobe, MPI_PROC_NULL, 0, WORLD, &mut message, NULL);
        mpi!(Mrecv, &mut got, 1, MPI_INT, &mut message, NULL);
        mpi!(Wait, &mut request, NULL);
    };
    check(two, body, &[
        "0: send 1 4; send 1 4 tag 1; send 1 4 tag 2; send 1 4 tag 3; irecv 1 4 tag 99 request 0; cancel 0;
            wait 0; issend 1 4 tag 5 request 0; cancel 0; wait 0; open 0; fulfil 0; wait 0",
        "1: irecv any 4 from 0 request 0; irecv any 4 tag 1 from 0 request 1; wait 0 1;
            irecv 0 4 tag any tagged 2 request 1; wait 1; irecv 0 4 tag 3 request 1; release 1;
            isend nobody 4 tag 3 request 1; see 1; test 1",
    ]);
    check(two, probes, &[
        "1: probe 0 tag 1; probe any tag 2 from 0 looks; mprobe any tag any from 0 tagged 1 request 0; mrecv 0 4;
            mprobe 0 tag any tagged 2 looks request 0; imrecv 0 4; recv nobody 0; wait 0",
    ]);
}

extern "C" fn nothing() -> i32 {
    0
}

#[test]
fn collectives_of_one_group() {
    let body = |rank: usize| {
        let (given, mut got) = ([0_u8; 64], [0_u8; 256]);
        let into = (&raw mut got) as usize;
        let (counts, places, ints) = ([1, 2, 3], [0, 1, 3], MPI_INT);
        let (c, p) = (&counts, &places);
        work(10 * rank as u64);
        mpi!(Barrier, WORLD);
        mpi!(Bcast, into, 3, ints, 2, WORLD);
        mpi!(Reduce, &given, into, 3, ints, MPI_SUM, 1, WORLD);
        mpi!(Allreduce, &given, into, 2, MPI_DOUBLE, MPI_SUM, WORLD);
        mpi!(Gather, &given, 2, ints, into, 2, ints, 1, WORLD);
        mpi!(Gatherv, &given, counts[rank], ints, into, c, p, ints, 1, WORLD);
        mpi!(Scatter, &given, 2, ints, into, 2, ints, 1, WORLD);
        mpi!(Scatterv, &given, c, p, ints, into, counts[rank], ints, 1, WORLD);
        mpi!(Allgather, &given, 2, ints, into, 2, ints, WORLD);
        mpi!(Allgatherv, &given, counts[rank], ints, into, c, p, ints, WORLD);
        // Two of three are equal.
        let counts = [1, 1, 2];
        mpi!(Allgatherv, &given, counts[rank], ints, into, &counts, p, ints, WORLD);
        mpi!(Alltoall, &given, 2, ints, into, 2, ints, WORLD);
        let same = [rank as i32 + 1; 3];
        mpi!(Alltoallv, &given, &same, &[0, 4, 8], ints, into, &[1, 2, 3], &[0, 4, 8], ints, WORLD);
        mpi!(Alltoallv, &given, &[2; 3], &[0, 4, 8], ints, into, &[2; 3], &[0, 4, 8], ints, WORLD);
        mpi!(Scan, &given, into, 2, ints, MPI_SUM, WORLD);
        mpi!(Exscan, &given, into, 3, ints, MPI_SUM, WORLD);
        mpi!(Reduce_scatter_block, &given, into, 2, ints, MPI_SUM, WORLD);
        mpi!(Reduce_scatter, &given, into, c, ints, MPI_SUM, WORLD);
        let ordered = get_handle!(Op_create, nothing as *const (), 0);
        mpi!(Allreduce, &given, into, 3, ints, ordered, WORLD);
        let mut going = get_handle!(Ibcast, into, 3, ints, 0, WORLD);
        work(500);
        mpi!(Wait, &mut going, NULL);
        let mut kept = [0, 1].map(|root| get_handle!(Bcast_init, into, 3, ints, root, WORLD, MPI_INFO_NULL));
        mpi!(Startall, 2, &mut kept);
        mpi!(Waitall, 2, &mut kept, NULL);
    };
    check(three, body, &[
        "0: barrier; bcast 12 root 2; reduce 12 root 1 element 4 op sum type int32; allreduce 16 element 8 op sum type double; gather 8 root 1;
            gatherv 4 root 1; scatter 8 root 1; scatterv 4 root 1; allgather 8; allgatherv blocks 4 8 12; allgatherv blocks 4 4 8;
            alltoall 8; alltoallv out 4 4 4 in 4 8 12; alltoallv out 8 in 8; scan 8 op sum type int32; exscan 12 op sum type int32;
            reduce-scatter blocks 8 element 4 op sum type int32; reduce-scatter blocks 4 8 12 element 4 op sum type int32;
            allreduce 12 element 4 ordered op user type int32; ibcast 12 root 0 request 0; wait 0; ibcast 12 root 0 tag 1 request 0;
            ibcast 12 root 1 tag 2 request 1; wait 0 1",
        "1: barrier; bcast 12 root 2; reduce 12 root 1 element 4 op sum type int32; allreduce 16 element 8 op sum type double; gather 8 root 1;
            gatherv blocks 4 8 12 root 1; scatter 8 root 1; scatterv blocks 4 8 12 root 1; allgather 8;
            allgatherv blocks 4 8 12; allgatherv blocks 4 4 8; alltoall 8; alltoallv out 8 8 8 in 4 8 12; alltoallv out 8 in 8; scan 8 op sum type int32;
            exscan 12 op sum type int32; reduce-scatter blocks 8 element 4 op sum type int32; reduce-scatter blocks 4 8 12 element 4 op sum type int32;
            allreduce 12 element 4 ordered op user type int32; ibcast 12 root 0 request 0; wait 0; ibcast 12 root 0 tag 1 request 0;
            ibcast 12 root 1 tag 2 request 1; wait 0 1",
    ]);
}

#[test]
fn collectives_of_other_groups_and_of_few() {
    let groups = |rank: usize| {
        let (given, mut got) = ([0; 8], [0; 8]);
        let odd = get_handle!(Comm_split, WORLD, rank % 2, 9 - rank);
        mpi!(Barrier, odd);
        mpi!(Barrier, MPI_COMM_SELF);
        let again = get_handle!(Comm_dup, odd);
        mpi!(Barrier, again);
        mpi!(Barrier, odd);
        let mut line = MPI_COMM_NULL;
        mpi!(Cart_create, WORLD, 1, &[4], &[0], 0, &mut line);
        mpi!(Neighbor_alltoall, &given, 2, MPI_INT, &mut got, 2, MPI_INT, line);
        mpi!(Neighbor_allgather, &given, 1, MPI_INT, &mut got, 1, MPI_INT, line);
    };
    // Three bytes of two ranks, and one of each.
    let few = |rank: usize| {
        mpi!(Allgather, &[0; 1], 1, MPI_BYTE, &mut [0; 2], 1, MPI_BYTE, WORLD);
        mpi!(Allgatherv, &[0; 2], 1 + rank, MPI_BYTE, &mut [0; 3], &[1, 2], &[0, 1], MPI_BYTE, WORLD);
    };
    check(two, few, &["0: allgather 1; allgatherv blocks 1 2"]);
    check(
        four,
        groups,
        &[
            "0: communicator 2: 2 0; communicator 3: 3 1; communicator 4: 2 0; communicator 5: 3 1;
            communicator 6: 0-3; split; barrier comm 2; barrier comm 1; barrier comm 4; barrier comm 2;
            neighbors list 2 -1 1 2 -1 1 1 0 0 8 0 8 comm 6; neighbors list 2 -1 1 2 -1 1 1 0 0 4 0 4 comm 6",
            "3: communicator 2: 2 0; communicator 3: 3 1; communicator 4: 2 0; communicator 5: 3 1;
            communicator 6: 0-3; split; barrier comm 3; barrier comm 1; barrier comm 5; barrier comm 3;
            neighbors list 2 2 -1 2 2 -1 1 0 8 0 8 0 comm 6; neighbors list 2 2 -1 2 2 -1 1 0 4 0 4 0 comm 6",
        ],
    );
}

/// Rank 0 alone, and three others; the root is the second of these.
#[test]
fn collectives_of_two_groups() {
    let body = |rank: usize| {
        let (given, mut got) = ([0; 16], [0; 16]);
        let into = (&raw mut got) as usize;
        let (side, ints) = (usize::from(rank > 0), MPI_INT);
        let local = get_handle!(Comm_split, WORLD, side, rank);
        let both = get_handle!(Intercomm_create, local, 0, WORLD, 1 - side, 9);
        let root = match rank {
            0 => 1,
            2 => MPI_ROOT,
            _ => MPI_PROC_NULL,
        };
        let counts = if side == 0 { [1, 2, 3] } else { [rank as i32; 3] };
        mpi!(Barrier, both);
        mpi!(Bcast, into, 2, ints, root, both);
        mpi!(Reduce, &given, into, 2, ints, MPI_SUM, root, both);
        mpi!(Gather, &given, 2, ints, into, 2, ints, root, both);
        mpi!(Scatter, &given, 2, ints, into, 2, ints, root, both);
        mpi!(Gatherv, &given, 3, ints, into, &[3], &[0], ints, root, both);
        mpi!(Scatterv, &given, &[3], &[0], ints, into, 3, ints, root, both);
        let from_other = if side == 0 { 3 } else { 2 };
        mpi!(Allgather, &given, 5 - from_other, ints, into, from_other, ints, both);
        let none = if side == 0 { 0 } else { 1 };
        mpi!(Allgather, &given, 1 - none, ints, into, none, ints, both);
        mpi!(Allreduce, &given, into, 2, ints, MPI_SUM, both);
        mpi!(Alltoall, &given, 2, ints, into, 2, ints, both);
        mpi!(Alltoallv, &given, &counts, &[0, 4, 8], ints, into, &counts, &[0, 4, 8], ints, both);
        mpi!(Reduce_scatter_block, &given, into, if side == 0 { 3 } else { 1 }, ints, MPI_SUM, both);
        mpi!(Send, &given, 1, ints, if side == 0 { 2 } else { MPI_PROC_NULL }, 3, both);
        if rank == 3 {
            mpi!(Recv, into, 1, ints, 0, 3, both, NULL);
        }
        let merged = get_handle!(Intercomm_merge, both, 1 - side);
        mpi!(Barrier, merged);
    };
    check(four, body, &[
        "0: communicator 2: 1-3; communicator 3: 0; communicator 4: 0 | 1-3; communicator 5: 1-3 0; split;
            send 1 32 tag 9; recv 1 32 tag 9; bcast 32 root 0 comm 3; barrier comm 4; bcast 8 root 1 comm 4;
            reduce 8 root 1 element 4 op sum type int32 comm 4; gatherv 8 root 1 comm 4; scatterv 8 root 1 comm 4;
            gatherv 12 root 1 comm 4; scatterv 12 root 1 comm 4; allgatherv 8 blocks 12 comm 4;
            allgatherv 4 blocks 0 comm 4; allreduce 8 element 4 op sum type int32 comm 4; alltoallv out 8 8 8 in 8 8 8 comm 4;
            alltoallv out 4 8 12 in 4 8 12 comm 4; reduce-scatter blocks 12 element 4 op sum type int32 comm 4;
            send 2 4 tag 3 comm 4; merge comm 4; barrier comm 5",
        "1: communicator 2: 1-3; communicator 3: 0; communicator 4: 0 | 1-3; communicator 5: 1-3 0; split;
            send 0 32 tag 9; recv 0 32 tag 9; bcast 32 root 0 comm 2; barrier comm 4; bcast 0 root nobody comm 4;
            bcast 0 root nobody comm 4; gatherv 0 root nobody comm 4; scatterv 0 root nobody comm 4;
            gatherv 0 root nobody comm 4; scatterv 0 root nobody comm 4; allgatherv 12 blocks 8 comm 4;
            allgatherv blocks 4 comm 4; allreduce 8 element 4 op sum type int32 comm 4; alltoallv out 8 in 8 comm 4;
            alltoallv out 4 in 4 comm 4; reduce-scatter blocks 4 element 4 op sum type int32 comm 4; send nobody 4 tag 3 comm 4;
            merge comm 4; barrier comm 5",
        "2: communicator 2: 1-3; communicator 3: 0; communicator 4: 0 | 1-3; communicator 5: 1-3 0; split;
            bcast 32 root 0 comm 2; barrier comm 4; bcast 8 root here comm 4;
            reduce 8 root here element 4 op sum type int32 comm 4; gatherv blocks 8 root here comm 4;
            scatterv blocks 8 root here comm 4; gatherv blocks 12 root here comm 4;
            scatterv blocks 12 root here comm 4; allgatherv 12 blocks 8 comm 4; allgatherv blocks 4 comm 4;
            allreduce 8 element 4 op sum type int32 comm 4; alltoallv out 8 in 8 comm 4; alltoallv out 8 in 8 comm 4;
            reduce-scatter blocks 4 element 4 op sum type int32 comm 4; send nobody 4 tag 3 comm 4; merge comm 4; barrier comm 5",
    ]);
}

#[test]
fn windows() {
    let body = |rank: usize| {
        let (mut base, mut win, mut got, mut flag) = (0_usize, MPI_WIN_NULL, [0; 64], 0);
        mpi!(Win_allocate, 256, 4, MPI_INFO_NULL, WORLD, &mut base, &mut win);
        let world = get_handle!(Comm_group, WORLD);
        let others: [i32; 2] = std::array::from_fn(|at| (if at < rank { at } else { at + 1 }) as i32);
        let partners = get_handle!(Group_incl, world, 2, &others);
        mpi!(Win_fence, MPI_MODE_NOPRECEDE, win);
        if rank == 0 {
            mpi!(Put, &got, 40, MPI_INT, 2, 0, 40, MPI_INT, win);
            mpi!(Get, &mut got, 2, MPI_INT, 1, 0, 2, MPI_INT, win);
            mpi!(Accumulate, &got, 3, MPI_INT, 2, 0, 3, MPI_INT, MPI_SUM, win);
            mpi!(Get_accumulate, &got, 4, MPI_INT, &mut got[20], 4, MPI_INT, 2, 0, 4, MPI_INT, MPI_SUM, win);
            mpi!(Get_accumulate, 0, 0, MPI_INT, &mut got, 4, MPI_INT, 2, 0, 4, MPI_INT, MPI_NO_OP, win);
            mpi!(Fetch_and_op, &1, &mut got, MPI_INT, 1, 0, MPI_SUM, win);
            mpi!(Compare_and_swap, &1, &2, &mut got, MPI_INT, 1, 0, win);
        }
        mpi!(Win_fence, MPI_MODE_NOSUCCEED, win);
        if rank == 0 {
            mpi!(Win_start, partners, 0, win);
            mpi!(Win_complete, win);
            mpi!(Win_start, partners, MPI_MODE_NOCHECK, win);
            mpi!(Win_complete, win);
            mpi!(Win_lock, MPI_LOCK_EXCLUSIVE, 2, 0, win);
            mpi!(Win_flush, 2, win);
            mpi!(Win_flush_local, 2, win);
            mpi!(Win_unlock, 2, win);
            mpi!(Win_lock, MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, win);
            mpi!(Win_unlock, 1, win);
            mpi!(Win_lock_all, 0, win);
            let mut request = MPI_REQUEST_NULL;
            mpi!(Rput, &got, 2, MPI_INT, 1, 0, 2, MPI_INT, win, &mut request);
            mpi!(Wait, &mut request, NULL);
            mpi!(Rget, &mut got, 2, MPI_INT, 1, 0, 2, MPI_INT, win, &mut request);
            mpi!(Wait, &mut request, NULL);
            mpi!(Win_flush_all, win);
            mpi!(Win_flush_local_all, win);
            mpi!(Win_unlock_all, win);
            mpi!(Win_lock_all, MPI_MODE_NOCHECK, win);
            mpi!(Win_unlock_all, win);
        } else {
            let first = get_handle!(Group_incl, world, 1, &[0]);
            mpi!(Win_post, first, 0, win);
            mpi!(Win_wait, win);
            mpi!(Win_post, first, MPI_MODE_NOCHECK, win);
            work(100_000);
            mpi!(Win_test, win, &mut flag);
        }
        mpi!(Win_free, &mut win);
    };
    check(three, body, &[
        "0: communicator 2: 0-2; win-open comm 2; barrier comm 2; win-flush comm 2; barrier comm 2;
            win-fence comm 2; put 2 160 comm 2; get 1 8 comm 2; accumulate 2 12 comm 2; get-accumulate 2 16 comm 2;
            get 2 16 comm 2; get-accumulate 1 4 comm 2; compare-and-swap 1 4 comm 2; win-flush comm 2;
            barrier comm 2; win-fence nosucceed comm 2; win-start ranks 1 2 comm 2; win-complete comm 2;
            win-start nocheck ranks 1 2 comm 2; win-complete comm 2; win-lock 2 exclusive comm 2;
            win-flush 2 comm 2; win-flush 2 local comm 2; win-unlock 2 comm 2; win-lock 1 nocheck comm 2;
            win-unlock 1 comm 2; win-lock-all comm 2; isend nobody 0 request 0; put 1 8 comm 2; wait 0;
            rget 1 8 comm 2 request 0; wait 0; win-flush comm 2; win-flush local comm 2; win-unlock-all comm 2;
            win-lock-all nocheck comm 2; win-unlock-all comm 2; win-flush comm 2; barrier comm 2;
            win-close comm 2",
        "1: communicator 2: 0-2; win-open comm 2; barrier comm 2; win-flush comm 2; barrier comm 2;
            win-fence comm 2; win-flush comm 2; barrier comm 2; win-fence nosucceed comm 2;
            win-post ranks 0 comm 2; win-wait comm 2; win-post nocheck ranks 0 comm 2; win-wait looks comm 2;
            win-flush comm 2; barrier comm 2; win-close comm 2",
    ]);
}

#[test]
fn partitions() {
    let body = |rank: usize| {
        let (data, mut kept) = ([0_u8; 300], [MPI_REQUEST_NULL; 2]);
        let peer = 1 - rank;
        let make = if rank == 0 { "MPI_Psend_init" } else { "MPI_Precv_init" };
        for (tag, kept) in (5..).zip(&mut kept) {
            let words =
                [data.as_ptr() as usize, 3, 100, MPI_BYTE, peer, tag, WORLD, MPI_INFO_NULL, kept.word()];
            assert_eq!(call(make, &words), MPI_SUCCESS);
        }
        mpi!(Startall, 2, &mut kept);
        if rank == 0 {
            mpi!(Pready_range, 0, 2, kept[0]);
            mpi!(Pready_list, 3, &[2, 0, 1], kept[1]);
        }
        mpi!(Waitall, 2, &mut kept, NULL);
        kept.iter_mut().for_each(|kept| mpi!(Request_free, kept));
    };
    check(
        two,
        body,
        &[
            "0: psend-init 1 channel 0 tag 5; psend-init 1 channel 1 tag 6; psend 0 partitions 3 request 0;
            psend 1 partitions 3 request 1; pready 0 100 partition 0; pready 0 100 partition 1;
            pready 0 100 partition 2; pready 1 100 partition 2; pready 1 100 partition 0;
            pready 1 100 partition 1; wait 0 1",
            "1: precv-init 0 channel 0 tag 5; precv-init 0 channel 1 tag 6; precv 0 300 request 0;
            precv 1 300 request 1; wait 0 1",
        ],
    );
}
