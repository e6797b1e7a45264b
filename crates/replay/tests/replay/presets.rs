//! A profile has what collectives were asked for, not their algorithms: what decides about these may be another.

use crate::logged::{log, replay, setting};
use weir_capi::harness::*;
use weir_message::collective::{Choice, Condition, Named, Parameters, Preset, Row};
use weir_network::Outcome;

const WORLD: usize = MPI_COMM_WORLD;

/// Collectives of several kinds, long enough for libraries to differ.
fn body(rank: usize) {
    let (data, mut got) = (vec![rank as i32; 20_000], vec![0; 20_000]);
    for count in [1, 1000, 20_000] {
        mpi!(Allreduce, &data[..], &mut got[..], count, MPI_INT, MPI_SUM, WORLD);
        assert_eq!(got[count - 1], 28);
        mpi!(Bcast, &mut got[..], count, MPI_INT, 1, WORLD);
        work(100 * rank as u64);
        mpi!(Reduce, &data[..], &mut got[..], count, MPI_INT, MPI_SUM, 2, WORLD);
    }
    mpi!(Alltoall, &data[..], 100, MPI_INT, &mut got[..], 100, MPI_INT, WORLD);
    mpi!(Allgather, &data[..], 1000, MPI_INT, &mut got[..], 1000, MPI_INT, WORLD);
    mpi!(Gather, &data[..], 1000, MPI_INT, &mut got[..], 1000, MPI_INT, 3, WORLD);
    mpi!(Barrier, WORLD);
}

fn machine(preset: Preset, rows: Vec<Row<Named>>) -> Machine {
    let mut machine = Machine::timed(8);
    machine.options.choice = Choice { preset, selection: rows.into(), ..Choice::default() };
    machine
}

/// Logged under one, replayed under another: it ends when the program does under the other.
#[test]
fn a_profile_replays_under_another_preset() {
    let ring = Row {
        when: Condition { commutes: Some(true), ..Condition::default() },
        algorithm: Named::new("allreduce", "ring").unwrap(),
        parameters: Parameters::default(),
    };
    let settings = || {
        let presets = Preset::ALL.map(|(_, preset)| (preset, Vec::new()));
        presets.into_iter().chain([(Preset::Fujitsu, vec![ring])])
    };
    let mut ends = Vec::new();
    for (preset, rows) in settings() {
        let logged = log(machine(preset, rows), body);
        assert_eq!(logged.ended.outcome, Outcome::Finished);
        ends.push((logged.ended.at, logged.ended.traffic.messages, logged.profile));
    }
    for (index, (at, messages, _)) in ends.iter().enumerate() {
        assert!(ends[..index].iter().all(|other| (other.0, other.1) != (*at, *messages)), "{index}");
        let (preset, rows) = settings().nth(index).unwrap();
        let machine = machine(preset, rows);
        for (_, _, profile) in &ends {
            let (ended, _) = replay(profile, &machine, setting(&machine));
            assert_eq!(ended.outcome, Outcome::Finished);
            assert_eq!((ended.at, ended.traffic.messages), (*at, *messages), "{preset:?}");
        }
    }
}
