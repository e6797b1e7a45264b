use super::*;
use crate::MessageNumber;
use proptest::prelude::*;

/// What four interfaces, of which these are usable, send of messages of so many bytes, one after the other, to rank 1.
fn chosen(choose: Choose, over: u32, usable: &[u32], sizes: &[u64], speeds: [f64; 4]) -> Vec<Vec<(u32, u64)>> {
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
    let way = Way::default().with_rail(rail);
    let way = (!way.is_default()).then(|| Box::new(way));
    Message::new(Rank::new(from), Rank::new(to), Bytes(bytes), MessageNumber::default(), ()).with_way(way)
}
