//! Graphs of work in Parquet: they hold what the text holds, and no other table is taken for one.

use crate::graphs::{OPERATIONS, any_tasks, lines, text_of};
use proptest::prelude::*;
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use weir_formats::graph::{self, GraphFile, read_text};
use weir_formats::profile::{self, Format};

fn written(folder: &TempDir, graph: &GraphFile) -> PathBuf {
    let path = folder.path().join("x.parquet");
    graph.write_table(File::create(&path).unwrap()).unwrap();
    path
}

fn read_back(graph: &GraphFile) -> GraphFile {
    let folder = tempfile::tempdir().unwrap();
    graph::read(&written(&folder, graph)).unwrap_or_else(|error| panic!("{}{error}", text_of(graph)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_text_is_the_same_behind_a_table(tasks in any_tasks()) {
        let graph = read_text(lines(&tasks).as_bytes()).unwrap();
        let back = read_back(&graph);
        prop_assert_eq!((back.tasks.ranks(), back.tasks.len()), (2, tasks.len() as u64));
        prop_assert_eq!(text_of(&back), text_of(&graph));
    }

    /// A damaged file of another writer, which has no checksum, is refused, or is another graph; nothing panics.
    #[test]
    fn damage_is_found_or_does_no_harm(
        tasks in any_tasks(),
        places in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = written(&folder, &read_text(lines(&tasks).as_bytes()).unwrap());
        let mut bytes = std::fs::read(&path).unwrap();
        let writer = bytes.windows(6).position(|six| six == b"weir 0").expect("it names its writer");
        bytes[writer] = b'W';
        for (place, value) in &places {
            let place = place.index(bytes.len());
            bytes[place] = *value;
        }
        std::fs::write(&path, bytes).unwrap();
        _ = graph::is_table(&path);
        if let Ok(graph) = graph::read(&path) {
            let text = text_of(&graph);
            prop_assert_eq!(text_of(&read_text(text.as_bytes()).unwrap()), text);
        }
    }
}

#[test]
fn every_kind_of_task_has_its_cells() {
    let every: Vec<_> = (0..OPERATIONS.len()).map(|operation| (0, operation, 0, None)).collect();
    let text = lines(&every);
    assert_eq!(text_of(&read_back(&read_text(text.as_bytes()).unwrap())), text);
}

/// More tasks than a row group has, 300,000 of one rank, and more numbers: 2,100,000 requirements of one task, and as many blocks of 1,050 tasks.
#[test]
fn long_graphs_have_row_groups() {
    let mut text = String::from("weir-graph 1\nranks 1000\n");
    text += &"0 compute 1 ns\n".repeat(300_000);
    text += "1 send 0 8\n1 send 0 8 requires";
    text += &" 0".repeat(2_100_000);
    text += "\n1 send 0 8 begun 1\n";
    text += &format!("1 alltoallv out{0} in{0}\n", " 1 2".repeat(500)).repeat(1050);
    let graph = read_text(text.as_bytes()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = written(&folder, &graph);
    let table = weir_columns::TableFile::open(&path).unwrap();
    assert_eq!(table.groups(), 4);
    assert!(text_of(&graph::read(&path).unwrap()) == text_of(&graph), "all of it is read back");
}

/// A table of each kind is refused by the readers of the others, which name both.
#[test]
fn a_table_is_of_one_kind() {
    let folder = tempfile::tempdir().unwrap();
    let work = written(&folder, &read_text("weir-graph 1\nranks 1\n0 compute 1 us\n".as_bytes()).unwrap());
    let of_profile = folder.path().join("p.parquet");
    let events = profile::read_text("weir-profile 4\nranks 1\n0 end\n".as_bytes()).unwrap();
    events.write(Format::Parquet, File::create(&of_profile).unwrap()).unwrap();
    let of_pattern = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/exact.parquet");
    assert_eq!([&work, &of_profile, &of_pattern].map(|path| graph::is_table(path)), [true, false, false]);
    assert!(!graph::is_table(Path::new("/nowhere/x.parquet")));
    let as_graph = |path| graph::read(path).map(|_| ()).unwrap_err().to_string();
    let as_profile = |path| profile::read(path).map(|_| ()).unwrap_err().to_string();
    let as_pattern = |path| weir_formats::read(path).map(|_| ()).unwrap_err().to_string();
    for (error, expected) in [
        (as_graph(&of_profile), "no weir.graph: it is not a graph of work of weir, but a profile"),
        (as_graph(&of_pattern), "no weir.graph: it is not a graph of work of weir, but a pattern"),
        (as_profile(&work), "no weir.profile: it is not a profile of weir, but a graph of work"),
        (as_pattern(&work), "it is a graph of work of weir, and no pattern"),
        (as_pattern(&of_profile), "it is a profile of weir, and no pattern"),
    ] {
        assert!(error.contains(expected), "{error}\ndoes not contain\n{expected}");
        assert!(!error.contains("row "), "{error}: rows of another table say nothing");
    }
}
