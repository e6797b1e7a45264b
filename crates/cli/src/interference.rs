//! `weir interference`: each victim beside each aggressor, as a table and a picture.

use crate::arguments::InterferenceArgs;
use crate::load;
use crate::say::print_as;
use crate::status::refused;
use crate::text::{plain, table};
use anyhow::Context;
use serde_json::{Value, json};
use std::fs;
use std::process::ExitCode;
use weir_experiment::{Scenario, jobs_of};
use weir_network::Outcome;
use weir_picture::{Field, HeatMap, Paint};
use weir_run::{Printed, run_isolated, why_unfinished};
use weir_units::Duration;

/// A victim beside an aggressor.
struct Pair {
    victim: String,
    aggressor: String,
    /// Its time alone and beside the aggressor, at the same nodes.
    alone: Duration,
    together: Duration,
}

impl Pair {
    /// The slowdown: the time of the victim beside the aggressor over its time alone; 1 if it takes no time alone.
    fn slowdown(&self) -> f64 {
        if self.alone == Duration::ZERO {
            1.0
        } else {
            self.together.as_ps() as f64 / self.alone.as_ps() as f64
        }
    }
}

pub(crate) fn interference(args: InterferenceArgs) -> anyhow::Result<ExitCode> {
    let overrides = args.sets.overrides();
    let source = load::source(args.experiment.clone(), overrides.clone());
    let jobs = jobs_of(&source).map_err(refused)?;
    let outputs = [&args.csv, &args.picture];
    load::spares(&source.files(), outputs.into_iter().flatten().map(std::path::PathBuf::as_path))?;
    let victims = named("victims", &args.victims, &jobs, |is_endless| !is_endless)?;
    if let Some(&job) = victims.iter().find(|&&job| jobs[job].1) {
        let what =
            format!("--victims: {:?} has no end of its own: it goes on until others are over", jobs[job].0);
        return Err(refused(what));
    }
    let aggressors = named("aggressors", &args.aggressors, &jobs, |is_endless| is_endless)?;
    let scenarios = pairs(&victims, &aggressors).map(|(victim, aggressor)| {
        let absent = (0..jobs.len()).filter(|&job| job != victim && job != aggressor);
        let mut overrides = overrides.clone();
        overrides.extend(absent.map(|job| format!("jobs.{job}.state=absent")));
        overrides.push("output.alone=false".into());
        Ok((victim, aggressor, load::scenario(&load::source(args.experiment.clone(), overrides))?))
    });
    // All are checked before the first one runs.
    let scenarios = scenarios.collect::<anyhow::Result<Vec<(usize, usize, Scenario)>>>()?;
    let (title, engine) = scenarios
        .first()
        .map_or((String::new(), ""), |(_, _, scenario)| (scenario.title.clone(), scenario.engine.name()));
    let mut found = Vec::new();
    for (victim, aggressor, scenario) in scenarios {
        let [victim, aggressor] = [victim, aggressor].map(|job| jobs[job].0.clone());
        let place =
            if jobs.iter().position(|job| job.0 == victim) < jobs.iter().position(|job| job.0 == aggressor) {
                0
            } else {
                1
            };
        let alone = time(scenario.with_job_alone(place), place).with_context(|| format!("{victim} alone"))?;
        let together = time(scenario, place).with_context(|| format!("{victim} beside {aggressor}"))?;
        found.push(Pair { victim, aggressor, alone, together });
    }
    if let Some(file) = &args.csv {
        fs::write(file, to_csv(engine, &found)).with_context(|| file.display().to_string())?;
    }
    if let Some(file) = &args.picture {
        fs::write(file, picture(&title, engine, &found)).with_context(|| file.display().to_string())?;
    }
    print_as(args.json, || to_json(&title, engine, &found), || to_text(&title, engine, &found))
}

/// The numbers of the jobs with these names, or of all that fit where none is named.
fn named(
    option: &str,
    names: &[String],
    jobs: &[(String, bool)],
    fits: impl Fn(bool) -> bool,
) -> anyhow::Result<Vec<usize>> {
    let mut found = Vec::new();
    for name in names {
        match jobs.iter().position(|job| job.0 == *name) {
            Some(job) if found.contains(&job) => {}
            Some(job) => found.push(job),
            None => {
                let known: Vec<&str> = jobs.iter().map(|job| job.0.as_str()).collect();
                return Err(refused(format!(
                    "--{option}: there is no job {name:?}; there are {}",
                    known.join(", ")
                )));
            }
        }
    }
    if names.is_empty() {
        found = (0..jobs.len()).filter(|&job| fits(jobs[job].1)).collect();
    }
    if found.is_empty() {
        let hint =
            "victims are jobs with an end, aggressors those with repeat = \"until-others-end\"; or name them";
        return Err(refused(format!("--{option}: there are none\n\nhint: {hint}")));
    }
    Ok(found)
}

