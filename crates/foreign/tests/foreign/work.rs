//! Graphs of work from files of other tools, and back.

#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_foreign::{Given, Imported, Mistake, Reader, Writer};
use weir_formats::graph::{GraphFile, read_text};
use weir_operations::{Requires, Task, Tasks};

mod chakra;
mod dimemas;
mod dumpi;
mod msccl;
mod otf2;
mod paraver;
mod training;

/// A folder of files that is gone with this.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new(files: &[(&str, &[u8])]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, bytes) in files {
            let path = folder.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

pub(crate) fn read_path(path: &Path, given: Given) -> Result<Imported<GraphFile>, Vec<Mistake>> {
    let format =
        weir_foreign::recognize(path).unwrap_or_else(|| panic!("{} is not recognized", path.display()));
    let Some(Reader::Work(reader)) = format.reader else { panic!("{} is no graph of work", format.name) };
    reader.read(path, given)
}

fn read_one(text: &[u8], given: Given) -> Result<Imported<GraphFile>, Vec<Mistake>> {
    let folder = Folder::new(&[("a", text)]);
    read_path(&folder.path("a"), given)
}

/// The lines of a graph in weir's own words, without head.
pub(crate) fn lines(graph: &GraphFile) -> Vec<String> {
    let mut text = Vec::new();
    graph.write(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    text.lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}

#[track_caller]
fn reads(text: &str, expected: &[&str]) {
    let speed = Some(1e9);
    let imported = read_one(text.as_bytes(), Given { speed, ..Given::default() });
    let imported = imported.unwrap_or_else(|mistakes| panic!("{text}: {mistakes:?}"));
    assert_eq!(lines(&imported.made), expected, "{text}");
}

/// Fails unless the text is refused on this line, with these words.
#[track_caller]
fn refused(text: &str, line: Option<usize>, words: &str) {
    let mistakes =
        read_one(text.as_bytes(), Given::default()).err().unwrap_or_else(|| panic!("accepted: {text}"));
    let found = mistakes.iter().find(|mistake| mistake.what.contains(words));
    let found = found.unwrap_or_else(|| panic!("{words:?} is not in {mistakes:?}"));
    assert_eq!(found.line, line, "{found:?}");
}

#[test]
fn goal_says_what_ranks_do() {
    reads(
        "num_ranks 2 // two\nrank 0 {\n/* over\nlines */ l1: calc 100 cpu 1\nl2: send 10b to 1 tag 7\nl2 requires l1\nb: recv 5 b from -1 tag -1\nb irequires l2\n}\n\
         rank 1{\nrecv 10b from 0 tag 7 cpu 0 nic 0\nl0: send 5b to 0 }\n",
        &[
            "0 compute 100 ns stream 1 requires",
            "0 send 1 10 tag 7 requires 0",
            "0 recv any 5 tag any begun 1",
            "1 recv 0 10 tag 7 requires",
            "1 send 0 5 requires",
        ],
    );
}

/// A requirement may stand before its labels, and name operations that come later: then these come first.
#[test]
fn goal_is_put_into_an_order() {
    reads(
        "num_ranks 1\nrank 0 {\na requires b\na: calc 1\nb: calc 2\nb requires c\nc: calc 3\nd: calc 4\n}\n",
        &[
            "0 compute 3 ns requires",
            "0 compute 2 ns requires 0",
            "0 compute 1 ns requires 1",
            "0 compute 4 ns requires",
        ],
    );
}

#[test]
fn mistakes_in_goal_are_named() {
    let rank = |lines: &str| format!("num_ranks 1\nrank 0 {{\n{lines}\n}}\n");
    refused(
        &rank("a: calc 1\nb: calc 1\na requires b\nb requires a"),
        Some(3),
        "in a circle: a requires b requires a",
    );
    refused(&rank("a: calc 1\na requires nothing"), Some(4), "no operation of this label");
    refused(&rank("nothing requires a\na: calc 1"), Some(3), "no operation of this label");
    refused(&rank("a: calc 1\na: calc 1"), Some(4), "the label a is there twice");
    refused(&rank("send 1b to 7"), Some(3), "there is no rank 7");
    refused(&rank("send 1b to 0 tag 3000000000"), Some(3), "a tag is at most");
    refused(&rank("send 1b to 0 tag -1"), Some(3), "of recv only");
    refused(&rank("send 1 to 0"), Some(3), "expected a size as in 10b");
    refused(&rank("calc 99999999999999999999"), Some(3), "whole number of nanoseconds");
    refused(&rank("calc 1 tag 1 more"), Some(3), "expected tag, cpu, nic or the end of the line");
    refused(&rank("l1: put 200b to 1 tag 10"), Some(3), "LogGOPSim2");
    refused(&rank("calc 1 cpu 0 nic 1"), Some(3), "interface");
    refused("num_ranks 2\nrank 0 {\ncalc 1\n", Some(3), "has no end");
    refused("num_ranks 3\nrank 0 {\n}\n", None, "no section of rank 1, nor of 1 others");
    refused("num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n", Some(4), "rank 0 is there twice");
    refused("num_ranks 2\nrank 5 {\n}\n", Some(2), "there is no rank 5");
    refused("num_ranks 0\n", Some(1), "from 1 to");
}

/// A compiled schedule of our own, of two ranks: rank 0 computes and then sends, rank 1 receives. Operations have so many bytes, and the last one this type.
fn compiled(length: usize, last: u8) -> Vec<u8> {
    let operation = |missing: u32, kind: u8, peer: u32, size: u64, end: [u32; 4]| {
        let mut bytes = missing.to_le_bytes().to_vec();
        bytes.push(kind);
        bytes.extend(peer.to_le_bytes());
        bytes.extend(size.to_le_bytes());
        bytes.extend(7_u32.to_le_bytes());
        bytes.extend([0, 0]);
        end.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.resize(length, 0);
        bytes
    };
    let words = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let first = [
        words(&[2, 1, 0]),
        operation(0, 3, 0, 100, [1, 0, 0, 1]),
        operation(1, 1, 1, 10, [0, 1, 0, 1]),
        words(&[1]),
    ]
    .concat();
    let second = [words(&[1, 1, 0]), operation(0, last, 0, 10, [0, 0, 0, 0])].concat();
    let mut file = 4223_u64.to_le_bytes().to_vec();
    file.extend(2_u32.to_le_bytes());
    file.extend([0, 0]);
    let begin = 6 + 32_u64;
    let (middle, end) = (begin + first.len() as u64, begin + (first.len() + second.len()) as u64);
    [begin, middle, middle, end].iter().for_each(|at| file.extend(at.to_le_bytes()));
    [file, first, second].concat()
}

/// LogGOPSim2 has longer operations: the sections show it.
#[test]
fn compiled_goal_is_the_text() {
    for length in [39, 56, 104] {
        let file = compiled(length, 2);
        let graph = read_one(&file, Given::default()).unwrap().made;
        let expected =
            ["0 compute 100 ns requires", "0 send 1 10 tag 7 requires 0", "1 recv 0 10 tag 7 requires"];
        assert_eq!(lines(&graph), expected);
        for length in 0..file.len() {
            let sample = weir_foreign::sample::Sample::new(Path::new("a"), &file[..length]);
            if weir_foreign::of(&sample).is_some() {
                assert!(read_one(&file[..length], Given::default()).is_err(), "{length}");
            }
        }
        let mut other = file;
        other[14] += 10;
        let mistakes = read_one(&other, Given::default()).unwrap_err();
        assert!(mistakes[0].what.contains("rank 0 is not where it should be"), "{mistakes:?}");
    }
}

#[test]
fn operations_of_interfaces_can_be_left_out() {
    let mistakes = |length| read_one(&compiled(length, 6), Given::default()).unwrap_err();
    assert!(mistakes(39)[0].what.contains("operation 0 has the type 6"));
    assert!(mistakes(56)[0].what.contains("put, tput, append and test"));
    let given = Given { skip: true, ..Given::default() };
    let Imported { made, skipped, .. } = read_one(&compiled(56, 6), given).unwrap();
    assert_eq!((lines(&made)[2].as_str(), skipped[0].count), ("1 compute 0 ps requires", 1));
}

#[test]
fn actions_of_simgrid_are_calls() {
    reads(
        "0 init\n0 compute 2e9\n0 isend 1 0 1e3\n0 irecv 1 5 10 0\n0 compute 5\n0 test 0 1 0\n0 wait 0 1 0\n0 send 1 3 8\n0 waitall\n0 barrier\n0 finalize\n\
         1 init 1\n1 recv 0 0\n1 send 0 5 10\n1 recv 0 3 1\n1 barrier\n1 finalize\n",
        &[
            "0 compute 2 s",
            "0 send 1 1000",
            "0 recv 1 80 tag 5 begun 1",
            "0 compute 5 ns begun 2",
            "0 send 1 8 tag 3 requires 1 3",
            "0 barrier requires 2 4",
            "1 recv 0 9223372036854775807",
            "1 send 0 80 tag 5",
            "1 recv 0 8 tag 3",
            "1 barrier",
        ],
    );
}

#[test]
fn collectives_of_simgrid_have_lengths() {
    reads(
        "0 init\n1 init\n0 bcast 100\n1 bcast 100\n0 reduce 10 0 1 0\n1 reduce 10 0 1 0\n0 allreduce 4 20 1\n1 allreduce 4 30 1\n0 alltoallv 9 1 2 9 3 4\n1 alltoallv 9 2 4 9 2 4\n\
         0 gather 6 6\n1 gather 6 6\n0 bcast 3 0 26\n1 bcast 3 0 26\n0 finalize\n1 finalize\n",
        &[
            "0 bcast 100 root 0",
            "0 reduce 80 root 1 element 8",
            "0 allreduce 16 element 4",
            "0 compute 20 ns",
            "0 alltoallv out 1 2 in 3 4",
            "0 gather 6 root 0",
            "0 bcast 48 root 0",
            "1 bcast 100 root 0",
            "1 reduce 80 root 1 element 8",
            "1 allreduce 16 element 4",
            "1 compute 30 ns",
            "1 alltoallv out 2 4 in 2 4",
            "1 gather 6 root 0",
            "1 bcast 48 root 0",
        ],
    );
}

#[test]
fn a_list_names_traces_of_ranks() {
    let folder = Folder::new(&[
        ("list", b"t/0.txt\nt/1.txt\n"),
        ("t/0.txt", b"0 init\n0 send 1 0 5\n0 finalize\n"),
        ("t/1.txt", b"1 init\n1 recv 0 0 5\n1 finalize\n"),
        ("missing", b"t/0.txt\nt/2.txt\n"),
    ]);
    let graph = read_path(&folder.path("list"), Given::default()).unwrap().made;
    assert_eq!(lines(&graph), ["0 send 1 5", "1 recv 0 5"]);
    let mistakes = read_path(&folder.path("missing"), Given::default()).unwrap_err();
    assert_eq!((mistakes[0].line, &*mistakes[0].what), (Some(2), "there is no such file"));
    // A mistake in a file of a list is at a line of that file.
    std::fs::write(folder.path("t/1.txt"), "1 init\n1 recv 0 0 5 5 5\n1 gargle\n").unwrap();
    let mistakes = read_path(&folder.path("list"), Given::default()).unwrap_err();
    assert!(mistakes.iter().all(|mistake| mistake.line.is_none()), "{mistakes:?}");
    assert!(mistakes.iter().any(|mistake| mistake.value.contains("t/1.txt:3: gargle")), "{mistakes:?}");
}

#[test]
fn mistakes_in_actions_are_named() {
    refused("0 init\n0 compute 1e9\n0 finalize\n", None, "how many a host does in a second");
    refused("0 init\n0 wait 0 1 0\n", Some(2), "no request of rank 0 from 0 to 1 with tag 0");
    refused("0 init\n0 send 1 0\n", Some(2), "expected a number");
    refused(
        "0 init\n0 send 1 0 5\n0 finalize\n",
        Some(2),
        "there is no rank 1, for the trace has 1 in all: where each rank has a file",
    );
    refused("1 init\n1 send 0 0 5\n1 finalize\n", None, "rank 0 has no action, nor have 0 others");
    refused("0 init\n16777215 compute 1\n", None, "a line is of rank 16777215, and with 2 lines");
    refused("0 init\n0 alltoall 9e18 9e18 0\n0 finalize\n", Some(2), "no messages of so many bytes");
    refused("0 init\n0 bcast 5 0 99\n", Some(2), "no number of a datatype");
    refused("0 init\n0 barrier\n0 barrier\n0 teleport 5\n", Some(4), "this action has no task");
    refused("0 init\n0 finalize\n0 barrier\n", Some(3), "has finalized before");
}

#[test]
fn calls_of_liballprof_are_tasks() {
    let head = "# collprof 0.9 output file\n";
    let first = format!(
        "{head}MPI_Init:-:1:2:10.0\nMPI_Comm_rank:10.0:0,0,2:7:10.0\nMPI_Isend:12.0:5:3:11,8,8:1:4:0,0,2:800:12.5\nMPI_Irecv:13.0:5:2:11,8,8:-1:-1:0,0,2:804:13.0\n\
         MPI_Waitall:13.0:2:800:0:20.0\nMPI_Allreduce:21.0:1:2:5:10,4,4:3:0,0,2:22.0\nMPI_Finalize:23.0:-\n"
    );
    let second = format!(
        "{head}MPI_Init:-:1:2:10\nMPI_Recv:10:5:3:11,8,8:0:4:0,1,2:99:12\nMPI_Send:12:5:2:11,8,8:0:9:0,1,2:13\nMPI_Allreduce:13:1:2:5:10,4,4:3:0,1,2:22\nMPI_Finalize:22:-\n"
    );
    let folder = Folder::new(&[("t-0.dat", first.as_bytes()), ("t-1.dat", second.as_bytes())]);
    let graph = read_path(&folder.path("t-1.dat"), Given::default()).unwrap().made;
    let expected = [
        "0 compute 2 us",
        "0 send 1 24 tag 4",
        "0 compute 500 ns begun 1",
        "0 recv any 16 tag any",
        "0 compute 1 us requires 1 3",
        "0 allreduce 20 element 4",
        "0 compute 1 us",
        "1 recv 0 24 tag 4",
        "1 send 0 16 tag 9",
        "1 allreduce 20 element 4",
    ];
    assert_eq!(lines(&graph), expected);
    let backwards = first.replace("13.0:5", "11.0:5");
    let cut = &second[..second.len() - 20];
    let folder = Folder::new(&[("t-0.dat", backwards.as_bytes()), ("t-1.dat", cut.as_bytes())]);
    let mistakes = read_path(&folder.path("t-0.dat"), Given::default()).unwrap_err();
    let has = |words: &str| mistakes.iter().any(|mistake| mistake.what.contains(words));
    assert!(has("clocks run backwards") && has("t-1.dat has no MPI_Finalize"), "{mistakes:?}");
}

fn written(graph: &GraphFile, format: &str) -> Result<String, String> {
    let Some(Writer::Work(writer)) = weir_foreign::named(format).unwrap().writer else { panic!("{format}") };
    let mut text = Vec::new();
    writer(graph, &mut text).unwrap().map(|_| String::from_utf8(text).unwrap())
}

/// All tasks of a graph, with what they require in full.
pub(crate) fn tasks(graph: &GraphFile) -> Vec<Task> {
    let mut tasks = Arc::clone(&graph.tasks).tasks();
    let mut all = Vec::new();
    for rank in 0..graph.tasks.ranks() {
        let (mut last, mut number) = (std::collections::BTreeMap::new(), 0_u64);
        while let Some(mut task) = tasks.next(rank).unwrap() {
            let before = last.insert(task.stream, number);
            let own = || Box::new(Requires { ended: before.into_iter().collect(), begun: Box::default() });
            task.requires.get_or_insert_with(own);
            all.push(task);
            number += 1;
        }
    }
    all
}

/// A task of a drawn graph: kind, other rank, bytes, stream, requirements by how far back they are and whether the end is meant.
type Drawn = (u8, u32, u64, u32, Option<Vec<(u64, bool)>>);

fn graph(ranks: &[Vec<Drawn>]) -> GraphFile {
    let mut text = format!("weir-graph 1\nranks {}\n", ranks.len());
    for (rank, tasks) in ranks.iter().enumerate() {
        for (number, (kind, other, bytes, stream, requires)) in (0_u64..).zip(tasks) {
            let other = *other as usize % ranks.len();
            text += &match kind {
                0 => format!("{rank} compute {bytes} ns"),
                1 => format!("{rank} send {other} {bytes} tag {}", bytes % 9),
                2 => format!("{rank} recv {other} {bytes} tag {}", bytes % 9),
                _ => format!("{rank} recv any {bytes} tag any"),
            };
            text += &format!(" stream {stream}");
            if let Some(requires) = requires {
                let those = |end: bool| {
                    let back = requires.iter().filter(move |(_, ended)| *ended == end).map(|(back, _)| back);
                    let mut those: Vec<u64> = back.filter_map(|back| number.checked_sub(back + 1)).collect();
                    those.dedup();
                    those.iter().map(|number| format!(" {number}")).collect::<String>()
                };
                text += &format!(" requires{}", those(true));
                let begun = those(false);
                if !begun.is_empty() {
                    text += &format!(" begun{begun}");
                }
            }
            text.push('\n');
        }
    }
    read_text(text.as_bytes()).unwrap_or_else(|error| panic!("{text}{error}"))
}

fn drawn() -> impl Strategy<Value = Vec<Vec<Drawn>>> {
    let requires = proptest::option::of(proptest::collection::vec((0..6_u64, any::<bool>()), 0..4));
    let task = (0..4_u8, 0..4_u32, 0..100_000_u64, 0..3_u32, requires);
    proptest::collection::vec(proptest::collection::vec(task, 0..20), 1..4)
}

proptest! {
    #[test]
    fn goal_comes_back_as_it_was(ranks in drawn()) {
        let graph = graph(&ranks);
        let text = written(&graph, "goal").unwrap();
        let again = read_one(text.as_bytes(), Given::default()).unwrap();
        prop_assert_eq!(tasks(&graph), tasks(&again.made), "{}", text);
        prop_assert_eq!(written(&again.made, "goal").unwrap(), text);
    }

    /// Lists of messages that wait or go on, written as actions and read again.
    #[test]
    fn actions_come_back_as_they_were(
        calls in proptest::collection::vec((0..6_u8, 0..1000_u64), 0..30),
    ) {
        let mut text = "0 init\n1 init\n1 finalize\n".to_owned();
        for (tag, (kind, number)) in calls.iter().enumerate() {
            text += &match kind {
                0 => format!("0 compute {number}.125\n"),
                1 => format!("0 send 1 {tag} {number}\n"),
                2 => format!("0 isend 1 {tag} {number}\n"),
                3 => format!("0 irecv 1 {tag} {number}\n"),
                4 => "0 waitall\n".to_owned(),
                _ => format!("0 allreduce {number} 0 0\n"),
            };
        }
        text += "0 finalize\n";
        let given = Given { speed: Some(1e9), ..Given::default() };
        let graph = read_one(text.as_bytes(), given).unwrap().made;
        let again = read_one(written(&graph, "simgrid-trace").unwrap().as_bytes(), given).unwrap().made;
        prop_assert_eq!(tasks(&graph), tasks(&again));
    }

    #[test]
    fn nothing_breaks_on_text(text in "(num_ranks 2\n|rank [01] \\{|\\}|\n|l[12]: |(calc|send|recv) 1b? (to|from)? ?[01]?|l1 i?requires l2|[a-z0-9/*{}: ]{0,6}){0,20}") {
        let folder = Folder::new(&[("a", format!("num_ranks 2\n{text}").as_bytes())]);
        let _ = read_path(&folder.path("a"), Given::default());
    }
}

#[test]
fn what_goal_cannot_say_is_refused() {
    let refused = |line: &str, format: &str, words: &str| {
        let graph = read_text(format!("weir-graph 1\nranks 2\n{line}\n").as_bytes()).unwrap();
        let why = written(&graph, format).unwrap_err();
        assert!(why.contains(words), "{why}");
    };
    refused("0 barrier", "goal", "no collectives");
    refused("0 ssend 1 8", "goal", "standard mode");
    refused("0 send nobody 8", "goal", "nobody");
    refused("0 compute 1 ns\n0 compute 1 ns requires", "simgrid-trace", "side by side");
}
