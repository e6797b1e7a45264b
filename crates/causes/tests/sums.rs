//! Ledgers, trails and paths keep sums. Here they run beside lists in which every picosecond has its own entry.

use Cause::{
    Compute, Contention, Credits, Finished, LateReceiver, LateSender, Latency, Other, Serialization, StartUp,
};
use proptest::prelude::*;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use weir_causes::*;
use weir_units::{Duration, LinkId, Rank, Time};

/// The call, its site and the phase.
type Context = [&'static str; 3];

/// The way of messages in this test: 7 ps of latency over 3 links, mostly of class 2; link 9, of class 1, is the narrowest.
const LATENCIES: [u64; 8] = [2, 0, 5, 0, 0, 0, 0, 0];
/// Most spans of a trail; the first ones of a longer trail become one.
const SPANS: usize = 12;

fn at(ps: u64) -> Time {
    Time::from_ps(ps)
}

fn ps(ps: u64) -> Duration {
    Duration::from_ps(ps)
}

fn carriage(alone: u64) -> Carriage {
    let mut narrowing = Narrowing::default();
    narrowing.pass(LinkId(4), Some(2), 8.0);
    narrowing.pass(LinkId(9), Some(1), 2.0);
    Carriage {
        alone: ps(alone),
        latency: ps(7),
        links: 3,
        by_class: LATENCIES.map(ps),
        narrowest: narrowing.narrowest,
    }
}

/// A path: for each picosecond the cause, the rank, and what it was charged to.
#[derive(Clone, Default)]
struct Chain {
    moments: Vec<(Cause, u32, Option<Context>)>,
    ranks: Vec<u32>,
    messages: u64,
    links: u64,
    carried: u64,
    bytes: u64,
}

impl Chain {
    fn end(&self) -> u64 {
        self.moments.len() as u64
    }

    fn extend(&mut self, until: u64, cause: Cause) {
        let rank = *self.ranks.last().expect("a path begins at a rank");
        (self.end()..until).for_each(|_| self.moments.push((cause, rank, None)));
    }

    fn charge(&mut self, context: Context) {
        self.moments.iter_mut().for_each(|(.., to)| _ = to.get_or_insert(context));
    }

    fn check(&self, path: &Path) {
        let causes_of = self.moments.iter().map(|&(cause, ..)| cause);
        assert_eq!((path.end(), path.causes), (at(self.end()), causes(causes_of)));
        assert_eq!((path.messages, path.links), (self.messages, self.links));
        let charged = self.moments.iter().map(|(.., to)| to.map_or("others", |to| to[0]));
        assert_eq!(times(path.calls()), counted(charged.map(Name::of)));
        for (tally, place) in [(&path.sites, 1), (&path.phases, 2)] {
            let names = self.moments.iter().filter_map(|(.., to)| Some(Name::of(to.as_ref()?[place])));
            assert_eq!(times(tally.shares()), counted(names.filter(|name| !name.is_empty())));
        }
        let work = self.moments.iter().filter(|(cause, ..)| *cause == Compute);
        assert_eq!(times(path.work.shares()), counted(work.map(|&(_, rank, _)| Rank(rank))));
        assert_eq!(path.wires.latency, LATENCIES.map(|latency| ps(self.carried * latency)));
        assert_eq!(path.wires.bytes[1], ps(self.bytes));
        assert_eq!(times(path.wires.links.shares()), counted((0..self.bytes).map(|_| LinkId(9))));
        let last = self.ranks.len().saturating_sub(8);
        let ranks = self.ranks[last..].iter().map(|&rank| Rank(rank)).collect();
        assert_eq!(path.ranks(), (ranks, self.ranks.len() as u64));
    }
}

fn causes(all: impl Iterator<Item = Cause>) -> Causes {
    let mut causes = Causes::default();
    all.for_each(|cause| causes.add(cause, ps(1)));
    causes
}

/// How often each of them is there, the most frequent first.
fn counted<K: Ord>(all: impl Iterator<Item = K>) -> Vec<(K, u64)> {
    let mut counts = BTreeMap::new();
    all.for_each(|key| *counts.entry(key).or_insert(0) += 1);
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(_, count)| Reverse(count));
    counts
}

