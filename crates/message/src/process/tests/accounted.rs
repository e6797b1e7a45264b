//! What time goes into and the critical path: by hand, and as laws of random programs.

use super::*;
use crate::{Meeting, Overhead, ProgressRule, Rendezvous};
use proptest::prelude::*;
use weir_collectives::{Choice, Place, Plan};
use weir_network::causes::{Accounts, Cause, DrawnPath, PathPart, PathPlace, contradiction};
use weir_network::record::Keep;
use weir_units::NodeId;

/// What is varied of a run.
#[derive(Clone, Debug)]
struct Setting {
    latency: u64,
    overhead: u64,
    gap: u64,
    rendezvous: u64,
    bandwidth: Option<f64>,
    eager_limit: u64,
    progress: ProgressRule,
    ranks_per_node: usize,
    /// What all work is multiplied by.
    work: u64,
}

const PLAIN: Setting = Setting {
    latency: 1000,
    overhead: 10,
    gap: 0,
    rendezvous: 0,
    bandwidth: None,
    eager_limit: 100,
    progress: ProgressRule::Always,
    ranks_per_node: 1,
    work: 1,
};

fn ps(ps: u64) -> Duration {
    Duration::from_ps(ps)
}

/// Work, in ps.
fn work(time: u64) -> Step {
    step(move |process, _, notes| process.compute(ps(time * notes.work.max(1))))
}

/// Lets the network come up to the clock of the rank.
fn catch_up() -> Step {
    let mut is_set = false;
    Box::new(move |process, actions, _| {
        if !is_set && process.clock() > actions.now() {
            actions.set_timer(process.clock(), 0);
        }
        is_set = true;
        process.clock() <= actions.now()
    })
}

/// Runs a script for each rank; when it ended, and the accounts.
fn account(setting: &Setting, scripts: Vec<Vec<Step>>) -> (Time, Accounts) {
    let (end, accounts, _) = drawn(setting, scripts);
    (end, accounts)
}

/// Likewise, and where the critical path is when, which adds up to it.
fn drawn(setting: &Setting, scripts: Vec<Vec<Step>>) -> (Time, Accounts, DrawnPath) {
    let costs = Costs {
        gap: ps(setting.gap),
        rendezvous: Rendezvous::fixed(ps(setting.rendezvous)),
        eager_limit: Bytes(setting.eager_limit),
        progress: setting.progress,
        send: Overhead::fixed(ps(setting.overhead)),
        receive: Overhead::fixed(ps(setting.overhead)),
        ..Costs::default()
    };
    let bandwidth = setting.bandwidth.and_then(Bandwidth::new);
    let network = Ideal { latency: ps(setting.latency), bandwidth, ..Ideal::default() };
    let size = scripts.len();
    let nodes = (0..size).map(|rank| NodeId::new(rank / setting.ranks_per_node)).collect();
    let placement = Placement::new(nodes);
    let scripts = scripts.into_iter().map(|steps| steps.into_iter().chain([catch_up()]).collect()).collect();
    let mut ranks = scripted(&costs, scripts, &|| Notes { work: setting.work, ..Notes::default() });
    let context = RunContext { causes: Keep::Yes, path_steps: 1000, ..RunContext::new(&placement) };
    let ended = network.run(&mut ranks, context);
    assert_eq!(ended.outcome, Outcome::Finished);
    let mut accounts = ended.causes.expect("it was asked for");
    let drawn = accounts.take_path(ended.at, usize::MAX).expect("so was this");
    assert_eq!(drawn.from, Time::ZERO, "{drawn:?}");
    assert_eq!(contradiction(&drawn, &accounts.critical().path), None, "{drawn:?}");
    (ended.at, accounts.closed(ended.at), drawn)
}

/// The causes of a rank, in ps.
#[track_caller]
fn check(accounts: &Accounts, rank: usize, expected: &[(Cause, u64)]) {
    let causes = &accounts.ranks()[rank].causes;
    let found: Vec<_> = Cause::ALL
        .into_iter()
        .map(|cause| (cause, causes.of(cause).as_ps()))
        .filter(|&(_, time)| time > 0)
        .collect();
    assert_eq!(found, expected, "rank {rank}");
}

use Cause::{Compute, Contention, Finished, LateReceiver, LateSender, Latency, Serialization, StartUp};

/// The parts of a path by hand: from, until, where.
#[track_caller]
fn check_parts(drawn: &DrawnPath, expected: &[(u64, u64, PathPlace)]) {
    let part = |&(from, until, what): &(u64, u64, PathPlace)| PathPart {
        from: Time::from_ps(from),
        until: Time::from_ps(until),
        what,
    };
    assert_eq!(drawn.parts, expected.iter().map(part).collect::<Vec<_>>());
}

