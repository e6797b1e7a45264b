//! `weir papers`: studies that are built in, beside them what the papers state.

use super::study::Study;
use super::{Done, Sweep, rows};
use crate::arguments::{LoadStudyArgs, PapersArgs, SetsAnd, Shown, SweepArgs};
use crate::status::{INPUT, interrupted, refused};
use crate::text::{aligned, table};
use anyhow::{Context, anyhow};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Stands for all papers.
const ALL: &str = "all";

/// The files of the folder `papers` that are run, and what is in them.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/papers.rs"));

/// The text of a file of `papers`.
fn file(path: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
}

#[derive(Deserialize)]
struct List {
    item: Vec<Item>,
}

/// A figure or a table of a paper; `papers/items.toml` says what its fields are.
#[derive(Deserialize)]
struct Item {
    paper: String,
    name: String,
    title: String,
    takes: [String; 2],
    #[serde(default)]
    studies: Vec<String>,
    #[serde(default)]
    shows: Vec<String>,
    #[serde(default)]
    timed: bool,
}

/// A number that a paper prints of a point.
#[derive(Deserialize)]
struct Published {
    /// Keys and values, as a sweep names its points.
    point: String,
    field: String,
    published: Value,
}

impl Item {
    /// Runs its studies: a table for each or, as one object, all of them; and whether all points finished.
    fn run(&self, args: &PapersArgs) -> anyhow::Result<(String, Value, bool)> {
        let Self { paper, name, title, .. } = self;
        let (mut text, mut studies, mut well) =
            (format!("paper {paper}, {name}: {title}\n"), Vec::new(), true);
        for path in &self.studies {
            let (table, points, finished) = self.run_study(path, args)?;
            text += &format!("\n  papers/{path}\n{table}");
            studies.push(json!({ "study": path, "points": points }));
            well &= finished;
        }
        Ok((text, json!({ "paper": paper, "item": name, "title": title, "studies": studies }), well))
    }

    /// Runs all points of a study: a table, the points, and whether all finished.
    fn run_study(&self, path: &str, args: &PapersArgs) -> anyhow::Result<(String, Value, bool)> {
        let text = file(path).context("every study is built in")?;
        let mut study = Study::of_text(text, args.full).map_err(|mistakes| anyhow!(mistakes))?;
        let name = study.experiment.file_name().context("a study names its experiment")?;
        let folder = path.split('/').next().unwrap_or_default();
        let experiment = format!("{folder}/{}", name.to_string_lossy());
        study.text = Some(file(&experiment).unwrap_or_default());
        study.experiment = PathBuf::from(format!("papers/{experiment}"));
        study.shows.clone_from(&self.shows);
        let args = SweepArgs {
            experiment: study.experiment.clone(),
            vary: Vec::new(),
            study: LoadStudyArgs::default(),
            out: None,
            again: false,
            sets: SetsAnd::default(),
            // Run times are those of a point alone.
            threads: args.threads.or_else(|| self.timed.then_some(NonZeroUsize::MIN)),
            gpu: false,
            csv: false,
            shown: Shown { json: false, quiet: args.quiet },
        };
        let sweep = Sweep { args: &args, study, further: Vec::new(), works: Vec::new(), gpu: None };
        let (done, _) = sweep.run(None)?;
        let published = file(&path.replace(".toml", ".published.csv")).unwrap_or_default();
        let published: Vec<Published> =
            csv::Reader::from_reader(published.as_bytes()).deserialize().collect::<Result<_, _>>()?;
        let beside = |done: &Done| -> Vec<(String, Value)> {
            let name = sweep.named(done.point);
            let columns = self.shows.iter().flat_map(|field| {
                let own = done.line["summary"][field].clone();
                let of_field = || published.iter().filter(|one| one.field == *field);
                let stated = of_field().find(|one| one.point == name).map(|one| &one.published);
                let column = of_field().next().map(|_| (format!("{field}, published"), json!(stated)));
                std::iter::once((field.clone(), own)).chain(column)
            });
            columns.collect()
        };
        let design = &sweep.study.design;
        let mut json = rows::to_json(&sweep.study, &done, |point| (sweep.repeat(point), None));
        for (object, done) in json["points"].as_array_mut().into_iter().flatten().zip(&done) {
            object["shown"] = beside(done).into_iter().collect::<Map<_, _>>().into();
        }
        let keys = design.keys();
        let names = done.iter().take(1).flat_map(beside).map(|(name, _)| name);
        let of_keys = keys.iter().map(|&key| key.to_owned()).chain(["simulated time".to_owned()]);
        let row = |done: &Done| {
            let values = keys.iter().map(|key| design.value(done.point, key).unwrap_or("").to_owned());
            let shown = beside(done).into_iter().map(|(_, value)| value);
            let texts = shown.map(|value| if value.is_null() { String::new() } else { value.to_string() });
            values.chain([rows::time(done)]).chain(texts).collect()
        };
        let table: Vec<Vec<String>> =
            std::iter::once(of_keys.chain(names).collect()).chain(done.iter().map(row)).collect();
        let well = done.len() == sweep.points() && done.iter().all(Done::has_finished);
        Ok((aligned(&table), json["points"].take(), well))
    }
}

