//! Interfaces that send several messages at once, beside a simple fluid: links of 1 B/s, times in seconds.

use crate::by_hand::delivered;
use crate::common::UNIT;
use crate::laws::machines;
use proptest::prelude::*;
use std::collections::VecDeque;
use weir_flow::{Flow, NodeModel};
use weir_network::{Placement, Serving};
use weir_topology::{End, Topology};
use weir_units::{Bandwidth, LinkId, NodeId, Rank};

/// A fluid of messages, written down as simply as it can be: everything is computed anew at each instant.
struct Fluid<'a> {
    /// Bytes per second of each link.
    capacity: &'a dyn Fn(LinkId) -> f64,
    /// By message: its links, and what is left of it.
    messages: Vec<(Vec<LinkId>, f64)>,
    /// By interface: those that are sent, and those that wait.
    sending: Vec<Vec<usize>>,
    waiting: Vec<VecDeque<usize>>,
    at_once: usize,
}

impl Fluid<'_> {
    /// Max-min rates by progressive filling.
    fn rates(&self) -> Vec<(usize, f64)> {
        let active: Vec<usize> = self.sending.iter().flatten().copied().collect();
        let mut rates: Vec<Option<f64>> = vec![None; self.messages.len()];
        while active.iter().any(|&message| rates[message].is_none()) {
            let links = self.messages.iter().flat_map(|(links, _)| links.iter().copied());
            let share = |link: LinkId| {
                let crosses = |message: &&usize| self.messages[**message].0.contains(&link);
                let used: f64 = active.iter().filter(crosses).filter_map(|&message| rates[message]).sum();
                let open = active.iter().filter(crosses).filter(|message| rates[**message].is_none()).count();
                (open > 0).then(|| (((self.capacity)(link) - used) / open as f64, link))
            };
            let narrowest =
                links.filter_map(share).min_by(|a, b| a.0.total_cmp(&b.0)).expect("a link is open");
            for &message in &active {
                if rates[message].is_none() && self.messages[message].0.contains(&narrowest.1) {
                    rates[message] = Some(narrowest.0);
                }
            }
        }
        active.iter().map(|&message| (message, rates[message].expect("all have one"))).collect()
    }

    fn hand_over(&mut self, interface: usize, message: usize) {
        self.waiting[interface].push_back(message);
        self.fill(interface);
    }

    fn fill(&mut self, interface: usize) {
        while self.sending[interface].len() < self.at_once
            && let Some(next) = self.waiting[interface].pop_front()
        {
            self.sending[interface].push(next);
        }
    }
}

/// When each message leaves, in seconds: of interface, links, bytes and when it is handed over, ascending.
fn departures(
    interfaces: usize,
    serving: Serving,
    all: &[(usize, Vec<LinkId>, u64, f64)],
    capacity: &dyn Fn(LinkId) -> f64,
) -> Vec<f64> {
    let at_once = if let Serving::Shared { at_once } = serving { at_once as usize } else { 1 };
    let messages = all.iter().map(|(_, links, bytes, _)| (links.clone(), *bytes as f64)).collect();
    let (sending, waiting) = (vec![Vec::new(); interfaces], vec![VecDeque::new(); interfaces]);
    let mut fluid = Fluid { capacity, messages, sending, waiting, at_once };
    let (mut left, mut now, mut next) = (vec![f64::NAN; all.len()], 0.0, 0);
    loop {
        while let Some((interface, _, bytes, at)) = all.get(next).filter(|(.., at)| *at <= now) {
            if *bytes == 0 && serving != Serving::InOrder {
                left[next] = *at
            } else {
                fluid.hand_over(*interface, next)
            }
            next += 1;
        }
        let rates = fluid.rates();
        let done = rates.iter().map(|&(message, rate)| now + fluid.messages[message].1 / rate);
        let handed = all.get(next).map(|(.., at)| *at);
        let Some(then) = done.chain(handed).min_by(f64::total_cmp) else { return left };
        for (message, rate) in rates {
            fluid.messages[message].1 -= rate * (then - now);
            if fluid.messages[message].1 < 1e-9 {
                let interface = all[message].0;
                left[message] = then;
                fluid.sending[interface].retain(|&other| other != message);
                fluid.fill(interface);
            }
        }
        now = then;
    }
}

/// Per rank: at which second it hands over a message to whom of how many bytes, in the order of seconds.
type Posts = Vec<Vec<(u64, u32, u64)>>;

