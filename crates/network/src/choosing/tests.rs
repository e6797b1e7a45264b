use super::*;
use crate::Class;
use crate::SendOptions;
use proptest::prelude::*;
use weir_units::Time;

/// What four interfaces, of which these are usable, send of messages of so many bytes, one after the other, to rank 1.
fn chosen(
    choose: Choose,
    over: u32,
    usable: &[u32],
    sizes: &[u64],
    speeds: [f64; 4],
) -> Vec<Vec<(u32, u64)>> {
    let choice = Choice { choose, striping: Striping { over, from: Bytes::ZERO } };
    let (mut turn, loads) = (0, std::cell::RefCell::new([0; 4]));
    let one = |&bytes: &u64| {
        let message = message(0, 1, bytes, None);
        let load = |number: u32| loads.borrow()[number as usize];
        let speed = |number: u32| speeds[number as usize];
        let candidates = Candidates { usable, count: 4, load: &load, speed: &speed };
        let shares = match choice.choose(&message, NodeId(1), Bytes(1), &mut turn, &candidates) {
            Chosen::One(number) => vec![(number, bytes)],
            Chosen::Several(shares) => shares.into_iter().map(|(number, share)| (number, share.0)).collect(),
        };
        shares.iter().for_each(|&(number, share)| loads.borrow_mut()[number as usize] += share);
        shares
    };
    sizes.iter().map(one).collect()
}

fn message(from: usize, to: usize, bytes: u64, rail: Option<u16>) -> Message<()> {
    let way = SendOptions::default().with_rail(rail);
    Message {
        from: Rank::new(from),
        to: Rank::new(to),
        bytes: Bytes(bytes),
        class: Class::Data,
        sequence: 0,
        replies_to: None,
        posted: Time::ZERO,
        started: Time::ZERO,
        way: (!way.is_default()).then(|| Box::new(way)),
        trail: None,
        body: (),
    }
}

const ALIKE: [f64; 4] = [1.0; 4];
const ALL: [u32; 4] = [0, 1, 2, 3];

/// Each interface in turn, those that cannot be used left out.
#[test]
fn round_robin() {
    let whole = |numbers: [u32; 5]| numbers.map(|number| vec![(number, 7)]).to_vec();
    assert_eq!(chosen(Choose::RoundRobin, 1, &ALL, &[7; 5], ALIKE), whole([0, 1, 2, 3, 0]));
    assert_eq!(chosen(Choose::RoundRobin, 1, &[1, 2], &[7; 5], ALIKE), whole([1, 2, 1, 2, 1]));
}

