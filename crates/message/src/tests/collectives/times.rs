//! When each rank has done its part, worked out by hand: order of children, segments, and what each message costs.
//!
//! 1 ns per byte on the interface, latency 1000 ns, overhead 10 ns, copies at 10 bytes per ns. So a message of 100 bytes
//! costs its sender 20 ns (overhead and copy), holds the interface for 100 ns, and costs its receiver 10 ns.

use super::*;
use crate::{Far, FreshMemory, Overhead};
use weir_units::{Bandwidth, Duration};

fn costs() -> Costs {
    Costs {
        memory_bandwidth: Bandwidth::new(10e9),
        eager_limit: Bytes(EAGER),
        ..Costs::of_overhead(Duration::from_ns(10))
    }
}

/// The clocks of all ranks, in ns, when they have taken part.
pub(super) fn clocks_at(costs: &Costs, size: usize, plan: impl Fn(Place) -> Plan) -> Vec<f64> {
    let rank = |rank| {
        let place = Place { rank, size };
        OneCollective::new(place, costs, Some(plan(place)), vec![1; 1 << 16], OperandOrder::Commute)
    };
    let mut ranks: Vec<OneCollective> = (0..size).map(rank).collect();
    let network =
        Ideal { latency: Duration::from_ns(1000), bandwidth: Bandwidth::new(1e9), ..Ideal::default() };
    let ended = network.run(&mut ranks, RunContext::new(&Placement::one_per_node(size)));
    assert_eq!(ended.outcome, Outcome::Finished);
    ranks.iter().map(|rank| rank.process.clock().as_ps() as f64 / 1000.0).collect()
}

const EAGER: u64 = 1 << 20;

/// The clocks of all ranks of a collective with root 0.
#[track_caller]
fn check(costs: &Costs, (key, name): (&str, &str), amount: usize, expected: &[f64]) {
    let (size, choice) = (expected.len(), chosen(key, name));
    let call = Called { size, root: 0, amount, eager: EAGER, commutes: OperandOrder::Commute };
    assert_eq!(clocks_at(costs, size, |place| call.plan(key, &choice, place)), expected, "{key} {name}");
}

