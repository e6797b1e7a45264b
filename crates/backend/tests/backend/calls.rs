//! Calls, their errors, and what they take.

use crate::{PAIR, next, open, source};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use weir_backend::{Backend, BackendError, CompletionKind};
use weir_experiment::{Scenario, Source};
use weir_network::{Outcome, Peer};
use weir_units::{Bytes, Duration, Rank, Time};

const NANO: u64 = 1_000;
const ENGINES: [&str; 4] = [
    "engine = { kind = 'ideal', latency = '1 us', bandwidth = '1 GB/s' }\n",
    "engine = { kind = 'flow' }\ntopology = { kind = 'torus', shape = [3, 2], bandwidth = '1 GB/s', latency = '100 ns' }\n",
    "engine = { kind = 'packet' }\ntopology = { kind = 'torus', shape = [3, 2], bandwidth = '1 GB/s', latency = '100 ns' }\n",
    "engine = { kind = 'packet' }\ntopology = { kind = 'mesh', shape = [6], bandwidth = '1 GB/s' }\nnode = { interface = 'shared', eager_limit = '1 kB' }\n",
];

fn ranks<const N: usize>(numbers: [u32; N]) -> [Rank; N] {
    numbers.map(Rank)
}

/// A message of 1 kB takes 2 us, and both sides know when.
#[test]
fn a_message() {
    let [zero, one] = ranks([0, 1]);
    let mut backend = open(PAIR);
    assert_eq!((backend.ranks(), backend.now()), (2, Time::ZERO));
    backend.receive(one, None, None, Bytes(1_000), 11).unwrap();
    backend.send(zero, one, 3, Bytes(1_000), 10).unwrap();
    let sent = next(&mut backend, None).unwrap();
    assert_eq!((sent.kind, sent.rank, sent.token, sent.at), (CompletionKind::Sent, zero, 10, Time::ZERO));
    let received = next(&mut backend, None).unwrap();
    let kind = CompletionKind::Received { from: zero, tag: 3, bytes: Bytes(1_000) };
    assert_eq!((received.kind, received.rank, received.token), (kind, one, 11));
    assert_eq!((received.at, backend.now()), (Time::from_ps(2_000 * NANO), Time::from_ps(2_000 * NANO)));
    assert_eq!(next(&mut backend, None), None);
    assert_eq!(backend.finish().unwrap().summary.traffic.messages, 1);
}

/// Two that are complete at once come by their ranks; timers come behind messages.
#[test]
fn completions_of_an_instant_have_an_order() {
    let mut backend = open("engine = { kind = 'ideal', latency = '1 us' }\nworkload.ranks = 4\n");
    for rank in [3, 1, 2] {
        backend.schedule(Rank(rank), Duration::from_ps(1_000 * NANO), 100 + u64::from(rank)).unwrap();
        backend.receive(Rank(rank), Some(Rank(0)), Some(0), Bytes(8), 200 + u64::from(rank)).unwrap();
        backend.send(Rank(0), Rank(rank), 0, Bytes(8), 0).unwrap();
    }
    let mut found = Vec::new();
    while let Some(completion) = next(&mut backend, None) {
        found.extend(Some(completion.token).filter(|&token| token > 0));
    }
    assert_eq!(found, [201, 202, 203, 101, 102, 103]);
}

/// A machine of another tool is opened as it is.
#[test]
fn machines_of_other_tools() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ring.yml");
    fs::write(
        &file,
        "topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ 50.0 ]  # GB/s\nlatency: [ 500.0 ]  # ns\n",
    )
    .unwrap();
    let mut backend = Backend::open(Source { experiment: Some(file), ..Source::default() }).unwrap();
    assert_eq!(backend.ranks(), 8);
    backend.receive(Rank(1), Some(Rank(0)), Some(0), Bytes(1 << 20), 1).unwrap();
    backend.send(Rank(0), Rank(1), 0, Bytes(1 << 20), 0).unwrap();
    while let Some(completion) = next(&mut backend, None) {
        if completion.token == 1 {
            // The receiver is asked and answers, 500 ns each; then 500 ns, and 1 MiB at 50 x 2^30 B/s.
            assert_eq!(completion.at.as_ps() / NANO, 21_031);
        }
    }
}

