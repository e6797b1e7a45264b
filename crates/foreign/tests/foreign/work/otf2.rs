//! Archives of OTF2: one of Score-P, and others that are written here record by record.

use super::{Folder, lines, read_path};
use std::path::Path;
use weir_foreign::{Given, Imported, Mistake};
use weir_formats::graph::GraphFile;

/// A number behind the number of its bytes.
fn number(number: u64) -> Vec<u8> {
    let length = (64 - number.leading_zeros()).div_ceil(8);
    [&[length as u8], &number.to_le_bytes()[..length as usize]].concat()
}

fn numbers(all: &[u64]) -> Vec<u8> {
    all.iter().flat_map(|&one| number(one)).collect()
}

fn record(kind: u8, content: &[u8]) -> Vec<u8> {
    [&[kind, content.len() as u8], content].concat()
}

fn file(records: &[Vec<u8>]) -> Vec<u8> {
    [&[3, b'B'][..], &[0; 16], &records.concat(), &[2, 1]].concat()
}

const NAMES: [&str; 9] =
    ["Init", "Finalize", "Send", "Recv", "Isend", "Irecv", "Waitall", "Allreduce", "Comm_rank"];

/// Definitions of two ranks in locations 7 and 9, with ticks of a nanosecond and communicators of both (0), of each alone (1), and of the second and the first (2).
fn definitions() -> Vec<u8> {
    let mut records = vec![record(5, &numbers(&[1_000_000_000, 0, 100]))];
    for (place, name) in (0..).zip(NAMES) {
        records.push(record(10, &[&number(place)[..], format!("MPI_{name}\0").as_bytes()].concat()));
        records.push(record(15, &[&numbers(&[place, place, place])[..], &[0; 7]].concat()));
    }
    let group = |name: u64, members: &[u64], kind: u8| {
        let head = [numbers(&[name, 0]), vec![0], number(members.len() as u64)].concat();
        record(18, &[&head[..], &numbers(members), &[kind, 4, 0]].concat())
    };
    records.extend([group(0, &[7, 9], 4), group(1, &[0, 1], 5), group(2, &[], 6), group(3, &[1, 0], 5)]);
    for (communicator, group) in [(0, 1), (1, 2), (2, 3)] {
        records.push(record(22, &numbers(&[communicator, 0, group, 0])));
    }
    file(&records)
}

/// Events of a rank in the making.
struct Events {
    records: Vec<Vec<u8>>,
    time: u64,
}

impl Events {
    fn new() -> Self {
        let mut events = Self { records: Vec::new(), time: 1000 };
        events.call(0, 0, &[]);
        events
    }

    /// A call that begins after so many nanoseconds and takes 10, with events in it.
    fn call(&mut self, after: u64, region: u64, within: &[Vec<u8>]) -> &mut Self {
        let time = |time: u64| [&[5][..], &time.to_le_bytes()].concat();
        self.time += after;
        self.records.extend([time(self.time), [vec![12], number(region)].concat()]);
        self.records.extend_from_slice(within);
        self.time += 10;
        self.records.extend([time(self.time), [vec![13], number(region)].concat()]);
        self
    }

    fn finish(&mut self) -> Vec<u8> {
        self.call(0, 1, &[]);
        file(&self.records)
    }
}

fn folder(first: &[u8], second: &[u8]) -> Folder {
    let head = [
        &b"\x03BOTF2\0\x03\x02\x03\0\x03"[..],
        &[0, 0, 16, 0, 0, 0, 0, 0],
        &[0, 0, 64, 0, 0, 0, 0, 0],
        &[1, 1],
    ];
    // The second rank has other names for communicators.
    let own = file(&[record(5, &[&[6][..], &number(2), &[0], &numbers(&[2, 0])].concat())]);
    Folder::new(&[
        ("t.otf2", &head.concat()),
        ("t.def", &definitions()),
        ("t/7.evt", first),
        ("t/9.def", &own),
        ("t/9.evt", second),
    ])
}

fn imported(first: &[u8], second: &[u8], skip: bool) -> Result<Imported<GraphFile>, Vec<Mistake>> {
    read_path(&folder(first, second).path("t.otf2"), Given { skip, ..Given::default() })
}

#[track_caller]
fn refused(first: &[u8], words: &str) {
    let second = Events::new().finish();
    let mistakes = imported(first, &second, false).err().unwrap_or_else(|| panic!("accepted"));
    assert!(mistakes.iter().any(|m| format!("{} {}", m.value, m.what).contains(words)), "{mistakes:?}");
}

