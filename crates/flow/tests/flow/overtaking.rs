//! Messages of a pair do not overtake each other, also where instants are made coarser by a resolution.

use crate::common::{RULES, run, torus_of};
use proptest::prelude::*;
use weir_flow::Flow;
use weir_network::{Actions, Class, Event, Notice, Outcome, Placement, Program, Send};
use weir_topology::Wrap;
use weir_units::{Bytes, Duration, NodeId, Rank, Time};

/// A message that a rank sends in the beginning, for an instant; what comes for it is answered at once, so often.
#[derive(Clone, Copy, Debug)]
pub(crate) struct First {
    at: u64,
    to: u32,
    bytes: u64,
    answers: u8,
}

/// Sends its messages for later in the beginning and answers what comes. The body says how often to answer still.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answerer {
    pub(crate) firsts: Vec<First>,
    /// Sender, number, when its interface got it.
    arrivals: Vec<(Rank, u64, Time)>,
}

impl Program for Answerer {
    type Body = u8;

    fn react(&mut self, event: Event<u8>, actions: &mut Actions<u8>) {
        let now = actions.now();
        let mut send = |at, to, bytes, body| {
            actions.send(Send { at, to, bytes, class: Class::Data, notice: Notice::None, body });
        };
        match event {
            Event::Start => {
                for &First { at, to, bytes, answers } in &self.firsts {
                    send(Time::from_ps(at), Rank(to), Bytes(bytes), answers);
                }
            }
            Event::Arrived(message) => {
                self.arrivals.push((message.from, message.sequence, message.posted));
                if let Some(left) = message.body.checked_sub(1) {
                    // Two at once: something, and nothing behind it.
                    send(now, message.from, message.bytes, 0);
                    send(now, message.from, Bytes::ZERO, left);
                }
            }
            Event::Departed { .. } | Event::Timer { .. } => {}
        }
    }
}

pub(crate) fn firsts() -> impl Strategy<Value = Vec<(u32, First)>> {
    let times = prop_oneof![Just(0), (0..8_u64).prop_map(|i| i * 50_000), 0..400_000_u64];
    let bytes = prop_oneof![2 => Just(0), 3 => 1..64_u64, 1 => 0..4_000_u64];
    let first = (times, 0..4_u32, 0..4_u32, bytes, 0..4_u8);
    let first = first.prop_map(|(at, from, to, bytes, answers)| (from, First { at, to, bytes, answers }));
    prop::collection::vec(first, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Of two messages of a pair, what was sent first and handed to the interface first is delivered first.
    #[test]
    fn messages_of_a_pair_keep_their_order(
        all in firsts(),
        rule in prop::sample::select(&RULES[..]),
        resolution in prop_oneof![Just(0), 1..500_000_u64],
        latency in prop_oneof![Just(0), Just(100)],
        homes in prop::collection::vec(0..4_usize, 4),
    ) {
        let topology = torus_of(1e9, &[4], Wrap::Torus, Duration::from_ns(latency));
        let placement = Placement::new(homes.into_iter().map(NodeId::new).collect::<Vec<_>>());
        let mut ranks = vec![Answerer::default(); 4];
        all.into_iter().for_each(|(from, first)| ranks[from as usize].firsts.push(first));
        let flow = Flow { sharing: rule, resolution: Duration::from_ps(resolution), ..Flow::default() };
        let ended = run(flow, &topology, &placement, &mut ranks);
        prop_assert_eq!(ended.ended.outcome, Outcome::Finished);
        for (to, rank) in ranks.iter().enumerate() {
            for (place, &(from, number, posted)) in rank.arrivals.iter().enumerate() {
                let later = |&&(other, sequence, at): &&(Rank, u64, Time)| {
                    other == from && sequence < number && at <= posted
                };
                let overtaken = rank.arrivals[place + 1..].iter().find(later);
                prop_assert!(overtaken.is_none(), "{} to {}: {:?} after {}", from, to, overtaken, number);
            }
        }
    }
}
