//! What the ideal engine reports of messages while a run goes on: times, pairs, digest, latencies. 1 ns per byte.

use crate::processes::Screen;
use std::sync::Arc;
use weir_network::harness::Recorded;
use weir_network::record::{Keep, MessageTimes, Recorder, Requested, RequestedSeries};
use weir_network::{
    Actions, Class, Ended, Event, EventKey, EventKind, Ideal, Limits, Notice, Outcome, Placement, Print,
    Prints, Program, RunContext, Send,
};
use weir_units::{Bandwidth, Bytes, Duration, Rank, Time};
use weir_workload::{Permutation, Queue, Steps};

/// Rank 0 sends three messages at 0 and sets a timer. Rank 1 keeps the first, takes it when the second comes, having
/// waited 7 ns for that, and lets the third lie.
struct Matching;

impl Program for Matching {
    type Body = ();

    fn react(&mut self, event: Event<()>, actions: &mut Actions<()>) {
        let from = Rank(0);
        match event {
            Event::Start if actions.rank() == from => {
                let at = actions.now();
                for (bytes, class) in [(10, Class::Data), (20, Class::Data), (5, Class::Control)] {
                    let (to, notice) = (Rank(1), Notice::Departed);
                    actions.send(Send { at, to, bytes: Bytes(bytes), class, notice, body: () });
                }
                actions.set_timer(at + Duration::from_ns(1), 9);
            }
            Event::Arrived(message) => match message.sequence {
                0 => actions.note_kept(from, 0),
                1 => {
                    actions.note_waited(Duration::from_ns(7));
                    actions.note_taken(from, 1, actions.now());
                    actions.note_taken(from, 0, ns(33));
                }
                sequence => actions.note_kept(from, sequence),
            },
            _ => {}
        }
    }
}

fn ns(n: u64) -> Time {
    Time::from_ps(n * 1000)
}

/// Latency 3 ns, ranks on nodes of their own.
fn run(kept: &mut dyn Recorder) -> Ended {
    let engine = Ideal { latency: Duration::from_ns(3), bandwidth: Bandwidth::new(1e9), ..Ideal::default() };
    let mut programs = [Matching, Matching];
    let placement = Placement::one_per_node(2);
    let context = RunContext::new(&placement);
    assert_eq!((context.threads, context.path_steps), (1, 0));
    engine.run(&mut programs, RunContext { recorder: Some(kept), ..context })
}

/// The interface serves 10 B from 0 to 10, 20 B to 30, 5 B to 35; each is there 3 ns later. Of the first all is known only
/// after the second, by which it is taken; of the third nothing more comes, and it is reported at the end. Latencies count from when
/// the interface got a message, 13 and 33 ns, and like pairs not those of class control.
///
/// The digest is part of the results: it stays the same from version to version unless the changelog says so. This run has starts,
/// departures, arrivals and a timer.
#[test]
fn times_of_messages() {
    let requested = Requested { messages: Keep::Yes, pairs: Keep::Yes, ..Requested::default() };
    let mut kept = Recorded { requested, ..Recorded::default() };
    let Ended { outcome, traffic, digest, latency, .. } = run(&mut kept);
    let (from, to) = (Rank(0), Rank(1));
    let times = |sequence, bytes, class, started, arrived, taken: Option<u64>, waited| MessageTimes {
        from,
        to,
        sequence,
        bytes: Bytes(bytes),
        class,
        posted: Time::ZERO,
        started: ns(started),
        arrived: ns(arrived),
        taken: taken.map(ns),
        waited,
    };
    let expected = [
        times(1, 20, Class::Data, 10, 33, Some(33), Some(Duration::from_ns(7))),
        times(0, 10, Class::Data, 0, 13, Some(33), None),
        times(2, 5, Class::Control, 30, 38, None, None),
    ];
    assert_eq!(kept.messages, expected);
    let pairs = kept.pairs.expect("they have been asked for");
    let cells: Vec<_> = pairs.cells().map(|(from, to, cell)| (from, to, cell.messages, cell.bytes)).collect();
    assert_eq!(cells, [(0, 1, 2, Bytes(30))]);
    assert_eq!((latency.count(), latency.mean()), (2, 23e-9));
    assert_eq!((latency.least(), latency.most()), (Duration::from_ns(13), Duration::from_ns(33)));
    assert_eq!((traffic.messages, traffic.bytes, traffic.control_messages), (2, Bytes(30), 1));
    assert_eq!(
        (outcome, traffic.events, digest.to_string().as_str()),
        (Outcome::Finished, 9, "21a521df81fad459")
    );
}

/// Whoever cannot keep more ends the run: here after the second arrival, by which two messages are known.
#[test]
fn a_recorder_that_fails_ends_the_run() {
    let requested = Requested { messages: Keep::Yes, ..Requested::default() };
    let ended = run(&mut requested.clone());
    assert_eq!(ended.at, ns(38), "what is dropped has been kept");
    let mut kept = Recorded { requested, fails_after: Some(1), ..Recorded::default() };
    let ended = run(&mut kept);
    assert_eq!((ended.at, ended.traffic.messages), (ns(33), 2));
    assert!(kept.pairs.is_none(), "pairs are not requested");
}

/// Samples of an interval are those that are asked for.
#[test]
fn each_series_is_asked_for_by_itself() {
    let interval = Some(Duration::from_ns(5));
    for kept in 0..3 {
        let keep = |series| if series == kept { Keep::Yes } else { Keep::No };
        let series = RequestedSeries { links: keep(0), buffers: keep(1), latencies: keep(2) };
        let asked = Requested { interval, series, ..Requested::default() };
        let of = [asked.of_links(), asked.of_buffers(), asked.of_latencies()];
        assert_eq!(of, [0, 1, 2].map(|series| interval.filter(|_| series == kept)));
    }
}

/// Prints of an instant are shown when it is over, in the order of events, and none behind the event that has ended the run.
#[test]
fn prints_are_shown_in_the_order_of_events() {
    let moment = |at, rank| EventKey::of_own(ns(at), EventKind::Timer, Rank(rank), 0).in_round(0);
    let print = |at, rank, text: &str| Print { moment: moment(at, rank), text: text.into() };
    let (mut prints, screen) = (Prints::default(), Screen::default());
    prints.add([print(2, 1, "d"), print(1, 1, "b"), print(1, 1, "c")]);
    prints.add([print(1, 0, "a"), print(3, 0, "e")]);
    prints.show_before(ns(2), &screen);
    prints.forget_after(moment(2, 1));
    assert_eq!(screen.shown.take(), "abc");
    prints.show_before(Time::MAX, &screen);
    assert_eq!(screen.shown.take(), "d");
}

/// Programs that know no matching: each message is reported when it has come. Its sender is part of the digest.
#[test]
fn messages_without_matching() {
    let requested = Requested { messages: Keep::Yes, ..Requested::default() };
    let mut kept = Recorded { requested, ..Recorded::default() };
    let mut queues = Queue::all(Arc::new(Permutation::ring(3, Bytes(5), 4, Steps::FreeRunning)));
    let placement = Placement::one_per_node(3);
    let (engine, limits) = (Ideal::default(), Limits::default());
    let ended = engine.run(&mut queues, RunContext::new(&placement).limits(limits).recorder(Some(&mut kept)));
    assert_eq!((kept.messages.len(), ended.traffic.messages), (12, 12));
    assert!(kept.messages.iter().all(|message| message.taken.is_none() && message.waited.is_none()));
    assert_eq!(ended.digest.to_string(), "81d22f191fc160e4");
}
