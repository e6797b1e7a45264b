//! The laws of one scenario.

use super::axes::{Case, ENGINE, LAW, OUTPUT};
use super::{accounted, reported, tables};
use crate::command::{Ended, contents, is_long, run, weir};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What changes from run to run.
const VOLATILE: [&str; 7] =
    ["wall_s", "peak_memory_bytes", "packet_hops_per_s", "threads", "processes", "mail", "experiment"];
/// The same of `skeleton`.
const VOLATILE_COSTS: [&str; 2] = ["call_cost_s", "clock_calls_cost_s"];

/// A scenario's files.
pub(super) struct Setting<'a> {
    pub(super) case: &'a Case,
    pub(super) fixtures: &'a Path,
    pub(super) folder: &'a Path,
    pub(super) experiment: PathBuf,
    pub(super) number: usize,
}

/// Processes, and threads of each; one process has the law for itself.
const DIVISIONS: [(usize, usize); 6] = [(2, 1), (4, 2), (2, 4), (4, 1), (2, 2), (4, 4)];

/// Runs a scenario, and checks what must be true of every one and its own law.
pub(super) fn holds(case: &Case, fixtures: &Path, folder: &Path, number: usize) -> Result<(), String> {
    let experiment = folder.join("experiment.toml");
    let mut text = case.experiment(&fixtures.display().to_string());
    if case.value(LAW) == "repeated" && case.is_on_packets() {
        text = Case::enlarged(&text);
    }
    fs::write(&experiment, text).unwrap();
    let setting = Setting { case, fixtures, folder, experiment, number };
    let whole = setting.run_into("whole", &[])?;
    let out = folder.join("whole");
    tables::agree(&out, &whole)?;
    setting.bounds_hold(&whole)?;
    let causes = accounted::adds_up(&setting, &whole)?;
    match case.value(LAW) {
        "repeated" => setting.repeated(&whole, &causes),
        "swept" => setting.swept(),
        "cut" => setting.cut(&whole),
        "again" => setting.again(&whole),
        "written out" => setting.written_out(&whole),
        "otherwise" => setting.otherwise(&whole),
        "asked" => setting.asked(&whole),
        // Most of the time of a report is Python's.
        _ if number.is_multiple_of(3) => reported::report_is_true(&setting, &whole),
        _ => Ok(()),
    }
}

pub(super) fn finished(ended: &Ended) -> Result<Value, String> {
    if ended.code == 0 {
        Ok(ended.summary())
    } else {
        Err(format!("status {}: {}", ended.code, ended.stderr))
    }
}

pub(super) fn same(what: &str, left: &Value, right: &Value) -> Result<(), String> {
    if left == right { Ok(()) } else { Err(format!("{what}: {left} and {right}")) }
}

