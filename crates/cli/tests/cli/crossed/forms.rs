//! One work in three forms takes the same time: a pattern file, an MPI program that does the same, and its profile.
//!
//! What a pattern posts, a program sends without waiting; what it awaits, the program receives; a pause is time to compute.
//! The sizes are eager ones, and calls take no time: then nothing is left in which the three could differ.

use super::axes::{AXES, COMBINING, Case, ENGINE, LAW, NODE, PROGRESS, ROUTER, VARIATION, WITHIN, WORKLOAD};
use super::cases::Random;
use super::laws::{finished, same};
use super::{make_fixtures, number_of};
use crate::command::{check_all, compile_text, run, scratch, weir};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// How many works there are.
const WORKS: usize = 40;
const RANKS: usize = 12;

const PROGRAM: &str = include_str!("../../programs/crossed_forms_works.c");

/// A work as a pattern file, and as the lines that the program reads.
fn work(random: &mut Random) -> (String, String) {
    let (mut pattern, mut plan) = (format!("weir-pattern 1\nranks {RANKS}\n"), String::new());
    // No rank waits for what is posted later, so none waits for ever.
    let mut owed: Vec<(usize, usize)> = vec![];
    for _ in 0..4 + random.below(60) {
        let from = random.below(RANKS);
        let to = (from + 1 + random.below(RANKS - 1)) % RANKS;
        match random.below(8) {
            0 => {
                let time = 1 + random.below(3000);
                _ = writeln!(pattern, "{from} pause {time} ns");
                _ = writeln!(plan, "{from} pause 0 {time}");
            }
            1 | 2 if !owed.is_empty() => {
                // The oldest one of a pair comes first.
                let (from, to) = owed.remove(random.below(owed.len()));
                _ = writeln!(pattern, "{to} await {from}");
                _ = writeln!(plan, "{to} await {from} 0");
            }
            _ => {
                let bytes = [1, 64, 900, 4096, 12000][random.below(5)];
                _ = writeln!(pattern, "{from} post {to} {bytes}");
                _ = writeln!(plan, "{from} post {to} {bytes}");
                owed.push((from, to));
            }
        }
    }
    // Some are never awaited, and are just received.
    owed.truncate(random.below(owed.len() + 1));
    for (from, to) in owed {
        _ = writeln!(pattern, "{to} await {from}");
        _ = writeln!(plan, "{to} await {from} 0");
    }
    (pattern, plan)
}

#[test]
fn a_work_takes_the_same_time_as_pattern_as_program_and_as_profile() {
    let folder = scratch();
    make_fixtures(folder.path());
    let program = compile_text(PROGRAM, "works", folder.path());
    let mut random = Random(number_of("WEIR_CROSSED_SEED", 1) + 1);
    let file = AXES[WORKLOAD].values.iter().position(|value| value.contains("pattern.pattern")).unwrap();
    let pinned = [(WORKLOAD, file), (NODE, 0), (PROGRESS, 0), (COMBINING, 0), (VARIATION, 0), (LAW, 0)]
        .map(|(axis, value)| (axis as u8, value as u8));
    let works: Vec<_> =
        (0..WORKS).map(|number| (number, scenario(&mut random, &pinned), work(&mut random))).collect();
    check_all(&works, |(number, case, (pattern, plan))| {
        let own = folder.path().join(format!("work-{number}"));
        fs::create_dir(&own).unwrap();
        fs::write(own.join("work.pattern"), pattern).unwrap();
        fs::write(own.join("plan"), plan).unwrap();
        let mistake = match take_the_same_time(case, folder.path(), &own, &program) {
            Ok(()) => return Ok(()),
            Err(mistake) => mistake,
        };
        Err(format!("{}: {mistake}\n{}\n{pattern}", case.name(), case.experiment("@")))
    });
}

/// One in which the three forms can be run: it is not known beforehand what a program will send, so that no gap follows from it.
/// One in which messages within a node are eager ones and take no processor's time, as those between nodes. And one without a resolution: that moves every instant by what has happened shortly before, and a pattern that pauses
/// is an instant where a program's clock just goes on.
fn scenario(random: &mut Random, pinned: &[(u8, u8)]) -> Case {
    let mut cases = std::iter::repeat_with(|| random.case_with(pinned)).flatten();
    let can = |case: &Case| {
        !case.value(ROUTER).contains("max-min")
            && !case.value(ENGINE).contains("resolution")
            && !case.value(WITHIN).contains("local_send_overhead")
    };
    cases.find(can).expect("they are endless")
}

fn take_the_same_time(case: &Case, fixtures: &Path, own: &Path, program: &Path) -> Result<(), String> {
    let profile = own.join("work.profile");
    let ranks = RANKS.to_string();
    let mut log = weir(["log", "-q", "-n", &ranks, "-o"]);
    run(log.arg(&profile).arg(program).arg(own.join("plan"))).expect(0);
    let (own, program) = (own.display(), program.display());
    let forms = [
        ("pattern", format!("kind = 'pattern-file', file = '{own}/work.pattern'")),
        (
            "program",
            format!("kind = 'program', ranks = {RANKS}, program = '{program}', args = ['{own}/plan']"),
        ),
        ("profile", format!("kind = 'profile', file = '{own}/work.profile'")),
    ];
    let machine: String = case
        .experiment(&fixtures.display().to_string())
        .lines()
        .filter(|line| !line.starts_with("workload."))
        .fold(String::new(), |text, line| text + line + "\n");
    let mut first: Option<Value> = None;
    for (form, workload) in forms {
        let experiment = format!("{own}/{form}.toml");
        fs::write(&experiment, format!("{machine}workload = {{ {workload} }}\n")).unwrap();
        let summary = finished(&run(&mut weir(["run", "-q", "--json", &experiment])))?;
        let first = first.get_or_insert_with(|| summary.clone());
        for key in ["simulated_ps", "messages", "bytes", "max_link_utilization", "packets"] {
            same(&format!("{key}, as pattern and as {form}"), &first[key], &summary[key])?;
        }
    }
    Ok(())
}
