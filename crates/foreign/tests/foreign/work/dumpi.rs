//! Traces of DUMPI, written here call by call.

use super::{Folder, lines, read_path};
use proptest::prelude::*;
use weir_foreign::{Given, Imported, Mistake};
use weir_formats::graph::GraphFile;

const MAGIC: &[u8] = b"\xff\xaa\xddDUMPI";
const INT: u16 = 9;
const DOUBLE: u16 = 14;
const WORLD: u16 = 2;

/// An argument of a call.
#[derive(Clone)]
enum Argument {
    Word(i32),
    Short(u16),
    Byte(u8),
    Words(Vec<i32>),
    Shorts(Vec<u16>),
    /// No states of messages.
    States,
}
use Argument::{Byte, Short, Shorts, States, Word, Words};

/// A file of one rank in the making.
struct Writer {
    bytes: Vec<u8>,
    counts: Vec<u32>,
    /// Nanoseconds.
    clock: u32,
    version: [u8; 3],
}

impl Writer {
    fn new() -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([0, 0, 0, 0, 0x4d, 0x4b, 0x42, 0xe4]);
        let mut writer = Self { bytes, counts: vec![0; 291], clock: 0, version: [8, 1, 0] };
        writer.call(124, &[Word(0)]);
        writer
    }

    /// A call that begins after so many nanoseconds and takes 10.
    fn after(&mut self, ns: u32, function: u16, arguments: &[Argument]) -> &mut Self {
        self.counts[usize::from(function)] += 1;
        let begin = self.clock + ns;
        self.clock = begin + 10;
        self.bytes.extend(function.to_be_bytes());
        self.bytes.extend([0x4f, 0, 0]);
        // Processor time is not looked at.
        for time in [7, 5, begin, self.clock] {
            self.bytes.extend([0, 0]);
            self.bytes.extend(time.to_be_bytes());
        }
        for argument in arguments {
            match argument {
                Word(word) => self.bytes.extend(word.to_be_bytes()),
                Short(short) => self.bytes.extend(short.to_be_bytes()),
                Byte(byte) => self.bytes.push(*byte),
                Words(words) => {
                    self.bytes.extend((words.len() as u32).to_be_bytes());
                    words.iter().for_each(|word| self.bytes.extend(word.to_be_bytes()));
                }
                Shorts(shorts) => {
                    self.bytes.extend((shorts.len() as u32).to_be_bytes());
                    shorts.iter().for_each(|short| self.bytes.extend(short.to_be_bytes()));
                }
                States => self.bytes.extend([0; 4]),
            }
        }
        self
    }

    fn call(&mut self, function: u16, arguments: &[Argument]) -> &mut Self {
        self.after(0, function, arguments)
    }

    fn message(&mut self, function: u16, count: i32, kind: u16, peer: i32, tag: i32, comm: u16) -> &mut Self {
        let mut arguments = vec![Word(count), Short(kind), Word(peer), Word(tag), Short(comm)];
        if function == 1 {
            arguments.push(States);
        }
        self.call(function, &arguments)
    }

    fn request(&mut self, function: u16, count: i32, peer: i32, tag: i32, request: i32) -> &mut Self {
        let of = [Word(count), Short(INT), Word(peer), Word(tag), Short(WORLD), Word(request)];
        self.call(function, &of)
    }

    /// The file, after `MPI_Finalize`.
    fn finish(&mut self) -> Vec<u8> {
        self.call(125, &[]);
        let mut bytes = self.bytes.clone();
        bytes.extend(293_u16.to_be_bytes());
        let head = bytes.len() as u64;
        bytes.extend(self.version);
        bytes.extend([0; 20]);
        let counts = bytes.len() as u64;
        bytes.extend(0xf007_fee7_u64.to_be_bytes());
        self.counts.iter().for_each(|count| bytes.extend(count.to_be_bytes()));
        bytes.extend([0; 291 * 4]);
        bytes.extend(MAGIC);
        for at in [0, 0, 0, head, 8, counts, 0] {
            bytes.extend(at.to_be_bytes());
        }
        bytes
    }
}

