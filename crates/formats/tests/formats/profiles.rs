//! Profiles are read as they are written, and what is wrong in one is reported.

use proptest::collection::vec;
use proptest::prelude::*;
use std::io::Write;
use std::path::PathBuf;
use tempfile::TempDir;
use weir_formats::ReadError;
use weir_formats::profile::{Communicators, Format, Profile, Summary, read, read_text};
use weir_operations::{Operation, ReceiveSource, RequestId, Step, Wildcards};
use weir_units::{Duration, Rank};

/// What ranks do, as weir writes it: `R` stands for a rank, `B` for bytes, `E` for bytes of elements of 8, `T` for a time, `G` for a
/// tag, `N` and `M` for two requests.
const EVENTS: [&str; 89] = [
    "send R B tag G",
    "send nobody B tag G comm 7",
    "bsend R B",
    "ssend R B tag G comm 2",
    "rsend R B tag G",
    "isend R B tag G request N; wait N",
    "ibsend R B request N; release N",
    "issend R B tag G request N; cancel N; wait N",
    "irsend nobody B tag G comm 2 request N; test N",
    "recv R B tag G",
    "recv any B tag G",
    "recv any B tag G from R comm 7",
    "recv R B tag any",
    "recv R B tag any tagged G",
    "recv any B tag any",
    "recv any B tag any from R tagged G",
    "recv nobody B",
    "irecv R B tag G request N; see N; wait N",
    "irecv any B tag any comm 2 request N; irecv R B tag G request M; see N M; wait M N",
    "wait",
    "test",
    "see",
    "probe R tag G",
    "probe any tag any from R tagged G looks comm 2",
    "probe nobody",
    "mprobe any tag G from R request N; mrecv N B",
    "mprobe R tag any looks request N; imrecv N B; wait N",
    "open N; fulfil N; wait N",
    "poll T",
    "poll T after 3",
    "flush",
    "read B lasts T",
    "iread B lasts T request N; wait N",
    "write B lasts T",
    "iwrite B lasts T request N; wait N",
    "put R 5 comm 2",
    "get R 5 comm 2",
    "accumulate R E comm 2",
    "get-accumulate R E comm 2",
    "compare-and-swap R 8 comm 2",
    "rput R 5 comm 2 request N; wait N",
    "rget R 5 comm 2 request N; wait N",
    "raccumulate R E comm 2 request N; wait N",
    "rget-accumulate R E comm 2 request N; wait N",
    "win-flush comm 2",
    "win-flush R local comm 2",
    "win-fence comm 2",
    "win-fence nosucceed comm 2",
    "win-post ranks 0 2 comm 2",
    "win-post nocheck ranks R comm 2",
    "win-start ranks 1 2 3 comm 2",
    "win-start nocheck ranks R comm 2",
    "win-complete comm 2",
    "win-wait comm 2",
    "win-wait looks comm 2",
    "win-lock R comm 2",
    "win-lock R exclusive nocheck comm 2",
    "win-unlock R comm 2",
    "win-lock-all nocheck comm 2",
    "win-lock-all at-once comm 2",
    "win-unlock-all comm 2",
    "win-close comm 2; win-open comm 2",
    "psend 0 partitions 7 request N; pready N B partition 3; wait N",
    "precv 1 B request N; wait N",
    "choose",
    "choose protocol eager copy zero",
    "choose protocol rendezvous copy one nic 3 gap 2.5",
    "choose gap 0",
    "barrier",
    "bcast B root R",
    "reduce E root R element 8 ordered op user type double",
    "allreduce E element 8 op sum",
    "gather B root R tag 3 comm 7",
    "gatherv B root R",
    "gatherv blocks B B B B root R",
    "scatter B root R",
    "scatterv blocks B root R",
    "allgather B",
    "allgatherv blocks B B B B",
    "alltoall B",
    "alltoallv out B B B B in B B B B",
    "alltoallv out B in B",
    "scan B op min type int32",
    "exscan B",
    "reduce-scatter blocks E E E E element 8 op prod type float",
    "neighbors list 2 1 -1 1 2 0 B B B",
    "neighbors list 0 0",
    "split",
    "merge comm 8",
];
/// The first one of a collective: it may also go on, and be a persistent one.
const FIRST_COLLECTIVE: usize = 68;
/// Between two groups.
const BETWEEN: [&str; 9] = [
    "barrier",
    "bcast B root here",
    "bcast 0 root nobody",
    "reduce E root 1 element 8 op sum type double",
    "gatherv blocks B B root here",
    "allgatherv 7 blocks B",
    "alltoallv out B B in B B",
    "reduce-scatter blocks E element 8 ordered",
    "split",
];

