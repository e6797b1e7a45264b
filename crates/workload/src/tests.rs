//! Patterns worked out by hand, and what is counted of them.

use crate::wrapped::{Purpose, bits};
use crate::*;
use proptest::prelude::*;
use std::sync::Arc;
use weir_network::WorkFactors;
use weir_topology::Generator;
use weir_units::{Bytes, Duration, Rank};

/// The entries of a rank.
fn list(pattern: &dyn Sequence, rank: usize) -> Vec<Entry> {
    (0..).map_while(|index| pattern.entry(Rank::new(rank), index)).collect()
}

fn send(to: u32, bytes: u64) -> Entry {
    Entry::send(Rank(to), Bytes(bytes))
}

fn receive(from: u32) -> Entry {
    Entry::Await { from: Rank(from) }
}

/// A pattern that only sends: to whom a rank sends.
fn destinations(pattern: &dyn Sequence, rank: usize) -> Vec<u32> {
    let to = |entry| if let Entry::Send { to, .. } = entry { to.0 } else { panic!("{entry:?}") };
    list(pattern, rank).into_iter().map(to).collect()
}

/// All ranks have these entries, so many times, and as many messages and bytes are counted as they send.
#[track_caller]
fn check(pattern: &dyn Totals, times: usize, expected: &[&[Entry]]) {
    let (mut messages, mut bytes) = (0, 0);
    for (rank, expected) in expected.iter().enumerate() {
        let entries = list(pattern, rank);
        assert_eq!(entries, expected.repeat(times), "rank {rank}");
        for entry in entries {
            if let Entry::Send { bytes: size, .. } = entry {
                (messages, bytes) = (messages + 1, bytes + size.0);
            }
        }
    }
    assert_eq!((pattern.ranks(), pattern.messages()), (expected.len(), messages));
    assert_eq!(pattern.bytes_total(), Bytes(bytes));
}

#[track_caller]
fn refused<P: std::fmt::Debug>(made: Result<P, WorkloadError>, key: &str, what: &str) {
    let error = made.unwrap_err();
    assert_eq!((error.key, error.what.as_str()), (key, what));
}

/// Paper 000, figure 5: node 1 of the 4 x 4 torus, 15 steps.
#[test]
fn the_order_is_that_of_figure_5() {
    for (algorithm, expected) in [
        (Algorithm::SimpleSpread, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0]),
        (Algorithm::SimpleSpread2d { grid: [4, 4] }, [2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12]),
        (Algorithm::Pairwise, [0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14]),
    ] {
        let pattern = AllToAll::new(16, Bytes(1), algorithm, Steps::FreeRunning).unwrap();
        assert_eq!(destinations(&pattern, 1), expected);
    }
}

/// Whom a rank sends to in each step, and whom it awaits. On a grid of 3 x 2 rank 4 is (1, 1): steps (1,0), (2,0), (0,1), (1,1), (2,1).
#[test]
fn synchronised_steps_await_their_own_message() {
    let check = |algorithm, ranks, rank, expected: &[(u32, u32)]| {
        let once = AllToAll::new(ranks, Bytes(5), algorithm, Steps::Synchronised).unwrap();
        let steps: Vec<Entry> =
            expected.iter().flat_map(|&(to, from)| [send(to, 5), receive(from)]).collect();
        assert_eq!(list(&once, rank), steps, "{algorithm:?}");
        assert_eq!(list(&once.clone().repeated(3), rank), steps.repeat(3), "{algorithm:?}");
    };
    check(Algorithm::SimpleSpread, 4, 1, &[(2, 0), (3, 3), (0, 2)]);
    check(Algorithm::Pairwise, 4, 1, &[(0, 0), (3, 3), (2, 2)]);
    let grid = [3, 2];
    check(Algorithm::SimpleSpread2d { grid }, 6, 4, &[(5, 3), (3, 5), (1, 1), (2, 0), (0, 2)]);
}

