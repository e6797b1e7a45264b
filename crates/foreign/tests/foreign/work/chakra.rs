//! Chakra traces of our own.

use super::{Folder, lines, read_path, tasks};
use proptest::prelude::*;
use weir_foreign::{Given, Writer};
use weir_formats::graph::{GraphFile, read_text};

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn number(field: u64, value: u64) -> Vec<u8> {
    if value == 0 { Vec::new() } else { [varint(field << 3), varint(value)].concat() }
}

fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}

/// An attribute: a number, in a oneof, so that 0 is written, too.
fn attribute(name: &str, field: u64, value: u64) -> Vec<u8> {
    bytes(10, &[bytes(1, name.as_bytes()), varint(field << 3), varint(value)].concat())
}

fn node(id: u64, kind: u64, requires: &[u64], micros: u64, attributes: &[(&str, u64)]) -> Vec<u8> {
    let requires: Vec<u8> = requires.iter().flat_map(|&id| varint(id)).collect();
    let mut node = [number(1, id), bytes(2, b"a node"), number(3, kind)].concat();
    if !requires.is_empty() {
        node.extend(bytes(5, &requires));
    }
    node.extend(number(7, micros));
    for (name, value) in attributes {
        node.extend(attribute(name, if *name == "is_cpu_op" { 27 } else { 9 }, *value));
    }
    node
}

fn trace(nodes: &[Vec<u8>]) -> Vec<u8> {
    let all = std::iter::once(bytes(1, b"0.0.4")).chain(nodes.iter().cloned());
    all.flat_map(|message| [varint(message.len() as u64), message].concat()).collect()
}

const ALL_REDUCE: &[(&str, u64)] = &[("is_cpu_op", 0), ("comm_type", 0), ("comm_size", 1 << 20)];

#[test]
fn nodes_become_tasks() {
    let first = trace(&[
        node(0, 4, &[], 3, &[("is_cpu_op", 1)]),
        node(7, 5, &[0], 0, &[("comm_dst", 1), ("comm_tag", 2), ("comm_size", 100)]),
        node(8, 4, &[7, 99], 2, &[]),
        node(9, 7, &[8], 0, ALL_REDUCE),
        node(10, 7, &[], 0, &[("comm_type", 2), ("comm_size", 8)]),
    ]);
    let second = trace(&[
        node(1, 6, &[], 0, &[("comm_src", 0), ("comm_tag", 2), ("comm_size", 100)]),
        node(2, 7, &[1], 0, ALL_REDUCE),
        node(3, 7, &[], 0, &[("comm_type", 2), ("comm_size", 8)]),
    ]);
    let folder = Folder::new(&[("a.0.et", &first), ("a.1.et", &second)]);
    let imported = read_path(&folder.path("a.1.et"), Given::default()).unwrap();
    assert_eq!(
        lines(&imported.made),
        [
            "0 compute 3 us requires",
            "0 send 1 100 tag 2 stream 1 requires 0",
            "0 compute 2 us stream 1 requires 1",
            "0 allreduce 1048576 element 1 stream 1 requires 2",
            "0 allgather 8 stream 1 begun 3",
            "1 recv 0 100 tag 2 stream 1 requires",
            "1 allreduce 1048576 element 1 stream 1 requires 0",
            "1 allgather 8 stream 1 begun 1",
        ]
    );
    assert!(imported.notes[0].starts_with("1 nodes that others require"), "{:?}", imported.notes);
    assert!(imported.notes[1].starts_with("2 nodes had no order"), "{:?}", imported.notes);
}

#[test]
fn mistakes_in_traces_are_named() {
    let good = trace(&[node(0, 7, &[], 0, ALL_REDUCE)]);
    let refused = |files: &[(&str, &[u8])], words: &str| {
        let folder = Folder::new(files);
        let mistakes = read_path(&folder.path(files[0].0), Given::default()).unwrap_err();
        assert!(mistakes.iter().any(|mistake| mistake.what.contains(words)), "{mistakes:?}");
    };
    refused(&[("a.0.et", &good), ("a.2.et", &good)], "a.1.et is missing");
    refused(&[("a.0.et", &good[..good.len() - 3])], "cut off");
    let circle = trace(&[node(1, 4, &[2], 1, &[]), node(2, 4, &[1], 1, &[])]);
    refused(&[("a.0.et", &circle)], "requires node");
    let folder = Folder::new(&[("a.0.et", &circle)]);
    let imported = read_path(&folder.path("a.0.et"), Given { skip: true, ..Given::default() }).unwrap();
    assert_eq!(
        lines(&imported.made),
        ["0 compute 1 us stream 1 requires", "0 compute 1 us stream 1 requires 0"]
    );
    assert_eq!(imported.skipped[0].count, 1);
    let twice = trace(&[node(1, 4, &[], 1, &[]), node(1, 4, &[], 1, &[])]);
    refused(&[("a.0.et", &twice)], "node 1 is there twice");
    let nameless = trace(&[node(1, 7, &[], 1, &[("comm_size", 1)])]);
    refused(&[("a.0.et", &nameless)], "without comm_type");
    let far = trace(&[node(1, 5, &[], 1, &[("comm_dst", 7)])]);
    refused(&[("a.0.et", &far)], "there is no rank 7");
}

