//! Profiles written by hand, in the text form: when their events are over, whom their ranks wait for, what they refuse.
//!
//! A message costs 10 ns at its sender and at its receiver, up to 64 bytes are copied at 2 bytes per ns, an interface sends
//! 1 byte per ns, and 1000 ns later it is there: one of 8 bytes, sent at 0, has left its rank at 14, comes at 1022 and is
//! received at 1032.

use crate::logged::{replay, setting};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use weir_capi::harness::*;
use weir_formats::profile::{Profile, read_text};
use weir_message::{Body, Gaps, Interfaces, Watched};
use weir_network::{
    Actions, Event as NetworkEvent, Outcome, Peer, Placement, Program, RunContext, SendOptions, Waiting,
};
use weir_replay::{Replay, Setting, Sources, Times};
use weir_units::{Rank, Time};

/// The profile of these lines, each with its rank; `;` is as good as a new line. Every rank has an end.
pub(crate) fn profile(ranks: usize, lines: &str) -> Arc<Profile> {
    let (communicators, events): (Vec<&str>, Vec<&str>) = lines
        .split([';', '\n'])
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .partition(|line| line.starts_with("communicator"));
    let ends = (0..ranks).map(|rank| format!("{rank} end"));
    let lines = communicators.into_iter().chain(events).map(str::to_string).chain(ends);
    let text = format!("weir-profile 4\nranks {ranks}\n{}\n", lines.collect::<Vec<_>>().join("\n"));
    Arc::new(read_text(text.as_bytes()).unwrap_or_else(|error| panic!("{text}{error}")))
}

fn outcome(ranks: usize, lines: &str, choose: impl FnOnce(&mut Setting)) -> (Outcome, Vec<Replay>) {
    let machine = Machine::timed(ranks);
    let mut setting = setting(&machine);
    choose(&mut setting);
    let (ended, ranks) = replay(&profile(ranks, lines), &machine, setting);
    (ended.outcome, ranks)
}

/// When each event of a rank is over, in picoseconds; its end is left out.
fn ends(ranks: usize, lines: &str, rank: usize, choose: impl FnOnce(&mut Setting)) -> Vec<u64> {
    let (outcome, ranks) = outcome(ranks, lines, choose);
    assert_eq!(outcome, Outcome::Finished, "{lines}");
    let times = ranks[rank].times();
    times[..times.len() - 1].iter().map(|(_, end)| end.as_ps()).collect()
}

fn ends_in_ns(ranks: usize, lines: &str, rank: usize) -> Vec<u64> {
    ends(ranks, lines, rank, |_| {}).into_iter().map(|ps| ps / 1000).collect()
}

/// A look in vain lasts as long as it did; of what may end it only what comes at its end does.
#[test]
fn looks_in_vain() {
    let cases: [(&str, &[u64]); 7] = [
        ("0 poll 0 s", &[0]),
        ("0 compute 10 ns; 0 poll 5 ns", &[15_000]),
        ("0 poll 5 ns; 0 poll 7 ns", &[5_000, 12_000]),
        // Nothing comes: it is over when nothing more can come at that instant.
        ("0 poll 5 ns after 1", &[5_001]),
        ("0 poll 0 s after 1", &[1]),
        // The message comes at its end, or long before.
        ("0 poll 1022 ns after 1; 1 send 0 8", &[1_022_000]),
        ("0 poll 2 us after 1; 1 send 0 8", &[2_000_000]),
    ];
    for (lines, expected) in cases {
        assert_eq!(ends(2, lines, 0, |_| {}), expected, "{lines}");
    }
}

/// Messages of ranks 1 and 2 come at one instant, at which a look is over that ends with the first: what the rank does next comes
/// between them. Its second receive is cancelled before it has a message, so that the message is there for another; a look that
/// lasts until nothing more comes has given it away.
#[test]
fn a_look_ends_between_two_messages() {
    let lines = |after: &str| {
        format!(
            "1 send 0 8; 2 send 0 8; 0 irecv any 8 request 0; 0 irecv any 8 request 1; 0 poll 1022 ns{after};
            0 cancel 1; 0 wait 1; 0 recv any 8"
        )
    };
    let as_posted = |setting: &mut Setting| setting.sources = Sources::AsPosted;
    // Two things happen for each: it comes, and completes a request.
    for after in [" after 1", " after 2"] {
        let ended = ends(3, &lines(after), 0, as_posted);
        assert_eq!(ended[2..], [1_022_000, 1_022_000, 1_022_000, 1_032_000], "{after}");
    }
    for after in ["", " after 3", " after 4"] {
        let (outcome, _) = outcome(3, &lines(after), as_posted);
        assert!(matches!(outcome, Outcome::Deadlock(_)), "{after}: {outcome:?}");
    }
}

