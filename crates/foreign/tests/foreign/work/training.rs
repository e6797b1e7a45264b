//! Training steps in text.

use super::{Folder, lines, read_path};
use weir_foreign::{Given, Imported, Mistake};
use weir_formats::graph::GraphFile;

fn read(text: &str, given: Given) -> Result<Imported<GraphFile>, Vec<Mistake>> {
    let folder = Folder::new(&[("a.txt", text.as_bytes())]);
    read_path(&folder.path("a.txt"), given)
}

fn given(ranks: u32, group: Option<u32>) -> Given {
    Given { ranks: Some(ranks), group, ..Given::default() }
}

/// Lines of the first rank without `0`, and without the stream, which all are on.
#[track_caller]
fn reads(head: &str, layers: &str, given: Given, expected: &[&str]) {
    let text = format!("{head}\n{}\n{layers}\n", layers.lines().count());
    let graph = read(&text, given).unwrap_or_else(|mistakes| panic!("{text}: {mistakes:?}")).made;
    let shown: Vec<String> = lines(&graph)
        .iter()
        .filter_map(|line| line.strip_prefix("0 "))
        .map(|line| line.replace(" stream 1", ""))
        .collect();
    assert_eq!(shown, expected, "{text}");
}

/// Computations of 1 to 6 us, so that each is known by its time.
const DATA: &str =
    "a -1 1000 NONE 0 2000 NONE 0 3000 ALLREDUCE 80 9\nb -1 4000 NONE 0 5000 NONE 0 6000 ALLREDUCE 96 9";
const MODEL: &str = "a -1 1000 ALLGATHER 10 2000 ALLREDUCE 80 3000 NONE 0 9\nb -1 4000 ALLGATHER 20 5000 ALLREDUCE 96 6000 NONE 0 9";
const BOTH: &str = "a -1 1000 ALLGATHER 10 2000 ALLREDUCE 80 3000 ALLREDUCE 8 9\nb -1 4000 ALLGATHER 20 5000 ALLREDUCE 96 6000 ALLREDUCE 16 9";

#[test]
fn gradients_of_weights_are_exchanged_beside() {
    let expected = [
        "compute 1 us requires",
        "compute 4 us requires 0",
        "compute 6 us requires 1",
        "allreduce 96 element 1 requires 2",
        "compute 5 us requires 2",
        "compute 3 us requires 4",
        "allreduce 80 element 1 requires 5 begun 3",
    ];
    reads("DATA", DATA, given(2, None), &expected);
}

/// A layer waits for what it gets; the first one gives nothing back.
#[test]
fn activations_are_exchanged_between_layers() {
    let expected = [
        "compute 1 us requires",
        "allgather 10 requires 0",
        "compute 4 us requires 0 1",
        "allgather 20 requires 2 begun 1",
        "compute 5 us requires 2 3",
        "allreduce 96 element 1 requires 4 begun 3",
        "compute 6 us requires 4",
        "compute 2 us requires 5 6",
        "compute 3 us requires 7",
    ];
    reads("MODEL", MODEL, given(2, None), &expected);
}

/// Ranks 0 and 1 are neighbors, 0 and 2 at the same place: communicators 2 and 3, 4 and 5.
#[test]
fn groups_are_by_the_first_dimension() {
    let expected = [
        "compute 1 us requires",
        "allgather 10 comm 2 requires 0",
        "compute 4 us requires 0 1",
        "allgather 20 comm 2 requires 2 begun 1",
        "compute 5 us requires 2 3",
        "allreduce 96 element 1 comm 2 requires 4 begun 3",
        "compute 6 us requires 4",
        "allreduce 16 element 1 comm 4 requires 6",
        "compute 2 us requires 5 6",
        "compute 3 us requires 8",
        "allreduce 8 element 1 comm 4 requires 9 begun 7",
    ];
    reads("HYBRID_DATA_MODEL", BOTH, given(4, Some(2)), &expected);
    let own: Vec<String> = BOTH.lines().map(|line| format!("{line} HYBRID_DATA_MODEL")).collect();
    reads("HYBRID_CUSTOMIZED", &own.join("\n"), given(4, Some(2)), &expected);
    reads("HYBRID_MODEL_DATA", BOTH, given(4, Some(2)), &expected);
    let text = format!("HYBRID_MODEL_DATA\n2\n{BOTH}\n");
    let mut out = Vec::new();
    read(&text, given(4, Some(2))).unwrap().made.write(&mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("communicator 2: 0 2") && text.contains("communicator 4: 0-1"), "{text}");
}

/// Of an all-gather the whole is said; the second layer begins with what is computed again.
#[test]
fn transformers_wait_for_each_exchange() {
    let head = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 2 checkpoints: 1 0 checkpoint_initiates: 1 1";
    let expected = [
        "compute 1 us requires",
        "allgather 5 requires 0",
        "compute 4 us requires 0 1",
        "allgather 10 requires 2 begun 1",
        "compute 1 us requires 2 3",
        "allgather 5 requires 4 begun 3",
        "compute 5 us requires 4 5",
        "allreduce 96 element 1 requires 6 begun 5",
        "compute 6 us requires 6 7",
        "compute 2 us requires 7 8",
        "allreduce 80 element 1 requires 9 begun 7",
        "compute 3 us requires 9 10",
    ];
    reads(head, MODEL, Given::default(), &expected);
}

