//! What is kept of ranks between two instants goes on as they did, wherever they are then.

use crate::processes::{Chatter, Habits, Screen};
use proptest::prelude::*;
use std::rc::Rc;
use weir_network::causes::Cause;
use weir_network::record::Keep;
use weir_network::{Calendar, Due, Ended, EventLogged, Limits, Pending, Ranks, SavedRanks};
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

/// How the parts end together, and when their last event was, and the last that was no poll.
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
        let ranks = Ranks::new(&mut programs, Limits::default(), &mut watch).accounting(causes, 0);
        let mut whole = [Part { ranks: ranks.showing_causes(Keep::Yes), calendar: Calendar::new() }];
        let [Part { ranks, calendar }] = &mut whole;
        calendar.add_starts(ranks.numbers());
        play(&mut whole, |_| 0, cut);
        let [Part { ranks, calendar }] = &mut whole;
        let so_far = ranks.so_far(cut);
        let all = (so_far.causes.total() + so_far.open).as_ps();
        prop_assert_eq!(all, if causes == Keep::Yes { u64::from(count) * cut.as_ps() } else { 0 });
        let kept = postcard::to_stdvec(&(ranks.save(), calendar)).expect("memory takes it");
        play(&mut whole, |_| 0, Time::MAX);
        let expected = end(whole.into());
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
