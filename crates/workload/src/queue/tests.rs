use super::*;
use crate::*;
use proptest::prelude::*;
use weir_network::causes::Causes;
use weir_network::record::Keep;
use weir_network::{Ended, Ideal, Outcome, Placement, RunContext};
use weir_topology::Generator;
use weir_units::{Bandwidth, Time};

const SECOND: u64 = 1_000_000_000_000;

fn seconds(n: u64) -> Duration {
    Duration::from_ps(n * SECOND)
}

/// A queue that notes its events.
struct Noted<O> {
    queue: Queue<O>,
    departed: Vec<u64>,
    arrived: Vec<(u64, u32)>,
}

impl<O: Sequence> Program for Noted<O> {
    type Body = ();

    fn react(&mut self, event: Event<()>, actions: &mut Actions<()>) {
        let now = actions.now().as_ps() / SECOND;
        match &event {
            Event::Departed { .. } => self.departed.push(now),
            Event::Arrived(message) => self.arrived.push((now, message.from.0)),
            Event::Start | Event::Timer { .. } => {}
        }
        // Each event comes to a queue that goes on from what another one has saved.
        let saved = self.queue.save().unwrap();
        let Queue { order, rank, .. } = &self.queue;
        self.queue = Queue::some(Arc::clone(order), std::iter::once(*rank)).remove(0);
        self.queue.restore(&saved).unwrap();
        self.queue.react(event, actions);
    }

    fn waiting(&self) -> Option<Waiting> {
        self.queue.waiting()
    }
}

/// Runs on one node per rank with 1 B/s and a latency.
fn run<O: Sequence>(order: O, latency: Duration) -> (Ended, Vec<Noted<O>>) {
    let queues = Queue::all(Arc::new(order));
    let noted = |queue| Noted { queue, departed: vec![], arrived: vec![] };
    let mut ranks: Vec<_> = queues.into_iter().map(noted).collect();
    let engine = Ideal { latency, bandwidth: Bandwidth::new(1.0), ..Ideal::default() };
    let placement = Placement::one_per_node(ranks.len());
    let ended = engine.run(&mut ranks, RunContext::new(&placement));
    (ended, ranks)
}

fn script(entries: &[&[Entry]]) -> Script {
    Script::new(entries.iter().map(|list| list.to_vec()).collect()).unwrap()
}

fn send(to: u32, bytes: u64) -> Entry {
    Entry::send(Rank(to), Bytes(bytes))
}

fn send_after(wait: u64, to: u32, bytes: u64) -> Entry {
    Entry::Send { to: Rank(to), bytes: Bytes(bytes), wait: seconds(wait) }
}

fn receive(from: u32) -> Entry {
    Entry::Await { from: Rank(from) }
}

/// The events of a rank, in seconds: departures, and arrivals with their senders.
type Times<'a> = (&'a [u64], &'a [(u64, u32)]);