fn trace(ranks: &[Vec<u8>], numprocs: usize) -> Folder {
    let meta = format!("hostname=h\nnumprocs={numprocs}\nfileprefix=t\nversion=8\n");
    let folder = Folder::new(&[("t.meta", meta.as_bytes())]);
    for (rank, bytes) in ranks.iter().enumerate() {
        std::fs::write(folder.path(&format!("t-{rank:04}.bin")), bytes).unwrap();
    }
    folder
}

fn imported(ranks: &[Vec<u8>], skip: bool) -> Result<Imported<GraphFile>, Vec<Mistake>> {
    let folder = trace(ranks, ranks.len());
    read_path(&folder.path("t.meta"), Given { skip, ..Given::default() })
}

#[track_caller]
fn reads(ranks: &[Vec<u8>], expected: &[&str]) {
    let graph = imported(ranks, false).unwrap_or_else(|mistakes| panic!("{mistakes:?}")).made;
    assert_eq!(lines(&graph), expected);
}

#[track_caller]
fn refused(ranks: &[Vec<u8>], words: &str) {
    let mistakes = imported(ranks, false).err().unwrap_or_else(|| panic!("accepted"));
    assert!(mistakes.iter().any(|m| format!("{} {}", m.value, m.what).contains(words)), "{mistakes:?}");
}

/// Calls and times of rank 0 are those that `dumpi2ascii` says; a ring of four.
#[test]
fn a_trace_of_sst() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/dumpi-testtrace");
    let of_meta = read_path(&folder.join("testtrace.meta"), Given::default()).unwrap().made;
    let graph = read_path(&folder.join("testtrace-0002.bin"), Given::default()).unwrap().made;
    assert_eq!(lines(&graph), lines(&of_meta));
    let all = lines(&graph);
    let of_first = [
        "0 compute 42 us",
        "0 barrier",
        "0 compute 15 us",
        "0 send 1 4 tag 1337",
        "0 compute 10 us begun 3",
        "0 recv 3 4 tag 1337",
        "0 compute 8 us",
        "0 compute 15 us requires 3 6",
        "0 allreduce 4 element 4",
        "0 compute 7 us",
    ];
    assert_eq!(all[..of_first.len()], of_first);
    for rank in 1..4 {
        assert!(all.contains(&format!("{rank} send {} 4 tag 1337", (rank + 1) % 4)));
        assert!(all.contains(&format!("{rank} recv {} 4 tag 1337", rank - 1)));
    }
}

#[test]
fn calls_are_tasks_and_the_time_between_them_is_computation() {
    let mut first = Writer::new();
    first.after(1000, 0, &[Word(3), Short(DOUBLE), Word(1), Word(7), Short(WORLD)]);
    first.request(8, 2, 1, 1, 2).request(12, 2, 1, -1, 3);
    first.after(50, 18, &[Word(2), Words(vec![2, 3]), States]);
    // A look in vain, one at something that is there, and at a request that is over.
    first
        .request(12, 1, -1, 5, 4)
        .call(14, &[Word(4), Word(0), States])
        .call(14, &[Word(4), Word(1), States]);
    first.call(13, &[Word(1), States]).message(4, 1, INT, 1, 9, WORLD);
    let mut second = Writer::new();
    second.message(1, 3, DOUBLE, 0, 7, WORLD).message(1, 2, INT, 0, 1, WORLD).message(0, 2, INT, 0, 1, WORLD);
    second.message(0, 1, INT, 0, 5, WORLD).message(1, 1, INT, 0, 9, WORLD);
    // To MPI_PROC_NULL, and from it.
    second.message(0, 1, INT, -2, 9, WORLD).message(1, 1, INT, -2, 9, WORLD);
    reads(
        &[first.finish(), second.finish()],
        &[
            "0 compute 1 us",
            "0 send 1 24 tag 7",
            "0 send 1 8 tag 1",
            "0 recv 1 8 tag any begun 2",
            "0 compute 50 ns begun 3",
            "0 recv any 4 tag 5 requires 2 3 4",
            // The look in vain takes 10 ns of the rank's own time.
            "0 compute 10 ns begun 5",
            "0 ssend 1 4 tag 9 requires 5 6",
            "1 recv 0 24 tag 7",
            "1 recv 0 8 tag 1",
            "1 send 0 8 tag 1",
            "1 send 0 4 tag 5",
            "1 recv 0 4 tag 9",
            "1 send nobody 4 tag 9",
            "1 recv nobody 4",
        ],
    );
}

