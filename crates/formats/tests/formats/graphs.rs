//! Graphs of work: what is written is read back, and what is wrong is named with its line.

use proptest::collection::vec;
use proptest::prelude::*;
use weir_formats::ReadError;
use weir_formats::graph::{GraphFile, read_text};

pub(crate) fn text_of(graph: &GraphFile) -> String {
    let mut text = Vec::new();
    graph.write(&mut text).expect("memory takes everything");
    String::from_utf8(text).expect("it is text")
}

/// Operations as they are written, where the receiver is rank 1 of two.
pub(crate) const OPERATIONS: [&str; 32] = [
    "compute 3 us",
    "compute 0 ps",
    "send 1 20 tag 7",
    "ssend 1 0 comm 2",
    "bsend 1 7",
    "rsend 0 18446744073 tag 2147483647",
    "send nobody 0",
    "recv nobody 0",
    "recv any 20 tag any",
    "recv any 20 tag any from 1 tagged 3",
    "recv 1 18446744073709551615 tag any",
    "allreduce 16 element 8 op sum type double",
    "bcast 8 root 1 comm 2",
    "alltoallv out 1 2 in 3 4",
    "barrier comm 2",
    "reduce 16 root 0 element 8 ordered op user type double",
    "gather 8 root 1 tag 3",
    "gatherv blocks 1 2 root 0",
    "scatter 8 root 0",
    "scatterv blocks 5 root 1",
    "allgather 8",
    "allgatherv blocks 3 4",
    "alltoall 8",
    "scan 8 op min type int32",
    "exscan 8",
    "reduce-scatter blocks 8 16 element 8 op prod type float",
    "neighbors list 1 0 1 1 0 8 8",
    "split",
    "split comm 3",
    "merge comm 3",
    "gatherv blocks 7 root here comm 3",
    "allgatherv 7 blocks 8 comm 3",
];

/// A rank, an operation, a stream, and which tasks before it are required.
pub(crate) type Drawn = (u32, usize, u32, Option<(Vec<u64>, Vec<u64>)>);

pub(crate) fn lines(tasks: &[Drawn]) -> String {
    let mut lines = [Vec::new(), Vec::new()];
    for (rank, operation, stream, requires) in tasks {
        let own = &mut lines[*rank as usize];
        let number = own.len() as u64;
        let mut line = format!("{rank} {}", OPERATIONS[*operation]);
        if *stream > 0 {
            line += &format!(" stream {stream}");
        }
        if let Some((ended, begun)) = requires {
            let earlier = |others: &[u64]| -> Vec<String> {
                others.iter().filter(|_| number > 0).map(|other| format!(" {}", other % number)).collect()
            };
            let (ended, begun) = (earlier(ended), earlier(begun));
            if !ended.is_empty() || begun.is_empty() {
                line += &format!(" requires{}", ended.concat());
            }
            if !begun.is_empty() {
                line += &format!(" begun{}", begun.concat());
            }
        }
        own.push(line + "\n");
    }
    format!(
        "weir-graph 1\ntitle drawn\nranks 2\ncommunicator 2: 1 0\ncommunicator 3: 0 | 1\n{}",
        lines.concat().concat()
    )
}

pub(crate) fn any_tasks() -> impl Strategy<Value = Vec<Drawn>> {
    let numbers = || vec(any::<u64>(), 0..3);
    let requires = proptest::option::of((numbers(), numbers()));
    vec((0..2_u32, 0..OPERATIONS.len(), 0..3_u32, requires), 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_back(tasks in any_tasks()) {
        let text = lines(&tasks);
        let graph = read_text(text.as_bytes()).unwrap_or_else(|error| panic!("{text}{error}"));
        prop_assert_eq!((graph.tasks.ranks(), graph.tasks.len()), (2, tasks.len() as u64));
        prop_assert_eq!(text_of(&graph), text);
    }

    /// A damaged file is refused, or is another graph; nothing panics.
    #[test]
    fn damage_is_found_or_does_no_harm(
        tasks in any_tasks(),
        places in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = lines(&tasks).into_bytes();
        for (place, value) in &places {
            let place = place.index(bytes.len());
            bytes[place] = *value;
        }
        if let Ok(graph) = read_text(bytes.as_slice()) {
            let text = text_of(&graph);
            prop_assert_eq!(text_of(&read_text(text.as_bytes()).unwrap()), text);
        }
    }
}

#[test]
fn mistakes_are_named_with_their_lines() {
    for (lines, expected) in [
        ("0 compute 1 us\n", "line 2: 0 compute 1 us: ranks is missing"),
        ("", "ranks is missing"),
        ("ranks 0\n", "ranks must be followed by a number from 1 to 16777216"),
        ("ranks 1\nranks 1\n", "line 3: ranks 1: the number of ranks stands twice"),
        ("ranks 1\n1 compute 1 us\n", "line 3: 1 compute 1 us: there is no rank 1: the graph has 1 ranks"),
        ("ranks 1\n0 computes 1 us\n", "\"computes\" is no kind of task"),
        ("ranks 1\n0 compute\n", "is no time"),
        ("ranks 1\n0 compute -1 us\n", "times run backwards"),
        (
            "ranks 1\n0 compute 1 us requires 0\n",
            "task 0 of rank 0 requires task 0, which does not come before it",
        ),
        ("ranks 1\n0 compute 1 us begun 7\n", "requires task 7, which does not come before it"),
        ("ranks 1\n0 compute 1 us requires x\n", "requires x: must be a whole number"),
        ("ranks 1\n0 compute 1 us stream 65536\n", "stream 65536: numbers of streams are up to 65535"),
        ("ranks 1\n0 isend 0 8 request 0\n", "isend cannot be a task: one is compute, send"),
        ("ranks 1\n0 wait 0\n", "wait cannot be a task"),
        ("ranks 1\n0 send 1 8\n", "there is no rank 1 in communicator 0, which has 1"),
        ("ranks 1\n0 send 0 8 comm 2\n", "there is no communicator 2"),
        ("ranks 1\ncommunicator 2: 0\ncommunicator 2: 0\n", "communicator 2 is defined twice"),
        ("ranks 1\n0 send 0 8 took 3 us\n", "\"took\" does not belong here"),
        ("ranks 1\nhello\n", "unknown word \"hello\": a line is ranks N"),
    ] {
        let Err(ReadError::Mistakes(mistakes)) = read_text(format!("weir-graph 1\n{lines}").as_bytes())
        else {
            panic!("accepted: {lines}")
        };
        assert!(mistakes.to_string().contains(expected), "{lines}\n{mistakes}\ndoes not contain\n{expected}");
    }
    let version = read_text("weir-graph 2\n".as_bytes()).expect_err("it is another version").to_string();
    assert!(version.contains("must be weir-graph 1: weir knows no other version"), "{version}");
    assert!(weir_formats::graph::read(std::path::Path::new("/nowhere/x.graph")).is_err());
}
