//! Reads the curves of a load study and the loads that it begins with, and checks them before anything runs.

use super::LOAD;
use super::curve::Curve;
use crate::arguments::SweepArgs;
use crate::status::{OrRefused, refused};
use crate::sweep::design::values_of;
use crate::sweep::study::is_study;
use std::collections::BTreeSet;
use std::path::Path;
use toml::Table;
use weir_experiment::{Found, Scenario, Source, Workload, keys_of_pattern, keys_of_some_patterns, unset};

const PATTERN: &str = "workload.pattern";
const RULE: &str = "topology.routing";

pub(super) struct Asked {
    pub(super) curves: Vec<Curve>,
    /// In ascending order; at least two.
    pub(super) loads: Vec<f64>,
    /// `key=value` for all points.
    pub(super) sets: Vec<String>,
}

/// A pattern with the keys that belong to it.
struct AskedPattern {
    name: String,
    row: Vec<(String, String)>,
    taken_back: Vec<String>,
}

impl Asked {
    /// Reads options, and checks each curve.
    ///
    /// # Errors
    /// All mistakes of all curves.
    pub(super) fn of(args: &SweepArgs) -> anyhow::Result<Self> {
        let found = Found::of(&args.experiment);
        let file = args.experiment.display();
        if is_study(&found) {
            let hint = "name the experiment itself, and give --patterns and --rules";
            return Err(refused(format!(
                "{file}: is a study, and --load makes its own points\n\nhint: {hint}"
            )));
        }
        let loads = loads(&args.vary).or_refused()?;
        let path = found.path().to_owned();
        check_kind(&path, &args.sets.overrides()).or_refused()?;
        let (sets, of_patterns): (Vec<String>, Vec<String>) = args
            .sets
            .overrides()
            .into_iter()
            .partition(|set| args.study.patterns.is_empty() || key_of_pattern(set).is_none());
        let patterns = match args.study.patterns.is_empty() {
            true => vec![own_pattern(&path, &sets, loads[0])?],
            false => asked_patterns(&args.study.patterns, &of_patterns, &found).or_refused()?,
        };
        let rules: Vec<Option<&String>> = match args.study.rules.is_empty() {
            true => vec![None],
            false => args.study.rules.iter().map(Some).collect(),
        };
        let mut curves = Vec::new();
        for pattern in &patterns {
            for rule in &rules {
                let chosen = rule.map(|rule| (RULE.to_owned(), rule.clone()));
                curves.push(Curve {
                    experiment: path.clone(),
                    pattern: pattern.name.clone(),
                    rule: rule.cloned().unwrap_or_default(),
                    row: pattern.row.iter().cloned().chain(chosen).collect(),
                    taken_back: pattern.taken_back.clone(),
                    points: Vec::new(),
                });
            }
        }
        let mut mistakes: Vec<String> = Vec::new();
        for curve in &mut curves {
            for &load in [loads.first(), loads.last()].into_iter().flatten() {
                let mistake = curve.check(&sets, load).err();
                mistakes.extend(mistake.filter(|mistake| !mistakes.contains(mistake)));
            }
        }
        if mistakes.is_empty() { Ok(Self { curves, loads, sets }) } else { Err(refused(mistakes.join("\n"))) }
    }
}

impl Curve {
    /// Checks the experiment of a curve, and notes the rule that it has by itself.
    fn check(&mut self, sets: &[String], load: f64) -> Result<(), String> {
        let chosen = self.row(load).into_iter().map(|(key, value)| format!("{key}={value}"));
        let overrides = sets.iter().cloned().chain(chosen).chain(self.taken_back.clone()).collect();
        let source = Source { experiment: Some(self.experiment.clone()), overrides, ..Source::default() };
        let scenario = Scenario::load(&source).map_err(|problems| problems.to_string())?;
        if self.rule.is_empty() {
            self.rule = text_at(&scenario, "topology", "routing");
        }
        Ok(())
    }
}

fn text_at(scenario: &Scenario, table: &str, key: &str) -> String {
    scenario.resolved()[table][key].as_str().unwrap_or_default().to_owned()
}

/// The key of `[workload]` that belongs to some patterns only and that an assignment sets or takes back.
fn key_of_pattern(set: &str) -> Option<&'static str> {
    let key = set.split_once('=').map_or(set.trim_start_matches('-'), |(key, _)| key).trim();
    let key = key.strip_prefix("workload.")?.trim();
    keys_of_some_patterns().find(|known| *known == key)
}

/// Refuses an experiment that is well by itself, and has no load.
fn check_kind(experiment: &Path, sets: &[String]) -> Result<(), String> {
    let source =
        Source { experiment: Some(experiment.to_owned()), overrides: sets.to_vec(), ..Source::default() };
    match Scenario::load(&source) {
        Ok(scenario) if !matches!(scenario.workload.kind, Workload::Synthetic(_)) => {
            let (file, hint) =
                (experiment.display(), "write kind = \"synthetic\" into [workload], with a duration");
            Err(format!("{file}: --load needs synthetic traffic, whose load varies\n\nhint: {hint}"))
        }
        _ => Ok(()),
    }
}

