//! Random programs: a replay on the same machine gives the same times, and on another machine those of the program there.

use crate::by_hand::profile;
use crate::logged::{check, log, replay, setting};
use proptest::prelude::*;
use std::collections::BTreeMap;
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

fn five() -> Machine {
    Machine::timed(5)
}

/// The same, whose ranks answer while they compute only when they call, or look every 700 ns.
fn five_that_call() -> Machine {
    let mut machine = five();
    Arc::make_mut(&mut machine.options.costs).progress = ProgressRule::Calls;
    machine
}

fn five_that_poll() -> Machine {
    let mut machine = five();
    Arc::make_mut(&mut machine.options.costs).progress = ProgressRule::Polls(Duration::from_ns(700));
    machine
}

/// Another machine: slower, with more ranks on a node, another eager limit; its ranks answer by this rule while they compute, and sums of
/// 32-bit integers take longer than what else is combined.
fn other(progress: ProgressRule) -> Machine {
    let mut machine = Machine::timed(5).on_nodes(&[0, 0, 1, 2, 2]);
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
    fn a_replay_is_the_program(steps in steps_and_tests(), machine in 0..3_usize) {
        let program = move |rank: usize| run_steps(&steps, rank);
        check([five, five_that_call, five_that_poll][machine], program);
    }

    #[test]
    fn on_another_machine_a_replay_is_the_program_there(steps in steps(), progress in progress()) {
        let other = || other(progress);
        let again = steps.clone();
        let logged = log(five(), move |rank| run_steps(&steps, rank));
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
        // And the profile logged there says the same of what was done. Communicators are numbered as they come.
        for number in 0..5 {
            let acts = |of: &weir_formats::profile::Profile| {
                let events = of.events(Rank(number)).iter();
                events.map(|event| (event.act.name(), event.act.bytes(), event.act.request())).collect::<Vec<_>>()
            };
            prop_assert_eq!(acts(&logged.profile), acts(&there.profile));
        }
    }
}

/// Whoever comes first is another one on another machine: a replay keeps to who came, or takes who comes.
#[test]
fn any_source_may_be_kept_or_not() {
    fn machine(near: usize) -> Machine {
        Machine::timed(3).on_nodes(if near == 1 { &[0, 0, 1] } else { &[0, 1, 0] })
    }
    let program = |rank: usize| {
        if rank > 0 {
            return mpi!(Send, &1, 1, MPI_INT, 0, 0, WORLD);
        }
        (0..2).for_each(|_| mpi!(Recv, &mut 0, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, NULL));
    };
    let logged = log(machine(1), program);
    let ends = |sources| {
        let (_, ranks) = replay(&logged.profile, &machine(2), Setting { sources, ..setting(&machine(2)) });
        ranks[0].times().iter().map(|(_, end)| end.as_ps() / 1000).collect::<Vec<_>>()
    };
    // Rank 1 was near, and is far now: 12 + 4 + 1000 ns, and 10 for the message, and then 10 for that of rank 2.
    assert_eq!(ends(Sources::Recorded), [1026, 1036, 1036]);
    assert_eq!(ends(Sources::AsPosted), [22, 1026, 1026]);
}

/// What is outlined is what is sent: bytes from each rank to each.
#[test]
fn outlines_add_up() {
    let body = |rank: usize| {
        let (given, mut got) = ([0; 64], [0; 64]);
        mpi!(Allreduce, &given, &mut got, 5, MPI_INT, MPI_SUM, WORLD);
        mpi!(Alltoall, &given, 3, MPI_INT, &mut got, 3, MPI_INT, WORLD);
        mpi!(Gather, &given, 3, MPI_INT, &mut got, 3, MPI_INT, 2, WORLD);
        let (to, from) = ((rank + 1) % 4, (rank + 3) % 4);
        mpi!(Sendrecv, &given, 2, MPI_INT, to, 0, &mut got, 2, MPI_INT, from, 0, WORLD, NULL);
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

/// Collectives of several kinds, long enough for libraries to differ.
fn several_kinds(rank: usize) {
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

fn with_preset(preset: Preset, rows: Vec<Row<Named>>) -> Machine {
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
        let logged = log(with_preset(preset, rows), several_kinds);
        assert_eq!(logged.ended.outcome, Outcome::Finished);
        ends.push((logged.ended.at, logged.ended.traffic.messages, logged.profile));
    }
    for (index, (at, messages, _)) in ends.iter().enumerate() {
        assert!(ends[..index].iter().all(|other| (other.0, other.1) != (*at, *messages)), "{index}");
        let (preset, rows) = settings().nth(index).unwrap();
        let machine = with_preset(preset, rows);
        for (_, _, profile) in &ends {
            let (ended, _) = replay(profile, &machine, setting(&machine));
            assert_eq!(ended.outcome, Outcome::Finished);
            assert_eq!((ended.at, ended.traffic.messages), (*at, *messages), "{preset:?}");
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
    let words = known.events(Rank(0)).iter().map(|event| {
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