#[test]
fn all_to_alls_that_are_refused_and_totals_of_others() {
    let new = |ranks, algorithm| AllToAll::new(ranks, Bytes(20), algorithm, Steps::FreeRunning);
    let what = "pairwise needs a number of ranks that is a power of two, and 225 is not";
    refused(new(225, Algorithm::Pairwise), "algorithm", what);
    let what = "a grid of [3, 2] has 6 places, but there are 7 ranks";
    refused(new(7, Algorithm::SimpleSpread2d { grid: [3, 2] }), "grid", what);
    for (ranks, messages, bytes) in [(0, 0, 0), (1, 0, 0), (1_000_000, 999_999_000_000, 19_999_980_000_000)] {
        let pattern = new(ranks, Algorithm::SimpleSpread).unwrap();
        assert_eq!((pattern.messages(), pattern.bytes_total()), (messages, Bytes(bytes)));
    }
}

/// Blocks 0 to 4. Bit 0: blocks 1, 3. Bit 1: blocks 2, 3. Bit 2: block 4.
#[test]
fn bruck_of_five_ranks_by_hand() {
    let step = |(to, blocks, from): (u32, u64, u32)| [send(to, 10 * blocks), receive(from)];
    let pattern = Bruck::new(5, Bytes(10), 2);
    assert_eq!(list(&pattern, 3), [(4, 2, 2), (0, 2, 1), (2, 1, 4)].map(step).concat().repeat(2));
    assert_eq!((pattern.messages(), pattern.bytes_total()), (30, Bytes(500)));
    assert_eq!(Bruck::new(1, Bytes(1), 3).entry(Rank(0), 0), None);
}

/// Facts of a table made elsewhere: ranks, bytes of a block, steps, messages, bytes per message, bytes in all.
#[test]
fn counts_of_bruck_are_those_of_the_table() {
    let rows: [[u64; 6]; 3] = [
        [8, 4, 3, 24, 16, 384],
        [512, 4, 9, 4608, 1024, 4_718_592],
        [1024, 1024, 10, 10_240, 524_288, 5_368_709_120],
    ];
    for [ranks, block, steps, messages, per_message, bytes] in rows {
        let pattern = Bruck::new(ranks as usize, Bytes(block), 1);
        assert_eq!((pattern.messages(), pattern.bytes_total()), (messages, Bytes(bytes)), "{ranks}");
        let entries = list(&pattern, 1);
        assert_eq!(entries.len() as u64, 2 * steps);
        for entry in entries.iter().step_by(2) {
            assert!(matches!(entry, Entry::Send { bytes, .. } if bytes.0 == per_message), "{entry:?}");
        }
    }
}

/// Along the tree of six ranks with the root 0 that serves the largest subtree first: 0 sends to 4, 2, 1; then 4 to 5, 2 to 3. In a pipeline
/// of 7 bytes in 3 segments: 3, 2, 2, and the order of ranks is 2, 0, 1.
#[test]
fn broadcasts() {
    let broadcast =
        |ranks, algorithm, root| Broadcast::new(ranks, Bytes(7), algorithm, Rank(root), 2).unwrap();
    let to_all: &[Entry] = &[send(2, 7), send(3, 7), send(0, 7)];
    let flat = broadcast(4, BroadcastAlgorithm::Flat, 1);
    check(&flat, 2, &[&[receive(1)], to_all, &[receive(1)], &[receive(1)]]);
    let binomial: [&[Entry]; 6] = [
        &[send(4, 7), send(2, 7), send(1, 7)],
        &[receive(0)],
        &[receive(0), send(3, 7)],
        &[receive(2)],
        &[receive(0), send(5, 7)],
        &[receive(4)],
    ];
    check(&broadcast(6, BroadcastAlgorithm::Binomial, 0), 2, &binomial);
    let pipeline: [&[Entry]; 3] = [
        &[receive(2), send(1, 3), receive(2), send(1, 2), receive(2), send(1, 2)],
        &[receive(0), receive(0), receive(0)],
        &[send(0, 3), send(0, 2), send(0, 2)],
    ];
    check(&broadcast(3, BroadcastAlgorithm::RingPipeline { segments: 3 }, 2), 2, &pipeline);
    // No more segments than bytes, and one at least.
    for (bytes, messages) in [(7, 189), (0, 27)] {
        let algorithm = BroadcastAlgorithm::RingPipeline { segments: 16 };
        let pattern = Broadcast::new(10, Bytes(bytes), algorithm, Rank(0), 3).unwrap();
        assert_eq!((pattern.messages(), pattern.bytes_total()), (messages, Bytes(27 * bytes)));
    }
    let beyond = Broadcast::new(4, Bytes(1), BroadcastAlgorithm::Flat, Rank(4), 1);
    refused(beyond, "root", "there is no rank 4 among 4 ranks");
}