#[test]
fn experts_have_groups_of_their_own() {
    let head = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0";
    let layers = "a -1 0 ALLTOALL_EP 8 0 NONE 0 0 REDUCESCATTER_DP_EP 8 9";
    let text = format!("{head}\n1\n{layers}\n");
    let mut out = Vec::new();
    read(&text, Given::default()).unwrap().made.write(&mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    for line in [
        "communicator 2: 0 2",
        "communicator 5: 5 7",
        "communicator 6: 0 4",
        "communicator 9: 3 7",
        "5 alltoall 4 comm 5 stream 1 requires",
        "5 reduce-scatter blocks 4 element 1 comm 7 stream 1 requires 0",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn other_orders() {
    let layers = "a -1 1000 ALLTOALL 8 2000 ALLTOALL 16 3000 NONE 0 9\nb -1 4000 NONE 0 5000 NONE 0 6000 ALLREDUCE 80 9\nc -1 7000 NONE 0 8000 NONE 0 9000 NONE 0 9";
    let expected = [
        "compute 1 us requires",
        "alltoall 4 requires 0",
        "compute 4 us requires 0",
        "compute 7 us requires 1 2",
        "compute 9 us requires 3",
        "compute 8 us requires 4",
        "alltoall 8 requires 5 begun 1",
        "compute 6 us requires 5",
        "allreduce 80 element 1 requires 7 begun 6",
        "compute 5 us requires 7",
        "compute 3 us requires 9",
    ];
    reads("HYBRID_DLRM 1", layers, given(2, None), &expected);
    reads("HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 1", layers, given(2, None), &expected);
    let expected = ["allreduce 80 element 1 requires", "allreduce 96 element 1 requires 0"];
    reads("MICRO", DATA, given(2, None), &expected);
    let expected = [
        "compute 1 us requires",
        "allgather 10 requires 0",
        "compute 4 us requires 0 1",
        "allgather 20 requires 2 begun 1",
    ];
    reads("DISTRIBUTED_INFERENCE", MODEL, given(2, None), &expected);
}

#[track_caller]
fn refused(text: &str, given: Given, line: Option<usize>, words: &str) {
    let mistakes = read(text, given).unwrap_err();
    let found = mistakes.iter().find(|mistake| mistake.what.contains(words));
    let found = found.unwrap_or_else(|| panic!("{words:?} is not in {mistakes:?}"));
    assert_eq!(found.line, line, "{found:?}");
}

#[test]
fn mistakes_in_steps_are_named() {
    let step = |head: &str, layers: &str| format!("{head}\n2\n{layers}\n");
    let (two, four) = (given(2, None), given(4, Some(2)));
    refused(&step("DATA", DATA), Given::default(), None, "on how many ranks it runs");
    refused(&step("DATA", DATA), four, None, "nothing in this file is divided");
    refused(&step("DATA", BOTH), two, Some(3), "ASTRA-sim never begins this collective");
    refused(&step("HYBRID_DATA_MODEL", BOTH), given(4, None), None, "say how many ranks it has");
    refused(&step("HYBRID_DATA_MODEL", BOTH), given(4, Some(3)), Some(1), "cannot be divided");
    refused(&step("HYBRID_CUSTOMIZED", BOTH), four, Some(3), "expected 13 words");
    refused(
        &step("HYBRID_CUSTOMIZED", &BOTH.replace(" 9", " 9 MICRO")),
        four,
        Some(3),
        "expected DATA, MODEL",
    );
    refused(&step("HYBRID_UNHEARD", DATA), two, Some(1), "this way to divide a step is not known");
    refused(&step("DATA", &DATA.replace("b -1", "b 0")), two, Some(4), "expected -1");
    refused(&step("DATA", &DATA.replace("4000", "4.5")), two, Some(4), "a time in whole nanoseconds");
    refused(&step("DATA", &DATA.replace("ALLREDUCE 96", "ALLSORTS 96")), two, Some(4), "expected NONE");
    refused(&step("DATA", &DATA.replace("96", "x")), two, Some(4), "a number of bytes");
    refused(&step("DATA ep: 0", DATA), two, Some(1), "at least 1");
    refused(&step("DATA x", DATA), two, Some(1), "is not known");
    refused("DATA\n3\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n", two, Some(2), "1 layers follow");
    let head = "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 pp: 2 all_gpus: 8";
    refused(&step(head, MODEL), Given::default(), Some(1), "stages of a pipeline");
    refused(&step("HYBRID_TRANSFORMER all_gpus: 8", MODEL), two, Some(1), "8 ranks, not 2");
    let Imported { made, skipped, .. } =
        read(&step(head, MODEL), Given { skip: true, ..Given::default() }).unwrap();
    assert_eq!((made.tasks.ranks(), skipped[0].count), (4, 1));
}
