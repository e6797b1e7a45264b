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
//! - *drawn*: a report can be drawn of it, and has no number that is none; every third one where there are few scenarios.
//!
//! What fails is made simpler as long as it fails, and written into a file beside the tests' other files.

mod axes;
mod cases;
mod tables;

use crate::command::{Ended, check_all, compile_text, contents, root, run, scratch, weir};
use axes::{Case, LAW, OUTPUT};
use cases::{Random, covering, shrunk};
use serde_json::Value;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use tables::Cell;

/// What changes from run to run.
const VOLATILE: [&str; 5] = ["wall_s", "peak_memory_bytes", "packet_hops_per_s", "threads", "experiment"];
/// The same of `skeleton`.
const VOLATILE_COSTS: [&str; 2] = ["call_cost_s", "clock_calls_cost_s"];

/// How many scenarios `make test` runs; `make soak` says more, and another seed.
const CASES: usize = 300;

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
        let setting = Setting { case, fixtures: folder.path(), folder: &own, experiment };
        let ended = setting.start_into("out", &[]);
        let why = case.refused().unwrap_or_default();
        let outputs = case.value(OUTPUT);
        let told = format!("{why}: status {}\n{}\n{text}{outputs}", ended.code, ended.stderr);
        let named = ["engine.", "node.", "topology", "workload.", "output.", "mapping."];
        let fine = ended.code == 2
            && named.iter().any(|key| ended.stderr.contains(key))
            && !own.join("out").exists();
        if fine { Ok(()) } else { Err(told) }
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
        run(weir(["log", "-q", "-n", "12", "-o"]).arg(file).arg(&program)).expect(0);
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

/// A scenario's files.
struct Setting<'a> {
    case: &'a Case,
    fixtures: &'a Path,
    folder: &'a Path,
    experiment: PathBuf,
}

fn holds(case: &Case, fixtures: &Path, folder: &Path, number: usize) -> Result<(), String> {
    let experiment = folder.join("experiment.toml");
    let mut text = case.experiment(&fixtures.display().to_string());
    if case.value(LAW) == "repeated" && case.is_on_packets() {
        text = Case::enlarged(&text);
    }
    fs::write(&experiment, text).unwrap();
    let setting = Setting { case, fixtures, folder, experiment };
    let whole = setting.run_into("whole", &[])?;
    let out = folder.join("whole");
    tables::agree(&out, &whole)?;
    setting.bounds_hold(&whole)?;
    match case.value(LAW) {
        "repeated" => setting.repeated(&whole),
        "swept" => setting.swept(),
        "cut" => setting.cut(&whole),
        "again" => setting.again(&whole),
        "written out" => setting.written_out(&whole),
        // Most of the time of a report is Python's.
        _ if number.is_multiple_of(3) => setting.drawn(),
        _ => Ok(()),
    }
}

fn finished(ended: &Ended) -> Result<Value, String> {
    if ended.code == 0 {
        Ok(ended.summary())
    } else {
        Err(format!("status {}: {}", ended.code, ended.stderr))
    }
}

fn same(what: &str, left: &Value, right: &Value) -> Result<(), String> {
    if left == right { Ok(()) } else { Err(format!("{what}: {left} and {right}")) }
}