impl Setting<'_> {
    fn run_into(&self, out: &str, settings: &[&str]) -> Result<Value, String> {
        finished(&self.start_into(out, settings))
    }

    pub(super) fn start_into(&self, out: &str, settings: &[&str]) -> Ended {
        let options: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
        self.start_with(out, &options)
    }

    fn start_with(&self, out: &str, options: &[&str]) -> Ended {
        let mut command = weir(["run", "-q", "--json", "--set", "engine.threads=1"]);
        let outputs = self.case.value(OUTPUT).split("; ").filter(|setting| !setting.is_empty());
        outputs.for_each(|setting| _ = command.args(["--set", setting]));
        command.args(options);
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

    fn repeated(&self, whole: &Value, causes: &Value) -> Result<(), String> {
        self.is_the_same(whole, "repeated", &["--set", "engine.threads=2"])?;
        // Calls of ranks are kept by one process, and files are opened together by the ranks of one.
        let keeps_calls = !self.case.is_of_kind("program")
            && self.case.makes_calls()
            && self.case.value(OUTPUT).contains("calls");
        // A node in several networks is in the parts of several processes.
        let is_in_several = self.case.has_rails() && self.case.is_on_packets();
        let divides =
            !self.case.is_on_flow() && !self.case.is_of_kind("program") && !keeps_calls && !is_in_several;
        let ways: &[(usize, usize)] =
            if is_long() { &DIVISIONS } else { &[DIVISIONS[self.number % DIVISIONS.len()]] };
        let most = self.case.most_processes();
        for (count, threads) in ways.iter().filter(|(count, _)| divides && *count <= most) {
            let (name, processes) = (format!("divided-{count}-{threads}"), format!("--processes={count}"));
            self.is_the_same(whole, &name, &[&processes, "--set", &format!("engine.threads={threads}")])?;
            accounted::is_divided(self, causes, (*count, *threads))?;
        }
        Ok(())
    }

    /// Run in another way, it leaves the same.
    fn is_the_same(&self, whole: &Value, name: &str, options: &[&str]) -> Result<(), String> {
        let again = finished(&self.start_with(name, options))?;
        let fixed = |summary: &Value| {
            let mut object = summary.as_object().unwrap().clone();
            object.retain(|key, _| !VOLATILE.contains(&key.as_str()));
            if let Some(skeleton) = object.get_mut("skeleton").and_then(Value::as_object_mut) {
                skeleton.retain(|key, _| !VOLATILE_COSTS.contains(&key.as_str()));
            }
            Value::from(object)
        };
        same("summaries", &fixed(whole), &fixed(&again))?;
        let [first, second] = ["whole", name].map(|out| contents(&self.folder.join(out)));
        let different = first.keys().chain(second.keys()).find(|path| first.get(*path) != second.get(*path));
        different.map_or(Ok(()), |path| Err(format!("{name}: {} is not the same", path.display())))
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
        let mut file = self.folder.join("written").with_extension(["pattern", "parquet"][self.number % 2]);
        let (kind, more) = if self.case.is_of_kind("program") {
            file.set_extension("profile");
            let program = self.fixtures.join("program");
            run(weir(["log", "-q", "-n", "12", "-o"]).arg(&file).arg(program).arg(self.fixtures)).expect(0);
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
        let keys = ["messages", "bytes", "outcome", "simulated_ps", "digest"];
        // What a program sends has other places in the digest than what its profile does, and a resolution moves its instants otherwise.
        let equal = match (kind, self.case.value(ENGINE).contains("resolution")) {
            ("profile", true) => 3,
            ("profile", false) => 4,
            _ => 5,
        };
        for key in &keys[..equal] {
            same(&format!("{key}, and as {kind}"), &whole[*key], &written[*key])?;
        }
        Ok(())
    }

    /// Rates found in another way take the same time: as all ranks do the same, or all anew in every cycle.
    fn otherwise(&self, whole: &Value) -> Result<(), String> {
        for (method, taken) in ["quotient", "sweep", "incremental"].iter().zip(&OTHERWISE) {
            let mut command = weir(["run", "-q", "--json", "--set", &format!("engine.method={method}")]);
            let ended = run(command.arg(&self.experiment));
            if ended.code == 2 && ended.stderr.contains("engine.method") && *method != "incremental" {
                continue;
            }
            taken.fetch_add(1, Ordering::Relaxed);
            let other = finished(&ended)?;
            let keys = ["simulated_ps", "messages", "bytes", "mean_link_utilization", "max_link_utilization"];
            for key in keys {
                close(&format!("{key}, and by {method}"), &whole[key], &other[key])?;
            }
            same("method", &other["method"], &(*method).into())?;
        }
        Ok(())
    }

    /// Questions about a run do not change it, and have answers that can be.
    fn asked(&self, whole: &Value) -> Result<(), String> {
        if !self.case.value(ENGINE).contains("resolution") && self.case.is_a_pattern() {
            let asked = self.run_asked("--tie-sensitivity=2")?;
            same("digests, with perturbed ties and without", &asked["digest"], &whole["digest"])?;
            let ties = &asked["tie_sensitivity"];
            let times: Vec<f64> =
                ties["simulated_s"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
            let (least, most) =
                times.iter().fold((f64::MAX, 0.0_f64), |(a, b), &time| (a.min(time), b.max(time)));
            close("the first of the times", &whole["simulated_s"], &times[0].into())?;
            // Of a spread of a millionth few digits are left.
            let spread = 1.0 + ties["spread"].as_f64().unwrap_or(f64::NAN);
            close("1 + spread", &spread.into(), &(most / least).into())?;
            if times.len() != 3 || most > 2.0 * least {
                return Err(format!("times with perturbed ties: {times:?}"));
            }
        }
        if self.case.value(ENGINE).contains("sharing") {
            let asked = self.run_asked("--compare-sharing")?;
            same("digests, compared and alone", &asked["digest"], &whole["digest"])?;
            let compared = &asked["compared_with_max_min"];
            let [least, most] =
                ["least_rate", "most_rate"].map(|key| compared[key].as_f64().unwrap_or(f64::NAN));
            if !(0.0 < least && least <= most && most.is_finite()) {
                return Err(format!("rates beside max-min: {compared}"));
            }
        }
        Ok(())
    }

    fn run_asked(&self, question: &str) -> Result<Value, String> {
        finished(&run(weir(["run", "-q", "--json", question]).arg(&self.experiment)))
    }
}

/// How many runs have found their rates by the quotient, the sweep, and as engines do.
pub(super) static OTHERWISE: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];

fn close(what: &str, left: &Value, right: &Value) -> Result<(), String> {
    let [a, b] = [left, right].map(|value| value.as_f64().unwrap_or(f64::NAN));
    if (a - b).abs() <= 1e-9 * a.abs().max(b.abs()) {
        Ok(())
    } else {
        Err(format!("{what}: {left} and {right}"))
    }
}

fn without_folder(experiment: &Value) -> Value {
    let mut experiment = experiment.clone();
    if let Some(output) = experiment["output"].as_object_mut() {
        output.remove("dir");
    }
    experiment
}
