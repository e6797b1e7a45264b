//! Profiles are read as they are written, and what is wrong in one is reported.

use crate::collectives::{collective, collective_between, known};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::io::Write;
use std::path::PathBuf;
use tempfile::TempDir;
use weir_formats::ReadError;
use weir_formats::profile::{
    Access, Act, AfterFence, Asks, Choices, Communicators, Conflicts, Copying, Direction, Event, Format, Gap,
    Lock, Mode, Over, PollFirst, Profile, Protocol, ReceiveSource, Request, Requests, Side, Summary,
    Wildcards, WindowAct, read, read_text,
};
use weir_units::{Duration, Rank};

pub(crate) const RANKS: u32 = 4;

fn communicators() -> Communicators {
    let mut all = Communicators::default();
    assert!(all.define(2, vec![Rank(3), Rank(1), Rank(0), Rank(2)]));
    assert!(all.define(7, (0..RANKS).map(Rank).collect()));
    assert!(all.define_between(8, &[Rank(2), Rank(0)], &[Rank(1), Rank(3)]));
    all
}

fn communicator() -> impl Strategy<Value = u32> {
    prop_oneof![Just(0u32), Just(2), Just(7)]
}

fn from() -> impl Strategy<Value = ReceiveSource> {
    let asked = select(vec![
        Wildcards::Both,
        Wildcards::AnySource,
        Wildcards::AnyTag,
        Wildcards::Anything,
        Wildcards::Nobody,
    ]);
    (asked, 0..RANKS, 0..i32::MAX, any::<bool>()).prop_map(|(asked, source, tag, known)| {
        let source_if = known.then_some(source);
        let tag_if = known.then_some(tag);
        match asked {
            Wildcards::Nobody => ReceiveSource { source: None, tag: None, asked },
            Wildcards::Both => ReceiveSource { source: Some(source), tag: Some(tag), asked },
            Wildcards::AnySource => ReceiveSource { source: source_if, tag: Some(tag), asked },
            Wildcards::AnyTag => ReceiveSource { source: Some(source), tag: tag_if, asked },
            Wildcards::Anything => ReceiveSource { source: source_if, tag: tag_if, asked },
        }
    })
}

fn time() -> impl Strategy<Value = Duration> {
    prop_oneof![Just(0u64), 0..1u64 << 40, (0..1u64 << 20).prop_map(|us| us * 1_000_000)]
        .prop_map(Duration::from_ps)
}

/// Events whose requests make sense only once they are numbered.
fn act() -> impl Strategy<Value = Act> {
    let mode = select(vec![Mode::Standard, Mode::Buffered, Mode::Synchronous, Mode::Ready]);
    let request = || proptest::option::of(Just(Request(0)));
    let look = || select(vec![PollFirst::No, PollFirst::Yes]);
    let between = (collective_between(), request()).prop_map(|(collective, request)| Act::Collective {
        collective: Box::new(collective),
        communicator: 8,
        persistent: None,
        request,
    });
    prop_oneof![
        3 => rare(),
        1 => between,
        4 => (mode, proptest::option::of(0..RANKS), 0..i32::MAX, 0..1u64 << 50, communicator(), request()).prop_map(
            |(mode, to, tag, bytes, communicator, request)| Act::Send { mode, to, tag, bytes, communicator, request }
        ),
        4 => (from(), 0..u64::MAX, communicator(), request())
            .prop_map(|(from, bytes, communicator, request)| Act::Receive { from, bytes, communicator, request }),
        4 => (0..4usize, look()).prop_map(|(count, look)| {
            Act::Wait { requests: Requests::new(&vec![Request(0); count]), look }
        }),
        1 => (from(), communicator(), look()).prop_map(|(from, communicator, look)| Act::Probe { from, communicator, look }),
        2 => (known(collective()), communicator(), proptest::option::of(1..9u32), request()).prop_map(
            |(collective, communicator, persistent, request)| {
                Act::Collective { collective: Box::new(collective), communicator, persistent, request }
            }
        ),
        1 => Just(Act::Release { request: Request(0) }),
        1 => (time(), proptest::option::of(0..1u64 << 62)).prop_map(|(time, after)| Act::Poll { time, after }),
        1 => Just(Act::Flush),
        1 => choices().prop_map(|choices| Act::Choose(Box::new(choices))),
    ]
}

