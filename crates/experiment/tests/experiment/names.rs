//! Algorithms by the names of the library that a preset stands for.

use crate::common::named::*;
use crate::{TORUS, again, check_problems, load_with};
use serde_json::{Value, json};
use weir_experiment::{Scenario, Source};

/// Names are written such that they mean the same with the preset: weir's own where the library has none such.
#[test]
fn what_is_resolved_means_one_thing() {
    let of = |preset, operation, name| named(preset, operation, "1 MiB", name).unwrap().resolved();
    let bcast = of("open-mpi", "bcast", "binomial");
    assert_eq!(bcast["collectives"]["bcast"], "binomial-nearest-first");
    assert_eq!(bcast["workload"]["algorithm"], "binomial-nearest-first");
    let other = of("open-mpi", "bcast", "binomial-farthest-first");
    assert_eq!(other["collectives"]["bcast"], "binomial-farthest-first");
    assert_eq!(of("mpich", "bcast", "binomial-farthest-first")["collectives"]["bcast"], "binomial");
    let chain = of("fujitsu", "bcast", "chain");
    assert_eq!(chain["collectives"]["bcast"], json!("chain"));
    assert_eq!(chain["collectives"]["bcast_fan_out"], json!(3));
    let pipeline = of("fujitsu", "reduce", "pipeline");
    assert_eq!(pipeline["collectives"]["reduce"], json!("auto"));
    assert_eq!(pipeline["workload"]["algorithm"], Value::Null);
    let expected = json!([
        { "collective": "reduce", "algorithm": "pipeline", "bytes": ["134217729 B", "any"], "segment_size": "128 MiB" },
        { "collective": "reduce", "algorithm": "pipeline", "bytes": ["8388609 B", "any"], "segment_size": "16 MiB" },
        { "collective": "reduce", "algorithm": "pipeline" },
    ]);
    assert_eq!(pipeline["selection"], expected);
    let ring = of("open-mpi", "allreduce", "ring");
    let expected = json!([
        { "collective": "allreduce", "algorithm": "recursive-doubling", "elements": "below-ranks" },
        { "collective": "allreduce", "algorithm": "ring" },
    ]);
    assert_eq!(ring["selection"], expected);
    // The library's own choice.
    for preset in ["open-mpi", "fujitsu"] {
        assert_eq!(of(preset, "bcast", "default")["collectives"]["bcast"], "auto");
    }
}

/// Parameters that are set count instead of those of the table.
#[test]
fn parameters_come_before_those_of_the_library() {
    let resolved = |keys: &str| experiment("fujitsu", "reduce", "16 MiB", keys).unwrap().resolved();
    let binary = resolved("reduce = 'binary'\nreduce_segment_size = '8 KiB'");
    assert_eq!(binary["collectives"]["reduce_segment_size"], "8 KiB");
    assert_eq!(resolved("reduce = 'binary'")["collectives"]["reduce_segment_size"], "64 KiB");
    let pipeline = resolved("reduce = 'pipeline'\nreduce_segment_size = '8 KiB'");
    assert_eq!(pipeline["collectives"]["reduce"], "pipeline");
    assert_eq!(pipeline.get("selection"), None);
    let chain = resolved("reduce = 'chain'\nreduce_fan_out = 2");
    assert_eq!(chain["selection"][0]["fan_out"], 2);
    let unused =
        experiment("open-mpi", "allreduce", "1 MiB", "allreduce = 'ring'\nallreduce_segment_size = '1 KiB'");
    check_problems(unused, "collectives.allreduce_segment_size: is not used by allreduce = \"ring\"");
}

/// Rows of a table have the library's names too. What is left of a name in a row is where both hold.
#[test]
fn rows_of_a_table_have_the_names_of_the_library() {
    let text = format!(
        "{TORUS}[[selection]]\ncollective = 'reduce'\nalgorithm = 'pipeline'\nbytes = ['any', '9 MiB']\n\
         [[selection]]\ncollective = 'bcast'\nalgorithm = 'binomial'\n\
         [[selection]]\ncollective = 'reduce'\nalgorithm = 'chain'\nsegment_size = '1 KiB'\n",
    );
    let scenario = load_with(&text, &["collectives.preset=fujitsu", "workload.ranks=8"]).unwrap();
    let expected = json!([
        { "collective": "reduce", "algorithm": "pipeline", "bytes": ["8388609 B", "9 MiB"], "segment_size": "16 MiB" },
        { "collective": "reduce", "algorithm": "pipeline", "bytes": ["any", "9 MiB"] },
        { "collective": "bcast", "algorithm": "binomial-nearest-first" },
        { "collective": "reduce", "algorithm": "chain", "segment_size": "1 KiB", "fan_out": 3 },
    ]);
    assert_eq!(scenario.resolved()["selection"], expected);
    assert_eq!(again(&scenario), scenario);
}

/// The environment has the names of the preset too.
#[test]
fn the_environment_has_the_names_of_the_library() {
    let text = format!("{TORUS}[collectives]\npreset = 'open-mpi'\n");
    let collectives = Some("bcast=binomial,alltoall=pairwise".into());
    let source = Source { collectives, ..Source::of_text("e.toml", text) };
    let resolved = Scenario::load(&source).unwrap().resolved();
    assert_eq!(resolved["collectives"]["bcast"], "binomial-nearest-first");
    assert_eq!(resolved["collectives"]["alltoall"], "simple-spread");
}