#[test]
fn requests_are_started_again() {
    let mut first = Writer::new();
    first.request(26, 2, 1, 1, 5);
    for _ in 0..2 {
        first.call(32, &[Word(1), Words(vec![5])]).call(16, &[Word(1), Words(vec![5]), Word(0), States]);
    }
    first.call(15, &[Word(5)]);
    let mut second = Writer::new();
    second.request(30, 2, 0, 1, 6);
    for _ in 0..2 {
        second.call(31, &[Word(6)]);
        second.call(20, &[Word(1), Words(vec![6]), Word(1), Words(vec![0]), States]);
    }
    reads(
        &[first.finish(), second.finish()],
        // Calls that send nothing take 10 ns of the rank's own time.
        &[
            "0 compute 10 ns",
            "0 send 1 8 tag 1",
            "0 send 1 8 tag 1",
            "0 compute 10 ns",
            "1 compute 10 ns",
            "1 recv 0 8 tag 1",
            "1 recv 0 8 tag 1",
        ],
    );
}

#[test]
fn both_ways_at_once() {
    let files: Vec<Vec<u8>> = (0..2)
        .map(|rank| {
            let other = 1 - rank;
            let [to, from] = [Word(other), Word(other)];
            let arguments = [
                Word(1),
                Short(DOUBLE),
                to.clone(),
                Word(3),
                Word(1),
                Short(DOUBLE),
                from.clone(),
                Word(3),
                Short(WORLD),
                States,
            ];
            let again = [Word(2), Short(INT), to, Word(4), from, Word(4), Short(WORLD), States];
            Writer::new().call(33, &arguments).call(34, &again).finish()
        })
        .collect();
    let of = |rank: u32| {
        let other = 1 - rank;
        [
            format!("{rank} recv {other} 8 tag 3"),
            format!("{rank} send {other} 8 tag 3 begun 0"),
            format!("{rank} recv {other} 8 tag 4 requires 0 1"),
            format!("{rank} send {other} 8 tag 4 begun 2"),
        ]
    };
    let expected: Vec<String> = (0..2).flat_map(of).collect();
    assert_eq!(lines(&imported(&files, false).unwrap().made), expected);
}

#[test]
fn collectives_have_lengths() {
    let files: Vec<Vec<u8>> = (0..2)
        .map(|rank: i32| {
            let mut file = Writer::new();
            file.call(52, &[Short(WORLD)]);
            file.call(53, &[Word(3), Short(INT), Word(1), Short(WORLD)]);
            file.call(62, &[Word(2), Short(DOUBLE), Byte(3), Word(0), Short(WORLD)]);
            file.call(65, &[Word(2), Short(DOUBLE), Byte(3), Short(WORLD)]);
            // An operation of the program that keeps the order of operands.
            file.call(63, &[Word(0), Byte(20)]).call(65, &[Word(1), Short(INT), Byte(20), Short(WORLD)]);
            let mut gather = vec![Word(rank), Word(4), Short(INT), Word(1), Short(WORLD)];
            let mut gatherv = vec![Word(rank), Word(2), Word(rank + 1), Short(INT), Word(0), Short(WORLD)];
            let mut scatterv =
                vec![Word(rank), Word(2), Short(INT), Word(rank + 1), Short(INT), Word(0), Short(WORLD)];
            if rank == 1 {
                gather.extend([Word(2), Short(DOUBLE)]);
            } else {
                gatherv.extend([Words(vec![1, 2]), Words(vec![0, 1])]);
                scatterv.extend([Words(vec![1, 2]), Words(vec![0, 1])]);
            }
            gatherv.push(Short(INT));
            file.call(54, &gather).call(55, &gatherv).call(57, &scatterv);
            file.call(58, &[Word(9), Short(INT), Word(2), Short(INT), Short(WORLD)]);
            let counts = || Words(vec![1, 2]);
            let places = || Words(vec![0, 1]);
            let own = Word(rank + 1);
            file.call(59, &[Word(2), own, Short(INT), counts(), places(), Short(INT), Short(WORLD)]);
            let takes = Words(vec![rank + 1; 2]);
            file.call(
                61,
                &[Word(2), counts(), places(), Short(INT), takes, places(), Short(INT), Short(WORLD)],
            );
            file.call(66, &[Word(2), counts(), Short(INT), Byte(3), Short(WORLD)]);
            file.call(67, &[Word(2), Short(INT), Byte(3), Short(WORLD)]);
            file.finish()
        })
        .collect();
    let of = |rank: u32| {
        let own = 4 * (rank + 1);
        let varied = if rank == 0 { "blocks 4 8".to_owned() } else { own.to_string() };
        [
            "barrier".to_owned(),
            "bcast 12 root 1".to_owned(),
            "reduce 16 root 0 element 8".to_owned(),
            "allreduce 16 element 8".to_owned(),
            // The call that makes the operation takes 10 ns of the rank's own time.
            "compute 10 ns".to_owned(),
            "allreduce 4 element 4 ordered".to_owned(),
            "gather 16 root 1".to_owned(),
            format!("gatherv {varied} root 0"),
            format!("scatterv {varied} root 0"),
            "allgather 8".to_owned(),
            "allgatherv blocks 4 8".to_owned(),
            format!("alltoallv out 4 8 in {own} {own}"),
            "reduce-scatter blocks 4 8 element 4".to_owned(),
            "scan 8".to_owned(),
        ]
        .map(|text| format!("{rank} {text}"))
    };
    let expected: Vec<String> = (0..2).flat_map(of).collect();
    assert_eq!(lines(&imported(&files, false).unwrap().made), expected);
}