/// The tree of six ranks with the root 0: below 4 are two ranks, below 2 two, below 1 one.
#[test]
fn gathers_and_scatters() {
    let pattern = |ranks, direction, algorithm, root| {
        Gather::new(ranks, Bytes(1), direction, algorithm, Rank(root), 2).unwrap()
    };
    let flat = |direction| pattern(3, direction, TreeAlgorithm::Flat, 1);
    let to_root: &[Entry] = &[send(1, 1)];
    check(&flat(Direction::Gather), 2, &[to_root, &[receive(2), receive(0)], to_root]);
    check(&flat(Direction::Scatter), 2, &[&[receive(1)], &[send(2, 1), send(0, 1)], &[receive(1)]]);
    let binomial = |direction| pattern(6, direction, TreeAlgorithm::Binomial, 0);
    let up: [&[Entry]; 6] = [
        &[receive(1), receive(2), receive(4)],
        &[send(0, 1)],
        &[receive(3), send(0, 2)],
        &[send(2, 1)],
        &[receive(5), send(0, 2)],
        &[send(4, 1)],
    ];
    check(&binomial(Direction::Gather), 2, &up);
    let down: [&[Entry]; 6] = [
        &[send(4, 2), send(2, 2), send(1, 1)],
        &[receive(0)],
        &[receive(0), send(3, 1)],
        &[receive(2)],
        &[receive(0), send(5, 1)],
        &[receive(4)],
    ];
    check(&binomial(Direction::Scatter), 2, &down);
}

use Closed::{Open, Periodic};

fn halo(sides: &[(u32, Closed)], steps: Steps, exchanges: u64) -> Halo {
    let grid: Vec<Side> = sides.iter().map(|&(size, closed)| Side { size, closed }).collect();
    let ranks: u32 = sides.iter().map(|side| side.0).product();
    Halo::new(ranks as usize, grid, Bytes(5), exchanges, steps).unwrap()
}

/// Whom a rank sends to and whom it awaits.
#[test]
fn neighbors_of_a_halo_by_hand() {
    let check = |sides: &[(u32, Closed)], rank, to: &[u32], from: &[u32]| {
        let sends = to.iter().map(|&to| send(to, 5));
        let once: Vec<_> = sends.chain(from.iter().map(|&from| receive(from))).collect();
        assert_eq!(list(&halo(sides, Steps::Synchronised, 2), rank), once.repeat(2));
    };
    check(&[(4, Periodic), (3, Periodic)], 0, &[1, 3, 4, 8], &[3, 1, 8, 4]);
    check(&[(4, Open), (3, Periodic)], 3, &[2, 7, 11], &[2, 11, 7]);
    check(&[(4, Open), (3, Open)], 5, &[6, 4, 9, 1], &[4, 6, 1, 9]);
    check(&[(2, Periodic)], 0, &[1, 1], &[1, 1]);
    check(&[(2, Open)], 0, &[1], &[1]);
    check(&[(1, Periodic), (3, Periodic)], 1, &[2, 0], &[0, 2]);
    check(&[(2, Periodic), (2, Periodic), (2, Periodic)], 7, &[6, 6, 5, 5, 3, 3], &[6, 6, 5, 5, 3, 3]);
    check(&[(1, Periodic)], 0, &[], &[]);
}

#[test]
fn a_halo_has_a_place_for_each_rank() {
    let side = |size| Side { size, closed: Periodic };
    let halo = Halo::new(11, vec![side(4), side(3)], Bytes(1), 1, Steps::FreeRunning);
    refused(halo, "grid", "a grid of [4, 3] has 12 places, but there are 11 ranks");
}

#[test]
fn all_others_send_to_the_root() {
    let message: &[Entry] = &[send(1, 4)];
    check(&Incast::new(3, Bytes(4), Rank(1), 2).unwrap(), 2, &[message, &[], message]);
    assert!(Incast::new(3, Bytes(4), Rank(3), 2).is_err());
}