fn message(from: u32, to: u32, latency: u64, serialization: u64, call: &'static str) -> PathPlace {
    let [latency, serialization] = [latency, serialization].map(ps);
    PathPlace::Message {
        from: Rank(from),
        to: Rank(to),
        latency,
        serialization,
        credits: Duration::ZERO,
        call,
    }
}

/// By rendezvous: asked at 10, known at 1010; the receiver works until 3000 and clears it at once, which is known at 4000; 200 bytes at 1 byte per
/// ps have left at 4200 and are there at 5200. The sender is in the path with what it asked, the receiver with its work, and the sender's
/// library, which replies at once, has no time of its own.
#[test]
fn a_late_receiver() {
    let setting = Setting { bandwidth: Some(1e12), ..PLAIN };
    let scripts = vec![
        vec![send(Mode::Standard, 1, 0, &[0; 200]), wait(0)],
        vec![work(3000), receive(0, 0, 200), wait(0)],
    ];
    let (end, accounts, found) = drawn(&setting, scripts);
    assert_eq!(end.as_ps(), 5210);
    let sender =
        [(StartUp, 10), (LateReceiver, 2990), (Latency, 1000), (Serialization, 200), (Finished, 1010)];
    check(&accounts, 0, &sender);
    check(&accounts, 1, &[(Compute, 3000), (StartUp, 10), (Latency, 2000), (Serialization, 200)]);
    assert_eq!((accounts.critical().path.messages, accounts.critical().path.links), (2, 2));
    let parts = [
        (0, 3000, PathPlace::Rank(Rank(1))),
        (3000, 4000, message(1, 0, 1000, 0, "own work")),
        (4000, 5200, message(0, 1, 1000, 200, "own work")),
        (5200, 5210, PathPlace::Rank(Rank(1))),
    ];
    check_parts(&found, &parts);
}

/// A message of the random programs: from, to (as a step from the sender), bytes, whether it is synchronous.
type Transfer = (usize, usize, usize, bool);

/// A phase: what each rank works before it asks for its messages, before it sends, and before it waits; the messages; whether
/// all meet in a barrier at its end.
#[derive(Clone, Debug)]
struct Phase {
    work: Vec<[u64; 3]>,
    transfers: Vec<Transfer>,
    barrier: bool,
}

fn phases(ranks: usize) -> impl Strategy<Value = Vec<Phase>> {
    let work = prop::collection::vec(prop::array::uniform3(0_u64..3_000_000), ranks);
    let transfer = (0..ranks, 1..ranks, 0_usize..200, any::<bool>());
    let transfers = prop::collection::vec(transfer, 0..6);
    let phase = (work, transfers, any::<bool>());
    prop::collection::vec(
        phase.prop_map(|(work, transfers, barrier)| Phase { work, transfers, barrier }),
        1..5,
    )
}

static BYTES: [u8; 200] = [0; 200];

/// Meets all others by messages of the library.
fn barrier(rank: usize, size: usize) -> Vec<Step> {
    let plan = Plan::barrier(&Choice::default(), Place { rank, size });
    let start = step(move |process, actions, notes| {
        let started =
            process.start_collective(actions, WORLD, Meeting::InOrder, &plan, vec![0; plan.workspace], None);
        notes.requests.push(started.expect("the world exists"));
    });
    vec![start]
}

/// The script of a rank.
fn script(phases: &[Phase], rank: usize, ranks: usize) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut requests = 0;
    for (tag, Phase { work: times, transfers, barrier: meets }) in (0..).zip(phases) {
        let first = requests;
        steps.push(work(times[rank][0]));
        for &(from, step, bytes, _) in transfers {
            if (from + step) % ranks == rank {
                steps.push(receive(from as i32, tag, bytes as u64));
                requests += 1;
            }
        }
        steps.push(work(times[rank][1]));
        for &(from, step, bytes, synchronous) in transfers {
            if from == rank {
                let mode = if synchronous { Mode::Synchronous } else { Mode::Standard };
                steps.push(send(mode, ((from + step) % ranks) as i32, tag, &BYTES[..bytes]));
                requests += 1;
            }
        }
        steps.push(work(times[rank][2]));
        steps.extend((first..requests).map(wait));
        if *meets {
            steps.extend(barrier(rank, ranks));
            steps.push(wait(requests));
            requests += 1;
        }
    }
    steps
}

fn all(phases: &[Phase], ranks: usize) -> Vec<Vec<Step>> {
    (0..ranks).map(|rank| script(phases, rank, ranks)).collect()
}

