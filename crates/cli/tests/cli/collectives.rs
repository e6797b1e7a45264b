//! `weir collectives`: which algorithm is best where. What it prints is in `cases/collectives.toml`.

use crate::command::{run, scratch, weir};
use std::fs;

/// Eight nodes in a ring with Open MPI's names.
const MACHINE: &str = "[topology]\nkind = 'torus'\nshape = [8]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n\
                       [collectives]\npreset = 'open-mpi'\n";

const SHORT: [&str; 6] = ["--operation", "bcast,alltoall", "--sizes", "96 B,96 KiB", "--ranks", "3,8"];

/// The machine of the tests, and arguments.
fn on_machine(folder: &std::path::Path, more: &[&str]) -> std::process::Command {
    let machine = folder.join("m.toml");
    fs::write(&machine, MACHINE).unwrap();
    let mut command = weir(["collectives", "-q", "--machine", machine.to_str().unwrap()]);
    command.args(more);
    command
}

/// Each time is that of `weir run` with this algorithm, and what cannot be run has its reason; two threads find the same as one.
#[test]
fn times_are_those_of_runs() {
    let folder = scratch();
    let found = |threads: &str| {
        run(on_machine(folder.path(), &SHORT).args(["--json", "--threads", threads])).expect(0).summary()
    };
    let found_by_one = found("1");
    assert_eq!(found("2"), found_by_one);
    assert_eq!(found_by_one["preset"], "open-mpi");
    let cells = found_by_one["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 2 * 2 * 2);
    for cell in cells {
        let (operation, bytes, ranks) =
            (&cell["operation"].as_str().unwrap(), &cell["bytes"], &cell["ranks"]);
        let experiment = folder.path().join("e.toml");
        let text = format!(
            "workload = {{ kind = 'collective', operation = '{operation}', message_size = '{bytes} B', ranks = {ranks} }}\n"
        );
        fs::write(&experiment, text).unwrap();
        let mut best: Option<(u64, &str)> = None;
        for time in cell["times"].as_array().unwrap() {
            let name = time["algorithm"].as_str().unwrap();
            let mut command =
                weir(["run", "-q", "--json", "--set", &format!("collectives.{operation}={name}")]);
            let ended = run(command.arg("--machine").arg(folder.path().join("m.toml")).arg(&experiment));
            let Some(ps) = time["time_ps"].as_u64() else {
                let reason = time["reason"].as_str().unwrap();
                let (why, code) = match name {
                    "pairwise-xor" => ("needs a power of two", 1),
                    _ => ("collectives.grid: is missing: disjoint-trees", 2),
                };
                assert!(["pairwise-xor", "disjoint-trees"].contains(&name), "{time}");
                assert!(*ranks == 3 && reason.contains(why), "{time}");
                assert_eq!(ended.code, code);
                continue;
            };
            assert_eq!(
                ended.expect(0).summary()["repetitions_ps"],
                serde_json::json!([ps]),
                "{operation} {name}"
            );
            if best.is_none_or(|(least, _)| ps < least) {
                best = Some((ps, name));
            }
        }
        assert_eq!(cell["best"], best.unwrap().1);
        assert!(!cell["auto_is"].as_array().unwrap().is_empty(), "{cell}");
    }
}

/// The rows that are written make `auto` the best everywhere.
#[test]
fn the_table_that_is_written_takes_the_best() {
    let folder = scratch();
    let (rows, picture) = (folder.path().join("rows.toml"), folder.path().join("p.svg"));
    run(on_machine(folder.path(), &SHORT).arg("--selection").arg(&rows).arg("--out").arg(&picture)).expect(0);
    let svg = fs::read_to_string(&picture).unwrap();
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && svg.contains("\n8 ranks\n"), "{svg}");
    let tuned = folder.path().join("tuned.toml");
    fs::write(&tuned, MACHINE.to_owned() + &fs::read_to_string(&rows).unwrap()).unwrap();
    let mut again = weir(["collectives", "-q", "--json", "--machine", tuned.to_str().unwrap()]);
    let found = run(again.args(SHORT)).expect(0).summary();
    for cell in found["cells"].as_array().unwrap() {
        let best =
            cell["times"].as_array().unwrap().iter().find(|time| time["algorithm"] == cell["best"]).unwrap();
        assert_eq!(cell["auto"]["time_ps"], best["time_ps"], "{cell}");
    }
    let page = folder.path().join("p.html");
    run(on_machine(folder.path(), &SHORT).arg("--out").arg(&page)).expect(0);
    assert!(fs::read_to_string(&page).unwrap().starts_with("<!DOCTYPE html>"));
}