fn choices() -> impl Strategy<Value = Choices> {
    let protocol = select(vec![Protocol::Auto, Protocol::Eager, Protocol::Rendezvous]);
    let copying = select(vec![Copying::Auto, Copying::Zero, Copying::One]);
    let gap = proptest::option::of(prop_oneof![Just(0.0), Just(1e6), 0.0..1e6f64]);
    (protocol, copying, proptest::option::of(0..u16::MAX), gap).prop_map(|(protocol, copying, nic, gap)| {
        Choices { protocol, copying, nic, gap: gap.and_then(Gap::new) }
    })
}

/// What few programs do: at a window on communicator 2, with the two channels that every rank has.
fn rare() -> impl Strategy<Value = Act> {
    let request = || proptest::option::of(Just(Request(0)));
    let conflicts = || select(vec![Conflicts::Possible, Conflicts::RuledOut]);
    let look = || select(vec![PollFirst::No, PollFirst::Yes]);
    let access = select(vec![Access::Put, Access::Get, Access::Accumulate, Access::GetAccumulate]);
    let group = || proptest::sample::subsequence((0..RANKS).collect::<Vec<u32>>(), 1..4).prop_map(Vec::into);
    let window = prop_oneof![
        (proptest::option::of(0..RANKS), select(vec![Over::There, Over::Here]))
            .prop_map(|(rank, over)| WindowAct::Flush { rank, over }),
        select(vec![AfterFence::Accesses, AfterFence::Nothing]).prop_map(|after| WindowAct::Fence { after }),
        (group(), conflicts()).prop_map(|(group, conflicts)| WindowAct::Post { group, conflicts }),
        (group(), conflicts()).prop_map(|(group, conflicts)| WindowAct::Start { group, conflicts }),
        Just(WindowAct::Complete),
        look().prop_map(|look| WindowAct::Wait { look }),
        (0..RANKS, select(vec![Lock::Shared, Lock::Exclusive]), conflicts())
            .prop_map(|(rank, lock, conflicts)| WindowAct::Lock { rank, lock, conflicts }),
        (0..RANKS).prop_map(|rank| WindowAct::Unlock { rank }),
        (select(vec![Asks::WhenReached, Asks::AtOnce]), conflicts())
            .prop_map(|(asks, conflicts)| WindowAct::LockAll { asks, conflicts }),
        Just(WindowAct::UnlockAll),
    ];
    prop_oneof![
        (from(), communicator(), look()).prop_map(|(from, communicator, look)| Act::Match {
            from,
            communicator,
            look,
            message: Request(0)
        }),
        (0..1u64 << 40, request()).prop_map(|(bytes, request)| Act::ReceiveMatched {
            message: Request(0),
            bytes,
            request
        }),
        Just(Act::Cancel { request: Request(0) }),
        (0..4usize).prop_map(|count| Act::See { requests: Requests::new(&vec![Request(0); count]) }),
        Just(Act::Open { request: Request(0) }),
        Just(Act::Fulfil { request: Request(0) }),
        (select(vec![Direction::Read, Direction::Write]), 0..1u64 << 40, time(), request())
            .prop_map(|(direction, bytes, lasts, request)| Act::File { direction, bytes, lasts, request }),
        (access, 0..RANKS, 1..1u64 << 40, request()).prop_map(|(access, target, bytes, request)| {
            Act::Access { access, target, bytes, communicator: 2, request }
        }),
        (0..RANKS).prop_map(|target| Act::Access {
            access: Access::CompareAndSwap,
            target,
            bytes: 8,
            communicator: 2,
            request: None
        }),
        window.prop_map(|act| Act::Window { communicator: 2, act: Box::new(act) }),
        (0..9u32).prop_map(|partitions| Act::StartSend { channel: 0, partitions, request: Request(0) }),
        (0..1u64 << 40).prop_map(|bytes| Act::StartReceive { channel: 1, bytes, request: Request(0) }),
        (0..9u32, 0..1u64 << 40).prop_map(|(number, bytes)| Act::Ready {
            request: Request(0),
            number,
            bytes
        }),
    ]
}

