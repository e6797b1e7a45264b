//! Random programs: a replay on the same machine gives the same times, and on another machine those of the program there.

use crate::by_hand::profile;
use crate::logged::{check, log, replay, setting};
use proptest::prelude::*;
use std::sync::Arc;
use weir_capi::harness::*;
use weir_collectives::{Choice, Condition, Named, Parameters, Preset, Row};
use weir_message::{CombiningRow, ElementName, OperationName, Overhead, ProgressRule};
use weir_network::Outcome;
use weir_replay::{Outline, OutlineStep, Setting, Sources};
use weir_units::{Bandwidth, Bytes, Duration, Rank};

const WORLD: usize = MPI_COMM_WORLD;

/// What all ranks do in a step.
#[derive(Clone, Debug)]
enum Step {
    /// To the rank so many places on, and from the one as many places back.
    Shift {
        by: usize,
        bytes: usize,
    },
    /// The same, waiting at the end only.
    Overlapped {
        by: usize,
        bytes: usize,
        work: u64,
    },
    /// The same, with a look at both in the middle of the work: how often one finds nothing hangs on the machine.
    Tested {
        by: usize,
        bytes: usize,
        work: u64,
    },
    /// Each rank works for a multiple of this.
    Work(u64),
    Bcast {
        root: usize,
        bytes: usize,
    },
    Allreduce(usize),
    Alltoall(usize),
    Barrier,
    /// In both halves of the ranks.
    Split(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..8)
}

fn steps_and_tests() -> impl Strategy<Value = Vec<Step>> {
    let tested = (1..4_usize, 0..3000_usize, 0..5000_u64);
    let tested = tested.prop_map(|(by, bytes, work)| Step::Tested { by, bytes, work });
    prop::collection::vec(prop_oneof![3 => step(), 1 => tested], 1..8)
}

fn step() -> impl Strategy<Value = Step> {
    let bytes = prop_oneof![0..100_usize, 100..3000_usize];
    prop_oneof![
        (1..4_usize, bytes.clone()).prop_map(|(by, bytes)| Step::Shift { by, bytes }),
        (1..4_usize, bytes.clone(), 0..5000_u64).prop_map(|(by, bytes, work)| Step::Overlapped {
            by,
            bytes,
            work
        }),
        (0..3000_u64).prop_map(Step::Work),
        (0..5_usize, bytes.clone()).prop_map(|(root, bytes)| Step::Bcast { root, bytes }),
        (0..700_usize).prop_map(Step::Allreduce),
        (0..100_usize).prop_map(Step::Alltoall),
        Just(Step::Barrier),
        (0..50_usize).prop_map(Step::Split),
    ]
}

fn run_steps(steps: &[Step], rank: usize) {
    let size = size_of(WORLD) as usize;
    let (given, mut got) = (vec![0_u8; 4096], vec![0_u8; 4096]);
    let (from, into) = (given.as_ptr() as usize, got.as_mut_ptr() as usize);
    for step in steps {
        match *step {
            Step::Shift { by, bytes } => {
                let (to, source) = ((rank + by) % size, (rank + size - by % size) % size);
                mpi!(Sendrecv, from, bytes, MPI_BYTE, to, 1, into, bytes, MPI_BYTE, source, 1, WORLD, NULL);
            }
            Step::Overlapped { by, bytes, work: ns } | Step::Tested { by, bytes, work: ns } => {
                let (to, source) = ((rank + by) % size, (rank + size - by % size) % size);
                let mut requests = [
                    get_handle!(Irecv, into, bytes, MPI_BYTE, source, 2, WORLD),
                    get_handle!(Isend, from, bytes, MPI_BYTE, to, 2, WORLD),
                ];
                work(ns * rank as u64);
                if matches!(step, Step::Tested { .. }) {
                    get!(Comm_rank, WORLD);
                    work(ns);
                    let mut flag = 0;
                    mpi!(Testall, 2, &mut requests, &mut flag, NULL);
                    work(ns * (size - rank) as u64);
                }
                mpi!(Waitall, 2, &mut requests, NULL);
            }
            Step::Work(ns) => work(ns * (rank as u64 + 1)),
            Step::Bcast { root, bytes } => mpi!(Bcast, into, bytes, MPI_BYTE, root % size, WORLD),
            Step::Allreduce(count) => mpi!(Allreduce, from, into, count, MPI_INT, MPI_SUM, WORLD),
            Step::Alltoall(count) => mpi!(Alltoall, from, count, MPI_INT, into, count, MPI_INT, WORLD),
            Step::Barrier => mpi!(Barrier, WORLD),
            Step::Split(count) => {
                let part = get_handle!(Comm_split, WORLD, rank % 2, 0);
                mpi!(Allgather, from, count, MPI_INT, into, count, MPI_INT, part);
            }
        }
    }
}

fn progress() -> impl Strategy<Value = ProgressRule> {
    let polls = ProgressRule::Polls(Duration::from_ns(700));
    prop_oneof![Just(ProgressRule::Always), Just(ProgressRule::Calls), Just(polls)]
}

/// What a library does, or another algorithm for reductions whose order does not matter.
fn choice() -> impl Strategy<Value = Choice> {
    let ring = Row {
        when: Condition { commutes: Some(true), ..Condition::default() },
        algorithm: Named::new("allreduce", "ring").unwrap(),
        parameters: Parameters::default(),
    };
    let preset = prop::sample::select(Preset::ALL.map(|(_, preset)| preset).to_vec());
    (preset, any::<bool>()).prop_map(move |(preset, has_row)| {
        let rows = if has_row { vec![ring] } else { Vec::new() };
        Choice { preset, selection: rows.into(), ..Choice::default() }
    })
}

