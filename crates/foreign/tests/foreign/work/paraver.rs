//! Traces of Paraver.

use super::{Folder, lines, read_path};
use weir_foreign::{Given, Imported, Mistake};
use weir_formats::graph::GraphFile;

const NAMES: &str = "DEFAULT_OPTIONS\n\nEVENT_TYPE\n9   50000001    MPI Point-to-point\nVALUES\n1   MPI_Send\n2   MPI_Recv\n3   MPI_Isend\n4   MPI_Irecv\n5   MPI_Wait\n6   MPI_Waitall\n\
39   MPI_Test\n41   MPI_Sendrecv\n0   Outside MPI\n\n\nEVENT_TYPE\n9   50000002    MPI Collective Comm\nVALUES\n7   MPI_Bcast\n8   MPI_Barrier\n12   MPI_Alltoallv\n15   MPI_Scatter\n0   Outside MPI\n\n\
EVENT_TYPE\n9   50000003    MPI Other\nVALUES\n31   MPI_Init\n32   MPI_Finalize\n19   MPI_Comm_rank\n";

const HEAD: &str = "#Paraver (01/01/2026 at 10:00):1000_ns:1(2):1:2(1:1,1:1),1\nc:1:1:2:1:2\n";

/// A call of a task, from begin to end, with the type of its event, and more events. The order of lines is made by the caller.
fn call(task: u32, begin: u64, end: u64, kind: u64, value: u64, more: &str) -> Vec<(u64, String)> {
    vec![
        (begin, format!("2:{task}:1:{task}:1:{begin}:{kind}:{value}{more}")),
        (end, format!("2:{task}:1:{task}:1:{end}:{kind}:0")),
    ]
}

fn runs(task: u32, begin: u64, end: u64) -> Vec<(u64, String)> {
    vec![(begin, format!("1:{task}:1:{task}:1:{begin}:{end}:1"))]
}

fn message(from: u32, sent: u64, to: u32, posted: u64, received: u64, bytes: u64) -> Vec<(u64, String)> {
    vec![(sent, format!("3:{from}:1:{from}:1:{sent}:{sent}:{to}:1:{to}:1:{posted}:{received}:{bytes}:7"))]
}

/// Both tasks come out of `MPI_Init` at 10.
fn begun() -> Vec<(u64, String)> {
    [runs(1, 0, 5), runs(2, 0, 5), call(1, 5, 10, 50_000_003, 31, ""), call(2, 5, 10, 50_000_003, 31, "")]
        .concat()
}

fn text(records: &[Vec<(u64, String)>]) -> String {
    let mut all = [begun(), records.concat()].concat();
    all.sort_by_key(|(at, _)| *at);
    let rows: Vec<String> = all.into_iter().map(|(_, row)| row).collect();
    format!("{HEAD}{}\n", rows.join("\n"))
}

fn read(text: &str, skip: bool) -> Result<Imported<GraphFile>, Vec<Mistake>> {
    let folder = Folder::new(&[("a.prv", text.as_bytes()), ("a.pcf", NAMES.as_bytes())]);
    read_path(&folder.path("a.prv"), Given { skip, ..Given::default() })
}

/// A receive stands before the line of its message. A rank computes while it runs: 20 of the 30 ns before the send.
#[test]
fn messages_are_found_by_their_instants() {
    let trace = text(&[
        runs(1, 10, 20),
        runs(1, 30, 40),
        call(1, 40, 50, 50_000_001, 1, ""),
        message(1, 40, 2, 15, 60, 100),
        runs(2, 10, 15),
        call(2, 15, 60, 50_000_001, 2, ""),
        // An exchange with a neighbor, and one with nobody.
        call(1, 70, 90, 50_000_001, 41, ""),
        call(2, 75, 95, 50_000_001, 41, ""),
        message(1, 70, 2, 75, 95, 8),
        message(2, 75, 1, 70, 90, 9),
        call(1, 96, 97, 50_000_001, 41, ""),
    ]);
    let Imported { made, notes, .. } = read(&trace, false).unwrap();
    let expected = [
        "0 compute 20 ns",
        "0 send 1 100 tag 7",
        "0 send 1 8 tag 7",
        "0 recv 1 9 tag 7 begun 2",
        "1 compute 5 ns",
        "1 recv 0 100 tag 7",
        "1 send 0 9 tag 7",
        "1 recv 0 8 tag 7 begun 2",
    ];
    assert_eq!(lines(&made), expected);
    assert!(notes[0].starts_with("2 sends and receives have no message"), "{notes:?}");
}