#[test]
fn the_share_of_the_root_is_the_fraction() {
    // 63,000 messages. Of the cold ones 1 in 63 goes to the root as well: 1000 of 63,000 where all are cold.
    for (fraction, range) in [(0.0, 850..=1150), (0.1, 6900..=7500), (1.0, 63_000..=63_000)] {
        let pattern = HotSpot::new(64, Bytes(1), Rank(5), fraction, 1000, 7).unwrap();
        let all = (0..64).filter(|&rank| rank != 5).flat_map(|rank| destinations(&pattern, rank));
        let hot = all.filter(|&to| to == 5).count();
        assert!(range.contains(&hot), "{fraction}: {hot}");
    }
}

#[test]
fn cold_messages_reach_everybody_but_the_sender() {
    let pattern = HotSpot::new(5, Bytes(1), Rank(0), 0.0, 200, 1).unwrap();
    for rank in 0..5 {
        let mut reached = destinations(&pattern, rank);
        reached.sort_unstable();
        reached.dedup();
        assert_eq!(reached, (0..5).filter(|&other| other != rank as u32).collect::<Vec<_>>());
    }
}

#[test]
fn a_message_follows_from_its_seed_and_number() {
    let with = |messages, seed| HotSpot::new(9, Bytes(1), Rank(0), 0.3, messages, seed).unwrap();
    assert_eq!(destinations(&with(5, 1), 3), destinations(&with(50, 1), 3)[..5]);
    assert_ne!(destinations(&with(50, 1), 3), destinations(&with(50, 2), 3));
    let numbers = [
        bits(1, Rank(0), 0, Purpose::Choice),
        bits(2, Rank(0), 0, Purpose::Choice),
        bits(1, Rank(1), 0, Purpose::Choice),
        bits(1, Rank(0), 1, Purpose::Choice),
        bits(1, Rank(0), 0, Purpose::Size),
    ];
    assert!((1..numbers.len()).all(|i| !numbers[..i].contains(&numbers[i])));
}

/// Whom each rank sends to; itself if it sends nothing.
#[test]
fn permutations_by_hand() {
    let check = |rule, expected: &[u32]| {
        let pattern = Permutation::new(expected.len(), Bytes(3), rule, 2, Steps::Synchronised).unwrap();
        let step = |(rank, &to): (u32, &u32)| {
            let from = expected.iter().position(|&to| to == rank).unwrap();
            if to == rank { Vec::new() } else { vec![send(to, 3), receive(from as u32)] }
        };
        let steps: Vec<Vec<Entry>> = (0..).zip(expected).map(step).collect();
        self::check(&pattern, 2, &steps.iter().map(Vec::as_slice).collect::<Vec<_>>());
    };
    check(PermutationRule::BitReverse, &[0]);
    check(PermutationRule::BitReverse, &[0, 1]);
    check(PermutationRule::BitReverse, &[0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15]);
    check(PermutationRule::Transpose, &[0, 3, 6, 1, 4, 7, 2, 5, 8]);
    check(PermutationRule::Shift { distance: 9 }, &[4, 0, 1, 2, 3]);
    check(PermutationRule::Shift { distance: 5 }, &[0, 1, 2, 3, 4]);
    // The permutations of 5 and of 8 with seeds 1 and 0: one moves all ranks but 4, the other keeps 4 and 5.
    check(PermutationRule::Random { seed: 1, generator: Generator::Lcg }, &[3, 2, 0, 1, 4]);
    check(PermutationRule::Random { seed: 0, generator: Generator::Lcg }, &[3, 0, 2, 4, 5, 6, 1, 7]);
    let new = |ranks, rule| Permutation::new(ranks, Bytes(1), rule, 1, Steps::FreeRunning);
    let bits = "bit-reverse needs a number of ranks that is a power of two, and 12 is not";
    refused(new(12, PermutationRule::BitReverse), "permutation", bits);
    let square = "transpose needs a number of ranks that is a square, and 32 is not";
    refused(new(32, PermutationRule::Transpose), "permutation", square);
}

