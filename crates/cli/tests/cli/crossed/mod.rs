//! Scenarios in which everything meets everything, and what must be true of each of them.
//!
//! A scenario has a value of each axis (`axes.rs`): machine, engine, mapping, interfaces, workload, outputs and so on.
//! Together the scenarios hold every pair of values that can meet. Of each one the tables must agree with the summary
//! (`tables.rs`) and the bounds must hold; and one of these laws, which is an axis too:
//!
//! - *repeated*: with two threads and on a larger machine, the same summary and the same bytes in all files;
//! - *swept*: a point of `weir sweep` is the single run;
//! - *cut*: a run with a limit of simulated time leaves the beginning of the whole one;
//! - *again*: its summary is an experiment that gives the same digest;
//! - *written out*: a pattern as its pattern file, and a program as its profile, take the same time;
//! - *otherwise*: rates that are found in another way (quotient, sweep) take the same time;
//! - *asked*: questions about a run (perturbed ties, a comparison with max-min) do not change it;
//! - *drawn*: a report says what the tables say (`reported.rs`); every third one, as Python takes its time.
//!
//! Two laws have tests of their own: one work in three forms takes the same time (`forms.rs`), and what a killed run has left
//! is the beginning of the whole one (`killed.rs`).
//!
//! What fails is made simpler as long as it fails, and written into a file beside the tests' other files.

mod accounted;
mod axes;
mod cases;
mod forms;
mod killed;
mod laws;
mod reported;
mod tables;

use crate::command::{check_all, compile_text, is_long, run, scratch, weir};
use axes::{AXES, CLASSES, Case, ENGINE, LAW, MACHINE, MAPPING, OUTPUT, RANKS_PER_NODE, WORKLOAD};
use cases::{Random, covering, shrunk};
use laws::{OTHERWISE, Setting, holds};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::Ordering;

/// How many scenarios `make test` runs; `make soak` says more, and another seed.
const CASES: usize = 460;

fn number_of(variable: &str, default: u64) -> u64 {
    let said = std::env::var(variable);
    said.map_or(default, |text| text.parse().unwrap_or_else(|error| panic!("{variable}={text}: {error}")))
}

#[test]
fn everything_meets_everything() {
    let folder = scratch();
    make_fixtures(folder.path());
    let mut random = Random(number_of("WEIR_CROSSED_SEED", 1));
    let count = number_of("WEIR_CROSSED_CASES", CASES as u64) as usize;
    let (cases, covered, possible) = covering(&mut random, count);
    assert!(
        count < CASES || covered == possible,
        "{count} scenarios hold {covered} of {possible} pairs of values"
    );
    let covers = format!("{count} scenarios hold {covered} of {possible} pairs of values that can meet\n");
    fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("crossed.txt"), covers).unwrap();
    let numbered: Vec<(usize, Case)> = cases.into_iter().enumerate().collect();
    check_all(&numbered, |(number, case)| {
        let Err(mistake) = check(case, folder.path(), *number) else { return Ok(()) };
        let simplest = shrunk(*case, |simpler| check(simpler, folder.path(), *number).is_err());
        let mistake = check(&simplest, folder.path(), *number).err().unwrap_or(mistake);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("crossed-{number}.toml"));
        let fixtures = folder.path().display().to_string();
        let law = simplest.value(LAW);
        let outputs = simplest.value(OUTPUT).replace("; ", "\n# ");
        let text = format!("# {}\n# {law}; {outputs}\n{}", simplest.name(), simplest.experiment(&fixtures));
        fs::write(&path, &text).unwrap();
        Err(format!("--- {}: {mistake}\n{text}", path.display()))
    });
}