fn times<K>(shares: Vec<Share<K>>) -> Vec<(K, u64)> {
    shares.into_iter().map(|share| (share.of, share.time.as_ps())).collect()
}

/// A message: its path, and for each picosecond what it was doing.
#[derive(Clone)]
struct Message {
    chain: Chain,
    before: Cause,
    states: Vec<Cause>,
}

impl Message {
    fn begin(chain: &Chain, before: Cause) -> Self {
        Self { chain: chain.clone(), before, states: vec![before; chain.moments.len()] }
    }

    fn extend(&mut self, until: u64, cause: Cause) {
        self.chain.extend(until, cause);
        self.span(until, cause);
    }

    fn span(&mut self, until: u64, cause: Cause) {
        self.states.resize(self.states.len().max(until as usize), cause);
        let mut runs: Vec<usize> =
            self.states.chunk_by(|one, other| one == other).map(<[Cause]>::len).collect();
        if runs.len() > SPANS {
            runs.truncate(2);
            self.states[..runs.iter().sum()].fill(self.before);
        }
    }

    /// The bytes take a time that ends at an instant; before it there are credits to wait for, and before these, others.
    fn transfer(&mut self, alone: u64, stalled: u64, until: u64) {
        let alone_from = until.saturating_sub(alone);
        self.extend(alone_from.saturating_sub(stalled), Contention);
        self.extend(alone_from, Credits);
        self.extend(until, Serialization);
    }

    fn arrive(&mut self, until: u64, links: u64) {
        self.extend(until, Latency);
        self.chain.messages += 1;
        self.chain.links += links;
    }
}

/// A ledger, and the lists of its rank.
struct Pair {
    ledger: Ledger,
    rank: u32,
    has_gaps: bool,
    account: Vec<(Cause, &'static str)>,
    own: Chain,
    context: Context,
    lead: Option<Message>,
    last_send: Option<Chain>,
}

impl Pair {
    fn new(rank: u32) -> Self {
        let (ledger, has_gaps) = (Ledger::new(Rank(rank)).keeping_steps(1000), rank == 2);
        Self {
            ledger: ledger.with_gaps(has_gaps),
            rank,
            has_gaps,
            account: Vec::new(),
            own: Chain { ranks: vec![rank], ..Chain::default() },
            context: [""; 3],
            lead: None,
            last_send: None,
        }
    }

    fn enter(&mut self, context: usize) {
        if context < CALLS.len() + PHASES.len() {
            self.own.charge(self.context);
        }
        if let Some([call, site]) = CALLS.get(context) {
            self.ledger.enter(call, site);
            self.context = [call, site, self.context[2]];
        } else if let Some(phase) = PHASES.get(context - CALLS.len()) {
            self.ledger.enter_phase(phase);
            self.context[2] = phase;
        }
    }

    fn add(&mut self, until: u64, cause: Cause) {
        self.own.extend(until, cause);
        self.account.resize(self.own.moments.len(), (cause, self.context[2]));
    }

    /// Returns the trail of a message that is with the interface at an instant.
    fn send(&mut self, until: u64, cause: Cause) -> (Box<Trail>, Message) {
        let last = self.last_send.take().filter(|last| until > self.own.end() && last.end() <= until);
        let mut message = Message::begin(last.as_ref().unwrap_or(&self.own), LateSender);
        message.extend(until, cause);
        self.last_send = Some(message.chain.clone()).filter(|_| self.has_gaps);
        (self.ledger.send(at(until), Sending::Own(cause)), message)
    }