#[test]
fn a_ping_pong_of_score_p() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/otf2-ping-pong/traces.otf2");
    let graph = read_path(&path, Given::default()).unwrap_or_else(|mistakes| panic!("{mistakes:?}")).made;
    let all = lines(&graph);
    let mut expected = Vec::new();
    for rank in 0..2 {
        for step in 0..8 {
            let bytes = 16384 << step;
            let there = format!("{rank} send {} {bytes} tag {}", 1 - rank, 10 * (rank + 1));
            let back = format!("{rank} recv {} {bytes} tag {}", 1 - rank, 20 - 10 * rank);
            expected.extend(if rank == 0 { [there, back] } else { [back, there] });
        }
    }
    let messages: Vec<&String> = all.iter().filter(|line| !line.contains("compute")).collect();
    assert_eq!(messages, expected.iter().collect::<Vec<_>>());
    // From the end of MPI_Init (..382698364) to the first MPI_Send (..382750926): 52562 ticks of 1 / 2095197216 s.
    let ps = (7_397_467_382_750_926_u64 - 7_397_467_382_698_364) * 1_000_000_000_000 / 2_095_197_216;
    assert_eq!(all[0], format!("0 compute {ps} ps"));
}

#[test]
fn events_are_tasks() {
    let mut first = Events::new();
    first.call(100, 8, &[]);
    first.call(5, 2, &[record(14, &numbers(&[1, 0, 3, 80]))]);
    // What the receive is shows at its end; the send in between waits until then to be added.
    first.call(0, 5, &[record(17, &number(1))]).call(0, 4, &[record(15, &numbers(&[1, 0, 4, 8, 2]))]);
    first.call(30, 6, &[record(19, &numbers(&[0, 2, 5, 16, 1])), record(16, &number(2))]);
    let allreduce = |communicator: u64| {
        let content = [vec![11], number(communicator), vec![255], numbers(&[24, 24])].concat();
        [record(22, &[]), record(23, &content)]
    };
    first.call(0, 7, &allreduce(0));
    let mut second = Events::new();
    second.call(0, 3, &[record(18, &numbers(&[0, 1, 3, 80]))]);
    second.call(0, 3, &[record(18, &numbers(&[0, 1, 4, 8]))]).call(
        0,
        2,
        &[record(14, &numbers(&[1, 0, 5, 16]))],
    );
    second.call(0, 7, &allreduce(1));
    let graph = imported(&first.finish(), &second.finish(), false);
    let graph = graph.unwrap_or_else(|mistakes| panic!("{mistakes:?}")).made;
    assert_eq!(
        lines(&graph),
        [
            // A call that sends nothing is the rank's own time.
            "0 compute 115 ns",
            "0 send 1 80 tag 3",
            "0 recv 0 16 tag 5 comm 4",
            "0 send 1 8 tag 4 begun 2",
            "0 compute 30 ns begun 3",
            "0 allreduce 24 element 1 requires 2 3 4",
            "1 recv 0 80 tag 3",
            "1 recv 0 8 tag 4",
            "1 send 1 16 tag 5 comm 4",
            "1 allreduce 24 element 1",
        ]
    );
}

#[test]
fn mistakes_in_otf2_are_named() {
    let whole = Events::new().finish();
    refused(&whole[..whole.len() - 1], "t/7.evt, record 4 before byte");
    refused(&whole[..40], "cut off");
    refused(&file(&Events::new().records), "t/7.evt: it has no MPI_Finalize");
    let mut backwards = Events::new();
    backwards.time = 500;
    refused(&backwards.call(0, 2, &[record(14, &numbers(&[1, 0, 3, 80]))]).finish(), "clocks run backwards");
    let send = |communicator: u64| {
        Events::new().call(0, 2, &[record(14, &numbers(&[1, communicator, 3, 80]))]).finish()
    };
    refused(&send(5), "communicator 5 is not defined");
    let open = Events::new().call(0, 5, &[record(17, &number(1))]).finish();
    refused(&open, "is begun and never ends");
    let gatherv = [vec![3], number(0), number(0), numbers(&[24, 24])].concat();
    let gatherv = Events::new().call(0, 7, &[record(23, &gatherv)]).finish();
    refused(&gatherv, "has sums only");
    let skipped = imported(&gatherv, &Events::new().finish(), true).unwrap();
    assert_eq!((skipped.skipped[0].count, lines(&skipped.made).len()), (1, 0));
    let missing = folder(&whole, &whole);
    std::fs::remove_file(missing.path("t/9.evt")).unwrap();
    let mistakes = read_path(&missing.path("t.otf2"), Given::default()).unwrap_err();
    assert!(mistakes[0].what.contains("t/9.evt: cannot be read"), "{mistakes:?}");
}

/// A damaged archive is refused, or read as another one: nothing breaks.
#[test]
fn nothing_breaks_on_damage() {
    let mut events = Events::new();
    events.call(0, 5, &[record(17, &number(1))]).call(0, 6, &[record(19, &numbers(&[0, 2, 5, 16, 1]))]);
    let whole = events.finish();
    let other = Events::new().call(0, 2, &[record(14, &numbers(&[1, 0, 5, 16]))]).finish();
    for place in 0..whole.len() {
        for byte in [0, 1, 2, 255] {
            let mut damaged = whole.clone();
            damaged[place] = byte;
            let _ = imported(&damaged, &other, true);
        }
    }
}
