//! Ranks go on from the state that was kept of them between two instants, wherever they are then.

use crate::processes::{Chatter, Habits, Screen};
use proptest::prelude::*;
use std::rc::Rc;
use weir_network::causes::Cause;
use weir_network::record::{Keep, Requested};
use weir_network::{Calendar, Due, Ended, Event, EventLogged, Limits, Outcome, Pending, Ranks, SavedRanks};
use weir_units::{Duration, Rank, Time, mix};

/// Some ranks, and the events that are to come for them.
struct Part<'p> {
    ranks: Ranks<'p, EventLogged<Chatter>>,
    calendar: Calendar<Pending<u64>>,
}

/// Delivers all events up to an instant. A message of so many bytes leaves after as many nanoseconds, and is there 10 ns later.
fn play(parts: &mut [Part<'_>], part_of: impl Fn(Rank) -> usize, until: Time) {
    let next = |(place, part): (usize, &Part<'_>)| Some((part.calendar.next_time()?, place));
    while let Some((at, place)) = parts.iter().enumerate().filter_map(next).min()
        && at <= until
    {
        let Part { ranks, calendar } = &mut parts[place];
        let (key, what) = calendar.take().expect("there is one");
        match Pending::due(key, what) {
            Due::Deliver(event, trail, ()) => {
                ranks.set_cause(trail);
                ranks.deliver(key.rank, at, event, |output| calendar.add_output(key.rank, output));
            }
            Due::Inject(mut message, notice) => {
                let departs = at + Duration::from_ns(message.bytes.0);
                if let Some(trail) = &mut message.trail {
                    trail.extend(Cause::Serialization, departs);
                }
                calendar.add_departure(&message, notice, departs);
                let home = &mut parts[part_of(message.to)];
                home.calendar.add_arrival(message, departs + Duration::from_ns(10), ());
            }
        }
    }
}

/// Without time on the wall a run ends at once, or where its engine asks for that, between two instants.
#[test]
fn the_clock_ends_a_run_at_once_or_between_instants() {
    let habits = Habits { seed: 7, ranks: 2, most: 9, least: 0, stops: None, causes: Keep::No };
    let limits = Limits { wall: std::time::Duration::ZERO, ..Limits::default() };
    for between in [false, true] {
        let screen = Rc::new(Screen::default());
        let mut programs = [0, 1].map(|rank| EventLogged::new(Chatter::new(Rank(rank), habits, &screen)));
        let mut watch = |_| ();
        let mut ranks = Ranks::new(&mut programs, limits, &mut watch);
        if between {
            ranks.stop_between_instants_only();
        }
        assert_eq!((ranks.len(), ranks.is_empty(), ranks.must_end()), (2, false, false));
        ranks.deliver(Rank(0), Time::ZERO, Event::Start, |_| ());
        assert_eq!(ranks.must_end(), !between);
        assert_eq!(ranks.apply_pending_limit(), between);
        assert!(ranks.must_end() && !ranks.apply_pending_limit());
        if !between {
            ranks.end_because("it is enough".into());
        }
        let why = if between { "limits.wall_time = 0 s is over" } else { "it is enough" };
        assert_eq!(ranks.end().outcome, Outcome::Limit(why.into()));
    }
}

/// The end of all parts together, when their last event was, and the last one that was no poll.
fn end(parts: Vec<Part<'_>>) -> (Ended, Option<Time>, Option<Time>) {
    let idle: Vec<_> = parts.iter().map(|part| part.calendar.idle().expect("all is over")).collect();
    let ended = parts.into_iter().map(|part| part.ranks.end()).reduce(Ended::join);
    let (last, work): (Vec<_>, Vec<_>) = idle.into_iter().unzip();
    (ended.expect("there is a part"), last.into_iter().max(), work.into_iter().max())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Ranks that did not stop, new ones that have got what was kept, and such ones in several parts all come to the same end; and
    /// time that has gone into something by then is time of each rank.
    #[test]
    fn ranks_go_on_from_what_is_kept(
        seed in any::<u64>(), count in 1_u32..9, most in 1_u64..30, least in 0_u64..20,
        cut in 0_u64..200, parts in 1_usize..4, causes in prop::sample::select(vec![Keep::Yes, Keep::No]),
    ) {
        let habits = Habits { seed, ranks: count, most, least, stops: None, causes };
        let screen = Rc::new(Screen::default());
        let new = || (0..count).map(|rank| EventLogged::new(Chatter::new(Rank(rank), habits, &screen)));
        let cut = Time::from_ps(1000 * cut);
        let (mut programs, mut shown) = (new().collect::<Vec<_>>(), Vec::new());
        let mut watch = |progress: weir_network::Progress| shown.push(progress.causes);
        let requested = Requested { interval: Some(Duration::from_ns(9)), ..Requested::default() };
        let ranks = Ranks::new(&mut programs, Limits::default(), &mut watch).keeping(Some(&requested));
        let ranks = ranks.accounting(causes, 0).showing_causes(Keep::Yes);
        let mut whole = [Part { ranks, calendar: Calendar::new() }];
        let [Part { ranks, calendar }] = &mut whole;
        calendar.add_starts(ranks.numbers());
        play(&mut whole, |_| 0, cut);
        let [Part { ranks, calendar }] = &mut whole;
        let so_far = ranks.so_far(cut);
        let all = (so_far.causes.total() + so_far.open).as_ps();
        prop_assert_eq!(all, if causes == Keep::Yes { u64::from(count) * cut.as_ps() } else { 0 });
        let kept = postcard::to_stdvec(&(ranks.save(), calendar)).expect("memory takes it");
        play(&mut whole, |_| 0, Time::MAX);
        let samples = whole[0].ranks.take_latencies(Time::MAX);
        let expected = end(whole.into());
        let (messages, longest) = (expected.0.traffic.messages, expected.0.latency.most());
        prop_assert_eq!(samples.iter().map(|(_, sample)| sample.count).sum::<u64>(), messages);
        prop_assert_eq!(samples.iter().map(|(_, sample)| sample.most).max().unwrap_or_default(), longest);
        prop_assert_eq!(shown[0].is_some(), causes == Keep::Yes, "at the first look");

        // Parts that have some ranks each, and one that has all.
        let part_of = |rank: Rank| (mix(seed ^ u64::from(rank.0)) % parts as u64) as usize;
        let mut programs: Vec<_> = new().collect();
        let (mut watch, mut split) = (|_| (), Vec::new());
        if parts == 1 {
            split.push(Ranks::new(&mut programs, Limits::default(), &mut watch));
        } else {
            let mut own: Vec<Vec<_>> = (0..parts).map(|_| Vec::new()).collect();
            (0..).map(Rank).zip(&mut programs).for_each(|(rank, program)| own[part_of(rank)].push((rank, program)));
            split.extend(own.into_iter().map(|own| Ranks::some(own, Limits::default())));
        }
        let mut split: Vec<_> = split.into_iter().enumerate().map(|(place, ranks)| {
            type Saved = (SavedRanks, Calendar<Pending<u64>>);
            let (saved, events): Saved = postcard::from_bytes(&kept).expect("it was written like this");
            assert!(saved.numbers().eq((0..count).map(Rank)));
            let (mut ranks, mut calendar) = (ranks.accounting(causes, 0), Calendar::new());
            ranks.restore(&saved, place == 0).expect("these are its ranks");
            calendar.take_over(events, |key, _| Some(part_of(key.rank) == place)).expect("it is taken");
            Part { ranks, calendar }
        }).collect();
        let so_fars = split.iter_mut().map(|part| part.ranks.so_far(cut));
        prop_assert_eq!(so_fars.reduce(|mut all, part| { all.join(&part); all }), Some(so_far));
        play(&mut split, part_of, Time::MAX);
        prop_assert_eq!(end(split), expected);
    }
}
