//! The trace, read by a reader of protocol buffers of its own, with slices and arrows made of events as Perfetto makes them.

use super::{PAIR, kept, rows};
use crate::command::{compile_text, root, run, scratch, weir, with_body};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Compares the trace of a folder with its tables: every call is a slice, cut down to nanoseconds, and so is the time between
/// calls; every message is an arrow that points forward.
pub(super) fn check_trace(out: &Path) {
    let trace = Trace::read(&fs::read(out.join("trace.perfetto")).unwrap());
    let ns = |ps: &str| ps.parse::<u64>().unwrap() / 1000;
    let mut expected: Vec<(u64, String, u64, u64)> =
        rows(out, "calls", &["rank", "name", "start_ps", "end_ps"])
            .iter()
            .map(|row| row.split(' ').map(str::to_owned).collect::<Vec<_>>())
            .map(|row| (row[0].parse().unwrap(), row[1].clone(), ns(&row[2]), ns(&row[3])))
            .collect();
    let mut calls: Vec<[u64; 3]> = rows(out, "calls", &["rank", "start_ps", "end_ps"])
        .iter()
        .map(|row| row.split(' ').map(|number| number.parse().unwrap()).collect::<Vec<u64>>())
        .map(|row| [row[0], row[1], row[2]])
        .collect();
    calls.sort_unstable();
    let mut last = BTreeMap::new();
    for [rank, start, end] in calls {
        let free = last.insert(rank, end).unwrap_or(0);
        if free < start {
            expected.push((rank, "compute".into(), free / 1000, start / 1000));
        }
    }
    let slices = trace.slices.iter().filter(|slice| !slice.name.starts_with("message "));
    let mut found: Vec<_> =
        slices.map(|slice| (slice.rank, slice.name.clone(), slice.start, slice.end.unwrap())).collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    let summary = fs::read_to_string(out.join("summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(trace.arrows.len() as u64, summary["messages"].as_u64().unwrap());
    assert!(!trace.arrows.is_empty());
    let mut ends = [Vec::new(), Vec::new()];
    for &(from, to) in &trace.arrows {
        let (sender, receiver) = (&trace.slices[from], &trace.slices[to]);
        assert!(sender.end.unwrap() <= receiver.start, "{sender:?} -> {receiver:?} points backwards");
        ends[0].push(from);
        ends[1].push(to);
    }
    let both = ends[0].iter().find(|from| ends[1].contains(from));
    assert_eq!(both, None, "Perfetto follows arrows through this slice");
}

/// A slice or, without a length, a mark.
#[derive(Clone, Debug)]
pub(super) struct Slice {
    rank: u64,
    name: String,
    start: u64,
    end: Option<u64>,
}

/// What there is in a trace.
#[derive(Default)]
pub(super) struct Trace {
    slices: Vec<Slice>,
    /// From which slice to which.
    arrows: Vec<(usize, usize)>,
    counters: BTreeMap<String, Vec<(u64, f64)>>,
    names: BTreeMap<u64, String>,
    tracks: BTreeMap<u64, String>,
    /// Slices of the critical path: how deep, name, from when until when.
    path: Vec<(usize, String, u64, u64)>,
    /// What stands on the track that says what has been left out.
    left_out: Option<String>,
}

/// A field: its number, and its value if that is a number, or its bytes.
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl Value<'_> {
    fn number(&self) -> u64 {
        if let Self::Number(number) = self { *number } else { panic!("not a number") }
    }

    fn text(&self) -> String {
        if let Self::Bytes(bytes) = self {
            String::from_utf8(bytes.to_vec()).unwrap()
        } else {
            panic!("no text")
        }
    }
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    value
}

fn fields(mut bytes: &[u8]) -> Vec<(u64, Value<'_>)> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = match key & 7 {
            0 => Value::Number(varint(&mut bytes)),
            1 => {
                let (number, rest) = bytes.split_at(8);
                bytes = rest;
                Value::Number(u64::from_le_bytes(number.try_into().unwrap()))
            }
            2 => {
                let length = varint(&mut bytes) as usize;
                let (inner, rest) = bytes.split_at(length);
                bytes = rest;
                Value::Bytes(inner)
            }
            other => panic!("wire type {other}"),
        };
        fields.push((key >> 3, value));
    }
    fields
}

/// The fields of the one message in a field, if it is there.
fn inner<'a>(fields: &[(u64, Value<'a>)], number: u64) -> Vec<(u64, Value<'a>)> {
    match fields.iter().find(|(found, _)| *found == number) {
        Some((_, Value::Bytes(bytes))) => self::fields(bytes),
        _ => Vec::new(),
    }
}