/// Collectives with root 0, and when each rank is through.
#[test]
fn collectives_by_hand() {
    let plain = &costs();
    let by_rendezvous = &Costs { eager_limit: Bytes(0), ..costs() };
    let combined = &Costs { combine_bandwidth: Bandwidth::new(1e9), ..costs() };
    let entered = &Costs { collective: Duration::from_ns(300), ..costs() };
    let copied = &Costs {
        copy_bandwidths: Bandwidth::new(1e9).map(|rate| (Bytes(0), rate)).into_iter().collect(),
        copy_overhead: Duration::from_ns(5),
        ..costs()
    };
    let farthest_first = &[60.0, 1330.0, 1250.0, 2360.0, 1170.0, 2360.0, 2280.0, 3390.0];
    let nearest_first = &[60.0, 1170.0, 1250.0, 2280.0, 1330.0, 2360.0, 2360.0, 3390.0];
    /// Costs, collective and algorithm, amount, and the clocks of all ranks.
    type Case<'a> = (&'a Costs, (&'a str, &'a str), usize, &'a [f64]);
    let cases: [Case<'_>; 15] = [
        // Rank 0 sends to 4, 2 and 1 in this order: at 20, 40 and 60, on the interface until 120, 220 and 320. Rank 4 has it at 1120 + 10,
        // sends to 6 (1150) and 5 (1170), on its interface until 1250 and 1350; rank 2 at 1220 + 10, sends to 3 (1250 to 1350); rank 6 at
        // 2250 + 10, sends to 7 (2280 to 2380).
        (plain, ("bcast", "binomial"), 100, farthest_first),
        // Rank 0 sends to 1, 2 and 4 in this order, on the interface until 120, 220 and 320. Rank 1 has it at 1120 + 10, sends to 3 (1150 to
        // 1250) and 5 (until 1350); rank 2 at 1230, sends to 6 (1250 to 1350); rank 3 at 2260, sends to 7 (2280 to 2380).
        (plain, ("bcast", "binomial-nearest-first"), 100, nearest_first),
        // One after the other from the root, in the order of ranks.
        (plain, ("bcast", "flat"), 100, &[60.0, 1130.0, 1230.0, 1330.0]),
        // The root asks at 10, as nothing is copied. The request is there at 1010, the clearance back at 2010; the data have left at 2110 and
        // are there at 3110, where they cost 10 more.
        (by_rendezvous, ("bcast", "flat"), 100, &[2110.0, 3120.0]),
        // Two segments of 8192 bytes. The root has them on the interface from 829.2 (overhead and copy) to 9021.2 and 17213.2. Rank 1 has the
        // first at 10021.2 + 10, hands it on at 10860.4, has the second at 18213.2 + 10 and hands it on at 19052.4, when the interface has
        // just become free. Rank 2 has the second at 27244.4 + 1000 + 10.
        (plain, ("bcast", "ring-pipeline"), 16_384, &[1658.4, 19_052.4, 28_254.4]),
        // Rank 1 to 0 and rank 3 to 2 at 20, there at 1120 + 10; rank 2 to 0 at 1150, there at 2250 + 10.
        (plain, ("reduce", "binomial"), 50, &[2260.0, 20.0, 1150.0, 20.0]),
        // From ranks 1, 2 and 3, all there at 1120; the root pays the overhead three times.
        (plain, ("reduce", "flat"), 50, &[1150.0, 20.0, 20.0, 20.0]),
        // Two rounds of an exchange: sent at 20, there at 1130; sent at 1150, there at 2260.
        (plain, ("allreduce", "recursive-doubling"), 50, &[2260.0; 4]),
        // 100 bytes combined at 1 ns each: what came at 1130 is combined at 1230, sent at 1250, there at 2350 + 10, and combined at 2460. In a
        // tree rank 2 hands on what it has at 1230, at 1250, there at 2360, and the root, which has combined with rank 1 at 1230, has it at
        // 2460.
        (combined, ("allreduce", "recursive-doubling"), 50, &[2460.0; 4]),
        (combined, ("reduce", "binomial"), 50, &[2460.0, 20.0, 1250.0, 20.0]),
        // Two rounds of empty messages: overhead 10, there at 1010 + 10; again. Then each rank enters 300 later than it could.
        (plain, ("barrier", "auto"), 0, &[2040.0; 4]),
        (entered, ("barrier", "auto"), 0, &[2340.0; 4]),
        // Bruck's on two ranks with blocks of 100 bytes, copies of 5 ns and 1 ns per byte. Rank 0 turns its two blocks in one copy (205) and
        // packs one (105), sends it at 310 + 20, on the interface until 430, there at 1430 + 10; it is put in place (105), and both blocks go
        // to the result (210): 1755. Rank 1 turns in two copies, 5 ns later; what it sends is there at 1435, and rank 0 has it at 1445.
        (copied, ("alltoall", "bruck"), 100, &[1760.0, 1755.0]),
        // The root sends the blocks of ranks 2 and 3 first: 200 bytes cost 30 ns and 200 ns of the interface, until 230; then rank 1's, at 50,
        // until 330. Rank 2 has its own at 1230 + 10 and sends rank 3's at 1260, until 1360.
        (plain, ("scatter", "binomial"), 100, &[50.0, 1340.0, 1260.0, 2370.0]),
        // Rank 1 to 0 and rank 3 to 2 at 20, there at 1130; rank 2 to 0 with 200 bytes at 1130 + 30, on the interface until 1360.
        (plain, ("gather", "binomial"), 100, &[2370.0, 20.0, 1160.0, 20.0]),
    ];
    for (costs, algorithm, amount, expected) in cases {
        check(costs, algorithm, amount, expected);
    }
    let turned = clocks_at(plain, 8, |place| Plan::bcast(&chosen("bcast", "binomial"), place, 3, 100));
    let turned: Vec<f64> = (0..8).map(|rank| turned[(rank + 3) % 8]).collect();
    assert_eq!(turned, farthest_first, "counted from root 3");
}