/// The same with fields as they were until 2023-10: attributes are field 11 and have a type, the lists of numbers have other fields, and all-to-all and all-gather other numbers.
#[test]
fn the_schema_of_2023_08_is_read() {
    let attribute = |name: &str, field: u64, value: u64| {
        let all = [bytes(1, name.as_bytes()), number(2, field), varint(field << 3), varint(value)];
        bytes(11, &all.concat())
    };
    let node = |id: u64, kind: u64, parent: Option<u64>, attributes: &[Vec<u8>]| {
        let mut node = [varint(1 << 3), varint(id), bytes(2, b"a node"), number(3, kind)].concat();
        parent.into_iter().for_each(|parent| node.extend([varint(4 << 3), varint(parent)].concat()));
        [node, attributes.concat()].concat()
    };
    let nodes = [
        node(0, 4, None, &[attribute("runtime", 7, 3), attribute("is_cpu_op", 4, 1)]),
        node(1, 7, Some(0), &[attribute("comm_type", 7, 1), attribute("comm_size", 7, 64)]),
        node(2, 7, Some(1), &[attribute("comm_type", 7, 2), attribute("comm_size", 7, 64)]),
        node(
            3,
            5,
            Some(2),
            &[attribute("comm_dst", 7, 0), attribute("comm_tag", 7, 5), attribute("comm_size", 7, 9)],
        ),
        node(
            4,
            6,
            Some(2),
            &[attribute("comm_src", 7, 0), attribute("comm_tag", 7, 5), attribute("comm_size", 7, 9)],
        ),
    ];
    let metadata = bytes(1, &bytes(1, b"tool"));
    let with = std::iter::once(metadata).chain(nodes.iter().cloned());
    let all = |messages: &mut dyn Iterator<Item = Vec<u8>>| -> Vec<u8> {
        messages.flat_map(|message| [varint(message.len() as u64), message].concat()).collect()
    };
    let expected = [
        "0 compute 3 us requires",
        "0 alltoall 64 stream 1 requires 0",
        "0 allgather 64 stream 1 requires 1",
        "0 send 0 9 tag 5 stream 1 requires 2",
        "0 recv 0 9 tag 5 stream 1 requires 2",
    ];
    for trace in [all(&mut with.into_iter()), all(&mut nodes.iter().cloned())] {
        let folder = Folder::new(&[("a.0.et", &trace)]);
        let graph = read_path(&folder.path("a.0.et"), Given::default()).unwrap().made;
        assert_eq!(lines(&graph), expected);
    }
    let old = [node(0, 4, None, &[]), number(13, 5)].concat();
    let folder = Folder::new(&[("a.0.et", &all(&mut [old].into_iter()))]);
    let mistakes = read_path(&folder.path("a.0.et"), Given::default()).unwrap_err();
    assert!(mistakes[0].what.contains("before 2023-08"), "{mistakes:?}");
}