/// What rare events need: a window and two channels.
fn prepared() -> Vec<Event> {
    let event = |act| Event { compute: Duration::ZERO, took: None, act };
    let channel =
        |channel, side, peer| Act::Channel { channel, side, peer, tag: channel as i32, communicator: 0 };
    vec![
        event(Act::Window { communicator: 2, act: Box::new(WindowAct::Open) }),
        event(channel(0, Side::Send, Some(1))),
        event(channel(1, Side::Receive, None)),
    ]
}

/// Numbers the requests so that each is started before it is waited for, none is waited for twice, and only those of `open`
/// are fulfilled, once.
fn numbered(acts: Vec<(Duration, Option<Duration>, Act)>) -> Vec<Event> {
    let (mut open, mut free, mut next) = (Vec::new(), Vec::new(), 0);
    let (mut messages, mut unfulfilled) = (Vec::new(), Vec::<Request>::new());
    let mut events = prepared();
    for (compute, took, mut act) in acts {
        let is_open = matches!(act, Act::Open { .. });
        match &mut act {
            Act::Send { request: Some(request), .. }
            | Act::Receive { request: Some(request), .. }
            | Act::Collective { request: Some(request), .. }
            | Act::File { request: Some(request), .. }
            | Act::Access { request: Some(request), .. }
            | Act::Open { request }
            | Act::StartSend { request, .. }
            | Act::StartReceive { request, .. } => {
                *request = free.pop().unwrap_or_else(|| {
                    next += 1;
                    Request(next - 1)
                });
                open.push(*request);
                unfulfilled.retain(|other| other != request);
                unfulfilled.extend(is_open.then_some(*request));
            }
            Act::Fulfil { request } => match unfulfilled.iter().position(|other| open.contains(other)) {
                Some(place) => *request = unfulfilled.swap_remove(place),
                None => continue,
            },
            Act::Wait { requests, .. } => {
                let count = requests.as_slice().len().min(open.len());
                let ended: Vec<Request> = open.drain(..count).collect();
                *requests = Requests::new(&ended);
                free.extend(ended);
            }
            Act::Release { request } => match open.pop() {
                Some(last) => *request = last,
                None => continue,
            },
            Act::Match { message, .. } => {
                next += 1;
                *message = Request(next - 1);
                messages.push(*message);
            }
            Act::ReceiveMatched { message, request, .. } => match messages.pop() {
                Some(last) => {
                    *message = last;
                    match request {
                        Some(request) => {
                            *request = last;
                            open.push(last);
                        }
                        None => free.push(last),
                    }
                }
                None => continue,
            },
            Act::Cancel { request } | Act::Ready { request, .. } => match open.last() {
                Some(last) => *request = *last,
                None => continue,
            },
            Act::See { requests } => {
                let count = requests.as_slice().len().min(open.len());
                *requests = Requests::new(&open[..count]);
            }
            _ => {}
        }
        events.push(Event { compute, took, act });
    }
    events.push(Event { compute: Duration::from_ps(5), took: None, act: Act::End });
    events
}

fn profile() -> impl Strategy<Value = Profile> {
    let event = (time(), proptest::option::of(time()), act());
    let ranks = vec(vec(event, 0..30).prop_map(numbered), RANKS as usize);
    ranks.prop_map(|ranks| Profile::new("of random events", communicators(), ranks).expect("it is a profile"))
}

fn path(folder: &TempDir, format: Format) -> PathBuf {
    folder.path().join(match format {
        Format::Text => "p.profile",
        Format::Parquet => "p.parquet",
    })
}

fn written(profile: &Profile, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    let written = profile.write(format, &mut bytes).expect("memory takes everything");
    assert_eq!(written.events, profile.len());
    bytes
}