/// A call that waits ends the receives whose message came in it, else the oldest send; a look in vain ends nothing.
#[test]
fn waits_end_what_came() {
    let trace = text(&[
        call(1, 10, 11, 50_000_001, 3, ""),
        call(1, 12, 13, 50_000_001, 4, ""),
        call(1, 14, 15, 50_000_001, 4, ""),
        call(1, 16, 17, 50_000_001, 39, ""),
        call(1, 18, 30, 50_000_001, 5, ""),
        runs(1, 30, 33),
        call(1, 33, 40, 50_000_001, 5, ""),
        runs(1, 40, 44),
        call(1, 44, 60, 50_000_001, 6, ""),
        runs(1, 60, 61),
        call(1, 61, 62, 50_000_003, 32, ""),
        message(1, 10, 2, 50, 55, 1),
        message(2, 10, 1, 12, 50, 2),
        message(2, 12, 1, 14, 25, 3),
        call(2, 10, 11, 50_000_001, 1, ""),
        call(2, 12, 13, 50_000_001, 1, ""),
        call(2, 50, 55, 50_000_001, 2, ""),
    ]);
    let expected = [
        "0 send 1 1 tag 7",
        "0 recv 1 2 tag 7 begun 0",
        "0 recv 1 3 tag 7 begun 1",
        // The second receive, the send, and all that is left.
        "0 compute 3 ns",
        "0 compute 4 ns requires 0 3",
        "1 send 0 2 tag 7",
        "1 send 0 3 tag 7",
        "1 recv 0 1 tag 7",
    ];
    assert_eq!(lines(&read(&trace, false).unwrap().made), expected);
}

/// Only the root says so; communicator 1 of the file has number 3 here.
#[test]
fn roots_of_collectives_are_found() {
    let trace = text(&[
        call(1, 10, 20, 50_000_002, 7, ":50100001:0:50100002:64:50100004:1"),
        call(2, 15, 20, 50_000_002, 7, ":50100001:64:50100002:0:50100004:1:50100003:1"),
        call(1, 20, 30, 50_000_002, 8, ":50100004:1"),
        call(2, 20, 30, 50_000_002, 8, ":50100004:1"),
        call(1, 30, 40, 50_000_002, 15, ":50100001:16:50100002:8:50100004:1:50100003:1"),
        call(2, 30, 40, 50_000_002, 15, ":50100001:0:50100002:8:50100004:1"),
        call(2, 50, 51, 50_000_003, 19, ""),
    ]);
    let expected = [
        "0 bcast 64 root 1 comm 3",
        "0 barrier comm 3",
        "0 scatter 8 root 0 comm 3",
        "1 bcast 64 root 1 comm 3",
        "1 barrier comm 3",
        "1 scatter 8 root 0 comm 3",
    ];
    assert_eq!(lines(&read(&trace, false).unwrap().made), expected);
}

#[track_caller]
fn refused(trace: &str, line: Option<usize>, words: &str) {
    let mistakes = read(trace, false).unwrap_err();
    let found = mistakes.iter().find(|mistake| mistake.what.contains(words));
    let found = found.unwrap_or_else(|| panic!("{words:?} is not in {mistakes:?}"));
    assert_eq!(found.line, line, "{found:?}");
}

#[test]
fn mistakes_in_traces_of_paraver_are_named() {
    let whole = text(&[runs(1, 10, 20), call(1, 20, 30, 50_000_002, 8, ":50100004:1")]);
    refused(&whole.replace("1000_ns", "1000_days"), Some(1), "no unit of time");
    refused(&whole.replace(":1:2(1:1,1:1)", ":2:1(1:1):1(1:1)"), Some(1), "2 applications");
    refused("#Paraver nothing\n", Some(1), "expected a head");
    refused(&whole.replace("c:1:1:2:1:2", "c:1:1:3:1:2"), Some(2), "expected a communicator");
    refused(&whole.replace("c:1:1:2:1:2", "c:1:2:2:1:2"), Some(11), "communicator 1 is not defined");
    refused(&whole.replace("1:1:1:1:1:10:20:1", "1:1:1:9:1:10:20:1"), Some(9), "expected a record");
    refused(&whole.replace(":20:50000002:8", ":9:50000002:8"), Some(10), "clocks run backwards");
    refused(&whole.replace(":50000002:8", ":50000002:12"), Some(10), "no length for each rank");
    refused(&whole.replace(":50000002:8", ":50000002:99"), Some(10), "has no name in the .pcf");
    refused(&whole.replace(":30:50000002:0", ":30:50000099:0"), None, "in a call at the end");
    refused(
        &whole.replace(":50000002:8:50100004:1", ":50000002:7:50100004:1"),
        Some(11),
        "nobody is the root of bcast 0",
    );
    refused(&format!("{HEAD}2:1:1:1:1:5:50000003:31\n"), None, "it has no states");
    let skipped = read(&whole.replace(":50000002:8", ":50000002:12"), true).unwrap().skipped;
    assert_eq!((skipped[0].count, skipped[0].line), (1, 10));
    let folder = Folder::new(&[("a.prv", whole.as_bytes())]);
    let mistakes = read_path(&folder.path("a.prv"), Given::default()).unwrap_err();
    assert!(mistakes[0].what.contains("a.pcf cannot be read"), "{mistakes:?}");
}

#[test]
fn nothing_breaks_on_a_cut_trace() {
    let whole = text(&[
        call(1, 10, 20, 50_000_001, 1, ""),
        message(1, 10, 2, 12, 22, 100),
        call(2, 12, 22, 50_000_001, 2, ""),
    ]);
    assert_eq!(lines(&read(&whole, false).unwrap().made), ["0 send 1 100 tag 7", "1 recv 0 100 tag 7"]);
    for length in "#Paraver ".len()..whole.len() {
        let _ = read(&whole[..length], true);
    }
}
