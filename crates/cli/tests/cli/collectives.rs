//! `weir collectives`: which algorithm is best where.

use crate::command::{root, run, scratch, weir};
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

/// All ranks and all sizes are there without being asked for, cells that cannot be and algorithms that cannot be run are named,
/// and each form has a best for each cell.
#[test]
fn tables_say_what_is_best() {
    let folder = scratch();
    let text = run(&mut on_machine(
        folder.path(),
        &["--operation", "alltoall", "--algorithms", "pairwise,modified_bruck"],
    ))
    .expect(0)
    .stdout;
    let head = text.lines().nth(1).unwrap();
    assert_eq!(head.split_whitespace().collect::<Vec<_>>(), ["size", "2", "ranks", "8", "ranks"]);
    assert!(text.starts_with("alltoall: best algorithm, next best, and auto (open-mpi)\n"), "{text}");
    for size in ["8 B", "64 B", "512 B", "4 KiB", "32 KiB", "256 KiB", "2 MiB"] {
        assert!(
            text.lines().any(|line| line.trim_start().starts_with(&format!("{size} "))),
            "{size}\n{text}"
        );
    }
    let with_three =
        run(&mut on_machine(folder.path(), &["--operation", "alltoall", "--ranks", "3"])).expect(0).stdout;
    assert!(with_three.contains("-: ranks cannot have equal parts of so many bytes"), "{with_three}");
    let all = run(on_machine(folder.path(), &SHORT).args(["--all", "-v"])).expect(0).stdout;
    assert!(
        all.contains(
            "pairwise-xor was skipped for 3 ranks: collectives.alltoall = \"pairwise\" needs a power"
        ),
        "{all}"
    );
    assert!(all.contains("  96 KiB among 8 ranks\n"), "{all}");
    assert!(all.contains("message_size = \"96 B\"\\n' > one.toml; weir run one.toml --machine "), "{all}");
    let csv = run(on_machine(folder.path(), &SHORT).arg("--csv")).expect(0).stdout;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.iter().filter(|row| &row[6] == "true").count(), 8, "a best for each cell");
    assert!(rows.iter().all(|row| row[4].is_empty() != row[8].is_empty()));
    assert!(rows.iter().filter(|row| &row[6] == "true").all(|row| &row[5] == "1"));
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
    let machine = MACHINE.split("[collectives]").next().unwrap();
    fs::write(&tuned, machine.to_owned() + &fs::read_to_string(&rows).unwrap()).unwrap();
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

/// The page shows what the command prints.
#[test]
fn the_page_shows_what_is_printed() {
    let page = fs::read_to_string(root().join("docs/reference/command-line.md")).unwrap();
    let section = page.split("## `weir collectives`").nth(1).unwrap();
    let shown = section.split("```text\n").nth(2).unwrap().split("```").next().unwrap();
    let sizes = "1 KiB,32 KiB,1 MiB";
    let args =
        ["--machine", "examples/torus.toml", "--operation", "bcast", "--sizes", sizes, "--ranks", "8,128"];
    assert_eq!(run(weir(["collectives", "-q"]).args(args)).expect(0).stdout, shown);
}
