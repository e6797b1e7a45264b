//! Ranks that leave in odd ways, break in threads of their own, or do what only a process of its own could do: each is
//! reported with its rank and what it did, or does what it would do in a process of its own.

use crate::command::{check_all, compile, mpirun, root, run, scratch};
use serde::Deserialize;
use std::path::Path;
use std::sync::LazyLock;

/// The ways of leaving that leaving.toml beside this file has.
#[derive(Deserialize)]
struct Leaving {
    cases: Vec<Case>,
    places: Vec<(String, String)>,
    ways: Vec<Case>,
}

static LEAVING: LazyLock<Leaving> =
    LazyLock::new(|| toml::from_str(include_str!("leaving.toml")).expect("leaving.toml"));

/// How rank 1 of 3 leaves, and what becomes of it.
#[derive(Deserialize)]
struct Case {
    how: String,
    #[serde(default = "one")]
    code: i32,
    #[serde(default)]
    says: String,
    #[serde(default)]
    prints: Vec<String>,
}

fn one() -> i32 {
    1
}

fn check(case: &Case, program: &Path) -> Result<(), String> {
    let ended = run(mpirun(3).arg(program).arg(&case.how));
    let said = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines = ended.sorted_lines();
    let printed = case.prints.iter().all(|text| lines.iter().any(|line| line == text));
    let summaries = ended.stderr.matches("simulated time").count();
    let once = lines.iter().filter(|line| *line == "before").count() <= 1;
    if ended.code == case.code && said.contains(&case.says) && printed && summaries <= 1 && once {
        return Ok(());
    }
    Err(format!("{}: {}\n--- stdout\n{}\n--- stderr\n{}", case.how, ended.code, ended.stdout, ended.stderr))
}

#[test]
fn a_rank_that_leaves_is_reported_with_what_it_did() {
    let folder = scratch();
    let program = compile(&root().join("tests/mpi/leaving/leaving.c"), folder.path());
    check_all(&LEAVING.cases, |case| check(case, &program));
}

#[test]
fn a_rank_that_leaves_in_a_function_that_mpi_calls_is_reported() {
    let folder = scratch();
    let program = compile(&root().join("tests/mpi/leaving/callbacks.c"), folder.path());
    check_all(&LEAVING.places, |(place, call)| {
        for Case { how, code, says, .. } in &LEAVING.ways {
            let ended = run(mpirun(3).arg(&program).args([place, how]));
            let said = [&*ended.stderr, &*ended.stdout].concat();
            let goes_on = ended.stdout.contains("rank 0 goes on") && ended.stdout.contains("rank 2 goes on");
            if ended.code != *code || !said.contains(&says.replace("CALL", call)) || goes_on != (*code == 0) {
                return Err(format!("{place} {how}: {}\n{said}", ended.code));
            }
        }
        Ok(())
    });
}