#[test]
fn datatypes_of_the_program_have_sizes() {
    let mut file = Writer::new();
    file.call(35, &[Word(3), Short(INT), Short(30)]);
    file.call(36, &[Word(2), Word(5), Word(9), Short(30), Short(31)]);
    file.call(40, &[Word(2), Words(vec![1, 2]), Words(vec![0, 8]), Shorts(vec![DOUBLE, 31]), Short(32)]);
    for kind in [30, 31, 32] {
        file.message(0, 2, kind, 0, 0, WORLD).message(1, 2, kind, 0, 0, WORLD);
    }
    let sizes = [24, 240, 2 * (8 + 240)];
    let expected: Vec<String> =
        sizes.iter().flat_map(|size| [format!("0 send 0 {size}"), format!("0 recv 0 {size}")]).collect();
    let graph = imported(&[file.finish()], false).unwrap().made;
    let found = lines(&graph).into_iter().filter(|line| !line.contains("compute")).collect::<Vec<_>>();
    assert_eq!(found, expected);
}

/// The members of communicators follow from the calls of all ranks, which have names of their own for them.
#[test]
fn communicators_are_those_of_all_ranks() {
    let files: Vec<Vec<u8>> = (0..6_i32)
        .map(|rank| {
            let mut file = Writer::new();
            let name = |number: u16| 10 + number + rank as u16;
            // Even and odd ranks, the last first.
            file.call(86, &[Short(WORLD), Word(rank % 2), Word(-rank), Short(name(0))]);
            file.call(81, &[Short(name(0)), Word(3)]).call(82, &[Short(name(0)), Word((5 - rank) / 2)]);
            file.call(84, &[Short(name(0)), Short(name(20))]);
            // A grid of 3 times 2, and its rows.
            let sides = [Words(vec![3, 2]), Words(vec![0, 0])];
            file.call(
                99,
                &[Short(WORLD), Word(2), sides[0].clone(), sides[1].clone(), Word(0), Short(name(40))],
            );
            file.call(111, &[Word(2), Short(name(40)), Words(vec![0, 1]), Short(name(60))]);
            // The group of ranks 1 and 4.
            file.call(72, &[Short(WORLD), Short(name(80))]);
            file.call(76, &[Short(name(80)), Word(2), Words(vec![4, 1]), Short(name(81))]);
            let new = if rank == 1 || rank == 4 { name(100) } else { 1 };
            file.call(85, &[Short(WORLD), Short(name(81)), Short(new)]);
            for comm in [name(20), name(60)] {
                file.call(52, &[Short(comm)]);
            }
            if rank == 1 {
                file.message(0, 1, INT, 0, 0, name(100));
            }
            if rank == 4 {
                file.message(1, 1, INT, 1, 0, name(100));
            }
            file.finish()
        })
        .collect();
    let graph = imported(&files, false).unwrap_or_else(|mistakes| panic!("{mistakes:?}")).made;
    let mut text = Vec::new();
    graph.write(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let members = |ranks: &str| {
        let line = text.lines().rev().find(|line| line.starts_with("communicator") && line.ends_with(ranks));
        line.unwrap_or_else(|| panic!("{ranks}: {text}"))["communicator ".len()..].split(':').next().unwrap()
    };
    let barrier = |comm: &str| format!("barrier comm {comm}");
    for (rank, split, row) in [(0, ": 4 2 0", ": 0-1"), (3, ": 5 3 1", ": 2-3"), (5, ": 5 3 1", ": 4-5")] {
        let own: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix(&format!("{rank} "))).collect();
        assert!(own[0].starts_with("split"), "{own:?}");
        assert!(own.contains(&&*barrier(members(split))) && own.contains(&&*barrier(members(row))), "{text}");
    }
    let pair = members(": 4 1");
    assert!(
        text.contains(&format!("1 send 0 4 comm {pair}"))
            && text.contains(&format!("4 recv 1 4 comm {pair}"))
    );
}