/// The timer of a look that a message has ended does not end what comes later: work, and a file that is used from then on.
#[test]
fn timers_are_distinguished() {
    let look = "1 send 0 8; 0 irecv 1 8 request 0; 0 poll 1022 ns after 1";
    let cases: [(&str, &[u64]); 3] = [
        ("0 compute 100 ns; 0 read 100 lasts 30 ns", &[1152]),
        ("0 poll 50 ns; 0 read 8 lasts 30 ns", &[1072, 1102]),
        ("0 iread 8 lasts 300 ns request 1; 0 poll 200 ns; 0 test 1", &[1022, 1222, 1322]),
    ];
    for (then, expected) in cases {
        assert_eq!(ends_in_ns(2, &format!("{look}; {then}"), 0)[2..], *expected, "{then}");
    }
    assert_eq!(ends(1, "0 read 8 lasts 1 ps; 0 write 8 lasts 2 ps", 0, |_| {}), [1, 3]);
}

/// Whoever asks for any source or any tag has a message of rank 1 and tag 3 at 1032, and one of rank 2 and tag 4 at 6046: that
/// is sent 5 us after another, which is away at 14. What is recorded is kept to, or not.
#[test]
fn wildcards_are_kept_or_not() {
    let sends = "1 send 0 8 tag 4; 2 send 0 8 tag 3; 2 compute 5 us; 2 send 0 8 tag 4";
    let cases: [(&str, u64, u64); 9] = [
        ("recv 2 8 tag 4", 6046, 6046),
        ("recv any 8 tag 4 from 2", 6046, 1032),
        ("recv 2 8 tag any tagged 4", 6046, 1032),
        ("recv any 8 tag any from 2 tagged 4", 6046, 1032),
        // Who came is not known.
        ("recv any 8 tag 4", 1032, 1032),
        ("recv any 8 tag 3", 1032, 1032),
        ("recv 2 8 tag any", 1032, 1032),
        ("recv any 8 tag any", 1032, 1032),
        ("recv nobody 8", 0, 0),
    ];
    for (event, recorded, as_posted) in cases {
        let lines = format!("0 {event}; {sends}");
        for (sources, expected) in [(Sources::Recorded, recorded), (Sources::AsPosted, as_posted)] {
            let end = ends(3, &lines, 0, |setting| setting.sources = sources)[0];
            assert_eq!(end / 1000, expected, "{event}, {sources:?}");
        }
    }
    for event in ["probe any tag 4 from 2", "mprobe any tag 4 from 2 request 0"] {
        let lines = format!("0 {event}; {sends}");
        let end = |sources| ends(3, &lines, 0, |setting| setting.sources = sources)[0] / 1000;
        assert!(end(Sources::Recorded) > 6000 && end(Sources::AsPosted) < 1100, "{event}");
    }
    assert_eq!(ends_in_ns(2, "0 probe nobody", 0), [0]);
    assert_eq!(ends_in_ns(2, "0 compute 9 ns; 0 probe nobody looks", 0), [9]);
}

