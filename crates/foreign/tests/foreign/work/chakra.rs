//! Chakra traces of our own.

use super::{Folder, lines, read_path};
use weir_foreign::Given;

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