/// Rates that are found in another way take the same time, where machine and pattern allow it: a law of which nothing is ever
/// seen is none.
#[test]
fn other_methods_take_the_same_time() {
    let folder = scratch();
    make_fixtures(folder.path());
    let mut random = Random(number_of("WEIR_CROSSED_SEED", 1) + 2);
    let law = AXES[LAW].values.iter().position(|law| *law == "otherwise").unwrap();
    let cases = std::iter::repeat_with(|| {
        // Rings and grids of twelve; max-min, or what a sweep needs; patterns in which all ranks do the same, or no rank waits.
        let (machine, engine) = ([4, 10, 11][random.below(3)], [0, 3][random.below(2)]);
        let workload = [0, 1, 2, 5][random.below(4)];
        let pinned = [(MACHINE, machine), (ENGINE, engine), (WORKLOAD, workload), (MAPPING, 0)];
        let pinned = [pinned.as_slice(), &[(RANKS_PER_NODE, 0), (CLASSES, 0), (LAW, law)]].concat();
        let pinned: Vec<_> = pinned.into_iter().map(|(axis, value)| (axis as u8, value as u8)).collect();
        random.case_with(&pinned)
    });
    let most = if is_long() { 150 } else { 110 };
    let cases: Vec<(usize, Case)> = (1000..).zip(cases.flatten()).take(most).collect();
    check_all(&cases, |(number, case)| {
        check(case, folder.path(), *number).map_err(|mistake| {
            format!("{}: {mistake}\n{}", case.name(), case.experiment(&folder.path().display().to_string()))
        })
    });
    let taken = OTHERWISE.each_ref().map(|count| count.load(Ordering::Relaxed));
    assert!(taken[0] >= 10 && taken[1] >= 10, "by the quotient and the sweep: {taken:?}");
}

/// What is refused writes nothing, and says of which key.
#[test]
fn what_cannot_be_is_refused() {
    let folder = scratch();
    make_fixtures(folder.path());
    let mut random = Random(number_of("WEIR_CROSSED_SEED", 1));
    let cases: Vec<(usize, Case)> =
        std::iter::repeat_with(|| random.case()).filter(Case::is_a_mistake).take(200).enumerate().collect();
    check_all(&cases, |(number, case)| {
        let own = folder.path().join(format!("refused-{number}"));
        fs::create_dir(&own).unwrap();
        let experiment = own.join("experiment.toml");
        let text = case.experiment(&folder.path().display().to_string());
        fs::write(&experiment, &text).unwrap();
        let setting = Setting { case, fixtures: folder.path(), folder: &own, experiment, number: *number };
        let ended = setting.start_into("out", &[]);
        let why = case.refused().unwrap_or_default();
        let outputs = case.value(OUTPUT);
        let shown = format!("{why}: status {}\n{}\n{text}{outputs}", ended.code, ended.stderr);
        let named = ["engine.", "node.", "packet.", "topology", "workload.", "output.", "mapping."];
        let fine = ended.code == 2
            && named.iter().any(|key| ended.stderr.contains(key))
            && !own.join("out").exists();
        if fine { Ok(()) } else { Err(shown) }
    });
}

/// The files that scenarios name.
fn make_fixtures(folder: &Path) {
    let cables = "0 1,1 2,2 3,3 4,4 5,5 6,6 7,7 8,8 9,9 10,10 11,11 0,0 6,1 5,2 10,3 8,4 11,7 9";
    let rows: Vec<String> = cables.split(',').map(|cable| cable.replace(' ', ",")).collect();
    fs::write(folder.join("network.csv"), format!("source,target\n{}\n", rows.join("\n"))).unwrap();
    for ranks in [8, 9, 11, 12] {
        let lines: String = (0..ranks).map(|rank| format!("{rank} {}\n", (rank * 5 + 3) % 12)).collect();
        fs::write(folder.join(format!("mapping-{ranks}.txt")), lines).unwrap();
    }
    let program = compile_text(include_str!("program.c"), "program", folder);
    let base = folder.join("base.toml");
    let workload =
        "kind = 'random-ring', ranks = 12, messages = 4, message_size = '3 kB', synchronised = true";
    fs::write(&base, format!("workload = {{ {workload} }}\n")).unwrap();
    for ending in ["pattern", "parquet"] {
        let file = folder.join("pattern").with_extension(ending);
        run(weir(["pattern", "--out"]).arg(file).arg(&base)).expect(0);
        let ending = if ending == "pattern" { "profile" } else { ending };
        let file = folder.join("program").with_extension(ending);
        run(weir(["log", "-q", "-n", "12", "-o"]).arg(file).arg(&program).arg(folder)).expect(0);
    }
}

/// Whether everything that must be true of this scenario is.
fn check(case: &Case, fixtures: &Path, number: usize) -> Result<(), String> {
    let folder = fixtures.join(format!("case-{number}"));
    let checked = catch_unwind(AssertUnwindSafe(|| {
        fs::create_dir_all(&folder).unwrap();
        holds(case, fixtures, &folder, number)
    }));
    _ = fs::remove_dir_all(&folder);
    checked.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Err(text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.into())).unwrap_or_default())
    })
}