/// What goes on under a request takes its own time; what is waited for takes the rank's.
#[test]
fn requests_and_files() {
    let cases: [(&str, &[u64]); 11] = [
        ("1 isend 0 8 request 5; 1 wait 5; 0 recv 1 8", &[14, 14]),
        ("1 isend nobody 8 request 0; 1 compute 3 ns; 1 test 0", &[0, 3]),
        // 200 bytes ask first: 10 and 1000 there, 1000 back, and away 200 later.
        ("1 isend 0 200 request 0; 1 compute 50 ns; 1 wait 0; 0 recv 1 200", &[10, 2210]),
        ("1 isend 0 200 request 0; 1 see 0; 1 wait 0; 0 recv 1 200", &[10, 2210, 2210]),
        ("1 isend 0 200 request 0; 1 release 0; 0 recv 1 200", &[10, 10]),
        // The data are at rank 0 at 3210, which has them at 3220, and sends until 3234; 1008 later that is there.
        ("1 isend 0 200 request 0; 1 release 0; 1 recv 0 8; 0 recv 1 200; 0 send 1 8", &[10, 10, 4252]),
        ("1 open 3; 1 fulfil 3; 1 wait 3", &[0, 0, 0]),
        (
            "1 compute 7 ns; 1 read 100 lasts 30 ns; 1 iwrite 100 lasts 20 ns request 0; 1 wait 0",
            &[37, 37, 57],
        ),
        // The end of an access does not end a look, which lasts as long as it did.
        ("1 iwrite 100 lasts 500 ns request 0; 1 poll 2 us; 1 wait 0", &[0, 2000, 2000]),
        ("1 iwrite 8 lasts 500 ns request 0; 1 compute 2 us; 1 poll 1 us; 1 wait 0", &[0, 3000, 3000]),
        ("1 iread 0 lasts 0 s request 0; 1 write 8 lasts 0 s; 1 wait 0", &[0, 0, 0]),
    ];
    for (lines, expected) in cases {
        assert_eq!(ends_in_ns(2, lines, 1), expected, "{lines}");
    }
}

/// A window that is closed is a communicator no more; its number may be that of another.
#[test]
fn windows_are_closed() {
    let both = |lines: &str| format!("0 {}; 1 {}", lines.replace("; ", "; 0 "), lines.replace("; ", "; 1 "));
    let once = "win-open comm 2; win-fence comm 2; win-close comm 2";
    let lines = format!("communicator 2: 0 1; {}; {}", both(once), both(once));
    assert_eq!(ends_in_ns(2, &lines, 1), [0; 6]);
}

/// An access is over here before it is over there.
#[test]
fn flushes_here_and_there() {
    let flushed = |words: &str| {
        let open = "communicator 2: 0 1; 0 win-open comm 2; 1 win-open comm 2; 0 win-lock 1 nocheck comm 2";
        let lines = format!("{open}; 0 put 1 200 comm 2; 0 win-flush {words} comm 2; 0 win-unlock 1 comm 2");
        ends_in_ns(2, &lines, 0)[3]
    };
    let (here, there) = (flushed("1 local"), flushed("1"));
    assert_eq!((flushed("local"), flushed("")), (here, there));
    // 10 for the access, 200 bytes; 1000 there, and 1000 for the word that it is done.
    assert_eq!((here, there), (210, 2210));
}

/// An access with a request of its own is over when what it fetches is there: 10 for the access, 1000 there, 200 bytes and 1000
/// back.
#[test]
fn accesses_with_requests() {
    let open = "communicator 2: 0 1; 0 win-open comm 2; 1 win-open comm 2; 0 win-lock 1 nocheck comm 2";
    let lines =
        format!("{open}; 0 rget 1 200 comm 2 request 3; 0 compute 5 ns; 0 wait 3; 0 win-unlock 1 comm 2");
    assert_eq!(ends_in_ns(2, &lines, 0)[2..], [10, 2210, 2210]);
}

/// Locks for all are asked for at once, 1010 ns there and back to each of two, or when memory is reached.
#[test]
fn locks_for_all() {
    let end = |words: &str| {
        let open = "communicator 2: 0-2; 0 win-open comm 2; 1 win-open comm 2; 2 win-open comm 2";
        ends_in_ns(3, &format!("{open}; 0 win-lock-all {words} comm 2; 0 win-unlock-all comm 2"), 0)[1]
    };
    assert_eq!((end(""), end("nocheck")), (0, 0));
    assert!(end("at-once") > 2000, "{}", end("at-once"));
}

fn waits(ranks: usize, lines: &str) -> Vec<Waiting> {
    match outcome(ranks, lines, |_| {}).0 {
        Outcome::Deadlock(waiting) => waiting,
        other => panic!("{lines}: {other:?}"),
    }
}