/// Two segments of 100 bytes. Rank 2 sends them at 20 and 40, on the interface until 120 and 220. Rank 1 has the first at 1120 +
/// 10 and sends it at 1150, until 1250; it has the second at 1220 + 10 and sends it at 1250, until 1350. Rank 0 has them
/// at 2250 + 10 and 2350 + 10.
#[test]
fn a_reduction_along_a_chain_segment_by_segment() {
    let mut choice = chosen("reduce", "pipeline");
    choice.parameters.reduce.segment = std::num::NonZeroU32::new(100);
    let plan = |place| Plan::reduce(&choice, place, 0, 100, 2, OperandOrder::Commute);
    assert_eq!(clocks_at(&costs(), 3, plan), [2360.0, 1250.0, 40.0]);
}

/// With one near partner and 100 ns more for others: rank 0 takes what came at 1120 from rank 1 at once, and from ranks 2 and 3 at 1220, each
/// with an overhead of 10. When it scatters, it has sent to rank 1 at 20, to rank 2 at 140, to rank 3 at 260, each of whom has it 1110
/// later. To all others the root is the first partner.
#[test]
fn messages_of_far_partners_take_longer() {
    let time = Overhead::pieces(Duration::ZERO, vec![(Bytes(99), Duration::from_ns(100))]).expect("ascends");
    let of = |send: &Overhead, receive: &Overhead| {
        let (send, receive) = (send.clone(), receive.clone());
        Costs { far: Some(Far { near: 1, send, receive }), ..costs() }
    };
    let far = of(&time, &time);
    let reduce = |elements| {
        move |place| Plan::reduce(&chosen("reduce", "flat"), place, 0, elements, 2, OperandOrder::Commute)
    };
    assert_eq!(clocks_at(&far, 4, reduce(50)), [1240.0, 20.0, 20.0, 20.0]);
    assert_eq!(clocks_at(&far, 4, reduce(45)), clocks_at(&costs(), 4, reduce(45)), "not those of 90 bytes");
    let scatter = |place| Plan::scatter(&chosen("scatter", "flat"), place, 0, 100);
    assert_eq!(clocks_at(&far, 4, scatter), [260.0, 1130.0, 1250.0, 1370.0]);
    // On one side alone: only the root sends in a scatter, and only it receives in a reduction.
    let none = Overhead::default();
    for (alone, is_received) in [(of(&time, &none), false), (of(&none, &time), true)] {
        let (sends, receives) = if is_received { (costs(), far.clone()) } else { (far.clone(), costs()) };
        assert_eq!(clocks_at(&alone, 4, scatter), clocks_at(&sends, 4, scatter));
        assert_eq!(clocks_at(&alone, 4, reduce(50)), clocks_at(&receives, 4, reduce(50)));
    }
}

/// 100 ns for each round in which a rank waits, by eager messages: two of an all-reduce of four ranks by doubling, three of a ring, and the one
/// in which the root of a flat reduction waits for three messages. A root that asks for one block after the other finds the second and the third
/// one there.
#[test]
fn a_rank_sees_late_that_a_round_is_over() {
    let later = |plan: &dyn Fn(Place) -> Plan| -> Vec<f64> {
        let with = clocks_at(&Costs { wait: Duration::from_ns(100), ..costs() }, 4, plan);
        with.iter().zip(clocks_at(&costs(), 4, plan)).map(|(with, without)| with - without).collect()
    };
    let all = |place| {
        Plan::allreduce(&chosen("allreduce", "recursive-doubling"), place, 50, 2, OperandOrder::Commute)
    };
    assert_eq!(later(&all), [200.0; 4]);
    assert_eq!(later(&|place| Plan::allgather(&chosen("allgather", "ring"), place, 100)), [300.0; 4]);
    let reduce = |place| Plan::reduce(&chosen("reduce", "flat"), place, 0, 50, 2, OperandOrder::Commute);
    assert_eq!(later(&reduce), [100.0, 0.0, 0.0, 0.0]);
    let gather = |place| Plan::gather(&chosen("gather", "linear"), place, 0, 100);
    assert_eq!(later(&gather), [100.0, 0.0, 0.0, 0.0]);
}

/// Fresh from so many bytes on, at 10 ns per byte.
fn fresh(from: u64) -> FreshMemory {
    let (several_from, overhead) = (None, Duration::ZERO);
    FreshMemory {
        from: Bytes(from),
        several_from,
        overhead,
        bandwidth: Bandwidth::new(1e8).expect("above 0"),
    }
}

