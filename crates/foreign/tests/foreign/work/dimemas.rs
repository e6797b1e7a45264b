//! Traces of Dimemas.

use super::{Folder, lines, read_path};
use weir_foreign::{Given, Imported, Mistake};
use weir_formats::graph::GraphFile;

fn read(text: &str, skip: bool) -> Result<Imported<GraphFile>, Vec<Mistake>> {
    let folder = Folder::new(&[("a.dim", text.as_bytes())]);
    read_path(&folder.path("a.dim"), Given { skip, ..Given::default() })
}

const HEAD: &str = "#DIMEMAS:\"a.dim\":1,000000000000000099:2(1,1),2\nd:1:1:2:0:1\nd:1:2:1:1\n";

/// Threads of the other side are named in newer traces; the second rank sends what all get.
#[test]
fn records_are_tasks() {
    let text = format!(
        "{HEAD}1:0:0:0.000002500\n20:0:0:50000001:3\n2:0:0:1:-1:100:7:1:2\n3:0:0:1:-1:200:8:1:1\n1:0:0:0.000001\n3:0:0:1:-1:200:8:1:2\n10:0:0:1:1:0:0:0:64:0\n10:0:0:0:1:0:0:0:0\n0:0:0\n\
         3:1:0:0:100:7:1:0\n2:1:0:0:200:8:1:1\n10:1:0:1:1:0:0:64:0:0\n10:1:0:0:1:0:0:0:0\n10:1:0:11:2:0:0:8:8\ns:0:99\ns:1:200\n"
    );
    let expected = [
        "0 compute 2500 ns",
        "0 send 1 100 tag 7",
        "0 recv 1 200 tag 8 begun 1",
        "0 compute 1 us begun 2",
        "0 bcast 64 root 1 comm 3 requires 2 3",
        "0 barrier comm 3",
        "1 recv 0 100 tag 7",
        "1 send 0 200 tag 8",
        "1 bcast 64 root 1 comm 3",
        "1 barrier comm 3",
        "1 allreduce 8 element 1 comm 4",
    ];
    assert_eq!(lines(&read(&text, false).unwrap().made), expected);
}

#[test]
fn mistakes_in_traces_of_dimemas_are_named() {
    let refused = |rows: &str, line: usize, words: &str| {
        let mistakes = read(&format!("{HEAD}{rows}\n"), false).unwrap_err();
        let found = mistakes.iter().find(|mistake| mistake.what.contains(words));
        let found = found.unwrap_or_else(|| panic!("{words:?} is not in {mistakes:?}"));
        assert_eq!(found.line, Some(line), "{found:?}");
    };
    refused("1:0:0:-1", 4, "expected d:1 and a communicator, or a record");
    refused("1:7:0:1", 4, "of a task that is there");
    refused("2:0:0:1:100:-1:1:0", 4, "or a record");
    refused("99:0:0:1", 4, "or a record");
    refused("d:1:3:2:0", 4, "expected d:1");
    refused("3:0:0:1:200:8:1:2", 4, "waits for a receive that has not begun");
    refused("10:0:0:0:9:0:0:0:0", 4, "communicator 9 is not defined");
    refused("10:0:0:9:1:0:0:8:8", 4, "a length for each rank");
    refused("10:0:0:11:1:0:0:8:8:1", 4, "that go on");
    refused("10:0:0:1:1:0:0:8:0\n10:1:0:1:1:0:0:8:0", 5, "a second rank has the sizes of a root");
    refused("11:0:0:1.0", 4, "bursts of GPUs");
    refused("1:0:1:1.0", 4, "threads of a task");
    let mistakes = read("#DIMEMAS:nothing\n", false).unwrap_err();
    assert!(mistakes[0].what.contains("expected a head"), "{mistakes:?}");
    let skipped = read(&format!("{HEAD}11:0:0:1.0\n11:1:0:1.0\n"), true).unwrap().skipped;
    assert_eq!((skipped[0].count, skipped[0].line), (2, 4));
}
