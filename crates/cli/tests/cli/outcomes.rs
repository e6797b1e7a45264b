//! What becomes of runs that do not go well: deadlocks, crashes, aborts, limits. The simulator outlives them all, says
//! which rank and why, and keeps what was printed before.

use crate::command::{Ended, check_all, compiled, files, mpirun, root, run};
use std::path::Path;

/// How a program of `tests/mpi/failing` ends, as the comments at its beginning say: `ends: status 3 on 2 ranks`; each `says`,
/// in which blanks count as one, is in a line of standard error; the lines of standard output are those of `prints`.
struct Ending {
    code: i32,
    ranks: usize,
    says: Vec<String>,
    prints: Vec<String>,
}

impl Ending {
    fn of(source: &Path) -> Self {
        let text = std::fs::read_to_string(source).unwrap();
        let comments: Vec<(&str, &str)> = text
            .lines()
            .map_while(|line| {
                let of_c = line.strip_prefix("/* ").and_then(|rest| rest.strip_suffix(" */"));
                of_c.or_else(|| line.strip_prefix("! "))?.split_once(": ")
            })
            .collect();
        let all = |key| {
            comments.iter().filter(|(own, _)| *own == key).map(|(_, text)| (*text).to_owned()).collect()
        };
        let ends: Vec<String> = all("ends");
        let [_, code, _, ranks, _] = ends
            .concat()
            .split(' ')
            .map(str::to_owned)
            .collect::<Vec<_>>()
            .try_into()
            .unwrap_or_else(|_| panic!("{}: \"ends: status N on N ranks\" is missing", source.display()));
        Self {
            code: code.parse().unwrap(),
            ranks: ranks.parse().unwrap(),
            says: all("says"),
            prints: all("prints"),
        }
    }
}

fn single_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn check(source: &Path) -> Result<(), String> {
    let expected = Ending::of(source);
    let program = compiled(source);
    for machine in [&[][..], &["--machine", "examples/torus.toml"]] {
        let ended = run(mpirun(expected.ranks).args(machine).arg(&program));
        let said: Vec<String> = ended.stderr.lines().map(single_blanks).collect();
        let is_missing = |text: &&String| !said.iter().any(|line| line.contains(text.as_str()));
        let missing: Vec<_> = expected.says.iter().filter(is_missing).collect();
        if ended.code != expected.code || ended.sorted_lines() != expected.prints || !missing.is_empty() {
            let (machine, code) = (machine.join(" "), expected.code);
            let Ended { code: found, stdout, stderr } = ended;
            return Err(format!(
                "{} {machine}: exit status {found} (expected {code}), unsaid {missing:?}\n--- stdout\n{stdout}\n--- stderr\n{stderr}",
                source.display()
            ));
        }
    }
    Ok(())
}

#[track_caller]
fn check_programs(endings: &[&str], at_least: usize) {
    let failing = root().join("tests/mpi/failing");
    let programs: Vec<_> = endings.iter().flat_map(|ending| files(&failing, ending)).collect();
    assert!(programs.len() >= at_least, "only {} programs", programs.len());
    check_all(&programs, |program| check(program));
}

#[test]
fn every_failing_program_ends_with_its_exit_status_and_reason() {
    check_programs(&["c"], 30);
}

#[test]
fn programs_in_other_languages_end_as_they_say() {
    check_programs(&["cpp", "f90"], 6);
}