/// A binomial broadcast of 100 bytes with 500 ns of latency of an eager message of more than 10 bytes: the root has handed two messages over at 20
/// and 40, which leave at 520 and 540; the interface fetches one while it is handed the next. Shorter ones leave at once.
#[test]
fn eager_messages_leave_later_and_keep_their_order() {
    let late =
        Overhead::pieces(Duration::ZERO, vec![(Bytes(10), Duration::from_ns(500))]).expect("one limit");
    let with = |eager_latency| Costs { eager_latency, ..costs() };
    let of = |eager_latency, amount| {
        let call = Called { size: 4, root: 0, amount, eager: EAGER, commutes: OperandOrder::Commute };
        clocks_at(&with(eager_latency), 4, |place| call.plan("bcast", &chosen("bcast", "binomial"), place))
    };
    let (soon, later) = (of(Overhead::default(), 50), of(late.clone(), 50));
    let more: Vec<f64> = later.iter().zip(&soon).map(|(later, soon)| later - soon).collect();
    // The root only hands over; ranks 1 and 2 get theirs of it, rank 3 one that two have handed on.
    assert_eq!(more, [0.0, 500.0, 500.0, 1000.0]);
    assert_eq!(of(late, 4), of(Overhead::default(), 4));
}

/// Temporary memory that is fresh from 100 bytes on, at 10 ns per byte: each rank of a recursive doubling needs 100 bytes, 1000 ns. In
/// a tree the root, whose result is the caller's, has rooms for two operands (2000 ns), and rank 2 for one and its result, which counts twice
/// since it is sent from there: it has what came at 1130 only at 3000, pays 10, and sends it at 3030, there at 4130; ranks 1 and 3 have none.
#[test]
fn fresh_memory_is_touched_in_time() {
    let with = |from| Costs { fresh_memory: Some(fresh(from)), ..costs() };
    check(&with(100), ("allreduce", "recursive-doubling"), 50, &[3260.0; 4]);
    check(&with(101), ("allreduce", "recursive-doubling"), 50, &[2260.0; 4]);
    check(&with(100), ("reduce", "binomial"), 50, &[4140.0, 20.0, 3030.0, 20.0]);
}

/// Four ranks, from 80 bytes of the longest block on, 300 ns and 10 ns per byte for each. A reduce-scatter by halving of 104 bytes has two
/// blocks of that length, of which it sends from one, 208 bytes to touch, and 52 bytes come into the other: 3200 ns before it begins, at each
/// rank; of 72 bytes: nothing. One along a ring has 104 bytes and twice 26, less
/// than twice the longest; an all-reduce by doubling has one: nothing. An all-reduce along a ring of 400 bytes has two of
/// 100, and its vector is the caller's.
#[test]
fn several_blocks_are_fresh_that_are_large_together() {
    let several =
        FreshMemory { several_from: Some(Bytes(80)), overhead: Duration::from_ns(300), ..fresh(1 << 30) };
    let later = |plan: &dyn Fn(Place) -> Plan| -> Vec<f64> {
        let with = clocks_at(&Costs { fresh_memory: Some(several), ..costs() }, 4, plan);
        with.iter().zip(clocks_at(&costs(), 4, plan)).map(|(with, without)| with - without).collect()
    };
    let scatter = |name: &'static str, bytes: usize| {
        let blocks = Blocks::Even { count: 4, bytes: bytes / 4 };
        move |place| {
            Plan::reduce_scatter(
                &chosen("reduce_scatter", name),
                place,
                blocks.clone(),
                2,
                OperandOrder::Commute,
            )
        }
    };
    let all = |name: &'static str, bytes: usize| {
        move |place| Plan::allreduce(&chosen("allreduce", name), place, bytes / 2, 2, OperandOrder::Commute)
    };
    assert_eq!(later(&scatter("recursive-halving", 104)), [3200.0; 4]);
    assert_eq!(later(&scatter("recursive-halving", 72)), [0.0; 4]);
    assert_eq!(later(&scatter("ring", 104)), [0.0; 4]);
    assert_eq!(later(&all("recursive-doubling", 100)), [0.0; 4]);
    assert_eq!(later(&all("ring", 400)), [2600.0; 4]);
}

