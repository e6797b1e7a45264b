//! What the events of a profile send, known before they run.

use crate::logged::log;
use std::collections::BTreeMap;
use weir_capi::harness::*;
use weir_message::collective::Choice;
use weir_replay::{Outline, OutlineStep};
use weir_units::{Bytes, Rank};

const WORLD: usize = MPI_COMM_WORLD;

fn steps(machine: Machine, body: fn(usize), rank: u32) -> Vec<Vec<OutlineStep>> {
    let logged = log(machine, body);
    let mut outline = Outline::new(&logged.profile, Rank(rank), Choice::default());
    logged.profile.events(Rank(rank)).iter().map(|event| outline.steps(event).unwrap()).collect()
}

/// A broadcast along a binomial tree: the root sends to rank 2 and rank 1; ranks of a communicator are named as those of the
/// world.
#[test]
fn collectives_by_rounds() {
    let bcast = |_: usize| mpi!(Bcast, &mut [0; 3], 3, MPI_INT, 0, WORLD);
    let all = |machine: fn() -> Machine, body: fn(usize)| -> Vec<Vec<(Rank, Bytes)>> {
        let of = |rank| steps(machine(), body, rank).concat();
        let only_sends =
            |step: OutlineStep| if let OutlineStep::Sends(sends) = step { sends } else { Vec::new() };
        (0..4).map(|rank| of(rank).into_iter().flat_map(only_sends).collect()).collect()
    };
    let four = || Machine::timed(4);
    let twelve = Bytes(12);
    assert_eq!(
        all(four, bcast),
        [vec![(Rank(2), twelve), (Rank(1), twelve)], vec![], vec![(Rank(3), twelve)], vec![]]
    );
    let odd = |rank: usize| {
        let part = get_handle!(Comm_split, WORLD, rank % 2, 0);
        mpi!(Bcast, &mut [0; 3], 3, MPI_INT, 1, part);
    };
    let last = |sends: &Vec<(Rank, Bytes)>| sends.last().copied();
    let of_halves = all(four, odd);
    assert_eq!(
        (last(&of_halves[2]), last(&of_halves[3])),
        (Some((Rank(0), twelve)), Some((Rank(1), twelve)))
    );
}

/// What is outlined is what is sent: bytes from each rank to each.
#[test]
fn outlines_add_up() {
    let body = |rank: usize| {
        let (given, mut got) = ([0; 64], [0; 64]);
        mpi!(Allreduce, &given, &mut got, 5, MPI_INT, MPI_SUM, WORLD);
        mpi!(Alltoall, &given, 3, MPI_INT, &mut got, 3, MPI_INT, WORLD);
        mpi!(Gather, &given, 3, MPI_INT, &mut got, 3, MPI_INT, 2, WORLD);
        mpi!(
            Sendrecv,
            &given,
            2,
            MPI_INT,
            (rank + 1) % 4,
            0,
            &mut got,
            2,
            MPI_INT,
            (rank + 3) % 4,
            0,
            WORLD,
            NULL
        );
    };
    let logged = log(Machine::timed(4), body);
    let mut sent: BTreeMap<(u32, Rank), u64> = BTreeMap::new();
    for rank in 0..4 {
        let mut outline = Outline::new(&logged.profile, Rank(rank), Choice::default());
        for event in logged.profile.events(Rank(rank)) {
            for step in outline.steps(event).unwrap() {
                let OutlineStep::Sends(sends) = step else { continue };
                sends.into_iter().for_each(|(to, bytes)| *sent.entry((rank, to)).or_default() += bytes.0);
            }
        }
    }
    assert_eq!(sent.values().sum::<u64>(), logged.ended.traffic.bytes.0);
}
