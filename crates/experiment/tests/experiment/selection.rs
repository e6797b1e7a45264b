//! `[[selection]]` and `collectives.preset`: how they are read, and rows that can never be reached.

use crate::{Folder, TORUS, again, check_problems, load, load_with};
use weir_collectives::choice::CATALOG;
use weir_collectives::{Condition, FromTo, Named, Preset};
use weir_experiment::{MachineDescription, Scenario, Source};

fn with(rows: &str) -> String {
    format!("{TORUS}\n{rows}\n")
}

#[track_caller]
fn check(rows: &str, expected: &str) {
    check_problems(load(&with(rows)), expected);
}

#[test]
fn rows_are_read() {
    let scenario = load(&with(
        "[[selection]]\ncollective = 'allreduce'\nalgorithm = 'segmented_ring'\nranks = [33, 512]\n\
         bytes = ['8 KiB', '1 MiB']\npower_of_two = true\nsegment_size = '64 KiB'\n\
         [[selection]]\ncollective = 'bcast'\nalgorithm = 'chain'\nranks = ['any', 8]\n\
         bytes_per_rank = ['1 kB', 'any']\nfan_out = 4\n\
         [[selection]]\ncollective = 'reduce'\nalgorithm = 'auto'\ncommutes = false\n\
         [[selection]]\ncollective = 'barrier'\nalgorithm = 'bruck'\nranks = [1, 'any']",
    ))
    .unwrap();
    let [ring, chain, auto, barrier] = &scenario.selection[..] else { panic!("{:?}", scenario.selection) };
    let range = |from, to| Some(FromTo { from, to });
    let none = Condition::default();
    let (ranks, bytes) = (range(33, 512), range(8192, 1 << 20));
    assert_eq!(ring.when, Condition { ranks, bytes, power_of_two: Some(true), ..none });
    assert_eq!(Some(ring.algorithm), Named::new("allreduce", "segmented-ring"));
    assert_eq!(ring.parameters.segment.map(u32::from), Some(65_536));
    let (ranks, bytes_per_rank) = (range(1, 8), range(1000, u64::MAX));
    assert_eq!(chain.when, Condition { ranks, bytes_per_rank, ..none });
    assert_eq!(chain.parameters.fan_out.map(u32::from), Some(4));
    assert_eq!(auto.when, Condition { commutes: Some(false), ..none });
    assert_eq!(barrier.when, Condition { ranks: range(1, u64::MAX), ..none });
    assert_eq!(again(&scenario), scenario);
    assert_eq!(scenario.collectives.preset, Preset::Mpich);
    let set = ["selection.0.algorithm=ring", "collectives.preset=fujitsu"];
    let text = with("[[selection]]\ncollective = 'allreduce'\nalgorithm = 'bucket-2d'");
    let overridden = load_with(&text, &set).unwrap();
    // The library's ring hands vectors of fewer elements than ranks to another.
    assert_eq!(Some(overridden.selection[1].algorithm), Named::new("allreduce", "ring"));
    assert_eq!(overridden.collectives.preset, Preset::Fujitsu);
    assert_eq!(again(&overridden), overridden);
    let resolved = overridden.resolved();
    assert_eq!(resolved["collectives"]["preset"], "fujitsu");
    assert_eq!(resolved["selection"][1]["algorithm"], "ring");
    let row = "[[selection]]\ncollective = 'bcast'\nalgorithm = 'flat'\nbytes = ['any', 9]\nbytes_per_rank = [1, 2]\n";
    let unitless = TORUS.replace("\"1 GB/s\"", "1").replace("\"20 kB\"", "20") + row;
    let unitless = load(&unitless).unwrap();
    assert_eq!(again(&unitless), unitless);
}

/// The table of a library may be copied out of its file: an experiment reads the rows that the preset has.
#[test]
fn tables_of_libraries_are_read_alike() {
    for (name, preset) in Preset::ALL {
        let table = preset.file().split("\nnames = [").next().unwrap_or_default();
        let scenario = load(&format!("{table}\n{TORUS}")).unwrap();
        let rows = CATALOG.iter().flat_map(|(collective, _)| preset.rows(collective));
        assert_eq!(scenario.selection, rows.copied().collect::<Vec<_>>(), "{name}");
    }
}

/// A row for which an earlier one leaves nothing, and some for which it does.
#[test]
fn rows_that_can_never_be_reached() {
    let row = |keys: &str| format!("[[selection]]\ncollective = 'allreduce'\nalgorithm = 'ring'\n{keys}\n");
    let other = "[[selection]]\ncollective = 'bcast'\nalgorithm = 'flat'\n";
    for (first, second) in [
        ("", ""),
        ("", "ranks = [4, 8]"),
        ("ranks = [4, 8]", "ranks = [4, 8]\nbytes = ['any', '1 kB']"),
        ("bytes = ['1 kB', 'any']", "bytes = ['2 kB', '3 kB']\ncommutes = true"),
        ("power_of_two = true", "ranks = [16, 16]"),
        ("bytes_per_rank = ['any', '1 kB']", "bytes_per_rank = ['any', '1 kB']\nranks = [1, 4]"),
    ] {
        let text = format!("{other}{}{}", row(first), row(second));
        check(&text, "selection.2.algorithm: can never be reached: selection.1 fits wherever it does");
        if first != second {
            assert!(
                load(&with(&format!("{other}{}{}", row(second), row(first)))).is_ok(),
                "{second} {first}"
            );
        }
    }
    for (first, second) in [
        ("ranks = [4, 8]", "ranks = [4, 9]"),
        ("bytes = ['any', '1 kB']", "bytes_per_rank = ['any', '1 kB']"),
        ("power_of_two = true", "power_of_two = false"),
        ("commutes = false", "commutes = true"),
    ] {
        assert!(load(&with(&(row(first) + &row(second)))).is_ok(), "{first} {second}");
    }
}

/// A machine file may have both; rows of the experiment take the place of its rows.
#[test]
fn rows_of_machine_files() {
    let row =
        |algorithm: &str| format!("[[selection]]\ncollective = 'allreduce'\nalgorithm = '{algorithm}'\n");
    let machine = "[topology]\nkind = 'torus'\nshape = [4, 4]\nbandwidth = '1 GB/s'\n\
                   [collectives]\npreset = 'open-mpi'\n";
    let work = "machine = 'm.toml'\n[workload]\nkind = 'ring'\nmessage_size = '1 kB'\n";
    let load = |own: &str| {
        let (machine, own) = (machine.to_owned() + &row("basic-linear"), work.to_owned() + own);
        let folder = Folder::with(&[("m.toml", &machine), ("e.toml", &own)]);
        folder.load("e.toml").unwrap()
    };
    let algorithms = |scenario: &Scenario| -> Vec<&str> {
        scenario.selection.iter().map(|row| row.algorithm.algorithm().name).collect()
    };
    assert_eq!(algorithms(&load("")), ["basic-linear"]);
    assert_eq!(load("").collectives.preset, Preset::OpenMpi);
    assert_eq!(algorithms(&load(&row("bucket-2d"))), ["bucket-2d"]);
    let wrong = machine.to_owned() + &row("rings");
    let folder = Folder::with(&[("m.toml", &wrong)]);
    let source = Source { machine: folder.file("m.toml"), ..Source::default() };
    let problems = MachineDescription::load(&source).unwrap_err();
    assert_eq!(problems.list()[0].key, "selection.0.algorithm", "{problems}");
}