fn read_back(bytes: &[u8], format: Format) -> Result<Profile, ReadError> {
    let folder = TempDir::new().expect("a folder");
    let path = path(&folder, format);
    std::fs::File::create(&path).and_then(|mut file| file.write_all(bytes)).expect("a file");
    read(&path)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_back(profile in profile()) {
        for format in [Format::Text, Format::Parquet] {
            let bytes = written(&profile, format);
            prop_assert_eq!(read_back(&bytes, format), Ok(profile.clone()), "{}", String::from_utf8_lossy(&bytes));
        }
    }

    /// A damaged file is refused, or is another profile; nothing panics.
    #[test]
    fn damage_is_found_or_does_no_harm(
        profile in profile(),
        places in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<Option<prop::sample::Index>>(),
    ) {
        for format in [Format::Text, Format::Parquet] {
            let mut bytes = written(&profile, format);
            for (place, value) in &places {
                let place = place.index(bytes.len());
                bytes[place] = *value;
            }
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            if let Ok(other) = read_back(&bytes, format) {
                prop_assert!(other.ranks() <= 1 << 24);
            }
        }
    }
}

#[track_caller]
fn check(lines: &str, expected: &[&str]) {
    let text = format!("weir-profile 1\n{lines}");
    match (read_text(text.as_bytes()), expected) {
        (Ok(_), []) => {}
        (Ok(_), _) => panic!("accepted:\n{lines}"),
        (Err(ReadError::Mistakes(mistakes)), expected) => {
            let found: Vec<String> = mistakes.to_string().lines().map(str::to_owned).collect();
            assert_eq!(found.len(), expected.len(), "{found:#?}");
            for (found, expected) in found.iter().zip(expected) {
                assert!(found.contains(expected), "{found}\ndoes not contain\n{expected}");
            }
        }
        (Err(other), _) => panic!("{other}"),
    }
}

#[test]
fn people_write_units_and_leave_out_what_goes_without_saying() {
    let text = "weir-profile 1\ntitle by hand\nranks 2\ncommunicator 2: 1 0\n0 compute 3 us  # work\n\
        0 isend 1 20 kB tag 7 request 0\n0 compute 1 us\n0 wait 0\n0 allreduce 8 B element 8 comm 2\n0 end\n\
        1 recv any 20 kB tag any from 0 tagged 7\n1 allreduce 8 element 8 comm 2 took 1 ns\n";
    let profile = read_text(text.as_bytes()).expect("it is a profile");
    let send = &profile.events(Rank(0))[0];
    assert_eq!(send.compute, Duration::from_ns(3000));
    assert!(matches!(
        send.act,
        Act::Send { to: Some(1), tag: 7, bytes: 20_000, request: Some(Request(0)), .. }
    ));
    let from = ReceiveSource { source: Some(0), tag: Some(7), asked: Wildcards::Anything };
    assert_eq!(
        profile.events(Rank(1))[0].act,
        Act::Receive { from, bytes: 20_000, communicator: 0, request: None }
    );
    let Summary { events, messages, message_bytes, logged, compute_total, .. } = profile.summary();
    assert_eq!((events, messages, message_bytes, logged), (6, 1, 20_000, true));
    assert_eq!(compute_total, Duration::from_ns(4000));
    let (begin, end, _) = profile.times(Rank(0)).nth(1).expect("there are four");
    assert_eq!((begin.as_ps(), end.as_ps()), (4_000_000, 4_000_000));
}

/// A look in vain takes its time, and longer if something that came meanwhile has cost any.
#[test]
fn looks_in_vain_say_when_they_were_over() {
    let text = "weir-profile 4\nranks 1\n0 poll 5 us\n0 poll 5 us after 2 took 6 us\n0 end\n";
    let profile = read_text(text.as_bytes()).expect("it is a profile");
    let ends = profile.times(Rank(0)).map(|(_, end, _)| end.as_ps()).collect::<Vec<_>>();
    assert_eq!(ends, [5_000_000, 11_000_000, 11_000_000]);
    let acts = profile.events(Rank(0))[..2].iter().map(|event| &event.act).collect::<Vec<_>>();
    let time = Duration::from_ns(5000);
    assert_eq!(acts, [&Act::Poll { time, after: None }, &Act::Poll { time, after: Some(2) }]);
    check("ranks 1\n0 poll 5 us after -2\n0 end\n", &["a poll has a list of numbers from 0, not -2"]);
    check("ranks 1\n0 poll 5 us after 2 after 3\n0 end\n", &["one number behind it at most"]);
    check("ranks 1\n0 poll\n0 end\n", &["is no time"]);
}