/// Who waits, in which event, for whom; and how often the two sides name each other, if that is not the same.
#[test]
fn deadlocks() {
    let to = |rank| Peer::Rank(Rank(rank));
    let cases = [
        ("0 compute 1 us; 0 recv 1 8 tag 3", "recv (event 0)", to(1), Some([1, 0, 0, 1])),
        ("0 recv 1 8; 1 recv 0 8; 0 send 1 8; 1 send 0 8", "recv (event 0)", to(1), None),
        (
            "0 recv 1 8; 1 recv 0 8 tag 4; 0 send 1 8; 1 send 0 8 tag 1",
            "recv (event 0)",
            to(1),
            Some([1, 0, 0, 1]),
        ),
        ("0 recv any 8 from 1", "recv (event 0)", to(1), Some([1, 0, 0, 1])),
        ("0 recv 1 8 tag any", "recv (event 0)", to(1), None),
        ("0 recv any 8", "recv (event 0)", Peer::Any, None),
        ("0 barrier", "barrier (event 0)", to(1), None),
        ("0 ssend 1 8 tag 2", "ssend (event 0)", to(1), Some([0, 1, 1, 0])),
        (
            "0 send 1 8 tag 2; 0 ssend 1 8 tag 2; 1 recv 0 8 tag 2",
            "ssend (event 1)",
            to(1),
            Some([0, 2, 1, 1]),
        ),
        (
            "0 ssend 1 8; 1 irecv any 8 tag 2 request 0; 1 release 0",
            "ssend (event 0)",
            to(1),
            Some([0, 1, 1, 0]),
        ),
        ("communicator 2: 1 0; 0 ssend 0 8 comm 2", "ssend (event 0)", to(1), Some([0, 1, 1, 0])),
        ("communicator 2: 1 0; 0 recv 0 8 comm 2; 1 send 0 8", "recv (event 0)", to(1), Some([1, 0, 0, 1])),
        ("0 ssend 0 8 comm 1", "ssend (event 0)", to(0), Some([0, 1, 0, 0])),
        ("0 probe 1 tag 5 looks", "probe (event 0)", to(1), None),
        ("0 mprobe 1 tag 5 request 0", "mprobe (event 0)", to(1), None),
        ("0 irecv 1 8 request 0; 0 see 0", "see (event 1)", to(1), None),
        (
            "0 irecv 1 8 request 0; 0 irecv 1 8 request 1; 0 wait 0 1; 1 send 0 8",
            "wait (event 2)",
            to(1),
            None,
        ),
        ("0 irecv 1 8 request 0; 0 irecv 1 8 request 1; 0 test 0 1", "test (event 2)", Peer::Several, None),
        ("0 open 0; 0 wait 0", "wait (event 1)", Peer::Any, None),
    ];
    for (lines, call, peer, both) in cases {
        let found = waits(2, lines);
        let Waiting { rank, call: at, peer: whom, details } = &found[0];
        assert_eq!((*rank, at.as_str(), *whom), (Rank(0), call, peer), "{lines}");
        let said = details.iter().find(|(name, _)| *name == "profile").map(|(_, words)| words.clone());
        let both = both.map(|[from, sent, to, received]| {
            format!("rank {from} sends {sent} such messages to rank {to}, which receives {received} of them by name")
        });
        assert_eq!(said, both, "{lines}");
        // Whoever is at its end waits for nobody.
        assert_eq!(
            found.len(),
            1 + usize::from(lines.contains("1 recv 0 8; ") || lines.contains("tag 4;")),
            "{lines}"
        );
    }
    let open = "communicator 2: 0 1; 0 win-open comm 2; 1 win-open comm 2;";
    for (operation, call) in [
        ("win-start ranks 1", "win-start (event 1)"),
        ("win-post ranks 1 comm 2; 0 win-wait", "win-wait (event 2)"),
        ("win-post ranks 1 comm 2; 0 win-wait looks", "win-wait (event 2)"),
    ] {
        let found = waits(2, &format!("{open} 0 {operation} comm 2"));
        assert_eq!((found.len(), found[0].call.as_str(), found[0].peer), (1, call, to(1)), "{operation}");
    }
}