fn settings() -> impl Strategy<Value = Setting> {
    let bandwidth = prop::option::of(1e7..1e9);
    let progress = prop_oneof![
        Just(ProgressRule::Always),
        Just(ProgressRule::Calls),
        Just(ProgressRule::Polls(Duration::from_ns(300))),
    ];
    let numbers = (0_u64..2_000_000, 0_u64..300_000, 0_u64..500_000, 0_u64..200_000);
    (numbers, bandwidth, 0_u64..200, progress, 1_usize..3).prop_map(
        |((latency, overhead, gap, rendezvous), bandwidth, eager_limit, progress, ranks_per_node)| Setting {
            latency,
            overhead,
            gap,
            rendezvous,
            bandwidth,
            eager_limit,
            progress,
            ranks_per_node,
            work: 1,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// The causes of each rank, and the critical path, add up to the run.
    #[test]
    fn all_adds_up(setting in settings(), phases in phases(4)) {
        let (end, accounts) = account(&setting, all(&phases, 4));
        prop_assert_eq!(accounts.ranks().len(), 4);
        for account in accounts.ranks() {
            prop_assert_eq!(account.causes.total().as_ps(), end.as_ps());
            prop_assert_eq!(account.causes.of(Cause::Other).as_ps(), 0);
        }
        let path = &accounts.critical().path;
        prop_assert_eq!(path.causes.total().as_ps(), end.as_ps());
        prop_assert_eq!(path.calls().iter().map(|share| share.time.as_ps()).sum::<u64>(), end.as_ps());
        for cause in [LateSender, LateReceiver, Contention, Finished, Cause::Other] {
            prop_assert_eq!(path.causes.of(cause).as_ps(), 0, "{}", cause.name());
        }
        let worked = |rank: usize| -> u64 { phases.iter().map(|phase| phase.work[rank].iter().sum::<u64>()).sum() };
        for rank in 0..4 {
            prop_assert_eq!(accounts.ranks()[rank].causes.of(Compute).as_ps(), worked(rank));
        }
    }

    /// The longer the latency, the longer the run: by as much for each step as there are messages on the critical path. The run time is the
    /// largest of sums that each grow with the latency, so what it grows by is not less to the right of a latency than to its left, and the
    /// messages lie between both (Hoefler, Schneider, Lumsdaine: "LogGOPSim", 2010, measure this slope by repeated runs).
    #[test]
    fn messages_on_the_path_are_the_slope_over_latency(setting in settings(), phases in phases(4)) {
        let setting = Setting { latency: setting.latency + 100_000, progress: ProgressRule::Always, ranks_per_node: 1, ..setting };
        let run = |latency| account(&Setting { latency, ..setting.clone() }, all(&phases, 4));
        let (end, accounts) = run(setting.latency);
        let before = end.since(run(setting.latency - 1).0).as_ps();
        let behind = run(setting.latency + 1).0.since(end).as_ps();
        let links = accounts.critical().path.links;
        prop_assert!((before..=behind).contains(&links), "{before} <= {links} <= {behind}");
    }

    /// Likewise for the overhead of a message where nothing else is start-up, and for the time of all work.
    #[test]
    fn overheads_and_work_on_the_path_are_slopes(setting in settings(), phases in phases(4)) {
        let setting = Setting {
            overhead: setting.overhead + 1,
            gap: 0,
            rendezvous: 0,
            // The order in which messages get an interface changes with the work.
            bandwidth: None,
            work: 2,
            progress: ProgressRule::Always,
            ranks_per_node: 1,
            ..setting
        };
        let run = |overhead, work| account(&Setting { overhead, work, ..setting.clone() }, all(&phases, 4));
        let (end, accounts) = run(setting.overhead, 2);
        let causes = &accounts.critical().path.causes;
        let start_up = causes.of(StartUp).as_ps();
        prop_assert_eq!(start_up % setting.overhead, 0);
        let overheads = start_up / setting.overhead;
        let before = end.since(run(setting.overhead - 1, 2).0).as_ps();
        let behind = run(setting.overhead + 1, 2).0.since(end).as_ps();
        prop_assert!((before..=behind).contains(&overheads), "{before} <= {overheads} <= {behind}");
        // Twice the work is what the path has of it; a third time is not less, once is not more.
        let work = causes.of(Compute).as_ps() / 2;
        let before = end.since(run(setting.overhead, 1).0).as_ps();
        let behind = run(setting.overhead, 3).0.since(end).as_ps();
        prop_assert!((before..=behind).contains(&work), "{before} <= {work} <= {behind}");
    }
}