/// 400 bytes, fresh from 100 on at 10 ns per byte. Four ranks touch a vector twice and half a vector. Of six, ranks 1 and 3 get a whole vector
/// when they fold; ranks 0 and 2 hand theirs over and get their block of the others' result; ranks 4 and 5 keep half of their first step.
#[test]
fn what_is_touched_of_temporary_memory() {
    let touched = |key: &str, name: &str, size| -> Vec<Option<[usize; 3]>> {
        let call = Called { size, root: 0, amount: 200, eager: EAGER, commutes: OperandOrder::Commute };
        call.plans(key, &chosen(key, name)).iter().map(|plan| plan.schedule.touched()).collect()
    };
    for name in ["recursive-halving", "butterfly"] {
        assert_eq!(touched("reduce_scatter", name, 4), [Some([800, 200, 0]); 4]);
        assert_eq!(touched("reduce_scatter", name, 2), [Some([800, 200, 0]); 2]);
    }
    let of_six = touched("reduce_scatter", "recursive-halving", 6);
    let of = |room| Some([800, room, 0]);
    // Shares of 33 and 34 elements: those of ranks 0 to 3 are 133, those of ranks 4 and 5 the other 67.
    assert_eq!(of_six, [of(0), of(400), of(0), of(400), of(134), of(134)]);
    assert_eq!(touched("reduce_scatter", "ring", 4), [Some([800, 100, 100]); 4]);
    assert_eq!(touched("allreduce", "ring", 4), [None; 4]);
    assert_eq!(touched("allreduce", "rabenseifner", 4), [Some([200, 0, 0]); 4]);
    // Four blocks of 200 bytes come into a buffer, and go on from there, but at rank 0.
    let gathers = Some([1600, 0, 0]);
    assert_eq!(touched("allgather", "k-bruck", 4), [Some([0; 3]), gathers, gathers, gathers]);
    let others = Some([200, 800, 0]);
    assert_eq!(touched("reduce", "rabenseifner", 4), [Some([200, 0, 0]), others, others, others]);
}

/// What a library makes beside the buffers of the caller: nothing to move a rank's own blocks on, what is on its way through it in a gather,
/// and as many vectors as a reduction combines in.
#[test]
fn temporary_memory() {
    let of = |key: &str, choice: &Choice, root, amount| -> Vec<[usize; 3]> {
        let call = Called { size: 4, root, amount, eager: EAGER, commutes: OperandOrder::Commute };
        call.plans(key, choice).iter().map(Plan::temporaries).collect()
    };
    let none = [0; 3];
    for (key, name, root, amount, expected) in [
        ("bcast", "binomial", 0, 100, [none; 4]),
        ("allgather", "ring", 0, 100, [none; 4]),
        ("gather", "binomial", 0, 100, [none, none, [200, 0, 0], none]),
        // Counted from the root.
        ("scatter", "binomial", 1, 100, [none, [400, 0, 0], none, [200, 0, 0]]),
        ("reduce", "binomial", 0, 50, [[0, 100, 100], none, [100, 100, 0], none]),
        ("reduce", "pipeline", 0, 50, [[100, 0, 0], [200, 0, 0], [200, 0, 0], none]),
        ("reduce", "rabenseifner", 0, 50, [[100, 0, 0], [100, 100, 0], [100, 100, 0], [100, 100, 0]]),
        ("reduce_scatter", "recursive-halving", 0, 48, [[96, 96, 0]; 4]),
        ("reduce_scatter", "ring", 0, 48, [[96, 24, 24]; 4]),
        ("reduce_scatter", "pairwise", 0, 48, [[24, 0, 0]; 4]),
    ] {
        assert_eq!(of(key, &chosen(key, name), root, amount), expected, "{key} {name}");
    }
    let fujitsu = Choice { preset: Preset::Fujitsu, ..chosen("reduce_scatter", "recursive-halving") };
    assert_eq!(of("reduce_scatter", &fujitsu, 0, 48), [none; 4]);
}
