//! Tables of a results folder: what is written is read back, parts are whole, failures name the file.

#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use std::fs::{self, File};
use std::path::Path;
use std::time::Instant;
use weir_network::record::{
    BufferSample, Keep, LatencySample, LinkSample, MessageTimes, PacketSample, PacketStay, Pairs, Recorder,
    Requested, RequestedStays,
};
use weir_network::{Class, Latencies, LatencyKind};
use weir_record::{
    Buffers, CallRecorder, CallRow, Drawn, FolderRecorder, KeptCalls, LinkCount, LinkKind, LinkRow,
    LinkTraffic, PlaceKind, PlaceRow, RunFolder,
};
use weir_units::{Bandwidth, Bytes, Duration, LinkId, NodeId, Rank, RouterId, Time};

fn rows(path: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    reader.get_row_iter(None).unwrap().map(Result::unwrap).collect()
}

/// Each row of a file in one line: values with commas between them.
fn lines(path: &Path) -> Vec<String> {
    let value = |field: &Field| match field {
        Field::Null => "-".to_owned(),
        Field::Str(text) => text.clone(),
        other => other.to_string(),
    };
    rows(path)
        .iter()
        .map(|row| row.get_column_iter().map(|(_, field)| value(field)).collect::<Vec<_>>().join(","))
        .collect()
}

fn begin(folder: &Path) -> RunFolder {
    RunFolder::begin(folder, "run").unwrap()
}

/// A trace of so many ranks, each on a node of its own.
fn drawn(ranks: u32) -> Drawn {
    Drawn { most: Bytes(1_000_000), nodes: (0..ranks).map(NodeId).collect() }
}

fn recorder(folder: &Path, requested: Requested) -> FolderRecorder {
    FolderRecorder::new(&begin(folder), requested, Buffers::Sampled).unwrap()
}

fn everything() -> Requested {
    let stays = RequestedStays { routers: vec![RouterId(0)], from: Time::ZERO, until: Time::MAX };
    let interval = Some(Duration::from_ps(10));
    Requested { interval, messages: Keep::Yes, pairs: Keep::Yes, stays: Some(stays), ..Requested::default() }
}

#[test]
fn every_table_has_what_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let mut recorder = recorder(folder.path(), everything());
    let (time, ps) = (Time::from_ps, Duration::from_ps);
    let packets = Some(PacketSample { packets: 2, busy: ps(9) });
    recorder.links(
        time(20),
        &[
            LinkSample { link: LinkId(3), bytes: 7.5, packets: None },
            LinkSample { link: LinkId(4), bytes: 512.0, packets },
        ],
    );
    recorder.buffers(time(20), &[BufferSample { link: LinkId(4), vc: 1, held: ps(25), most: 3 }]);
    recorder.latencies(time(20), LatencyKind::Packet, LatencySample { count: 2, sum: 11, most: ps(8) });
    let message = MessageTimes {
        from: Rank(1),
        to: Rank(2),
        sequence: 5,
        bytes: Bytes(64),
        class: Class::Data,
        posted: time(1),
        started: time(2),
        arrived: time(9),
        taken: None,
        waited: None,
    };
    let waited = Some(ps(4));
    let taken = MessageTimes { class: Class::Control, taken: Some(time(12)), waited, ..message };
    recorder.messages(&[message, taken]);
    recorder.stays(&[PacketStay {
        router: RouterId(6),
        link: LinkId(4),
        vc: 1,
        source: NodeId(1),
        destination: NodeId(2),
        sequence: 8,
        bytes: Bytes(256),
        entered: time(5),
        left: time(7),
    }]);
    let mut pairs = Pairs::default();
    pairs.add(Rank(1), Rank(2), Bytes(64));
    pairs.add(Rank(1), Rank(2), Bytes(1));
    recorder.pairs(&pairs);
    let tables = recorder.end().unwrap();
    let expected = ["series/links", "series/buffers", "series/latencies", "messages", "packets", "pairs"];
    assert_eq!(tables, expected);
    let part = |table: &str| lines(&folder.path().join(table).join("00000.parquet"));
    assert_eq!(part("series/links"), ["20,3,7.5,-,-", "20,4,512.0,9,2"]);
    assert_eq!(part("series/buffers"), ["20,4,1,2.5,3"]);
    assert_eq!(part("series/latencies"), ["20,packet,2,11,8"]);
    assert_eq!(part("messages"), ["1,2,5,64,data,1,2,9,-,-", "1,2,5,64,control,1,2,9,12,4"]);
    assert_eq!(part("packets"), ["6,4,1,1,2,8,256,5,7"]);
    let pairs = folder.path().join("pairs.parquet");
    assert_eq!(lines(&pairs), ["1,2,2,65"]);
    // Each table says which run it is of.
    let notes = weir_columns::TableFile::open(&pairs).unwrap().notes();
    let expected =
        [("weir.ranks_per_block", "1"), ("weir.run", "run"), ("weir.schema", "1"), ("weir.table", "pairs")];
    assert!(expected.iter().all(|(key, value)| notes[*key] == *value), "{notes:?}");
}