#[test]
fn all_mistakes_are_reported_at_once() {
    check("ranks 2\n0 end\n1 end\n", &[]);
    check(
        "ranks 3\n0 send 3 20 kB\n0 recv 1 20 kB tag -2\n0 wait 4\n1 irecv 0 8 request 1\n1 wait 1\n1 wait 1\n",
        &[
            "rank 2 is missing",
            "line 3: 0 send 3 20 kB: there is no rank 3 in communicator 0, which has 3",
            "line 4: 0 recv 1 20 kB tag -2: tag -2 must be at least 0",
            "line 5: 0 wait 4: request 4 is not under way: never started",
            "line 8: 1 wait 1: request 1 is not under way: never started, or waited for before",
        ],
    );
    check("ranks 1\n0 compute -3 us\n0 end\n", &["line 3: 0 compute -3 us: -3 us: times run backwards"]);
    check("ranks 1\n0 end\n0 barrier\n", &["line 4: 0 barrier: rank 0 does something after its end"]);
    check("ranks 1\n0 barrier comm 5\n", &["there is no communicator 5"]);
    check("ranks 2\ncommunicator 2: 0\n0 end\n1 barrier comm 2\n", &["rank 1 is not in communicator 2"]);
    check("ranks 1\n0 bcast 8\n", &["bcast needs its root"]);
    check("ranks 1\n0 bcast 8 root 1\n", &["there is no rank 1 in communicator 0"]);
    check("ranks 1\n0 isend 0 8\n", &["isend needs a request"]);
    check("ranks 1\n0 send 0 8 request 1\n", &["only what goes on has a request"]);
    check("ranks 1\n0 sendd 0 8\n", &["\"sendd\" is no kind of event"]);
    check("ranks 1\n0 scan 8 op sums\n", &["op \"sums\" is not known: it is one of sum, prod, max"]);
    check("ranks 1\n0 scan 8 type int\n", &["type \"int\" is not known: it is one of int8, int16, int32"]);
    check("ranks 1\n0 bcast 8 root 0 op sum\n", &["bcast combines nothing: it has no operation and no type"]);
    check("ranks 1\n0 send 0 8 op sum\n", &["\"op\" does not belong here"]);
    check("ranks 1\n0 allreduce 20 element 8\n", &["20 bytes are no whole number of elements of 8 bytes"]);
    check("ranks 3\n0 allgatherv blocks 1 2\n1 end\n2 end\n", &["2 blocks for a communicator of 3"]);
    check("ranks 1\n0 send 0 lots\n", &["\"lots\" is no size"]);
    check("ranks 1\n0 barrier now\n", &["\"now\" is no size"]);
    check("ranks 1\n0 compute 200 days\n", &["is no time"]);
    check("0 end\n", &["ranks is missing"]);
    check("ranks 0\n", &["ranks must be followed by a number"]);
    check("ranks 1\n0 mrecv 0 8\n", &["0 is no message that mprobe has found"]);
    check("ranks 1\n0 mprobe any tag any request 0\n0 wait 0\n", &["request 0 is not under way"]);
    check("ranks 1\n0 mprobe any\n", &["mprobe needs a request"]);
    let twice = "ranks 1\n0 open 0\n0 fulfil 0\n0 fulfil 0\n0 wait 0\n0 end\n";
    check(twice, &["line 5: 0 fulfil 0: request 0 is none of open, or it was fulfilled"]);
    check("ranks 1\n0 irecv 0 8 request 0\n0 fulfil 0\n", &["request 0 is none of open"]);
    check("ranks 1\n0 see 2\n", &["request 2 is not under way"]);
    check("ranks 1\n0 cancel\n", &["the request needs a number"]);
    check("ranks 1\n0 write 8\n", &["write needs how long it lasts"]);
    check("ranks 1\n0 write 8 lasts -3 us\n", &["times run backwards"]);
    check("ranks 1\n0 write 8 lasts 3 us request 1\n", &["only what goes on has a request"]);
    check("ranks 2\ncommunicator 2: 0-1\n0 put 1 8 comm 2\n1 end\n", &["communicator 2 is no open window"]);
    check(
        "ranks 2\ncommunicator 2: 0-1\n0 win-open comm 2\n0 get 2 8 comm 2\n0 put 1 0 comm 2\n0 win-open comm 2\n1 end\n",
        &[
            "there is no rank 2 in communicator 2",
            "an access has at least one",
            "communicator 2 is no window to be",
        ],
    );
    check("ranks 1\n0 win-open\n", &["communicator 0 is no window to be"]);
    check("ranks 1\n0 win-fence exclusive\n", &["\"exclusive\" does not belong here"]);
    check("ranks 1\n0 win-lock comm 2\n", &["win-lock needs a rank"]);
    check("ranks 1\n0 send 0 8 nocheck\n", &["\"nocheck\" does not belong here"]);
    check("ranks 1\n0 psend 4 partitions 2 request 0\n", &["there is no channel 4 of psend-init"]);
    check(
        "ranks 2\ncommunicator 2: 0 | 1\n0 scan 8 comm 2\n1 end\n",
        &["scan is not possible between two groups"],
    );
    check(
        "ranks 2\ncommunicator 2: 0 | 1\n0 send 1 8 comm 2\n1 end\n",
        &["no rank 1 in communicator 2, which has 1"],
    );
    check("ranks 2\ncommunicator 2: 0 |\n0 end\n1 end\n", &["the second group of 2 has no members"]);
    check("ranks 1\n0 bcast 8 root here\n", &["bcast needs its root"]);
    check("ranks 1\n0 merge\n", &["merge of this form is for communicators between two groups"]);
    check("ranks 1\n0 compute 1 us\n0 end\n0 compute 1 us\n", &["rank 0 computes and then does nothing"]);
    check("ranks 1\n0 compute 0 s\n", &["rank 0 computes and then does nothing"]);
    let version = read_text("weir-profile 5\nranks 1\n".as_bytes()).expect_err("it is another version");
    assert!(version.to_string().contains("weir knows no other version"), "{version}");
}