/// A file beside the traces says who is in a group: ranks 0 and 2 add up, all four gather.
#[test]
fn groups_are_in_a_file_beside() {
    let node_of = |group: Option<&str>| {
        let mut message = node(0, 7, &[], 0, ALL_REDUCE);
        if let Some(name) = group {
            message.extend(bytes(10, &[bytes(1, b"pg_name"), bytes(29, name.as_bytes())].concat()));
        }
        trace(&[message, node(1, 7, &[], 0, &[("comm_type", 2), ("comm_size", 8)])])
    };
    let files: Vec<Vec<u8>> = [Some("a"), Some("b"), Some("a"), None].map(node_of).to_vec();
    let names = ["t.0.et", "t.1.et", "t.2.et", "t.3.et"];
    let with = |groups: &str| {
        let mut all: Vec<(&str, &[u8])> = names.into_iter().zip(files.iter().map(Vec::as_slice)).collect();
        all.push(("comm_group.json", groups.as_bytes()));
        let folder = Folder::new(&all);
        read_path(&folder.path("t.0.et"), Given::default())
    };
    let graph = with(r#"{"a": [0, 2], "b": [1]}"#).unwrap().made;
    let expected = [
        "0 allreduce 1048576 element 1 comm 2 stream 1 requires",
        "0 allgather 8 stream 1 requires",
        "1 allreduce 1048576 element 1 comm 3 stream 1 requires",
        "1 allgather 8 stream 1 requires",
        "2 allreduce 1048576 element 1 comm 2 stream 1 requires",
        "2 allgather 8 stream 1 requires",
        "3 allreduce 1048576 element 1 stream 1 requires",
        "3 allgather 8 stream 1 begun 0",
    ];
    assert_eq!(lines(&graph), expected);
    let refused = |groups: &str, words: &str| {
        let mistakes = with(groups).unwrap_err();
        assert!(mistakes.iter().any(|mistake| mistake.what.contains(words)), "{mistakes:?}");
    };
    refused(r#"{"a": [0, 2]}"#, "there is no group \"b\"");
    refused(r#"{"a": [0, 2], "b": [4]}"#, "group b has a rank that no file is of");
    refused("[", "expected groups as in");
}

/// Writes all files of a graph and reads them again.
fn again(graph: &GraphFile) -> Result<GraphFile, String> {
    let Some(Writer::Ranks { one, beside }) = weir_foreign::named("chakra").unwrap().writer else { panic!() };
    let folder = Folder::new(&[]);
    for rank in 0..graph.tasks.ranks() {
        let mut text = Vec::new();
        one(graph, rank, &mut text).unwrap()?;
        std::fs::write(folder.path(&format!("a.{rank}.et")), text).unwrap();
    }
    if let Some((name, text)) = beside(graph) {
        std::fs::write(folder.path(name), text).unwrap();
    }
    Ok(read_path(&folder.path("a.0.et"), Given::default()).unwrap().made)
}

#[test]
fn groups_and_collectives_come_back() {
    let text = "weir-graph 1\nranks 4\ncommunicator 2: 0 2\ncommunicator 3: 1 3\n\
        0 compute 3 us requires\n0 allreduce 64 element 1 comm 2 stream 1 requires 0\n0 allgather 8 comm 2 stream 1 requires 0 begun 1\n\
        0 compute 4 us stream 2 requires 1\n0 alltoall 5 stream 1 requires 2\n0 bcast 7 root 3 stream 1 requires 4\n0 reduce-scatter blocks 6 element 1 stream 1 requires\n\
        0 barrier stream 1 begun 6\n0 reduce 9 root 1 element 1 stream 1 requires 7\n0 gather 4 root 2 stream 1 requires 8\n0 scatter 4 root 2 stream 1 requires 9\n";
    let graph = read_text(text.as_bytes()).unwrap();
    let made = again(&graph).unwrap();
    // Nothing else orders the fourth collective of all ranks: the file does.
    let expected =
        text.replace("element 1 stream 1 requires\n0 barrier", "element 1 stream 1 begun 5\n0 barrier");
    let expected: Vec<&str> = expected.lines().filter(|line| line.starts_with("0 ")).collect();
    assert_eq!(lines(&made), expected);
    assert_eq!(made.communicators, graph.communicators);
}

#[test]
fn what_waits_for_a_beginning_waits_for_what_is_before() {
    let text =
        "weir-graph 1\nranks 2\n0 compute 3 us\n0 send 1 8\n0 recv 1 9 begun 1\n1 recv 0 8\n1 send 0 9\n";
    let made = again(&read_text(text.as_bytes()).unwrap()).unwrap();
    let expected = [
        "0 compute 3 us requires",
        "0 send 1 8 stream 1 requires 0",
        "0 recv 1 9 stream 1 requires 0",
        "1 recv 0 8 stream 1 requires",
        "1 send 0 9 stream 1 requires 0",
    ];
    assert_eq!(lines(&made), expected);
    let refused = |line: &str, words: &str| {
        let why =
            again(&read_text(format!("weir-graph 1\nranks 2\n{line}\n").as_bytes()).unwrap()).unwrap_err();
        assert!(why.contains("task 0 of rank 0") && why.contains(words), "{why}");
    };
    refused("0 recv any 5", "no node");
    refused("0 ssend 1 5", "no node");
    refused("0 send nobody 5", "no node");
    refused("0 scan 5", "is not written");
    refused("communicator 2: 0 1\n0 send 1 5 comm 2", "no group");
}

/// Kind, other rank, number, and what it requires by how far back that is.
type Drawn = (u8, u32, u64, Vec<u64>);

proptest! {
    #[test]
    fn traces_come_back_as_they_were(ranks in proptest::collection::vec(proptest::collection::vec((0..4_u8, 0..4_u32, 0..1000_u64, proptest::collection::vec(0..6_u64, 0..4)), 0..20), 1..4)) {
        let ranks: Vec<Vec<Drawn>> = ranks;
        let mut text = format!("weir-graph 1\nranks {}\n", ranks.len());
        for (rank, tasks) in ranks.iter().enumerate() {
            // A trace without a node is none.
            text += &format!("{rank} compute 1 us requires\n");
            for (number, (kind, other, size, requires)) in (1_u64..).zip(tasks) {
                let other = *other as usize % ranks.len();
                text += &match kind {
                    0 => format!("{rank} compute {size} us"),
                    1 => format!("{rank} compute {size} us stream 1"),
                    2 => format!("{rank} send {other} {size} tag {} stream 1", size % 9),
                    _ => format!("{rank} recv {other} {size} tag {} stream 1", size % 9),
                };
                let mut those: Vec<u64> = requires.iter().filter_map(|back| number.checked_sub(back + 1)).collect();
                those.sort_unstable();
                those.dedup();
                text += &format!(" requires{}\n", those.iter().map(|number| format!(" {number}")).collect::<String>());
            }
        }
        let graph = read_text(text.as_bytes()).unwrap_or_else(|error| panic!("{text}{error}"));
        let made = again(&graph).unwrap();
        prop_assert_eq!(tasks(&graph), tasks(&made), "{}", text);
    }
}