#[test]
fn calls_and_their_trace() {
    let folder = tempfile::tempdir().unwrap();
    let kept = KeptCalls { table: Keep::Yes, trace: Keep::Yes };
    let mut recorder = CallRecorder::new(&begin(folder.path()), kept, drawn(2)).unwrap();
    let (time, ps) = (Time::from_ps, Duration::from_ps);
    let call = CallRow {
        rank: Rank(1),
        name: "MPI_Recv",
        start: time(1500),
        end: Some((time(4000), ps(2000))),
        peer: Some(Rank(0)),
        tag: Some(7),
        sent: Bytes(0),
        received: Bytes(64),
    };
    recorder.begin(Rank(1), call.name, call.start);
    recorder.end_call(&call);
    recorder.end_call(&CallRow { end: None, peer: None, tag: None, ..call });
    let trace = folder.path().join("trace.perfetto");
    assert!(folder.path().join("trace.perfetto.partial").exists() && !trace.exists());
    assert_eq!(recorder.end(&[], None).unwrap(), (vec!["calls"], None));
    let expected = ["1,MPI_Recv,1500,4000,2000,0,7,0,64", "1,MPI_Recv,1500,-,-,-,-,0,64"];
    assert_eq!(lines(&folder.path().join("calls/00000.parquet")), expected);
    assert!(trace.exists());
    // What an earlier run has left, or one that was killed, goes when another one begins.
    fs::write(folder.path().join("trace.perfetto.partial"), "").unwrap();
    begin(folder.path());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn tables_of_the_machine() {
    let folder = tempfile::tempdir().unwrap();
    let place = |kind, number, name: &str, coordinates: &[u32]| PlaceRow {
        kind,
        number,
        name: name.into(),
        level: 0,
        coordinates: coordinates.to_vec(),
    };
    let places = [place(PlaceKind::Node, 0, "node 0", &[1, 2]), place(PlaceKind::Router, 0, "leaf", &[])];
    let begun = begin(folder.path());
    weir_record::write_places(&begun, &places).unwrap();
    let found = lines(&folder.path().join("places.parquet"));
    assert_eq!(found, ["0,node,0,node 0,0,[1, 2]", "1,router,0,leaf,0,[]"]);
    let link = LinkRow {
        from: 0,
        to: 1,
        suffix: String::new(),
        kind: LinkKind::Injection,
        capacity: Bandwidth::new(4e9).unwrap(),
        latency: Duration::from_ns(1),
        wires: 2,
    };
    let other = LinkRow { from: 1, to: 0, kind: LinkKind::Network, ..link.clone() };
    let third = LinkRow { suffix: " (wrap)".into(), ..other.clone() };
    weir_record::begin_links(&begun, &places, [link, other, third]).unwrap();
    let found = || lines(&folder.path().join("links.parquet"));
    let begins = [
        "0,node 0 -> leaf,0,1,injection,4000000000.0,1000,2,",
        "1,leaf -> node 0,1,0,network,4000000000.0,1000,2,",
        "2,leaf -> node 0 (wrap),1,0,network,4000000000.0,1000,2,",
    ];
    assert_eq!(found(), begins.map(|begin| format!("{begin}-,-,-,-,-,-,-")));
    let traffic = LinkTraffic {
        stalled: Duration::ZERO,
        packets: 7,
        bytes: Bytes(512),
        busy: Duration::from_ps(9),
        waited: Duration::from_ps(8),
        max_queue: 3,
    };
    let carried =
        [Some((LinkCount { bytes: 0.5, share: 3, traffic: None }, 0.25)), Some((traffic.into(), 0.75)), None];
    weir_record::end_links(&begun, carried).unwrap();
    let ends = ["0.5,0.25,3,-,-,-,-", "512.0,0.75,-,7,9,8,3", "-,-,-,-,-,-,-"];
    assert_eq!(found(), [0, 1, 2].map(|link| format!("{}{}", begins[link], ends[link])));
    // A machine may have none.
    weir_record::begin_links(&begun, &[], []).unwrap();
    weir_record::end_links(&begun, []).unwrap();
    assert!(found().is_empty());
    let mut latencies = Latencies::default();
    [3, 3, 70].into_iter().for_each(|ps| latencies.add(ps));
    weir_record::write_latencies(&begun, &[(LatencyKind::Message, &latencies)]).unwrap();
    let found = lines(&folder.path().join("latencies.parquet"));
    assert_eq!(found, ["message,3,4,2", "message,70,72,1"]);
}

/// Waits for what another thread does.
#[track_caller]
fn until(condition: impl Fn() -> bool) {
    let patience = Instant::now();
    while !condition() {
        assert!(patience.elapsed() < std::time::Duration::from_secs(60), "it does not come to be");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// The first part has 4,096 rows, the second one twice as many. What is not complete yet has no name that a reader takes.
#[test]
fn parts_are_complete_while_the_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let requested = Requested { interval: Some(Duration::from_ps(10)), ..Requested::default() };
    let mut recorder = recorder(folder.path(), requested);
    let samples: Vec<_> =
        (0..1000).map(|link| LinkSample { link: LinkId(link), bytes: 1.0, packets: None }).collect();
    for interval in 0..20 {
        recorder.links(Time::from_ps(interval * 10), &samples);
    }
    let series = folder.path().join("series/links");
    let parts = || {
        let mut names: Vec<_> = fs::read_dir(&series)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    // Another thread writes.
    until(|| parts() == ["00000.parquet", "00001.parquet"]);
    assert_eq!(rows(&series.join("00000.parquet")).len(), 5000);
    assert_eq!(rows(&series.join("00001.parquet")).len(), 9000);
    recorder.end().unwrap();
    assert_eq!(parts(), ["00000.parquet", "00001.parquet", "00002.parquet"]);
    assert_eq!(rows(&series.join("00002.parquet")).len(), 6000);
}

/// Links of `/dev/full` in the place of a file that is being written: the device has no room for anything.
#[cfg(target_os = "linux")]
fn fill_disk(folder: &Path, part: &str) {
    std::os::unix::fs::symlink("/dev/full", folder.join(format!("series/links/{part}.parquet.partial")))
        .unwrap();
}

/// What is left of the links of a run that could not write its part 1: part 0, and an error that names part 1.
#[cfg(target_os = "linux")]
#[track_caller]
fn check_full_disk(recorder: FolderRecorder, folder: &Path) {
    let error = recorder.end().unwrap_err().to_string();
    assert!(error.contains("series/links/00001.parquet") && error.contains("No space left"), "{error}");
    let parts: Vec<_> = fs::read_dir(folder.join("series/links")).unwrap().collect();
    assert_eq!(parts.len(), 1);
    assert_eq!(rows(&folder.join("series/links/00000.parquet")).len(), 5000);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named_and_leaves_what_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let mut recorder = recorder(folder.path(), everything());
    let samples = vec![LinkSample { link: LinkId(1), bytes: 1.0, packets: None }; 5000];
    recorder.links(Time::ZERO, &samples);
    fill_disk(folder.path(), "00001");
    assert!(!recorder.has_failed());
    recorder.links(Time::from_ps(10), &samples);
    recorder.links(Time::from_ps(20), &samples);
    // No more rows are needed for that: the run ends in its next window.
    until(|| recorder.has_failed());
    // What is reported until then goes nowhere.
    for interval in 3..20 {
        recorder.links(Time::from_ps(interval * 10), &samples);
        recorder.latencies(Time::from_ps(20), LatencyKind::Packet, LatencySample::default());
    }
    assert!(recorder.has_failed());
    check_full_disk(recorder, folder.path());
}

/// The last part is written when all is over.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_at_the_end_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut recorder = recorder(folder.path(), everything());
    let samples = vec![LinkSample { link: LinkId(1), bytes: 1.0, packets: None }; 5000];
    recorder.links(Time::ZERO, &samples);
    recorder.links(Time::from_ps(10), &samples[..10]);
    fill_disk(folder.path(), "00001");
    assert!(!recorder.has_failed());
    check_full_disk(recorder, folder.path());
}

/// The same for the trace, and for the table of calls.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_keeping_of_calls() {
    for (table, trace, file) in
        [(Keep::No, Keep::Yes, "trace.perfetto"), (Keep::Yes, Keep::No, "calls/00000.parquet")]
    {
        let folder = tempfile::tempdir().unwrap();
        let begun = begin(folder.path());
        fs::create_dir_all(folder.path().join("calls")).unwrap();
        let partial = folder.path().join(format!("{file}.partial"));
        std::os::unix::fs::symlink("/dev/full", partial).unwrap();
        let mut recorder = CallRecorder::new(&begun, KeptCalls { table, trace }, drawn(1)).unwrap();
        let start = Time::ZERO;
        let end = Some((start, Duration::ZERO));
        let (peer, tag, none) = (None, None, Bytes(0));
        let call =
            CallRow { rank: Rank(0), name: "MPI_Test", start, end, peer, tag, sent: none, received: none };
        assert!(!recorder.has_failed());
        for _ in 0..5000 {
            recorder.begin(Rank(0), call.name, call.start);
            recorder.end_call(&call);
        }
        until(|| recorder.has_failed());
        let error = recorder.end(&[], None).unwrap_err().to_string();
        assert!(error.contains(file) && error.contains("No space left"), "{error}");
        assert!(!folder.path().join(file).exists());
    }
}

/// Nothing of an earlier run is taken for a part of this one; what weir has not written stays.
#[test]
fn a_folder_is_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("messages/00000.parquet.old");
    recorder(folder.path(), everything()).end().unwrap();
    assert!(!RunFolder::has_results(folder.path()));
    fs::write(&own, "mine").unwrap();
    fs::write(folder.path().join("summary.json"), r#"{"weir_version": "0.1.0"}"#).unwrap();
    assert!(RunFolder::has_results(folder.path()));
    let written = [
        "series/links/00007.parquet",
        "links.parquet",
        "begun.json",
        "series/links/notes.txt",
        "series/00007.parquet",
        "messages.json",
        "00007.parquet",
    ];
    let written = written.map(|name| RunFolder::is_written(folder.path(), &folder.path().join(name)));
    assert_eq!(written, [true, true, true, false, false, false, false]);
    assert!(!RunFolder::is_written(folder.path(), Path::new("links.parquet")));
    begin(folder.path());
    assert!(own.exists() && !folder.path().join("summary.json").exists());
    assert_eq!(fs::read_dir(folder.path().join("messages")).unwrap().count(), 1);
    assert!(!folder.path().join("packets").exists());
}

/// One run at a time; and what weir has not written under its names stays, with everything else.
#[test]
fn a_folder_has_one_run_and_nothing_strange() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let begun = begin(path);
    let error = RunFolder::begin(path, "other").unwrap_err().to_string();
    assert!(error.contains("another run writes into"), "{error}");
    drop(begun);
    recorder(path, everything()).end().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("00000.parquet"), "not mine").unwrap();
    let link = |name: &str| std::os::unix::fs::symlink(elsewhere.path(), path.join(name)).unwrap();
    fs::remove_dir_all(path.join("messages")).unwrap();
    link("messages");
    fs::write(path.join("series/links/00007.parquet"), "somebody's").unwrap();
    fs::write(path.join("summary.json"), "{}").unwrap();
    fs::remove_dir_all(path.join("packets")).unwrap();
    fs::write(path.join("packets"), "").unwrap();
    std::os::unix::fs::symlink("/dev/null", path.join("links.parquet")).unwrap();
    let before = fs::read_dir(path).unwrap().count();
    let error = RunFolder::begin(path, "run").unwrap_err().to_string();
    for named in ["messages is no folder", "links/00007.parquet is no table", "summary.json is no summary"] {
        assert!(error.contains(named), "{error}");
    }
    assert!(error.contains("packets is no folder") && error.contains("links.parquet is no ordinary file"));
    assert_eq!(fs::read_dir(path).unwrap().count(), before);
    assert!(path.join("series/links/00000.parquet").exists());
    assert!(elsewhere.path().join("00000.parquet").exists());
}