fn case() -> impl Strategy<Value = (Topology, Placement, Posts)> {
    (machines(), 2usize..10).prop_flat_map(|(machine, ranks)| {
        let place = prop::collection::vec((0..machine.nodes()).prop_map(NodeId::new), ranks);
        let posts = prop::collection::vec((0u64..4, 0..ranks as u32, 0u64..6), 0..7);
        let posts = posts.prop_map(|mut posts| {
            posts.sort_by_key(|post| post.0);
            posts
        });
        (Just(machine), place.prop_map(Placement::new), prop::collection::vec(posts, ranks))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Each message leaves and is there when the simple fluid says, however many are sent at once, or in order: by one interface, or by the
    /// next one of several, which have 1 B/s each, and all together what the node has for them.
    #[test]
    fn the_engine_is_a_fluid(
        (machine, placement, posts) in case(),
        at_once in prop_oneof![1..4_u32, Just(u32::MAX)],
        in_order: bool,
        interfaces in prop_oneof![2 => Just(1_u32), 1 => 2..4_u32],
        limits in [prop::option::of(1..4_u32), prop::option::of(1..4_u32)],
    ) {
        let limits = limits.map(|limit| limit.map(|limit| f64::from(limit) / 2.0));
        let node = |rank: usize| placement.node(Rank::new(rank));
        // Messages within a node pass no interface.
        let posts: Posts = (0..).zip(posts).map(|(rank, posts)| {
            posts.into_iter().filter(|&(_, to, _)| node(rank) != node(to as usize)).collect()
        }).collect();
        let mut all = Vec::new();
        for (rank, posts) in posts.iter().enumerate() {
            for (number, &(at, to, bytes)) in posts.iter().enumerate() {
                all.push(((at, rank, number, to), (node(rank).index(), Vec::new(), bytes, at as f64)));
            }
        }
        all.sort_by_key(|(order, _)| *order);
        let (count, mut turns) = (interfaces as usize, vec![0; machine.nodes()]);
        for ((.., to), (home, links, ..)) in &mut all {
            let number = turns[*home] % count;
            turns[*home] += 1;
            let at = node(*to as usize);
            machine.find_route_by(NodeId::new(*home), number as u32, at, links);
            *home = *home * count + number;
            let arrives_at = (machine.nodes() + at.index()) * count + number;
            links.extend([*home, arrives_at].map(|own| LinkId::new(machine.links() + own)));
        }
        let capacity = |link: LinkId| {
            if link.index() >= machine.links() {
                return 1.0;
            }
            let link = machine.link(link);
            let limit = match (link.from, link.to) {
                (End::Node(_), _) => limits[0],
                (_, End::Node(_)) => limits[1],
                _ => return 1.0,
            };
            limit.unwrap_or(f64::INFINITY).min(f64::from(interfaces))
        };
        let (orders, messages): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        let serving = if in_order { Serving::InOrder } else { Serving::Shared { at_once } };
        let left = departures(machine.nodes() * count, serving, &messages, &capacity);
        let sends: Vec<&[(u64, u32, u64)]> = posts.iter().map(Vec::as_slice).collect();
        let [injection_limit, ejection_limit] = limits.map(|limit| limit.and_then(Bandwidth::new));
        let node = NodeModel { serving, interfaces, injection_limit, ejection_limit, ..NodeModel::default() };
        let events = delivered(Flow::default(), &machine, &placement, node, &sends);
        let when = |rank: usize, what: String| {
            let event = events[rank].iter().find(|(_, event)| *event == what);
            event.map(|event| event.0 as f64 / UNIT as f64)
        };
        let mut last = std::collections::BTreeMap::new();
        for ((&(_, from, number, to), (_, route, ..)), &left) in orders.iter().zip(&messages).zip(&left) {
            let departed = when(from, format!("departed {number}")).expect("it leaves");
            prop_assert!((departed - left).abs() < 1e-6, "{from} to {to}, {number}: {departed}, not {left}");
            let own = route.iter().filter(|link| link.index() < machine.links());
            let latency: f64 = own.map(|&link| machine.link(link).latency.as_secs_f64()).sum();
            let there = last.entry((from, to)).or_insert(0.0_f64);
            *there = there.max(left + latency);
            let arrived = when(to as usize, format!("arrived {number} of {from}")).expect("it arrives");
            prop_assert!((arrived - *there).abs() < 1e-6, "{from} to {to}, {number}: there at {arrived}, not {there}");
        }
    }
}