/// The permutation of 5 with seed 1 is 3 2 0 1 4, so 3 sends to 2, 2 to 0, 0 to 1, 1 to 4 and 4 to 3.
#[test]
fn the_stroke_follows_the_permutation() {
    let ring = Permutation::random_ring(5, Bytes(2), 10, Steps::Synchronised, 1, Generator::Lcg);
    let steps =
        [(1, 2), (4, 0), (0, 3), (2, 4), (3, 1)].map(|(to, from): (u32, u32)| [send(to, 2), receive(from)]);
    check(&ring, 10, &steps.each_ref().map(|step| &step[..]));
    check(&Permutation::random_ring(1, Bytes(2), 10, Steps::FreeRunning, 1, Generator::Lcg), 10, &[&[]]);
    check(&Permutation::ring(0, Bytes(7), 2, Steps::FreeRunning), 2, &[]);
}

proptest! {
    #[test]
    fn one_closed_stroke_passes_all_ranks(ranks in 2_usize..200, seed: u64) {
        let ring = Permutation::random_ring(ranks, Bytes(1), 1, Steps::FreeRunning, seed, Generator::SplitMix);
        let stroke = std::iter::successors(Some(Rank(0)), |&rank| Some(ring.successor(rank)));
        let back = stroke.skip(1).position(|rank| rank == Rank(0));
        prop_assert_eq!(back, Some(ranks - 1));
    }
}

/// The sizes of messages of a rank.
fn sizes(bytes: u64, spread: f64, seed: u64) -> Vec<u64> {
    let pattern =
        RandomSizes::new(Permutation::ring(2, Bytes(bytes), 1000, Steps::FreeRunning), spread, seed);
    assert!(pattern.bytes_total() <= pattern.bytes_at_most());
    let size = |entry| if let Entry::Send { bytes, .. } = entry { bytes.0 } else { panic!("{entry:?}") };
    list(&pattern, 1).into_iter().map(size).collect()
}

#[test]
fn sizes_are_spread_evenly_over_their_range() {
    let drawn = sizes(1000, 0.5, 3);
    assert_eq!(drawn.len(), 1000);
    assert!(drawn.iter().all(|size| (500..=1500).contains(size)));
    // 1000 draws with a standard deviation of 1000 / sqrt(12): the mean is off by 9 at one sigma.
    let mean = drawn.iter().sum::<u64>() / 1000;
    assert!((960..=1040).contains(&mean), "{mean}");
    assert!((0..10).all(|tenth| {
        let range = 500 + 100 * tenth..600 + 100 * tenth;
        (60..150).contains(&drawn.iter().filter(|size| range.contains(*size)).count())
    }));
    assert_eq!(drawn, sizes(1000, 0.5, 3));
    assert_ne!(drawn, sizes(1000, 0.5, 4));
    assert_eq!(sizes(1000, 0.0, 3), [1000; 1000]);
    // A message has a byte unless it had none.
    assert!(sizes(1, 0.9, 3).iter().all(|&size| size == 1 || size == 2));
    assert_eq!(sizes(0, 0.9, 3), [0; 1000]);
}

/// Times of ranks 0 and 1, of which only those of rank 1 are half as long; messages are what they were.
#[test]
fn pauses_and_waits_of_its_ranks_change() {
    let (bytes, wait) = (Bytes(9), Duration::from_ns(4));
    let of = |to: u32, wait, time| {
        let to = Rank(to);
        let (send, post) = (Entry::Send { to, bytes, wait }, Entry::Post { to, bytes, wait });
        vec![send, post, Entry::Await { from: to }, Entry::Pause { time }]
    };
    let script = Script::new(vec![of(1, wait, wait * 5), of(0, wait, wait * 5)]).unwrap();
    let half = ScaledWork::new(script, WorkFactors::default().times(&[1..=1], 0.5));
    assert_eq!(list(&half, 0), of(1, wait, wait * 5));
    assert_eq!(list(&half, 1), of(0, Duration::from_ns(2), Duration::from_ns(10)));
    assert_eq!((half.messages(), half.bytes_total()), (4, Bytes(36)));
}

#[test]
fn whether_ranks_compute() {
    let ring = || Pattern(Arc::new(Permutation::ring(3, Bytes(9), 1, Steps::FreeRunning)));
    let started =
        |imbalance| Pattern(Arc::new(WithStartTimes::new(ring(), Start { imbalance, ..Start::default() })));
    let script = |entry| Pattern(Arc::new(Script::new(vec![vec![entry], vec![]]).unwrap()));
    let (wait, to, bytes) = (Duration::from_ns(1), Rank(1), Bytes(1));
    let found = [
        ring(),
        started(Duration::ZERO),
        started(wait),
        Pattern(Arc::new(ScaledWork::new(started(wait), WorkFactors::default()))),
        script(Entry::send(to, bytes)),
        script(Entry::Post { to, bytes, wait }),
        script(Entry::Pause { time: wait }),
    ];
    assert_eq!(found.map(|pattern| pattern.computes()), [false, false, true, true, false, true, true]);
}