/// Lists the items of the papers, or runs some of them.
pub(crate) fn papers(args: &PapersArgs) -> anyhow::Result<ExitCode> {
    let List { item: items } = toml::from_str(file("items.toml").context("the list is built in")?)?;
    let write = |text: &str| writeln!(std::io::stdout(), "{text}").context("standard output");
    let Some(paper) = &args.paper else {
        write(&list(&items))?;
        return Ok(ExitCode::SUCCESS);
    };
    let name = args.item.clone().or_else(|| args.figure.as_ref().map(|number| format!("figure-{number}")));
    let is_chosen = |item: &&Item| {
        (paper == ALL || item.paper == *paper) && name.as_ref().is_none_or(|name| item.name == *name)
    };
    let chosen: Vec<&Item> = items.iter().filter(is_chosen).collect();
    let (runs, others): (Vec<&Item>, Vec<&Item>) =
        chosen.into_iter().partition(|item| !item.studies.is_empty());
    for Item { paper, name, .. } in &others {
        eprintln!(
            "paper {paper}, {name}: is no study of experiments\n\nhint: in weir's source folder `make papers PAPERS=\"{paper} \
             {name}\"` runs it"
        );
    }
    if runs.is_empty() {
        if others.is_empty() {
            return Err(refused(unknown(&items, paper, name.as_deref())));
        }
        return Ok(ExitCode::from(INPUT));
    }
    let (mut objects, mut all_well) = (Vec::new(), true);
    for item in runs {
        let (text, object, well) = item.run(args)?;
        all_well &= well;
        if args.json {
            objects.push(object);
        } else {
            write(&text)?;
        }
        if interrupted().is_some() {
            break;
        }
    }
    if args.json {
        write(&Value::Array(objects).to_string())?;
    }
    let status = if all_well { ExitCode::SUCCESS } else { ExitCode::from(1) };
    Ok(interrupted().unwrap_or(status))
}

fn list(items: &[Item]) -> String {
    let rows = items.iter().map(|Item { paper, name, title, takes: [takes, in_full], studies, .. }| {
        let maintainers = if studies.is_empty() { " (make papers)" } else { "" };
        [paper.clone(), name.clone(), format!("{title}{maintainers}"), takes.clone(), in_full.clone()]
    });
    table(["paper", "item", "title", "takes", "with --full"], rows)
        + "\nweir papers 000 runs all of a paper, weir papers 000 figure-2 one item, weir papers all everything. What says (make \
           papers) is run in weir's source folder: make papers PAPERS=\"002 barrier\"."
}

fn unknown(items: &[Item], paper: &str, name: Option<&str>) -> String {
    let of_paper = items.iter().filter(|known| known.paper == paper).map(|known| known.name.as_str());
    let names: Vec<&str> = of_paper.collect();
    match name {
        Some(name) if paper == ALL => {
            format!("no paper has an item {name}\n\nhint: weir papers lists them all")
        }
        Some(name) if !names.is_empty() => {
            format!("paper {paper} has no item {name}\n\nhint: it has {}", names.join(", "))
        }
        _ => {
            let mut papers: Vec<&str> = items.iter().map(|item| item.paper.as_str()).collect();
            papers.dedup();
            format!("there is no paper {paper}\n\nhint: there are {}, and all", papers.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also with the points that take long; its experiment is built in, and published numbers are of its points.
    #[test]
    fn every_study_is_read() {
        let text = |path: &str| FILES.iter().find(|(known, _)| *known == path).map(|(_, text)| *text);
        let studies =
            FILES.iter().filter_map(|(path, text)| Some((path.split_once("/items/")?, *path, *text)));
        for ((folder, _), path, study) in studies.filter(|(_, path, _)| path.ends_with(".toml")) {
            let [short, full] = [false, true].map(|full| Study::of_text(study, full).unwrap());
            assert!(short.design.points() <= full.design.points(), "{path}");
            let experiment = short.experiment.strip_prefix("..").unwrap().to_string_lossy();
            assert!(text(&format!("{folder}/{experiment}")).is_some(), "{path}");
            let names: Vec<String> = (0..full.design.points())
                .map(|point| {
                    full.design.values(point).map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>()
                })
                .map(|values| values.join(", "))
                .collect();
            let published = text(&path.replace(".toml", ".published.csv")).unwrap_or_default();
            for one in csv::Reader::from_reader(published.as_bytes()).deserialize::<Published>() {
                let one = one.unwrap();
                assert!(names.contains(&one.point) && one.published.is_number(), "{path}: {}", one.point);
            }
        }
    }
}