#[test]
fn mistakes_in_dumpi_are_named() {
    let whole = || Writer::new().call(52, &[Short(WORLD)]).finish();
    refused(&[whole(), whole()[..400].to_vec()], "t-0001.bin: the index at the end of the file is missing");
    let folder = trace(&[whole()], 2);
    let mistakes = read_path(&folder.path("t-0000.bin"), Given::default()).unwrap_err();
    assert!(mistakes[0].what.contains("t-0001.bin is missing: t.meta says that there are 2"), "{mistakes:?}");
    let mut old = Writer::new();
    old.version = [0, 6, 8];
    refused(&[old.finish()], "version 0.6.8");
    old.version = [9, 0, 0];
    refused(&[old.finish()], "version 9.0.0");
    let mut backwards = Writer::new();
    backwards.clock = 0;
    refused(&[backwards.call(52, &[Short(WORLD)]).finish()], "clocks run backwards");
    refused(&[Writer::new().call(81, &[Short(WORLD), Word(4)]).finish()], "files are missing");
    refused(&[Writer::new().message(0, 1, 77, 0, 0, WORLD).finish()], "how long datatype 77 is");
    refused(&[Writer::new().message(0, 1, INT, 5, 0, WORLD).finish()], "there is no rank 5");
    refused(&[Writer::new().call(13, &[Word(9), States]).finish()], "no recorded call has started");
    let split = || Writer::new().call(86, &[Short(WORLD), Word(0), Word(0), Short(9)]).finish();
    refused(&[split(), whole()], "rank 0 calls MPI_Comm_split (call 2), and not all members");
    let double = Writer::new().call(84, &[Short(WORLD), Short(9)]).finish();
    refused(&[split(), double], "where rank 1 calls MPI_Comm_dup (call 2)");
}

#[test]
fn what_is_no_task_is_left_out_and_counted() {
    let mut file = Writer::new();
    file.call(146, &[Byte(0), Short(1)]).call(146, &[Byte(0), Short(1)]);
    file.call(91, &[Short(WORLD), Word(0), Short(WORLD), Word(0), Word(0), Short(50)]);
    file.message(0, 1, INT, 0, 0, 50);
    let file = file.finish();
    refused(
        std::slice::from_ref(&file),
        "t-0000.bin, call 2 at byte 49: MPI_Win_fence accesses to the memory of others",
    );
    let Imported { made, skipped, .. } = imported(&[file], true).unwrap();
    assert_eq!(lines(&made).len(), 0);
    assert_eq!(skipped.iter().map(|skipped| skipped.count).collect::<Vec<_>>(), [2, 1, 1]);
}

proptest! {
    /// A trace that is damaged somewhere is refused, or read as another one: nothing breaks.
    #[test]
    fn nothing_breaks_on_damage(place in 0_usize..3000, byte: u8) {
        let mut first = Writer::new();
        first.request(8, 2, 1, 1, 2).call(18, &[Word(1), Words(vec![2]), States]).call(52, &[Short(WORLD)]);
        let mut file = first.finish();
        let place = place % file.len();
        file[place] = byte;
        let second = Writer::new().message(1, 2, INT, 0, 1, WORLD).call(52, &[Short(WORLD)]).finish();
        let folder = trace(&[file, second], 2);
        let path = folder.path("t.meta");
        let _ = read_path(&path, Given::default());
    }
}
