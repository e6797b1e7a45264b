//! Traces, beside files that a person has looked at.

#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

use std::fs;
use weir_network::Class;
use weir_network::causes::{DrawnPath, PathPart, PathPlace};
use weir_network::record::{Keep, LinkSample, MessageTimes, Recorder, Requested};
use weir_record::{
    Arrow, Buffers, CallRecorder, CallRow, Drawn, DrawnLink, FolderRecorder, KeptCalls, RunFolder,
};
use weir_units::{Bandwidth, Bytes, Duration, LinkId, NodeId, Rank, Time};

/// A trace is the file of this name, which a person has looked at (https://ui.perfetto.dev, or `protoc --decode_raw`). If it is not,
/// it is in the folder of temporary files. Returns what is said to be left out of it.
#[track_caller]
fn check(name: &str, record: impl FnOnce(&RunFolder) -> Option<String>) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let left_out = record(&RunFolder::begin(folder.path(), "run").unwrap());
    let drawn = format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"));
    fs::copy(folder.path().join("trace.perfetto"), &drawn).unwrap();
    let expected = fs::read(format!("{}/tests/{name}", env!("CARGO_MANIFEST_DIR")));
    let agree = expected.is_ok_and(|expected| expected == fs::read(&drawn).unwrap());
    assert!(agree, "{drawn} is not crates/record/tests/{name}");
    left_out
}

fn recorder(folder: &RunFolder, most: Bytes, nodes: Vec<NodeId>) -> CallRecorder {
    let kept = KeptCalls { table: Keep::No, trace: Keep::Yes };
    CallRecorder::new(folder, kept, Drawn { most, nodes }).unwrap()
}

fn call(rank: u32, start: u64, end: Option<u64>) -> CallRow {
    let end = end.map(|end| (ns(end), Duration::ZERO));
    let (start, peer, tag) = (ns(start), None, None);
    CallRow { rank: Rank(rank), name: "MPI_Test", start, end, peer, tag, sent: Bytes(0), received: Bytes(0) }
}

fn ns(ns: u64) -> Time {
    Time::from_ps(1000 * ns)
}

/// Calls that are joined by arrows, and such in which marks are; what is in flight, the critical path, and a link.
fn record_all(folder: &RunFolder) -> Option<String> {
    let requested = Requested { interval: Some(Duration::from_ns(2)), ..Requested::default() };
    let mut tables = FolderRecorder::new(folder, requested, Buffers::None).unwrap();
    for (start, link, bytes) in [(0, 5, 8.0), (2, 5, 8.0), (2, 4, 1.0), (8, 5, 4.0)] {
        tables.links(ns(start), &[LinkSample { link: LinkId(link), bytes, packets: None }]);
    }
    tables.end().unwrap();
    let mut trace = recorder(folder, Bytes(1_000_000), [0, 1, 1].map(NodeId).to_vec());
    let arrow = |from, to, sequence| Arrow { from: Rank(from), to: Rank(to), sequence, bytes: Bytes(64) };
    let (joined, marked, early, lost) = (arrow(0, 1, 3), arrow(2, 0, 0), arrow(1, 2, 1), arrow(0, 2, 4));
    // The sender's call is over when the receiver's begins.
    trace.begin(Rank(0), "MPI_Send", ns(1));
    trace.sent(&joined, ns(2));
    let (peer, tag, end) = (Some(Rank(1)), Some(-1), Some((ns(4), Duration::from_ns(1))));
    trace.end_call(&CallRow { peer, tag, end, sent: Bytes(64), ..call(0, 1, None) });
    trace.begin(Rank(1), "MPI_Recv", ns(4));
    trace.taken(&joined, ns(5));
    trace.end_call(&CallRow { peer: Some(Rank(0)), received: Bytes(64), ..call(1, 4, Some(5)) });
    // It is not over; and what is taken outside of a call comes before it was sent.
    trace.begin(Rank(2), "MPI_Sendrecv", ns(0));
    trace.sent(&marked, ns(1));
    trace.begin(Rank(0), "MPI_Recv", ns(4));
    trace.taken(&marked, ns(6));
    trace.end_call(&call(0, 4, Some(7)));
    trace.end_call(&call(2, 0, Some(7)));
    trace.sent(&early, ns(9));
    trace.taken(&early, ns(8));
    // A call in which a rank is when all ends, and a message that nobody takes.
    trace.begin(Rank(0), "MPI_Wait", ns(9));
    trace.sent(&lost, ns(9));
    trace.end_call(&call(0, 9, None));
    for (from, posted, arrived, bytes) in [(0, 2, 5, 64), (2, 1, 6, 32), (1, 5, 9, 8)] {
        let (posted, arrived, bytes, class) = (ns(posted), ns(arrived), Bytes(bytes), Class::Data);
        let (from, to, started, sequence, taken, waited) = (Rank(from), Rank(0), posted, 0, None, None);
        trace.arrived(&[MessageTimes {
            from,
            to,
            sequence,
            bytes,
            class,
            posted,
            started,
            arrived,
            taken,
            waited,
        }]);
    }
    let [latency, serialization, credits] = [1, 2, 3].map(Duration::from_ns);
    let (from, to, call) = (Rank(2), Rank(0), "MPI_Recv");
    let message = PathPlace::Message { from, to, latency, serialization, credits, call };
    let part = |(from, until, what)| PathPart { from: ns(from), until: ns(until), what };
    let parts =
        [(1, 2, PathPlace::Rank(from)), (2, 3, PathPlace::Interface(from)), (3, 10, message)].map(part);
    trace.path(&DrawnPath { parts: parts.to_vec(), from: ns(1) });
    let link = DrawnLink { link: LinkId(5), name: "a -> b".into(), capacity: Bandwidth::new(8e9).unwrap() };
    trace.end(&[link], Some(Duration::from_ns(2))).unwrap().1
}

#[test]
fn a_trace_has_all_that_was_recorded() {
    let left_out = check("all.perfetto", record_all);
    assert_eq!(left_out.as_deref(), Some("the critical path before 1 ns is left out"));
}

/// There is no room for four blocks of eight ranks: nothing is left of two of them, and all of the others.
#[test]
fn a_trace_of_some_ranks() {
    let left_out = check("some.perfetto", |folder| {
        let mut trace = recorder(folder, Bytes(2000), vec![NodeId(0); 32]);
        for rank in 0..32 {
            trace.begin(Rank(rank), "MPI_Test", ns(0));
            let arrow = Arrow {
                from: Rank(rank),
                to: Rank((rank + 8 + rank % 2 * 8) % 32),
                sequence: 0,
                bytes: Bytes(1),
            };
            trace.sent(&arrow, ns(1));
            trace.end_call(&call(rank, 0, Some(5)));
            trace.taken(&arrow, ns(8));
        }
        trace.end(&[], None).unwrap().1
    });
    let expected = "16 of 32 ranks are drawn: of 2 times 8 ranks next to each other the first 8";
    assert_eq!(left_out.as_deref(), Some(expected));
}