impl Setting<'_> {
    fn run_into(&self, out: &str, settings: &[&str]) -> Result<Value, String> {
        finished(&self.start_into(out, settings))
    }

    fn start_into(&self, out: &str, settings: &[&str]) -> Ended {
        let mut command = weir(["run", "-q", "--json", "--set", "engine.threads=1"]);
        let outputs = self.case.value(OUTPUT).split("; ").filter(|setting| !setting.is_empty());
        outputs.chain(settings.iter().copied()).for_each(|setting| _ = command.args(["--set", setting]));
        run(command.arg("--out").arg(self.folder.join(out)).arg(&self.experiment))
    }

    fn run_without_tables(&self, settings: &[&str]) -> Result<Value, String> {
        let mut command = weir(["run", "-q", "--json"]);
        settings.iter().for_each(|setting| _ = command.args(["--set", setting]));
        finished(&run(command.arg(&self.experiment)))
    }

    /// No engine is faster than what must pass through the narrowest place.
    fn bounds_hold(&self, whole: &Value) -> Result<(), String> {
        if !(self.case.is_a_pattern() || self.case.is_of_kind("pattern-file")) || !self.case.has_network() {
            return Ok(());
        }
        let bound = finished(&run(weir(["bound", "--json"]).arg(&self.experiment)))?;
        let (best, taken) = (bound["best_ps"].as_u64(), whole["simulated_ps"].as_u64());
        if bound["hold"] == true && best > taken {
            return Err(format!("simulated {taken:?} ps, below the bound {best:?} ps"));
        }
        Ok(())
    }

    fn repeated(&self, whole: &Value) -> Result<(), String> {
        let again = self.run_into("repeated", &["engine.threads=2"])?;
        let fixed = |summary: &Value| {
            let mut object = summary.as_object().unwrap().clone();
            object.retain(|key, _| !VOLATILE.contains(&key.as_str()));
            if let Some(skeleton) = object.get_mut("skeleton").and_then(Value::as_object_mut) {
                skeleton.retain(|key, _| !VOLATILE_COSTS.contains(&key.as_str()));
            }
            Value::from(object)
        };
        same("summaries", &fixed(whole), &fixed(&again))?;
        let [first, second] = ["whole", "repeated"].map(|out| contents(&self.folder.join(out)));
        let different = first.keys().chain(second.keys()).find(|path| first.get(*path) != second.get(*path));
        different.map_or(Ok(()), |path| Err(format!("{} is not the same", path.display())))
    }

    fn swept(&self) -> Result<(), String> {
        let ended = run(weir(["sweep", "--vary", "seed=3;11", "--json", "-q"]).arg(&self.experiment));
        for (point, seed) in finished(&ended)?["points"].as_array().unwrap().iter().zip(["seed=3", "seed=11"])
        {
            let single = self.run_without_tables(&[seed])?;
            for key in ["outcome", "simulated_ps", "digest"] {
                same(&format!("{key} of {seed}, swept and alone"), &point[key], &single[key])?;
            }
        }
        Ok(())
    }

    fn cut(&self, whole: &Value) -> Result<(), String> {
        let middle = whole["simulated_ps"].as_u64().unwrap() / 2;
        let ended = self.start_into("cut", &[&format!("limits.simulated_time={middle} ps")]);
        if ended.code != 4 {
            return Err(format!("status {} with a limit of {middle} ps: {}", ended.code, ended.stderr));
        }
        let arrived = |out: &str| {
            let columns = ["from", "to", "sequence", "bytes", "posted_ps", "started_ps", "arrived_ps"];
            let rows = tables::rows(&self.folder.join(out), "messages").unwrap_or_default();
            let mut rows: Vec<_> =
                rows.iter().map(|row| columns.map(|column| tables::whole(row, column))).collect();
            rows.retain(|row| row[6] < middle);
            rows.sort_unstable();
            rows
        };
        let (all, until) = (arrived("whole"), arrived("cut"));
        if all == until { Ok(()) } else { Err(format!("messages before {middle} ps: {all:?} and {until:?}")) }
    }

    fn again(&self, whole: &Value) -> Result<(), String> {
        let again = finished(&run(weir(["run", "-q", "--json", "--out"])
            .arg(self.folder.join("again"))
            .arg(self.folder.join("whole/summary.json"))))?;
        same("digests, from the summary and before", &again["digest"], &whole["digest"])?;
        same("experiments", &without_folder(&again["experiment"]), &without_folder(&whole["experiment"]))
    }

    fn written_out(&self, whole: &Value) -> Result<(), String> {
        let mut file = self.folder.join("written.pattern");
        let (kind, more) = if self.case.is_of_kind("program") {
            file.set_extension("profile");
            let program = self.fixtures.join("program");
            run(weir(["log", "-q", "-n", "12", "-o"]).arg(&file).arg(program)).expect(0);
            ("profile", "sources = 'as-posted'")
        } else {
            run(weir(["pattern", "--out"]).arg(&file).arg(&self.experiment)).expect(0);
            ("pattern-file", "")
        };
        let text = fs::read_to_string(&self.experiment).unwrap();
        let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("workload.")).collect();
        let file = file.display();
        let text = format!("{}\n[workload]\nkind = '{kind}'\nfile = '{file}'\n{more}\n", kept.join("\n"));
        fs::write(&self.experiment, text).unwrap();
        let written = self.run_without_tables(&[])?;
        for key in ["simulated_ps", "messages", "bytes"] {
            same(&format!("{key}, and as {kind}"), &whole[key], &written[key])?;
        }
        Ok(())
    }

    fn drawn(&self) -> Result<(), String> {
        let page = self.folder.join("report.html");
        let python = root().join("target/python/bin/python");
        let mut command = weir(["report"]);
        command.env("WEIR_PYTHON", python).env_remove("WEIR").arg(self.folder.join("whole"));
        let ended = run(command.arg("-o").arg(&page));
        if ended.code != 0 {
            return Err(format!("the report: status {}: {}", ended.code, ended.stderr));
        }
        let text = fs::read_to_string(&page).unwrap();
        let visible = without_scripts(&text);
        if let Some(word) =
            ["NaN", "nan ", ">None<", "Infinity", "undefined"].iter().find(|&&word| visible.contains(word))
        {
            return Err(format!("the report has {word:?}"));
        }
        if let Some((before, _)) = visible.split_once(" times the lower bound") {
            let factor = before.rsplit(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or_default();
            if factor.parse::<f64>().is_ok_and(|factor| factor <= 1.0) {
                return Err(format!("the report says {factor} times the lower bound"));
            }
        }
        let nobody_waited = visible.contains("None was kept waiting for a link");
        let links = tables::rows(&self.folder.join("whole"), "links").unwrap_or_default();
        let waited = links.iter().any(|row| matches!(row.get("waited_ps"), Some(Cell::Whole(1..))));
        if nobody_waited && waited { Err("the report says that no packet waited".into()) } else { Ok(()) }
    }
}

/// A page without what a browser runs.
fn without_scripts(page: &str) -> String {
    let mut visible = String::new();
    for (index, part) in page.split("<script").enumerate() {
        visible +=
            if index == 0 { part } else { part.split_once("</script>").map_or("", |(_, behind)| behind) };
    }
    visible
}

fn without_folder(experiment: &Value) -> Value {
    let mut experiment = experiment.clone();
    if let Some(output) = experiment["output"].as_object_mut() {
        output.remove("dir");
    }
    experiment
}