/// One pair always takes one interface, and the node of the receiver says which.
#[test]
fn by_ends() {
    let hashed = chosen(Choose::Hash, 1, &ALL, &[7; 5], ALIKE);
    assert!(hashed.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(chosen(Choose::ByDestination, 1, &ALL, &[7; 3], ALIKE), vec![vec![(1, 7)]; 3]);
    assert_eq!(chosen(Choose::ByDestination, 1, &[0, 2, 3], &[7], ALIKE), [[(2, 7)]]);
    // Pairs of 64 ranks are spread: each of four interfaces has between a fifth and a third of them.
    let mut counts = [0; 4];
    (0..64).for_each(|from| {
        (0..64).for_each(|to| counts[(hash(Rank::new(from), Rank::new(to)) % 4) as usize] += 1)
    });
    assert!(counts.iter().all(|&count| (64 * 64 / 5..64 * 64 / 3).contains(&count)), "{counts:?}");
}

/// 9, 1, 1 and 1 bytes to each of four; then the three that have less are filled up first, twice. An interface twice as fast takes two of three
/// messages.
#[test]
fn least_loaded_first() {
    let numbers = |sizes: &[u64], usable: &[u32], speeds| -> Vec<u32> {
        chosen(Choose::LeastLoaded, 1, usable, sizes, speeds).into_iter().map(|shares| shares[0].0).collect()
    };
    assert_eq!(numbers(&[9, 1, 1, 1, 4, 4, 4, 4, 4, 9], &ALL, ALIKE), [0, 1, 2, 3, 1, 2, 3, 1, 2, 3]);
    assert_eq!(numbers(&[1; 6], &[0, 1], [2.0, 1.0, 1.0, 1.0]), [0, 1, 0, 0, 1, 0]);
}

/// Shares as speeds are, over those that can be used; the next message begins behind the last one. One that is too slow for a byte has
/// no share.
#[test]
fn stripes() {
    assert_eq!(
        chosen(Choose::RoundRobin, 4, &ALL, &[18], [5.0, 4.0, 4.0, 5.0]),
        [[(0, 5), (1, 4), (2, 4), (3, 5)]]
    );
    assert_eq!(chosen(Choose::RoundRobin, 2, &ALL, &[6, 6], ALIKE), [[(0, 3), (1, 3)], [(2, 3), (3, 3)]]);
    assert_eq!(chosen(Choose::RoundRobin, 4, &[1, 3], &[6], ALIKE), [[(1, 3), (3, 3)]]);
    assert_eq!(chosen(Choose::RoundRobin, 2, &ALL, &[3], [100.0, 1.0, 1.0, 1.0]), [[(0, 3)]]);
}

#[test]
fn replies_and_unordered_messages_keep_no_order() {
    let keeps = |class, reply: Option<u64>| {
        let replies_to = reply.map(crate::MessageNumber::new);
        Message { class, replies_to, ..message(0, 1, 7, None) }.keeps_order()
    };
    let classes = [Class::Data, Class::Control, Class::UnorderedData, Class::UnorderedControl];
    assert_eq!(classes.map(|class| keeps(class, None)), [true, true, false, false]);
    assert_eq!(classes.map(|class| keeps(class, Some(0))), [false; 4]);
}

#[test]
fn messages_of_no_bytes_take_a_place_in_order_only() {
    let takes = |serving: Serving| [0, 1].map(|bytes| serving.takes_place(Bytes(bytes)));
    assert_eq!([Serving::InOrder, Serving::default()].map(takes), [[true, true], [false, true]]);
}

/// What a message asks for is stronger than the rule, and does not change whose turn it is.
#[test]
fn rails() {
    let choice = Choice::default();
    let candidates = Candidates { usable: &ALL, count: 4, load: &|_| 0, speed: &|_| 1.0 };
    let mut turn = 1;
    let mut take = |rail| choice.choose(&message(0, 1, 7, rail), NodeId(1), Bytes(1), &mut turn, &candidates);
    assert_eq!([take(Some(6)), take(None), take(Some(0)), take(None)], [2, 1, 0, 2].map(Chosen::One));
}

proptest! {
    /// Shares make up the message, in whole units but for one; speeds that differ give shares that are right to a unit.
    #[test]
    fn shares_by_speed(speeds in prop::collection::vec(1..20_u32, 1..6), bytes in 0..10_000_u64, unit in 1..100_u64) {
        let speeds: Vec<f64> = speeds.into_iter().map(f64::from).collect();
        let shares = Striping::shares_by_speed(&speeds, Bytes(bytes), Bytes(unit));
        prop_assert_eq!(shares.iter().map(|share| share.0).sum::<u64>(), bytes);
        prop_assert!(shares.iter().filter(|share| share.0 % unit != 0).count() <= 1);
        let all: f64 = speeds.iter().sum();
        for (speed, share) in speeds.iter().zip(&shares) {
            let fair = bytes as f64 * speed / all;
            prop_assert!((share.as_f64() - fair).abs() <= 2.0 * unit as f64, "{} of {}", share.0, fair);
        }
    }
}

#[track_caller]
fn check(over: u32, bytes: u64, unit: u64, expected: &[u64]) {
    let striping = Striping { over, from: Bytes(10) };
    let parts = striping.parts(Bytes(bytes), Bytes(unit));
    let shares: Vec<u64> = Striping::shares(parts, Bytes(bytes), Bytes(unit)).map(|share| share.0).collect();
    assert_eq!(shares, expected, "{bytes} bytes in units of {unit} over {over}");
}

#[test]
fn shares_are_equal_but_for_a_unit() {
    check(1, 100, 1, &[100]);
    check(2, 9, 1, &[9]); // too short
    check(2, 10, 1, &[5, 5]);
    check(3, 11, 1, &[4, 4, 3]);
    check(3, 0, 1, &[0]);
    // Five units, the last one of 3 bytes: the first part has numbers 0, 2 and 4.
    check(2, 43, 10, &[23, 20]);
    check(3, 43, 10, &[20, 13, 10]);
    // Fewer units than interfaces, the last one of 7 bytes.
    check(4, 17, 20, &[17]);
    check(4, 20, 10, &[10, 10]);
    check(4, 10, 10, &[10]);
}

#[test]
fn one_thing_does_not_change_another() {
    let way = SendOptions::default().with_gap(Some(0.0)).with_nic(Some(2));
    assert_eq!((way.gap, way.nic, way.is_default()), (Some(0.0), Some(2), false));
    let (gap, nic) = (way.clone().with_nic(None), way.with_gap(None));
    assert_eq!((gap.gap, gap.nic, gap.is_default()), (Some(0.0), None, false));
    assert_eq!((nic.gap, nic.nic, nic.is_default()), (None, Some(2), false));
    assert!(nic.with_nic(None).is_default());
    let rail = SendOptions::default().with_rail(Some(7));
    assert_eq!((rail.rail, rail.nic, rail.is_default()), (Some(7), None, false));
}