/// What cannot be ends the run: the rank, the event, the class of the mistake.
#[test]
fn refusals() {
    let open = "communicator 2: 0 1; 0 win-open comm 2; 1 win-open comm 2;";
    let cases = [
        ("1 recv 0 8; 0 send 1 9", "event 0 of its profile, recv: MPI_ERR_TRUNCATE"),
        ("1 irecv 0 8 request 0; 1 wait 0; 0 send 1 9", "event 1 of its profile, wait: MPI_ERR_TRUNCATE"),
        (
            "1 irecv 0 8 request 0; 1 irecv 0 8 tag 1 request 1; 1 test 1 0; 0 send 1 9; 0 send 1 8 tag 1",
            "event 2 of its profile, test: MPI_ERR_TRUNCATE",
        ),
        // Those of the other ranks are of another kind.
        ("1 scan 8; 0 exscan 8", "event 0 of its profile, scan: MPI_ERR_OTHER"),
        (
            "1 win-lock 0 nocheck comm 2; 1 win-close comm 2",
            "event 2 of its profile, win-close: MPI_ERR_RMA_SYNC",
        ),
        ("1 win-complete comm 2", "event 1 of its profile, win-complete: MPI_ERR_RMA_SYNC"),
        ("1 compute 1 us; 1 win-wait looks comm 2", "event 1 of its profile, win-wait: MPI_ERR_RMA_SYNC"),
        ("1 win-wait comm 2", "event 1 of its profile, win-wait: MPI_ERR_RMA_SYNC"),
        ("1 win-unlock 0 comm 2", "event 1 of its profile, win-unlock: MPI_ERR_RMA_SYNC"),
        ("1 win-unlock-all comm 2", "event 1 of its profile, win-unlock-all: MPI_ERR_RMA_SYNC"),
        ("1 put 0 8 comm 2", "event 1 of its profile, put: MPI_ERR_RMA_SYNC"),
        (
            "1 irecv 0 8 request 0; 1 pready 0 8 partition 0",
            "event 1 of its profile, pready: MPI_ERR_REQUEST",
        ),
    ];
    for (lines, expected) in cases {
        let lines = if lines.contains("comm 2") { format!("{open} {lines}") } else { lines.to_string() };
        match outcome(2, &lines, |_| {}).0 {
            Outcome::Aborted { rank, why } => {
                assert!(rank == Rank(1) && why.starts_with(expected), "{lines}: {rank}, {why}")
            }
            other => panic!("{lines}: {other:?}"),
        }
    }
}

/// A program that was logged has gone on after a mistake; and an algorithm may be possible, or not.
#[test]
fn what_a_machine_or_a_program_makes_of_it() {
    assert_eq!(ends_in_ns(2, "1 recv 0 8 took 0 s; 0 send 1 9", 1).len(), 1);
    let pairwise = |ranks| {
        let lines: Vec<_> = (0..ranks).map(|rank| format!("{rank} alltoall 8")).collect();
        outcome(ranks, &lines.join(";"), |setting| setting.choice.set("alltoall", "pairwise").unwrap()).0
    };
    assert_eq!(pairwise(2), Outcome::Finished);
    let Outcome::Aborted { why, .. } = pairwise(3) else { panic!("not of three") };
    assert!(why.starts_with("event 0 of its profile, alltoall: ") && why.contains("power of two"), "{why}");
}

/// Times are kept where that is asked for only; how many events are over is known in any case.
#[test]
fn times_on_demand() {
    let kept = |times| {
        let (_, ranks) = outcome(2, "0 send 1 8; 1 recv 0 8", |setting| setting.times = times);
        (ranks[1].times().len(), ranks[1].done())
    };
    assert_eq!([kept(Times::Kept), kept(Times::No)], [(2, 2), (0, 2)]);
}

/// Gap and interface of a message.
type Chosen = (Option<f64>, Option<u16>);

/// A rank of a replay, and how the messages that it gets have left.
struct Noting {
    replay: Replay,
    ways: Rc<RefCell<Vec<Chosen>>>,
}

impl Program for Noting {
    type Body = Body;

    fn react(&mut self, event: NetworkEvent<Body>, actions: &mut Actions<Body>) {
        if let NetworkEvent::Arrived(message) = &event {
            let way = message.way.as_deref().cloned().unwrap_or_default();
            self.ways.borrow_mut().push((way.gap, way.nic));
        }
        self.replay.react(event, actions);
    }