fn started(ranks: usize, start: Start) -> WithStartTimes<Permutation> {
    WithStartTimes::new(Permutation::ring(ranks, Bytes(9), 1, Steps::FreeRunning), start)
}

#[test]
fn ranks_pause_for_times_of_their_own() {
    let most = Duration::from_ns(1000);
    let start = |seed| Start { imbalance: most, seed, barrier: Barrier::None };
    let pauses: Vec<u64> = (0..1000)
        .map(|rank| match list(&started(1000, start(1)), rank)[..] {
            [Entry::Pause { time }, Entry::Send { .. }] => time.as_ps(),
            ref other => panic!("{other:?}"),
        })
        .collect();
    assert!(pauses.iter().all(|&time| time <= most.as_ps()));
    let mean = pauses.iter().sum::<u64>() / 1000;
    assert!((460_000..=540_000).contains(&mean), "{mean}");
    assert_ne!(list(&started(8, start(1)), 3), list(&started(8, start(2)), 3));
    assert_eq!(list(&started(3, Start::default()), 0), [send(1, 9)], "without anything before it");
}

/// Five ranks: three steps, distances 1, 2 and 4.
#[test]
fn a_barrier_has_a_message_each_way_in_every_step() {
    let pattern = started(5, Start { barrier: Barrier::Dissemination, ..Start::default() });
    let post = |to| Entry::Post { to: Rank(to), bytes: Bytes::ZERO, wait: Duration::ZERO };
    let expected = [post(4), receive(2), post(0), receive(1), post(2), receive(4), send(4, 9)];
    assert_eq!(list(&pattern, 3), expected);
    assert_eq!((pattern.messages(), pattern.bytes_total()), (5 + 15, Bytes(45)));
    assert!(pattern.awaits() && !pattern.only_sends());
}

#[test]
fn scripts() {
    let found = Script::new(vec![vec![send(1, 1), send(2, 1)], vec![receive(9), receive(0)]]).unwrap_err();
    let words: Vec<_> = found.iter().map(|mistake| mistake.what.as_str()).collect();
    let expected = [
        "entry 1 of rank 0 names rank 2, but there are only 2 ranks",
        "entry 0 of rank 1 names rank 9, but there are only 2 ranks",
    ];
    assert_eq!(words, expected);
    let script = Script::new(vec![vec![send(1, 3), send(1, 4)], vec![receive(0)]]).unwrap();
    assert_eq!((script.messages(), script.bytes_total(), script.awaits()), (2, Bytes(7), true));
    assert!(!Script::new(vec![vec![send(0, 3)]]).unwrap().awaits());
    for absurd in [-1.0, -1e-9, f64::NAN, f64::INFINITY, 1_000_001.0] {
        assert_eq!(Gap::new(absurd), None, "{absurd}");
    }
    assert_eq!(Gap::new(-0.0).map(|gap| gap.to_string()), Some("0".to_owned()));
}

#[test]
fn one_of_so_many_is_left_and_all_ranks_have_the_same() {
    let whole = Arc::new(AllToAll::new(64, Bytes(8), Algorithm::SimpleSpread, Steps::default()).unwrap());
    for one_of in [1, 2, 7, 1000] {
        let few = Subsampled::new(Arc::clone(&whole), one_of);
        let shifts = |rank: usize| -> Vec<usize> {
            destinations(&few, rank).into_iter().map(|to| (to as usize + 64 - rank) % 64).collect()
        };
        let of_first = shifts(0);
        assert!((1..64).all(|rank| shifts(rank) == of_first));
        let least = whole.messages() / 64 / one_of;
        assert!((least..=least + 1).contains(&(of_first.len() as u64)), "{one_of}: {of_first:?}");
        assert!(of_first.windows(2).all(|two| two[0] < two[1]));
    }
}