fn pairs<'a>(victims: &'a [usize], aggressors: &'a [usize]) -> impl Iterator<Item = (usize, usize)> + 'a {
    let of = move |&victim: &usize| aggressors.iter().map(move |&aggressor| (victim, aggressor));
    victims.iter().flat_map(of).filter(|(victim, aggressor)| victim != aggressor)
}

/// The time of the job at this place of a run.
fn time(scenario: Scenario, place: usize) -> anyhow::Result<Duration> {
    let (run, _) = run_isolated(scenario, Printed::Kept);
    let run = run?;
    if run.outcome != Outcome::Finished {
        anyhow::bail!("{}", why_unfinished(&run.outcome).unwrap_or_default());
    }
    Ok(Duration::from_ps(run.summary["jobs"][place]["time_ps"].as_u64().unwrap_or_default()))
}

fn to_text(title: &str, engine: &str, pairs: &[Pair]) -> String {
    let rows = pairs.iter().map(|pair| {
        let [victim, aggressor] = [&pair.victim, &pair.aggressor].map(|name| plain(name).to_string());
        let [alone, together] = [pair.alone, pair.together].map(|time| time.to_string());
        [victim, aggressor, alone, together, format!("{:.2}", pair.slowdown())]
    });
    let head = ["victim", "aggressor", "alone", "together", "times as long"];
    format!("  {} ({engine})\n\n{}", plain(title), table(head, rows))
}

fn to_csv(engine: &str, pairs: &[Pair]) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let row = |pair: &Pair| {
        let Pair { victim, aggressor, alone, together } = pair;
        let [victim, aggressor] = [victim, aggressor].map(|name| quoted(name));
        format!(
            "{engine},{victim},{aggressor},{},{},{:.6}\n",
            alone.as_ps(),
            together.as_ps(),
            pair.slowdown()
        )
    };
    let head = "engine,victim,aggressor,alone_ps,together_ps,slowdown\n".to_owned();
    head + &pairs.iter().map(row).collect::<String>()
}

fn to_json(title: &str, engine: &str, pairs: &[Pair]) -> Value {
    let pair = |pair: &Pair| {
        json!({
            "victim": pair.victim,
            "aggressor": pair.aggressor,
            "alone_ps": pair.alone.as_ps(),
            "together_ps": pair.together.as_ps(),
            "slowdown": pair.slowdown(),
        })
    };
    let pairs: Vec<Value> = pairs.iter().map(pair).collect();
    json!({ "schema_version": 1, "title": title, "engine": engine, "pairs": pairs })
}

fn picture(title: &str, engine: &str, pairs: &[Pair]) -> String {
    let names = |of: &dyn Fn(&Pair) -> String| {
        let mut names: Vec<String> = Vec::new();
        for name in pairs.iter().map(of) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    };
    let (columns, rows) = (names(&|pair| pair.aggressor.clone()), names(&|pair| pair.victim.clone()));
    // Twice as long is as far from as long as ten times is from five times.
    let most = pairs.iter().map(|pair| pair.slowdown().ln()).fold(2.0_f64.ln(), f64::max);
    let fields = pairs.iter().filter_map(|pair| {
        let column = columns.iter().position(|name| *name == pair.aggressor)?;
        let row = rows.iter().position(|name| *name == pair.victim)?;
        let paint = Paint::Shade((pair.slowdown().ln() / most).clamp(0.0, 1.0));
        let text = format!("{:.2}", pair.slowdown());
        let title =
            format!("{} beside {}: {} instead of {}", pair.victim, pair.aggressor, pair.together, pair.alone);
        Some(Field { column, row, paint, text, title })
    });
    let map = HeatMap {
        title: format!("{title} ({engine}): times as long as alone"),
        below: "aggressor".to_owned(),
        fields: fields.collect(),
        columns,
        rows,
        legend: Vec::new(),
    };
    map.draw().to_string()
}