fn error(result: Result<impl std::fmt::Debug, BackendError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn what_cannot_be_opened() {
    let refused = |text: &str, set: &[&str]| {
        let overrides = set.iter().map(|&set| set.to_owned()).collect();
        Backend::open(Source { overrides, ..source(text) }).err().map(|error| error.to_string())
    };
    let jobs = "[engine]\nkind = 'ideal'\n[[jobs]]\nname = 'a'\nranks = 2\nworkload = { kind = 'ring', message_size = '1 B' }\n";
    for (text, set, part) in [
        (jobs, &[][..], "jobs"),
        (PAIR, &["workload.kind=ring", "workload.message_size=1 B"], "workload.kind must be \"outside\""),
        ("engine = { kind = 'ideal' }\n", &[], "say how many"),
        (
            "engine = { kind = 'ideal' }\nwork = [{ factor = 2 }]\n",
            &["workload.ranks=2"],
            "the program that steps the run",
        ),
    ] {
        let said = refused(text, set).expect(part);
        assert!(said.contains(part), "{said}");
    }
    // The work of an experiment is left out, but for its ranks.
    let ring = "engine = { kind = 'ideal' }\nworkload = { kind = 'ring', message_size = '1 B', ranks = 3 }\n";
    assert_eq!(open(ring).ranks(), 3);
    let mut backend = open(&format!("{}output = {{ dir = 'x', checkpoint_every = '1 s' }}\n", ENGINES[1]));
    let said = error(backend.next(None, &mut || true));
    assert!(said.contains("output.checkpoint_every"), "{said}");
    assert_eq!(error(backend.send(Rank(0), Rank(1), 0, Bytes(1), 0)), said, "and all calls say so");
    assert!(!std::path::Path::new("x").exists());
}

/// The files of a results folder are those of a run in one piece: with links where there are some, and causes where they are asked for.
#[test]
fn results_are_written() {
    for (engine, table) in ENGINES.into_iter().zip([None, Some("links"), Some("links"), Some("links")]) {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let set =
            [format!("output.dir={}", out.display()), "output.causes=true".into(), "workload.ranks=6".into()];
        let mut backend = Backend::open(Source { overrides: set.to_vec(), ..source(engine) }).unwrap();
        backend.receive(Rank(4), Some(Rank(0)), None, Bytes(1_000_000), 1).unwrap();
        backend.send(Rank(0), Rank(4), 3, Bytes(1_000_000), 2).unwrap();
        while next(&mut backend, None).is_some() {}
        let summary = backend.finish().unwrap().summary.clone();
        assert_eq!((&summary.outcome, summary.traffic.messages), (&Outcome::Finished, 1));
        // As the same message takes them of a graph of work.
        let graph = folder.path().join("one.graph");
        fs::write(&graph, "weir-graph 1\nranks 6\n0 send 4 1 MB tag 3\n4 recv 0 1 MB tag any\n").unwrap();
        let set = [
            "output.causes=true".into(),
            "workload.kind=graph".into(),
            format!("workload.file={}", graph.display()),
        ];
        let scenario = Scenario::load(&Source { overrides: set.to_vec(), ..source(engine) }).unwrap();
        let whole = weir_run::run(&scenario, &mut |_| ()).unwrap().summary;
        assert_eq!(summary.digest, whole.digest);
        let of = |summary: &weir_record::Summary| {
            format!("{:?}", summary.causes.as_ref().unwrap().accounts.ranks()[4].causes)
        };
        assert_eq!(of(&summary), of(&whole), "{engine}");
        let written = fs::read_to_string(out.join("summary.json")).unwrap();
        assert!(written.contains(&summary.digest.to_string()), "{written}");
        assert!(table.is_none_or(|table| out.join(format!("{table}.parquet")).exists()), "{engine}");
        assert!(error(backend.send(Rank(0), Rank(1), 0, Bytes(1), 0)).contains("has ended it"));
        assert_eq!(backend.finish().unwrap().summary.digest, summary.digest);
    }
}

/// Where requests are open, who waits for whom is in the results, as of any other run.
#[test]
fn a_run_that_is_given_up_ends_in_a_deadlock() {
    for engine in ENGINES {
        let mut backend = open(&format!("{engine}workload.ranks = 6\n"));
        backend.receive(Rank(3), Some(Rank(1)), Some(5), Bytes(10), 1).unwrap();
        _ = error(backend.next(None, &mut || true));
        let Outcome::Deadlock(waiting) = &backend.finish().unwrap().outcome else { panic!("{engine}") };
        assert_eq!((waiting.len(), waiting[0].rank, waiting[0].peer), (1, Rank(3), Peer::Rank(Rank(1))));
        assert_eq!(waiting[0].call, "receive");
    }
    // What goes on when it is ended has been cut off.
    let mut backend = open(PAIR);
    backend.receive(Rank(1), None, None, Bytes(1_000), 11).unwrap();
    backend.send(Rank(0), Rank(1), 3, Bytes(1_000), 10).unwrap();
    _ = next(&mut backend, Some(Time::from_ps(NANO)));
    let outcome = &backend.finish().unwrap().outcome;
    assert!(matches!(outcome, Outcome::Limit(which) if which.contains("has ended it")), "{outcome:?}");
}

/// A deadlock names both sides, and who sends ends it.
#[test]
fn a_deadlock_can_be_ended() {
    for engine in ENGINES {
        let mut backend = open(&format!("{engine}workload.ranks = 6\n"));
        let [zero, one] = ranks([0, 1]);
        backend.receive(zero, Some(one), Some(5), Bytes(10), 1).unwrap();
        backend.send(one, zero, 6, Bytes(10_000_000), 2).unwrap();
        let said = error(backend.next(None, &mut || true));
        let of_receive =
            "rank 0 waits for a message of up to 10 B from rank 1 with tag 5, which no send there meets";
        let of_send = "rank 1 waits for rank 0 to receive its 10 MB with tag 6, which no receive there takes";
        assert!(said.contains(of_receive) && said.contains(of_send), "{said}");
        backend.send(one, zero, 5, Bytes(10), 3).unwrap();
        backend.receive(zero, Some(one), Some(6), Bytes(10_000_000), 4).unwrap();
        let mut found: Vec<u64> =
            std::iter::from_fn(|| next(&mut backend, None)).map(|one| one.token).collect();
        found.sort_unstable();
        assert_eq!(found, [1, 2, 3, 4]);
    }
}

/// The caller may end a run that goes on and on.
#[test]
fn a_caller_can_end_it() {
    let mut backend = open(PAIR);
    let (mut looks, mut steps) = (0, 0);
    backend.schedule(Rank(0), Duration::from_ps(NANO), 0).unwrap();
    let said = loop {
        let mut look = || {
            looks += 1;
            looks < 3
        };
        match backend.next(None, &mut look) {
            Ok(_) => {
                steps += 1;
                backend.schedule(Rank(0), Duration::from_ps(NANO), 0).unwrap();
            }
            Err(error) => break error.to_string(),
        }
    };
    assert!(steps > 10_000 && said.contains("has ended it"), "{steps} {said}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// A message that is sent when nothing is left takes as long as one at the beginning.
    #[test]
    fn it_goes_on_when_nothing_was_left(
        engine in 0..ENGINES.len(),
        messages in prop::collection::vec((0..6_u32, 1..6_u32, 0..100_000_u64), 1..6),
    ) {
        let opened = || open(&format!("{}workload.ranks = 6\n", ENGINES[engine]));
        let send = |backend: &mut Backend, (from, by, bytes): (u32, u32, u64)| {
            let [from, to] = ranks([from, (from + by) % 6]);
            backend.receive(to, Some(from), None, Bytes(bytes), 1).unwrap();
            backend.send(from, to, 0, Bytes(bytes), 0).unwrap();
            let begin = backend.now();
            let all: Vec<_> = std::iter::from_fn(|| next(backend, None)).collect();
            all.into_iter().find(|one| one.token == 1).unwrap().at.since(begin)
        };
        let mut one_after_another = opened();
        for message in messages {
            prop_assert_eq!(send(&mut one_after_another, message), send(&mut opened(), message));
        }
    }

    /// Who sends between two events sends when a timer of the rank would have it send.
    #[test]
    fn requests_between_events_are_made_then(
        engine in 0..ENGINES.len(),
        messages in prop::collection::vec((1..3_000_000_u64, 0..6_u32, 1..6_u32, 0..100_000_u64), 1..25),
    ) {
        let mut at: BTreeMap<u64, (u32, u32, u64)> = BTreeMap::new();
        // Odd instants are apart from those of the machine, and from each other.
        messages.into_iter().for_each(|(time, from, by, bytes)| _ = at.insert(2 * time + 1, (from, (from + by) % 6, bytes)));
        let opened = || {
            let mut backend = open(&format!("{}workload.ranks = 6\n", ENGINES[engine]));
            for (tag, (from, to, bytes)) in (0..).zip(at.values()) {
                backend.receive(Rank(*to), Some(Rank(*from)), Some(tag), Bytes(*bytes), tag as u64).unwrap();
            }
            backend
        };
        let send = |backend: &mut Backend, tag: usize| {
            let (from, to, bytes) = at.values().nth(tag).unwrap();
            backend.send(Rank(*from), Rank(*to), tag as i32, Bytes(*bytes), 0).unwrap();
        };
        let mut by_timer = opened();
        for (tag, (time, (from, ..))) in (0..).zip(&at) {
            by_timer.schedule(Rank(*from), Duration::from_ps(*time), tag).unwrap();
        }
        let mut of_timers = BTreeMap::new();
        while let Some(completion) = next(&mut by_timer, None) {
            match completion.kind {
                CompletionKind::Scheduled => send(&mut by_timer, completion.token as usize),
                CompletionKind::Received { .. } => _ = of_timers.insert(completion.token, completion.at),
                CompletionKind::Sent => {}
            }
        }
        let mut outside = opened();
        let mut of_outside = BTreeMap::new();
        for (tag, until) in (0..).zip(at.keys().map(|&time| Some(Time::from_ps(time))).chain([None])) {
            while let Some(completion) = next(&mut outside, until) {
                if let CompletionKind::Received { .. } = completion.kind {
                    of_outside.insert(completion.token, completion.at);
                }
            }
            if until.is_some() {
                send(&mut outside, tag);
            }
        }
        prop_assert_eq!(of_timers, of_outside);
    }
}