/// No room is made for ranks of which the file cannot say anything.
#[test]
fn a_short_file_has_few_ranks() {
    let folder = TempDir::new().unwrap();
    let path = path(&folder, Format::Text);
    for (ranks, too_many) in [(1, false), (16_777_216, true)] {
        std::fs::write(&path, format!("weir-profile 4\nranks {ranks}\n0 end\n")).unwrap();
        let found = read(&path).map_err(|error| error.to_string());
        let is_short = found.as_ref().is_err_and(|why| why.contains("the file is too short"));
        assert_eq!((found.is_err(), is_short), (too_many, too_many), "{found:?}");
    }
}

/// Persistent collectives are numbered from 1: what is written without a number is none of them.
#[test]
fn no_persistent_collective_has_number_0() {
    check("ranks 1\n0 barrier tag 1\n0 end\n", &[]);
    check("ranks 1\n0 barrier tag 0\n0 end\n", &["barrier needs a tag of at least 1, or none"]);
    check("ranks 1\n0 ibarrier tag -1 request 0\n0 end\n", &["ibarrier needs a tag of at least 1, or none"]);
}

#[test]
fn a_cut_or_foreign_table_is_refused() {
    let ranks = vec![vec![Event { compute: Duration::ZERO, took: None, act: Act::End }]];
    let profile = Profile::new("", Communicators::default(), ranks).expect("it is a profile");
    let bytes = written(&profile, Format::Parquet);
    for length in [0, 3, bytes.len() / 2, bytes.len() - 1] {
        let error = read_back(&bytes[..length], Format::Parquet).expect_err("it is cut off");
        assert!(error.to_string().contains("cut off"), "{error}");
    }
    let other = include_bytes!("../fixtures/exact.parquet");
    let error = read_back(other, Format::Parquet).expect_err("it is a pattern").to_string();
    assert!(error.contains("no weir.profile: it is not a profile of weir"), "{error}");
    assert!(error.contains("column 1 must be kind"), "{error}");
}

/// A damaged file in which a count says that two thousand million things are to be skipped, found by fuzzing.
#[test]
fn a_count_without_end_is_refused_at_once() {
    let start = std::time::Instant::now();
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/endless.parquet");
    let error = read(&path).unwrap_err();
    assert!(matches!(&error, ReadError::Unreadable(why) if why.contains("ends too early")), "{error}");
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