    /// The reply to what has come, or to nothing.
    fn reply(&mut self, until: u64) -> (Box<Trail>, Message) {
        let lead = self.lead.clone().filter(|lead| lead.chain.end() <= until);
        let mut message = lead.unwrap_or_else(|| Message::begin(&self.own, LateReceiver));
        message.extend(until, StartUp);
        (self.ledger.send(at(until), Sending::Reply(None)), message)
    }

    fn begin_event(&mut self, (trail, message): (Box<Trail>, Message)) {
        self.ledger.begin_event(Some(trail));
        self.lead = Some(message);
    }

    /// Waits until an instant; if something else has come in the meantime, not for the message.
    fn wait(&mut self, until: u64, is_distracted: bool) {
        if is_distracted {
            self.ledger.begin_event(None);
        }
        self.ledger.wait(at(until), Other);
        let from = self.own.end();
        let awaited = |lead: &mut Message| (from + 1..=until).contains(&lead.chain.end()) && !is_distracted;
        if let Some(Message { chain, states, .. }) = self.lead.take_if(awaited) {
            self.own = chain;
            let phase = self.context[2];
            self.account.extend(states[from as usize..].iter().map(|&cause| (cause, phase)));
            self.own.charge(self.context);
            if self.own.ranks.last() != Some(&self.rank) {
                self.own.ranks.push(self.rank);
            }
        }
        self.add(until.max(self.own.end()), Other);
    }
}

/// Who enters which context, works for how long and then sends to whom (the next one or the one after); how long until the
/// interface has the message, and the bytes are on their way; in which way; how long the receiver waits beyond its arrival.
type Deed = (usize, usize, u64, usize, u64, u64, u8, u64);

const CALLS: [[&str; 2]; 3] = [["send", "a.c:7"], ["wait", ""], ["send", "a.c:9"]];
const PHASES: [&str; 3] = ["solve", "", "halo"];

/// What ranks have done, one after the other.
struct Play {
    pairs: [Pair; 3],
    /// A message that was last at an interface.
    last: Option<(Path, Chain)>,
}

impl Play {
    fn act(&mut self, (from, context, work, step, delay, stalled, way, slack): Deed) {
        let to = (from + step) % 3;
        let sender = &mut self.pairs[from];
        sender.enter(context);
        let worked = sender.own.end() + work;
        sender.ledger.spend(at(worked), Compute);
        sender.add(worked, Compute);
        let (mut trail, mut message) = sender.send(worked + delay, StartUp);
        if let Some((path, chain)) = self.last.as_mut().filter(|_| work % 2 == 0) {
            let until = path.end() + ps(slack);
            path.extend_to(Contention, until.min(at(90)));
            chain.extend(until.min(at(90)).as_ps(), Contention);
            trail.wait_behind(path);
            if chain.end() > message.chain.end() {
                message.span(chain.end(), Contention);
                message.chain = chain.clone();
            }
        }
        let end = message.chain.end();
        let (alone, until) = (work / 2, end + delay + stalled + work / 3);
        match way {
            1 => {
                trail.transfer_along(&carriage(alone), at(until));
                message.transfer(alone, 0, until);
                message.chain.bytes += until - end;
                self.last = Some((*trail.path(), message.chain.clone()));
                trail.arrive_along(at(until + 7), &carriage(alone));
                message.arrive(until + 7, 3);
                message.chain.carried += 1;
            }
            2 => {
                trail.expect(carriage(alone));
                trail.arrive_as_expected(at(end + delay), at(until), ps(stalled));
                let latency = (until - end - delay).min(7);
                let alone = (until - end - delay - latency).min(alone);
                message.transfer(alone, stalled, until - latency);
                message.chain.bytes += alone;
                message.arrive(until, 3);
                message.chain.carried += 1;
            }
            3 => {
                trail.arrive(at(until), 2);
                message.arrive(until, 2);
                self.pairs[to].begin_event((trail, message));
                (trail, message) = self.pairs[to].reply(until + delay);
                let until = message.chain.end() + stalled;
                trail.arrive(at(until), 1);
                message.arrive(until, 1);
            }
            // The message arrives, or is only out of its interface.
            _ => {
                for (stage, cause) in (end..end + delay).zip([Credits, Contention].into_iter().cycle()) {
                    trail.extend(cause, at(stage));
                    message.extend(stage, cause);
                }
                trail.transfer_with_stalls(ps(alone), ps(stalled), at(until));
                message.transfer(alone, stalled, until);
                if way == 0 {
                    trail.arrive(at(until + stalled), 1);
                    message.arrive(until + stalled, 1);
                }
            }
        }
        let receiver = &mut self.pairs[if way < 3 { to } else { from }];
        let end = message.chain.end();
        receiver.begin_event((trail, message));
        receiver.wait((end + slack).saturating_sub(3), slack == 7);
        let so_far = receiver.ledger.so_far(at(receiver.own.end() + slack));
        let account = causes(receiver.account.iter().map(|&(cause, _)| cause));
        assert_eq!(so_far, SoFar { causes: account, open: ps(slack) });
    }