/// Runs a script to its end.
#[track_caller]
fn check(entries: &[&[Entry]], latency: u64, end: u64, expected: &[Times<'_>]) {
    let (ended, ranks) = run(script(entries), seconds(latency));
    assert_eq!(ended.outcome, Outcome::Finished);
    let noted: Vec<_> = ranks.iter().map(|rank| (&rank.departed[..], &rank.arrived[..])).collect();
    assert_eq!(noted, expected);
    assert_eq!(ended.at, Time::ZERO + seconds(end));
}

/// 1 B/s, latency 1 s. Rank 0 sends 2 B (0..2) and then 3 B (2..5), rank 1 sends 1 B (0..1).
#[test]
fn a_queue_drains_one_message_after_the_other() {
    let entries: [&[Entry]; 3] = [&[send(1, 2), send(2, 3)], &[send(2, 1)], &[]];
    check(&entries, 1, 6, &[(&[2, 5], &[]), (&[1], &[(3, 0)]), (&[], &[(2, 1), (6, 0)])]);
}

/// 1 B/s. Rank 0's second message is at the head at 1 s, waits until 6 s and arrives at 7 s. Rank 1 awaits the first
/// message (1 s), waits 2 s and sends 1 B: it arrives at 4 s.
#[test]
fn a_wait_counts_from_the_head_of_the_queue() {
    let entries: [&[Entry]; 2] = [&[send(1, 1), send_after(5, 1, 1)], &[receive(0), send_after(2, 0, 1)]];
    check(&entries, 0, 7, &[(&[1, 7], &[(4, 1)]), (&[4], &[(1, 0), (7, 0)])]);
}

/// 1 B/s. Rank 1 sends 5 B (0..5) while two messages of rank 0 arrive (1 s and 2 s) and then that of rank 2 (3 s).
/// Its awaits, in another order than the arrivals, are all served at 5 s, and the last one at 9 s; it sends on until 10 s.
#[test]
fn messages_that_arrived_before_their_await_are_kept() {
    let entries: [&[Entry]; 3] = [
        &[send(1, 1), send(1, 1), send_after(6, 1, 1)],
        &[send(2, 5), receive(2), receive(0), receive(0), receive(0), send(2, 1)],
        &[send(1, 3)],
    ];
    let arrived = [(1, 0), (2, 0), (3, 2), (9, 0)];
    check(&entries, 0, 10, &[(&[1, 2, 9], &[]), (&[5, 10], &arrived), (&[3], &[(5, 1), (10, 1)])]);
}

/// An await consumes one message: of two awaits the second is served by the second message (4 s), not by the first
/// (1 s) again.
#[test]
fn an_await_consumes_its_message() {
    let entries: [&[Entry]; 2] = [&[send(1, 1), send(1, 3)], &[receive(0), receive(0), send(0, 1)]];
    check(&entries, 0, 5, &[(&[1, 4], &[(5, 1)]), (&[5], &[(1, 0), (4, 0)])]);
}

/// 1 B in 1 s, latency 2 s. Synchronised, round r is 3 r .. 3 (r + 1). Free-running, message r leaves at r + 1 and
/// arrives at r + 3.
#[test]
fn a_synchronised_ring_runs_in_lockstep() {
    let check = |steps, times: [u64; 3]| {
        let (ended, ranks) = run(Permutation::ring(4, Bytes(1), 3, steps), seconds(2));
        assert_eq!(ended.outcome, Outcome::Finished);
        for (rank, noted) in (0..4_u32).zip(ranks) {
            let before = (rank + 3) % 4;
            assert_eq!(noted.arrived, times.map(|time| (time, before)), "{steps:?}, rank {rank}");
        }
    };
    check(Steps::Synchronised, [3, 6, 9]);
    check(Steps::FreeRunning, [3, 4, 5]);
}

/// Ranks 0, 1 and 3 wait round in a circle, rank 2 has nothing left to do after its message.
#[test]
fn a_cycle_of_awaits_is_a_deadlock() {
    let entries: [&[Entry]; 4] = [
        &[send(2, 1), receive(1), send(3, 1)],
        &[receive(3), send(0, 1)],
        &[receive(0)],
        &[receive(0), send(1, 1)],
    ];
    let (ended, _) = run(script(&entries), Duration::ZERO);
    let waiting = |rank, entry: &str, from| Waiting {
        rank: Rank(rank),
        call: "await message".into(),
        peer: Peer::Rank(Rank(from)),
        details: vec![("entry", entry.into())],
    };
    assert_eq!(
        ended.outcome,
        Outcome::Deadlock(vec![waiting(0, "1", 1), waiting(1, "0", 3), waiting(3, "0", 0)])
    );
    assert_eq!((ended.at, ended.traffic.messages), (Time::ZERO + seconds(1), 1));
}

/// A message to oneself takes no time: nothing after a wait of 4 s, then 3 B, both at 4 s.
#[test]
fn a_rank_can_send_to_itself() {
    check(&[&[send_after(4, 0, 0), send(0, 3), receive(0)]], 0, 4, &[(&[4, 4], &[(4, 0), (4, 0)])]);
}

/// 1 B/s, latency 1 s. Rank 0 waits for 2 s and sends 3 B (2..5); rank 1 pauses for 1 s, awaits them (6 s) and answers with 1 B
/// (6..7), which is there at 8 s.
#[test]
fn ranks_keep_account() {
    let pause = Entry::Pause { time: seconds(1) };
    let order = script(&[&[send_after(2, 1, 3), receive(1)], &[pause, receive(0), send(0, 1)]]);
    let mut queues = Queue::all(Arc::new(order));
    let engine = Ideal { latency: seconds(1), bandwidth: Bandwidth::new(1.0), ..Ideal::default() };
    let ended = engine.run(&mut queues, RunContext::new(&Placement::one_per_node(2)).causes(Keep::Yes));
    let accounts = ended.causes.unwrap().closed(ended.at);
    let of = |causes: &Causes| -> Vec<_> {
        let all = Cause::ALL.map(|cause| (cause, causes.of(cause).as_ps() / SECOND));
        all.into_iter().filter(|&(_, seconds)| seconds > 0).collect()
    };
    use Cause::{Compute, Finished, LateSender, Latency, Serialization};
    let found: Vec<_> = accounts.ranks().iter().map(|account| of(&account.causes)).collect();
    // The first waits for the bytes of its own message, too; the second for what the first does before it sends.
    let first = vec![(Compute, 2), (LateSender, 1), (Latency, 1), (Serialization, 4)];
    let second = vec![(Compute, 2), (Latency, 1), (Serialization, 4), (Finished, 1)];
    assert_eq!(found, [first, second]);
    let path = &accounts.critical().path;
    assert_eq!((of(&path.causes), path.messages), (vec![(Compute, 2), (Latency, 2), (Serialization, 4)], 2));
    let calls: Vec<_> =
        path.calls().iter().map(|share| (share.of.text(), share.time.as_ps() / SECOND)).collect();
    assert_eq!(calls, [("await message", 8)]);
}

/// Budget: a million ranks in 64 MB, and no allocation for queues without awaits.
#[test]
fn a_queue_is_small() {
    assert!(size_of::<Queue<Pattern>>() <= 64);
}

/// All-to-all, N = 4, 1 B at 1 B/s without latency: N - 1 = 3 s, the regular time of paper 000.
#[test]
fn an_all_to_all_without_contention_takes_n_minus_1() {
    for algorithm in [Algorithm::SimpleSpread, Algorithm::Pairwise] {
        for steps in [Steps::FreeRunning, Steps::Synchronised] {
            let (ended, _) = run(AllToAll::new(4, Bytes(1), algorithm, steps).unwrap(), Duration::ZERO);
            assert_eq!((ended.outcome, ended.at), (Outcome::Finished, Time::ZERO + seconds(3)));
        }
    }
}

fn any_steps() -> impl Strategy<Value = Steps> {
    prop_oneof![Just(Steps::Synchronised), Just(Steps::FreeRunning)]
}

/// Everything that is promised is carried, and repeats as it is said to.
fn carries_all(pattern: Pattern, latency: u64) -> Result<Vec<Noted<Pattern>>, TestCaseError> {
    let (messages, bytes) = (pattern.messages(), pattern.bytes_total());
    let (ended, ranks) = run(pattern, seconds(latency));
    prop_assert_eq!(ended.outcome, Outcome::Finished);
    prop_assert_eq!((ended.traffic.messages, ended.traffic.bytes), (messages, bytes));
    for Queue { order, rank, .. } in ranks.iter().map(|noted| &noted.queue) {
        let Some(Period { before, entries: each }) = order.period(*rank) else { continue };
        prop_assert!(each > 0);
        let entries: Vec<_> = (0..).map_while(|index| order.entry(*rank, index)).collect();
        let again = entries.iter().skip((before + each) as usize);
        prop_assert!(entries.iter().skip(before as usize).zip(again).all(|(one, other)| one == other));
    }
    Ok(ranks)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn all_to_all_reaches_everyone_once(power in 0_u32..6, any in 1_usize..40, steps in any_steps(), latency in 0_u64..5) {
        for (ranks, algorithm) in [(any, Algorithm::SimpleSpread), (1 << power, Algorithm::Pairwise)] {
            let pattern = Pattern(Arc::new(AllToAll::new(ranks, Bytes(3), algorithm, steps).unwrap()));
            for (rank, noted) in carries_all(pattern, latency)?.iter().enumerate() {
                let mut from: Vec<_> = noted.arrived.iter().map(|&(_, from)| from as usize).collect();
                from.sort_unstable();
                let others: Vec<_> = (0..ranks).filter(|&other| other != rank).collect();
                prop_assert_eq!(from, others);
            }
        }
    }

    #[test]
    fn rings_reach_the_successor_only(ranks in 1_usize..40, messages in 0_u64..5, steps in any_steps(), seed: u64) {
        let ring = Permutation::ring(ranks, Bytes(3), messages, steps);
        let random = Permutation::random_ring(ranks, Bytes(3), messages, steps, seed, Generator::Lcg);
        let expected = if ranks == 1 { 0 } else { messages as usize };
        let successors: Vec<_> = (0..ranks).map(|rank| random.successor(Rank::new(rank)).index()).collect();
        let next: Vec<_> = (0..ranks).map(|rank| (rank + 1) % ranks).collect();
        for (pattern, successors) in [(Pattern(Arc::new(ring)), next), (Pattern(Arc::new(random)), successors)] {
            let ranks = carries_all(pattern, 1)?;
            for (rank, &successor) in successors.iter().enumerate() {
                let arrived = &ranks[successor].arrived;
                prop_assert_eq!(arrived.len(), expected);
                prop_assert!(arrived.iter().all(|&(_, from)| from as usize == rank));
            }
        }
    }

    /// No pattern waits for what never comes, and all carry what they promise.
    #[test]
    fn every_pattern_ends(
        ranks in 1_usize..40, root: u32, messages in 1_u64..4, bytes in 0_u64..20, segments in 0_u64..6, seed: u64,
        steps in any_steps(), sides in proptest::collection::vec((1_u32..5, any::<bool>()), 1..4), latency in 0_u64..3,
    ) {
        let (bytes, root) = (Bytes(bytes), Rank(root % ranks as u32));
        let mut patterns = vec![
            Pattern(Arc::new(Bruck::new(ranks, bytes, messages))),
            Pattern(Arc::new(Incast::new(ranks, bytes, root, messages).unwrap())),
            Pattern(Arc::new(HotSpot::new(ranks, bytes, root, 0.3, messages, seed).unwrap())),
        ];
        let pipeline = BroadcastAlgorithm::RingPipeline { segments };
        for algorithm in [BroadcastAlgorithm::Flat, BroadcastAlgorithm::Binomial, pipeline] {
            let broadcast = Broadcast::new(ranks, bytes, algorithm, root, messages);
            patterns.push(Pattern(Arc::new(broadcast.unwrap())));
        }
        for direction in [Direction::Gather, Direction::Scatter] {
            for algorithm in [TreeAlgorithm::Flat, TreeAlgorithm::Binomial] {
                let gather = Gather::new(ranks, bytes, direction, algorithm, root, messages);
                patterns.push(Pattern(Arc::new(gather.unwrap())));
            }
        }
        let closed = |periodic| if periodic { Closed::Periodic } else { Closed::Open };
        let grid: Vec<Side> = sides.iter().map(|&(size, periodic)| Side { size, closed: closed(periodic) }).collect();
        let places: u32 = sides.iter().map(|side| side.0).product();
        patterns.push(Pattern(Arc::new(Halo::new(places as usize, grid, bytes, messages, steps).unwrap())));
        let algorithm = Algorithm::SimpleSpread2d { grid: [ranks as u32, sides[0].0] };
        let spread = AllToAll::new(ranks * sides[0].0 as usize, bytes, algorithm, steps).unwrap();
        patterns.push(Pattern(Arc::new(spread.repeated(messages))));
        let random = PermutationRule::Random { seed, generator: Generator::SplitMix };
        for (ranks, rule) in [
            (ranks.next_power_of_two(), PermutationRule::BitReverse),
            (ranks.min(6) * ranks.min(6), PermutationRule::Transpose),
            (ranks, PermutationRule::Shift { distance: seed }),
            (ranks, random),
        ] {
            patterns.push(Pattern(Arc::new(Permutation::new(ranks, bytes, rule, messages, steps).unwrap())));
        }
        for pattern in patterns {
            let sized = RandomSizes::new(pattern.clone(), 0.5, seed);
            carries_all(Pattern(Arc::new(sized)), latency)?;
            carries_all(pattern, latency)?;
        }
    }
}

#[test]
fn totals_that_overflow_are_refused() {
    #[track_caller]
    fn check(pattern: &impl Totals, expected: Option<&str>) {
        assert_eq!(pattern.check_totals().err().map(|error| error.key), expected);
    }
    let incast = |bytes, messages| Incast::new(5, Bytes(bytes), Rank(0), messages).unwrap();
    check(&incast(u64::MAX / 5, 1), None);
    check(&incast(u64::MAX / 4 + 1, 1), Some("message_size"));
    check(&incast(1, u64::MAX / 4 + 1), Some("messages"));
    check(&RandomSizes::new(incast(u64::MAX / 5, 1), 0.5, 1), Some("message_size"));
    check(&Bruck::new(1000, Bytes(u64::MAX / 10_000), 1), Some("message_size"));
}