/// Five ranks that answer by this rule while they compute.
fn five(progress: ProgressRule) -> Machine {
    let mut machine = Machine::timed(5);
    Arc::make_mut(&mut machine.options.costs).progress = progress;
    machine
}

/// Another machine: slower, with more ranks on a node, another eager limit and another choice of algorithms; its ranks answer by this rule
/// while they compute, and sums of 32-bit integers take longer than what else is combined.
fn other(progress: ProgressRule, choice: Choice) -> Machine {
    let mut machine = Machine::timed(5).on_nodes(&[0, 0, 1, 2, 2]);
    machine.options.choice = choice;
    let costs = Arc::make_mut(&mut machine.options.costs);
    costs.send = Overhead::fixed(Duration::from_ns(70));
    costs.receive = Overhead::fixed(Duration::from_ns(90));
    costs.eager_limit = Bytes(900);
    costs.progress = progress;
    costs.combine_bandwidth = Bandwidth::new(3e9);
    costs.combining = [CombiningRow {
        operations: OperationName::named("MPI_SUM").into_iter().collect(),
        elements: ElementName::named("MPI_INT").into_iter().collect(),
        up_to: None,
        vector_up_to: None,
        bandwidth: Bandwidth::new(7e8).unwrap(),
    }]
    .into();
    machine.network.latency = Duration::from_ns(333);
    machine.network.bandwidth = Bandwidth::new(5e8);
    machine.network.message_gap = Duration::from_ns(40);
    machine
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_replay_is_the_program(steps in steps_and_tests(), progress in progress()) {
        check(|| five(progress), move |rank| run_steps(&steps, rank));
    }

    /// And what is outlined there is what is sent.
    #[test]
    fn on_another_machine_a_replay_is_the_program_there(
        steps in steps(), progress in progress(), choice in choice(),
    ) {
        let other = || other(progress, choice.clone());
        let again = steps.clone();
        let logged = log(Machine::timed(5), move |rank| run_steps(&steps, rank));
        let there = log(other(), move |rank| run_steps(&again, rank));
        for sources in [Sources::Recorded, Sources::AsPosted] {
            let (ended, ranks) = replay(&logged.profile, &other(), Setting { sources, ..setting(&other()) });
            prop_assert_eq!(&ended.outcome, &Outcome::Finished);
            prop_assert_eq!((ended.at, ended.traffic.bytes), (there.ended.at, there.ended.traffic.bytes));
            for (number, rank) in ranks.iter().enumerate() {
                let times: Vec<_> = there.profile.times(Rank::new(number)).map(|(a, b, _)| (a, b)).collect();
                prop_assert_eq!(rank.times(), &times[..]);
            }
        }
        let outlined = (0..5).map(Rank).flat_map(|rank| {
            let mut outline = Outline::new(&logged.profile, rank, choice.clone());
            let steps = |event| outline.steps(event).unwrap();
            logged.profile.steps(rank).iter().flat_map(steps).collect::<Vec<_>>()
        });
        let bytes = outlined.map(|step| match step {
            OutlineStep::Sends(sends) => sends.iter().map(|(_, bytes)| bytes.0).sum(),
            OutlineStep::Waits => 0,
        });
        prop_assert_eq!(bytes.sum::<u64>(), there.ended.traffic.bytes.0);
        // And the profile logged there says the same of what was done. Communicators are numbered as they come.
        for number in 0..5 {
            let acts = |of: &weir_formats::profile::Profile| {
                let events = of.steps(Rank(number)).iter();
                events.map(|event| (event.operation.name(), event.operation.bytes(), event.operation.request())).collect::<Vec<_>>()
            };
            prop_assert_eq!(acts(&logged.profile), acts(&there.profile));
        }
    }
}

/// What each event sends and whether it waits, known before it runs: `>1:8` sends 8 bytes to rank 1, `.` waits. In the first
/// round of a broadcast everybody but the root receives.
#[test]
fn outlines() {
    let lines = "communicator 2: 1 0
        0 send 1 8
        0 isend 0 8 comm 2 request 0
        0 isend nobody 8 request 1
        0 irecv 1 8 request 2
        0 recv 1 8
        0 wait 0 1
        0 see 2
        0 release 2
        0 probe 1
        0 mprobe 1 request 0
        0 mrecv 0 8
        0 mprobe 1 request 0
        0 imrecv 0 8
        0 poll 1 us
        0 flush
        0 win-open comm 2
        0 put 0 8 comm 2
        0 get 0 8 comm 2
        0 accumulate 0 8 comm 2
        0 rget-accumulate 0 8 comm 2 request 1
        0 compare-and-swap 0 8 comm 2
        0 win-post ranks 0 comm 2
        0 win-start ranks 0 comm 2
        0 win-fence comm 2
        0 win-close comm 2
        0 barrier
        0 barrier comm 1
        0 bcast 5 root 0
        0 bcast 5 root 1
        0 choose nic 1";
    let expected =
        ">1:8. >1:8 > - . . . - . . . . - - . - >1:8 >1:0 >1:8 >1:8 >1:16 - . . . >1:0. - >.>1:5. >. - -";
    let known = profile(2, lines);
    let mut outline = Outline::new(&known, Rank(0), Default::default());
    let words = known.steps(Rank(0)).iter().map(|event| {
        let step = |step| match step {
            OutlineStep::Waits => ".".to_string(),
            OutlineStep::Sends(to) => {
                let to: Vec<_> = to.iter().map(|(rank, bytes)| format!("{rank}:{}", bytes.0)).collect();
                format!(">{}", to.join(","))
            }
        };
        let steps: String = outline.steps(event).unwrap().into_iter().map(step).collect();
        if steps.is_empty() { "-".to_string() } else { steps }
    });
    assert_eq!(words.collect::<Vec<_>>().join(" "), expected);
}