    /// The run ends 5 ps behind the longest path.
    fn check(self) {
        let (mut chains, mut phases, mut ranks) = (Vec::new(), BTreeMap::<_, Causes>::new(), Vec::new());
        let mut closed = Vec::new();
        for mut pair in self.pairs {
            for &(cause, phase) in pair.account.iter().filter(|(_, phase)| !phase.is_empty()) {
                phases.entry(phase).or_default().add(cause, ps(1));
            }
            pair.own.charge(pair.context);
            // What came last may not have been waited for.
            let last = pair.lead.map(|lead| lead.chain).filter(|chain| chain.end() > pair.own.end());
            chains.push(last.unwrap_or(pair.own));
            ranks.push(causes(pair.account.into_iter().map(|(cause, _)| cause)));
            closed.push(pair.ledger.close(if pair.rank == 0 { RankEnd::Waits } else { RankEnd::Done }));
        }
        let mut accounts = closed.into_iter().reduce(Accounts::join).expect("there are ranks");
        let (rank, mut longest) =
            (0..).zip(chains).max_by_key(|(rank, chain)| (chain.end(), Reverse(*rank))).expect("likewise");
        assert_eq!(accounts.critical().rank, Rank(rank));
        longest.check(&accounts.critical().path);
        assert!(accounts.phases().eq(phases.iter().map(|(phase, causes)| (*phase, causes))));
        let end = longest.end() + 5;
        let drawn = accounts.take_path(at(end), 1000).expect("steps are kept");
        assert_eq!((contradiction(&drawn, &accounts.critical().path), drawn.from), (None, at(0)));
        // All work is where it was done.
        let works = |&place: &usize| longest.moments.get(place).is_some_and(|(cause, ..)| *cause == Compute);
        for PathPart { from, until, what } in drawn.parts {
            let mut work = (from.as_ps() as usize..until.as_ps() as usize).filter(works);
            assert!(work.all(|place| what == PathPlace::Rank(Rank(longest.moments[place].1))));
        }
        let accounts = accounts.closed(at(end));
        for ((sums, account), rest) in ranks.iter_mut().zip(accounts.ranks()).zip([Other, Finished, Finished])
        {
            sums.add(rest, ps(end) - sums.total());
            assert_eq!(account.causes, *sums);
        }
        longest.extend(end, Other);
        longest.check(&accounts.critical().path);
    }
}

proptest! {
    #[test]
    fn sums_are_those_of_all_picoseconds(
        deeds in proptest::collection::vec((0..3_usize, 0..7_usize, 1..20_u64, 1..3_usize, 0..12_u64, 0..6_u64, 0..5_u8, 0..8_u64), 1..30)
    ) {
        let mut play = Play { pairs: [0, 1, 2].map(Pair::new), last: None };
        deeds.into_iter().for_each(|deed| play.act(deed));
        play.check();
    }
}