/// Which event, numbers for it, and the times before it and in it.
type Drawn = (usize, bool, u64, Option<u64>, Option<u64>);

/// The lines of a rank, without the rank.
fn lines(drawn: &[Drawn]) -> Vec<String> {
    let mut lines: Vec<String> =
        ["win-open comm 2", "psend-init 1 channel 0 tag 1", "precv-init nobody channel 1"]
            .map(str::to_owned)
            .into();
    for (place, &(event, goes_on, numbers, compute, took)) in drawn.iter().enumerate() {
        let between = event.checked_sub(EVENTS.len()).map(|event| format!("{} comm 8", BETWEEN[event]));
        let mut event_lines = between.unwrap_or_else(|| EVENTS[event.min(EVENTS.len() - 1)].to_owned());
        if event >= FIRST_COLLECTIVE && goes_on {
            event_lines = format!("i{event_lines} request N; wait N");
        }
        lines.extend(compute.map(|time| format!("compute {} ps", 2 * time + 1)));
        for (number, line) in event_lines.split("; ").enumerate() {
            let mut bits = numbers;
            let mut word = |word: &str| {
                bits = bits.rotate_left(7);
                match word {
                    "R" => (bits % 4).to_string(),
                    "B" => (bits >> (14 + bits % 50)).to_string(),
                    "E" => (8 + (bits >> 30) * 8).to_string(),
                    "T" => format!("{} ps", bits >> 24 | 1),
                    "G" => (1 + (bits >> 34)).to_string(),
                    "N" => (2 * place).to_string(),
                    "M" => (2 * place + 1).to_string(),
                    other => other.to_owned(),
                }
            };
            let mut line = line.split(' ').map(&mut word).collect::<Vec<_>>().join(" ");
            if let Some(time) = took.filter(|_| number == 0) {
                line += &format!(" took {} ps", 2 * time + 1);
            }
            lines.push(line);
        }
    }
    lines.push("end".to_owned());
    lines
}

/// A profile of four ranks that do these.
fn text(ranks: &[Vec<Drawn>]) -> String {
    let mut text = "weir-profile 4\ntitle of random events\nranks 4\ncommunicator 2: 3 1 0 2\n\
                    communicator 7: 0-3\ncommunicator 8: 2 0 | 1 3\n"
        .to_owned();
    for (rank, drawn) in ranks.iter().enumerate() {
        lines(drawn).iter().for_each(|line| text += &format!("{rank} {line}\n"));
    }
    text
}

fn any_text() -> impl Strategy<Value = String> {
    let time = || proptest::option::of(0..1u64 << 40);
    let event = (0..EVENTS.len() + BETWEEN.len(), any::<bool>(), any::<u64>(), time(), time());
    vec(vec(event, 0..30), 4).prop_map(|ranks| text(&ranks))
}

fn profile() -> impl Strategy<Value = Profile> {
    any_text().prop_map(|text| read_text(text.as_bytes()).unwrap_or_else(|error| panic!("{text}{error}")))
}