    fn waiting(&self) -> Option<Waiting> {
        self.replay.waiting()
    }
}

/// How the messages have left, in the order in which they come.
fn ways_of(lines: &str, choose: impl FnOnce(&mut Setting)) -> Vec<Chosen> {
    let (machine, ways) = (Machine::timed(2), Rc::default());
    let mut setting = setting(&machine);
    choose(&mut setting);
    let ranks = Replay::all(profile(2, lines), setting);
    let mut ranks: Vec<Noting> =
        ranks.into_iter().map(|replay| Noting { replay, ways: Rc::clone(&ways) }).collect();
    let placement = Placement::one_per_node(2);
    let ended = machine.network.run(&mut ranks, RunContext::new(&placement));
    assert_eq!(ended.outcome, Outcome::Finished);
    ways.take()
}

/// Messages leave as the program chose, as far as this machine has it; or as a replay is given, event by event.
#[test]
fn ways_of_messages() {
    let lines = "0 choose nic 1 gap 2.5; 0 send 1 8; 0 choose nic 2; 0 send 1 8; 0 choose gap 0; 0 send 1 8;
        1 recv 0 8; 1 recv 0 8; 1 recv 0 8";
    let interfaces =
        |count, gaps| move |setting: &mut Setting| setting.interfaces = Interfaces { count, gaps };
    let all = [(Some(2.5), Some(1)), (None, Some(2)), (Some(0.0), None)];
    assert_eq!(ways_of(lines, interfaces(3, Gaps::PerMessage)), all);
    let fewer = [(None, Some(1)), (None, None), (None, None)];
    assert_eq!(ways_of(lines, interfaces(2, Gaps::None)), fewer);

    let way = |nic| SendOptions::default().with_nic(Some(nic));
    let lines = "0 send 1 8; 0 send 1 8; 0 send 1 8; 1 recv 0 8; 1 recv 0 8; 1 recv 0 8";
    let given = |ways: Vec<Vec<SendOptions>>| ways_of(lines, |setting| setting.ways = Some(Arc::new(ways)));
    assert_eq!(given(vec![vec![way(1), way(2)]]), [(None, Some(1)), (None, Some(2)), (None, None)]);
    assert_eq!(given(vec![vec![], vec![way(1)]]), [(None, None); 3]);
}

/// Notes what ranks do.
#[derive(Default)]
struct Watch(Vec<String>);

impl weir_message::Observer for Watch {
    fn begins(&mut self, rank: Rank, call: &'static str, at: Time) -> Result<(), String> {
        self.0.push(format!("{rank} {call} {}", at.as_ps() / 1000));
        Ok(())
    }

    fn does(&mut self, _: &dyn Watched, _: &weir_operations::Operation) {}

    fn ends(&mut self, rank: Rank, at: Time) -> Result<(), String> {
        self.0.push(format!("{rank} - {}", at.as_ps() / 1000));
        Ok(())
    }

    fn over(&mut self, _: Rank, _: Time) {}

    fn waits(&mut self, rank: Rank, from: Time, until: Time) {
        self.0.push(format!("{rank} waits {} {}", from.as_ps() / 1000, until.as_ps() / 1000));
    }
}

/// An observer gets each event as a call, without the work before it.
#[test]
fn events_are_calls_to_who_watches() {
    let machine = Machine::timed(2);
    let watch = Arc::new(Mutex::new(Watch::default()));
    let ranks = Replay::all(profile(2, "0 compute 100 ns; 0 send 1 8; 1 recv 0 8"), setting(&machine));
    let mut ranks: Vec<Replay> = ranks.into_iter().map(|rank| rank.observed_by(watch.clone())).collect();
    machine.network.run(&mut ranks, RunContext::new(&machine.placement));
    let given = std::mem::take(&mut watch.lock().unwrap().0);
    let of = |rank: char| given.iter().filter(|line| line.starts_with(rank)).cloned().collect::<Vec<_>>();
    assert_eq!(of('0'), ["0 send 100", "0 - 114", "0 end 114", "0 - 114"]);
    assert_eq!(of('1'), ["1 recv 0", "1 waits 0 1122", "1 - 1132", "1 end 1132", "1 - 1132"]);
}