fn first(fields: &[(u64, Value<'_>)], number: u64) -> Option<u64> {
    fields.iter().find(|(found, _)| *found == number).map(|(_, value)| value.number())
}

/// All numbers in a field that may be there several times.
fn all(fields: &[(u64, Value<'_>)], number: u64) -> Vec<u64> {
    fields.iter().filter(|(found, _)| *found == number).map(|(_, value)| value.number()).collect()
}

impl Trace {
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut trace = Self::default();
        let mut events = Vec::new();
        for (_, packet) in fields(bytes) {
            let Value::Bytes(packet) = packet else { panic!("packets are messages") };
            let packet = fields(packet);
            for (_, name) in inner(&packet, 12).iter().filter(|(number, _)| *number == 2) {
                let Value::Bytes(name) = name else { panic!("names are messages") };
                let name = fields(name);
                trace.names.insert(name[0].1.number(), name[1].1.text());
            }
            let track = inner(&packet, 60);
            if !track.is_empty() {
                trace.tracks.insert(first(&track, 1).unwrap(), track[1].1.text());
            }
            let event = inner(&packet, 11);
            if !event.is_empty() {
                events.push((first(&packet, 8).unwrap(), event));
            }
        }
        // Of one instant what stands before in the file is before.
        events.sort_by_key(|(at, _)| *at);
        trace.draw(&events);
        trace
    }

    /// Makes slices and arrows of events, as `track_event_parser.cc`, `slice_tracker.cc` and `flow_tracker.cc` of Perfetto do.
    fn draw(&mut self, events: &[(u64, Vec<(u64, Value<'_>)>)]) {
        let mut open: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        let mut arrows: BTreeMap<u64, usize> = BTreeMap::new();
        for (at, event) in events {
            let (kind, track) = (first(event, 9).unwrap(), first(event, 11).unwrap());
            let track_name = &self.tracks[&track];
            if kind == 4 {
                let value = f64::from_bits(first(event, 44).unwrap());
                self.counters.entry(track_name.clone()).or_default().push((*at, value));
                continue;
            }
            if track_name == "critical path" {
                draw_path(&mut self.path, open.entry(track).or_default(), (*at, kind), || {
                    let own = event.iter().find(|(number, _)| *number == 23).map(|(_, name)| name.text());
                    own.unwrap_or_else(|| self.names[&first(event, 10).unwrap()].clone())
                });
                continue;
            }
            let Some(rank) = track_name.strip_prefix("rank ") else {
                self.left_out = Some(inner(event, 4).last().unwrap().1.text());
                continue;
            };
            let stack = open.entry(track).or_default();
            let slice = if kind == 2 {
                let slice = stack.pop().expect("an end has a beginning");
                self.slices[slice].end = Some(*at);
                slice
            } else {
                let name = self.names[&first(event, 10).unwrap()].clone();
                let end = (kind == 3).then_some(*at);
                assert!(kind == 3 || stack.is_empty(), "{name} is a slice in a slice");
                self.slices.push(Slice { rank: rank.parse().unwrap(), name, start: *at, end });
                let slice = self.slices.len() - 1;
                if kind == 1 {
                    stack.push(slice);
                }
                slice
            };
            let mut join = |slices: &[Slice], other: usize| {
                let earlier = slices[other].start <= slices[slice].start;
                self.arrows.push(if earlier { (other, slice) } else { (slice, other) });
            };
            for id in all(event, 47) {
                if let Some(other) = arrows.insert(id, slice) {
                    join(&self.slices, other);
                }
            }
            for other in all(event, 48).iter().filter_map(|id| arrows.remove(id)) {
                join(&self.slices, other);
            }
        }
    }

    /// Each arrow: rank, name and end of the slice where it begins, rank, name and beginning of that where it ends.
    pub(super) fn arrows(&self) -> Vec<String> {
        let line = |&(from, to): &(usize, usize)| {
            let (Slice { rank, name, end, .. }, to) = (&self.slices[from], &self.slices[to]);
            format!("{rank} {name} {} -> {} {} {}", end.unwrap(), to.rank, to.name, to.start)
        };
        self.arrows.iter().map(line).collect()
    }

    fn ranks(&self) -> Vec<u64> {
        let mut ranks: Vec<u64> = self.slices.iter().map(|slice| slice.rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }
}

/// An event of the critical path, of a kind: a slice in those that are open begins, or the last of them ends.
fn draw_path(
    path: &mut Vec<(usize, String, u64, u64)>,
    open: &mut Vec<usize>,
    (at, kind): (u64, u64),
    name: impl FnOnce() -> String,
) {
    if kind == 1 {
        path.push((open.len(), name(), at, 0));
        open.push(path.len() - 1);
    } else {
        let slice = open.pop().expect("an end has a beginning");
        path[slice].3 = at;
    }
}

/// Rank 0 works until 10 us and sends 100 kB by rendezvous: 3 us for the request, 3 us for the clearance, 103 us for the data, for which rank 1 waits.
/// Nothing else is on the path; it is drawn if both are asked for.
#[test]
fn the_critical_path_is_a_track() {
    let folder = scratch();
    let body = "if (rank == 0) {
        weir_compute(10e-6);
        MPI_Send(b, 100000, MPI_CHAR, 1, 8, MPI_COMM_WORLD);
    } else {
        weir_compute(2e-6);
        MPI_Recv(b, 100000, MPI_CHAR, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }";
    let program = compile_text(&with_body(body), "path", folder.path());
    let traced = |more: &[&str]| {
        kept(&program, 2, PAIR, folder.path(), more).expect(0);
        Trace::read(&fs::read(folder.path().join("out/trace.perfetto")).unwrap())
    };
    let trace = traced(&["--set", "output.causes=true"]);
    let expected = [
        (0, "rank 0", 0, 10_000),
        (0, "message 0 -> 1", 10_000, 13_000),
        (1, "latency", 10_000, 13_000),
        (0, "message 1 -> 0", 13_000, 16_000),
        (1, "latency", 13_000, 16_000),
        (0, "message 0 -> 1", 16_000, 119_000),
        (1, "serialization", 16_000, 116_000),
        (1, "latency", 116_000, 119_000),
    ];
    let found: Vec<_> =
        trace.path.iter().map(|(depth, name, from, until)| (*depth, name.as_str(), *from, *until)).collect();
    assert_eq!(found, expected);
    let without = traced(&[]);
    assert!(without.path.is_empty() && without.tracks.values().all(|name| name != "critical path"));
}

/// A hundred rounds of two ranks in a short trace: the path is drawn from an instant on, without a gap from there, and that is said.
#[test]
fn a_long_critical_path_is_drawn_from_an_instant_on() {
    let folder = scratch();
    let body = "for (int i = 0; i < 100; i++) {
        if (rank == i % 2) MPI_Send(b, 1000, MPI_CHAR, 1 - rank, 8, MPI_COMM_WORLD);
        else MPI_Recv(b, 1000, MPI_CHAR, 1 - rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }";
    let program = compile_text(&with_body(body), "rounds", folder.path());
    let more = ["--set", "output.causes=true", "--set", "output.trace_limit=24 kB"];
    let ended = kept(&program, 2, PAIR, folder.path(), &more).expect(0);
    let trace = Trace::read(&fs::read(folder.path().join("out/trace.perfetto")).unwrap());
    let parts: Vec<_> = trace.path.iter().filter(|(depth, ..)| *depth == 0).collect();
    // 24 kB have 40 messages of 4 us.
    assert!(parts.iter().all(|(_, name, from, until)| name.starts_with("message ") && until - from == 4000));
    assert!(parts.windows(2).all(|pair| pair[0].3 == pair[1].2));
    assert_eq!((parts.len(), parts[0].2, parts[39].3), (40, 240_000, 400_000));
    let said = "the critical path before 240 us is left out";
    assert!(trace.left_out.as_deref().is_some_and(|text| text.contains(said)), "{:?}", trace.left_out);
    ended.says(&[said]);
}

/// Rank 0 sends 1 kB to rank 1, at 0, which arrives at 4 us; rank 1 receives it at 50 us. Both send another one, which the other has
/// long got when it receives, at 100 us and 150 us. Then each sends and receives in one call: that of rank 0 goes on when rank 1 takes
/// its message, so both ends are marks; that of rank 1 is over at once, and has the arrow that it sends, a mark the one that it
/// receives.
#[test]
fn arrows_join_calls_where_one_is_over_when_the_other_one_begins() {
    let folder = scratch();
    let body = "if (rank == 0) MPI_Send(b, 1000, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
        else { weir_compute(50e-6); MPI_Recv(b, 1000, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
        MPI_Isend(c, 1000, MPI_CHAR, 1 - rank, 8, MPI_COMM_WORLD, &r);
        weir_compute(100e-6);
        MPI_Recv(b, 1000, MPI_CHAR, 1 - rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(b, 1000, MPI_CHAR, 1 - rank, 9, c, 1000, MPI_CHAR, 1 - rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);";
    let program = compile_text(&with_body(body), "late_receiver", folder.path());
    kept(&program, 2, PAIR, folder.path(), &[]).expect(0);
    check_trace(&folder.path().join("out"));
    let trace = Trace::read(&fs::read(folder.path().join("out/trace.perfetto")).unwrap());
    let expected = [
        "0 MPI_Send 0 -> 1 MPI_Recv 50000",
        "1 MPI_Isend 50000 -> 0 MPI_Recv 100000",
        "0 MPI_Isend 0 -> 1 MPI_Recv 150000",
        "0 message sent 100000 -> 1 message received 150000",
        "1 MPI_Sendrecv 150000 -> 0 message received 154000",
    ];
    assert_eq!(trace.arrows(), expected);
}

/// The program of `cases/calls.toml` whose calls are computed by hand: an eager message, and one by rendezvous, which begins when the
/// receiver waits.
#[test]
fn arrows_of_an_eager_message_and_of_a_rendezvous() {
    let folder = scratch();
    let cases: toml::Table = toml::from_str(include_str!("../../cases/calls.toml")).unwrap();
    let body = cases["programs"]["late_sender"].as_str().unwrap();
    let program = compile_text(&with_body(body), "late_sender", folder.path());
    kept(&program, 2, PAIR, folder.path(), &[]).expect(0);
    check_trace(&folder.path().join("out"));
    let trace = Trace::read(&fs::read(folder.path().join("out/trace.perfetto")).unwrap());
    let expected = ["0 MPI_Send 5000 -> 1 message received 9000", "0 message sent 10000 -> 1 MPI_Wait 10000"];
    assert_eq!(trace.arrows(), expected);
}

/// 2 kB over links of 1 GB/s from 0 to 2 us: three links are busy for two intervals of 1 us, and for no more. The last byte has
/// arrived after another 3 us.
#[test]
fn busy_links_and_bytes_in_flight_are_counters_of_the_trace() {
    let folder = scratch();
    let body = "if (rank == 0) MPI_Send(b, 2000, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        else MPI_Recv(b, 2000, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);";
    let program = compile_text(&with_body(body), "counted", folder.path());
    kept(&program, 2, PAIR, folder.path(), &["--set", "output.sample_interval=1 us"]).expect(0);
    let mut trace = Trace::read(&fs::read(folder.path().join("out/trace.perfetto")).unwrap());
    for name in ["bytes in flight", "node 0"] {
        assert_eq!(trace.counters.remove(name).unwrap(), [(0, 2000.0), (5000, 0.0)], "{name}");
    }
    assert_eq!(trace.counters.len(), 3);
    assert!(trace.counters.contains_key("node 0 -> router (0)"), "{:?}", trace.counters.keys());
    for values in trace.counters.values() {
        assert_eq!(values, &[(0, 100.0), (2000, 0.0)]);
    }
}

/// The ring of 32 ranks in traces that may be so long: blocks of ranks are left out, then what comes late, and both are said.
#[test]
fn a_trace_that_becomes_too_long_has_fewer_ranks() {
    let folder = scratch();
    let program = crate::command::compile(&root().join("examples/ring.c"), folder.path());
    let traced = |limit: &str| {
        let out = folder.path().join("limited");
        let mut command = weir(["mpirun", "-n", "32", "--machine"]);
        command.arg(root().join("examples/torus.toml")).args(["--set", "output.trace=true", "--set"]);
        command.arg(format!("output.trace_limit={limit}")).arg("--out").arg(&out).arg(&program);
        let ended = run(command.arg("1000"));
        let length = fs::metadata(out.join("trace.perfetto")).map_or(0, |file| file.len());
        (ended, Trace::read(&fs::read(out.join("trace.perfetto")).unwrap_or_default()), length)
    };
    let (ended, whole, length) = traced("10 MB");
    assert!(!ended.expect(0).stderr.contains("trace.perfetto"));
    assert_eq!((whole.ranks().len(), &whole.left_out), (32, &None));
    let (ended, half, shorter) = traced("150 kB");
    let said = "16 of 32 ranks are drawn: of 2 times 8 ranks next to each other the first 8";
    assert_eq!(half.left_out.as_deref(), Some(said));
    let ended = ended.expect(0);
    ended.says(&[&format!("warning: trace.perfetto: {said} (output.trace_limit")]);
    assert_eq!(half.ranks(), (0..8).chain(16..24).collect::<Vec<u64>>());
    assert!(shorter < length * 3 / 4, "{shorter} of {length}");
    assert_eq!(half.slices.iter().filter(|slice| slice.rank == 3 && slice.name == "MPI_Send").count(), 64);
    assert!(half.arrows.iter().any(|&(from, _)| half.slices[from].rank == 0));
    assert_eq!(half.tracks.keys().filter(|track| (16..1 << 40).contains(*track)).count(), 16);
    let (ended, short, _) = traced("30 kB");
    ended.expect(0);
    let said = short.left_out.as_deref().unwrap();
    assert!(said.contains("16 of 32 ranks") && said.contains("; calls that begin after "), "{said}");
    let last = |trace: &Trace| trace.slices.iter().map(|slice| slice.start).max().unwrap();
    assert!(last(&short) < last(&half));
    assert!(short.slices.iter().all(|slice| slice.end.is_some()), "what has begun is drawn to its end");
    traced("0").0.expect(2).says(&["output.trace_limit = 0: must be more than 0"]);
}