/// All kinds of events are among those.
#[test]
fn every_kind_is_drawn() {
    let each = |event| [false, true].map(|goes_on| (event, goes_on, 77, None, None));
    let all: Vec<Drawn> = (0..EVENTS.len() + BETWEEN.len()).flat_map(each).collect();
    let profile = read_text(text(&[all, vec![], vec![], vec![]]).as_bytes()).unwrap();
    assert_eq!(profile.summary().kinds.len(), 91);
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
    assert_eq!(written, profile.len());
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
    fn what_is_written_is_read_back(text in any_text()) {
        let profile = read_text(text.as_bytes()).unwrap();
        prop_assert_eq!(String::from_utf8(written(&profile, Format::Text)).unwrap(), text);
        prop_assert_eq!(read_back(&written(&profile, Format::Parquet), Format::Parquet), Ok(profile));
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
fn ranks_that_are_alike_share_their_steps() {
    let rank = |rank: u32| format!("{rank} barrier\n{rank} bcast 8 root 1\n{rank} end\n");
    let text = format!("weir-profile 4\nranks 3\n{}", [0, 1, 2].map(rank).concat());
    let read = read_text(text.as_bytes()).unwrap();
    let steps = read.steps(Rank(0)).to_vec();
    let alike = Profile::of_alike(3, steps.clone()).unwrap();
    assert_eq!(alike, read);
    assert!(std::ptr::eq(alike.steps(Rank(0)), alike.steps(Rank(2))));
    // What is wrong with one of them is refused.
    let [first, ..] = steps.as_slice() else { panic!("there are steps") };
    let mut wrong = first.clone();
    *wrong.operation.communicator_mut().unwrap() = 7;
    Profile::of_alike(3, vec![wrong]).expect_err("there is no communicator 7");
    Profile::of_alike(3, Vec::new()).expect_err("every rank has events");
}

#[test]
fn people_write_units_and_leave_out_what_goes_without_saying() {
    let text = "weir-profile 1\ntitle by hand\nranks 2\ncommunicator 2: 1 0\n0 compute 3 us  # work\n\
        0 isend 1 20 kB tag 7 request 0\n0 compute 1 us\n0 wait 0\n0 allreduce 8 B element 8 comm 2\n0 end\n\
        1 recv any 20 kB tag any from 0 tagged 7\n1 allreduce 8 element 8 comm 2 took 1 ns\n";
    let profile = read_text(text.as_bytes()).expect("it is a profile");
    let send = &profile.steps(Rank(0))[0];
    assert_eq!(send.compute, Duration::from_ns(3000));
    assert!(matches!(
        send.operation,
        Operation::Send { to: Some(1), tag: 7, bytes: 20_000, request: Some(RequestId(0)), .. }
    ));
    let from = ReceiveSource { source: Some(0), tag: Some(7), asked: Wildcards::Anything };
    assert_eq!(
        profile.steps(Rank(1))[0].operation,
        Operation::Receive { from, bytes: 20_000, communicator: 0, request: None }
    );
    let Summary { events, messages, message_bytes, logged, compute_total, mut kinds, .. } = profile.summary();
    assert_eq!((events, messages, message_bytes, logged), (6, 1, 20_000, true));
    kinds.sort_by_key(|kind| kind.name);
    let kinds: Vec<_> = kinds.iter().map(|kind| (kind.name, kind.count, kind.bytes)).collect();
    assert_eq!(
        kinds,
        [("allreduce", 2, 16), ("end", 1, 0), ("isend", 1, 20_000), ("recv", 1, 0), ("wait", 1, 0)]
    );
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
    let acts = profile.steps(Rank(0))[..2].iter().map(|event| &event.operation).collect::<Vec<_>>();
    let time = Duration::from_ns(5000);
    assert_eq!(acts, [&Operation::Poll { time, after: None }, &Operation::Poll { time, after: Some(2) }]);
    check("ranks 1\n0 poll 5 us after -2\n0 end\n", &["after -2: must be a whole number, at least 0"]);
    check("ranks 1\n0 poll 5 us after 2 after 3\n0 end\n", &["after stands twice"]);
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
    check("ranks 1\nranks 1\n0 end\n", &["the number of ranks stands twice"]);
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
    let empty = read_text(&[][..]).expect_err("it has no header").to_string();
    assert!(empty.contains("the first line must be weir-profile 4"), "{empty}");
    let version = read_text("weir-profile 5\nranks 1\n".as_bytes()).expect_err("it is another version");
    assert!(version.to_string().contains("weir knows no other version"), "{version}");
}

#[test]
fn what_is_too_large_or_there_twice() {
    for (lines, expected) in [
        ("ranks 1\n0 send 0 9223372036854775808\n", "sizes that overflow: the messages up to here have 2^63"),
        ("ranks 1\n0 compute 1300 h\n0 barrier\n", "the times of this rank together are longer"),
        ("ranks 1\n0 bcast 288230376151711745 root 0\n", "bcast: more data than can be counted"),
        ("ranks 1\n0 alltoallv out 9223372036854775807 in 1\n", "alltoallv: more data than can be counted"),
        (
            "ranks 1\n0 irecv 0 8 request 16777216\n",
            "request 16777216: numbers of requests are below 16777216",
        ),
        ("ranks 1\n0 irecv 0 8 request 0\n0 irecv 0 8 request 0\n", "request 0 is started a second time"),
        (
            "ranks 1\n0 psend-init 0 channel 0 tag 1\n0 psend-init 0 channel 0 tag 1\n",
            "channel 0 is there already",
        ),
        ("ranks 2\ncommunicator 2: 0 | 1\n0 win-open comm 2\n1 end\n", "a window is not between two groups"),
        (
            "ranks 2\ncommunicator 2: 0-1\n0 win-open comm 2\n0 win-post ranks 1 1 comm 2\n1 end\n",
            "rank 1 stands twice in the group",
        ),
        ("ranks 1\n0 neighbors list 1 3 0 8\n", "there is no rank 3 in communicator 0, which has 1"),
        ("ranks 1\n0 neighbors list 0 1 0 1 8\n", "neighbors: a list that makes no sense"),
        ("ranks 1\n0 neighbors list 1 0 0\n", "neighbors: a list that makes no sense"),
        ("ranks 2\ncommunicator 2: 0\n0 end\n1 probe nobody comm 2\n", "rank 1 is not in communicator 2"),
        ("ranks 1\n0 allreduce 8 element 0\n", "8 bytes are no whole number of elements of 0 bytes"),
        ("ranks 1\n0 allreduce 8 element 4294967296\n", "element: too large"),
        ("ranks 1\n0 recv 0 8 from 0\n", "\"from\" does not belong here"),
        ("ranks 1\n0 recv 0 8 tag 1 tagged 2\n", "\"tagged\" does not belong here"),
        ("ranks 1\n0 barrier 8\n", "it has no size"),
    ] {
        check(lines, &[expected]);
    }
    for operation in ["lock 5", "unlock 5", "flush 5", "post ranks 1 5"] {
        let lines =
            format!("ranks 2\ncommunicator 2: 0-1\n0 win-open comm 2\n0 win-{operation} comm 2\n1 end\n");
        check(&lines, &["there is no rank 5 in communicator 2, which has 2"]);
    }
    let between =
        "ranks 3\ncommunicator 2: 0 | 1 2\n0 send 2 8 comm 2\n1 send 1 8 comm 2\n2 send 0 8 comm 2\n";
    check(
        between,
        &["there is no rank 2 in communicator 2, which has 2", "no rank 1 in communicator 2, which has 1"],
    );
    check("ranks 1\n0 bcast 288230376151711744 root 0\n0 allreduce 0 element 0\n", &[]);
    for (bytes, mistakes) in
        [("44", &[][..]), ("45", &["45 bytes: an access has at least one, and not more than"])]
    {
        let put = format!("0 put 1 2882303761517117{bytes} comm 2\n");
        check(&format!("ranks 2\ncommunicator 2: 0-1\n0 win-open comm 2\n{put}1 end\n"), mistakes);
    }
    // The blocks of a reduce-scatter are those of the own group, all others those of the other.
    let blocks = "1 reduce-scatter blocks 8 16 element 8 comm 2\n1 alltoallv out 8 in 8 comm 2\n0 allgatherv 8 blocks 8 9 comm 2\n";
    check(&format!("ranks 3\ncommunicator 2: 0 | 1 2\n{blocks}2 end\n"), &[]);
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
    let ranks = vec![vec![Step { compute: Duration::ZERO, took: None, operation: Operation::End }]];
    let profile = Profile::new("", Communicators::default(), ranks).expect("it is a profile");
    let bytes = written(&profile, Format::Parquet);
    assert_eq!(read_back(&bytes, Format::Parquet), Ok(profile));
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