/// The pattern of the experiment, with its keys as they are.
fn own_pattern(experiment: &Path, sets: &[String], load: f64) -> anyhow::Result<AskedPattern> {
    // The load may be missing, as it varies.
    let overrides = sets.iter().cloned().chain([format!("{LOAD}={load}")]).collect();
    let source = Source { experiment: Some(experiment.to_owned()), overrides, ..Source::default() };
    let scenario = Scenario::load(&source).or_refused()?;
    let name = text_at(&scenario, "workload", "pattern");
    Ok(AskedPattern { name, row: Vec::new(), taken_back: Vec::new() })
}

/// Patterns as they were asked for. Keys that belong to some patterns only are those behind their names, of the command line, and of the
/// file, in this order; a pattern has those that belong to it.
fn asked_patterns(asked: &[String], sets: &[String], found: &Found) -> Result<Vec<AskedPattern>, String> {
    let of_file: BTreeSet<&str> = {
        let text = String::from_utf8_lossy(&found.read().unwrap_or_default()).into_owned();
        let file: Table = text.parse().unwrap_or_default();
        let workload =
            file.get("workload").and_then(|workload| workload.as_table()).cloned().unwrap_or_default();
        keys_of_some_patterns().filter(|key| workload.contains_key(*key)).collect()
    };
    let mut unused: BTreeSet<&String> = sets.iter().collect();
    let mut patterns: Vec<AskedPattern> = Vec::new();
    for text in asked {
        let mut parts = text.split(':').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let own = keys_of_pattern(name).unwrap_or(&[]);
        let mut row = vec![(PATTERN.to_owned(), name.to_owned())];
        let mut given = BTreeSet::new();
        for part in parts {
            let pair = part.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
            let pair =
                pair.filter(|(key, value)| own.contains(key) && !value.is_empty() && given.insert(*key));
            let (key, value) = pair.ok_or_else(|| no_key(text, part, own))?;
            row.push((format!("workload.{key}"), value.to_owned()));
        }
        let mut taken_back = Vec::new();
        for set in sets {
            let key = key_of_pattern(set).filter(|key| own.contains(key));
            let Some(key) = key else { continue };
            unused.remove(set);
            match set.split_once('=') {
                Some((_, value)) if given.insert(key) => {
                    row.push((format!("workload.{key}"), value.trim().to_owned()));
                }
                Some(_) => {}
                None => taken_back.push(set.clone()),
            }
        }
        taken_back.extend(
            of_file.iter().filter(|key| !own.contains(key)).map(|key| unset(&format!("workload.{key}"))),
        );
        if patterns.iter().any(|other| other.name == *text) {
            return Err(format!("--patterns {text}: is named twice\n\nhint: leave one of them out"));
        }
        patterns.push(AskedPattern { name: text.clone(), row, taken_back });
    }
    match unused.first() {
        Some(set) => {
            let [option, set] = weir_experiment::option_of(set);
            let hint = "leave it out, or name a pattern that has this key";
            Err(format!("{option} {set}: belongs to no pattern of --patterns\n\nhint: {hint}"))
        }
        None => Ok(patterns),
    }
}

fn no_key(pattern: &str, part: &str, own: &[&str]) -> String {
    let hint = match own {
        [] => "this pattern has no keys of its own: write its name alone".to_owned(),
        [first, ..] => {
            let name = pattern.split(':').next().unwrap_or_default().trim();
            format!("write each key once, with a value, as {name}:{first}=1; there are {}", own.join(", "))
        }
    };
    format!("--patterns {pattern}: {part:?} is no key of this pattern with its value\n\nhint: {hint}")
}

/// Loads that a study begins with: near to nothing, and each tenth; or what `--vary` says.
fn loads(vary: &[String]) -> Result<Vec<f64>, String> {
    let wrong = |text: &str, what: &str| {
        let hint = format!("write --vary {LOAD}=0.02:0.98:0.08, or leave it out");
        Err(format!("--vary {text}: {what}\n\nhint: {hint}"))
    };
    let [text] = vary else {
        return match vary {
            [] => Ok(std::iter::once(0.02).chain((1..=10).map(|tenth| f64::from(tenth) / 10.0)).collect()),
            [_, second, ..] => wrong(second, "with --load only the load varies, and it is said once"),
            [_] => unreachable!("one was taken before"),
        };
    };
    let values = match text.split_once('=') {
        Some((key, values)) if key.trim() == LOAD => values,
        _ => return wrong(text, "with --load only the load varies"),
    };
    let read = |text: String| text.parse().ok().filter(|load| *load > 0.0 && *load <= 1.0);
    let Ok(Some(mut loads)) =
        values_of(values).map(|all| all.into_iter().map(read).collect::<Option<Vec<f64>>>())
    else {
        return wrong(text, "must be loads above 0, at most 1: a range, or values separated by ;");
    };
    loads.sort_by(f64::total_cmp);
    loads.dedup();
    if loads.len() < 2 {
        wrong(text, "must be two loads or more, of which the least is light")
    } else {
        Ok(loads)
    }
}
